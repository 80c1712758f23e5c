// SPDX-License-Identifier: Apache-2.0

package golang

// This file says in an interface which program it is of, and makes that program
// again. Numbers of sites are the same whenever the same code is lowered with the
// same options.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/typestate"
)

// Lowering describes the program of Component with the same arguments.
func (r *Result) Lowering(d Depth, keep func(s *Site) bool) *typestate.Lowering {
	l := &typestate.Lowering{Level: r.level, Sites: d.Sites, Results: d.Results, Plain: d.Plain, With: r.with, Opaque: r.opaque}
	for _, list := range r.Sites() {
		for _, s := range list {
			switch {
			case s.Implicit && keep(s):
				l.Checks = append(l.Checks, s.ID)
				if r.IsFavoured(s) {
					l.Favoured = append(l.Favoured, s.ID)
				}
			case !s.Implicit && !keep(s):
				l.Left = append(l.Left, s.ID)
			}
		}
	}
	slices.Sort(l.Checks)
	slices.Sort(l.Left)
	slices.Sort(l.Favoured)
	return l
}

// Lowered makes the program that an interface says it is of, and returns it with the result
// that it comes from, whose conventions are its own.
func (r *Result) Lowered(ctx context.Context, l *typestate.Lowering) (*lower.Component, *Result, error) {
	if l.Level > 0 && l.Level <= len(levels) && r.coarser != nil && r.level != l.Level {
		q, err := r.coarser.at(ctx, l.Level-1)
		if err != nil {
			return nil, nil, err
		}
		if q != nil {
			return q.Lowered(ctx, l)
		}
	}
	if len(l.Opaque) > 0 && !slices.Equal(l.Opaque, r.opaque) {
		q, err := r.Opaque(ctx, func(name string) bool { return slices.Contains(l.Opaque, name) })
		switch {
		case err != nil:
			return nil, nil, err
		case q == nil || !slices.Equal(l.Opaque, q.opaque):
			return nil, nil, fmt.Errorf("%s: other calls err by their arguments alone", r.Name)
		}
		r = q
	}
	r, err := r.again(ctx, l.With, len(l.Favoured) > 0)
	if err != nil {
		return nil, nil, err
	}
	if l.Level != r.level {
		return nil, nil, fmt.Errorf("%s: there is no program of level %d", r.Name, l.Level)
	}
	for _, list := range r.Sites() {
		for _, s := range list {
			if slices.Contains(l.Favoured, s.ID) && !r.Favour(s) {
				return nil, nil, fmt.Errorf("%s cannot be favoured", s.Pos)
			}
		}
	}
	p, err := r.Component(Depth{Sites: l.Sites, Results: l.Results, Plain: l.Plain}, func(s *Site) bool {
		if s.Implicit {
			return slices.Contains(l.Checks, s.ID)
		}
		return !slices.Contains(l.Left, s.ID)
	})
	return p, r, err
}
