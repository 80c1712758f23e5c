// SPDX-License-Identifier: Apache-2.0

package interlock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/typestate"
)

// TestGoErrors has the errors of Go types that callers tell apart.
func TestGoErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module errs\n\ngo 1.24\n",
		"d/box.go": "package d\n\ntype Box struct{ n int }\n\nfunc (b *Box) Put(n int) {\n\tif n*n*b.n == 12167 {\n\t\tpanic(\"unlucky\")\n\t}\n\tb.n = n\n}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	load := interlock.LoadConfig{Dir: dir}
	var none *interlock.NoModuleError
	if _, err := interlock.LoadGoType(ctx, load, "no.such/module.Type", interlock.GoOptions{}); !errors.As(err, &none) {
		t.Errorf("a package that is not there: %v", err)
	}
	c, err := interlock.LoadGoType(ctx, load, "errs/d.Box", interlock.GoOptions{Constructors: []string{"zero"}})
	if err != nil {
		t.Fatal(err)
	}
	var refused *interlock.RefusedError
	if _, err := interlock.Infer(ctx, c, &interlock.Options{Engine: interlock.Symbolic{Depth: 3}}); !errors.As(err, &refused) || !refused.Option || refused.Next == "" {
		t.Errorf("a depth: %v", err)
	}
	// An engine that explores states cannot have numbers of this width.
	var budget *interlock.BudgetError
	if _, err := interlock.Infer(ctx, c, &interlock.Options{Engine: interlock.Direct{}}); !errors.As(err, &budget) || budget.Partial == nil {
		t.Fatalf("without predicates: %v", err)
	}
	i := budget.Partial.Interface
	if err := i.Validate(); err != nil {
		t.Error(err)
	}
	if i.Component.Language != "go" || len(i.Calls) != 1 || i.Calls[0].Method != "Put" || budget.Partial.Safe != typestate.AssuranceOpen {
		t.Errorf("what is known: %+v", i)
	}
}
