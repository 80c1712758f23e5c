// SPDX-License-Identifier: Apache-2.0

package cegar

import (
	"context"

	"github.com/interlock-go/interlock/internal/engine/loops"
)

// byRanking finds a ranking of the loops of the call. It applies if the call has loops, and as long as the part of the budget for rankings lasts. It
// makes progress because the call errs under the condition of the ranking, under which none said so.
type byRanking struct{ rankings *loops.Rankings }

// Refine implements Refiner.
func (r byRanking) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.errs(ctx, r.rankings.Abs)
	if err != nil {
		return false, "", err
	}
	found, err := r.rankings.Find(ctx, k.formula, run)
	return found, "", err
}
