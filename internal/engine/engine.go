// SPDX-License-Identifier: Apache-2.0

// Package engine synthesizes interfaces of open programs.
//
// Every engine computes the same thing, the TABLE of a component: the minimal
// deterministic automaton over the component's letters (see package region)
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
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/typestate"
)

// An Engine is a way to compute the table of a component.
type Engine struct {
	Name string
	Doc  string
	// Exactly one is set: run computes the table, synth the interface itself.
	run   func(ctx context.Context, p *Problem, st stats) (*table, error)
	synth func(ctx context.Context, p *Problem, st stats) (*typestate.Interface, error)
}

// Engines lists the engines. The first is the default.
func Engines() []Engine {
	return []Engine{
		{Name: "auto", Doc: "a fixed schedule of the others: where a register may take the place of many states, cegar; then direct with a part of the budget, cegar, symbolic, direct, learn, hide", synth: synthesizeAuto},
		{Name: "direct", Doc: "explore all states, determinize, minimize", run: runDirect},
		{Name: "learn", Doc: "ask membership and equivalence questions (see -learner)", run: runLearn},
		{Name: "hide", Doc: "hide variables, and reveal those that a spurious trace needs; needs visible determinism", run: runHide},
		{Name: "cegar", Doc: "predicate abstraction with refinement, for integers of any width; splits arguments and integer results where verdicts depend on them", synth: synthesizeCegar},
		{Name: "symbolic", Doc: "learn over guarded calls by symbolic execution, to a depth (see -depth) or, without one, until it is proved", synth: synthesizeSymbolic},
		{Name: "abstract", Doc: "learn the interface of the abstraction by given predicates (see -predicate and -superset); what they do not decide is unknown", synth: synthesizeAbstract},
		{Name: "witness", Doc: "two abstractions with refinement, one to show the interface safe and one to show it permissive; needs visible determinism", synth: synthesizeWitness},
	}
}

// DefaultBudget is the number of steps an engine may take if the problem does
// not say: component states, sets of states, pairs of the checks.
const DefaultBudget = 8 << 20

// A Problem is a program and how to go about it.
type Problem struct {
	Program *prog.Program
	Engine  string // name; "" is the first of Engines
	Learner string // name; "" is the first of learn.Learners
	Serial  bool   // the infinite-word reading: prune dead ends
	Tight   bool   // keep apart states that differ only in what can happen
	Apart   bool   // keep apart states in which a call fails and in which it may fail
	// Plain says that nothing is claimed of calls that may fail and may return: of the program it is enough to know
	// which calls never err, and which never return (cegar_plain.go).
	Plain   bool
	Budget  int  // 0 is DefaultBudget
	Workers int  // for exploration; the result does not depend on it
	KeepAll bool // explore variables that cannot matter too
	// Certificate asks for the evidence also where it is large.
	Certificate bool
	// Depth is how long the words are that engine symbolic compares its
	// conjecture with; 0: it finds one and proves the conjecture for all.
	Depth int
	// Predicates are conditions over the state variables: the abstraction of
	// engine abstract, and the first ones of both abstractions of engine
	// witness. Other engines find their own.
	Predicates []string
	Superset   string // of engine abstract: one of Supersets; "" is the first
	// NoWrap assumes that counters of 32 bits or more do not wrap.
	NoWrap bool
	// Ends assumes that loops end: a call that no run returns from, and of which every run can go on, errs if some run does.
	Ends bool
	// Solver makes a solver for terms of the program's pool; the engines that
	// need none work without.
	Solver func() solve.Solver
	// Refinements, if positive, bounds how many refinements engine cegar spends on the
	// conflicts of one method before it leaves them unknown. It is a part of the budget,
	// as Budget is: no strategy depends on it.
	Refinements int
	// QuickSolver makes a solver that gives up soon, for attempts that something
	// else takes the place of; nil: as Solver.
	QuickSolver func() solve.Solver
	// Refined, if not nil, is told of each refinement of engine witness.
	Refined func(Refinement)
	// seeds is what engine cegar starts with.
	seeds *seeds
	// needs starts it with what errors need (cegar_needed.go).
	needs bool
	// plain is an attempt without what must happen.
	plain bool
	// Progress, if not nil, is told from time to time what goes on.
	Progress func(phase string, count int)
}

// A Refusal says that an engine does not handle a component, and why.
type Refusal struct {
	Engine string
	Reason string
}

func (r *Refusal) Error() string { return fmt.Sprintf("engine %s: %s", r.Engine, r.Reason) }

// Undecided reports whether the error is a budget that ran out or values too
// many to enumerate, rather than a failure.
func Undecided(err error) bool {
	var b *region.BudgetError
	var w *region.TooWideError
	var l *learn.BudgetError
	var u *solve.UndecidedError
	var t *ProductError
	return errors.As(err, &b) || errors.As(err, &w) || errors.As(err, &l) || errors.As(err, &u) || errors.As(err, &t)
}

// stats are counts for the result.
type stats map[string]int64

// A table is the result of an engine: see the package comment.
type table struct {
	component *region.Component
	dfa       *automata.DFA
}

// Synthesize computes the interface of the program.
func Synthesize(ctx context.Context, p Problem) (*typestate.Interface, error) {
	if p.Budget == 0 {
		p.Budget = DefaultBudget
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

func (e Engine) synthesize(ctx context.Context, p *Problem) (*typestate.Interface, error) {
	if e.synth != nil {
		return e.synth(ctx, p, stats{})
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
		stats(i.Stats).omitted(OmittedSerial)
	case p.Certificate:
		stats(i.Stats).omitted(OmittedLarge)
	}
	return i, nil
}

// table computes the interface by the table of an engine, without a certificate where exploring gives none.
func (e Engine) table(ctx context.Context, p *Problem) (*typestate.Interface, error) {
	st := stats{}
	t, err := e.run(ctx, p, st)
	if err != nil {
		return nil, err
	}
	p.report("building the interface", t.dfa.States())
	return build(ctx, p, t, st)
}

// borrow looks for a certificate of the interface with this core elsewhere:
// exploring without the variables that cannot matter has invariants for loops
// where exploring with them would have to list their values, and predicates
// describe in a line what exploring describes value by value. Nil if there is none.
func borrow(ctx context.Context, p *Problem, core []byte) (*typestate.Certificate, error) {
	var lenders []func(context.Context, *Problem) (*typestate.Interface, error)
	if p.KeepAll {
		lenders = append(lenders, Engine{run: runDirect}.table)
	}
	if p.Solver != nil && !p.Tight {
		lenders = append(lenders, func(ctx context.Context, q *Problem) (*typestate.Interface, error) {
			return synthesizeCegar(ctx, q, stats{})
		})
	}
	for _, lend := range lenders {
		q := *p
		q.KeepAll, q.NoWrap, q.Ends = false, false, false
		i, err := lend(ctx, &q)
		var refusal *Refusal
		switch {
		case err == nil && i.Certificate != nil && bytes.Equal(i.Core(), core):
			return i.Certificate, nil
		case err != nil && !Undecided(err) && !errors.As(err, &refusal):
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
	return Engine{}, fmt.Errorf("no engine %q: there are %s", name, join(names))
}

func join(names []string) string {
	switch n := len(names); n {
	case 0:
		return "none"
	case 1:
		return names[0]
	default:
		s := names[0]
		for _, x := range names[1 : n-1] {
			s += ", " + x
		}
		return s + " and " + names[n-1]
	}
}

func (p *Problem) report(phase string, count int) {
	if p.Progress != nil {
		p.Progress(phase, count)
	}
}

// callSteps is how many steps one call may take for each state of the budget: where one
// call has many more runs than there may be states, exploration is not the way.
const callSteps = 16

func (p *Problem) explore(ctx context.Context) (*region.Component, error) {
	return region.New(ctx, p.Program, region.Options{
		Workers:  p.Workers,
		Budget:   p.Budget,
		Steps:    callSteps * p.Budget,
		KeepAll:  p.KeepAll,
		Progress: func(n int) { p.report("exploring states", n) },
	})
}

// runDirect explores everything.
func runDirect(ctx context.Context, p *Problem, st stats) (*table, error) {
	c, err := p.explore(ctx)
	if err != nil {
		return nil, err
	}
	k := newKnowledge(c, p.Budget)
	d, err := k.determinize(ctx)
	if err != nil {
		return nil, err
	}
	st["componentStates"] = int64(c.Visited())
	st["knowledgeSets"] = int64(k.sets.Len())
	p.report("minimizing", d.States())
	return &table{c, automata.Minimize(d)}, nil
}

// synthesizeAuto tries engines in a fixed order: where a register is in sight, few states and then
// predicate abstraction (registers_sight.go); exploration with a small part
// of the budget, predicate abstraction with a solver that gives up soon, symbolic
// learning, exploration with all of the budget, and where only determinization was
// too large, learning and hiding, which need not determinize. Only an exhausted
// budget, a refusal or an unknown verdict moves on to the next, so the answer does
// not depend on the machine. If all have unknown verdicts, the one with the fewest is
// taken, the first of equals.
func synthesizeAuto(ctx context.Context, p *Problem, _ stats) (*typestate.Interface, error) {
	var known *typestate.Interface // complete, by predicates
	if p.Solver != nil && !p.Serial && !p.Tight && !p.Plain && registerInSight(p) {
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
			if complete(i) && proved(i) && (!p.Tight || i.Guarantees.Tight == "yes") || p.Plain && try.engine == "cegar" && proved(i) {
				return i, nil
			}
			// What is checked to some depth only allows calls that nobody has
			// looked at; it is an answer only to those who ask for a depth.
			if proved(i) && (partial == nil || len(i.Unknown) < len(partial.Unknown)) {
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
		var wide *region.TooWideError
		var budget *region.BudgetError
		if try.engine == "direct" && try.share == 1 &&
			(errors.As(err, &wide) || errors.As(err, &budget) && budget.What != setsBudget && budget.What != stepsBudget && budget.What != tableBudget) {
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
	var refusal *Refusal
	if Undecided(err) || errors.As(err, &refusal) {
		return nil
	}
	return err
}

// complete reports that an interface has no unknown verdict.
func complete(i *typestate.Interface) bool {
	return len(i.Unknown) == 0 && !slices.ContainsFunc(i.Constructors, func(c typestate.Constructor) bool { return c.Verdict == "unknown" })
}

// proved reports that what an interface says holds for words of any length,
// wherever it says anything.
func proved(i *typestate.Interface) bool {
	g := i.Guarantees
	return g.Safe == typestate.GuaranteeProved && (g.Permissive == typestate.GuaranteeProved || g.Permissive == typestate.GuaranteeOpen)
}
