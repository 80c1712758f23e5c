// SPDX-License-Identifier: Apache-2.0

package bv

import (
	"math/rand/v2"
	"testing"
)

// TestGraph builds random gates over four inputs and compares truth tables, so that
// every simplification must keep the function. It also checks the normal forms
// that node declares, and that a gate built again is the same.
func TestGraph(t *testing.T) {
	tables := []uint16{0xaaaa, 0xcccc, 0xf0f0, 0xff00}
	kinds := make(map[kind]int)
	for seed := range scale(300) {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		g := newGraph()
		table := []uint16{0} // by node
		for i := range tables {
			g.input(i)
			table = append(table, tables[i])
		}
		at := func(e edge) uint16 {
			v := table[e.node()]
			if e.complement() {
				v = ^v
			}
			return v
		}
		pool := []edge{no, 2, 4, 6, 8}
		pick := func() edge { return pool[max(0, len(pool)-1-rng.IntN(12))] ^ edge(rng.IntN(2)) }
		for range 60 {
			a, b, c := pick(), pick(), pick()
			op := rng.IntN(4)
			build := func() edge {
				switch op {
				case 0:
					return g.and(a, b)
				case 1:
					return g.xor(a, b)
				case 2:
					return g.mux(a, b, c)
				}
				return g.maj(a, b, c)
			}
			x, y, z := at(a), at(b), at(c)
			want := []uint16{x & y, x ^ y, x&y | ^x&z, x&y | x&z | y&z}[op]
			e := build()
			for n := len(table); n < len(g.nodes); n++ {
				k := g.nodes[n]
				p, q, r := at(k.a), at(k.b), at(k.c)
				switch k.kind {
				case andNode:
					table = append(table, p&q)
				case xorNode:
					table = append(table, p^q)
				case muxNode:
					table = append(table, p&q|^p&r)
				case majNode:
					table = append(table, p&q|p&r|q&r)
				}
				kinds[k.kind]++
				ordered := k.a < k.b
				switch k.kind {
				case xorNode:
					ordered = ordered && !k.a.complement() && !k.b.complement()
				case muxNode:
					ordered = !k.a.complement() && !k.b.complement()
				case majNode:
					ordered = ordered && k.b < k.c && k.a&1+k.b&1+k.c&1 <= 1
				}
				if !ordered || int(max(k.a, k.b, k.c).node()) >= n {
					t.Fatalf("seed %d: node %d is %+v", seed, n, k)
				}
			}
			if at(e) != want {
				t.Fatalf("seed %d: gate %d of %d, %d, %d is %016b, want %016b", seed, op, a, b, c, at(e), want)
			}
			if again := build(); again != e {
				t.Fatalf("seed %d: gate %d of %d, %d, %d is %d, then %d", seed, op, a, b, c, e, again)
			}
			pool = append(pool, e)
		}
	}
	for k := andNode; k <= majNode; k++ {
		if kinds[k] < 50 {
			t.Errorf("only %d nodes of kind %d", kinds[k], k)
		}
	}
}
