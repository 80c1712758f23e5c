// SPDX-License-Identifier: Apache-2.0

package ladder

// This file decides the checks of the run time of Go types. Those that the front end
// does not know to be fine are in programs of their own; each is decided alone. The
// ones that turn out to be part of the protocol, because they always fail where they
// can, are then looked at together with the explicit errors.

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/golang"
)

// decideChecks returns the interface with the checks that are part of the protocol, if
// there are some and it is sure, and which checks are left, by the parts of r.
func (s *search) decideChecks(ctx context.Context, r *golang.Result) (a answer, left []map[int]bool, err error) {
	var chosen, sometimes []map[int]bool
	found, favours := false, false
	n := 0
	for _, part := range r.Parts() {
		yes, no, err := s.coverSites(ctx, part, &n, nil)
		if err != nil {
			return answer{}, nil, err
		}
		certain, err := s.favourSites(ctx, part, no, yes)
		if err != nil {
			return answer{}, nil, err
		}
		chosen, left, sometimes = append(chosen, yes), append(left, no), append(sometimes, certain)
		found, favours = found || len(yes) > 0, favours || len(certain) > 0
	}
	if favours {
		both := make([]map[int]bool, len(chosen))
		for k := range chosen {
			both[k] = maps.Clone(chosen[k])
			maps.Copy(both[k], sometimes[k])
		}
		if a, err = s.protocolChecks(ctx, r, both, true); err != nil {
			return answer{}, nil, err
		}
		if a.i != nil {
			for k := range left {
				maps.DeleteFunc(left[k], func(id int, _ bool) bool { return sometimes[k][id] })
			}
			return a, left, nil
		}
	}
	if !found {
		return answer{}, left, nil
	}
	a, err = s.protocolChecks(ctx, r, chosen, false)
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
func (s *search) protocolChecks(ctx context.Context, r *golang.Result, chosen []map[int]bool, favours bool) (answer, error) {
	with, err := r.With(ctx, chosen, favours)
	if errors.Is(err, golang.ErrTooLarge) {
		return answer{}, nil
	}
	if err != nil {
		return answer{}, internal(ctx, r.Name, err)
	}
	keep := with.Chosen()
	n := 0
	// The same check may be in several places of a method, of which not all can fail.
	sites := with.Sites()
	if !favours {
		sites = nil
	}
	for _, method := range slices.Sorted(maps.Keys(sites)) {
		for _, site := range sites[method] {
			if !keep[site.ID] {
				continue
			}
			v, err := s.coverSite(ctx, with, site)
			if err != nil {
				return answer{}, err
			}
			switch {
			case v == never:
				delete(keep, site.ID)
			case v != decided:
				with.Favour(site) // confirmed below
			}
		}
	}
	more, left, err := s.coverSites(ctx, with, &n, keep)
	if err != nil {
		return answer{}, err
	}
	maps.Copy(keep, more)
	series := settledDepths
	if favours {
		series = favouredDepths
	}
	a, err := s.decide(ctx, with, series, func(s *golang.Site) bool { return !s.Implicit || keep[s.ID] }, left)
	switch {
	case err == nil && a.sure:
		return a, nil
	case err != nil && !isUndecided(err):
		return answer{}, err
	}
	return answer{}, nil // together they may be too much
}
