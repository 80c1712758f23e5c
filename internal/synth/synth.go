// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"context"
	"runtime"
	"slices"

	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

// A Strategy says how interfaces are synthesized. The zero value is engine auto with nothing assumed.
type Strategy struct {
	Engine, Learner string   // names; "" is the first of engine.Engines, learn.Learners
	Predicates      []string // see problem.Problem
	Superset        string   // see problem.Problem
	Depth           int      // see problem.Problem
	Prover          string   // what finds the invariants of certificates: Embedded or Spacer; "" is Embedded

	Serial bool // the infinite-word reading
	Tight  bool // keep apart states that differ only in which outcomes can happen
	NoWrap bool // a convention: counters do not come near the ends of their range
	Ends   bool // a convention: loops of which that is not known end

	KeepAll     bool // explore also variables that cannot matter
	Certificate bool // keep the evidence in the interface
	Workers     int  // goroutines that explore; 0 is one per processor. The result does not depend on it
	Progress    func(phase string, count int)
}

// Report tells what goes on to whoever asked for it.
func (s *Strategy) Report(phase string, count int) {
	if s.Progress != nil {
		s.Progress(phase, count)
	}
}

// A Task is a strategy with what one program may spend.
type Task struct {
	Strategy
	Budget int   // in steps; 0 is problem.DefaultBudget
	Code   *Code // nil: the program was not lowered from code
}

// Code is what a task has for a program that was lowered from code, of which there are many for one type. The front
// end says what may be claimed of guesses, and another program follows where this one is not decided.
type Code struct {
	Refinements  int     // see problem.Problem
	Apart, Plain bool    // see problem.Problem
	Effort       *Effort // of the type
}

// effort counts what the task does; nil for nothing.
func (t *Task) effort() *Effort {
	if t.Code == nil {
		return nil
	}
	return t.Code.Effort
}

// Synthesize computes the minimal safe and permissive interface of a program.
func (t *Task) Synthesize(ctx context.Context, p *Program) (*typestate.Interface, error) {
	if _, err := t.prover(); err != nil {
		return nil, err
	}
	defer func() { t.effort().terms(p.Pool) }()
	i, err := engine.Synthesize(ctx, t.problem(p.Program))
	if err != nil {
		return nil, undecided(err)
	}
	if err := t.certify(ctx, p.Program, i); err != nil {
		return nil, err
	}
	if t.Code == nil {
		limitGuesses(p.Program, i)
	}
	nameResults(p.Program, i, t.Code != nil)
	return i, p.used.limit(i)
}

// problem is what the engines are asked for a program.
func (t *Task) problem(p *prog.Program) problem.Problem {
	workers := t.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	q := problem.Problem{
		Program:     p,
		Engine:      t.Engine,
		Learner:     t.Learner,
		Serial:      t.Serial,
		Tight:       t.Tight,
		NoWrap:      t.NoWrap,
		Ends:        t.Ends,
		Budget:      t.Budget,
		Workers:     workers,
		KeepAll:     t.KeepAll,
		Certificate: t.Certificate || t.Prover == Spacer,
		Predicates:  t.Predicates,
		Superset:    t.Superset,
		Depth:       t.Depth,
		Progress:    t.Progress,
		Solver:      func() solve.Solver { return t.solver(solverConflicts) },
		QuickSolver: func() solve.Solver { return t.solver(quickConflicts) },
	}
	if c := t.Code; c != nil {
		q.Apart, q.Plain, q.Refinements = c.Apart, c.Plain, c.Refinements
		q.Solver = func() solve.Solver { return t.solver(codeConflicts) }
	}
	return q
}

// newSolver is a solver for the judge.
func (t *Task) newSolver() (solve.Solver, error) { return t.solver(solverConflicts), nil }

// solver is an embedded solver whose work counts.
func (t *Task) solver(conflicts int64) solve.Solver {
	return bv.New(bv.Options{Conflicts: conflicts, Done: t.effort().solver})
}

// An UndecidedError says that a budget ran out: there is no answer, and a larger budget (or a narrower component) may
// give one.
type UndecidedError struct{ Err error }

func (u *UndecidedError) Error() string { return u.Err.Error() }
func (u *UndecidedError) Unwrap() error { return u.Err }

// undecided marks the errors that say that a budget ran out.
func undecided(err error) error {
	if problem.Undecided(err) {
		return &UndecidedError{err}
	}
	return err
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
