// SPDX-License-Identifier: Apache-2.0

package corpus

// This file generates random components of the size of a small class: three to
// six state variables of mixed types, three to six methods with arguments and
// results, loops in about half of them, choices of both kinds. The width of the
// integers is a parameter and changes nothing else in the text, so that a
// component can be explored exhaustively at a few bits and given to the
// engines for wide integers at many. Random, in another file, makes smaller
// components of stranger shapes; a single generator with the knobs of both
// would have been hard to keep at one distribution.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// MinWidth is the least width at which a random program means the same as at
// any other, up to wrap-around: its constants fit.
const MinWidth = 3

// RandomProgram returns a component in the text form whose integers have width
// bits, the same for the same arguments. It always parses.
//
// It panics if width is below MinWidth.
func RandomProgram(seed int64, width int) string {
	if width < MinWidth {
		panic(fmt.Sprintf("corpus.RandomProgram: %d bits, want at least %d", width, MinWidth))
	}
	w := &writer{r: rand.New(rand.NewPCG(uint64(seed), 0x51a7e)), width: width}
	return w.component()
}

// A writer is the state of the generation of a program.
type writer struct {
	r     *rand.Rand
	width int
	b     strings.Builder

	enum    []string // values of the enum
	state   []scalar
	scope   []scalar // variables that can be read
	results []string // types of the results
	loops   int      // still to be written in this method
	names   int      // of locals
	sites   int
}

// A scalar is a variable and its type: bool, phase, int or uint.
type scalar struct{ name, typ string }

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

func (w *writer) chance(percent int) bool { return w.r.IntN(100) < percent }

func (w *writer) pick(list ...string) string { return list[w.r.IntN(len(list))] }

// spell is a type in the text: integers get their width.
func (w *writer) spell(typ string) string {
	if typ == "int" || typ == "uint" {
		return fmt.Sprint(typ, w.width)
	}
	return typ
}

func (w *writer) component() string {
	w.printf("component Program\n")
	w.enum = []string{"new", "open", "busy", "gone"}[:2+w.r.IntN(3)]
	w.printf("enum phase { %s }\n", strings.Join(w.enum, ", "))
	// One of each kind, then any; three integers at most, so that few bits can
	// be explored.
	kinds := []string{"bool", "phase", w.pick("int", "int", "uint")}
	for range w.r.IntN(4) {
		kinds = append(kinds, w.pick("bool", "bool", "phase", "int", "uint"))
	}
	integers := 0
	for k, typ := range kinds {
		if typ == "int" || typ == "uint" {
			if integers++; integers > 3 {
				typ = "bool"
			}
		}
		w.state = append(w.state, scalar{fmt.Sprintf("%c%d", typ[0], k), typ})
	}
	for k, v := range w.state {
		init := w.constant(v.typ)
		if w.chance(10) {
			init = "any"
		}
		w.printf("%s%s %s = %s", []string{"state ", ", "}[min(k, 1)], v.name, w.spell(v.typ), init)
	}
	w.printf("\n")
	if w.chance(40) {
		for k := range 1 + w.r.IntN(2) {
			w.method(fmt.Sprintf("constructor New%d", k), true, 0)
		}
	}
	n := 3 + w.r.IntN(4)
	looping := map[int]int{}
	if w.chance(50) {
		for range 1 + w.r.IntN(2) {
			looping[w.r.IntN(n)]++
		}
	}
	for k := range n {
		w.method("method "+letter(k), false, looping[k])
	}
	return w.b.String()
}

func (w *writer) method(head string, constructor bool, loops int) {
	w.scope, w.loops, w.results = slices.Clone(w.state), loops, nil
	var params, results []string
	if w.chance(35) {
		for k := range 1 + w.r.IntN(5)/4 {
			v := scalar{fmt.Sprintf("a%d", k), w.pick("bool", "int", "int", "uint", "phase")}
			params = append(params, v.name+" "+w.spell(v.typ))
			w.scope = append(w.scope, v)
		}
	}
	if w.chance(55) {
		switch w.r.IntN(10) {
		case 0, 1, 2, 3, 4:
			w.results = []string{"bool"}
		case 5, 6:
			w.results = []string{"phase"}
		case 7, 8:
			w.results = []string{w.pick("int", "uint")}
		default:
			w.results = []string{"bool", "int"}
		}
	}
	for k, typ := range w.results {
		results = append(results, fmt.Sprintf("r%d %s", k, w.spell(typ)))
	}
	w.printf("%s(%s)", head, strings.Join(params, ", "))
	if len(results) > 0 {
		w.printf(" (%s)", strings.Join(results, ", "))
	}
	w.printf(" {\n")
	if w.chance(25) {
		w.local("\t", "bool", "choose")
	}
	if w.chance(25) {
		w.local("\t", "bool", "any")
	}
	if w.chance(12) {
		w.local("\t", w.pick("int", "uint", "phase"), w.pick("any", "any", "choose"))
	}
	// What the call asks of its client comes first, as it does in most code.
	failing := 65
	if constructor {
		failing = 20
	}
	if w.chance(failing) {
		w.printf("\tif %s { %s }\n", w.condition(), w.site())
	}
	for k := range 1 + w.r.IntN(3) {
		if w.loops > 0 && (k > 0 || w.chance(50)) {
			w.loop(1, "\t")
		}
		w.statement(2, "\t")
	}
	for w.loops > 0 {
		w.loop(1, "\t")
	}
	w.give("\t")
	w.printf("}\n")
}

func (w *writer) local(in, typ, value string) scalar {
	w.names++
	v := scalar{fmt.Sprintf("x%d", w.names), typ}
	w.printf("%svar %s %s = %s\n", in, v.name, w.spell(typ), value)
	w.scope = append(w.scope, v)
	return v
}

func (w *writer) site() string {
	w.sites++
	return fmt.Sprintf("error %s\"e%d\"", w.pick("", "", "", "io "), w.sites)
}

// statement writes one statement, nested at most depth times more.
func (w *writer) statement(depth int, in string) {
	switch x := w.r.IntN(20); {
	case depth > 0 && x < 6:
		w.branch(depth, in)
	case x == 6:
		w.printf("%sif %s { %s }\n", in, w.condition(), w.site())
	case x == 7:
		v := w.state[w.r.IntN(len(w.state))]
		w.printf("%s%s = %s\n", in, v.name, w.pick("any", "choose"))
		if w.chance(60) && v.typ != "bool" {
			w.printf("%sassume %s\n", in, w.atom(v))
		}
	case x == 8 && w.chance(40):
		w.printf("%sassume %s\n", in, w.condition())
	default:
		w.assign(in)
	}
}

func (w *writer) branch(depth int, in string) {
	w.printf("%sif %s {\n", in, w.condition())
	w.inner(depth, in)
	switch {
	case w.chance(20):
		w.give(in + "\t")
		w.printf("%s}\n", in)
	case w.chance(50):
		w.printf("%s} else {\n", in)
		w.inner(depth, in)
		w.printf("%s}\n", in)
	default:
		w.printf("%s}\n", in)
	}
}

// inner writes the statements of a block.
func (w *writer) inner(depth int, in string) {
	scope := len(w.scope)
	for range 1 + w.r.IntN(2) {
		w.statement(depth-1, in+"\t")
	}
	w.scope = w.scope[:scope]
}

func (w *writer) assign(in string) {
	v := w.state[w.r.IntN(len(w.state))]
	switch {
	case v.typ == "bool":
		w.printf("%s%s = %s\n", in, v.name, w.pick("true", "false", "true", "false", w.condition()))
	case v.typ == "phase":
		w.printf("%s%s = %s\n", in, v.name, w.value("phase"))
	case w.chance(30):
		w.printf("%s%s%s\n", in, v.name, w.pick("++", "--"))
	default:
		w.printf("%s%s = %s\n", in, v.name, w.value(v.typ))
	}
}

// loop writes a loop: one that counts, one that runs while a condition holds, or
// one that a choice ends; some with a loop inside.
func (w *writer) loop(nested int, in string) {
	w.loops--
	scope := len(w.scope)
	defer func() { w.scope = w.scope[:scope] }()
	inside := func() {
		if nested > 0 && w.chance(20) {
			w.loops++
			w.loop(nested-1, in+"\t")
		} else {
			w.statement(1, in+"\t")
		}
	}
	switch w.r.IntN(3) {
	case 0:
		i := w.local(in, "int", "0")
		bound := w.constant("int")
		if w.chance(60) {
			bound = w.variable("int", bound)
		}
		if bound == i.name {
			bound = "2"
		}
		w.printf("%swhile %s < %s {\n%s\t%s++\n", in, i.name, bound, in, i.name)
		inside()
		w.printf("%s}\n", in)
	case 1:
		v := w.state[w.r.IntN(len(w.state))]
		w.printf("%swhile %s {\n", in, w.atom(v))
		if v.typ == "int" || v.typ == "uint" {
			w.printf("%s\t%s%s\n", in, v.name, w.pick("++", "--"))
		} else {
			w.printf("%s\t%s = %s\n", in, v.name, w.constant(v.typ))
		}
		inside()
		w.printf("%s}\n", in)
	default:
		w.printf("%swhile {\n", in)
		e := w.local(in+"\t", "bool", w.pick("any", "any", "choose"))
		w.printf("%s\tif %s { break }\n", in, e.name)
		inside()
		w.printf("%s}\n", in)
	}
}

// constant is a literal; those of integers fit MinWidth bits.
func (w *writer) constant(typ string) string {
	switch typ {
	case "bool":
		return w.pick("false", "true")
	case "phase":
		return w.pick(w.enum...)
	case "int":
		return w.pick("0", "0", "1", "2", "3", "-1")
	}
	return w.pick("0", "0", "1", "2", "3")
}

// variable is a variable in scope of the type, or what is given if there is none.
func (w *writer) variable(typ, otherwise string) string {
	var names []string
	for _, v := range w.scope {
		if v.typ == typ {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return otherwise
	}
	return w.pick(names...)
}

// value is an expression of an enum or integer type.
func (w *writer) value(typ string) string {
	c := w.constant(typ)
	if w.chance(75) {
		return c
	}
	v := w.variable(typ, "")
	switch {
	case v == "":
		return c
	case typ == "phase" || w.chance(60):
		return v
	}
	return v + w.pick(" + ", " - ") + w.pick("1", "2")
}

// atom is a condition about a variable.
func (w *writer) atom(v scalar) string {
	switch v.typ {
	case "bool":
		return w.pick("", "!") + v.name
	case "phase":
		return v.name + w.pick(" == ", " != ") + w.pick(w.enum...)
	}
	right := w.constant(v.typ)
	if w.chance(15) {
		if other := w.variable(v.typ, right); other != v.name {
			right = other
		}
	}
	return v.name + w.pick(" == ", " != ", " < ", " <= ", " > ", " >= ") + right
}

func (w *writer) condition() string {
	one := func() string {
		if last := w.scope[len(w.scope)-1]; w.chance(25) {
			return w.atom(last) // arguments and choices are made to be used
		}
		return w.atom(w.scope[w.r.IntN(len(w.scope))])
	}
	if w.chance(70) {
		return one()
	}
	return one() + w.pick(" && ", " || ") + one()
}

// give writes a return statement.
func (w *writer) give(in string) {
	var values []string
	for _, typ := range w.results {
		if typ == "bool" {
			values = append(values, w.condition())
		} else {
			values = append(values, w.value(typ))
		}
	}
	w.printf("%s%s\n", in, strings.TrimSpace("return "+strings.Join(values, ", ")))
}
