// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the findings of check and writes them.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A checkFinding is a finding. Files are relative to the directory that the command runs in, if they are below it.
type checkFinding struct {
	checkPlace
	EndLine   int            `json:"endLine,omitempty"`
	EndColumn int            `json:"endColumn,omitempty"`
	Category  string         `json:"category"`
	Message   string         `json:"message"`
	Related   []checkRelated `json:"related,omitempty"`
}

type checkPlace struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

type checkRelated struct {
	checkPlace
	Message string `json:"message"`
}

// A vetDiagnostic is a diagnostic of go vet -json.
type vetDiagnostic struct {
	Category string `json:"category"`
	Posn     string `json:"posn"`
	End      string `json:"end"`
	Message  string `json:"message"`
	Related  []struct {
		Posn    string `json:"posn"`
		Message string `json:"message"`
	} `json:"related"`
}

func (v vetDiagnostic) finding(base string) checkFinding {
	f := checkFinding{checkPlace: parsePlace(v.Posn, base), Category: v.Category, Message: v.Message}
	if v.End != "" {
		end := parsePlace(v.End, base)
		f.EndLine, f.EndColumn = end.Line, end.Column
	}
	for _, r := range v.Related {
		f.Related = append(f.Related, checkRelated{parsePlace(r.Posn, base), r.Message})
	}
	return f
}

// parsePlace reads FILE:LINE:COLUMN.
func parsePlace(text, base string) checkPlace {
	var p checkPlace
	var numbers []int
	for len(numbers) < 2 {
		k := strings.LastIndexByte(text, ':')
		if k < 0 {
			break
		}
		n, err := strconv.Atoi(text[k+1:])
		if err != nil {
			break
		}
		numbers, text = append(numbers, n), text[:k]
	}
	switch len(numbers) {
	case 2:
		p.Line, p.Column = numbers[1], numbers[0]
	case 1:
		p.Line = numbers[0]
	}
	p.File = filepath.ToSlash(text)
	if rel, err := filepath.Rel(base, text); err == nil && filepath.IsAbs(text) && !strings.HasPrefix(rel, "..") {
		p.File = filepath.ToSlash(rel)
	}
	return p
}

// sortFindings sorts findings and drops repetitions: go vet checks a package again with its tests.
func sortFindings(all []checkFinding) []checkFinding {
	slices.SortFunc(all, func(a, b checkFinding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(all, func(a, b checkFinding) bool {
		return a.checkPlace == b.checkPlace && a.Message == b.Message
	})
}

// report writes the findings.
func (o *checkOptions) report(c *invocation, found []checkFinding) error {
	var buf bytes.Buffer
	var err error
	switch o.format {
	case "json":
		if found == nil {
			found = []checkFinding{}
		}
		err = encodeJSON(&buf, map[string]any{"findings": found})
	case "sarif":
		err = encodeJSON(&buf, sarifOf(found))
	default:
		for _, f := range found {
			fmt.Fprintf(&buf, "%s:%d:%d: %s\n", f.File, f.Line, f.Column, f.Message)
			for _, r := range f.Related {
				fmt.Fprintf(&buf, "\t%s:%d:%d: %s\n", r.File, r.Line, r.Column, r.Message)
			}
		}
	}
	if err != nil {
		return err
	}
	if o.output == "" || o.output == "-" {
		return c.print(buf.Bytes())
	}
	return writeFile(o.output, buf.Bytes())
}

func encodeJSON(buf *bytes.Buffer, v any) error {
	e := json.NewEncoder(buf)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// sarifRules are what findings are filed under.
var sarifRules = []struct{ id, text, level string }{
	{"fails", "The call fails in every state that its object may be in.", "error"},
	{"seen", "The call failed in every state that its object may be in, whenever the type was run.", "warning"},
	{"may-fail", "The call fails in some of the states that its object may be in.", "warning"},
}

// sarifOf makes a SARIF 2.1.0 log of findings.
func sarifOf(found []checkFinding) any {
	type object = map[string]any
	text := func(s string) object { return object{"text": s} }
	location := func(p checkPlace, endLine, endColumn int, message string) object {
		region := object{"startLine": max(p.Line, 1), "startColumn": max(p.Column, 1)}
		if endLine > 0 && endColumn > 0 {
			region["endLine"], region["endColumn"] = endLine, endColumn
		}
		out := object{"physicalLocation": object{"artifactLocation": object{"uri": p.File, "uriBaseId": "%SRCROOT%"}, "region": region}}
		if message != "" {
			out["message"] = text(message)
		}
		return out
	}
	var rules []object
	for _, r := range sarifRules {
		rules = append(rules, object{"id": r.id, "shortDescription": text(r.text), "defaultConfiguration": object{"level": r.level}})
	}
	results := []object{}
	for _, f := range found {
		level, index := "error", 0
		for k, r := range sarifRules {
			if r.id == f.Category {
				level, index = r.level, k
			}
		}
		result := object{"ruleId": sarifRules[index].id, "ruleIndex": index, "level": level, "message": text(f.Message),
			"locations": []object{location(f.checkPlace, f.EndLine, f.EndColumn, "")}}
		var related []object
		for k, r := range f.Related {
			l := location(r.checkPlace, 0, 0, r.Message)
			l["id"] = k + 1
			related = append(related, l)
		}
		if related != nil {
			result["relatedLocations"] = related
		}
		results = append(results, result)
	}
	return object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []object{{
			"tool":    object{"driver": object{"name": "interlock", "rules": rules}},
			"results": results,
		}},
	}
}
