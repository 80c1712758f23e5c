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
	"github.com/interlock-go/interlock/internal/engine/registers"
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
	regs  *registers.Registers
	found map[[2]int]*relation // by methods, smaller index first
}

// newRelations is none yet.
func newRelations(r *registers.Registers) *relations {
	return &relations{abs: r.Abs, regs: r, found: map[[2]int]*relation{}}
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
	regs      *registers.Registers
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
func (sp *splitter) quietWord(ctx context.Context, w *words.Formula, results []words.Seen) (solve.Result, error) {
	errs := sp.abs.Pool.And(w.Conds()...)
	happens := sp.abs.Pool.And(w.Happens()...)
	var exist []*term.Term
	for _, r := range results {
		errs, happens = sp.abs.Pool.And(errs, r.Is), sp.abs.Pool.And(happens, r.Is)
		exist = append(exist, r.Seen)
	}
	for _, s := range w.Steps {
		exist = append(exist, s.Params...)
	}
	seen := func(v *term.Term) bool { return slices.Contains(exist, v) }
	errs, happens = describe.Eliminate(sp.abs.Pool, errs, seen), describe.Eliminate(sp.abs.Pool, happens, seen)
	// One copy of the hidden values makes it happen; whatever the others are, it
	// does not err, in particular not with the first.
	copies := map[*term.Term]*term.Term{}
	var hidden []*term.Term
	for _, v := range term.FreeVars(errs, happens) {
		if !slices.Contains(exist, v) {
			copies[v] = sp.abs.Pool.Var(v.Name()+"'", v.Sort())
		}
	}
	for _, v := range term.FreeVars(errs) {
		if copies[v] != nil {
			hidden = append(hidden, v)
		}
	}
	one := sp.abs.Pool.Substitute(sp.abs.Pool.And(happens, sp.abs.Pool.Not(errs)), copies)
	if len(hidden) == 0 {
		return sp.abs.Check(ctx, one)
	}
	for _, v := range term.FreeVars(one) {
		if !slices.Contains(exist, v) {
			exist = append(exist, v)
		}
	}
	if err := sp.abs.Step(ctx); err != nil {
		return solve.Result{}, err
	}
	return solve.ExistsForall(ctx, sp.abs.Pool, sp.abs.Propose, sp.abs.Refute, exist, hidden, sp.abs.Pool.And(one, sp.abs.Pool.Not(errs)), quietRounds)
}

// splitWord splits a class if the verdict of a word that can err depends on its
// arguments or results. If it is done, another refinement is not needed: a class
// was split, or the verdict is given up for a reason. If it is not done, a reason
// says what is not known.
func (sp *splitter) splitWord(ctx context.Context, w *words.Formula, errs term.Model) (done bool, reason string, err error) {
	results := w.SeenResults()
	first, withParams := "", false
	for _, s := range w.Steps {
		if len(s.Params) > 0 && !withParams {
			first, withParams = sp.abs.Calls[s.Call].Sum.Method.Name, true
		}
	}
	if withParams {
		q, err := sp.quietWord(ctx, w, nil)
		if err != nil {
			return false, "", err
		}
		switch q.Verdict {
		case solve.Sat:
			return sp.splitArgs(ctx, w, errs, q.Model)
		case solve.Unknown:
			reason = fmt.Sprintf("whether it depends on the arguments of %s: %s", first, q.Reason)
		}
	}
	if len(results) == 0 {
		return false, reason, nil
	}
	q, err := sp.quietWord(ctx, w, results)
	if err != nil {
		return false, "", err
	}
	switch q.Verdict {
	case solve.Sat:
		return sp.splitResults(ctx, w, results, q.Model)
	case solve.Unknown:
		reason = fmt.Sprintf("whether it depends on a result of %s: %s", sp.abs.Calls[w.Steps[results[0].Step].Call].Sum.Method.Name, q.Reason)
	}
	return false, reason, nil
}

// splitArgs splits the guard of a call of the word.
func (sp *splitter) splitArgs(ctx context.Context, w *words.Formula, errs, quiet term.Model) (bool, string, error) {
	if done, reason, err := sp.splitOrder(ctx, w); done || err != nil {
		return done, reason, err
	}
	var groups [][]*term.Term
	var steps []int
	for i := len(w.Steps) - 1; i >= 0; i-- {
		if len(w.Steps[i].Params) > 0 {
			groups, steps = append(groups, w.Steps[i].Params), append(steps, i)
		}
	}
	formula := sp.abs.Pool.And(w.Conds()...)
	holds := func(ctx context.Context, m term.Model) (bool, error) {
		r, err := sp.abs.Check(ctx, fixedTo(sp.abs.Pool, m, formula)...)
		return r.Verdict == solve.Sat, err
	}
	var reason string
	for range 2 { // the last call first; if that is a relation, the first
		k, at, err := describe.Flip(ctx, groups, errs, quiet, holds)
		if err != nil || k < 0 {
			return false, "", err
		}
		i := steps[k]
		call := &sp.abs.Calls[w.Steps[i].Call]
		back := map[*term.Term]*term.Term{}
		for raw, copy := range w.Steps[i].Rename {
			back[copy] = raw
		}
		done, why, err := sp.splitAt(ctx, w, sp.abs.ArgClass(call), dependence{formula, groups[k], at, back})
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
func (sp *splitter) splitResults(ctx context.Context, w *words.Formula, results []words.Seen, quiet term.Model) (bool, string, error) {
	formula := sp.abs.Pool.And(w.Conds()...)
	for _, r := range results {
		formula = sp.abs.Pool.And(formula, r.Is)
	}
	args := term.Model{}
	for _, s := range w.Steps {
		for _, v := range s.Params {
			args[v] = quiet[v]
		}
	}
	r, err := sp.abs.Check(ctx, fixedTo(sp.abs.Pool, args, formula)...)
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
		r, err := sp.abs.Check(ctx, fixedTo(sp.abs.Pool, m, fixedTo(sp.abs.Pool, args, formula)...)...)
		return r.Verdict == solve.Sat, err
	})
	if err != nil || k < 0 {
		return false, "", err
	}
	maps.Copy(at, args)
	i := steps[k]
	call := &sp.abs.Calls[w.Steps[i].Call]
	back := map[*term.Term]*term.Term{}
	for _, r := range results {
		if r.Step == i {
			back[r.Seen] = r.Of.Term
		}
	}
	return sp.splitAt(ctx, w, sp.abs.ResultClass(call, w.Steps[i].Outcome), dependence{formula, groups[k], at, back})
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
func (sp *splitter) splitAt(ctx context.Context, w *words.Formula, class predabs.ClassOf, dep dependence) (done bool, reason string, err error) {
	d, k, method := class.Division, class.Number, class.Method
	formula, vars, at, back := dep.formula, dep.vars, dep.at, dep.back
	formula = describe.Eliminate(sp.abs.Pool, formula, func(v *term.Term) bool { _, ok := at[v]; return ok })
	r, err := sp.abs.Check(ctx, fixedTo(sp.abs.Pool, at, formula)...)
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
	cond, err := sp.abs.MinimalConditions().Cofactor(ctx, formula, vars, fixed, sp.abs.Pool.Substitute(d.Classes[k].Cond, forth), r.Model)
	if err != nil {
		return false, "", err
	}
	if others := describe.Related(sp.abs.Pool, formula, vars, fixed, cond, r.Model); len(others) > 0 {
		if done, err := sp.regs.Remember(ctx, w, r.Model, others[0]); done || err != nil {
			return done, "", err
		}
		if again, stop := sp.relations.relate(w, method, others[0]); again {
			return true, "", sp.regs.DivideAgain(ctx)
		} else if stop != "" {
			return false, stop, nil
		}
	} else if d == sp.abs.Methods[method].Results {
		if done, err := sp.regs.RememberState(ctx, w, -1, r.Model, true); done || err != nil {
			return done, "", err
		}
	} else if done, err := sp.regs.RememberState(ctx, w, method, r.Model, false); done || err != nil {
		return done, "", err
	}
	return sp.abs.Split(ctx, class, sp.abs.Pool.Substitute(cond, back))
}

// relate counts a split by a relation between the method and the call that has the
// variable, and returns the reason if it has been enough; again says that classes
// are other ones now.
func (rl *relations) relate(w *words.Formula, method int, v *term.Term) (again bool, reason string) {
	other, values := method, v.Sort().Bits()
	for i, s := range w.Steps {
		if slices.Contains(s.Params, v) || slices.ContainsFunc(w.SeenResults(), func(r words.Seen) bool { return r.Step == i && r.Seen == v }) {
			other = rl.abs.Calls[s.Call].Method
		}
	}
	key := [2]int{min(method, other), max(method, other)}
	rel := rl.found[key]
	if rel == nil {
		rel = &relation{preds: rl.abs.Save()}
		for i := range rl.abs.Methods {
			rel.before = append(rel.before, [2]*describe.Division{rl.abs.Methods[i].Args.Clone(), rl.abs.Methods[i].Results.Clone()})
		}
		rl.found[key] = rel
	}
	limit := wideRelation
	if values < 5 && 1<<values <= fewValues {
		limit = 2 << values
	}
	switch rel.splits++; {
	case rel.stopped:
		reason := fmt.Sprintf("%s: of %s and %s", relationReason, rl.abs.Methods[key[0]].Sum.Method.Name, rl.abs.Methods[key[1]].Sum.Method.Name)
		return false, rl.regs.WhyNot(reason)
	case rel.splits > limit:
		rel.stopped = true
		for i, d := range rel.before {
			rl.abs.Methods[i].Args, rl.abs.Methods[i].Results = d[0], d[1]
		}
		rl.abs.Restore(rel.preds)
		rl.abs.Alphabet()
		rl.abs.Splits++
		return true, ""
	}
	return false, ""
}

// splitUneven splits the class of a step that is certain only for a part of it.
func (sp *splitter) splitUneven(ctx context.Context, w *words.Formula, model term.Model) (done bool, reason string, err error) {
	along := sp.finder.AlongRun(w, model)
	for i := len(w.Steps) - 1; i >= 0; i-- {
		ok, err := sp.finder.Certain(ctx, predicates.StepOf(w, i, along))
		if err != nil {
			return false, "", err
		}
		if ok {
			continue
		}
		s := &w.Steps[i]
		call := &sp.abs.Calls[s.Call]
		at := term.Model{}
		for v, copy := range s.Rename {
			at[v] = model[copy]
		}
		fixed := w.StateAt(i, model)
		maps.Copy(at, fixed)
		goal := s.RawCond
		if s.Outcome >= 0 {
			goal = sp.finder.StepInto(w, i, along[i+1])
		}
		uneven := func(class predabs.ClassOf, goal *term.Term, vars []*term.Term, back map[*term.Term]*term.Term, forth map[*term.Term]*term.Term) (bool, string, error) {
			goal = describe.Eliminate(sp.abs.Pool, goal, func(v *term.Term) bool {
				_, ok := fixed[v]
				return ok || slices.Contains(vars, v)
			})
			cond, err := sp.abs.MinimalConditions().Cofactor(ctx, goal, vars, fixed, sp.abs.Pool.Substitute(class.Classes[class.Number].Cond, forth), at)
			if err != nil {
				return false, "", err
			}
			if len(describe.Related(sp.abs.Pool, goal, vars, fixed, cond, at)) > 0 {
				return false, "", nil // another state, another condition
			}
			return sp.abs.Split(ctx, class, sp.abs.Pool.Substitute(cond, back))
		}
		var params []*term.Term
		for _, v := range call.Sum.Method.Params {
			params = append(params, v.Term)
		}
		if done, reason, err := uneven(sp.abs.ArgClass(call), goal, params, nil, nil); done || err != nil {
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
			t := sp.abs.Seen(r)
			goal = sp.abs.Pool.And(goal, sp.abs.Pool.Eq(t, final[r.Term]))
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
		if done, reason, err := uneven(sp.abs.ResultClass(call, s.Outcome), goal, seen, back, forth); done || err != nil {
			return done, reason, err
		}
	}
	return false, "", nil
}

// splitForced splits off an integer result that a call of the word has whatever
// the arguments and choices were. A result that depends on the state alone is not
// split by splitUneven, for another state has another one; but one that the word
// has fixed is a class of its own, and says that what is current returned it.
func (sp *splitter) splitForced(ctx context.Context, w *words.Formula, model term.Model) (done bool, reason string, err error) {
	for i := range w.Steps {
		s := &w.Steps[i]
		call := &sp.abs.Calls[s.Call]
		if s.Outcome < 0 || !call.Inexact {
			continue
		}
		cond, same := sp.abs.Pool.True(), sp.abs.Pool.True()
		for k, v := range call.Sum.Method.Results {
			if v.Type.Sort.Kind == term.BitVecKind {
				value := sp.abs.Pool.Const(v.Type.Sort, term.Eval(s.Results[k], model))
				cond, same = sp.abs.Pool.And(cond, sp.abs.Pool.Eq(v.Term, value)), sp.abs.Pool.And(same, sp.abs.Pool.Eq(s.Results[k], value))
			}
		}
		r, err := sp.abs.Check(ctx, append(w.Conds()[:i+1:i+1], sp.abs.Pool.Not(same))...)
		if err != nil {
			return false, "", err
		}
		if r.Verdict != solve.Unsat {
			continue
		}
		if done, reason, err := sp.abs.Split(ctx, sp.abs.ResultClass(call, s.Outcome), cond); done || err != nil {
			return done, reason, err
		}
	}
	return false, "", nil
}
