// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/words"
)

// This file finds abstract traces of words: to a state in which the call may err, and to one in which it need not.

// ErringTrace is an abstract trace of the word to a state in which the call
// may err; nil if there is none.
func (g *Graph) ErringTrace(ctx context.Context, call int, word [][2]int) ([]int32, error) {
	return g.TraceOf(ctx, word, func(a int32) (bool, error) {
		e, err := g.Abs.Effect(ctx, a, call)
		return err == nil && len(e.MayErr) > 0, err
	})
}

// QuietTrace is an abstract trace of the word to a state in which the call need not
// err, and how it ends then; nil if there is none.
func (g *Graph) QuietTrace(ctx context.Context, call int, word [][2]int) (trace []int32, end int, err error) {
	end = words.EndErrs
	trace, err = g.TraceOf(ctx, word, func(a int32) (bool, error) {
		e, err := g.Abs.Effect(ctx, a, call)
		if err != nil || e.MustErr || !e.Returns() && len(e.MayErr) == 0 {
			return false, err
		}
		if e.Returns() {
			end = words.EndReturns
		}
		return true, nil
	})
	return trace, end, err
}

// TraceOf returns an abstract trace of the word to a state of which last holds,
// or nil.
func (g *Graph) TraceOf(ctx context.Context, word [][2]int, last func(a int32) (bool, error)) ([]int32, error) {
	sets := [][]int32{{0}}
	for i, x := range word {
		var next []int32
		for _, a := range sets[i] {
			e, err := g.Abs.Effect(ctx, a, x[0])
			if err != nil {
				return nil, err
			}
			next = append(next, e.May[x[1]]...)
		}
		slices.Sort(next)
		sets = append(sets, slices.Compact(next))
	}
	n := len(word)
	for _, a := range sets[n] {
		ok, err := last(a)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		trace := make([]int32, n+1)
		trace[n] = a
		for i := n - 1; i >= 0; i-- {
			for _, b := range sets[i] {
				e, err := g.Abs.Effect(ctx, b, word[i][0])
				if err != nil {
					return nil, err
				}
				if slices.Contains(e.May[word[i][1]], trace[i+1]) {
					trace[i] = b
					break
				}
			}
		}
		return trace, nil
	}
	return nil, nil
}
