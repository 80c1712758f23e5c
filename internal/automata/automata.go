// SPDX-License-Identifier: Apache-2.0

// Package automata holds finite automata over dense integers and the
// algorithms on them: minimization, determinization, product, separation,
// inclusion by antichains, safety games, canonical numbering.
//
// Definitions.
//
// A LETTER is an integer 0..Letters-1, a WORD a sequence of letters.
//
// A [DFA] is complete and deterministic: every state has exactly one successor
// per letter. Each state carries a [Verdict] (so a DFA is a Moore machine with
// four outputs); the verdict of a word is the verdict of the state it reaches.
// A language in the ordinary sense is a DFA whose verdicts are only Accept and
// Reject.
//
// A word of verdict [Impossible] cannot happen: its verdict says nothing about
// the language, and an automaton that gives it another verdict is not wrong
// about any word that can. Algorithms that use this freedom say so: a word CAN
// HAPPEN if neither its verdict nor that of a prefix is Impossible.
//
// A DFA is MINIMAL if no other gives the same verdicts with fewer states
// ([Minimize]); it is CANONICAL if its states are numbered in the order of their
// SHORTLEX-least access words, shorter words first, then in letter order
// ([Canonical]). [Reduce] and [Cover] use the freedom that Impossible leaves.
//
// An [NFA] is an ordinary nondeterministic automaton; see [Determinize], [Sets],
// [Included] and [Universal]. Languages and verdicts are compared by [Separate] and
// its variants and combined by [Product]. A [Game] asks where a client can go on
// for ever ([Prune]).
//
// Nothing here depends on time, chance or the order of maps: the same input gives
// the same output. Functions that take a context can run for long; Reduce and
// Cover are bounded by counted steps, and the others by low polynomials.
package automata

// A Verdict is the output of a state of a DFA.
type Verdict uint8

const (
	Unknown    Verdict = iota // nobody could tell
	Accept                    // the word is in the language
	Reject                    // the word is not in the language
	Impossible                // the word cannot happen: a don't-care
)

func (v Verdict) String() string {
	switch v {
	case Accept:
		return "accept"
	case Reject:
		return "reject"
	case Impossible:
		return "impossible"
	}
	return "unknown"
}

// A DFA is a complete deterministic automaton with verdicts.
// State 0 is initial. The successor of state s under letter x is
// Next[s*Letters+x]; the verdict of s is Out[s].
type DFA struct {
	Letters int
	Next    []int32
	Out     []Verdict
}

// States returns the number of states.
func (d *DFA) States() int { return len(d.Out) }

// Step returns the successor of state s under letter x.
func (d *DFA) Step(s int32, x int) int32 { return d.Next[int(s)*d.Letters+x] }

// Run returns the state that word reaches from the initial state.
func (d *DFA) Run(word []int) int32 {
	s := int32(0)
	for _, x := range word {
		s = d.Step(s, x)
	}
	return s
}
