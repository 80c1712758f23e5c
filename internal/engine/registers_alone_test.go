// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
)

// counts are components with calls that err by the state alone, which counts: of the first ones a client knows the
// count, of the others it does not.
var counts = []counting{
	{"semaphore", `component Semaphore
state n uint32 = 0
method release() { n = n + 1 }
method acquire() { if n == 0 { error "would block" }; n = n - 1 }
`, true},
	// A position, and the one to go back to.
	{"reader", "component Reader\n" +
		"state `s#len` int64 = 0, i int64 = 0, prev int64 = -1\n" +
		"invariant `s#len` >= 0 && i >= 0 && i <= `s#len` && prev >= -1 && prev <= i\n" +
		"constructor new(`len(s)` uint47) { `s#len` = int64(`len(s)`) }\n" + `
method read() (ok bool) {
	prev = -1
	if i >= ` + "`s#len`" + ` { return false }
	i = i + 1
	return true
}
method token() (size int64, ok bool) {
	if i >= ` + "`s#len`" + ` { prev = -1; return 0, false }
	var k int8
	k = any
	assume k > 0 && k <= 4
	size = int64(k)
	assume size <= ` + "`s#len`" + ` - i
	prev = i
	i = i + size
	return size, true
}
method unread() { if i <= 0 { error "beginning" }; prev = -1; i = i - 1 }
method back() { if i <= 0 { error "beginning" }; if prev < 0 { error "no token" }; i = prev; prev = -1 }
`, true},
	// A condition of a count and of a flag is none of registers alone.
	{"pool", `component Pool
state n int32 = 0, open bool = false
method start() { if open { error "twice" }; open = true }
method put(k int32) { if !open { error "closed" }; if k < 0 || k > 1000 { error "k" }; n = n + k }
method get() { if !open || n <= 0 { error "empty" }; n = n - 1 }
method stop() (left int32) { if n > 0 { error "not empty" }; open = false; return n }
`, false},
	// From one to the other.
	{"two", `component Two
state a int32 = 0, b int32 = 0
method add(k int32) { if k < 0 { error "k" }; a = a + k }
method move() { if a <= 0 { error "a" }; a = a - 1; b = b + 1 }
method take() { if b <= 0 { error "b" }; b = b - 1 }
`, true},
	// A lock of many readers: one call errs by the count or by a flag, and has a loop after it has counted.
	{"lock", `component Lock
state n int32 = 0, held bool = false, left int8 = 0
method rlock() { assume n >= 0; n = n + 1 }
method runlock() { if n == 0 || n == -1000000 { error "not read" }; n = n - 1 }
method lock() { assume n == 0 && !held; held = true; n = n - 1000000; left = 3 }
method unlock() {
	if n + 1000000 >= 1000000 { error "not locked" }
	n = n + 1000000
	if !held { error "not held" }
	held = false
	while left > 0 { left = left - 1 }
}
method end() { if left > 0 { error "left" } }
`, true},
	// Two counts in one word.
	{"packed", `component Packed
state v uint64 = 0
method add(k int32) {
	v = v + uint64(int64(k) << 32)
	if int32(v >> 32) < 0 { error "negative" }
}
method done() {
	v = v - 4294967296
	if int32(v >> 32) < 0 { error "negative" }
}
method wait() { assume uint32(v >> 32) == 0 }
`, true},
	// How many there are is not seen.
	{"unseen", `component Unseen
state n int32 = 0
method put() { var k int8; k = any; assume k > 0 && k < 5; n = n + int32(k) }
method get() { if n <= 0 { error "empty" }; n = n - 1 }
`, false},
}

// A counting is a component that counts, and whether all calls of it are decided.
type counting struct {
	name, source string
	decided      bool
}

// testCountings compares the interfaces of components with the interpreter, on random words of up
// to some length.
func testCountings(t *testing.T, list []counting, length int, seed uint64) {
	t.Helper()
	for k, c := range list {
		p, err := prog.Parse(c.name, []byte(c.source), prog.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Refinements: 8, Certificate: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if decided := len(i.Unknown) == 0; decided != c.decided {
			t.Errorf("%s: decided is %v\n%s", c.name, decided, i.Core())
		}
		w := &wordMaker{oracle: newOracle(p, i), Rand: rand.New(rand.NewPCG(uint64(k), seed))}
		for range loops(300, 1000) {
			if err := w.word(context.Background(), length); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, i.Core())
			}
		}
		if c.decided && w.judged < 200 && !corpus.Race {
			t.Errorf("%s: %d verdicts were compared", c.name, w.judged)
		}
	}
}

func TestRegistersAlone(t *testing.T) { testCountings(t, counts, 12, 11) }
