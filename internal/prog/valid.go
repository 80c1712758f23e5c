// SPDX-License-Identifier: Apache-2.0

package prog

// This file checks that a Program value, built by whatever front end, is well
// formed: everything that engines, printer and interpreter rely on.

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/interlock-go/interlock/internal/term"
)

// Check reports every way in which p is not well formed, as an ErrorList; nil if
// there is none. Programs from Parse pass.
func (p *Program) Check() error {
	v := &validator{p: p, enums: make(map[*term.Enum]bool), values: make(map[string]bool)}
	v.program()
	if len(v.errs) == 0 {
		return nil
	}
	return v.errs.err()
}

type validator struct {
	p      *Program
	enums  map[*term.Enum]bool
	values map[string]bool // names of enum values, plain and qualified
	where  string
	errs   ErrorList
}

func (v *validator) errorf(pos Pos, format string, args ...any) {
	v.errs = append(v.errs, &Error{pos, v.where + fmt.Sprintf(format, args...)})
}

func (v *validator) name(pos Pos, what, name string) {
	if name == "" || strings.ContainsAny(name, "`\n") || !utf8.ValidString(name) {
		v.errorf(pos, "%s has the name %q, which cannot be written", what, name)
	}
}

func (v *validator) program() {
	p := v.p
	v.name(p.Pos, "component", p.Name)
	if p.Pool == nil {
		v.errorf(p.Pos, "program has no pool")
		return
	}
	seen := make(map[string]bool)
	for _, e := range p.Enums {
		if e == nil {
			v.errorf(p.Pos, "nil enum")
			continue
		}
		v.name(p.Pos, "enum", e.Name)
		if seen[e.Name] || e.Name == "bool" || isIntName(e.Name) {
			v.errorf(p.Pos, "enum %s is declared twice", e.Name)
		}
		seen[e.Name] = true
		v.enums[e] = true
		if len(e.Values) == 0 {
			v.errorf(p.Pos, "enum %s has no values", e.Name)
		}
		for i, value := range e.Values {
			v.name(p.Pos, "value of enum "+e.Name, value)
			if slices.Contains(e.Values[:i], value) {
				v.errorf(p.Pos, "enum %s has two values %s", e.Name, value)
			}
			v.values[value], v.values[e.Name+"."+value] = true, true
		}
	}
	v.vars("state variable", p.State, make(map[string]*Var), true)
	for _, t := range p.Invariants {
		v.invariant(t)
	}
	if len(p.Constructors) == 0 {
		v.errorf(p.Pos, "program has no constructor")
	}
	names := make(map[string]bool)
	for _, m := range slices.Concat(p.Constructors, p.Methods) {
		v.where = ""
		if m == nil {
			v.errorf(p.Pos, "nil method")
			continue
		}
		v.name(m.Pos, "method", m.Name)
		if names[m.Name] {
			v.errorf(m.Pos, "method %s is declared twice", m.Name)
		}
		names[m.Name] = true
		v.where = "method " + m.Name + ": "
		v.method(m)
	}
	v.where = ""
	for _, m := range p.Constructors {
		if m != nil && m.Implicit && (len(p.Constructors) > 1 || m.Name != implicitName || len(m.Params)+len(m.Results)+len(m.Locals) > 0 || m.Entry != m.Exit) {
			v.errorf(m.Pos, "constructor %s is implicit but does not stand alone, is not called %s, or does something", m.Name, implicitName)
		}
	}
	for _, m := range p.Methods {
		if m != nil && m.Implicit {
			v.errorf(m.Pos, "method %s is implicit", m.Name)
		}
	}
}

// invariant checks that a term is a condition over the state.
func (v *validator) invariant(t *term.Term) {
	if t == nil || t.Sort().Kind != term.BoolKind {
		v.errorf(v.p.Pos, "an invariant is no condition")
		return
	}
	for _, x := range term.FreeVars(t) {
		if !slices.ContainsFunc(v.p.State, func(s *Var) bool { return s != nil && s.Term == x }) {
			v.errorf(v.p.Pos, "an invariant is about %s, which is no state variable", x.Name())
		}
	}
}

// vars checks declarations and adds the variables to those visible before.
func (v *validator) vars(what string, list []*Var, visible map[string]*Var, state bool) {
	for _, x := range list {
		if x == nil {
			v.errorf(v.p.Pos, "nil %s", what)
			continue
		}
		v.name(x.Pos, what, x.Name)
		if visible[x.Name] != nil || v.values[x.Name] {
			v.errorf(x.Pos, "%s %s: the name is declared twice", what, x.Name)
		}
		visible[x.Name] = x
		switch s := x.Type.Sort; {
		case s.Kind == term.BitVecKind && s.Width >= 1 && s.Width <= maxBits:
		case s.Kind == term.BoolKind && !x.Type.Signed:
		case s.Kind == term.EnumKind && !x.Type.Signed && v.enums[s.Enum]:
		default:
			v.errorf(x.Pos, "%s %s has the type %v, expected bool, an integer of 1 to %d bits, or an enum of the program", what, x.Name, x.Type, maxBits)
			continue
		}
		if x.Term == nil || x.Term != v.p.Pool.Var(x.Name, x.Type.Sort) {
			v.errorf(x.Pos, "%s %s: its term is not the variable %s of the program's pool", what, x.Name, x.Name)
		}
		switch {
		case x.Init == nil:
		case !state:
			v.errorf(x.Pos, "%s %s has an initial value", what, x.Name)
		case !x.Init.IsConst() || x.Init.Sort() != x.Type.Sort:
			v.errorf(x.Pos, "%s %s: initial value %v is not a constant of type %v", what, x.Name, x.Init, x.Type)
		}
	}

}

func (v *validator) method(m *Method) {
	visible := make(map[string]*Var)
	for _, x := range v.p.State {
		if x != nil {
			visible[x.Name] = x
		}
	}
	v.vars("parameter", m.Params, visible, false)
	v.vars("result", m.Results, visible, false)
	v.vars("local variable", m.Locals, visible, false)
	known := make(map[*term.Term]bool)
	for _, x := range visible {
		known[x.Term] = true
	}
	inside := func(loc int) bool { return loc >= 0 && loc < m.Locs }
	if !inside(m.Entry) || !inside(m.Exit) {
		v.errorf(m.Pos, "entry %d and exit %d are not both among %d locations", m.Entry, m.Exit, m.Locs)
	}
	final := map[int]string{m.Exit: "the exit"}
	for _, e := range m.Errors {
		switch {
		case e == nil:
			v.errorf(m.Pos, "nil error site")
			continue
		case !inside(e.Loc):
			v.errorf(e.Pos, "error site at location %d of %d", e.Loc, m.Locs)
		case final[e.Loc] != "":
			v.errorf(e.Pos, "error site at location %d, which is already %s", e.Loc, final[e.Loc])
		}
		v.name(e.Pos, "kind of an error site", e.Kind)
		final[e.Loc] = "an error site"
	}
	last := 0
	for i := range m.Edges {
		e := &m.Edges[i]
		if !inside(e.From) || !inside(e.To) {
			v.errorf(e.Pos, "edge %d -> %d leaves the %d locations", e.From, e.To, m.Locs)
			continue
		}
		if e.From < last {
			v.errorf(e.Pos, "edges are not sorted by source: %d after %d", e.From, last)
		}
		last = e.From
		if what := final[e.From]; what != "" {
			v.errorf(e.Pos, "edge leaves %s", what)
		}
		v.edge(e, visible, known)
	}
}

func (v *validator) edge(e *Edge, visible map[string]*Var, known map[*term.Term]bool) {
	at := fmt.Sprintf("edge %d -> %d", e.From, e.To)
	for i, x := range e.Vars {
		switch {
		case x == nil || visible[x.Name] != x:
			v.errorf(e.Pos, "%s changes a variable that is not declared", at)
			return
		case slices.Contains(e.Vars[:i], x):
			v.errorf(e.Pos, "%s assigns %s twice", at, x.Name)
		}
	}
	for _, t := range e.Exprs {
		if t == nil {
			v.errorf(e.Pos, "%s has a nil term", at)
			return
		}
	}
	switch e.Kind {
	case AssignEdge:
		if len(e.Vars) != len(e.Exprs) {
			v.errorf(e.Pos, "%s has %d variables and %d terms", at, len(e.Vars), len(e.Exprs))
			return
		}
		for i, x := range e.Vars {
			if e.Exprs[i].Sort() != x.Type.Sort {
				v.errorf(e.Pos, "%s assigns a term of sort %v to %s %v", at, e.Exprs[i].Sort(), x.Name, x.Type)
			}
		}
	case AssumeEdge:
		if len(e.Vars) != 0 || len(e.Exprs) != 1 || e.Exprs[0].Sort().Kind != term.BoolKind {
			v.errorf(e.Pos, "%s: an assume has one boolean term and no variables", at)
		}
	case HavocEdge:
		if len(e.Vars) != 1 || len(e.Exprs) != 0 {
			v.errorf(e.Pos, "%s: a havoc has one variable and no terms", at)
		}
	default:
		v.errorf(e.Pos, "%s has no kind", at)
	}
	if e.Kind == HavocEdge != (e.Origin == Environment || e.Origin == Hidden || e.Origin == Guess) {
		v.errorf(e.Pos, "%s: a havoc has an origin, and nothing else has", at)
	}
	for _, t := range term.FreeVars(e.Exprs...) {
		if !known[t] {
			v.errorf(e.Pos, "%s uses %s, which is not a variable visible here (with this sort, in this pool)", at, t.Name())
		}
	}
}
