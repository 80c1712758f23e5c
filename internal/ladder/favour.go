// SPDX-License-Identifier: Apache-2.0

package ladder

// This file decides checks of the run time that a call fails only sometimes: if the
// environment, and what the client gave, have it so. In a program with the favoured calls
// (lower/favour.go) the engine says whether these never return in the states in which the calls
// may fail. Then the checks are part of the protocol. They are looked at together: what one
// of them ends does not get to another.

import (
	"context"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// favourSites decides sites by their favoured calls, in programs with some others, and returns
// the numbers of those that are certain.
func (s *search) favourSites(ctx context.Context, r *golang.Result, left, others map[int]bool) (map[int]bool, error) {
	certain := map[int]bool{}
	sites := r.Sites()
	var list []*golang.Site
	for _, method := range slices.Sorted(maps.Keys(sites)) {
		for _, site := range sites[method] {
			if left[site.ID] && site.Implicit && !site.Explicit && site.Why == "" && !s.effort.Over() && r.Favour(site) {
				list = append(list, site)
				certain[site.ID] = true
			}
		}
	}
	doubt := func(bad func(id int) bool) {
		for _, s := range list {
			if bad(s.ID) {
				r.Doubt(s)
				delete(certain, s.ID)
			}
		}
	}
	all := func(int) bool { return true }
	if len(list) > maxFavoured {
		doubt(all)
	}
	q := s.own().task(favourBudget, codeRefinements)
	for range favourRounds {
		if len(certain) == 0 {
			break
		}
		var bad map[int]bool
		before := ""
		for _, d := range favourDepths {
			text, returns, err := s.favoured(ctx, r, q, slice{d, func(s *golang.Site) bool { return certain[s.ID] || others[s.ID] }}, before)
			switch {
			case err != nil:
				return nil, err
			case text == before || returns == nil:
				continue
			case len(returns) == 0:
				return certain, nil
			}
			bad, before = returns, text
		}
		if bad == nil || len(bad) == len(certain) {
			break
		}
		doubt(func(id int) bool { return bad[id] })
	}
	doubt(all)
	return nil, nil
}

// A slice says which program of a type it is.
type slice struct {
	depth golang.Depth
	keep  func(s *golang.Site) bool
}

// favoured returns the numbers of the sites of a program whose favoured calls may return where the
// calls may fail; nil if the engine does not say.
func (s *search) favoured(ctx context.Context, r *golang.Result, q synth.Task, part slice, before string) (text string, returns map[int]bool, err error) {
	s.sliced(r)
	p, err := r.Favouring(part.depth, part.keep)
	if err != nil {
		return "", nil, internal(ctx, r.Name, err)
	}
	edges := 0
	for _, m := range p.Program.Methods {
		edges += len(m.Edges)
	}
	if text = r.Text(p); text == before || edges > 2*coverEdges {
		return text, nil, nil
	}
	i, err := s.memory.ask(ctx, q, text)
	switch {
	case err != nil && (!isUndecided(err) || ctx.Err() != nil):
		return text, nil, err
	case err != nil || !proved(i):
		return text, nil, nil
	}
	return text, mayReturn(p, i), nil
}

// mayReturn returns the sites that are taken for certain and of which an interface does not say
// that the favoured call never returns wherever the call may fail there.
func mayReturn(p *golang.Component, i *typestate.Interface) map[int]bool {
	bad := map[int]bool{}
	methods := map[string]string{}
	for _, k := range i.Calls {
		methods[k.ID] = k.Method
	}
	for _, f := range i.Forbidden {
		for _, s := range p.Sites[methods[f.Call]] {
			if !s.Favoured || f.Verdict != "may-fail" || !slices.Contains(f.Errors, typestate.ErrorSite{Kind: s.Kind, Message: s.Message, At: s.Pos.String()}) {
				continue
			}
			name := golang.Favoured(methods[f.Call], s)
			bad[s.ID] = bad[s.ID] || slices.ContainsFunc(i.Calls, func(k typestate.Call) bool {
				return k.Method == name && i.Verdict(f.State, k.ID) != typestate.VerdictAllowed
			})
		}
	}
	for _, u := range i.Unknown {
		for _, s := range p.Sites[methods[u.Call]] {
			bad[s.ID] = bad[s.ID] || s.Favoured
		}
	}
	maps.DeleteFunc(bad, func(_ int, is bool) bool { return !is })
	return bad
}

// confirmFavoured looks at the favoured calls of a program that an interface is made of, and makes
// the sites unsure of which they do not say it.
func (s *search) confirmFavoured(ctx context.Context, r *golang.Result, q synth.Task, part slice, p *golang.Component) error {
	if !hasFavoured(p) {
		return nil
	}
	q.Certificate = false
	_, returns, err := s.favoured(ctx, r, q, part, "")
	if err != nil {
		return err
	}
	// The other calls must be those of the program that the interface is of.
	if again, err := r.Favouring(part.depth, part.keep); err != nil || r.Text(again.Without(golang.IsFavoured)) != r.Text(p) {
		returns = nil
	}
	for _, list := range p.Sites {
		for _, site := range list {
			if site.Favoured && (returns == nil || returns[site.ID]) {
				site.Favoured, site.Unsure = false, true
			}
		}
	}
	return nil
}

// hasFavoured reports whether a program has sites that are taken for certain.
func hasFavoured(p *golang.Component) bool {
	for _, list := range p.Sites {
		if slices.ContainsFunc(list, func(s *golang.Site) bool { return s.Favoured }) {
			return true
		}
	}
	return false
}
