// SPDX-License-Identifier: Apache-2.0

package golang

// This file looks at the code that lowering may inline, before anything is
// lowered: which functions can be reached, what calls may call, and which (reach_locations.go)
// instructions write which abstract locations. It is the ground on which
// relevance.go stands.
//
// Reachability is rapid type analysis (Bacon and Sweeney, OOPSLA 1996): a method
// call of an interface may call the methods of the types that reachable code puts
// into interfaces; a call of a function value may call every function of that
// signature whose value is taken. Functions of other packages are entered only
// as far as the limits of call.go could ever inline them.

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// A reach is the code that lowering may inline.
type reach struct {
	c       *compiler
	fns     []*ssa.Function
	abroad  map[*ssa.Function]int // how many functions of other packages deep
	targets map[ssa.CallInstruction][]*ssa.Function
	refuted *refuted     // nil: not looked for
	back    *callingBack // what others may run; nil: not looked for

	outlines     map[*ssa.Function]*outline        // see writtenBy
	leads        map[types.Type]bool               // types of which a value may lead to an error (asked.go)
	asked        map[ssa.CallInstruction]*askedFor // calls whose results code compares, as far as it was asked (asked.go)
	incomparable []types.Type                      // of values in interfaces that cannot be compared; the first is none
	callers      map[*ssa.Function][]ssa.CallInstruction
	known        map[ssa.CallInstruction]*ssa.Function // intrinsics
	open         []ssa.CallInstruction                 // calls that may be the environment's
	closures     map[*ssa.Function][]*ssa.MakeClosure
	boxes        []types.Type // types that are put into interfaces
	implementing map[*types.Interface]*implementers
	ownMethods   map[types.Type]bool // see hasOwnMethods
	values       []*ssa.Function

	ids    typeutil.Map // types -> int
	parent map[location]location
	writes map[location][]ssa.Instruction // by representative
	// written is the same by instruction.
	written map[ssa.Instruction][]location

	effects map[ssa.CallInstruction]*effect // of the environment
	// disguised are the types that unsafe.Pointer makes objects look like.
	disguised map[int]bool
	// hidden are the types of pointers that are made unsafe.Pointer.
	hidden []types.Type
	sent   map[int]bool // types of values that are sent on channels; nil: not known yet
	// twins are the structs of the same layout that unsafe.Pointer makes of each other, and
	// the one that gives their fields names.
	twins map[*types.Struct]*types.Struct
	// strange are those of another layout, and what sets their fields apart.
	strange map[*types.Struct]string

	typeEdges map[int][]typeEdge
	summaries map[*ssa.Function]*summary
	mods      map[*ssa.Function]*modified
	located   map[*ssa.Function]bool
	unnamed   map[int]*types.Struct // structs without a name, by what they are

	unseen  map[*ssa.Function]unseen // explicit errors in functions and what they call
	handing map[*ssa.Function]bool   // recursive functions that hand on their receivers
	// Of goroutines (goroutines.go): where they are started, the functions that they may run, those of them that nobody else runs, and
	// the locations that they write; nil: not known yet.
	starts         []*start
	started, aside map[*ssa.Function]bool
	sharedLocs     map[location]bool
	channelsFrom   map[ssa.Value]*channelOrigin
	keptSync       map[*types.Var]bool // see isKeptSync
	// callbacks are functions that only code which is not followed may call.
	callbacks []*ssa.Function
	closing   int // whether these close channels: 1 no, 2 yes; 0: not known yet
	boxed     map[int]bool
	ownParts  map[int]bool
	taken     map[*ssa.Function]bool
	// early and earlyBoxes are the functions, and the types of values in interfaces, that the
	// initialization of the package makes values of.
	early       map[*ssa.Function]bool
	earlyBoxes  map[int]bool
	dynamic     []ssa.CallInstruction
	flows       *flowed // nil: not known
	held        map[*ssa.UnOp][]*ssa.Call
	theirErrors int                            // whether errors from elsewhere may be the component's own: 1 yes, 2 no; 0: not known yet
	panics      *int                           // see ownPanics; nil: not known
	unset       map[*types.Var]bool            // see unset.go
	outside     map[location]bool              // what strangers write; nil: not known yet
	born        map[*types.Var]bool            // fields that are only set where objects are made; nil: not known yet
	scans       map[*types.Package]*fieldScan  // see packageScan
	others      map[*types.Named]*another      // see obvious_abroad.go
	grown       map[*types.Var][]*ssa.Function // fields that others can only add to, and what else does; nil: not known yet
	growing     *prover                        // that showed it
}

// newReach finds the code that can be reached from the given functions. Code that
// only runs before the first call is looked at for the values that it makes.
func newReach(c *compiler, entries []*ssa.Function) *reach {
	r := reachBy(c, entries, nil)
	return reachBy(c, entries, flowsOf(r, entries))
}

// reachBy does that for dynamic calls of which it is known what they may call; nil: it
// goes by types alone.
func reachBy(c *compiler, entries []*ssa.Function, flows *flowed) *reach {
	r := &reach{c: c, flows: flows, abroad: map[*ssa.Function]int{}, targets: map[ssa.CallInstruction][]*ssa.Function{},
		callers: map[*ssa.Function][]ssa.CallInstruction{}, known: map[ssa.CallInstruction]*ssa.Function{},
		closures: map[*ssa.Function][]*ssa.MakeClosure{}, parent: map[location]location{}, writes: map[location][]ssa.Instruction{}, written: map[ssa.Instruction][]location{},
		effects: map[ssa.CallInstruction]*effect{}, typeEdges: map[int][]typeEdge{},
		summaries: map[*ssa.Function]*summary{}, mods: map[*ssa.Function]*modified{}, located: map[*ssa.Function]bool{}, unnamed: map[int]*types.Struct{}, boxed: map[int]bool{}, taken: map[*ssa.Function]bool{}, early: map[*ssa.Function]bool{}, earlyBoxes: map[int]bool{}, scans: map[*types.Package]*fieldScan{}}
	var work []*ssa.Function
	enter := func(fn *ssa.Function, depth int) {
		old, ok := r.abroad[fn]
		if ok && old <= depth {
			return
		}
		r.abroad[fn] = depth
		if !ok {
			r.fns = append(r.fns, fn)
		}
		work = append(work, fn)
	}
	for _, fn := range entries {
		if len(fn.Blocks) > 0 {
			enter(fn, 0)
		}
	}
	var early []*ssa.Function
	for _, init := range c.l.inits() {
		early = append(early, init)
		early = append(early, r.c.l.calledBy(init)...)
		r.scan(init)
		r.scanCallees(init, map[*ssa.Function]bool{init: true})
		for _, fn := range r.values {
			r.early[fn] = true
		}
		for _, t := range r.boxes {
			r.earlyBoxes[r.id(t)] = true
		}
	}
	scanned := map[*ssa.Function]bool{}
	linked := map[ssa.CallInstruction]map[*ssa.Function]bool{}
	link := func(call ssa.CallInstruction, fn *ssa.Function) {
		if linked[call] == nil {
			linked[call] = map[*ssa.Function]bool{}
		}
		if !linked[call][fn] {
			linked[call][fn] = true
			r.targets[call] = append(r.targets[call], fn)
			r.callers[fn] = append(r.callers[fn], call)
		}
		depth := 0
		if !c.l.owns(packageOf(fn)) {
			depth = r.abroad[call.Parent()] + abroadBy(fn)
		}
		enter(fn, depth)
	}
	for {
		for len(work) > 0 {
			fn := work[0]
			work = work[1:]
			if !scanned[fn] {
				scanned[fn] = true
				r.scan(fn)
			}
			dead := c.deadBlocks(fn)
			for _, b := range fn.Blocks {
				if dead[b] {
					continue
				}
				for _, i := range b.Instrs {
					call, ok := i.(ssa.CallInstruction)
					if !ok || isGo(i) {
						continue
					}
					if g := call.Common().StaticCallee(); g != nil && r.known[call] == nil && r.enters(g, call) {
						link(call, g)
					}
				}
			}
		}
		for k := 0; k < len(r.dynamic); k++ {
			call := r.dynamic[k]
			for _, g := range r.candidates(call.Common()) {
				if r.enters(g, call) {
					link(call, g)
				}
			}
		}
		if len(work) > 0 {
			continue
		}
		// Code that is not followed may call what it is given, and what that returns.
		called := func(fn *ssa.Function) {
			if _, ok := r.abroad[fn]; !ok {
				depth := 0
				if !c.l.owns(packageOf(fn)) {
					depth = maxAbroad
				}
				enter(fn, depth)
				r.callbacks = append(r.callbacks, fn)
			}
		}
		for k := 0; k < len(r.fns) && flows != nil; k++ {
			for _, fn := range r.handed(r.fns[k]) {
				called(fn)
			}
		}
		for k := 0; k < len(r.callbacks); k++ {
			for v := range r.callbacks[k].Signature.Results().Variables() {
				if sig, ok := v.Type().Underlying().(*types.Signature); ok {
					for _, fn := range r.values {
						if len(fn.Blocks) > 0 && types.Identical(noReceiver(fn.Signature), noReceiver(sig)) {
							called(fn)
						}
					}
				}
			}
		}
		if len(work) > 0 {
			continue
		}
		known := len(r.values) + len(r.boxes)
		for _, fn := range r.findStarts(slices.Concat(r.fns, early)) {
			depth := 0
			if !c.l.owns(packageOf(fn)) {
				depth = maxAbroad
			}
			enter(fn, depth)
		}
		if len(work) == 0 && known == len(r.values)+len(r.boxes) {
			break
		}
	}
	r.findAside(entries)
	for _, s := range r.starts {
		for _, fn := range s.bodies.list {
			if s.large && !r.located[fn] {
				r.located[fn] = true
				r.locate(fn)
			}
		}
	}
	for _, fn := range r.fns {
		r.located[fn] = true
		r.locate(fn)
	}
	for _, init := range c.l.inits() {
		// Pointers that it makes are there from the beginning.
		r.locate(init)
		for fn := range c.initFunctions(init.Pkg) {
			r.locate(fn)
		}
	}
	r.disguises()
	// What is not followed may take addresses, too.
	for _, fn := range r.fns {
		r.effectsOf(fn)
	}
	for _, i := range r.open {
		if g := i.Common().StaticCallee(); g != nil && r.known[i] == nil && !c.replaced(g) {
			r.effectsOf(g)
		}
	}
	for _, fn := range r.fns {
		if !r.aside[fn] {
			r.write(fn)
		}
	}
	r.writeStarts()
	return r
}

// abroadBy is what a function of another package adds to the depth of such calls. Those of package
// sync do not count: what a Once or a Pool calls is no further away for that.
func abroadBy(fn *ssa.Function) int {
	if pkg := packageOf(fn); pkg != nil && pkg.Path() == "sync" || isAtomic(fn) {
		return 0
	}
	return 1
}

// isCallback reports whether only code that is not followed may call a function.
func (r *reach) isCallback(fn *ssa.Function) bool { return slices.Contains(r.callbacks, fn) }

// callbacksClose reports whether functions that only code which is not followed may call close
// channels.
func (r *reach) callbacksClose() bool {
	if r.closing == 0 {
		r.closing = 1
		for _, fn := range r.under(r.callbacks) {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if call, ok := i.(ssa.CallInstruction); ok && isBuiltin(call, "close") {
						r.closing = 2
					}
				}
			}
		}
	}
	return r.closing == 2
}

func isBuiltin(call ssa.CallInstruction, name string) bool {
	b, ok := call.Common().Value.(*ssa.Builtin)
	return ok && b.Name() == name
}

// handed returns the functions that the code of a function makes values of, otherwise than to
// start goroutines with them, and the methods of the component's package that it puts
// into interfaces, if the environment gets them: it may call them.
func (r *reach) handed(fn *ssa.Function) (all []*ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.MakeInterface:
				all = append(all, r.handedBy(i)...)
				continue
			case *ssa.MakeClosure:
				if onlyStarts(i) || onlyReturned(i) {
					continue
				}
			}
			call, isCall := i.(ssa.CallInstruction)
			for _, op := range i.Operands(nil) {
				if g, ok := (*op).(*ssa.Function); ok && !(isCall && op == &call.Common().Value) && len(g.Blocks) > 0 && r.flows.hasFunc(g) {
					all = append(all, g)
				}
			}
		}
	}
	return all
}

// handedTo returns the functions of the component's package, and the methods of its objects, that a function gives to calls which are
// not followed, as arguments.
func (r *reach) handedTo(fn *ssa.Function) (all []*ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok || isGo(i) || len(r.targets[call]) > 0 {
				continue
			}
			if g := call.Common().StaticCallee(); g != nil && r.c.l.owns(packageOf(g)) {
				continue // that it is not followed is a check by itself
			}
			all = append(all, r.handedIn(call)...)
		}
	}
	return all
}

// handedIn returns those that one call gives as arguments.
func (r *reach) handedIn(call ssa.CallInstruction) (all []*ssa.Function) {
	for _, x := range call.Common().Args {
		switch u := x.Type().Underlying().(type) {
		case *types.Interface:
			if _, constant := x.(*ssa.Const); !constant && u.NumMethods() > 0 && !isErrorType(x.Type()) {
				all = append(all, r.methodsBehind(x, u)...)
			}
		case *types.Signature:
			all = append(all, r.functionsLike(unconverted(x), u)...)
		default:
			for _, sig := range signaturesIn(x.Type(), 0, nil) {
				all = append(all, r.functionsLike(x, sig)...)
			}
		}
	}
	return all
}

// methodsBehind returns the methods of objects of the component's package that other code may have as a value of an interface: it may ask for
// more than the interface has.
func (r *reach) methodsBehind(x ssa.Value, u *types.Interface) (all []*ssa.Function) {
	boxes := r.boxes
	if m, ok := x.(*ssa.MakeInterface); ok {
		boxes = []types.Type{m.X.Type()}
	}
	for _, t := range boxes {
		if types.IsInterface(t) || !types.Implements(t, u) {
			continue
		}
		set := r.c.l.prog.MethodSets.MethodSet(t)
		for k := range set.Len() {
			m := set.At(k)
			if fn := r.c.l.prog.MethodValue(m); fn != nil && (m.Obj().Exported() || types.NewMethodSet(u).Lookup(m.Obj().Pkg(), m.Obj().Name()) != nil) && r.c.l.owns(packageOf(fn)) && len(fn.Blocks) > 0 {
				all = append(all, fn)
			}
		}
	}
	return all
}

// functionsLike returns the functions that a value may be: the one that it is, or those with its signature that the code makes values of.
func (r *reach) functionsLike(x ssa.Value, u *types.Signature) (all []*ssa.Function) {
	switch x := x.(type) {
	case *ssa.MakeClosure:
		return []*ssa.Function{x.Fn.(*ssa.Function)}
	case *ssa.Function:
		return []*ssa.Function{x}
	case *ssa.Const:
		return nil
	}
	like := func(fn *ssa.Function) bool {
		return len(fn.Blocks) > 0 && types.Identical(noReceiver(fn.Signature), noReceiver(u))
	}
	for _, fn := range r.values {
		if like(fn) {
			all = append(all, fn)
		}
	}
	var first []*ssa.Function
	for fn := range r.early {
		if like(fn) && !slices.Contains(all, fn) {
			first = append(first, fn)
		}
	}
	slices.SortFunc(first, func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), strings.Compare(a.String(), b.String()))
	})
	return append(all, first...)
}

// signaturesIn returns the types of functions that are in a container, or in a struct.
func signaturesIn(t types.Type, depth int, all []*types.Signature) []*types.Signature {
	if depth > 3 {
		return all
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		all = append(all, u)
	case *types.Slice:
		return signaturesIn(u.Elem(), depth+1, all)
	case *types.Array:
		return signaturesIn(u.Elem(), depth+1, all)
	case *types.Chan:
		return signaturesIn(u.Elem(), depth+1, all)
	case *types.Map:
		return signaturesIn(u.Elem(), depth+1, all)
	case *types.Struct:
		for f := range u.Fields() {
			all = signaturesIn(f.Type(), depth+1, all)
		}
	}
	return all
}

// handedBy returns the methods of the component's package that an interface has by which a
// value is known from now on. Those of errors are called to print them.
func (r *reach) handedBy(m *ssa.MakeInterface) (all []*ssa.Function) {
	if types.Implements(m.X.Type(), errorInterface) || !r.flows.mayGet(m.X.Type()) || onlyReturned(m) && r.flows.back.At(m.X.Type()) == nil {
		return nil
	}
	for f := range m.Type().Underlying().(*types.Interface).Methods() {
		if fn := r.c.method(m.X.Type(), f); fn != nil && r.c.l.owns(packageOf(fn)) && len(fn.Blocks) > 0 {
			all = append(all, fn)
		}
	}
	return all
}

// onlyReturned reports whether a value is used only to return it: then its caller decides who gets
// it, and what a client does with it is no part of a call.
func onlyReturned(v ssa.Value) bool {
	for _, u := range *v.Referrers() {
		switch u.(type) {
		case *ssa.DebugRef, *ssa.Return:
		default:
			return false
		}
	}
	return true
}

// onlyStarts reports whether a function literal is used only to start goroutines with it.
func onlyStarts(m *ssa.MakeClosure) bool {
	for _, u := range *m.Referrers() {
		if _, debug := u.(*ssa.DebugRef); debug {
			continue
		}
		g, ok := u.(*ssa.Go)
		if !ok || g.Call.Value != m || slices.Contains(g.Call.Args, ssa.Value(m)) {
			return false
		}
	}
	return true
}

func isGo(i ssa.Instruction) bool {
	_, ok := i.(*ssa.Go)
	return ok
}

// enters reports whether lowering may inline a function; see notInlined.
func (r *reach) enters(fn *ssa.Function, call ssa.CallInstruction) bool {
	c := r.c
	if len(fn.Blocks) == 0 || c.replaced(fn) {
		return false
	}
	switch c.chosen(fn) {
	case follow:
		return true
	case leave:
		return false
	}
	if c.l.owns(packageOf(fn)) || fn.Synthetic != "" && fn.Pkg == nil && fn.Origin() == nil {
		return true
	}
	if r.abroad[call.Parent()] >= maxAbroad {
		return false
	}
	n, loops := c.size(fn)
	return n <= cheapSize && !loops && !c.hasState(fn) || n <= takesSize && r.mayBeGiven(call, fn)
}

// mayBeGiven reports whether an argument may be an object of the component's
// package or code of it; see given.
func (r *reach) mayBeGiven(call ssa.CallInstruction, fn *ssa.Function) bool {
	for _, v := range fn.FreeVars {
		if r.mayBeOwn(v.Type(), 0) {
			return true
		}
	}
	for k := range fn.Params {
		if x := argumentOf(call.Common(), fn, k); x == nil || r.mayBeOwn(x.Type(), 0) || r.mayBeOwn(unconverted(x).Type(), 0) {
			return true
		}
	}
	return false
}

// mayBeOwn reports whether a reference may be to an object of the component's
// package, or to a part of one.
func (r *reach) mayBeOwn(t types.Type, depth int) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return r.isOwn(u.Elem())
	case *types.Interface:
		for _, b := range r.boxes {
			if e := deref(b); (e != nil && r.isOwn(e) || e == nil && r.isOwn(b)) && types.Implements(b, u) {
				return true
			}
		}
	case *types.Signature:
		for _, fn := range r.values {
			if r.c.l.owns(packageOf(fn)) && types.Identical(noReceiver(fn.Signature), noReceiver(u)) {
				return true
			}
		}
	case *types.Struct:
		for i := range u.NumFields() {
			if depth < 4 && r.mayBeOwn(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// isOwn reports whether a type is one of the component's package, or that of a
// part of one.
func (r *reach) isOwn(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && r.c.l.owns(n.Obj().Pkg()) {
		return true
	}
	if r.ownParts == nil {
		r.ownParts = map[int]bool{}
		var add func(t types.Type)
		add = func(t types.Type) {
			s, ok := t.Underlying().(*types.Struct)
			if !ok {
				return
			}
			for i := range s.NumFields() {
				ft := s.Field(i).Type()
				if id := r.id(ft); !r.ownParts[id] {
					r.ownParts[id] = true
					add(ft)
				}
			}
		}
		for _, pkg := range r.c.l.own() {
			scope := pkg.Pkg.Scope()
			for _, name := range scope.Names() {
				if tn, ok := scope.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
					add(tn.Type())
				}
			}
		}
		if r.c.named != nil {
			add(r.c.named)
		}
	}
	return r.ownParts[r.id(t)]
}

// scanCallees notes the values that functions of the package make which its initialization
// calls.
func (r *reach) scanCallees(fn *ssa.Function, seen map[*ssa.Function]bool) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			for _, op := range i.Operands(nil) {
				if g, ok := (*op).(*ssa.Function); ok && !seen[g] && r.c.l.owns(packageOf(g)) {
					seen[g] = true
					for _, b := range g.Blocks {
						for _, i := range b.Instrs {
							r.scanValues(i)
						}
					}
					r.scanCallees(g, seen)
				}
			}
		}
	}
}

// scanValues notes the values that an instruction makes.
func (r *reach) scanValues(i ssa.Instruction) {
	if m, ok := i.(*ssa.MakeInterface); ok {
		if id := r.id(m.X.Type()); !r.boxed[id] {
			r.boxed[id] = true
			r.boxes = append(r.boxes, m.X.Type())
		}
	}
	call, isCall := i.(ssa.CallInstruction)
	for _, op := range i.Operands(nil) {
		if g, ok := (*op).(*ssa.Function); ok && !(isCall && op == &call.Common().Value) && !r.taken[g] {
			r.taken[g] = true
			r.values = append(r.values, g)
		}
	}
}

// scan notes the values that a function makes and its dynamic calls.
func (r *reach) scan(fn *ssa.Function) {
	dead := r.c.deadBlocks(fn)
	for _, b := range fn.Blocks {
		if dead[b] {
			continue
		}
		for _, i := range b.Instrs {
			if m, ok := i.(*ssa.MakeClosure); ok {
				g := m.Fn.(*ssa.Function)
				r.closures[g] = append(r.closures[g], m)
			}
			r.scanValues(i)
			call, isCall := i.(ssa.CallInstruction)
			if !isCall || isGo(i) {
				continue
			}
			common := call.Common()
			if _, builtin := common.Value.(*ssa.Builtin); builtin {
				continue
			}
			g := common.StaticCallee()
			switch {
			case r.isNever(common):
				// What it calls is nil.
			case common.IsInvoke():
				r.dynamic = append(r.dynamic, call)
				r.effects[call] = r.c.effectOf(common.Method)
			case g == nil && r.c.isNeverSet(common.Value):
				// A hook that nobody sets: it is nil.
			case g == nil:
				r.dynamic = append(r.dynamic, call)
				r.effects[call] = &effect{changes: true}
			case r.c.isIntrinsic(g):
				r.known[call] = g
				if !quiet[nameOf(g)] && !isAtomic(g) && !r.c.ends(g) {
					r.effects[call] = &effect{changes: true}
				}
			case !r.c.l.owns(packageOf(g)) || len(g.Blocks) == 0 || r.c.isForC(g):
				r.effects[call] = r.c.effectOf(originOf(g).Object())
			}
			if e := r.effects[call]; e != nil && e.changes {
				r.open = append(r.open, call)
			}
		}
	}
}

// An effect is what contracts say of a call that is not followed.
type effect struct {
	changes bool         // what its arguments lead to
	kept    map[int]bool // parameters, without the receiver
	read    map[int]bool // parameters that it only reads
	ends    bool         // it may panic, or not return
	panics  bool
	waits   bool         // it may not return for another reason
	tests   map[int]bool // parameters that conditions of panics mention
	deep    bool         // these mention something else, too: fields, variables, the receiver
	pure    bool
	stored  bool       // its results are state of the receiver
	relates bool       // its results are related to what it is given
	reads   []location // in conditions
}

func (c *compiler) effectOf(obj types.Object) *effect {
	e := &effect{changes: true, kept: map[int]bool{}, read: map[int]bool{}, tests: map[int]bool{}}
	for _, r := range c.rules(obj) {
		for _, p := range r.properties {
			switch p.kind {
			case pure:
				e.changes, e.pure = false, true
			case passive:
				e.changes = false
			case stored:
				e.stored = true
			case holds:
				e.relates = true
			case keeps:
				e.changes = false
				for _, n := range p.names {
					e.kept[slices.Index(r.params, n)] = true
				}
			case reads:
				for _, n := range p.names {
					e.read[slices.Index(r.params, n)] = true
				}
			case panicsIf, onlyIf, blocked:
				e.ends = true
				if p.kind == panicsIf {
					e.panics = true
					e.mentions(r, p)
				} else {
					e.waits = true
				}
				for _, x := range p.chain {
					e.reads = append(e.reads, c.readsOf(r, x)...)
				}
			}
		}
	}
	return e
}

// mentions notes what the conditions of a panic mention.
func (e *effect) mentions(r rule, p property) {
	for _, x := range p.chain {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if k := slices.Index(r.params, n.Name); k >= 0 {
					e.tests[k] = true
				} else if n.Name != "nil" && n.Name != "len" && n.Name != "cap" {
					e.deep = true
				}
			case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
				e.deep = true
			}
			return true
		})
	}
}

// readsOf returns the locations that a condition of a contract reads.
func (c *compiler) readsOf(r rule, x ast.Expr) (all []location) {
	ast.Inspect(x, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if v := r.variable(sel); v != nil {
			if pkg := c.l.prog.Package(v.Pkg()); pkg != nil {
				if g, ok := pkg.Members[v.Name()].(*ssa.Global); ok {
					all = append(all, g)
				}
			}
		} else if s := r.info.Selections[sel]; s != nil {
			if v, ok := s.Obj().(*types.Var); ok {
				all = append(all, v.Origin())
			}
		}
		return true
	})
	return all
}

// resolved returns what is known of a dynamic call.
func (r *reach) resolved(call *ssa.CallCommon) (resolution, bool) {
	if r.flows == nil {
		return resolution{}, false
	}
	known, ok := r.flows.calls[call]
	return known, ok
}

// isNever reports whether nothing flows to where a dynamic call has what it calls: it is nil
// there.
func (r *reach) isNever(call *ssa.CallCommon) bool {
	known, ok := r.resolved(call)
	return ok && known.closed && len(known.fns) == 0
}

// candidates returns what a dynamic call may call.
func (r *reach) candidates(call *ssa.CallCommon) []*ssa.Function {
	if known, ok := r.resolved(call); ok {
		return known.fns
	}
	var all []*ssa.Function
	if call.IsInvoke() {
		iface, _ := call.Value.Type().Underlying().(*types.Interface)
		for _, t := range r.implementers(iface) {
			if fn := r.c.method(t, call.Method); fn != nil {
				all = append(all, fn)
			}
		}
		return all
	}
	sig := call.Signature()
	for _, fn := range r.values {
		if types.Identical(fn.Signature, sig) || fn.Signature.Recv() != nil && types.Identical(noReceiver(fn.Signature), sig) {
			all = append(all, fn)
		}
	}
	return all
}

// implementers returns the types that are put into interfaces, as far as they are known, and implement one.
func (r *reach) implementers(iface *types.Interface) []types.Type {
	if iface == nil {
		return nil
	}
	m := r.implementing[iface]
	if m == nil {
		m = &implementers{}
		if r.implementing == nil {
			r.implementing = map[*types.Interface]*implementers{}
		}
		r.implementing[iface] = m
	}
	for ; m.seen < len(r.boxes); m.seen++ {
		if t := r.boxes[m.seen]; !types.IsInterface(t) && types.Implements(t, iface) {
			m.list = append(m.list, t)
		}
	}
	return m.list
}

// implementers are the types that implement an interface, of as many as were looked at: there come more, and none go.
type implementers struct {
	seen int
	list []types.Type
}

func noReceiver(s *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

func nameOf(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		return o.RelString(nil)
	}
	return fn.RelString(nil)
}

// isFunction reports whether fn is the function of the given name in the package of the given path. It allocates nothing: it
// is called for every call of the program.
func isFunction(fn *ssa.Function, path, name string) bool {
	return fn.Name() == name && fn.Pkg != nil && fn.Pkg.Pkg.Path() == path && fn.Signature.Recv() == nil && fn.Parent() == nil
}

// isAtomic reports whether a function reads and writes at its first argument.
func isAtomic(fn *ssa.Function) bool {
	pkg := packageOf(fn)
	return pkg != nil && (pkg.Path() == "sync/atomic" || pkg.Path() == "internal/runtime/atomic")
}

// touches reports whether a function that is known reads and writes what its first
// argument points to.
func (c *compiler) touches(fn *ssa.Function) bool {
	return isAtomic(fn) || !quiet[nameOf(fn)] && !c.ends(fn)
}

// isIntrinsic reports whether a function is known instead of followed; see
// intrinsic.
func (c *compiler) isIntrinsic(fn *ssa.Function) bool {
	pkg := packageOf(fn)
	if pkg == nil {
		return false
	}
	if len(fn.Blocks) == 0 && pkg.Path() == "sync/atomic" || pkg.Path() == "internal/runtime/atomic" || c.ends(fn) {
		return true
	}
	name := nameOf(fn)
	_, ok := c.intrinsics[name]
	return ok && (!c.l.owns(pkg) || always[name])
}

// ends reports whether a call of a function ends the run with an error.
func (c *compiler) ends(fn *ssa.Function) bool {
	if len(fn.Blocks) == 0 {
		switch name := fn.Name(); {
		case name == "throw" || name == "fatal":
			return true
		}
	}
	switch name := nameOf(fn); name {
	case "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln":
		return true
	default:
		return len(name) > 19 && name[:19] == "(*log.Logger).Fatal" || len(name) > 19 && name[:19] == "(*log.Logger).Panic"
	}
}

// quiet are the intrinsics that change nothing. One that is not listed here is taken
// to read, keep and change what it is given.
var quiet = map[string]bool{"errors.New": true, "fmt.Errorf": true, "errors.Is": true, "errors.Unwrap": true, "errors.AsType": true, "runtime.SetFinalizer": true}
