// SPDX-License-Identifier: Apache-2.0

package translate

// This file translates instructions that are no calls.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// A special is what is known about an entry of the stack besides its type.
type special struct {
	compare *comparison // what it is the comparison of
	hashOf  *expr       // the string that it is the hash code of
	ordinal *expr       // the enum constant that it is the number of
	cases   *enumCases  // the numbers of cases that it holds by enum constants
	integer *int64      // the constant that it is
	text    *string     // the string constant that it is
}

// A comparison is a less, equal or greater of two numbers.
type comparison struct {
	a, b string
	nan  int // what it is if one is no number; 0: none can be
}

// instr translates an instruction. It reports whether the block ends with it although the instruction
// does not: what it does always fails.
func (x *method) instr(in *classfile.Instr) (ended bool, err error) {
	if flow.Moves(in.Op) {
		x.stack, _ = flow.Shuffle(in.Op, x.stack, func(e expr) bool { return e.value.Wide() })
		return false, nil
	}
	switch op := in.Op.General(); {
	case op == classfile.Nop:
	case op == classfile.AconstNull || op >= classfile.IconstM1 && op <= classfile.Ldc2W:
		return false, x.constant(in)
	case op >= classfile.Iload && op <= classfile.Aload:
		x.load(in.Local)
	case op >= classfile.Istore && op <= classfile.Astore:
		x.store(in.Local, x.pop())
	case op == classfile.Iinc:
		x.load(in.Local)
		e := x.pop()
		t := x.temp("int32")
		x.noWrap(x.convert(e, flow.Value{Kind: flow.Int}), "int32", in.Int)
		x.emit("%s = %s + %d", t, x.convert(e, flow.Value{Kind: flow.Int}), in.Int)
		x.store(in.Local, expr{text: t, goT: "int32", value: flow.Value{Kind: flow.Int}})
	case op >= classfile.Iaload && op <= classfile.Saload, op >= classfile.Iastore && op <= classfile.Sastore, op == classfile.Arraylength:
		return x.element(in)
	case op >= classfile.Iadd && op < classfile.Ifeq:
		return x.arithmetic(in)
	case op >= classfile.Ifeq && op <= classfile.IfAcmpne, op == classfile.Ifnull, op == classfile.Ifnonnull:
		x.branch(in)
	case op == classfile.Goto, op == classfile.GotoW:
		x.edge(in.Target, x.stack)
	case op == classfile.Tableswitch, op == classfile.Lookupswitch:
		x.choose(in)
	case op >= classfile.Ireturn && op <= classfile.Return:
		x.leave(op)
	case op >= classfile.Getstatic && op <= classfile.Putfield:
		return x.field(in)
	case op >= classfile.Invokevirtual && op <= classfile.Invokestatic, op == classfile.Invokeinterface:
		return x.invoke(in)
	case op == classfile.Invokedynamic:
		return false, x.invokeDynamic(in)
	case op == classfile.New:
		x.touchHere(in.Const.Text)
		x.push(expr{value: flow.Value{Kind: flow.Fresh, Class: in.Const.Text, PC: in.PC}})
	case op == classfile.Newarray, op == classfile.Anewarray, op == classfile.Multianewarray:
		x.newArray(in)
	case op == classfile.Athrow:
		e := x.pop()
		if x.nonNull(&e) {
			x.emit("exc = %s", x.convert(e, flow.Value{Kind: flow.Ref, Class: hierarchy.Throwable}))
			x.throw("")
		}
	case op == classfile.Checkcast:
		x.cast(in.Const.Text)
	case op == classfile.Instanceof:
		e := x.pop()
		x.result(flow.Value{Kind: flow.Bool}, x.isInstance(e, in.Const.Text))
	case op == classfile.Monitorenter:
		e := x.pop()
		return !x.nonNull(&e), nil
	case op == classfile.Monitorexit:
		x.pop()
	default:
		return false, x.unsupported("the instruction %v", in.Op)
	}
	return false, nil
}

// touchHere notes that the static initializer of a class runs here at the latest.
func (x *method) touchHere(class string) {
	x.touch(class)
	x.inits = append(x.inits, class)
}

func intExpr(v int64) expr {
	k := flow.Int
	if v == 0 || v == 1 {
		k = flow.Bit
	}
	return expr{text: strconv.FormatInt(v, 10), goT: "int32", value: flow.Value{Kind: k}, known: &special{integer: &v}}
}

func (x *method) constant(in *classfile.Instr) error {
	num := func(kind flow.Kind, goT, text string) {
		x.push(expr{text: text, goT: goT, value: flow.Value{Kind: kind}})
	}
	switch op := in.Op; {
	case op == classfile.AconstNull:
		x.push(expr{text: "nil", goT: "Object", value: flow.Value{Kind: flow.Null}})
	case op < 9 || op == classfile.Bipush || op == classfile.Sipush:
		x.push(intExpr(in.Int))
	case op < 11:
		num(flow.Long, "int64", strconv.FormatInt(in.Int, 10))
	case op < 14:
		num(flow.Float, "float32", real(in.Float))
	case op < 16:
		num(flow.Double, "float64", real(in.Float))
	default:
		c := in.Const
		switch c.Tag {
		case classfile.TagInteger:
			e := intExpr(c.Int)
			e.value.Kind = flow.Int
			x.push(e)
		case classfile.TagLong:
			num(flow.Long, "int64", strconv.FormatInt(c.Int, 10))
		case classfile.TagFloat:
			num(flow.Float, "float32", real(c.Float))
			if s := x.stack[len(x.stack)-1].text; strings.Contains(s, "zeroReal") {
				x.stack[len(x.stack)-1].text = "float32(" + s + ")"
			}
		case classfile.TagDouble:
			num(flow.Double, "float64", real(c.Float))
		case classfile.TagString:
			x.push(expr{text: x.textConstant(c.Text), goT: "*String", value: flow.Value{Kind: flow.Ref, Class: "java/lang/String"}, nonnull: true, known: &special{text: &c.Text}})
		case classfile.TagClass:
			x.push(x.classExpr(c.Text))
		case classfile.TagDynamic:
			return x.unsupported("a dynamic constant")
		default:
			return x.unsupported("a constant of kind %v", c.Tag)
		}
	}
	return nil
}

func (x *method) classExpr(class string) expr {
	return expr{text: x.classConstant(class), goT: "*Class", value: flow.Value{Kind: flow.Ref, Class: "java/lang/Class"}, nonnull: true}
}

// textConstant is the variable of a string constant.
func (u *unit) textConstant(s string) string {
	u.texts.add(s)
	short := s
	if len(short) > 20 {
		short = short[:20]
	}
	return u.names.unique("text", s, "text_"+short)
}

func (u *unit) classConstant(class string) string {
	if goT := u.prelude.classes[class]; goT != "" && class != hierarchy.Object && class != hierarchy.Throwable {
		return strings.ToLower(goT[:1]) + goT[1:] + "Class"
	}
	u.classes.add(class)
	return u.names.unique("class object", class, "class_"+simple(class))
}

// real is a floating point constant in Go.
func real(v float64) string {
	switch {
	case math.IsNaN(v):
		return "(zeroReal / zeroReal)"
	case math.IsInf(v, 1):
		return "(1 / zeroReal)"
	case math.IsInf(v, -1):
		return "(-1 / zeroReal)"
	case v == 0 && math.Signbit(v):
		return "(-zeroReal)"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// operand is an entry of the stack as a variable of a numeric type, so that Go does not compute with constants.
func (x *method) operand(e expr, kind flow.Kind) string {
	v := flow.Value{Kind: kind}
	text := x.convert(e, v)
	if x.types[text] != "" {
		return text
	}
	t := x.temp(x.goValue(v, x.receiver))
	x.emit("%s = %s", t, text)
	return t
}

var binary = [...]string{"+", "-", "*", "/", "%"}

func (x *method) arithmetic(in *classfile.Instr) (bool, error) {
	op := in.Op
	kinds := [...]flow.Kind{flow.Int, flow.Long, flow.Float, flow.Double}
	switch {
	case op < 116:
		k := kinds[(op-classfile.Iadd)%4]
		b0 := x.pop()
		b, a := x.operand(b0, k), x.operand(x.pop(), k)
		sign := binary[(op-classfile.Iadd)/4]
		if n, err := strconv.ParseInt(b0.text, 10, 32); err == nil && k == flow.Int && (sign == "+" || sign == "-") {
			x.noWrap(a, "int32", map[string]int64{"+": n, "-": -n}[sign])
		}
		if op >= 108 && k <= flow.Long {
			x.check(b+" == 0", arithmetic)
		}
		text := a + " " + sign + " " + b
		switch {
		case sign == "%" && k == flow.Float:
			text = "float32(remFloat(float64(" + a + "), float64(" + b + ")))"
		case sign == "%" && k == flow.Double:
			text = "remFloat(" + a + ", " + b + ")"
		}
		x.result(flow.Value{Kind: k}, text)
	case op < 120:
		k := kinds[(op-116)%4]
		x.result(flow.Value{Kind: k}, "-"+x.operand(x.pop(), k))
	case op < 126:
		k := [...]flow.Kind{flow.Int, flow.Long}[op%2]
		n, a := x.operand(x.pop(), flow.Int), x.operand(x.pop(), k)
		bits := [...]string{"31", "63"}[op%2]
		switch {
		case op < 122:
			x.result(flow.Value{Kind: k}, fmt.Sprintf("%s << uint32(%s&%s)", a, n, bits))
		case op < 124:
			x.result(flow.Value{Kind: k}, fmt.Sprintf("%s >> uint32(%s&%s)", a, n, bits))
		case k == flow.Int:
			x.result(flow.Value{Kind: k}, fmt.Sprintf("int32(uint32(%s) >> uint32(%s&31))", a, n))
		default:
			x.result(flow.Value{Kind: k}, fmt.Sprintf("int64(uint64(%s) >> uint32(%s&63))", a, n))
		}
	case op < classfile.Iinc:
		x.bitwise(op)
	case op < classfile.Lcmp:
		x.number(op)
	default:
		x.compare(op)
	}
	return false, nil
}

func (x *method) bitwise(op classfile.Op) {
	sign := [...]string{"&", "|", "^"}[(op-126)/2]
	b, a := x.pop(), x.pop()
	k := [...]flow.Kind{flow.Int, flow.Long}[op%2]
	if k == flow.Int && a.value.Kind <= flow.Bool && b.value.Kind <= flow.Bool && (a.value.Kind == flow.Bool || b.value.Kind == flow.Bool) {
		v := flow.Value{Kind: flow.Bool}
		sign = [...]string{"&&", "||", "!="}[(op-126)/2]
		x.result(v, x.convert(a, v)+" "+sign+" "+x.convert(b, v))
		return
	}
	x.result(flow.Value{Kind: k}, x.operand(a, k)+" "+sign+" "+x.operand(b, k))
}

// number translates conversions between numbers.
func (x *method) number(op classfile.Op) {
	from := [...]flow.Kind{flow.Int, flow.Int, flow.Int, flow.Long, flow.Long, flow.Long, flow.Float, flow.Float, flow.Float, flow.Double, flow.Double, flow.Double, flow.Int, flow.Int, flow.Int}[op-classfile.I2l]
	form := [...]string{"int64(%s)", "float32(%s)", "float64(%s)", "int32(%s)", "float32(%s)", "float64(%s)",
		"toInt(float64(%s))", "toLong(float64(%s))", "float64(%s)", "toInt(%s)", "toLong(%s)", "float32(%s)", "int32(int8(%s))", "int32(uint16(%s))", "int32(int16(%s))"}[op-classfile.I2l]
	to := [...]flow.Kind{flow.Long, flow.Float, flow.Double, flow.Int, flow.Float, flow.Double, flow.Int, flow.Long, flow.Double, flow.Int, flow.Long, flow.Float, flow.Int, flow.Int, flow.Int}[op-classfile.I2l]
	x.result(flow.Value{Kind: to}, fmt.Sprintf(form, x.operand(x.pop(), from)))
}

func (x *method) compare(op classfile.Op) {
	k := [...]flow.Kind{flow.Long, flow.Float, flow.Float, flow.Double, flow.Double}[op-classfile.Lcmp]
	b, a := x.operand(x.pop(), k), x.operand(x.pop(), k)
	for _, text := range []*string{&a, &b} {
		if strings.HasPrefix(*text, "l") { // a local may change before the comparison is used
			t := x.temp(x.types[*text])
			x.emit("%s = %s", t, *text)
			*text = t
		}
	}
	c := &comparison{a: a, b: b, nan: [...]int{0, -1, 1, -1, 1}[op-classfile.Lcmp]}
	text := fmt.Sprintf("compareFloats(%s, %s, %d)", a, b, c.nan)
	if k == flow.Long {
		text = fmt.Sprintf("compareLongs(%s, %s)", a, b)
	}
	e := x.result(flow.Value{Kind: flow.Int}, text)
	e.known = &special{compare: c}
}

var relations = [...]string{"==", "!=", "<", ">=", ">", "<="}

// condition is the Go condition of a conditional jump, whose operands it pops.
func (x *method) condition(in *classfile.Instr) string {
	op := in.Op
	switch {
	case op == classfile.Ifnull || op == classfile.Ifnonnull:
		e := x.pop()
		is := op == classfile.Ifnull
		switch {
		case e.value.Kind == flow.Null:
			return strconv.FormatBool(is)
		case e.nonnull || e.value.This:
			return strconv.FormatBool(!is)
		}
		return e.text + map[bool]string{true: " == nil", false: " != nil"}[is]
	case op >= 165: // if_acmpeq, if_acmpne
		b, a := x.pop(), x.pop()
		text := x.same(a, b)
		if op == classfile.IfAcmpne {
			return "!(" + text + ")"
		}
		return text
	case op >= 159:
		b, a := x.pop(), x.pop()
		rel := relations[op-159]
		if a.value.Kind == flow.Bool && b.value.Kind <= flow.Bool && op < 161 {
			v := flow.Value{Kind: flow.Bool}
			return x.convert(a, v) + " " + rel + " " + x.convert(b, v)
		}
		v := flow.Value{Kind: flow.Int}
		return x.convert(a, v) + " " + rel + " " + x.convert(b, v)
	}
	e, rel := x.pop(), relations[op-classfile.Ifeq]
	if e.known != nil && e.known.compare != nil {
		c := e.known.compare
		holds := map[string]bool{"!=": true, "<": c.nan < 0, "<=": c.nan < 0, ">": c.nan > 0, ">=": c.nan > 0}[rel]
		if c.nan != 0 && holds && rel != "!=" {
			opposite := map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">"}[rel]
			return fmt.Sprintf("!(%s %s %s)", c.a, opposite, c.b)
		}
		return c.a + " " + rel + " " + c.b
	}
	if e.value.Kind == flow.Bool && rel == "==" {
		return "!(" + e.text + ")"
	}
	if e.value.Kind == flow.Bool && rel == "!=" {
		return e.text
	}
	return x.convert(e, flow.Value{Kind: flow.Int}) + " " + rel + " 0"
}

func (x *method) branch(in *classfile.Instr) {
	text := x.condition(in)
	x.emit("if %s {", text)
	x.edge(in.Target, x.stack)
	x.emit("}")
}

// same is the condition that two references are equal.
func (x *method) same(a, b expr) string {
	if a.value.Kind == flow.Null {
		a, b = b, a
	}
	switch {
	case a.value.Kind == flow.Null:
		return "true"
	case b.value.Kind == flow.Null:
		return a.text + " == nil"
	case a.value.This && b.value.This:
		return "true"
	case a.goT == b.goT && a.goT != "error":
		if x.isBox(a.value.Class) {
			return fmt.Sprintf("(%s == %s || %s != nil && %s != nil && %s.v == %s.v && sameBox(true))", a.text, b.text, a.text, b.text, a.text, b.text)
		}
		return a.text + " == " + b.text
	case a.goT == "error" && b.goT == "error":
		return a.text + " == " + b.text
	}
	o := flow.Value{Kind: flow.Ref, Class: hierarchy.Object}
	return "Object(" + x.convert(a, o) + ") == Object(" + x.convert(b, o) + ")"
}

func (x *method) isBox(class string) bool {
	switch class {
	case "java/lang/Integer", "java/lang/Long", "java/lang/Short", "java/lang/Byte", "java/lang/Character", "java/lang/Float", "java/lang/Double":
		return true
	}
	return false
}

// choose translates a switch.
func (x *method) choose(in *classfile.Instr) {
	e := x.pop()
	if e.known != nil && e.known.hashOf != nil && x.chooseText(in, *e.known.hashOf) {
		return
	}
	x.emit("switch %s {", x.operand(e, flow.Int))
	for _, c := range in.Cases {
		if c.Target == in.Target {
			continue
		}
		x.emit("case %d:", c.Key)
		x.edge(c.Target, x.stack)
	}
	x.emit("default:")
	x.edge(in.Target, x.stack)
	x.emit("}")
}

// leave translates the return instructions.
func (x *method) leave(op classfile.Op) {
	if op == classfile.Return {
		x.emit("return nil")
		return
	}
	x.emit("return nil, %s", x.convertType(x.pop(), x.method().Type.Result))
}

// maxStep is the largest step of a counter.
const maxStep = 16

// noWrap takes for granted that counting does not overflow.
func (x *method) noWrap(a, goT string, step int64) {
	switch {
	case x.options.Errors == nil || step == 0 || step > maxStep || step < -maxStep:
	case step > 0:
		x.emit("if %s > %d { panic(%q) }", a, math.MaxInt32-step, overflows)
	default:
		x.emit("if %s < %d { panic(%q) }", a, math.MinInt32-step, overflows)
	}
}

// overflows is the panic of a counter that leaves its range, which is no error under study: no such run is looked at.
const overflows = "counters do not overflow"
