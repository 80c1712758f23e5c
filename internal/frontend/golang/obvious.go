// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves, on SSA and before anything is lowered, that checks of the run
// time for nil cannot fail; obvious_bounds.go does it for indices, obvious_field.go
// has the invariants of fields and obvious_lock.go is about locks. A proof is one of
// these, each of which is sound by itself:
//
//   - the value is an allocation, an address, a function, a new map or channel, a
//     value that was put into an interface;
//   - a test for nil decides that control is here, or an instruction that would
//     have panicked came before (dominance);
//   - the same for another load of the same variable, if nothing between the two
//     loads can write it (reach.go says what code writes);
//   - stores before it wrote something that is not nil, or it was tested, on each way, and
//     nothing between wrote;
//   - it is the receiver of a method that clients call (a convention), or a parameter
//     that is not nil in any call;
//   - it is a field that all callers have tested (obvious_passed.go);
//   - it is a parameter of a function literal that other packages are given (obvious_handed.go);
//   - it is the result of a function that never returns nil there, or not without
//     an error (for code without a body, and calls of interfaces, the convention
//     pointer-error), and the error was tested;
//   - it was in an interface into which its package puts only pointers that are not nil;
//   - it is a package variable that only initialization assigns, a field that
//     is never nil, or not nil where a flag is not set (obvious_flag.go), or a variable that function
//     literals see and nobody sets to nil;
//   - it is a key or an element of a container into which its package puts nothing that is
//     nil (obvious_elements.go);
//   - it is in an object that a client gave to a constructor, which looked at it
//     (obvious_validated.go).
//
// Of values that meet at a join, only those count that came by a way on which control can have
// come (obvious_joins.go).
//
// A proof may use what it proves about values that exist earlier in a run: around
// a loop, and between functions that call each other. That is induction over the
// steps of a run. Nothing that was proved with such an assumption is kept beyond the
// proof of the assumption itself.
//
// A forward data-flow analysis of all values was not chosen: most values are never
// checked, and the facts that are needed are few.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Limits of one proof, in steps, and of all proofs of a component.
const (
	maxProof  = 4_000
	maxProofs = 2_000_000
)

// A prover proves facts about the code of a component.
type prover struct {
	*reach
	receivers map[*ssa.Function]bool // methods whose receiver is the component
	entries   map[*ssa.Function]bool // what clients call
	zero      bool                   // clients make the component without a constructor
	sited     bool                   // the component starts where code allocates it

	known     map[fact]bool // facts that are decided
	active    map[fact]int  // facts that are being proved, by how deep: assumed
	segments  map[segment]bool
	loads     map[*ssa.Function]map[location][]*ssa.UnOp
	running   *fieldScan // of what runs
	coming    map[comes]bool
	live      map[*ssa.Function]bool
	tables    map[*ssa.Global][]int64
	elsewhere map[*types.TypeName]*prover // see obvious_abroad.go
	locks     map[location]bool
	asking    map[*ssa.Function]bool
	steps     int
	limit     int                                     // of one proof
	needed    map[given]bool                          // arguments that were taken for not nil; nil: none is
	variables map[*types.Package]*fieldScan           // what the code outside of a package declares
	mineAll   []*ssa.Function                         // see mine
	early     map[*types.Package]*early               // see obvious_early.go
	values    map[*ssa.Function]bool                  // functions that a package makes values of
	byName    map[*ssa.Function][]ssa.CallInstruction // calls of functions that are only called by name
	calling   map[*types.Package]*indirect            // see obvious_handed.go
	valued    map[types.Object]bool                   // functions and methods that code makes values of; nil: not known yet
	trusted   *types.Package                          // clients give its functions nothing that is nil; see obvious_need.go
	all       int
	round     int             // how many joins the proof at hand has gone back through
	rounds    map[fact]int    // when facts were met
	low       int             // the outermost fact that was assumed
	used      map[string]bool // conventions
	clauses   map[string]bool // contracts
	settings  *settings
	away      bool // the type is one of another package; see obvious_abroad.go
	wary      bool // calls may write anything, unless they write nothing
	strict    bool // the environment does not answer for what it hands over to functions of the component
}

// A fact is something to prove. Which one it is depends on the kind.
type fact struct {
	kind factKind
	v    any // ssa.Value, *ssa.Function or *types.Var
	k    int
	at   point
	with bound
	in   *types.Package // that is trusted
}

type factKind uint8

const (
	valueFact     factKind = iota + 1 // v is not nil at a point
	resultFact                        // result k of v is never nil
	pairFact                          // result k of v is not nil, or its last result, an error, is not
	paramFact                         // parameter k of v is never nil
	fieldFact                         // the field v is never nil
	boxFact                           // pointers to v are never nil in an interface
	globalFact                        // the package variable v is never nil
	atMost                            // a bound is at most another one and a constant, k
	memoryFact                        // what is at the address v is not nil at a point
	answerFact                        // v is computed from an answer of the environment
	typeFact                          // the container v holds only values of the type k
	capturedFact                      // what is stored in the variable v is never nil
	lengthFact                        // what is at the address v has at least k elements at a point
	eitherFact                        // one of the values v, or an error beside it, is not nil at a point
	invariantFact                     // objects have the invariant v
	contentFact                       // elements, or keys, of containers at the location v are not nil
	poolFact                          // v comes out of a pool
	selfFact                          // the field v is nil or the address of its object
	claimFact                         // the claim v holds of all objects, or the function establishes it
	passedFact                        // the field v, a passed, is nil or is not at a point
	readyFact                         // v, a readiness, holds
	handedFact                        // parameter k of the function literal v is never nil
)

// A point is a place in the code: before an instruction of a block, or on the way
// from the end of a block to another.
type point struct {
	b  *ssa.BasicBlock
	n  int
	to *ssa.BasicBlock
}

func pointAt(i ssa.Instruction) point {
	b := i.Block()
	for n, x := range b.Instrs {
		if x == i {
			return point{b: b, n: n}
		}
	}
	return point{b: b}
}

func newProver(c *compiler, from calls, makers []maker) *prover {
	p := &prover{reach: c.reach, receivers: map[*ssa.Function]bool{}, entries: map[*ssa.Function]bool{}, known: map[fact]bool{}, active: map[fact]int{},
		segments: map[segment]bool{}, loads: map[*ssa.Function]map[location][]*ssa.UnOp{},
		limit: maxProof, locks: map[location]bool{}, used: map[string]bool{}, clauses: map[string]bool{}, asking: map[*ssa.Function]bool{}, rounds: map[fact]int{}}
	for _, fn := range from.methods {
		p.entries[fn] = true
		if fn.Signature.Recv() != nil && c.named != nil && len(fn.Params) > 0 {
			if e := deref(fn.Params[0].Type()); e != nil && types.Identical(e, c.named) {
				p.receivers[fn] = true
			}
		}
	}
	for _, fn := range slices.Concat(from.makers, from.chains) {
		p.entries[fn] = true
	}
	for i := range makers {
		p.zero = p.zero || len(makers[i].steps) == 0 && makers[i].site == nil
		p.sited = p.sited || makers[i].site != nil
	}
	p.settings = p.newSettings(makers)
	return p
}

// prove runs one proof.
func (p *prover) prove(do func() bool) bool {
	if p.all > maxProofs {
		return false
	}
	p.steps = 0
	ok := do()
	p.all += p.steps
	return ok
}

// once proves a fact, or looks it up. A fact that is being proved already holds:
// it is about an earlier step of the run.
func (p *prover) once(f fact, do func() bool) bool {
	f.in = p.trusted
	if r, ok := p.known[f]; ok {
		return r
	}
	if depth := p.active[f]; depth > 0 {
		p.low = min(p.low, depth)
		return true
	}
	if p.steps++; p.steps > p.limit {
		return false
	}
	depth, outer := len(p.active)+1, p.low
	p.low = depth
	p.active[f] = depth
	r := do()
	delete(p.active, f)
	// What rests on the assumption of something else is not kept: that may turn out
	// to be wrong. What was given up is not kept either.
	if (!r || p.low >= depth) && p.steps <= p.limit {
		p.known[f] = r
	}
	p.low = min(outer, p.low)
	return r
}

// notNil reports whether a value is not nil at a point.
func (p *prover) notNil(v ssa.Value, at point) bool {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global, *ssa.Function, *ssa.MakeClosure, *ssa.MakeInterface, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice:
		return true
	case *ssa.Const:
		_, generic := types.Unalias(v.Type()).(*types.TypeParam)
		return v.Value != nil || !generic && !v.IsNil() // the zero value of a type parameter may be nil
	case *ssa.Builtin:
		return true
	}
	return p.once(fact{kind: valueFact, v: v, at: at}, func() bool {
		return p.tested(v, at) || p.made(v, at)
	})
}

// made reports whether where a value comes from shows that it is not nil.
func (p *prover) made(v ssa.Value, at point) bool {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return p.notNil(v.X, at)
	case *ssa.ChangeInterface:
		return p.notNil(v.X, at)
	case *ssa.Convert:
		if deref(v.X.Type()) != nil && isUnsafe(v.Type()) || isUnsafe(v.X.Type()) && deref(v.Type()) != nil {
			return p.notNil(v.X, at) || isUnsafe(v.X.Type()) && p.reflects(v.Parent())
		}
		return false
	case *ssa.TypeAssert:
		// An interface that is asserted is not nil.
		return !v.CommaOk && (types.IsInterface(v.AssertedType) || p.boxNotNil(v.AssertedType))
	case *ssa.Slice:
		return deref(v.X.Type()) != nil // of an array
	case *ssa.SliceToArrayPointer:
		return deref(v.Type()).Underlying().(*types.Array).Len() > 0 // what is not empty is not nil
	case *ssa.Phi:
		return p.ways(v, at, func(j join) bool { return p.notNil(v.Edges[j.k], j.from) || p.joined(j) })
	case *ssa.Parameter:
		for k, q := range v.Parent().Params {
			if q == v {
				return p.paramNotNil(v.Parent(), k) || p.handedNotNil(v.Parent(), k)
			}
		}
	case *ssa.FreeVar:
		return p.boundNotNil(v)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "ssa:wrapnilchk"
		}
		return p.callNotNil(v, 0)
	case *ssa.Extract:
		return p.extractNotNil(v)
	case *ssa.Lookup:
		return !v.CommaOk && p.claimed(v, "", nil)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return p.loadNotNil(v, at) || p.claimed(v, "", nil)
		}
	}
	return false
}

// reflects reports whether a function is part of reflection, of which it is taken for
// granted that the objects which values and types have in memory are there. Its own tests of
// kinds are explicit panics.
func (p *prover) reflects(fn *ssa.Function) bool {
	pkg := packageOf(fn)
	if pkg == nil || p.c.l.owns(pkg) {
		return false
	}
	switch pkg.Path() {
	case "reflect", "internal/reflectlite", "internal/abi":
		p.used[conventionReflection] = true
		return true
	}
	return false
}

func (p *prover) paramNotNil(fn *ssa.Function, k int) bool {
	if p.strict && !(p.entries[fn] && k == 0 && p.receivers[fn]) && (p.entries[fn] || !p.isHere(fn)) {
		return false
	}
	if p.entries[fn] && !(k == 0 && p.receivers[fn]) && !p.needs(fn, k) {
		return false
	}
	if p.trusted != nil && packageOf(fn) == p.trusted {
		return p.once(fact{kind: paramFact, v: fn, k: k}, func() bool { return p.trusts(fn, k) })
	}
	if _, followed := p.abroad[fn]; !followed || p.escapes(fn) || k > 0 && p.calledEarly(fn) || k == 0 && fn.Signature.Recv() == nil && p.calledEarly(fn) {
		return false // others may call it
	}
	if !p.entries[fn] && len(p.callers[fn]) == 0 {
		// What others call by way of an interface is in one.
		return k == 0 && fn.Signature.Recv() != nil && p.isCallback(fn) && p.boxNotNil(fn.Params[0].Type())
	}
	return p.once(fact{kind: paramFact, v: fn, k: k}, func() bool {
		for _, call := range slices.Concat(p.callers[fn], p.earlyCalls(fn)) {
			if call.Common().IsInvoke() && k == 0 {
				// What is in an interface may be a nil pointer.
				if !p.boxNotNil(fn.Params[0].Type()) {
					return false
				}
				continue
			}
			x := argumentOf(call.Common(), fn, k)
			if x == nil || !p.notNil(x, pointAt(call)) {
				return false
			}
		}
		return true
	})
}

func (p *prover) boundNotNil(v *ssa.FreeVar) bool {
	made := p.closures[v.Parent()]
	if len(made) == 0 {
		return false
	}
	return p.once(fact{kind: valueFact, v: v}, func() bool {
		for n, x := range v.Parent().FreeVars {
			if x != v {
				continue
			}
			for _, m := range made {
				if !p.notNil(m.Bindings[n], pointAt(m)) {
					return false
				}
			}
		}
		return true
	})
}

// callNotNil reports whether a result of a call is never nil.
func (p *prover) callNotNil(call *ssa.Call, k int) bool {
	g := call.Call.StaticCallee()
	if g == nil {
		return false
	}
	switch nameOf(g) {
	case "errors.New", "fmt.Errorf":
		return true
	}
	return p.resultNotNil(g, k)
}

func (p *prover) resultNotNil(fn *ssa.Function, k int) bool {
	if len(fn.Blocks) == 0 {
		return false
	}
	return p.once(fact{kind: resultFact, v: fn, k: k}, func() bool {
		return p.eachReturn(fn, func(r *ssa.Return, at point) bool { return p.notNil(returned(r, k), at) })
	})
}

// eachReturn reports whether something holds for all returns of a function. One that
// never returns has no results.
func (p *prover) eachReturn(fn *ssa.Function, holds func(r *ssa.Return, at point) bool) bool {
	for _, b := range fn.Blocks {
		if n := len(b.Instrs); n > 0 && (b != fn.Recover || !neverRecovers(fn)) {
			if r, ok := b.Instrs[n-1].(*ssa.Return); ok && !holds(r, point{b: b, n: n - 1}) {
				return false
			}
		}
	}
	return true
}

// neverRecovers reports whether nothing that a function defers stops a panic. The body of a range over a function may defer
// for it, too.
func neverRecovers(fn *ssa.Function) bool {
	for _, body := range fn.AnonFuncs {
		if isBody(body) && !neverRecovers(body) {
			return false
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			d, ok := i.(*ssa.Defer)
			if !ok {
				continue
			}
			if f, builtin := d.Call.Value.(*ssa.Builtin); builtin && f.Name() != "recover" {
				continue
			}
			if g := d.Call.StaticCallee(); g == nil || isWrapper(g) || callsRecover(g) {
				return false
			}
		}
	}
	return true
}

// returned is a result of a function. One that defers something has its results in variables, which what it defers
// may change only if it has their addresses.
func returned(r *ssa.Return, k int) ssa.Value {
	load, ok := r.Results[k].(*ssa.UnOp)
	if !ok || load.Op != token.MUL || load.Block() != r.Block() {
		return r.Results[k]
	}
	a, ok := load.X.(*ssa.Alloc)
	if !ok || a.Heap {
		return r.Results[k]
	}
	var last ssa.Value
	for _, i := range r.Block().Instrs {
		if i == ssa.Instruction(load) {
			break
		}
		if st, ok := i.(*ssa.Store); ok && st.Addr == ssa.Value(a) {
			last = st.Val
		}
	}
	if last == nil {
		return r.Results[k]
	}
	return last
}

// pairNotNil reports whether a result of a function is not nil whenever its last
// result, an error, is nil.
func (p *prover) pairNotNil(fn *ssa.Function, k int) bool {
	if len(fn.Blocks) == 0 {
		return false
	}
	return p.once(fact{kind: pairFact, v: fn, k: k}, func() bool {
		return p.eachReturn(fn, func(r *ssa.Return, at point) bool {
			return p.eitherNotNil(returned(r, k), returned(r, len(r.Results)-1), at)
		})
	})
}

func lastResult(call *ssa.Call) int { return call.Call.Signature().Results().Len() - 1 }

// callPair reports whether a result of a call is not nil if its error is.
func (p *prover) callPair(call *ssa.Call, k int) bool {
	t := call.Call.Signature().Results().At(k).Type()
	g := call.Call.StaticCallee()
	if g != nil && len(g.Blocks) > 0 && p.pairNotNil(g, k) {
		return true
	}
	if !isPointer(t) && !types.IsInterface(t) {
		return false
	}
	switch _, followed := p.abroad[g]; {
	case g != nil && (followed || p.c.l.owns(packageOf(g))):
		return false // the code says otherwise, or may
	case g == nil && len(p.targets[call]) > 0:
		for _, h := range p.targets[call] {
			if !p.pairNotNil(h, k) {
				return false
			}
		}
	}
	p.used[conventionPointer] = true
	return true
}

// extractNotNil is about a result of a call without a test.
func (p *prover) extractNotNil(v *ssa.Extract) bool {
	if next, ok := v.Tuple.(*ssa.Next); ok {
		r, ok := next.Iter.(*ssa.Range)
		return ok && !next.IsString && v.Index > 0 && p.holdsNoNil(r.X, v.Index == 1)
	}
	call, ok := v.Tuple.(*ssa.Call)
	return ok && p.callNotNil(call, v.Index)
}

// tested reports whether control is at a point only if a value is not nil.
func (p *prover) tested(v ssa.Value, at point) bool {
	if p.testedHere(v, at) {
		return true
	}
	if e, ok := v.(*ssa.Extract); ok {
		if p.testedBeside(e, at) {
			return true
		}
	}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		for _, other := range p.sameLoads(load) {
			if p.testedHere(other, at) {
				return true
			}
		}
	}
	return false
}

// testedHere is about a value itself.
func (p *prover) testedHere(v ssa.Value, at point) bool {
	refs := v.Referrers()
	if refs == nil {
		return false
	}
	for _, r := range *refs {
		if p.steps++; p.steps > p.limit {
			return false
		}
		switch r := r.(type) {
		case *ssa.BinOp:
			if (r.Op == token.EQL || r.Op == token.NEQ) && (isNilConst(r.X) || isNilConst(r.Y)) && p.decides(r, r.Op == token.NEQ, at) {
				return true
			}
		case *ssa.ChangeInterface:
			if p.steps < p.limit && r.X == v && p.testedHere(r, at) {
				return true
			}
		default:
			if dereferences(r, v) && precedes(r, at) {
				return true
			}
		}
	}
	return false
}

// testedBeside is about a value that comes with another one that was tested: an
// error, or whether an assertion to an interface holds.
func (p *prover) testedBeside(e *ssa.Extract, at point) bool {
	refs := e.Tuple.Referrers()
	if refs == nil {
		return false
	}
	beside := func(index int, is func(x *ssa.Extract) bool) bool {
		for _, r := range *refs {
			if x, ok := r.(*ssa.Extract); ok && x.Index == index && is(x) {
				return true
			}
		}
		return false
	}
	switch t := e.Tuple.(type) {
	case *ssa.Lookup:
		return e.Index == 0 && beside(1, func(ok *ssa.Extract) bool { return p.decides(ok, true, at) }) && p.holdsNoNil(t.X, false)
	case *ssa.TypeAssert:
		return e.Index == 0 && (types.IsInterface(t.AssertedType) || p.boxNotNil(t.AssertedType)) && beside(1, func(ok *ssa.Extract) bool { return p.decides(ok, true, at) })
	case *ssa.Call:
		n := lastResult(t)
		if e.Index >= n || !isErrorType(t.Call.Signature().Results().At(n).Type()) {
			return false
		}
		return beside(n, func(x *ssa.Extract) bool { return p.isNil(x, at) }) && p.callPair(t, e.Index)
	}
	return false
}

// isNil reports whether control is at a point only if a value is nil.
func (p *prover) isNil(v ssa.Value, at point) bool {
	for _, r := range *v.Referrers() {
		if b, ok := r.(*ssa.BinOp); ok && (b.Op == token.EQL || b.Op == token.NEQ) && (isNilConst(b.X) || isNilConst(b.Y)) && p.decides(b, b.Op == token.EQL, at) {
			return true
		}
	}
	return false
}

// decides reports whether control is at a point only if a condition had a value.
func (p *prover) decides(cond ssa.Value, truth bool, at point) bool {
	refs := cond.Referrers()
	if refs == nil {
		return false
	}
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.UnOp:
			if r.Op == token.NOT && p.decides(r, !truth, at) {
				return true
			}
		case *ssa.If:
			way := r.Block().Succs[1]
			other := r.Block().Succs[0]
			if truth {
				way, other = other, way
			}
			if way != other && edgeDominates(r.Block(), way, at) {
				return true
			}
		}
	}
	return false
}

// edgeDominates reports whether every way to a point takes an edge.
func edgeDominates(from, to *ssa.BasicBlock, at point) bool {
	if at.b == from && at.to == to {
		return true
	}
	return len(to.Preds) == 1 && to.Dominates(at.b)
}

// precedes reports whether an instruction was executed whenever a point is
// reached, the point not included.
func precedes(i ssa.Instruction, at point) bool {
	b := i.Block()
	if b != at.b {
		return b.Dominates(at.b)
	}
	for n, x := range b.Instrs {
		if n >= at.n {
			return false
		}
		if x == i {
			return true
		}
	}
	return false
}

// dereferences reports whether an instruction panics if a value is nil.
func dereferences(i ssa.Instruction, v ssa.Value) bool {
	switch i := i.(type) {
	case *ssa.FieldAddr:
		return i.X == v
	case *ssa.IndexAddr:
		return i.X == v && deref(v.Type()) != nil
	case *ssa.UnOp:
		return i.Op == token.MUL
	case *ssa.Store:
		return i.Addr == v
	case *ssa.MapUpdate:
		return i.Map == v
	case *ssa.TypeAssert:
		return i.X == v && !i.CommaOk
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "ssa:wrapnilchk" || b.Name() == "close"
		}
		return i.Call.Value == v // a method of an interface, or a function
	}
	return false
}
