// SPDX-License-Identifier: Apache-2.0

package translate

// This file translates the blocks of a method: variables, the operand stack, edges, exceptions.

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// An expr is an entry of the operand stack: a Go expression without effects.
type expr struct {
	text    string
	goT     string
	value   flow.Value
	nonnull bool
	local   string   // the variable that it reads, if it is one for a local
	known   *special // what is known about it besides
}

// A line is one line of Go with the line of the Java source.
type line struct {
	line int
	text string
}

// A method is a copy in translation.
type method struct {
	*unit
	*translated
	body     *flow.Body
	params   []string
	locals   []flow.Value // types now
	stack    []expr
	out      []line
	blocks   [][]line
	prologue []line
	line     int
	pc       int
	vars     []string // declarations, by name
	types    map[string]string
	slots    map[string]string
	temps    int
	nonnull  map[string]bool
	queue    list[int]
	failed   error
	callee   string // the call whose exception leads on
}

func (u *unit) translate(t *translated) error {
	m := t.method
	if m.Code == nil && !u.isMade(m.Class.Name) {
		reason := "native"
		if m.Is(classfile.Abstract) {
			reason = "abstract"
		}
		u.declareBodyless(t, reason)
		return nil
	}
	x := &method{unit: u, translated: t, types: map[string]string{}, slots: map[string]string{}, params: parameterNames(m)}
	var err error
	if x.body, err = u.body(m); err != nil {
		return u.refuse(err, m)
	}
	x.blocks = make([][]line, len(x.body.Blocks))
	x.enter()
	x.jump(0)
	for k := 0; k < len(x.queue.all); k++ {
		if err := x.block(x.body.Blocks[x.queue.all[k]]); err != nil {
			return err
		}
	}
	t.text = x.assemble()
	return nil
}

// refuse turns an error about the code into one about a construct.
func (u *unit) refuse(err error, m *classfile.Method) error {
	if s, ok := err.(*classfile.SubroutineError); ok {
		return &Unsupported{Method: m.String(), Line: m.Code.Line(s.PC), Construct: "a subroutine (jsr, ret)"}
	}
	return err
}

func (x *method) unsupported(format string, args ...any) error {
	return &Unsupported{Method: x.method().String(), Line: x.line, Construct: fmt.Sprintf(format, args...)}
}

// fail refuses the method where no error can be given.
func (x *method) fail(format string, args ...any) {
	if x.failed == nil {
		x.failed = x.unsupported(format, args...)
	}
}

func (x *method) method() *classfile.Method { return x.translated.method }

// parameterNames are the names of the source, where class files have them, as Go names with a prefix.
func parameterNames(m *classfile.Method) []string {
	out := make([]string, len(m.Type.Params))
	local := 0
	if !m.Is(classfile.Static) {
		local = 1
	}
	used := map[string]bool{}
	for k, p := range m.Type.Params {
		name := ""
		if m.Code != nil {
			name = m.Code.Var(0, local)
		}
		if name == "" && len(m.Params) == len(out) {
			name = m.Params[k].Name
		}
		if name == "" {
			name = fmt.Sprintf("arg%d", k)
		}
		name = strings.TrimSuffix(identifier(name), "_x")
		for used[name] {
			name += "_"
		}
		used[name] = true
		out[k] = "p_" + name
		local += p.Slots()
	}
	return out
}

// emit adds lines to the current block.
func (x *method) emit(format string, args ...any) {
	x.out = append(x.out, line{x.line, fmt.Sprintf(format, args...)})
}

// variable declares a variable once.
func (x *method) variable(name, goT string) string {
	if _, ok := x.types[name]; !ok {
		x.types[name] = goT
		x.vars = append(x.vars, name)
	}
	return name
}

// temp is a new variable.
func (x *method) temp(goT string) string {
	x.temps++
	return x.variable(fmt.Sprintf("t%d", x.temps), goT)
}

// slot is the variable for a local ("l") or an entry of the stack ("s") of a Go type.
func (x *method) slot(kind string, k int, goT string) string {
	key := fmt.Sprintf("%s%d %s", kind, k, goT)
	if s, ok := x.slots[key]; ok {
		return s
	}
	name := fmt.Sprintf("%s%d", kind, k)
	for i := 2; x.types[name] != ""; i++ {
		name = fmt.Sprintf("%s%d_%d", kind, k, i)
	}
	x.slots[key] = name
	return x.variable(name, goT)
}

func (x *method) push(e expr) { x.stack = append(x.stack, e) }

func (x *method) pop() expr {
	e := x.stack[len(x.stack)-1]
	x.stack = x.stack[:len(x.stack)-1]
	return e
}

func (x *method) popN(n int) []expr {
	out := slices.Clone(x.stack[len(x.stack)-n:])
	x.stack = x.stack[:len(x.stack)-n]
	return out
}

// result pushes the value of a Go expression, which it computes now.
func (x *method) result(v flow.Value, text string) *expr {
	goT := x.goValue(v, x.receiver)
	t := x.temp(goT)
	x.emit("%s = %s", t, text)
	x.push(expr{text: t, goT: goT, value: v})
	return &x.stack[len(x.stack)-1]
}

// load pushes a local.
func (x *method) load(k int) {
	v := x.locals[k]
	e := expr{goT: x.goValue(v, x.receiver), value: v}
	switch {
	case v.This:
		e.text, e.nonnull = "this", true
	case v.Kind == flow.Null:
		e.text, e.goT = "nil", "Object"
	case v.Kind == flow.Fresh:
	default:
		e.text = x.slot("l", k, e.goT)
		e.local = e.text
		e.nonnull = x.nonnull[e.text]
	}
	x.push(e)
}

// store sets a local. What the stack has of its old value is saved before.
func (x *method) store(k int, e expr) {
	v := e.value
	if v.Kind != flow.Null && v.Kind != flow.Fresh && !v.This {
		goT := x.goValue(v, x.receiver)
		name := x.slot("l", k, goT)
		x.save(name)
		if text := x.convert(e, v); text != name {
			x.emit("%s = %s", name, text)
		}
		x.nonnull[name] = e.nonnull
	}
	f := &flow.Frame{Locals: x.locals}
	f.SetLocal(k, v)
}

// save copies entries of the stack that read a variable which is about to change.
func (x *method) save(name string) {
	for k := range x.stack {
		if e := &x.stack[k]; e.local == name {
			t := x.temp(e.goT)
			x.emit("%s = %s", t, e.text)
			e.text, e.local = t, ""
		}
	}
}

// jump is the statement that goes to a block.
func (x *method) jump(block int) string {
	x.queue.add(block)
	return fmt.Sprintf("goto b%d", block)
}

// edge gives the lines that lead to a block with the current locals and a stack.
func (x *method) edge(pc int, stack []expr) {
	b := x.body.At(pc)
	var dest, src []string
	for k, v := range b.In.Stack {
		goT := x.goValue(v, x.receiver)
		if goT == "" || v.This {
			continue
		}
		d := x.slot("s", k, goT)
		if s := x.convert(stack[k], v); s != d {
			dest, src = append(dest, d), append(src, s)
		}
	}
	for k, s := range src { // a slot of the stack that is read after it is written
		for j := range k {
			if mentions(s, dest[j]) {
				t := x.temp(x.types[dest[k]])
				x.emit("%s = %s", t, s)
				src[k] = t
				break
			}
		}
	}
	// Copies to temporaries stand after earlier conversions and before all assignments.
	for k := range dest {
		x.emit("%s = %s", dest[k], src[k])
	}
	for k, v := range b.In.Locals {
		goT := x.goValue(v, x.receiver)
		have := x.locals[k]
		if goT == "" || v.This || k >= len(x.locals) {
			continue
		}
		x.load(k)
		e := x.pop()
		d := x.slot("l", k, goT)
		if have.Kind == flow.Null {
			x.emit("%s = nil", d)
		} else if s := x.convert(e, v); s != d {
			x.emit("%s = %s", d, s)
		}
	}
	x.emit("%s", x.jump(b.Index))
}

// mentions reports whether a variable occurs in an expression.
func mentions(text, name string) bool {
	for from := 0; ; {
		k := strings.Index(text[from:], name)
		if k < 0 {
			return false
		}
		k += from
		from = k + len(name)
		if (k == 0 || !identRune(text[k-1])) && (from == len(text) || !identRune(text[from])) {
			return true
		}
	}
}

func identRune(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// block translates one block.
func (x *method) block(b *flow.Block) error {
	x.out, x.nonnull = nil, map[string]bool{}
	x.locals = slices.Clone(b.In.Locals)
	x.stack = nil
	for k, v := range b.In.Stack {
		e := expr{value: v, goT: x.goValue(v, x.receiver)}
		switch {
		case v.This:
			e.text, e.nonnull = "this", true
		case v.Kind == flow.Null:
			e.text, e.goT = "nil", "Object"
		case e.goT != "":
			e.text = x.slot("s", k, e.goT)
		}
		x.push(e)
	}
	ended := false
	for k := b.Start; k < b.End && !ended; k++ {
		in := &x.body.Code[k]
		x.pc = in.PC
		if x.method().Code != nil {
			if n := x.method().Code.Line(in.PC); n > 0 {
				x.line = n
			}
		}
		var err error
		if ended, err = x.instr(in); err != nil {
			return err
		}
		if x.failed != nil {
			return x.failed
		}
	}
	if last := &x.body.Code[b.End-1]; !ended && !last.Ends() {
		x.edge(last.Next, x.stack)
	}
	x.blocks[b.Index] = x.out
	return x.failed
}

// enter copies the parameters to their locals.
func (x *method) enter() {
	k := 0
	if !x.method().Is(classfile.Static) {
		k = 1
	}
	for i, p := range x.method().Type.Params {
		v := flow.OfType(p)
		goT := x.goValue(v, x.receiver)
		text := x.params[i]
		if x.goType(p) != goT {
			text = goT + "(" + text + ")"
		}
		x.emit("%s = %s", x.slot("l", k, goT), text)
		k += p.Slots()
	}
	x.prologue, x.out = x.out, nil
}

// throw leads on with the exception that is in exc. Exact is its class if that is known.
func (x *method) throw(exact string) {
	caught := x.body.Throwing(x.pc, func(h classfile.Handler) {
		entry := []expr{{text: "exc", goT: "error", value: flow.Value{Kind: flow.Ref, Class: hierarchy.Throwable}, nonnull: true}}
		if h.Class == "" || h.Class == hierarchy.Throwable {
			x.edge(h.PC, entry)
			return
		}
		x.mustBeThrowable(h.Class)
		x.handled.add(h.Class)
		if exact != "" && x.world.Class(exact) != nil && !x.world.Subtype(exact, h.Class) {
			return
		}
		x.emit("if _, ok := exc.(%s); ok {", x.interfaceName(h.Class))
		x.edge(h.PC, entry)
		x.emit("}")
	})
	if !caught {
		x.emit("return")
		if x.callee == "" {
			x.translated.throws = true
		} else {
			x.leaks = append(x.leaks, x.callee)
		}
	}
}

// check throws a new exception if a condition holds.
func (x *method) check(condition, class string) {
	if x.isInternal(class) {
		return
	}
	x.emit("if %s {", condition)
	x.emit("exc = &%s{}", x.siteType(class, "", true))
	x.throw(class)
	x.emit("}")
}

// exception is the struct of a class of exceptions that code makes.
func (x *method) exception(class string) string {
	x.mustBeThrowable(class)
	x.makeObject(class)
	return x.structName(class)
}

// nonNull checks that a reference is not null. It reports false if it always is.
func (x *method) nonNull(e *expr) bool {
	if e.value.Kind == flow.Null {
		x.emit("exc = &%s{}", x.siteType(nullPointer, "", true))
		x.throw(nullPointer)
		return false
	}
	if e.nonnull || e.value.This {
		return true
	}
	if !x.isParameter(e.local) && x.isInternal(nullPointer) {
		e.nonnull = true
		return true
	}
	x.emit("if %s == nil {", e.text)
	x.emit("exc = &%s{}", x.siteType(nullPointer, "", true))
	x.throw(nullPointer)
	x.emit("}")
	e.nonnull = true
	if x.types[e.text] != "" {
		x.nonnull[e.text] = true
		for k := range x.stack {
			if x.stack[k].text == e.text {
				x.stack[k].nonnull = true
			}
		}
	}
	return true
}

// Exceptions that instructions throw.
const (
	nullPointer  = "java/lang/NullPointerException"
	arrayIndex   = "java/lang/ArrayIndexOutOfBoundsException"
	arithmetic   = "java/lang/ArithmeticException"
	classCast    = "java/lang/ClassCastException"
	negativeSize = "java/lang/NegativeArraySizeException"
)

// assemble puts the text of the method together.
func (x *method) assemble() string {
	var b strings.Builder
	m := x.method()
	receiver := ""
	if x.receiver != "" {
		receiver = "(this *" + x.structName(x.receiver) + ") "
	}
	source := m.Class.Source
	if source == "" {
		source = simple(m.Class.Name) + ".class"
	}
	file := path.Join(m.Class.Package(), source)
	x.line = 0
	if m.Code != nil && len(m.Code.Lines) > 0 {
		x.line = m.Code.Lines[0].Line
	}
	put := func(n int, text string) {
		if n <= 0 {
			n = 1
		}
		fmt.Fprintf(&b, "//line %s:%d\n%s\n", file, n, text)
	}
	put(x.line, fmt.Sprintf("func %s%s%s {", receiver, x.goName, x.signature(m.Type, x.params)))
	for _, v := range x.vars {
		put(x.line, "var "+v+" "+x.types[v])
		put(x.line, "_ = "+v)
	}
	order := slices.Clone(x.queue.all)
	slices.Sort(order)
	for _, l := range x.prologue {
		put(x.line, l.text)
	}
	jumped := map[string]bool{}
	for k, n := range order {
		lines := x.blocks[n]
		if len(lines) > 0 && k+1 < len(order) && lines[len(lines)-1].text == fmt.Sprintf("goto b%d", order[k+1]) {
			x.blocks[n] = lines[:len(lines)-1]
		}
		for _, l := range x.blocks[n] {
			if at, ok := strings.CutPrefix(l.text, "goto "); ok {
				jumped[at] = true
			} else if k := strings.LastIndex(l.text, ": goto "); k >= 0 && strings.HasPrefix(l.text, "case") {
				jumped[l.text[k+len(": goto "):]] = true
			}
		}
	}
	for _, n := range order {
		if label := fmt.Sprintf("b%d", n); jumped[label] {
			put(x.line, label+":")
		}
		for _, l := range x.blocks[n] {
			put(l.line, l.text)
		}
	}
	put(x.line, "}")
	return b.String()
}

// isInternal reports whether an exception that an instruction throws would be a defect of the component: the client need not avoid it,
// and no handler of the method catches it. An analysis takes for granted that there is none.
func (x *method) isInternal(class string) bool {
	if x.options.Errors == nil || x.isAsked(class) || slices.ContainsFunc(x.options.Errors.Classes, func(c string) bool { return x.world.Subtype(c, class) }) {
		return false
	}
	caught := false
	x.body.Throwing(x.pc, func(h classfile.Handler) {
		caught = caught || h.Class != "" && x.world.Subtype(class, h.Class)
	})
	return !caught
}

// isParameter reports whether a variable is that of a parameter.
func (x *method) isParameter(local string) bool {
	if local == "" {
		return false
	}
	k := 0
	if !x.method().Is(classfile.Static) {
		k = 1
	}
	for _, p := range x.method().Type.Params {
		if p.Reference() && strings.HasPrefix(local, fmt.Sprintf("l%d", k)) && (len(local) == len(fmt.Sprintf("l%d", k)) || strings.HasPrefix(local, fmt.Sprintf("l%d_", k))) {
			return true
		}
		k += p.Slots()
	}
	return false
}
