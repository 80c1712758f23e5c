// SPDX-License-Identifier: Apache-2.0

package check

// This file says what instructions do to what is known.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// instr follows one instruction; false if what comes after it is not reached.
func (r *run) instr(f *flow, in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Call:
		r.call(f, in, false)
	case *ssa.Defer:
		r.deferred(f, in)
	case *ssa.RunDefers:
		r.runDefers(f)
	case *ssa.Go:
		for _, v := range inputsOf(in) {
			r.escape(f, v)
		}
	case *ssa.Store:
		r.store(f, in)
	case *ssa.FieldAddr:
		if x := r.rooted(in.X); x != nil && !onlyRead(in) {
			r.loseAll(f, x)
		}
	case *ssa.MakeClosure:
		if !local(in) {
			for _, b := range in.Bindings {
				r.escape(f, b)
			}
		}
	case *ssa.Phi, *ssa.DebugRef, *ssa.If, *ssa.Jump, *ssa.Return, *ssa.Panic, *ssa.Extract, *ssa.BinOp, *ssa.UnOp:
	case *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.TypeAssert:
		v := in.(ssa.Value)
		op := *in.Operands(nil)[0]
		if x := r.rooted(op); x != nil && r.rooted(v) != x && !r.extracted(v, x) {
			r.escape(f, op)
		}
	default:
		for _, op := range in.Operands(nil) {
			if *op != nil {
				r.escape(f, *op)
			}
		}
	}
	if v, ok := in.(ssa.Value); ok {
		r.start(f, v)
	}
	return true
}

// extracted reports whether the parts of a tuple have the root x.
func (r *run) extracted(v ssa.Value, x *root) bool {
	if v.Referrers() == nil {
		return false
	}
	for _, u := range *v.Referrers() {
		if e, ok := u.(*ssa.Extract); ok && e.Index == 0 && r.rooted(e) != x {
			return false
		}
	}
	a, ok := v.(*ssa.TypeAssert)
	return ok && a.CommaOk
}

// onlyRead reports whether an address is used for nothing but loads.
func onlyRead(v ssa.Value) bool {
	for _, u := range *v.Referrers() {
		switch u := u.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if !onlyRead(u) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// local reports whether a closure is only called, now or deferred, by the function that makes it.
func local(m *ssa.MakeClosure) bool {
	for _, u := range *m.Referrers() {
		switch u := u.(type) {
		case *ssa.Call:
			if u.Call.Value != m || isArgument(m, u.Call.Args) {
				return false
			}
		case *ssa.Defer:
			if u.Call.Value != m || isArgument(m, u.Call.Args) || u.DeferStack != nil {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

func isArgument(v ssa.Value, args []ssa.Value) bool {
	for _, a := range args {
		if a == v {
			return true
		}
	}
	return false
}

// object is the root that a value leads to: the object itself, or the variable that holds it.
func (r *run) object(v ssa.Value) *root {
	if x := r.rooted(v); x != nil {
		return x
	}
	if isCell(v.Type()) {
		if x, ok := r.cellRoot(v); ok {
			return x
		}
	}
	return nil
}

// escape makes an object reachable for other code.
func (r *run) escape(f *flow, v ssa.Value) {
	x := r.object(v)
	if x == nil {
		return
	}
	for o, t := range f.tracks {
		if !t.shared && o.root.overlaps(x) {
			t = t.clone()
			t.share(o)
			f.tracks[o] = t
		}
	}
}

// overlaps reports whether two roots have a leaf in common.
func (x *root) overlaps(y *root) bool {
	for leaf := range x.leaves {
		if y.leaves[leaf] {
			return true
		}
	}
	return x == y
}

// loseAll forgets all that is known of an object, and of all that may be it.
func (r *run) loseAll(f *flow, x *root) {
	for o, t := range f.tracks {
		if o.root == x || f.mayAlias(x, o.root) && sameType(x, o) {
			t = t.clone()
			t.lose()
			f.tracks[o] = t
		}
	}
}

func sameType(x *root, o *object) bool {
	for _, y := range x.objects {
		if y.protocol == o.protocol {
			return true
		}
	}
	return false
}

// store follows an assignment through a pointer.
func (r *run) store(f *flow, in *ssa.Store) {
	if x := r.rooted(in.Addr); x != nil {
		c, ok := in.Val.(*ssa.Const)
		for _, o := range x.objects {
			zero := &track{}
			if ok && c.Value == nil && o.protocol.zero != 0 {
				o.protocol.zero.each(func(st int) { zero.add(config{entry: anyEntry, state: int8(st)}, in.Pos()) })
			} else {
				zero.lose()
			}
			for p, t := range f.tracks {
				switch {
				case p == o:
					zero.shared = t.shared
					if x.origin == inputOrigin || t.shared && !o.closed {
						zero.lose() // what a caller has is not followed
					}
					f.tracks[p] = zero
				case p.protocol == o.protocol && f.mayAlias(x, p.root):
					t = t.clone()
					t.lose()
					f.tracks[p] = t
				}
			}
		}
	}
	if x := r.rooted(in.Val); x != nil {
		if a, ok := in.Addr.(*ssa.Alloc); ok && r.c.soleStore(a) == in {
			return
		}
		r.escape(f, in.Val)
	}
}

// deferred notes that a call is due at the end of the function.
func (r *run) deferred(f *flow, in *ssa.Defer) {
	if in.DeferStack != nil { // of another function's end
		for _, v := range inputsOf(in) {
			r.escape(f, v)
		}
		return
	}
	switch f.defers[in] {
	case 0, dueNever:
		f.defers[in] = dueOnce
	default:
		f.defers[in] = dueOften
	}
}

// runDefers follows the deferred calls, the last one first.
func (r *run) runDefers(f *flow) {
	for k := len(r.fn.Blocks) - 1; k >= 0; k-- {
		instrs := r.fn.Blocks[k].Instrs
		for n := len(instrs) - 1; n >= 0; n-- {
			d, ok := instrs[n].(*ssa.Defer)
			if !ok || f.defers[d] == 0 || f.defers[d] == dueNever {
				continue
			}
			r.call(f, d, f.defers[d] != dueOnce)
		}
	}
}

// A callee is what a call runs.
type callee struct {
	fn     *ssa.Function // nil if it is not known
	method string        // of recv; "" if it is no method of a value
	recv   ssa.Value
	args   []ssa.Value // without the receiver
}

func calleeOf(in ssa.CallInstruction) callee {
	c := in.Common()
	if c.IsInvoke() {
		return callee{method: c.Method.Name(), recv: c.Value, args: c.Args}
	}
	if m, ok := c.Value.(*ssa.MakeClosure); ok {
		if fn := m.Fn.(*ssa.Function); fn.Synthetic != "" && len(m.Bindings) == 1 && fn.Object() != nil {
			if obj, ok := fn.Object().(*types.Func); ok && obj.Signature().Recv() != nil { // a method value
				return callee{method: obj.Name(), recv: m.Bindings[0], args: c.Args}
			}
		}
	}
	fn := c.StaticCallee()
	if fn != nil && fn.Signature.Recv() != nil && len(c.Args) > 0 {
		return callee{fn: fn, method: fn.Name(), recv: c.Args[0], args: c.Args[1:]}
	}
	return callee{fn: fn, args: c.Args}
}

// call follows a call; weak if it may also not be made.
func (r *run) call(f *flow, in ssa.CallInstruction, weak bool) {
	r.forgetEvents(f, in)
	if _, ok := in.Common().Value.(*ssa.Builtin); ok {
		for _, a := range in.Common().Args {
			if x := r.rooted(a); x != nil && in.Common().Value.Name() == "append" {
				r.escape(f, a)
			}
		}
		return
	}
	c := calleeOf(in)
	stepped := false
	if c.recv != nil {
		if x := r.rooted(c.recv); x != nil && r.isMethod(c, x) {
			stepped = true
			for _, o := range x.objects {
				r.method(f, o, in, c, weak)
			}
		}
	}
	var s *Summary
	if c.fn != nil {
		s = r.c.summary(c.fn)
	}
	var before []*root
	if stepped {
		before = append(before, r.rooted(c.recv))
	}
	for k, v := range inputsOf(in) {
		x := r.object(v)
		if x == nil || stepped && v == c.recv {
			continue
		}
		again := weak
		for _, y := range before {
			again = again || f.mayAlias(x, y)
		}
		before = append(before, x)
		r.hand(f, x, handed{in: in, effect: s.effect(k), weak: again, value: v})
	}
}

// isMethod reports whether the callee is a method of the type of x.
func (r *run) isMethod(c callee, x *root) bool {
	if len(x.objects) == 0 {
		return false
	}
	if c.fn == nil {
		return true
	}
	recv := c.fn.Signature.Recv().Type()
	for _, p := range r.c.protocols.of(recv) {
		if p == x.objects[0].protocol {
			return true
		}
	}
	return false
}

// forgetEvents forgets outcomes of earlier rounds of a call that is made again.
func (r *run) forgetEvents(f *flow, in ssa.CallInstruction) {
	for o, t := range f.tracks {
		var again []config
		for c := range t.at {
			if c.event != 0 && r.events[c.event].in == in {
				again = append(again, c)
			}
		}
		if again == nil {
			continue
		}
		t = t.clone()
		for _, c := range again {
			pos := t.at[c]
			delete(t.at, c)
			c.event = 0
			t.add(c, pos)
		}
		f.tracks[o] = t
	}
}
