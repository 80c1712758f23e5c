// SPDX-License-Identifier: Apache-2.0

package fsp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Pos is a position in a file.
type Pos struct{ Line, Column int }

// An Error says what is wrong where.
type Error struct {
	File string
	Pos
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Reason)
}

type kind uint8

const (
	endOfFile kind = iota
	lower          // identifier of an action or variable
	upper          // identifier of a process, constant, range or set
	integer
	keyword
	symbol
)

type token struct {
	kind kind
	text string
	n    int64
	Pos
}

func (t token) String() string {
	if t.kind == endOfFile {
		return "the end of the file"
	}
	return strconv.Quote(t.text)
}

var keywords = []string{
	"const", "range", "set", "property", "progress", "menu", "animation", "assert", "fluent", "constraint", "ltl_property", "deterministic",
	"minimal", "compose", "import", "include", "if", "then", "else", "when", "forall", "actions", "controls", "target",
}

// symbols, the longer ones first.
var symbols = []string{
	"->", "..", "::", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "|", "(", ")", "[", "]", "{", "}", ",", ".", ";", ":", "=", "/", "\\", "@",
	"+", "-", "*", "%", "&", "^", "<", ">", "!", "#", "'",
}

// lex takes a text apart. The last token is the end of the file.
func lex(file, text string) ([]token, error) {
	var out []token
	line, start := 1, 0
	fail := func(k int, format string, args ...any) error {
		return &Error{file, Pos{line, k - start + 1}, fmt.Sprintf(format, args...)}
	}
	for k := 0; k < len(text); {
		c := text[k]
		rest := text[k:]
		switch {
		case c == '\n':
			k++
			line, start = line+1, k
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			k++
		case strings.HasPrefix(rest, "//"):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				k += n
			} else {
				k = len(text)
			}
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				return nil, fail(k, "this comment does not end")
			}
			for i := range n {
				if rest[i] == '\n' {
					line, start = line+1, k+i+1
				}
			}
			k += n + 2
		default:
			t, n, err := word(rest)
			if err != "" {
				return nil, fail(k, "%s", err)
			}
			t.Pos = Pos{line, k - start + 1}
			out = append(out, t)
			k += n
		}
	}
	return append(out, token{kind: endOfFile, Pos: Pos{line, len(text) - start + 1}}), nil
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// word is the token that a text begins with, and its length.
func word(text string) (t token, n int, reason string) {
	switch c := text[0]; {
	case letter(c):
		for n < len(text) && (letter(text[n]) || digit(text[n])) {
			n++
		}
		t.text = text[:n]
		switch {
		case slices.Contains(keywords, t.text):
			t.kind = keyword
		case c >= 'A' && c <= 'Z':
			t.kind = upper
		default:
			t.kind = lower
		}
		return t, n, ""
	case digit(c):
		for n < len(text) && digit(text[n]) {
			n++
		}
		v, err := strconv.ParseInt(text[:n], 10, 32)
		if err != nil {
			return t, n, fmt.Sprintf("the number %s is too large: integers have 32 bits", text[:n])
		}
		return token{kind: integer, text: text[:n], n: v}, n, ""
	case c == '"':
		end := strings.IndexByte(text[1:], '"')
		if end < 0 {
			return t, 0, "this string does not end"
		}
		return token{kind: symbol, text: text[:end+2]}, end + 2, ""
	}
	for _, s := range symbols {
		if strings.HasPrefix(text, s) {
			return token{kind: symbol, text: s}, len(s), ""
		}
	}
	return t, 0, fmt.Sprintf("the character %q has no meaning here", []rune(text)[0])
}
