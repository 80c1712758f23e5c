// SPDX-License-Identifier: Apache-2.0

package render

// This file writes labels and guards of Go types as Go code. The text form of
// programs, in which interface files have them, quotes names that are no identifiers
// and has an enum for what may be nil.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

var (
	quotedName  = regexp.MustCompile("`((len|cap)\\([\\w.]+\\)|[\\w.$]+)`")
	notNil      = regexp.MustCompile("== `non-nil`")
	notNull     = regexp.MustCompile("== `non-null`")
	isNull      = regexp.MustCompile("!= `non-null`")
	isNil       = regexp.MustCompile("!= `non-nil`")
	sizeOf      = regexp.MustCompile(`^([\w.]+)#(len|cap)$`)
	quotedError = regexp.MustCompile("`&((?:\\w+\\.)*(?:[Ee]rr\\w*|EOF))`") // the error that a variable of a package holds
	quotedSize  = regexp.MustCompile("`([\\w.]+)#(len|cap)`")
)

// GoText is a formula of a Go type as Go code, as far as it can be.
func GoText(formula string) string {
	if !strings.Contains(formula, "`") {
		return formula
	}
	formula = notNull.ReplaceAllString(formula, "!= null")
	formula = isNull.ReplaceAllString(formula, "== null")
	formula = notNil.ReplaceAllString(formula, "!= nil")
	formula = isNil.ReplaceAllString(formula, "== nil")
	formula = quotedSize.ReplaceAllString(formula, "$2($1)")
	formula = quotedError.ReplaceAllString(formula, "$1")
	return quotedName.ReplaceAllString(formula, "$1")
}

// goRegisters writes the names of registers, and what they are given, as Go code.
func goRegisters(update map[string]string) map[string]string {
	var out map[string]string
	for name, value := range update {
		if out == nil {
			out = map[string]string{}
		}
		out[sizeOf.ReplaceAllString(name, "$2($1)")] = GoText(value)
	}
	return out
}

// StateLabel is what a state means as it is shown to people, "" if there is nothing to say. True
// says nothing, unless no call is decided there.
func StateLabel(i *typestate.Interface, s typestate.State) string {
	if s.Label != "true" {
		if i.Component.Language == "go" || i.Component.Language == "java" {
			return GoText(s.Label)
		}
		return s.Label
	}
	unknown := map[string]bool{}
	for _, u := range i.Unknown {
		if u.State == s.ID {
			unknown[u.Call] = true
		}
	}
	ran := slices.ContainsFunc(i.Seen, func(e typestate.Seen) bool { return e.State == s.ID })
	if !ran && len(unknown) > 0 && len(unknown) == len(i.Calls) {
		return "nothing is known"
	}
	return ""
}

// withoutImpossible leaves out the edges of states in which no object can be.
func withoutImpossible(i *typestate.Interface) *typestate.Interface {
	empty := map[int]bool{}
	for _, s := range i.States {
		if s.Label == "false" {
			empty[s.ID] = true
		}
	}
	for _, c := range i.Constructors {
		if c.State != nil && empty[*c.State] {
			return i // objects begin there: the label is wrong
		}
	}
	if len(empty) == 0 {
		return i
	}
	i = i.Clone()
	i.Edges = slices.DeleteFunc(i.Edges, func(e typestate.Edge) bool { return empty[e.From] || empty[e.To] })
	i.Unknown = slices.DeleteFunc(i.Unknown, func(u typestate.Unknown) bool { return empty[u.State] })
	i.Uncovered = slices.DeleteFunc(i.Uncovered, func(u typestate.Uncovered) bool { return empty[u.State] })
	i.Forbidden = slices.DeleteFunc(i.Forbidden, func(f typestate.Forbidden) bool { return empty[f.State] })
	return i
}

// readable is the interface as it is shown to people.
func readable(i *typestate.Interface) *typestate.Interface {
	if i.Component.Language != "go" && i.Component.Language != "java" {
		return i
	}
	i = i.Clone()
	for k := range i.States {
		s := &i.States[k]
		for n := range s.Registers {
			s.Registers[n].Name = sizeOf.ReplaceAllString(s.Registers[n].Name, "$2($1)")
		}
	}
	for k := range i.Edges {
		i.Edges[k].Update = goRegisters(i.Edges[k].Update)
	}
	for k := range i.Calls {
		i.Calls[k].Guard = GoText(i.Calls[k].Guard)
	}
	for k := range i.Constructors {
		i.Constructors[k].Guard = GoText(i.Constructors[k].Guard)
		i.Constructors[k].Update = goRegisters(i.Constructors[k].Update)
	}
	return i
}

// ErrorText writes errors in one line, each with its message and position.
func ErrorText(list []typestate.ErrorSite) string { return sites(list) }
