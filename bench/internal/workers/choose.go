// SPDX-License-Identifier: Apache-2.0

package workers

// This file chooses types by name, and makes messages about them comparable.

import (
	"regexp"
	"slices"
	"strings"
)

// Hidden reports whether a type is of a package that users cannot import.
func Hidden(name string) bool {
	return strings.HasPrefix(name, "vendor/") || slices.Contains(strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '.' }), "internal")
}

// Choose returns the types that match, and of these about n, every k-th.
func Choose(types []string, names *regexp.Regexp, n int) []string {
	var matching, out []string
	for _, t := range types {
		if names.MatchString(t) {
			matching = append(matching, t)
		}
	}
	if n <= 0 || n >= len(matching) {
		return matching
	}
	for i := range n {
		out = append(out, matching[i*len(matching)/n])
	}
	return out
}

var (
	quoted    = regexp.MustCompile(`"(\\.|[^"\\])*"`)
	positions = regexp.MustCompile(`\b[\w./-]+\.(go|open):\d+(:\d+)?`)
	numbers   = regexp.MustCompile(`\b\d+\b`)
)

// longest is how much of a reason is kept.
const longest = 160

// General makes a reason one for many types.
func General(reason string) string {
	reason = quoted.ReplaceAllString(reason, `"…"`)
	reason = positions.ReplaceAllString(reason, "AT")
	reason = numbers.ReplaceAllString(reason, "N")
	if len(reason) > longest {
		reason = reason[:longest] + "…"
	}
	return reason
}

// First is the first line of a text, cut.
func First(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > 100 {
		line = line[:100] + "…"
	}
	return line
}
