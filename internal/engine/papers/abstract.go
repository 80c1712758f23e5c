// SPDX-License-Identifier: Apache-2.0

package papers

// This file is the engine of Alur, Cerny, Madhusudan, Nam, "Synthesis of
// interface specifications for Java classes" (POPL 2005): the user gives the
// predicates, nothing is refined, and the interface of the abstract component,
// in which every call does what it may do, is learned with two kinds of
// equivalence questions:
//
//	subset: does the hypothesis allow only what no abstract run errs on?
//	superset: does it allow all of that?
//
// The first is reachability of pairs (hypothesis state, abstract state). For
// the second, which is NP-hard, the paper asks the stronger question whether
// every run of a rejected word errs, and otherwise tries words of two letters
// from each state (OneStepFurther); that is -superset onestep. By default it is
// answered exactly by sets of abstract states up to inclusion.
//
// What the abstract component rejects the real one need not. In the paper a
// call that is not shown is not known to be safe; here a call is shown as
// forbidden only if the modal abstraction proves it for every word that
// reaches the state, and is unknown otherwise. Words go on after an unknown
// call, which the learned automaton says nothing about: they are led to a state
// that is safe for whatever may be current then (settle).

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/cegar"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/typestate"
)

// Supersets lists the ways engine abstract answers superset questions. The
// first is the default.
func Supersets() []string { return []string{"exact", "onestep"} }

// What the learned interface is known to be, as an approximation of the result.
const (
	MostPermissive = "most permissive for this abstraction"
	Maximal        = "maximal for this abstraction"
)

// SynthesizeAbstract learns the interface of the abstraction by the given
// predicates.
func SynthesizeAbstract(ctx context.Context, p *problem.Problem, st problem.Stats) (*typestate.Interface, error) {
	switch {
	case p.Serial:
		return nil, &problem.Refusal{Engine: "abstract", Reason: "the infinite-word reading (-serial) is for finite components"}
	case p.Tight:
		return nil, &problem.Refusal{Engine: "abstract", Reason: "tight interfaces (-tight) are for finite components"}
	case p.Solver == nil:
		return nil, &problem.Refusal{Engine: "abstract", Reason: "it needs a solver"}
	}
	learner, err := explicit.FindLearner(p.Learner)
	if err != nil {
		return nil, err
	}
	onestep := p.Superset == "onestep"
	if !onestep && p.Superset != "" && p.Superset != "exact" {
		return nil, fmt.Errorf("no superset question %q: there are %s", p.Superset, problem.Join(Supersets()))
	}
	m := predabs.New(p)
	defer m.Close()
	if err := m.Give(p.Predicates); err != nil {
		return nil, err
	}
	t := &abstractTeacher{abs: m, run: newPairsOf(m), onestep: onestep, rows: map[int32][]int32{}}
	if err := t.chooseStart(ctx); err != nil {
		return nil, err
	}
	cache := learn.NewCache(len(t.words.Letters), t)
	res, err := learner.Run(ctx, len(t.words.Letters), cache, learn.Options{
		PrefixClosed: true,
		MaxQueries:   p.Budget,
		Progress:     func(states, queries int) { p.Report("learning states", states) },
	})
	if err != nil {
		return nil, err
	}
	if res.Refine != nil {
		return nil, fmt.Errorf("internal error: the teacher of abstractions demanded a refinement")
	}
	st["membershipQueries"] = int64(t.members)
	st["subsetQueries"] = int64(t.subsets)
	st["supersetQueries"] = int64(t.supersets)
	if onestep {
		st["oneStepFurther"] = int64(t.further)
	}
	st["predicates"] = int64(len(m.Preds))
	st["learnedStates"] = int64(res.DFA.States())
	s := &settler{abs: m, run: t.run, teacher: t, h: res.DFA, unknown: map[[2]int32]bool{}, goal: map[[2]int32][]int32{}, target: map[[2]int32]int32{}, safes: map[[2]int32]bool{}}
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	st["abstractStates"] = int64(len(m.Cubes) - 1)
	st["solverQuestions"] = int64(m.Asked)
	i, err := t.run.Build(ctx, st)
	if err != nil {
		return nil, err
	}
	if !problem.Complete(i) {
		what := MostPermissive
		if !t.exact {
			what = Maximal
		}
		i.Approximations = append(i.Approximations, typestate.Approximation{What: what})
	}
	return i, i.Canonicalize()
}

// newPairsOf returns the pairs of an abstraction, of which there are none yet
// but the start.
func newPairsOf(m *predabs.Abstraction) *cegar.Run {
	c := cegar.NewRun(m)
	c.Graph.Restart()
	return c
}

// An abstractTeacher answers for words on sets of abstract states.
type abstractTeacher struct {
	abs     *predabs.Abstraction
	run     *cegar.Run
	words   explicit.Words
	onestep bool
	exact   bool // the last superset question was answered, not given up
	rows    map[int32][]int32

	members, subsets, supersets, further int
}

// chooseStart splits the letters into those of construction and of methods.
func (t *abstractTeacher) chooseStart(ctx context.Context) error {
	var constructors, methods []int
	for k := range t.abs.Calls {
		for o := range t.abs.Calls[k].Outcomes {
			x := t.abs.Calls[k].Letter + o
			if t.abs.Calls[k].Constructor {
				constructors = append(constructors, x)
			} else {
				methods = append(methods, x)
			}
		}
	}
	words, err := explicit.ChooseStart(ctx, &t.run.Graph.Sets, t.row, t.run.Graph.Sets.ID([]int32{0}), constructors, methods)
	t.words = words
	return err
}

// row returns by letter the set of abstract states after it, or that the call
// may err or the letter cannot happen.
func (t *abstractTeacher) row(ctx context.Context, set int32) ([]int32, error) {
	if row := t.rows[set]; row != nil {
		return row, nil
	}
	row := slices.Repeat([]int32{explicit.Impossible}, t.abs.Letters)
	members := slices.Clone(t.run.Graph.Sets.Set(set))
	for k := range t.abs.Calls {
		c := &t.abs.Calls[k]
		if c.Constructor != (members[0] == 0) {
			continue
		}
		errs := false
		next := make([][]int32, len(c.Outcomes))
		for _, a := range members {
			e, err := t.abs.Effect(ctx, a, k)
			if err != nil {
				return nil, err
			}
			errs = errs || len(e.MayErr) > 0
			for o := range next {
				next[o] = append(next[o], e.May[o]...)
			}
		}
		for o, to := range next {
			slices.Sort(to)
			if to = slices.Compact(to); errs {
				row[c.Letter+o] = explicit.Rejected
			} else if len(to) > 0 {
				row[c.Letter+o] = t.run.Graph.Sets.ID(to)
			}
		}
	}
	t.rows[set] = row
	return row, nil
}

// Member implements learn.Teacher.
func (t *abstractTeacher) Member(ctx context.Context, word []int) (learn.Answer, error) {
	t.members++
	return t.words.Member(ctx, word)
}

// Refute implements learn.Teacher: the subset question, and only if the
// hypothesis passes, the superset question.
func (t *abstractTeacher) Refute(ctx context.Context, h *automata.DFA) (learn.Counterexample, bool, error) {
	if h.Out[0] != automata.Accept {
		return learn.Counterexample{Word: []int{}}, true, nil
	}
	t.subsets++
	word, found, err := t.someRun(ctx, h, t.unsafe)
	if err == nil && !found {
		t.supersets++
		if t.onestep {
			word, found, err = t.heuristic(ctx, h)
		} else {
			t.exact = true
			word, found, err = t.words.Compare(ctx, h, t.abs.P.Budget)
		}
	}
	return learn.Counterexample{Word: word}, found, err
}

// unsafe: the call may err, but the hypothesis does not reject it, or the
// letter may happen, but the hypothesis says it cannot.
func (t *abstractTeacher) unsafe(errs, happens bool, v automata.Verdict) bool {
	return errs && v != automata.Reject || !errs && happens && v == automata.Impossible
}

// survives: the hypothesis rejects a word that has a run without error.
func (t *abstractTeacher) survives(_, happens bool, v automata.Verdict) bool {
	return happens && v == automata.Reject
}

// someRun searches the pairs (hypothesis state, abstract state) of accepted
// words for a letter of which bad holds.
func (t *abstractTeacher) someRun(ctx context.Context, h *automata.DFA, bad func(errs, happens bool, v automata.Verdict) bool) ([]int, bool, error) {
	var nodes []explicit.Node
	seen := map[[2]int32]bool{}
	add := func(n explicit.Node) {
		if key := [2]int32{n.H, n.X}; !seen[key] {
			seen[key] = true
			nodes = append(nodes, n)
		}
	}
	for _, a := range t.run.Graph.Sets.Set(t.words.Start) {
		add(explicit.Node{H: 0, X: a, Parent: -1, Letter: -1})
	}
	for from := 0; from < len(nodes); from++ {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		n := nodes[from]
		for i, x := range t.words.Letters {
			call := t.abs.CallOf(x)
			to := h.Step(n.H, i)
			errs, may := false, []int32(nil)
			if t.abs.Calls[call[0]].Constructor == (n.X == 0) {
				e, err := t.abs.Effect(ctx, n.X, call[0])
				if err != nil {
					return nil, false, err
				}
				errs, may = len(e.MayErr) > 0, e.May[call[1]]
			}
			if bad(errs, len(may) > 0, h.Out[to]) {
				return explicit.WordOf(nodes, from, i), true, nil
			}
			if h.Out[to] == automata.Accept {
				for _, b := range may {
					add(explicit.Node{H: to, X: b, Parent: int32(from), Letter: int32(i)})
				}
			}
		}
	}
	return nil, false, nil
}

// heuristic is the superset question of the paper: if all runs of all
// rejected words err, the hypothesis is most permissive; a rejected word with
// another run may be a counterexample, and so may words of two letters from
// each state. Otherwise nobody knows.
func (t *abstractTeacher) heuristic(ctx context.Context, h *automata.DFA) ([]int, bool, error) {
	word, found, err := t.someRun(ctx, h, t.survives)
	if err != nil {
		return nil, false, err
	}
	if !found {
		t.exact = true
		return nil, false, nil
	}
	accepted := func(w []int) (bool, error) {
		a, err := t.Member(ctx, w)
		return a.Verdict == automata.Accept, err
	}
	if ok, err := accepted(word); ok || err != nil {
		return word, ok, err
	}
	// The access words, by breadth-first search.
	access := make([][]int, h.States())
	access[0] = []int{}
	for queue := []int32{0}; len(queue) > 0; queue = queue[1:] {
		q := queue[0]
		for x := range h.Letters {
			if to := h.Step(q, x); access[to] == nil && h.Out[to] == automata.Accept {
				access[to] = append(slices.Clone(access[q]), x)
				queue = append(queue, to)
			}
		}
	}
	for q := range access {
		if access[q] == nil {
			continue
		}
		for x := range h.Letters {
			for y := range h.Letters {
				if h.Out[h.Step(h.Step(int32(q), x), y)] != automata.Reject {
					continue
				}
				w := append(slices.Clone(access[q]), x, y)
				ok, err := accepted(w)
				if err != nil {
					return nil, false, err
				}
				if ok {
					t.further++
					return w, true, nil
				}
			}
		}
	}
	t.exact = false
	return nil, false, nil
}
