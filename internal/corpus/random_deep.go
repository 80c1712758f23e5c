// SPDX-License-Identifier: Apache-2.0

package corpus

// This file generates random components whose verdicts change late: a call errs, or begins to, only after many others.
// What is right for all short words is often wrong for long ones.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomDeep returns a component in the text form with two counters of width bits, the same for the same arguments. It
// always parses if width is at least 2.
func RandomDeep(seed int64, width int) string {
	g := &deepGen{Rand: rand.New(rand.NewPCG(uint64(seed), 0xdee9)), width: width}
	return g.component()
}

type deepGen struct {
	*rand.Rand
	b     strings.Builder
	width int
	sites int
}

func (g *deepGen) pick(list ...string) string { return list[g.IntN(len(list))] }

// limit is a value that a counter takes some calls to reach.
func (g *deepGen) limit() int { return 1 + g.IntN(1<<g.width-1) }

func (g *deepGen) component() string {
	fmt.Fprintf(&g.b, "component Deep\nstate n, m uint%d, on bool = %s\n", g.width, g.pick("false", "false", "true"))
	if g.IntN(3) == 0 {
		fmt.Fprintf(&g.b, "constructor New(b bool) {\n\tif b { n = %d }\n}\n", g.limit())
	}
	g.method("step")
	for k := range 1 + g.IntN(3) {
		g.method(letter(k))
	}
	return g.b.String()
}

func (g *deepGen) method(name string) {
	param, given := "", ""
	if g.IntN(3) == 0 {
		param, given = "b bool", g.pick("b", "!b")
	}
	result, value := "", ""
	switch g.IntN(4) {
	case 0:
		result, value = " (ok bool)", g.condition()
	case 1:
		result, value = fmt.Sprintf(" (r uint%d)", g.width), g.pick("n", "m", "1")
	}
	fmt.Fprintf(&g.b, "method %s(%s)%s {\n", name, param, result)
	if g.IntN(8) == 0 {
		fmt.Fprint(&g.b, "\tvar h bool = choose\n")
		given = "h"
	}
	if name != "step" || g.IntN(3) == 0 {
		g.sites++
		fmt.Fprintf(&g.b, "\tif %s { error \"e%d\" }\n", g.condition(), g.sites)
	}
	if name == "step" {
		fmt.Fprintf(&g.b, "\tn = n + %d\n", 1+g.IntN(3))
	}
	for range g.IntN(3) {
		g.statement(given)
	}
	if result != "" {
		fmt.Fprintf(&g.b, "\treturn %s\n", value)
	}
	g.b.WriteString("}\n")
}

func (g *deepGen) statement(given string) {
	change := g.pick("n = n + 1", "m = m + 1", "m = m + 2", "n = 0", "m = n", "on = true", "on = !on", "on = "+g.condition())
	switch {
	case given != "" && g.IntN(2) == 0:
		fmt.Fprintf(&g.b, "\tif %s { %s }\n", given, change)
	case g.IntN(3) == 0:
		fmt.Fprintf(&g.b, "\tif %s { %s }\n", g.condition(), change)
	case g.IntN(12) == 0:
		fmt.Fprintf(&g.b, "\tassume %s\n", g.condition())
	default:
		fmt.Fprintf(&g.b, "\t%s\n", change)
	}
}

// condition tells few values of the counters from the many others.
func (g *deepGen) condition() string {
	switch n := g.IntN(8); {
	case n < 2:
		return g.pick("on", "!on")
	case n < 5:
		return fmt.Sprintf("%s == %d", g.pick("n", "m"), g.limit())
	case n < 7:
		return fmt.Sprintf("%s > %d", g.pick("n", "m"), g.limit())
	}
	return "m" + g.pick(" == ", " > ") + "n"
}
