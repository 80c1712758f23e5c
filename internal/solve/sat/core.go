// SPDX-License-Identifier: Apache-2.0

package sat

// This file shrinks cores by deletion: leave one assumption out, ask again, keep
// the smaller core if there still is one. Quicker schemes (QuickXplain and
// others) pay off for cores much larger than those of single paths.

import (
	"context"
	"errors"
)

// ErrBudget says that a budget ran out before the work was done.
var ErrBudget = errors.New("sat: conflict budget ran out")

// MinimizeCore makes the core of the last Solve smaller, until no assumption can
// be left out, and returns it; Core then returns the same. It uses at most the
// given number of conflicts; 0 is no limit. With an error, [ErrBudget] or that
// of the context, the result is a core all the same, but perhaps not minimal.
//
// It panics where Core does.
func (s *Solver) MinimizeCore(ctx context.Context, conflicts int64) ([]Lit, error) {
	core := append([]Lit(nil), s.Core()...)
	cone := make([]int, len(s.cone))
	for i, v := range s.cone {
		cone[i] = int(v)
	}
	end := s.stats.Conflicts + conflicts
	var err error
	needed := 0 // the last so many of core cannot be left out
	// Later assumptions first: the earlier ones then keep their levels.
	for len(core) > needed && err == nil {
		q := Query{Cone: cone, Closed: s.closed}
		if conflicts > 0 {
			if q.Conflicts = end - s.stats.Conflicts; q.Conflicts <= 0 {
				err = ErrBudget
				break
			}
		}
		i := len(core) - needed - 1
		q.Assumptions = append(append(q.Assumptions, core[:i]...), core[i+1:]...)
		var status Status
		switch status, err = s.Solve(ctx, q); {
		case err != nil:
		case status == Unsat:
			core = append(core[:0], s.core...) // has the needed ones at its end
		case status == Sat:
			needed++
		default:
			err = ErrBudget
		}
	}
	s.core = append(s.core[:0], core...)
	s.last = Unsat
	return s.core, err
}
