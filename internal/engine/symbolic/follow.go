// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file follows one call from a symbolic state, path by path.

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// run returns the paths of a call from a symbolic state.
func (x *executor) run(ctx context.Context, call int, state []*term.Term) ([]symPath, error) {
	key := string(ids(binary.LittleEndian.AppendUint32(nil, uint32(call)), state))
	if p, ok := x.paths[key]; ok {
		return p, nil
	}
	paths, whole, err := x.follow(ctx, call, state, maxRounds)
	if err == nil && !whole {
		x.calls[call].loop = true
		paths, _, err = x.follow(ctx, call, state, 0)
	}
	if err != nil {
		return nil, err
	}
	paths = x.mergePaths(paths)
	x.paths[key] = paths
	return paths, nil
}

// A visit is a path under way, at a cut point.
type visit struct {
	loc    int
	cond   *term.Term
	vals   []*term.Term
	n      int // blocks passed
	unsure bool
	passed [][]int // loops whose heads have been visited: they are not entered again
}

// follow runs a call. Loops are followed for so many rounds; whole is false if
// that was not enough, and then the paths are not all. With no rounds, loops
// are summarized by forgetting the variables that they change.
func (x *executor) follow(ctx context.Context, call int, state []*term.Term, rounds int) (paths []symPath, whole bool, err error) {
	sum := x.calls[call].sum
	method := sum.Method
	vals := make([]*term.Term, len(sum.Vars))
	copy(vals, state)
	for i, v := range sum.Vars[sum.States:] {
		vals[sum.States+i] = v.Term
		if !slices.Contains(method.Params, v) {
			vals[sum.States+i] = x.pool.Const(v.Type.Sort, term.Value{})
		}
	}
	start := visit{loc: method.Entry, cond: x.pool.True(), vals: vals}
	queue := []visit{start}
	if rounds == 0 {
		queue = x.heads(start, sum)
	}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		if err := x.over(ctx); err != nil {
			return nil, false, err
		}
		for _, b := range sum.Blocks {
			if b.From != v.loc {
				continue
			}
			sub := predabs.After(sum, v.vals)
			for _, ch := range b.Choices {
				if v.n > 0 { // each round makes its own choices
					sub[ch.Term] = x.pool.Var(predabs.ChoiceIn(ch, b.From, v.n), ch.Term.Sort())
				}
			}
			next := visit{b.To, x.pool.And(v.cond, x.pool.Substitute(b.Cond, sub)), x.pool.SubstituteAll(b.Vals, sub), v.n + 1, v.unsure, v.passed}
			if next.cond.IsFalse() {
				continue
			}
			site := method.ErrorAt(b.To)
			switch {
			case site != nil:
				if !site.Blamed {
					paths = append(paths, symPath{site: site, unsure: v.unsure, cond: next.cond})
				}
			case b.To == method.Exit:
				ends, err := x.cases(ctx, next, sum)
				if err != nil {
					return nil, false, err
				}
				paths = append(paths, ends...)
			default:
				if rounds > 0 {
					r, err := x.sat(ctx, next.cond)
					if err != nil {
						return nil, false, err
					}
					if r.Verdict == solve.Unsat {
						continue
					}
					if next.n >= rounds || len(queue) > maxCases {
						return nil, false, nil
					}
				}
				if rounds > 0 {
					queue = append(queue, next)
				} else {
					queue = append(queue, x.heads(next, sum)...)
				}
			}
		}
	}
	return paths, true, nil
}

// heads forgets the variables that the loop at a cut point changes, and visits all its heads. It returns the
// visit itself where there is no loop, and nothing for a loop that was visited with all values.
func (x *executor) heads(v visit, sum *explore.Summary) []visit {
	loop := x.loopOf(sum.Method, v.loc)
	if loop == nil {
		return []visit{v}
	}
	if slices.ContainsFunc(v.passed, func(l []int) bool { return slices.Contains(l, v.loc) }) {
		return nil
	}
	changed := assigned(sum.Method, loop)
	v.vals = slices.Clone(v.vals)
	for i, w := range sum.Vars {
		if slices.Contains(changed, w) {
			v.vals[i] = x.pool.Var(fmt.Sprintf("%sloop %s/%d", explore.ChoicePrefix, w.Name, loop[0]), w.Type.Sort)
		}
	}
	v.unsure = true
	v.passed = append(slices.Clone(v.passed), loop)
	var out []visit
	for _, h := range sum.Heads {
		if slices.Contains(loop, h) {
			v.loc = h
			out = append(out, v)
		}
	}
	x.choices = true
	return out
}

// LoopOf returns the locations of the loop that a location is on, sorted: the
// strongly connected component of the control-flow automaton; nil if none.
func LoopOf(m *prog.Method, loc int) []int {
	reach := func(start int, step func(e *prog.Edge) (from, to int)) []bool {
		next := make([][]int, m.Locs)
		for i := range m.Edges {
			from, to := step(&m.Edges[i])
			next[from] = append(next[from], to)
		}
		seen := make([]bool, m.Locs)
		for todo := []int{start}; len(todo) > 0; {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, to := range next[at] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		return seen
	}
	forth := reach(loc, func(e *prog.Edge) (int, int) { return e.From, e.To })
	if !forth[loc] {
		return nil
	}
	back := reach(loc, func(e *prog.Edge) (int, int) { return e.To, e.From })
	var loop []int
	for l := range m.Locs {
		if forth[l] && back[l] {
			loop = append(loop, l)
		}
	}
	return loop
}

// assigned lists the variables that edges inside a loop change.
func assigned(m *prog.Method, loop []int) []*prog.Var {
	var out []*prog.Var
	for _, e := range m.Edges {
		if slices.Contains(loop, e.From) && slices.Contains(loop, e.To) && e.Kind != prog.AssumeEdge {
			out = append(out, e.Vars...)
		}
	}
	return out
}

// over is the error of what takes too long.
func (x *executor) over(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if x.pool.Rewrites()-x.before > maxRewrites {
		return &explore.BudgetError{What: "substitutions", Limit: maxRewrites}
	}
	return nil
}

// cases splits a path that returns by the conditions inside its values, so that
// the state of each is as constant as the code makes it.
func (x *executor) cases(ctx context.Context, v visit, sum *explore.Summary) ([]symPath, error) {
	state := v.vals[:sum.States]
	results := make([]*term.Term, len(sum.Method.Results))
	for i, r := range sum.Method.Results {
		results[i] = v.vals[slices.Index(sum.Vars, r)]
	}
	n := len(state)
	type item struct {
		cond *term.Term
		vals []*term.Term
	}
	todo := []item{{v.cond, append(slices.Clone(state), results...)}}
	var out []symPath
	for len(todo) > 0 {
		it := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if err := x.over(ctx); err != nil {
			return nil, err
		}
		if it.cond.IsFalse() {
			continue
		}
		c := (*term.Term)(nil)
		if len(todo)+len(out) < maxCases {
			c = branch(it.vals, n)
		}
		if c == nil {
			out = append(out, symPath{unsure: v.unsure, cond: it.cond, state: it.vals[:n], results: it.vals[n:]})
			continue
		}
		for _, b := range []*term.Term{x.pool.False(), x.pool.True()} {
			lit := c
			if b.IsFalse() {
				lit = x.pool.Not(c)
			}
			sub := map[*term.Term]*term.Term{c: b}
			todo = append(todo, item{x.pool.And(lit, x.pool.Substitute(it.cond, sub)), x.pool.SubstituteAll(it.vals, sub)})
		}
	}
	return out, nil
}

// branch returns a condition inside one of the values: of an if-then-else, or
// the value itself if it is a condition. Integer results (those from n on) stay
// whole: no state depends on their shape.
func branch(vals []*term.Term, n int) *term.Term {
	seen := map[*term.Term]bool{}
	var find func(t *term.Term) *term.Term
	find = func(t *term.Term) *term.Term {
		if seen[t] || t.IsConst() {
			return nil
		}
		seen[t] = true
		if t.Op() == term.OpIte {
			if c := find(t.Args()[0]); c != nil {
				return c
			}
			return t.Args()[0]
		}
		for _, a := range t.Args() {
			if c := find(a); c != nil {
				return c
			}
		}
		return nil
	}
	for i, t := range vals {
		if i >= n && t.Sort().Kind == term.BitVecKind {
			continue
		}
		if c := find(t); c != nil {
			return c
		}
		if t.Sort().Kind == term.BoolKind && !t.IsConst() {
			return t
		}
	}
	return nil
}

// mergePaths makes one path of those that end alike.
func (x *executor) mergePaths(paths []symPath) []symPath {
	var out []symPath
	index := map[string]int{}
	for _, p := range paths {
		var key []byte
		if p.site != nil {
			key = fmt.Appendf(key, "%d", p.site.Loc)
		}
		if p.unsure {
			key = append(key, '?')
		}
		key = ids(ids(key, p.state), p.results)
		if k, ok := index[string(key)]; ok {
			out[k].cond = x.pool.Or(out[k].cond, p.cond)
			continue
		}
		index[string(key)] = len(out)
		out = append(out, p)
	}
	return out
}
