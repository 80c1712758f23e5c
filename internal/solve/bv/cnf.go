// SPDX-License-Identifier: Apache-2.0

package bv

// This file gives gates clauses, when a question first needs them and only in
// the polarity in which it needs them (Plaisted and Greenbaum 1986): a gate that
// is only ever assumed true gets the clauses that make its operands right, not
// those that make it true when they are. Exclusive ors and the conditions of
// multiplexers need their operands both ways; the other gates are monotone.
//
// All clauses are such definitions, or have a negated literal of their own that
// nothing else has (see project.go), or keep enums in their domains. So a
// solution of the clauses over a set of nodes that has the operands of each of
// its nodes extends to all clauses: give each other gate the value of its
// operands, in their order. The sat solver calls such a set closed.

import (
	"github.com/interlock-go/interlock/internal/solve/sat"
	"github.com/interlock-go/interlock/internal/term"
)

// Bits of node.sent: the clauses for the gate being true, being false.
const (
	whenTrue  = 1
	whenFalse = 2
)

// An encoder gives nodes variables and clauses.
type encoder struct {
	*blaster
	vars   []int32  // by node: 1 + variable, 0 for none
	nodeOf []uint32 // by variable
	newVar func() int
	add    func(lits ...sat.Lit)

	work   []need
	leaves []edge
	lits   []sat.Lit
}

// need is a node with the polarities in which it is needed.
type need struct {
	n    uint32
	mask uint8
}

// lit is the literal of e, which may be new.
func (c *encoder) lit(e edge) sat.Lit {
	n := int(e.node())
	if n >= len(c.vars) {
		c.vars = append(c.vars, make([]int32, len(c.nodes)+len(c.nodes)/2-len(c.vars))...)
	}
	if c.vars[n] == 0 {
		v := c.newVar()
		c.vars[n] = int32(v) + 1
		for len(c.nodeOf) <= v {
			c.nodeOf = append(c.nodeOf, 0)
		}
		c.nodeOf[v] = uint32(n)
	}
	return sat.Lit(c.vars[n]-1)<<1 | sat.Lit(e&1)
}

// has says whether node n has a variable.
func (c *encoder) has(n uint32) bool { return int(n) < len(c.vars) && c.vars[n] != 0 }

// needs is the need for e to be what it is assumed to be.
func needs(e edge, mask uint8) need {
	if e.complement() {
		mask = mask>>1 | mask<<1&whenFalse
	}
	return need{e.node(), mask}
}

// encode returns the literal of e with the clauses that make it mean e when it is
// assumed true. The edge must not be constant.
func (c *encoder) encode(e edge) sat.Lit {
	c.work = append(c.work[:0], needs(e, whenTrue))
	for len(c.work) > 0 {
		w := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		c.gate(w)
	}
	return c.lit(e)
}

// gate emits the clauses of one node that are needed and missing.
func (c *encoder) gate(w need) {
	x := &c.nodes[w.n]
	mask := w.mask &^ x.sent
	if mask == 0 || x.kind <= inputNode {
		return
	}
	x.sent |= mask
	o := c.lit(edge(w.n) << 1)
	push := func(e edge, mask uint8) { c.work = append(c.work, needs(e, mask)) }
	switch x.kind {
	case andNode:
		c.conjuncts(w.n)
		leaves := c.leaves
		lits := c.lits[:0]
		for _, e := range leaves {
			push(e, mask)
			lits = append(lits, c.lit(e))
		}
		if mask&whenTrue != 0 {
			for _, l := range lits {
				c.add(o^1, l)
			}
		}
		if mask&whenFalse != 0 {
			for i := range lits {
				lits[i] ^= 1
			}
			lits = append(lits, o)
			c.add(lits...)
		}
		c.lits = lits
	case xorNode:
		push(x.a, whenTrue|whenFalse)
		push(x.b, whenTrue|whenFalse)
		a, b := c.lit(x.a), c.lit(x.b)
		if mask&whenTrue != 0 {
			c.add(o^1, a, b)
			c.add(o^1, a^1, b^1)
		}
		if mask&whenFalse != 0 {
			c.add(o, a, b^1)
			c.add(o, a^1, b)
		}
	case muxNode:
		push(x.a, whenTrue|whenFalse)
		push(x.b, mask)
		push(x.c, mask)
		s, a, b := c.lit(x.a), c.lit(x.b), c.lit(x.c)
		// The third clause of each kind follows from the others, but not by
		// unit propagation.
		if mask&whenTrue != 0 {
			c.add(o^1, s^1, a)
			c.add(o^1, s, b)
			c.add(o^1, a, b)
		}
		if mask&whenFalse != 0 {
			c.add(o, s^1, a^1)
			c.add(o, s, b^1)
			c.add(o, a^1, b^1)
		}
	case majNode:
		push(x.a, mask)
		push(x.b, mask)
		push(x.c, mask)
		p, q, r := c.lit(x.a), c.lit(x.b), c.lit(x.c)
		if mask&whenTrue != 0 {
			c.add(o^1, p, q)
			c.add(o^1, p, r)
			c.add(o^1, q, r)
		}
		if mask&whenFalse != 0 {
			c.add(o, p^1, q^1)
			c.add(o, p^1, r^1)
			c.add(o, q^1, r^1)
		}
	}
}

// maxLeaves bounds the conjunctions that become one gate of many operands.
const maxLeaves = 64

// conjuncts sets leaves to the operands of the conjunction of node n, taken
// together with the conjunctions that only it uses. One that gets a second user
// later gets its own clauses then.
func (c *encoder) conjuncts(n uint32) {
	out := append(c.leaves[:0], c.nodes[n].a, c.nodes[n].b)
	for i := 0; i < len(out) && len(out) < maxLeaves; {
		e := out[i]
		x := &c.nodes[e.node()]
		if e.complement() || x.kind != andNode || x.refs > 1 || x.sent != 0 {
			i++
			continue
		}
		out[i] = x.a
		out = append(out, x.b)
	}
	c.leaves = out
}

// CNF is the conjunction of ts as clauses, for other solvers.
func CNF(ts ...*term.Term) *sat.CNF {
	f := &sat.CNF{}
	c := &encoder{blaster: newBlaster()}
	c.newVar = func() int { f.Vars++; return f.Vars - 1 }
	c.add = func(lits ...sat.Lit) { f.Clauses = append(f.Clauses, append([]sat.Lit(nil), lits...)) }
	c.domain = c.domainClauses
	for _, t := range ts {
		switch e := c.bool(t); e {
		case yes:
		case no:
			c.add()
		default:
			c.add(c.encode(e))
		}
	}
	return f
}

// domainClauses keeps an enum variable among its values. The clauses only have
// negated literals, so bits outside of a question can be false.
func (c *encoder) domainClauses(t *term.Term, w word) {
	last := len(t.Sort().Enum.Values) - 1
	// code > last iff at some bit code is 1 and last 0, and code has all ones
	// of last above.
	for i := range w {
		if last>>i&1 != 0 {
			continue
		}
		lits := []sat.Lit{c.lit(w[i]) ^ 1}
		for j := i + 1; j < len(w); j++ {
			if last>>j&1 != 0 {
				lits = append(lits, c.lit(w[j])^1)
			}
		}
		c.add(lits...)
	}
}

// visit appends to cone the nodes that the node of e is made of, itself included,
// and stamps them. Nodes already stamped are skipped.
func (c *encoder) visit(e edge, stamp []uint32, now uint32, cone []uint32) []uint32 {
	n := e.node()
	if stamp[n] == now || n == 0 {
		return cone
	}
	stamp[n] = now
	first := len(cone)
	cone = append(cone, n)
	for i := first; i < len(cone); i++ {
		x := &c.nodes[cone[i]]
		if x.kind < andNode {
			continue
		}
		if m := x.a.node(); stamp[m] != now {
			stamp[m] = now
			cone = append(cone, m)
		}
		if m := x.b.node(); stamp[m] != now {
			stamp[m] = now
			cone = append(cone, m)
		}
		if x.kind >= muxNode {
			if m := x.c.node(); stamp[m] != now {
				stamp[m] = now
				cone = append(cone, m)
			}
		}
	}
	return cone
}
