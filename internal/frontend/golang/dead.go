// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds blocks that no run reaches because a condition is a constant: in code that asks whether
// the machine has an instruction, or for a hook that only tests set, and in constructors that a user writes without the arguments
// which may be left out. New(w) of func New(w io.Writer, options ...Option) is given no options: the loop that
// applies them is not entered, and what they might do is not done.
//
// A variadic parameter is LEFT OUT if every constructor that is asked for calls its function without it
// and no code that can be reached mentions the function: then all that calls it is what the user wrote.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// reaches finds the code that can be reached from the calls, without what only arguments that are left out
// could lead to.
func (c *compiler) reaches(from calls, makers []maker) *reach {
	entries := slices.Concat(from.methods, from.makers, from.chains)
	r := newReach(c, entries)
	if c.leaveOut(r, from, makers); len(c.empty) > 0 {
		r = newReach(c, entries)
	}
	return c.withoutUnset(r, entries, from)
}

// leaveOut finds the parameters that are left out.
func (c *compiler) leaveOut(r *reach, from calls, makers []maker) {
	var fns []*ssa.Function
	given := map[*ssa.Function]bool{}
	for _, k := range makers {
		for _, s := range k.steps {
			if s.fn == nil || !s.fn.Signature.Variadic() {
				continue
			}
			fns = append(fns, s.fn)
			if !s.args[len(s.args)-1].leftOut {
				given[s.fn] = true
			}
		}
	}
	if len(fns) == 0 {
		return
	}
	for _, fn := range from.methods {
		given[fn] = true
	}
	for _, g := range r.fns {
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if fn, ok := (*op).(*ssa.Function); ok {
						given[fn] = true
					}
				}
			}
		}
	}
	c.empty = map[*ssa.Parameter]bool{}
	for _, fn := range fns {
		if len(r.callers[fn]) == 0 && !given[fn] && len(fn.Params) > 0 {
			c.empty[fn.Params[len(fn.Params)-1]] = true
		}
	}
}

// deadBlocks returns the blocks of a function that no run reaches because conditions are constants. What panics
// there is no reason to follow who calls it.
func (c *compiler) deadBlocks(fn *ssa.Function) map[*ssa.BasicBlock]bool {
	if !slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return c.constantWay(b) != nil }) {
		return nil
	}
	live := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if b == nil || live[b] {
			return
		}
		live[b] = true
		if to := c.constantWay(b); to != nil {
			visit(to)
			return
		}
		for _, to := range b.Succs {
			visit(to)
		}
	}
	visit(fn.Blocks[0])
	visit(fn.Recover)
	dead := map[*ssa.BasicBlock]bool{}
	for _, b := range fn.Blocks {
		if !live[b] {
			dead[b] = true
		}
	}
	return dead
}

// constantWay is where a block goes whose condition is a constant; nil: it has none.
func (c *compiler) constantWay(b *ssa.BasicBlock) *ssa.BasicBlock {
	if len(b.Instrs) == 0 {
		return nil
	}
	i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	v := c.constantOf(i.Cond)
	switch {
	case v == nil || v.Kind() != constant.Bool:
		return nil
	case constant.BoolVal(v):
		return b.Succs[0]
	}
	return b.Succs[1]
}

// constantOf is the value of a bool or an integer that is a constant, or is one because a parameter is left
// out; nil: it is none.
func (c *compiler) constantOf(v ssa.Value) constant.Value {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value
	case *ssa.Call:
		if (isBuiltin(v, "len") || isBuiltin(v, "cap")) && c.isLeftOut(v.Call.Args[0]) {
			return constant.MakeInt64(0)
		}
	case *ssa.BinOp:
		return c.constantTest(v)
	case *ssa.UnOp:
		if c.isUnset(v) {
			return zeroOf(v.Type())
		}
		return c.settledOf(v)
	case *ssa.Field:
		if c.isUnset(v) {
			return zeroOf(v.Type())
		}
	}
	return nil
}

// settledOf is the value of a bool or an integer that is a package variable which nothing sets after its
// initial value.
func (c *compiler) settledOf(v *ssa.UnOp) constant.Value {
	u := c.settledVariable(v)
	if u == nil {
		return nil
	}
	b, ok := v.Type().Underlying().(*types.Basic)
	switch first, set := u.initial[""]; {
	case !ok:
	case set:
		if k, ok := first.(*ssa.Const); ok {
			return k.Value
		}
	case b.Info()&types.IsBoolean != 0:
		return constant.MakeBool(false)
	case b.Info()&types.IsInteger != 0:
		return constant.MakeInt64(0)
	}
	return nil
}

// settledVariable is the use of the package variable that a value is loaded from, if only code of the component names it and nothing
// sets it, or a part of it, after its initial value; else nil.
func (c *compiler) settledVariable(v ssa.Value) *globalUse {
	g := c.hiddenVariable(v)
	if g == nil || g.Pkg != c.l.pkg { // of another package it is not known what the linker does
		return nil
	}
	u := c.uses(g)
	if in := v.Parent(); in.Synthetic == "package initializer" || c.first[in] {
		return nil // it may have no value yet
	}
	if _, whole := u.initial[""]; u.changed || u.unknown || len(u.initial) > 1 || len(u.initial) == 1 && !whole {
		return nil
	}
	return u
}

// alive returns the functions of a package that somebody may run: what is exported, what it is initialized by, what other packages or
// assembly know by name, methods that some interface of the code has, and all that these mention.
func (c *compiler) alive(pkg *ssa.Package) map[*ssa.Function]bool {
	if live, ok := c.l.live[pkg]; ok {
		return live
	}
	fns := c.functionsIn(pkg)
	invoked := map[string]bool{}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok && call.Common().IsInvoke() {
					invoked[call.Common().Method.Name()] = true
				}
			}
		}
	}
	live := map[*ssa.Function]bool{}
	var work []*ssa.Function
	add := func(fn *ssa.Function) {
		for ; fn != nil && !live[fn]; fn = fn.Origin() {
			live[fn] = true
			work = append(work, fn)
		}
	}
	for _, fn := range fns {
		method := fn.Signature.Recv() != nil
		if fn.Parent() == nil && (token.IsExported(fn.Name()) || fn.Synthetic == "package initializer" || !method && fn.Name() == "main" || method && invoked[fn.Name()] || strings.HasPrefix(fn.Name(), "init#") || pkg != c.l.pkg || c.l.isLinked(fn.Name())) {
			add(fn)
		}
	}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		for _, g := range fn.AnonFuncs {
			add(g)
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						add(g)
					}
				}
			}
		}
	}
	if c.l.live == nil {
		c.l.live = map[*ssa.Package]map[*ssa.Function]bool{}
	}
	c.l.live[pkg] = live
	return live
}

// isLinked reports whether code may set a variable of the package, or call a function, that is not among its functions: assembly, C, or another package
// by way of a directive to the linker.
func (l *loaded) isLinked(name string) bool {
	if slices.ContainsFunc(l.from.OtherFiles, func(file string) bool { return strings.HasSuffix(file, ".s") }) {
		return true
	}
	if l.linked == nil {
		l.linked = map[string]bool{}
		for _, f := range l.from.Syntax {
			for _, group := range f.Comments {
				for _, line := range group.List {
					rest, ok := strings.CutPrefix(line.Text, "//go:linkname ")
					if !ok {
						rest, ok = strings.CutPrefix(line.Text, "//export ")
					}
					if ok {
						if words := strings.Fields(rest); len(words) > 0 {
							l.linked[words[0]] = true
						}
					}
				}
			}
		}
	}
	return l.linked[name]
}

// isEmbedded reports whether a variable of the package holds an embedded file.
func (l *loaded) isEmbedded(name string) bool {
	if l.embedded == nil {
		l.embedded = map[string]bool{}
		embeds := func(doc *ast.CommentGroup) bool {
			return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
		}
		for _, f := range l.from.Syntax {
			for _, d := range f.Decls {
				group, ok := d.(*ast.GenDecl)
				if !ok || group.Tok != token.VAR {
					continue
				}
				for _, spec := range group.Specs {
					v := spec.(*ast.ValueSpec)
					if embeds(v.Doc) || embeds(group.Doc) {
						for _, id := range v.Names {
							l.embedded[id.Name] = true
						}
					}
				}
			}
		}
	}
	return l.embedded[name]
}

// maxNil bounds the calls through which a result is followed that is always nil.
const maxNil = 4

// isAlwaysNil reports whether a value is nil in every run: a package variable that nothing sets, or what functions
// return that return nothing else.
func (c *compiler) isAlwaysNil(v ssa.Value, depth int) bool {
	if isNilConst(v) || c.isUnset(v) {
		return true
	}
	if u := c.settledVariable(v); u != nil {
		first, set := u.initial[""]
		if _, slice := v.Type().Underlying().(*types.Slice); slice && !set {
			return false // it may be an embedded file
		}
		return !set || isNilConst(first)
	}
	call, ok := v.(*ssa.Call)
	if !ok || depth == 0 || call.Call.IsInvoke() {
		return false
	}
	fn := call.Call.StaticCallee()
	if u := c.settledVariable(call.Call.Value); u != nil {
		fn, _ = u.initial[""].(*ssa.Function)
	}
	if fn == nil || len(fn.Blocks) == 0 || fn.Recover != nil || !c.l.owns(packageOf(fn)) {
		return false
	}
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !(len(ret.Results) == 1 && c.isAlwaysNil(ret.Results[0], depth-1)) {
			return false
		}
	}
	return true
}

func (c *compiler) isLeftOut(v ssa.Value) bool {
	p, ok := v.(*ssa.Parameter)
	return ok && c.empty[p]
}

// constantTest is the value of a comparison if it is a constant because a parameter is left out, or a package variable is never set.
func (c *compiler) constantTest(v *ssa.BinOp) constant.Value {
	if v.Op == token.EQL || v.Op == token.NEQ {
		if isNilConst(v.Y) && !isNilConst(v.X) && c.isAlwaysNil(v.X, maxNil) || isNilConst(v.X) && !isNilConst(v.Y) && c.isAlwaysNil(v.Y, maxNil) {
			return constant.MakeBool(v.Op == token.EQL)
		}
		if c.isLeftOut(v.X) && isNilConst(v.Y) || c.isLeftOut(v.Y) && isNilConst(v.X) {
			return constant.MakeBool(v.Op == token.EQL)
		}
	}
	y := c.constantOf(v.Y)
	if y == nil || y.Kind() != constant.Int {
		return nil
	}
	switch v.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return nil
	}
	if x := c.constantOf(v.X); x != nil && x.Kind() == constant.Int {
		return constant.MakeBool(constant.Compare(x, v.Op, y))
	}
	// A loop whose first round is not made: nothing else gives the counter a value.
	if v.Op == token.LSS && constant.Sign(y) <= 0 && startsAtZero(v.X) {
		return constant.MakeBool(false)
	}
	return nil
}

// startsAtZero reports whether a value is zero where it is met first, and later only what a round of the
// loop makes of it: the counter of "for i := range x", or of "for i := 0; ...; i++".
func startsAtZero(v ssa.Value) bool {
	first := int64(0)
	if add, ok := v.(*ssa.BinOp); ok { // that of range begins before the first
		if !isOne(add.Y) || add.Op != token.ADD {
			return false
		}
		v, first = add.X, -1
	}
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return false
	}
	for k, e := range phi.Edges {
		if n, ok := e.(*ssa.Const); ok && n.Value != nil && n.Value.Kind() == constant.Int {
			if i, exact := constant.Int64Val(n.Value); !exact || i != first {
				return false
			}
			continue
		}
		if add, ok := e.(*ssa.BinOp); !ok || add.Op != token.ADD || add.X != ssa.Value(phi) || !isOne(add.Y) || !phi.Block().Dominates(phi.Block().Preds[k]) {
			return false
		}
	}
	return true
}

func isOne(v ssa.Value) bool {
	n, ok := v.(*ssa.Const)
	if !ok || n.Value == nil || n.Value.Kind() != constant.Int {
		return false
	}
	i, exact := constant.Int64Val(n.Value)
	return exact && i == 1
}
