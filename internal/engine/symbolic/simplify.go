// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file makes the states of symbolic executions small: choices are renamed or
// replaced by what they are equal to, and leaves that say the same are one.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// simplify rewrites the leaves of a new node without changing what they say
// about what the client chooses and sees.
func (x *executor) simplify(ctx context.Context, n *symNode) error {
	for i := range n.leaves {
		l := &n.leaves[i]
		x.onePoint(l)
		x.propagate(l)
		if err := x.constants(ctx, n, l); err != nil {
			return err
		}
	}
	n.leaves = x.mergeLeaves(n.leaves)
	for i := range n.leaves {
		l := &n.leaves[i]
		inState := map[*term.Term]bool{}
		for _, v := range term.FreeVars(l.state...) {
			inState[v] = true
		}
		var keep []*term.Term
		for _, g := range groups(l.cond) {
			drop, err := x.follows(ctx, n, g, inState)
			if err != nil {
				return err
			}
			if !drop {
				keep = append(keep, g...)
			}
		}
		l.cond = keep
		x.renameChoices(l)
	}
	n.leaves = x.mergeLeaves(n.leaves)
	x.forgetCommon(n)
	// If the word can happen at all, then in the only leaf there is; and of words
	// that cannot happen nothing is said.
	if l := &n.leaves[0]; len(n.leaves) == 1 && l.unsure &&
		!slices.ContainsFunc(term.FreeVars(append(slices.Clone(l.cond), l.state...)...), x.hidden) {
		l.unsure = false
	}
	for i := range n.leaves {
		slices.SortFunc(n.leaves[i].cond, func(a, b *term.Term) int { return int(a.ID()) - int(b.ID()) })
	}
	return nil
}

// renameChoices numbers the choices of a leaf in order of occurrence. They are
// of this leaf alone, so leaves that differ only in when a choice was made are
// the same.
func (x *executor) renameChoices(l *symLeaf) {
	sub := map[*term.Term]*term.Term{}
	for _, t := range append(slices.Clone(l.state), l.cond...) {
		for _, v := range term.FreeVars(t) {
			if x.hidden(v) && sub[v] == nil {
				w := x.pool.Var(fmt.Sprintf("\x00open %d", len(sub)), v.Sort())
				x.copies[w] = varCopy{w, -1, choiceCopy}
				sub[v] = w
			}
		}
	}
	if len(sub) > 0 {
		l.state, l.cond = x.pool.SubstituteAll(l.state, sub), conjuncts(x.pool.SubstituteAll(l.cond, sub)...)
	}
}

// forgetCommon drops conditions that all leaves share and that are connected
// with nothing else. They say which words can happen, the same in every leaf;
// some can, and verdicts are about those only.
func (x *executor) forgetCommon(n *symNode) {
	common := slices.Clone(n.leaves[0].cond)
	var all, states []*term.Term
	for _, l := range n.leaves {
		common = slices.DeleteFunc(common, func(t *term.Term) bool { return !slices.Contains(l.cond, t) })
		all, states = append(all, l.cond...), append(states, l.state...)
	}
	if len(common) == 0 {
		return
	}
	inState := map[*term.Term]bool{}
	for _, v := range term.FreeVars(states...) {
		inState[v] = true
	}
	// Guards connect the arguments and results of one call.
	for _, g := range groups(conjuncts(append(all, n.guards...)...)) {
		if slices.ContainsFunc(term.FreeVars(g...), func(v *term.Term) bool { return inState[v] }) ||
			slices.ContainsFunc(g, func(t *term.Term) bool { return slices.Contains(all, t) && !slices.Contains(common, t) }) {
			continue
		}
		for i := range n.leaves {
			n.leaves[i].cond = slices.DeleteFunc(slices.Clone(n.leaves[i].cond), func(t *term.Term) bool { return slices.Contains(g, t) })
		}
	}
}

// onePoint eliminates choices that an equation determines: there is a value of
// c with c = t and the rest iff the rest holds with t for c.
func (x *executor) onePoint(l *symLeaf) {
	for again := true; again; {
		again = false
		for _, t := range l.cond {
			if t.Op() != term.OpEq {
				continue
			}
			v, w := t.Args()[0], t.Args()[1]
			if !x.hidden(v) {
				v, w = w, v
			}
			if !x.hidden(v) || slices.Contains(term.FreeVars(w), v) {
				continue
			}
			sub := map[*term.Term]*term.Term{v: w}
			l.cond = conjuncts(x.pool.SubstituteAll(l.cond, sub)...)
			l.state = x.pool.SubstituteAll(l.state, sub)
			again = true
			break
		}
	}
}

// propagate replaces what a conjunct decides in the others.
func (x *executor) propagate(l *symLeaf) {
	for again := true; again; {
		again = false
		for i, t := range l.cond {
			atom, value := t, x.pool.True()
			if t.Op() == term.OpNot {
				atom, value = t.Args()[0], x.pool.False()
			}
			rest := slices.Delete(slices.Clone(l.cond), i, i+1)
			sub := map[*term.Term]*term.Term{atom: value}
			moved := x.pool.SubstituteAll(rest, sub)
			if !slices.Equal(rest, moved) {
				l.cond = conjuncts(append(moved, t)...)
				l.state = x.pool.SubstituteAll(l.state, sub)
				again = true
				break
			}
		}
	}
}

// constants replaces values that the conditions leave only one possibility.
func (x *executor) constants(ctx context.Context, n *symNode, l *symLeaf) error {
	for i, t := range l.state {
		if t.IsConst() {
			continue
		}
		near := x.near(n, l.cond, t)
		r, err := x.sat(ctx, near...)
		if err != nil {
			return err
		}
		if r.Verdict != solve.Sat {
			continue
		}
		c := x.pool.Const(t.Sort(), term.Eval(t, r.Model))
		if r, err = x.sat(ctx, append(near, x.pool.Ne(t, c))...); err != nil {
			return err
		}
		if r.Verdict == solve.Unsat {
			l.state = slices.Clone(l.state)
			l.state[i] = c
		}
	}
	return nil
}

// near returns the conditions and guards that are connected with a term.
func (x *executor) near(n *symNode, cond []*term.Term, t *term.Term) []*term.Term {
	vars := map[*term.Term]bool{}
	for _, v := range term.FreeVars(t) {
		vars[v] = true
	}
	var out []*term.Term
	for _, g := range groups(conjuncts(append(slices.Clone(cond), n.guards...)...)) {
		for _, v := range term.FreeVars(g...) {
			if vars[v] {
				out = append(out, g...)
				break
			}
		}
	}
	return out
}

// mergeLeaves makes one leaf of those with the same state. What their conditions
// have in common stays as it is: the rest is about other calls, and often holds
// in one of them in any case.
func (x *executor) mergeLeaves(leaves []symLeaf) []symLeaf {
	var out []symLeaf
	var conds [][][]*term.Term
	index := map[string]int{}
	for _, l := range leaves {
		key := ids(nil, l.state)
		if l.unsure {
			key = append(key, 1)
		}
		k, ok := index[string(key)]
		if !ok {
			k = len(out)
			index[string(key)] = k
			out, conds = append(out, l), append(conds, nil)
		}
		conds[k] = append(conds[k], l.cond)
	}
	for k, list := range conds {
		if len(list) == 1 {
			continue
		}
		common := slices.DeleteFunc(slices.Clone(list[0]), func(t *term.Term) bool {
			return slices.ContainsFunc(list, func(other []*term.Term) bool { return !slices.Contains(other, t) })
		})
		any := make([]*term.Term, len(list))
		for i, cond := range list {
			any[i] = x.pool.And(slices.DeleteFunc(slices.Clone(cond), func(t *term.Term) bool { return slices.Contains(common, t) })...)
		}
		out[k].cond = conjuncts(append(common, x.pool.Or(any...))...)
	}
	return out
}

// follows reports whether a group of conditions of a leaf can be dropped: for
// all arguments and results within the guards some choices satisfy it. Choices
// that the state speaks of stay as they are.
func (x *executor) follows(ctx context.Context, n *symNode, g []*term.Term, inState map[*term.Term]bool) (bool, error) {
	vars := term.FreeVars(g...)
	if slices.ContainsFunc(vars, func(v *term.Term) bool { return x.hidden(v) && inState[v] }) {
		return false, nil
	}
	if !slices.ContainsFunc(vars, func(v *term.Term) bool { return !x.hidden(v) }) {
		return true, nil // choices alone, and the whole is satisfiable
	}
	var guards []*term.Term
	for _, v := range vars {
		if c := x.copies[v]; c.at >= 0 && !x.hidden(v) && !slices.Contains(guards, n.guards[c.at]) {
			guards = append(guards, n.guards[c.at])
		}
	}
	r, err := x.existsForall(ctx, guards, [][]*term.Term{g})
	return r.Verdict == solve.Unsat, err
}

// compact renumbers the calls that the leaves of a node speak of, and forgets
// the others. It returns the new numbers.
func (x *executor) compact(n *symNode) []int {
	used := make([]bool, len(n.guards))
	var all []*term.Term
	for _, l := range n.leaves {
		all = append(append(all, l.cond...), l.state...)
	}
	vars := term.FreeVars(all...)
	for _, v := range vars {
		if c, ok := x.copies[v]; ok && c.at >= 0 {
			used[c.at] = true
		}
	}
	moved := make([]int, len(n.guards))
	count := 0
	for i := range moved {
		moved[i] = -1
		if used[i] {
			moved[i] = count
			count++
		}
	}
	sub := x.renumber(append(vars, term.FreeVars(n.guards...)...), func(at int) int { return max(0, moved[at]) })
	var guards []*term.Term
	for i, g := range n.guards {
		if used[i] {
			guards = append(guards, x.pool.Substitute(g, sub))
		}
	}
	n.guards = guards
	for i := range n.leaves {
		l := &n.leaves[i]
		l.state = x.pool.SubstituteAll(l.state, sub)
		l.cond = x.pool.SubstituteAll(l.cond, sub)
		slices.SortFunc(l.cond, func(a, b *term.Term) int { return int(a.ID()) - int(b.ID()) })
	}
	return moved
}
