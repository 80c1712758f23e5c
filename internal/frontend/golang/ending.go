// SPDX-License-Identifier: Apache-2.0

package golang

// This file says of loops whether they end. What comes after a loop does not depend on the loop's test in the sense of
// control.go, because every way out of it leads there; but if the loop never ends, an error after it is never met. So the
// tests of a loop are relevant, unless
//
//   - a number in it shows that it ends: it grows or shrinks by a constant in each round and is compared with one that stays
//     as it is, or it is shifted, divided or stripped of bits until it is zero; or the loop ranges over a map or text;
//   - the environment ends it: a test depends on what a call, a channel or a select gave in the loop;
//   - its tests depend on more than numbers. Then the convention *loops* says that it ends, as it does in coarse programs.
//
// A number of 32 bits or more that grows by more than one, or up to a limit that it may reach, is taken not to overflow.

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A loop is a natural loop: the blocks that lead back to its head.
type loop struct {
	head   *ssa.BasicBlock
	blocks map[*ssa.BasicBlock]bool
	back   []*ssa.BasicBlock // from which it goes back to the head
}

// maxEndSteps bounds the values that one test of a loop is computed from.
const maxEndSteps = 40

// loopsIn returns the loops of a function that a block dominates.
func loopsIn(fn *ssa.Function) (all []*loop) {
	for _, head := range fn.Blocks {
		l := &loop{head: head, blocks: map[*ssa.BasicBlock]bool{head: true}}
		for _, p := range head.Preds {
			if head.Dominates(p) {
				l.back = append(l.back, p)
			}
		}
		for work := l.back; len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !l.blocks[b] {
				l.blocks[b] = true
				work = append(work[:len(work):len(work)], b.Preds...)
			}
		}
		if len(l.back) > 0 {
			all = append(all, l)
		}
	}
	return all
}

// A loopEnd is what is known of the end of a loop.
type loopEnd int

const (
	endAssumed loopEnd = iota // the convention says that it ends
	endShown
	endTested // its tests decide
)

// leavingTests are the blocks of a function whose tests decide whether loops end of which that is not shown; assumed: the function
// has loops of which the convention says it.
func (c *compiler) leavingTests(fn *ssa.Function) (tests []*ssa.BasicBlock, assumed bool) {
	if known, ok := c.leaving[fn]; ok {
		return known.tests, known.assumed
	}
	if len(fn.Blocks) > 0 {
		for _, l := range loopsIn(fn) {
			switch exits := l.exits(); l.end(exits) {
			case endTested:
				tests = append(tests, exits...)
			case endAssumed:
				assumed = assumed || len(exits) > 0
			}
		}
	}
	if c.leaving == nil {
		c.leaving = map[*ssa.Function]loopTests{}
	}
	c.leaving[fn] = loopTests{tests, assumed}
	return tests, assumed
}

// loopTests is what leavingTests found of a function.
type loopTests struct {
	tests   []*ssa.BasicBlock
	assumed bool
}

// isLeaving reports whether the test at the end of a block decides whether a loop ends.
func (c *compiler) isLeaving(b *ssa.BasicBlock) bool {
	if c.isCoarse() || !c.l.owns(packageOf(b.Parent())) {
		return false
	}
	tests, _ := c.leavingTests(b.Parent())
	return slices.Contains(tests, b)
}

// leaving makes relevant what decides whether a function ends its loops.
func (r *relevance) leaving(fn *ssa.Function) {
	if !r.c.l.owns(packageOf(fn)) {
		return
	}
	tests, assumed := r.c.leavingTests(fn)
	if assumed || len(tests) > 0 && r.coarse != nil {
		r.c.convention(conventionLoops)
	}
	if r.coarse != nil {
		return
	}
	for _, b := range tests {
		r.branch(b)
	}
	if len(tests) > 0 {
		r.call(fn)
	}
}

// exits are the blocks of the loop with a test that may leave it.
func (l *loop) exits() (all []*ssa.BasicBlock) {
	for b := range l.blocks {
		if test(b) != nil && (!l.blocks[b.Succs[0]] || !l.blocks[b.Succs[1]]) {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b *ssa.BasicBlock) int { return cmp.Compare(a.Index, b.Index) })
	return all
}

func test(b *ssa.BasicBlock) *ssa.If {
	i, _ := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return i
}

// end says what is known of the end of the loop, given its exits.
func (l *loop) end(exits []*ssa.BasicBlock) loopEnd {
	scalar := true
	for _, b := range exits {
		x := test(b).Cond
		s := &endSearch{loop: l, seen: map[ssa.Value]bool{}}
		s.visit(x)
		shown := endTested
		if l.inEachRound(b) {
			shown = l.shows(x, l.blocks[b.Succs[0]])
		}
		if s.environment || shown == endShown {
			return endShown
		}
		scalar = scalar && !s.more && shown != endAssumed
	}
	if scalar {
		return endTested
	}
	return endAssumed
}

// inEachRound reports whether every round passes a block.
func (l *loop) inEachRound(b *ssa.BasicBlock) bool {
	for _, p := range l.back {
		if !b.Dominates(p) {
			return false
		}
	}
	return true
}

// An endSearch finds what a test depends on.
type endSearch struct {
	*loop
	seen              map[ssa.Value]bool
	environment, more bool // what the environment gave in the loop; what is no number
}

func (s *endSearch) visit(v ssa.Value) {
	if s.seen[v] {
		return
	}
	s.seen[v] = true
	if len(s.seen) > maxEndSteps {
		s.more = true
		return
	}
	i, ok := v.(ssa.Instruction)
	if !ok || !s.blocks[i.Block()] {
		b, basic := v.Type().Underlying().(*types.Basic)
		s.more = s.more || !basic || b.Info()&(types.IsInteger|types.IsBoolean) == 0
		return
	}
	switch i := i.(type) {
	case *ssa.Phi:
		for _, x := range i.Edges {
			s.visit(x)
		}
		return
	case *ssa.BinOp:
		s.visit(i.X)
		s.visit(i.Y)
		return
	case *ssa.Convert:
		s.visit(i.X)
		return
	case *ssa.UnOp:
		switch {
		case i.Op == token.ARROW:
			s.environment = true
		case i.Op != token.MUL:
			s.visit(i.X)
		case !isScalarLoad(i):
			s.more = true
		}
		return
	case *ssa.Extract:
		s.visit(i.Tuple)
		return
	case *ssa.Next, *ssa.Select:
		s.environment = true
		return
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok {
			s.more = s.more || b.Name() != "min" && b.Name() != "max"
			for _, x := range i.Call.Args {
				s.visit(x)
			}
			return
		}
		g := i.Call.StaticCallee()
		s.environment = s.environment || g != nil && packageOf(g) != packageOf(s.head.Parent()) && !isAtomic(g)
	}
	s.more = true
}

// isScalarLoad reports whether a load is of a number in a field or variable.
func isScalarLoad(i *ssa.UnOp) bool {
	b, ok := i.Type().Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsBoolean) == 0 {
		return false
	}
	switch a := i.X.(type) {
	case *ssa.Global, *ssa.Alloc, *ssa.FreeVar:
		return true
	case *ssa.FieldAddr:
		_, computed := a.X.(*ssa.IndexAddr)
		return !computed
	}
	return false
}

// shows says what a test that every round passes shows of the end of the loop. stays: the loop goes on if it holds.
func (l *loop) shows(v ssa.Value, stays bool) loopEnd {
	if not, ok := v.(*ssa.UnOp); ok && not.Op == token.NOT {
		return l.shows(not.X, !stays)
	}
	t, ok := v.(*ssa.BinOp)
	if !ok {
		return endTested
	}
	op := t.Op
	if !stays {
		op = negated[op]
	}
	if end := l.bounds(t.X, op, t.Y); end != endTested {
		return end
	}
	return l.bounds(t.Y, mirrored(op), t.X)
}

var negated = map[token.Token]token.Token{token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ, token.GEQ: token.LSS, token.EQL: token.NEQ, token.NEQ: token.EQL}

// bounds says whether a loop ends that goes on while x op y holds, because x changes towards y, which stays as it is.
func (l *loop) bounds(x ssa.Value, op token.Token, y ssa.Value) loopEnd {
	from, _ := plus(x)
	p, isPhi := from.(*ssa.Phi)
	if !isPhi || p.Block() != l.head || !l.isSteady(y, 0) {
		return endTested
	}
	basic, ok := p.Type().Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 {
		return endTested
	}
	if from == x && l.fades(p, op, y) {
		return endShown
	}
	least, most, ok := l.steps(p)
	if !ok || least == 0 || (least > 0) != (most > 0) {
		return endTested
	}
	// far: the counter stops before it overflows, whatever it is.
	far := least == most && (least == 1 || least == -1)
	wide := width(basic) >= noWrapWidth
	var towards bool
	switch op {
	case token.NEQ:
		towards, far = least == most && least%2 != 0, true
		wide = false
	case token.LSS:
		towards, far = least > 0, far || wide && isSmall(y)
	case token.LEQ:
		towards, far = least > 0, wide && isSmall(y)
	case token.GTR:
		towards, far = least < 0, far || wide && isSmall(y) && basic.Info()&types.IsUnsigned == 0
	case token.GEQ:
		towards, far = least < 0 && basic.Info()&types.IsUnsigned == 0, wide && isSmall(y)
	}
	switch {
	case towards && far:
		return endShown
	case towards && wide:
		return endAssumed
	}
	return endTested
}

// noWrapWidth is how wide counters are that are taken not to overflow.
const noWrapWidth = 32

// isSmall reports whether a value is far from the ends of numbers of 32 bits: a small constant, or a length.
func isSmall(v ssa.Value) bool {
	if call, ok := v.(*ssa.Call); ok {
		b, ok := call.Call.Value.(*ssa.Builtin)
		return ok && (b.Name() == "len" || b.Name() == "cap")
	}
	_, ok := intConst(v)
	return ok
}

// plus is a value as another one and a constant.
func plus(v ssa.Value) (x ssa.Value, c int64) {
	b, isBin := v.(*ssa.BinOp)
	if !isBin || b.Op != token.ADD && b.Op != token.SUB {
		return v, 0
	}
	if k, isConst := intConst(b.Y); isConst {
		if b.Op == token.SUB {
			k = -k
		}
		return b.X, k
	}
	if k, isConst := intConst(b.X); isConst && b.Op == token.ADD {
		return b.Y, k
	}
	return v, 0
}

func intConst(v ssa.Value) (int64, bool) {
	k, ok := v.(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.Int {
		return 0, false
	}
	n, exact := constant.Int64Val(k.Value)
	return n, exact && n > -maxStep && n < maxStep
}

// maxStep is how fast a counter goes that is taken not to overflow.
const maxStep = 1 << 20

// steps are the least and the most that a variable of the head changes by in a round.
func (l *loop) steps(p *ssa.Phi) (least, most int64, ok bool) {
	first := true
	var visit func(v ssa.Value, sum int64, depth int) bool
	visit = func(v ssa.Value, sum int64, depth int) bool {
		if v == ssa.Value(p) {
			if first {
				least, most, first = sum, sum, false
			}
			least, most = min(least, sum), max(most, sum)
			return true
		}
		if depth > maxEndDepth {
			return false
		}
		if q, isPhi := v.(*ssa.Phi); isPhi {
			if !l.blocks[q.Block()] {
				return false
			}
			for k, x := range q.Edges {
				if q.Block().Dominates(q.Block().Preds[k]) || !visit(x, sum, depth+1) {
					return false
				}
			}
			return true
		}
		x, c := plus(v)
		return x != v && visit(x, sum+c, depth+1)
	}
	for k, b := range l.head.Preds {
		if l.blocks[b] && !visit(p.Edges[k], 0, 0) {
			return 0, 0, false
		}
	}
	return least, most, !first
}

// maxEndDepth bounds how far a value is followed back.
const maxEndDepth = 8

// fades reports whether a variable is shifted, divided or stripped of a bit in each round, in a loop that goes on while it is not zero.
func (l *loop) fades(p *ssa.Phi, op token.Token, y ssa.Value) bool {
	zero, ok := intConst(y)
	unsigned := p.Type().Underlying().(*types.Basic).Info()&types.IsUnsigned != 0
	if !ok || !(zero == 0 && op == token.NEQ || zero >= 0 && op == token.GTR || zero > 0 && op == token.GEQ) {
		return false
	}
	for k, from := range l.head.Preds {
		if !l.blocks[from] {
			continue
		}
		b, ok := p.Edges[k].(*ssa.BinOp)
		if !ok || b.X != ssa.Value(p) {
			return false
		}
		n, isConst := intConst(b.Y)
		switch {
		case b.Op == token.SHR && isConst && n > 0 && (unsigned || op != token.NEQ):
		case b.Op == token.QUO && isConst && n > 1:
		case b.Op == token.AND && isLess(b.Y, p):
		default:
			return false
		}
	}
	return true
}

// isLess reports whether a value is x - 1.
func isLess(v ssa.Value, x *ssa.Phi) bool {
	of, c := plus(v)
	return of == ssa.Value(x) && c == -1
}

// isSteady reports whether a value is the same in all rounds.
func (l *loop) isSteady(v ssa.Value, depth int) bool {
	i, ok := v.(ssa.Instruction)
	if !ok || !l.blocks[i.Block()] {
		return true
	}
	if depth > maxEndDepth {
		return false
	}
	switch i := i.(type) {
	case *ssa.BinOp:
		return l.isSteady(i.X, depth+1) && l.isSteady(i.Y, depth+1)
	case *ssa.Convert:
		return l.isSteady(i.X, depth+1)
	case *ssa.FieldAddr:
		return l.isSteady(i.X, depth+1)
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return l.isQuiet() && l.isSteady(i.X, depth+1)
		}
		return i.Op != token.ARROW && l.isSteady(i.X, depth+1)
	case *ssa.Call:
		b, ok := i.Call.Value.(*ssa.Builtin)
		return ok && (b.Name() == "len" || b.Name() == "cap") && l.isQuietFor(i.Call.Args[0]) && l.isSteady(i.Call.Args[0], depth+1)
	}
	return false
}

// isQuietFor reports whether the length of a value is steady if the value is.
func (l *loop) isQuietFor(v ssa.Value) bool {
	switch v.Type().Underlying().(type) {
	case *types.Map, *types.Chan:
		return l.isQuiet()
	}
	return true
}

// isQuiet reports whether nothing in the loop writes.
func (l *loop) isQuiet() bool {
	for b := range l.blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Store, *ssa.MapUpdate, *ssa.Send, *ssa.Select, *ssa.Go, *ssa.Defer, *ssa.RunDefers:
				return false
			case *ssa.UnOp:
				if i.Op == token.ARROW {
					return false
				}
			case *ssa.Call:
				if b, ok := i.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" && b.Name() != "cap" {
					return false
				}
			}
		}
	}
	return true
}
