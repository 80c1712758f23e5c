// SPDX-License-Identifier: Apache-2.0

package ladder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// A Component is a type that the front end has lowered, with the options of its analysis.
type Component struct {
	*golang.Result
	Name   string // as the user says it, for errors
	Strict bool   // cells are unknown that checks of the run time could affect which are not decided
	Blocks bool   // waiting for ever is an error
}

// Synthesize computes the interface of a component. Depth of the strategy is not used, and the conventions of
// code are assumed; budget is that of the type, 0 is problem.DefaultBudget.
func Synthesize(ctx context.Context, c Component, s synth.Strategy, budget int) (*typestate.Interface, error) {
	if s.Certificate && len(c.LeftOut()) > 0 {
		return nil, TooLarge(c.Name, golang.ErrTooLarge) // a certificate is of the program as it is
	}
	i, from, err := newSearch(s, budget, c.Result).interfaceOf(ctx, c.Result)
	if err != nil {
		return nil, err
	}
	return c.finish(from, i)
}

// TooLarge makes an answer of the error that code is too large: undecided. Other errors it returns as they are.
func TooLarge(name string, err error) error {
	if errors.Is(err, golang.ErrTooLarge) {
		return &synth.UndecidedError{Err: fmt.Errorf("%s: %w", name, err)}
	}
	return err
}

// isUndecided reports whether a budget ran out.
func isUndecided(err error) bool {
	var u *synth.UndecidedError
	return errors.As(err, &u)
}

// A search looks for the interface of one type.
type search struct {
	strategy synth.Strategy
	budget   int           // of the type
	memory   memory        // the answers for its programs
	effort   *synth.Effort // what they may take together
}

// newSearch is a search that has found nothing and spent nothing.
func newSearch(s synth.Strategy, budget int, r *golang.Result) *search {
	s.NoWrap, s.Ends, s.Depth = true, true, 0
	if budget == 0 {
		budget = problem.DefaultBudget
	}
	n := &search{strategy: s, budget: budget, memory: memory{}}
	return n.limited(entireShare(r))
}

// entireShare is the part of the effort for a type, one of so many.
func entireShare(r *golang.Result) int64 {
	if len(r.LeftOut()) > 0 {
		return leftOutShare
	}
	return 1
}

// limited is the search with a share of the effort, of which nothing is spent.
func (s *search) limited(share int64) *search {
	n := *s
	n.effort = &synth.Effort{Limit: max(1, int64(float64(s.budget)/problem.DefaultBudget*typeEffort)/share)}
	return &n
}

// own is the search for questions of the ladder itself, which are about finite words, need no evidence and no engine by name.
func (s *search) own() *search {
	n := *s
	n.strategy.Engine, n.strategy.Tight, n.strategy.Serial, n.strategy.Certificate = "", false, false, false
	return &n
}

// task is what one program may spend.
func (s *search) task(budget, refinements int) synth.Task {
	return synth.Task{Strategy: s.strategy, Budget: budget, Code: &synth.Code{Refinements: refinements, Effort: s.effort}}
}

// lowered counts the lowering of a program, and returns what it took.
func (s *search) lowered(r *golang.Result) int64 {
	n := int64(r.AllEdges())*lowerWork + int64(r.AnalysisSteps()/analysisSteps)
	s.effort.Add(n)
	return n
}

// sliced counts the making of a smaller program.
func (s *search) sliced(r *golang.Result) { s.effort.Add(int64(r.Edges()) * sliceWork) }

// interfaceOf returns the best interface of a type, and the program that it is of.
func (s *search) interfaceOf(ctx context.Context, r *golang.Result) (*typestate.Interface, *golang.Result, error) {
	// The checks of the run time are decided first. If some are part of the protocol, it
	// is looked for with them.
	checked, unchecked, err := s.limited(entireShare(r)*checksShare).decideChecks(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	best, from := checked, r
	if checked.i == nil {
		if best, from, err = s.best(ctx, r); err != nil {
			return nil, nil, err
		}
	}
	r.Unchecked(best.i, unchecked)
	r.Need(best.i)
	r.LeaveOut(best.i)
	return best.i, from, nil
}

// best tries programs until one decides everything, and returns the best answer.
func (s *search) best(ctx context.Context, r *golang.Result) (answer, *golang.Result, error) {
	best, from, err := s.settled(ctx, r)
	if err != nil {
		return answer{}, nil, err
	}
	var last error
	if !best.sure {
		if best, from, last, err = s.programs(ctx, r); err != nil {
			return answer{}, nil, err
		}
	}
	if from == nil || !best.sure {
		if best, from, err = s.opaque(ctx, r, best, from); err != nil {
			return answer{}, nil, err
		}
	}
	if from == nil {
		return answer{}, nil, last
	}
	if !best.sure {
		best.forget()
	}
	return best, from, nil
}

// programs tries the programs of a component one after the other, and returns the best
// answer, if there is one, else why there is none.
func (s *search) programs(ctx context.Context, r *golang.Result) (best answer, from *golang.Result, last, err error) {
	for q, err := range r.Programs(ctx) {
		if err != nil {
			return answer{}, nil, nil, err
		}
		lowering := s.lowered(q)
		a, err := s.explicit(ctx, q)
		if err != nil {
			if !isUndecided(err) || ctx.Err() != nil {
				return answer{}, nil, nil, err
			}
			last = err
		} else if from == nil || a.sure || a.better(best) && (from != r || !best.better(a)) {
			best, from = a, q // of equals the one that keeps more
		}
		// The next program takes at least as much to lower.
		if a.sure || s.effort.Spent+lowering > s.effort.Limit {
			break
		}
	}
	return best, from, last, nil
}

// explicit finds the interface for explicit errors, and for what of the checks is not
// known to be the client's fault.
func (s *search) explicit(ctx context.Context, r *golang.Result) (answer, error) {
	part, left, err := s.cover(ctx, r)
	if err != nil {
		return answer{}, err
	}
	if len(part) > 0 {
		a, err := s.decide(ctx, r, settledDepths, explicitSites(part), left)
		if err != nil && !isUndecided(err) {
			return answer{}, err
		}
		if err == nil && a.sure {
			return a, nil
		}
		maps.Copy(left, part)
	}
	return s.decide(ctx, r, depths, explicitSites(nil), left)
}

// explicitSites accepts the explicit sites and part of the others.
func explicitSites(part map[int]bool) func(s *golang.Site) bool {
	return func(s *golang.Site) bool { return !s.Implicit || part[s.ID] }
}

// internal is the error for a program that should not have been made, or that was
// not made because the context ended.
func internal(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: internal error: %w", name, err)
}

// Text returns the program of a type in the text form, with nothing left out that an explicit error can depend on.
func Text(ctx context.Context, c Component) ([]byte, error) {
	p, err := c.Component(golang.Depth{Sites: -1, Results: -1}, func(s *golang.Site) bool { return !s.Implicit })
	if err != nil {
		return nil, internal(ctx, c.Name, err)
	}
	var b bytes.Buffer
	if err := prog.Print(&b, p.Program, prog.PrintOptions{}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
