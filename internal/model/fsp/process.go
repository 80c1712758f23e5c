// SPDX-License-Identifier: Apache-2.0

package fsp

// This file compiles sequential processes to graphs. A state is a choice with the
// values of the variables that matter for it.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/model/lts"
)

// A graph is a process whose END is still known, so that another can follow it. Labels
// are texts, "" a hidden step; state numbers are indices, or one of the two below.
type graph struct {
	alphabet map[string]bool
	edges    [][]arc
	start    int
}

type arc struct {
	label string
	to    int
}

const (
	errorState = -1
	endState   = -2
)

// system turns a graph into a system.
func (g *graph) system(name string) *lts.System {
	b := lts.NewBuilder()
	for _, a := range sortedKeys(g.alphabet) {
		b.Action(a)
	}
	end := int32(len(g.edges)) // a state without edges
	state := func(n int) int32 {
		switch n {
		case errorState:
			return lts.Error
		case endState:
			return end
		}
		return int32(n)
	}
	for from, row := range g.edges {
		for _, e := range row {
			action := lts.Hidden
			if e.label != "" {
				action = b.Action(e.label)
			}
			b.Edge(int32(from), action, state(e.to))
		}
	}
	return b.System(name, state(g.start))
}

// instance is a process while it is compiled.
type instance struct {
	*compiler
	def     *process
	params  *env
	locals  map[string]*instanceOf // name and indices
	g       *graph
	states  map[string]int
	pending []pending
	choices map[*body]int // numbers, for keys
}

type instanceOf struct {
	body *body
	env  *env
}

type pending struct {
	state int
	body  *body
	env   *env
}

// sequential compiles a process with values for its parameters.
func (c *compiler) sequential(d *process, args []value, at Pos) *graph {
	params := c.bindParams(d.name, d.params, args, at)
	i := &instance{
		compiler: c, def: d, params: params, locals: map[string]*instanceOf{}, g: &graph{alphabet: map[string]bool{}},
		states: map[string]int{}, choices: map[*body]int{},
	}
	for _, l := range d.locals {
		l.body.variables()
		for _, b := range c.indices(l.indices, params) {
			key := l.name + b.label
			if i.locals[key] != nil {
				c.fail(l.Pos, "%s is defined twice", display(l.name, b.label))
			}
			i.locals[key] = &instanceOf{l.body, b.env}
		}
	}
	if first := d.locals[0].indices; first != nil {
		c.fail(first.Pos, "the first definition of a process has no index: define %s as %s_ with an index", d.name, d.name)
	}
	i.g.start = i.resolve(&body{Pos: d.Pos, name: d.name}, params, nil)
	for _, l := range d.locals { // unreached instances count for the alphabet
		for _, b := range c.indices(l.indices, params) {
			i.resolve(l.body, b.env, nil)
		}
	}
	for len(i.pending) > 0 {
		p := i.pending[0]
		i.pending = i.pending[1:]
		i.expand(p)
	}
	g := i.g
	if d.extend != nil {
		for _, a := range c.elements(d.extend, params) {
			g.alphabet[a] = true
		}
	}
	g.relabel(c.relabelling(d.relabels, params))
	if d.hidden != nil {
		g.hide(c.elements(d.hidden, params), d.expose)
	}
	return g
}

// indices enumerates the indices of a definition; the labels are of the form ".1.2".
func (c *compiler) indices(l *labels, in *env) []bound {
	if l == nil {
		return []bound{{"", in}}
	}
	list := c.enumerate(l, in)
	for k := range list {
		list[k].label = "." + list[k].label
	}
	return list
}

func display(name, indices string) string {
	if indices == "" {
		return name
	}
	return name + "[" + strings.ReplaceAll(indices[1:], ".", "][") + "]"
}

// resolve gives the state that a body is, and queues it if it is new. Open are the
// references that are being resolved.
func (i *instance) resolve(b *body, in *env, open []string) int {
	switch {
	case b.choices != nil:
		return i.state(b, in)
	case b.cond != nil:
		if i.holds(b.cond, in) {
			return i.resolve(b.then, in, open)
		}
		return i.resolve(b.other, in, open)
	case b.seq != nil:
		last := *b
		last.seq = nil
		to := i.resolve(&last, in, open)
		for _, r := range slices.Backward(b.seq) {
			to = i.embed(r, in, to)
		}
		return to
	}
	switch b.name {
	case "STOP":
		return i.stop()
	case "END":
		return endState
	case "ERROR":
		return errorState
	}
	key := b.name
	for _, e := range b.indices {
		key += "." + i.eval(e, in).String()
	}
	if i.Failing != nil && i.Failing(display(b.name, key[len(b.name):])) {
		return errorState
	}
	if slices.Contains(open, key) {
		i.fail(b.Pos, "%s refers to itself without an action between", display(b.name, key[len(b.name):]))
	}
	if l := i.locals[key]; l != nil {
		return i.resolve(l.body, l.env, append(slices.Clip(open), key))
	}
	defined := slices.ContainsFunc(i.def.locals, func(l *local) bool { return l.name == b.name })
	if !defined {
		hint := ""
		if i.processes[b.name] != nil {
			hint = fmt.Sprintf("; a process of its own is followed by another: %s; END", b.name)
		}
		i.fail(b.Pos, "there is no local process %s%s", b.name, hint)
	}
	i.warn(b.Pos, "%s is not defined: it is ERROR", display(b.name, key[len(b.name):]))
	return errorState
}

// stop is a state without edges.
func (i *instance) stop() int {
	n, ok := i.states["STOP"]
	if !ok {
		n = i.fresh("STOP")
	}
	return n
}

func (i *instance) fresh(key string) int {
	n := len(i.g.edges)
	i.spend()
	i.g.edges = append(i.g.edges, nil)
	i.states[key] = n
	return n
}

// state is the state of a choice.
func (i *instance) state(b *body, in *env) int {
	k, ok := i.choices[b]
	if !ok {
		k = len(i.choices)
		i.choices[b] = k
	}
	key := fmt.Sprint(k)
	for _, v := range b.free {
		if val, ok := in.lookup(v); ok {
			key += " " + val.String()
		}
	}
	n, ok := i.states[key]
	if !ok {
		n = i.fresh(key)
		i.pending = append(i.pending, pending{n, b, in})
	}
	return n
}

// expand adds the edges of a choice.
func (i *instance) expand(p pending) {
	for _, c := range p.body.choices {
		if c.guard != nil && !i.holds(c.guard, p.env) {
			continue
		}
		for _, b := range i.enumerate(c.action, p.env) {
			i.g.alphabet[b.label] = true
			i.g.edges[p.state] = append(i.g.edges[p.state], arc{b.label, i.resolve(c.next, b.env, nil)})
		}
	}
}

// embed puts a process before a state and gives its first state.
func (i *instance) embed(r *reference, in *env, to int) int {
	if r.name == "STOP" || r.name == "ERROR" || r.name == "END" {
		return i.resolve(&body{Pos: r.Pos, name: r.name}, in, nil)
	}
	d := i.processes[r.name]
	if d == nil {
		i.fail(r.Pos, "there is no process %s that another could follow", r.name)
	}
	var args []value
	for _, a := range r.args {
		args = append(args, i.eval(a, in))
	}
	g := i.once(d, args, r.Pos)
	for a := range g.alphabet {
		i.g.alphabet[a] = true
	}
	base := len(i.g.edges)
	place := func(n int) int {
		switch n {
		case errorState:
			return errorState
		case endState:
			return to
		}
		return base + n
	}
	for _, row := range g.edges {
		i.spend()
		var copied []arc
		for _, e := range row {
			copied = append(copied, arc{e.label, place(e.to)})
		}
		i.g.edges = append(i.g.edges, copied)
	}
	return place(g.start)
}
