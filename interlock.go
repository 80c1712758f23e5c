// SPDX-License-Identifier: Apache-2.0

package interlock

// This file wires front end and engine together.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/papers"
	"github.com/interlock-go/interlock/internal/engine/parts"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

// A Config says what to synthesize the interface of, and how. Its zero value
// plus a Source is useful.
type Config struct {
	// Filename is used in positions only; Source is the text of an open
	// program (doc/format.md).
	Filename string
	Source   []byte

	Engine  string // see Engines; "" is "auto"
	Learner string // see Learners; "" is "lstar"

	// Predicates are conditions over the state variables of the component, in
	// the text form: the abstraction of engine abstract, and what engine witness
	// starts with. Superset is how engine abstract asks whether a hypothesis
	// allows enough, see Supersets.
	Predicates []string
	Superset   string

	// Depth, if positive, is for engine symbolic: its conjecture is compared with
	// all words of that many calls after the constructor, and no more is claimed.
	Depth int
	// Prover is what finds the invariants of certificates, see Provers; "" is
	// "embedded".
	Prover string

	// Serial is the infinite-word reading: calls that lead to states from
	// which every continuation errs are forbidden too.
	Serial bool
	// Compare is for SplitErrors and Partition: build the product of the parts and
	// the undivided interface, which may be exponentially larger, and compare them.
	Compare bool
	// Tight keeps states apart that differ only in which outcomes can happen.
	Tight bool
	// NoWrap is a convention: a counter of 32 bits or more, set only to constants
	// and changed only by constant steps, is assumed not to come near the ends of its
	// range. Engine cegar uses it, and the interface lists the counters.
	NoWrap bool
	// Ends is a convention: where no ranking function shows that the loops of a method end, they are assumed to, if
	// a call then errs that some run shows to err. The engines with predicates use it, and the interface lists the methods.
	Ends bool
	// Width, if positive, narrows every integer type to that many bits.
	Width int
	// Budget bounds the work, in steps that are the same on every machine;
	// 0 is DefaultBudget.
	Budget int
	// Workers is the number of goroutines that explore states; 0 is one per
	// processor. The result does not depend on it.
	Workers int
	// KeepAll explores also variables that cannot matter.
	KeepAll bool
	// Certificate keeps the evidence for the guarantees in the interface. It is
	// checked in any case; an interface is smaller without.
	Certificate bool
	// Uses reads the interface files that the component names in "uses" lines;
	// nil: it must not have any.
	Uses func(file string) (*typestate.Interface, error)
	// Progress, if not nil, is told from time to time what goes on.
	Progress func(phase string, count int)

	// Of programs lowered from code, of which there are many for one type: what each may
	// spend beside Budget, and that the front end says what may be claimed of guesses.
	refinements int   // see problem.Problem
	conflicts   int64 // of the solver in one question; 0 is solverConflicts
	lowered     bool
	memory      memory // of programs of one Go type, or nil
	effort      *effort
	apart       bool
	plain       bool // see problem.Problem
}

// DefaultBudget is the budget of a Config that does not say.
const DefaultBudget = problem.DefaultBudget

// solverConflicts bounds the search for one answer of the embedded solver;
// quickConflicts that of attempts, codeConflicts where another program follows.
const (
	solverConflicts = 100_000
	quickConflicts  = 1_000
	codeConflicts   = 4_000 // of programs lowered from code
)

// ErrUndecided is wrapped by errors that say the budget ran out: there is no
// answer, and a larger budget (or a narrower component) may give one.
var ErrUndecided = errors.New("undecided")

// ErrPredicate is wrapped by errors about one of Config.Predicates.
var ErrPredicate = errors.New("wrong predicate")

type wrongPredicate struct{ error }

func (w wrongPredicate) Is(target error) bool { return target == ErrPredicate }
func (w wrongPredicate) Unwrap() error        { return w.error }

type undecided struct{ error }

func (u undecided) Is(target error) bool { return target == ErrUndecided }
func (u undecided) Unwrap() error        { return u.error }

// Synthesize computes the minimal safe and permissive interface of a component.
func Synthesize(ctx context.Context, c Config) (*typestate.Interface, error) {
	if _, err := c.prover(); err != nil {
		return nil, err
	}
	p, used, err := c.parse()
	if err != nil {
		return nil, err
	}
	defer func() { c.effort.terms(p.Pool) }()
	i, err := engine.Synthesize(ctx, c.problem(p))
	if err != nil {
		return nil, classified(err)
	}
	if err := certify(ctx, p, i, c); err != nil {
		return nil, err
	}
	if !c.lowered {
		limitGuesses(p, i)
	}
	nameResults(p, i, c.lowered)
	return i, used.limit(i)
}

// nameResults says what the parts of outcomes are, where readers can say them shorter with it: of
// several results, and in code, where the front end knows more of them.
func nameResults(p *prog.Program, i *typestate.Interface, code bool) {
	for _, m := range p.Methods {
		var returns []typestate.Register
		for _, r := range m.Results {
			returns = append(returns, typestate.Register{Name: r.Name, Type: r.Type.String()})
		}
		for k := range i.Calls {
			if c := &i.Calls[k]; c.Method == m.Name && (code || len(returns) > 1) {
				c.Returns = slices.Clone(returns)
			}
		}
	}
}

// limitGuesses weakens what is claimed of a program that guesses values: calls that may fail
// perhaps do not.
func limitGuesses(p *prog.Program, i *typestate.Interface) {
	guesses := slices.ContainsFunc(slices.Concat(p.Constructors, p.Methods), func(m *prog.Method) bool {
		return slices.ContainsFunc(m.Edges, func(e prog.Edge) bool { return e.Origin == prog.Guess })
	})
	doubtful := slices.ContainsFunc(i.Forbidden, func(f typestate.Forbidden) bool { return f.Verdict == "may-fail" && !f.Sure }) ||
		slices.ContainsFunc(i.Constructors, func(c typestate.Constructor) bool { return c.Verdict == "may-fail" && !c.Sure })
	if guesses && doubtful && i.Guarantees.Permissive != typestate.GuaranteeNo {
		i.Guarantees.Permissive = typestate.GuaranteeUnknown
		i.Guarantees.Reason = "calls that may fail with some guesses perhaps never fail"
	}
}

// problem is what the engines are asked for a program.
func (c Config) problem(p *prog.Program) problem.Problem {
	workers := c.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	conflicts := cmp.Or(c.conflicts, solverConflicts)
	return problem.Problem{
		Program: p,
		Engine:  c.Engine,
		Learner: c.Learner,
		Serial:  c.Serial,
		Tight:   c.Tight,
		Apart:   c.apart,
		Plain:   c.plain,
		NoWrap:  c.NoWrap,
		Ends:    c.Ends,
		Budget:  c.Budget,
		Workers: workers,
		KeepAll: c.KeepAll,

		Certificate: c.Certificate || c.Prover == "spacer",
		Predicates:  c.Predicates,
		Superset:    c.Superset,
		Depth:       c.Depth,
		Refinements: c.refinements,

		Solver:   func() solve.Solver { return c.solver(conflicts) },
		Progress: c.Progress,

		QuickSolver: func() solve.Solver { return c.solver(quickConflicts) },
	}
}

// classified marks the errors that callers tell apart.
func classified(err error) error {
	var wrong *predabs.PredicateError
	switch {
	case problem.Undecided(err):
		return undecided{err}
	case errors.As(err, &wrong):
		return wrongPredicate{err}
	}
	return err
}

// certify has the judge check an interface, and says "proved" only of what it has
// checked. It looks at the certificate, or if there is none follows all runs of the
// component. What it has not checked is claimed, with the reason.
func certify(ctx context.Context, p *prog.Program, i *typestate.Interface, c Config) error {
	if command, err := c.prover(); err != nil {
		return err
	} else if command.Path != "" {
		if c.Progress != nil {
			c.Progress("asking Spacer", len(i.States))
		}
		if err := spacer(ctx, p, i, command); err != nil {
			return err
		}
	}
	if c.Progress != nil {
		c.Progress("judging the interface", len(i.States))
	}
	if i.Guarantees.Depth != nil {
		return c.extend(ctx, p, i)
	}
	r, err := c.judge(ctx, p, i)
	if err != nil {
		return fmt.Errorf("judging the interface: %w", err)
	}
	if !r.Claims() {
		notProved(i, r, i.Certificate != nil)
	} else if i.Certificate != nil {
		if err := unassume(ctx, p, i, c); err != nil {
			return err
		}
	}
	if i.Guarantees.Tight == typestate.TightYes {
		i.Guarantees.Tight = tightness(r)
	}
	if !c.Certificate {
		i.Certificate = nil
	}
	return i.Canonicalize()
}

// judge asks the judge about an interface.
func (c Config) judge(ctx context.Context, p *prog.Program, i *typestate.Interface) (*cert.Report, error) {
	if i.Certificate == nil {
		steps := int64(0)
		if c.effort != nil {
			steps = codeEnumeration
		}
		return cert.Enumerate(ctx, p, i, steps)
	}
	r, err := cert.Check(ctx, p, i, c.newSolver, c.checking(false))
	if err != nil || c.effort != nil {
		return r, err
	}
	return second(ctx, p, i, r)
}

// extend has the judge look at an interface that an engine has checked to some depth
// only, because it could not prove more: perhaps it holds for all words.
func (c Config) extend(ctx context.Context, p *prog.Program, i *typestate.Interface) error {
	if c.Depth > 0 || c.effort != nil {
		return nil
	}
	r, err := cert.Enumerate(ctx, p, i, 0)
	if err != nil {
		return fmt.Errorf("judging the interface: %w", err)
	}
	if r.Claims() {
		i.Guarantees.Safe, i.Guarantees.Permissive, i.Guarantees.Depth = typestate.GuaranteeProved, typestate.GuaranteeProved, nil
	}
	return i.Canonicalize()
}

// codeEnumeration bounds the enumeration of a program of Go code, of which there are many for
// one type; it takes a fraction of a second.
const codeEnumeration = 1 << 20

// tightness is what is known of an interface that an engine says is tight.
func tightness(r *cert.Report) string {
	switch {
	case r.Tight() == cert.Proved:
		return typestate.TightYes
	case r.Tight() == cert.Refuted:
		return typestate.GuaranteeNo
	}
	return typestate.GuaranteeClaimed
}

// notProved weakens what is claimed of an interface that the judge did not find proved. What is
// not decided is what the engine claims. A certificate that is refuted is no evidence at
// all. Enumeration refutes the interface itself.
func notProved(i *typestate.Interface, r *cert.Report, certificate bool) {
	g := &i.Guarantees
	first, unknown, refuted := r.First(), r.Count(cert.Unknown), r.Count(cert.Refuted)
	claim := typestate.GuaranteeClaimed
	switch {
	case refuted > 0 && certificate:
		claim = typestate.GuaranteeUnknown
		g.Reason = fmt.Sprintf("the judge refuted %d of the %d obligations of the certificate", refuted, len(r.Obligations))
	case refuted > 0:
		claim = typestate.GuaranteeNo
		g.Reason = fmt.Sprintf("the judge refutes it: %s: %s", first.What, first.Detail)
	case certificate:
		g.Reason = fmt.Sprintf("the judge did not decide %d of the %d obligations of the certificate", unknown, len(r.Obligations))
	case first != nil:
		g.Reason = "there is no certificate, and " + first.Detail
	}
	for _, s := range []*string{&g.Safe, &g.Permissive} {
		if *s != typestate.GuaranteeOpen || claim != typestate.GuaranteeClaimed {
			*s = parts.Least(*s, claim)
		}
	}
	if certificate {
		i.Stats["obligationsRefuted"], i.Stats["obligationsUnknown"] = int64(refuted), int64(unknown)
	}
}

// checking says how a certificate is checked, up to the first obligation that is not proved if only that
// matters. That of a program of Go code may take only so long.
func (c Config) checking(first bool) cert.Options {
	opt := cert.Options{First: first}
	if c.effort != nil {
		opt.Terms, opt.Work = certificateTerms, c.effort.limit/certificateShare*propagations
	}
	return opt
}

// unassume drops the conventions without which the certificate passes too: an
// engine assumes them from the start and does not know which it needed.
func unassume(ctx context.Context, p *prog.Program, i *typestate.Interface, c Config) error {
	all := i.Conventions
	for k := 0; k < len(all); {
		fewer := slices.Delete(slices.Clone(all), k, k+1)
		i.Conventions = fewer
		r, err := cert.Check(ctx, p, i, c.newSolver, c.checking(true))
		if err != nil {
			return fmt.Errorf("checking the certificate: %w", err)
		}
		if r.Claims() {
			all = fewer
		} else {
			k++
		}
	}
	i.Conventions = all
	return nil
}

// newSolver is a solver for the judge.
func (c Config) newSolver() (solve.Solver, error) { return c.solver(solverConflicts), nil }

// solver is an embedded solver whose work counts.
func (c Config) solver(conflicts int64) solve.Solver {
	return bv.New(bv.Options{Conflicts: conflicts, Done: c.effort.solver})
}

// A Choice is one value of an option.
type Choice struct{ Name, Doc string }

// Engines lists the engines, the default first.
func Engines() []Choice {
	var out []Choice
	for _, e := range engine.Engines() {
		out = append(out, Choice{e.Name, e.Doc})
	}
	return out
}

// Supersets lists the superset questions of engine abstract, the default first.
func Supersets() []string { return papers.Supersets() }

// Learners lists the learners of engine learn, the default first.
func Learners() []Choice {
	var out []Choice
	for _, l := range explicit.Learners() {
		out = append(out, Choice{l.Name, l.Doc})
	}
	return out
}
