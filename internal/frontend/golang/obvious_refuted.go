// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds explicit panics that no run comes to, by the means with which checks of the run time are proved:
//
//	s = slices.Grow(s, len(list)-count(list))    // not negative: no more are counted than there are
//
// A contract says that the call panics if its second argument is negative. And a panic of the code is out of
// reach if each way to its block is: by a test that cannot come out so, or from a block that is out of
// reach itself. Around a loop that is induction over the steps of a run: the first of the blocks that is
// reached is reached from outside.
//
// Such panics are no error sites. In the same way blocks are found that no run comes to and in which the component makes an error that it returns
// or keeps. Nothing of such a block is lowered, and no error comes from there. The rule is
// about the block and not about what is done with the error: whatever code does there, it is not run. So nobody may call a function with
// arguments that lead there, not even at his own risk: what the block keeps would be the state of later calls. These proofs know
// all calls of the functions that they speak of, or do not use what arguments are (strict).
//
// What the proofs rest on is listed as for checks. One convention
// is not: that other code answers for what it hands over to functions of the component counts only
// where errors of the environment do not.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"
)

// Limits of finding such panics: of the blocks before one that are looked at, and of the steps of all proofs.
const (
	maxBefore  = 12
	maxRefutes = 200_000
	maxUnmade  = 50_000 // of those about errors that are made
)

// A refuted is what was found out about explicit panics, and about errors that are made.
type refuted struct {
	never   map[ssa.Instruction]bool // panics, and calls that contracts speak of
	grows   map[ssa.Instruction]bool // calls that make a buffer larger by a number that is not negative
	blocks  map[*ssa.BasicBlock]bool // that no run comes to, of those that make errors
	used    map[string]bool          // conventions
	clauses map[string]bool          // contracts
}

// refute finds the panics of the code that no run comes to.
func (c *compiler) refute(from calls, makers []maker) {
	r := c.reach
	if r.refuted == nil && (c.kinds.panicked() || c.kinds.anyReturn()) && !c.o.BlameAny && !c.o.Wrap {
		r.refuted = &refuted{map[ssa.Instruction]bool{}, map[ssa.Instruction]bool{}, map[*ssa.BasicBlock]bool{}, map[string]bool{}, map[string]bool{}}
		if c.kinds.panicked() {
			r.findRefuted(r.refuted, from, makers)
		}
		if c.kinds.anyReturn() {
			r.findUnmade(r.refuted, from, makers)
		}
	}
	if r.refuted != nil {
		maps.Copy(c.used, r.refuted.used)
		maps.Copy(c.clauses, r.refuted.clauses)
	}
}

// ownPanics counts the panics that are written in the component's own code which a call may run, whether or not
// a run comes to them. Code that constants make dead is not counted, code that fields make dead which nothing sets is.
func (r *reach) ownPanics() int {
	if r.panics != nil {
		return *r.panics
	}
	n := 0
	for _, fn := range r.fns {
		if pkg := packageOf(fn); pkg == nil || !r.c.l.owns(pkg) {
			continue
		}
		dead := r.c.deadBlocks(fn)
		for _, b := range fn.Blocks {
			if dead[b] {
				continue
			}
			for _, i := range b.Instrs {
				if p, ok := i.(*ssa.Panic); ok && p.Pos().IsValid() || deferredPanic(i) != nil {
					n++
				}
			}
		}
	}
	return n
}

// isRefuted reports whether an instruction is a panic that no run comes to, or a call that does not panic.
func (r *reach) isRefuted(i ssa.Instruction) bool { return r.refuted != nil && r.refuted.never[i] }

// refutedCall reports whether the call at hand is one of a function that does not panic there, whatever its
// contract says.
func (f *frame) refutedCall(obj types.Object) bool {
	call, ok := f.instr.(*ssa.Call)
	if !ok || obj == nil || f.c.alone || !f.c.reach.isRefuted(call) {
		return false
	}
	g := call.Call.StaticCallee()
	return g != nil && originOf(g).Object() == obj
}

// isUnrun reports whether a block makes an error and no run comes to it.
func (r *reach) isUnrun(b *ssa.BasicBlock) bool {
	return r != nil && r.refuted != nil && r.refuted.blocks[b]
}

// findUnmade finds the blocks in which the component's own code makes an error and that no run comes to.
func (r *reach) findUnmade(out *refuted, from calls, makers []maker) {
	var p *prover
	for _, fn := range r.fns {
		if _, followed := r.abroad[fn]; !followed || packageOf(fn) == nil || !r.c.l.owns(packageOf(fn)) {
			continue
		}
		for _, b := range fn.Blocks {
			if !r.makesError(b) {
				continue
			}
			if p == nil {
				p = newProver(r.c, from, makers)
				p.wary, p.strict = true, true
			}
			if p.all > maxUnmade {
				break
			}
			if p.prove(func() bool { return p.isOut(b, map[*ssa.BasicBlock]bool{}) }) {
				out.blocks[b] = true
			}
		}
	}
	if len(out.blocks) > 0 {
		maps.Copy(out.used, p.used)
		maps.Copy(out.clauses, p.clauses)
	}
}

// makesError reports whether a block reads a package variable that is an error, or makes an error.
func (r *reach) makesError(b *ssa.BasicBlock) bool {
	for _, i := range b.Instrs {
		switch i := i.(type) {
		case *ssa.UnOp:
			if g, ok := i.X.(*ssa.Global); ok && i.Op == token.MUL && r.c.sentinel(g) != nil {
				return true
			}
		case *ssa.MakeInterface:
			if isErrorType(i.Type()) {
				return true
			}
		case *ssa.Call:
			if g := i.Call.StaticCallee(); g != nil && (nameOf(g) == "errors.New" || nameOf(g) == "fmt.Errorf") {
				return true
			}
		}
	}
	return false
}

func (r *reach) findRefuted(out *refuted, from calls, makers []maker) {
	p := newProver(r.c, from, makers)
	p.wary = true // objects that others have, they may change at any time
	defer func() {
		if len(out.never)+len(out.grows) > 0 {
			maps.Copy(out.used, p.used)
			maps.Copy(out.clauses, p.clauses)
		}
	}()
	for _, fn := range r.fns {
		if _, followed := r.abroad[fn]; !followed {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if p.all > maxRefutes {
					return
				}
				switch i := i.(type) {
				case *ssa.Panic:
					if i.Pos().IsValid() && p.prove(func() bool { return p.isOut(b, map[*ssa.BasicBlock]bool{}) }) {
						out.never[i] = true
					}
				case *ssa.Call:
					if n := grownBy(i); n != nil && p.prove(func() bool { n, k := p.normal(n); return p.le(bound{}, n, k, pointAt(i)) }) {
						out.grows[i] = true
					}
					e := r.effects[i]
					g := i.Call.StaticCallee()
					if e == nil || !e.panics || g == nil || !r.c.replaced(g) {
						continue
					}
					if p.prove(func() bool { return p.neverPanics(i, g) }) {
						out.never[i] = true
						e.panics, e.ends = false, e.waits
					}
				}
			}
		}
	}
}

// grownBy is the number by which a call makes a buffer of text larger; nil if it makes none larger.
func grownBy(i *ssa.Call) ssa.Value {
	if g := i.Call.StaticCallee(); g != nil && (nameOf(g) == "(*strings.Builder).Grow" || nameOf(g) == "(*bytes.Buffer).Grow") {
		return i.Call.Args[1]
	}
	return nil
}

// growsRight reports whether a call makes a buffer larger by a number that was proved not to be negative.
func (r *reach) growsRight(i ssa.Instruction) bool { return r.refuted != nil && r.refuted.grows[i] }

// isOut reports whether no run comes to a block.
func (p *prover) isOut(b *ssa.BasicBlock, seen map[*ssa.BasicBlock]bool) bool {
	if seen[b] {
		return true // by induction
	}
	if p.steps++; len(b.Preds) == 0 || len(seen) >= maxBefore || p.steps > p.limit || b == b.Parent().Recover {
		return false
	}
	seen[b] = true
	for _, from := range b.Preds {
		if !p.notTaken(from, b) && !p.isOut(from, seen) {
			return false
		}
	}
	return true
}

// notTaken reports whether control does not go from the end of a block to another one.
func (p *prover) notTaken(from, to *ssa.BasicBlock) bool {
	n := len(from.Instrs)
	branch, ok := from.Instrs[n-1].(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] {
		return false
	}
	return p.isNot(branch.Cond, to == from.Succs[0], point{b: from, n: n - 1})
}

// isNot reports whether a condition does not have a value at a point.
func (p *prover) isNot(cond ssa.Value, value bool, at point) bool {
	switch x := cond.(type) {
	case *ssa.UnOp:
		return x.Op == token.NOT && p.isNot(x.X, !value, at) || !value && p.isReady(x)
	case *ssa.BinOp:
		op := x.Op
		if !value {
			op = opposite(op)
		}
		if isNilConst(x.X) || isNilConst(x.Y) {
			y := x.X
			if isNilConst(y) {
				y = x.Y
			}
			return op == token.EQL && !isNilConst(y) && p.notNil(y, at) || op == token.NEQ && p.passedField(y, true)
		}
		if p.isNotCase(x, value, at.b) {
			return true
		}
		if op == token.NEQ && (p.isSelf(x.X, x.Y, at) || p.isSelf(x.Y, x.X, at)) {
			return true
		}
		if !p.ordered(x.X.Type()) {
			return false
		}
		a, i := p.normal(x.X)
		b, j := p.normal(x.Y)
		return p.contradicts(a, i, op, b, j, at)
	}
	return false
}

// ordered reports whether numbers of a type are compared as numbers are here: with a sign.
func (p *prover) ordered(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && (b.Info()&types.IsUnsigned == 0 || width(b) < 64)
}

// opposite is the comparison that holds where another one does not.
func opposite(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GEQ
	case token.LEQ:
		return token.GTR
	case token.GTR:
		return token.LEQ
	case token.GEQ:
		return token.LSS
	case token.EQL:
		return token.NEQ
	case token.NEQ:
		return token.EQL
	}
	return token.ILLEGAL
}

// contradicts reports whether a + i op b + j does not hold at a point.
func (p *prover) contradicts(a bound, i int64, op token.Token, b bound, j int64, at point) bool {
	for _, k := range []int64{i, j} {
		if k > maxBound || k < -maxBound {
			return false
		}
	}
	above := func(more int64) bool { return p.le(b, a, i-j-more, at) } // a + i >= b + j + more
	below := func(more int64) bool { return p.le(a, b, j-i-more, at) }
	switch op {
	case token.LSS:
		return above(0)
	case token.LEQ:
		return above(1)
	case token.GTR:
		return below(0)
	case token.GEQ:
		return below(1)
	case token.EQL:
		return above(1) || below(1)
	case token.NEQ:
		return above(0) && below(0)
	}
	return false
}

// neverPanics reports whether a call does not panic, of which contracts say when it does.
func (p *prover) neverPanics(call *ssa.Call, g *ssa.Function) bool {
	for _, r := range p.c.rules(originOf(g).Object()) {
		for _, q := range r.properties {
			if q.kind != panicsIf {
				continue
			}
			if len(q.chain) != 1 || !p.refutes(call, r, q.chain[0]) {
				return false
			}
			p.clauses[r.text] = true
		}
	}
	return true
}

// refutes reports whether a condition of a contract does not hold at a call.
func (p *prover) refutes(call *ssa.Call, r rule, e ast.Expr) bool {
	at := pointAt(call)
	args := call.Call.Args
	if call.Call.Signature().Recv() != nil && len(args) > 0 {
		args = args[1:]
	}
	named := func(e ast.Expr) ssa.Value {
		id, ok := e.(*ast.Ident)
		if !ok {
			return nil
		}
		for i, name := range r.params {
			if name == id.Name && i < len(args) {
				return args[i]
			}
		}
		return nil
	}
	number := func(e ast.Expr) (bound, int64, bool) {
		switch e := e.(type) {
		case *ast.BasicLit:
			v := constant.MakeFromLiteral(e.Value, e.Kind, 0)
			i, exact := constant.Int64Val(constant.ToInt(v))
			return bound{}, i, exact && v.Kind() == constant.Int
		case *ast.CallExpr:
			f, ok := e.Fun.(*ast.Ident)
			if !ok || f.Name != "len" || len(e.Args) != 1 {
				break
			}
			if x := named(e.Args[0]); x != nil && hasLength(x.Type()) {
				n, k := p.length(x)
				return n, k, true
			}
		case *ast.Ident:
			if x := named(e); x != nil && p.ordered(x.Type()) {
				n, k := p.normal(x)
				return n, k, true
			}
		}
		return bound{}, 0, false
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return p.refutes(call, r, e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return p.refutes(call, r, e.X) || p.refutes(call, r, e.Y)
		case token.LOR:
			return p.refutes(call, r, e.X) && p.refutes(call, r, e.Y)
		}
		if id, ok := e.Y.(*ast.Ident); ok && id.Name == "nil" {
			x := named(e.X)
			return x != nil && e.Op == token.EQL && p.notNil(x, at)
		}
		a, i, ok1 := number(e.X)
		b, j, ok2 := number(e.Y)
		return ok1 && ok2 && p.contradicts(a, i, e.Op, b, j, at)
	}
	return false
}
