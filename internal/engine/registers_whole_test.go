// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
)

// positions are components that keep a position, as files do. The first ones are decided
// by registers; of the others a client does not know enough.
var positions = []struct {
	name, source string
	decided      bool
}{
	{"seek", `component Seek
state base int8, off int8
constructor new(at int8) { base = at; off = at }
method seek(by int8, whence int8) (at int8) {
	var to int8
	if whence == 0 {
		assume (base + by < by) == (base < 0)
		to = base + by
	} else {
		if whence != 1 { error "whence" }
		assume (off + by < by) == (off < 0)
		to = off + by
	}
	if to < base { error "offset" }
	off = to
	return off - base
}
method write(size int8) (n int8) {
	n = any
	assume n >= 0 && n <= size
	assume (off + n < off) == (n < 0)
	off = off + n
	return n
}
`, true},
	// Sums wrap around.
	{"wraps", `component Wraps
state base int8, off int8
constructor new(at int8) { base = at; off = at }
method seek(by int8, whence int8) (at int8) {
	var to int8
	if whence == 0 { to = base + by } else {
		if whence != 1 { error "whence" }
		to = off + by
	}
	if to < base { error "offset" }
	off = to
	return off - base
}
`, true},
	// The limit is one value or another, by the arguments.
	{"limit", `component Limit
state limit int8, off int8
constructor new(size int8, all bool) { off = 0; if all { limit = 100 } else { limit = size } }
method read(n int8) (m int8) {
	if n < off || n > limit { error "range" }
	off = n
	return off
}
`, true},
	// By a choice that is not seen.
	{"hidden limit", `component Hidden
state limit int8, off int8
constructor new(size int8) { var all bool; off = 0; all = any; if all { limit = 100 } else { limit = size } }
method read(n int8) (m int8) {
	if n < off || n > limit { error "range" }
	off = n
	return off
}
`, false},
	// What was written is not returned.
	{"unseen", `component Unseen
state base int8, off int8
constructor new(at int8) { base = at; off = at }
method seek(by int8) {
	if off + by < base || base + by < off { error "offset" }
}
method write(size int8) {
	var n int8
	n = any
	assume n >= 0 && n <= size
	off = off + n
}
`, false},
	// The result differs from the position by this or by that: by the arguments, and by a
	// choice.
	{"two ways", `component Two
state base int8, off int8
constructor new(at int8) { base = at; off = at }
method seek(by int8, whole bool) (at int8) {
	if off + by < base || base + by < off { error "offset" }
	off = off + by
	if whole { return off }
	return off - base
}
`, true},
	{"two hidden ways", `component Two
state base int8, off int8
constructor new(at int8) { base = at; off = at }
method seek(by int8) (at int8) {
	var whole bool
	if off + by < base || base + by < off { error "offset" }
	off = off + by
	whole = any
	if whole { return off }
	return off - base
}
method jump(size int8) (n int8) {
	var twice bool
	n = any
	assume n >= 0 && n <= size
	twice = any
	off = off + n
	if twice { off = off + n }
	return n
}
`, false},
}

func TestRegistersPositions(t *testing.T) {
	t.Parallel()
	for k, c := range positions {
		p, i := synthesizeRegisters(t, c.name, c.source)
		if decided := i != nil && len(i.Unknown) == 0; decided != c.decided {
			t.Errorf("%s: decided is %v", c.name, decided)
			if i != nil {
				t.Logf("%s", i.Core())
			}
		}
		if i == nil {
			continue
		}
		w := &wordMaker{oracle: newOracle(p, i), Rand: rand.New(rand.NewPCG(uint64(k), 7))}
		for range loops(200, 1000) {
			if err := w.word(context.Background(), 6); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, i.Core())
			}
		}
		if c.decided && w.judged < 200 && !corpus.Race {
			t.Errorf("%s: %d verdicts were compared", c.name, w.judged)
		}
	}
}
