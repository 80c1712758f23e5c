// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the functions of the standard library that are known instead of
// followed: they have no Go body, or their bodies say nothing about a program
// with one goroutine.

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// An intrinsic lowers a call. from are the SSA arguments, if they are known.
type intrinsic func(f *frame, fn *ssa.Function, args []value, from []ssa.Value, key string, at token.Pos) []value

func (f *frame) intrinsic(fn *ssa.Function, args []value, from []ssa.Value, key string, at token.Pos) ([]value, bool) {
	pkg := packageOf(fn)
	if pkg == nil {
		return nil, false
	}
	own := f.c.l.owns(pkg)
	name := fn.RelString(nil)
	if o := fn.Origin(); o != nil {
		name = o.RelString(nil)
	}
	switch pkg.Path() {
	case "sync/atomic", "internal/runtime/atomic":
		if len(fn.Blocks) == 0 || pkg.Path() == "internal/runtime/atomic" {
			if out, ok := f.atomic(fn, args, key); ok {
				return out, true
			}
		}
	}
	if len(fn.Blocks) == 0 {
		switch base := fn.Name(); {
		case base == "throw" || base == "fatal":
			f.fatal(f.pos(at), f.argMessage(from, 0))
			return nil, true
		}
	}
	do, ok := f.c.intrinsics[name]
	if name == "errors.As" {
		do, ok = asError, true // it is an environment that assigns, and not of every error
	}
	if !ok || own && !always[name] {
		return nil, false
	}
	return do(f, fn, args, from, key, at), true
}

// always are the intrinsics that hold in their own package too.
var always = map[string]bool{"errors.New": true, "fmt.Errorf": true, "os.Exit": true, "runtime.Goexit": true}

// newIntrinsics returns the functions that are known instead of followed. They are
// not a variable: they refer to code that asks which they are.
func newIntrinsics() map[string]intrinsic {
	return map[string]intrinsic{
		// It hides a pointer from the compiler's escape analysis.
		"internal/abi.NoEscape": sameValue,

		"errors.New": newError,
		"fmt.Errorf": formatError,
		"errors.Is":  isError,

		"errors.Unwrap": unwrapError,

		"errors.AsType": asError,

		"(*sync.Mutex).Lock":       locking,
		"(*sync.Mutex).Unlock":     locking,
		"(*sync.Mutex).TryLock":    locking,
		"(*sync.RWMutex).Lock":     locking,
		"(*sync.RWMutex).Unlock":   locking,
		"(*sync.RWMutex).TryLock":  locking,
		"(*sync.RWMutex).RLock":    locking,
		"(*sync.RWMutex).RUnlock":  locking,
		"(*sync.RWMutex).TryRLock": locking,
		"(*sync.Cond).Wait":        condWait,
		"(*sync.WaitGroup).Add":    waitGroup,
		"(*sync.WaitGroup).Done":   waitGroup,
		"(*sync.WaitGroup).Wait":   waitGroup,
		"(*sync.WaitGroup).Go":     waitGroup,

		"(*sync/atomic.Value).Load": func(f *frame, fn *ssa.Function, args []value, _ []ssa.Value, key string, _ token.Pos) []value {
			return []value{f.load(key, f.fieldOf(args[0], ".v"), fn.Signature.Results().At(0).Type())}
		},
		"(*sync/atomic.Value).Store": storeValue,

		"os.Exit":              exits,
		"runtime.Goexit":       exits,
		"log.Fatal":            exits,
		"log.Fatalf":           exits,
		"log.Fatalln":          exits,
		"log.Panic":            panicking,
		"log.Panicf":           panicking,
		"log.Panicln":          panicking,
		"(*log.Logger).Fatal":  exits,
		"(*log.Logger).Fatalf": exits,

		"runtime.SetFinalizer": finalizer,
	}
}

// storeValue is Store of an atomic.Value: it panics for nil and for a value of another type than
// what is there.
func storeValue(f *frame, fn *ssa.Function, args []value, _ []ssa.Value, key string, at token.Pos) []value {
	w, p := f.c.w, f.c.w.Pool
	to := f.fieldOf(args[0], ".v")
	x, old := f.ref(args[1]), f.ref(f.load(key+"/old", to, fn.Signature.Params().At(0).Type()))
	other := p.False()
	guess := func(here *term.Term) {
		if !here.IsFalse() {
			other = p.Or(other, p.And(here, f.any(key+"/type", leaf{typ: boolType}, lower.Unmodelled)))
		}
	}
	from, with := w.Holds(old), w.Holds(x)
	if from.Outside {
		guess(p.And(p.Eq(old, w.Outside()), p.Ne(x, w.Nil())))
	}
	for _, q := range from.Places {
		here := p.Eq(old, w.RefOf(q))
		if with.Outside {
			guess(p.And(here, p.Eq(x, w.Outside())))
		}
		for _, r := range with.Places {
			if mayBeAlike(q, r) {
				guess(p.And(here, p.Eq(x, w.RefOf(r))))
			} else if !types.Identical(dynamicType(q), dynamicType(r)) {
				other = p.Or(other, p.And(here, p.Eq(x, w.RefOf(r))))
			}
		}
	}
	f.mustNot(p.Eq(x, w.Nil()), "panic", storesNil, at)
	f.mustNot(other, "panic", storesOther, at)
	f.store(to, args[1])
	return nil
}

// mayBeAlike reports whether it is not known if two values in interfaces are of the same type.
func mayBeAlike(q, r *lower.Place) bool {
	if q == r {
		return false
	}
	for _, x := range []*lower.Place{q, r} {
		if e, ok := x.Data.(*errorValue); ok && (e.vague || e.formatted) {
			return true
		}
	}
	return false
}

const (
	storesNil   = "sync/atomic: store of nil value into Value"
	storesOther = "sync/atomic: store of inconsistently typed value into Value"
)

// mustNot lets the code of another package panic, or end the process, under a condition.
func (f *frame) mustNot(cond *term.Term, kind, message string, at token.Pos) {
	if f.excluded() {
		f.m.Assume(f.c.w.Pool.Not(cond))
	} else if f.m.Reachable() && !cond.IsFalse() {
		yes, no := f.m.Branch(cond)
		f.m.Continue(yes)
		f.panics(f.pos(at), kind, message, f.panicText(message), true)
		f.m.Continue(no)
	}
}

func finalizer(f *frame, fn *ssa.Function, args []value, _ []ssa.Value, key string, _ token.Pos) []value {
	f.c.w.Approximate(f.m.Pos(), "finalizer")
	return nil
}

func exits(f *frame, fn *ssa.Function, _ []value, from []ssa.Value, _ string, at token.Pos) []value {
	message := fn.RelString(nil)
	if n := len(from); n > 0 {
		if text := f.argMessage(from, 0); text != anyText {
			message = text
		}
	}
	f.fatal(f.pos(at), message)
	return nil
}

func panicking(f *frame, fn *ssa.Function, _ []value, from []ssa.Value, _ string, at token.Pos) []value {
	text := anyText
	for _, x := range variadic(lastOf(from)) {
		text = f.message(x)
		break
	}
	if fn.Name() == "Panicf" {
		text = f.argMessage(from, 0)
	}
	f.panics(f.pos(at), "panic", text, f.panicText(text), false)
	return nil
}

func lastOf(list []ssa.Value) ssa.Value {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

func (f *frame) argMessage(from []ssa.Value, k int) string {
	if k < len(from) {
		return f.message(from[k])
	}
	return anyText
}

// fieldOf is the address of a field by its path.
func (f *frame) fieldOf(v value, path string) *address {
	a := *f.address(v)
	a.path += path
	a.elem = types.NewInterfaceType(nil, nil)
	return &a
}

// atomic lowers the functions of package sync/atomic: with one goroutine they
// are plain loads and stores.
func (f *frame) atomic(fn *ssa.Function, args []value, key string) ([]value, bool) {
	if len(args) == 0 || deref(args[0].typ) == nil {
		return nil, false
	}
	p := f.c.w.Pool
	a := f.address(args[0])
	elem := deref(args[0].typ)
	if a.elem == types.Typ[types.Invalid] {
		return nil, false
	}
	now := func() value { return f.load(key+"/now", a, elem) }
	if len(f.c.leaves(elem)) != 1 {
		return nil, false
	}
	one := func(t *term.Term, typ types.Type) []value { return []value{{typ: typ, t: []*term.Term{t}}} }
	has := func(prefixes ...string) bool {
		for _, x := range prefixes {
			if strings.HasPrefix(fn.Name(), x) {
				return true
			}
		}
		return false
	}
	switch {
	case has("Load"):
		return []value{now()}, true
	case has("Store"):
		f.store(a, args[1])
		return nil, true
	case has("Add", "Xadd"):
		sum := p.Add(now().t[0], f.terms(args[1])[0])
		f.store(a, value{typ: elem, t: []*term.Term{sum}})
		return one(sum, elem), true
	case has("Swap", "Xchg"):
		old := now()
		f.store(a, args[1])
		return []value{old}, true
	case has("CompareAndSwap", "Cas"):
		old := now()
		same := p.Eq(old.t[0], f.terms(args[1])[0])
		f.store(a, value{typ: elem, t: []*term.Term{p.Ite(same, f.terms(args[2])[0], old.t[0])}})
		return one(same, types.Typ[types.Bool]), true
	case has("And"), has("Or"):
		old := now()
		var next *term.Term
		if has("And") {
			next = p.BVAnd(old.t[0], f.terms(args[1])[0])
		} else {
			next = p.BVOr(old.t[0], f.terms(args[1])[0])
		}
		f.store(a, value{typ: elem, t: []*term.Term{next}})
		return []value{old}, true
	}
	return nil, false
}

// fatal ends the process: nothing recovers it.
func (f *frame) fatal(pos fposition, message string) {
	if f.c.chaining {
		f.m.Stop() // by convention
		return
	}
	if f.c.settled && !f.alien {
		f.m.Stop() // it does not come here: the arguments are others
		return
	}
	f.m.Error(&lower.Site{ErrorSite: &errorSite{Kind: "fatal", Message: message, Pos: pos}, Implicit: f.alien})
}

// sameValue returns its argument.
func sameValue(_ *frame, fn *ssa.Function, args []value, _ []ssa.Value, _ string, _ token.Pos) []value {
	v := args[0]
	v.typ = fn.Signature.Results().At(0).Type()
	return []value{v}
}
