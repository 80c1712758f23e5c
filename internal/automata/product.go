// SPDX-License-Identifier: Apache-2.0

package automata

// This file combines automata by the product of their reachable states, numbered
// breadth-first, so that results are canonical (though not minimal).

// Product returns the automaton that gives each word combine(va, vb), where va
// and vb are its verdicts in a and b.
//
// It panics if a and b have different numbers of letters.
func Product(a, b *DFA, combine func(va, vb Verdict) Verdict) *DFA {
	sameLetters("Product", a, b)
	p := &DFA{Letters: a.Letters}
	q := pairQueue{}
	q.add(0, 0, -1, 0)
	for i := 0; i < len(q.nodes); i++ {
		s, t := q.nodes[i].s, q.nodes[i].t
		p.Out = append(p.Out, combine(a.Out[s], b.Out[t]))
		for x := range a.Letters {
			p.Next = append(p.Next, q.add(a.Step(s, x), b.Step(t, x), int32(i), x))
		}
	}
	return p
}

// Complement returns d with Accept and Reject exchanged.
func Complement(d *DFA) *DFA {
	c := &DFA{
		Letters: d.Letters,
		Next:    append([]int32{}, d.Next...),
		Out:     make([]Verdict, len(d.Out)),
	}
	for s, v := range d.Out {
		c.Out[s] = Not(v)
	}
	return c
}

// Intersection returns the automaton with the verdicts And(va, vb).
func Intersection(a, b *DFA) *DFA { return Product(a, b, And) }

// Union returns the automaton with the verdicts Or(va, vb).
func Union(a, b *DFA) *DFA { return Product(a, b, Or) }

// Not exchanges Accept and Reject and leaves Unknown and Impossible as they are.
func Not(v Verdict) Verdict {
	switch v {
	case Accept:
		return Reject
	case Reject:
		return Accept
	}
	return v
}

// And is Kleene's strong conjunction with Unknown in the middle. A word that is
// Impossible for one side cannot happen, whatever the other says.
func And(a, b Verdict) Verdict {
	switch {
	case a == Impossible || b == Impossible:
		return Impossible
	case a == Reject || b == Reject:
		return Reject
	case a == Accept && b == Accept:
		return Accept
	}
	return Unknown
}

// Or is Kleene's strong disjunction; Impossible as in [And].
func Or(a, b Verdict) Verdict { return Not(And(Not(a), Not(b))) }
