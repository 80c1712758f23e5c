// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds what goroutines do that the component starts: which code they run, which locations that writes, which
// channels it closes and which locks it uses. goroutines_lower.go says what that means for the calls of clients.
//
// A *start* is an instruction that starts a goroutine: a go statement, or a call of other code that is given a function and
// has a go statement below it (sync.WaitGroup.Go, errgroup.Group.Go, context.AfterFunc), or that hands the function to a
// timer of the run time. From the start on the goroutine may run at any time, during calls and between them; that it has
// ended is not found out. So a location that it writes has from then on, whenever it is read, the value that is stored
// there or one that the goroutine writes: a constant, if the code writes constants there, or else any value.
// That is an over-approximation of all schedules. Code of others that cannot be seen, and that has nothing of the component's package to
// call, is the convention *goroutines*.
//
// What is read twice with nothing between that could wait for another goroutine is read once: programs
// without data races cannot tell.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A start is an instruction that starts goroutines.
type start struct {
	at     ssa.CallInstruction
	roots  []*ssa.Function // what the goroutine calls first
	first  []*ssa.Function // what goroutines call first that it starts
	bodies functionSet     // all code that it may run
	writes []goWrite
	closes []ssa.Value // channels that it may close
	locks  map[location]lockUse
	// anything: it may write everything that there is; sends: it may send or receive.
	anything, sends bool
	// unseen: some of the code that it runs is not followed; large: only the code of the component's packages is.
	unseen, large bool
}

// A goWrite is a location that a goroutine may write.
type goWrite struct {
	at location
	// part is the field or variable that the location is a part of; nil if that is not known, or it is one itself.
	part  location
	value *ssa.Const // nil: any value
	from  ssa.Value  // that is stored; nil: it is not known which
}

// A lockUse is how a goroutine uses a lock. It is loose if a function unlocks it that has not locked it before, or locks
// it and does not unlock it.
type lockUse struct{ loose bool }

// startedBy returns the functions that an instruction starts goroutines with, and whether it starts some.
func (r *reach) startedBy(i ssa.Instruction) (roots []*ssa.Function, starts bool) {
	call, ok := i.(ssa.CallInstruction)
	if !ok {
		return nil, false
	}
	common := call.Common()
	if _, builtin := common.Value.(*ssa.Builtin); builtin {
		return nil, isGo(i)
	}
	g := common.StaticCallee()
	if !isGo(i) {
		if g == nil || r.c.l.owns(packageOf(g)) || !slices.ContainsFunc(common.Args, func(x ssa.Value) bool { return mayHaveCode(x.Type()) }) {
			return nil, false
		}
		code := r.c.startedIn(g)
		if !code.anything && len(code.values) == 0 && len(code.methods) == 0 {
			return nil, false
		}
		roots = slices.DeleteFunc(r.handedIn(call), func(fn *ssa.Function) bool { return !code.calls(fn) })
		return roots, len(roots) > 0
	}
	switch {
	case g != nil && r.c.l.owns(packageOf(g)) || g != nil && g.Synthetic != "":
		return []*ssa.Function{g}, true
	case g != nil:
		return append([]*ssa.Function{g}, r.handedIn(call)...), true
	}
	return append(slices.Clone(r.candidates(common)), r.handedIn(call)...), true
}

// mayHaveCode reports whether a value of a type may be, or have, a function.
func mayHaveCode(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		return u.NumMethods() > 0
	}
	return len(signaturesIn(t, 0, nil)) > 0
}

// timers are the functions of other packages that give a function to a timer of the run time, which
// starts a goroutine with it.
var timers = map[string]bool{"time.AfterFunc": true}

// Limits of what one goroutine runs. Up to maxBodies functions, all analyses look at them. Of a larger one only the code of the
// component's packages is gone through, for what it writes, closes and locks, and calls of other code write by what is known
// of them; beyond maxRun functions it may write everything.
const (
	maxBodies = 150
	maxRun    = 3_000
)

// A startedCode is what the goroutines call, dynamically, that a function of another package starts, or what it calls by name.
type startedCode struct {
	values   []*types.Signature
	methods  map[string]bool
	anything bool
}

// startedIn returns that for a function.
func (c *compiler) startedIn(g *ssa.Function) *startedCode {
	if known, ok := c.starting[g]; ok {
		return known
	}
	if c.starting == nil {
		c.starting = map[*ssa.Function]*startedCode{}
	}
	out := &startedCode{methods: map[string]bool{}}
	c.starting[g] = out
	var roots []*ssa.Function
	c.below(g, func(i ssa.Instruction) {
		if s, ok := i.(*ssa.Go); ok {
			if h := s.Call.StaticCallee(); h != nil {
				roots = append(roots, h)
			} else {
				out.dynamic(s.Common())
			}
		} else if call, ok := i.(ssa.CallInstruction); ok {
			if h := call.Common().StaticCallee(); h == nil || !timers[nameOf(h)] {
				return
			}
			switch x := call.Common().Args[1].(type) {
			case *ssa.MakeClosure:
				roots = append(roots, x.Fn.(*ssa.Function))
			case *ssa.Function:
				roots = append(roots, x)
			default:
				out.values = append(out.values, noReceiver(x.Type().Underlying().(*types.Signature)))
			}
		}
	})
	out.anything = out.anything || timers[nameOf(g)]
	for _, h := range roots {
		c.below(h, func(i ssa.Instruction) {
			if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() == nil {
				out.dynamic(call.Common())
			}
		})
	}
	return out
}

func (s *startedCode) dynamic(call *ssa.CallCommon) {
	if _, builtin := call.Value.(*ssa.Builtin); builtin {
		return
	}
	if call.IsInvoke() {
		s.methods[call.Method.Name()] = true
	} else {
		s.values = append(s.values, noReceiver(call.Signature()))
	}
}

// calls reports whether the goroutines may call a function that they are given.
func (s *startedCode) calls(fn *ssa.Function) bool {
	if s.anything || fn.Signature.Recv() != nil && s.methods[fn.Name()] {
		return true
	}
	return slices.ContainsFunc(s.values, func(sig *types.Signature) bool { return types.Identical(sig, noReceiver(fn.Signature)) })
}

// below does something with the instructions of a function of another package, and of what it mentions by name.
func (c *compiler) below(g *ssa.Function, do func(i ssa.Instruction)) {
	seen := map[*ssa.Function]bool{g: true}
	for work := []*ssa.Function{g}; len(work) > 0 && len(seen) < maxBelow; {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				do(i)
				for _, op := range i.Operands(nil) {
					if h, ok := (*op).(*ssa.Function); ok && !seen[h] && !c.l.owns(packageOf(h)) {
						seen[h] = true
						work = append(work, h)
					}
				}
			}
		}
	}
}

// findStarts finds the starts in some functions, with all that the goroutines may run.
func (r *reach) findStarts(fns []*ssa.Function) (all []*ssa.Function) {
	r.starts, r.started, r.aside = nil, map[*ssa.Function]bool{}, map[*ssa.Function]bool{}
	for _, fn := range fns {
		dead := r.c.deadBlocks(fn)
		for _, b := range fn.Blocks {
			if dead[b] {
				continue
			}
			for _, i := range b.Instrs {
				roots, starts := r.startedBy(i)
				if !starts {
					continue
				}
				s := r.startAt(i.(ssa.CallInstruction), roots)
				r.starts = append(r.starts, s)
				if s.large {
					continue
				}
				for _, fn := range s.bodies.list {
					if !r.started[fn] {
						r.started[fn] = true
						all = append(all, fn)
					}
				}
			}
		}
	}
	return all
}

// startAt goes through what the goroutines of an instruction may run.
func (r *reach) startAt(i ssa.CallInstruction, roots []*ssa.Function) *start {
	walk := func(large bool) *bodyWalk {
		s := &start{at: i, roots: roots, locks: map[location]lockUse{}, large: large}
		w := &bodyWalk{reach: r, s: s, limit: maxBodies, seen: map[string]bool{}, written: map[goWrite]bool{}, seenGiven: map[givenTo]bool{}}
		if large {
			w.limit = maxRun
		}
		w.first()
		for k := 0; k < len(w.lent); k++ {
			w.function(w.lent[k], nil)
		}
		return w
	}
	w := walk(false)
	for len(w.s.bodies.list) > w.limit {
		if w.s.large {
			w.s.anything, w.s.sends = true, true
			w.s.locks[pointedTo{}] = lockUse{loose: true} // any
			return w.s
		}
		// The values that the code makes may be called by it.
		for known := -1; known < len(r.values)+len(r.boxes); {
			known = len(r.values) + len(r.boxes)
			w = walk(true)
		}
	}
	w.s.anything = w.writesDisguised()
	return w.s
}

// calledBy returns the functions of a package that the initialization of it calls by name.
func (l *loaded) calledBy(init *ssa.Function) (all []*ssa.Function) {
	seen := map[*ssa.Function]bool{init: true}
	for work := []*ssa.Function{init}; len(work) > 0; {
		fn := work[0]
		work = work[1:]
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok || isGo(i) {
					continue
				}
				if g := call.Common().StaticCallee(); g != nil && !seen[g] && l.owns(packageOf(g)) {
					seen[g] = true
					all, work = append(all, g), append(work, g)
				}
			}
		}
	}
	return all
}

// writeStarts notes that an instruction that starts goroutines writes what they write.
func (r *reach) writeStarts() {
	for _, s := range r.starts {
		r.called(s)
		seen := map[location]bool{}
		add := func(l location) {
			if l = r.find(l); !seen[l] {
				seen[l] = true
				r.writes[l] = append(r.writes[l], s.at)
				r.written[s.at] = append(r.written[s.at], l)
			}
		}
		for _, x := range s.writes {
			add(x.at)
		}
		if len(s.closes) > 0 || s.sends {
			add(channels{})
		}
	}
}

// called notes that a go statement calls the functions that it starts.
func (r *reach) called(s *start) {
	if !isGo(s.at) {
		return
	}
	for _, fn := range s.roots {
		if !slices.Contains(r.callers[fn], s.at) {
			r.callers[fn] = append(r.callers[fn], s.at)
		}
	}
}

// findAside finds the functions that only goroutines run.
func (r *reach) findAside(entries []*ssa.Function) {
	seen := map[*ssa.Function]bool{}
	work := slices.Concat(entries, r.callbacks)
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[fn] {
			continue
		}
		seen[fn] = true
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					work = append(work, r.targets[call]...)
				}
			}
		}
	}
	for fn := range r.started {
		r.aside[fn] = !seen[fn]
	}
	// What a goroutine starts that only goroutines run is among what these do.
	r.starts = slices.DeleteFunc(r.starts, func(s *start) bool { return r.aside[s.at.Parent()] })
}

// startsUnder returns the starts in what calls of some functions run.
func (r *reach) startsUnder(fns []*ssa.Function) (all []*start) {
	if len(r.starts) == 0 {
		return nil
	}
	under := map[*ssa.Function]bool{}
	for _, fn := range r.under(fns) {
		under[fn] = true
	}
	for _, s := range r.starts {
		if under[s.at.Parent()] {
			all = append(all, s)
		}
	}
	return all
}

// startedUnder returns the functions that goroutines may run which some functions start, in order.
func (r *reach) startedUnder(fns map[*ssa.Function]bool) (all []*ssa.Function) {
	seen := map[*ssa.Function]bool{}
	for _, s := range r.starts {
		if !fns[s.at.Parent()] {
			continue
		}
		for _, fn := range s.bodies.list {
			if !seen[fn] {
				seen[fn] = true
				all = append(all, fn)
			}
		}
	}
	return all
}
