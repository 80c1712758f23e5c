// SPDX-License-Identifier: Apache-2.0

package explicit

// This file is the abstraction-refinement engine of Beyer, Henzinger, Singh
// (CAV 2007, algorithms 4 and 5): hide all boolean variables, build the
// existential abstraction, and while the abstraction both errs and does not err
// on some word, reveal variables that the spurious one of the two traces needs.
// A boolean variable is a bit of a state variable.
//
// Differences from the paper: the abstraction is over reachable states only;
// the concrete component may have environment and hidden choices as long as it
// is visibly deterministic (every word errs in all its runs or in none), so
// traces are compared with sets of concrete states; determinization is the
// subset construction, not an arbitrary choice; and when the error verdicts are
// settled a second phase goes on until the abstraction also knows exactly which
// results can happen, so that the table is the one of the other engines.

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/problem"
)

// Hide computes the table by revealing bits of the state.
func Hide(ctx context.Context, p *problem.Problem, st problem.Stats) (*Table, error) {
	c, err := p.Explore(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.Explore(ctx); err != nil {
		return nil, err
	}
	h := &hiding{c: c, p: p, bits: c.Bits(), k: newKnowledge(c, p.Budget)}
	h.visible = make([]bool, len(h.bits))
	h.visible[0] = true // constructed or not is no secret
	h.abstract()
	p.Report("abstract states", len(h.members))
	for _, check := range []func(context.Context) (*trace, error){h.checkSafe, h.checkTight} {
		for {
			trace, err := check(ctx)
			if err != nil {
				return nil, err
			}
			if trace == nil {
				break
			}
			st["refinements"]++
			if err := h.getNewVars(ctx, trace); err != nil {
				return nil, err
			}
			h.abstract()
			p.Report("abstract states", len(h.members))
		}
	}
	d, err := h.determinize(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range h.visible[1:] {
		if v {
			st["visibleBits"]++
		}
	}
	st["hiddenBits"] = int64(len(h.bits)-1) - st["visibleBits"]
	st["componentStates"] = int64(c.Visited())
	st["abstractStates"] = int64(len(h.members))
	st["checkedPairs"] = int64(h.pairs)
	return &Table{c, automata.Minimize(d)}, nil
}

// hiding is the state of the algorithm: the visible bits Y and the abstract
// component P[Y].
type hiding struct {
	c       *explore.Component
	p       *problem.Problem
	k       *knowledge
	bits    []explore.Bit
	visible []bool

	of      []int32   // concrete state -> abstract state
	members [][]int32 // abstract state -> concrete states
	edges   [][]explore.Edge
	initial []int32
	errs    []bool // by abstract state and call: some member errs
	quiet   []bool // by abstract state and call: some member need not
	pairs   int
	work    int // steps so far, of all iterations
}

// abstract computes P[Y].
func (h *hiding) abstract() {
	n := h.c.States()
	var keep []explore.Bit
	for i, b := range h.bits {
		if h.visible[i] {
			keep = append(keep, b)
		}
	}
	var count int
	h.of, count = h.c.Project(keep)
	h.members = make([][]int32, count)
	h.edges = make([][]explore.Edge, count)
	ncalls := len(h.c.Calls)
	h.errs, h.quiet = make([]bool, count*ncalls), make([]bool, count*ncalls)
	errs, quiet := make([]bool, ncalls), make([]bool, ncalls)
	for s := range n {
		a := h.of[s]
		h.status(int32(s), errs, quiet)
		for call := range ncalls {
			// Only calls that can be made: constructors or methods.
			if h.c.Constructed(int32(s)) != h.c.Calls[call].Constructor {
				at := int(a)*ncalls + call
				h.errs[at] = h.errs[at] || errs[call]
				h.quiet[at] = h.quiet[at] || quiet[call]
			}
		}
		h.members[a] = append(h.members[a], int32(s))
		h.work += len(h.c.Edges(int32(s)))
		for _, e := range h.c.Edges(int32(s)) {
			if e.Letter < 0 {
				e.To = 0
			} else {
				e.To = h.of[e.To]
			}
			h.edges[a] = append(h.edges[a], e)
		}
		// Keep the lists short while they grow.
		if len(h.edges[a]) > 4096 {
			h.edges[a] = sortedEdges(h.edges[a])
		}
	}
	for a := range h.edges {
		h.edges[a] = sortedEdges(h.edges[a])
	}
	h.initial = h.initial[:0]
	for _, s := range h.c.Initial {
		h.initial = append(h.initial, h.of[s])
	}
	slices.Sort(h.initial)
	h.initial = slices.Compact(h.initial)
}

func sortedEdges(edges []explore.Edge) []explore.Edge {
	slices.SortFunc(edges, func(a, b explore.Edge) int {
		if a.Letter != b.Letter {
			return int(a.Letter) - int(b.Letter)
		}
		return int(a.To) - int(b.To)
	})
	return slices.Compact(edges)
}

// A trace is a sequence of abstract states t_0 .. t_n under letters, and what
// the last one does with a call.
type trace struct {
	states  []int32
	letters []int
	end     ending
	call    int // of erring and quiet ends
}

type ending uint8

const (
	endLetter ending = iota // nothing: the last letter itself is in question
	endErring               // a run of the call errs
	endQuiet                // a run of the call does not err
)

// status tells for each call whether some run errs in a state, and whether
// some run does not: it returns, or no run errs at all.
func (h *hiding) status(s int32, errs, quiet []bool) {
	for i := range errs {
		errs[i], quiet[i] = false, true
	}
	edges := h.c.Edges(s)
	for _, e := range edges {
		if e.Letter < 0 {
			errs[^e.Letter], quiet[^e.Letter] = true, false
		}
	}
	for _, e := range edges {
		if e.Letter >= 0 {
			quiet[h.c.Letters[e.Letter].Call] = true
		}
	}
}

// checkSafe searches the product of the abstract component with its errorless
// part for a word on which one trace errs and another does not, and returns
// the one that is spurious; nil if there is no such word.
func (h *hiding) checkSafe(ctx context.Context) (*trace, error) {
	type pair struct{ a, q int32 } // the erring side, the errorless side
	type from struct {
		prev   int
		letter int
	}
	var nodes []pair
	var how []from
	seen := map[pair]bool{}
	add := func(p pair, f from) {
		h.work++
		if !seen[p] {
			seen[p] = true
			nodes = append(nodes, p)
			how = append(how, f)
		}
	}
	for _, a := range h.initial {
		for _, q := range h.initial {
			add(pair{a, q}, from{-1, -1})
		}
	}
	ncalls := len(h.c.Calls)
	for i := 0; i < len(nodes); i++ {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		h.pairs++
		p := nodes[i]
		for call := range ncalls {
			if !h.errs[int(p.a)*ncalls+call] || !h.quiet[int(p.q)*ncalls+call] {
				continue
			}
			// The word to here, then call: p.a errs, p.q need not.
			var word []int
			left, right := []int32{}, []int32{}
			for j := i; j >= 0; j = how[j].prev {
				left, right = append(left, nodes[j].a), append(right, nodes[j].q)
				if how[j].letter >= 0 {
					word = append(word, how[j].letter)
				}
			}
			slices.Reverse(word)
			slices.Reverse(left)
			slices.Reverse(right)
			return h.findSpuriousTrace(ctx, word, call, &trace{left, word, endErring, call}, &trace{right, word, endQuiet, call})
		}
		qi := h.edges[p.q]
		for _, e := range h.edges[p.a] {
			if e.Letter < 0 {
				continue
			}
			k, _ := slices.BinarySearchFunc(qi, e.Letter, func(f explore.Edge, x int32) int { return int(f.Letter) - int(x) })
			for ; k < len(qi) && qi[k].Letter == e.Letter; k++ {
				add(pair{e.To, qi[k].To}, from{i, int(e.Letter)})
			}
			if h.work > h.p.Budget {
				return nil, &explore.BudgetError{What: "steps on abstract states", Limit: h.p.Budget}
			}
		}
	}
	return nil, nil
}

// concrete returns the sets of concrete states along a word. It ends early,
// with a shorter list, where the word stops being possible and legal.
func (h *hiding) concrete(ctx context.Context, word []int) ([]int32, error) {
	set := h.k.start
	sets := []int32{set}
	for _, x := range word {
		row, err := h.k.row(ctx, set)
		if err != nil {
			return nil, err
		}
		if row[x] < 0 {
			return sets, nil
		}
		set = row[x]
		sets = append(sets, set)
	}
	return sets, nil
}

// findSpuriousTrace decides which of the two abstract traces of the word the
// component does not have. It refuses a component that has both.
func (h *hiding) findSpuriousTrace(ctx context.Context, word []int, call int, erring, errorless *trace) (*trace, error) {
	sets, err := h.concrete(ctx, word)
	if err != nil {
		return nil, err
	}
	short := len(sets) <= len(word) // the component does not have the word
	if short {
		call, word = h.c.Letters[word[len(sets)-1]].Call, word[:len(sets)-1]
	}
	someErr, someQuiet := false, false
	errs, quiet := make([]bool, len(h.c.Calls)), make([]bool, len(h.c.Calls))
	for _, s := range h.k.sets.Set(sets[len(sets)-1]) {
		h.status(s, errs, quiet)
		someErr = someErr || errs[call]
		someQuiet = someQuiet || quiet[call]
	}
	switch {
	case someErr && someQuiet:
		return nil, h.notVisible(word, call)
	case short: // both traces go; the erring one is removed
		return erring, nil
	case someErr:
		return errorless, nil
	}
	return erring, nil
}

func (h *hiding) notVisible(word []int, call int) error {
	var b strings.Builder
	for _, x := range word {
		b.WriteString(LetterText(h.c, x))
		b.WriteByte(' ')
	}
	b.WriteString(h.c.Calls[call].Method.Name)
	return &problem.Refusal{Engine: "hide", Reason: fmt.Sprintf("the component is not visibly deterministic: %q errs in some runs and returns in others", b.String())}
}

// getNewVars reveals variables that remove the trace: it follows the component
// along the word to the first step that the trace takes and the component does
// not, and separates the states that are really there from those that cause
// the step.
func (h *hiding) getNewVars(ctx context.Context, t *trace) error {
	sets, err := h.concrete(ctx, t.letters)
	if err != nil {
		return err
	}
	for i := 0; i < len(t.states); i++ {
		if i >= len(sets) {
			return fmt.Errorf("internal error: hide: the trace follows the component further than it goes")
		}
		// The concrete states on the trace so far that project to t_i.
		good := h.projectTo(sets, t, i)
		if len(good) == 0 {
			return fmt.Errorf("internal error: hide: the component left the trace before step %d", i)
		}
		last := i == len(t.states)-1
		if last && t.end == endLetter {
			return fmt.Errorf("internal error: hide: the trace is not spurious")
		}
		errs, quiet := make([]bool, len(h.c.Calls)), make([]bool, len(h.c.Calls))
		causes := func(s int32) bool {
			if last {
				h.status(s, errs, quiet)
				return t.end == endErring && errs[t.call] || t.end == endQuiet && quiet[t.call]
			}
			for _, e := range h.c.Edges(s) {
				if e.Letter == int32(t.letters[i]) && h.of[e.To] == t.states[i+1] {
					return true
				}
			}
			return false
		}
		stuck := true
		for _, s := range good {
			if causes(s) {
				stuck = false
				break
			}
		}
		if last && !stuck {
			return fmt.Errorf("internal error: hide: the trace is not spurious")
		}
		if !stuck {
			continue
		}
		var bad []int32
		for _, s := range h.members[t.states[i]] {
			if causes(s) {
				bad = append(bad, s)
			}
		}
		return h.splitState(good, bad)
	}
	return fmt.Errorf("internal error: hide: nothing to separate")
}

// projectTo returns the concrete states that runs along the first i letters of
// the trace, staying on its abstract states, can be in.
func (h *hiding) projectTo(sets []int32, t *trace, i int) []int32 {
	var cur []int32
	for _, s := range h.k.sets.Set(sets[0]) {
		if h.of[s] == t.states[0] {
			cur = append(cur, s)
		}
	}
	for j := range i {
		var next []int32
		for _, s := range cur {
			for _, e := range h.c.Edges(s) {
				if e.Letter == int32(t.letters[j]) && h.of[e.To] == t.states[j+1] {
					next = append(next, e.To)
				}
			}
		}
		slices.Sort(next)
		cur = slices.Compact(next)
	}
	return cur
}

// splitState reveals bits until no good state agrees with a bad one on the
// visible bits: each time the bit that separates most of the remaining pairs
// (the first of those). All states agree on the bits visible so far.
func (h *hiding) splitState(good, bad []int32) error {
	type group struct{ good, bad []int32 }
	mixed := []group{{good, bad}}
	for len(mixed) > 0 {
		best, most := -1, 0
		for i, b := range h.bits {
			if h.visible[i] {
				continue
			}
			separated := 0
			for _, g := range mixed {
				g1, b1 := h.count(g.good, b), h.count(g.bad, b)
				separated += g1*(len(g.bad)-b1) + (len(g.good)-g1)*b1
			}
			if separated > most {
				best, most = i, separated
			}
		}
		if best < 0 {
			return fmt.Errorf("internal error: hide: two equal states behave differently")
		}
		h.visible[best] = true
		var left []group
		for _, g := range mixed {
			var part [2]group
			for _, s := range g.good {
				k := h.bit(s, best)
				part[k].good = append(part[k].good, s)
			}
			for _, s := range g.bad {
				k := h.bit(s, best)
				part[k].bad = append(part[k].bad, s)
			}
			for _, p := range part {
				if len(p.good) > 0 && len(p.bad) > 0 {
					left = append(left, p)
				}
			}
		}
		mixed = left
	}
	return nil
}

func (h *hiding) bit(s int32, i int) int {
	if h.c.Bit(s, h.bits[i]) {
		return 1
	}
	return 0
}

func (h *hiding) count(states []int32, b explore.Bit) int {
	n := 0
	for _, s := range states {
		if h.c.Bit(s, b) {
			n++
		}
	}
	return n
}

// determinize is the subset construction on the abstract component.
func (h *hiding) determinize(ctx context.Context) (*automata.DFA, error) {
	var sets automata.Sets
	sets.ID(h.initial)
	letters := len(h.c.Letters)
	d := &automata.DFA{Letters: letters}
	for from := 0; from < sets.Len(); from++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if sets.Len() > h.p.Budget {
			return nil, &explore.BudgetError{What: "sets of abstract states", Limit: h.p.Budget}
		}
		row := make([]int32, letters)
		for i := range row {
			row[i] = Impossible
		}
		var edges []explore.Edge
		for _, a := range sets.Set(int32(from)) {
			edges = append(edges, h.edges[a]...)
		}
		edges = sortedEdges(edges)
		for x, next := range byLetter(edges) {
			if x < 0 {
				for _, y := range h.c.Calls[^x].Letters {
					row[y] = Rejected
				}
			} else if row[x] != Rejected {
				row[x] = sets.ID(next)
			}
		}
		d.Next = append(d.Next, row...)
	}
	return withSinks(d, sets.Len()), nil
}

// byLetter lists the targets of sorted edges by their letters.
func byLetter(edges []explore.Edge) iter.Seq2[int32, []int32] {
	return func(yield func(int32, []int32) bool) {
		for j := 0; j < len(edges); {
			x := edges[j].Letter
			var next []int32
			for ; j < len(edges) && edges[j].Letter == x; j++ {
				next = append(next, edges[j].To)
			}
			if !yield(x, next) {
				return
			}
		}
	}
}
