// SPDX-License-Identifier: Apache-2.0

package cert

import (
	"context"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// TestImpossible adds a state in which the register is known to be zero. That the call with
// the guard cur != 0 cannot be made there is right; that the other cannot is not, nor that
// either cannot where the register may have any value.
func TestImpossible(t *testing.T) {
	p, err := prog.Parse("cell.open", []byte(`component Cell
state cur uint8, cleared bool = true
method set(v uint8) { cur = v; cleared = false }
method clear() { if cleared { error "twice" } cur = 0; cleared = true }
method get() { if cur == 0 { error "empty" } }
`), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		impossible []typestate.Impossible
		forbidden  []typestate.Forbidden // of state 0
		refuted    string
	}{
		{"right", []typestate.Impossible{{State: 0, Call: "get"}}, []typestate.Forbidden{{State: 0, Call: "get#2", Verdict: "fails"}}, ""},
		{"can be made", []typestate.Impossible{{State: 0, Call: "get"}, {State: 0, Call: "get#2"}}, nil, "impossible 1 get#2"},
		{"can be made in another state", []typestate.Impossible{{State: 0, Call: "get"}, {State: 1, Call: "get"}},
			[]typestate.Forbidden{{State: 0, Call: "get#2", Verdict: "fails"}}, "impossible 2 get"},
	} {
		i := cellInterface(p, c.impossible, c.forbidden)
		if err := i.Validate(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r, err := Check(context.Background(), p, i, embedded, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var refuted []string
		for _, o := range r.Obligations {
			if o.Verdict == Refuted && strings.HasPrefix(o.Name, "impossible") {
				refuted = append(refuted, o.Name)
			}
		}
		if got := strings.Join(refuted, ", "); got != c.refuted || c.refuted == "" && !r.OK() {
			t.Errorf("%s: refuted %q, want %q; first %+v", c.name, got, c.refuted, r.First())
		}
	}
}

// cellInterface has the states cleared (0) and set (1), both with the register.
func cellInterface(p *prog.Program, impossible []typestate.Impossible, forbidden []typestate.Forbidden) *typestate.Interface {
	zero := 0
	register := []typestate.Register{{Name: "cur", Type: "uint8"}}
	call := func(id, method, guard string) typestate.Call {
		return typestate.Call{ID: id, Method: method, Params: []string{}, Types: []string{}, Guard: guard, Outcomes: []string{"return"}}
	}
	set := call("set", "set", "true")
	set.Params, set.Types = []string{"v"}, []string{"uint8"}
	i := &typestate.Interface{Format: typestate.Format,
		Component:    typestate.Component{Language: "open", Name: p.Name, Program: p.Hash(), Errors: []string{"error"}},
		Constructors: []typestate.Constructor{{ID: "new", Method: "new", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed", Update: map[string]string{"cur": "0"}}},
		Guarantees:   typestate.Guarantees{Safe: "unknown", Permissive: "unknown", Tight: "unknown"},
		Calls:        []typestate.Call{call("clear", "clear", "true"), call("get", "get", "cur != 0"), call("get#2", "get", "cur == 0"), set},
		States:       []typestate.State{{ID: 0, Registers: register}, {ID: 1, Registers: register}},
		Edges: []typestate.Edge{
			{From: 0, Call: "set", Outcome: "*", To: 1, Update: map[string]string{"cur": "v"}},
			{From: 1, Call: "set", Outcome: "*", To: 1, Update: map[string]string{"cur": "v"}},
			{From: 1, Call: "clear", Outcome: "*", To: 0, Update: map[string]string{"cur": "0"}},
		},
		Forbidden:  append([]typestate.Forbidden{{State: 0, Call: "clear", Verdict: "fails"}, {State: 1, Call: "get#2", Verdict: "fails"}}, forbidden...),
		Impossible: impossible,
	}
	next := func(call string, node int) typestate.NodeEdge {
		return typestate.NodeEdge{Call: call, Args: "true", Results: "true", Node: node}
	}
	errs := []typestate.SetError{{Call: "get#2", Args: "true"}}
	from := func(n, e int) typestate.Support { return typestate.Support{Node: n, Edge: e, Set: -1} }
	get := next("get", 2)
	i.Certificate = &typestate.Certificate{Program: p.Hash(), Nodes: []typestate.Node{
		{State: -1, Label: "true", Next: []typestate.NodeEdge{next(p.Constructors[0].Name, 1)}},
		{State: 0, Label: "cleared && cur == 0", Next: []typestate.NodeEdge{next("set", 2)}, Sets: []typestate.Set{
			{Formula: "cleared && cur == 0", Errs: append(errs, typestate.SetError{Call: "clear", Args: "true"}), From: []typestate.Support{from(0, 0), from(2, 1)}}}},
		{State: 1, Label: "!cleared", Next: []typestate.NodeEdge{next("set", 2), next("clear", 1)}, Sets: []typestate.Set{
			{Formula: "!cleared", Errs: errs, From: []typestate.Support{from(1, 0), from(2, 0)}}}},
	}}
	if len(impossible) < 2 || impossible[1].State == 0 { // get returns where it can be made
		i.Edges = append(i.Edges, typestate.Edge{From: 1, Call: "get", Outcome: "*", To: 1})
		n := &i.Certificate.Nodes[2]
		n.Next = append(n.Next, get)
		n.Sets[0].From = append(n.Sets[0].From, from(2, 2))
	}
	return i
}
