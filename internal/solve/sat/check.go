// SPDX-License-Identifier: Apache-2.0

package sat

// This file checks proofs forward: a clause is accepted if assuming its
// complement and propagating units ends in a conflict (reverse unit propagation,
// Goldberg and Novikov 2003). It shares no code with the solver. Backward
// checking would skip unneeded lemmas, but could not run while the solver does.

import (
	"fmt"
	"slices"
)

// A Checker holds a formula and accepts only what follows from it. It is a
// [ProofWriter] and can check a solver as it runs: give it the same clauses by
// Input before the solver gets them.
//
// What follows at top level stays, even if the clause it came from is deleted.
type Checker struct {
	clauses  []checked
	watching [][]int // by literal: clauses that watch it
	value    []bool  // by literal: is it true
	index    map[string][]int
	trail    []Lit
	refuted  bool // the formula has no model
	steps    int
	err      error
}

type checked struct {
	lits []Lit // the first two are watched; nil if deleted
}

// NewChecker returns a checker of the empty formula.
func NewChecker() *Checker {
	return &Checker{index: map[string][]int{}}
}

// grow makes room for the variables of lits.
func (c *Checker) grow(lits []Lit) {
	for _, l := range lits {
		for int(l|1) >= len(c.value) {
			c.value = append(c.value, false, false)
			c.watching = append(c.watching, nil, nil)
		}
	}
}

// Err returns why the first bad step was rejected, or nil.
func (c *Checker) Err() error { return c.err }

// Input adds a clause without asking for a reason.
func (c *Checker) Input(lits []Lit) { c.attach(lits) }

// Add adds a clause that must follow by unit propagation.
func (c *Checker) Add(lits []Lit) {
	c.steps++
	if c.err == nil && !c.Implied(lits) {
		c.err = fmt.Errorf("sat: proof step %d: clause %v does not follow by unit propagation", c.steps, lits)
	}
	c.attach(lits)
}

// Delete removes a clause, which must be there.
func (c *Checker) Delete(lits []Lit) {
	c.steps++
	key := clauseKey(lits)
	ids := c.index[key]
	if len(ids) == 0 {
		if c.err == nil {
			c.err = fmt.Errorf("sat: proof step %d: no clause %v to delete", c.steps, lits)
		}
		return
	}
	c.clauses[ids[len(ids)-1]].lits = nil
	c.index[key] = ids[:len(ids)-1]
}

// Implied reports whether the clause follows by unit propagation from what the
// checker has accepted.
func (c *Checker) Implied(lits []Lit) bool {
	if c.refuted {
		return true
	}
	c.grow(lits)
	mark := len(c.trail)
	conflict := false
	for _, l := range lits {
		if c.value[l] {
			conflict = true
			break
		}
		c.set(l.Not())
	}
	conflict = conflict || !c.propagate(mark)
	for _, l := range c.trail[mark:] {
		c.value[l] = false
	}
	c.trail = c.trail[:mark]
	return conflict
}

func (c *Checker) set(l Lit) {
	if !c.value[l] {
		c.value[l] = true
		c.trail = append(c.trail, l)
	}
}

func (c *Checker) attach(lits []Lit) {
	c.grow(lits)
	id := len(c.clauses)
	key := clauseKey(lits)
	c.index[key] = append(c.index[key], id)
	own := slices.Clone(lits)
	slices.Sort(own)
	own = slices.Compact(own)
	// Literals that are not false go first, to be watched.
	free := 0
	for i, l := range own {
		if !c.value[l.Not()] {
			own[free], own[i] = own[i], own[free]
			free++
		}
	}
	c.clauses = append(c.clauses, checked{own})
	switch {
	case free == 0:
		c.refuted = true
	case free == 1:
		// Satisfied at top level from now on: no need to watch it.
		mark := len(c.trail)
		c.set(own[0])
		if !c.propagate(mark) {
			c.refuted = true
		}
	default:
		c.watching[own[0]] = append(c.watching[own[0]], id)
		c.watching[own[1]] = append(c.watching[own[1]], id)
	}
}

// propagate extends trail[from:] by unit propagation; false is a conflict.
func (c *Checker) propagate(from int) bool {
	for ; from < len(c.trail); from++ {
		gone := c.trail[from].Not()
		list := c.watching[gone]
		keep := list[:0]
		for i, id := range list {
			lits := c.clauses[id].lits
			if lits == nil {
				continue
			}
			if lits[0] == gone {
				lits[0], lits[1] = lits[1], lits[0]
			}
			moved := false
			if !c.value[lits[0]] {
				for k := 2; k < len(lits); k++ {
					if !c.value[lits[k].Not()] {
						lits[1], lits[k] = lits[k], lits[1]
						c.watching[lits[1]] = append(c.watching[lits[1]], id)
						moved = true
						break
					}
				}
			}
			if moved {
				continue
			}
			keep = append(keep, id)
			if c.value[lits[0].Not()] {
				keep = append(keep, list[i+1:]...)
				c.watching[gone] = keep
				return false
			}
			c.set(lits[0])
		}
		c.watching[gone] = keep
	}
	return true
}

func clauseKey(lits []Lit) string {
	sorted := slices.Clone(lits)
	slices.Sort(sorted)
	key := make([]byte, 0, 4*len(sorted))
	for _, l := range sorted {
		key = append(key, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	return string(key)
}

// CheckProof checks that the steps prove goal from the clauses: every added clause
// follows, every deleted one is there, and goal follows at the end. The empty
// goal says that the clauses have no model.
func CheckProof(clauses [][]Lit, steps []Step, goal []Lit) error {
	c := NewChecker()
	for _, lits := range clauses {
		c.Input(lits)
	}
	for _, st := range steps {
		if st.Delete {
			c.Delete(st.Lits)
		} else {
			c.Add(st.Lits)
		}
		if c.err != nil {
			return c.err
		}
	}
	if !c.Implied(goal) {
		return fmt.Errorf("sat: proof of %d steps: goal %v does not follow by unit propagation", c.steps, goal)
	}
	return nil
}
