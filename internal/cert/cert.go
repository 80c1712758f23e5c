// SPDX-License-Identifier: Apache-2.0

// Package cert checks certificates of interfaces. It derives proof obligations
// from the program, the interface and the certificate, and asks a solver about
// each; it knows no engine, and has its own encoding of methods, so that a
// mistake of an engine is not repeated by its judge.
//
// A certificate unfolds the automaton into NODES. By induction on the length of
// a word that can happen and follows edges of nodes, the obligations give: every
// component state that is CURRENT (some run of the word ends in it) satisfies the
// LABEL of the node, and each SET of the node contains a current state. Every word
// that can happen and makes only calls that are not forbidden has such edges, and
// the node it reaches stands for the state of the interface that the word
// reaches. So an allowed call that errs from no state of the label is safe, and a
// forbidden call that errs from every state of some set is rightly forbidden.
//
// The KINDS of obligations:
//
//	form     the certificate speaks of this program and interface, and is complete
//	guards   the guards of a method cover its arguments and do not overlap, and no
//	         arguments satisfy that of a call which cannot be made in a state
//	init     initial states satisfy the label of the first node
//	base     a set of the first node contains an initial state
//	head     a loop invariant holds when its head is reached
//	safe     an allowed call reaches no error
//	fails    a call that fails does not return
//	returns  a call that may fail can return from a label of its state
//	cover    every return of a call belongs to an edge of the node and to an outcome
//	edge     the interface leads to the state for which the next node stands
//	step     a return over an edge satisfies the label of the next node
//	register a register of the next state has the value of its state variable
//	all      a return over an edge ends in the set
//	must     each state of the source's set can return over the edge into the set,
//	         with any results that the client can have seen
//	evidence some set is evidence for a forbidden call, whatever the arguments
//	errs     a forbidden call can err from each state of the set
//	ranking  a call errs in some run if a condition holds, because its loops cannot go on for ever (ranking.go)
//	tight    an edge can be taken from each state of the label, or of a set (tight.go)
//	ends     or, if its loops end by convention: it errs or stays in a loop
//
// "Can" is for every state and every argument: some choices. Runs through loops
// count there only as far as they are unrolled or have rankings, which can only lose a proof.
// Everywhere else loops are cut at their heads by invariants, and nothing is lost.
//
// Under a CONVENTION that the interface lists only those words count of which
// every run satisfies it: what it says of states is derived from the program, and
// assumed of every state before a call after construction and at every loop head.
// What the program PROMISES, its invariants, is assumed of every state before a call
// after construction.
package cert

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A Verdict says whether an obligation holds. The zero value is Unknown.
type Verdict uint8

const (
	Unknown Verdict = iota
	Proved
	Refuted
)

func (v Verdict) String() string {
	switch v {
	case Proved:
		return "proved"
	case Refuted:
		return "refuted"
	}
	return "unknown"
}

// An Obligation is a fact that a certificate needs.
type Obligation struct {
	Kind string
	Name string // kind, node, call, ...: unique in a report
	What string // the claim, for people

	// Assume is satisfiable with, for each Instance, the negation of Goal
	// under it, iff there is a counterexample. Without a Goal, Assume alone.
	// Goal is over the variables of Assume and over Choices.
	Assume  []*term.Term
	Goal    *term.Term
	Choices []*term.Term
	// Expect is Unsat but for obligations that something exists.
	Expect solve.Verdict

	Verdict   Verdict
	Detail    string                      // of a refutation or an unknown: why
	Instances []map[*term.Term]*term.Term // choices that suffice, if proved
}

// Query returns the obligation as a conjunction without quantifiers, which has
// the expected answer iff it is proved; choices are those that were found.
func (o *Obligation) Query(pool *term.Pool) []*term.Term {
	q := slices.Clone(o.Assume)
	for _, c := range o.Instances {
		q = append(q, pool.Not(pool.Substitute(o.Goal, c)))
	}
	return q
}

// A Report lists the obligations, in the order of nodes and calls.
type Report struct {
	Obligations []Obligation
	Assumed     []string // conventions under which they are derived
	pool        *term.Pool
}

// Claims reports whether the interface is proved safe and permissive: whether every
// obligation is proved but perhaps those of tightness.
func (r *Report) Claims() bool {
	for k := range r.Obligations {
		if o := &r.Obligations[k]; o.Kind != "tight" && o.Verdict != Proved {
			return false
		}
	}
	return len(r.Obligations) > 0
}

// Tight says whether the interface is proved tight. It is Unknown if nothing was asked.
func (r *Report) Tight() Verdict {
	v := Unknown
	for k := range r.Obligations {
		if o := &r.Obligations[k]; o.Kind == "tight" {
			if o.Verdict != Proved {
				return o.Verdict
			}
			v = Proved
		}
	}
	return v
}

// OK reports whether every obligation is proved.
func (r *Report) OK() bool {
	return len(r.Obligations) > 0 && r.First() == nil
}

// First returns the first obligation that is refuted, else the first that is
// unknown, else nil.
func (r *Report) First() *Obligation {
	var first *Obligation
	for k := range r.Obligations {
		switch o := &r.Obligations[k]; o.Verdict {
		case Refuted:
			return o
		case Unknown:
			if first == nil {
				first = o
			}
		}
	}
	return first
}

// Count returns the number of obligations with the verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for k := range r.Obligations {
		if r.Obligations[k].Verdict == v {
			n++
		}
	}
	return n
}

// Options say how to check.
type Options struct {
	// First stops at the first obligation that is not proved.
	First bool
	// Rounds bounds the choices tried for one obligation; 0 is DefaultRounds.
	Rounds int
	// Terms bounds the terms that are made for all obligations, and a part of those that substitutions
	// look at; 0 is no bound. The check ends then, with an obligation that is not decided.
	Terms int
	// Work bounds what solvers do that count it (Work), in the same way; 0 is no bound.
	Work int64
}

// DefaultRounds is the number of choices tried if the options do not say.
const DefaultRounds = 1000

// solverLife is the number of questions after which a new solver is made, so
// that what an old one remembers does not pile up.
const solverLife = 256

// Check derives and decides all obligations of the certificate of i. The error
// is for failures of the machinery; a certificate that is wrong or missing is a
// report with an obligation that is refuted.
func Check(ctx context.Context, p *prog.Program, i *typestate.Interface, solver func() (solve.Solver, error), opt Options) (*Report, error) {
	if opt.Rounds == 0 {
		opt.Rounds = DefaultRounds
	}
	c := &checker{prog: p, pool: p.Pool, terms: p.Pool.Len(), rewrites: p.Pool.Rewrites(), iface: i, newSolver: solver, opt: opt, report: &Report{pool: p.Pool}, assumed: p.Pool.True(), promised: p.Pool.And(p.Invariants...)}
	defer c.close()
	err := c.run(ctx)
	if err == errStop {
		err = nil
	}
	return c.report, err
}

// errStop ends a check that was asked to stop early. It does not leave Check.
var errStop = fmt.Errorf("cert: stop")

type checker struct {
	prog      *prog.Program
	pool      *term.Pool
	terms     int // of the pool, before the check
	rewrites  int // as well
	iface     *typestate.Interface
	newSolver func() (solve.Solver, error)
	opt       Options
	report    *Report

	solvers [2]solve.Solver
	asked   int
	fresh   int
	work    int64 // of solvers that are closed

	codes    map[*prog.Method]*code
	assumed  *term.Term   // of states, by the conventions
	promised *term.Term   // of states before method calls, by the program
	calls    [2][]*callee // after and before construction

	memory   memory
	nodes    []node
	rankings []ranking
}

// working is what the solvers at hand have done.
func (c *checker) working() (work int64) {
	for _, s := range c.solvers {
		if w, ok := s.(interface{ Work() int64 }); ok {
			work += w.Work()
		}
	}
	return work
}

func (c *checker) close() {
	c.work += c.working()
	for k, s := range c.solvers {
		if s != nil {
			s.Close()
			c.solvers[k] = nil
		}
	}
}

func (c *checker) solver() (propose, refute solve.Solver, err error) {
	if c.asked >= solverLife {
		c.close()
		c.asked = 0
	}
	c.asked++
	for k := range c.solvers {
		if c.solvers[k] == nil {
			if c.solvers[k], err = c.newSolver(); err != nil {
				return nil, nil, err
			}
		}
	}
	return c.solvers[0], c.solvers[1], nil
}

// rewriteShare is how many terms that substitutions look at count as one that is made.
const rewriteShare = 64

// over returns why no other question is asked; "" if it is.
func (c *checker) over() string {
	if c.opt.Work > 0 && c.work+c.working() > c.opt.Work {
		return "the budget of the solvers is used up"
	}
	if c.opt.Terms == 0 || c.pool.Len()-c.terms+(c.pool.Rewrites()-c.rewrites)/rewriteShare <= c.opt.Terms {
		return ""
	}
	return fmt.Sprintf("the budget of %d terms is used up", c.opt.Terms)
}

// add decides an obligation and puts it into the report.
func (c *checker) add(ctx context.Context, o Obligation) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if o.Expect == solve.Unknown {
		o.Expect = solve.Unsat
	}
	if o.Detail = c.over(); o.Detail != "" {
		c.report.Obligations = append(c.report.Obligations, o)
		return errStop // to write down the others would take as long
	}
	var err error
	if o.Goal != nil {
		err = c.decideChoices(ctx, &o)
	} else {
		err = c.decide(ctx, &o)
	}
	if err != nil {
		return fmt.Errorf("obligation %s: %w", o.Name, err)
	}
	return c.put(o)
}

func (c *checker) put(o Obligation) error {
	c.report.Obligations = append(c.report.Obligations, o)
	if c.opt.First && o.Verdict != Proved {
		return errStop
	}
	return nil
}

// form adds an obligation about the form of the certificate.
func (c *checker) form(ok bool, name, what string, args ...any) error {
	o := Obligation{Kind: "form", Name: "form " + name, What: fmt.Sprintf(what, args...), Expect: solve.Unsat, Assume: []*term.Term{c.pool.False()}, Verdict: Proved}
	if !ok {
		o.Verdict, o.Detail, o.Assume = Refuted, "it is not so", []*term.Term{c.pool.True()}
	}
	return c.put(o)
}

func (c *checker) decide(ctx context.Context, o *Obligation) error {
	all := c.pool.And(o.Assume...)
	if all.IsFalse() && o.Expect == solve.Unsat {
		o.Verdict = Proved
		return nil
	}
	s, _, err := c.solver()
	if err != nil {
		return err
	}
	r, err := s.Check(ctx, all)
	if err != nil {
		return err
	}
	c.judge(o, r)
	return nil
}

func (c *checker) judge(o *Obligation, r solve.Result) {
	switch {
	case r.Verdict == solve.Unknown:
		o.Detail = r.Reason
	case r.Verdict == o.Expect:
		o.Verdict = Proved
	case r.Verdict == solve.Sat:
		o.Verdict, o.Detail = Refuted, "not so for "+c.model(o.Assume, r.Model)
	default:
		o.Verdict, o.Detail = Refuted, "there is none"
	}
}

// decideChoices asks for values of the variables for which no choice does.
// Choices that do for one are tried for all, as constants and as terms over the
// given values: either some values are left for
// which none of the choices so far does, or these suffice. (Counterexample-guided
// instantiation; the solvers' own quantifiers were not used because the choices
// found are the evidence that others can check without quantifiers.)
func (c *checker) decideChoices(ctx context.Context, o *Obligation) error {
	propose, refute, err := c.solver()
	if err != nil {
		return err
	}
	choice := map[*term.Term]bool{}
	for _, v := range o.Choices {
		choice[v] = true
	}
	propose.Push()
	defer propose.Pop()
	propose.Assert(c.pool.And(o.Assume...))
	vars := term.FreeVars(o.Goal)
	// Choices are most likely to be results that were seen.
	var given []*term.Term
	for _, v := range vars {
		if strings.HasPrefix(v.Name(), hidden+"result ") {
			given = append(given, v)
		}
	}
	for _, v := range vars {
		if !choice[v] && !slices.Contains(given, v) {
			given = append(given, v)
		}
	}
	for range c.opt.Rounds {
		if o.Detail = c.over(); o.Detail != "" {
			return nil
		}
		r, err := propose.Check(ctx)
		if err != nil {
			return err
		}
		switch r.Verdict {
		case solve.Unknown:
			o.Detail = r.Reason
			return nil
		case solve.Unsat:
			o.Verdict = Proved
			return nil
		}
		fix := map[*term.Term]*term.Term{}
		for _, v := range vars {
			if !choice[v] {
				fix[v] = c.pool.Const(v.Sort(), r.Model[v])
			}
		}
		q, err := refute.Check(ctx, c.pool.Substitute(o.Goal, fix))
		if err != nil {
			return err
		}
		switch q.Verdict {
		case solve.Unknown:
			o.Detail = q.Reason
			return nil
		case solve.Unsat:
			o.Verdict, o.Detail = Refuted, "no choices do for "+c.model(append(slices.Clone(o.Assume), o.Goal), r.Model)
			return nil
		}
		inst := map[*term.Term]*term.Term{}
		for _, v := range o.Choices {
			inst[v] = c.pool.Const(v.Sort(), q.Model[v])
		}
		use := func(inst map[*term.Term]*term.Term) {
			o.Instances = append(o.Instances, inst)
			propose.Assert(c.pool.Not(c.pool.Substitute(o.Goal, inst)))
		}
		use(inst)
		if terms := maps.Clone(inst); solve.Generalize(c.pool, terms, given, r.Model) {
			use(terms)
		}
	}
	o.Detail = fmt.Sprintf("no answer after %d choices", c.opt.Rounds)
	return nil
}

// model writes the values of program variables, in the order of their age.
func (c *checker) model(ts []*term.Term, m term.Model) string {
	var parts []string
	for _, v := range term.FreeVars(ts...) {
		if val, ok := m[v]; ok && !strings.HasPrefix(v.Name(), "\x00") {
			parts = append(parts, v.Name()+" = "+term.FormatValue(v.Sort(), val, true))
		}
	}
	if len(parts) == 0 {
		return "any values"
	}
	return strings.Join(parts, ", ")
}
