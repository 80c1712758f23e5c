// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the channels of a package on which nobody sends: a receive from
// such a channel succeeds if and only if it is closed. Most are called done.
//
// Values, fields and variables that may hold the same channel are put into one
// class (Steensgaard, POPL 1996, with one class for each field of a struct type).
// Somebody may send on a class if an instruction does, or if code of another package
// may have the channel other than to receive from it: it came from there, or was
// given there. Telling channels apart by the type of their elements only was
// not enough: a package that uses chan struct{} as a semaphore has done channels too.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A channelNode is what may hold a channel: a value, a field, or what results have.
type channelNode struct {
	of    any // ssa.Value, *types.Var, *ssa.Function
	index int
}

// chanClasses are the classes of one package.
type chanClasses struct {
	pkg    *types.Package
	parent map[channelNode]channelNode
	sent   map[channelNode]bool // by representative, when all is done
	send   []channelNode
	opens  map[*ssa.Function]bool // functions that unknown code may call
	names  map[string]bool        // of methods that are called by way of interfaces
}

// quiet reports whether nobody sends on a channel that a function has.
func (c *compiler) quiet(fn *ssa.Function, v ssa.Value) bool {
	pkg := packageOf(fn)
	if pkg == nil {
		return false // a wrapper
	}
	x := c.chans[pkg]
	if x == nil {
		x = channelsOf(pkg, c.l.functionsOf()[pkg])
		if c.chans == nil {
			c.chans = map[*types.Package]*chanClasses{}
		}
		c.chans[pkg] = x
	}
	return !x.sent[x.find(channelNode{of: v})]
}

func channelsOf(pkg *types.Package, functions []*ssa.Function) *chanClasses {
	x := &chanClasses{pkg: pkg, parent: map[channelNode]channelNode{}, opens: map[*ssa.Function]bool{}, names: map[string]bool{}}
	for _, fn := range functions {
		if token.IsExported(fn.Name()) || fn.Synthetic != "" {
			x.opens[fn] = true
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				x.used(i)
			}
		}
	}
	for _, fn := range functions {
		if fn.Signature.Recv() != nil && x.names[fn.Name()] {
			x.opens[fn] = true
		}
	}
	for _, fn := range functions {
		x.function(fn)
	}
	x.sent = map[channelNode]bool{}
	for _, n := range x.send {
		x.sent[x.find(n)] = true
	}
	return x
}

// used notes functions that are values: it is not known who calls them.
func (x *chanClasses) used(i ssa.Instruction) {
	var static ssa.Value
	if call, ok := i.(ssa.CallInstruction); ok {
		if call.Common().IsInvoke() {
			x.names[call.Common().Method.Name()] = true
		} else {
			static = call.Common().Value
		}
	}
	var operands [16]*ssa.Value
	for n, op := range i.Operands(operands[:0]) {
		fn, ok := (*op).(*ssa.Function)
		if !ok || *op == static && n == 0 {
			continue
		}
		if m, ok := i.(*ssa.MakeClosure); ok && onlyCalled(m) {
			continue
		}
		x.opens[fn] = true
		if m, ok := fn.Object().(*types.Func); ok && fn.Synthetic != "" {
			x.names[m.Name()] = true // a method as a value
		}
	}
}

// onlyCalled reports whether a closure is only called where it is made.
func onlyCalled(m *ssa.MakeClosure) bool {
	for _, r := range *m.Referrers() {
		call, ok := r.(ssa.CallInstruction)
		if !ok || call.Common().Value != m {
			return false
		}
		for _, a := range call.Common().Args {
			if a == m {
				return false
			}
		}
	}
	return true
}

func (x *chanClasses) find(n channelNode) channelNode {
	root := n
	for {
		p, ok := x.parent[root]
		if !ok {
			break
		}
		root = p
	}
	for n != root {
		n, x.parent[n] = x.parent[n], root
	}
	return root
}

func (x *chanClasses) same(a, b channelNode) {
	if a, b = x.find(a), x.find(b); a != b {
		x.parent[a] = b
	}
}

// channelDir is the type of a channel, or of a pointer to one, which is not told apart
// from it.
func channelDir(t types.Type) (types.ChanDir, bool) {
	for {
		p, ok := t.Underlying().(*types.Pointer)
		if !ok {
			break
		}
		t = p.Elem()
	}
	c, ok := t.Underlying().(*types.Chan)
	if !ok {
		return 0, false
	}
	return c.Dir(), true
}

// leaves notes that code outside gets a value.
func (x *chanClasses) leaves(v ssa.Value) {
	if dir, ok := channelDir(v.Type()); ok && (dir != types.RecvOnly || isPointer(v.Type())) {
		x.send = append(x.send, channelNode{of: v})
	}
}

// comes notes that a value is from outside.
func (x *chanClasses) comes(v ssa.Value) {
	if _, ok := channelDir(v.Type()); ok {
		x.send = append(x.send, channelNode{of: v})
	}
}

// field is the class of a field.
func (x *chanClasses) field(v ssa.Value, t types.Type, index int) {
	if _, ok := channelDir(v.Type()); !ok {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		x.comes(v)
		return
	}
	f := s.Field(index)
	x.same(channelNode{of: v}, channelNode{of: f.Origin()})
	if f.Exported() || f.Pkg() != x.pkg {
		x.comes(v)
	}
}

func (x *chanClasses) function(fn *ssa.Function) {
	if x.opens[fn] {
		for _, p := range fn.Params {
			x.comes(p)
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			x.instruction(fn, i)
		}
	}
}

func (x *chanClasses) instruction(fn *ssa.Function, i ssa.Instruction) {
	same := func(a, b ssa.Value) {
		if _, ok := channelDir(a.Type()); ok {
			x.same(channelNode{of: a}, channelNode{of: b})
		}
	}
	switch i := i.(type) {
	case *ssa.Send:
		x.send = append(x.send, channelNode{of: i.Chan})
		x.leaves(i.X)
	case *ssa.Select:
		for _, s := range i.States {
			if s.Dir == types.SendOnly {
				x.send = append(x.send, channelNode{of: s.Chan})
				x.leaves(s.Send)
			}
		}
	case *ssa.Store:
		same(i.Val, i.Addr)
		if g, ok := i.Addr.(*ssa.Global); ok && (g.Object() == nil || g.Object().Exported() || g.Pkg.Pkg != x.pkg) {
			x.comes(i.Val)
		}
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			same(i, i.X)
			if g, ok := i.X.(*ssa.Global); ok && (g.Object() == nil || g.Object().Exported() || g.Pkg.Pkg != x.pkg) {
				x.comes(i)
			}
		case token.ARROW:
			x.comes(i) // a channel that came by a channel
		}
	case *ssa.FieldAddr:
		x.field(i, i.X.Type(), i.Field)
	case *ssa.Field:
		x.field(i, i.X.Type(), i.Field)
	case *ssa.Phi:
		for _, e := range i.Edges {
			same(i, e)
		}
	case *ssa.ChangeType:
		same(i, i.X)
		x.converted(i.X.Type())
		x.converted(i.Type())
	case *ssa.MakeClosure:
		target := i.Fn.(*ssa.Function)
		for k, v := range i.Bindings {
			same(v, target.FreeVars[k])
		}
	case *ssa.Return:
		for k, v := range i.Results {
			if _, ok := channelDir(v.Type()); ok {
				x.same(channelNode{of: v}, channelNode{fn, k})
			}
			if x.opens[fn] {
				x.leaves(v)
			}
		}
	case *ssa.Extract:
		if call, ok := i.Tuple.(*ssa.Call); ok && x.follows(call.Common()) != nil {
			if _, ok := channelDir(i.Type()); ok {
				x.same(channelNode{of: i}, channelNode{x.follows(call.Common()), i.Index})
			}
			return
		}
		x.comes(i)
	case ssa.CallInstruction:
		x.call(i)
	case *ssa.MakeChan, *ssa.Alloc:
	case *ssa.MapUpdate:
		x.leaves(i.Key)
		x.leaves(i.Value)
	default:
		// What goes into something else is not followed, nor is what comes out.
		if v, ok := i.(ssa.Value); ok {
			x.comes(v)
		}
		var operands [16]*ssa.Value
		for _, op := range i.Operands(operands[:0]) {
			if *op != nil {
				x.leaves(*op)
			}
		}
	}
}

// converted notes that values of a struct type become values of another: their
// fields are not followed.
func (x *chanClasses) converted(t types.Type) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			x.send = append(x.send, channelNode{of: f.Origin()})
		}
	}
}

// follows is the function that is called, if it is of this package and known.
func (x *chanClasses) follows(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	if fn == nil || fn.Blocks == nil {
		return nil
	}
	if packageOf(fn) != x.pkg {
		return nil
	}
	return fn
}

func (x *chanClasses) call(i ssa.CallInstruction) {
	c := i.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok && (b.Name() == "close" || b.Name() == "len" || b.Name() == "cap") {
		return
	}
	fn := x.follows(c)
	for k, a := range c.Args {
		if _, ok := channelDir(a.Type()); !ok {
			continue
		}
		if fn != nil && k < len(fn.Params) {
			x.same(channelNode{of: a}, channelNode{of: fn.Params[k]})
		} else {
			x.leaves(a)
		}
	}
	v := i.Value()
	if v == nil {
		return
	}
	if _, ok := channelDir(v.Type()); !ok {
		return
	}
	if fn != nil {
		x.same(channelNode{of: v}, channelNode{fn, 0})
	} else {
		x.comes(v)
	}
}

// sends reports whether code that is reached, other than by goroutines, sends values of a type.
func (r *reach) sends(elem types.Type) bool {
	if r.sent == nil {
		r.sent = map[int]bool{}
		for _, fn := range r.fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					switch i := i.(type) {
					case *ssa.Send:
						r.sent[r.id(i.X.Type())] = true
					case *ssa.Select:
						for _, s := range i.States {
							if s.Dir == types.SendOnly {
								r.sent[r.id(s.Send.Type())] = true
							}
						}
					}
				}
			}
		}
	}
	return r.sent[r.id(elem)]
}
