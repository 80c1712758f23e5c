// SPDX-License-Identifier: Apache-2.0

package fsp

// This file compiles definitions to systems, and compositions of them.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/model/lts"
)

// A Definition is a process or composition that a file defines.
type Definition struct {
	Name      string
	Composite bool
	Property  bool
}

// Definitions lists what can be compiled, in the order of the file.
func (m *Model) Definitions() []Definition {
	var out []Definition
	for _, name := range m.order {
		if c := m.composites[name]; c != nil {
			out = append(out, Definition{name, true, c.property})
		} else {
			out = append(out, Definition{name, false, m.processes[name].property})
		}
	}
	return out
}

// Main is the definition that is meant if none is named: the last composition that is no
// property, else the last process that is none, else the last of all.
func (m *Model) Main() string {
	defs := m.Definitions()
	for _, composite := range []bool{true, false} {
		for _, d := range slices.Backward(defs) {
			if d.Composite == composite && !d.Property {
				return d.Name
			}
		}
	}
	return defs[len(defs)-1].Name
}

// A Result is a compiled definition.
type Result struct {
	System   *lts.System
	Warnings []string
}

type compiler struct {
	*Model
	ctx        context.Context
	budget     int
	left       int
	evaluating []string // constants and sets
	compiling  []string // processes and compositions
	graphs     map[string]*graph
	warnings   []string
}

// failure carries an error that is not about a position through the compiler.
type failure struct{ error }

// System compiles a definition. It makes at most so many states in all.
func (m *Model) System(ctx context.Context, name string, budget int) (r *Result, err error) {
	c := &compiler{Model: m, ctx: ctx, budget: budget, left: budget, graphs: map[string]*graph{}}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case fault:
			err = f.Error
		case failure:
			err = f.error
		default:
			panic(f)
		}
	}()
	if m.processes[name] == nil && m.composites[name] == nil {
		return nil, fmt.Errorf("%s: it defines no process %s; it defines %s", m.file, name, strings.Join(m.order, ", "))
	}
	s := c.compose(name, c.machines(&reference{Pos: Pos{1, 1}, name: name}, nil))
	return &Result{s, c.warnings}, nil
}

func (c *compiler) warn(p Pos, format string, args ...any) {
	w := fmt.Sprintf("%s:%d:%d: %s", c.file, p.Line, p.Column, fmt.Sprintf(format, args...))
	if !slices.Contains(c.warnings, w) {
		c.warnings = append(c.warnings, w)
	}
}

// spend counts one state.
func (c *compiler) spend() {
	if c.left--; c.left < 0 {
		panic(failure{&lts.BudgetError{What: c.file, Budget: c.budget}})
	}
	if c.left%1024 == 0 {
		if err := c.ctx.Err(); err != nil {
			panic(failure{err})
		}
	}
}

// bindParams gives parameters their arguments or their own values.
func (c *compiler) bindParams(name string, params []param, args []value, at Pos) *env {
	if len(args) > len(params) {
		c.fail(at, "%s has %d parameters and gets %d arguments", name, len(params), len(args))
	}
	var in *env
	for k, p := range params {
		if k < len(args) {
			in = in.bind(p.name, args[k])
		} else {
			in = in.bind(p.name, c.eval(p.value, in))
		}
	}
	return in
}

// once compiles a process, or finds it compiled for the same arguments.
func (c *compiler) once(d *process, args []value, at Pos) *graph {
	key := d.name
	for _, a := range args {
		key += "," + a.String()
	}
	if g := c.graphs[key]; g != nil {
		return g
	}
	c.enter(key, d.name, at)
	g := c.sequential(d, args, at)
	c.compiling = c.compiling[:len(c.compiling)-1]
	c.graphs[key] = g
	return g
}

func (c *compiler) enter(key, name string, at Pos) {
	if slices.Contains(c.compiling, key) {
		c.fail(at, "%s contains itself", name)
	}
	c.compiling = append(c.compiling, key)
}

// machines are the systems of a reference, which are to be composed. They are not yet,
// so that labels and relabelling reach each of them.
func (c *compiler) machines(r *reference, in *env) []*lts.System {
	var args []value
	for _, a := range r.args {
		args = append(args, c.eval(a, in))
	}
	if d := c.processes[r.name]; d != nil {
		s := c.once(d, args, r.Pos).system(d.name)
		if d.minimal {
			s = s.Minimize()
		}
		if d.property {
			return []*lts.System{c.property(s, d.Pos)}
		}
		return []*lts.System{s}
	}
	d := c.composites[r.name]
	if d == nil {
		c.fail(r.Pos, "there is no process %s", r.name)
	}
	c.enter(r.name, r.name, r.Pos)
	params := c.bindParams(d.name, d.params, args, r.Pos)
	list := c.parallel(d.body, params)
	c.compiling = c.compiling[:len(c.compiling)-1]
	if d.hidden == nil && !d.property && !d.minimal {
		return list
	}
	s := c.compose(d.name, list)
	if d.hidden != nil {
		s = hide(s, c.elements(d.hidden, params), d.expose)
	}
	if d.minimal {
		s = s.Minimize()
	}
	if d.property {
		s = c.property(s, d.Pos)
	}
	return []*lts.System{s}
}

func (c *compiler) property(s *lts.System, at Pos) *lts.System {
	p, err := s.Property()
	if err != nil {
		c.fail(at, "%v", err)
	}
	return p
}

func (c *compiler) compose(name string, list []*lts.System) *lts.System {
	if len(list) == 1 {
		s := *list[0]
		s.Name = name
		return &s
	}
	s, err := lts.Compose(c.ctx, name, c.left, list...)
	if err != nil {
		var b *lts.BudgetError
		if errors.As(err, &b) {
			b.Budget = c.budget
		}
		panic(failure{err})
	}
	return s
}

// parallel gives the systems of a part of a composition.
func (c *compiler) parallel(b *parallel, in *env) []*lts.System {
	switch {
	case b.cond != nil:
		if c.holds(b.cond, in) {
			return c.parallel(b.then, in)
		}
		if b.other == nil {
			return nil
		}
		return c.parallel(b.other, in)
	case b.forall != nil:
		var all []*lts.System
		for _, m := range c.enumerate(b.forall, in) {
			all = append(all, c.parallel(b.then, m.env)...)
		}
		return all
	}
	var all []*lts.System
	inner := func(in *env) []*lts.System {
		if b.single != nil {
			return c.machines(b.single, in)
		}
		var list []*lts.System
		for _, part := range b.parts {
			list = append(list, c.parallel(part, in)...)
		}
		return list
	}
	if b.prefix == nil {
		all = inner(in)
	} else {
		for _, m := range c.enumerate(b.prefix, in) {
			for _, s := range inner(m.env) {
				all = append(all, s.Relabel(func(a string) []string { return []string{m.label + "." + a} }))
			}
		}
	}
	if b.share != nil {
		sharers := c.enumerate(b.share, in)
		for k, s := range all {
			all[k] = s.Relabel(func(a string) []string {
				var out []string
				for _, m := range sharers {
					out = append(out, m.label+"."+a)
				}
				return out
			})
		}
	}
	if r := c.relabelling(b.relabels, in); len(r) > 0 {
		for k, s := range all {
			all[k] = s.Relabel(r.of)
		}
	}
	return all
}

// A relabelling gives old labels, and what begins with them, new ones.
type relabelling map[string][]string

func (c *compiler) relabelling(list []*relabel, in *env) relabelling {
	out := relabelling{}
	var add func(list []*relabel, in *env)
	add = func(list []*relabel, in *env) {
		for _, r := range list {
			if r.forall != nil {
				for _, m := range c.enumerate(r.forall, in) {
					add(r.inner, m.env)
				}
				continue
			}
			// Variables that the old label binds are those of the new one, and the other way
			// round: /{a[i:R]/b[i]} and /{a[i]/b[i:R]} are the same.
			_, binds := r.to.variables()
			if len(binds) > 0 {
				for _, to := range c.enumerate(r.to, in) {
					for _, from := range c.enumerate(r.from, to.env) {
						out[from.label] = append(out[from.label], to.label)
					}
				}
				continue
			}
			for _, from := range c.enumerate(r.from, in) {
				for _, to := range c.enumerate(r.to, from.env) {
					out[from.label] = append(out[from.label], to.label)
				}
			}
		}
	}
	add(list, in)
	return out
}

// of gives the new labels of an action: by the longest old label that it is or begins
// with.
func (r relabelling) of(action string) []string {
	for end := len(action); end > 0; end = strings.LastIndexByte(action[:end], '.') {
		if list := r[action[:end]]; list != nil {
			var out []string
			for _, l := range list {
				out = append(out, l+action[end:])
			}
			return out
		}
	}
	return []string{action}
}

func (g *graph) relabel(r relabelling) {
	if len(r) == 0 {
		return
	}
	alphabet := map[string]bool{}
	for a := range g.alphabet {
		for _, l := range r.of(a) {
			alphabet[l] = true
		}
	}
	g.alphabet = alphabet
	for k, row := range g.edges {
		var out []arc
		for _, e := range row {
			if e.label == "" {
				out = append(out, e)
				continue
			}
			for _, l := range r.of(e.label) {
				out = append(out, arc{l, e.to})
			}
		}
		g.edges[k] = out
	}
}

// visible says which actions stay visible: those that begin with a label, or those that
// begin with none.
func visible(list []string, expose bool) func(action string) bool {
	set := map[string]bool{}
	for _, l := range list {
		set[l] = true
	}
	return func(action string) bool {
		for end := len(action); end > 0; end = strings.LastIndexByte(action[:end], '.') {
			if set[action[:end]] {
				return expose
			}
		}
		return !expose
	}
}

func hide(s *lts.System, list []string, expose bool) *lts.System {
	return s.Hide(visible(list, expose))
}

func (g *graph) hide(list []string, expose bool) {
	keep := visible(list, expose)
	maps.DeleteFunc(g.alphabet, func(a string, _ bool) bool { return !keep(a) })
	for _, row := range g.edges {
		for k := range row {
			if row[k].label != "" && !keep(row[k].label) {
				row[k].label = ""
			}
		}
	}
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
