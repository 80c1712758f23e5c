// SPDX-License-Identifier: Apache-2.0

package golang

// This file walks the blocks of one inlined function. SSA registers become terms
// over locals that only loads, choices and joins assign; a register is used only
// where its definition dominates, so a term never outlives the locals it reads
// (a location after the next assignment of a local passes the definition again).

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A frame is a function inlined in one place.
type frame struct {
	c     *compiler
	m     *lower.Method
	fn    *ssa.Function
	path  string // the place, the same in every pass
	up    *frame
	depth int
	again bool // the call may run several times in one call of the method
	alien bool // by convention it does not panic; see alien.go

	vals      map[ssa.Value]value
	incoming  map[*ssa.BasicBlock][]arrival
	start     map[*ssa.BasicBlock]int
	phis      map[*ssa.Phi][]*prog.Var
	looping   map[*ssa.BasicBlock]bool
	returns   []returning
	defers    []*deferred
	catch     *catcher
	wild      int                 // where panics go of which it is not known where they arise; -1: there are none
	idle      bool                // the parameter at hand is not relevant
	clean     bool                // the value at hand is no error under study
	older     []*lower.Place      // the value at hand may be one of these, since it is in an older object
	at        *ssa.BasicBlock     // the block at hand; nil between blocks
	site      ssa.CallInstruction // the call at hand
	instr     ssa.Instruction     // the instruction at hand
	writes    *modified           // what the code that is not followed writes; nil: everything
	left      *ssa.Function       // the function of the component's package that it is of; nil: it is another's
	entrusted *entrusted          // what the arguments of a constructor lead to; nil: it is not followed
}

type arrival struct {
	loc  int
	pred *ssa.BasicBlock
}

type returning struct {
	loc    int
	values []value
}

// call lowers the function of a method.
func (c *compiler) call(m *lower.Method, up *frame, path string, fn *ssa.Function, args, binds []value) []value {
	return c.callAgain(m, up, path, fn, args, binds, false)
}

// callAgain inlines fn and returns its results; the current location is where it
// returns, or none if it does not. again says that it may run several times in
// one call of the method.
func (c *compiler) callAgain(m *lower.Method, up *frame, path string, fn *ssa.Function, args, binds []value, again bool) []value {
	f := &frame{c: c, m: m, fn: fn, path: path, up: up, again: again,
		vals: map[ssa.Value]value{}, incoming: map[*ssa.BasicBlock][]arrival{}, start: map[*ssa.BasicBlock]int{},
		phis: map[*ssa.Phi][]*prog.Var{}, looping: c.loopBlocks(fn)}
	if up != nil {
		f.depth = up.depth + 1
		f.alien = up.isAlien(fn, args, binds)
	}
	for i, p := range fn.Params {
		if i < len(args) {
			f.vals[p] = args[i]
		} else {
			f.vals[p] = f.anyValue(path+"/"+p.Name(), p.Type(), lower.Unmodelled)
		}
	}
	for i, v := range fn.FreeVars {
		if i < len(binds) {
			f.vals[v] = binds[i]
		} else {
			f.vals[v] = f.anyValue(path+"/"+v.Name(), v.Type(), lower.Unmodelled)
		}
	}
	saved := m.Pos()
	f.walk()
	out := f.join(fn.Signature.Results(), f.returns, "return")
	m.At(saved)
	return out
}

// walk lowers all blocks.
func (f *frame) walk() {
	blocks := f.fn.Blocks
	f.incoming[blocks[0]] = []arrival{{f.m.Here(), nil}}
	f.prepareCatch()
	for _, b := range reversePostorder(f.fn) {
		f.enter(b)
		f.at = b
		f.instructions(b)
		f.at = nil
	}
	f.finishCatch()
}

func (f *frame) instructions(b *ssa.BasicBlock) {
	for _, instr := range b.Instrs {
		if !f.m.Reachable() {
			return
		}
		if _, phi := instr.(*ssa.Phi); phi {
			continue
		}
		if !f.c.emits(instr) {
			f.guessOnce(instr)
			if f.pass(instr) {
				return
			}
			continue
		}
		f.c.work++
		f.c.w.Check()
		if call, ok := instr.(*ssa.Call); ok {
			f.c.metCalls[call] = true
		}
		f.m.At(f.pos(instr.Pos()))
		f.instr = instr
		if f.testOnly(instr) {
			continue
		}
		v, isValue := instr.(ssa.Value)
		f.clean = isValue && f.c.isCoarse() && !f.c.rel.mayBeWanted(v)
		f.instruction(instr)
		if x, ok := f.vals[v]; isValue && ok && x.missing != "" {
			x.clean = f.clean
			f.vals[v] = x
		}
		f.clean = false
	}
}

// enter starts a block: its ways in meet, and its phis get their values.
func (f *frame) enter(b *ssa.BasicBlock) {
	in := f.incoming[b]
	in = slices.DeleteFunc(in, func(a arrival) bool { return a.loc < 0 })
	if len(in) == 0 {
		f.m.Stop()
		f.start[b] = -1
		return
	}
	var phis []*ssa.Phi
	for _, i := range b.Instrs {
		if p, ok := i.(*ssa.Phi); ok && f.c.emits(p) {
			phis = append(phis, p)
		}
	}
	header := f.isHeader(b)
	if len(in) == 1 && !header {
		f.m.Continue(in[0].loc)
		f.start[b] = in[0].loc
		for _, p := range phis {
			f.vals[p] = f.phiInput(p, in[0].pred)
		}
		return
	}
	loc := f.m.New()
	f.start[b] = loc
	for _, p := range phis {
		if !header {
			if v, same := f.sameInputs(p, in); same {
				v.given = nil // texts of the same length
				f.vals[p] = v
				f.phis[p] = nil
				continue
			}
		}
		var vars []*prog.Var
		v := value{typ: p.Type()}
		for _, l := range f.c.leaves(p.Type()) {
			x := f.m.Local(f.path+"/"+p.Name()+"/"+l.path, f.named(p, l.path), l.typ)
			vars = append(vars, x)
			v.t = append(v.t, x.Term)
		}
		f.phis[p] = vars
		if !header && len(vars) > 0 {
			v = f.merged(v, p, in)
		}
		f.vals[p] = v
	}
	for _, a := range in {
		f.arrive(a, b)
	}
	f.m.Continue(loc)
}

// arrive goes from a predecessor into a block whose location is known.
func (f *frame) arrive(a arrival, b *ssa.BasicBlock) {
	if a.loc < 0 {
		return
	}
	f.m.Continue(a.loc)
	var vars []*prog.Var
	var exprs []*term.Term
	for _, i := range b.Instrs {
		p, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		x := f.phis[p]
		if len(x) == 0 {
			continue
		}
		ts := f.terms(f.phiInput(p, a.pred))
		for k, v := range x {
			if k < len(ts) {
				vars, exprs = append(vars, v), append(exprs, ts[k])
			}
		}
	}
	f.m.Assign(vars, exprs)
	f.m.Goto(f.start[b])
}

func (f *frame) phiInput(p *ssa.Phi, pred *ssa.BasicBlock) value {
	for i, q := range p.Block().Preds {
		if q == pred {
			x := f.val(p.Edges[i])
			if _, met := f.vals[p.Edges[i]]; x.missing != "" && !met {
				return f.missing(p.Edges[i], pred)
			}
			return x
		}
	}
	return value{typ: p.Type(), missing: f.path + "/" + p.Name(), clean: f.c.isCoarse() && !f.c.rel.mayBeWanted(p)} // passed by
}

// sameInputs reports whether a phi has one value on all ways in.
func (f *frame) sameInputs(p *ssa.Phi, in []arrival) (value, bool) {
	first := f.phiInput(p, in[0].pred)
	ts := f.terms(first)
	for _, a := range in[1:] {
		if !slices.Equal(ts, f.terms(f.phiInput(p, a.pred))) {
			return value{}, false
		}
	}
	return first, true
}

// jump goes to a successor of a block.
func (f *frame) jump(from, to *ssa.BasicBlock) {
	if f.c.reach.isUnrun(to) {
		f.m.Stop() // no run comes there
		return
	}
	a := arrival{f.m.Here(), from}
	f.m.Stop()
	if _, done := f.start[to]; done {
		if f.start[to] >= 0 {
			f.arrive(a, to)
		}
		return
	}
	f.incoming[to] = append(f.incoming[to], a)
}

// isHeader reports whether a block has a way in that comes later.
func (f *frame) isHeader(b *ssa.BasicBlock) bool {
	for _, p := range b.Preds {
		if b.Dominates(p) {
			return true
		}
		if _, done := f.start[p]; !done && f.looping[b] {
			return true
		}
	}
	return false
}

// join brings the returns of a call, or of alternatives, together.
func (f *frame) join(results *types.Tuple, list []returning, what string) []value {
	list = slices.DeleteFunc(list, func(r returning) bool { return r.loc < 0 })
	switch len(list) {
	case 0:
		f.m.Stop()
		var out []value
		for i := range results.Len() {
			out = append(out, f.c.zero(results.At(i).Type()))
		}
		return out
	case 1:
		f.m.Continue(list[0].loc)
		return list[0].values
	}
	out := make([]value, results.Len())
	vars := make([][]*prog.Var, results.Len())
	foreign := what == "return" && f.fn != nil && packageOf(f.fn) != nil && !f.c.l.owns(packageOf(f.fn)) && !f.direct()
	for i := range out {
		t := results.At(i).Type()
		if !slices.ContainsFunc(list, func(r returning) bool { return r.values[i].missing == "" }) {
			hollow := slices.ContainsFunc(list, func(r returning) bool { return !r.values[i].solid })
			out[i] = value{typ: t, missing: fmt.Sprintf("%s/%s%d", f.path, what, i), solid: !hollow}
			continue
		}
		first := f.terms(list[0].values[i])
		same := true
		for _, r := range list[1:] {
			same = same && slices.Equal(first, f.terms(r.values[i]))
		}
		if same {
			out[i] = list[0].values[i]
			out[i].given = nil
			continue
		}
		out[i] = value{typ: t}
		for _, l := range f.c.leaves(t) {
			v := f.m.Local(fmt.Sprintf("%s/%s%d/%s", f.path, what, i, l.path), f.name("r"), l.typ)
			if foreign {
				f.m.Reply(v)
			}
			vars[i] = append(vars[i], v)
			out[i].t = append(out[i].t, v.Term)
		}
		out[i].given = f.allGiven(list, i, out[i].t)
	}
	to := f.m.New()
	for _, r := range list {
		f.m.Continue(r.loc)
		var vs []*prog.Var
		var ts []*term.Term
		for i, x := range vars {
			if x != nil {
				vs, ts = append(vs, x...), append(ts, f.terms(r.values[i])...)
			}
		}
		f.m.Assign(vs, ts)
		f.m.Goto(to)
	}
	f.m.Continue(to)
	return out
}

// val returns the value of an SSA value.
func (f *frame) val(v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const:
		return f.c.constant(v)
	case *ssa.Function:
		return value{typ: v.Type(), fn: v}
	case *ssa.Global:
		return f.c.global(f, v)
	case *ssa.Builtin:
		return value{typ: v.Type()}
	}
	x, ok := f.vals[v]
	if !ok {
		return f.missing(v, f.at)
	}
	return x
}

// vals2 returns the values of several.
func (f *frame) values(list []ssa.Value) []value {
	var out []value
	for _, v := range list {
		out = append(out, f.val(v))
	}
	return out
}

// name is a name for a local.
func (f *frame) name(hint string) string {
	hint = strings.Trim(hint, ".#")
	if i := strings.LastIndexAny(hint, ".#"); i >= 0 {
		hint = hint[i+1:]
	}
	if hint == "" || !token.IsIdentifier(hint) {
		hint = "t"
	}
	return hint
}

func (f *frame) named(v ssa.Value, leafPath string) string {
	n := v.Name()
	if p, ok := v.(*ssa.Phi); ok && p.Comment != "" {
		n = p.Comment
	}
	return f.name(n)
}

// pos is a position relative to its package.
func (f *frame) pos(p token.Pos) prog.Pos { return f.c.pos(f.fn, p) }

func (c *compiler) pos(fn *ssa.Function, p token.Pos) prog.Pos {
	if !p.IsValid() {
		return prog.Pos{}
	}
	at := c.l.fset.Position(p)
	dir := ""
	if pkg := packageOf(fn); pkg != nil {
		dir = c.l.inModule(pkg.Path())
	}
	return prog.Pos{File: path.Join(dir, path.Base(strings.ReplaceAll(at.Filename, "\\", "/"))), Line: at.Line, Col: at.Column}
}

// near is the position of something in a function, or, if it has none in the source, that of the function: the
// compiler writes the calls of a range over a function, and the methods that promote others.
func (c *compiler) near(fn *ssa.Function, p token.Pos) prog.Pos {
	for f := fn; f != nil && !p.IsValid(); f = f.Parent() {
		p = f.Pos()
	}
	return c.pos(fn, p)
}

func packageOf(fn *ssa.Function) *types.Package {
	for f := fn; f != nil; f = f.Parent() {
		if f.Pkg != nil {
			return f.Pkg.Pkg
		}
		if o := f.Origin(); o != nil && o.Pkg != nil {
			return o.Pkg.Pkg
		}
		if obj := f.Object(); obj != nil && obj.Pkg() != nil {
			return obj.Pkg()
		}
	}
	return nil
}

// reversePostorder orders blocks so that each comes after those that dominate
// it. The recover block is not among them.
func reversePostorder(fn *ssa.Function) []*ssa.BasicBlock {
	seen := make([]bool, len(fn.Blocks))
	var order []*ssa.BasicBlock
	type at struct {
		b    *ssa.BasicBlock
		next int
	}
	visit := func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		stack := []at{{b, 0}}
		for len(stack) > 0 {
			t := &stack[len(stack)-1]
			if t.next == len(t.b.Succs) {
				order = append(order, t.b)
				stack = stack[:len(stack)-1]
				continue
			}
			// Last first, so that the order follows the source.
			s := t.b.Succs[len(t.b.Succs)-1-t.next]
			t.next++
			if !seen[s.Index] {
				seen[s.Index] = true
				stack = append(stack, at{s, 0})
			}
		}
	}
	visit(fn.Blocks[0])
	slices.Reverse(order)
	return order
}

// loopBlocks returns the blocks that may run several times in one call: those
// on a cycle.
func (c *compiler) loopBlocks(fn *ssa.Function) map[*ssa.BasicBlock]bool {
	if out, ok := c.loops[fn]; ok {
		return out
	}
	out := map[*ssa.BasicBlock]bool{}
	c.loops[fn] = out
	for _, b := range fn.Blocks {
		seen := map[*ssa.BasicBlock]bool{}
		for stack := slices.Clone(b.Succs); len(stack) > 0 && !out[b]; {
			x := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if x == b {
				out[b] = true
			}
			if !seen[x] {
				seen[x] = true
				stack = append(stack, x.Succs...)
			}
		}
	}
	return out
}
