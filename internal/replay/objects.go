// SPDX-License-Identifier: Apache-2.0

package replay

// This file resolves the little Go code that interfaces have: the statements that
// make an object (mw := multipart.NewWriter(w); p, err := mw.CreatePart(header)) and
// calls on it or on another object of them (Write, mw.Close, Flags().Bool, b = a).
// What is no object, constant or package is a parameter, whose type is that of
// the function it is given to. Package go/types alone was not enough: the code has
// no declarations of its parameters, so it cannot be checked as it stands.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A formal is a parameter that needs a value.
type formal struct {
	name  string
	owner string // the function that it is a parameter of
	full  string // that, with its import path and type
	first int    // which of the formals is the first of that function
	typ   types.Type
}

// A signature is what is needed to make a call. Code and shown have a mark for each
// formal, in order.
type signature struct {
	code, shown string
	formals     []formal
	rest        []string // variadic parameters, which are left out
	results     *types.Tuple
}

func mark(n int) string { return fmt.Sprintf("\x00%d\x00", n) }

// fill puts expressions for the marks.
func fill(code string, exprs []string) string {
	for n, e := range exprs {
		code = strings.ReplaceAll(code, mark(n), e)
	}
	return code
}

// A held is an object that calls are made on, by pointer or in an interface.
type held struct {
	name string
	typ  types.Type
}

// A named is an object in code: how the file refers to it, and how people do.
type named struct {
	code, shown string
	typ         types.Type
}

// A resolver resolves code.
type resolver struct {
	g       *generator
	objects map[string]named
	formals []formal
	rest    []string
}

func newResolver(g *generator) *resolver { return &resolver{g: g, objects: map[string]named{}} }

// beforeStatements makes statements a file.
const beforeStatements = "package p\nfunc _() {\n"

func parseStatements(text string) ([]ast.Stmt, bool) {
	f, err := parser.ParseFile(token.NewFileSet(), "", beforeStatements+text+"\n}", parser.SkipObjectResolution)
	if err != nil || len(f.Decls) != 1 || f.Decls[0].(*ast.FuncDecl).Body == nil {
		return nil, false
	}
	return f.Decls[0].(*ast.FuncDecl).Body.List, true
}

// parameter adds a formal and returns its mark. Names are made different as the
// interface has them: w, w2.
func (r *resolver) parameter(name, owner, full string, first int, typ types.Type) string {
	if name == "" || name == "_" {
		name = fmt.Sprintf("arg%d", len(r.formals)+1)
	}
	for n, base := 2, name; slices.ContainsFunc(r.formals, func(f formal) bool { return f.name == name }); n++ {
		name = fmt.Sprint(base, n)
	}
	r.formals = append(r.formals, formal{name, owner, full, first, typ})
	return mark(len(r.formals) - 1)
}

// A value is an expression with the types of its results.
type value struct {
	code, shown string
	results     *types.Tuple
}

func one(t types.Type) *types.Tuple { return types.NewTuple(types.NewVar(0, nil, "", t)) }

// expr resolves an expression, or says why it cannot.
func (r *resolver) expr(e ast.Expr) (value, string) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if o, ok := r.objects[e.Name]; ok {
			return value{o.code, o.shown, one(o.typ)}, ""
		}
	case *ast.UnaryExpr:
		if v, why := r.expr(e.X); e.Op == token.AND && why == "" {
			return value{"&" + v.code, "&" + v.shown, one(types.NewPointer(v.results.At(0).Type()))}, ""
		}
	case *ast.CompositeLit:
		t := r.typ(e.Type)
		if t == nil {
			break
		}
		st, _ := t.Underlying().(*types.Struct)
		var fields []string
		for _, x := range e.Elts {
			kv, ok := x.(*ast.KeyValueExpr)
			if !ok || st == nil {
				return value{}, "its fields have no names"
			}
			name := types.ExprString(kv.Key)
			k := 0
			for k < st.NumFields() && st.Field(k).Name() != name {
				k++
			}
			if k == st.NumFields() {
				return value{}, "the type has no field " + name
			}
			fields = append(fields, name+": "+r.parameter(name, types.ExprString(e.Type), "", len(r.formals), st.Field(k).Type()))
		}
		text := r.g.typeName(t) + "{" + strings.Join(fields, ", ") + "}"
		return value{text, text, one(t)}, ""
	case *ast.CallExpr:
		return r.call(e)
	}
	return value{}, fmt.Sprintf("%s cannot be written in a test", types.ExprString(e))
}

// typ resolves the name of a type; nil if it is none.
func (r *resolver) typ(e ast.Expr) types.Type {
	switch x := ast.Unparen(e).(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		if n, ok := r.g.s.typ.(*types.Named); ok && n.TypeArgs().Len() > 0 {
			return n // an instance in code is that of the component
		}
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		if !ok || r.objects[id.Name].typ != nil {
			break
		}
		if p := r.pkg(id.Name); p != nil {
			if t, ok := p.Scope().Lookup(x.Sel.Name).(*types.TypeName); ok && t.Exported() {
				return t.Type()
			}
		}
	}
	return nil
}

// pkg finds a package by its name: that of the type, one that it imports, or one of
// the standard library.
func (r *resolver) pkg(name string) *types.Package {
	g := r.g
	if g.s.pkg.Name() == name {
		return g.s.pkg
	}
	for _, p := range g.s.pkg.Imports() {
		if p.Name() == name && !internalPath(p.Path()) {
			if p, err := g.s.load(p.Path()); err == nil {
				return p
			}
		}
	}
	if path := g.std[name]; path != "" {
		if p, err := g.s.load(path); err == nil {
			return p
		}
	}
	return nil
}

// call resolves a call of a function, a method or a conversion. What is given as
// arguments are objects, constants or parameters; a call without arguments that needs
// some has parameters of the function's own names.
func (r *resolver) call(e *ast.CallExpr) (value, string) {
	fun := ast.Unparen(e.Fun)
	if id, ok := fun.(*ast.Ident); ok && id.Name == "new" && len(e.Args) == 1 {
		if t := r.typ(e.Args[0]); t != nil {
			text := "new(" + r.g.typeName(t) + ")"
			if list := r.g.valuesOf("*" + qualified(t)); len(list) > 0 && !types.Identical(t, r.g.s.typ) && r.g.own == nil {
				return value{inlined(r.g.resolve(list[0])), list[0], one(types.NewPointer(t))}, ""
			}
			return value{text, text, one(types.NewPointer(t))}, ""
		}
	}
	if t := r.typ(fun); t != nil && len(e.Args) == 1 {
		text := r.g.typeName(t) + "(" + r.parameter(types.ExprString(e.Args[0]), types.ExprString(fun), "", len(r.formals), t.Underlying()) + ")"
		return value{text, text, one(t)}, ""
	}
	instance := ""
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun, instance = x.X, types.ExprString(x)[len(types.ExprString(x.X)):]
	case *ast.IndexListExpr:
		fun, instance = x.X, types.ExprString(x)[len(types.ExprString(x.X)):]
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return value{}, fmt.Sprintf("%s cannot be written in a test", types.ExprString(e))
	}
	name := sel.Sel.Name
	var code, shown, full string
	var sig *types.Signature
	if id, isName := sel.X.(*ast.Ident); isName && r.objects[id.Name].typ == nil {
		p := r.pkg(id.Name)
		if p == nil {
			return value{}, fmt.Sprintf("there is no package %s", id.Name)
		}
		f, ok := p.Scope().Lookup(name).(*types.Func)
		if !ok || !f.Exported() {
			return value{}, fmt.Sprintf("package %s has no function %s", p.Path(), name)
		}
		sig, full = f.Type().(*types.Signature), fullName(f)
		if sig.TypeParams().Len() > 0 {
			n, ok := r.g.s.typ.(*types.Named)
			if !ok || n.TypeArgs().Len() != sig.TypeParams().Len() {
				return value{}, "its type arguments are not known"
			}
			inst, err := types.Instantiate(nil, sig, slices.Collect(n.TypeArgs().Types()), false)
			if err != nil {
				return value{}, err.Error()
			}
			sig = inst.(*types.Signature)
		}
		code = r.g.qualify(p) + "." + name + instance
		shown = code
	} else {
		recv, why := r.expr(sel.X)
		if why != "" {
			return value{}, why
		}
		if recv.results.Len() != 1 {
			return value{}, fmt.Sprintf("%s has several results", types.ExprString(sel.X))
		}
		obj, _, _ := types.LookupFieldOrMethod(recv.results.At(0).Type(), true, r.g.s.pkg, name)
		f, ok := obj.(*types.Func)
		if !ok || !token.IsExported(name) {
			return value{}, "the type has no such method"
		}
		sig, full = f.Type().(*types.Signature), fullName(f)
		code, shown = recv.code+"."+name, recv.shown+"."+name
	}
	var codes, texts []string
	first := len(r.formals)
	for k := range sig.Params().Len() {
		p := sig.Params().At(k)
		if sig.Variadic() && k == sig.Params().Len()-1 {
			if list, _, ok := r.g.given(p.Name(), "", name, full); ok {
				codes, texts = append(codes, inlined(r.g.resolve(list[0]))), append(texts, list[0])
			} else {
				for _, expr := range r.g.hintedRest(name, k, p.Type()) {
					codes, texts = append(codes, r.g.resolve(expr)), append(texts, expr)
				}
			}
			r.rest = append(r.rest, p.Name())
			break
		}
		if k < len(e.Args) {
			c, s := r.argument(e.Args[k], name, full, first, p.Type())
			codes, texts = append(codes, c), append(texts, s)
			continue
		}
		m := r.parameter(p.Name(), name, full, first, p.Type())
		codes, texts = append(codes, m), append(texts, m)
	}
	return value{code + "(" + strings.Join(codes, ", ") + ")", shown + "(" + strings.Join(texts, ", ") + ")", sig.Results()}, ""
}

func (r *resolver) argument(e ast.Expr, owner, full string, first int, typ types.Type) (code, shown string) {
	text := types.ExprString(e)
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if o, ok := r.objects[x.Name]; ok {
			return o.code, o.shown
		}
		if x.Name == "nil" || x.Name == "true" || x.Name == "false" {
			return text, text
		}
		m := r.parameter(x.Name, owner, full, first, typ)
		return m, m
	case *ast.UnaryExpr:
		if id, ok := x.X.(*ast.Ident); ok && x.Op == token.AND {
			if o, ok := r.objects[id.Name]; ok {
				return "&" + o.code, "&" + o.shown
			}
		}
	}
	return text, text
}

// holds returns the type by which an object is held: values by pointer.
func holds(t types.Type) types.Type {
	if _, ok := t.Underlying().(*types.Interface); ok {
		return t
	}
	if _, ok := t.(*types.Named); ok {
		return types.NewPointer(t)
	}
	return t
}

// objects finds out which objects the calls are made on, and by which types these
// are held.
func (g *generator) objects() error {
	if g.s.isPackage() {
		return nil
	}
	for _, c := range g.i.Constructors {
		if c.Object != "" && g.name == "" {
			g.name = c.Object
		}
	}
	var need []string
	for _, c := range g.i.Calls {
		for _, n := range g.mentioned(c.Method) {
			if !slices.Contains(need, n) && n != g.name {
				need = append(need, n)
			}
		}
	}
	slices.Sort(need)
	types := map[string]held{}
	for _, c := range g.i.Constructors {
		if c.Code == "" {
			continue
		}
		m, why := g.making(c.Code)
		if why != "" {
			continue // starts says so
		}
		for _, n := range append([]string{c.Object}, need...) {
			if t := m.types[n]; t != nil && types[n].typ == nil && g.nameable(t) {
				types[n] = held{n, holds(t)}
			}
		}
		if g.own == nil && m.types[c.Object] != nil {
			g.own = holds(m.types[c.Object])
		}
	}
	if g.s.typ != nil {
		g.own = holds(g.s.typ)
	}
	if g.own == nil || !g.nameable(g.own) {
		return g.s.notExported()
	}
	for _, n := range need {
		if h, ok := types[n]; ok {
			g.others = append(g.others, h)
		}
	}
	if g.name == "" || token.IsKeyword(g.name) || slices.ContainsFunc(g.others, func(h held) bool { return h.name == g.name }) {
		g.name = "object"
	}
	return nil
}

// mentioned returns the objects that a call of the interface mentions by name.
func (g *generator) mentioned(method string) (names []string) {
	if token.IsIdentifier(method) {
		return nil
	}
	list, ok := parseStatements(method)
	if !ok || len(list) != 1 {
		return nil
	}
	switch s := list[0].(type) {
	case *ast.AssignStmt:
		for _, x := range append(slices.Clone(s.Lhs), s.Rhs...) {
			if id, ok := x.(*ast.Ident); ok {
				names = append(names, id.Name)
			}
		}
	case *ast.ExprStmt:
		if id, called := root(s.X); id != nil && !called {
			names = append(names, id.Name)
		}
	}
	return names
}

// root returns the name that a chain of selectors and calls begins with, and
// whether it is called.
func root(e ast.Expr) (id *ast.Ident, called bool) {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			e, called = x.X, false
		case *ast.CallExpr:
			e, called = x.Fun, true
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x, called
		default:
			return nil, false
		}
	}
}

// objectType writes the type of rplObject.
func (g *generator) objectType() string {
	if g.s.isPackage() {
		return "struct{}"
	}
	if len(g.others) == 0 {
		return g.typeName(g.own)
	}
	text := "struct {\n" + g.name + " " + g.typeName(g.own) + "\n"
	for _, h := range g.others {
		text += h.name + " " + g.typeName(h.typ) + "\n"
	}
	return text + "}"
}

// none writes the condition that there is no object: interfaces assume a receiver
// that is not nil.
func (g *generator) none() string {
	switch {
	case g.s.isPackage():
		return "false"
	case len(g.others) == 0:
		return "x == nil"
	}
	return "x." + g.name + " == nil"
}

// objectOf writes the object, from the names and declared types of code.
func (g *generator) objectOf(own string, declared map[string]types.Type) (string, string) {
	at := func(name string, want types.Type) (string, string) {
		t := declared[name]
		if declared != nil { // code of the user keeps its names
			name = g.local(name)
		}
		switch {
		case t == nil || types.Identical(t, want):
			return name, ""
		case types.Identical(types.NewPointer(t), want):
			return "&" + name, ""
		case types.AssignableTo(t, want):
			return name, ""
		}
		if _, ok := t.Underlying().(*types.Interface); ok {
			return name + ".(" + g.typeName(want) + ")", ""
		}
		return "", fmt.Sprintf("%s is no %s", name, types.TypeString(want, nil))
	}
	text, why := at(own, g.own)
	if len(g.others) == 0 || why != "" {
		return text, why
	}
	parts := []string{g.name + ": " + text}
	for _, h := range g.others {
		text, why := at(h.name, h.typ)
		if why != "" {
			return "", why
		}
		parts = append(parts, h.name+": "+text)
	}
	return "rplObject{" + strings.Join(parts, ", ") + "}", ""
}

// method resolves a call of the interface.
func (g *generator) method(name string) (signature, string) {
	r := newResolver(g)
	text := name
	if g.s.isPackage() {
		text = g.s.pkg.Name() + "." + name
	} else {
		own := named{"x", "", g.own}
		if len(g.others) > 0 {
			own = named{"x." + g.name, g.name, g.own}
		}
		r.objects[g.name] = own
		for _, h := range g.others {
			r.objects[h.name] = named{"x." + h.name, h.name, h.typ}
		}
	}
	list, ok := parseStatements(text)
	if !ok || len(list) != 1 {
		return signature{}, "it is no call"
	}
	if s, ok := list[0].(*ast.AssignStmt); ok {
		return g.assignment(r, s)
	}
	x, ok := list[0].(*ast.ExprStmt)
	if !ok {
		return signature{}, "it is no call"
	}
	e := ast.Unparen(x.X)
	if !g.s.isPackage() {
		switch id, called := root(e); {
		case id == nil:
			return signature{}, "it is no call"
		case called || token.IsIdentifier(name): // of the object itself
			e = onObject(e, g.name)
		case r.objects[id.Name].typ == nil:
			return signature{}, fmt.Sprintf("no constructor says what %s is", id.Name)
		}
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		call = &ast.CallExpr{Fun: e}
	}
	v, why := r.call(call)
	if why != "" {
		return signature{}, why
	}
	return signature{code: v.code, shown: strings.TrimPrefix(v.shown, "."), formals: r.formals, rest: r.rest, results: v.results}, ""
}

func (g *generator) assignment(r *resolver, s *ast.AssignStmt) (signature, string) {
	if s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return signature{}, "it is no call"
	}
	to, from := types.ExprString(s.Lhs[0]), types.ExprString(s.Rhs[0])
	a, b := r.objects[to], r.objects[from]
	if a.typ == nil || b.typ == nil {
		return signature{}, "no constructor says what these objects are"
	}
	_, isPointer := a.typ.(*types.Pointer)
	if !isPointer || !types.Identical(a.typ, b.typ) {
		return signature{}, "the objects are of different types"
	}
	return signature{code: "*" + a.code + " = *" + b.code, shown: to + " = " + from, results: types.NewTuple()}, ""
}

// onObject makes a chain that begins with a method one that begins with the object.
func onObject(e ast.Expr, name string) ast.Expr {
	switch x := e.(type) {
	case *ast.Ident:
		return &ast.SelectorExpr{X: ast.NewIdent(name), Sel: x}
	case *ast.SelectorExpr:
		return &ast.SelectorExpr{X: onObject(x.X, name), Sel: x.Sel}
	case *ast.CallExpr:
		return &ast.CallExpr{Fun: onObject(x.Fun, name), Args: x.Args}
	}
	return e
}
