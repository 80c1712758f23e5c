// SPDX-License-Identifier: Apache-2.0

package golang

// This file goes through the code that a goroutine runs (goroutines.go), for what it writes, closes, locks and starts.

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

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
