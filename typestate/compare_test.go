// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tests Compare against the enumeration of concrete words: every
// argument, every outcome, one step at a time on both sides.

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
)

// A disagreement is the length of a shortest word on which two interfaces give
// these verdicts (allowed, forbidden or unknown); 0 if there is none.
type disagreement map[[2]string]int

func coarse(v Verdict) string {
	if v.Forbidden() {
		return "forbidden"
	}
	return v.String()
}

// brute enumerates concrete words of at most depth calls after a constructor.
// It goes on as long as both sides have an edge. The values of the parameter x
// are those of type int2.
func brute(a, b *Interface, depth int) disagreement {
	found := disagreement{}
	note := func(length int, va, vb Verdict) {
		key := [2]string{coarse(va), coarse(vb)}
		if key[0] != key[1] && (found[key] == 0 || length < found[key]) {
			found[key] = length
		}
	}
	method := func(i *Interface, m, x string) string {
		for _, c := range i.Calls {
			if c.Method != m {
				continue
			}
			e, err := parseGuard(c.Guard)
			if err != nil {
				panic(err)
			}
			s := newScope()
			if len(c.Params) > 0 {
				v, err := parseValue(x, "int2")
				if err != nil {
					panic(err)
				}
				s.values["x"] = v
			}
			if holds, err := s.holds(e); err != nil {
				panic(err)
			} else if holds {
				return c.ID
			}
		}
		panic("no guard holds")
	}
	type letter struct{ a, b, outcome string }
	var letters []letter
	for _, c := range a.Calls {
		if strings.Contains(c.ID, "#") {
			continue
		}
		for _, x := range []string{"-2", "-1", "0", "1"} {
			for _, o := range c.Outcomes {
				letters = append(letters, letter{method(a, c.Method, x), method(b, c.Method, x), o})
			}
		}
	}
	slices.SortFunc(letters, func(x, y letter) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })
	letters = slices.Compact(letters)
	var visit func(sa, sb, length int)
	visit = func(sa, sb, length int) {
		if length > depth {
			return
		}
		for _, l := range letters {
			ra, rb := a.Step(sa, l.a, l.outcome), b.Step(sb, l.b, l.outcome)
			note(length+1, ra.Verdict, rb.Verdict)
			if ra.Verdict.Forbidden() || rb.Verdict.Forbidden() || ra.State < 0 || rb.State < 0 {
				continue
			}
			visit(ra.State, rb.State, length+1)
		}
	}
	for _, c := range a.Constructors {
		for _, o := range []string{"nil", "non-nil"} {
			ra, rb := a.Start(c.ID, o), b.Start(c.ID, o)
			note(1, ra.Verdict, rb.Verdict)
			if ra.State >= 0 && rb.State >= 0 {
				visit(ra.State, rb.State, 1)
			}
		}
	}
	return found
}

func length(s *Separation) int {
	if s == nil {
		return 0
	}
	return len(s.Word)
}

func TestCompareBruteForce(t *testing.T) {
	partitions := [][]string{
		{"true"},
		{"x < 0", "x >= 0"},
		{"0 <= x", "!(0 <= x)"},
		{"x > 0", "x <= 0"},
		{"x == 1 || x == -1", "x == 0", "x+1 == -1"},
	}
	r := rand.New(rand.NewSource(3))
	count := map[Comparison]int{}
	pairs := 1000
	if os.Getenv("CI") == "true" {
		pairs = 10000
	}
	for n := range pairs {
		s := shape{states: 2, methods: 1 + r.Intn(2), outcomes: 1 + r.Intn(2), constructors: 1 + r.Intn(2), paramType: "int2"}
		s.guards = partitions[r.Intn(len(partitions))]
		a := random(r, s)
		var b *Interface
		if r.Intn(3) == 0 {
			b = mutate(r, a)
		} else {
			s.guards = partitions[r.Intn(len(partitions))]
			b = random(r, s)
		}
		// Four pairs of states at most: a shortest word visits none twice.
		want := brute(a, b, 4)
		got := Compare(a, b)
		count[got.Kind]++
		if len(got.Reasons) > 0 || len(got.OnlyA) > 0 || len(got.OnlyB) > 0 {
			t.Fatalf("pair %d: %+v", n, got)
		}
		unknownB := shortest(want[[2]string{"allowed", "unknown"}], want[[2]string{"forbidden", "unknown"}])
		unknownA := shortest(want[[2]string{"unknown", "allowed"}], want[[2]string{"unknown", "forbidden"}])
		for _, c := range []struct {
			name string
			got  *Separation
			want int
		}{
			{"AllowedByA", got.AllowedByA, want[[2]string{"allowed", "forbidden"}]},
			{"AllowedByB", got.AllowedByB, want[[2]string{"forbidden", "allowed"}]},
			{"KnownByA", got.KnownByA, unknownB},
			{"KnownByB", got.KnownByB, unknownA},
		} {
			if length(c.got) != c.want {
				t.Fatalf("pair %d: %s has length %d, want %d\n%s%s", n, c.name, length(c.got), c.want, a.Core(), b.Core())
			}
			if c.got != nil {
				replaySeparation(t, a, b, c.got)
			}
		}
		equal := len(want) == 0
		if (got.Kind == CompareEqual) != equal {
			t.Fatalf("pair %d: %s, want equal: %t", n, got.Kind, equal)
		}
		if different := want[[2]string{"allowed", "forbidden"}]+want[[2]string{"forbidden", "allowed"}] > 0; (got.Kind == CompareDifferent) != different {
			t.Fatalf("pair %d: %s, want different: %t", n, got.Kind, different)
		}
	}
	for k := CompareUnknown; k <= CompareDifferent; k++ {
		if count[k] < 30 {
			t.Errorf("only %d pairs were %s", count[k], k)
		}
	}
}

func shortest(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// mutate returns a with at most one edge or cell changed.
func mutate(r *rand.Rand, a *Interface) *Interface {
	b := a.Clone()
	switch r.Intn(3) {
	case 0:
		if len(b.Edges) > 0 {
			b.Edges[r.Intn(len(b.Edges))].To = r.Intn(len(b.States))
		}
	case 1:
		if len(b.Unknown) > 0 {
			b.Unknown = slices.Delete(b.Unknown, 0, 1)
		}
	}
	if err := b.Canonicalize(); err != nil {
		panic(err)
	}
	return b
}

// replaySeparation runs a separating word on both sides by its arguments.
func replaySeparation(t *testing.T, a, b *Interface, s *Separation) {
	t.Helper()
	for _, side := range []struct {
		i    *Interface
		want Verdict
	}{{a, s.A}, {b, s.B}} {
		var word []Step
		for k, sym := range s.Word {
			step := Step{Call: sym.Method, Args: sym.Args, Outcome: sym.Outcome}
			if sym.Guard != "" && sym.Guard != "true" {
				step.Args = map[string]string{"x": satisfy(sym.Guard)}
			}
			if step.Outcome == "*" {
				step.Outcome = ""
			}
			if k == len(s.Word)-1 && step.Outcome != "" {
				t.Fatalf("%v: the last symbol has an outcome", s.Word)
			}
			word = append(word, step)
		}
		// An earlier unknown step must not hide the last.
		got := side.i.Accepts(word)
		if got.Kind == StepUnknown && got.Pos < len(word)-1 {
			if side.want.Forbidden() {
				t.Fatalf("%v: stopped at %d: %s", s.Word, got.Pos, got.Reason)
			}
			continue
		}
		if got.Verdict != side.want {
			t.Fatalf("%v: verdict %s, want %s", s.Word, got.Verdict, side.want)
		}
	}
}

// satisfy returns a value of type int2 for which a guard holds.
func satisfy(guard string) string {
	e, err := parseGuard(guard)
	if err != nil {
		panic(err)
	}
	for _, x := range []string{"-2", "-1", "0", "1"} {
		s := newScope()
		s.values["x"], _ = parseValue(x, "int2")
		if holds, err := s.holds(e); err == nil && holds {
			return x
		}
	}
	panic("no value satisfies " + guard)
}

func TestCompareSelf(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for n, i := range samples(t, r, 100) {
		if d := Compare(i, i.Clone()); d.Kind != CompareEqual {
			t.Fatalf("sample %d differs from itself: %+v", n, d)
		}
	}
}

// pair compares two versions of a golden interface.
func pair(t *testing.T, name string, change func(*Interface)) Difference {
	t.Helper()
	b := read(t, name)
	change(b)
	for k := range b.Forbidden {
		b.Forbidden[k].Witness = nil
	}
	if err := b.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return Compare(read(t, name), b)
}

func TestCompareMethods(t *testing.T) {
	d := pair(t, "file", func(i *Interface) {
		i.Calls[0].Method = "shut" // was close
		i.Constructors[0].Method = "open"
	})
	if d.Kind != CompareDifferent || !slices.Equal(d.OnlyA, []Name{{"new", true}, {"close", false}}) || !slices.Equal(d.OnlyB, []Name{{"open", true}, {"shut", false}}) {
		t.Errorf("got %+v", d)
	}
	d = pair(t, "file", func(i *Interface) {
		i.Forbidden = slices.DeleteFunc(i.Forbidden, func(f Forbidden) bool { return f.State == 2 && f.Call == "ropen" })
	})
	if d.Kind != CompareDifferent || d.AllowedByA != nil || fmt.Sprint(d.AllowedByB.Word) != "[new rwopen ropen]" {
		t.Errorf("got %+v", d)
	}
}

func TestCompareGuards(t *testing.T) {
	const params = "the parameters differ"
	for _, c := range []struct {
		types  []string
		guards []string // of a second interface; those of the first are n > 0 && m != closed, ...
		kind   Comparison
		reason string
	}{
		{nil, []string{"closed == m", "m != closed && n <= 0", "0 < n && m != closed"}, CompareEqual, ""},
		{nil, []string{"m == closed", "m != closed && n < 0", "0 <= n && m != closed"}, CompareDifferent, ""},
		{nil, []string{"m == closed || m == open", "m != closed && m != open && n <= 0", "m != closed && m != open && n > 0"}, CompareDifferent, ""},
		{nil, []string{"m == closed", "m == open && n <= 0 || m != closed && m != open && n > 0", "m == open && n > 0 || m != closed && m != open && n <= 0"}, CompareUnknown, "an enum may have values"},
		{nil, []string{"m == closed", "m == open && n <= 0", "m == open && 0 < n"}, CompareUnknown, "no guard holds"},
		{nil, []string{"m == closed || m == open && n > 3", "m != closed && n <= 0", "m != open && m != closed && n > 0 || n > 0 && n <= 3 && m != closed"}, CompareDifferent, ""},
		{nil, []string{"m == closed", "m != closed && n <= 0", "m != closed && len(n) > 0"}, CompareUnknown, "cannot be evaluated"},
		{[]string{"int32", "mode"}, []string{"closed == m", "m != closed && n <= 0", "0 < n && m != closed"}, CompareUnknown, "too many values"},
		{[]string{"int16", "mode"}, nil, CompareEqual, ""},
	} {
		a, b := read(t, "pool"), read(t, "pool")
		for _, i := range []*Interface{a, b} {
			for k := range i.Forbidden {
				i.Forbidden[k].Witness = nil
			}
			for k := range 3 {
				if c.types != nil {
					i.Calls[k].Types = c.types
				}
				if i == b && c.guards != nil {
					i.Calls[k].Guard = c.guards[k]
				}
			}
			if err := i.Canonicalize(); err != nil {
				t.Fatal(err)
			}
		}
		d := Compare(a, b)
		if d.Kind != c.kind || c.reason == "" && len(d.Reasons) > 0 || !strings.Contains(strings.Join(d.Reasons, "\n"), c.reason) {
			t.Errorf("%v: got %+v", c.guards, d)
		}
	}
	d := pair(t, "pool", func(i *Interface) {
		for k := range 3 {
			i.Calls[k].Params = []string{"n", "mode"}
		}
	})
	if d.Kind != CompareUnknown || !strings.Contains(strings.Join(d.Reasons, ""), params) {
		t.Errorf("got %+v", d)
	}
}

// TestRefineTwoEnums has guards that need an unnamed value of one enum, but not
// of both: the pair of calls that needs both may not exist.
func TestRefineTwoEnums(t *testing.T) {
	calls := func(guard string) []Call {
		c := Call{Method: "f", Params: []string{"m", "k"}, Types: []string{"mode", "kind"}}
		yes, no := c, c
		yes.Guard, no.Guard = guard, "!("+guard+")"
		return []Call{yes, no}
	}
	x := newIndex(new(Interface))
	classes, why := refine(x, calls("m == x && k == y"), x, calls("m == x && k == y || m != x && k != y"))
	if len(classes) != 1 || why != "an enum may have values that no guard names" {
		t.Errorf("got %v, %q", classes, why)
	}
}

func TestCompareOutcomes(t *testing.T) {
	// The same classes in another order are the same.
	d := pair(t, "listiter", func(i *Interface) {
		i.Calls[1].Outcomes = []string{"false", "true"}
	})
	if d.Kind != CompareEqual {
		t.Errorf("got %+v", d)
	}
	d = pair(t, "listiter", func(i *Interface) {
		i.Calls[1].Outcomes = []string{"yes", "no"}
		for k := range i.Edges {
			if e := &i.Edges[k]; e.Call == "next" && e.Outcome != "*" {
				e.Outcome = map[string]string{"true": "yes", "false": "no"}[e.Outcome]
			}
		}
	})
	if d.Kind != CompareUnknown || !slices.Contains(d.Reasons, "outcomes of next differ: cannot compare what follows them") {
		t.Errorf("got %+v", d)
	}
}

func TestCompareRegisters(t *testing.T) {
	wide := func(i *Interface) {
		for k := range i.Calls {
			for j := range i.Calls[k].Types {
				i.Calls[k].Types[j] = "int32"
			}
		}
		i.Constructors[0].Types[0] = "int32"
		for k := range i.States {
			for j := range i.States[k].Registers {
				i.States[k].Registers[j].Type = "int32"
			}
		}
		i.Forbidden[0].Witness = nil
	}
	rename := func(i *Interface) {
		for k := range i.States {
			i.States[k].Registers[0].Name = "n"
		}
		i.Constructors[0].Update = map[string]string{"n": "first"}
		i.Edges[1].Update = map[string]string{"n": "n + 1"}
		i.Calls[1].Guard, i.Calls[2].Guard = "k != n", "k == n"
	}
	forget := func(i *Interface) { i.States[1].Registers = nil }
	none := func(*Interface) {}
	for _, tt := range []struct {
		name   string
		change func(i *Interface)
		want   Comparison
		word   string // allowed by the first
	}{
		{"itself", none, CompareEqual, ""},
		{"another name", rename, CompareEqual, ""},
		{"only where it is needed", forget, CompareEqual, ""},
		{"both", func(i *Interface) { rename(i); forget(i) }, CompareEqual, ""},
		{"another update", func(i *Interface) { i.Edges[1].Update["next"] = "next + 2" }, CompareDifferent, "use use"},
		{"another start", func(i *Interface) { i.Constructors[0].Update["next"] = "first + 1" }, CompareDifferent, "use"},
		{"another guard", func(i *Interface) { i.Calls[1].Guard, i.Calls[2].Guard = "k < next", "k >= next" }, CompareDifferent, ""},
		{"a verdict", func(i *Interface) {
			i.Forbidden = i.Forbidden[1:]
			i.Edges = append(i.Edges, Edge{From: 0, Call: "use", Outcome: "*", To: 0})
		}, CompareDifferent, ""},
		{"another method", func(i *Interface) {
			i.Calls = append(i.Calls, Call{ID: "z", Method: "z", Guard: "true", Outcomes: []string{"return"}})
		}, CompareDifferent, ""},
	} {
		for _, width := range []func(*Interface){none, wide} {
			a, b := read(t, "ticket"), read(t, "ticket")
			width(a)
			width(b)
			tt.change(b)
			for _, i := range []*Interface{a, b} {
				if len(i.Forbidden) > 0 {
					i.Forbidden[0].Witness = nil
				}
				if err := i.Validate(); err != nil {
					t.Fatal(err)
				}
			}
			d := Compare(a, b)
			// Symbols cannot tell guards apart that mean something else: they
			// may only say that they do not know.
			if tt.name == "another guard" && a.Calls[1].Types[0] == "int32" && d.Kind == CompareUnknown {
				continue
			}
			if d.Kind != tt.want {
				t.Errorf("%s (%s): %v, want %v: %+v", tt.name, a.Calls[1].Types[0], d.Kind, tt.want, d)
				continue
			}
			for _, s := range []*Separation{d.AllowedByA, d.AllowedByB} {
				if s == nil {
					continue
				}
				// The word shows it.
				var word []Step
				for _, sym := range s.Word {
					outcome := sym.Outcome
					if outcome == "*" {
						outcome = ""
					}
					word = append(word, Step{Call: sym.Method, Args: sym.Args, Outcome: outcome})
				}
				if x, y := a.Accepts(word), b.Accepts(word); x.Verdict != s.A || y.Verdict != s.B {
					t.Errorf("%s: %v is %v and %v, not %v and %v", tt.name, s.Word, x.Verdict, y.Verdict, s.A, s.B)
				}
			}
			if d.AllowedByA != nil && tt.word != "" {
				var calls []string
				for _, sym := range d.AllowedByA.Word[1:] {
					calls = append(calls, sym.Method)
				}
				if got := strings.Join(calls, " "); got != tt.word {
					t.Errorf("%s: word %s, want %s", tt.name, got, tt.word)
				}
			}
		}
	}
}

func TestCompareInvalid(t *testing.T) {
	a, b := read(t, "file"), read(t, "file")
	b.Edges[0].To = 9
	if d := Compare(a, b); d.Kind != CompareUnknown || len(d.Reasons) != 1 || !strings.Contains(d.Reasons[0], "second interface is not valid") {
		t.Errorf("got %+v", d)
	}
}
