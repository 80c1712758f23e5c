// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what may be in a value of an interface or function type: which
// types and which functions flow there. Reachability by types alone (reach.go) takes
// a call of a func() for one of every func() there is.
//
// It is a control-flow analysis without contexts (0-CFA: Shivers, PLDI 1988) in which
// the heap is one field of each name for all objects of a type, as in variable type
// analysis (Sundaresan et al., OOPSLA 2000). The elements of all containers of a type
// are one. Contexts were not chosen: lowering knows the function literal that it calls
// wherever it is followed.
//
// The environment is a node, too: what it is given flows into it, and what comes from
// it may be anything that it has. It has the arguments of calls that are not
// followed, what entries return, elements of containers, and what exported fields of
// these and fields of other packages hold. By convention (itself) it has the component only if
// the component's own code gives it away.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// An item is what may be in a value: a function, a type by its number, or one of the
// following.
type item any

type (
	boxedType int
	theirOwn  struct{} // whatever the environment has
	whatever  struct{} // nothing is known
)

// Nodes are values, locations and the following.
type (
	elementOf struct {
		kind rune // of a slice or array, a channel, keys or values of a map
		typ  int  // of the elements, or of the map
	}
	resultNode struct {
		fn *ssa.Function
		k  int
	}
	environment struct{}
	handed      struct{} // what of that the component's own code gave it, not to its clients
	panicNode   struct{}
)

// A flowing is the state of the analysis.
type flowing struct {
	*reach
	nodes   map[any]*flowNode
	work    []flowStep
	given   map[possession]bool
	calls   map[*flowNode][]ssa.CallInstruction     // by what they call
	open    map[ssa.CallInstruction]bool            // call what the environment has
	opened  []ssa.CallInstruction                   // in order
	named   map[int]types.Type                      // types by their numbers
	seen    map[location]bool                       // representatives of locations that others read and write
	may     map[ssa.CallInstruction][]*ssa.Function // what dynamic calls may call by types
	linked  map[ssa.CallInstruction]map[*ssa.Function]bool
	reached map[*ssa.Function]bool
	fits    map[implementing]bool
	late    *late
	outs    []ssa.CallInstruction // calls of code that is not followed
}

// A possession is that the environment has values of a type, or was handed some.
type possession struct {
	who any
	typ int
}

type flowNode struct {
	items map[item]bool
	order []item
	to    []*flowNode
	as    *types.Interface               // what the values implement, if that is known
	only  map[*flowNode]*types.Interface // what an edge lets pass
}

type flowStep struct {
	at   *flowNode
	item item
}

// isDynamic reports whether values of a type are followed here.
func isDynamic(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return true
	}
	return false
}

// A resolution is what is known of a dynamic call.
type resolution struct {
	fns    []*ssa.Function // that it may call
	closed bool            // it calls nothing else
	late   []*ssa.Function // what it may call by late values (late.go)
}

// A flowed is what is known from the flow of values.
type flowed struct {
	calls map[*ssa.CallCommon]resolution
	types typeutil.Map           // of values that the environment was handed
	fns   map[*ssa.Function]bool // that it was handed
	// everything is set if nothing is known of what that is.
	everything bool
	back       typeutil.Map // types of values that clients have, if they are handed on
	late       *late
	lent       map[*ssa.CallCommon][]*ssa.Function // late functions and methods that calls of code which is not followed are given
}

// has reports whether the environment was handed values of a type.
func (f *flowed) has(t types.Type) bool { return f == nil || f.everything || f.types.At(t) != nil }

// mayGet reports whether the environment was handed values of a type, or clients have some which are handed on.
func (f *flowed) mayGet(t types.Type) bool { return f.has(t) || f.back.At(t) != nil }

// hasFunc reports whether it was handed a function.
func (f *flowed) hasFunc(fn *ssa.Function) bool { return f == nil || f.everything || f.fns[fn] }

// flowsOf returns what the dynamic calls of the code that is reached may call, and what the
// environment has.
func flowsOf(r *reach, entries []*ssa.Function) *flowed {
	f := &flowing{reach: r, nodes: map[any]*flowNode{}, open: map[ssa.CallInstruction]bool{}, named: map[int]types.Type{}, seen: map[location]bool{}, may: map[ssa.CallInstruction][]*ssa.Function{}, given: map[possession]bool{}, calls: map[*flowNode][]ssa.CallInstruction{}, linked: map[ssa.CallInstruction]map[*ssa.Function]bool{}, reached: map[*ssa.Function]bool{}, fits: map[implementing]bool{}, late: newLate(r)}
	f.flow(f.node(handed{}), f.node(environment{}))
	for l := range r.parent {
		if f.isOpen(l) {
			f.seen[r.find(l)] = true
		}
	}
	for _, fn := range r.fns {
		f.reached[fn] = true
	}
	for _, fn := range r.fns {
		f.function(fn)
	}
	for _, init := range r.c.l.inits() {
		f.enter(init) // what it makes is there from the beginning
	}
	if r.c.named != nil {
		f.fields(r.c.named, environment{})
		if r.c.sites {
			f.late.twins = true
			f.elsewhere(r.c.named, false)
		}
	}
	for _, fn := range entries {
		f.called(fn, environment{})
	}
	for _, fn := range r.fns {
		if fn.Signature.Recv() == nil && fn.Parent() == nil && r.c.l.owns(packageOf(fn)) && fn.Object() != nil && fn.Object().Exported() {
			f.called(fn, environment{})
		}
	}
	f.settle()
	all := &flowed{calls: map[*ssa.CallCommon]resolution{}, fns: map[*ssa.Function]bool{}, late: f.late, lent: map[*ssa.CallCommon][]*ssa.Function{}}
	for _, call := range f.outs {
		if fns := f.lateGiven(call); len(fns) > 0 {
			all.lent[call.Common()] = fns
		}
	}
	for _, call := range r.dynamic {
		n := f.value(call.Common().Value)
		all.calls[call.Common()] = resolution{f.targets(call), !n.items[theirOwn{}] && !n.items[whatever{}] && !f.open[call], f.lateTargets(call)}
	}
	given := f.node(handed{})
	for _, i := range given.order {
		switch i := i.(type) {
		case boxedType:
			all.types.Set(f.typeAt(i), true)
		case *ssa.Function:
			all.fns[i] = true
		case whatever:
			return &flowed{calls: all.calls, everything: true, late: f.late, lent: all.lent}
		}
	}
	if given.items[theirOwn{}] {
		// Clients give back what they got.
		for _, i := range f.node(environment{}).order {
			if i, ok := i.(boxedType); ok {
				all.back.Set(f.typeAt(i), true)
			}
		}
	}
	return all
}

func (f *flowing) node(key any) *flowNode {
	n := f.nodes[key]
	if n == nil {
		n = &flowNode{items: map[item]bool{}}
		f.nodes[key] = n
	}
	return n
}

// at is the node of what is at a location.
func (f *flowing) atLocation(l location) *flowNode {
	at := f.find(l)
	n := f.node(at)
	if f.seen[at] || f.isOpen(l) {
		f.seen[at] = true
		f.share(n)
	}
	return n
}

// isOpen reports whether code that is not looked at may read and write a location.
func (f *flowing) isOpen(l location) bool {
	switch l := l.(type) {
	case *types.Var:
		return !f.c.l.owns(l.Pkg()) // its own are if somebody has an object; see give
	case *ssa.Global:
		return l.Pkg == nil || !f.c.l.owns(l.Pkg.Pkg) || l.Object() == nil || l.Object().Exported()
	case *ssa.Alloc, *ssa.FreeVar:
		return false
	}
	return true
}

// element is the node of the elements of slices and arrays.
func (f *flowing) element(t types.Type) *flowNode { return f.node(elementOf{'s', f.id(t)}) }

// message is the node of what channels carry.
func (f *flowing) message(t types.Type) *flowNode { return f.node(elementOf{'c', f.id(t)}) }

// key and entry are the nodes of the keys and the values of maps.
func (f *flowing) key(m types.Type) *flowNode   { return f.node(elementOf{'k', f.id(m.Underlying())}) }
func (f *flowing) entry(m types.Type) *flowNode { return f.node(elementOf{'v', f.id(m.Underlying())}) }

// value is the node of a value.
func (f *flowing) value(v ssa.Value) *flowNode {
	if f.nodes[v] != nil {
		return f.nodes[v]
	}
	n := f.node(v)
	n.as, _ = v.Type().Underlying().(*types.Interface)
	switch v := v.(type) {
	case *ssa.Function:
		f.add(n, v)
	case *ssa.Const, *ssa.Parameter, *ssa.FreeVar, *ssa.Builtin, *ssa.Phi, *ssa.Call, *ssa.Extract, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType,
		*ssa.TypeAssert, *ssa.MakeClosure, *ssa.UnOp, *ssa.Field, *ssa.Index, *ssa.Lookup:
	default:
		f.add(n, whatever{})
	}
	return n
}

func (f *flowing) add(n *flowNode, i item) {
	if !n.items[i] {
		n.items[i] = true
		n.order = append(n.order, i)
		f.work = append(f.work, flowStep{n, i})
		if i == (theirOwn{}) && n.as != nil && f.isOurs(n.as) {
			f.fitting(n, n.as) // clients have no others
		}
	}
}

func (f *flowing) flow(from, to *flowNode) { f.flowAs(from, to, nil) }

// flowAs lets what implements an interface flow.
func (f *flowing) flowAs(from, to *flowNode, as *types.Interface) {
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

func (f *flowing) pass(i item, to *flowNode, as *types.Interface) {
	x := i
	if l, ok := i.(lateItem); ok {
		x = l.item
	}
	if b, ok := x.(boxedType); ok && (as != nil && !f.implements(b, as) || to.as != nil && !f.implements(b, to.as)) {
		return
	}
	f.add(to, i)
}

// implements reports whether a type implements an interface.
func (f *flowing) implements(b boxedType, as *types.Interface) bool {
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

type implementing struct {
	typ boxedType
	as  *types.Interface
}

// typeAt is the type with a number.
func (f *flowing) typeAt(b boxedType) types.Type { return f.named[int(b)] }

// box is the item of values of a type.
func (f *flowing) box(t types.Type) boxedType {
	n := f.id(t)
	f.named[n] = t
	return boxedType(n)
}

func (f *flowing) settle() {
	env, given := f.node(environment{}), f.node(handed{})
	for len(f.work) > 0 {
		s := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		for _, to := range s.at.to {
			f.pass(s.item, to, s.at.only[to])
		}
		for _, call := range f.calls[s.at] {
			f.link(call, s.item)
		}
		var who any
		switch s.at {
		case given:
			who = handed{}
		case env:
			who = environment{}
			for _, call := range f.opened {
				f.link(call, s.item)
			}
		default:
			continue
		}
		switch i := s.item.(type) {
		case *ssa.Function:
			f.called(i, who)
		case boxedType:
			f.give(f.typeAt(i), who)
		}
	}
}

// called notes that the environment calls a function, which gives it what it returns.
func (f *flowing) called(fn *ssa.Function, who any) {
	for k, p := range fn.Params {
		if k == 0 && fn.Signature.Recv() != nil && len(fn.Params) > fn.Signature.Params().Len() {
			continue // it has the object
		}
		f.from(p, who)
		if f.isComponent(p.Type()) {
			f.late.twins = true
			f.elsewhere(p.Type(), false) // or another one
		}
	}
	res := fn.Signature.Results()
	for k := range res.Len() {
		t := res.At(k).Type()
		if isDynamic(t) {
			f.flow(f.node(resultNode{fn, k}), f.node(who))
			continue
		}
		f.befriend(t, who)
	}
}

// from notes that a value comes from the environment.
func (f *flowing) from(v ssa.Value, who any) {
	if isDynamic(v.Type()) {
		f.add(f.value(v), theirOwn{})
		return
	}
	f.befriend(v.Type(), who)
}

// befriend notes that a value of a type comes from the environment, which may have it still.
// It is not the component itself.
func (f *flowing) befriend(t types.Type, who any) {
	if isDynamic(t) || f.isComponent(t) {
		return
	}
	f.give(t, who)
}

// isComponent reports whether a type is that of references to the component.
func (f *flowing) isComponent(t types.Type) bool {
	return f.c.named != nil && deref(t) != nil && types.Identical(deref(t), f.c.named)
}

// hand notes that the environment is given a value.
func (f *flowing) hand(v ssa.Value) {
	if isDynamic(v.Type()) {
		f.flow(f.value(v), f.node(handed{}))
		return
	}
	f.give(v.Type(), handed{})
}

// give notes that the environment has values of a type: it can put them into interfaces, call
// their methods and read their fields.
func (f *flowing) give(t types.Type, who any) {
	key := possession{who, f.id(t)}
	if f.given[key] {
		return
	}
	f.given[key] = true
	if !f.isComponent(t) && (f.c.named == nil || !types.Identical(t, f.c.named)) {
		f.elsewhere(t, false)
	}
	f.add(f.node(who), f.box(t))
	set := f.c.l.prog.MethodSets.MethodSet(t)
	for k := range set.Len() {
		if m := set.At(k); m.Obj().Exported() && !types.IsInterface(t) {
			if fn := f.c.l.prog.MethodValue(m); fn != nil && f.reached[fn] {
				f.called(fn, who)
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if isDynamic(u.Elem()) {
			f.atLocation(f.pointed(u.Elem()))
		} else {
			f.give(u.Elem(), who)
		}
	case *types.Struct:
		f.fields(t, who)
	case *types.Slice:
		f.elements(u.Elem(), f.element, who)
	case *types.Array:
		f.elements(u.Elem(), f.element, who)
	case *types.Chan:
		f.elements(u.Elem(), f.message, who)
	case *types.Map:
		f.elements(u.Key(), func(types.Type) *flowNode { return f.key(u) }, who)
		f.elements(u.Elem(), func(types.Type) *flowNode { return f.entry(u) }, who)
	}
}

// fields notes that the environment has objects of a struct type.
func (f *flowing) fields(t types.Type, who any) {
	u, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for k := range u.NumFields() {
		v := u.Field(k)
		switch {
		case !v.Exported() && f.c.l.owns(v.Pkg()) && !v.Embedded():
		case isDynamic(v.Type()):
			f.share(f.atLocation(fieldAt(u, k)))
		default:
			f.give(v.Type(), who)
			f.give(types.NewPointer(v.Type()), who)
		}
	}
}

// elements notes that the environment has a container.
func (f *flowing) elements(t types.Type, at func(t types.Type) *flowNode, who any) {
	if isDynamic(t) {
		f.share(at(t))
		return
	}
	f.give(t, who)
	f.give(types.NewPointer(t), who)
}

// enter adds a function of the component's package that only its initialization calls.
func (f *flowing) enter(fn *ssa.Function) {
	if !f.reached[fn] && len(fn.Blocks) > 0 && f.c.l.owns(packageOf(fn)) {
		f.reached[fn] = true
		f.function(fn)
	}
}

// function adds the flows of the instructions of a function.
func (f *flowing) function(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			f.instruction(i)
		}
	}
}

func (f *flowing) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.MakeInterface:
		f.add(f.value(i), f.box(i.X.Type()))
		if isDynamic(i.X.Type()) {
			f.flow(f.value(i.X), f.value(i))
		}
	case *ssa.MakeClosure:
		g := i.Fn.(*ssa.Function)
		f.add(f.value(i), g)
		for k, x := range i.Bindings {
			if isDynamic(x.Type()) && k < len(g.FreeVars) {
				f.flow(f.value(x), f.value(g.FreeVars[k]))
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
			f.flow(f.value(i.X), f.value(i))
		}
	case *ssa.TypeAssert:
		f.assert(i)
	case *ssa.UnOp:
		f.unary(i)
	case *ssa.Field:
		if isDynamic(i.Type()) {
			f.flow(f.atLocation(fieldAt(i.X.Type().Underlying().(*types.Struct), i.Field)), f.value(i))
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
			f.flow(f.value(i.Val), f.memory(i.Addr))
		}
	case *ssa.MapUpdate:
		f.put(i.Key, func(types.Type) *flowNode { return f.key(i.Map.Type()) })
		f.put(i.Value, func(types.Type) *flowNode { return f.entry(i.Map.Type()) })
	case *ssa.Send:
		f.put(i.X, f.message)
	case *ssa.Select:
		for _, s := range i.States {
			if s.Send != nil {
				f.put(s.Send, f.message)
			}
		}
	case *ssa.Convert:
		if isUnsafe(i.Type()) {
			f.lose(i.X)
		} else if isUnsafe(i.X.Type()) {
			f.lose(i)
		}
	case *ssa.Panic:
		f.flow(f.value(i.X), f.node(panicNode{}))
	case *ssa.Return:
		for k, x := range i.Results {
			if isDynamic(x.Type()) {
				f.flow(f.value(x), f.node(resultNode{i.Parent(), k}))
			}
		}
	case *ssa.Go:
		if g := i.Call.StaticCallee(); g != nil && f.c.l.owns(packageOf(g)) {
			f.connect(i, g)
			return
		}
		for _, x := range i.Call.Args {
			f.hand(x)
		}
		if !i.Call.IsInvoke() {
			f.hand(i.Call.Value)
		}
	case ssa.CallInstruction:
		f.call(i)
	}
}

// share notes that the environment may read and write somewhere.
func (f *flowing) share(n *flowNode) {
	f.add(n, theirOwn{})
	f.flow(n, f.node(handed{}))
}

// lose notes that an address is used as one of another type. What is there may be met
// again wherever something comes from the environment.
func (f *flowing) lose(addr ssa.Value) {
	t := deref(addr.Type())
	switch {
	case t == nil:
	case isDynamic(t):
		f.share(f.memory(addr))
	default:
		for _, l := range fieldsOf(t, nil) {
			if v, ok := l.(*types.Var); ok && isDynamic(v.Type()) {
				f.share(f.atLocation(l))
			}
		}
	}
}

// put lets a value flow into the elements of containers.
func (f *flowing) put(v ssa.Value, into func(t types.Type) *flowNode) {
	if isDynamic(v.Type()) {
		f.flow(f.value(v), into(v.Type()))
	}
}

// memory is the node of what is at an address.
func (f *flowing) memory(addr ssa.Value) *flowNode {
	if c, ok := addr.(*ssa.ChangeType); ok {
		return f.memory(c.X)
	}
	t := deref(addr.Type())
	if l := f.reach.at(addr); l != nil {
		n := f.atLocation(l)
		if f.disguised[f.id(t)] {
			f.share(n)
		}
		return n
	}
	return f.element(t)
}

func (f *flowing) unary(i *ssa.UnOp) {
	if !isDynamic(i.Type()) {
		return
	}
	switch i.Op {
	case token.MUL:
		f.flow(f.memory(i.X), f.value(i))
	case token.ARROW:
		f.flow(f.message(i.Type()), f.value(i))
	}
}

func (f *flowing) assert(i *ssa.TypeAssert) {
	if !isDynamic(i.AssertedType) && !f.isComponent(i.AssertedType) {
		f.elsewhere(i.AssertedType, false)
	}
	if i.CommaOk {
		return // see extract
	}
	asserted(f, i, i, i.Type())
}

// A flowGraph is a graph of what flows to where.
type flowGraph interface {
	value(v ssa.Value) *flowNode
	key(m types.Type) *flowNode
	entry(m types.Type) *flowNode
	message(t types.Type) *flowNode
	add(n *flowNode, i item)
	flow(from, to *flowNode)
	flowAs(from, to *flowNode, as *types.Interface)
}

// asserted lets what has a type flow to where it is asserted.
func asserted(f flowGraph, i *ssa.TypeAssert, to ssa.Value, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if _, generic := types.Unalias(t).(*types.TypeParam); generic {
			u = nil
		}
		f.flowAs(f.value(i.X), f.value(to), u)
	case *types.Signature:
		f.flow(f.value(i.X), f.value(to))
	}
}

// extracted lets a value flow from where it comes from with others.
func extracted(f flowGraph, i *ssa.Extract) {
	if !isDynamic(i.Type()) {
		return
	}
	switch t := i.Tuple.(type) {
	case *ssa.TypeAssert:
		asserted(f, t, i, i.Type())
	case *ssa.Call:
		// see results
	case *ssa.Lookup:
		f.flow(f.entry(t.X.Type()), f.value(i))
	case *ssa.Next:
		m := t.Iter.(*ssa.Range).X.Type()
		if i.Index == 1 {
			f.flow(f.key(m), f.value(i))
		} else {
			f.flow(f.entry(m), f.value(i))
		}
	case *ssa.UnOp, *ssa.Select:
		f.flow(f.message(i.Type()), f.value(i))
	default:
		f.add(f.value(i), whatever{})
	}
}

// call adds the flows of a call that are known before it is known what it calls.
func (f *flowing) call(i ssa.CallInstruction) {
	common := i.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if x := deferredPanic(i); x != nil {
			f.flow(f.value(x), f.node(panicNode{}))
		}
		if v := i.Value(); v != nil && isDynamic(v.Type()) {
			if b.Name() == "recover" {
				f.flow(f.node(panicNode{}), f.value(v))
				f.add(f.value(v), theirOwn{})
			} else {
				f.add(f.value(v), whatever{})
			}
		}
		return
	}
	if g := common.StaticCallee(); g != nil {
		f.enter(g)
		if f.reached[g] {
			f.connect(i, g)
		}
		if len(f.reach.targets[i]) == 0 {
			f.outside(i)
		}
		return
	}
	n := f.value(common.Value)
	f.calls[n] = append(f.calls[n], i)
	f.outside(i)
	for _, it := range slices.Clone(n.order) {
		f.link(i, it)
	}
}

// outside is a call of code that is not looked at.
func (f *flowing) outside(i ssa.CallInstruction) {
	f.outs = append(f.outs, i)
	for _, x := range i.Common().Args {
		f.hand(x)
	}
	f.results(i, func(k int, t types.Type) *flowNode {
		n := f.node(resultNode{nil, -1})
		f.add(n, theirOwn{})
		return n
	})
	res := i.Common().Signature().Results()
	for k := range res.Len() {
		f.befriend(res.At(k).Type(), handed{})
	}
}

// results lets what a call returns flow to where it is used.
func (f *flowing) results(i ssa.CallInstruction, of func(k int, t types.Type) *flowNode) {
	v, ok := i.(*ssa.Call)
	if !ok {
		return
	}
	if _, tuple := v.Type().(*types.Tuple); !tuple {
		if isDynamic(v.Type()) {
			f.flow(of(0, v.Type()), f.value(v))
		}
		return
	}
	for _, u := range *v.Referrers() {
		if x, ok := u.(*ssa.Extract); ok && isDynamic(x.Type()) {
			f.flow(of(x.Index, x.Type()), f.value(x))
		}
	}
}

// link lets a call call what an item is.
func (f *flowing) link(call ssa.CallInstruction, i item) {
	switch i := i.(type) {
	case theirOwn, lateItem:
		if !f.open[call] {
			f.open[call] = true
			f.opened = append(f.opened, call)
			for _, it := range slices.Clone(f.node(environment{}).order) {
				f.link(call, it)
			}
		}
	case whatever:
		for _, fn := range f.byTypes(call) {
			f.connect(call, fn)
		}
	case *ssa.Function:
		if !call.Common().IsInvoke() && slices.Contains(f.byTypes(call), i) {
			f.connect(call, i)
		}
	case boxedType:
		if call.Common().IsInvoke() {
			fn := f.c.method(f.typeAt(i), call.Common().Method)
			if fn == nil {
				return
			}
			if slices.Contains(f.byTypes(call), fn) {
				f.connect(call, fn)
			}
			if !f.reached[fn] {
				f.give(f.typeAt(i), handed{}) // the object, with what is in it
			}
		}
	}
}

// byTypes are the functions that a dynamic call may call if only types are known.
func (f *flowing) byTypes(call ssa.CallInstruction) []*ssa.Function {
	all, ok := f.may[call]
	if !ok {
		all = f.candidates(call.Common())
		f.may[call] = all
	}
	return all
}

// connect lets arguments flow to a function and its results back.
func (f *flowing) connect(call ssa.CallInstruction, fn *ssa.Function) {
	if f.linked[call] == nil {
		f.linked[call] = map[*ssa.Function]bool{}
	}
	if f.linked[call][fn] {
		return
	}
	f.linked[call][fn] = true
	f.enter(fn)
	for k, p := range fn.Params {
		if x := argumentOf(call.Common(), fn, k); x != nil && isDynamic(p.Type()) && isDynamic(x.Type()) {
			f.flow(f.value(x), f.value(p))
		}
	}
	f.results(call, func(k int, t types.Type) *flowNode { return f.node(resultNode{fn, k}) })
}

// targets are the functions that a call may call.
func (f *flowing) targets(call ssa.CallInstruction) (all []*ssa.Function) {
	for _, fn := range f.byTypes(call) {
		if f.linked[call][fn] {
			all = append(all, fn)
			continue
		}
		if recv := fn.Signature.Recv(); f.open[call] && recv != nil && f.isComponent(recv.Type()) {
			f.c.convention(conventionItself)
		}
	}
	return all
}
