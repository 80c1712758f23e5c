// SPDX-License-Identifier: Apache-2.0

package compat

// This file relates the outcomes of protocols to those of interfaces. A protocol
// names what its authors looked at (ok, fail, eof, a truth value, a number);
// an interface names a class of all results, (nil, non-nil), and may not split
// what the protocol looked at. An outcome of an interface corresponds to one of a
// protocol unless the two texts contradict each other: what cannot be read from
// them is not held against the interface.

import (
	"go/ast"
	"go/parser"
	"regexp"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// corresponds reports whether a call that the protocol saw end with an outcome
// may be one that the interface calls by another name. The outcomes of the
// interface are given too: they tell which results it splits.
func corresponds(language, seen, outcome string, all []string) bool {
	if seen == "*" || outcome == "*" || seen == outcome {
		return true
	}
	if slices.Contains(all, seen) {
		return false // the interface has an outcome of exactly this name
	}
	if language == "java" {
		return javaCorresponds(seen, outcome, all)
	}
	parts := results(outcome)
	last := parts[len(parts)-1]
	switch seen {
	case "ok":
		return last != "non-nil" && !endOfFile(last)
	case "fail":
		return last != "nil" && !endOfFile(last)
	case "eof":
		// Where the interface tells io.EOF apart, another error is not it.
		splits := false
		for _, o := range all {
			p := results(o)
			splits = splits || endOfFile(p[len(p)-1])
		}
		return last != "nil" && (endOfFile(last) || !splits)
	case "true", "false":
		return anyOf(parts, seen, "true", "false")
	case "nil":
		return anyOf(values(parts), "nil", "nil", "non-nil")
	case "val":
		return anyOf(values(parts), "non-nil", "nil", "non-nil")
	}
	return numberCorresponds(seen, parts)
}

func endOfFile(part string) bool { return part == "EOF" || strings.HasSuffix(part, ".EOF") }

// results splits a tuple into its parts.
func results(outcome string) []string {
	text, _, _ := strings.Cut(outcome, " with ")
	if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
		return []string{outcome}
	}
	parts := strings.Split(text[1:len(text)-1], ",")
	for k := range parts {
		parts[k] = strings.TrimSpace(parts[k])
	}
	return parts
}

// values returns the parts that are not the error, which comes last.
func values(parts []string) []string {
	if n := len(parts) - 1; n > 0 {
		return parts[:n]
	}
	return parts
}

// anyOf reports whether one of the parts is want, or none is one of the classes:
// then the interface does not split this result.
func anyOf(parts []string, want string, classes ...string) bool {
	split := false
	for _, p := range parts {
		if p == want {
			return true
		}
		split = split || slices.Contains(classes, p)
	}
	return !split
}

// numberCorresponds compares a number that was seen with classes of integers,
// such as 3, or n < 2.
func numberCorresponds(seen string, parts []string) bool {
	if strings.Trim(seen, "-0123456789") != "" {
		return true // a class that has no common names
	}
	decided := false
	for _, p := range parts {
		if strings.Trim(p, "-0123456789") == "" && p != "" {
			if p == seen {
				return true
			}
			decided = true
			continue
		}
		// A class of numbers; and a number is the length of a slice or string, too.
		if strings.HasPrefix(p, "!= ") {
			p = "n " + p
		}
		p = lengthOf.ReplaceAllString(p, "$1")
		e, err := parser.ParseExpr(p)
		if err != nil {
			continue
		}
		if _, ok := e.(*ast.BinaryExpr); !ok {
			continue
		}
		types, known := map[string]string{}, typestate.Known{}
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				types[id.Name], known[id.Name] = "int64", seen
			}
			return true
		})
		if len(types) != 1 {
			continue // which of several results was seen is not said
		}
		switch typestate.GuardHolds(p, types, known) {
		case typestate.MatchYes:
			return true
		case typestate.MatchNo:
			decided = true
		}
	}
	return !decided
}

var lengthOf = regexp.MustCompile("`?len\\(([A-Za-z_0-9]+)\\)`?")

func javaCorresponds(seen, outcome string, all []string) bool {
	outcome, _, _ = strings.Cut(outcome, " (") // outcomes of one name are numbered
	thrown, throws := strings.CutPrefix(outcome, "throws ")
	if name, ok := strings.CutPrefix(seen, "!"); ok {
		if outcome == "throws" || outcome == "other" {
			// Any exception but those that have an outcome of their own.
			return !slices.ContainsFunc(all, func(o string) bool {
				o, _, _ = strings.Cut(o, " (")
				own, is := strings.CutPrefix(o, "throws ")
				return is && simpleName(own) == simpleName(name)
			})
		}
		return throws && simpleName(thrown) == simpleName(name)
	}
	if throws || outcome == "throws" {
		return false
	}
	if outcome == "other" {
		return true
	}
	switch seen {
	case "true", "false":
		return anyOf([]string{outcome}, seen, "true", "false")
	case "null":
		return outcome != "non-null" && outcome != "non-nil"
	case "obj":
		return outcome != "null" && outcome != "nil"
	}
	return numberCorresponds(seen, []string{outcome})
}

// simpleName is the name of a type without package and outer class.
func simpleName(name string) string {
	return name[strings.LastIndexAny(name, ".$")+1:]
}

// makesObject reports whether a constructor with this outcome gave an object: the
// error is nil, the only result is not.
func makesObject(outcome string) bool {
	parts := results(outcome)
	if len(parts) == 1 {
		return outcome != "nil" && outcome != "null" && !strings.HasPrefix(outcome, "throws ")
	}
	return parts[len(parts)-1] != "non-nil"
}
