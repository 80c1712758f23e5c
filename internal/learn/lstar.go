// SPDX-License-Identifier: Apache-2.0

package learn

// This file is Angluin's L* (Information and Computation 1987) with Rivest and
// Schapire's counterexamples (1993): an observation table whose rows are words,
// whose columns are suffixes and whose cells are verdicts.
//
// The rows of access words are pairwise different at all times, so the table
// is always consistent in Angluin's sense and only closedness is restored.
// The columns are not closed under suffixes, so a hypothesis can disagree with
// its own table; session.refute finds that before the teacher is asked.

import (
	"context"

	"github.com/interlock-go/interlock/internal/automata"
)

// LStar learns with an observation table. It asks every column for every row
// and is the yardstick for the others. See [Learner] for the contract.
func LStar(ctx context.Context, letters int, t Teacher, opt Options) (Result, error) {
	return run(ctx, letters, t, opt, func(s *session) (*automata.DFA, error) {
		l := &lstar{session: s, columns: [][]int{nil}}
		return l.learn()
	})
}

type lstar struct {
	*session
	columns [][]int
	access  [][]int          // access words, one per state
	rows    []string         // their rows: one byte per column
	state   map[string]int32 // row -> state
	lower   [][]byte         // row of access[q]·x at q*letters+x
}

func (l *lstar) learn() (*automata.DFA, error) {
	first, err := l.fill(nil, nil)
	if err != nil {
		return nil, err
	}
	l.state = map[string]int32{}
	if err := l.promote(nil, first); err != nil {
		return nil, err
	}
	for states := 0; ; states = len(l.access) {
		h, err := l.close()
		if err != nil {
			return nil, err
		}
		if h.States() == states {
			panic("learn.LStar: a counterexample without effect")
		}
		word, ok, err := l.refute(h)
		if err != nil {
			return nil, err
		}
		if !ok {
			return h, nil
		}
		run := path(h, word)
		i, err := l.breakpoint(word, func(i int) []int { return l.access[run[i]] })
		if err != nil {
			return nil, err
		}
		if err := l.addColumn(word[i+1:]); err != nil {
			return nil, err
		}
	}
}

// fill completes the row of word to all columns.
func (l *lstar) fill(row []byte, word []int) ([]byte, error) {
	for len(row) < len(l.columns) {
		v, err := l.member(word, l.columns[len(row)])
		if err != nil {
			return nil, err
		}
		row = append(row, byte(v))
	}
	return row, nil
}

// promote makes word, whose row is new, an access word. The rows below it are
// filled by close.
func (l *lstar) promote(word []int, row []byte) error {
	if err := l.newState(); err != nil {
		return err
	}
	l.state[string(row)] = int32(len(l.access))
	l.access = append(l.access, word)
	l.rows = append(l.rows, string(row))
	l.lower = append(l.lower, make([][]byte, l.letters)...)
	return nil
}

// close promotes words until the row of every access word extended by a letter
// is the row of an access word, and returns the automaton of the table.
func (l *lstar) close() (*automata.DFA, error) {
	h := &automata.DFA{Letters: l.letters}
	for q := 0; q < len(l.access); q++ {
		for _, x := range l.order {
			word := extend(l.access[q], x)
			row, err := l.fill(l.lower[q*l.letters+x], word)
			if err != nil {
				return nil, err
			}
			l.lower[q*l.letters+x] = row
			if _, ok := l.state[string(row)]; !ok {
				if err := l.promote(word, row); err != nil {
					return nil, err
				}
			}
		}
	}
	h.Next = make([]int32, len(l.lower))
	for i, row := range l.lower {
		h.Next[i] = l.state[string(row)]
	}
	h.Out = make([]automata.Verdict, len(l.access))
	for q, row := range l.rows {
		h.Out[q] = automata.Verdict(row[0]) // column 0 is the empty suffix
	}
	return h, nil
}

// addColumn adds a suffix and fills the rows of the access words; close fills
// the others. Rows that were different stay so.
func (l *lstar) addColumn(suffix []int) error {
	l.columns = append(l.columns, suffix)
	clear(l.state)
	for q, row := range l.rows {
		full, err := l.fill([]byte(row), l.access[q])
		if err != nil {
			return err
		}
		l.rows[q] = string(full)
		l.state[l.rows[q]] = int32(q)
	}
	return nil
}
