// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers select statements.

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// selects chooses one of the cases. A case on a closed channel is always ready;
// the default is taken only if no case is.
func (f *frame) selects(i *ssa.Select) value {
	w := f.c.w
	p := w.Pool
	tuple := i.Type().(*types.Tuple)
	from := f.answers()
	for _, s := range i.States {
		if s.Dir == types.RecvOnly && f.received(s.Chan) != from {
			from = lower.Unmodelled
		}
	}
	out := f.anyValue(f.key(i), tuple, from)
	// A small number is chosen: there are few cases.
	bits, small := f.c.leaves(tuple)[0].typ.Sort.Width, 8
	for len(i.States) >= 1<<(small-1) {
		small *= 2
	}
	var isClosed []*term.Term
	for k, s := range i.States {
		isClosed = append(isClosed, f.closed(f.key(i)+"/closed"+strconv.Itoa(k), f.ref(f.val(s.Chan))))
	}
	index := p.SignExt(bits-small, f.selected(i, prog.Type{Sort: term.BV(small), Signed: true}))
	out.t[0] = index
	var ready []*term.Term // closed: surely ready
	var some []*term.Term
	var able []*term.Term // the case may become ready
	var after []func()
	unknown := p.False() // a channel that is not counted
	for k, s := range i.States {
		ref := f.ref(f.val(s.Chan))
		chosen := p.Eq(index, p.Int(bits, int64(k)))
		notNil := p.Ne(ref, w.Nil())
		closed := isClosed[k]
		counted := f.counted(ref)
		unknown = p.Or(unknown, p.And(notNil, p.Not(counted)))
		if s.Dir == types.SendOnly {
			f.containValue(f.val(s.Send), s.Chan.Type())
			f.check(p.And(chosen, closed), "send", "send on closed channel", i.Pos())
			can := notNil
			ready = append(ready, closed)
			if f.onlyClosed(i, s) {
				can = closed
			} else if !counted.IsFalse() {
				can = p.And(notNil, p.Or(p.Not(counted), f.room(ref), closed))
				ready = append(ready, p.And(counted, p.Or(f.room(ref), closed)))
				after = append(after, func() { f.count(ref, p.And(chosen, counted), 1) })
			}
			some = append(some, p.And(chosen, can))
			able = append(able, can)
			continue
		}
		can := notNil
		switch {
		case !counted.IsFalse():
			can = p.And(notNil, p.Or(p.Not(counted), closed, f.full(ref)))
			ready = append(ready, p.And(counted, f.full(ref)))
			after = append(after, func() { f.count(ref, p.And(chosen, counted, f.full(ref)), -1) })
		case f.onlyClosed(i, s):
			can = closed
		case f.onlyInside(i, s):
			// Nobody waits on the other side but goroutines of the component.
			can = p.And(notNil, p.Or(closed, f.c.mayServe()))
		}
		ready = append(ready, closed)
		some = append(some, p.And(chosen, can))
		able = append(able, can)
	}
	f.arrives(i, out.t, index, bits)
	if i.Blocking {
		f.waits(p.Not(p.Or(able...)), i.Pos())
		f.mayWait(p.And(unknown, p.Not(p.Or(ready...))), f.key(i), i.Pos(), "who sends or receives is not followed")
	} else {
		some = append(some, p.And(p.Eq(index, p.Int(bits, -1)), p.Not(p.Or(ready...))))
	}
	if !f.m.Reachable() {
		return out
	}
	f.m.Assume(p.Or(some...))
	for _, do := range after {
		do()
	}
	return out
}

// arrives says what a select receives: its second value is whether something did, the
// others are what the cases receive.
func (f *frame) arrives(i *ssa.Select, values []*term.Term, index *term.Term, bits int) {
	p := f.c.w.Pool
	at := 2
	for k, s := range i.States {
		if s.Dir == types.SendOnly {
			continue
		}
		over, known := f.isOver(f.key(i)+"/over"+strconv.Itoa(k), f.ref(f.val(s.Chan)), s.Chan)
		chosen := p.Eq(index, p.Int(bits, int64(k)))
		key := f.key(i) + "/case" + strconv.Itoa(k)
		values[1] = f.either(key+"/ok", p.And(chosen, known), p.Not(over), values[1])
		for range f.c.leaves(s.Chan.Type().Underlying().(*types.Chan).Elem()) {
			if at < len(values) {
				values[at] = f.either(key+"/value"+strconv.Itoa(at), p.And(chosen, over), p.Const(values[at].Sort(), term.Value{}), values[at])
			}
			at++
		}
	}
}

// Whose choice it is that a case of a select is taken.
type caseOf int

const (
	// exactCase: the state of the component decides, and it is followed.
	exactCase caseOf = iota
	// ownCase: the state of the component decides, but it is not followed.
	ownCase
	// theirCase: somebody else decides.
	theirCase
)

// decides says who decides whether a case becomes ready.
func (f *frame) decides(i *ssa.Select, s *ssa.SelectState) caseOf {
	ref := f.ref(f.val(s.Chan))
	switch only := f.onlyClosed(i, s); {
	case slices.ContainsFunc(f.c.w.Holds(ref).Places, f.c.isClosedByOthers), f.c.goroutinesSend() && f.c.sendsOn(s.Chan):
		return ownCase
	case only && !vagueRef(f.c.w, ref) || !f.foreign(ref):
		return exactCase
	case only && f.isKept(ref) || f.isOwnChannel(ref):
		return ownCase
	}
	return theirCase
}

// onlyClosed reports whether a case is ready if and only if the channel is closed: nobody sends on it, or
// it has no buffer and nobody else has it. On such a one nobody ever waits, but a select without default waits
// for somebody.
func (f *frame) onlyClosed(i *ssa.Select, s *ssa.SelectState) bool {
	ref := f.ref(f.val(s.Chan))
	if f.c.w.Holds(ref).Outside {
		return false
	}
	if s.Dir == types.RecvOnly && f.c.quiet(f.fn, s.Chan) {
		return true
	}
	return !f.c.goroutines && f.onlyInside(i, s)
}

// onlyInside reports whether a select does not wait, and nobody has the channel but the component and its goroutines, who find no buffer.
func (f *frame) onlyInside(i *ssa.Select, s *ssa.SelectState) bool {
	switch at := channelAt(s.Chan).(type) {
	case *types.Var:
		if at.Exported() {
			return false
		}
	case *ssa.Global:
		if token.IsExported(at.Name()) {
			return false
		}
	}
	ref := f.ref(f.val(s.Chan))
	return !i.Blocking && f.isKept(ref) && !f.mayHaveBuffer(ref)
}

// surelyClosed says whether a channel is one that is followed, and closed.
func (f *frame) surelyClosed(ref *term.Term) *term.Term {
	w := f.c.w
	out := w.Pool.False()
	for _, q := range w.Holds(ref).Places {
		if !q.Summary {
			out = w.Pool.Or(out, w.Pool.And(w.Pool.Eq(ref, w.RefOf(q)), f.m.Cell(q, closedPath, boolType).Term))
		}
	}
	return out
}

// neverReady says whether a case is surely not ready: the channel is nil, or would have to be closed and is not.
func (f *frame) neverReady(i *ssa.Select, s *ssa.SelectState) *term.Term {
	w := f.c.w
	p := w.Pool
	ref := f.ref(f.val(s.Chan))
	out := p.Eq(ref, w.Nil())
	if !f.onlyClosed(i, s) {
		return out
	}
	for _, q := range w.Holds(ref).Places {
		if !q.Summary && !f.c.isClosedByOthers(q) {
			out = p.Or(out, p.And(p.Eq(ref, w.RefOf(q)), p.Not(f.m.Cell(q, closedPath, boolType).Term)))
		}
	}
	return out
}

// selected chooses the case of a select. That a channel is nil or closed is nobody's
// answer: a case on one that is nil is never ready, and one on one that is closed always is. Somebody else may be
// ready as well, but whoever made the call cannot count on that, so a run that takes such a case
// is the client's. Nor is it an answer what is in the buffer of a channel that nobody else has.
func (f *frame) selected(i *ssa.Select, t prog.Type) *term.Term {
	m, w := f.m, f.c.w
	p := w.Pool
	v := m.Local(f.key(i)+"/case", "any", t)
	isCase := func(k int) *term.Term { return p.Eq(v.Term, p.Int(t.Sort.Width, int64(k))) }
	var ends []int
	// choose lets the case be chosen by somebody, if a condition holds.
	choose := func(cond, which *term.Term, class lower.Class) {
		if cond.IsFalse() || !m.Reachable() {
			return
		}
		yes, no := m.Branch(cond)
		m.Continue(yes)
		m.Havoc(v, class)
		m.Assume(which)
		ends = append(ends, m.Here())
		m.Continue(no)
	}
	none, surely, taken := p.Bool(!i.Blocking), p.False(), p.False()
	own, ownClass, theirs := p.False(), lower.Class(0), false
	for k, s := range i.States {
		ref := f.ref(f.val(s.Chan))
		closed := f.surelyClosed(ref)
		surely = p.Or(surely, closed)
		taken = p.Or(taken, p.And(closed, isCase(k)))
		none = p.And(none, f.neverReady(i, s))
		switch f.decides(i, s) {
		case theirCase:
			theirs = true
			continue
		case ownCase:
			ownClass = lower.Unmodelled
		}
		own = p.Or(own, isCase(k))
	}
	class := ownClass
	if theirs {
		class = f.answers()
	}
	if class == 0 || f.c.isCoarse() {
		return f.any(f.key(i)+"/case", leaf{typ: t}, class) // what is assumed of the cases says all that is known
	}
	choose(none, isCase(-1), 0)
	takes := p.True()
	if len(i.States) > 1 {
		takes = f.any(f.key(i)+"/takes closed", leaf{typ: boolType}, 0)
	}
	choose(p.And(surely, takes), taken, 0)
	if theirs && !own.IsFalse() && m.Reachable() {
		choose(f.any(f.key(i)+"/takes own", leaf{typ: boolType}, 0), own, ownClass)
	}
	if m.Reachable() {
		m.Havoc(v, class)
		ends = append(ends, m.Here())
	}
	m.Join(ends...)
	return v.Term
}
