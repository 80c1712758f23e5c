// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tells to which outcome the results of a call belong. An outcome is a class of results written as
// text (doc/format.md): a part for each result, or for each that outcomes tell apart, and perhaps a condition on
// several. What is not understood is unknown, never "no".

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// An outcomeClass is an outcome, ready to be compared with results.
type outcomeClass struct {
	parts []outcomePart
	with  ast.Expr // on the names of results; nil: none
	names []string // of the results, for with
	odd   bool     // not understood
}

// An outcomePart is what an outcome says of one result.
type outcomePart struct {
	kind valueKind // notTold: anything; or what the result must be
	n    uint64
	name string
	not  bool     // the result is not this
	cond ast.Expr // a condition on the result instead, which has this name
}

// newOutcomeClass reads an outcome; returns are the results in the code, if they are known.
func newOutcomeClass(outcome string, returns []Register) outcomeClass {
	if outcome == "return" {
		return outcomeClass{}
	}
	text, with, also := strings.Cut(outcome, " with ")
	var c outcomeClass
	if also {
		e, err := parseGuard(with)
		if err != nil || !compares(e) {
			return outcomeClass{odd: true}
		}
		c.with = e
		for _, r := range returns {
			c.names = append(c.names, r.Name)
		}
	}
	parts := []string{text}
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") && strings.Contains(text, ", ") {
		parts = strings.Split(text[1:len(text)-1], ", ")
	}
	for _, p := range parts {
		part, ok := newOutcomePart(p)
		if !ok {
			return outcomeClass{odd: true}
		}
		c.parts = append(c.parts, part)
	}
	return c
}

func newOutcomePart(text string) (outcomePart, bool) {
	text, not := strings.CutPrefix(text, "!= ")
	switch text {
	case "_", "*":
		return outcomePart{}, !not
	case "true", "false":
		return outcomePart{kind: truthValue, n: Bool(text == "true").n, not: not}, true
	case "nil", "non-nil", "null", "non-null":
		return outcomePart{kind: nameValue, name: "nil", not: not != strings.HasPrefix(text, "non-")}, true
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return outcomePart{kind: signedValue, n: uint64(n), not: not}, true
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return outcomePart{kind: unsignedValue, n: n, not: not}, true
	}
	e, err := parseGuard(text)
	if err != nil {
		return outcomePart{}, false
	}
	if id, ok := e.(*ast.Ident); ok {
		return outcomePart{kind: nameValue, name: nameOf(id.Name), not: not}, true
	}
	if not || !compares(e) || len(names(e)) != 1 {
		return outcomePart{}, false
	}
	return outcomePart{cond: e, name: names(e)[0]}, true
}

// compares reports whether an expression only compares names with integers: nothing in it depends on a width.
func compares(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return compares(e.X)
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		if lit, ok := e.X.(*ast.BasicLit); ok {
			return e.Op == token.SUB && lit.Kind == token.INT
		}
		return e.Op == token.NOT && compares(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return compares(e.X) && compares(e.Y)
		}
	}
	return false
}

// has reports whether results belong to the outcome; it is MatchUnknown where that cannot be told.
func (c *outcomeClass) has(results []Value) Match {
	if c.odd {
		return MatchUnknown
	}
	all := MatchYes
	told := len(results)
	if len(c.parts) < len(results) { // only those that outcomes tell apart
		told = 0
		for _, v := range results {
			if v.kind == truthValue || v.kind == nameValue {
				told++
			}
		}
	}
	if len(c.parts) > 0 && told != len(c.parts) {
		return MatchUnknown
	}
	k := 0
	for _, v := range results {
		if k == len(c.parts) || len(c.parts) < len(results) && v.kind != truthValue && v.kind != nameValue {
			continue
		}
		switch c.parts[k].has(v) {
		case MatchNo:
			return MatchNo
		case MatchUnknown:
			all = MatchUnknown
		}
		k++
	}
	if c.with != nil && all != MatchNo {
		return both(all, c.within(results))
	}
	return all
}

func both(x, y Match) Match {
	switch {
	case x == MatchNo || y == MatchNo:
		return MatchNo
	case x == MatchUnknown || y == MatchUnknown:
		return MatchUnknown
	}
	return MatchYes
}

// within evaluates the condition on several results.
func (c *outcomeClass) within(results []Value) Match {
	if len(c.names) != len(results) {
		return MatchUnknown
	}
	s := newScope()
	for k, name := range c.names {
		if v, ok := results[k].integer(); ok && name != "_" {
			s.types[name], s.values[name] = "", v
		}
	}
	return s.match(c.with)
}

// has reports whether a result is what the part says.
func (p *outcomePart) has(v Value) Match {
	if p.cond != nil {
		n, ok := v.integer()
		if !ok {
			return MatchUnknown
		}
		s := newScope()
		s.types[p.name], s.values[p.name] = "", n
		return s.match(p.cond)
	}
	is := false
	switch {
	case p.kind == notTold:
		return MatchYes
	case p.kind == truthValue && v.kind == truthValue:
		is = p.n == v.n
	case p.kind == nameValue && v.kind == nameValue:
		is = p.name == v.name
	case v.kind == signedValue && p.kind == signedValue, v.kind == unsignedValue && p.kind == unsignedValue:
		is = p.n == v.n
	case v.kind == signedValue && p.kind == unsignedValue, v.kind == unsignedValue && p.kind == signedValue:
		is = p.n == v.n && int64(p.n) >= 0
	default:
		return MatchUnknown
	}
	if is == p.not {
		return MatchNo
	}
	return MatchYes
}
