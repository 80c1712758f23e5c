// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// TestSure tells calls that may fail with the right guess from those that may fail with any.
func TestSure(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, body string
		sure       bool
	}{
		{"guess", "var g bool = guess; if g { error \"e\" }", false},
		{"choice", "var a bool = any; var g bool = guess; s = g; if a { error \"e\" }", true},
		{"hidden choice", "var a bool = choose; var g bool = guess; s = g; if a { error \"e\" }", true},
		{"both", "var a bool = any; var g bool = guess; if a && g { error \"e\" }", false},
		{"either way", "var a bool = any; if a { return }; var g bool = guess; if g { error \"x\" }; error \"y\"", true},
		// Each guess has a choice that differs from it. The value of the code may be the choice.
		{"different", "var a bool = any; var g bool = guess; if a != g { error \"e\" }", false},
		{"one of two", "var a int8 = any; var g bool = guess; if g { if a > 3 { error \"x\" } } else if a > 5 { error \"y\" }", true},
		{"none of two", "var a int8 = any; var g bool = guess; if g { if a > 3 { error \"x\" } } else if a < 2 { error \"y\" }", false},
		{"known", "var a bool = any; var g int8 = guess; assume g >= 0; if g < 0 { return }; if a { error \"e\" }", true},
		{"known by another", "var a bool = any; var b int8 = any; var g int8 = guess; assume g > b; if g < 100 { return }; if a { error \"e\" }", false},
		{"known together", "var a bool = any; var g int8 = guess; var h int8 = guess; assume h >= g; assume h < 50 || g == 3; if h < g { return }; if a { error \"e\" }", true},
		{"known of one of them", "var a bool = any; var g int8 = guess; var h int8 = guess; assume h >= g; if h < 0 { return }; if a { error \"e\" }", false},
		{"made again", "var a bool = any; var g int8 = guess; var h int8 = guess; assume h >= g; g = guess; if h < g { return }; if a { error \"e\" }", false},
		{"made again and known", "var a bool = any; var g int8 = guess; var h int8 = guess; g = guess; assume h >= g; if h < g { return }; if a { error \"e\" }", true},
		{"a choice between them", "var a bool = any; var g int8 = guess; var h int8 = any; assume h == g; if a { error \"e\" }", false},
		{"joined", "var a bool = any; var g int8; if s { g = guess; assume g >= 5 } else { g = 0 }; var h int8 = guess; assume h >= g; if h < 5 { return }; if a { error \"e\" }; s = any", false},
		{"of the next round", "var a bool = any; var g, h, old, n int8; while { h = guess; assume h >= g; if n == 1 { break }; n++; old = h; g = guess }; if old < g { return }; if a { error \"e\" }", false},
		{"cannot be", "var a bool = any; var k bool = guess; if s { var g int8 = guess; var h int8 = guess; assume g > h; assume h > g; s = g > 0 }; if a && k { error \"e\" }; s = any", false},
		{"state", "if s { error \"e\" }; s = guess", false},
		{"state of a choice", "if s { error \"e\" }; s = any", true},
		{"initial value", "var g int8 = guess; assume g == i; if g == 3 { error \"e\" }", false},
		{"loop", "var n int8; var g bool = guess; while n < 2 { n++; g = guess }; var a bool = any; if a { s = g; error \"e\" }", true},
		{"loop of guesses", "var a bool = any; var n int8; var g bool; while n < 2 { n++; g = guess; if g && a { error \"e\" } }", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := parse(t, "component c\nstate s bool, i int8 = any\nmethod m() { "+x.body+" }\nmethod see() (r bool) { r = s }\n")
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded})
			if err != nil {
				t.Fatal(err)
			}
			some := false
			for _, f := range i.Forbidden {
				if f.Verdict == "may-fail" {
					some = true
					if f.Sure != x.sure {
						t.Errorf("sure %t of %s in %s, want %t", f.Sure, f.Call, i.States[f.State].Label, x.sure)
					}
				}
			}
			if !some {
				t.Errorf("nothing may fail: %+v", i.Forbidden)
			}
		})
	}
}

// TestSureOfAll puts expressions in place of guesses in random programs: what may surely fail does so
// whatever they are.
func TestSureOfAll(t *testing.T) {
	t.Parallel()
	runs := loops(100, 400)
	checked := 0
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 7))
		text, guesses := guessing(r)
		guessed := text(func(n int) string {
			if n == 0 {
				return "any" // the initial value of v
			}
			return "guess"
		})
		p := parse(t, guessed)
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded})
		if err != nil {
			t.Fatal(err)
		}
		for range 6 {
			var with []string
			for range guesses {
				with = append(with, []string{"false", "true", "s", "!s", "u", "a", "!a", "s != a", "u && a"}[r.IntN(9)])
			}
			with[0] = []string{"false", "true"}[r.IntN(2)]
			real := text(func(n int) string { return with[n] })
			g, err := newTruth(parse(t, real), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			n, err := surer(i, g)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s\n%s", seed, err, guessed, real)
			}
			checked += n
		}
	}
	if checked < 2*runs {
		t.Errorf("only %d verdicts were compared", checked)
	}
}

// guessing writes a program in which guesses can be put, each after the environment's choice a.
func guessing(r *rand.Rand) (text func(guess func(n int) string) string, guesses int) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var parts []string // with guesses between them
	var b strings.Builder
	b.WriteString("component c\nstate s, u bool, v bool = ")
	parts = append(parts, b.String())
	b.Reset()
	b.WriteString("\n")
	vars := []string{"s", "u", "v", "a", "g"}
	cond := func() string {
		return pick("", "!") + pick(vars...) + pick("", pick(" && ", " || ", " != ")+pick(vars...))
	}
	for k := range 2 + r.IntN(2) {
		fmt.Fprintf(&b, "method m%d() (r bool) {\n\tvar a bool = any\n\tvar g bool\n", k)
		for range 2 + r.IntN(4) {
			switch r.IntN(6) {
			case 0:
				b.WriteString("\tg = ")
				parts = append(parts, b.String())
				b.Reset()
				b.WriteString("\n")
			case 1:
				fmt.Fprintf(&b, "\tif %s { error \"e%d\" }\n", cond(), r.IntN(100))
			case 2:
				fmt.Fprintf(&b, "\tif %s { return %s }\n", cond(), pick("true", "false", "s"))
			case 3:
				fmt.Fprintf(&b, "\tif %s { %s = %s }\n", cond(), pick("s", "u"), cond())
			case 4:
				fmt.Fprintf(&b, "\t%s = %s\n", pick("s", "u"), cond())
			case 5:
				b.WriteString("\ta = any\n")
			}
		}
		fmt.Fprintf(&b, "\treturn %s\n}\n", pick("true", "s", "u", "g"))
	}
	parts = append(parts, b.String())
	return func(guess func(n int) string) string {
		all := parts[0]
		for n, p := range parts[1:] {
			all += guess(n) + p
		}
		return all
	}, len(parts) - 1
}

// surer goes along all words of the truth, as far as the interface has edges for them, and compares what
// surely may fail. It returns how much that was.
func surer(i *typestate.Interface, g *truth) (n int, err error) {
	sure := map[cellID]bool{}
	for _, f := range i.Forbidden {
		sure[cellID{f.State, f.Call}] = f.Verdict == "may-fail" && f.Sure
	}
	type node struct{ i, g int }
	seen := map[node]bool{}
	var work []node
	add := func(n node) {
		if !seen[n] {
			seen[n] = true
			work = append(work, n)
		}
	}
	for _, to := range g.nodes[0].moves[0].to {
		add(node{*i.Constructors[0].State, int(to)})
	}
	for len(work) > 0 {
		at := work[0]
		work = work[1:]
		for k, mv := range g.nodes[at.g].moves {
			name := g.calls[1][k].Method.Name
			if sure[cellID{at.i, name}] {
				n++
				if mv.verdict == prog.Allowed {
					return n, fmt.Errorf("%s surely may fail in %s, and does not", name, i.States[at.i].Label)
				}
			}
			for r, to := range mv.to {
				result := []string{"false", "true"}[mv.results[r][0].Lo]
				for _, e := range i.Edges {
					if e.From == at.i && e.Call == name && (e.Outcome == result || e.Outcome == "*") {
						add(node{e.To, int(to)})
					}
				}
			}
		}
	}
	return n, nil
}
