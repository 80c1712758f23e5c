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
// An unexported field of a struct type S of the package is UNSET if no code that runs stores anything but zero into it, nor takes its address,
// and no object of S that others may have set it in is met. Then it is zero in all objects that such code meets, by induction over the
// steps of a run: it makes them with zero, and copies of whole objects copy zero.
//
// Code that RUNS is what the calls and the initialization of the package lead to, all that this makes values of, the methods of what it puts into
// interfaces, and what goroutines are started with. Generic code runs if one of its instances does.
//
// Where some code of the package sets the field, but does not run, others may run it on objects that they have: they make them by functions of the
// package, which need not be calls. So it is asked that objects of S are not met that
//
//   - COME from elsewhere: no argument of a call leads to one by its type, nor do a result of code that is not followed, a package variable, the type
//     that a value in an interface is asserted to have, the parameters and receivers of functions that others may call;
//   - others are GIVEN, who may then run that code on them, or write another object over them: no argument of code that is
//     not followed leads to one, nor a result of a call or of a function that others may call, nor a value in an interface. The component itself, and
//     variables that a factory declares, are the client's: that they are changed only through the calls is the convention fields.
//
// What leads to an object by its type: pointers, containers, and all fields. Functions that others may call are all those that code which runs
// makes values of, and all methods of what it puts into interfaces. In any case S must not be seen as another type, be an argument of generic code, or
// be within such a one. (Behind an interface that clients hand over there may be an object of S. Its methods are the client's code then: what they do
// is not followed, and what they are given is given to others.)

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxTypes bounds the types that are met from others: some grow with each step.
const maxTypes = 20_000

// maxUnsetRounds bounds how often the code that is reached is looked for again, without what unset fields would lead to.
const maxUnsetRounds = 3

// withoutUnset finds the code that can be reached if unset fields are zero.
func (c *compiler) withoutUnset(r *reach, entries []*ssa.Function, from calls) *reach {
	if c.sites || r.flows == nil {
		return r // the code that makes an object goes on when the client has it, or it is not known what others are given
	}
	panics := r.ownPanics()
	for range maxUnsetRounds {
		found := r.unsetFields(from, r.tested())
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
func (r *reach) unsetFields(from calls, tested map[*types.Var]bool) map[*types.Var]bool {
	p := &prover{reach: r}
	all := p.packageScan(r.c.l.pkg.Pkg)
	if all == nil {
		return nil
	}
	u := r.othersOf(from)
	shared, known := namesIn(u.shared)
	arguments, listed := typeArguments(all, r.c.l.pkg.Pkg)
	within, named := namesIn(arguments)
	if !known || !listed || !named {
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
		if !ok || n.TypeParams().Len() > 0 || r.disguised[r.id(n)] || converted[n.Obj()] || within[n.Obj()] {
			continue
		}
		var fields []*types.Var
		setByOthers := false
		for f := range s.Fields() {
			if tested[f] && owners[f] == 1 && !f.Exported() && !f.Embedded() && f.Pkg() == r.c.l.pkg.Pkg && hasZero(f.Type()) {
				if isUnset, others := u.isUnset(all.fields[f]); isUnset {
					fields = append(fields, f)
					setByOthers = setByOthers || others
				}
			}
		}
		if len(fields) == 0 || setByOthers && shared[n.Obj()] {
			continue
		}
		for _, f := range fields {
			unset[f] = true
		}
	}
	return unset
}

// typeArguments lists the types that stand for type parameters of generic code of a package, somewhere in that.
func typeArguments(all *fieldScan, pkg *types.Package) (list []types.Type, ok bool) {
	var used []types.Type
	seen, noted := map[types.Type]bool{}, map[types.Type]bool{}
	value := func(v ssa.Value) {
		if g, ok := v.(*ssa.Function); ok && (packageOf(g) == pkg || packageOf(g) == nil) {
			for _, t := range g.TypeArgs() {
				list = appendNew(list, t, noted)
			}
		}
		if v.Type() != nil {
			used = appendNew(used, v.Type(), seen)
		}
	}
	for _, fn := range all.fns {
		value(fn)
		for _, v := range fn.FreeVars {
			value(v)
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if v, ok := i.(ssa.Value); ok {
					value(v)
				}
				for _, op := range i.Operands(nil) {
					if *op != nil {
						value(*op)
					}
				}
			}
		}
	}
	for _, n := range all.named {
		used = appendNew(used, n, seen)
	}
	ok = meetTypes(slices.Concat(used, all.global), func(t types.Type) {
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() == pkg {
			for t := range n.TypeArgs().Types() {
				list = appendNew(list, t, noted)
			}
		}
	})
	return list, ok
}

// namesIn are the types with a name that values of some types lead to.
func namesIn(list []types.Type) (names map[*types.TypeName]bool, ok bool) {
	names = map[*types.TypeName]bool{}
	ok = meetTypes(list, func(t types.Type) {
		if n, ok := types.Unalias(t).(*types.Named); ok {
			names[n.Obj()] = true
		}
	})
	return names, ok
}

// meetTypes does something with each type that values of some types lead to: through pointers, containers, fields, and what functions take and
// return. Not ok: there are too many.
func meetTypes(list []types.Type, do func(t types.Type)) (ok bool) {
	m := meeting{seen: map[types.Type]bool{}, most: len(list) + maxTypes, do: do, functions: true}
	for _, t := range list {
		m.visit(t)
	}
	return len(m.seen) <= m.most
}

// meets reports whether something holds of a type that a value of a type leads to through pointers, containers and some fields, or there are too many of these.
func meets(t types.Type, is func(t types.Type) bool, through func(f *types.Var) bool) bool {
	found := false
	m := meeting{seen: map[types.Type]bool{}, most: maxTypes, do: func(t types.Type) { found = found || is(t) }, through: through}
	m.visit(t)
	return found || len(m.seen) > m.most
}

// A meeting visits types.
type meeting struct {
	seen      map[types.Type]bool
	most      int // more types are not visited
	do        func(t types.Type)
	through   func(f *types.Var) bool // nil: all fields
	functions bool                    // what functions take and return, too
}

func (m *meeting) visit(t types.Type) {
	if m.seen[t] || len(m.seen) > m.most {
		return
	}
	m.seen[t] = true
	tuple, ok := t.(*types.Tuple)
	if ok {
		for v := range tuple.Variables() {
			m.visit(v.Type())
		}
		return
	}
	m.do(t)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		m.visit(u.Elem())
	case *types.Slice:
		m.visit(u.Elem())
	case *types.Array:
		m.visit(u.Elem())
	case *types.Chan:
		m.visit(u.Elem())
	case *types.Map:
		m.visit(u.Key())
		m.visit(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if m.through == nil || m.through(f) {
				m.visit(f.Type())
			}
		}
	case *types.Signature:
		if m.functions {
			m.visit(u.Params())
			m.visit(u.Results())
		}
	}
}

// An othersSearch is what runs of a component, and what others have to do with that.
type othersSearch struct {
	r    *reach
	runs map[*ssa.Function]bool // code that runs, and generic code of which an instance does
	list []*ssa.Function
	dead map[*ssa.Function]map[*ssa.BasicBlock]bool
	// shared are types of values that come from elsewhere, or that others are given.
	shared []types.Type
	seen   map[types.Type]bool
	called map[*ssa.Function]bool       // functions that others may call
	open   map[ssa.CallInstruction]bool // calls that may be of other code
}

func newOthers(r *reach) *othersSearch {
	u := &othersSearch{r: r, runs: map[*ssa.Function]bool{}, dead: map[*ssa.Function]map[*ssa.BasicBlock]bool{}, seen: map[types.Type]bool{}, called: map[*ssa.Function]bool{}, open: map[ssa.CallInstruction]bool{}}
	for _, call := range r.open {
		u.open[call] = true
	}
	return u
}

func (r *reach) othersOf(from calls) *othersSearch {
	u := newOthers(r)
	u.run()
	u.look(from)
	return u
}

// isDead reports whether no run comes to an instruction because conditions are constants.
func (u *othersSearch) isDead(i ssa.Instruction) bool {
	fn := i.Parent()
	if _, ok := u.dead[fn]; !ok {
		u.dead[fn] = u.r.c.deadBlocks(fn)
	}
	return u.dead[fn][i.Block()]
}

// run finds the code of the package that runs: what is reached, what functions of the initialization and goroutines lead to, and
// all that any of this makes values of, whoever calls these.
func (u *othersSearch) run() {
	add := func(fn *ssa.Function) {
		if fn == nil {
			return
		}
		if generic := rootOf(fn).Origin(); generic != nil {
			u.runs[generic] = true
		}
		if len(fn.Blocks) > 0 && !u.runs[fn] {
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

// isOwn reports whether a function is one of the package, or a wrapper.
func (u *othersSearch) isOwn(fn *ssa.Function) bool {
	return fn != nil && (packageOf(fn) == nil || u.r.c.l.owns(packageOf(fn)))
}

// mentions does something with the functions of the package that an instruction may lead to.
func (u *othersSearch) mentions(i ssa.Instruction, do func(fn *ssa.Function)) {
	for _, op := range i.Operands(nil) {
		if g, ok := (*op).(*ssa.Function); ok && u.isOwn(g) {
			do(g)
		}
	}
	switch i := i.(type) {
	case *ssa.MakeInterface:
		u.methods(i.X.Type(), do)
	case ssa.CallInstruction:
		if common := i.Common(); common.StaticCallee() == nil && !isAnyBuiltin(i) {
			for _, g := range u.r.candidates(common) {
				if u.isOwn(g) {
					do(g)
				}
			}
		}
	}
}

// methods does something with the methods of the package that a value in an interface has.
func (u *othersSearch) methods(t types.Type, do func(fn *ssa.Function)) {
	if types.IsInterface(t) {
		return
	}
	for m := range u.r.c.l.prog.MethodSets.MethodSet(t).Methods() {
		if fn := u.r.c.l.prog.MethodValue(m); u.isOwn(fn) {
			do(fn)
		}
	}
}

// look finds what comes from elsewhere, and what others are given.
func (u *othersSearch) look(from calls) {
	r := u.r
	for _, t := range from.chosen {
		u.share(t)
	}
	for _, list := range [][]*ssa.Function{from.methods, from.makers, from.chains} {
		for _, fn := range list {
			for k, p := range fn.Params {
				if !(k == 0 && fn.Signature.Recv() != nil) && !r.c.empty[p] {
					u.share(p.Type())
				}
			}
			for v := range fn.Signature.Results().Variables() {
				if e := deref(v.Type()); e == nil || r.c.named == nil || !types.Identical(e, r.c.named) {
					u.share(v.Type())
				}
			}
		}
	}
	for _, fn := range r.callbacks {
		u.callable(fn)
	}
	for _, fn := range u.list {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !u.isDead(i) {
					u.lookAt(i)
				}
			}
		}
	}
}

func (u *othersSearch) lookAt(i ssa.Instruction) {
	fn := i.Parent()
	call, isCall := i.(ssa.CallInstruction)
	for _, op := range i.Operands(nil) {
		switch g := (*op).(type) {
		case *ssa.Global:
			if fn.Synthetic != "package initializer" { // others may have written the variable since
				u.share(deref(g.Type()))
			}
		case *ssa.Function:
			if !(isCall && op == &call.Common().Value) && !isStarted(i) {
				u.callable(g)
			}
		}
	}
	switch i := i.(type) {
	case *ssa.TypeAssert:
		if !types.IsInterface(i.AssertedType) {
			u.share(i.AssertedType)
		}
	case *ssa.MakeInterface:
		u.share(i.X.Type())
		u.methods(i.X.Type(), u.callable)
	case *ssa.MakeClosure:
		if !u.isOwn(fn) {
			for _, x := range i.Bindings {
				u.share(x.Type())
			}
		}
	}
	if !isCall || isAnyBuiltin(call) {
		return
	}
	if g := call.Common().StaticCallee(); g != nil && u.r.c.l.owns(packageOf(g)) && len(g.Blocks) > 0 && !u.open[call] {
		return
	}
	for v := range call.Common().Signature().Results().Variables() {
		u.share(v.Type())
	}
	for _, x := range call.Common().Args {
		u.share(x.Type())
	}
}

// isStarted reports whether an instruction makes a closure that is only called there or started as a goroutine.
func isStarted(i ssa.Instruction) bool {
	m, ok := i.(*ssa.MakeClosure)
	return ok && !slices.ContainsFunc(*m.Referrers(), func(use ssa.Instruction) bool {
		call, ok := use.(ssa.CallInstruction)
		return !ok || call.Common().Value != ssa.Value(m) || slices.Contains(call.Common().Args, ssa.Value(m))
	})
}

// callable notes that others may call a function.
func (u *othersSearch) callable(fn *ssa.Function) {
	if !u.isOwn(fn) || u.called[fn] {
		return
	}
	u.called[fn] = true
	for _, p := range fn.Params {
		u.share(p.Type())
	}
	for v := range fn.Signature.Results().Variables() {
		u.share(v.Type())
	}
}

// share notes that a value of a type may come from elsewhere, or that others are given it.
func (u *othersSearch) share(t types.Type) { u.shared = appendNew(u.shared, t, u.seen) }

// isUnset reports whether the code that runs stores only zero into a field, and whether other code of the package stores something else.
func (u *othersSearch) isUnset(use *fieldUse) (unset, others bool) {
	if use == nil {
		return true, false
	}
	if use.taken {
		return false, false
	}
	for _, st := range use.stores {
		switch {
		case isZeroConst(st.Val):
		case isGeneric(st.Parent()) && u.runs[rootOf(st.Parent())] || !isGeneric(st.Parent()) && u.runs[st.Parent()] && !u.isDead(st):
			return false, false
		default:
			others = true
		}
	}
	return true, others
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
