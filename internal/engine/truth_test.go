// SPDX-License-Identifier: Apache-2.0

package engine

// This file explores what a client of a small component can know, by the
// reference interpreter alone, and compares interfaces with it that may leave
// verdicts unknown. It differs from the judge of property_test.go in that the
// runs of each component state are computed once and shared by all sets of
// states and all interfaces, which programs of full size need, and in that it
// holds an interface to its promises only: no wrong verdict, an edge for every
// result that can happen. It does not look at labels or minimality.

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A truth is the graph of the sets of states that a client takes for possible.
type truth struct {
	p     *prog.Program
	calls [2][]prog.Call // before and after construction, for every argument tuple
	nodes []truthNode
}

type truthNode struct {
	phase int         // 0 before construction
	moves []truthMove // by call of the phase
}

type truthMove struct {
	verdict prog.Verdict
	results [][]term.Value
	to      []int32 // by result; nothing if the call is not allowed
}

// newTruth explores all words. It gives errTooLarge beyond limit, which counts
// states in sets and runs of calls.
func newTruth(p *prog.Program, limit int) (*truth, error) {
	ctx := context.Background()
	in := prog.NewInterp(p, prog.InterpOptions{})
	g := &truth{p: p}
	for phase, methods := range [][]*prog.Method{p.Constructors, p.Methods} {
		for _, m := range methods {
			for t := range prog.Tuples(m.Params) {
				g.calls[phase] = append(g.calls[phase], prog.Call{Method: m, Args: slices.Clone(t)})
			}
		}
	}
	type end struct {
		result int // number of the result tuple of the method
		state  int32
	}
	type runs struct {
		errs bool
		ends []end // sorted
	}
	var states []prog.State
	stateOf := map[string]int32{}
	intern := func(s prog.State) int32 {
		key := statesKey([]prog.State{s})
		id, ok := stateOf[key]
		if !ok {
			id = int32(len(states))
			stateOf[key] = id
			states = append(states, s)
		}
		return id
	}
	results := map[*prog.Method][][]term.Value{}
	memo := map[[3]int32]*runs{} // by state, phase and call
	run := func(s int32, phase, call int) (*runs, error) {
		key := [3]int32{s, int32(phase), int32(call)}
		if r := memo[key]; r != nil {
			return r, nil
		}
		if limit -= 20; limit < 0 {
			return nil, errTooLarge
		}
		c := g.calls[phase][call]
		o, err := in.Call(ctx, states[s], c.Method, c.Args)
		if err != nil {
			return nil, err
		}
		r := &runs{errs: len(o.Errors) > 0}
		for _, ret := range o.Returns {
			list := results[c.Method]
			k := slices.IndexFunc(list, func(v []term.Value) bool { return slices.Equal(v, ret.Results) })
			if k < 0 {
				k = len(list)
				results[c.Method] = append(list, ret.Results)
			}
			r.ends = append(r.ends, end{k, intern(ret.State)})
		}
		memo[key] = r
		return r, nil
	}
	initial, err := in.Initial(ctx)
	if err != nil {
		return nil, err
	}
	var sets [][]int32
	index := map[string]int32{}
	add := func(set []int32, phase int) int32 {
		slices.Sort(set)
		set = slices.Compact(set)
		key := []byte{byte(phase)}
		for _, s := range set {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		id, ok := index[string(key)]
		if !ok {
			id = int32(len(sets))
			index[string(key)] = id
			sets = append(sets, set)
			g.nodes = append(g.nodes, truthNode{phase: phase})
		}
		return id
	}
	var first []int32
	for _, s := range initial {
		first = append(first, intern(s))
	}
	add(first, 0)
	for n := 0; n < len(g.nodes); n++ {
		phase := g.nodes[n].phase
		for c := range g.calls[phase] {
			if limit -= len(sets[n]); limit < 0 {
				return nil, errTooLarge
			}
			mv := truthMove{verdict: prog.Allowed}
			after := map[int][]int32{} // by result
			for _, s := range sets[n] {
				r, err := run(s, phase, c)
				if err != nil {
					return nil, err
				}
				if r.errs {
					mv.verdict = prog.Fails
				}
				for _, e := range r.ends {
					after[e.result] = append(after[e.result], e.state)
				}
			}
			if mv.verdict == prog.Fails && len(after) > 0 {
				mv.verdict = prog.MayFail
			}
			if mv.verdict != prog.Fails {
				for k, res := range results[g.calls[phase][c].Method] {
					if set := after[k]; set != nil {
						mv.results = append(mv.results, res)
						mv.to = append(mv.to, add(set, 1))
					}
				}
			}
			g.nodes[n].moves = append(g.nodes[n].moves, mv)
		}
	}
	return g, nil
}

// check returns the first promise that the interface breaks on some word, or on
// some word up to the depth to which it was checked.
// Words go on after an unknown call that is allowed in truth.
func (g *truth) check(i *typestate.Interface) error {
	if err := i.Validate(); err != nil {
		return fmt.Errorf("invalid: %w", err)
	}
	o := newOracle(g.p, i)
	ids := [2][]string{}
	for phase := range ids {
		var err error
		if ids[phase], err = (&judge{p: g.p, calls: g.calls}).chosen(o, phase); err != nil {
			return err
		}
	}
	type edge struct {
		outcome string
		to      int
	}
	edges := map[cellID][]edge{}
	said := map[cellID]string{}
	for _, k := range i.Constructors {
		said[cellID{-1, k.ID}] = k.Verdict
		if k.State != nil {
			edges[cellID{-1, k.ID}] = append(edges[cellID{-1, k.ID}], edge{k.Outcome, *k.State})
		}
	}
	for _, s := range i.States {
		for _, c := range i.Calls {
			said[cellID{s.ID, c.ID}] = i.Verdict(s.ID, c.ID).String()
		}
	}
	for _, e := range i.Edges {
		edges[cellID{e.From, e.Call}] = append(edges[cellID{e.From, e.Call}], edge{e.Outcome, e.To})
	}
	type pair struct {
		node int32
		at   int
	}
	type step struct {
		from pair
		call string
	}
	back := map[pair]step{{0, -1}: {}}
	calls := map[pair]int{{0, -1}: 0} // made to get there
	type target struct {
		edge int // -1: none, -2: several
		err  error
	}
	targets := map[string]target{} // by cell and result
	for queue := []pair{{0, -1}}; len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		if d := i.Guarantees.Depth; d != nil && calls[p] > *d {
			break // of words with more calls, construction not counted, nothing is said
		}
		node := &g.nodes[p.node]
		for n := range node.moves {
			mv := &node.moves[n]
			c := g.calls[node.phase][n]
			id := cellID{p.at, ids[node.phase][n]}
			text := c.Method.Name + prog.FormatArgs(c.Method.Params, c.Args)
			wrong := func(format string, args ...any) error {
				word := text
				for q := p; q.at >= 0; q = back[q].from {
					word = back[q].call + " " + word
				}
				return fmt.Errorf("after %s, state %d: %s", word, p.at, fmt.Sprintf(format, args...))
			}
			switch v := said[id]; {
			case v == "unknown":
			case v == "allowed" && mv.verdict == prog.Allowed:
			case v == "fails" && o.ends && len(mv.results) == 0:
			case v == "may-fail" && mv.verdict != prog.Allowed, v == "fails" && mv.verdict == prog.Fails:
			default:
				return wrong("it is %v, the interface says %q", mv.verdict, v)
			}
			if mv.verdict == prog.Fails || said[id] == "may-fail" || said[id] == "unknown" && p.at < 0 {
				continue
			}
			for r, res := range mv.results {
				key := fmt.Sprint(id, c.Method.Name, res)
				t, ok := targets[key]
				if !ok {
					t.edge = -1
					for _, e := range edges[id] {
						in, err := o.outcome(c.Method, res, e.outcome)
						if err != nil {
							t.err = err
						}
						if in && t.edge >= 0 && t.edge != e.to {
							t.edge = -2
						} else if in && t.edge != -2 {
							t.edge = e.to
						}
					}
					targets[key] = t
				}
				if t.err != nil {
					return wrong("%v", t.err)
				}
				if t.edge < 0 {
					return wrong("%d is the edge for %s", t.edge, prog.FormatOutcome(c.Method, res))
				}
				q := pair{mv.to[r], t.edge}
				if _, ok := back[q]; !ok {
					back[q] = step{p, text + "=" + prog.FormatOutcome(c.Method, res)}
					calls[q] = calls[p] + 1
					queue = append(queue, q)
				}
			}
		}
	}
	return nil
}
