// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves checks of the run time for arguments that are not nil. A writer that is given to a constructor
// and used later, without a test, must not be nil: nothing of a protocol is in that (lower/need.go says the same of
// programs). The assumption becomes part of the guard of the call, and is listed.
//
// Objects of other packages that clients have made are in good order, by convention: they come from functions of
// their packages, which were given nothing that is nil. What the component itself gives to these functions is not
// trusted but proved. Objects of the component's package that are in interfaces which clients hand over may come from its other functions, in the same
// way: what these give to each other is proved, too, by name or by way of an interface.

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// A given is an argument of a function that clients call.
type given struct {
	fn *ssa.Function
	k  int
}

// needs reports whether an argument of a client is assumed not to be nil, and notes it.
func (p *prover) needs(fn *ssa.Function, k int) bool {
	if p.needed == nil {
		return false
	}
	switch fn.Params[k].Type().Underlying().(type) {
	case *types.Interface, *types.Pointer, *types.Signature:
		p.needed[given{fn, k}] = true
		return true
	}
	return false
}

// trusts reports whether a parameter of a function of a package that is trusted is not nil: in no call of the package itself, nor of the
// component, and clients give it nothing that is nil, nor does other code.
func (p *prover) trusts(fn *ssa.Function, k int) bool {
	s := p.packageScan(p.trusted)
	if s == nil {
		return false
	}
	if token.IsExported(fn.Name()) && !p.entries[fn] {
		p.used[conventionWhole] = true
	}
	fine := func(in *ssa.Function) bool {
		for _, b := range in.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if ok && k > 0 && mayInvoke(call.Common(), fn) {
					if x := argumentOf(call.Common(), fn, k); x == nil || !p.notNil(x, pointAt(i)) {
						return false
					}
				}
				for _, op := range i.Operands(nil) {
					if *op != ssa.Value(fn) {
						continue
					}
					if !ok || op != &call.Common().Value {
						return false // as a value
					}
					if p.steps++; p.steps > p.limit || k >= len(call.Common().Args) || !p.notNil(call.Common().Args[k], pointAt(i)) {
						return false
					}
				}
			}
		}
		return true
	}
	for _, in := range s.fns {
		if !fine(in) {
			return false
		}
	}
	for _, in := range p.mine() {
		if packageOf(in) != p.trusted && !fine(in) {
			return false
		}
	}
	for _, call := range p.callers[fn] {
		if call.Common().IsInvoke() && k == 0 {
			// What is in an interface may be a nil pointer.
			if !p.boxNotNil(fn.Params[0].Type()) {
				return false
			}
			continue
		}
		if x := argumentOf(call.Common(), fn, k); x == nil || !p.notNil(x, pointAt(call)) {
			return false
		}
	}
	return true
}

// mayInvoke reports whether a call is one of a method of an interface that a function may be.
func mayInvoke(call *ssa.CallCommon, fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if !call.IsInvoke() || recv == nil || call.Method.Name() != fn.Name() {
		return false
	}
	iface, ok := call.Value.Type().Underlying().(*types.Interface)
	return !ok || types.Implements(recv.Type(), iface) || types.Implements(types.NewPointer(recv.Type()), iface)
}

// mine returns the functions of the component's package, and those of others that are followed.
func (p *prover) mine() []*ssa.Function {
	if p.mineAll == nil {
		for _, sp := range p.c.l.own() {
			p.mineAll = append(p.mineAll, p.c.functionsIn(sp)...)
		}
		for _, fn := range p.fns {
			if !p.c.l.owns(packageOf(fn)) {
				p.mineAll = append(p.mineAll, fn)
			}
		}
	}
	return p.mineAll
}

// isWhole reports whether objects of an exported type of another package are made by that package, by clients and by code that is not
// followed only: no other code declares a variable of the type.
func (p *prover) isWhole(n *types.Named) bool {
	pkg := n.Obj().Pkg()
	if pkg == nil || p.c.l.owns(pkg) || p.away {
		return false
	}
	if p.variables == nil {
		p.variables = map[*types.Package]*fieldScan{}
	}
	s := p.variables[pkg]
	if s == nil {
		var others []*ssa.Function
		for _, fn := range p.mine() {
			if packageOf(fn) != pkg {
				others = append(others, fn)
			}
		}
		s = p.scanOf(p.c.l.pkg.Pkg, others)
		for _, sp := range p.c.l.own() {
			for _, name := range sp.Pkg.Scope().Names() {
				if o, ok := sp.Pkg.Scope().Lookup(name).(*types.Var); ok {
					s.global = append(s.global, o.Type())
				}
			}
		}
		p.variables[pkg] = s
	}
	holds := func(t types.Type) bool { return len(pathsTo(t, n, 0)) > 0 }
	if slices.ContainsFunc(s.zeros, holds) || slices.ContainsFunc(s.global, holds) || p.c.named != nil && holds(p.c.named) {
		return false
	}
	if slices.ContainsFunc(s.allocs, func(a *ssa.Alloc) bool { return holds(deref(a.Type())) }) {
		return false
	}
	p.used[conventionWhole] = true
	return true
}

// A needer proves checks for arguments that are not nil.
type needer struct {
	*prover
	operations []operation
	makers     []maker
}

// assume proves checks for arguments that are not nil, and returns those for which that is no proof.
func (h *checker) assume(list []check) (left []check) {
	if len(list) == 0 {
		return nil
	}
	p := h.again()
	type proof struct {
		needs []lower.Need
		ok    bool
	}
	proofs := map[ssa.Instruction]proof{}
	for _, k := range list {
		made, tried := proofs[k.instr]
		if !tried {
			made.needs, made.ok = p.assuming(k.instr, h.explicit)
			proofs[k.instr] = made
		}
		if !made.ok {
			left = append(left, k)
			continue
		}
		h.certain[k.instr] = true
		for _, n := range made.needs {
			n.Sites = map[string][]*lower.Site{k.method: {h.site(k.fn, k.instr)}}
			h.needs = append(h.needs, n)
		}
	}
	if len(left) < len(list) {
		maps.Copy(h.used, p.used)
		maps.Copy(h.clauses, p.clauses)
	}
	return left
}

// assuming returns the arguments that must not be nil for a check not to fail; ok is false if that is no proof. Arguments about which
// the code itself errs are not assumed.
func (p *needer) assuming(i ssa.Instruction, explicit []lower.Need) (needs []lower.Need, ok bool) {
	p.known, p.segments, p.needed = map[fact]bool{}, map[segment]bool{}, map[given]bool{}
	if !p.obvious(i) {
		return nil, false
	}
	for a := range p.needed {
		names := argumentNames(a, p.operations, p.makers)
		for _, n := range names {
			if slices.ContainsFunc(explicit, func(m lower.Need) bool { return m.Method == n.Method && m.Param == n.Param }) {
				return nil, false
			}
		}
		if len(names) == 0 {
			return nil, false
		}
		needs = append(needs, names...)
	}
	slices.SortFunc(needs, func(a, b lower.Need) int {
		return cmp.Or(strings.Compare(a.Method, b.Method), strings.Compare(a.Param, b.Param))
	})
	return needs, true
}

// argumentNames says which arguments of calls an argument of a function is; none if that is not known of all of them.
func argumentNames(a given, operations []operation, makers []maker) (names []lower.Need) {
	param := a.fn.Params[a.k].Name()
	for _, o := range operations {
		switch {
		case o.fn == a.fn:
			names = append(names, lower.Need{Method: o.name, Param: param})
		case o.calls != nil && slices.ContainsFunc(o.calls.steps, func(s step) bool { return s.fn == a.fn || s.fn == nil }):
			return nil
		}
	}
	for _, m := range makers {
		for _, s := range m.steps {
			if s.fn == nil {
				return nil
			}
			if s.fn != a.fn {
				continue
			}
			if len(m.steps) != 1 || a.k >= len(s.args) || s.args[a.k].value != nil || s.args[a.k].object >= 0 || s.args[a.k].name != param {
				return nil
			}
			names = append(names, lower.Need{Method: m.name, Param: param})
		}
	}
	return names
}
