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
	"slices"
	"strings"
	"sync"
)

//go:embed prelude/*.go
var preludeFiles embed.FS

// bindings are what the prelude models.
type bindings struct {
	classes  map[string]string          // Go types by class
	virtuals map[member]string          // Go methods
	statics  map[string]string          // Go functions, by "class.name:descriptor"
	news     map[string]string          // Go functions, by "class:descriptor"
	fields   map[string]string          // Go variables, by "class.name"
	methods  map[string]map[string]bool // Go methods by Go type
	names    []string                   // of the package
	modelled []string                   // text of files with models
	declared string                     // functions of the environment, without bodies
	runnable string                     // with bodies
}

// A member is a name with a descriptor.
type member struct{ name, descriptor string }

var loadPrelude = sync.OnceValues(func() (*bindings, error) {
	b := &bindings{classes: map[string]string{}, virtuals: map[member]string{}, statics: map[string]string{}, news: map[string]string{}, fields: map[string]string{}, methods: map[string]map[string]bool{}}
	entries, err := preludeFiles.ReadDir("prelude")
	if err != nil {
		return nil, err
	}
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
		}
	}
	slices.Sort(b.names)
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
