// SPDX-License-Identifier: Apache-2.0

package typestate

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// TestMonitorQuick follows random words the short and the long way, with results of all kinds, and with what is no result.
func TestMonitorQuick(t *testing.T) {
	outcomes := [][]string{
		{"return"}, {"true", "false"}, {"nil", "non-nil"}, {"(true, nil)", "(true, non-nil)", "(false, _)"},
		{"(nil, nil)", "(non-nil, nil)", "(_, non-nil)"}, {"!= nil", "nil"}, {"(_, true)", "(_, false)"}, {"0", "!= 0"}, {"open", "closed"},
		{"true", "nil"}, {"n > 3", "n <= 3"},
	}
	values := []Value{{}, Bool(true), Bool(false), Nil(true), Nil(false), Int(0), Uint(7), Named("open"), Named("nil")}
	r := rand.New(rand.NewSource(5))
	quick, refused := 0, 0
	for n := range 400 {
		i := random(r, shape{states: 1 + r.Intn(3), methods: 3, outcomes: 1, constructors: 1})
		i.Edges, i.Certificate = nil, nil // which knows of other outcomes
		for k := range i.Calls {
			i.Calls[k].Outcomes = slices.Clone(outcomes[r.Intn(len(outcomes))])
			for q := range i.States {
				for _, o := range i.Calls[k].Outcomes {
					forbidden := slices.ContainsFunc(i.Forbidden, func(f Forbidden) bool { return f.State == q && f.Call == i.Calls[k].ID })
					if e := (Edge{From: q, Call: i.Calls[k].ID, Outcome: o, To: r.Intn(len(i.States))}); !forbidden && r.Intn(5) > 0 &&
						!slices.ContainsFunc(i.Edges, func(x Edge) bool { return x.From == q && x.Call == e.Call && x.Outcome == o }) {
						i.Edges = append(i.Edges, e)
					}
				}
			}
		}
		if i.Canonicalize() != nil {
			continue
		}
		short, err := i.Monitor()
		if err != nil {
			refused++ // two outcomes of one name
			continue
		}
		long, err := i.Monitor()
		if err != nil {
			t.Fatal(err)
		}
		for k := range long.t.moves {
			long.t.moves[k] = true // as if there were registers
		}
		for range 20 {
			short, long = short.Another(), long.Another()
			start := i.Constructors[0].Method
			for range 12 {
				var results []Value
				for range r.Intn(4) {
					results = append(results, values[r.Intn(len(values))])
				}
				if k := slices.IndexFunc(i.Calls, func(c Call) bool { return c.Method == start }); k >= 0 && r.Intn(8) > 0 {
					results = fitting(r, i.Calls[k].Outcomes)
				}
				a, b := fmt.Sprintf("%+v", short.Call(start)), fmt.Sprintf("%+v", long.Call(start))
				if short.quick != nil {
					quick++
				}
				if a != b {
					t.Fatalf("interface %d: %s: %s, the long way %s\n%s", n, start, a, b, i.Core())
				}
				a, b = fmt.Sprintf("%+v", short.Return(results...)), fmt.Sprintf("%+v", long.Return(results...))
				if a != b || short.State() != long.State() {
					t.Fatalf("interface %d: %s returns %v: %s, the long way %s\n%s", n, start, results, a, b, i.Core())
				}
				start = i.Calls[r.Intn(len(i.Calls))].Method
			}
		}
	}
	if quick < 5000 || refused > 200 {
		t.Errorf("only %d calls took the short way; %d interfaces were refused", quick, refused)
	}
}

// fitting are results that belong to one of some outcomes, with an integer before or after them now and then.
func fitting(r *rand.Rand, outcomes []string) []Value {
	var out []Value
	for _, p := range newOutcomeClass(outcomes[r.Intn(len(outcomes))], nil).parts {
		if r.Intn(10) == 0 {
			out = append(out, Int(3))
		}
		switch p.kind {
		case truthValue:
			out = append(out, Bool((p.n == 1) != p.not))
		case nameValue:
			out = append(out, Nil(p.name == "nil" != p.not))
		default:
			out = append(out, []Value{Bool(true), Nil(true), Nil(false)}[r.Intn(3)])
		}
	}
	return out
}
