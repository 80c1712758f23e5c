// SPDX-License-Identifier: Apache-2.0

package check

// This file finds what a function does to an input without regard to flow: which methods it may call on it by way of an interface, and whether
// it keeps it.

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// effectOf is the effect of a function on one of its inputs.
func (c *Checker) effectOf(v ssa.Value) *Effect {
	if e, ok := c.effects[v]; ok {
		if e == nil {
			return &Effect{Escapes: true} // it depends on itself
		}
		return e
	}
	c.effects[v] = nil
	e := &Effect{}
	w := &walker{c: c, e: e, fn: v.Parent(), seen: map[ssa.Value]bool{}}
	w.value(v)
	slices.Sort(e.Calls)
	e.Calls = slices.Compact(e.Calls)
	if e.Escapes {
		e.Calls = nil
	}
	c.effects[v] = e
	return e
}

type walker struct {
	c    *Checker
	e    *Effect
	fn   *ssa.Function
	seen map[ssa.Value]bool
}

// value follows the uses of a value.
func (w *walker) value(v ssa.Value) {
	if w.seen[v] || w.e.Escapes || v.Referrers() == nil {
		return
	}
	w.seen[v] = true
	for _, u := range *v.Referrers() {
		switch u := u.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.If:
		case *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Phi, *ssa.MakeInterface:
			w.value(u.(ssa.Value))
		case *ssa.TypeAssert:
			if !u.CommaOk {
				w.value(u)
				continue
			}
			for _, x := range *u.Referrers() {
				if x, ok := x.(*ssa.Extract); ok && x.Index == 0 {
					w.value(x)
				}
			}
		case *ssa.Call:
			w.call(v, u)
		case *ssa.Defer:
			if u.DeferStack != nil {
				w.e.Escapes = true
				return
			}
			w.call(v, u)
		default:
			w.e.Escapes = true
			return
		}
	}
}

// call follows a value into a call.
func (w *walker) call(v ssa.Value, in ssa.CallInstruction) {
	common := in.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok {
		if common.Value.Name() == "append" {
			w.e.Escapes = true
		}
		return
	}
	if common.Value == v && !common.IsInvoke() { // a function that is called
		if w.c.recovering(w.fn) {
			w.e.Recovered = true
		}
		if isArgument(v, common.Args) {
			w.e.Escapes = true
		}
		return
	}
	if common.IsInvoke() && common.Value == v {
		w.e.Calls = append(w.e.Calls, common.Method.Name())
		if isArgument(v, common.Args) {
			w.e.Escapes = true
		}
		return
	}
	fn := common.StaticCallee()
	var s *Summary
	if fn != nil {
		s = w.c.summary(fn)
	}
	for k, a := range inputsOf(in) {
		if a != v {
			continue
		}
		e := s.effect(k)
		if e == nil || e.Escapes || e.Lost || len(e.Relations) > 0 {
			w.e.Escapes = true
			if e != nil && e.Recovered {
				w.e.Recovered = true
			}
			return
		}
		w.e.Calls = append(w.e.Calls, e.Calls...)
		w.e.Recovered = w.e.Recovered || e.Recovered
	}
}
