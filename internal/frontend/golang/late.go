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
// followed), if it is the component and starts where its package allocates it, if a value that is late is of its type, or if such an object leads to it. A value
// of an interface or function type is LATE if code of the package that is not reached may have stored it into a field of such an object, or into a
// container or variable that fields lead to. What the code stores is followed back to a conversion or a literal; where that is not enough, all
// conversions and literals of the package count that fit.
//
// Fields that no code which is reached looks at do not matter: neither what is in them, nor what they lead to. So late values are looked for again when more
// code is reached because of them, until there are no more.
//
// Objects of the component's own type come from elsewhere only if it starts where its package allocates it, or if a call has one as an argument. Others, to which
// objects lead that come from elsewhere, count as made and changed by its calls.
//
// What clients hand over as an interface is theirs, also if the package made it: such code is not followed, unless the interface has a method that is not
// exported, so that only types of the package implement it. The same goes for what comes out of containers of other packages: atomic.Value, sync.Map.

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// A late is what was found of late values.
type late struct {
	boxes []types.Type
	fns   []*ssa.Function
	used  map[*types.Var]bool // fields that code which is reached looks at
	// fields of objects that come from elsewhere, and types of elements of containers that these lead to: errors under study may be there
	fields   []*types.Var
	elements []types.Type
	// What is in these lists: types by what they are, since each reach has numbers of its own for them.
	has            map[any]bool
	boxed, element typeutil.Map
}

// lateOf is what was found for the same calls before, for another program of them: what it finds is found at once then.
func (l *loaded) lateOf(c *compiler, entries []*ssa.Function) *late {
	var key strings.Builder
	fmt.Fprintln(&key, c.named, c.sites)
	for _, fn := range entries {
		fmt.Fprintln(&key, fn)
	}
	if l.lates == nil {
		l.lates = map[string]*late{}
	}
	found := l.lates[key.String()]
	if found == nil {
		found = &late{}
		l.lates[key.String()] = found
	}
	return found
}

// len is how many values were found.
func (l *late) len() int { return len(l.boxes) + len(l.fns) }

// isNew notes a field or a function, and isNewIn a type; they report whether it was not there.
func (l *late) isNew(key any) bool {
	if l.has[key] {
		return false
	}
	if l.has == nil {
		l.has = map[any]bool{}
	}
	l.has[key] = true
	return true
}

func isNewIn(m *typeutil.Map, t types.Type) bool { return m.Set(t, true) == nil }

// seed makes late values known to what goes by types alone.
func (r *reach) seed() {
	for _, t := range r.c.late.boxes {
		if id := r.id(t); !r.boxed[id] {
			r.boxed[id] = true
			r.boxes = append(r.boxes, t)
		}
	}
	for _, fn := range r.c.late.fns {
		if !r.taken[fn] {
			r.taken[fn] = true
			r.values = append(r.values, fn)
		}
	}
}

// A hiddenType is a type of objects that come from elsewhere; hidden: only the package gets at them, so that it sets exported fields, too.
type hiddenType struct {
	typ    int
	hidden bool
}

// missesLate looks for late values again for the fields that the code which is reached now looks at, and reports whether there are more.
func (f *flowing) missesLate(r *reach) bool {
	l := f.c.late
	more := false
	use := func(v *types.Var) {
		if !l.used[v] {
			if l.used == nil {
				l.used = map[*types.Var]bool{}
			}
			l.used[v], more = true, true
		}
	}
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.FieldAddr:
					use(fieldVar(i))
				case *ssa.Field:
					use(i.X.Type().Underlying().(*types.Struct).Field(i.Field).Origin())
				}
			}
		}
	}
	if !more {
		return false
	}
	f.met, f.bound, f.fitted = map[hiddenType]bool{}, map[*ssa.Function]bool{}, map[fitted]bool{}
	for _, t := range f.strange {
		f.elsewhere(t, false)
	}
	return len(f.work) > 0
}

// strangers notes that values of a type come from elsewhere.
func (f *flowing) strangers(t types.Type) {
	f.strange = append(f.strange, t)
	f.elsewhere(t, false)
}

// elsewhere notes that values of a type come from elsewhere.
func (f *flowing) elsewhere(t types.Type, hidden bool) {
	key := hiddenType{f.id(t), hidden}
	if f.met[key] || len(f.met) > maxTypes || !f.twins && f.c.named != nil && types.Identical(t, f.c.named) {
		return
	}
	f.met[key] = true
	if n, ok := types.Unalias(t).(*types.Named); ok && n.TypeArgs().Len() > 0 {
		defer func(args *types.TypeList) { f.args = args }(f.args)
		f.args = n.TypeArgs()
	}
	inside := func(t types.Type, at func(t types.Type) *flowNode) {
		if hidden && isDynamic(t) {
			f.fitting(at(t), t)
			if l := f.c.late; isNewIn(&l.element, t) {
				l.elements = append(l.elements, t)
			}
		}
		f.elsewhere(t, hidden)
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		inside(u.Elem(), func(t types.Type) *flowNode { return f.atLocation(f.pointed(t)) })
	case *types.Slice:
		inside(u.Elem(), f.element)
	case *types.Array:
		inside(u.Elem(), f.element)
	case *types.Chan:
		inside(u.Elem(), f.message)
	case *types.Map:
		inside(u.Key(), func(types.Type) *flowNode { return f.key(u) })
		inside(u.Elem(), func(types.Type) *flowNode { return f.entry(u) })
	case *types.Struct:
		for k := range u.NumFields() {
			v := u.Field(k)
			if !f.c.late.used[v.Origin()] {
				continue
			}
			own := f.c.l.owns(v.Pkg())
			within := hidden || own && !v.Exported()
			if within && isDynamic(v.Type()) {
				if at := f.atLocation(fieldAt(u, k)); own {
					f.storedLate(at, v)
				} else {
					f.fitting(at, v.Type())
				}
			}
			f.elsewhere(v.Type(), within)
		}
	}
}

// storedLate lets what code that is not reached stores into a field flow there.
func (f *flowing) storedLate(at *flowNode, v *types.Var) {
	if l := f.c.late; l.isNew(v.Origin()) {
		l.fields = append(l.fields, v.Origin())
	}
	scan := (&prover{reach: f.reach}).packageScan(v.Pkg())
	if scan == nil {
		f.fitting(at, v.Type())
		return
	}
	use := scan.fields[v.Origin()]
	if use == nil {
		use = &fieldUse{}
	}
	if use.taken || scan.convertedFields()[v.Origin()] {
		f.fitting(at, v.Type())
		return
	}
	live := f.c.alive(f.c.l.prog.Package(v.Pkg()))
	for _, st := range use.stores {
		if !f.reached[st.Parent()] && live[st.Parent()] {
			f.source(at, v.Type(), st.Val, map[ssa.Value]bool{})
		}
	}
}

// source lets a value of code that is not reached flow to a node.
func (f *flowing) source(at *flowNode, t types.Type, v ssa.Value, seen map[ssa.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
	case *ssa.MakeInterface:
		f.lateBox(at, v.X.Type())
	case *ssa.ChangeInterface:
		f.source(at, t, v.X, seen)
	case *ssa.Phi:
		for _, e := range v.Edges {
			f.source(at, t, e, seen)
		}
	case *ssa.MakeClosure:
		f.lateFunc(at, v.Fn.(*ssa.Function))
	case *ssa.Function:
		f.lateFunc(at, v)
	case *ssa.Parameter:
		list, theirs, ok := f.c.handedTo(v)
		if !ok {
			f.fitting(at, t)
			return
		}
		if theirs {
			f.add(at, theirOwn{})
		}
		for _, x := range list {
			f.source(at, t, x, seen)
		}
	default:
		f.fitting(at, t)
	}
}

// handedTo returns what code of the package hands to a function as a parameter; theirs: clients may call it, too. Not ok: it is not known who calls it.
func (c *compiler) handedTo(p *ssa.Parameter) (list []ssa.Value, theirs, ok bool) {
	fn := p.Parent()
	pkg := packageOf(fn)
	if pkg == nil || !c.l.owns(pkg) || fn.Parent() != nil || isGeneric(fn) || len(fn.TypeArgs()) > 0 {
		return nil, false, false
	}
	if c.l.static == nil {
		c.l.static = c.staticCalls()
	}
	calls := c.l.static[fn]
	if calls == nil || calls.valued || fn.Signature.Recv() != nil && c.l.static[nil].names[fn.Name()] {
		return nil, false, calls == nil && token.IsExported(fn.Name()) && fn.Signature.Recv() == nil
	}
	k := slices.Index(fn.Params, p)
	for _, call := range calls.list {
		x := argumentOf(call, fn, k)
		if x == nil {
			return nil, false, false
		}
		list = append(list, x)
	}
	return list, token.IsExported(fn.Name()), true
}

// A calledBy is who calls a function by its name; of nil, the names of methods that are called by an interface.
type calledBy struct {
	list   []*ssa.CallCommon
	valued bool // code makes a value of it
	names  map[string]bool
}

func (c *compiler) staticCalls() map[*ssa.Function]*calledBy {
	all := map[*ssa.Function]*calledBy{nil: {names: map[string]bool{}}}
	of := func(fn *ssa.Function) *calledBy {
		if all[fn] == nil {
			all[fn] = &calledBy{}
		}
		return all[fn]
	}
	for _, pkg := range c.l.own() {
		for _, fn := range c.functionsIn(pkg) {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					call, isCall := i.(ssa.CallInstruction)
					if isCall && call.Common().IsInvoke() {
						all[nil].names[call.Common().Method.Name()] = true
					}
					for _, op := range i.Operands(nil) {
						g, ok := (*op).(*ssa.Function)
						switch {
						case !ok:
						case isCall && op == &call.Common().Value:
							of(g).list = append(of(g).list, call.Common())
						default:
							of(g).valued = true
						}
					}
				}
			}
		}
	}
	return all
}

// fitting lets all values flow to a node that the package makes and that fit.
func (f *flowing) fitting(at *flowNode, t types.Type) {
	if key := (fitted{at, f.id(t), f.args}); f.fitted[key] {
		return
	} else {
		f.fitted[key] = true
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

// mayBe reports whether a value that is late may be a function, or have it as a method.
func (l *late) mayBe(fn *ssa.Function) bool {
	if l == nil {
		return false
	}
	if recv := fn.Signature.Recv(); recv != nil && l.boxed.At(recv.Type()) != nil {
		return true
	}
	return l.has[fn]
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
	if t = f.instanceOf(t); t == nil || !f.hasOwnMethods(t) {
		f.add(at, theirOwn{})
	}
	if t == nil {
		return
	}
	f.add(at, f.box(t))
	if l := f.c.late; isNewIn(&l.boxed, t) {
		l.boxes = append(l.boxes, t)
	}
	f.elsewhere(t, true)
}

// lateFunc is a function of which code that is not reached stored a value.
func (f *flowing) lateFunc(at *flowNode, fn *ssa.Function) {
	if isGeneric(fn) || !f.c.l.owns(packageOf(fn)) {
		f.add(at, theirOwn{})
		return
	}
	f.add(at, fn)
	if l := f.c.late; l.isNew(fn) {
		l.fns = append(l.fns, fn)
	}
	if f.bound[fn] {
		return
	}
	f.bound[fn] = true
	for _, v := range fn.FreeVars {
		if isDynamic(v.Type()) {
			f.fitting(f.value(v), v.Type())
		} else if e := deref(v.Type()); e != nil && isDynamic(e) {
			f.fitting(f.memory(v), e)
		}
		f.elsewhere(v.Type(), true)
	}
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
	if !ok || f.args == nil || n.Origin().TypeParams().Len() != f.args.Len() {
		return nil
	}
	inst, err := types.Instantiate(nil, n.Origin(), slices.Collect(f.args.Types()), true)
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
