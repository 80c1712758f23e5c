// SPDX-License-Identifier: Apache-2.0

package fsp

// This file evaluates expressions, and enumerates the labels that a label stands for.

import (
	"slices"
	"strconv"
)

// A value is an integer or a label.
type value struct {
	n     int64
	label string
	text  bool // it is a label
}

func (v value) String() string {
	if v.text {
		return v.label
	}
	return strconv.FormatInt(v.n, 10)
}

// env binds variables; the innermost binding of a name counts.
type env struct {
	up    *env
	name  string
	value value
}

func (e *env) lookup(name string) (value, bool) {
	for ; e != nil; e = e.up {
		if e.name == name {
			return e.value, true
		}
	}
	return value{}, false
}

func (e *env) bind(name string, v value) *env {
	if name == "" {
		return e
	}
	return &env{e, name, v}
}

// Integers have 32 bits, as in LTSA; a range has at most so many members.
const (
	minInt   = -1 << 31
	maxInt   = 1<<31 - 1
	maxRange = 1 << 20
)

func (c *compiler) number(e *expr, in *env) int64 {
	v := c.eval(e, in)
	if v.text {
		c.fail(e.Pos, "a number is expected, and %q is a label", v.label)
	}
	return v.n
}

func (c *compiler) holds(e *expr, in *env) bool { return c.number(e, in) != 0 }

func boolean(b bool) value {
	if b {
		return value{n: 1}
	}
	return value{}
}

func (c *compiler) eval(e *expr, in *env) value {
	switch e.op {
	case "int":
		return value{n: e.n}
	case "name":
		return c.name(e, in)
	case "label":
		list := c.enumerate(e.set, in)
		if len(list) != 1 {
			c.fail(e.Pos, "one label is expected, and this is %d", len(list))
		}
		return value{label: list[0].label, text: true}
	case "count":
		return value{n: int64(len(c.enumerate(e.set, in)))}
	case "select":
		list := c.enumerate(e.set, in)
		k := c.number(e.args[0], in)
		if k < 0 || k >= int64(len(list)) {
			c.fail(e.Pos, "the set has %d elements, and there is no element %d", len(list), k)
		}
		return value{label: list[k].label, text: true}
	case "&&":
		return boolean(c.holds(e.args[0], in) && c.holds(e.args[1], in))
	case "||":
		return boolean(c.holds(e.args[0], in) || c.holds(e.args[1], in))
	case "!":
		return boolean(!c.holds(e.args[0], in))
	case "negate":
		return c.fits(e, -c.number(e.args[0], in))
	case "==", "!=":
		a, b := c.eval(e.args[0], in), c.eval(e.args[1], in)
		return boolean((a.String() == b.String()) == (e.op == "=="))
	}
	return c.arithmetic(e, c.number(e.args[0], in), c.number(e.args[1], in))
}

func (c *compiler) name(e *expr, in *env) value {
	if v, ok := in.lookup(e.name); ok {
		return v
	}
	if d := c.consts[e.name]; d != nil {
		if slices.Contains(c.evaluating, e.name) {
			c.fail(e.Pos, "the constant %s is defined by itself", e.name)
		}
		c.evaluating = append(c.evaluating, e.name)
		v := c.eval(d, nil)
		c.evaluating = c.evaluating[:len(c.evaluating)-1]
		return v
	}
	c.fail(e.Pos, "%s is neither a variable nor a constant here", e.name)
	return value{}
}

func (c *compiler) arithmetic(e *expr, a, b int64) value {
	switch e.op {
	case "<":
		return boolean(a < b)
	case "<=":
		return boolean(a <= b)
	case ">":
		return boolean(a > b)
	case ">=":
		return boolean(a >= b)
	case "+":
		return c.fits(e, a+b)
	case "-":
		return c.fits(e, a-b)
	case "*":
		return c.fits(e, a*b)
	case "&":
		return value{n: a & b}
	case "|":
		return value{n: a | b}
	case "^":
		return value{n: a ^ b}
	case "/", "%":
		if b == 0 {
			c.fail(e.Pos, "division by zero")
		}
		if e.op == "/" {
			return c.fits(e, a/b)
		}
		return value{n: a % b}
	case "<<", ">>":
		if b < 0 || b > 31 {
			c.fail(e.Pos, "a shift by %d", b)
		}
		if e.op == "<<" {
			return c.fits(e, a<<b)
		}
		return value{n: a >> b}
	}
	panic("fsp: operator " + e.op)
}

func (c *compiler) fits(e *expr, n int64) value {
	if n < minInt || n > maxInt {
		c.fail(e.Pos, "%d does not fit into 32 bits", n)
	}
	return value{n: n}
}

// bound is a label with what it binds.
type bound struct {
	label string
	env   *env
}

// enumerate lists the labels that a label stands for, in order.
func (c *compiler) enumerate(l *labels, in *env) []bound {
	list := []bound{{"", in}}
	for k := range l.parts {
		part := &l.parts[k]
		var next []bound
		for _, b := range list {
			for _, m := range c.members(part, b.env) {
				text := m.String()
				if b.label != "" {
					text = b.label + "." + text
				}
				e := b.env
				if part.kind != plainName {
					e = e.bind(part.name, m)
				}
				next = append(next, bound{text, e})
			}
		}
		if list = next; len(list) > maxRange {
			c.fail(l.Pos, "this stands for more than %d labels", maxRange)
		}
	}
	return list
}

// members are the values that one part stands for.
func (c *compiler) members(part *labelPart, in *env) []value {
	switch part.kind {
	case plainName:
		// A variable that holds a label stands for it only in brackets.
		return []value{{label: part.name, text: true}}
	case index:
		return []value{c.eval(part.lo, in)}
	case oneOf:
		var out []value
		for _, l := range c.elements(part.set, in) {
			out = append(out, value{label: l, text: true})
		}
		return out
	}
	lo, hi := c.interval(part, in)
	var out []value
	for n := lo; n <= hi; n++ {
		out = append(out, value{n: n})
	}
	return out
}

// interval is the ends of a range.
func (c *compiler) interval(part *labelPart, in *env) (lo, hi int64) {
	if part.lo.op == "range" {
		r := c.ranges[part.lo.name]
		lo, hi = c.number(r[0], in), c.number(r[1], in)
	} else {
		lo, hi = c.number(part.lo, in), c.number(part.hi, in)
	}
	if lo > hi {
		c.fail(part.Pos, "the range %d..%d is empty", lo, hi)
	}
	if hi-lo >= maxRange {
		c.fail(part.Pos, "the range %d..%d has more than %d members", lo, hi, maxRange)
	}
	return lo, hi
}

// elements are the labels of a set, each once, in order.
func (c *compiler) elements(s *labelSet, in *env) []string {
	var out []string
	if s.name != "" {
		d := c.sets[s.name]
		if d == nil || slices.Contains(c.evaluating, s.name) {
			c.fail(s.Pos, "the set %s is defined by itself", s.name)
		}
		c.evaluating = append(c.evaluating, s.name)
		out = c.elements(d, in)
		c.evaluating = c.evaluating[:len(c.evaluating)-1]
	}
	seen := map[string]bool{}
	for _, l := range s.elements {
		for _, b := range c.enumerate(l, in) {
			if !seen[b.label] {
				seen[b.label] = true
				out = append(out, b.label)
			}
		}
	}
	if s.minus != nil {
		without := c.elements(s.minus, in)
		out = slices.DeleteFunc(slices.Clone(out), func(l string) bool { return slices.Contains(without, l) })
	}
	return out
}
