// SPDX-License-Identifier: Apache-2.0

package registers

// This file proves that registers stay known: of each edge, what a call gives a variable is an expression over its arguments
// and results, and over what was known before (see registers.go).

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// ProveKnown asks of all edges of the pairs whether the registers stay known, and
// keeps the updates. It returns false after a variable was found unknown, or one
// more was found to be needed: then the pairs are other ones, or there is more to
// ask.
func (rs *Registers) ProveKnown(ctx context.Context) (bool, error) {
	rs.proofs = map[proofKey]bool{} // abstract states are other ones each time
	for {
		why, err := rs.findUpdates(ctx)
		if err != nil || why == nil {
			return err == nil, err
		}
		if v := why.register; v != nil {
			if done, err := rs.splitUpdate(ctx, why.after, v); done || err != nil {
				return false, err
			}
			return false, rs.ban(ctx, v, fmt.Sprintf("a client does not know %s after %s", v.Name, rs.Abs.Calls[why.after].Sum.Method.Name))
		}
	}
}

// An edgeOf is an edge of the pairs, by pair and letter.
type edgeOf struct{ pair, letter int }

// An updateSearch finds the updates of all edges.
type updateSearch struct {
	abs   *predabs.Abstraction
	graph *pairs.Graph
	regs  *Registers
	valid map[edgeOf][]*term.Term // expressions that the register which is looked at has after an edge
}

// A missing says why updates are not found: a register is not known after a call, or there is one more.
type missing struct {
	register *prog.Var // nil: there is one more
	after    int       // the call
}

// findUpdates finds the updates of all edges; it returns nil if it did.
func (rs *Registers) findUpdates(ctx context.Context) (*missing, error) {
	rs.Updates = make([][][]*term.Term, len(rs.graph.Pairs))
	for p := range rs.graph.Pairs {
		rs.Updates[p] = make([][]*term.Term, rs.Abs.Letters)
	}
	x := &updateSearch{abs: rs.Abs, graph: rs.graph, regs: rs}
	for method := range rs.Abs.Methods {
		var calls []int
		for k := range rs.Abs.Calls {
			if rs.Abs.Calls[k].Method == method {
				calls = append(calls, k)
			}
		}
		for o := range rs.Abs.Calls[calls[0]].Outcomes {
			for r := range rs.Vars {
				if why, err := x.find(ctx, calls, o, r); why != nil || err != nil {
					return why, err
				}
			}
		}
	}
	return nil, nil
}

// find finds the updates of a register, by its number, by the calls of a method with an outcome: as few different ones as possible, so that
// classes and states can be one.
func (x *updateSearch) find(ctx context.Context, calls []int, outcome, r int) (*missing, error) {
	v := x.regs.Vars[r]
	list, err := x.regs.expressions(ctx, &x.abs.Calls[calls[0]], outcome, v)
	if err != nil {
		return nil, err
	}
	edges, unknown, err := x.prove(ctx, calls, outcome, r, list)
	if err != nil || unknown >= 0 {
		return &missing{v, unknown}, err
	}
	for len(edges) > 0 {
		best, most := list[0], 0
		for _, e := range list {
			n := 0
			for _, at := range edges {
				if slices.Contains(x.valid[at], e) {
					n++
				}
			}
			if n > most {
				best, most = e, n
			}
		}
		edges = slices.DeleteFunc(edges, func(at edgeOf) bool {
			is := slices.Contains(x.valid[at], best)
			if is {
				x.regs.Updates[at.pair][at.letter][r] = best
			}
			return is
		})
		for _, t := range term.FreeVars(best) {
			if s := x.regs.StateVar(t); s != nil && !slices.Contains(x.regs.Vars, s) {
				if len(x.regs.Vars) >= maxRegisters {
					return &missing{v, calls[0]}, nil
				}
				x.regs.setRegisters(append(slices.Clone(x.regs.Vars), s))
				return &missing{}, nil
			}
		}
	}
	return nil, nil
}

// prove finds which expressions a register has after each edge of calls with an outcome. It returns the first call after which it has none of them;
// -1 if there is none.
func (x *updateSearch) prove(ctx context.Context, calls []int, outcome, r int, list []*term.Term) (edges []edgeOf, unknown int, err error) {
	x.valid = map[edgeOf][]*term.Term{}
	for _, k := range calls {
		for p := range x.graph.Pairs {
			at := edgeOf{p, x.abs.Calls[k].Letter + outcome}
			if x.graph.Next[p][at.letter] < 0 {
				continue
			}
			for _, e := range list {
				ok, err := x.regs.gives(ctx, int32(p), k, outcome, x.regs.Vars[r], e)
				if err != nil {
					return nil, -1, err
				}
				if ok {
					x.valid[at] = append(x.valid[at], e)
				}
			}
			if len(x.valid[at]) == 0 {
				return nil, k, nil
			}
			if x.regs.Updates[p][at.letter] == nil {
				x.regs.Updates[p][at.letter] = make([]*term.Term, len(x.regs.Vars))
			}
			edges = append(edges, at)
		}
	}
	return edges, -1, nil
}

// splitUpdate divides the arguments of a call after which a variable is not known, if it
// gets one value or another there by a condition on the arguments: in each part it may be
// known.
func (rs *Registers) splitUpdate(ctx context.Context, k int, v *prog.Var) (bool, error) {
	call := &rs.Abs.Calls[k]
	sum, m := call.Sum, call.Sum.Method
	at := slices.Index(sum.Vars, v)
	if at < 0 {
		return false, nil
	}
	for n := range sum.Blocks {
		b := &sum.Blocks[n]
		if b.To != m.Exit || b.From != m.Entry || slices.Contains(sum.Heads, b.From) {
			continue
		}
		_, vals := rs.Abs.Block(sum, b, true)
		for t := vals[at]; t.Op() == term.OpIte; t = t.Args()[2] {
			cond := t.Args()[0]
			if slices.ContainsFunc(term.FreeVars(cond), func(x *term.Term) bool {
				return !slices.ContainsFunc(m.Params, func(p *prog.Var) bool { return p.Term == x })
			}) || !describe.InGo(cond) || !evaluable(prog.FormatExpr(rs.Abs.P.Program, m.Params, cond)) {
				continue
			}
			if len(rs.Abs.Methods[call.Method].Args.Classes) > updateClasses {
				return false, nil
			}
			if done, reason, err := rs.Abs.Split(ctx, rs.Abs.ArgClass(call), cond); done || err != nil {
				rs.graph.Stale = true
				return done && reason == "", err
			}
		}
	}
	return false, nil
}

// A valueSearch lists the expressions that may be the value of a variable after a call with an outcome.
type valueSearch struct {
	abs     *predabs.Abstraction
	regs    *Registers
	call    *predabs.SymCall
	outcome int
	of      *prog.Var
	found   []*term.Term
	seen    map[*term.Term]bool // terms whose cases were looked at
}

// expressions lists those that may be the value of a variable after a
// call: a parameter or result, the variable itself, or what the code computes from
// parameters and variables that may be known, itself or together with a result.
func (rs *Registers) expressions(ctx context.Context, call *predabs.SymCall, outcome int, v *prog.Var) ([]*term.Term, error) {
	x := &valueSearch{abs: rs.Abs, regs: rs, call: call, outcome: outcome, of: v, seen: map[*term.Term]bool{}}
	m := call.Sum.Method
	for _, p := range slices.Concat(m.Params, m.Results) {
		if p.Type == v.Type {
			x.add(p.Term)
		}
	}
	if !call.Constructor {
		x.add(v.Term)
	}
	at := slices.Index(call.Sum.Vars, v)
	if at >= 0 {
		for k := range call.Sum.Blocks {
			if b := &call.Sum.Blocks[k]; b.To == m.Exit || b.From == m.Entry && slices.Contains(call.Sum.Heads, b.To) {
				_, vals := rs.Abs.Block(call.Sum, b, b.From == m.Entry)
				x.addCases(vals[at])
			}
		}
	}
	if call.Constructor && v.Init != nil {
		x.add(v.Init)
	}
	if at < 0 {
		return x.found, nil
	}
	for k := range call.Sum.Blocks {
		b := &call.Sum.Blocks[k]
		if b.To != m.Exit || m.ErrorAt(b.To) != nil || slices.Contains(call.Sum.Heads, b.From) {
			continue
		}
		if err := x.addByResults(ctx, b, at); err != nil {
			return nil, err
		}
	}
	return x.found, nil
}

func (x *valueSearch) add(t *term.Term) {
	if !slices.Contains(x.found, t) {
		x.found = append(x.found, t)
	}
}

// vars are the variables of which expressions are made, beside results.
func (x *valueSearch) vars() []*prog.Var {
	if x.call.Constructor {
		return x.call.Sum.Method.Params
	}
	return slices.Concat(x.call.Sum.Method.Params, x.abs.Sym.State)
}

// isKnown reports whether a term is over parameters and variables that may be known.
func (x *valueSearch) isKnown(t *term.Term) bool {
	return !slices.ContainsFunc(term.FreeVars(t), func(v *term.Term) bool {
		param := slices.ContainsFunc(x.call.Sum.Method.Params, func(p *prog.Var) bool { return p.Term == v })
		return !param && (x.call.Constructor || !x.regs.mayRemember(x.regs.StateVar(v)))
	})
}

// addCases adds the cases of a term that are known.
func (x *valueSearch) addCases(t *term.Term) {
	if x.seen[t] || len(x.found) > maxGiven {
		return
	}
	x.seen[t] = true
	if t.Op() == term.OpIte {
		x.addCases(t.Args()[1])
		x.addCases(t.Args()[2])
		return
	}
	if x.isKnown(t) && describe.InGo(t) && evaluable(prog.FormatExprAs(x.abs.P.Program, x.vars(), t, x.of.Type)) {
		x.add(t)
	}
}

// addByResults adds what a block from the entry to the exit gives the variable, the at-th of the method, by its results: a variable that differs from a
// result by what is known is known. By what it does is seen in one run.
func (x *valueSearch) addByResults(ctx context.Context, b *explore.Block, at int) error {
	sum := x.call.Sum
	cond, vals := x.abs.Block(sum, b, true)
	var run term.Model
	var path []*term.Term
	for _, r := range sum.Method.Results {
		k := slices.Index(sum.Vars, r)
		if k < 0 || r.Type != x.of.Type {
			continue
		}
		if run == nil {
			q, err := x.abs.Check(ctx, x.abs.Sym.Invariant, cond, x.abs.Pool.Substitute(x.call.Outcomes[x.outcome].Cond, predabs.After(sum, vals)))
			if unlessUndecided(err) != nil {
				return err
			}
			if q.Verdict != solve.Sat {
				break
			}
			run = q.Model
		}
		by := x.abs.Pool.Sub(inRun(x.abs.Pool, vals[at], run, &path), inRun(x.abs.Pool, vals[k], run, &path))
		if e := x.abs.Pool.Add(by, r.Term); x.isKnown(by) && describe.InGo(e) && evaluable(prog.FormatExprAs(x.abs.P.Program, slices.Concat(x.vars(), sum.Method.Results), e, x.of.Type)) {
			x.add(e)
		}
	}
	return nil
}

// inRun is a term with the conditions in it decided as they are in a model, which are
// added to path.
func inRun(pool *term.Pool, t *term.Term, m term.Model, path *[]*term.Term) *term.Term {
	made := map[*term.Term]*term.Term{}
	var walk func(t *term.Term) *term.Term
	walk = func(t *term.Term) *term.Term {
		if len(t.Args()) == 0 {
			return t
		}
		if r := made[t]; r != nil {
			return r
		}
		var r *term.Term
		if t.Op() == term.OpIte {
			if cond := t.Args()[0]; term.Holds(cond, m) {
				*path = append(*path, cond)
				r = walk(t.Args()[1])
			} else {
				*path = append(*path, pool.Not(cond))
				r = walk(t.Args()[2])
			}
		} else {
			args := make([]*term.Term, len(t.Args()))
			for i, a := range t.Args() {
				args[i] = walk(a)
			}
			r = pool.Apply(t, args)
		}
		made[t] = r
		return r
	}
	return walk(t)
}

// same reports whether two terms are surely equal if a condition holds. That sums are
// equal is much work for a solver, and easy to see where they are not in conditions: if
// it has no answer, it is asked for runs, and equal terms are found one way at a time.
func (rs *Registers) same(ctx context.Context, cond, a, b *term.Term) (bool, error) {
	r, err := rs.Abs.Check(ctx, cond, rs.Abs.Pool.Ne(a, b))
	if err == nil || unlessUndecided(err) != nil {
		return err == nil && r.Verdict == solve.Unsat, err
	}
	for range samePaths {
		r, err := rs.Abs.Check(ctx, cond)
		if err != nil {
			return false, unlessUndecided(err)
		}
		if r.Verdict == solve.Unsat {
			return true, nil // on all paths
		}
		var path []*term.Term
		if r.Verdict != solve.Sat || inRun(rs.Abs.Pool, a, r.Model, &path) != inRun(rs.Abs.Pool, b, r.Model, &path) {
			return false, nil
		}
		cond = rs.Abs.Pool.And(cond, rs.Abs.Pool.Not(rs.Abs.Pool.And(path...)))
	}
	return false, nil
}

// gives reports whether a call from a pair, with an outcome, surely gives a variable
// the value of an expression over parameters, results and state variables before the
// call.
func (rs *Registers) gives(ctx context.Context, pair int32, call, outcome int, v *prog.Var, e *term.Term) (bool, error) {
	for _, a := range rs.graph.Sets.Set(rs.graph.Pairs[pair].U) {
		key := proofKey{a, rs.Abs.Calls[call].Class, rs.Abs.Calls[call].Outcomes[outcome].Id, v.Term, e}
		ok, known := rs.proofs[key]
		if !known {
			var err error
			if ok, err = rs.givesFrom(ctx, a, call, outcome, v, e); err != nil {
				return false, err
			}
			rs.proofs[key] = ok
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

func (rs *Registers) givesFrom(ctx context.Context, a int32, k, outcome int, v *prog.Var, e *term.Term) (bool, error) {
	call := &rs.Abs.Calls[k]
	m := call.Sum.Method
	at := slices.Index(call.Sum.Vars, v)
	base := rs.Abs.Pool.And(rs.Abs.Region(a), call.Guard)
	results := map[*term.Term]bool{}
	for _, r := range m.Results {
		results[r.Term] = true
	}
	before := slices.DeleteFunc(term.FreeVars(e), func(t *term.Term) bool { return results[t] })
	for n := range call.Sum.Blocks {
		b := &call.Sum.Blocks[n]
		if b.To != m.Exit || m.ErrorAt(b.To) != nil {
			continue
		}
		entry := b.From == m.Entry
		assume := base
		if slices.Contains(call.Sum.Heads, b.From) && at >= 0 && b.Vals[at] == v.Term && !slices.ContainsFunc(term.FreeVars(e), func(t *term.Term) bool { return results[t] }) {
			if same, err := rs.givesLoops(ctx, call, base, v, e); same || err != nil {
				if err != nil {
					return false, err
				}
				continue
			}
		}
		if slices.Contains(call.Sum.Heads, b.From) {
			// The entry may be a loop head too.
			entry, assume = false, rs.Abs.GuardAt(k)
			if slices.ContainsFunc(before, func(t *term.Term) bool { return !LoopsKeep(call.Sum, t) }) {
				// Values before the call are forgotten in loops.
				return false, nil
			}
		}
		cond, vals := rs.Abs.Block(call.Sum, b, entry)
		final := predabs.After(call.Sum, vals)
		now := v.Term // a variable that the method does not have
		if at >= 0 {
			now = vals[at]
		}
		sub := map[*term.Term]*term.Term{}
		for r := range results {
			if final[r] == nil && slices.Contains(term.FreeVars(e), r) {
				return false, nil // a result that nothing depends on is not followed
			}
			sub[r] = final[r]
		}
		same, err := rs.same(ctx, rs.Abs.Pool.And(assume, cond, rs.Abs.Pool.Substitute(call.Outcomes[outcome].Cond, final)), now, rs.Abs.Pool.Substitute(e, sub))
		if !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// givesLoops reports whether a call surely gives a variable, before its loops, the value of an expression over parameters and state
// variables before the call, and its loops leave the variable alone.
func (rs *Registers) givesLoops(ctx context.Context, call *predabs.SymCall, base *term.Term, v *prog.Var, e *term.Term) (bool, error) {
	given, err := rs.BeforeLoops(ctx, call.Sum, v)
	if given == nil || err != nil {
		return false, err
	}
	for n := range call.Sum.Blocks {
		b := &call.Sum.Blocks[n]
		if b.From != call.Sum.Method.Entry || !slices.Contains(call.Sum.Heads, b.To) {
			continue
		}
		cond, _ := rs.Abs.Block(call.Sum, b, true)
		if same, err := rs.same(ctx, rs.Abs.Pool.And(base, cond), given, e); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// BeforeLoops is what a method gives a variable before its loops, if these leave it alone: a term over parameters and what was
// before the call. It is nil if there is none, or if there are several.
func (rs *Registers) BeforeLoops(ctx context.Context, sum *explore.Summary, v *prog.Var) (*term.Term, error) {
	at := slices.Index(sum.Vars, v)
	if at < 0 || slices.Contains(sum.Heads, sum.Method.Entry) {
		return nil, nil
	}
	var given *term.Term
	for n := range sum.Blocks {
		b := &sum.Blocks[n]
		switch {
		case !slices.Contains(sum.Heads, b.To):
		case b.From != sum.Method.Entry:
			if b.Vals[at] != v.Term {
				return nil, nil
			}
		default:
			cond, vals := rs.Abs.Block(sum, b, true)
			value, err := rs.where(ctx, cond, vals[at])
			if err != nil || given != nil && given != value {
				return nil, err
			}
			given = value
		}
	}
	if given == nil || slices.ContainsFunc(term.FreeVars(given), func(t *term.Term) bool {
		return rs.StateVar(t) == nil && !slices.ContainsFunc(sum.Method.Params, func(p *prog.Var) bool { return p.Term == t })
	}) {
		return nil, nil
	}
	return given, nil
}

// where is the term that a term with conditions is where a condition holds.
func (rs *Registers) where(ctx context.Context, cond, t *term.Term) (*term.Term, error) {
	for t.Op() == term.OpIte {
		test := t.Args()[0]
		var ways []*term.Term
		for k, way := range []*term.Term{test, rs.Abs.Pool.Not(test)} {
			r, err := rs.Abs.Check(ctx, rs.Abs.Sym.Invariant, cond, way)
			if unlessUndecided(err) != nil {
				return nil, err
			}
			if err != nil || r.Verdict != solve.Unsat {
				ways = append(ways, t.Args()[1+k])
			}
		}
		if len(ways) != 1 {
			break
		}
		t = ways[0]
	}
	return t, nil
}

// LoopsKeep reports whether the loops of a method leave a variable alone.
func LoopsKeep(sum *explore.Summary, t *term.Term) bool {
	i := slices.IndexFunc(sum.Vars, func(v *prog.Var) bool { return v.Term == t })
	return i < 0 || !slices.ContainsFunc(sum.Blocks, func(b explore.Block) bool {
		return b.To != sum.Method.Exit && sum.Method.ErrorAt(b.To) == nil && b.Vals[i] != t
	})
}
