// SPDX-License-Identifier: Apache-2.0

package golang

// This file makes parameters of what the arguments of whole calls decide. Where nothing but
// the arguments of a call decides whether it errs (arguments.go), the call has one more
// parameter, "errs at FILE:LINE", true of the arguments with which it does, and the code is
// not followed to its errors: with such arguments the call fails, with others it does not
// err, in every state. It is the same parameter as that of lower/given.go, of a whole call
// instead of some sites, and a last resort: the guards that a followed call gets say more.
//
// A call with errors in its code of which the same flow shows that none can be reached never
// errs: it has no such parameter, and is not followed to them either.
//
// What the call does with the other arguments is followed as far as errors of other calls
// depend on it. It also has the runs that end with the errors, without them, so that the
// program has more runs than the code: only what is allowed in it, and what always fails,
// counts.

import (
	"cmp"
	"context"
	"errors"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// errNotOpaque is the error of a component without opaque calls.
var errNotOpaque = errors.New("no call errs by its arguments alone")

// findOpaque finds the calls that are opaque, of those that may be.
func (c *compiler) findOpaque(methods []operation, makers []maker) {
	c.opaque = map[*ssa.Function]*opaqueCall{}
	c.ops, c.from = methods, c.callsOf(methods, makers)
	if !c.kinds.panics || len(c.kinds.patterns) > 0 || c.kinds.block {
		return // what else ends a call would have to be known
	}
	for i := range methods {
		o := &methods[i]
		if o.fn == nil || !c.o.opaque(o.name) {
			continue
		}
		kind := otherCall
		if c.named != nil {
			kind = methodCall
		}
		// Without arguments the object must have something that decides.
		if call := c.mayBeOpaque(o.fn, kind); call != nil && (call.never() || call.fixed || o.fn.Signature.Params().Len() > 0) {
			c.opaque[o.fn] = call
			c.opaqueNames = append(c.opaqueNames, o.name)
		} else if c.o.allOpaque {
			c.opaque = nil
			return
		}
	}
	if c.o.bare && len(c.opaque) < len(methods) {
		c.opaque = nil // a call has no code of its own
		return
	}
	for i := range makers {
		k := &makers[i]
		if len(k.steps) != 1 || k.chain || k.site != nil || !c.o.opaque(k.name) {
			continue
		}
		s := &k.steps[0]
		if s.fn == nil || s.recv >= 0 || slices.ContainsFunc(s.args, func(a argument) bool { return a.object >= 0 }) || s.fn.Signature.Params().Len() == 0 {
			continue
		}
		call := c.mayBeOpaque(s.fn, firstCall)
		if call == nil && (!c.o.allOpaque || c.o.bare) {
			call = c.errsByWorld(s.fn, methods)
		}
		if call != nil {
			c.opaque[s.fn] = call
			c.opaqueNames = append(c.opaqueNames, k.name)
		} else if c.o.allOpaque {
			c.opaque = nil
			return
		}
	}
}

// mayBeOpaque is errsByArguments, which is asked once for all programs of a component.
func (c *compiler) mayBeOpaque(fn *ssa.Function, kind callKind) *opaqueCall {
	if c.o.found == nil {
		return c.errsByArguments(fn, kind)
	}
	call, known := c.o.found[fn]
	if !known {
		call = c.errsByArguments(fn, kind)
		c.o.found[fn] = call
	}
	return call
}

// An opaqueCall is a call of which nothing but its arguments decides whether it errs. If
// there are no sites, it never does.
type opaqueCall struct {
	sites []errorSite
	out   int  // as many of them surely get out of the call; others may be recovered
	may   bool // with some of them it may err, as the environment answers
	fixed bool // so does state that never changes
	// conventions and contracts are what that rests on; programs that use it list them.
	conventions, clauses map[string]bool
	reflects             bool // package reflect may panic in it
	// notCaught are functions whose panics get out; nil if all do.
	notCaught map[*ssa.Function]bool
	// flow shows it; nil if no flow does.
	flow *argumentFlow
}

func (o *opaqueCall) never() bool { return len(o.sites) == 0 }

// errsByArguments returns the errors of a call if nothing but its arguments decides
// whether there is one, else nil. If answers of the environment decide, too, it may err.
func (c *compiler) errsByArguments(fn *ssa.Function, kind callKind) *opaqueCall {
	if len(fn.Blocks) == 0 {
		return nil
	}
	if o := c.stopsPanics(fn); o != nil {
		return o
	}
	if o := newArgumentFlow(c, fn, kind, false, maxArgumentInstrs).errs(); o != nil {
		return o
	}
	return newArgumentFlow(c, fn, kind, true, maxArgumentInstrs).errs()
}

// errs returns the errors of the call, or nil if they depend on state.
func (a *argumentFlow) errs() *opaqueCall {
	if a.refused != "" || a.recovers && (!a.c.knowsRunTime() || !a.onlyArguments()) {
		return nil
	}
	fn := a.entry
	if a.missesCalledBack() {
		return nil
	}
	o := &opaqueCall{may: a.recovers && a.lenient, flow: a}
	if a.recovers {
		o.notCaught = a.c.notCaught(fn)
	}
	if !a.panics(o, 0) {
		return nil
	}
	returns := false
	if a.c.kinds.anyReturn() {
		for k := range fn.Signature.Results().Len() {
			if !isErrorType(fn.Signature.Results().At(k).Type()) {
				continue
			}
			d := a.wantedResult(fn, k, map[any]bool{})
			if d&onState != 0 {
				return nil
			}
			o.may = o.may || d != 0
			returns = returns || a.returnsWanted(fn, k)
		}
	}
	if returns && !a.made(o) || o.never() && (returns || o.reflects) {
		return nil
	}
	if o.out == 0 && !o.never() {
		return nil // all may end in the call, whatever the arguments are
	}
	o.fixed, o.conventions, o.clauses = a.usesFixed, map[string]bool{}, map[string]bool{}
	a.assumed(o)
	return o
}

// add adds an error; those that surely get out of the call come first.
func (o *opaqueCall) add(s errorSite, out bool) {
	if !out {
		o.sites = append(o.sites, s)
		return
	}
	o.sites = slices.Insert(o.sites, o.out, s)
	o.out++
}

// notCaught returns functions of which nothing between a call and them recovers panics, on one way at least: they are
// called by such functions that do not recover.
func (c *compiler) notCaught(entry *ssa.Function) map[*ssa.Function]bool {
	found := map[*ssa.Function]bool{}
	work := []*ssa.Function{entry}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		if fn == nil || found[fn] || c.mayRecover(fn) {
			continue
		}
		found[fn] = true
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(*ssa.Call); ok {
					work = append(work, call.Call.StaticCallee())
				}
			}
		}
	}
	return found
}

// panics adds the panics in the code; extra is what it depends on whether it runs at all.
// It reports whether they do not depend on state.
func (a *argumentFlow) panics(o *opaqueCall, extra dependence) bool {
	c := a.c
	for _, g := range a.fns {
		if _, followed := c.reach.abroad[g]; !followed {
			continue
		}
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				if !a.isLive(b) {
					break
				}
				d := a.blocks[g][b.Index] | extra
				if call, ok := i.(ssa.CallInstruction); ok {
					if by, may := a.mayPanic[call]; may && (d|by)&onState != 0 {
						return false
					} else if may {
						o.reflects = true
						o.may = o.may || (d|by)&onAnswer != 0
						continue
					}
				}
				if !c.isSite(c.reach, i, false) {
					continue
				}
				if call, ok := i.(ssa.CallInstruction); ok {
					d |= a.asked(call)
				}
				if d&onState != 0 {
					return false
				}
				o.may = o.may || d&onAnswer != 0
				o.add(c.panicAt(g, i), o.notCaught == nil || o.notCaught[g])
			}
		}
	}
	return a.eachWithin(func(q *argumentFlow, d dependence) bool { return q.panics(o, extra|d) })
}

// asked is what it depends on whether a call panics of which a contract says when: the
// arguments that it mentions; all of them, and objects that they lead to, if it mentions something else.
func (a *argumentFlow) asked(i ssa.CallInstruction) (d dependence) {
	e := a.r.effects[i]
	if e == nil || !e.panics {
		return 0
	}
	list := i.Common().Args
	if i.Common().Signature().Recv() != nil && !i.Common().IsInvoke() {
		list = list[1:]
	}
	deep := e.deep
	for k := range e.tests {
		if k >= len(list) {
			deep = true
			continue
		}
		switch list[k].Type().Underlying().(type) {
		case *types.Map, *types.Chan:
			deep = true // how many are in there
		}
		d |= a.of(list[k])
	}
	if !deep {
		return d & onAny
	}
	for _, op := range i.Operands(nil) {
		if *op == nil {
			continue
		}
		d |= a.of(*op)
		if isPointer((*op).Type()) && deref((*op).Type()) != nil {
			d |= a.loaded(i, *op)
		}
	}
	if d&intoState != 0 {
		d |= onState
	}
	if d&intoTheirs != 0 {
		d |= onAnswer
	}
	return d & onAny
}

// made adds the errors under study that the code makes. It reports whether arguments alone
// decide which they are.
func (a *argumentFlow) made(o *opaqueCall) bool {
	for _, g := range a.fns {
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				if !a.isLive(b) {
					break
				}
				e, ok := a.madeError(g, i)
				if !ok {
					return false
				}
				if e != nil {
					o.add(*e, true)
				}
			}
		}
	}
	return a.eachWithin(func(q *argumentFlow, _ dependence) bool { return q.made(o) })
}

// eachWithin visits the functions that were analysed by themselves, in order.
func (a *argumentFlow) eachWithin(do func(q *argumentFlow, d dependence) bool) bool {
	list := slices.SortedFunc(maps.Keys(a.within), func(p, q *argumentFlow) int { return cmp.Compare(p.entry.RelString(nil), q.entry.RelString(nil)) })
	for _, q := range list {
		if !do(q, a.within[q]) {
			return false
		}
	}
	return true
}

// assumed collects the conventions and contracts of the analysis, and of the functions that were analysed by
// themselves.
func (a *argumentFlow) assumed(o *opaqueCall) {
	maps.Copy(o.conventions, a.assumes)
	maps.Copy(o.clauses, a.clauses)
	for q := range a.within {
		q.assumed(o)
	}
}

// returnsWanted reports whether a result may be an error under study.
func (a *argumentFlow) returnsWanted(fn *ssa.Function, k int) bool {
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 || !a.isLive(b) {
			continue
		}
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && a.mayBeWanted(r.Results[k], map[ssa.Value]bool{}) {
			return true
		}
	}
	return false
}

// panicAt is the site of an instruction that panics.
func (c *compiler) panicAt(g *ssa.Function, i ssa.Instruction) errorSite {
	message := anyText
	if p, ok := i.(*ssa.Panic); ok {
		message = staticMessage(p.X)
	} else if x := deferredPanic(i); x != nil {
		message = staticMessage(x)
	}
	return errorSite{Kind: "panic", Message: message, Pos: c.pos(g, i.Pos())}
}

// madeError returns the error under study that an instruction makes, if it does; ok is
// false if it is not the arguments alone that decide which error it is.
func (a *argumentFlow) madeError(g *ssa.Function, i ssa.Instruction) (e *errorSite, ok bool) {
	if m, made := i.(*ssa.MakeInterface); made && types.Implements(m.X.Type(), errorInterface) {
		t := m.X.Type()
		if p := deref(t); p != nil {
			t = p
		}
		// Which errors it has inside may decide what it is.
		if s, isStruct := t.Underlying().(*types.Struct); isStruct {
			for k := range s.NumFields() {
				f := s.Field(k)
				if a.mem[f.Origin()]&onState != 0 || a.mem[behind{a.r.id(f.Type().Underlying())}]&onState != 0 {
					return nil, false
				}
			}
		}
	}
	return a.c.errorMadeBy(g, i), true
}

// errorMadeBy returns the error under study that an instruction makes, or nil.
func (c *compiler) errorMadeBy(g *ssa.Function, i ssa.Instruction) *errorSite {
	pos := i.Pos()
	if !pos.IsValid() {
		pos = g.Pos() // not every instruction has one
	}
	at := func(v *errorValue) *errorSite {
		if v == nil || !c.wantsReturn(v) {
			return nil
		}
		return &errorSite{Kind: "return", Message: v.message, Pos: c.pos(g, pos)}
	}
	switch i := i.(type) {
	case *ssa.Call:
		if f := i.Call.StaticCallee(); f != nil && len(i.Call.Args) > 0 {
			switch nameOf(f) {
			case "errors.New", "fmt.Errorf":
				return at(&errorValue{message: formatText(staticMessage(i.Call.Args[0])), pkg: packageOf(g)})
			}
		}
	case *ssa.UnOp:
		if v, global := i.X.(*ssa.Global); global && i.Op == token.MUL && isErrorType(i.Type()) {
			return at(c.sentinel(v))
		}
	case *ssa.MakeInterface:
		if !types.Implements(i.X.Type(), errorInterface) {
			return nil
		}
		t := i.X.Type()
		if p := deref(t); p != nil {
			t = p
		}
		if n, named := types.Unalias(t).(*types.Named); named && c.l.owns(n.Obj().Pkg()) && c.l.owns(packageOf(g)) {
			return &errorSite{Kind: "return", Message: anyText, Pos: c.pos(g, pos)}
		}
	}
	return nil
}

// settle begins a call. If it is opaque, its parameter decides whether it errs, and what
// follows does not. What is returned ends it.
func (c *compiler) settle(m *lower.Method, fn *ssa.Function) (done func()) {
	call := c.opaque[fn]
	if call == nil || !m.Reachable() {
		return func() {}
	}
	c.settled = true
	for name := range call.conventions {
		c.convention(name)
	}
	maps.Copy(c.clauses, call.clauses)
	if call.never() {
		return func() { c.settled = false }
	}
	site := call.sites[0]
	if slices.ContainsFunc(call.sites, func(s errorSite) bool { return s.Message != site.Message }) {
		site.Message = anyText
	}
	v := m.Param("opaque", "errs at "+lower.PlaceOf(site.Pos), prog.Type{Sort: term.BoolSort})
	errs := v.Term
	if call.may {
		some := m.Local("answers", "answers", prog.Type{Sort: term.BoolSort})
		m.Havoc(some, 0)
		errs = c.w.Pool.And(errs, some.Term)
	}
	m.Fail(errs, &lower.Site{ErrorSite: &site, Certain: true})
	return func() {
		c.settled = false
		// It comes after the arguments.
		n := slices.Index(m.M.Params, v)
		m.M.Params = append(slices.Delete(m.M.Params, n, n+1), v)
	}
}

// isBare reports whether nothing of a call is followed.
func (c *compiler) isBare(fn *ssa.Function) bool { return c.o.bare && c.opaque[fn] != nil }

// bare lowers the program in which all methods are opaque and nothing else of them is followed: no state decides what they do,
// so it does not matter what they do to it. It is for components that are too large to be followed. nil if there is none.
func (s *source) bare(ctx context.Context) (*Result, error) {
	if s == nil || s.k.block || len(s.k.messages)+len(s.k.values)+len(s.k.returns) > 0 {
		return nil, nil
	}
	if s.found == nil {
		s.found = map[*ssa.Function]*opaqueCall{}
	}
	o := s.o
	o.opaque, o.allOpaque, o.bare, o.found = func(string) bool { return true }, true, true, s.found
	c := s.l.compiler(o, s.k, s.known)
	c.maxWork = maxWork
	c.w.Limit(maxPassEdges, maxAllEdges)
	q, err := c.lower(ctx, s.s)
	if errors.Is(err, errNotOpaque) || errors.Is(err, lower.ErrTooLarge) {
		return nil, nil
	}
	return q, err
}

// A source is what a component is lowered from.
type source struct {
	l     *loaded
	s     Subject
	o     Options
	k     kinds
	known *contracts
	found map[*ssa.Function]*opaqueCall // what is known of calls
}

// Opaque returns the program in which those of the calls are opaque that can be; nil if
// none can, or the program is too large.
func (r *Result) Opaque(ctx context.Context, calls func(name string) bool) (*Result, error) {
	if r.source == nil {
		return nil, nil
	}
	return r.source.opaque(ctx, calls, false)
}

// largeProgram is how many edges a program has of which engines seldom find with which
// arguments calls err.
const largeProgram = 1_000

// Settled returns the opaque program of a component that is large, if in it nothing else decides
// whether calls err than what their parameters say: it has no other errors of the code. Else
// nil.
func (r *Result) Settled(ctx context.Context) (*Result, error) {
	if r.source == nil || r.Edges() < largeProgram || len(r.opaque) > 0 {
		return nil, nil
	}
	errs := map[string]bool{}
	for name, sites := range r.Sites() {
		errs[name] = slices.ContainsFunc(sites, func(s *Site) bool { return !s.Implicit && !s.Blamed })
	}
	q, err := r.source.opaque(ctx, func(name string) bool { return errs[name] }, true)
	if err != nil || q == nil {
		return nil, err
	}
	for _, sites := range q.Sites() {
		if slices.ContainsFunc(sites, func(s *Site) bool { return !s.Implicit && !s.Certain && !s.Blamed }) {
			return nil, nil
		}
	}
	return q, nil
}

// opaque lowers the program in which those of the calls are opaque that can be, with less
// inlining if it is too large, and as a coarse one (coarse.go) if even that is; nil if it is
// too large still, or there are no such calls.
func (s *source) opaque(ctx context.Context, calls func(name string) bool, all bool) (*Result, error) {
	if s.found == nil {
		s.found = map[*ssa.Function]*opaqueCall{}
	}
	o := s.o
	o.opaque, o.allOpaque, o.found = calls, all, s.found
	try := func(share, pass, all int) (*Result, error) {
		c := s.l.compiler(o, s.k, s.known)
		c.maxWork = maxWork / share
		c.w.Limit(pass, all)
		return c.lower(ctx, s.s)
	}
	for _, share := range workShares {
		q, err := try(share, maxPassEdges, maxAllEdges)
		switch {
		case errors.Is(err, errNotOpaque):
			return nil, nil
		case !errors.Is(err, lower.ErrTooLarge):
			return q, err
		}
	}
	o.level = &levels[0]
	q, err := try(1, maxCoarse, maxAllCoarse)
	if errors.Is(err, lower.ErrTooLarge) {
		return nil, nil
	}
	return q, err
}
