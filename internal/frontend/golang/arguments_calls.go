// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the calls of arguments.go: code with a body is entered, as deep as it
// goes; of some functions of the standard library it is known what their results depend on.

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const conventionSettings = "settings: what GODEBUG says does not change while the program runs"

// call is a call, or a deferred one.
func (a *argumentFlow) call(i ssa.CallInstruction, here dependence) {
	common := i.Common()
	result := func(d dependence) {
		if v := i.Value(); v != nil {
			a.flow(v, d)
		}
	}
	if b, ok := common.Value.(*ssa.Builtin); ok {
		result(a.builtin(b, common.Args, here))
		return
	}
	var given dependence
	for _, x := range common.Args {
		given |= a.of(x)
	}
	g := common.StaticCallee()
	if g == nil {
		targets, open := a.targets(i)
		result(a.of(common.Value))
		for _, t := range targets {
			result(a.into(t, common, here|a.of(common.Value)&onState, true))
		}
		if open {
			a.unknown(i)
			result(onState | intoState)
		}
		return
	}
	name := nameOf(originOf(g))
	switch {
	case name == "errors.New":
		result(0)
	case name == "fmt.Errorf":
		d := a.of(common.Args[0])
		if f := staticMessage(common.Args[0]); strings.Contains(f, "%w") || f == anyText {
			for _, x := range variadic(lastOf(common.Args)) {
				d |= a.of(x)
			}
			d |= a.of(lastOf(common.Args))
			if variadic(lastOf(common.Args)) == nil {
				d |= onState
			}
		}
		result(d & onState)
	case strings.HasPrefix(name, "fmt.Sprint"):
		d := dependence(0)
		for _, x := range variadic(lastOf(common.Args)) {
			m, ok := x.(*ssa.MakeInterface)
			if !ok {
				d = onState
				break
			}
			if _, basic := m.X.Type().(*types.Basic); !basic {
				d = onState
			}
			d |= a.of(m.X)
		}
		if variadic(lastOf(common.Args)) == nil {
			d = onState
		}
		for _, x := range common.Args[:len(common.Args)-1] {
			d |= a.of(x)
		}
		result(d)
	case strings.HasPrefix(name, "(*strings.Builder).") || strings.HasPrefix(name, "(*bytes.Buffer)."):
		// A buffer of text; which one it is, is not told apart.
		d := given&onState | here
		for _, x := range common.Args[1:] {
			if s, ok := x.Type().Underlying().(*types.Slice); ok {
				d |= a.elements(x, s.Elem())
			}
			if types.IsInterface(x.Type()) {
				d |= onState
			}
		}
		if a.of(common.Args[0])&intoState != 0 {
			d |= onState
		}
		a.put(builders{}, d)
		result(a.mem[builders{}])
	case strings.HasPrefix(name, "(*internal/godebug.Setting)."):
		a.c.convention(conventionSettings)
		result(0)
	case packageOf(g) != nil && packageOf(g).Path() == "unicode":
		result(given & onState) // its tables are for everybody to read
	case name == "unique.Make", name == "(unique.Handle[T]).Value":
		result(given & onState) // the same for the same value
	case name == "(*sync.Once).Do":
		// What it runs once writes package variables, or the component.
		if f, ok := common.Args[1].(*ssa.Function); !ok || len(f.Params) > 0 || a.of(common.Args[0])&intoState == 0 {
			a.refuse("it does something once")
		}
	case name == "(*sync.Pool).Get", name == "(*sync.Pool).Put":
		result(onState | intoState)
	case strings.HasPrefix(name, "sync/atomic.") || strings.HasPrefix(name, "(*sync/atomic."):
		if len(common.Args) == 0 || a.of(common.Args[0])&intoState == 0 {
			a.refuse("it has atomic variables of its own")
		}
		result(onState | intoState)
	case strings.HasPrefix(name, "(*sync."):
		a.refuse("it locks")
	case len(g.Blocks) > 0:
		result(a.into(g, common, here, false))
	case isPureAssembly(g):
		d := given
		for _, x := range common.Args {
			if s, ok := x.Type().Underlying().(*types.Slice); ok {
				d |= a.elements(x, s.Elem())
			}
		}
		result(d &^ intoState)
	default:
		a.unknown(i)
		result(onState | intoState)
	}
}

// isPureAssembly reports whether a function without a body computes its results from its
// arguments and writes nothing.
func isPureAssembly(g *ssa.Function) bool {
	pkg := packageOf(g)
	if pkg == nil || pkg.Path() != "internal/bytealg" && pkg.Path() != "math" && pkg.Path() != "math/bits" {
		return false
	}
	return g.Signature.Results().Len() > 0
}

// unknown is a call of code that is not known: it may write what it is given.
func (a *argumentFlow) unknown(i ssa.CallInstruction) {
	if e := a.r.effects[i]; e != nil && !e.changes {
		return
	}
	if !a.wild {
		a.wild, a.changed = true, true
	}
}

// targets are the functions that a dynamic call may call; open: others, too.
func (a *argumentFlow) targets(i ssa.CallInstruction) (fns []*ssa.Function, open bool) {
	if made, ok := a.origins(i.Common().Value, map[ssa.Value]bool{}); ok {
		for _, v := range made {
			var fn *ssa.Function
			switch v := v.(type) {
			case *ssa.Function:
				fn = v
			case *ssa.MakeClosure:
				fn = v.Fn.(*ssa.Function)
			case *ssa.MakeInterface:
				fn = a.c.method(v.X.Type(), i.Common().Method)
			}
			if fn == nil || len(fn.Blocks) == 0 {
				return nil, true
			}
			if !slices.Contains(fns, fn) {
				fns = append(fns, fn)
			}
		}
		return fns, false
	}
	known, ok := a.r.resolved(i.Common())
	if !ok {
		return nil, true
	}
	return known.fns, !known.closed
}

// origins are the functions, closures and interfaces that a value may be, if all of them
// are made in the code that is looked at and handed on as arguments.
func (a *argumentFlow) origins(v ssa.Value, seen map[ssa.Value]bool) (all []ssa.Value, ok bool) {
	if seen[v] {
		return nil, true
	}
	seen[v] = true
	from := func(list []ssa.Value) ([]ssa.Value, bool) {
		for _, x := range list {
			more, ok := a.origins(x, seen)
			if !ok {
				return nil, false
			}
			all = append(all, more...)
		}
		return all, true
	}
	switch v := v.(type) {
	case *ssa.Function, *ssa.MakeClosure, *ssa.MakeInterface:
		return []ssa.Value{v}, true
	case *ssa.Const:
		return nil, true // a call of nil panics
	case *ssa.ChangeType:
		return from([]ssa.Value{v.X})
	case *ssa.ChangeInterface:
		return from([]ssa.Value{v.X})
	case *ssa.Phi:
		return from(v.Edges)
	case *ssa.Parameter:
		if v.Parent() == a.entry || len(a.passed[v]) == 0 {
			return nil, false
		}
		return from(a.passed[v])
	}
	return nil, false
}

// into is a call of a function with a body; it returns what the results depend on.
func (a *argumentFlow) into(g *ssa.Function, common *ssa.CallCommon, here dependence, dynamic bool) (d dependence) {
	a.enter(g)
	if a.refused != "" {
		return onState
	}
	for k, p := range g.Params {
		x := argumentOf(common, g, k)
		if k == 0 && dynamic && common.IsInvoke() {
			x = common.Value
		}
		if x == nil {
			a.flow(p, onState|intoState)
			continue
		}
		if !slices.Contains(a.passed[p], x) {
			a.passed[p] = append(a.passed[p], x)
			a.changed = true
		}
		d := a.of(x)
		if k == 0 && dynamic && common.IsInvoke() && a.open {
			d |= intoState // it may be an object of the component that an argument holds
		}
		a.flow(p, d)
	}
	if here&^a.control[g] != 0 {
		a.control[g] |= here
		a.changed = true
	}
	if dynamic {
		d = a.of(common.Value)
		for _, v := range g.FreeVars {
			a.flow(v, closed(d))
		}
	}
	for _, r := range a.results[g] {
		d |= r
	}
	return d
}

// closed is what a variable of a function literal depends on that was made somewhere else.
func closed(d dependence) dependence {
	if d != 0 {
		return onState | intoState
	}
	return 0
}

func (a *argumentFlow) builtin(b *ssa.Builtin, args []ssa.Value, here dependence) (d dependence) {
	for _, x := range args {
		d |= a.of(x)
	}
	write := func(elem types.Type, d dependence) {
		a.put(elementsOf{a.r.id(elem.Underlying())}, d)
		a.putWithin(elem, d)
	}
	switch b.Name() {
	case "len", "cap":
		if m, ok := args[0].Type().Underlying().(*types.Map); ok {
			d |= a.inMap(args[0], m)
		}
		if p := deref(args[0].Type()); p != nil {
			d &^= intoState
		}
		return d
	case "append", "copy":
		to, ok := args[0].Type().Underlying().(*types.Slice)
		if !ok || len(args) < 2 {
			return d
		}
		from := a.of(args[1])
		if s, ok := args[1].Type().Underlying().(*types.Slice); ok {
			from = a.elements(args[1], s.Elem())
		}
		write(to.Elem(), from|here|a.of(args[0])&onState)
		return d
	case "delete":
		m := args[0].Type().Underlying()
		a.put(mapsOf{a.r.id(m)}, d&onState|here)
	case "clear":
		switch u := args[0].Type().Underlying().(type) {
		case *types.Map:
			a.put(mapsOf{a.r.id(u)}, d&onState|here)
		case *types.Slice:
			write(u.Elem(), d&onState|here)
		}
	case "recover":
		return 0 // see onlyArguments
	case "min", "max", "real", "imag", "complex", "print", "println", "ssa:wrapnilchk":
	case "String", "StringData", "SliceData", "Slice":
		if s, ok := args[0].Type().Underlying().(*types.Pointer); ok {
			if d&intoState != 0 {
				return onState | intoState
			}
			d |= a.mem[anywhereOf{a.r.id(s.Elem().Underlying())}]
			if a.wild {
				d |= onState
			}
		}
	default:
		return d | onState | intoState
	}
	return d
}
