// Package f has calls that err by state which never changes, and by state that does.
package f

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"text/scanner"

	"m/o"
)

var errBad = errors.New("f: bad")

type limits struct {
	least, most int
	name        string
}

type node struct {
	key  string
	next *node
}

type visitor interface{ visit(n int) }

// F is made with what never changes, and with what does.
type F struct {
	low    int
	table  [16]byte
	list   []node
	names  map[string]int
	lim    *limits
	inner  limits
	first  *node
	magic  [8]byte
	sum    hash.Hash32
	Public int
	Shared int

	high    int
	tab     [16]byte
	part    []byte
	nodes   []other
	byName  map[string]bool
	bounds  *bounds
	reset   reset
	last    *leaf
	pointed int64
	kept    uint32
	hooked  int16
	once    sync.Once
	found   int32
	sorted  []int
	decoded config
	hook    func()
	seen    visitor
	copied  pair
	buf     bytes.Buffer
	own     *cell
	bw      *bufio.Writer
	cut     [8]byte
	scores  []*score
	best    []*score
	caught  *captured
	catch   func()
	level   level
	old     strings.Builder
	queue   chan int
	lw      io.Writer
	far     complex64
	further complex128
	parts   []uintptr
	away    uint
	ran     o.Hook
}

// A limited writer is behind a writer of another package.
type limited struct{ left int }

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, io.EOF
	}
	return len(p), nil
}

type other struct{ key string }

type bounds struct{ most int }

type reset struct{ n int }

type leaf struct {
	key  string
	next *leaf
}

type config struct{ Max int8 }

type pair struct{ a, b uint16 }

type score struct{ n int8 }

type captured struct{ n int }

type cell struct{ n uint8 }

type counter struct{ n int }

func (c *counter) visit(n int) { c.n += n }

type bound struct{ most int }

var shared = &bound{9}

var changing = &cell{}

// Make makes one.
func Make(low int, names []string, w io.Writer, h hash.Hash32) *F {
	f := &F{low: low, names: map[string]int{}, lim: &limits{}, sum: h, byName: map[string]bool{}, bounds: &bounds{}, own: &cell{}}
	for i, n := range names {
		f.names[n] = i
		f.list = append(f.list, node{key: n})
	}
	f.fill()
	copy(f.table[:], "0123456789abcdef")
	f.part = f.tab[:4]
	f.hook = func() { f.hooked++ }
	f.seen = &counter{}
	var c captured
	f.caught = &c
	f.catch = func() { c.n++ }
	f.bw = bufio.NewWriterSize(&limited{100}, 1)
	f.lw = io.MultiWriter(w, &limited{200})
	f.ran.F = func() { f.away++ }
	return f
}

// Far is written by a function that code of another package gives to a function.
func (f *F) Far() {
	o.Fill(&f.far)
	o.Add(&f.further)
	o.Run(&f.ran)
}

func (f *F) ByFar(n int) {
	if n > 3 && f.far == 3 {
		panic("f: far")
	}
}

func (f *F) ByFurther(n int) {
	if n > 3 && f.further == 1 {
		panic("f: further")
	}
}

func (f *F) ByAway(n int) {
	if n > 3 && f.away == 1 {
		panic("f: away")
	}
}

// Counted is only looked at.
func (f *F) Counted() int { return o.Count(f.parts) }

func (f *F) OnlyParts(n int) {
	if n > 3 && len(f.parts) > 0 && f.parts[0] == 1 {
		panic("f: parts")
	}
}

// fill is called only when one is made.
func (f *F) fill() {
	f.lim.most = 10
	f.inner.name = "inner"
	f.first = &node{key: "x"}
}

// Only what is fixed.

func (f *F) OnlyLow(n int) {
	if n < f.low {
		panic("too low")
	}
}

func (f *F) OnlyTable(i int) error {
	if f.table[i&15] == 'a' {
		return errBad
	}
	return nil
}

func (f *F) OnlyList(s string) error {
	for _, n := range f.list {
		if n.key == s {
			return nil
		}
	}
	return errBad
}

func (f *F) OnlyNames(s string) {
	if _, ok := f.names[s]; !ok {
		panic("no such name")
	}
}

func (f *F) OnlyLimits(n int) error {
	if n > f.lim.most || n < f.inner.least {
		return errBad
	}
	return nil
}

func (f *F) OnlyFirst(s string) {
	for n := f.first; n != nil; n = n.next {
		if n.key == s {
			panic("found")
		}
	}
}

func (f *F) OnlyShared(n int) {
	if n > shared.most {
		panic("more than all have")
	}
}

func (f *F) OnlyCopy(n int) error {
	g := *f.lim
	g.most++
	h := &limits{}
	h.most = n
	if n > g.most {
		return errBad
	}
	return nil
}

// OnlyLess has no arguments.
func (f *F) OnlyLess() {
	if f.low < f.inner.least {
		panic("too low")
	}
}

// Text looks at a part of an array, which is not told from other slices.
func (f *F) Text(s string) {
	if text(f.magic[:]) == s {
		panic("magic")
	}
}

func text(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// MaySum asks the environment that it was made with.
func (f *F) MaySum(p string) {
	if n := f.sum.Sum32(); n < 10 && strings.Contains(p, "x") {
		panic("short")
	}
}

// What is not.

func (f *F) High(n int) {
	if n > f.high {
		panic("too high")
	}
}
func (f *F) Raise() { f.high++ }

func (f *F) Tab(i int) {
	if f.tab[i&15] != 0 {
		panic("taken")
	}
}
func (f *F) Part(i int) { f.part[i&3] = 1 }

func (f *F) Parts(i int) {
	if f.part[i&3] != 0 {
		panic("taken")
	}
}

func (f *F) Nodes(s string) error {
	for _, n := range f.nodes {
		if n.key == s {
			return errBad
		}
	}
	return nil
}
func (f *F) AddNode(s string) { f.nodes = append(f.nodes, other{s}) }

func (f *F) ByName(s string) {
	if f.byName[s] {
		panic("again")
	}
}
func (f *F) AddName(s string) { f.byName[s] = true }

func (f *F) Bounds(n int) {
	if n > f.bounds.most {
		panic("out of bounds")
	}
}
func (f *F) Wider() { widen(f.bounds) }

func widen(b *bounds) { b.most++ }

func (f *F) Reset(n int) {
	if n > f.reset.n {
		panic("not yet")
	}
}
func (f *F) Clear() { f.reset = reset{7} }

func (f *F) Last(s string) {
	for n := f.last; n != nil; n = n.next {
		if n.key == s {
			panic("found")
		}
	}
}
func (f *F) Push(s string) { f.last = &leaf{s, f.last} }

func (f *F) Pointed(n int64) {
	if n > f.pointed {
		panic("behind a pointer")
	}
}
func (f *F) Point() { p := &f.pointed; add(p) }

func add(p *int64) { *p++ }

func (f *F) Hooked(n int16) {
	if n == f.hooked {
		panic("hooked")
	}
}
func (f *F) Hook() { f.hook() }

func (f *F) Seen(n int) {
	if c, ok := f.seen.(*counter); ok && c.n == n {
		panic("seen")
	}
}
func (f *F) See(n int) { f.seen.visit(n) }

func (f *F) Found(n int32) {
	if n == f.found {
		panic("found")
	}
}
func (f *F) Find() { f.once.Do(func() { f.found = 5 }) }

func (f *F) Sorted(n int) {
	if len(f.sorted) > 1 && f.sorted[0] > n {
		panic("not sorted")
	}
}
func (f *F) Sort() { sort.Ints(f.sorted) }

func (f *F) Decoded(n int8) {
	if n > f.decoded.Max {
		panic("more than that")
	}
}
func (f *F) Decode(s string) { json.Unmarshal([]byte(s), &f.decoded) }

func (f *F) Copied(n uint16) {
	if n == f.copied.b {
		panic("copied")
	}
}
func (f *F) Copy(p []pair) {
	if len(p) > 0 {
		f.copied = p[0]
	}
}

func (f *F) Buffered(n int) {
	if f.buf.Len() < n {
		panic("not so much")
	}
}
func (f *F) NeverFill(s string) { f.buf.WriteString(s) }

func (f *F) Own(n uint8) {
	if f.own.n == n {
		panic("own")
	}
}
func (f *F) Share() { changing = f.own }

func (f *F) Bump() { changing.n++ }

func (f *F) Changing(n uint8) {
	if changing.n == n {
		panic("changing")
	}
}

// Always errs whatever the object is.
func (f *F) Always() { panic("always") }

func (f *F) Cut(s string) {
	if first(f.cut[:]) == s {
		panic("cut")
	}
}

func first(b []byte) string {
	t := string(b)
	b[0] = 0
	return t
}

func (f *F) Indexed(n int8) {
	if len(f.scores) > 0 && f.scores[0].n == n {
		panic("first")
	}
}
func (f *F) Index() {
	slices.IndexFunc(f.best, func(s *score) bool { s.n++; return true })
}

// OnlyDeferred has a variable of the same type that a function literal writes.
func (f *F) OnlyDeferred(n int) (l limits) {
	defer func() { l.most = 5 }()
	if n > f.lim.most+100 {
		panic("far too many")
	}
	return
}

func (f *F) Captured(n int) {
	if f.caught.n == n {
		panic("captured")
	}
}
func (f *F) Catch() { f.catch() }

// OnlyCount calls code of its own by way of another package that only reads.
func (f *F) OnlyCount(s string) {
	if slices.IndexFunc(f.list, func(n node) bool { return n.key == s }) > 3 {
		panic("too many")
	}
}

func (f *F) Limited(s string) {
	if _, err := f.bw.WriteString(s); err == io.EOF {
		panic("full")
	}
}

func (f *F) Both(s string) {
	if _, err := io.WriteString(f.lw, s); err == io.EOF {
		panic("full")
	}
}

// MayRange looks at entries in the order of the map.
func (f *F) MayRange(s string) {
	for k := range f.names {
		if k == s {
			panic("a name")
		}
	}
}

func (f *F) Ranged(s string) error {
	for k := range f.byName {
		if k == s {
			return errBad
		}
	}
	return nil
}

func (f *F) Keys(s string) error {
	for k := range maps.Keys(f.byName) {
		if k == s {
			return errBad
		}
	}
	return nil
}

func (f *F) Size(n int) {
	if len(f.byName) > n {
		panic("too many")
	}
}

func (f *F) Array(n byte) {
	if a := [4]byte(f.part); a[1] == n {
		panic("in the array")
	}
}

func (f *F) Queued(n int) {
	if len(f.queue) == n {
		panic("so many")
	}
}
func (f *F) Queue() { f.queue <- 1 }

type level uint64

func (l *level) raise() { *l++ }

func (f *F) Level(n uint64) {
	if uint64(f.level) == n {
		panic("level")
	}
}
func (f *F) Up() { g := f.level.raise; g() }

func (f *F) Bound(n int) {
	if f.old.Len() == n {
		panic("bound")
	}
}
func (f *F) NeverBind(s string) { g := f.old.WriteString; g(s) }

// V is a value.
type V struct {
	name string
	n    int
}

// Of makes one.
func Of(name string) V { return V{name, len(name)} }

func (v V) OnlyName(s string) {
	if s == v.name {
		panic("the same")
	}
}

func (v V) With(n int) V { v.n = n; return v }

// G has methods of a struct of another package, which change it.
type G struct {
	scanner.Scanner
	name string
}

func (g *G) OnlyNamed(s string) {
	if s == g.name {
		panic("the same")
	}
}

func (g *G) Counted(n int) {
	if s := g.Scanner; s.ErrorCount == n {
		panic("so many")
	}
}
