// SPDX-License-Identifier: Apache-2.0

package ladder

// This file says what error kind "block" means in the interface of a Go type. A
// wait that nobody ends is an error site of the program. A call fails if each of its
// runs errs or waits for ever, and is allowed if none does. Where some runs of a
// call wait and others return, that is no error by definition, but it is not known
// whether the runs are those of one state or of several: the verdict is unknown.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/typestate"
)

const blockKind = "block"

// decide climbs, and climbs again without the waits that only some runs get to.
func (s *search) decide(ctx context.Context, r *golang.Result, depths []golang.Depth, keep func(s *golang.Site) bool, left map[int]bool) (answer, error) {
	for {
		a, err := s.climb(ctx, r, depths, func(site *golang.Site) bool { return keep(site) && !left[site.ID] }, left)
		if err != nil {
			return answer{}, err
		}
		sometimes := sometimesBlocked(a.i)
		if len(sometimes) == 0 {
			return a, nil
		}
		before := len(left)
		for _, list := range r.Sites() {
			for _, site := range list {
				if site.Kind == blockKind && sometimes[typestate.ErrorSite{Kind: site.Kind, Message: site.Message, At: site.Pos.String()}] {
					site.Explicit, site.Why = true, "some runs wait for ever and others return"
					left[site.ID] = true
				}
			}
		}
		if len(left) == before {
			a.sure = false
			return a, nil // they are there for another reason
		}
	}
}

// sometimesBlocked returns the waits of calls that may fail by nothing else.
func sometimesBlocked(i *typestate.Interface) map[typestate.ErrorSite]bool {
	sites := map[typestate.ErrorSite]bool{}
	add := func(verdict string, errors []typestate.ErrorSite) {
		if verdict != "may-fail" || slices.ContainsFunc(errors, func(e typestate.ErrorSite) bool { return e.Kind != blockKind }) {
			return
		}
		for _, e := range errors {
			sites[e] = true
		}
	}
	for _, f := range i.Forbidden {
		add(f.Verdict, f.Errors)
	}
	for _, k := range i.Constructors {
		add(k.Verdict, k.Errors)
	}
	return sites
}
