// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// A Kind is a kind of values.
type Kind uint8

const (
	Top    Kind = iota // unknown or unusable
	Bit                // the int constants 0 and 1, which may be booleans
	Bool               // boolean, by a descriptor
	Int                // int, short, char, byte
	Long               // and so on
	Float              //
	Double             //
	Null               // the null reference
	Ref                // a reference to an object of Class, or null
	Fresh              // an object before its constructor has run, made by the instruction at PC
)

// A Value is the type of a local or of an entry of the stack.
type Value struct {
	Kind  Kind
	Class string // of references and new objects: internal name or descriptor of an array
	PC    int    // of new objects
	This  bool   // it is the receiver of the method, which is not null
	From  string // static field that it was read from, "class.name", of types that may be handles for fields; or ""
}

// Wide reports whether a value takes two locals.
func (v Value) Wide() bool { return v.Kind == Long || v.Kind == Double }

// OfType is the value that a descriptor says.
func OfType(t classfile.Type) Value {
	switch t {
	case "Z":
		return Value{Kind: Bool}
	case "J":
		return Value{Kind: Long}
	case "F":
		return Value{Kind: Float}
	case "D":
		return Value{Kind: Double}
	case "I", "S", "C", "B":
		return Value{Kind: Int}
	}
	if t.Reference() {
		return Value{Kind: Ref, Class: t.Class()}
	}
	return Value{}
}

// join is the least common type of two values.
func join(w *hierarchy.World, a, b Value) Value {
	if a == b {
		return a
	}
	if a.Kind >= Bit && a.Kind <= Int && b.Kind >= Bit && b.Kind <= Int {
		return Value{Kind: max(a.Kind, b.Kind)}
	}
	from := ""
	if a.From == b.From {
		from = a.From
	}
	switch {
	case a.Kind == b.Kind && a.Kind >= Long && a.Kind <= Double:
		return Value{Kind: a.Kind, From: from}
	case a.Kind == Null && b.Kind == Ref:
		return Value{Kind: Ref, Class: b.Class}
	case a.Kind == Ref && b.Kind == Null:
		return Value{Kind: Ref, Class: a.Class}
	case a.Kind == Ref && b.Kind == Ref:
		return Value{Kind: Ref, Class: w.Join(a.Class, b.Class), From: from}
	}
	return Value{}
}

// A Frame is the state before an instruction.
type Frame struct {
	Locals []Value
	Stack  []Value
}

// Clone copies a frame.
func (f *Frame) Clone() *Frame {
	return &Frame{append([]Value(nil), f.Locals...), append([]Value(nil), f.Stack...)}
}

// SetLocal stores a value into a local, and makes unusable what it overwrites a half of.
func (f *Frame) SetLocal(k int, v Value) {
	if k > 0 && f.Locals[k-1].Wide() {
		f.Locals[k-1] = Value{}
	}
	f.Locals[k] = v
	if v.Wide() {
		f.Locals[k+1] = Value{}
	}
}

// merge joins a frame into another and reports whether that one changed. It fails if the
// heights of the stacks differ.
func (f *Frame) merge(w *hierarchy.World, g *Frame) (changed, ok bool) {
	if len(f.Stack) != len(g.Stack) {
		return false, false
	}
	each := func(a []Value, b []Value) {
		for k := range a {
			if v := join(w, a[k], b[k]); v != a[k] {
				a[k], changed = v, true
			}
		}
	}
	each(f.Locals, g.Locals)
	each(f.Stack, g.Stack)
	return changed, true
}

// Shuffle applies an instruction that only moves entries (pop, dup and so on; swap). Wide tells
// entries that count twice. It reports whether the stack was high enough.
func Shuffle[T any](op classfile.Op, s []T, wide func(T) bool) ([]T, bool) {
	n := len(s)
	// at is the number of entries in the top slots, from the entry below which skip entries lie.
	group := func(skip, slots int) (int, bool) {
		k := n - skip - 1
		if k < 0 {
			return 0, false
		}
		if slots == 1 || wide(s[k]) {
			return 1, true
		}
		return 2, k >= 1
	}
	var top, below int
	ok := true
	switch op {
	case classfile.Pop, classfile.Dup, classfile.DupX1, classfile.DupX2, classfile.Swap:
		top, ok = group(0, 1)
	default:
		top, ok = group(0, 2)
	}
	if !ok {
		return s, false
	}
	switch op {
	case classfile.Pop, classfile.Pop2:
		return s[:n-top], true
	case classfile.DupX1, classfile.Dup2X1, classfile.Swap:
		below, ok = group(top, 1)
	case classfile.DupX2, classfile.Dup2X2:
		below, ok = group(top, 2)
	}
	if !ok {
		return s, false
	}
	out := append([]T(nil), s[:n-top-below]...)
	out = append(out, s[n-top:]...)
	out = append(out, s[n-top-below:n-top]...)
	if op != classfile.Swap {
		out = append(out, s[n-top:]...)
	}
	return out, true
}

// Arity is how many entries an instruction takes from the stack, but for those that Shuffle applies.
func Arity(in *classfile.Instr) int {
	switch op := in.Op.General(); {
	case op >= classfile.Iaload && op <= classfile.Saload:
		return 2
	case op >= classfile.Istore && op <= classfile.Astore:
		return 1
	case op >= classfile.Iastore && op <= classfile.Sastore:
		return 3
	case op >= 116 && op <= 119, op >= classfile.I2l && op < classfile.Lcmp: // negations, conversions
		return 1
	case op >= classfile.Iadd && op < classfile.Iinc, op >= classfile.Lcmp && op < classfile.Ifeq:
		return 2
	case op >= classfile.Ifeq && op < 159, op == classfile.Ifnull, op == classfile.Ifnonnull:
		return 1
	case op >= 159 && op <= classfile.IfAcmpne:
		return 2
	case op == classfile.Tableswitch, op == classfile.Lookupswitch, op >= classfile.Ireturn && op <= classfile.Areturn:
		return 1
	case op == classfile.Putstatic, op == classfile.Getfield:
		return 1
	case op == classfile.Putfield:
		return 2
	case op >= classfile.Invokevirtual && op <= classfile.Invokedynamic:
		d, _ := classfile.ParseDescriptor(in.Const.Member.Descriptor)
		if op == classfile.Invokestatic || op == classfile.Invokedynamic {
			return len(d.Params)
		}
		return len(d.Params) + 1
	case op >= classfile.Newarray && op <= classfile.Monitorexit:
		return 1
	case op == classfile.Multianewarray:
		return int(in.Int)
	}
	return 0
}

// Moves reports whether Shuffle applies an instruction.
func Moves(op classfile.Op) bool { return op >= classfile.Pop && op <= classfile.Swap }
