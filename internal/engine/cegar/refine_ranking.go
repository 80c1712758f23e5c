// SPDX-License-Identifier: Apache-2.0

package cegar

import (
	"context"
)

// byRanking finds a ranking of the loops of the call. It applies if the call has loops, and as long as the part of the budget for rankings lasts. It
// makes progress because the call errs under the condition of the ranking, under which none said so.
type byRanking struct{ rankings *rankings }

func (r byRanking) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.errs(ctx, r.rankings.abs)
	if err != nil {
		return false, "", err
	}
	found, err := r.rankings.rankConflict(ctx, k.formula, run)
	return found, "", err
}
