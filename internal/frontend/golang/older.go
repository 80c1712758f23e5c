// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what is known of objects that are not the most recent ones of their place. One place stands for all of
// these, and what they hold is not followed. But a reference in them is one that the most recent object held when it grew
// old, or one that was stored later, which has escaped.

import (
	"go/types"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// renew is a repeated allocation at a place: the object that was made there before grows old.
func (f *frame) renew(p *lower.Place) {
	c := f.c
	if typ, ok := p.Type.(types.Type); ok && !c.w.Unsettled() {
		for _, l := range c.leaves(typ) {
			if !l.ref || !c.keeps(l) {
				continue
			}
			for _, q := range c.w.Holds(f.m.Cell(p, l.path, l.typ).Term).Places {
				if !c.aged[q.Key] {
					c.aged[q.Key] = true
					c.w.Grow()
				}
			}
		}
	}
	f.m.Renew(p)
}

// inOlder returns the places that a reference of a type in an older object may hold, and that have not escaped.
func (c *compiler) inOlder(t types.Type) []*lower.Place {
	var all []*lower.Place
	for _, p := range c.w.Places() {
		if c.aged[p.Key] && t != nil && canHold(t, p) {
			if !p.Const && !p.Summary && !p.IsState() {
				c.w.Hold(p.Root()) // it was made by an earlier call
			}
			all = append(all, p)
		}
	}
	return all
}

// mayBeOlder reports whether one of the objects that a reference holds is an older one.
func mayBeOlder(h lower.Holds) bool {
	return slices.ContainsFunc(h.Places, func(p *lower.Place) bool {
		_, older := p.Root().Recent()
		return older
	})
}
