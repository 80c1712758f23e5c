// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the contents of a slice in a field that the same function has put there:
// a slice that is written out, []T{x}, or a field of an object that the function made or
// got. Elements are not followed, but if each way to a read leads back to an answer that the
// environment gave during the call, the element is such an answer, and what goes wrong with
// it is the environment's fault. One way that leads elsewhere is enough for nothing to be
// said: blame takes the part of a value that is an answer for the whole.
//
// The walk goes back from the read, as those of obvious_load.go do, and ends at the store of
// the slice, or at the origin of the object: a new object has no elements, and what is in one
// that a call returned came with it. Cells for the elements of arrays were not chosen: every
// slice would be a reference to one of them, with an offset.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// maxHeld bounds the blocks of a walk.
const maxHeld = 60

// heldIn returns the calls from which the elements of a slice come, on all ways; nil if that
// is not known or there are none.
func (r *reach) heldIn(x ssa.Value) []*ssa.Call {
	load, ok := x.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || !r.located[load.Parent()] {
		return nil
	}
	addr, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	slice, ok := load.Type().Underlying().(*types.Slice)
	if !ok {
		return nil
	}
	if list, ok := r.held[load]; ok {
		return list
	}
	p := newProver(r.c, calls{}, nil)
	p.reach = r
	w := &heldWalk{p: p, at: r.at(addr), elem: slice.Elem(), seen: map[heldState]bool{}}
	var list []*ssa.Call
	if w.back(heldState{point: pointAt(load), addr: addr}) {
		list = w.from
	}
	if r.held == nil {
		r.held = map[*ssa.UnOp][]*ssa.Call{}
	}
	r.held[load] = list
	return list
}

// A heldState is where a walk is, and what it looks for: the variable at an address, or a
// field of an object that is a register.
type heldState struct {
	point
	addr *ssa.FieldAddr
	base ssa.Value // instead of what addr is a field of
}

type heldWalk struct {
	p    *prover
	at   location
	elem types.Type // of the elements
	seen map[heldState]bool
	from []*ssa.Call
}

func (w *heldWalk) found(v ssa.Value) bool {
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return false
	}
	w.from = append(w.from, call)
	return true
}

// back goes back from a point; it returns false if it is not known what is there.
func (w *heldWalk) back(s heldState) bool {
	if w.seen[s] {
		return true
	}
	w.seen[s] = true
	if len(w.seen) > maxHeld {
		return false
	}
	for n := s.n - 1; n >= 0; n-- {
		i := s.b.Instrs[n]
		if w.p.steps++; w.p.steps > w.p.limit {
			return false
		}
		if v, ok := i.(ssa.Value); ok && s.base == v {
			if _, isNew := v.(*ssa.Alloc); isNew {
				return true // nothing is there yet
			}
			return w.found(v)
		}
		st, ok := i.(*ssa.Store)
		switch {
		case ok && w.is(st, s):
			return w.stored(st.Val)
		case ok && s.base == nil && w.moves(st, s):
			// From here back it is a field of the object that was put there.
			return w.back(heldState{point: point{b: s.b, n: n}, addr: s.addr, base: st.Val})
		}
		if w.p.mayWriteAt(i, w.at) || mayWriteElements(i, w.elem) {
			return false
		}
		if b := pointerAt(s.addr); s.base == nil && b != nil && w.p.mayWriteAt(i, w.p.at(b)) {
			return false // perhaps the same variable by another name
		}
	}
	if len(s.b.Preds) == 0 || s.base == nil && !w.known(s) {
		return false
	}
	for _, b := range s.b.Preds {
		if !w.back(heldState{point: point{b: b, n: len(b.Instrs)}, addr: s.addr, base: s.base}) {
			return false
		}
	}
	return true
}

// mayWriteElements reports whether an instruction may write elements of a slice, of a type:
// those of arrays that are just written out are of no slice yet.
func mayWriteElements(i ssa.Instruction, elem types.Type) bool {
	switch i := i.(type) {
	case *ssa.Store:
		a := i.Addr
		for {
			switch x := a.(type) {
			case *ssa.FieldAddr:
				a = x.X
				continue
			case *ssa.IndexAddr:
				array, ok := x.X.(*ssa.Alloc)
				return !ok || array.Comment != "slicelit" && array.Comment != "varargs"
			case *ssa.Alloc, *ssa.Global, *ssa.FreeVar:
				return false
			}
			// A pointer to an object, which may be an element or a part of one.
			return a == i.Addr || mayBePart(deref(a.Type()), elem, 0)
		}
	case ssa.CallInstruction:
		if _, later := i.(*ssa.Defer); later {
			return false
		}
		b, ok := i.Common().Value.(*ssa.Builtin)
		return !ok || b.Name() != "len" && b.Name() != "cap"
	case *ssa.Send, *ssa.Select, *ssa.RunDefers:
		return true
	}
	return false
}

// mayBePart reports whether an object of a type may be a part of one of another type.
func mayBePart(t, whole types.Type, depth int) bool {
	if t == nil || depth > 4 || types.Identical(t.Underlying(), whole.Underlying()) {
		return true
	}
	switch u := whole.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if mayBePart(t, u.Field(i).Type(), depth+1) {
				return true
			}
		}
	case *types.Array:
		return mayBePart(t, u.Elem(), depth+1)
	}
	return false
}

// known reports whether the address, or the variable that its object is read from, was known
// before the block.
func (w *heldWalk) known(s heldState) bool {
	if w.p.definedBefore(s.addr, s.b) {
		return true
	}
	b := pointerAt(s.addr)
	return b != nil && (w.p.definedBefore(b, s.b) || w.p.definedBefore(b.X, s.b))
}

// pointerAt is the address of the variable that the object of a field is read from.
func pointerAt(a *ssa.FieldAddr) *ssa.FieldAddr {
	if load, ok := a.X.(*ssa.UnOp); ok && load.Op == token.MUL {
		b, _ := load.X.(*ssa.FieldAddr)
		return b
	}
	return nil
}

// is reports whether a store is to the variable.
func (w *heldWalk) is(st *ssa.Store, s heldState) bool {
	a, ok := st.Addr.(*ssa.FieldAddr)
	if s.base != nil {
		return ok && a.Field == s.addr.Field && a.X == s.base
	}
	if w.p.sameAddress(st.Addr, s.addr) {
		return true
	}
	// The object is read from the same variable, which nothing has written since: the walk
	// came that way.
	b := pointerAt(s.addr)
	if !ok || b == nil || a.Field != s.addr.Field || !types.Identical(a.X.Type(), s.addr.X.Type()) {
		return false
	}
	c := pointerAt(a)
	if c == nil || !w.p.sameAddress(c, b) {
		return false
	}
	load := a.X.(*ssa.UnOp)
	if load.Block() != st.Block() {
		return false
	}
	for _, i := range st.Block().Instrs[pointAt(load).n+1 : pointAt(st).n] {
		if w.p.mayWriteAt(i, w.p.at(c)) {
			return false
		}
	}
	return true
}

// moves reports whether a store is to the variable that the object is read from, before that
// is done.
func (w *heldWalk) moves(st *ssa.Store, s heldState) bool {
	b := pointerAt(s.addr)
	if b == nil || !w.p.sameAddress(st.Addr, b) {
		return false
	}
	load := s.addr.X.(*ssa.UnOp)
	return st.Block() != load.Block() && !load.Block().Dominates(st.Block()) || st.Block() == load.Block() && precedes(st, pointAt(load))
}

// stored is about a slice that is put into the variable.
func (w *heldWalk) stored(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.Slice:
		stores, all := writtenOut(v)
		if !all || slices.ContainsFunc(stores, func(st *ssa.Store) bool { return !w.found(st.Val) }) {
			return false
		}
		// Nobody else has it: elements are not written after that.
		for _, r := range *v.Referrers() {
			if st, ok := r.(*ssa.Store); !ok || st.Val != ssa.Value(v) {
				if _, debug := r.(*ssa.DebugRef); !debug {
					return false
				}
			}
		}
		return true
	}
	return w.found(v)
}

// heldAnswers is what an element of a slice is computed from if it came with answers of the
// environment on all ways.
func (f *frame) heldAnswers(key string, x ssa.Value) lower.From {
	list := f.c.reach.heldIn(x)
	for _, call := range list {
		if !f.c.answers[f.key(call)] {
			return nil
		}
	}
	if len(list) == 0 {
		return nil
	}
	return lower.From{f.any(key+"/held", leaf{typ: boolType}, lower.Answer)}
}
