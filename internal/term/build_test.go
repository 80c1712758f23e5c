// SPDX-License-Identifier: Apache-2.0

package term

import (
	"math/big"
	"os"
	"strings"
	"testing"
)

// TestConstructorsExhaustive applies every constructor at widths 1..3 to every
// mix of variables (also the same one twice) and constants, and compares with
// the naive definition on all values.
func TestConstructorsExhaustive(t *testing.T) {
	g := newSource(1)
	for _, c := range allConstructors() {
		in, out, _ := strings.Cut(c.shape, ":")
		for w := 1; w <= 3; w++ {
			if w > 1 && !strings.ContainsAny(in, "vwe") {
				continue
			}
			sorts := make([]Sort, len(in))
			for i, x := range in {
				switch x {
				case 'b':
					sorts[i] = BoolSort
				case 'e':
					sorts[i] = g.enums[w]
				default:
					sorts[i] = BV(w)
				}
			}
			for _, ix := range allIndices(c, w) {
				res := map[string]Sort{"b": BoolSort, "v": BV(w), "e": g.enums[w]}[out]
				if out == "n" {
					res = BV(ix[2])
				}
				// Every argument is one of two variables or a constant.
				args := make([]*raw, len(in))
				var rec func(i int)
				rec = func(i int) {
					if i < len(args) {
						for v := range 2 {
							args[i] = g.variable(sorts[i], v)
							rec(i + 1)
						}
						for x := range 1 << sorts[i].Bits() {
							if !sorts[i].Valid(Value{Lo: uint64(x)}) {
								break
							}
							args[i] = &raw{sort: sorts[i], val: big.NewInt(int64(x))}
							rec(i + 1)
						}
						return
					}
					r := &raw{con: c, sort: res, args: args, i: ix[0], j: ix[1]}
					p := NewPool()
					x := r.term(p)
					checkForm(t, p, x)
					allModels(r.rawVars(p), func(m Model, b map[string]*big.Int) {
						if got, want := Eval(x, m), r.value(b); !sameValue(got, want) {
							t.Fatalf("%s = %s is %v, want %v in %v", r, x, got, want, b)
						}
					})
				}
				rec(0)
			}
		}
	}
}

// allIndices are all choices of indices and the result width.
func allIndices(c *constructor, w int) [][3]int {
	if c.name == "Concat" {
		return [][3]int{{0, 0, 2 * w}}
	}
	if c.indices == nil {
		return [][3]int{{}}
	}
	// Enumerate the choices that indices asks for.
	var all [][3]int
	var rec func(prefix []int)
	rec = func(prefix []int) {
		n, more := 0, 0
		i, j, width := c.indices(func(k int) int {
			if n++; n <= len(prefix) {
				return prefix[n-1]
			}
			if n == len(prefix)+1 {
				more = k
			}
			return 0
		}, w)
		if n == len(prefix) {
			all = append(all, [3]int{i, j, width})
			return
		}
		for k := range more {
			rec(append(prefix[:len(prefix):len(prefix)], k))
		}
	}
	rec(nil)
	return all
}

// rounds is the number of rounds of a random test: few with -short, many in CI.
func rounds(normal, ci int) int {
	switch {
	case testing.Short():
		return normal / 4
	case os.Getenv("CI") == "true":
		return ci
	}
	return normal
}

// TestNestings builds random nestings at small widths and compares them with
// the naive definitions under all models.
func TestNestings(t *testing.T) {
	n := rounds(12000, 60000)
	g := newSource(2, 1, 2, 3)
	for i := range n {
		r := g.expr(g.sort(), 1+g.pick(4))
		p := NewPool()
		x := r.term(p)
		checkForm(t, p, x)
		vars := r.rawVars(p)
		check := func(m Model, b map[string]*big.Int) {
			if got, want := Eval(x, m), r.value(b); !sameValue(got, want) {
				t.Fatalf("%d: %s = %s is %v, want %v in %v", i, r, x, got, want, b)
			}
		}
		bits := 0
		for _, v := range vars {
			bits += v.sort.Bits()
		}
		if bits <= 6 {
			allModels(vars, check)
			continue
		}
		for range 64 {
			check(g.randomModel(vars))
		}
	}
}

// TestNestingsWide does the same at the widths of machines.
func TestNestingsWide(t *testing.T) {
	n := rounds(12000, 60000)
	g := newSource(3, 8, 32, 64, 65, 127, 128)
	for i := range n {
		if i%100 == 0 { // few widths at a time, so that operators nest
			g.widths = [][]int{{8}, {32}, {64}, {128}, {8, 9, 16}, {60, 64, 66}, {1, 127, 128}}[i/100%7]
		}
		r := g.expr(g.sort(), 1+g.pick(4))
		p := NewPool()
		x := r.term(p)
		checkForm(t, p, x)
		vars := r.rawVars(p)
		for range 20 {
			m, b := g.randomModel(vars)
			if got, want := Eval(x, m), r.value(b); !sameValue(got, want) {
				t.Fatalf("%d: %s = %s is %v, want %v in %v", i, r, x, got, want, b)
			}
		}
	}
}
