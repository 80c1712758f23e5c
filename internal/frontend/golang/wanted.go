// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds which values may be errors under study: a forward flow of values through
// registers, locations, results and closures of all code that is reached, from where such
// errors are made. In a coarse program (coarse.go) an error that is not followed may be one
// under study only if such a value can flow there, and of a returned error only what may be
// one is followed.

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
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

// wantedValues returns the values that may be errors under study: those that are
// made as such, and where they flow to.
func (r *relevance) wantedValues() map[ssa.Value]bool {
	vals := map[ssa.Value]bool{}
	if !r.c.kinds.anyReturn() {
		return vals
	}
	locs := map[location]bool{}
	elements := false // one is put where it is not followed
	returned := map[resultAt]bool{}
	for changed := true; changed; {
		changed = false
		set := func(v ssa.Value) {
			if _, basic := v.Type().Underlying().(*types.Basic); !vals[v] && !basic {
				vals[v], changed = true, true
			}
		}
		is := func(v ssa.Value) bool { return v != nil && (vals[v] || r.isWantedGlobal(v)) }
		for _, fn := range r.fns {
			for k, p := range fn.Params {
				for _, call := range r.callers[fn] {
					if x := argumentOf(call.Common(), fn, k); x != nil && is(x) {
						set(p)
					}
				}
			}
			for n, v := range fn.FreeVars {
				for _, m := range r.closures[fn] {
					if is(m.Bindings[n]) {
						set(v)
					}
				}
			}
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					switch i := i.(type) {
					case *ssa.Store:
						if is(i.Val) {
							parts := r.parts(i.Addr)
							if len(parts) == 0 && !elements && !r.printed(i.Addr) {
								elements, changed = true, true
							}
							for _, l := range parts {
								if l = r.find(l); !locs[l] {
									locs[l], changed = true, true
								}
							}
						}
						continue
					case *ssa.MapUpdate:
						if is(i.Value) && !elements {
							elements, changed = true, true
						}
						continue
					case *ssa.Send:
						if is(i.X) && !elements {
							elements, changed = true, true
						}
						continue
					case *ssa.Return:
						for k, x := range i.Results {
							if is(x) && !r.unreached(b) && !returned[resultAt{fn, k}] {
								returned[resultAt{fn, k}], changed = true, true
							}
						}
						continue
					}
					v, ok := i.(ssa.Value)
					if !ok || vals[v] {
						continue
					}
					switch i := i.(type) {
					case *ssa.UnOp:
						switch l := r.at(i.X); {
						case i.Op == token.ARROW:
							if elements && !noError(v.Type()) {
								set(v)
							}
						case i.Op != token.MUL:
						case is(i.X) || l == nil && elements && !noError(v.Type()) || l != nil && locs[r.find(l)] || r.isWantedGlobal(v):
							set(v)
						default:
							for _, l := range fieldsOf(i.Type(), nil) {
								if locs[r.find(l)] {
									set(v)
								}
							}
						}
						continue
					case *ssa.Lookup, *ssa.Index, *ssa.Next, *ssa.Select, *ssa.Range:
						if elements && !noError(v.Type()) {
							set(v)
						}
					case *ssa.Field:
						if locs[r.find(fieldAt(i.X.Type().Underlying().(*types.Struct), i.Field))] {
							set(v)
						}
					case *ssa.Extract:
						if call, ok := i.Tuple.(*ssa.Call); ok {
							for _, g := range r.targets[call] {
								if returned[resultAt{g, i.Index}] {
									set(v)
								}
							}
							if len(r.targets[call]) > 0 && r.effects[call] == nil {
								continue // only what these return
							}
						}
					case *ssa.Call:
						for _, g := range r.targets[i] {
							if returned[resultAt{g, 0}] && g.Signature.Results().Len() == 1 {
								set(v)
							}
						}
						if _, tuple := i.Type().(*types.Tuple); len(r.targets[i]) > 0 && r.effects[i] == nil && !tuple {
							continue
						}
						if r.isWantedCall(i) {
							set(v)
						}
						if r.effects[i] != nil && !noError(i.Type()) {
							// Who is given an error may return it.
							if r.mayGet(i, returned, elements) || slices.ContainsFunc(i.Call.Args, is) || slices.ContainsFunc(variadic(lastOf(i.Call.Args)), is) {
								set(v)
							}
						}
						if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() == "recover" {
							set(v)
						}
						if r.known[i] == nil {
							continue
						}
						for _, x := range variadic(lastOf(i.Call.Args)) {
							if is(x) {
								set(v)
							}
						}
					case *ssa.MakeInterface:
						if !types.Implements(i.X.Type(), errorInterface) {
							break
						}
						if id := r.id(i.X.Type()); !slices.Contains(r.coarse.made[id], i) {
							r.coarse.made[id] = append(r.coarse.made[id], i)
						}
						if r.isWantedType(i, locs) {
							set(v)
						}
					case *ssa.BinOp, *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
						continue
					}
					for _, op := range i.Operands(nil) {
						if *op != nil && is(*op) {
							set(v)
						}
					}
				}
			}
		}
	}
	r.coarse.carries = locs
	return vals
}

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

// mayGet reports whether code that is not followed is given something through which it
// may get errors under study: objects with methods, and functions, that return them.
func (r *relevance) mayGet(call ssa.CallInstruction, returned map[resultAt]bool, elements bool) bool {
	gives := func(fn *ssa.Function) bool {
		for k := range fn.Signature.Results().Len() {
			if returned[resultAt{fn, k}] {
				return true
			}
		}
		return false
	}
	methods := func(t types.Type) bool {
		set := r.c.l.prog.MethodSets.MethodSet(t)
		for k := range set.Len() {
			if fn := r.c.l.prog.MethodValue(set.At(k)); fn != nil && gives(fn) {
				return true
			}
		}
		return false
	}
	for _, x := range call.Common().Args {
		switch u := x.Type().Underlying().(type) {
		case *types.Interface:
			if m, ok := x.(*ssa.MakeInterface); ok {
				if methods(m.X.Type()) {
					return true
				}
				continue
			}
			if u.NumMethods() == 0 {
				continue // something of the client's
			}
			for _, b := range r.boxes {
				if types.Implements(b, u) && methods(b) {
					return true
				}
			}
		case *types.Pointer, *types.Struct:
			if r.mayBeOwn(x.Type(), 0) && methods(x.Type()) {
				return true
			}
		case *types.Signature:
			for _, fn := range r.reach.values {
				if types.Identical(noReceiver(fn.Signature), noReceiver(u)) && gives(fn) {
					return true
				}
			}
		case *types.Slice:
			for _, y := range variadic(x) {
				if m, ok := y.(*ssa.MakeInterface); ok && methods(m.X.Type()) {
					return true
				}
			}
			if elements && !noError(u.Elem()) {
				return true
			}
		case *types.Map, *types.Chan:
			if elements {
				return true
			}
		}
	}
	return false
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
	return !noError(load.Type()) && g.Pkg == r.c.l.pkg
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
	if pkg == r.c.l.pkg.Pkg && len(k.returns) > 0 {
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
	s, _ := t.Underlying().(*types.Struct)
	if e := deref(t); e != nil {
		s, _ = e.Underlying().(*types.Struct)
	}
	for _, known := range r.textsIn(m.X) {
		for _, text := range r.c.errorTexts(t) {
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
				for i := 0; x.kind == errorPart && s != nil && i < s.NumFields(); i++ {
					wraps = wraps || x.text == fieldPath(s, i) && locs[r.find(fieldAt(s, i))]
				}
			}
			if wraps || r.mayBeMessage(joinText(message), packageOf(m.Parent())) {
				return true
			}
		}
	}
	return false
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
	all := []map[string]string{nil}
	for _, fn := range r.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if a, ok := i.(*ssa.Alloc); ok && types.Identical(a.Type(), x.Type()) {
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
