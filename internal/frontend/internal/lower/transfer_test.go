// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"math/rand/v2"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// TestUnlike checks that conditions of which it is said that nothing is learned from one of them being true
// teach nothing when the cases are gone through.
func TestUnlike(t *testing.T) {
	said, cases := 0, 0
	for seed := range 3000 {
		l := &lottery{r: rand.New(rand.NewPCG(uint64(seed), 11)), w: NewWorld()}
		if _, err := l.w.Pass(nil); err != nil {
			t.Fatal(err)
		}
		m := l.method("A", nil)
		pool := l.w.Pool
		few := term.Sort{Kind: term.EnumKind, Enum: &term.Enum{Name: "few", Values: []string{"a", "b", "c"}}}
		texts := []*prog.Var{m.Local("e", "e", prog.Type{Sort: few}), m.Local("g", "g", prog.Type{Sort: few})}
		l.flags = append(l.flags, m.Local("c", "c", prog.Type{Sort: term.BoolSort}))
		condition := func() *term.Term {
			c := l.condition(0)
			switch l.r.IntN(3) {
			case 0:
				c = l.pick(l.flags)
			case 1:
				c = pool.Eq(l.pick(texts), pool.Const(few, term.Value{Lo: uint64(l.r.IntN(3))}))
			}
			if l.r.IntN(2) == 0 {
				c = pool.Not(c)
			}
			return c
		}
		k := newKnowledge(newDomain(&prog.Program{Pool: pool}, m.M))
		for range l.r.IntN(4) {
			if n := k.clone(); n.assume(condition()) {
				k = n
			}
		}
		yes := l.r.IntN(2) == 0
		want := may
		if !yes {
			want = mayNot
		}
		var list []*term.Term
		for range 2 + l.r.IntN(2) {
			if c := condition(); k.truth(c) == may|mayNot || k.truth(c) == want {
				list = append(list, c)
			}
		}
		cases++
		if len(list) < 2 || !k.unlike(list, yes) {
			continue
		}
		said++
		before := k.clone()
		var all []*knowledge
		for _, c := range list {
			if n := k.clone(); n.refine(c, yes) {
				all = append(all, n)
			}
		}
		if !k.become(all...) {
			t.Fatalf("seed %d: none of %v can be", seed, list)
		}
		for v := range before.d.vars {
			if b, a := before.held(v), k.held(v); !a.equal(b) {
				t.Errorf("seed %d: one of %v (%v) says of %v: %v, before %v", seed, list, yes, before.d.vars[v], a, b)
			}
		}
		for _, d := range k.diffs {
			if c, ok := before.diff(d.a, d.b); !ok || c > d.c {
				t.Errorf("seed %d: one of %v (%v) says of a difference: %v", seed, list, yes, d)
			}
		}
		for _, x := range k.alias {
			if before.root(x.v) != before.root(x.root) {
				t.Errorf("seed %d: one of %v (%v) says of copies: %v", seed, list, yes, x)
			}
		}
	}
	if said < cases/10 {
		t.Errorf("it was said of %d lists of %d only", said, cases)
	}
}

// TestFits checks that where a variable is said to fit a constant, refine finds that it can be the constant; also
// where what is known cannot be, of differences that contradict each other.
func TestFits(t *testing.T) {
	said, denied := 0, 0
	for seed := range 20000 {
		l := &lottery{r: rand.New(rand.NewPCG(uint64(seed), 12)), w: NewWorld()}
		if _, err := l.w.Pass(nil); err != nil {
			t.Fatal(err)
		}
		m := l.method("A", nil)
		pool := l.w.Pool
		m.Local("w", "w", prog.Type{Sort: term.BV(64), Signed: true})
		k := newKnowledge(newDomain(&prog.Program{Pool: pool}, m.M))
		var ints []int
		for v := range k.d.n {
			if k.d.width[v] > 0 {
				ints = append(ints, v)
			}
		}
		one := func() int { return ints[l.r.IntN(len(ints))] }
		small := func() int64 { return int64(l.r.IntN(7) - 3) }
		for range l.r.IntN(6) {
			n := k.clone()
			switch l.r.IntN(4) {
			case 0:
				if n.assume(l.condition(0)) {
					k = n
				}
			case 1:
				if n.narrow(one(), small(), small()) {
					k = n
				}
			case 2:
				if n.ordered(one(), one(), small()) {
					k = n
				}
			case 3: // whatever else is known
				if a, b := one(), one(); a != b {
					k.put(a, b, small())
				}
			}
		}
		for range 4 {
			v := k.d.vars[one()]
			c := pool.Eq(v, pool.Int(v.Sort().Width, small()))
			yes := true
			for range l.r.IntN(3) {
				c, yes = pool.Not(c), !yes
			}
			fits, can := k.fits(c, yes), k.clone().refine(c, yes)
			if fits && !can {
				t.Fatalf("seed %d: %v (%v) fits and cannot be: %v", seed, c, yes, k.diffs)
			}
			if fits {
				said++
			}
			if lo, hi := k.rangeOf(k.root(k.d.index[v])); !can && lo <= hi && k.truth(c) == may|mayNot {
				denied++ // the interval alone does not say it
			}
		}
	}
	if said < 20000 || denied < 100 {
		t.Errorf("%d fit, and of %d differences say that they do not", said, denied)
	}
}
