// SPDX-License-Identifier: Apache-2.0

package prog

// This file holds the errors of the text form. All errors of a file are
// collected, because a person repairs a file faster than one error per run;
// the number is capped so that a binary file does not flood a terminal.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxErrors is how many errors of one file are kept.
const maxErrors = 50

// An Error is one problem of a text, at a position.
type Error struct {
	Pos Pos
	Msg string
}

func (e *Error) Error() string {
	if e.Pos == (Pos{}) {
		return e.Msg
	}
	return e.Pos.String() + ": " + e.Msg
}

// An ErrorList holds all problems of a text, sorted by position.
type ErrorList []*Error

// Error is one line: the first error and how many more there are.
func (l ErrorList) Error() string {
	switch len(l) {
	case 0:
		return "no errors"
	case 1:
		return l[0].Error()
	case 2:
		return l[0].Error() + " (and 1 more error)"
	}
	return fmt.Sprintf("%s (and %d more errors)", l[0].Error(), len(l)-1)
}

// Lines returns every error on a line of its own.
func (l ErrorList) Lines() string {
	var b strings.Builder
	for _, e := range l {
		b.WriteString(e.Error())
		b.WriteByte('\n')
	}
	return b.String()
}

// err returns the list as an error: sorted, without duplicates, capped; nil if
// there is none.
func (l ErrorList) err() error {
	if len(l) == 0 {
		return nil
	}
	l = slices.Clone(l)
	slices.SortStableFunc(l, func(a, b *Error) int { return comparePos(a.Pos, b.Pos) })
	l = slices.CompactFunc(l, func(a, b *Error) bool { return *a == *b })
	if len(l) > maxErrors {
		more := len(l) - maxErrors
		l = append(l[:maxErrors:maxErrors], &Error{l[maxErrors].Pos, fmt.Sprintf("too many errors (%d more)", more)})
	}
	return l
}

func comparePos(a, b Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// String is file:line:column, leaving out what is unknown; "-" if nothing is
// known.
func (p Pos) String() string {
	s := p.File
	if p.Line > 0 {
		if s != "" {
			s += ":"
		}
		s += fmt.Sprint(p.Line)
		if p.Col > 0 {
			s += fmt.Sprintf(":%d", p.Col)
		}
	}
	if s == "" {
		return "-"
	}
	return s
}
