// SPDX-License-Identifier: Apache-2.0

package prog

// This file finds statements for an automaton: while loops, if, choice, and
// goto for the rest. It follows the dominator tree (as Ramsey, "Beyond
// Relooper", ICFP 2022, does for WebAssembly): a location with one way in is
// written where it is reached; one with several ways in follows the code of its
// immediate dominator, where all ways meet. The text form has goto, so
// irreducible automata need no copies of code and no extra variables, and every
// automaton can be written. Lowering the statements gives the same automaton
// again; therefore the order of the branches of an if is that of its edges,
// even where the other order would read better.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

type nodeKind uint8

const (
	edgeNode   nodeKind = iota + 1 // edge: assignment, assume, havoc, skip
	returnNode                     // edge: assignment of the results, or nil
	errorNode                      // site
	stopNode
	ifNode     // edge (its condition), body, els
	whileNode  // edge (its condition) or nil, body
	choiceNode // alts
	breakNode
	continueNode
	gotoNode  // loc
	labelNode // loc
)

// A node is a statement to print.
type node struct {
	kind nodeKind
	edge *Edge
	site *ErrorSite
	loc  int
	body []*node
	els  []*node
	alts [][]*node
}

type structurer struct {
	m      *Method
	rpo    []int   // position in reverse postorder; -1 if unreachable
	idom   []int   // immediate dominator
	merges [][]int // by immediate dominator: locations with several ways in, in reverse postorder
	merge  []bool
	loops  []map[int]bool // by head: the natural loop; nil if not a head
	sizes  []int          // of the subtree of the dominator tree
	// follower[h] is the location with one way in that is written after the
	// loop of h, or -1; after marks those locations.
	follower []int
	after    []bool
	sites    map[int]*ErrorSite
	used     map[int]bool // labels that some goto uses
}

// structure returns the statements of a method in canonical form.
func structure(m *Method) []*node {
	s := &structurer{m: m, used: make(map[int]bool), sites: make(map[int]*ErrorSite)}
	for _, e := range m.Errors {
		s.sites[e.Loc] = e
	}
	s.findLoops(s.dominators())
	list := s.place(m.Entry, m.Exit, nil)
	return s.dropLabels(list)
}

// dominators computes the dominator tree (Cooper, Harvey and Kennedy's
// iteration) and which locations have several ways in; it returns the
// reachable locations in reverse postorder.
func (s *structurer) dominators() (order []int) {
	m := s.m
	s.rpo, s.idom = make([]int, m.Locs), make([]int, m.Locs)
	for i := range s.rpo {
		s.rpo[i], s.idom[i] = -1, -1
	}
	// Postorder by an explicit stack of (location, next edge).
	type frame struct{ loc, next int }
	seen := make([]bool, m.Locs)
	seen[m.Entry] = true
	for stack := []frame{{m.Entry, 0}}; len(stack) > 0; {
		f := &stack[len(stack)-1]
		out := m.Out(f.loc)
		if f.next == len(out) {
			order = append(order, f.loc)
			stack = stack[:len(stack)-1]
			continue
		}
		// Backward, so that reverse postorder follows the order of the edges.
		to := out[len(out)-1-f.next].To
		f.next++
		if !seen[to] {
			seen[to] = true
			stack = append(stack, frame{to, 0})
		}
	}
	slices.Reverse(order)
	for i, loc := range order {
		s.rpo[loc] = i
	}
	preds := make([][]int, m.Locs)
	for _, e := range m.Edges {
		if s.rpo[e.From] >= 0 {
			preds[e.To] = append(preds[e.To], e.From)
		}
	}
	s.idom[m.Entry] = m.Entry
	for changed := true; changed; {
		changed = false
		for _, loc := range order[1:] {
			d := -1
			for _, p := range preds[loc] {
				switch {
				case s.idom[p] < 0:
				case d < 0:
					d = p
				default:
					d = s.meet(d, p)
				}
			}
			if s.idom[loc] != d {
				s.idom[loc] = d
				changed = true
			}
		}
	}
	s.merge, s.merges, s.sizes = make([]bool, m.Locs), make([][]int, m.Locs), make([]int, m.Locs)
	s.loops = make([]map[int]bool, m.Locs)
	for _, loc := range order {
		ways := 0
		for _, p := range preds[loc] {
			if s.dominates(loc, p) {
				s.addLoop(loc, p, preds)
			} else {
				ways++
			}
		}
		if ways > 1 && loc != m.Exit {
			s.merge[loc] = true
			s.merges[s.idom[loc]] = append(s.merges[s.idom[loc]], loc)
		}
	}
	for _, loc := range slices.Backward(order) {
		s.sizes[loc]++
		if loc != m.Entry {
			s.sizes[s.idom[loc]] += s.sizes[loc]
		}
	}
	return order
}

func (s *structurer) meet(a, b int) int {
	for a != b {
		for s.rpo[a] > s.rpo[b] {
			a = s.idom[a]
		}
		for s.rpo[b] > s.rpo[a] {
			b = s.idom[b]
		}
	}
	return a
}

func (s *structurer) dominates(a, b int) bool {
	for s.rpo[b] > s.rpo[a] {
		b = s.idom[b]
	}
	return a == b
}

// addLoop adds to the natural loop of head what reaches the back edge's source.
func (s *structurer) addLoop(head, from int, preds [][]int) {
	if s.loops[head] == nil {
		s.loops[head] = map[int]bool{head: true}
	}
	for stack := []int{from}; len(stack) > 0; {
		loc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !s.loops[head][loc] {
			s.loops[head][loc] = true
			stack = append(stack, preds[loc]...)
		}
	}
}

// findLoops decides for each loop, outer ones first, which of the locations
// that have one way in is written after it instead of inside it.
func (s *structurer) findLoops(order []int) {
	s.follower, s.after = make([]int, s.m.Locs), make([]bool, s.m.Locs)
	for _, head := range order {
		s.follower[head] = -1
		body := s.loops[head]
		if body == nil {
			continue
		}
		best := -1
		consider := func(to int) {
			if !body[to] && s.dominates(head, to) && !s.merge[to] && !s.after[to] && to != s.m.Exit && (best < 0 || s.sizes[to] > s.sizes[best]) {
				best = to
			}
		}
		if e := s.whileEdges(head); e != nil {
			consider(e[1].To)
		} else if !slices.ContainsFunc(s.merges[head], func(loc int) bool { return !body[loc] }) {
			for _, e := range s.m.Edges {
				if body[e.From] && s.sites[e.To] == nil {
					consider(e.To)
				}
			}
		}
		if best >= 0 {
			s.follower[head], s.after[best] = best, true
		}
	}
}

// branches returns the two edges of a location that is an if.
func (s *structurer) branches(loc int) []Edge {
	out := s.m.Out(loc)
	if len(out) == 2 && out[0].Kind == AssumeEdge && out[1].Kind == AssumeEdge && complementary(out[0].Exprs[0], out[1].Exprs[0]) {
		return out
	}
	return nil
}

// complementary reports whether a is the negation of b as the pool writes it.
// Asking the pool would add terms to it, and printing changes nothing.
func complementary(a, b *term.Term) bool {
	switch {
	case a.IsConst() && b.IsConst():
		return a.IsTrue() != b.IsTrue()
	case a.Op() == term.OpNot:
		return a.Args()[0] == b
	}
	return b.Op() == term.OpNot && b.Args()[0] == a
}

// whileEdges returns the two edges of a head that is "while c": the first goes
// into the loop, the second out of it.
func (s *structurer) whileEdges(head int) []Edge {
	e := s.branches(head)
	if e != nil && s.loops[head][e[0].To] && !s.loops[head][e[1].To] {
		return e
	}
	return nil
}

// An enclosing is the innermost loop around a statement.
type enclosing struct{ head, after int }

// sequence writes locations one after the other; next follows the last.
func (s *structurer) sequence(locs []int, next int, in *enclosing) []*node {
	var list []*node
	for i, loc := range locs {
		follow := next
		if i+1 < len(locs) {
			follow = locs[i+1]
		}
		list = append(list, s.place(loc, follow, in)...)
	}
	return list
}

// place writes loc and everything it dominates, for a place in the text that is
// followed by next.
func (s *structurer) place(loc, next int, in *enclosing) []*node {
	if loc == s.m.Exit {
		return s.jump(loc, next, in)
	}
	if s.loops[loc] == nil {
		follow := next
		if len(s.merges[loc]) > 0 {
			follow = s.merges[loc][0]
		}
		list := []*node{{kind: labelNode, loc: loc}}
		list = append(list, s.own(loc, follow, in)...)
		return append(list, s.sequence(s.merges[loc], next, in)...)
	}

	var inside, outside []int
	for _, x := range s.merges[loc] {
		if s.loops[loc][x] {
			inside = append(inside, x)
		} else {
			outside = append(outside, x)
		}
	}
	if a := s.follower[loc]; a >= 0 {
		outside = slices.Insert(outside, 0, a)
	}
	lp := &enclosing{head: loc, after: next}
	while := s.whileEdges(loc)
	if while != nil {
		lp.after = while[1].To
		if i := slices.Index(outside, lp.after); i > 0 {
			outside = slices.Insert(slices.Delete(outside, i, i+1), 0, lp.after)
		}
	} else if len(outside) > 0 {
		lp.after = outside[0]
	}
	n := &node{kind: whileNode, loc: loc}
	follow := loc
	if len(inside) > 0 {
		follow = inside[0]
	}
	if while != nil {
		n.edge = &while[0]
		n.body = s.reach(&while[0], follow, lp)
	} else {
		n.body = s.own(loc, follow, lp)
	}
	n.body = append(n.body, s.sequence(inside, loc, lp)...)
	list := []*node{{kind: labelNode, loc: loc}, n}
	if len(outside) == 0 {
		list = append(list, s.jump(lp.after, next, in)...)
	} else if outside[0] != lp.after {
		list = append(list, s.jump(lp.after, outside[0], in)...)
	}
	return append(list, s.sequence(outside, next, in)...)
}

// reach writes what an edge leads to: the location itself if this edge is the
// way in to it, else a jump.
func (s *structurer) reach(e *Edge, next int, in *enclosing) []*node {
	if e.To == s.m.Exit || s.merge[e.To] || s.after[e.To] || s.dominates(e.To, e.From) {
		return s.jump(e.To, next, in)
	}
	return s.place(e.To, next, in)
}

// jump goes to a location that is written elsewhere.
func (s *structurer) jump(loc, next int, in *enclosing) []*node {
	switch {
	case loc == next:
		return nil
	case in != nil && loc == in.head:
		return []*node{{kind: continueNode}}
	case in != nil && loc == in.after:
		return []*node{{kind: breakNode}}
	case loc == s.m.Exit:
		return []*node{{kind: returnNode}}
	}
	s.used[loc] = true
	return []*node{{kind: gotoNode, loc: loc}}
}

// own writes the edges of one location.
func (s *structurer) own(loc, next int, in *enclosing) []*node {
	if site := s.sites[loc]; site != nil {
		return []*node{{kind: errorNode, site: site}}
	}
	out := s.m.Out(loc)
	if len(out) == 0 {
		return []*node{{kind: stopNode}}
	}
	if len(out) == 1 {
		return s.step(&out[0], next, in)
	}
	if s.branches(loc) != nil {
		return s.ifNodes(&out[0], &out[1], next, in)
	}
	n := &node{kind: choiceNode}
	for i := range out {
		n.alts = append(n.alts, s.step(&out[i], next, in))
	}
	return []*node{n}
}

// step writes one edge and what it leads to.
func (s *structurer) step(e *Edge, next int, in *enclosing) []*node {
	if e.To == s.m.Exit && e.Kind == AssignEdge && len(e.Vars) > 0 && slices.Equal(e.Vars, s.m.Results) {
		return []*node{{kind: returnNode, edge: e}}
	}
	return append([]*node{{kind: edgeNode, edge: e}}, s.reach(e, next, in)...)
}

// ifNodes writes a branch. A side that does not go on is written inside the if
// and the other after it, unless that one is the lighter.
func (s *structurer) ifNodes(yes, no *Edge, next int, in *enclosing) []*node {
	n := &node{kind: ifNode, edge: yes, body: s.reach(yes, next, in), els: s.reach(no, next, in)}
	if len(n.body) == 0 && len(n.els) > 0 {
		// Say where an empty branch goes, if there is a word for it.
		if in != nil && yes.To == in.head {
			n.body = []*node{{kind: continueNode}}
		} else if in == nil && yes.To == s.m.Exit {
			n.body = []*node{{kind: returnNode}}
		}
	}
	yesEnds, noEnds := s.ends(n.body), s.ends(n.els)
	var rest []*node
	switch {
	case yesEnds && (!noEnds || weight(n.body) <= weight(n.els)):
		rest, n.els = n.els, nil
	case noEnds && weight(n.body) > weight(n.els):
		rest, n.body = n.body, nil
	}
	return append([]*node{n}, rest...)
}

// ends reports whether control surely does not reach the end of list.
func (s *structurer) ends(list []*node) bool {
	if len(list) == 0 {
		return false
	}
	n := list[len(list)-1]
	switch n.kind {
	case returnNode, errorNode, stopNode, breakNode, continueNode, gotoNode:
		return true
	case ifNode:
		return s.ends(n.body) && s.ends(n.els)
	case choiceNode:
		return !slices.ContainsFunc(n.alts, func(alt []*node) bool { return !s.ends(alt) })
	}
	return false
}

// weight is the number of statements.
func weight(list []*node) int {
	w := 0
	for _, n := range list {
		if n.kind != labelNode {
			w += 1 + weight(n.body) + weight(n.els)
		}
		for _, alt := range n.alts {
			w += weight(alt)
		}
	}
	return w
}

// dropLabels removes labels that no goto uses.
func (s *structurer) dropLabels(list []*node) []*node {
	out := list[:0]
	for _, n := range list {
		if n.kind == labelNode && !s.used[n.loc] {
			continue
		}
		n.body, n.els = s.dropLabels(n.body), s.dropLabels(n.els)
		for i := range n.alts {
			n.alts[i] = s.dropLabels(n.alts[i])
		}
		out = append(out, n)
	}
	return out
}
