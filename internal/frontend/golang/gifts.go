// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what code of other packages may write when it is given a value, for coarse
// programs (coarse.go). It cannot name fields that the component's package does not export;
// those it writes only by calling functions of that package: methods of objects and
// functions that it was given, and what clients have without the calls at hand (strangers.go).

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// mayWrite returns the locations that are followed and that a function may write, or
// code that it calls.
func (r *relevance) mayWrite(fn *ssa.Function) map[location]bool { return r.writings(fn).at }

// A writing is what code may write: where, by which instructions of its own, and where also
// by others that it calls.
type writing struct {
	at     map[location]bool
	by     map[ssa.Instruction]bool
	theirs map[location]bool
}

func (r *relevance) writings(fn *ssa.Function) writing {
	if all, ok := r.coarse.writes[fn]; ok {
		return all
	}
	all := r.writtenBy([]*ssa.Function{fn}, nil)
	r.coarse.writes[fn] = all
	return all
}

// mayWriteAt is what a function may write in a call that is known.
func (r *relevance) mayWriteAt(call ssa.CallInstruction, fn *ssa.Function) writing {
	if call == nil || call.Common().StaticCallee() != fn || len(r.outline(fn).callees) == 0 {
		return r.writings(fn)
	}
	return r.writtenBy([]*ssa.Function{fn}, call)
}

// writtenBy computes it, of some functions together. A function that does nothing with a parameter but call it calls what
// its callers give it: that is looked at where they do.
func (r *relevance) writtenBy(fns []*ssa.Function, call ssa.CallInstruction) writing {
	all := writing{map[location]bool{}, map[ssa.Instruction]bool{}, map[location]bool{}}
	seen := map[*ssa.Function]bool{}
	var work []*ssa.Function
	visit := func(g *ssa.Function) {
		if !seen[g] {
			seen[g] = true
			work = append(work, g)
		}
	}
	// run notes that a call runs a function; nil: whoever calls it.
	var run func(call ssa.CallInstruction, g *ssa.Function)
	anyhow := map[*ssa.Function]bool{}
	byAnybody := func(g *ssa.Function) {
		if !anyhow[g] {
			anyhow[g] = true
			run(nil, g)
		}
	}
	run = func(call ssa.CallInstruction, g *ssa.Function) {
		visit(g)
		for k, calls := range r.outline(g).callees {
			var given ssa.Value
			if call != nil && call.Common().StaticCallee() == g {
				given = argumentOf(call.Common(), g, k)
			}
			switch given := given.(type) {
			case *ssa.MakeClosure:
				byAnybody(given.Fn.(*ssa.Function))
				continue
			case *ssa.Function:
				byAnybody(given)
				continue
			case *ssa.Parameter:
				if r.outline(given.Parent()).callees[indexOf(given)] != nil && seen[given.Parent()] {
					continue // whoever calls that gave it
				}
			}
			for _, i := range calls {
				for _, h := range r.targets[i] {
					byAnybody(h)
				}
			}
		}
	}
	for _, fn := range fns {
		run(call, fn)
	}
	for len(work) > 0 {
		g := r.outline(work[0])
		work = work[1:]
		for _, i := range g.writes {
			for _, l := range r.written[i] {
				if l = r.find(l); r.locs[l] {
					all.at[l], all.by[i] = true, true
				}
			}
		}
		for _, call := range g.calls {
			if !g.passed[call] {
				for _, h := range r.targets[call] {
					run(call, h)
				}
			}
			if e := r.effects[call]; e != nil && e.changes && r.hits(call) {
				for _, x := range r.openArgs(call) {
					given := r.givenBy(argumentType(x), isTheirs(call))
					for l := range given.locs {
						if r.locs[l] {
							all.at[l], all.theirs[l] = true, true
						}
					}
					for _, h := range given.fns {
						byAnybody(h)
					}
				}
			}
		}
	}
	return all
}

// An outline is what matters of a function here, which is asked for again and again: instructions that write somewhere, calls that
// are run where they stand, and those of parameters with which it does nothing else.
type outline struct {
	writes  []ssa.Instruction
	calls   []ssa.CallInstruction
	callees map[int][]ssa.CallInstruction
	passed  map[ssa.CallInstruction]bool
}

func (r *reach) outline(fn *ssa.Function) *outline {
	if o := r.outlines[fn]; o != nil {
		return o
	}
	o := &outline{callees: calleesOf(fn), passed: map[ssa.CallInstruction]bool{}}
	for _, calls := range o.callees {
		for _, i := range calls {
			o.passed[i] = true
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if len(r.written[i]) > 0 {
				o.writes = append(o.writes, i)
			}
			if call, ok := i.(ssa.CallInstruction); ok && !isGo(i) {
				o.calls = append(o.calls, call)
			}
		}
	}
	if r.outlines == nil {
		r.outlines = map[*ssa.Function]*outline{}
	}
	r.outlines[fn] = o
	return o
}

// calleesOf returns the calls of parameters with which a function does nothing else.
func calleesOf(fn *ssa.Function) map[int][]ssa.CallInstruction {
	var all map[int][]ssa.CallInstruction
	for k, p := range fn.Params {
		if _, ok := p.Type().Underlying().(*types.Signature); !ok || p.Referrers() == nil {
			continue
		}
		var calls []ssa.CallInstruction
		only := true
		for _, u := range *p.Referrers() {
			switch u := u.(type) {
			case *ssa.DebugRef:
			case ssa.CallInstruction:
				only = only && u.Common().Value == p && !isGo(u) && !slices.Contains(u.Common().Args, ssa.Value(p))
				calls = append(calls, u)
			default:
				only = false
			}
		}
		if only && len(calls) > 0 {
			if all == nil {
				all = map[int][]ssa.CallInstruction{}
			}
			all[k] = calls
		}
	}
	return all
}

func indexOf(p *ssa.Parameter) int { return slices.Index(p.Parent().Params, p) }

// spoilsByType makes the calls of code that is not followed relevant if it may write
// something that is followed.
func (r *relevance) spoilsByType() (more bool) {
	r.coarse.led = map[giving]map[location]bool{}
	r.coarse.writes = map[*ssa.Function]writing{}
	for _, i := range r.open {
		if r.happens[i] && !r.passed[i] || !r.hits(i) {
			continue
		}
		if all, ok := r.runs(i); ok && len(all.at) > 0 {
			r.free(func() { r.happen(i) })
			more = true
			continue
		}
		for _, x := range r.openArgs(i) {
			if len(r.ledTo(argumentType(x), isTheirs(i))) > 0 {
				r.free(func() { r.happen(i) })
				more = true
				break
			}
		}
	}
	return more || r.waiting()
}

// runs returns what a call of a known function of another package may write by code that is
// reached: what it was given does not go to the environment, and a program that leaves the
// function out needs its effects all the same.
func (r *relevance) runs(i ssa.CallInstruction) (writing, bool) {
	g := i.Common().StaticCallee()
	if g == nil || r.c.l.owns(packageOf(g)) || !slices.Contains(r.targets[i], g) {
		return writing{}, false
	}
	return r.mayWriteAt(i, g), true
}

// ledTo returns the locations that are followed and that code of other packages may write
// which is given a value of a type: fields that it may name, and what functions of the
// component's package write that it can call by it.
func (r *relevance) ledTo(t types.Type, theirs bool) map[location]bool {
	id := giving{r.id(t), theirs}
	if all, ok := r.coarse.led[id]; ok {
		return all
	}
	all := map[location]bool{}
	g := r.givenBy(t, theirs)
	for l := range g.locs {
		if r.locs[l] {
			all[l] = true
		}
	}
	maps.Copy(all, r.writtenBy(g.fns, nil).at)
	r.coarse.led[id] = all
	return all
}

// A giving is that somebody is given a value of a type; theirs is set if that may be
// code of clients.
type giving struct {
	typ    int
	theirs bool
}

// isTheirs reports whether a call may call code of clients, which can call all that the component's package
// exports: a call of a function value or of a method of an interface. A function of a package
// that the component's package uses is not such code: packages do not import each other.
func isTheirs(call ssa.CallInstruction) bool {
	return call == nil || call.Common().StaticCallee() == nil
}

// A gift is what code of other packages gets with a value.
type gift struct {
	locs map[location]bool // that it may write itself
	fns  []*ssa.Function   // that it may call
}

// argumentType is the type of an argument: that of the value in an interface, if the
// interface is made for the call.
func argumentType(x ssa.Value) types.Type {
	if m, ok := x.(*ssa.MakeInterface); ok {
		return m.X.Type()
	}
	return x.Type()
}

// keptInAny returns the types whose values are put into variables of type any, otherwise
// than as arguments of code of other packages.
func (r *relevance) keptInAny() map[int]bool {
	kept := map[int]bool{}
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				m, ok := i.(*ssa.MakeInterface)
				if !ok || m.Type().Underlying().(*types.Interface).NumMethods() > 0 {
					if c, ok := i.(*ssa.ChangeInterface); ok && c.Type().Underlying().(*types.Interface).NumMethods() == 0 {
						// Whatever has been an interface before.
						from := c.X.Type().Underlying().(*types.Interface)
						for _, t := range r.boxes {
							if from.NumMethods() > 0 && types.Implements(t, from) {
								kept[r.id(t)] = true
							}
						}
					}
					continue
				}
				for _, u := range *m.Referrers() {
					switch u := u.(type) {
					case *ssa.Store:
						if r.printed(u.Addr) {
							continue
						}
					case *ssa.DebugRef:
						continue
					case ssa.CallInstruction:
						if len(r.targets[u]) == 0 {
							continue
						}
					}
					kept[r.id(m.X.Type())] = true
				}
			}
		}
	}
	return kept
}

// givenBy returns what code of other packages gets with a value of a type.
func (r *relevance) givenBy(t types.Type, theirs bool) gift {
	id := giving{r.id(t), theirs}
	if g, ok := r.coarse.gifts[id]; ok {
		return g
	}
	g := gift{locs: map[location]bool{}}
	seen := map[int]bool{}
	called := map[*ssa.Function]bool{}
	call := func(fn *ssa.Function) {
		if _, reached := r.abroad[fn]; reached && !called[fn] {
			called[fn] = true
			g.fns = append(g.fns, fn)
		}
	}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		if seen[r.id(t)] {
			return
		}
		seen[r.id(t)] = true
		elem := t
		if e := deref(t); e != nil {
			elem = e
		}
		if n, ok := types.Unalias(elem).(*types.Named); ok && r.c.l.owns(n.Obj().Pkg()) && !types.IsInterface(n) {
			for _, t := range []types.Type{types.NewPointer(n), n} {
				set := r.c.l.prog.MethodSets.MethodSet(t)
				for k := range set.Len() {
					if fn := r.c.l.prog.MethodValue(set.At(k)); fn != nil && set.At(k).Obj().Exported() {
						call(fn)
					}
				}
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			if _, ok := u.Elem().Underlying().(*types.Struct); !ok {
				g.locs[r.find(r.pointed(u.Elem()))] = true
			}
			visit(u.Elem())
		case *types.Struct:
			for i := range u.NumFields() {
				v := u.Field(i)
				if v.Exported() || !r.c.l.owns(v.Pkg()) {
					g.locs[r.find(fieldAt(u, i))] = true
					visit(v.Type())
				}
			}
			if types.Implements(t, errorInterface) {
				// Others may assign it as a whole, as errors.As does.
				for _, l := range fieldsOf(t, nil) {
					g.locs[r.find(l)] = true
				}
			}
		case *types.Map:
			g.locs[r.find(r.mapSize(t))] = true
			visit(u.Key())
			visit(u.Elem())
		case *types.Slice:
			visit(u.Elem())
		case *types.Array:
			visit(u.Elem())
		case *types.Chan:
			visit(u.Elem())
		case *types.Basic:
			if u.Kind() == types.UnsafePointer {
				for _, h := range r.hidden {
					visit(h)
				}
				visit(anyInterface)
			}
		case *types.Interface:
			for _, b := range r.boxes {
				if types.Implements(b, u) && r.flows.mayGet(b) && (u.NumMethods() > 0 || r.coarse.keptAny[r.id(b)]) {
					visit(b)
				}
			}
		case *types.Signature:
			for _, fn := range r.reach.values {
				if types.Identical(noReceiver(fn.Signature), noReceiver(u)) && (r.flows.hasFunc(fn) || r.isCallback(fn)) {
					call(fn)
					if _, reached := r.abroad[fn]; !reached {
						r.writesOf(fn, g.locs)
					}
					for k := range u.Results().Len() {
						visit(u.Results().At(k).Type()) // whoever calls it gets that
					}
				}
			}
		}
	}
	if followed(t) {
		visit(t)
		if theirs {
			for l := range r.leadsTo(t) {
				g.locs[l] = true
			}
		}
	}
	r.coarse.gifts[id] = g
	return g
}

// constants returns the constants that are written to a location of the component's own
// package, if nothing else is; nil if something may be. Only what some code writes counts if
// that is given.
func (r *relevance) constants(at location, only *writing) []*ssa.Const {
	field, ok := at.(*types.Var)
	if !ok || field.Exported() || !r.c.l.owns(field.Pkg()) || len(r.writes[at]) == 0 || only != nil && only.theirs[at] || only == nil && r.strangers()[at] {
		return nil
	}
	var list []*ssa.Const
	for _, i := range r.writes[at] {
		if only != nil && !only.by[i] {
			continue
		}
		s, ok := i.(*ssa.Store)
		if !ok {
			return nil
		}
		k, ok := s.Val.(*ssa.Const)
		if !ok || deref(s.Addr.Type()) == nil || len(r.c.leaves(k.Type())) != 1 {
			return nil
		}
		if !slices.ContainsFunc(list, func(x *ssa.Const) bool {
			return x.Value == k.Value || x.Value != nil && k.Value != nil && constant.Compare(x.Value, token.EQL, k.Value)
		}) {
			list = append(list, k)
		}
	}
	return list
}

// writesNoWanted reports whether some code writes errors to a location, and none that may be under study.
func (r *relevance) writesNoWanted(at location, by *writing) bool {
	if by.theirs[at] || !r.coarse.carries[at] {
		return false
	}
	for _, i := range r.writes[at] {
		if !by.by[i] {
			continue
		}
		if s, ok := i.(*ssa.Store); !ok || !isErrorType(s.Val.Type()) || r.mayBeWanted(s.Val) {
			return false
		}
	}
	return true
}
