// SPDX-License-Identifier: Apache-2.0

package prog

// This file checks that every automaton has a text: random automata, most of
// them irreducible, are printed and read again. It also fuzzes the parser.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/term"
)

// randomAutomaton returns a program with one method whose automaton is random.
func randomAutomaton(seed uint64) *Program {
	r := rand.New(rand.NewPCG(seed, 1))
	pool := term.NewPool()
	mk := func(name string, t Type) *Var {
		return &Var{Name: name, Type: t, Term: pool.Var(name, t.Sort)}
	}
	i8 := Type{Sort: term.BV(8), Signed: true}
	b, x, y, res := mk("b", Type{Sort: term.BoolSort}), mk("s.x", i8), mk("y", Type{Sort: term.BV(8)}), mk("`"[1:]+"odd name", i8)
	b.Init, x.Init = pool.False(), nil
	m := &Method{Name: "m", Params: []*Var{y}, Results: []*Var{res}, Locs: 2 + r.IntN(8)}
	m.Exit = 1 + r.IntN(m.Locs-1)
	final := map[int]bool{m.Exit: true}
	for loc := range m.Locs {
		if loc != m.Entry && !final[loc] && r.IntN(6) == 0 {
			m.Errors = append(m.Errors, &ErrorSite{Loc: loc, Kind: "error", Message: fmt.Sprint("at ", loc), Blamed: r.IntN(3) == 0})
			final[loc] = true
		}
	}
	cond := func() *term.Term {
		switch r.IntN(4) {
		case 0:
			return b.Term
		case 1:
			return pool.SLt(x.Term, pool.Int(8, int64(r.IntN(5))))
		case 2:
			return pool.ULt(y.Term, x.Term)
		}
		return pool.Bool(r.IntN(2) == 0)
	}
	for loc := range m.Locs {
		if final[loc] {
			continue
		}
		if r.IntN(2) == 0 {
			c := cond()
			m.Edges = append(m.Edges,
				Edge{From: loc, To: r.IntN(m.Locs), Kind: AssumeEdge, Exprs: []*term.Term{c}},
				Edge{From: loc, To: r.IntN(m.Locs), Kind: AssumeEdge, Exprs: []*term.Term{pool.Not(c)}})
			continue
		}
		for range min(r.IntN(4), 1+r.IntN(3)) {
			e := Edge{From: loc, To: r.IntN(m.Locs)}
			switch r.IntN(6) {
			case 0:
				e.Kind = AssignEdge
			case 1:
				e.Kind, e.Vars, e.Exprs = AssignEdge, []*Var{x, b}, []*term.Term{pool.Add(y.Term, x.Term), cond()}
			case 2:
				e.Kind, e.Vars, e.Exprs = AssignEdge, []*Var{res}, []*term.Term{pool.Neg(x.Term)}
			case 3:
				e.Kind, e.Vars, e.Origin = HavocEdge, []*Var{x}, Environment
			case 4:
				e.Kind, e.Vars, e.Origin = HavocEdge, []*Var{b}, Hidden
			case 5:
				e.Kind, e.Exprs = AssumeEdge, []*term.Term{cond()}
			}
			m.Edges = append(m.Edges, e)
		}
	}
	var invariants []*term.Term
	for range r.IntN(3) {
		invariants = append(invariants, []*term.Term{b.Term, pool.SLt(x.Term, pool.Int(8, int64(r.IntN(5)))), pool.Or(pool.Not(b.Term), pool.ULt(x.Term, pool.Int(8, 9)))}[r.IntN(3)])
	}
	return &Program{
		Invariants: invariants, Name: "random", Pool: pool, State: []*Var{b, x}, Methods: []*Method{m},
		Constructors: []*Method{{Name: implicitName, Locs: 1, Implicit: true}},
	}
}

func TestEveryAutomatonHasAText(t *testing.T) {
	n := uint64(4000)
	if os.Getenv("CI") == "true" {
		n = 40000
	}
	for seed := range n {
		p := randomAutomaton(seed)
		roundTrip(t, p)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, dir := range []string{"print", "errors"} {
		paths, _ := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data[indexAfter(string(data), "-- in.open --\n"):], 0)
		}
	}
	f.Add([]byte("component c; method m(x uint3, y int3) { x = x<<y / 3 &^ x; if x > 3 || !(y <= -2) { error k \"\" environment } }"), 2)
	f.Fuzz(func(t *testing.T, src []byte, width int) {
		p, err := Parse("fuzz.open", src, Options{Width: width})
		if err != nil {
			if list := err.(ErrorList); len(list) == 0 {
				t.Fatal("an error without errors")
			}
			return
		}
		if err := p.Check(); err != nil {
			t.Fatalf("Check: %v", err)
		}
		text := p.String()
		q, err := Parse("printed.open", []byte(text), Options{})
		if err != nil {
			t.Fatalf("the printed program has errors:\n%s%s", err.(ErrorList).Lines(), text)
		}
		if ok, why := Equal(p, q); !ok {
			t.Fatalf("printed and read: %s\n%s\n--- read again as\n%s", why, text, q)
		}
	})
}

func FuzzParseExpr(f *testing.F) {
	for _, text := range []string{
		"a <= 0 && !(b << s.x > 3) || c == color.red", "ite(ok, quo(a, -3), int3(w)) - 2*a == `odd name` % 3",
		"let x = a + 1, y = x & ^a in concat(x, y)", "bits(w, 3, 1) ^ uint3(1)<<b &^ 5", "-(a - 4) != +2 == ok",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("format.open", []byte(formatSource), Options{})
		if err != nil {
			t.Fatal(err)
		}
		tm, err := ParseExpr(p, p.State, text)
		if err != nil {
			return
		}
		again := FormatExpr(p, p.State, tm)
		if back, err := ParseExpr(p, p.State, again); err != nil || back != tm {
			t.Fatalf("%s\nwritten %s\nread %v, %v", text, again, back, err)
		}
	})
}

func indexAfter(s, sep string) int {
	for i := 0; i+len(sep) <= len(s); i++ {
		if s[i:i+len(sep)] == sep {
			return i + len(sep)
		}
	}
	return 0
}

// TestDeepInput: nesting ends in an error, not at the end of the stack, and
// garbage does not give endless errors.
func TestDeepInput(t *testing.T) {
	const n = 50_000
	in := func(body string) string { return "component c\nstate n int8, b bool\nmethod m() { " + body + " }" }
	for _, c := range []struct{ name, src, want string }{
		{"parentheses", in("n = " + strings.Repeat("(", n)), "nested deeper than 10000"},
		{"minus", in("n = " + strings.Repeat("- ", n) + "n"), "nested deeper than 10000"},
		{"calls", in("n = " + strings.Repeat("int8(", n)), "nested deeper than 10000"},
		{"sum", in("n = n" + strings.Repeat(" + n", n)), "expression of more than 10000 levels"},
		{"blocks", in(strings.Repeat("while {", n)), "nested deeper than 10000"},
		{"else if", in(strings.Repeat("if b { } else ", n) + "{}"), "nested deeper than 10000"},
		{"garbage", strings.Repeat("\xff\x00)\n", n), "invalid UTF-8 (and 50 more errors)"},
		{"braces", strings.Repeat("}", n), `expected "component NAME", found "}"`},
	} {
		_, err := Parse("deep.open", []byte(c.src), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	// As deep as allowed is fine.
	p := mustParse(t, in("n = "+strings.Repeat("(", 9000)+"n"+strings.Repeat(")", 9000)))
	roundTrip(t, p)
	p = mustParse(t, in(strings.Repeat("if b {", 1000)+strings.Repeat("}", 1000)))
	roundTrip(t, p)
}
