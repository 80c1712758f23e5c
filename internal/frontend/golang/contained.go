// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which package variables a function of the component's package may write that is not
// followed, if its code with all that it calls is too large to be looked at (mod.go).
//
// A package variable is *contained* if it is not exported and its address goes nowhere but to
// functions that use it and forget it, such as the methods of a mutex. Whoever writes it names it,
// so only the functions of its own package do that do so. A function runs such a one if it calls it,
// or calls one that does. Code of other packages, and whatever function values and methods
// of interfaces are, runs the functions of the package that are taken as values and the
// methods of its types that are put into interfaces. It does not run others: that clients call the
// component while a call is running is excluded by convention.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A containment is what is known of the variables of a package, and of who names them.
type containment struct {
	c       *compiler
	writers map[*ssa.Global]map[*ssa.Function]bool // by whole functions, see wholeOf; nil: it is not contained
	taken   []*ssa.Function                        // that somebody else may call
	given   map[parameter][]*ssa.Function          // functions that are given to a parameter which is only called
	runs    map[*ssa.Function]map[*ssa.Function]bool
	named   map[*ssa.Function]*mention
	keeps   map[parameter]bool // addresses that it is given; while it is looked at: no
	calls   map[parameter]bool
}

// A parameter is one of a function, by its number.
type parameter struct {
	fn *ssa.Function
	k  int
}

// mayRunWriter reports whether a function may write a package variable, or what it calls.
func (c *compiler) mayRunWriter(fn *ssa.Function, g *ssa.Global) bool {
	if g.Pkg != c.l.pkg || g.Object() == nil || g.Object().Exported() {
		return true
	}
	if c.contained == nil {
		c.contained = &containment{c: c}
		c.contained.scan()
	}
	writers := c.contained.writers[g]
	if writers == nil {
		return true
	}
	for h := range c.contained.runsOf(fn) {
		if writers[wholeOf(h)] || packageOf(h) == c.l.pkg.Pkg && len(h.Blocks) == 0 {
			return true
		}
	}
	return false
}

// wholeOf returns the function that a function literal is written in, as it is written.
func wholeOf(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return originOf(fn)
}

// scan looks at the code of the package.
func (k *containment) scan() {
	k.writers = map[*ssa.Global]map[*ssa.Function]bool{}
	k.given, k.runs = map[parameter][]*ssa.Function{}, map[*ssa.Function]map[*ssa.Function]bool{}
	k.named = map[*ssa.Function]*mention{}
	k.keeps, k.calls = map[parameter]bool{}, map[parameter]bool{}
	leaks := map[*ssa.Global]bool{}
	boxed := map[types.Type]bool{}
	for _, fn := range k.c.functionsIn(k.c.l.pkg) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					switch x := (*op).(type) {
					case *ssa.Global:
						if _, load := i.(*ssa.UnOp); load || x.Pkg != k.c.l.pkg {
							continue
						}
						if k.writers[x] == nil {
							k.writers[x] = map[*ssa.Function]bool{}
						}
						k.writers[x][wholeOf(fn)] = true
						leaks[x] = leaks[x] || k.leaks(x, i)
					case *ssa.Function:
						if _, bound := i.(*ssa.MakeClosure); !bound {
							k.use(x, x, i)
						}
					}
				}
				switch i := i.(type) {
				case *ssa.MakeClosure:
					for _, u := range *i.Referrers() {
						k.use(i.Fn.(*ssa.Function), i, u)
					}
				case *ssa.MakeInterface:
					k.box(i.X.Type(), boxed)
				case ssa.CallInstruction:
					if g := i.Common().StaticCallee(); g != nil && k.seesMethods(g, map[*ssa.Function]bool{}) {
						for _, t := range g.TypeArgs() {
							k.box(t, boxed)
						}
					}
				}
			}
		}
	}
	for _, m := range k.c.l.pkg.Members {
		if g, ok := m.(*ssa.Global); ok && k.writers[g] == nil {
			k.writers[g] = map[*ssa.Function]bool{}
		}
	}
	for g, yes := range leaks {
		if yes {
			k.writers[g] = nil
		}
	}
}

// use notes what an instruction does with a function value.
func (k *containment) use(fn *ssa.Function, v ssa.Value, i ssa.Instruction) {
	if _, debug := i.(*ssa.DebugRef); debug {
		return
	}
	if call, ok := i.(ssa.CallInstruction); ok && !isGo(i) {
		g := call.Common().StaticCallee()
		only := true
		for n, x := range call.Common().Args {
			if x == v {
				only = only && g != nil && k.onlyCalls(parameter{g, n})
			}
		}
		if only {
			for n, x := range call.Common().Args {
				if x == v {
					at := parameter{g, n}
					k.given[at] = append(k.given[at], fn)
				}
			}
			return
		}
	}
	k.taken = append(k.taken, fn)
}

// onlyCalls reports whether a function does nothing with a parameter but call it, or give it to a
// function that does.
func (k *containment) onlyCalls(at parameter) bool {
	if only, ok := k.calls[at]; ok {
		return only
	}
	k.calls[at] = true // while it is looked at
	only := at.k < len(at.fn.Params) && len(at.fn.Blocks) > 0
	if only {
		p := at.fn.Params[at.k]
		for _, u := range *p.Referrers() {
			switch u := u.(type) {
			case *ssa.DebugRef:
			case ssa.CallInstruction:
				for n, x := range u.Common().Args {
					if g := u.Common().StaticCallee(); x == p && (g == nil || !k.onlyCalls(parameter{g, n})) {
						only = false
					}
				}
				only = only && !isGo(u)
			default:
				only = false
			}
		}
	}
	k.calls[at] = only
	return only
}

// box notes that a value is put into an interface: whoever gets it may call its methods, and those of
// what it may see there. Errors are printed.
func (k *containment) box(t types.Type, seen map[types.Type]bool) {
	if t = types.Unalias(t); seen[t] || types.IsInterface(t) {
		return
	}
	seen[t] = true
	set := k.c.l.prog.MethodSets.MethodSet(t)
	printed := types.Implements(t, errorInterface)
	for n := range set.Len() {
		if _, generic := t.(*types.TypeParam); generic {
			break
		}
		if fn := k.c.l.prog.MethodValue(set.At(n)); fn != nil {
			k.taken = append(k.taken, fn)
		}
	}
	if printed {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		k.box(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			k.box(f.Type(), seen)
			k.box(types.NewPointer(f.Type()), seen)
		}
	case *types.Slice:
		k.box(u.Elem(), seen)
		k.box(types.NewPointer(u.Elem()), seen)
	case *types.Array:
		k.box(u.Elem(), seen)
	case *types.Map:
		k.box(u.Key(), seen)
		k.box(u.Elem(), seen)
	case *types.Chan:
		k.box(u.Elem(), seen)
	}
}

// seesMethods reports whether a generic function may call methods of what it is instantiated with, or put it
// into interfaces.
func (k *containment) seesMethods(fn *ssa.Function, seen map[*ssa.Function]bool) bool {
	fn = originOf(fn)
	if seen[fn] || fn.TypeParams().Len() == 0 {
		return false
	}
	seen[fn] = true
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.MakeInterface, *ssa.MakeClosure:
				return true
			case ssa.CallInstruction:
				if g := i.Common().StaticCallee(); i.Common().IsInvoke() || g != nil && k.seesMethods(g, seen) {
					return true
				}
			}
		}
	}
	return len(fn.Blocks) == 0
}

// leaks reports whether an instruction may give the address of a variable to somebody who keeps it.
func (k *containment) leaks(v ssa.Value, i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.DebugRef, *ssa.UnOp:
		return false
	case *ssa.Store:
		return i.Val == v
	case *ssa.FieldAddr:
		return k.anyLeaks(i)
	case *ssa.IndexAddr:
		return i.X != v || k.anyLeaks(i)
	case ssa.CallInstruction:
		g := i.Common().StaticCallee()
		if g == nil || isGo(i) || i.Common().Value == v {
			return true
		}
		for n, x := range i.Common().Args {
			if x == v && k.keepsAddress(parameter{g, n}) {
				return true
			}
		}
		return false
	}
	return true
}

func (k *containment) anyLeaks(v ssa.Value) bool {
	for _, u := range *v.Referrers() {
		if k.leaks(v, u) {
			return true
		}
	}
	return false
}

// keepsAddress reports whether a function may keep a pointer that it is given, or give it away.
func (k *containment) keepsAddress(at parameter) bool {
	if pkg := packageOf(at.fn); at.k == 0 && (isAtomic(at.fn) && len(at.fn.Blocks) == 0 || pkg != nil && pkg.Path() == "sync" && k.c.isIntrinsic(at.fn)) {
		return false
	}
	if keeps, ok := k.keeps[at]; ok {
		return keeps
	}
	k.keeps[at] = false // while it is looked at
	keeps := at.k >= len(at.fn.Params) || len(at.fn.Blocks) == 0 || k.anyLeaks(at.fn.Params[at.k])
	k.keeps[at] = keeps
	return keeps
}

// runsOf returns the functions of the package that a function runs, with itself.
func (k *containment) runsOf(fn *ssa.Function) map[*ssa.Function]bool {
	if all, ok := k.runs[fn]; ok {
		return all
	}
	all := map[*ssa.Function]bool{}
	var work []*ssa.Function
	visit := func(g *ssa.Function) {
		if !all[g] {
			all[g] = true
			work = append(work, g)
		}
	}
	abroad := false
	others := func() {
		if !abroad {
			abroad = true
			for _, g := range k.taken {
				visit(g)
			}
		}
	}
	visit(fn)
	for n := range fn.Params {
		for _, g := range k.given[parameter{fn, n}] {
			visit(g)
		}
	}
	own := k.c.l.pkg.Pkg
	for len(work) > 0 {
		g := work[0]
		work = work[1:]
		if packageOf(g) != own || len(g.Blocks) == 0 {
			others()
		}
		if packageOf(g) != own && g.Synthetic == "" {
			continue
		}
		m := k.mentioned(g)
		if m.unknown {
			others()
		}
		for _, h := range m.fns {
			visit(h) // one that it calls, or that is only called by what it is given to
		}
	}
	k.runs[fn] = all
	return all
}

// A mention is which functions the code of a function names, and whether it calls any that it does not name.
type mention struct {
	fns     []*ssa.Function
	unknown bool
}

func (k *containment) mentioned(fn *ssa.Function) *mention {
	if m := k.named[fn]; m != nil {
		return m
	}
	m := &mention{}
	k.named[fn] = m
	seen := map[*ssa.Function]bool{}
	var ops []*ssa.Value
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(ssa.CallInstruction); ok {
				if _, builtin := call.Common().Value.(*ssa.Builtin); !builtin && call.Common().StaticCallee() == nil {
					m.unknown = true
				}
			}
			ops = i.Operands(ops[:0])
			for _, op := range ops {
				if h, ok := (*op).(*ssa.Function); ok && !seen[h] {
					seen[h] = true
					m.fns = append(m.fns, h)
				}
			}
		}
	}
	return m
}
