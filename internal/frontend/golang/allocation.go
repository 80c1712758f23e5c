// SPDX-License-Identifier: Apache-2.0

package golang

// This file starts a type that nothing makes for a client at the places where its
// package allocates it, such as a testing.T: the fields are what is stored there,
// as far as that is constant or a new object; what is not known is any value.
//
// The client gets the object later, when other code of the package has had it. A
// field keeps its value only if no such code stores to it: neither a function that
// the object is given to where it is allocated, nor one that is not part of the
// exported methods of the type. That references to the object in other places are
// not used to change it before is a convention of the result.

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

const conventionAllocation = "allocation: an object that its package allocates for the client is given to it with the fields that were set there, unless code of the package that it is given to sets them"

// An allocation is a place where the package makes an object of the type.
type allocation struct {
	fn    *ssa.Function
	alloc *ssa.Alloc
	set   map[string]ssa.Value // by path; nil: not known
	other map[fieldKey]bool    // fields that other code sets
}

// A fieldKey is a field of a struct type.
type fieldKey struct {
	owner string
	field int
}

func keyOf(t types.Type, field int) fieldKey { return fieldKey{types.TypeString(t, nil), field} }

// allocations returns makers for the places where the package allocates the type.
func (c *compiler) allocations() []maker {
	var all []maker
	fns := c.packageFunctions()
	outside := c.setOutside(fns)
	seen := map[string]int{}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				a, ok := i.(*ssa.Alloc)
				if !ok || !types.Identical(deref(a.Type()), c.named) || !a.Heap {
					continue
				}
				site := &allocation{fn: fn, alloc: a, set: map[string]ssa.Value{}, other: map[fieldKey]bool{}}
				if !site.trace(c, a, "", b, map[ssa.Value]bool{}, 0) {
					continue
				}
				for k := range outside {
					site.other[k] = true
				}
				name := strings.ReplaceAll(c.named.Obj().Name()+" in "+fn.RelString(c.l.pkg.Pkg), "#", "·") // init#1
				if seen[name]++; seen[name] > 1 {
					name += "·" + strconv.Itoa(seen[name])
				}
				all = append(all, maker{name: name, site: site, objects: []object{{typ: c.named, variable: true}}})
			}
		}
	}
	if len(all) > maxAllocations {
		site := &allocation{fn: all[0].site.fn, alloc: all[0].site.alloc, set: map[string]ssa.Value{"": nil}}
		all = []maker{{name: c.named.Obj().Name() + " in " + c.l.pkg.Pkg.Path(), site: site, objects: all[0].objects}}
	}
	return all
}

// maxAllocations bounds the places that are told apart: if there are more, the
// object starts with any fields.
const maxAllocations = 8

// packageFunctions returns all functions of the component's package with bodies, in
// order of their positions.
func (c *compiler) packageFunctions() []*ssa.Function {
	var fns []*ssa.Function
	for _, fn := range c.l.functionsOf()[c.l.pkg.Pkg] {
		if fn.Synthetic == "" && len(fn.Blocks) > 0 {
			fns = append(fns, fn)
		}
	}
	slices.SortFunc(fns, func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), strings.Compare(a.String(), b.String()))
	})
	return fns
}

// trace follows what is done with the object, or a part of it, where it is
// allocated. It returns false if the object is only copied from there.
func (s *allocation) trace(c *compiler, v ssa.Value, path string, home *ssa.BasicBlock, seen map[ssa.Value]bool, depth int) bool {
	if seen[v] || v.Referrers() == nil {
		return true
	}
	seen[v] = true
	given := false
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			st, ok := deref(r.X.Type()).Underlying().(*types.Struct)
			if !ok {
				continue
			}
			if s.trace(c, r, path+c.fieldPath(st, r.Field), home, seen, depth) {
				given = true
			}
		case *ssa.Store:
			if r.Addr != v {
				given = true // kept somewhere
				continue
			}
			if _, twice := s.set[path]; twice || r.Block() != home || depth > 0 {
				s.set[path] = nil
				s.forget(v)
				continue
			}
			s.set[path] = r.Val
		case *ssa.UnOp, *ssa.DebugRef:
		case ssa.CallInstruction:
			given = true
			call := r.Common()
			for k, arg := range call.Args {
				if arg == v {
					s.passed(c, call, k, depth)
				}
			}
		case *ssa.MakeClosure:
			given = true
			fn := r.Fn.(*ssa.Function)
			for k, b := range r.Bindings {
				if b == v && k < len(fn.FreeVars) {
					s.stores(c, fn.FreeVars[k], map[ssa.Value]bool{}, depth)
				}
			}
		default:
			given = true
		}
	}
	return given
}

// forget notes that a field has a value that is not known.
func (s *allocation) forget(v ssa.Value) {
	if f, ok := v.(*ssa.FieldAddr); ok {
		s.other[keyOf(deref(f.X.Type()), f.Field)] = true
	}
}

// passed follows the object into a function.
func (s *allocation) passed(c *compiler, call *ssa.CallCommon, arg, depth int) {
	fn := call.StaticCallee()
	if fn == nil || depth > 4 || arg >= len(fn.Params) || packageOf(fn) != c.l.pkg.Pkg {
		return
	}
	s.stores(c, fn.Params[arg], map[ssa.Value]bool{}, depth+1)
}

// stores notes the fields that are set through a pointer.
func (s *allocation) stores(c *compiler, v ssa.Value, seen map[ssa.Value]bool, depth int) {
	if seen[v] || v.Referrers() == nil {
		return
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			s.stores(c, r, seen, depth)
		case *ssa.Store:
			if r.Addr == v {
				s.forget(v)
				if _, field := v.(*ssa.FieldAddr); !field {
					s.set[""] = nil
				}
			}
		case *ssa.MakeInterface, *ssa.ChangeType, *ssa.Phi:
			s.stores(c, r.(ssa.Value), seen, depth)
		case *ssa.UnOp:
			if isPointer(r.Type()) && r.Op == token.MUL {
				if _, cell := v.(*ssa.FreeVar); cell {
					s.stores(c, r, seen, depth) // a captured variable that holds the pointer
				}
			}
		case ssa.CallInstruction:
			for k, arg := range r.Common().Args {
				if arg == v {
					if f, ok := v.(*ssa.FieldAddr); ok && r.Common().StaticCallee() != nil && packageOf(r.Common().StaticCallee()) != c.l.pkg.Pkg {
						// A mutex, an atomic variable: any method of it.
						s.other[keyOf(deref(f.X.Type()), f.Field)] = true
					}
					s.passed(c, r.Common(), k, depth)
				}
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for k, b := range r.Bindings {
				if b == v && k < len(fn.FreeVars) {
					s.stores(c, fn.FreeVars[k], seen, depth)
				}
			}
		}
	}
}

// setOutside returns the fields that code sets which is not part of the exported
// methods of the type: not one of them, nor called by nothing else.
func (c *compiler) setOutside(fns []*ssa.Function) map[fieldKey]bool {
	callers := map[*ssa.Function][]*ssa.Function{}
	free := map[*ssa.Function]bool{} // its callers are not known
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				var callee *ssa.Function
				if call, ok := i.(ssa.CallInstruction); ok {
					if callee = call.Common().StaticCallee(); callee != nil {
						callers[callee] = append(callers[callee], fn)
					}
				}
				for k, op := range i.Operands(nil) {
					g, ok := (*op).(*ssa.Function)
					if _, closure := i.(*ssa.MakeClosure); ok && (g != callee || k > 0) && !closure {
						free[g] = true
					}
				}
			}
		}
	}
	own := map[*ssa.Function]bool{}
	set := c.l.prog.MethodSets.MethodSet(types.NewPointer(c.named))
	for i := range set.Len() {
		if sel := set.At(i); sel.Obj().Exported() {
			if fn := c.l.prog.FuncValue(sel.Obj().(*types.Func)); fn != nil {
				own[fn] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, fn := range fns {
			by := callers[fn]
			if p := fn.Parent(); p != nil {
				by = append(slices.Clone(by), p) // a function literal
			}
			if own[fn] || free[fn] || len(by) == 0 || fn.Parent() == nil && token.IsExported(fn.Name()) {
				continue
			}
			if !slices.ContainsFunc(by, func(g *ssa.Function) bool { return !own[g] && g != fn }) {
				own[fn], changed = true, true
			}
		}
	}
	out := map[fieldKey]bool{}
	for _, fn := range fns {
		if own[fn] {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				s, ok := i.(*ssa.Store)
				if !ok {
					continue
				}
				if f, ok := s.Addr.(*ssa.FieldAddr); ok && !ofAllocation(f.X) {
					out[keyOf(deref(f.X.Type()), f.Field)] = true
				}
			}
		}
	}
	return out
}

// ofAllocation reports whether an address is inside an object allocated in the same
// function: such stores are seen where that object is.
func ofAllocation(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Alloc:
			return true
		default:
			return false
		}
	}
}

// allocated lowers a constructor that is an allocation.
func (c *compiler) allocated(f *frame, k *maker) {
	s := k.site
	c.convention(conventionAllocation)
	recv := c.receiverPlace()
	for _, l := range c.leaves(c.named) {
		cell := f.m.Cell(recv, l.path, l.typ)
		if _, whole := s.set[""]; whole || s.changes(c, c.named, l.path) {
			f.m.Set(cell, f.any(k.name+"/"+l.path, l, lower.Unmodelled))
			continue
		}
		if v, path, ok := s.value(l.path); ok {
			f.m.Set(cell, c.stored(f, k, v, path, l))
		}
	}
}

// value finds what is stored for a leaf, and the path inside of it.
func (s *allocation) value(path string) (v ssa.Value, rest string, ok bool) {
	for n := len(path); n > 0; n-- {
		if n < len(path) && path[n] != '.' && path[n] != '#' {
			continue
		}
		if v, ok := s.set[path[:n]]; ok {
			return v, path[n:], true
		}
	}
	return nil, "", false
}

// changes reports whether other code sets the field of a path, or one it is in.
func (s *allocation) changes(c *compiler, t types.Type, path string) bool {
	for len(path) > 0 && path[0] == '.' {
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return false
		}
		i := slices.IndexFunc(c.fieldPaths(st), func(p string) bool {
			return len(path) >= len(p) && path[:len(p)] == p && (len(path) == len(p) || path[len(p)] == '.' || path[len(p)] == '#')
		})
		if i < 0 {
			return false
		}
		if s.other[keyOf(t, i)] {
			return true
		}
		path = path[len(c.fieldPath(st, i)):]
		t = st.Field(i).Type()
	}
	return false
}

func (c *compiler) fieldPaths(st *types.Struct) []string {
	var all []string
	for i := range st.NumFields() {
		all = append(all, c.fieldPath(st, i))
	}
	return all
}

// stored is what a leaf of a stored value is.
func (c *compiler) stored(f *frame, k *maker, v ssa.Value, rest string, l leaf) *term.Term {
	w := c.w
	unknown := func() *term.Term { return f.any(k.name+"/"+l.path, l, lower.Unmodelled) }
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.Unknown {
			break
		}
		x := c.constant(v)
		for i, xl := range c.leaves(v.Type()) {
			if xl.path == rest && i < len(x.t) && x.t[i].Sort() == l.typ.Sort {
				return x.t[i]
			}
		}
	case *ssa.UnOp:
		a, ok := v.X.(*ssa.Alloc)
		if !ok || v.Op != token.MUL {
			break
		}
		// A literal of a struct in another one is made beside it.
		inner := &allocation{fn: k.site.fn, alloc: a, set: map[string]ssa.Value{}, other: map[fieldKey]bool{}}
		if inner.trace(c, a, "", a.Block(), map[ssa.Value]bool{}, 0) || len(inner.other) > 0 {
			break
		}
		if _, whole := inner.set[""]; whole {
			break
		}
		x, at, ok := inner.value(rest)
		if !ok {
			return w.Zero(l.typ)
		}
		return c.stored(f, k, x, at, l)
	case *ssa.MakeChan:
		if l.ref {
			p := w.Place("allocation "+k.name+l.path, func() *lower.Place { return &lower.Place{Name: l.path[1:], Type: v.Type()} })
			f.m.Set(f.m.Cell(p, closedPath, boolType), w.Pool.False())
			return w.RefOf(p)
		}
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeClosure, *ssa.MakeInterface, *ssa.Function, *ssa.FieldAddr:
		if l.ref {
			return w.Outside()
		}
	}
	return unknown()
}
