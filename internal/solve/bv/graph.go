// SPDX-License-Identifier: Apache-2.0

package bv

// This file is the and-inverter graph: nodes without names, hashed by structure
// so that equal circuits are built once, and simplified while they are built by
// the rules of Brummayer and Biere ("Local two-level and-inverter graph
// minimization without blowup", MEMICS 2006) that need no look beyond the
// operands of operands.
//
// Exclusive or, multiplexer and majority are nodes of their own. Three ands
// could say each of them, but arithmetic is made of little else, and as nodes
// they need fewer clauses, which propagate more, and fewer look-ups to build.

// An edge is a node with an optional complement: 2*node, plus 1 if complemented.
// Node 0 is the constant false.
type edge uint32

const (
	no  edge = 0
	yes edge = 1
)

func (e edge) node() uint32     { return uint32(e >> 1) }
func (e edge) complement() bool { return e&1 != 0 }

// flip is e, or its complement if c is complemented.
func (e edge) flip(c edge) edge { return e ^ c&1 }

type kind uint8

const (
	constNode kind = iota
	inputNode      // a is the index of the input
	andNode        // a < b
	xorNode        // a < b, not complemented
	muxNode        // a ? b : c, a and b not complemented
	majNode        // a < b < c, at most one complemented
)

// A node is a gate. Operands have smaller numbers than the node.
type node struct {
	a, b, c edge
	kind    kind
	refs    uint8 // nodes that have it as an operand, up to 2
	sent    uint8 // clauses emitted: see cnf.go
}

// A graph is a set of gates.
type graph struct {
	nodes []node
	table []uint32 // open addressing; 0 is empty
	used  int
}

func newGraph() *graph {
	return &graph{nodes: make([]node, 1, 1024), table: make([]uint32, 4096)}
}

// input makes a node that is not determined by others.
func (g *graph) input(index int) edge {
	g.nodes = append(g.nodes, node{a: edge(index), kind: inputNode})
	return edge(len(g.nodes)-1) << 1
}

func hash(k kind, a, b, c edge) uint32 {
	h := uint64(a)*0x9e3779b97f4a7c15 ^ uint64(b)*0xc2b2ae3d27d4eb4f ^ uint64(c)*0x165667b19e3779f9 ^ uint64(k)<<61
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return uint32(h >> 32)
}

// make returns the node with exactly these operands.
func (g *graph) make(k kind, a, b, c edge) edge {
	mask := uint32(len(g.table) - 1)
	i := hash(k, a, b, c) & mask
	for ; g.table[i] != 0; i = (i + 1) & mask {
		n := g.table[i]
		if x := &g.nodes[n]; x.a == a && x.b == b && x.c == c && x.kind == k {
			return edge(n) << 1
		}
	}
	n := uint32(len(g.nodes))
	g.nodes = append(g.nodes, node{a: a, b: b, c: c, kind: k})
	g.refer(a)
	g.refer(b)
	if k >= muxNode {
		g.refer(c)
	}
	g.table[i] = n
	if g.used++; 2*g.used > len(g.table) {
		g.grow()
	}
	return edge(n) << 1
}

func (g *graph) refer(e edge) {
	if x := &g.nodes[e.node()]; x.refs < 2 {
		x.refs++
	}
}

func (g *graph) grow() {
	g.table = make([]uint32, 2*len(g.table))
	mask := uint32(len(g.table) - 1)
	for n := range g.nodes {
		x := &g.nodes[n]
		if x.kind < andNode {
			continue
		}
		i := hash(x.kind, x.a, x.b, x.c) & mask
		for g.table[i] != 0 {
			i = (i + 1) & mask
		}
		g.table[i] = uint32(n)
	}
}

func (g *graph) or(a, b edge) edge   { return g.and(a^1, b^1) ^ 1 }
func (g *graph) xnor(a, b edge) edge { return g.xor(a, b) ^ 1 }

// and is the conjunction. Every recursive call has an operand that is nearer to
// the inputs.
func (g *graph) and(a, b edge) edge {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == no || a == b^1:
		return no
	case a == yes || a == b:
		return b
	}
	if r, ok := g.under(a, b); ok {
		return r
	}
	if r, ok := g.under(b, a); ok {
		return r
	}
	x, y := &g.nodes[a.node()], &g.nodes[b.node()]
	if x.kind == andNode && y.kind == andNode {
		switch {
		case !a.complement() && !b.complement():
			if x.a == y.a^1 || x.a == y.b^1 || x.b == y.a^1 || x.b == y.b^1 {
				return no // both conjunctions cannot hold
			}
		case !a.complement():
			if r, ok := g.without(a, x, y); ok {
				return r
			}
		case !b.complement():
			if r, ok := g.without(b, y, x); ok {
				return r
			}
		default: // !(p & q) & !(p & !q) is !p
			switch {
			case x.a == y.a && x.b == y.b^1, x.a == y.b && x.b == y.a^1:
				return x.a ^ 1
			case x.b == y.b && x.a == y.a^1, x.b == y.a && x.a == y.b^1:
				return x.b ^ 1
			}
		}
	}
	return g.make(andNode, a, b, 0)
}

// without simplifies p & !(y.a & y.b), where p is the conjunction of x.a and x.b.
func (g *graph) without(p edge, x, y *node) (edge, bool) {
	switch {
	case x.a == y.a^1 || x.a == y.b^1 || x.b == y.a^1 || x.b == y.b^1:
		return p, true
	case x.a == y.a || x.b == y.a:
		return g.and(p, y.b^1), true
	case x.a == y.b || x.b == y.b:
		return g.and(p, y.a^1), true
	}
	return 0, false
}

// under simplifies e & p if p is an operand of e: inside of e, p is true.
func (g *graph) under(p, e edge) (edge, bool) {
	x := g.nodes[e.node()]
	c := e & 1
	switch x.kind {
	case andNode:
		switch {
		case c == 0 && (p == x.a || p == x.b):
			return e, true
		case c == 0 && (p == x.a^1 || p == x.b^1):
			return no, true
		case c == 1 && (p == x.a^1 || p == x.b^1):
			return p, true
		case c == 1 && p == x.a:
			return g.and(p, x.b^1), true
		case c == 1 && p == x.b:
			return g.and(p, x.a^1), true
		}
	case xorNode:
		switch p | 1 {
		case x.a | 1:
			return g.and(p, (x.b ^ 1).flip(p).flip(c)), true
		case x.b | 1:
			return g.and(p, (x.a ^ 1).flip(p).flip(c)), true
		}
	case muxNode:
		switch p {
		case x.a:
			return g.and(p, x.b.flip(c)), true
		case x.a ^ 1:
			return g.and(p, x.c.flip(c)), true
		}
	}
	return 0, false
}

// xor is the exclusive or.
func (g *graph) xor(a, b edge) edge {
	c := (a ^ b) & 1
	a, b = a&^1, b&^1
	if a > b {
		a, b = b, a
	}
	switch {
	case a == b:
		return no.flip(c)
	case a == no:
		return b.flip(c)
	}
	// (p ^ q) ^ p is q; with b the younger one, a may be its operand.
	if y := &g.nodes[b.node()]; y.kind == xorNode {
		switch a {
		case y.a:
			return y.b.flip(c)
		case y.b:
			return y.a.flip(c)
		}
	}
	return g.make(xorNode, a, b, 0).flip(c)
}

// mux is s ? x : y.
func (g *graph) mux(s, x, y edge) edge {
	if s.complement() {
		s, x, y = s^1, y, x
	}
	if n := &g.nodes[x.node()]; n.kind == muxNode && n.a == s {
		x = n.b.flip(x)
	}
	if n := &g.nodes[y.node()]; n.kind == muxNode && n.a == s {
		y = n.c.flip(y)
	}
	switch {
	case s == no:
		return y
	case x == y:
		return x
	case x == y^1:
		return g.xnor(s, x)
	case x == yes || x == s:
		return g.or(s, y)
	case x == no || x == s^1:
		return g.and(s^1, y)
	case y == yes || y == s^1:
		return g.or(s^1, x)
	case y == no || y == s:
		return g.and(s, x)
	}
	c := x & 1
	return g.make(muxNode, s, x^c, y^c).flip(c)
}

// maj is true if at least two operands are.
func (g *graph) maj(a, b, c edge) edge {
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
	}
	if a > b {
		a, b = b, a
	}
	switch {
	case a == no:
		return g.and(b, c)
	case a == yes:
		return g.or(b, c)
	case a == b:
		return a
	case b == c:
		return b
	case a == b^1:
		return c
	case b == c^1:
		return a
	}
	// Majority is its own dual.
	if a&1+b&1+c&1 >= 2 {
		return g.maj(a^1, b^1, c^1) ^ 1
	}
	return g.make(majNode, a, b, c)
}

// ands is the conjunction of es, as a balanced tree.
func (g *graph) ands(es []edge) edge {
	switch len(es) {
	case 0:
		return yes
	case 1:
		return es[0]
	}
	m := len(es) / 2
	return g.and(g.ands(es[:m]), g.ands(es[m:]))
}
