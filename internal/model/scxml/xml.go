// SPDX-License-Identifier: Apache-2.0

package scxml

// This file reads the document.

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// An Error says which line of a file is wrong.
type Error struct {
	File   string
	Line   int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

// An element is one of the document, with the namespaces taken away.
type element struct {
	name     string
	attrs    map[string]string
	children []*element
	line     int
}

type stateKind uint8

const (
	compound stateKind = iota // a state, with children or without
	parallel
	final
	shallow // history
	deep
)

// A state is a state element, parallel, final or history.
type state struct {
	id          string
	kind        stateKind
	parent      *state
	children    []*state // without history
	histories   []*state
	initial     *transition
	transitions []*transition
	entry, exit [][]*action
	order       int // in the document
	line        int
}

func (s *state) history() bool { return s.kind == shallow || s.kind == deep }
func (s *state) atomic() bool  { return s.kind == final || s.kind == compound && len(s.children) == 0 }

type transition struct {
	source   *state
	events   []string // descriptors; nil: eventless
	cond     expr
	targets  []*state
	names    []string
	internal bool
	content  []*action
	line     int
}

// An action is executable content.
type action struct {
	kind     string // assign, raise, assert, if
	location string
	expr     expr
	event    string
	text     string // of an assertion: what is said if it fails
	branches []branch
	line     int
}

type branch struct {
	cond    expr // nil: else
	content []*action
}

// A chart is a document that was read.
type chart struct {
	file   string
	name   string
	root   *state
	states map[string]*state
	all    []*state // in document order
	data   []datum
	types  map[string]valueKind
	raised map[string]bool
}

type datum struct {
	name string
	expr expr
	line int
}

func (c *chart) fail(line int, format string, args ...any) error {
	return &Error{c.file, line, fmt.Sprintf(format, args...)}
}

func parseXML(file string, text []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	root := &element{}
	stack := []*element{root}
	for {
		line, _ := d.InputPos()
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return nil, &Error{file, syntax.Line, strings.ReplaceAll(syntax.Msg, "\n", " ")}
			}
			return nil, &Error{file, line, strings.ReplaceAll(err.Error(), "\n", " ")}
		}
		switch t := t.(type) {
		case xml.StartElement:
			e := &element{name: t.Name.Local, attrs: map[string]string{}, line: line}
			for _, a := range t.Attr {
				if a.Name.Space == "" || a.Name.Local == "cond" {
					e.attrs[a.Name.Local] = a.Value
				}
			}
			top := stack[len(stack)-1]
			top.children = append(top.children, e)
			stack = append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
	if len(root.children) != 1 || root.children[0].name != "scxml" {
		return nil, &Error{file, 1, "a statechart is an element scxml"}
	}
	return root.children[0], nil
}

// refusals say what to write instead of elements that are not read.
var refusals = map[string]string{
	"send":     "an event that the chart sends to itself is written <raise event=\"...\"/>; what it sends to others is an event of the model that both take part in",
	"cancel":   "no event is delayed; leave it out",
	"invoke":   "write the other chart as a model of its own, or as a region of a parallel",
	"script":   "write <assign location=\"...\" expr=\"...\"/>",
	"foreach":  "write the content once for each item",
	"donedata": "no event has data; write <assign>",
	"param":    "no event has data; write one event for each value",
	"content":  "no event has data; write one event for each value",
	"finalize": "there is no invoke; leave it out",
}

func (c *chart) refuse(e *element, in string) error {
	if instead, ok := refusals[e.name]; ok {
		return c.fail(e.line, "<%s> is not supported: %s", e.name, instead)
	}
	return c.fail(e.line, "<%s> has no meaning in <%s>", e.name, in)
}

// readChart makes a chart of a document, in three passes: states, then data, then what refers
// to them.
func readChart(file string, text []byte) (*chart, error) {
	doc, err := parseXML(file, text)
	if err != nil {
		return nil, err
	}
	c := &chart{file: file, states: map[string]*state{}, types: map[string]valueKind{}, raised: map[string]bool{}}
	c.name = doc.attrs["name"]
	if m := doc.attrs["datamodel"]; m != "" && m != "ecmascript" && m != "null" {
		return nil, c.fail(doc.line, "the data model %s is not supported; write ecmascript, with integers and truth values", m)
	}
	if doc.attrs["binding"] == "late" {
		return nil, c.fail(doc.line, "late binding is not supported; write binding=\"early\" and give the first values in <data>")
	}
	c.root = &state{kind: compound, line: doc.line}
	if err := c.declare(doc, c.root); err != nil {
		return nil, err
	}
	if len(c.root.children) == 0 {
		return nil, c.fail(doc.line, "the chart has no state")
	}
	if err := c.declareData(doc); err != nil {
		return nil, err
	}
	if err := c.define(doc, c.root); err != nil {
		return nil, err
	}
	for _, s := range append([]*state{c.root}, c.all...) {
		if err := c.resolve(s); err != nil {
			return nil, err
		}
	}
	return c, nil
}

var stateKinds = map[string]stateKind{"state": compound, "parallel": parallel, "final": final, "history": shallow}

// declare makes the states below an element.
func (c *chart) declare(e *element, s *state) error {
	for _, child := range e.children {
		kind, ok := stateKinds[child.name]
		if !ok {
			continue
		}
		if s.kind == final || s.history() {
			return c.fail(child.line, "<%s> has no meaning in <%s>", child.name, e.name)
		}
		if kind == shallow && child.attrs["type"] == "deep" {
			kind = deep
		}
		t := &state{id: child.attrs["id"], kind: kind, parent: s, line: child.line, order: len(c.all)}
		if t.id == "" {
			t.id = fmt.Sprintf("#%d", len(c.all)+1) // no reference can name it
		}
		if c.states[t.id] != nil {
			return c.fail(child.line, "two states have the id %s", t.id)
		}
		c.states[t.id] = t
		c.all = append(c.all, t)
		if t.history() {
			s.histories = append(s.histories, t)
		} else {
			s.children = append(s.children, t)
		}
		if err := c.declare(child, t); err != nil {
			return err
		}
	}
	return nil
}

// declareData reads the data of all elements.
func (c *chart) declareData(e *element) error {
	for _, child := range e.children {
		if child.name != "datamodel" {
			if _, ok := stateKinds[child.name]; ok {
				if err := c.declareData(child); err != nil {
					return err
				}
			}
			continue
		}
		for _, d := range child.children {
			id, text := d.attrs["id"], d.attrs["expr"]
			if d.name != "data" || id == "" {
				return c.fail(d.line, "expected <data id=\"...\" expr=\"...\"/>")
			}
			if text == "" {
				return c.fail(d.line, "data %s has no first value; write expr=\"...\" with an integer or true or false", id)
			}
			if _, ok := c.types[id]; ok {
				return c.fail(d.line, "data %s is declared twice", id)
			}
			x, err := c.expr(d, text)
			if err != nil {
				return err
			}
			v, err := x(&machine{chart: c, data: c.firstValues()})
			if err != nil || v.kind == name {
				return c.fail(d.line, "data %s: expected an integer or truth value, got %s", id, text)
			}
			c.types[id] = v.kind
			c.data = append(c.data, datum{id, x, d.line})
		}
	}
	return nil
}

// firstValues are those of the data that were read so far.
func (c *chart) firstValues() map[string]value {
	m := &machine{chart: c, data: map[string]value{}}
	for _, d := range c.data {
		m.data[d.name], _ = d.expr(m)
	}
	return m.data
}

func (c *chart) expr(e *element, text string) (expr, error) {
	x, err := parseExpr(text, func(n string) bool { _, ok := c.types[n]; return ok }, func(id string) bool { return c.states[id] != nil })
	if err != nil {
		return nil, c.fail(e.line, "the expression %s: %v", text, err)
	}
	return x, nil
}

// define reads what states do.
func (c *chart) define(e *element, s *state) error {
	if text := e.attrs["initial"]; text != "" {
		s.initial = &transition{source: s, names: strings.Fields(text), line: e.line}
	}
	next := 0
	below := append(slices.Clone(s.children), s.histories...)
	slices.SortFunc(below, func(a, b *state) int { return a.order - b.order })
	for _, child := range e.children {
		var err error
		switch child.name {
		case "state", "parallel", "final", "history":
			err = c.define(child, below[next])
			next++
		case "datamodel":
		case "initial":
			if len(child.children) != 1 || child.children[0].name != "transition" {
				return c.fail(child.line, "expected one <transition target=\"...\"> in <initial>")
			}
			s.initial, err = c.transition(child.children[0], s)
		case "transition":
			var t *transition
			if t, err = c.transition(child, s); err == nil {
				s.transitions = append(s.transitions, t)
			}
		case "onentry", "onexit":
			var list []*action
			if list, err = c.content(child); err == nil && child.name == "onentry" {
				s.entry = append(s.entry, list)
			} else if err == nil {
				s.exit = append(s.exit, list)
			}
		default:
			err = c.refuse(child, e.name)
		}
		if err != nil {
			return err
		}
	}
	if s.history() && len(s.transitions) != 1 {
		return c.fail(e.line, "history %s needs one <transition target=\"...\"> for the first time", s.id)
	}
	return nil
}

func (c *chart) transition(e *element, s *state) (*transition, error) {
	t := &transition{source: s, names: strings.Fields(e.attrs["target"]), internal: e.attrs["type"] == "internal", line: e.line}
	for _, d := range strings.Fields(e.attrs["event"]) {
		t.events = append(t.events, strings.TrimSuffix(strings.TrimSuffix(d, "*"), "."))
	}
	if text, ok := e.attrs["cond"]; ok {
		x, err := c.expr(e, text)
		if err != nil {
			return nil, err
		}
		t.cond = x
	}
	if s.history() && (t.events != nil || t.cond != nil) {
		return nil, c.fail(e.line, "the transition of history %s has no event and no condition", s.id)
	}
	var err error
	t.content, err = c.content(e)
	return t, err
}

// content reads executable content.
func (c *chart) content(e *element) (list []*action, err error) {
	for _, child := range e.children {
		a := &action{kind: child.name, line: child.line}
		switch child.name {
		case "log":
			continue
		case "raise":
			if a.event = child.attrs["event"]; a.event == "" {
				return nil, c.fail(child.line, "<raise> has no event")
			}
			c.raised[a.event] = true
		case "assign":
			err = c.assign(child, a)
		case "assert":
			if a.expr, err = c.expr(child, child.attrs["cond"]); err == nil {
				a.text = child.attrs["message"]
				if a.text == "" {
					a.text = "assertion " + child.attrs["cond"]
				}
			}
		case "if":
			a.branches, err = c.branches(child)
		default:
			err = c.refuse(child, e.name)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

func (c *chart) assign(e *element, a *action) (err error) {
	a.location = e.attrs["location"]
	if _, ok := c.types[a.location]; !ok {
		return c.fail(e.line, "there is no data %s to assign", a.location)
	}
	a.expr, err = c.expr(e, e.attrs["expr"])
	return err
}

func (c *chart) branches(e *element) ([]branch, error) {
	part := &element{name: "if", attrs: e.attrs, line: e.line}
	var list []branch
	add := func() error {
		b := branch{}
		var err error
		if part.name != "else" {
			if b.cond, err = c.expr(part, part.attrs["cond"]); err != nil {
				return err
			}
		}
		b.content, err = c.content(part)
		list = append(list, b)
		return err
	}
	for _, child := range e.children {
		if child.name != "elseif" && child.name != "else" {
			part.children = append(part.children, child)
			continue
		}
		if part.name == "else" {
			return nil, c.fail(child.line, "<%s> follows <else>", child.name)
		}
		if err := add(); err != nil {
			return nil, err
		}
		part = &element{name: child.name, attrs: child.attrs, line: child.line}
	}
	return list, add()
}

// resolve finds the targets of a state's transitions, and its initial state.
func (c *chart) resolve(s *state) error {
	list := s.transitions
	if s.initial != nil {
		list = append(slices.Clone(list), s.initial)
	}
	for _, t := range list {
		for _, n := range t.names {
			target := c.states[n]
			if target == nil {
				return c.fail(t.line, "there is no state %s", n)
			}
			if t == s.initial && !target.below(s) {
				return c.fail(t.line, "the initial state %s is not inside of %s", n, s.id)
			}
			t.targets = append(t.targets, target)
		}
	}
	if s.initial == nil && s.kind == compound && len(s.children) > 0 {
		s.initial = &transition{source: s, targets: s.children[:1], line: s.line}
	}
	if s.initial != nil && len(s.initial.targets) == 0 {
		return c.fail(s.initial.line, "the initial transition has no target")
	}
	return nil
}

// below says whether s is inside of another state; all are inside of the root.
func (s *state) below(other *state) bool {
	for p := s.parent; p != nil; p = p.parent {
		if p == other {
			return true
		}
	}
	return false
}
