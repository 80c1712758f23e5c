// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// TestRandomGoType checks that random types compile, that the same seed gives the same text and that every
// construct occurs.
func TestRandomGoType(t *testing.T) {
	words := []string{"panic(", "recover()", "panic(r)", "defer func() {", "range upTo", "break", "continue", "errors.Join", "%w", "t.once.Do", "CompareAndSwap", "select {", "case *two:", "case nil:",
		"func(y int)", "t.fn()", "t.p == t.q", "t.st = t.inner", "t.flip()", "append(t.s", "delete(t.m", "x int)", "x bool)", "x string)", "good(x)", "t.str = x", ") error {", "pick("}
	count := map[string]int{}
	fset := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	const n = 300
	for seed := range int64(n) {
		text := RandomGoType(seed)
		if text != RandomGoType(seed) {
			t.Fatalf("seed %d: two texts", seed)
		}
		f, err := parser.ParseFile(fset, "t.go", text, 0)
		if err == nil {
			_, err = conf.Check("p", fset, []*ast.File{f}, nil)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		text = text[len(goHead):]
		for _, w := range words {
			if strings.Contains(text, w) {
				count[w]++
			}
		}
	}
	for _, w := range words {
		if count[w] < n/50 {
			t.Errorf("%q occurs in %d of %d types", w, count[w], n)
		}
	}
}
