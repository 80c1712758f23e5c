// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
)

// Result is the value that an instruction leaves on the stack, if it leaves one. It is not for instructions that
// Shuffle applies.
func (b *Body) Result(in *classfile.Instr, args, locals []Value) (v Value, ok bool, err error) {
	of := func(k Kind) (Value, bool, error) { return Value{Kind: k}, true, nil }
	switch op := in.Op.General(); {
	case op == classfile.AconstNull:
		return of(Null)
	case op == classfile.IconstM1 || op > classfile.IconstM1 && op <= 8 || op == classfile.Bipush || op == classfile.Sipush:
		if in.Int == 0 || in.Int == 1 {
			return of(Bit)
		}
		return of(Int)
	case op == 9 || op == 10:
		return of(Long)
	case op >= 11 && op <= 13:
		return of(Float)
	case op == 14 || op == 15:
		return of(Double)
	case op >= classfile.Ldc && op <= classfile.Ldc2W:
		return constant(in.Const)
	case op >= classfile.Iload && op <= classfile.Aload:
		if locals[in.Local].Kind == Top {
			return Value{}, false, fmt.Errorf("local %d has no type", in.Local)
		}
		return locals[in.Local], true, nil
	case op >= classfile.Iaload && op <= classfile.Saload:
		return elem(op, args[0])
	case op >= classfile.Iadd && op < classfile.Ifeq && op != classfile.Iinc:
		if op >= 126 && op <= 131 && op%2 == 0 && args[0].Kind <= Bool && args[1].Kind <= Bool && (args[0].Kind == Bool || args[1].Kind == Bool) {
			return of(Bool) // iand, ior, ixor of booleans
		}
		return of(arithmetic[op])
	case op == classfile.Getstatic:
		ref := in.Const.Member
		v := OfType(classfile.Type(ref.Descriptor))
		if MayBeHandle(classfile.Type(ref.Descriptor)) {
			v.From = ref.Owner + "." + ref.Name
		}
		return v, true, nil
	case op == classfile.Getfield:
		return OfType(classfile.Type(in.Const.Member.Descriptor)), true, nil
	case op >= classfile.Invokevirtual && op <= classfile.Invokedynamic:
		d, _ := classfile.ParseDescriptor(in.Const.Member.Descriptor)
		if in.Const.Member.Name == "clone" && in.Op == classfile.Invokevirtual && in.Const.Member.Owner[0] == '[' {
			return Value{Kind: Ref, Class: in.Const.Member.Owner}, true, nil
		}
		return OfType(d.Result), d.Result != "V", nil
	case op == classfile.New:
		return Value{Kind: Fresh, Class: in.Const.Text, PC: in.PC}, true, nil
	case op == classfile.Newarray:
		return Value{Kind: Ref, Class: "[" + string(in.Elem)}, true, nil
	case op == classfile.Anewarray:
		return Value{Kind: Ref, Class: "[" + string(classfile.ClassType(in.Const.Text))}, true, nil
	case op == classfile.Multianewarray:
		return Value{Kind: Ref, Class: in.Const.Text}, true, nil
	case op == classfile.Arraylength:
		return of(Int)
	case op == classfile.Instanceof:
		return of(Bool)
	case op == classfile.Checkcast:
		if a := args[0]; a.Kind == Null || a.Kind == Ref && b.world.Subtype(a.Class, in.Const.Text) {
			return a, true, nil // it is known better already
		}
		return Value{Kind: Ref, Class: in.Const.Text}, true, nil
	}
	return Value{}, false, nil
}

// MayBeHandle reports whether values of a type may give access to fields: by VarHandle, a field updater, or
// as an offset for Unsafe.
func MayBeHandle(t classfile.Type) bool {
	switch t {
	case "J", "Ljava/lang/invoke/VarHandle;", "Ljava/util/concurrent/atomic/AtomicIntegerFieldUpdater;", "Ljava/util/concurrent/atomic/AtomicLongFieldUpdater;", "Ljava/util/concurrent/atomic/AtomicReferenceFieldUpdater;":
		return true
	}
	return false
}

func constant(c *classfile.Constant) (Value, bool, error) {
	switch c.Tag {
	case classfile.TagInteger:
		return Value{Kind: Int}, true, nil
	case classfile.TagLong:
		return Value{Kind: Long}, true, nil
	case classfile.TagFloat:
		return Value{Kind: Float}, true, nil
	case classfile.TagDouble:
		return Value{Kind: Double}, true, nil
	case classfile.TagString:
		return Value{Kind: Ref, Class: "java/lang/String"}, true, nil
	case classfile.TagClass:
		return Value{Kind: Ref, Class: "java/lang/Class"}, true, nil
	case classfile.TagMethodHandle:
		return Value{Kind: Ref, Class: "java/lang/invoke/MethodHandle"}, true, nil
	case classfile.TagMethodType:
		return Value{Kind: Ref, Class: "java/lang/invoke/MethodType"}, true, nil
	case classfile.TagDynamic:
		return OfType(classfile.Type(c.Member.Descriptor)), true, nil
	}
	return Value{}, false, fmt.Errorf("a constant of kind %v", c.Tag)
}

// elem is what an array load gives.
func elem(op classfile.Op, array Value) (Value, bool, error) {
	kinds := [...]Kind{Int, Long, Float, Double, Ref, Int, Int, Int}
	k := kinds[op-classfile.Iaload]
	if array.Kind == Null { // it always fails
		if k == Ref {
			k = Null
		}
		return Value{Kind: k}, true, nil
	}
	t := classfile.Type(array.Class)
	if array.Kind != Ref || !t.Array() {
		if k == Ref {
			return Value{}, false, fmt.Errorf("a load from what is no array")
		}
		return Value{Kind: k}, true, nil
	}
	return OfType(t.Elem()), true, nil
}

// arithmetic is the kind of the result, by opcode.
var arithmetic = func() map[classfile.Op]Kind {
	out := map[classfile.Op]Kind{}
	kinds := [...]Kind{Int, Long, Float, Double}
	for op := classfile.Iadd; op <= 119; op++ {
		out[op] = kinds[(op-classfile.Iadd)%4]
	}
	for op := classfile.Op(120); op < classfile.Iinc; op++ {
		out[op] = kinds[op%2]
	}
	conversions := [...]Kind{Long, Float, Double, Int, Float, Double, Int, Long, Double, Int, Long, Float, Int, Int, Int}
	for k, kind := range conversions {
		out[classfile.I2l+classfile.Op(k)] = kind
	}
	for op := classfile.Lcmp; op < classfile.Ifeq; op++ {
		out[op] = Int
	}
	return out
}()
