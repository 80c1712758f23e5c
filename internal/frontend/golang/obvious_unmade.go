// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds methods of other packages that never run, because nothing that runs makes
// an object of their type: the type is not exported, so only functions of its package make one, and
// neither the code that calls reach, nor what that mentions of the package, nor its
// initialization does. It is rapid type analysis (Bacon and Sweeney, OOPSLA 1996) for one type.
// Clients may have such objects, from calls of their own: what happens inside of these
// is the environment's.

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// neverRuns reports whether a function is a method of another package and there is no object for it.
func (p *prover) neverRuns(fn *ssa.Function) bool {
	if fn.Signature.Recv() == nil || p.c.l.owns(packageOf(fn)) {
		return false
	}
	t := fn.Signature.Recv().Type()
	if e := deref(t); e != nil {
		t = e
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Exported() || n.Obj().Pkg() == nil || n.TypeParams().Len() > 0 || n.TypeArgs().Len() > 0 || n.Obj().Parent() != n.Obj().Pkg().Scope() {
		return false
	}
	if p.unmade == nil {
		p.unmade = map[*types.TypeName]bool{}
	}
	r, ok := p.unmade[n.Obj()]
	if !ok {
		r = p.isUnmade(n)
		p.unmade[n.Obj()] = r
	}
	return r
}

// isUnmade reports whether no code that runs makes an object of a type.
func (p *prover) isUnmade(n *types.Named) bool {
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return false // values of other types are made by conversions
	}
	pkg := n.Obj().Pkg()
	if p.packageScan(pkg) == nil || p.hasInstances(n) {
		return false
	}
	s := p.scanOf(pkg, p.runsIn(pkg))
	holds := func(t types.Type) bool { return len(pathsTo(t, n, 0)) > 0 }
	for _, a := range s.allocs {
		if holds(deref(a.Type())) {
			return false
		}
	}
	for _, c := range s.converted {
		for _, t := range c {
			if e := deref(t); e != nil {
				t = e
			}
			if holds(t) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(s.zeros, holds) && !slices.ContainsFunc(s.global, holds)
}

// hasInstances reports whether a generic function that is reached has type arguments with a type.
func (p *prover) hasInstances(n *types.Named) bool {
	for fn := range p.abroad {
		for _, t := range fn.TypeArgs() {
			w := &exposure{n: n.Obj(), seen: map[types.Type]bool{}}
			if w.leads(t) {
				return true
			}
		}
	}
	return false
}

// runsIn returns the functions of a package that are reached, those that these and its initialization mention, also if they
// are not followed, and the methods of what all of them put into interfaces.
func (p *prover) runsIn(pkg *types.Package) []*ssa.Function {
	seen := map[*ssa.Function]bool{}
	var work []*ssa.Function
	look := func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						work = append(work, g)
					}
				}
				m, ok := i.(*ssa.MakeInterface)
				if !ok {
					continue
				}
				set := p.c.l.prog.MethodSets.MethodSet(m.X.Type())
				for k := range set.Len() {
					if g := p.c.l.prog.MethodValue(set.At(k)); g != nil {
						work = append(work, g)
					}
				}
			}
		}
	}
	if sp := p.c.l.prog.Package(pkg); sp != nil {
		if init := sp.Func("init"); init != nil {
			work = append(work, init)
		}
	}
	for fn := range p.abroad {
		if packageOf(fn) == pkg {
			work = append(work, fn)
		} else {
			look(fn)
		}
	}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[fn] || packageOf(fn) != pkg && !isMethodWrapper(fn) {
			continue
		}
		seen[fn] = true
		look(fn)
	}
	return slices.Collect(maps.Keys(seen))
}
