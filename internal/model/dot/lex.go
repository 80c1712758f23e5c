// SPDX-License-Identifier: Apache-2.0

package dot

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error says which line of a file is wrong.
type Error struct {
	File   string
	Line   int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

type kind uint8

const (
	endOfFile kind = iota
	name           // an identifier or number
	quoted
	markup // HTML, without the outer brackets
	symbol // -> -- { } [ ] ; , = : +
)

type token struct {
	kind kind
	text string
	line int
}

func (t token) String() string {
	if t.kind == endOfFile {
		return "the end of the file"
	}
	return fmt.Sprintf("%.40q", t.text)
}

// isID says whether a token can be the name of something.
func (t token) isID() bool { return t.kind == name || t.kind == quoted || t.kind == markup }

func lex(file, text string) ([]token, error) {
	var out []token
	line := 1
	for k := 0; k < len(text); {
		rest := text[k:]
		n, t := 1, token{line: line}
		switch c := text[k]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case strings.HasPrefix(rest, "//"), c == '#' && (k == 0 || text[k-1] == '\n'):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			if n = strings.Index(rest, "*/") + 2; n < 2 {
				return nil, &Error{file, line, "this comment does not end"}
			}
		case c == '"':
			if n = quotedLength(rest); n == 0 {
				return nil, &Error{file, line, "this string does not end"}
			}
			t.kind, t.text = quoted, rest[1:n-1]
		case c == '<':
			if n = markupLength(rest); n == 0 {
				return nil, &Error{file, line, "this HTML label does not end: each < needs a >"}
			}
			t.kind, t.text = markup, rest[1:n-1]
		case strings.HasPrefix(rest, "->"), strings.HasPrefix(rest, "--"):
			n = 2
			t.kind, t.text = symbol, rest[:2]
		case strings.IndexByte("{}[];,=:+", c) >= 0:
			t.kind, t.text = symbol, rest[:1]
		default:
			if n = nameLength(rest); n == 0 {
				r, _ := utf8.DecodeRuneInString(rest)
				return nil, &Error{file, line, fmt.Sprintf("the character %q has no meaning here", r)}
			}
			t.kind, t.text = name, rest[:n]
		}
		line += strings.Count(rest[:n], "\n")
		k += n
		if t.kind != endOfFile {
			out = append(out, t)
		}
	}
	return append(out, token{line: line}), nil
}

func quotedLength(text string) int {
	for k := 1; k < len(text); k++ {
		switch text[k] {
		case '\\':
			k++
		case '"':
			return k + 1
		}
	}
	return 0
}

func markupLength(text string) int {
	depth := 0
	for k := range len(text) {
		switch text[k] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	return 0
}

// nameLength is the length of an identifier or number.
func nameLength(text string) int {
	for k, r := range text {
		if r != '_' && r != '.' && !(r == '-' && k == 0) && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r < utf8.RuneSelf {
			return k
		}
		if r == '-' && (len(text) == 1 || strings.IndexByte("0123456789.", text[1]) < 0) {
			return 0
		}
	}
	return len(text)
}

// lines are the lines of a label.
func (t token) lines() []string {
	switch t.kind {
	case markup:
		return markupLines(t.text)
	case quoted:
		return quotedLines(t.text)
	}
	return []string{t.text}
}

// quotedLines reads the escapes of a quoted string: \n, \l and \r end a line.
func quotedLines(text string) []string {
	var out []string
	var b strings.Builder
	for k := 0; k < len(text); k++ {
		if text[k] != '\\' || k+1 == len(text) {
			b.WriteByte(text[k])
			continue
		}
		k++
		switch text[k] {
		case 'n', 'l', 'r':
			out = append(out, b.String())
			b.Reset()
		case '\n': // the string goes on in the next line
		default:
			b.WriteByte(text[k])
		}
	}
	out = append(out, b.String())
	for k := range out {
		out[k] = html.UnescapeString(out[k])
	}
	return out
}

var (
	lineEnd = regexp.MustCompile(`(?i)<\s*(br\s*/?|/tr)\s*>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
)

func markupLines(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	text = lineEnd.ReplaceAllString(text, "\n")
	text = html.UnescapeString(tag.ReplaceAllString(text, " "))
	return strings.Split(text, "\n")
}
