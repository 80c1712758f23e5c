// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that objects of other packages are ready for use, as contracts say of the functions that make them:
//
//	time.AfterFunc(d, f) (t): keeps f; fresh t; t.initTimer
//
//	m.timer = time.AfterFunc(d, m.flush)        // the only ones that are stored there
//	if m.timer != nil { m.timer.Reset(d) }      // panics on a timer that is not initialized
//
// A field of a type of another package, that is not exported and that no code of its package sets, is true in an object of which the contract of the call says
// so that made it, unless somebody writes another object over it. So a pointer leads to one in which it is true if it is nil, or comes from such a call, by way
// of parameters, results and own fields that are not exported, into which nothing else is stored.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A readiness is that a field is true in the object that a value points to.
type readiness struct {
	v     ssa.Value
	field *types.Var
}

// isReady reports whether a value is read from a field that is true in every object that it may be read from.
func (p *prover) isReady(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	a, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	f := fieldVar(a)
	return !f.Exported() && f.Pkg() != nil && !p.c.l.owns(f.Pkg()) && p.isLeft(f, deref(a.X.Type())) && p.ready(a.X, f)
}

// isLeft reports whether nobody sets a field of a type of another package but what makes its objects: by itself, or by writing other
// objects over them.
func (p *prover) isLeft(f *types.Var, of types.Type) bool {
	theirs := p.packageScan(f.Pkg())
	if theirs == nil || len(p.writes[p.find(f)]) > 0 {
		return false
	}
	if use := theirs.fields[f]; use != nil && (use.taken || len(use.stores) > 0) {
		return false
	}
	for _, pkg := range append(p.c.l.own(), p.c.l.prog.Package(f.Pkg())) {
		scan := p.packageScan(pkg.Pkg)
		if scan == nil {
			return false
		}
		for _, fn := range scan.fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if st, ok := i.(*ssa.Store); ok && types.Identical(st.Val.Type(), of) {
						return false
					}
				}
			}
		}
	}
	return true
}

// ready reports whether a field is true in the object that a value points to, if there is one.
func (p *prover) ready(v ssa.Value, field *types.Var) bool {
	return p.once(fact{kind: readyFact, v: readiness{v, field}}, func() bool {
		switch v := v.(type) {
		case *ssa.Const:
			return true
		case *ssa.ChangeType:
			return p.ready(v.X, field)
		case *ssa.Phi:
			return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !p.ready(e, field) })
		case *ssa.Call:
			return p.returnsReady(v, 0, field)
		case *ssa.Extract:
			call, ok := v.Tuple.(*ssa.Call)
			return ok && p.returnsReady(call, v.Index, field)
		case *ssa.Parameter:
			return p.handedReady(v, field)
		case *ssa.UnOp:
			a, ok := v.X.(*ssa.FieldAddr)
			return ok && v.Op == token.MUL && p.keepsReady(fieldVar(a), field)
		}
		return false
	})
}

// keepsReady reports whether only pointers to such objects are stored into a field.
func (p *prover) keepsReady(f, field *types.Var) bool {
	if f.Exported() || !p.c.l.owns(f.Pkg()) {
		return false
	}
	scan := p.packageScan(f.Pkg())
	if scan == nil || scan.convertedFields()[f] {
		return false
	}
	use := scan.fields[f]
	return use == nil || !use.taken && !slices.ContainsFunc(use.stores, func(st *ssa.Store) bool { return !p.ready(st.Val, field) })
}

// handedReady reports whether a function is handed only pointers to such objects.
func (p *prover) handedReady(v *ssa.Parameter, field *types.Var) bool {
	fn := v.Parent()
	if _, followed := p.abroad[fn]; !followed || p.entries[fn] || p.trusted != nil || p.escapes(fn) || p.calledEarly(fn) || p.isCallback(fn) || len(p.callers[fn]) == 0 {
		return false
	}
	k := slices.Index(fn.Params, v)
	return !slices.ContainsFunc(slices.Concat(p.callers[fn], p.earlyCalls(fn)), func(call ssa.CallInstruction) bool {
		if call.Common().IsInvoke() && k == 0 {
			return true
		}
		x := argumentOf(call.Common(), fn, k)
		return x == nil || !p.ready(x, field)
	})
}

// returnsReady reports whether a result of a call is a pointer to such an object.
func (p *prover) returnsReady(call *ssa.Call, k int, field *types.Var) bool {
	g := call.Call.StaticCallee()
	if g == nil {
		return false
	}
	for _, r := range p.c.rules(originOf(g).Object()) {
		for _, q := range r.properties {
			if q.kind != holds || len(q.chain) != 1 || k >= len(r.results) {
				continue
			}
			if says, ok := q.chain[0].(*ast.SelectorExpr); ok && says.Sel.Name == field.Name() {
				if id, ok := says.X.(*ast.Ident); ok && id.Name == r.results[k] && hasField(g.Signature.Results().At(k).Type(), field) {
					p.clauses[r.text] = true
					return true
				}
			}
		}
	}
	if len(g.Blocks) == 0 || p.c.replaced(g) || !p.c.l.owns(packageOf(g)) {
		return false
	}
	return p.eachReturn(g, func(r *ssa.Return, _ point) bool { return p.ready(returned(r, k), field) })
}

// hasField reports whether a field is one of the struct that a type points to.
func hasField(t types.Type, field *types.Var) bool {
	e := deref(t)
	if e == nil {
		return false
	}
	u, ok := e.Underlying().(*types.Struct)
	return ok && slices.Contains(slices.Collect(u.Fields()), field)
}
