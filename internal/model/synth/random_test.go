// SPDX-License-Identifier: Apache-2.0

package synth_test

// This file compares interfaces with plain subset construction, on components made by chance,
// with hidden actions and hidden steps.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/model/judge"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/synth"
	"github.com/interlock-go/interlock/typestate"
)

// component makes a system with up to states states over a, b, c, d, of which the first few are
// visible.
func component(rng *rand.Rand, states int) (s *lts.System, visible []string) {
	names := []string{"a", "b", "c", "d"}[:1+rng.IntN(4)]
	b := lts.NewBuilder(names...)
	n := int32(1 + rng.IntN(states))
	edges := 1 + rng.IntN(3*int(n)+2)
	for range edges {
		action := lts.Hidden
		if rng.IntN(8) > 0 {
			action = b.Action(names[rng.IntN(len(names))])
		}
		to := rng.Int32N(n)
		if rng.IntN(7) == 0 {
			to = lts.Error
		}
		b.Edge(rng.Int32N(n), action, to)
	}
	return b.System("random", 0), names[:rng.IntN(len(names)+1)]
}

// A subsets is the plain construction: what a word leads to is a set of states, closed under
// hidden steps; it has the error if the word is illegal.
type subsets struct {
	s       *lts.System
	visible []string
}

func (p subsets) closed(set map[int32]bool) map[int32]bool {
	for changed := true; changed; {
		changed = false
		for x := range set {
			if x == lts.Error {
				continue
			}
			for _, e := range p.s.Edges(x) {
				if (e.Action == lts.Hidden || !slices.Contains(p.visible, p.s.Label(e))) && !set[e.To] {
					set[e.To], changed = true, true
				}
			}
		}
	}
	return set
}

func (p subsets) start() map[int32]bool { return p.closed(map[int32]bool{p.s.Initial: true}) }

func (p subsets) post(set map[int32]bool, action string) map[int32]bool {
	out := map[int32]bool{}
	for x := range set {
		if x == lts.Error {
			continue
		}
		for _, e := range p.s.Edges(x) {
			if e.Action != lts.Hidden && p.s.Label(e) == action {
				out[e.To] = true
			}
		}
	}
	return p.closed(out)
}

// A visit is a word, as what it leads to.
type visit struct {
	state, length int
	set           map[int32]bool
}

// compare walks an interface and the plain construction side by side and says where they differ.
// The number of distinct words behaviours is that of states of the minimal automaton.
func compare(t *testing.T, p subsets, i *typestate.Interface, tight bool) {
	t.Helper()
	start := p.start()
	c := i.Constructors[0]
	if start[lts.Error] != (c.State == nil) {
		t.Fatalf("the start: %v, and the system has %v", c, start)
	}
	if c.State == nil {
		return
	}
	shortest := map[[2]any]int{} // of forbidden cells
	returns := map[[2]any]bool{}
	seen := map[string]bool{}
	queue := []visit{{*c.State, 0, start}}
	for ; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, a := range p.visible {
			next := p.post(v.set, a)
			r := i.Step(v.state, a, "")
			cell := [2]any{v.state, a}
			switch {
			case next[lts.Error]:
				if r.Kind != typestate.StepForbidden {
					t.Fatalf("%s errs in state %d, and the interface says %v\n%s", a, v.state, r.Kind, dump(p.s))
				}
				if _, ok := shortest[cell]; !ok {
					shortest[cell] = v.length + 1
				}
				returns[cell] = returns[cell] || len(next) > 1
			case len(next) == 0 && tight:
				if r.Kind != typestate.StepImpossible {
					t.Fatalf("%s cannot happen in state %d, and the interface says %v\n%s", a, v.state, r.Kind, dump(p.s))
				}
			case r.Kind != typestate.StepNext:
				t.Fatalf("%s is legal in state %d, and the interface says %v\n%s", a, v.state, r.Kind, dump(p.s))
			default:
				w := visit{r.State, v.length + 1, next}
				if key := fmt.Sprint(w.state, w.set); !seen[key] {
					seen[key] = true
					queue = append(queue, w)
				}
			}
		}
	}
	for _, f := range i.Forbidden {
		cell := [2]any{f.State, f.Call}
		if len(f.Witness)-1 != shortest[cell] {
			t.Fatalf("the witness of %s in state %d is %v, and the shortest has %d calls\n%s", f.Call, f.State, f.Witness, shortest[cell], dump(p.s))
		}
		if (f.Verdict == "may-fail") != returns[cell] {
			t.Fatalf("%s in state %d: %s\n%s", f.Call, f.State, f.Verdict, dump(p.s))
		}
	}
}

// states counts the classes of sets: by refinement until nothing changes.
func (p subsets) states(tight bool) int {
	var sets []map[int32]bool
	number := map[string]int{}
	add := func(set map[int32]bool) int {
		key := fmt.Sprint(set)
		if set[lts.Error] {
			key = "error"
		}
		n, ok := number[key]
		if !ok {
			n = len(sets)
			number[key], sets = n, append(sets, set)
		}
		return n
	}
	add(p.start())
	var next [][]int
	for at := 0; at < len(sets); at++ {
		var row []int
		for _, a := range p.visible {
			if sets[at][lts.Error] {
				row = append(row, at)
			} else {
				row = append(row, add(p.post(sets[at], a)))
			}
		}
		next = append(next, row)
	}
	class := make([]int, len(sets))
	for k, set := range sets {
		switch {
		case set[lts.Error]:
			class[k] = 1
		case len(set) == 0 && tight:
			class[k] = 2
		}
	}
	for count := -1; ; {
		ids := map[string]int{}
		refined := make([]int, len(sets))
		for k, row := range next {
			text := fmt.Sprint(class[k])
			for _, to := range row {
				text += fmt.Sprint(" ", class[to])
			}
			if _, ok := ids[text]; !ok {
				ids[text] = len(ids)
			}
			refined[k] = ids[text]
		}
		if len(ids) == count {
			break
		}
		count = len(ids)
		class = refined
	}
	legal := map[int]bool{}
	for k, set := range sets {
		if !set[lts.Error] && !(len(set) == 0 && tight) {
			legal[class[k]] = true
		}
	}
	return len(legal)
}

func dump(s *lts.System) string {
	var b strings.Builder
	for x := range int32(s.States()) {
		for _, e := range s.Edges(x) {
			fmt.Fprintf(&b, "%d -%s-> %d\n", x, s.Label(e), e.To)
		}
	}
	return b.String()
}

func TestRandom(t *testing.T) {
	n := 2000
	if os.Getenv("CI") == "true" {
		n = 20000
	}
	rng := rand.New(rand.NewPCG(39, 1))
	methods := []synth.Problem{{Method: synth.BySets}}
	for _, l := range learn.Learners() {
		methods = append(methods, synth.Problem{Method: synth.ByLearning, Learner: l})
	}
	largest, illegal, hidden := 0, 0, 0
	for k := range n {
		s, visible := component(rng, 2+k%7)
		p := subsets{s, visible}
		for _, tight := range []bool{false, true} {
			var first string
			for _, m := range methods {
				m.System, m.Visible, m.Tight = s, visible, tight
				i, err := synth.Interface(context.Background(), m)
				if err != nil {
					t.Fatalf("%v\n%s", err, dump(s))
				}
				core := i.Core()
				if first == "" {
					first = string(core)
				} else if string(core) != first {
					t.Fatalf("%s differs\n%s", m.Learner.Name, dump(s))
				}
				if m.Method != synth.BySets {
					continue
				}
				compare(t, p, i, tight)
				if i.Constructors[0].State != nil && len(i.States) != p.states(tight) {
					t.Fatalf("%d states, tight %v, and there are %d classes\n%s", len(i.States), tight, p.states(tight), dump(s))
				}
				r, err := judge.Judge(context.Background(), s, i, 0)
				if err != nil || r.Safe.Answer != judge.Yes || r.Permissive.Answer != judge.Yes || r.Full.Answer != judge.Yes || r.Cells.Answer != judge.Yes || tight && r.Tight.Answer != judge.Yes {
					t.Fatalf("the judge: %+v %v\n%s", r, err, dump(s))
				}
				largest, illegal = max(largest, len(i.States)), illegal+len(i.Forbidden)
				for _, f := range i.Forbidden {
					if slices.ContainsFunc(f.Witness, func(s typestate.Step) bool { return len(s.Hidden) > 0 }) {
						hidden++
					}
				}
			}
		}
	}
	t.Logf("%d components, up to %d states, %d forbidden calls, %d witnesses with hidden steps", n, largest, illegal, hidden)
	if largest < 5 || hidden == 0 {
		t.Error("the components are too simple to tell anything")
	}
}
