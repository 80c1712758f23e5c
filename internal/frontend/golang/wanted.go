// SPDX-License-Identifier: Apache-2.0

package golang

// This file says where errors under study are made, and makes relevant what they depend on.
// In a coarse program (coarse.go) an error that is not followed may be one under study only
// if such a value can flow there (wanted_flow.go), and of a returned error only what may be
// one is followed.

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// mayReturn reports whether a result of a function may be an error under study.
func (r *relevance) mayReturn(fn *ssa.Function, k int) bool {
	for _, b := range fn.Blocks {
		if len(b.Instrs) > 0 {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && k < len(ret.Results) && r.mayBeWanted(ret.Results[k]) {
				return true
			}
		}
	}
	return false
}

// returnedErrors makes a result of a function relevant as far as it may be an error
// under study.
func (r *relevance) returnedErrors(fn *ssa.Function, k int) {
	at := resultAt{fn, k}
	if r.coarse.flows[at] {
		return
	}
	r.coarse.flows[at] = true
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || k >= len(ret.Results) || !r.mayBeWanted(ret.Results[k]) || r.unreached(b) {
			continue
		}
		r.coarse.some[fn] |= 1 << k
		r.at1(0, func() { r.near(fn) })
		r.needError(ret.Results[k])
		r.controls(b)
	}
}

// needError makes a value relevant as far as it may be an error under study.
func (r *relevance) needError(v ssa.Value) {
	if !r.mayBeWanted(v) || r.coarse.origin[v] {
		return
	}
	r.coarse.origin[v] = true
	r.partly(v)
	switch v := v.(type) {
	case *ssa.Phi:
		r.instrs[v] = true
		for k, e := range v.Edges {
			if !r.mayBeWanted(e) {
				continue
			}
			r.needError(e)
			p := v.Block().Preds[k]
			r.controls(p)
			if len(p.Succs) > 1 {
				r.branch(p)
			}
		}
	case *ssa.ChangeInterface:
		r.instrs[v] = true
		r.needError(v.X)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			r.instrs[v] = true
			r.errorResult(call, v.Index)
			return
		}
		r.within(func() { r.need(v) })
	case *ssa.Call:
		if _, tuple := v.Type().(*types.Tuple); !tuple && len(r.targets[v]) > 0 {
			r.errorResult(v, 0)
			return
		}
		r.within(func() { r.need(v) })
	case *ssa.Parameter:
		r.values[v] = true
		for k, q := range v.Parent().Params {
			if q != v {
				continue
			}
			for _, call := range r.callers[v.Parent()] {
				if x := argumentOf(call.Common(), v.Parent(), k); x != nil {
					r.needError(x)
				}
			}
		}
	default:
		r.within(func() { r.need(v) })
	}
}

// errorResult makes a result of a call relevant as far as it may be an error under
// study.
func (r *relevance) errorResult(call *ssa.Call, k int) {
	if len(r.targets[call]) == 0 {
		r.within(func() { r.result(call, k) })
		return
	}
	r.partlyResult(call, k)
	r.needs[resultOf{call, k}] = true
	r.instrs[call] = true
	r.later(func() {
		for _, fn := range r.targets[call] {
			r.returnedErrors(fn, k)
		}
	})
}

// mayBeWanted reports whether a value may be an error under study.
func (r *relevance) mayBeWanted(v ssa.Value) bool { return r.coarse.wanted[v] }

// noError reports whether a call has no result that may be an error.
func noError(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		for k := range tuple.Len() {
			if !noError(tuple.At(k).Type()) {
				return false
			}
		}
		return true
	}
	return !types.IsInterface(t) && !isPointer(t)
}

// isWantedGlobal reports whether a value is a package variable, or what one holds,
// that may be an error under study.
func (r *relevance) isWantedGlobal(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	g, ok := load.X.(*ssa.Global)
	if !ok {
		return false
	}
	if e := r.c.sentinel(g); e != nil {
		return r.isWantedSentinel(e)
	}
	return !noError(load.Type()) && r.c.l.owns(g.Pkg.Pkg)
}

// isWantedSentinel reports whether the error of a package variable may be one under study,
// or one that such an error wraps.
func (r *relevance) isWantedSentinel(e *errorValue) bool {
	return r.c.wantsReturn(e) || r.mayBeMessage(e.message, e.pkg)
}

// isWantedCall reports whether a call makes an error that may be one under study, or
// one that such an error wraps.
func (r *relevance) isWantedCall(call *ssa.Call) bool {
	fn := call.Call.StaticCallee()
	if fn == nil || len(call.Call.Args) == 0 {
		return false
	}
	switch nameOf(fn) {
	case "errors.New", "fmt.Errorf":
		for text := range r.madeTexts(call) {
			if r.mayBeMessage(text, packageOf(call.Parent())) {
				return true
			}
		}
	}
	return false
}

// mayBeMessage reports whether an error with a message that a package makes may be one
// under study, or one that such an error wraps.
func (r *relevance) mayBeMessage(message string, pkg *types.Package) bool {
	k := r.c.kinds
	if r.c.wantsReturn(&errorValue{message: message, pkg: pkg}) {
		return true
	}
	if r.c.l.owns(pkg) && len(k.returns) > 0 {
		return true
	}
	parts := strings.Split(message, anyText)
	for _, m := range k.messages {
		at := 0
		for _, p := range parts {
			n := strings.Index(m[at:], p)
			if n < 0 {
				at = -1
				break
			}
			at += n + len(p)
		}
		if at > 0 && strings.Trim(message, anyText+" :") != "" {
			return true
		}
	}
	return false
}

// isWantedType reports whether an error of a type of its own may be under study. What it
// wraps is in locations; fields have the texts that are known where it is made, as in
// errorsWithin.
func (r *relevance) isWantedType(m *ssa.MakeInterface, locs map[location]bool) bool {
	t := m.X.Type()
	if !types.Implements(t, errorInterface) {
		return false
	}
	_, made := m.X.(*ssa.Alloc)
	own := made || r.c.isOwnError(t)
	return r.isWantedError(t, r.textsIn(m.X), isFilled(m), own, ownerOf(m), locs, 3)
}

// isWantedError reports this of an error of a type with given texts of its fields that a package makes. If it is one of the component's types, it may be
// under study as well if its message is not known, or it is made of constants.
func (r *relevance) isWantedError(t types.Type, all []map[string]string, filled, own bool, pkg *types.Package, locs map[location]bool, depth int) bool {
	k := r.c.kinds
	asked := k.misuse && pkg == r.c.l.pkg.Pkg
	for _, known := range all {
		for _, text := range r.c.textsOfError(t, filled) {
			message, wraps := "", false
			for _, x := range text {
				switch k, ok := known[x.text]; {
				case x.kind == constantPart:
					message += x.text
					continue
				case x.kind == fieldPart && ok:
					message += k
					continue
				}
				message += anyText
				if x.kind == errorPart && !wraps {
					wraps = r.wrapsWanted(fieldWithinAt(t, x.text), pkg, locs, depth)
				}
			}
			message = joinText(message)
			if wraps || r.mayBeMessage(message, pkg) {
				return true
			}
			if own && asked && strings.HasPrefix(message, anyText) && text[0].kind != errorPart {
				return true
			}
		}
	}
	return false
}

// wrapsWanted reports whether what is in a field of an error may be an error under study: it is one of an interface, or
// what a pointer leads to.
func (r *relevance) wrapsWanted(f fieldWithin, pkg *types.Package, locs map[location]bool, depth int) bool {
	if f.at == nil || depth == 0 {
		return true
	}
	if locs[r.find(f.at)] {
		return true
	}
	if deref(f.typ) == nil || !types.Implements(f.typ, errorInterface) {
		return false
	}
	return r.isWantedError(f.typ, r.textsOfAll(f.typ), false, true, pkg, locs, depth-1)
}

// textsIn returns the texts that fields of an error may have: those of the constant or the
// allocation that it is, or of every allocation of its type.
func (r *relevance) textsIn(x ssa.Value) []map[string]string {
	switch x := x.(type) {
	case *ssa.Const:
		if x.Value != nil && x.Value.Kind() == constant.String {
			return []map[string]string{{"": constant.StringVal(x.Value)}}
		}
	case *ssa.Alloc:
		return r.builtTexts(x)
	case *ssa.UnOp:
		if a, ok := x.X.(*ssa.Alloc); ok && x.Op == token.MUL && isValueOf(x, a) {
			return r.builtTexts(a)
		}
	}
	if b, ok := x.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 && dependsOnCaller(x, 0) {
		all := []map[string]string{nil}
		list, complete := r.contexts(x.Parent())
		if !complete {
			r.coarse.plain[x.Parent()] = true
			return all
		}
		for _, in := range list {
			all = append(all, r.c.textsOfFields(x, in))
		}
		return all
	}
	return r.textsOfAll(x.Type())
}

// textsOfAll returns the texts that fields may have in all allocations of a type, and none for what is not known.
func (r *relevance) textsOfAll(t types.Type) []map[string]string {
	all := []map[string]string{nil}
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if a, ok := i.(*ssa.Alloc); ok && types.Identical(a.Type(), t) {
					all = append(all, r.builtTexts(a)...)
				}
			}
		}
	}
	return all
}

// builtTexts returns the texts of the fields of an allocation, for each context.
func (r *relevance) builtTexts(a *ssa.Alloc) []map[string]string {
	b := built{a, nil}
	all := []map[string]string{b.texts(r.c)}
	if !b.dependsOnCaller() {
		return all
	}
	list, complete := r.contexts(a.Parent())
	if !complete {
		r.coarse.plain[a.Parent()] = true
		return all
	}
	for _, in := range list {
		all = append(all, built{a, in}.texts(r.c))
	}
	return all
}

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// staticMessage is the text of a message as far as it is constant in its function.
func staticMessage(x ssa.Value) string {
	switch x := x.(type) {
	case *ssa.MakeInterface:
		return staticMessage(x.X)
	case *ssa.ChangeInterface:
		return staticMessage(x.X)
	case *ssa.Const:
		if x.Value != nil && x.Value.Kind() == constant.String {
			return constant.StringVal(x.Value)
		}
	case *ssa.BinOp:
		if x.Op == token.ADD {
			return staticMessage(x.X) + staticMessage(x.Y)
		}
	case *ssa.Call:
		if g := x.Call.StaticCallee(); g != nil && len(x.Call.Args) > 0 {
			switch nameOf(g) {
			case "fmt.Sprintf", "fmt.Errorf", "errors.New":
				return formatText(staticMessage(x.Call.Args[0]))
			}
		}
	}
	return anyText
}
