// SPDX-License-Identifier: Apache-2.0

package lower

// This file tests that clones have nothing to do with each other, though they have lists in common: whatever is done to
// one leaves all others as they are, and has the same effect as on a copy that has nothing in common with any.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// deep is a copy that has no list in common with k.
func (k *knowledge) deep() *knowledge {
	n := newKnowledge(k.d)
	n.live, n.newInts, n.newAlls = k.live, k.newInts, k.newAlls
	for _, p := range k.vals {
		n.vals = append(n.vals, page{slices.Clone(p.list), true})
	}
	n.alias, n.diffs, n.news = slices.Clone(k.alias), slices.Clone(k.diffs), slices.Clone(k.news)
	n.lins, n.facts, n.exact = slices.Clone(k.lins), slices.Clone(k.facts), slices.Clone(k.exact)
	return n
}

// dump is everything that is known, and an error if the bindings are not where they should be.
func (k *knowledge) dump(t *testing.T) string {
	n := 0
	for p, x := range k.vals {
		for i, b := range x.list {
			if n++; int(b.v)/inPage != p || i > 0 && x.list[i-1].v >= b.v {
				t.Fatalf("variable %d is on page %d at %d", b.v, p, i)
			}
		}
	}
	if n != k.live {
		t.Fatalf("%d bindings, not %d", n, k.live)
	}
	out := ""
	for b := range k.bindings {
		out += fmt.Sprint(b.v, b.h, ";")
	}
	return out + fmt.Sprint(k.alias, k.diffs, k.lins, k.facts, k.exact, k.news, k.newInts, k.newAlls)
}

func TestClonesStayApart(t *testing.T) {
	seeds := 20
	if testing.Short() {
		seeds = 5
	}
	pages, linked, ordered, forms, facts := 0, 0, 0, 0, 0
	for seed := range seeds {
		l := &lottery{r: rand.New(rand.NewPCG(uint64(seed), 11)), w: NewWorld()}
		if _, err := l.w.Pass(nil); err != nil {
			t.Fatal(err)
		}
		m := l.w.NewMethod("M", prog.Pos{})
		var vars []*prog.Var
		for i := range 3 * inPage {
			ty := prog.Type{Sort: []term.Sort{term.BV(3), term.BV(5), term.BoolSort}[i%3], Signed: l.r.IntN(2) == 0}
			vars = append(vars, m.Local(fmt.Sprint("x", i), "x", ty))
		}
		// Few are used at a time, so that they have to do with each other.
		choose := func() {
			l.small, l.large, l.flags = nil, nil, nil
			for range 4 {
				i := 3 * l.r.IntN(len(vars)/3)
				l.small, l.large, l.flags = append(l.small, vars[i]), append(l.large, vars[i+1]), append(l.flags, vars[i+2])
			}
		}
		d := newDomain(&prog.Program{Pool: l.w.Pool}, m.M)
		d.base = d.n + 2
		list := []*knowledge{newKnowledge(d)}
		for range 300 {
			if l.r.IntN(20) == 0 || l.small == nil {
				choose()
			}
			i, j := l.r.IntN(len(list)), l.r.IntN(len(list))
			changed := map[int]bool{i: true}
			var got, want []*knowledge // after what was done, and after the same with deep copies
			k, c := list[i], list[i].deep()
			do := func(f func(*knowledge)) {
				f(k)
				f(c)
				got, want = []*knowledge{k}, []*knowledge{c}
			}
			before := make([]string, len(list))
			for n, x := range list {
				before[n] = x.dump(t)
			}
			var used []*prog.Var
			used = append(append(append(used, l.small...), l.large...), l.flags...)
			x, y := used[l.r.IntN(len(used))], used[l.r.IntN(len(used))]
			widen := l.r.IntN(4) == 0
			switch n := l.r.IntN(16); {
			case n == 0 && i != j:
				other := list[j].deep()
				changed[j] = true
				a, b := k.join(list[j], widen), c.join(other, widen)
				if a != b {
					t.Fatalf("seed %d: a join changes something: %v, and with copies: %v", seed, a, b)
				}
				got, want = []*knowledge{k, list[j]}, []*knowledge{c, other}
			case n == 1:
				v := d.index[x.Term]
				if len(k.alias) > 0 { // one that others are copies of
					v = k.alias[l.r.IntN(len(k.alias))].root
				}
				do(func(k *knowledge) { k.forget(v) })
			case n == 2:
				do(func(k *knowledge) { k.apart(d.index[x.Term]) })
			case n < 5:
				e := prog.Edge{Kind: prog.AssignEdge, Vars: []*prog.Var{x}, Exprs: []*term.Term{l.value(x.Type)}}
				if x != y {
					e.Vars, e.Exprs = append(e.Vars, y), append(e.Exprs, l.value(y.Type))
				}
				got, want = k.step(&e), c.step(&e)
			case n < 7:
				list := map[int][]*prog.Var{3: l.small, 5: l.large, 0: l.flags}[x.Type.Sort.Width]
				e := prog.Edge{Kind: prog.AssignEdge, Vars: []*prog.Var{x}, Exprs: []*term.Term{l.pick(list)}}
				got, want = k.step(&e), c.step(&e)
			case n < 10:
				e := prog.Edge{Kind: prog.AssignEdge, Vars: []*prog.Var{l.flags[l.r.IntN(len(l.flags))]}, Exprs: []*term.Term{l.w.Pool.Bool(l.r.IntN(2) == 0)}}
				got, want = k.step(&e), c.step(&e)
			case n < 13:
				e := prog.Edge{Kind: prog.AssumeEdge, Exprs: []*term.Term{l.condition(2)}}
				got, want = k.step(&e), c.step(&e)
			default:
				do(func(k *knowledge) { *k = *k.clone() })
				got, want = append(got, k.clone()), append(want, k.deep())
			}
			if len(got) != len(want) {
				t.Fatalf("seed %d: %d cases, and with copies %d", seed, len(got), len(want))
			}
			for n := range got {
				if a, b := got[n].dump(t), want[n].dump(t); a != b {
					t.Fatalf("seed %d: after a step\n%s\nand with copies\n%s", seed, a, b)
				}
			}
			for n, x := range list {
				if a := x.dump(t); !changed[n] && a != before[n] {
					t.Fatalf("seed %d: was\n%s\nand is, though another was changed\n%s", seed, before[n], a)
				}
			}
			// What cannot be, or is one of several, goes on elsewhere.
			switch {
			case len(got) == 0:
				list[i] = newKnowledge(d)
			case !changed[j] || i == j:
				list[i] = got[0]
				list = append(list, got[1:]...)
			}
			if len(list) > 6 {
				list = list[len(list)-6:]
			}
			for _, p := range list[0].vals {
				if len(p.list) > 0 {
					pages++
				}
			}
			linked += len(list[0].alias)
			ordered += len(list[0].diffs)
			forms += len(list[0].lins)
			facts += len(list[0].facts)
		}
	}
	if n := 300 * seeds; pages < n || linked < n/4 || ordered < n/4 || forms < n/4 || facts < n/4 {
		t.Errorf("the test is weak: %d pages, %d copies, %d differences, %d inequalities, %d facts in %d steps", pages, linked, ordered, forms, facts, n)
	}
}

// TestFullPages: what state is in the beginning is assigned though the domain counts no primed variables, also where the
// state takes whole pages.
func TestFullPages(t *testing.T) {
	for _, n := range []int{1, inPage - 1, inPage, inPage + 1, 2 * inPage} {
		w := NewWorld()
		if _, err := w.Pass(nil); err != nil {
			t.Fatal(err)
		}
		p := &prog.Program{Pool: w.Pool}
		for i := range n {
			p.State = append(p.State, w.State(fmt.Sprint("s", i), "s", prog.Type{Sort: term.BV(8)}, w.Pool.Int(8, int64(i)), prog.Pos{}))
		}
		k := newKnowledge(newDomain(p, &prog.Method{}))
		for _, s := range p.State {
			k.assign([]*prog.Var{s}, []*term.Term{s.Init})
		}
		k.dump(t)
		for i := range n {
			if h, ok := k.get(i); !ok || h.lo != int64(i) || h.hi != int64(i) || k.live != n {
				t.Errorf("%d of %d, of which %d are known: %v", i, n, k.live, h)
			}
		}
	}
}
