// SPDX-License-Identifier: Apache-2.0

package compose

// This file makes runs of the whole system. A run of the last component that leaves the assumption
// before it is a word that is illegal there: some run of the component before errs with it, and so on
// down to the first. Put together these are a run of the system. A search for a shortest one then has
// a bound, and a lower bound on the way that is left: the distance of the last component with
// its assumption to the error.

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/model/lts"
)

// shortestBudget bounds the search for a shortest run: when it runs out, the run that was put together
// is reported.
const shortestBudget = 1_000_000

func (v *verifier) violated(ctx context.Context, stages []stage, trace []string) (Result, error) {
	for _, st := range slices.Backward(stages) {
		word := project(trace, st.alphabet)
		parts := append([]*lts.System{st.component, spell(word, st.alphabet)}, st.ensures...)
		s, err := shortest(ctx, parts, v.Budget)
		if err != nil {
			return v.Result, err
		}
		if s.Violation == nil {
			// The error is one of a later component, or the start; this one only has to take part.
			s.Violation, err = follow(ctx, parts, len(word), v.Budget)
			if err != nil {
				return v.Result, err
			}
		}
		trace = merge(s.Violation.Trace, trace, st.alphabet)
	}
	parts := append(slices.Clone(v.ordered), v.Properties...)
	found := &Violation{Trace: trace}
	if err := replayed(parts, found); err != nil {
		return v.Result, err
	}
	better, err := v.improve(ctx, stages, parts, len(trace))
	var budget *lts.BudgetError
	switch {
	case errors.As(err, &budget):
		better = found
	case err != nil:
		return v.Result, err
	default:
		if err := replayed(parts, better); err != nil {
			return v.Result, err
		}
	}
	better.Why = why(parts, better.Trace)
	v.Violation = better
	return v.Result, nil
}

func project(trace, alphabet []string) []string {
	var out []string
	for _, a := range trace {
		if _, ok := slices.BinarySearch(alphabet, a); ok {
			out = append(out, a)
		}
	}
	return out
}

// spell is a system with one word over an alphabet.
func spell(word, alphabet []string) *lts.System {
	b := lts.NewBuilder(alphabet...)
	for k, a := range word {
		b.Edge(int32(k), b.Action(a), int32(k+1))
	}
	return b.System("word", 0)
}

// follow finds a run in which the word, part 1, is spelled to its end.
func follow(ctx context.Context, parts []*lts.System, length, budget int) (*Violation, error) {
	c := lts.NewComposition(parts...)
	start, _ := c.Start()
	nodes := []node{{start, -1, 0}}
	met := map[string]bool{stateKey(start): true}
	for at := int32(0); at < int32(len(nodes)); at++ {
		if at%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if int(nodes[at].state[1]) == length {
			if at == 0 {
				return &Violation{}, nil
			}
			return &Violation{Trace: labels(c, nodes, nodes[at].from, nodes[at].label)}, nil
		}
		if len(nodes) > budget {
			return nil, &lts.BudgetError{What: "the search of the composition", Budget: budget}
		}
		c.Successors(nodes[at].state, func(action int32, to []int32) {
			if to == nil {
				return
			}
			if key := stateKey(to); !met[key] {
				met[key] = true
				nodes = append(nodes, node{slices.Clone(to), at, action})
			}
		})
	}
	return nil, fmt.Errorf("internal error: a word of the assumption has no run of %s", parts[0].Name)
}

// merge joins two runs that agree on an alphabet. It ends where the first does, if that is the
// one that errs, and else where the second does.
func merge(first, second, alphabet []string) []string {
	var out []string
	common := func(a string) bool { _, ok := slices.BinarySearch(alphabet, a); return ok }
	k := 0
	for _, a := range first {
		if common(a) {
			for ; k < len(second) && !common(second[k]); k++ {
				out = append(out, second[k])
			}
			k++
		}
		out = append(out, a)
	}
	return append(out, second[min(k, len(second)):]...)
}

// why says which part a run leads to the error, and how.
func why(parts []*lts.System, trace []string) string {
	least := ""
	c := lts.NewComposition(parts...)
	start, errs := c.Start()
	if errs {
		return "the system starts in the error"
	}
	at := [][]int32{start}
	for k, label := range trace {
		var next [][]int32
		met := map[string]bool{}
		for _, v := range at {
			c.Successors(v, func(action int32, to []int32) {
				name := "tau"
				if action != lts.Hidden {
					name = c.Alphabet()[action]
				}
				switch {
				case name != label:
				case to == nil && k == len(trace)-1:
					if text := c.Why(v, action); least == "" || text < least {
						least = text
					}
				case to != nil && !met[stateKey(to)]:
					met[stateKey(to)] = true
					next = append(next, slices.Clone(to))
				}
			})
		}
		at = next
	}
	return least
}

// A ranked node waits in the queue of the search for a shortest run.
type ranked struct {
	at        int32
	cost, sum int // steps, and at least so many in all
}

type rankedQueue []ranked

func (q rankedQueue) Len() int { return len(q) }
func (q rankedQueue) Less(i, j int) bool {
	if q[i].sum != q[j].sum {
		return q[i].sum < q[j].sum
	}
	return q[i].cost > q[j].cost || q[i].cost == q[j].cost && q[i].at < q[j].at
}
func (q rankedQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *rankedQueue) Push(x any)   { *q = append(*q, x.(ranked)) }
func (q *rankedQueue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// improve finds a shortest run of the system, of at most bound steps.
func (v *verifier) improve(ctx context.Context, stages []stage, parts []*lts.System, bound int) (*Violation, error) {
	c := lts.NewComposition(parts...)
	start, errs := c.Start()
	if errs {
		return &Violation{Trace: []string{}, Shortest: true}, nil
	}
	rest := v.distances(stages)
	nodes := []node{{append(slices.Clone(start), rest.start), -1, 0}}
	best := map[string]int{stateKey(nodes[0].state): 0}
	queue := &rankedQueue{{0, 0, rest.of(start, rest.start)}}
	for queue.Len() > 0 {
		r := heap.Pop(queue).(ranked)
		full := nodes[r.at].state
		if best[stateKey(full)] < r.cost {
			continue
		}
		if len(nodes)%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(nodes) > min(v.Budget, shortestBudget) {
			return nil, &lts.BudgetError{What: "the search for a shortest run", Budget: shortestBudget}
		}
		if full[0] == lts.Error {
			return &Violation{Trace: labels(c, nodes, nodes[r.at].from, nodes[r.at].label), Shortest: true}, nil
		}
		state, watch := full[:len(full)-1], full[len(full)-1]
		c.Successors(state, func(action int32, to []int32) {
			cost := r.cost + 1
			sum := cost
			var next []int32
			if to == nil {
				next = []int32{lts.Error}
			} else {
				w := rest.step(watch, action, c)
				left := rest.of(to, w)
				if left < 0 {
					return
				}
				sum += left
				next = append(slices.Clone(to), w)
			}
			if sum > bound {
				return
			}
			key := stateKey(next)
			if old, ok := best[key]; ok && old <= cost {
				return
			}
			best[key] = cost
			nodes = append(nodes, node{next, r.at, action})
			heap.Push(queue, ranked{int32(len(nodes) - 1), cost, sum})
		})
	}
	return nil, fmt.Errorf("internal error: no run of at most %d steps errs", bound)
}

// remaining is a lower bound of the steps to the error, by the last component and the state of the
// assumption that it must keep to.
type remaining struct {
	last     int // index of the component
	assumes  *lts.System
	start    int32
	distance map[[2]int32]int
}

func (v *verifier) distances(stages []stage) *remaining {
	if len(stages) == 0 {
		return &remaining{}
	}
	last := v.ordered[len(v.ordered)-1]
	r := &remaining{last: len(v.ordered) - 1, assumes: stages[len(stages)-1].assumes, distance: map[[2]int32]int{}}
	r.start = r.assumes.Initial
	c := lts.NewComposition(last, r.assumes)
	start, errs := c.Start()
	if errs {
		return r
	}
	back := map[[2]int32][][2]int32{}
	met := map[[2]int32]bool{{start[0], start[1]}: true}
	var erring [][2]int32
	for queue := [][2]int32{{start[0], start[1]}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		errs := false
		c.Successors(at[:], func(_ int32, to []int32) {
			if to == nil {
				errs = true
				return
			}
			t := [2]int32{to[0], to[1]}
			back[t] = append(back[t], at)
			if !met[t] {
				met[t] = true
				queue = append(queue, t)
			}
		})
		if errs {
			erring = append(erring, at)
			r.distance[at] = 1
		}
	}
	for queue := erring; len(queue) > 0; queue = queue[1:] {
		for _, b := range back[queue[0]] {
			if _, ok := r.distance[b]; !ok {
				r.distance[b] = r.distance[queue[0]] + 1
				queue = append(queue, b)
			}
		}
	}
	return r
}

// of is a lower bound for a state; -1 if it does not reach the error. The assumption that has been left
// stays left.
func (r *remaining) of(state []int32, watch int32) int {
	if r.assumes == nil || watch == lts.Error {
		return 0
	}
	d, ok := r.distance[[2]int32{state[r.last], watch}]
	if !ok {
		return -1
	}
	return d
}

// step follows the assumption.
func (r *remaining) step(watch, action int32, c *lts.Composition) int32 {
	if r.assumes == nil || watch == lts.Error || action == lts.Hidden {
		return watch
	}
	own, ok := r.assumes.Action(c.Alphabet()[action])
	if !ok {
		return watch
	}
	for _, e := range r.assumes.Edges(watch) {
		if e.Action == own {
			return e.To
		}
	}
	return watch // a tight assumption without this action: the system cannot take it either
}
