// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers what waits: locks, wait groups, condition variables and
// channels, as a client with one goroutine meets them. A wait that nobody can
// end is a site of kind block where that is under study; else the run has no
// outcome. If the component starts goroutines, one of them may end the wait:
// such a site is flagged, and left out it makes verdicts unknown.
//
// Locks are their state (free or held, number of readers) in the fields that the
// real ones keep it in, so that copies of structs copy it. Their own code, which
// is about many goroutines, is followed only in package sync itself. Channels count
// what is in them if nobody else can see them; what the elements are is not
// followed.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

const (
	blocksText  = "blocks for ever"
	endlessText = "never returns: an endless loop"

	endedByGoroutine = "a goroutine that the component starts may end it"

	countPath = "#count" // elements in a channel
	roomPath  = "#room"  // its capacity
)

// blocks is a wait that never ends where the condition holds.
func (f *frame) blocks(cond *term.Term, at token.Pos) { f.wait(cond, at, "") }

// waits is a wait that ends only if another goroutine ends it.
func (f *frame) waits(cond *term.Term, at token.Pos) {
	why := ""
	if f.c.goroutines {
		why = endedByGoroutine
	}
	f.wait(cond, at, why)
}

func (f *frame) wait(cond *term.Term, at token.Pos, why string) {
	if !f.m.Reachable() {
		return
	}
	if !f.c.kinds.block {
		f.m.Wait(cond)
		return
	}
	pos := f.pos(at)
	if pos.Line == 0 {
		pos = f.m.Pos()
	}
	s := &lower.Site{ErrorSite: &errorSite{Kind: "block", Message: blocksText, Pos: pos}, Why: why}
	if why != "" {
		s.Implicit, s.Explicit = true, true
	}
	f.m.Fail(cond, s)
}

// mayWait is a wait that is followed only as far as that it may be for ever.
func (f *frame) mayWait(cond *term.Term, key string, at token.Pos, why string) {
	if !f.c.kinds.block || !f.m.Reachable() || cond.IsFalse() {
		return
	}
	guess := f.any(key+"/waits", leaf{typ: boolType}, lower.Unmodelled)
	f.wait(f.c.w.Pool.And(cond, guess), at, why)
}

// A lock is the state of a lock that is known.
type lock struct {
	f       *frame
	at      *address
	writer  leaf // not zero: held
	readers leaf // of a read-write lock: how many
	shared  bool
}

// lockOf returns the lock that a pointer points to, if it is known which it is.
func (f *frame) lockOf(v value) (*lock, bool) {
	a := f.address(v)
	h := f.c.w.Holds(a.ref0(f.c))
	if a.element || h.Outside || anySummary(h) || len(h.Places) == 0 {
		return nil, false
	}
	k := &lock{f: f, at: a}
	found := false
	for _, l := range f.c.leaves(a.elem) {
		switch {
		case strings.HasSuffix(l.path, ".state") && l.typ.Sort.Kind == term.BitVecKind:
			k.writer, found = l, true
		case strings.Contains(l.path, ".readerCount") && l.typ.Sort.Kind == term.BitVecKind:
			k.readers, k.shared = l, true
		}
	}
	return k, found
}

func (k *lock) load(key string, l leaf) *term.Term {
	m := k.f.m
	x := m.Load(key, k.at.ref, k.at.path+l.path, l.typ,
		func(p *lower.Place) *term.Term { return m.Cell(p, k.at.path+l.path, l.typ).Term },
		func(class lower.Class) *term.Term { return k.f.any(key+"/any", l, class) })
	if x.IsConst() {
		return x
	}
	v := m.Local(key, "held", l.typ)
	m.Set(v, x)
	return v.Term
}

func (k *lock) store(l leaf, t *term.Term) { k.f.m.Store(k.at.ref, k.at.path+l.path, l.typ, t) }

func (k *lock) number(l leaf, n int64) *term.Term {
	return k.f.c.w.Pool.Int(l.typ.Sort.Width, n)
}

// locking lowers the methods of sync.Mutex and sync.RWMutex.
func locking(f *frame, fn *ssa.Function, args []value, _ []ssa.Value, key string, at token.Pos) []value {
	k, ok := f.lockOf(args[0])
	if !ok {
		if strings.HasPrefix(fn.Name(), "Try") {
			return []value{f.anyValue(key+"/got", types.Typ[types.Bool], lower.Unmodelled)}
		}
		return nil
	}
	p := f.c.w.Pool
	held := p.Ne(k.load(key+"/held", k.writer), k.number(k.writer, 0))
	readers, read := p.False(), (*term.Term)(nil)
	if k.shared {
		read = k.load(key+"/readers", k.readers)
		readers = p.Ne(read, k.number(k.readers, 0))
	}
	// What goroutines lock and unlock for others is locked or not; what they only use is not there for TryLock for a while.
	if loose := f.looseLock(k.at); !loose.IsFalse() {
		held = p.Ite(loose, f.any(key+"/held by goroutine", leaf{typ: boolType}, lower.Unmodelled), held)
		if k.shared {
			readers = p.Ite(loose, f.any(key+"/read by goroutine", leaf{typ: boolType}, lower.Unmodelled), readers)
		}
	}
	if shared := f.sharedLock(k.at); !shared.IsFalse() && strings.HasPrefix(fn.Name(), "Try") {
		held = p.Or(held, p.And(shared, f.any(key+"/tried", leaf{typ: boolType}, lower.Unmodelled)))
	}
	one, none := k.number(k.writer, 1), k.number(k.writer, 0)
	yes := func(t *term.Term) []value { return []value{{typ: types.Typ[types.Bool], t: []*term.Term{t}}} }
	switch fn.Name() {
	case "Lock":
		f.waits(p.Or(held, readers), at)
		k.store(k.writer, one)
	case "TryLock":
		free := p.Not(p.Or(held, readers))
		got := f.m.Local(key+"/got", "got", boolType)
		f.m.Set(got, free)
		k.store(k.writer, p.Ite(got.Term, one, k.load(key+"/now", k.writer)))
		return yes(got.Term)
	case "Unlock":
		what := "sync: unlock of unlocked mutex"
		if k.shared {
			what = "sync: Unlock of unlocked RWMutex"
		}
		f.fatalIf(p.Not(held), what, at)
		k.store(k.writer, none)
	case "RLock":
		f.waits(held, at)
		k.store(k.readers, p.Add(read, k.number(k.readers, 1)))
	case "TryRLock":
		got := f.m.Local(key+"/got", "got", boolType)
		f.m.Set(got, p.Not(held))
		k.store(k.readers, p.Ite(got.Term, p.Add(read, k.number(k.readers, 1)), read))
		return yes(got.Term)
	case "RUnlock":
		f.fatalIf(p.Not(readers), "sync: RUnlock of unlocked RWMutex", at)
		k.store(k.readers, p.Sub(read, k.number(k.readers, 1)))
	}
	return nil
}

// fatalIf ends the process where a condition holds: a check of package sync.
func (f *frame) fatalIf(cond *term.Term, message string, at token.Pos) {
	switch {
	case !f.m.Reachable() || cond.IsFalse():
	case f.excluded():
		f.m.Assume(f.c.w.Pool.Not(cond))
	default:
		f.m.Fail(cond, &lower.Site{ErrorSite: &errorSite{Kind: "fatal", Message: message, Pos: f.pos(at)}, Implicit: true, From: f.instr})
	}
}

// waitGroup lowers the methods of sync.WaitGroup of a component that starts no
// goroutines; others change the counter at any time.
func waitGroup(f *frame, fn *ssa.Function, args []value, _ []ssa.Value, key string, at token.Pos) []value {
	if fn.Name() == "Go" {
		f.c.w.Approximate(f.pos(at), "goroutine")
		f.escapeValue(args[len(args)-1])
		f.c.starts()
		return nil
	}
	a := f.address(args[0])
	var state leaf
	for _, l := range f.c.leaves(a.elem) {
		if strings.HasPrefix(l.path, ".state") && l.typ.Sort.Kind == term.BitVecKind {
			state = l
		}
	}
	k := &lock{f: f, at: a}
	h := f.c.w.Holds(a.ref0(f.c))
	if f.c.goroutines || state.path == "" || a.element || h.Outside || anySummary(h) || len(h.Places) == 0 {
		if fn.Name() == "Wait" {
			f.mayWait(f.c.w.Pool.True(), key, at, "the counter of a sync.WaitGroup is not followed")
		}
		return nil
	}
	p := f.c.w.Pool
	n := k.load(key+"/counter", state)
	switch fn.Name() {
	case "Wait":
		f.waits(p.Ne(n, k.number(state, 0)), at)
	case "Add", "Done":
		delta := k.number(state, -1)
		if fn.Name() == "Add" {
			delta = f.resize(f.terms(args[1])[0], types.Typ[types.Int], state.typ.Sort.Width)
		}
		sum := p.Add(n, delta)
		f.mustNot(p.SLt(sum, k.number(state, 0)), "panic", "sync: negative WaitGroup counter", at)
		k.store(state, sum)
	}
	return nil
}

// condWait is sync.Cond.Wait: somebody else has to wake it.
func condWait(f *frame, fn *ssa.Function, _ []value, _ []ssa.Value, key string, at token.Pos) []value {
	if f.c.kinds.block {
		f.waits(f.c.w.Pool.True(), at)
	}
	return nil
}

// starts records that the component starts goroutines.
func (c *compiler) starts() {
	if !c.goroutines {
		c.goroutines = true
		c.w.Grow()
	}
}

// counted says when a reference is to a channel of which the number of elements
// is known: only the component sees it, and only in the client's goroutine.
func (f *frame) counted(ref *term.Term) *term.Term {
	w := f.c.w
	known := w.Pool.False()
	if !f.c.kinds.block || f.c.goroutines {
		return known
	}
	h := w.Holds(ref)
	for _, p := range h.Places {
		if p.Summary || f.c.escaped[p.Key] || f.c.handed[p.Key] {
			continue
		}
		if len(h.Places) == 1 && !h.Outside && !h.Nil {
			return w.Pool.True()
		}
		known = w.Pool.Or(known, w.Pool.Eq(ref, w.RefOf(p)))
	}
	return known
}

// foreign reports whether a reference may be to a channel that is not counted.
func (f *frame) foreign(ref *term.Term) bool {
	if !f.c.kinds.block || f.c.goroutines || vagueRef(f.c.w, ref) {
		return true
	}
	for _, p := range f.c.w.Holds(ref).Places {
		if f.c.escaped[p.Key] || f.c.handed[p.Key] {
			return true
		}
	}
	return false
}

// isOwnChannel reports whether nobody but the calls of the component sends on a channel or receives from
// it: it starts no goroutines, and the channel was not given away. Then what is in its buffer decides
// whether a select can send or receive.
func (f *frame) isOwnChannel(ref *term.Term) bool {
	return !f.c.goroutines && f.isKept(ref) && f.mayHaveBuffer(ref)
}

// isKept reports whether a reference is to channels that were not given away, or nil.
func (f *frame) isKept(ref *term.Term) bool {
	h := f.c.w.Holds(ref)
	return !h.Outside && len(h.Places) > 0 && !slices.ContainsFunc(h.Places, func(p *lower.Place) bool {
		key := p.Newest().Key
		return f.c.escaped[key] || f.c.handed[key] || f.c.vague[key]
	})
}

// mayHaveBuffer reports whether one of the channels that a reference holds may have a buffer.
func (f *frame) mayHaveBuffer(ref *term.Term) bool {
	return slices.ContainsFunc(f.c.w.Holds(ref).Places, func(p *lower.Place) bool { return f.c.buffered[p.Newest().Key] })
}

// makeChan sets what is known of a new channel.
func (f *frame) makeChan(p *lower.Place, size ssa.Value) {
	f.m.Set(f.m.Cell(p, closedPath, boolType), f.c.w.Pool.False())
	if f.c.kinds.block && !f.c.goroutines {
		f.m.Set(f.m.Cell(p, countPath, intType), f.c.w.Pool.Int(64, 0))
		f.m.Set(f.m.Cell(p, roomPath, intType), f.int64(size))
	}
}

// chanCell reads a scalar of a channel that is counted.
func (f *frame) chanCell(ref *term.Term, path string) *term.Term {
	w := f.c.w
	out := w.Pool.Int(64, 0)
	for _, q := range w.Holds(ref).Places {
		if !q.Summary {
			out = w.Pool.Ite(w.Pool.Eq(ref, w.RefOf(q)), f.m.Cell(q, path, intType).Term, out)
		}
	}
	return out
}

// room says whether a counted channel can take an element, full whether it has one.
func (f *frame) room(ref *term.Term) *term.Term {
	return f.c.w.Pool.SLt(f.chanCell(ref, countPath), f.chanCell(ref, roomPath))
}

func (f *frame) full(ref *term.Term) *term.Term {
	return f.c.w.Pool.SLt(f.c.w.Pool.Int(64, 0), f.chanCell(ref, countPath))
}

// count changes the number of elements where a condition holds.
func (f *frame) count(ref *term.Term, when *term.Term, by int64) {
	p := f.c.w.Pool
	now := f.chanCell(ref, countPath)
	f.m.Store(ref, countPath, intType, p.Ite(when, p.Add(now, p.Int(64, by)), now))
}

// sendWaits is the wait of a send on a channel that is neither nil nor closed.
func (f *frame) sendWaits(ref *term.Term, key string, at token.Pos) {
	if !f.c.kinds.block {
		return
	}
	p := f.c.w.Pool
	known := f.counted(ref)
	f.waits(p.And(known, p.Not(f.room(ref))), at)
	f.mayWait(p.Not(known), key, at, "who receives is not followed")
	f.count(ref, known, 1)
}

// receiveWaits is the wait of a receive on a channel that is not nil.
func (f *frame) receiveWaits(ref *term.Term, key string, at token.Pos) {
	if !f.c.kinds.block {
		return
	}
	p := f.c.w.Pool
	known := f.counted(ref)
	empty := p.And(p.Not(f.closed(key+"/closed", ref)), p.Not(f.full(ref)))
	f.waits(p.And(known, empty), at)
	f.mayWait(p.And(p.Not(known), p.Not(f.closed(key+"/closed", ref))), key, at, "who sends is not followed")
	f.count(ref, p.And(known, f.full(ref)), -1)
}

// hand records that the client gets a value: it can use channels on its own.
func (f *frame) hand(v value) {
	if _, ok := v.typ.Underlying().(*types.Chan); !ok {
		return
	}
	for _, p := range f.c.w.Holds(f.ref(v)).Places {
		if !f.c.handed[p.Key] {
			f.c.handed[p.Key] = true
			f.c.w.Grow()
		}
	}
}

// endless makes loops that are never left sites.
func (c *compiler) endless(methods []*lower.Method) {
	for _, m := range methods {
		m.Endless(func(pos prog.Pos) *lower.Site {
			s := &lower.Site{ErrorSite: &errorSite{Kind: "block", Message: endlessText, Pos: pos}}
			if c.goroutines {
				s.Why, s.Implicit, s.Explicit = endedByGoroutine, true, true
			}
			return s
		})
	}
}

// unsureWaits keeps waits that hang on something unmodelled out of protocols.
func (c *compiler) unsureWaits(whole *lower.Whole) {
	if !c.kinds.block {
		return
	}
	c.convention(conventionLoops)
	for _, list := range whole.Sites() {
		for _, s := range list {
			if s.Kind == "block" && s.Unsure && s.Why == "" {
				s.Implicit, s.Explicit, s.Why = true, true, "depends on a value that is not modelled"
			}
		}
	}
}
