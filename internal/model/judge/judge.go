// SPDX-License-Identifier: Apache-2.0

package judge

// This file poses the questions and follows pairs of states.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/typestate"
)

// An Answer is yes, no, or unknown, the zero value.
type Answer uint8

const (
	Unknown Answer = iota
	Yes
	No
)

func (a Answer) String() string { return [...]string{"unknown", "yes", "no"}[a] }

// A Finding is an answer. A No has a counterexample: visible calls, and a trace with that
// projection if there is one, in which hidden actions stand in parentheses.
type Finding struct {
	Answer
	Word  []string
	Trace []string
	Why   string
}

// A Report says what holds of an interface.
type Report struct {
	Safe Finding
	// Permissive is of words that can happen, Full of all words.
	Permissive, Full, Tight Finding
	// Cells is No if a call is said to fail and may return, or a witness is no erring trace.
	Cells Finding
}

// DefaultBudget bounds the pairs that are followed, about 100 bytes each.
const DefaultBudget = 20_000_000

// judge has the interface and the system in a form to search.
type judge struct {
	ctx     context.Context
	s       *lts.System
	budget  int
	calls   []string // visible actions, sorted
	visible []int    // by action of the system: index into calls, or -1
	// By state of the interface and call: where it leads; forbidden, or nowhere.
	next  [][]int
	fails map[[2]int]bool
	start int
}

const (
	forbidden = -1
	nowhere   = -2 // allowed, and cannot happen
	undecided = -3 // the interface does not say
)

// Judge compares an interface with a system. The actions of the system that are no calls of the
// interface are hidden.
func Judge(ctx context.Context, s *lts.System, i *typestate.Interface, budget int) (Report, error) {
	j, err := newJudge(ctx, s, i)
	if err != nil {
		return Report{}, err
	}
	if j.budget = budget; budget == 0 {
		j.budget = DefaultBudget
	}
	var r Report
	if r.Safe, r.Cells, err = j.safe(i); err != nil {
		return Report{}, err
	}
	if err := j.sets(&r); err != nil {
		return Report{}, err
	}
	if r.Cells.Answer == Yes {
		r.Cells = j.witnesses(i)
	}
	return r, nil
}

func newJudge(ctx context.Context, s *lts.System, i *typestate.Interface) (*judge, error) {
	j := &judge{ctx: ctx, s: s, fails: map[[2]int]bool{}, start: forbidden}
	index := map[string]int{}
	for _, c := range i.Calls {
		if c.Guard != "true" || len(c.Params) > 0 {
			return nil, fmt.Errorf("call %s has parameters; an action has none", c.ID)
		}
		index[c.ID] = -1
		j.calls = append(j.calls, strings.ReplaceAll(c.ID, "%23", "#"))
	}
	slices.Sort(j.calls)
	for id := range index {
		index[id], _ = slices.BinarySearch(j.calls, strings.ReplaceAll(id, "%23", "#"))
	}
	for _, a := range s.Alphabet {
		n, ok := slices.BinarySearch(j.calls, a)
		if !ok {
			n = -1
		}
		j.visible = append(j.visible, n)
	}
	j.next = make([][]int, len(i.States))
	for k := range j.next {
		j.next[k] = slices.Repeat([]int{nowhere}, len(j.calls))
	}
	targets := map[[2]int]int{}
	for _, e := range i.Edges {
		at := [2]int{e.From, index[e.Call]}
		if to, ok := targets[at]; ok && to != e.To || len(e.Update) > 0 {
			return nil, fmt.Errorf("%s leads from state %d to several states; expected an interface whose calls have one outcome", e.Call, e.From)
		}
		targets[at] = e.To
		j.next[e.From][at[1]] = e.To
	}
	for _, f := range i.Forbidden {
		j.next[f.State][index[f.Call]] = forbidden
		j.fails[[2]int{f.State, index[f.Call]}] = f.Verdict == typestate.VerdictFails.String()
	}
	for _, u := range i.Unknown {
		j.next[u.State][index[u.Call]] = undecided
	}
	states := map[int]bool{}
	for _, c := range i.Constructors {
		if c.Verdict == typestate.VerdictAllowed.String() && c.State != nil {
			j.start = *c.State
			states[j.start] = true
		} else if c.Verdict == typestate.VerdictUnknown.String() {
			j.start = undecided
		}
	}
	if len(states) > 1 {
		return nil, fmt.Errorf("the constructors start in %d states; a system starts in one", len(states))
	}
	return j, nil
}

func (j *judge) hides(e lts.Edge) bool { return e.Action == lts.Hidden || j.visible[e.Action] < 0 }

// A visit is a pair that was reached.
type visit struct {
	state, component int32
	from             int32
	edge             lts.Edge
}

// safe follows all pairs that calls reach which the interface allows, by layers of as many
// calls, so that the first error has a shortest word.
func (j *judge) safe(i *typestate.Interface) (safe, cells Finding, err error) {
	cells.Answer = Yes
	if j.start == undecided {
		return Finding{Why: "the start is unknown"}, cells, nil
	}
	if j.start == forbidden {
		safe.Answer = Yes
		return safe, cells, nil
	}
	if j.s.Initial == lts.Error {
		return Finding{Answer: No, Why: "the system starts in the error"}, cells, nil
	}
	visits := []visit{{int32(j.start), j.s.Initial, -1, lts.Edge{}}}
	seen := map[[2]int32]bool{{int32(j.start), j.s.Initial}: true}
	open := false
	layer, after := []int32{0}, []int32(nil)
	add := func(list *[]int32, v visit) {
		if at := [2]int32{v.state, v.component}; !seen[at] {
			seen[at] = true
			*list = append(*list, int32(len(visits)))
			visits = append(visits, v)
		}
	}
	for ; len(layer) > 0; layer, after = after, nil {
		for at := 0; at < len(layer); at++ {
			if err := j.spend(len(visits)); err != nil {
				return safe, cells, err
			}
			n := layer[at]
			v := visits[n]
			for _, e := range j.s.Edges(v.component) {
				if j.hides(e) {
					if e.To == lts.Error {
						return j.refuted(visits, n, e, "it is allowed and errs"), cells, nil
					}
					add(&layer, visit{v.state, e.To, n, e})
					continue
				}
				x := j.visible[e.Action]
				switch to := j.next[v.state][x]; {
				case to == undecided:
					open = true
				case to == forbidden:
					if e.To != lts.Error && j.fails[[2]int{int(v.state), x}] && cells.Answer == Yes {
						cells = j.refuted(visits, n, e, "the last call is said to fail and may return")
					}
				case e.To == lts.Error:
					return j.refuted(visits, n, e, "it is allowed and errs"), cells, nil
				case to == nowhere:
					return j.refuted(visits, n, e, "it is said to be impossible and happens"), cells, nil
				default:
					add(&after, visit{int32(to), e.To, n, e})
				}
			}
		}
	}
	if safe.Answer = Yes; open {
		safe = Finding{Why: "a call of unknown verdict can happen"}
	}
	return safe, cells, nil
}

func (j *judge) spend(n int) error {
	if n%1024 == 0 && j.ctx.Err() != nil {
		return j.ctx.Err()
	}
	if n > j.budget {
		return &lts.BudgetError{What: "the search of the judge", Budget: j.budget}
	}
	return nil
}

// refuted is the trace to a visit and one more edge.
func (j *judge) refuted(visits []visit, n int32, last lts.Edge, why string) Finding {
	edges := []lts.Edge{last}
	for ; n > 0; n = visits[n].from {
		edges = append(edges, visits[n].edge)
	}
	slices.Reverse(edges)
	f := Finding{Answer: No, Why: why}
	for _, e := range edges {
		if j.hides(e) {
			f.Trace = append(f.Trace, "("+j.s.Label(e)+")")
			continue
		}
		f.Trace = append(f.Trace, j.s.Label(e))
		f.Word = append(f.Word, j.s.Label(e))
	}
	return f
}

// witnesses runs the trace of each witness.
func (j *judge) witnesses(i *typestate.Interface) Finding {
	wrong := func(word []typestate.Step, why string) Finding {
		f := Finding{Answer: No, Why: why}
		for _, s := range word {
			f.Word = append(f.Word, s.Call)
		}
		return f
	}
	for _, f := range i.Forbidden {
		if len(f.Witness) > 0 && !j.errs(f.Witness) {
			return wrong(f.Witness, "the witness is no erring trace")
		}
	}
	for _, c := range i.Constructors {
		if len(c.Witness) > 0 && !j.errs(c.Witness) {
			return wrong(c.Witness, "the witness is no erring trace")
		}
	}
	return Finding{Answer: Yes}
}

// errs says whether exactly the steps of a witness, the hidden ones included, can lead to the
// error.
func (j *judge) errs(word []typestate.Step) bool {
	var labels []string
	for k, s := range word {
		if k > 0 { // the first is the constructor
			labels = append(labels, strings.ReplaceAll(s.Call, "%23", "#"))
		}
		labels = append(labels, s.Hidden...)
	}
	return Errs(j.s, labels)
}

// Errs says whether a trace with exactly these labels, "tau" among them, leads to the error.
func Errs(s *lts.System, labels []string) bool {
	at := map[int32]bool{s.Initial: true}
	for _, label := range labels {
		next := map[int32]bool{}
		for x := range at {
			if x == lts.Error {
				continue
			}
			for _, e := range s.Edges(x) {
				if s.Label(e) == label {
					next[e.To] = true
				}
			}
		}
		at = next
	}
	return at[lts.Error]
}
