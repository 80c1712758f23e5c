// SPDX-License-Identifier: Apache-2.0

package aut_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/model/aut"
	"github.com/interlock-go/interlock/internal/model/lts"
)

func show(s *lts.System) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s from %d over %q:", s.Name, s.Initial, s.Alphabet)
	for k := range int32(s.States()) {
		for _, e := range s.Edges(k) {
			fmt.Fprintf(&b, " %d-%s-%d", k, s.Label(e), e.To)
		}
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"des (0,0,1)", "x from 0 over []:"},
		{"des (0, 3, 3)\n(0, a, 1)\r\n\n (1,\"b c\",2) \n(2, i, 0)\n", `x from 0 over ["a" "b c"]: 0-a-1 1-b c-2 2-tau-0`},
		{"des(1,3,3)\n(1,\"GET !1, !(2)\",2)\n(2,tau,1)\n(2,\"tau\",2)", `x from 0 over ["GET !1, !(2)"]: 0-GET !1, !(2)-1 1-tau-0 1-tau-1`},
		{"des (0,2,2)\n(0,say \\hello, you,1)\n(1,\"a \\\"quoted\\\" \\\\ \\n\",-1)", `x from 0 over ["a \"quoted\" \\ \\n" "say \\hello, you"]: 0-say \hello, you-1 1-a "quoted" \ \n--1`},
	} {
		s, err := aut.Parse("dir/x.aut", []byte(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if got := show(s); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

func TestWrong(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "x.aut:1: the file is empty; a transition system begins with des (first, transitions, states)"},
		{"hello", `x.aut:1: a transition system begins with des (first, transitions, states), and not with "hello"`},
		{"des (0,1)", `x.aut:1: a transition system begins with des (first, transitions, states), and not with "des (0,1)"`},
		{"des (0,1,99999999999)", `x.aut:1: a transition system begins with des (first, transitions, states), and not with "des (0,1,99999999999)"`},
		{"des (2,0,2)", "x.aut:1: the first state is 2, and there are 2 states"},
		{"des (0,2,2)\n(0,a,1)\n", "x.aut:2: the first line promises 2 transitions and there are 1"},
		{"des (0,1,2)\n(0,a,2)\n", "x.aut:2: state 2: the first line promises 2 states"},
		{"des (0,1,2)\n\n(0,a)\n", `x.aut:3: a transition is (from, label, to), and not "(0,a)"`},
		{"des (0,1,2)\n(0,a,-2)\n", `x.aut:2: a transition is (from, label, to), and not "(0,a,-2)"`},
		{"des (0,1,2)\n0,a,1\n", `x.aut:2: a transition is (from, label, to), and not "0,a,1"`},
		{"des (0,1,2)\n(0,\"a,1)\n", `x.aut:2: "\"a" is no label`},
		{"des (0,1,2)\n(0,,1)\n", `x.aut:2: "" is no label`},
	} {
		if _, err := aut.Parse("x.aut", []byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v\nwant: %s", c.text, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("des (0, 3, 3)\n(0, a, 1)\n(1,\"b c\",2)\n(2, i, 0)\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 100 && bytes.Contains(text, []byte("des")) {
			return // the number of states is allocated
		}
		if _, err := aut.Parse("x.aut", text); err != nil && (strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "x.aut:")) {
			t.Fatalf("not one line with a position: %q", err)
		}
	})
}

// BenchmarkParse reads a million transitions.
func BenchmarkParse(b *testing.B) {
	var text bytes.Buffer
	const n = 1_000_000
	fmt.Fprintf(&text, "des (0,%d,%d)\n", n, n/4)
	for k := range n {
		fmt.Fprintf(&text, "(%d,\"action %d\",%d)\n", k/4, k%50, (k*7919)%(n/4))
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if s, err := aut.Parse("x.aut", text.Bytes()); err != nil || s.Transitions() == 0 {
			b.Fatal(err)
		}
	}
}
