// SPDX-License-Identifier: Apache-2.0

package prog

// This file checks words: knowledge and erring runs against brute force over
// all resolutions of the choices, on random small components; and the syntax of
// words.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/term"
)

// randomComponent returns source text: a state of four values, calls that
// choose, answer and err.
func randomComponent(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	init := []string{"0", "any"}[r.IntN(2)]
	fmt.Fprintf(&b, "component random\nstate s uint2 = %s\n", init)
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "constructor New(k uint1) { if k == 1 { s = %d } else { choice { s = 1 } or { error \"new\" } } }\n", r.IntN(4))
	}
	for i := range 2 {
		fmt.Fprintf(&b, "method m%d(p uint1) (r bool) {\n", i)
		for s := range 4 {
			fmt.Fprintf(&b, "if s == %d {\n", s)
			for range 1 + r.IntN(2) {
				switch r.IntN(7) {
				case 0:
					fmt.Fprintf(&b, "r = choose; if r { s = %d }\n", r.IntN(4))
				case 1:
					fmt.Fprintf(&b, "if p == %d { error \"e%d\" }\n", r.IntN(2), s)
				case 2:
					fmt.Fprintf(&b, "s = any; assume s != %d\n", r.IntN(4))
				case 3:
					fmt.Fprintf(&b, "choice { s = %d } or { r = s > %d }\n", r.IntN(4), r.IntN(4))
				case 4:
					fmt.Fprintf(&b, "s = s + %d; return p == 1\n", 1+r.IntN(3))
				case 5:
					fmt.Fprintf(&b, "while s == %d { s = choose }\n", r.IntN(4))
				case 6:
					fmt.Fprintf(&b, "choice { error \"f%d\" } or { r = true }\n", s)
				}
			}
			b.WriteString("return\n}\n")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// A path is one resolution of all choices of a word: the state after it, or the
// error that ends it.
type path struct {
	state   State
	results [][]term.Value
	err     *ErrorSite
}

// paths follows single runs of a word, one resolution at a time, with no sets
// of states; it only shares Call with what it checks.
func paths(t *testing.T, in *Interp, word []Call) []path {
	states, err := in.Initial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var all []path
	var rec func(p path, i int)
	rec = func(p path, i int) {
		if i == len(word) {
			all = append(all, p)
			return
		}
		o, err := in.Call(context.Background(), p.state, word[i].Method, word[i].Args)
		if err != nil {
			t.Fatal(err)
		}
		if i == len(word)-1 {
			for _, e := range o.Errors {
				all = append(all, path{p.state, p.results, e})
			}
		}
		for _, r := range o.Returns {
			if word[i].Observed == nil || word[i].Observed(r.Results) {
				rec(path{r.State, append(slices.Clone(p.results), r.Results), nil}, i+1)
			}
		}
	}
	for _, s := range states {
		rec(path{state: s}, 0)
	}
	return all
}

func TestWordsAgainstPaths(t *testing.T) {
	ctx := context.Background()
	verdicts := make(map[Verdict]int)
	erring := 0
	for seed := range uint64(80) {
		p := mustParse(t, randomComponent(seed))
		in := NewInterp(p, InterpOptions{})
		r := rand.New(rand.NewPCG(seed, 3))
		for range 40 {
			ctor := p.Constructors[0]
			word := []Call{{Method: ctor}}
			if len(ctor.Params) > 0 {
				word[0].Args = []term.Value{{Lo: r.Uint64N(2)}}
			}
			for range r.IntN(4) {
				c := Call{Method: p.Methods[r.IntN(2)], Args: []term.Value{{Lo: r.Uint64N(2)}}}
				if r.IntN(3) > 0 {
					c.Observed = Saw(term.Value{Lo: r.Uint64N(2)})
				}
				word = append(word, c)
			}
			k, err := in.Word(ctx, word)
			if err != nil {
				t.Fatal(err)
			}
			verdicts[k.Verdict]++
			// The verdict is that of the word's prefix, from its paths.
			prefix := word[:k.Calls]
			before := paths(t, in, prefix[:len(prefix)-1])
			before = slices.DeleteFunc(before, func(p path) bool { return p.err != nil })
			unseen := slices.Clone(prefix)
			unseen[len(unseen)-1].Observed = nil
			want := Impossible
			if len(prefix) == 1 || len(before) > 0 {
				var errs, returns bool
				for _, p := range paths(t, in, unseen) {
					errs = errs || p.err != nil
					returns = returns || p.err == nil
				}
				switch {
				case errs && returns:
					want = MayFail
				case errs:
					want = Fails
				default:
					want = Allowed
				}
			}
			if k.Verdict != want || k.Verdict == Allowed && k.Calls != len(word) {
				t.Fatalf("seed %d: %v after %d calls, want %v\n%s", seed, k.Verdict, k.Calls, want, p)
			}
			states := make(map[string]bool)
			for _, p := range paths(t, in, prefix) {
				if p.err == nil {
					states[string(appendKey(nil, p.state))] = true
				}
			}
			if len(states) != len(k.States) {
				t.Fatalf("seed %d: %d states, want %d", seed, len(k.States), len(states))
			}
			for _, s := range k.States {
				if !states[string(appendKey(nil, s))] {
					t.Fatalf("seed %d: state %s is on no path", seed, p.FormatState(s))
				}
			}
			// An erring run exists iff the last call is forbidden, and is a run.
			run, ok, err := in.Run(ctx, prefix)
			if err != nil || ok != (k.Verdict == Fails || k.Verdict == MayFail) {
				t.Fatalf("seed %d: run %v, %v for verdict %v", seed, ok, err, k.Verdict)
			}
			if ok {
				erring++
				checkRun(t, in, run)
			}
		}
	}
	for _, v := range []Verdict{Allowed, Fails, MayFail, Impossible} {
		if verdicts[v] < 20 {
			t.Errorf("only %d words are %v; the test needs other components", verdicts[v], v)
		}
	}
	if erring < 100 {
		t.Errorf("only %d erring runs", erring)
	}
}

// checkRun replays a run edge by edge.
func checkRun(t *testing.T, in *Interp, run []CallRun) {
	t.Helper()
	for i, r := range run {
		m := r.Call.Method
		if i > 0 && !slices.Equal(run[i-1].After, r.Before) {
			t.Fatalf("call %d starts in another state than call %d ends in", i, i-1)
		}
		model := make(term.Model)
		for j, v := range in.p.State {
			model[v.Term] = r.Before[j]
		}
		for j, v := range m.Params {
			model[v.Term] = r.Call.Args[j]
		}
		loc := m.Entry
		for _, step := range r.Trace {
			e := step.Edge
			if e.From != loc {
				t.Fatalf("edge %v does not start at %d", e, loc)
			}
			loc = e.To
			after := make(map[*Var]term.Value)
			for _, c := range step.Changes {
				if model[c.Var.Term] != c.Old || c.Old == c.New || !slices.Contains(e.Vars, c.Var) {
					t.Fatalf("edge %v changes %s from %v to %v", e, c.Var.Name, c.Old, c.New)
				}
				after[c.Var] = c.New
			}
			for j, x := range e.Exprs {
				v := term.Eval(x, model)
				if e.Kind == AssumeEdge {
					if !v.Bool() {
						t.Fatalf("edge %v is not enabled", e)
					}
					continue
				}
				if _, changed := after[e.Vars[j]]; v != model[e.Vars[j].Term] && !changed {
					t.Fatalf("edge %v: no change of %s", e, e.Vars[j].Name)
				} else if changed && after[e.Vars[j]] != v {
					t.Fatalf("edge %v: wrong change of %s", e, e.Vars[j].Name)
				}
			}
			for v, x := range after {
				model[v.Term] = x
			}
		}
		if r.Error != nil {
			if loc != r.Error.Loc || i != len(run)-1 {
				t.Fatalf("the run errs at %d in call %d", loc, i)
			}
			continue
		}
		if loc != m.Exit {
			t.Fatalf("call %d ends at %d", i, loc)
		}
		for j, v := range in.p.State {
			if model[v.Term] != r.After[j] {
				t.Fatalf("call %d leaves %s = %v", i, v.Name, model[v.Term])
			}
		}
		for j, v := range m.Results {
			if model[v.Term] != r.Results[j] {
				t.Fatalf("call %d returns %s = %v", i, v.Name, model[v.Term])
			}
		}
	}
}

// TestTraceIsShortest: breadth-first search finds the error without the detour.
func TestTraceIsShortest(t *testing.T) {
	p := mustParse(t, `component c
state n int8
method m(k int8) {
	choice { while n < k { n++ } } or { skip; skip }
	if n >= 0 { error "x" }
}`)
	m := p.Methods[0]
	in := NewInterp(p, InterpOptions{})
	steps, ok, err := in.Trace(context.Background(), State{{}}, m, []term.Value{{Lo: 9}}, Goal{Error: m.Errors[0]})
	if err != nil || !ok || len(steps) != 3 {
		t.Errorf("%d steps, %v, %v", len(steps), ok, err)
	}
	if _, ok, _ := in.Trace(context.Background(), State{{}}, m, []term.Value{{Lo: 9}}, Goal{Return: &Returned{State: State{{}}}}); ok {
		t.Error("a return that does not exist has a trace")
	}
}

const wordSource = `component c
enum color { red, green }
state n int8
method Scan() (ok bool) { }
method Scan2(k int8, c color) (ok bool, v int8, c2 color) { }
method Close() {}
method ` + "`m#2`" + `(b bool) {}
`

func TestParseWord(t *testing.T) {
	for _, c := range []struct {
		constructors string
		word         []string
		want         string // calls as describeWord shows them, or the error
	}{
		{"", nil, "new"},
		{"", []string{"Close", "Scan=true", "Scan"}, "new Close Scan=(true) Scan"},
		{"", []string{"new", "Close=return", "Close=*", "Scan=*", "Scan=return"}, "new Close Close Scan=(_) Scan=(_)"},
		{"", []string{" Scan2( 3 , red ) = (true, -4, green)"}, "new Scan2(3, red)=(true, -4, green)"},
		{"", []string{"Scan2(1<<2, color.green)=(_,5,_)", "Scan=(false)"}, "new Scan2(4, green)=(_, 5, _) Scan=(false)"},
		{"", []string{"Scan2", "Close()"}, "new Scan2? Close"},
		{"", []string{"m#2(true)"}, "new m#2(true)"},
		{"constructor New(k uint3) (ok bool) {}", []string{"New(3)=true", "Close"}, "New(3)=(true) Close"},
		{"constructor New(k uint3) (ok bool) {}", []string{"Close"}, "the word must start with the constructor, which needs arguments: New(k uint3)"},
		{"constructor New(k uint3) (ok bool) {}", nil, "the word must start with the constructor, which needs arguments: New(k uint3)"},
		{"constructor A() {}\nconstructor B() {}", []string{"Close"}, "the word must start with a constructor: A, B"},
		{"constructor A() {}\nconstructor B() {}", []string{"B"}, "B"},
		{"constructor A() {}", []string{"Close", "A"}, `call 2 of the word, "A": a constructor can only come first`},
		{"", []string{"Scam"}, `call 1 of the word, "Scam": expected a method (Scan, Scan2, Close, m#2) or a constructor (new)`},
		{"", []string{"Scan2(200, red)"}, `call 1 of the word, "Scan2(200, red)": k int8: constant 200 does not fit int8 (-128..127)`},
		{"", []string{"Scan2(2, blue)"}, `call 1 of the word, "Scan2(2, blue)": c color: blue is not declared`},
		{"", []string{"Scan2(2)"}, `call 1 of the word, "Scan2(2)": too few arguments; expected Scan2(k int8, c color)`},
		{"", []string{"Close(2)"}, `call 1 of the word, "Close(2)": too many arguments; expected Close()`},
		{"", []string{"Close=true"}, `call 1 of the word, "Close=true": Close has no results; expected the outcome return, or none`},
		{"", []string{"Scan=3"}, `call 1 of the word, "Scan=3": ok bool: expected bool, found the constant 3`},
		{"", []string{"Scan2(1, red)=3"}, `call 1 of the word, "Scan2(1, red)=3": expected "(" and an outcome of Scan2, such as (false, 0, red), found number 3`},
		{"", []string{"Scan2(1, red)=true", "Scan2(1, red)=ok", "Scan2(1, red)=!ok"}, "new Scan2(1, red)=(true, _, _) Scan2(1, red)=(true, _, _) Scan2(1, red)=(false, _, _)"},
		{"constructor New() (a, b bool) {}", []string{"New=b"}, "New=(_, true)"},
		{"constructor New() (a, b bool) {}", []string{"New=true"}, `call 1 of the word, "New=true": true may be said of several results; expected an outcome of New, such as (false, false)`},
		{"", []string{"Scan=true extra"}, `call 1 of the word, "Scan=true extra": expected (arguments), =outcome or the end of the call, found "extra"`},
		{"", []string{"Scan2(n, red)"}, `call 1 of the word, "Scan2(n, red)": k int8: n is not declared`},
		{"", []string{"Scan(("}, `call 1 of the word, "Scan((": too many arguments; expected Scan()`},
	} {
		p := mustParse(t, wordSource+c.constructors)
		word, err := ParseWord(p, c.word)
		got := describeWord(word)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.word, got, c.want)
		}
	}
}

func describeWord(word []WordCall) string {
	var parts []string
	for _, w := range word {
		s := w.Method.Name
		if len(w.Args) > 0 {
			s += FormatArgs(w.Method.Params, w.Args)
		} else if !w.HasArgs {
			s += "?"
		}
		if len(w.Results) > 0 {
			var results []string
			for i, v := range w.Results {
				if v == nil {
					results = append(results, "_")
				} else {
					results = append(results, w.Method.Results[i].Type.FormatValue(*v))
				}
			}
			s += "=(" + strings.Join(results, ", ") + ")"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func TestWordCall(t *testing.T) {
	p := mustParse(t, wordSource)
	word, err := ParseWord(p, []string{"Scan2(1, red)=(_, 5, _)", "Scan2", "Scan=*"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := word[1].Call()
	if err != nil {
		t.Fatal(err)
	}
	for v := range uint64(8) {
		if got := c.Observed([]term.Value{{Lo: 1}, {Lo: v}, {}}); got != (v == 5) {
			t.Errorf("observed %d: %v", v, got)
		}
	}
	if _, err := word[2].Call(); err == nil || err.Error() != "Scan2 needs arguments: Scan2(k int8, c color)" {
		t.Errorf("Scan2: %v", err)
	}
	if c, err := word[3].Call(); err != nil || c.Observed != nil {
		t.Errorf("Scan=*: %v, observed %v", err, c.Observed != nil)
	}
}

func TestFormatCallRun(t *testing.T) {
	p := mustParse(t, "component c\nmethod m(k int8, b bool) (r int8, ok bool) { if k < 0 { error bad \"neg\" }; return k, b }")
	in := NewInterp(p, InterpOptions{})
	m := p.Methods[0]
	call := func(k int64) Call { return Call{Method: m, Args: []term.Value{term.ValueOf(8, k), {Lo: 1}}} }
	run, ok, err := in.Run(context.Background(), []Call{{Method: p.Constructors[0]}, call(3), call(-3)})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	got := fmt.Sprint(run[0], "; ", run[1], "; ", run[2])
	if want := `new; m(3, true) = (3, true); m(-3, true): bad "neg"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
