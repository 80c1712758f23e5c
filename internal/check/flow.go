// SPDX-License-Identifier: Apache-2.0

package check

// This file computes what is known at the start of each block, as a fixpoint over the control-flow graph.

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxRounds bounds how often a block is looked at again; a function that needs more has no findings. Each round of a loop adds states, of which there are few.
const maxRounds = 400

func (r *run) solve() {
	n := len(r.fn.Blocks)
	r.in = make([]*flow, n)
	if n == 0 {
		return
	}
	r.in[0] = newFlow()
	r.start(r.in[0], nil)
	rounds := make([]int, n)
	queue := []*ssa.BasicBlock{r.fn.Blocks[0]}
	for len(queue) > 0 {
		k := 0
		for i, b := range queue {
			if b.Index < queue[k].Index {
				k = i
			}
		}
		b := queue[k]
		queue = slices.Delete(queue, k, k+1)
		if rounds[b.Index]++; rounds[b.Index] > maxRounds {
			r.in = make([]*flow, n)
			return
		}
		out := r.block(b, r.in[b.Index].clone())
		if out == nil {
			continue
		}
		for k, s := range b.Succs {
			next := out.clone()
			if !r.edge(next, b, k) {
				continue
			}
			if r.in[s.Index] == nil {
				r.in[s.Index] = newFlow()
				r.in[s.Index].join(next)
				r.in[s.Index].defers = next.defers
			} else if !r.in[s.Index].join(next) {
				continue
			}
			if !slices.Contains(queue, s) {
				queue = append(queue, s)
			}
		}
	}
}

// finish looks at each block once more, with what is known at its start.
func (r *run) finish(report *[]Finding) {
	r.report = report
	r.exits = nil
	for _, b := range r.fn.Blocks {
		if r.in[b.Index] != nil {
			r.block(b, r.in[b.Index].clone())
		}
	}
	r.report = nil
}

// block follows the instructions of a block; nil if its end is not reached.
func (r *run) block(b *ssa.BasicBlock, f *flow) *flow {
	for _, in := range b.Instrs {
		if !r.instr(f, in) {
			return nil
		}
	}
	if len(b.Succs) == 0 {
		ret, _ := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if r.report != nil {
			r.exits = append(r.exits, leaving{ret, f})
		}
		return nil
	}
	return f
}

// edge goes from a block to its k-th successor; false if it cannot.
func (r *run) edge(f *flow, b *ssa.BasicBlock, k int) bool {
	if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if b.Succs[0] != b.Succs[1] && !r.assume(f, i.Cond, k == 0) {
			return false
		}
	}
	s := b.Succs[k]
	pred := slices.Index(s.Preds, b)
	type phi struct {
		o *object
		t *track
	}
	var phis []phi
	for _, in := range s.Instrs {
		v, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		x := r.rooted(v)
		if x == nil || x.value != v {
			continue
		}
		from := r.rooted(v.Edges[pred])
		for n, o := range x.objects {
			t := &track{}
			switch {
			case from == nil:
				if c, ok := v.Edges[pred].(*ssa.Const); !ok || !c.IsNil() {
					t = r.unknown(o)
				}
			case n < len(from.objects) && f.tracks[from.objects[n]] != nil:
				t = f.tracks[from.objects[n]].clone()
				t.dropEntries()
			}
			phis = append(phis, phi{o, t})
		}
	}
	for _, p := range phis {
		f.tracks[p.o] = p.t
	}
	return true
}

// dropEntries forgets which state of an input a configuration belongs to: a phi is no input.
func (t *track) dropEntries() {
	out := map[config]token.Pos{}
	for c, pos := range t.at {
		if c.entry == anyEntry {
			out[c] = pos
		}
	}
	t.at = out
}

// start begins the tracks of the roots that come into being where a value is defined; nil: at the entry.
func (r *run) start(f *flow, at ssa.Value) {
	for _, x := range r.starts[at] {
		for _, o := range x.objects {
			f.tracks[o] = r.initial(x, o)
		}
	}
}

// unknown is the track of an object of which nothing is known but its type.
func (r *run) unknown(o *object) *track {
	t := &track{shared: true}
	if !o.closed {
		t.lose()
		return t
	}
	o.protocol.all.each(func(st int) { t.add(config{entry: anyEntry, state: int8(st)}, token.NoPos) })
	return t
}

// initial is the track of an object where it comes into being.
func (r *run) initial(x *root, o *object) *track {
	switch x.origin {
	case inputOrigin:
		t := &track{}
		if o.closed { // else a caller may have changed it in ways that the protocol does not know
			t = r.unknown(o)
			t.shared = false
		}
		for st := range len(o.protocol.iface.States) {
			t.add(config{entry: int8(st), state: int8(st)}, token.NoPos)
		}
		return t
	case freshOrigin:
		states, shared := r.made(x, o)
		t := &track{}
		if states == 0 {
			t.lose()
			return t
		}
		states.each(func(st int) { t.add(config{entry: anyEntry, state: int8(st)}, x.value.Pos()) })
		if shared {
			t.share(o)
		}
		return t
	}
	return r.unknown(o)
}

// made returns the states in which a fresh object begins; 0 if they are not known.
func (r *run) made(x *root, o *object) (states set, shared bool) {
	var c *ssa.Call
	index := 0
	switch v := x.value.(type) {
	case *ssa.Alloc:
		return o.protocol.zero, false
	case *ssa.Call:
		c = v
	case *ssa.Extract:
		c, index = v.Tuple.(*ssa.Call), v.Index
	}
	fn := c.Call.StaticCallee()
	if s := r.entries(fn, x.value.Type())[o.protocol]; s != 0 {
		return s, false
	}
	if s := r.c.summary(fn); s != nil && index < len(s.Results) {
		res := s.Results[index]
		for _, st := range res.States {
			if st.Protocol == o.protocol.Name && st.Program == o.protocol.program() {
				return set(st.States), res.Shared
			}
		}
	}
	return 0, false
}

// inputsOf are the values that a call hands over: the receiver, the arguments, and what a closure captures.
func inputsOf(c ssa.CallInstruction) []ssa.Value {
	common := c.Common()
	if common.IsInvoke() {
		return append([]ssa.Value{common.Value}, common.Args...)
	}
	if m, ok := common.Value.(*ssa.MakeClosure); ok {
		return append(slices.Clone(common.Args), m.Bindings...)
	}
	return common.Args
}
