// SPDX-License-Identifier: Apache-2.0

package golang

// This file knows errors of types of their own: what their messages are, as far as
// the method Error puts them together from constants, fields and other errors.
// Of formatting only plain strings and errors are followed.

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
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
	fn, within, behind := c.errorMethod(t)
	if behind {
		c.texts[name] = [][]part{{{errorPart, within}}}
		return c.texts[name]
	}
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
	for _, text := range out {
		for k := range text {
			if text[k].kind == fieldPart || text[k].kind == errorPart {
				text[k].text = within + text[k].text
			}
		}
	}
	c.texts[name] = out
	return out
}

// errorMethod returns the method Error that is called in the end for a value of a type: of a pointer to a type with such a
// method, or of what is embedded. The receiver is what is at a path within the value. If there is a pointer or an interface
// on the way, its message is that of the error there, behind that path.
func (c *compiler) errorMethod(t types.Type) (fn *ssa.Function, path string, behind bool) {
	sel := c.l.prog.MethodSets.MethodSet(t).Lookup(nil, "Error")
	if sel == nil {
		return nil, "", false
	}
	if e := deref(t); e != nil {
		t = e
	}
	for _, k := range sel.Index()[:len(sel.Index())-1] {
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil, "", false
		}
		path += fieldPath(s, k)
		t = s.Field(k).Type()
		if isPointer(t) || types.IsInterface(t) {
			return nil, path, true
		}
	}
	if isPointer(sel.Obj().(*types.Func).Signature().Recv().Type()) {
		t = types.NewPointer(t)
	}
	if sel = c.l.prog.MethodSets.MethodSet(t).Lookup(nil, "Error"); sel == nil {
		return nil, "", false
	}
	return c.l.prog.MethodValue(sel), path, false
}

// A fieldWithin is a field of a struct, or of one in it.
type fieldWithin struct {
	at  location
	typ types.Type
}

// fieldWithinAt returns the field at a path of a struct, or of the one that a pointer is to; its location is nil if there is none.
func fieldWithinAt(t types.Type, path string) fieldWithin {
	if e := deref(t); e != nil {
		t = e
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return fieldWithin{}
	}
	for i := range s.NumFields() {
		rest, ok := strings.CutPrefix(path, fieldPath(s, i))
		switch {
		case !ok:
		case rest == "":
			return fieldWithin{fieldAt(s, i), s.Field(i).Type()}
		case rest[0] == '.' && deref(s.Field(i).Type()) == nil:
			return fieldWithinAt(s.Field(i).Type(), rest)
		}
	}
	return fieldWithin{}
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
		path := ""
		for x := v.X; v.Op == token.MUL; {
			a, ok := x.(*ssa.FieldAddr)
			if !ok {
				break
			}
			path = fieldPath(deref(a.X.Type()).Underlying().(*types.Struct), a.Field) + path
			if a.X == ssa.Value(fn.Params[0]) || isCopyOf(a.X, fn.Params[0]) {
				return path
			}
			x = a.X
		}
	case *ssa.Field:
		path := fieldPath(v.X.Type().Underlying().(*types.Struct), v.Field)
		if v.X == ssa.Value(fn.Params[0]) {
			return path
		}
		if before := fieldOfReceiver(v.X, fn); before != "" {
			return before + path
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
			if !readsOnly(r) {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return false
		}
	}
	return copied
}

// readsOnly reports whether a field, and those in it, are only read by their address.
func readsOnly(a *ssa.FieldAddr) bool {
	for _, u := range *a.Referrers() {
		switch u := u.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if !readsOnly(u) {
				return false
			}
		default:
			return false
		}
	}
	return true
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
	filled, own := false, true
	e := errorValue{key: p.Key}
	switch d := p.Data.(type) {
	case boxed:
		known = d.known()
		filled, own = d.filled, c.isOwnError(d.typ)
		e.pkg, e.pos, e.fixed = d.pkg, d.pos, d.fixed && own
	case built:
		known = d.texts(c)
		e.pkg, e.pos, e.fixed = packageOf(d.alloc.Parent()), c.pos(d.alloc.Parent(), d.alloc.Pos()), c.isFixed(d.alloc, d.in, maxFixed)
	default:
		return nil
	}
	var out []errorCase
	for _, text := range c.textsOfError(t, filled) {
		before, after, path := "", "", ""
		e.untold = own && isUntold(text, known)
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
			is.inner, is.guess = k.is, k.is.guess || strings.Trim(k.is.message, anyText+" :") == "" && !k.is.untold && !k.is.fixed
			is.untold = is.untold || k.is.untold || k.is.fixed && strings.HasPrefix(k.is.message, anyText)
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

// texts returns the strings that are stored to fields of an allocation, in its context, as
// far as one instruction of the allocating function stores them and nothing else there
// has the address of the field. What of them is not constant is anyText.
func (b built) texts(c *compiler) map[string]string {
	out := map[string]string{}
	if _, ok := deref(b.alloc.Type()).Underlying().(*types.Struct); !ok {
		return out
	}
	stores := map[string]int{}
	fieldStores(b.alloc, "", func(path string, s *ssa.Store) {
		stores[path]++
		if s == nil {
			stores[path]++
			return
		}
		if basic, ok := s.Val.Type().Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
			out[path] = c.text(s.Val, b.in, maxText)
			return
		}
		stores[path]++
	})
	for path := range out {
		if v, ok := fieldWithinAt(b.alloc.Type(), path).at.(*types.Var); !ok || c.isSetElsewhere(v) {
			delete(out, path)
			continue
		}
		for other, n := range stores {
			if other == path && n != 1 || other != path && strings.HasPrefix(path, other) && (other == "" || path[len(other)] == '.') {
				delete(out, path)
			}
		}
	}
	return out
}

// isSetElsewhere reports whether code of the component's package sets a field by a pointer to the struct that it did not allocate in the same function.
func (c *compiler) isSetElsewhere(v *types.Var) bool {
	if c.setElsewhere == nil {
		c.setElsewhere = map[*types.Var]bool{}
		for _, fn := range c.l.ownRuns() {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					switch i := i.(type) {
					case *ssa.Store:
						c.noteSet(i)
					case *ssa.FieldAddr:
						if !isPlace(i) && !onlyAddressed(i) {
							c.noteField(deref(i.X.Type()).Underlying().(*types.Struct).Field(i.Field))
						}
					}
				}
			}
		}
	}
	return c.setElsewhere[v.Origin()]
}

// noteSet notes the fields of a struct that is stored as a whole.
func (c *compiler) noteSet(s *ssa.Store) {
	if isPlace(s.Addr) || !isStruct(s.Val.Type()) {
		return
	}
	for _, l := range fieldsOf(s.Val.Type(), nil) {
		if v, ok := l.(*types.Var); ok {
			c.noteField(v)
		}
	}
}

func (c *compiler) noteField(v *types.Var) {
	c.setElsewhere[v.Origin()] = true
	for _, l := range fieldsOf(v.Type(), nil) {
		if v, ok := l.(*types.Var); ok {
			c.setElsewhere[v.Origin()] = true
		}
	}
}

// isPlace reports whether an address is of an allocation, a package variable or an element, or of a field in it: not of what some pointer leads to.
func isPlace(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Alloc, *ssa.Global, *ssa.IndexAddr:
			return true
		default:
			return false
		}
	}
}

// onlyAddressed reports whether the address of a field is used for nothing but to read it, and those in it. What code with a body does to a struct that it
// is given the address of is seen there.
func onlyAddressed(a *ssa.FieldAddr) bool {
	for _, u := range *a.Referrers() {
		switch u := u.(type) {
		case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr:
		case *ssa.Call:
			if g := u.Call.StaticCallee(); g == nil || len(g.Blocks) == 0 || !isStruct(deref(a.Type())) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// fieldStores visits the stores to what an address leads to, and to fields of it, with their paths; nil stands for what may store there by the address of a field. Stores
// of nothing, which come before those of a literal, are left out; of a literal that is stored its fields are visited.
func fieldStores(addr ssa.Value, path string, visit func(path string, s *ssa.Store)) {
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			fieldStores(r, path+fieldPath(deref(r.X.Type()).Underlying().(*types.Struct), r.Field), visit)
		case *ssa.Store:
			if r.Addr != addr {
				if path != "" {
					visit(path, nil)
				}
				continue
			}
			if k, ok := r.Val.(*ssa.Const); ok && k.Value == nil && isStruct(k.Type()) {
				continue
			}
			if load, ok := r.Val.(*ssa.UnOp); ok && load.Op == token.MUL && isStruct(load.Type()) {
				if a, ok := load.X.(*ssa.Alloc); ok && a.Comment == "complit" && isValueOf(load, a) {
					fieldStores(a, path, visit) // a literal within
					continue
				}
			}
			visit(path, r)
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			if path != "" {
				visit(path, nil)
			}
		}
	}
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// textsOfError is errorTexts, and one that is not known if nothing is.
func (c *compiler) textsOfError(t types.Type, filled bool) [][]part {
	if all := c.errorTexts(t, filled); len(all) > 0 {
		return all
	}
	return [][]part{{{}}}
}

// isOwnError reports whether an error in an interface is of a type of the component's package, or without a name, and no list or the like: what these say is what others put
// there.
func (c *compiler) isOwnError(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return false
	}
	house := houseOf(t)
	return house == nil || c.l.owns(house)
}

// typedSentinel returns the error that a package variable of a pointer type holds, if a value of an interface is made of it: it is that of an allocation when the
// package is initialized, and nothing sets it after that. Nothing compares such pointers themselves.
func (c *compiler) typedSentinel(i *ssa.MakeInterface) *errorValue {
	load, ok := i.X.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || !isPointer(load.Type()) || !types.Implements(load.Type(), errorInterface) {
		return nil
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || !c.l.owns(g.Pkg.Pkg) || c.comparesPointers(load.Type()) {
		return nil
	}
	u := c.uses(g)
	a, ok := u.initial[""].(*ssa.Alloc)
	if !ok || u.changed || u.unknown {
		return nil
	}
	e := &errorValue{global: g.RelString(nil), pkg: g.Pkg.Pkg, key: "error " + g.RelString(nil), typ: load.Type()}
	e.message = c.messageOf(load.Type(), built{a, nil}.texts(c), false)
	return e
}

// comparesPointers reports whether code that the calls lead to compares pointers of a type, other than with nil.
func (c *compiler) comparesPointers(t types.Type) bool {
	fns := c.l.ownRuns()
	if c.reach != nil {
		fns = c.reach.fns
	}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if x, ok := i.(*ssa.BinOp); ok && (x.Op == token.EQL || x.Op == token.NEQ) && types.Identical(x.X.Type(), t) && !isNilConst(x.X) && !isNilConst(x.Y) {
					return true
				}
			}
		}
	}
	return false
}

// isUntold reports whether it is not known how a message begins, rather than that it begins with what is not constant where
// the error is made: its method Error is not followed, or where its field comes from.
func isUntold(text []part, known map[string]string) bool {
	for _, x := range text {
		switch x.kind {
		case anyPart:
			return true
		case constantPart:
			if x.text != "" {
				return false
			}
		case errorPart:
			return false
		case fieldPart:
			if k, ok := known[x.text]; !ok || k != "" {
				return !ok
			}
		}
	}
	return false
}

// maxFixed is how deep values are followed to see whether they are constant.
const maxFixed = 6

// isFixed reports whether an error is a constant where it is made, or a struct, or a pointer to one, with nothing but constants
// in it: then it is made of constants, whatever its method Error says of them.
func (c *compiler) isFixed(v ssa.Value, in *callContext, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.ChangeType:
		return c.isFixed(v.X, in, depth-1)
	case *ssa.Convert:
		return c.isFixed(v.X, in, depth-1)
	case *ssa.Parameter:
		x, up := in.argument(v)
		return x != nil && c.isFixed(x, up, depth-1)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return false
		}
		if g, ok := v.X.(*ssa.Global); ok { // a sentinel
			u := c.uses(g)
			return c.l.owns(g.Pkg.Pkg) && !u.changed && !u.unknown
		}
		a, ok := v.X.(*ssa.Alloc)
		return ok && isValueOf(v, a) && c.isFixed(a, in, depth-1)
	case *ssa.Alloc:
		if !isStruct(deref(v.Type())) {
			return false
		}
		fixed := true
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case ssa.CallInstruction, *ssa.MakeClosure:
				return false // it may be set there
			case *ssa.MakeInterface:
				fixed = fixed && types.Implements(r.Type(), errorInterface)
			}
		}
		fieldStores(v, "", func(_ string, s *ssa.Store) {
			fixed = fixed && s != nil && c.isFixed(s.Val, in, depth-1)
		})
		return fixed
	}
	return false
}

// isValueOf reports whether a value is that of a local struct after everything that is stored there, and nobody else has its address.
func isValueOf(load *ssa.UnOp, a *ssa.Alloc) bool {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr, *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if r.Val == ssa.Value(a) {
				return false
			}
		default:
			return false
		}
	}
	ok := true
	fieldStores(a, "", func(_ string, s *ssa.Store) {
		ok = ok && s != nil && before(s, load)
	})
	return ok
}

// before reports whether an instruction comes before another one on every way there.
func before(x, y ssa.Instruction) bool {
	if x.Block() != y.Block() {
		return x.Block().Dominates(y.Block())
	}
	return slices.Index(x.Block().Instrs, x) < slices.Index(y.Block().Instrs, y)
}

// dependsOnCaller reports whether what is stored may depend on parameters.
func (b built) dependsOnCaller() bool {
	yes := false
	fieldStores(b.alloc, "", func(_ string, s *ssa.Store) {
		yes = yes || s != nil && dependsOnCaller(s.Val, 0)
	})
	return yes
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
