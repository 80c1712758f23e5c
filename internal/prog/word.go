// SPDX-License-Identifier: Apache-2.0

package prog

// This file reads words as they are written on a command line, one call per
// argument: New(3) Scan=true 'SetOffset(5)' Close.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// A WordCall is a call as written: arguments and outcome may be left out.
type WordCall struct {
	Text    string
	Method  *Method
	Args    []term.Value  // if HasArgs
	HasArgs bool          // true also if there are no parameters
	Results []*term.Value // by result; nil: not said
}

// Matches reports whether results agree with the outcome as far as it was said.
func (w WordCall) Matches(results []term.Value) bool {
	for i, v := range w.Results {
		if v != nil && results[i] != *v {
			return false
		}
	}
	return true
}

// Call returns the call with its observation; it is an error if arguments were
// left out.
func (w WordCall) Call() (Call, error) {
	if !w.HasArgs {
		return Call{}, fmt.Errorf("%s needs arguments: %s%s", w.Text, w.Method.Name, signature(w.Method.Params))
	}
	c := Call{Method: w.Method, Args: w.Args}
	if slices.ContainsFunc(w.Results, func(v *term.Value) bool { return v != nil }) {
		c.Observed = w.Matches
	}
	return c, nil
}

func signature(vars []*Var) string { return params(vars) }

// ParseWord reads a word. The first call of the result is a constructor: the
// one that the first argument names, otherwise the program's only one, which
// must then have no parameters.
func ParseWord(p *Program, args []string) ([]WordCall, error) {
	var word []WordCall
	for i, text := range args {
		w, constructor, err := parseCall(p, text)
		if err != nil {
			return nil, fmt.Errorf("call %d of the word, %q: %w", i+1, text, err)
		}
		if constructor && i > 0 {
			return nil, fmt.Errorf("call %d of the word, %q: a constructor can only come first", i+1, text)
		}
		if i == 0 && !constructor {
			first, err := onlyConstructor(p)
			if err != nil {
				return nil, err
			}
			word = append(word, first)
		}
		word = append(word, w)
	}
	if len(word) == 0 {
		first, err := onlyConstructor(p)
		if err != nil {
			return nil, err
		}
		word = append(word, first)
	}
	return word, nil
}

func onlyConstructor(p *Program) (WordCall, error) {
	if len(p.Constructors) > 1 {
		return WordCall{}, fmt.Errorf("the word must start with a constructor: %s", methodNames(p.Constructors))
	}
	m := p.Constructors[0]
	if len(m.Params) > 0 {
		return WordCall{}, fmt.Errorf("the word must start with the constructor, which needs arguments: %s%s", m.Name, signature(m.Params))
	}
	return WordCall{Text: m.Name, Method: m, HasArgs: true}, nil
}

func methodNames(ms []*Method) string {
	var names []string
	for _, m := range ms {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// parseCall reads name, name(args), name=outcome or name(args)=outcome.
func parseCall(p *Program, text string) (w WordCall, constructor bool, err error) {
	text = strings.TrimSpace(text)
	w.Text = text
	// The longest name that fits, because a name may hold any character.
	var rest string
	for i, m := range slices.Concat(p.Constructors, p.Methods) {
		after, ok := strings.CutPrefix(text, m.Name)
		after = strings.TrimSpace(after)
		if ok && (after == "" || after[0] == '(' || after[0] == '=') && (w.Method == nil || len(m.Name) > len(w.Method.Name)) {
			w.Method, rest, constructor = m, after, i < len(p.Constructors)
		}
	}
	if w.Method == nil {
		return w, false, fmt.Errorf("expected a method (%s) or a constructor (%s)", methodNames(p.Methods), methodNames(p.Constructors))
	}
	tokens, errs := scan("", []byte(rest))
	ps := &parser{tokens: tokens, errs: errs}
	c := exprChecker(p, nil)
	ps.try(func() { ps.wordRest(c, &w) })
	for _, e := range append(ps.errs, c.errs...) {
		return w, false, fmt.Errorf("%s", e.Msg)
	}
	return w, constructor, nil
}

// wordRest reads [(args)] [=outcome].
func (p *parser) wordRest(c *checker, w *WordCall) {
	m := w.Method
	w.HasArgs = len(m.Params) == 0
	if p.got("(") {
		w.HasArgs = true
		for !p.tok().is(")") {
			if len(w.Args) == len(m.Params) {
				p.fail("too many arguments; expected %s%s", m.Name, signature(m.Params))
			}
			w.Args = append(w.Args, p.wordValue(c, m.Params[len(w.Args)]))
			if !p.got(",") {
				break
			}
		}
		if len(w.Args) < len(m.Params) {
			p.fail("too few arguments; expected %s%s", m.Name, signature(m.Params))
		}
		p.expect(")", "after the arguments")
	}
	if p.got("=") {
		w.Results = make([]*term.Value, len(m.Results))
		switch t := p.tok(); {
		case t.is("*"), t.is("return"):
			p.advance()
		case len(m.Results) == 0:
			p.fail("%s has no results; expected the outcome return, or none", m.Name)
		case len(m.Results) == 1 && !t.is("("):
			p.outcomeValue(c, w, 0)
		case p.shortOutcome(w):
		default:
			p.expect("(", fmt.Sprintf("and an outcome of %s, such as %s", m.Name, outcomeShape(m)))
			for i := range m.Results {
				if i > 0 {
					p.expect(",", fmt.Sprintf("and %d results %s", len(m.Results), signature(m.Results)))
				}
				p.outcomeValue(c, w, i)
			}
			p.expect(")", fmt.Sprintf("after %d results %s", len(m.Results), signature(m.Results)))
		}
	}
	p.skipSemi()
	if p.tok().kind != tokEOF {
		p.fail("expected (arguments), =outcome or the end of the call, found %v", p.tok())
	}
}

// shortOutcome reads a word that says one of several results: the name of a boolean result, with ! before
// it if that is false, or true or false if only one result is a boolean.
func (p *parser) shortOutcome(w *WordCall) bool {
	t, value, n := p.tok(), true, 1
	if t.is("!") && p.i+1 < len(p.tokens) {
		t, value, n = p.tokens[p.i+1], false, 2
	}
	var said []int
	for k, r := range w.Method.Results {
		if r.Type.Sort != term.BoolSort {
			continue
		}
		switch {
		case t.kind == tokName && t.text == r.Name:
			said = append(said, k)
		case n == 1 && (t.is("true") || t.is("false")):
			said, value = append(said, k), t.is("true")
		}
	}
	if len(said) == 0 {
		return false
	}
	if len(said) > 1 {
		p.fail("%s may be said of several results; expected an outcome of %s, such as %s", t.text, w.Method.Name, outcomeShape(w.Method))
	}
	for range n {
		p.advance()
	}
	v := term.BoolValue(value)
	w.Results[said[0]] = &v
	return true
}

func outcomeShape(m *Method) string {
	values := make([]term.Value, len(m.Results))
	return FormatArgs(m.Results, values)
}

func (p *parser) outcomeValue(c *checker, w *WordCall, i int) {
	if p.got("_") {
		return
	}
	v := p.wordValue(c, w.Method.Results[i])
	w.Results[i] = &v
}

// wordValue reads a constant of a variable's type.
func (p *parser) wordValue(c *checker, v *Var) term.Value {
	x := p.expr()
	o := c.assignable(c.expr(x, &v.Type), v.Type, x.pos)
	if len(c.errs) > 0 {
		p.failAt(x.pos, "%s %v: %s", v.Name, v.Type, c.errs[0].Msg)
	}
	value, ok := o.t.Const()
	if !ok {
		p.failAt(x.pos, "%s %v: expected a constant", v.Name, v.Type)
	}
	return value
}
