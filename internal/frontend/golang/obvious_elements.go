// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that keys and elements of containers are not nil: those of a map or
// slice that a package keeps in a field that is not exported, or in such a package variable.
// Its package puts nothing there that may be nil, and hands the container to nobody: every
// use of a value of the field is followed, through joins, parts of slices, append and
// parameters of functions of the package, and what is not understood ends the proof.
//
// A slice that is made with a length, or extended within its capacity, has elements that
// nobody put there; such ones are not proved. An invariant of each container by an
// abstract domain (Gopan, Reps and Sagiv, POPL 2005) was not chosen: what is asked is one bit,
// and the same for all containers of a field.
//
// What other packages hand to function literals that they were given is not nil, by
// convention: they would err themselves. Not so if an error comes along, which may be why.

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// holdsNoNil reports whether the elements of a container, or the keys of a map, are not nil.
func (p *prover) holdsNoNil(v ssa.Value, keys bool) bool {
	if p.steps++; p.steps > p.limit {
		return false
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			switch a := v.X.(type) {
			case *ssa.FieldAddr:
				return p.contentNotNil(fieldVar(a), keys) || !keys && p.claimed(v, everyElement, nil)
			case *ssa.Global:
				return p.contentNotNil(a, keys)
			}
		}
	case *ssa.Field:
		return p.contentNotNil(v.X.Type().Underlying().(*types.Struct).Field(v.Field).Origin(), keys)
	case *ssa.Slice:
		if _, ok := v.X.Type().Underlying().(*types.Slice); ok {
			return p.within(v) && p.holdsNoNil(v.X, keys)
		}
	}
	return false
}

// contentNotNil is about all containers of a field or package variable.
func (p *prover) contentNotNil(in location, keys bool) bool {
	switch v := in.(type) {
	case *types.Var:
		if v.Exported() || v.Pkg() == nil {
			return false
		}
	case *ssa.Global:
		if token.IsExported(v.Name()) || v.Pkg == nil {
			return false
		}
	default:
		return false
	}
	k := 0
	if keys {
		k = 1
	}
	return p.once(fact{kind: contentFact, v: in, k: k}, func() bool {
		s := p.packageScan(packageAt(in))
		if s == nil || p.promotesUnseen(in, s) {
			return false
		}
		w := &contentWalk{p, in, keys, map[ssa.Value]bool{}}
		for _, fn := range s.fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if !w.instr(i) {
						return false
					}
				}
			}
		}
		return true
	})
}

// A contentWalk looks at all uses of the containers of a location.
type contentWalk struct {
	p    *prover
	in   location
	keys bool
	seen map[ssa.Value]bool
}

// is reports whether a value is the address of the location.
func (w *contentWalk) is(v ssa.Value) bool {
	if a, ok := v.(*ssa.FieldAddr); ok {
		return location(fieldVar(a)) == w.in
	}
	g, ok := v.(*ssa.Global)
	return ok && location(g) == w.in
}

// instr is about an instruction anywhere in the package.
func (w *contentWalk) instr(i ssa.Instruction) bool {
	if w.p.steps++; w.p.steps > w.p.limit {
		return false
	}
	switch i := i.(type) {
	case *ssa.DebugRef:
		return true
	case *ssa.UnOp:
		if i.Op == token.MUL && w.is(i.X) {
			return w.uses(i)
		}
	case *ssa.Field:
		if location(i.X.Type().Underlying().(*types.Struct).Field(i.Field).Origin()) == w.in && !w.uses(i) {
			return false
		}
	case *ssa.Store:
		if w.is(i.Addr) {
			return !w.is(i.Val) && w.origin(i.Val)
		}
	case *ssa.ChangeType:
		return !w.disguises(i.X.Type(), i.Type())
	case *ssa.Convert:
		return !w.disguises(i.X.Type(), i.Type())
	}
	for _, op := range i.Operands(nil) {
		if *op != nil && w.is(*op) {
			return false // somebody else has its address
		}
	}
	return true
}

// disguises reports whether a conversion makes the field another one.
func (w *contentWalk) disguises(a, b types.Type) bool {
	if x := deref(a); x != nil {
		a = x
	}
	if x := deref(b); x != nil {
		b = x
	}
	s, ok1 := a.Underlying().(*types.Struct)
	t, ok2 := b.Underlying().(*types.Struct)
	if ok1 && ok2 && s == t {
		return false
	}
	has := func(s *types.Struct) bool {
		for _, l := range fieldsOf(s, nil) {
			if l == w.in {
				return true
			}
		}
		return false
	}
	return ok1 && has(s) || ok2 && has(t)
}

// origin is about a container that is put into the location: what is in it by then, and
// what is done with it otherwise.
func (w *contentWalk) origin(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Const:
		return true // nil
	case *ssa.UnOp:
		return x.Op == token.MUL && w.is(x.X)
	case *ssa.Field:
		return location(x.X.Type().Underlying().(*types.Struct).Field(x.Field).Origin()) == w.in
	}
	if w.seen[v] {
		return true
	}
	// What it was made of is its own, or another one of the location.
	switch x := v.(type) {
	case *ssa.MakeMap:
		return w.uses(v)
	case *ssa.MakeSlice:
		n, ok := x.Len.(*ssa.Const)
		return ok && n.Value != nil && constant.Sign(n.Value) == 0 && w.uses(v)
	case *ssa.Phi:
		if !w.uses(v) {
			return false
		}
		for _, e := range x.Edges {
			if !w.origin(e) {
				return false
			}
		}
		return true
	case *ssa.ChangeType:
		return w.uses(v) && w.origin(x.X)
	case *ssa.Slice:
		if deref(x.X.Type()) != nil {
			return w.p.literalNotNil(x) && w.uses(v)
		}
		return w.uses(v) && w.p.within(x) && w.origin(x.X)
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return w.uses(v) && w.origin(x.Call.Args[0]) && w.appended(x.Call.Args[1])
		}
	}
	return false
}

// appended is about elements that are added.
func (w *contentWalk) appended(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.Slice:
		if deref(x.X.Type()) != nil {
			return w.p.literalNotNil(x)
		}
	}
	return w.p.holdsNoNil(v, false)
}

// uses is about what is done with a container.
func (w *contentWalk) uses(v ssa.Value) bool {
	if w.seen[v] {
		return true
	}
	w.seen[v] = true
	if v.Referrers() == nil {
		return true
	}
	for _, r := range *v.Referrers() {
		if w.p.steps++; w.p.steps > w.p.limit || !w.use(v, r) {
			return false
		}
	}
	return true
}

func (w *contentWalk) use(v ssa.Value, r ssa.Instruction) bool {
	_, slice := v.Type().Underlying().(*types.Slice)
	switch r := r.(type) {
	case *ssa.DebugRef, *ssa.Range, *ssa.BinOp:
		return true
	case *ssa.Lookup:
		return r.X == v
	case *ssa.MapUpdate:
		if r.Map != v || r.Key == v || r.Value == v {
			return false
		}
		if w.keys {
			return w.p.notNil(r.Key, pointAt(r))
		}
		return w.p.notNil(r.Value, pointAt(r))
	case *ssa.Store:
		return r.Val == v && w.is(r.Addr)
	case *ssa.IndexAddr:
		if r.X != v {
			return false
		}
		for _, u := range *r.Referrers() {
			switch u := u.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.Store:
				if u.Addr != ssa.Value(r) || !readFrom(u.Val, v) && !w.p.notNil(u.Val, pointAt(u)) {
					return false
				}
			default:
				return false
			}
		}
		return true
	case *ssa.Slice:
		return r.X == v && w.p.within(r) && w.uses(r)
	case *ssa.ChangeType:
		return w.uses(r)
	case *ssa.Phi:
		return w.uses(r)
	case ssa.CallInstruction:
		call := r.Common()
		if b, ok := call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "len", "cap", "delete":
				return true
			case "clear":
				return !slice
			case "append":
				if call.Args[0] != v {
					return true // it is only read
				}
				result, ok := r.(*ssa.Call)
				return ok && w.appended(call.Args[1]) && w.uses(result)
			case "copy":
				return call.Args[0] != v || w.appended(call.Args[1])
			}
			return false
		}
		g := call.StaticCallee()
		if g == nil || len(g.Blocks) == 0 || packageOf(g) != packageAt(w.in) || g.TypeArgs() != nil {
			return false
		}
		for k, a := range call.Args {
			if a == v && (k >= len(g.Params) || !w.uses(g.Params[k])) {
				return false
			}
		}
		return true
	}
	return false
}

// readFrom reports whether a value was read from a container: it only changes its place.
func readFrom(v, container ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	a, ok := load.X.(*ssa.IndexAddr)
	return ok && a.X == container
}

// within reports whether a part of a slice has only elements that the slice has.
func (p *prover) within(s *ssa.Slice) bool {
	if s.High == nil {
		return true
	}
	hi, k := p.normal(s.High)
	n, m := p.length(s.X)
	return hi.v == nil && k == 0 || p.le(hi, n, m-k, pointAt(s))
}

// literalNotNil reports whether all elements of a slice that is written out are not nil.
func (p *prover) literalNotNil(s *ssa.Slice) bool {
	a, ok := s.X.(*ssa.Alloc)
	if !ok || s.Low != nil || s.Max != nil {
		return false
	}
	if s.High != nil {
		n, ok := s.High.(*ssa.Const) // make([]T, 0, 8)
		return ok && n.Value != nil && constant.Sign(n.Value) == 0 && len(*a.Referrers()) == 1
	}
	stores, all := writtenOut(s)
	return all && !slices.ContainsFunc(stores, func(st *ssa.Store) bool { return !p.notNil(st.Val, pointAt(st)) })
}

// writtenOut returns the stores of a slice that is written out, []T{a, b}: every element has one,
// before anybody has the slice.
func writtenOut(s *ssa.Slice) (stores []*ssa.Store, ok bool) {
	a, ok := s.X.(*ssa.Alloc)
	if !ok || s.Low != nil || s.High != nil || s.Max != nil {
		return nil, false
	}
	array, ok := deref(a.Type()).Underlying().(*types.Array)
	if !ok {
		return nil, false
	}
	set := map[int64]bool{}
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Slice:
			if r != s {
				return nil, false
			}
		case *ssa.IndexAddr:
			k, ok := r.Index.(*ssa.Const)
			if !ok {
				return nil, false
			}
			for _, u := range *r.Referrers() {
				st, ok := u.(*ssa.Store)
				if !ok || st.Addr != ssa.Value(r) || !precedes(st, pointAt(s)) {
					return nil, false
				}
				stores = append(stores, st)
				set[k.Int64()] = true
			}
		default:
			return nil, false
		}
	}
	return stores, int64(len(set)) == array.Len()
}
