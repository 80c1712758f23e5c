// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers interfaces, maps and channels.

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// makeInterface puts a value into an interface. A pointer is its object, if that is of
// the pointer's type; other values, also pointers of types with names, get a box of their own.
func (f *frame) makeInterface(i *ssa.MakeInterface) value {
	w := f.c.w
	x := f.val(i.X)
	if _, named := types.Unalias(i.X.Type()).(*types.Named); isPointer(i.X.Type()) && !named && !f.isView(x, deref(i.X.Type())) {
		if e := f.c.typedSentinel(i); e != nil {
			return value{typ: i.Type(), t: []*term.Term{f.newErrorValue(e, nil)}}
		}
		t := f.ref(x)
		if w.Holds(t).Outside && f.c.strays != nil && f.c.kinds.anyReturn() && types.Implements(i.X.Type(), errorInterface) && f.c.isOwnError(i.X.Type()) {
			f.c.strays[f.fn] = true
			f.c.strayed = f.c.strayed || !onlyReturned(i)
		}
		if w.Holds(t).Nil {
			// A nil pointer in an interface is not a nil interface.
			elem := deref(i.X.Type())
			p := w.Place("typed nil "+types.TypeString(i.X.Type(), nil), func() *lower.Place {
				return &lower.Place{Name: "nil " + typeName(i.X.Type()), Type: elem, Const: true, Data: typedNil{}}
			})
			t = w.Pool.Ite(w.Pool.Eq(t, w.Nil()), w.RefOf(p), t)
		}
		return value{typ: i.Type(), t: []*term.Term{t}}
	}
	typ := i.X.Type()
	key := f.key(i)
	if k, ok := i.X.(*ssa.Const); ok && k.Value != nil {
		key = constantBox + types.TypeString(typ, nil) + k.Value.ExactString()
	}
	p := w.Place(key, func() *lower.Place {
		name := typeName(typ)
		if at := f.pos(i.Pos()); at.Line > 0 {
			name = fmt.Sprintf("%s@%d", name, at.Line)
		}
		return &lower.Place{Name: name, Type: typ, Data: f.boxes(i), Summary: f.c.vague[key]}
	})
	if key == f.key(i) && f.mayBeSecond(p) {
		f.renew(p)
		if f.c.escaped[p.Key] {
			f.c.w.RefOf(f.c.w.Older(p)) // it may be in a container, where nobody sees it grow old
		}
	}
	ts := f.terms(x)
	if p.Summary {
		for k, l := range f.c.leaves(typ) {
			if l.ref {
				f.storedWhere(&address{ref: w.RefOf(p)}, lower.Holds{Places: []*lower.Place{p}}, l.path, ts[k], l.of)
			}
		}
		return value{typ: i.Type(), t: []*term.Term{w.RefOf(p)}}
	}
	if types.Implements(typ, errorInterface) {
		f.m.Mark(p.Key, "environment's")
		f.sameBlame(p, i.X)
	}
	for k, l := range f.c.leaves(typ) {
		f.m.Set(f.m.Cell(p, l.path, l.typ), ts[k])
	}
	return value{typ: i.Type(), t: []*term.Term{w.RefOf(p)}}
}

// isView reports whether a pointer may be to an object of another type, which it was
// converted from: the interface then has the type of the pointer.
func (f *frame) isView(x value, elem types.Type) bool {
	if elem == nil { // an unsafe.Pointer
		return false
	}
	if _, ok := elem.Underlying().(*types.Struct); !ok {
		return false
	}
	return slices.ContainsFunc(f.c.w.Holds(f.ref(x)).Places, func(p *lower.Place) bool {
		t, ok := p.Type.(types.Type)
		return ok && p.Data == nil && !p.Summary && !p.Const && !types.Identical(t, elem)
	})
}

// boxes is the data of the place of a value in an interface.
func (f *frame) boxes(i *ssa.MakeInterface) boxed {
	b := boxed{typ: i.X.Type(), pkg: ownerOf(i), pos: f.pos(i.Pos()), filled: isFilled(i)}
	if k, ok := i.X.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
		b.constant, b.text = true, constant.StringVal(k.Value)
	}
	if types.Implements(b.typ, errorInterface) && !isAlloc(i.X) {
		if known := f.c.textsOfFields(i.X, f.textContext()); known != nil {
			b.fields = &known
		}
		b.fixed = f.c.isFixed(i.X, f.textContext(), maxFixed)
	}
	return b
}

// ownerOf is the package whose value is put into an interface: that of the code, but of a constant
// that of its type. syscall.EINVAL is an error of package syscall, whoever returns it.
func ownerOf(i *ssa.MakeInterface) *types.Package {
	if _, constant := i.X.(*ssa.Const); constant {
		if n, ok := types.Unalias(i.X.Type()).(*types.Named); ok && n.Obj().Pkg() != nil {
			return n.Obj().Pkg()
		}
	}
	return packageOf(i.Parent())
}

func isAlloc(v ssa.Value) bool {
	_, ok := v.(*ssa.Alloc)
	return ok
}

// typedNil marks the place of a nil pointer in an interface.
type typedNil struct{}

// maxNarrow bounds the places that a reference out of an interface is narrowed to.
const maxNarrow = 8

// typeAssert tests the dynamic type of an interface.
func (f *frame) typeAssert(i *ssa.TypeAssert) value {
	w := f.c.w
	p := w.Pool
	ref := f.ref(f.val(i.X))
	h := w.Holds(ref)
	to := i.AssertedType
	iface, toInterface := to.Underlying().(*types.Interface)
	perhaps := func(q *lower.Place) bool {
		e, ok := q.Data.(*errorValue)
		if ok {
			_, ok = f.c.isOf(e, to)
		}
		return ok
	}
	fits := func(q *lower.Place) bool {
		if e, ok := q.Data.(*errorValue); ok {
			is, perhaps := f.c.isOf(e, to)
			return is || perhaps
		}
		d := dynamicType(q)
		if toInterface {
			return types.Implements(d, iface)
		}
		return types.Identical(d, to)
	}
	// ok holds for the places that fit, and perhaps for what is outside.
	var yes []*term.Term
	for _, q := range h.Places {
		if perhaps(q) {
			guess := f.any(f.key(i)+"/ok"+q.Key, leaf{typ: boolType}, lower.Unmodelled)
			yes = append(yes, p.And(p.Eq(ref, w.RefOf(q)), guess))
		} else if fits(q) {
			yes = append(yes, p.Eq(ref, w.RefOf(q)))
		}
	}
	if h.Outside && !f.c.isOnlyMadeHere(to) {
		guess := f.any(f.key(i)+"/ok", leaf{typ: boolType}, lower.Unmodelled)
		f.ofArguments(f.key(i)+"/ok", leaf{typ: boolType}, []ssa.Value{i.X})
		yes = append(yes, p.And(p.Eq(ref, w.Outside()), guess))
	}
	ok := p.Or(yes...)
	// only is the reference where it fits: who stores through it changes nothing else.
	only := ref
	if fitting := slices.DeleteFunc(slices.Clone(h.Places), func(q *lower.Place) bool { return !fits(q) }); len(fitting) < len(h.Places) && len(fitting) <= maxNarrow {
		only = w.Nil()
		if h.Outside {
			only = w.Outside()
		}
		for _, q := range fitting {
			only = p.Ite(p.Eq(ref, w.RefOf(q)), w.RefOf(q), only)
		}
	}
	if !i.CommaOk {
		f.check(p.Not(ok), "assert", "interface conversion", i.Pos())
		if !f.m.Reachable() {
			return f.c.zero(i.Type())
		}
	}
	var t []*term.Term
	switch {
	case toInterface:
		t = []*term.Term{p.Ite(ok, only, w.Nil())}
	case isPointer(to):
		x := only
		for _, q := range h.Places {
			if !fits(q) {
				continue
			}
			var in *term.Term
			switch q.Newest().Data.(type) {
			case typedNil:
				in = w.Nil() // the pointer in it
			case boxed:
				if q.Summary {
					in = f.any(f.key(i)+"/any", f.c.leaves(to)[0], lower.Unmodelled)
				} else {
					in = f.m.Cell(q, "", f.c.refType()).Term
				}
			default:
				continue
			}
			x = p.Ite(p.Eq(ref, w.RefOf(q)), in, x)
		}
		t = []*term.Term{p.Ite(ok, x, w.Nil())}
	default:
		for _, l := range f.c.leaves(to) {
			x := f.m.Load(f.key(i)+"/"+l.path, ref, l.path, l.typ,
				func(q *lower.Place) *term.Term {
					if !fits(q) {
						return w.Zero(l.typ)
					}
					if _, ok := q.Data.(*errorValue); ok {
						return f.any(f.key(i)+"/any"+l.path, l, lower.Unmodelled)
					}
					return f.m.Cell(q, l.path, l.typ).Term
				},
				func(class lower.Class) *term.Term {
					x := f.any(f.key(i)+"/any"+l.path, l, class)
					f.ofArguments(f.key(i)+"/any"+l.path, l, []ssa.Value{i.X})
					return x
				})
			local := f.m.Local(f.key(i)+"/is"+l.path, f.name(l.path), l.typ)
			f.m.Set(local, p.Ite(ok, x, w.Zero(l.typ)))
			t = append(t, local.Term)
		}
	}
	if i.CommaOk {
		t = append(t, ok)
	}
	return f.passed(value{typ: i.Type(), t: t}, []ssa.Value{i.X})
}

func (f *frame) mapUpdate(i *ssa.MapUpdate) {
	w := f.c.w
	ref := f.ref(f.val(i.Map))
	if w.Holds(ref).Nil {
		f.check(w.Pool.Eq(ref, w.Nil()), "map", "assignment to entry in nil map", i.Pos())
	}
	f.hashes(i.Map, i.Key, i.Pos())
	f.containValue(f.val(i.Key), i.Map.Type())
	f.containValue(f.val(i.Value), i.Map.Type())
	f.resizeMap(ref, f.path+"/map/"+strconv.Itoa(int(i.Pos())), true)
}

// hashes errs if a key of a map cannot be compared.
func (f *frame) hashes(m, key ssa.Value, at token.Pos) {
	if f.c.reach == nil || !f.c.reach.hashesInterface(m) {
		return
	}
	if k := f.val(key); k.missing == "" {
		f.check(f.incomparable(f.ref(k), nil), "compare", unhashableText, at)
	}
}

// resizeMap changes the length of a map by an entry that may have been there.
func (f *frame) resizeMap(ref *term.Term, key string, more bool) {
	p := f.c.w.Pool
	for _, q := range f.c.w.Holds(ref).Places {
		if q.Summary || q.Const {
			continue
		}
		n := f.m.Cell(q, lenPath, intType)
		guess := f.any(key+"/"+q.Key, leaf{typ: boolType}, lower.Unmodelled)
		here := p.Eq(ref, f.c.w.RefOf(q))
		var next *term.Term
		if more {
			// A map that was empty has one entry now.
			next = p.Ite(p.Or(guess, p.Eq(n.Term, p.Int(64, 0))), p.Add(n.Term, p.Int(64, 1)), n.Term)
		} else {
			next = p.Ite(p.And(guess, p.SLt(p.Int(64, 0), n.Term)), p.Sub(n.Term, p.Int(64, 1)), n.Term)
		}
		f.m.Set(n, p.Ite(here, next, n.Term))
	}
}

func (f *frame) lookup(i *ssa.Lookup) value {
	if b, ok := i.X.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		f.bounds(i.X, i.Index, i.Pos())
		return f.computed(f.key(i), i.Type(), f.contents(f.key(i), i.X, i, i.Type()))
	}
	f.hashes(i.X, i.Index, i.Pos())
	w := f.c.w
	p := w.Pool
	ref := f.ref(f.val(i.X))
	n := f.mapLen(f.key(i)+"/len", ref)
	found := f.any(f.key(i)+"/found", leaf{typ: boolType}, lower.Unmodelled)
	f.m.Assume(p.Or(p.Not(found), p.SLt(p.Int(64, 0), n)))
	elem := i.X.Type().Underlying().(*types.Map).Elem()
	v := f.anyValue(f.key(i)+"/value", elem, lower.Unmodelled)
	if leaves := f.c.leaves(elem); len(leaves) == 1 && leaves[0].ref && f.c.facts != nil && f.c.facts.prove(func() bool { return f.c.facts.holdsNoNil(i.X, false) }) {
		f.m.Assume(p.Or(p.Not(found), p.Ne(v.t[0], w.Nil())))
	}
	zero := f.c.zero(elem)
	out := value{typ: i.Type()}
	for k := range v.t {
		out.t = append(out.t, p.Ite(found, v.t[k], zero.t[k]))
	}
	if i.CommaOk {
		out.t = append(out.t, found)
	}
	if f.val(i.X).fixed {
		f.ofArguments(f.key(i)+"/found", leaf{typ: boolType}, []ssa.Value{i.X, i.Index})
		f.allOfArguments(f.key(i)+"/value", elem, []ssa.Value{i.X, i.Index})
		out = f.passed(out, []ssa.Value{i.X, i.Index}, out.t...)
	}
	return out
}

// mapLen is the length of a map.
func (f *frame) mapLen(key string, ref *term.Term) *term.Term {
	w := f.c.w
	p := w.Pool
	h := w.Holds(ref)
	var out *term.Term
	if h.Outside || anySummary(h) || len(h.Places) == 0 && !h.Nil {
		out = f.any(key+"/any", leaf{typ: intType, nat: true}, lower.Unmodelled)
	} else {
		out = p.Int(64, 0)
	}
	for _, q := range h.Places {
		if !q.Summary {
			n := f.shared(q, lenPath, leaf{path: lenPath, typ: intType, nat: true}, key)
			out = p.Ite(p.Eq(ref, w.RefOf(q)), n, out)
		}
	}
	if h.Nil {
		out = p.Ite(p.Eq(ref, w.Nil()), p.Int(64, 0), out)
	}
	if out.IsConst() {
		return out
	}
	local := f.m.Local(key, "len", intType)
	f.m.Set(local, out)
	return local.Term
}

// closed says whether a channel is closed.
func (f *frame) closed(key string, ref *term.Term) *term.Term {
	w := f.c.w
	p := w.Pool
	h := w.Holds(ref)
	out := p.False()
	if h.Outside || anySummary(h) {
		out = p.And(f.any(key, leaf{typ: boolType}, lower.Unmodelled), p.Ne(ref, w.Nil()))
	}
	for _, q := range h.Places {
		if !q.Summary {
			out = p.Ite(p.Eq(ref, w.RefOf(q)), f.closedNow(q, key), out)
		}
	}
	return out
}

// send sends: a nil channel blocks for ever, a closed one panics. That somebody
// receives is assumed.
func (f *frame) send(ref *term.Term, at token.Pos) {
	w := f.c.w
	key := f.path + "/send/" + strconv.Itoa(int(at))
	f.blocks(w.Pool.Eq(ref, w.Nil()), at)
	if len(w.Holds(ref).Places) > 0 {
		f.check(f.closed(key, ref), "send", "send on closed channel", at)
	}
	f.sendWaits(ref, key, at)
}

// receive receives: a nil channel blocks for ever. What arrives is the
// environment's answer.
func (f *frame) receive(i ssa.Value, ref *term.Term, commaOk bool, t types.Type) value {
	w := f.c.w
	f.blocks(w.Pool.Eq(ref, w.Nil()), i.Pos())
	f.receiveWaits(ref, f.key(i)+"/wait", i.Pos())
	if !f.m.Reachable() {
		return f.c.zero(t)
	}
	over, known := f.isOver(f.key(i), ref, i.(*ssa.UnOp).X)
	answer := f.anyValue(f.key(i), t, f.received(i.(*ssa.UnOp).X))
	n := len(answer.t)
	if !commaOk {
		n++
	}
	out := value{typ: t}
	for k, x := range answer.t {
		if k == n-1 {
			out.t = append(out.t, f.either(f.key(i)+"/ok", known, w.Pool.Not(over), x))
			continue
		}
		out.t = append(out.t, f.either(f.key(i)+"/value"+strconv.Itoa(k), over, w.Pool.Const(x.Sort(), term.Value{}), x))
	}
	return out
}

// received is whose value is received from a channel: the environment's, unless the component
// itself sends on such channels (sendsOn), or
// it is an interface, which may have an error in it that the component sent.
func (f *frame) received(ch ssa.Value) lower.Class {
	elem := ch.Type().Underlying().(*types.Chan).Elem()
	if s, ok := elem.Underlying().(*types.Struct); (!ok || s.NumFields() > 0) && f.c.sendsOn(ch) {
		return lower.Unmodelled
	}
	if types.IsInterface(elem) && f.c.reach != nil && f.c.reach.sends(elem) {
		return lower.Unmodelled
	}
	return f.answers()
}

// sendsOn reports whether code that is reached sends on channels of the field or package
// variable that a channel is of, or on channels of its type of which either is not known where they are from.
func (c *compiler) sendsOn(ch ssa.Value) bool {
	if c.reach == nil {
		return false
	}
	if c.sentOn == nil {
		c.sentOn = map[location]bool{}
		sends := func(ch ssa.Value) {
			elem := ch.Type().Underlying().(*types.Chan).Elem()
			at := channelAt(ch)
			c.sentOn[at] = true
			if all := &c.sentAs[0]; !slices.ContainsFunc(*all, func(t types.Type) bool { return types.Identical(t, elem) }) {
				*all = append(*all, elem)
			}
			if all := &c.sentAs[1]; at == nil && !slices.ContainsFunc(*all, func(t types.Type) bool { return types.Identical(t, elem) }) {
				*all = append(*all, elem)
			}
		}
		for _, fn := range c.reach.fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					switch i := i.(type) {
					case *ssa.Send:
						sends(i.Chan)
					case *ssa.Select:
						for _, s := range i.States {
							if s.Dir == types.SendOnly {
								sends(s.Chan)
							}
						}
					}
				}
			}
		}
	}
	at := channelAt(ch)
	if at != nil && c.sentOn[at] {
		return true
	}
	all := c.sentAs[1]
	if at == nil {
		all = c.sentAs[0]
	}
	elem := ch.Type().Underlying().(*types.Chan).Elem()
	return slices.ContainsFunc(all, func(t types.Type) bool { return types.Identical(t, elem) })
}

// channelAt returns the field or package variable that a channel was read from, or nil.
func channelAt(ch ssa.Value) location {
	for {
		t, ok := ch.(*ssa.ChangeType)
		if !ok {
			break
		}
		ch = t.X
	}
	load, ok := ch.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	switch a := load.X.(type) {
	case *ssa.FieldAddr:
		return fieldVar(a)
	case *ssa.Global:
		return a
	}
	return nil
}

// either is one of two values; which it is is decided by a branch, so that blame knows
// whether a run has the answer of somebody.
func (f *frame) either(key string, cond, then, otherwise *term.Term) *term.Term {
	switch {
	case cond.IsTrue() || then == otherwise:
		return then
	case cond.IsFalse():
		return otherwise
	}
	v := f.m.Local(key+"/either", "arrives", prog.Type{Sort: then.Sort()})
	yes, no := f.m.Branch(cond)
	f.m.Continue(yes)
	f.m.Set(v, then)
	yes = f.m.Here()
	f.m.Continue(no)
	f.m.Set(v, otherwise)
	f.m.Join(yes, f.m.Here())
	return v.Term
}

// isOver says whether a channel is closed and nothing is left in it: then a receive yields
// the zero value and false, and that is nobody's answer. known is whether the channel is one
// that is followed; from such a one that is not over something arrives.
func (f *frame) isOver(key string, ref *term.Term, v ssa.Value) (over, known *term.Term) {
	w := f.c.w
	p := w.Pool
	over, known = p.False(), p.False()
	for _, q := range w.Holds(ref).Places {
		if !q.Summary {
			here := p.Eq(ref, w.RefOf(q))
			if !vagueRef(w, ref) && len(w.Holds(ref).Places) == 1 {
				here = p.True() // a receive from nil does not end
			}
			known = p.Or(known, here)
			over = p.Or(over, p.And(here, f.closedNow(q, key)))
		}
	}
	if over.IsFalse() || f.c.quiet(f.fn, v) {
		return over, known
	}
	left := f.any(key+"/left", leaf{typ: boolType}, lower.Unmodelled)
	if counted := f.counted(ref); !counted.IsFalse() {
		left = p.Ite(counted, f.full(ref), left)
	}
	return p.And(over, p.Not(left)), known
}

// closeChan closes a channel.
func (f *frame) closeChan(ref *term.Term, at token.Pos) {
	w := f.c.w
	if w.Holds(ref).Nil {
		f.check(w.Pool.Eq(ref, w.Nil()), "close", "close of nil channel", at)
	}
	if len(w.Holds(ref).Places) > 0 {
		f.check(f.closed(f.path+"/close/"+strconv.Itoa(int(at)), ref), "close", "close of closed channel", at)
	}
	if f.m.Reachable() {
		f.m.Store(ref, closedPath, boolType, w.Pool.True())
	}
}

// escapeValue records that a value is given to somebody who is not followed.
func (f *frame) escapeValue(v value) {
	if v.missing != "" {
		return
	}
	ts := f.terms(v)
	for k, l := range f.c.leaves(v.typ) {
		if l.ref && k < len(ts) {
			f.c.escape(ts[k])
			f.give(ts[k], l.of)
		}
	}
}
