// SPDX-License-Identifier: Apache-2.0

package interlock_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// Sizes that code of the engines and of what runs them keeps to, so that one person can read it. A package, file, function or type that is
// larger is in larger, with its size; nothing may grow beyond that, and what has shrunk below its limit leaves the list.
const (
	maxPackageLines  = 6000
	maxFileLines     = 600
	maxFunctionLines = 80
	maxParameters    = 6
	maxFields        = 25
	maxMethods       = 60 // of a method set, with those of embedded types of the engines
)

// larger is what does not keep to the sizes yet; nothing.
var larger = map[string]int{}

// sized reports whether a package keeps to the sizes.
func sized(pkg string) bool {
	return pkg == "." || pkg == "internal/synth" || pkg == "internal/ladder" || strings.HasPrefix(pkg, "internal/engine")
}

// TestSizes checks the sizes of the packages that keep to them.
func TestSizes(t *testing.T) {
	sizes := map[string]int{}
	limits := map[string]int{}
	record := func(what string, size, limit int) {
		if size > limit {
			sizes[what] = size
		}
		limits[what] = limit
	}
	lines, methods := map[string]int{}, map[string]int{}
	embeds := map[string][]string{} // type -> types
	for _, s := range sources(t) {
		if s.test || !sized(s.pkg) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, s.file, s.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkg := strings.TrimPrefix(s.pkg, "internal/")
		n := strings.Count(s.text, "\n")
		lines[pkg] += n
		record("file "+pkg+"/"+s.file[strings.LastIndexByte(s.file, '/')+1:], n, maxFileLines)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := pkg + "." + d.Name.Name
				if r := receiver(d); r != "" {
					name = pkg + "." + r + "." + d.Name.Name
					methods[pkg+"."+r]++
				}
				record("lines of "+name, fset.Position(d.End()).Line-fset.Position(d.Pos()).Line+1, maxFunctionLines)
				record("parameters of "+name, d.Type.Params.NumFields(), maxParameters)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok {
						if st, ok := ts.Type.(*ast.StructType); ok {
							embeds[pkg+"."+ts.Name.Name] = embeddedTypes(pkg, st)
							record("fields of "+pkg+"."+ts.Name.Name, st.Fields.NumFields(), maxFields)
						}
					}
				}
			}
		}
	}
	if len(lines) < 8 {
		t.Fatalf("found only %d packages", len(lines))
	}
	for pkg, n := range lines {
		record("package "+pkg, n, maxPackageLines)
	}
	var set func(name string) int
	set = func(name string) int {
		n := methods[name]
		for _, e := range embeds[name] {
			n += set(e)
		}
		return n
	}
	for name := range embeds {
		record("methods of "+name, set(name), maxMethods)
	}
	var wrong []string
	for what, n := range sizes {
		if known, ok := larger[what]; !ok || n > known {
			wrong = append(wrong, fmt.Sprintf("%s: %d, at most %d", what, n, max(known, limits[what])))
		}
	}
	for what := range larger {
		if _, ok := sizes[what]; !ok {
			wrong = append(wrong, what+" is not too large any more: take it off the list")
		}
	}
	slices.Sort(wrong)
	for _, w := range wrong {
		t.Error(w)
	}
}

// embeddedTypes lists the types that a struct embeds, by package and name.
func embeddedTypes(pkg string, st *ast.StructType) (out []string) {
	for _, f := range st.Fields.List {
		if len(f.Names) > 0 {
			continue
		}
		t := f.Type
		if s, ok := t.(*ast.StarExpr); ok {
			t = s.X
		}
		switch t := t.(type) {
		case *ast.Ident:
			out = append(out, pkg+"."+t.Name)
		case *ast.SelectorExpr:
			if x, ok := t.X.(*ast.Ident); ok {
				out = append(out, "engine/"+x.Name+"."+t.Sel.Name)
			}
		}
	}
	return out
}

// receiver is the name of the type that a method belongs to; "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return "?"
}
