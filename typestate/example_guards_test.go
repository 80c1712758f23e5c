// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tests that concrete calls are found for guards.

import (
	"fmt"
	"strings"
	"testing"
)

func TestExamples(t *testing.T) {
	zero, one := 0, 1
	i := &Interface{
		Constructors: []Constructor{
			{ID: "New", Method: "New", Params: []string{"size"}, Types: []string{"int64"}, Guard: "size > 0", Outcome: "*", State: &zero, Verdict: "allowed"},
			{ID: "New#2", Method: "New", Params: []string{"size"}, Types: []string{"int64"}, Guard: "size <= 0", Verdict: "fails"},
			{ID: "Open", Method: "Open", Guard: "true", Outcome: "*", State: &one, Verdict: "allowed"},
		},
		Calls: []Call{
			{ID: "get", Method: "get", Params: []string{"k", "all"}, Types: []string{"int32", "bool"}, Guard: "all || k > 1000 && k != 1002", Outcomes: []string{"return"}},
			{ID: "get#2", Method: "get", Params: []string{"k", "all"}, Types: []string{"int32", "bool"}, Guard: "!all && (k <= 1000 || k == 1002)", Outcomes: []string{"return"}},
			{ID: "set", Method: "set", Params: []string{"m"}, Types: []string{"mode"}, Guard: "m == open", Outcomes: []string{"return"}},
			{ID: "set#2", Method: "set", Params: []string{"m"}, Types: []string{"mode"}, Guard: "m == shut", Outcomes: []string{"return"}},
			{ID: "stop", Method: "stop", Guard: "true", Outcomes: []string{"return"}},
		},
		States: []State{{ID: 0}, {ID: 1}},
		Edges: []Edge{{From: 0, Call: "get", Outcome: "*", To: 0}, {From: 0, Call: "set", Outcome: "*", To: 1}, {From: 0, Call: "stop", Outcome: "*", To: 1},
			{From: 1, Call: "get", Outcome: "*", To: 1}, {From: 1, Call: "get#2", Outcome: "*", To: 1}, {From: 1, Call: "stop", Outcome: "*", To: 1}},
		Forbidden: []Forbidden{{State: 0, Call: "get#2", Verdict: "may-fail"}, {State: 1, Call: "set", Verdict: "fails"}, {State: 1, Call: "set#2", Verdict: "fails"}},
		Unknown:   []Unknown{{State: 0, Call: "set#2", Reason: "x"}},
	}
	start := []Step{{Call: "New", Args: map[string]string{"size": "4"}}}
	for _, c := range []struct {
		word   []Step
		method string
		want   string
	}{
		{nil, "New", "New(1) allowed, New#2(0) fails"},
		{nil, "Open", ""},
		{nil, "get", ""},
		{start, "get", "get(0, true) allowed, get#2(0, false) may-fail"},
		{start, "set", "set(open) allowed, set#2(shut) unknown"},
		{start, "stop", ""},
		{append(start, Step{Call: "stop"}), "set", "set(open) fails, set#2(shut) fails"},
		{append(start, Step{Call: "lost"}), "set", ""},
		{[]Step{{Call: "New", Args: map[string]string{"size": "0"}}}, "set", ""},
	} {
		var got []string
		for _, e := range i.Examples(c.word, c.method) {
			var args []string
			for _, k := range i.Calls {
				if k.ID == e.ID {
					for _, p := range k.Params {
						args = append(args, e.Step.Args[p])
					}
				}
			}
			if len(c.word) == 0 {
				args = []string{e.Step.Args["size"]}
			}
			got = append(got, fmt.Sprintf("%s(%s) %v", e.ID, strings.Join(args, ", "), e.Verdict))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%v %s: %q, want %q", c.word, c.method, text, c.want)
		}
	}
}
