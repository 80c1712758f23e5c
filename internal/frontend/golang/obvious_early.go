// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the calls that proofs must know of and that are not among those of the code that clients reach: what the
// initialization of a package calls, whose objects are there from the beginning, and what is called through values of
// functions that a package gives away.

import (
	"golang.org/x/tools/go/ssa"
)

// earlyCalls returns the calls of a function by the initialization of its package, and by what that calls.
func (p *prover) earlyCalls(fn *ssa.Function) []ssa.CallInstruction {
	pkg := packageOf(fn)
	if pkg == nil {
		return nil
	}
	if p.early == nil {
		p.early = map[*ssa.Package]map[*ssa.Function][]ssa.CallInstruction{}
	}
	sp := p.c.l.prog.Package(pkg)
	if sp == nil {
		return nil
	}
	all, ok := p.early[sp]
	if !ok {
		all = map[*ssa.Function][]ssa.CallInstruction{}
		p.early[sp] = all
		first := p.c.initFunctions(sp)
		for _, in := range p.c.functionsIn(sp) {
			if !first[in] && in.Synthetic != "package initializer" {
				continue
			}
			for _, b := range in.Blocks {
				for _, i := range b.Instrs {
					if call, ok := i.(ssa.CallInstruction); ok {
						if g := call.Common().StaticCallee(); g != nil && packageOf(g) == pkg {
							all[g] = append(all[g], call)
						}
					}
				}
			}
		}
	}
	return all[fn]
}

// escapes reports whether clients of another package than the component's may call a function although it is not exported: it is made
// a value of.
func (p *prover) escapes(fn *ssa.Function) bool {
	if !p.away {
		return false
	}
	if p.values == nil {
		p.values = map[*ssa.Function]bool{}
		s := p.packageScan(p.c.l.pkg.Pkg)
		if s == nil {
			return true
		}
		for _, in := range s.fns {
			for _, b := range in.Blocks {
				for _, i := range b.Instrs {
					call, isCall := i.(ssa.CallInstruction)
					for _, op := range i.Operands(nil) {
						g, ok := (*op).(*ssa.Function)
						if !ok || isCall && op == &call.Common().Value {
							continue
						}
						p.values[g] = true
						if isMethodWrapper(g) {
							for _, b := range g.Blocks {
								for _, i := range b.Instrs {
									if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() != nil {
										p.values[call.Common().StaticCallee()] = true
									}
								}
							}
						}
					}
				}
			}
		}
	}
	return p.values[fn]
}
