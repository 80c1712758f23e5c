// SPDX-License-Identifier: Apache-2.0

package replay

// This file makes values of interfaces and functions: streams of package io, what a function
// of the type's package returns, and functions that return zero values.

import (
	"go/token"
	"go/types"
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

// function writes a function of a signature that returns zero values.
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
	var results []string
	for k := range s.Results().Len() {
		r := s.Results().At(k)
		if r.Name() != "" {
			return text + " { return }", true
		}
		results = append(results, g.zero(r.Type()))
	}
	if len(results) == 0 {
		return text + " {}", true
	}
	return text + " { return " + strings.Join(results, ", ") + " }", true
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
