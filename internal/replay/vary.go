// SPDX-License-Identifier: Apache-2.0

package replay

// This file chooses more arguments than a replay needs: those that a guard does not ask for, nil and values at bounds.

import (
	"go/types"
	"maps"
	"slices"
	"strings"

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
	most := 1
	for _, n := range c.hints {
		most = min(maxHinted, most*max(1, n))
	}
	if most > 1 || slices.Max(append([]int{0}, c.hints...)) > 0 {
		for _, a := range all {
			if a.hinted(c) && len(out) < most {
				add(a)
			}
		}
	}
	for k := range limit {
		if len(out) > 0 && out[0].hinted(c) {
			break // hints say what is worth trying in all words
		}
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

// hinted reports whether all arguments for which there are hints are among those, and there are some.
func (a argumentList) hinted(c *choices) bool {
	some := false
	for k, n := range c.hints {
		if some = some || n > 0; n > 0 && !slices.ContainsFunc(c.lists[k][:n], func(d candidate) bool { return d.expr == a.exprs[k] }) {
			return false
		}
	}
	return some
}

// hintedMakers are calls of a constructor with arguments that hints give, beside a fixture of the library.
func (g *generator) hintedMakers(c typestate.Constructor, guards []string) (list []maker) {
	name := c.Method[strings.LastIndexByte(c.Method, '.')+1:]
	f, ok := g.s.pkg.Scope().Lookup(name).(*types.Func)
	if !g.comes || !g.opt.Vary || !ok || !f.Exported() || g.s.typ == nil || len(g.others) > 0 {
		return nil
	}
	for _, args := range g.opt.Hints[name] {
		sig := f.Type().(*types.Signature)
		fits := sig.Params().Len() > 0 && len(args) > 0 && len(args) <= sig.Params().Len()
		for k := range min(len(args), sig.Params().Len()) {
			fits = fits && g.fits(args[k], sig.Params().At(k).Type())
		}
		if !fits {
			return nil
		}
	}
	if len(g.opt.Hints[name]) > 0 {
		list, _ = g.constructorCalls(c, f, guards)
	}
	return list
}

// hintedRest are variadic arguments that all hints for a function give it.
func (g *generator) hintedRest(name string, from int, typ types.Type) (rest []string) {
	slice, ok := typ.(*types.Slice)
	if !ok || !g.opt.Vary {
		return nil
	}
	for k, args := range g.opt.Hints[name] {
		if len(args) <= from || k > 0 && !slices.Equal(args[from:], rest) {
			return nil
		}
		rest = args[from:]
	}
	if slices.ContainsFunc(rest, func(expr string) bool { return !g.fits(expr, slice.Elem()) }) {
		return nil
	}
	return rest
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
