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
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/term"
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
	t := &abstractTeacher{Run: newPairsOf(m), onestep: onestep, rows: map[int32][]int32{}}
	if err := t.chooseStart(ctx); err != nil {
		return nil, err
	}
	cache := learn.NewCache(len(t.alphabet), t)
	res, err := learner.Run(ctx, len(t.alphabet), cache, learn.Options{
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
	s := &settler{abstractTeacher: t, h: res.DFA, unknown: map[[2]int32]bool{}, goal: map[[2]int32][]int32{}, target: map[[2]int32]int32{}, safes: map[[2]int32]bool{}}
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	st["abstractStates"] = int64(len(m.Cubes) - 1)
	st["solverQuestions"] = int64(m.Asked)
	i, err := t.Build(ctx, st)
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
	c := &cegar.Run{Abstraction: m, GiveUp: map[string]string{}, Extended: map[*term.Term]bool{}, GoesOn: map[*predabs.PartEffect]bool{}}
	c.Restart()
	return c
}

// An abstractTeacher answers for words over the letters of the alphabet, from
// the set of abstract states start.
type abstractTeacher struct {
	*cegar.Run
	onestep  bool
	exact    bool // the last superset question was answered, not given up
	start    int32
	alphabet []int // learner's letter -> letter
	created  int   // the only letter of construction, or -1
	rows     map[int32][]int32

	members, subsets, supersets, further int
}

// chooseStart starts after the construction if there is only one way.
func (t *abstractTeacher) chooseStart(ctx context.Context) error {
	t.start, t.created = t.Sets.ID([]int32{0}), -1
	row, err := t.row(ctx, t.start)
	if err != nil {
		return err
	}
	var methods, constructors []int
	for k := range t.Calls {
		for o := range t.Calls[k].Outcomes {
			x := t.Calls[k].Letter + o
			if t.Calls[k].Constructor {
				constructors = append(constructors, x)
			} else {
				methods = append(methods, x)
			}
		}
	}
	if len(constructors) == 1 && row[constructors[0]] >= 0 {
		t.created, t.start, t.alphabet = constructors[0], row[constructors[0]], methods
	} else {
		t.alphabet = append(constructors, methods...)
	}
	return nil
}

// row returns by letter the set of abstract states after it, or that the call
// may err or the letter cannot happen.
func (t *abstractTeacher) row(ctx context.Context, set int32) ([]int32, error) {
	if row := t.rows[set]; row != nil {
		return row, nil
	}
	row := slices.Repeat([]int32{explicit.Impossible}, t.Letters)
	members := slices.Clone(t.Sets.Set(set))
	for k := range t.Calls {
		c := &t.Calls[k]
		if c.Constructor != (members[0] == 0) {
			continue
		}
		errs := false
		next := make([][]int32, len(c.Outcomes))
		for _, a := range members {
			e, err := t.Effect(ctx, a, k)
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
				row[c.Letter+o] = t.Sets.ID(to)
			}
		}
	}
	t.rows[set] = row
	return row, nil
}

// Member implements learn.Teacher.
func (t *abstractTeacher) Member(ctx context.Context, word []int) (learn.Answer, error) {
	t.members++
	set := t.start
	for _, x := range word {
		row, err := t.row(ctx, set)
		if err != nil {
			return learn.Answer{}, err
		}
		switch set = row[t.alphabet[x]]; set {
		case explicit.Rejected:
			return learn.Answer{Verdict: automata.Reject}, nil
		case explicit.Impossible:
			return learn.Answer{Verdict: automata.Impossible}, nil
		}
	}
	return learn.Answer{Verdict: automata.Accept}, nil
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
			word, found, err = t.allRuns(ctx, h)
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
	for _, a := range t.Sets.Set(t.start) {
		add(explicit.Node{H: 0, X: a, Parent: -1, Letter: -1})
	}
	for from := 0; from < len(nodes); from++ {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		n := nodes[from]
		for i, x := range t.alphabet {
			call := t.CallOf(x)
			to := h.Step(n.H, i)
			errs, may := false, []int32(nil)
			if t.Calls[call[0]].Constructor == (n.X == 0) {
				e, err := t.Effect(ctx, n.X, call[0])
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

// allRuns searches the pairs (hypothesis state, set of abstract states) up to
// inclusion for a word that has another verdict.
func (t *abstractTeacher) allRuns(ctx context.Context, h *automata.DFA) ([]int, bool, error) {
	var nodes []explicit.Node
	chain := make([][]int32, h.States())
	add := func(n explicit.Node) {
		set := t.Sets.Set(n.X)
		for _, have := range chain[n.H] {
			if explicit.Subset(t.Sets.Set(have), set) {
				return
			}
		}
		chain[n.H] = slices.DeleteFunc(chain[n.H], func(have int32) bool { return explicit.Subset(set, t.Sets.Set(have)) })
		chain[n.H] = append(chain[n.H], n.X)
		nodes = append(nodes, n)
	}
	add(explicit.Node{H: 0, X: t.start, Parent: -1, Letter: -1})
	for from := 0; from < len(nodes); from++ {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		if len(nodes) > t.P.Budget {
			return nil, false, &explore.BudgetError{What: "sets in a check of a hypothesis", Limit: t.P.Budget}
		}
		n := nodes[from]
		if !slices.Contains(chain[n.H], n.X) {
			continue // a smaller set has taken its place
		}
		row, err := t.row(ctx, n.X)
		if err != nil {
			return nil, false, err
		}
		for i, x := range t.alphabet {
			to := h.Step(n.H, i)
			out := h.Out[to]
			switch next := row[x]; {
			case next == explicit.Rejected && out != automata.Reject,
				next == explicit.Impossible && out != automata.Impossible,
				next >= 0 && out != automata.Accept:
				return explicit.WordOf(nodes, from, i), true, nil
			case next >= 0:
				add(explicit.Node{H: to, X: next, Parent: int32(from), Letter: int32(i)})
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

// A settler decides the calls that the learned automaton rejects. Its nodes are
// 0, before construction; 1+q, the learned state q; and lost, where no call is
// decided.
type settler struct {
	*abstractTeacher
	h       *automata.DFA
	numbers []int                // letter -> learner's letter, or -1
	unknown map[[2]int32]bool    // (node, call): not proved to err
	goal    map[[2]int32][]int32 // (node, letter of an unknown call): abstract states that may be current then
	target  map[[2]int32]int32   // and a node that is safe for them
	safes   map[[2]int32]bool
}

func (s *settler) lost() int32 { return int32(s.h.States()) + 1 }

// settle replaces the pairs of the abstraction by spots, with the verdicts
// that hold for every word reaching them. Marking a call unknown lets more words
// reach more nodes, so this repeats until nothing changes; calls only become
// unknown and goals only grow.
func (s *settler) settle(ctx context.Context) error {
	s.numbers = slices.Repeat([]int{-1}, s.Letters)
	for i, x := range s.alphabet {
		s.numbers[x] = i
	}
	for {
		spots, changed, err := s.walk(ctx)
		if err != nil {
			return err
		}
		if !changed {
			s.replace(spots)
			return nil
		}
	}
}

// allowed reports whether a node allows a call, by the learned automaton.
func (s *settler) allowed(n int32, call int) bool {
	if n == s.lost() {
		return false
	}
	c := &s.Calls[call]
	for o := range c.Outcomes {
		if s.verdict(n, c.Letter+o) == automata.Reject {
			return false
		}
	}
	return true
}

// verdict is the verdict of a letter in a node, by the learned automaton.
func (s *settler) verdict(n int32, x int) automata.Verdict {
	if to := s.step(n, x); to >= 0 {
		return s.h.Out[to-1]
	}
	return automata.Impossible
}

// step is the node after a letter, by the learned automaton, or impossible.
func (s *settler) step(n int32, x int) int32 {
	switch {
	case n == 0 && x == s.created:
		return 1
	case n == 0 && s.created >= 0, n == s.lost(), s.numbers[x] < 0:
		return explicit.Impossible
	case n == 0:
		return s.h.Step(0, s.numbers[x]) + 1
	}
	return s.h.Step(n-1, s.numbers[x]) + 1
}

// A spot is a node with a pair of the abstraction, as a walk comes to it.
type spot struct {
	node, pair int32
	parent     int32 // spot it was first reached from, and how
	letter     int
	next       []int32 // by letter: spot, impossible, or rejected
	verdicts   []cegar.PairVerdict
}

// walk finds the spots, and reports whether a call became unknown or a target
// another one.
func (s *settler) walk(ctx context.Context) ([]spot, bool, error) {
	changed := false
	var spots []spot
	index := map[[2]int32]int32{}
	add := func(n, pair, from int32, x int) int32 {
		id, ok := index[[2]int32{n, pair}]
		if !ok {
			id = int32(len(spots))
			index[[2]int32{n, pair}] = id
			spots = append(spots, spot{node: n, pair: pair, parent: from, letter: x,
				next: slices.Repeat([]int32{explicit.Impossible}, s.Letters), verdicts: make([]cegar.PairVerdict, len(s.Calls))})
		}
		return id
	}
	add(0, 0, -1, -1)
	for at := int32(0); int(at) < len(spots); at++ {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		if int(at) > s.P.Budget {
			return nil, false, &explore.BudgetError{What: "pairs in deciding what the abstraction rejects", Limit: s.P.Budget}
		}
		n, pair := spots[at].node, spots[at].pair
		for k := range s.Calls {
			c := &s.Calls[k]
			if c.Constructor != (n == 0) {
				continue
			}
			cell := [2]int32{n, int32(k)}
			v, err := s.Judge(ctx, pair, k)
			if err != nil {
				return nil, false, err
			}
			allowed := s.allowed(n, k)
			switch {
			case allowed && v.Verdict != typestate.VerdictAllowed:
				return nil, false, fmt.Errorf("internal error: a call of %s that may err is allowed", c.Sum.Method.Name)
			case !allowed && !v.Verdict.Forbidden() && !s.unknown[cell]:
				s.unknown[cell], changed = true, true
			}
			if s.unknown[cell] {
				v = cegar.PairVerdict{Reason: "the predicates given do not decide it"}
			}
			spots[at].verdicts[k] = v
			for o := range c.Outcomes {
				x := c.Letter + o
				if v.Verdict.Forbidden() {
					spots[at].next[x] = explicit.Rejected
					continue
				}
				if !allowed && c.Constructor {
					continue // nothing is said of what follows
				}
				next, err := s.Step2(ctx, pair, k, o)
				if err != nil {
					return nil, false, err
				}
				if next == explicit.Impossible {
					continue
				}
				to := s.step(n, x)
				if allowed {
					if to < 0 || s.h.Out[to-1] != automata.Accept {
						return nil, false, fmt.Errorf("internal error: %s can happen, which the automaton excludes", c.Outcomes[o].Name)
					}
				} else {
					moved, err := s.aim(ctx, [2]int32{n, int32(x)}, s.Sets.Set(s.Pairs[next].U))
					if err != nil {
						return nil, false, err
					}
					changed = changed || moved
					to = s.target[[2]int32{n, int32(x)}]
				}
				id := add(to, next, at, x)
				spots[at].next[x] = id
			}
		}
	}
	return spots, changed, nil
}

// aim adds to the goal of a letter and chooses its target: of the nodes that
// are safe for the goal one with the most calls allowed. It reports whether the
// target is another one now.
func (s *settler) aim(ctx context.Context, key [2]int32, states []int32) (bool, error) {
	goal := slices.Clone(s.goal[key])
	for _, a := range states {
		if !slices.Contains(goal, a) {
			goal = append(goal, a)
		}
	}
	if len(goal) == len(s.goal[key]) {
		return false, nil
	}
	s.goal[key] = goal
	best, most := s.lost(), -1
	for n := int32(1); n < s.lost(); n++ {
		if s.h.Out[n-1] != automata.Accept {
			continue
		}
		count := 0
		for k := range s.Calls {
			if !s.Calls[k].Constructor && s.allowed(n, k) {
				count++
			}
		}
		if count <= most {
			continue
		}
		ok := true
		for _, a := range goal {
			safe, err := s.safe(ctx, n, a)
			if err != nil {
				return false, err
			}
			if ok = ok && safe; !ok {
				break
			}
		}
		if ok {
			best, most = n, count
		}
	}
	old, had := s.target[key]
	s.target[key] = best
	return had && old != best, nil
}

// safe reports whether no run from an abstract state errs in a call that the
// node allows, or does what the automaton says cannot happen, as long as only
// allowed calls are made.
func (s *settler) safe(ctx context.Context, n, a int32) (bool, error) {
	if ok, known := s.safes[[2]int32{n, a}]; known {
		return ok, nil
	}
	seen := map[[2]int32]bool{{n, a}: true}
	ok := true
search:
	for queue := [][2]int32{{n, a}}; len(queue) > 0; queue = queue[1:] {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		n, a := queue[0][0], queue[0][1]
		for k := range s.Calls {
			c := &s.Calls[k]
			if c.Constructor || !s.allowed(n, k) {
				continue
			}
			e, err := s.Effect(ctx, a, k)
			if err != nil {
				return false, err
			}
			if ok = len(e.MayErr) == 0; !ok {
				break search
			}
			for o, may := range e.May {
				to := s.step(n, c.Letter+o)
				if ok = len(may) == 0 || to >= 0 && s.h.Out[to-1] == automata.Accept; !ok {
					break search
				}
				for _, b := range may {
					if next := [2]int32{to, b}; !seen[next] {
						seen[next] = true
						queue = append(queue, next)
					}
				}
			}
		}
	}
	s.safes[[2]int32{n, a}] = ok
	return ok, nil
}

// replace makes the spots the pairs that the interface is written from.
func (s *settler) replace(spots []spot) {
	c := s.Run
	old := c.Pairs
	c.Pairs, c.Next, c.Verdicts = nil, nil, nil
	for _, p := range spots {
		c.Pairs = append(c.Pairs, cegar.Pair{U: old[p.pair].U, L: old[p.pair].L, Parent: p.parent, Letter: p.letter})
		c.Next = append(c.Next, p.next)
		c.Verdicts = append(c.Verdicts, p.verdicts)
	}
}
