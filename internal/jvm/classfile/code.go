// SPDX-License-Identifier: Apache-2.0

package classfile

import "slices"

// Code is the body of a method.
type Code struct {
	Method    *Method
	MaxStack  int
	MaxLocals int
	Bytes     []byte
	Handlers  []Handler // in the order in which they are tried
	Lines     []Line    // sorted by Start
	Vars      []Var
	at        int // offset of Bytes in the file
	pool      *pool
}

// A Handler catches what instructions with Start <= pc < End throw.
type Handler struct {
	Start, End, PC int
	Class          string // "" catches everything
}

// A Line says that the code from Start on, up to the next one, is of a source line.
type Line struct{ Start, Line int }

// A Var says that a local holds a variable of the source in Start <= pc < End.
type Var struct {
	Start, End, Local int
	Name              string
	Type              Type
}

// Line is the source line of an instruction, or 0.
func (c *Code) Line(pc int) int {
	k, found := slices.BinarySearchFunc(c.Lines, pc, func(l Line, pc int) int { return l.Start - pc })
	if !found {
		k--
	}
	if k < 0 {
		return 0
	}
	return c.Lines[k].Line
}

// Var is the name of the variable that a local holds at an instruction, or "". A store
// makes the variable that begins behind it: pass the pc of the next instruction.
func (c *Code) Var(pc, local int) string {
	for _, v := range c.Vars {
		if v.Local == local && v.Start <= pc && pc < v.End {
			return v.Name
		}
	}
	return ""
}

func (r *reader) code(p *pool, m *Method) *Code {
	c := &Code{Method: m, MaxStack: int(r.u2()), MaxLocals: int(r.u2()), pool: p}
	at := r.offset()
	n := int(r.u4())
	if r.err == nil && (n == 0 || n >= 1<<16) {
		r.fail(at, "the body of %s has %d bytes", m.Name, n)
	}
	c.at = r.offset()
	c.Bytes = r.take(n)
	for range r.count("handlers", 8) {
		at := r.offset()
		h := Handler{Start: int(r.u2()), End: int(r.u2()), PC: int(r.u2()), Class: r.class(p, at, r.u2(), true)}
		if r.err == nil && (h.Start >= h.End || h.End > n || h.PC >= n) {
			r.fail(at, "a handler of %s lies outside of the code", m.Name)
		}
		c.Handlers = append(c.Handlers, h)
	}
	r.attributes(p, "the body of "+m.Name, func(name string, a *reader) bool {
		switch name {
		case "LineNumberTable": // several may exist
			for range a.count("lines", 4) {
				c.Lines = append(c.Lines, Line{int(a.u2()), int(a.u2())})
			}
		case "LocalVariableTable":
			for range a.count("variables", 10) {
				a.variable(p, c)
			}
		default:
			return false
		}
		return true
	})
	slices.SortStableFunc(c.Lines, func(a, b Line) int { return a.Start - b.Start })
	return c
}

func (r *reader) variable(p *pool, c *Code) {
	at := r.offset()
	start, length := int(r.u2()), int(r.u2())
	v := Var{Start: start, End: start + length, Name: r.text(p, at, r.u2())}
	descriptor := r.text(p, at, r.u2())
	v.Local = int(r.u2())
	var ok bool
	if v.Type, ok = ParseType(descriptor); r.err == nil && (!ok || v.End > len(c.Bytes) || v.Local >= c.MaxLocals) {
		r.fail(at, "variable %q of type %q in local %d lies outside of the code", v.Name, descriptor, v.Local)
	}
	c.Vars = append(c.Vars, v)
}
