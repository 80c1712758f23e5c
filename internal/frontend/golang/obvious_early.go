// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the calls that proofs must know of and that are not among those of the code that clients reach: what the
// initialization of a package calls, whose objects are there from the beginning, and what is called through values of
// functions that a package gives away.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An early is what the initialization of a package may run.
type early struct {
	calls  map[*ssa.Function][]ssa.CallInstruction // by name
	values map[*ssa.Function]bool                  // otherwise: through values, interfaces
}

// earlyOf returns what the initialization of the package of a function may run: what it mentions, and what that mentions; methods of what is put
// into interfaces.
func (p *prover) earlyOf(fn *ssa.Function) *early {
	pkg := packageOf(fn)
	if pkg == nil {
		return &early{}
	}
	if e := p.early[pkg]; e != nil {
		return e
	}
	if p.early == nil {
		p.early = map[*types.Package]*early{}
	}
	e := &early{calls: map[*ssa.Function][]ssa.CallInstruction{}, values: map[*ssa.Function]bool{}}
	p.early[pkg] = e
	sp := p.c.l.prog.Package(pkg)
	if sp == nil || sp.Func("init") == nil {
		return e
	}
	seen := map[*ssa.Function]bool{}
	work := []*ssa.Function{sp.Func("init")}
	value := func(g *ssa.Function) {
		e.values[g] = true
		work = append(work, g)
	}
	for len(work) > 0 {
		in := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[in] || packageOf(in) != pkg && !isMethodWrapper(in) {
			continue
		}
		seen[in] = true
		for _, b := range in.Blocks {
			for _, i := range b.Instrs {
				call, isCall := i.(ssa.CallInstruction)
				for _, op := range i.Operands(nil) {
					g, ok := (*op).(*ssa.Function)
					switch {
					case !ok:
					case isCall && op == &call.Common().Value && !isMethodWrapper(in):
						e.calls[g] = append(e.calls[g], call)
						work = append(work, g)
					default:
						value(g)
					}
				}
				if m, ok := i.(*ssa.MakeInterface); ok {
					set := p.c.l.prog.MethodSets.MethodSet(m.X.Type())
					for k := range set.Len() {
						if g := p.c.l.prog.MethodValue(set.At(k)); g != nil {
							value(g)
						}
					}
				}
			}
		}
	}
	return e
}

// earlyCalls returns the calls of a function by the initialization of its package.
func (p *prover) earlyCalls(fn *ssa.Function) []ssa.CallInstruction { return p.earlyOf(fn).calls[fn] }

// calledEarly reports whether the initialization of its package may call a function otherwise than by its name.
func (p *prover) calledEarly(fn *ssa.Function) bool { return p.earlyOf(fn).values[fn] }

// escapes reports whether clients of another package than the component's may call a function although it is not exported: it is made
// a value of.
func (p *prover) escapes(fn *ssa.Function) bool {
	if !p.away {
		return false
	}
	if p.values == nil {
		s := p.packageScan(p.c.l.pkg.Pkg)
		if s == nil {
			return true
		}
		p.values = map[*ssa.Function]bool{}
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
