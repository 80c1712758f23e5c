// SPDX-License-Identifier: Apache-2.0

package golang

// This file compares references. A reference is an enum over places, but equal places need not be
// equal references, nor different ones different:
//
//   - what is outside is many objects, and so is a place that stands for several;
//   - an object of another package that was given up may be what comes back from outside;
//   - pointers to values without size may be equal;
//   - an interface that holds no pointer is compared by the value in it: one that comes from
//     outside may hold the same number as one that the code made.
//
// In these cases it is a guess whether they are equal.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// sameRef says when two references of a type may be equal, and when it is a guess if they are.
func (f *frame) sameRef(of types.Type, a, b *term.Term) (equal, guess *term.Term) {
	w, p := f.c.w, f.c.w.Pool
	x, y := w.Holds(a), w.Holds(b)
	// Two references to one place.
	equal, guess = p.Eq(a, b), p.False()
	if x.Outside && y.Outside {
		guess = p.Eq(a, w.Outside())
	}
	for _, q := range x.Places {
		if q.Summary && slices.Contains(y.Places, q) {
			guess = p.Or(guess, p.Eq(a, w.RefOf(q)))
		}
	}
	// References to different places.
	iface := types.IsInterface(of)
	both := func(q, r *term.Term) *term.Term { return p.And(p.Eq(a, q), p.Eq(b, r)) }
	maybe := func(here *term.Term) { equal, guess = p.Or(equal, here), p.Or(guess, here) }
	for _, q := range x.Places {
		if y.Outside && f.comesBack(q, iface) {
			maybe(both(w.RefOf(q), w.Outside()))
		}
		for _, r := range y.Places {
			if iface && q != r && (f.equalsSentinel(q, r) || f.equalsSentinel(r, q)) {
				maybe(both(w.RefOf(q), w.RefOf(r)))
				continue
			}
			if !iface || q == r || !isBox(q) || !isBox(r) || !types.Identical(dynamicType(q), dynamicType(r)) {
				continue
			}
			if isConstantBox(q) && isConstantBox(r) {
				continue // two constants would be one place
			}
			isError := types.Implements(dynamicType(q), errorInterface) && q.Newest() != r.Newest()
			if isError && !f.c.owns(q) {
				continue // of errors of others it is a limit: there are many
			}
			here := both(w.RefOf(q), w.RefOf(r))
			if now, ok := f.sameContent(q, r); ok {
				equal = p.Or(equal, p.And(here, now))
			} else if !isError { // another limit
				maybe(here)
			}
		}
	}
	for _, r := range y.Places {
		if x.Outside && f.comesBack(r, iface) {
			maybe(both(w.Outside(), w.RefOf(r)))
		}
	}
	if elem := deref(of); elem != nil && isEmpty(elem) {
		maybe(p.And(p.Ne(a, w.Nil()), p.Ne(b, w.Nil()), p.Ne(a, b)))
	}
	return equal, guess
}

// equalsSentinel reports whether a sentinel of a type of the component's package that is no pointer may be equal to
// another value in an interface.
func (f *frame) equalsSentinel(q, r *lower.Place) bool {
	e, ok := q.Data.(*errorValue)
	if !ok || e.typ == nil || isPointer(e.typ) || !types.Identical(e.typ, dynamicType(r)) {
		return false
	}
	n, named := types.Unalias(e.typ).(*types.Named)
	return named && f.c.l.owns(n.Obj().Pkg())
}

// comesBack reports whether what is outside may be equal to a place.
func (f *frame) comesBack(q *lower.Place, iface bool) bool {
	return iface && isBox(q) || q.Summary && !f.c.follows(q)
}

// isBox reports whether a place is a value in an interface other than a pointer that leads to an
// object.
func isBox(q *lower.Place) bool {
	switch q.Newest().Data.(type) {
	case boxed, typedNil, runtimeBox:
		return true
	}
	return false
}

// isEmpty reports whether values of a type have no size: pointers to two of them may be equal or not.
func isEmpty(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for v := range u.Fields() {
			if !isEmpty(v.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return u.Len() == 0 || isEmpty(u.Elem())
	}
	return false
}

// incomparable says when the values of two interfaces cannot be compared: both are of one type, that of
// a function, a slice or a map. What comes from outside is taken to be comparable. b is nil if the
// value is the key of a map.
func (f *frame) incomparable(a, b *term.Term) *term.Term {
	w, p := f.c.w, f.c.w.Pool
	out := p.False()
	for _, q := range w.Holds(a).Places {
		if !isBox(q) || types.Comparable(dynamicType(q)) {
			continue
		}
		here := p.Eq(a, w.RefOf(q))
		if b == nil {
			out = p.Or(out, here)
			continue
		}
		for _, r := range w.Holds(b).Places {
			if isBox(r) && types.Identical(dynamicType(q), dynamicType(r)) {
				out = p.Or(out, p.And(here, p.Eq(b, w.RefOf(r))))
			}
		}
	}
	return out
}

// mayNotCompare reports whether the code puts values that cannot be compared into interfaces which can
// be of a type.
func (r *reach) mayNotCompare(t types.Type) bool {
	if _, ok := t.Underlying().(*types.Interface); !ok {
		return false
	}
	if r.incomparable == nil {
		r.incomparable = []types.Type{types.Typ[types.Int]}
		for _, fn := range r.fns {
			if !r.c.l.owns(packageOf(fn)) {
				continue
			}
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if m, ok := i.(*ssa.MakeInterface); ok && !types.Comparable(m.X.Type()) && !slices.ContainsFunc(r.incomparable, func(u types.Type) bool { return types.Identical(u, m.X.Type()) }) {
						r.incomparable = append(r.incomparable, m.X.Type())
					}
				}
			}
		}
	}
	return slices.ContainsFunc(r.incomparable[1:], func(u types.Type) bool { return types.AssignableTo(u, t) })
}

// comparesInterfaces reports whether an instruction compares values in interfaces that it may not be
// possible to compare.
func (r *reach) comparesInterfaces(i *ssa.BinOp) bool {
	return (i.Op == token.EQL || i.Op == token.NEQ) && types.IsInterface(i.Y.Type()) && !isNilConst(i.X) && !isNilConst(i.Y) && r.mayNotCompare(i.X.Type())
}

// hashesInterface reports whether the keys of a map are such.
func (r *reach) hashesInterface(m ssa.Value) bool {
	t, ok := m.Type().Underlying().(*types.Map)
	return ok && r.mayNotCompare(t.Key())
}

// constantBox begins the keys of places that are constants in interfaces, one for each value.
const constantBox = "constant "

func isConstantBox(q *lower.Place) bool { return strings.HasPrefix(q.Key, constantBox) }

// sameContent compares the values in two boxes of one type; it is not known if they have parts that
// are not modelled.
func (f *frame) sameContent(q, r *lower.Place) (*term.Term, bool) {
	p := f.c.w.Pool
	x, ok1 := q.Data.(boxed)
	_, ok2 := r.Data.(boxed)
	if !ok1 || !ok2 || q.Summary || r.Summary || hasOpaque(x.typ) {
		return nil, false
	}
	same := p.True()
	for _, l := range f.c.leaves(x.typ) {
		if l.ref || strings.Contains(l.path, "#") || !f.c.keeps(l) {
			return nil, false
		}
		same = p.And(same, p.Eq(f.m.Cell(q, l.path, l.typ).Term, f.m.Cell(r, l.path, l.typ).Term))
	}
	return same, true
}
