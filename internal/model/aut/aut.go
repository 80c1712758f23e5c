// SPDX-License-Identifier: Apache-2.0

// Package aut reads Aldebaran's format for labelled transition systems, which CADP,
// mCRL2 and LTSA write, too:
//
//	des (first state, number of transitions, number of states)
//	(from, label, to)
//
// A label in double quotes may contain a quote or backslash behind a backslash; one
// without goes up to the last comma. The labels i and tau are hidden. LTSA writes -1
// for its state ERROR, and so does this reader understand it.
//
// A file of a million lines is read in about a second: the text is scanned once, and a
// label is turned into a string where it first occurs.
package aut

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/model/lts"
)

// An Error says which line of a file is wrong.
type Error struct {
	File   string
	Line   int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

// maxStates bounds the numbers of states: edges keep them in 32 bits.
const maxStates = 1<<31 - 2

// Parse reads a file. The name is that of the system and of errors.
func Parse(name string, text []byte) (*lts.System, error) { return ParseFailing(name, text, nil) }

// ParseFailing is Parse; states whose numbers failing names are the error.
func ParseFailing(name string, text []byte, failing func(state string) bool) (*lts.System, error) {
	p := parser{name: name, rest: text, labels: map[string]int32{}, b: lts.NewBuilder(), failing: failing}
	first, transitions, states, err := p.header()
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		line, ok := p.next()
		if !ok {
			if n != transitions {
				return nil, p.fail("the first line promises %d transitions and there are %d", transitions, n)
			}
			break
		}
		if err := p.edge(line, int64(states)); err != nil {
			return nil, err
		}
	}
	if p.fails(int64(first)) {
		return lts.NewBuilder().System(name, lts.Error), nil
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	return p.b.System(strings.TrimSuffix(base, ".aut"), int32(first)), nil
}

type parser struct {
	name   string
	rest   []byte
	line   int
	labels map[string]int32 // of the builder
	b      *lts.Builder
	// failing may be nil.
	failing func(state string) bool
}

func (p *parser) fails(state int64) bool {
	return p.failing != nil && state >= 0 && p.failing(strconv.FormatInt(state, 10))
}

func (p *parser) fail(format string, args ...any) error {
	return &Error{p.name, max(1, p.line), fmt.Sprintf(format, args...)}
}

// next is the next line that is not empty, without space around it.
func (p *parser) next() ([]byte, bool) {
	for len(p.rest) > 0 {
		line, rest, _ := bytes.Cut(p.rest, []byte{'\n'})
		p.rest = rest
		p.line++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, true
		}
	}
	return nil, false
}

// parens takes the text between the parentheses that enclose a line.
func parens(line []byte) ([]byte, bool) {
	if len(line) < 2 || line[0] != '(' || line[len(line)-1] != ')' {
		return nil, false
	}
	return line[1 : len(line)-1], true
}

func number(text []byte) (int64, bool) {
	text = bytes.TrimSpace(text)
	n := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' || n > maxStates {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, len(text) > 0
}

func (p *parser) header() (first, transitions, states int, err error) {
	line, ok := p.next()
	if !ok {
		return 0, 0, 0, p.fail("the file is empty; a transition system begins with des (first, transitions, states)")
	}
	rest, ok := bytes.CutPrefix(line, []byte("des"))
	if ok {
		rest, ok = parens(bytes.TrimSpace(rest))
	}
	var n [3]int64
	parts := bytes.Split(rest, []byte{','})
	if ok = ok && len(parts) == 3; ok {
		for k, part := range parts {
			var good bool
			n[k], good = number(part)
			ok = ok && good && n[k] <= maxStates
		}
	}
	if !ok {
		return 0, 0, 0, p.fail("a transition system begins with des (first, transitions, states), and not with %.60q", line)
	}
	if n[0] >= n[2] {
		return 0, 0, 0, p.fail("the first state is %d, and there are %d states", n[0], n[2])
	}
	return int(n[0]), int(n[1]), int(n[2]), nil
}

func (p *parser) edge(line []byte, states int64) error {
	wrong := func() error { return p.fail("a transition is (from, label, to), and not %.60q", line) }
	in, ok := parens(line)
	if !ok {
		return wrong()
	}
	left, right := bytes.IndexByte(in, ','), bytes.LastIndexByte(in, ',')
	if left < 0 || left == right {
		return wrong()
	}
	from, ok := number(in[:left])
	if !ok {
		return wrong()
	}
	end := bytes.TrimSpace(in[right+1:])
	to, ok := number(end)
	if string(end) == "-1" {
		to, ok = int64(lts.Error), true
	}
	if !ok {
		return wrong()
	}
	if from >= states || to >= states {
		return p.fail("state %d: the first line promises %d states", max(from, to), states)
	}
	label := bytes.TrimSpace(in[left+1 : right])
	action, known := p.labels[string(label)]
	if !known {
		text, ok := unquote(label)
		if !ok {
			return p.fail("%.60q is no label", label)
		}
		if action = lts.Hidden; text != "i" && text != "tau" {
			action = p.b.Action(text)
		}
		p.labels[string(label)] = action
	}
	if p.fails(to) {
		p.b.Fail(int32(from), action, fmt.Sprintf("state %d", to))
	} else {
		p.b.Edge(int32(from), action, int32(to))
	}
	return nil
}

// unquote is the label without quotes.
func unquote(label []byte) (string, bool) {
	if len(label) == 0 {
		return "", false
	}
	if label[0] != '"' {
		return string(label), !bytes.ContainsRune(label, '"')
	}
	var out []byte
	for k := 1; k < len(label); k++ {
		switch c := label[k]; {
		case c == '"':
			return string(out), k == len(label)-1 && len(out) > 0
		case c == '\\' && k+1 < len(label) && (label[k+1] == '"' || label[k+1] == '\\'):
			k++
			out = append(out, label[k])
		default:
			out = append(out, c)
		}
	}
	return "", false
}
