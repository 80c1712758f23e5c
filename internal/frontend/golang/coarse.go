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
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// A coarse is the level up to which relevance goes.
type coarse struct {
	limit      int
	level      int                // of what is at hand
	aside      bool               // see level
	wanted     map[ssa.Value]bool // may be an error under study
	runs       map[*ssa.Function]bool
	writes     map[*ssa.Function]writing
	keptAny    map[int]bool // types of which values are in variables of type any
	gifts      map[giving]gift
	led        map[giving]map[location]bool // what is followed and led to
	origin     map[ssa.Value]bool
	some       map[*ssa.Function]uint64 // results that are followed only partly
	part       map[ssa.Value]bool
	partResult map[resultOf]bool
	met        map[*ssa.Function]bool
	inline     map[*ssa.Function]bool       // are followed
	made       map[int][]*ssa.MakeInterface // by type: where errors of types of their own are made
	carries    map[location]bool            // may hold errors under study
	always     map[location]bool            // are followed although they are of another package
	// addressed are the fields that pointers may point to.
	addressed map[*types.Var]bool
	flows     map[resultAt]bool
	texts     map[*ssa.Call]map[string]*callContext // messages that calls make
	plain     map[*ssa.Function]bool                // have too many contexts
}

// A level says how much is followed: steps from error sites, whether results are, and whether it is not followed when
// other errors are put where those under study may be.
type level struct {
	steps   int
	results bool
	aside   bool
}

// levels are those that are tried.
var levels = []level{{steps: 0}, {steps: 0, results: true}, {steps: 1}, {steps: 2, aside: true}, {steps: 2}, {steps: 3}, {steps: 1, results: true}, {steps: 2, results: true}, {steps: 4, results: true}}

func newCoarseState(limit int) *coarse {
	return &coarse{limit: limit, origin: map[ssa.Value]bool{}, inline: map[*ssa.Function]bool{}, met: map[*ssa.Function]bool{}, some: map[*ssa.Function]uint64{}, part: map[ssa.Value]bool{}, partResult: map[resultOf]bool{}, gifts: map[giving]gift{}, always: map[location]bool{}, made: map[int][]*ssa.MakeInterface{}, flows: map[resultAt]bool{}, texts: map[*ssa.Call]map[string]*callContext{}, plain: map[*ssa.Function]bool{}}
}

// newCoarse computes what is relevant up to a level.
func newCoarse(c *compiler, from calls, l level) *relevance {
	r := emptyRelevance(c.reach, from)
	r.coarse = newCoarseState(l.steps)
	r.coarse.aside = l.aside
	r.coarse.wanted = r.wantedValues()
	// Errors of types of their own are known only where they are made. If no call returns an
	// error under study but opaque ones, which are not followed to theirs, none matters.
	fns := r.fns
	if !r.anyReturned(from) {
		fns = nil
	}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if m, ok := i.(*ssa.MakeInterface); ok && r.isWantedType(m, r.coarse.carries) {
					r.need(m)
					r.free(func() { r.happen(i) })
					r.nearAlways(fn)
				}
			}
		}
	}
	r.coarse.addressed = r.addressed()
	r.coarse.keptAny = r.keptInAny()
	r.sites(from)
	r.settle()
	if l.results {
		r.resultsOf(from.methods, func(t types.Type) bool { return c.tellsApart(t) })
	}
	r.testsOfKnown()
	r.partial = true
	r.coarse.runs = r.running()
	r.coarse.led = map[giving]map[location]bool{}
	r.coarse.writes = map[*ssa.Function]writing{}
	return r
}

// anyReturned reports whether some call that is followed to its errors may return one under
// study.
func (r *relevance) anyReturned(from calls) bool {
	for _, fn := range slices.Concat(from.methods, from.makers) {
		for k := range fn.Signature.Results().Len() {
			if r.c.opaque[fn] == nil && r.mayReturn(fn, k) {
				return true
			}
		}
	}
	return len(from.chains) > 0
}

// A coarser lowers a component at levels, each when it is asked for.
type coarser struct {
	l     *loaded
	s     Subject
	o     Options
	k     kinds
	known *contracts
	made  []*Result // by level; nil if it is too large, or the same as an earlier one
	last  bool      // they come after the one that follows everything, which is small
}

// at returns the program of a level, or nil. If even the first is too large, there is none.
func (c *coarser) at(ctx context.Context, n int) (*Result, error) {
	for len(c.made) <= n {
		if len(c.made) > 0 && c.made[0] == nil {
			return nil, nil
		}
		r, err := c.lower(ctx, len(c.made))
		if err != nil {
			return nil, err
		}
		c.made = append(c.made, r)
	}
	return c.made[n], nil
}

func (c *coarser) lower(ctx context.Context, n int) (*Result, error) {
	o := c.o
	o.level = &levels[n]
	k := c.l.compiler(o, c.k, c.known)
	k.maxWork = maxWork
	k.w.Limit(maxCoarse, maxAllCoarse)
	steps := coarseSteps
	k.w.Steps(&steps)
	for _, r := range c.made {
		if r != nil {
			k.earlier = append(k.earlier, r.rel)
		}
	}
	r, err := k.lower(ctx, c.s)
	if errors.Is(err, errSame) || errors.Is(err, lower.ErrTooLarge) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.level = n + 1
	return r, nil
}

// Programs returns the programs of a component in the order in which they are to be tried:
// coarse ones, which are lowered when they are asked for, and the one that follows
// everything, if it is not too large: before them if it is small, else after them.
func (r *Result) Programs(ctx context.Context) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		first := r.level == 0 && (r.coarser == nil || r.coarser.last)
		if first && !yield(r, nil) {
			return
		}
		if r.coarser != nil {
			for n := range levels {
				q, err := r.coarser.at(ctx, n)
				if (q != nil || err != nil) && !yield(q, err) || err != nil {
					return
				}
			}
		}
		if r.level == 0 && !first {
			yield(r, nil)
		}
	}
}

// errSame is the error of a level that leads to the same program as an earlier one.
var errSame = errors.New("the program is the same as that of an earlier level")

// same reports whether the same is relevant in two coarse programs of a component.
func (r *relevance) same(q *relevance) bool {
	a, b := r.coarse, q.coarse
	return maps.Equal(r.instrs, q.instrs) && maps.Equal(r.values, q.values) && maps.Equal(r.locs, q.locs) && maps.Equal(r.results, q.results) &&
		maps.Equal(r.checked, q.checked) && maps.Equal(r.happens, q.happens) && maps.Equal(r.called, q.called) && maps.Equal(r.needs, q.needs) &&
		maps.Equal(a.wanted, b.wanted) && maps.Equal(a.runs, b.runs) && maps.Equal(a.some, b.some) && maps.Equal(a.part, b.part) && maps.Equal(a.partResult, b.partResult) &&
		maps.Equal(a.met, b.met) && maps.Equal(a.inline, b.inline) && maps.Equal(a.always, b.always)
}

// Limits of coarse programs, in edges, and of their analysis.
const (
	maxCoarse    = 8_000
	maxAllCoarse = 50_000
	coarseSteps  = 300_000
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
	if v, ok := l.(*types.Var); ok && !r.c.l.owns(v.Pkg()) && !r.coarse.always[l] {
		return v.Pkg() != nil && (v.Pkg().Path() == "sync" || v.Pkg().Path() == "sync/atomic" || v.Pkg().Path() == "internal/sync")
	}
	return true
}

// maxWriters bounds the instructions that write a location which is followed. One that
// has more is mostly several: variables whose address is taken are one by their type.
const maxWriters = 60

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
}

// nearAlways notes that a function has to be met wherever it may be called.
func (r *relevance) nearAlways(fn *ssa.Function) {
	if r.coarse.met[fn] {
		return
	}
	r.coarse.met[fn], r.coarse.inline[fn] = true, true
	for _, call := range r.callers[fn] {
		r.nearAlways(call.Parent())
	}
}

// isElsewhere reports whether the results of a call are the environment's: of a function of
// another package, except for what synchronizes.
func (r *relevance) isElsewhere(call ssa.CallInstruction, fn *ssa.Function) bool {
	pkg := packageOf(fn)
	if pkg == nil || r.c.l.owns(pkg) {
		return false
	}
	switch pkg.Path() {
	case "sync", "sync/atomic", "internal/sync", "internal/runtime/atomic":
		return false
	}
	if r.coarse.inline[fn] {
		return false
	}
	known, _ := r.resolved(call.Common())
	sole := known.closed && len(known.fns) == 1 || call.Common().StaticCallee() != nil && packageOf(call.Parent()) == pkg
	return !sole || !r.c.isCheap(fn)
}

// isFar reports whether a function is not followed because nothing in it is relevant
// within the limit.
func (c *compiler) isFar(fn *ssa.Function) bool {
	return c.isCoarse() && !c.rel.coarse.inline[fn]
}

// farClass is the class of what such a function of another package returns. Where it is followed
// otherwise, what it returns may be decided by the component's state: then it is no
// answer.
func (c *compiler) farClass(fn *ssa.Function, site ssa.CallInstruction) lower.Class {
	n, loops := c.size(fn)
	if n <= cheapSize && !loops || n <= takesSize && (site == nil || c.reach.mayBeGiven(site, fn)) {
		return lower.Unmodelled
	}
	return lower.Answer
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
					r.at1(0, func() {
						r.near(i.Parent())
						for _, call := range r.callers[i.Parent()] {
							r.near(call.Parent())
						}
					})
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
					if a, ok := unconverted(*op).(*ssa.FieldAddr); ok && r.takes(i, *op) {
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

// unconverted is a value before its conversions to types of the same structure.
func unconverted(v ssa.Value) ssa.Value {
	for {
		c, ok := v.(*ssa.ChangeType)
		if !ok {
			return v
		}
		v = c.X
	}
}

// unreached reports whether no run comes to a block: it is where a function goes on that recovers, and the
// function does not, or the prover says so.
func (r *relevance) unreached(b *ssa.BasicBlock) bool {
	return r.isUnrun(b) || b == b.Parent().Recover && !r.c.mayRecover(b.Parent())
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

// isCoarse reports whether what is lowered is coarse.
func (c *compiler) isCoarse() bool { return c.rel != nil && c.rel.coarse != nil }

// isAside reports whether an instruction puts an error that is none under study where one may be. What decides whether it
// does, code that keeps failures of others, is most of what a compressor does, and mostly of no interest: the
// state that counts is whether the error under study is there.
func (r *relevance) isAside(l location, i ssa.Instruction) bool {
	if r.coarse == nil || !r.coarse.aside || !r.coarse.carries[l] {
		return false
	}
	s, ok := i.(*ssa.Store)
	if !ok || !isErrorType(s.Val.Type()) {
		return false
	}
	_, constant := s.Val.(*ssa.Const)
	return !constant && !r.mayBeWanted(s.Val)
}

// isCounted reports whether a variable is one that a loop counts, or eats up, and comes from its last round: it is any
// value then, where errors of others are not followed either.
func (r *relevance) isCounted(v *ssa.Phi, from *ssa.BasicBlock) bool {
	if r.coarse == nil || !r.coarse.aside || !v.Block().Dominates(from) {
		return false
	}
	switch u := v.Type().Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsInteger|types.IsString) != 0
	case *types.Slice:
		return true
	}
	return false
}
