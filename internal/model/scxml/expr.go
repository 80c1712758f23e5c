// SPDX-License-Identifier: Apache-2.0

package scxml

// This file has expressions over integers, truth values, and names of events.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A value is an integer, a truth value or a text.
type value struct {
	kind valueKind
	n    int64
	text string
}

type valueKind uint8

const (
	integer valueKind = iota
	truth
	name
)

func truthOf(b bool) value {
	if b {
		return value{kind: truth, n: 1}
	}
	return value{kind: truth}
}

func (v value) String() string {
	switch v.kind {
	case truth:
		return strconv.FormatBool(v.n == 1)
	case name:
		return strconv.Quote(v.text)
	}
	return strconv.FormatInt(v.n, 10)
}

// A scope is where an expression is evaluated.
type scope interface {
	variable(name string) (value, bool)
	in(state string) bool
	event() string
}

type expr func(scope) (value, error)

// maxInteger bounds integers: those that ECMAScript has exactly.
const maxInteger = 1 << 53

type exprParser struct {
	text     string
	at       int
	declared func(name string) bool
	states   func(id string) bool
}

// parseExpr reads an expression over the declared data.
func parseExpr(text string, declared, states func(string) bool) (e expr, err error) {
	p := &exprParser{text: text, declared: declared, states: states}
	if e, err = p.conditional(); err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.text) {
		return nil, fmt.Errorf("%q is not understood; an expression has integers, true, false, data, In('state'), _event.name and the operators ! - * / %% + < <= > >= == != && || ?:", p.text[p.at:])
	}
	return e, nil
}

func (p *exprParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// operator takes the first of some operators that is next.
func (p *exprParser) operator(list ...string) string {
	p.space()
	for _, op := range list {
		if strings.HasPrefix(p.text[p.at:], op) {
			p.at += len(op)
			return op
		}
	}
	return ""
}

func (p *exprParser) conditional() (expr, error) {
	c, err := p.binary(0)
	if err != nil || p.operator("?") == "" {
		return c, err
	}
	yes, err := p.conditional()
	if err != nil {
		return nil, err
	}
	if p.operator(":") == "" {
		return nil, errors.New("expected : after ? and a value")
	}
	no, err := p.conditional()
	return func(s scope) (value, error) {
		v, err := boolean(c, s)
		if err != nil {
			return v, err
		}
		if v.n == 1 {
			return yes(s)
		}
		return no(s)
	}, err
}

// levels are the binary operators, the weakest first; of two that begin alike the longer first.
var levels = [][]string{{"||"}, {"&&"}, {"===", "!==", "==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}

func (p *exprParser) binary(level int) (expr, error) {
	if level == len(levels) {
		return p.unary()
	}
	left, err := p.binary(level + 1)
	for err == nil {
		op := p.operator(levels[level]...)
		if op == "" {
			return left, nil
		}
		l := left
		var r expr
		if r, err = p.binary(level + 1); err == nil {
			left = combine(op, l, r)
		}
	}
	return nil, err
}

func boolean(e expr, s scope) (value, error) {
	v, err := e(s)
	if err == nil && v.kind != truth {
		err = fmt.Errorf("%v is no truth value", v)
	}
	return v, err
}

func number(e expr, s scope) (int64, error) {
	v, err := e(s)
	if err == nil && v.kind != integer {
		err = fmt.Errorf("%v is no integer", v)
	}
	return v.n, err
}

func combine(op string, l, r expr) expr {
	switch op {
	case "||", "&&":
		return func(s scope) (value, error) {
			v, err := boolean(l, s)
			if err != nil || v.n == 1 == (op == "||") {
				return v, err
			}
			return boolean(r, s)
		}
	case "==", "!=", "===", "!==":
		return func(s scope) (value, error) {
			a, err := l(s)
			if err != nil {
				return a, err
			}
			b, err := r(s)
			if err == nil && a.kind != b.kind {
				err = fmt.Errorf("%v and %v have different types", a, b)
			}
			return truthOf(a == b == (op[0] == '=')), err
		}
	}
	return func(s scope) (value, error) {
		a, err := number(l, s)
		if err != nil {
			return value{}, err
		}
		b, err := number(r, s)
		if err != nil {
			return value{}, err
		}
		return arithmetic(op, a, b)
	}
}

func arithmetic(op string, a, b int64) (value, error) {
	switch op {
	case "<":
		return truthOf(a < b), nil
	case "<=":
		return truthOf(a <= b), nil
	case ">":
		return truthOf(a > b), nil
	case ">=":
		return truthOf(a >= b), nil
	}
	var n int64
	switch op {
	case "+":
		n = a + b
	case "-":
		n = a - b
	case "*":
		if n = a * b; a != 0 && (n/a != b) {
			n = maxInteger + 1
		}
	default:
		if b == 0 {
			return value{}, errors.New("division by zero")
		}
		if op == "%" {
			return value{n: a % b}, nil
		}
		if a%b != 0 {
			return value{}, fmt.Errorf("%d/%d is no integer", a, b)
		}
		n = a / b
	}
	if n > maxInteger || n < -maxInteger {
		return value{}, errors.New("an integer is too large: integers have 53 bits")
	}
	return value{n: n}, nil
}

func (p *exprParser) unary() (expr, error) {
	p.space()
	if strings.HasPrefix(p.text[p.at:], "!") && !strings.HasPrefix(p.text[p.at:], "!=") {
		p.at++
		e, err := p.unary()
		return func(s scope) (value, error) {
			v, err := boolean(e, s)
			return truthOf(v.n == 0), err
		}, err
	}
	if p.operator("-") != "" {
		e, err := p.unary()
		return func(s scope) (value, error) {
			n, err := number(e, s)
			return value{n: -n}, err
		}, err
	}
	return p.primary()
}

func (p *exprParser) primary() (expr, error) {
	p.space()
	if p.at == len(p.text) {
		return nil, errors.New("expected a value at the end")
	}
	switch c := p.text[p.at]; {
	case c == '(':
		p.at++
		e, err := p.conditional()
		if err == nil && p.operator(")") == "" {
			err = errors.New("a parenthesis is not closed")
		}
		return e, err
	case c >= '0' && c <= '9':
		from := p.at
		for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			p.at++
		}
		n, err := strconv.ParseInt(p.text[from:p.at], 10, 64)
		if err != nil || n > maxInteger {
			return nil, fmt.Errorf("%s is too large: integers have 53 bits", p.text[from:p.at])
		}
		return constant(value{n: n}), nil
	case c == '\'' || c == '"':
		text, err := p.quoted()
		return constant(value{kind: name, text: text}), err
	}
	return p.named()
}

func constant(v value) expr { return func(scope) (value, error) { return v, nil } }

func (p *exprParser) quoted() (string, error) {
	p.space()
	if p.at == len(p.text) || p.text[p.at] != '\'' && p.text[p.at] != '"' {
		return "", errors.New("expected a text in quotes")
	}
	end := strings.IndexByte(p.text[p.at+1:], p.text[p.at])
	if end < 0 {
		return "", errors.New("a text does not end")
	}
	text := p.text[p.at+1 : p.at+1+end]
	p.at += end + 2
	return text, nil
}

// named reads true, false, In('s'), _event.name or the name of data.
func (p *exprParser) named() (expr, error) {
	from := p.at
	for p.at < len(p.text) && (p.text[p.at] == '_' || p.text[p.at] == '.' || p.text[p.at] == '$' || p.text[p.at] >= '0' && p.text[p.at] <= '9' ||
		p.text[p.at] >= 'a' && p.text[p.at] <= 'z' || p.text[p.at] >= 'A' && p.text[p.at] <= 'Z') {
		p.at++
	}
	switch word := p.text[from:p.at]; {
	case word == "true", word == "false":
		return constant(truthOf(word == "true")), nil
	case word == "_event.name":
		return func(s scope) (value, error) { return value{kind: name, text: s.event()}, nil }, nil
	case word == "In" && p.operator("(") != "":
		id, err := p.quoted()
		switch {
		case err != nil:
			return nil, fmt.Errorf("In: %w", err)
		case !p.states(id):
			return nil, fmt.Errorf("In: there is no state %s", id)
		case p.operator(")") == "":
			return nil, errors.New("In: a parenthesis is not closed")
		}
		return func(s scope) (value, error) { return truthOf(s.in(id)), nil }, nil
	case word == "":
		return nil, fmt.Errorf("%q is not understood", p.text[from:])
	case !p.declared(word):
		return nil, fmt.Errorf("there is no data %s", word)
	default:
		return func(s scope) (value, error) {
			v, ok := s.variable(word)
			if !ok {
				return v, fmt.Errorf("data %s has no value", word)
			}
			return v, nil
		}, nil
	}
}
