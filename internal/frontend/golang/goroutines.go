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
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

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

// A bodyWalk goes through the code that a goroutine runs.
type bodyWalk struct {
	*reach
	s         *start
	limit     int             // of functions
	lent      []*ssa.Function // given to code that is not followed
	seen      map[string]bool
	seenGiven map[givenTo]bool
	written   map[goWrite]bool
	// seenAs are the types that unsafe pointers are seen as, elements those of elements of arrays that are written.
	seenAs, elements []types.Type
}

// A passing is what is known of the arguments of a function: which function literal one is, and, of one of another package, which
// field or variable of the caller an address is of, or which constant a value is.
type passing map[*ssa.Parameter]passedValue

type passedValue struct {
	part  location
	value *ssa.Const
	code  *ssa.Function
}

func (p passing) key(fn *ssa.Function) string {
	var out strings.Builder
	for _, x := range fn.Params {
		v := p[x]
		switch l := v.part.(type) {
		case *types.Var:
			out.WriteString(strconv.Itoa(int(l.Pos())) + l.Name())
		case *ssa.Global:
			out.WriteString(l.String())
		}
		if v.value != nil {
			out.WriteString("=" + v.value.String())
		}
		if v.code != nil {
			out.WriteString("=" + v.code.String() + strconv.Itoa(int(v.code.Pos())))
		}
		out.WriteByte(',')
	}
	return out.String()
}

// first walks what the goroutine calls first.
func (w *bodyWalk) first() {
	common := w.s.at.Common()
	if b, builtin := common.Value.(*ssa.Builtin); builtin {
		w.builtin(b, w.s.at, nil)
		return
	}
	if g := common.StaticCallee(); isGo(w.s.at) && g != nil && !w.c.l.owns(packageOf(g)) && g.Synthetic == "" {
		w.s.unseen = !w.isLocking(g) && !w.mayFollow(g)
		w.foreign(g, w.s.at, nil)
		if k, ok := lockCallOf(w.s.at); ok {
			w.s.locks[w.at(k.addr)] = lockUse{loose: true} // that is all it does
		}
		return
	}
	w.s.unseen = len(w.s.roots) == 0
	if isGo(w.s.at) && common.StaticCallee() == nil {
		if known, ok := w.resolved(common); !ok || !known.closed {
			w.s.unseen = true
		}
	}
	for _, fn := range w.s.roots {
		w.function(fn, nil)
	}
}

func (w *bodyWalk) function(fn *ssa.Function, given passing) {
	if len(fn.Blocks) == 0 {
		return
	}
	key := fn.String() + strconv.Itoa(int(fn.Pos())) + "(" + given.key(fn)
	if w.seen[key] || len(w.s.bodies.list) > w.limit {
		return
	}
	w.seen[key] = true
	w.s.bodies.add(fn)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if w.s.large {
				w.scanValues(i)
			}
			w.instruction(i, given)
		}
	}
	w.lockedIn(fn)
}

func (w *bodyWalk) instruction(i ssa.Instruction, given passing) {
	switch i := i.(type) {
	case *ssa.Store:
		if a, fresh := objectOf(i.Addr).(*ssa.Alloc); fresh && (!a.Heap || a != i.Addr) {
			return // of an object that the goroutine has made
		}
		if e, ok := i.Addr.(*ssa.IndexAddr); ok {
			_, fresh := objectOf(e.X).(*ssa.Alloc)
			if deref(e.X.Type()) != nil && !fresh {
				w.elements = append(w.elements, deref(i.Addr.Type()))
			}
			return
		}
		k, _ := i.Val.(*ssa.Const)
		for _, l := range w.parts(i.Addr) {
			w.write(goWrite{l, w.partOf(i.Addr, given), k, i.Val})
		}
	case *ssa.MapUpdate:
		w.write(goWrite{at: w.mapSize(i.Map.Type())})
	case *ssa.Send, *ssa.Select:
		w.s.sends = true
	case *ssa.UnOp:
		w.s.sends = w.s.sends || i.Op == token.ARROW
	case *ssa.Convert:
		if e := deref(i.Type()); isUnsafe(i.X.Type()) && e != nil && !isLocal(i.X) && w.c.l.owns(packageOf(i.Parent())) {
			w.seenAs = append(w.seenAs, e)
		}
	case *ssa.MakeClosure:
		w.function(i.Fn.(*ssa.Function), nil)
	case ssa.CallInstruction:
		w.call(i, given)
	}
}

func (w *bodyWalk) write(x goWrite) {
	if x.value != nil && x.value.Value != nil && x.value.Value.Kind() == constant.Unknown {
		x.value = nil
	}
	if !w.written[x] {
		w.written[x] = true
		w.s.writes = append(w.s.writes, x)
	}
}

// objectOf is what an address is a part of.
func objectOf(addr ssa.Value) ssa.Value {
	for {
		a, ok := addr.(*ssa.FieldAddr)
		if !ok {
			return addr
		}
		addr = a.X
	}
}

// partOf is the outermost field or variable that an address is known to be in.
func (w *bodyWalk) partOf(addr ssa.Value, given passing) location {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		if l := w.partOf(a.X, given); l != nil {
			return l
		}
		return fieldAt(structOf(deref(a.X.Type())), a.Field)
	case *ssa.Global:
		return a
	case *ssa.Parameter:
		return given[a].part
	}
	return nil
}

// constantIn is the constant that a value is, if it is one.
func constantIn(v ssa.Value, given passing) *ssa.Const {
	switch x := v.(type) {
	case *ssa.Const:
		return x
	case *ssa.Parameter:
		return given[x].value
	case *ssa.Call:
		g := x.Call.StaticCallee()
		if g == nil || g.Name() != "b32" || !isAtomic(g) || len(x.Call.Args) != 1 {
			return nil
		}
		if k := constantIn(x.Call.Args[0], given); k != nil && k.Value != nil && k.Value.Kind() == constant.Bool {
			n := int64(0)
			if constant.BoolVal(k.Value) {
				n = 1
			}
			return ssa.NewConst(constant.MakeInt64(n), x.Type())
		}
	}
	return nil
}

// passed is what a call gives a function.
func (w *bodyWalk) passed(g *ssa.Function, args []ssa.Value, given passing) passing {
	out := passing{}
	for k, p := range g.Params {
		if k >= len(args) {
			continue
		}
		v := passedValue{code: literal(args[k])}
		if from, ok := args[k].(*ssa.Parameter); ok && v.code == nil {
			v.code = given[from].code
		}
		if !w.c.l.owns(packageOf(g)) {
			v.part, v.value = w.partOf(args[k], given), constantIn(args[k], given)
		}
		if v != (passedValue{}) {
			out[p] = v
		}
	}
	return out
}

func (w *bodyWalk) call(i ssa.CallInstruction, given passing) {
	common := i.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		w.builtin(b, i, given)
		return
	}
	roots, _ := w.startedBy(i) // by this one, too
	w.s.first = append(w.s.first, roots...)
	for _, fn := range roots {
		w.function(fn, nil)
	}
	g := common.StaticCallee()
	if p, ok := common.Value.(*ssa.Parameter); ok && given[p].code != nil {
		w.function(given[p].code, nil)
		return
	}
	if g == nil {
		for _, fn := range w.candidates(common) {
			w.function(fn, nil)
		}
		if known, ok := w.resolved(common); !ok || !known.closed {
			w.open(i, nil)
		}
		return
	}
	if w.c.l.owns(packageOf(g)) {
		w.function(g, w.passed(g, common.Args, given))
		return
	}
	w.foreign(g, i, given)
}

// foreign is a call of a function of another package.
func (w *bodyWalk) foreign(g *ssa.Function, i ssa.CallInstruction, given passing) {
	args := i.Common().Args
	switch {
	case w.isLocking(g):
	case w.c.isIntrinsic(g):
		w.known(g, args, given)
		if !isAtomic(g) && !quiet[nameOf(g)] && !w.c.ends(g) {
			w.open(i, g)
		}
	case g.Synthetic != "" && g.Pkg == nil:
		w.function(g, nil)
	case w.mayFollow(g) && (!w.s.large || isAtomic(g) || w.c.isTiny(g, 2)):
		w.function(g, w.passed(g, args, given))
	default:
		w.open(i, g)
	}
}

// mayFollow reports whether a function of another package is so short that it is looked at, as lowering would.
func (w *bodyWalk) mayFollow(g *ssa.Function) bool {
	if len(g.Blocks) == 0 || w.c.replaced(g) || w.c.chosen(g) == leave {
		return false
	}
	n, loops := w.c.size(g)
	return n <= cheapSize && !loops
}

// isLocking reports whether a function is one of those of package sync whose effect on locks and wait groups block.go has.
func (w *bodyWalk) isLocking(g *ssa.Function) bool {
	name := nameOf(g)
	return strings.HasPrefix(name, "(*sync.Mutex).") || strings.HasPrefix(name, "(*sync.RWMutex).") || strings.HasPrefix(name, "(*sync.WaitGroup).") && g.Name() != "Go"
}

// known is a call of a function that is known instead of followed.
func (w *bodyWalk) known(g *ssa.Function, args []ssa.Value, given passing) {
	if quiet[nameOf(g)] || w.c.ends(g) || len(args) == 0 || deref(args[0].Type()) == nil || strings.HasPrefix(g.Name(), "Load") && isAtomic(g) {
		return
	}
	var value *ssa.Const
	if isAtomic(g) {
		switch {
		case strings.HasPrefix(g.Name(), "Store"), strings.HasPrefix(g.Name(), "Swap"):
			value = constantIn(args[len(args)-1], given)
		case strings.HasPrefix(g.Name(), "CompareAndSwap"):
			value = constantIn(args[len(args)-1], given)
		}
	}
	for _, l := range w.parts(args[0]) {
		w.write(goWrite{l, w.partOf(args[0], given), value, nil})
	}
}

func (w *bodyWalk) builtin(b *ssa.Builtin, i ssa.CallInstruction, _ passing) {
	args := i.Common().Args
	switch b.Name() {
	case "close":
		w.s.closes = append(w.s.closes, args[0])
	case "delete", "clear":
		if _, ok := args[0].Type().Underlying().(*types.Map); ok {
			w.write(goWrite{at: w.mapSize(args[0].Type())})
		}
	}
}

// open is a call of code that is not followed: it may write what it is given, other than fields that only code of
// the component's package can name, and run the functions and methods that it is given. g is nil if it is not known.
func (w *bodyWalk) open(i ssa.CallInstruction, g *ssa.Function) {
	w.lent = append(w.lent, w.handedIn(i)...)
	e := &effect{changes: true}
	var only *modified
	switch {
	case g != nil:
		e = w.c.effectOf(originOf(g).Object())
		only = w.effectsOf(g)
	case i.Common().IsInvoke():
		e = w.c.effectOf(i.Common().Method)
	}
	if !e.changes {
		return
	}
	receivers := len(i.Common().Args) - i.Common().Signature().Params().Len()
	for k, x := range i.Common().Args {
		if e.read[k-receivers] {
			continue
		}
		if c, isChan := x.Type().Underlying().(*types.Chan); isChan && c.Dir() != types.RecvOnly {
			w.s.closes = append(w.s.closes, x)
		}
		if followed(x.Type()) {
			w.given(x, only)
		}
	}
}

// A givenTo is a type of which code that is not followed is given a value, in a field or variable.
type givenTo struct {
	node int
	part location
	only *modified
}

// syncElsewhere is the part that is written if code of others writes what an object of package sync, or of sync/atomic, is made of,
// which it has found behind what it is given.
type syncElsewhere struct{}

// given notes what code that is given a value may write.
func (w *bodyWalk) given(x ssa.Value, only *modified) {
	if m, ok := x.(*ssa.MakeInterface); ok {
		x = m.X
	}
	part := w.partOf(x, nil)
	var visit func(n int, part location)
	visit = func(n int, part location) {
		if to := (givenTo{n, part, only}); w.seenGiven[to] {
			return
		} else {
			w.seenGiven[to] = true
		}
		for _, e := range w.typeEdges[n] {
			v, field := e.at.(*types.Var)
			if hidden := field && !v.Exported() && w.c.l.owns(v.Pkg()); e.at != nil && !hidden && (only == nil || w.all(only)[w.find(e.at)]) {
				in := part
				if in == nil && field && isSync(v.Pkg()) {
					in = syncElsewhere{}
				}
				w.write(goWrite{at: e.at, part: in})
			}
			if e.to >= 0 && e.see == nil {
				visit(e.to, nil)
			}
		}
	}
	visit(w.typeNode(x.Type()), part)
}

func isSync(pkg *types.Package) bool {
	return pkg != nil && (pkg.Path() == "sync" || pkg.Path() == "sync/atomic" || pkg.Path() == "internal/sync")
}

// isKeptSync reports whether a field holds an object of package sync, or of sync/atomic, that only the component's package can get at:
// its address is only used to call functions of these packages.
func (r *reach) isKeptSync(f *types.Var) bool {
	if f.Exported() || !r.c.l.owns(f.Pkg()) {
		return false
	}
	if r.keptSync == nil {
		r.keptSync = map[*types.Var]bool{}
	}
	known, ok := r.keptSync[f]
	if ok {
		return known
	}
	named, _ := types.Unalias(f.Type()).(*types.Named)
	kept := named != nil && isSync(named.Obj().Pkg())
	for _, fn := range r.c.l.ownRuns() {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				a, ok := i.(*ssa.FieldAddr)
				kept = kept && (!ok || fieldAt(structOf(deref(a.X.Type())), a.Field) != location(f) || onlyForSync(a))
			}
		}
	}
	r.keptSync[f] = kept
	return kept
}

// onlyForSync reports whether an address is only given to functions of package sync and sync/atomic, as their receiver.
func onlyForSync(a *ssa.FieldAddr) bool {
	for _, u := range *a.Referrers() {
		switch u := u.(type) {
		case *ssa.DebugRef, *ssa.FieldAddr:
			if f, part := u.(*ssa.FieldAddr); part && !onlyForSync(f) {
				return false
			}
		case ssa.CallInstruction:
			g := u.Common().StaticCallee()
			if g == nil || !isSync(packageOf(g)) || slices.Contains(u.Common().Args[1:], ssa.Value(a)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// lockedIn notes how a function uses locks.
func (w *bodyWalk) lockedIn(fn *ssa.Function) {
	if !w.c.l.owns(packageOf(fn)) {
		return // code of others gives its locks back
	}
	var calls []lockCall
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if k, ok := lockCallOf(i); ok {
				calls = append(calls, k)
			}
		}
	}
	for _, k := range calls {
		at := w.at(k.addr)
		use := w.s.locks[at]
		paired := slices.ContainsFunc(calls, func(other lockCall) bool {
			if w.at(other.addr) != at || other.unlocks() == k.unlocks() {
				return false
			}
			return !k.unlocks() || precedes(other.instr, pointAt(k.instr))
		})
		use.loose = use.loose || !paired
		w.s.locks[at] = use
	}
}

// writesDisguised reports whether the goroutine may write objects that it sees as ones of another type.
func (w *bodyWalk) writesDisguised() bool {
	for _, t := range w.seenAs {
		for _, a := range arraysIn(t, nil) {
			e := a.Underlying().(*types.Array).Elem()
			if slices.ContainsFunc(w.elements, func(t types.Type) bool { return types.Identical(t, e) }) {
				return true
			}
		}
		all := fieldsOf(t, nil)
		if _, ok := t.Underlying().(*types.Struct); !ok {
			all = []location{w.pointed(t)}
		}
		for _, x := range w.s.writes {
			if slices.Contains(all, x.at) {
				return true
			}
		}
	}
	return false
}
