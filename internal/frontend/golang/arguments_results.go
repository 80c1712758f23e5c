// SPDX-License-Identifier: Apache-2.0

package golang

// This file has what functions return, for arguments.go: functions of other packages that
// compute their results, functions whose arguments are plain values, and whether a returned
// error is one under study.
//
// A function all of whose parameters are numbers, texts and truth values does the same wherever
// it is called: it has no memory but its own. So it is analysed by itself, and what other code
// writes to objects of the same types does not matter to it.

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maxComputed bounds the instructions of a function of another package that is looked at by
// itself.
const maxComputed = 6_000

// computes reports whether a function of another package computes its results from its
// arguments and what they lead to alone.
func (c *compiler) computes(g *ssa.Function) bool {
	if yes, known := c.computed[g]; known {
		return yes
	}
	if c.computed == nil {
		c.computed = map[*ssa.Function]bool{}
	}
	c.computed[g] = false
	a := newArgumentFlow(c, g, otherCall, false, maxComputed)
	yes := a.refused == "" && !a.recovers && a.wild == 0 && !a.asks
	for _, d := range a.results[g] {
		yes = yes && d&onState == 0
	}
	c.computed[g] = yes
	return yes
}

// isSystem reports whether a function is of a package that asks the system, or manages what
// goroutines share.
func isSystem(fn *ssa.Function) bool {
	pkg := packageOf(fn)
	if pkg == nil {
		return false
	}
	switch p := pkg.Path(); p {
	case "runtime", "syscall", "os", "net", "internal/poll", "internal/reflectlite", "reflect", "context":
		return true
	default:
		return strings.HasPrefix(p, "internal/runtime/") || strings.HasPrefix(p, "internal/syscall/")
	}
}

// mayBeWanted reports whether a value may be an error under study.
func (c *compiler) mayBeWanted(v ssa.Value) bool {
	if c.wantedAll == nil {
		r := emptyRelevance(c.reach, calls{})
		r.coarse = newCoarseState(0)
		c.wantedAll = r.wantedValues()
	}
	return c.wantedAll[v]
}

// A plainKey is a function whose parameters are plain, in one of the analyses.
type plainKey struct {
	fn      *ssa.Function
	lenient bool
	first   bool
}

func (a *argumentFlow) plainKey(g *ssa.Function) plainKey { return plainKey{g, a.lenient, a.first} }

// kind is the kind of a call that the call makes.
func (a *argumentFlow) kind() callKind {
	if a.first {
		return firstCall
	}
	return otherCall
}

// plainFlow is the analysis of a function with plain parameters by itself, or nil.
func (a *argumentFlow) plainFlow(g *ssa.Function) *argumentFlow {
	if g == a.entry || len(g.Blocks) == 0 || len(g.FreeVars) > 0 || len(g.Params) == 0 {
		return nil
	}
	for _, p := range g.Params {
		if b, ok := p.Type().Underlying().(*types.Basic); !ok || b.Kind() == types.UnsafePointer {
			return nil
		}
	}
	key := a.plainKey(g)
	if q, known := a.c.plainFlows[key]; known {
		return q
	}
	if a.c.plainFlows == nil {
		a.c.plainFlows = map[plainKey]*argumentFlow{}
	}
	a.c.plainFlows[key] = nil // it calls itself: then it is followed
	if q := newArgumentFlow(a.c, g, a.kind(), a.lenient, a.most); q.refused == "" && !q.recovers {
		a.c.plainFlows[key] = q
	}
	return a.c.plainFlows[key]
}

// plain is a call of a function with plain parameters; it returns what the results depend on.
func (a *argumentFlow) plain(q *argumentFlow, i ssa.CallInstruction, here dependence) []dependence {
	for _, x := range i.Common().Args {
		here |= a.of(x) & onAny
	}
	if old, known := a.within[q]; !known || old|here != old {
		a.within[q] = old | here
		a.changed = true
	}
	// What it returns leads to what it wrote.
	for at, d := range q.mem {
		a.put(at, d|here)
	}
	if a.wild|q.wild != a.wild {
		a.wild |= q.wild
		a.changed = true
	}
	a.asks = a.asks || q.asks
	var list []dependence
	for _, d := range q.results[q.entry] {
		list = append(list, d|here)
	}
	return list
}

// wantedResult is what it depends on whether a result of a function is an error under study.
func (a *argumentFlow) wantedResult(fn *ssa.Function, k int, seen map[any]bool) (d dependence) {
	if at := (resultAt{fn, k}); seen[at] {
		return 0
	} else {
		seen[at] = true
	}
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 || !a.isLive(b) {
			continue
		}
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && k < len(r.Results) && a.mayBeWanted(r.Results[k], map[ssa.Value]bool{}) {
			d |= a.blocks[fn][b.Index] | a.wanted(r.Results[k], seen)
		}
	}
	return d & onAny
}

// mayBeWanted reports whether a value may be an error under study. What a function is handed by
// the code that is looked at need not be what others hand it.
func (a *argumentFlow) mayBeWanted(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || !a.c.mayBeWanted(v) {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.ChangeInterface:
		return a.mayBeWanted(v.X, seen)
	case *ssa.Phi:
		for k, e := range v.Edges {
			if a.isLive(v.Block().Preds[k]) && a.mayBeWanted(e, seen) {
				return true
			}
		}
		return false
	case *ssa.Parameter:
		if list, known := a.handed(v); known {
			return slices.ContainsFunc(list, func(x ssa.Value) bool { return a.mayBeWanted(x, seen) })
		}
	}
	return true
}

// handed returns what the code that is looked at hands to a function as a parameter, if it is
// not the call itself and all of that is known.
func (a *argumentFlow) handed(p *ssa.Parameter) (list []ssa.Value, known bool) {
	list = a.passed[p]
	return list, p.Parent() != a.entry && len(list) > 0 && !slices.Contains(list, nil)
}

// wanted is what it depends on whether a value is an error under study.
func (a *argumentFlow) wanted(v ssa.Value, seen map[any]bool) (d dependence) {
	if seen[v] || !a.mayBeWanted(v, map[ssa.Value]bool{}) {
		return 0
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Phi:
		for k, e := range v.Edges {
			if p := v.Block().Preds[k]; a.isLive(p) && a.mayBeWanted(e, map[ssa.Value]bool{}) {
				d |= a.wanted(e, seen) | a.blocks[v.Parent()][p.Index] | a.branch(p)
			}
		}
		return d
	case *ssa.ChangeInterface:
		return a.wanted(v.X, seen)
	case *ssa.Parameter:
		if list, known := a.handed(v); known {
			for _, x := range list {
				d |= a.wanted(x, seen)
			}
			return d
		}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return a.wantedOf(call, v.Index, a.of(v), seen)
		}
	case *ssa.Call:
		return a.wantedOf(v, 0, a.of(v), seen)
	}
	return a.of(v) & onAny
}

// wantedOf is wanted for a result of a call; value is what the result depends on.
func (a *argumentFlow) wantedOf(call *ssa.Call, k int, value dependence, seen map[any]bool) (d dependence) {
	g := call.Call.StaticCallee()
	if g == nil {
		return value & onAny
	}
	if q := a.c.plainFlows[a.plainKey(g)]; q != nil {
		if extra, used := a.within[q]; used {
			return q.wantedResult(g, k, map[any]bool{}) | extra
		}
	}
	if a.blocks[g] == nil {
		return value & onAny
	}
	return a.wantedResult(g, k, seen)
}
