// SPDX-License-Identifier: Apache-2.0

package typestate

// This file declares certificates: the evidence for the guarantees of an
// interface, in a form that can be checked without knowing how it was found.
//
// A certificate is an unfolding of the automaton into nodes. Several nodes may
// stand for one state, because what is known of the component need not be the
// same after all words that reach a state. An invariant per state, as in
// Hoare's logic, would do for safety; it would not do for the claim that a call
// errs, which is about what is possible after each single word.
//
// All formulas are expressions of the program's text form.

// A Certificate is the evidence for the guarantees of an interface.
type Certificate struct {
	Program string `json:"program"` // hash of the program it speaks about
	// Nodes[0] is the object before construction, the only node with State -1.
	Nodes []Node `json:"nodes"`
	// Rankings are why calls with loops err, however many rounds these take.
	Rankings []Ranking `json:"rankings,omitempty"`
}

// A Ranking says that a call of a method errs in some run if When holds.
type Ranking struct {
	Method string `json:"method"` // a method or constructor
	// When is a formula over the state before the call and the parameters. If it holds, some block of the method leads to an error,
	// or to one of the heads, where its formula holds.
	When  string     `json:"when"`
	Heads []RankHead `json:"heads"`
}

// A RankHead is a loop head of a ranking. From each state in which its formula holds some block of the method leads to an error, or to one
// of the heads, where its formula holds and the list Rank is smaller, lexicographically.
type RankHead struct {
	Loc     int      `json:"loc"`     // location of the method's control-flow automaton
	Formula string   `json:"formula"` // over the variables of the method
	Rank    []string `json:"rank"`    // expressions of type uint64 over these; as many for each head
}

// A Node is a state of the automaton together with what is known when it was
// reached along the edges of nodes.
type Node struct {
	State int `json:"state"` // the interface state it stands for; -1 before construction
	// Label holds in every component state that may be current here. It is a
	// formula over the state variables.
	Label string `json:"label"`
	// Sets are formulas over the state variables, each true in some component state
	// that is current after every word that can happen and reaches the node.
	Sets  []Set           `json:"sets"`
	Heads []HeadInvariant `json:"heads"`
	Next  []NodeEdge      `json:"next"`
}

// A Set contains a current component state.
type Set struct {
	Formula string `json:"formula"`
	// Errs are the calls that err from every state of the set, if the choices are
	// made so.
	Errs []SetError `json:"errs"`
	// From says why, with one entry for each edge into the node.
	From []Support `json:"from"`
}

// A SetError is a call that errs for all arguments that satisfy its guard and
// Args.
type SetError struct {
	Call string `json:"call"`
	Args string `json:"args"` // over the parameters
}

// A Support says why a set contains a current state after an edge: every
// return over the edge ends in it (Set -1), or each state of a set of the
// edge's source can return into it.
type Support struct {
	Node int `json:"node"`
	Edge int `json:"edge"`
	Set  int `json:"set"`
}

// EntryPrefix before the name of a parameter that the method assigns is, in a
// loop invariant, the argument that it was called with.
const EntryPrefix = "entry."

// A HeadInvariant holds whenever a call made from the node is at a loop head. It
// is a formula over the variables of the method.
type HeadInvariant struct {
	Call    string `json:"call"`
	Loc     int    `json:"loc"` // location of the method's control-flow automaton
	Formula string `json:"formula"`
}

// A NodeEdge says where a call leads whose arguments satisfy Args and that
// returned results which satisfy Results.
type NodeEdge struct {
	Call    string `json:"call"`
	Args    string `json:"args"`    // over the parameters
	Results string `json:"results"` // over the results
	Node    int    `json:"node"`
}

// clone copies all lists and makes them not nil.
func (c *Certificate) clone() *Certificate {
	if c == nil {
		return nil
	}
	d := &Certificate{Program: c.Program, Nodes: list(c.Nodes), Rankings: optional(c.Rankings)}
	for k := range d.Rankings {
		r := &d.Rankings[k]
		r.Heads = list(r.Heads)
		for j := range r.Heads {
			r.Heads[j].Rank = list(r.Heads[j].Rank)
		}
	}
	for k := range d.Nodes {
		n := &d.Nodes[k]
		n.Sets, n.Heads, n.Next = list(n.Sets), list(n.Heads), list(n.Next)
		for j := range n.Sets {
			n.Sets[j].Errs, n.Sets[j].From = list(n.Sets[j].Errs), list(n.Sets[j].From)
		}
	}
	return d
}

// problems lists the references of c that are broken. state and call tell which
// states and calls there are; constructors are the calls of the first node.
func (c *Certificate) problems(state func(int) bool, call func(constructor bool, id string) bool, bad func(format string, args ...any)) {
	if len(c.Nodes) == 0 {
		bad("certificate.nodes: there is none")
	}
	for k, n := range c.Nodes {
		where := func(format string, args ...any) {
			bad("certificate.nodes[%d]"+format, append([]any{k}, args...)...)
		}
		switch {
		case k == 0 && n.State != -1:
			where(": the first node is before construction and has state -1, not %d", n.State)
		case k > 0 && !state(n.State):
			where(": no state %d", n.State)
		}
		known := func(what string, j int, id string) {
			if !call(k == 0, id) {
				where(".%s[%d]: no call %q", what, j, id)
			}
		}
		for j, h := range n.Heads {
			known("heads", j, h.Call)
		}
		for j, e := range n.Next {
			known("next", j, e.Call)
			if e.Node < 1 || e.Node >= len(c.Nodes) {
				where(".next[%d]: no node %d after a call", j, e.Node)
			}
		}
		for j, s := range n.Sets {
			for _, e := range s.Errs {
				known("sets", j, e.Call)
			}
			for i, f := range s.From {
				switch {
				case f.Node < 0 || f.Node >= len(c.Nodes):
					where(".sets[%d].from[%d]: no node %d", j, i, f.Node)
				case f.Edge < 0 || f.Edge >= len(c.Nodes[f.Node].Next) || c.Nodes[f.Node].Next[f.Edge].Node != k:
					where(".sets[%d].from[%d]: edge %d of node %d does not lead here", j, i, f.Edge, f.Node)
				case f.Set < -1 || f.Set >= len(c.Nodes[f.Node].Sets):
					where(".sets[%d].from[%d]: node %d has no set %d", j, i, f.Node, f.Set)
				}
			}
		}
	}
}

// rename follows a new numbering of states and calls. It reports false if a
// node stands for a state that is gone.
func (c *Certificate) rename(states map[int]int, calls, constructors map[string]string) bool {
	for k := range c.Nodes {
		n := &c.Nodes[k]
		names := calls
		if k == 0 {
			names = constructors
		} else {
			s, ok := states[n.State]
			if !ok {
				return false
			}
			n.State = s
		}
		for j := range n.Heads {
			n.Heads[j].Call = names[n.Heads[j].Call]
		}
		for j := range n.Next {
			n.Next[j].Call = names[n.Next[j].Call]
		}
		for j := range n.Sets {
			for i, e := range n.Sets[j].Errs {
				n.Sets[j].Errs[i].Call = names[e.Call]
			}
		}
	}
	return true
}
