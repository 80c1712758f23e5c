// SPDX-License-Identifier: Apache-2.0

package cert

// This file holds the judge of rankings to loops of many rounds: it accepts rankings that are right, and whatever is changed in them is
// refuted, or what they are evidence for is not proved any more.

import (
	"context"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// A rankCase is a component with one method m, which fails for the arguments of a guard, and a ranking of it; its heads are in the order of
// the loops. For other arguments m is allowed and does not return, with an invariant of its first head.
type rankCase struct {
	source        string
	guard, quiet  string // quiet is "" if the guard is true
	when          string
	formulas      []string
	ranks         [][]string
	params, kinds []string
}

var (
	countDown = rankCase{
		source: "method m(k uint16) {\nvar i uint16 = k\nwhile i != 0 { i = i - 2 }\nerror \"end\"\n}",
		guard:  "k & 1 == 0", quiet: "i & 1 != 0", when: "k & 1 == 0",
		formulas: []string{"i & 1 == 0"}, ranks: [][]string{{"uint64(i)"}},
		params: []string{"k"}, kinds: []string{"uint16"},
	}
	sweep = rankCase{
		source: "method m(n, k uint16) {\nvar i uint16 = 0\nwhile i < n {\nvar j uint16 = k\nwhile j > 0 { j-- }\ni++\n}\nerror \"end\"\n}",
		guard:  "true", when: "true",
		formulas: []string{"true", "i < n"},
		ranks:    [][]string{{"uint64(ite(i < n, n - i, 0))", "1", "0"}, {"uint64(ite(i < n, n - i, 0))", "0", "uint64(j)"}},
		params:   []string{"n", "k"}, kinds: []string{"uint16", "uint16"},
	}
)

func (c *rankCase) build(t *testing.T) (*prog.Program, *typestate.Interface) {
	t.Helper()
	p, err := prog.Parse("rank.open", []byte("component Rank\nstate s bool = false\n"+c.source+"\n"), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	heads := (&checker{prog: p, pool: p.Pool, codes: map[*prog.Method]*code{}}).code(p.Methods[0]).heads
	slices.Sort(heads)
	zero := 0
	i := &typestate.Interface{Format: typestate.Format,
		Component:    typestate.Component{Language: "open", Name: p.Name, Program: p.Hash(), Errors: []string{"error"}},
		Constructors: []typestate.Constructor{{ID: "new", Method: "new", Guard: "true", Outcome: "*", State: &zero, Verdict: "allowed"}},
		Calls:        []typestate.Call{{ID: "m", Method: "m", Guard: c.guard, Params: c.params, Types: c.kinds, Outcomes: []string{"return"}}},
		States:       []typestate.State{{}},
		Forbidden:    []typestate.Forbidden{{State: 0, Call: "m", Verdict: "fails"}},
		Guarantees:   typestate.Guarantees{Safe: "unknown", Permissive: "unknown", Tight: "unknown"},
	}
	node := typestate.Node{State: 0, Label: "true",
		Sets: []typestate.Set{{Formula: "true", Errs: []typestate.SetError{{Call: "m", Args: "true"}}, From: []typestate.Support{{Node: 0, Edge: 0, Set: -1}}}}}
	if c.quiet != "" {
		i.Calls = append(i.Calls, typestate.Call{ID: "m#2", Method: "m", Guard: "!(" + c.guard + ")", Params: c.params, Types: c.kinds, Outcomes: []string{"return"}})
		node.Heads = []typestate.HeadInvariant{{Call: "m#2", Loc: heads[0], Formula: c.quiet}}
	}
	r := typestate.Ranking{Method: "m", When: c.when}
	for k := range c.formulas {
		r.Heads = append(r.Heads, typestate.RankHead{Loc: heads[k], Formula: c.formulas[k], Rank: append([]string(nil), c.ranks[k]...)})
	}
	i.Certificate = &typestate.Certificate{Program: p.Hash(), Rankings: []typestate.Ranking{r},
		Nodes: []typestate.Node{{State: -1, Label: "true", Sets: []typestate.Set{{Formula: "true"}}, Next: []typestate.NodeEdge{{Call: "new", Args: "true", Results: "true", Node: 1}}}, node}}
	return p, i
}

func checkRank(t *testing.T, p *prog.Program, i *typestate.Interface) *Report {
	t.Helper()
	r, err := Check(context.Background(), p, i, embedded, Options{Rounds: 20})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRankings(t *testing.T) {
	for _, c := range []rankCase{countDown, sweep} {
		p, i := c.build(t)
		if o := checkRank(t, p, i).First(); o != nil {
			t.Errorf("%s: %s: %v: %s\n%s", o.Name, o.What, o.Verdict, o.Detail, c.source)
		}
	}
}

// TestMutatedRankings changes one thing of a ranking that is right. The kind is that of the first obligation that is refuted; without a
// refuted one it is that of the first which is not proved.
func TestMutatedRankings(t *testing.T) {
	for _, m := range []struct {
		name   string
		of     rankCase
		kind   string
		change func(c *typestate.Certificate, r *typestate.Ranking)
	}{
		{"no ranking", countDown, "errs", func(c *typestate.Certificate, r *typestate.Ranking) { c.Rankings = nil }},
		{"a condition that is too weak", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.When = "true" }},
		{"a condition that is too strong", countDown, "errs", func(c *typestate.Certificate, r *typestate.Ranking) { r.When = "k == 4" }},
		{"no invariant", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Formula, r.When = "true", "true" }},
		{"another invariant", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) {
			r.Heads[0].Formula, r.When = "i & 1 != 0", "k & 1 != 0"
		}},
		{"an invariant that does not last", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Formula = "i & 3 == 0" }},
		{"an invariant that the entry breaks", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Formula = "i & 1 == 0 && i < 1000" }},
		{"a list that grows", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Rank[0] = "uint64(0 - i)" }},
		{"a list that stays", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Rank[0] = "7" }},
		{"a list that falls below zero", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Rank[0] = "uint64(i - 100)" }},
		{"an empty list", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Rank = nil }},
		{"no head", countDown, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads = nil }},
		{"a head that is none", countDown, "form", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Loc++ }},
		{"a method that is none", countDown, "form", func(c *typestate.Certificate, r *typestate.Ranking) { r.Method = "n" }},
		{"a list of another type", countDown, "form", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Rank[0] = "i" }},
		{"a condition on a local", countDown, "form", func(c *typestate.Certificate, r *typestate.Ranking) { r.When = "i & 1 == 0" }},
		{"the inner loop first", sweep, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) {
			for k := range r.Heads {
				l := r.Heads[k].Rank
				l[0], l[2] = l[2], l[0]
			}
		}},
		{"heads in one place", sweep, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[0].Rank[1] = "0" }},
		{"no invariant of the inner head", sweep, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[1].Formula = "true" }},
		{"a false invariant", sweep, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[1].Formula = "false" }},
		{"no inner head", sweep, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads = r.Heads[:1] }},
		{"no outer head", sweep, "ranking", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads = r.Heads[1:] }},
		{"a head twice", sweep, "form", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[1] = r.Heads[0] }},
		{"lists of two lengths", sweep, "form", func(c *typestate.Certificate, r *typestate.Ranking) { r.Heads[1].Rank = r.Heads[1].Rank[:2] }},
	} {
		p, i := m.of.build(t)
		m.change(i.Certificate, &i.Certificate.Rankings[0])
		report := checkRank(t, p, i)
		if o := report.First(); o == nil || o.Kind != m.kind {
			t.Errorf("%s: %+v", m.name, o)
		} else if m.kind != "errs" && o.Verdict != Refuted {
			t.Errorf("%s: %s is %v: %s", m.name, o.Name, o.Verdict, o.Detail)
		}
	}
}

// TestRankingsOfOtherEnds changes where the loop leads: a return is no error, nor is an error that is blamed on the environment.
func TestRankingsOfOtherEnds(t *testing.T) {
	for _, end := range []string{"return", "error \"end\" environment", "stop", "assume false\nerror \"end\""} {
		c := countDown
		c.source = "method m(k uint16) {\nvar i uint16 = k\nwhile i != 0 { i = i - 2 }\n" + end + "\n}"
		p, i := c.build(t)
		if o := checkRank(t, p, i).First(); o == nil || o.Verdict != Refuted {
			t.Errorf("%s: %+v", end, o)
		}
	}
}
