// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the values of panics: what code panics with is what recover returns,
// and by its type and message a deferred function decides whether it returns it as an
// error or panics again. Panics that nobody recovers are error sites; one that is raised
// again is the site of what was raised at first, with its message, and the fault of whoever
// was to blame for that. Code that is not followed, and where panics may be anywhere
// (weak.go), panics with any value.

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

var anyType = types.NewInterfaceType(nil, nil)

// panics ends the run with a panic of a value; nil is any value that is not one of the
// code.
func (f *frame) panics(pos prog.Pos, kind, message string, what *term.Term, implicit bool) {
	if !f.m.Reachable() {
		return
	}
	if g := f.catching(); g != nil {
		w := f.c.w
		if what == nil {
			what = w.Outside()
		}
		g.m.Mark(g.blameKey(), "environment's")
		if w.Holds(what).Nil {
			what = w.Pool.Ite(w.Pool.Eq(what, w.Nil()), w.Outside(), what) // a runtime.PanicNilError
		}
		g.m.Assign([]*prog.Var{g.catch.flag, g.catch.what}, []*term.Term{w.Pool.True(), what})
		g.m.Goto(g.catch.loc)
		return
	}
	f.uncaught(pos, kind, message, implicit)
}

// catching returns the function in which panics here stop; nil if there is none.
func (f *frame) catching() *frame {
	for g := f; g != nil; g = g.up {
		if g.catch != nil && g.catch.loc >= 0 {
			return g
		}
	}
	return nil
}

// blameKey is the name of the mark that a panic which was recovered is the environment's
// fault.
func (f *frame) blameKey() string { return f.path + "/panic" }

// uncaught is the error site of a panic that nobody recovers.
func (f *frame) uncaught(pos prog.Pos, kind, message string, implicit bool) {
	if f.c.chaining {
		f.m.Stop() // by convention
		return
	}
	if f.c.settled && !implicit && !f.alien {
		f.m.Stop() // it does not come here: the arguments are others
		return
	}
	f.m.Error(&lower.Site{ErrorSite: &prog.ErrorSite{Kind: kind, Message: message, Pos: pos}, Implicit: implicit || f.alien, From: f.instr})
}

// panicInstr lowers a panic of the code. One with what recover returned goes on with the
// panic that was recovered.
func (f *frame) panicInstr(i *ssa.Panic) {
	if f.c.reach.isRefuted(i) {
		f.m.Stop() // no run comes here
		return
	}
	if g := f.up; g != nil && g.catch != nil && g.catch.entered && isRecovered(i.X, 0) {
		f.rethrow(g.catch, f.pos(i.Pos()), f.message(i.X))
		return
	}
	f.panics(f.c.near(f.fn, i.Pos()), "panic", f.message(i.X), f.ref(f.val(i.X)), false)
}

// isRecovered reports whether a value is what recover returned.
func isRecovered(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "recover"
	case *ssa.ChangeInterface:
		return isRecovered(v.X, depth)
	case *ssa.Extract:
		a, ok := v.Tuple.(*ssa.TypeAssert)
		return ok && types.IsInterface(a.AssertedType) && isRecovered(a.X, depth)
	case *ssa.TypeAssert:
		return !v.CommaOk && types.IsInterface(v.AssertedType) && isRecovered(v.X, depth)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if depth > 3 || !isRecovered(e, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// rethrow goes on with a panic that a function met. If nobody above recovers, it is an error
// for each value that the panic may have; of others only the message is known that is given.
func (f *frame) rethrow(from *catcher, pos prog.Pos, message string) {
	w := f.c.w
	if !f.m.Reachable() {
		return
	}
	owner := f
	for owner.catch != from {
		owner = owner.up
	}
	mark := f.m.Marked(owner.blameKey())
	what := from.what.Term
	if g := f.catching(); g != nil && g.catch == from {
		// What was deferred earlier in the same function is run with it.
		f.m.Set(from.flag, w.Pool.True())
		f.m.Goto(from.loc)
		return
	} else if g != nil {
		f.panics(pos, "panic", message, what, false)
		return
	}
	if f.c.settled {
		f.m.Stop() // it does not come here: the arguments are others
		return
	}
	// Whose fault it is, is tested last before each error: there slices look for it (lower/slice.go).
	ends := func(kind, message string, implicit bool) {
		if mark != nil && !f.c.o.BlameAny && !f.c.chaining {
			yes, no := f.m.Branch(mark.Term)
			f.m.Continue(yes)
			f.m.Error(&lower.Site{ErrorSite: &prog.ErrorSite{Kind: "panic", Message: message, Pos: pos, Blamed: true}, From: f.instr})
			f.m.Continue(no)
		}
		if f.m.Reachable() {
			f.uncaught(pos, kind, message, implicit)
		}
	}
	h := w.Holds(what)
	for _, p := range h.Places {
		known := f.messageAt(p)
		_, isRuntime := p.Data.(runtimeBox)
		if !f.m.Reachable() || p.Summary || known == anyText && !isRuntime {
			continue
		}
		yes, no := f.m.Branch(w.Pool.Eq(what, w.RefOf(p)))
		f.m.Continue(yes)
		kind := "panic"
		if isRuntime {
			kind = "runtime"
		}
		ends(kind, known, isRuntime)
		f.m.Continue(no)
	}
	if f.m.Reachable() {
		ends("panic", message, false)
	}
}

// messageAt is the text of what is at a place, as far as it is known.
func (f *frame) messageAt(p *lower.Place) string {
	switch d := p.Data.(type) {
	case *errorValue:
		return d.message
	case runtimeBox:
		return d.message
	case boxed:
		if b, ok := d.typ.Underlying().(*types.Basic); ok && d.constant && b.Info()&types.IsString != 0 && !types.Implements(d.typ, errorInterface) {
			return d.text
		}
	}
	list := f.errorsAt(p)
	if len(list) != 1 || strings.Trim(list[0].is.message, anyText+" :") == "" {
		return anyText
	}
	return list[0].is.message
}

// runtimeBox is the data of an error of the run time.
type runtimeBox struct{ message string }

// runtimeError is the value of a panic of the run time.
func (f *frame) runtimeError(kind, message string) *term.Term {
	w := f.c.w
	if f.catching() == nil {
		return nil
	}
	name := "boundsError"
	switch kind {
	case "assert":
		name = "TypeAssertionError"
	case "nil", "divide", "shift", "makeslice", "slice", "compare":
		name = "errorString"
	case "map", "close", "send":
		name = "plainError"
	}
	pkg := f.c.l.prog.ImportedPackage("runtime")
	if pkg == nil || pkg.Type(name) == nil {
		return nil
	}
	t := pkg.Type(name).Type()
	p := w.Place("panic of the run time "+name+message, func() *lower.Place {
		return &lower.Place{Name: "runtime error", Type: t, Const: true, Data: runtimeBox{"runtime error: " + message}}
	})
	return w.RefOf(p)
}

// panicText is the value of a panic with a text.
func (f *frame) panicText(text string) *term.Term {
	w := f.c.w
	if f.catching() == nil {
		return nil
	}
	p := w.Place("panic text "+text, func() *lower.Place {
		t := types.Typ[types.String]
		return &lower.Place{Name: "panic", Type: t, Data: boxed{typ: t, constant: !strings.Contains(text, anyText), text: text}}
	})
	n := w.Pool.Int(64, int64(len(text)))
	if strings.Contains(text, anyText) {
		n = f.any(f.path+"/panic text", leaf{typ: intType, nat: true}, lower.Unmodelled)
	}
	f.m.Set(f.m.Cell(p, lenPath, intType), n)
	if f.c.textEnum != nil {
		id := f.text(f.path+"/panic", types.Typ[types.String], n).t[1]
		if n.IsConst() {
			id = f.c.textOf(text)
		}
		f.m.Set(f.m.Cell(p, textPath, f.c.textType()), id)
	}
	return w.RefOf(p)
}

// sameBlame lets a value that is put into an interface be the environment's fault as far as
// the interface was that it is taken from.
func (f *frame) sameBlame(p *lower.Place, x ssa.Value) {
	if e, ok := x.(*ssa.Extract); ok {
		x = e.Tuple
	}
	a, ok := x.(*ssa.TypeAssert)
	flag := f.m.Marked(p.Key)
	if !ok || flag == nil || !f.m.Reachable() {
		return
	}
	w := f.c.w
	v := f.val(a.X)
	if v.missing != "" {
		return
	}
	ref := f.ref(v)
	var parts []*term.Term
	for _, q := range w.Holds(ref).Places {
		if mark := f.m.Marked(q.Key); mark != nil && mark != flag {
			parts = append(parts, w.Pool.And(w.Pool.Eq(ref, w.RefOf(q)), mark.Term))
		}
	}
	if len(parts) > 0 {
		f.m.Set(flag, w.Pool.Or(append(parts, flag.Term)...))
	}
}
