// SPDX-License-Identifier: Apache-2.0

package render

// This file checks the names of outcomes: by examples, and that what is shown reads
// back as outcomes that tell the same apart.

import (
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// results makes results from "name type" texts.
func results(list ...string) []typestate.Register {
	var all []typestate.Register
	for _, text := range list {
		name, typ, _ := strings.Cut(text, " ")
		all = append(all, typestate.Register{Name: name, Type: typ})
	}
	return all
}

var pairs = []string{"(nil, nil)", "(nil, non-nil)", "(non-nil, nil)", "(non-nil, non-nil)"}

func TestOutcomeText(t *testing.T) {
	for _, c := range []struct {
		returns  []typestate.Register
		set      []string
		possible []string
		want     string
	}{
		{results("_ error"), []string{"nil"}, []string{"nil", "non-nil"}, "ok"},
		{results("_ error"), []string{"non-nil"}, []string{"nil", "non-nil"}, "err"},
		{results("_ error"), []string{"nil", "non-nil"}, []string{"nil", "non-nil"}, ""},
		{results("_ *T"), []string{"non-nil"}, []string{"nil", "non-nil"}, "non-nil"},
		{results("ok bool"), []string{"false"}, []string{"false", "true"}, "false"},
		{results("_ Result", "_ error"), []string{"(nil, non-nil)", "(non-nil, non-nil)"}, pairs, "err"},
		{results("_ Result", "_ error"), []string{"(nil, nil)", "(non-nil, nil)"}, pairs, "ok"},
		{results("_ Result", "_ error"), []string{"(nil, non-nil)"}, []string{"(nil, non-nil)", "(non-nil, nil)"}, "err"},
		{results("_ Result", "_ error"), []string{"(nil, non-nil)"}, pairs, "(nil, err)"},
		{results("_ Result", "_ error"), pairs[:3], pairs, "(nil, ok)|(nil, err)|(non-nil, ok)"},
		{results("_ Result", "_ error"), []string{"(nil, nil)", "(nil, non-nil)"}, pairs, "(nil, _)"},
		{results("v any", "ok bool"), []string{"(nil, false)"}, []string{"(nil, false)", "(nil, true)", "(non-nil, true)"}, "!ok"},
		{results("v any", "ok bool"), []string{"(nil, true)", "(non-nil, true)"}, []string{"(nil, false)", "(nil, true)", "(non-nil, true)"}, "ok"},
		{results("_ any", "_ bool"), []string{"(nil, false)"}, []string{"(nil, false)", "(nil, true)", "(non-nil, true)"}, "(_, false)"},
		// A word that could mean two things is not used.
		{results("ok bool", "_ error"), []string{"(true, nil)", "(false, nil)"}, []string{"(true, nil)", "(false, nil)", "(true, non-nil)"}, "(_, ok)"},
		{results("_ error", "_ error"), []string{"(nil, nil)", "(nil, non-nil)"}, pairs, "(ok, _)"},
		// Nothing is known of the results.
		{nil, []string{"(nil, nil)"}, pairs, "(nil, nil)"},
		{nil, []string{"(nil, non-nil)", "(non-nil, non-nil)"}, pairs, "(_, non-nil)"},
		{nil, []string{"red", "blue"}, []string{"red", "green", "blue"}, "red|blue"},
		{nil, []string{"throws E"}, []string{"(nil, nil)", "throws E"}, "throws E"},
		{results("n int"), []string{"n > 0"}, []string{"n > 0", "n <= 0"}, "n > 0"},
	} {
		call := typestate.Call{Outcomes: c.possible, Returns: c.returns}
		if got := OutcomeText(call, c.set, c.possible); got != c.want {
			t.Errorf("%v: %q among %q is named %q, want %q", c.returns, c.set, c.possible, got, c.want)
		}
	}
}

// TestOutcomesReadBack names every set of outcomes of calls with two results and reads the
// alternatives of the name: together they must fit exactly the outcomes of the set.
func TestOutcomesReadBack(t *testing.T) {
	for _, returns := range [][]typestate.Register{
		results("_ Result", "_ error"), results("ok bool", "_ error"), results("err bool", "e error"), results("a error", "b error"),
		results("a bool", "b bool"), results("true bool", "_ bool"), results("a bool", "a bool"), results("p any", "found bool"), nil,
	} {
		var values [2][]string
		for k := range values {
			values[k] = []string{"nil", "non-nil"}
			if k < len(returns) && returns[k].Type == "bool" {
				values[k] = []string{"false", "true"}
			}
		}
		var all []string
		for _, a := range values[0] {
			for _, b := range values[1] {
				all = append(all, "("+a+", "+b+")")
			}
		}
		call := typestate.Call{Outcomes: all, Returns: returns}
		for bits := 1; bits < 1<<len(all)-1; bits++ {
			var set []string
			for k, o := range all {
				if bits>>k&1 == 1 {
					set = append(set, o)
				}
			}
			text := OutcomeText(call, set, all)
			for _, o := range all {
				fits := false
				for _, word := range strings.Split(text, "|") {
					exact, err := ReadOutcome(call, word)
					if err != nil {
						t.Fatalf("%v: %q is named %q, which reads: %v", returns, set, text, err)
					}
					fits = fits || fitsTuple(o, exact)
				}
				if fits != slices.Contains(set, o) {
					t.Errorf("%v: %q is named %q, and %s fits: %v", returns, set, text, o, fits)
				}
			}
		}
	}
}

func fitsTuple(outcome, exact string) bool {
	a, b := tuple(outcome), tuple(exact)
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if b[k] != anyPart && a[k] != b[k] {
			return false
		}
	}
	return true
}

func TestReadOutcome(t *testing.T) {
	bools := []string{"(true, nil)", "(false, nil)", "(true, non-nil)", "(false, non-nil)"}
	for _, c := range []struct {
		returns       []typestate.Register
		outcomes      []string
		written, want string // an error, if want begins with "may"
	}{
		{results("_ error"), []string{"nil", "non-nil"}, "err", "non-nil"},
		{results("_ error"), []string{"nil", "non-nil"}, "nil", "nil"},
		{results("_ Result", "_ error"), pairs, "err", "(_, non-nil)"},
		{results("_ Result", "_ error"), pairs, "(_, ok)", "(_, nil)"},
		{results("_ Result", "_ error"), pairs, "(nil, non-nil)", "(nil, non-nil)"},
		{results("_ Result", "_ error"), pairs, "nil", "may mean (nil, _) or (_, nil)"},
		{results("_ Result", "_ error"), pairs, "maybe", "maybe"},
		{results("ok bool", "_ error"), bools, "ok", "may mean (true, _) or (_, nil)"},
		{results("ok bool", "_ error"), bools, "!ok", "(false, _)"},
		{results("ok bool", "_ error"), bools, "true", "(true, _)"},
		{results("_ error", "_ error"), pairs, "err", "may mean (non-nil, _) or (_, non-nil)"},
		{nil, pairs, "err", "err"},
	} {
		got, err := ReadOutcome(typestate.Call{Outcomes: c.outcomes, Returns: c.returns}, c.written)
		if err != nil {
			if strings.HasPrefix(c.want, "may ") && strings.Contains(err.Error(), c.want) {
				continue
			}
			t.Errorf("%v: %s: %v", c.returns, c.written, err)
		} else if got != c.want {
			t.Errorf("%v: %s reads %q, want %q", c.returns, c.written, got, c.want)
		}
	}
}
