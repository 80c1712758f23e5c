// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
)

// TestOpaque checks of which calls only the arguments decide whether they err: those whose
// names begin with Only, or with New; with May if the environment decides, too.
func TestOpaque(t *testing.T) {
	s, err := ParseSubject("./p.T")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: "testdata/opaque", Errors: []string{"misuse"}}
	r, err := Compile(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	q, err := r.Opaque(context.Background(), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for fn := range q.rel.entries {
		name := fn.Name()
		want := strings.HasPrefix(name, "Only") || strings.HasPrefix(name, "New") || strings.HasPrefix(name, "May")
		if got := slices.ContainsFunc(q.opaque, func(n string) bool { return n[strings.LastIndexByte(n, '.')+1:] == name }); got != want {
			t.Errorf("%s: opaque %t", name, got)
		}
	}
	p, err := q.Component(Depth{Sites: -1, Results: -1}, func(s *Site) bool { return !s.Implicit })
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range p.Program.Methods {
		if may := strings.HasPrefix(m.Name, "May"); strings.HasPrefix(m.Name, "Only") || may {
			if got := slices.ContainsFunc(m.Locals, func(v *prog.Var) bool { return v.Name == "answers" }); got != may {
				t.Errorf("%s: the environment decides: %t", m.Name, got)
			}
		}
	}
	if len(q.Sites()["Within"]) == 0 {
		t.Error("Within: its errors are those of a call that is opaque for clients only")
	}
	again, err := r.Opaque(context.Background(), func(name string) bool { return name == "OnlyText" })
	if err != nil || !slices.Equal(again.opaque, []string{"OnlyText"}) {
		t.Errorf("one call: %v, %v", again, err)
	}
	if none, err := r.Opaque(context.Background(), func(string) bool { return false }); none != nil || err != nil {
		t.Errorf("no call: %v, %v", none, err)
	}
}
