// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves facts about values that are loaded: what was stored before, and
// which other loads have the same value.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxSegment is how many blocks are looked at between two loads.
const maxSegment = 60

// A segment is the code between two instructions, of which the first dominates
// the second, and a location.
type segment struct {
	from, to ssa.Instruction
	at       location
}

// loadNotNil reports whether what a load reads is not nil; at is a point after it.
func (p *prover) loadNotNil(v *ssa.UnOp, at point) bool {
	switch a := v.X.(type) {
	case *ssa.Global:
		if p.globalNotNil(a) {
			return true
		}
	case *ssa.FieldAddr:
		if p.fieldNotNil(fieldVar(a), deref(a.X.Type())) || p.flaggedNotNil(a, at) {
			return true
		}
	case *ssa.FreeVar:
		if p.capturedNotNil(a) {
			return true
		}
	case *ssa.IndexAddr:
		if _, ok := a.X.Type().Underlying().(*types.Slice); ok && p.holdsNoNil(a.X, false) {
			return true
		}
	case *ssa.Alloc:
		if p.variableNotNil(a, pointAt(v), false) {
			return true
		}
	}
	return p.stored(v, at) || p.passedField(v, false)
}

func fieldVar(a *ssa.FieldAddr) *types.Var {
	return structOf(deref(a.X.Type())).Field(a.Field).Origin()
}

// structOf is the struct that a type is; of a type parameter, whose literals code may write, the first one that may stand for it.
func structOf(t types.Type) *types.Struct {
	for {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			return u
		case *types.Interface:
			t = u.EmbeddedType(0)
		case *types.Union:
			t = u.Term(0).Type()
		}
	}
}

// stored reports whether a store before wrote what a load reads, and that is not nil
// at a point after the load.
func (p *prover) stored(v *ssa.UnOp, after point) bool {
	l := p.at(v.X)
	if l == nil {
		return false
	}
	at := pointAt(v)
	for _, b := range v.Parent().Blocks {
		if b != v.Block() && !b.Dominates(v.Block()) {
			continue
		}
		for _, i := range b.Instrs {
			s, ok := i.(*ssa.Store)
			if !ok || !precedes(s, at) || !p.sameAddress(s.Addr, v.X) {
				continue
			}
			if p.unchanged(segment{s, v, l}) && p.notNil(s.Val, after) {
				return true
			}
		}
	}
	return p.located[v.Parent()] && p.inMemory(v.X, l, at)
}

// inMemory reports whether the variable at an address is not nil at a point: on each way
// back from there something that is not nil was stored, or the variable was tested, before
// anything else may have written it.
func (p *prover) inMemory(addr ssa.Value, l location, at point) bool {
	return p.once(fact{kind: memoryFact, v: addr, at: at}, func() bool {
		for n := at.n - 1; n >= 0; n-- {
			if p.steps++; p.steps > p.limit {
				return false
			}
			switch i := at.b.Instrs[n].(type) {
			case *ssa.Store:
				if p.sameAddress(i.Addr, addr) {
					return p.notNil(i.Val, at)
				}
			case *ssa.UnOp:
				if i.Op == token.MUL && p.sameAddress(i.X, addr) && p.testedHere(i, at) {
					return true
				}
			}
			if p.mayWriteAt(at.b.Instrs[n], l) {
				return false
			}
		}
		if len(at.b.Preds) == 0 {
			return false
		}
		// The address was known before the block.
		addr := p.earlier(addr, at.b)
		if addr == nil {
			return false
		}
		for _, b := range at.b.Preds {
			if !p.inMemory(addr, l, point{b, len(b.Instrs), at.b}) {
				return false
			}
		}
		return true
	})
}

// definedBefore reports whether what an address is computed from was computed before
// a block.
func (p *prover) definedBefore(addr ssa.Value, b *ssa.BasicBlock) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
			continue
		case ssa.Instruction:
			return a.Block() != b && a.Block().Dominates(b)
		}
		return true
	}
}

// earlier returns an address that was computed before a block and is the same there; nil
// if there is none.
func (p *prover) earlier(addr ssa.Value, b *ssa.BasicBlock) ssa.Value {
	if p.definedBefore(addr, b) {
		return addr
	}
	x, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	for d := b.Idom(); d != nil; d = d.Idom() {
		for _, i := range d.Instrs {
			if p.steps++; p.steps > p.limit {
				return nil
			}
			if y, ok := i.(*ssa.FieldAddr); ok && y.Field == x.Field && p.sameAddress(y, x) && p.definedBefore(y, b) {
				return y
			}
		}
	}
	return nil
}

// sameLoads returns the loads in a function whose value is that of a load.
func (p *prover) sameLoads(v *ssa.UnOp) []*ssa.UnOp {
	l := p.at(v.X)
	if l == nil {
		return nil
	}
	var same []*ssa.UnOp
	for _, u := range p.loadsOf(v.Parent())[l] {
		if u != v && p.sameValue(u, v) {
			same = append(same, u)
		}
	}
	return same
}

// loadsOf returns the loads in a function, by location.
func (p *prover) loadsOf(fn *ssa.Function) map[location][]*ssa.UnOp {
	all := p.loads[fn]
	if all == nil {
		all = map[location][]*ssa.UnOp{}
		p.loads[fn] = all
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if u, ok := i.(*ssa.UnOp); ok && u.Op == token.MUL {
					if l := p.at(u.X); l != nil {
						all[l] = append(all[l], u)
					}
				}
			}
		}
	}
	return all
}

// sameValue reports whether two values are equal wherever both are defined: they are
// one, or loads of one variable between which nothing writes it.
func (p *prover) sameValue(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok1 := a.(*ssa.UnOp)
	y, ok2 := b.(*ssa.UnOp)
	if !ok1 || !ok2 || x.Op != token.MUL || y.Op != token.MUL || x.Parent() != y.Parent() || !p.sameAddress(x.X, y.X) {
		return false
	}
	l := p.at(x.X)
	if l == nil {
		return false
	}
	switch {
	case precedes(x, pointAt(y)):
		return p.unchanged(segment{x, y, l})
	case precedes(y, pointAt(x)):
		return p.unchanged(segment{y, x, l})
	}
	// Neither comes before the other one, but both have the value of one that comes before, once.
	for _, u := range p.loadsOf(x.Parent())[l] {
		if p.steps++; p.steps > p.limit {
			return false
		}
		if precedes(u, pointAt(x)) && precedes(u, pointAt(y)) && p.sameAddress(u.X, x.X) && p.unchanged(segment{u, x, l}) && p.unchanged(segment{u, y, l}) && !p.c.loopBlocks(x.Parent())[u.Block()] {
			return true
		}
	}
	return false
}

// sameAddress reports whether two addresses are equal wherever both are defined.
func (p *prover) sameAddress(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	if p.steps++; p.steps > p.limit {
		return false
	}
	x, ok1 := a.(*ssa.FieldAddr)
	y, ok2 := b.(*ssa.FieldAddr)
	if ok1 && ok2 {
		return x.Field == y.Field && types.Identical(x.X.Type(), y.X.Type()) && (p.sameAddress(x.X, y.X))
	}
	return p.sameValue(a, b)
}

// unchanged reports whether nothing writes a location in a segment: on the ways from
// its beginning to its end that do not pass the beginning again.
func (p *prover) unchanged(s segment) bool {
	if r, ok := p.segments[s]; ok {
		return r
	}
	// Of code that was not looked at it is not known which addresses it takes.
	r := p.located[s.from.Parent()] && p.isUnchanged(s)
	p.segments[s] = r
	return r
}

func (p *prover) isUnchanged(s segment) bool {
	first, last := s.from.Block(), s.to.Block()
	quiet := func(list []ssa.Instruction) bool {
		for _, i := range list {
			if p.mayWriteAt(i, s.at) {
				return false
			}
		}
		return true
	}
	from, to := pointAt(s.from).n, pointAt(s.to).n
	if first == last && from < to {
		return quiet(first.Instrs[from+1 : to])
	}
	if !quiet(last.Instrs[:to]) || !quiet(first.Instrs[from+1:]) {
		return false
	}
	seen := map[*ssa.BasicBlock]bool{first: true}
	for work := append([]*ssa.BasicBlock{}, last.Preds...); len(work) > 0; {
		b := work[0]
		work = work[1:]
		if seen[b] {
			continue
		}
		seen[b] = true
		if len(seen) > maxSegment || !quiet(b.Instrs) {
			return false
		}
		work = append(work, b.Preds...)
	}
	return true
}

// writesNothing reports whether a call is one of a builtin, of a function of which a contract says that it changes nothing, or
// of one that only reads.
func (p *prover) writesNothing(i *ssa.Call) bool {
	if _, ok := i.Call.Value.(*ssa.Builtin); ok {
		return true
	}
	if e := p.effects[i]; e != nil {
		return !e.changes
	}
	g := i.Call.StaticCallee()
	if g == nil {
		return false
	}
	_, ok := p.onlyReads(g)
	return ok
}

// mayWriteAt reports whether an instruction may write a location.
func (p *prover) mayWriteAt(i ssa.Instruction, at location) bool {
	at = p.find(at)
	if p.isShared(at, i.Parent()) && p.syncs(i) {
		return true
	}
	among := func(list []location) bool {
		for _, l := range list {
			if p.find(l) == at {
				return true
			}
		}
		return false
	}
	switch i := i.(type) {
	case *ssa.Store:
		return among(p.parts(i.Addr))
	case *ssa.Convert:
		return p.c.isNumbered(i) && among(p.numberWrites(i))
	case *ssa.RunDefers:
		return true
	case *ssa.Defer, *ssa.Go:
		return false
	case *ssa.Call:
		if p.wary && !p.writesNothing(i) {
			return true
		}
		s := &summary{}
		p.summarizeCall(s, i)
		if s.opaque || among(s.writes) {
			return true
		}
		if len(s.given) > 0 {
			m := &modified{nodes: s.given}
			if p.reach.all(m)[at] {
				return true
			}
		}
		for _, g := range s.callees {
			if len(g.Blocks) == 0 || p.onAnother(i, g) {
				continue
			}
			m := p.effectsOf(g)
			if m == nil || p.reach.all(m)[at] {
				return true
			}
		}
	}
	return false
}

// globalNotNil reports whether a package variable is not nil after initialization.
func (p *prover) globalNotNil(g *ssa.Global) bool {
	u := p.c.uses(g)
	if u.changed || u.unknown {
		return false
	}
	v := u.initial[""]
	if v == nil {
		return false
	}
	return p.once(fact{kind: globalFact, v: g}, func() bool {
		i, ok := v.(ssa.Instruction)
		if !ok {
			return p.notNil(v, point{})
		}
		return p.notNil(v, point{b: i.Block(), n: len(i.Block().Instrs)})
	})
}
