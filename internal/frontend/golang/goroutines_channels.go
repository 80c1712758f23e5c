// SPDX-License-Identifier: Apache-2.0

package golang

// This file says where a channel that a goroutine closes may have been made, going back along the flow of values. The classes of
// channels.go do not do: all channels that one helper function is given are one class there.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A channelOrigin is where a channel may have been made; unknown: elsewhere, too.
type channelOrigin struct {
	made    map[*ssa.MakeChan]bool
	unknown bool
}

// maxOrigins bounds the values that one search goes back through.
const maxOrigins = 2_000

// madeAs returns where a channel may have been made.
func (r *reach) madeAs(v ssa.Value) *channelOrigin {
	if known := r.channelsFrom[v]; known != nil {
		return known
	}
	if r.channelsFrom == nil {
		r.channelsFrom = map[ssa.Value]*channelOrigin{}
	}
	o := &channelOrigin{made: map[*ssa.MakeChan]bool{}}
	r.channelsFrom[v] = o
	seen := map[ssa.Value]bool{}
	for work := []ssa.Value{v}; len(work) > 0 && !o.unknown; {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[x] {
			continue
		}
		seen[x] = true
		if made, ok := x.(*ssa.MakeChan); ok {
			o.made[made] = true
			continue
		}
		from, known := r.comesFrom(x)
		o.unknown = o.unknown || !known || len(seen) > maxOrigins
		work = append(work, from...)
	}
	return o
}

// comesFrom returns the values that a channel may be; known is false if it may be others.
func (r *reach) comesFrom(v ssa.Value) (from []ssa.Value, known bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return nil, true // nil
	case *ssa.Phi:
		return v.Edges, true
	case *ssa.ChangeType:
		return []ssa.Value{v.X}, true
	case *ssa.Parameter:
		return r.argumentsFor(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return r.storedAt(v.X)
		}
	case *ssa.Call:
		return r.returnedBy(v, 0)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return r.returnedBy(call, v.Index)
		}
	}
	return nil, false
}

// argumentsFor returns what a parameter may be, if only code that is seen calls the function.
func (r *reach) argumentsFor(v *ssa.Parameter) (from []ssa.Value, known bool) {
	fn := v.Parent()
	if r.taken[fn] || token.IsExported(fn.Name()) || !r.c.l.owns(packageOf(fn)) || len(r.callers[fn]) == 0 {
		return nil, false
	}
	for _, call := range r.callers[fn] {
		x := argumentFor(call, fn, v)
		if x == nil {
			return nil, false
		}
		from = append(from, x)
	}
	return from, true
}

// storedAt returns what code of the component's package stores at an address, if nobody else does.
func (r *reach) storedAt(addr ssa.Value) (from []ssa.Value, known bool) {
	at := r.at(addr)
	if at == nil {
		return nil, false
	}
	switch rep := r.find(at).(type) {
	case pointedTo:
		return nil, false // its address goes elsewhere
	default:
		if !r.isOwnLocation(at) {
			return nil, false
		}
		for _, fn := range r.c.l.ownRuns() {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					s, ok := i.(*ssa.Store)
					if !ok {
						continue
					}
					if l := r.at(s.Addr); l != nil && r.find(l) == rep {
						from = append(from, s.Val)
					}
				}
			}
		}
	}
	return from, true
}

// returnedBy returns what a function of the component's package returns.
func (r *reach) returnedBy(call *ssa.Call, k int) (from []ssa.Value, known bool) {
	fn := call.Call.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 || !r.c.l.owns(packageOf(fn)) {
		return nil, false
	}
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && k < len(ret.Results) {
			from = append(from, ret.Results[k])
		}
	}
	return from, true
}

// isOwnLocation reports whether only the component's package can name a location: a field or variable of its own that is
// not exported, or a variable of a function.
func (r *reach) isOwnLocation(l location) bool {
	switch l := l.(type) {
	case *types.Var:
		return !l.Exported() && r.c.l.owns(l.Pkg())
	case *ssa.Global:
		return !token.IsExported(l.Name()) && r.c.l.owns(l.Pkg.Pkg)
	case *ssa.Alloc, *ssa.FreeVar:
		return true
	}
	return false
}
