// SPDX-License-Identifier: Apache-2.0

package fsp

// This file parses definitions, processes and compositions.

import (
	"fmt"
	"slices"
)

// A Model is the definitions of a file.
type Model struct {
	file       string
	consts     map[string]*expr
	ranges     map[string][2]*expr
	sets       map[string]*labelSet
	processes  map[string]*process
	composites map[string]*composite
	order      []string // names of processes and composites, as defined
	// Failing, if set, names local processes that are ERROR: "Q", or "Q[2]" with its index.
	Failing func(local string) bool
}

type parser struct {
	*Model
	tokens []token
	at     int
}

// fault is how the parser and the compiler give up: Parse and System turn it into an error.
type fault struct{ *Error }

func (m *Model) fail(p Pos, format string, args ...any) {
	panic(fault{&Error{m.file, p, fmt.Sprintf(format, args...)}})
}

// caught turns a fault into an error.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case fault:
		*err = f.Error
	default:
		panic(f)
	}
}

// Parse reads a file. The name is for errors.
func Parse(name string, text []byte) (m *Model, err error) {
	tokens, err := lex(name, string(text))
	if err != nil {
		return nil, err
	}
	defer caught(&err)
	p := &parser{tokens: tokens, Model: &Model{
		file: name, consts: map[string]*expr{}, ranges: map[string][2]*expr{}, sets: map[string]*labelSet{},
		processes: map[string]*process{}, composites: map[string]*composite{},
	}}
	p.sort()
	for p.peek().kind != endOfFile {
		p.definition()
	}
	if len(p.order) == 0 {
		p.fail(p.peek().Pos, "the file defines no process")
	}
	return p.Model, nil
}

// sort finds the names of sets and ranges before anything is parsed: whether S in [S] is
// a set, a range or a number decides the syntax.
func (p *parser) sort() {
	for k := 0; k+1 < len(p.tokens); k++ {
		if t, name := p.tokens[k], p.tokens[k+1]; t.kind == keyword && name.kind == upper {
			switch t.text {
			case "set":
				p.sets[name.text] = nil
			case "range":
				p.ranges[name.text] = [2]*expr{}
			}
		}
	}
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != endOfFile {
		p.at++
	}
	return t
}

// is reports whether the next token is a symbol or keyword.
func (p *parser) is(text string) bool {
	t := p.peek()
	return (t.kind == symbol || t.kind == keyword) && t.text == text
}

// got takes the next token if it is a symbol or keyword.
func (p *parser) got(text string) bool {
	if p.is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) want(text, where string) token {
	if !p.is(text) {
		p.fail(p.peek().Pos, "%q is expected %s, and not %v", text, where, p.peek())
	}
	return p.next()
}

func (p *parser) upper(what string) token {
	if p.peek().kind != upper {
		p.fail(p.peek().Pos, "%s is expected, which begins with an upper-case letter, and not %v", what, p.peek())
	}
	return p.next()
}

// refused are the definitions that are not read, with what to do instead.
var refused = map[string]string{
	"progress":      "progress speaks of infinite runs, and interfaces of finite words: leave it out",
	"assert":        "assertions in temporal logic are not read: write the safety part as a property",
	"ltl_property":  "properties in temporal logic are not read: write the safety part as a property",
	"fluent":        "fluents are not read: write a property over the actions that begin and end it",
	"constraint":    "constraints in temporal logic are not read: compose with a process that allows what they allow",
	"deterministic": "deterministic is not read: leave the word out, or write the process so that it is",
	"import":        "import is not read: copy the process, or give the file to the command as a further component",
	"include":       "include is not read: copy the definitions into this file",
	"compose":       "compose is not read: leave the word out; whether parts are composed first makes no difference to behaviour",
}

func (p *parser) definition() {
	t := p.peek()
	if why := refused[t.text]; t.kind == keyword && why != "" {
		p.fail(t.Pos, "%s", why)
	}
	switch {
	case p.got("const"):
		name := p.upper("the name of a constant")
		p.want("=", "behind the name")
		p.once(name, p.consts[name.text] != nil)
		p.consts[name.text] = p.simple()
	case p.got("range"):
		name := p.upper("the name of a range")
		p.want("=", "behind the name")
		p.once(name, p.ranges[name.text][0] != nil)
		lo := p.simple()
		p.want("..", "between the ends of a range")
		p.ranges[name.text] = [2]*expr{lo, p.simple()}
	case p.got("set"):
		name := p.upper("the name of a set")
		p.want("=", "behind the name")
		p.once(name, p.sets[name.text] != nil)
		p.sets[name.text] = p.braces()
	case p.got("menu"), p.got("animation"):
		p.skip()
	default:
		minimal, property := false, false
		for {
			if p.got("minimal") {
				minimal = true
			} else if p.got("property") {
				property = true
			} else {
				break
			}
		}
		if p.got("||") {
			c := p.composite()
			c.minimal, c.property = minimal, property
		} else {
			d := p.process()
			d.minimal, d.property = minimal, property
		}
	}
}

func (p *parser) once(name token, defined bool) {
	if defined {
		p.fail(name.Pos, "%s is defined twice", name.text)
	}
}

// skip passes over a menu or an animation, up to the next definition.
func (p *parser) skip() {
	p.upper("a name")
	p.want("=", "behind the name")
	depth := 0
	for p.peek().kind != endOfFile {
		t := p.peek()
		if depth == 0 && t.kind == keyword && !slices.Contains([]string{"actions", "controls", "target", "compose"}, t.text) {
			return
		}
		if depth == 0 && (t.text == "||" || t.kind == upper && p.tokens[p.at-1].text != "=" && !p.is("target")) && p.tokens[p.at-1].text != "target" && p.tokens[p.at-1].text != "{" {
			return
		}
		switch p.next().text {
		case "{":
			depth++
		case "}":
			depth--
		}
	}
}

func (p *parser) declare(name token) {
	if p.processes[name.text] != nil || p.composites[name.text] != nil {
		p.fail(name.Pos, "%s is defined twice", name.text)
	}
	if primitive(name.text) {
		p.fail(name.Pos, "%s has a meaning of its own and cannot be defined", name.text)
	}
	p.order = append(p.order, name.text)
}

func primitive(name string) bool { return name == "STOP" || name == "END" || name == "ERROR" }

func (p *parser) params() []param {
	var out []param
	if !p.got("(") {
		return nil
	}
	for {
		name := p.upper("a parameter")
		p.want("=", "behind a parameter, which has a value for when none is passed")
		out = append(out, param{name.Pos, name.text, p.expression()})
		if !p.got(",") {
			break
		}
	}
	p.want(")", "behind the parameters")
	return out
}

func (p *parser) process() *process {
	name := p.upper("the name of a process")
	d := &process{Pos: name.Pos, name: name.text}
	p.declare(name)
	p.processes[name.text] = d
	d.params = p.params()
	first := &local{Pos: name.Pos, name: name.text}
	if p.is("[") || p.is(".") {
		first.indices = p.ranges1()
	}
	p.want("=", "behind the name of a process")
	first.body = p.body()
	d.locals = append(d.locals, first)
	for p.got(",") {
		name := p.upper("the name of a local process")
		l := &local{Pos: name.Pos, name: name.text}
		if primitive(l.name) {
			p.fail(name.Pos, "%s has a meaning of its own and cannot be defined", l.name)
		}
		if p.is("[") || p.is(".") {
			l.indices = p.ranges1()
		}
		p.want("=", "behind the name of a local process")
		l.body = p.body()
		d.locals = append(d.locals, l)
	}
	if p.got("+") {
		d.extend = p.set()
	}
	d.relabels = p.relabels()
	d.expose, d.hidden = p.hiding()
	p.want(".", "at the end of a process")
	return d
}

// hiding is what stands behind a backslash or an @.
func (p *parser) hiding() (expose bool, s *labelSet) {
	switch {
	case p.got("\\"):
		return false, p.set()
	case p.got("@"):
		return true, p.set()
	}
	return false, nil
}

func (p *parser) composite() *composite {
	name := p.upper("the name of a composition")
	d := &composite{Pos: name.Pos, name: name.text}
	p.declare(name)
	p.composites[name.text] = d
	d.params = p.params()
	p.want("=", "behind the name of a composition")
	d.body = p.parallel()
	if p.is("<<") || p.is(">>") {
		p.fail(p.peek().Pos, "priority %s is not read: without it the composition has more behaviour; model the choice explicitly, or leave it out if that is meant", p.peek().text)
	}
	d.expose, d.hidden = p.hiding()
	p.want(".", "at the end of a composition")
	return d
}

func (p *parser) parallel() *parallel {
	b := &parallel{Pos: p.peek().Pos}
	switch {
	case p.got("if"):
		b.cond = p.expression()
		p.want("then", "behind the condition")
		b.then = p.parallel()
		if p.got("else") {
			b.other = p.parallel()
		}
		return b
	case p.got("forall"):
		b.forall = p.ranges1()
		b.then = p.parallel()
		return b
	}
	if p.label() {
		l := p.labels()
		if p.got("::") {
			b.share = l
			if p.label() {
				b.prefix = p.labels()
				p.want(":", "behind the label of a process")
			}
		} else {
			p.want(":", "behind the label of a process (or :: for sharing)")
			b.prefix = l
		}
	}
	if p.got("(") {
		for !p.is(")") {
			b.parts = append(b.parts, p.parallel())
			if !p.got("||") {
				break
			}
		}
		p.want(")", "behind the parts of a composition")
	} else {
		name := p.upper("a process")
		b.single = &reference{name.Pos, name.text, p.arguments()}
	}
	b.relabels = p.relabels()
	return b
}

func (p *parser) arguments() []*expr {
	if !p.got("(") {
		return nil
	}
	var out []*expr
	for {
		out = append(out, p.expression())
		if !p.got(",") {
			break
		}
	}
	p.want(")", "behind the arguments")
	return out
}

func (p *parser) relabels() []*relabel {
	if !p.got("/") {
		return nil
	}
	return p.relabelSet()
}

func (p *parser) relabelSet() []*relabel {
	p.want("{", "before relabellings")
	var out []*relabel
	for {
		r := &relabel{Pos: p.peek().Pos}
		if p.got("forall") {
			r.forall = p.ranges1()
			r.inner = p.relabelSet()
		} else {
			r.to = p.labels()
			p.want("/", "between the new and the old label")
			r.from = p.labels()
		}
		out = append(out, r)
		if !p.got(",") {
			break
		}
	}
	p.want("}", "behind relabellings")
	return out
}

// body is a choice in parentheses, a condition, or a reference.
func (p *parser) body() *body {
	b := &body{Pos: p.peek().Pos}
	switch {
	case p.got("("):
		for {
			b.choices = append(b.choices, p.choice())
			if !p.got("|") {
				break
			}
		}
		p.want(")", "behind the choices")
	case p.got("if"):
		b.cond = p.expression()
		p.want("then", "behind the condition")
		b.then = p.body()
		if p.got("else") {
			b.other = p.body()
		} else {
			b.other = &body{Pos: b.Pos, name: "STOP"}
		}
	case p.peek().kind == upper:
		name := p.next()
		for p.is(";") || p.is("(") {
			r := &reference{name.Pos, name.text, p.arguments()}
			b.seq = append(b.seq, r)
			p.want(";", "behind a process that another follows")
			name = p.upper("the process that follows")
		}
		b.name, b.Pos = name.text, name.Pos
		for p.got("[") {
			b.indices = append(b.indices, p.expression())
			p.want("]", "behind an index")
		}
	default:
		p.fail(p.peek().Pos, "a process is expected, (choices), if or a name, and not %v", p.peek())
	}
	return b
}

func (p *parser) choice() *choice {
	c := &choice{Pos: p.peek().Pos}
	if p.got("when") {
		c.guard = p.expression()
	}
	c.action = p.labels()
	p.want("->", "behind an action")
	if p.label() { // a -> b -> P
		inner := p.choice()
		c.next = &body{Pos: inner.Pos, choices: []*choice{inner}}
	} else {
		c.next = p.body()
	}
	return c
}
