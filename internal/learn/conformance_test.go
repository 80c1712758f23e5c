// SPDX-License-Identifier: Apache-2.0

package learn

// This file holds every learner to the same contract: the right automaton,
// the smallest one, no question twice, every fault reported.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/automata"
)

var update = flag.Bool("update", false, "rewrite golden files")

// check learns target in one way and compares the result with the minimal
// automaton.
func check(t *testing.T, l Learner, target, want *automata.DFA, long int, closed, cached bool, seed uint64) {
	t.Helper()
	m := newMachine(target, long, closed)
	var teacher Teacher = m
	if cached {
		teacher = NewCache(target.Letters, m)
	}
	states := 0
	opt := Options{Seed: seed, PrefixClosed: closed, Progress: func(s, q int) {
		if s < states || q > m.stats.Queries {
			t.Errorf("progress %d states, %d queries after %d states, %d queries", s, q, states, m.stats.Queries)
		}
		states = s
	}}
	res, err := l.Run(t.Context(), target.Letters, teacher, opt)
	if err == nil {
		err = m.fault
	}
	if err != nil {
		t.Fatalf("%v\ntarget %v", err, target)
	}
	if !automata.Equal(res.DFA, want) {
		t.Fatalf("target %v\nlearned %v\nwant %v", target, res.DFA, want)
	}
	if res.Refine != nil || states != want.States() {
		t.Fatalf("refinement %v, last progress %d states, want %d", res.Refine, states, want.States())
	}
	got := res.Stats
	got.Hits = 0
	if got != m.stats {
		t.Fatalf("learner counted %+v, teacher %+v", got, m.stats)
	}
	if !cached {
		return
	}
	// The answers in the cache tell all states apart, so the first hypothesis
	// that agrees with them is right.
	res, err = l.Run(t.Context(), target.Letters, teacher, Options{Seed: seed, PrefixClosed: closed})
	if err != nil || m.fault != nil || !automata.Equal(res.DFA, want) {
		t.Fatalf("second run: %v, %v", err, m.fault)
	}
	if res.Stats.Equivalences != 1 {
		t.Fatalf("second run asked %+v", res.Stats)
	}
}

func TestConformance(t *testing.T) {
	seeds, most := uint64(20), 30
	if os.Getenv("CI") == "true" {
		seeds, most = 40, 40
	}
	for _, l := range Learners() {
		for _, k := range kinds() {
			t.Run(l.Name+"/"+k.name, func(t *testing.T) {
				t.Parallel()
				for seed := range seeds {
					r := rand.New(rand.NewPCG(seed, 7))
					d := k.make(r, 1+r.IntN(most), 1+r.IntN(10))
					want := automata.Minimize(d)
					check(t, l, d, want, 0, false, true, seed/2)
					check(t, l, d, want, 40, false, false, seed/2)
					if k.closed {
						check(t, l, d, want, 0, true, false, seed/2)
						check(t, l, d, want, 40, true, true, seed/2)
					}
				}
				if testing.Short() || k.name == "lock" || k.name == "counter" {
					return
				}
				d := k.make(rand.New(rand.NewPCG(3, 7)), 200, 3)
				check(t, l, d, automata.Minimize(d), 0, k.closed, true, 0)
				check(t, l, d, automata.Minimize(d), 80, k.closed, false, 0)
			})
		}
	}
}

// TestExhaustive learns every automaton of up to two states with two letters
// and four verdicts, and every one of three states with two verdicts.
func TestExhaustive(t *testing.T) {
	for _, l := range Learners() {
		for _, size := range []struct{ states, letters, verdicts int }{
			{1, 0, 4}, {1, 1, 4}, {2, 1, 4}, {2, 2, 4}, {4, 1, 3}, {3, 2, 2},
		} {
			for d := range allDFAs(size.states, size.letters, size.verdicts) {
				check(t, l, d, automata.Minimize(d), 0, false, false, 0)
			}
		}
	}
}

// allDFAs enumerates all automata of a size; verdicts are the first ones.
func allDFAs(states, letters, verdicts int) func(yield func(*automata.DFA) bool) {
	return func(yield func(*automata.DFA) bool) {
		digits := make([]int, states*letters+states)
		for {
			d := &automata.DFA{Letters: letters}
			for i, c := range digits {
				if i < states*letters {
					d.Next = append(d.Next, int32(c))
				} else {
					d.Out = append(d.Out, automata.Verdict(c))
				}
			}
			if !yield(d) {
				return
			}
			i := 0
			for ; i < len(digits); i++ {
				base := states
				if i >= states*letters {
					base = verdicts
				}
				if digits[i]++; digits[i] < base {
					break
				}
				digits[i] = 0
			}
			if i == len(digits) {
				return
			}
		}
	}
}

// A meddler disturbs another teacher at the question with number at, counted
// from 0 over both kinds.
type meddler struct {
	Teacher
	asked, at int
	member    func() (Answer, error)               // instead of an answer; nil error and verdict Unknown: answer
	refute    func() (Counterexample, bool, error) // the same
	then      func()                               // called at the question, before it is answered
}

func (m *meddler) Member(ctx context.Context, word []int) (Answer, error) {
	m.asked++
	if m.asked == m.at+1 {
		if m.then != nil {
			m.then()
		}
		if m.member != nil {
			return m.member()
		}
	}
	return m.Teacher.Member(ctx, word)
}

func (m *meddler) Refute(ctx context.Context, h *automata.DFA) (Counterexample, bool, error) {
	m.asked++
	if m.asked == m.at+1 {
		if m.then != nil {
			m.then()
		}
		if m.refute != nil {
			return m.refute()
		}
	}
	return m.Teacher.Refute(ctx, h)
}

// specimen is a target for tests of every single question.
func specimen(closed bool) *automata.DFA {
	r := rand.New(rand.NewPCG(11, 12))
	if closed {
		return closedRandom4(r, 8, 4)
	}
	return random(r, 7, 3, automata.Accept, automata.Reject, automata.Unknown)
}

// each calls f for every learner, with and without promise of prefix-closure,
// with the number of questions an undisturbed run asks.
func each(t *testing.T, f func(t *testing.T, l Learner, target *automata.DFA, opt Options, questions int)) {
	for _, l := range Learners() {
		for _, closed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/closed=%v", l.Name, closed), func(t *testing.T) {
				target := specimen(closed)
				opt := Options{PrefixClosed: closed}
				res, err := l.Run(t.Context(), target.Letters, newMachine(target, 20, closed), opt)
				if err != nil {
					t.Fatal(err)
				}
				questions := res.Stats.Queries + res.Stats.Equivalences
				if questions < 20 {
					t.Fatalf("only %d questions", questions)
				}
				f(t, l, target, opt, questions)
			})
		}
	}
}

func TestTeacherError(t *testing.T) {
	each(t, func(t *testing.T, l Learner, target *automata.DFA, opt Options, questions int) {
		broken := errors.New("broken")
		for at := range questions {
			m := &meddler{Teacher: newMachine(target, 20, opt.PrefixClosed), at: at}
			m.member = func() (Answer, error) { return Answer{Verdict: automata.Accept}, broken }
			m.refute = func() (Counterexample, bool, error) { return Counterexample{}, false, broken }
			res, err := l.Run(t.Context(), target.Letters, m, opt)
			if !errors.Is(err, broken) || errors.Unwrap(err) != broken {
				t.Fatalf("question %d: error %v is not wrapped once", at, err)
			}
			if res != (Result{}) {
				t.Fatalf("question %d: a result beside the error: %+v", at, res)
			}
			if m.asked != at+1 {
				t.Fatalf("question %d: %d questions after the error", at, m.asked-at-1)
			}
		}
	})
}

func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, l Learner, target *automata.DFA, opt Options, questions int) {
		for at := range questions {
			ctx, cancel := context.WithCancel(t.Context())
			m := &meddler{Teacher: newMachine(target, 20, opt.PrefixClosed), at: at, then: cancel}
			res, err := l.Run(ctx, target.Letters, m, opt)
			if at == questions-1 {
				// The last question is answered: there is nothing to stop.
				if err != nil || res.DFA == nil {
					t.Fatalf("last question: %v", err)
				}
				continue
			}
			if !errors.Is(err, context.Canceled) || res != (Result{}) {
				t.Fatalf("question %d: result %+v, error %v", at, res, err)
			}
			if m.asked != at+1 {
				t.Fatalf("question %d: %d questions after cancellation", at, m.asked-at-1)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		m := newMachine(target, 20, false)
		if _, err := l.Run(ctx, target.Letters, m, opt); !errors.Is(err, context.Canceled) || m.stats != (Stats{}) {
			t.Fatalf("cancelled before the start: error %v, questions %+v", err, m.stats)
		}
	})
}

func TestBudget(t *testing.T) {
	each(t, func(t *testing.T, l Learner, target *automata.DFA, opt Options, _ int) {
		full, err := l.Run(t.Context(), target.Letters, newMachine(target, 20, opt.PrefixClosed), opt)
		if err != nil {
			t.Fatal(err)
		}
		try := func(what string, limit int, enough bool, opt Options) {
			m := newMachine(target, 20, opt.PrefixClosed)
			res, err := l.Run(t.Context(), target.Letters, m, opt)
			if enough {
				if err != nil || !automata.Equal(res.DFA, full.DFA) || res.Stats != full.Stats {
					t.Fatalf("%d %s are enough, but error %v", limit, what, err)
				}
				return
			}
			var b *BudgetError
			if !errors.As(err, &b) || b.What != what || b.Limit != limit || res != (Result{}) {
				t.Fatalf("%d %s: result %+v, error %v", limit, what, res, err)
			}
			if got := m.stats; b.Stats.Queries != got.Queries || b.Stats.Symbols != got.Symbols {
				t.Fatalf("%d %s: error has %+v, teacher %+v", limit, what, b.Stats, got)
			}
			if opt.MaxQueries > 0 && m.stats.Queries != limit {
				t.Fatalf("%d %s: asked %d", limit, what, m.stats.Queries)
			}
		}
		for n := 1; n <= full.DFA.States()+1; n++ {
			o := opt
			o.MaxStates = n
			try("states", n, n >= full.DFA.States(), o)
		}
		for n := 1; n <= full.Stats.Queries+1; n++ {
			o := opt
			o.MaxQueries = n
			try("membership queries", n, n >= full.Stats.Queries, o)
		}
	})
}

func TestWrongTeacher(t *testing.T) {
	each(t, func(t *testing.T, l Learner, target *automata.DFA, opt Options, questions int) {
		for _, c := range []struct {
			name   string
			member *Answer
			refute *Counterexample
			text   string
		}{
			{"verdict", &Answer{Verdict: 4}, nil, "verdict 4 does not exist"},
			{"letter", nil, &Counterexample{Word: []int{0, target.Letters}}, "letter that is not among"},
			{"negative", nil, &Counterexample{Word: []int{-1}}, "letter that is not among"},
			{"empty", nil, &Counterexample{}, "no counterexample: hypothesis and teacher say"},
			{"agrees", nil, &Counterexample{Word: []int{0}}, "about word [0]: it is no counterexample"},
			{"split", &Answer{Refine: &Refinement{target.Letters, 2}}, nil, "split letter"},
			{"split", nil, &Counterexample{Refine: &Refinement{0, 1}}, "into 1 parts"},
		} {
			tried := 0
			for at := range questions {
				m := &meddler{Teacher: newMachine(target, 20, opt.PrefixClosed), at: at}
				meddled := false
				if c.member != nil {
					m.member = func() (Answer, error) { meddled = true; return *c.member, nil }
				}
				if c.refute != nil {
					m.refute = func() (Counterexample, bool, error) { meddled = true; return *c.refute, true, nil }
				}
				res, err := l.Run(t.Context(), target.Letters, m, opt)
				if !meddled {
					continue // the question was of the other kind
				}
				tried++
				var wrong *TeacherError
				if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.text) || res != (Result{}) {
					t.Fatalf("%s at question %d: result %+v, error %v", c.name, at, res, err)
				}
			}
			if tried == 0 {
				t.Fatalf("%s: never happened", c.name)
			}
		}
	})
}

// duplicate returns d with letter x replaced by parts letters that do what
// it did.
func duplicate(d *automata.DFA, x, parts int) *automata.DFA {
	r := &automata.DFA{Letters: d.Letters + parts - 1, Out: d.Out}
	for q := range int32(d.States()) {
		for y := range r.Letters {
			r.Next = append(r.Next, d.Step(q, y-min(max(y-x, 0), parts-1)))
		}
	}
	return r
}

// TestRefine demands a refinement at every single question and goes on with
// the refined cache.
func TestRefine(t *testing.T) {
	each(t, func(t *testing.T, l Learner, target *automata.DFA, opt Options, questions int) {
		for at := range questions {
			letter, parts := at%target.Letters, 2+at%2
			m := newMachine(target, 20, opt.PrefixClosed)
			m.told = nil // the cache is tested elsewhere
			d := &meddler{Teacher: m, at: at}
			d.member = func() (Answer, error) { return Answer{Refine: &Refinement{letter, parts}}, nil }
			d.refute = func() (Counterexample, bool, error) {
				return Counterexample{Refine: &Refinement{letter, parts}}, true, nil
			}
			cache := NewCache(target.Letters, d)
			res, err := l.Run(t.Context(), target.Letters, cache, opt)
			if err != nil || res.DFA != nil || res.Refine == nil || *res.Refine != (Refinement{letter, parts}) {
				t.Fatalf("question %d: result %+v, error %v", at, res, err)
			}
			if d.asked != at+1 {
				t.Fatalf("question %d: %d questions after the demand", at, d.asked-at-1)
			}
			cache.Refine(letter, parts)
			m.target = duplicate(target, letter, parts)
			res, err = l.Run(t.Context(), cache.Letters(), cache, opt)
			if err != nil {
				t.Fatal(err)
			}
			if want := automata.Minimize(m.target); !automata.Equal(res.DFA, want) {
				t.Fatalf("question %d: learned %v, want %v", at, res.DFA, want)
			}
		}
	})
}

// TestRefineKeeps learns, refines, and learns again: of a language without
// Unknown all that matters is known.
func TestRefineKeeps(t *testing.T) {
	for _, l := range Learners() {
		for _, k := range kinds() {
			if k.name != "two" && k.name != "closed" {
				continue
			}
			d := k.make(rand.New(rand.NewPCG(2, 2)), 12, 4)
			m := newMachine(d, 0, false)
			cache := NewCache(4, m)
			if _, err := l.Run(t.Context(), 4, cache, Options{PrefixClosed: k.closed}); err != nil {
				t.Fatal(err)
			}
			cache.Refine(1, 3)
			cache.Refine(5, 2)
			m = newMachine(duplicate(duplicate(d, 1, 3), 5, 2), 0, false)
			cache.teacher = m
			again, err := l.Run(t.Context(), 7, cache, Options{PrefixClosed: k.closed})
			if err != nil || !automata.Equal(again.DFA, automata.Minimize(m.target)) {
				t.Fatal(err)
			}
			new, err := l.Run(t.Context(), 7, newMachine(m.target, 0, false), Options{PrefixClosed: k.closed})
			if err != nil {
				t.Fatal(err)
			}
			if again.Stats.Queries*10 > new.Stats.Queries || again.Stats.Equivalences != 1 {
				t.Errorf("%s %s: with the cache %+v, without %+v", l.Name, k.name, again.Stats, new.Stats)
			}
		}
	}
}

// A partition teaches an automaton over an alphabet whose letters stand for
// ranges of the automaton's, and demands a refinement where the range matters.
type partition struct {
	target *automata.DFA
	cut    []int // letter i stands for cut[i]..cut[i+1]-1
}

// lift returns the automaton of sets of states that the ranges lead to, and the
// verdict of each set; mixed says which sets have several.
func (p *partition) lift() (d *automata.DFA, mixed []bool) {
	k := len(p.cut) - 1
	d = &automata.DFA{Letters: k}
	sets := [][]int32{{0}}
	index := map[string]int32{fmt.Sprint(sets[0]): 0}
	for i := 0; i < len(sets); i++ {
		v, mix := p.target.Out[sets[i][0]], false
		for _, q := range sets[i] {
			mix = mix || p.target.Out[q] != v
		}
		d.Out, mixed = append(d.Out, v), append(mixed, mix)
		for x := range k {
			var next []int32
			for _, q := range sets[i] {
				for y := p.cut[x]; y < p.cut[x+1]; y++ {
					next = append(next, p.target.Step(q, y))
				}
			}
			slices.Sort(next)
			next = slices.Compact(next)
			id, ok := index[fmt.Sprint(next)]
			if !ok {
				id = int32(len(sets))
				index[fmt.Sprint(next)] = id
				sets = append(sets, next)
			}
			d.Next = append(d.Next, id)
		}
	}
	return d, mixed
}

func (p *partition) demand(word []int) *Refinement {
	for _, x := range word {
		if n := p.cut[x+1] - p.cut[x]; n > 1 {
			return &Refinement{x, 2 + n%2}
		}
	}
	panic("no range to split")
}

func (p *partition) refine(r *Refinement) {
	for i := 1; i < r.Parts; i++ {
		p.cut = slices.Insert(p.cut, r.Letter+i, p.cut[r.Letter]+i)
	}
}

func (p *partition) Member(_ context.Context, word []int) (Answer, error) {
	d, mixed := p.lift()
	if q := d.Run(word); !mixed[q] {
		return Answer{Verdict: d.Out[q]}, nil
	}
	return Answer{Refine: p.demand(word)}, nil
}

func (p *partition) Refute(_ context.Context, h *automata.DFA) (Counterexample, bool, error) {
	d, mixed := p.lift()
	for q, word := range automata.Access(d) {
		if mixed[q] {
			return Counterexample{Refine: p.demand(word)}, true, nil
		}
	}
	word, ok := automata.Separate(d, h)
	return Counterexample{Word: word}, ok, nil
}

// TestPartition refines as often as the language needs.
func TestPartition(t *testing.T) {
	for _, l := range Learners() {
		refinements := 0
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 3))
			n, k := 2+r.IntN(4), 2+r.IntN(6)
			d, closed := random(r, n, k, automata.Accept, automata.Reject), seed%2 == 1
			if closed {
				d = closedRandom(r, n, k)
			}
			for range k { // some letters do the same as their neighbours
				x := 1 + r.IntN(k-1)
				for q := range d.States() {
					d.Next[q*k+x] = d.Next[q*k+x-1]
				}
			}
			p := &partition{d, []int{0, k}}
			cache := NewCache(1, p)
			for {
				res, err := l.Run(t.Context(), cache.Letters(), cache, Options{PrefixClosed: closed})
				if err != nil {
					t.Fatalf("%s %d: %v", l.Name, seed, err)
				}
				if res.Refine != nil {
					refinements++
					p.refine(res.Refine)
					cache.Refine(res.Refine.Letter, res.Refine.Parts)
					continue
				}
				full := &automata.DFA{Letters: k, Out: res.DFA.Out}
				for q := range int32(res.DFA.States()) {
					for x := range cache.Letters() {
						for range p.cut[x+1] - p.cut[x] {
							full.Next = append(full.Next, res.DFA.Step(q, x))
						}
					}
				}
				if want := automata.Minimize(d); !automata.Equal(full, want) && !automata.Equal(automata.Canonical(full), want) {
					t.Fatalf("%s %d: learned %v, want %v", l.Name, seed, full, want)
				}
				break
			}
		}
		if refinements < 50 {
			t.Errorf("only %d refinements", refinements)
		}
	}
}

// A forgetful teacher cannot tell for some short words.
type forgetful struct {
	*machine
	seed  uint64
	under int // words of fewer letters are affected
}

func (f *forgetful) hidden(word []int) bool {
	h := f.seed
	for _, x := range word {
		h = (h ^ uint64(x+1)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return len(word) < f.under && h%4 == 0
}

func (f *forgetful) Member(ctx context.Context, word []int) (Answer, error) {
	if f.hidden(word) {
		f.stats.Queries++
		return Answer{}, nil
	}
	return f.machine.Member(ctx, word)
}

// Refute does not object to Unknown where Member would say so.
func (f *forgetful) Refute(_ context.Context, h *automata.DFA) (Counterexample, bool, error) {
	type pair struct{ s, t int32 }
	seen := map[pair]bool{}
	for level := [][]int{{}}; len(level) > 0; {
		var deeper [][]int
		for _, word := range level {
			p := pair{f.target.Run(word), h.Run(word)}
			v := h.Out[p.t]
			if v != f.target.Out[p.s] && (v != automata.Unknown || !f.hidden(word)) {
				return Counterexample{Word: word}, true, nil
			}
			if len(word) >= f.under {
				if seen[p] {
					continue
				}
				seen[p] = true
			}
			for x := range h.Letters {
				deeper = append(deeper, extend(word, x))
			}
		}
		level = deeper
	}
	return Counterexample{}, false, nil
}

// TestRevision has teachers that say Unknown for a word and later reject a
// prefix or accept an extension of it. All verdicts learned are right or Unknown.
func TestRevision(t *testing.T) {
	for _, l := range Learners() {
		revisions := 0
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(seed, 5))
			d := closedRandom(r, 1+r.IntN(6), 1+r.IntN(3))
			f := &forgetful{newMachine(d, 0, true), seed, 5}
			f.told = nil
			cache := NewCache(d.Letters, f)
			res, err := l.Run(t.Context(), d.Letters, cache, Options{PrefixClosed: true, MaxStates: 1000})
			if err != nil {
				t.Fatalf("%s %d: %v", l.Name, seed, err)
			}
			word, wrong := automata.SeparateWhere(d, res.DFA, func(a, b automata.Verdict) bool {
				return b != automata.Unknown && a != b
			})
			if wrong {
				t.Fatalf("%s %d: wrong about %v", l.Name, seed, word)
			}
			revisions += cache.revision
		}
		if revisions == 0 {
			t.Errorf("%s: nothing was revised", l.Name)
		}
	}
}

// TestQueries pins the questions of every learner: a change that asks more
// should be seen.
func TestQueries(t *testing.T) {
	var b strings.Builder
	b.WriteString("# kind states letters long | per learner: queries symbols equivalences\n")
	for _, k := range kinds() {
		for _, size := range [][2]int{{5, 2}, {15, 5}, {30, 10}} {
			for _, long := range []int{0, 40} {
				d := k.make(rand.New(rand.NewPCG(1, 1)), size[0], size[1])
				fmt.Fprintf(&b, "%-7s %3d %2d %2d", k.name, size[0], size[1], long)
				for _, l := range Learners() {
					res, err := l.Run(t.Context(), d.Letters, newMachine(d, long, k.closed), Options{PrefixClosed: k.closed})
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintf(&b, " | %s %5d %6d %2d", l.Name, res.Stats.Queries, res.Stats.Symbols, res.Stats.Equivalences)
				}
				b.WriteString("\n")
			}
		}
	}
	golden(t, "queries.golden", b.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it):\n%s", file, got)
	}
}
