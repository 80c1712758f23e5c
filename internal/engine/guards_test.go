// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds guards and outcomes that predicate abstraction finds to
// hand-derived ones, on integers that cannot be enumerated, and to the interpreter
// on the same components with few bits.

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/engine/parts"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// guarded are components with the calls (with guards) and outcomes that their
// interfaces have.
var guarded = []struct {
	name, source string
	states       int
	width        int // at which the interpreter can do it
	calls        string
}{
	{"xor2", `component Xor2
		state b int32 = 2
		method set(p int32) { if p > 0 { b = 1 } else { b = 0 } }
		method chk(q int32) { if b != 2 && (q > 0) != (b == 1) { error "differs" } }`, 3, 3,
		"chk[q <= 0] chk[q > 0] set[p <= 0] set[p > 0]"},
	{"alternating bit", `component AltBit
		state expect uint32 = 0, empty bool = true
		method msg(sequence uint32, content uint32) {
			if !empty || sequence % 2 != expect % 2 { error "unexpected message" }
			expect++
			empty = false
		}
		method recv_ack(value uint32) {
			if empty { error "nothing to acknowledge" }
			if value != (expect - 1) % 2 { error "wrong acknowledgement" }
			empty = true
		}`, 4, 3,
		"msg[sequence & 1 != 0] msg[sequence & 1 == 0] recv_ack[value != 0 && value != 1] recv_ack[value == 0] recv_ack[value == 1]"},
	// PSYCO drops the conjunct about the state of the field from the error's path
	// condition, k > 10 && m == 0, or from p < 0 && mode the one about the other
	// argument: guards k > 10 and p < 0 that are forbidden too often.
	{"dropped conjuncts", `component Conj
		state m int32 = 0
		method set(p int32, mode bool) { if mode && p < 0 { error "neg" }; if mode { m = p } else { m = 1 } }
		method use(k int32) { if k > 2 && m == 0 { error "use" } }`, 2, 3,
		"set[!mode || p > 0] set[mode && p == 0] set[p < 0 && mode] use[k <= 2] use[k > 2]"},
	{"count", `component Count
		state n int32 = 0
		method tick(by int32) { if by != 1 { error "by one only" }; if n < 6 { n++ } }
		method fire() { if n != 5 { error "not five ticks" }; n = 0 }`, 7, 4,
		"fire tick[by != 1] tick[by == 1]"},
	{"constructor", `component Open
		enum kind { file, dir, link }
		state k kind = file, rw bool = false
		constructor Open(what kind, flags uint32) { if flags & 3 == 3 { error "flags" }; k = what; rw = flags & 1 != 0 }
		method read(len int64) (n int64, eof bool) {
			if k == dir { error "is a directory" }
			if len < 0 { error "length" }
			n = any
			assume n >= 0 && n <= len
			eof = any
			assume !eof || n == 0
		}
		method write(len int64) { if !rw { error "read only" }; if len < 0 { error "length" } }
		method list() { if k != dir { error "no directory" } }`, 4, 3,
		"Open[flags & 1 == 0 && what != dir] Open[flags & 1 == 0 && what == dir] Open[flags & 3 != 3 && flags & 1 != 0 && what != dir] " +
			"Open[flags & 3 != 3 && flags & 1 != 0 && what == dir] Open[flags & 3 == 3] list read[len < 0]=(_, false)|(_, true) read[len >= 0]=(_, false)|(_, true) write[len < 0] write[len >= 0]"},
	{"two arguments", `component Math
		method binomial(n int32, k int32) { if n < 0 || k < 0 || k > n { error "domain" } }
		method div(p int32, q int32, exact bool) (r int32) {
			if q == 0 { error "zero" }
			if exact && p % q != 0 { error "inexact" }
			return p / q
		}`, 1, 3,
		"binomial[k >= 0 && n >= k] binomial[n < k || k < 0] div[exact && rem(p, q) != 0 || q == 0] div[q != 0 && !exact || q != 0 && rem(p, q) == 0]"},
	{"product", `component Math
		method mul(a int32, b int32) { if int64(a) * int64(b) != int64(int32(int64(a)*int64(b))) { error "overflow" } }
		method add(a int32, b int32) (s int32) { s = a + b; if (a ^ s) & (b ^ s) < 0 { error "overflow" } }`, 1, 0,
		"add[((a + b) ^ b) & (a ^ (a + b)) < 0] add[((a + b) ^ b) & (a ^ (a + b)) >= 0] mul[int64(a * b) != int64(a) * int64(b)] mul[int64(a * b) == int64(a) * int64(b)]"},
	{"results", `component Draw
		state won int32 = 0
		method draw() (n int32) { n = any; assume n >= 0; won = n }
		method pay() { if won == 0 { error "nothing won" }; won = 0 }
		method count() (k int32) { return won }`, 2, 3,
		"count draw=0|n != 0 pay"},
	{"results that matter twice", `component Give
		state x int32 = 0
		method give() (n int32, ok bool) { n = any; ok = any; x = n; if !ok { x = 0 } }
		method even() { if x % 2 != 0 { error "odd" } }
		method small() { if x > 1 { error "large" } }`, 4, 3, ""},
	// The results that can be are not all: after a result that cannot be, nothing
	// is said, and what errs for all others is forbidden.
	{"results of a range", `component Range
		state bad bool = false
		method get(k int32) (n int32) { if k < 0 { error "negative" }; n = any; assume 0 <= n && n <= k; bad = choose }
		method use() { if bad { error "bad" } }`, 2, 3,
		"get[k < 0] get[k >= 0] use"},
	// Hidden and visible choices at once: what is certain must be so for each
	// result.
	{"hidden beside results", `component Hid
		state f bool = false, x int32 = 0
		method get() (n int32) { n = any; f = choose; x = n }
		method use() { if f { error "x" } }
		method pos(k int16) { if x > 0 && f && k < 2 { error "p" } }`, 3, 3,
		"get=n <= 0|n > 0 pos[k < 2] pos[k >= 2] use"},
	{"bounds of a constant state", `component Limit
		state max int32 = 0
		constructor New() { max = 3 }
		method put(k int32) { if k > max || k < 0 - max { error "out of range" } }`, 1, 4,
		"New put[k < -3 || k > 3] put[k <= 3 && k >= -3]"},
}

// callsText lists calls with guards and, where there are several, outcomes.
func callsText(i *typestate.Interface) string {
	var out []string
	text := func(method, guard string, outcomes []string) {
		if guard != "true" {
			method += "[" + guard + "]"
		}
		if len(outcomes) > 1 {
			method += "=" + strings.Join(outcomes, "|")
		}
		if !slices.Contains(out, method) {
			out = append(out, method)
		}
	}
	for _, c := range i.Constructors {
		if c.Method != "new" {
			text(c.Method, c.Guard, nil)
		}
	}
	for _, c := range i.Calls {
		text(c.Method, c.Guard, slices.Sorted(slices.Values(c.Outcomes)))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestGuardsWide(t *testing.T) {
	t.Parallel()
	for _, c := range guarded {
		t.Run(c.name, func(t *testing.T) {
			i, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, c.source), Engine: "cegar", Solver: embedded})
			if err != nil {
				t.Fatal(err)
			}
			if !problem.Complete(i) || len(i.States) != c.states {
				t.Errorf("%d states, want %d\n%s", len(i.States), c.states, file(t, i))
			}
			if got := callsText(i); c.calls != "" && got != c.calls {
				t.Errorf("calls\n%s\nwant\n%s", got, c.calls)
			}
			for _, f := range i.Forbidden {
				if len(f.Witness) == 0 {
					t.Errorf("%s in state %d has no witness", f.Call, f.State)
				}
			}
			// The same program, the same bytes.
			j, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, c.source), Engine: "cegar", Solver: embedded})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(file(t, i), file(t, j)) {
				t.Errorf("another file the second time")
			}
		})
	}
}

// TestGuardsNarrow compares the components with the interpreter and with the
// finite engine, with few bits.
func TestGuardsNarrow(t *testing.T) {
	t.Parallel()
	for _, c := range guarded {
		if c.width == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			p, err := prog.Parse("guards.open", []byte(c.source), prog.Options{Width: c.width})
			if err != nil {
				t.Fatal(err)
			}
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded})
			if err != nil {
				t.Fatal(err)
			}
			if !problem.Complete(i) {
				t.Errorf("unknown verdicts: %s", file(t, i))
			}
			o := newOracle(p, i)
			if err := o.run(context.Background(), 20_000); err != nil {
				t.Error(err)
			}
			o.witnesses(t)
			d, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "direct"})
			if err != nil {
				t.Fatal(err)
			}
			a, err := parts.Agree(context.Background(), problem.Problem{Program: p}, i, d)
			if err != nil || a.Kind != typestate.CompareEqual {
				t.Errorf("not the interface of engine direct: %s (%v)\n%s\n%s", a.Why, err, i.Core(), d.Core())
			}
			if len(i.Calls) != len(d.Calls) {
				t.Errorf("calls %s, want %s", callsText(i), callsText(d))
			}
		})
	}
}

// TestSplitBudget checks that a component that needs more classes than there may be
// ends with unknown verdicts that say so, and with right ones elsewhere.
func TestSplitBudget(t *testing.T) {
	t.Parallel()
	if os.Getenv("CI") != "true" {
		t.Skip("takes long; CI=true runs it")
	}
	var b strings.Builder
	b.WriteString("component Many\nstate x int32 = 0, ok bool = false\nmethod start() { ok = true }\nmethod stop() { if !ok { error \"not started\" }; ok = false }\nmethod set(k int32) {\n")
	for k := range 2 * predabs.MaxClasses {
		fmt.Fprintf(&b, "\tif k == %d { x = %d }\n", 3*k+1, k+1)
	}
	b.WriteString("}\nmethod chk(q int32) { if q != x * x { error \"no square\" } }\n")
	i, err := Synthesize(context.Background(), problem.Problem{Program: parse(t, b.String()), Engine: "cegar", Solver: embedded, Budget: cegarBudget})
	if err != nil {
		if !problem.Undecided(err) {
			t.Fatal(err)
		}
		return
	}
	if problem.Complete(i) {
		t.Errorf("no unknown verdict")
	}
	for _, w := range [][]string{{"start", "stop"}, {"set(5)", "start", "stop"}} {
		if a := i.Accepts(steps(w)); a.Kind != typestate.StepNext {
			t.Errorf("%v: %v: %s", w, a.Kind, a.Reason)
		}
	}
}
