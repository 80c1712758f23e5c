// SPDX-License-Identifier: Apache-2.0

package replay

// This file checks the library: each of its expressions has the type that it is for, and what it declares is there.

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// TestLibrary compiles all of the library.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	ctx := context.Background()
	std, err := Std(ctx, ".")
	if err != nil {
		t.Fatal(err)
	}
	all, err := library()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load(ctx, ".", "std", "")
	if err != nil {
		t.Fatal(err)
	}
	g := &generator{s: s, i: &typestate.Interface{}, library: all, imports: map[string]string{}, locals: map[string]bool{}, std: map[string]string{}}
	for _, p := range std {
		if name := packageName(p); g.std[name] == "" || len(p) < len(g.std[name]) {
			g.std[name] = p
		}
	}
	for _, p := range []string{"slices", "sync"} {
		g.pkg(p)
	}
	var body strings.Builder
	body.WriteString("func main() {}\n\nfunc use[T any](x T) {}\n\n")
	use := func(typ, expr string) {
		if typ != "" {
			fmt.Fprintf(&body, "var _ %s = %s\n", typ, inlined(g.resolve(expr)))
		} else {
			fmt.Fprintf(&body, "var _ = func() any { return any(%s) }\n", inlined(g.resolve(expr)))
		}
	}
	components := map[string]bool{}
	for _, s := range all {
		for _, c := range s.Components {
			if components[c] && s.Fixtures != nil {
				t.Errorf("two files are for %s", c)
			}
			components[c] = true
		}
		for _, name := range slices.Sorted(maps.Keys(s.Types)) {
			path, typ, _ := cutLast(strings.TrimPrefix(name, "*"))
			pkg, err := imported(g, path)
			if err != nil {
				t.Errorf("type %s: %v", name, err)
				continue
			}
			text := pkg + "." + typ
			if strings.HasPrefix(name, "*") {
				text = "*" + text
			}
			for _, e := range s.Types[name] {
				use(text, e)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(s.Args)) {
			if len(s.Components) == 0 && !isParameter(g, name) {
				t.Errorf("arg %s: there is no such parameter", name)
			}
			for _, e := range s.Args[name] {
				use("", e)
			}
		}
		for _, text := range s.Fixtures {
			if name, expr, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, "({") {
				text = expr
			}
			if !usesObject(text) {
				fmt.Fprintf(&body, "func _() {\n%s\n}\n", inlined(g.resolve(text)))
			}
		}
	}
	body.WriteString(overText)
	text, err := g.declarations(body.String())
	if err != nil {
		t.Fatal(err)
	}
	body.WriteString(text)
	lines, err := g.importLines(body.String())
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	source := "package main\n\nimport (\n" + lines + ")\n\n" + body.String()
	if err := compile(ctx, ".", tmp, s, []File{{"main.go", []byte(source)}}, []string{"build", "-o", tmp + "/main"}); err != nil {
		t.Errorf("%v", err)
	}
}

// imported imports a package.
func imported(g *generator, path string) (string, error) {
	p, err := g.s.load(path)
	if err != nil {
		return "", err
	}
	return g.qualify(p), nil
}

// isParameter reports whether there is a parameter of that name: os.OpenRoot.name, net/http.Client.Do.req.
func isParameter(g *generator, name string) bool {
	function, param, _ := cutLast(name)
	path, rest := function, ""
	for {
		var ok bool
		var last string
		if path, last, ok = cutLast(path); !ok {
			return false
		}
		rest = strings.TrimPrefix(last+"."+rest, ".")
		if p, err := g.s.load(path); err == nil && token.IsExported(last) {
			sig := signatureAt(p, strings.Split(strings.TrimSuffix(rest, "."), "."))
			if sig == nil {
				return false
			}
			for v := range sig.Params().Variables() {
				if v.Name() == param {
					return true
				}
			}
			return false
		}
	}
}

// signatureAt is the signature of a function, or of a type and its method.
func signatureAt(p *types.Package, names []string) *types.Signature {
	obj := p.Scope().Lookup(names[0])
	if len(names) == 2 && obj != nil {
		obj, _, _ = types.LookupFieldOrMethod(types.NewPointer(obj.Type()), true, p, names[1])
	}
	if f, ok := obj.(*types.Func); ok {
		return f.Type().(*types.Signature)
	}
	return nil
}
