// SPDX-License-Identifier: Apache-2.0

package corpus

// This file generates random Go types, for the front end to be held against real
// executions.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomGoType returns the source of a package f with a type T, the same for the same seed: fields of many
// kinds, helper functions, a constructor and methods M0, M1, ... whose statements are chosen by chance. It compiles,
// everything ends, nothing waits, and no package variable changes.
func RandomGoType(seed uint64) string {
	g := &goType{Rand: rand.New(rand.NewPCG(seed, 0))}
	g.file()
	return g.b.String()
}

// A goType is the state of the generation of a type.
type goType struct {
	*rand.Rand
	b     strings.Builder
	sites int
	names int
	tools []goHelper
}

// A goHelper is a function that methods and later helpers call.
type goHelper struct {
	name   string
	params []string
	result string
}

// A goScope is what statements may mention: expressions by kind, and whether the receiver is
// there. Those in assignable can be assigned to.
type goScope struct {
	by         map[string][]string
	assignable map[string]bool
	receiver   bool
	result     string
	callable   int    // helpers so far
	literal    bool   // in a function literal
	guarded    bool   // the body begins with an error
	again      string // the body calls its function again like this
}

func (s *goScope) with(kind, name string) *goScope {
	t := &goScope{by: map[string][]string{}, assignable: map[string]bool{}, receiver: s.receiver, result: s.result, callable: s.callable, literal: s.literal}
	for k, v := range s.by {
		t.by[k] = append([]string{}, v...)
	}
	for k := range s.assignable {
		t.assignable[k] = true
	}
	if kind != "" {
		t.by[kind] = append(t.by[kind], name)
	}
	return t
}

func (g *goType) pick(list ...string) string { return list[g.IntN(len(list))] }

// one is an expression of a kind in goScope, or "".
func (g *goType) one(s *goScope, kind string) string {
	if len(s.by[kind]) == 0 {
		return ""
	}
	return g.pick(s.by[kind]...)
}

// target is a variable of a kind, or "".
func (g *goType) target(s *goScope, kind string) string {
	var list []string
	for _, x := range s.by[kind] {
		if s.assignable[x] {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return g.pick(list...)
}

// condition is a truth value.
func (g *goType) condition(s *goScope) string {
	all := []string{"true"}
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, x := range s.by["bool"] {
		add("%s", x)
		add("!%s", x)
	}
	for _, x := range s.by["int8"] {
		add("%s == %d", x, g.IntN(4)-1)
		add("%s > %d", x, g.IntN(3))
	}
	for _, x := range s.by["string"] {
		add("%s == \"xy\"", x)
		add("len(%s) > 1", x)
		add("good(%s) == nil", x)
	}
	for _, x := range s.by["*Node"] {
		add("%s == nil", x)
		add("%s != nil && %s.on", x, x)
		add("%s == %s", x, g.one(s, "*Node"))
	}
	for _, x := range s.by["error"] {
		add("%s != nil", x)
		add("%s == errA", x)
		add("errors.Is(%s, errB)", x)
		add("errors.Is(%s, errD)", x)
		add("errors.Is(%s, io.EOF)", x)
		add("%s == Code(1)", x)
		add("func() bool { e, ok := %s.(*E); return ok && e.k == 1 }()", x)
		add("func() bool { u, ok := %s.(interface{ Unwrap() error }); return ok && u.Unwrap() == errA }()", x)
		add("func() bool { u, ok := %s.(interface{ Odd() bool }); return ok && u.Odd() }()", x)
	}
	if s.receiver {
		all = append(all, "t.i != nil && t.i.Hit()", "len(t.s) > 1", "len(t.list) > 0", "len(t.m) > 1", "t.m == nil", `t.z == "x"`, "len(t.z) > 1", "t.in.Is()", "t.arr[1]",
			"func() bool { n, ok := t.x.(*Node); return ok && n != nil }()", "func() bool { n, ok := t.x.(int8); return ok && n > 1 }()")
	}
	text := g.pick(all...)
	if g.IntN(4) == 0 {
		return fmt.Sprintf("(%s) %s (%s)", text, g.pick("&&", "||"), g.pick(all...))
	}
	return text
}

func (g *goType) number(s *goScope) string {
	all := []string{fmt.Sprint(g.IntN(5) - 1)}
	for _, x := range s.by["int8"] {
		all = append(all, x, "("+x+"+1)&3")
	}
	return g.pick(all...)
}

func (g *goType) node(s *goScope) string {
	all := append([]string{"nil", "&Node{on: true}", "&Node{}", "make1(" + g.number(s) + ")"}, s.by["*Node"]...)
	if n := g.one(s, "*Node"); n != "" {
		all = append(all, fmt.Sprintf("either(%s, %s)", n, g.one(s, "*Node")), "same("+n+")")
	}
	return g.pick(all...)
}

func (g *goType) err(s *goScope) string {
	g.sites++
	all := append([]string{"nil", "nil", "nil", "errA", "errB", "errC", "errD", "io.EOF", "Code(1)", fmt.Sprintf("errors.New(%q)", fmt.Sprintf("f: made %d", g.sites))}, s.by["error"]...)
	if x := g.one(s, "error"); x != "" {
		all = append(all, "wrap("+x+")", "errors.Join("+x+", errA)")
	}
	if x := g.one(s, "string"); x != "" {
		all = append(all, "good("+x+")")
	}
	return g.pick(all...)
}

// value is an expression of a type.
func (g *goType) value(s *goScope, typ string) string {
	switch typ {
	case "bool":
		return g.condition(s)
	case "int8":
		return g.number(s)
	case "*Node":
		return g.node(s)
	case "error":
		return g.err(s)
	case "string":
		if len(s.by["string"]) > 1 && g.IntN(2) == 0 {
			return s.by["string"][len(s.by["string"])-1]
		}
		return g.pick(append([]string{`"x"`, `"xy"`, `""`}, s.by["string"]...)...)
	}
	return "t"
}

// block is some statements.
func (g *goType) block(s *goScope, n, depth int) (lines []string) {
	s = s.with("", "")
	for range n {
		for _, l := range g.statement(s, depth) {
			lines = append(lines, "\t"+l)
		}
	}
	return lines
}

// statement may extend the scope.
func (g *goType) statement(s *goScope, depth int) []string {
	if s.receiver && g.IntN(3) == 0 {
		return g.special(s, depth)
	}
	switch k := g.IntN(10); {
	case k < 2 && depth < 3:
		lines := append([]string{"if " + g.condition(s) + " {"}, g.block(s, 1+g.IntN(2), depth+1)...)
		if g.IntN(3) == 0 {
			lines = append(append(lines, "} else {"), g.block(s, 1, depth+1)...)
		}
		return append(lines, "}")
	case k == 2:
		g.sites++
		what := fmt.Sprintf("panic(%q)", fmt.Sprintf("site %d", g.sites))
		if s.result == "error" && g.IntN(2) == 0 {
			what = "return " + g.pick("errA", "errB", "errC", fmt.Sprintf("errors.New(%q)", fmt.Sprintf("f: site %d", g.sites)))
		}
		return []string{fmt.Sprintf("if (%s) && (%s) {", g.condition(s), g.condition(s)), "\t" + what, "}"}
	case k == 3 && s.result != "":
		return []string{"if " + g.condition(s) + " {", "\treturn " + g.value(s, s.result), "}"}
	case k < 7:
		typ := g.pick("bool", "int8", "*Node", "error", "string")
		if to := g.target(s, typ); to != "" {
			return []string{to + " = " + g.value(s, typ)}
		}
	case k == 7:
		if n := g.one(s, "*Node"); n != "" {
			return []string{"if " + n + " != nil {", "\t" + n + "." + g.pick("on = "+g.condition(s), "next = "+g.node(s)), "}"}
		}
	case k == 8 && depth < 2 && g.IntN(3) == 0:
		return append(append([]string{"for range times(" + g.number(s) + ") {"}, g.block(s, 1+g.IntN(2), depth+1)...), "}")
	case k == 8:
		if n := g.one(s, "*Node"); n != "" {
			g.names++
			x := fmt.Sprintf("v%d", g.names)
			s.by["*Node"], s.assignable[x] = append(s.by["*Node"], x), true
			return []string{x + " := " + n, "if " + x + " != nil {", "\t" + x + " = " + x + ".next", "}"}
		}
	default:
		if s.callable > 0 {
			return g.call(s)
		}
	}
	return nil
}

// call is a call of a helper.
func (g *goType) call(s *goScope) []string {
	h := g.tools[g.IntN(s.callable)]
	var args []string
	for _, p := range h.params {
		if p == "*T" && !s.receiver {
			return nil
		}
		args = append(args, g.value(s, p))
	}
	call := h.name + "(" + strings.Join(args, ", ") + ")"
	if h.result == "error" && s.result == "error" && g.IntN(2) == 0 {
		return []string{"if err := " + call + "; err != nil {", "\treturn err", "}"}
	}
	if to := g.target(s, h.result); to != "" {
		return []string{to + " = " + call}
	}
	return []string{call}
}

// leave is a statement that leaves a function, or the loop if that is in a literal.
func (g *goType) leave(s *goScope) string {
	switch {
	case s.literal:
		return "break"
	case s.result == "":
		return "return"
	}
	return "return " + g.value(s, s.result)
}

// special is a statement about other kinds of fields of the receiver.
func (g *goType) special(s *goScope, depth int) []string {
	n := g.one(s, "*Node")
	b := func() string { return g.condition(s) }
	literal := func(head, tail string, inner *goScope, last ...string) []string {
		inner.result, inner.literal = "", true
		lines := append([]string{head}, g.block(inner, 1, depth+1)...)
		return append(append(lines, last...), tail)
	}
	if depth < 2 && g.IntN(8) == 0 {
		g.names++
		i := fmt.Sprintf("i%d", g.names)
		switch k := g.IntN(5); {
		case k == 0:
			return literal("t.g = func() {", "}", s.with("", ""))
		case k == 1:
			return literal("t.cb = func(k int8) bool {", "}", s.with("int8", "k"), "\treturn "+b())
		case k == 2:
			return literal("t.once.Do(func() {", "})", s.with("", ""))
		case k == 3 && depth == 0:
			return literal("defer func() {", "}()", s.with("", ""))
		default:
			return literal(fmt.Sprintf("for %s := int8(0); %s < %d; %s++ {", i, i, 1+g.IntN(3), i), "}", s.with("int8", i))
		}
	}
	g.names++
	loop := fmt.Sprintf("loop%d", g.names)
	all := [][]string{
		{"t.fp = " + g.pick("&t.a", "&t.b", "&t.in.up", "&t.v.on", "nil")},
		{"if " + n + " != nil {", "\tt.fp = &" + n + ".on", "}"},
		{"if t.fp != nil {", "\t*t.fp = " + b(), "}"},
		{"t.list = append(t.list, " + n + ")"},
		{"if len(t.list) > 0 && t.list[0] != nil {", "\tt.list[0].on = " + b(), "}"},
		{"for _, e := range t.list {", "\tif e != nil && e.on {", "\t\tt.q = e", "\t}", "}"},
		{"t.in.Raise(" + n + ")"},
		{"if t.in.last != nil {", "\tt.in.last.on = " + b(), "}"},
		{fmt.Sprintf("t.arr[%d] = %s", g.IntN(2), b())},
		{"t.g = t.flip"},
		{"if t.g != nil {", "\tt.g()", "}"},
		{"if t.cb != nil {", "\tt.b = t.cb(" + g.number(s) + ")", "}"},
		{"t.self = t"},
		{"if t.self != nil {", "\tt.self.b = " + b(), "}"},
		{"{", "\tu := *t", "\tu.a = !u.a", "\tt.c = u.a", "}"},
		{"t.v = Node{on: " + b() + "}"},
		{"t.p = &t.v"},
		{"if " + n + " != nil {", "\tt.v = *" + n, "}"},
		{"t.i = " + g.pick("&Flipper{t}", "&Lighter{t.p}", "nil", "Count("+g.number(s)+")")},
		{"t.x = " + g.pick("nil", "int8("+g.number(s)+")", n, "t.a", "t.err")},
		{"switch y := t.x.(type) {", "case *Node:", "\tif y != nil {", "\t\ty.on = true", "\t}", "case bool:", "\tt.a = y", "case error:", "\tt.err = y", "}"},
		{"for e := range each(" + n + ", " + fmt.Sprint(g.IntN(3)) + ") {", "\tif e != nil {", "\t\te.on = !e.on", "\t\t" + g.pick("break", "continue"), "\t}", "}"},
		{"t.a = safe(func() {", "\tif " + b() + " {", "\t\tpanic(\"inner\")", "\t}", "\tt.b = true", "})"},
		{"if t.mu.TryLock() {", "\tt.c = true", "}"},
		{"if !t.mu.TryLock() {", "\tt.a = true", "} else {", "\tt.mu.Unlock()", "}"},
		{"switch {", "case " + b() + ":", "\tt.a = false", "case " + b() + ":", "\tt.b = true", "\tfallthrough", "default:", "\tt.n = " + g.number(s), "}"},
		{"{", "\tvar e *E", "\tif errors.As(t.err, &e) {", "\t\tt.b = e.k == 1", "\t}", "}"},
		{"t.s = append(t.s, " + g.number(s) + ")"},
		{"t.s = nil"},
		{"t.m = map[int8]*Node{}"},
		{"if t.m != nil {", "\tt.m[" + g.number(s) + "] = " + g.node(s), "}"},
		{"t.p = t.m[" + g.number(s) + "]"},
		{"delete(t.m, " + g.number(s) + ")"},
		{"t.z = " + g.value(s, "string")},
		{"if x := t.z; good(x) != nil {", "\tt.z, t.a = \"xy\", " + b(), "}"},
		{"switch " + g.number(s) + " {", "case 0:", "\tt.a = " + b(), "case 1, 2:", "\tt.n = 2", "}"},
		{"t.q.on = " + b()},
		{"t.g()"},
		{"t.m[1] = t.q"},
		{"t.n = t.s[" + g.pick("0", "len(t.s)-1") + "]"},
		{"t.s = t.s[1:]"},
		{"t.p = &t.nodes[" + fmt.Sprint(g.IntN(2)) + "]"},
		{"t.nodes[" + fmt.Sprint(g.IntN(2)) + "].on = " + b()},
		{"t.nodes[1] = t.nodes[0]"},
		{"if t.nodes[" + fmt.Sprint(g.IntN(2)) + "].on {", "\tt.b = " + b(), "}"},
		{"if t.mv == nil {", "\tt.mv = map[int8]In{}", "}", "{", "\tx := t.mv[1]", "\tx.up = " + b(), "\tt.mv[" + g.number(s) + "] = x", "}"},
		{"t.a = t.mv[" + g.number(s) + "].up"},
		{"t.ch = make(chan int8, 2)"},
		{"select {", "case t.ch <- " + g.number(s) + ":", "\tt.a = true", "default:", "\tt.b = true", "}"},
		{"select {", "case k, ok := <-t.ch:", "\tt.c = ok && k > 0", "default:", "}"},
		{"if t.ch != nil && len(t.ch) == 2 {", "\tt.c = true", "}"},
		{"func() {", "\tdefer func() {", "\t\tif r := recover(); r != nil {", "\t\t\tt.err, _ = r.(error)", "\t\t}", "\t}()", "\tif " + b() + " {", "\t\tpanic(" + g.err(s) + ")", "\t}", "}()"},
		{"func() {", "\tdefer func() {", "\t\tif r := recover(); r != nil {", "\t\t\tt.b = true", "\t\t\tpanic(r)", "\t\t}", "\t}()", "\tif " + b() + " && " + b() + " {", "\t\tpanic(\"again\")", "\t}", "}()"},
		{"{", "\tf := (*T).flip", "\tf(t)", "}"},
		{"{", "\tx := " + b(), "\tt.g = func() {", "\t\tx = !x", "\t\tt.b = x", "\t}", "}"},
		{"t.box.Set(" + n + ")"},
		{"if x, ok := t.box.Get(); ok && x != nil {", "\tx.on = " + b(), "}"},
		{"{", "\tpp := " + g.pick("&t.p", "&t.q"), "\t*pp = " + g.node(s), "}"},
		{"t.b = t.v == Node{on: true}"},
		{"t.n = min(t.n, " + g.number(s) + ")"},
		{"clear(t.m)"},
		{"t.at.Store(int32(" + g.number(s) + "))"},
		{"if t.at.CompareAndSwap(1, 2) {", "\tt.a = true", "}"},
		{"t.ap.Store(" + g.node(s) + ")"},
		{"if x := t.ap.Load(); x != nil && x.on {", "\tt.p = x", "}"},
		{loop + ":", "for {", "\tswitch {", "\tcase " + b() + ":", "\t\tt.b = true", "\t\tbreak " + loop, "\tdefault:", "\t\tbreak " + loop, "\t}", "}"},
		{"t.Wrapped.last = " + n},
		{"for e := range t.nodesOf {", "\tif e == " + n + " {", "\t\tt.b = " + b(), "\t\t" + g.pick("break", "continue", "defer t.flip()"), "\t}", "}"},
		{"for e := range t.nodesOf {", "\tfor f := range t.nodesOf {", "\t\tif e == f && " + b() + " {", "\t\t\tt.q = f", "\t\t}", "\t}", "}"},
		{"for e := range t.nodesOf {", "\tif " + b() + " {", "\t\tt.p = e", "\t\t" + g.leave(s), "\t}", "}"},
		{"for k := range 2 {", "\tdefer func() { t.n = int8(k) }()", "}"},
		{"{", "\tvar fs []func() int8", "\tfor k := range int8(3) {", "\t\tfs = append(fs, func() int8 { return k })", "\t}", "\tt.n = fs[" + fmt.Sprint(g.IntN(3)) + "]()", "}"},
		{"t.n += 100"},
		{"t.n = 1 << (uint8(t.n) & 7)"},
		{"t.n = 6 / t.n"},
		{"t.n = -t.n % 3"},
		{"t.arr[t.n&3] = " + b()},
		{"{", "\tx := t.nodes", "\tx[0].on = !x[0].on", "\tt.a = x == t.nodes", "}"},
		{"{", "\ts := t.list", "\tt.list = append(t.list[:0], " + n + ")", "\tif len(s) > 0 && s[0] == t.p {", "\t\tt.c = true", "\t}", "}"},
		{"t.a = copy(t.s, []int8{1}) == 1"},
		{"t.z += \"x\""},
		{"if len(t.z) > 0 && t.z[0] == 'x' {", "\tt.z = t.z[1:]", "}"},
		{"t.mu.Lock()", "t.b = !t.b", "t.mu.Unlock()"},
		{"switch y := t.i.(type) {", "case *Flipper, *Lighter:", "\tt.a = y.Hit()", "case Count:", "\tt.n = int8(y)", "default:", "\tt.i = Count(2)", "}"},
		{"t.c = largest(t.n, " + g.number(s) + ") > 1"},
		{"func() {", "\tdefer func() { recover() }()", "\tt.n = t.s[0]", "\tt.c = true", "}()"},
		{"if t.err = errors.Join(t.err, " + g.pick("nil", "errB") + "); t.err == nil {", "\tt.a = true", "}"},
		{"t.Lift()"},
	}
	return all[g.IntN(len(all))]
}

// goPreamble has the types and the functions that are always there.
const goPreamble = `// Package f is made by chance.
package f

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

var _ = io.EOF

var (
	errA       = errors.New("f: a")
	errB       = errors.New("f: b")
	errC error = &E{1}
	errD error = Code(1)
)

type Code int8

func (c Code) Error() string { return "f: code" }
func (c Code) Odd() bool     { return c&1 == 1 }

type E struct{ k int }

func (e *E) Error() string { return "f: e" }

type Node struct {
	on   bool
	next *Node
}

type In struct {
	up   bool
	last *Node
}

func (i *In) Raise(n *Node) { i.up, i.last = n != nil, n }
func (i In) Is() bool       { return i.up }

type T struct {
	a, b, c bool
	n       int8
	p, q    *Node
	err     error
	cb      func(int8) bool
	g       func()
	i       interface{ Hit() bool }
	x       any
	s       []int8
	list    []*Node
	m       map[int8]*Node
	z       string
	fp      *bool
	in      In
	arr     [2]bool
	self    *T
	v       Node
	mu      sync.Mutex
	once    sync.Once
	nodes   [2]Node
	mv      map[int8]In
	ch      chan int8
	box     Box[*Node]
	at      atomic.Int32
	ap      atomic.Pointer[Node]
	Wrapped
}

// Wrapped is a part of T with methods of its own.
type Wrapped struct {
	up   bool
	last *Node
}

func (w *Wrapped) Lift() { w.up = w.last != nil && w.last.on }

type Box[V any] struct {
	v    V
	full bool
}

func (b *Box[V]) Set(v V)        { b.v, b.full = v, true }
func (b *Box[V]) Get() (V, bool) { return b.v, b.full }

type Flipper struct{ t *T }

func (f *Flipper) Hit() bool {
	f.t.a = !f.t.a
	return f.t.b
}

type Lighter struct{ p *Node }

func (l *Lighter) Hit() bool {
	if l.p == nil {
		return false
	}
	l.p.on = true
	return true
}

type Count int8

func (c Count) Hit() bool { return c > 0 }

func (t *T) flip() { t.c = !t.c }

// nodesOf yields nodes.
func (t *T) nodesOf(yield func(*Node) bool) {
	for _, n := range [...]*Node{t.p, t.q, t.in.last} {
		if n != nil && !yield(n) {
			return
		}
	}
}

func largest[V int8 | string](list ...V) (most V) {
	for _, v := range list {
		most = max(most, v)
	}
	return most
}

func times(n int8) func(yield func(int8) bool) {
	return func(yield func(int8) bool) {
		for k := range min(max(n, 0), 2) {
			if !yield(k) {
				return
			}
		}
	}
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("f: wrapped: %w", err)
}

func good(s string) error {
	for i, c := range s {
		if c == 'x' && i > 0 || c == ' ' {
			return errors.New("f: bad text")
		}
	}
	return nil
}

func make1(n int8) *Node {
	if n > 1 {
		return nil
	}
	return &Node{on: n == 1}
}

func either(a, b *Node) *Node {
	if a != nil && a.on {
		return a
	}
	return b
}

func same[V any](v V) V { return v }

func each(n *Node, k int8) func(yield func(*Node) bool) {
	return func(yield func(*Node) bool) {
		for i := int8(0); i < k; i++ {
			if !yield(n) {
				return
			}
		}
	}
}

func safe(f func()) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	f()
	return true
}
`

// goGuards are conditions that mostly do not hold at first.
var goGuards = []string{
	"t.a && t.b", "t.c", "t.n == 3", "t.p != nil && t.p.on", "t.q != nil && t.q == t.p", "t.p != nil && t.p.next != nil && t.p.next.on", "errors.Is(t.err, errB)", "t.err == errA", "t.err != nil",
	"len(t.s) > 1", "len(t.list) == 1", "t.m != nil", "t.x != nil", "t.i != nil && t.i.Hit()", "t.fp != nil && *t.fp", "t.in.up && t.in.last == t.p", "t.v.on", "t.self == t", `t.z == "x"`,
	"t.cb != nil && t.cb(1)", "t.g != nil && t.c", "!t.mu.TryLock()", "t.nodes[0].on && t.nodes[1].on", "t.mv[1].up", "t.ch != nil && cap(t.ch) > 1", "t.box.full && t.box.v == t.p", "t.at.Load() == 2", "t.Wrapped.up",
}

var goConstructors = []string{
	"func New() *T { return &T{} }",
	"func New() *T { return &T{n: 2, q: &Node{on: true}} }",
	"func New(b bool) *T {\n\tt := &T{a: b}\n\tif b {\n\t\tt.p = &Node{on: true}\n\t\tt.q = t.p\n\t}\n\treturn t\n}",
	"func New(b bool) *T {\n\tt, u := &T{}, &T{a: true, n: 1}\n\tif b {\n\t\tt, u = u, t\n\t}\n\tt.p = &Node{on: u.a}\n\treturn t\n}",
}

// file writes the package.
func (g *goType) file() {
	g.b.WriteString(goPreamble)
	fields := &goScope{by: map[string][]string{"bool": {"t.a", "t.b", "t.c"}, "int8": {"t.n"}, "*Node": {"t.p", "t.q"}, "error": {"t.err"}, "string": {"t.z"}},
		assignable: map[string]bool{"t.z": true, "t.a": true, "t.b": true, "t.c": true, "t.n": true, "t.p": true, "t.q": true, "t.err": true}, receiver: true}
	write := func(head string, s *goScope, n int) {
		fmt.Fprintf(&g.b, "\n%s {\n", head)
		if s.guarded {
			g.sites++
			fmt.Fprintf(&g.b, "\tif %s {\n\t\tpanic(\"site %d\")\n\t}\n", g.pick(goGuards...), g.sites)
		}
		at := g.IntN(2)
		for k := range 2 {
			if s.again != "" && k == at {
				fmt.Fprintf(&g.b, "\tif p1 > 0 && p1 < 4 {\n\t\t%s\n\t}\n", s.again)
			}
			for _, l := range g.block(s, (n+k)/2, 0) {
				g.b.WriteString(l + "\n")
			}
		}
		if s.result != "" {
			fmt.Fprintf(&g.b, "\treturn %s\n", g.value(s, s.result))
		}
		g.b.WriteString("}\n")
	}
	declare := func(s *goScope, params []string) (*goScope, string) {
		var list []string
		for k, p := range params {
			name := fmt.Sprintf("p%d", k)
			if p == "*T" {
				name = "t"
			} else {
				s = s.with(p, name)
				s.assignable[name] = true
			}
			list = append(list, name+" "+p)
		}
		return s, strings.Join(list, ", ")
	}
	for k := range 2 + g.IntN(4) {
		h := goHelper{name: fmt.Sprintf("h%d", k), result: g.pick("", "bool", "*Node", "error")}
		for range 1 + g.IntN(2) {
			h.params = append(h.params, g.pick("int8", "bool", "*Node", "string"))
		}
		s := &goScope{by: map[string][]string{}, assignable: map[string]bool{}}
		recursive := g.IntN(3) == 0
		switch {
		case recursive:
			h.params = append([]string{"*T", "int8"}, h.params...)
			s = fields.with("", "")
		case g.IntN(3) > 0:
			h.params = append(h.params, "*T")
			s = fields.with("", "")
		}
		s.result, s.callable = h.result, k
		inner, params := declare(s, h.params)
		if recursive {
			delete(inner.assignable, "p1")
			args := []string{"t", "p1-1"}
			for _, p := range h.params[2:] {
				args = append(args, g.value(inner, p))
			}
			inner.again = h.name + "(" + strings.Join(args, ", ") + ")"
			if to := g.target(inner, h.result); to != "" && g.IntN(2) == 0 {
				inner.again = to + " = " + inner.again
			}
		}
		write(fmt.Sprintf("func %s(%s) %s", h.name, params, h.result), inner, 1+g.IntN(3))
		g.tools = append(g.tools, h)
	}
	g.b.WriteString("\n" + g.pick(goConstructors...) + "\n")
	for k := range 3 + g.IntN(3) {
		s := fields.with("", "")
		s.result, s.callable = g.pick("", "", "bool", "int8", "error", "error"), len(g.tools)
		var params []string
		if g.IntN(3) == 0 {
			params = append(params, g.pick("int8", "bool", "string"))
		}
		inner, list := declare(s, params)
		inner.guarded = g.IntN(3) > 0
		write(fmt.Sprintf("func (t *T) M%d(%s) %s", k, list, s.result), inner, 3+g.IntN(4))
	}
}
