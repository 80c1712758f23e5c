// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the texts of messages that functions put together from what they are
// given: in "s.errorf("not open")" the message is that of the call, not of errorf. A text
// is a constant with anyText for what is not known; of several it is what they have in
// common. Calls are followed back a few steps, in the same way where code is lowered
// (frames) and where it is only looked at (contexts), so that an error has the same name
// in both. Strings as values are not followed: lengths are what lowering knows of them.

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maxContext is how many calls texts are followed back; maxText is how deep expressions are
// followed, maxContexts how many ways back are looked at.
const (
	maxContext  = 3
	maxText     = 12
	maxContexts = 400
)

// A context is the call by which a function is called; nil if that is not known.
type callContext struct {
	fn   *ssa.Function
	call ssa.CallInstruction
	up   *callContext // of the function that calls
}

// argument returns what a parameter is, in the context of the caller.
func (c *callContext) argument(p *ssa.Parameter) (ssa.Value, *callContext) {
	if c == nil || c.call == nil || c.fn != p.Parent() {
		return nil, nil
	}
	common := c.call.Common()
	n := len(common.Args)
	if common.IsInvoke() {
		n++
	}
	if n != len(c.fn.Params) {
		return nil, nil
	}
	for k, q := range c.fn.Params {
		if q == p {
			if x := argumentOf(common, c.fn, k); x != nil && types.Identical(x.Type(), p.Type()) {
				return x, c.up
			}
		}
	}
	return nil, nil
}

// context is that of a frame.
func (f *frame) context() *callContext { return f.contextWithin(maxContext) }

func (f *frame) contextWithin(n int) *callContext {
	if f.up == nil || f.fn == nil || f.up.site == nil || n == 0 {
		return nil
	}
	return &callContext{f.fn, f.up.site, f.up.contextWithin(n - 1)}
}

// text is what is known of a string.
func (c *compiler) text(v ssa.Value, in *callContext, depth int) string {
	if depth <= 0 {
		return anyText
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.String {
			return constant.StringVal(v.Value)
		}
	case *ssa.BinOp:
		if v.Op == token.ADD {
			return joinText(c.text(v.X, in, depth-1), c.text(v.Y, in, depth-1))
		}
	case *ssa.ChangeType:
		return c.text(v.X, in, depth)
	case *ssa.Parameter:
		if x, up := in.argument(v); x != nil {
			return c.text(x, up, depth-1)
		}
	case *ssa.Phi:
		out := ""
		for k, e := range v.Edges {
			t := c.text(e, in, depth-4)
			if k == 0 {
				out = t
			} else {
				out = common(out, t)
			}
		}
		return out
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil && nameOf(fn) == "fmt.Sprintf" && len(v.Call.Args) == 2 {
			return joinText(c.formatted(v.Call.Args, in, depth-1)...)
		}
	}
	return anyText
}

// formatted is what is known of a formatted text, in pieces: of a verb %w there is one of
// its own, which is the verb.
func (c *compiler) formatted(args []ssa.Value, in *callContext, depth int) []string {
	format := c.text(args[0], in, depth)
	list := variadic(lastOf(args))
	var out []string
	n, at := 0, 0
	for _, m := range verb.FindAllStringIndex(format, -1) {
		out = append(out, strings.ReplaceAll(format[at:m[0]], "%%", "%"))
		at = m[1]
		v := format[m[0]:m[1]]
		switch {
		case v == "%w":
			out = append(out, v)
		case n < len(list) && !strings.Contains(format[:m[0]], anyText) && !strings.ContainsAny(v, "*[]"):
			out = append(out, c.printed1(v, list[n], in, depth-1))
		default:
			out = append(out, anyText)
		}
		n++
	}
	return append(out, strings.ReplaceAll(format[at:], "%%", "%"))
}

// printed1 is how a value is printed by a verb. Values of types with methods print as
// these say, which is not known here; errors have their messages.
func (c *compiler) printed1(verb string, x ssa.Value, in *callContext, depth int) string {
	if depth <= 0 {
		return anyText
	}
	if m, ok := x.(*ssa.MakeInterface); ok {
		x = m.X
	}
	if isErrorType(x.Type()) && (verb == "%v" || verb == "%s") {
		if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
			if g, ok := load.X.(*ssa.Global); ok {
				if e := c.sentinel(g); e != nil {
					return e.message
				}
			}
		}
		return anyText
	}
	if c.l.prog.MethodSets.MethodSet(x.Type()).Len() > 0 {
		return anyText
	}
	b, ok := x.Type().Underlying().(*types.Basic)
	if !ok {
		return anyText
	}
	if b.Info()&types.IsString != 0 {
		t := c.text(x, in, depth-1)
		switch {
		case strings.Contains(t, anyText):
		case verb == "%s" || verb == "%v":
			return t
		case verb == "%q":
			return strconv.Quote(t)
		}
	}
	return anyText
}

// common is what two texts have in common, at their ends.
func common(a, b string) string {
	if a == b {
		return a
	}
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	m := 0
	for m < len(x)-n && m < len(y)-n && x[len(x)-1-m] == y[len(y)-1-m] {
		m++
	}
	return joinText(string(x[:n]), anyText, string(x[len(x)-m:]))
}

// contexts returns the contexts in which a function may be called; nil is one that is not
// known. There may be too many.
func (r *relevance) contexts(fn *ssa.Function) (all []*callContext, complete bool) {
	left := maxContexts
	var visit func(fn *ssa.Function, n int) []*callContext
	visit = func(fn *ssa.Function, n int) []*callContext {
		out := []*callContext{nil}
		if n == 0 {
			return out
		}
		for _, call := range r.callers[fn] {
			for _, up := range visit(call.Parent(), n-1) {
				if left--; left < 0 {
					return out
				}
				out = append(out, &callContext{fn, call, up})
			}
		}
		return out
	}
	all = visit(fn, maxContext)
	return all, left >= 0
}

// madeTexts returns the messages that a call of errors.New or fmt.Errorf may make, each with
// a context. Where there are too many contexts none is looked at (errorOf does neither).
func (r *relevance) madeTexts(call *ssa.Call) map[string]*callContext {
	if out := r.coarse.texts[call]; out != nil {
		return out
	}
	out := map[string]*callContext{}
	r.coarse.texts[call] = out
	take := func(in *callContext) {
		args := call.Call.Args
		text := ""
		if nameOf(call.Call.StaticCallee()) == "fmt.Errorf" {
			text = wrapText(r.c.formatted(args, in, maxText))
		} else {
			text = r.c.text(args[0], in, maxText)
		}
		if _, ok := out[text]; !ok {
			out[text] = in
		}
	}
	take(nil)
	if !dependsOnCaller(call.Call.Args[0], 0) && !dependsOnCaller(lastOf(call.Call.Args), 0) {
		return out
	}
	all, complete := r.contexts(call.Parent())
	if !complete {
		r.coarse.plain[call.Parent()] = true
		return out
	}
	for _, in := range all {
		take(in)
	}
	return out
}

// textContext is the context of a frame for texts.
func (f *frame) textContext() *callContext {
	if f.c.isCoarse() && f.c.rel.coarse.plain[f.fn] {
		return nil
	}
	return f.context()
}

// errorText is what is known of the message of an error.
func (c *compiler) errorText(v ssa.Value, in *callContext, depth int) string {
	if depth <= 0 {
		return anyText
	}
	switch v := v.(type) {
	case *ssa.ChangeInterface:
		return c.errorText(v.X, in, depth)
	case *ssa.MakeInterface:
		return c.messageOf(v.X.Type(), c.textsOfFields(v.X, in), isFilled(v))
	case *ssa.Parameter:
		if x, up := in.argument(v); x != nil {
			return c.errorText(x, up, depth-1)
		}
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL {
			if e := c.sentinel(g); e != nil {
				return e.message
			}
		}
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		switch {
		case fn == nil || len(v.Call.Args) == 0 && len(fn.Blocks) == 0:
		case nameOf(fn) == "errors.New":
			return c.text(v.Call.Args[0], in, maxText)
		case nameOf(fn) == "fmt.Errorf":
			return wrapText(c.formatted(v.Call.Args, in, maxText))
		case fn.Signature.Results().Len() == 1 && len(fn.Blocks) > 0:
			out, first := anyText, true
			for _, b := range fn.Blocks {
				if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
					text := c.errorText(r.Results[0], &callContext{fn, v, in}, depth-4)
					if first {
						out, first = text, false
					} else {
						out = common(out, text)
					}
				}
			}
			return out
		}
	}
	return anyText
}

// messageOf is what is known of the message of an error of a type, with given texts in its fields.
func (c *compiler) messageOf(t types.Type, known map[string]string, filled bool) string {
	out, first := anyText, true
	for _, parts := range c.errorTexts(t, filled) {
		text := ""
		for _, x := range parts {
			k, ok := known[x.text]
			switch {
			case x.kind == constantPart:
				text += x.text
			case x.kind == fieldPart && ok:
				text += k
			default:
				text += anyText
			}
		}
		if text = joinText(text); first {
			out, first = text, false
		} else {
			out = common(out, text)
		}
	}
	return out
}

// textsOfFields returns the texts of the fields of an error, as far as they are known where
// it is made; that of "" if it is a string.
func (c *compiler) textsOfFields(x ssa.Value, in *callContext) map[string]string {
	if a, ok := x.(*ssa.Alloc); ok {
		return built{a, in}.texts(c)
	}
	if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
		if a, ok := load.X.(*ssa.Alloc); ok && isValueOf(load, a) {
			return built{a, in}.texts(c)
		}
	}
	if b, ok := x.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		t := c.text(x, in, maxText)
		switch x.(type) {
		case *ssa.ChangeType, *ssa.Convert: // it was made here
			return map[string]string{"": t}
		}
		if t != anyText {
			return map[string]string{"": t}
		}
	}
	return nil
}

// wrapText joins pieces of a formatted text; what is wrapped is any.
func wrapText(pieces []string) string {
	var out []string
	for _, p := range pieces {
		if p == "%w" {
			p = anyText
		}
		out = append(out, p)
	}
	return joinText(out...)
}

// dependsOnCaller reports whether a text may depend on parameters.
func dependsOnCaller(v ssa.Value, depth int) bool {
	if depth > maxText {
		return true
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return true
	case *ssa.BinOp:
		return dependsOnCaller(v.X, depth+1) || dependsOnCaller(v.Y, depth+1)
	case *ssa.ChangeType:
		return dependsOnCaller(v.X, depth+1)
	case *ssa.MakeInterface:
		return dependsOnCaller(v.X, depth+1)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if dependsOnCaller(e, depth+3) {
				return true
			}
		}
	case *ssa.Call:
		for _, x := range v.Call.Args {
			if dependsOnCaller(x, depth+1) {
				return true
			}
		}
	case *ssa.Slice:
		for _, x := range variadic(v) {
			if dependsOnCaller(x, depth+1) {
				return true
			}
		}
	}
	return false
}

// sortedTexts returns the contexts of texts, in the order of the texts.
func sortedTexts(texts map[string]*callContext) []*callContext {
	var out []*callContext
	for _, t := range slices.Sorted(maps.Keys(texts)) {
		out = append(out, texts[t])
	}
	return out
}
