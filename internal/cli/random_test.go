// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the front end against real executions of random types: the
// interface of each is inferred, and the type is driven through its words.

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/replay"
)

// More types are tried with go test ./internal/cli -run RandomGoTypes -random-types 500 -random-seed 1000.
var (
	randomTypes = flag.Int("random-types", 10, "how many random Go types are driven")
	randomSeed  = flag.Uint64("random-seed", 0, "the seed of the first random Go type")
)

func TestRandomGoTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module random\n\ngo 1.26\n")
	for k := range *randomTypes {
		write(fmt.Sprintf("p%d/f/f.go", k), corpus.RandomGoType(*randomSeed+uint64(k)))
	}
	ctx := context.Background()
	std, err := replay.Std(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	packages, err := interlock.LoadGo(ctx, interlock.LoadConfig{Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	decided, forbidden := 0, 0
	for k := range *randomTypes {
		t.Run(fmt.Sprint("seed", *randomSeed+uint64(k)), func(t *testing.T) {
			name := fmt.Sprintf("random/p%d/f.T", k)
			c, err := packages.Type(ctx, name, interlock.GoOptions{Errors: []string{"misuse"}})
			if err != nil {
				t.Fatal(err)
			}
			report, err := interlock.Infer(ctx, c, nil)
			if err != nil {
				t.Fatal(err)
			}
			i := report.Interface
			if len(i.Unknown) == 0 && len(i.Uncovered) == 0 {
				decided++
			}
			forbidden += len(i.Forbidden)
			s, err := replay.Load(ctx, dir, name, "")
			if err != nil {
				t.Fatal(err)
			}
			test, err := replay.Generate(s, i, std, replay.Options{Words: 1000, Random: 200, Length: 10, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			r, err := replay.Run(ctx, dir, s, test, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Disagreements) > 0 {
				t.Error(r.Disagreements[0])
			}
		})
	}
	t.Logf("%d of %d decided, %d forbidden cells", decided, *randomTypes, forbidden)
	if decided < *randomTypes/2 || forbidden < *randomTypes/4 {
		t.Errorf("the test is weak: %d of %d decided, %d forbidden cells", decided, *randomTypes, forbidden)
	}
}
