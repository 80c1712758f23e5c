// SPDX-License-Identifier: Apache-2.0

package golang

// This file covers the checks of the run time that are not obviously fine. They are
// decided in programs of their own, each with what some of them depend on: one program
// if that is small enough, else two with half of the methods, or half of the checks, and
// so on. What is too large by itself, or beyond the budget of edges, is not covered:
// that one check, in the methods that reach it. One program with everything was not
// chosen: large code was beyond it as a whole.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
)

// Limits of the programs of checks, in edges: of one pass and all passes of one, and of
// all of them.
const (
	maxChecks      = 3_000
	maxAllChecks   = 25_000
	maxChecksTotal = 40_000
)

// A checker covers the checks of a component.
type checker struct {
	l     *loaded
	s     Subject
	o     Options
	k     kinds
	known *contracts

	reach   *reach
	certain map[ssa.Instruction]bool
	blamed  map[ssa.Instruction]bool // those of them that are the environment's fault
	facts   *prover
	checks  []check         // that are left
	total   int             // lines with checks
	used    map[string]bool // conventions of what was proved
	clauses map[string]bool
	// everything: the code is lowered as a whole, which is tried first: no value is
	// missing then.
	everything bool
	whole      bool // the same for a program with the explicit errors
	edges      int  // of the last ones
	steps      int  // of analysis
	parts      []*Result
	left       map[string][]*lower.Site // by method
	large      bool                     // some check is in code that is too large
	needs      []lower.Need             // arguments that are not nil in proofs
	again      func() *needer           // proves more if such arguments are assumed
	explicit   []lower.Need             // arguments whose nilness explicit errors depend on
}

// A check is one of a method or constructor.
type check struct {
	method string
	instr  ssa.Instruction
	fn     *ssa.Function
}

// newChecker finds the checks of a component and proves what is obvious.
func (l *loaded) newChecker(s Subject, o Options, k kinds, known *contracts, made *Result) (*checker, error) {
	h := &checker{l: l, s: s, o: o, k: k, known: known, certain: map[ssa.Instruction]bool{}, blamed: map[ssa.Instruction]bool{}, steps: lower.AllSteps, left: map[string][]*lower.Site{}}
	c := l.compiler(o, k, known)
	if err := c.subject(&s); err != nil {
		return nil, err
	}
	makers, err := c.makers(s)
	if err != nil {
		return nil, err
	}
	methods, err := c.alphabet(s, makers)
	if err != nil {
		return nil, err
	}
	from := c.callsOf(methods, makers)
	c.sites = slices.ContainsFunc(makers, func(m maker) bool { return m.site != nil })
	if made != nil {
		h.reach, h.explicit = made.rel.reach, made.Tests
		c.leaveOut(h.reach, from, makers)
		c.unset = h.reach.unset
	} else {
		h.reach = c.reaches(from, makers)
	}
	c.reach = h.reach
	p := newProver(c, from, makers)
	h.facts = p
	lines := map[prog.Pos]bool{}
	open := map[*ssa.Function][]ssa.Instruction{}
	entries := slices.Concat(from.methods, from.makers, from.chains)
	direct := h.reach.directly(entries)
	for _, fn := range h.reach.counted(entries) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !h.reach.checksRunTime(i, direct) || !h.wants(fn, i) {
					continue
				}
				if p.obvious(i) {
					h.certain[i] = true
				} else if p.blamed(i) {
					h.certain[i], h.blamed[i] = true, true
				} else {
					open[fn] = append(open[fn], i)
				}
				if !trivial(i) {
					at := c.pos(fn, i.Pos())
					at.Col = 0
					lines[at] = true
				}
			}
		}
	}
	if len(h.reach.counted(entries)) < len(h.reach.fns) {
		p.used[conventionEnvironment] = true
	}
	h.total, h.used, h.clauses = len(lines), p.used, p.clauses
	calledBack := h.calledBack(p, direct)
	add := func(name string, entries []*ssa.Function) {
		counted := h.reach.counted(entries)
		for _, fn := range counted {
			for _, i := range open[fn] {
				h.checks = append(h.checks, check{name, i, fn})
			}
		}
		if sites := calledBack(counted); len(sites) > 0 {
			h.left[name] = append(h.left[name], sites...)
		}
	}
	for i := range makers {
		one := c.callsOf(nil, makers[i:i+1])
		add(makers[i].name, slices.Concat(one.makers, one.chains))
	}
	for i := range methods {
		add(methods[i].name, c.callsOf(methods[i:i+1], nil).methods)
	}
	h.again = func() *needer { return &needer{newProver(c, from, makers), methods, makers} }
	return h, nil
}

// calledBack returns a function that says which checks code of the component makes that functions give to calls of other code, or
// that goroutines run which they start: nothing follows these, so the checks are not in any program. Those that are proved, or fail for what the environment hands over, do not count.
func (h *checker) calledBack(p *prover, direct map[*ssa.Function]bool) func(fns []*ssa.Function) []*lower.Site {
	const (
		byOthers    = "code that is not followed may call it"
		byGoroutine = "a goroutine runs it"
	)
	type use struct {
		fn  *ssa.Function
		why string
	}
	open := map[use][]*lower.Site{}
	known := map[use]bool{}
	sites := func(fn *ssa.Function, why string) []*lower.Site {
		of := use{fn, why}
		if known[of] {
			return open[of]
		}
		known[of] = true
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !h.reach.checksRunTime(i, direct) || !h.wants(fn, i) || h.certain[i] || p.obvious(i) || p.blamed(i) {
					continue
				}
				s := h.site(fn, i)
				s.Why = why
				open[of] = append(open[of], s)
			}
		}
		return open[of]
	}
	return func(fns []*ssa.Function) (all []*lower.Site) {
		seen := map[*ssa.Function]bool{}
		var given []*ssa.Function
		for _, fn := range fns {
			seen[fn] = true
			given = append(given, h.reach.handedTo(fn)...)
		}
		for _, fn := range h.reach.startedUnder(seen) {
			if h.l.owns(packageOf(fn)) {
				all = append(all, sites(fn, byGoroutine)...)
			}
		}
		for len(given) > 0 {
			fn := given[0]
			given = given[1:]
			if pkg := packageOf(fn); seen[fn] || pkg != nil && !h.l.owns(pkg) {
				continue
			}
			seen[fn] = true
			all = append(all, sites(fn, byOthers)...)
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					call, ok := i.(ssa.CallInstruction)
					if !ok || isGo(i) {
						continue
					}
					if g := call.Common().StaticCallee(); g != nil {
						given = append(given, g)
					}
					given = append(given, h.reach.targets[call]...)
				}
			}
		}
		return all
	}
}

// wants reports whether a check is an error under study.
func (h *checker) wants(fn *ssa.Function, i ssa.Instruction) bool {
	s := h.site(fn, i)
	if h.k.wants(s) {
		return true
	}
	s.Message = strings.Replace(s.Message, "close of closed channel", "close of nil channel", 1)
	return h.k.wants(s)
}

// site is a check as an error site.
func (h *checker) site(fn *ssa.Function, i ssa.Instruction) *lower.Site {
	kind, message := h.reach.describe(i)
	return &lower.Site{ErrorSite: &prog.ErrorSite{Kind: kind, Message: message, Pos: h.reach.c.near(fn, i.Pos())}, Implicit: true, From: i}
}

// coverAll lowers the programs of all checks.
func (h *checker) coverAll(ctx context.Context) error {
	if len(h.checks) > 0 && !h.o.without {
		h.everything = true
		made, err := h.lower(ctx, h.checks, true, maxChecks, maxAllChecks)
		h.everything = false
		switch {
		case err == nil:
			h.parts = append(h.parts, made)
			return nil
		case !errors.Is(err, lower.ErrTooLarge):
			return err
		}
	}
	// The component's own ones first: they have the budget.
	var own, theirs []check
	for _, k := range h.checks {
		if pkg := packageOf(k.fn); pkg != nil && !h.l.owns(pkg) {
			theirs = append(theirs, k)
		} else {
			own = append(own, k)
		}
	}
	h.steps = lower.AllSteps
	budget := maxChecksTotal
	if h.o.without {
		budget = 0 // what the component has was too large before
	}
	for _, list := range [][]check{own, theirs} {
		large, err := h.cover(ctx, list, &budget)
		if err != nil {
			return err
		}
		for _, k := range h.assume(large) {
			s := h.site(k.fn, k.instr)
			s.Why = "the code is too large to follow for this check"
			h.left[k.method] = append(h.left[k.method], s)
			h.large = true
		}
	}
	return nil
}

// cover lowers the programs of some checks, with a budget of edges, and returns those whose
// programs are too large. Of what is left of the budget when the programs are divided, each
// part gets its share first.
func (h *checker) cover(ctx context.Context, list []check, budget *int) ([]check, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var err error
	var made *Result
	if *budget <= 0 {
		err = lower.ErrTooLarge
	} else {
		h.edges = 0
		made, err = h.lower(ctx, list, true, maxChecks, min(maxAllChecks, *budget))
		*budget -= h.edges
	}
	switch {
	case err == nil:
		h.parts = append(h.parts, made)
		return nil, nil
	case !errors.Is(err, lower.ErrTooLarge):
		return nil, err
	case *budget <= 0 || len(list) == 1:
		return list, nil
	}
	half := len(list) / 2
	if list[0].method != list[len(list)-1].method {
		// Between two methods, as near to the middle as possible.
		best := 0
		for k := 1; k < len(list); k++ {
			if list[k].method != list[k-1].method && (best == 0 || abs(k-half) < abs(best-half)) {
				best = k
			}
		}
		half = best
	}
	share := *budget * half / len(list)
	*budget -= share
	left, err := h.cover(ctx, list[:half], &share)
	if err != nil {
		return nil, err
	}
	*budget += share
	more, err := h.cover(ctx, list[half:], budget)
	return slices.Concat(left, more), err
}

func abs(n int) int { return max(n, -n) }

// lower makes a program of checks, alone or with the explicit errors.
func (h *checker) lower(ctx context.Context, list []check, alone bool, pass, all int) (*Result, error) {
	o := h.o
	o.everything = alone && h.everything || h.whole
	c := h.l.compiler(o, h.k, h.known)
	c.maxWork = maxWork
	alone = alone && !h.everything
	c.shared, c.certain, c.blamed, c.alone = h.reach, h.certain, h.blamed, alone
	c.facts = h.facts
	c.selected = selection{}
	for _, k := range list {
		c.selected.add(k.method, k.instr)
	}
	c.checking = c.selected.instrs()
	c.w.Limit(pass, all)
	if alone {
		c.w.Untouched(h.explicit)
		c.w.Steps(&h.steps)
	}
	made, err := c.lower(ctx, h.s)
	h.edges = c.w.AllEdges()
	if made != nil {
		made.selected = c.selected
	}
	return made, err
}

// Parts are the programs of the checks of the run time that are left to decide.
func (r *Result) Parts() []*Result {
	if r.checker == nil {
		return nil
	}
	return r.checker.parts
}

// With returns the component with its explicit errors and some checks: those with the
// given numbers in each of the Parts; whole: no value is left out. A site that is none of the checks, as where
// a panic goes on that deferred calls have met, cannot be asked for: then the error is [ErrTooLarge].
func (r *Result) With(ctx context.Context, chosen []map[int]bool, whole bool) (*Result, error) {
	h := r.checker
	var list []check
	for n, part := range h.parts {
		met := map[int]bool{}
		for _, k := range h.checks {
			for _, s := range part.Sites()[k.method] {
				if chosen[n][s.ID] && s.From == any(k.instr) {
					met[s.ID] = true
					if !slices.Contains(list, k) {
						list = append(list, k)
					}
				}
			}
		}
		if len(met) < len(chosen[n]) {
			return nil, ErrTooLarge
		}
	}
	made, err := h.with(ctx, list, whole)
	if made != nil {
		made.assume(r)
	}
	return made, err
}

func (h *checker) with(ctx context.Context, list []check, whole bool) (*Result, error) {
	h.whole = whole
	defer func() { h.whole = false }()
	made, err := h.lower(ctx, list, false, maxPassEdges, maxAllEdges)
	if err != nil {
		return nil, err
	}
	for n, k := range h.checks {
		if slices.Contains(list, k) {
			made.with = append(made.with, fmt.Sprintf("%d %s", n, k.method))
		}
	}
	return made, nil
}

// Chosen returns the numbers of the sites that With asked for.
func (r *Result) Chosen() map[int]bool {
	chosen := map[int]bool{}
	for method, list := range r.Sites() {
		for _, s := range list {
			if i, ok := s.From.(ssa.Instruction); ok && s.Implicit && r.selected[method][i] {
				chosen[s.ID] = true
			}
		}
	}
	return chosen
}

// again makes the program of With from what Lowering says of it.
func (r *Result) again(ctx context.Context, with []string, whole bool) (*Result, error) {
	if len(with) == 0 {
		return r, nil
	}
	if r.checker == nil {
		return nil, fmt.Errorf("the checks of the run time are not in it")
	}
	var list []check
	for _, text := range with {
		number, method, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n >= len(r.checker.checks) || r.checker.checks[n].method != method {
			return nil, fmt.Errorf("there is no check %q of the run time", text)
		}
		list = append(list, r.checker.checks[n])
	}
	made, err := r.checker.with(ctx, list, whole)
	if made != nil {
		made.assume(r)
	}
	return made, err
}
