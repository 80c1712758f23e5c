// SPDX-License-Identifier: Apache-2.0

package learn

// This file compares the cache with a map of all words, in which refinement
// rewrites every word in all ways.

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/automata"
)

type naive struct {
	closed  bool
	letters int
	answer  map[string]automata.Verdict
}

func (n *naive) find(name string) (automata.Verdict, bool) {
	for i := 0; n.closed && i < len(name); i++ {
		if v, ok := n.answer[name[:i]]; ok && absorbing(v) {
			return v, true
		}
	}
	v, ok := n.answer[name]
	if ok {
		return v, true
	}
	for longer, v := range n.answer {
		if n.closed && v == automata.Accept && len(longer) > len(name) && longer[:len(name)] == name {
			return v, true
		}
	}
	return automata.Unknown, false
}

func (n *naive) refine(letter, parts int) {
	old := n.answer
	n.answer = map[string]automata.Verdict{}
	for name, v := range old {
		if v == automata.Unknown {
			continue
		}
		words := [][]byte{nil}
		for _, x := range []byte(name) {
			var longer [][]byte
			for _, w := range words {
				switch {
				case int(x) < letter:
					longer = append(longer, append(w[:len(w):len(w)], x))
				case int(x) > letter:
					longer = append(longer, append(w[:len(w):len(w)], x+byte(parts)-1))
				default:
					for p := range parts {
						longer = append(longer, append(w[:len(w):len(w)], x+byte(p)))
					}
				}
			}
			words = longer
		}
		for _, w := range words {
			n.answer[string(w)] = v
		}
	}
	n.letters += parts - 1
}

// counting is a machine that notes whether it was asked.
type counting struct {
	target *automata.DFA
	asked  bool
}

func (c *counting) Member(_ context.Context, word []int) (Answer, error) {
	c.asked = true
	return Answer{Verdict: c.target.Out[c.target.Run(word)]}, nil
}

func (c *counting) Refute(context.Context, *automata.DFA) (Counterexample, bool, error) {
	c.asked = true
	return Counterexample{}, false, nil
}

func TestCache(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		letters := 1 + r.IntN(3)
		closed := seed%2 == 0
		d := random(r, 1+r.IntN(5), letters, automata.Accept, automata.Reject, automata.Unknown, automata.Impossible)
		if closed {
			d = closedRandom4(r, 1+r.IntN(5), letters)
		}
		teacher := &counting{target: d}
		cache := NewCache(letters, teacher)
		if closed {
			cache.PrefixClosed()
		}
		model := &naive{closed, letters, map[string]automata.Verdict{}}
		for range 40 {
			switch r.IntN(10) {
			case 0:
				if letters < 6 {
					letter, parts := r.IntN(letters), 2+r.IntN(2)
					cache.Refine(letter, parts)
					model.refine(letter, parts)
					teacher.target = duplicate(teacher.target, letter, parts)
					letters = teacher.target.Letters
				}
			case 1:
				h := random(r, 1+r.IntN(3), letters, automata.Accept, automata.Reject)
				teacher.asked = false
				cex, ok, err := cache.Refute(t.Context(), h)
				if err != nil || ok == teacher.asked {
					t.Fatalf("seed %d: ok=%v, teacher asked: %v, error %v", seed, ok, teacher.asked, err)
				}
				shortest := -1
				for name, v := range model.answer {
					word := make([]int, len(name))
					for i := range name {
						word[i] = int(name[i])
					}
					first := len(word)
					if closed && v == automata.Accept {
						first = 0 // all prefixes are accepted
					}
					for n := first; n <= len(word); n++ {
						if h.Out[h.Run(word[:n])] != v && (shortest < 0 || n < shortest) {
							shortest = n
						}
					}
				}
				if ok != (shortest >= 0) || ok && len(cex.Word) != shortest {
					t.Fatalf("seed %d: counterexample %v %v, shortest has %d letters", seed, cex.Word, ok, shortest)
				}
				if ok {
					if v, known := model.find(key(cex.Word)); !known || v == h.Out[h.Run(cex.Word)] {
						t.Fatalf("seed %d: counterexample %v is none", seed, cex.Word)
					}
				}
			default:
				word := make([]int, r.IntN(5))
				for i := range word {
					word[i] = r.IntN(letters)
				}
				want, known := model.find(key(word))
				if !known {
					want = teacher.target.Out[teacher.target.Run(word)]
					model.answer[key(word)] = want
				}
				teacher.asked = false
				kept := slices.Clone(word)
				a, err := cache.Member(t.Context(), word)
				if err != nil || a.Verdict != want || teacher.asked == known || !slices.Equal(word, kept) {
					t.Fatalf("seed %d: word %v: %v (asked: %v), want %v (known: %v)", seed, word, a.Verdict, teacher.asked, want, known)
				}
			}
		}
	}
}

// TestCacheLatePromise promises prefix-closure to a cache that has answers.
func TestCacheLatePromise(t *testing.T) {
	d := closedRandom4(rand.New(rand.NewPCG(4, 4)), 6, 3)
	for _, l := range Learners() {
		m := newMachine(d, 30, false)
		cache := NewCache(3, m)
		if _, err := l.Run(t.Context(), 3, cache, Options{}); err != nil {
			t.Fatal(err)
		}
		asked := m.stats.Queries
		m.closed = true // from here on
		res, err := l.Run(t.Context(), 3, cache, Options{PrefixClosed: true})
		if err != nil || m.fault != nil {
			t.Fatal(err, m.fault)
		}
		if !automata.Equal(res.DFA, automata.Minimize(d)) {
			t.Fatalf("%s: learned %v", l.Name, res.DFA)
		}
		if again := m.stats.Queries - asked; again*4 > asked {
			t.Errorf("%s: asked %d, then %d", l.Name, asked, again)
		}
	}
}

func TestCachePanics(t *testing.T) {
	for _, c := range [][2]int{{-1, 2}, {3, 2}, {0, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Refine(%d, %d) of 3 letters: no panic", c[0], c[1])
				}
			}()
			NewCache(3, nil).Refine(c[0], c[1])
		}()
	}
}
