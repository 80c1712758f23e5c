// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestGenerate: what is written compiles, and is the same for the same seed.
func TestGenerate(t *testing.T) {
	fset := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	texts := map[string]bool{}
	for seed := range uint64(200) {
		text := generate(seed)
		if text != generate(seed) {
			t.Errorf("seed %d has two types", seed)
		}
		texts[text] = true
		f, err := parser.ParseFile(fset, "f.go", text, 0)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		pkg, err := config.Check("m/f", fset, []*ast.File{f}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if n := types.NewMethodSet(types.NewPointer(pkg.Scope().Lookup("T").Type())).Len(); n < 4 {
			t.Errorf("seed %d has %d methods", seed, n)
		}
	}
	if len(texts) < 190 {
		t.Errorf("200 seeds have %d types", len(texts))
	}
}
