// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers panics, deferred calls and recover. go/ssa has no edges for
// panics: a panic goes to the nearest function above it that defers something, if
// this or one above it may recover; there what was deferred is run, and if nothing of
// that recovered, the panic goes on. If nobody may recover, it is an error site, and
// deferred calls are not run: they do not change that the call errs.
// Values of panics are in panicvalues.go.

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A deferred is a defer statement of a function.
type deferred struct {
	call *ssa.Defer
	args []value
	fn   value
	ref  *term.Term // of the interface, for a method of one
	flag *prog.Var  // whether it was reached

	again  bool   // it is in a loop, and may be deferred several times
	varies []bool // whether the function and the arguments may differ from time to time
	binds  []bool // and what the function has bound
}

// A catcher is a function in which panics stop: it may recover, or it defers something
// and is called by one that may.
type catcher struct {
	loc     int       // where panics below it go; -1: they pass it by
	flag    *prog.Var // panicking
	what    *prog.Var // the value of the panic
	entered bool
}

// prepareCatch makes the place where panics go, if the function may recover, or is left
// by panics that are recovered above it. (Where panics may be anywhere, those arrive above
// with everything written that may be written below.)
func (f *frame) prepareCatch() {
	if f.fn.Recover == nil || !f.c.mayRecover(f.fn) && (f.c.isCoarse() || f.catching() == nil) {
		return
	}
	f.catch = &catcher{loc: f.m.New(), flag: f.m.Local(f.path+"/panicking", "panicking", boolType), what: f.m.Local(f.path+"/panic", "panic", f.c.refType())}
	f.m.Set(f.catch.flag, f.c.w.Pool.False())
	f.m.Set(f.catch.what, f.c.w.Nil())
	f.wild = -1
	if f.c.isCoarse() && f.m.Reachable() {
		var go1 int
		f.wild, go1 = f.m.Branch(f.any(f.path+"/panics anywhere", leaf{typ: boolType}, lower.Unmodelled))
		f.m.Continue(go1)
	}
	f.incoming[f.fn.Blocks[0]] = []arrival{{f.m.Here(), nil}}
}

// finishCatch runs the deferred calls of a panicking function, and goes on in
// its recover block if one of them recovered.
func (f *frame) finishCatch() {
	if f.catch == nil {
		return
	}
	f.mayPanicAnywhere(f.wild)
	f.catch.entered = true
	f.m.Continue(f.catch.loc)
	f.runDefers()
	f.catch.loc = -1
	if f.m.Reachable() {
		yes, no := f.m.Branch(f.catch.flag.Term)
		f.m.Continue(yes)
		f.rethrow(f.catch, f.pos(f.fn.Pos()), "panic that is not recovered")
		f.m.Continue(no)
	}
	if f.m.Reachable() && f.c.mayRecover(f.fn) {
		f.instructions(f.fn.Recover)
	}
}

// mayRecover reports whether a function defers something that calls recover.
func (c *compiler) mayRecover(fn *ssa.Function) bool {
	if r, ok := c.recovering[fn]; ok {
		return r
	}
	c.recovering[fn] = false
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			d, ok := i.(*ssa.Defer)
			if !ok {
				continue
			}
			if b, ok := d.Call.Value.(*ssa.Builtin); ok && b.Name() == "recover" {
				c.recovering[fn] = true
			}
			for _, g := range c.deferredBy(d) {
				if callsRecover(g) {
					c.recovering[fn] = true
				}
			}
		}
	}
	return c.recovering[fn]
}

// deferredBy returns the functions that a defer statement may defer.
func (c *compiler) deferredBy(d *ssa.Defer) []*ssa.Function {
	if g := d.Call.StaticCallee(); g != nil {
		return []*ssa.Function{g}
	}
	if c.reach == nil {
		return nil
	}
	return c.reach.targets[d]
}

// isWrapper reports whether a function only calls a method, as that of a method value or of
// an embedded field: recover takes no notice of it.
func isWrapper(fn *ssa.Function) bool {
	return fn.Synthetic != "" && !isBody(fn) && fn.Syntax() == nil && fn.Origin() == nil
}

// callsRecover reports whether a function calls recover itself.
func callsRecover(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(ssa.CallInstruction); ok {
				if b, ok := call.Common().Value.(*ssa.Builtin); ok && b.Name() == "recover" {
					return true
				}
				if g := call.Common().StaticCallee(); g != nil && isWrapper(fn) && callsRecover(g) {
					return true
				}
			}
		}
	}
	return false
}

// recovers is the built-in recover: it ends the panic of the function that
// deferred the caller.
func (f *frame) recovers(key string, t types.Type) value {
	w := f.c.w
	g := f.up
	for g != nil && isWrapper(g.fn) {
		g = g.up
	}
	if g != nil && g.catch != nil && g.catch.entered {
		was := f.m.Local(key+"/was", "recovered", boolType)
		f.m.Set(was, g.catch.flag.Term)
		f.m.Set(g.catch.flag, w.Pool.False())
		what := f.m.Local(key+"/what", "recovered", f.c.refType())
		f.m.Set(what, w.Pool.Ite(was.Term, g.catch.what.Term, w.Nil()))
		return value{typ: t, t: []*term.Term{what.Term}}
	}
	return f.c.zero(t)
}

func (f *frame) deferCall(i *ssa.Defer) {
	d := &deferred{call: i, again: f.looping[i.Block()] || i.DeferStack != nil && f.again}
	target := f
	if i.DeferStack != nil {
		// A defer in the body of a range over a function belongs to the
		// function around it.
		for g := f; g != nil; g = g.up {
			if g.fn == outermost(f.fn) {
				target = g
			}
		}
	}
	if i.Call.IsInvoke() {
		d.ref = f.ref(f.val(i.Call.Value))
	} else if _, builtin := i.Call.Value.(*ssa.Builtin); !builtin {
		d.fn = f.val(i.Call.Value)
	}
	for _, a := range i.Call.Args {
		v := f.val(a)
		if v.missing == "" {
			v.t = f.terms(v)
		}
		d.args = append(d.args, v)
	}
	d.varies = []bool{d.again && f.mayVary(i.Call.Value)}
	for _, a := range i.Call.Args {
		d.varies = append(d.varies, d.again && f.mayVary(a))
	}
	if m, ok := i.Call.Value.(*ssa.MakeClosure); ok {
		for _, b := range m.Bindings {
			d.binds = append(d.binds, d.again && f.mayVary(b))
		}
	}
	d.flag = f.m.Local(f.path+"/defer"+strconv.Itoa(len(target.defers)), "deferred", boolType)
	f.m.Set(d.flag, f.c.w.Pool.True())
	target.defers = append(target.defers, d)
}

// mayVary reports whether a value of a function may differ from round to round of a loop,
// or from one run of the body of a range over a function to the next.
func (f *frame) mayVary(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Global, *ssa.Builtin:
		return false
	case *ssa.Parameter:
		return isBody(f.fn)
	case *ssa.FreeVar:
		// The body is made where the range is; it sees the variables around it.
		p := f.fn.Parent()
		if !isBody(f.fn) {
			return false
		}
		if isBody(p) {
			return true
		}
		for _, r := range p.Blocks {
			for _, i := range r.Instrs {
				if m, ok := i.(*ssa.MakeClosure); ok && m.Fn == ssa.Value(f.fn) && f.c.loopBlocks(p)[r] {
					return true
				}
			}
		}
		return false
	case ssa.Instruction:
		return isBody(f.fn) || f.looping[v.Block()]
	}
	return true
}

// isBody reports whether a function is the body of a range over a function.
func isBody(fn *ssa.Function) bool {
	return strings.Contains(fn.Synthetic, "range-over-func")
}

func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil && isBody(fn) {
		fn = fn.Parent()
	}
	return fn
}

// runDefers runs the deferred calls, the last first. A call that may not have
// been deferred is run if it was. A call that panics while the function is left by a
// panic already takes its place: what was deferred before is run all the same.
func (f *frame) runDefers() {
	for k := len(f.defers) - 1; k >= 0 && f.m.Reachable(); k-- {
		first := k
		for first > 0 && f.defers[k].again && f.defers[first-1].again {
			first--
		}
		if first < k {
			f.runMixed(first, k)
			k = first
			continue
		}
		yes, no := f.m.Branch(f.defers[k].flag.Term)
		f.m.Continue(yes)
		f.runDeferred(k)
		if f.defers[k].again {
			f.anyTimes(k, func() { f.runDeferred(k) })
			f.m.Set(f.defers[k].flag, f.c.w.Pool.False())
		}
		f.m.Join(f.m.Here(), no)
	}
}

// runMixed runs calls that several statements in loops deferred: any number of times, in any
// order, those that were deferred at all.
func (f *frame) runMixed(first, last int) {
	f.anyTimes(last, func() {
		for k := first; k <= last; k++ {
			guess := f.any(f.path+"/mixed"+strconv.Itoa(k), leaf{typ: boolType}, lower.Unmodelled)
			yes, no := f.m.Branch(f.c.w.Pool.And(f.defers[k].flag.Term, guess))
			f.m.Continue(yes)
			f.runDeferred(k)
			f.m.Join(f.m.Here(), no)
		}
	})
	for k := first; k <= last; k++ {
		f.m.Set(f.defers[k].flag, f.c.w.Pool.False())
	}
}

// anyTimes does something any number of times, which is not known: how often a loop deferred
// a call is not counted.
func (f *frame) anyTimes(k int, do func()) {
	if !f.m.Reachable() {
		return
	}
	f.c.w.Approximate(f.pos(f.defers[k].call.Pos()), "defer in a loop")
	head := f.m.New()
	f.m.Goto(head)
	f.m.Continue(head)
	more, done := f.m.Branch(f.any(f.deferKey(k)+"/more", leaf{typ: boolType}, lower.Unmodelled))
	f.m.Continue(more)
	do()
	f.m.Goto(head)
	f.m.Continue(done)
}

func (f *frame) deferKey(k int) string {
	key := f.path + "/rundefer" + strconv.Itoa(k)
	if f.catch != nil && f.catch.entered {
		key += "!"
	}
	return key
}

// runDeferred runs a deferred call. A panic of it, while the function is left by another,
// goes on after it.
func (f *frame) runDeferred(k int) {
	if !f.m.Reachable() {
		return
	}
	d := f.defers[k]
	after := -1
	if f.catch != nil && f.catch.entered {
		after = f.m.New()
		f.catch.loc = after
	}
	if !d.again {
		f.m.Set(d.flag, f.c.w.Pool.False())
	}
	key := f.deferKey(k)
	common := &d.call.Call
	f.site, f.instr = d.call, d.call
	switch b, builtin := common.Value.(*ssa.Builtin); {
	case common.IsInvoke():
		ref := d.ref
		if d.varies[0] {
			ref = f.boundEarlier(key+"/earlier", common.Value.Type()).t[0]
		}
		f.invoke(common, ref, f.earlier(d, key), key, d.call.Pos(), d.again)
	case builtin:
		f.deferredBuiltin(b, d, f.earlier(d, key), key)
	default:
		fn := d.fn
		if d.varies[0] {
			fn = f.earlierFunc(d, key)
		}
		f.apply(fn, common.Signature(), f.earlier(d, key), common.Args, key, d.call.Pos(), d.again)
	}
	if after >= 0 {
		f.m.Goto(after)
		f.m.Continue(after)
	}
}

// earlier returns the arguments of a deferred call: those that differ between the rounds of a
// loop are any values.
func (f *frame) earlier(d *deferred, key string) []value {
	args := slices.Clone(d.args)
	for n, a := range d.call.Call.Args {
		if d.varies[n+1] {
			args[n] = f.boundEarlier(key+"/earlier"+strconv.Itoa(n), a.Type())
		}
	}
	return args
}

// earlierFunc is the function of such a call. One that is made in the loop has bound other values
// in each round.
func (f *frame) earlierFunc(d *deferred, key string) value {
	m, ok := d.call.Call.Value.(*ssa.MakeClosure)
	if !ok {
		return f.boundEarlier(key+"/earlier", d.call.Call.Value.Type())
	}
	fn := d.fn
	fn.binds = slices.Clone(fn.binds)
	for n, b := range m.Bindings {
		if n < len(fn.binds) && d.binds[n] {
			fn.binds[n] = f.boundEarlier(key+"/bound"+strconv.Itoa(n), b.Type())
		}
	}
	return fn
}

func (f *frame) deferredBuiltin(b *ssa.Builtin, d *deferred, args []value, key string) {
	switch b.Name() {
	case "close":
		f.closeChan(f.ref(args[0]), d.call.Pos())
	case "delete":
		f.resizeMap(f.ref(args[0]), key, false)
	case "clear":
		f.clears(args[0])
	case "panic":
		x := d.call.Call.Args[0]
		f.panics(f.pos(d.call.Pos()), "panic", f.message(x), f.ref(args[0]), false)
	}
}

// lateDefers runs what was deferred only by the bodies of ranges over functions:
// then go/ssa emits no RunDefers.
func (f *frame) lateDefers() {
	if len(f.defers) == 0 {
		return
	}
	for _, d := range f.defers {
		if d.call.DeferStack == nil {
			return
		}
	}
	f.runDefers()
}

// message is the text of what is panicked with.
func (f *frame) message(x ssa.Value) string {
	switch x := x.(type) {
	case *ssa.MakeInterface:
		return f.message(x.X)
	case *ssa.ChangeInterface:
		return f.message(x.X)
	case *ssa.Const:
		if x.Value != nil && x.Value.Kind() == constant.String {
			return constant.StringVal(x.Value)
		}
		if x.Value != nil {
			return x.Value.String()
		}
	case *ssa.BinOp:
		return f.message(x.X) + f.message(x.Y)
	case *ssa.Call:
		if g := x.Call.StaticCallee(); g != nil && len(x.Call.Args) > 0 {
			switch g.RelString(nil) {
			case "fmt.Sprintf", "fmt.Errorf", "errors.New":
				return f.message(x.Call.Args[0])
			}
		}
	case *ssa.UnOp:
		if g, ok := x.X.(*ssa.Global); ok {
			if e := f.c.sentinel(g); e != nil {
				return e.message
			}
			return g.Name()
		}
	}
	if v, ok := f.vals[x]; ok && v.missing == "" {
		if t := f.terms(v); len(t) == 1 && t[0].Sort() == f.c.w.RefSort {
			if h := f.c.w.Holds(t[0]); len(h.Places) == 1 && !h.Outside {
				return f.messageAt(h.Places[0])
			}
		}
	}
	return anyText
}

// anyText stands for a part of a message that is not constant.
const anyText = "…"

var _ = fmt.Sprint
