// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what flows to where in all code of the package that somebody may run, for late.go: which types, and which functions, may be in a value of
// an interface or function type. It is the analysis of flows.go without what is known of the calls at hand: fields are one for all objects of a
// type, elements one for all containers of a type, and clients may call what is exported, and all functions that code makes values of.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// A lateFlows is what flows to where.
type lateFlows struct {
	c     *compiler
	live  map[*ssa.Function]bool
	ids   typeutil.Map // types -> int
	types []types.Type // by number
	nodes map[any]*flowNode
	calls map[*flowNode][]ssa.CallInstruction
	fits  map[implementing]bool
	work  []flowStep
}

// contentOf is the node of what is in a variable.
type contentOf struct{ variable ssa.Value }

// lateFlowsOf finds what flows to where in the code that counts as the component's own, once.
func (c *compiler) lateFlowsOf() *lateFlows {
	if c.l.lateFlows != nil {
		return c.l.lateFlows
	}
	f := &lateFlows{c: c, live: map[*ssa.Function]bool{}, nodes: map[any]*flowNode{}, calls: map[*flowNode][]ssa.CallInstruction{}, fits: map[implementing]bool{}}
	c.l.lateFlows = f
	var fns []*ssa.Function
	for _, pkg := range c.l.own() {
		live := c.alive(pkg)
		for _, fn := range c.functionsIn(pkg) {
			if live[fn] {
				f.live[fn] = true
				fns = append(fns, fn)
			}
		}
	}
	for _, fn := range fns {
		if fn.Parent() == nil && token.IsExported(fn.Name()) {
			f.open(fn)
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				f.instruction(i)
			}
		}
	}
	for len(f.work) > 0 {
		s := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		for _, to := range s.at.to {
			f.pass(s.item, to, s.at.only[to])
		}
		for _, call := range f.calls[s.at] {
			f.link(call, s.item)
		}
	}
	return f
}

// in are the items at a value.
func (f *lateFlows) in(v ssa.Value) []item { return f.value(v).order }

// within are the items in a variable that a function literal captures.
func (f *lateFlows) within(v ssa.Value) []item { return f.node(contentOf{v}).order }

func (f *lateFlows) id(t types.Type) int {
	if n, ok := f.ids.At(t).(int); ok {
		return n
	}
	n := len(f.types)
	f.ids.Set(t, n)
	f.types = append(f.types, t)
	return n
}

// typeAt is the type with a number.
func (f *lateFlows) typeAt(b boxedType) types.Type { return f.types[b] }

func (f *lateFlows) node(key any) *flowNode {
	n := f.nodes[key]
	if n == nil {
		n = &flowNode{items: map[item]bool{}}
		f.nodes[key] = n
	}
	return n
}

// value is the node of a value; of others than those listed nothing is known.
func (f *lateFlows) value(v ssa.Value) *flowNode {
	if n := f.nodes[v]; n != nil {
		return n
	}
	n := f.node(v)
	n.as, _ = v.Type().Underlying().(*types.Interface)
	if _, generic := types.Unalias(v.Type()).(*types.TypeParam); generic {
		n.as = nil
	}
	switch v := v.(type) {
	case *ssa.Function:
		f.add(n, v)
		f.open(v)
	case *ssa.Const, *ssa.Parameter, *ssa.FreeVar, *ssa.Phi, *ssa.Call, *ssa.Extract, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType,
		*ssa.TypeAssert, *ssa.MakeClosure, *ssa.UnOp, *ssa.Field, *ssa.Index, *ssa.Lookup:
	default:
		f.add(n, whatever{})
	}
	return n
}

// open notes that clients may call a function.
func (f *lateFlows) open(fn *ssa.Function) {
	for _, p := range fn.Params {
		if isDynamic(p.Type()) {
			f.add(f.value(p), theirOwn{})
		}
	}
}

// element is the node of the elements of containers of a kind, and of what pointers of an unknown origin point to. What generic code has in
// them is not told apart.
func (f *lateFlows) element(t types.Type) *flowNode {
	n := f.node(elementOf{'s', f.id(t)})
	if isGenericType(t) {
		f.add(n, whatever{})
	}
	return n
}

// key and entry are the nodes of the keys and the values of maps.
func (f *lateFlows) key(m types.Type) *flowNode   { return f.inMap('k', m) }
func (f *lateFlows) entry(m types.Type) *flowNode { return f.inMap('v', m) }

func (f *lateFlows) inMap(kind rune, m types.Type) *flowNode {
	n := f.node(elementOf{kind, f.id(m.Underlying())})
	if u, ok := m.Underlying().(*types.Map); !ok || isGenericType(u.Key()) || isGenericType(u.Elem()) {
		f.add(n, whatever{})
	}
	return n
}

// message is the node of what channels carry.
func (f *lateFlows) message(t types.Type) *flowNode {
	n := f.node(elementOf{'c', f.id(t)})
	if isGenericType(t) {
		f.add(n, whatever{})
	}
	return n
}

// field is the node of what is in a field; clients set those that are exported.
func (f *lateFlows) field(v *types.Var) *flowNode {
	n := f.node(v)
	if v.Exported() || !f.c.l.owns(v.Pkg()) {
		f.add(n, theirOwn{})
	}
	return n
}

// memory is the node of what is at an address, of a type.
func (f *lateFlows) memory(addr ssa.Value, t types.Type) *flowNode {
	switch a := addr.(type) {
	case *ssa.ChangeType:
		return f.memory(a.X, t)
	case *ssa.FieldAddr:
		return f.field(fieldVar(a))
	case *ssa.Alloc, *ssa.Global, *ssa.FreeVar:
		n := f.node(contentOf{a})
		if g, ok := a.(*ssa.Global); ok && (g.Pkg == nil || !f.c.l.owns(g.Pkg.Pkg) || g.Object() == nil || g.Object().Exported()) {
			f.add(n, theirOwn{})
		}
		return n
	}
	return f.element(t)
}

// escapes notes that an address is used otherwise than to load and store: what is there is met by other pointers, too.
func (f *lateFlows) escapes(addr ssa.Value) {
	t := deref(addr.Type())
	if t == nil || !isDynamic(t) {
		return
	}
	at, elsewhere := f.memory(addr, t), f.element(t)
	f.flow(at, elsewhere)
	f.flow(elsewhere, at)
}

func (f *lateFlows) add(n *flowNode, i item) {
	if !n.items[i] {
		n.items[i] = true
		n.order = append(n.order, i)
		f.work = append(f.work, flowStep{n, i})
	}
}

func (f *lateFlows) flow(from, to *flowNode) { f.flowAs(from, to, nil) }

// flowAs lets what implements an interface flow.
func (f *lateFlows) flowAs(from, to *flowNode, as *types.Interface) {
	if from == to {
		return
	}
	if _, ok := from.only[to]; ok {
		return
	}
	if from.only == nil {
		from.only = map[*flowNode]*types.Interface{}
	}
	from.only[to] = as
	from.to = append(from.to, to)
	for _, i := range slices.Clone(from.order) {
		f.pass(i, to, as)
	}
}

func (f *lateFlows) pass(i item, to *flowNode, as *types.Interface) {
	if b, ok := i.(boxedType); ok && !isGenericType(f.typeAt(b)) && (as != nil && !f.implements(b, as) || to.as != nil && !f.implements(b, to.as)) {
		return
	}
	f.add(to, i)
}

// implements reports whether a type implements an interface.
func (f *lateFlows) implements(b boxedType, as *types.Interface) bool {
	if as.NumMethods() == 0 {
		return true
	}
	key := implementing{b, as}
	yes, ok := f.fits[key]
	if !ok {
		yes = types.Implements(f.typeAt(b), as)
		f.fits[key] = yes
	}
	return yes
}

// converted lets what fields hold flow to those of the type that objects are converted to, and back. What others make of an unsafe.Pointer is theirs.
func (f *lateFlows) converted(from, to types.Type) {
	if isUnsafe(from) || isUnsafe(to) {
		for _, t := range []types.Type{from, to} {
			if e := deref(t); e != nil {
				for _, l := range fieldsOf(e, nil) {
					if v, ok := l.(*types.Var); ok && isDynamic(v.Type()) {
						f.add(f.node(v.Origin()), theirOwn{})
					}
				}
			}
		}
		return
	}
	both := structsOf(from, to)
	if both == nil {
		return
	}
	for k := range both[0].NumFields() {
		if x, y := both[0].Field(k).Origin(), both[1].Field(k).Origin(); x != y {
			f.flow(f.field(x), f.field(y))
			f.flow(f.field(y), f.field(x))
		}
	}
}

// structsOf are the structs that two types are, or point to, if they have as many fields.
func structsOf(from, to types.Type) []*types.Struct {
	var both []*types.Struct
	for _, t := range []types.Type{from, to} {
		if e := deref(t); e != nil {
			t = e
		}
		if u, ok := t.Underlying().(*types.Struct); ok {
			both = append(both, u)
		}
	}
	if len(both) < 2 || both[0].NumFields() != both[1].NumFields() {
		return nil
	}
	return both
}

// put lets a value flow to a node; one that is not of an interface or function type, where generic code has it as one of a type parameter.
func (f *lateFlows) put(v ssa.Value, to *flowNode) {
	if isDynamic(v.Type()) {
		f.flow(f.value(v), to)
	} else {
		f.add(to, boxedType(f.id(v.Type())))
	}
}

func (f *lateFlows) instruction(i ssa.Instruction) {
	// Values that an instruction makes of functions, and addresses that it lets out.
	call, isCall := i.(ssa.CallInstruction)
	for _, op := range i.Operands(nil) {
		switch v := (*op).(type) {
		case *ssa.Function:
			if !isCall || op != &call.Common().Value {
				f.open(v)
			}
		case *ssa.FieldAddr, *ssa.Alloc, *ssa.Global, *ssa.FreeVar, *ssa.ChangeType:
			switch i := i.(type) {
			case *ssa.UnOp, *ssa.DebugRef, *ssa.MakeClosure, *ssa.FieldAddr:
				continue
			case *ssa.Store:
				if op == &i.Addr {
					continue
				}
			}
			f.escapes(v)
		}
	}
	switch i := i.(type) {
	case *ssa.MakeInterface:
		if isDynamic(i.X.Type()) {
			f.flow(f.value(i.X), f.value(i))
		}
		f.add(f.value(i), boxedType(f.id(i.X.Type())))
	case *ssa.MakeClosure:
		g := i.Fn.(*ssa.Function)
		f.add(f.value(i), g)
		f.open(g)
		for k, x := range i.Bindings {
			if k >= len(g.FreeVars) {
				continue
			}
			v := g.FreeVars[k]
			if isDynamic(x.Type()) {
				f.flow(f.value(x), f.value(v))
			} else if t := deref(x.Type()); t != nil && isDynamic(t) {
				f.flow(f.memory(x, t), f.memory(v, t))
				f.flow(f.memory(v, t), f.memory(x, t))
			}
		}
	case *ssa.Phi:
		if isDynamic(i.Type()) {
			for _, e := range i.Edges {
				f.flow(f.value(e), f.value(i))
			}
		}
	case *ssa.ChangeInterface:
		f.flow(f.value(i.X), f.value(i))
	case *ssa.ChangeType:
		if isDynamic(i.Type()) {
			f.put(i.X, f.value(i))
		} else {
			f.converted(i.X.Type(), i.Type())
		}
	case *ssa.Convert:
		f.converted(i.X.Type(), i.Type())
	case *ssa.TypeAssert:
		if !i.CommaOk {
			asserted(f, i, i, i.Type())
		}
	case *ssa.UnOp:
		switch {
		case !isDynamic(i.Type()):
		case i.Op == token.MUL:
			f.flow(f.memory(i.X, i.Type()), f.value(i))
		case i.Op == token.ARROW:
			f.flow(f.message(i.Type()), f.value(i))
		}
	case *ssa.Field:
		if isDynamic(i.Type()) {
			f.flow(f.field(structOf(i.X.Type()).Field(i.Field).Origin()), f.value(i))
		}
	case *ssa.Index:
		if isDynamic(i.Type()) {
			f.flow(f.element(i.Type()), f.value(i))
		}
	case *ssa.Lookup:
		if isDynamic(i.Type()) {
			f.flow(f.entry(i.X.Type()), f.value(i))
		}
	case *ssa.Extract:
		extracted(f, i)
	case *ssa.Store:
		if isDynamic(i.Val.Type()) {
			f.flow(f.value(i.Val), f.memory(i.Addr, i.Val.Type()))
		}
	case *ssa.MapUpdate:
		if isDynamic(i.Key.Type()) {
			f.flow(f.value(i.Key), f.key(i.Map.Type()))
		}
		if isDynamic(i.Value.Type()) {
			f.flow(f.value(i.Value), f.entry(i.Map.Type()))
		}
	case *ssa.Send:
		if isDynamic(i.X.Type()) {
			f.flow(f.value(i.X), f.message(i.X.Type()))
		}
	case *ssa.Select:
		for _, s := range i.States {
			if s.Send != nil && isDynamic(s.Send.Type()) {
				f.flow(f.value(s.Send), f.message(s.Send.Type()))
			}
		}
	case *ssa.Panic:
		f.flow(f.value(i.X), f.node(panicNode{}))
	case *ssa.Return:
		for k, x := range i.Results {
			if isDynamic(i.Parent().Signature.Results().At(k).Type()) {
				f.put(x, f.node(resultNode{i.Parent(), k}))
			}
		}
	case ssa.CallInstruction:
		f.call(i)
	}
}

func (f *lateFlows) call(i ssa.CallInstruction) {
	common := i.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		f.builtin(i, b)
		return
	}
	if g := common.StaticCallee(); g != nil {
		f.connect(i, g)
		return
	}
	n := f.value(common.Value)
	f.calls[n] = append(f.calls[n], i)
	for _, it := range slices.Clone(n.order) {
		f.link(i, it)
	}
}

func (f *lateFlows) builtin(i ssa.CallInstruction, b *ssa.Builtin) {
	if x := deferredPanic(i); x != nil {
		f.flow(f.value(x), f.node(panicNode{}))
	}
	v := i.Value()
	switch {
	case v == nil || !isDynamic(v.Type()):
		// Elements are one for all containers of a type: nothing to do for append and copy.
	case b.Name() == "recover":
		f.flow(f.node(panicNode{}), f.value(v))
		f.add(f.value(v), theirOwn{})
	default:
		f.add(f.value(v), whatever{})
	}
}

// link lets a call call what an item is.
func (f *lateFlows) link(call ssa.CallInstruction, i item) {
	switch i := i.(type) {
	case theirOwn:
		f.outside(call)
	case whatever:
		f.results(call, func(int) *flowNode {
			n := f.node(whatever{})
			f.add(n, whatever{})
			return n
		})
	case *ssa.Function:
		if !call.Common().IsInvoke() {
			f.connect(call, i)
		}
	case boxedType:
		if !call.Common().IsInvoke() {
			return
		}
		t := f.typeAt(i)
		if isGenericType(t) {
			f.link(call, whatever{})
		} else if fn := f.c.method(t, call.Common().Method); fn != nil {
			f.connect(call, fn)
		}
	}
}

// outside is a call of code of others.
func (f *lateFlows) outside(call ssa.CallInstruction) {
	f.results(call, func(int) *flowNode {
		n := f.node(theirOwn{})
		f.add(n, theirOwn{})
		return n
	})
}

// connect lets arguments flow to a function and its results back.
func (f *lateFlows) connect(call ssa.CallInstruction, fn *ssa.Function) {
	if len(fn.Blocks) == 0 || !f.live[fn] {
		if o := fn.Origin(); o != nil && o != fn && f.live[o] && len(o.Blocks) > 0 {
			fn = o
		} else if len(fn.Blocks) == 0 || !f.c.l.owns(packageOf(fn)) {
			f.outside(call)
			return
		}
	}
	if !f.live[fn] {
		// A wrapper, or an instance that nothing else mentions: its code counts from now on.
		f.live[fn] = true
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				f.instruction(i)
			}
		}
	}
	for k, p := range fn.Params {
		if x := argumentOf(call.Common(), fn, k); x != nil && isDynamic(p.Type()) {
			f.put(x, f.value(p))
		}
	}
	f.results(call, func(k int) *flowNode { return f.node(resultNode{fn, k}) })
}

// results lets what a call returns flow to where it is used.
func (f *lateFlows) results(call ssa.CallInstruction, of func(k int) *flowNode) {
	v, ok := call.(*ssa.Call)
	if !ok {
		return
	}
	if _, tuple := v.Type().(*types.Tuple); !tuple {
		if isDynamic(v.Type()) {
			f.flow(of(0), f.value(v))
		}
		return
	}
	for _, u := range *v.Referrers() {
		if x, ok := u.(*ssa.Extract); ok && isDynamic(x.Type()) {
			f.flow(of(x.Index), f.value(x))
		}
	}
}
