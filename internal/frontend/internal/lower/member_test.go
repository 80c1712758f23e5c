// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// TestMember checks conditions about one enum variable against going through its values, and that no others are
// read as such. The enum has more values than one word has bits.
func TestMember(t *testing.T) {
	const values = 70
	few := make([]string, values)
	for i := range few {
		few[i] = string(rune('!' + i))
	}
	sort := term.Sort{Kind: term.EnumKind, Enum: &term.Enum{Name: "few", Values: few}}
	read, refined := 0, 0
	for seed := range 2000 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		w := NewWorld()
		if _, err := w.Pass(nil); err != nil {
			t.Fatal(err)
		}
		m := (&lottery{r: r, w: w}).method("A", nil)
		pool := w.Pool
		x, y := m.Local("x", "x", prog.Type{Sort: sort}), m.Local("y", "y", prog.Type{Sort: sort})
		var condition func(depth int) *term.Term
		condition = func(depth int) *term.Term {
			if depth == 0 || r.IntN(3) == 0 {
				v := x
				if r.IntN(20) == 0 {
					v = y
				}
				return pool.Eq(v.Term, pool.Const(sort, term.Value{Lo: uint64(60 + r.IntN(10))}))
			}
			var args []*term.Term
			for range 2 + r.IntN(4) {
				args = append(args, condition(depth-1))
			}
			switch r.IntN(3) {
			case 0:
				return pool.Not(pool.Or(args...))
			case 1:
				return pool.And(args...)
			}
			return pool.Or(args...)
		}
		c := condition(2)
		d := newDomain(&prog.Program{Pool: pool}, m.M)
		about := term.FreeVars(c)
		got, ok := d.member(c)
		if want := len(about) == 1; ok != want && !c.IsConst() {
			t.Fatalf("seed %d: %v is a condition about one variable: %v, want %v", seed, c, ok, want)
		}
		if !ok {
			continue
		}
		read++
		holds := func(n int) bool {
			return pool.Substitute(c, map[*term.Term]*term.Term{about[0]: pool.Const(sort, term.Value{Lo: uint64(n)})}).IsTrue()
		}
		// What is known before: the variable is one of some values.
		k := newKnowledge(d)
		before := held{bits: make([]uint64, 2)}
		var list []int
		for n := range values {
			if n == 65 || r.IntN(4) == 0 {
				before.bits[n/64] |= 1 << (n % 64)
				list = append(list, n)
			}
		}
		k.set(got.v, before)
		truth := 0
		after := [2]held{{bits: make([]uint64, 2)}, {bits: make([]uint64, 2)}}
		for _, n := range list {
			side := 0
			if holds(n) {
				side = 1
			}
			truth |= []int{mayNot, may}[side]
			after[side].bits[n/64] |= 1 << (n % 64)
		}
		if k.truth(c) != truth {
			t.Errorf("seed %d: with %v, %v may be %d, want %d", seed, before, c, k.truth(c), truth)
		}
		for side, want := range after {
			n := k.clone()
			if could := n.refine(c, side == 1); could == want.empty() || could && !n.held(got.v).equal(want) {
				t.Errorf("seed %d: with %v, %v being %v leaves %v, want %v", seed, before, c, side == 1, n.held(got.v), want)
			}
			refined++
		}
		if !slices.Equal(k.held(got.v).bits, before.bits) {
			t.Errorf("seed %d: what was known before has changed", seed)
		}
	}
	if read < 500 || refined < 1000 {
		t.Errorf("only %d conditions were read", read)
	}
}
