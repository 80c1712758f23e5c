// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
)

// TestRandom checks that random components parse, that the same seed gives the
// same text, and that every construct occurs.
func TestRandom(t *testing.T) {
	count := map[string]int{}
	words := []string{"enum place", "uint3", " = any", " = choose", "assume ", "while ", "while {", "break", "continue", "error ", "environment",
		"constructor New0", "constructor New1", "(r bool)", "(r mood)", "(r uint2)", "(r bool, v uint2)", "(p bool)", "(p uint2)", "2/", "else", "f bool"}
	texts := map[string]bool{}
	const n = 1000
	for seed := range int64(n) {
		text := Random(seed, RandomOptions{})
		if text != Random(seed, RandomOptions{}) {
			t.Fatalf("seed %d: two texts", seed)
		}
		texts[text] = true
		if _, err := prog.Parse("random.open", []byte(text), prog.Options{}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, w := range words {
			if strings.Contains(text, w) {
				count[w]++
			}
		}
	}
	for _, w := range words {
		if count[w] < n/100 {
			t.Errorf("%q occurs in %d of %d components", w, count[w], n)
		}
	}
	if len(texts) < n*9/10 {
		t.Errorf("%d different components of %d", len(texts), n)
	}
}

// TestRandomWithout checks that constructs can be left out.
func TestRandomWithout(t *testing.T) {
	for what, word := range map[string]string{"environment": "var e ", "params": "(p ", "loops": "while", "division": "2/", "constructors": "constructor", "state": "f bool"} {
		for seed := range int64(300) {
			if text := Random(seed, RandomOptions{Without: []string{what}}); strings.Contains(text, word) {
				t.Fatalf("without %s, seed %d:\n%s", what, seed, text)
			}
		}
	}
	for seed := range int64(300) {
		text := Random(seed, RandomOptions{Without: []string{"hidden", "results", "assume"}, Methods: 4, States: 3})
		if strings.Contains(text, "choose") || strings.Contains(text, "assume") || strings.Contains(text, "(r ") || !strings.Contains(text, "method d") || strings.Contains(text, "s3") {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}

// TestRandomExplored checks that random components are worth exploring: many
// have more than one state, some calls are allowed and some are not.
func TestRandomExplored(t *testing.T) {
	const n = 200
	several, allowed, forbidden := 0, 0, 0
	for seed := range int64(n) {
		p, err := prog.Parse("random.open", []byte(Random(seed, RandomOptions{})), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x := &explorer{t: t, c: &concrete{p, map[string]runs{}}, e: &Expect{}, index: map[node]int{}}
		x.visit("start", p.Constructors, nil, x.c.initial())
		for k := 0; k < len(x.nodes) && k < 100; k++ {
			x.at = append(x.at, x.visit("", p.Methods, nil, x.split(x.nodes[k].know)))
			for _, m := range p.Methods {
				if x.at[k].forbidden[m.Name] {
					forbidden++
				} else {
					allowed++
				}
			}
		}
		if len(x.nodes) > 1 {
			several++
		}
	}
	t.Logf("%d of %d components have several sets of states; %d calls allowed, %d forbidden", several, n, allowed, forbidden)
	if several < n/2 || allowed < n || forbidden < n {
		t.Errorf("%d of %d components have several sets of states; %d calls allowed, %d forbidden", several, n, allowed, forbidden)
	}
}

// TestNFA checks that the text of a random automaton means its table.
func TestNFA(t *testing.T) {
	different := map[string]bool{}
	for seed := range int64(400) {
		opt := NFAOptions{States: 1 + int(seed%5), Letters: 1 + int(seed%3), Results: seed%2 == 1}
		if seed%4 == 0 {
			opt.Stuck = 0.3
		}
		n := RandomNFA(seed, opt)
		text := n.Source()
		different[text] = true
		p, err := prog.Parse("nfa.open", []byte(text), prog.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		c := &concrete{p, map[string]runs{}}
		if got := c.initial(); !slices.Equal(got, []string{vals{0}.key()}) {
			t.Fatalf("seed %d: initial states %v", seed, got)
		}
		for s := range n.States {
			for l, m := range p.Methods {
				got := c.call(m, vals{uint64(s)}.key(), nil)
				want := map[string]bool{}
				for _, to := range n.Next[s][l] {
					if n.Results {
						want[vals{uint64(to % 2), uint64(to / 2)}.key()] = true
					} else {
						want[vals{uint64(to)}.key()] = true
					}
				}
				same := got.errs == n.Err[s][l] && len(got.returns) == len(want)
				for k := range got.returns {
					same = same && want[k]
				}
				if !same {
					t.Fatalf("seed %d: state %d, letter %d: returns %q errs %v, table %v %v\n%s", seed, s, l, got.returns, got.errs, n.Next[s][l], n.Err[s][l], text)
				}
			}
		}
	}
	if len(different) < 300 {
		t.Errorf("%d different automata of 400", len(different))
	}
}
