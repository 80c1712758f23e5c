// SPDX-License-Identifier: Apache-2.0

package prog

// This file splits a text into tokens, with Go's rule for automatic
// semicolons. A name is one token even when it is dotted (s.count) or holds
// backquoted parts (`a b`.c), because front ends name variables after fields
// and paths; the grammar has no other use for a dot. Reserved words are names
// here: the parser gives them their meaning by place, so that a method may be
// called `error`.

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokName
	tokInt
	tokString
	tokOp   // text is the operator or bracket
	tokSemi // text is ";" or "\n" for an automatic one
)

// A token is one word of a text. A name's text is its segments joined by dots.
type token struct {
	kind tokenKind
	text string
	segs []string // of a name
	bare bool     // a name of one segment, without backquotes: may be a reserved word
	pos  Pos
}

// is reports whether t is the operator or the unquoted word s.
func (t token) is(s string) bool {
	return t.text == s && (t.kind == tokOp || t.kind == tokName && t.bare || s == ";" && t.kind == tokSemi)
}

// String describes t in an error message.
func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "end of file"
	case tokSemi:
		if t.text == "\n" {
			return "end of line"
		}
		return `";"`
	case tokString:
		return "string " + t.text
	case tokInt:
		return "number " + t.text
	}
	return strconv.Quote(t.text)
}

// Operators, longest first among those with a common prefix.
var operators = []string{
	"<<=", ">>=", "&^=", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "&^", "++", "--",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	"(", ")", "{", "}", ",", ":", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!",
}

// noSemi holds the words after which a line goes on.
var noSemi = map[string]bool{
	"component": true, "enum": true, "const": true, "state": true, "constructor": true, "method": true,
	"var": true, "assume": true, "if": true, "else": true, "while": true, "goto": true, "choice": true, "or": true,
}

type scanner struct {
	src      string
	off      int
	file     string
	line     int // as reported, after //line
	lineOff  int // offset of the line's first byte
	fixCol   int // the column reported for all of this line; 0: the real one
	nextCol  int // fixCol of the next line
	tokens   []token
	errs     ErrorList
	lastSemi bool // a newline now ends a statement
	fresh    bool // nothing but blanks on this line so far
}

func scan(file string, src []byte) ([]token, ErrorList) {
	s := &scanner{src: string(src), file: file, line: 1, fresh: true}
	for s.next() {
	}
	return s.tokens, s.errs
}

func (s *scanner) pos(off int) Pos {
	p := Pos{s.file, s.line, off - s.lineOff + 1}
	if s.fixCol > 0 {
		p.Col = s.fixCol
	}
	return p
}

func (s *scanner) errorf(p Pos, format string, args ...any) {
	s.errs = append(s.errs, &Error{p, fmt.Sprintf(format, args...)})
}

func (s *scanner) emit(k tokenKind, off int, text string) {
	s.tokens = append(s.tokens, token{kind: k, text: text, pos: s.pos(off)})
	s.fresh = false
	switch k {
	case tokInt, tokString:
		s.lastSemi = true
	case tokOp:
		s.lastSemi = text == ")" || text == "}" || text == "++" || text == "--"
	default:
		s.lastSemi = false
	}
}

// newline is called at the offset of a newline (or of the end of the text).
func (s *scanner) newline() {
	if s.lastSemi {
		s.emit(tokSemi, s.off, "\n")
	}
	s.line++
	s.lineOff = s.off + 1
	s.fixCol, s.nextCol = s.nextCol, 0
	s.fresh = true
}

func (s *scanner) next() bool {
	if s.off >= len(s.src) {
		if s.lastSemi {
			s.emit(tokSemi, s.off, "\n")
		}
		s.emit(tokEOF, s.off, "")
		return false
	}
	start := s.off
	switch c := s.src[s.off]; {
	case c == '\n':
		s.newline()
		s.off++
		return true
	case c == ' ' || c == '\t' || c == '\r':
		s.off++
		return true
	case c == ';':
		s.off++
		s.emit(tokSemi, start, ";")
		return true
	case strings.HasPrefix(s.src[s.off:], "//"):
		s.lineComment()
		return true
	case strings.HasPrefix(s.src[s.off:], "/*"):
		s.blockComment()
		return true
	case c == '"':
		s.str()
		return true
	case c >= '0' && c <= '9':
		s.number()
		return true
	case c == '`':
		s.name()
		return true
	}
	for _, op := range operators {
		if strings.HasPrefix(s.src[s.off:], op) {
			s.off += len(op)
			s.emit(tokOp, start, op)
			return true
		}
	}
	r, size := utf8.DecodeRuneInString(s.src[s.off:])
	if isLetter(r) {
		s.name()
		return true
	}
	s.off += size
	if r == utf8.RuneError && size == 1 {
		s.errorf(s.pos(start), "invalid UTF-8")
	} else {
		s.errorf(s.pos(start), "unexpected character %q", r)
	}
	s.fresh = false
	return true
}

func isLetter(r rune) bool {
	return r == '_' || r != utf8.RuneError && unicode.IsLetter(r)
}

// identLen returns the length of the identifier at the start of text.
func identLen(text string) int {
	for i, r := range text {
		if !isLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return i
		}
	}
	return len(text)
}

func (s *scanner) name() {
	start := s.off
	var segs []string
	quoted := false
	for {
		rest := s.src[s.off:]
		if strings.HasPrefix(rest, "`") {
			n := strings.IndexAny(rest[1:], "`\n")
			if n < 0 || rest[1+n] == '\n' {
				s.errorf(s.pos(s.off), "backquoted name is not closed on its line")
				if n < 0 {
					n = len(rest) - 1
				}
				s.off += 1 + n
				return
			}
			if n == 0 {
				s.errorf(s.pos(s.off), "empty name")
			} else if !utf8.ValidString(rest[1 : 1+n]) {
				s.errorf(s.pos(s.off), "invalid UTF-8")
			}
			segs = append(segs, rest[1:1+n])
			s.off += n + 2
			quoted = true
		} else {
			n := identLen(rest)
			segs = append(segs, rest[:n])
			s.off += n
		}
		// A dot goes on only if a segment follows it.
		if s.off+1 < len(s.src) && s.src[s.off] == '.' {
			if rest := s.src[s.off+1:]; rest[0] == '`' || identLen(rest) > 0 {
				s.off++
				continue
			}
		}
		break
	}
	t := token{kind: tokName, text: strings.Join(segs, "."), segs: segs, bare: !quoted && len(segs) == 1, pos: s.pos(start)}
	s.tokens = append(s.tokens, t)
	s.lastSemi = !t.bare || !noSemi[t.text]
	s.fresh = false
}

func (s *scanner) number() {
	start := s.off
	for s.off < len(s.src) {
		c := s.src[s.off]
		if c != '_' && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') {
			break
		}
		s.off++
	}
	s.emit(tokInt, start, s.src[start:s.off])
}

func (s *scanner) str() {
	start := s.off
	s.off++
	for s.off < len(s.src) && s.src[s.off] != '"' && s.src[s.off] != '\n' {
		if s.src[s.off] == '\\' && s.off+1 < len(s.src) && s.src[s.off+1] != '\n' {
			s.off++
		}
		s.off++
	}
	if s.off >= len(s.src) || s.src[s.off] == '\n' {
		s.off = min(s.off, len(s.src))
		s.errorf(s.pos(start), "string is not closed on its line")
		s.emit(tokString, start, `""`)
		return
	}
	s.off++
	text := s.src[start:s.off]
	if _, err := strconv.Unquote(text); err != nil {
		s.errorf(s.pos(start), "string %s is not a Go string literal", text)
		text = `""`
	}
	s.emit(tokString, start, text)
}

func (s *scanner) lineComment() {
	start := s.off
	for s.off < len(s.src) && s.src[s.off] != '\n' {
		s.off++
	}
	if text, ok := strings.CutPrefix(s.src[start:s.off], "//line "); ok && s.fresh {
		s.lineDirective(start, strings.TrimRight(text, " \t\r"))
	}
}

// lineDirective handles //line file:line and //line file:line:column.
func (s *scanner) lineDirective(start int, text string) {
	file, last, ok := cutNumber(text)
	if !ok {
		s.errorf(s.pos(start), "expected //line file:line or //line file:line:column")
		return
	}
	line, col := last, 0
	if f, n, ok := cutNumber(file); ok {
		file, line, col = f, n, last
	}
	s.file, s.line, s.nextCol = file, line-1, col
}

// cutNumber splits text at its last colon if a positive number follows.
func cutNumber(text string) (before string, n int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, 0, false
	}
	n, err := strconv.Atoi(text[i+1:])
	if err != nil || n <= 0 || n > 1<<30 || text[i+1] == '+' {
		return text, 0, false
	}
	return text[:i], n, true
}

// blockComment skips a comment; one that spans lines is a newline, as in Go.
func (s *scanner) blockComment() {
	start, pos := s.off, s.pos(s.off)
	end := strings.Index(s.src[s.off+2:], "*/")
	if end < 0 {
		s.errorf(pos, "comment is not closed")
		end = len(s.src) - start - 2
	}
	stop := min(start+end+4, len(s.src))
	for ; s.off < stop; s.off++ {
		if s.src[s.off] == '\n' {
			s.newline()
		}
	}
	s.fresh = false
}
