// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode"
)

// names gives Go names to what Java code names. A name that is given stays, so that all passes over the
// code use the same.
type names struct {
	given map[string]string // by kind and key
	taken map[string]bool   // of the package, and of methods
}

func newNames(reserved []string) *names {
	n := &names{map[string]string{}, map[string]bool{}}
	for _, r := range reserved {
		n.taken[r] = true
	}
	for _, r := range types.Universe.Names() {
		n.taken[r] = true
	}
	for _, r := range []string{"this", "exc", "res", "outcome", "initialize", "initialized"} {
		n.taken[r] = true
	}
	return n
}

// unique is the name of a thing of a kind, made from a text when it is asked for first.
func (n *names) unique(kind, key, text string) string {
	k := kind + " " + key
	if s, ok := n.given[k]; ok {
		return s
	}
	base := identifier(text)
	s := base
	for i := 2; n.taken[s]; i++ {
		s = base + "_" + strconv.Itoa(i)
	}
	n.taken[s] = true
	n.given[k] = s
	return s
}

// identifier makes a Go name of a text. Names of variables of methods (l1, s1, t1, p_x) are left to these.
func identifier(text string) string {
	var b strings.Builder
	for k, r := range text {
		switch {
		case r == '_' || unicode.IsLetter(r) || k > 0 && unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	s := b.String()
	if s == "" || s == "_" || token.IsKeyword(s) || strings.HasPrefix(s, "p_") || len(s) > 1 && strings.ContainsRune("lst", rune(s[0])) && strings.Trim(s[1:], "0123456789_") == "" {
		s += "_x"
	}
	return s
}

// unexported is a Go name for a field, which other packages do not see.
func unexported(text string) string {
	s := identifier(text)
	if token.IsExported(s) {
		return "f_" + s
	}
	return s
}

// simple is the last part of the name of a class.
func simple(class string) string { return class[strings.LastIndexByte(class, '/')+1:] }

// class is the Go type of a class.
func (n *names) class(class string) string { return n.unique("class", class, simple(class)) }
