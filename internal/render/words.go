// SPDX-License-Identifier: Apache-2.0

package render

// This file handles running text: making any string printable, measuring it in
// terminal columns and in a proportional font, wrapping and abbreviating it.
//
// The font of pictures is whatever the reader's machine has for "Helvetica,
// Arial, sans-serif", so widths can only be estimated. The table holds the
// advance widths of Helvetica (Arial and Liberation Sans have the same) in
// thousandths of the font size; a margin covers fonts that run a little wider.
// Embedding a font would make widths exact and every file fifty times as big.

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable replaces what a reader could not see (control characters, line
// breaks, direction overrides, invalid UTF-8) by Go escapes.
func printable(s string) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for k := 0; k < len(s); {
		r, n := utf8.DecodeRuneInString(s[k:])
		if unicode.IsPrint(r) && (r != utf8.RuneError || n > 1) {
			b.WriteString(s[k : k+n])
		} else {
			q := strconv.Quote(s[k : k+n])
			b.WriteString(q[1 : len(q)-1])
		}
		k += n
	}
	return b.String()
}

// wide reports whether terminals and fonts give r the width of two letters.
func wide(r rune) bool {
	return r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd)
}

// columns returns the width of s in a terminal.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n++
		if wide(r) {
			n++
		}
	}
	return n
}

// helvetica holds the advance widths of the characters from space to tilde.
var helvetica = [95]int{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// textWidth estimates the width of s at a font size; both in the unit of size.
func textWidth(s string, size int) int {
	sum := int64(0)
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			sum += int64(helvetica[r-' '])
		case wide(r):
			sum += 1000
		default:
			sum += 750 // nearly all letters of other alphabets are narrower
		}
	}
	return int((sum*int64(size) + 999) / 1000 * 106 / 100)
}

// A measure is the width of a string in some unit.
type measure func(string) int

func inFont(size int) measure { return func(s string) int { return textWidth(s, size) } }

// wrap breaks s at spaces into lines of at most width; a single word that is
// too long is broken anywhere. The result has at least one line.
func wrap(s string, width int, m measure) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && m(line+" "+word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for m(word) > width {
			head := prefix(word, width, m)
			if head == word {
				break
			}
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	return append(lines, line)
}

// wrapFormula is wrap, but prefers to break after "&&" and "||".
func wrapFormula(s string, width int, m measure) []string {
	var clauses []string
	for rest := s; rest != ""; {
		end := len(rest)
		for _, op := range []string{" && ", " || "} {
			if k := strings.Index(rest, op); k >= 0 {
				end = min(end, k+len(op))
			}
		}
		clauses = append(clauses, strings.TrimSpace(rest[:end]))
		rest = rest[end:]
	}
	var lines []string
	line := ""
	for _, c := range clauses {
		if line != "" && m(line+" "+c) > width {
			lines = append(lines, wrap(line, width, m)...)
			line = ""
		}
		line = strings.TrimSpace(line + " " + c)
	}
	return append(lines, wrap(line, width, m)...)
}

// prefix returns the longest prefix of s within width, at least one character.
func prefix(s string, width int, m measure) string {
	end := 0
	for k := range s {
		if k > 0 && m(s[:k]) > width {
			break
		}
		end = k
	}
	if m(s) <= width {
		end = len(s)
	}
	if end == 0 {
		_, end = utf8.DecodeRuneInString(s)
	}
	return s[:end]
}

// abbreviate shortens s to width, with an ellipsis in the place of its end.
func abbreviate(s string, width int, m measure) string {
	if m(s) <= width {
		return s
	}
	return strings.TrimRight(prefix(s, width-m("…"), m), " ") + "…"
}

// fill sets words into lines of at most width, separated by commas. A word
// wider than that has a line of its own.
func fill(words []string, width int, m measure) []string {
	var lines []string
	line := ""
	for k, word := range words {
		if k < len(words)-1 {
			word += ","
		}
		if line != "" && m(line+" "+word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// fillAtMost is fill with at most max lines: what does not fit is counted in
// the last one. All reports whether everything fits.
func fillAtMost(words []string, width, max int, m measure) (lines []string, all bool) {
	short := make([]string, len(words))
	all = true
	for k, w := range words {
		short[k] = abbreviate(w, width*3/2, m)
		all = all && short[k] == w
	}
	if lines = fill(short, width, m); len(lines) <= max {
		return lines, all
	}
	for n := len(short) - 1; n > 0; n-- {
		more := "+" + strconv.Itoa(len(short)-n) + " more"
		if lines = fill(append(short[:n:n], more), width, m); len(lines) <= max {
			return lines, false
		}
	}
	return []string{"+" + strconv.Itoa(len(short)) + " more"}, false
}
