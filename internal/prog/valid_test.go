// SPDX-License-Identifier: Apache-2.0

package prog

// This file breaks a good program in every way that Check and Equal must
// notice.

import (
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/term"
)

const goodSource = `component good
enum color { red, green }
state n int8 = 3, c color = green, x bool = any
constructor New(k int8) { n = k }
method m(a int8, b bool) (r int8) {
	var i int8
	while i < a { i++; if i == n { error bad "msg" } }
	x = choose
	n = any
	assume n > 0
	n, r = r, n
	return i
}
`

// mutations change a fresh copy of the good program.
var mutations = []struct {
	name   string
	mutate func(p *Program)
	check  string // what Check says; "" if the program is still well formed
	equal  string // what Equal says
}{
	{"component", func(p *Program) { p.Name = "other" }, "", "component good versus other"},
	{"no name", func(p *Program) { p.Name = "" }, `component has the name "", which cannot be written`, "component good versus "},
	{"backquote", func(p *Program) { p.Methods[0].Name = "a`b" }, "method has the name \"a`b\", which cannot be written", "method m versus a`b"},
	{"enum value", func(p *Program) { p.Enums[0].Values[0] = "blue" }, "", "enum color [red green] versus color [blue green]"},
	{"enum values", func(p *Program) { p.Enums[0].Values[0] = "green" }, "enum color has two values green", "enum color"},
	{"no values", func(p *Program) { p.Enums[0].Values = nil }, "enum color has no values", "enum color"},
	{"no enum", func(p *Program) { p.Enums = nil }, "state variable c has the type color, expected", "1 enums versus 0"},
	{"enum twice", func(p *Program) { p.Enums = append(p.Enums, &term.Enum{Name: "color", Values: []string{"q"}}) }, "enum color is declared twice", "1 enums versus 2"},
	{"no pool", func(p *Program) { p.Pool = nil }, "program has no pool", "-"},
	{"initial value", func(p *Program) { p.State[0].Init = p.Pool.Int(8, 4) }, "", "state: initial value of n: 3 versus 4"},
	{"initial any", func(p *Program) { p.State[0].Init = nil }, "", "state: initial value of n"},
	{"initial sort", func(p *Program) { p.State[0].Init = p.Pool.True() }, "initial value true is not a constant of type int8", "state: initial value of n"},
	{"initial variable", func(p *Program) { p.State[0].Init = p.State[0].Term }, "initial value n is not a constant", "state: initial value of n"},
	{"initial local", func(p *Program) { p.Methods[0].Locals[0].Init = p.Pool.Int(8, 0) }, "local variable i has an initial value", "method m: locals: initial value of i"},
	{"type", func(p *Program) { p.State[0].Type.Signed = false }, "", "state: variable n int8 versus n uint8"},
	{"signed bool", func(p *Program) { p.State[2].Type.Signed = true }, "state variable x has the type bool, expected", "state: variable x bool versus x bool"},
	{"wide", func(p *Program) { p.State[0].Type.Sort.Width = 65 }, "state variable n has the type int65, expected bool, an integer of 1 to 64 bits", "state: variable n"},
	{"other term", func(p *Program) { p.State[0].Term = p.Pool.Var("q", term.BV(8)) }, "its term is not the variable n", "-"},
	{"no term", func(p *Program) { p.State[0].Term = nil }, "its term is not the variable n", "-"},
	{"name", func(p *Program) { p.State[2].Name = "green" }, "state variable green: the name is declared twice", "state: variable x bool versus green bool"},
	{"shadow", func(p *Program) { p.Methods[0].Params[0].Name = "n" }, "parameter n: the name is declared twice", "method m: parameters: variable a int8 versus n int8"},
	{"fewer variables", func(p *Program) { p.State = p.State[:2] }, "changes a variable that is not declared", "state: 3 variables versus 2"},
	{"no constructor", func(p *Program) { p.Constructors = nil }, "program has no constructor", "1 constructors versus 0"},
	{"implicit", func(p *Program) { p.Constructors[0].Implicit = true }, "constructor New is implicit but", "constructor New versus New"},
	{"implicit method", func(p *Program) { p.Methods[0].Implicit = true }, "method m is implicit", "method m versus m"},
	{"method twice", func(p *Program) { p.Methods[0].Name = "New" }, "method New is declared twice", "method m versus New"},
	{"nil method", func(p *Program) { p.Methods = append(p.Methods, nil) }, "nil method", "1 methods versus 2"},
	{"exit", func(p *Program) { p.Methods[0].Exit = 99 }, "entry 0 and exit 99 are not both among", "method m: 10 locations"},
	{"exit has edges", func(p *Program) { p.Methods[0].Exit = 2 }, "edge leaves the exit", "method m: 10 locations"},
	{"error site has edges", func(p *Program) { p.Methods[0].Errors[0].Loc = 1 }, "edge leaves an error site", "method m: error site 0"},
	{"error site outside", func(p *Program) { p.Methods[0].Errors[0].Loc = -1 }, "error site at location -1", "method m: error site 0"},
	{"error site at exit", func(p *Program) { p.Methods[0].Errors[0].Loc = p.Methods[0].Exit }, "which is already the exit", "method m: error site 0"},
	{"no kind", func(p *Program) { p.Methods[0].Errors[0].Kind = "" }, "kind of an error site has the name", "method m: error site 0"},
	{"kind", func(p *Program) { p.Methods[0].Errors[0].Kind = "worse" }, "", "method m: error site 0"},
	{"message", func(p *Program) { p.Methods[0].Errors[0].Message = "worse" }, "", "method m: error site 0"},
	{"blame", func(p *Program) { p.Methods[0].Errors[0].Blamed = true }, "", "method m: error site 0"},
	{"no error site", func(p *Program) { p.Methods[0].Errors = nil }, "", "method m: 1 error sites versus 0"},
	{"edge outside", func(p *Program) { p.Methods[0].Edges[0].To = 99 }, "edge 0 -> 99 leaves the 10 locations", "method m: edge 0"},
	{"edge target", func(p *Program) { p.Methods[0].Edges[0].To = 0 }, "", "method m: edge 0"},
	{"edge order", func(p *Program) { slices.Reverse(p.Methods[0].Edges) }, "edges are not sorted by source", "method m: edge 0"},
	{"fewer edges", func(p *Program) { p.Methods[0].Edges = p.Methods[0].Edges[1:] }, "", "method m: 10 edges versus 9"},
	{"condition", func(p *Program) { edgeOf(p, AssumeEdge).Exprs[0] = p.Pool.True() }, "", "method m: edge"},
	{"condition sort", func(p *Program) { edgeOf(p, AssumeEdge).Exprs[0] = p.State[0].Term }, "an assume has one boolean term", "method m: edge"},
	{"no condition", func(p *Program) { edgeOf(p, AssumeEdge).Exprs = nil }, "an assume has one boolean term", "method m: edge"},
	{"nil term", func(p *Program) { edgeOf(p, AssumeEdge).Exprs[0] = nil }, "has a nil term", "-"},
	{"assigned sort", func(p *Program) { edgeOf(p, AssignEdge).Exprs[0] = p.Pool.True() }, "assigns a term of sort", "method m: edge"},
	{"assigned number", func(p *Program) { edgeOf(p, AssignEdge).Exprs = nil }, "has 1 variables and 0 terms", "method m: edge"},
	{"assigned twice", func(p *Program) { e := edgeOf(p, AssignEdge); e.Vars = append(e.Vars, e.Vars[0]) }, "assigns i twice", "method m: edge"},
	{"assigned other", func(p *Program) { edgeOf(p, AssignEdge).Vars[0] = p.Methods[0].Results[0] }, "", "method m: edge"},
	{"foreign variable", func(p *Program) { edgeOf(p, AssignEdge).Vars[0] = p.Constructors[0].Params[0] }, "changes a variable that is not declared", "method m: edge"},
	{"foreign term", func(p *Program) { edgeOf(p, AssignEdge).Exprs[0] = p.Constructors[0].Params[0].Term }, "uses k, which is not a variable visible here", "method m: edge"},
	{"havoc", func(p *Program) { edgeOf(p, HavocEdge).Vars = nil }, "a havoc has one variable", "-"},
	{"havoc origin", func(p *Program) { edgeOf(p, HavocEdge).Origin = Environment }, "", "method m: edge"},
	{"havoc without origin", func(p *Program) { edgeOf(p, HavocEdge).Origin = 0 }, "a havoc has an origin", "method m: edge"},
	{"origin of an assume", func(p *Program) { edgeOf(p, AssumeEdge).Origin = Hidden }, "a havoc has an origin", "method m: edge"},
	{"edge kind", func(p *Program) { edgeOf(p, AssumeEdge).Kind = 0 }, "has no kind", "method m: edge"},
	{"position", func(p *Program) { edgeOf(p, AssumeEdge).Pos.Line = 77 }, "", ""},
	{"nothing", func(p *Program) {}, "", ""},
}

// edgeOf returns the first edge of a kind.
func edgeOf(p *Program, k EdgeKind) *Edge {
	m := p.Methods[0]
	return &m.Edges[slices.IndexFunc(m.Edges, func(e Edge) bool { return e.Kind == k })]
}

func TestCheckAndEqual(t *testing.T) {
	for _, c := range mutations {
		t.Run(c.name, func(t *testing.T) {
			p := mustParse(t, goodSource)
			c.mutate(p)
			err := p.Check()
			switch {
			case c.check == "" && err != nil:
				t.Errorf("Check: %v", err)
			case c.check != "" && (err == nil || !strings.Contains(err.(ErrorList).Lines(), c.check)):
				t.Errorf("Check: %v, want %q", err, c.check)
			}
			if c.equal == "-" {
				return // too broken to compare
			}
			ok, why := Equal(mustParse(t, goodSource), p)
			if ok != (c.equal == "") || !strings.HasPrefix(why, c.equal) {
				t.Errorf("Equal: %v, %q, want %q", ok, why, c.equal)
			}
		})
	}
}

// TestEqualIgnoresAge: pools order arguments by age; Equal does not care.
func TestEqualIgnoresAge(t *testing.T) {
	const head = "component c\nstate a, b, c bool, x, y int8\n"
	p := mustParse(t, head+"method m() { a = (b || c) && (x < y || a); x = y*3 + x }")
	q := mustParse(t, head+"method m() { a = (x < y || a) && (c || b); x = x + y*3 }")
	if ok, why := Equal(p, q); !ok {
		t.Error(why)
	}
	if p.Hash() != q.Hash() {
		t.Errorf("%s\n%s", p, q)
	}
}

func TestCanonical(t *testing.T) {
	p := mustParse(t, goodSource)
	want := p.String()
	m := p.Methods[0]
	// Reverse the numbers of all locations and add one that nothing reaches.
	n := m.Locs
	flip := func(loc int) int { return n - loc }
	for i := range m.Edges {
		e := &m.Edges[i]
		e.From, e.To = flip(e.From), flip(e.To)
	}
	slices.SortStableFunc(m.Edges, func(a, b Edge) int { return a.From - b.From })
	for _, e := range m.Errors {
		e.Loc = flip(e.Loc)
	}
	m.Entry, m.Exit, m.Locs = flip(m.Entry), flip(m.Exit), n+1
	m.Edges = slices.Insert(m.Edges, 0, Edge{From: 0, To: m.Exit, Kind: AssignEdge})
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if ok, why := Equal(mustParse(t, goodSource), Canonical(p)); !ok {
		t.Error(why)
	}
	if got := p.String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if m.Locs != n+1 || m.Edges[0].From != 0 {
		t.Error("Canonical changed its argument")
	}
}
