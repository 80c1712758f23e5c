// SPDX-License-Identifier: Apache-2.0

package replay

// This file chooses more arguments than a replay needs: those that a guard does not ask for, nil and values at bounds.

import (
	"maps"
	"slices"

	"github.com/interlock-go/interlock/typestate"
)

// maxHinted is how many lists of arguments are made of hints, and maxVaried how many differ from the usual one in
// one argument. The latter are not part of all words: each costs words for each state.
const (
	maxHinted = 8
	maxVaried = 6
)

// varied chooses lists of arguments: those of hints, the usual one and the one that differs most from it, and then
// some that differ from the usual one in one argument.
func (g *generator) varied(all []argumentList, c *choices, guard string, limit int) (out []argumentList) {
	add := func(a argumentList) {
		if !slices.ContainsFunc(out, func(o argumentList) bool { return slices.Equal(o.exprs, a.exprs) }) {
			out = append(out, a)
		}
	}
	hinted := func(a argumentList) bool {
		for k, n := range c.hints {
			if n > 0 && !slices.ContainsFunc(c.lists[k][:n], func(d candidate) bool { return d.expr == a.exprs[k] }) {
				return false
			}
		}
		return true
	}
	most := 1
	for _, n := range c.hints {
		most = min(maxHinted, most*max(1, n))
	}
	if most > 1 || slices.Max(append([]int{0}, c.hints...)) > 0 {
		for _, a := range all {
			if hinted(a) && len(out) < most {
				add(a)
			}
		}
	}
	for k := range limit {
		if len(all) > 0 && len(out) < max(limit, most) {
			add(all[k*(len(all)-1)/max(1, limit-1)])
		}
	}
	usual := make([]candidate, len(c.lists))
	for k := range c.lists {
		at := slices.IndexFunc(c.lists[k], func(d candidate) bool { return d.expr == all[0].exprs[k] })
		usual[k] = c.lists[k][max(0, at)]
	}
	varied := 0
	for round := 0; varied < maxVaried && round < maxVaried; round++ {
		for k, more := range c.more {
			// The last are the most unusual ones: nil.
			if round >= len(more) || varied == maxVaried {
				continue
			}
			one := slices.Clone(usual)
			one[k] = more[len(more)-1-round]
			a, _ := c.tuple(one)
			if typestate.GuardHolds(guard, c.kinds, a.known) == typestate.MatchYes {
				a.extra = true
				varied++
				add(a)
			}
		}
	}
	return out
}

// seen is what conditions may ask of arguments: what guards see, and texts.
func (a argumentList) seen() typestate.Known {
	if len(a.literals) == 0 {
		return a.known
	}
	out := maps.Clone(a.known)
	maps.Copy(out, a.literals)
	return out
}
