// SPDX-License-Identifier: Apache-2.0

package engine

// This file checks what promised invariants are used for: verdicts are those of the
// interpreter, as long as the promise is kept, and what a promise says need not be
// found.

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// reachable returns the states that an object can be in between calls; false: they
// are too many for a test.
func reachable(t *testing.T, p *prog.Program, most int) ([]prog.State, bool) {
	t.Helper()
	ctx := context.Background()
	in := prog.NewInterp(p, prog.InterpOptions{MaxConfigs: 1 << 12, MaxDomain: 1 << 8})
	seen := map[string]bool{}
	var all []prog.State
	calls := func(states []prog.State, m *prog.Method) bool {
		args := [][]term.Value{{}}
		for _, v := range m.Params {
			var next [][]term.Value
			for _, a := range args {
				for _, x := range valuesOf(v.Type.Sort) {
					next = append(next, append(slices.Clone(a), x))
				}
			}
			if args = next; len(args) > 256 {
				return false
			}
		}
		for _, s := range states {
			for _, a := range args {
				o, err := in.Call(ctx, s, m, a)
				if err != nil {
					return false
				}
				for _, r := range o.Returns {
					if key := fmt.Sprint(r.State); !seen[key] {
						seen[key] = true
						all = append(all, r.State)
					}
				}
			}
		}
		return len(all) <= most
	}
	initial, err := in.Initial(ctx)
	if err != nil {
		return nil, false
	}
	for _, m := range p.Constructors {
		if !calls(initial, m) {
			return nil, false
		}
	}
	for at := 0; at < len(all); at++ {
		for _, m := range p.Methods {
			if !calls(all[at:at+1], m) {
				return nil, false
			}
		}
	}
	return all, true
}

func valuesOf(s term.Sort) (out []term.Value) {
	n := 2
	switch s.Kind {
	case term.EnumKind:
		n = len(s.Enum.Values)
	case term.BitVecKind:
		n = 1 << min(s.Width, 9)
	}
	for i := range n {
		out = append(out, term.Value{Lo: uint64(i)})
	}
	return out
}

// TestPromisedRandom promises of random components which states they can be in, or
// which values variables can have. No verdict contradicts the interpreter.
func TestPromisedRandom(t *testing.T) {
	t.Parallel()
	used, unknown, without := 0, 0, 0
	seeds := loops(120, 400)
	for seed := range seeds {
		source := corpus.Random(int64(seed), corpus.RandomOptions{})
		p, err := prog.Parse("random.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		states, ok := reachable(t, p, 40)
		if !ok || len(states) == 0 {
			continue
		}
		q, err := prog.Parse("random.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var whole []*term.Term
		for _, s := range states {
			var eqs []*term.Term
			for k, v := range q.State {
				eqs = append(eqs, q.Pool.Eq(v.Term, q.Pool.Const(v.Type.Sort, s[k])))
			}
			whole = append(whole, q.Pool.And(eqs...))
		}
		q.Invariants = []*term.Term{q.Pool.Or(whole...)}
		if seed%2 == 0 {
			q.Invariants = nil
			for k, v := range q.State {
				var is []*term.Term
				for _, s := range states {
					is = append(is, q.Pool.Eq(v.Term, q.Pool.Const(v.Type.Sort, s[k])))
				}
				if t := q.Pool.Or(is...); !t.IsConst() {
					q.Invariants = append(q.Invariants, t)
				}
			}
		}
		if len(q.Invariants) == 0 || q.Invariants[0].IsConst() {
			continue
		}
		if err := q.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ctx := context.Background()
		i, err := Synthesize(ctx, problem.Problem{Program: q, Engine: "cegar", Solver: embedded, Budget: cegarBudget})
		if err != nil {
			if !problem.Undecided(err) {
				t.Errorf("seed %d: %v\n%s", seed, err, q)
			}
			continue
		}
		used++
		unknown += len(i.Unknown)
		if err := newOracle(p, i).run(ctx, 3_000); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, q)
		}
		if j, err := Synthesize(ctx, problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Budget: cegarBudget}); err == nil {
			without += len(j.Unknown)
		}
	}
	t.Logf("%d components; %d cells unknown, %d without promises", used, unknown, without)
	if used < seeds/4 {
		t.Errorf("the test is weak: %d components", used)
	}
	if unknown > without+without/4 {
		t.Errorf("promises do harm: %d cells are unknown, without them %d", unknown, without)
	}
}

// TestPromised has a component with a promise that nothing else tells: a successful
// read has read something only if what is left is not negative, and the object may
// have been in any state before.
func TestPromised(t *testing.T) {
	t.Parallel()
	const source = `component Window
		state off int64 = any, n int64 = any, last int8 = 0%s
		method Read() (ok bool) {
			last = 0
			if off >= n { return false }
			var c int64 = any
			assume c >= 0 && c <= 4
			assume n - off <= 0 || c > 0
			off = off + c
			last = int8(c)
			return true
		}
		method Unread() { if last == 0 { error "nothing was read" }; off = off - int64(last); last = 0 }`
	for _, c := range []struct {
		promise, verdict string
	}{
		{"\n\t\tinvariant off >= 0\n\t\tinvariant off <= n && n <= 1001000", "allowed"},
		{"\n\t\tinvariant off >= 0", "allowed"},
		{"\n\t\tinvariant off <= 0", "may-fail"},
		{"", "may-fail"},
	} {
		p := parse(t, fmt.Sprintf(source, c.promise))
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded})
		if err != nil {
			t.Fatal(err)
		}
		read := i.Accepts(steps([]string{"Read=true"}))
		if v := i.Verdict(read.State, "Unread"); !problem.Complete(i) || v.String() != c.verdict {
			t.Errorf("with %q: after a read Unread is %v, want %s\n%s", c.promise, v, c.verdict, file(t, i))
		}
	}
}
