// SPDX-License-Identifier: Apache-2.0

package compat

// This file finds out what to ask for to get the interface that a protocol is
// about: the type, its constructors and methods, and the errors.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Question says which interface a protocol of a Go type is about.
type Question struct {
	Name    string // of the type with its package, or of a package
	Package bool
	// Errors are the kinds of errors that the protocol has seen, with "message
	// TEXT" for returned errors.
	Errors []string
	// Constructors are functions of the package and the zero value, Factories are
	// other calls that make the object, without their arguments; both are nil if
	// one of them is no call.
	Constructors, Factories []string
	// Methods are those that the protocol calls on the object, Others its calls on
	// other objects and assignments.
	Methods, Others []string
}

// Question returns what to ask for, or an error if the protocol is of something
// that has no interface.
func (p *Protocol) Question() (Question, error) {
	q := Question{}
	if p.Language != "go" {
		return q, fmt.Errorf("language %s", p.Language)
	}
	name, remark, _ := strings.Cut(p.Component, " (")
	q.Name = strings.TrimSpace(name)
	q.Package = strings.HasPrefix(remark, "package")
	if strings.Contains(q.Name, " ") || !strings.Contains(q.Name, ".") && !q.Package {
		return q, fmt.Errorf("%s is not a type of a package", p.Component)
	}
	q.Errors = p.Errors.kinds()

	var invs []invocation
	var w walker
	w.p = p
	for _, c := range p.Constructors {
		s := start{constructor: c, invocation: parseInvocation(p.Language, c.Expr)}
		w.starts = append(w.starts, s)
	}
	for _, c := range p.Calls {
		invs = append(invs, parseInvocation(p.Language, c.Expr))
	}
	own := w.ownReceiver(invs)
	for k, inv := range invs {
		list, name := &q.Methods, inv.name
		switch text, ok := chainText(p.Calls[k].Expr, own); {
		case inv.name == "":
			if name = assignment(p.Calls[k].Expr); name == "" {
				continue
			}
			list = &q.Others
		case own != "" && inv.receiver != own || own == "" && strings.ContainsAny(inv.receiver, "()"):
			if !ok {
				continue
			}
			list, name = &q.Others, text
		}
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	q.constructors(w.starts)
	return q, nil
}

// constructors sets the constructors.
func (q *Question) constructors(starts []start) {
	base, _, _ := strings.Cut(q.Name[strings.LastIndexByte(q.Name, '/')+1:], ".")
	// How many arguments the protocol gives a function, -1 if not always as many.
	count := map[string]int{}
	for _, s := range starts {
		n, ok := count[s.invocation.name]
		if count[s.invocation.name] = len(s.invocation.args); ok && n != len(s.invocation.args) {
			count[s.invocation.name] = -1
		}
	}
	for _, s := range starts {
		inv := s.invocation
		text := statements(s.constructor.Expr)
		list, name := &q.Factories, text
		switch {
		case inv.name == "" || text == "":
			q.Constructors, q.Factories = nil, nil
			return
		case len(inv.objects) > 1 && len(q.Others) > 0 || strings.Contains(text, ";"):
		case inv.name == zero && !inv.fields || inv.name != zero && inv.receiver == base:
			list, name = &q.Constructors, inv.name
			if n := count[inv.name]; inv.name != zero && n >= 0 {
				// Options that it leaves out are left out.
				name += "(" + strings.Join(slices.Repeat([]string{"_"}, n), ", ") + ")"
			}
		}
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
}

var digits = regexp.MustCompile(`\d+`)

// kinds reads the kinds of errors from messages: the text before the colon says
// which. Of messages that differ in numbers only (ports, counts), one is asked for.
func (e Errors) kinds() (kinds []string) {
	add := func(s string) {
		if !slices.ContainsFunc(kinds, func(k string) bool { return digits.ReplaceAllString(k, "0") == digits.ReplaceAllString(s, "0") }) {
			kinds = append(kinds, s)
		}
	}
	for _, m := range e.Messages {
		kind, text, _ := strings.Cut(m, ":")
		text = strings.TrimSpace(text)
		switch kind = strings.TrimSpace(kind); {
		case kind == "deadlock" || strings.HasPrefix(text, "deadlock"):
			add("block")
		case kind == "error":
			add("message " + text)
		default:
			add("panic")
		}
	}
	return kinds
}

// Arguments returns the arguments that the protocol calls functions and methods
// with, as Go expressions, by name.
func (p *Protocol) Arguments() map[string][][]string {
	out := map[string][][]string{}
	add := func(expr string) {
		inv := parseInvocation(p.Language, expr)
		var list []string
		for _, a := range inv.args {
			list = append(list, a.text)
		}
		if inv.name != "" && len(list) > 0 && !slices.ContainsFunc(out[inv.name], func(l []string) bool { return slices.Equal(l, list) }) {
			out[inv.name] = append(out[inv.name], list)
		}
	}
	for _, c := range p.Constructors {
		add(c.Expr)
	}
	for _, c := range p.Calls {
		add(c.Expr)
	}
	return out
}
