// SPDX-License-Identifier: Apache-2.0

package lts

// This file composes systems in parallel. An action happens when all systems with it in
// their alphabet take part; hidden steps happen alone. The composition errs where one
// of them does, whatever the others do.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Compose builds the part of the composition that is reachable, up to so many states.
func Compose(ctx context.Context, name string, budget int, parts ...*System) (*System, error) {
	c := newComposition(parts)
	b := NewBuilder(c.alphabet...)
	start, errs := c.start()
	if errs {
		return b.System(name, Error), nil
	}
	number := map[string]int32{key(start): 0}
	queue := [][]int32{start}
	for at := 0; at < len(queue); at++ {
		if at%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		full := false
		c.Successors(queue[at], func(action int32, to []int32) {
			if to == nil {
				b.Fail(int32(at), action, c.Why(queue[at], action))
				return
			}
			k := key(to)
			n, ok := number[k]
			if !ok {
				if len(queue) >= budget {
					full = true
					return
				}
				n = int32(len(queue))
				number[k], queue = n, append(queue, slices.Clone(to))
			}
			b.Edge(int32(at), action, n)
		})
		if full {
			return nil, &BudgetError{fmt.Sprintf("the composition %s", name), budget}
		}
	}
	return b.System(name, 0), nil
}

// key packs a vector of states into a string.
func key(v []int32) string {
	b := make([]byte, 0, 4*len(v))
	for _, s := range v {
		b = append(b, byte(s), byte(s>>8), byte(s>>16), byte(s>>24))
	}
	return string(b)
}

// A Composition makes successors of vectors of states, without building them all.
type Composition struct {
	parts    []*System
	alphabet []string
	members  [][]member // by action
	local    [][]int32  // by part: action of the part to action of the composition
}

// A member is a part that takes part in an action, which it knows by another index.
type member struct {
	part   int
	action int32
}

// NewComposition prepares the composition of systems.
func NewComposition(parts ...*System) *Composition { return newComposition(parts) }

// Alphabet is the union of the alphabets, sorted.
func (c *Composition) Alphabet() []string { return c.alphabet }

func newComposition(parts []*System) *Composition {
	c := &Composition{parts: parts}
	for _, p := range parts {
		c.alphabet = append(c.alphabet, p.Alphabet...)
	}
	slices.Sort(c.alphabet)
	c.alphabet = slices.Compact(c.alphabet)
	c.members = make([][]member, len(c.alphabet))
	for k, p := range parts {
		c.local = append(c.local, make([]int32, len(p.Alphabet)))
		for a, name := range p.Alphabet {
			g, _ := slices.BinarySearch(c.alphabet, name)
			c.local[k][a] = int32(g)
			c.members[g] = append(c.members[g], member{k, int32(a)})
		}
	}
	return c
}

// Start is the vector of initial states; errs: a part starts in Error.
func (c *Composition) Start() (v []int32, errs bool) { return c.start() }

func (c *Composition) start() (v []int32, errs bool) {
	for _, p := range c.parts {
		v = append(v, p.Initial)
		errs = errs || p.Initial == Error
	}
	return v, errs
}

// Why says why an action leads a composed state to the error: the least of the reasons of the
// parts, or the name of a part that gives none.
func (c *Composition) Why(v []int32, action int32) string {
	least := ""
	for k, p := range c.parts {
		own := Hidden
		if action != Hidden {
			a, ok := p.Action(c.alphabet[action])
			if !ok {
				continue
			}
			own = a
		}
		if row := p.row(v[k], own); len(row) > 0 && row[0].To == Error { // sorted: the error comes first
			reason := cmp.Or(p.Why(v[k], own), p.Name+" is in ERROR")
			if least == "" || reason < least {
				least = reason
			}
		}
	}
	return least
}

// row is the edges of a state by one action.
func (s *System) row(state, action int32) []Edge {
	all := s.Edges(state)
	lo, _ := slices.BinarySearchFunc(all, action, func(e Edge, a int32) int { return int(e.Action - a) })
	hi := lo
	for hi < len(all) && all[hi].Action == action {
		hi++
	}
	return all[lo:hi]
}

// Successors calls f for each step from a vector: with the action and the vector behind it,
// which f must copy if it keeps it, or nil for Error.
func (c *Composition) Successors(v []int32, f func(action int32, to []int32)) {
	to := slices.Clone(v)
	for k, p := range c.parts {
		last := Hidden
		for _, e := range p.Edges(v[k]) {
			if e.Action == Hidden {
				if e.To == Error {
					f(Hidden, nil)
					continue
				}
				to[k] = e.To
				f(Hidden, to)
				to[k] = v[k]
				continue
			}
			if e.Action == last {
				continue // the product below has all edges of an action
			}
			last = e.Action
			g := c.local[k][e.Action]
			if c.members[g][0].part == k { // the first part of an action looks for the others
				c.joint(v, to, g, 0, false, f)
			}
		}
	}
}

// joint goes through the edges of one action in all parts that take part, from part
// number at on.
func (c *Composition) joint(v, to []int32, g int32, at int, errs bool, f func(action int32, to []int32)) {
	if at == len(c.members[g]) {
		if errs {
			f(g, nil)
		} else {
			f(g, to)
		}
		return
	}
	m := c.members[g][at]
	for _, e := range c.parts[m.part].row(v[m.part], m.action) {
		if e.To != Error {
			to[m.part] = e.To
		}
		c.joint(v, to, g, at+1, errs || e.To == Error, f)
	}
	to[m.part] = v[m.part]
}
