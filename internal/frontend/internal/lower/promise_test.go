// SPDX-License-Identifier: Apache-2.0

package lower

// This file checks that promises say nothing that is not known: what is known is
// about integers, promises are about machine integers.

import (
	"math/rand/v2"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// TestPromises tries all values of the variables that random knowledge is about.
func TestPromises(t *testing.T) {
	const width = 3
	counts := map[string]int{}
	for seed := range 400 {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		w := NewWorld()
		if _, err := w.Pass(nil); err != nil {
			t.Fatal(err)
		}
		signed := r.IntN(2) == 0
		var state []*prog.Var
		for _, name := range []string{"x", "y", "z"} {
			state = append(state, w.State(name, name, prog.Type{Sort: term.BV(width), Signed: signed}, nil, prog.Pos{}))
		}
		state = append(state, w.State("b", "b", prog.Type{Sort: term.BoolSort}, nil, prog.Pos{}))
		p := &prog.Program{Name: "random", Pool: w.Pool, State: state}
		k := newKnowledge(newDomain(p, &prog.Method{}))
		for v := range 3 {
			if lo, hi := k.d.limits(v); r.IntN(3) > 0 {
				from := lo + r.Int64N(hi-lo+1)
				k.narrow(v, from, from+r.Int64N(hi-from+1))
			}
		}
		if r.IntN(3) == 0 {
			k.set(3, held{bits: []uint64{1 + r.Uint64N(3)}})
		}
		small := func() int64 { return r.Int64N(9) - 4 }
		ok := true
		for range r.IntN(3) {
			a := r.IntN(3)
			ok = ok && k.ordered(a, (a+1+r.IntN(2))%3, small())
		}
		if r.IntN(2) == 0 {
			f := form{c: small()}
			for v := range 3 {
				if c := r.Int64N(5) - 2; c != 0 {
					f.ts = append(f.ts, mono{v, c})
				}
			}
			ok = ok && k.atMost(f)
		}
		if !ok {
			continue // there are no such states
		}
		list := promises([]*knowledge{nil, k})
		counts["promises"] += len(list)
		for _, c := range list {
			if len(term.FreeVars(c)) > 1 {
				counts["of several"]++
			}
		}
		for n := range 1 << (3*width + 1) {
			m := term.Model{state[3].Term: {Lo: uint64(n & 1)}}
			for i, v := range state[:3] {
				m[v.Term] = term.Value{Lo: uint64(n>>(1+i*width)) & (1<<width - 1)}
			}
			if k.check(m) != "" {
				continue
			}
			counts["states"]++
			for _, c := range list {
				if !term.Holds(c, m) {
					t.Fatalf("seed %d: %v is promised, but not of %v, which %+v allows", seed, c, m, k)
				}
			}
		}
	}
	if counts["promises"] < 800 || counts["of several"] < 100 || counts["states"] < 5000 {
		t.Errorf("the test is weak: %v", counts)
	}
}
