// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the fields that nothing sets, given which calls there are:
//
//	type Encoder struct{ o options }
//	type options struct{ blocks bool }
//
//	func WithBlocks() Option { return func(o *options) error { o.blocks = true; return nil } }
//
//	func (e *Encoder) Write(p []byte) (int, error) {
//		if e.o.blocks {
//			return e.writeBlocks(p)
//		}
//		...
//
// If encoders are made without options and the methods that set them later are not among the calls, blocks
// is false, and what it leads to is not done. As with a parameter that is left out (dead.go) this is
// found out before anything is followed.
//
// An unexported field of a struct type S of the package is UNSET if no code that runs stores anything but zero into it, nor takes its address.
// Then it is zero in all objects that such code makes, by induction over the steps of a run: copies of whole objects
// copy zero. Code that runs is what the calls and the initialization of the package lead to, what others are given and may call, and what
// goroutines are started with. It is asked that
//
//   - no object of S comes from elsewhere: no argument of a call and no result of code that is not followed leads to
//     one by its type, nor does a package variable, no value in an interface is asserted to be something that does, and S is not seen as another type. (Behind an interface that clients hand
//     over there may be one. Its methods are the client's code then: what they do is not followed.)
//   - no other code of the package stores into the field of an object that is met here. Others can run it
//     only with what they have: with objects that are put into interfaces or given to code that is not followed, and what these lead to
//     by exported fields, embedded ones and results of methods. That clients change the component only through the calls is the
//     convention fields.

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxUnsetRounds bounds how often the code that is reached is looked for again, without what unset fields would lead to.
const maxUnsetRounds = 3

// withoutUnset finds the code that can be reached if unset fields are zero.
func (c *compiler) withoutUnset(r *reach, entries []*ssa.Function, from calls, makers []maker) *reach {
	if c.sites || r.flows == nil {
		return r // the code that makes an object goes on when the client has it, or it is not known what others are given
	}
	panics := r.ownPanics()
	for range maxUnsetRounds {
		found := r.unsetFields(from, makers, r.tested())
		if !r.decides(found) {
			break
		}
		c.unset = found
		next := newReach(c, entries)
		next.scans = r.scans // of the package as it is
		r = next
	}
	r.unset, r.panics = c.unset, &panics
	return r
}

// tested returns the fields that conditions of the code compare: of others it does not matter whether they are set.
func (r *reach) tested() map[*types.Var]bool {
	all := map[*types.Var]bool{}
	var add func(v ssa.Value)
	add = func(v ssa.Value) {
		switch v := v.(type) {
		case *ssa.BinOp:
			add(v.X)
			add(v.Y)
		case *ssa.UnOp:
			if at, ok := v.X.(*ssa.FieldAddr); ok {
				all[fieldVar(at)] = true
			}
		case *ssa.Field:
			all[v.X.Type().Underlying().(*types.Struct).Field(v.Field).Origin()] = true
		}
	}
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
				add(i.Cond)
			}
		}
	}
	return all
}

// decides reports whether some branch goes one way only if fields are unset, that are more than those that are known to be.
func (r *reach) decides(fields map[*types.Var]bool) bool {
	known := r.c.unset
	defer func() { r.c.unset = known }()
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			r.c.unset = known
			open := r.c.constantWay(b) == nil
			r.c.unset = fields
			if open && r.c.constantWay(b) != nil {
				return true
			}
		}
	}
	return false
}

// isUnset reports whether a value is loaded from a field that nothing sets.
func (c *compiler) isUnset(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		at, ok := v.X.(*ssa.FieldAddr)
		return ok && v.Op == token.MUL && c.unset[fieldVar(at)]
	case *ssa.Field:
		return c.unset[v.X.Type().Underlying().(*types.Struct).Field(v.Field).Origin()]
	}
	return false
}

// zeroOf is the zero value of a bool or an integer type; nil: it is none.
func zeroOf(t types.Type) constant.Value {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
	case b.Info()&types.IsBoolean != 0:
		return constant.MakeBool(false)
	case b.Info()&types.IsInteger != 0:
		return constant.MakeInt64(0)
	}
	return nil
}

// hasZero reports whether constants say that a value of a type is zero.
func hasZero(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return true
	}
	return zeroOf(t) != nil
}

// unsetFields returns the fields of the package that no code which runs sets.
func (r *reach) unsetFields(from calls, makers []maker, tested map[*types.Var]bool) map[*types.Var]bool {
	p := &prover{reach: r}
	all := p.packageScan(r.c.l.pkg.Pkg)
	if all == nil {
		return nil
	}
	u := &unsetSearch{r: r, all: all, boxed: map[*types.Named]bool{}, runs: map[*ssa.Function]bool{}, dead: map[*ssa.Function]map[*ssa.BasicBlock]bool{}, fromElsewhere: map[types.Type]bool{}, theirs: map[*types.Named]bool{}, leads: map[leading]bool{}}
	u.run()
	if u.look(from, makers); u.endless {
		return nil
	}
	converted := map[*types.TypeName]bool{}
	for _, pair := range all.converted {
		for _, t := range pair {
			if e := deref(t); e != nil {
				t = e
			}
			partsOf(t, converted)
		}
	}
	owners := map[*types.Var]int{}
	for _, n := range all.named {
		if s, ok := n.Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				owners[f]++
			}
		}
	}
	unset := map[*types.Var]bool{}
	for _, n := range all.named {
		s, ok := n.Underlying().(*types.Struct)
		if !ok || n.TypeParams().Len() > 0 || r.disguised[r.id(n)] || converted[n.Obj()] {
			continue
		}
		var fields []*types.Var
		for f := range s.Fields() {
			if tested[f] && owners[f] == 1 && !f.Exported() && !f.Embedded() && f.Pkg() == r.c.l.pkg.Pkg && hasZero(f.Type()) && u.isUnset(all.fields[f]) {
				fields = append(fields, f)
			}
		}
		if len(fields) == 0 || u.isFromElsewhere(n) {
			continue
		}
		for _, f := range fields {
			if !u.mayBeSet(n, f) {
				unset[f] = true
			}
		}
	}
	return unset
}

// An unsetSearch looks for them.
type unsetSearch struct {
	r    *reach
	runs map[*ssa.Function]bool // code that runs
	list []*ssa.Function
	dead map[*ssa.Function]map[*ssa.BasicBlock]bool
	// fromElsewhere are types of values that others hand over, theirs the types of objects of the package that they have.
	fromElsewhere map[types.Type]bool
	theirs        map[*types.Named]bool
	callers       map[*ssa.Function][]*ssa.Function // by what the code leads to, of functions that do not run; nil: not known yet
	leads         map[leading]bool                  // see leadsTo
	all           *fieldScan
	boxed         map[*types.Named]bool // see inInterface
	endless       bool                  // there are types that grow with each step
}

// isDead reports whether no run comes to an instruction because conditions are constants.
func (u *unsetSearch) isDead(i ssa.Instruction) bool {
	fn := i.Parent()
	if _, ok := u.dead[fn]; !ok {
		u.dead[fn] = u.r.c.deadBlocks(fn)
	}
	return u.dead[fn][i.Block()]
}

// run finds the code of the package that runs: what is reached, what functions of the initialization and goroutines lead to, and
// all that any of this makes values of, whoever calls these.
func (u *unsetSearch) run() {
	add := func(fn *ssa.Function) {
		if fn != nil && len(fn.Blocks) > 0 && !u.runs[fn] {
			u.runs[fn] = true
			u.list = append(u.list, fn)
		}
	}
	for _, fn := range slices.Concat(u.r.fns, u.r.c.l.inits()) {
		add(fn)
	}
	for k := 0; k < len(u.list); k++ {
		for _, b := range u.list[k].Blocks {
			for _, i := range b.Instrs {
				if !u.isDead(i) {
					u.mentions(i, add)
				}
			}
		}
	}
}

// mentions does something with the functions of the package that an instruction may lead to.
func (u *unsetSearch) mentions(i ssa.Instruction, do func(fn *ssa.Function)) {
	own := func(fn *ssa.Function) {
		if fn != nil && (packageOf(fn) == nil || u.r.c.l.owns(packageOf(fn))) {
			do(fn)
		}
	}
	for _, op := range i.Operands(nil) {
		if g, ok := (*op).(*ssa.Function); ok {
			own(g)
		}
	}
	switch i := i.(type) {
	case *ssa.MakeInterface:
		if t := i.X.Type(); !types.IsInterface(t) {
			for m := range u.r.c.l.prog.MethodSets.MethodSet(t).Methods() {
				own(u.r.c.l.prog.MethodValue(m))
			}
		}
	case ssa.CallInstruction:
		if common := i.Common(); common.StaticCallee() == nil && !isAnyBuiltin(i) {
			for _, g := range u.r.candidates(common) {
				own(g)
			}
		}
	}
}

// look finds what others hand over, and what they have.
func (u *unsetSearch) look(from calls, makers []maker) {
	r := u.r
	for _, k := range makers {
		for _, o := range k.objects {
			if o.converted {
				u.comes(o.typ)
			}
			if s, ok := o.typ.Underlying().(*types.Struct); ok {
				for _, name := range o.fields {
					u.comes(s.Field(fieldOf(s, name)).Type())
				}
			}
		}
	}
	params := func(fn *ssa.Function) {
		for k, p := range fn.Params {
			if k == 0 && fn.Signature.Recv() != nil || r.c.empty[p] {
				continue
			}
			u.comes(p.Type())
		}
	}
	for _, list := range [][]*ssa.Function{from.methods, from.makers, from.chains} {
		for _, fn := range list {
			params(fn)
			for v := range fn.Signature.Results().Variables() {
				if e := deref(v.Type()); e == nil || r.c.named == nil || !types.Identical(e, r.c.named) {
					u.has(v.Type())
				}
			}
		}
	}
	for _, fn := range r.callbacks {
		params(fn)
	}
	open := map[ssa.CallInstruction]bool{}
	for _, call := range r.open {
		open[call] = true
	}
	for _, fn := range u.list {
		foreign := packageOf(fn) != nil && !r.c.l.owns(packageOf(fn))
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if u.isDead(i) {
					continue
				}
				switch i := i.(type) {
				case *ssa.TypeAssert:
					if !types.IsInterface(i.AssertedType) {
						u.comes(i.AssertedType)
					}
				case *ssa.MakeInterface:
					u.has(i.X.Type())
				case *ssa.MakeClosure:
					for _, x := range i.Bindings {
						if foreign {
							u.has(x.Type())
						}
					}
				}
				for _, op := range i.Operands(nil) {
					// Others may have written the variable since the package was initialized.
					if g, ok := (*op).(*ssa.Global); ok && fn.Synthetic != "package initializer" {
						u.comes(deref(g.Type()))
					}
				}
				call, ok := i.(ssa.CallInstruction)
				if !ok || isAnyBuiltin(call) {
					continue
				}
				g := call.Common().StaticCallee()
				if g != nil && r.c.l.owns(packageOf(g)) && len(g.Blocks) > 0 && !open[call] {
					continue
				}
				for v := range call.Common().Signature().Results().Variables() {
					u.comes(v.Type())
				}
				for _, x := range call.Common().Args {
					if u.has(x.Type()); g != nil && r.c.l.owns(packageOf(g)) {
						u.comes(x.Type()) // it is not written in Go, and may write any field
					}
				}
			}
		}
	}
}

// comes notes that a value of a type may come from elsewhere.
func (u *unsetSearch) comes(t types.Type) {
	if u.fromElsewhere[t] {
		return
	}
	u.fromElsewhere[t] = true
	if sig, ok := t.Underlying().(*types.Signature); ok {
		for v := range sig.Results().Variables() {
			u.comes(v.Type())
		}
	}
}

// isFromElsewhere reports whether an object of a type may come from elsewhere.
func (u *unsetSearch) isFromElsewhere(n *types.Named) bool {
	for t := range u.fromElsewhere {
		if u.leadsTo(t, n) {
			return true
		}
	}
	return false
}

// A leading is a question whether a value of a type leads to one of another.
type leading struct{ from, to types.Type }

func (u *unsetSearch) leadsTo(from, to types.Type) bool {
	key := leading{from, to}
	yes, ok := u.leads[key]
	if !ok {
		yes = leadsTo(from, to, 0, map[types.Type]bool{})
		u.leads[key] = yes
	}
	return yes
}

// has notes that others may have what a value of a type leads to by exported and embedded fields, and by results of exported methods.
func (u *unsetSearch) has(t types.Type) { u.hasBehind(t, 0) }

func (u *unsetSearch) hasBehind(t types.Type, depth int) {
	grows := meets(t, func(t types.Type) bool {
		n, ok := types.Unalias(t).(*types.Named)
		if !ok || n.Obj().Pkg() == nil || !u.r.c.l.owns(n.Obj().Pkg()) || types.IsInterface(n) || u.theirs[n] {
			return false
		}
		u.theirs[n] = true
		if depth > maxLeads {
			return true
		}
		for m := range u.r.c.l.prog.MethodSets.MethodSet(types.NewPointer(n)).Methods() {
			if m.Obj().Exported() {
				for v := range m.Type().(*types.Signature).Results().Variables() {
					u.hasBehind(v.Type(), depth+1)
				}
			}
		}
		return false
	}, func(f *types.Var) bool { return f.Exported() || f.Embedded() })
	u.endless = u.endless || grows
}

// isUnset reports whether the code that runs stores only zero into a field.
func (u *unsetSearch) isUnset(use *fieldUse) bool {
	if use == nil {
		return true
	}
	if use.taken {
		return false
	}
	for _, st := range use.stores {
		if !isZeroConst(st.Val) && u.runs[st.Parent()] && !u.isDead(st) {
			return false
		}
	}
	return true
}

func isZeroConst(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	if !ok {
		return false
	}
	if k.Value == nil {
		return true
	}
	zero := zeroOf(k.Type())
	return zero != nil && constant.Compare(k.Value, token.EQL, zero)
}

// mayBeSet reports whether others can run code that sets a field of an object that is met here: code with a parameter that they can
// choose, one of their objects, that leads to such an object.
func (u *unsetSearch) mayBeSet(n *types.Named, f *types.Var) bool {
	setters := map[*ssa.Function]bool{}
	if use := u.all.fields[f]; use != nil {
		for _, st := range use.stores {
			if !isZeroConst(st.Val) && !u.runs[st.Parent()] {
				setters[st.Parent()] = true
			}
		}
	}
	if len(setters) == 0 {
		return false
	}
	// Whoever leads to one of them.
	seen := map[*ssa.Function]bool{}
	var work []*ssa.Function
	for _, g := range u.all.fns {
		if setters[g] {
			seen[g] = true
			work = append(work, g)
		}
	}
	for ; len(work) > 0; work = work[1:] {
		if slices.ContainsFunc(work[0].Params, func(p *ssa.Parameter) bool { return u.mayBeTheirs(p.Type(), n) }) {
			return true
		}
		for _, g := range u.strangersTo(work[0]) {
			if !seen[g] {
				seen[g] = true
				work = append(work, g)
			}
		}
	}
	return false
}

// strangersTo returns the functions that do not run and whose code leads to a function.
func (u *unsetSearch) strangersTo(fn *ssa.Function) []*ssa.Function {
	if u.callers == nil {
		u.callers = map[*ssa.Function][]*ssa.Function{}
		for _, g := range u.all.fns {
			if u.runs[g] {
				continue
			}
			for _, b := range g.Blocks {
				for _, i := range b.Instrs {
					u.mentions(i, func(h *ssa.Function) {
						if list := u.callers[h]; len(list) == 0 || list[len(list)-1] != g {
							u.callers[h] = append(list, g)
						}
					})
				}
			}
		}
	}
	return u.callers[fn]
}

// mayBeTheirs reports whether others may have a value of a type that leads to an object of a type, perhaps by an interface.
func (u *unsetSearch) mayBeTheirs(t types.Type, n *types.Named) bool {
	for own := range u.theirs {
		if holdsObject(t, own) && (u.leadsTo(own, n) || u.inInterface(n) && leadsToInterface(own)) {
			return true
		}
	}
	return false
}

// inInterface reports whether the package puts objects of a type into interfaces, or what leads to them.
func (u *unsetSearch) inInterface(n *types.Named) bool {
	if yes, ok := u.boxed[n]; ok {
		return yes
	}
	u.boxed[n] = slices.ContainsFunc(u.all.boxes, func(m *ssa.MakeInterface) bool { return leadsTo(m.X.Type(), n, 0, map[types.Type]bool{}) })
	return u.boxed[n]
}

// holdsObject reports whether others that have an object can make a value of a type that leads to it: by exported and embedded fields.
func holdsObject(t types.Type, own *types.Named) bool {
	return meets(t, func(t types.Type) bool { return types.Identical(t, own) || isOpenType(t) }, func(f *types.Var) bool { return f.Exported() || f.Embedded() })
}

// leadsToInterface reports whether a value of a type leads to one of an interface, or to a function.
func leadsToInterface(t types.Type) bool { return meets(t, isOpenType, nil) }

func isOpenType(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return true
	}
	return false
}

// meets reports whether a value of a type leads to one of which something holds: through pointers, containers, and fields that are not left out.
func meets(t types.Type, is func(t types.Type) bool, through func(f *types.Var) bool) bool {
	seen := map[types.Type]bool{}
	var visit func(t types.Type, depth int) bool
	visit = func(t types.Type, depth int) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		if is(t) || depth > maxLeads {
			return true
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			return visit(u.Elem(), depth+1)
		case *types.Slice:
			return visit(u.Elem(), depth+1)
		case *types.Array:
			return visit(u.Elem(), depth+1)
		case *types.Chan:
			return visit(u.Elem(), depth+1)
		case *types.Map:
			return visit(u.Key(), depth+1) || visit(u.Elem(), depth+1)
		case *types.Struct:
			for f := range u.Fields() {
				if (through == nil || through(f)) && visit(f.Type(), depth+1) {
					return true
				}
			}
		}
		return false
	}
	return visit(t, 0)
}
