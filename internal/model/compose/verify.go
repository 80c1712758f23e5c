// SPDX-License-Identifier: Apache-2.0

package compose

// This file is the rule for n components. The assumption that the first needs is a property that
// the others must have together, and so on; the last is checked against the assumption of the one
// before. If a later component has errors of its own, what an earlier one cannot do matters: then
// the interface is tight, and what it calls impossible blocks the others.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/model"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/synth"
	"github.com/interlock-go/interlock/typestate"
)

// A System is what is verified.
type System struct {
	Components []*lts.System
	Properties []*lts.System // completed
	Budget     int           // states of one search
	// Learn finds assumptions with this learner instead of the weakest ones, if it is set.
	Learn *learn.Learner
}

// An Assumption is what a component needs of the others.
type Assumption struct {
	Of        string // the component
	Interface *typestate.Interface
}

// A Result says whether the system has the properties.
type Result struct {
	Violation   *Violation // nil: it has them
	Assumptions []Assumption
	Last        string // the component that the last assumption is discharged on
	States      int    // states and sets of states that were met, in all searches
	Queries     int64  // of a learner
}

// Verify decides whether no run of the composition errs.
func Verify(ctx context.Context, s System) (Result, error) {
	if s.Budget == 0 {
		s.Budget = DefaultBudget
	}
	v := &verifier{System: s, ordered: order(s.Components, s.Properties)}
	if s.Learn != nil {
		return v.learned(ctx)
	}
	return v.weakest(ctx)
}

type verifier struct {
	System
	ordered []*lts.System
	Result
}

// order begins with the component that shares most with the properties, and goes on with that
// which shares most with what came before.
func order(components, properties []*lts.System) []*lts.System {
	left := slices.Clone(components)
	known := map[string]bool{}
	add := func(s *lts.System) {
		for _, a := range s.Alphabet {
			known[a] = true
		}
	}
	for _, p := range properties {
		add(p)
	}
	var out []*lts.System
	for len(left) > 0 {
		best, most := 0, -1
		for k, c := range left {
			shared := 0
			for _, a := range c.Alphabet {
				if known[a] {
					shared++
				}
			}
			if shared > most {
				best, most = k, shared
			}
		}
		out = append(out, left[best])
		add(left[best])
		left = slices.Delete(left, best, best+1)
	}
	return out
}

// shared are the actions of some systems that others have, too.
func shared(these, others []*lts.System) []string {
	var out []string
	for _, s := range these {
		for _, a := range s.Alphabet {
			if slices.ContainsFunc(others, func(o *lts.System) bool { _, ok := o.Action(a); return ok }) {
				out = append(out, a)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A stage is a component with what it must ensure, and the interface of both.
type stage struct {
	component *lts.System
	ensures   []*lts.System
	alphabet  []string
	assumes   *lts.System // completed: the error is what it forbids
}

func (v *verifier) weakest(ctx context.Context) (Result, error) {
	var stages []stage
	ensures := v.Properties
	for k, m := range v.ordered[:len(v.ordered)-1] {
		rest := v.ordered[k+1:]
		st := stage{component: m, ensures: ensures, alphabet: shared(append([]*lts.System{m}, ensures...), rest)}
		product, err := lts.Compose(ctx, m.Name, v.Budget, append([]*lts.System{m}, ensures...)...)
		if err != nil {
			return v.Result, err
		}
		tight := slices.ContainsFunc(rest, (*lts.System).CanErr)
		i, err := model.Infer(ctx, synth.Problem{System: product, Visible: st.alphabet, Tight: tight, Budget: v.Budget})
		if err != nil {
			return v.Result, err
		}
		if i.Guarantees.Safe != typestate.GuaranteeProved {
			return v.Result, fmt.Errorf("the assumption of %s was not checked: %s", m.Name, i.Guarantees.Reason)
		}
		v.States += product.States() + int(i.Stats["knowledgeSets"])
		v.Assumptions = append(v.Assumptions, Assumption{m.Name, i})
		if st.assumes, err = model.Component(i); err != nil {
			return v.Result, err
		}
		stages = append(stages, st)
		ensures = []*lts.System{st.assumes}
	}
	last := v.ordered[len(v.ordered)-1]
	v.Last = last.Name
	final := append([]*lts.System{last}, ensures...)
	s, err := shortest(ctx, final, v.Budget)
	v.States += s.States
	if err != nil || s.Violation == nil {
		return v.Result, err
	}
	return v.violated(ctx, stages, s.Violation.Trace)
}
