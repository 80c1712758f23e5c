// SPDX-License-Identifier: Apache-2.0

package golang

// This file reads makers that a user writes as Go statements.
//
// The statements are not type-checked as Go code: what a user leaves open, such
// as w in zip.NewWriter(w), has no declaration, and is what the parameter of the
// function says. Parsing them with go/parser and resolving each call against the
// signatures gives the parameters of the constructor for free.

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A resolver reads the statements of a maker.
type resolver struct {
	c *compiler
	k maker
}

// maker reads what a user gives for a constructor: zero, the name of a function
// or of a method of another type, an expression or statements.
func (c *compiler) maker(text string) (maker, error) {
	if strings.TrimSpace(text) == zeroName {
		return c.zeroMaker(), nil
	}
	r, out, err := c.read(text)
	if err != nil {
		return maker{}, err
	}
	k, err := r.done(out)
	if err == nil && len(k.steps) == 1 && k.steps[0].recv < 0 && k.steps[0].fn != nil && packageOf(k.steps[0].fn) == c.l.pkg.Pkg &&
		!slices.ContainsFunc(k.steps[0].args, func(a argument) bool { return a.name == "" }) {
		k.name = c.functionName(k.steps[0].fn)
	}
	return k, err
}

// read resolves statements and returns the first object of the last one.
func (c *compiler) read(text string) (r *resolver, out int, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+text+"\n}", parser.SkipObjectResolution)
	if err != nil || len(f.Decls) != 1 || f.Decls[0].(*ast.FuncDecl).Body == nil {
		return nil, -1, errors.New("expected a function, or calls such as New(n).Open(name)")
	}
	r, out = &resolver{c: c}, -1
	for _, s := range f.Decls[0].(*ast.FuncDecl).Body.List {
		if _, ok := s.(*ast.GoStmt); ok {
			continue // by convention it does nothing between two calls
		}
		if out, err = r.statement(s); err != nil {
			return nil, -1, err
		}
	}
	if out < 0 {
		return nil, -1, errors.New("expected a function, or calls such as New(n).Open(name)")
	}
	return r, out, nil
}

// typeOf returns the name of the type of the object that calls make, for a user
// who does not name it: for an interface the only type that it is seen to hold.
func (c *compiler) typeOf(text string) (string, error) {
	r, out, err := c.read(text)
	if err != nil {
		return "", err
	}
	var found []string
	add := func(t types.Type) {
		if e := deref(t); e != nil {
			t = e
		}
		if n, ok := t.(*types.Named); ok && n.Obj().Pkg() == c.l.pkg.Pkg && !types.IsInterface(n) && n.TypeArgs().Len() == 0 {
			found = append(found, n.Obj().Name())
		}
	}
	for k := out; k < len(r.k.objects); k++ {
		t := r.k.objects[k].typ
		add(t)
		if s := r.k.steps; types.IsInterface(t) && !isErrorType(t) && len(s) > 0 && s[len(s)-1].fn != nil && s[len(s)-1].out <= k {
			for _, d := range c.returned(bodyOf(c, s[len(s)-1].fn), k-s[len(s)-1].out) {
				add(d)
			}
		}
	}
	slices.Sort(found)
	switch found = slices.Compact(found); len(found) {
	case 0:
		return "", fmt.Errorf("it makes no value of a type of package %s", c.l.pkg.Pkg.Path())
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("what it makes may be a %s; name one, such as %s.%s", strings.Join(found, " or a "), c.l.pkg.Pkg.Path(), found[0])
}

// done ends a maker whose last objects start at out.
func (r *resolver) done(out int) (maker, error) {
	k, ok := r.component(out)
	if !ok {
		return maker{}, fmt.Errorf("it does not make a value of type %s", r.c.named.Obj().Name())
	}
	r.k.takes = k
	switch o := r.k.objects[k]; {
	case r.k.isZero() && len(o.fields) == 0:
		r.k.name = zeroName
	default:
		r.k.name = o.text
	}
	return r.k, nil
}

// component returns the object that is the component: one of the type among the
// last ones, else one that may be.
func (r *resolver) component(out int) (int, bool) {
	for k := out; k < len(r.k.objects); k++ {
		if isOf(r.k.objects[k].typ, r.c.named) {
			return k, true
		}
	}
	if len(r.k.steps) > 0 {
		if s := r.k.steps[len(r.k.steps)-1]; s.fn != nil && s.out >= out {
			if i, how := r.c.makes(bodyOf(r.c, s.fn), r.c.named); how != makesNot {
				return s.out + i, true
			}
		}
	}
	for k := out; k < len(r.k.objects); k++ {
		if t := r.k.objects[k].typ; types.IsInterface(t) && !isErrorType(t) && types.Implements(types.NewPointer(r.c.named), t.Underlying().(*types.Interface)) {
			return k, true
		}
	}
	return -1, false
}

// bodyOf returns the declared function behind a wrapper.
func bodyOf(c *compiler, fn *ssa.Function) *ssa.Function {
	if obj, ok := fn.Object().(*types.Func); ok && fn.Synthetic != "" && fn.Origin() == nil {
		if f := c.l.prog.FuncValue(obj); f != nil {
			return f
		}
	}
	return fn
}

// statement adds a statement and returns its first object.
func (r *resolver) statement(s ast.Stmt) (int, error) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return r.expr(s.X, true)
	case *ast.AssignStmt:
		if len(s.Rhs) != 1 {
			return -1, errors.New("expected one call on the right of each assignment")
		}
		out, err := r.expr(s.Rhs[0], true)
		if err != nil {
			return -1, err
		}
		for i, x := range s.Lhs {
			if id, ok := x.(*ast.Ident); ok && id.Name != "_" && out+i < len(r.k.objects) {
				r.k.objects[out+i].name = id.Name
			}
		}
		return out, nil
	case *ast.DeclStmt:
		d, ok := s.Decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR || len(d.Specs) != 1 {
			break
		}
		spec := d.Specs[0].(*ast.ValueSpec)
		if len(spec.Values) == 1 {
			out, err := r.expr(spec.Values[0], true)
			if err == nil && out+len(spec.Names) <= len(r.k.objects) {
				for i, id := range spec.Names {
					r.k.objects[out+i].name = id.Name
				}
			}
			return out, err
		}
		t, err := r.typ(spec.Type)
		if err != nil {
			return -1, err
		}
		out := len(r.k.objects)
		for _, id := range spec.Names {
			r.k.objects = append(r.k.objects, object{name: id.Name, typ: t, variable: true, text: zeroName})
		}
		return out, nil
	}
	return -1, errors.New("expected calls and declarations only")
}

// typ resolves the name of a type: of the component or of its package.
func (r *resolver) typ(e ast.Expr) (*types.Named, error) {
	switch x := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return r.typ(x.X)
	case *ast.IndexExpr:
		return r.typ(x.X)
	case *ast.IndexListExpr:
		return r.typ(x.X)
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok && r.isPackage(id.Name) {
			return r.typ(x.Sel)
		}
	case *ast.Ident:
		if r.c.named != nil && x.Name == r.c.named.Obj().Name() {
			return r.c.named, nil
		}
		if tn, ok := r.c.l.pkg.Pkg.Scope().Lookup(x.Name).(*types.TypeName); ok {
			if n, ok := types.Unalias(tn.Type()).(*types.Named); ok {
				if n.TypeParams().Len() > 0 {
					if n = r.c.sameArguments(n); n == nil {
						break
					}
				}
				return n, nil
			}
		}
	}
	return nil, fmt.Errorf("%s is no type of package %s", types.ExprString(e), r.c.l.pkg.Pkg.Path())
}

// isPackage reports whether a name is that of the component's package.
func (r *resolver) isPackage(name string) bool {
	p := r.c.l.pkg.Pkg
	return r.object(name) < 0 && (name == p.Name() || name == p.Path()[strings.LastIndexByte(p.Path(), '/')+1:])
}

func (r *resolver) object(name string) int {
	return slices.IndexFunc(r.k.objects, func(o object) bool { return o.name == name && name != "" })
}

// expr adds an expression and returns its first object. last says that nothing is
// called on it.
func (r *resolver) expr(e ast.Expr, last bool) (int, error) {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if k := r.object(x.Name); k >= 0 {
			return k, nil
		}
		if fn := r.function(x.Name); fn != nil {
			return r.call(fn, -1, nil), nil
		}
		if m := r.c.factoryMethods(x.Name); len(m) > 0 {
			return r.factory(m, "", nil)
		}
		return -1, r.noFunction(x.Name)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return r.expr(x.X, last)
		}
	case *ast.CompositeLit:
		t, err := r.typ(x.Type)
		if err != nil {
			return -1, err
		}
		o := object{typ: t, variable: true, text: typeText(t) + "{}"}
		for _, el := range x.Elts {
			kv, ok := el.(*ast.KeyValueExpr)
			if !ok {
				return -1, errors.New("expected field names in a composite literal")
			}
			id, ok := kv.Key.(*ast.Ident)
			if !ok {
				return -1, errors.New("expected field names in a composite literal")
			}
			o.fields = append(o.fields, id.Name)
		}
		if len(o.fields) > 0 {
			st, ok := t.Underlying().(*types.Struct)
			for _, name := range o.fields {
				if !ok || fieldOf(st, name) < 0 {
					return -1, fmt.Errorf("type %s has no field %s", t.Obj().Name(), name)
				}
			}
			o.text = typeText(t) + "{" + strings.Join(o.fields, ", ") + "}"
		}
		r.k.objects = append(r.k.objects, o)
		return len(r.k.objects) - 1, nil
	case *ast.SelectorExpr: // a function or method without arguments
		return r.selector(x, nil, last)
	case *ast.CallExpr:
		args := append([]ast.Expr{}, x.Args...) // not nil: what is not there is left out
		fun := ast.Unparen(x.Fun)
		switch g := fun.(type) {
		case *ast.IndexExpr:
			fun = g.X
		case *ast.IndexListExpr:
			fun = g.X
		}
		switch g := fun.(type) {
		case *ast.Ident:
			if g.Name == "new" && len(x.Args) == 1 {
				t, err := r.typ(x.Args[0])
				if err != nil {
					return -1, err
				}
				r.k.objects = append(r.k.objects, object{typ: t, variable: true, text: typeText(t) + "{}"})
				return len(r.k.objects) - 1, nil
			}
			if fn := r.function(g.Name); fn != nil {
				return r.call(fn, -1, args), nil
			}
			return -1, r.noFunction(g.Name)
		case *ast.SelectorExpr:
			return r.selector(g, args, last)
		}
	}
	return -1, fmt.Errorf("%s: expected a call", types.ExprString(e))
}

func fieldOf(st *types.Struct, name string) int {
	for i := range st.NumFields() {
		if st.Field(i).Name() == name {
			return i
		}
	}
	return -1
}

func (r *resolver) noFunction(name string) error {
	if r.c.named == nil {
		return fmt.Errorf("package %s has no function %s", r.c.l.pkg.Pkg.Path(), name)
	}
	var names []string
	for _, fn := range r.c.l.functions() {
		if token.IsExported(fn.Name()) {
			if inst := r.c.instance(fn, r.c.named); inst != nil {
				if _, how := r.c.makes(inst, r.c.named); how != makesNot {
					names = append(names, fn.Name())
				}
			}
		}
	}
	return fmt.Errorf("no exported function of %s returns %s with that name; there are %s",
		r.c.l.pkg.Pkg.Path(), r.c.named.Obj().Name(), strings.Join(append(names, zeroName), ", "))
}

// function finds a function of the component's package.
func (r *resolver) function(name string) *ssa.Function {
	fn := r.c.l.pkg.Func(name)
	if fn == nil || name == "init" || name == "_" {
		return nil
	}
	return r.c.instance(fn, r.c.named)
}

// selector adds x.Sel(args): a function of a package, a method of an object, or a
// method of a type whose object is made first.
func (r *resolver) selector(x *ast.SelectorExpr, args []ast.Expr, last bool) (int, error) {
	name := x.Sel.Name
	if id, ok := x.X.(*ast.Ident); ok && r.object(id.Name) < 0 {
		if r.isPackage(id.Name) {
			if fn := r.function(name); fn != nil {
				return r.call(fn, -1, args), nil
			}
			if _, err := r.typ(x.Sel); err != nil {
				return -1, r.noFunction(name)
			}
		}
		if fn := r.foreign(id.Name, name); fn != nil {
			return r.call(fn, -1, args), nil
		}
		if t, err := r.typ(id); err == nil {
			return r.methodOf(t, "", name, args)
		}
		// An object that nobody made yet: whatever has such a method makes it.
		if last {
			if m := r.c.factoryMethods(name); len(m) > 0 {
				return r.factory(m, id.Name, args)
			}
		}
		return -1, fmt.Errorf("%s: no package, type or object that has %s", id.Name, name)
	}
	if star, ok := ast.Unparen(x.X).(*ast.StarExpr); ok {
		t, err := r.typ(star)
		if err != nil {
			return -1, err
		}
		return r.methodOf(t, "", name, args)
	}
	base, err := r.expr(x.X, false)
	if err != nil {
		return -1, err
	}
	// A call with several results is used by the first that has the method.
	for k := base; k < len(r.k.objects); k++ {
		if s, ok := r.lookup(k, name); ok {
			return r.add(s, args), nil
		}
		if id, ok := x.X.(*ast.Ident); ok && id.Name == r.k.objects[base].name {
			break
		}
	}
	return -1, fmt.Errorf("%s has no method %s", types.TypeString(r.k.objects[base].typ, types.RelativeTo(r.c.l.pkg.Pkg)), name)
}

// foreign finds a function of another package that the program has.
func (r *resolver) foreign(pkg, name string) *ssa.Function {
	var found *ssa.Function
	for _, p := range r.c.l.prog.AllPackages() {
		if p.Pkg.Name() != pkg {
			continue
		}
		if fn := p.Func(name); fn != nil && fn.Signature.TypeParams().Len() == 0 && token.IsExported(name) {
			if found == nil || len(p.Pkg.Path()) < len(found.Pkg.Pkg.Path()) || len(p.Pkg.Path()) == len(found.Pkg.Pkg.Path()) && p.Pkg.Path() < found.Pkg.Pkg.Path() {
				found = fn
			}
		}
	}
	return found
}

// methodOf makes an object of a type and calls a method on it.
func (r *resolver) methodOf(t *types.Named, as, name string, args []ast.Expr) (int, error) {
	p, err := r.c.parent(t, maxChain)
	if err != nil {
		return -1, err
	}
	k := r.include(p)
	if as != "" {
		r.k.objects[k].name = as
	}
	s, ok := r.lookup(k, name)
	if !ok {
		return -1, fmt.Errorf("%s has no method %s", t.Obj().Name(), name)
	}
	return r.add(s, args), nil
}

// factory calls one of several methods that make the component: that whose
// receiver has the name in its declaration, or the one with the shortest chain.
func (r *resolver) factory(list []factoryMethod, as string, args []ast.Expr) (int, error) {
	best, least := -1, 0
	for i, m := range list {
		p, err := r.c.parent(m.owner, maxChain)
		if err != nil {
			continue
		}
		n := len(p.steps) + 1
		if as != "" {
			if fn := bodyOf(r.c, m.fn); len(fn.Params) > 0 && fn.Params[0].Name() == as {
				n = 0
			}
		}
		if best < 0 || n < least {
			best, least = i, n
		}
	}
	if best < 0 {
		return -1, errors.New("no chain of calls leads to it")
	}
	return r.methodOf(list[best].owner, as, list[best].fn.Name(), args)
}

// include puts the calls of another maker before what follows and returns the
// object that it makes.
func (r *resolver) include(p maker) int {
	base := len(r.k.objects)
	r.k.objects = append(r.k.objects, p.objects...)
	for _, s := range p.steps {
		if s.recv >= 0 {
			s.recv += base
		}
		s.out += base
		s.args = slices.Clone(s.args)
		for i := range s.args {
			if s.args[i].object >= 0 {
				s.args[i].object += base
			}
		}
		r.k.steps = append(r.k.steps, s)
	}
	return base + p.takes
}

// lookup finds a method of an object.
func (r *resolver) lookup(k int, name string) (step, bool) {
	t := r.k.objects[k].typ
	if r.k.objects[k].variable {
		t = types.NewPointer(t)
	}
	s := step{recv: k, name: name}
	fn, m := r.c.methodOn(t, name)
	if m == nil {
		return s, false
	}
	s.fn = fn
	return s, true
}

// methodOn finds an exported method of a type, or one of the component's package;
// for an interface there is no function.
func (c *compiler) methodOn(t types.Type, name string) (*ssa.Function, *types.Func) {
	if isErrorType(t) {
		return nil, nil
	}
	for _, u := range []types.Type{t, types.NewPointer(t)} {
		if _, param := u.(*types.TypeParam); param {
			return nil, nil
		}
		sel := c.l.prog.MethodSets.MethodSet(u).Lookup(c.l.pkg.Pkg, name)
		if sel == nil {
			continue
		}
		m, ok := sel.Obj().(*types.Func)
		if !ok {
			continue
		}
		if types.IsInterface(t) {
			return nil, m
		}
		if fn := c.l.prog.MethodValue(sel); fn != nil {
			return fn, m
		}
	}
	return nil, nil
}

// call adds a call of a function or method.
func (r *resolver) call(fn *ssa.Function, recv int, args []ast.Expr) int {
	return r.add(step{fn: fn, recv: recv, name: fn.Name()}, args)
}

// add adds a call with the arguments that are written, nil if only its name is.
func (r *resolver) add(s step, exprs []ast.Expr) int {
	var sig *types.Signature
	if s.fn != nil {
		sig = s.fn.Signature
	} else {
		_, m := r.c.methodOn(r.k.objects[s.recv].typ, s.name)
		sig = m.Type().(*types.Signature)
	}
	var texts []string
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		a := argument{typ: p.Type(), object: -1}
		variadic := sig.Variadic() && i == sig.Params().Len()-1
		if !variadic && i < len(exprs) {
			r.given(&a, exprs[i])
		}
		if variadic && exprs != nil && i == len(exprs) {
			a.value, a.leftOut = ssa.NewConst(nil, a.typ), true
			s.args = append(s.args, a)
			continue // it is left out
		}
		switch {
		case a.value != nil:
			texts = append(texts, types.ExprString(exprs[i]))
		case a.object >= 0:
			texts = append(texts, r.k.objects[a.object].text)
		default:
			a.name = r.fresh(p.Name(), i)
			texts = append(texts, a.name)
		}
		s.args = append(s.args, a)
	}
	text := ""
	switch {
	case s.recv >= 0:
		text = r.k.objects[s.recv].text + "." + s.name
	default:
		text = r.c.functionName(s.fn)
	}
	text += "(" + strings.Join(texts, ", ") + ")"
	s.out, s.n = len(r.k.objects), sig.Results().Len()
	for i := range s.n {
		r.k.objects = append(r.k.objects, object{typ: sig.Results().At(i).Type(), text: text})
	}
	r.k.steps = append(r.k.steps, s)
	return s.out
}

// given says what an argument in the statements is; anything else than a literal
// or an object that was made is the client's choice.
func (r *resolver) given(a *argument, e ast.Expr) {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if k := r.object(x.Name); k >= 0 && types.AssignableTo(r.pointerTo(k), a.typ) {
			a.object = k
			return
		}
		switch x.Name {
		case "nil":
			if types.AssignableTo(types.Typ[types.UntypedNil], a.typ) {
				a.value = ssa.NewConst(nil, a.typ)
			}
			return
		case "true", "false":
			if b, ok := a.typ.Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
				a.value = ssa.NewConst(constant.MakeBool(x.Name == "true"), a.typ)
			}
			return
		}
	case *ast.BasicLit, *ast.UnaryExpr:
		tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(x))
		if b, ok := a.typ.Underlying().(*types.Basic); err == nil && tv.Value != nil && ok &&
			(b.Info()&types.IsInteger != 0 && tv.Value.Kind() == constant.Int || b.Info()&types.IsString != 0 && tv.Value.Kind() == constant.String) {
			a.value = ssa.NewConst(tv.Value, a.typ)
		}
		if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
			r.given(a, u.X)
		}
	case *ast.CallExpr:
		// An object of the component's package matters; others are the client's.
		saved := r.k
		saved.objects, saved.steps = slices.Clone(r.k.objects), slices.Clone(r.k.steps)
		if k, err := r.expr(x, false); err == nil && k < len(r.k.objects) && types.AssignableTo(r.pointerTo(k), a.typ) &&
			len(r.k.steps) > 0 && r.k.steps[len(r.k.steps)-1].fn != nil && packageOf(r.k.steps[len(r.k.steps)-1].fn) == r.c.l.pkg.Pkg {
			a.object = k
			return
		}
		r.k = saved
	}
}

func (r *resolver) pointerTo(k int) types.Type {
	if o := r.k.objects[k]; o.variable {
		return types.NewPointer(o.typ)
	}
	return r.k.objects[k].typ
}

// fresh returns a name that no parameter of the maker has.
func (r *resolver) fresh(name string, i int) string {
	if name == "" || name == "_" {
		name = fmt.Sprintf("arg%d", i+1)
	}
	taken := func(n string) bool {
		return slices.ContainsFunc(r.k.steps, func(s step) bool {
			return slices.ContainsFunc(s.args, func(a argument) bool { return a.name == n })
		})
	}
	for n, base := 2, name; taken(name); n++ {
		name = fmt.Sprintf("%s%d", base, n)
	}
	return name
}
