// SPDX-License-Identifier: Apache-2.0

package cert

// This file holds the judge to the definition for registers: over a component
// that remembers an argument of two bits, a family of interfaces with registers is
// tried (guards, updates, which states have the register). What the judge accepts
// answers every concrete word of up to four calls as the interpreter does; the
// right interfaces are accepted.

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

const lockOfOne = `component Lock
state held bool, cur uint2
method acquire(id uint2) { if held { error "held" } held, cur = true, id }
method release(id uint2) { if !held || id != cur { error "not yours" } held = false }
`

// lockInterface has the state free (0) and the state held (1).
func lockInterface(p *prog.Program, guards [2]string, acquire map[string]string, free bool, release, start map[string]string) *typestate.Interface {
	zero := 0
	register := []typestate.Register{{Name: "cur", Type: "uint2"}}
	params, types := []string{"id"}, []string{"uint2"}
	bad := func(s int, call string) typestate.Forbidden {
		return typestate.Forbidden{State: s, Call: call, Verdict: "fails"}
	}
	i := &typestate.Interface{Format: typestate.Format,
		Component:    typestate.Component{Language: "open", Name: p.Name, Program: p.Hash(), Errors: []string{"error"}},
		Constructors: []typestate.Constructor{{ID: "new", Method: "new", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed", Update: start}},
		Guarantees:   typestate.Guarantees{Safe: "unknown", Permissive: "unknown", Tight: "unknown"},
		Calls: []typestate.Call{
			{ID: "acquire", Method: "acquire", Params: params, Types: types, Guard: "true", Outcomes: []string{"return"}},
			{ID: "release", Method: "release", Params: params, Types: types, Guard: guards[0], Outcomes: []string{"return"}},
			{ID: "release#2", Method: "release", Params: params, Types: types, Guard: guards[1], Outcomes: []string{"return"}},
		},
		States: []typestate.State{{ID: 0}, {ID: 1, Registers: register}},
		Edges: []typestate.Edge{
			{From: 0, Call: "acquire", Outcome: "*", To: 1, Update: acquire},
			{From: 1, Call: "release", Outcome: "*", To: 0, Update: release},
		},
		Forbidden: []typestate.Forbidden{bad(0, "release"), bad(0, "release#2"), bad(1, "acquire"), bad(1, "release#2")},
	}
	if free {
		i.States[0].Registers = register
	}
	from := func(n, e int) typestate.Support { return typestate.Support{Node: n, Edge: e, Set: -1} }
	next := func(call string, node int) []typestate.NodeEdge {
		return []typestate.NodeEdge{{Call: call, Args: "true", Results: "true", Node: node}}
	}
	errs := func(calls ...string) (out []typestate.SetError) {
		for _, c := range calls {
			out = append(out, typestate.SetError{Call: c, Args: "true"})
		}
		return out
	}
	i.Certificate = &typestate.Certificate{Program: p.Hash(), Nodes: []typestate.Node{
		{State: -1, Label: "true", Next: next(p.Constructors[0].Name, 1)},
		{State: 0, Label: "!held", Next: next("acquire", 2), Sets: []typestate.Set{
			{Formula: "!held", Errs: errs("release", "release#2"), From: []typestate.Support{from(0, 0), from(2, 0)}}}},
		{State: 1, Label: "held", Next: next("release", 1), Sets: []typestate.Set{
			{Formula: "held", Errs: errs("acquire", "release#2"), From: []typestate.Support{from(1, 0)}}}},
	}}
	return i
}

// wrongWord returns a word of the given length on which the interface and the
// interpreter differ, "" if there is none.
func wrongWord(t *testing.T, p *prog.Program, i *typestate.Interface, depth int) string {
	t.Helper()
	in := prog.NewInterp(p, prog.InterpOptions{})
	states, err := in.Initial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var walk func(states []prog.State, word []typestate.Step) string
	walk = func(states []prog.State, word []typestate.Step) string {
		for _, m := range p.Methods {
			for x := range uint64(4) {
				st, err := in.Step(context.Background(), states, prog.Call{Method: m, Args: []term.Value{{Lo: x}}})
				if err != nil {
					t.Fatal(err)
				}
				next := append(word[:len(word):len(word)], typestate.Step{Call: m.Name, Args: map[string]string{"id": strconv.FormatUint(x, 10)}})
				want := typestate.StepNext
				if st.Verdict != prog.Allowed {
					want = typestate.StepForbidden
				}
				if a := i.Accepts(next); a.Kind != want {
					return fmt.Sprintf("%v: %v, want %v", next, a.Kind, want)
				}
				if want == typestate.StepNext && len(next) < depth {
					next[len(next)-1].Outcome = "return"
					if w := walk(st.States, next); w != "" {
						return w
					}
				}
			}
		}
		return ""
	}
	return walk(states, nil)
}

func TestRegisters(t *testing.T) {
	p, err := prog.Parse("lock.open", []byte(lockOfOne), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := func(text string) map[string]string {
		if text == "" {
			return nil
		}
		return map[string]string{"cur": text}
	}
	accepted, judged := 0, 0
	for _, guards := range [][2]string{{"id == cur", "id != cur"}, {"id != cur", "id == cur"}, {"id <= cur", "id > cur"},
		{"cur == id", "cur != id"}, {"id == cur || id == 0", "id != cur && id != 0"}, {"id == 0", "id != 0"}, {"true", "false"}} {
		for _, acquire := range []string{"id", "id + 0", "3 - id", "id + 1", "0", "cur"} {
			for _, free := range []bool{false, true} {
				for _, release := range []string{"", "cur", "id", "0", "id + 1"} {
					for _, start := range []string{"", "0", "1"} {
						i := lockInterface(p, guards, set(acquire), free, set(release), set(start))
						r, err := Check(context.Background(), p, i, embedded, Options{First: true})
						if err != nil {
							t.Fatal(err)
						}
						judged++
						name := fmt.Sprintf("guards %q, acquire %q, free %v, release %q, start %q", guards, acquire, free, release, start)
						right := i.Validate() == nil && wrongWord(t, p, i, 3) == ""
						switch {
						case r.OK() && !right:
							t.Errorf("%s: accepted, but %s", name, wrongWord(t, p, i, 3))
						case r.OK():
							accepted++
						}
						if guards[0] == "id == cur" && acquire == "id" && !free && release == "" && start == "" && !r.OK() {
							t.Errorf("%s: not accepted: %+v", name, r.First())
						}
					}
				}
			}
		}
	}
	// Two ways to write the guard, two the update of acquire; the register only
	// where it is held, or also where it is free: then it starts with zero and
	// keeps its value (written in two ways), or takes that of the argument, which is
	// the same.
	if want := 2 * 2 * (1 + 3); accepted != want {
		t.Errorf("%d of %d accepted, want %d", accepted, judged, want)
	}
}

// An update that is wrong after a loop, and one whose register the loop changes.
func TestRegisterAndLoop(t *testing.T) {
	for _, update := range []struct {
		text string
		ok   bool
	}{{"n", false}, {"n & 2", false}, {"0", true}} {
		p, err := prog.Parse("loop.open", []byte(`component Loop
state n uint2
method m() { while n != 0 { n = n - 1 } }
`), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		zero := 0
		register := []typestate.Register{{Name: "n", Type: "uint2"}}
		i := &typestate.Interface{Format: typestate.Format,
			Component:    typestate.Component{Language: "open", Name: p.Name, Program: p.Hash()},
			Constructors: []typestate.Constructor{{ID: "new", Method: "new", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed", Update: map[string]string{"n": "0"}}},
			Guarantees:   typestate.Guarantees{Safe: "unknown", Permissive: "unknown", Tight: "unknown"},
			Calls:        []typestate.Call{{ID: "m", Method: "m", Guard: "true", Outcomes: []string{"return"}}},
			States:       []typestate.State{{ID: 0, Registers: register}},
			Edges:        []typestate.Edge{{From: 0, Call: "m", Outcome: "*", To: 0, Update: map[string]string{"n": update.text}}},
		}
		edge := func(call string) []typestate.NodeEdge {
			return []typestate.NodeEdge{{Call: call, Args: "true", Results: "true", Node: 1}}
		}
		i.Certificate = &typestate.Certificate{Program: p.Hash(), Nodes: []typestate.Node{
			{State: -1, Label: "true", Next: edge("new")}, {State: 0, Label: "true", Next: edge("m")}}}
		// A budget that is used up proves nothing; this one is from the start.
		r, err := Check(context.Background(), p, i, embedded, Options{Terms: -1})
		if err != nil {
			t.Fatal(err)
		}
		if update.ok && (r.OK() || r.Count(Unknown) != 1) {
			t.Errorf("update %q: accepted %v without a budget, %d obligations unknown", update.text, r.OK(), r.Count(Unknown))
		}
		r, err = Check(context.Background(), p, i, embedded, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.OK() != update.ok {
			t.Errorf("update %q: accepted %v, first problem %+v", update.text, r.OK(), r.First())
		}
	}
}
