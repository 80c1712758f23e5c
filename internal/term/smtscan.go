// SPDX-License-Identifier: Apache-2.0

package term

// This file scans SMT-LIB 2 text into S-expressions, one at a time and with a
// stack of its own, since solvers write terms that are a hundred thousand
// parentheses deep.

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A ReadError is a mistake in an SMT-LIB script, or something in it that is
// outside of what this package knows.
type ReadError struct {
	Name        string // of the script
	Line, Col   int
	Msg         string
	Unsupported bool // correct SMT-LIB, but not QF_BV up to 128 bits
}

func (e *ReadError) Error() string {
	msg := e.Msg
	if e.Unsupported {
		msg = "unsupported: " + msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, msg)
}

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokOpen
	tokClose
	tokSymbol
	tokKeyword
	tokNumeral
	tokDecimal
	tokHex
	tokBinary
	tokString
)

// A node is an S-expression: a list (of kind tokOpen) or an atom.
type node struct {
	kind      tokenKind
	text      string // of an atom, without quotes, # and :
	quoted    bool   // a symbol in bars
	kids      []*node
	line, col int
}

// String writes a node as SMT-LIB on one line.
func (n *node) String() string {
	var b strings.Builder
	type item struct {
		n    *node
		text string
	}
	stack := []item{{n: n}}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x.n == nil {
			b.WriteString(x.text)
			continue
		}
		switch n := x.n; {
		case n.kind == tokOpen:
			b.WriteByte('(')
			stack = append(stack, item{text: ")"})
			for i := len(n.kids) - 1; i >= 0; i-- {
				stack = append(stack, item{n: n.kids[i]})
				if i > 0 {
					stack = append(stack, item{text: " "})
				}
			}
		case n.quoted:
			b.WriteString("|" + n.text + "|")
		case n.kind == tokKeyword:
			b.WriteString(":" + n.text)
		case n.kind == tokHex:
			b.WriteString("#x" + n.text)
		case n.kind == tokBinary:
			b.WriteString("#b" + n.text)
		case n.kind == tokString:
			b.WriteString(`"` + strings.ReplaceAll(n.text, `"`, `""`) + `"`)
		default:
			b.WriteString(n.text)
		}
	}
	return b.String()
}

type scanner struct {
	name      string
	r         *bufio.Reader
	line, col int // of the next byte
}

func (s *scanner) errorf(line, col int, format string, args ...any) error {
	return &ReadError{Name: s.name, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

// peek returns 0 at the end; a zero byte is never part of a token.
func (s *scanner) peek() byte {
	b, err := s.r.Peek(1)
	if err != nil {
		return 0
	}
	return b[0]
}

func (s *scanner) next() (byte, error) {
	c, err := s.r.ReadByte()
	if err != nil {
		return 0, err
	}
	if c == '\n' {
		s.line++
		s.col = 1
	} else {
		s.col++
	}
	return c, nil
}

// token scans one token. At the end of the input it is tokEOF.
func (s *scanner) token() (*node, error) {
	for {
		line, col := s.line, s.col
		c, err := s.next()
		if err == io.EOF {
			return &node{kind: tokEOF, line: line, col: col}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		n := &node{line: line, col: col}
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case c == ';':
			for c != '\n' && err == nil {
				c, err = s.next()
			}
			continue
		case c == '(':
			n.kind = tokOpen
		case c == ')':
			n.kind = tokClose
		case c == '|':
			n.kind, n.quoted = tokSymbol, true
			var b strings.Builder
			for {
				c, err := s.next()
				if err != nil || c == '\\' || c == 0 {
					return nil, s.errorf(line, col, "quoted symbol does not end")
				}
				if c == '|' {
					break
				}
				b.WriteByte(c)
			}
			n.text = b.String()
		case c == '"':
			n.kind = tokString
			var b strings.Builder
			for {
				c, err := s.next()
				if err != nil {
					return nil, s.errorf(line, col, "string does not end")
				}
				if c == '"' {
					if s.peek() != '"' {
						break
					}
					s.next()
				}
				b.WriteByte(c)
			}
			n.text = b.String()
		case c == ':':
			n.kind, n.text = tokKeyword, s.word("")
			if n.text == "" {
				return nil, s.errorf(line, col, "keyword has no name")
			}
		case c == '#':
			word := s.word("")
			switch digits := strings.TrimPrefix(word, "b"); {
			case digits != word && digits != "" && strings.Trim(digits, "01") == "":
				n.kind, n.text = tokBinary, digits
			case len(word) > 1 && word[0] == 'x' && strings.Trim(word[1:], "0123456789abcdefABCDEF") == "":
				n.kind, n.text = tokHex, word[1:]
			default:
				return nil, s.errorf(line, col, "#%s is not a number", word)
			}
		case c >= '0' && c <= '9':
			n.kind, n.text = tokNumeral, s.word(string(c))
			if whole, frac, ok := strings.Cut(n.text, "."); ok && frac != "" && digitsOnly(whole) && digitsOnly(frac) {
				n.kind = tokDecimal
			} else if !digitsOnly(n.text) {
				return nil, s.errorf(line, col, "%s is not a number", n.text)
			}
		case symbolByte(c):
			n.kind, n.text = tokSymbol, s.word(string(c))
		default:
			return nil, s.errorf(line, col, "unexpected character %q", c)
		}
		return n, nil
	}
}

func digitsOnly(s string) bool { return strings.Trim(s, "0123456789") == "" }

// word scans the rest of a symbol.
func (s *scanner) word(start string) string {
	b := []byte(start)
	for symbolByte(s.peek()) && s.peek() != 0 {
		c, _ := s.next()
		b = append(b, c)
	}
	return string(b)
}

// expr scans one S-expression, or returns io.EOF if there is none left.
func (s *scanner) expr() (*node, error) {
	var open []*node
	for {
		n, err := s.token()
		if err != nil {
			return nil, err
		}
		switch n.kind {
		case tokEOF:
			if len(open) > 0 {
				o := open[len(open)-1]
				return nil, s.errorf(o.line, o.col, "parenthesis is not closed")
			}
			return nil, io.EOF
		case tokOpen:
			open = append(open, n)
			continue
		case tokClose:
			if len(open) == 0 {
				return nil, s.errorf(n.line, n.col, "parenthesis was not opened")
			}
			n = open[len(open)-1]
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return n, nil
		}
		o := open[len(open)-1]
		o.kids = append(o.kids, n)
	}
}
