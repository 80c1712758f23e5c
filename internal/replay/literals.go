// SPDX-License-Identifier: Apache-2.0

package replay

// This file writes objects that a pointer argument refers to and whose fields guards are
// about: config.TLSConfig.MinVersion of a constructor. Each field that a guard mentions
// gets its few candidates, also behind pointers; the products are tried like other
// arguments. Fields that are not exported keep their zero values: an object in another
// state is for -arg.

import (
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxLiterals bounds the literals of one type, maxLiteralDepth how deep they are nested.
const (
	maxLiterals     = 24
	maxLiteralDepth = 3
)

// literals returns composite literals of a struct type that differ in the exported fields
// that guards mention; none if they mention none.
func (g *generator) literals(t types.Type, guards []string, depth int) []candidate {
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth >= maxLiteralDepth || !g.nameable(t) {
		return nil
	}
	type partial struct {
		set    []string
		fields map[string]string
	}
	list := []partial{{fields: map[string]string{}}}
	found := false
	for k := range st.NumFields() {
		f := st.Field(k)
		if !slices.ContainsFunc(guards, func(guard string) bool { return hasField(guard, f.Name()) }) {
			continue
		}
		choices := []candidate{{}}
		if f.Exported() {
			if choices = g.fieldValues(f.Type(), guards, depth); len(choices) == 0 {
				continue
			}
			found = true
		}
		var more []partial
		for _, c := range choices {
			for _, p := range list {
				q := partial{slices.Clone(p.set), maps.Clone(p.fields)}
				if c.expr == "" {
					q.fields[f.Name()] = g.zeroValue(f.Type())
				} else {
					q.set = append(q.set, f.Name()+": "+c.expr)
					q.fields[f.Name()] = c.value
					if c.size != "" {
						q.fields["len "+f.Name()] = c.size
					}
					for path, v := range c.fields {
						if inner, sized := strings.CutPrefix(path, "len "); sized {
							q.fields["len "+f.Name()+"."+inner] = v
						} else {
							q.fields[f.Name()+"."+path] = v
						}
					}
				}
				if more = append(more, q); len(more) >= maxLiterals {
					break
				}
			}
		}
		list = more
	}
	if !found {
		return nil
	}
	var out []candidate
	for _, p := range list {
		out = append(out, candidate{expr: g.typeName(t) + "{" + strings.Join(p.set, ", ") + "}", fields: p.fields})
	}
	return out
}

// fieldValues returns what a field may be.
func (g *generator) fieldValues(t types.Type, guards []string, depth int) []candidate {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if list := g.literals(p.Elem(), guards, depth+1); len(list) > 0 {
			return append(addresses(list), candidate{expr: "nil", value: "nil"})
		}
	}
	if _, ok := t.Underlying().(*types.Struct); ok {
		return g.literals(t, guards, depth+1)
	}
	return g.candidates(t, guards)
}

// addresses makes literals pointers.
func addresses(list []candidate) []candidate {
	var out []candidate
	for _, c := range list {
		c.expr, c.value = "&"+c.expr, "non-nil"
		out = append(out, c)
	}
	return out
}

// zeroValue is what a guard sees of the zero value of a type.
func (g *generator) zeroValue(t types.Type) string {
	switch zero := g.zero(t); zero {
	case "false", "0", "nil":
		return zero
	}
	return ""
}

// hasField reports whether a guard mentions a field of that name.
func hasField(guard, name string) bool {
	for {
		_, rest, ok := strings.Cut(guard, "."+name)
		if !ok {
			return false
		}
		if rest == "" || !isLetter(rest[0]) {
			return true
		}
		guard = rest
	}
}

func isLetter(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// texts returns strings: usual ones, and those that guards mention. What guards see of a
// text is the constant that it is, or that it is none of those that they know.
func (g *generator) texts(guards []string) []candidate {
	var known []string
	for _, guard := range guards {
		for k, part := range strings.Split(guard, "`") {
			if text, err := strconv.Unquote(part); k%2 == 1 && err == nil && !slices.Contains(known, text) {
				known = append(known, text)
			}
		}
	}
	var list []candidate
	add := func(text string) {
		c := candidate{expr: strconv.Quote(text), size: strconv.Itoa(len(text)), value: "another text"}
		if slices.Contains(known, text) {
			c.value = strconv.Quote(text)
		}
		if !slices.ContainsFunc(list, func(d candidate) bool { return d.expr == c.expr }) {
			list = append(list, c)
		}
	}
	add("a")
	for _, text := range known {
		add(text)
	}
	add("")
	// Another text of the same length.
	for _, text := range known {
		if other := strings.Repeat("#", len(text)); !slices.Contains(known, other) {
			add(other)
		}
	}
	return list
}
