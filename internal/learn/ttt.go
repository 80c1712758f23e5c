// SPDX-License-Identifier: Apache-2.0

package learn

// This file is TTT (Isberner, Howar, Steffen, RV 2014): a discrimination tree,
// in which a word is sifted from the root to a leaf along the verdicts of its
// extensions by the discriminators it meets.
//
// A counterexample gives a discriminator that is as long as the counterexample
// happened to be. Such discriminators are temporary. A maximal subtree of
// temporary ones is a block; words are sifted only to its root, and the root is
// replaced as soon as some letter x leads the states of the block to both
// sides of a final discriminator d: x·d is then a final discriminator too, and
// the answers it needs are known. So final discriminators are short and
// every one extends another by one letter.
//
// A block that no letter splits contradicts the automaton: two of its states
// are told apart by the block's discriminator although the automaton cannot
// do so. The contradiction is a counterexample, which splits another state.
//
// Lists of the transitions that rest at a node, as in the paper, are not
// kept: all transitions are scanned instead, which costs no question.

import (
	"context"

	"github.com/interlock-go/interlock/internal/automata"
)

// TTT learns with a discrimination tree. It asks few and short questions, also
// when counterexamples are long. See [Learner] for the contract.
func TTT(ctx context.Context, letters int, t Teacher, opt Options) (Result, error) {
	return run(ctx, letters, t, opt, func(s *session) (*automata.DFA, error) {
		l := &ttt{session: s, root: &dnode{state: -1}}
		return l.learn()
	})
}

// A dnode is a node of the discrimination tree: a leaf, which is a state, or
// an inner node with a discriminator.
type dnode struct {
	parent *dnode
	label  automata.Verdict // of the edge from the parent
	depth  int

	state int32 // of a leaf; -1 for an inner node

	suffix []int
	temp   bool
	child  [automata.Impossible + 1]*dnode
}

func (n *dnode) inner() bool { return n.state < 0 }

func (n *dnode) attach(c *dnode, label automata.Verdict) {
	n.child[label] = c
	c.parent, c.label = n, label
	c.sink(n.depth + 1)
}

// sink sets the depths of the subtree.
func (n *dnode) sink(depth int) {
	n.depth = depth
	for _, c := range n.child {
		if c != nil {
			c.sink(depth + 1)
		}
	}
}

// leaves appends the leaves of the subtree in order.
func (n *dnode) leaves(to []*dnode) []*dnode {
	if !n.inner() {
		return append(to, n)
	}
	for _, c := range n.child {
		if c != nil {
			to = c.leaves(to)
		}
	}
	return to
}

// blocks appends the block roots of the subtree in order.
func (n *dnode) blocks(to []*dnode) []*dnode {
	if n.temp {
		return append(to, n)
	}
	for _, c := range n.child {
		if c != nil {
			to = c.blocks(to)
		}
	}
	return to
}

// common returns the lowest common ancestor.
func common(a, b *dnode) *dnode {
	for a != b {
		if a.depth < b.depth {
			a, b = b, a
		}
		a = a.parent
	}
	return a
}

type ttt struct {
	*session
	root   *dnode
	access [][]int
	out    []automata.Verdict
	leaf   []*dnode
	// to[q*letters+x] is where access[q]·x was sifted so far. The spanning tree
	// is made of the transitions that found a new state: there access[q]·x is
	// the access word of state span[q*letters+x], and to is not used. Others
	// have span -1.
	to   []*dnode
	span []int32
}

func (l *ttt) learn() (*automata.DFA, error) {
	if _, err := l.sift(nil, l.root, true); err != nil {
		return nil, err
	}
	for {
		if err := l.stabilize(); err != nil {
			return nil, err
		}
		h := l.hypothesis()
		word, ok, err := l.refute(h)
		if err != nil {
			return nil, err
		}
		if !ok {
			return h, nil
		}
		if err := l.split(path(h, word), word); err != nil {
			return nil, err
		}
	}
}

// sift moves word down from n: to a leaf if hard, else to a leaf or a
// block. If it ends where no leaf is, it becomes the access word of a new state.
func (l *ttt) sift(word []int, n *dnode, hard bool) (*dnode, error) {
	for n.inner() && (hard || !n.temp) {
		v, err := l.member(word, n.suffix)
		if err != nil {
			return nil, err
		}
		if n.child[v] == nil {
			return l.addState(word, n, v)
		}
		n = n.child[v]
	}
	return n, nil
}

func (l *ttt) addState(word []int, parent *dnode, label automata.Verdict) (*dnode, error) {
	if err := l.newState(); err != nil {
		return nil, err
	}
	v, err := l.member(word)
	if err != nil {
		return nil, err
	}
	leaf := &dnode{state: int32(len(l.access))}
	parent.attach(leaf, label)
	l.access = append(l.access, word)
	l.out = append(l.out, v)
	l.leaf = append(l.leaf, leaf)
	for range l.letters {
		l.to = append(l.to, l.root)
		l.span = append(l.span, -1)
	}
	return leaf, nil
}

// target returns where transition (q, x) goes so far.
func (l *ttt) target(q int32, x int) *dnode {
	i := int(q)*l.letters + x
	if p := l.span[i]; p >= 0 {
		return l.leaf[p]
	}
	return l.to[i]
}

// advance sifts transition (q, x) on.
func (l *ttt) advance(q int32, x int, hard bool) (*dnode, error) {
	n := l.target(q, x)
	if !n.inner() || n.temp && !hard {
		return n, nil
	}
	states := int32(len(l.access))
	n, err := l.sift(extend(l.access[q], x), n, hard)
	if err != nil {
		return nil, err
	}
	i := int(q)*l.letters + x
	l.to[i] = n
	if n.state == states {
		l.span[i] = states
	}
	return n, nil
}

// stabilize sifts all transitions and removes all blocks.
func (l *ttt) stabilize() error {
	for {
		for q := int32(0); int(q) < len(l.access); q++ {
			for _, x := range l.order {
				if _, err := l.advance(q, x, false); err != nil {
					return err
				}
			}
		}
		blocks := l.root.blocks(nil)
		if len(blocks) == 0 {
			return nil
		}
		if l.finalize(blocks) {
			continue
		}
		if err := l.contradict(blocks[0]); err != nil {
			return err
		}
	}
}

// finalize replaces the root of one block by a final discriminator, the
// shortest that can be had. It reports whether there was one.
func (l *ttt) finalize(blocks []*dnode) bool {
	var block, above *dnode // above has the discriminator to be extended
	var letter int
	for _, b := range blocks {
		leaves := b.leaves(nil)
		for _, x := range l.order {
			n := l.target(leaves[0].state, x)
			for _, leaf := range leaves[1:] {
				n = common(n, l.target(leaf.state, x))
			}
			if n.inner() && !n.temp && (block == nil || len(n.suffix) < len(above.suffix)) {
				block, above, letter = b, n, x
			}
		}
	}
	if block == nil {
		return false
	}
	label := map[int32]automata.Verdict{}
	for _, leaf := range block.leaves(nil) {
		n := l.target(leaf.state, letter)
		for n.parent != above {
			n = n.parent
		}
		label[leaf.state] = n.label
	}
	final := &dnode{state: -1, suffix: append([]int{letter}, above.suffix...)}
	// Words that came to rest in the block have not been asked the new question.
	inside := map[*dnode]bool{}
	block.collect(inside)
	for i, n := range l.to {
		if inside[n] {
			l.to[i] = final
		}
	}
	block.parent.attach(final, block.label)
	for v := range final.child {
		part := block.extract(func(q int32) bool { return label[q] == automata.Verdict(v) })
		if part != nil {
			final.attach(part, automata.Verdict(v))
		}
	}
	return true
}

func (n *dnode) collect(to map[*dnode]bool) {
	to[n] = true
	for _, c := range n.child {
		if c != nil {
			c.collect(to)
		}
	}
}

// extract returns the subtree of the leaves in keep, without the inner nodes
// that separate nothing any more; nil if there are none.
func (n *dnode) extract(keep func(q int32) bool) *dnode {
	if !n.inner() {
		if keep(n.state) {
			return n
		}
		return nil
	}
	r := &dnode{state: -1, suffix: n.suffix, temp: n.temp}
	var last *dnode
	parts := 0
	for v, c := range n.child {
		if c == nil {
			continue
		}
		if p := c.extract(keep); p != nil {
			r.attach(p, automata.Verdict(v))
			last = p
			parts++
		}
	}
	if parts < 2 {
		return last
	}
	return r
}

// contradict uses a block that no letter splits. For each letter the states
// of such a block go to one leaf or one block, so the automaton gives the
// block's discriminator one verdict from all of them. The block has states
// with different verdicts: for one at least the automaton is wrong.
func (l *ttt) contradict(block *dnode) error {
	for v, c := range block.child {
		if c == nil {
			continue
		}
		q := c.leaves(nil)[0].state
		states := len(l.access)
		run := []int32{q}
		for _, x := range block.suffix {
			n, err := l.advance(run[len(run)-1], x, true)
			if err != nil {
				return err
			}
			if len(l.access) > states {
				return nil // sifting found a new state: that will do
			}
			run = append(run, n.state)
		}
		if l.out[run[len(run)-1]] != automata.Verdict(v) {
			return l.split(run, block.suffix)
		}
	}
	panic("learn.TTT: a block neither splits nor contradicts")
}

// split adds a state because the states that word leads to from run[0] are
// wrong about its last verdict.
func (l *ttt) split(run []int32, word []int) error {
	i, err := l.breakpoint(word, func(i int) []int { return l.access[run[i]] })
	if err != nil {
		return err
	}
	found, suffix := extend(l.access[run[i]], word[i]), word[i+1:]
	leaf := l.leaf[run[i+1]]
	old, err := l.member(l.access[leaf.state], suffix)
	if err != nil {
		return err
	}
	new, err := l.member(found, suffix)
	if err != nil {
		return err
	}
	temp := &dnode{state: -1, suffix: suffix, temp: true}
	for i, n := range l.to {
		if n == leaf {
			l.to[i] = temp
		}
	}
	leaf.parent.attach(temp, leaf.label)
	temp.attach(leaf, old)
	l.span[int(run[i])*l.letters+word[i]] = int32(len(l.access))
	_, err = l.addState(found, temp, new)
	return err
}

// hypothesis returns the automaton. There are no blocks.
func (l *ttt) hypothesis() *automata.DFA {
	h := &automata.DFA{Letters: l.letters, Next: make([]int32, len(l.to)), Out: append([]automata.Verdict(nil), l.out...)}
	for q := range int32(len(l.access)) {
		for x := range l.letters {
			h.Next[int(q)*l.letters+x] = l.target(q, x).state
		}
	}
	return h
}
