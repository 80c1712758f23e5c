// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// OmittedSerial and OmittedLarge are the statistics that say why an interface has no
// certificate, each beside OmittedCertificate.
const (
	OmittedCertificate = "certificateOmitted"
	OmittedSerial      = "certificateOmittedSerial" // dead ends are no errors of the component
	OmittedLarge       = "certificateOmittedLarge"  // none was found within the bounds
)

// Omitted counts a certificate that there is not.
func (st Stats) Omitted(why string) {
	st[OmittedCertificate], st[why] = 1, 1
}

// A Problem is a program and how to go about it.
type Problem struct {
	Program *prog.Program
	Engine  string // name; "" is the first of Engines
	Learner string // name; "" is the first of learn.Learners
	Serial  bool   // the infinite-word reading: prune dead ends
	Tight   bool   // keep apart states that differ only in what can happen
	Apart   bool   // keep apart states in which a call fails and in which it may fail
	// Plain says that nothing is claimed of calls that may fail and may return: of the program it is enough to know
	// which calls never err, and which never return (cegar/plain.go).
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
	// Seeds is what engine cegar starts with.
	Seeds *Seeds
	// Needs starts it with what errors need (predabs/needed.go).
	Needs bool
	// MayOnly leaves out what must happen: an attempt of engine cegar.
	MayOnly bool
	// Progress, if not nil, is told from time to time what goes on.
	Progress func(phase string, count int)
}

// Stats are counts for the result.
type Stats map[string]int64

// Report tells what goes on to whoever asked for it.
func (p *Problem) Report(phase string, count int) {
	if p.Progress != nil {
		p.Progress(phase, count)
	}
}

// Explore returns the component of the program, whose states are not yet explored.
func (p *Problem) Explore(ctx context.Context) (*explore.Component, error) {
	return explore.New(ctx, p.Program, explore.Options{
		Workers:  p.Workers,
		Budget:   p.Budget,
		Steps:    CallSteps * p.Budget,
		KeepAll:  p.KeepAll,
		Progress: func(n int) { p.Report("exploring states", n) },
	})
}

// Complete reports that an interface has no unknown verdict.
func Complete(i *typestate.Interface) bool {
	return len(i.Unknown) == 0 && !slices.ContainsFunc(i.Constructors, func(c typestate.Constructor) bool { return c.Verdict == "unknown" })
}

// Proved reports that what an interface says holds for words of any length,
// wherever it says anything.
func Proved(i *typestate.Interface) bool {
	g := i.Guarantees
	return g.Safe == typestate.GuaranteeProved && (g.Permissive == typestate.GuaranteeProved || g.Permissive == typestate.GuaranteeOpen)
}

// Seeds are what an abstraction starts with instead of nothing.
type Seeds struct {
	Guards [][]*term.Term // by constructor and method: the classes of its arguments
	Preds  []*term.Term
}
