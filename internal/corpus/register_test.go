// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// TestCheckRegisters pins that guards and updates with registers are compared by what they mean.
func TestCheckRegisters(t *testing.T) {
	e, err := ParseExpect(`states 1
register n
guard fire: n == 5
guard fire#2: n != 5
update new: n = 0
update tick: n = n + 1
update fire: n = 0
start new -> 0
0: tick -> 0; fire -> 0; forbidden fire#2
`)
	if err != nil {
		t.Fatal(err)
	}
	zero := 0
	newInterface := func() *typestate.Interface {
		return &typestate.Interface{
			Constructors: []typestate.Constructor{{ID: "new", Method: "new", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed", Update: map[string]string{"n": "1 - 1"}}},
			Calls: []typestate.Call{
				{ID: "fire", Method: "fire", Guard: "!(n < 5 || n >= 6)"},
				{ID: "fire#2", Method: "fire", Guard: "n < 5 || n >= 6"},
				{ID: "tick", Method: "tick", Guard: "true"},
			},
			States:    []typestate.State{{ID: 0, Registers: []typestate.Register{{Name: "n", Type: "int64"}}}},
			Edges:     []typestate.Edge{{From: 0, Call: "fire", Outcome: "*", To: 0, Update: map[string]string{"n": "n - 5"}}, {From: 0, Call: "tick", Outcome: "*", To: 0, Update: map[string]string{"n": "1 + n"}}},
			Forbidden: []typestate.Forbidden{{State: 0, Call: "fire#2", Verdict: "fails"}},
		}
	}
	if d := e.Check(newInterface()); len(d) > 0 {
		t.Errorf("the same by what it means, but: %s", d)
	}
	for _, c := range []struct {
		name, want string
		change     func(i *typestate.Interface)
	}{
		{"another guard", "fire", func(i *typestate.Interface) { i.Calls[0].Guard, i.Calls[1].Guard = "n == 6", "n != 6" }},
		{"another update", "tick gives n", func(i *typestate.Interface) { i.Edges[1].Update["n"] = "n + 2" }},
		{"no update", "tick gives n", func(i *typestate.Interface) { i.Edges[1].Update = nil }},
		{"another start", "new gives n", func(i *typestate.Interface) { i.Constructors[0].Update["n"] = "1" }},
		{"no register", "no state has the register n", func(i *typestate.Interface) { i.States[0].Registers = nil }},
		{"another register", "has a register m", func(i *typestate.Interface) {
			i.States[0].Registers = append(i.States[0].Registers, typestate.Register{Name: "m", Type: "int64"})
		}},
	} {
		i := newInterface()
		c.change(i)
		if d := strings.Join(e.Check(i), "\n"); !strings.Contains(d, c.want) {
			t.Errorf("%s: %q, want %q in it", c.name, d, c.want)
		}
	}
}
