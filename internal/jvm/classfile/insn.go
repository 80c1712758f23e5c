// SPDX-License-Identifier: Apache-2.0

package classfile

// This file decodes the instructions of a method.

import "fmt"

// An Instr is one instruction with its operands resolved. The short forms of
// loads and stores (aload_0) have their local, those of constants (iconst_1) their
// value, so that readers need to know only the general forms.
type Instr struct {
	PC, Next int // where it is, and where the next one is
	Op       Op
	Local    int       // of loads, stores, iinc
	Int      int64     // constant of iconst, lconst, bipush, sipush; of iinc; dimensions of multianewarray
	Float    float64   // of fconst, dconst
	Const    *Constant // operand from the constant pool, or nil
	Elem     Type      // of newarray
	Target   int       // of jumps, and the default of switches
	Cases    []Case    // of switches, by ascending keys
	Wide     bool      // it had the prefix wide
}

// A Case is one target of a switch.
type Case struct {
	Key    int32
	Target int
}

// A SubroutineError says that code has subroutines (jsr and ret), which compilers
// have not made since Java 6.
type SubroutineError struct {
	Method string
	PC     int
}

func (e *SubroutineError) Error() string {
	return fmt.Sprintf("%s: the instruction at %d is of a subroutine (jsr, ret); compile the class with Java 6 or later", e.Method, e.PC)
}

// Decode gives the instructions of a method, in order. Each jump and each handler
// leads to the beginning of one of them.
func (c *Code) Decode() ([]Instr, error) {
	r := &reader{data: c.Bytes, base: c.at}
	var out []Instr
	starts := make([]bool, len(c.Bytes)+1)
	for r.err == nil && r.rest() > 0 {
		in := Instr{PC: r.pos}
		starts[in.PC] = true
		if r.instr(c, &in); in.Op == Jsr || in.Op == JsrW || in.Op == Ret {
			return nil, &SubroutineError{c.Method.String(), in.PC}
		}
		in.Next = r.pos
		out = append(out, in)
	}
	target := func(from, to int, what string) {
		if r.err == nil && (to < 0 || to >= len(c.Bytes) || !starts[to]) {
			r.fail(c.at+from, "%s of %s leads to %d, where no instruction begins", what, c.Method.Name, to)
		}
	}
	for k := range out {
		in := &out[k]
		switch ops[in.Op].form {
		case jump, jumpWide:
			target(in.PC, in.Target, "a jump")
		case tableForm, lookupForm:
			target(in.PC, in.Target, "a switch")
			for _, s := range in.Cases {
				target(in.PC, s.Target, "a switch")
			}
		}
	}
	for _, h := range c.Handlers {
		if r.err == nil && (!starts[h.Start] || h.End < len(c.Bytes) && !starts[h.End]) {
			r.fail(c.at+h.Start, "a handler of %s covers a part of an instruction", c.Method.Name)
		}
		target(h.PC, h.PC, "a handler")
	}
	if r.err != nil {
		r.err.File = c.Method.Class.File
		return nil, r.err
	}
	return out, nil
}

func (r *reader) instr(c *Code, in *Instr) {
	at := r.offset()
	in.Op = Op(r.u1())
	if int(in.Op) >= len(ops) {
		r.fail(at, "method %s: there is no instruction %d", c.Method.Name, in.Op)
		in.Op = Nop
		return
	}
	switch ops[in.Op].form {
	case plain:
		in.short()
	case byteConst:
		in.Int = int64(int8(r.u1()))
	case shortConst:
		in.Int = int64(int16(r.u2()))
	case poolByte:
		in.Const = r.constant(c.pool, at, uint16(r.u1()), tagsOf(in.Op)...)
	case poolShort:
		in.Const = r.constant(c.pool, at, r.u2(), tagsOf(in.Op)...)
	case localByte:
		in.Local = int(r.u1())
	case increment:
		in.Local, in.Int = int(r.u1()), int64(int8(r.u1()))
	case jump:
		in.Target = in.PC + int(int16(r.u2()))
	case jumpWide:
		in.Target = in.PC + int(int32(r.u4()))
	case tableForm:
		r.table(c, in, at)
	case lookupForm:
		r.lookup(c, in, at)
	case interfaceForm:
		in.Const = r.constant(c.pool, at, r.u2(), tagsOf(in.Op)...)
		r.take(2) // a count that the type of the method gives, too, and a zero
	case dynamicForm:
		in.Const = r.constant(c.pool, at, r.u2(), tagsOf(in.Op)...)
		r.take(2)
	case arrayForm:
		code := r.u1()
		if in.Elem = elemTypes[code]; in.Elem == "" {
			r.fail(at, "method %s: newarray of the unknown type %d", c.Method.Name, code)
		}
	case multiForm:
		in.Const = r.constant(c.pool, at, r.u2(), tagsOf(in.Op)...)
		if in.Int = int64(r.u1()); in.Int == 0 {
			r.fail(at, "method %s: multianewarray of no dimensions", c.Method.Name)
		}
	case wideForm:
		r.wide(c, in, at)
	}
	r.checkLocal(c, in, at)
}

// wide reads what follows the prefix, whose local has two bytes.
func (r *reader) wide(c *Code, in *Instr, at int) {
	in.Wide, in.Op = true, Op(r.u1())
	if int(in.Op) >= len(ops) {
		in.Op = Nop
	}
	switch form := ops[in.Op].form; {
	case form == localByte:
		in.Local = int(r.u2())
	case form == increment:
		in.Local, in.Int = int(r.u2()), int64(int16(r.u2()))
	case in.Op == Ret:
	default:
		r.fail(at, "method %s: wide before an instruction without a local", c.Method.Name)
	}
}

// short fills in the operand that a short form has in its opcode.
func (in *Instr) short() {
	switch op := in.Op; {
	case op >= IconstM1 && op <= 8:
		in.Int = int64(op) - 3
	case op == 9 || op == 10: // lconst
		in.Int = int64(op) - 9
	case op >= 11 && op <= 13: // fconst
		in.Float = float64(op - 11)
	case op == 14 || op == 15: // dconst
		in.Float = float64(op - 14)
	case op >= Iload0 && op < Iaload:
		in.Local = int(op-Iload0) % 4
	case op >= Istore0 && op <= Astore3:
		in.Local = int(op-Istore0) % 4
	}
}

// General is the long form of a short load or store (aload for aload_0), and the opcode
// itself of all others.
func (o Op) General() Op {
	switch {
	case o >= Iload0 && o < Iaload:
		return Iload + (o-Iload0)/4
	case o >= Istore0 && o <= Astore3:
		return Istore + (o-Istore0)/4
	}
	return o
}

// usesLocal reports whether an instruction has a local.
func (o Op) usesLocal() bool {
	g := o.General()
	return g >= Iload && g <= Aload || g >= Istore && g <= Astore || g == Iinc
}

func (r *reader) checkLocal(c *Code, in *Instr, at int) {
	if !in.Op.usesLocal() {
		return
	}
	n := 1
	switch in.Op.General() {
	case Lload, Dload, Lstore, Dstore:
		n = 2
	}
	if r.err == nil && in.Local+n > c.MaxLocals {
		r.fail(at, "method %s: there is no local %d", c.Method.Name, in.Local)
	}
}

// pad skips to the next multiple of four from the beginning of the code.
func (r *reader) pad() { r.take((4 - r.pos%4) % 4) }

func (r *reader) table(c *Code, in *Instr, at int) {
	r.pad()
	in.Target = in.PC + int(int32(r.u4()))
	low, high := int64(int32(r.u4())), int64(int32(r.u4()))
	if r.err == nil && (low > high || (high-low+1)*4 > int64(r.rest())) {
		r.fail(at, "method %s: a switch from %d to %d does not fit", c.Method.Name, low, high)
		return
	}
	for k := low; r.err == nil && k <= high; k++ {
		in.Cases = append(in.Cases, Case{int32(k), in.PC + int(int32(r.u4()))})
	}
}

func (r *reader) lookup(c *Code, in *Instr, at int) {
	r.pad()
	in.Target = in.PC + int(int32(r.u4()))
	n := int64(int32(r.u4()))
	if r.err == nil && (n < 0 || n*8 > int64(r.rest())) {
		r.fail(at, "method %s: a switch of %d keys does not fit", c.Method.Name, n)
		return
	}
	for k := range n {
		s := Case{int32(r.u4()), in.PC + int(int32(r.u4()))}
		if k > 0 && r.err == nil && s.Key <= in.Cases[k-1].Key {
			r.fail(at, "method %s: the keys of a switch are not sorted", c.Method.Name)
		}
		in.Cases = append(in.Cases, s)
	}
}

// Ends reports whether execution never goes on behind an instruction.
func (in *Instr) Ends() bool {
	switch op := in.Op; {
	case op == Goto, op == GotoW, op == Athrow, op == Tableswitch, op == Lookupswitch:
		return true
	case op >= Ireturn && op <= Return:
		return true
	}
	return false
}

// Targets are where a jump or switch may lead, without the instruction behind it; a target may
// occur more than once.
func (in *Instr) Targets() []int {
	switch ops[in.Op].form {
	case jump, jumpWide:
		return []int{in.Target}
	case tableForm, lookupForm:
		out := []int{in.Target}
		for _, c := range in.Cases {
			out = append(out, c.Target)
		}
		return out
	}
	return nil
}

// MayThrow reports whether an instruction can throw as far as handlers are concerned.
// That monitorexit can is left out: compilers put it into the range of its own handler.
func (in *Instr) MayThrow() bool {
	switch op := in.Op; {
	case op >= Iaload && op <= Saload, op >= Iastore && op <= Sastore:
		return true
	case op == 108, op == 109, op == 112, op == 113: // idiv, ldiv, irem, lrem
		return true
	case op >= Getstatic && op <= Athrow, op == Checkcast, op == Instanceof, op == Monitorenter, op == Multianewarray:
		return true
	case op == Ldc, op == LdcW, op == Ldc2W:
		return in.Const != nil && (in.Const.Tag == TagClass || in.Const.Tag == TagDynamic || in.Const.Tag == TagMethodHandle || in.Const.Tag == TagMethodType)
	}
	return false
}
