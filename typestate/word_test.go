// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tests words against simulations of the components themselves, on
// all words up to a length.

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// words calls f for every word over letters of length at most depth.
func words(letters []Step, depth int, f func([]Step)) {
	var word []Step
	var visit func(int)
	visit = func(depth int) {
		f(word)
		if depth == 0 {
			return
		}
		for _, l := range letters {
			word = append(word, l)
			visit(depth - 1)
			word = word[:len(word)-1]
		}
	}
	visit(depth)
}

func spell(word []Step) string {
	var parts []string
	for _, s := range word {
		p := s.Call
		for _, name := range slices.Sorted(maps.Keys(s.Args)) {
			p += "(" + name + "=" + s.Args[name] + ")"
		}
		if s.Outcome != "" {
			p += "=" + s.Outcome
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, " ")
}

func TestAcceptsFile(t *testing.T) {
	i := read(t, "file")
	x := newIndex(i)
	letters := []Step{{Call: "ropen"}, {Call: "rwopen"}, {Call: "close"}, {Call: "read"}, {Call: "write"}}
	count := 0
	words(letters, 5, func(word []Step) {
		count++
		rd, wr := false, false
		errs := len(word)
		for pos, s := range word {
			switch s.Call {
			case "ropen", "rwopen":
				if rd {
					errs = pos
				}
				rd, wr = true, s.Call == "rwopen"
			case "close":
				if !rd {
					errs = pos
				}
				rd, wr = false, false
			case "read":
				if !rd {
					errs = pos
				}
			case "write":
				if !wr {
					errs = pos
				}
			}
			if errs == pos {
				break
			}
		}
		a := x.accepts(word)
		want := StepNext
		if errs < len(word) {
			want = StepForbidden
		}
		if a.Kind != want || a.Pos != errs {
			t.Fatalf("%s: %s at %d, want %s at %d", spell(word), a.Kind, a.Pos, want, errs)
		}
	})
	if count != 1+5+25+125+625+3125 {
		t.Errorf("%d words", count)
	}
}

// TestAcceptsListiter also leaves outcomes out where they matter.
func TestAcceptsListiter(t *testing.T) {
	x := newIndex(read(t, "listiter"))
	var letters []Step
	for _, m := range []string{"next", "previous"} {
		for _, o := range []string{"true", "false", ""} {
			letters = append(letters, Step{Call: m, Outcome: o})
		}
	}
	letters = append(letters, Step{Call: "add"}, Step{Call: "remove", Outcome: "return"}, Step{Call: "set"})
	words(letters, 4, func(word []Step) {
		valid := false
		want, at := StepNext, len(word)
	run:
		for pos, s := range word {
			switch {
			case s.Outcome == "" && !valid && (s.Call == "next" || s.Call == "previous") && pos < len(word)-1:
				want, at = StepAmbiguous, pos
				break run
			case s.Call == "next" || s.Call == "previous":
				valid = valid || s.Outcome == "true"
			case s.Call == "add":
				valid = false
			case !valid:
				want, at = StepForbidden, pos
				break run
			case s.Call == "remove":
				valid = false
			}
		}
		if a := x.accepts(word); a.Kind != want || a.Pos != at {
			t.Fatalf("%s: %s at %d, want %s at %d", spell(word), a.Kind, a.Pos, want, at)
		}
	})
}

// TestAcceptsTicket runs registers, with wrap-around.
func TestAcceptsTicket(t *testing.T) {
	x := newIndex(read(t, "ticket"))
	var letters []Step
	for _, k := range []string{"126", "127", "-128", "-127"} {
		letters = append(letters, Step{Call: "use", Args: map[string]string{"k": k}})
	}
	letters = append(letters, Step{Call: "close"})
	words(letters, 5, func(rest []Step) {
		word := append([]Step{{Call: "New", Args: map[string]string{"first": "126"}}}, rest...)
		next, open := int8(126), true
		want, at := StepNext, len(word)
		for pos, s := range word[1:] {
			if s.Call == "close" {
				open = false
				continue
			}
			k, _ := strconv.Atoi(s.Args["k"])
			if !open || int8(k) != next {
				want, at = StepForbidden, pos+1
				break
			}
			next++
		}
		if a := x.accepts(word); a.Kind != want || a.Pos != at {
			t.Fatalf("%s: %s at %d, want %s at %d", spell(word), a.Kind, a.Pos, want, at)
		}
	})
	// Without the constructor the register has no value.
	if a := x.accepts([]Step{letters[0]}); a.Kind != StepUnknown || a.Reason == "" {
		t.Errorf("register without a value: %+v", a)
	}
}

// TestAcceptsWithoutRegister runs the same words where the closed state does not
// remember the number: both calls fail there.
func TestAcceptsWithoutRegister(t *testing.T) {
	i := read(t, "ticket")
	j := i.Clone()
	j.States[1].Registers = nil
	if err := j.Validate(); err != nil {
		t.Fatal(err)
	}
	x, y := newIndex(i), newIndex(j)
	letters := []Step{{Call: "use", Args: map[string]string{"k": "5"}}, {Call: "use", Args: map[string]string{"k": "6"}}, {Call: "close"}}
	words(letters, 4, func(rest []Step) {
		word := append([]Step{{Call: "New", Args: map[string]string{"first": "5"}}}, rest...)
		a, b := x.accepts(word), y.accepts(word)
		if a.Kind != b.Kind || a.Pos != b.Pos || a.State != b.State {
			t.Fatalf("%s: %+v, with the register everywhere %+v", spell(word), b, a)
		}
	})
	// If the calls differ there, nothing is known.
	j.Forbidden = j.Forbidden[:2]
	word := []Step{{Call: "New", Args: map[string]string{"first": "5"}}, {Call: "close", Outcome: "return"}, letters[0]}
	if a := j.Accepts(word); a.Kind != StepUnknown || !strings.Contains(a.Reason, "next is not given") {
		t.Errorf("got %+v", a)
	}
}

// TestAcceptsResults remembers results instead of the constructor's argument.
func TestAcceptsResults(t *testing.T) {
	i := read(t, "ticket")
	for k := range i.Calls {
		if i.Calls[k].Method == "use" {
			i.Calls[k].Results = []Register{{"r", "int8"}}
		}
	}
	i.Edges[1].Update["next"] = "r + 1"
	if err := i.Validate(); err != nil {
		t.Fatal(err)
	}
	use := func(k, r string) Step {
		return Step{Call: "use", Args: map[string]string{"k": k}, Outcome: "return", Results: map[string]string{"r": r}}
	}
	begin := Step{Call: "New", Args: map[string]string{"first": "5"}}
	for _, tt := range []struct {
		word []Step
		want StepKind
	}{
		{[]Step{begin, use("5", "20"), use("21", "127"), use("-128", "0")}, StepNext},
		{[]Step{begin, use("5", "20"), use("6", "0")}, StepForbidden},
		{[]Step{begin, {Call: "use", Args: map[string]string{"k": "5"}}, use("21", "0")}, StepUnknown},
		{[]Step{begin, use("5", "200")}, StepInvalid},
		{[]Step{begin, {Call: "close", Results: map[string]string{"r": "1"}}}, StepInvalid},
	} {
		a := i.Accepts(tt.word)
		if a.Kind != tt.want {
			t.Errorf("%s: %v, want %v: %s", spell(tt.word), a.Kind, tt.want, a.Reason)
		}
		if a.Kind == StepNext && a.Registers["next"] != "1" {
			t.Errorf("registers %v", a.Registers)
		}
	}
}

func TestParameterHidesRegister(t *testing.T) {
	i := read(t, "ticket")
	for k, guard := range map[int]string{1: "next != 5", 2: "next == 5"} {
		i.Calls[k].Params, i.Calls[k].Guard = []string{"next"}, guard
	}
	begin := Step{Call: "New", Args: map[string]string{"first": "5"}}
	if a := i.Accepts([]Step{begin, {Call: "use"}}); a.Kind != StepUnknown || !strings.Contains(a.Reason, "next is not given") {
		t.Errorf("got %+v", a)
	}
	if a := i.Accepts([]Step{begin, {Call: "use", Args: map[string]string{"next": "6"}}}); a.Call != i.Calls[1].ID {
		t.Errorf("got %+v", a)
	}
}

// TestAcceptsPool compares with walking the list of edges, calls chosen by
// hand, and one step of the word at a time.
func TestAcceptsPool(t *testing.T) {
	i := read(t, "pool")
	x := newIndex(i)
	arg := func(n, m string) map[string]string { return map[string]string{"n": n, "m": m} }
	letters := []Step{
		{Call: "Get", Args: arg("1", "open"), Outcome: "ok"},
		{Call: "Get", Args: arg("1", "open"), Outcome: "empty"},
		{Call: "Get", Args: arg("1", "open"), Outcome: "gone"},
		{Call: "Get", Args: arg("0", "open"), Outcome: "ok"},
		{Call: "Get", Args: arg("0", "mode.closed"), Outcome: "ok"},
		{Call: "Put", Args: map[string]string{"x": "255"}, Outcome: "return"},
		{Call: "Tune", Outcome: "return"},
		{Call: "Halt", Outcome: "return"},
	}
	ids := []string{"Get#3", "Get#3", "Get#3", "Get#2", "Get", "Put", "Tune", "Halt"}
	starts := []struct {
		step Step
		kind StepKind
		at   int
	}{
		{Step{Call: "Make", Args: map[string]string{"max": "1"}, Outcome: "nil"}, StepNext, 0},
		{Step{Call: "Make", Args: map[string]string{"max": "127"}, Outcome: "non-nil"}, StepNext, 2},
		{Step{Call: "Make", Args: map[string]string{"max": "-1"}, Outcome: "nil"}, StepForbidden, -1},
		{Step{Call: "Restore"}, StepUnknown, -1},
		{Step{Call: "Zero"}, StepNext, 2},
	}
	call := map[string]Call{} // by letter
	for k, l := range letters {
		c := slices.IndexFunc(i.Calls, func(c Call) bool { return c.ID == ids[k] })
		call[spell([]Step{l})] = i.Calls[c]
	}
	for _, start := range starts {
		words(letters, 4, func(rest []Step) {
			word := append([]Step{start.step}, rest...)
			want, at := start.kind, 0
			state := start.at
			unknownAt := -1
			if want == StepNext {
				at = len(word)
				for pos, s := range rest {
					kind, _, to := naive(i, state, call[spell([]Step{s})], s.Outcome)
					if kind == StepUnknown && unknownAt < 0 {
						unknownAt = pos + 1
					}
					if kind != StepNext && (kind != StepUnknown || to < 0) {
						want, at = kind, pos+1
						break
					}
					state = to
				}
				if unknownAt >= 0 && (want == StepNext || want == StepUnknown) {
					want, at = StepUnknown, unknownAt
				}
			}
			a := x.accepts(word)
			if a.Kind != want || a.Pos != at {
				t.Fatalf("%s: %s at %d (%s), want %s at %d", spell(word), a.Kind, a.Pos, a.Reason, want, at)
			}
			if want == StepNext && a.State != state {
				t.Fatalf("%s: ends in %d, want %d", spell(word), a.State, state)
			}
		})
	}
}

func TestAcceptsCannotTell(t *testing.T) {
	make1 := Step{Call: "Make", Args: map[string]string{"max": "1"}, Outcome: "nil"}
	get := func(n, m string) Step {
		args := map[string]string{}
		if n != "" {
			args["n"] = n
		}
		if m != "" {
			args["m"] = m
		}
		return Step{Call: "Get", Args: args, Outcome: "ok"}
	}
	for _, c := range []struct {
		name   string
		word   []Step
		kind   StepKind
		pos    int
		reason string
	}{
		{"no constructor", []Step{get("1", "open")}, StepAmbiguous, 0, "begin the word"},
		{"empty", nil, StepAmbiguous, 0, "begin the word"},
		{"no such name", []Step{{Call: "Fly"}}, StepInvalid, 0, `"Fly"`},
		{"no such method", []Step{make1, {Call: "Fly"}}, StepInvalid, 1, `"Fly"`},
		{"constructor later", []Step{make1, make1}, StepInvalid, 1, `"Make"`},
		{"missing argument", []Step{make1, get("1", "")}, StepUnknown, 1, "value of m is not given"},
		{"argument not needed", []Step{make1, {Call: "Put", Outcome: "return"}}, StepNext, 2, ""},
		{"no such parameter", []Step{make1, {Call: "Put", Args: map[string]string{"y": "1"}}}, StepInvalid, 1, `"y"`},
		{"too large", []Step{make1, {Call: "Put", Args: map[string]string{"x": "256"}}}, StepInvalid, 1, "does not fit uint8"},
		{"not a number", []Step{make1, {Call: "Put", Args: map[string]string{"x": "one"}}}, StepInvalid, 1, "not an integer"},
		{"no such outcome", []Step{make1, {Call: "Put", Outcome: "nil"}}, StepInvalid, 1, `"nil"`},
		{"missing constructor argument", []Step{{Call: "Make"}}, StepUnknown, 0, "max is not given"},
		{"outcome needed", []Step{{Call: "Make", Args: make1.Args}, {Call: "Put"}}, StepAmbiguous, 0, "depends on the outcome"},
		{"last outcome not needed", []Step{{Call: "Make", Args: make1.Args}}, StepNext, 1, ""},
		{"does not return", []Step{make1, {Call: "Halt"}}, StepNext, 2, ""},
		{"after no return", []Step{make1, {Call: "Halt"}, {Call: "Put"}}, StepImpossible, 1, "does not return"},
		{"forbidden after unknown", []Step{{Call: "Zero"}, {Call: "Tune"}, get("0", "open")}, StepForbidden, 2, "bad count"},
		{"unknown last", []Step{{Call: "Zero"}, {Call: "Tune"}, {Call: "Put"}}, StepUnknown, 1, "relation between"},
	} {
		a := read(t, "pool").Accepts(c.word)
		if a.Kind != c.kind || a.Pos != c.pos || !strings.Contains(a.Reason, c.reason) {
			t.Errorf("%s: got %s at %d: %s", c.name, a.Kind, a.Pos, a.Reason)
		}
	}
	// After an unknown call whose outcome is not given nothing more can be said,
	// in particular nothing about the state before it.
	lost := read(t, "pool")
	lost.Unknown = append(lost.Unknown, Unknown{State: 0, Call: "Get#3", Reason: "lost"})
	blind := get("1", "open")
	blind.Outcome = ""
	if a := lost.Accepts([]Step{make1, blind, get("0", "open")}); a.Kind != StepUnknown || a.Pos != 1 {
		t.Errorf("after an unknown call: %s at %d", a.Kind, a.Pos)
	}
	for guard, reason := range map[string]string{
		"n >":          "not an expression",
		"len(n) == 1":  "cannot be evaluated",
		"n > 1 || q":   "does not apply",
		"n != 0":       "both hold",
		"n + m == 1":   "does not apply",
		"n":            "not a truth value",
		"n/(n-n) == 0": "division by zero",
	} {
		i := read(t, "pool")
		i.Calls[2].Guard = guard
		i.Forbidden[0].Witness = nil
		if err := i.Validate(); err != nil {
			t.Errorf("guard %s: %v", guard, err)
		}
		for _, n := range []string{"-1", "1"} {
			a := i.Accepts([]Step{make1, get(n, "open")})
			if reason == "both hold" && n == "1" {
				continue // only one holds
			}
			if a.Kind != StepUnknown || !strings.Contains(a.Reason, reason) {
				t.Errorf("guard %s with n = %s: %s (%s)", guard, n, a.Kind, a.Reason)
			}
		}
	}
	i := read(t, "pool")
	i.Calls[2].Guard = "false"
	if a := i.Accepts([]Step{make1, get("1", "open")}); a.Kind != StepUnknown || !strings.Contains(a.Reason, "no guard of Get holds") {
		t.Errorf("no guard: %+v", a)
	}
}
