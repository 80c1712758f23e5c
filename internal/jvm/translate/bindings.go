// SPDX-License-Identifier: Apache-2.0

package translate

// This file reads the prelude: its text and what its comments bind.

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed prelude/*.go
var preludeFiles embed.FS

// bindings are what the prelude models.
type bindings struct {
	classes     map[string]string          // Go types by class
	virtuals    map[member]string          // Go methods
	statics     map[string]string          // Go functions, by "class.name:descriptor"
	analysis    map[string]string          // the same, for analyses
	news        map[string]string          // Go functions, by "class:descriptor"
	fields      map[string]string          // Go variables, by "class.name"
	methods     map[string]map[string]bool // Go methods by Go type
	names       []string                   // of the package
	methodNames map[string]bool            // of methods and functions that give exceptions
	modelled    []string                   // text of files with models
	analysed    []string                   // the same for analyses
	quiet       map[string]bool            // functions and methods that throw nothing, by name
	declared    string                     // functions of the environment, without bodies
	runnable    string                     // with bodies
}

// A member is a name with a descriptor.
type member struct{ name, descriptor string }

var loadPrelude = sync.OnceValues(func() (*bindings, error) {
	b := &bindings{classes: map[string]string{}, virtuals: map[member]string{}, analysis: map[string]string{}, quiet: map[string]bool{}, statics: map[string]string{}, news: map[string]string{}, fields: map[string]string{}, methods: map[string]map[string]bool{}}
	entries, err := preludeFiles.ReadDir("prelude")
	if err != nil {
		return nil, err
	}
	var decls []*ast.FuncDecl
	for _, e := range entries {
		text, err := preludeFiles.ReadFile("prelude/" + e.Name())
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, e.Name(), text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && e.Name() != "vm.go" {
				decls = append(decls, fn)
			}
		}
		if err := b.read(f); err != nil {
			return nil, err
		}
		body := string(text[f.Name.End()-f.FileStart:])
		switch e.Name() {
		case "vm.go": // made from the classes
		case "environment.go":
			b.runnable = body
			if b.declared, err = withoutBodies(fset, f); err != nil {
				return nil, err
			}
		default:
			b.modelled = append(b.modelled, body)
			b.analysed = append(b.analysed, analysed(text, f)[f.Name.End()-f.FileStart:])
		}
	}
	slices.Sort(b.names)
	b.findQuiet(decls)
	return b, nil
})

func withoutBodies(fset *token.FileSet, f *ast.File) (string, error) {
	var out bytes.Buffer
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			bare := &ast.FuncDecl{Name: fn.Name, Type: fn.Type, Doc: fn.Doc}
			if err := printer.Fprint(&out, fset, bare); err != nil {
				return "", err
			}
			out.WriteString("\n\n")
		}
	}
	return out.String(), nil
}

func (b *bindings) read(f *ast.File) error {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			receiver := ""
			if d.Recv == nil {
				b.names = append(b.names, d.Name.Name)
			} else {
				receiver = typeName(d.Recv.List[0].Type)
				if b.methods[receiver] == nil {
					b.methods[receiver] = map[string]bool{}
				}
				b.methods[receiver][d.Name.Name] = true
			}
			if err := b.bind(d.Doc, d.Name.Name); err != nil {
				return err
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					b.names = append(b.names, s.Name.Name)
					if err := b.bind(d.Doc, s.Name.Name); err != nil {
						return err
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						b.names = append(b.names, n.Name)
						if err := b.bind(s.Doc, n.Name); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	return nil
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func (b *bindings) bind(doc *ast.CommentGroup, name string) error {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		rest, ok := strings.CutPrefix(c.Text, "//java:")
		if !ok {
			continue
		}
		kind, what, _ := strings.Cut(rest, " ")
		switch kind {
		case "class":
			b.classes[what] = name
		case "virtual":
			n, d, _ := strings.Cut(what, ":")
			b.virtuals[member{n, d}] = name
		case "analysis":
			b.analysis[what] = name
		case "static":
			b.statics[what] = name
		case "field":
			b.fields[what] = name
		case "new":
			b.news[what] = name
		default:
			return fmt.Errorf("prelude: %s: unknown comment %s", name, c.Text)
		}
	}
	return nil
}

// analysed is the text of a file with the bodies that analyses have in place of others.
func analysed(text []byte, f *ast.File) string {
	out := string(text)
	for _, d := range slices.Backward(f.Decls) {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if body := analysisBody(fn); body != "" {
			out = out[:fn.Body.Pos()-f.FileStart] + "{ " + body + " }" + out[fn.Body.End()-f.FileStart:]
		}
	}
	return out
}

// analysisBody is the body that analyses have in place of another, or "".
func analysisBody(fn *ast.FuncDecl) string {
	if fn.Doc == nil {
		return ""
	}
	for _, c := range fn.Doc.List {
		if body, ok := strings.CutPrefix(c.Text, "//analysis:"); ok {
			return body
		}
	}
	return ""
}

// findQuiet finds the functions and methods of models that throw nothing in analyses: what they return first is nil, or what
// another such one returns first.
func (b *bindings) findQuiet(decls []*ast.FuncDecl) {
	loud := map[string]bool{}
	quietly := func(fn *ast.FuncDecl) bool {
		if strings.HasPrefix(analysisBody(fn), "return nil,") {
			return true
		}
		ok := fn.Body != nil
		ast.Inspect(fn, func(n ast.Node) bool {
			r, is := n.(*ast.ReturnStmt)
			if !is || len(r.Results) == 0 {
				return true
			}
			switch x := r.Results[0].(type) {
			case *ast.Ident:
				ok = ok && x.Name == "nil"
			case *ast.CallExpr:
				name := ""
				switch f := x.Fun.(type) {
				case *ast.Ident:
					name = f.Name
				case *ast.SelectorExpr:
					name = f.Sel.Name
				}
				ok = ok && name != "" && !loud[name]
			default:
				ok = false
			}
			return true
		})
		return ok
	}
	gives := func(fn *ast.FuncDecl) bool {
		r := fn.Type.Results
		return r != nil && len(r.List) > 0 && len(r.List[0].Names) > 0 && r.List[0].Names[0].Name == "exc"
	}
	for changed := true; changed; {
		changed = false
		for _, fn := range decls {
			if name := fn.Name.Name; gives(fn) && !loud[name] && !quietly(fn) {
				loud[name], changed = true, true
			}
		}
	}
	b.methodNames = map[string]bool{}
	for _, fn := range decls {
		if gives(fn) {
			b.methodNames[fn.Name.Name] = true
		}
		if gives(fn) && !loud[fn.Name.Name] {
			b.quiet[fn.Name.Name] = true
		}
	}
}

// forAnalysis are the bindings with the models of analyses.
func (b *bindings) forAnalysis() *bindings {
	c := *b
	c.statics = maps.Clone(b.statics)
	maps.Copy(c.statics, b.analysis)
	return &c
}
