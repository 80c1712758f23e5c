// SPDX-License-Identifier: Apache-2.0

package replay

// This file chooses the names of a test. Code of the interface declares names of its
// own, the driver imports packages, and the types of arguments need others: no two of
// them may get into each other's way. Objects that code declares get other names where
// those of the driver's imports, or predeclared ones, would be hidden; imports that come
// later get names that no code declares.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// literalNames are the names that function literals of a test declare themselves.
var literalNames = []string{"x", "o", "err", "use", "m", "a", "n", "v", "known", "rplNo"}

// reserve finds the names that imports may not have.
func (g *generator) reserve() {
	g.locals = map[string]bool{}
	for _, name := range literalNames {
		g.locals[name] = true
	}
	for _, name := range types.Universe.Names() {
		g.locals[name] = true
	}
	for _, c := range g.i.Constructors {
		names, _ := declares(c.Code)
		for _, name := range names {
			g.locals[name] = true
		}
	}
}

// local is the name in the file of an object that code of the interface declares.
func (g *generator) local(name string) string {
	if name == "_" || g.free(name) || name == "err" {
		return name
	}
	return name + "Object"
}

// free reports whether a variable may have a name: it hides neither an import nor a
// predeclared identifier. The compiler gives results without a name one that is no identifier,
// such as #rv1, where code ranges over functions.
func (g *generator) free(name string) bool {
	return token.IsIdentifier(name) && name != "_" && types.Universe.Lookup(name) == nil && !slices.Contains(slices.Collect(maps.Values(g.imports)), name)
}

// packageName guesses the name of a package from its path.
func packageName(p string) string {
	name := path.Base(p)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" && strings.Contains(p, "/") {
		name = path.Base(path.Dir(p))
	}
	return strings.TrimPrefix(name, "go-")
}

// pkg returns the name by which the file refers to a package.
func (g *generator) pkg(p string) string { return g.pkgNamed(p, packageName(p)) }

func (g *generator) pkgNamed(p, name string) string {
	if n, ok := g.imports[p]; ok {
		return n
	}
	local := name
	for n := 2; g.locals[local] || numbered.MatchString(local) || slices.Contains(slices.Collect(maps.Values(g.imports)), local); n++ {
		local = name + strconv.Itoa(n)
	}
	g.imports[p] = local
	return local
}

func (g *generator) qualify(p *types.Package) string {
	if g.inside != nil && g.inside.Path() == p.Path() {
		return ""
	}
	return g.pkgNamed(p.Path(), p.Name())
}

func (g *generator) typeName(t types.Type) string { return types.TypeString(t, g.qualify) }

// nameable reports whether a type can be written in another package.
func (g *generator) nameable(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && (g.inside == nil || p.Path() != g.inside.Path()) && (!t.Obj().Exported() || internalPath(t.Obj().Pkg().Path())) {
			return false
		}
		for k := range t.TypeArgs().Len() {
			if !g.nameable(t.TypeArgs().At(k)) {
				return false
			}
		}
	case *types.Pointer:
		return g.nameable(t.Elem())
	case *types.Slice:
		return g.nameable(t.Elem())
	case *types.Array:
		return g.nameable(t.Elem())
	case *types.Chan:
		return g.nameable(t.Elem())
	case *types.Map:
		return g.nameable(t.Key()) && g.nameable(t.Elem())
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for k := range tuple.Len() {
				if !g.nameable(tuple.At(k).Type()) {
					return false
				}
			}
		}
	case *types.Struct:
		for k := range t.NumFields() {
			if !t.Field(k).Exported() || !g.nameable(t.Field(k).Type()) {
				return false
			}
		}
	case *types.TypeParam:
		return false
	}
	return true
}

func internalPath(p string) bool {
	return p == "internal" || strings.HasPrefix(p, "internal/") || strings.HasSuffix(p, "/internal") || strings.Contains(p, "/internal/") || strings.HasPrefix(p, "vendor/")
}

// importLines writes the imports that a body needs: the standard library first, as
// gofmt's users like it.
func (g *generator) importLines(body string) (string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+body, 0)
	if err != nil {
		return "", fmt.Errorf("an expression cannot be read: %w", err)
	}
	used := map[string]bool{}
	unresolved := map[*ast.Ident]bool{}
	for _, id := range f.Unresolved {
		unresolved[id] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && unresolved[id] {
				used[id.Name] = true
			}
		}
		return true
	})
	paths := slices.Sorted(maps.Keys(g.imports))
	slices.SortStableFunc(paths, func(a, b string) int {
		return strings.Compare(strconv.FormatBool(dotted(a)), strconv.FormatBool(dotted(b)))
	})
	var lines strings.Builder
	third := false
	for _, p := range paths {
		if !used[g.imports[p]] {
			continue
		}
		if dotted(p) && !third {
			third = true
			lines.WriteString("\n")
		}
		if name := g.imports[p]; name != path.Base(p) && name != packageName(p) || strings.HasPrefix(path.Base(p), "go-") {
			fmt.Fprintf(&lines, "%s %q\n", name, p)
		} else {
			fmt.Fprintf(&lines, "%q\n", p)
		}
	}
	return lines.String(), nil
}

func dotted(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return strings.Contains(first, ".")
}
