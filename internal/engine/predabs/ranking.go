// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/term"
)

// A Ranking shows that a call of a method errs in some run if a condition holds.
type Ranking struct {
	When *term.Term           // over the state and the parameters at the entry
	Inv  map[int][]*term.Term // by head: the conjuncts of its invariant
	Rank map[int][]*term.Term // by head: the ranking function, of equal length and sorts
}

// UnrolledOrRanked is unrolled, with the runs that rankings know of. Their condition alone stands for those that it covers.
func (m *Abstraction) UnrolledOrRanked(sum *explore.Summary, errs bool) Unrolling {
	u := m.Unrolled(sum, errs)
	if !errs || len(m.Rankings[sum]) == 0 {
		return u
	}
	var any []*term.Term
	for _, r := range m.Rankings[sum] {
		any = append(any, r.When)
	}
	if !m.Covered[sum] {
		any = append(any, u.Cond)
	}
	u.Cond = m.Pool.Or(any...)
	return u
}
