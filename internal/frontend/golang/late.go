// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what may be in unexported fields of objects that come from elsewhere, for flows.go. Only code of the package sets them,
// but that need not be code which calls of the alphabet lead to:
//
//	func NewOption() *Option { return &Option{check: &once{}} } // the client's business
//
//	func (c *Conn) Use(o *Option) error { return o.check.do() } // may be (*once).do
//
// An object COMES FROM ELSEWHERE if the environment has values of its type, or made it by its own (an argument, a result of code that is not
// followed), if it is the component and starts where its package allocates it, or if such an object leads to it. A value
// of an interface or function type is LATE if code of the package that is not reached may have stored it into a field of such an object, or into a
// container or variable that fields lead to; late_flows.go knows what that may be.
//
// Late code is not followed: what is unknown where an object is made belongs to the environment. But it is code of the package, and may have a protocol of
// its own. If it may return an error under study by what calls change, then a call of it is one that the environment answers with an error in disguise
// (foreign.go); nor is a call known to be allowed that may run late code with a panic that hangs on that (calledback.go). That it does not err otherwise, that what it
// calls in turn does not panic, and that it leaves the component alone, is a convention.
//
// Objects of the component's own type come from elsewhere only if it starts where its package allocates it, or if a call has one as an argument. Others, to which
// objects lead that come from elsewhere, count as made and changed by its calls.
//
// What clients hand over as an interface is theirs, also if the package made it, unless the interface has a method that is not
// exported, so that only types of the package implement it. The same goes for what comes out of containers of other packages: atomic.Value, sync.Map.

import (
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

const conventionElsewhere = "elsewhere: functions and methods that code of the package which no call leads to has put into objects err only by what calls change in their own objects, and change no others that they are not given"

// A lateItem is a late value: of a type, or a function.
type lateItem struct{ item }

// A late is where late values may be.
type late struct {
	// fields of objects that come from elsewhere, and types of elements of containers that these lead to
	fields   []*types.Var
	elements []lateElement
	met      map[hiddenType]bool // types of objects that come from elsewhere
	types    typeutil.Map        // the same, whatever gets at them
	noted    map[*types.Var]bool
	used     map[*types.Var]bool // fields that the code which is reached looks at
	fitted   map[fitted]bool
	args     *types.TypeList // of the object at hand
	twins    bool            // objects of the component's type come from elsewhere
}

// A hiddenType is a type of objects that come from elsewhere; hidden: only the package gets at them, so that it sets exported fields, too.
type hiddenType struct {
	typ    int
	hidden bool
}

// A lateElement is what containers have in them: kind is that of elements of slices and arrays ('s'), messages ('c'), keys ('k') and
// entries ('v') of maps, and variables that pointers lead to ('p').
type lateElement struct {
	kind rune
	typ  types.Type
	errs bool // errors may be among them
}

// newLate notes the fields that the code which is reached looks at: others do not matter, neither what is in them, nor what they lead to.
func newLate(r *reach) *late {
	l := &late{met: map[hiddenType]bool{}, noted: map[*types.Var]bool{}, used: map[*types.Var]bool{}, fitted: map[fitted]bool{}}
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.FieldAddr:
					l.used[fieldVar(i)] = true
				case *ssa.Field:
					l.used[structOf(i.X.Type()).Field(i.Field).Origin()] = true
				}
			}
		}
	}
	return l
}

// elsewhere notes that values of a type come from elsewhere.
func (f *flowing) elsewhere(t types.Type, hidden bool) {
	l := f.late
	key := hiddenType{f.id(t), hidden}
	if l.met[key] || len(l.met) > maxTypes || !l.twins && f.c.named != nil && types.Identical(t, f.c.named) {
		return
	}
	l.met[key] = true
	l.types.Set(t, true)
	if n, ok := types.Unalias(t).(*types.Named); ok && n.TypeArgs().Len() > 0 {
		defer func(args *types.TypeList) { l.args = args }(l.args)
		l.args = n.TypeArgs()
	}
	inside := func(kind rune, t types.Type, at func(t types.Type) *flowNode, stored func(*lateFlows) *flowNode) {
		if hidden && isDynamic(t) {
			all := stored(f.c.lateFlowsOf()).order
			f.items(at(t), t, all)
			l.elements = append(l.elements, lateElement{kind, t, slices.ContainsFunc(all, f.mayBeError)})
		}
		f.elsewhere(t, hidden)
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		inside('p', u.Elem(), func(t types.Type) *flowNode { return f.atLocation(f.pointed(t)) }, func(l *lateFlows) *flowNode { return l.element(u.Elem()) })
	case *types.Slice:
		inside('s', u.Elem(), f.element, func(l *lateFlows) *flowNode { return l.element(u.Elem()) })
	case *types.Array:
		inside('s', u.Elem(), f.element, func(l *lateFlows) *flowNode { return l.element(u.Elem()) })
	case *types.Chan:
		inside('c', u.Elem(), f.message, func(l *lateFlows) *flowNode { return l.message(u.Elem()) })
	case *types.Map:
		inside('k', u.Key(), func(types.Type) *flowNode { return f.key(u) }, func(l *lateFlows) *flowNode { return l.key(u) })
		inside('v', u.Elem(), func(types.Type) *flowNode { return f.entry(u) }, func(l *lateFlows) *flowNode { return l.entry(u) })
	case *types.Struct:
		for k := range u.NumFields() {
			v := u.Field(k)
			if !l.used[v.Origin()] {
				continue
			}
			own := f.c.l.owns(v.Pkg())
			within := hidden || own && !v.Exported()
			if within && isDynamic(v.Type()) {
				if at := f.atLocation(fieldAt(u, k)); own {
					f.storedLate(at, v)
				} else {
					f.items(at, v.Type(), f.c.lateFlowsOf().field(v.Origin()).order)
				}
			}
			f.elsewhere(v.Type(), within)
		}
	}
}

// mayBeError reports whether an item may be an error.
func (f *flowing) mayBeError(i item) bool {
	switch i := i.(type) {
	case boxedType:
		t := f.c.lateFlowsOf().typeAt(i)
		return isGenericType(t) || types.Implements(t, errorInterface)
	case *ssa.Function:
		return false
	}
	return true
}

// storedLate lets what code that is not reached stores into a field flow there.
func (f *flowing) storedLate(at *flowNode, v *types.Var) {
	if l := f.late; !l.noted[v.Origin()] {
		l.noted[v.Origin()] = true
		l.fields = append(l.fields, v.Origin())
	}
	flows := f.c.lateFlowsOf()
	scan := (&prover{reach: f.reach}).packageScan(v.Pkg())
	if scan == nil {
		f.fitting(at, v.Type())
		return
	}
	use := scan.fields[v.Origin()]
	switch {
	case scan.convertedFields()[v.Origin()] || use != nil && use.taken:
		f.items(at, v.Type(), flows.field(v.Origin()).order)
	case use != nil:
		for _, st := range use.stores {
			if !f.reached[st.Parent()] && flows.live[st.Parent()] {
				f.items(at, v.Type(), flows.in(st.Val))
			}
		}
	}
}

// items lets what code that is not reached has in a value flow to a node.
func (f *flowing) items(at *flowNode, t types.Type, all []item) {
	flows := f.c.lateFlowsOf()
	u, _ := t.Underlying().(*types.Interface)
	for _, i := range all {
		switch i := i.(type) {
		case boxedType:
			if x := flows.typeAt(i); !types.IsInterface(x) && (u == nil || isGenericType(x) || isGenericType(t) || types.Implements(x, u)) {
				f.lateBox(at, x)
			}
		case *ssa.Function:
			f.lateFunc(at, i)
		case theirOwn:
			f.add(at, i)
		case whatever:
			f.fitting(at, t)
		}
	}
}

// fitting lets all values flow to a node that the package makes and that fit.
func (f *flowing) fitting(at *flowNode, t types.Type) {
	if key := (fitted{at, f.id(t), f.late.args}); f.late.fitted[key] {
		return
	} else {
		f.late.fitted[key] = true
	}
	if !f.isOurs(t) {
		f.add(at, theirOwn{})
	}
	fits := f.fitsIn(t)
	for _, x := range fits.types {
		f.lateBox(at, x)
	}
	for _, fn := range fits.fns {
		f.lateFunc(at, fn)
	}
}

// A fitted is that what fits a type was let flow to a node.
type fitted struct {
	at   *flowNode
	typ  int
	args *types.TypeList
}

// A fittings is what the package makes values of, and fits an interface or function type.
type fittings struct {
	types []types.Type
	fns   []*ssa.Function
}

// fitsIn finds that, once for each type.
func (f *flowing) fitsIn(t types.Type) *fittings {
	if known, ok := f.c.l.fitting.At(t).(*fittings); ok {
		return known
	}
	fits := &fittings{}
	seen := map[int]bool{}
	for _, pkg := range f.c.l.own() {
		scan := (&prover{reach: f.reach}).packageScan(pkg.Pkg)
		if scan == nil {
			continue
		}
		live := f.c.alive(pkg)
		switch u := t.Underlying().(type) {
		case *types.Interface:
			for _, b := range scan.boxes {
				x := b.X.Type()
				if id := f.id(x); live[b.Parent()] && !seen[id] {
					seen[id] = true
					if !types.IsInterface(x) && types.Implements(x, u) && f.hasOwnMethods(x) {
						fits.types = append(fits.types, x)
					}
				}
			}
		case *types.Signature:
			for _, fn := range f.functionValues(scan) {
				if live[fn] && types.Identical(noReceiver(fn.Signature), noReceiver(u)) {
					fits.fns = append(fits.fns, fn)
				}
			}
		}
	}
	f.c.l.fitting.Set(t, fits)
	return fits
}

// isOurs reports whether only types of the package implement an interface: it has a method that is not exported.
func (f *flowing) isOurs(t types.Type) bool {
	u, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range u.Methods() {
		if !m.Exported() && f.c.l.owns(m.Pkg()) {
			return true
		}
	}
	return false
}

// hasOwnMethods reports whether a type has methods of the package.
func (f *flowing) hasOwnMethods(t types.Type) bool {
	for m := range f.c.l.prog.MethodSets.MethodSet(t).Methods() {
		if f.c.l.owns(m.Obj().Pkg()) {
			return true
		}
	}
	return false
}

// functionValues are the functions that the code of a package makes values of.
func (f *flowing) functionValues(scan *fieldScan) []*ssa.Function {
	if scan.values != nil {
		return scan.values
	}
	scan.values = []*ssa.Function{}
	seen := map[*ssa.Function]bool{}
	for _, fn := range scan.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, isCall := i.(ssa.CallInstruction)
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok && !(isCall && op == &call.Common().Value) && !seen[g] {
						seen[g] = true
						scan.values = append(scan.values, g)
					}
				}
			}
		}
	}
	return scan.values
}

// lateBox is a value in an interface that code which is not reached stored.
func (f *flowing) lateBox(at *flowNode, t types.Type) {
	t = f.instanceOf(t)
	if t == nil || !f.hasOwnMethods(t) {
		f.add(at, theirOwn{})
		return
	}
	f.add(at, lateItem{f.box(t)})
}

// lateFunc is a function of which code that is not reached stored a value.
func (f *flowing) lateFunc(at *flowNode, fn *ssa.Function) {
	if !f.c.l.owns(packageOf(fn)) {
		f.add(at, theirOwn{})
		return
	}
	f.add(at, lateItem{fn})
}

// lateTargets are the functions that a call may call by late values.
func (f *flowing) lateTargets(call ssa.CallInstruction) (all []*ssa.Function) {
	common := call.Common()
	for i := range f.lateIn(common.Value) {
		fn, _ := i.(*ssa.Function)
		if b, ok := i.(boxedType); ok && common.IsInvoke() {
			fn = f.c.method(f.typeAt(b), common.Method)
		}
		if fn != nil && !slices.Contains(all, fn) {
			all = append(all, fn)
		}
	}
	if len(all) > 0 && !isErrorType(common.Value.Type()) {
		f.c.convention(conventionElsewhere)
	}
	return all
}

// lateIn are the late items at a value.
func (f *flowing) lateIn(v ssa.Value) iter.Seq[item] {
	return func(yield func(item) bool) {
		if !isDynamic(v.Type()) {
			return
		}
		for _, i := range f.value(v).order {
			if l, ok := i.(lateItem); ok && !yield(l.item) {
				return
			}
		}
	}
}

// lateGiven are the functions that a call of code which is not followed is given as late values, and of late objects in interfaces the methods that these have:
// others call no more. Errors are only printed.
func (f *flowing) lateGiven(call ssa.CallInstruction) (all []*ssa.Function) {
	if e := f.effects[call]; e != nil && !e.changes {
		return nil
	}
	for _, x := range call.Common().Args {
		if isErrorType(x.Type()) {
			continue
		}
		for i := range f.lateIn(x) {
			switch i := i.(type) {
			case *ssa.Function:
				all = append(all, i)
			case boxedType:
				u, ok := x.Type().Underlying().(*types.Interface)
				if !ok {
					continue
				}
				for m := range u.Methods() {
					if fn := f.c.method(f.typeAt(i), m); fn != nil && f.c.l.owns(packageOf(fn)) {
						all = append(all, fn)
					}
				}
			}
		}
	}
	if len(all) > 0 {
		f.c.convention(conventionElsewhere)
	}
	return all
}

// lateFor are the late functions that a call may run, by itself or by code that is not followed.
func (r *reach) lateFor(call *ssa.CallCommon) []*ssa.Function {
	if r.flows == nil {
		return nil
	}
	return slices.Concat(r.flows.calls[call].late, r.flows.lent[call])
}

// instanceOf is a type as generic code of the package has it, with the type arguments of the object at hand; nil if it takes others.
func (f *flowing) instanceOf(t types.Type) types.Type {
	if !isGenericType(t) {
		return t
	}
	e, pointer := t, false
	if x := deref(t); x != nil {
		e, pointer = x, true
	}
	n, ok := types.Unalias(e).(*types.Named)
	if !ok || f.late.args == nil || n.Origin().TypeParams().Len() != f.late.args.Len() {
		return nil
	}
	inst, err := types.Instantiate(nil, n.Origin(), slices.Collect(f.late.args.Types()), true)
	if err != nil {
		return nil
	}
	if pointer {
		return types.NewPointer(inst)
	}
	return inst
}

// isGenericType reports whether a type has type parameters in it.
func isGenericType(t types.Type) bool {
	if e := deref(t); e != nil {
		t = e
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return slices.ContainsFunc(slices.Collect(n.TypeArgs().Types()), isGenericType) || n.TypeArgs().Len() < n.TypeParams().Len()
	}
	return meets(t, func(t types.Type) bool { _, ok := t.(*types.TypeParam); return ok }, func(*types.Var) bool { return false })
}

// convertedFields are the fields of structs that are converted from structs with other fields.
func (s *fieldScan) convertedFields() map[*types.Var]bool {
	if s.mixed != nil {
		return s.mixed
	}
	s.mixed = map[*types.Var]bool{}
	for _, pair := range s.converted {
		var both [2]*types.Struct
		for k, t := range pair {
			if e := deref(t); e != nil {
				t = e
			}
			both[k], _ = t.Underlying().(*types.Struct)
		}
		if both[0] == nil || both[1] == nil {
			continue
		}
		for k := range min(both[0].NumFields(), both[1].NumFields()) {
			if x, y := both[0].Field(k).Origin(), both[1].Field(k).Origin(); x != y {
				s.mixed[x], s.mixed[y] = true, true
			}
		}
	}
	return s.mixed
}

// A stateful knows which code hangs on something that calls may change: a field that code sets in objects which it has not just made, a variable,
// an element of a map, what a function says that is not known. Arguments, numbers and texts in containers, and answers of other packages are no state.
type stateful struct {
	c       *compiler
	seen    map[ssa.Value]bool
	results map[*ssa.Function]bool
}

func (c *compiler) newStateful() *stateful {
	return &stateful{c, map[ssa.Value]bool{}, map[*ssa.Function]bool{}}
}

// panicsByState reports whether a function has a panic, and tests on the way to it something that calls may change.
func (c *compiler) panicsByState(fn *ssa.Function) bool {
	if fn = wrapped(fn); fn == nil {
		return true
	}
	before := map[*ssa.BasicBlock]bool{}
	var back func(b *ssa.BasicBlock)
	back = func(b *ssa.BasicBlock) {
		if !before[b] {
			before[b] = true
			for _, p := range b.Preds {
				back(p)
			}
		}
	}
	for _, b := range fn.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Panic); ok {
			back(b)
		}
	}
	s := c.newStateful()
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return before[b] && s.branch(b) })
}

// returnsByState reports whether something that calls may change decides what a function returns.
func (c *compiler) returnsByState(fn *ssa.Function) bool {
	g := wrapped(fn)
	return g == nil || c.newStateful().result(g)
}

// branch reports whether it hangs on that where a block goes on.
func (s *stateful) branch(b *ssa.BasicBlock) bool {
	i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return ok && s.value(i.Cond)
}

// result reports whether what a function returns does.
func (s *stateful) result(fn *ssa.Function) bool {
	if known, ok := s.results[fn]; ok {
		return known
	}
	s.results[fn] = false
	for _, b := range fn.Blocks {
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if s.branch(b) || ok && slices.ContainsFunc(r.Results, s.value) {
			s.results[fn] = true
			return true
		}
	}
	return false
}

// value reports whether a value does.
func (s *stateful) value(v ssa.Value) bool {
	if v == nil || s.seen[v] {
		return false
	}
	s.seen[v] = true
	c := s.c
	switch v := v.(type) {
	case *ssa.Const, *ssa.Parameter, *ssa.Function, *ssa.Builtin:
		return false
	case *ssa.Alloc:
		for _, u := range *v.Referrers() {
			if st, ok := u.(*ssa.Store); ok && st.Addr == ssa.Value(v) && s.value(st.Val) {
				return true
			}
		}
		return false
	case *ssa.FieldAddr:
		return c.isSetLater(fieldVar(v)) || s.value(v.X)
	case *ssa.Field:
		return c.isSetLater(structOf(v.X.Type()).Field(v.Field).Origin()) || s.value(v.X)
	case *ssa.FreeVar:
		return deref(v.Type()) != nil && !isObject(deref(v.Type()))
	case *ssa.Global:
		return !c.isConstant(v)
	case *ssa.Lookup, *ssa.Next:
		return true
	case *ssa.IndexAddr:
		if _, plain := deref(v.Type()).Underlying().(*types.Basic); !plain {
			return true
		}
	case *ssa.Call:
		if isAnyBuiltin(v) {
			break
		}
		g := v.Call.StaticCallee()
		if g == nil {
			return true
		}
		return c.l.owns(packageOf(g)) && (len(g.Blocks) == 0 || s.result(g))
	}
	i, ok := v.(ssa.Instruction)
	return !ok || slices.ContainsFunc(i.Operands(nil), func(x *ssa.Value) bool { return s.value(*x) })
}

// isObject reports whether a type is that of objects with fields: what a captured pointer leads to, and no captured variable.
func isObject(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// isSetLater reports whether code sets a field in objects that it has not just made.
func (c *compiler) isSetLater(f *types.Var) bool {
	if !c.l.owns(f.Pkg()) {
		return true
	}
	scan := (&prover{reach: c.reach}).packageScan(f.Pkg())
	if scan == nil {
		return true
	}
	use := scan.fields[f]
	return use != nil && (use.taken || slices.ContainsFunc(use.stores, func(st *ssa.Store) bool {
		at := st.Addr
		for {
			a, ok := at.(*ssa.FieldAddr)
			if !ok {
				break
			}
			at = a.X
		}
		_, made := at.(*ssa.Alloc)
		return !made
	}))
}
