// SPDX-License-Identifier: Apache-2.0

package engine

// This file is about nondeterminism. On random nondeterministic components
// every engine must agree with a subset construction written here; and two
// published ways to decide permissiveness, kept here as test doubles, must be
// seen to go wrong on some of them, which shows that the test can tell.

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/prog"
)

// subsets is the legal language of an automaton without results by subset
// construction on bit sets.
func subsets(n *corpus.NFA) *automata.DFA {
	d := &automata.DFA{Letters: n.Letters}
	index := map[uint64]int32{1: 1}
	sets := []uint64{0, 1} // state 0 of the list is the rejecting sink
	next := []int32{}
	for range n.Letters {
		next = append(next, 0)
	}
	for i := 1; i < len(sets); i++ {
		for x := range n.Letters {
			to, err := uint64(0), false
			for s := range n.States {
				if sets[i]>>s&1 != 0 {
					err = err || n.Err[s][x]
					for _, t := range n.Next[s][x] {
						to |= 1 << t
					}
				}
			}
			if err {
				next = append(next, 0)
				continue
			}
			id, ok := index[to]
			if !ok {
				id = int32(len(sets))
				index[to] = id
				sets = append(sets, to)
			}
			next = append(next, id)
		}
	}
	// State 1 is initial: swap 0 and 1.
	swap := func(s int32) int32 {
		if s < 2 {
			return 1 - s
		}
		return s
	}
	d.Next = make([]int32, len(next))
	d.Out = make([]automata.Verdict, len(sets))
	for i := range sets {
		k := int(swap(int32(i)))
		d.Out[k] = automata.Accept
		for x := range n.Letters {
			d.Next[k*n.Letters+x] = swap(next[i*n.Letters+x])
		}
	}
	d.Out[1] = automata.Reject
	return automata.Minimize(d)
}

// language turns a synthesized interface of such a component into the same form.
func language(t *testing.T, n *corpus.NFA, p *prog.Program, engine, learner string) (*automata.DFA, []byte) {
	t.Helper()
	i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: engine, Learner: learner})
	if err != nil {
		t.Fatal(err)
	}
	states := len(i.States)
	d := &automata.DFA{Letters: n.Letters, Next: make([]int32, (states+1)*n.Letters), Out: make([]automata.Verdict, states+1)}
	for k := range d.Next {
		d.Next[k] = int32(states)
	}
	for s := range states {
		d.Out[s] = automata.Accept
	}
	d.Out[states] = automata.Reject
	for _, e := range i.Edges {
		for x := range n.Letters {
			if p.Methods[x].Name == e.Call {
				d.Next[e.From*n.Letters+x] = int32(e.To)
			}
		}
	}
	if s := *i.Constructors[0].State; s != 0 {
		t.Fatalf("construction leads to state %d", s)
	}
	return automata.Minimize(d), i.Core()
}

func TestRandomNondeterminism(t *testing.T) {
	t.Parallel()
	count := loops(2_000, 3_000)
	faseWrong, jistWrong := 0, 0
	for seed := range count {
		n := corpus.RandomNFA(int64(seed), corpus.NFAOptions{States: 2 + seed%4, Letters: 2 + seed/4%2})
		p, err := prog.Parse("nfa.open", []byte(n.Source()), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := subsets(n)
		got, core := language(t, n, p, "direct", "")
		if !automata.Equal(got, want) {
			t.Fatalf("seed %d: direct is wrong about\n%s", seed, n.Source())
		}
		learners := explicit.Learners()
		l := learners[seed%len(learners)].Name
		if _, other := language(t, n, p, "learn", l); !bytes.Equal(core, other) {
			t.Fatalf("seed %d: learn/%s is wrong about\n%s", seed, l, n.Source())
		}
		if !automata.Equal(double(t, n, false), want) {
			faseWrong++
		}
		if !automata.Equal(double(t, n, true), want) {
			jistWrong++
		}
	}
	t.Logf("of %d components the visited-pairs loop got %d wrong, the two-step heuristic %d", count, faseWrong, jistWrong)
	if !corpus.Race && (faseWrong == 0 || jistWrong == 0) {
		t.Error("a test double was never wrong: the components do not test nondeterminism")
	}
}

// doubleTeacher answers membership and safety exactly, permissiveness as
// published: the loop of FASE 2009 (search product states once, check each hit
// by a membership query and go on) or that of POPL 2005 (the first hit only,
// then all words of two letters from each state).
type doubleTeacher struct {
	n    *corpus.NFA
	jist bool
}

func double(t *testing.T, n *corpus.NFA, jist bool) *automata.DFA {
	t.Helper()
	res, err := learn.LStar(context.Background(), n.Letters, &doubleTeacher{n, jist}, learn.Options{PrefixClosed: true})
	if err != nil {
		t.Fatal(err)
	}
	return automata.Minimize(res.DFA)
}

func (d *doubleTeacher) legal(word []int) bool {
	set := uint64(1)
	for _, x := range word {
		next := uint64(0)
		for s := range d.n.States {
			if set>>s&1 == 0 {
				continue
			}
			if d.n.Err[s][x] {
				return false
			}
			for _, to := range d.n.Next[s][x] {
				next |= 1 << to
			}
		}
		set = next
	}
	return true
}

func (d *doubleTeacher) Member(_ context.Context, word []int) (learn.Answer, error) {
	if d.legal(word) {
		return learn.Answer{Verdict: automata.Accept}, nil
	}
	return learn.Answer{Verdict: automata.Reject}, nil
}

func (d *doubleTeacher) Refute(_ context.Context, h *automata.DFA) (learn.Counterexample, bool, error) {
	found := func(word []int) (learn.Counterexample, bool, error) {
		return learn.Counterexample{Word: word}, true, nil
	}
	if h.Out[0] != automata.Accept {
		return found([]int{})
	}
	type pair struct {
		h int32
		s int
	}
	type item struct {
		pair
		word []int
	}
	visit := func(hit func(it item, x int) []int) []int {
		seen := map[pair]bool{{0, 0}: true}
		for queue := []item{{pair{0, 0}, nil}}; len(queue) > 0; queue = queue[1:] {
			it := queue[0]
			for x := range d.n.Letters {
				if w := hit(it, x); w != nil {
					return w
				}
				to := h.Step(it.h, x)
				if h.Out[to] != automata.Accept {
					continue
				}
				for _, s := range d.n.Next[it.s][x] {
					if p := (pair{to, s}); !seen[p] {
						seen[p] = true
						queue = append(queue, item{p, append(slices.Clone(it.word), x)})
					}
				}
			}
		}
		return nil
	}
	extend := func(it item, x int) []int { return append(slices.Clone(it.word), x) }
	if w := visit(func(it item, x int) []int { // safe?
		if d.n.Err[it.s][x] && h.Out[h.Step(it.h, x)] == automata.Accept {
			return extend(it, x)
		}
		return nil
	}); w != nil {
		return found(w)
	}
	// A hit is a product state (rejecting, component state); each is looked at
	// once, which is the mistake.
	hits := map[pair]bool{}
	if w := visit(func(it item, x int) []int { // permissive?
		to := h.Step(it.h, x)
		if h.Out[to] == automata.Accept || d.jist && len(hits) > 0 {
			return nil
		}
		fresh := false
		for _, s := range d.n.Next[it.s][x] {
			if p := (pair{to, s}); !hits[p] {
				hits[p], fresh = true, true
			}
		}
		if !fresh {
			return nil
		}
		if w := extend(it, x); d.legal(w) {
			return w
		}
		return nil
	}); w != nil {
		return found(w)
	}
	if d.jist {
		for s, access := range automata.Access(h) {
			if h.Out[s] != automata.Accept {
				continue
			}
			for x := range d.n.Letters {
				for y := range d.n.Letters {
					w := append(slices.Clone(access), x, y)
					if h.Out[h.Run(w)] != automata.Accept && d.legal(w) {
						return found(w)
					}
				}
			}
		}
	}
	return learn.Counterexample{}, false, nil
}

// TestDoublesOnExamples pins the two components that were made to defeat the
// doubles, in both orders of the letters.
func TestDoublesOnExamples(t *testing.T) {
	t.Parallel()
	fase := &corpus.NFA{States: 2, Letters: 2,
		Next: [][][]int{{{0}, {1}}, {{0}, {1}}}, Err: [][]bool{{true, false}, {false, false}}}
	jist := &corpus.NFA{States: 2, Letters: 2,
		Next: [][][]int{{{0, 1}, {1}}, {{}, {0}}}, Err: [][]bool{{false, false}, {true, false}}}
	swapped := func(n *corpus.NFA) *corpus.NFA {
		m := &corpus.NFA{States: n.States, Letters: n.Letters}
		for s := range n.States {
			m.Next = append(m.Next, [][]int{n.Next[s][1], n.Next[s][0]})
			m.Err = append(m.Err, []bool{n.Err[s][1], n.Err[s][0]})
		}
		return m
	}
	wrong := map[string]bool{}
	for name, n := range map[string]*corpus.NFA{
		"fase": fase, "fase swapped": swapped(fase), "jist": jist, "jist swapped": swapped(jist),
	} {
		p, err := prog.Parse("nfa.open", []byte(n.Source()), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := subsets(n)
		for _, v := range variants() {
			if v.engine == "hide" {
				continue
			}
			if got, _ := language(t, n, p, v.engine, v.learner); !automata.Equal(got, want) {
				t.Errorf("%s: %v is wrong", name, v)
			}
		}
		wrong[name+" by fase"] = !automata.Equal(double(t, n, false), want)
		wrong[name+" by jist"] = !automata.Equal(double(t, n, true), want)
	}
	if !wrong["fase by fase"] && !wrong["fase swapped by fase"] {
		t.Errorf("the visited-pairs loop is right in both orders: %v", wrong)
	}
	if !wrong["jist by jist"] && !wrong["jist swapped by jist"] {
		t.Errorf("the two-step heuristic is right in both orders: %v", wrong)
	}
}

// TestRandomComponents compares engines with each other and with the
// interpreter on random components with data, arguments and results.
func TestRandomComponents(t *testing.T) {
	t.Parallel()
	count := loops(150, 300)
	for seed := range count {
		source := corpus.Random(int64(seed), corpus.RandomOptions{})
		p, err := prog.Parse("random.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "direct", Tight: seed%2 == 1, Budget: corpusBudget})
		if err != nil {
			if problem.Undecided(err) {
				continue
			}
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		o := newOracle(p, i)
		if err := o.run(context.Background(), 3_000); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		o.witnesses(t)
		if o.missing > 0 {
			t.Errorf("%d witnesses are missing", o.missing)
		}
		for _, v := range variants() {
			j, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: v.engine, Learner: v.learner, Tight: seed%2 == 1, Budget: corpusBudget, Workers: 2, KeepAll: seed%3 == 0})
			if err != nil {
				if _, ok := err.(*problem.Refusal); (ok || problem.Undecided(err)) && v.engine != "direct" && v.engine != "auto" {
					continue
				}
				t.Fatalf("seed %d: %v: %v\n%s", seed, v, err, source)
			}
			if !bytes.Equal(i.Core(), j.Core()) {
				t.Fatalf("seed %d: %v: another core\n%s\nwant\n%s\n%s", seed, v, j.Core(), i.Core(), source)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, source)
		}
	}
}
