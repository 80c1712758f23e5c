// SPDX-License-Identifier: Apache-2.0

package flow

// This file finds the blocks of a method and the types before them.

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// A Body is the code of a method in blocks.
type Body struct {
	Method   *classfile.Method
	Code     []classfile.Instr
	Handlers []classfile.Handler
	Blocks   []*Block // by ascending positions
	index    map[int]int
	world    *hierarchy.World
}

// A Block is instructions that run one after the other.
type Block struct {
	Index      int    // in Body.Blocks
	Start, End int    // of Body.Code
	In         *Frame // nil: unreachable
}

// An Error says that code has no consistent types.
type Error struct {
	Method string
	PC     int
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: instruction at %d: %s", e.Method, e.PC, e.Reason)
}

// Analyse decodes a method that has a body and infers its types.
func Analyse(w *hierarchy.World, m *classfile.Method) (*Body, error) {
	code, err := m.Code.Decode()
	if err != nil {
		return nil, err
	}
	if _, err := m.Code.Heights(code); err != nil {
		return nil, err
	}
	return New(w, m, code, m.Code.Handlers, m.Code.MaxLocals)
}

// New infers types for code that was made in place of that of a method.
func New(w *hierarchy.World, m *classfile.Method, code []classfile.Instr, handlers []classfile.Handler, locals int) (*Body, error) {
	b := &Body{Method: m, Code: code, Handlers: handlers, world: w, index: make(map[int]int, len(code))}
	for k := range code {
		b.index[code[k].PC] = k
	}
	b.divide()
	if err := b.infer(locals); err != nil {
		return nil, err
	}
	return b, nil
}

// At is the block that begins at a position in the code.
func (b *Body) At(pc int) *Block {
	k, _ := slices.BinarySearchFunc(b.Blocks, pc, func(x *Block, pc int) int { return b.Code[x.Start].PC - pc })
	return b.Blocks[k]
}

func (b *Body) divide() {
	leader := make([]bool, len(b.Code)+1)
	mark := func(pc int) {
		if k, ok := b.index[pc]; ok {
			leader[k] = true
		}
	}
	leader[0] = true
	for k := range b.Code {
		in := &b.Code[k]
		targets := in.Targets()
		for _, t := range targets {
			mark(t)
		}
		if len(targets) > 0 || in.Ends() {
			leader[k+1] = true
		}
	}
	for _, h := range b.Handlers {
		mark(h.Start)
		mark(h.End)
		mark(h.PC)
	}
	for k := 0; k < len(b.Code); {
		end := k + 1
		for end < len(b.Code) && !leader[end] {
			end++
		}
		b.Blocks = append(b.Blocks, &Block{Index: len(b.Blocks), Start: k, End: end})
		k = end
	}
}

// Entry is the frame at the beginning of a method.
func Entry(m *classfile.Method, locals int) *Frame {
	f := &Frame{Locals: make([]Value, locals+1)} // one more, for the second half of the last
	k := 0
	if !m.Is(classfile.Static) {
		f.Locals[0] = Value{Kind: Ref, Class: m.Class.Name, This: true}
		k = 1
	}
	for _, p := range m.Type.Params {
		f.Locals[k] = OfType(p)
		k += p.Slots()
	}
	return f
}

// Throwing calls f for each handler that may catch what the instruction at a position throws, in the order of
// the table, up to the first that catches everything. It reports whether there is one.
func (b *Body) Throwing(pc int, f func(h classfile.Handler)) bool {
	for _, h := range b.Handlers {
		if h.Start <= pc && pc < h.End {
			f(h)
			if h.Class == "" || h.Class == hierarchy.Throwable {
				return true
			}
		}
	}
	return false
}

func (b *Body) infer(locals int) error {
	b.Blocks[0].In = Entry(b.Method, locals)
	queued := make([]bool, len(b.Blocks))
	work := []int{0}
	queued[0] = true
	flow := func(from, to int, f *Frame) error {
		t := b.At(to)
		changed := t.In == nil
		if changed {
			t.In = f.Clone()
		} else {
			var ok bool
			if changed, ok = t.In.merge(b.world, f); !ok {
				return &Error{b.Method.String(), from, fmt.Sprintf("the stack has %d entries on one way to %d and %d on another", len(f.Stack), to, len(t.In.Stack))}
			}
		}
		if changed && !queued[t.Index] {
			queued[t.Index] = true
			work = append(work, t.Index)
		}
		return nil
	}
	for len(work) > 0 {
		x := b.Blocks[work[0]]
		work = work[1:]
		queued[x.Index] = false
		if err := b.run(x, flow); err != nil {
			return err
		}
	}
	return nil
}

func (b *Body) run(x *Block, flow func(from, to int, f *Frame) error) error {
	f := x.In.Clone()
	for k := x.Start; k < x.End; k++ {
		in := &b.Code[k]
		if in.MayThrow() {
			var err error
			b.Throwing(in.PC, func(h classfile.Handler) {
				g := &Frame{Locals: f.Locals, Stack: []Value{{Kind: Ref, Class: caught(h)}}}
				if e := flow(in.PC, h.PC, g); e != nil && err == nil {
					err = e
				}
			})
			if err != nil {
				return err
			}
		}
		if err := b.step(f, in); err != nil {
			return err
		}
		for _, t := range in.Targets() {
			if err := flow(in.PC, t, f); err != nil {
				return err
			}
		}
	}
	if last := &b.Code[x.End-1]; !last.Ends() {
		return flow(last.PC, last.Next, f)
	}
	return nil
}

// caught is the class of what a handler catches.
func caught(h classfile.Handler) string {
	if h.Class == "" {
		return hierarchy.Throwable
	}
	return h.Class
}

// step applies an instruction to a frame.
func (b *Body) step(f *Frame, in *classfile.Instr) error {
	bad := func(format string, args ...any) error {
		return &Error{b.Method.String(), in.PC, in.Op.String() + ": " + fmt.Sprintf(format, args...)}
	}
	if Moves(in.Op) {
		s, ok := Shuffle(in.Op, f.Stack, Value.Wide)
		if !ok {
			return bad("the stack is too low")
		}
		f.Stack = s
		return nil
	}
	n := Arity(in)
	if n > len(f.Stack) {
		return bad("the stack has %d entries", len(f.Stack))
	}
	args := slices.Clone(f.Stack[len(f.Stack)-n:])
	f.Stack = f.Stack[:len(f.Stack)-n]
	switch op := in.Op.General(); {
	case op >= classfile.Istore && op <= classfile.Astore:
		f.SetLocal(in.Local, args[0])
		return nil
	case op == classfile.Iinc:
		f.SetLocal(in.Local, Value{Kind: Int})
		return nil
	case op == classfile.Invokespecial && in.Const.Member.Name == "<init>" && args[0].Kind == Fresh:
		Construct(f.Locals, args[0])
		Construct(f.Stack, args[0])
		return nil
	}
	v, ok, err := b.Result(in, args, f.Locals)
	if err != nil {
		return bad("%v", err)
	}
	if ok {
		f.Stack = append(f.Stack, v)
	}
	return nil
}

// Construct turns all entries of a new object into references, after its constructor.
func Construct(values []Value, made Value) {
	for k := range values {
		if values[k] == made {
			values[k] = Value{Kind: Ref, Class: made.Class}
		}
	}
}
