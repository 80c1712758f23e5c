// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the fields that code which is not followed can only add to.
//
//	func (w *countWriter) Write(p []byte) (int, error) {
//		n, err := w.w.Write(p)
//		w.count += int64(n)
//		return n, err
//	}
//
// As in born.go, code that is not followed and is given an object of a hidden type can only have
// functions of the component's package run. If each store into a field in all of that package adds
// to what the field is, and what it adds is not negative, then the field is not less afterwards than
// it was: sums do not overflow, by convention.
//
// Stores of other kinds are harmless
//
//   - into an object that the same function has made: it did not exist when the call began;
//   - into what the component itself leads to, by its receiver, in functions that code which is not
//     followed is not handed, if it never gets hold of the component: not in an interface, not in a function
//     literal, not as an argument and not through something that it is stored in. Whoever has another
//     component reaches what that one leads to. (Copies of the component are not looked at, here as
//     elsewhere: they would share what is behind its pointers.)
//
// A function of the package that is left out, because it is recursive say, does what its code does: there are
// no other stores in that, or in what it calls.
//
// Others add to a field of an object only if they have got it. A call GIVES an object if its code hands it to others, or puts it
// where they get at it: into a container, into an object that escapes at any time, into a variable of the package. The state says
// of each such object whether a call that gives it has been made, from the beginning of that call on; before that the field stays as it is.
// Under the convention no-wrap the field is between -2^62 and 2^62 whenever a call begins.
//
// In coarse programs and where the component starts at an allocation the rule does not hold, for the
// reasons that born.go gives.

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// isGrown reports whether code of others can only add to a field, or a function of the package that is left
// out.
func (c *compiler) isGrown(at location, left *ssa.Function) bool {
	f, ok := at.(*types.Var)
	if !ok || f.Pkg() != c.l.pkg.Pkg || c.reach == nil || c.named == nil || c.isCoarse() || c.sites || c.o.Wrap {
		return false
	}
	if c.reach.grown == nil {
		c.reach.grown = c.reach.grownFields(c.named)
	}
	by, ok := c.reach.grown[f]
	if ok && left != nil && len(by) > 0 {
		run := c.reach.under([]*ssa.Function{left})
		return slices.Contains(run, left) && !slices.ContainsFunc(run, func(fn *ssa.Function) bool { return slices.Contains(by, fn) })
	}
	return ok
}

// gives notes that the method at hand gives the objects of a reference to others, or puts them where others get at them.
func (c *compiler) gives(t *term.Term) {
	if c.w.Unsettled() {
		return
	}
	name := c.w.Current()
	for _, p := range c.w.Holds(t).Places {
		if at := (givenAt{name, p.Key}); !p.Summary && !c.given[at] {
			if c.given[at] = true; len(c.grows) > 0 {
				c.w.Grow()
			}
		}
	}
}

// A givenAt is that a method gives the object at a place away.
type givenAt struct{ method, key string }

// everGiven is the variable of the state that says whether a method has been called that gives the object at a place away.
func (f *frame) everGiven(key string) *prog.Var {
	return f.m.Cell(f.c.receiverPlace(), "#given "+f.c.grows[key], boolType)
}

// growsAt notes that others may add to fields of the object at a place.
func (c *compiler) growsAt(p *lower.Place) {
	if c.grows[p.Key] != "" {
		return
	}
	name := p.Name
	for n := 2; slices.Contains(slices.Collect(maps.Values(c.grows)), name); n++ {
		name = p.Name + "·" + strconv.Itoa(n)
	}
	c.grows[p.Key] = name
	c.w.Grow()
}

// beginGiven notes the objects that a method gives away, where it begins.
func (f *frame) beginGiven() {
	for _, key := range slices.Sorted(maps.Keys(f.c.grows)) {
		if f.c.given[givenAt{f.c.w.Current(), key}] {
			f.m.Set(f.everGiven(key), f.c.w.Pool.True())
		}
	}
}

// mostGrown bounds the fields that others add to, between calls: what one call adds does not overflow then.
const mostGrown = 1 << 62

// grow lets others add to a cell, if they have got the object.
func (f *frame) grow(p *lower.Place, l leaf, key string) {
	f.c.growsAt(p)
	cell := f.m.Cell(p, l.path, l.typ)
	x := f.any(key+"/spoil/"+p.Key+l.path, l, lower.Unmodelled)
	f.c.convention(conventionNoWrap)
	maps.Copy(f.c.used, f.c.reach.growing.used)
	maps.Copy(f.c.clauses, f.c.reach.growing.clauses)
	pool := f.c.w.Pool
	f.c.w.Suppose(pool.And(pool.SLe(pool.Int(64, -mostGrown), cell.Term), pool.SLe(cell.Term, pool.Int(64, mostGrown))))
	f.m.Assume(pool.SLe(cell.Term, x))
	if !f.c.given[givenAt{f.c.w.Current(), p.Key}] {
		x = f.c.w.Pool.Ite(f.everGiven(p.Key).Term, x, cell.Term)
	}
	f.m.Set(cell, x)
}

// grownFields returns the fields of the component's package that code of others can only add to, each with the functions
// of the package that do something else.
func (r *reach) grownFields(component types.Type) map[*types.Var][]*ssa.Function {
	grown := map[*types.Var][]*ssa.Function{}
	p := newProver(r.c, calls{}, nil)
	p.strict = true
	r.growing = p
	kept, handed := r.keepsToItself(component), map[*ssa.Function]bool{}
	var roots []*ssa.Function
	for _, fn := range r.fns {
		roots = append(roots, r.handed(fn)...)
	}
	for _, fn := range r.under(roots) {
		handed[fn] = true
	}
	r.ownFields(p, func(f *types.Var, u *fieldUse) {
		basic := f.Type().Underlying()
		if u == nil || u.taken || basic != types.Typ[types.Int] && basic != types.Typ[types.Int64] {
			return
		}
		var by []*ssa.Function
		for _, st := range u.stores {
			if isNew(st.Addr) || p.prove(func() bool { return p.addsTo(st) }) {
				continue
			}
			if !kept || handed[st.Parent()] || !isLedTo(st.Addr, component) {
				return
			}
			by = append(by, st.Parent())
		}
		grown[f] = by
	})
	return grown
}

// addsTo reports whether a store adds something to a field that is not negative.
func (p *prover) addsTo(st *ssa.Store) bool {
	sum, ok := st.Val.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD || sum.Block() != st.Block() {
		return false
	}
	at, ok := st.Addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	for k, v := range []ssa.Value{sum.X, sum.Y} {
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL || load.Block() != st.Block() {
			continue
		}
		from, ok := load.X.(*ssa.FieldAddr)
		if !ok || from.X != at.X || from.Field != at.Field || !quietBetween(load, st) {
			continue
		}
		n, c := p.normal([]ssa.Value{sum.X, sum.Y}[1-k])
		if p.le(bound{}, n, c, pointAt(st)) {
			return true
		}
	}
	return false
}

// quietBetween reports whether there is no call and no other store between two instructions of a block.
func quietBetween(from, to ssa.Instruction) bool {
	instrs := from.Block().Instrs
	i, j := slices.Index(instrs, from), slices.Index(instrs, to)
	return i >= 0 && j > i && !slices.ContainsFunc(instrs[i+1:j], func(x ssa.Instruction) bool {
		switch x := x.(type) {
		case ssa.CallInstruction, *ssa.Store, *ssa.MapUpdate, *ssa.Send, *ssa.Select, *ssa.RunDefers:
			return true
		case *ssa.UnOp:
			return x.Op == token.ARROW
		}
		return false
	})
}

// isLedTo reports whether an address is that of something that the receiver or another argument, a pointer
// to the component, leads to.
func isLedTo(addr ssa.Value, component types.Type) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.UnOp:
			if a.Op != token.MUL {
				return false
			}
			addr = a.X
		case *ssa.Parameter:
			return isPointerTo(a.Type(), component)
		default:
			return false
		}
	}
}

// keepsToItself reports whether the code that is reached gives no component to code that is not followed:
// it puts none into interfaces or variables that others may see, binds none in function literals and calls no
// code of others, or code that it does not know, with one.
func (r *reach) keepsToItself(component types.Type) bool {
	is := func(t types.Type) bool {
		for e := deref(t); e != nil; e = deref(t) {
			t = e
		}
		parts := map[*types.TypeName]bool{}
		partsOf(t, parts)
		n, ok := types.Unalias(component).(*types.Named)
		return !ok || parts[n.Obj()]
	}
	for _, fn := range r.fns {
		if !r.c.l.owns(packageOf(fn)) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.MakeInterface:
					if is(i.X.Type()) {
						return false
					}
				case *ssa.MakeClosure:
					if slices.ContainsFunc(i.Bindings, func(v ssa.Value) bool { return is(v.Type()) }) {
						return false
					}
				case *ssa.Store:
					if is(i.Val.Type()) && !isNew(i.Addr) {
						return false
					}
				case *ssa.Send:
					if is(i.X.Type()) {
						return false
					}
				case *ssa.MapUpdate:
					if is(i.Key.Type()) || is(i.Value.Type()) {
						return false
					}
				case ssa.CallInstruction:
					g := i.Common().StaticCallee()
					if g != nil && r.c.l.owns(packageOf(g)) && len(g.Blocks) > 0 {
						continue
					}
					if slices.ContainsFunc(i.Common().Args, func(v ssa.Value) bool { return is(v.Type()) }) {
						return false
					}
				}
			}
		}
	}
	return true
}
