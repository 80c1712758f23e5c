// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves checks of what is in objects that clients gave to a constructor, if the
// constructor looked at all of them and refused others:
//
//	func (s *Schema) Validate() error {
//		for name, t := range s.Tables {
//			if t.Name != name { return errors.New("name mismatch") }
//			if err := t.Validate(); err != nil { return err }
//		}
//		return nil
//	}
//
// If Validate returns nil then no element of Tables is nil, and each has what its own Validate
// asks for. A constructor that returns an object only after that has told something about
// all tables of the component, for as long as nobody changes them.
//
// A configuration type is a struct of the component's package all of whose objects come
// from the arguments of the functions that constructors begin with: code that runs makes
// none, no package variable leads to one, no other call takes one, and unknown code neither
// gets nor returns one. A field of it is fixed if code that runs only reads it, and only reads
// the map that is in it. By the convention "entrusted" clients do not change it either. So
// what was true of such fields when the constructor returned is true in all later calls.
//
// A claim is a path from an object of such a type, by fixed fields and by elements of maps,
// and what is said of the value there: it is not nil, or has a dynamic type that implements
// an interface. A path has elements at a constant key, which is then there, and all elements
// ("[*]"). A claim holds of all objects of a type if each constructor establishes it, on every
// way by which its arguments lead to such objects, wherever it returns something that leads
// to them. A function establishes it of a parameter at a point of its code if
//
//   - a value with this path was tested, or used so that nil would have panicked;
//   - a function was called for a value at the beginning of the path, which establishes the
//     rest wherever it returns without an error, and it did return without one; or
//   - a loop over a map at the beginning of the path came to its end, and each of its rounds
//     that went on to the next one established the rest for the element.
//
// Claims are used only in code that constructors' first functions do not run: there, objects
// may not have been looked at yet. Slices are left out: their loops count.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maxWay bounds the fields and elements that lead from an argument to an object.
const maxWay = 8

const everyElement = "[*]"

// A claim is said of all objects of a type. Of the value at the path it is said that it
// is not nil, or that it has a type that implements an interface.
type claim struct {
	of   *types.TypeName
	path string
	as   int // the number of the interface; 0: not nil
}

// settings is what is known about configuration types.
type settings struct {
	first []*ssa.Function // what makers begin with
	none  bool            // there are no such types
	early map[*ssa.Function]bool
	is    map[*types.TypeName]bool
	fixed map[*types.Var]bool
	// steady are the fields of other objects that only their makers set.
	steady map[*types.Var]bool
}

// established says that a function establishes a claim of a parameter.
type established struct {
	fn   *ssa.Function
	k    int
	path string
	as   int
}

func (p *prover) newSettings(makers []maker) *settings {
	s := &settings{is: map[*types.TypeName]bool{}, fixed: map[*types.Var]bool{}, steady: map[*types.Var]bool{}}
	s.none = p.c.named == nil || p.zero || p.sited || len(makers) == 0
	for i := range makers {
		k := &makers[i]
		if len(k.steps) == 0 || k.steps[0].fn == nil || k.steps[0].recv >= 0 || k.steps[0].fn.Signature.Recv() != nil {
			s.none = true
			break
		}
		s.none = s.none || slices.ContainsFunc(k.objects, func(o object) bool { return o.variable || o.converted })
		if !slices.Contains(s.first, k.steps[0].fn) {
			s.first = append(s.first, k.steps[0].fn)
		}
	}
	return s
}

// runsEarly reports whether a function may run in the first function of a constructor.
func (p *prover) runsEarly(fn *ssa.Function) bool {
	s := p.settings
	if s.early == nil {
		s.early = map[*ssa.Function]bool{}
		methods := map[string][]*ssa.Function{} // by name
		for _, h := range p.fns {
			if h.Signature.Recv() != nil {
				methods[h.Name()] = append(methods[h.Name()], h)
			}
		}
		var ops []*ssa.Value
		work := slices.Clone(s.first)
		for len(work) > 0 {
			g := work[len(work)-1]
			work = work[:len(work)-1]
			if s.early[g] {
				continue
			}
			s.early[g] = true
			work = append(work, g.AnonFuncs...)
			for _, b := range g.Blocks {
				for _, i := range b.Instrs {
					ops = i.Operands(ops[:0])
					for _, op := range ops {
						if h, ok := (*op).(*ssa.Function); ok {
							work = append(work, h)
						}
					}
					call, ok := i.(ssa.CallInstruction)
					if !ok {
						continue
					}
					work = append(work, p.targets[call]...)
					if call.Common().IsInvoke() {
						work = append(work, methods[call.Common().Method.Name()]...)
					}
				}
			}
		}
	}
	return s.early[fn]
}

// isSetting reports whether a type is a configuration type.
func (p *prover) isSetting(n *types.Named) bool {
	s := p.settings
	if s == nil || s.none || n.Obj().Pkg() != p.c.l.pkg.Pkg || n.TypeArgs().Len() > 0 || n.TypeParams().Len() > 0 || n.Obj().Parent() != n.Obj().Pkg().Scope() || n.Obj() == p.c.named.Obj() {
		return false
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return false
	}
	is, ok := s.is[n.Obj()]
	if !ok {
		s.is[n.Obj()] = false // of types that lead to each other none is
		is = p.comesWithArguments(n)
		s.is[n.Obj()] = is
	}
	return is
}

func (p *prover) comesWithArguments(n *types.Named) bool {
	all := p.packageScan(n.Obj().Pkg())
	if all == nil {
		return false
	}
	carries := p.carries(n)
	if slices.ContainsFunc(all.global, carries) {
		return false
	}
	// Clients may set what they see of other objects.
	for _, u := range all.named {
		st, ok := u.Underlying().(*types.Struct)
		for i := 0; ok && i < st.NumFields(); i++ {
			if f := st.Field(i); f.Exported() && carries(f.Type()) && u.Obj() != n.Obj() && !p.isSetting(u) {
				return false
			}
		}
	}
	for fn := range p.entries {
		for k, x := range fn.Params {
			receiver := k == 0 && fn.Signature.Recv() != nil
			switch {
			case receiver && (isPointerTo(x.Type(), n) || types.Identical(x.Type(), n)):
				return false
			case !receiver && carries(x.Type()) && !slices.Contains(p.settings.first, fn):
				return false
			}
		}
	}
	s := p.runningScan(all)
	holds := func(t types.Type) bool { return len(pathsTo(t, n, 0)) > 0 }
	if slices.ContainsFunc(s.zeros, holds) || slices.ContainsFunc(s.allocs, func(a *ssa.Alloc) bool { return holds(deref(a.Type())) }) {
		return false
	}
	for fn := range p.runs() {
		if slices.ContainsFunc(fn.TypeArgs(), carries) {
			return false
		}
	}
	for _, fn := range s.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !p.keepsFromOthers(i, n, carries) {
					return false
				}
			}
		}
	}
	return true
}

// carries returns a test of types: whether a value of a type may lead to an object of a
// named type. What is in an interface with methods may be any type of the package that has
// them; what is in one without is found where code asserts what it is.
func (p *prover) carries(n *types.Named) func(t types.Type) bool {
	all := p.packageScan(n.Obj().Pkg())
	var visit func(t types.Type, seen map[int]bool) bool
	visit = func(t types.Type, seen map[int]bool) bool {
		if m, ok := types.Unalias(t).(*types.Named); ok && m.Obj() == n.Obj() {
			return true
		}
		if id := p.id(t); seen[id] {
			return false
		} else {
			seen[id] = true
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			return visit(u.Elem(), seen)
		case *types.Slice:
			return visit(u.Elem(), seen)
		case *types.Array:
			return visit(u.Elem(), seen)
		case *types.Chan:
			return visit(u.Elem(), seen)
		case *types.Map:
			return visit(u.Key(), seen) || visit(u.Elem(), seen)
		case *types.Tuple:
			for k := range u.Len() {
				if visit(u.At(k).Type(), seen) {
					return true
				}
			}
		case *types.Struct:
			for i := range u.NumFields() {
				if visit(u.Field(i).Type(), seen) {
					return true
				}
			}
		case *types.Signature:
			return visit(u.Results(), seen)
		case *types.Interface:
			for _, m := range all.named {
				if u.NumMethods() > 0 && p.hasMethods(m, u) && visit(m, seen) {
					return true
				}
			}
		}
		return false
	}
	known := map[int]bool{}
	return func(t types.Type) bool {
		id := p.id(t)
		carry, ok := known[id]
		if !ok {
			carry = visit(t, map[int]bool{})
			known[id] = carry
		}
		return carry
	}
}

// hasMethods reports whether a type, or pointers to it, may implement an interface.
func (p *prover) hasMethods(n *types.Named, as *types.Interface) bool {
	if types.IsInterface(n) {
		return false
	}
	set := p.c.l.prog.MethodSets.MethodSet(types.NewPointer(n))
	for k := range as.NumMethods() {
		if m := as.Method(k); set.Lookup(m.Pkg(), m.Name()) == nil {
			return false
		}
	}
	return true
}

// keepsFromOthers reports whether an instruction neither gives an object of a type to
// somebody else, nor gets one from there, nor writes a whole one.
func (p *prover) keepsFromOthers(i ssa.Instruction, n *types.Named, carries func(types.Type) bool) bool {
	switch i := i.(type) {
	case *ssa.MakeInterface:
		return !carries(i.X.Type())
	case *ssa.TypeAssert:
		return !carries(i.AssertedType)
	case *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert:
		v := i.(ssa.Value)
		x := *i.Operands(nil)[0]
		return !carries(v.Type()) && !carries(x.Type())
	case *ssa.Store:
		return len(pathsTo(i.Val.Type(), n, 0)) == 0
	case *ssa.MakeClosure:
		return !slices.ContainsFunc(i.Bindings, func(b ssa.Value) bool { return carries(b.Type()) })
	case *ssa.Send:
		return !carries(i.X.Type())
	case *ssa.Select:
		return !slices.ContainsFunc(i.States, func(s *ssa.SelectState) bool { return carries(s.Chan.Type()) })
	case *ssa.Go:
		return !slices.ContainsFunc(i.Call.Args, func(a ssa.Value) bool { return carries(a.Type()) })
	case ssa.CallInstruction:
		call := i.Common()
		if b, ok := call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "len", "cap", "ssa:wrapnilchk", "print", "println":
				return true
			}
		} else if g := call.StaticCallee(); g != nil && packageOf(g) == n.Obj().Pkg() && len(g.Blocks) > 0 {
			return true
		} else if call.IsInvoke() && carries(call.Value.Type()) || carries(call.Signature().Results()) {
			return false
		}
		return !slices.ContainsFunc(call.Args, func(a ssa.Value) bool { return carries(a.Type()) })
	}
	return true
}

// isFixed reports whether code that runs only reads a field of a configuration type, and a
// map that is in it.
func (p *prover) isFixed(f *types.Var, in *types.Named) bool {
	if !p.isSetting(in) {
		return false
	}
	fixed, ok := p.settings.fixed[f]
	if ok {
		return fixed
	}
	s := p.runningScan(p.packageScan(in.Obj().Pkg()))
	fixed = true
	if u := s.fields[f]; u != nil {
		fixed = !u.taken && len(u.stores) == 0
	}
	if _, isMap := f.Type().Underlying().(*types.Map); isMap && fixed {
		seen := map[ssa.Value]bool{}
		for _, fn := range s.fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					switch i := i.(type) {
					case *ssa.UnOp:
						if a, ok := i.X.(*ssa.FieldAddr); ok && i.Op == token.MUL && fieldVar(a) == f && !p.onlyRead(i, seen) {
							fixed = false
						}
					case *ssa.Field:
						if i.X.Type().Underlying().(*types.Struct).Field(i.Field).Origin() == f {
							fixed = false // of a copy
						}
					}
				}
			}
		}
	}
	p.settings.fixed[f] = fixed
	return fixed
}

// isSteady reports whether a field of an object of the component's package is only set by
// the code that makes the object, before anybody else has it.
func (p *prover) isSteady(f *types.Var, in *types.Named) bool {
	s := p.settings
	if s == nil || s.none || f.Exported() || in.Obj().Pkg() != p.c.l.pkg.Pkg || in.TypeArgs().Len() > 0 || in.TypeParams().Len() > 0 {
		return false
	}
	steady, ok := s.steady[f]
	if ok {
		return steady
	}
	all := p.packageScan(in.Obj().Pkg())
	if all == nil {
		return false
	}
	running := p.runningScan(all)
	holds := func(t types.Type) bool { return len(pathsTo(t, in, 0)) > 0 }
	steady = !slices.ContainsFunc(running.converted, func(c [2]types.Type) bool {
		return holds(c[0]) || holds(c[1]) || deref(c[0]) != nil && holds(deref(c[0])) || deref(c[1]) != nil && holds(deref(c[1]))
	})
	if u := running.fields[f]; u != nil {
		steady = steady && !u.taken && !slices.ContainsFunc(u.stores, func(st *ssa.Store) bool { return !isNew(st.Addr) })
	}
	for _, fn := range running.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if st, ok := i.(*ssa.Store); ok && holds(st.Val.Type()) && !isNew(st.Addr) {
					steady = false
				}
			}
		}
	}
	s.steady[f] = steady
	return steady
}

// onlyRead reports whether a map is only read.
func (p *prover) onlyRead(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.Range, *ssa.BinOp:
		case *ssa.Lookup:
			if r.X != v {
				return false
			}
		case *ssa.Phi:
			if !p.onlyRead(r, seen) {
				return false
			}
		case *ssa.Call:
			if b, ok := r.Call.Value.(*ssa.Builtin); ok {
				if b.Name() != "len" {
					return false
				}
				continue
			}
			g := r.Call.StaticCallee()
			if g == nil || len(g.Blocks) == 0 || packageOf(g) != p.c.l.pkg.Pkg || g.TypeArgs() != nil {
				return false
			}
			for k, a := range r.Call.Args {
				if a == v && (k >= len(g.Params) || !p.onlyRead(g.Params[k], seen)) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// A trace says how a value was read: the path to it from a pointer.
type trace struct {
	base  ssa.Value
	steps []string
}

// back is the step before a value: from what it was read by a field of a struct, or as an element of a
// map. An element at a key that is not constant is any one.
func (p *prover) back(v ssa.Value) (from ssa.Value, steps []string, ok bool) {
	element := func(key ssa.Value) []string {
		if c, ok := key.(*ssa.Const); ok && c.Value != nil {
			return []string{"[" + c.Value.ExactString() + "]"}
		}
		return []string{everyElement}
	}
	switch v := v.(type) {
	case *ssa.ChangeInterface:
		return v.X, nil, true
	case *ssa.UnOp:
		addr := v.X
		for {
			a, ok := addr.(*ssa.FieldAddr)
			if !ok || v.Op != token.MUL {
				return addr, steps, v.Op == token.MUL && len(steps) > 0
			}
			n, named := namedPointer(a.X.Type())
			if !named || !p.isFixed(fieldVar(a), n) {
				return nil, nil, false
			}
			steps = append([]string{"." + fieldVar(a).Name()}, steps...)
			addr = a.X
		}
	case *ssa.Lookup:
		_, isMap := v.X.Type().Underlying().(*types.Map)
		return v.X, element(v.Index), isMap && !v.CommaOk
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Lookup:
			return t.X, element(t.Index), v.Index == 0
		case *ssa.Next:
			r, ok := t.Iter.(*ssa.Range)
			return r.X, []string{everyElement}, ok && !t.IsString && v.Index == 2
		}
	}
	return nil, nil, false
}

// traces returns how a value was read from objects of configuration types, the nearest first.
func (p *prover) traces(v ssa.Value) []trace {
	var all []trace
	var steps []string
	for len(steps) < maxWay {
		from, more, ok := p.back(v)
		if !ok {
			break
		}
		v, steps = from, append(slices.Clone(more), steps...)
		if n, ok := namedPointer(v.Type()); ok && len(steps) > 0 && p.isSetting(n) {
			all = append(all, trace{v, steps})
		}
	}
	return all
}

// claimed reports whether the value that is read by one more step from v (none: v itself) is not
// nil, or implements an interface, by a claim of configuration types.
func (p *prover) claimed(v ssa.Value, step string, as types.Type) bool {
	i, ok := v.(ssa.Instruction)
	if !ok || p.settings == nil || p.settings.none || p.runsEarly(i.Parent()) {
		return false
	}
	number := 0
	if as != nil {
		number = p.id(as) + 1
	}
	for _, t := range p.traces(v) {
		n, _ := namedPointer(t.base.Type())
		path := slices.Clone(t.steps)
		if step != "" {
			path = append(path, step)
		}
		// The last element is there only if it was looked for; those before it are,
		// since something was read from them.
		if step == "" && path[len(path)-1] == everyElement {
			continue
		}
		general := slices.Clone(path)
		for k := range general[:len(general)-1] {
			if strings.HasPrefix(general[k], "[") {
				general[k] = everyElement
			}
		}
		if p.holdsOfAll(n, path, number, as) || !slices.Equal(path, general) && p.holdsOfAll(n, general, number, as) {
			p.used[conventionEntrusted] = true
			return true
		}
	}
	return false
}

// holdsOfAll reports whether constructors establish a claim of all objects of a type.
func (p *prover) holdsOfAll(n *types.Named, path []string, number int, as types.Type) bool {
	c := claim{n.Obj(), strings.Join(path, " "), number}
	return p.once(fact{kind: claimFact, v: c}, func() bool { return p.madeSo(n, path, number, as) })
}

func (p *prover) madeSo(n *types.Named, path []string, number int, as types.Type) bool {
	carries := p.carries(n)
	met := false
	for _, fn := range p.settings.first {
		if len(fn.Blocks) == 0 || fn.Recover != nil {
			return false
		}
		for k, x := range fn.Params {
			if !carries(x.Type()) {
				continue
			}
			ways, ok := p.waysTo(x.Type(), n, nil)
			if !ok {
				return false
			}
			for _, way := range ways {
				met = true
				full := slices.Concat(way, path)
				if !p.eachReturn(fn, func(r *ssa.Return, at point) bool {
					if !slices.ContainsFunc(r.Results, func(v ssa.Value) bool { return carries(v.Type()) && !isNilConst(v) }) {
						return true // nothing that leads there gets out
					}
					return p.establishes(fn.Params[k], full, number, as, at, nil)
				}) {
					return false
				}
			}
		}
	}
	return met
}

// waysTo returns the paths by which a value of a type leads to objects of another one; ok
// is false if some are not known.
func (p *prover) waysTo(t types.Type, n *types.Named, path []string) (ways [][]string, ok bool) {
	if len(path) > maxWay {
		return nil, false
	}
	carries := p.carries(n)
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		m, ok := types.Unalias(u.Elem()).(*types.Named)
		if !ok || !p.isSetting(m) {
			return nil, false
		}
		if m.Obj() == n.Obj() {
			ways = append(ways, path)
		}
		st := m.Underlying().(*types.Struct)
		for i := range st.NumFields() {
			f := st.Field(i)
			if !carries(f.Type()) {
				continue
			}
			if _, isStruct := f.Type().Underlying().(*types.Struct); isStruct || !p.isFixed(f, m) {
				return nil, false
			}
			more, ok := p.waysTo(f.Type(), n, append(slices.Clone(path), "."+f.Name()))
			if !ok {
				return nil, false
			}
			ways = append(ways, more...)
		}
		return ways, true
	case *types.Map:
		if carries(u.Key()) {
			return nil, false
		}
		return p.waysTo(u.Elem(), n, append(slices.Clone(path), everyElement))
	}
	return nil, false
}

// establishes reports whether a claim of the object x, a value of a function, holds at a
// point of the function; result is an error that the function returns there, or nil.
func (p *prover) establishes(x ssa.Value, path []string, number int, as types.Type, at point, result ssa.Value) bool {
	if p.steps++; p.steps > p.limit {
		return false
	}
	if len(path) == 0 && as == nil && p.testedHere(x, at) {
		return true
	}
	for _, b := range at.b.Parent().Blocks {
		if b != at.b && !b.Dominates(at.b) {
			continue
		}
		for _, i := range b.Instrs {
			if p.steps++; p.steps > p.limit {
				return false
			}
			if p.establishedBy(i, x, path, number, as, at, result) {
				return true
			}
		}
	}
	return false
}

// establishedBy is about one instruction of the function.
func (p *prover) establishedBy(i ssa.Instruction, x ssa.Value, path []string, number int, as types.Type, at point, result ssa.Value) bool {
	switch i := i.(type) {
	case *ssa.Call:
		g := i.Call.StaticCallee()
		if g == nil || len(g.Blocks) == 0 || packageOf(g) != p.c.l.pkg.Pkg || !precedes(i, at) || !p.fine(i, at, result) {
			return false
		}
		for k, a := range i.Call.Args {
			if rest, ok := p.restOf(a, x, path); ok && k < len(g.Params) && p.establishesAlways(g, k, rest, number, as) {
				return true
			}
		}
	case *ssa.Next:
		r, ok := i.Iter.(*ssa.Range)
		if !ok || i.IsString {
			return false
		}
		rest, ok := p.restOf(r.X, x, path)
		return ok && len(rest) > 0 && rest[0] == everyElement && p.throughout(i, rest[1:], number, as, at)
	case *ssa.TypeAssert:
		if as == nil || !types.Identical(i.AssertedType, as) {
			return false
		}
		if rest, ok := p.restOf(i.X, x, path); !ok || len(rest) > 0 {
			return false
		}
		if !i.CommaOk {
			return precedes(i, at)
		}
		for _, u := range *i.Referrers() {
			if e, ok := u.(*ssa.Extract); ok && e.Index == 1 && p.decides(e, true, at) {
				return true
			}
		}
	case ssa.Value:
		if as != nil || len(path) == 0 {
			return false
		}
		rest, ok := p.restOf(i, x, path)
		return ok && len(rest) == 0 && p.testedHere(i, at)
	}
	return false
}

// restOf returns what is left of a path from x behind a value that was read at its
// beginning.
func (p *prover) restOf(v, x ssa.Value, path []string) ([]string, bool) {
	var steps []string
	for v != x {
		from, more, ok := p.back(v)
		// One element is not all of them.
		if !ok || slices.Contains(more, everyElement) || len(steps) > maxWay {
			return nil, false
		}
		v, steps = from, append(slices.Clone(more), steps...)
	}
	if len(steps) > len(path) || !slices.Equal(steps, path[:len(steps)]) {
		return nil, false
	}
	return path[len(steps):], true
}

// fine reports whether a call returned without an error when control is at a point: it was
// tested, is the error that the function returns, or there is none.
func (p *prover) fine(call *ssa.Call, at point, result ssa.Value) bool {
	n := lastResult(call)
	if n < 0 || !isErrorType(call.Call.Signature().Results().At(n).Type()) {
		return true
	}
	if n == 0 {
		return result == ssa.Value(call) || p.isNil(call, at)
	}
	for _, r := range *call.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == n && (result == ssa.Value(e) || p.isNil(e, at)) {
			return true
		}
	}
	return false
}

// establishesAlways reports whether a function establishes a claim of a parameter wherever it
// returns without an error.
func (p *prover) establishesAlways(fn *ssa.Function, k int, path []string, number int, as types.Type) bool {
	e := established{fn, k, strings.Join(path, " "), number}
	if fn.Recover != nil {
		return false
	}
	n := fn.Signature.Results().Len() - 1
	errs := n >= 0 && isErrorType(fn.Signature.Results().At(n).Type())
	return p.once(fact{kind: claimFact, v: e}, func() bool {
		return p.eachReturn(fn, func(r *ssa.Return, at point) bool {
			var result ssa.Value
			if errs {
				if result = r.Results[n]; p.notNil(result, at) {
					return true
				}
			}
			return p.establishes(fn.Params[k], path, number, as, at, result)
		})
	})
}

// throughout reports whether control is at a point only after a loop over a map has come to
// its end, of which every round that went on established a claim of the element.
func (p *prover) throughout(next *ssa.Next, path []string, number int, as types.Type, at point) bool {
	ended := false
	var element ssa.Value
	for _, r := range *next.Referrers() {
		if e, ok := r.(*ssa.Extract); ok {
			switch e.Index {
			case 0:
				ended = ended || p.decides(e, false, at)
			case 2:
				element = e
			}
		}
	}
	if !ended || element == nil {
		return false
	}
	b := next.Block()
	for _, pred := range b.Preds {
		if b.Dominates(pred) && !p.establishes(element, path, number, as, point{pred, len(pred.Instrs), b}, nil) {
			return false
		}
	}
	return true
}
