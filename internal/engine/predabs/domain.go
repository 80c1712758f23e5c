// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// domain is what a method says of the guess of an edge, and of those that are made right after it, alone: guesses
// has the choices by edge. Guesses that are made after other ways have joined, or in the next round of a loop, are
// made also where the first one is not, and are not among them.
func (m *Abstraction) domain(method *prog.Method, edge int, guesses map[int]*term.Term) *term.Term {
	values := map[*term.Term]*term.Term{method.Edges[edge].Vars[0].Term: guesses[edge]}
	all, joined := m.Pool.True(), false
	for at, n := method.Edges[edge].To, 0; n < method.Locs; n++ {
		next, ways := -1, 0
		for i := range method.Edges {
			if method.Edges[i].To == at {
				ways++
			}
			if method.Edges[i].From == at {
				if next >= 0 {
					return all
				}
				next = i
			}
		}
		joined = joined || ways > 1
		if next < 0 {
			return all
		}
		e := &method.Edges[next]
		switch {
		case e.Kind == prog.HavocEdge && guesses[next] != nil && !joined:
			values[e.Vars[0].Term] = guesses[next]
		case e.Kind == prog.AssumeEdge && !slices.ContainsFunc(term.FreeVars(e.Exprs[0]), func(v *term.Term) bool { return values[v] == nil }):
			all = m.Pool.And(all, m.Pool.Substitute(e.Exprs[0], values))
		default:
			return all
		}
		at = e.To
	}
	return all
}

// guessedWith returns guesses, with others that what is known of them speaks of, and what is known of all.
func (m *Abstraction) guessedWith(guesses []*term.Term) ([]*term.Term, *term.Term) {
	guesses, domain := slices.Clone(guesses), m.Pool.True()
	for k := 0; k < len(guesses); k++ {
		known := m.guessed[guesses[k]]
		domain = m.Pool.And(domain, known)
		for _, v := range term.FreeVars(known) {
			if !slices.Contains(guesses, v) {
				guesses = append(guesses, v)
			}
		}
	}
	return guesses, domain
}
