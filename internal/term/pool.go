// SPDX-License-Identifier: Apache-2.0

package term

// This file is the hash-consing table and the leaves: constants and variables.
// The table chains terms through a field of the term; a Go map would need a
// comparable key, and argument lists of any length are not comparable.
// Terms are never freed: a pool lives as long as the analysis of one program.

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
)

// A Pool builds terms and makes equal ones identical. It is not safe for
// concurrent use; its terms are immutable and may be read concurrently.
//
// The constructors panic on arguments of the wrong sort and must only be given
// terms of the same pool.
type Pool struct {
	terms  []*Term // by ID
	table  []*Term // hash chains; the length is a power of two
	count  int     // terms in table
	vars   map[varKey]*Term
	consts map[constKey]*Term
	// extracts remembers results of Extract, which descends into its
	// argument: without it a shared subterm would be descended into once per
	// occurrence.
	extracts map[extractKey]*Term
	pairs    map[pairKey]*Term // of pair

	rewrites int // see Rewrites

	// marks, by ID, and their round are those of absorb.
	marks []mark
	round uint32

	// memo, by ID, and its round are those of rewrite.
	memo      []memoEntry
	memoRound uint32

	true, false *Term
}

type varKey struct {
	name string
	sort Sort
}

type constKey struct {
	sort Sort
	val  Value
}

type extractKey struct {
	t      *Term
	hi, lo int
}

// NewPool returns a pool that holds only true and false.
func NewPool() *Pool {
	p := &Pool{
		table:    make([]*Term, 256),
		vars:     make(map[varKey]*Term),
		consts:   make(map[constKey]*Term),
		extracts: make(map[extractKey]*Term),
	}
	p.false = p.Const(BoolSort, Value{})
	p.true = p.Const(BoolSort, one)
	return p
}

// Len is the number of terms in the pool; their IDs are 0..Len-1.
func (p *Pool) Len() int { return len(p.terms) }

// Rewrites is how many terms substitutions have looked at: what they take, also where nothing
// new comes of it.
func (p *Pool) Rewrites() int { return p.rewrites }

// True is the constant true.
func (p *Pool) True() *Term { return p.true }

// False is the constant false.
func (p *Pool) False() *Term { return p.false }

// Bool is the constant b.
func (p *Pool) Bool(b bool) *Term {
	if b {
		return p.true
	}
	return p.false
}

// Const is the constant v of sort s. It panics if v is not a value of s.
func (p *Pool) Const(s Sort, v Value) *Term {
	k := constKey{s, v}
	if t := p.consts[k]; t != nil {
		return t
	}
	if !s.Valid(v) {
		panic(fmt.Sprintf("term.Const: %#x:%#x is not a value of sort %s", v.Hi, v.Lo, s))
	}
	t := p.own(&Term{op: OpConst, sort: s, val: v})
	p.consts[k] = t
	return t
}

// Int is the bit-vector constant x, two's complement.
func (p *Pool) Int(width int, x int64) *Term { return p.Const(BV(width), ValueOf(width, x)) }

// BigInt is the bit-vector constant x modulo 2^width.
func (p *Pool) BigInt(width int, x *big.Int) *Term {
	return p.Const(BV(width), ValueOfBig(width, x))
}

// EnumValue is the constant of the enum e with the given name, or nil if e has
// no such value.
func (p *Pool) EnumValue(e *Enum, name string) *Term {
	i := slices.Index(e.Values, name)
	if i < 0 {
		return nil
	}
	return p.Const(EnumOf(e), Value{Lo: uint64(i)})
}

// Var is the variable with a name and a sort. The same name with another sort
// is another variable.
func (p *Pool) Var(name string, s Sort) *Term {
	k := varKey{name, s}
	if t := p.vars[k]; t != nil {
		return t
	}
	if s.Kind == 0 {
		panic("term.Var: " + name + " has no sort")
	}
	t := p.own(&Term{op: OpVar, sort: s, name: name})
	p.vars[k] = t
	return t
}

// own gives a new term its ID.
func (p *Pool) own(t *Term) *Term {
	t.id = uint32(len(p.terms))
	if t.op == OpVar {
		t.vars = 1 << (t.id * 0x9e3779b1 >> 26)
	}
	for _, a := range t.args {
		t.vars |= a.vars
	}
	p.terms = append(p.terms, t)
	return t
}

// find returns the term with exactly this operator and these arguments, or nil,
// and the hash of the two.
func (p *Pool) find(op Op, val Value, args []*Term) (*Term, uint32) {
	h := uint32(op)*0x9e3779b1 ^ uint32(val.Lo)*0x85ebca6b ^ uint32(val.Hi)*0xc2b2ae35
	for _, a := range args {
		h = (h ^ a.id) * 0x01000193
		h ^= h >> 15
	}
	for t := p.table[h&uint32(len(p.table)-1)]; t != nil; t = t.next {
		if t.hash == h && t.op == op && t.val == val && slices.Equal(t.args, args) {
			return t, h
		}
	}
	return nil, h
}

// mk returns the term with exactly this operator and these arguments. It keeps
// args, which the caller must not change afterwards.
func (p *Pool) mk(op Op, s Sort, val Value, args ...*Term) *Term {
	t, h := p.find(op, val, args)
	if t != nil {
		return t
	}
	if p.count >= len(p.table) {
		p.grow()
	}
	t = p.own(&Term{op: op, sort: s, val: val, args: args, hash: h})
	if op == OpAnd || op == OpOr {
		for _, a := range args {
			t.filter |= filter(a)
		}
	}
	i := h & uint32(len(p.table)-1)
	t.next, p.table[i] = p.table[i], t
	p.count++
	return t
}

func (p *Pool) grow() {
	old := p.table
	p.table = make([]*Term, 2*len(old))
	for _, t := range old {
		for t != nil {
			next := t.next
			i := t.hash & uint32(len(p.table)-1)
			t.next, p.table[i] = p.table[i], t
			t = next
		}
	}
}

func byID(a, b *Term) int { return cmp.Compare(a.id, b.id) }

// needBool panics unless all of ts are booleans.
func needBool(who string, ts ...*Term) {
	for _, t := range ts {
		if t.sort.Kind != BoolKind {
			panic(fmt.Sprintf("term.%s: want bool, have %s: %s", who, t.sort, t))
		}
	}
}

// needBV panics unless ts are bit-vectors of one width, which it returns.
func needBV(who string, ts ...*Term) int {
	for _, t := range ts {
		if t.sort.Kind != BitVecKind {
			panic(fmt.Sprintf("term.%s: want a bit-vector, have %s: %s", who, t.sort, t))
		}
		if t.sort != ts[0].sort {
			panic(fmt.Sprintf("term.%s: sorts %s and %s differ: %s, %s", who, ts[0].sort, t.sort, ts[0], t))
		}
	}
	return ts[0].sort.Width
}

// needSame panics unless a and b have the same sort.
func needSame(who string, a, b *Term) {
	if a.sort != b.sort {
		panic(fmt.Sprintf("term.%s: sorts %s and %s differ: %s, %s", who, a.sort, b.sort, a, b))
	}
}
