// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves invariants of objects with a position in a buffer: a field is never negative,
// and at most the length of another field, or at most another field (0 <= r <= w <= len(buf)). It is
// the induction over the life of an object of Hoare (Acta Informatica 1972): a new object,
// whose fields are zero, has the invariant, and so has it after every store of a field that
// it mentions, if it had it before.
//
// Between two stores of one object the invariant may be broken, as long as nothing reads the
// fields or calls anything. All objects of the type must come from code that runs here: the
// type is the component's, and nobody hands one in, or it is not exported. Fields are not
// exported and their addresses not taken.
//
// Octagons (Miné, 2006) over all fields were not chosen: the question is always about one pair.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxWindow is how many instructions, over jumps, a broken invariant is followed.
const maxWindow = 40

// An invariant says that a field is at most another one, or its length; without another
// one, that it is not negative.
type invariant struct {
	of, most *types.Var
	len      bool
}

// leByInvariant is about fields: a <= b + c.
func (p *prover) leByInvariant(a, b bound, c int64) bool {
	if c < 0 || a.len {
		return false
	}
	if a.v == nil {
		y, g := fieldLoad(b.v)
		return y != nil && !b.len && p.keeps(deref(g.X.Type()), invariant{of: fieldVar(g)})
	}
	x, f := fieldLoad(a.v)
	if x == nil {
		return false
	}
	if b.v == nil {
		if c < maxLen {
			return false
		}
		// Below a length, which is below that.
		s := deref(f.X.Type()).Underlying().(*types.Struct)
		for k := range s.NumFields() {
			if hasLength(s.Field(k).Type()) && p.keeps(deref(f.X.Type()), invariant{fieldVar(f), s.Field(k).Origin(), true}) {
				p.used[conventionLengths] = true
				return true
			}
		}
		return false
	}
	y, g := fieldLoad(b.v)
	if y == nil || x.Parent() != y.Parent() || !types.Identical(f.X.Type(), g.X.Type()) || f.Field == g.Field || !p.sameAddress(f.X, g.X) {
		return false
	}
	// When the later one was read, both had these values.
	switch {
	case precedes(x, pointAt(y)):
		if !p.unchanged(segment{x, y, p.at(f)}) {
			return false
		}
	case precedes(y, pointAt(x)):
		if !p.unchanged(segment{y, x, p.at(g)}) {
			return false
		}
	default:
		return false
	}
	return p.keeps(deref(f.X.Type()), invariant{fieldVar(f), fieldVar(g), b.len})
}

// fieldLoad returns a load of a field.
func fieldLoad(v ssa.Value) (*ssa.UnOp, *ssa.FieldAddr) {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil, nil
	}
	f, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil, nil
	}
	return load, f
}

// keeps reports whether all objects of a type have an invariant, whenever it is not broken for the
// moment.
func (p *prover) keeps(t types.Type, v invariant) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !isInteger(v.of.Type()) || isUnsigned(v.of.Type()) || v.of.Exported() || v.most != nil && v.most.Exported() {
		return false
	}
	if v.most != nil && v.len != hasLength(v.most.Type()) || v.most != nil && !v.len && (!isInteger(v.most.Type()) || isUnsigned(v.most.Type())) {
		return false
	}
	if pkg := n.Obj().Pkg(); pkg != nil && pkg != p.c.l.pkg.Pkg {
		return p.keepsAbroad(n, v)
	}
	return p.once(fact{kind: invariantFact, v: v}, func() bool {
		s := p.madeHere(n)
		if s == nil {
			return false
		}
		stores := []*ssa.Store{}
		for _, x := range []*types.Var{v.of, v.most} {
			if x == nil {
				continue
			}
			if u := s.fields[x]; u != nil {
				if u.taken {
					return false
				}
				stores = append(stores, u.stores...)
			}
		}
		w := &contentWalk{p: p, in: v.of}
		for _, t := range s.converted {
			if w.disguises(t[0], t[1]) {
				return false
			}
		}
		for _, st := range stores {
			if !p.preserves(st, n, v) {
				return false
			}
		}
		return true
	})
}

// madeHere returns the code that runs, if all objects of a type come from there; of the whole
// package, if clients may hand in objects of the component's type that they made in the same way.
func (p *prover) madeHere(n *types.Named) *fieldScan {
	own := p.c.l.pkg.Pkg
	if p.sited || n.Obj().Pkg() != own || n.TypeArgs().Len() > 0 || n.TypeParams().Len() > 0 || n.Obj().Parent() != own.Scope() {
		return nil
	}
	component := p.c.named != nil && p.c.named.Obj() == n.Obj()
	if n.Obj().Exported() && !component {
		return nil
	}
	s := p.packageScan(own)
	if s == nil {
		return nil
	}
	if !p.comesIn(n, s) {
		return p.runningScan(s)
	}
	if !component {
		return nil
	}
	// Everything that can be done with such an object is known.
	set := p.c.l.prog.MethodSets.MethodSet(types.NewPointer(n))
	for k := range set.Len() {
		if m := set.At(k); m.Obj().Exported() && !p.entries[p.c.l.prog.MethodValue(m)] {
			return nil
		}
	}
	runs := p.runs()
	for _, fn := range s.fns {
		if runs[fn] || isMethodWrapper(fn) && !token.IsExported(fn.Name()) {
			continue // or a promoted method that others would have to call
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok && !token.IsExported(g.Name()) && (runs[g] && packageOf(g) == own || isMethodWrapper(g)) {
						return nil // with arguments that are not seen
					}
				}
			}
		}
	}
	return s
}

// comesIn reports whether objects of a type may come from elsewhere. That is the same whenever a prover is asked: types say it, and
// what clients call.
func (p *prover) comesIn(n *types.Named, s *fieldScan) bool {
	key := comes{n, s}
	if r, ok := p.coming[key]; ok {
		return r
	}
	seen := map[int]bool{}
	r := slices.ContainsFunc(s.global, func(t types.Type) bool { return p.mayCarry(t, n, s, seen) }) || p.mayHandOver(n, s, seen) || p.mayReturn(n, s, seen)
	if p.coming == nil {
		p.coming = map[comes]bool{}
	}
	p.coming[key] = r
	return r
}

// A comes is a question of comesIn.
type comes struct {
	n *types.Named
	s *fieldScan
}

// preserves reports whether an object has an invariant after a store, or after others that
// follow it at once.
func (p *prover) preserves(st *ssa.Store, n *types.Named, v invariant) bool {
	if v.most == nil {
		x, k := p.normal(st.Val)
		return p.le(bound{}, x, k, pointAt(st))
	}
	base := st.Addr.(*ssa.FieldAddr).X
	var of, most ssa.Value
	set := func(i *ssa.Store) bool {
		f, ok := i.Addr.(*ssa.FieldAddr)
		if !ok || !p.sameAddress(f.X, base) {
			return false
		}
		switch fieldVar(f) {
		case v.of:
			of = i.Val
		case v.most:
			most = i.Val
		default:
			return false
		}
		return true
	}
	set(st)
	last := st
	p.window(st, v, func(i *ssa.Store) bool {
		if !set(i) {
			return false
		}
		last = i
		return true
	})
	number := func(x ssa.Value) (bound, int64) {
		if v.len {
			return p.length(x)
		}
		return p.normal(x)
	}
	if of != nil {
		// Zero is at most a length, or a field that is not negative.
		if x, k := p.normal(of); x.v == nil && k <= 0 && (v.len || p.keeps(n, invariant{of: v.most})) {
			return true
		}
	}
	if last.Block() != st.Block() {
		return false // values of one block need not be there in the other one
	}
	at := pointAt(last)
	below := func(of, most ssa.Value) bool {
		x, k := p.normal(of)
		y, j := number(most)
		return p.le(x, y, j-k, at)
	}
	switch {
	case of != nil && most != nil:
		return below(of, most)
	case of != nil:
		for _, y := range p.current(base, v.most, st) {
			if below(of, y) {
				return true
			}
		}
		// It is not more than what was there, when the invariant held.
		for _, old := range p.current(base, v.of, st) {
			if load, _ := fieldLoad(old); load == nil || !p.unchanged(segment{load, st, location(v.most)}) {
				continue
			}
			x, k := p.normal(of)
			if y, j := p.normal(old); p.le(x, y, j-k, at) {
				return true
			}
		}
		return p.adds(base, of, v, st)
	}
	if a, ok := base.(*ssa.Alloc); ok && v.len && p.untouched(a, v.of, st) {
		return true
	}
	for _, x := range p.current(base, v.of, st) {
		if n, k := p.normal(x); v.len && n.v == nil && k <= 0 || below(x, most) {
			return true
		}
	}
	// It is not less than what was there, when the invariant held.
	y, j := number(most)
	for _, old := range p.current(base, v.most, st) {
		load, _ := fieldLoad(old)
		if load == nil || !p.unchanged(segment{load, st, location(v.of)}) {
			continue
		}
		if x, k := number(old); p.le(x, y, j-k, at) || v.len && p.emptyAt(load, pointAt(st)) {
			return true
		}
	}
	return p.staysAbove(base, v, y, j, st)
}

// adds reports whether what is stored is what was there and something that still fits.
func (p *prover) adds(base, of ssa.Value, v invariant, st *ssa.Store) bool {
	sum, ok := of.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD || !v.len || !isLong(sum.Type()) {
		return false
	}
	for _, old := range p.current(base, v.of, st) {
		load, _ := fieldLoad(old)
		if load == nil || old != sum.X || !p.unchanged(segment{load, st, location(v.most)}) {
			continue
		}
		if p.fits(base, sum.Y, v, pointAt(load), pointAt(st), 0) {
			return true
		}
	}
	return false
}

// maxFits bounds the joins that fits goes back through.
const maxFits = 6

// fits reports whether a number added to the one field is at most the length of the other, as both are at a point: on each
// way back from there it was read into the rest of the other one, and nothing wrote the fields since. What is known where the number
// is used says by which ways control may have come.
func (p *prover) fits(base, x ssa.Value, v invariant, at, use point, depth int) bool {
	if n, k := p.normal(x); n.v == nil && k <= 0 {
		return p.keeps(deref(base.Type()), v)
	}
	made, _ := x.(ssa.Instruction)
	if e, ok := x.(*ssa.Extract); ok {
		made, _ = e.Tuple.(ssa.Instruction)
	}
	writes := func(i ssa.Instruction) bool { return p.mayWriteAt(i, v.of) || p.mayWriteAt(i, v.most) }
	for n := at.n - 1; n >= 0; n-- {
		i := at.b.Instrs[n]
		if p.steps++; p.steps > p.limit {
			return false
		}
		if _, phi := i.(*ssa.Phi); phi {
			break
		}
		if writes(i) {
			return false
		}
		if i != made {
			continue
		}
		for _, y := range p.current(base, v.most, i) {
			for _, from := range p.current(base, v.of, i) {
				if p.sumBelow(from, x, bound{y, true}, 0, point{at.b, n + 1, nil}, 0) {
					return true
				}
			}
		}
		return false
	}
	if depth++; depth > maxFits || !p.definedBefore(base, at.b) {
		return false
	}
	if phi, ok := x.(*ssa.Phi); ok && phi.Block() == at.b {
		return p.ways(phi, use, func(j join) bool { return p.fits(base, phi.Edges[j.k], v, j.from, j.from, depth) })
	}
	for _, b := range at.b.Preds {
		from := point{b, len(b.Instrs), at.b}
		if !p.fits(base, x, v, from, from, depth) {
			return false
		}
	}
	return len(at.b.Preds) > 0
}

// emptyAt reports whether a slice is nil at a point.
func (p *prover) emptyAt(load *ssa.UnOp, at point) bool {
	if p.isNil(load, at) {
		return true
	}
	for _, u := range p.sameLoads(load) {
		if p.isNil(u, at) {
			return true
		}
	}
	return false
}

// untouched reports whether a new object has zero in a field at a store: no store of it comes
// before, and nobody else has the object.
func (p *prover) untouched(a *ssa.Alloc, f *types.Var, st *ssa.Store) bool {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.FieldAddr:
			for _, u := range *r.Referrers() {
				if s, ok := u.(*ssa.Store); ok && s.Addr == ssa.Value(r) {
					if fieldVar(r) == f && mayFollow(s, st) {
						return false
					}
					continue
				}
				if _, debug := u.(*ssa.DebugRef); !debug && mayFollow(u, st) {
					return false
				}
			}
		default:
			if mayFollow(r, st) {
				return false
			}
		}
	}
	return !mayFollow(st, st) // not again in a loop
}

// window calls do for the stores of the fields of an invariant that follow a store at once, as
// long as it says so: nothing between reads the fields or calls anything.
func (p *prover) window(st *ssa.Store, v invariant, do func(i *ssa.Store) bool) {
	b, n := st.Block(), pointAt(st).n+1
	for range maxWindow {
		if n >= len(b.Instrs) {
			return
		}
		switch i := b.Instrs[n].(type) {
		case *ssa.DebugRef, *ssa.Convert, *ssa.ChangeType, *ssa.Phi:
		case *ssa.FieldAddr:
			if !usedFor(i.X, st.Addr) {
				return
			}
		case *ssa.BinOp:
			switch i.Op {
			case token.QUO, token.REM, token.SHL, token.SHR:
				return // they may panic
			}
		case *ssa.UnOp:
			if i.Op == token.ARROW {
				return
			}
			if i.Op == token.MUL {
				f, ok := i.X.(*ssa.FieldAddr)
				if !ok || !scalar(i.Type()) || fieldVar(f) == v.of || fieldVar(f) == v.most {
					return
				}
			}
		case *ssa.Store:
			f, ok := i.Addr.(*ssa.FieldAddr)
			if !ok || !scalar(deref(f.Type())) {
				return
			}
			if x := fieldVar(f); (x == v.of || x == v.most) && !do(i) {
				return
			}
		case *ssa.Jump:
			b, n = b.Succs[0], 0
			continue
		default:
			return
		}
		n++
	}
}

// usedFor reports whether an address was used on the way to another one: it is not nil.
func usedFor(x, addr ssa.Value) bool {
	for {
		f, ok := addr.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		if addr = f.X; addr == x {
			return true
		}
		if g, ok := x.(*ssa.FieldAddr); ok {
			if h, ok := addr.(*ssa.FieldAddr); ok && g.X == h.X && g.Field == h.Field {
				return true
			}
		}
	}
}

// current returns values that a field of an object has at a store: what was stored or loaded
// before, if nothing wrote since.
func (p *prover) current(base ssa.Value, f *types.Var, st ssa.Instruction) []ssa.Value {
	var list []ssa.Value
	at := pointAt(st)
	for _, b := range st.Parent().Blocks {
		if b != st.Block() && !b.Dominates(st.Block()) {
			continue
		}
		for _, i := range b.Instrs {
			if p.steps++; p.steps > p.limit {
				return nil
			}
			if !precedes(i, at) {
				continue
			}
			var addr, v ssa.Value
			switch i := i.(type) {
			case *ssa.Store:
				addr, v = i.Addr, i.Val
			case *ssa.UnOp:
				if i.Op == token.MUL {
					addr, v = i.X, i
				}
			}
			a, ok := addr.(*ssa.FieldAddr)
			if !ok || fieldVar(a) != f || !p.sameAddress(a.X, base) || !p.unchanged(segment{i, st, location(f)}) {
				continue
			}
			list = append(list, v)
		}
	}
	return list
}
