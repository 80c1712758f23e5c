// SPDX-License-Identifier: Apache-2.0

package explicit

// This file writes small certificates of interfaces that were found by exploring
// states: one node for each state of the interface, whose label lists all
// component states that are current after some word that reaches it. If a
// forbidden call errs from each of them, whichever are current, the label itself
// is the set that contains a current state, and nothing has to be known of single
// words. That is so for components whose states decide what errs (visible
// determinism is enough); for others the nodes have to be knowledge sets
// (certify.go).

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/typestate"
)

// coarse makes the nodes, or reports false.
func (c *certifier) coarse(ctx context.Context) (bool, error) {
	type pair struct{ set, state int32 }
	seen := map[pair]bool{{c.know.start, 0}: true}
	queue := []pair{{c.know.start, 0}}
	nodeOf := map[int32]int{0: 0}
	c.nodes = []certNode{{state: 0}}
	union := []map[int32]bool{{}}
	for len(queue) > 0 {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if len(seen)*(1+len(c.c.Letters)) > maxCertSteps {
			return false, nil
		}
		here := queue[0]
		queue = queue[1:]
		n := nodeOf[here.state]
		for _, s := range c.know.sets.Set(here.set) {
			if !union[n][s] {
				union[n][s] = true
				c.nodes[n].members = append(c.nodes[n].members, s)
			}
		}
		row, err := c.know.row(ctx, here.set)
		if err != nil {
			return false, err
		}
		for _, me := range c.c.Calls {
			if me.Constructor != (here.state == 0) {
				continue
			}
			for _, x := range me.Letters {
				to := c.dfa.Step(here.state, x)
				if row[x] < 0 || c.dfa.Out[to] != automata.Accept {
					continue
				}
				if _, ok := nodeOf[to]; !ok {
					nodeOf[to] = len(c.nodes)
					c.nodes = append(c.nodes, certNode{state: to})
					union = append(union, map[int32]bool{})
				}
				if next := (pair{row[x], to}); !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
	}
	for n := range c.nodes {
		slices.Sort(c.nodes[n].members)
		if !c.coarseNode(n, nodeOf) {
			return false, nil
		}
	}
	for n := range c.nodes {
		sets := c.cert.Nodes[n].Sets
		for s := range sets {
			for _, in := range c.nodes[n].in {
				sets[s].From = append(sets[s].From, typestate.Support{Node: in.node, Edge: in.edge, Set: -1})
			}
		}
		if !c.heads(n) || c.literals > c.maxLiterals {
			return false, nil
		}
	}
	return true, nil
}

// coarseNode writes the label, the edges and the errors of a node.
func (c *certifier) coarseNode(n int, nodeOf map[int32]int) bool {
	members, state := c.nodes[n].members, c.nodes[n].state
	t := typestate.Node{State: -1, Label: c.list(members)}
	if n > 0 {
		t.State = int(c.state[state])
	}
	if c.literals > c.maxLiterals {
		return false
	}
	errs := make([]int, len(c.c.Calls)) // how many members err
	happens := make([]bool, len(c.c.Letters))
	for _, s := range members {
		last := int32(0)
		for _, e := range c.c.Edges(s) {
			switch {
			case e.Letter >= 0:
				happens[e.Letter] = true
			case e.Letter != last: // errors of one call are next to each other
				errs[^e.Letter]++
				last = e.Letter
			}
		}
	}
	var set typestate.Set
	for _, k := range c.calls {
		if k.constructor != (n == 0) {
			continue
		}
		for _, part := range k.parts {
			if errs[part] != errs[k.parts[0]] || errs[part] != 0 && errs[part] != len(members) {
				return false
			}
		}
		if errs[k.parts[0]] > 0 {
			set.Errs = append(set.Errs, typestate.SetError{Call: k.id, Args: "true"})
			continue
		}
		for _, part := range k.parts {
			for _, x := range c.c.Calls[part].Letters {
				to := c.dfa.Step(state, x)
				if !happens[x] || c.dfa.Out[to] != automata.Accept {
					continue
				}
				next := nodeOf[to]
				c.nodes[next].in = append(c.nodes[next].in, certIn{n, len(t.Next), x})
				t.Next = append(t.Next, typestate.NodeEdge{Call: k.id, Args: c.args[part], Results: c.results[x], Node: next})
				c.edges++
			}
		}
	}
	if len(set.Errs) > 0 {
		set.Formula = t.Label
		t.Sets = []typestate.Set{set}
	}
	c.cert.Nodes = append(c.cert.Nodes, t)
	return c.edges <= c.maxEdges
}
