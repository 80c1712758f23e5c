// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// TestConditions: guards tell the arguments of parts apart, and hold for all arguments.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		params, types []string
		parts         [][]typestate.Known
		want          string
	}{
		{[]string{"n"}, []string{"int64"}, [][]typestate.Known{{{"n": "-1"}}, {{"n": "0"}, {"n": "5"}}}, "[n < 0 n >= 0]"},
		{[]string{"n"}, []string{"int64"}, [][]typestate.Known{{{"n": "0"}}, {{"n": "5"}, {"n": "64"}}}, "[n <= 0 n > 0]"},
		{[]string{"n"}, []string{"int64"}, [][]typestate.Known{{{"n": "5"}}, {{"n": "0"}, {"n": "64"}}}, "[n > 0 && n < 64 n <= 0 || n >= 64]"},
		{[]string{"len(p)"}, []string{"uint47"}, [][]typestate.Known{{{"len(p)": "3"}}, {{"len(p)": "0"}}}, "[`len(p)` != 0 `len(p)` == 0]"},
		{[]string{"s"}, []string{"text"}, [][]typestate.Known{{{"s": `"a"`}}, {{"s": `"b"`}}}, "[s == `\"a\"` s != `\"a\"`]"},
		{[]string{"f"}, []string{"value"}, [][]typestate.Known{{{"f": "non-nil"}}, {{"f": "nil"}}}, "[f != nil f == nil]"},
		{[]string{"a", "b"}, []string{"bool", "int64"}, [][]typestate.Known{{{"a": "true", "b": "1"}}, {{"a": "false", "b": "1"}, {"a": "true", "b": "-1"}}}, "[a && b >= 0 a && b < 0 || !a]"},
		{[]string{"f"}, []string{"value"}, [][]typestate.Known{{{"f": "non-nil"}}, {{"f": "non-nil"}}}, "[]"},
		{[]string{"n"}, []string{"int64"}, [][]typestate.Known{{{"n": "1"}}, {{}}}, "[]"},
		{[]string{"n"}, []string{"int64"}, [][]typestate.Known{{{"n": "-1"}, {"n": "0"}, {"n": "9"}}, {{"n": "1"}}, {{"n": "3"}}, {{"n": "5"}}}, "[n <= 0 || n >= 9 n > 0 && n < 3 n >= 3 && n < 5 n >= 5 && n < 9]"},
		// What cannot be told apart is one.
		{[]string{"n", "f"}, []string{"int64", "value"}, [][]typestate.Known{{{"n": "-1", "f": "nil"}}, {{"n": "1", "f": "nil"}}, {{"n": "1", "f": "nil"}}}, "[n >= 0 n < 0]"},
	} {
		var refs []Ref
		var parts [][]int
		for _, p := range c.parts {
			var part []int
			for _, k := range p {
				part = append(part, len(refs))
				refs = append(refs, Ref{Known: k})
			}
			parts = append(parts, part)
		}
		got, parts := conditions(refs, parts, c.params, c.types)
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v, expected %s", c.parts, got, c.want)
		}
		kinds := map[string]string{}
		for k, p := range c.params {
			kinds[p] = c.types[k]
		}
		for k, guard := range got {
			for n, part := range parts {
				for _, r := range part {
					if m := typestate.GuardHolds(guard, kinds, refs[r].Known); (m == typestate.MatchYes) != (k == n) {
						t.Errorf("%v: %s for %v: %v", c.parts, guard, refs[r].Known, m)
					}
				}
			}
		}
	}
}
