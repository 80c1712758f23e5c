// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what a function that is not followed may write, if it has a body:
// the locations that its code and the code it calls write (side-effect analysis:
// Banning, POPL 1979), and whatever the arguments of calls to unknown code lead to.
// A function whose code is too large, or that may write what unsafe pointers lead to, may
// write everything that it is given.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxEffects bounds the functions that are looked at for the effects of one.
const maxEffects = 150

// A modified is what a function may write; nil is everything that it can reach.
type modified struct {
	by    []*summary        // of the functions that it may run
	found map[location]bool // representatives, of all that types lead to
	nodes []types.Type      // of what unknown code is given
}

// looks are the functions of the run time for package reflect that are given unsafe pointers and write
// nothing there. The contracts of the others are about objects of that package.
var looks = map[string]bool{
	"reflect.maplen": true, "reflect.chanlen": true, "reflect.chancap": true, "reflect.mapaccess": true, "reflect.mapaccess_faststr": true,
	"reflect.unsafe_New": true, "reflect.unsafe_NewArray": true, "reflect.verifyNotInHeapPtr": true,
	"reflect.resolveNameOff": true, "reflect.resolveTypeOff": true, "reflect.resolveTextOff": true,
}

// A summary is what the code of a function itself does.
type summary struct {
	writes  []location
	callees []*ssa.Function
	given   []types.Type
	seenAs  []types.Type // of what unsafe pointers are converted to
	opaque  bool
}

// summarize looks at the code of a function.
func (r *reach) summarize(fn *ssa.Function) *summary {
	if s, ok := r.summaries[fn]; ok {
		return s
	}
	s := &summary{}
	r.summaries[fn] = s
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Convert:
				if e := deref(i.Type()); isUnsafe(i.X.Type()) && e != nil && !isLocal(i.X) {
					if hasArray(e) {
						s.opaque = true // stores of elements are not seen
						return s
					}
					s.seenAs = append(s.seenAs, e)
				}
				if r.c.isNumbered(i) {
					for _, x := range numbered(i) {
						if isUnsafe(x.Type()) {
							s.opaque = true
							return s
						}
						s.given = append(s.given, x.Type())
					}
					s.writes = append(s.writes, r.numberWrites(i)...)
				}
			case *ssa.Store:
				if a, ok := i.Addr.(*ssa.Alloc); ok && !a.Heap {
					continue
				}
				s.writes = r.appendParts(s.writes, i.Addr)
			case *ssa.MapUpdate:
				s.writes = append(s.writes, r.mapSize(i.Map.Type()))
			case *ssa.MakeClosure:
				// Whoever calls it: its effects are effects of this function.
				s.callees = append(s.callees, i.Fn.(*ssa.Function))
			case *ssa.Send, *ssa.Select:
				s.writes = append(s.writes, channels{})
			case ssa.CallInstruction:
				r.summarizeCall(s, i)
			}
		}
	}
	return s
}

func (r *reach) summarizeCall(s *summary, i ssa.CallInstruction) {
	call := i.Common()
	if roots, starts := r.startedBy(i); starts {
		s.callees = append(s.callees, roots...)
	}
	if b, ok := call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "delete", "clear":
			if _, ok := call.Args[0].Type().Underlying().(*types.Map); ok {
				s.writes = append(s.writes, r.mapSize(call.Args[0].Type()))
			}
		case "close":
			s.writes = append(s.writes, channels{})
		}
		return
	}
	unknown := func(e *effect) {
		if e == nil || e.changes {
			for _, x := range call.Args {
				s.given = append(s.given, x.Type())
			}
		}
	}
	g := call.StaticCallee()
	switch {
	case call.IsInvoke():
		s.callees = append(s.callees, r.candidates(call)...)
		unknown(r.c.effectOf(call.Method))
	case g == nil:
		if fns, ok := r.c.l.fieldFunctions(call); ok {
			s.callees = append(s.callees, fns...)
			break
		}
		s.callees = append(s.callees, r.candidates(call)...)
		unknown(nil)
	case r.c.isIntrinsic(g):
		if r.c.touches(g) && len(call.Args) > 0 && deref(call.Args[0].Type()) != nil {
			s.writes = append(s.writes, r.parts(call.Args[0])...)
		}
		if !quiet[nameOf(g)] && !isAtomic(g) && !r.c.ends(g) {
			unknown(nil)
		}
	case looks[nameOf(g)]:
	case len(g.Blocks) == 0 && packageOf(g) != nil && packageOf(g).Path() == "reflect" && slices.ContainsFunc(call.Args, func(x ssa.Value) bool { return isUnsafe(x.Type()) }):
		s.opaque = true
	case len(g.Blocks) == 0 || r.c.replaced(g):
		unknown(r.c.effectOf(originOf(g).Object()))
	default:
		s.callees = append(s.callees, g)
	}
}

// effectsOf returns what a function may write, or nil.
func (r *reach) effectsOf(fn *ssa.Function) *modified {
	if m, ok := r.mods[fn]; ok {
		return m
	}
	r.mods[fn] = nil
	if len(fn.Blocks) == 0 {
		return nil
	}
	m := &modified{}
	var seenAs []types.Type
	seen := map[*ssa.Function]bool{fn: true}
	for work := []*ssa.Function{fn}; len(work) > 0; {
		g := work[0]
		work = work[1:]
		s := r.summarize(g)
		if s.opaque || len(seen) > maxEffects {
			return nil
		}
		m.by = append(m.by, s)
		m.nodes = append(m.nodes, s.given...)
		seenAs = append(seenAs, s.seenAs...)
		for _, h := range s.callees {
			if len(h.Blocks) > 0 && !seen[h] {
				seen[h] = true
				work = append(work, h)
			}
		}
	}
	for g := range seen {
		if !r.located[g] {
			r.located[g] = true
			r.locate(g)
		}
	}
	if len(seenAs) > 0 && r.writesAny(m, seenAs) {
		return nil
	}
	r.mods[fn] = m
	return m
}

// locs are the locations that the code of the functions writes, before locations are united. Some come more than once.
func (m *modified) locs(yield func(location) bool) {
	for _, s := range m.by {
		for _, l := range s.writes {
			if !yield(l) {
				return
			}
		}
	}
}

// isLocal reports whether an unsafe pointer is to a variable of the function at hand.
func isLocal(v ssa.Value) bool {
	c, ok := v.(*ssa.Convert)
	if !ok {
		return false
	}
	_, ok = c.X.(*ssa.Alloc)
	return ok
}

// hasArray reports whether objects of a type have elements.
func hasArray(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if hasArray(f.Type()) {
				return true
			}
		}
	}
	return false
}

// writesAny reports whether code may write objects of some types.
func (r *reach) writesAny(m *modified, all []types.Type) bool {
	if len(m.nodes) > 0 {
		return true
	}
	found := map[location]bool{}
	for l := range m.locs {
		found[r.find(l)] = true
	}
	for _, t := range all {
		if _, ok := t.Underlying().(*types.Struct); !ok {
			if found[r.find(r.pointed(t))] {
				return true
			}
			continue
		}
		for _, l := range fieldsOf(t, nil) {
			if found[r.find(l)] {
				return true
			}
		}
	}
	return false
}

// all returns the representatives of the locations that may be written.
func (r *reach) all(m *modified) map[location]bool {
	if m.found != nil {
		return m.found
	}
	m.found = map[location]bool{}
	for l := range m.locs {
		m.found[r.find(l)] = true
	}
	seen := map[int]bool{}
	var visit func(n int)
	visit = func(n int) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, e := range r.typeEdges[n] {
			if e.at != nil {
				m.found[r.find(e.at)] = true
			}
			if e.to >= 0 {
				visit(e.to)
			}
		}
	}
	for _, t := range m.nodes {
		if followed(t) {
			visit(r.typeNode(t))
		}
	}
	return m.found
}

// writesLeaf reports whether a scalar of an object may be written.
func (r *reach) writesLeaf(m *modified, l leaf) bool {
	return m == nil || l.in == nil || r.all(m)[r.find(l.in)]
}
