// SPDX-License-Identifier: Apache-2.0

package corpus

// This file checks the corpus itself: every file is well formed, speaks of the
// calls of its component, and Check accepts exactly the interface that a table
// describes.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

const dir = "../../testdata/corpus"

func load(t testing.TB) []Case {
	t.Helper()
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func program(t testing.TB, c Case, width int) *prog.Program {
	t.Helper()
	p, err := prog.Parse(c.File, []byte(c.Source), prog.Options{Width: width})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFiles(t *testing.T) {
	cases := load(t)
	if len(cases) < 60 {
		t.Errorf("%d files, want at least 60", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			for _, flags := range [][]string{c.Flags, c.Oracle} {
				for k := 0; k < len(flags); k++ {
					switch flags[k] {
					case "-serial", "-tight":
					case "-width":
						if k++; width(flags) == 0 {
							t.Errorf("-width without a number")
						}
					default:
						t.Errorf("unknown flag %s", flags[k])
					}
				}
			}
			p := program(t, c, c.Width())
			methods := func(row map[string]Cell) []string {
				names := map[string]bool{}
				for id := range row {
					m, _, _ := strings.Cut(id, "#")
					names[m] = true
				}
				return slices.Sorted(maps.Keys(names))
			}
			declared := func(ms []*prog.Method) []string {
				var names []string
				for _, m := range ms {
					names = append(names, m.Name)
				}
				slices.Sort(names)
				return names
			}
			if got, want := methods(c.Expect.Start), declared(p.Constructors); !slices.Equal(got, want) {
				t.Errorf("start speaks of %v, the constructors are %v", got, want)
			}
			if len(c.Expect.Rows) == 0 {
				return
			}
			if got, want := methods(c.Expect.Rows[0]), declared(p.Methods); !slices.Equal(got, want) {
				t.Errorf("states speak of %v, the methods are %v", got, want)
			}
		})
	}
}

// describe makes the interface that a table describes, with states numbered
// backwards so that Check cannot rely on numbers.
func describe(e *Expect, p *prog.Program) *typestate.Interface {
	i := &typestate.Interface{}
	back := func(s int) int { return e.States - 1 - s }
	signature := func(ms []*prog.Method, id string) (m string, params, types []string, guard string) {
		m, _, _ = strings.Cut(id, "#")
		for _, x := range ms {
			if x.Name == m {
				for _, v := range x.Params {
					params, types = append(params, v.Name), append(types, v.Type.String())
				}
			}
		}
		guard, ok := e.Guards[id]
		if !ok {
			guard = "true"
		}
		return m, params, types, guard
	}
	for s := range e.States {
		i.States = append(i.States, typestate.State{ID: s})
	}
	verdict := func(k Kind) string {
		switch k {
		case Allowed, NoReturn:
			return "allowed"
		case Pruned:
			return "may-fail"
		}
		return k.String()
	}
	for _, id := range slices.Sorted(maps.Keys(e.Start)) {
		m, params, types, guard := signature(p.Constructors, id)
		c := typestate.Constructor{ID: id, Method: m, Params: params, Types: types, Guard: guard, Verdict: verdict(e.Start[id].Kind)}
		if e.Start[id].Kind != Allowed {
			i.Constructors = append(i.Constructors, c)
		}
		for _, o := range slices.Sorted(maps.Keys(e.Start[id].To)) {
			to := back(e.Start[id].To[o])
			c.Outcome, c.State = o, &to
			i.Constructors = append(i.Constructors, c)
		}
	}
	if len(e.Rows) == 0 {
		return i
	}
	for _, id := range slices.Sorted(maps.Keys(e.Rows[0])) {
		m, params, types, guard := signature(p.Methods, id)
		i.Calls = append(i.Calls, typestate.Call{ID: id, Method: m, Params: params, Types: types, Guard: guard})
	}
	for s, row := range e.Rows {
		for _, id := range slices.Sorted(maps.Keys(row)) {
			switch c := row[id]; c.Kind {
			case Allowed:
				for _, o := range slices.Sorted(maps.Keys(c.To)) {
					i.Edges = append(i.Edges, typestate.Edge{From: back(s), Call: id, Outcome: o, To: back(c.To[o])})
				}
			case Fails, MayFail, Pruned:
				i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: back(s), Call: id, Verdict: verdict(c.Kind)})
			case Unknown:
				i.Unknown = append(i.Unknown, typestate.Unknown{State: back(s), Call: id})
			}
		}
	}
	return i
}

// TestCheck compares every table with the interface that it describes and with
// every interface that differs from it in one place.
func TestCheck(t *testing.T) {
	for _, c := range load(t) {
		t.Run(c.Name, func(t *testing.T) {
			e := c.Expect
			p := program(t, c, c.Width())
			i := describe(e, p)
			if d := e.Check(i); len(d) > 0 {
				t.Fatalf("the interface of the table differs from the table:\n%s", strings.Join(d, "\n"))
			}
			refuse := func(format string, args ...any) {
				if len(e.Check(i)) == 0 {
					t.Errorf("accepted "+format, args...)
				}
			}
			i.States = append(i.States, typestate.State{ID: e.States})
			refuse("another state")
			i.States = i.States[:e.States]
			if len(e.Rows) == 0 {
				return
			}
			// Every place of a small table, about forty of a large one.
			for k := 0; k < len(i.Edges); k += 1 + len(i.Edges)/40 {
				ed := &i.Edges[k]
				was := *ed
				if e.States > 1 {
					ed.To = (ed.To + 1) % e.States
					refuse("%v moved to %d", was, ed.To)
				}
				*ed = was
				ed.Call = "nothing"
				refuse("the interface without %v", was)
				*ed = was
			}
			for k := 0; k < len(i.Forbidden); k += 1 + len(i.Forbidden)/40 {
				f := &i.Forbidden[k]
				was := f.Verdict
				if e.Rows[e.States-1-f.State][f.Call].Kind != Pruned {
					f.Verdict = map[string]string{"fails": "may-fail", "may-fail": "fails"}[was]
					refuse("%s of %s in %d as %s", was, f.Call, f.State, f.Verdict)
				}
				f.Verdict = was
				all := i.Forbidden
				i.Forbidden = slices.Delete(slices.Clone(all), k, k+1)
				refuse("the interface that allows %s in %d", all[k].Call, all[k].State)
				i.Forbidden = all
			}
			for k := range i.Calls {
				if g := i.Calls[k].Guard; g != "true" {
					i.Calls[k].Guard = "!(" + g + ")"
					refuse("%s with guard %s", i.Calls[k].ID, i.Calls[k].Guard)
					i.Calls[k].Guard = g
				}
			}
			if len(i.Calls) > 0 {
				all := i.Calls
				i.Calls = all[1:]
				refuse("the interface without call %s", all[0].ID)
				i.Calls = all
			}
			if d := e.Check(i); len(d) > 0 {
				t.Errorf("the test changed the interface: %s", d)
			}
		})
	}
}

// TestCheckNames pins what Check does not look at: the names of outcomes of
// split numbers and the order and text of guards.
func TestCheckNames(t *testing.T) {
	e, err := ParseExpect(`states 2
guard m: p == 0 || p > 5
guard m#2: p != 0 && p <= 5
start new -> 0
0: m=[r == 0] -> 0; m=[r != 0] -> 1; forbidden m#2
1: m m#2 -> 1
`)
	if err != nil {
		t.Fatal(err)
	}
	zero := 0
	i := &typestate.Interface{
		Constructors: []typestate.Constructor{{ID: "new", Method: "new", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed"}},
		Calls: []typestate.Call{
			{ID: "m", Method: "m", Params: []string{"p"}, Types: []string{"int32"}, Guard: "1 <= p && p < 6 || p < 0"},
			{ID: "m#2", Method: "m", Params: []string{"p"}, Types: []string{"int32"}, Guard: "!(1 <= p && p < 6 || p < 0)"},
		},
		States: []typestate.State{{ID: 0}, {ID: 1}},
		Edges: []typestate.Edge{
			{From: 0, Call: "m#2", Outcome: "r = 0", To: 0}, {From: 0, Call: "m#2", Outcome: "else", To: 1},
			{From: 1, Call: "m", Outcome: "*", To: 1}, {From: 1, Call: "m#2", Outcome: "*", To: 1},
		},
		Forbidden: []typestate.Forbidden{{State: 0, Call: "m", Verdict: "fails"}},
	}
	if d := e.Check(i); len(d) > 0 {
		t.Errorf("equal up to names, but: %s", d)
	}
	i.Calls[0].Guard, i.Calls[1].Guard = "1 <= p && p < 5 || p < 0", "!(1 <= p && p < 5 || p < 0)"
	if d := e.Check(i); len(d) == 0 {
		t.Errorf("accepted guards that differ at 5")
	}
}

func TestParseExpectErrors(t *testing.T) {
	const good = "states 1\nstart new -> 0\n0: a -> 0\n"
	if _, err := ParseExpect(good); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"start new -> 0\n0: a -> 0":                                                  `no line "states N"`,
		"states x":                                                                   "want a number",
		"states 1\n0: a -> 0":                                                        "no line \"start",
		"states 2\nstart new -> 0\n0: a -> 0":                                        "2 states and 1 state lines",
		"states 2\nstart new -> 0\n0: a -> 0\n2: a -> 0":                             "no line for state 1",
		"states 2\nstart new -> 0\n0: a -> 1\n1: b -> 0":                             "call b is not mentioned",
		"states 2\nstart new -> 0\n0: a -> 0\n1: a -> 0":                             "state 1 cannot be reached",
		"states 1\nstart new -> 0\n0: a -> 1":                                        "leads to state 1 of 1",
		"states 1\nstart new -> 0\n0: a -> 0; forbidden a":                           "both allowed and fails",
		"states 1\nstart new -> 0\n0: forbidden a; a -> 0":                           "both fails and allowed",
		"states 1\nstart new -> 0\n0: a -> 0; a -> 0":                                "two targets",
		"states 1\nstart new -> 0\n0: a=true -> 0; a=false -> 0":                     "leave the outcome out",
		"states 1\nstart new -> 0\n0: a=(x -> 0":                                     "do not match",
		"states 1\nstart new -> 0\n0: a -> 0; impossible a":                          "want CALL=OUTCOME",
		"states 1\nstart new -> 0\n0: a -> 0\n0: a -> 0":                             "second line of state 0",
		"states 1\nstart new -> 0\nguard b: x\n0: a -> 0":                            "guard of b",
		"states 1\nsymbols 2\nstart new -> 0\n0: a -> 0":                             "symbols 2",
		"states 1\nstart new -> 0\n0: may a":                                         "want \"CALL -> STATE\"",
		"states 1\nstart new -> 0\n0: forbidden a=true":                              "has no outcome",
		"states 2\nstart new -> 0\n0: a=x -> 0; a=y -> 1; impossible a=x\n1: a -> 1": "possible and impossible",
		"what 1": "want states, symbols",
	} {
		if _, err := ParseExpect(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func ExampleExpect_Check() {
	e, err := ParseExpect("states 2\nstart new -> 0\n0: open -> 1; forbidden close\n1: close -> 0; forbidden open\n")
	if err != nil {
		panic(err)
	}
	zero := 0
	i := &typestate.Interface{
		Constructors: []typestate.Constructor{{ID: "new", Method: "new", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed"}},
		Calls:        []typestate.Call{{ID: "close", Method: "close", Guard: "true"}, {ID: "open", Method: "open", Guard: "true"}},
		States:       []typestate.State{{ID: 0}, {ID: 1}},
		Edges:        []typestate.Edge{{From: 0, Call: "open", Outcome: "*", To: 1}, {From: 1, Call: "close", Outcome: "*", To: 1}},
		Forbidden:    []typestate.Forbidden{{State: 0, Call: "close", Verdict: "may-fail"}, {State: 1, Call: "open", Verdict: "fails"}},
	}
	for _, d := range e.Check(i) {
		fmt.Println(d)
	}
	// Output:
	// state 0: close: may-fail, want fails
	// state 1: close: outcome *: leads to 1, want 0 as for another word that reaches state 0 of the table
}

// FuzzParseExpect checks that a table is read or refused with a line number,
// and that a table that is read can be checked.
func FuzzParseExpect(f *testing.F) {
	for _, c := range load(f) {
		if c.Expect.States < 5 {
			f.Add(fmt.Sprintf("states %d\nstart new -> 0\n0: a=(x, _) b=[n == 1] -> 0; forbidden c; impossible a=y", c.Expect.States))
		}
	}
	f.Add("states 2\nsymbols 2\nguard m: p\nguard m#2: !p\nstart new=true -> 0; new=false -> 1\n0: m -> 1; may-fail m#2\n1: no-return m; unknown m#2\n")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseExpect(text)
		if err != nil {
			if r := err.Error()[0]; r < '0' || r > '9' {
				t.Errorf("no line number: %v", err)
			}
			return
		}
		if e.States > 0 && len(e.Check(&typestate.Interface{})) == 0 {
			t.Errorf("a table with %d states accepts the empty interface", e.States)
		}
	})
}
