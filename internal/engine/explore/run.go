// SPDX-License-Identifier: Apache-2.0

package explore

// This file runs compiled calls: all runs of one call from one state, by
// depth-first search over configurations (location, frame).

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
)

// A TooWideError says that values would have to be enumerated that are too many.
type TooWideError struct {
	What string
	Type prog.Type
}

// Error implements error.
func (e *TooWideError) Error() string {
	if e.Type == (prog.Type{}) {
		return e.What
	}
	return fmt.Sprintf("%s ranges over all of %s, which is too wide to enumerate; try -width 8", e.What, e.Type)
}

// A BudgetError says which budget ran out.
type BudgetError struct {
	What  string
	Limit int
}

// Error implements error.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("budget exhausted: more than %d %s", e.Limit, e.What)
}

// A runner runs calls for one worker.
type runner struct {
	limit int // of steps of all runs of one call from one state
	cur   frame
	stack []pending
	free  []frame
	seen  map[string]bool
	key   []byte
	steps int // of all runs
}

type pending struct {
	loc int32
	f   frame
}

func (r *runner) push(loc int32, src frame) frame {
	var f frame
	if n := len(r.free); n > 0 {
		f, r.free = r.free[n-1][:0], r.free[:n-1]
	}
	f = append(f, src...)
	r.stack = append(r.stack, pending{loc, f})
	return f
}

// run runs c from the state values in state with the given arguments, calls
// returned for each run that returns (the frame is valid during the call only)
// and failed for each run that errs. The same return may be reported twice.
func (r *runner) run(ctx context.Context, c *code, state, args []uint64, returned func(frame), failed func(site int32)) error {
	if cap(r.cur) < c.size {
		r.cur = make(frame, c.size)
	}
	cur := r.cur[:c.size]
	copy(cur, state)
	clear(cur[len(state):])
	for i, s := range c.params {
		if s >= 0 {
			cur[s] = args[i]
		}
	}
	clear(r.seen)
	r.stack = r.stack[:0] // of a run that was too long
	loc := int32(c.method.Entry)
	var enabled [8]int
	quiet := 8*len(c.locs) + 64 // steps before loops are watched
	for steps := 0; ; steps++ {
		r.steps++
		// What is put aside takes a step each: that it is too much is known at once.
		if steps+len(r.stack) > r.limit {
			return &BudgetError{fmt.Sprintf("steps in one call of %s (%s)", c.method.Name, c.method.Pos), r.limit}
		}
		if steps&0xfff == 0xfff && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		done := false
		switch {
		case int(loc) == c.method.Exit:
			returned(cur)
			done = true
		case c.site[loc] >= 0:
			failed(c.site[loc])
			done = true
		case c.blamed[loc]:
			done = true
		case c.heads[loc] && steps > quiet && !r.fresh(loc, cur):
			done = true
		}
		if !done {
			ins := c.locs[loc]
			on := enabled[:0]
			for i := range ins {
				if ins[i].cond == nil || ins[i].cond(cur) != 0 {
					on = append(on, i)
				}
			}
			// All but the first enabled edge are put aside.
			for i := len(on) - 1; i > 0; i-- {
				r.take(&ins[on[i]], r.push(ins[on[i]].to, cur))
			}
			if len(on) > 0 {
				in := &ins[on[0]]
				r.take(in, cur)
				loc = in.to
				continue
			}
		}
		n := len(r.stack)
		if n == 0 {
			return nil
		}
		loc = r.stack[n-1].loc
		copy(cur, r.stack[n-1].f)
		r.free = append(r.free, r.stack[n-1].f)
		r.stack = r.stack[:n-1]
	}
}

// take executes the effect of an edge on f, pushing the other values of a havoc.
func (r *runner) take(in *instr, f frame) {
	switch {
	case in.count > 0:
		s := in.slots[0]
		for v := in.count - 1; v > 0; v-- {
			r.push(in.to, f)[s] = v
		}
		f[s] = 0
	case len(in.slots) == 1:
		f[in.slots[0]] = in.exprs[0](f)
	case len(in.slots) > 1:
		var buf [8]uint64
		vals := buf[:0]
		for _, e := range in.exprs {
			vals = append(vals, e(f))
		}
		for i, s := range in.slots {
			f[s] = vals[i]
		}
	}
}

// fresh records the configuration and reports whether it is new.
func (r *runner) fresh(loc int32, f frame) bool {
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.key = binary.LittleEndian.AppendUint32(r.key[:0], uint32(loc))
	for _, v := range f {
		r.key = binary.LittleEndian.AppendUint64(r.key, v)
	}
	if r.seen[string(r.key)] {
		return false
	}
	r.seen[string(r.key)] = true
	return true
}

// tuples enumerates the argument tuples of the parameters that matter, in
// order of their codes, first parameter slowest. Other parameters are zero.
func tuples(m *prog.Method, keep map[*prog.Var]bool) ([][]uint64, error) {
	size := make([]uint64, len(m.Params))
	total := uint64(1)
	for i, v := range m.Params {
		size[i] = 1
		if keep[v] {
			n, ok := domainSize(v.Type)
			if !ok || n > maxDomain {
				return nil, &TooWideError{What: fmt.Sprintf("%s: parameter %s of %s", v.Pos, v.Name, m.Name), Type: v.Type}
			}
			size[i] = n
		}
		if total *= size[i]; total > maxDomain {
			return nil, &TooWideError{What: fmt.Sprintf("%s: the arguments of %s have more than %d combinations; try -width 4", m.Pos, m.Name, maxDomain)}
		}
	}
	out := make([][]uint64, 0, total)
	cur := make([]uint64, len(m.Params))
	for {
		out = append(out, slices.Clone(cur))
		i := len(cur) - 1
		for ; i >= 0; i-- {
			if cur[i]++; cur[i] < size[i] {
				break
			}
			cur[i] = 0
		}
		if i < 0 {
			return out, nil
		}
	}
}
