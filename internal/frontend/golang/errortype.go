// SPDX-License-Identifier: Apache-2.0

package golang

// This file knows errors of types of their own: what their messages are, as far as
// the method Error puts them together from constants, fields and other errors.
// Of formatting only plain strings and errors are followed.

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

type partKind uint8

const (
	anyPart      partKind = iota
	constantPart          // a text
	fieldPart             // a string in a field
	errorPart             // the message of an error in a field
)

// A part is a piece of a message.
type part struct {
	kind partKind
	text string // or the path of the field
}

// maxTexts bounds the messages that one type is known to have, and their parts.
const maxTexts = 24

// errorTexts returns the messages that the method Error of a type may give; nil if
// nothing is known. What it says of a nil pointer is left out: that is no error which the
// code made. So is what it says of an empty value, if that at hand is not (errortype_empty.go).
func (c *compiler) errorTexts(t types.Type, filled bool) [][]part {
	name := types.TypeString(t, nil)
	if filled {
		name = "filled " + name
	}
	if list, ok := c.texts[name]; ok {
		return list
	}
	if c.texts == nil {
		c.texts = map[string][][]part{}
	}
	c.texts[name] = nil
	sel := c.l.prog.MethodSets.MethodSet(t).Lookup(nil, "Error")
	if sel == nil {
		return nil
	}
	fn := c.l.prog.MethodValue(sel)
	if fn == nil || len(fn.Blocks) == 0 || len(fn.Params) != 1 {
		return nil
	}
	var out [][]part
	for _, b := range fn.Blocks {
		if ofNil(fn, b) || filled && ofEmpty(fn, b) {
			continue
		}
		for _, i := range b.Instrs {
			if r, ok := i.(*ssa.Return); ok && len(r.Results) == 1 {
				out = append(out, textsOf(r.Results[0], fn, 12)...)
			}
		}
	}
	if len(out) > maxTexts {
		out = [][]part{{{}}}
	}
	c.texts[name] = out
	return out
}

// ofNil reports whether a block of a method is reached only if its receiver, a pointer, is
// nil.
func ofNil(fn *ssa.Function, b *ssa.BasicBlock) bool {
	if len(b.Preds) != 1 || !isPointer(fn.Params[0].Type()) {
		return false
	}
	last, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
	if !ok || b.Preds[0].Succs[0] == b.Preds[0].Succs[1] {
		return false
	}
	test, ok := last.Cond.(*ssa.BinOp)
	if !ok || test.Op != token.EQL && test.Op != token.NEQ {
		return false
	}
	isNil := func(v ssa.Value) bool { k, ok := v.(*ssa.Const); return ok && k.Value == nil }
	if !(test.X == ssa.Value(fn.Params[0]) && isNil(test.Y) || test.Y == ssa.Value(fn.Params[0]) && isNil(test.X)) {
		return false
	}
	return (b.Preds[0].Succs[0] == b) == (test.Op == token.EQL)
}

// textsOf returns what a string may be.
func textsOf(v ssa.Value, fn *ssa.Function, depth int) [][]part {
	unknown := [][]part{{{}}}
	if depth == 0 {
		return unknown
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.String {
			return [][]part{{{constantPart, constant.StringVal(v.Value)}}}
		}
	case *ssa.BinOp:
		if v.Op != token.ADD {
			return unknown
		}
		var out [][]part
		for _, a := range textsOf(v.X, fn, depth-1) {
			for _, b := range textsOf(v.Y, fn, depth-1) {
				out = append(out, append(append([]part(nil), a...), b...))
				if len(out) > maxTexts {
					return unknown
				}
			}
		}
		return out
	case *ssa.Phi:
		var out [][]part
		for _, e := range v.Edges {
			out = append(out, textsOf(e, fn, depth-1)...)
			if len(out) > maxTexts {
				return unknown
			}
		}
		return out
	case *ssa.Convert:
		if v.X == ssa.Value(fn.Params[0]) {
			return [][]part{{{fieldPart, ""}}} // a type that is a string
		}
	case *ssa.ChangeType:
		return textsOf(v.X, fn, depth)
	case *ssa.Parameter:
		if v == fn.Params[0] {
			return [][]part{{{fieldPart, ""}}}
		}
	case *ssa.UnOp, *ssa.Field:
		if p := fieldOfReceiver(v, fn); p != "" {
			return [][]part{{{fieldPart, p}}}
		}
	case *ssa.Call:
		if g := v.Call.StaticCallee(); g != nil && nameOf(g) == "fmt.Sprintf" && len(v.Call.Args) == 2 {
			return formattedTexts(v.Call.Args, fn, depth-1)
		}
		if v.Call.IsInvoke() && v.Call.Method.Name() == "Error" {
			if p := fieldOfReceiver(v.Call.Value, fn); p != "" {
				return [][]part{{{errorPart, p}}}
			}
		}
	}
	return unknown
}

// formattedTexts returns what a formatted string may be. Strings and errors print as they
// are; what has other methods, and other verbs, print anything.
func formattedTexts(args []ssa.Value, fn *ssa.Function, depth int) [][]part {
	format, ok := args[0].(*ssa.Const)
	if !ok || format.Value == nil {
		return [][]part{{{}}}
	}
	text := constant.StringVal(format.Value)
	list := variadic(args[1])
	verbs := verb.FindAllStringIndex(text, -1)
	out := [][]part{nil}
	add := func(more [][]part) {
		var next [][]part
		for _, a := range out {
			for _, b := range more {
				next = append(next, append(append([]part(nil), a...), b...))
			}
		}
		out = next
	}
	at := 0
	for n, m := range verbs {
		add([][]part{{{constantPart, strings.ReplaceAll(text[at:m[0]], "%%", "%")}}})
		at = m[1]
		printed := [][]part{{{}}}
		if v := text[m[0]:m[1]]; len(verbs) == len(list) && (v == "%s" || v == "%v") {
			x := list[n]
			if i, ok := x.(*ssa.MakeInterface); ok {
				x = i.X
			}
			if types.Identical(x.Type(), types.Typ[types.String]) {
				printed = textsOf(x, fn, depth)
			} else if path := fieldOfReceiver(x, fn); path != "" && isErrorType(x.Type()) {
				printed = [][]part{{{errorPart, path}}}
			}
		}
		if add(printed); len(out) > maxTexts {
			return [][]part{{{}}}
		}
	}
	add([][]part{{{constantPart, strings.ReplaceAll(text[at:], "%%", "%")}}})
	return out
}

// fieldOfReceiver returns the path of the field of the receiver that a value is
// read from; "" if it is none.
func fieldOfReceiver(v ssa.Value, fn *ssa.Function) string {
	switch v := v.(type) {
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL && (a.X == ssa.Value(fn.Params[0]) || isCopyOf(a.X, fn.Params[0])) {
			return fieldPath(deref(a.X.Type()).Underlying().(*types.Struct), a.Field)
		}
	case *ssa.Field:
		if v.X == ssa.Value(fn.Params[0]) {
			return fieldPath(v.X.Type().Underlying().(*types.Struct), v.Field)
		}
	}
	return ""
}

// isCopyOf reports whether a variable holds nothing but a parameter: go/ssa keeps
// structs in memory.
func isCopyOf(v ssa.Value, p *ssa.Parameter) bool {
	a, ok := v.(*ssa.Alloc)
	if !ok {
		return false
	}
	copied := false
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != v || r.Val != ssa.Value(p) {
				return false
			}
			copied = true
		case *ssa.FieldAddr:
			for _, u := range *r.Referrers() {
				switch u.(type) {
				case *ssa.UnOp, *ssa.DebugRef:
				default:
					return false
				}
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return false
		}
	}
	return copied
}

// An errorCase is an error that a place is under a condition on its fields.
type errorCase struct {
	is   *errorValue
	when *term.Term
}

// errorsAt returns what an error at a place may be; nothing if that is not known.
func (f *frame) errorsAt(p *lower.Place) []errorCase { return f.errorsWithin(p, 3) }

func (f *frame) errorsWithin(p *lower.Place, depth int) []errorCase {
	c, w := f.c, f.c.w
	pool := w.Pool
	if e, ok := p.Newest().Data.(*errorValue); ok && e.wraps && (p.Summary || depth == 0) {
		is := *e
		is.key, is.message, is.older = p.Key, joinText(e.before, anyText, e.after), true
		return []errorCase{{&is, pool.True()}}
	}
	if p.Summary || depth == 0 {
		return nil
	}
	if e, ok := p.Data.(*errorValue); ok {
		if !e.wraps || p.Const {
			return []errorCase{{e, pool.True()}}
		}
		return f.wrapping(e, f.m.Cell(p, wrapPath, c.refType()).Term, e.before, e.after, depth)
	}
	t := dynamicType(p)
	var known map[string]string
	filled := false
	e := errorValue{key: p.Key}
	switch d := p.Data.(type) {
	case boxed:
		known = map[string]string{"": d.text}
		e.pkg, e.pos = d.pkg, d.pos
		filled = d.filled
		if !d.constant {
			known = nil
		}
	case built:
		known = d.texts(c)
		e.pkg, e.pos = packageOf(d.alloc.Parent()), c.pos(d.alloc.Parent(), d.alloc.Pos())
	default:
		return nil
	}
	var out []errorCase
	for _, text := range c.errorTexts(t, filled) {
		before, after, path := "", "", ""
		for _, x := range text {
			add := anyText
			switch x.kind {
			case constantPart:
				add = x.text
			case fieldPart:
				if k, ok := known[x.text]; ok {
					add = k
				}
			case errorPart:
				if path == "" {
					path = x.text
					continue
				}
			}
			if path == "" {
				before += add
			} else {
				after += add
			}
		}
		is := e
		is.message = joinText(before, after)
		if path == "" {
			out = append(out, errorCase{&is, pool.True()})
			continue
		}
		out = append(out, f.wrapping(&is, f.m.Cell(p, path, c.refType()).Term, before, after, depth)...)
	}
	return out
}

// maxCases bounds what an error may be.
const maxCases = 1000

// wrapping returns the errors that wrap what a reference holds.
func (f *frame) wrapping(e *errorValue, inner *term.Term, before, after string, depth int) []errorCase {
	w := f.c.w
	pool := w.Pool
	h := w.Holds(inner)
	var out []errorCase
	var others []*term.Term // the condition that it is none of the known ones
	for _, q := range h.Places {
		list := f.errorsWithin(q, depth-1)
		if len(list) == 0 {
			continue
		}
		here := pool.Eq(inner, w.RefOf(q))
		others = append(others, pool.Not(here))
		if len(out)+len(list) > maxCases {
			w.TooLarge()
		}
		for _, k := range list {
			is := *e
			is.older = k.is.older
			is.inner, is.guess = k.is, k.is.guess || strings.Trim(k.is.message, anyText+" :") == ""
			is.message = joinText(before, k.is.message, after)
			out = append(out, errorCase{&is, pool.And(here, k.when)})
		}
	}
	is := *e
	is.message, is.guess = joinText(before, anyText, after), true
	return append(out, errorCase{&is, pool.And(others...)})
}

// joinText joins texts; several unknown ones in a row are one.
func joinText(parts ...string) string {
	text := strings.Join(parts, "")
	for strings.Contains(text, anyText+anyText) {
		text = strings.ReplaceAll(text, anyText+anyText, anyText)
	}
	return text
}

// built is the data of a place that is allocated and may be an error.
type built struct {
	alloc *ssa.Alloc
	in    *callContext
}

// texts returns the strings that are stored to fields of an allocation, as far as
// they are constants in their context that only the allocating function stores.
func (b built) texts(c *compiler) map[string]string {
	out := map[string]string{}
	st, ok := deref(b.alloc.Type()).Underlying().(*types.Struct)
	if !ok {
		return out
	}
	stores := map[string]int{}
	for _, r := range *b.alloc.Referrers() {
		a, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		path := fieldPath(st, a.Field)
		for _, u := range *a.Referrers() {
			s, ok := u.(*ssa.Store)
			if !ok || s.Addr != ssa.Value(a) {
				continue
			}
			stores[path]++
			if basic, ok := s.Val.Type().Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
				if text := c.text(s.Val, b.in, maxText); !strings.Contains(text, anyText) {
					out[path] = text
					continue
				}
			}
			stores[path]++
		}
	}
	for path, n := range stores {
		if n != 1 {
			delete(out, path)
		}
	}
	return out
}

// dependsOnCaller reports whether texts that are stored may depend on parameters.
func (b built) dependsOnCaller() bool {
	for _, r := range *b.alloc.Referrers() {
		a, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, u := range *a.Referrers() {
			if s, ok := u.(*ssa.Store); ok && s.Addr == ssa.Value(a) && dependsOnCaller(s.Val, 0) {
				return true
			}
		}
	}
	return false
}

// mayBeError returns the data of the place of an allocation: that of an error if
// its type is one.
func (f *frame) mayBeError(i ssa.Value, elem types.Type) any {
	a, ok := i.(*ssa.Alloc)
	if !ok || !types.Implements(types.NewPointer(elem), types.Universe.Lookup("error").Type().Underlying().(*types.Interface)) {
		return nil
	}
	return built{a, f.textContext()}
}
