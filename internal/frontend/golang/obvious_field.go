// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that a field is never nil in any object (a class invariant, in
// the sense of Hoare, Acta Informatica 1972, of the simplest kind): the field is
// not exported, its address is not taken, everything that its package stores there is
// not nil, and every object of the type that exists was made by an allocation of the
// package that sets the field before anything else is done with the object. Of types that
// nobody else has, only the code counts that runs in the calls at hand. Client code
// must have no way to make such an object by itself: the type is not exported, and nothing that is leads to it, or it
// is the component's, which clients get from its constructors and do not hand in as
// an argument. Reflection is left aside, as everywhere.

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A fieldUse is what a package does with a field.
type fieldUse struct {
	stores []*ssa.Store
	taken  bool
}

// A fieldScan is what the code of a package does with objects.
type fieldScan struct {
	fns    []*ssa.Function
	allocs []*ssa.Alloc
	boxes  []*ssa.MakeInterface
	// instances are the instances of generic functions that the code mentions.
	instances []*ssa.Function
	zeros     []types.Type // types of which a zero value comes from elsewhere
	global    []types.Type // of package variables
	named     []*types.Named
	fields    map[*types.Var]*fieldUse
	// converted are the types of which values are made ones of another type.
	converted [][2]types.Type
	// asserted are the types that values in interfaces are asserted to have, and returned those of the results of calls that
	// do not name a function: each once.
	asserted, returned []types.Type
	values             []*ssa.Function     // see functionValues
	mixed              map[*types.Var]bool // see convertedFields
}

// packageScan looks at the code of a package once, for all provers of what is reached: they do not change what it finds.
func (p *prover) packageScan(pkg *types.Package) *fieldScan {
	if s, ok := p.scans[pkg]; ok {
		return s
	}
	p.scans[pkg] = nil
	sp := p.c.l.prog.Package(pkg)
	if sp == nil {
		return nil
	}
	fns := p.c.functionsIn(sp)
	for _, fn := range fns {
		if len(fn.Blocks) == 0 && fn.TypeParams().Len() > 0 {
			return nil // a generic function whose code is not there
		}
	}
	p.scans[pkg] = p.scanOf(pkg, fns)
	return p.scans[pkg]
}

// scanOf looks at some functions of a package.
func (p *prover) scanOf(pkg *types.Package, fns []*ssa.Function) *fieldScan {
	s := &fieldScan{fns: fns, fields: map[*types.Var]*fieldUse{}}
	for _, name := range pkg.Scope().Names() {
		switch o := pkg.Scope().Lookup(name).(type) {
		case *types.Var:
			s.global = append(s.global, o.Type())
		case *types.TypeName:
			if n, ok := o.Type().(*types.Named); ok && !o.IsAlias() {
				s.named = append(s.named, n)
			}
		}
	}
	seen := map[int]bool{}
	zero := func(t types.Type) {
		if id := p.id(t); !seen[id] {
			seen[id] = true
			s.zeros = append(s.zeros, t)
		}
	}
	asserted, returned := map[types.Type]bool{}, map[types.Type]bool{}
	for _, fn := range s.fns {
		for _, t := range fn.TypeArgs() {
			s.stands(t, zero)
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				p.scanInstr(s, i, zero)
				if a, ok := i.(*ssa.TypeAssert); ok {
					s.asserted = appendNew(s.asserted, a.AssertedType, asserted)
				}
				if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() == nil && !isAnyBuiltin(call) {
					for v := range call.Common().Signature().Results().Variables() {
						s.returned = appendNew(s.returned, v.Type(), returned)
					}
				}
			}
		}
	}
	return s
}

// appendNew adds a type to a list if it was not seen.
func appendNew(list []types.Type, t types.Type, seen map[types.Type]bool) []types.Type {
	if seen[t] {
		return list
	}
	seen[t] = true
	return append(list, t)
}

func isAnyBuiltin(call ssa.CallInstruction) bool {
	_, ok := call.Common().Value.(*ssa.Builtin)
	return ok
}

// stands notes that a type stands for a type parameter: generic code may make zero values of it, and see what it points to as something
// else.
func (s *fieldScan) stands(t types.Type, zero func(types.Type)) {
	zero(t)
	if e := deref(t); e != nil {
		zero(e)
		s.converted = append(s.converted, [2]types.Type{t, types.Typ[types.UnsafePointer]})
	}
}

// maxEmbedded bounds how deep embedded fields are looked at.
const maxEmbedded = 8

// instancesIn returns the type arguments of the instances of generic types that a type is, points to or embeds.
func instancesIn(t types.Type) (all []types.Type) {
	var visit func(t types.Type, depth int)
	visit = func(t types.Type, depth int) {
		if e := deref(t); e != nil {
			t = e
		}
		if n, ok := types.Unalias(t).(*types.Named); ok {
			for k := range n.TypeArgs().Len() {
				all = append(all, n.TypeArgs().At(k))
			}
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok || depth > maxEmbedded {
			return
		}
		for f := range s.Fields() {
			if f.Embedded() {
				visit(f.Type(), depth+1)
			}
		}
	}
	visit(t, 0)
	return all
}

func (p *prover) scanInstr(s *fieldScan, i ssa.Instruction, zero func(types.Type)) {
	for _, op := range i.Operands(nil) {
		switch v := (*op).(type) {
		case *ssa.Const:
			if _, basic := v.Type().Underlying().(*types.Basic); !basic {
				zero(v.Type())
			}
		case *ssa.Function:
			for _, t := range v.TypeArgs() {
				s.stands(t, zero)
			}
			if len(v.TypeArgs()) > 0 && !slices.Contains(s.instances, v) {
				s.instances = append(s.instances, v)
			}
		}
	}
	switch i := i.(type) {
	case *ssa.ChangeType:
		s.converted = append(s.converted, [2]types.Type{i.X.Type(), i.Type()})
	case *ssa.Convert:
		s.converted = append(s.converted, [2]types.Type{i.X.Type(), i.Type()})
	case *ssa.MultiConvert:
		s.converted = append(s.converted, [2]types.Type{i.X.Type(), i.Type()})
	}
	switch i := i.(type) {
	case *ssa.MakeInterface:
		s.boxes = append(s.boxes, i)
		for _, t := range instancesIn(i.X.Type()) {
			s.stands(t, zero) // its methods run by way of the interface
		}
	case *ssa.Alloc:
		s.allocs = append(s.allocs, i)
	case *ssa.MakeSlice:
		zero(i.Type().Underlying().(*types.Slice).Elem())
	case *ssa.MakeChan:
		zero(i.Type().Underlying().(*types.Chan).Elem())
	case *ssa.Lookup:
		if m, ok := i.X.Type().Underlying().(*types.Map); ok {
			zero(m.Elem())
		}
	case *ssa.TypeAssert:
		if i.CommaOk {
			zero(i.AssertedType)
		}
	case *ssa.UnOp:
		if ch, ok := i.X.Type().Underlying().(*types.Chan); ok {
			zero(ch.Elem())
		}
	case *ssa.Slice:
		if e, ok := i.X.Type().Underlying().(*types.Slice); ok && i.High != nil {
			zero(e.Elem()) // beyond its length
		}
	case *ssa.ChangeType:
		zero(i.Type())
		if e := deref(i.Type()); e != nil {
			zero(e)
			if x := deref(i.X.Type()); x != nil && !types.Identical(x, e) {
				zero(x) // its fields may be written as those of the other type
			}
		}
	case *ssa.Convert:
		for _, t := range []types.Type{i.X.Type(), i.Type()} {
			if e := deref(t); e != nil {
				zero(e)
			}
		}
	case *ssa.MultiConvert:
		zero(i.Type())
		for _, t := range []types.Type{i.X.Type(), i.Type()} {
			if e := deref(t); e != nil {
				zero(e)
			}
		}
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() == "clear" {
			if e, ok := i.Call.Args[0].Type().Underlying().(*types.Slice); ok {
				zero(e.Elem())
			}
		}
	case *ssa.FieldAddr:
		if deref(i.X.Type()) == nil {
			break // of a type parameter, whose arguments are noted
		}
		f := fieldVar(i)
		u := s.fields[f]
		if u == nil {
			u = &fieldUse{}
			s.fields[f] = u
		}
		for _, r := range *i.Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.Store:
				if r.Val == ssa.Value(i) {
					u.taken = true
				} else {
					u.stores = append(u.stores, r)
				}
			default:
				u.taken = true
			}
		}
	}
}

// functionsIn returns the functions of a package with their closures, in order of
// their names. Those that are generic are as they are written. The wrappers of promoted methods
// are among them, as are those by which a method becomes a function value: they read
// the fields that the code does not mention. They are the same whenever they are asked for: no code of a package that is built
// changes, and instances of generic functions are not among them. The list is the caller's.
func (c *compiler) functionsIn(pkg *ssa.Package) []*ssa.Function {
	if fns, ok := c.l.inPackage[pkg]; ok {
		return slices.Clone(fns)
	}
	var fns []*ssa.Function
	seen := map[*ssa.Function]bool{}
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		fns = append(fns, fn)
		for _, a := range fn.AnonFuncs {
			add(a)
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok && isMethodWrapper(g) {
						add(g)
					}
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pkg.Members)) {
		switch m := pkg.Members[name].(type) {
		case *ssa.Function:
			add(m)
		case *ssa.Type:
			n, ok := m.Type().(*types.Named)
			if !ok {
				continue
			}
			if n.TypeParams().Len() > 0 {
				for k := range n.NumMethods() {
					if fn := c.l.prog.FuncValue(n.Method(k)); fn != nil {
						add(fn)
					}
				}
				continue
			}
			for _, t := range []types.Type{m.Type(), types.NewPointer(m.Type())} {
				set := c.l.prog.MethodSets.MethodSet(t)
				for k := range set.Len() {
					if fn := c.l.prog.MethodValue(set.At(k)); fn != nil && (fn.Pkg == pkg || len(set.At(k).Index()) > 1) {
						add(fn)
					}
				}
			}
		}
	}
	if c.l.inPackage == nil {
		c.l.inPackage = map[*ssa.Package][]*ssa.Function{}
	}
	c.l.inPackage[pkg] = slices.Clone(fns)
	return fns
}

// isMethodWrapper reports whether a function is one that nobody wrote, which finds the receiver of a method
// and calls it.
func isMethodWrapper(fn *ssa.Function) bool {
	return fn.Synthetic != "" && fn.Pkg == nil && fn.Parent() == nil && fn.Origin() == nil
}

// promotesUnseen reports whether methods of an embedded field are promoted to a type whose wrappers are not among
// the functions of its package: one that is generic, has no name or is declared in a function.
func (p *prover) promotesUnseen(in location, s *fieldScan) bool {
	f, ok := in.(*types.Var)
	if !ok || !f.Embedded() {
		return false
	}
	for _, n := range s.named {
		t, ok := n.Underlying().(*types.Struct)
		if !ok || n.TypeParams().Len() > 0 {
			continue
		}
		for k := range t.NumFields() {
			if t.Field(k) == f {
				return false
			}
		}
	}
	return true
}

// fieldNotNil reports whether a field of a struct type is never nil.
func (p *prover) fieldNotNil(f *types.Var, in types.Type) bool {
	n := p.structOf(f, in)
	return n != nil && p.once(fact{kind: fieldFact, v: f}, func() bool { return p.setOr(f, nil, n) })
}

// clientMakes reports whether client code may have an object of a type that no code of
// its package allocated.
func (p *prover) clientMakes(n *types.Named, s *fieldScan) bool {
	for _, u := range s.named {
		if len(pathsTo(u, n, 0)) == 0 {
			continue
		}
		component := p.c.named != nil && u.Obj() == p.c.named.Obj()
		if !u.Obj().Exported() {
			// One that clients cannot name they make by way of what they can: elements of slices and maps, type parameters.
			if !component && !p.hidden(u) {
				return true
			}
			continue
		}
		// Clients can name a type with such an object in it.
		if !component || p.zero || u.TypeParams().Len() > 0 {
			return true
		}
		seen := map[int]bool{}
		if p.mayHandOver(u, s, seen) {
			return true
		}
		// Nor does the environment return one.
		if p.mayReturn(u, s, seen) {
			return true
		}
	}
	return false
}

// mayHandOver reports whether clients may give calls an object of a named type, otherwise than as the component. What
// leads to none is added to what was seen.
func (p *prover) mayHandOver(n *types.Named, s *fieldScan, seen map[int]bool) bool {
	for fn := range p.entries {
		for k, x := range fn.Params {
			if !(k == 0 && p.receivers[fn]) && p.mayCarry(x.Type(), n, s, seen) {
				return true
			}
		}
	}
	return false
}

// mayReturn reports whether code that a package does not name may return an object of a
// named type to it. What leads to none is added to what was seen.
func (p *prover) mayReturn(n *types.Named, s *fieldScan, seen map[int]bool) bool {
	return slices.ContainsFunc(s.returned, func(t types.Type) bool { return p.mayCarry(t, n, s, seen) })
}

// mayCarry reports whether a value of a type may lead to an object of a named
// type. What is in an interface without methods counts only if the code looks. Which types a type leads to depends on
// nothing else: those that were seen before, and led to no such object, lead to none now.
func (p *prover) mayCarry(t types.Type, n *types.Named, s *fieldScan, seen map[int]bool) bool {
	if types.Identical(t, n) {
		return true
	}
	if id := p.id(t); seen[id] {
		return false
	} else {
		seen[id] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return p.mayCarry(u.Elem(), n, s, seen)
	case *types.Slice:
		return p.mayCarry(u.Elem(), n, s, seen)
	case *types.Array:
		return p.mayCarry(u.Elem(), n, s, seen)
	case *types.Chan:
		return p.mayCarry(u.Elem(), n, s, seen)
	case *types.Map:
		return p.mayCarry(u.Key(), n, s, seen) || p.mayCarry(u.Elem(), n, s, seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if p.mayCarry(u.Field(i).Type(), n, s, seen) {
				return true
			}
		}
	case *types.Signature:
		for k := range u.Results().Len() {
			if p.mayCarry(u.Results().At(k).Type(), n, s, seen) {
				return true
			}
		}
	case *types.Interface:
		if !types.Implements(n, u) && !types.Implements(types.NewPointer(n), u) {
			return false
		}
		if u.NumMethods() > 0 {
			return true
		}
		for _, t := range s.asserted {
			v, isInterface := t.Underlying().(*types.Interface)
			if isInterface && types.Implements(types.NewPointer(n), v) || !isInterface && p.mayCarry(t, n, s, seen) {
				return true
			}
		}
	}
	return false
}

// pathsTo returns the paths of fields by which a type holds objects of a named type
// by value. A nil path leads through an array.
func pathsTo(t types.Type, n *types.Named, depth int) [][]int {
	if m, ok := types.Unalias(t).(*types.Named); ok && m.Obj() == n.Obj() {
		return [][]int{{}}
	}
	if depth > 8 {
		return [][]int{nil} // it is not known
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		if len(pathsTo(u.Elem(), n, depth+1)) > 0 {
			return [][]int{nil}
		}
	case *types.Struct:
		var all [][]int
		for i := range u.NumFields() {
			for _, path := range pathsTo(u.Field(i).Type(), n, depth+1) {
				if path == nil {
					return [][]int{nil}
				}
				all = append(all, append([]int{i}, path...))
			}
		}
		return all
	}
	return nil
}

// initialized reports whether a field of a new object is set before anything else
// is done with it. What was stored there by then counts as it is known where the object is used
// first: an object is often thrown away because of an error that came with the value. Such
// stores are added to early.
func (p *prover) initialized(a *ssa.Alloc, path []int, f *types.Var, early map[*ssa.Store]bool) bool {
	m := p.making(a, path, f, 0)
	for _, u := range m.uses {
		if !m.precedes(u) {
			return false
		}
	}
	for _, s := range m.sets {
		if m.whole[s] || p.notNil(s.Val, pointAt(s)) {
			continue
		}
		for _, u := range m.uses {
			if u.Parent() != s.Parent() || mayFollow(u, s) || mayFollow(s, u) && !p.notNil(s.Val, pointAt(u)) {
				return false
			}
		}
		early[s] = true
	}
	return true
}

// maxMaking bounds the functions, one inside the other, that a new object is handed to before its fields are set.
const maxMaking = 2

// A making is what a function does with a new object, as far as one of its fields is concerned.
type making struct {
	sets  []*ssa.Store          // of the field, or of an object with it
	whole map[*ssa.Store]bool   // the latter
	calls []ssa.CallInstruction // that set the field, before all else
	uses  []ssa.Instruction     // all else
}

// precedes reports whether the field is set whenever an instruction is reached.
func (m *making) precedes(u ssa.Instruction) bool {
	for _, s := range m.sets {
		if u.Parent() == s.Parent() && precedes(s, pointAt(u)) {
			return true
		}
	}
	for _, s := range m.calls {
		if u.Parent() == s.Parent() && precedes(s, pointAt(u)) {
			return true
		}
	}
	return false
}

// making looks at what is done with a new object; the path leads to the part that has the field.
func (p *prover) making(v ssa.Value, path []int, f *types.Var, depth int) *making {
	m := &making{whole: map[*ssa.Store]bool{}}
	var visit func(v ssa.Value, rest []int)
	visit = func(v ssa.Value, rest []int) {
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case *ssa.DebugRef:
			case *ssa.Store:
				_, zero := r.Val.(*ssa.Const)
				if r.Addr != v || zero {
					m.uses = append(m.uses, r)
					continue
				}
				// The whole object, or a larger one: as another one is, which has
				// the field set. Zero values were looked for elsewhere.
				m.sets = append(m.sets, r)
				m.whole[r] = true
			case *ssa.FieldAddr:
				switch {
				case len(rest) > 0 && r.Field == rest[0]:
					visit(r, rest[1:])
				case len(rest) == 0 && fieldVar(r) == f:
					for _, q := range *r.Referrers() {
						if st, ok := q.(*ssa.Store); ok && st.Addr == ssa.Value(r) {
							m.sets = append(m.sets, st)
						} else if _, debug := q.(*ssa.DebugRef); !debug {
							m.uses = append(m.uses, q)
						}
					}
				}
				// Another part leads neither to the field nor to the object.
			case *ssa.Phi:
				// It is used where it comes from.
				for k, x := range r.Edges {
					if from := r.Block().Preds[k]; x == v {
						m.uses = append(m.uses, from.Instrs[len(from.Instrs)-1])
					}
				}
			case *ssa.Call:
				if p.begins(r, v, rest, f, depth) {
					m.calls = append(m.calls, r)
				} else {
					m.uses = append(m.uses, r)
				}
			default:
				m.uses = append(m.uses, r)
			}
		}
	}
	visit(v, path)
	return m
}

// begins reports whether a call is given a new object and sets a field of it, before anything else is done with the
// object and on every way to its end:
//
//	func NewWriter(w io.Writer) *Writer { var z Writer; z.c.init(w); return &z }
func (p *prover) begins(call *ssa.Call, v ssa.Value, path []int, f *types.Var, depth int) bool {
	g := call.Call.StaticCallee()
	if g == nil || len(g.Blocks) == 0 || g.Recover != nil || depth >= maxMaking || packageOf(g) != f.Pkg() {
		return false
	}
	at := -1
	for k, x := range call.Call.Args {
		if x != v {
			continue
		}
		if at >= 0 || k >= len(g.Params) {
			return false
		}
		at = k
	}
	if at < 0 {
		return false
	}
	m := p.making(g.Params[at], path, f, depth+1)
	if len(m.whole) > 0 {
		return false // of what is there it is not known that it is new
	}
	for _, u := range m.uses {
		if !m.precedes(u) {
			return false
		}
	}
	for _, s := range m.sets {
		if !p.notNil(s.Val, pointAt(s)) {
			return false
		}
	}
	return p.eachReturn(g, func(r *ssa.Return, _ point) bool { return m.precedes(r) })
}

// mayFollow reports whether an instruction may be executed after another one of its
// function.
func mayFollow(first, second ssa.Instruction) bool {
	if first.Block() == second.Block() && pointAt(first).n < pointAt(second).n {
		return true
	}
	for _, b := range first.Block().Succs {
		if reaches(b, second.Block()) {
			return true
		}
	}
	return false
}

// confined returns a scan of only the code that runs, if objects of a type come from
// nowhere else.
func (p *prover) confined(n *types.Named, s *fieldScan) *fieldScan {
	if n.Obj().Pkg() != p.c.l.pkg.Pkg || n.Obj().Exported() || p.comesIn(n, s) {
		return s
	}
	return p.runningScan(s)
}

// runningScan is the part of a scan of the component's package that runs.
func (p *prover) runningScan(s *fieldScan) *fieldScan {
	if p.running == nil {
		runs := p.runs()
		var fns []*ssa.Function
		for _, fn := range s.fns {
			if runs[fn] {
				fns = append(fns, fn)
			}
		}
		p.running = p.scanOf(p.c.l.pkg.Pkg, fns)
	}
	return p.running
}

// runs returns the functions that may run when clients make their calls: what is
// reached, what it refers to, methods of what it puts into interfaces, and initialization.
func (p *prover) runs() map[*ssa.Function]bool {
	if p.live != nil {
		return p.live
	}
	seen := map[*ssa.Function]bool{}
	work := append(p.c.l.inits(), p.fns...)
	boxed := map[int]bool{}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		_, reached := p.abroad[fn]
		if pkg := packageOf(fn); seen[fn] || !p.c.l.owns(pkg) && pkg != nil && !reached {
			continue
		}
		seen[fn] = true
		if o := fn.Origin(); o != nil {
			work = append(work, o)
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						work = append(work, g)
					}
				}
				m, ok := i.(*ssa.MakeInterface)
				if !ok || boxed[p.id(m.X.Type())] {
					continue
				}
				boxed[p.id(m.X.Type())] = true
				set := p.c.l.prog.MethodSets.MethodSet(m.X.Type())
				for k := range set.Len() {
					if g := p.c.l.prog.MethodValue(set.At(k)); g != nil {
						work = append(work, g)
					}
				}
			}
		}
	}
	p.live = seen
	return seen
}

// boxNotNil reports whether pointers of a type are never nil where they are in an
// interface: neither its package nor the code at hand puts nil there. Who else can name
// the type does not either, by convention, nor does code that does not run here.
func (p *prover) boxNotNil(t types.Type) bool {
	n, ok := namedPointer(t)
	if !ok || n.Obj().Pkg() == nil || n.TypeArgs().Len() > 0 || n.TypeParams().Len() > 0 || n.Obj().Parent() != n.Obj().Pkg().Scope() {
		return false
	}
	return p.once(fact{kind: boxFact, v: n.Obj()}, func() bool {
		fine := func(m *ssa.MakeInterface) bool {
			x, ok := namedPointer(m.X.Type())
			if onlyCompared(m) {
				return true
			}
			return !ok || x.Obj() != n.Obj() || p.notNil(m.X, pointAt(m))
		}
		packages := []*types.Package{n.Obj().Pkg()}
		if n.Obj().Exported() && n.Obj().Pkg() != p.c.l.pkg.Pkg {
			packages = append(packages, p.c.l.pkg.Pkg)
		}
		for _, pkg := range packages {
			s := p.packageScan(pkg)
			if s == nil {
				return false
			}
			for _, m := range s.boxes {
				if fine(m) {
					continue
				}
				if pkg != p.c.l.pkg.Pkg || p.runs()[m.Parent()] {
					return false
				}
				p.used[conventionBoxes] = true
			}
			if !p.genericBoxes(s, n, fine) {
				return false
			}
		}
		if !n.Obj().Exported() {
			return true
		}
		for _, fn := range p.fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if m, ok := i.(*ssa.MakeInterface); ok && !fine(m) {
						return false
					}
				}
			}
		}
		p.used[conventionBoxes] = true
		return true
	})
}

// onlyCompared reports whether nothing is done with a value but compare it.
func onlyCompared(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.BinOp:
			if r.Op != token.EQL && r.Op != token.NEQ {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// genericBoxes reports whether what generic functions put into interfaces, for type arguments with a type, is fine.
// They are looked at as they run, since as they are written they only have type parameters.
func (p *prover) genericBoxes(s *fieldScan, n *types.Named, fine func(*ssa.MakeInterface) bool) bool {
	mentions := func(t types.Type) bool {
		w := &exposure{n: n.Obj(), seen: map[types.Type]bool{}}
		return w.leads(t)
	}
	unseen := func(m *ssa.MakeInterface) bool { // its methods run by way of the interface
		return slices.ContainsFunc(instancesIn(m.X.Type()), mentions)
	}
	if slices.ContainsFunc(s.boxes, unseen) {
		return false
	}
	seen := map[*ssa.Function]bool{}
	var work []*ssa.Function
	enter := func(g *ssa.Function) bool {
		if !seen[g] {
			seen[g] = true
			work = append(work, g)
		}
		return len(g.Blocks) > 0
	}
	for _, g := range s.instances {
		if slices.ContainsFunc(g.TypeArgs(), mentions) && !enter(g) {
			return false
		}
	}
	for len(work) > 0 {
		fn := work[0]
		work = work[1:]
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if p.steps++; p.steps > p.limit {
					return false
				}
				if m, ok := i.(*ssa.MakeInterface); ok && (!fine(m) || unseen(m)) {
					return false
				}
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok && (g.Parent() == fn || isMethodWrapper(g) || slices.ContainsFunc(g.TypeArgs(), mentions)) && !enter(g) {
						return false
					}
				}
			}
		}
	}
	return true
}

// namedPointer returns the named type that a pointer type points to.
func namedPointer(t types.Type) (*types.Named, bool) {
	e := deref(t)
	if e == nil {
		return nil, false
	}
	n, ok := types.Unalias(e).(*types.Named)
	return n, ok
}
