// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds out how the objects of a component come to be. A maker is a few
// calls: a function of the package, or a chain of calls that leads to a child
// object, written as Go statements. Every result of a call is an object; one of
// them is the component, and methods of the others may be in its alphabet. Here are
// the makers that a type has by default; resolve.go reads those that a user writes.

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A maker is a constructor.
type maker struct {
	name    string
	objects []object
	steps   []step
	takes   int // the object that is the component
	site    *allocation
	// chain: nobody asked for these calls on other objects; see chain.go.
	chain bool
}

// An object is what a call returns, or what a declaration makes.
type object struct {
	name string // "" if the statements give it none
	typ  types.Type
	// A variable is declared: it starts as the zero value, with the given
	// exported fields chosen by the client.
	variable bool
	fields   []string
	// converted: it starts as any value that the client chooses.
	converted bool
	text      string // how it was made
}

// chosen lists the types of values that clients choose for objects without a call.
func (k *maker) chosen() []types.Type {
	var list []types.Type
	for _, o := range k.objects {
		if o.converted {
			list = append(list, o.typ)
		}
		if s, ok := o.typ.Underlying().(*types.Struct); ok {
			for _, name := range o.fields {
				list = append(list, s.Field(fieldOf(s, name)).Type())
			}
		}
	}
	return list
}

// A step is a call.
type step struct {
	fn   *ssa.Function // nil: a method of an interface
	name string        // of the method of an interface
	recv int           // object that the method is called on; -1 for a function
	args []argument
	out  int // the first of its results
	n    int // how many they are
}

// An argument is a parameter of the constructor, a constant or an object.
type argument struct {
	typ    types.Type
	name   string     // of the parameter
	value  *ssa.Const // of a constant
	object int        // -1: none
	// leftOut: a variadic one that is not written.
	leftOut bool
}

// isZero reports whether a maker only declares the object.
func (k *maker) isZero() bool { return len(k.steps) == 0 && len(k.objects) == 1 }

const zeroName = "zero"

// zeroMaker makes the zero value.
func (c *compiler) zeroMaker() maker {
	return maker{name: zeroName, objects: []object{{typ: c.named, variable: true}}}
}

// functionMaker makes the object by one function.
func (c *compiler) functionMaker(fn *ssa.Function) maker {
	r := &resolver{c: c}
	r.call(fn, -1, nil)
	r.k.takes, _ = r.component(0)
	r.k.name = c.functionName(fn)
	return r.k
}

func (c *compiler) functionName(fn *ssa.Function) string {
	name := fn.Name()
	if o := fn.Origin(); o != nil {
		name = o.Name()
	}
	return packageOf(fn).Name() + "." + name
}

// makers returns the constructors: what the user names, else the usual ones.
func (c *compiler) makers(s Subject) ([]maker, error) {
	if c.named == nil {
		return []maker{{name: "init", takes: -1}}, nil
	}
	var all []maker
	for _, text := range c.o.Constructors {
		k, err := c.maker(text)
		if err != nil {
			return nil, fmt.Errorf("-constructor %s: %w", text, err)
		}
		all = append(all, k)
	}
	for _, text := range c.o.Factories {
		k, err := c.maker(text)
		if err != nil {
			return nil, fmt.Errorf("-factory %q: %w", text, err)
		}
		all = append(all, k)
	}
	if len(all) == 0 {
		all = c.usualMakers()
	}
	// The same name twice would be one method.
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(k maker) bool {
		again := seen[k.name]
		seen[k.name] = true
		return again
	}), nil
}

// usualMakers returns the constructors that a type has without anybody naming
// them: exported functions of its package that return it, else those that return
// it in an interface, else methods of other types that do; and the zero value, if
// the documentation speaks of it. If there is none of these: the zero value of a
// type with exported fields or one that its package does not allocate, else the
// places where it does.
func (c *compiler) usualMakers() []maker {
	var all []maker
	var boxed []maker
	for _, fn := range c.l.functions() {
		if !token.IsExported(fn.Name()) {
			continue
		}
		if fn = c.instance(fn, c.named); fn == nil {
			continue
		}
		switch _, how := c.makes(fn, c.named); how {
		case makesDirectly:
			all = append(all, c.functionMaker(fn))
		case makesBoxed:
			boxed = append(boxed, c.functionMaker(fn))
		}
	}
	if len(all) == 0 {
		all = boxed
	}
	if _, basic := c.named.Underlying().(*types.Basic); basic {
		// Every value of the type is one conversion away.
		return append(all, c.conversionMaker())
	}
	if len(all) == 0 && !c.o.noChains {
		all = c.childMakers()
		c.chains = len(all) > 0
	}
	name := c.named.Obj().Name()
	switch {
	case usableZero(c.l.docOf(name), name):
		all = append(all, c.zeroMaker())
	case len(all) > 0:
	case c.o.noChains || !token.IsExported(name) || !hasExportedField(c.named):
		if all = c.allocations(); len(all) == 0 {
			all = append(all, c.zeroMaker())
		}
	default:
		all = append(all, c.zeroMaker())
	}
	return all
}

// conversionMaker makes a value of a basic type by conversion.
func (c *compiler) conversionMaker() maker {
	return maker{name: typeText(c.named) + "(x)", objects: []object{{typ: c.named, variable: true, converted: true}}}
}

// usableZero reports whether documentation speaks of the zero value, and not in a
// sentence that says no.
func usableZero(doc, name string) bool {
	for _, s := range strings.Split(strings.ToLower(strings.Join(strings.Fields(doc), " ")), ". ") {
		if !strings.Contains(s, "zero value") && !strings.Contains(s, "zero "+strings.ToLower(name)) {
			continue
		}
		no := slices.ContainsFunc(strings.FieldsFunc(s, func(r rune) bool { return !('a' <= r && r <= 'z' || r == '\'') }), func(w string) bool {
			return slices.Contains([]string{"not", "never", "invalid", "unusable", "panics", "panic", "cannot", "no", "isn't", "nil"}, w)
		})
		if !no {
			return true
		}
	}
	return false
}

// hasExportedField reports whether a client can set a field of the type.
func hasExportedField(t *types.Named) bool {
	st, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < st.NumFields(); i++ {
		if st.Field(i).Exported() {
			return true
		}
	}
	return !ok
}

// How a function makes an object.
const (
	makesNot = iota
	makesBoxed
	makesDirectly
)

// makes returns which result of a function is the type or a pointer to it, or an
// interface that may hold one.
func (c *compiler) makes(fn *ssa.Function, named *types.Named) (result, how int) {
	res := fn.Signature.Results()
	for i := range res.Len() {
		if isOf(res.At(i).Type(), named) {
			return i, makesDirectly
		}
	}
	for i := range res.Len() {
		t := res.At(i).Type()
		if !types.IsInterface(t) || isErrorType(t) {
			continue
		}
		if _, param := t.(*types.TypeParam); param {
			continue
		}
		if slices.ContainsFunc(c.returned(fn, i), func(t types.Type) bool { return isOf(t, named) }) {
			return i, makesBoxed
		}
	}
	return -1, makesNot
}

func isOf(t types.Type, named *types.Named) bool {
	if e := deref(t); e != nil {
		t = e
	}
	return types.Identical(t, named)
}

// maxReturned bounds the calls through which a returned value is followed.
const maxReturned = 8

// returned returns the dynamic types that an interface result of a function is
// seen to have in its code.
func (c *compiler) returned(fn *ssa.Function, result int) []types.Type {
	var out []types.Type
	seen := map[ssa.Value]bool{}
	pending := map[*ssa.Function]bool{}
	var follow func(v ssa.Value, index, depth int)
	function := func(fn *ssa.Function, index, depth int) {
		if depth > maxReturned || pending[fn] || packageOf(fn) != c.l.pkg.Pkg {
			return
		}
		pending[fn] = true
		for _, b := range fn.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && index < len(r.Results) {
				follow(r.Results[index], 0, depth)
			}
		}
		pending[fn] = false
	}
	follow = func(v ssa.Value, index, depth int) {
		if _, call := v.(*ssa.Call); !call && seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.MakeInterface:
			if t := v.X.Type(); !slices.ContainsFunc(out, func(u types.Type) bool { return types.Identical(t, u) }) {
				out = append(out, t)
			}
		case *ssa.ChangeInterface:
			follow(v.X, 0, depth)
		case *ssa.Phi:
			for _, e := range v.Edges {
				follow(e, 0, depth)
			}
		case *ssa.Extract:
			follow(v.Tuple, v.Index, depth)
		case *ssa.Call:
			if g := v.Call.StaticCallee(); g != nil {
				function(g, index, depth+1)
			}
		case *ssa.UnOp: // a named result that a deferred function may see
			if a, ok := v.X.(*ssa.Alloc); ok {
				for _, r := range *a.Referrers() {
					if s, ok := r.(*ssa.Store); ok && s.Addr == ssa.Value(a) {
						follow(s.Val, 0, depth)
					}
				}
			}
		}
	}
	function(fn, result, 0)
	return out
}

// maxChain bounds the calls that lead to a child object by default.
const maxChain = 3

// childMakers returns the chains whose last call is an exported method of another
// type of the package: those with the fewest calls.
func (c *compiler) childMakers() []maker {
	var all []maker
	least := 2*maxChain + 1
	for _, m := range c.factoryMethods("") {
		parent, err := c.parent(m.owner, maxChain-1)
		if err != nil {
			continue
		}
		r := &resolver{c: c, k: parent}
		out := r.call(m.fn, parent.takes, nil)
		k, err := r.done(out)
		if err != nil {
			continue
		}
		n := len(k.steps)
		if slices.ContainsFunc(k.objects, func(o object) bool { return o.variable }) {
			n += maxChain // better none of a zero value
		}
		if n > least {
			continue
		}
		if n < least {
			least, all = n, nil
		}
		k.chain = true
		all = append(all, k)
	}
	return all
}

// A factoryMethod is a method of another type that makes the component.
type factoryMethod struct {
	owner *types.Named
	fn    *ssa.Function
	how   int
}

// factoryMethods returns the exported methods of exported types of the package that
// make the component, with a name or all; if some return it as it is, only these.
func (c *compiler) factoryMethods(name string) []factoryMethod {
	var all []factoryMethod
	best := makesBoxed
	scope := c.l.pkg.Pkg.Scope()
	for _, n := range scope.Names() {
		tn, ok := scope.Lookup(n).(*types.TypeName)
		if !ok || !tn.Exported() || tn.IsAlias() {
			continue
		}
		owner, ok := tn.Type().(*types.Named)
		if !ok || c.named == nil || types.IsInterface(owner) || owner.Obj() == c.named.Obj() {
			continue
		}
		if owner.TypeParams().Len() > 0 {
			if owner = c.sameArguments(owner); owner == nil {
				continue
			}
		}
		set := c.l.prog.MethodSets.MethodSet(types.NewPointer(owner))
		for i := range set.Len() {
			sel := set.At(i)
			if !sel.Obj().Exported() || name != "" && sel.Obj().Name() != name {
				continue
			}
			fn := c.l.prog.MethodValue(sel)
			if fn == nil {
				continue
			}
			_, how := c.makes(c.declared(sel, fn), c.named)
			if how < best {
				continue
			}
			if how > best {
				best, all = how, nil
			}
			all = append(all, factoryMethod{owner, fn, how})
		}
	}
	return all
}

// declared returns the method as it is declared, not a wrapper of it.
func (c *compiler) declared(sel *types.Selection, fn *ssa.Function) *ssa.Function {
	if obj, ok := sel.Obj().(*types.Func); ok {
		if f := c.l.prog.FuncValue(obj); f != nil && len(f.Blocks) > 0 {
			return f
		}
	}
	return fn
}

// sameArguments instantiates another generic type with the type arguments of the
// component, if it takes as many.
func (c *compiler) sameArguments(t *types.Named) *types.Named {
	if c.named == nil {
		return nil
	}
	args := c.named.TypeArgs()
	if args.Len() == 0 || args.Len() != t.TypeParams().Len() {
		return nil
	}
	var list []types.Type
	for i := range args.Len() {
		list = append(list, args.At(i))
	}
	inst, err := types.Instantiate(nil, t, list, true)
	if err != nil {
		return nil
	}
	n, _ := inst.(*types.Named)
	return n
}

// parent makes an object of another type of the package, for a call of one of its
// methods: by the function New or the one with the shortest name, else as a child
// in turn, else as the zero value.
func (c *compiler) parent(t *types.Named, depth int) (maker, error) {
	if depth <= 0 {
		return maker{}, errors.New("no chain of calls leads to " + t.Obj().Name())
	}
	var best *ssa.Function
	better := func(a, b *ssa.Function) bool {
		x, y := strings.HasPrefix(a.Name(), "New"), strings.HasPrefix(b.Name(), "New")
		return x && !y || x == y && len(a.Name()) < len(b.Name())
	}
	for _, fn := range c.l.functions() {
		if !token.IsExported(fn.Name()) {
			continue
		}
		if fn = c.instance(fn, t); fn == nil {
			continue
		}
		if _, how := c.makes(fn, t); how == makesDirectly && (best == nil || better(fn, best)) {
			best = fn
		}
	}
	r := &resolver{c: c}
	if best != nil {
		out := r.call(best, -1, nil)
		i, _ := c.makes(best, t)
		r.k.takes = out + i
		return r.k, nil
	}
	sub := *c
	sub.named = t
	var found *maker
	if depth > 1 {
		for _, m := range sub.factoryMethods("") {
			if m.how != makesDirectly || m.owner.Obj() == c.named.Obj() {
				continue
			}
			p, err := sub.parent(m.owner, depth-1)
			if err != nil {
				continue
			}
			r := &resolver{c: &sub, k: p}
			out := r.call(m.fn, p.takes, nil)
			i, _ := sub.makes(m.fn, t)
			r.k.takes = out + i
			if found == nil || len(r.k.steps) < len(found.steps) {
				found = &r.k
			}
		}
	}
	if found != nil {
		return *found, nil
	}
	r.k.objects = []object{{typ: t, variable: true, text: typeText(t) + "{}"}}
	return r.k, nil
}

func typeText(t *types.Named) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}
