// SPDX-License-Identifier: Apache-2.0

package golang

// This file says where relevance starts: at explicit error sites, in the functions that
// clients call, and, under functions that recover, at the checks of the run time.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A site is an error of the code: what ends a run.
func (c *compiler) isSite(r *reach, i ssa.Instruction, coarse bool) bool {
	switch i := i.(type) {
	case *ssa.Panic:
		return (i.Pos().IsValid() || r.isOvercalled(i)) && !r.isRefuted(i) && c.kinds.mayPanicWith(staticMessage(i.X))
	case *ssa.Send:
		return c.kinds.block
	case *ssa.Select:
		return c.kinds.block && i.Blocking
	case *ssa.UnOp:
		return c.kinds.block && i.Op == token.ARROW
	case ssa.CallInstruction:
		if x := deferredPanic(i); x != nil {
			return c.kinds.mayPanicWith(staticMessage(x))
		}
		if g := r.known[i]; g != nil && c.ends(g) {
			return c.kinds.panicked()
		}
		if e := r.effects[i]; e != nil {
			return e.ends && !coarse || e.panics && c.kinds.panicked()
		}
	}
	return false
}

// deferredPanic returns what is panicked with by defer panic(x).
func deferredPanic(i ssa.Instruction) ssa.Value {
	d, ok := i.(*ssa.Defer)
	if !ok {
		return nil
	}
	if b, ok := d.Call.Value.(*ssa.Builtin); ok && b.Name() == "panic" {
		return d.Call.Args[0]
	}
	return nil
}

// Calls are the functions that lowering starts from: those that are calls of the
// component, those that make objects for them, of which all results count, and
// those that lead to such objects (chain.go), of which errors do not.
type calls struct {
	methods, makers, chains []*ssa.Function
	chosen                  []types.Type // of values that clients choose for objects that they declare or convert
}

// callsOf returns the functions that operations and makers call.
func (c *compiler) callsOf(operations []operation, makers []maker) calls {
	var out calls
	steps := func(k *maker, last *[]*ssa.Function) {
		out.chosen = append(out.chosen, k.chosen()...)
		for i := range k.steps {
			to := &out.makers
			if i == len(k.steps)-1 {
				to = last
			}
			s := &k.steps[i]
			if s.fn != nil {
				*to = append(*to, s.fn)
				continue
			}
			*to = append(*to, c.implementations(k.objectType(s.recv), s.name)...)
		}
	}
	for i := range makers {
		before := len(out.makers)
		steps(&makers[i], &out.makers)
		if makers[i].chain {
			out.chains = append(out.chains, out.makers[before:]...)
			out.makers = out.makers[:before]
		}
	}
	for i := range operations {
		if o := &operations[i]; o.fn != nil {
			out.methods = append(out.methods, o.fn)
		} else if o.calls != nil {
			steps(o.calls, &out.methods)
		}
	}
	return out
}

// implementations returns the methods of types of the component's package that a
// call of a method of an interface may be.
func (c *compiler) implementations(t types.Type, name string) []*ssa.Function {
	iface, ok := t.Underlying().(*types.Interface)
	_, method := c.methodOn(t, name)
	if !ok || method == nil {
		return nil
	}
	var all []*ssa.Function
	for _, pkg := range c.l.own() {
		scope := pkg.Pkg.Scope()
		for _, n := range scope.Names() {
			tn, ok := scope.Lookup(n).(*types.TypeName)
			if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
				continue
			}
			if named, ok := tn.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
				continue
			}
			for _, u := range []types.Type{tn.Type(), types.NewPointer(tn.Type())} {
				if types.Implements(u, iface) {
					if fn := c.method(u, method); fn != nil {
						all = append(all, fn)
					}
				}
			}
		}
	}
	return all
}

// caught makes checks of the run time relevant under a function that recovers:
// there they are no errors but ways to go on.
func (r *relevance) caught(fn *ssa.Function) {
	if fn.Recover == nil || !r.c.mayRecover(fn) {
		return
	}
	if r.coarse != nil {
		r.recoverers(fn)
		return
	}
	seen := map[*ssa.Function]bool{}
	var visit func(g *ssa.Function)
	visit = func(g *ssa.Function) {
		if seen[g] || r.checked[g] {
			return
		}
		seen[g] = true
		r.check(g)
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					for _, h := range r.targets[call] {
						visit(h)
					}
				}
			}
		}
	}
	visit(fn)
}

// check makes the checks of the run time of a function relevant.
func (r *relevance) check(fn *ssa.Function) {
	r.checked[fn] = true
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch x := i.(type) {
			case *ssa.Panic:
				r.happen(i)
			case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Index, *ssa.Slice, *ssa.SliceToArrayPointer, *ssa.MakeSlice, *ssa.Lookup, *ssa.Send:
				r.happen(i)
				if v, ok := i.(ssa.Value); ok {
					r.later(func() { r.operands(v.(ssa.Instruction)) })
				}
			case *ssa.UnOp:
				if x.Op == token.MUL {
					r.happen(i)
					r.need(x.X)
				}
			case *ssa.Store:
				r.happen(i)
			case *ssa.BinOp:
				switch x.Op.String() {
				case "/", "%", "<<", ">>":
					r.happen(i)
					r.need(x.X)
					r.need(x.Y)
				}
			case *ssa.TypeAssert:
				if !x.CommaOk {
					r.happen(i)
					r.need(x.X)
				}
			case *ssa.MapUpdate:
				r.happen(i)
			case *ssa.Call:
				r.happen(i)
			}
		}
	}
}
