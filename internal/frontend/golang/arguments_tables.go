// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the package variables that do not change once the package is initialized,
// and the tables among them: what they hold does not change either, because the code of
// the package only looks into it.

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A packageUse is what the code of a package does with its variables after it is
// initialized.
type packageUse struct {
	changed map[*ssa.Global]bool     // they may be
	looked  map[*ssa.Global]bool     // what is in them is only looked into
	shallow map[*ssa.Global]bool     // so are their elements, but these may lead to what others write
	texts   map[*types.TypeName]bool // types of pointers to the bytes of texts, as far as they were asked for
}

// after says what happens to the variables of a package after its initialization.
func (c *compiler) after(pkg *ssa.Package) *packageUse {
	if c.packageUses == nil {
		c.packageUses = map[*ssa.Package]*packageUse{}
	}
	if u := c.packageUses[pkg]; u != nil {
		return u
	}
	u := &packageUse{changed: map[*ssa.Global]bool{}, looked: map[*ssa.Global]bool{}, shallow: map[*ssa.Global]bool{}, texts: map[*types.TypeName]bool{}}
	c.packageUses[pkg] = u
	var ops []*ssa.Value
	use := func(fn *ssa.Function, note func(g *ssa.Global, i ssa.Instruction)) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				ops = i.Operands(ops[:0])
				for _, op := range ops {
					if g, ok := (*op).(*ssa.Global); ok && g.Pkg == pkg {
						note(g, i)
					}
				}
			}
		}
	}
	early := c.onlyEarly(pkg)
	for _, fn := range c.functionsIn(pkg) {
		switch {
		case fn.Synthetic == "package initializer":
			use(fn, u.declare)
		case !early[fn]:
			use(fn, u.use)
		}
	}
	// Variables that are exported are for others to write, too. Clients are taken not to.
	for _, fn := range c.ownFunctions() {
		if packageOf(fn) != pkg.Pkg {
			use(fn, u.use)
		}
	}
	for _, fn := range c.reach.fns {
		if p := packageOf(fn); p != pkg.Pkg && !c.l.owns(p) {
			use(fn, u.use)
		}
	}
	return u
}

// onlyEarly returns the functions of a package that run only while it is initialized: those
// named init, and functions without a receiver, not exported, that nothing but such functions
// mentions, and only to call them.
func (c *compiler) onlyEarly(pkg *ssa.Package) map[*ssa.Function]bool {
	early := maps.Clone(c.initFunctions(pkg))
	for fn := range early {
		if !strings.HasPrefix(fn.Name(), "init#") && (fn.Signature.Recv() != nil || token.IsExported(fn.Name())) {
			delete(early, fn)
		}
	}
	fns := c.functionsIn(pkg)
	var ops []*ssa.Value
	for changed := true; changed; {
		changed = false
		for _, fn := range fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					ops = i.Operands(ops[:0])
					for _, op := range ops {
						g, ok := (*op).(*ssa.Function)
						if !ok || !early[g] {
							continue
						}
						call, isCall := i.(*ssa.Call)
						if fn.Synthetic == "package initializer" && isCall && call.Call.Value == *op {
							continue
						}
						if !early[fn] || !isCall || call.Call.Value != *op || slices.Contains(call.Call.Args, *op) {
							delete(early, g)
							changed = true
						}
					}
				}
			}
		}
	}
	return early
}

func (u *packageUse) use(g *ssa.Global, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.UnOp:
		if old, seen := u.looked[g]; !seen || old {
			u.looked[g] = onlyLooked(i, map[ssa.Value]bool{})
		}
		if old, seen := u.shallow[g]; !seen || old {
			u.shallow[g] = onlyIndexed(i)
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		u.changed[g] = u.changed[g] || !onlyLoaded(i.(ssa.Value), false, 0)
	case *ssa.DebugRef:
	default:
		u.changed[g] = true
	}
}

// declare notes what a declaration does with a variable. It may set it, and parts of it; but where it gives
// others what is in it, or its address, that has another name from then on, by which it may be written:
//
//	var table = []int{1, 2}
//	var other = table
func (u *packageUse) declare(g *ssa.Global, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Store:
		u.changed[g] = u.changed[g] || i.Addr != ssa.Value(g)
	case *ssa.FieldAddr, *ssa.IndexAddr:
		u.changed[g] = u.changed[g] || !onlyLoaded(i.(ssa.Value), true, 0)
	default:
		u.use(g, i)
	}
}

// onlyLoaded reports whether an address is only read from, or, if it may be set, written to.
func onlyLoaded(v ssa.Value, set bool, depth int) bool {
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if !set || i.Addr != v {
				return false
			}
		case *ssa.UnOp:
			if !isPlain(i.Type(), 0) {
				return false
			}
		case *ssa.FieldAddr, *ssa.IndexAddr:
			if depth > 4 || !onlyLoaded(i.(ssa.Value), set, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isConstant reports whether a package variable does not change after initialization.
func (c *compiler) isConstant(g *ssa.Global) bool { return !c.after(g.Pkg).changed[g] }

// isTable reports whether what such a variable holds does not change either, and leads
// nowhere else.
func (c *compiler) isTable(g *ssa.Global) bool {
	switch t := deref(g.Type()); t.Underlying().(type) {
	case *types.Map, *types.Slice:
		looked, read := c.after(g.Pkg).looked[g]
		return (looked || !read) && g.Object() != nil && !g.Object().Exported()
	default:
		return isPlain(t, 0) || c.isFrozen(t)
	}
}

// tableAt returns the package variable with a slice or array of which an address is that of an element, or of a part of one,
// if nobody changes these: the variable does not change, it is not exported, and all code only reads elements of
// the slice, one by one, and gives it to nobody. What an element leads to may change all the same; see isDeep. Else it returns nil.
func (c *compiler) tableAt(addr ssa.Value) *ssa.Global {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
			continue
		case *ssa.IndexAddr:
			load, ok := a.X.(*ssa.UnOp)
			if !ok {
				addr = a.X // an array
				continue
			}
			if _, slice := load.Type().Underlying().(*types.Slice); !slice || load.Op != token.MUL {
				return nil
			}
			if g, ok := load.X.(*ssa.Global); ok && g.Object() != nil && !g.Object().Exported() && c.isConstant(g) && c.after(g.Pkg).shallow[g] {
				return g
			}
		}
		return nil
	}
}

// onlyIndexed reports whether elements of a slice are only read, and nothing else is done with it.
func onlyIndexed(v *ssa.UnOp) bool {
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return false
	}
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.DebugRef:
		case *ssa.IndexAddr:
			if !onlyFetched(i, 0) {
				return false
			}
		case *ssa.Call:
			if !isBuiltin(i, "len") {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// onlyFetched reports whether what is at an address is only read, whatever it leads to.
func onlyFetched(v ssa.Value, depth int) bool {
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.DebugRef, *ssa.UnOp:
		case *ssa.FieldAddr:
			if depth > 4 || !onlyFetched(i, depth+1) {
				return false
			}
		case *ssa.IndexAddr:
			if i.X != v || depth > 4 || !onlyFetched(i, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isFrozen reports whether objects that pointers of a type lead to never change once the function
// has returned that made them, and lead nowhere else: a struct all of whose fields are plain and not
// exported, so that only code of its package sets them, and that code only reads them, other than
// in variables of its own. Nor does any code assign such an object as a whole; clients are taken
// not to. What a package variable holds that does not change was made while its package was
// initialized.
func (c *compiler) isFrozen(t types.Type) bool {
	p := deref(t)
	if p == nil {
		return false
	}
	n, ok := types.Unalias(p).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.TypeArgs().Len() > 0 {
		return false
	}
	if yes, known := c.frozen[n]; known {
		return yes
	}
	if c.frozen == nil {
		c.frozen = map[*types.Named]bool{}
	}
	yes := c.onlyReads(n)
	c.frozen[n] = yes
	return yes
}

func (c *compiler) onlyReads(n *types.Named) bool {
	s, ok := n.Underlying().(*types.Struct)
	pkg := c.l.prog.Package(n.Obj().Pkg())
	if !ok || pkg == nil || !isPlain(s, 0) {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() || f.Embedded() {
			return false
		}
	}
	isIt := func(v ssa.Value) bool {
		p := deref(v.Type())
		return p != nil && types.Identical(p, n)
	}
	for _, fn := range slices.Concat(c.functionsIn(pkg), c.ownFunctions(), c.reach.fns) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.Store:
					if _, own := i.Addr.(*ssa.Alloc); !own && types.Identical(deref(i.Addr.Type()), n) {
						return false
					}
				case *ssa.FieldAddr:
					if _, own := i.X.(*ssa.Alloc); !own && isIt(i.X) && !onlyLoaded(i, false, 0) {
						return false
					}
					if p := deref(i.Type()); p != nil && types.Identical(p, n) {
						return false // a part of another object
					}
				case *ssa.IndexAddr:
					if p := deref(i.Type()); p != nil && types.Identical(p, n) {
						return false
					}
				case *ssa.Convert, *ssa.ChangeType:
					if v := i.(ssa.Value); isIt(v) || isIt(*v.(ssa.Instruction).Operands(nil)[0]) {
						return false
					}
				}
			}
		}
	}
	return true
}

// onlyLooked reports whether a map or slice is only looked into, and yields no references.
func onlyLooked(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	if !plainElements(v.Type()) || len(seen) > 20 {
		return false
	}
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.DebugRef, *ssa.Range, *ssa.Lookup:
		case *ssa.IndexAddr:
			if !onlyLoaded(i, false, 0) {
				return false
			}
		case *ssa.Phi:
			if !onlyLooked(i, seen) {
				return false
			}
		case *ssa.Slice:
			if !onlyLooked(i, seen) {
				return false
			}
		case *ssa.Call:
			if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
				continue
			}
			g := i.Call.StaticCallee()
			if g == nil || len(g.Blocks) == 0 || len(g.Params) != len(i.Call.Args) {
				return false
			}
			for k, x := range i.Call.Args {
				if x == v && !onlyLooked(g.Params[k], seen) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// plainElements reports whether the elements of a map or slice lead to no memory.
func plainElements(t types.Type) bool {
	var elem types.Type
	switch u := t.Underlying().(type) {
	case *types.Map:
		elem = u.Elem()
	case *types.Slice:
		elem = u.Elem()
	default:
		return false
	}
	return isPlain(elem, 0)
}

func isPlain(t types.Type, depth int) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Struct:
		for k := range u.NumFields() {
			if depth > 3 || !isPlain(u.Field(k).Type(), depth+1) {
				return false
			}
		}
		return true
	case *types.Array:
		return depth <= 3 && isPlain(u.Elem(), depth+1)
	}
	return false
}
