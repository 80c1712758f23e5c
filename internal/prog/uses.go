// SPDX-License-Identifier: Apache-2.0

package prog

// This file lets a component call another one by its interface instead of its
// code: "uses q from "q.json"" at the top of the text, and statements
// "q.m(args)" and "x = q.m(args)". They are rewritten in the syntax tree, before
// it is checked: the state of the interface becomes a state variable q (of an
// enum qState with the values q0, q1, ... and, if it must be constructed first,
// qNone), and a call becomes a case split over it. A call that the interface
// forbids is an error site of kind "protocol", one that it does not know one of
// kind "unknown-protocol", and outcomes are the environment's choice. So a
// program has no notion of interfaces, and neither has what reads programs.
//
// Constructors of the interface are called like methods. If there is only one,
// without arguments and with one target, it has been called at the start.

import (
	"fmt"
	"slices"
	"strings"
)

// A Used is an interface that a component calls instead of code.
type Used struct {
	States int
	Start  int // the state at the start; negative if a constructor must be called
	Calls  []UsedCall
	// Loose is set by Parse if a call takes a result where the interface does
	// not say which results can happen: all are tried.
	Loose bool
}

// A UsedCall is a call of a used interface.
type UsedCall struct {
	Method      string
	Constructor bool
	Params      []string
	Types       []string
	Guard       string
	Outcomes    []string
	Cells       []UsedCell // by state; one for a constructor
}

// A UsedCell is a call in a state: forbidden if Error is set, not known if
// Unknown is set, and otherwise allowed with the outcomes of Edges.
type UsedCell struct {
	Error, Unknown string
	Edges          []UsedEdge
}

// A UsedEdge says where an outcome leads; "*" is every outcome.
type UsedEdge struct {
	Outcome string
	To      int
}

// Kinds of the error sites of calls that an interface forbids, or does not know.
const (
	ProtocolKind        = "protocol"
	UnknownProtocolKind = "unknown-protocol"
)

// A usesDecl is "uses name from file".
type usesDecl struct {
	name *ident
	file string
	pos  Pos
}

// uses reads a declaration.
func (p *parser) uses(f *sourceFile) {
	d := &usesDecl{pos: p.advance().pos, name: p.varName("a name for the interface")}
	if !d.name.bare {
		p.failAt(d.name.pos, "expected a plain name for the interface, found %s", d.name.name)
	}
	p.expect("from", "and the interface file")
	if p.tok().kind != tokString {
		p.fail("expected the name of an interface file in double quotes, found %v", p.tok())
	}
	d.file = unquote(p.advance().text)
	f.uses = append(f.uses, d)
}

// atUse reports whether a call "q.m(" follows.
func (p *parser) atUse() bool {
	t := p.tok()
	return t.kind == tokName && len(t.segs) == 2 && p.peek().is("(")
}

// use reads a call "q.m(args)" whose results go to s.lhs.
func (p *parser) use(s *stmt) *stmt {
	s.kind, s.id = useStmt, p.anyName("a call")
	p.expect("(", "before arguments")
	for !p.tok().is(")") {
		s.rhs = append(s.rhs, p.expr())
		if !p.got(",") {
			break
		}
	}
	p.expect(")", "after the arguments")
	return s
}

// An expander rewrites the calls of used interfaces.
type expander struct {
	used  map[string]*Used
	temps int
	errs  ErrorList
}

// expand rewrites a file in place, and returns what is wrong with it.
func expand(f *sourceFile, load func(file string) (*Used, error)) ErrorList {
	x := &expander{used: map[string]*Used{}}
	for _, d := range f.uses {
		switch {
		case x.used[d.name.name] != nil:
			x.errorf(d.pos, "uses %s is declared twice", d.name.name)
			continue
		case load == nil:
			x.errorf(d.pos, "uses %s from %q: interface files cannot be read here", d.name.name, d.file)
			continue
		}
		u, err := load(d.file)
		if err != nil {
			x.errorf(d.pos, "uses %s from %q: %v", d.name.name, d.file, err)
			continue
		}
		x.used[d.name.name] = u
		enum := &enumDecl{name: plain(d.name.name+"State", d.pos)}
		for s := range u.States {
			enum.values = append(enum.values, plain(usedState(d.name.name, s), d.pos))
		}
		if u.Start < 0 || u.States == 0 {
			enum.values = append(enum.values, plain(usedState(d.name.name, -1), d.pos))
		}
		f.enums = append(f.enums, enum)
		f.state = append(f.state, &varDecl{name: d.name, typ: enum.name, init: name(usedState(d.name.name, u.Start), d.pos)})
	}
	for _, m := range f.methods {
		m.body = x.list(m.body)
	}
	return x.errs
}

func (x *expander) errorf(pos Pos, format string, args ...any) {
	x.errs = append(x.errs, &Error{pos, fmt.Sprintf(format, args...)})
}

func usedState(use string, s int) string {
	if s < 0 {
		return use + "None"
	}
	return fmt.Sprintf("%s%d", use, s)
}

func plain(text string, pos Pos) *ident { return &ident{text, []string{text}, true, pos} }

func name(text string, pos Pos) *expr { return &expr{kind: nameExpr, id: plain(text, pos), pos: pos} }

func (x *expander) list(list []*stmt) []*stmt {
	var out []*stmt
	for _, s := range list {
		if s.kind == useStmt {
			out = append(out, x.call(s)...)
			continue
		}
		s.body, s.els = x.list(s.body), x.list(s.els)
		for k := range s.alts {
			s.alts[k] = x.list(s.alts[k])
		}
		out = append(out, s)
	}
	return out
}

// call returns the statements of a call.
func (x *expander) call(s *stmt) []*stmt {
	use, method := s.id.segs[0], s.id.segs[1]
	u := x.used[use]
	if u == nil {
		x.errorf(s.pos, "%s.%s: there is no line \"uses %s from ...\"", use, method, use)
		return nil
	}
	var calls []*UsedCall
	for k := range u.Calls {
		if u.Calls[k].Method == method {
			calls = append(calls, &u.Calls[k])
		}
	}
	if len(calls) == 0 {
		x.errorf(s.pos, "the interface of %s has no method %s", use, method)
		return nil
	}
	first := calls[0]
	if len(s.rhs) != len(first.Params) {
		x.errorf(s.pos, "%s.%s has %d parameters, and %d arguments are given", use, method, len(first.Params), len(s.rhs))
		return nil
	}
	for k, id := range s.lhs {
		if slices.ContainsFunc(s.lhs[:k], func(o *ident) bool { return o.name == id.name }) {
			x.errorf(id.pos, "%s is assigned twice", id.name)
			return nil
		}
	}
	// Arguments are evaluated once, before the call.
	var out []*stmt
	temps := map[string]*ident{}
	for k, arg := range s.rhs {
		x.temps++
		t := &ident{name: fmt.Sprintf("%s.%s.%s%d", use, method, first.Params[k], x.temps), pos: s.pos}
		t.segs = []string{t.name}
		temps[first.Params[k]] = t
		out = append(out, &stmt{kind: varStmt, pos: s.pos, vars: []*varDecl{{name: t, typ: plain(first.Types[k], s.pos), init: arg}}})
	}
	cell := func(state int) []*stmt {
		var list []*stmt = []*stmt{{kind: stopStmt, pos: s.pos}} // the guards leave nothing out
		for _, c := range slices.Backward(calls) {
			var body []*stmt
			switch {
			case c.Constructor:
				body = x.outcomes(s, use, c, c.Cells[0])
			case state < 0:
				body = []*stmt{{kind: errorStmt, pos: s.pos, kindName: ProtocolKind, msg: fmt.Sprintf("%s.%s before %s is constructed", use, method, use)}}
			default:
				body = x.outcomes(s, use, c, c.Cells[state])
			}
			if c.Guard == "true" {
				list = body
				continue
			}
			g, err := readExpr(c.Guard)
			if err != nil {
				x.errorf(s.pos, "guard %s of %s.%s: %v", c.Guard, use, method, err)
				return nil
			}
			list = []*stmt{{kind: ifStmt, pos: s.pos, x: place(g, s.pos, temps, nil), body: body, els: list}}
		}
		return list
	}
	if first.Constructor {
		return append(out, cell(-1)...)
	}
	last := u.States - 1
	var rest []*stmt
	if u.Start < 0 {
		rest = cell(-1)
	} else {
		rest = cell(last)
		last--
	}
	for state := last; state >= 0; state-- {
		is := &expr{kind: binaryExpr, op: "==", x: name(use, s.pos), y: name(usedState(use, state), s.pos), pos: s.pos, depth: 1}
		rest = []*stmt{{kind: ifStmt, pos: s.pos, x: is, body: cell(state), els: rest}}
	}
	return append(out, rest...)
}

// outcomes returns the statements of a call in a state.
func (x *expander) outcomes(s *stmt, use string, c *UsedCall, cell UsedCell) []*stmt {
	switch {
	case cell.Error != "":
		return []*stmt{{kind: errorStmt, pos: s.pos, kindName: ProtocolKind, msg: use + "." + cell.Error}}
	case cell.Unknown != "":
		return []*stmt{{kind: errorStmt, pos: s.pos, kindName: UnknownProtocolKind, msg: use + "." + c.Method + ": " + cell.Unknown}}
	}
	var alts [][]*stmt
	for _, e := range cell.Edges {
		names := []string{e.Outcome}
		if e.Outcome == "*" && len(s.lhs) > 0 && len(c.Outcomes) > 0 {
			names = c.Outcomes
			x.used[use].Loose = x.used[use].Loose || len(names) > 1
		}
		for _, o := range names {
			alt := []*stmt{{kind: assignStmt, pos: s.pos, lhs: []*ident{plain(use, s.pos)}, rhs: []*expr{name(usedState(use, e.To), s.pos)}}}
			alts = append(alts, append(alt, x.bind(s, o)...))
			if len(s.lhs) == 0 && e.Outcome == "*" {
				break
			}
		}
	}
	switch len(alts) {
	case 0:
		return []*stmt{{kind: stopStmt, pos: s.pos}}
	case 1:
		return alts[0]
	}
	return []*stmt{{kind: choiceStmt, pos: s.pos, alts: alts}}
}

// bind gives the variables of a call the results of an outcome.
func (x *expander) bind(s *stmt, outcome string) []*stmt {
	if len(s.lhs) == 0 {
		return nil
	}
	parts := slices.Repeat([]string{"_"}, len(s.lhs))
	switch {
	case outcome == "*" || outcome == "return":
	case len(s.lhs) == 1:
		parts = []string{outcome}
	default:
		parts = strings.Split(strings.TrimSuffix(strings.TrimPrefix(outcome, "("), ")"), ", ")
	}
	if len(parts) != len(s.lhs) || strings.Contains(outcome, " with ") || len(s.lhs) == 1 && strings.HasPrefix(outcome, "(") {
		x.errorf(s.pos, "outcome %s of %s cannot be given to %d variables", outcome, s.id.name, len(s.lhs))
		return nil
	}
	var out []*stmt
	for k, part := range parts {
		to := s.lhs[k]
		condition := strings.ContainsAny(part, "<>=!&|")
		value := &expr{kind: havocExpr, origin: Environment, pos: s.pos}
		var read *expr
		if part != "_" {
			var err error
			if read, err = readExpr(part); err != nil {
				x.errorf(s.pos, "outcome %s of %s cannot be read: %v", outcome, s.id.name, err)
				return nil
			}
			if !condition {
				value = place(read, s.pos, nil, nil)
			}
		}
		out = append(out, &stmt{kind: assignStmt, pos: s.pos, lhs: []*ident{to}, rhs: []*expr{value}})
		if condition {
			// The only name in a condition on one result is that of the result.
			out = append(out, &stmt{kind: assumeStmt, pos: s.pos, x: place(read, s.pos, nil, to)})
		}
	}
	return out
}

// readExpr parses an expression of an interface.
func readExpr(text string) (*expr, error) {
	tokens, errs := scan("", []byte(text))
	p := &parser{tokens: tokens, errs: errs}
	var x *expr
	p.try(func() {
		x = p.expr()
		p.skipSemi()
		if p.tok().kind != tokEOF {
			p.fail("expected the end of the expression, found %v", p.tok())
		}
	})
	return x, p.errs.err()
}

// place moves an expression to a position, with variables in place of names:
// those of the map, or one for every name that is not a constant.
func place(x *expr, pos Pos, vars map[string]*ident, all *ident) *expr {
	if x == nil {
		return nil
	}
	y := *x
	y.pos, y.x, y.y = pos, place(x.x, pos, vars, all), place(x.y, pos, vars, all)
	y.args = nil
	for _, a := range x.args {
		y.args = append(y.args, place(a, pos, vars, all))
	}
	if x.id != nil {
		id := *x.id
		id.pos = pos
		y.id = &id
		if x.kind == nameExpr {
			if v := vars[id.name]; v != nil {
				y.id = v
			} else if all != nil && id.name != "true" && id.name != "false" {
				y.id = all
			}
		}
	}
	return &y
}
