// SPDX-License-Identifier: Apache-2.0

package learn

// This file remembers answers, across refinements of the alphabet.
//
// A refinement replaces one letter by several, so one answered word stands for
// parts^k words of the new alphabet, k the number of its occurrences of the
// letter. Rewriting the stored words would be exponential; instead the old
// tree is kept as it is, with the map from new letters to old ones, and looked
// into when the current tree has no answer.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
)

// A Cache is a Teacher that asks another one and remembers its answers. It is
// not safe for concurrent use.
//
// A demand for refinement and an error are passed on and not remembered.
type Cache struct {
	teacher  Teacher
	letters  int
	closed   bool
	now      *tree
	old      []generation // newest first
	revision int          // how often an answer was revised
	stats    Stats
}

// A generation is a tree over an earlier alphabet. Its Unknown answers are void:
// the refinement may have been made because of them.
type generation struct {
	*tree
	project []int // current letter -> letter of the tree
}

// NewCache returns an empty cache of t's answers on words over 0..letters-1.
func NewCache(letters int, t Teacher) *Cache {
	return &Cache{teacher: t, letters: letters, now: newTree()}
}

// PrefixClosed promises that the language is prefix-closed, now and after
// refinements. Then every extension of a rejected (impossible) word is answered
// without asking, and so is every prefix of an accepted one. Learners that run
// with [Options.PrefixClosed] call it.
//
// A teacher with bounded means may say Unknown for a word and only later reject
// a prefix or accept an extension of it. The later answer wins; a learner that
// was told the Unknown starts again from the cache.
func (c *Cache) PrefixClosed() {
	if c.closed {
		return
	}
	c.closed = true
	t := c.now
	c.now = newTree()
	for n := range int32(len(t.parent)) {
		if !t.known(n) {
			continue
		}
		var word []int
		for m := n; m != 0; m = t.parent[m] {
			word = append(word, int(t.letter[m]))
		}
		slices.Reverse(word)
		if _, _, ok := c.now.find(word, nil, true); !ok {
			c.store(word, t.verdict(n))
		}
	}
}

// Letters returns the size of the current alphabet.
func (c *Cache) Letters() int { return c.letters }

// Stats returns the counts since the cache was made.
func (c *Cache) Stats() Stats { return c.stats }

// Member implements Teacher.
func (c *Cache) Member(ctx context.Context, word []int) (Answer, error) {
	if v, ok := c.lookup(word); ok {
		c.stats.Hits++
		return Answer{Verdict: v}, nil
	}
	return c.ask(ctx, word)
}

// Refute implements Teacher. A hypothesis that contradicts a remembered answer
// is refuted without asking, by a shortest such word.
func (c *Cache) Refute(ctx context.Context, h *automata.DFA) (Counterexample, bool, error) {
	if word, ok := c.contradiction(h); ok {
		c.stats.Hits++
		return Counterexample{Word: word}, true, nil
	}
	c.stats.Equivalences++
	return c.teacher.Refute(ctx, h)
}

// Refine replaces the alphabet. Answers Accept, Reject and Impossible of a
// word carry over to all words with any of the parts in place of the letter;
// Unknown ones are dropped.
//
// It panics if the alphabet has no such letter or parts < 2.
func (c *Cache) Refine(letter, parts int) {
	if letter < 0 || letter >= c.letters || parts < 2 {
		panic(fmt.Sprintf("learn.Cache.Refine: letter %d of %d into %d parts", letter, c.letters, parts))
	}
	c.letters += parts - 1
	before := make([]int, c.letters)
	for x := range before {
		switch {
		case x < letter:
			before[x] = x
		case x < letter+parts:
			before[x] = letter
		default:
			before[x] = x - parts + 1
		}
	}
	for i, g := range c.old {
		project := make([]int, c.letters)
		for x := range project {
			project[x] = g.project[before[x]]
		}
		c.old[i].project = project
	}
	c.old = append([]generation{{c.now, before}}, c.old...)
	c.now = newTree()
}

// ask asks the teacher and remembers the answer.
func (c *Cache) ask(ctx context.Context, word []int) (Answer, error) {
	c.stats.Queries++
	c.stats.Symbols += len(word)
	a, err := c.teacher.Member(ctx, word)
	if err != nil || a.Refine != nil {
		return a, err
	}
	if a.Verdict > automata.Impossible {
		return Answer{}, &TeacherError{slices.Clone(word), fmt.Sprintf("verdict %d does not exist", a.Verdict)}
	}
	c.store(word, a.Verdict)
	return a, nil
}

// store remembers an answer and, if the language is prefix-closed, what follows
// from it. Then nothing but the same verdict lies below an absorbing one.
func (c *Cache) store(word []int, v automata.Verdict) {
	n := int32(0)
	for _, x := range word {
		if c.closed && v == automata.Accept && c.now.answer[n] != 1+uint8(v) {
			if c.now.known(n) {
				c.revision++
			}
			c.now.set(n, v)
		}
		n = c.now.grow(n, x)
	}
	if c.closed && absorbing(v) && c.now.below[n]&^(1<<v) != 0 {
		c.revision++
		c.now.prune(n)
	}
	c.now.set(n, v)
}

// lookup returns the remembered answer. One that comes from an earlier
// alphabet is copied into the current tree, where LSharp reads it.
func (c *Cache) lookup(word []int) (automata.Verdict, bool) {
	if v, _, ok := c.now.find(word, nil, c.closed); ok {
		return v, true
	}
	for _, g := range c.old {
		if v, n, ok := g.find(word, g.project, c.closed); ok && v != automata.Unknown {
			c.store(word[:n], v)
			return v, true
		}
	}
	return automata.Unknown, false
}

// contradiction returns a shortest remembered word to which h gives another
// verdict.
func (c *Cache) contradiction(h *automata.DFA) (word []int, ok bool) {
	word, ok = c.now.contradiction(h)
	for _, g := range c.old {
		if w, found := g.contradiction(h); found && (!ok || len(w) < len(word)) {
			word, ok = w, true
		}
	}
	return word, ok
}

// absorbing reports whether v is the verdict of all extensions too.
func absorbing(v automata.Verdict) bool {
	return v == automata.Reject || v == automata.Impossible
}

// A tree holds the answers of words as a prefix tree. Node 0 is the empty word.
// Children are in a list, not a table: most nodes have at most one, and
// alphabets of guarded calls can be large. A parent has a smaller number than
// its children, so that one pass in order of numbers visits parents first.
type tree struct {
	parent, first, next []int32 // 0 also means none for first and next
	letter              []int32
	answer              []uint8 // 0 is not asked, else 1+verdict
	below               []uint8 // set of the answers at and below the node, as bits 1<<verdict
	many                map[[2]int32]int32
}

func newTree() *tree {
	return &tree{parent: []int32{0}, first: []int32{0}, next: []int32{0}, letter: []int32{0}, answer: []uint8{0}, below: []uint8{0}, many: map[[2]int32]int32{}}
}

func (t *tree) known(n int32) bool               { return t.answer[n] != 0 }
func (t *tree) verdict(n int32) automata.Verdict { return automata.Verdict(t.answer[n] - 1) }

// set sets or changes the answer of n.
func (t *tree) set(n int32, v automata.Verdict) {
	t.answer[n] = 1 + uint8(v)
	for {
		set := uint8(1) << t.answer[n] >> 1
		for c := t.first[n]; c != 0; c = t.next[c] {
			set |= t.below[c]
		}
		if set == t.below[n] || n == 0 {
			t.below[n] = set
			return
		}
		t.below[n] = set
		n = t.parent[n]
	}
}

// prune forgets all answers below n. The nodes stay, unreachable.
func (t *tree) prune(n int32) {
	for c := t.first[n]; c != 0; c = t.next[c] {
		t.answer[c] = 0
		t.prune(c)
	}
	for c := t.first[n]; c != 0; c = t.next[c] {
		delete(t.many, [2]int32{n, t.letter[c]})
	}
	t.first[n] = 0
}

// child returns the node of n·x, or 0 if there is none.
func (t *tree) child(n int32, x int) int32 {
	c := t.first[n]
	for i := 0; c != 0 && t.letter[c] != int32(x); i++ {
		if i == 8 {
			return t.many[[2]int32{n, int32(x)}]
		}
		c = t.next[c]
	}
	return c
}

// grow returns the node of n·x and makes it if there is none.
func (t *tree) grow(n int32, x int) int32 {
	if c := t.child(n, x); c != 0 {
		return c
	}
	c := int32(len(t.parent))
	t.parent = append(t.parent, n)
	t.first = append(t.first, 0)
	t.next = append(t.next, t.first[n])
	t.letter = append(t.letter, int32(x))
	t.answer = append(t.answer, 0)
	t.below = append(t.below, 0)
	t.first[n] = c
	t.many[[2]int32{n, int32(x)}] = c
	return c
}

// find returns the answer of word, its letters taken through project if that is
// not nil, and the number of letters after which it was clear.
func (t *tree) find(word, project []int, closed bool) (v automata.Verdict, length int, ok bool) {
	n := int32(0)
	for i, x := range word {
		if closed && t.known(n) && absorbing(t.verdict(n)) {
			return t.verdict(n), i, true
		}
		if project != nil {
			x = project[x]
		}
		if n = t.child(n, x); n == 0 {
			return automata.Unknown, 0, false
		}
	}
	if !t.known(n) {
		return automata.Unknown, 0, false
	}
	return t.verdict(n), len(word), true
}

// contradiction returns a shortest word of the tree to which h gives another
// verdict, the first stored of them.
func (t *tree) contradiction(h *automata.DFA) (word []int, ok bool) {
	state := make([]int32, len(t.parent))
	depth := make([]int32, len(t.parent))
	best := int32(-1)
	for n := range int32(len(t.parent)) {
		if n != 0 {
			p := t.parent[n]
			state[n] = h.Step(state[p], int(t.letter[n]))
			depth[n] = depth[p] + 1
		}
		if t.known(n) && t.verdict(n) != h.Out[state[n]] && (best < 0 || depth[n] < depth[best]) {
			best = n
		}
	}
	if best < 0 {
		return nil, false
	}
	word = make([]int, depth[best])
	for n := best; n != 0; n = t.parent[n] {
		word[depth[n]-1] = int(t.letter[n])
	}
	return word, true
}

// contradiction is tree.contradiction for an automaton over the current
// alphabet. A node stands for all words that project to its word, so it is
// reached together with a set of states of h instead of one.
func (g generation) contradiction(h *automata.DFA) (word []int, ok bool) {
	letters := 0
	for _, x := range g.project {
		letters = max(letters, x+1)
	}
	parts := make([][]int, letters)
	for x, y := range g.project {
		parts[y] = append(parts[y], x)
	}
	type visit struct {
		state  int32
		from   int32 // visit of the parent
		letter int   // of the current alphabet
		depth  int
	}
	visits := []visit{{}}
	start := make([]int32, len(g.parent)+1) // visits of node n are visits[start[n]:start[n+1]]
	seen := make([]int32, h.States())       // 1 + last node visited with this state
	best := int32(-1)
	for n := range int32(len(g.parent)) {
		if n != 0 {
			start[n] = int32(len(visits))
			p := g.parent[n]
			for i := start[p]; i < start[p+1]; i++ {
				for _, x := range parts[g.letter[n]] {
					s := h.Step(visits[i].state, x)
					if seen[s] != n+1 {
						seen[s] = n + 1
						visits = append(visits, visit{s, i, x, visits[i].depth + 1})
					}
				}
			}
		}
		start[n+1] = int32(len(visits))
		if !g.known(n) || g.verdict(n) == automata.Unknown {
			continue
		}
		for i := start[n]; i < start[n+1]; i++ {
			if h.Out[visits[i].state] != g.verdict(n) && (best < 0 || visits[i].depth < visits[best].depth) {
				best = i
			}
		}
	}
	if best < 0 {
		return nil, false
	}
	word = make([]int, visits[best].depth)
	for i := best; i != 0; i = visits[i].from {
		word[visits[i].depth-1] = visits[i].letter
	}
	return word, true
}
