// SPDX-License-Identifier: Apache-2.0

package ladder

// This file tries the programs of Go types in which calls are not followed to errors that
// hang on their arguments alone. Guards that say with which arguments a call errs come
// first; where there is none, that there are such arguments is still more than nothing.

import (
	"context"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/typestate"
)

// opaque tries the program in which those calls are opaque of which something is not
// decided; all that can be, if there is no answer. It returns the better answer.
func (s *search) opaque(ctx context.Context, r *golang.Result, best answer, from *golang.Result) (answer, *golang.Result, error) {
	open := map[string]bool{}
	if from != nil {
		open = undecidedCalls(best.i)
	}
	q, err := r.Opaque(ctx, func(name string) bool { return from == nil || open[name] })
	if err != nil || q == nil {
		return best, from, err
	}
	a, err := s.limited(opaqueShare).explicit(ctx, q)
	if isUndecided(err) && ctx.Err() == nil {
		return best, from, nil
	}
	if err != nil {
		return answer{}, nil, err
	}
	if from == nil || a.sure || a.better(best) {
		return a, q, nil
	}
	return best, from, nil
}

// settled tries the opaque program first, of a component that is large and of which it shows
// that nothing else decides: then programs that follow the code are a long way to the same
// interface. It returns an answer only if that is sure.
func (s *search) settled(ctx context.Context, r *golang.Result) (answer, *golang.Result, error) {
	q, err := r.Settled(ctx)
	if err != nil || q == nil {
		return answer{}, nil, err
	}
	a, err := s.limited(opaqueShare).explicit(ctx, q)
	if isUndecided(err) && ctx.Err() == nil {
		return answer{}, nil, nil
	}
	if err != nil || !a.sure {
		return answer{}, nil, err
	}
	return a, q, nil
}

// undecidedCalls returns the methods and constructors of which something is not decided, or
// not sure.
func undecidedCalls(i *typestate.Interface) map[string]bool {
	open := map[string]bool{}
	for _, k := range i.Constructors {
		if k.Verdict == "may-fail" || k.Verdict == "unknown" {
			open[k.Method] = true
		}
	}
	method := map[string]string{}
	for _, k := range i.Calls {
		method[k.ID] = k.Method
		if len(i.States) == 0 {
			open[k.Method] = true // nothing is known of it
		}
	}
	for _, u := range i.Unknown {
		open[method[u.Call]] = true
	}
	for _, f := range i.Forbidden {
		if f.Verdict == "may-fail" {
			open[method[f.Call]] = true
		}
	}
	return open
}
