// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/interlock-go/interlock/internal/model/compose"
	"github.com/interlock-go/interlock/internal/model/lts"
)

// directBudget bounds the composed system that is searched to compare.
const directBudget = 500_000

// measure verifies a chain of n cells by pieces and directly; direct is 0 beyond the budget.
func measure(ctx context.Context, n int, try bool) (pieces, direct int, err error) {
	components, property, err := cells(n)
	if err != nil {
		return 0, 0, err
	}
	r, err := compose.Verify(ctx, compose.System{Components: components, Properties: []*lts.System{property}})
	if err != nil {
		return 0, 0, err
	}
	if r.Violation != nil {
		return 0, 0, fmt.Errorf("the chain of %d cells violates its property: %v", n, r.Violation.Trace)
	}
	if !try {
		return r.States, 0, nil
	}
	s, err := compose.Check(ctx, components, nil, []*lts.System{property}, directBudget)
	var budget *lts.BudgetError
	if errors.As(err, &budget) {
		return r.States, 0, nil
	}
	return r.States, s.States, err
}

func chain(ctx context.Context, out io.Writer, largest int) error {
	try := true
	lastPieces, lastDirect := 0, 0
	for n := 2; n <= largest; n++ {
		pieces, direct, err := measure(ctx, n, try)
		if err != nil {
			return err
		}
		try = direct > 0
		text := fmt.Sprintf("> %d", directBudget)
		if direct > 0 {
			text = growth(direct, lastDirect)
		}
		fmt.Fprintf(out, "  %4d   %-15s   %s\n", n, growth(pieces, lastPieces), text)
		lastPieces, lastDirect = pieces, direct
	}
	return nil
}

func growth(n, last int) string {
	if last == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (x %.2f)", n, float64(n)/float64(last))
}
