// SPDX-License-Identifier: Apache-2.0

package engine

// This file is the modal predicate abstraction of a component: abstract states
// are truth values of predicates over the state variables; for each abstract
// state and call it knows what may happen (some state, some arguments, some
// choices) and what must happen (every state, every arguments, some choices).
// A call is a method with a class of arguments, an outcome a class of results
// (guard.go). What is certain is certain for every result of the class: a client
// sees results, and only what holds whichever it saw can be said of the class.
//
// What a call does is computed in modal_effect.go, from the predicates that it
// has to do with (modal_part.go); runs of a call as formulas are in
// modal_unroll.go.
//
// A state of the component may be in several abstract states only if these
// differ; abstract state 0 is the object before construction.

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A symMethod is a method or constructor with the classes of its arguments and
// results. At first its arguments are one class, and its results one for each
// combination of bools and enums, integers left open.
type symMethod struct {
	sum           *region.Summary
	constructor   bool
	args, results *division
	first         []symOutcome // the first classes of results
	inexact       bool         // has results that outcomes need not tell apart
}

// A symCall is a method or constructor with a class of arguments.
type symCall struct {
	sum         *region.Summary
	constructor bool
	method      int        // index into methods
	class       int        // id of the class of arguments
	guard       *term.Term // its condition, over the parameters
	outcomes    []symOutcome
	letter      int  // number of its first outcome
	inexact     bool // has results that outcomes need not tell apart
}

// A symOutcome is a class of results.
type symOutcome struct {
	name string     // of the first class of which it is a part
	base int        // the number of that class
	id   int        // of the class
	cond *term.Term // over the result variables
	// visible gives bools and enums their values.
	visible map[*term.Term]*term.Term
}

// An effect is what a call does in an abstract state.
type effect struct {
	may     [][]int32   // by outcome: abstract states, sorted
	must    [][][]int32 // by outcome: minimal sets, one of which is reached for certain
	mayErr  []*prog.ErrorSite
	mustErr bool
	part    *partEffect // from which it was made
}

func (e *effect) returns() bool {
	return slices.ContainsFunc(e.may, func(m []int32) bool { return len(m) > 0 })
}

// A valuation gives truth values to a list of predicates, '0' or '1' to each.
type valuation string

func (v valuation) holds(i int) bool { return v[i] == '1' }

// pick is the valuation of some of the predicates.
func (v valuation) pick(which []int) valuation {
	b := make([]byte, len(which))
	for k, i := range which {
		b[k] = v[i]
	}
	return valuation(b)
}

type modal struct {
	p      *Problem
	sym    *region.Symbolic
	pool   *term.Pool
	solver solve.Solver
	// Two more for exists-forall questions.
	propose, refute solve.Solver
	methods         []symMethod
	ids             int // of classes
	calls           []symCall
	letters         int
	preds           []*term.Term
	headPreds       map[headKey][]*term.Term // at loop heads, over all variables of the method
	cubes           []valuation              // abstract state -> truth values of preds; the first is not used
	index           map[valuation]int32
	memo            map[[2]int32]*effect
	parts           map[string]*partEffect // survive refinement
	plans           []*plan                // by call
	footprints      map[*region.Summary]*footprint
	unrollings      map[unrollKey]unrolling
	assumed         *term.Term                // of the state before every call and at loop heads: counters do not wrap
	asked           int                       // questions
	work, limit     int                       // questions and the work inside the solvers: done, and allowed
	mayOnly         bool                      // what must happen is not asked
	plain           bool                      // of what must happen only errors are asked, of calls that never return
	further         bool                      // loops are unrolled for more rounds
	surely          bool                      // must is asked for all guesses
	guessed         map[*term.Term]*term.Term // guesses in unrolled runs, and what is known of each
	rankings        map[*region.Summary][]*ranking
	covered         map[*region.Summary]bool // every unrolled run that errs satisfies a ranking's condition
	inner           solve.Solver             // one more for guesses; nil: not needed yet
	meter           meter
}

// maxPreds bounds the predicates.
const maxPreds = 512

func newModal(p *Problem) *modal {
	m := &modal{p: p, headPreds: map[headKey][]*term.Term{}, parts: map[string]*partEffect{}, footprints: map[*region.Summary]*footprint{},
		unrollings: map[unrollKey]unrolling{}, guessed: map[*term.Term]*term.Term{}, limit: p.questions(), sym: region.NewSymbolic(p.Program), pool: p.Program.Pool,
		solver: p.Solver(), propose: p.Solver(), refute: p.Solver()}
	m.meter.solvers = []solve.Solver{m.solver, m.propose, m.refute}
	m.propose, m.refute = metered{m.propose, m.charge}, metered{m.refute, m.charge}
	add := func(sum *region.Summary, constructor bool) {
		x := symMethod{sum: sum, constructor: constructor}
		x.first, x.inexact = m.outcomes(sum.Method)
		var conds []*term.Term
		for _, o := range x.first {
			conds = append(conds, o.cond)
		}
		x.args = newDivision(m.pool, &m.ids, sum.Method.Params, nil)
		x.results = newDivision(m.pool, &m.ids, sum.Method.Results, nil, conds...)
		m.methods = append(m.methods, x)
	}
	for _, s := range m.sym.Constructors {
		add(s, true)
	}
	for _, s := range m.sym.Methods {
		add(s, false)
	}
	m.assumed = m.pool.True()
	if p.NoWrap {
		for _, v := range prog.Counters(p.Program) {
			m.assumed = m.pool.And(m.assumed, prog.InRange(p.Program, v))
		}
	}
	m.alphabet()
	m.reset()
	return m
}

// alphabet makes the calls and letters of the present classes.
func (m *modal) alphabet() {
	m.calls, m.letters = nil, 0
	for k := range m.methods {
		x := &m.methods[k]
		var outcomes []symOutcome
		for _, o := range x.results.classes {
			out := x.first[o.base]
			out.base, out.id, out.cond = o.base, o.id, o.cond
			outcomes = append(outcomes, out)
		}
		for _, c := range x.args.classes {
			m.calls = append(m.calls, symCall{sum: x.sum, constructor: x.constructor, method: k, class: c.id, guard: c.cond,
				outcomes: outcomes, letter: m.letters, inexact: x.inexact})
			m.letters += len(outcomes)
		}
	}
}

func (m *modal) close() {
	for _, s := range []solve.Solver{m.solver, m.propose, m.refute} {
		s.Close()
	}
	if m.inner != nil {
		m.inner.Close()
	}
}

// reset forgets everything but the predicates, and what parts of them said.
func (m *modal) reset() {
	m.cubes = []valuation{""}
	m.index = map[valuation]int32{}
	m.memo = map[[2]int32]*effect{}
	m.plans = make([]*plan, len(m.calls))
}

// outcomes lists the outcomes of a method before any is split, and reports whether
// it has results that these do not tell apart.
func (m *modal) outcomes(method *prog.Method) (list []symOutcome, inexact bool) {
	type part struct {
		names   []string
		cond    *term.Term
		visible map[*term.Term]*term.Term
	}
	parts := []part{{nil, m.pool.True(), nil}}
	visible := false
	for _, r := range method.Results {
		var next []part
		var values []term.Value
		switch r.Type.Sort.Kind {
		case term.BitVecKind:
			inexact = true
		case term.BoolKind:
			values = []term.Value{{}, {Lo: 1}}
		case term.EnumKind:
			for i := range r.Type.Sort.Enum.Values {
				values = append(values, term.Value{Lo: uint64(i)})
			}
		}
		for _, p := range parts {
			if values == nil {
				next = append(next, part{append(slices.Clone(p.names), "_"), p.cond, p.visible})
				continue
			}
			visible = true
			for _, v := range values {
				is := map[*term.Term]*term.Term{r.Term: m.pool.Const(r.Type.Sort, v)}
				maps.Copy(is, p.visible)
				next = append(next, part{append(slices.Clone(p.names), r.Type.FormatValue(v)),
					m.pool.And(p.cond, m.pool.Eq(r.Term, is[r.Term])), is})
			}
		}
		parts = next
	}
	for _, p := range parts {
		name := "return"
		if visible {
			name = p.names[0]
			if len(p.names) > 1 {
				name = "(" + strings.Join(p.names, ", ") + ")"
			}
		}
		list = append(list, symOutcome{name: name, cond: p.cond, visible: p.visible})
	}
	return list, inexact
}

// region returns the formula of an abstract state over the state variables.
func (m *modal) region(a int32) *term.Term {
	if a == 0 {
		return m.initial()
	}
	return m.pool.And(m.assumed, m.sym.Invariant, m.cube(m.cubes[a], nil))
}

// initial is the formula of the object before construction.
func (m *modal) initial() *term.Term {
	var eqs []*term.Term
	for _, v := range m.sym.State {
		if v.Init != nil {
			eqs = append(eqs, m.pool.Eq(v.Term, v.Init))
		}
	}
	return m.pool.And(eqs...)
}

// cube is the conjunction of the predicates with the given truth values, after
// a substitution.
func (m *modal) cube(v valuation, sub map[*term.Term]*term.Term) *term.Term {
	return m.valued(m.preds, v, sub)
}

// valued is the conjunction of predicates with the given truth values, after a
// substitution.
func (m *modal) valued(preds []*term.Term, v valuation, sub map[*term.Term]*term.Term) *term.Term {
	lits := make([]*term.Term, len(preds))
	for i, p := range preds {
		if sub != nil {
			p = m.pool.Substitute(p, sub)
		}
		if !v.holds(i) {
			p = m.pool.Not(p)
		}
		lits[i] = p
	}
	return m.pool.And(lits...)
}

func (m *modal) intern(v valuation) int32 {
	id, ok := m.index[v]
	if !ok {
		id = int32(len(m.cubes))
		m.index[v] = id
		m.cubes = append(m.cubes, v)
	}
	return id
}

// step is one unit of the budget.
func (m *modal) step() error {
	m.work++
	m.asked++
	return m.charge()
}

// charge counts the work of the solvers.
func (m *modal) charge() error {
	if m.work += m.meter.more(); m.work > m.limit {
		return &region.BudgetError{What: "solver questions", Limit: m.limit}
	}
	return nil
}

func (m *modal) check(ctx context.Context, ts ...*term.Term) (solve.Result, error) {
	if err := m.step(); err != nil {
		return solve.Result{}, err
	}
	r, err := m.solver.Check(ctx, ts...)
	if err == nil && r.Verdict == solve.Unknown {
		err = &solve.UndecidedError{Reason: r.Reason}
	}
	return r, err
}

// entry is the substitution at the entry of a call: results and locals are
// zero.
func (m *modal) entry(sum *region.Summary) map[*term.Term]*term.Term {
	sub := map[*term.Term]*term.Term{}
	for _, v := range sum.Vars[sum.States:] {
		if !slices.Contains(sum.Method.Params, v) {
			sub[v.Term] = m.pool.Const(v.Type.Sort, term.Value{})
		}
	}
	return sub
}

// after is the substitution of variables by their values at the end of a block.
func after(sum *region.Summary, vals []*term.Term) map[*term.Term]*term.Term {
	sub := make(map[*term.Term]*term.Term, len(vals))
	for i, v := range sum.Vars {
		sub[v.Term] = vals[i]
	}
	return sub
}
