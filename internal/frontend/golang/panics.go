// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers panics, deferred calls and recover. go/ssa has no edges for
// panics: a panic goes to the nearest function above it that defers something
// which recovers; if there is none it is an error site. Deferred calls that
// cannot recover do not change that the call errs, so they are not run then.
// Values of panics are in panicvalues.go.

import (
	"fmt"
	"go/constant"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A deferred is a defer statement of a function.
type deferred struct {
	call  *ssa.Defer
	args  []value
	fn    value
	ref   *term.Term // of the interface, for a method of one
	flag  *prog.Var  // whether it was reached; nil: always
	again bool
}

// A catcher is a function that may recover.
type catcher struct {
	loc     int       // where panics below it go
	flag    *prog.Var // panicking
	what    *prog.Var // the value of the panic
	entered bool
}

// prepareCatch makes the place where panics go, if the function may recover.
func (f *frame) prepareCatch() {
	if f.fn.Recover == nil || !f.c.mayRecover(f.fn) {
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
	if f.m.Reachable() {
		yes, no := f.m.Branch(f.catch.flag.Term)
		f.m.Continue(yes)
		f.rethrow(f.catch, f.pos(f.fn.Pos()), "panic that is not recovered")
		f.m.Continue(no)
	}
	if f.m.Reachable() {
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
			if g := d.Call.StaticCallee(); g != nil && callsRecover(g) {
				c.recovering[fn] = true
			}
		}
	}
	return c.recovering[fn]
}

func callsRecover(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(ssa.CallInstruction); ok {
				if b, ok := call.Common().Value.(*ssa.Builtin); ok && b.Name() == "recover" {
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
	if g := f.up; g != nil && g.catch != nil && g.catch.entered {
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
	d := &deferred{call: i, again: f.looping[i.Block()]}
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
	d.flag = f.m.Local(f.path+"/defer"+strconv.Itoa(len(target.defers)), "deferred", boolType)
	f.m.Set(d.flag, f.c.w.Pool.True())
	target.defers = append(target.defers, d)
}

func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil && strings.Contains(fn.Synthetic, "range-over-func") {
		fn = fn.Parent()
	}
	return fn
}

// runDefers runs the deferred calls, the last first. A call that may not have
// been deferred is run if it was.
func (f *frame) runDefers() {
	w := f.c.w
	for k := len(f.defers) - 1; k >= 0 && f.m.Reachable(); k-- {
		d := f.defers[k]
		yes, no := f.m.Branch(d.flag.Term)
		f.m.Continue(yes)
		f.m.Set(d.flag, w.Pool.False())
		if d.again {
			// How often is not known: any number of times, here once or not.
			w.Approximate(f.pos(d.call.Pos()), "defer in a loop")
		}
		key := f.path + "/defer" + strconv.Itoa(k) + "@" + strconv.Itoa(f.m.Here())
		key = f.path + "/rundefer" + strconv.Itoa(k)
		if f.catch != nil && f.catch.entered {
			key += "!"
		}
		common := &d.call.Call
		f.site, f.instr = d.call, d.call
		switch b, builtin := common.Value.(*ssa.Builtin); {
		case common.IsInvoke():
			f.invoke(common, d.ref, d.args, key, d.call.Pos(), false)
		case builtin:
			f.deferredBuiltin(b, d, key)
		default:
			f.apply(d.fn, common.Signature(), d.args, common.Args, key, d.call.Pos(), false)
		}
		f.m.Join(f.m.Here(), no)
	}
}

func (f *frame) deferredBuiltin(b *ssa.Builtin, d *deferred, key string) {
	switch b.Name() {
	case "close":
		f.closeChan(f.ref(d.args[0]), d.call.Pos())
	case "delete":
		f.resizeMap(f.ref(d.args[0]), key, false)
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
