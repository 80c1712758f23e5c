// SPDX-License-Identifier: Apache-2.0

package corpus

// This file makes random components that compare arguments with values they were
// given earlier: what interfaces need registers for. Integers have five bits, which
// is more than are told apart one by one and few enough for the interpreter.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomRegisters returns the source of a random component with the given seed.
func RandomRegisters(seed uint64) string {
	g := &registerGen{Rand: rand.New(rand.NewPCG(seed, 77))}
	g.vars = []string{"a", "b"}[:1+g.IntN(2)]
	var b strings.Builder
	fmt.Fprintf(&b, "component R%d\n", seed)
	for _, v := range g.vars {
		init := []string{"0", "0", "3", "7", "any"}[g.IntN(5)]
		fmt.Fprintf(&b, "state %s %s = %s\n", v, registerType, init)
	}
	b.WriteString("state on bool\n")
	if g.IntN(3) == 0 {
		fmt.Fprintf(&b, "constructor New(x %s) {\n", registerType)
		g.params, g.results = []string{"x"}, nil
		g.block(&b, 1, 1)
		b.WriteString("}\n")
	}
	for k := range 2 + g.IntN(2) {
		g.params, g.results = nil, nil
		signature := ""
		if g.IntN(4) > 0 {
			g.params, signature = []string{"x"}, "x "+registerType
		}
		results := ""
		switch g.IntN(5) {
		case 0:
			g.results, results = []string{"r"}, " (r "+registerType+")"
		case 1:
			results = " (ok bool)"
		}
		fmt.Fprintf(&b, "method m%d(%s)%s {\n", k, signature, results)
		g.block(&b, 1, 2)
		if results == " (ok bool)" {
			fmt.Fprintf(&b, "\tok = %s\n", g.cond())
		}
		b.WriteString("}\n")
	}
	return b.String()
}

const registerType = "int5"

type registerGen struct {
	*rand.Rand
	vars, params, results []string
}

func (g *registerGen) pick(list []string) string { return list[g.IntN(len(list))] }

// value is an integer expression.
func (g *registerGen) value() string {
	switch n := g.IntN(10); {
	case n < 4 && len(g.params) > 0:
		return g.pick(g.params)
	case n < 8:
		return g.pick(g.vars)
	case n == 8:
		return fmt.Sprint(g.IntN(4))
	}
	if len(g.params) > 0 && g.IntN(2) == 0 {
		return g.pick(g.params) + " + 1"
	}
	return g.pick(g.vars) + " + 1"
}

// cond compares an argument with what was remembered, mostly.
func (g *registerGen) cond() string {
	ops := []string{"==", "!=", "<", "<=", ">", ">="}
	switch n := g.IntN(10); {
	case n < 6 && len(g.params) > 0:
		return g.pick(g.params) + " " + g.pick(ops) + " " + g.pick(g.vars)
	case n < 7:
		return g.value() + " " + g.pick(ops) + " " + g.value()
	case n < 8:
		return "!on"
	}
	return "on"
}

func (g *registerGen) block(b *strings.Builder, indent, depth int) {
	tabs := strings.Repeat("\t", indent)
	for range 1 + g.IntN(2) {
		switch n := g.IntN(12); {
		case n < 5 && depth > 0:
			fmt.Fprintf(b, "%sif %s {\n", tabs, g.cond())
			if g.IntN(2) == 0 {
				fmt.Fprintf(b, "%s\terror \"e\"\n", tabs)
			} else {
				g.block(b, indent+1, depth-1)
			}
			if g.IntN(3) == 0 {
				fmt.Fprintf(b, "%s} else {\n", tabs)
				g.block(b, indent+1, depth-1)
			}
			fmt.Fprintf(b, "%s}\n", tabs)
		case n < 8:
			fmt.Fprintf(b, "%s%s = %s\n", tabs, g.pick(g.vars), g.value())
		case n == 8:
			fmt.Fprintf(b, "%son = %s\n", tabs, g.pick([]string{"true", "false", "!on"}))
		case n == 9 && len(g.results) > 0:
			v := g.pick(g.vars)
			fmt.Fprintf(b, "%s%s = any\n%sr = %s\n", tabs, v, tabs, v)
		case n == 10 && len(g.results) > 0:
			fmt.Fprintf(b, "%sr = %s\n", tabs, g.value())
		case n == 11 && g.IntN(4) == 0:
			fmt.Fprintf(b, "%s%s = %s\n", tabs, g.pick(g.vars), g.pick([]string{"any", "choose"}))
		default:
			fmt.Fprintf(b, "%sif %s { error \"f\" }\n", tabs, g.cond())
		}
	}
}
