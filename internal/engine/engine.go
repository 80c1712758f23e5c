// SPDX-License-Identifier: Apache-2.0

// Package engine synthesizes interfaces of open programs.
//
// Every engine computes the same thing, the TABLE of a component: the minimal
// deterministic automaton over the component's letters (see package explore)
// that gives each word one of three verdicts: it can happen and errs in no run
// (Accept), its last call has an erring run (Reject), or it cannot happen
// (Impossible). State 0 is the object before construction; its verdict is
// Unknown, so that no other state is taken for it. The table is unique, so
// engines can be compared, and what follows is shared: pruning for the
// infinite-word reading, reduction with don't-cares, merging of arguments and
// results that make no difference, labels and witnesses (build.go).
//
// References: Beyer, Henzinger, Singh, "Algorithms for interface synthesis"
// (CAV 2007) for the three algorithms on finite components; Alur, Cerny,
// Madhusudan, Nam, "Synthesis of interface specifications for Java classes"
// (POPL 2005) for learning; Giannakopoulou, Pasareanu, "Interface generation
// and compositional verification in JavaPathfinder" (FASE 2009) for the
// question of permissiveness under nondeterminism, which is answered here by
// matching sets of states.
package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/interlock-go/interlock/internal/engine/cegar"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/papers"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/engine/registers"
	"github.com/interlock-go/interlock/internal/engine/symbolic"
	"github.com/interlock-go/interlock/typestate"
)

// An Engine is a way to compute the table of a component.
type Engine struct {
	Name string
	Doc  string
	// Exactly one is set: run computes the table, synth the interface itself.
	run   func(ctx context.Context, p *problem.Problem, st problem.Stats) (*explicit.Table, error)
	synth func(ctx context.Context, p *problem.Problem, st problem.Stats) (*typestate.Interface, error)
}

// Engines lists the engines. The first is the default.
func Engines() []Engine {
	return []Engine{
		{Name: "auto", Doc: "a fixed schedule of the others: where a register may take the place of many states, cegar; then direct with a part of the budget, cegar, symbolic, direct, learn, hide", synth: synthesizeAuto},
		{Name: "direct", Doc: "explore all states, determinize, minimize", run: explicit.Direct},
		{Name: "learn", Doc: "ask membership and equivalence questions (see -learner)", run: explicit.Learn},
		{Name: "hide", Doc: "hide variables, and reveal those that a spurious trace needs; needs visible determinism", run: explicit.Hide},
		{Name: "cegar", Doc: "predicate abstraction with refinement, for integers of any width; splits arguments and integer results where verdicts depend on them", synth: cegar.Synthesize},
		{Name: "symbolic", Doc: "learn over guarded calls by symbolic execution, to a depth (see -depth) or, without one, until it is proved", synth: symbolic.Synthesize},
		{Name: "abstract", Doc: "learn the interface of the abstraction by given predicates (see -predicate and -superset); what they do not decide is unknown", synth: papers.SynthesizeAbstract},
		{Name: "witness", Doc: "two abstractions with refinement, one to show the interface safe and one to show it permissive; needs visible determinism", synth: papers.SynthesizeWitness},
	}
}

// Synthesize computes the interface of the program.
func Synthesize(ctx context.Context, p problem.Problem) (*typestate.Interface, error) {
	if p.Budget == 0 {
		p.Budget = problem.DefaultBudget
	}
	if p.Workers == 0 {
		p.Workers = 1
	}
	e, err := find(p.Engine)
	if err != nil {
		return nil, err
	}
	return e.synthesize(ctx, &p)
}

func (e Engine) synthesize(ctx context.Context, p *problem.Problem) (*typestate.Interface, error) {
	if e.synth != nil {
		return e.synth(ctx, p, problem.Stats{})
	}
	i, err := e.table(ctx, p)
	if err != nil {
		return nil, err
	}
	if i.Certificate == nil && p.Certificate && !p.Serial {
		if i.Certificate, err = borrow(ctx, p, i.Core()); err != nil {
			return nil, err
		}
	}
	switch {
	case i.Certificate != nil:
	case p.Serial:
		problem.Stats(i.Stats).Omitted(problem.OmittedSerial)
	case p.Certificate:
		problem.Stats(i.Stats).Omitted(problem.OmittedLarge)
	}
	return i, nil
}

// table computes the interface by the table of an engine, without a certificate where exploring gives none.
func (e Engine) table(ctx context.Context, p *problem.Problem) (*typestate.Interface, error) {
	st := problem.Stats{}
	t, err := e.run(ctx, p, st)
	if err != nil {
		return nil, err
	}
	p.Report("building the interface", t.DFA.States())
	return explicit.Build(ctx, p, t, st)
}

// borrow looks for a certificate of the interface with this core elsewhere:
// exploring without the variables that cannot matter has invariants for loops
// where exploring with them would have to list their values, and predicates
// describe in a line what exploring describes value by value. Nil if there is none.
func borrow(ctx context.Context, p *problem.Problem, core []byte) (*typestate.Certificate, error) {
	var lenders []func(context.Context, *problem.Problem) (*typestate.Interface, error)
	if p.KeepAll {
		lenders = append(lenders, Engine{run: explicit.Direct}.table)
	}
	if p.Solver != nil && !p.Tight {
		lenders = append(lenders, func(ctx context.Context, q *problem.Problem) (*typestate.Interface, error) {
			return cegar.Synthesize(ctx, q, problem.Stats{})
		})
	}
	for _, lend := range lenders {
		q := *p
		q.KeepAll, q.NoWrap, q.Ends = false, false, false
		i, err := lend(ctx, &q)
		var refusal *problem.Refusal
		switch {
		case err == nil && i.Certificate != nil && bytes.Equal(i.Core(), core):
			return i.Certificate, nil
		case err != nil && !problem.Undecided(err) && !errors.As(err, &refusal):
			return nil, err
		}
	}
	return nil, nil
}

func find(name string) (Engine, error) {
	list := Engines()
	if name == "" {
		return list[0], nil
	}
	var names []string
	for _, e := range list {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Engine{}, fmt.Errorf("no engine %q: there are %s", name, problem.Join(names))
}

// synthesizeAuto tries engines in a fixed order: where a register is in sight, few states and then
// predicate abstraction (cegar/registers_sight.go); exploration with a small part
// of the budget, predicate abstraction with a solver that gives up soon, symbolic
// learning, exploration with all of the budget, and where only determinization was
// too large, learning and hiding, which need not determinize. Only an exhausted
// budget, a refusal or an unknown verdict moves on to the next, so the answer does
// not depend on the machine. If all have unknown verdicts, the one with the fewest is
// taken, the first of equals.
func synthesizeAuto(ctx context.Context, p *problem.Problem, _ problem.Stats) (*typestate.Interface, error) {
	var known *typestate.Interface // complete, by predicates
	if p.Solver != nil && !p.Serial && !p.Tight && !p.Plain && registers.InSight(p) {
		i, small, err := synthesizeInSight(ctx, p)
		if small || err != nil {
			return i, err
		}
		known = i
	}
	var last error
	var partial *typestate.Interface
	for _, try := range []struct {
		engine string
		share  int
	}{{"direct", 16}, {"cegar", 1}, {"symbolic", symbolicShare}, {"direct", 1}, {"learn", 1}, {"hide", 1}} {
		e, err := find(try.engine)
		if err != nil {
			return nil, err
		}
		if try.engine == "cegar" && known != nil {
			return known, nil
		}
		q := *p
		q.Budget = max(1, p.Budget/try.share)
		if try.engine == "cegar" && p.QuickSolver != nil {
			q.Solver = p.QuickSolver
		}
		i, err := e.synthesize(ctx, &q)
		if err == nil {
			if problem.Complete(i) && problem.Proved(i) && (!p.Tight || i.Guarantees.Tight == "yes") || p.Plain && try.engine == "cegar" && problem.Proved(i) {
				return i, nil
			}
			// What is checked to some depth only allows calls that nobody has
			// looked at; it is an answer only to those who ask for a depth.
			if problem.Proved(i) && (partial == nil || len(i.Unknown) < len(partial.Unknown)) {
				partial = i
			}
			continue
		}
		if orNothing(err) != nil {
			return nil, err
		}
		if try.engine == "direct" {
			last = fmt.Errorf("engine direct: %w", err)
		}
		var wide *explore.TooWideError
		var budget *explore.BudgetError
		if try.engine == "direct" && try.share == 1 &&
			(errors.As(err, &wide) || errors.As(err, &budget) && budget.What != explicit.SetsBudget && budget.What != explicit.StepsBudget && budget.What != explicit.TableBudget) {
			break // the engines that are left would explore the same states
		}
	}
	if partial != nil {
		return partial, nil
	}
	return nil, last
}

// symbolicShare is the part of the budget, one of so many, that auto gives to following
// paths: a component with too many of them is not followed for long.
const symbolicShare = 8

// orNothing drops errors that say that an engine has no answer.
func orNothing(err error) error {
	var refusal *problem.Refusal
	if problem.Undecided(err) || errors.As(err, &refusal) {
		return nil
	}
	return err
}
