// SPDX-License-Identifier: Apache-2.0

package check

// This file steps tracks by calls: of methods, by what the protocol says; of functions that are handed an object, by their summaries.

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/interlock-go/interlock/typestate"
	"golang.org/x/tools/go/ssa"
)

// An event is a call with one of its outcomes.
type event struct {
	in      ssa.CallInstruction
	call    *call  // of a method
	outcome string // "" for any
	erred   bool   // it returned a misuse error
	exit    *Exit  // of a function
}

type eventKey event

// event numbers an event; 0 if nothing can be learned from it, or there are too many.
func (r *run) event(e event) int16 {
	if e.exit == nil && e.outcome == "" && !e.erred || e.exit != nil && len(e.exit.Results) == 0 {
		return 0
	}
	if _, ok := e.in.(*ssa.Call); !ok {
		return 0
	}
	k := eventKey(e)
	if n, ok := r.index[k]; ok {
		return n
	}
	if len(r.events) >= 1<<14 {
		return 0
	}
	n := int16(len(r.events))
	r.events = append(r.events, e)
	r.index[k] = n
	return n
}

// contradicts reports whether a result, of n, cannot have the value after the event.
func (e *event) contradicts(index, n int, is typestate.Value) bool {
	switch {
	case e.exit != nil:
		return e.exit.contradicts(index, is)
	case e.erred: // the error is the last result
		last := e.in.Common().Signature().Results().At(n - 1)
		return index == n-1 && isError(last.Type()) && is == typestate.Nil(true)
	}
	values := make([]typestate.Value, n)
	values[index] = is
	return e.call.Had(e.outcome, values...) == typestate.MatchNo
}

// A move is what a call does to an object in one configuration.
type move struct {
	to    []target
	fails bool // in every run
	may   bool // in some
	why   reason
}

type target struct {
	states set
	event  int16
	failed bool
}

// reason says why a call fails in a state.
type reason struct {
	state     int
	method    string
	forbidden *typestate.Forbidden
	seen      bool
	panics    bool
	inner     *Failure // the call is made by the function that is called
}

// method steps an object by a call of one of its methods.
func (r *run) method(f *flow, o *object, in ssa.CallInstruction, c callee, weak bool) {
	calls := o.protocol.candidates(c.method, r.known(in, c))
	if len(calls) == 0 {
		if o.protocol.methods[c.method] != nil || !o.closed || token.IsExported(c.method) {
			r.loseAll(f, o.root) // the interface says nothing of it
		} else {
			r.escape(f, o.root.value)
		}
		return
	}
	r.apply(f, o, in, weak, func(c config, _ bool) move {
		m := move{fails: true}
		some := false
		for _, x := range calls {
			at := &x.cells[c.state]
			if at.impossible {
				continue
			}
			some = true
			if at.verdict == typestate.VerdictFails || at.seen {
				m.may = true
				m.why = reason{state: int(c.state), method: x.Method, forbidden: at.forbidden, seen: at.seen, panics: at.panics}
			} else {
				m.fails = false
				if at.verdict == typestate.VerdictMayFail {
					m.may = true
					m.why = reason{state: int(c.state), method: x.Method, forbidden: at.forbidden, panics: at.panics}
				}
			}
			if at.panics && at.verdict == typestate.VerdictFails {
				continue
			}
			for _, e := range at.exits {
				m.to = append(m.to, target{states: e.to, event: r.event(event{in: in, call: x, outcome: e.outcome, erred: e.erred}), failed: at.verdict == typestate.VerdictFails})
			}
		}
		m.fails = m.fails && some
		return m
	})
}

// handed is an object that is handed to a function.
type handed struct {
	in     ssa.CallInstruction
	effect *Effect
	weak   bool
	value  ssa.Value
}

// hand follows what a function does to an object that it is handed.
func (r *run) hand(f *flow, x *root, h handed) {
	if h.effect == nil {
		r.escape(f, h.value)
		return
	}
	if h.effect.Lost {
		r.loseAll(f, x)
		return
	}
	for _, o := range x.objects {
		p := o.protocol
		rel := h.effect.relation(p)
		switch {
		case rel != nil:
			r.apply(f, o, h.in, h.weak, func(c config, shared bool) move { return r.related(rel, o, h, c, shared) })
		case len(h.effect.Calls) > 0:
			if !o.closed && slices.ContainsFunc(h.effect.Calls, func(m string) bool { return p.methods[m] == nil }) {
				r.loseAll(f, x)
				continue
			}
			r.apply(f, o, h.in, true, func(c config, _ bool) move {
				return move{to: []target{{states: p.closure(1<<c.state, h.effect.Calls)}}}
			})
		}
	}
	if h.effect.Escapes {
		r.escape(f, h.value)
	}
}

// related is what a summary says of a configuration.
func (r *run) related(rel *Relation, o *object, h handed, c config, shared bool) move {
	mv := &rel.Moves[1+int(c.state)]
	within := o.protocol.all
	if shared {
		mv, within = &rel.Moves[0], o.protocol.reach[c.state]
	}
	m := move{fails: mv.Fails != nil, may: mv.Fails != nil}
	if mv.Fails != nil {
		m.why = reason{state: int(c.state), inner: mv.Fails, panics: mv.Fails.Panics}
		if fb := mv.Fails; fb.State >= 0 {
			m.why.state = fb.State
		}
	}
	for k := range mv.Exits {
		e := &mv.Exits[k]
		m.to = append(m.to, target{states: set(e.States) & within, event: r.event(event{in: h.in, exit: e}), failed: e.Failed})
	}
	return m
}

// apply steps an object and all that may be the same one.
func (r *run) apply(f *flow, o *object, in ssa.CallInstruction, weak bool, do func(c config, shared bool) move) {
	t := f.tracks[o]
	if t == nil {
		return
	}
	r.stepPos = in.Pos()
	excused := r.judge(o, t, in, weak, do)
	next := r.step(o, t, do, excused)
	if weak {
		next.join(t)
	}
	for p, u := range f.tracks {
		if p != o && p.protocol == o.protocol && f.mayAlias(o.root, p.root) {
			v := r.step(p, u, do, true)
			v.join(u)
			f.tracks[p] = v
		}
	}
	f.tracks[o] = next
}

// isShared reports whether other code may change the object between calls, in the configurations of an entry.
func (t *track) isShared(o *object, entry int8) bool {
	return t.shared || o.root.origin == inputOrigin && entry == anyEntry
}

// step is a track after a call. If failures are excused, no configuration is marked as failed.
func (r *run) step(o *object, t *track, do func(c config, shared bool) move, excused bool) *track {
	next := &track{lost: t.lost, shared: t.shared}
	if t.lost {
		return next
	}
	for c, pos := range t.at {
		m := do(c, t.isShared(o, c.entry))
		for _, to := range m.to {
			to.states.each(func(st int) {
				at := r.stepPos
				if st == int(c.state) {
					at = pos
				}
				next.add(config{entry: c.entry, state: int8(st), event: to.event, failed: c.failed || to.failed && !excused}, at)
			})
		}
	}
	if len(next.at) > maxConfigs {
		next.lose()
	}
	next.close(o.protocol, func(entry int8) bool { return t.isShared(o, entry) })
	return next
}

// known is what is known of the arguments of a call.
func (r *run) known(in ssa.CallInstruction, c callee) typestate.Known {
	sig := in.Common().Signature()
	known := typestate.Known{}
	for k, a := range c.args {
		if k >= sig.Params().Len() {
			break
		}
		name := sig.Params().At(k).Name()
		if v, ok := constantText(a); ok {
			known[name] = v
		}
		if n, ok := constantLength(a); ok {
			known["len("+name+")"] = strconv.FormatInt(n, 10)
		}
	}
	return known
}

func constantText(v ssa.Value) (string, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		switch {
		case v.IsNil():
			return "nil", true
		case v.Value == nil:
			return "", false
		case v.Value.Kind() == constant.Bool:
			return strconv.FormatBool(constant.BoolVal(v.Value)), true
		case v.Value.Kind() == constant.Int:
			return v.Value.ExactString(), true
		}
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.MakeClosure, *ssa.Function, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice:
		return "non-nil", true
	}
	return "", false
}

func constantLength(v ssa.Value) (int64, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.String {
			return int64(len(constant.StringVal(v.Value))), true
		}
		if _, ok := v.Type().Underlying().(*types.Slice); ok && v.IsNil() {
			return 0, true
		}
	case *ssa.Slice:
		if p, ok := v.X.Type().Underlying().(*types.Pointer); ok && v.Low == nil && v.High == nil {
			if a, ok := p.Elem().Underlying().(*types.Array); ok {
				return a.Len(), true
			}
		}
	}
	return 0, false
}
