// SPDX-License-Identifier: Apache-2.0

package prog

// This file compares programs. Their terms live in different pools and a pool
// orders arguments by age, so both programs' terms are rebuilt in one common
// pool, where equal terms are one pointer.

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// Equal reports whether a and b are the same program up to positions: names,
// types, initial values, locations, edges and error sites, in order. If not,
// the reason tells the first difference.
func Equal(a, b *Program) (ok bool, reason string) {
	c := &comparison{pool: term.NewPool(), a: make(map[*term.Term]*term.Term), b: make(map[*term.Term]*term.Term), enums: make(map[*term.Enum]*term.Enum)}
	c.programs(a, b)
	return c.reason == "", c.reason
}

type comparison struct {
	pool   *term.Pool
	enums  map[*term.Enum]*term.Enum // of b, to those of a
	a, b   map[*term.Term]*term.Term // rebuilt
	reason string
}

// differ records the first difference.
func (c *comparison) differ(format string, args ...any) {
	if c.reason == "" {
		c.reason = fmt.Sprintf(format, args...)
	}
}

func (c *comparison) programs(a, b *Program) {
	if a.Name != b.Name {
		c.differ("component %s versus %s", a.Name, b.Name)
	}
	if len(a.Enums) != len(b.Enums) {
		c.differ("%d enums versus %d", len(a.Enums), len(b.Enums))
		return
	}
	for i, e := range a.Enums {
		f := b.Enums[i]
		if e.Name != f.Name || !slices.Equal(e.Values, f.Values) {
			c.differ("enum %s %v versus %s %v", e.Name, e.Values, f.Name, f.Values)
			return
		}
		c.enums[f] = e
	}
	c.vars("state", a.State, b.State)
	if len(a.Invariants) != len(b.Invariants) {
		c.differ("%d invariants versus %d", len(a.Invariants), len(b.Invariants))
		return
	}
	for i, t := range a.Invariants {
		if c.left(t) != c.right(b.Invariants[i]) {
			c.differ("invariant %v versus %v", t, b.Invariants[i])
		}
	}
	c.methods("constructor", a.Constructors, b.Constructors)
	c.methods("method", a.Methods, b.Methods)
}

func (c *comparison) vars(what string, a, b []*Var) {
	if len(a) != len(b) {
		c.differ("%s: %d variables versus %d", what, len(a), len(b))
		return
	}
	for i, v := range a {
		w := b[i]
		switch {
		case v.Name != w.Name || v.Type != c.typ(w.Type):
			c.differ("%s: variable %s %v versus %s %v", what, v.Name, v.Type, w.Name, w.Type)
		case (v.Init == nil) != (w.Init == nil) || v.Init != nil && c.left(v.Init) != c.right(w.Init):
			c.differ("%s: initial value of %s: %v versus %v", what, v.Name, v.Init, w.Init)
		}
	}
}

func (c *comparison) methods(what string, a, b []*Method) {
	if len(a) != len(b) {
		c.differ("%d %ss versus %d", len(a), what, len(b))
		return
	}
	for i := range a {
		c.method(what, a[i], b[i])
	}
}

func (c *comparison) method(what string, a, b *Method) {
	where := what + " " + a.Name
	if a.Name != b.Name || a.Implicit != b.Implicit {
		c.differ("%s versus %s", where, b.Name)
		return
	}
	c.vars(where+": parameters", a.Params, b.Params)
	c.vars(where+": results", a.Results, b.Results)
	c.vars(where+": locals", a.Locals, b.Locals)
	if a.Locs != b.Locs || a.Entry != b.Entry || a.Exit != b.Exit {
		c.differ("%s: %d locations, entry %d, exit %d versus %d, %d, %d", where, a.Locs, a.Entry, a.Exit, b.Locs, b.Entry, b.Exit)
	}
	if len(a.Edges) != len(b.Edges) {
		c.differ("%s: %d edges versus %d", where, len(a.Edges), len(b.Edges))
	}
	for i := range min(len(a.Edges), len(b.Edges)) {
		if c.reason != "" {
			return
		}
		if x, y := &a.Edges[i], &b.Edges[i]; !c.edge(x, y) {
			c.differ("%s: edge %d: %v versus %v", where, i, x, y)
		}
	}
	if len(a.Errors) != len(b.Errors) {
		c.differ("%s: %d error sites versus %d", where, len(a.Errors), len(b.Errors))
		return
	}
	for i, x := range a.Errors {
		y := b.Errors[i]
		if x.Loc != y.Loc || x.Kind != y.Kind || x.Message != y.Message || x.Blamed != y.Blamed {
			c.differ("%s: error site %d: %v versus %v", where, i, x, y)
		}
	}
}

func (c *comparison) edge(x, y *Edge) bool {
	if x.From != y.From || x.To != y.To || x.Kind != y.Kind || x.Origin != y.Origin ||
		len(x.Vars) != len(y.Vars) || len(x.Exprs) != len(y.Exprs) {
		return false
	}
	for i, v := range x.Vars {
		if v.Name != y.Vars[i].Name {
			return false
		}
	}
	for i, t := range x.Exprs {
		if c.left(t) != c.right(y.Exprs[i]) {
			return false
		}
	}
	return true
}

func (c *comparison) typ(t Type) Type {
	t.Sort = c.sort(t.Sort)
	return t
}

func (c *comparison) sort(s term.Sort) term.Sort {
	if e := c.enums[s.Enum]; e != nil {
		s.Enum = e
	}
	return s
}

func (c *comparison) left(t *term.Term) *term.Term {
	return rebuild(c.pool, t, c.a, func(s term.Sort) term.Sort { return s })
}

func (c *comparison) right(t *term.Term) *term.Term { return rebuild(c.pool, t, c.b, c.sort) }

// rebuild builds t in another pool.
func rebuild(p *term.Pool, t *term.Term, memo map[*term.Term]*term.Term, sort func(term.Sort) term.Sort) *term.Term {
	if r := memo[t]; r != nil {
		return r
	}
	args := make([]*term.Term, len(t.Args()))
	for i, a := range t.Args() {
		args[i] = rebuild(p, a, memo, sort)
	}
	r := build(p, t, args, sort)
	memo[t] = r
	return r
}

func build(p *term.Pool, t *term.Term, args []*term.Term, sort func(term.Sort) term.Sort) *term.Term {
	switch t.Op() {
	case term.OpConst:
		return p.Const(sort(t.Sort()), t.Value())
	case term.OpVar:
		return p.Var(t.Name(), sort(t.Sort()))
	case term.OpNot:
		return p.Not(args[0])
	case term.OpAnd:
		return p.And(args...)
	case term.OpOr:
		return p.Or(args...)
	case term.OpIte:
		return p.Ite(args[0], args[1], args[2])
	case term.OpEq:
		return p.Eq(args[0], args[1])
	case term.OpBVNot:
		return p.BVNot(args[0])
	case term.OpBVAnd:
		return p.BVAnd(args...)
	case term.OpBVOr:
		return p.BVOr(args...)
	case term.OpBVXor:
		return p.BVXor(args...)
	case term.OpNeg:
		return p.Neg(args[0])
	case term.OpAdd:
		return p.Add(args...)
	case term.OpMul:
		return p.Mul(args...)
	case term.OpUDiv:
		return p.UDiv(args[0], args[1])
	case term.OpURem:
		return p.URem(args[0], args[1])
	case term.OpSDiv:
		return p.SDiv(args[0], args[1])
	case term.OpSRem:
		return p.SRem(args[0], args[1])
	case term.OpShl:
		return p.Shl(args[0], args[1])
	case term.OpLShr:
		return p.LShr(args[0], args[1])
	case term.OpAShr:
		return p.AShr(args[0], args[1])
	case term.OpULt:
		return p.ULt(args[0], args[1])
	case term.OpULe:
		return p.ULe(args[0], args[1])
	case term.OpSLt:
		return p.SLt(args[0], args[1])
	case term.OpSLe:
		return p.SLe(args[0], args[1])
	case term.OpConcat:
		return p.Concat(args...)
	case term.OpExtract:
		hi, lo := t.Extract()
		return p.Extract(hi, lo, args[0])
	case term.OpZeroExt:
		return p.ZeroExt(t.ExtBits(), args[0])
	case term.OpSignExt:
		return p.SignExt(t.ExtBits(), args[0])
	}
	panic(fmt.Sprintf("prog: term operator %d", t.Op()))
}

// String shows an edge in messages and tests: 3 -> 4: x, y = a, b.
func (e *Edge) String() string {
	s := fmt.Sprintf("%d -> %d: ", e.From, e.To)
	switch e.Kind {
	case AssumeEdge:
		return s + fmt.Sprintf("assume %v", e.Exprs)
	case HavocEdge:
		return s + fmt.Sprintf("havoc %s", e.Vars[0].Name)
	case AssignEdge:
		for i, v := range e.Vars {
			s += fmt.Sprintf("%s = %v ", v.Name, e.Exprs[i])
		}
	}
	return s
}
