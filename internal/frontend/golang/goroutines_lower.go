// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers what goroutines do (goroutines.go) to the calls of clients. A state variable says of each start whether
// it has taken place. What a goroutine writes is read as what is stored there, or, if its start has taken place, as what
// the goroutine writes; nobody answers for that (lower.Unmodelled), so a call that may fail by it is unknown.

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// maxStarts bounds the starts that have a flag of their own in the state; of further ones, goroutines count as running from the beginning.
const maxStarts = 8

// prepareStarts says which starts a state variable tells: those in calls of clients, if calls are followed.
func (c *compiler) prepareStarts(from calls) {
	c.counted = map[*start]bool{}
	if c.reach == nil || len(c.reach.starts) == 0 || len(c.reach.starts) > maxStarts || len(c.opaque) > 0 || c.o.level != nil {
		return
	}
	others := c.reach.startsUnder(c.reach.callbacks)
	for _, s := range c.reach.startsUnder(slices.Concat(from.methods, from.makers, from.chains)) {
		if _, deferred := s.at.(*ssa.Defer); !deferred && !slices.Contains(others, s) {
			c.counted[s] = true
		}
	}
}

// isRunning says whether the goroutines of a start may run.
func (c *compiler) isRunning(s *start) *term.Term {
	if !c.counted[s] {
		return c.w.Pool.True()
	}
	v := c.runningVars[s]
	if v == nil {
		pos := c.pos(s.at.Parent(), s.at.Pos())
		v = c.w.State(fmt.Sprintf("goroutine %s:%d", pos.File, pos.Line), "running", boolType, c.w.Pool.False(), pos)
		c.runningVars[s] = v
	}
	return v.Term
}

// started records that an instruction has started goroutines.
func (f *frame) started(i ssa.CallInstruction) {
	for s := range f.c.counted {
		if s.at == i {
			f.runs(s)
		}
	}
}

// startsWithin records that code which is not followed may have started goroutines.
func (f *frame) startsWithin(fn *ssa.Function) {
	if len(f.c.counted) == 0 {
		return
	}
	for _, s := range f.c.reach.startsUnder([]*ssa.Function{fn}) {
		if f.c.counted[s] {
			f.runs(s)
		}
	}
}

func (f *frame) runs(s *start) {
	if f.m.Reachable() {
		f.c.isRunning(s)
		f.m.Set(f.c.runningVars[s], f.c.w.Pool.True())
	}
}

// goroutine starts a goroutine.
func (f *frame) goroutine(i *ssa.Go) {
	f.c.starts()
	f.c.w.Approximate(f.pos(i.Pos()), "goroutine")
	for _, a := range f.values(i.Call.Args) {
		f.escapeValue(a)
	}
	f.escapeValue(f.val(i.Call.Value))
	f.started(i)
	if f.c.reach == nil {
		return
	}
	for _, s := range f.c.reach.starts {
		if s.at == ssa.CallInstruction(i) && s.unseen {
			f.c.convention(conventionGoroutines)
		}
	}
}

// A sharedWrite is what the goroutines of a start may write to a scalar.
type sharedWrite struct {
	s      *start
	values []*ssa.Const
	any    bool
	// clean: it writes errors, and none that may be under study.
	clean bool
}

// sharedWrites returns what goroutines may write to a scalar of an object.
func (c *compiler) sharedWrites(p *lower.Place, path string, l leaf) (all []sharedWrite) {
	if c.reach == nil || len(c.reach.starts) == 0 || p.Const {
		return nil
	}
	at, known := c.locationOf(p, path, l)
	if at != nil {
		at = c.reach.find(at)
	}
	for _, s := range c.reach.starts {
		w := sharedWrite{s: s, any: s.anything || !known && len(s.writes) > 0}
		w.clean = !w.any && c.isCoarse()
		for _, x := range s.writes {
			if at == nil || c.reach.find(x.at) != at || !c.isWithin(p, path, x.part) {
				continue
			}
			w.any = w.any || x.value == nil
			w.clean = w.clean && x.from != nil && isErrorType(x.from.Type()) && !c.rel.mayBeWanted(x.from)
			if x.value != nil && !slices.ContainsFunc(w.values, func(k *ssa.Const) bool { return k.String() == x.value.String() }) {
				w.values = append(w.values, x.value)
			}
		}
		if w.any || len(w.values) > 0 {
			all = append(all, w)
		}
	}
	return all
}

// locationOf returns the location of a scalar of an object; known is false if it may be any. One that no code
// can write but that of the object itself, such as the functions in closures, has none.
func (c *compiler) locationOf(p *lower.Place, path string, l leaf) (at location, known bool) {
	fields, known := c.fieldsAlong(p, path)
	switch {
	case len(fields) > 0:
		return fields[len(fields)-1], known
	case !known:
		return nil, p.Data != nil // of the run time, or of functions
	case l.in != nil:
		return l.in, true
	}
	if g, ok := p.Data.(*ssa.Global); ok {
		return g, true
	}
	if v := c.variables[p.Key]; v != nil {
		return v, true
	}
	typ := p.Type.(types.Type)
	if _, isMap := typ.Underlying().(*types.Map); isMap {
		return c.reach.mapSize(typ), true
	}
	return c.reach.pointed(typ), true
}

// isWithin reports whether a scalar of an object may be a part of a field or variable.
func (c *compiler) isWithin(p *lower.Place, path string, part location) bool {
	switch part := part.(type) {
	case *ssa.Global:
		g, ok := p.Root().Data.(*ssa.Global)
		return !ok || g == part
	case *types.Var:
		fields, known := c.fieldsAlong(p, path)
		return !known || p.IsPart() || slices.Contains(fields, part)
	case syncElsewhere:
		fields, known := c.fieldsAlong(p, path)
		return !known || !slices.ContainsFunc(fields, c.reach.isKeptSync)
	}
	return true
}

// fieldsAlong returns the fields that a path in an object goes through; known is false if the object is seen as one of
// another type there.
func (c *compiler) fieldsAlong(p *lower.Place, path string) (fields []*types.Var, known bool) {
	typ, ok := p.Type.(types.Type)
	for ok && strings.HasPrefix(path, ".") {
		st, isStruct := typ.Underlying().(*types.Struct)
		if !isStruct {
			return fields, false
		}
		next := -1
		for k := range st.NumFields() {
			rest, here := strings.CutPrefix(path, c.fieldPath(st, k))
			if here && (rest == "" || rest[0] == '.' || rest[0] == '#') {
				next, path = k, rest
				break
			}
		}
		if next < 0 {
			return fields, false
		}
		f := st.Field(next)
		fields, typ = append(fields, f.Origin()), f.Type()
	}
	return fields, ok
}

// shared is what is read in a scalar of an object: what is stored there, or what goroutines write.
func (f *frame) shared(p *lower.Place, path string, l leaf, key string) *term.Term {
	c := f.c
	now := f.m.Cell(p, path, l.typ).Term
	for n, w := range c.sharedWrites(p, path, l) {
		key := key + "/goroutine" + strconv.Itoa(n) + p.Key
		running := c.isRunning(w.s)
		constants, known := c.constantsFor(w.values, l)
		if w.any || !known {
			clean := f.clean // of the value at hand, not of what is written
			f.clean = w.clean
			now = c.w.Pool.Ite(running, f.any(key, l, lower.Unmodelled), now)
			f.clean = clean
			continue
		}
		for k, t := range constants {
			wrote := f.any(key+"/"+strconv.Itoa(k), leaf{typ: boolType}, lower.Unmodelled)
			now = c.w.Pool.Ite(c.w.Pool.And(running, wrote), t, now)
		}
	}
	return now
}

// constantsFor are constants as the values of a scalar.
func (c *compiler) constantsFor(values []*ssa.Const, l leaf) (all []*term.Term, known bool) {
	for _, k := range values {
		v := c.constant(k)
		if len(v.t) != 1 || v.t[0].Sort() != l.typ.Sort {
			return nil, false
		}
		all = append(all, v.t[0])
	}
	return all, true
}

// closedBy says that goroutines may have closed a channel.
func (f *frame) closedBy(p *lower.Place, key string) *term.Term {
	c := f.c
	out := c.w.Pool.False()
	if c.reach == nil {
		return out
	}
	for n, s := range c.reach.starts {
		if s.anything || c.mayClose(s, p) {
			closed := f.any(key+"/closed by goroutine"+strconv.Itoa(n)+p.Key, leaf{typ: boolType}, lower.Unmodelled)
			out = c.w.Pool.Or(out, c.w.Pool.And(c.isRunning(s), closed))
		}
	}
	return out
}

// mayServe says whether a goroutine may run that sends or receives.
func (c *compiler) mayServe() *term.Term {
	out := c.w.Pool.False()
	if c.reach == nil {
		return c.w.Pool.True()
	}
	for _, s := range c.reach.starts {
		if s.sends || s.unseen {
			out = c.w.Pool.Or(out, c.isRunning(s))
		}
	}
	return out
}

// goroutinesSend reports whether some goroutine may send or receive.
func (c *compiler) goroutinesSend() bool {
	return c.reach != nil && slices.ContainsFunc(c.reach.starts, func(s *start) bool { return s.sends })
}

// isClosedByOthers reports whether some goroutine may close a channel.
func (c *compiler) isClosedByOthers(p *lower.Place) bool {
	return c.reach != nil && slices.ContainsFunc(c.reach.starts, func(s *start) bool { return s.anything || c.mayClose(s, p) })
}

// mayClose reports whether the goroutines of a start may close a channel: one that gets to where they close, or one of that type if it
// is not known where it was made, or what gets there.
func (c *compiler) mayClose(s *start, p *lower.Place) bool {
	typ, ok := p.Type.(types.Type)
	if !ok {
		return false
	}
	of, ok := typ.Underlying().(*types.Chan)
	made := c.channelsMade[p.Root().Newest().Key]
	return ok && slices.ContainsFunc(s.closes, func(v ssa.Value) bool {
		ch, isChan := v.Type().Underlying().(*types.Chan)
		if !isChan || !types.Identical(ch.Elem(), of.Elem()) {
			return false
		}
		from := c.reach.madeAs(v)
		return from.unknown || made == nil || from.made[made]
	})
}

// closedNow says whether a channel that is a place is closed.
func (f *frame) closedNow(p *lower.Place, key string) *term.Term {
	return f.c.w.Pool.Or(f.m.Cell(p, closedPath, boolType).Term, f.closedBy(p, key))
}

// looseLock reports whether goroutines may lock or unlock a lock for others.
func (f *frame) looseLock(a *address) (out *term.Term) {
	c := f.c
	out = c.w.Pool.False()
	if c.reach == nil {
		return out
	}
	for _, s := range c.reach.starts {
		for at, use := range s.locks {
			if use.loose && c.mayBeLock(at, a) {
				out = c.w.Pool.Or(out, c.isRunning(s))
			}
		}
	}
	return out
}

// sharedLock says whether goroutines may hold a lock for a while.
func (f *frame) sharedLock(a *address) (out *term.Term) {
	c := f.c
	out = c.w.Pool.False()
	if c.reach == nil {
		return out
	}
	for _, s := range c.reach.starts {
		for at := range s.locks {
			if c.mayBeLock(at, a) {
				out = c.w.Pool.Or(out, c.isRunning(s))
			}
		}
	}
	return out
}

// mayBeLock reports whether a lock that a goroutine uses may be the one at an address.
func (c *compiler) mayBeLock(at location, a *address) bool {
	field, ok := at.(*types.Var)
	if !ok {
		return true
	}
	return slices.ContainsFunc(c.w.Holds(a.ref0(c)).Places, func(p *lower.Place) bool { return c.isWithin(p, a.path, field) })
}

// panicsBeside returns, by method, why a goroutine that a call starts may end the process with an error under study.
func (c *compiler) panicsBeside(methods []operation) map[string]string {
	out := map[string]string{}
	for i := range methods {
		if s := c.panickingStart(c.callsOf(methods[i:i+1], nil).methods); s != nil {
			pos := c.pos(s.at.Parent(), s.at.Pos())
			out[methods[i].name] = fmt.Sprintf("the goroutine that it starts at %s:%d may panic", pos.File, pos.Line)
		}
	}
	return out
}

// makersBeside returns the constructors that start such goroutines, and where.
func (c *compiler) makersBeside(makers []maker) map[string]prog.Pos {
	out := map[string]prog.Pos{}
	for i := range makers {
		from := c.callsOf(nil, makers[i:i+1])
		if s := c.panickingStart(slices.Concat(from.makers, from.chains)); s != nil {
			out[makers[i].name] = c.pos(s.at.Parent(), s.at.Pos())
		}
	}
	return out
}

// panickingStart returns a start in what some functions run whose goroutines may panic with an error under study; nil: there is none.
func (c *compiler) panickingStart(fns []*ssa.Function) *start {
	if c.reach == nil || !c.kinds.panicked() {
		return nil
	}
	for _, s := range c.reach.startsUnder(fns) {
		b := c.reach.callingBack()
		if slices.ContainsFunc(slices.Concat(s.roots, s.first), func(fn *ssa.Function) bool { return !c.mayRecover(fn) && b.mayPanic(fn) }) {
			return s
		}
	}
	return nil
}

// syncs reports whether other goroutines may have done something since the instruction before: it waits for them, or runs
// code that may. Programs without data races see what others write only then.
func (p *prover) syncs(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Call:
		return !p.writesNothing(i)
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Send, *ssa.Select, *ssa.Go, *ssa.RunDefers:
		return true
	}
	return false
}

// isShared reports whether goroutines may write a location while a function runs, or calls of clients while a goroutine
// runs the function.
func (p *prover) isShared(at location, fn *ssa.Function) bool {
	return len(p.starts) > 0 && (p.aside[fn] || p.sharedAt()[at])
}

// sharedAt are the locations that goroutines may write.
func (r *reach) sharedAt() map[location]bool {
	if r.sharedLocs == nil {
		r.sharedLocs = map[location]bool{}
		for _, s := range r.starts {
			for _, x := range s.writes {
				r.sharedLocs[r.find(x.at)] = true
			}
		}
	}
	return r.sharedLocs
}
