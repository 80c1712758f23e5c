// SPDX-License-Identifier: Apache-2.0

package golang

// This file makes results of methods relevant as far as their values follow from
// relevant ones. What follows by control alone is left out (newRelevance says so).

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// resultsOf makes relevant what results of the methods are computed from, as far as
// that follows from relevant locations, arguments and answers.
// tells says of which types.
func (r *relevance) resultsOf(methods []*ssa.Function, tells func(types.Type) bool) {
	r.only, r.onlyAt = r.follow()
	for _, fn := range methods {
		for k := range fn.Signature.Results().Len() {
			if tells(fn.Signature.Results().At(k).Type()) {
				r.returned(fn, k)
			}
		}
	}
	r.settle()
	r.only, r.onlyAt = nil, nil
	// Where something relevant is written is known exactly.
	for _, v := range r.owed {
		r.free(func() { r.need(v) })
	}
	r.owed = nil
	r.settle()
}

// follow returns the values and locations that are computed from relevant ones.
func (r *relevance) follow() (map[ssa.Value]bool, map[location]bool) {
	vals := map[ssa.Value]bool{}
	locs := map[location]bool{}
	for l := range r.locs {
		locs[l] = true
	}
	returned := map[resultAt]bool{}
	deps := map[*ssa.Function][][]*ssa.BasicBlock{}
	decided := func(b *ssa.BasicBlock) bool {
		fn := b.Parent()
		if deps[fn] == nil {
			deps[fn] = controlDependence(fn)
		}
		for _, c := range deps[fn][b.Index] {
			if i, ok := c.Instrs[len(c.Instrs)-1].(*ssa.If); ok && vals[i.Cond] {
				return true
			}
		}
		return false
	}
	for changed := true; changed; {
		changed = false
		set := func(v ssa.Value) {
			if !vals[v] {
				vals[v], changed = true, true
			}
		}
		for _, fn := range r.fns {
			for k, p := range fn.Params {
				if r.entries[fn] {
					if k > 0 && r.values[p] {
						set(p)
					}
				}
				for _, call := range r.callers[fn] {
					if x := argumentOf(call.Common(), fn, k); x != nil && vals[x] {
						set(p)
					}
				}
			}
			for n, v := range fn.FreeVars {
				for _, m := range r.closures[fn] {
					if vals[m.Bindings[n]] {
						set(v)
					}
				}
			}
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					switch i := i.(type) {
					case *ssa.Store:
						if vals[i.Val] {
							for _, l := range r.parts(i.Addr) {
								if l = r.find(l); !locs[l] {
									locs[l], changed = true, true
								}
							}
						}
						continue
					case *ssa.Return:
						for k, x := range i.Results {
							if (vals[x] || decided(b)) && !returned[resultAt{fn, k}] {
								returned[resultAt{fn, k}], changed = true, true
							}
						}
						continue
					}
					v, ok := i.(ssa.Value)
					if !ok || vals[v] {
						continue
					}
					switch i := i.(type) {
					case *ssa.UnOp:
						if l := r.at(i.X); i.Op == token.MUL && l != nil && locs[r.find(l)] {
							set(v)
						}
					case *ssa.Field:
						if locs[r.find(fieldAt(i.X.Type().Underlying().(*types.Struct), i.Field))] {
							set(v)
						}
					case *ssa.Extract:
						if call, ok := i.Tuple.(*ssa.Call); ok {
							for _, g := range r.targets[call] {
								if returned[resultAt{g, i.Index}] {
									set(v)
								}
							}
							if r.needs[resultOf{call, i.Index}] {
								set(v)
							}
							continue
						}
					case *ssa.Call:
						if r.needs[resultOf{i, 0}] {
							set(v)
						}
						for _, g := range r.targets[i] {
							if returned[resultAt{g, 0}] && g.Signature.Results().Len() == 1 {
								set(v)
							}
						}
						if r.known[i] == nil && i.Common().StaticCallee() != nil {
							continue // what is given to a function says nothing about its results
						}
					case *ssa.Phi:
						for _, p := range i.Block().Preds {
							if decided(p) || len(p.Succs) > 1 && ifTests(p, vals) {
								set(v)
							}
						}
					case *ssa.Lookup, *ssa.Select:
						if r.instrs[i.(ssa.Instruction)] {
							set(v)
						}
					}
					for _, op := range i.Operands(nil) {
						if *op != nil && vals[*op] {
							set(v)
						}
					}
				}
			}
		}
	}
	return vals, locs
}

type resultAt struct {
	fn *ssa.Function
	k  int
}

func ifTests(b *ssa.BasicBlock, vals map[ssa.Value]bool) bool {
	i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return ok && vals[i.Cond]
}
