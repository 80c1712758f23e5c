// SPDX-License-Identifier: Apache-2.0

package corpus

// This file generates random Go types, for the front end to be held against real
// executions. A type has fields of most kinds (booleans, numbers, a struct, pointers that may be the same, a
// slice, a map, an interface with three dynamic types, an error, a function, atomics), and two to four
// methods that read and write them in the ways that code does: branches, loops, switches, closures,
// deferred calls that recover, helpers, errors that are made, kept and wrapped. Numbers stay
// below three where they are kept, so that most protocols are regular. Texts are given, kept and compared. What panics or returns an error is
// behind conditions that rarely hold at first; else most types would do so at once.

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"strings"
)

// RandomGoType returns the source of a package p with a type T and its constructor New, the
// same for the same seed. It always compiles.
func RandomGoType(seed int64) string {
	g := &goWriter{r: rand.New(rand.NewPCG(uint64(seed), 0x60))}
	return g.file()
}

// A goWriter is the state of the generation of a type.
type goWriter struct {
	r      *rand.Rand
	b      strings.Builder
	names  int // of locals
	sites  int
	helper bool // in a helper, which calls none
}

// A goScope is where a statement stands.
type goScope struct {
	ints, bools []string // locals
	text        string   // a local; "" for none
	result      string   // type; "" for none
	depth       int
	looped      bool // break and continue may be used
}

func (s goScope) inner() goScope { s.depth++; return s }

// inFunc is the scope in a function literal.
func (s goScope) inFunc() goScope { s.depth++; s.result, s.looped = "", false; return s }

func (s goScope) withInt(name string) goScope {
	s.ints = append(s.ints[:len(s.ints):len(s.ints)], name)
	return s
}

func (s goScope) withBool(name string) goScope {
	s.bools = append(s.bools[:len(s.bools):len(s.bools)], name)
	return s
}

func (g *goWriter) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *goWriter) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *goWriter) fresh(prefix string) string { g.names++; return fmt.Sprint(prefix, g.names) }

func (g *goWriter) line(format string, args ...any) {
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}

const goHead = `package p

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

var (
	errA = errors.New("is a")
	errB = errors.New("is b")
	_    = fmt.Sprint
	_    = io.EOF
)

type node struct {
	v    int
	next *node
}

func (n *node) M() int {
	if n == nil {
		return 0
	}
	return n.v
}

type one struct{}

func (one) M() int { return 1 }

type two struct{ n int }

func (x *two) M() int { return x.n }

type shape interface{ M() int }

type inner struct {
	h bool
	c int
}

func (i *inner) flip() { i.h = !i.h }

// T is a component.
type T struct {
	inner
	f, g bool
	a, b int
	st   inner
	p, q *node
	s    []int
	arr  [2]bool
	m    map[string]int
	i    shape
	e    error
	fn   func() int
	ch   chan int
	str  string
	once sync.Once
	cnt  atomic.Int32
}

func pick[V any](b bool, x, y V) V {
	if b {
		return x
	}
	return y
}

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func good(s string) error {
	for i, c := range s {
		if c == 'x' || c == ' ' && i == 0 {
			return errors.New("bad text")
		}
	}
	return nil
}

func (t *T) has(want bool) bool {
	_, ok := t.m["k"]
	return ok == want
}

func (t *T) val() int { return t.b }
`

func (g *goWriter) file() string {
	g.b.WriteString(goHead)
	g.line("\n// New makes one.\nfunc New() *T {\n\tt := &T{}")
	for _, x := range []string{"t.m = map[string]int{}", "t.p = &node{v: 2}", "t.i = one{}", "t.fn = t.val", "t.ch = make(chan int, 1)"} {
		if g.chance(92) {
			g.line("\t%s", x)
		}
	}
	for _, x := range []string{"t.i = &two{n: 1}", "t.s = make([]int, 1)", "t.f = true", "t.a = 1", "t.e = errA", "t.q = t.p", "t.st.h = true", "t.arr[1] = true"} {
		if g.chance(25) {
			g.line("\t%s", x)
		}
	}
	g.line("\treturn t\n}")
	g.helper = true
	for k := range 2 {
		g.line("\nfunc (t *T) h%d(n int) {", k)
		g.statements(1+g.r.IntN(3), goScope{ints: []string{"n"}, depth: 1})
		g.line("}")
	}
	g.line("\nfunc (t *T) ok(b bool) bool {")
	s := goScope{bools: []string{"b"}, result: "bool", depth: 1}
	g.statements(1+g.r.IntN(2), s)
	g.returns(s)
	g.line("}")
	g.helper = false
	for k := range 2 + g.r.IntN(3) {
		s := goScope{result: g.pick("", "", "bool", "int", "error", "error")}
		params := ""
		switch g.r.IntN(5) {
		case 2:
			params, s.text = "x string", "x"
		case 0:
			params, s.ints = "x int", []string{"x"}
		case 1:
			params, s.bools = "x bool", []string{"x"}
		}
		g.line("\n// %c is a call.\nfunc (t *T) %[1]c(%s) %s {", 'A'+k, params, s.result)
		if k < 2 {
			g.panics()
		}
		g.statements(3+g.r.IntN(4), s)
		g.returns(s)
		g.line("}")
	}
	text, err := format.Source([]byte(g.b.String()))
	if err != nil {
		panic(fmt.Sprintf("corpus.RandomGoType: %v\n%s", err, g.b.String()))
	}
	return string(text)
}

// number writes an expression of a number.
func (g *goWriter) number(s goScope) string {
	s = s.inner()
	switch n := g.r.IntN(24); {
	case s.depth > 5 || n < 10:
		return g.pick(append([]string{"t.a", "t.b", "t.c", "t.st.c"}, s.ints...)...)
	case n < 13:
		return fmt.Sprint(g.r.IntN(4))
	case n < 15:
		return g.pick("len(t.s)", "len(t.m)", "cap(t.s)", "len(t.ch)")
	case n < 16:
		return g.pick("t.p.v", "t.p.M()", "t.q.M()")
	case n < 18:
		return g.pick("t.i.M()", "t.val()", "t.fn()")
	case n < 19:
		return g.pick(`t.m["k"]`, "int(t.cnt.Load())")
	case n < 21:
		return fmt.Sprintf("pick(%s, %s, %s)", g.truth(s), g.number(s), g.number(s))
	case n < 22:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max"), g.number(s), g.number(s))
	}
	return fmt.Sprintf("(%s+%d)%%3", g.number(s), 1+g.r.IntN(2))
}

// truth writes a condition.
func (g *goWriter) truth(s goScope) string {
	s = s.inner()
	same := g.pick("==", "!=")
	if s.text != "" && g.chance(25) {
		return g.pick(fmt.Sprintf(`%s %s "ab"`, s.text, same), fmt.Sprintf("len(%s) > 1", s.text), fmt.Sprintf("%s %s t.str", s.text, same), fmt.Sprintf("good(%s) %s nil", s.text, same))
	}
	switch n := g.r.IntN(25); {
	case s.depth > 5 || n < 7:
		return g.pick("", "!") + g.pick(append([]string{"t.f", "t.g", "t.h", "t.st.h", "t.arr[0]", "t.arr[1]"}, s.bools...)...)
	case n < 12:
		return fmt.Sprintf("%s %s %d", g.number(s), g.pick("==", "!=", "<", ">=", ">"), g.r.IntN(4))
	case n < 14:
		return fmt.Sprintf("t.p %s %s", same, g.pick("nil", "t.q"))
	case n < 15:
		return fmt.Sprintf("t.i %s %s", same, g.pick("nil", "shape(one{})", "shape(t.p)"))
	case n < 16:
		return fmt.Sprintf("t.e %s %s", same, g.pick("nil", "errA", "errB", "io.EOF"))
	case n < 17:
		return fmt.Sprintf("%s %s nil", g.pick("t.fn", "t.s", "t.m"), same)
	case n < 18:
		return fmt.Sprintf("t.st %s t.inner", same)
	case n < 19:
		return fmt.Sprintf("t.has(%s)", g.truth(s))
	case n < 20:
		return fmt.Sprintf("errors.Is(t.e, %s)", g.pick("errA", "errB", "io.EOF"))
	case n < 22:
		return fmt.Sprintf("(%s && %s)", g.truth(s), g.truth(s))
	case n < 23:
		return g.pick(`t.str == "ab"`, `t.str != ""`, "len(t.str) > 1")
	}
	return fmt.Sprintf("(%s || %s)", g.truth(s), g.truth(s))
}

// rare writes a condition that seldom holds at first.
func (g *goWriter) rare() string {
	one := func() string {
		return g.pick("t.f", "t.g", "t.h", "t.st.h", "t.a == 2", "t.b == 1", "t.st.c == 2", "t.e == errB", "len(t.s) > 1", "t.cnt.Load() == 2", "t.p == t.q", "t.has(true)",
			"t.i.M() == 2", "t.p.v == 1", "errors.Is(t.e, io.EOF)", "t.fn() == 2", "t.p.next != nil", "t.arr[0]", "len(t.ch) == 1")
	}
	if g.chance(50) {
		return one()
	}
	return one() + " && " + one()
}

func (g *goWriter) panics() {
	g.sites++
	g.line("if %s {\npanic(%s)\n}", g.rare(), g.pick(fmt.Sprintf(`"m%d"`, g.sites), fmt.Sprintf(`fmt.Sprintf("m%d %%d", t.a)`, g.sites), fmt.Sprintf(`errors.New("m%d")`, g.sites)))
}

// returns writes what a function returns at its end.
func (g *goWriter) returns(s goScope) {
	s = s.inner()
	g.sites++
	switch s.result {
	case "bool":
		g.line("return %s", g.truth(s))
	case "int":
		g.line("return %s", g.number(s))
	case "error":
		switch g.r.IntN(5) {
		case 0:
			g.line("return t.e")
			return
		case 1:
			g.line("if %s {\nreturn %s\n}", g.rare(), g.pick("errA", "errB", "io.EOF"))
		case 2:
			g.line("if %s {\nreturn errors.New(\"r%d\")\n}", g.rare(), g.sites)
		case 4:
			if s.text != "" {
				g.line("if err := good(%s); err != nil {\nreturn err\n}", s.text)
			}
		case 3:
			g.line("if %s {\nreturn fmt.Errorf(\"r%d: %%w\", %s)\n}", g.rare(), g.sites, g.pick("errA", "errB", "io.EOF"))
		}
		g.line("return nil")
	default:
		g.line("return")
	}
}

func (g *goWriter) statements(n int, s goScope) {
	for range n {
		g.statement(s)
	}
}

// block writes statements in braces.
func (g *goWriter) block(head string, n int, s goScope) {
	g.line("%s {", head)
	g.statements(n, s)
	g.line("}")
}

// statement writes one. Those that have others in them are not nested deeply.
func (g *goWriter) statement(s goScope) {
	in := s.inner()
	switch n := g.r.IntN(100); {
	case n < 20 && s.depth < 3:
		g.line("if %s {", g.truth(s))
		g.statements(1+g.r.IntN(2), in)
		if g.chance(40) {
			g.line("} else {")
			g.statements(1+g.r.IntN(2), in)
		}
		g.line("}")
	case n < 27 && s.text != "":
		g.line("%s", g.pick("t.str = "+s.text, fmt.Sprintf("if good(%s) == nil {\nt.str = %[1]s\n}", s.text)))
	case n < 30:
		g.line("%s = %s", g.pick("t.f", "t.g", "t.h", "t.st.h", "t.arr[0]", "t.arr[1]"), g.truth(s))
	case n < 42:
		g.line("%s = %s %% 3", g.pick("t.a", "t.b", "t.c", "t.st.c"), g.number(s))
	case n < 45 && s.depth > 0:
		g.panics()
	case n < 47 && s.depth > 0:
		g.line("if %s {", g.truth(s))
		g.returns(s)
		g.line("}")
	case n < 51:
		g.line("%s", g.pick("t.p = &node{v: 1}", "t.q = t.p", "t.p, t.q = t.q, t.p", "t.p = &node{next: t.p}", "if t.p != nil && t.p.next != nil {\nt.p = t.p.next\n}"))
	case n < 53:
		g.line("if o := %s; o != nil {\no.v = %s %% 3\n}", g.pick("t.p", "t.q"), g.number(s))
	case n < 56:
		g.line("%s", g.pick("t.s = append(t.s, 1)", "t.s = nil", "t.s = t.s[:0]", "t.s = make([]int, 2)", "if len(t.s) > 0 {\nt.s = t.s[1:]\n}"))
	case n < 59:
		g.line("%s", g.pick(`t.m["k"] = 1`, `delete(t.m, "k")`, "t.m = map[string]int{}", "clear(t.m)", `if t.m != nil {
t.m["l"] = t.a
}`))
	case n < 62:
		g.line("%s", g.pick("t.i = one{}", "t.i = &two{n: t.a}", "t.i = t.p", "t.i = t.q"))
	case n < 65:
		g.line("%s", g.pick("t.e = errA", "t.e = nil", "t.e = errB", `t.e = fmt.Errorf("x: %w", errA)`, "t.e = errors.Join(t.e, errA)", "t.e = io.EOF"))
	case n < 68:
		k := g.fresh("k")
		g.line("%s", g.pick(fmt.Sprintf("%s := %s\nt.fn = func() int { return %[1]s }", k, g.number(s)), "t.fn = t.val", "t.fn = func() int { t.a = 1; return t.b }"))
	case n < 70:
		g.line("%s", g.pick("t.st = t.inner", "t.inner.flip()", "t.flip()", "t.st.flip()", "{\no := t.st\no.flip()\nif o.h {\nt.st.c = 1\n}\n}", "{\nc := &t.st.c\n*c = (*c + 1) % 3\n}"))
	case n < 73 && s.depth < 2:
		v := g.fresh("i")
		in.looped = true
		head := g.pick("for %s := 0; %[1]s < %d; %[1]s++", "for %s := range %d", "for %s := range upTo(%d)")
		g.line(head+" {\n_ = %[1]s", v, 1+g.r.IntN(3))
		g.statements(1+g.r.IntN(2), in.withInt(v))
		g.line("}")
	case n < 75 && s.depth < 2:
		v := g.fresh("v")
		in.looped = true
		g.line("for _, %s := range t.s {\n_ = %[1]s", v)
		g.statement(in.withInt(v))
		g.line("}")
	case n < 77 && s.looped:
		g.line("if %s {\n%s\n}", g.truth(s), g.pick("break", "continue"))
	case n < 79 && s.depth < 2:
		in.looped = false
		g.line("switch %s {", g.number(s))
		for _, k := range g.r.Perm(3)[:1+g.r.IntN(2)] {
			g.line("case %d:", k)
			g.statement(in)
		}
		if g.chance(50) {
			g.line("default:")
			g.statement(in)
		}
		g.line("}")
	case n < 82 && s.depth < 2:
		f := s.inFunc()
		g.line("defer func() {\nif r := recover(); r != nil {")
		g.statement(f)
		if g.chance(20) {
			g.line("panic(r)")
		}
		g.line("}\n}()")
	case n < 84 && s.depth < 2:
		g.line("defer func() {")
		g.statement(s.inFunc())
		g.line("}()")
	case n < 88 && !g.helper:
		g.line("t.h%d(%s)", g.r.IntN(2), g.number(s))
	case n < 90 && !g.helper:
		g.block(fmt.Sprintf("if %st.ok(%s)", g.pick("", "!"), g.truth(s)), 1, in)
	case n < 92 && s.depth < 2:
		in.looped = false
		g.line("switch w := t.i.(type) {\ncase one:\n_ = w")
		g.statement(in)
		g.line("case *two:\n%s", g.pick("w.n = 2", "t.a = w.n % 3"))
		if g.chance(50) {
			g.line("case nil:")
			g.statement(in)
		}
		g.line("}")
	case n < 94 && s.depth < 2:
		v := g.fresh("fn")
		g.line("%s := func(y int) {", v)
		g.statement(s.inFunc().withInt("y"))
		g.line("}\n%s(%s)", v, g.number(s))
	case n < 95:
		g.line("t.once.Do(func() { %s })", g.pick("t.f = true", "t.a = 2", "t.g = !t.g"))
	case n < 96:
		g.line("%s", g.pick("t.cnt.Add(1)", "t.cnt.Store(0)", "if t.cnt.CompareAndSwap(1, 2) {\nt.f = true\n}", "if t.cnt.Load() > 1 {\nt.cnt.Store(0)\n}"))
	case n < 97:
		g.line("select {\ncase %s:\n\tt.g = true\ndefault:\n\tt.b = 1\n}", g.pick("t.ch <- 1", "<-t.ch"))
	default:
		v := g.fresh("b")
		g.line("%s := %s", v, g.truth(s))
		g.block("if "+v, 1, in.withBool(v))
	}
}
