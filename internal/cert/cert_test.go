// SPDX-License-Identifier: Apache-2.0

package cert

// This file holds the judge to the definition: for components with one bool,
// all interfaces with one or two states are tried with all labels, and (all right
// ones, and a part of the wrong ones) with all sets. What the judge accepts is right
// by exhaustive interpretation, and of each component a right one is accepted.

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

func embedded() (solve.Solver, error) { return bv.New(bv.Options{}), nil }

// tiny are components without arguments and results.
var tiny = []struct{ name, methods string }{
	{"lock", `method a() { if b { error "twice" } b = true } method c() { if !b { error "free" } b = false }`},
	{"hidden", `method a() { b = choose } method c() { if b { error "bad" } }`},
	{"may fail", `method a() { var x bool = choose; if x { error "bad" } b = true } method c() { if b { error "bad" } }`},
	{"loop", `method a() { while !b { b = choose } } method c() { if !b { error "early" } }`},
	{"never", `method a() { while !b { } } method c() { b = !b }`},
	{"blocked", `method a() { assume b } method c() { if b { error "bad" } b = true }`},
}

// A cell is what an interface says of a call: a state, fails or mayFail.
type cell int

const (
	fails   cell = -1
	mayFail cell = -2
	never   cell = -3 // allowed, and does not return
)

// truth is what each method does in each state of the bool.
type truth [2][2]struct {
	errs bool
	to   [2]bool
}

func interpret(t *testing.T, p *prog.Program) (tr truth) {
	in := prog.NewInterp(p, prog.InterpOptions{})
	for s := range 2 {
		for m := range 2 {
			state := prog.State{{Lo: uint64(s)}}
			o, err := in.Call(context.Background(), state, p.Methods[m], nil)
			if err != nil {
				t.Fatal(err)
			}
			tr[s][m].errs = len(o.Errors) > 0
			for _, r := range o.Returns {
				tr[s][m].to[r.State[0].Lo] = true
			}
		}
	}
	return tr
}

// right decides by the definition: over all words, with the set of states that
// may be current.
func right(tr truth, cells [][2]cell) bool {
	type at struct{ state, current int } // current is a set of two bits
	seen := map[at]bool{{0, 1}: true}
	queue := []at{{0, 1}}
	returns := map[[2]int]bool{}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for m := range 2 {
			errs, to := false, 0
			for s := range 2 {
				if n.current>>s&1 != 0 {
					errs = errs || tr[s][m].errs
					for x := range 2 {
						if tr[s][m].to[x] {
							to |= 1 << x
						}
					}
				}
			}
			c := cells[n.state][m]
			if errs != (c == fails || c == mayFail) || c == fails && to != 0 {
				return false
			}
			if errs {
				returns[[2]int{n.state, m}] = returns[[2]int{n.state, m}] || to != 0
				continue
			}
			if to == 0 {
				continue
			}
			if c == never {
				return false
			}
			if next := (at{int(c), to}); !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	for s := range cells {
		reached := false
		for n := range seen {
			reached = reached || n.state == s
		}
		for m := range 2 {
			if reached && cells[s][m] == mayFail && !returns[[2]int{s, m}] {
				return false
			}
		}
	}
	return true
}

// build makes the interface, with one node for each state that has one set. It
// is supported by all returns if sets is nil, else by the sets of the sources.
func build(p *prog.Program, cells [][2]cell, labels, sets []string) *typestate.Interface {
	zero := 0
	i := &typestate.Interface{Format: typestate.Format,
		Component:    typestate.Component{Language: "open", Name: p.Name, Program: p.Hash(), Errors: []string{"error"}},
		Constructors: []typestate.Constructor{{ID: "new", Method: "new", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed"}},
		Guarantees:   typestate.Guarantees{Safe: "unknown", Permissive: "unknown", Tight: "unknown"},
		Certificate: &typestate.Certificate{Program: p.Hash(), Nodes: []typestate.Node{{State: -1, Label: "true", Sets: []typestate.Set{{Formula: "true"}},
			Next: []typestate.NodeEdge{{Call: "new", Args: "true", Results: "true", Node: 1}}}}},
	}
	i.Constructors[0].Method, i.Constructors[0].ID = p.Constructors[0].Name, p.Constructors[0].Name
	i.Certificate.Nodes[0].Next[0].Call = p.Constructors[0].Name
	names := []string{"a", "c"}
	for _, m := range names {
		i.Calls = append(i.Calls, typestate.Call{ID: m, Method: m, Guard: "true", Outcomes: []string{"return"}})
	}
	for s, row := range cells {
		i.States = append(i.States, typestate.State{ID: s})
		n := typestate.Node{State: s, Label: labels[s], Sets: []typestate.Set{{Formula: labels[s]}}}
		if sets != nil {
			n.Sets[0].Formula = sets[s]
		}
		for m, c := range row {
			switch c {
			case fails, mayFail:
				i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: s, Call: names[m], Verdict: map[cell]string{fails: "fails", mayFail: "may-fail"}[c]})
				n.Sets[0].Errs = append(n.Sets[0].Errs, typestate.SetError{Call: names[m], Args: "true"})
			case never:
			default:
				i.Edges = append(i.Edges, typestate.Edge{From: s, Call: names[m], Outcome: "*", To: int(c)})
				n.Next = append(n.Next, typestate.NodeEdge{Call: names[m], Args: "true", Results: "true", Node: int(c) + 1})
			}
		}
		i.Certificate.Nodes = append(i.Certificate.Nodes, n)
	}
	for n := range i.Certificate.Nodes {
		for e, edge := range i.Certificate.Nodes[n].Next {
			set := &i.Certificate.Nodes[edge.Node].Sets[0]
			support := typestate.Support{Node: n, Edge: e, Set: -1}
			if sets != nil {
				support.Set = 0
			}
			set.From = append(set.From, support)
		}
	}
	return i
}

func TestAllSmall(t *testing.T) {
	formulas := []string{"true", "b", "!b"}
	for _, c := range tiny {
		t.Run(c.name, func(t *testing.T) {
			p, err := prog.Parse("tiny.open", []byte("component Tiny\nstate b bool = false\n"+strings.ReplaceAll(c.methods, "} method", "}\nmethod")), prog.Options{})
			if err != nil {
				t.Fatal(err)
			}
			tr := interpret(t, p)
			accepted, correct, missed := 0, 0, 0
			for states := 1; states <= 2; states++ {
				options := []cell{fails, mayFail, never, 0, 1}[:3+states]
				total := 1
				for range 2 * states {
					total *= len(options)
				}
				for code := range total {
					cells := make([][2]cell, states)
					x := code
					for k := range 2 * states {
						cells[k/2][k%2] = options[x%len(options)]
						x /= len(options)
					}
					good := right(tr, cells)
					passed := false
					try := func(labels, sets []string) {
						r, err := Check(context.Background(), p, build(p, cells, labels, sets), embedded, Options{First: true})
						if err != nil {
							t.Fatal(err)
						}
						if r.OK() {
							passed = true
							accepted++
							if !good {
								t.Fatalf("accepted, but wrong: %v with labels %q and sets %q", cells, labels, sets)
							}
						}
					}
					for l := range 9 {
						if states == 1 && l > 2 {
							break
						}
						labels := []string{formulas[l%3], formulas[l/3]}
						try(labels, nil)
						if good || code%8 == 0 {
							for k := range 9 {
								try(labels, []string{formulas[k%3], formulas[k/3]})
							}
						}
					}
					if good {
						if correct++; !passed {
							missed++
						}
					}
				}
			}
			t.Logf("%d accepted; %d right interfaces, %d of them without evidence of this shape", accepted, correct, missed)
			if accepted == 0 {
				t.Error("none accepted")
			}
		})
	}
}

// TestOutcomes reads the names of outcomes.
func TestOutcomes(t *testing.T) {
	p, err := prog.Parse("o.open", []byte("component O\nenum mode { off, on }\nmethod m() (x int8, y bool, z mode) { return 1, true, on }\nmethod one() (r int8) { return 3 }\nmethod none() {}\n"), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{prog: p, pool: p.Pool}
	for _, k := range []struct {
		method int
		name   string
		want   string // the condition, or "error"
	}{
		{0, "(_, true, on)", "y && z == on"},
		{0, "(3, _, _)", "x == 3"},
		{0, "(_, _, _) with x > 3 && y", "x > 3 && y"},
		{0, "return", "true"},
		{0, "(_, true)", "error"},
		{0, "true", "error"},
		{0, "(_, maybe, on)", "error"},
		{1, "-3", "r == -3"},
		{1, "r > 3", "r > 3"},
		{1, "_", "true"},
		{1, "300", "error"},
		{2, "return", "true"},
		{2, "true", "error"},
	} {
		m := p.Methods[k.method]
		got, err := c.outcome(m, k.name)
		if k.want == "error" {
			if err == nil {
				t.Errorf("%s %q: no error", m.Name, k.name)
			}
			continue
		}
		want, e := c.formula(m.Results, k.want)
		if err != nil || e != nil || got != want {
			t.Errorf("%s %q: %v, %v, want %s", m.Name, k.name, got, fmt.Sprint(err, e), k.want)
		}
	}
}
