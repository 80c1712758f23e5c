// SPDX-License-Identifier: Apache-2.0

package main

// This file asks JIST's questions: the examples of its paper with the
// predicates given there, beside the counts of the paper's Table 1. The tools
// do not learn the same letters (the paper's membership queries are about
// words of calls with results already assumed) and cache differently, so that
// only the order of magnitude can be compared.

import (
	"context"
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
)

type jistRow struct {
	name, source string
	unaided      string // the source for cegar
	predicates   []string
	// The paper's membership, subset and superset queries and what it says of
	// permissiveness.
	membership, subset, superset int
	claims                       string
}

func jistRows() []jistRow {
	const signature = `component Signature
state phase int32 = 0
method initSign() { phase = 2 }
method initVerify() { phase = 3 }
method sign() { if phase != 2 { error "not for signing" } }
method verify() { if phase != 3 { error "not for verifying" } }
method update() { if phase != 2 && phase != 3 { error "not initialized" } }
`
	const entry = `component ServerTableEntry
state phase int32 = 1
method activate() { phase = 2 }
method register() { if phase != 2 { error "INTERNAL" } }
method registerPorts() { if phase == 2 { phase = 3 } }
method install() { if phase != 3 { error "INTERNAL" } }
method uninstall() { if phase != 3 { error "INTERNAL" }; phase = 0 }
method holdDown() { phase = 4 }
`
	// For cegar, which is given no predicates, the list is left out as it is in
	// the paper's description.
	const plain = `component ListItr
state cursor int32 = 0, lastRet int32 = -1, expectedModCount int32 = 0
method next() (ok bool) {
	if cursor == -1 { return false }
	lastRet = cursor
	cursor++
	return true
}
method previous() (ok bool) {
	var i int32 = cursor - 1
	if i == -1 { return false }
	cursor, lastRet = i, i
	return true
}
method remove() {
	if lastRet == -1 { error "illegal state" }
	if lastRet < cursor { cursor-- }
	lastRet = -1
	expectedModCount++
}
method set() { if lastRet == -1 { error "illegal state" } }
method add() { cursor++; lastRet = -1; expectedModCount++ }
`
	// For the predicates given the list is walked to the element, a loop between the test of the cursor
	// and the assignment to lastRet: there only predicates carry over, as they
	// do between any two statements in the paper.
	const list = `component ListItr
state cursor int32 = 0, lastRet int32 = -1, expectedModCount int32 = 0
method next() (ok bool) {
	if cursor == -1 { return false }
	var i int32 = 0
	while i < cursor { i++ }
	lastRet = cursor
	cursor++
	return true
}
method previous() (ok bool) {
	cursor--
	if cursor == -1 { cursor++; return false }
	var i int32 = 0
	while i < cursor { i++ }
	lastRet = cursor
	return true
}
method remove() {
	if lastRet == -1 { error "illegal state" }
	if lastRet < cursor { cursor-- }
	lastRet = -1
	expectedModCount++
}
method set() { if lastRet == -1 { error "illegal state" } }
method add() { cursor++; lastRet = -1; expectedModCount++ }
`
	const piped = `component PipedOutputStream
state sink int32 = 0
method connect() { sink = any; assume sink != 0 }
method write() { if sink == 0 { error "null pointer" } }
method flush() { }
method close() { }
`
	phases := func(n ...int) (list []string) {
		for _, k := range n {
			list = append(list, fmt.Sprintf("phase == %d", k))
		}
		return list
	}
	items := []string{"lastRet == -1", "cursor == -1", "expectedModCount == 0"}
	return []jistRow{
		{"Signature", signature, signature, phases(0, 2, 3), 83, 3, 3, "most permissive"},
		{"ServerTableEntry", entry, entry, phases(0, 1, 2, 3, 4), 53, 3, 3, "most permissive"},
		{"ListItr", list, plain, items[:1], 35, 1, 1, "-"},
		{"ListItr", list, plain, items[:2], 288, 5, 2, "most permissive"},
		{"ListItr", list, plain, items, 288, 5, 2, "most permissive"},
		{"PipedOutputStream", piped, piped, []string{"sink == 0"}, 64, 2, 2, "-"},
	}
}

func (b *bench) jistTable(ctx context.Context) error {
	fmt.Fprintf(b.out, "(c) JIST: membership/subset/superset queries, predicates given, at 32 bits\n\n")
	var rows []string
	for _, r := range jistRows() {
		cells := []string{r.name, fmt.Sprint(len(r.predicates)), fmt.Sprintf("%d/%d/%d", r.membership, r.subset, r.superset), r.claims}
		for _, learner := range explicit.Learners() {
			for _, superset := range []string{"exact", "onestep"} {
				if superset == "onestep" && learner.Name != "lstar" {
					continue
				}
				p, err := prog.Parse(r.name+".open", []byte(r.source), prog.Options{})
				if err != nil {
					return err
				}
				i, err := engine.Synthesize(ctx, problem.Problem{Program: p, Engine: "abstract", Learner: learner.Name, Superset: superset, Predicates: r.predicates,
					Solver: func() solve.Solver { return bv.New(bv.Options{Conflicts: 100_000}) }})
				if err != nil {
					return fmt.Errorf("%s: %w", r.name, err)
				}
				cells = append(cells, fmt.Sprintf("%d/%d/%d", i.Stats["membershipQueries"], i.Stats["subsetQueries"], i.Stats["supersetQueries"]))
				if learner.Name == "lstar" && superset == "exact" {
					claim := "proved permissive"
					if i.Guarantees.Permissive != "proved" {
						claim = "-"
						if len(i.Approximations) > 0 {
							claim = i.Approximations[0].What
						}
					}
					cells = append(cells, claim)
				}
			}
		}
		c, err := measure(ctx, r.name+".open", r.unaided, 0, false)
		if err != nil {
			return err
		}
		cells = append(cells, fmt.Sprintf("%d", c.predicates), fmt.Sprintf("%d", c.questions))
		rows = append(rows, strings.Join(cells, "\t")+"\t")
	}
	return b.table("component\tpredicates\tpaper\tpaper says\tL*\there\tL*, one step\tTTT\tL#\tcegar: predicates\tquestions\t", rows)
}
