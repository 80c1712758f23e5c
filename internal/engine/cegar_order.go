// SPDX-License-Identifier: Apache-2.0

package engine

// This file tells positions apart by order. A SUM is an integer of the state to which
// some call adds what is no constant: how much was written, say. What a test such as
// "n is 0" says of it after a call has no weakest precondition that is worth a
// predicate: n + 30 is 0, n + 30 + k is 0 for every k. But if sums do not overflow
// (the program assumes it where it is so), what is above stays above. So where the
// predicates compare a sum with a constant, being above and being below it are tried
// as predicates before others, and as guards: a call that sets the sum to an argument
// is divided by whether that is above.
//
// They are taken only if they do what is needed, so nothing rests on the assumption
// but what the program itself assumes.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// isSum reports whether some call adds to a variable what is no constant.
func (c *cegar) isSum(v *prog.Var) bool {
	if c.sums == nil {
		c.sums = map[*prog.Var]bool{}
		for _, m := range c.methods {
			for i := range m.sum.Blocks {
				for k, t := range m.sum.Blocks[i].Vals[:m.sum.States] {
					if v := m.sum.Vars[k]; !c.sums[v] && v.Type.Sort.Kind == term.BitVecKind && addsTo(t, v.Term) {
						c.sums[v] = true
					}
				}
			}
		}
	}
	return c.sums[v]
}

// addsTo reports whether a term has a sum of a variable and something that is no
// constant.
func addsTo(t, v *term.Term) bool {
	seen := map[*term.Term]bool{}
	var visit func(t *term.Term) bool
	visit = func(t *term.Term) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		if t.Op() == term.OpAdd && slices.Contains(t.Args(), v) && slices.ContainsFunc(t.Args(), func(x *term.Term) bool { return x != v && !x.IsConst() }) {
			return true
		}
		return slices.ContainsFunc(t.Args(), visit)
	}
	return visit(t)
}

// orders returns, for the sums that predicates compare with a constant, that they are
// above it and that they are below it.
func (c *cegar) orders() (out []*term.Term) {
	for _, p := range c.preds {
		v, k, ok := c.equation(p)
		if !ok || !c.isSum(v) {
			continue
		}
		less, at := c.pool.ULt, c.pool.Const(v.Type.Sort, k)
		if v.Type.Signed {
			less = c.pool.SLt
		}
		for _, t := range []*term.Term{less(at, v.Term), less(v.Term, at)} {
			if !t.IsConst() {
				out = append(out, t)
			}
		}
	}
	return out
}

// isPredicate reports whether a term is known as a predicate.
func (c *cegar) isPredicate(t *term.Term) bool {
	return slices.Contains(c.preds, t) || slices.Contains(c.preds, c.pool.Not(t))
}

// orderExcludes looks for an order that holds in what was reached, which is asserted
// with the values of the state in sub, and excludes the goal; before is what the
// abstraction knows.
func (c *cegar) orderExcludes(ctx context.Context, before, goal *term.Term, sub map[*term.Term]*term.Term) (*term.Term, error) {
	for _, p := range c.orders() {
		if c.isPredicate(p) || !shareVar(p, goal) {
			continue
		}
		if ok, err := c.separates(ctx, p, before, goal, sub); err != nil || ok {
			return p, err
		}
	}
	return nil, nil
}

// orderProves looks for an order that holds in the state of a run and with which a step
// of it can lead to nothing else, or is certain.
func (c *cegar) orderProves(ctx context.Context, w *wordFormula, i int, goal *term.Term, m term.Model, along []int32) (*term.Term, error) {
	for _, p := range c.orders() {
		if c.isPredicate(p) || !shareVar(p, goal) || !term.Holds(p, m) {
			continue
		}
		if i < len(w.steps)-1 {
			into := c.cube(c.cubes[along[i+1]], after(c.calls[w.steps[i].call].sum, w.steps[i].rawVals))
			r, err := c.check(ctx, c.region(along[i]), p, w.steps[i].rawCond, c.pool.Not(into))
			if err != nil {
				return nil, err
			}
			if r.Verdict == solve.Unsat {
				return p, nil
			}
		}
		if ok, err := c.certain(ctx, w, i, along, p); err != nil || ok {
			return p, err
		}
	}
	return nil, nil
}

// removeByOrder removes an abstract trace of a word to a state in which the call need
// not err, if an order or an invariant of a loop does. It reports whether one did.
func (c *cegar) removeByOrder(ctx context.Context, conf *conflict, word [][2]int) (bool, error) {
	if len(c.orders()) == 0 {
		return false, nil
	}
	trace, end, err := c.quietTrace(ctx, conf, word)
	if err != nil || trace == nil {
		return false, err
	}
	before := c.known()
	c.byOrder = true
	_, err = c.removeTrace(ctx, trace, word, [2]int{conf.call, end})
	c.byOrder = false
	return c.known() > before, err
}

// splitOrder divides the arguments of a call of a word by whether a sum that it sets
// is above or below a constant, if that decides whether the last call errs.
func (c *cegar) splitOrder(ctx context.Context, w *wordFormula) (bool, string, error) {
	orders := c.orders()
	n := len(w.steps) - 1
	for i := range w.steps[:n] {
		s := &w.steps[i]
		call := &c.calls[s.call]
		d := c.methods[call.method].args
		k := slices.IndexFunc(d.classes, func(x class) bool { return x.id == call.class })
		final := after(call.sum, s.rawVals)
		for _, p := range orders {
			raw := c.pool.Substitute(p, final)
			if raw.IsConst() || !overVars(raw, call.sum.Method.Params) {
				continue
			}
			is := c.pool.Substitute(raw, s.rename)
			decides, err := c.decides(ctx, w, is)
			if err != nil {
				return false, "", err
			}
			if !decides {
				continue
			}
			if done, reason, err := c.split(ctx, call.method, d, k, raw); done || err != nil {
				return done, reason, err
			}
		}
	}
	return false, "", nil
}

// decides reports whether a condition makes all runs of a word err at its end, or none.
func (c *cegar) decides(ctx context.Context, w *wordFormula, is *term.Term) (bool, error) {
	n := len(w.steps) - 1
	errs := c.pool.And(w.conds()...)
	happens := c.pool.And(append(w.conds()[:n:n], w.steps[n].made)...)
	r, err := c.check(ctx, is, errs)
	if err != nil {
		return false, err
	}
	if r.Verdict == solve.Sat {
		r, err = c.check(ctx, is, happens, c.pool.Not(errs))
	}
	return r.Verdict == solve.Unsat, err
}

// shareVar reports whether two terms have a variable in common.
func shareVar(a, b *term.Term) bool {
	free := term.FreeVars(b)
	return slices.ContainsFunc(term.FreeVars(a), func(v *term.Term) bool { return slices.Contains(free, v) })
}
