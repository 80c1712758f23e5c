// SPDX-License-Identifier: Apache-2.0

package corpus

// This file reads the table of an expected interface. The table is not the
// interface file format: it is meant to be written and reviewed by a person,
// so it has one short line per state and no annotations, and it cannot be
// produced by the code under test.
//
//	states N                     number of states
//	symbols N                    optional: number of calls, guards counted
//	register NAME                one line per register
//	guard ID: TEXT               one line per call of a method that is split
//	update ID: NAME = TEXT       what the call gives a register; without a line it keeps its value
//	start ITEMS                  where constructors lead; several lines allowed
//	STATE: ITEMS                 one line per state, or none at all
//
// ITEMS are separated by semicolons:
//
//	CALL CALL=OUTCOME -> STATE   outcome omitted: every feasible one leads there
//	forbidden CALL CALL          verdict fails
//	may-fail CALL                verdict may-fail
//	pruned CALL                  forbidden because it leads to a dead end (-serial)
//	no-return CALL               allowed, but no run returns
//	unknown CALL                 verdict unknown
//	impossible CALL=OUTCOME      the outcome has no edge of its own
//
// An outcome is a word, a tuple "(true, _)" where _ stands for a result that is
// not split, or a condition on a split result in brackets, "[n == 0]". A table
// without state lines expects only the number of states and the starts.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// An Expect is an expected interface.
type Expect struct {
	States  int
	Symbols int               // 0: not said
	Guards  map[string]string // by call id; an id without one has guard "true"
	Start   map[string]Cell   // by constructor call id
	Rows    []map[string]Cell // by state, then call id; empty: only the count is expected

	registers []string
	updates   map[string]map[string]string // by call id and register
}

// A Kind says what a cell of the table is.
type Kind uint8

// The kinds of cells. The zero value is not a cell.
const (
	Allowed  Kind = iota + 1 // with at least one feasible outcome
	Fails                    // no run returns
	MayFail                  // some run errs and some run returns
	Pruned                   // forbidden by -serial only; fails or may-fail is not said
	NoReturn                 // allowed, no outcome feasible
	Unknown
)

func (k Kind) String() string {
	switch k {
	case Allowed:
		return "allowed"
	case Fails:
		return "fails"
	case MayFail:
		return "may-fail"
	case Pruned:
		return "pruned"
	case NoReturn:
		return "no-return"
	case Unknown:
		return "unknown"
	}
	return "not mentioned"
}

// A Cell is what the table says of a call in a state.
type Cell struct {
	Kind       Kind
	To         map[string]int // target by outcome, "*" alone if the outcome does not matter
	Impossible []string       // outcomes without an edge
}

// ParseExpect reads a table. Errors begin with the line number.
func ParseExpect(text string) (*Expect, error) {
	e := &Expect{States: -1, Guards: map[string]string{}, Start: map[string]Cell{}}
	rows := map[int]map[string]Cell{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := e.line(line, rows); err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
	}
	if e.States < 0 {
		return nil, fmt.Errorf("1: no line \"states N\"")
	}
	if len(rows) > 0 && len(rows) != e.States {
		return nil, fmt.Errorf("%d: %d states and %d state lines", n, e.States, len(rows))
	}
	for s := range len(rows) {
		row, ok := rows[s]
		if !ok {
			return nil, fmt.Errorf("%d: no line for state %d", n, s)
		}
		e.Rows = append(e.Rows, row)
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("%d: %w", n, err)
	}
	return e, nil
}

func (e *Expect) line(line string, rows map[int]map[string]Cell) error {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "states" || word == "symbols":
		k, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil || k < 0 {
			return fmt.Errorf("%s: want a number, have %q", word, rest)
		}
		if word == "states" {
			e.States = k
		} else {
			e.Symbols = k
		}
	case word == "guard":
		id, guard, ok := strings.Cut(rest, ":")
		id, guard = strings.TrimSpace(id), strings.TrimSpace(guard)
		if !ok || id == "" || guard == "" {
			return fmt.Errorf("want \"guard CALL: TEXT\"")
		}
		if _, dup := e.Guards[id]; dup {
			return fmt.Errorf("second guard of %s", id)
		}
		e.Guards[id] = guard
	case word == "register":
		return e.register(rest)
	case word == "update":
		return e.update(rest)
	case word == "start":
		return items(rest, e.Start)
	case strings.HasSuffix(word, ":"):
		s, err := strconv.Atoi(strings.TrimSuffix(word, ":"))
		if err != nil || s < 0 {
			return fmt.Errorf("%q is not a state number", word)
		}
		if rows[s] != nil {
			return fmt.Errorf("second line of state %d", s)
		}
		rows[s] = map[string]Cell{}
		return items(rest, rows[s])
	default:
		return fmt.Errorf("%q: want states, symbols, register, guard, update, start or a state number with a colon", word)
	}
	return nil
}

// items reads the items of one line into row.
func items(text string, row map[string]Cell) error {
	for _, item := range strings.Split(text, ";") {
		words, err := split(item)
		if err != nil {
			return err
		}
		if len(words) == 0 {
			continue
		}
		if k := len(words) - 2; k >= 0 && words[k] == "->" {
			to, err := strconv.Atoi(words[k+1])
			if err != nil || to < 0 {
				return fmt.Errorf("target %q is not a state number", words[k+1])
			}
			if k == 0 {
				return fmt.Errorf("no call before -> %d", to)
			}
			for _, w := range words[:k] {
				id, outcome := call(w)
				c := row[id]
				if c.Kind != 0 && c.Kind != Allowed {
					return fmt.Errorf("%s is both %s and allowed", id, c.Kind)
				}
				if _, dup := c.To[outcome]; dup {
					return fmt.Errorf("%s has two targets", w)
				}
				if c.To == nil {
					c.To = map[string]int{}
				}
				c.Kind, c.To[outcome] = Allowed, to
				row[id] = c
			}
			continue
		}
		kind, ok := map[string]Kind{"forbidden": Fails, "may-fail": MayFail, "pruned": Pruned,
			"no-return": NoReturn, "unknown": Unknown, "impossible": 0}[words[0]]
		if !ok || len(words) == 1 {
			return fmt.Errorf("%q: want \"CALL -> STATE\" or forbidden, may-fail, pruned, no-return, unknown, impossible with calls", strings.TrimSpace(item))
		}
		for _, w := range words[1:] {
			id, outcome := call(w)
			c := row[id]
			switch {
			case kind == 0 && outcome == "*":
				return fmt.Errorf("impossible %s: want CALL=OUTCOME", w)
			case kind == 0:
				c.Impossible = append(c.Impossible, outcome)
			case c.Kind != 0:
				return fmt.Errorf("%s is both %s and %s", id, c.Kind, kind)
			case outcome != "*":
				return fmt.Errorf("%s: a call that is %s has no outcome", w, kind)
			default:
				c.Kind = kind
			}
			row[id] = c
		}
	}
	return nil
}

// split splits at blanks outside parentheses and brackets.
func split(s string) ([]string, error) {
	var words []string
	depth, start := 0, -1
	for k, r := range s + " " {
		switch {
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth--
		}
		if depth < 0 {
			break
		}
		if blank := r == ' ' || r == '\t'; blank && depth == 0 && start >= 0 {
			words = append(words, s[start:k])
			start = -1
		} else if !blank && start < 0 {
			start = k
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("%q: parentheses or brackets do not match", strings.TrimSpace(s))
	}
	return words, nil
}

// call splits CALL=OUTCOME; a call without an outcome has "*".
func call(w string) (id, outcome string) {
	id, outcome, ok := strings.Cut(w, "=")
	if !ok {
		return id, "*"
	}
	return id, normal(outcome)
}

// normal brings the name of an outcome to the form in which names are
// compared: no blanks, no brackets around a condition, _ for what is not said.
func normal(outcome string) string {
	s := strings.Join(strings.Fields(outcome), "")
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		s = s[1 : len(s)-1]
	}
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		parts := strings.Split(s[1:len(s)-1], ",")
		for k, p := range parts {
			if p == "*" || p == "any" {
				parts[k] = "_"
			}
		}
		s = "(" + strings.Join(parts, ",") + ")"
	}
	return s
}

// check reports the first inconsistency of a table: every state speaks of the
// same calls, targets exist, every state can be reached, "*" stands alone and
// is used wherever all outcomes lead to the same state.
func (e *Expect) check() error {
	if len(e.Start) == 0 {
		return fmt.Errorf("no line \"start CONSTRUCTOR -> STATE\"")
	}
	if err := e.checkRow("start", e.Start); err != nil {
		return err
	}
	if len(e.Rows) == 0 {
		return nil
	}
	all := map[string]bool{}
	for _, row := range e.Rows {
		for id := range row {
			all[id] = true
		}
	}
	ids := slices.Sorted(maps.Keys(all))
	for s, row := range e.Rows {
		for _, id := range ids {
			if row[id].Kind == 0 {
				return fmt.Errorf("state %d: call %s is not mentioned", s, id)
			}
		}
		if err := e.checkRow(fmt.Sprintf("state %d", s), row); err != nil {
			return err
		}
	}
	if e.Symbols > 0 && e.Symbols != len(ids) {
		return fmt.Errorf("symbols %d, but the states speak of %d calls", e.Symbols, len(ids))
	}
	for _, id := range slices.Sorted(maps.Keys(e.Guards)) {
		if _, ctor := e.Start[id]; !ctor && !all[id] {
			return fmt.Errorf("guard of %s, which no line mentions", id)
		}
	}
	reached := make([]bool, e.States)
	var visit func(row map[string]Cell)
	visit = func(row map[string]Cell) {
		for _, c := range row {
			for _, to := range c.To {
				if !reached[to] {
					reached[to] = true
					visit(e.Rows[to])
				}
			}
		}
	}
	visit(e.Start)
	if s := slices.Index(reached, false); s >= 0 {
		return fmt.Errorf("state %d cannot be reached", s)
	}
	return nil
}

func (e *Expect) checkRow(where string, row map[string]Cell) error {
	for _, id := range slices.Sorted(maps.Keys(row)) {
		c := row[id]
		targets := map[int]bool{}
		for _, o := range slices.Sorted(maps.Keys(c.To)) {
			if c.To[o] >= e.States {
				return fmt.Errorf("%s: %s leads to state %d of %d", where, id, c.To[o], e.States)
			}
			if slices.Contains(c.Impossible, o) {
				return fmt.Errorf("%s: %s=%s is both possible and impossible", where, id, o)
			}
			targets[c.To[o]] = true
		}
		_, star := c.To["*"]
		if star && len(c.To) > 1 {
			return fmt.Errorf("%s: %s has an edge for every outcome and one for a single outcome", where, id)
		}
		if !star && len(targets) == 1 {
			return fmt.Errorf("%s: all outcomes of %s lead to the same state: leave the outcome out", where, id)
		}
	}
	return nil
}
