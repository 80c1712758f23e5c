// SPDX-License-Identifier: Apache-2.0

package typestate

// This file declares what was seen when a component was run. It is evidence of its own: it
// changes no verdict, and no guarantee speaks of it.

import (
	"cmp"
	"fmt"
	"slices"
)

// A Tested says how a component was run.
type Tested struct {
	Words int    `json:"words"` // that were run
	Depth int    `json:"depth"` // all words of so many calls after the constructor were, with the arguments in Tried
	Extra int    `json:"extra"` // states that the seen automaton may lack and was tested for
	Seed  uint64 `json:"seed"`  // of words by chance
	// Stopped says why not all tests were made; "" if they were.
	Stopped string  `json:"stopped,omitempty"`
	Tried   []Tried `json:"tried"`
}

// A Tried lists the arguments that a call, or a constructor, was made with.
type Tried struct {
	Call string   `json:"call"`
	With []string `json:"with"` // the call in code
}

// A Seen cell is an unknown or uncovered one in which the call was made.
type Seen struct {
	State   int    `json:"state"`
	Call    string `json:"call"`
	Verdict string `json:"verdict"` // "allowed": it never erred; "fails": always; "may-fail": in some words
	Words   int    `json:"words"`   // different ones that made the call in the state
	Erred   int    `json:"erred"`   // those in which it erred
	// Word is a shortest word that shows the verdict, in code, with what its calls returned but for the last; Did is
	// what that did.
	Word []string `json:"word"`
	Did  string   `json:"did"`
}

// SeenVerdict is the verdict of a call that erred in some of the words that made it.
func SeenVerdict(words, erred int) Verdict {
	switch {
	case words <= 0:
		return VerdictUnknown
	case erred == 0:
		return VerdictAllowed
	case erred == words:
		return VerdictFails
	}
	return VerdictMayFail
}

// SeenIn returns what was seen of a call in a state; ok is false if nothing was.
func (i *Interface) SeenIn(state int, call string) (s Seen, ok bool) {
	for _, s := range i.Seen {
		if s.State == state && s.Call == call {
			return s, true
		}
	}
	return Seen{}, false
}

// Unseen counts the unknown cells of which nothing was seen, constructors included. Those of states
// that no run got to are not counted, if the component was run: they stand for outcomes that were not seen.
func (i *Interface) Unseen() int {
	unseen, seen, begins := map[int]int{}, map[Impossible]bool{}, map[int]bool{}
	for _, s := range i.Seen {
		seen[Impossible{s.State, s.Call}] = true
	}
	for _, u := range i.Unknown {
		if !seen[Impossible{u.State, u.Call}] {
			unseen[u.State]++
		}
	}
	for _, c := range i.Constructors {
		if c.State != nil {
			begins[*c.State] = true
		}
	}
	n := i.OpenCells().Unknown - len(i.Unknown)
	for state, k := range unseen {
		if i.Tested == nil || begins[state] || k < len(i.Calls) {
			n += k
		}
	}
	return n
}

// seen checks the seen cells.
func (p *problems) seen() {
	if t := p.Tested; t != nil {
		if t.Words < 0 || t.Depth < 0 || t.Extra < 0 {
			p.add("tested: words, depth and extra are not negative")
		}
		for k, r := range t.Tried {
			if r.Call == "" || len(r.With) == 0 {
				p.add("tested.tried[%d]: no call, or nothing that it was made with", k)
			}
		}
	} else if len(p.Seen) > 0 {
		p.add("seen: there are cells, but tested does not say how the component was run")
	}
	open := map[Impossible]bool{}
	for _, u := range p.Unknown {
		open[Impossible{u.State, u.Call}] = true
	}
	for _, u := range p.Uncovered {
		if p.Verdict(u.State, u.Call) == VerdictAllowed {
			open[Impossible{u.State, u.Call}] = true
		}
	}
	told := map[Impossible]bool{}
	for k, s := range p.Seen {
		where := fmt.Sprintf("seen[%d]", k)
		at := Impossible{s.State, s.Call}
		switch {
		case !open[at]:
			p.add("%s: %s in state %d is neither unknown nor uncovered", where, s.Call, s.State)
		case told[at]:
			p.add("%s: %s in state %d is seen twice", where, s.Call, s.State)
		case s.Words < 1 || s.Erred < 0 || s.Erred > s.Words:
			p.add("%s: %d of %d words erred", where, s.Erred, s.Words)
		case s.Verdict != SeenVerdict(s.Words, s.Erred).String():
			p.add("%s: verdict %q, but %d of %d words erred", where, s.Verdict, s.Erred, s.Words)
		case len(s.Word) == 0 || s.Did == "":
			p.add("%s: no word, or not what its last call did", where)
		}
		told[at] = true
	}
}

// cloneTested copies how a component was run.
func cloneTested(t *Tested) *Tested {
	c := pointer(t)
	if c != nil {
		c.Tried = list(c.Tried)
		for k := range c.Tried {
			c.Tried[k].With = list(c.Tried[k].With)
		}
	}
	return c
}

// cloneSeen copies seen cells.
func cloneSeen(cells []Seen) []Seen {
	c := optional(cells)
	for k := range c {
		c[k].Word = list(c[k].Word)
	}
	return c
}

// renumberSeen gives states and calls their canonical names, and drops cells of states that are gone.
func (i *Interface) renumberSeen(renumber func(state *int, call *string) bool, calls, constructors map[string]string, compare func(a, b Seen) int) {
	kept := i.Seen[:0]
	for _, s := range i.Seen {
		if renumber(&s.State, &s.Call) {
			kept = append(kept, s)
		}
	}
	i.Seen = optional(kept)
	slices.SortStableFunc(i.Seen, compare)
	if i.Tested == nil {
		return
	}
	for k, t := range i.Tested.Tried {
		i.Tested.Tried[k].Call = cmp.Or(calls[t.Call], constructors[t.Call], t.Call)
	}
	slices.SortStableFunc(i.Tested.Tried, func(a, b Tried) int { return cmp.Compare(a.Call, b.Call) })
}
