// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

func parse(t *testing.T, source string) *prog.Program {
	t.Helper()
	p, err := prog.Parse("x.open", []byte(source), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func file(t *testing.T, i *typestate.Interface) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := typestate.Write(&b, i); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWorkers checks that the number of workers does not change a byte.
func TestWorkers(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		corpus.ListIterator(6), corpus.Stack(5), corpus.PipedOutputStream(8), corpus.ServerTableEntry(6), corpus.SeparationC(8),
		corpus.Random(7, corpus.RandomOptions{}),
	} {
		p := parse(t, source)
		for _, engine := range []string{"direct", "learn"} {
			var want []byte
			for _, workers := range []int{1, 2, 7} {
				i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: engine, Workers: workers, KeepAll: true})
				if err != nil {
					t.Fatal(err)
				}
				if got := file(t, i); want == nil {
					want = got
				} else if !bytes.Equal(got, want) {
					t.Errorf("%s with %d workers writes another file", engine, workers)
				}
			}
		}
	}
}

// TestFamilies checks sizes against the published ones and pins the counts
// that tell the algorithms apart.
func TestFamilies(t *testing.T) {
	t.Parallel()
	counts := map[string]string{}
	for _, f := range corpus.Families() {
		for k := f.Min; k <= 6; k++ {
			p := parse(t, f.Source(k))
			var core []byte
			for _, v := range variants() {
				i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: v.engine, Learner: v.learner, KeepAll: true})
				if err != nil {
					t.Fatalf("%s(%d) by %v: %v", f.Name, k, v, err)
				}
				if len(i.States) != f.States(k) {
					t.Errorf("%s(%d) by %v: %d states, want %d", f.Name, k, v, len(i.States), f.States(k))
				}
				if core == nil {
					core = i.Core()
				} else if !bytes.Equal(core, i.Core()) {
					t.Errorf("%s(%d) by %v: another core", f.Name, k, v)
				}
				if k == 5 {
					counts[f.Name+" "+v.String()] = statsText(i.Stats)
				}
			}
		}
	}
	golden(t, "testdata/counts.txt", counts)
}

func statsText(stats map[string]int64) string {
	var parts []string
	for k := range stats {
		parts = append(parts, k)
	}
	slices.Sort(parts)
	for n, k := range parts {
		parts[n] = k + "=" + itoa(stats[k])
	}
	return strings.Join(parts, " ")
}

func itoa(n int64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// TestBudget checks that every engine says so when its budget runs out, and
// gives no interface.
func TestBudget(t *testing.T) {
	t.Parallel()
	p := parse(t, corpus.PipedOutputStream(12))
	for _, v := range variants() {
		for _, budget := range []int{1, 10, 1000} {
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: v.engine, Learner: v.learner, Budget: budget, KeepAll: true})
			if i != nil || err == nil {
				t.Errorf("%v with budget %d: got an interface", v, budget)
			} else if !problem.Undecided(err) {
				t.Errorf("%v with budget %d: %v is not an exhausted budget", v, budget, err)
			}
		}
	}
}

// countdown is a context that is cancelled after n looks at it.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel cancels at every point at which the context is looked at.
func TestCancel(t *testing.T) {
	t.Parallel()
	p := parse(t, corpus.ListIterator(5))
	for _, v := range variants() {
		for n := 0; ; n++ {
			ctx := &countdown{context.Background(), n}
			i, err := Synthesize(ctx, problem.Problem{Program: p, Engine: v.engine, Learner: v.learner})
			if err == nil {
				if ctx.n < 0 {
					t.Errorf("%v: cancelled at look %d, but an interface came out", v, n)
				}
				break
			}
			if i != nil {
				t.Fatalf("%v: an interface and an error", v)
			}
			if n > 5000 {
				t.Fatalf("%v: looks at the context for ever", v)
			}
		}
	}
}

// TestTooWide checks that values too many to enumerate are named.
func TestTooWide(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"component C\nstate n int32 = 0\nmethod m(k int32) { if k == 7 { error \"x\" } }":                      "parameter k of m ranges over all of int32",
		"component C\nstate n int32 = any\nmethod m() { if n == 7 { error \"x\" } }":                           "initial value of n ranges over all of int32",
		"component C\nstate k uint8 = any, n uint56 = any\nmethod m() { if n == 7 && k == 1 { error \"x\" } }": "initial value of n ranges over all of uint56",
		"component C\nstate n int32 = 0\nmethod m() { n = any\nif n == 7 { error \"x\" } }":                    "value chosen for n ranges over all of int32",
		"component C\nmethod m(a int8, b int8, c int8) { if a == b && b == c { error \"x\" } }":                "arguments of m have more than 65536 combinations",
		"component C\nstate n int32 = 0\nmethod m() { while { n++\nif n == 0 { error \"x\" } } }":              "steps in one call of m",
		"component C\nstate n int32 = 0\nmethod m() { n++ }\nmethod f() { if n < 0 { error \"x\" } }":          "component states",
	} {
		_, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, source), Budget: 1 << 16})
		if err == nil || !problem.Undecided(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestWork checks that work is bounded where states and sets are few: sets with ever more
// members, and calls that take ever more steps.
func TestWork(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"component C\nstate n int32 = 0\nmethod m() { var b bool\nb = choose\nif b { n++ } }\nmethod f() { if n == 1000000 { error \"x\" } }":  explicit.StepsBudget,
		"component C\nstate n int32 = 0\nmethod m() { n++ }\nmethod f() { var i int32\nwhile i < n { i++ }\nif i == 1000000 { error \"x\" } }": "steps of calls from component states",
	} {
		_, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, source), Engine: "direct", Budget: 1 << 12})
		if err == nil || !problem.Undecided(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestNames checks that wrong names of engines and learners are errors.
func TestNames(t *testing.T) {
	t.Parallel()
	p := parse(t, corpus.Stack(2))
	for _, pr := range []problem.Problem{{Program: p, Engine: "direkt"}, {Program: p, Engine: "learn", Learner: "l"}} {
		if _, err := Synthesize(context.Background(), pr); err == nil || problem.Undecided(err) {
			t.Errorf("%v", err)
		}
	}
	var r *problem.Refusal
	if _, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, "component C\nstate b bool = false\nmethod m() { b = choose\nif b { error \"x\" } }"), Engine: "hide"}); !errors.As(err, &r) || r.Engine != "hide" {
		t.Errorf("%v, want a refusal by hide", err)
	}
}
