// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which functions of the component's package code that is not followed may run: it
// was given them, or objects with them as methods, by the call at hand or by an earlier one.
//
//	func New() *T      { t := &T{}; t.r = bufio.NewReader(&t.src); return t }
//	func (t *T) Next() { t.r.ReadByte() } // runs (*src).Read
//
// A program has no such runs. If one of these functions may panic with an error under study, a
// method with such a call is not known to be allowed, and if one may return such an error, so may
// the call (mayReturnKept).
//
// What objects of other packages may have is known by their types: those that are given to
// a call together with a function, those that it returns, and those in whose fields something is stored have it
// from then on. A call of a known function of another package runs only what code below it
// calls by name, on interfaces, or by signature. What clients give and are given does not count:
// what they call, they call themselves.

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// functionSet is a set of functions, in order.
type functionSet struct {
	has  map[*ssa.Function]bool
	list []*ssa.Function
}

func (s *functionSet) add(fns ...*ssa.Function) (more bool) {
	for _, fn := range fns {
		if !s.has[fn] {
			if s.has == nil {
				s.has = map[*ssa.Function]bool{}
			}
			s.has[fn] = true
			s.list = append(s.list, fn)
			more = true
		}
	}
	return more
}

// A carrier is a type of other packages, an interface or a function type, whose values may
// have functions of the component's package.
type carrier struct {
	typ types.Type
	functionSet
}

// A callingBack is what code that is not followed may run.
type callingBack struct {
	*reach
	carriers map[int]*carrier
	order    []*carrier
	below    map[*ssa.Function]*outgoing
	panics   map[*ssa.Function]bool
}

// An outgoing is what the code below a function of another package calls that is not known: methods of interfaces
// and function values.
type outgoing struct {
	methods  map[string]bool
	values   []*types.Signature
	behind   functionSet // what interfaces carry of which methods are called
	anything bool
}

// maxBelow is how many functions below one are looked at.
const maxBelow = 5_000

// callingBack finds it for the code that is reached.
func (r *reach) callingBack() *callingBack {
	if r.back != nil {
		return r.back
	}
	b := &callingBack{reach: r, carriers: map[int]*carrier{}, below: map[*ssa.Function]*outgoing{}, panics: map[*ssa.Function]bool{}}
	fns := slices.Concat(r.fns, r.c.l.inits())
	for again := true; again; {
		again = false
		for _, fn := range fns {
			for _, block := range fn.Blocks {
				for _, i := range block.Instrs {
					again = b.carry(i) || again
				}
			}
		}
	}
	r.back = b
	return b
}

// carry notes which objects have functions after an instruction.
func (b *callingBack) carry(i ssa.Instruction) (more bool) {
	switch i := i.(type) {
	case *ssa.Store:
		if at, ok := i.Addr.(*ssa.FieldAddr); ok {
			if s := deref(at.X.Type()); b.c.l.isForeign(s) && !isAny(i.Val.Type()) {
				return b.carries(s, b.of(i.Val))
			}
		}
	case ssa.CallInstruction:
		call := i.Common()
		if _, builtin := call.Value.(*ssa.Builtin); builtin || !b.isOthers(call) {
			return false
		}
		given := b.handed(call)
		if len(given) == 0 {
			return false
		}
		for _, x := range call.Args {
			if t := unboxed(x).Type(); !isDynamic(t) {
				more = b.carries(t, given) || more
			}
		}
		if call.IsInvoke() {
			more = b.carries(call.Value.Type(), given) || more
		}
		for v := range call.Signature().Results().Variables() {
			more = b.carries(v.Type(), given) || more
		}
	}
	return more
}

// isOthers reports whether a call may be of code of other packages that are no clients: of a
// function of theirs, or of a method of an object of theirs that the component's package has put into an interface.
func (b *callingBack) isOthers(call *ssa.CallCommon) bool {
	if g := call.StaticCallee(); g != nil {
		return !b.c.l.owns(packageOf(g)) && packageOf(g) != nil
	}
	if !call.IsInvoke() {
		return b.carriers[b.id(call.Value.Type())] != nil
	}
	iface := call.Value.Type().Underlying().(*types.Interface)
	return b.carriers[b.id(call.Value.Type())] != nil || slices.ContainsFunc(b.boxes, func(t types.Type) bool {
		return !b.isOfPackage(t) && types.Implements(t, iface)
	})
}

// isOfPackage reports whether a type, or the one that a pointer is to, is one of the component's package.
func (b *callingBack) isOfPackage(t types.Type) bool {
	pkg := houseOf(t)
	return pkg != nil && b.c.l.owns(pkg)
}

// carries notes that objects of a type may have functions, if they are of others.
func (b *callingBack) carries(t types.Type, fns []*ssa.Function) bool {
	if len(fns) == 0 {
		return false
	}
	if e := deref(t); e != nil {
		t = e
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if u.NumMethods() == 0 || types.Implements(t, errorInterface) {
			return false
		}
	case *types.Signature:
	default:
		if !b.c.l.isForeign(t) || !mayRefer(t, map[types.Type]bool{}) {
			return false
		}
	}
	c := b.carriers[b.id(t)]
	if c == nil {
		c = &carrier{typ: t}
		b.carriers[b.id(t)] = c
		b.order = append(b.order, c)
	}
	return c.add(fns...)
}

// mayRefer reports whether an object may have functions or other objects in it: there are interfaces or
// functions in what it leads to.
func mayRefer(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.Signature, *types.TypeParam:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Pointer:
		return mayRefer(u.Elem(), seen)
	case *types.Slice:
		return mayRefer(u.Elem(), seen)
	case *types.Array:
		return mayRefer(u.Elem(), seen)
	case *types.Chan:
		return mayRefer(u.Elem(), seen)
	case *types.Map:
		return mayRefer(u.Key(), seen) || mayRefer(u.Elem(), seen)
	case *types.Struct:
		for v := range u.Fields() {
			if mayRefer(v.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// given returns the functions that a call gives to whom it calls. What is printed is known
// to be called with panics recovered.
func (b *callingBack) given(call *ssa.CallCommon) []*ssa.Function { return b.givenIn(call, call.Args) }

// handed is given for what others may keep: what they have in variables of type any, such as the values of
// contexts, they are taken to keep for others, and not to call.
func (b *callingBack) handed(call *ssa.CallCommon) []*ssa.Function {
	return b.givenIn(call, slices.DeleteFunc(slices.Clone(call.Args), func(x ssa.Value) bool { return isAny(x.Type()) }))
}

func (b *callingBack) givenIn(call *ssa.CallCommon, args []ssa.Value) []*ssa.Function {
	var all functionSet
	if g := call.StaticCallee(); g != nil && call.Signature().Variadic() && printsOperands(g) {
		args = args[:len(args)-1]
	}
	for k, x := range args {
		all.add(b.of(x)...)
		if k == len(args)-1 {
			for _, y := range variadic(x) {
				if y != nil {
					all.add(b.of(y)...)
				}
			}
		}
	}
	return all.list
}

// printsOperands reports whether a function prints its last arguments: package fmt recovers from what
// their methods panic with.
func printsOperands(g *ssa.Function) bool {
	if pkg := packageOf(g); pkg == nil || pkg.Path() != "fmt" {
		return false
	}
	return strings.Contains(strings.ToLower(g.Name()), "print") || strings.HasPrefix(g.Name(), "Append") || g.Name() == "Errorf"
}

// of returns the functions that whoever has a value may run.
func (b *callingBack) of(x ssa.Value) []*ssa.Function {
	switch x := unconverted(x).(type) {
	case *ssa.Const:
		return nil
	case *ssa.MakeClosure:
		return []*ssa.Function{x.Fn.(*ssa.Function)}
	case *ssa.Function:
		if b.c.l.owns(packageOf(x)) {
			return []*ssa.Function{x}
		}
		return nil
	case *ssa.MakeInterface:
		return b.ofType(x.X.Type(), false, 0)
	case *ssa.ChangeInterface:
		return b.of(x.X)
	}
	return b.ofType(x.Type(), x.Parent() != nil && !b.c.l.owns(packageOf(x.Parent())), 0)
}

// ofType is of for values of a type of which nothing else is known. Code of others that
// is followed, within, has what it was not handed for good.
func (b *callingBack) ofType(t types.Type, within bool, depth int) []*ssa.Function {
	if depth > 2 {
		return nil
	}
	if b.isOfPackage(t) && !types.IsInterface(t) {
		if u, ok := t.Underlying().(*types.Signature); !ok || u == nil {
			return b.methodsOf(t)
		}
	}
	var all functionSet
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if u.NumMethods() == 0 && !within || types.Implements(t, errorInterface) {
			return nil
		}
		for _, box := range b.boxes {
			if b.isOfPackage(box) && (within || b.flows.has(box)) && types.Implements(box, u) {
				all.add(b.methodsOf(box)...)
			}
		}
		for _, c := range b.order {
			if b.mayBeIn(c, u) {
				all.add(c.list...)
			}
		}
	case *types.Signature:
		if b.isOfPackage(t) {
			all.add(b.methodsOf(t)...)
		}
		for _, fn := range b.values {
			if b.c.l.owns(packageOf(fn)) && (within || b.flows.hasFunc(fn)) && types.Identical(noReceiver(fn.Signature), noReceiver(u)) {
				all.add(fn)
			}
		}
		if c := b.carriers[b.id(t)]; c != nil {
			all.add(c.list...)
		}
	case *types.Slice:
		return b.ofType(u.Elem(), within, depth+1)
	case *types.Array:
		return b.ofType(u.Elem(), within, depth+1)
	case *types.Map:
		return b.ofType(u.Elem(), within, depth+1)
	default:
		if e := deref(t); e != nil {
			t = e
		}
		if c := b.carriers[b.id(t)]; c != nil {
			all.add(c.list...)
		}
	}
	return all.list
}

// mayBeIn reports whether a carrier may be behind an interface.
func (b *callingBack) mayBeIn(c *carrier, u *types.Interface) bool {
	if v, ok := c.typ.Underlying().(*types.Interface); ok {
		return types.Implements(c.typ, u) || types.Implements(u, v)
	}
	return types.Implements(c.typ, u) || types.Implements(types.NewPointer(c.typ), u)
}

// methodsOf returns the methods of a type of the package that others can call. Those of errors are
// called to print them.
func (b *callingBack) methodsOf(t types.Type) (all []*ssa.Function) {
	if types.Implements(t, errorInterface) {
		return nil
	}
	set := b.c.l.prog.MethodSets.MethodSet(t)
	for k := range set.Len() {
		if fn := b.c.l.prog.MethodValue(set.At(k)); fn != nil && set.At(k).Obj().Exported() {
			all = append(all, fn)
		}
	}
	return all
}

// runs returns the functions of the component's package that a call may run which is not followed.
func (b *callingBack) runs(i ssa.CallInstruction) []*ssa.Function {
	call := i.Common()
	if _, builtin := call.Value.(*ssa.Builtin); builtin || isGo(i) {
		return nil
	}
	if g := call.StaticCallee(); g != nil {
		if !b.isOthers(call) || !b.unfollowed(i) {
			return nil
		}
		return b.runBy(g, b.given(call))
	}
	var all functionSet
	if known, ok := b.resolved(call); ok {
		// Of others it is known what it is, which does not mean that it is followed.
		for _, g := range known.fns {
			if !b.c.l.owns(packageOf(g)) && packageOf(g) != nil && (b.c.cut[g] || !slices.Contains(b.targets[i], g)) {
				fns := b.given(call)
				if g.Signature.Recv() != nil {
					fns = append(fns, b.ofType(g.Signature.Recv().Type(), true, 0)...)
				}
				all.add(b.runBy(g, fns)...)
			}
		}
	}
	if !b.c.l.owns(packageOf(i.Parent())) && isContent(call.Value) {
		// What is in their containers is not followed, either.
		for _, g := range b.targets[i] {
			if b.c.l.owns(packageOf(g)) {
				all.add(g)
			}
		}
	}
	if !b.unfollowed(i) {
		return all.list
	}
	if !call.IsInvoke() {
		if c := b.carriers[b.id(call.Value.Type())]; c != nil {
			all.add(c.list...)
			all.add(b.given(call)...)
		}
		return all.list
	}
	given := []*ssa.Function(nil)
	if b.isOthers(call) {
		given = b.given(call)
	}
	iface := call.Value.Type().Underlying().(*types.Interface)
	for _, c := range b.order {
		if !b.mayBeIn(c, iface) {
			continue
		}
		if types.IsInterface(c.typ) {
			all.add(c.list...)
			continue
		}
		if m := b.c.method(types.NewPointer(c.typ), call.Method); m != nil {
			all.add(b.runBy(m, append(slices.Clone(c.list), given...))...)
		}
	}
	for _, box := range b.boxes {
		if len(given) > 0 && !b.isOfPackage(box) && types.Implements(box, iface) {
			if m := b.c.method(box, call.Method); m != nil {
				all.add(b.runBy(m, given)...)
			}
		}
	}
	return all.list
}

// isContent reports whether a value is an element of something.
func isContent(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op == token.ARROW || v.Op == token.MUL && elementAt(v.X) != nil
	case *ssa.Lookup, *ssa.Index, *ssa.Extract:
		return true
	case *ssa.Field:
		return isContent(v.X)
	case *ssa.ChangeInterface:
		return isContent(v.X)
	case *ssa.TypeAssert:
		return isContent(v.X)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { _, phi := e.(*ssa.Phi); return !phi && isContent(e) })
	}
	return false
}

// runBy returns which of some functions a function of another package may run.
func (b *callingBack) runBy(g *ssa.Function, fns []*ssa.Function) (all []*ssa.Function) {
	if len(fns) == 0 {
		return nil
	}
	out := b.outgoing(g)
	for _, fn := range fns {
		method := fn.Signature.Recv() != nil
		if out.anything || out.behind.has[fn] || method && out.methods[fn.Name()] || !method && slices.ContainsFunc(out.values, func(s *types.Signature) bool {
			return types.Identical(s, noReceiver(fn.Signature))
		}) {
			all = append(all, fn)
		}
	}
	return all
}

// outgoing returns what the code below a function calls that is not known. A method of an
// interface may also be that of a carrier; what is behind interfaces that carry something may run all of it.
func (b *callingBack) outgoing(g *ssa.Function) *outgoing {
	if out := b.below[g]; out != nil {
		return out
	}
	out := &outgoing{methods: map[string]bool{}}
	b.below[g] = out
	seen := map[*ssa.Function]bool{}
	var work []*ssa.Function
	visit := func(fn *ssa.Function) {
		if fn != nil && !seen[fn] && !b.c.l.owns(packageOf(fn)) {
			seen[fn] = true
			work = append(work, fn)
		}
	}
	visit(g)
	for len(work) > 0 {
		fn := work[0]
		work = work[1:]
		if len(seen) > maxBelow || nameOf(fn) == "(reflect.Value).Call" || originOf(fn).TypeParams().Len() > 0 && len(fn.Blocks) == 0 {
			out.anything = true
			return out
		}
		for _, block := range fn.Blocks {
			for _, i := range block.Instrs {
				if isGo(i) {
					continue
				}
				for _, op := range i.Operands(nil) {
					if h, ok := (*op).(*ssa.Function); ok {
						visit(h)
					}
				}
				i, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				call := i.Common()
				switch h := call.StaticCallee(); {
				case h != nil:
					visit(h)
				case call.IsInvoke():
					name := call.Method.Name()
					if out.methods[name] {
						continue
					}
					out.methods[name] = true
					for _, c := range b.order {
						if set := b.c.l.prog.MethodSets.MethodSet(types.NewPointer(c.typ)); !types.IsInterface(c.typ) {
							if sel := set.Lookup(nil, name); sel != nil && sel.Obj().Exported() {
								visit(b.c.l.prog.MethodValue(sel))
							}
						} else if hasMethod(c.typ, name) {
							out.behind.add(c.list...)
						}
					}
				default:
					if _, builtin := call.Value.(*ssa.Builtin); !builtin {
						out.values = append(out.values, noReceiver(call.Signature()))
					}
				}
			}
		}
	}
	return out
}

// hasMethod reports whether an interface has a method.
func hasMethod(t types.Type, name string) bool {
	for m := range t.Underlying().(*types.Interface).Methods() {
		if m.Name() == name {
			return true
		}
	}
	return false
}

// mayPanic reports whether a function of the component's package, or what it calls, may panic
// with an error under study.
func (b *callingBack) mayPanic(fn *ssa.Function) bool {
	if known, ok := b.panics[fn]; ok {
		return known
	}
	seen := map[*ssa.Function]bool{fn: true}
	work := []*ssa.Function{fn}
	visit := func(fns ...*ssa.Function) {
		for _, g := range fns {
			if !seen[g] && (b.c.l.owns(packageOf(g)) || g.Synthetic != "") {
				seen[g] = true
				work = append(work, g)
			}
		}
	}
	found := false
	for len(work) > 0 && !found {
		g := work[0]
		work = work[1:]
		for _, block := range g.Blocks {
			for _, i := range block.Instrs {
				switch i := i.(type) {
				case *ssa.Panic:
					found = found || b.c.isSite(b.reach, i, true)
				case *ssa.MakeClosure:
					visit(i.Fn.(*ssa.Function))
				case ssa.CallInstruction:
					if isGo(i) {
						continue
					}
					found = found || b.c.isSite(b.reach, i, true)
					visit(b.targets[i]...)
					if h := i.Common().StaticCallee(); h != nil {
						visit(h)
					}
					if _, builtin := i.Common().Value.(*ssa.Builtin); !builtin {
						visit(b.runs(i)...)
					}
				}
			}
		}
	}
	b.panics[fn] = found
	return found
}

// panicsAbroad returns, by method, why a call of it may panic with an error under study in
// code that others run.
func (c *compiler) panicsAbroad(methods []operation) map[string]string {
	if c.reach == nil || !c.kinds.panicked() {
		return nil
	}
	b := c.reach.callingBack()
	out := map[string]string{}
	for i := range methods {
		o := c.opaque[methods[i].fn]
		for _, fn := range c.reach.under(c.callsOf(methods[i:i+1], nil).methods) {
			if why := b.panicsIn(fn, o); why != "" && out[methods[i].name] == "" {
				out[methods[i].name] = why
			}
		}
	}
	return out
}

// panicsIn returns why a function may do that, as it runs in a call that is opaque, or not if o is nil.
func (b *callingBack) panicsIn(fn *ssa.Function, o *opaqueCall) string {
	dead := b.c.deadBlocks(fn)
	for _, block := range fn.Blocks {
		if dead[block] {
			continue
		}
		for _, i := range block.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			for _, g := range b.lateFor(call.Common()) {
				if b.c.panicsByState(g) {
					return fmt.Sprintf("%s may run %s, which may panic", calledName(call), g.RelString(b.c.l.pkg.Pkg))
				}
			}
			for _, g := range b.runs(call) {
				if b.mayPanic(g) && (o == nil || o.flow == nil || !b.entered(o.flow, call)) {
					return fmt.Sprintf("%s may run %s, which may panic", calledName(call), g.RelString(b.c.l.pkg.Pkg))
				}
			}
		}
	}
	return ""
}

// entered reports whether a flow of information went into a call, and into all of the code below it that may
// run a function of the component's package which panics.
//
// The errors of an opaque call are those of all code that its flow went into (opaque.go). A function that
// other code runs is part of that if the flow went into the other code, and from there into the function, as it
// does where it is an argument:
//
//	func (v V) Equal(w V) bool { return slices.EqualFunc(v.list, w.list, V.Equal) }
//
// Then what the function panics with is an error of the opaque call like any other: the flow has shown that
// nothing but arguments decides it, for each instruction that calls the function, and the parameter of the
// call says with which arguments. So other code that the flow did not go into must not run the function, nor others that panic: it
// has a name, and what is below it calls nothing by a name or signature of theirs. Functions of the
// component's package that are run must be known to be below the call: what they call is asked in the same way.
func (b *callingBack) entered(a *argumentFlow, call ssa.CallInstruction) bool {
	work, ok := a.entered[call]
	if !ok {
		return false
	}
	under := b.under([]*ssa.Function{a.entry})
	suspects := b.panicking(b.runs(call))
	runsNone := func(i ssa.CallInstruction) bool {
		g := i.Common().StaticCallee()
		return g != nil && len(b.runBy(g, slices.Concat(suspects, b.panicking(b.given(i.Common()))))) == 0
	}
	type at struct {
		a  *argumentFlow
		fn *ssa.Function
	}
	var todo []at
	seen := map[at]bool{}
	visit := func(a *argumentFlow, fns []*ssa.Function) {
		for _, fn := range fns {
			if x := (at{a, fn}); !seen[x] {
				seen[x] = true
				todo = append(todo, x)
			}
		}
	}
	for visit(a, work); len(todo) > 0; {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if b.c.l.owns(packageOf(x.fn)) && !slices.Contains(under, x.fn) {
			return false
		}
		for _, block := range x.fn.Blocks {
			if !x.a.isLive(block) {
				continue
			}
			for _, i := range block.Instrs {
				i, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if _, builtin := i.Common().Value.(*ssa.Builtin); builtin {
					continue
				}
				if fns, ok := x.a.entered[i]; ok {
					visit(x.a, fns)
				} else if q := x.a.apart[i]; q != nil {
					visit(q, q.fns)
				} else if !runsNone(i) {
					return false
				}
			}
		}
	}
	return true
}

// panicking are those of some functions that may panic.
func (b *callingBack) panicking(fns []*ssa.Function) []*ssa.Function {
	return slices.DeleteFunc(slices.Clone(fns), func(fn *ssa.Function) bool { return !b.mayPanic(fn) })
}

// missesCalledBack reports whether code of other packages below the call may run a function
// of the component's package that panics, and which was not looked at with it.
func (a *argumentFlow) missesCalledBack() bool {
	r := a.c.reach
	for _, g := range r.under([]*ssa.Function{a.entry}) {
		if !a.c.l.owns(packageOf(g)) || slices.Contains(a.fns, g) || !slices.ContainsFunc(r.callers[g], func(i ssa.CallInstruction) bool {
			return !a.c.l.owns(packageOf(i.Parent())) && packageOf(i.Parent()) != nil && i.Parent().Synthetic == ""
		}) {
			continue
		}
		for _, b := range g.Blocks {
			if slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool { return a.c.isSite(r, i, true) }) {
				return true
			}
		}
	}
	return false
}
