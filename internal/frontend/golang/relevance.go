// SPDX-License-Identifier: Apache-2.0

package golang

// This file decides, before anything is lowered, what error sites can depend on
// (slicing: Weiser, TSE 1984; between functions as in Horwitz, Reps and Binkley,
// TOPLAS 1990, but without calling contexts). Lowering emits only that: an
// instruction that is not relevant costs nothing, a location that is not relevant
// gets no cell, and a call of a function without relevant effects whose results
// nobody needs is left out.
//
// An instruction has to *happen* if it is an error site, writes a relevant location,
// or calls a function in which something has to happen; then the conditions that
// control it are relevant too. The *value* of an instruction is needed by relevant
// instructions that read it. A location is relevant if a load of it is needed. A
// value of a struct type is needed only as far as its fields are relevant locations.
//
// Code that is not followed may write what its arguments lead to, by their types;
// the pointers on the way are then relevant, too. A reference that is put where it
// is not followed (an element, a map, a channel, the environment) may come back
// wherever a reference of its type has an unknown origin; putting it there is
// relevant if such a reference is.
//
// What is not relevant has any value if it is met all the same, so that a value
// which is missing here weakens a result and does not falsify it; what writes,
// errs and escapes has to be complete.
//
// Results of methods are relevant as far as they follow from relevant values (see
// slice.go of package lower for the argument); what follows from them by control
// alone is left out at first and reported as such.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// A relevance is what lowering has to emit.
type relevance struct {
	*reach
	entries map[*ssa.Function]bool
	passed  map[ssa.Instruction]bool // calls of parameters that happen where these are given what is relevant

	instrs  map[ssa.Instruction]bool
	values  map[ssa.Value]bool // parameters and free variables
	locs    map[location]bool  // representatives
	results map[*ssa.Function]uint64
	checked map[*ssa.Function]bool // checks of the run time are emitted
	alone   bool                   // it is of checks of the run time
	partial bool                   // something was left out that results depend on

	happens map[ssa.Instruction]bool
	called  map[*ssa.Function]bool
	needs   map[resultOf]bool
	control map[*ssa.Function][][]*ssa.BasicBlock
	work    [][]func()         // by level
	coarse  *coarse            // nil: everything relevant is followed
	only    map[ssa.Value]bool // not nil: what may still become relevant
	onlyAt  map[location]bool
	owed    []ssa.Value
	escapes []escaping
	unknown typeutil.Map // types of relevant references of unknown origin
}

type resultOf struct {
	call  ssa.CallInstruction
	index int
}

// An escaping is an instruction that puts a reference where it is not followed.
type escaping struct {
	instr ssa.Instruction
	value ssa.Value
	to    location // nil: an element or the like
}

// newRelevance computes what is relevant to explicit error sites.
func newRelevance(c *compiler, from calls) *relevance {
	shared := c.reach
	all := sliceOf(c, shared, from)
	sites := len(all.instrs)
	for _, fn := range from.methods {
		for k := range fn.Signature.Results().Len() {
			if t := fn.Signature.Results().At(k).Type(); c.tellsApart(t) && (c.opaque[fn] == nil || !isErrorType(t)) {
				all.returned(fn, k)
			}
		}
	}
	all.settle()
	// Of numbers only what is relevant anyway: whether a length is zero.
	all.resultsOf(from.methods, tellsNumber)
	if len(all.instrs) <= max(smallSlice, 2*sites) {
		return all
	}
	some := sliceOf(c, shared, from)
	some.resultsOf(from.methods, func(t types.Type) bool { return c.tellsApart(t) || tellsNumber(t) })
	for l := range all.locs {
		switch l.(type) {
		case *ssa.Alloc, *ssa.FreeVar:
		default:
			if !some.locs[l] && len(all.writes[l]) > 0 {
				some.partial = true
			}
		}
	}
	return some
}

// smallSlice is how many instructions are relevant in a component whose results
// are followed as far as they go.
const smallSlice = 1500

// tellsApart reports whether clients tell values of a result type apart.
func (c *compiler) tellsApart(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsBoolean != 0
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	}
	return false
}

// tellsNumber reports whether a result type has a number that clients tell from
// zero: an integer of 64 bits or a length.
func tellsNumber(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Info()&types.IsInteger != 0 && width(u) == 64
	case *types.Slice:
		return true
	}
	return false
}

// sliceOf returns what is relevant to explicit error sites, without results.
func sliceOf(c *compiler, shared *reach, from calls) *relevance {
	r := emptyRelevance(shared, from)
	r.chosenChecks(c)
	r.sites(from)
	r.settle()
	return r
}

func emptyRelevance(shared *reach, from calls) *relevance {
	r := &relevance{reach: shared, entries: map[*ssa.Function]bool{}, passed: map[ssa.Instruction]bool{}, instrs: map[ssa.Instruction]bool{},
		values: map[ssa.Value]bool{}, locs: map[location]bool{}, results: map[*ssa.Function]uint64{}, checked: map[*ssa.Function]bool{},
		happens: map[ssa.Instruction]bool{}, called: map[*ssa.Function]bool{}, needs: map[resultOf]bool{},
		control: map[*ssa.Function][][]*ssa.BasicBlock{}}
	for _, fn := range from.methods {
		r.entries[fn] = true
	}
	for _, fn := range slices.Concat(from.makers, from.chains) {
		r.entries[fn] = true
	}
	return r
}

// sites makes explicit error sites relevant, and what constructors return.
func (r *relevance) sites(from calls) {
	c := r.c
	sited := r.sited(from)
	for _, fn := range r.fns {
		r.findEscapes(fn)
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !r.aside[fn] && sited(fn) && c.isSite(r.reach, i, r.coarse != nil) {
					r.happen(i)
				}
			}
		}
		if !returns(fn) && !r.entries[fn] && (r.coarse == nil || r.isCalledByName(fn)) {
			r.call(fn) // code after a call of it does not run
		}
		if !r.aside[fn] && sited(fn) {
			r.leaving(fn)
		}
	}
	for _, fn := range from.makers {
		for k := range fn.Signature.Results().Len() {
			if c.opaque[fn] != nil && isErrorType(fn.Signature.Results().At(k).Type()) {
				continue
			}
			if r.coarse != nil {
				r.madeBy(fn, k)
				continue
			}
			r.returned(fn, k)
		}
	}
	for _, fn := range from.chains {
		for k := range fn.Signature.Results().Len() {
			switch {
			case isErrorType(fn.Signature.Results().At(k).Type()):
			case r.coarse != nil:
				r.madeBy(fn, k)
			default:
				r.returned(fn, k)
			}
		}
	}
	for _, fn := range from.methods {
		for k := range fn.Signature.Results().Len() {
			if _, ok := fn.Signature.Results().At(k).Type().Underlying().(*types.Chan); ok {
				r.returned(fn, k) // a channel that clients have is not the component's alone
			}
		}
	}
	if c.kinds.anyReturn() {
		r.wrapped()
		for _, fn := range from.methods {
			for k := range fn.Signature.Results().Len() {
				switch {
				case !isErrorType(fn.Signature.Results().At(k).Type()) || c.opaque[fn] != nil:
				case r.coarse != nil:
					r.returnedErrors(fn, k)
				default:
					r.returned(fn, k)
				}
			}
		}
	}
}

// isCalledByName reports whether some call can be of this function alone. Where it is one of several that a call may be, a coarse
// program takes it to return.
func (r *relevance) isCalledByName(fn *ssa.Function) bool {
	return slices.ContainsFunc(r.callers[fn], func(i ssa.CallInstruction) bool { return i.Common().StaticCallee() == fn })
}

// panicked reports whether panics are asked for.
func (k kinds) panicked() bool { return k.panics || len(k.patterns) > 0 }

// wrapped makes the errors relevant that errors of types of their own have in their
// messages.
func (r *relevance) wrapped() {
	for _, t := range r.boxes {
		if !types.Implements(t, errorInterface) {
			continue
		}
		if r.coarse != nil && !slices.ContainsFunc(r.coarse.made[r.id(t)], func(m *ssa.MakeInterface) bool { return r.isWantedType(m, r.coarse.carries) }) {
			continue
		}
		r.wrappedIn(t, 3)
	}
}

// wrappedIn does this for a type, and for errors behind pointers in its fields.
func (r *relevance) wrappedIn(t types.Type, depth int) {
	for _, text := range r.c.errorTexts(t, false) {
		for _, part := range text {
			if part.kind != errorPart {
				continue
			}
			f := fieldWithinAt(t, part.text)
			if f.at == nil {
				continue
			}
			if r.coarse != nil {
				r.coarse.always[r.find(f.at)] = true
			}
			r.locate1(f.at)
			if isPointer(f.typ) && depth > 0 {
				r.wrappedIn(f.typ, depth-1)
			}
		}
	}
}

// returns reports whether a function has a way to return.
func returns(fn *ssa.Function) bool {
	if fn.Recover != nil {
		return true
	}
	for _, b := range fn.Blocks {
		if len(b.Instrs) > 0 {
			if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				return true
			}
		}
	}
	return false
}

// settle works until nothing new is relevant.
func (r *relevance) settle() {
	for {
		for r.step() {
		}
		if !r.spoils() && !r.comeBack() {
			return
		}
	}
}

// step does one thing of the lowest level that has some.
func (r *relevance) step() bool {
	for level, list := range r.work {
		if n := len(list); n > 0 {
			do := list[n-1]
			r.work[level] = list[:n-1]
			r.at1(level, do)
			return true
		}
	}
	return false
}

func (r *relevance) later(do func()) {
	n := r.level()
	for len(r.work) <= n {
		r.work = append(r.work, nil)
	}
	r.work[n] = append(r.work[n], do)
}

// waiting reports whether there is something to do.
func (r *relevance) waiting() bool {
	for _, list := range r.work {
		if len(list) > 0 {
			return true
		}
	}
	return false
}

// need makes a value relevant.
func (r *relevance) need(v ssa.Value) {
	if v == nil {
		return
	}
	switch v.(type) {
	case *ssa.Const, *ssa.Builtin, *ssa.Function, *ssa.Global:
		return
	}
	if r.only != nil && !r.only[v] || r.beyond() {
		switch v.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Alloc, *ssa.Parameter, *ssa.FreeVar, *ssa.MakeClosure:
		default:
			return
		}
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		if r.values[v] {
			return
		}
		r.values[v] = true
		r.later(func() { r.param(v) })
	case *ssa.FreeVar:
		if r.values[v] {
			return
		}
		r.values[v] = true
		r.later(func() {
			for n, x := range v.Parent().FreeVars {
				if x == v {
					for _, m := range r.closures[v.Parent()] {
						r.need(m.Bindings[n])
					}
				}
			}
		})
	case *ssa.Call:
		if _, tuple := v.Type().(*types.Tuple); !tuple {
			r.result(v, 0)
		} else {
			for k := range v.Type().(*types.Tuple).Len() {
				r.result(v, k)
			}
		}
	case *ssa.Extract:
		if r.instrs[v] && !r.isPartly(v) {
			return
		}
		r.instrs[v] = true
		if call, ok := v.Tuple.(*ssa.Call); ok {
			r.result(call, v.Index)
		} else {
			r.need(v.Tuple)
		}
	case ssa.Instruction:
		if r.instrs[v] && !r.isPartly(v.(ssa.Value)) {
			return
		}
		r.instrs[v] = true
		r.later(func() { r.operands(v) })
	}
}

// param makes the arguments for a parameter relevant.
func (r *relevance) param(p *ssa.Parameter) {
	fn := p.Parent()
	for k, q := range fn.Params {
		if q != p {
			continue
		}
		for _, call := range r.callers[fn] {
			if x := argumentOf(call.Common(), fn, k); x != nil {
				r.need(x)
			}
		}
	}
}

// argumentOf is the argument for a parameter of a function that a call may call.
func argumentOf(call *ssa.CallCommon, fn *ssa.Function, k int) ssa.Value {
	if call.IsInvoke() {
		if k == 0 {
			return call.Value
		}
		k--
	}
	if k < len(call.Args) {
		return call.Args[k]
	}
	return nil
}

// operands makes relevant what the value of an instruction depends on.
func (r *relevance) operands(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Phi:
		for k, e := range i.Edges {
			p := i.Block().Preds[k]
			if r.isCounted(i, p) {
				continue
			}
			r.need(e)
			r.controls(p)
			if len(p.Succs) > 1 {
				r.branch(p)
			}
		}
	case *ssa.UnOp:
		r.need(i.X)
		if i.Op == token.ARROW {
			r.locate1(channels{})
		}
		if i.Op == token.MUL {
			if _, isStruct := i.Type().Underlying().(*types.Struct); !isStruct {
				if l := r.at(i.X); l != nil {
					r.read(l)
				}
			}
		}
	case *ssa.Field:
		r.need(i.X)
		s := i.X.Type().Underlying().(*types.Struct)
		if _, nested := i.Type().Underlying().(*types.Struct); !nested {
			r.locate1(fieldAt(s, i.Field))
		}
	case *ssa.BinOp:
		r.need(i.X)
		r.need(i.Y)
		for _, l := range fieldsOf(i.X.Type(), nil) {
			r.locate1(l)
		}
	case *ssa.FieldAddr:
		if load, ok := i.X.(*ssa.UnOp); ok && load.Op == token.MUL {
			r.deeper(func() { r.need(i.X) }) // which object it is
		} else {
			r.need(i.X)
		}
	case *ssa.IndexAddr:
		if r.checked[i.Parent()] {
			r.need(i.X)
			r.need(i.Index)
		}
	case *ssa.Index:
		if r.checked[i.Parent()] {
			r.need(i.X)
			r.need(i.Index)
		}
	case *ssa.Lookup:
		if _, ok := i.X.Type().Underlying().(*types.Map); ok {
			r.need(i.X)
			r.locate1(r.mapSize(i.X.Type()))
		} else if r.checked[i.Parent()] {
			r.need(i.X)
			r.need(i.Index)
		}
	case *ssa.Select:
		for _, s := range i.States {
			r.need(s.Chan)
		}
		r.locate1(channels{})
	case *ssa.MakeClosure, *ssa.Alloc, *ssa.Next, *ssa.Range, *ssa.MakeChan, *ssa.MakeMap:
		// What a closure binds is relevant if the free variable is.
	case *ssa.MakeInterface:
		r.need(i.X)
		for _, l := range fieldsOf(i.X.Type(), nil) {
			r.locate1(l)
		}
	default:
		for _, op := range i.Operands(nil) {
			r.need(*op)
		}
	}
}

// read makes a location relevant that is read, as far as results follow from what is
// relevant; isFollowed tells lowering of the others.
func (r *relevance) read(l location) {
	if r.onlyAt == nil || r.onlyAt[r.find(l)] {
		r.locate1(l)
	}
}

// locate1 makes a location relevant: everything that writes it has to happen.
func (r *relevance) locate1(l location) {
	l = r.find(l)
	if r.locs[l] || !r.tracks(l) {
		return
	}
	r.locs[l] = true
	deeper := r.deeper
	if r.coarse != nil && r.coarse.always[l] {
		deeper = func(do func()) { do() }
	}
	deeper(func() {
		for _, i := range r.writes[l] {
			if r.isAside(l, i) {
				r.free(func() { r.happen(i) })
				continue
			}
			r.happen(i)
		}
	})
}

// happen makes relevant that an instruction takes place.
func (r *relevance) happen(i ssa.Instruction) {
	if r.happens[i] {
		if r.passed[i] {
			delete(r.passed, i)
			r.later(func() { r.call(i.Parent()) })
		}
		return
	}
	r.happens[i], r.instrs[i] = true, true
	r.near(i.Parent())
	r.later(func() {
		r.controls(i.Block())
		if !r.passed[i] {
			r.call(i.Parent())
		}
		switch i := i.(type) {
		case *ssa.Store:
			r.must(i.Addr)
			r.need(i.Val)
			if r.coarse != nil {
				r.needError(i.Val) // whatever the level is: it must be there to be met
			}
		case *ssa.MapUpdate:
			r.must(i.Map)
		case *ssa.Panic:
			r.need(i.X)
		case *ssa.Send:
			r.must(i.Chan)
		case *ssa.UnOp:
			r.operands(i)
		case *ssa.Select:
			r.operands(i)
		case *ssa.Convert:
			for _, x := range numbered(i) {
				r.must(x)
			}
		case ssa.CallInstruction:
			r.callee(i, r.must)
			call := i.Common()
			if b, ok := call.Value.(*ssa.Builtin); ok {
				if b.Name() != "recover" && len(call.Args) > 0 {
					r.must(call.Args[0])
				}
			}
			if e := r.effects[i]; e != nil && e.ends {
				r.callee(i, r.must)
				for _, x := range call.Args {
					r.must(x)
				}
				for _, l := range e.reads {
					r.locate1(l)
				}
			}
			if g := r.known[i]; g != nil && !quiet[nameOf(g)] {
				for k, x := range call.Args {
					if k == 0 {
						r.must(x)
					} else {
						r.need(x)
					}
				}
			}
		}
	})
}

// must makes a value relevant that decides where something is written.
func (r *relevance) must(v ssa.Value) {
	if r.only != nil {
		r.owed = append(r.owed, v)
		return
	}
	r.need(v)
}

// callee makes relevant which function a call calls.
func (r *relevance) callee(i ssa.CallInstruction, need func(ssa.Value)) {
	switch call := i.Common(); call.Value.(type) {
	case *ssa.Builtin, *ssa.Function:
	default:
		need(call.Value)
	}
}

// call makes relevant that a function is called.
func (r *relevance) call(fn *ssa.Function) {
	if r.called[fn] {
		return
	}
	r.called[fn] = true
	r.caught(fn)
	for _, i := range r.callers[fn] {
		r.happenFor(i, fn)
	}
}

// returned makes a result of a function relevant.
func (r *relevance) returned(fn *ssa.Function, k int) {
	if r.results[fn]&(1<<k) != 0 {
		return
	}
	if r.beyond() {
		return
	}
	r.results[fn] |= 1 << k
	r.near(fn)
	r.caught(fn)
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && k < len(ret.Results) && !r.unreached(b) {
			r.need(ret.Results[k])
			r.controls(b)
		}
	}
}

// result makes a result of a call relevant.
func (r *relevance) result(call ssa.CallInstruction, k int) {
	if r.needs[resultOf{call, k}] && !r.isPartlyResult(call, k) {
		return
	}
	r.needs[resultOf{call, k}] = true
	r.instrs[call] = true
	r.later(func() {
		r.callee(call, r.need)
		for _, fn := range r.targets[call] {
			if r.coarse != nil && r.isElsewhere(call, fn) {
				continue
			}
			if r.coarse != nil && !r.c.isCheap(fn) {
				r.deeper(func() { r.returned(fn, k) })
				continue
			}
			r.returned(fn, k)
		}
		common := call.Common()
		if _, ok := common.Value.(*ssa.Builtin); ok {
			for _, x := range common.Args {
				r.need(x)
				switch x.Type().Underlying().(type) {
				case *types.Map:
					r.locate1(r.mapSize(x.Type()))
				case *types.Chan:
					r.locate1(channels{})
				}
			}
			return
		}
		if e := r.effects[call]; e != nil && (e.pure || e.relates && r.alone) {
			for _, x := range common.Args {
				r.need(x)
			}
		}
		if fn := common.StaticCallee(); fn != nil && nameOf(fn) == "errors.As" {
			r.need(common.Args[0])
		}
		g := r.known[call]
		if g == nil {
			return
		}
		switch name := nameOf(g); {
		case name == "fmt.Errorf":
			for _, x := range variadic(lastOf(common.Args)) {
				if mayBeWrapped(x) {
					r.need(x)
				}
			}
		case r.c.touches(g):
			for _, x := range common.Args {
				r.need(x)
			}
			for _, l := range r.atomicAt(call) {
				r.locate1(l)
			}
		case name == "errors.Is" || name == "errors.AsType":
			for _, x := range common.Args {
				r.need(x)
			}
		}
	})
}

// mayBeWrapped reports whether a value among variadic arguments may be an error.
func mayBeWrapped(x ssa.Value) bool {
	if m, ok := x.(*ssa.MakeInterface); ok {
		return types.Implements(m.X.Type(), errorInterface)
	}
	return types.IsInterface(x.Type())
}

// controls makes relevant what decides whether a block is reached.
func (r *relevance) controls(b *ssa.BasicBlock) {
	if r.beyond() {
		return
	}
	for _, c := range r.controllers(b) {
		r.branch(c)
	}
}

// controllers returns the branches that decide whether a block is reached.
func (r *relevance) controllers(b *ssa.BasicBlock) []*ssa.BasicBlock {
	deps, ok := r.control[b.Parent()]
	if !ok {
		deps = controlDependence(b.Parent())
		r.control[b.Parent()] = deps
	}
	return deps[b.Index]
}

func (r *relevance) branch(b *ssa.BasicBlock) {
	if r.beyond() {
		return
	}
	i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok || r.instrs[i] {
		return
	}
	if _, constant := i.Cond.(*ssa.Const); r.only != nil && !constant && !r.only[i.Cond] {
		return
	}
	r.instrs[i] = true
	r.later(func() {
		r.need(i.Cond)
		if r.coarse != nil {
			r.deeper(func() { r.ancestors(b, map[*ssa.BasicBlock]bool{}) })
			return
		}
		r.controls(b)
	})
}

// keeps reports whether a leaf of a type is relevant.
func (c *compiler) keeps(l leaf) bool {
	return c.rel == nil || l.in == nil || c.rel.locs[c.rel.find(l.in)]
}

// emits reports whether an instruction is relevant.
func (c *compiler) emits(i ssa.Instruction) bool {
	return c.rel == nil || c.rel.instrs[i] || c.checking[i]
}

// isFollowed reports whether what a load reads is followed: its value may be relevant
// where the location is not.
func (c *compiler) isFollowed(i *ssa.UnOp) bool {
	if c.rel == nil {
		return true
	}
	if _, isStruct := i.Type().Underlying().(*types.Struct); isStruct {
		return true // by its fields
	}
	if g, ok := i.X.(*ssa.Global); ok && !c.uses(g).changed {
		return true
	}
	l := c.rel.at(i.X)
	return l == nil || c.rel.locs[c.rel.find(l)]
}
