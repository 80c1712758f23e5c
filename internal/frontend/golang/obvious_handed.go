// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves that parameters of function literals are not nil that are given to other packages, and only to them:
//
//	var packers sync.Map
//
//	func init() { packers.Store(0, packer(func(w io.Writer) *out { return &out{w} })) }
//
//	func (t *T) Open() { f, _ := packers.Load(0); t.out = f.(packer)(t.buf) }
//
// A literal that sees variables is an argument of functions of other packages, or is stored in fields of their objects. Any literal may be put
// into a container of package sync (puts), which keeps it and does not call it, also as a value of a function type of its package. Nothing
// else is done with it where it is written, so that whoever calls it has it from there. Other packages
// do not call it with nil, by convention (handed). The package itself may have got it back, and so may the packages that count as the component's
// own: then it is called as a value, by an instruction with its signature. So all such instructions that these packages have must give it something that is not nil,
// also in code that only the initialization runs, or no call of the alphabet; of generic code, all with as many parameters and
// results. The types of functions of other packages have methods that are not looked at, so a literal that becomes a value of one is left aside.
//
// Literals that see nothing, and are given to functions that may call them at once, were not taken in: ast.Inspect calls what it is given with nil.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxHanded bounds the conversions of a literal on its way to a call.
const maxHanded = 4

// handedNotNil reports whether a parameter is one of a function literal that is given to
// other packages, and only to them, and is never nil.
func (p *prover) handedNotNil(fn *ssa.Function, k int) bool {
	if fn.Parent() == nil || fn.Synthetic != "" {
		return false
	}
	for i := range fn.Signature.Params().Len() {
		if isErrorType(fn.Signature.Params().At(i).Type()) {
			return false
		}
	}
	var value ssa.Value = fn
	if made := p.closures[fn]; len(made) == 1 {
		value = made[0]
	} else if len(made) > 1 || len(fn.FreeVars) > 0 || p.strict || isGeneric(fn) || len(rootOf(fn).TypeArgs()) > 0 {
		return false
	}
	return p.once(fact{kind: handedFact, v: fn, k: k}, func() bool {
		if given, only := p.givenAway(value, packageOf(fn), value == ssa.Value(fn), 0); !given || !only {
			return false
		}
		like, ok := p.callsLike(fn)
		if !ok {
			return false
		}
		for _, call := range slices.Concat(p.callers[fn], like) {
			if x := argumentOf(call.Common(), fn, k); x == nil || !p.notNil(x, pointAt(call)) {
				return false
			}
		}
		p.used[conventionHanded] = true
		return true
	})
}

// givenAway reports whether a function value of a package is given to other packages, and whether nothing else is done with it; kept: they only
// keep it.
func (p *prover) givenAway(v ssa.Value, pkg *types.Package, kept bool, depth int) (given, only bool) {
	refs := v.Referrers()
	if refs == nil || depth > maxHanded {
		return false, false
	}
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.Store:
			a, ok := r.Addr.(*ssa.FieldAddr)
			if !ok || kept || r.Val != v || fieldVar(a).Pkg() == pkg || fieldVar(a).Pkg() == nil {
				return false, false
			}
		case *ssa.ChangeType, *ssa.MakeInterface:
			to := r.(ssa.Value)
			if n, ok := types.Unalias(to.Type()).(*types.Named); ok && !types.IsInterface(n) && (n.Obj().Pkg() != pkg || n.TypeArgs().Len() > 0) {
				return false, false
			}
			more, only := p.givenAway(to, pkg, true, depth+1)
			if !only {
				return false, false
			}
			given = given || more
			continue
		case ssa.CallInstruction:
			g := r.Common().StaticCallee()
			if r.Common().Value == v || g == nil || packageOf(g) == nil || packageOf(g) == pkg || kept && !isPut(r.Common(), v) {
				return false, false
			}
		default:
			return false, false
		}
		given = true
	}
	return given, true
}

// isPut reports whether a call puts a value into a container.
func isPut(call *ssa.CallCommon, v ssa.Value) bool {
	for k, x := range call.Args {
		if x == v && !slices.Contains(puts[nameOf(call.StaticCallee())], k) {
			return false
		}
	}
	return true
}

// An indirect is what the code of packages calls as values of functions.
type indirect struct {
	calls   []ssa.CallInstruction
	generic []*types.Signature // in generic code
}

// callsLike returns the instructions by which the package of a function, the component's own ones and code that is followed call values of
// functions with its signature; ok is false if generic code may.
func (p *prover) callsLike(fn *ssa.Function) (calls []ssa.CallInstruction, ok bool) {
	pkg := packageOf(fn)
	in := p.calling[pkg]
	if in == nil {
		s := p.packageScan(pkg)
		if s == nil {
			return nil, false
		}
		in = &indirect{}
		seen := map[*ssa.Function]bool{}
		for _, g := range slices.Concat(s.fns, p.mine()) {
			if seen[g] {
				continue
			}
			seen[g] = true
			in.add(g)
		}
		if p.calling == nil {
			p.calling = map[*types.Package]*indirect{}
		}
		p.calling[pkg] = in
	}
	for _, sig := range in.generic {
		if sig.Params().Len() == fn.Signature.Params().Len() && sig.Results().Len() == fn.Signature.Results().Len() {
			return nil, false
		}
	}
	for _, call := range in.calls {
		if types.Identical(noReceiver(call.Common().Signature()), noReceiver(fn.Signature)) {
			calls = append(calls, call)
		}
	}
	return calls, true
}

// add notes what a function calls.
func (in *indirect) add(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok || call.Common().IsInvoke() || call.Common().StaticCallee() != nil {
				continue
			}
			if _, builtin := call.Common().Value.(*ssa.Builtin); builtin {
				continue
			}
			if isGeneric(fn) {
				in.generic = append(in.generic, call.Common().Signature())
			} else {
				in.calls = append(in.calls, call)
			}
		}
	}
}

// rootOf is the function that a function literal is written in, or the function itself.
func rootOf(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// isGeneric reports whether a function is one with type parameters, as it is written, or in one.
func isGeneric(fn *ssa.Function) bool {
	root := rootOf(fn)
	return root.TypeParams().Len() > 0 && len(root.TypeArgs()) == 0
}
