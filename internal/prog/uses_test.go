// SPDX-License-Identifier: Apache-2.0

package prog

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// gate is an interface with everything that a call can meet: a constructor that
// must be called, guards, outcomes, forbidden and unknown calls, and a call that
// does not return.
func gate() *Used {
	edge := func(outcome string, to int) UsedCell { return UsedCell{Edges: []UsedEdge{{outcome, to}}} }
	return &Used{States: 2, Start: -1, Calls: []UsedCall{
		{Method: "New", Constructor: true, Guard: "true", Cells: []UsedCell{edge("*", 0)}},
		{Method: "open", Params: []string{"k"}, Types: []string{"uint2"}, Guard: "k > 1", Outcomes: []string{"true", "false"},
			Cells: []UsedCell{{Edges: []UsedEdge{{"true", 1}, {"false", 0}}}, {Error: "open fails: already open"}}},
		{Method: "open", Params: []string{"k"}, Types: []string{"uint2"}, Guard: "k <= 1", Outcomes: []string{"true", "false"},
			Cells: []UsedCell{edge("*", 0), {Unknown: "budget"}}},
		{Method: "size", Guard: "true", Outcomes: []string{"n < 2", "2", "n > 2"}, Cells: []UsedCell{{}, {Edges: []UsedEdge{{"n < 2", 0}, {"2", 1}, {"n > 2", 1}}}}},
		{Method: "pair", Guard: "true", Outcomes: []string{"(true, _)", "(false, 3)"}, Cells: []UsedCell{{Edges: []UsedEdge{{"(true, _)", 0}, {"(false, 3)", 1}}}, edge("*", 1)}},
	}}
}

func parseUser(source string) (*Program, *Used, error) {
	u := gate()
	p, err := Parse("user.open", []byte("component User\nuses g from \"gate.json\"\n"+source), Options{Uses: func(file string) (*Used, error) {
		if file != "gate.json" {
			return nil, errors.New("no such file")
		}
		return u, nil
	}})
	return p, u, err
}

// TestUsesRuns follows calls of an interface in the interpreter.
func TestUsesRuns(t *testing.T) {
	p, u, err := parseUser(`
method make() { g.New() }
method open(k uint2) (ok bool) { ok = g.open(k + 1) }
method push(k uint2) { g.open(k) }
method size() (m uint3) { m = g.size() }
method pair() (b bool, m uint3) { b, m = g.pair() }
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if !u.Loose {
		t.Error("results of an edge * are taken, and Loose is not set")
	}
	// What is printed has no interfaces, and is the same program.
	again, err := Parse("user.open", []byte(p.String()), Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	if ok, why := Equal(p, again); !ok {
		t.Errorf("printed and read again: %s\n%s", why, p)
	}
	for _, c := range []struct{ word, want string }{
		{"new open(1)", `fails protocol "g.open before g is constructed"`},
		{"new make open(0)", "allowed (false) (true)"}, // open[k <= 1] does not say which
		{"new make open(1)", "allowed (false) (true)"},
		{"new make open(1)=false open(1)", "allowed (false) (true)"},
		{"new make open(1)=true open(1)", `fails protocol "g.open fails: already open"`},
		{"new make open(1)=true push(0)", `fails unknown-protocol "g.open: budget"`},
		{"new make push(3) push(3)", `may-fail protocol "g.open fails: already open" ()`},
		{"new make size", "allowed"},
		{"new make open(1)=true size", "allowed (0) (1) (2) (3) (4) (5) (6) (7)"},
		{"new make open(1)=true size=2 size", "allowed (0) (1) (2) (3) (4) (5) (6) (7)"},
		{"new make open(1)=true size=1 size", "allowed"},
		{"new make pair=(false,3) size", "allowed (0) (1) (2) (3) (4) (5) (6) (7)"},
		{"new make pair=(true,3) size", "allowed"},
		{"new make make open(3)", "allowed (false) (true)"},
	} {
		words, err := ParseWord(p, strings.Fields(c.word))
		if err != nil {
			t.Fatal(err)
		}
		in := NewInterp(p, InterpOptions{})
		states, err := in.Initial(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var st Step
		for _, w := range words {
			call, err := w.Call()
			if err != nil {
				t.Fatal(err)
			}
			if st, err = in.Step(context.Background(), states, call); err != nil {
				t.Fatal(err)
			}
			states = st.States
		}
		got := st.Verdict.String()
		for _, e := range st.Errors {
			got += " " + e.Kind + " \"" + e.Message + "\""
		}
		for _, r := range st.Results {
			var values []string
			for k, v := range r {
				values = append(values, words[len(words)-1].Method.Results[k].Type.FormatValue(v))
			}
			got += " (" + strings.Join(values, ", ") + ")"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.word, got, c.want)
		}
	}
}

func TestUsesLoose(t *testing.T) {
	_, u, err := parseUser("method open(k uint2) { g.open(k) }\nmethod size() (m uint3) { m = g.size() }\n")
	if err != nil {
		t.Fatal(err)
	}
	if u.Loose {
		t.Error("no result of an edge * is taken, and Loose is set")
	}
}

func TestUsesWrong(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"method m() (b bool) { b = g.pair() }", "user.open:3:23: outcome (true, _) of g.pair cannot be given to 1 variables"},
		{"method m() (b bool, c bool) { b, c = g.open(1) }", "user.open:3:31: outcome true of g.open cannot be given to 2 variables"},
		{"method m() (b uint2) { b = g.open(1) }", "user.open:3:24: "},
		{"method m() { g.open(true) }", "user.open:3:21: "},
		{"method m() { g.open(1 }", "user.open:3:23: expected \")\" after the arguments"},
		{"state gState bool\nmethod m() { g.shut() }", "the interface of g has no method shut"},
		{"enum e { g0 }\nmethod m() { g.New(); h = g0 }", "g0"},
		{"uses h from \"h.json\"\nmethod m() { }", "user.open:3:1: uses h from \"h.json\": no such file"},
	} {
		_, _, err := parseUser(c.source)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n\tgot  %v\n\twant %s", c.source, err, c.want)
		}
	}
}
