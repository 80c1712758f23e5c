// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds decompositions to their promise: the product of the
// interfaces of the parts is, word by word, the interface of the whole. The
// reference interpreter of the whole program judges the product.

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/parts"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

type decomposition struct {
	name string
	run  func(context.Context, problem.Problem, parts.Synthesizer) ([]parts.Part, error)
}

func decompositions() []decomposition {
	return []decomposition{{"split-errors", parts.SplitErrors}, {"partition", parts.Partition}}
}

// decompose checks one decomposition of a program, and returns its parts.
func decompose(t *testing.T, d decomposition, p problem.Problem, limit int) []parts.Part {
	t.Helper()
	ctx := context.Background()
	p.Solver = embedded
	pieces, err := d.run(ctx, p, Synthesize)
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	var list []*typestate.Interface
	for _, part := range pieces {
		if err := part.Program.Check(); err != nil {
			t.Fatalf("%s: %s: %v", d.name, part.Title, err)
		}
		if err := part.Interface.Validate(); err != nil {
			t.Fatalf("%s: %s: %v", d.name, part.Title, err)
		}
		list = append(list, part.Interface)
	}
	product, err := parts.Product(ctx, p, list)
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	if err := product.Validate(); err != nil {
		t.Fatalf("%s: product: %v", d.name, err)
	}
	if err := product.Canonical(); err != nil {
		t.Fatalf("%s: product: %v", d.name, err)
	}
	o := newOracle(p.Program, product)
	if err := o.run(ctx, limit); err != nil {
		t.Fatalf("%s: product: %v\n%s", d.name, err, p.Program)
	}
	if o.unknown > 0 {
		t.Fatalf("%s: %d unknown cells", d.name, o.unknown)
	}
	o.witnesses(t)
	whole, err := Synthesize(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := parts.Agree(ctx, p, product, whole); err != nil || a.Kind != typestate.CompareEqual {
		t.Errorf("%s: the product and the whole: %v %v %s\n%s", d.name, err, a.Kind, a.Why, p.Program)
	}
	return pieces
}

func TestDecomposeCorpus(t *testing.T) {
	t.Parallel()
	for _, c := range loadCorpus(t) {
		if c.Has("-serial") {
			continue // refused: TestDecomposeRefuses
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			p, err := prog.Parse(c.File, []byte(c.Source), prog.Options{Width: c.OracleWidth()})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range decompositions() {
				decompose(t, d, problem.Problem{Program: p, Tight: c.Has("-tight")}, oracleLimit()/10)
			}
		})
	}
}

// titles lists what parts are of.
func titles(pieces []parts.Part) string {
	var out []string
	for _, p := range pieces {
		out = append(out, p.Title)
	}
	return strings.Join(out, "; ")
}

// TestPartitionGroups shows what belongs together. The product is judged in
// every case, so a group too many would be found.
func TestPartitionGroups(t *testing.T) {
	t.Parallel()
	const halves = `
method a() (r bool) { if x { error "a" }; x = true; return x }
method b() (r bool) { if y { error "b" }; y = true; return y }`
	for _, c := range []struct{ name, source, want string }{
		{"independent", `state x bool = false, y bool = false` + halves, "a (state x); b (state y)"},
		{"any", `state x bool = any, y bool = any` + halves, "a (state x); b (state y)"},
		{"arguments do not connect", `state x bool = false, y bool = false
constructor New(v bool, w bool) { if v && w { error "both" }; x = v; y = v || w }` + halves, "a (state x); b (state y)"},
		{"the same choice", `state x bool = false, y bool = false
constructor New() { var v bool = choose; x = v; y = !v }
method probe() (r bool) { return x }` + halves, "all methods"},
		{"two choices", `state x bool = false, y bool = false
constructor New() { x = choose; y = choose }` + halves, "a (state x); b (state y)"},
		{"a branch on a choice", `state x bool = false, y bool = false
constructor New() { var v bool = choose; if v { x = true; y = true } }
method probe() (r bool) { return x }` + halves, "all methods"},
		{"a branch of a choice", `state x bool = false, y bool = false
constructor New() { choice { x = true; y = true } or { x = false } }
method probe() (r bool) { return x }` + halves, "all methods"},
		{"an assumption", `state x bool = any, y bool = any
constructor New() { assume x != y }
method probe() (r bool) { return x }` + halves, "all methods"},
		{"assumptions of one half each", `state x bool = any, y bool = any
constructor New() { assume x; assume !y }` + halves, "a (state x); b (state y)"},
		{"a result of both", `state x bool = any, y bool = any
constructor New() (r bool) { return x == y }
method probe() (r bool) { return x }` + halves, "all methods"},
		{"a result of one", `state x bool = any, y bool = any
constructor New() (r bool) { return x }` + halves, "a (state x); b (state y)"},
		{"a variable of the constructor only", `state u bool = any, x bool = false, y bool = false
constructor New() { x = u; y = u }
method probe() (r bool) { return x }` + halves, "all methods"},
		{"through a method", `state x bool = false, y bool = false
method copy() { y = x }` + halves, "all methods"},
		{"without state", `state x bool = false, y bool = false
method never() { error "never" }
method free() (r bool) { return r }` + halves, "never; free; a (state x); b (state y)"},
		{"arguments split differently", `state x bool = false, y bool = false
constructor New(n uint3) { x = n > 3; y = n < 2 || n == 6 }` + halves, "a (state x); b (state y)"},
		{"results split differently", `state x bool = false, y bool = false, z bool = false
constructor New() (n uint3) { n = any; x = n > 3 }
method c() { if z { error "c" }; z = true }` + halves, "c (state z); a (state x); b (state y)"},
		{"two constructors", `state x bool = false, y bool = false
constructor Open() { x = true }
constructor Shut() (ok bool) { y = choose; return y }` + halves, "a (state x); b (state y)"},
		{"a constructor that may not return", `state x bool = any, y bool = any
constructor New() { if x { stop } }` + halves, "a (state x); b (state y)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "component C\n"+c.source)
			pieces := decompose(t, decompositions()[1], problem.Problem{Program: p}, 20_000)
			if got := titles(pieces); got != c.want {
				t.Errorf("parts %s, want %s", got, c.want)
			}
			decompose(t, decompositions()[0], problem.Problem{Program: p}, 20_000)
		})
	}
}

// TestSocketStaysWhole: the paper gives input and output of a socket an
// interface each, with the methods that both need in both. They share state, so
// by value flow they are one group; by error site they come apart.
func TestSocketStaysWhole(t *testing.T) {
	t.Parallel()
	if corpus.Race {
		t.Skip("the sample under the race detector may not have it")
	}
	for _, c := range loadCorpus(t) {
		if c.Name != "socket" {
			continue
		}
		p := parseCase(t, c)
		if pieces := parts.ByMethods(p); len(pieces) != 1 {
			t.Errorf("the socket has parts %s", titles(pieces))
		}
		pieces := decompose(t, decompositions()[0], problem.Problem{Program: p}, 20_000)
		var states []int
		for _, part := range pieces {
			states = append(states, len(part.Interface.States))
		}
		// Each method asks one question: the product has six states, no part
		// more than two.
		if want := []int{2, 2, 2, 2, 2, 2}; !slices.Equal(states, want) {
			t.Errorf("states %v of %s, want %v", states, titles(pieces), want)
		}
		return
	}
	t.Fatal("no socket in the corpus")
}

// TestDecomposeRandom takes random components apart, and pairs of them that
// were glued together.
func TestDecomposeRandom(t *testing.T) {
	t.Parallel()
	count := int64(loops(60, 90))
	together := 0
	for seed := range count {
		opt := corpus.RandomOptions{Without: []string{"division"}}
		p := parse(t, corpus.Random(seed, opt))
		decompose(t, decompositions()[0], problem.Problem{Program: p}, 3000)
		q := parse(t, glue(corpus.Random(seed, opt), corpus.Random(seed+count, opt)))
		if pieces := decompose(t, decompositions()[1], problem.Problem{Program: q}, 3000); len(pieces) == 1 {
			together++
		}
	}
	if together > int(count)/4 {
		t.Errorf("%d of %d pairs were not taken apart", together, count)
	}
}

var (
	renamed     = regexp.MustCompile(`\b(q|f|place|s\d|mood|calm|busy|gone|New\d|method [a-z])\b`)
	constructed = regexp.MustCompile(`(?m)^constructor `)
)

// glue makes one component of two, whose names it makes different. Constructors
// become methods: that of a pair is not a pair of constructors.
func glue(a, b string) string {
	out := "component Pair\n"
	for k, source := range []string{a, b} {
		_, body, _ := strings.Cut(source, "\n")
		body = renamed.ReplaceAllString(body, fmt.Sprintf("${1}_%d", k))
		out += constructed.ReplaceAllString(body, "method ") + "\n"
	}
	return out
}

// TestWrongPartition takes apart what a constructor connects. If that were
// right, the rules of constructors would be for nothing; and Agree must see it.
func TestWrongPartition(t *testing.T) {
	t.Parallel()
	const halves = `
method probe() (r bool) { return x }
method b() { if y { error "b" } }`
	for _, source := range []string{
		`state x bool = false, y bool = false
constructor New() { var v bool = choose; x = v; y = !v }`,
		`state x bool = false, y bool = false
constructor New() { var v bool = choose; if v { x = true; y = true } }`,
		`state x bool = false, y bool = false
constructor New() { choice { x = true; y = true } or { x = false } }`,
		`state x bool = any, y bool = any
constructor New() { assume x != y }`,
		`state x bool = any, y bool = any
constructor New() (r bool) { return x == y }`,
		`state x bool = any, y bool = any
constructor New() (r bool) { if x { return y }; return !y }`,
	} {
		p := problem.Problem{Program: parse(t, "component C\n"+source+halves), Solver: embedded}
		if pieces := parts.ByMethods(p.Program); len(pieces) != 1 {
			t.Errorf("parts %s of\n%s", titles(pieces), source)
		}
		var list []*typestate.Interface
		for k, m := range p.Program.Methods {
			q := p
			q.Program = parts.Project(p.Program, []*prog.Method{m}, p.Program.State[k:k+1])
			i, err := Synthesize(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, i)
		}
		product, err := parts.Product(context.Background(), p, list)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Synthesize(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := parts.Agree(context.Background(), p, product, whole); err != nil || a.Kind != typestate.CompareDifferent || a.Why == "" {
			t.Errorf("%v %v %q of\n%s", err, a.Kind, a.Why, source)
		}
	}
}

// TestDecomposeWide: predicate abstraction solves halves that exploration cannot
// enumerate, and products of many parts stay small if few states matter.
func TestDecomposeWide(t *testing.T) {
	t.Parallel()
	p := problem.Problem{Engine: "cegar", Solver: embedded, Program: parse(t, `component Wide
state n int32 = 0, open bool = false, k uint64 = 0
method start() { if open { error "already open" }; open = true; n = 0 }
method stop() { if !open { error "not open" }; open = false; n = -1 }
method step() (ok bool) { if n < 0 { error "stopped" }; ok = any; if !ok { n = -7 } }
method lock() { if k == 1 { error "locked" }; k = 1 }
method unlock() { if k != 1 { error "not locked" }; k = 12345678901 }
`)}
	whole, err := Synthesize(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		decomposition
		parts int
	}{{decompositions()[0], 5}, {decompositions()[1], 2}} {
		pieces, err := c.run(context.Background(), p, Synthesize)
		if err != nil {
			t.Fatal(err)
		}
		if len(pieces) != c.parts {
			t.Errorf("%s: %s", c.name, titles(pieces))
		}
		var list []*typestate.Interface
		for _, part := range pieces {
			list = append(list, part.Interface)
		}
		product, err := parts.Product(context.Background(), p, list)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := parts.Agree(context.Background(), p, product, whole); err != nil || a.Kind != typestate.CompareEqual {
			t.Errorf("%s: %v %v %s", c.name, err, a.Kind, a.Why)
		}
		if g := product.Guarantees; g.Safe != "proved" || g.Permissive != "proved" {
			t.Errorf("%s: guarantees %+v", c.name, g)
		}
	}
}

func TestDecomposeRefuses(t *testing.T) {
	t.Parallel()
	p := problem.Problem{Program: parse(t, "component C\nstate x bool = false, y bool = false\nmethod a() { x = true }\nmethod b() { y = true }\n")}
	for _, d := range decompositions() {
		q := p
		q.Serial = true
		var r *problem.Refusal
		if _, err := d.run(context.Background(), q, Synthesize); !errors.As(err, &r) {
			t.Errorf("%s: serial: %v", d.name, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := d.run(ctx, p, Synthesize); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", d.name, err)
		}
	}
	if _, err := parts.Product(context.Background(), p, nil); err == nil {
		t.Error("a product of nothing")
	}
	// Eight flags: the parts have two states each, the product 256.
	source := "component Flags\n"
	for k := range 8 {
		source += fmt.Sprintf("state x%d bool = false\nmethod m%d() { if x%d { error \"twice\" }; x%d = true }\n", k, k, k, k)
	}
	p = problem.Problem{Program: parse(t, source), Solver: embedded}
	pieces, err := parts.Partition(context.Background(), p, Synthesize)
	if err != nil || len(pieces) != 8 {
		t.Fatalf("%v: %s", err, titles(pieces))
	}
	var list []*typestate.Interface
	for _, part := range pieces {
		list = append(list, part.Interface)
	}
	p.Budget = 255
	if _, err := parts.Product(context.Background(), p, list); !problem.Undecided(err) {
		t.Errorf("a product of 256 states with a budget of 255: %v", err)
	}
	p.Budget = 256
	if i, err := parts.Product(context.Background(), p, list); err != nil || len(i.States) != 256 {
		t.Errorf("a product of 256 states: %v", err)
	}
}

func TestLeast(t *testing.T) {
	t.Parallel()
	order := []string{"no", "unknown", "open", "checked to depth 3", "checked to depth 12", "claimed", "proved"}
	for k, x := range order {
		for n, y := range order {
			if got, want := parts.Least(x, y), order[min(k, n)]; got != want {
				t.Errorf("Least(%q, %q) = %q, want %q", x, y, got, want)
			}
		}
	}
}
