// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// TestCalledBack checks of which methods it is not known that they are allowed, because others may
// run code of the package in them: testdata/calledback.txtar has lines
//
//	TYPE [-error KIND] [-constructor C] : METHOD => known|unknown
func TestCalledBack(t *testing.T) {
	dir, words := unpacked(t, "testdata/calledback.txtar", "words")
	var l *loaded
	doubts := map[string]map[string]string{}
	for line := range strings.Lines(words) {
		head, rest, _ := strings.Cut(strings.TrimSpace(line), " : ")
		method, want, ok := strings.Cut(rest, " => ")
		if !ok {
			t.Fatalf("expected TYPE : METHOD => known: %s", line)
		}
		if doubts[head] == nil {
			s, o := asked(t, dir, head)
			var err error
			if l == nil {
				if l, err = load(context.Background(), s, o); err != nil {
					t.Fatal(err)
				}
			}
			k, err := parseKinds(o.Errors)
			if err != nil {
				t.Fatal(err)
			}
			r, err := l.compile(context.Background(), s, o, k)
			if err != nil {
				t.Fatal(err)
			}
			doubts[head] = r.foreign
			if doubts[head] == nil {
				doubts[head] = map[string]string{}
			}
		}
		got := "known"
		if doubts[head][method] != "" {
			got = "unknown"
		}
		if got != want {
			t.Errorf("%s: got %s %s", strings.TrimSpace(line), got, doubts[head][method])
		}
	}
}

// TestCalledBackOpaque checks the same where calls are opaque, and no code of other packages is followed:
// testdata/calledback_opaque.txtar has lines
//
//	TYPE -constructor C : METHOD => known|unknown
//
// Of each of the methods it is not known without that.
func TestCalledBackOpaque(t *testing.T) {
	dir, words := unpacked(t, "testdata/calledback_opaque.txtar", "words")
	var l *loaded
	type doubts struct{ opaque, plain map[string]string }
	found := map[string]*doubts{}
	for line := range strings.Lines(words) {
		head, rest, _ := strings.Cut(strings.TrimSpace(line), " : ")
		method, want, ok := strings.Cut(rest, " => ")
		if !ok {
			t.Fatalf("expected TYPE : METHOD => known: %s", line)
		}
		if found[head] == nil {
			s, o := asked(t, dir, head)
			o.opaque = func(string) bool { return true }
			if l == nil {
				var err error
				if l, err = load(context.Background(), s, o); err != nil {
					t.Fatal(err)
				}
			}
			o.Errors = []string{"misuse"}
			c, methods, _ := withOpaque(t, l, s, o)
			c.cut = map[*ssa.Function]bool{}
			for _, fn := range c.reach.fns {
				c.cut[fn] = !l.owns(packageOf(fn))
			}
			d := &doubts{opaque: c.panicsAbroad(methods)}
			c.opaque = nil
			d.plain = c.panicsAbroad(methods)
			found[head] = d
		}
		got := "known"
		if found[head].opaque[method] != "" {
			got = "unknown"
		}
		if got != want {
			t.Errorf("%s: got %s %s", strings.TrimSpace(line), got, found[head].opaque[method])
		}
		if found[head].plain[method] == "" {
			t.Errorf("%s: it is known anyway", strings.TrimSpace(line))
		}
	}
}
