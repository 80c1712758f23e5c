// SPDX-License-Identifier: Apache-2.0

package lower

// This file compares abstract interpretation with all runs of small random
// components: whatever is claimed at a location holds of every run that is there.
// The runs are enumerated from the values of terms alone.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A lottery makes random components of narrow integers.
type lottery struct {
	r     *rand.Rand
	w     *World
	small []*prog.Var // of 3 bits
	large []*prog.Var // of 5 bits
	flags []*prog.Var
}

func (l *lottery) pick(list []*prog.Var) *term.Term { return list[l.r.IntN(len(list))].Term }

func (l *lottery) number(width, depth int) *term.Term {
	p := l.w.Pool
	vars := l.small
	if width == 5 {
		vars = l.large
	}
	if depth == 0 || l.r.IntN(4) == 0 {
		if l.r.IntN(3) == 0 {
			return p.Int(width, int64(l.r.IntN(1<<width)))
		}
		return l.pick(vars)
	}
	a := func() *term.Term { return l.number(width, depth-1) }
	switch l.r.IntN(20) {
	case 0, 1, 2, 3:
		return p.Add(a(), a())
	case 4, 5, 6:
		return p.Sub(a(), a())
	case 7:
		return p.Mul(p.Int(width, int64(l.r.IntN(4))), a())
	case 8:
		return p.Mul(a(), a())
	case 9:
		return p.Neg(a())
	case 10:
		return p.BVNot(a())
	case 11, 12:
		return p.Ite(l.condition(depth-1), a(), a())
	case 13:
		return []func(a, b *term.Term) *term.Term{p.UDiv, p.SDiv, p.URem, p.SRem}[l.r.IntN(4)](a(), a())
	case 14:
		return []func(a, b *term.Term) *term.Term{p.Shl, p.LShr, p.AShr}[l.r.IntN(3)](a(), a())
	case 15:
		return []func(ts ...*term.Term) *term.Term{p.BVAnd, p.BVOr, p.BVXor}[l.r.IntN(3)](a(), a())
	}
	if width == 3 {
		return p.Extract(2, 0, l.number(5, depth-1))
	}
	if l.r.IntN(2) == 0 {
		return p.ZeroExt(2, l.number(3, depth-1))
	}
	return p.SignExt(2, l.number(3, depth-1))
}

func (l *lottery) condition(depth int) *term.Term {
	p := l.w.Pool
	width := 3
	if l.r.IntN(2) == 0 {
		width = 5
	}
	a := func() *term.Term { return l.number(width, depth) }
	switch n := l.r.IntN(16); {
	case n < 4:
		return p.SLt(a(), a())
	case n < 7:
		return p.SLe(a(), a())
	case n == 7:
		return p.ULt(a(), a())
	case n == 8:
		return p.ULe(a(), a())
	case n == 9:
		return p.Eq(a(), a())
	case n == 10:
		return l.pick(l.flags)
	case n == 11: // no-wrap
		s, t := a(), a()
		return p.Iff(p.SLe(p.Int(width, 0), t), p.SLe(s, p.Add(s, t)))
	}
	if depth == 0 {
		return p.SLe(a(), a())
	}
	c := func() *term.Term { return l.condition(depth - 1) }
	switch l.r.IntN(4) {
	case 0:
		return p.Or(c(), c())
	case 1:
		return p.And(c(), c())
	case 2:
		return p.Iff(c(), c())
	}
	return p.Not(c())
}

func (l *lottery) value(t prog.Type) *term.Term {
	if t.Sort == term.BoolSort {
		return l.condition(1)
	}
	return l.number(t.Sort.Width, 2)
}

// method makes a random automaton.
func (l *lottery) method(name string, state []*prog.Var) *Method {
	m := l.w.NewMethod(name, prog.Pos{})
	l.small, l.large, l.flags = nil, nil, nil
	vars := append([]*prog.Var{}, state...)
	vars = append(vars, m.Param("p", "p", prog.Type{Sort: term.BV(3), Signed: l.r.IntN(2) == 0}))
	for i, w := range []int{3, 5, 5} {
		vars = append(vars, m.Local(fmt.Sprint("x", i), "x", prog.Type{Sort: term.BV(w), Signed: l.r.IntN(2) == 0}))
	}
	vars = append(vars, m.Local("b", "b", prog.Type{Sort: term.BoolSort}))
	for _, v := range vars {
		switch {
		case v.Type.Sort == term.BoolSort:
			l.flags = append(l.flags, v)
		case v.Type.Sort.Width == 3:
			l.small = append(l.small, v)
		default:
			l.large = append(l.large, v)
		}
	}
	locs := []int{m.M.Entry}
	for range 5 {
		locs = append(locs, m.New())
	}
	locs = append(locs, m.M.Exit)
	for i, from := range locs[:len(locs)-1] {
		to := func() int {
			if l.r.IntN(4) == 0 {
				return locs[1+l.r.IntN(len(locs)-1)]
			}
			return locs[i+1]
		}
		add := func(e prog.Edge) {
			e.From, e.To = from, to()
			if e.From == e.To {
				e.To = m.M.Exit
			}
			m.M.Edges = append(m.M.Edges, e)
		}
		switch l.r.IntN(8) {
		case 0:
			add(prog.Edge{Kind: prog.HavocEdge, Vars: []*prog.Var{vars[l.r.IntN(len(vars))]}, Origin: prog.Environment})
		case 1, 2:
			add(prog.Edge{Kind: prog.AssumeEdge, Exprs: []*term.Term{l.condition(2)}})
		case 3, 4:
			c := l.condition(2)
			add(prog.Edge{Kind: prog.AssumeEdge, Exprs: []*term.Term{c}})
			add(prog.Edge{Kind: prog.AssumeEdge, Exprs: []*term.Term{l.w.Pool.Not(c)}})
		default:
			a := l.r.IntN(len(vars))
			b := (a + 1 + l.r.IntN(len(vars)-1)) % len(vars)
			e := prog.Edge{Kind: prog.AssignEdge, Vars: []*prog.Var{vars[a]}, Exprs: []*term.Term{l.value(vars[a].Type)}}
			if l.r.IntN(2) == 0 {
				e.Vars, e.Exprs = append(e.Vars, vars[b]), append(e.Exprs, l.value(vars[b].Type))
			}
			add(e)
		}
	}
	return m
}

// A place in a run.
type config struct {
	loc  int
	vals [12]uint64
}

// runs enumerates where all runs of a method from a state can be; do is called
// for each, and returns false to stop. ok is false if there are too many.
func runsOf(p *prog.Program, m *prog.Method, state []uint64, do func(c config, model term.Model)) (ends [][]uint64, ok bool) {
	vars := p.Vars(m)
	model := term.Model{}
	seen := map[config]bool{}
	var work []config
	push := func(c config) {
		if !seen[c] {
			seen[c] = true
			work = append(work, c)
		}
	}
	var start config
	start.loc = m.Entry
	for i, v := range p.State {
		_ = v
		start.vals[i] = state[i]
	}
	var params []int
	for i, v := range vars {
		for _, q := range m.Params {
			if q == v {
				params = append(params, i)
			}
		}
	}
	for x := range 8 {
		c := start
		c.vals[params[0]] = uint64(x)
		push(c)
	}
	for len(work) > 0 {
		if len(seen) > 30_000 {
			return nil, false
		}
		c := work[len(work)-1]
		work = work[:len(work)-1]
		for i, v := range vars {
			model[v.Term] = term.Value{Lo: c.vals[i]}
		}
		do(c, model)
		if c.loc == m.Exit {
			ends = append(ends, append([]uint64{}, c.vals[:len(p.State)]...))
			continue
		}
		for i := range m.Edges {
			e := &m.Edges[i]
			if e.From != c.loc {
				continue
			}
			n := c
			n.loc = e.To
			switch e.Kind {
			case prog.AssumeEdge:
				if term.Holds(e.Exprs[0], model) {
					push(n)
				}
			case prog.AssignEdge:
				for k, v := range e.Vars {
					for j, u := range vars {
						if u == v {
							n.vals[j] = term.Eval(e.Exprs[k], model).Lo
						}
					}
				}
				push(n)
			case prog.HavocEdge:
				for j, u := range vars {
					if u == e.Vars[0] {
						for x := range uint64(1) << u.Type.Sort.Bits() {
							n.vals[j] = x
							push(n)
						}
					}
				}
			}
		}
	}
	return ends, true
}

// check returns what is claimed and does not hold, "" if everything does.
func (k *knowledge) check(model term.Model) string {
	number := func(t *term.Term, unsigned bool) int64 {
		v := int64(term.Eval(t, model).Lo)
		if w := t.Sort().Width; !unsigned {
			v = v << (64 - w) >> (64 - w)
		}
		return v
	}
	of := func(v int) int64 {
		if v >= k.d.base {
			o := k.d.opaques[v-k.d.base]
			return number(o.t, o.unsigned)
		}
		return number(k.d.vars[v], k.d.unsigned[v])
	}
	for b := range k.bindings {
		if int(b.v) >= k.d.n {
			return "a primed variable is left"
		}
		if b.h.bits != nil {
			if b.h.bits[0]>>term.Eval(k.d.vars[b.v], model).Lo&1 == 0 {
				return fmt.Sprint(k.d.vars[b.v], " in ", b.h.bits)
			}
		} else if x := of(int(b.v)); x < b.h.lo || x > b.h.hi {
			return fmt.Sprint(k.d.vars[b.v], " in ", b.h.lo, " to ", b.h.hi)
		}
	}
	for _, l := range k.alias {
		if term.Eval(k.d.vars[l.v], model) != term.Eval(k.d.vars[l.root], model) {
			return fmt.Sprint(k.d.vars[l.v], " is ", k.d.vars[l.root])
		}
	}
	for _, d := range k.diffs {
		if of(d.a)-of(d.b) > d.c {
			return fmt.Sprint(k.d.vars[d.a], " - ", k.d.vars[d.b], " <= ", d.c)
		}
	}
	for _, f := range k.lins {
		s := f.c
		for _, m := range f.ts {
			s += m.k * of(m.v)
		}
		if s > 0 {
			return fmt.Sprint("inequality ", f)
		}
	}
	for _, t := range k.facts {
		if !term.Holds(t, model) {
			return fmt.Sprint("fact ", t)
		}
	}
	return ""
}

// TestInterpretRandom enumerates all runs of random components and checks
// every claim at every location where ways meet, and every edge.
func TestInterpretRandom(t *testing.T) {
	n := 300
	if os.Getenv("CI") == "true" {
		n = 6000
	}
	claims, removed, skipped, kept := 0, 0, 0, 0
	for seed := range n {
		l := &lottery{r: rand.New(rand.NewPCG(uint64(seed), 7)), w: NewWorld()}
		if _, err := l.w.Pass(nil); err != nil {
			t.Fatal(err)
		}
		state := []*prog.Var{
			l.w.State("s", "s", prog.Type{Sort: term.BV(3), Signed: true}, l.w.Pool.Int(3, int64(l.r.IntN(3))), prog.Pos{}),
			l.w.State("u", "u", prog.Type{Sort: term.BV(3)}, l.w.Pool.Int(3, int64(l.r.IntN(3))), prog.Pos{}),
			l.w.State("f", "f", prog.Type{Sort: term.BoolSort}, l.w.Pool.False(), prog.Pos{}),
		}
		p := &prog.Program{Name: "random", Pool: l.w.Pool, State: state}
		new := l.w.NewMethod("New", prog.Pos{})
		new.Param("p", "p", prog.Type{Sort: term.BV(3)})
		new.Return(nil)
		methods := []*Method{l.method("A", state), l.method("B", state)}
		how := finely{ways: 1}
		if l.r.IntN(2) == 0 {
			how = finely{[]int{2}, 3}
		}
		left := mostSteps
		makers, bodies, known := analyse(p, []*Method{new}, methods, how, &left)
		if makers == nil {
			t.Fatalf("seed %d: nothing was found", seed)
		}
		promised := promises(known)
		// All states, and all runs from them.
		first := make([]uint64, len(state))
		for i, v := range state {
			first[i] = v.Init.Value().Lo
		}
		seen := map[string]bool{fmt.Sprint(first): true}
		bad := ""
		for work := [][]uint64{first}; len(work) > 0 && bad == ""; {
			s := work[0]
			work = work[1:]
			model := term.Model{}
			for i, v := range state {
				model[v.Term] = term.Value{Lo: s[i]}
			}
			for _, c := range promised {
				if !term.Holds(c, model) {
					bad = fmt.Sprintf("%v is promised, but %v", c, model)
				}
				kept++
			}
			for i, m := range methods {
				x := bodies[i]
				at := x.known[0]
				if len(how.flags) > 0 {
					at = x.known[s[2]]
				}
				if at == nil {
					bad = "a class of states is not reached"
					break
				}
				ends, ok := runsOf(p, m.M, s, func(c config, model term.Model) {
					if bad != "" {
						return
					}
					if x.cut[c.loc] {
						claim := "it is not reached"
						for _, k := range at[c.loc] {
							if claim = k.check(model); claim == "" {
								break
							}
						}
						if claim != "" {
							bad = fmt.Sprintf("%s: at location %d: %s, but %v", m.M.Name, c.loc, claim, model)
						}
						claims++
					}
					for j := range m.M.Edges {
						e := &m.M.Edges[j]
						if e.From != c.loc {
							continue
						}
						takes := e.Kind != prog.AssumeEdge || term.Holds(e.Exprs[0], model)
						if takes && x.edges[j]&feasible == 0 {
							bad = fmt.Sprintf("%s: edge %d of location %d is removed: %v with %v", m.M.Name, j, c.loc, e.Exprs, model)
						}
						if !takes && x.edges[j]&optional == 0 {
							bad = fmt.Sprintf("%s: edge %d of location %d always holds: %v with %v", m.M.Name, j, c.loc, e.Exprs, model)
						}
					}
				})
				if !ok {
					skipped++
					continue
				}
				for _, e := range ends {
					if key := fmt.Sprint(e); !seen[key] {
						seen[key] = true
						work = append(work, e)
					}
				}
			}
		}
		if bad != "" {
			t.Fatalf("seed %d: %s\n%s", seed, bad, describe(p, methods))
		}
		for _, x := range bodies {
			for _, r := range x.edges {
				if r&feasible == 0 {
					removed++
				}
			}
		}
	}
	if removed < n/10 || claims < 100*n || skipped > claims/1000 || kept < n {
		t.Errorf("the test is weak: %d edges removed, %d claims, %d skipped, %d promises kept", removed, claims, skipped, kept)
	}
}

func describe(p *prog.Program, methods []*Method) string {
	out := ""
	for _, v := range p.State {
		out += fmt.Sprintf("state %s %v = %v\n", v.Name, v.Type, v.Init)
	}
	for _, m := range methods {
		out += m.M.Name + "\n"
		for i, e := range m.M.Edges {
			out += fmt.Sprintf("  %d: %d -> %d kind %d", i, e.From, e.To, e.Kind)
			for _, v := range e.Vars {
				out += fmt.Sprintf(" %s %v", v.Name, v.Type)
			}
			out += fmt.Sprintln("", e.Exprs)
		}
	}
	return out
}
