// SPDX-License-Identifier: Apache-2.0

package cegar

// This file proves that registers stay known: of each edge, what a call gives a variable is an expression over its arguments
// and results, and over what was known before (see registers.go).

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// proveKnown asks of all edges of the pairs whether the registers stay known, and
// keeps the updates. It returns false after a variable was found unknown, or one
// more was found to be needed: then the pairs are other ones, or there is more to
// ask.
func (c *Run) proveKnown(ctx context.Context) (bool, error) {
	c.proofs = map[proofKey]bool{} // abstract states are other ones each time
	for {
		again, v, after, err := c.findUpdates(ctx)
		if err != nil {
			return false, err
		}
		if v != nil {
			if done, err := c.splitUpdate(ctx, after, v); done || err != nil {
				return false, err
			}
			return false, c.ban(ctx, v, fmt.Sprintf("a client does not know %s after %s", v.Name, c.Calls[after].Sum.Method.Name))
		}
		if !again {
			return true, nil
		}
	}
}

// findUpdates finds the updates of all edges. It returns a variable that is not
// known after a call, or that it has to be asked again because there is a register
// more.
func (c *Run) findUpdates(ctx context.Context) (again bool, unknown *prog.Var, after int, err error) {
	valid := make([][][][]*term.Term, len(c.Pairs)) // by pair, letter, register
	c.updates = make([][][]*term.Term, len(c.Pairs))
	for p := range c.Pairs {
		valid[p] = make([][][]*term.Term, c.Letters)
		c.updates[p] = make([][]*term.Term, c.Letters)
	}
	type edge struct{ pair, letter int }
	for method := range c.Methods {
		var calls []int
		for k := range c.Calls {
			if c.Calls[k].Method == method {
				calls = append(calls, k)
			}
		}
		call := &c.Calls[calls[0]]
		for o := range call.Outcomes {
			for r, v := range c.vars {
				list, err := c.expressions(ctx, call, o, v)
				if err != nil {
					return false, nil, 0, err
				}
				var edges []edge
				for _, k := range calls {
					x := c.Calls[k].Letter + o
					for p := range c.Pairs {
						if c.Next[p][x] < 0 {
							continue
						}
						var holds []*term.Term
						for _, e := range list {
							ok, err := c.gives(ctx, int32(p), k, o, v, e)
							if err != nil {
								return false, nil, 0, err
							}
							if ok {
								holds = append(holds, e)
							}
						}
						if len(holds) == 0 {
							return false, v, k, nil
						}
						if valid[p][x] == nil {
							valid[p][x] = make([][]*term.Term, len(c.vars))
							c.updates[p][x] = make([]*term.Term, len(c.vars))
						}
						valid[p][x][r] = holds
						edges = append(edges, edge{p, x})
					}
				}
				// As few different updates as possible, so that classes and states
				// can be one.
				for len(edges) > 0 {
					best, most := list[0], 0
					for _, e := range list {
						n := 0
						for _, at := range edges {
							if slices.Contains(valid[at.pair][at.letter][r], e) {
								n++
							}
						}
						if n > most {
							best, most = e, n
						}
					}
					edges = slices.DeleteFunc(edges, func(at edge) bool {
						if slices.Contains(valid[at.pair][at.letter][r], best) {
							c.updates[at.pair][at.letter][r] = best
							return true
						}
						return false
					})
					for _, t := range term.FreeVars(best) {
						if s := c.stateVar(t); s != nil && !slices.Contains(c.vars, s) {
							if len(c.vars) >= maxRegisters {
								return false, v, calls[0], nil
							}
							c.setRegisters(append(slices.Clone(c.vars), s))
							return true, nil, 0, nil
						}
					}
				}
			}
		}
	}
	return false, nil, 0, nil
}

// splitUpdate divides the arguments of a call after which a variable is not known, if it
// gets one value or another there by a condition on the arguments: in each part it may be
// known.
func (c *Run) splitUpdate(ctx context.Context, k int, v *prog.Var) (bool, error) {
	call := &c.Calls[k]
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
		_, vals := c.Block(sum, b, true)
		for t := vals[at]; t.Op() == term.OpIte; t = t.Args()[2] {
			cond := t.Args()[0]
			if slices.ContainsFunc(term.FreeVars(cond), func(x *term.Term) bool {
				return !slices.ContainsFunc(m.Params, func(p *prog.Var) bool { return p.Term == x })
			}) || !describe.InGo(cond) || !evaluable(prog.FormatExpr(c.P.Program, m.Params, cond)) {
				continue
			}
			d := c.Methods[call.Method].Args
			if len(d.Classes) > updateClasses {
				return false, nil
			}
			at := slices.IndexFunc(d.Classes, func(x describe.Class) bool { return x.Id == call.Class })
			if done, reason, err := c.split(ctx, call.Method, d, at, cond); done || err != nil {
				c.Stale = true
				return done && reason == "", err
			}
		}
	}
	return false, nil
}

// expressions lists those that may be the value of a variable after a
// call: a parameter or result, the variable itself, or what the code computes from
// parameters and variables that may be known, itself or together with a result.
func (c *Run) expressions(ctx context.Context, call *predabs.SymCall, outcome int, v *prog.Var) ([]*term.Term, error) {
	var out []*term.Term
	add := func(t *term.Term) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	m := call.Sum.Method
	for _, p := range slices.Concat(m.Params, m.Results) {
		if p.Type == v.Type {
			add(p.Term)
		}
	}
	vars := m.Params
	if !call.Constructor {
		add(v.Term)
		vars = slices.Concat(vars, c.Sym.State)
	}
	at := slices.Index(call.Sum.Vars, v)
	// plain reports whether a term is over parameters and variables that may be known.
	plain := func(t *term.Term) bool {
		return !slices.ContainsFunc(term.FreeVars(t), func(x *term.Term) bool {
			param := slices.ContainsFunc(m.Params, func(p *prog.Var) bool { return p.Term == x })
			return !param && (call.Constructor || !c.mayRemember(c.stateVar(x)))
		})
	}
	var leaves func(t *term.Term)
	seen := map[*term.Term]bool{}
	leaves = func(t *term.Term) {
		if seen[t] || len(out) > maxGiven {
			return
		}
		seen[t] = true
		if t.Op() == term.OpIte {
			leaves(t.Args()[1])
			leaves(t.Args()[2])
			return
		}
		if plain(t) && describe.InGo(t) && evaluable(prog.FormatExprAs(c.P.Program, vars, t, v.Type)) {
			add(t)
		}
	}
	if at >= 0 {
		for k := range call.Sum.Blocks {
			if b := &call.Sum.Blocks[k]; b.To == m.Exit || b.From == m.Entry && slices.Contains(call.Sum.Heads, b.To) {
				_, vals := c.Block(call.Sum, b, b.From == m.Entry)
				leaves(vals[at])
			}
		}
	}
	if call.Constructor && v.Init != nil {
		add(v.Init)
	}
	if at < 0 {
		return out, nil
	}
	// A variable that differs from a result by what is known is known. By what it does
	// is seen in one run.
	for k := range call.Sum.Blocks {
		b := &call.Sum.Blocks[k]
		if b.To != m.Exit || m.ErrorAt(b.To) != nil || slices.Contains(call.Sum.Heads, b.From) {
			continue
		}
		cond, vals := c.Block(call.Sum, b, true)
		var run term.Model
		var path []*term.Term
		for _, r := range m.Results {
			k := slices.Index(call.Sum.Vars, r)
			if k < 0 || r.Type != v.Type {
				continue
			}
			if run == nil {
				x, err := c.Check(ctx, c.Sym.Invariant, cond, c.Pool.Substitute(call.Outcomes[outcome].Cond, predabs.After(call.Sum, vals)))
				if unlessUndecided(err) != nil {
					return nil, err
				}
				if x.Verdict != solve.Sat {
					break
				}
				run = x.Model
			}
			by := c.Pool.Sub(inRun(c.Pool, vals[at], run, &path), inRun(c.Pool, vals[k], run, &path))
			if e := c.Pool.Add(by, r.Term); plain(by) && describe.InGo(e) && evaluable(prog.FormatExprAs(c.P.Program, slices.Concat(vars, m.Results), e, v.Type)) {
				add(e)
			}
		}
	}
	return out, nil
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
func (c *Run) same(ctx context.Context, cond, a, b *term.Term) (bool, error) {
	r, err := c.Check(ctx, cond, c.Pool.Ne(a, b))
	if err == nil || unlessUndecided(err) != nil {
		return err == nil && r.Verdict == solve.Unsat, err
	}
	for range samePaths {
		r, err := c.Check(ctx, cond)
		if err != nil {
			return false, unlessUndecided(err)
		}
		if r.Verdict == solve.Unsat {
			return true, nil // on all paths
		}
		var path []*term.Term
		if r.Verdict != solve.Sat || inRun(c.Pool, a, r.Model, &path) != inRun(c.Pool, b, r.Model, &path) {
			return false, nil
		}
		cond = c.Pool.And(cond, c.Pool.Not(c.Pool.And(path...)))
	}
	return false, nil
}

// gives reports whether a call from a pair, with an outcome, surely gives a variable
// the value of an expression over parameters, results and state variables before the
// call.
func (c *Run) gives(ctx context.Context, pair int32, call, outcome int, v *prog.Var, e *term.Term) (bool, error) {
	for _, a := range c.Sets.Set(c.Pairs[pair].U) {
		key := proofKey{a, c.Calls[call].Class, c.Calls[call].Outcomes[outcome].Id, v.Term, e}
		ok, known := c.proofs[key]
		if !known {
			var err error
			if ok, err = c.givesFrom(ctx, a, call, outcome, v, e); err != nil {
				return false, err
			}
			c.proofs[key] = ok
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

func (c *Run) givesFrom(ctx context.Context, a int32, k, outcome int, v *prog.Var, e *term.Term) (bool, error) {
	call := &c.Calls[k]
	m := call.Sum.Method
	at := slices.Index(call.Sum.Vars, v)
	base := c.Pool.And(c.Region(a), call.Guard)
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
			if same, err := c.givesLoops(ctx, call, base, v, e); same || err != nil {
				if err != nil {
					return false, err
				}
				continue
			}
		}
		if slices.Contains(call.Sum.Heads, b.From) {
			// The entry may be a loop head too.
			entry, assume = false, c.GuardAt(k)
			if slices.ContainsFunc(before, func(t *term.Term) bool { return !loopsKeep(call.Sum, t) }) {
				// Values before the call are forgotten in loops.
				return false, nil
			}
		}
		cond, vals := c.Block(call.Sum, b, entry)
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
		same, err := c.same(ctx, c.Pool.And(assume, cond, c.Pool.Substitute(call.Outcomes[outcome].Cond, final)), now, c.Pool.Substitute(e, sub))
		if !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// givesLoops reports whether a call surely gives a variable, before its loops, the value of an expression over parameters and state
// variables before the call, and its loops leave the variable alone.
func (c *Run) givesLoops(ctx context.Context, call *predabs.SymCall, base *term.Term, v *prog.Var, e *term.Term) (bool, error) {
	given, err := c.beforeLoops(ctx, call.Sum, v)
	if given == nil || err != nil {
		return false, err
	}
	for n := range call.Sum.Blocks {
		b := &call.Sum.Blocks[n]
		if b.From != call.Sum.Method.Entry || !slices.Contains(call.Sum.Heads, b.To) {
			continue
		}
		cond, _ := c.Block(call.Sum, b, true)
		if same, err := c.same(ctx, c.Pool.And(base, cond), given, e); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// beforeLoops is what a method gives a variable before its loops, if these leave it alone: a term over parameters and what was
// before the call. It is nil if there is none, or if there are several.
func (c *Run) beforeLoops(ctx context.Context, sum *explore.Summary, v *prog.Var) (*term.Term, error) {
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
			cond, vals := c.Block(sum, b, true)
			value, err := c.where(ctx, cond, vals[at])
			if err != nil || given != nil && given != value {
				return nil, err
			}
			given = value
		}
	}
	if given == nil || slices.ContainsFunc(term.FreeVars(given), func(t *term.Term) bool {
		return c.stateVar(t) == nil && !slices.ContainsFunc(sum.Method.Params, func(p *prog.Var) bool { return p.Term == t })
	}) {
		return nil, nil
	}
	return given, nil
}

// where is the term that a term with conditions is where a condition holds.
func (c *Run) where(ctx context.Context, cond, t *term.Term) (*term.Term, error) {
	for t.Op() == term.OpIte {
		test := t.Args()[0]
		var ways []*term.Term
		for k, way := range []*term.Term{test, c.Pool.Not(test)} {
			r, err := c.Check(ctx, c.Sym.Invariant, cond, way)
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

// loopsKeep reports whether the loops of a method leave a variable alone.
func loopsKeep(sum *explore.Summary, t *term.Term) bool {
	i := slices.IndexFunc(sum.Vars, func(v *prog.Var) bool { return v.Term == t })
	return i < 0 || !slices.ContainsFunc(sum.Blocks, func(b explore.Block) bool {
		return b.To != sum.Method.Exit && sum.Method.ErrorAt(b.To) == nil && b.Vals[i] != t
	})
}
