// SPDX-License-Identifier: Apache-2.0

package render

// This file holds regular expressions. They are built by functions that
// simplify as they build, by laws that only look at the surface (no automaton is
// consulted): the expressions of an elimination have so much in common that
// these laws do most of what can be done, and each of them is easy to check.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// An expr is a regular expression. Equal expressions have equal keys. The
// operands of alt and cat number at least two and are not of the same operator;
// those of alt are sorted and different, and none is empty or the empty word.
type expr struct {
	op   byte // '0' no word, '1' the empty word, 'a' a letter, '.' '|' '*' '?'
	sub  []*expr
	n    int // of the letter
	size int // number of letters
	key  string
}

var (
	none  = &expr{op: '0', key: "0"}
	empty = &expr{op: '1', key: "1"}
)

func newLetter(n int) *expr {
	return &expr{op: 'a', n: n, size: 1, key: "a" + pad(n)}
}

// pad makes keys sort like numbers.
func pad(n int) string {
	s := strconv.Itoa(n)
	return string(rune('0'+len(s))) + s
}

func newExpr(op byte, sub ...*expr) *expr {
	e := &expr{op: op, sub: sub}
	var b strings.Builder
	for k, x := range sub {
		e.size += x.size
		if k > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(x.key)
	}
	e.key = "{" + b.String() + "}" + string(op) // sorts by what comes first
	return e
}

func (e *expr) is(f *expr) bool { return e.key == f.key }

// nullable reports whether the empty word is in e.
func (e *expr) nullable() bool {
	switch e.op {
	case '1', '*', '?':
		return true
	case '.':
		return !slices.ContainsFunc(e.sub, func(x *expr) bool { return !x.nullable() })
	case '|':
		return slices.ContainsFunc(e.sub, (*expr).nullable)
	}
	return false
}

// factors returns e as a list of factors; the empty word has none.
func (e *expr) factors() []*expr {
	switch e.op {
	case '1':
		return nil
	case '.':
		return e.sub
	}
	return []*expr{e}
}

// cat is concatenation. Laws: 0x = 0, 1x = x, x*x* = x*, x?x* = x*x? = x*,
// x*x = xx*.
func cat(list ...*expr) *expr {
	var out []*expr
	for _, e := range list {
		if e.op == '0' {
			return none
		}
		for _, f := range e.factors() {
			out = append(out, f)
			for n := len(out); n > 1; n = len(out) {
				a, b := out[n-2], out[n-1]
				switch {
				case a.op == '*' && (b.is(a) || b.op == '?' && b.sub[0].is(a.sub[0])):
					out = out[:n-1]
					continue
				case b.op == '*' && a.op == '?' && a.sub[0].is(b.sub[0]):
					out = append(out[:n-2], b)
					continue
				case a.op == '*' && b.is(a.sub[0]):
					out[n-2], out[n-1] = b, a
				}
				break
			}
		}
	}
	switch len(out) {
	case 0:
		return empty
	case 1:
		return out[0]
	}
	return newExpr('.', out...)
}

// star is repetition. Laws: 0* = 1* = 1, x** = x?* = x*, and inside a starred
// choice x* = x? = xx* = x; a product of nullable factors is their choice.
func star(e *expr) *expr {
	switch e.op {
	case '0', '1':
		return empty
	case '*':
		return e
	case '?':
		return star(e.sub[0])
	}
	var out []*expr
	changed := false
	for _, x := range alternatives(e) {
		switch {
		case x.op == '*' || x.op == '?':
			out = append(out, x.sub[0])
		case x.op == '.' && x.nullable():
			for _, f := range x.sub {
				out = append(out, f)
			}
		case x.op == '.' && len(x.sub) == 2 && x.sub[1].op == '*' && x.sub[1].sub[0].is(x.sub[0]):
			out = append(out, x.sub[0])
		default:
			out = append(out, x)
			continue
		}
		changed = true
	}
	if changed {
		return star(alt(out...))
	}
	return newExpr('*', e)
}

func alternatives(e *expr) []*expr {
	if e.op == '|' {
		return e.sub
	}
	return []*expr{e}
}

// option is the choice of e and the empty word. Laws: x? = x if x is nullable,
// (xx*)? = x*.
func option(e *expr) *expr {
	switch {
	case e.op == '0':
		return empty
	case e.nullable():
		return e
	case e.op == '.' && len(e.sub) == 2 && e.sub[1].op == '*' && e.sub[1].sub[0].is(e.sub[0]):
		return e.sub[1]
	}
	return newExpr('?', e)
}

// alt is choice. Laws: x|0 = x, x|x = x, x|x* = x*, x|xx* = xx*, and common
// first or last factors are taken out: xy|xz = x(y|z), x|xy = xy?.
func alt(list ...*expr) *expr {
	var out []*expr
	null := false
	var add func(e *expr)
	add = func(e *expr) {
		switch e.op {
		case '0':
		case '1':
			null = true
		case '?':
			null = true
			add(e.sub[0])
		case '|':
			for _, x := range e.sub {
				add(x)
			}
		default:
			out = append(out, e)
		}
	}
	for _, e := range list {
		add(e)
	}
	slices.SortFunc(out, func(a, b *expr) int { return cmp.Compare(a.key, b.key) })
	out = slices.CompactFunc(out, (*expr).is)
	out = absorb(out)
	if e, ok := factorOut(out); ok {
		if null {
			return option(e)
		}
		return e
	}
	var e *expr
	switch len(out) {
	case 0:
		e = none
	case 1:
		e = out[0]
	default:
		e = newExpr('|', out...)
	}
	if null {
		return option(e)
	}
	return e
}

// absorb drops what a starred member contains: x* makes x redundant, and so
// does (x|y)*.
func absorb(list []*expr) []*expr {
	var out []*expr
	for _, e := range list {
		within := func(f *expr) bool {
			return f.op == '*' && (f.sub[0].is(e) || slices.ContainsFunc(alternatives(f.sub[0]), e.is))
		}
		if !slices.ContainsFunc(list, within) {
			out = append(out, e)
		}
	}
	return out
}

// factorOut takes the factor that saves most letters out of the expressions
// that begin (or end) with it. A last factor stays where it is if that costs only
// a letter or two and no whole member: "(open read* close) | (lock close)" reads
// better than "((open read*) | lock) close".
func factorOut(list []*expr) (e *expr, ok bool) {
	type end struct {
		key  string
		last bool
	}
	const dear = 3
	saving := map[end]int{}
	var best end
	for _, x := range list {
		f := x.factors()
		for _, at := range []end{{f[0].key, false}, {f[len(f)-1].key, true}} {
			factor := f[0]
			if at.last {
				factor = f[len(f)-1]
			}
			if _, seen := saving[at]; !seen {
				saving[at] = -factor.size // one copy stays
			}
			saving[at] += factor.size
			if s := saving[at]; s > 0 && s > saving[best] && (!at.last || s >= dear || slices.ContainsFunc(list, factor.is)) {
				best = at
			}
		}
	}
	if best.key == "" {
		return nil, false
	}
	var inner, rest []*expr
	var factor *expr
	for _, x := range list {
		f := x.factors()
		switch {
		case !best.last && f[0].key == best.key:
			factor = f[0]
			inner = append(inner, cat(f[1:]...))
		case best.last && f[len(f)-1].key == best.key:
			factor = f[len(f)-1]
			inner = append(inner, cat(f[:len(f)-1]...))
		default:
			rest = append(rest, x)
		}
	}
	if best.last {
		e = cat(alt(inner...), factor)
	} else {
		e = cat(factor, alt(inner...))
	}
	return alt(append(rest, e)...), true
}

// print writes e with the names of letters. Products inside a choice are put in
// parentheses, as in "(open read* close) | reset".
func (e *expr) print(b *strings.Builder, names []string) {
	group := func(x *expr, parens bool) {
		if parens {
			b.WriteByte('(')
		}
		x.print(b, names)
		if parens {
			b.WriteByte(')')
		}
	}
	switch e.op {
	case '0':
		b.WriteString("∅")
	case '1':
		b.WriteString("ε")
	case 'a':
		b.WriteString(names[e.n])
	case '.':
		for k, x := range e.sub {
			if k > 0 {
				b.WriteByte(' ')
			}
			group(x, x.op == '|')
		}
	case '|':
		for k, x := range e.sub {
			if k > 0 {
				b.WriteString(" | ")
			}
			group(x, x.op == '.')
		}
	case '*', '?':
		group(e.sub[0], e.sub[0].op != 'a')
		b.WriteByte(e.op)
	}
}
