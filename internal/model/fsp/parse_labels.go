// SPDX-License-Identifier: Apache-2.0

package fsp

// This file parses labels, sets of them, and expressions.

import "slices"

func (p *parser) isSet() bool {
	if p.is("{") {
		return true
	}
	_, ok := p.sets[p.peek().text]
	return ok && p.peek().kind == upper
}

// label reports whether a label begins here.
func (p *parser) label() bool { return p.peek().kind == lower || p.is("[") || p.isSet() }

func (p *parser) labels() *labels {
	l := &labels{Pos: p.peek().Pos}
	for {
		l.parts = append(l.parts, p.part())
		if !p.got(".") && !p.is("[") {
			return l
		}
	}
}

func (p *parser) part() labelPart {
	t := p.peek()
	switch {
	case t.kind == lower:
		if p.next(); t.text == "tau" {
			p.fail(t.Pos, "tau is the hidden action and cannot be written: hide an action with \\{...}")
		}
		return labelPart{Pos: t.Pos, kind: plainName, name: t.text}
	case p.isSet():
		return labelPart{Pos: t.Pos, kind: oneOf, set: p.difference()}
	case p.is("["):
		return p.brackets()
	}
	p.fail(t.Pos, "a label is expected, a set or an index, and not %v", t)
	return labelPart{}
}

// difference is a set, or one set less another.
func (p *parser) difference() *labelSet {
	s := *p.set()
	if p.got("\\") {
		s.minus = p.set()
	}
	return &s
}

func (p *parser) set() *labelSet {
	if p.is("{") {
		return p.braces()
	}
	name := p.upper("a set of labels")
	if _, ok := p.sets[name.text]; !ok {
		p.fail(name.Pos, "there is no set %s", name.text)
	}
	return &labelSet{Pos: name.Pos, name: name.text}
}

func (p *parser) braces() *labelSet {
	s := &labelSet{Pos: p.want("{", "before a set of labels").Pos}
	for !p.is("}") {
		s.elements = append(s.elements, p.labels())
		if !p.got(",") {
			break
		}
	}
	p.want("}", "behind a set of labels")
	return s
}

// brackets is [e], [lo..hi], [R], [S], or one of the last three behind a variable.
func (p *parser) brackets() labelPart {
	part := labelPart{Pos: p.want("[", "before an index").Pos, kind: index}
	bound := p.peek().kind == lower && p.tokens[p.at+1].kind == symbol && p.tokens[p.at+1].text == ":"
	if bound {
		part.name = p.next().text
		p.next()
	}
	_, isRange := p.ranges[p.peek().text]
	switch {
	case p.isSet():
		part.kind, part.set = oneOf, p.difference()
	case p.peek().kind == upper && isRange && p.tokens[p.at+1].text == "]":
		name := p.next()
		part.kind, part.lo = ranged, &expr{Pos: name.Pos, op: "range", name: name.text}
	default:
		part.lo = p.expression()
		if p.got("..") {
			part.kind, part.hi = ranged, p.expression()
		} else if bound {
			p.fail(p.peek().Pos, "the variable %s needs a range or a set", part.name)
		}
	}
	p.want("]", "behind an index")
	return part
}

// ranges1 is one or more indices in brackets.
func (p *parser) ranges1() *labels {
	l := &labels{Pos: p.peek().Pos}
	for p.is("[") || p.is(".") {
		p.got(".")
		l.parts = append(l.parts, p.brackets())
	}
	if len(l.parts) == 0 {
		p.fail(l.Pos, "a range is expected, as in [i:0..3], and not %v", p.peek())
	}
	return l
}

// precedence of operators, from the loosest.
var precedence = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (p *parser) expression() *expr { return p.binary(0) }

// simple is a sum: what defines a constant may be followed by ||, which then begins a
// composition.
func (p *parser) simple() *expr {
	return p.binary(slices.IndexFunc(precedence, func(ops []string) bool { return ops[0] == "+" }))
}

func (p *parser) binary(level int) *expr {
	if level == len(precedence) {
		return p.unary()
	}
	e := p.binary(level + 1)
	for {
		op := ""
		for _, o := range precedence[level] {
			if p.is(o) {
				op = o
			}
		}
		if op == "" {
			return e
		}
		t := p.next()
		e = &expr{Pos: t.Pos, op: op, args: []*expr{e, p.binary(level + 1)}}
	}
}

func (p *parser) unary() *expr {
	t := p.peek()
	switch {
	case p.got("+"):
		return p.unary()
	case p.got("-"):
		return &expr{Pos: t.Pos, op: "negate", args: []*expr{p.unary()}}
	case p.got("!"):
		return &expr{Pos: t.Pos, op: "!", args: []*expr{p.unary()}}
	case p.got("("):
		e := p.expression()
		p.want(")", "behind an expression")
		return e
	case p.got("'"):
		return &expr{Pos: t.Pos, op: "label", set: p.labels()}
	case p.got("#"):
		return &expr{Pos: t.Pos, op: "count", set: p.labels()}
	case p.got("@"):
		p.want("(", "behind @")
		e := &expr{Pos: t.Pos, op: "select", set: p.labels()}
		p.want(",", "behind the set")
		e.args = []*expr{p.expression()}
		p.want(")", "behind @(set, index")
		return e
	case t.kind == integer:
		p.next()
		return &expr{Pos: t.Pos, op: "int", n: t.n}
	case t.kind == lower || t.kind == upper:
		p.next()
		return &expr{Pos: t.Pos, op: "name", name: t.text}
	}
	p.fail(t.Pos, "an expression is expected, and not %v", t)
	return nil
}
