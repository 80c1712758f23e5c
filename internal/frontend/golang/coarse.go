// SPDX-License-Identifier: Apache-2.0

package golang

// This file makes relevance coarse, for components of which even what is relevant
// is too large to be lowered. Relevance then has levels: the conditions of error
// sites and the locations that they read are of level 0, what is written there and
// under which conditions of level 1, and so on. What is beyond the limit is any
// value; a condition beyond the limit goes either way.
//
// So that such a program has all runs of the component, and perhaps more:
//
//   - every instruction that writes a location which is followed takes place, under
//     any condition if need be. An address beyond the limit is that of any object of
//     its type: an object of the component that is not followed is "outside", and so
//     is every one that the program does not know;
//   - a call of a function value or a method of an interface beyond the limit is one
//     of any function that it may be by reachability (reach.go);
//   - a call of code that is not followed may write what its arguments lead to by
//     their types, in all objects;
//   - a function that recovers may meet a panic anywhere: then everything that it
//     may write has any value;
//   - an error value beyond the limit may be one under study only if such a value can
//     flow there (flow analysis of all code that is reached, by locations).
//
// What such a program allows is allowed and what always fails in it fails. What may
// fail is a guess (Result.partial): then the next level is tried. Abstraction by
// hiding variables and refining on demand is that of CAV 2007 (Beyer, Henzinger and
// Singh); here it goes by dependence, before a program exists.

import (
	"context"
	"errors"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// A coarse is the level up to which relevance goes.
type coarse struct {
	limit      int
	level      int                // of what is at hand
	wanted     map[ssa.Value]bool // may be an error under study
	runs       map[*ssa.Function]bool
	writes     map[*ssa.Function]map[location]bool
	gifts      map[int]gift              // by type
	led        map[int]map[location]bool // by type: what is followed and led to
	origin     map[ssa.Value]bool
	some       map[*ssa.Function]uint64 // results that are followed only partly
	part       map[ssa.Value]bool
	partResult map[resultOf]bool
	inline     map[*ssa.Function]bool  // are followed
	made       map[int][]*ssa.Function // by type: where errors of types of their own are made
	carries    map[location]bool       // may hold errors under study
	always     map[location]bool       // are followed although they are of another package
	// addressed are the fields that pointers may point to.
	addressed map[*types.Var]bool
	flows     map[resultAt]bool
}

// A level says how much is followed: steps from error sites, and whether results are.
type level struct {
	steps   int
	results bool
}

// levels are those that are tried.
var levels = []level{{0, false}, {1, false}, {1, true}, {2, true}, {4, true}}

// newCoarse computes what is relevant up to a level.
func newCoarse(c *compiler, from calls, l level) *relevance {
	r := emptyRelevance(c.reach, from)
	r.coarse = &coarse{limit: l.steps, origin: map[ssa.Value]bool{}, inline: map[*ssa.Function]bool{}, some: map[*ssa.Function]uint64{}, part: map[ssa.Value]bool{}, partResult: map[resultOf]bool{}, gifts: map[int]gift{}, always: map[location]bool{}, made: map[int][]*ssa.Function{}, flows: map[resultAt]bool{}}
	r.coarse.wanted = r.wantedValues()
	// Errors of types of their own are known only where they are made.
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if m, ok := i.(*ssa.MakeInterface); ok && r.isWantedType(m.X.Type(), fn, r.coarse.carries) {
					r.free(func() { r.happen(i) })
					r.need(m)
					r.near(fn)
				}
			}
		}
	}
	r.coarse.addressed = r.addressed()
	r.sites(from)
	r.settle()
	if l.results {
		r.resultsOf(from.methods, func(t types.Type) bool { return c.tellsApart(t) })
	}
	r.partial = true
	r.coarse.runs = r.running()
	r.coarse.led = map[int]map[location]bool{}
	r.coarse.writes = map[*ssa.Function]map[location]bool{}
	return r
}

// coarser lowers a component at the levels at which it is not too large.
func (l *loaded) coarser(ctx context.Context, s Subject, o Options, k kinds, known *contracts) (all []*Result, err error) {
	if o.everything {
		return nil, nil
	}
	for n := range levels {
		o.level = &levels[n]
		c := l.compiler(o, k, known)
		c.maxWork = maxWork
		c.w.Limit(maxCoarse, maxAllCoarse)
		r, err := c.lower(ctx, s)
		if errors.Is(err, lower.ErrTooLarge) {
			break
		}
		if err != nil {
			return nil, err
		}
		r.level = n + 1
		all = append(all, r)
	}
	return all, nil
}

// Limits of coarse programs, in edges.
const (
	maxCoarse    = 2_000
	maxAllCoarse = 20_000
)

func (r *relevance) level() int {
	if r.coarse == nil {
		return 0
	}
	return r.coarse.level
}

// at1 does something at a level.
func (r *relevance) at1(level int, do func()) {
	if r.coarse == nil {
		do()
		return
	}
	old := r.coarse.level
	r.coarse.level = level
	do()
	r.coarse.level = old
}

// deeper does something one level further.
func (r *relevance) deeper(do func()) { r.at1(r.level()+1, do) }

// beyond reports whether what is at hand is not followed.
func (r *relevance) beyond() bool { return r.coarse != nil && r.coarse.level > r.coarse.limit }

// free does something beyond the limit: only what has to happen is relevant.
func (r *relevance) free(do func()) {
	if r.coarse == nil {
		do()
		return
	}
	r.at1(r.coarse.limit+1, do)
}

// tracks reports whether a location may become one that is followed. Of other
// packages only what their synchronization primitives keep is: who else has other
// objects of theirs is not known here.
func (r *relevance) tracks(l location) bool {
	if r.coarse == nil {
		return true
	}
	if r.beyond() || len(r.writes[l]) > maxWriters {
		return false
	}
	if v, ok := l.(*types.Var); ok && v.Pkg() != r.c.l.pkg.Pkg && !r.coarse.always[l] {
		return v.Pkg() != nil && (v.Pkg().Path() == "sync" || v.Pkg().Path() == "sync/atomic" || v.Pkg().Path() == "internal/sync")
	}
	return true
}

// maxWriters bounds the instructions that write a location which is followed. One that
// has more is mostly several: variables whose address is taken are one by their type.
const maxWriters = 60

// register makes the places known of all errors under study that calls make: a value that
// is not followed may be any of them.
func (c *compiler) register() {
	if !c.isCoarse() || !c.kinds.anyReturn() {
		return
	}
	f := &frame{c: c}
	known := func(e *errorValue, constant bool) {
		p := c.w.Place(e.key, func() *lower.Place { return f.errorPlace(e, constant) })
		c.w.RefOf(p)
	}
	for _, fn := range c.rel.fns {
		f.fn = fn
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.Call:
					if c.rel.isWantedCall(i) {
						e, wraps := f.errorOf(i.Call.StaticCallee(), i.Call.Args, i.Pos())
						known(e, !wraps)
					}
				case *ssa.UnOp:
					if g, ok := i.X.(*ssa.Global); ok && i.Op == token.MUL {
						if e := c.sentinel(g); e != nil && c.rel.isWantedSentinel(e) {
							known(e, true)
						}
					}
				}
			}
		}
	}
}

// isCheap reports whether a function is so small that its results are followed at
// no cost.
func (c *compiler) isCheap(fn *ssa.Function) bool {
	n, loops := c.size(fn)
	return n <= cheapSize && !loops
}

// near notes that something of a function is relevant within the limit: the function is
// followed. Of others only what they may write is of interest.
func (r *relevance) near(fn *ssa.Function) {
	if r.coarse == nil || r.beyond() || r.coarse.inline[fn] {
		return
	}
	r.coarse.inline[fn] = true
	for _, call := range r.callers[fn] {
		r.near(call.Parent())
	}
}

// isElsewhere reports whether the results of a function are the environment's: one of
// another package, except for what synchronizes.
func (r *relevance) isElsewhere(fn *ssa.Function) bool {
	pkg := packageOf(fn)
	if pkg == nil || pkg == r.c.l.pkg.Pkg {
		return false
	}
	switch pkg.Path() {
	case "sync", "sync/atomic", "internal/sync", "internal/runtime/atomic":
		return false
	}
	return !r.coarse.inline[fn]
}

// isFar reports whether a function is not followed because nothing in it is relevant
// within the limit.
func (c *compiler) isFar(fn *ssa.Function) bool {
	return c.isCoarse() && !c.rel.coarse.inline[fn]
}

// far is a call of such a function.
func (f *frame) far(fn *ssa.Function, key string) []value {
	c := f.c
	f.spoilLocations(c.rel.mayWrite(fn), key+"/far")
	res := fn.Signature.Results()
	if n := res.Len(); n >= 2 && f.wanted(fn.Signature) && isErrorType(res.At(n-1).Type()) {
		var out []value
		clean := f.clean
		for k := range n {
			f.clean = !c.rel.mayReturn(fn, k)
			out = append(out, f.anyValue(key+"/far"+strconv.Itoa(k), res.At(k).Type(), lower.Unmodelled))
		}
		f.clean = clean
		f.pointerOrError(out)
		return out
	}
	var out []value
	for k := range fn.Signature.Results().Len() {
		out = append(out, value{typ: fn.Signature.Results().At(k).Type(), missing: key + "/far" + strconv.Itoa(k), clean: !c.rel.mayReturn(fn, k)})
	}
	return out
}

// mayWrite returns the locations that are followed and that a function may write, or
// code that it calls.
func (r *relevance) mayWrite(fn *ssa.Function) map[location]bool {
	if all, ok := r.coarse.writes[fn]; ok {
		return all
	}
	all := map[location]bool{}
	seen := map[*ssa.Function]bool{fn: true}
	for work := []*ssa.Function{fn}; len(work) > 0; {
		g := work[0]
		work = work[1:]
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				for _, l := range r.written[i] {
					if l = r.find(l); r.locs[l] {
						all[l] = true
					}
				}
				call, ok := i.(ssa.CallInstruction)
				if !ok || isGo(i) {
					continue
				}
				for _, h := range r.targets[call] {
					if !seen[h] {
						seen[h] = true
						work = append(work, h)
					}
				}
				if e := r.effects[call]; e != nil && e.changes && r.hits(call) {
					for _, x := range openArgs(call) {
						given := r.givenBy(x.Type())
						for l := range given.locs {
							if r.locs[l] {
								all[l] = true
							}
						}
						for _, h := range given.fns {
							if !seen[h] {
								seen[h] = true
								work = append(work, h)
							}
						}
					}
				}
			}
		}
	}
	r.coarse.writes[fn] = all
	return all
}

// mayReturn reports whether a result of a function may be an error under study.
func (r *relevance) mayReturn(fn *ssa.Function, k int) bool {
	for _, b := range fn.Blocks {
		if len(b.Instrs) > 0 {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && k < len(ret.Results) && r.mayBeWanted(ret.Results[k]) {
				return true
			}
		}
	}
	return false
}

// ancestors makes the branches relevant that decide whether another one is reached.
func (r *relevance) ancestors(b *ssa.BasicBlock, seen map[*ssa.BasicBlock]bool) {
	if seen[b] || r.beyond() {
		return
	}
	seen[b] = true
	for _, c := range r.controllers(b) {
		if i, ok := c.Instrs[len(c.Instrs)-1].(*ssa.If); ok && (r.only == nil || r.only[i.Cond]) {
			r.instrs[i] = true
			r.need(i.Cond)
		}
		r.ancestors(c, seen)
	}
}

// returnedErrors makes a result of a function relevant as far as it may be an error
// under study.
func (r *relevance) returnedErrors(fn *ssa.Function, k int) {
	at := resultAt{fn, k}
	if r.coarse.flows[at] {
		return
	}
	r.coarse.flows[at] = true
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || k >= len(ret.Results) || !r.mayBeWanted(ret.Results[k]) || r.unreached(b) {
			continue
		}
		r.coarse.some[fn] |= 1 << k
		r.at1(0, func() { r.near(fn) })
		r.needError(ret.Results[k])
		r.controls(b)
	}
}

// needError makes a value relevant as far as it may be an error under study.
func (r *relevance) needError(v ssa.Value) {
	if !r.mayBeWanted(v) || r.coarse.origin[v] {
		return
	}
	r.coarse.origin[v] = true
	r.partly(v)
	switch v := v.(type) {
	case *ssa.Phi:
		r.instrs[v] = true
		for k, e := range v.Edges {
			if !r.mayBeWanted(e) {
				continue
			}
			r.needError(e)
			p := v.Block().Preds[k]
			r.controls(p)
			if len(p.Succs) > 1 {
				r.branch(p)
			}
		}
	case *ssa.ChangeInterface:
		r.instrs[v] = true
		r.needError(v.X)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			r.instrs[v] = true
			r.errorResult(call, v.Index)
			return
		}
		r.within(func() { r.need(v) })
	case *ssa.Call:
		if _, tuple := v.Type().(*types.Tuple); !tuple && len(r.targets[v]) > 0 {
			r.errorResult(v, 0)
			return
		}
		r.within(func() { r.need(v) })
	case *ssa.Parameter:
		r.values[v] = true
		for k, q := range v.Parent().Params {
			if q != v {
				continue
			}
			for _, call := range r.callers[v.Parent()] {
				if x := argumentOf(call.Common(), v.Parent(), k); x != nil {
					r.needError(x)
				}
			}
		}
	default:
		r.within(func() { r.need(v) })
	}
}

// partly notes that of a value only what it may be of an error, or where an object comes
// from, is followed. If it is needed for another reason, the rest is, too.
func (r *relevance) partly(v ssa.Value) {
	switch v.(type) {
	case *ssa.Phi, *ssa.Extract, *ssa.ChangeInterface, *ssa.UnOp:
		if i := v.(ssa.Instruction); !r.instrs[i] {
			r.coarse.part[v] = true
		}
	}
}

// isPartly reports whether a value is followed only partly so far; from now on it is not.
func (r *relevance) isPartly(v ssa.Value) bool {
	if r.coarse == nil || !r.coarse.part[v] {
		return false
	}
	delete(r.coarse.part, v)
	return true
}

func (r *relevance) partlyResult(call ssa.CallInstruction, k int) {
	if at := (resultOf{call, k}); !r.needs[at] {
		r.coarse.partResult[at] = true
	}
}

func (r *relevance) isPartlyResult(call ssa.CallInstruction, k int) bool {
	if r.coarse == nil || !r.coarse.partResult[resultOf{call, k}] {
		return false
	}
	delete(r.coarse.partResult, resultOf{call, k})
	return true
}

// hasResult reports whether a result of a function is followed.
func (r *relevance) hasResult(fn *ssa.Function, k int) bool {
	return r.results[fn]&(1<<k) != 0 || r.coarse != nil && r.coarse.some[fn]&(1<<k) != 0
}

// within does something within the limit.
func (r *relevance) within(do func()) { r.at1(min(r.coarse.level, r.coarse.limit), do) }

// errorResult makes a result of a call relevant as far as it may be an error under
// study.
func (r *relevance) errorResult(call *ssa.Call, k int) {
	if len(r.targets[call]) == 0 {
		r.within(func() { r.result(call, k) })
		return
	}
	r.partlyResult(call, k)
	r.needs[resultOf{call, k}] = true
	r.instrs[call] = true
	r.later(func() {
		for _, fn := range r.targets[call] {
			r.returnedErrors(fn, k)
		}
	})
}

// made makes relevant where the object comes from that a constructor returns.
func (r *relevance) made(v ssa.Value) {
	if v == nil || r.coarse.origin[v] {
		return
	}
	switch v.(type) {
	case *ssa.Const, *ssa.Builtin, *ssa.Function, *ssa.Global:
		return
	}
	r.coarse.origin[v] = true
	r.partly(v)
	call := func(call *ssa.Call, k int) {
		r.partlyResult(call, k)
		r.needs[resultOf{call, k}] = true
		r.instrs[call] = true
		for _, fn := range r.targets[call] {
			r.madeBy(fn, k)
		}
	}
	switch v := v.(type) {
	case *ssa.Phi:
		r.instrs[v] = true
		for _, e := range v.Edges {
			r.made(e)
		}
	case *ssa.ChangeInterface, *ssa.ChangeType, *ssa.MakeInterface, *ssa.TypeAssert, *ssa.FieldAddr:
		i := v.(ssa.Instruction)
		r.instrs[i] = true
		r.made(*i.Operands(nil)[0])
	case *ssa.Extract:
		r.instrs[v] = true
		if c, ok := v.Tuple.(*ssa.Call); ok {
			call(c, v.Index)
		} else {
			r.made(v.Tuple)
		}
	case *ssa.Call:
		call(v, 0)
	case *ssa.Parameter:
		r.values[v] = true
		for k, q := range v.Parent().Params {
			for _, call := range r.callers[v.Parent()] {
				if x := argumentOf(call.Common(), v.Parent(), k); q == v && x != nil {
					r.made(x)
				}
			}
		}
	case *ssa.UnOp:
		// A variable that function literals see.
		if a, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			r.instrs[v], r.instrs[a] = true, true
			if l := r.find(a); !r.locs[l] {
				r.locs[l] = true
				for _, i := range r.writes[l] {
					r.free(func() { r.happen(i) })
					if s, ok := i.(*ssa.Store); ok {
						r.made(s.Val)
					}
				}
			}
		}
	case *ssa.Alloc:
		r.instrs[v] = true
	}
}

func (r *relevance) madeBy(fn *ssa.Function, k int) {
	if r.coarse.flows[resultAt{fn, -1 - k}] {
		return
	}
	r.coarse.flows[resultAt{fn, -1 - k}] = true
	r.coarse.some[fn] |= 1 << k
	r.at1(0, func() { r.near(fn) })
	for _, b := range fn.Blocks {
		if len(b.Instrs) > 0 {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && k < len(ret.Results) {
				r.made(ret.Results[k])
			}
		}
	}
}

// recoverers makes relevant what a function defers that recovers. Where panics arise
// that are no errors under study is not relevant: lowering lets them be anywhere.
func (r *relevance) recoverers(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			d, ok := i.(*ssa.Defer)
			if !ok {
				continue
			}
			g := d.Call.StaticCallee()
			if g == nil || !callsRecover(g) {
				continue
			}
			r.at1(0, func() { r.near(g) })
			r.free(func() {
				r.happen(d)
				for _, b := range g.Blocks {
					for _, i := range b.Instrs {
						if call, ok := i.(*ssa.Call); ok {
							if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "recover" {
								r.happen(i)
							}
						}
					}
				}
			})
		}
	}
}

// addressed returns the fields whose address is used otherwise than to read and write
// there, by the types of their structs.
func (r *relevance) addressed() map[*types.Var]bool {
	all := map[*types.Var]bool{}
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if a, ok := (*op).(*ssa.FieldAddr); ok && r.takes(i, a) {
						if f, ok := fieldAt(deref(a.X.Type()).Underlying().(*types.Struct), a.Field).(*types.Var); ok {
							all[f] = true
						}
					}
				}
			}
		}
	}
	return all
}

// partsOf returns the parts of an object that a pointer may point to.
func (f *frame) partsOf(p *lower.Place, elem types.Type) (all []*lower.Place) {
	c := f.c
	var visit func(t types.Type, path string)
	visit = func(t types.Type, path string) {
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		for k := range st.NumFields() {
			v := st.Field(k)
			at := path + fieldPath(st, k)
			if c.rel.coarse.addressed[v.Origin()] && types.Identical(v.Type(), elem) {
				all = append(all, c.w.Part(p, at, elem))
			}
			visit(v.Type(), at)
		}
	}
	if t, ok := p.Type.(types.Type); ok && !p.IsPart() && !p.Const && p.Data == nil {
		visit(t, "")
	}
	return all
}

// unreached reports whether a block is where a function goes on that recovers, and the
// function does not.
func (r *relevance) unreached(b *ssa.BasicBlock) bool {
	return b == b.Parent().Recover && !r.c.mayRecover(b.Parent())
}

// spoilsByType makes the calls of code that is not followed relevant if it may write
// something that is followed.
func (r *relevance) spoilsByType() (more bool) {
	r.coarse.led = map[int]map[location]bool{}
	r.coarse.writes = map[*ssa.Function]map[location]bool{}
	for _, i := range r.open {
		if r.happens[i] || !r.hits(i) {
			continue
		}
		for _, x := range openArgs(i) {
			if len(r.ledTo(x.Type())) > 0 {
				r.free(func() { r.happen(i) })
				more = true
				break
			}
		}
	}
	return more || r.waiting()
}

// running returns the functions in which something is relevant.
func (r *relevance) running() map[*ssa.Function]bool {
	all := map[*ssa.Function]bool{}
	for i := range r.happens {
		all[i.Parent()] = true
	}
	for fn := range r.called {
		all[fn] = true
	}
	for fn := range r.results {
		all[fn] = true
	}
	for fn := range r.coarse.some {
		all[fn] = true
	}
	return all
}

// ledTo returns the locations that are followed and that code of other packages may write
// which is given a value of a type: fields that it may name, and what functions of the
// component's package write that it can call by it.
func (r *relevance) ledTo(t types.Type) map[location]bool {
	id := r.id(t)
	if all, ok := r.coarse.led[id]; ok {
		return all
	}
	all := map[location]bool{}
	g := r.givenBy(t)
	for l := range g.locs {
		if r.locs[l] {
			all[l] = true
		}
	}
	for _, fn := range g.fns {
		for l := range r.mayWrite(fn) {
			all[l] = true
		}
	}
	r.coarse.led[id] = all
	return all
}

// A gift is what code of other packages gets with a value.
type gift struct {
	locs map[location]bool // that it may write itself
	fns  []*ssa.Function   // that it may call
}

// givenBy returns what code of other packages gets with a value of a type.
func (r *relevance) givenBy(t types.Type) gift {
	id := r.id(t)
	if g, ok := r.coarse.gifts[id]; ok {
		return g
	}
	g := gift{locs: map[location]bool{}}
	own := r.c.l.pkg.Pkg
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
		if n, ok := types.Unalias(elem).(*types.Named); ok && n.Obj().Pkg() == own && !types.IsInterface(n) {
			set := r.c.l.prog.MethodSets.MethodSet(types.NewPointer(n))
			for k := range set.Len() {
				if fn := r.c.l.prog.MethodValue(set.At(k)); fn != nil {
					call(fn)
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
				if v.Exported() || v.Pkg() != own {
					g.locs[r.find(fieldAt(u, i))] = true
				}
				visit(v.Type())
			}
		case *types.Map:
			g.locs[r.find(r.mapSize(t))] = true
		case *types.Interface:
			for _, b := range r.boxes {
				if types.Implements(b, u) {
					visit(b)
				}
			}
		case *types.Signature:
			for _, fn := range r.reach.values {
				if types.Identical(noReceiver(fn.Signature), noReceiver(u)) {
					call(fn)
				}
			}
		}
	}
	if followed(t) {
		visit(t)
	}
	r.coarse.gifts[id] = g
	return g
}

// anywhere returns the places that a reference of a type from somewhere unknown may
// hold: those that have escaped, or all of the type if what escapes is not followed.
func (f *frame) anywhere(t types.Type) []*lower.Place {
	c := f.c
	if !c.isCoarse() || t == nil {
		return c.escapedAs(t)
	}
	var all []*lower.Place
	for _, p := range c.w.Places() {
		if e, ok := p.Data.(*errorValue); ok && (f.clean && c.wantsReturn(e) || !c.wantsReturn(e) && !e.wraps && !c.compared[p.Key]) {
			continue
		}
		if f.clean && types.IsInterface(t) && types.Implements(dynamicType(p), errorInterface) && p.Data != nil {
			if _, known := p.Data.(*errorValue); !known {
				continue // such values are taken to be under study where they are made
			}
		}
		if p.Key == objectsKey || p.Summary {
			continue // of such an object no more is known than of one outside
		}
		var here []*lower.Place
		if (canHold(t, p) || f.disguises(t, p)) && !p.IsPart() {
			here = append(here, p)
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			here = append(here, f.partsOf(p, u.Elem())...)
		case *types.Interface:
			for _, b := range c.reach.boxes {
				if e := deref(b); e != nil && types.Implements(b, u) {
					here = append(here, f.partsOf(p, e)...)
				}
			}
		}
		if len(here) > 0 && !p.Const && !p.IsState() {
			c.w.Hold(p.Root()) // it may be one of an earlier call
		}
		all = append(all, here...)
	}
	return all
}

// disguises reports whether a pointer may be to an object of another type: one with the
// same fields, or any if pointers of the type are made by way of unsafe.Pointer.
func (f *frame) disguises(t types.Type, p *lower.Place) bool {
	elem := deref(t)
	at, ok := p.Type.(types.Type)
	if elem == nil || !ok || p.Const || p.Data != nil {
		return false
	}
	return f.c.reach.disguised[f.c.reach.id(elem)] || types.IdenticalIgnoreTags(elem.Underlying(), at.Underlying())
}

// answers is the class of what somebody says by a channel. In a coarse program that may be
// the component itself, which closed it.
func (f *frame) answers() lower.Class {
	if f.c.isCoarse() {
		return lower.Unmodelled
	}
	return lower.Answer
}

// isCoarse reports whether what is lowered is coarse.
func (c *compiler) isCoarse() bool { return c.rel != nil && c.rel.coarse != nil }

// spoilByType lets somebody change what values of a type lead to, in all objects.
func (f *frame) spoilByType(t types.Type, key string) {
	f.spoilLocations(f.c.rel.ledTo(t), key)
}

// spoilLocations lets somebody change locations in all objects.
func (f *frame) spoilLocations(all map[location]bool, key string) {
	if len(all) == 0 {
		return
	}
	for _, p := range f.c.w.Places() {
		typ, ok := p.Type.(types.Type)
		if !ok || p.Summary || p.Const || p.IsPart() {
			continue
		}
		switch p.Data.(type) {
		case closure, *errorValue:
			continue
		}
		for _, l := range f.c.leaves(typ) {
			in := l.in
			if g, ok := p.Data.(*ssa.Global); ok && in == nil {
				in = g
			}
			if in != nil && all[f.c.rel.find(in)] && f.c.keeps(l) && f.mayWrite(p, l) {
				f.mayChange(p, l, f.c.rel.find(in), key+"/by type/"+p.Key+l.path)
			}
		}
	}
}

// mayChange lets somebody write a scalar. If all code that is reached writes constants
// there, and none is beyond it, it is one of these or what it was.
func (f *frame) mayChange(p *lower.Place, l leaf, at location, key string) {
	list := f.c.rel.constants(at)
	if list == nil {
		f.havocCell(p, l, key)
		return
	}
	cell := f.m.Cell(p, l.path, l.typ)
	next := cell.Term
	for k, x := range list {
		v := f.c.constant(x)
		if len(v.t) != 1 || v.t[0].Sort() != l.typ.Sort {
			f.havocCell(p, l, key)
			return
		}
		guess := f.any(key+"/constant"+strconv.Itoa(k), leaf{typ: boolType}, lower.Unmodelled)
		next = f.c.w.Pool.Ite(guess, v.t[0], next)
	}
	f.m.Set(cell, next)
}

// constants returns the constants that are written to a location of the component's own
// package, if nothing else is; nil if something may be.
func (r *relevance) constants(at location) []*ssa.Const {
	field, ok := at.(*types.Var)
	if !ok || field.Exported() || field.Pkg() != r.c.l.pkg.Pkg || len(r.writes[at]) == 0 {
		return nil
	}
	var list []*ssa.Const
	for _, i := range r.writes[at] {
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

// openCall is a call of which it is not known what it calls: one of the functions in
// which something is relevant, or the environment. invoked is set for a method of an
// interface.
func (f *frame) openCall(args []value, invoked bool, key string, at token.Pos, again bool, otherwise func() []value) []returning {
	var list []returning
	if f.site != nil && f.c.isCoarse() {
		for _, fn := range f.c.rel.targets[f.site] {
			if !f.m.Reachable() || !f.c.rel.coarse.runs[fn] {
				continue
			}
			key := key + "/perhaps " + fn.RelString(nil)
			given := args
			if invoked {
				given = append([]value{f.anyValue(key+"/receiver", fn.Params[0].Type(), lower.Unmodelled)}, args...)
			}
			if len(given) != len(fn.Params) {
				given = nil
			}
			yes, no := f.m.Branch(f.any(key, leaf{typ: boolType}, lower.Unmodelled))
			f.m.Continue(yes)
			site := f.site
			out := f.function(fn, given, nil, nil, key, at, again)
			f.site = site
			list = append(list, returning{f.m.Here(), out})
			f.m.Continue(no)
		}
	}
	if f.m.Reachable() {
		out := otherwise()
		list = append(list, returning{f.m.Here(), out})
	}
	return list
}

// mayPanicAnywhere lets a function that recovers meet a panic anywhere. It is where
// such panics arrive.
func (f *frame) mayPanicAnywhere(from int) {
	if !f.c.isCoarse() || from < 0 {
		return
	}
	c := f.c
	f.m.Continue(from)
	f.spoilLocations(c.rel.mayWrite(f.fn), f.path+"/panic anywhere")
	for k, d := range f.defers {
		f.m.Set(d.flag, f.any(f.path+"/panic anywhere/defer"+strconv.Itoa(k), leaf{typ: boolType}, lower.Unmodelled))
	}
	f.m.Set(f.catch.flag, c.w.Pool.True())
	f.m.Goto(f.catch.loc)
}

// leaks reports whether the address of a variable may be known to code that is not
// followed: it is used otherwise than to read and write, also by function literals.
func leaks(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > 8 {
		return true
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if leaks(r, depth+1) {
				return true
			}
		case *ssa.Store:
			if r.Addr != v {
				return true
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for k, b := range r.Bindings {
				if b == v && (k >= len(fn.FreeVars) || leaks(fn.FreeVars[k], depth+1)) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}

// mayBeWanted reports whether a value may be an error under study.
func (r *relevance) mayBeWanted(v ssa.Value) bool { return r.coarse.wanted[v] }

// wantedValues returns the values that may be errors under study: those that are
// made as such, and where they flow to.
func (r *relevance) wantedValues() map[ssa.Value]bool {
	vals := map[ssa.Value]bool{}
	if !r.c.kinds.anyReturn() {
		return vals
	}
	locs := map[location]bool{}
	elements := false // one is put where it is not followed
	returned := map[resultAt]bool{}
	for changed := true; changed; {
		changed = false
		set := func(v ssa.Value) {
			if !vals[v] {
				vals[v], changed = true, true
			}
		}
		is := func(v ssa.Value) bool { return v != nil && (vals[v] || r.isWantedGlobal(v)) }
		for _, fn := range r.fns {
			for k, p := range fn.Params {
				for _, call := range r.callers[fn] {
					if x := argumentOf(call.Common(), fn, k); x != nil && is(x) {
						set(p)
					}
				}
			}
			for n, v := range fn.FreeVars {
				for _, m := range r.closures[fn] {
					if is(m.Bindings[n]) {
						set(v)
					}
				}
			}
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					switch i := i.(type) {
					case *ssa.Store:
						if is(i.Val) {
							parts := r.parts(i.Addr)
							if len(parts) == 0 && !elements && !r.printed(i.Addr) {
								elements, changed = true, true
							}
							for _, l := range parts {
								if l = r.find(l); !locs[l] {
									locs[l], changed = true, true
								}
							}
						}
						continue
					case *ssa.MapUpdate:
						if is(i.Value) && !elements {
							elements, changed = true, true
						}
						continue
					case *ssa.Send:
						if is(i.X) && !elements {
							elements, changed = true, true
						}
						continue
					case *ssa.Return:
						for k, x := range i.Results {
							if is(x) && !r.unreached(b) && !returned[resultAt{fn, k}] {
								returned[resultAt{fn, k}], changed = true, true
							}
						}
						continue
					}
					v, ok := i.(ssa.Value)
					if !ok || vals[v] {
						continue
					}
					switch i := i.(type) {
					case *ssa.UnOp:
						switch l := r.at(i.X); {
						case i.Op == token.ARROW:
							if elements && !noError(v.Type()) {
								set(v)
							}
						case i.Op != token.MUL:
						case is(i.X) || l == nil && elements && !noError(v.Type()) || l != nil && locs[r.find(l)] || r.isWantedGlobal(v):
							set(v)
						default:
							for _, l := range fieldsOf(i.Type(), nil) {
								if locs[r.find(l)] {
									set(v)
								}
							}
						}
						continue
					case *ssa.Lookup, *ssa.Index, *ssa.Next, *ssa.Select, *ssa.Range:
						if elements && !noError(v.Type()) {
							set(v)
						}
					case *ssa.Field:
						if locs[r.find(fieldAt(i.X.Type().Underlying().(*types.Struct), i.Field))] {
							set(v)
						}
					case *ssa.Extract:
						if call, ok := i.Tuple.(*ssa.Call); ok {
							for _, g := range r.targets[call] {
								if returned[resultAt{g, i.Index}] {
									set(v)
								}
							}
							if len(r.targets[call]) > 0 && r.effects[call] == nil {
								continue // only what these return
							}
						}
					case *ssa.Call:
						for _, g := range r.targets[i] {
							if returned[resultAt{g, 0}] && g.Signature.Results().Len() == 1 {
								set(v)
							}
						}
						if _, tuple := i.Type().(*types.Tuple); len(r.targets[i]) > 0 && r.effects[i] == nil && !tuple {
							continue
						}
						if r.isWantedCall(i) {
							set(v)
						}
						if r.effects[i] != nil && !noError(i.Type()) && r.mayGet(i, returned) {
							set(v)
						}
						if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() == "recover" {
							set(v)
						}
						if r.known[i] == nil {
							continue
						}
						for _, x := range variadic(lastOf(i.Call.Args)) {
							if is(x) {
								set(v)
							}
						}
					case *ssa.MakeInterface:
						if !types.Implements(i.X.Type(), errorInterface) {
							break
						}
						if id := r.id(i.X.Type()); !slices.Contains(r.coarse.made[id], fn) {
							r.coarse.made[id] = append(r.coarse.made[id], fn)
						}
						if r.isWantedType(i.X.Type(), fn, locs) {
							set(v)
						}
					case *ssa.BinOp, *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
						continue
					}
					for _, op := range i.Operands(nil) {
						if *op != nil && is(*op) {
							set(v)
						}
					}
				}
			}
		}
	}
	r.coarse.carries = locs
	return vals
}

// noError reports whether a call has no result that may be an error.
func noError(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		for k := range tuple.Len() {
			if !noError(tuple.At(k).Type()) {
				return false
			}
		}
		return true
	}
	return !types.IsInterface(t) && !isPointer(t)
}

// mayGet reports whether code that is not followed is given something through which it
// may get errors under study: objects with methods, and functions, that return them.
func (r *relevance) mayGet(call ssa.CallInstruction, returned map[resultAt]bool) bool {
	gives := func(fn *ssa.Function) bool {
		for k := range fn.Signature.Results().Len() {
			if returned[resultAt{fn, k}] {
				return true
			}
		}
		return false
	}
	methods := func(t types.Type) bool {
		set := r.c.l.prog.MethodSets.MethodSet(t)
		for k := range set.Len() {
			if fn := r.c.l.prog.MethodValue(set.At(k)); fn != nil && gives(fn) {
				return true
			}
		}
		return false
	}
	for _, x := range call.Common().Args {
		switch u := x.Type().Underlying().(type) {
		case *types.Interface:
			for _, b := range r.boxes {
				if types.Implements(b, u) && methods(b) {
					return true
				}
			}
		case *types.Pointer, *types.Struct:
			if r.mayBeOwn(x.Type(), 0) && methods(x.Type()) {
				return true
			}
		case *types.Signature:
			for _, fn := range r.reach.values {
				if types.Identical(noReceiver(fn.Signature), noReceiver(u)) && gives(fn) {
					return true
				}
			}
		case *types.Slice:
			if !noError(u.Elem()) && !r.prints(call, x) {
				return len(returned) > 0 // elements may be anything
			}
		case *types.Map, *types.Chan:
			return len(returned) > 0
		}
	}
	return false
}

// prints reports whether a slice is made for the arguments of a call, none of which is an
// error.
func (r *relevance) prints(call ssa.CallInstruction, x ssa.Value) bool {
	list := variadic(x)
	for _, v := range list {
		if m, ok := v.(*ssa.MakeInterface); !ok || types.Implements(m.X.Type(), errorInterface) || isPointer(m.X.Type()) {
			return false
		}
	}
	return len(list) > 0
}

// isWantedGlobal reports whether a value is a package variable, or what one holds,
// that may be an error under study.
func (r *relevance) isWantedGlobal(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	g, ok := load.X.(*ssa.Global)
	if !ok {
		return false
	}
	if e := r.c.sentinel(g); e != nil {
		return r.isWantedSentinel(e)
	}
	return !noError(load.Type()) && g.Pkg == r.c.l.pkg
}

// isWantedSentinel reports whether the error of a package variable may be one under study,
// or one that such an error wraps.
func (r *relevance) isWantedSentinel(e *errorValue) bool {
	return r.c.wantsReturn(e) || r.mayBeMessage(e.message, e.pkg)
}

// isWantedCall reports whether a call makes an error that may be one under study, or
// one that such an error wraps.
func (r *relevance) isWantedCall(call *ssa.Call) bool {
	fn := call.Call.StaticCallee()
	if fn == nil || len(call.Call.Args) == 0 {
		return false
	}
	switch nameOf(fn) {
	case "errors.New":
		return r.mayBeMessage(staticMessage(call.Call.Args[0]), packageOf(call.Parent()))
	case "fmt.Errorf":
		return r.mayBeMessage(formatText(staticMessage(call.Call.Args[0])), packageOf(call.Parent()))
	}
	return false
}

// mayBeMessage reports whether an error with a message that a package makes may be one
// under study, or one that such an error wraps.
func (r *relevance) mayBeMessage(message string, pkg *types.Package) bool {
	k := r.c.kinds
	if r.c.wantsReturn(&errorValue{message: message, pkg: pkg}) {
		return true
	}
	if pkg == r.c.l.pkg.Pkg && len(k.returns) > 0 {
		return true
	}
	parts := strings.Split(message, anyText)
	for _, m := range k.messages {
		at := 0
		for _, p := range parts {
			n := strings.Index(m[at:], p)
			if n < 0 {
				at = -1
				break
			}
			at += n + len(p)
		}
		if at > 0 && strings.Trim(message, anyText+" :") != "" {
			return true
		}
	}
	return false
}

// isWantedType reports whether errors of a type of its own that a function makes may be
// under study. What they wrap is in locations.
func (r *relevance) isWantedType(t types.Type, fn *ssa.Function, locs map[location]bool) bool {
	if !types.Implements(t, errorInterface) {
		return false
	}
	s, _ := t.Underlying().(*types.Struct)
	if e := deref(t); e != nil {
		s, _ = e.Underlying().(*types.Struct)
	}
	for _, text := range r.c.errorTexts(t) {
		message, wraps := "", false
		for _, x := range text {
			if x.kind == constantPart {
				message += x.text
				continue
			}
			message += anyText
			for i := 0; x.kind == errorPart && s != nil && i < s.NumFields(); i++ {
				wraps = wraps || x.text == fieldPath(s, i) && locs[r.find(fieldAt(s, i))]
			}
		}
		if wraps || r.mayBeMessage(joinText(message), packageOf(fn)) {
			return true
		}
	}
	return false
}

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// staticMessage is the text of a message as far as it is constant in its function.
func staticMessage(x ssa.Value) string {
	switch x := x.(type) {
	case *ssa.MakeInterface:
		return staticMessage(x.X)
	case *ssa.ChangeInterface:
		return staticMessage(x.X)
	case *ssa.Const:
		if x.Value != nil && x.Value.Kind() == constant.String {
			return constant.StringVal(x.Value)
		}
	case *ssa.BinOp:
		if x.Op == token.ADD {
			return staticMessage(x.X) + staticMessage(x.Y)
		}
	case *ssa.Call:
		if g := x.Call.StaticCallee(); g != nil && len(x.Call.Args) > 0 {
			switch nameOf(g) {
			case "fmt.Sprintf", "fmt.Errorf", "errors.New":
				return formatText(staticMessage(x.Call.Args[0]))
			}
		}
	}
	return anyText
}
