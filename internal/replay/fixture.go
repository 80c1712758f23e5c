// SPDX-License-Identifier: Apache-2.0

package replay

// This file writes how objects are made by code: that of the interface's
// constructors, or a fixture that the user gave.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// overText keeps what is to be done when a word is over.
const overText = `// rplOver are to be called at the end of the word.
var rplOver struct {
	sync.Mutex
	list []func()
}

func rplAtEnd(f func()) {
	rplOver.Lock()
	defer rplOver.Unlock()
	rplOver.list = append(rplOver.list, f)
}

// rplFinish calls them, the last one first.
func rplFinish() {
	rplOver.Lock()
	list := rplOver.list
	rplOver.list = nil
	rplOver.Unlock()
	for _, f := range slices.Backward(list) {
		f()
	}
}

`

// withinText is what a test needs for objects that exist only while something
// else runs, such as a *testing.T.
const withinText = `// rplWithin runs code that hands an object to use, which returns when the word is over.
func rplWithin(run func(use func(rplObject))) (rplObject, error) {
	got, over, done := make(chan rplObject, 1), make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() {
		defer close(done)
		run(func(x rplObject) {
			once.Do(func() {
				got <- x
				<-over
			})
		})
	}()
	rplAtEnd(func() {
		close(over)
		select {
		case <-done:
		case <-time.After(rplLimit):
		}
	})
	select {
	case x := <-got:
		return x, nil
	case <-done:
		var none rplObject
		return none, errors.New("the fixture did not use an object")
	}
}

`

// fixture wraps what the user gave: an expression of the object, or of the object
// and an error; statements that declare it, and the other objects; or code that
// hands it to a function "use", if it exists only while something else runs.
func (g *generator) fixture(code, object string) maker {
	shown := code
	code = inlined(g.resolve(code))
	e, err := parser.ParseExpr(code)
	switch {
	case usesObject(code):
		return maker{text: shown, body: "return rplWithin(func(use func(rplObject)) {\n" + code + "\n})"}
	case err == nil && len(g.others) == 0 || err == nil && isCall(e):
		return maker{text: shown, body: "return rplMade(" + code + ")"}
	}
	declared, fails := declares(code)
	if !slices.Contains(declared, object) && len(declared) > 0 {
		object = declared[len(declared)-1]
	}
	text, _ := g.objectOf(object, nil)
	body := code + "\n"
	if fails {
		body += "if err != nil {\nreturn rplNo, err\n}\n"
	}
	return maker{text: shown, body: body + "return " + text + ", nil", named: true}
}

func isCall(e ast.Expr) bool { _, ok := e.(*ast.CallExpr); return ok }

// usesObject reports whether code mentions the function use.
func usesObject(code string) (found bool) {
	list, _ := parseStatements(code)
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "use" {
				found = true
			}
			return true
		})
	}
	return found
}

// declares returns the names that statements declare, the first of each assignment
// last, and whether err is among them.
func declares(code string) (names []string, fails bool) {
	list, _ := parseStatements(code)
	for _, s := range list {
		var here []string
		switch s := s.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				if id, ok := x.(*ast.Ident); ok && s.Tok == token.DEFINE && id.Name != "_" {
					if id.Name == "err" {
						fails = true
						continue
					}
					here = append(here, id.Name)
				}
			}
		case *ast.DeclStmt:
			if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
				for _, spec := range d.Specs {
					for _, id := range spec.(*ast.ValueSpec).Names {
						here = append(here, id.Name)
					}
				}
			}
		}
		slices.Reverse(here)
		names = append(names, here...)
	}
	return names, fails
}

// codeCalls returns the objects that the code of a constructor makes.
func (g *generator) codeCalls(c typestate.Constructor, guards []string) ([]maker, string) {
	m, why := g.making(c.Code)
	if why != "" {
		return nil, why
	}
	if m.types[c.Object] == nil {
		return nil, "its code does not make the object"
	}
	object, why := g.objectOf(c.Object, m.types)
	if why != "" {
		return nil, why
	}
	code := strings.Join(m.lines, "\n") + "\n"
	for _, name := range slices.Sorted(maps.Keys(m.types)) {
		used := name == c.Object || qualified(m.types[name]) == "error" || slices.ContainsFunc(g.others, func(h held) bool { return h.name == name })
		if !used {
			code += "_ = " + g.local(name) + "\n"
		}
	}
	args, why := g.arguments(c.ID, signature{code: code, formals: m.formals, results: types.NewTuple()}, c.Params, c.Types, c.Guard, guards)
	if why != "" {
		return nil, why
	}
	var out []maker
	for _, a := range args {
		text := fill(strings.Join(m.shown, "; "), a.texts)
		if len(m.shown) == 0 {
			text = c.Method
		}
		out = append(out, maker{text: text, body: fill(code, g.resolved(a.exprs)) + "return " + object + ", nil", known: a.known, named: true})
	}
	return out, ""
}

// A making is code that makes objects, one statement to a line.
type making struct {
	lines   []string
	shown   []string
	formals []formal
	types   map[string]types.Type // of the objects, as they are declared
}

// making resolves the statements that make objects. An error that a statement declares is
// tested at once.
func (g *generator) making(code string) (making, string) {
	const others = "its code has other statements than calls and declarations"
	list, ok := parseStatements(code)
	if !ok {
		return making{}, "its code is not Go"
	}
	r := newResolver(g)
	m := making{types: map[string]types.Type{}}
	declared := map[string]bool{}
	declare := func(name string, t types.Type) (local string, fresh bool) {
		local = g.local(name)
		if name == "_" {
			return local, false
		}
		r.objects[name], m.types[name] = named{local, name, t}, t
		fresh = !declared[local]
		declared[local] = true
		return local, fresh
	}
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			v, why := r.expr(s.X)
			if why != "" {
				return making{}, why
			}
			m.lines, m.shown = append(m.lines, v.code), append(m.shown, v.shown)
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE || len(s.Rhs) != 1 {
				return making{}, others
			}
			v, why := r.expr(s.Rhs[0])
			if why != "" {
				return making{}, why
			}
			if v.results.Len() != len(s.Lhs) {
				return making{}, fmt.Sprintf("%s has %d results", types.ExprString(s.Rhs[0]), v.results.Len())
			}
			var left, after []string
			assign := " = "
			for k, x := range s.Lhs {
				t := v.results.At(k).Type()
				name, fresh := declare(types.ExprString(x), t)
				if left = append(left, name); fresh {
					assign = " := "
				}
				if name != "_" && qualified(t) == "error" {
					after = append(after, "if "+name+" != nil {\nreturn rplNo, "+name+"\n}")
				}
			}
			m.lines = append(append(m.lines, strings.Join(left, ", ")+assign+v.code), after...)
			m.shown = append(m.shown, v.shown)
		case *ast.DeclStmt:
			d, ok := s.Decl.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR || len(d.Specs) != 1 {
				return making{}, others
			}
			spec := d.Specs[0].(*ast.ValueSpec)
			t := r.typ(spec.Type)
			if t == nil || len(spec.Values) > 0 {
				return making{}, others
			}
			for _, id := range spec.Names {
				name, _ := declare(id.Name, t)
				m.lines = append(m.lines, "var "+name+" "+g.typeName(t))
			}
		default:
			return making{}, others
		}
	}
	m.formals = r.formals
	return m, ""
}

// resolve adds the imports that code of the user needs.
func (g *generator) resolve(expr string) string {
	var code ast.Node
	first := 1 + len("f(") // the position where it begins
	if e, err := parser.ParseExpr("f(" + expr + ")"); err == nil {
		code = e
	} else if list, ok := parseStatements(expr); ok {
		code, first = &ast.BlockStmt{List: list}, 1+len(beforeStatements)
	} else {
		return expr // the compiler will say
	}
	renamed := map[*ast.Ident]string{}
	ast.Inspect(code, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		if local := g.packageOf(id.Name); local != "" && local != id.Name {
			renamed[id] = local
		}
		return true
	})
	// From the last on, so that positions stay what they are.
	for _, id := range slices.SortedFunc(maps.Keys(renamed), func(a, b *ast.Ident) int { return int(b.Pos() - a.Pos()) }) {
		at := int(id.Pos()) - first
		expr = expr[:at] + renamed[id] + expr[at+len(id.Name):]
	}
	return expr
}

// packageOf imports the package that code of the user has a name of, and returns the name
// by which the file refers to it; "" if there is none.
func (g *generator) packageOf(name string) string {
	for _, p := range g.opt.Imports {
		if packageName(p) == name {
			return g.pkgNamed(p, name)
		}
	}
	switch p := g.std[name]; {
	case g.s.pkg.Name() == name:
		return g.qualify(g.s.pkg)
	case slices.Contains(slices.Collect(maps.Values(g.imports)), name):
		return name
	case p != "":
		return g.pkgNamed(p, name)
	}
	return ""
}

func (g *generator) resolved(exprs []string) []string {
	out := make([]string, len(exprs))
	for k, e := range exprs {
		out[k] = inlined(g.resolve(e))
	}
	return out
}
