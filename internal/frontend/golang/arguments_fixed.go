// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds state that never changes, for arguments.go: what an object is made with, and
// what no call of the alphabet writes. A method that errs by its arguments and by such state
// alone errs for the same arguments after every word, so it counts like one that errs by its
// arguments alone (convention *fixed*). An encoding with its alphabet is such an object, a dialer
// with its settings, a file system that is part of the program.
//
// Code runs later if calls of the alphabet lead to it, or if the environment has got it. A
// place is fixed if no such code writes it, other than in objects that the same code has made:
// these are not the component, nor anything that it had when it was made. If such an object gets
// into the component afterwards, then by a write, and what was written is not fixed. Places are
// fields of structs of the component's package, and by their types, elements of slices and maps and what pointers lead to.
// Foreign code writes what it is given: exported fields, elements, and what
// pointers lead to. Fields that are not exported are written only by the package.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const conventionFixed = "fixed: what an object was made with, and no call changes, counts as an argument of its calls"

// maxFresh bounds how deep it is asked whether an object was made by the code that writes it.
const maxFresh = 8

// A fixedState is what code that runs later writes.
type fixedState struct {
	c     *compiler
	later map[*ssa.Function]bool
	// open are functions that others call, or that are called as values; callers has the
	// other calls by code that runs later.
	open    map[*ssa.Function]bool
	callers map[*ssa.Function][]*ssa.CallCommon
	fields  map[*types.Var]bool
	elems   map[int]bool // by the types of elements
	behind  map[int]bool // through pointers, by what they point to
	maps    map[int]bool
	given   map[int]bool // types of what foreign code may write
	reached map[givenType]bool
	// sliced are fields with arrays that have another name somewhere.
	sliced map[*types.Var]bool
	whole  bool // all code of the package counts
	all    bool // nothing is known
	plain  *bool
}

// fixed returns what calls of the alphabet never change; all: what no code of the package does
// after its initialization.
func (c *compiler) fixed(all bool) *fixedState {
	k := 0
	if all {
		k = 1
	}
	if c.fixedOf[k] != nil {
		return c.fixedOf[k]
	}
	s := &fixedState{c: c, whole: all, later: map[*ssa.Function]bool{}, open: map[*ssa.Function]bool{}, callers: map[*ssa.Function][]*ssa.CallCommon{}, fields: map[*types.Var]bool{}, elems: map[int]bool{}, behind: map[int]bool{}, maps: map[int]bool{}, given: map[int]bool{}, reached: map[givenType]bool{}, sliced: map[*types.Var]bool{}}
	c.fixedOf[k] = s
	if c.named == nil || c.reach.flows == nil || slices.ContainsFunc(c.ops, func(o operation) bool { return o.to != "" }) {
		s.all = true
		return s
	}
	var entries []*ssa.Function
	if all {
		for _, pkg := range c.l.own() {
			early := c.onlyEarly(pkg)
			for _, fn := range c.functionsIn(pkg) {
				if !early[fn] && fn.Synthetic != "package initializer" {
					entries = append(entries, fn)
				}
			}
		}
	} else {
		entries = slices.Concat(c.from.methods, c.from.chains, c.reach.callbacks)
		for _, fn := range c.reach.fns {
			entries = append(entries, c.reach.handed(fn)...)
			if c.reach.started[fn] {
				entries = append(entries, fn)
			}
		}
	}
	list := s.runLater(entries)
	for _, fn := range list {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				s.instruction(i)
			}
		}
	}
	for _, fn := range slices.Concat(c.reach.fns, list) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				s.disguise(i)
			}
		}
	}
	return s
}

// runLater finds the functions of the package that the given ones lead to.
func (s *fixedState) runLater(entries []*ssa.Function) (list []*ssa.Function) {
	c, r := s.c, s.c.reach
	add := func(fn *ssa.Function, open bool) {
		if fn == nil || len(fn.Blocks) == 0 || !s.isOwn(fn) {
			return
		}
		s.open[fn] = s.open[fn] || open
		if !s.later[fn] {
			s.later[fn] = true
			list = append(list, fn)
		}
	}
	for _, fn := range entries {
		add(fn, true)
		if !s.later[fn] {
			for _, p := range fn.Params {
				s.reaches(p.Type(), false) // it is foreign code
			}
		}
	}
	for k := 0; k < len(list); k++ {
		for _, b := range list[k].Blocks {
			for _, i := range b.Instrs {
				call, isCall := i.(ssa.CallInstruction)
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						called := isCall && op == &call.Common().Value
						add(g, !called)
						if called {
							s.callers[g] = append(s.callers[g], call.Common())
						}
					}
				}
				if m, ok := i.(*ssa.MakeInterface); ok {
					for f := range c.l.prog.MethodSets.MethodSet(m.X.Type()).Methods() {
						if !types.IsInterface(m.X.Type()) {
							add(c.l.prog.MethodValue(f), true)
						}
					}
				}
				if isCall && call.Common().StaticCallee() == nil {
					for _, g := range slices.Concat(r.candidates(call.Common()), r.targets[call]) {
						add(g, true)
					}
				}
			}
		}
	}
	return list
}

// isOwn reports whether a function is of the component's package, or one that only calls
// another: a promoted method, a method value.
func (s *fixedState) isOwn(fn *ssa.Function) bool {
	pkg := packageOf(fn)
	return pkg == nil || s.c.l.owns(pkg) || fn.Synthetic != "" && fn.Pkg == nil && fn.Origin() == nil
}

// instruction notes what an instruction writes.
func (s *fixedState) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Store:
		if !s.isFresh(i.Addr) {
			s.writes(i.Addr)
		}
	case *ssa.MapUpdate:
		if !s.isFresh(i.Map) {
			s.maps[s.id(i.Map.Type())] = true
		}
	case *ssa.Slice:
		// A part of an array by another name.
		if deref(i.X.Type()) != nil && !s.isFresh(i.X) && !s.onlyRead(i) {
			s.writes(i.X)
		}
	case *ssa.Send:
		s.gives(i.X)
	case ssa.CallInstruction:
		s.call(i)
	}
}

// writes notes that something is written at an address.
func (s *fixedState) writes(addr ssa.Value) {
	f := fieldAround(addr)
	if f != nil {
		s.fields[f] = true
	}
	if _, ok := addr.(*ssa.IndexAddr); ok {
		s.elems[s.id(deref(addr.Type()))] = true
	} else if f == nil {
		s.behind[s.id(deref(addr.Type()))] = true
	}
	s.within(deref(addr.Type()), 0)
}

// within notes that all parts of a value are written.
func (s *fixedState) within(t types.Type, depth int) {
	if depth > 6 {
		s.all = true
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			s.fields[f.Origin()] = true
			s.within(f.Type(), depth+1)
		}
	case *types.Array:
		s.elems[s.id(u.Elem())] = true
		s.within(u.Elem(), depth+1)
	}
}

// call notes what a call writes that is not followed here, and builtins.
func (s *fixedState) call(i ssa.CallInstruction) {
	common := i.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "append", "copy", "clear", "delete":
			x := common.Args[0]
			if s.isFresh(x) {
				return
			}
			switch u := x.Type().Underlying().(type) {
			case *types.Slice:
				s.elems[s.id(u.Elem())] = true
				s.within(u.Elem(), 0)
			case *types.Map:
				s.maps[s.id(x.Type())] = true
			default:
				s.all = true
			}
		}
		return
	}
	g := common.StaticCallee()
	if g != nil && len(g.Blocks) > 0 && s.isOwn(g) {
		return
	}
	if g != nil && nameOf(g) == "fmt.Errorf" {
		if f := staticMessage(common.Args[0]); !strings.Contains(f, anyText) && !strings.Contains(f, "%w") && (variadic(lastOf(common.Args)) != nil || isNilConst(lastOf(common.Args))) {
			return // as fmt.Sprintf: a text is made, and nothing kept
		}
	}
	if g != nil && (quiet[nameOf(g)] || s.onlyReads(g, 0) && s.givesOwnCode(common.Args)) {
		return
	}
	e := s.c.reach.effects[i]
	if e == nil && g != nil {
		e = s.c.effectOf(originOf(g).Object())
	}
	if e != nil && !e.changes && len(e.kept) == 0 {
		// Elements are not what contracts speak of.
		for _, x := range common.Args {
			if u, ok := x.Type().Underlying().(*types.Slice); ok && variadic(x) == nil {
				s.elems[s.id(u.Elem())] = true
				s.within(u.Elem(), 0)
			}
		}
		return
	}
	if common.IsInvoke() {
		// The object is one whose method may be called, or the environment's.
		if known, ok := s.c.reach.resolved(common); ok {
			for _, fn := range known.fns {
				if !s.isOwn(fn) && fn.Signature.Recv() != nil {
					s.leads(fn.Signature.Recv().Type())
				}
			}
		} else {
			s.gives(common.Value)
		}
	}
	receivers := len(common.Args) - common.Signature().Params().Len()
	for k, x := range common.Args {
		if e != nil && e.read[k-receivers] && (variadic(x) != nil || isNilConst(x)) {
			continue // and of the slice itself it makes nothing
		}
		s.gives(x)
	}
}

// givesOwnCode reports whether functions among some arguments are of the package: what they
// write counts where they are.
func (s *fixedState) givesOwnCode(args []ssa.Value) bool {
	for _, x := range args {
		if _, ok := x.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		switch v := x.(type) {
		case *ssa.Function:
			if !s.isOwn(v) {
				return false
			}
		case *ssa.MakeClosure:
			if !s.isOwn(v.Fn.(*ssa.Function)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// maxReads bounds how deep foreign code is looked at for what it writes.
const maxReads = 6

// onlyReads reports whether foreign code writes nothing but what it makes itself. It may call functions that it is
// given (givesOwnCode has those). It gives others only such functions, and functions that only read: what is called by the name of a parameter is not looked at.
func (s *fixedState) onlyReads(g *ssa.Function, depth int) bool {
	if yes, known := s.c.readers[g]; known {
		return yes
	}
	if isPureAssembly(g) {
		return true
	}
	if len(g.Blocks) == 0 || depth > maxReads {
		return false
	}
	if s.c.readers == nil {
		s.c.readers = map[*ssa.Function]bool{}
	}
	s.c.readers[g] = true // while it calls itself
	yes := true
	for _, b := range g.Blocks {
		for _, i := range b.Instrs {
			yes = yes && s.makesReaders(i, g, depth)
			switch i := i.(type) {
			case *ssa.Store:
				yes = yes && s.isFresh(i.Addr)
			case *ssa.MapUpdate:
				yes = yes && s.isFresh(i.Map)
			case *ssa.Go, *ssa.Send, *ssa.Select:
				yes = false
			case *ssa.Convert:
				yes = yes && !isUnsafe(i.X.Type())
			case ssa.CallInstruction:
				common := i.Common()
				if b, ok := common.Value.(*ssa.Builtin); ok {
					switch b.Name() {
					case "append", "copy", "clear", "delete":
						yes = yes && s.isFresh(common.Args[0])
					case "close", "String", "StringData", "SliceData", "Slice", "Add":
						yes = false
					}
					continue
				}
				if p, ok := common.Value.(*ssa.Parameter); ok && !common.IsInvoke() && p.Parent() == g {
					continue // see givesOwnCode
				}
				h := common.StaticCallee()
				yes = yes && h != nil && s.onlyReads(h, depth+1)
			}
		}
	}
	if yes && depth > 0 {
		// What calls it may be what it calls.
		delete(s.c.readers, g)
	} else {
		s.c.readers[g] = yes
	}
	return yes
}

// makesReaders reports whether all functions that an instruction of foreign code makes values of only read, and those that it gives to
// a function are such ones, or parameters of the code itself.
func (s *fixedState) makesReaders(i ssa.Instruction, g *ssa.Function, depth int) bool {
	call, isCall := i.(ssa.CallInstruction)
	for _, op := range i.Operands(nil) {
		called := isCall && op == &call.Common().Value
		if h, ok := (*op).(*ssa.Function); ok && !called && !s.onlyReads(h, depth+1) {
			return false
		}
	}
	if !isCall {
		return true
	}
	for _, x := range call.Common().Args {
		if _, ok := x.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		switch v := x.(type) {
		case *ssa.Function, *ssa.MakeClosure, *ssa.Const:
		case *ssa.Parameter:
			if v.Parent() != g {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// gives notes that foreign code gets a value.
func (s *fixedState) gives(x ssa.Value) {
	for {
		switch v := x.(type) {
		case *ssa.MakeInterface:
			x = v.X
			continue
		case *ssa.ChangeInterface:
			x = v.X
			continue
		}
		break
	}
	if list := variadic(x); list != nil {
		for _, y := range list {
			s.gives(y)
		}
		return
	}
	t := deref(x.Type())
	if t == nil {
		s.leads(x.Type())
		return
	}
	u, isStruct := t.Underlying().(*types.Struct)
	if isStruct && s.isFresh(x) {
		// What is in it may not be new.
		s.given[s.c.reach.id(t)] = true
		for f := range u.Fields() {
			s.leads(f.Type())
		}
		return
	}
	if f := fieldAround(x); f != nil {
		s.fields[f] = true
		s.within(t, 0)
	}
	s.leads(x.Type())
}

// leads notes what foreign code may write that has a value of a type.
func (s *fixedState) leads(t types.Type) { s.reaches(t, false) }

// A givenType is a type of values that foreign code has, as such or behind something by which
// it may write them.
type givenType struct {
	typ  int
	here bool
}

// reaches does that; here: it may write the value itself, too.
func (s *fixedState) reaches(t types.Type, here bool) {
	key := givenType{s.c.reach.id(t), here}
	if s.reached[key] {
		return
	}
	s.reached[key] = true
	if here {
		s.given[key.typ] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		s.all = s.all || u.Kind() == types.UnsafePointer
	case *types.Pointer:
		if _, ok := u.Elem().Underlying().(*types.Struct); !ok {
			s.behind[s.id(u.Elem())] = true
			s.within(u.Elem(), 0)
		}
		s.reaches(u.Elem(), true)
	case *types.Slice:
		s.elems[s.id(u.Elem())] = true
		s.within(u.Elem(), 0)
		s.reaches(u.Elem(), true)
	case *types.Array:
		s.reaches(u.Elem(), here)
	case *types.Map:
		s.maps[s.id(t)] = true
		s.reaches(u.Key(), false)
		s.reaches(u.Elem(), false)
	case *types.Chan:
		s.reaches(u.Elem(), false)
	case *types.Struct:
		for f := range u.Fields() {
			if s.c.l.owns(f.Pkg()) && !f.Exported() && !f.Embedded() {
				continue
			}
			if f.Exported() && here {
				s.fields[f.Origin()] = true
			}
			if !s.c.l.owns(f.Pkg()) && isUnsafe(f.Type()) {
				continue // it led there when it was made
			}
			s.reaches(f.Type(), here)
		}
	case *types.Interface:
		for _, b := range s.c.reach.boxes {
			if (s.whole || s.c.reach.flows.has(b)) && types.Implements(b, u) {
				s.reaches(b, false)
			}
		}
	}
}

// disguise notes objects that are seen as ones of another type, and arrays that are seen as
// slices, or of which the address of an element is taken.
func (s *fixedState) disguise(i ssa.Instruction) {
	for _, op := range i.Operands(nil) {
		switch v := (*op).(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr:
			f := fieldAround(v)
			if f == nil {
				continue
			}
			if x, ok := i.(*ssa.Slice); ok && !onlyCopied(x) && !s.onlyRead(x) || !ok && s.c.reach.takes(i, v) {
				s.sliced[f] = true
			}
		}
	}
	both := func(x, y types.Type) {
		for _, t := range []types.Type{deref(x), deref(y)} {
			if t != nil {
				s.behind[s.id(t)] = true
				s.within(t, 0)
			}
		}
	}
	switch i := i.(type) {
	case *ssa.MakeClosure:
		// A method of a part, as a value.
		for _, x := range i.Bindings {
			if f := fieldAround(x); f != nil {
				s.fields[f] = true
				s.within(deref(x.Type()), 0)
			}
		}
	case *ssa.Convert:
		if isUnsafe(i.X.Type()) && !isUnsafe(i.Type()) || isUnsafe(i.Type()) && !isUnsafe(i.X.Type()) {
			both(i.X.Type(), i.Type())
		}
	case *ssa.ChangeType:
		x, y := deref(i.X.Type()), deref(i.Type())
		if x != nil && y != nil && x.Underlying() != y.Underlying() {
			both(i.X.Type(), i.Type())
		}
	}
}

// onlyCopied reports whether a slice is used only to copy elements to or from it, and to look at
// them.
func onlyCopied(v *ssa.Slice) bool {
	for _, u := range *v.Referrers() {
		switch u := u.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			if !isBuiltin(u, "copy") && !isBuiltin(u, "len") {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// onlyRead reports whether a slice is only looked into, also by code that it is given to.
func (s *fixedState) onlyRead(v *ssa.Slice) bool {
	for _, u := range *v.Referrers() {
		switch u := u.(type) {
		case *ssa.DebugRef, *ssa.Range:
		case *ssa.Convert:
			if _, text := u.Type().Underlying().(*types.Basic); !text {
				return false
			}
		case *ssa.IndexAddr:
			if !onlyLoaded(u, false, 0) {
				return false
			}
		case ssa.CallInstruction:
			if isBuiltin(u, "len") || isBuiltin(u, "copy") && u.Common().Args[0] != ssa.Value(v) {
				continue
			}
			g := u.Common().StaticCallee()
			if g == nil || !s.onlyReads(g, 0) || !s.givesOwnCode(u.Common().Args) {
				return false
			}
			for r := range g.Signature.Results().Variables() {
				if _, plain := r.Type().Underlying().(*types.Basic); !plain {
					return false // it may be a part of the slice
				}
			}
		default:
			return false
		}
	}
	return true
}

// isFresh reports whether what an address, a slice or a map leads to was made by code that
// runs later.
func (s *fixedState) isFresh(v ssa.Value) bool { return s.fresh(v, 0, map[ssa.Value]bool{}) }

func (s *fixedState) fresh(v ssa.Value, depth int, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	if depth > maxFresh {
		return false
	}
	all := func(list []ssa.Value) bool {
		for _, x := range list {
			if x == nil || !s.fresh(x, depth+1, seen) {
				return false
			}
		}
		return true
	}
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap:
		return true
	case *ssa.Const:
		return true // nil
	case *ssa.FieldAddr:
		return all([]ssa.Value{v.X})
	case *ssa.IndexAddr:
		return all([]ssa.Value{v.X})
	case *ssa.Slice:
		return all([]ssa.Value{v.X})
	case *ssa.ChangeType:
		return all([]ssa.Value{v.X})
	case *ssa.Convert:
		_, text := v.X.Type().Underlying().(*types.Basic)
		return text && !isUnsafe(v.X.Type())
	case *ssa.Phi:
		return all(v.Edges)
	case *ssa.UnOp:
		al, ok := v.X.(*ssa.Alloc)
		if v.Op != token.MUL || !ok || !isSimple(al) {
			return false
		}
		var stored []ssa.Value
		for _, u := range *al.Referrers() {
			if st, ok := u.(*ssa.Store); ok {
				stored = append(stored, st.Val)
			}
		}
		return all(stored)
	case *ssa.Call:
		if isBuiltin(v, "append") {
			return all(v.Call.Args[:1])
		}
		return s.returnsFresh(v, 0, depth, seen)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && s.returnsFresh(call, v.Index, depth, seen)
	case *ssa.Parameter:
		return s.passesFresh(v, depth, seen)
	case *ssa.FreeVar:
		return s.isCaptured(v, depth)
	}
	return false
}

// isCaptured reports whether a variable of a function literal is one that only function literals,
// and the function that it is in, get at. Literals that are made when the object is, see state in it.
func (s *fixedState) isCaptured(v *ssa.FreeVar, depth int) bool {
	fn := v.Parent()
	k := slices.Index(fn.FreeVars, v)
	if fn.Parent() == nil || k < 0 || depth > maxFresh {
		return false
	}
	found := false
	for _, b := range fn.Parent().Blocks {
		for _, i := range b.Instrs {
			m, ok := i.(*ssa.MakeClosure)
			if !ok || m.Fn != fn {
				continue
			}
			found = true
			switch x := m.Bindings[k].(type) {
			case *ssa.Alloc:
				if !onlyCaptured(x) {
					return false
				}
			case *ssa.FreeVar:
				if !s.isCaptured(x, depth+1) {
					return false
				}
			default:
				return false
			}
		}
	}
	return found
}

// onlyCaptured reports whether the address of a variable gets nowhere but into function literals.
func onlyCaptured(v ssa.Value) bool {
	for _, u := range *v.Referrers() {
		switch u := u.(type) {
		case *ssa.DebugRef, *ssa.UnOp, *ssa.MakeClosure:
		case *ssa.Store:
			if u.Val == v {
				return false
			}
		case *ssa.FieldAddr:
			if !onlyCaptured(u) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// returnsFresh reports whether a function of the package returns something that it made.
func (s *fixedState) returnsFresh(call *ssa.Call, k, depth int, seen map[ssa.Value]bool) bool {
	g := call.Call.StaticCallee()
	if g == nil || len(g.Blocks) == 0 || !s.isOwn(g) || k >= g.Signature.Results().Len() {
		return false
	}
	for _, b := range g.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !s.fresh(r.Results[k], depth+1, seen) {
			return false
		}
	}
	return true
}

// passesFresh reports whether all code that runs later gives a function something that it made.
func (s *fixedState) passesFresh(p *ssa.Parameter, depth int, seen map[ssa.Value]bool) bool {
	fn := p.Parent()
	if s.open[fn] || !s.later[fn] {
		return false
	}
	k := slices.Index(fn.Params, p)
	for _, call := range s.callers[fn] {
		if x := argumentOf(call, fn, k); x == nil || !s.fresh(x, depth+1, seen) {
			return false
		}
	}
	return len(s.callers[fn]) > 0
}

func (s *fixedState) id(t types.Type) int { return s.c.reach.id(t.Underlying()) }

// fieldAround is the field that an address is of, or of an element of an array in it; nil if
// it is of none.
func fieldAround(addr ssa.Value) *types.Var {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			return fieldVar(a)
		case *ssa.IndexAddr:
			if deref(a.X.Type()) == nil {
				return nil
			}
			addr = a.X
		default:
			return nil
		}
	}
}

// isField reports whether a field, with all that is stored in it, never changes.
func (s *fixedState) isField(f *types.Var, depth int) bool {
	f = f.Origin()
	if s.all || depth > 6 || !s.c.l.owns(f.Pkg()) || s.fields[f] {
		return false
	}
	r := s.c.reach
	if r.find(f) == r.find(r.pointed(f.Type())) && s.behind[s.id(f.Type())] {
		return false
	}
	if a, ok := f.Type().Underlying().(*types.Array); ok && s.sliced[f] && (s.elems[s.id(a.Elem())] || s.behind[s.id(a.Elem())]) {
		return false
	}
	return s.areParts(f.Type(), depth+1)
}

// areParts reports whether what is stored in a value of a type never changes.
func (s *fixedState) areParts(t types.Type, depth int) bool {
	if depth > 6 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() > 0 && !s.c.l.owns(u.Field(0).Pkg()) && s.given[s.c.reach.id(t)] {
			return false
		}
		for f := range u.Fields() {
			if s.c.l.owns(f.Pkg()) && !s.isField(f, depth+1) || s.fields[f.Origin()] || !s.areParts(f.Type(), depth+1) {
				return false
			}
		}
	case *types.Array:
		return s.areParts(u.Elem(), depth+1)
	}
	return true
}

// isAt reports whether what is at an address never changes, if that is in the component.
func (s *fixedState) isAt(addr ssa.Value) bool {
	if s.all {
		return false
	}
	if f := fieldAround(addr); f != nil {
		return s.isField(f, 0)
	}
	t := deref(addr.Type())
	if _, ok := addr.(*ssa.IndexAddr); ok {
		return s.areElements(t)
	}
	if types.Identical(t, s.c.named) && s.isPlain() {
		return true
	}
	return s.isBehind(t)
}

// isBehind reports whether an object of a type that pointers lead to never changes.
func (s *fixedState) isBehind(t types.Type) bool {
	if s.all {
		return false
	}
	if s.behind[s.id(t)] || s.elems[s.id(t)] {
		return false
	}
	r := s.c.reach
	for f := range s.fields {
		if r.find(f) == r.find(r.pointed(t)) {
			return false // it may be the address of that field
		}
	}
	if u, ok := t.Underlying().(*types.Array); ok && !s.areElements(u.Elem()) {
		return false // it may be a part of a slice
	}
	return s.areParts(t, 0)
}

// isPlain reports whether the component is a number, a text or a truth value that no code has
// the address of but the methods themselves, which are given its value: so nobody writes it.
func (s *fixedState) isPlain() bool {
	if _, basic := s.c.named.Underlying().(*types.Basic); !basic || s.all {
		return false
	}
	if s.plain == nil {
		plain := true
		has := func(v ssa.Value) {
			if p := deref(v.Type()); p != nil && types.Identical(p, s.c.named) {
				plain = false
			}
		}
		fns := slices.Clone(s.c.reach.fns)
		for fn := range s.later {
			fns = append(fns, fn)
		}
		for _, fn := range fns {
			if strings.HasPrefix(fn.Synthetic, "wrapper for ") {
				continue // it reads the value
			}
			for _, p := range fn.Params {
				has(p)
			}
			for _, f := range fn.FreeVars {
				has(f)
			}
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if v, ok := i.(ssa.Value); ok {
						has(v)
					}
				}
			}
		}
		s.plain = &plain
	}
	return *s.plain
}

// areElements reports whether elements of slices of a type never change.
func (s *fixedState) areElements(t types.Type) bool {
	return !s.all && !s.elems[s.id(t)] && !s.behind[s.id(t)] && s.areParts(t, 0)
}

// isMap reports whether maps of a type never change.
func (s *fixedState) isMap(t types.Type) bool { return !s.all && !s.maps[s.id(t)] }

// isReceiver reports whether receivers of a type that are values never change.
func (s *fixedState) isReceiver(t types.Type) bool {
	return !s.all && !s.behind[s.id(t)] && !s.elems[s.id(t)] && s.areParts(t, 0)
}

// fixed reports whether state that a value leads to, by which something is found, never changes.
func (a *argumentFlow) fixed(base dependence, is func(s *fixedState) bool) bool {
	if a.first || a.c.named == nil || !is(a.c.fixed(base&shared != 0)) {
		return false
	}
	a.usesFixed, a.assumes[conventionFixed] = true, true
	return true
}
