// SPDX-License-Identifier: Apache-2.0

package corpus

// This file checks the divisions in guards against those of the text form, which
// are total: all operands of three bits, signed and not, zero included.

import (
	"fmt"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

func TestDivide(t *testing.T) {
	for _, typ := range []string{"int3", "uint3"} {
		p, err := prog.Parse("d.open", []byte(fmt.Sprintf("component D\nmethod m(a %s, b %s) { }\n", typ, typ)), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		params := p.Method("m").Params
		for args := range prog.Tuples(params) {
			m := term.Model{params[0].Term: args[0], params[1].Term: args[1]}
			for _, op := range []string{"quo", "rem"} {
				for c := range prog.Values(params[0].Type) {
					text := fmt.Sprintf("%s(a, b) == %s", op, params[0].Type.FormatValue(c))
					cond, err := prog.ParseExpr(p, params, text)
					if err != nil {
						t.Fatal(err)
					}
					want := "yes"
					if !term.Holds(cond, m) {
						want = "no"
					}
					here := fmt.Sprintf("a == %s && b == %s", params[0].Type.FormatValue(args[0]), params[1].Type.FormatValue(args[1]))
					got := "no"
					if pairs, err := match([]guarded{{"in", here}, {"out", "!(" + here + ")"}}, []guarded{{"in", here + " && " + text}, {"out", "!(" + here + " && " + text + ")"}}, []string{"a", "b"}, []string{typ, typ}); err == nil && pairs["in"] == "in" {
						got = "yes"
					}
					if got != want {
						t.Fatalf("%s: %s at %s is %s, want %s", typ, text, here, got, want)
					}
				}
			}
		}
	}
}
