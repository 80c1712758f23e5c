// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file merges the guarded calls and outcomes that symbolic learning told apart and
// that make no difference in the end, as cegar/merge.go does for predicate abstraction.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/cegar"
	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// merge makes one call of those whose verdicts and targets contradict each
// other nowhere, as mergeArguments does for finite components.
func (b *symBuilder) merge(r *automata.DFA, number []int, members [][]int32) {
	column := func(c *builtCall) [][]int32 {
		k := slices.Index(b.calls, c)
		var out [][]int32
		for s := range r.States() {
			if (s == 0) != b.teacher.calls[c.call].constructor || s != 0 && number[s] < 0 {
				continue
			}
			verdict, _, _, _ := b.cell(members[s], []int{k})
			row := []int32{int32(verdict)}
			if verdict.Forbidden() {
				row[0] = explicit.Rejected
			}
			for _, x := range c.letters {
				to := r.Step(int32(s), x)
				switch r.Out[to] {
				case automata.Accept:
				case automata.Reject:
					to = explicit.Rejected
				default:
					to = explicit.Impossible
				}
				row = append(row, to)
			}
			out = append(out, row)
		}
		return out
	}
	var kept []*builtCall
	columns := map[*builtCall][][]int32{}
	for _, c := range b.calls {
		columns[c] = column(c)
	}
	for _, c := range b.calls {
		n := slices.IndexFunc(kept, func(o *builtCall) bool {
			return o.call == c.call && len(o.letters) == len(c.letters) && explicit.Mergeable(columns[o], columns[c])
		})
		if n < 0 {
			kept = append(kept, c)
			continue
		}
		explicit.MergeInto(columns[kept[n]], columns[c])
		kept[n].parts, kept[n].merged = append(kept[n].parts, c.guard), append(kept[n].merged, c.merged...)
	}
	b.targets, b.kept = columns, kept
	for k := range b.teacher.calls {
		b.mergeOutcomes(slices.DeleteFunc(slices.Clone(kept), func(c *builtCall) bool { return c.call != k }))
	}
}

// resultOrder orders the outcomes of a call: by bools and enums, then by their first
// integers where these can be enumerated.
func (b *symBuilder) resultOrder(c *builtCall) []int {
	ints := describe.Integers(b.teacher.calls[c.call].sum.Method)
	points := describe.Enumerate(ints, cegar.Always, describe.MaxGuardTuples)
	outcome := func(o int) *seenOutcome { return &b.c.letters[c.letters[o]].outcome }
	var order []int
	for o := range c.letters {
		if slices.Contains(order, o) {
			continue
		}
		var same []int
		var conds []*term.Term
		for k := range c.letters {
			if outcome(k).name == outcome(o).name {
				same, conds = append(same, k), append(conds, outcome(k).ints)
			}
		}
		for _, n := range cegar.FirstOrder(points, ints, conds) {
			order = append(order, same[n])
		}
	}
	return order
}

// mergeOutcomes makes one outcome of those of a method that differ in integers
// only and lead to different states nowhere.
func (b *symBuilder) mergeOutcomes(calls []*builtCall) {
	if len(calls) == 0 {
		return
	}
	column := func(o int) [][]int32 {
		var out [][]int32
		for _, c := range calls {
			for _, row := range b.targets[c] {
				out = append(out, []int32{row[1+o]})
			}
		}
		return out
	}
	inexact := len(b.teacher.calls[calls[0].call].ints) > 0
	var kept [][]int
	var columns [][][]int32
	for _, o := range b.resultOrder(calls[0]) {
		x, col := calls[0].letters[o], column(o)
		if inexact && !slices.ContainsFunc(col, func(row []int32) bool { return row[0] >= 0 }) {
			continue // integers that are never returned by a legal call
		}
		n := slices.IndexFunc(kept, func(list []int) bool {
			same := b.c.letters[calls[0].letters[list[0]]].outcome.name == b.c.letters[x].outcome.name
			return same && explicit.Mergeable(columns[slices.IndexFunc(kept, func(l []int) bool { return l[0] == list[0] })], col)
		})
		if n < 0 {
			kept, columns = append(kept, []int{o}), append(columns, col)
			continue
		}
		kept[n] = append(kept[n], o)
		explicit.MergeInto(columns[n], col)
	}
	if len(kept) == 0 { // it never returns legally
		kept, columns = [][]int{nil}, [][][]int32{column(0)}
	}
	at := 0
	for _, c := range calls {
		c.outcomes = kept
		for s := range b.targets[c] {
			row := []int32{b.targets[c][s][0]}
			for n := range kept {
				row = append(row, columns[n][at][0])
			}
			b.targets[c][s] = row
			at++
		}
	}
}

// outcomeNames names the outcomes of a method: by values of bools and enums, and
// by conditions on integers where there are several.
func (b *symBuilder) outcomeNames(ctx context.Context, c *builtCall) ([]string, error) {
	m := b.teacher.calls[c.call].sum.Method
	var ints []*prog.Var
	for _, k := range b.teacher.calls[c.call].ints {
		ints = append(ints, m.Results[k])
	}
	base := func(n int) string {
		if len(c.outcomes[n]) == 0 {
			return "return"
		}
		return b.c.letters[c.letters[c.outcomes[n][0]]].outcome.name
	}
	out := make([]string, len(c.outcomes))
	for n := range c.outcomes {
		if out[n] != "" {
			continue
		}
		var same []int
		var conds []*term.Term
		for k := range c.outcomes {
			if base(k) != base(n) {
				continue
			}
			same = append(same, k)
			var parts []*term.Term
			for _, o := range c.outcomes[k] {
				parts = append(parts, b.c.letters[c.letters[o]].outcome.ints)
			}
			conds = append(conds, b.teacher.pool.Or(parts...))
		}
		if len(same) == 1 {
			out[n] = base(n)
			continue
		}
		printer := &describe.GuardPrinter{Prog: b.teacher.p.Program, Solver: b.teacher.solver, Vars: ints, Keep: func(*prog.Var) bool { return true }}
		texts, err := printer.Texts(ctx, conds)
		if err != nil {
			return nil, err
		}
		for i, k := range same {
			text := texts[i]
			if len(ints) == 1 {
				if v, ok, err := cegar.OnlyValue(ctx, b.teacher.pool, b.teacher.solver, ints[0], conds[i]); err != nil {
					return nil, err
				} else if ok {
					text = ints[0].Type.FormatValue(v)
				}
			}
			out[k] = describe.OutcomeText(base(k), m, text)
		}
	}
	return out, nil
}
