// SPDX-License-Identifier: Apache-2.0

package corpus

// This file generates random components whose verdicts depend on arguments: of
// the call itself, of earlier calls (a condition on an argument is remembered, or
// the argument itself, in few bits), of constructors, and on combinations of
// these. Arguments have so few values that all can be tried.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomGuarded returns a component in the text form, the same for the same
// seed. It always parses.
func RandomGuarded(seed int64) string {
	g := &guardedGen{r: rand.New(rand.NewPCG(uint64(seed), 0x6a7d))}
	return g.component()
}

type guardedGen struct {
	r    *rand.Rand
	b    strings.Builder
	site int
	ints []string // int3 expressions over the parameters of the current method
	bits []string // bool ones
}

func (g *guardedGen) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *guardedGen) component() string {
	g.b.WriteString("component Guarded\nenum mode { off, low, high }\nstate m mode = off, f bool = false, u bool = false, k int3 = 0, z uint2 = 0\n")
	if g.r.IntN(3) == 0 {
		g.method("constructor New", 1)
	}
	for i := range 2 + g.r.IntN(2) {
		g.method(fmt.Sprintf("method m%d", i), 2)
	}
	return g.b.String()
}

// method writes a method with so many chances to fail.
func (g *guardedGen) method(head string, chances int) {
	var params []string
	g.ints, g.bits = nil, nil
	switch g.r.IntN(4) {
	case 0:
		params = []string{"p int3"}
		g.ints = []string{"p"}
	case 1:
		params = []string{"p int3", "q int3"}
		g.ints = []string{"p", "q", "(p + q)", "(p - q)"}
	case 2:
		params = []string{"p int3", "b bool"}
		g.ints, g.bits = []string{"p"}, []string{"b", "!b"}
	}
	result := ""
	if strings.HasPrefix(head, "method") {
		result = g.pick("", "", " (ok bool)", " (r int3)")
	}
	fmt.Fprintf(&g.b, "%s(%s)%s {\n", head, strings.Join(params, ", "), result)
	if g.r.IntN(4) == 0 {
		fmt.Fprintf(&g.b, "\tvar h bool = %s\n", g.pick("choose", "any"))
		g.bits = append(g.bits, "h")
	}
	for range chances {
		if g.r.IntN(3) > 0 {
			g.site++
			fmt.Fprintf(&g.b, "\tif %s%s { error \"e%d\" }\n", g.condition(), g.pick("", " && "+g.condition(), " || "+g.condition()), g.site)
		}
	}
	for range 1 + g.r.IntN(3) {
		fmt.Fprintf(&g.b, "\t%s\n", g.update())
	}
	switch result {
	case " (ok bool)":
		fmt.Fprintf(&g.b, "\treturn %s\n", g.condition())
	case " (r int3)":
		fmt.Fprintf(&g.b, "\treturn %s\n", g.pick(append(g.ints, "k", "1")...))
	}
	g.b.WriteString("}\n")
}

// condition is one over arguments, state, or both.
func (g *guardedGen) condition() string {
	state := []string{"f", "!f", "u", "!u", "m == off", "m == low", "m != high", "k == 0", "k < 2", "z == 1"}
	switch x := g.r.IntN(8); {
	case x < 4 && len(g.ints) > 0:
		v := g.pick(g.ints...)
		return g.pick(
			fmt.Sprintf("%s %s %d", v, g.pick("<", "<=", "==", "!=", ">", ">="), g.r.IntN(6)-3),
			fmt.Sprintf("%s %% 2 == %d", v, g.r.IntN(2)),
			fmt.Sprintf("%s & %d == 0", v, 1+g.r.IntN(3)),
			fmt.Sprintf("(%s > %d) == %s", v, g.r.IntN(3)-1, g.pick("f", "u")),
			fmt.Sprintf("%s %s k", v, g.pick("<", "==", ">=")))
	case x < 5 && len(g.bits) > 0:
		return g.pick(append(g.bits, g.pick(g.bits...)+" == f")...)
	}
	return g.pick(state...)
}

func (g *guardedGen) update() string {
	list := []string{"m = " + g.pick("off", "low", "high"), "f = " + g.pick("true", "false", "!f"), "k = " + g.pick("0", "1", "-1"),
		fmt.Sprintf("if %s { m = %s } else { f = %s }", g.condition(), g.pick("off", "low", "high"), g.pick("true", "false")),
		"f = " + g.condition(), "u = " + g.condition()}
	if len(g.ints) > 0 {
		v := g.pick(g.ints...)
		list = append(list, "u = "+g.condition(), fmt.Sprintf("if %s > %d { m = low }", v, g.r.IntN(3)-1), fmt.Sprintf("z = uint2(%s)", v))
		if g.r.IntN(3) == 0 {
			list = append(list, "k = "+v)
		}
	}
	return g.pick(list...)
}
