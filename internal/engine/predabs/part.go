// SPDX-License-Identifier: Apache-2.0

package predabs

// This file finds the predicates that a call has to do with. A predicate is
// TOUCHED if the call may change one of its variables, and KEPT if it is not but
// constrains what the call reads; the others neither change nor say anything
// about the call, as long as they hold in some state at all. So what a call does
// depends on the truth values of the touched and kept ones only. It is computed
// once for each combination of these, and stays known when a refinement adds
// predicates that the call has nothing to do with.
//
// "Constrains" is followed through shared variables: if x = y and y = 0 are
// predicates, a call that reads x is constrained by both. Leaving the second
// out would be sound, but would lose what the predicates say.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/term"
)

// A HeadKey is a loop head of a method.
type HeadKey struct {
	Sum *explore.Summary
	Loc int
}

// A footprint says which state variables a method reads and writes.
type footprint struct {
	writes map[*term.Term]bool
	// reads are those whose value at the entry can matter: it is tested or
	// assigned, or is still there at the end of a block that others write.
	reads map[*term.Term]bool
	// fixed are the variables of the method, of all kinds, that no block changes.
	Fixed map[*term.Term]bool
}

// Footprint returns which state variables a method reads and writes.
func (m *Abstraction) Footprint(sum *explore.Summary) *footprint {
	if f := m.footprints[sum]; f != nil {
		return f
	}
	f := &footprint{writes: map[*term.Term]bool{}, reads: map[*term.Term]bool{}, Fixed: map[*term.Term]bool{}}
	state := map[*term.Term]bool{}
	for i, v := range sum.Vars {
		if i < sum.States {
			state[v.Term] = true
		}
		same, other := false, false
		for _, b := range sum.Blocks {
			if b.Vals[i] == v.Term {
				same = true
			} else {
				other = true
			}
		}
		if !other {
			f.Fixed[v.Term] = true
		} else if i < sum.States {
			f.writes[v.Term] = true
			if same {
				f.reads[v.Term] = true
			}
		}
	}
	for _, b := range sum.Blocks {
		used := []*term.Term{b.Cond}
		for i, t := range b.Vals {
			if t != sum.Vars[i].Term {
				used = append(used, t)
			}
		}
		for _, x := range term.FreeVars(used...) {
			if state[x] {
				f.reads[x] = true
			}
		}
	}
	m.footprints[sum] = f
	return f
}

// A plan says which predicates, by their numbers, a call has to do with.
type plan struct {
	Touched []int
	Kept    []int
	// matter are those whose truth before the call matters: the kept ones, and
	// the touched ones unless the call overwrites what they speak of.
	matter []int
	Preds  []*term.Term // the touched ones
}

// Plan returns the plan of a call; before construction everything is touched,
// for nothing holds yet.
func (m *Abstraction) Plan(call int) *plan {
	if pl := m.plans[call]; pl != nil {
		return pl
	}
	pl := &plan{}
	c := &m.Calls[call]
	f := m.Footprint(c.Sum)
	vars := map[*term.Term]bool{}
	for x := range f.reads {
		vars[x] = true
	}
	for _, x := range term.FreeVars(c.Guard) {
		vars[x] = true // registers; parameters do no harm
	}
	for _, h := range c.Sum.Heads {
		for _, x := range term.FreeVars(m.HeadPreds[HeadKey{c.Sum, h}]...) {
			vars[x] = true // locals among them do no harm
		}
	}
	free := make([][]*term.Term, len(m.Preds))
	in := make([]bool, len(m.Preds))
	touched := make([]bool, len(m.Preds))
	for i, p := range m.Preds {
		free[i] = term.FreeVars(p)
		touched[i] = c.Constructor || slices.ContainsFunc(free[i], func(x *term.Term) bool { return f.writes[x] })
		if touched[i] {
			for _, x := range free[i] {
				if !f.writes[x] {
					vars[x] = true
				}
			}
		}
	}
	for changed := !c.Constructor; changed; {
		changed = false
		for i := range m.Preds {
			if !in[i] && slices.ContainsFunc(free[i], func(x *term.Term) bool { return vars[x] }) {
				in[i], changed = true, true
				for _, x := range free[i] {
					vars[x] = true
				}
			}
		}
	}
	for i, p := range m.Preds {
		switch {
		case touched[i]:
			pl.Touched = append(pl.Touched, i)
			pl.Preds = append(pl.Preds, p)
		case in[i]:
			pl.Kept = append(pl.Kept, i)
		}
		if in[i] {
			pl.matter = append(pl.matter, i)
		}
	}
	m.plans[call] = pl
	return pl
}

// partKey identifies what the effect of a call in an abstract state depends on.
func (m *Abstraction) partKey(a int32, call int) string {
	pl := m.Plan(call)
	var b strings.Builder
	fmt.Fprintf(&b, "%d", m.Calls[call].Class)
	for _, p := range pl.Preds {
		fmt.Fprintf(&b, " %d", p.ID())
	}
	b.WriteString(" |")
	for _, i := range pl.matter {
		fmt.Fprintf(&b, " %d%c", m.Preds[i].ID(), m.Cubes[a][i])
	}
	sum := m.Calls[call].Sum
	for _, h := range sum.Heads {
		fmt.Fprintf(&b, " @%d", h)
		for _, p := range m.HeadPreds[HeadKey{sum, h}] {
			fmt.Fprintf(&b, " %d", p.ID())
		}
	}
	fmt.Fprintf(&b, " ^%d", len(m.Rankings[sum]))
	return b.String()
}
