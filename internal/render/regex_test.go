// SPDX-License-Identifier: Apache-2.0

package render

// This file compares regular expressions with the automata they come from, by
// translating the printed text, letter by letter, to package regexp and trying
// all short words.

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// translate turns a printed expression into one of package regexp over the
// letters 'A', 'B', ... and returns their names in that order.
func translate(text string) (re string, names []string) {
	token := regexp.MustCompile(`'(?:[^'\\]|\\.)*'|[()|*? ]|[^()|*? ]+`)
	index := map[string]int{}
	var b strings.Builder
	for _, tok := range token.FindAllString(text, -1) {
		switch tok {
		case " ", "ε":
		case "∅":
			b.WriteString(`[^\x00-\x{10ffff}]`)
		case "(":
			b.WriteString("(?:")
		case ")", "|", "*", "?":
			b.WriteString(tok)
		default:
			if _, ok := index[tok]; !ok {
				index[tok] = len(names)
				names = append(names, tok)
			}
			b.WriteRune(rune('A' + index[tok]))
		}
	}
	return "^(?:" + b.String() + ")$", names
}

// checkRegex compares the expressions of an interface with its words, and
// returns what differs.
func checkRegex(i *typestate.Interface, maxWords int) error {
	s, err := newSheet(i)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := writeRegex(&b, i, Options{}); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	starts := s.starts
	for k, l := range lines {
		if strings.HasPrefix(l, "#") {
			continue
		}
		start := starts[0].state
		starts = starts[1:]
		exact := strings.HasPrefix(lines[k-1], "# all words")
		text, names := translate(l)
		re, err := regexp.Compile(text)
		if err != nil {
			return fmt.Errorf("%s: %v", l, err)
		}
		rune_ := map[string]rune{}
		for n, name := range names {
			rune_[name] = rune('A' + n)
		}
		// next[state][letter] is the target.
		next := make([]map[rune]int, len(s.states))
		for k := range s.states {
			next[k] = map[rune]int{}
			for _, a := range s.states[k].arrows {
				for _, x := range s.letters(a) {
					if r, ok := rune_[regexName(x.text("="))]; ok {
						next[k][r] = a.to
					} else if k == start {
						return fmt.Errorf("%s: letter %v of the start is missing", l, x)
					}
				}
			}
		}
		// Breadth-first over all words, accepted or not (-1), up to maxWords.
		type word struct {
			text  string
			state int
		}
		count, depth := 0, 0
		begun := map[string]bool{} // prefixes of words that match
		var allowed []string
		level := []word{{"", start}}
		for range 12 {
			var longer []word
			for _, w := range level {
				count++
				match := re.MatchString(w.text)
				for k := range w.text {
					if match {
						begun[w.text[:k]] = true
					}
				}
				begun[w.text] = begun[w.text] || match
				if w.state >= 0 {
					allowed = append(allowed, w.text)
				}
				depth = len(w.text)
				switch {
				case exact && match != (w.state >= 0):
					return fmt.Errorf("%s: word %q: match %v, state %d", l, w.text, match, w.state)
				case !exact && match && w.state < 0:
					return fmt.Errorf("%s: word %q matches but is not allowed", l, w.text)
				case !exact && !match && w.state == start:
					return fmt.Errorf("%s: word %q returns to the start but does not match", l, w.text)
				}
				for n := range names {
					to := -1
					if w.state >= 0 {
						if t, ok := next[w.state][rune('A'+n)]; ok {
							to = t
						}
					}
					longer = append(longer, word{w.text + string(rune('A'+n)), to})
				}
			}
			if count+len(longer) > maxWords {
				break
			}
			level = longer
		}
		// Every allowed word must begin one that matches. If every state can
		// return, it does, as words that return match. Otherwise look.
		if !exact && !returns(next, start) {
			if depth <= len(s.states) {
				return fmt.Errorf("%s: words of %d letters are too short to tell whether all are prefixes", l, depth)
			}
			for _, w := range allowed {
				if len(w)+len(s.states) <= depth && !begun[w] {
					return fmt.Errorf("%s: word %q is allowed but not a prefix", l, w)
				}
			}
		}
	}
	if len(starts) > 0 {
		return fmt.Errorf("no expression for state %d", starts[0].state)
	}
	return nil
}

// returns reports whether every reachable state can reach the start again.
func returns(next []map[rune]int, start int) bool {
	reach := func(from int) map[int]bool {
		seen := map[int]bool{from: true}
		for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
			for _, t := range next[queue[0]] {
				if !seen[t] {
					seen[t] = true
					queue = append(queue, t)
				}
			}
		}
		return seen
	}
	for k := range reach(start) {
		if !reach(k)[start] {
			return false
		}
	}
	return true
}

func TestRegexSamples(t *testing.T) {
	for name, i := range samples(t) {
		if name == "random30" {
			continue // refused, see TestRegexLimit
		}
		if err := checkRegex(i, 40000); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// automaton makes an interface of a table of targets (-1 for none).
func automaton(states, letters int, to func(s, x int) int) *typestate.Interface {
	i := &typestate.Interface{}
	for x := range letters {
		name := string(rune('a' + x))
		i.Calls = append(i.Calls, typestate.Call{ID: name, Method: name, Outcomes: []string{"return"}})
	}
	for s := range states {
		i.States = append(i.States, typestate.State{ID: s})
		for x := range letters {
			if t := to(s, x); t >= 0 {
				i.Edges = append(i.Edges, typestate.Edge{From: s, Call: i.Calls[x].ID, Outcome: "*", To: t})
			}
		}
	}
	return i
}

// TestRegexAll checks all partial automata with three states and two letters.
func TestRegexAll(t *testing.T) {
	const states, letters = 3, 2
	total := 1
	for range states * letters {
		total *= states + 1
	}
	for n := range total {
		i := automaton(states, letters, func(s, x int) int {
			k := n
			for range s*letters + x {
				k /= states + 1
			}
			return k%(states+1) - 1
		})
		if err := checkRegex(i, 130); err != nil {
			t.Fatalf("automaton %d: %v", n, err)
		}
	}
}

// TestRegexRandom checks automata that are too large for all orders of
// elimination to be tried.
func TestRegexRandom(t *testing.T) {
	count := 150
	if os.Getenv("CI") == "true" {
		count = 2000
	}
	r := rand.New(rand.NewSource(6))
	refused := 0
	for n := range count {
		i := automaton(4+r.Intn(6), 3, func(s, x int) int {
			if r.Intn(3) == 0 {
				return -1
			}
			return r.Intn(4 + min(s, 5))
		})
		// Targets beyond the last state are taken back.
		for k := range i.Edges {
			i.Edges[k].To %= len(i.States)
		}
		err := checkRegex(i, 1100)
		if err != nil && strings.Contains(err.Error(), "too short to tell") {
			err = checkRegex(i, 30_000) // words of 9 letters
		}
		if err != nil && strings.Contains(err.Error(), "more than") {
			refused++
		} else if err != nil {
			t.Fatalf("automaton %d: %v", n, err)
		}
	}
	if refused > count/2 {
		t.Errorf("%d of %d refused", refused, count)
	}
}

func TestRegexLimit(t *testing.T) {
	list := samples(t)
	err := writeRegex(&bytes.Buffer{}, list["random30"], Options{})
	if err == nil || !strings.Contains(err.Error(), "more than "+strconv.Itoa(regexLimit)+" letters") {
		t.Errorf("random30: %v", err)
	}
	if err := writeRegex(&bytes.Buffer{}, list["file"], Options{Limit: 5}); err == nil {
		t.Error("an expression of 7 letters passes for 5")
	}
	if err := writeRegex(&bytes.Buffer{}, list["file"], Options{Limit: 7}); err != nil {
		t.Error(err)
	}
}

// TestRegexPaper pins the expressions that the literature prints.
func TestRegexPaper(t *testing.T) {
	for name, want := range map[string]string{
		"file":      "((ropen read* close) | (rwopen (read | write)* close))*",
		"signature": "((initSign (sign | update)*) | (initVerify (update | verify)*))*",
		"mutex":     "((Lock | TryLock) TryLock* Unlock)*",
		"builder":   "size* (name (add | size)* (build size*)?)?",
	} {
		var b bytes.Buffer
		if err := writeRegex(&b, samples(t)[name], Options{}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if got := lines[len(lines)-1]; got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}
