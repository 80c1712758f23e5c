// SPDX-License-Identifier: Apache-2.0

package run

// This file teaches learners by running. What is learned is the set of traces: a letter is a call with
// a class of results, and a word over letters is accepted iff the trace was seen. The set is
// closed under prefixes, and its automaton is deterministic even if the component is not. What the
// client cannot tell apart is one state.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/learn"
)

// Effort says how long to learn. The zero value of a number is a default.
type Effort struct {
	Words  int // that are run, about; one that blocks or ends its process counts for several
	Extra  int // states that a hypothesis may lack and is tested for (W-method)
	Random int // words by chance, once a hypothesis stands
	Length int // of those, at most
	Seed   uint64
	// Learner is one of [learn.Learners]; nil is L#.
	Learner *learn.Learner
	// Progress is called now and then with the words that were run.
	Progress func(words int)
}

// Defaults of Effort. A word costs about 0.1 ms.
const (
	DefaultWords  = 20_000
	DefaultRandom = 1_000
	DefaultLength = 20
)

// What a word counts for that takes all of its time, and one that ends its process or is seen to block: about what
// they cost in time.
const (
	limitCost = 1000
	deathCost = 30
)

// maxStates bounds a hypothesis. Each state costs as many words as there are calls, squared with
// an extra state; a component that counts without bound has no end of them.
const maxStates = 32

// repeats is how often a call is made that has shown several classes after a trace, until those
// that were seen are taken for all.
const repeats = 6

// maxRestarts bounds how often learning begins again because a component answers differently.
const maxRestarts = 200

// Learned is what a component does, as far as it was seen.
type Learned struct {
	DFA     *automata.DFA // over letters; a trace that was not seen is impossible
	Calls   int
	Usual   int   // of those that the automaton is of; the others were tried in its states
	Root    *Node // all that was seen
	Words   int
	Depth   int    // all words of so many calls were run, or begin with one that ends
	Living  []int  // the starts that made an object
	Stopped string // why the automaton may have too few states; "" if all tests were made
	// Unstable counts the calls after a trace that were seen to have several classes.
	Unstable int
	Stats    learn.Stats

	tree    *tree
	letters []letter
}

var (
	errAgain = errors.New("there is another class, or another answer")
	errSpent = errors.New("as many words were run as were asked for")
)

// A teacher answers from the tree, and runs words for it.
type teacher struct {
	pool              *Pool
	calls             int // that words are made of, but for the last one
	tree              *tree
	effort            Effort
	spent             int
	counted, recorded int      // what all words counted for, and how many they were
	letters           []letter // that the learner knows
	revised           int      // of the tree when the learner began
	last              *automata.DFA
	tested            bool // all tests were made of the last hypothesis
	ends              struct {
		of   *automata.DFA
		dead []bool // states in which nothing can follow
	}
}

// Learn runs words until the automaton of their traces passes all tests, or enough were run.
func Learn(ctx context.Context, pool *Pool, effort Effort) (*Learned, error) {
	def := func(n *int, d int) {
		if *n == 0 {
			*n = d
		}
	}
	def(&effort.Words, DefaultWords)
	def(&effort.Random, DefaultRandom)
	def(&effort.Length, DefaultLength)
	learner := learn.LSharp
	if effort.Learner != nil {
		learner = effort.Learner.Run
	}
	t := &teacher{pool: pool, calls: pool.program.Calls - pool.program.Extra, tree: newTree(), effort: effort}
	if err := t.prime(ctx); err != nil {
		return nil, err
	}
	out := &Learned{Calls: pool.program.Calls, Usual: t.calls, Root: t.tree.root, tree: t.tree}
	for again := 0; ; again++ {
		t.letters, t.revised = t.tree.letters, t.tree.revised
		r, err := learner(ctx, len(t.letters), t, learn.Options{PrefixClosed: true, MaxStates: maxStates})
		var budget *learn.BudgetError
		switch {
		case err == nil:
			out.DFA, out.Stats = r.DFA, r.Stats
		case errors.Is(err, errAgain) && again < maxRestarts:
			continue
		case errors.Is(err, errAgain):
			out.Stopped = "it answers differently again and again"
		case errors.Is(err, errSpent):
			out.Stopped = "as many words were run as -words allows"
		case errors.As(err, &budget):
			out.Stopped = fmt.Sprintf("it has more than %d states", maxStates)
		default:
			return nil, err
		}
		break
	}
	if out.DFA == nil {
		out.DFA = t.last
	} else if !t.tested {
		out.Stopped = "as many words were run as -words allows"
	}
	out.letters = t.letters[:min(len(t.letters), lettersOf(out.DFA, len(t.letters)))]
	if out.DFA == nil {
		out.DFA, out.letters = unlearned(), nil
	}
	if out.Stopped != "" {
		if err := t.wander(ctx); err != nil {
			return nil, err
		}
	}
	if err := t.vary(ctx, out); err != nil {
		return nil, err
	}
	out.Living = t.living()
	out.Words, out.Unstable, out.Depth = pool.Words, t.tree.unstable, t.depth()
	return out, nil
}

func lettersOf(d *automata.DFA, otherwise int) int {
	if d == nil {
		return otherwise
	}
	return d.Letters
}

// unlearned is the automaton that has seen nothing but the empty trace.
func unlearned() *automata.DFA { return &automata.DFA{Out: []automata.Verdict{automata.Accept}} }

// prime makes each object, and each call on it, also after each other one: that shows most classes.
func (t *teacher) prime(ctx context.Context) error {
	var words []Word
	for s := range t.pool.program.Starts {
		words = append(words, Word{Start: s})
	}
	if err := t.run(ctx, words); err != nil {
		return err
	}
	living := t.living()
	if len(living) == 0 {
		return errors.New("no constructor made an object: -arg gives other arguments, -fixture an object")
	}
	words = nil
	calls := t.calls
	for _, s := range living {
		for c := range calls {
			words = append(words, Word{s, []int{c}})
		}
	}
	if err := t.run(ctx, words); err != nil {
		if errors.Is(err, errSpent) {
			return nil
		}
		return err
	}
	words = nil
	if pairs := len(living) * calls * calls; pairs <= t.effort.Words/pairShare {
		for _, s := range living {
			for c := range calls * calls {
				// A call that was seen to end the word ends it.
				if w := (Word{s, []int{c / calls, c % calls}}); t.lives(w.Start, w.Calls[:1]) {
					words = append(words, w)
				}
			}
		}
	}
	for k := 0; k < len(words); k += batch {
		if err := t.run(ctx, words[k:min(k+batch, len(words))]); err != nil {
			if errors.Is(err, errSpent) {
				return nil
			}
			return err
		}
	}
	return nil
}

// lives reports whether an object was seen to live on after calls.
func (t *teacher) lives(start int, calls []int) bool {
	level := t.tree.root.edge(start).next
	for _, c := range calls {
		var next []*Node
		for _, n := range level {
			if e := n.edges[c]; e != nil && !n.Ended {
				next = append(next, e.next...)
			}
		}
		level = next
	}
	return slices.ContainsFunc(level, func(n *Node) bool { return !n.Ended })
}

// pairShare: all words of two calls are run first if they are no more than this part of the words.
const pairShare = 3

// living are the starts that were seen to make an object.
func (t *teacher) living() (list []int) {
	for s := range t.pool.program.Starts {
		if slices.ContainsFunc(t.tree.root.edge(s).next, func(n *Node) bool { return !n.Ended }) {
			list = append(list, s)
		}
	}
	return list
}

// run runs words and records their answers, a few at a time where words are slow.
func (t *teacher) run(ctx context.Context, words []Word) error {
	for len(words) > 0 {
		n := min(len(words), t.portion())
		if err := t.record(ctx, words[:n]); err != nil {
			return err
		}
		words = words[n:]
	}
	return nil
}

// Words are run in portions that count for about as much as portionCost words, and the first ones in small ones.
const (
	portionCost  = 4000
	firstPortion = 16
)

// portion is how many words are run before it is looked at what they have cost.
func (t *teacher) portion() int {
	if t.recorded < firstPortion {
		return firstPortion
	}
	return max(2, portionCost*t.recorded/max(1, t.counted))
}

// record runs words and records their answers.
func (t *teacher) record(ctx context.Context, words []Word) error {
	answers, err := t.pool.Run(ctx, words)
	if err != nil {
		return err
	}
	for k, a := range answers {
		cost := 1
		switch last := a.Steps[len(a.Steps)-1]; {
		case last.Did == Memory, last.Did == Blocked && last.Text != "":
			cost += limitCost
		case last.Did == Fatal, last.Did == Exited, last.Did == Blocked:
			cost += deathCost
		}
		t.spent, t.counted, t.recorded = t.spent+cost, t.counted+cost, t.recorded+1
		t.tree.record(words[k], a, t.pool.Errs)
	}
	if t.effort.Progress != nil {
		t.effort.Progress(t.pool.Words)
	}
	if t.spent > t.effort.Words {
		return errSpent
	}
	return nil
}

// Member implements [learn.Teacher].
func (t *teacher) Member(ctx context.Context, word []int) (learn.Answer, error) {
	for k, x := range word {
		if t.letters[x].start != (k == 0) {
			return learn.Answer{Verdict: automata.Impossible}, nil
		}
	}
	for tries := 0; ; tries++ {
		seen, settled, at := t.lookup(word)
		if seen {
			return learn.Answer{Verdict: automata.Accept}, nil
		}
		if settled || tries >= repeats {
			if at != nil {
				at.tell = true
			}
			return learn.Answer{Verdict: automata.Impossible}, nil
		}
		w := Word{Start: t.letters[word[0]].call}
		for _, x := range word[1:] {
			w.Calls = append(w.Calls, t.letters[x].call)
		}
		if err := t.run(ctx, []Word{w}); err != nil {
			return learn.Answer{}, err
		}
		if len(t.tree.letters) > len(t.letters) || t.tree.revised > t.revised {
			return learn.Answer{}, errAgain
		}
	}
}

// lookup says whether a trace was seen, and if not, whether enough was seen to say that it cannot happen,
// and where it was left.
func (t *teacher) lookup(word []int) (seen, settled bool, at *edge) {
	n, unstable := t.tree.root, false
	for _, x := range word {
		l := t.letters[x]
		if n.Ended {
			return false, true, nil
		}
		e := n.edge(l.call)
		unstable = unstable || len(e.next) > 1
		next := e.class(l.class)
		if next == nil {
			return false, e.settled(unstable), e
		}
		n = next
	}
	return true, true, nil
}

// wander runs words by chance where learning has stopped, so that states are seen that it did not get to.
func (t *teacher) wander(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(t.effort.Seed, 1))
	living := t.living()
	var words []Word
	for range t.effort.Random {
		w := Word{Start: living[rng.IntN(len(living))]}
		for range 1 + rng.IntN(t.effort.Length) {
			w.Calls = append(w.Calls, rng.IntN(t.calls))
		}
		words = append(words, w)
	}
	t.spent = 0
	for k := 0; k < len(words); k += batch {
		if err := t.run(ctx, words[k:min(k+batch, len(words))]); errors.Is(err, errSpent) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// vary tries the calls that words are not made of: each in each state, and then each usual one.
func (t *teacher) vary(ctx context.Context, l *Learned) error {
	if t.pool.program.Extra == 0 {
		return nil
	}
	m := l.machine()
	if m == nil {
		return nil
	}
	t.spent = 0
	tries := func(words []Word) error {
		for k := 0; k < len(words); k += batch {
			if err := t.run(ctx, words[k:min(k+batch, len(words))]); err != nil {
				return err
			}
		}
		return nil
	}
	var words, longer []Word
	for _, s := range m.states {
		for c := t.calls; c < t.pool.program.Calls && s.node != nil; c++ {
			w := s.node.Word()
			words = append(words, Word{w.Start, append(w.Calls, c)})
		}
	}
	err := tries(words)
	for _, s := range m.states {
		for c := t.calls; c < t.pool.program.Calls && s.node != nil && err == nil; c++ {
			for _, n := range s.node.edge(c).next {
				for k := range t.calls {
					if w := n.Word(); !n.Ended {
						longer = append(longer, Word{w.Start, append(w.Calls, k)})
					}
				}
			}
		}
	}
	if err == nil {
		err = tries(longer)
	}
	if errors.Is(err, errSpent) {
		return nil
	}
	return err
}

// depth is the length of which all words were run.
func (t *teacher) depth() int {
	level := []*Node{t.tree.root}
	for depth := -1; ; depth++ {
		var next []*Node
		for _, n := range level {
			if n.Ended {
				continue
			}
			calls := t.calls
			if n.depth < 0 {
				calls = t.pool.program.Starts
			}
			for c := range calls {
				e := n.edges[c]
				if e == nil || e.runs == 0 {
					return max(0, depth)
				}
				next = append(next, e.next...)
			}
		}
		if len(next) == 0 {
			return max(0, depth)
		}
		level = next
	}
}
