// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"strings"
	"testing"
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
