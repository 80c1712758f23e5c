// SPDX-License-Identifier: Apache-2.0

package golang

// This file checks that nothing is lost by looking at checks of the run time in programs
// of their own: each word that errs errs in one of them, or in that of the explicit
// errors, or a check of its last call is said not to be covered.

import (
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

type checkPrograms struct {
	explicit *prog.Program // with the checks that are said there
	parts    []*prog.Program
	left     map[string]bool // methods with a check that is said not to be covered
	none     bool            // checks are not asked for, or are in the program itself
}

func programsOf(t *testing.T, r *Result) checkPrograms {
	t.Helper()
	if r.checker == nil {
		return checkPrograms{none: true}
	}
	program := func(r *Result) *prog.Program {
		c, err := r.Component(Depth{Sites: -1, Results: -1}, func(*Site) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		return c.Program
	}
	p := checkPrograms{explicit: program(r), left: map[string]bool{}}
	for method, sites := range r.checker.left {
		if len(sites) == 0 {
			t.Errorf("%s: no check is said not to be covered", method)
		}
		p.left[method] = true
	}
	for _, part := range r.Parts() {
		p.parts = append(p.parts, program(part))
	}
	return p
}

// agree checks one word, of which the verdict is known.
func (p checkPrograms) agree(t *testing.T, line, word, want string) {
	t.Helper()
	if p.none || want != "fails" && want != "may-fail" {
		return
	}
	words := blanks(strings.Fields(word))
	last, _, _ := strings.Cut(words[len(words)-1], "(")
	last, _, _ = strings.Cut(last, "=")
	if p.left[last] {
		return
	}
	for _, q := range append([]*prog.Program{p.explicit}, p.parts...) {
		switch verdict(t, q, words) {
		case "fails", "may-fail":
			return
		}
	}
	t.Errorf("%s: it errs in none of the programs\n%s", line, p.explicit)
	for _, q := range p.parts {
		t.Logf("%s", q)
	}
}

// TestUncheckedAssumes checks that an interface lists what the proofs of checks assume, whichever program it is of.
func TestUncheckedAssumes(t *testing.T) {
	part := &Result{Whole: &lower.Whole{}, Conventions: []string{conventionNoWrap, conventionReceiver}, Contracts: []string{"b"}}
	r := &Result{checker: &checker{used: map[string]bool{conventionBoxes: true}, clauses: map[string]bool{"c": true}, parts: []*Result{part}}}
	i := &typestate.Interface{Conventions: []string{conventionReceiver}, Contracts: []string{"a"}}
	r.Unchecked(i, []map[int]bool{{}})
	if want := []string{conventionBoxes, conventionNoWrap, conventionReceiver}; !slices.Equal(i.Conventions, want) {
		t.Errorf("conventions %q, want %q", i.Conventions, want)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(i.Contracts, want) {
		t.Errorf("contracts %q, want %q", i.Contracts, want)
	}
}
