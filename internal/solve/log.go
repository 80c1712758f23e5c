// SPDX-License-Identifier: Apache-2.0

package solve

// This file writes what solvers are asked as SMT-LIB 2: to a log that anyone can
// replay, and to the processes of package smtlib.

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/interlock-go/interlock/internal/term"
)

// A Script writes SMT-LIB commands about terms. Variables are declared before
// their first use and stay declared (:global-declarations); what keeps an enum in
// its domain is an assertion, and is written again after the scope in which it
// was first needed has been left.
type Script struct {
	w        io.Writer
	err      error
	declared map[string]*term.Term
	domains  map[*term.Term]int // scope in which the domain is asserted
	seen     map[*term.Term]bool
	depth    int
}

// NewScript returns a script that is written to w. It starts with [Script.Header].
func NewScript(w io.Writer) *Script {
	return &Script{
		w:        w,
		declared: make(map[string]*term.Term),
		domains:  make(map[*term.Term]int),
		seen:     make(map[*term.Term]bool),
	}
}

// Err is the first error of writing, or a variable that cannot be written.
func (s *Script) Err() error { return s.err }

// Printf writes a command as it is.
func (s *Script) Printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}

// Header writes the options that this type relies on, and the logic.
func (s *Script) Header(logic string) {
	s.Printf("(set-option :global-declarations true)\n(set-logic %s)\n", logic)
}

// Declare writes what the variables of ts need.
func (s *Script) Declare(ts ...*term.Term) {
	for _, t := range ts {
		if s.seen[t] {
			continue // with everything that it needs
		}
		s.seen[t] = true
		for _, v := range term.FreeVars(t) {
			s.variable(v)
		}
	}
}

func (s *Script) variable(v *term.Term) {
	_, inDomain := s.domains[v]
	if old, ok := s.declared[v.Name()]; !ok {
		s.declared[v.Name()] = v
		s.Printf("(declare-const %s %s)\n", term.SMTName(v.Name()), term.SMTSort(v.Sort()))
	} else if old != v {
		if s.err == nil {
			s.err = fmt.Errorf("variable %s has sorts %s and %s", v.Name(), old.Sort(), v.Sort())
		}
		return
	}
	if v.Sort().Kind != term.EnumKind || inDomain {
		return
	}
	s.domains[v] = s.depth
	if n := len(v.Sort().Enum.Values); n < 1<<v.Sort().Bits() {
		s.Printf("(assert (bvult %s (_ bv%d %d)))\n", term.SMTName(v.Name()), n, v.Sort().Bits())
	}
}

// Assert writes an assertion.
func (s *Script) Assert(t *term.Term) {
	s.Declare(t)
	s.Printf("(assert ")
	s.Term(t)
	s.Printf(")\n")
}

// Term writes a term.
func (s *Script) Term(t *term.Term) {
	if s.err == nil {
		s.err = term.WriteSMT(s.w, t)
	}
}

// Push and Pop write scopes.
func (s *Script) Push() {
	s.depth++
	s.Printf("(push 1)\n")
}

func (s *Script) Pop() {
	s.depth--
	s.Printf("(pop 1)\n")
	lost := false
	for v, d := range s.domains {
		if d > s.depth {
			delete(s.domains, v)
			lost = true
		}
	}
	if lost {
		clear(s.seen)
	}
}

// A logger writes a log of what passes through it.
type logger struct {
	Solver
	script *Script
	buf    *bufio.Writer
}

// Log returns s with a log of its questions, as a script that any solver of QF_BV
// can run. The answers are in it as comments. An error of writing is returned by
// Close.
func Log(s Solver, w io.Writer) Solver {
	l := &logger{Solver: s, buf: bufio.NewWriter(w)}
	l.script = NewScript(l.buf)
	l.script.Header("QF_BV")
	return l
}

func (l *logger) Assert(t *term.Term) {
	l.script.Assert(t)
	l.Solver.Assert(t)
}

func (l *logger) Push() {
	l.script.Push()
	l.Solver.Push()
}

func (l *logger) Pop() {
	l.Solver.Pop()
	l.script.Pop()
}

// Check logs before it asks: a question that never comes back is the one of
// interest. The answer is logged behind it.
func (l *logger) Check(ctx context.Context, assumptions ...*term.Term) (Result, error) {
	if len(assumptions) > 0 {
		l.script.Push()
		for _, t := range assumptions {
			l.script.Assert(t)
		}
	}
	l.script.Printf("(check-sat)\n")
	if err := l.buf.Flush(); err != nil && l.script.err == nil {
		l.script.err = err
	}
	r, err := l.Solver.Check(ctx, assumptions...)
	switch {
	case err != nil:
		l.script.Printf("; error\n")
	case r.Verdict == Unknown:
		l.script.Printf("; unknown: %q\n", r.Reason)
	default:
		l.script.Printf("; %s\n", r.Verdict)
	}
	if len(assumptions) > 0 {
		l.script.Pop()
	}
	return r, err
}

// Close also reports that the log could not be written.
func (l *logger) Close() error {
	err := l.Solver.Close()
	if e := l.buf.Flush(); l.script.err == nil {
		l.script.err = e
	}
	if l.script.err != nil {
		return fmt.Errorf("log of questions: %w", l.script.err)
	}
	return err
}
