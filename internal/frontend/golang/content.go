// SPDX-License-Identifier: Apache-2.0

package golang

// This file says where contents come from that are not followed. An element of a
// slice or string that the environment gave during the call is its answer, and so is
// an element of a buffer that the call handed to the environment to be filled: "bad
// magic number" is the fault of who wrote the file. The value itself stays one that is
// not modelled; only blame knows more (lower.From).
//
// A buffer counts as filled if nothing but code of other packages writes to it: the
// component's own functions store none of its elements. One that is a field of an
// object may hold what an earlier call put there; it counts only after a call that
// hands it out in the same function.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// maxFilled bounds the functions through which a buffer is followed.
const maxFilled = 3

// contents is what elements of a slice, array or string are computed from, as far as
// that matters for blame; nil: nothing that is known.
func (f *frame) contents(key string, x ssa.Value, at ssa.Instruction, t types.Type) lower.From {
	if f.c.isCoarse() {
		return nil
	}
	if from := f.heldAnswers(key, x); from != nil {
		return from
	}
	if f.c.ownType(t) {
		return nil // it may be an object of the component, whoever hands it back
	}
	var from lower.From
	if v := f.val(x); v.missing == "" && v.at == nil && v.fn == nil {
		for _, t := range f.terms(v) {
			if !t.IsConst() {
				from = append(from, t)
			}
		}
	}
	if f.filled(x, at, 0) {
		from = append(from, f.any(key+"/filled", leaf{typ: boolType}, lower.Answer))
	}
	return from
}

// ownType reports whether a type is one of the component's package, or leads to one.
func (c *compiler) ownType(t types.Type) bool {
	for depth := 0; depth < 4; depth++ {
		if n, ok := t.(*types.Named); ok && c.l.owns(n.Obj().Pkg()) {
			if _, basic := n.Underlying().(*types.Basic); !basic {
				return true
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return false
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		default:
			return true // an interface, a function, a struct with anything in it
		}
	}
	return true
}

// filled reports whether a buffer has what the environment put there during the call.
func (f *frame) filled(x ssa.Value, at ssa.Instruction, depth int) bool {
	root := bufferOf(x)
	switch r := root.(type) {
	case *ssa.MakeSlice:
		return f.c.handedOut(r, nil, depth)
	case *ssa.Alloc:
		return f.c.handedOut(r, nil, depth)
	case *ssa.FieldAddr:
		return f.c.fieldHandedOut(r, at)
	case *ssa.Parameter:
		if f.up == nil || f.up.site == nil || depth >= maxFilled || f.up.site.Common().StaticCallee() != f.fn {
			return false
		}
		for k, p := range f.fn.Params {
			if p == r && k < len(f.up.site.Common().Args) {
				return f.up.filled(f.up.site.Common().Args[k], f.up.site, depth+1)
			}
		}
	}
	return false
}

// bufferOf follows a slice to what it is a part of.
func bufferOf(x ssa.Value) ssa.Value {
	for {
		switch v := x.(type) {
		case *ssa.Slice:
			x = v.X
		case *ssa.ChangeType:
			x = v.X
		case *ssa.SliceToArrayPointer:
			x = v.X
		default:
			return x
		}
	}
}

// handedOut reports whether a buffer is given to code of other packages, before an
// instruction if there is one, and nothing else writes to it.
func (c *compiler) handedOut(x ssa.Value, before ssa.Instruction, depth int) bool {
	given := false
	if !c.buffer(x, before, depth, map[ssa.Value]bool{}, &given) {
		return false
	}
	return given
}

// buffer walks the uses of a buffer; it returns false if the component's own code
// writes to it, or keeps it where it is not followed.
func (c *compiler) buffer(x ssa.Value, before ssa.Instruction, depth int, seen map[ssa.Value]bool, given *bool) bool {
	if seen[x] || x.Referrers() == nil {
		return true
	}
	seen[x] = true
	for _, use := range *x.Referrers() {
		switch u := use.(type) {
		case *ssa.MakeInterface:
			// A part of a message, or a value for code that asks for its type: who
			// has it does not write to it unless it is called with it.
			for _, w := range *u.Referrers() {
				if call, ok := w.(*ssa.Call); ok && (call.Call.IsInvoke() || call.Call.StaticCallee() != nil && !c.l.owns(packageOf(call.Call.StaticCallee()))) {
					*given = *given || before == nil || dominates(call, before)
				}
			}
		case *ssa.Slice, *ssa.ChangeType, *ssa.SliceToArrayPointer:
			if !c.buffer(u.(ssa.Value), before, depth, seen, given) {
				return false
			}
		case *ssa.IndexAddr:
			for _, w := range *u.Referrers() {
				if _, load := w.(*ssa.UnOp); !load {
					if _, debug := w.(*ssa.DebugRef); !debug {
						return false
					}
				}
			}
		case *ssa.UnOp, *ssa.Index, *ssa.DebugRef, *ssa.Convert, *ssa.BinOp, *ssa.Field, *ssa.Range:
		case ssa.CallInstruction:
			if _, plain := u.(*ssa.Call); !plain {
				return false
			}
			call := u.Common()
			if b, ok := call.Value.(*ssa.Builtin); ok {
				switch b.Name() {
				case "len", "cap":
				case "copy":
					if call.Args[0] == x {
						return false
					}
				default:
					return false
				}
				continue
			}
			fn := call.StaticCallee()
			switch {
			case fn == nil && !call.IsInvoke():
				return false
			case fn == nil || !c.l.owns(packageOf(fn)) && packageOf(fn) != nil:
				if before == nil || dominates(u, before) {
					*given = true
				}
			case depth >= maxFilled || len(fn.Blocks) == 0:
				return false
			default:
				for k, a := range call.Args {
					if a != x || k >= len(fn.Params) {
						continue
					}
					inner := false
					if !c.buffer(fn.Params[k], nil, depth+1, seen, &inner) {
						return false
					}
					if inner && (before == nil || dominates(u, before)) {
						*given = true
					}
				}
			}
		default:
			return false
		}
	}
	return true
}

// fieldHandedOut is handedOut for a field of an object, by its address in the same
// function.
func (c *compiler) fieldHandedOut(x *ssa.FieldAddr, at ssa.Instruction) bool {
	given := false
	for _, b := range x.Parent().Blocks {
		for _, i := range b.Instrs {
			f, ok := i.(*ssa.FieldAddr)
			if !ok || f.Field != x.Field || f.X != x.X {
				continue
			}
			one := false
			if !c.buffer(f, at, maxFilled-1, map[ssa.Value]bool{}, &one) {
				return false
			}
			given = given || one
		}
	}
	return given
}

// dominates reports whether an instruction is before another on every way to it.
func dominates(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	for _, i := range a.Block().Instrs {
		if i == a {
			return true
		}
		if i == b {
			return false
		}
	}
	return false
}
