// SPDX-License-Identifier: Apache-2.0

package ladder

// This file decides checks of the run time one by one, each in programs of its own.

import (
	"context"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/typestate"
)

// cover sorts the implicit sites that simple means did not decide: those that
// are part of the protocol because one alone decides all its cells, and those that
// are left out. The others never err.
func (s *search) cover(ctx context.Context, r *golang.Result) (part, left map[int]bool, err error) {
	n := 0
	some := s.limited(coverShare)
	part, left, err = some.coverSites(ctx, r, &n, nil)
	s.effort.Add(some.effort.Spent)
	return part, left, err
}

// coverSites is cover without some sites; n counts those that were looked at.
func (s *search) coverSites(ctx context.Context, r *golang.Result, n *int, but map[int]bool) (part, left map[int]bool, err error) {
	part, left = map[int]bool{}, map[int]bool{}
	sites := r.Sites()
	for _, method := range slices.Sorted(maps.Keys(sites)) {
		for _, site := range sites[method] {
			if !site.Implicit || but[site.ID] {
				continue
			}
			if *n++; *n > coverSites || s.effort.Over() {
				left[site.ID] = true
				continue
			}
			s.strategy.Report("checks of the run time", *n)
			v, err := s.coverSite(ctx, r, site)
			if err != nil {
				return nil, nil, err
			}
			switch {
			case v == decided && site.Why == "":
				part[site.ID] = true
			case v != never:
				left[site.ID] = true
			}
		}
	}
	return part, left, nil
}

// A coverage is what is known of one implicit site.
type coverage int

const (
	undecidedSite coverage = iota
	never                  // no run reaches it
	decided                // each cell that it affects fails or is allowed
)

// coverSite looks at one implicit site by itself.
func (s *search) coverSite(ctx context.Context, r *golang.Result, site *golang.Site) (coverage, error) {
	var before string
	for _, d := range coverDepths {
		s.sliced(r)
		p, err := r.Component(d, func(s *golang.Site) bool { return s.ID == site.ID })
		if err != nil {
			return undecidedSite, internal(ctx, r.Name, err)
		}
		edges := 0
		sites := false
		for _, m := range slices.Concat(p.Program.Constructors, p.Program.Methods) {
			edges += len(m.Edges)
			sites = sites || len(m.Errors) > 0
		}
		if !sites {
			return never, nil
		}
		text := r.Text(p)
		if text == before {
			continue
		}
		if edges > coverEdges {
			return undecidedSite, nil
		}
		before = text
		i, err := s.memory.ask(ctx, s.own().task(coverBudget, coverRefinements), text)
		if err != nil {
			if !isUndecided(err) || ctx.Err() != nil {
				return undecidedSite, err
			}
			return undecidedSite, nil
		}
		if i.Guarantees.Safe != "proved" {
			continue
		}
		if doubts(i) == 0 && !slices.ContainsFunc(i.Constructors, func(k typestate.Constructor) bool { return k.Verdict != "allowed" && k.Verdict != "fails" }) {
			if len(i.Forbidden) == 0 && !slices.ContainsFunc(i.Constructors, func(k typestate.Constructor) bool { return k.Verdict != "allowed" }) {
				return never, nil
			}
			return decided, nil
		}
	}
	return undecidedSite, nil
}
