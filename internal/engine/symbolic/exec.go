// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file executes words of calls symbolically, path by path (King, CACM
// 1976; for words of calls Giannakopoulou, Rakamaric, Raman, SAS 2012).
//
// A NODE is what a word of guarded calls and outcomes leads to: LEAVES, each a
// symbolic state and the condition, over arguments and results of the calls made
// so far and over choices, under which a run is in it. A word that extends
// another continues from the leaves of its node. Leaves with the same state are
// one, with the disjunction of their conditions. A condition that follows from
// the guards of the word is dropped, and so are calls that no leaf speaks of any
// more; what is left is renumbered. So words after which the same can happen
// lead to the same node: for a component whose state is constant on every path,
// nodes are sets of states, and there are finitely many.
//
// Code between loop heads is executed as one block (package explore); a path is a
// case of the conditions inside the values that a block assigns, so branches
// that make no difference to the state make no paths. Loops are followed for
// maxRounds rounds. If that is not enough, all the variables that the loop
// changes become unknown at its head, and what follows is UNSURE: it is all that
// may happen, but some of it may not.

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A symPath is a path of a call from a symbolic state, over the parameters and
// choices of the method and whatever the state speaks of.
type symPath struct {
	site    *prog.ErrorSite // nil: it returns
	unsure  bool            // it may not exist: a loop was not followed to its end
	cond    *term.Term
	state   []*term.Term
	results []*term.Term
}

// A symLeaf is a symbolic state and when a run is in it.
type symLeaf struct {
	cond   []*term.Term // conjuncts, besides the guards of the node
	state  []*term.Term
	unsure bool
}

// A symNode is what is known after a word.
type symNode struct {
	id     int
	built  bool // a constructor has been called
	leaves []symLeaf
	// guards are the conditions on arguments and results of the calls that the
	// leaves speak of, by their number.
	guards []*term.Term
	cells  map[guardedCall]*symCell
	// forbidden are calls known to be: parts of guards that are.
	forbidden map[guardedCall]bool
	next      map[letterKey]*symEdge
}

// guardedCall names a guarded call.
type guardedCall struct {
	call  int
	guard *term.Term
}

// letterKey names a guarded call with an outcome.
type letterKey struct {
	guardedCall
	outcome *term.Term
}

// A symEdge leads to the node after one more call.
type symEdge struct {
	to *symNode // nil: it cannot happen
	// moved[i] is the number in to of call i here, -1 if it is not spoken of;
	// the last entry is the new call.
	moved  []int
	reason string // why to is not known; then it is nil
}

// An executor executes words.
type executor struct {
	*wordAsker
	p       *problem.Problem
	sym     *explore.Symbolic
	calls   []execMethod
	assumed *term.Term
	choices bool // there are choices: what was seen may tell runs apart
	paths   map[string][]symPath
	nodes   []*symNode
	index   map[string]*symNode
	loops   map[loopKey][]int // see loopOf
	before  int               // substitutions of others in the pool
}

type loopKey struct {
	m   *prog.Method
	loc int
}

// loopOf is loopOf, which is not computed twice.
func (x *executor) loopOf(m *prog.Method, loc int) []int {
	loop, ok := x.loops[loopKey{m, loc}]
	if !ok {
		loop = LoopOf(m, loc)
		x.loops[loopKey{m, loc}] = loop
	}
	return loop
}

// An execMethod is a method or constructor.
type execMethod struct {
	sum         *explore.Summary
	constructor bool
	ints        []int // its results that are integers
	loop        bool  // some loop was not followed to its end
}

func newExecutor(p *problem.Problem) *executor {
	x := &executor{wordAsker: newWordAsker(p), p: p, sym: explore.NewSymbolic(p.Program), paths: map[string][]symPath{}, index: map[string]*symNode{}, loops: map[loopKey][]int{}, before: p.Program.Pool.Rewrites()}
	add := func(sum *explore.Summary, constructor bool) {
		m := execMethod{sum: sum, constructor: constructor}
		for i, r := range sum.Method.Results {
			if r.Type.Sort.Kind == term.BitVecKind {
				m.ints = append(m.ints, i)
			}
		}
		for _, b := range sum.Blocks {
			x.choices = x.choices || len(b.Choices) > 0
		}
		x.calls = append(x.calls, m)
	}
	for _, s := range x.sym.Constructors {
		add(s, true)
	}
	for _, s := range x.sym.Methods {
		add(s, false)
	}
	x.assumed = x.pool.True()
	if p.NoWrap {
		for _, v := range prog.Counters(p.Program) {
			x.assumed = x.pool.And(x.assumed, prog.InRange(p.Program, v))
		}
	}
	start := symLeaf{}
	for _, v := range x.sym.State {
		t := v.Init
		if t == nil {
			x.choices = true
			t = x.pool.Var("\x00init "+v.Name, v.Type.Sort)
			x.copies[t] = varCopy{t, -1, choiceCopy}
		}
		start.state = append(start.state, t)
	}
	x.intern(&symNode{leaves: []symLeaf{start}})
	return x
}

func ids(key []byte, ts []*term.Term) []byte {
	key = binary.LittleEndian.AppendUint32(key, uint32(len(ts)))
	for _, t := range ts {
		key = binary.LittleEndian.AppendUint32(key, t.ID())
	}
	return key
}

// intern returns the node with this content.
func (x *executor) intern(n *symNode) *symNode {
	keys := make([]string, len(n.leaves))
	order := make([]int, len(n.leaves))
	for i := range n.leaves {
		l := &n.leaves[i]
		key := ids(ids(nil, l.state), l.cond)
		if l.unsure {
			key = append(key, 1)
		}
		keys[i], order[i] = string(key), i
	}
	slices.SortFunc(order, func(i, j int) int { return slices.Compare([]byte(keys[i]), []byte(keys[j])) })
	key := ids(nil, n.guards)
	if n.built {
		key = append(key, 1)
	}
	leaves := make([]symLeaf, len(order))
	for i, k := range order {
		leaves[i] = n.leaves[k]
		key = binary.LittleEndian.AppendUint32(key, uint32(len(keys[k])))
		key = append(key, keys[k]...)
	}
	if have := x.index[string(key)]; have != nil {
		return have
	}
	n.leaves = leaves
	n.id = len(x.nodes)
	n.cells, n.next, n.forbidden = map[guardedCall]*symCell{}, map[letterKey]*symEdge{}, map[guardedCall]bool{}
	x.nodes = append(x.nodes, n)
	x.index[string(key)] = n
	return n
}

// instance returns the substitution of a method's own variables by their
// copies in call number at.
func (x *executor) instance(call, at int, ts ...*term.Term) map[*term.Term]*term.Term {
	sub := map[*term.Term]*term.Term{}
	params := x.calls[call].sum.Method.Params
	for _, v := range term.FreeVars(ts...) {
		if _, ok := x.copies[v]; ok {
			continue
		}
		kind := choiceCopy
		if slices.ContainsFunc(params, func(p *prog.Var) bool { return p.Term == v }) {
			kind = argCopy
		}
		sub[v] = x.copy(v, at, kind)
	}
	return sub
}

// step returns what a guarded call with an outcome leads to. The outcome is a
// condition on the results.
func (x *executor) step(ctx context.Context, n *symNode, call int, guard, outcome *term.Term) (*symEdge, error) {
	key := letterKey{guardedCall{call, guard}, outcome}
	if e := n.next[key]; e != nil {
		return e, nil
	}
	e, err := x.extend(ctx, n, call, guard, outcome)
	if err != nil {
		return nil, err
	}
	n.next[key] = e
	return e, nil
}

func (x *executor) extend(ctx context.Context, n *symNode, call int, guard, outcome *term.Term) (*symEdge, error) {
	at := len(n.guards)
	method := x.calls[call].sum.Method
	seen := map[*term.Term]*term.Term{} // results that the client sees, as copies
	if x.choices {
		for _, i := range x.calls[call].ints {
			r := method.Results[i].Term
			seen[r] = x.copy(r, at, resultCopy)
		}
	}
	out := &symNode{built: true, guards: append(slices.Clone(n.guards),
		x.pool.And(x.pool.Substitute(guard, x.instance(call, at, guard)), x.seenPart(outcome, method, seen)))}
	for i := range n.leaves {
		l := &n.leaves[i]
		paths, err := x.run(ctx, call, l.state)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if p.site != nil {
				continue
			}
			results := map[*term.Term]*term.Term{}
			var eqs []*term.Term
			for k, r := range method.Results {
				results[r.Term] = p.results[k]
				if c := seen[r.Term]; c != nil {
					eqs = append(eqs, x.pool.Eq(c, p.results[k]))
				}
			}
			cond := x.pool.And(p.cond, x.pool.Substitute(outcome, results), x.pool.And(eqs...))
			sub := x.instance(call, at, append([]*term.Term{cond}, p.state...)...)
			leaf := symLeaf{unsure: l.unsure || p.unsure, state: x.pool.SubstituteAll(p.state, sub)}
			assumed := x.pool.Substitute(x.assumed, stateSub(x.sym.State, leaf.state))
			leaf.cond = conjuncts(append(slices.Clone(l.cond), x.pool.Substitute(cond, sub), assumed)...)
			if slices.ContainsFunc(leaf.cond, (*term.Term).IsFalse) {
				continue
			}
			r, err := x.sat(ctx, append(slices.Clone(leaf.cond), out.guards...)...)
			if err != nil {
				return nil, err
			}
			switch r.Verdict {
			case solve.Unsat:
				continue
			case solve.Unknown:
				leaf.unsure = true
			}
			if len(out.leaves) >= maxLeaves {
				return &symEdge{reason: fmt.Sprintf("%s has more than %d paths there", method.Name, maxLeaves)}, nil
			}
			out.leaves = append(out.leaves, leaf)
		}
	}
	if len(out.leaves) == 0 {
		return &symEdge{}, nil
	}
	if err := x.simplify(ctx, out); err != nil {
		return nil, err
	}
	moved := x.compact(out)
	return &symEdge{to: x.intern(out), moved: moved}, nil
}

// seenPart is the part of an outcome that speaks of results the client sees as
// values of their own: their copies satisfy it.
func (x *executor) seenPart(outcome *term.Term, m *prog.Method, seen map[*term.Term]*term.Term) *term.Term {
	var parts []*term.Term
	for _, t := range conjuncts(outcome) {
		all := true
		for _, v := range term.FreeVars(t) {
			all = all && seen[v] != nil
		}
		if all {
			parts = append(parts, x.pool.Substitute(t, seen))
		}
	}
	return x.pool.And(parts...)
}

func stateSub(vars []*prog.Var, vals []*term.Term) map[*term.Term]*term.Term {
	sub := make(map[*term.Term]*term.Term, len(vars))
	for i, v := range vars {
		sub[v.Term] = vals[i]
	}
	return sub
}
