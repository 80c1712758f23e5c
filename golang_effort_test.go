// SPDX-License-Identifier: Apache-2.0

package interlock

import (
	"context"
	"os"
	"path/filepath"
	"testing"
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
	r, err := compileGo(ctx, GoType{Name: "./relay.Relay", Dir: dir, Constructors: []string{"zero"}}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	whole := Config{NoWrap: true}.remembering().limited(1)
	a, err := explicitGo(ctx, r, whole)
	if err != nil {
		t.Fatal(err)
	}
	if !a.sure || len(whole.memory) < 2 || whole.effort.spent == 0 || whole.effort.over() {
		t.Fatalf("sure %t after %d programs and %d of %d steps", a.sure, len(whole.memory), whole.effort.spent, whole.effort.limit)
	}
	again := Config{NoWrap: true}.remembering().limited(1)
	if _, err := explicitGo(ctx, r, again); err != nil || again.effort.spent != whole.effort.spent {
		t.Errorf("%d steps the second time, %d the first (%v)", again.effort.spent, whole.effort.spent, err)
	}
	none := Config{NoWrap: true}.remembering().limited(1)
	none.effort.add(none.effort.limit + 1)
	b, err := explicitGo(ctx, r, none)
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
