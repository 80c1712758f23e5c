// SPDX-License-Identifier: Apache-2.0

package typestate

// This file makes random interfaces and random disguises of them.

import (
	"fmt"
	"math/rand"
	"slices"
)

// A shape says how large random interfaces are.
type shape struct {
	states, methods, outcomes, constructors int
	guards                                  []string // of the parameter x of every second method; nil for none
	paramType                               string
}

// random returns a random valid interface in canonical form.
func random(r *rand.Rand, s shape) *Interface {
	i := &Interface{
		Format:     Format,
		Component:  Component{Language: "open", Name: "Random"},
		Guarantees: Guarantees{Safe: "unknown", Permissive: "unknown", Tight: "unknown"},
	}
	for k := range s.states {
		i.States = append(i.States, State{ID: k, Label: fmt.Sprintf("label %d", k)})
	}
	for m := range s.methods {
		c := Call{Method: fmt.Sprintf("m%d", m), Guard: "true"}
		for o := range s.outcomes {
			c.Outcomes = append(c.Outcomes, fmt.Sprintf("o%d", s.outcomes-o)) // not in order of text
		}
		guards := []string{"true"}
		if m%2 == 0 && s.guards != nil {
			guards = s.guards
			c.Params, c.Types = []string{"x"}, []string{s.paramType}
		}
		for n, g := range guards {
			c.ID, c.Guard = callID(c.Method, n+1), g
			i.Calls = append(i.Calls, c)
		}
	}
	for n := range s.constructors {
		c := Constructor{ID: fmt.Sprintf("New%d", n), Method: fmt.Sprintf("New%d", n), Guard: "true", Verdict: "allowed"}
		switch k := r.Intn(6); {
		case n > 0 && k == 0:
			c.Verdict = "fails"
			i.Constructors = append(i.Constructors, c)
		case n > 0 && k == 1:
			c.Verdict, c.Reason = "unknown", "random"
			i.Constructors = append(i.Constructors, c)
		case k == 2:
			for _, o := range []string{"nil", "non-nil"} {
				to := r.Intn(s.states)
				c.Outcome, c.State = o, &to
				i.Constructors = append(i.Constructors, c)
			}
		default:
			to := r.Intn(s.states)
			c.Outcome, c.State = "*", &to
			i.Constructors = append(i.Constructors, c)
		}
	}
	for q := range s.states {
		for _, c := range i.Calls {
			switch r.Intn(8) {
			case 0, 1:
				i.Forbidden = append(i.Forbidden, Forbidden{State: q, Call: c.ID, Verdict: []string{"fails", "may-fail"}[r.Intn(2)]})
				continue
			case 2:
				i.Unknown = append(i.Unknown, Unknown{State: q, Call: c.ID, Reason: "random"})
			case 3:
				i.Uncovered = append(i.Uncovered, Uncovered{State: q, Call: c.ID, Site: ErrorSite{Kind: "bounds"}, Reason: "random"})
			}
			for _, o := range c.Outcomes {
				if r.Intn(5) > 0 {
					i.Edges = append(i.Edges, Edge{From: q, Call: c.ID, Outcome: o, To: r.Intn(s.states)})
				}
			}
		}
	}
	i.Certificate = &Certificate{Nodes: []Node{{State: -1}}}
	for k := range s.states {
		i.Certificate.Nodes = append(i.Certificate.Nodes, Node{State: k, Label: fmt.Sprintf("formula %d", k)})
	}
	for _, c := range i.Calls {
		i.Certificate.Nodes[1].Next = append(i.Certificate.Nodes[1].Next, NodeEdge{Call: c.ID, Args: "true", Results: "true", Node: 1})
	}
	if err := i.Canonicalize(); err != nil {
		panic(err)
	}
	return i
}

// disguise returns an interface that says the same as i but has other state
// and call ids, another order of everything whose order has no meaning, and no
// "*" on edges.
func disguise(r *rand.Rand, i *Interface) *Interface {
	j := i.Clone()
	ids := r.Perm(len(j.States) + 3) // with holes
	state := func(p *int) {
		*p = ids[*p]
	}
	calls := map[string]string{}
	for k := range j.Calls {
		c := &j.Calls[k]
		calls[c.ID] = fmt.Sprintf("call %d", r.Int63())
		c.ID = calls[c.ID]
	}
	ctors := map[string]string{}
	for k := range j.Constructors {
		c := &j.Constructors[k]
		if ctors[c.ID] == "" {
			ctors[c.ID] = fmt.Sprintf("constructor %d", r.Int63())
		}
		c.ID = ctors[c.ID]
		if c.State != nil {
			state(c.State)
		}
	}
	for k := range j.States {
		state(&j.States[k].ID)
	}
	var edges []Edge
	for _, e := range j.Edges {
		outcomes := []string{e.Outcome}
		if e.Outcome == "*" {
			for _, c := range i.Calls {
				if c.ID == e.Call {
					outcomes = c.Outcomes
				}
			}
		}
		e.Call = calls[e.Call]
		state(&e.From)
		state(&e.To)
		for _, o := range outcomes {
			e.Outcome = o
			edges = append(edges, e)
		}
	}
	j.Edges = edges
	for k := range j.Forbidden {
		f := &j.Forbidden[k]
		f.Call = calls[f.Call]
		state(&f.State)
		if f.To != nil {
			state(f.To)
		}
		shuffle(r, f.Errors)
	}
	for k := range j.Unknown {
		j.Unknown[k].Call = calls[j.Unknown[k].Call]
		state(&j.Unknown[k].State)
	}
	for k := range j.Uncovered {
		j.Uncovered[k].Call = calls[j.Uncovered[k].Call]
		state(&j.Uncovered[k].State)
	}
	if c := j.Certificate; c != nil {
		for k := range c.Nodes {
			n, names := &c.Nodes[k], calls
			if k == 0 {
				names = ctors
			} else {
				state(&n.State)
			}
			for e := range n.Next {
				n.Next[e].Call = names[n.Next[e].Call]
			}
			for h := range n.Heads {
				n.Heads[h].Call = names[n.Heads[h].Call]
			}
			for s := range n.Sets {
				for e := range n.Sets[s].Errs {
					n.Sets[s].Errs[e].Call = names[n.Sets[s].Errs[e].Call]
				}
			}
		}
	}
	shuffle(r, j.States)
	shuffle(r, j.Component.Errors)
	shuffle(r, j.Constructors)
	shuffle(r, j.Calls)
	shuffle(r, j.Edges)
	shuffle(r, j.Forbidden)
	shuffle(r, j.Unknown)
	shuffle(r, j.Uncovered)
	shuffle(r, j.Conventions)
	shuffle(r, j.Contracts)
	shuffle(r, j.Approximations)
	j.Conventions = append(j.Conventions, slices.Clone(j.Conventions)...)
	return j
}

func shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(a, b int) { s[a], s[b] = s[b], s[a] })
}
