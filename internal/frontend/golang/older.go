// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what is known of objects that are not the most recent ones of their place. One place stands for all of
// these, and what they hold is not followed. But a reference in them is one that the most recent object held when it grew
// old, or one that was stored later, which has escaped.

import (
	"go/types"
	"maps"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// renew is a repeated allocation at a place: the object that was made there before grows old. In a coarse program a
// reference that is not followed may be to all objects of its type anyway (anywhere).
func (f *frame) renew(p *lower.Place) {
	c := f.c
	if typ, ok := p.Type.(types.Type); ok && !c.w.Unsettled() && !c.isCoarse() {
		for _, l := range c.leaves(typ) {
			if !l.ref || !c.keeps(l) {
				continue
			}
			for _, q := range c.w.Holds(f.m.Cell(p, l.path, l.typ).Term).Places {
				if at := (agedAt{p.Key, l.path}); !c.aged[at][q.Key] {
					if c.aged[at] == nil {
						c.aged[at] = map[string]bool{}
					}
					c.aged[at][q.Key] = true
					c.w.Grow()
				}
			}
		}
	}
	f.m.Renew(p)
}

// An agedAt is a scalar of objects that have grown old at a place.
type agedAt struct{ place, path string }

// inOlder returns the places that a reference may hold which is read from older objects among those that an
// address holds, and that have not escaped.
func (c *compiler) inOlder(h lower.Holds, path string, t types.Type) []*lower.Place {
	held := map[string]bool{}
	for _, p := range h.Places {
		root := p.Root()
		key, older := root.Recent()
		switch {
		case !older:
		case root == p:
			maps.Copy(held, c.aged[agedAt{key, path}])
		default: // a part of it
			for at, places := range c.aged {
				if at.place == key {
					maps.Copy(held, places)
				}
			}
		}
	}
	if len(held) == 0 || t == nil {
		return nil
	}
	var all []*lower.Place
	for _, p := range c.w.Places() {
		if held[p.Key] && canHold(t, p) {
			if !p.Const && !p.Summary && !p.IsState() {
				c.w.Hold(p.Root()) // it was made by an earlier call
			}
			all = append(all, p)
		}
	}
	return all
}
