// SPDX-License-Identifier: Apache-2.0

// Package learn infers deterministic automata by asking a Teacher. It knows
// words, not programs.
//
// Definitions.
//
// The LANGUAGE to be learned gives every word over letters 0..n-1 one verdict
// (see [automata.Verdict]); it is regular, so finitely many continuation
// classes exist: words u and v are in one (Nerode) class iff u·e and v·e have
// equal verdicts for every e. The smallest automaton has one state per class.
// Unknown is a verdict like the others here: an automaton may have states whose
// verdict is Unknown.
//
// A MEMBERSHIP query asks for the verdict of one word. An EQUIVALENCE query
// offers a HYPOTHESIS, an automaton, and asks for a word on which hypothesis and
// language differ, a COUNTEREXAMPLE (Angluin, Information and Computation 1987).
//
// The ACCESS WORD of a state of a hypothesis is the word that first led to it.
// Access words are pairwise in different classes, so a hypothesis never has
// more states than the smallest automaton, and has as many only when it is
// that automaton.
//
// A SUFFIX or DISCRIMINATOR is a word e that shows two words u, v to be in
// different classes: u·e and v·e have different verdicts. Two observed words are
// APART if the answers given so far contain such an e, called the witness; words
// that are not apart may still be in different classes (Vaandrager, Garhewal,
// Rot, Wißmann, TACAS 2022).
//
// A language is PREFIX-CLOSED here if every prefix of an accepted word is
// accepted and every extension of a rejected (impossible) word is rejected
// (impossible). Such verdicts are called ABSORBING.
//
// Learners. [LStar], [TTT] and [LSharp] differ in how they keep what they were
// told and in which questions they ask; they give the same automaton, numbered
// canonically. All three analyse counterexamples as Rivest and Schapire
// (Information and Computation 1993) do, see breakpoint in session.go, and
// all three ask through a [Cache], so that no word is asked twice.
//
// Which one to take depends on what is dear. On random automata of 200 states
// and 5 letters with shortest counterexamples, L* asks membership of words of
// 74,000 letters in all and poses 14 equivalence queries, TTT and L# 37,000 and
// 197; with counterexamples of 400 letters L* asks 395,000 and 2, the
// others 86,000 and 6 (medians, see TestSymbols).
package learn

import (
	"context"
	"fmt"

	"github.com/interlock-go/interlock/internal/automata"
)

// A Teacher knows a regular language with verdicts over letters 0..n-1 and
// answers two kinds of questions about it. Errors (cancellation included) end
// the learning; learners return them wrapped once.
type Teacher interface {
	// Member answers for one word. The word must not be kept or changed.
	Member(ctx context.Context, word []int) (Answer, error)
	// Refute returns a word on which hypothesis and language differ;
	// ok is false if there is none.
	Refute(ctx context.Context, hypothesis *automata.DFA) (cex Counterexample, ok bool, err error)
}

// An Answer is a verdict or, if Refine is not nil, the demand to refine the
// alphabet before the question can be answered.
type Answer struct {
	Verdict automata.Verdict
	Refine  *Refinement
}

// A Counterexample is a word whose verdict the hypothesis has wrong or, if
// Refine is not nil, the demand to refine the alphabet.
type Counterexample struct {
	Word   []int
	Refine *Refinement
}

// A Refinement replaces Letter by Parts letters (Parts >= 2). The parts of
// letter i take the numbers i..i+Parts-1; later letters shift up.
type Refinement struct {
	Letter int
	Parts  int
}

// A Learner is one way of learning. Run asks t about words over letters
// 0..letters-1 until t does not refute the hypothesis.
//
// If t is a [Cache] its answers are used and added to; otherwise Run makes one
// of its own and drops it at the end.
//
// Run returns an error, and then a zero Result, if t fails (the error wraps
// t's), if ctx is done (it wraps ctx's), if a budget runs out ([*BudgetError])
// or if t breaks its contract ([*TeacherError]).
type Learner struct {
	Name string // as on a command line
	Doc  string // one line
	Run  func(ctx context.Context, letters int, t Teacher, opt Options) (Result, error)
}

// Options tune a learner. The zero value sets no budget.
type Options struct {
	// Seed other than 0 shuffles the order in which letters are tried. It
	// changes which questions are asked, never the result.
	Seed uint64
	// PrefixClosed promises that the language is prefix-closed. No word is
	// then asked that extends one known to be rejected or impossible.
	PrefixClosed bool
	// MaxStates and MaxQueries, if positive, bound the states of a
	// hypothesis and the membership queries asked of the teacher.
	MaxStates  int
	MaxQueries int
	// Progress, if not nil, is called whenever a state is found and before each
	// equivalence query, with the states and membership queries so far.
	Progress func(states, queries int)
}

// A Result is an automaton or, if Refine is not nil, the teacher's demand to
// refine the alphabet; the caller refines it (see [Cache.Refine]) and runs
// the learner again.
type Result struct {
	DFA    *automata.DFA // minimal and canonically numbered; nil iff Refine is set
	Refine *Refinement
	Stats  Stats
}

// Stats counts questions. Every membership query starts from the initial
// state, so Queries is also the number of resets.
type Stats struct {
	Queries      int // membership queries asked of the teacher
	Symbols      int // letters in them
	Equivalences int // equivalence queries asked of the teacher
	Hits         int // membership and equivalence queries answered by the cache
}

func (s Stats) minus(t Stats) Stats {
	return Stats{s.Queries - t.Queries, s.Symbols - t.Symbols, s.Equivalences - t.Equivalences, s.Hits - t.Hits}
}

// A BudgetError says which budget ended the learning. There is no hypothesis
// to go with it: one that was not offered to the teacher is no answer.
type BudgetError struct {
	What  string // "states" or "membership queries"
	Limit int
	Stats Stats
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("learning gave up: more than %d %s needed", e.Limit, e.What)
}

// A TeacherError says how a teacher broke its contract.
type TeacherError struct {
	Word    []int // the word in question, nil if there is none
	Problem string
}

func (e *TeacherError) Error() string {
	if e.Word == nil {
		return "teacher is wrong: " + e.Problem
	}
	return fmt.Sprintf("teacher is wrong about word %v: %s", e.Word, e.Problem)
}
