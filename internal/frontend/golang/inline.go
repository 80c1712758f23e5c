// SPDX-License-Identifier: Apache-2.0

package golang

// This file reads the patterns of -inline: which functions are followed and which
// are the environment, where the user knows better than the limits of call.go. A
// pattern is the name of a function as contracts write it, "bufio.Writer.Flush",
// with * for any characters. Regular expressions were not chosen: names are full
// of dots.

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

type choice uint8

const (
	unsaid choice = iota
	follow
	leave
)

// chosen returns what the user says of a function; the last pattern that matches
// counts.
func (c *compiler) chosen(fn *ssa.Function) choice {
	if len(c.o.Inline) == 0 {
		return unsaid
	}
	name := functionName(fn)
	out := unsaid
	for _, pattern := range c.o.Inline {
		is := follow
		if rest, ok := strings.CutPrefix(pattern, "-"); ok {
			is, pattern = leave, rest
		}
		if matches(pattern, name) {
			out = is
		}
	}
	return out
}

// matches reports whether a name matches a pattern with *.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// functionName is the name of a function with its package, and its type if it is
// a method: "io.Copy", "bufio.Writer.Flush". A function literal has the name of the
// function around it.
func functionName(fn *ssa.Function) string {
	fn = originOf(fn)
	for fn.Parent() != nil {
		fn = originOf(fn.Parent())
	}
	name := fn.Name()
	if recv := fn.Signature.Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	if pkg := packageOf(fn); pkg != nil {
		name = pkg.Path() + "." + name
	}
	return name
}
