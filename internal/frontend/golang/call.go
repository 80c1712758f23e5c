// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers calls: which are inlined, which are known functions of the
// standard library (intrinsic.go), and what the others may do.

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Limits of inlining. They are counted in instructions, so that the same code
// is always lowered in the same way.
const (
	maxDepth  = 24
	maxWork   = 8_000 // instructions of one method
	cheapSize = 40    // instructions of a function of another package
	takesSize = 200   // of one that is given an object of the component
	maxAbroad = 4     // nested functions of other packages
	tinySize  = 8     // instructions of a function that is followed in a method which is too large
	maxTiny   = 2     // nested ones
)

func (f *frame) callInstr(i *ssa.Call) value {
	f.site = i
	out := f.common(i.Common(), f.key(i), i.Pos(), f.looping[i.Block()])
	f.started(i)
	v := value{typ: i.Type()}
	if _, tuple := i.Type().(*types.Tuple); !tuple && len(out) == 1 {
		out[0].typ = i.Type()
		return out[0]
	}
	for _, x := range out {
		if x.missing != "" {
			v.t = append(v.t, make([]*term.Term, len(f.c.leaves(x.typ)))...)
			continue
		}
		v.t = append(v.t, f.terms(x)...)
	}
	return v
}

// common lowers a call of any mode.
func (f *frame) common(call *ssa.CallCommon, key string, at token.Pos, again bool) []value {
	if b, ok := call.Value.(*ssa.Builtin); ok {
		return f.builtin(b, call, key, at)
	}
	args := f.values(call.Args)
	if call.IsInvoke() {
		return f.invoke(call, f.ref(f.val(call.Value)), args, key, at, again)
	}
	fn := f.val(call.Value)
	return f.apply(fn, call.Signature(), args, call.Args, key, at, again)
}

// apply calls a function value.
func (f *frame) apply(fn value, sig *types.Signature, args []value, from []ssa.Value, key string, at token.Pos, again bool) []value {
	if fn.fn != nil {
		return f.function(fn.fn, args, fn.binds, from, key, at, again)
	}
	w := f.c.w
	ref := f.ref(fn)
	h := w.Holds(ref)
	if h.Nil {
		f.check(w.Pool.Eq(ref, w.Nil()), "nil", "invalid memory address or nil pointer dereference", at)
	}
	if f.isNever(sig) {
		f.m.Assume(w.Pool.False())
		return f.c.zeros(sig.Results())
	}
	var list []returning
	f.cases(ref, h, func(p *lower.Place) {
		if p != nil {
			if d, ok := p.Data.(closure); ok {
				list = append(list, returning{-1, nil})
				k := len(list) - 1
				var binds []value
				for n, t := range d.binds {
					binds = append(binds, f.load(key+"/bind"+strconv.Itoa(n)+p.Key, &address{ref: w.RefOf(p), path: "#" + strconv.Itoa(n), elem: t}, t))
				}
				out := f.function(d.fn, args, binds, from, key+"/"+d.fn.RelString(nil), at, again)
				list[k] = returning{f.m.Here(), out}
				return
			}
			if d, ok := f.c.olderClosure(p); ok {
				list = append(list, returning{-1, nil})
				k := len(list) - 1
				var binds []value
				for n, t := range d.binds {
					binds = append(binds, f.boundEarlier(key+"/bound"+strconv.Itoa(n)+p.Key, t))
				}
				out := f.function(d.fn, args, binds, from, key+"/older "+d.fn.RelString(nil), at, again)
				list[k] = returning{f.m.Here(), out}
				return
			}
		}
		list = append(list, f.openCall(args, false, key, at, again, func() []value {
			return f.environment("a function value", nil, sig, args, key, lower.Answer)
		})...)
	})
	return f.joinAt(key, sig.Results(), list)
}

// isNever reports whether the call at hand has nothing to call but nil.
func (f *frame) isNever(sig *types.Signature) bool {
	return f.site != nil && f.c.reach != nil && f.site.Common().StaticCallee() == nil && types.Identical(f.site.Common().Signature(), sig) && f.c.reach.isNever(f.site.Common())
}

// zeros are the zero values of results.
func (c *compiler) zeros(results *types.Tuple) (out []value) {
	for k := range results.Len() {
		out = append(out, c.zero(results.At(k).Type()))
	}
	return out
}

// cases runs do for each place that a reference may hold, and once with nil for
// what is outside. nil references must have been dealt with.
func (f *frame) cases(ref *term.Term, h lower.Holds, do func(p *lower.Place)) {
	w := f.c.w
	for k, p := range h.Places {
		if !f.m.Reachable() {
			return
		}
		if k == len(h.Places)-1 && !h.Outside {
			do(p)
			return
		}
		yes, no := f.m.Branch(w.Pool.Eq(ref, w.RefOf(p)))
		f.m.Continue(yes)
		if f.m.Reachable() {
			do(p)
		}
		f.m.Continue(no)
	}
	if f.m.Reachable() {
		do(nil)
	}
}

func (f *frame) joinAt(key string, results *types.Tuple, list []returning) []value {
	saved := f.path
	f.path = key
	out := f.join(results, list, "case")
	f.path = saved
	return out
}

// invoke calls a method of an interface.
func (f *frame) invoke(call *ssa.CallCommon, ref *term.Term, args []value, key string, at token.Pos, again bool) []value {
	w := f.c.w
	h := w.Holds(ref)
	sig := call.Signature()
	if h.Nil {
		f.check(w.Pool.Eq(ref, w.Nil()), "nil", "invalid memory address or nil pointer dereference", at)
	}
	if f.isNever(sig) {
		f.m.Assume(w.Pool.False())
		return f.c.zeros(sig.Results())
	}
	groups, others := f.receivers(ref, h, call.Method)
	groups = f.excludes(ref, groups)
	var list []returning
	for k, g := range groups {
		if !f.m.Reachable() {
			break
		}
		no := -1
		if k < len(groups)-1 || others {
			var here []*term.Term
			for _, p := range g.places {
				here = append(here, w.Pool.Eq(ref, w.RefOf(p)))
			}
			var yes int
			yes, no = f.m.Branch(w.Pool.Or(here...))
			f.m.Continue(yes)
		}
		if f.m.Reachable() {
			out := f.function(g.fn, append([]value{f.receiverOf(g, ref, key)}, args...), nil, nil, key+"/"+g.fn.RelString(nil), at, again)
			list = append(list, returning{f.m.Here(), out})
		}
		f.m.Continue(no)
	}
	if here := f.madeErrors(ref, h); others && len(here) > 0 && call.Method.Name() != "Error" && f.m.Reachable() {
		// What a method of an error that the code made says is nobody's answer.
		yes, no := f.m.Branch(w.Pool.Or(here...))
		if f.m.Continue(yes); f.m.Reachable() {
			out := f.environment(interfaceName(call), call.Method, sig, args, key+"/made", lower.Unmodelled)
			list = append(list, returning{f.m.Here(), out})
		}
		f.m.Continue(no)
	}
	if others && f.m.Reachable() {
		list = append(list, f.openCall(args, true, key, at, again, func() []value {
			f.spoilReceivers(call, ref, groups, key)
			class := lower.Answer
			if f.c.isCoarse() && call.Method.Name() != "Error" && wasError(call.Value, 0) {
				class = lower.Unmodelled // the code may have made it
			}
			return f.environment(interfaceName(call), call.Method, sig, args, key, class)
		})...)
	}
	site := f.site
	out := f.joinAt(key, sig.Results(), list)
	f.cancelled(site, call, out)
	return out
}

// wasError reports whether a value of an interface type is an error, or was one.
func wasError(v ssa.Value, depth int) bool {
	if _, several := v.Type().(*types.Tuple); !several && types.Implements(v.Type(), errorInterface) {
		return true
	}
	if depth > 4 {
		return false
	}
	switch x := v.(type) {
	case *ssa.Extract:
		return wasError(x.Tuple, depth+1)
	case *ssa.TypeAssert:
		return wasError(x.X, depth+1)
	case *ssa.ChangeInterface:
		return wasError(x.X, depth+1)
	case *ssa.Phi:
		return slices.ContainsFunc(x.Edges, func(e ssa.Value) bool { return wasError(e, depth+1) })
	}
	return false
}

// madeErrors says when a reference is to one of the errors that the code makes without methods that are known.
func (f *frame) madeErrors(ref *term.Term, h lower.Holds) (here []*term.Term) {
	for _, p := range h.Places {
		if e, ok := p.Data.(*errorValue); ok && (e.ofOwnType() || e.formatted) {
			here = append(here, f.c.w.Pool.Eq(ref, f.c.w.RefOf(p)))
		}
	}
	return here
}

// A receiving is a method and the objects on which a call of it may be.
type receiving struct {
	fn     *ssa.Function
	places []*lower.Place
}

// receivers returns the methods that a call of a method of an interface may be, and
// whether it may be another one. Objects with one method are one case: to follow it
// for each of them would cost much where such calls are nested.
func (f *frame) receivers(ref *term.Term, h lower.Holds, m *types.Func) (groups []receiving, others bool) {
	others = h.Outside || len(h.Places) == 0
	for _, p := range h.Places {
		var fn *ssa.Function
		e, isError := p.Data.(*errorValue)
		if _, ok := p.Data.(runtimeBox); !ok && !p.Summary && !(isError && e.ofOwnType()) {
			fn = f.c.method(dynamicType(p), m)
		}
		if fn == nil {
			others = true
			if t := f.c.typeOfMany(p); t != nil {
				if fn = f.c.method(t, m); fn != nil {
					groups = append(groups, receiving{fn, []*lower.Place{p}})
				}
			}
			continue
		}
		k := slices.IndexFunc(groups, func(g receiving) bool { return g.fn == fn })
		if k < 0 || p.Data != nil || groups[k].places[0].Data != nil {
			groups = append(groups, receiving{fn, []*lower.Place{p}})
			continue
		}
		groups[k].places = append(groups[k].places, p)
	}
	return groups, others
}

// typeOfMany returns the type, of the component's package, of the values in interfaces that a
// place stands for which is not one object; nil if it is not known. Their methods are followed, with
// any value.
func (c *compiler) typeOfMany(p *lower.Place) types.Type {
	if !p.Summary || p.Key == objectsKey || c.isCoarse() {
		return nil
	}
	p = p.Newest()
	if _, code := p.Data.(closure); code || !c.owns(p) {
		return nil
	}
	if t := dynamicType(p); t != types.Typ[types.Invalid] && !types.IsInterface(t) {
		return t
	}
	return nil
}

// spoilReceivers lets a method of an interface that is not followed change what is in the object whose
// method it is: a writer of another package writes to the one that it was given when it was made. Objects that come from
// clients have nothing of the component's but what it gave them.
func (f *frame) spoilReceivers(call *ssa.CallCommon, ref *term.Term, groups []receiving, key string) {
	c, w := f.c, f.c.w
	if e := c.effectOf(call.Method); !e.changes {
		return
	}
	if c.isCoarse() {
		if f.site != nil && slices.Contains(c.reach.openArgs(f.site), call.Value) {
			f.spoilByType(call.Value.Type(), key)
		}
		return
	}
	var at, is []*term.Term
	h := w.Holds(ref)
	for _, p := range h.Places {
		if _, isError := p.Data.(*errorValue); !isError && !slices.ContainsFunc(groups, func(g receiving) bool { return slices.Contains(g.places, p) }) {
			at, is = append(at, w.RefOf(p)), append(is, w.Pool.Eq(ref, w.RefOf(p)))
		}
	}
	if len(at) == 0 {
		return
	}
	yes, no := f.m.Here(), -1
	if h.Outside || len(at) < len(h.Places) {
		yes, no = f.m.Branch(w.Pool.Or(is...))
	}
	f.m.Continue(yes)
	for k, t := range at {
		f.spoilMet(value{typ: call.Value.Type(), t: []*term.Term{t}}, key+"/receiver"+strconv.Itoa(k))
	}
	if no >= 0 {
		f.m.Join(f.m.Here(), no)
	}
}

// receiverOf is the receiver of a method that a call may be.
func (f *frame) receiverOf(g receiving, ref *term.Term, key string) value {
	if t := g.fn.Params[0].Type(); len(g.places) == 1 && g.places[0].Summary && !isPointer(t) {
		return f.boundEarlier(key+"/unbox"+g.places[0].Key, t)
	}
	if len(g.places) == 1 {
		return f.receiverValue(g.places[0], g.fn, key)
	}
	w := f.c.w
	n := len(g.places) - 1
	which := w.RefOf(g.places[n])
	for k := n - 1; k >= 0; k-- {
		now := w.RefOf(g.places[k])
		which = w.Pool.Ite(w.Pool.Eq(ref, now), now, which)
	}
	v := f.m.Local(key+"/receiver/"+g.fn.RelString(nil), "receiver", f.c.refType())
	f.m.Set(v, which)
	t := g.fn.Params[0].Type()
	return value{typ: t, at: &address{ref: v.Term, elem: deref(t)}}
}

func interfaceName(call *ssa.CallCommon) string {
	return types.TypeString(call.Value.Type(), nil) + "." + call.Method.Name()
}

// receiverValue is the receiver of a method of the value in an interface.
func (f *frame) receiverValue(p *lower.Place, fn *ssa.Function, key string) value {
	w := f.c.w
	t := fn.Params[0].Type()
	if _, ok := p.Data.(typedNil); ok {
		return f.c.zero(t)
	}
	if _, ok := p.Data.(boxed); ok {
		return f.load(key+"/unbox"+p.Key, &address{ref: w.RefOf(p), elem: t}, t)
	}
	return value{typ: t, at: &address{ref: w.RefOf(p), elem: deref(t)}}
}

// method finds a method of a type.
func (c *compiler) method(t types.Type, m *types.Func) *ssa.Function {
	if t == types.Typ[types.Invalid] || types.IsInterface(t) {
		return nil
	}
	sel := c.l.prog.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
	if sel == nil || !c.alike(sel.Type(), m.Type()) {
		return nil
	}
	return c.l.prog.MethodValue(sel)
}

// alike reports whether two methods of one name can be called in the same way. A
// type that is not the one of an interface may have a method of that name too.
func (c *compiler) alike(s, t types.Type) bool {
	a, ok := s.(*types.Signature)
	b, same := t.(*types.Signature)
	if !ok || !same {
		return false
	}
	tuples := func(x, y *types.Tuple) bool {
		if x.Len() != y.Len() {
			return false
		}
		for k := range x.Len() {
			// Not types.Identical: one may be of a generic type, the other of an instance.
			if len(c.leaves(x.At(k).Type())) != len(c.leaves(y.At(k).Type())) {
				return false
			}
		}
		return true
	}
	return tuples(a.Params(), b.Params()) && tuples(a.Results(), b.Results())
}

// function calls a known function.
func (f *frame) function(fn *ssa.Function, args, binds []value, from []ssa.Value, key string, at token.Pos, again bool) []value {
	if out, done := f.intrinsic(fn, args, from, key, at); done {
		return out
	}
	if f.receiverCheck(fn, args, at); !f.m.Reachable() {
		return f.c.zeros(fn.Signature.Results())
	}
	if f.c.isFar(fn) && len(fn.Blocks) > 0 && !f.c.replaced(fn) {
		if !f.c.l.owns(packageOf(fn)) {
			f.c.cut[fn] = true
			if f.site != nil {
				if all, ok := f.c.rel.runs(f.site); ok {
					f.spoilWritten(all.at, &all, key+"/runs")
				}
			}
			return f.valueOrError(fn, f.environment(fn.RelString(nil), originOf(fn).Object(), fn.Signature, args, key, f.c.farClass(fn, f.site)))
		}
		return f.valueOrError(fn, f.far(fn, key))
	}
	if f.c.replaced(fn) {
		f.c.cut[fn] = true
		return f.environment(fn.RelString(nil), originOf(fn).Object(), fn.Signature, args, key, lower.Answer)
	}
	if why := f.notInlined(fn, args, binds); why != "" {
		f.startsWithin(fn)
		if may := f.mayPanicUnseen(fn, args, binds); may != unseenNever && !(why == recursive && f.isReached(fn) && f.deeper(fn, args, binds, key)) {
			f.unfollowed(fn, key, at, may == unseenCheck)
		}
		f.spoilLeft(fn, key)
		if !f.c.l.owns(packageOf(fn)) {
			f.c.cut[fn] = true
			f.c.convention(conventionEnvironment)
			f.c.w.Approximate(f.pos(at), "call of %s is the environment's: %s", functionName(fn), why)
			f.writes = f.c.reach.effectsOf(fn)
			f.spoilBound(binds, key)
			class := lower.Answer
			if why == nestedAbroad {
				class = f.c.farClass(fn, f.site)
			}
			out := f.environment(fn.RelString(nil), fn.Object(), fn.Signature, args, key, class)
			f.writes = nil
			return f.valueOrError(fn, out)
		}
		f.c.w.Approximate(f.pos(at), "call of %s is not followed: %s", fn.RelString(f.c.l.pkg.Pkg), why)
		f.writes, f.left = f.c.reach.effectsOf(fn), fn
		if f.c.isCoarse() && why == recursive {
			f.writes = &modified{} // what its code may write, and what that calls, is spoiled already
		}
		defer func() { f.writes, f.left = nil, nil }()
		f.spoilShared(key)
		f.spoilBound(binds, key)
		return f.valueOrError(fn, f.environment(fn.RelString(nil), fn.Object(), fn.Signature, args, key, lower.Unmodelled))
	}
	child := key + ">"
	f.c.pending = append(f.c.pending, fn)
	out := f.c.inline(f, child, fn, args, binds, f.again || again)
	f.c.pending = f.c.pending[:len(f.c.pending)-1]
	return out
}

// receiverCheck is the check of a call of a method that is not followed and that dereferences its
// receiver.
func (f *frame) receiverCheck(fn *ssa.Function, args []value, at token.Pos) {
	i, ok := f.site.(*ssa.Call)
	if !ok || i != f.instr || len(args) == 0 || args[0].missing != "" || f.c.reach == nil || f.c.reach.notNilIn(i) == nil || i.Call.StaticCallee() != fn {
		return
	}
	f.refCheck(f.ref(args[0]), at)
}

// spoilBound lets a function that is not followed change what it has bound.
func (f *frame) spoilBound(binds []value, key string) {
	for n, b := range binds {
		f.spoil(b, key+"/bound"+strconv.Itoa(n))
	}
}

// originOf returns the generic function of an instance.
func originOf(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// direct reports whether no function of the component's package stands between the
// client and the code at hand: a promoted method, or a call on an object of another
// package.
func (f *frame) direct() bool {
	for g := f; g != nil; g = g.up {
		if g.fn == nil || f.c.l.owns(packageOf(g.fn)) && g.fn.Synthetic == "" {
			return false
		}
	}
	return true
}

// unfollowed is a panic that a call which is not followed may or may not raise.
func (f *frame) unfollowed(fn *ssa.Function, key string, at token.Pos, implicit bool) {
	guess := f.any(key+"/panics", leaf{typ: boolType}, lower.Unmodelled)
	yes, no := f.m.Branch(guess)
	f.m.Continue(yes)
	f.panics(f.c.near(f.fn, at), "panic", "call of "+fn.RelString(f.c.l.pkg.Pkg)+" is not followed and may panic", nil, implicit)
	f.m.Continue(no)
}

// mayPanic reports whether the code of a function, or of one that it calls,
// panics or ends the process; what is nested deeper than depth may.
func (c *compiler) mayPanic(fn *ssa.Function, depth int) bool {
	if r, ok := c.panicking[fn]; ok {
		return r
	}
	if len(fn.Blocks) == 0 {
		return fn.Name() == "throw" || fn.Name() == "fatal"
	}
	if depth == 0 {
		return true
	}
	c.panicking[fn] = false // while it is looked at
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Panic:
				if i.Pos().IsValid() {
					c.panicking[fn] = true
				}
			case ssa.CallInstruction:
				if deferredPanic(i) != nil {
					c.panicking[fn] = true
				}
				if g := i.Common().StaticCallee(); g != nil && c.mayPanic(g, depth-1) {
					c.panicking[fn] = true
				}
			}
			if c.panicking[fn] {
				return true
			}
		}
	}
	return false
}

// nestedAbroad is why a call is not followed that is otherwise: what it returns may be decided by the
// component's state, and is then no answer.
const nestedAbroad = "calls of other packages are nested too deeply"

// notInlined says why a function is not inlined; "" if it is.
func (f *frame) notInlined(fn *ssa.Function, args, binds []value) string {
	switch {
	case len(fn.Blocks) == 0:
		return "it has no Go body"
	case f.depth >= maxDepth:
		return "calls are nested too deeply"
	case f.c.work >= f.c.maxWork && !f.c.isTiny(fn, maxTiny):
		return "the method is too large"
	}
	if f.c.isRecursive(fn) {
		return recursive
	}
	switch f.c.chosen(fn) {
	case follow:
		return ""
	case leave:
		return "-inline says so"
	}
	if f.c.l.owns(packageOf(fn)) || fn.Synthetic != "" && fn.Pkg == nil && fn.Origin() == nil {
		return ""
	}
	abroad := 0
	for g := f; g != nil && !f.c.l.owns(packageOf(g.fn)); g = g.up {
		abroad += abroadBy(g.fn)
	}
	if abroad >= maxAbroad && abroadBy(fn) > 0 {
		return nestedAbroad
	}
	n, loops := f.c.size(fn)
	if n <= cheapSize && !loops && !f.c.hasState(fn) {
		return ""
	}
	if n <= takesSize && (f.given(args, binds) || f.c.isCoarse()) && f.isReached(fn) {
		return ""
	}
	return "it is of another package"
}

// isReached reports whether what is relevant was found with the call at hand of a function in
// mind. By types it is less often known than here that an object is the component's: pointers
// to its fields are converted to those of other types.
func (f *frame) isReached(fn *ssa.Function) bool {
	return f.c.rel == nil || f.site == nil || slices.Contains(f.c.reach.targets[f.site], fn)
}

// given reports whether some argument is an object of a type of the component's
// package, or code of it.
func (f *frame) given(args, binds []value) bool {
	for _, list := range [][]value{args, binds} {
		for _, v := range list {
			if v.fn != nil {
				if f.c.l.owns(packageOf(v.fn)) {
					return true
				}
				continue
			}
			if v.at != nil && v.at.element || v.missing != "" {
				continue
			}
			ts := f.terms(v)
			for k, l := range f.c.leaves(v.typ) {
				if l.ref && k < len(ts) {
					for _, p := range f.c.w.Holds(ts[k]).Places {
						if !p.Summary && f.c.owns(p) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// owns reports whether a place is an object or function of the component's
// package.
func (c *compiler) owns(p *lower.Place) bool {
	if d, ok := p.Data.(closure); ok {
		return c.l.owns(packageOf(d.fn))
	}
	p = p.Root()
	n, ok := p.Type.(*types.Named)
	if t, typed := p.Type.(*types.Pointer); typed && p.Data != nil {
		n, ok = t.Elem().(*types.Named) // a pointer in a box
	}
	return p.Key == receiverKey || ok && c.l.owns(n.Obj().Pkg()) && !p.Const
}

// size returns the number of instructions of a function and whether it has loops.
func (c *compiler) size(fn *ssa.Function) (n int, loops bool) {
	for _, b := range fn.Blocks {
		n += len(b.Instrs)
		for _, s := range b.Succs {
			if s.Dominates(b) {
				loops = true
			}
		}
	}
	return n, loops
}

// isTiny reports whether a function does so little that calls of it are followed however large the
// method is: setting a flag, or asking for one.
func (c *compiler) isTiny(fn *ssa.Function, depth int) bool {
	n, loops := c.size(fn)
	if n > tinySize || loops || depth == 0 {
		return false
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if _, builtin := call.Common().Value.(*ssa.Builtin); builtin {
				continue
			}
			if g := call.Common().StaticCallee(); g == nil || len(g.Blocks) > 0 && !c.isTiny(g, depth-1) {
				return false
			}
		}
	}
	return true
}

func (f *frame) builtin(b *ssa.Builtin, call *ssa.CallCommon, key string, at token.Pos) []value {
	p, w := f.c.w.Pool, f.c.w
	one := func(t types.Type, ts ...*term.Term) []value { return []value{{typ: t, t: ts}} }
	integer := types.Typ[types.Int]
	arg := func(i int) value { return f.val(call.Args[i]) }
	switch b.Name() {
	case "len", "cap":
		t := call.Args[0].Type().Underlying()
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem().Underlying()
		}
		switch u := t.(type) {
		case *types.Slice:
			x := f.terms(arg(0))
			if len(x) == 3 {
				if b.Name() == "len" {
					return one(integer, x[1])
				}
				return one(integer, x[2])
			}
		case *types.Basic:
			if x := f.terms(arg(0)); len(x) > 0 {
				return one(integer, x[0]) // not which text it is
			}
		case *types.Array:
			return one(integer, p.Int(64, u.Len()))
		case *types.Map:
			return one(integer, f.mapLen(key, f.ref(arg(0))))
		case *types.Chan:
			// How many values are waiting is not followed, but none are in one that is nil.
			yes, no := f.m.Branch(p.Eq(f.ref(arg(0)), w.Nil()))
			list := []returning{{yes, one(integer, p.Int(64, 0))}}
			if f.m.Continue(no); f.m.Reachable() {
				n := f.anyNatural(key, integer)
				list = append(list, returning{f.m.Here(), []value{n}})
			}
			return f.joinAt(key, types.NewTuple(types.NewVar(token.NoPos, nil, "", integer)), list)
		}
		return []value{f.anyNatural(key, integer)}
	case "append":
		return []value{f.appends(call, key)}
	case "copy":
		dst, src := f.terms(arg(0)), f.terms(arg(1))
		n := dst[1]
		s := src[0]
		if len(src) == 3 {
			s = src[1]
		}
		return one(integer, f.chosen(key, "n", p.Ite(p.SLt(s, n), s, n)))
	case "close":
		f.closeChan(f.ref(arg(0)), at)
		return nil
	case "delete":
		f.resizeMap(f.ref(arg(0)), key, false)
		return nil
	case "clear":
		f.clears(arg(0))
		return nil
	case "min", "max":
		t := call.Args[0].Type()
		x := f.terms(arg(0))
		if len(x) == 1 && x[0].Sort().Kind == term.BitVecKind && f.c.leaves(t)[0].path == "" {
			r := x[0]
			for k := range call.Args[1:] {
				y := f.terms(arg(k + 1))[0]
				if b.Name() == "min" {
					r = p.Ite(less(p, y, r, isUnsigned(t)), y, r)
				} else {
					r = p.Ite(less(p, r, y, isUnsigned(t)), y, r)
				}
			}
			return one(t, f.chosen(key, b.Name(), r))
		}
		return []value{f.anyValue(key, t, lower.Unmodelled)}
	case "print", "println":
		return nil
	case "recover":
		return []value{f.recovers(key, b.Type().(*types.Signature).Results().At(0).Type())}
	case "ssa:wrapnilchk":
		v := arg(0)
		f.nilCheck(f.address(v), at)
		return []value{v}
	case "ssa:deferstack":
		return []value{f.c.zero(call.Signature().Results().At(0).Type())}
	case "real", "imag", "complex":
		return []value{{typ: call.Signature().Results().At(0).Type()}}
	}
	// unsafe.Add, Slice, String...
	w.Approximate(f.m.Pos(), "built-in function %s", b.Name())
	var out []value
	res := call.Signature().Results()
	for i := range res.Len() {
		out = append(out, f.anyValue(key+strconv.Itoa(i), res.At(i).Type(), lower.Unmodelled))
	}
	return out
}

// clears empties a map.
func (f *frame) clears(v value) {
	if _, ok := v.typ.Underlying().(*types.Map); ok {
		f.m.Store(f.ref(v), lenPath, intType, f.c.w.Pool.Int(64, 0))
	}
}

// chosen gives a name to one of several numbers: what is found out about it later
// is said of one variable then, not of each case.
func (f *frame) chosen(key, name string, t *term.Term) *term.Term {
	if t.Op() != term.OpIte {
		return t
	}
	w := t.Sort().Width
	v := f.m.Local(key+"/chosen", name, prog.Type{Sort: term.BV(w), Signed: true})
	f.m.Set(v, t)
	return v.Term
}

func (f *frame) anyNatural(key string, t types.Type) value {
	return value{typ: t, t: []*term.Term{f.any(key, leaf{typ: intType, nat: true}, lower.Unmodelled)}}
}

// appends is append: the length is the sum, the capacity at least that.
func (f *frame) appends(call *ssa.CallCommon, key string) value {
	p, w := f.c.w.Pool, f.c.w
	t := call.Args[0].Type()
	x := f.terms(f.val(call.Args[0]))
	if len(call.Args) < 2 || len(x) != 3 {
		return f.val(call.Args[0])
	}
	more := f.val(call.Args[1])
	y := f.terms(more)
	n := y[0]
	if len(y) == 3 {
		n = y[1]
	}
	f.escapeElements(call.Args[1])
	sum := p.Add(x[1], n)
	f.m.Assume(f.c.natural(sum))
	k := f.any(key+"/cap", leaf{typ: intType, nat: true}, lower.Unmodelled)
	fits := p.SLe(sum, x[2])
	f.m.Assume(p.Ite(fits, p.Eq(k, x[2]), p.SLe(sum, k)))
	ref := p.Ite(p.And(p.Eq(x[0], w.Nil()), p.Eq(n, p.Int(64, 0))), w.Nil(), w.Outside())
	return value{typ: t, t: []*term.Term{ref, sum, k}}
}

// escapeElements records that the values put into a slice are not followed. The
// values themselves were stored into the slice's array, element by element.
func (f *frame) escapeElements(ssa.Value) {}

// inline lowers the body of a function in place.
func (c *compiler) inline(up *frame, path string, fn *ssa.Function, args, binds []value, again bool) []value {
	return c.callAgain(up.m, up, path, fn, args, binds, again)
}

var _ = fmt.Sprintf
var _ prog.Pos
