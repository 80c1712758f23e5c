// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// A builder makes the code of a method, one instruction at each position.
type builder struct {
	owner  *method
	method *classfile.Method
	code   []classfile.Instr
	locals int
}

func (b *builder) add(in classfile.Instr) int {
	in.PC, in.Next = len(b.code), len(b.code)+1
	b.code = append(b.code, in)
	return in.PC
}

func (b *builder) op(op classfile.Op) { b.add(classfile.Instr{Op: op}) }

func (b *builder) int(v int) { b.add(classfile.Instr{Op: classfile.Sipush, Int: int64(v)}) }

func (b *builder) ldc(c classfile.Constant) { b.add(classfile.Instr{Op: classfile.Ldc, Const: &c}) }

func (b *builder) class(op classfile.Op, class string) {
	b.add(classfile.Instr{Op: op, Const: &classfile.Constant{Tag: classfile.TagClass, Text: class}})
}

func (b *builder) member(op classfile.Op, owner, name, descriptor string) {
	tag := classfile.TagMethod
	switch {
	case op <= classfile.Putfield:
		tag = classfile.TagField
	case op == classfile.Invokeinterface:
		tag = classfile.TagInterfaceMethod
	}
	b.add(classfile.Instr{Op: op, Const: &classfile.Constant{Tag: tag, Member: classfile.Member{Owner: owner, Name: name, Descriptor: descriptor, Interface: op == classfile.Invokeinterface}}})
}

func (b *builder) jump(op classfile.Op) int { return b.add(classfile.Instr{Op: op, Target: -1}) }

// here makes a jump lead to what is added next.
func (b *builder) here(jumps ...int) {
	for _, j := range jumps {
		b.code[j].Target = len(b.code)
	}
}

// offset is the distance of the instructions for a type from those for int.
func offset(t classfile.Type) classfile.Op {
	switch t {
	case "J":
		return 1
	case "F":
		return 2
	case "D":
		return 3
	}
	if t.Reference() {
		return 4
	}
	return 0
}

func (b *builder) load(local int, t classfile.Type) {
	b.add(classfile.Instr{Op: classfile.Iload + offset(t), Local: local})
}

func (b *builder) leave(t classfile.Type) {
	if t == "V" {
		b.op(classfile.Return)
		return
	}
	b.op(classfile.Ireturn + offset(t))
}

func (b *builder) finish() error {
	body, err := flow.New(b.owner.world, b.method, b.code, nil, b.locals)
	if err != nil {
		return err
	}
	b.owner.bodies[b.method] = body
	return nil
}

// lambda is the code of the method of a functional interface: it calls what the handle refers to.
func (b *builder) lambda(c *classfile.Class, handle classfile.Constant, instantiated string) error {
	target := handle.Member
	inst, _ := classfile.ParseDescriptor(instantiated)
	impl, _ := classfile.ParseDescriptor(target.Descriptor)
	if handle.Tag != classfile.TagMethodHandle || handle.Handle < classfile.HandleInvokeVirtual || len(inst.Params) != len(b.method.Type.Params) {
		return b.owner.unsupported("a lambda of an unknown form")
	}
	params := impl.Params
	result := impl.Result
	switch handle.Handle {
	case classfile.HandleNewInvokeSpecial:
		b.class(classfile.New, target.Owner)
		b.op(classfile.Dup)
		result = classfile.ClassType(target.Owner)
	case classfile.HandleInvokeStatic:
	default:
		params = append([]classfile.Type{classfile.ClassType(target.Owner)}, params...)
	}
	if len(params) != len(c.Fields)+len(inst.Params) {
		return b.owner.unsupported("a lambda of an unknown form")
	}
	for k := range c.Fields {
		f := &c.Fields[k]
		b.load(0, "Ljava/lang/Object;")
		b.member(classfile.Getfield, c.Name, f.Name, string(f.Type))
		b.adapt(f.Type, params[k])
	}
	local := 1
	for k, t := range b.method.Type.Params {
		b.load(local, t)
		if t != inst.Params[k] {
			b.adapt(t, inst.Params[k])
		}
		b.adapt(inst.Params[k], params[len(c.Fields)+k])
		local += t.Slots()
	}
	op := map[uint8]classfile.Op{classfile.HandleInvokeVirtual: classfile.Invokevirtual, classfile.HandleInvokeStatic: classfile.Invokestatic,
		classfile.HandleInvokeSpecial: classfile.Invokespecial, classfile.HandleNewInvokeSpecial: classfile.Invokespecial, classfile.HandleInvokeInterface: classfile.Invokeinterface}[handle.Handle]
	b.member(op, target.Owner, target.Name, target.Descriptor)
	want := b.method.Type.Result
	switch {
	case want == "V" && result.Slots() == 1:
		b.op(classfile.Pop)
	case want == "V" && result.Slots() == 2:
		b.op(classfile.Pop2)
	case want != "V":
		b.adapt(result, inst.Result)
		b.adapt(inst.Result, want)
	}
	b.leave(want)
	return nil
}

var boxes = map[classfile.Type]string{
	"I": "java/lang/Integer", "J": "java/lang/Long", "S": "java/lang/Short", "B": "java/lang/Byte",
	"C": "java/lang/Character", "Z": "java/lang/Boolean", "F": "java/lang/Float", "D": "java/lang/Double",
}

// unboxed is the type of the values of a box, or "".
func unboxed(class string) classfile.Type {
	for t, b := range boxes {
		if b == class {
			return t
		}
	}
	return ""
}

// adapt converts the top of the stack from one type to another, as the call of a lambda does.
func (b *builder) adapt(from, to classfile.Type) {
	switch {
	case from == to:
	case from.Reference() && to.Reference():
		if to.Class() != hierarchy.Object {
			b.class(classfile.Checkcast, to.Class())
		}
	case from.Reference():
		prim := unboxed(from.Class())
		if prim == "" {
			prim = to
			b.class(classfile.Checkcast, boxes[to])
		}
		b.member(classfile.Invokevirtual, boxes[prim], classfile.Type(prim).String()+"Value", "()"+string(prim))
		b.adapt(prim, to)
	case to.Reference():
		b.member(classfile.Invokestatic, boxes[from], "valueOf", "("+string(from)+")L"+boxes[from]+";")
	default:
		x, y := offset(from), offset(to)
		if x == y {
			return
		}
		conversions := map[[2]classfile.Op]classfile.Op{{0, 1}: 133, {0, 2}: 134, {0, 3}: 135, {1, 2}: 137, {1, 3}: 138, {2, 3}: 141}
		b.op(conversions[[2]classfile.Op{x, y}])
	}
}

// recordMethod is the code of equals, hashCode or toString of a record.
func (b *builder) recordMethod(name string, args []classfile.Constant) error {
	if len(args) < 2 {
		return b.owner.unsupported("a method of a record of an unknown form")
	}
	record := classfile.ClassType(args[0].Text)
	fields := args[2:]
	switch name {
	case "equals":
		b.recordEquals(record, fields)
	case "hashCode":
		b.int(0)
		for _, f := range fields {
			t := classfile.Type(f.Member.Descriptor)
			b.int(31)
			b.op(104) // imul
			b.load(0, record)
			b.member(classfile.Getfield, f.Member.Owner, f.Member.Name, f.Member.Descriptor)
			if t.Reference() {
				b.member(classfile.Invokestatic, "java/util/Objects", "hashCode", "(Ljava/lang/Object;)I")
			} else {
				b.member(classfile.Invokestatic, boxes[t], "hashCode", "("+string(t)+")I")
			}
			b.op(classfile.Iadd)
		}
		b.leave("I")
	case "toString":
		const builder = "java/lang/StringBuilder"
		text := func(s string) {
			b.ldc(classfile.Constant{Tag: classfile.TagString, Text: s})
			b.member(classfile.Invokevirtual, builder, "append", "(Ljava/lang/String;)L"+builder+";")
		}
		b.class(classfile.New, builder)
		b.op(classfile.Dup)
		b.member(classfile.Invokespecial, builder, "<init>", "()V")
		own := simple(args[0].Text)
		text(own[strings.LastIndexByte(own, '$')+1:] + "[")
		for k, f := range fields {
			if k > 0 {
				text(", ")
			}
			text(f.Member.Name + "=")
			b.load(0, record)
			b.member(classfile.Getfield, f.Member.Owner, f.Member.Name, f.Member.Descriptor)
			t := f.Member.Descriptor
			switch {
			case t == "B" || t == "S":
				t = "I"
			case classfile.Type(t).Reference():
				t = "Ljava/lang/Object;"
			}
			b.member(classfile.Invokevirtual, builder, "append", "("+t+")L"+builder+";")
		}
		text("]")
		b.member(classfile.Invokevirtual, builder, "toString", "()Ljava/lang/String;")
		b.leave("Ljava/lang/String;")
	default:
		return b.owner.unsupported("the method %s of a record", name)
	}
	return nil
}

func (b *builder) recordEquals(record classfile.Type, fields []classfile.Constant) {
	b.load(1, "Ljava/lang/Object;")
	b.class(classfile.Instanceof, record.Class())
	no := []int{b.jump(classfile.Ifeq)}
	b.load(1, "Ljava/lang/Object;")
	b.class(classfile.Checkcast, record.Class())
	b.add(classfile.Instr{Op: classfile.Astore, Local: 2})
	b.locals = 3
	for _, f := range fields {
		t := classfile.Type(f.Member.Descriptor)
		for _, local := range []int{0, 2} {
			b.load(local, record)
			b.member(classfile.Getfield, f.Member.Owner, f.Member.Name, f.Member.Descriptor)
		}
		switch {
		case t.Reference():
			b.member(classfile.Invokestatic, "java/util/Objects", "equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z")
			no = append(no, b.jump(classfile.Ifeq))
		case t == "J":
			b.op(classfile.Lcmp)
			no = append(no, b.jump(classfile.Ifeq+1))
		case t == "F" || t == "D":
			b.member(classfile.Invokestatic, boxes[t], "compare", "("+string(t)+string(t)+")I")
			no = append(no, b.jump(classfile.Ifeq+1))
		default:
			no = append(no, b.jump(160)) // if_icmpne
		}
	}
	b.int(1)
	b.leave("Z")
	b.here(no...)
	b.int(0)
	b.leave("Z")
}

// typeSwitch is the code of a switch over types and constants: the number of the first label, not before the second
// argument, that the first one matches.
func (b *builder) typeSwitch(d classfile.Descriptor, labels []classfile.Constant) error {
	object := d.Params[0]
	b.load(0, object)
	nonnull := b.jump(classfile.Ifnonnull)
	b.int(-1)
	b.leave("I")
	b.here(nonnull)
	for k, label := range labels {
		var no []int
		b.load(1, "I")
		b.int(k)
		no = append(no, b.jump(163)) // if_icmpgt
		b.load(0, object)
		switch label.Tag {
		case classfile.TagClass:
			b.class(classfile.Instanceof, label.Text)
			no = append(no, b.jump(classfile.Ifeq))
		case classfile.TagString:
			if !b.owner.world.Subtype("java/lang/String", object.Class()) && object.Class() != hierarchy.Object {
				b.member(classfile.Invokevirtual, "java/lang/Enum", "name", "()Ljava/lang/String;")
			}
			b.ldc(label)
			b.member(classfile.Invokevirtual, hierarchy.Object, "equals", "(Ljava/lang/Object;)Z")
			no = append(no, b.jump(classfile.Ifeq))
		case classfile.TagInteger:
			box, prim := object.Class(), unboxed(object.Class())
			if prim != "I" && prim != "C" && prim != "S" && prim != "B" {
				return b.owner.unsupported("a switch over %v with a number as label", object)
			}
			b.member(classfile.Invokevirtual, box, prim.String()+"Value", "()"+string(prim))
			b.ldc(label)
			no = append(no, b.jump(160)) // if_icmpne
		default:
			return b.owner.unsupported("a switch with a label of kind %v", label.Tag)
		}
		b.int(k)
		b.leave("I")
		b.here(no...)
	}
	b.int(len(labels))
	b.leave("I")
	return nil
}
