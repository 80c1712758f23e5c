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
	words := []string{"panic(\"site", "recover()", "panic(r)", "defer func() {", "for range times(", "range each(", "break", "continue", "errors.Join", "wrap(", "io.EOF", "t.once.Do", "CompareAndSwap", "select {", "switch y := t.x.(type) {",
		"t.g = func() {", "t.g()", "t.p = &t.v", "t.mu.TryLock()", "t.box.Set", "append(t.s", "delete(t.m", "(p0 int8)", "(p0 bool)", "(p0 string)", "good(p0)", "t.z = p0", ") error {", ") int8 {", "either(", "t, p1-1"}
	count, texts := map[string]int{}, map[string]bool{}
	fset := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	const n = 300
	for seed := range uint64(n) {
		text := RandomGoType(seed)
		if text != RandomGoType(seed) {
			t.Fatalf("seed %d: two texts", seed)
		}
		f, err := parser.ParseFile(fset, "f.go", text, 0)
		if err == nil {
			_, err = conf.Check("f", fset, []*ast.File{f}, nil)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		texts[text] = true
		text = text[len(goPreamble):]
		for _, w := range words {
			if strings.Contains(text, w) {
				count[w]++
			}
		}
	}
	if len(texts) < n-n/20 {
		t.Errorf("%d seeds have %d types", n, len(texts))
	}
	for _, w := range words {
		if count[w] < n/50 {
			t.Errorf("%q occurs in %d of %d types", w, count[w], n)
		}
	}
}
