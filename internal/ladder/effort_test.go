// SPDX-License-Identifier: Apache-2.0

package ladder

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/synth"
)

// TestEffort checks that programs count, that none is started when the effort is used
// up but the first, and that the answer then says less and not something else.
func TestEffort(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module effort\n\ngo 1.24\n",
		"relay/relay.go": `package relay

type Relay struct{ first, second, third bool }

func (r *Relay) Press() { r.first = true }
func (r *Relay) Pass()  { r.second = r.first }
func (r *Relay) Close() { r.third = r.second }
func (r *Relay) Fire() {
	if r.third {
		panic("closed")
	}
}
`,
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
	r, err := golang.Compile(ctx, golang.Subject{Package: "./relay", Type: "Relay"}, golang.Options{Dir: dir, Constructors: []string{"zero"}, Errors: []string{"misuse"}})
	if err != nil {
		t.Fatal(err)
	}
	whole := newSearch(synth.Strategy{}, 0, r)
	a, err := whole.explicit(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	if !a.sure || len(whole.memory) < 2 || whole.effort.Spent == 0 || whole.effort.Over() {
		t.Fatalf("sure %t after %d programs and %d of %d steps", a.sure, len(whole.memory), whole.effort.Spent, whole.effort.Limit)
	}
	again := newSearch(synth.Strategy{}, 0, r)
	if _, err := again.explicit(ctx, r); err != nil || again.effort.Spent != whole.effort.Spent {
		t.Errorf("%d steps the second time, %d the first (%v)", again.effort.Spent, whole.effort.Spent, err)
	}
	none := newSearch(synth.Strategy{}, 0, r)
	none.effort.Add(none.effort.Limit + 1)
	b, err := none.explicit(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	if b.sure || len(none.memory) != 1 {
		t.Fatalf("sure %t after %d programs", b.sure, len(none.memory))
	}
	b.forget()
	if decision(b.i) >= decision(a.i) {
		t.Errorf("the answer without effort decides %d, the other %d", decision(b.i), decision(a.i))
	}
}
