// SPDX-License-Identifier: Apache-2.0

package translate

// This file translates access to fields by VarHandle, Unsafe and field updaters: what a static initializer
// makes one for is accessed directly. An access whose field is not known is refused, since it
// would be a write that the analysis does not see.

import (
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
)

// A handle is what a static field gives access to.
type handle struct {
	class, field string
	array        bool // elements of arrays of the class
}

// makers are the methods that make handles.
var makers = map[string]bool{"findVarHandle": true, "findStaticVarHandle": true, "arrayElementVarHandle": true, "objectFieldOffset": true, "newUpdater": true}

// accessOf is the field that an entry of the stack gives access to, or nil. It must be a final static field, so that it
// holds what the static initializer makes.
func (x *method) accessOf(e expr) *handle {
	owner, name, ok := strings.Cut(e.value.From, ".")
	if !ok {
		return nil
	}
	for n := owner; n != ""; n = x.world.Super(n) {
		c := x.world.Class(n)
		if c == nil || !x.follows(n) {
			return nil
		}
		for k := range c.Fields {
			if f := &c.Fields[k]; f.Name == name && flow.MayBeHandle(f.Type) {
				if h, ok := x.handlesOf(c)[name]; ok && f.Flags&(classfile.Final|classfile.Static) == classfile.Final|classfile.Static && h.class != "" {
					return &h
				}
				return nil
			}
		}
	}
	return nil
}

// handlesOf reads the static initializer of a class: which static fields hold handles for which fields. The constants
// for class and field must stand directly before the call that makes the handle, and the field is assigned directly behind it.
func (u *unit) handlesOf(c *classfile.Class) map[string]handle {
	if h, ok := u.handles[c.Name]; ok {
		return h
	}
	out := map[string]handle{}
	u.handles[c.Name] = out
	m := c.Method("<clinit>", "()V")
	if m == nil {
		return out
	}
	b, err := u.body(m)
	if err != nil {
		return out
	}
	for k := range b.Code {
		in := &b.Code[k]
		if in.Op != classfile.Putstatic || in.Const.Member.Owner != c.Name {
			continue
		}
		at := k - 1
		for at >= 0 && b.Code[at].Op == classfile.Checkcast {
			at--
		}
		h := handle{} // of no field: its use is refused
		if _, twice := out[in.Const.Member.Name]; at > 0 && !twice {
			h = madeHandle(b.Code[:at+1])
		}
		out[in.Const.Member.Name] = h
	}
	return out
}

// madeHandle is the handle that the last instruction of some code makes.
func madeHandle(code []classfile.Instr) handle {
	last := &code[len(code)-1]
	if last.Op != classfile.Invokevirtual && last.Op != classfile.Invokestatic || !makers[last.Const.Member.Name] {
		return handle{}
	}
	constant := func(back int, tag classfile.Tag) string {
		if k := len(code) - 1 - back; k >= 0 && (code[k].Op == classfile.Ldc || code[k].Op == classfile.LdcW) && code[k].Const.Tag == tag {
			return code[k].Const.Text
		}
		return ""
	}
	ref := last.Const.Member
	name, class := 1, 2
	switch {
	case ref.Name == "arrayElementVarHandle":
		return handle{class: constant(1, classfile.TagClass), array: true}
	case ref.Name == "findVarHandle" || ref.Name == "findStaticVarHandle":
		name, class = 2, 3
	case ref.Name == "newUpdater" && strings.Contains(ref.Owner, "Reference"):
		class = 3
	case ref.Name == "objectFieldOffset" && !strings.HasPrefix(ref.Descriptor, "(Ljava/lang/Class;"):
		name, class = 2, 3
		if get := &code[len(code)-2]; get.Op != classfile.Invokevirtual || get.Const.Member.Name != "getDeclaredField" {
			return handle{}
		}
	}
	h := handle{class: constant(class, classfile.TagClass), field: constant(name, classfile.TagString)}
	if h.field == "" {
		return handle{}
	}
	return h
}

// invokeHandle translates a call of a method of a handle. It reports whether the call is one.
func (x *method) invokeHandle(in *classfile.Instr, object expr, args []expr, d classfile.Descriptor) (bool, error) {
	ref := in.Const.Member
	if x.makesHandle(ref) {
		x.unknownHandle(ref, d)
		return true, nil
	}
	switch ref.Owner {
	case "java/lang/invoke/MethodHandle":
		if ref.Name == "invoke" || ref.Name == "invokeExact" {
			return true, x.unsupported("a call of a method handle")
		}
	case "java/lang/invoke/VarHandle":
		if !accessVerb(ref.Name) {
			return false, nil
		}
		return true, x.access(ref, x.accessOf(object), args, d)
	case "jdk/internal/misc/Unsafe", "sun/misc/Unsafe":
		if len(d.Params) < 2 || d.Params[0] != "Ljava/lang/Object;" || d.Params[1] != "J" || !accessVerb(ref.Name) {
			return false, nil
		}
		known := x.accessOf(args[1])
		if known == nil || known.array {
			return true, x.unsupported("access by Unsafe to a place that is not known")
		}
		return true, x.access(ref, known, append([]expr{args[0]}, args[2:]...), d)
	case "java/util/concurrent/atomic/AtomicIntegerFieldUpdater", "java/util/concurrent/atomic/AtomicLongFieldUpdater", "java/util/concurrent/atomic/AtomicReferenceFieldUpdater":
		if ref.Name == "newUpdater" {
			return false, nil
		}
		return true, x.access(ref, x.accessOf(object), args, d)
	}
	return false, nil
}

// makesHandle reports whether a method makes a handle, or what is needed for that.
func (x *method) makesHandle(ref classfile.Member) bool {
	switch ref.Owner {
	case "java/lang/invoke/MethodHandles":
		return ref.Name == "lookup" || makers[ref.Name]
	case "jdk/internal/misc/Unsafe", "sun/misc/Unsafe":
		return ref.Name == "getUnsafe" || makers[ref.Name]
	case "java/lang/invoke/MethodHandles$Lookup", "java/util/concurrent/atomic/AtomicIntegerFieldUpdater", "java/util/concurrent/atomic/AtomicLongFieldUpdater", "java/util/concurrent/atomic/AtomicReferenceFieldUpdater":
		return makers[ref.Name]
	}
	return false
}

// unknownHandle pushes a handle, about which Go knows nothing. Making one is taken to succeed.
func (x *method) unknownHandle(ref classfile.Member, d classfile.Descriptor) {
	goT := x.goType(d.Result)
	name := x.names.unique("function", "handle "+ref.String(), "made_"+ref.Name)
	x.outside.add(outside{name, "() (res " + goT + ")", Name{ref.Owner, ref.Name, ref.Descriptor}, "environment", "return"})
	x.result(flow.OfType(d.Result), name+"()").nonnull = true
}

// accessVerb reports whether a method reads or writes a variable.
func accessVerb(name string) bool {
	for _, p := range []string{"get", "set", "put", "lazySet", "compareAnd", "weakCompareAnd"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// A place is a variable that is read and written directly.
type place struct {
	t   classfile.Type
	get string
	set func(value string) string
}

func (x *method) access(ref classfile.Member, h *handle, args []expr, d classfile.Descriptor) error {
	if h == nil {
		return x.unsupported("%s.%s on a variable that is not known", simple(ref.Owner), ref.Name)
	}
	if h.array {
		return x.accessElement(ref, h, args, d)
	}
	c := x.world.Class(h.class)
	if c == nil || !x.follows(h.class) {
		return x.unsupported("%s.%s on field %s of %s, which is not followed", simple(ref.Owner), ref.Name, h.field, classfile.ClassType(h.class))
	}
	var f *classfile.Field
	for k := range c.Fields {
		if c.Fields[k].Name == h.field {
			f = &c.Fields[k]
		}
	}
	if f == nil {
		return x.unsupported("%s.%s on field %s of %s, which does not exist", simple(ref.Owner), ref.Name, h.field, classfile.ClassType(h.class))
	}
	p := place{t: f.Type}
	if f.Flags&classfile.Static != 0 {
		x.touchHere(c.Name)
		x.statics.add(staticField{c.Name, f})
		p.get = x.staticName(c.Name, f)
		p.set = func(v string) string { return p.get + " = " + v }
		return x.operate(ref, p, args, d)
	}
	object := args[0]
	if !x.nonNull(&object) {
		return x.unsupported("access to a field of null")
	}
	if !x.world.Subtype(x.classOf(object.value), c.Name) {
		v := flow.Value{Kind: flow.Ref, Class: c.Name}
		object = expr{text: x.convert(object, v), goT: x.goValue(v, x.receiver), value: v, nonnull: true}
	}
	p.get, p.set = x.instanceField(object, c, f)
	return x.operate(ref, p, args[1:], d)
}

func (x *method) accessElement(ref classfile.Member, h *handle, args []expr, d classfile.Descriptor) error {
	array := args[0]
	if !x.nonNull(&array) {
		return x.unsupported("access to an element of null")
	}
	v := flow.Value{Kind: flow.Ref, Class: h.class}
	text := x.convert(array, v)
	i := x.operand(args[1], flow.Int)
	x.check(fmt.Sprintf("%s < 0 || int(%s) >= len(%s.data)", i, i, text), arrayIndex)
	p := place{t: classfile.Type(h.class).Elem(), get: fmt.Sprintf("%s.data[%s]", text, i)}
	if p.t.Reference() {
		p.t = "Ljava/lang/Object;"
	}
	p.set = func(v string) string { return p.get + " = " + v }
	return x.operate(ref, p, args[2:], d)
}

// operate translates an access to a variable.
func (x *method) operate(ref classfile.Member, p place, args []expr, d classfile.Descriptor) error {
	v := flow.OfType(p.t)
	goT := x.goValue(v, x.receiver)
	read := func() expr {
		t := x.temp(goT)
		x.emit("%s = %s", t, widen(p.t, p.get))
		return expr{text: t, goT: goT, value: v}
	}
	give := func(e expr) {
		if d.Result == "V" {
			return
		}
		r := flow.OfType(d.Result)
		x.push(expr{text: x.convert(e, r), goT: x.goValue(r, x.receiver), value: r})
	}
	add := func(old expr, amount string, after bool) error {
		if v.Kind != flow.Int && v.Kind != flow.Long {
			return x.unsupported("%s.%s on a field of type %v", simple(ref.Owner), ref.Name, p.t)
		}
		t := x.temp(goT)
		x.emit("%s = %s + %s", t, old.text, amount)
		sum := expr{text: t, goT: goT, value: v}
		x.emit("%s", p.set(x.convertType(sum, p.t)))
		if after {
			old = sum
		}
		give(old)
		return nil
	}
	name := ref.Name
	switch {
	case len(args) == 0 && (name == "incrementAndGet" || name == "getAndIncrement"):
		return add(read(), "1", name == "incrementAndGet")
	case len(args) == 0 && (name == "decrementAndGet" || name == "getAndDecrement"):
		return add(read(), "-1", name == "decrementAndGet")
	case len(args) == 1 && strings.HasPrefix(name, "getAndAdd"):
		return add(read(), x.operand(args[0], v.Kind), false)
	case len(args) == 1 && name == "addAndGet":
		return add(read(), x.operand(args[0], v.Kind), true)
	case len(args) == 1 && strings.HasPrefix(name, "getAndSet"):
		old := read()
		x.emit("%s", p.set(x.convertType(args[0], p.t)))
		give(old)
	case len(args) == 1 && strings.HasPrefix(name, "getAndBitwise"):
		sign := map[byte]string{'O': "|", 'A': "&", 'X': "^"}[strings.TrimPrefix(name, "getAndBitwise")[0]]
		if v.Kind != flow.Int && v.Kind != flow.Long {
			return x.unsupported("%s.%s on a field of type %v", simple(ref.Owner), name, p.t)
		}
		old := read()
		t := x.temp(goT)
		x.emit("%s = %s %s %s", t, old.text, sign, x.operand(args[0], v.Kind))
		x.emit("%s", p.set(x.convertType(expr{text: t, goT: goT, value: v}, p.t)))
		give(old)
	case len(args) == 2 && (strings.HasPrefix(name, "compareAnd") || strings.HasPrefix(name, "weakCompareAnd")):
		old := read()
		equal := ""
		if p.t.Reference() {
			equal = x.same(old, args[0])
		} else {
			equal = old.text + " == " + x.convert(args[0], v)
		}
		done := x.temp("bool")
		x.emit("%s = %s", done, equal)
		value := x.convertType(args[1], p.t)
		x.emit("if %s {", done)
		x.emit("%s", p.set(value))
		x.emit("}")
		if strings.HasPrefix(name, "compareAndExchange") {
			give(old)
			return nil
		}
		give(expr{text: done, goT: "bool", value: flow.Value{Kind: flow.Bool}})
	case len(args) == 0 && strings.HasPrefix(name, "get"):
		give(read())
	case len(args) == 1 && (strings.HasPrefix(name, "set") || strings.HasPrefix(name, "put") || name == "lazySet"):
		x.emit("%s", p.set(x.convertType(args[0], p.t)))
	default:
		return x.unsupported("%s.%s", simple(ref.Owner), name)
	}
	return nil
}
