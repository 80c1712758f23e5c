// SPDX-License-Identifier: Apache-2.0

package corpus

// This file generates random components from a seed. Random makes programs
// that use every construct of the text form; RandomNFA makes small
// nondeterministic automata, cheap enough to make by the ten thousand, and
// keeps the table so that a test can decide by its own means. Both are
// generated as text, because text is what a failing test should print.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// RandomOptions bounds a random component. The zero value of a field means
// its default, chosen at random within small limits.
type RandomOptions struct {
	States  int // values of the main state variable: 2 to 6
	Methods int // 2 or 3
	Depth   int // nesting of statements: 2
	// Without leaves constructs out: "hidden", "environment", "results",
	// "params", "assume", "loops", "division", "constructors", "state".
	Without []string
}

// Random returns a component in the text form, the same for the same
// arguments. It always parses; its variables have few values, so that it can
// be explored exhaustively.
func Random(seed int64, opt RandomOptions) string {
	g := &gen{r: rand.New(rand.NewPCG(uint64(seed), 0x1f3a9c5b)), opt: opt}
	return g.component()
}

// A gen is the state of a generation.
type gen struct {
	r   *rand.Rand
	opt RandomOptions
	b   strings.Builder

	values  []string // of the main state variable q
	flag    bool     // a second state variable f
	bools   []string // variables in scope
	ints    []string // uint2 variables in scope
	result  string   // type of the method's result: "", "bool", "mood", "uint2" or "bool, uint2"
	loops   int      // loops of the current method
	inLoop  bool
	errors  int     // sites so far
	failing float64 // chance that a block ends in an error
}

func (g *gen) printf(format string, args ...any) { fmt.Fprintf(&g.b, format, args...) }

func (g *gen) with(what string, chance float64) bool {
	hit := g.r.Float64() < chance // drawn in any case: leaving one thing out changes little else
	return hit && !slices.Contains(g.opt.Without, what)
}

func (g *gen) pick(list []string) string { return list[g.r.IntN(len(list))] }

func (g *gen) component() string {
	g.printf("component Random\n")
	n := g.opt.States
	if n == 0 {
		n = 2 + g.r.IntN(5)
	}
	// The main state variable is an enum or a number; either way the values
	// that are assigned are the first n.
	enum := g.r.IntN(2) == 0
	for k := range n {
		if enum {
			g.values = append(g.values, fmt.Sprintf("s%d", k))
		} else {
			g.values = append(g.values, fmt.Sprint(k))
		}
	}
	if enum {
		g.printf("enum place { %s }\n", strings.Join(g.values, ", "))
	}
	g.printf("enum mood { calm, busy, gone }\n")
	if enum {
		g.printf("state q place = s0")
	} else {
		g.printf("state q uint3 = 0")
	}
	if g.flag = g.with("state", 0.4); g.flag {
		g.printf(", f bool = %s", g.pick([]string{"false", "true", "any"}))
	}
	g.printf("\n")
	if g.with("constructors", 0.3) {
		for k := range 1 + g.r.IntN(2) {
			g.method(fmt.Sprintf("constructor New%d", k))
		}
	}
	m := g.opt.Methods
	if m == 0 {
		m = 2 + g.r.IntN(2)
	}
	for k := range m {
		g.method("method " + string(rune('a'+k)))
	}
	return g.b.String()
}

func (g *gen) method(head string) {
	g.bools, g.ints, g.loops, g.failing = nil, nil, 0, 0.35
	if strings.HasPrefix(head, "constructor") {
		g.failing = 0.1 // a component that cannot be constructed tests little
	}
	if g.flag {
		g.bools = append(g.bools, "f")
	}
	params := ""
	if g.with("params", 0.3) {
		if g.r.IntN(2) == 0 {
			params, g.bools = "p bool", append(g.bools, "p")
		} else {
			params, g.ints = "p uint2", append(g.ints, "p")
		}
	}
	g.result = ""
	if g.with("results", 0.5) {
		g.result = g.pick([]string{"bool", "bool", "mood", "uint2", "bool, uint2"})
	}
	results := map[string]string{"": "", "bool": " (r bool)", "mood": " (r mood)", "uint2": " (r uint2)", "bool, uint2": " (r bool, v uint2)"}[g.result]
	g.printf("%s(%s)%s {\n", head, params, results)
	if g.with("hidden", 0.5) {
		g.printf("\tvar h bool = choose\n")
		g.bools = append(g.bools, "h")
	}
	if g.with("environment", 0.4) {
		g.printf("\tvar e bool = any\n")
		g.bools = append(g.bools, "e")
	}
	depth := g.opt.Depth
	if depth == 0 {
		depth = 2
	}
	// The places in turn, so that every call has something to say about each.
	rest := slices.Clone(g.values)
	g.r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	for len(rest) > 1 {
		n := 1 + g.r.IntN(len(rest)-1)
		var tests []string
		for _, v := range rest[:n] {
			tests = append(tests, "q == "+v)
		}
		g.printf("\tif %s {\n", strings.Join(tests, " || "))
		g.block(depth, "\t\t")
		g.printf("\t}\n")
		rest = rest[n:]
		if g.r.IntN(4) == 0 {
			break
		}
	}
	if g.r.IntN(3) > 0 {
		g.statement(depth, "\t")
	}
	g.give("\t")
	g.printf("}\n")
}

// block writes one to three statements; the last may end the call.
func (g *gen) block(depth int, in string) {
	for range 1 + g.r.IntN(2) {
		g.statement(depth, in)
	}
	switch x := g.r.Float64(); {
	case x < g.failing:
		g.errors++
		kind := g.pick([]string{"", "", "", "", "", "io ", ""})
		blame := ""
		if slices.Contains(g.bools, "e") && g.with("environment", 0.2) {
			blame = " environment"
		}
		g.printf("%serror %s\"e%d\"%s\n", in, kind, g.errors, blame)
	case x < g.failing+0.35:
		g.give(in)
	}
}

func (g *gen) statement(depth int, in string) {
	kind := g.r.IntN(12)
	if depth == 0 && kind < 4 {
		kind += 4
	}
	switch {
	case kind < 3:
		g.printf("%sif %s {\n", in, g.condition())
		g.block(depth-1, in+"\t")
		if g.r.IntN(2) == 0 {
			g.printf("%s} else {\n", in)
			g.block(depth-1, in+"\t")
		}
		g.printf("%s}\n", in)
	case kind == 3 && g.with("loops", 1):
		g.loop(depth, in)
	case kind == 4 && g.with("assume", 1):
		g.printf("%sassume %s\n", in, g.condition())
	case kind == 5 && g.flag:
		g.printf("%sf = %s\n", in, g.condition())
	case kind == 6 && g.with("division", 0.3) && len(g.ints) > 0:
		g.printf("%sif 2/%s == 1 { q = %s }\n", in, g.pick(g.ints), g.pick(g.values))
	case kind == 7 && g.inLoop:
		g.printf("%s%s\n", in, g.pick([]string{"break", "continue"}))
	case kind == 8 && g.with("hidden", 0.5):
		// A hidden jump between two places.
		a, b := g.pick(g.values), g.pick(g.values)
		g.printf("%sq = choose\n%sassume q == %s || q == %s\n", in, in, a, b)
	default:
		g.printf("%sq = %s\n", in, g.pick(g.values))
	}
}

// loop writes a loop that counts, one that waits, or one that ends by a choice.
func (g *gen) loop(depth int, in string) {
	was := g.inLoop
	g.inLoop = true
	defer func() { g.inLoop = was }()
	g.loops++
	i := fmt.Sprintf("i%d", g.loops)
	switch g.r.IntN(3) {
	case 0:
		g.printf("%svar %s uint2 = 0\n%swhile %s < %d {\n%s\t%s++\n", in, i, in, i, 1+g.r.IntN(3), in, i)
		g.ints = append(g.ints, i)
		g.block(depth-1, in+"\t")
		g.ints = slices.DeleteFunc(g.ints, func(s string) bool { return s == i })
		g.printf("%s}\n", in)
	case 1:
		g.printf("%swhile %s { q = %s }\n", in, g.condition(), g.pick(g.values))
	default:
		g.printf("%swhile {\n%s\tif %s { break }\n", in, in, g.condition())
		g.block(depth-1, in+"\t")
		g.printf("%s}\n", in)
	}
}

func (g *gen) condition() string {
	atom := func() string {
		switch x := g.r.IntN(4); {
		case x < 2 && len(g.bools) > 0:
			return g.pick([]string{"", "!"}) + g.pick(g.bools)
		case x == 2 && len(g.ints) > 0:
			return g.pick(g.ints) + g.pick([]string{" < 1", " == 2", " != 3", " > 1", "%2 == 1"})
		}
		return "q" + g.pick([]string{" == ", " != "}) + g.pick(g.values)
	}
	if g.r.IntN(3) > 0 {
		return atom()
	}
	return atom() + g.pick([]string{" && ", " || "}) + atom()
}

// give writes a return statement.
func (g *gen) give(in string) {
	number := func() string {
		if len(g.ints) > 0 && g.r.IntN(2) == 0 {
			return g.pick(g.ints)
		}
		return fmt.Sprint(g.r.IntN(4))
	}
	switch g.result {
	case "":
		g.printf("%sreturn\n", in)
	case "bool":
		g.printf("%sreturn %s\n", in, g.condition())
	case "mood":
		g.printf("%sreturn %s\n", in, g.pick([]string{"calm", "busy", "gone"}))
	case "uint2":
		g.printf("%sreturn %s\n", in, number())
	default:
		g.printf("%sreturn %s, %s\n", in, g.condition(), number())
	}
}

// NFAOptions bounds a random automaton. The zero value of a field means its
// default.
type NFAOptions struct {
	States  int     // 4
	Letters int     // 2
	Error   float64 // chance that a letter may err in a state: 0.25
	Branch  float64 // chance of each further successor: 0.35
	Stuck   float64 // chance that a letter has no successor and no error there: 0
	Results bool    // each successor comes with a result, true or false
}

// An NFA is a component with one method a, b, ... per letter and no data but
// its state. It starts in state 0.
type NFA struct {
	States, Letters int
	Results         bool
	// Next lists, by state and letter, the possible successors in rising
	// order: the state, or with Results twice the state, plus one for true.
	Next [][][]int
	Err  [][]bool // by state and letter: some run errs
}

// RandomNFA returns a random automaton, the same for the same arguments.
func RandomNFA(seed int64, opt NFAOptions) *NFA {
	set := func(x *float64, d float64) {
		if *x == 0 {
			*x = d
		}
	}
	set(&opt.Error, 0.25)
	set(&opt.Branch, 0.35)
	if opt.States == 0 {
		opt.States = 4
	}
	if opt.Letters == 0 {
		opt.Letters = 2
	}
	r := rand.New(rand.NewPCG(uint64(seed), 0x9e3779b9))
	n := &NFA{States: opt.States, Letters: opt.Letters, Results: opt.Results}
	targets := opt.States
	if opt.Results {
		targets *= 2
	}
	for range opt.States {
		var next [][]int
		var errs []bool
		for range opt.Letters {
			bad := r.Float64() < opt.Error
			var to []int
			switch {
			case bad && r.IntN(2) == 0: // errs only
			case !bad && r.Float64() < opt.Stuck: // never returns
			default:
				to = append(to, r.IntN(targets))
				for len(to) < 4 && r.Float64() < opt.Branch {
					to = append(to, r.IntN(targets))
				}
				slices.Sort(to)
				to = slices.Compact(to)
			}
			next, errs = append(next, to), append(errs, bad)
		}
		n.Next, n.Err = append(n.Next, next), append(n.Err, errs)
	}
	return n
}

// Source is the automaton as a component in the text form.
func (n *NFA) Source() string {
	var b strings.Builder
	b.WriteString("component NFA\nenum place { ")
	for s := range n.States {
		if s > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "q%d", s)
	}
	b.WriteString(" }\nstate q place = q0\n")
	for l := range n.Letters {
		if n.Results {
			fmt.Fprintf(&b, "method %s() (r bool) {\n\tvar t place = choose\n\tr = choose\n", letter(l))
		} else {
			fmt.Fprintf(&b, "method %s() {\n\tvar t place = choose\n", letter(l))
		}
		for s := range n.States {
			fmt.Fprintf(&b, "\tif q == q%d {\n", s)
			if n.Err[s][l] {
				if len(n.Next[s][l]) == 0 {
					fmt.Fprintf(&b, "\t\terror \"%s in q%d\"\n\t}\n", letter(l), s)
					continue
				}
				fmt.Fprintf(&b, "\t\tvar bad%d bool = choose\n\t\tif bad%d { error \"%s in q%d\" }\n", s, s, letter(l), s)
			}
			var tests []string
			for _, to := range n.Next[s][l] {
				switch {
				case !n.Results:
					tests = append(tests, fmt.Sprintf("t == q%d", to))
				case to%2 == 1:
					tests = append(tests, fmt.Sprintf("t == q%d && r", to/2))
				default:
					tests = append(tests, fmt.Sprintf("t == q%d && !r", to/2))
				}
			}
			if len(tests) == 0 {
				tests = []string{"false"}
			}
			fmt.Fprintf(&b, "\t\tassume %s\n\t\tq = t\n\t\treturn", strings.Join(tests, " || "))
			if n.Results {
				b.WriteString(" r")
			}
			b.WriteString("\n\t}\n")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// letter names a method: a to z, then m26 and so on.
func letter(l int) string {
	if l < 26 {
		return string(rune('a' + l))
	}
	return fmt.Sprintf("m%d", l)
}
