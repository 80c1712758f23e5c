// SPDX-License-Identifier: Apache-2.0

package compat

// This file finds out what to ask for to get the interface that a protocol is
// about: the type, its constructors and methods, and the errors.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// A Question says which interface a protocol of a Go type is about.
type Question struct {
	Name    string // of the type with its package, or of a package
	Package bool
	// Errors are the kinds of errors that the protocol has seen, with "message
	// TEXT" for returned errors; Misuse are the same with "misuse" for these, nil if
	// there are none.
	Errors, Misuse []string
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
	q.Errors, q.Misuse = p.Errors.kinds()

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
		}
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
}

// maxMessages bounds the messages that are asked for one by one.
const maxMessages = 20

// kinds reads the kinds of errors from messages: the text before the colon says
// which. Misuse has "misuse" in place of messages of returned errors.
func (e Errors) kinds() (kinds, misuse []string) {
	add := func(list *[]string, s string) {
		if !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	returned := false
	for _, m := range e.Messages {
		kind, text, _ := strings.Cut(m, ":")
		text = strings.TrimSpace(text)
		switch kind = strings.TrimSpace(kind); {
		case kind == "deadlock" || strings.HasPrefix(text, "deadlock"):
			add(&kinds, "block")
			add(&misuse, "block")
		case kind == "error":
			returned = true
			add(&kinds, "message "+text)
			add(&misuse, "misuse")
		default:
			add(&kinds, "panic")
			add(&misuse, "panic")
		}
	}
	switch {
	case !returned:
		misuse = nil
	case len(kinds) > maxMessages: // addresses and numbers in them
		kinds, misuse = misuse, nil
	}
	return kinds, misuse
}

// Unmatched returns the messages of returned errors for which an interface has no
// error site.
func (p *Protocol) Unmatched(i *typestate.Interface) []string {
	var sites []typestate.ErrorSite
	for _, f := range i.Forbidden {
		sites = append(sites, f.Errors...)
	}
	for _, c := range i.Constructors {
		sites = append(sites, c.Errors...)
	}
	var out []string
	for _, m := range p.Errors.Messages {
		text, ok := strings.CutPrefix(m, "error:")
		if text = strings.TrimSpace(text); ok && !slices.ContainsFunc(sites, func(s typestate.ErrorSite) bool { return mayBe(s.Message, text) }) {
			out = append(out, text)
		}
	}
	return out
}

// mayBe reports whether the message of an error site, with … for what is not
// constant, may be a text.
func mayBe(message, text string) bool {
	parts := strings.Split(message, "…")
	for k, p := range parts {
		parts[k] = regexp.QuoteMeta(p)
	}
	return message != "" && regexp.MustCompile("(?s)^"+strings.Join(parts, ".*")+"$").MatchString(text)
}
