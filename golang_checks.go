// SPDX-License-Identifier: Apache-2.0

package interlock

// This file decides the checks of the run time of Go types. Those that the front end
// does not know to be fine are in programs of their own; each is decided alone. The
// ones that turn out to be part of the protocol, because they always fail where they
// can, are then looked at together with the explicit errors.

import (
	"context"
	"errors"
	"maps"

	"github.com/interlock-go/interlock/internal/frontend/golang"
)

// decideChecks returns the interface with the checks that are part of the protocol, if
// there are some and it is sure, and which checks are left, by the parts of r.
func decideChecks(ctx context.Context, r *golang.Result, c Config) (a answer, left []map[int]bool, err error) {
	var chosen []map[int]bool
	found := false
	n := 0
	for _, part := range r.Parts() {
		yes, no, err := coverSome(ctx, part, c, &n, nil)
		if err != nil {
			return answer{}, nil, err
		}
		chosen, left = append(chosen, yes), append(left, no)
		found = found || len(yes) > 0
	}
	if !found {
		return answer{}, left, nil
	}
	a, err = protocolChecks(ctx, r, c, chosen)
	if err != nil {
		return answer{}, nil, err
	}
	if a.i == nil {
		for k := range left {
			maps.Copy(left[k], chosen[k])
		}
	}
	return a, left, nil
}

// protocolChecks looks at the chosen checks together with the explicit errors. The
// answer has no interface if it is not sure.
func protocolChecks(ctx context.Context, r *golang.Result, c Config, chosen []map[int]bool) (answer, error) {
	with, err := r.With(ctx, chosen)
	if errors.Is(err, golang.ErrTooLarge) {
		return answer{}, nil
	}
	if err != nil {
		return answer{}, internal(ctx, r.Name, err)
	}
	keep := with.Chosen()
	n := 0
	more, left, err := coverSome(ctx, with, c, &n, keep)
	if err != nil {
		return answer{}, err
	}
	maps.Copy(keep, more)
	a, err := climb(ctx, with, c, depths[:7], func(s *golang.Site) bool { return !s.Implicit || keep[s.ID] }, left)
	switch {
	case err == nil && a.sure:
		return a, nil
	case err != nil && !errors.Is(err, ErrUndecided):
		return answer{}, err
	}
	return answer{}, nil // together they may be too much
}
