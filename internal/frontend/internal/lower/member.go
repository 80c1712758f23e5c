// SPDX-License-Identifier: Apache-2.0

package lower

// This file reads conditions about one enum variable as the set of values for which they hold. That a reference is
// one of many objects is such a condition, of as many equations as there are objects; as a set it takes one step.

import "github.com/interlock-go/interlock/internal/term"

// A membership is a condition that holds iff a variable is in a set.
type membership struct {
	v  int // -1: the condition is another
	in held
}

// member reads a condition as a membership.
func (d *domain) member(t *term.Term) (membership, bool) {
	switch t.Op() {
	case term.OpEq:
		if t.Args()[0].Sort().Kind != term.EnumKind {
			return membership{}, false
		}
	case term.OpNot, term.OpAnd, term.OpOr:
	default:
		return membership{}, false
	}
	m, ok := d.members[t]
	if !ok {
		m = d.readMember(t)
		d.members[t] = m
	}
	return m, m.v >= 0
}

func (d *domain) readMember(t *term.Term) membership {
	none := membership{v: -1}
	args := t.Args()
	switch t.Op() {
	case term.OpEq:
		x, c := args[0], args[1]
		if x.IsConst() {
			x, c = c, x
		}
		v, ok := d.index[x]
		if !ok || x.Sort().Kind != term.EnumKind || !c.IsConst() {
			return none
		}
		return membership{v, d.only(c)}
	case term.OpNot:
		m, ok := d.member(args[0])
		if !ok {
			return none
		}
		return membership{m.v, every(d.vars[m.v].Sort()).without(m.in)}
	}
	all := none
	for _, a := range args {
		m, ok := d.member(a)
		switch {
		case !ok || all.v >= 0 && m.v != all.v:
			return none
		case all.v < 0:
			all = m
		case t.Op() == term.OpOr:
			all.in = all.in.join(m.in)
		default:
			all.in = all.in.meet(m.in)
		}
	}
	return all
}

// truth is whether the variable may be in the set, and may be not.
func (m membership) truth(k *knowledge) int {
	h := k.held(m.v)
	switch {
	case h.within(m.in):
		return may
	case !h.meets(m.in):
		return mayNot
	}
	return may | mayNot
}

// refine makes the variable one that is in the set, or not; false: it cannot be.
func (m membership) refine(k *knowledge, yes bool) bool {
	h := k.held(m.v)
	if yes {
		h = h.meet(m.in)
	} else {
		h = h.without(m.in)
	}
	k.set(k.root(m.v), h)
	return !h.empty()
}
