// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// This file explores pairs of abstract states and judges calls in them.
//
// A PAIR (U, L): U is the set of abstract states that may be current after a
// word; L is a family of sets, each known to contain a current one, minimal
// sets only. U itself is always a member: a word that can happen has a current
// state, and it lies in U. On a letter, U steps by what may happen; a member of L
// steps to the union of what must happen from its states, and is dropped if one
// of them has nothing certain. A call is allowed if no state of U may err, and
// forbidden if all states of some member of L must. Otherwise the call is not decided in the pair: the abstraction is refined there, for the
// shortest word to it.

// A Pair is a state of the determinized abstraction.
type Pair struct {
	U      int32   // number of a set
	L      []int32 // numbers of sets: an antichain, sorted
	Parent int32
	Letter int // by which it was first reached; -1 at the start
}

// The verdict of a call in a pair.
type Verdict struct {
	Verdict typestate.Verdict
	Reason  string // of unknown
	Sites   []*prog.ErrorSite
	Ends    bool // rests on the convention that loops end
}

// A Graph is the pairs of an abstraction.
type Graph struct {
	Abs      *predabs.Abstraction
	Sets     automata.Sets
	Pairs    []Pair
	index    map[string]int32
	Next     [][]int32 // by pair and letter: pair, impossible, or rejected
	Verdicts [][]Verdict
	Stale    bool // the predicates or classes are not those of the pairs
}

// New is the graph of an abstraction, of which no pair is known yet.
func New(m *predabs.Abstraction) *Graph { return &Graph{Abs: m, Stale: true} }

// Word returns the letters of the shortest word to a pair, as (call, outcome).
func (g *Graph) Word(at int32) [][2]int {
	var w [][2]int
	for p := g.Pairs[at]; p.Parent >= 0; p = g.Pairs[p.Parent] {
		w = append(w, g.Abs.CallOf(p.Letter))
	}
	slices.Reverse(w)
	return w
}

// Key names a pair and a call by the classes of the word to it, which are never used again
// for others.
func (g *Graph) Key(pair int32, call int) string {
	var ids []int
	for _, x := range g.Word(pair) {
		call := &g.Abs.Calls[x[0]]
		ids = append(ids, call.Class, call.Outcomes[x[1]].Id)
	}
	return fmt.Sprint(ids, g.Abs.Calls[call].Class)
}

// Restart forgets all pairs but the first, and what the predicates say.
func (g *Graph) Restart() {
	g.Abs.Reset()
	g.Stale = false
	g.Sets = automata.Sets{}
	g.Pairs, g.Next, g.Verdicts = nil, nil, nil
	g.index = map[string]int32{}
	start := g.Sets.ID([]int32{0})
	g.add(Pair{U: start, L: []int32{start}, Parent: -1, Letter: -1})
}

func (g *Graph) add(p Pair) int32 {
	var key []byte
	key = binary.LittleEndian.AppendUint32(key, uint32(p.U))
	for _, s := range p.L {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	id, ok := g.index[string(key)]
	if !ok {
		id = int32(len(g.Pairs))
		g.index[string(key)] = id
		g.Pairs = append(g.Pairs, p)
	}
	return id
}

// Judge gives the verdict of a call in a pair; unknown is a conflict.
func (g *Graph) Judge(ctx context.Context, at int32, call int) (Verdict, error) {
	var v Verdict
	p := g.Pairs[at]
	mayReturn := false
	for _, a := range g.Sets.Set(p.U) {
		e, err := g.Abs.Effect(ctx, a, call)
		if err != nil {
			return v, err
		}
		mayReturn = mayReturn || e.Returns()
		for _, s := range e.MayErr {
			if !slices.Contains(v.Sites, s) {
				v.Sites = append(v.Sites, s)
			}
		}
	}
	if len(v.Sites) == 0 {
		v.Verdict = typestate.VerdictAllowed
		return v, nil
	}
	for _, set := range p.L {
		all := true
		for _, a := range g.Sets.Set(set) {
			e, err := g.Abs.Effect(ctx, a, call)
			if err != nil {
				return v, err
			}
			all = all && e.MustErr
		}
		if all {
			v.Verdict = typestate.VerdictFails
			if mayReturn {
				v.Verdict = typestate.VerdictMayFail
			}
			return v, nil
		}
	}
	return v, nil
}

// Successor returns the pair after a call with an outcome.
func (g *Graph) Successor(ctx context.Context, at int32, call, o int) (int32, error) {
	p := g.Pairs[at]
	var u []int32
	for _, a := range g.Sets.Set(p.U) {
		e, err := g.Abs.Effect(ctx, a, call)
		if err != nil {
			return 0, err
		}
		u = append(u, e.May[o]...)
	}
	slices.Sort(u)
	u = slices.Compact(u)
	if len(u) == 0 {
		return explicit.Impossible, nil
	}
	ids, err := g.Family(ctx, u, p.L, call, o, g.Abs.Effect)
	if err != nil {
		return 0, err
	}
	return g.add(Pair{U: g.Sets.ID(u), L: ids, Parent: at, Letter: g.Abs.Calls[call].Letter + o}), nil
}

// Family returns the sets each of which has a current state after a call with an outcome, if
// those of l had before: u is what may be current after it.
func (g *Graph) Family(ctx context.Context, u, l []int32, call, o int, effect func(ctx context.Context, a int32, call int) (*predabs.Effect, error)) ([]int32, error) {
	family := [][]int32{u}
	for _, set := range l {
		combos := [][]int32{{}}
		for _, a := range g.Sets.Set(set) {
			e, err := effect(ctx, a, call)
			if err != nil {
				return nil, err
			}
			var next [][]int32
			for _, have := range combos {
				for _, t := range e.Must[o] {
					if len(next) < maxCombinations {
						next = append(next, append(slices.Clone(have), t...))
					}
				}
			}
			combos = next
		}
		for _, s := range combos {
			if len(s) == 0 {
				continue // the call is not made in any of these states
			}
			slices.Sort(s)
			family = append(family, slices.Compact(s))
		}
	}
	var ids []int32
	for i, s := range family {
		minimal := true
		for j, t := range family {
			if i != j && explicit.Subset(t, s) && (len(t) < len(s) || j < i) {
				minimal = false
				break
			}
		}
		if minimal {
			ids = append(ids, g.Sets.ID(s))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// CannotBeMade reports whether no state that may be current in a pair satisfies the guard of a call, whatever the
// arguments. What is said of the call there does not matter.
func (g *Graph) CannotBeMade(pair int32, call int) bool {
	return !slices.ContainsFunc(g.Sets.Set(g.Pairs[pair].U), func(a int32) bool {
		e := g.Abs.Memo[[2]int32{a, int32(call)}]
		return e == nil || !e.Part.Never
	})
}
