// SPDX-License-Identifier: Apache-2.0

package check

// This file finds the root of a value: the SSA value that the object comes from, without regard to flow. Two values with one root are the same object
// (of the same round of a loop). Values with different roots may be the same object, too: mayAlias.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An origin says where a root comes from.
type origin uint8

const (
	unknownOrigin origin = iota // it may be any object of its type
	freshOrigin                 // made here: no other root is this object unless it was shared
	inputOrigin                 // a parameter, or a variable of the enclosing function
	phiOrigin
)

// A root is where an object comes from.
type root struct {
	value   ssa.Value
	origin  origin
	input   int       // of an input: its number
	base    ssa.Value // of a field: the value whose definition makes it another object; nil: at entry
	objects []*object // one for each protocol of the type
	same    *root     // of a phi that turned out to be a copy
	leaves  map[*root]bool
}

// An object is a root under one protocol.
type object struct {
	root     *root
	protocol *Protocol
	closed   bool // calls of the protocol are all that clients can do to it
}

type fieldKey struct {
	base  ssa.Value
	index int
}

// rooted returns the root of a value, nil if it is no object of a type with a protocol, or may be anything.
func (r *run) rooted(v ssa.Value) *root {
	if x, ok := r.roots[v]; ok {
		for x != nil && x.same != nil {
			x = x.same
		}
		return x
	}
	if r.depth > maxDepth {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	r.roots[v] = nil // a cycle of copies has no root but those of its other parts
	x := r.findRoot(v)
	r.roots[v] = x
	return x
}

// maxDepth bounds how many copies of a value are followed.
const maxDepth = 200

func (r *run) findRoot(v ssa.Value) *root {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return r.rooted(v.X)
	case *ssa.ChangeInterface:
		return r.rooted(v.X)
	case *ssa.ChangeType:
		if !r.tracked(v.Type()) {
			return nil
		}
		return r.rooted(v.X)
	case *ssa.TypeAssert:
		if x := r.rooted(v.X); x != nil && !v.CommaOk {
			return x
		}
	case *ssa.Extract:
		if a, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 0 {
			if x := r.rooted(a.X); x != nil {
				return x
			}
		}
		if c, ok := v.Tuple.(*ssa.Call); ok {
			if x, done := r.resultRoot(v, c, v.Index); done {
				return x
			}
		}
	case *ssa.Call:
		if x, done := r.resultRoot(v, v, 0); done {
			return x
		}
	case *ssa.Const:
		return nil
	case *ssa.Alloc:
		if r.tracked(v.Type()) {
			return r.newRoot(v, freshOrigin, v.Type())
		}
		return nil
	case *ssa.Phi:
		return r.phiRoot(v)
	case *ssa.FieldAddr:
		return r.fieldRoot(v)
	case *ssa.UnOp:
		if v.Op == token.MUL && isCell(v.X.Type()) {
			if x, done := r.cellRoot(v.X); done {
				return x
			}
		}
	}
	if !r.tracked(v.Type()) {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		x := r.newRoot(v, inputOrigin, v.Type())
		x.input = r.inputNumber(v)
		return x
	}
	return r.newRoot(v, unknownOrigin, v.Type())
}

// tracked reports whether t is a pointer to a type with protocols that is tracked in the function.
func (r *run) tracked(t types.Type) bool { return r.c.protocols.isPointer(t) && !r.own(t) }

// own reports whether t is a type of the package at hand whose code is no client of it: the code of the package may be in the middle of one of its methods.
func (r *run) own(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	return ok && named.Obj().Pkg() == r.c.pkg && !r.test
}

func isCell(t types.Type) bool {
	ptr, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	switch ptr.Elem().Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

func (r *run) newRoot(v ssa.Value, o origin, t types.Type) *root {
	x := &root{value: v, origin: o, input: -1}
	for _, p := range r.c.protocols.of(t) {
		x.objects = append(x.objects, &object{root: x, protocol: p, closed: r.c.closed(p, t)})
	}
	x.leaves = map[*root]bool{x: true}
	r.all = append(r.all, x)
	return x
}

// resultRoot is the root of the result of a call; done is false if the call says nothing of it.
func (r *run) resultRoot(v ssa.Value, c *ssa.Call, index int) (x *root, done bool) {
	f := c.Call.StaticCallee()
	if f == nil {
		return nil, false
	}
	if r.tracked(v.Type()) && len(r.entries(f, v.Type())) > 0 {
		return r.newRoot(v, freshOrigin, v.Type()), true
	}
	s := r.c.summary(f)
	if s == nil || index >= len(s.Results) {
		return nil, false
	}
	switch res := s.Results[index]; {
	case res.Input > 0:
		if args := inputsOf(c); res.Input <= len(args) {
			if x := r.rooted(args[res.Input-1]); x != nil {
				return x, true
			}
		}
	case len(res.States) > 0:
		t := v.Type()
		if _, ok := t.Underlying().(*types.Interface); ok {
			return nil, false
		}
		if r.tracked(t) {
			return r.newRoot(v, freshOrigin, t), true
		}
	}
	return nil, false
}

// entries are the states, by protocol, in which a constructor makes an object.
func (r *run) entries(f *ssa.Function, t types.Type) map[*Protocol]set {
	if f.Pkg == nil && f.Object() == nil || f.Signature.Recv() != nil {
		return nil
	}
	obj := f.Object()
	if obj == nil || obj.Pkg() == nil {
		return nil
	}
	out := map[*Protocol]set{}
	for _, p := range r.c.protocols.of(t) {
		if s := p.makers[obj.Pkg().Name()+"."+obj.Name()]; s != 0 && obj.Pkg().Path() == p.pkg {
			out[p] = s
		}
	}
	return out
}

// phiRoot is the common root of all that a phi may be, or a root of its own.
func (r *run) phiRoot(v *ssa.Phi) *root {
	if _, ok := v.Type().Underlying().(*types.Interface); !ok && !r.tracked(v.Type()) {
		return nil
	}
	own := r.newRoot(v, phiOrigin, v.Type())
	r.roots[v] = own
	var only *root
	same := true
	for _, e := range v.Edges {
		if c, ok := e.(*ssa.Const); ok && c.IsNil() || e == v {
			continue
		}
		x := r.rooted(e)
		switch {
		case x == own:
		case x == nil:
			same = false
		case only == nil:
			only = x
		case only != x:
			same = false
		}
	}
	if _, ok := v.Type().Underlying().(*types.Interface); ok {
		if !same {
			only = nil // what it may be is not one object
		}
		own.same = only
		return only
	}
	if same && only != nil && only != own {
		own.same = only
		return only
	}
	return own
}

// findLeaves collects what each phi may be.
func (r *run) findLeaves() {
	for _, x := range r.all {
		phi, ok := x.value.(*ssa.Phi)
		if !ok || x.same != nil {
			continue
		}
		x.leaves = map[*root]bool{}
		seen := map[*root]bool{x: true}
		var walk func(phi *ssa.Phi)
		walk = func(phi *ssa.Phi) {
			for _, e := range phi.Edges {
				y := r.rooted(e)
				if y == nil {
					if c, ok := e.(*ssa.Const); !ok || !c.IsNil() {
						x.leaves[x] = true // it may be any object
					}
					continue
				}
				if seen[y] {
					continue
				}
				seen[y] = true
				if p, ok := y.value.(*ssa.Phi); ok {
					walk(p)
				} else {
					x.leaves[y] = true
				}
			}
		}
		walk(phi)
	}
}

// fieldRoot is the root of an object that is a field of a struct: one for each base and field.
func (r *run) fieldRoot(v *ssa.FieldAddr) *root {
	if !r.tracked(v.Type()) {
		return nil
	}
	k := fieldKey{v.X, v.Field}
	if x := r.fields[k]; x != nil {
		return x
	}
	x := r.newRoot(v, unknownOrigin, v.Type())
	x.base = v.X
	for {
		f, ok := x.base.(*ssa.FieldAddr)
		if !ok {
			break
		}
		x.base = f.X
	}
	r.fields[k] = x
	return x
}

// cellRoot is the root of what a variable holds that is stored once and seen by closures only.
func (r *run) cellRoot(addr ssa.Value) (x *root, done bool) {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		s := r.c.soleStore(addr)
		if s == nil || s.Parent() != r.fn {
			return nil, false
		}
		return r.rooted(s.Val), true
	case *ssa.FreeVar:
		elem := addr.Type().Underlying().(*types.Pointer).Elem()
		if !r.tracked(elem) || r.c.soleStore(captured(addr)) == nil {
			return nil, false
		}
		if x := r.cells[addr]; x != nil {
			return x, true
		}
		x := r.newRoot(addr, inputOrigin, elem)
		x.input = r.inputNumber(addr)
		r.cells[addr] = x
		return x, true
	}
	return nil, false
}

// inputNumber numbers parameters and then captured variables.
func (r *run) inputNumber(v ssa.Value) int {
	for k, p := range r.fn.Params {
		if p == v {
			return k
		}
	}
	for k, f := range r.fn.FreeVars {
		if f == v {
			return len(r.fn.Params) + k
		}
	}
	return -1
}

// captured is the variable that a closure sees as v: an allocation of an enclosing function, or nil.
func captured(v *ssa.FreeVar) *ssa.Alloc {
	fn := v.Parent()
	k := 0
	for fn.FreeVars[k] != v {
		k++
	}
	for _, in := range refsIn(fn.Parent(), fn) {
		switch b := in.Bindings[k].(type) {
		case *ssa.Alloc:
			return b
		case *ssa.FreeVar:
			return captured(b)
		}
	}
	return nil
}

// refsIn are the places where a function makes a closure of fn.
func refsIn(parent, fn *ssa.Function) (out []*ssa.MakeClosure) {
	if parent == nil {
		return nil
	}
	for _, b := range parent.Blocks {
		for _, in := range b.Instrs {
			if m, ok := in.(*ssa.MakeClosure); ok && m.Fn == fn {
				out = append(out, m)
			}
		}
	}
	return out
}

// soleStore returns the only store to a variable whose address is used for nothing but loads, stores and closures.
func (c *Checker) soleStore(a *ssa.Alloc) *ssa.Store {
	if a == nil {
		return nil
	}
	if s, ok := c.stores[a]; ok {
		return s
	}
	var sole *ssa.Store
	simple := true
	seen := map[ssa.Value]bool{}
	var walk func(v ssa.Value)
	walk = func(v ssa.Value) {
		if seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, in := range *v.Referrers() {
			switch in := in.(type) {
			case *ssa.Store:
				if in.Addr != v || sole != nil {
					simple = false
				}
				sole = in
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.MakeClosure:
				for k, b := range in.Bindings {
					if b == v {
						walk(in.Fn.(*ssa.Function).FreeVars[k])
					}
				}
			default:
				simple = false
			}
		}
	}
	walk(a)
	if !simple {
		sole = nil
	}
	c.stores[a] = sole
	return sole
}

// mayAlias reports whether two roots may be one object.
func (f *flow) mayAlias(a, b *root) bool {
	for x := range a.leaves {
		for y := range b.leaves {
			if x == y || f.free(x) && f.free(y) {
				return true
			}
		}
	}
	return false
}

// free reports whether other values than copies of the root may lead to the object.
func (f *flow) free(x *root) bool {
	if x.origin != freshOrigin {
		return true
	}
	for _, o := range x.objects {
		if t := f.tracks[o]; t != nil && (t.shared || t.lost) {
			return true
		}
	}
	return false
}
