// SPDX-License-Identifier: Apache-2.0

package typestate

import "iter"

// A Cell is what an interface says of a call in a state.
type Cell struct {
	Call    Call
	Verdict Verdict
	// Edges are where the call leads, in the order of its outcomes; none if it is forbidden or never returns.
	Edges []Edge
	// Forbidden is set for a forbidden call, Reason for an unknown one.
	Forbidden *Forbidden
	Reason    string
	// Impossible says that the call cannot be made in the state.
	Impossible bool
}

// Walk lists the states with their cells, in the order of the file.
func (i *Interface) Walk() iter.Seq2[State, iter.Seq[Cell]] {
	return func(yield func(State, iter.Seq[Cell]) bool) {
		x := newIndex(i)
		for n, st := range i.States {
			cells := func(yield func(Cell) bool) {
				for k, c := range i.Calls {
					at := cell{n, k}
					r := x.result(at)
					out := Cell{Call: c, Verdict: r.Verdict, Edges: x.edges[at], Forbidden: r.Forbidden, Impossible: x.unmade[at]}
					if r.Verdict == VerdictUnknown && !out.Impossible {
						out.Reason = r.Reason
					}
					if !yield(out) {
						return
					}
				}
			}
			if !yield(st, cells) {
				return
			}
		}
	}
}
