// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file judges a guarded call after a word, and splits guards where the
// verdict depends on arguments.
//
// Legality is about concrete words: arguments and results are given, and a
// call is forbidden iff some choices, consistent with them, make it err. So with
// E the condition of the erring paths and H that of the leaves,
//
//	allowed:    no arguments and results satisfy E (for any choices);
//	forbidden:  all that satisfy H (for some choices) satisfy E (for some).
//
// Paths that are unsure make E larger for the first and are left out of E for
// the second. If neither holds, there are two concrete words of different kinds.
// From the one to the other, the arguments of one call (or its results) are
// changed at a time, the rest fixed; where the kind changes, the condition on
// what was changed, in that context, splits the guard (or the outcome): the
// COFACTOR of the condition, as in X-PSYCO (Howar, Giannakopoulou, Rakamaric,
// ISSTA 2013). Projecting the whole condition on one call, as SAS 2012 does, can
// lose the split (component Xor2), and dropping conjuncts can falsify it.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A symCell is what is known of a guarded call in a node.
type symCell struct {
	verdict typestate.Verdict // unknown: see reason and split
	reason  string
	// returns: some run may return; used to tell fails from may-fail.
	returns bool
	sites   []*prog.ErrorSite
	split   *symSplit // how to refine; nil if that is not possible
	erring  term.Model
}

// A symSplit demands that a call of the word be split by a condition. The call
// is named by its number in the node; the last is the call that was judged.
type symSplit struct {
	at      int
	results bool       // split its outcome, not its guard
	cond    *term.Term // over the parameters (or results) of the method
}

// cell judges a guarded call in a node.
func (x *executor) cell(ctx context.Context, n *symNode, call int, guard *term.Term) (*symCell, error) {
	key := guardedCall{call, guard}
	if c := n.cells[key]; c != nil {
		return c, nil
	}
	c, err := x.judge(ctx, n, call, guard)
	if err != nil {
		return nil, err
	}
	n.cells[key] = c
	return c, nil
}

// An erringPath is the condition of a path that errs from a leaf, without the guards.
type erringPath struct {
	leaf int
	cond []*term.Term
}

// A judging is the judgement of one guarded call in a node.
type judging struct {
	*executor
	node   *symNode
	call   int
	guards []*term.Term // of the calls before, and of the call
	cell   *symCell
	// Paths that err, for certain or not, and a run of the first that does for certain.
	sure, unsure []erringPath
	erring       solve.Result
	undecided    string // why some question has no answer
	// A word that is quiet for certain: on no path that errs, sure or not. One that may be, but is on a path that is unsure.
	quiet, doubtful *solve.Result
}

// judge judges a guarded call in a node.
func (x *executor) judge(ctx context.Context, n *symNode, call int, guard *term.Term) (*symCell, error) {
	at := len(n.guards)
	j := &judging{executor: x, node: n, call: call, cell: &symCell{}}
	j.guards = append(slices.Clone(n.guards), x.pool.Substitute(guard, x.instance(call, at, guard)))
	if err := j.findErring(ctx); err != nil {
		return nil, err
	}
	if len(j.sure)+len(j.unsure) == 0 {
		j.cell.verdict = typestate.VerdictAllowed
		return j.cell, nil
	}
	if n.forbidden[guardedCall{call, guard}] {
		j.cell.forbid(j.erring.Model)
		return j.cell, nil
	}
	for i := range n.leaves {
		if err := j.findQuiet(ctx, i); err != nil {
			return nil, err
		}
	}
	switch {
	case j.undecided != "":
		j.cell.reason = j.undecided
	case j.quiet == nil && j.doubtful == nil:
		j.cell.forbid(j.erring.Model)
	case len(j.sure) == 0 && j.quiet == nil:
		j.cell.reason = j.loopReason()
	default:
		if err := j.split(ctx); err != nil {
			return nil, err
		}
	}
	return j.cell, nil
}

// findErring finds the paths of the call that err, and whether some return.
func (j *judging) findErring(ctx context.Context) error {
	at := len(j.node.guards)
	for i := range j.node.leaves {
		l := &j.node.leaves[i]
		paths, err := j.run(ctx, j.call, l.state)
		if err != nil {
			return err
		}
		for _, p := range paths {
			if p.site == nil && j.cell.returns {
				continue
			}
			cond := conjuncts(append(slices.Clone(l.cond), j.pool.Substitute(p.cond, j.instance(j.call, at, p.cond)))...)
			r, err := j.sat(ctx, append(slices.Clone(cond), j.guards...)...)
			switch {
			case err != nil:
				return err
			case r.Verdict == solve.Unsat:
				continue
			case p.site == nil:
				j.cell.returns = true
				continue
			}
			if !slices.Contains(j.cell.sites, p.site) {
				j.cell.sites = append(j.cell.sites, p.site)
			}
			switch {
			case r.Verdict == solve.Unknown:
				j.undecided = r.Reason
				j.unsure = append(j.unsure, erringPath{i, cond})
			case l.unsure || p.unsure:
				j.unsure = append(j.unsure, erringPath{i, cond})
			default:
				if len(j.sure) == 0 {
					j.erring = r
				}
				j.sure = append(j.sure, erringPath{i, cond})
			}
		}
	}
	return nil
}

// avoid lists the erring conditions that a leaf is to avoid. Without choices a concrete
// word is in one leaf, and what errs from the others is not about it.
func (j *judging) avoid(leaf int, lists ...[]erringPath) (out [][]*term.Term) {
	for _, list := range lists {
		for _, p := range list {
			if j.choices || p.leaf == leaf {
				out = append(out, p.cond)
			}
		}
	}
	return out
}

// findQuiet looks for words from a leaf that do not err.
func (j *judging) findQuiet(ctx context.Context, leaf int) error {
	l := &j.node.leaves[leaf]
	holds := append(slices.Clone(l.cond), j.guards...)
	r, err := j.existsForall(ctx, holds, j.avoid(leaf, j.sure, j.unsure))
	if err != nil {
		return err
	}
	switch {
	case r.Verdict == solve.Unknown:
		j.undecided = r.Reason
	case r.Verdict == solve.Sat && l.unsure:
		j.doubtful = &r
	case r.Verdict == solve.Sat && j.quiet == nil:
		j.quiet = &r
	}
	if len(j.unsure) == 0 || j.doubtful != nil {
		return nil
	}
	s, err := j.existsForall(ctx, holds, j.avoid(leaf, j.sure))
	if err != nil {
		return err
	}
	switch {
	case s.Verdict == solve.Unknown:
		j.undecided = s.Reason
	case s.Verdict == solve.Sat:
		// It errs on an unsure path only, or is the quiet one again.
		more, err := j.anySat(ctx, s.Model, j.avoid(leaf, j.unsure))
		if err != nil {
			return err
		}
		if more {
			j.doubtful = &s
		}
	}
	return nil
}

// loopReason is why a verdict is unknown because of paths that are unsure.
func (j *judging) loopReason() string {
	loop := "it depends on a loop that was followed only so far"
	for i := range j.node.leaves {
		for _, l := range j.calls {
			if l.loop && j.node.leaves[i].unsure && l.sum != j.calls[j.call].sum {
				loop = fmt.Sprintf("it depends on a loop in %s that was followed only so far", l.sum.Method.Name)
			}
		}
	}
	if x := &j.calls[j.call]; x.loop {
		loop = fmt.Sprintf("it depends on a loop in %s that was followed only so far", x.sum.Method.Name)
	}
	return loop
}

// split splits what errs for certain from the rest, or what may err from what does not.
func (j *judging) split(ctx context.Context) error {
	in, out, list := j.erring.Model, j.quiet, j.sure
	if len(j.sure) == 0 {
		list = j.unsure
		for _, p := range list {
			r, err := j.sat(ctx, append(slices.Clone(p.cond), j.guards...)...)
			if err != nil {
				return err
			}
			if r.Verdict == solve.Sat {
				in = r.Model
				break
			}
		}
	} else if out == nil {
		out = j.doubtful
	}
	if in == nil || out == nil {
		j.cell.reason = j.loopReason()
		return nil
	}
	var errs [][]*term.Term
	for _, p := range list {
		errs = append(errs, p.cond)
	}
	var err error
	j.cell.split, j.cell.reason, err = j.splitBetween(ctx, j.guards, errs, in, out.Model)
	return err
}

// forbid makes the verdict forbidden.
func (c *symCell) forbid(erring term.Model) {
	c.verdict = typestate.VerdictFails
	if c.returns {
		c.verdict = typestate.VerdictMayFail
	}
	c.erring = erring
}

// A unit is what the walk changes at a time: the arguments or the results of
// one call.
type unit struct {
	at      int
	results bool
}

func (x *executor) unitOf(v *term.Term) (unit, bool) {
	c, ok := x.copies[v]
	return unit{c.at, c.kind == resultCopy}, ok && c.kind != choiceCopy
}

// anySat reports whether with the model's values of what the client chooses
// and sees one of the conditions holds for some choices. Undecided counts as yes.
func (x *executor) anySat(ctx context.Context, m term.Model, f [][]*term.Term) (bool, error) {
	for _, cond := range f {
		r, err := x.sat(ctx, x.pool.SubstituteAll(cond, x.fixed(cond, m, nil))...)
		if err != nil || r.Verdict != solve.Unsat {
			return true, err
		}
	}
	return false, nil
}

// fixed is the substitution of what the client chooses and sees by the model's
// values, except for one unit.
func (x *executor) fixed(cond []*term.Term, m term.Model, except *unit) map[*term.Term]*term.Term {
	sub := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(cond...) {
		if u, ok := x.unitOf(v); ok && (except == nil || u != *except) {
			sub[v] = x.pool.Const(v.Sort(), m[v])
		}
	}
	return sub
}

// splitBetween walks from a model in which one of the conditions f holds to one
// in which none does, and returns how to split where that changes. If it cannot,
// it returns the reason.
func (x *executor) splitBetween(ctx context.Context, guards []*term.Term, f [][]*term.Term, in, out term.Model) (*symSplit, string, error) {
	var vars []*term.Term
	conds := make([]*term.Term, len(f))
	for i, cond := range f {
		conds[i] = x.pool.And(cond...)
		for _, v := range term.FreeVars(cond...) {
			if _, ok := x.unitOf(v); ok && !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
	}
	// The last call first: that its own arguments decide is the usual case.
	var units []unit
	var members [][]*term.Term
	for _, results := range []bool{false, true} {
		for at := len(guards) - 1; at >= 0; at-- {
			u := unit{at, results}
			if mine := slices.DeleteFunc(slices.Clone(vars), func(v *term.Term) bool { w, _ := x.unitOf(v); return w != u }); len(mine) > 0 {
				units, members = append(units, u), append(members, mine)
			}
		}
	}
	k, at, err := describe.Flip(ctx, members, in, out, func(ctx context.Context, m term.Model) (bool, error) { return x.anySat(ctx, m, f) })
	if err != nil {
		return nil, "", err
	}
	if k < 0 {
		return nil, "no call of the word decides it alone", nil
	}
	formula := x.pool.Or(conds...)
	// A model of the formula in this context, choices included.
	r, err := x.ask(ctx, x.pool.Substitute(formula, x.fixed([]*term.Term{formula}, at, nil)))
	if err != nil || r.Verdict != solve.Sat {
		return nil, "no call of the word decides it alone", undecidedIsNot(err)
	}
	for v, val := range at {
		r.Model[v] = val
	}
	cond, err := describe.Cubes{Pool: x.pool, Ask: x.ask}.Cofactor(ctx, formula, members[k], at, x.pool.And(guards...), r.Model)
	if err != nil {
		return nil, "a condition on arguments was not found: " + err.Error(), undecidedIsNot(err)
	}
	if names := x.tooMany(describe.Related(x.pool, formula, members[k], at, cond, r.Model)); names != "" {
		return nil, fmt.Sprintf("relation between arguments: the verdict depends on %s of an earlier call", names), nil
	}
	back := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(cond) {
		back[v] = x.copies[v].base
	}
	return &symSplit{at: units[k].at, results: units[k].results, cond: x.pool.Substitute(cond, back)}, "", nil
}

// tooMany names the variables if they have too many values together.
func (x *executor) tooMany(vars []*term.Term) string {
	bits := 0
	var names []string
	for _, v := range vars {
		if _, ok := x.unitOf(v); ok {
			bits += v.Sort().Bits()
			if name := x.copies[v].base.Name(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if bits <= relationBits {
		return ""
	}
	return strings.Join(names, ", ")
}

// undecidedIsNot makes an undecided question a missing answer, not an error.
func undecidedIsNot(err error) error {
	if _, ok := err.(*solve.UndecidedError); ok {
		return nil
	}
	return err
}
