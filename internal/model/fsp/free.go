// SPDX-License-Identifier: Apache-2.0

package fsp

// This file finds the variables that matter for a choice: two instances of it that
// agree on them are one state.

import (
	"maps"
	"slices"
)

type names map[string]bool

func (n names) add(m names, without ...string) {
	for x := range m {
		if !slices.Contains(without, x) {
			n[x] = true
		}
	}
}

// variables are the names that a body mentions and does not bind. Every choice in it
// gets its own.
func (b *body) variables() names {
	out := names{}
	if b.cond != nil {
		out.add(b.cond.variables())
		out.add(b.then.variables())
		out.add(b.other.variables())
	}
	for _, r := range b.seq {
		for _, a := range r.args {
			out.add(a.variables())
		}
	}
	for _, i := range b.indices {
		out.add(i.variables())
	}
	for _, c := range b.choices {
		if c.guard != nil {
			out.add(c.guard.variables())
		}
		inner := c.next.variables()
		mentions, binds := c.action.variables()
		out.add(mentions)
		out.add(inner, binds...)
	}
	b.free = slices.Sorted(maps.Keys(out))
	return out
}

func (e *expr) variables() names {
	out := names{}
	switch e.op {
	case "name":
		out[e.name] = true
	case "label", "count", "select":
		mentions, _ := e.set.variables()
		out.add(mentions)
	}
	for _, a := range e.args {
		out.add(a.variables())
	}
	return out
}

// variables are the names that a label mentions before it binds them, and those that it binds.
func (l *labels) variables() (mentions names, binds []string) {
	mentions = names{}
	for k := range l.parts {
		part := &l.parts[k]
		for _, e := range []*expr{part.lo, part.hi} {
			if e != nil {
				mentions.add(e.variables(), binds...)
			}
		}
		if part.set != nil {
			mentions.add(part.set.variables(), binds...)
		}
		if part.kind != plainName && part.name != "" {
			binds = append(binds, part.name)
		}
	}
	return mentions, binds
}

func (s *labelSet) variables() names {
	out := names{}
	for _, l := range s.elements {
		mentions, _ := l.variables()
		out.add(mentions)
	}
	if s.minus != nil {
		out.add(s.minus.variables())
	}
	return out
}
