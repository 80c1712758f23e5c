// SPDX-License-Identifier: Apache-2.0

package engine

// This file finds RANKINGS: conditions under which a call with loops errs, however many rounds these take. A ranking has, for each
// loop head, an invariant and a ranking function: a list of unsigned machine integers, compared lexicographically. From the
// condition some block of the method leads to an error or to a head where the invariant holds. From each state that satisfies the
// invariant of a head, some block leads to an error, or to a head where the invariant holds and the ranking function is smaller.
// Lists of machine integers are well-founded, so the run errs after finitely many rounds. Nothing is assumed about wrap-around.
//
// A ranking is found from one state of the component and arguments. The call is followed from there for some rounds; what holds at a
// head in all of them is a candidate for its invariant (Ernst et al., "Dynamically discovering likely program invariants", TSE
// 2001). Of the candidates the largest set is taken that every block between heads preserves (Houdini). The ranking function is put
// together from what the loops compare and count (Alias, Darte, Feautrier, Gonnord, "Multi-dimensional rankings, program
// termination, and complexity bounds", SAS 2010; here with solver questions instead of linear programming): a term that no block
// increases is the first component; where it stays the same, the next one decides. Then candidates that are not needed are dropped,
// and what is left of the invariants, before the loops are entered, is the condition.
//
// The judge of certificates derives all of this again.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A ranking shows that a call of a method errs in some run if a condition holds.
type ranking struct {
	when *term.Term           // over the state and the parameters at the entry
	inv  map[int][]*term.Term // by head: the conjuncts of its invariant
	rank map[int][]*term.Term // by head: the ranking function, of equal length and sorts
}

const (
	// maxRankings bounds the rankings that are looked for in one method; each attempt costs up to some hundred questions, and
	// counts as rankingRefinements where the budget bounds the refinements for each method.
	maxRankings        = 12
	rankingRefinements = 3
	// rankShare is the part of the budget, one of so many, that searches for rankings may take in vain. The rest is for what needs none.
	rankShare = 16
	// maxRankDepth bounds the components of a ranking function: loops are rarely nested deeper.
	maxRankDepth = 4
	// rankRounds is how far a call is followed to see what its loops do.
	rankRounds = 64
)

// unrolledOrRanked is unrolled, with the runs that rankings know of. Their condition alone stands for those that it covers.
func (m *modal) unrolledOrRanked(sum *region.Summary, errs bool) unrolling {
	u := m.unrolled(sum, errs)
	if !errs || len(m.rankings[sum]) == 0 {
		return u
	}
	var any []*term.Term
	for _, r := range m.rankings[sum] {
		any = append(any, r.when)
	}
	if !m.covered[sum] {
		any = append(any, u.cond)
	}
	u.cond = m.pool.Or(any...)
	return u
}

// A rankSearch looks for a ranking.
type rankSearch struct {
	*cegar
	sum     *region.Summary
	visited map[int][]term.Model // by head: states there in the run that is followed
	inv     map[int][]*term.Term
	chosen  map[*term.Term]*term.Term // the choices of the blocks from the entry
	choices bool                      // the method makes some
}

// rankWord looks for a ranking of the last call of a word whose condition holds in a model of it.
func (c *cegar) rankWord(ctx context.Context, w *wordFormula, model term.Model) (bool, error) {
	n := len(w.steps) - 1
	sum := c.calls[w.steps[n].call].sum
	start := term.Model{}
	for k, v := range c.sym.State {
		start[v.Term] = term.Eval(w.states[n][k], model)
	}
	for _, v := range sum.Method.Params {
		start[v.Term] = model[c.inStep(v.Term, n)]
	}
	x := &rankSearch{cegar: c, sum: sum, inv: map[int][]*term.Term{}, chosen: map[*term.Term]*term.Term{}}
	for _, b := range sum.Blocks {
		x.choices = x.choices || len(b.Choices) > 0
		if b.From != sum.Method.Entry {
			continue
		}
		for _, ch := range b.Choices {
			start[ch.Term] = model[c.inStep(ch.Term, n)]
			x.chosen[ch.Term] = c.pool.Const(ch.Term.Sort(), start[ch.Term])
		}
	}
	if !x.follow(start) {
		return false, nil
	}
	c.rankTries[sum]++
	r, err := x.find(ctx, start)
	if undecided(err) {
		return false, nil
	}
	if err != nil || r == nil || !term.Holds(r.when, start) {
		return false, err
	}
	return true, c.addRanking(ctx, sum, r)
}

// inStep is the copy of a variable of a method in a step of a word.
func (c *cegar) inStep(v *term.Term, n int) *term.Term {
	return c.pool.Var(fmt.Sprintf("%s@%d", v.Name(), n), v.Sort())
}

// mayRank reports whether another ranking of a method may be looked for. Guesses stand for one value each, so that a run for some of
// them says little; methods that make them have no rankings.
func (c *cegar) mayRank(sum *region.Summary) bool {
	limit := maxRankings
	if n := c.p.Refinements; n > 0 {
		limit = min(limit, (n+rankingRefinements-1)/rankingRefinements)
	}
	if c.rankTries == nil {
		c.rankTries = map[*region.Summary]int{}
	}
	if len(sum.Heads) == 0 || c.rankTries[sum] >= limit || c.rankWork >= c.p.questions()/rankShare || !c.unrolled(sum, true).bounded {
		return false
	}
	return !slices.ContainsFunc(sum.Blocks, func(b region.Block) bool {
		return slices.ContainsFunc(b.Choices, func(ch region.Choice) bool { return ch.Origin == prog.Guess })
	})
}

// addRanking adds a ranking, and finds out whether the rankings cover the runs that unrolling knows.
func (c *cegar) addRanking(ctx context.Context, sum *region.Summary, r *ranking) error {
	if c.rankings == nil {
		c.rankings, c.covered = map[*region.Summary][]*ranking{}, map[*region.Summary]bool{}
	}
	c.rankings[sum] = append(c.rankings[sum], r)
	c.ranks++
	left := []*term.Term{c.assumed, c.unrolled(sum, true).cond}
	for _, r := range c.rankings[sum] {
		left = append(left, c.pool.Not(r.when))
	}
	q, err := c.check(ctx, left...)
	if undecided(err) {
		return nil
	}
	c.covered[sum] = err == nil && q.Verdict == solve.Unsat
	return err
}

// find looks for a ranking whose condition holds in the start.
func (x *rankSearch) find(ctx context.Context, start term.Model) (*ranking, error) {
	x.suggest(start)
	if err := x.filter(ctx); err != nil {
		return nil, err
	}
	for _, h := range x.sum.Heads {
		if ok, err := x.goesOn(ctx, h, x.inv[h]); err != nil || !ok {
			return nil, err
		}
	}
	r := &ranking{}
	var err error
	if r.rank, err = x.measure(ctx, x.loops(), x.sum.Heads, 0); err != nil {
		return nil, err
	}
	if r.rank == nil && x.choices {
		r.rank, err = x.measureChoosing(ctx)
	}
	if err != nil || r.rank == nil {
		return nil, err
	}
	if r.inv, err = x.needed(ctx, r.rank); err != nil {
		return nil, err
	}
	x.inv = r.inv
	r.when = x.condition()
	return r, nil
}

// follow runs the call from a state, arguments and the choices of the first block, further choices being zero, and records the states at loop heads. It reports false if the
// run returns, gets stuck, or is in a state twice: then nothing is to be found from there.
func (x *rankSearch) follow(start term.Model) bool {
	x.visited = map[int][]term.Model{}
	here := maps.Clone(start)
	loc := x.sum.Method.Entry
	known := map[string]bool{}
	for range rankRounds {
		moved := false
		for k := range x.sum.Blocks {
			b := &x.sum.Blocks[k]
			if b.From != loc || !term.Holds(b.Cond, here) {
				continue
			}
			next := term.Model{}
			for i, v := range x.sum.Vars {
				next[v.Term] = term.Eval(b.Vals[i], here)
			}
			here, loc, moved = next, b.To, true
			break
		}
		switch {
		case !moved:
			return x.choices
		case x.sum.Method.ErrorAt(loc) != nil:
			return !x.sum.Method.ErrorAt(loc).Blamed || x.choices
		case loc == x.sum.Method.Exit:
			return x.choices
		}
		if !x.choices {
			key := fmt.Sprint(loc)
			for _, v := range x.sum.Vars {
				key += fmt.Sprint(" ", here[v.Term])
			}
			if known[key] {
				return false
			}
			known[key] = true
		}
		x.visited[loc] = append(x.visited[loc], here)
	}
	return true
}

// good reports whether a block leads to an error that counts or to a loop head.
func (x *rankSearch) good(b *region.Block) bool {
	if site := x.sum.Method.ErrorAt(b.To); site != nil {
		return !site.Blamed
	}
	return slices.Contains(x.sum.Heads, b.To)
}

// loops lists the blocks between loop heads.
func (x *rankSearch) loops() []rankStep {
	var out []rankStep
	for k := range x.sum.Blocks {
		if b := &x.sum.Blocks[k]; slices.Contains(x.sum.Heads, b.From) && slices.Contains(x.sum.Heads, b.To) {
			out = append(out, rankStep{Block: b, more: x.pool.True()})
		}
	}
	return out
}

// filter drops candidates until every block between heads preserves the others.
func (x *rankSearch) filter(ctx context.Context) error {
	for changed := true; changed; {
		changed = false
		for _, t := range x.loops() {
			for len(x.inv[t.To]) > 0 {
				then := x.pool.SubstituteAll(x.inv[t.To], after(x.sum, t.Vals))
				r, err := x.check(ctx, x.assumed, x.pool.And(x.inv[t.From]...), t.Cond, x.pool.Not(x.pool.And(then...)))
				if err != nil {
					return err
				}
				if r.Verdict == solve.Unsat {
					break
				}
				changed = true
				var rest []*term.Term
				for i, l := range x.inv[t.To] {
					if term.Holds(then[i], r.Model) {
						rest = append(rest, l)
					}
				}
				x.inv[t.To] = rest
			}
		}
	}
	return nil
}

// onward is the condition that a good block can be taken from a head.
func (x *rankSearch) onward(h int) *term.Term {
	var any []*term.Term
	for k := range x.sum.Blocks {
		if b := &x.sum.Blocks[k]; b.From == h && x.good(b) {
			any = append(any, b.Cond)
		}
	}
	return x.pool.Or(any...)
}

// goesOn reports whether from each state at a head in which conditions hold a good block can be taken.
func (x *rankSearch) goesOn(ctx context.Context, h int, inv []*term.Term) (bool, error) {
	return x.must(ctx, -1, x.pool.And(append(slices.Clone(inv), x.assumed)...), x.onward(h))
}

// condition is the condition under which a run gets from the entry to an error or to a head where the invariant holds, with the choices
// that were made.
func (x *rankSearch) condition() *term.Term {
	var any []*term.Term
	sub := x.entry(x.sum)
	maps.Copy(sub, x.chosen)
	for k := range x.sum.Blocks {
		b := &x.sum.Blocks[k]
		if b.From != x.sum.Method.Entry || !x.good(b) {
			continue
		}
		t := b.Cond
		if slices.Contains(x.sum.Heads, b.To) {
			t = x.pool.And(t, x.pool.Substitute(x.pool.And(x.inv[b.To]...), after(x.sum, b.Vals)))
		}
		any = append(any, x.pool.Substitute(t, sub))
	}
	return x.pool.Or(any...)
}

// needed returns the conjuncts of the invariants that the ranking needs, the most general where there is a choice.
func (x *rankSearch) needed(ctx context.Context, rank map[int][]*term.Term) (map[int][]*term.Term, error) {
	type claim struct {
		head int
		goal *term.Term // to be contradicted
	}
	var todo []claim
	need := map[int][]*term.Term{}
	if x.choices {
		return x.neededChoosing(ctx, rank)
	}
	for _, h := range x.sum.Heads {
		todo = append(todo, claim{h, x.pool.Not(x.onward(h))})
	}
	for _, t := range x.loops() {
		smaller := x.smaller(rank[t.From], x.pool.SubstituteAll(rank[t.To], after(x.sum, t.Vals)))
		todo = append(todo, claim{t.From, x.pool.And(t.Cond, x.pool.Not(smaller))})
	}
	for ; len(todo) > 0; todo = todo[1:] {
		lits, err := x.coreAt(ctx, todo[0].head, todo[0].goal, need[todo[0].head])
		if err != nil {
			return nil, err
		}
		for _, l := range lits {
			h := todo[0].head
			need[h] = append(need[h], l)
			for _, t := range x.loops() {
				if t.To == h {
					todo = append(todo, claim{t.From, x.pool.And(t.Cond, x.pool.Not(x.pool.Substitute(l, after(x.sum, t.Vals))))})
				}
			}
		}
	}
	return need, nil
}

// coreAt returns conjuncts of the invariant of a head that, with those that are needed already, contradict a goal.
func (x *rankSearch) coreAt(ctx context.Context, h int, goal *term.Term, have []*term.Term) ([]*term.Term, error) {
	known := append(slices.Clone(have), x.assumed, goal)
	r, err := x.check(ctx, known...)
	if err != nil || r.Verdict == solve.Unsat {
		return nil, err
	}
	if r, err = x.check(ctx, append(known, x.inv[h]...)...); err != nil {
		return nil, err
	}
	var keep []*term.Term
	for _, l := range x.inv[h] {
		if len(r.Core) == 0 || slices.Contains(r.Core, l) {
			keep = append(keep, l)
		}
	}
	return x.dropLast(keep, func(rest []*term.Term) (bool, error) {
		r, err := x.check(ctx, append(slices.Clone(known), rest...)...)
		return r.Verdict == solve.Unsat, err
	})
}

// dropLast drops conjuncts without which what is asked for is still so, the last ones first.
func (x *rankSearch) dropLast(keep []*term.Term, holds func(rest []*term.Term) (bool, error)) ([]*term.Term, error) {
	for n := len(keep) - 1; n >= 0; n-- {
		rest := slices.Delete(slices.Clone(keep), n, n+1)
		ok, err := holds(rest)
		if err != nil {
			return nil, err
		}
		if ok {
			keep = rest
		}
	}
	return keep, nil
}

// neededChoosing is needed for methods that make choices: conjuncts are dropped one by one.
func (x *rankSearch) neededChoosing(ctx context.Context, rank map[int][]*term.Term) (map[int][]*term.Term, error) {
	inv := maps.Clone(x.inv)
	for _, h := range x.sum.Heads {
		var err error
		if inv[h], err = x.dropLast(inv[h], func(rest []*term.Term) (bool, error) {
			try := maps.Clone(inv)
			try[h] = rest
			for _, g := range x.sum.Heads {
				if ok, err := x.decreases(ctx, g, try, rank); !ok || err != nil {
					return false, err
				}
			}
			return true, nil
		}); err != nil {
			return nil, err
		}
	}
	return inv, nil
}

// rankConflict looks for a ranking of the last call of a word within the part of the budget that rankings may take.
func (c *cegar) rankConflict(ctx context.Context, w *wordFormula, r solve.Result) (bool, error) {
	if !c.mayRank(c.calls[w.steps[len(w.steps)-1].call].sum) {
		return false, nil
	}
	limit, before := c.limit, c.work
	c.limit = min(limit, before+c.p.questions()/rankShare-c.rankWork)
	found, err := c.rankRun(ctx, w, r)
	var budget *region.BudgetError
	if errors.As(err, &budget) && c.limit < limit {
		found, err = false, nil
	}
	c.limit = limit
	if !found {
		c.rankWork += c.work - before
	}
	return found, err
}

// rankRun looks for a ranking of the last call of a word: from a run that errs, which r is a model of, or if it has none from any state
// and arguments in which the call can be made after the word. A run that stays in the loops for some rounds says most of them.
func (c *cegar) rankRun(ctx context.Context, w *wordFormula, r solve.Result) (bool, error) {
	n := len(w.steps) - 1
	sum := c.calls[w.steps[n].call].sum
	known := append(w.conds()[:n:n], w.steps[n].made)
	if r.Verdict == solve.Sat {
		known = w.conds()
	}
	for _, k := range c.rankings[sum] {
		known = append(known, c.pool.Not(c.inWord(w, n, k.when)))
	}
	for rounds := longRun; rounds >= 0; rounds-- {
		r, err := c.check(ctx, append(known, c.inWord(w, n, c.staying(sum, rounds)))...)
		if err != nil {
			return false, err
		}
		if r.Verdict == solve.Sat {
			return c.rankWord(ctx, w, r.Model)
		}
	}
	return false, nil
}

// longRun is for how many blocks a run that is looked at should stay in the loops.
const longRun = 3

// inWord is a condition over the state, parameters and choices of a method in a step of a word.
func (c *cegar) inWord(w *wordFormula, n int, t *term.Term) *term.Term {
	sub := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(t) {
		sub[v] = c.inStep(v, n)
	}
	for k, v := range c.sym.State {
		sub[v.Term] = w.states[n][k]
	}
	return c.pool.Substitute(t, sub)
}

// staying is the condition that a call is at a loop head after so many blocks.
func (c *cegar) staying(sum *region.Summary, rounds int) *term.Term {
	type run struct {
		loc  int
		cond *term.Term
		vals []*term.Term
	}
	var start []*term.Term
	entry := c.entry(sum)
	for _, v := range sum.Vars {
		t := v.Term
		if z := entry[t]; z != nil {
			t = z
		}
		start = append(start, t)
	}
	level := []run{{sum.Method.Entry, c.pool.True(), start}}
	for n := range rounds {
		var next []run
		for _, r := range level {
			sub := after(sum, r.vals)
			for _, b := range sum.Blocks {
				if b.From != r.loc || !slices.Contains(sum.Heads, b.To) {
					continue
				}
				for _, ch := range b.Choices {
					sub[ch.Term] = c.pool.Var(choiceIn(ch, b.From, n), ch.Term.Sort())
				}
				if cond := c.pool.And(r.cond, c.pool.Substitute(b.Cond, sub)); !cond.IsFalse() && len(next) < maxStaying {
					next = append(next, run{b.To, cond, c.pool.SubstituteAll(b.Vals, sub)})
				}
			}
		}
		level = next
	}
	any := make([]*term.Term, len(level))
	for k, r := range level {
		any[k] = r.cond
	}
	return c.pool.Or(any...)
}

// maxStaying bounds the ways through loops that are looked at.
const maxStaying = 16

// rankings writes the rankings of all methods.
func (k *cegarCertifier) rankings() {
	p := k.p.Program
	for _, x := range k.methods {
		vars := slices.Concat(k.sym.State, x.sum.Method.Params)
		for _, r := range k.cegar.rankings[x.sum] {
			t := typestate.Ranking{Method: x.sum.Method.Name, When: prog.FormatExpr(p, vars, r.when)}
			for _, h := range x.sum.Heads {
				head := typestate.RankHead{Loc: h, Formula: prog.FormatExpr(p, x.sum.Vars, k.pool.And(r.inv[h]...))}
				for _, e := range r.rank[h] {
					head.Rank = append(head.Rank, prog.FormatExprAs(p, x.sum.Vars, e, prog.Type{Sort: term.BV(rankWidth)}))
				}
				t.Heads = append(t.Heads, head)
			}
			k.cert.Rankings = append(k.cert.Rankings, t)
		}
	}
}
