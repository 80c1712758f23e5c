// SPDX-License-Identifier: Apache-2.0

package corpus

// This file generates random components whose calls count in loops: up and down, in steps of one to four, towards a bound or a value
// that they may step over, in loops inside loops, from constants, from the state and from arguments. Many of them diverge, for
// some states and arguments or for all. The width of the integers is a parameter and changes nothing else in the text.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomLoops returns a component in the text form whose integers have width bits, the same for the same arguments. It always
// parses.
//
// It panics if width is below MinWidth: its constants would not fit.
func RandomLoops(seed int64, width int) string {
	if width < MinWidth {
		panic(fmt.Sprintf("corpus.RandomLoops: %d bits, want at least %d", width, MinWidth))
	}
	g := &loopGen{r: rand.New(rand.NewPCG(uint64(seed), 0x100f5)), width: width}
	return g.component()
}

// A loopGen is the state of a generation.
type loopGen struct {
	r      *rand.Rand
	width  int
	b      strings.Builder
	signed bool
	scope  []string // integers that can be read
	names  int      // of locals
	sites  int
}

func (g *loopGen) printf(format string, args ...any) { fmt.Fprintf(&g.b, format, args...) }

func (g *loopGen) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *loopGen) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *loopGen) typ() string {
	if g.signed {
		return fmt.Sprintf("int%d", g.width)
	}
	return fmt.Sprintf("uint%d", g.width)
}

func (g *loopGen) component() string {
	g.signed = g.chance(50)
	g.printf("component Loops\nstate n %s = %s, on bool = %s\n", g.typ(), g.constant(), g.pick("false", "true"))
	if g.chance(15) {
		g.scope = []string{"n", "k"}
		g.printf("constructor New(k %s) {\n\tn = %s\n}\n", g.typ(), g.pick("k", "1", "0"))
	}
	g.printf("method turn() {\n\t%s\n}\n", g.pick("n = n + 1", "n = n + 2", "n = 3 - n", "n = 0", "on = !on", "n = n - 2 - 2"))
	for m := range 1 + g.r.IntN(2) {
		g.method(m)
	}
	return g.b.String()
}

func (g *loopGen) method(m int) {
	g.scope = []string{"n"}
	params, results := "", ""
	if g.chance(35) {
		params = "k " + g.typ()
		g.scope = append(g.scope, "k")
	}
	if g.chance(25) {
		results = " (ok bool)"
	}
	g.printf("method m%d(%s)%s {\n", m, params, results)
	if g.chance(20) {
		g.printf("\tif %s { %s }\n", g.pick("on", "!on"), g.site())
	}
	g.loop(1, "\t")
	switch {
	case g.chance(50):
		g.printf("\t%s\n", g.site())
	case g.chance(60):
		g.printf("\tif %s { %s }\n", g.pick("on", "!on", g.test(g.scope[len(g.scope)-1])), g.site())
	}
	if g.chance(20) {
		g.printf("\ton = %s\n", g.pick("true", "false"))
	}
	if results != "" {
		g.printf("\tok = %s\n", g.pick("on", "true", "n == 0"))
	}
	g.printf("}\n")
}

func (g *loopGen) site() string {
	g.sites++
	return fmt.Sprintf("error \"e%d\"", g.sites)
}

// constant fits MinWidth bits, with and without a sign.
func (g *loopGen) constant() string { return g.pick("0", "0", "1", "2", "3") }

func (g *loopGen) value() string {
	if g.chance(50) {
		return g.constant()
	}
	return g.pick(g.scope...)
}

func (g *loopGen) test(v string) string {
	return v + g.pick(" == ", " != ", " < ", " > ", " <= ", " >= ") + g.constant()
}

// loop writes a loop over a counter of its own or over the state.
func (g *loopGen) loop(nested int, in string) {
	v := "n"
	if g.chance(80) {
		g.names++
		v = fmt.Sprintf("i%d", g.names)
		g.printf("%svar %s %s = %s\n", in, v, g.typ(), g.value())
	}
	bound := g.value()
	if bound == v {
		bound = "0"
	}
	up := g.chance(50)
	op := g.pick(" != ", " != ", " > ", " >= ")
	if up {
		op = g.pick(" != ", " != ", " < ", " <= ")
	}
	g.printf("%swhile %s%s%s {\n", in, v, op, bound)
	if v != "n" {
		g.scope = append(g.scope, v)
	}
	switch x := g.r.IntN(12); {
	case nested > 0 && x < 3:
		scope := len(g.scope)
		g.loop(nested-1, in+"\t")
		g.scope = g.scope[:scope]
	case x == 3:
		g.printf("%s\tif %s { %s }\n", in, g.test(v), g.site())
	case x == 4:
		g.printf("%s\tif %s { return }\n", in, g.test(v))
	case x == 5:
		g.printf("%s\tif %s { break }\n", in, g.test(v))
	case x == 6:
		g.printf("%s\ton = %s\n", in, g.pick("!on", "true"))
	}
	sign := map[bool]string{true: " + ", false: " - "}[up]
	step := v + " = " + v + sign + g.pick("1", "1", "2", "2", "3", "2"+sign+"2")
	switch g.r.IntN(10) {
	case 0:
		g.printf("%s\tif on { %s } else { %s = %s%s1 }\n", in, step, v, v, sign)
	case 1:
		g.names++
		g.printf("%s\tvar c%d bool = %s\n%s\tif c%d { %s }\n", in, g.names, g.pick("any", "choose"), in, g.names, step)
	default:
		g.printf("%s\t%s\n", in, step)
	}
	g.printf("%s}\n", in)
}
