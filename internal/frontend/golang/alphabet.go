// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which calls a component has. By default these are the exported
// methods of the type, or those exported functions of a package that share state.
// A user may name them, and with them calls on the objects that the constructor
// made on the way:
//
//	Write          a method of the component
//	zw.Create      a method of another object of the constructor
//	Flags().Bool   a method of what a method returns
//	b = a          an assignment of one object to another

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

// An operation is a call of the alphabet.
type operation struct {
	name string
	fn   *ssa.Function // a method of the component, or a function of a package

	// Otherwise the calls of a maker whose first objects are the component and
	// the others, or an assignment.
	calls    *maker
	to, from string
}

// A qualifier is another object of which the alphabet has calls.
type qualifier struct {
	name   string
	method string // one of them, "" if it is only copied
	typ    types.Type
}

// alphabet returns the calls of the component.
func (c *compiler) alphabet(s Subject, makers []maker) ([]operation, error) {
	if c.named == nil {
		return c.functionsOf(s)
	}
	var all []operation
	have := map[string]*ssa.Function{}
	set := c.l.prog.MethodSets.MethodSet(types.NewPointer(c.named))
	for i := range set.Len() {
		sel := set.At(i)
		if !token.IsExported(sel.Obj().Name()) {
			continue
		}
		if fn := c.l.prog.MethodValue(sel); fn != nil {
			name := sel.Obj().Name()
			have[name] = fn
			if len(c.o.Methods) == 0 || slices.Contains(c.o.Methods, name) {
				all = append(all, operation{name: name, fn: fn})
			}
		}
	}
	for _, text := range c.o.Methods {
		if have[text] != nil {
			continue
		}
		if token.IsIdentifier(text) {
			return nil, fmt.Errorf("%s has no exported method %s", s, text)
		}
		o, err := c.operation(text, have, makers)
		if err != nil {
			return nil, fmt.Errorf("%s: -methods %s: %w", s, text, err)
		}
		if !slices.ContainsFunc(all, func(p operation) bool { return p.name == o.name }) {
			all = append(all, o)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no exported methods", s)
	}
	return all, nil
}

// operation reads a call on something else than the component.
func (c *compiler) operation(text string, have map[string]*ssa.Function, makers []maker) (operation, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+text+"\n}", parser.SkipObjectResolution)
	if err != nil || len(f.Decls) != 1 || f.Decls[0].(*ast.FuncDecl).Body == nil || len(f.Decls[0].(*ast.FuncDecl).Body.List) != 1 {
		return operation{}, fmt.Errorf("expected a method, a call such as zw.Create, or an assignment such as b = a")
	}
	switch x := f.Decls[0].(*ast.FuncDecl).Body.List[0].(type) {
	case *ast.AssignStmt:
		if x.Tok != token.ASSIGN || len(x.Lhs) != 1 || len(x.Rhs) != 1 {
			break
		}
		to, ok := x.Lhs[0].(*ast.Ident)
		from, ok2 := x.Rhs[0].(*ast.Ident)
		if !ok || !ok2 {
			break
		}
		o := operation{name: text, to: to.Name, from: from.Name}
		for _, name := range []string{to.Name, from.Name} {
			if own, err := c.other(makers, name, ""); err != nil {
				return o, err
			} else if !own && !isOf(c.otherType(name), c.named) {
				return o, fmt.Errorf("%s is no %s", name, c.named.Obj().Name())
			}
		}
		return o, nil
	case *ast.ExprStmt:
		e := ast.Unparen(x.X)
		if call, ok := e.(*ast.CallExpr); ok {
			e = call.Fun
		}
		sel, ok := e.(*ast.SelectorExpr)
		if !ok {
			break
		}
		r := &resolver{c: c}
		r.k.objects = []object{{typ: c.named, variable: true}}
		base := baseOf(sel)
		if base == nil {
			break
		}
		if base.Name != "" && !isCall(base, sel) {
			own, err := c.other(makers, base.Name, firstMethod(base, sel))
			if err != nil {
				return operation{}, err
			}
			if own {
				r.k.objects[0].name = base.Name
				if fn := have[sel.Sel.Name]; fn != nil && sel.X == ast.Expr(base) {
					return operation{name: sel.Sel.Name, fn: fn}, nil
				}
			} else {
				r.k.objects = append(r.k.objects, object{name: base.Name, typ: c.otherType(base.Name)})
			}
		} else {
			// Flags().Bool: of the component itself.
			onSelf(base, sel)
			r.k.objects[0].name = selfName
		}
		if _, err := r.selector(sel, nil, true); err != nil {
			return operation{}, err
		}
		return operation{name: text, calls: &r.k}, nil
	}
	return operation{}, fmt.Errorf("expected a method, a call such as zw.Create, or an assignment such as b = a")
}

// selfName stands for the component in calls that begin with one of its methods.
const selfName = "the component"

// baseOf returns the name that a chain of selectors and calls begins with.
func baseOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.CallExpr:
			e = x.Fun
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x
		default:
			return nil
		}
	}
}

// isCall reports whether the name at the beginning of a chain is called.
func isCall(base *ast.Ident, e ast.Expr) (called bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && call.Fun == ast.Expr(base) {
			called = true
		}
		return true
	})
	return called
}

// firstMethod is the method that is called on the name at the beginning.
func firstMethod(base *ast.Ident, e ast.Expr) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.X == ast.Expr(base) {
			name = s.Sel.Name
		}
		return true
	})
	return name
}

// onSelf makes the call at the beginning one of a method of the component.
func onSelf(base *ast.Ident, e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && call.Fun == ast.Expr(base) {
			call.Fun = &ast.SelectorExpr{X: ast.NewIdent(selfName), Sel: ast.NewIdent(base.Name)}
			return false
		}
		return true
	})
}

// other makes sure that all makers have an object; it reports whether that is the
// component itself.
func (c *compiler) other(makers []maker, name, method string) (own bool, err error) {
	var t types.Type
	n := 0
	for i := range makers {
		k := &makers[i]
		b := c.bound(k, name, method)
		switch {
		case b < 0:
			return false, fmt.Errorf("%s has no object %s", k.name, name)
		case b == k.takes:
			n++
		case t != nil && !types.Identical(t, k.objectType(b)):
			return false, fmt.Errorf("%s is of different types", name)
		default:
			t = k.objectType(b)
		}
	}
	switch {
	case n == len(makers):
		return true, nil
	case n > 0:
		return false, fmt.Errorf("%s is not always the component", name)
	}
	if !slices.ContainsFunc(c.others, func(q qualifier) bool { return q.name == name }) {
		c.others = append(c.others, qualifier{name, method, t})
	}
	return false, nil
}

func (c *compiler) otherType(name string) types.Type {
	for _, q := range c.others {
		if q.name == name {
			return q.typ
		}
	}
	return types.Typ[types.Invalid]
}

// bound finds the object of a maker that a call of the alphabet means: that of
// this name, else the last other one that has the method.
func (c *compiler) bound(k *maker, name, method string) int {
	for i, o := range k.objects {
		if o.name == name {
			return i
		}
	}
	for i := len(k.objects) - 1; i >= 0 && method != ""; i-- {
		if i == k.takes || isErrorType(k.objects[i].typ) {
			continue
		}
		if _, m := c.methodOn(k.objectType(i), method); m != nil {
			return i
		}
	}
	return -1
}

func receiverName(list []operation, named *types.Named) string {
	if named == nil {
		return ""
	}
	for _, o := range list {
		if m := o.fn; m != nil && m.Synthetic == "" && len(m.Params) > 0 {
			if n := m.Params[0].Name(); n != "" && n != "_" {
				return n
			}
		}
	}
	return strings.ToLower(named.Obj().Name()[:1])
}

// body lowers a call of the alphabet.
func (c *compiler) body(o *operation) *lower.Method {
	c.work, c.once = 0, false
	if o.fn == nil {
		return c.compound(o)
	}
	fn := o.fn
	c.pending = []*ssa.Function{fn}
	m := c.w.NewMethod(o.name, c.pos(fn, fn.Pos()))
	f := &frame{c: c, m: m, fn: fn, path: o.name}
	params := fn.Params
	var args []value
	if c.named != nil {
		recv := value{typ: types.NewPointer(c.named), at: &address{ref: c.w.RefOf(c.receiverPlace()), elem: c.named}}
		if !isPointer(params[0].Type()) {
			recv = f.load(o.name+"/receiver", recv.at, params[0].Type())
		}
		args, params = []value{recv}, params[1:]
	}
	for r := range fn.Signature.Results().Variables() {
		if b, ok := r.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && r.Name() != "" && r.Name() != "_" {
			m.Keep(r.Name())
		}
	}
	args = append(args, f.params(fn, params)...)
	f.beginGiven()
	defer c.settle(m, fn)()
	if c.isBare(fn) {
		m.Return(nil)
		return m
	}
	out := c.run(f, o.name, fn, args)
	if m.Reachable() {
		c.returnSites(f, out)
	}
	f.finish(fn.Signature, out)
	return m
}

// compound lowers a call on another object, a chain of calls or an assignment.
func (c *compiler) compound(o *operation) *lower.Method {
	m := c.w.NewMethod(o.name, c.pos(nil, token.NoPos))
	f := &frame{c: c, m: m, path: o.name}
	f.beginGiven()
	if o.calls == nil {
		to, from := c.address(f, o.to), c.address(f, o.from)
		f.store(to, f.load(o.name+"/copy", from, c.named))
		m.Return(nil)
		return m
	}
	k := o.calls
	vals := make([]value, len(k.objects))
	vals[0] = value{typ: types.NewPointer(c.named), at: &address{ref: c.w.RefOf(c.receiverPlace()), elem: c.named}}
	if n := k.objects[1].name; n != "" && k.steps[0].recv == 1 {
		vals[1] = c.held(f, n, k.objects[1].typ)
	}
	var out []value
	for i := range k.steps {
		s := &k.steps[i]
		f.fn = s.fn
		var ok bool
		if out, ok = c.perform(f, s, o.name+"/"+s.name, vals); !ok {
			break
		}
		for n, r := range out {
			if isErrorType(r.typ) && i < len(k.steps)-1 {
				m.Assume(c.w.Pool.Eq(f.ref(r), c.w.Nil()))
			}
			vals[s.out+n] = r
		}
	}
	if m.Reachable() {
		c.returnSites(f, out)
	}
	last := &k.steps[len(k.steps)-1]
	sig := c.signature(last, k)
	if !m.Reachable() {
		out = nil
		for i := range sig.Results().Len() {
			out = append(out, c.zero(sig.Results().At(i).Type()))
		}
	}
	f.finish(sig, out)
	return m
}

func (c *compiler) signature(s *step, k *maker) *types.Signature {
	if s.fn != nil {
		return s.fn.Signature
	}
	_, m := c.methodOn(k.objectType(s.recv), s.name)
	return m.Type().(*types.Signature)
}

// address returns where an object is: the component or another one.
func (c *compiler) address(f *frame, name string) *address {
	for _, q := range c.others {
		if q.name == name {
			return f.address(c.held(f, name, q.typ))
		}
	}
	return &address{ref: c.w.RefOf(c.receiverPlace()), elem: c.named}
}

// functionsOf returns the functions of a package that are calls: those that the
// user names, else the exported ones that use a variable of the package which
// changes after its initialization.
func (c *compiler) functionsOf(s Subject) ([]operation, error) {
	var all []operation
	for _, fn := range c.l.functions() {
		if !token.IsExported(fn.Name()) || fn.Signature.TypeParams().Len() > 0 {
			continue
		}
		chosen := slices.ContainsFunc(c.o.Methods, func(m string) bool { return m == fn.Name() || m == c.functionName(fn) })
		if chosen || len(c.o.Methods) == 0 && c.sharesState(fn) {
			all = append(all, operation{name: fn.Name(), fn: fn})
		}
	}
	for _, m := range c.o.Methods {
		if !slices.ContainsFunc(all, func(o operation) bool { return o.name == m || c.functionName(o.fn) == m }) {
			return nil, fmt.Errorf("package %s has no exported function %s", c.l.pkg.Pkg.Path(), m)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("package %s has no exported functions that share state; name a type of it, such as %s.T", c.l.pkg.Pkg.Path(), s.Package)
	}
	return all, nil
}

// sharesState reports whether a function uses, itself or through functions of its
// package, a variable of the package that changes after initialization.
func (c *compiler) sharesState(fn *ssa.Function) bool {
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function) bool
	visit = func(fn *ssa.Function) bool {
		if seen[fn] || packageOf(fn) != c.l.pkg.Pkg {
			return false
		}
		seen[fn] = true
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					switch x := (*op).(type) {
					case *ssa.Global:
						if x.Pkg == c.l.pkg && c.uses(x).changed {
							return true
						}
					case *ssa.Function:
						if visit(x) {
							return true
						}
					}
				}
			}
		}
		return false
	}
	return visit(fn)
}
