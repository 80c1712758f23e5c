// SPDX-License-Identifier: Apache-2.0

package explicit

// This file merges the results and arguments of a table that make no difference
// (see build.go). The rule is that of doc/format.md, "Canonical form"; engines that
// know no single arguments come to the same classes from above (cegar/merge.go).

import (
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// merge makes the calls and outcomes of all methods: first the outcomes, for each argument
// by itself, then the calls.
func (b *builder) merge() {
	for first := 0; first < len(b.c.Calls); {
		n := first + 1
		for n < len(b.c.Calls) && b.c.Calls[n].Method == b.c.Calls[first].Method {
			n++
		}
		outcomes := b.mergeResults(first, n)
		b.nameOutcomes(b.c.Calls[first].Method, b.c.Calls[first], outcomes)
		b.mergeArguments(first, n, outcomes)
		first = n
	}
}

// mergeArguments merges argument classes of a method: two classes belong to
// one call if in every state both are forbidden or both allowed, and no outcome
// leads them to different states. First fit in the order of the classes.
func (b *builder) mergeArguments(first, end int, outcomes []outcome) {
	own := len(b.calls)
	for part := first; part < end; part++ {
		pc := &b.c.Calls[part]
		var column [][]int32
		for _, s := range b.sources(pc.Constructor) {
			row := make([]int32, len(outcomes))
			for o := range row {
				row[o] = b.target(s, pc, outcomes[o])
			}
			column = append(column, row)
		}
		k := slices.IndexFunc(b.calls[own:], func(k *call) bool { return Mergeable(k.target, column) })
		if k < 0 {
			b.calls = append(b.calls, &call{method: pc.Method, constructor: pc.Constructor, parts: []int{part}, target: column, outcomes: outcomes})
			continue
		}
		MergeInto(b.calls[own+k].target, column)
		b.calls[own+k].parts = append(b.calls[own+k].parts, part)
	}
}

// target is where an outcome of a call leads.
func (b *builder) target(s int32, pc *explore.Call, o outcome) int32 {
	to := Impossible
	for _, r := range o.results {
		if x := b.result(s, pc.Letters[r]); x != Impossible {
			to = x
		}
	}
	if len(o.results) == 0 && len(pc.Letters) > 0 && b.result(s, pc.Letters[0]) == Rejected {
		return Rejected
	}
	return to
}

// Mergeable reports whether two columns contradict each other nowhere.
func Mergeable(a, b [][]int32) bool {
	for i := range a {
		for j := range a[i] {
			x, y := a[i][j], b[i][j]
			if x != y && (x == Rejected || y == Rejected || x != Impossible && y != Impossible) {
				return false
			}
		}
	}
	return true
}

// MergeInto puts the rows of b where those of a are impossible.
func MergeInto(a, b [][]int32) {
	for i := range a {
		for j := range a[i] {
			if a[i][j] == Impossible {
				a[i][j] = b[i][j]
			}
		}
	}
}

// mergeResults makes the outcomes of the method whose argument classes are first to
// end. Tuples that differ in a bool or an enum are different outcomes; others are
// merged, first fit in their order, where no argument in no state leads them to
// different states. Results of different arguments are not compared: where the
// argument decides, the call has several guards and not several outcomes.
func (b *builder) mergeResults(first, end int) []outcome {
	method, letters := b.c.Calls[first].Method, b.c.Calls[first].Letters
	var outcomes []outcome
	var columns [][][]int32 // of an outcome: argument classes x states
	for r := range letters {
		column := make([][]int32, end-first)
		happens := false
		for k := range column {
			pc := &b.c.Calls[first+k]
			for _, s := range b.sources(pc.Constructor) {
				to := b.result(s, pc.Letters[r])
				column[k] = append(column[k], to)
				happens = happens || to >= 0
			}
		}
		if !happens && !small(method) {
			continue // an integer that is never returned by a legal call
		}
		results := b.c.Letters[letters[r]].Results
		at := slices.IndexFunc(outcomes, func(o outcome) bool { return sameVisible(method, results, b.c.Letters[letters[o.results[0]]].Results) })
		for ; at >= 0 && at < len(outcomes); at++ {
			if sameVisible(method, results, b.c.Letters[letters[outcomes[at].results[0]]].Results) && Mergeable(columns[at], column) {
				break
			}
		}
		if at < 0 || at == len(outcomes) {
			outcomes, columns = append(outcomes, outcome{results: []int{r}}), append(columns, column)
			continue
		}
		MergeInto(columns[at], column)
		outcomes[at].results = append(outcomes[at].results, r)
	}
	if len(outcomes) == 0 {
		return []outcome{{}} // a method that never returns legally still has its outcome
	}
	return outcomes
}

// small reports whether every result of m is a bool or an enum.
func small(m *prog.Method) bool {
	for _, r := range m.Results {
		if r.Type.Sort.Kind == term.BitVecKind {
			return false
		}
	}
	return true
}

func sameVisible(m *prog.Method, a, b []uint64) bool {
	for i, r := range m.Results {
		if r.Type.Sort.Kind != term.BitVecKind && a[i] != b[i] {
			return false
		}
	}
	return true
}

// nameOutcomes names the outcomes: the value of each bool and enum, "_" for
// integers of one class, a condition on the integers where they are split.
func (b *builder) nameOutcomes(m *prog.Method, part explore.Call, outcomes []outcome) {
	if len(m.Results) == 0 {
		outcomes[0].name = "return"
		return
	}
	tuple := func(r int) []uint64 { return b.c.Letters[part.Letters[r]].Results }
	var ints []*prog.Var
	for _, r := range m.Results {
		if r.Type.Sort.Kind == term.BitVecKind {
			ints = append(ints, r)
		}
	}
	for o := range outcomes {
		if len(outcomes[o].results) == 0 {
			outcomes[o].name = "return"
			continue
		}
		me := tuple(outcomes[o].results[0])
		// The outcomes that differ from this one only in integers.
		var points [][]uint64
		var member []bool
		siblings := 0
		for p := range outcomes {
			if !sameVisible(m, me, tuple(outcomes[p].results[0])) {
				continue
			}
			siblings++
			for _, r := range outcomes[p].results {
				var pt []uint64
				for i, v := range m.Results {
					if v.Type.Sort.Kind == term.BitVecKind {
						pt = append(pt, tuple(r)[i])
					}
				}
				points = append(points, pt)
				member = append(member, p == o)
			}
		}
		var parts []string
		allOne := true
		for i, v := range m.Results {
			if v.Type.Sort.Kind == term.BitVecKind {
				parts = append(parts, "_")
			} else {
				parts = append(parts, describe.FormatValue(v.Type, me[i]))
				allOne = false
			}
		}
		name := parts[0]
		if len(parts) > 1 {
			name = "(" + strings.Join(parts, ", ") + ")"
		}
		if allOne {
			name = "return"
		}
		if siblings > 1 {
			var text string
			if len(ints) == 1 && len(outcomes[o].results) == 1 {
				text = describe.FormatValue(ints[0].Type, points[slices.Index(member, true)][0])
			} else {
				text = describe.Describe(b.c.Prog, ints, nil, points, member)
			}
			name = describe.OutcomeText(name, m, text)
		}
		outcomes[o].name = name
	}
}
