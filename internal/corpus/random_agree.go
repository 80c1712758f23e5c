// SPDX-License-Identifier: Apache-2.0

package corpus

// This file generates random components that every engine handles soon, for tests
// that compare engines by the ten thousand: one or two methods, few statements, and
// yet arguments that verdicts depend on, integer results, choices, several
// constructors, and values that are compared with later arguments. Most of what
// makes interfaces of equal components differ shows in three lines.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomAgree returns a component in the text form whose integers have width bits,
// the same for the same arguments. It always parses if width is at least 2.
func RandomAgree(seed int64, width int) string {
	g := &agreeGen{Rand: rand.New(rand.NewPCG(uint64(seed), 0xa9ee)), width: width}
	return g.component()
}

type agreeGen struct {
	*rand.Rand
	b     strings.Builder
	width int
	sites int
	ints  []string // expressions in scope
	bools []string
}

func (g *agreeGen) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *agreeGen) number() string { return fmt.Sprint(g.IntN(3) - 1) }

func (g *agreeGen) component() string {
	fmt.Fprintf(&g.b, "component Agree\nenum mode { off, low, high }\nstate m mode = off, f bool = %s, k int%d = %s\n",
		g.pick("false", "false", "any"), g.width, g.pick("0", "0", "1", "any"))
	switch g.IntN(6) {
	case 0:
		g.method("constructor New")
	case 1:
		g.method("constructor New")
		g.method("constructor Open")
	}
	for k := range 1 + g.IntN(3) {
		g.method("method " + letter(k))
	}
	return g.b.String()
}

func (g *agreeGen) method(head string) {
	g.ints, g.bools = []string{"k"}, []string{"f"}
	params, results := "", ""
	switch g.IntN(4) {
	case 0, 1:
		params, g.ints = fmt.Sprintf("p int%d", g.width), append(g.ints, "p", "p")
	case 2:
		params, g.bools = "b bool", append(g.bools, "b", "b")
	}
	switch g.IntN(4) {
	case 0:
		results = " (r bool)"
	case 1:
		results = fmt.Sprintf(" (r int%d)", g.width)
	case 2:
		if g.IntN(3) == 0 {
			results = fmt.Sprintf(" (r bool, v int%d)", g.width)
		}
	}
	fmt.Fprintf(&g.b, "%s(%s)%s {\n", head, params, results)
	if g.IntN(4) == 0 {
		fmt.Fprintf(&g.b, "\tvar h bool = %s\n", g.pick("choose", "any"))
		g.bools = append(g.bools, "h", "h")
	}
	failing := 3
	if strings.HasPrefix(head, "constructor") {
		failing = 1
	}
	if g.IntN(4) < failing {
		g.sites++
		fmt.Fprintf(&g.b, "\tif %s { error \"e%d\" }\n", g.condition(), g.sites)
	}
	for range 1 + g.IntN(3) {
		g.statement("\t", 1)
	}
	switch results {
	case "":
	case " (r bool)":
		fmt.Fprintf(&g.b, "\treturn %s\n", g.condition())
	default:
		value := g.pick(append(g.ints, g.number())...)
		if strings.Contains(results, "bool") {
			value = g.condition() + ", " + value
		}
		fmt.Fprintf(&g.b, "\treturn %s\n", value)
	}
	g.b.WriteString("}\n")
}

func (g *agreeGen) statement(in string, depth int) {
	switch n := g.IntN(12); {
	case n < 3 && depth > 0:
		fmt.Fprintf(&g.b, "%sif %s {\n", in, g.condition())
		g.statement(in+"\t", depth-1)
		if g.IntN(2) == 0 {
			fmt.Fprintf(&g.b, "%s} else {\n", in)
			g.statement(in+"\t", depth-1)
		}
		fmt.Fprintf(&g.b, "%s}\n", in)
	case n == 3:
		fmt.Fprintf(&g.b, "%sassume %s\n", in, g.condition())
	case n == 4:
		fmt.Fprintf(&g.b, "%sk = %s\n", in, g.pick("any", "choose"))
	case n == 5:
		g.sites++
		fmt.Fprintf(&g.b, "%sif %s { error \"e%d\" }\n", in, g.condition(), g.sites)
	case n < 8:
		fmt.Fprintf(&g.b, "%sm = %s\n", in, g.pick("off", "low", "high"))
	case n < 10:
		fmt.Fprintf(&g.b, "%sf = %s\n", in, g.pick("true", "false", "!f", g.condition()))
	default:
		fmt.Fprintf(&g.b, "%sk = %s\n", in, g.pick(append(g.ints, g.number(), g.number(), "k + 1")...))
	}
}

func (g *agreeGen) condition() string {
	atom := func() string {
		switch n := g.IntN(8); {
		case n < 2:
			return g.pick("", "!") + g.pick(g.bools...)
		case n < 5:
			left := g.ints[len(g.ints)-1]
			right := g.number()
			if left != "k" && g.IntN(3) == 0 {
				right = "k"
			}
			return left + g.pick(" == ", " != ", " < ", " <= ", " > ") + right
		}
		return "m" + g.pick(" == ", " != ") + g.pick("off", "low", "high")
	}
	if g.IntN(3) > 0 {
		return atom()
	}
	return atom() + g.pick(" && ", " || ") + atom()
}
