// SPDX-License-Identifier: Apache-2.0

package prog

// This file parses the text form into a syntax tree, by recursive descent with
// precedence climbing. After a syntax error it skips to the end of the
// statement or to the next declaration and goes on, so that one mistake does
// not hide the others. Nesting is limited, because an input of a million
// parentheses must be an error and not the end of the stack.

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// maxNesting bounds the depth of expressions and blocks.
const maxNesting = 10000

// Options change how a text is read.
type Options struct {
	// Width, if positive, narrows integers: every intN and uintN with N > Width
	// becomes Width bits wide. Constants that no longer fit are errors.
	Width int
	// Uses reads the interface files of "uses" lines; nil: there are none.
	Uses func(file string) (*Used, error)
}

// Parse reads a program from its text form. The error, if any, is an
// ErrorList with every error of the text.
func Parse(filename string, src []byte, opt Options) (*Program, error) {
	tokens, errs := scan(filename, src)
	p := &parser{tokens: tokens, errs: errs}
	f := p.file()
	line := func(p Pos) Pos { return Pos{File: p.File, Line: p.Line} }
	syntax := make(map[Pos]bool)
	for _, e := range p.errs {
		syntax[line(e.Pos)] = true
	}
	c := newChecker(opt)
	c.errs = expand(f, opt.Uses)
	prog := c.program(f, tokens[0].pos)
	// What follows from a syntax error on the same line says nothing new.
	for _, e := range c.errs {
		if !syntax[line(e.Pos)] {
			p.errs = append(p.errs, e)
		}
	}
	if err := p.errs.err(); err != nil {
		return nil, err
	}
	return prog, nil
}

// ParseExpr reads an expression over the given variables and the enums of p.
// Division and shifts must not be able to err, because an expression has no
// place for an error site: write quo, rem and unsigned shift counts.
func ParseExpr(p *Program, vars []*Var, text string) (*term.Term, error) {
	return parseExpr(p, vars, text, nil)
}

// ParseExprAs is ParseExpr for an expression that must have the given type; an
// untyped constant takes it.
func ParseExprAs(p *Program, vars []*Var, text string, typ Type) (*term.Term, error) {
	return parseExpr(p, vars, text, &typ)
}

func parseExpr(p *Program, vars []*Var, text string, want *Type) (*term.Term, error) {
	tokens, errs := scan("", []byte(text))
	ps := &parser{tokens: tokens, errs: errs}
	var x *expr
	if ps.try(func() {
		x = ps.expr()
		ps.skipSemi()
		if ps.tok().kind != tokEOF {
			ps.fail("expected the end of the expression, found %v", ps.tok())
		}
	}); len(ps.errs) > 0 {
		return nil, ps.errs.err()
	}
	c := exprChecker(p, vars)
	o := c.expr(x, want)
	if want != nil {
		o = c.assignable(o, *want, x.pos)
	} else if o.ok && o.t == nil {
		c.errorf(x.pos, "constant %v has no type here; write a conversion such as int8(%v)", o.cv, o.cv)
	}
	for _, k := range c.checks {
		c.errorf(k.pos, "%s is possible; an expression has no error sites (use quo, rem or an unsigned count)", k.msg)
	}
	if err := c.errs.err(); err != nil {
		return nil, err
	}
	return o.t, nil
}

// reserved words cannot name variables, constants or enum values unless
// backquoted.
var reserved = map[string]bool{
	"component": true, "enum": true, "const": true, "state": true, "constructor": true, "method": true,
	"var": true, "assume": true, "if": true, "else": true, "while": true, "break": true, "continue": true,
	"return": true, "error": true, "goto": true, "choice": true, "or": true, "skip": true, "stop": true, "let": true,
	"any": true, "choose": true, "guess": true, "true": true, "false": true, "_": true,
}

var declWords = map[string]bool{"enum": true, "const": true, "state": true, "constructor": true, "method": true, "component": true, "uses": true, "invariant": true}

type parser struct {
	tokens []token
	i      int
	depth  int
	errs   ErrorList
}

// bailout is panicked by fail and recovered by try, nowhere else.
type bailout struct{}

func (p *parser) try(f func()) (ok bool) {
	depth := p.depth
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bailout); !is {
				panic(r)
			}
			p.depth = depth
		}
	}()
	f()
	return true
}

func (p *parser) fail(format string, args ...any) {
	p.failAt(p.tok().pos, format, args...)
}

func (p *parser) failAt(pos Pos, format string, args ...any) {
	p.errorf(pos, format, args...)
	panic(bailout{})
}

func (p *parser) errorf(pos Pos, format string, args ...any) {
	p.errs = append(p.errs, &Error{pos, fmt.Sprintf(format, args...)})
}

func (p *parser) tok() token { return p.tokens[p.i] }

func (p *parser) peek() token { return p.tokens[min(p.i+1, len(p.tokens)-1)] }

func (p *parser) advance() token {
	t := p.tokens[p.i]
	if p.i < len(p.tokens)-1 {
		p.i++
	}
	return t
}

func (p *parser) got(s string) bool {
	if p.tok().is(s) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(s, where string) token {
	if !p.tok().is(s) {
		p.fail("expected %q %s, found %v", s, where, p.tok())
	}
	return p.advance()
}

func (p *parser) skipSemi() {
	for p.tok().kind == tokSemi {
		p.advance()
	}
}

func (p *parser) nest() {
	p.depth++
	if p.depth > maxNesting {
		p.fail("nested deeper than %d", maxNesting)
	}
}

// anyName reads a name where reserved words have no meaning.
func (p *parser) anyName(what string) *ident {
	t := p.tok()
	if t.kind != tokName {
		p.fail("expected %s, found %v", what, t)
	}
	p.advance()
	return &ident{t.text, t.segs, t.bare, t.pos}
}

// varName reads a name of a variable, constant or enum value.
func (p *parser) varName(what string) *ident {
	if t := p.tok(); t.bare && reserved[t.text] {
		p.fail("expected %s, found the reserved word %q (backquote it to use it as a name)", what, t.text)
	}
	return p.anyName(what)
}

func (p *parser) typeName() *ident {
	if t := p.tok(); t.bare && reserved[t.text] {
		p.fail("expected a type (bool, intN, uintN or an enum), found the reserved word %q", t.text)
	}
	return p.anyName("a type (bool, intN, uintN or an enum)")
}

// Declarations.

func (p *parser) file() *sourceFile {
	f := new(sourceFile)
	p.skipSemi()
	first := true
	for p.tok().kind != tokEOF {
		if !p.try(func() { p.decl(f, first) }) {
			// Go on at the next word that starts a declaration on its line.
			for t := p.tok(); t.kind != tokEOF; t = p.tok() {
				if t.bare && declWords[t.text] && p.i > 0 && (p.tokens[p.i-1].kind == tokSemi || p.tokens[p.i-1].is("}")) {
					break
				}
				p.advance()
			}
		}
		first = false
		p.skipSemi()
	}
	return f
}

func (p *parser) decl(f *sourceFile, first bool) {
	t := p.tok()
	switch {
	case t.is("component"):
		p.advance()
		name := p.anyName("the component's name")
		if f.name != nil {
			p.errorf(t.pos, "second component line; a file holds one component (%s)", f.name.name)
		} else {
			f.name = name
		}
	case t.is("enum"):
		p.advance()
		d := &enumDecl{name: p.typeName()}
		f.enums = append(f.enums, d)
		p.expect("{", "after the enum's name")
		for p.skipSemi(); !p.tok().is("}"); p.skipSemi() {
			d.values = append(d.values, p.varName("a value of the enum"))
			p.skipSemi()
			if !p.got(",") {
				p.skipSemi()
				break
			}
		}
		p.expect("}", "after the enum's values")
	case t.is("const"):
		p.advance()
		d := &constDecl{name: p.varName("the constant's name"), x: &expr{pos: t.pos}}
		f.consts = append(f.consts, d)
		if !p.tok().is("=") {
			d.typ = p.typeName()
		}
		p.expect("=", "and the constant's value")
		d.x = p.expr()
	case t.is("state"):
		p.advance()
		f.state = append(f.state, p.varDecls("a state variable", true)...)
	case t.is("invariant"):
		p.advance()
		f.invs = append(f.invs, p.expr())
	case t.is("uses"):
		p.uses(f)
	case t.is("constructor"), t.is("method"):
		p.method(f)
		return // no separator needed after a closing brace
	default:
		what := `expected "component NAME"`
		if !first || f.name != nil {
			what = "expected enum, const, state, invariant, constructor or method"
		}
		p.fail("%s, found %v", what, t)
	}
	p.endDecl()
}

func (p *parser) endDecl() {
	if t := p.tok(); t.kind != tokSemi && t.kind != tokEOF && !p.tokens[p.i-1].is("}") {
		p.fail("expected the end of the declaration, found %v", t)
	}
}

// varDecls reads "a T = e, b, c U, ..."; names without a type take the next.
// A value after a type belongs to all names of that type's group.
func (p *parser) varDecls(what string, values bool) []*varDecl {
	var all []*varDecl
	for group := 0; ; {
		all = append(all, &varDecl{name: p.varName(what)})
		if p.got(",") {
			continue
		}
		typ := p.typeName()
		var init *expr
		if values && p.got("=") {
			init = p.expr()
		}
		for ; group < len(all); group++ {
			all[group].typ, all[group].init = typ, init
		}
		if !p.tok().is(",") {
			return all
		}
		p.advance()
		if p.tok().is(")") { // a trailing comma in a list of parameters
			return all
		}
	}
}

func (p *parser) method(f *sourceFile) {
	d := &methodDecl{constructor: p.tok().text == "constructor"}
	what := p.advance().text
	d.name = p.anyName("the " + what + "'s name")
	f.methods = append(f.methods, d)
	params := func(what string) []*varDecl {
		p.expect("(", "before "+what+"s")
		var vars []*varDecl
		if !p.tok().is(")") {
			vars = p.varDecls("a "+what, false)
		}
		p.expect(")", "after "+what+"s")
		return vars
	}
	d.params = params("parameter")
	if !p.tok().is("{") {
		if p.tok().kind == tokName {
			p.fail("expected \"{\" or results with names such as (ok bool), found %v", p.tok())
		}
		d.results = params("result")
	}
	d.body, d.end = p.block("of the " + what)
}

// Statements.

func (p *parser) block(where string) ([]*stmt, Pos) {
	p.nest()
	defer func() { p.depth-- }()
	p.expect("{", where)
	var list []*stmt
	for p.skipSemi(); !p.tok().is("}"); p.skipSemi() {
		t := p.tok()
		if t.kind == tokEOF {
			p.fail("expected \"}\", found end of file")
		}
		if t.bare && declWords[t.text] && p.peek().kind == tokName {
			p.fail("expected \"}\" before the next declaration, found %v", t)
		}
		var s *stmt
		if !p.try(func() { s = p.stmt() }) {
			p.skipStmt()
			continue
		}
		list = append(list, s)
		// A separator is optional after a closing brace and before one.
		if n := p.tok(); n.kind != tokSemi && !n.is("}") && n.kind != tokEOF && !p.tokens[p.i-1].is("}") && s.kind != labelStmt {
			p.errorf(n.pos, "expected the end of the statement, found %v", n)
			p.skipStmt()
		}
	}
	return list, p.advance().pos
}

// skipStmt skips to the end of a broken statement.
func (p *parser) skipStmt() {
	for depth := 0; ; p.advance() {
		t := p.tok()
		switch {
		case t.kind == tokEOF:
			return
		case t.bare && declWords[t.text] && p.i > 0 && p.tokens[p.i-1].kind == tokSemi:
			return
		case t.is("{"):
			depth++
		case t.is("}"):
			if depth == 0 {
				return
			}
			depth--
		case t.kind == tokSemi && depth == 0:
			return
		}
	}
}

var assignOps = map[string]string{
	"+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "&=": "&", "|=": "|", "^=": "^",
	"&^=": "&^", "<<=": "<<", ">>=": ">>", "++": "+", "--": "-",
}

func (p *parser) stmt() *stmt {
	t := p.tok()
	s := &stmt{pos: t.pos}
	if t.kind != tokName {
		if t.is("{") {
			p.fail("expected a statement, found \"{\" (alternatives are written: choice { ... } or { ... })")
		}
		p.fail("expected a statement, found %v", t)
	}
	if !t.bare || !reserved[t.text] {
		return p.simple(s)
	}
	p.advance()
	switch t.text {
	case "var":
		s.kind = varStmt
		s.vars = p.varDecls("a variable's name", true)
	case "assume":
		s.kind = assumeStmt
		s.x = p.expr()
	case "if":
		p.i--
		return p.ifStmt()
	case "while":
		s.kind = whileStmt
		if !p.tok().is("{") {
			s.x = p.expr()
		}
		s.body, _ = p.block("before the body of while")
	case "break":
		s.kind = breakStmt
	case "continue":
		s.kind = continueStmt
	case "skip":
		s.kind = skipStmt
	case "stop":
		s.kind = stopStmt
	case "return":
		s.kind = returnStmt
		if n := p.tok(); n.kind != tokSemi && !n.is("}") && n.kind != tokEOF {
			s.rhs = p.exprs()
		}
	case "error":
		s.kind = errorStmt
		s.kindName = "error"
		if p.tok().kind == tokName {
			s.kindName = p.advance().text
		}
		m := p.tok()
		if m.kind != tokString {
			p.fail("expected the error's message in double quotes, found %v", m)
		}
		s.msg = unquote(p.advance().text)
		s.blamed = p.got("environment")
	case "goto":
		s.kind = gotoStmt
		s.id = p.anyName("a label")
	case "choice":
		s.kind = choiceStmt
		for {
			alt, _ := p.block("before an alternative")
			s.alts = append(s.alts, alt)
			if p.tok().kind == tokSemi && p.peek().is("or") {
				p.advance()
			}
			if !p.got("or") {
				break
			}
		}
	case "else":
		p.failAt(t.pos, "else without if")
	case "or":
		p.failAt(t.pos, "or without choice")
	default:
		p.failAt(t.pos, "expected a statement, found the reserved word %q", t.text)
	}
	return s
}

// unquote returns the text of a string token, which the scanner has checked.
func unquote(text string) string {
	s, _ := strconv.Unquote(text)
	return s
}

func (p *parser) ifStmt() *stmt {
	p.nest()
	defer func() { p.depth-- }()
	s := &stmt{kind: ifStmt, pos: p.advance().pos}
	s.x = p.expr()
	s.body, _ = p.block("after the condition of if")
	if p.tok().kind == tokSemi && p.tok().text == "\n" && p.peek().is("else") {
		p.advance()
	}
	if p.got("else") {
		if p.tok().is("if") {
			s.els = []*stmt{p.ifStmt()}
		} else {
			s.els, _ = p.block("or if after else")
		}
	}
	return s
}

// simple reads a label, an assignment or an increment.
func (p *parser) simple(s *stmt) *stmt {
	if p.peek().is(":") {
		s.kind = labelStmt
		s.id = p.anyName("a label")
		p.advance()
		return s
	}
	if p.atUse() {
		return p.use(s)
	}
	s.kind = assignStmt
	s.lhs = append(s.lhs, p.varName("a variable"))
	for p.got(",") {
		s.lhs = append(s.lhs, p.varName("a variable"))
	}
	t := p.tok()
	op, ok := assignOps[t.text]
	switch {
	case t.kind != tokOp || !ok && t.text != "=":
		p.fail("expected \"=\" or another assignment, found %v", t)
	case t.text == "=":
		p.advance()
		if p.atUse() {
			return p.use(s)
		}
		s.rhs = p.exprs()
	case len(s.lhs) > 1:
		p.fail("expected \"=\" after several variables, found %v", t)
	case t.text == "++" || t.text == "--":
		s.op = op
		p.advance()
		s.rhs = []*expr{{kind: intExpr, val: big.NewInt(1), pos: t.pos}}
	default:
		s.op = op
		p.advance()
		s.rhs = p.exprs()
	}
	return s
}

func (p *parser) exprs() []*expr {
	list := []*expr{p.expr()}
	for p.got(",") {
		list = append(list, p.expr())
	}
	return list
}

// Expressions.

var precedence = map[string]int{
	"||": 1, "&&": 2,
	"==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3,
	"+": 4, "-": 4, "|": 4, "^": 4,
	"*": 5, "/": 5, "%": 5, "<<": 5, ">>": 5, "&": 5, "&^": 5,
}

func (p *parser) expr() *expr {
	if !p.tok().is("let") {
		return p.binary(1)
	}
	x := &expr{kind: letExpr, pos: p.advance().pos}
	for {
		x.ids = append(x.ids, p.varName("a name for the value"))
		p.expect("=", "and the value")
		v := p.binary(1)
		x.args = append(x.args, v)
		x.depth = max(x.depth, v.depth+1)
		if !p.got(",") {
			break
		}
	}
	p.expect("in", "and the expression")
	x.y = p.binary(1)
	x.depth = max(x.depth, x.y.depth+1)
	return x
}

func (p *parser) binary(min int) *expr {
	x := p.unary()
	for {
		t := p.tok()
		prec := precedence[t.text]
		if t.kind != tokOp || prec < min {
			return x
		}
		p.advance()
		y := p.binary(prec + 1)
		x = &expr{kind: binaryExpr, op: t.text, x: x, y: y, pos: t.pos, depth: max(x.depth, y.depth) + 1}
		// A chain a+b+c+... grows to the left without nesting in the parser.
		if x.depth > maxNesting {
			p.failAt(t.pos, "expression of more than %d levels", maxNesting)
		}
	}
}

func (p *parser) unary() *expr {
	p.nest()
	defer func() { p.depth-- }()
	t := p.tok()
	if t.kind == tokOp && slices.Contains([]string{"-", "+", "!", "^"}, t.text) {
		p.advance()
		x := p.unary()
		return &expr{kind: unaryExpr, op: t.text, x: x, pos: t.pos, depth: x.depth + 1}
	}
	return p.primary()
}

func (p *parser) primary() *expr {
	t := p.tok()
	x := &expr{pos: t.pos}
	switch {
	case t.kind == tokInt:
		p.advance()
		v, ok := new(big.Int), false
		if len(t.text) <= 200 {
			v, ok = v.SetString(t.text, 0)
		}
		if !ok || len(t.text) > 1 && t.text[0] == '0' && strings.Trim(t.text, "01234567_") == "" {
			p.failAt(t.pos, "%q is not an integer literal (decimal, 0x, 0o or 0b)", t.text)
		}
		x.kind, x.val = intExpr, v
	case t.is("("):
		p.advance()
		x = p.expr()
		p.expect(")", "after the expression")
		x.paren = true
	case t.is("any"), t.is("choose"), t.is("guess"):
		p.advance()
		x.kind, x.origin = havocExpr, Environment
		switch t.text {
		case "choose":
			x.origin = Hidden
		case "guess":
			x.origin = Guess
		}
	case t.kind == tokName && (!t.bare || !reserved[t.text] || t.text == "true" || t.text == "false"):
		x.kind, x.id = nameExpr, p.anyName("a name")
		if t.bare && p.tok().is("(") {
			p.advance()
			x.kind = callExpr
			for !p.tok().is(")") {
				a := p.expr()
				x.args = append(x.args, a)
				x.depth = max(x.depth, a.depth+1)
				if !p.got(",") {
					break
				}
			}
			p.expect(")", "after the arguments")
		}
	default:
		p.fail("expected an expression, found %v", t)
	}
	return x
}
