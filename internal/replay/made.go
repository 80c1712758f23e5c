// SPDX-License-Identifier: Apache-2.0

package replay

// This file makes values of interfaces and functions: streams of package io, what a function
// of the interface's package returns, and types and functions of the test that return zero values.

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// stream returns an expression of an interface of package io, or "". What is read has a
// little content; what is written goes to a buffer.
func (g *generator) stream(name string) string {
	short, ok := strings.CutPrefix(name, "io.")
	if !ok {
		return ""
	}
	const content = `"alpha beta\ngamma\n"`
	reader := func() string { return g.pkg("strings") + ".NewReader(" + content + ")" }
	writer := func() string { return "new(" + g.pkg("bytes") + ".Buffer)" }
	both := func() string { return g.pkg("bytes") + ".NewBufferString(" + content + ")" }
	closer := func() string { return g.pkg("io") + ".NopCloser(nil)" }
	seeker := func() string { return g.pkg("strings") + `.NewReader("")` }
	pair := func(a, b, x, y string) string {
		return "struct { " + g.pkg("io") + "." + a + "; " + g.pkg("io") + "." + b + " }{" + x + ", " + y + "}"
	}
	switch short {
	case "Reader", "RuneReader", "ByteReader", "RuneScanner", "ByteScanner", "ReaderAt", "ReadSeeker", "Seeker", "WriterTo":
		return reader()
	case "Writer", "StringWriter", "ByteWriter", "ReaderFrom":
		return writer()
	case "ReadWriter":
		return both()
	case "Closer", "ReadCloser":
		return g.pkg("io") + ".NopCloser(" + reader() + ")"
	case "WriteCloser":
		return pair("Writer", "Closer", writer(), closer())
	case "WriteSeeker":
		return pair("Writer", "Seeker", writer(), seeker())
	case "ReadWriteCloser":
		return pair("ReadWriter", "Closer", both(), closer())
	case "ReadWriteSeeker":
		return pair("ReadWriter", "Seeker", both(), seeker())
	case "ReadSeekCloser":
		return pair("ReadSeeker", "Closer", reader(), closer())
	}
	return ""
}

// made returns a call of a function of the type's own package that returns the
// type, the first by name whose arguments can be written.
func (g *generator) made(t types.Type) (string, bool) {
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil || g.within {
		return "", false
	}
	g.within = true // only one deep
	defer func() { g.within = false }()
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		f, ok := scope.Lookup(name).(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		sig := f.Type().(*types.Signature)
		if sig.TypeParams().Len() > 0 || sig.Results().Len() != 1 || !types.Identical(sig.Results().At(0).Type(), t) {
			continue
		}
		var args []string
		for k := range sig.Params().Len() {
			if sig.Variadic() && k == sig.Params().Len()-1 {
				break
			}
			if list := g.candidates(sig.Params().At(k).Type(), nil); len(list) > 0 && list[0].expr != "nil" {
				args = append(args, list[0].expr)
			}
		}
		if len(args) == sig.Params().Len() || sig.Variadic() && len(args) == sig.Params().Len()-1 {
			return g.qualify(f.Pkg()) + "." + name + "(" + strings.Join(args, ", ") + ")", true
		}
	}
	return "", false
}

// function writes a function of a signature that returns answers.
func (g *generator) function(s *types.Signature) (string, bool) {
	if !g.nameable(s) {
		return "", false
	}
	text := types.TypeString(s, g.qualify)
	for _, tuple := range []*types.Tuple{s.Params(), s.Results()} {
		for v := range tuple.Variables() {
			if v.Name() != "" && v.Name() != "_" && !g.free(v.Name()) { // it hides what the body may mention
				s = types.NewSignatureType(nil, nil, nil, nameless(s.Params()), nameless(s.Results()), s.Variadic())
				text = types.TypeString(s, g.qualify)
			}
		}
	}
	results := g.answers(s.Results())
	switch {
	case len(results) == 0:
		return text + " {}", true
	case s.Results().At(0).Name() != "" && !slices.ContainsFunc(results, func(r string) bool { return !slices.Contains(zeros, r) }):
		return text + " { return }", true
	}
	return text + " { return " + strings.Join(results, ", ") + " }", true
}

// zeros are the zero values that have no names.
var zeros = []string{"false", `""`, "0", "nil"}

// answers returns what code of a client returns: zero values, but no nil pointer without an
// error, since an interface may assume that there is none.
func (g *generator) answers(results *types.Tuple) []string {
	var out []string
	failing := -1
	n := results.Len()
	fails := n > 1 && qualified(results.At(n-1).Type()) == "error"
	for k := range n {
		t := results.At(k).Type()
		out = append(out, g.zero(t))
		if out[k] != "nil" || k == n-1 && fails {
			continue
		}
		if list := g.fromLibrary(t, nil); len(list) > 0 {
			out[k] = inlined(g.resolve(list[0].expr))
			continue
		}
		switch u := t.Underlying().(type) {
		case *types.Slice:
		case *types.Pointer:
			if g.nameable(u.Elem()) {
				out[k] = "new(" + g.typeName(u.Elem()) + ")"
			}
		default:
			if expr := g.stream(qualified(t)); expr != "" {
				out[k] = expr
			} else if fails && qualified(t) != "error" {
				failing = n - 1
			}
		}
	}
	if failing >= 0 {
		out[failing] = g.pkg("errors") + `.New("an error")`
	}
	return out
}

// stub returns a value of an interface: of a type that the test declares, whose methods return
// answers. Other packages cannot implement an interface with methods that are not exported.
func (g *generator) stub(t types.Type) (string, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !g.nameable(n) || g.within {
		return "", false
	}
	u := n.Underlying().(*types.Interface)
	if !u.IsMethodSet() || u.NumMethods() == 0 {
		return "", false
	}
	key := types.TypeString(t, nil)
	if name, ok := g.stubs[key]; ok {
		return name + "{}", true
	}
	for m := range u.Methods() {
		if !m.Exported() || !g.nameable(m.Type()) {
			return "", false
		}
	}
	name := fmt.Sprintf("rplStub%d", len(g.stubs)+1)
	text := fmt.Sprintf("// A %s is a %s that does nothing.\ntype %s struct{}\n\n", name, g.typeName(t), name)
	for m := range u.Methods() {
		sig := m.Type().(*types.Signature)
		sig = types.NewSignatureType(nil, nil, nil, nameless(sig.Params()), nameless(sig.Results()), sig.Variadic())
		body := strings.Join(g.answers(sig.Results()), ", ")
		head := strings.TrimPrefix(g.typeName(sig), "func")
		if transfers(sig) { // of bytes
			param := types.NewParam(token.NoPos, nil, "p", sig.Params().At(0).Type())
			head = strings.TrimPrefix(g.typeName(types.NewSignatureType(nil, nil, nil, types.NewTuple(param), sig.Results(), false)), "func")
			if body = "len(p), nil"; strings.HasPrefix(m.Name(), "Read") {
				body = "0, " + g.pkg("io") + ".EOF"
			}
		}
		if body != "" {
			body = "return " + body
		}
		text += fmt.Sprintf("func (%s) %s%s { %s }\n\n", name, m.Name(), head, body)
	}
	if g.stubs == nil {
		g.stubs = map[string]string{}
	}
	g.stubs[key] = name
	g.stubText += text
	return name + "{}", true
}

// transfers reports whether a method moves bytes as Read and Write do: it must say how many.
func transfers(s *types.Signature) bool {
	if s.Params().Len() != 1 || s.Results().Len() != 2 || s.Variadic() {
		return false
	}
	count, ok := s.Results().At(0).Type().(*types.Basic)
	if !ok || count.Kind() != types.Int || qualified(s.Results().At(1).Type()) != "error" {
		return false
	}
	switch u := s.Params().At(0).Type().Underlying().(type) {
	case *types.Slice:
		return types.Identical(u.Elem(), types.Typ[types.Byte])
	case *types.Basic:
		return u.Info()&types.IsString != 0
	}
	return false
}

func nameless(t *types.Tuple) *types.Tuple {
	var list []*types.Var
	for k := range t.Len() {
		list = append(list, types.NewParam(token.NoPos, nil, "", t.At(k).Type()))
	}
	return types.NewTuple(list...)
}

// zero writes the zero value of a type.
func (g *generator) zero(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
	case *types.Struct, *types.Array:
		return g.typeName(t) + "{}"
	}
	return "nil"
}
