// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"context"
	"slices"
)

// mustPlainly asks whether a call that does not return must err.
func (m *Abstraction) mustPlainly(ctx context.Context, a int32, call int, e *PartEffect) error {
	before := m.Before(a, call)
	never, err := m.isNeverMade(ctx, call, before, e)
	if err != nil {
		return err
	}
	e.Never, e.MustErr = never, never
	if len(e.Errs) > 0 && !slices.ContainsFunc(e.May, func(list []Valuation) bool { return len(list) > 0 }) {
		e.MustErr, err = m.Must(ctx, a, before, m.UnrolledOrRanked(m.Calls[call].Sum, true).Cond)
	}
	return err
}
