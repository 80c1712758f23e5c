// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// TestCopiesRandom runs random methods, most of whose assignments are copies,
// before and after: they end in the same states.
func TestCopiesRandom(t *testing.T) {
	changed, ended := 0, 0
	for seed := range 400 {
		l := &lottery{r: rand.New(rand.NewPCG(uint64(seed), 11)), w: NewWorld()}
		if _, err := l.w.Pass(nil); err != nil {
			t.Fatal(err)
		}
		state := []*prog.Var{
			l.w.State("s", "s", prog.Type{Sort: term.BV(3), Signed: true}, l.w.Pool.Int(3, 1), prog.Pos{}),
			l.w.State("u", "u", prog.Type{Sort: term.BV(3)}, l.w.Pool.Int(3, 2), prog.Pos{}),
			l.w.State("f", "f", prog.Type{Sort: term.BoolSort}, l.w.Pool.False(), prog.Pos{}),
		}
		p := &prog.Program{Name: "random", Pool: l.w.Pool, State: state}
		m := l.method("A", state)
		for i := range m.M.Edges {
			e := &m.M.Edges[i]
			for k, v := range e.Vars {
				if e.Kind != prog.AssignEdge || l.r.IntN(4) == 0 {
					continue
				}
				var same []*prog.Var
				for _, w := range p.Vars(m.M) {
					if w.Type.Sort == v.Type.Sort {
						same = append(same, w)
					}
				}
				e.Exprs[k] = l.pick(same)
			}
		}
		ends := func() string {
			out, ok := runsOf(p, m.M, []uint64{1, 2, 0}, func(config, term.Model) {})
			if !ok {
				return "too many"
			}
			var all []string
			for _, e := range out {
				all = append(all, fmt.Sprint(e))
			}
			slices.Sort(all)
			ended += len(all)
			return fmt.Sprint(slices.Compact(all))
		}
		text := describe(p, []*Method{m})
		before := ends()
		m.copies(p)
		if after := describe(p, []*Method{m}); after != text {
			changed++
			if got := ends(); got != before {
				t.Fatalf("seed %d:\n%s\nends in %s, and as\n%s\nin %s", seed, text, before, after, got)
			}
		}
	}
	if changed < 40 || ended < 1000 {
		t.Errorf("the test is weak: %d methods changed, %d ends", changed, ended)
	}
}
