// SPDX-License-Identifier: Apache-2.0

package compat

// This file judges a product that has been walked: which pairs disagree, and by
// which shortest words. See conform.go for the definition.

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/typestate"
)

// missed computes the least fixpoint for what is worse than a verdict: missed[n] is the length of a
// shortest word from pair n that ends in a cell which is worse, or 0 if there is a reading by which there is none behind n. In
// round r the pairs are found for which this takes r calls, so each number is
// the least. step is the move that begins the word, -1 for a cell of the pair.
func (w *walker) missed(verdict Verdict) (missed, step []int) {
	missed, step = make([]int, len(w.nodes)), make([]int, len(w.nodes))
	for n := range w.nodes {
		step[n] = -1
		if slices.ContainsFunc(w.nodes[n].cells, func(c Cell) bool { return c.Verdict.worse() > verdict.worse() }) {
			missed[n] = 1
		}
	}
	for round, changed := 2, true; changed; round++ {
		changed = false
		for n := range w.nodes {
			if missed[n] > 0 {
				continue
			}
			for k, m := range w.nodes[n].moves {
				all := !m.free || verdict != Unknown // what cannot refute is worse than exact all the same
				for _, to := range m.to {
					all = all && missed[to] > 0 && missed[to] < round
				}
				if all {
					missed[n], step[n], changed = round, k, true
					break
				}
			}
		}
	}
	return missed, step
}

// reading is the best verdict that some reading of the outcomes which the protocol does not tell apart leads to, and what it has to
// avoid for that: the pairs behind which there is something worse.
func (w *walker) reading() (best Verdict, avoid, step []int) {
	for _, best := range []Verdict{Exact, Seen, Coarser, Unknown} {
		if avoid, step = w.missed(best); avoid[0] == 0 {
			return best, avoid, step
		}
	}
	return Wrong, avoid, step
}

// judge fills in the verdict, the cells and the shortest word.
func (w *walker) judge(r *Result) {
	best, avoid, step := w.reading()
	wrong := best == Wrong
	// Words lead to pairs breadth first. A pair that has to be avoided
	// is entered by no word: another outcome was seen.
	words := make([][]string, len(w.nodes))
	reached := make([]bool, len(w.nodes))
	reached[0] = true
	followed := map[Edge]bool{} // whether some pair follows it
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if n > 0 {
			r.Pairs++
		}
		for _, c := range w.nodes[n].cells {
			c.Word = append(slices.Clone(words[n]), move{call: c.Call, outcome: c.Outcome}.text())
			r.Cells = append(r.Cells, c)
		}
		for _, m := range w.nodes[n].moves {
			avoided := 0
			for k, to := range m.to {
				left := !wrong && avoid[to] > 0
				if e := (Edge{w.nodes[n].state, m.as, m.through[k]}); m.as != "" {
					followed[e] = followed[e] || !left
				}
				if left {
					avoided++
					continue
				}
				if !reached[to] {
					reached[to] = true
					words[to] = append(slices.Clone(words[n]), m.text())
					queue = append(queue, to)
				}
			}
			if avoided == len(m.to) { // a constructor that may be any, and agrees with none
				c := Cell{Verdict: Unknown, State: -1, Call: m.call, Protocol: "allowed", Interface: "unknown",
					Reason: "no constructor of the interface has this name, and none behaves like it", Word: []string{m.call}}
				r.Cells = append(r.Cells, c)
			} else if avoided > 0 && n > 0 {
				r.Notes = append(r.Notes, fmt.Sprintf("the protocol does not tell the outcomes of %s apart: only those that agree are followed", m.call))
			}
		}
	}
	for e, is := range followed {
		if !is {
			r.LeftOut = append(r.LeftOut, e)
		}
	}
	slices.SortFunc(r.LeftOut, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Call, b.Call), cmp.Compare(a.Outcome, b.Outcome))
	})
	slices.Sort(r.Notes)
	r.Notes = slices.Compact(r.Notes)
	if wrong {
		r.Shortest = w.refutation(avoid, step)
	}
	r.Verdict = Exact
	for _, c := range r.Cells {
		switch c.Verdict {
		case Exact:
			r.Counts.Agree++
		case Seen:
			r.Counts.Seen++
		case Coarser:
			r.Counts.Coarser++
		case Wrong:
			r.Counts.Wrong++
		default:
			r.Counts.Unknown++
		}
		// With wrong cells but nothing refuted there would be a contradiction:
		// a pair with a wrong cell is refuted and entered only if all is.
		if c.Verdict.worse() > r.Verdict.worse() {
			r.Verdict = c.Verdict
			if !wrong {
				r.Shortest = &c
			}
		}
	}
}

// refutation returns the wrong cell that a shortest word leads to. Where an
// outcome of the protocol may be several of the interface, it is the one that
// is refuted last: the others are refuted by words that are not longer.
func (w *walker) refutation(refuted, step []int) *Cell {
	var word []string
	n := 0
	for step[n] >= 0 {
		m := w.nodes[n].moves[step[n]]
		word = append(word, m.text())
		n = slices.MaxFunc(m.to, func(a, b int) int { return refuted[a] - refuted[b] })
	}
	k := slices.IndexFunc(w.nodes[n].cells, func(c Cell) bool { return c.Verdict == Wrong })
	c := w.nodes[n].cells[k]
	c.Word = append(word, move{call: c.Call, outcome: c.Outcome}.text())
	return &c
}

// describe adds what is not in cells: how names were matched, and the reasons
// against "exact" that concern the whole interface.
func (w *walker) describe(r *Result) {
	for _, s := range w.starts {
		m := Mapped{ID: s.invocation.name, Expr: s.constructor.Expr, Given: s.constructor.Given, To: s.possible}
		if len(m.To) == 0 {
			m.To, m.Why = []string{}, "no guard of the constructor holds for the arguments"
		}
		if !s.byName {
			m.Why = "no constructor of the interface has this name: any may be meant"
			r.Notes = append(r.Notes, fmt.Sprintf("no constructor of the interface is named like %s: any of its constructors may be meant", s.constructor.Expr))
		}
		r.Constructors = append(r.Constructors, m)
	}
	for k, m := range w.calls {
		to := Mapped{ID: m.call.ID, Expr: m.call.Expr, To: m.possible, Why: m.why}
		switch {
		case m.method == "":
			to.To = []string{}
			r.Reasons = append(r.Reasons, fmt.Sprintf("%s, %s: %s", m.call.ID, m.call.Expr, m.why))
		case len(m.possible) == 0:
			to.To, to.Why = []string{}, "no guard holds for the arguments"
		case len(m.possible) > 1:
			to.To = []string{m.possible[w.choice[k]]}
			r.Notes = append(r.Notes, fmt.Sprintf("the arguments of %s do not say which call it is: %s is chosen", m.call.Expr, to.To[0]))
		}
		r.Calls = append(r.Calls, to)
	}
	g := w.i.Guarantees
	why := ""
	if g.Reason != "" {
		why = "; " + g.Reason
	}
	if g.Safe != typestate.GuaranteeProved {
		r.Reasons = append(r.Reasons, "that the interface is safe is not proved: "+g.Safe+why)
	}
	// Where it is open, its unknown cells are judged one by one.
	if g.Permissive != typestate.GuaranteeProved && g.Permissive != typestate.GuaranteeOpen {
		r.Reasons = append(r.Reasons, "that the interface is permissive is not proved: "+g.Permissive+why)
	}
	if w.i.Component.Serial {
		r.Reasons = append(r.Reasons, "the interface is of the infinite-word reading")
	}
	slices.Sort(r.Notes)
	r.Notes = slices.Compact(r.Notes)
	if len(r.Reasons) > 0 && r.Verdict != Wrong {
		r.Verdict = Unknown
	}
}
