// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the package variables that do not change once the package is initialized,
// and the tables among them: what they hold does not change either, because the code of
// the package only looks into it.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A packageUse is what the code of a package does with its variables after it is
// initialized.
type packageUse struct {
	changed map[*ssa.Global]bool     // they may be
	looked  map[*ssa.Global]bool     // what is in them is only looked into
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
	u := &packageUse{changed: map[*ssa.Global]bool{}, looked: map[*ssa.Global]bool{}, texts: map[*types.TypeName]bool{}}
	c.packageUses[pkg] = u
	early := initFunctions(pkg)
	for _, fn := range c.functionsIn(pkg) {
		if early[fn] || fn.Synthetic == "package initializer" {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Global); ok {
						u.use(g, i)
					}
				}
			}
		}
	}
	return u
}

func (u *packageUse) use(g *ssa.Global, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.UnOp:
		if old, seen := u.looked[g]; !seen || old {
			u.looked[g] = onlyLooked(i, map[ssa.Value]bool{})
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		u.changed[g] = u.changed[g] || !onlyLoaded(i.(ssa.Value), 0)
	case *ssa.DebugRef:
	default:
		u.changed[g] = true
	}
}

// onlyLoaded reports whether an address is only read from.
func onlyLoaded(v ssa.Value, depth int) bool {
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if !isPlain(i.Type(), 0) {
				return false
			}
		case *ssa.FieldAddr, *ssa.IndexAddr:
			if depth > 4 || !onlyLoaded(i.(ssa.Value), depth+1) {
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
		return isPlain(t, 0)
	}
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
			if !onlyLoaded(i, 0) {
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
