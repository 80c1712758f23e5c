// SPDX-License-Identifier: Apache-2.0

package typestate

import (
	"fmt"
	"maps"
	"testing"
)

// TestGuardHolds compares three-valued evaluation with all ways to complete the
// arguments that are left out: yes and no must hold for all of them. It also
// must not be so cautious that it never decides.
func TestGuardHolds(t *testing.T) {
	types := map[string]string{"n": "int2", "b": "bool", "p": "*T"}
	domains := map[string][]string{"n": {"-2", "-1", "0", "1"}, "b": {"false", "true"}, "p": {"nil", "x", "y"}}
	guards := []string{
		"true", "n > 0", "n > 0 && b", "b && n > 0", "n > 0 || !b", "!(n == 1) && p == nil", "p != nil || n < 0",
		"p == x", "p != x && b", "b == (n > 0)", "n + 1 > 0", "(b || p == y) && n != -2", "b", "!b",
	}
	decided := 0
	for _, g := range guards {
		for mask := range 8 {
			for n := range 4 {
				for b := range 2 {
					for p := range 3 {
						full := Known{"n": domains["n"][n], "b": domains["b"][b], "p": domains["p"][p]}
						known := maps.Clone(full)
						for k, name := range []string{"n", "b", "p"} {
							if mask>>k&1 == 0 {
								delete(known, name)
							}
						}
						exact := GuardHolds(g, types, full)
						if exact == MatchUnknown {
							t.Fatalf("%s with %v: unknown", g, full)
						}
						got := GuardHolds(g, types, known)
						if got != MatchUnknown && got != exact {
							t.Errorf("%s with %v is %v, but %v with %v", g, known, got, exact, full)
						}
						if got != MatchUnknown && mask != 7 {
							decided++
						}
						if known["p"] == "x" || known["p"] == "y" {
							known["p"] = "non-nil"
							if got := GuardHolds(g, types, known); got != MatchUnknown && got != exact {
								t.Errorf("%s with %v is %v, but %v with %v", g, known, got, exact, full)
							}
						}
					}
				}
			}
		}
	}
	if decided < 500 {
		t.Errorf("only %d decided with some argument left out", decided)
	}
	types["len(p)"], types["a.b c"], types["q"] = "uint47", "int8", "*T"
	for guard, want := range map[string]Match{
		"p == nil": MatchNo, "nil != p": MatchYes, "p == q": MatchUnknown, "p == x": MatchUnknown, "x != p": MatchUnknown,
		"p == `non-nil`": MatchYes, "`non-nil` != p": MatchNo, "q == `non-nil`": MatchUnknown, "`len(p)` > 2": MatchYes, "a.`b c` == 4": MatchYes,
		"n / 0 == 1": MatchUnknown, "n >": MatchUnknown, "len(p) > 0": MatchUnknown, "p": MatchUnknown,
	} {
		if got := GuardHolds(guard, types, Known{"p": "non-nil", "n": "1", "len(p)": "3", "a.b c": "4"}); got != want {
			t.Errorf("%s: %v, expected %v", guard, got, want)
		}
	}
}

func TestEvaluate(t *testing.T) {
	types := map[string]string{"n": "int4", "p": "*T"}
	known := Known{"n": "7", "p": "nil"}
	for _, c := range []struct{ expr, typ, want string }{
		{"n", "int4", "7 true"},
		{"n + 1", "int4", "-8 true"},
		{"3", "int4", "3 true"},
		{"n", "int8", " false"},
		{"p", "*T", "nil true"},
		{"m", "int4", " false"},
		{"n +", "int4", " false"},
	} {
		text, ok := Evaluate(c.expr, c.typ, types, known)
		if got := fmt.Sprint(text, " ", ok); got != c.want {
			t.Errorf("%s as %s: %s, expected %s", c.expr, c.typ, got, c.want)
		}
	}
}
