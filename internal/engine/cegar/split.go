// SPDX-License-Identifier: Apache-2.0

package cegar

// This file splits classes of arguments and results where the verdict of a word
// depends on them. A concrete word fixes arguments and results; all else (initial
// values, choices) is HIDDEN. It can happen if some hidden values make it happen,
// and its last call is forbidden if some make it err. So of a word of classes the
// concrete words fall into those that err (E), those that can happen and are quiet
// (Q), and those that cannot happen, about which nothing is said.
//
//   - If Q has members already when only arguments are fixed (no results of the
//     classes make them err), walk from E to Q over the arguments, the last call
//     first, and split the guard of the call that decides.
//   - Otherwise, if Q has members, take the arguments of one: with them some
//     results lead to an error and others do not. Walk over the results and split
//     the outcome that decides.
//   - If Q is empty, the verdict does not depend on what the client sees. If
//     predicates do not make the error certain for the whole classes, some step is
//     certain only for a part of them (the others err in another run, or cannot
//     happen): split by that.
//
// Forbidden is right for a class of results because what must happen is asked of
// each result of the class (package predabs): after every concrete word over the letters
// of a pair, each member of L has a current state. So it does not matter how
// coarse the classes are; a class that is too coarse gives no certainty, and the
// pair is a conflict, not a wrong verdict. Allowed is right because U steps by what
// may happen with any arguments and results of the class.
//
// A split condition that compares a value with one of another call, a RELATION,
// has a constant that only this word has; the next word has another. As long as
// there are few values, that ends. Otherwise the splits made for it are taken
// back and the verdict is unknown with relationReason; guards that speak of
// remembered values could say more (the known variables of a division).

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/predicates"
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// relationReason begins the reason of a verdict that depends on a relation
// between the arguments or results of several calls.
const relationReason = "relation between arguments"

// relations are those between methods that were found.
type relations struct {
	abs   *predabs.Abstraction
	regs  *registers
	found map[[2]int]*relation // by methods, smaller index first
}

// newRelations is none yet.
func newRelations(r *registers) *relations {
	return &relations{abs: r.abs, regs: r, found: map[[2]int]*relation{}}
}

// A relation is between values of two methods' calls.
type relation struct {
	splits  int
	stopped bool
	before  [][2]*describe.Division // arguments and results of all methods before the first
	preds   predabs.Savepoint       // predicates before the first
}

// A splitter splits classes.
type splitter struct {
	abs       *predabs.Abstraction
	regs      *registers
	relations *relations
	finder    *predicates.Finder
}

// fixedTo gives the variables of a model their values, and adds other conditions.
func fixedTo(pool *term.Pool, m term.Model, more ...*term.Term) []*term.Term {
	var out []*term.Term
	for _, v := range m.Vars() {
		out = append(out, pool.Eq(v, pool.Const(v.Sort(), m[v])))
	}
	return append(out, more...)
}

// quietWord looks for a concrete word that can happen up to its last call and does
// not err then: for arguments alone, or for arguments and results.
func (c *splitter) quietWord(ctx context.Context, w *words.Formula, results []words.Seen) (solve.Result, error) {
	errs := c.abs.Pool.And(w.Conds()...)
	happens := c.abs.Pool.And(w.Happens()...)
	var exist []*term.Term
	for _, r := range results {
		errs, happens = c.abs.Pool.And(errs, r.Is), c.abs.Pool.And(happens, r.Is)
		exist = append(exist, r.Seen)
	}
	for _, s := range w.Steps {
		exist = append(exist, s.Params...)
	}
	seen := func(v *term.Term) bool { return slices.Contains(exist, v) }
	errs, happens = describe.Eliminate(c.abs.Pool, errs, seen), describe.Eliminate(c.abs.Pool, happens, seen)
	// One copy of the hidden values makes it happen; whatever the others are, it
	// does not err, in particular not with the first.
	copies := map[*term.Term]*term.Term{}
	var hidden []*term.Term
	for _, v := range term.FreeVars(errs, happens) {
		if !slices.Contains(exist, v) {
			copies[v] = c.abs.Pool.Var(v.Name()+"'", v.Sort())
		}
	}
	for _, v := range term.FreeVars(errs) {
		if copies[v] != nil {
			hidden = append(hidden, v)
		}
	}
	one := c.abs.Pool.Substitute(c.abs.Pool.And(happens, c.abs.Pool.Not(errs)), copies)
	if len(hidden) == 0 {
		return c.abs.Check(ctx, one)
	}
	for _, v := range term.FreeVars(one) {
		if !slices.Contains(exist, v) {
			exist = append(exist, v)
		}
	}
	if err := c.abs.Step(); err != nil {
		return solve.Result{}, err
	}
	return solve.ExistsForall(ctx, c.abs.Pool, c.abs.Propose, c.abs.Refute, exist, hidden, c.abs.Pool.And(one, c.abs.Pool.Not(errs)), quietRounds)
}

// splitWord splits a class if the verdict of a word that can err depends on its
// arguments or results. If it is done, another refinement is not needed: a class
// was split, or the verdict is given up for a reason. If it is not done, a reason
// says what is not known.
func (c *splitter) splitWord(ctx context.Context, w *words.Formula, errs term.Model) (done bool, reason string, err error) {
	results := w.SeenResults()
	first, withParams := "", false
	for _, s := range w.Steps {
		if len(s.Params) > 0 && !withParams {
			first, withParams = c.abs.Calls[s.Call].Sum.Method.Name, true
		}
	}
	if withParams {
		q, err := c.quietWord(ctx, w, nil)
		if err != nil {
			return false, "", err
		}
		switch q.Verdict {
		case solve.Sat:
			return c.splitArgs(ctx, w, errs, q.Model)
		case solve.Unknown:
			reason = fmt.Sprintf("whether it depends on the arguments of %s: %s", first, q.Reason)
		}
	}
	if len(results) == 0 {
		return false, reason, nil
	}
	q, err := c.quietWord(ctx, w, results)
	if err != nil {
		return false, "", err
	}
	switch q.Verdict {
	case solve.Sat:
		return c.splitResults(ctx, w, results, q.Model)
	case solve.Unknown:
		reason = fmt.Sprintf("whether it depends on a result of %s: %s", c.abs.Calls[w.Steps[results[0].Step].Call].Sum.Method.Name, q.Reason)
	}
	return false, reason, nil
}

// splitArgs splits the guard of a call of the word.
func (c *splitter) splitArgs(ctx context.Context, w *words.Formula, errs, quiet term.Model) (bool, string, error) {
	if done, reason, err := c.splitOrder(ctx, w); done || err != nil {
		return done, reason, err
	}
	var groups [][]*term.Term
	var steps []int
	for i := len(w.Steps) - 1; i >= 0; i-- {
		if len(w.Steps[i].Params) > 0 {
			groups, steps = append(groups, w.Steps[i].Params), append(steps, i)
		}
	}
	formula := c.abs.Pool.And(w.Conds()...)
	holds := func(ctx context.Context, m term.Model) (bool, error) {
		r, err := c.abs.Check(ctx, fixedTo(c.abs.Pool, m, formula)...)
		return r.Verdict == solve.Sat, err
	}
	var reason string
	for range 2 { // the last call first; if that is a relation, the first
		k, at, err := describe.Flip(ctx, groups, errs, quiet, holds)
		if err != nil || k < 0 {
			return false, "", err
		}
		i := steps[k]
		call := &c.abs.Calls[w.Steps[i].Call]
		back := map[*term.Term]*term.Term{}
		for raw, copy := range w.Steps[i].Rename {
			back[copy] = raw
		}
		done, why, err := c.splitAt(ctx, w, c.abs.ArgClass(call), dependence{formula, groups[k], at, back})
		if done && why == "" || err != nil {
			return done, why, err
		}
		if reason == "" {
			reason = why
		}
		slices.Reverse(groups)
		slices.Reverse(steps)
	}
	return reason != "", reason, nil
}

// splitResults splits an outcome of a call of the word. With the arguments of the
// quiet word some results lead to an error.
func (c *splitter) splitResults(ctx context.Context, w *words.Formula, results []words.Seen, quiet term.Model) (bool, string, error) {
	formula := c.abs.Pool.And(w.Conds()...)
	for _, r := range results {
		formula = c.abs.Pool.And(formula, r.Is)
	}
	args := term.Model{}
	for _, s := range w.Steps {
		for _, v := range s.Params {
			args[v] = quiet[v]
		}
	}
	r, err := c.abs.Check(ctx, fixedTo(c.abs.Pool, args, formula)...)
	if err != nil || r.Verdict != solve.Sat {
		return false, "", err
	}
	var groups [][]*term.Term
	var steps []int
	for k := len(results) - 1; k >= 0; k-- {
		if n := len(steps); n > 0 && steps[n-1] == results[k].Step {
			groups[n-1] = append(groups[n-1], results[k].Seen)
			continue
		}
		groups, steps = append(groups, []*term.Term{results[k].Seen}), append(steps, results[k].Step)
	}
	k, at, err := describe.Flip(ctx, groups, r.Model, quiet, func(ctx context.Context, m term.Model) (bool, error) {
		r, err := c.abs.Check(ctx, fixedTo(c.abs.Pool, m, fixedTo(c.abs.Pool, args, formula)...)...)
		return r.Verdict == solve.Sat, err
	})
	if err != nil || k < 0 {
		return false, "", err
	}
	maps.Copy(at, args)
	i := steps[k]
	call := &c.abs.Calls[w.Steps[i].Call]
	back := map[*term.Term]*term.Term{}
	for _, r := range results {
		if r.Step == i {
			back[r.Seen] = r.Of.Term
		}
	}
	return c.splitAt(ctx, w, c.abs.ResultClass(call, w.Steps[i].Outcome), dependence{formula, groups[k], at, back})
}

// A dependence says that a formula about a word depends on arguments or results of one step.
type dependence struct {
	formula *term.Term
	vars    []*term.Term              // on which it depends
	at      term.Model                // values of all that a client sees
	back    map[*term.Term]*term.Term // from these variables to those of the method
}

// splitAt splits a class of the arguments or results of a method by the condition on variables under which a formula holds. It is not done, but has
// a reason, if the condition is a relation that was given up.
func (c *splitter) splitAt(ctx context.Context, w *words.Formula, class predabs.ClassOf, dep dependence) (done bool, reason string, err error) {
	d, k, method := class.Division, class.Number, class.Method
	formula, vars, at, back := dep.formula, dep.vars, dep.at, dep.back
	formula = describe.Eliminate(c.abs.Pool, formula, func(v *term.Term) bool { _, ok := at[v]; return ok })
	r, err := c.abs.Check(ctx, fixedTo(c.abs.Pool, at, formula)...)
	if err != nil || r.Verdict != solve.Sat {
		return false, "", err
	}
	fixed := maps.Clone(at)
	for _, v := range vars {
		delete(fixed, v)
	}
	forth := map[*term.Term]*term.Term{}
	for copy, raw := range back {
		forth[raw] = copy
	}
	cond, err := c.abs.MinimalConditions().Cofactor(ctx, formula, vars, fixed, c.abs.Pool.Substitute(d.Classes[k].Cond, forth), r.Model)
	if err != nil {
		return false, "", err
	}
	if others := describe.Related(c.abs.Pool, formula, vars, fixed, cond, r.Model); len(others) > 0 {
		if done, err := c.regs.remember(ctx, w, r.Model, others[0]); done || err != nil {
			return done, "", err
		}
		if again, stop := c.relations.relate(w, method, others[0]); again {
			return true, "", c.regs.divideAgain(ctx)
		} else if stop != "" {
			return false, stop, nil
		}
	} else if d == c.abs.Methods[method].Results {
		if done, err := c.regs.rememberState(ctx, w, -1, r.Model, true); done || err != nil {
			return done, "", err
		}
	} else if done, err := c.regs.rememberState(ctx, w, method, r.Model, false); done || err != nil {
		return done, "", err
	}
	return c.abs.Split(ctx, class, c.abs.Pool.Substitute(cond, back))
}

// relate counts a split by a relation between the method and the call that has the
// variable, and returns the reason if it has been enough; again says that classes
// are other ones now.
func (c *relations) relate(w *words.Formula, method int, v *term.Term) (again bool, reason string) {
	other, values := method, v.Sort().Bits()
	for i, s := range w.Steps {
		if slices.Contains(s.Params, v) || slices.ContainsFunc(w.SeenResults(), func(r words.Seen) bool { return r.Step == i && r.Seen == v }) {
			other = c.abs.Calls[s.Call].Method
		}
	}
	key := [2]int{min(method, other), max(method, other)}
	rel := c.found[key]
	if rel == nil {
		rel = &relation{preds: c.abs.Save()}
		for i := range c.abs.Methods {
			rel.before = append(rel.before, [2]*describe.Division{c.abs.Methods[i].Args.Clone(), c.abs.Methods[i].Results.Clone()})
		}
		c.found[key] = rel
	}
	limit := wideRelation
	if values < 5 && 1<<values <= fewValues {
		limit = 2 << values
	}
	switch rel.splits++; {
	case rel.stopped:
		reason := fmt.Sprintf("%s: of %s and %s", relationReason, c.abs.Methods[key[0]].Sum.Method.Name, c.abs.Methods[key[1]].Sum.Method.Name)
		return false, c.regs.whyNot(reason)
	case rel.splits > limit:
		rel.stopped = true
		for i, d := range rel.before {
			c.abs.Methods[i].Args, c.abs.Methods[i].Results = d[0], d[1]
		}
		c.abs.Restore(rel.preds)
		c.abs.Alphabet()
		c.abs.Splits++
		return true, ""
	}
	return false, ""
}

// splitUneven splits the class of a step that is certain only for a part of it.
func (c *splitter) splitUneven(ctx context.Context, w *words.Formula, model term.Model) (done bool, reason string, err error) {
	along := c.finder.AlongRun(w, model)
	for i := len(w.Steps) - 1; i >= 0; i-- {
		ok, err := c.finder.Certain(ctx, predicates.StepOf(w, i, along))
		if err != nil {
			return false, "", err
		}
		if ok {
			continue
		}
		s := &w.Steps[i]
		call := &c.abs.Calls[s.Call]
		at := term.Model{}
		for v, copy := range s.Rename {
			at[v] = model[copy]
		}
		fixed := w.StateAt(i, model)
		maps.Copy(at, fixed)
		goal := s.RawCond
		if s.Outcome >= 0 {
			goal = c.finder.GoalOf(w, i, along[i+1])
		}
		uneven := func(class predabs.ClassOf, goal *term.Term, vars []*term.Term, back map[*term.Term]*term.Term, forth map[*term.Term]*term.Term) (bool, string, error) {
			goal = describe.Eliminate(c.abs.Pool, goal, func(v *term.Term) bool {
				_, ok := fixed[v]
				return ok || slices.Contains(vars, v)
			})
			cond, err := c.abs.MinimalConditions().Cofactor(ctx, goal, vars, fixed, c.abs.Pool.Substitute(class.Classes[class.Number].Cond, forth), at)
			if err != nil {
				return false, "", err
			}
			if len(describe.Related(c.abs.Pool, goal, vars, fixed, cond, at)) > 0 {
				return false, "", nil // another state, another condition
			}
			return c.abs.Split(ctx, class, c.abs.Pool.Substitute(cond, back))
		}
		var params []*term.Term
		for _, v := range call.Sum.Method.Params {
			params = append(params, v.Term)
		}
		if done, reason, err := uneven(c.abs.ArgClass(call), goal, params, nil, nil); done || err != nil {
			return done, reason, err
		}
		if s.Outcome < 0 || !call.Inexact {
			continue
		}
		// Of the results that were seen, which can be?
		back, forth := map[*term.Term]*term.Term{}, map[*term.Term]*term.Term{}
		var seen []*term.Term
		final := predabs.After(call.Sum, s.RawVals)
		for _, r := range call.Sum.Method.Results {
			t := c.abs.Seen(r)
			goal = c.abs.Pool.And(goal, c.abs.Pool.Eq(t, final[r.Term]))
			at[t] = term.Eval(final[r.Term], at)
			back[t], forth[r.Term] = r.Term, t
			if r.Type.Sort.Kind == term.BitVecKind {
				seen = append(seen, t)
			} else {
				fixed[t] = at[t]
			}
		}
		for _, v := range params {
			fixed[v] = at[v]
		}
		if done, reason, err := uneven(c.abs.ResultClass(call, s.Outcome), goal, seen, back, forth); done || err != nil {
			return done, reason, err
		}
	}
	return false, "", nil
}

// splitForced splits off an integer result that a call of the word has whatever
// the arguments and choices were. A result that depends on the state alone is not
// split by splitUneven, for another state has another one; but one that the word
// has fixed is a class of its own, and says that what is current returned it.
func (c *splitter) splitForced(ctx context.Context, w *words.Formula, model term.Model) (done bool, reason string, err error) {
	for i := range w.Steps {
		s := &w.Steps[i]
		call := &c.abs.Calls[s.Call]
		if s.Outcome < 0 || !call.Inexact {
			continue
		}
		cond, same := c.abs.Pool.True(), c.abs.Pool.True()
		for k, v := range call.Sum.Method.Results {
			if v.Type.Sort.Kind == term.BitVecKind {
				value := c.abs.Pool.Const(v.Type.Sort, term.Eval(s.Results[k], model))
				cond, same = c.abs.Pool.And(cond, c.abs.Pool.Eq(v.Term, value)), c.abs.Pool.And(same, c.abs.Pool.Eq(s.Results[k], value))
			}
		}
		r, err := c.abs.Check(ctx, append(w.Conds()[:i+1:i+1], c.abs.Pool.Not(same))...)
		if err != nil {
			return false, "", err
		}
		if r.Verdict != solve.Unsat {
			continue
		}
		if done, reason, err := c.abs.Split(ctx, c.abs.ResultClass(call, s.Outcome), cond); done || err != nil {
			return done, reason, err
		}
	}
	return false, "", nil
}
