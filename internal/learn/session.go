// SPDX-License-Identifier: Apache-2.0

package learn

// This file is what the learners share: one run's questions, budgets and
// checks of the teacher, and the analysis of counterexamples.
//
// Rivest and Schapire's analysis adds one suffix per counterexample, found with
// logarithmically many questions. Angluin's (all prefixes become access
// words) and Maler and Pnueli's (all suffixes become columns) ask more.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
)

// A session is one run of a learner.
type session struct {
	ctx     context.Context // of this run only
	opt     Options
	cache   *Cache
	letters int
	order   []int // the letters in the order in which they are tried
	before  Stats // of the cache
	states  int

	revision int   // of the cache: the answers this learning relies on
	word     []int // scratch
}

// A demand carries a refinement up to run. It is no error of anybody.
type demand struct{ Refinement }

func (*demand) Error() string { return "alphabet must be refined" }

// errRevised says that an answer given before has become another, see
// [Cache.PrefixClosed]. Starting again asks nothing twice.
var errRevised = errors.New("an answer was revised")

// run makes a session and gives it to a learner.
func run(ctx context.Context, letters int, t Teacher, opt Options, learn func(*session) (*automata.DFA, error)) (Result, error) {
	if letters < 0 {
		panic(fmt.Sprintf("learn: %d letters", letters))
	}
	c, ok := t.(*Cache)
	if !ok {
		c = NewCache(letters, t)
	}
	if c.letters != letters {
		panic(fmt.Sprintf("learn: %d letters, but the cache has %d", letters, c.letters))
	}
	if opt.PrefixClosed {
		c.PrefixClosed()
	}
	s := &session{ctx: ctx, opt: opt, cache: c, letters: letters, before: c.stats}
	s.order = make([]int, letters)
	for x := range s.order {
		s.order[x] = x
	}
	if opt.Seed != 0 {
		r := rand.New(rand.NewPCG(opt.Seed, 0))
		r.Shuffle(letters, func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	}
	var d *automata.DFA
	var err error
	for again := true; again; again = err == errRevised {
		s.states, s.revision = 0, c.revision
		d, err = learn(s)
	}
	if d, ok := err.(*demand); ok {
		return Result{Refine: &Refinement{d.Letter, d.Parts}, Stats: s.stats()}, nil
	}
	if err != nil {
		return Result{}, err
	}
	return Result{DFA: automata.Canonical(d), Stats: s.stats()}, nil
}

func (s *session) stats() Stats { return s.cache.stats.minus(s.before) }

// member returns the verdict of the concatenation of parts.
func (s *session) member(parts ...[]int) (automata.Verdict, error) {
	if err := s.ctx.Err(); err != nil {
		return automata.Unknown, fmt.Errorf("learning stopped: %w", err)
	}
	s.word = s.word[:0]
	for _, p := range parts {
		s.word = append(s.word, p...)
	}
	v, ok := s.cache.lookup(s.word)
	if ok {
		s.cache.stats.Hits++
	} else {
		if s.opt.MaxQueries > 0 && s.stats().Queries >= s.opt.MaxQueries {
			return automata.Unknown, &BudgetError{What: "membership queries", Limit: s.opt.MaxQueries, Stats: s.stats()}
		}
		a, err := s.cache.ask(s.ctx, s.word)
		if err != nil {
			return automata.Unknown, fmt.Errorf("membership of word %v: %w", s.word, err)
		}
		if a.Refine != nil {
			return automata.Unknown, s.refine(*a.Refine)
		}
		v = a.Verdict
	}
	if s.cache.revision != s.revision {
		return automata.Unknown, errRevised
	}
	return v, nil
}

func (s *session) refine(r Refinement) error {
	if r.Letter < 0 || r.Letter >= s.letters || r.Parts < 2 {
		return &TeacherError{nil, fmt.Sprintf("demands to split letter %d of %d into %d parts", r.Letter, s.letters, r.Parts)}
	}
	return &demand{r}
}

// newState accounts for a state that was found.
func (s *session) newState() error {
	s.states++
	if s.opt.MaxStates > 0 && s.states > s.opt.MaxStates {
		return &BudgetError{What: "states", Limit: s.opt.MaxStates, Stats: s.stats()}
	}
	s.progress()
	return nil
}

func (s *session) progress() {
	if s.opt.Progress != nil {
		s.opt.Progress(s.states, s.stats().Queries)
	}
}

// refute returns a word whose verdict h has wrong; ok is false if the teacher
// knows none. Remembered answers are compared first, so the teacher is only
// offered hypotheses that agree with all it has said.
func (s *session) refute(h *automata.DFA) (word []int, ok bool, err error) {
	if err := s.ctx.Err(); err != nil {
		return nil, false, fmt.Errorf("learning stopped: %w", err)
	}
	s.progress()
	cex, ok, err := s.cache.Refute(s.ctx, h)
	if err != nil {
		return nil, false, fmt.Errorf("refutation of a hypothesis with %d states: %w", h.States(), err)
	}
	if !ok {
		return nil, false, nil
	}
	if cex.Refine != nil {
		return nil, false, s.refine(*cex.Refine)
	}
	word = slices.Clone(cex.Word)
	for _, x := range word {
		if x < 0 || x >= s.letters {
			return nil, false, &TeacherError{word, fmt.Sprintf("counterexample has a letter that is not among the %d", s.letters)}
		}
	}
	v, err := s.member(word)
	if err != nil {
		return nil, false, err
	}
	if v == h.Out[h.Run(word)] {
		return nil, false, &TeacherError{word, fmt.Sprintf("it is no counterexample: hypothesis and teacher say %v", v)}
	}
	return word, true, nil
}

// breakpoint analyses a word on which an automaton is wrong. Access(i) is the
// access word of the state reached by the first i letters. Let answer i be the
// verdict of access(i)·word[i:]. Answer 0 is the truth about word and the last
// answer is the automaton's opinion, so they differ; with more than two
// verdicts the answers between may be different from both, but binary search that
// keeps "answers lo and hi differ" ends in neighbours that differ all the
// same. It returns the i for which answers i and i+1 differ: access(i)·word[i]
// and access(i+1) are told apart by the suffix word[i+1:].
func (s *session) breakpoint(word []int, access func(i int) []int) (int, error) {
	lo, hi := 0, len(word)
	first, err := s.member(access(0), word)
	if err != nil {
		return 0, err
	}
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		v, err := s.member(access(mid), word[mid:])
		if err != nil {
			return 0, err
		}
		if v != first {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo, nil
}

// path returns the states that h goes through on word, the initial one first.
func path(h *automata.DFA, word []int) []int32 {
	p := make([]int32, len(word)+1)
	for i, x := range word {
		p[i+1] = h.Step(p[i], x)
	}
	return p
}

// extend returns a fresh word u·x.
func extend(u []int, x int) []int {
	return append(u[:len(u):len(u)], x)
}
