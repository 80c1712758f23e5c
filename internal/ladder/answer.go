// SPDX-License-Identifier: Apache-2.0

package ladder

// This file compares the interfaces of programs of the same Go type, each of which
// may leave something open.

import "github.com/interlock-go/interlock/typestate"

// An answer is the interface of a program. If it is not sure of everything, forget
// leaves only what it is sure of.
type answer struct {
	i       *typestate.Interface
	partial bool // the engine left cells undecided
	sure    bool
	forget  func()
}

// better reports whether an answer is at least as good as that of a program which
// keeps less: if more is decided along words.
func (a answer) better(b answer) bool { return decision(a.i) >= decision(b.i) }

// proved reports whether the judge has checked what an interface says of all cells that
// are not unknown.
func proved(i *typestate.Interface) bool {
	g := i.Guarantees
	return g.Safe == typestate.GuaranteeProved && (g.Permissive == typestate.GuaranteeProved || g.Permissive == typestate.GuaranteeOpen)
}

// decision says how much an interface decides along words: of all words of some
// length, each call and each outcome counting as much as any other, the part up to
// the first call that is not decided, or up to a forbidden one, which ends it. What
// may fail in a program that is not sure is not decided, nor is what is not proved. Numbers of cells do not
// say that: a program that keeps more tells more states apart, and some of them are
// hardly ever met.
func decision(i *typestate.Interface) int64 {
	if i.Guarantees.Safe != "proved" {
		return 0
	}
	type cell struct {
		state int
		call  string
	}
	next := map[cell][]int{}
	for _, e := range i.Edges {
		if i.States[e.To].Label == "false" {
			continue // it does not happen
		}
		n := 1
		if e.Outcome == "*" {
			for _, c := range i.Calls {
				if c.ID == e.Call {
					n = len(c.Outcomes)
				}
			}
		}
		for range n {
			next[cell{e.From, e.Call}] = append(next[cell{e.From, e.Call}], e.To)
		}
	}
	fails := map[cell]bool{}
	open := map[cell]bool{}
	for _, f := range i.Forbidden {
		c := cell{f.State, f.Call}
		if f.Verdict == "may-fail" {
			open[c] = true
		} else {
			fails[c] = true
		}
	}
	for _, u := range i.Unknown {
		open[cell{u.State, u.Call}] = true
	}
	// Of words of n calls, in shares of certainty.
	worth := make([]int64, len(i.States))
	for range decisionDepth {
		now := make([]int64, len(i.States))
		for s := range i.States {
			var sum int64
			for _, k := range i.Calls {
				c := cell{s, k.ID}
				switch to := next[c]; {
				case open[c]:
				case fails[c] || len(to) == 0:
					sum += certainty
				default:
					var after int64
					for _, t := range to {
						after += worth[t]
					}
					sum += certainty/decisionDepth + after/int64(len(to))*(decisionDepth-1)/decisionDepth
				}
			}
			now[s] = sum / int64(max(1, len(i.Calls)))
		}
		worth = now
	}
	var all int64
	n := 0
	for _, k := range i.Constructors {
		n++
		switch {
		case k.Verdict == "fails":
			all += certainty
		case k.Verdict == "allowed" && k.State != nil:
			all += worth[*k.State]
		}
	}
	return all / int64(max(1, n))
}

// doubts counts the cells that are not decided. After a constructor that is not
// decided there are no cells at all, so it counts for more than all of a state.
func doubts(i *typestate.Interface) int {
	n := len(i.Unknown)
	for _, k := range i.Constructors {
		if k.Verdict == "may-fail" || k.Verdict == "unknown" {
			n += 1 + len(i.Calls)
		}
	}
	for _, f := range i.Forbidden {
		if f.Verdict == "may-fail" {
			n++
		}
	}
	return n
}
