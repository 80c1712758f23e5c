// SPDX-License-Identifier: Apache-2.0

package predabs

// This file is the modal predicate abstraction of a component: abstract states
// are truth values of predicates over the state variables; for each abstract
// state and call it knows what may happen (some state, some arguments, some
// choices) and what must happen (every state, every arguments, some choices).
// A call is a method with a class of arguments, an outcome a class of results
// (describe/guard.go). What is certain is certain for every result of the class: a client
// sees results, and only what holds whichever it saw can be said of the class.
//
// What a call does is computed in effect.go, from the predicates that it
// has to do with (part.go); runs of a call as formulas are in
// unroll.go.
//
// A state of the component may be in several abstract states only if these
// differ; abstract state 0 is the object before construction.

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A symMethod is a method or constructor with the classes of its arguments and
// results. At first its arguments are one class, and its results one for each
// combination of bools and enums, integers left open.
type symMethod struct {
	Sum           *explore.Summary
	Constructor   bool
	Args, Results *describe.Division
	First         []SymOutcome // the first classes of results
	Inexact       bool         // has results that outcomes need not tell apart
}

// A SymCall is a method or constructor with a class of arguments.
type SymCall struct {
	Sum         *explore.Summary
	Constructor bool
	Method      int        // index into methods
	Class       int        // id of the class of arguments
	Guard       *term.Term // its condition, over the parameters
	Outcomes    []SymOutcome
	Letter      int  // number of its first outcome
	Inexact     bool // has results that outcomes need not tell apart
}

// A SymOutcome is a class of results.
type SymOutcome struct {
	Name string     // of the first class of which it is a part
	Base int        // the number of that class
	Id   int        // of the class
	Cond *term.Term // over the result variables
	// visible gives bools and enums their values.
	Visible map[*term.Term]*term.Term
}

// An Effect is what a call does in an abstract state.
type Effect struct {
	May     [][]int32   // by outcome: abstract states, sorted
	Must    [][][]int32 // by outcome: minimal sets, one of which is reached for certain
	MayErr  []*prog.ErrorSite
	MustErr bool
	Part    *PartEffect // from which it was made
}

// Returns reports whether the call may return.
func (e *Effect) Returns() bool {
	return slices.ContainsFunc(e.May, func(m []int32) bool { return len(m) > 0 })
}

// A Valuation gives truth values to a list of predicates, '0' or '1' to each.
type Valuation string

// Holds reports whether the i-th predicate holds.
func (v Valuation) Holds(i int) bool { return v[i] == '1' }

// Pick is the valuation of some of the predicates.
func (v Valuation) Pick(which []int) Valuation {
	b := make([]byte, len(which))
	for k, i := range which {
		b[k] = v[i]
	}
	return Valuation(b)
}

// A MustScope says what of what must happen is asked.
type MustScope int

const (
	MustAll    MustScope = iota
	MustErrors           // only errors, of calls that never return
	MustNone
)

// An Abstraction answers what calls may and must do in abstract states.
type Abstraction struct {
	Spend
	solvers
	memos
	loops
	P       *problem.Problem
	Sym     *explore.Symbolic
	Pool    *term.Pool
	Scope   MustScope
	Assumed *term.Term // of the state before every call and at loop heads: counters do not wrap
	Methods []symMethod
	Ids     int // of classes
	Splits  int // of classes, in all
	Calls   []SymCall
	Letters int
	Preds   []*term.Term
	Cubes   []Valuation // abstract state -> truth values of preds; the first is not used
}

// solvers are those that an abstraction asks.
type solvers struct {
	Solver solve.Solver
	// Two more for exists-forall questions.
	Propose, Refute solve.Solver
	inner           solve.Solver // one more for guesses; nil: not needed yet
}

// memos are the tables of what was computed. The first three are of the present predicates.
type memos struct {
	index      map[Valuation]int32
	Memo       map[[2]int32]*Effect
	plans      []*plan // by call
	parts      map[string]*PartEffect
	footprints map[*explore.Summary]*footprint
	unrollings map[unrollKey]Unrolling
	guessed    map[*term.Term]*term.Term // guesses in unrolled runs, and what is known of each
}

// loops is what is known of loops.
type loops struct {
	HeadPreds map[HeadKey][]*term.Term // at loop heads, over all variables of the method
	Rankings  map[*explore.Summary][]*Ranking
	Covered   map[*explore.Summary]bool // every unrolled run that errs satisfies a ranking's condition
}

// New is an abstraction without predicates, of which each method has one class of arguments.
func New(p *problem.Problem) *Abstraction { return NewAsking(p, MustAll) }

// NewAsking is New, of which less is asked.
func NewAsking(p *problem.Problem, scope MustScope) *Abstraction {
	m := &Abstraction{P: p, Scope: scope, Sym: explore.NewSymbolic(p.Program), Pool: p.Program.Pool,
		Spend:   Spend{Limit: p.Questions()},
		solvers: solvers{Solver: p.Solver(), Propose: p.Solver(), Refute: p.Solver()},
		memos: memos{parts: map[string]*PartEffect{}, footprints: map[*explore.Summary]*footprint{},
			unrollings: map[unrollKey]Unrolling{}, guessed: map[*term.Term]*term.Term{}},
		loops: loops{HeadPreds: map[HeadKey][]*term.Term{}}}
	m.meter.Solvers = []solve.Solver{m.Solver, m.Propose, m.Refute}
	m.Propose, m.Refute = Metered{m.Propose, m.charge}, Metered{m.Refute, m.charge}
	add := func(sum *explore.Summary, constructor bool) {
		x := symMethod{Sum: sum, Constructor: constructor}
		x.First, x.Inexact = m.Outcomes(sum.Method)
		var conds []*term.Term
		for _, o := range x.First {
			conds = append(conds, o.Cond)
		}
		x.Args = describe.NewDivision(m.Pool, &m.Ids, sum.Method.Params, nil)
		x.Results = describe.NewDivision(m.Pool, &m.Ids, sum.Method.Results, nil, conds...)
		m.Methods = append(m.Methods, x)
	}
	for _, s := range m.Sym.Constructors {
		add(s, true)
	}
	for _, s := range m.Sym.Methods {
		add(s, false)
	}
	m.Assumed = m.Pool.True()
	if p.NoWrap {
		for _, v := range prog.Counters(p.Program) {
			m.Assumed = m.Pool.And(m.Assumed, prog.InRange(p.Program, v))
		}
	}
	m.Alphabet()
	m.Reset()
	return m
}

// CallOf is the call and the outcome of a letter.
func (m *Abstraction) CallOf(letter int) [2]int {
	for k := range m.Calls {
		if letter < m.Calls[k].Letter+len(m.Calls[k].Outcomes) {
			return [2]int{k, letter - m.Calls[k].Letter}
		}
	}
	panic("predabs: no such letter")
}

// Alphabet makes the calls and letters of the present classes.
func (m *Abstraction) Alphabet() {
	m.Calls, m.Letters = nil, 0
	for k := range m.Methods {
		x := &m.Methods[k]
		var outcomes []SymOutcome
		for _, o := range x.Results.Classes {
			out := x.First[o.Base]
			out.Base, out.Id, out.Cond = o.Base, o.Id, o.Cond
			outcomes = append(outcomes, out)
		}
		for _, c := range x.Args.Classes {
			m.Calls = append(m.Calls, SymCall{Sum: x.Sum, Constructor: x.Constructor, Method: k, Class: c.Id, Guard: c.Cond,
				Outcomes: outcomes, Letter: m.Letters, Inexact: x.Inexact})
			m.Letters += len(outcomes)
		}
	}
}

// Close closes the solvers.
func (m *Abstraction) Close() {
	for _, s := range []solve.Solver{m.Solver, m.Propose, m.Refute} {
		s.Close()
	}
	if m.inner != nil {
		m.inner.Close()
	}
}

// Reset forgets everything but the predicates, and what parts of them said.
func (m *Abstraction) Reset() {
	m.Cubes = []Valuation{""}
	m.index = map[Valuation]int32{}
	m.Memo = map[[2]int32]*Effect{}
	m.plans = make([]*plan, len(m.Calls))
}

// Outcomes lists the outcomes of a method before any is split, and reports whether
// it has results that these do not tell apart.
func (m *Abstraction) Outcomes(method *prog.Method) (list []SymOutcome, inexact bool) {
	type part struct {
		names   []string
		cond    *term.Term
		visible map[*term.Term]*term.Term
	}
	parts := []part{{nil, m.Pool.True(), nil}}
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
				is := map[*term.Term]*term.Term{r.Term: m.Pool.Const(r.Type.Sort, v)}
				maps.Copy(is, p.visible)
				next = append(next, part{append(slices.Clone(p.names), r.Type.FormatValue(v)),
					m.Pool.And(p.cond, m.Pool.Eq(r.Term, is[r.Term])), is})
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
		list = append(list, SymOutcome{Name: name, Cond: p.cond, Visible: p.visible})
	}
	return list, inexact
}

// Region returns the formula of an abstract state over the state variables.
func (m *Abstraction) Region(a int32) *term.Term {
	if a == 0 {
		return m.initial()
	}
	return m.Pool.And(m.Assumed, m.Sym.Invariant, m.Cube(m.Cubes[a], nil))
}

// initial is the formula of the object before construction.
func (m *Abstraction) initial() *term.Term {
	var eqs []*term.Term
	for _, v := range m.Sym.State {
		if v.Init != nil {
			eqs = append(eqs, m.Pool.Eq(v.Term, v.Init))
		}
	}
	return m.Pool.And(eqs...)
}

// Cube is the conjunction of the predicates with the given truth values, after
// a substitution.
func (m *Abstraction) Cube(v Valuation, sub map[*term.Term]*term.Term) *term.Term {
	return m.Valued(m.Preds, v, sub)
}

// Valued is the conjunction of predicates with the given truth values, after a
// substitution.
func (m *Abstraction) Valued(preds []*term.Term, v Valuation, sub map[*term.Term]*term.Term) *term.Term {
	lits := make([]*term.Term, len(preds))
	for i, p := range preds {
		if sub != nil {
			p = m.Pool.Substitute(p, sub)
		}
		if !v.Holds(i) {
			p = m.Pool.Not(p)
		}
		lits[i] = p
	}
	return m.Pool.And(lits...)
}

// Intern returns the abstract state with these truth values.
func (m *Abstraction) Intern(v Valuation) int32 {
	id, ok := m.index[v]
	if !ok {
		id = int32(len(m.Cubes))
		m.index[v] = id
		m.Cubes = append(m.Cubes, v)
	}
	return id
}

// Check asks whether conditions can hold together. Without an answer the error is a solve.UndecidedError.
func (m *Abstraction) Check(ctx context.Context, ts ...*term.Term) (solve.Result, error) {
	if err := m.Step(ctx); err != nil {
		return solve.Result{}, err
	}
	r, err := m.Solver.Check(ctx, ts...)
	if err == nil && r.Verdict == solve.Unknown {
		err = &solve.UndecidedError{Reason: r.Reason}
	}
	return r, err
}

// Entry is the substitution at the entry of a call: results and locals are
// zero.
func (m *Abstraction) Entry(sum *explore.Summary) map[*term.Term]*term.Term {
	sub := map[*term.Term]*term.Term{}
	for _, v := range sum.Vars[sum.States:] {
		if !slices.Contains(sum.Method.Params, v) {
			sub[v.Term] = m.Pool.Const(v.Type.Sort, term.Value{})
		}
	}
	return sub
}

// After is the substitution of variables by their values at the end of a block.
func After(sum *explore.Summary, vals []*term.Term) map[*term.Term]*term.Term {
	sub := make(map[*term.Term]*term.Term, len(vals))
	for i, v := range sum.Vars {
		sub[v.Term] = vals[i]
	}
	return sub
}

// Start gives an abstraction its first classes and predicates.
func (m *Abstraction) Start(s *problem.Seeds) {
	for k, guards := range s.Guards {
		x := &m.Methods[k]
		x.Args = describe.NewDivision(m.Pool, &m.Ids, x.Sum.Method.Params, nil, guards...)
	}
	m.Preds = append(m.Preds, s.Preds...)
	m.Alphabet()
	m.Reset()
}
