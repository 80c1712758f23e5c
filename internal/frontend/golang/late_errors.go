// SPDX-License-Identifier: Apache-2.0

package golang

// This file says in which fields of objects that come from elsewhere (late.go) errors under study may be, for wanted_flow.go: code that is not reached
// may have stored them.
//
//	func NewResult() *Result { return &Result{err: errMisused} }
//
//	func (c *Conn) Check(r *Result) error { return r.err }
//
// It is a backward search from what such code stores, through registers, results, parameters, captured variables and fields, to where errors are made.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// lateErrors marks where such errors may be.
func (w *wanting) lateErrors() {
	l := w.flows.late
	w.lateAt, w.lateOf = map[location]bool{}, map[elementOf]bool{}
	if len(l.fields)+len(l.elements) == 0 {
		return
	}
	s := &lateSearch{w: w, seen: map[any]bool{}}
	for _, f := range l.fields {
		if w.carries(f.Type()) && s.field(f, true) {
			mark(w, w.locs, w.find(f))
			w.lateAt[w.find(f)] = true
		}
	}
	for _, e := range l.elements {
		if !e.errs || !w.carries(e.typ) {
			continue
		}
		if e.kind == 'p' || e.kind == 's' {
			mark(w, w.locs, w.find(w.pointed(e.typ)))
		}
		if e.kind != 'p' {
			mark(w, w.elements, w.element(e.kind, e.typ))
		}
		w.lateOf[elementOf{e.kind, w.id(e.typ)}] = true
	}
}

// isLateError reports whether an instruction finds what code that is not reached may have stored as an error under study.
func (w *wanting) isLateError(i ssa.Instruction) bool {
	v, ok := i.(ssa.Value)
	if !ok || !w.carries(v.Type()) {
		return false
	}
	of := func(kind rune, t types.Type) bool { return w.lateOf[elementOf{kind, w.id(t)}] }
	switch i := i.(type) {
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return of('c', i.X.Type().Underlying().(*types.Chan).Elem())
		}
		if i.Op != token.MUL {
			return false
		}
		if at, ok := i.X.(*ssa.FieldAddr); ok && w.lateAt[w.find(w.at(at))] && w.isMadeHere(at.X) {
			return false
		}
		l := w.at(i.X)
		return l != nil && w.lateAt[w.find(l)] || (of('p', i.Type()) || of('s', i.Type())) && (l == nil || w.find(l) == w.find(w.pointed(i.Type())))
	case *ssa.Field:
		return w.lateAt[w.find(fieldAt(i.X.Type().Underlying().(*types.Struct), i.Field))]
	case *ssa.Index:
		return of('s', i.Type())
	case *ssa.Lookup:
		m, ok := i.X.Type().Underlying().(*types.Map)
		return ok && of('v', m.Elem())
	case *ssa.Next:
		r, ok := i.Iter.(*ssa.Range)
		if !ok {
			return false
		}
		m, ok := r.X.Type().Underlying().(*types.Map)
		return ok && (of('k', m.Key()) || of('v', m.Elem()))
	}
	return false
}

// lateReturns returns what a call may run by late values and may return an error under study by what calls change; nil if nothing does.
func (w *wanting) lateReturns(call *ssa.Call) *ssa.Function {
	if !w.carries(call.Type()) {
		return nil
	}
	for _, fn := range w.lateFor(&call.Call) {
		s := &lateSearch{w: w, seen: map[any]bool{}}
		for k, v := range slices.Collect(fn.Signature.Results().Variables()) {
			if w.carries(v.Type()) && s.returns(fn, k) && w.c.returnsByState(fn) {
				return fn
			}
		}
	}
	return nil
}

// A lateSearch looks for where errors under study are made.
type lateSearch struct {
	w       *wanting
	seen    map[any]bool
	callers map[*ssa.Function][]*ssa.CallCommon // by live code of the package
	valued  map[*ssa.Function]bool              // functions that it makes values of
}

// field reports whether code may store such an error into a field; others: code that is not reached.
func (s *lateSearch) field(f *types.Var, others bool) bool {
	c := s.w.c
	pkg := c.l.prog.Package(f.Pkg())
	if pkg == nil || !c.l.owns(f.Pkg()) {
		return false
	}
	scan := (&prover{reach: s.w.reach}).packageScan(f.Pkg())
	if scan == nil {
		return true
	}
	use := scan.fields[f.Origin()]
	if use == nil {
		return scan.convertedFields()[f.Origin()]
	}
	if use.taken || scan.convertedFields()[f.Origin()] {
		return true
	}
	live := c.alive(pkg)
	return slices.ContainsFunc(use.stores, func(st *ssa.Store) bool {
		_, reached := s.w.abroad[st.Parent()]
		return live[st.Parent()] && !(others && reached) && s.makes(st.Val)
	})
}

// makes reports whether a value may be an error under study.
func (s *lateSearch) makes(v ssa.Value) bool {
	if s.seen[v] {
		return false
	}
	s.seen[v] = true
	w := s.w
	switch v := v.(type) {
	case *ssa.Const:
		return false
	case *ssa.ChangeInterface:
		return s.makes(v.X)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, s.makes)
	case *ssa.MakeInterface:
		return types.Implements(v.X.Type(), errorInterface) && w.isWantedType(v, w.locs)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return true
		}
		switch at := v.X.(type) {
		case *ssa.Global:
			return w.isWantedGlobal(v)
		case *ssa.FieldAddr:
			f := fieldVar(at)
			if s.seen[f] {
				return false
			}
			s.seen[f] = true
			return s.field(f, false)
		case *ssa.Alloc:
			return s.variable(at)
		}
		return true
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return s.result(call, v.Index)
		}
		return true
	case *ssa.Call:
		return s.result(v, 0)
	case *ssa.Parameter:
		return s.parameter(v)
	}
	return true
}

// variable reports whether such an error may be stored into a variable.
func (s *lateSearch) variable(a *ssa.Alloc) bool {
	for _, u := range *a.Referrers() {
		switch u := u.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if u.Addr != ssa.Value(a) || s.makes(u.Val) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// result reports whether a call may return such an error.
func (s *lateSearch) result(call *ssa.Call, k int) bool {
	w := s.w
	if w.isWantedCall(call) || s.anyOf(call.Call.Args) {
		return true
	}
	g := call.Call.StaticCallee()
	switch {
	case g != nil:
		return s.returns(g, k)
	case call.Call.IsInvoke():
		iface, _ := call.Call.Value.Type().Underlying().(*types.Interface)
		for _, pkg := range w.c.l.own() {
			scan := (&prover{reach: w.reach}).packageScan(pkg.Pkg)
			if scan == nil {
				return true
			}
			live := w.c.alive(pkg)
			for _, b := range scan.boxes {
				if t := b.X.Type(); live[b.Parent()] && !types.IsInterface(t) && types.Implements(t, iface) {
					if m := w.c.method(t, call.Call.Method); m != nil && s.returns(m, k) {
						return true
					}
				}
			}
		}
		return false
	}
	return true
}

// anyOf reports whether one of some arguments, or of the list that the last of them is, may be such an error.
func (s *lateSearch) anyOf(args []ssa.Value) bool {
	is := func(x ssa.Value) bool { return x != nil && isErrorType(x.Type()) && s.makes(x) }
	return slices.ContainsFunc(args, is) || slices.ContainsFunc(variadic(lastOf(args)), func(x ssa.Value) bool {
		c, ok := x.(*ssa.ChangeInterface)
		return ok && is(c.X) || !ok && is(x)
	})
}

// returns reports whether a function of the package may return such an error.
func (s *lateSearch) returns(fn *ssa.Function, k int) bool {
	at := resultAt{fn, k}
	if s.seen[at] || !s.w.c.l.owns(packageOf(fn)) {
		return false
	}
	s.seen[at] = true
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && k < len(r.Results) && s.makes(r.Results[k]) {
			return true
		}
	}
	return false
}

// parameter reports whether code of the package may call a function with such an error; what clients hand over is theirs.
func (s *lateSearch) parameter(p *ssa.Parameter) bool {
	s.findCallers()
	fn := p.Parent()
	if s.valued[fn] {
		return true
	}
	k := slices.Index(fn.Params, p)
	return slices.ContainsFunc(s.callers[fn], func(call *ssa.CallCommon) bool {
		x := argumentOf(call, fn, k)
		return x == nil || s.makes(x)
	})
}

func (s *lateSearch) findCallers() {
	if s.callers != nil {
		return
	}
	s.callers, s.valued = map[*ssa.Function][]*ssa.CallCommon{}, map[*ssa.Function]bool{}
	for _, pkg := range s.w.c.l.own() {
		for fn := range s.w.c.alive(pkg) {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					mentioned(i, func(g *ssa.Function, called bool) {
						if called {
							s.callers[g] = append(s.callers[g], i.(ssa.CallInstruction).Common())
						} else {
							s.valued[g] = true
						}
					})
				}
			}
		}
	}
}

// mentioned visits the functions that an instruction mentions; called: it is the one that it calls.
func mentioned(i ssa.Instruction, do func(g *ssa.Function, called bool)) {
	call, isCall := i.(ssa.CallInstruction)
	for _, op := range i.Operands(nil) {
		if g, ok := (*op).(*ssa.Function); ok {
			do(g, isCall && op == &call.Common().Value)
		}
	}
}
