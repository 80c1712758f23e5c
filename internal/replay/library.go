// SPDX-License-Identifier: Apache-2.0

package replay

// This file reads the library: fixture files that come with the program, for what everyone uses.
// They are data that a user could have written. One that names components is for these; the others
// say which values parameters may have, by the type of the parameter or by the function that it
// is of. What the user says comes first.

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed library/*.txtar
var libraryFiles embed.FS

// library is all of it, in the order of the names of the files.
var library = sync.OnceValues(func() (list []*Settings, err error) {
	entries, err := libraryFiles.ReadDir("library")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := libraryFiles.ReadFile("library/" + e.Name())
		if err != nil {
			return nil, err
		}
		s, err := parseSettings(data)
		if err != nil {
			return nil, fmt.Errorf("library/%s: %w", e.Name(), err)
		}
		list = append(list, s)
	}
	return list, nil
})

// libraryFor returns what the library says of a component: its own settings first, and then the general ones.
func libraryFor(component string) (own, general []*Settings, err error) {
	all, err := library()
	for _, s := range all {
		switch {
		case len(s.Components) == 0:
			general = append(general, s)
		case slices.Contains(s.Components, component):
			own = append(own, s)
		}
	}
	return own, general, err
}

// heldAs is the type by which the library says that clients hold a component, "" if it does not.
func heldAs(component string) string {
	own, _, _ := libraryFor(component)
	for _, s := range own {
		if s.As != "" {
			return s.As
		}
	}
	return ""
}

// useLibrary finds what the library has for the component. Its fixtures are used if the user gives none.
func (g *generator) useLibrary() (err error) {
	if g.ownLibrary, g.library, err = libraryFor(g.s.Name); err != nil || len(g.opt.Fixtures) > 0 {
		return err
	}
	g.comes = true
	g.fixtures = map[string][]string{}
	for _, s := range g.ownLibrary {
		for _, text := range s.Fixtures {
			name, expr := SplitFixture(g.i, text)
			if name == "" && constructorFirst.MatchString(text) {
				continue // the interface has no such constructor
			}
			g.fixtures[name] = append(g.fixtures[name], expr)
		}
	}
	return nil
}

// constructorFirst matches a fixture for one constructor.
var constructorFirst = regexp.MustCompile(`^[\w.]+=[^=]`)

// fixturesFor are the fixtures for a constructor, or those without a name: that of the user, or those of the library.
func (g *generator) fixturesFor(constructor string) []string {
	if expr, ok := g.opt.Fixtures[constructor]; ok {
		return []string{expr}
	}
	return g.fixtures[constructor]
}

// listed are the expressions that the library has for a parameter: those for the component, by the names that -arg
// has, and then those of the function. Full is its name with the import path: os.OpenRoot, net/http.Client.Do.
func (g *generator) listed(param, call, function, full string) []string {
	for _, s := range g.ownLibrary {
		for _, key := range []string{call + "." + param, function + "." + param, param} {
			if list := s.Args[key]; len(list) > 0 && param != "" {
				return list
			}
		}
	}
	if full == "" {
		return nil
	}
	for _, s := range g.library {
		if list := s.Args[full+"."+param]; len(list) > 0 {
			return list
		}
	}
	return nil
}

// valuesOf are the expressions that the library has for a type.
func (g *generator) valuesOf(name string) []string {
	if list := g.opt.Types[name]; len(list) > 0 || name == "" {
		return list
	}
	for _, s := range slices.Concat(g.ownLibrary, g.library) {
		if list := s.Types[name]; len(list) > 0 {
			return list
		}
	}
	return nil
}

// fromLibrary are the candidates of a type that the library has, and nil where the type has it. Of pointers to what
// guards look into there are literals, too.
func (g *generator) fromLibrary(t types.Type, guards []string) []candidate {
	name, pointer := qualified(t), ""
	if p, ok := t.(*types.Pointer); ok {
		name, pointer = qualified(p.Elem()), "*"
	}
	if name == "" {
		return nil
	}
	list := g.exprCandidates(g.valuesOf(pointer+name), t)
	if len(list) == 0 {
		return nil
	}
	if p, ok := t.(*types.Pointer); ok {
		list = append(list, addresses(g.literals(p.Elem(), guards, 0))...)
	}
	if mayBeNil(t) {
		list = append(list, candidate{expr: "nil", value: "nil", size: "0"})
	}
	return list
}

// fixtureName matches what declarations of the library begin with: in a test they get another beginning, so that
// two tests do not declare the same.
var fixtureName = regexp.MustCompile(`\bfixture([A-Z]\w*)`)

func inlined(code string) string { return fixtureName.ReplaceAllString(code, "rplFixture$1") }

// declarations returns the files of the library that a body mentions, and those that these do.
func (g *generator) declarations(body string) (string, error) {
	var files []File
	for _, s := range slices.Concat(g.ownLibrary, g.library) {
		files = append(files, s.Files...)
	}
	var out strings.Builder
	for {
		k := slices.IndexFunc(files, func(f File) bool {
			return slices.ContainsFunc(declaredNames(f), func(name string) bool { return strings.Contains(body, name) || strings.Contains(out.String(), name) })
		})
		if k < 0 {
			return out.String(), nil
		}
		text, err := g.inline(files[k])
		if err != nil {
			return "", fmt.Errorf("library: %w", err)
		}
		out.WriteString(text + "\n\n")
		files = slices.Delete(files, k, k+1)
	}
}

// declaredAs matches a declaration of the library.
var declaredAs = regexp.MustCompile(`(?m)^(?:func|type|var) (rplFixture\w+)`)

// declaredNames are the names that a file of the library declares for others.
func declaredNames(f File) (names []string) {
	for _, m := range declaredAs.FindAllStringSubmatch(inlined(string(f.Data)), -1) {
		names = append(names, m[1])
	}
	return names
}

// inline writes a file of the library without its head: its imports become those of the generator, by whatever names these have.
func (g *generator) inline(f File) (string, error) {
	fset := token.NewFileSet()
	source := []byte(inlined(string(f.Data)))
	syntax, err := parser.ParseFile(fset, f.Name, source, parser.ParseComments)
	if err != nil {
		return "", err
	}
	local := map[string]string{}
	first := syntax.Name.End()
	for _, i := range syntax.Imports {
		first = max(first, i.End())
		full, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return "", err
		}
		name := packageName(full)
		if i.Name != nil {
			name = i.Name.Name
		}
		local[name] = g.pkgNamed(full, path.Base(name))
	}
	renamed := map[int]string{} // by offset
	ast.Inspect(syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil && local[id.Name] != "" && local[id.Name] != id.Name {
			renamed[fset.Position(id.Pos()).Offset] = id.Name
		}
		return true
	})
	text := string(source)
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(renamed))) {
		text = text[:at] + local[renamed[at]] + text[at+len(renamed[at]):]
	}
	rest := text[fset.Position(first).Offset:]
	if len(syntax.Imports) > 0 {
		rest = strings.TrimPrefix(strings.TrimSpace(rest), ")") // of the imports
	}
	return strings.TrimSpace(rest), nil
}
