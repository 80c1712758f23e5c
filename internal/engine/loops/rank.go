// SPDX-License-Identifier: Apache-2.0

package loops

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
	"fmt"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// Rankings finds rankings of the methods of an abstraction.
type Rankings struct {
	Abs   *predabs.Abstraction
	Found int
	tries map[*explore.Summary]int // searches
	work  int                      // questions of the searches that found none
}

// NewRankings finds rankings of the methods of an abstraction.
func NewRankings(m *predabs.Abstraction) *Rankings {
	return &Rankings{Abs: m, tries: map[*explore.Summary]int{}}
}

// A rankSearch looks for a ranking.
type rankSearch struct {
	abs     *predabs.Abstraction
	sum     *explore.Summary
	visited map[int][]term.Model // by head: states there in the run that is followed
	inv     map[int][]*term.Term
	chosen  map[*term.Term]*term.Term // the choices of the blocks from the entry
	choices bool                      // the method makes some
}

// rankWord looks for a ranking of the last call of a word whose condition holds in a model of it.
func (rk *Rankings) rankWord(ctx context.Context, w *words.Formula, model term.Model) (bool, error) {
	n := len(w.Steps) - 1
	sum := rk.Abs.Calls[w.Steps[n].Call].Sum
	start := w.StateAt(n, model)
	for _, v := range sum.Method.Params {
		start[v.Term] = model[w.Copy(v.Term, n)]
	}
	x := &rankSearch{abs: rk.Abs, sum: sum, inv: map[int][]*term.Term{}, chosen: map[*term.Term]*term.Term{}}
	for _, b := range sum.Blocks {
		x.choices = x.choices || len(b.Choices) > 0
		if b.From != sum.Method.Entry {
			continue
		}
		for _, ch := range b.Choices {
			start[ch.Term] = model[w.Copy(ch.Term, n)]
			x.chosen[ch.Term] = rk.Abs.Pool.Const(ch.Term.Sort(), start[ch.Term])
		}
	}
	if !x.follow(start) {
		return false, nil
	}
	rk.tries[sum]++
	r, err := x.find(ctx, start)
	if predabs.Undecided(err) {
		return false, nil
	}
	if err != nil || r == nil || !term.Holds(r.When, start) {
		return false, err
	}
	return true, rk.addRanking(ctx, sum, r)
}

// mayRank reports whether another ranking of a method may be looked for. Guesses stand for one value each, so that a run for some of
// them says little; methods that make them have no rankings.
func (rk *Rankings) mayRank(sum *explore.Summary) bool {
	limit := maxRankings
	if n := rk.Abs.P.Refinements; n > 0 {
		limit = min(limit, (n+rankingRefinements-1)/rankingRefinements)
	}
	if len(sum.Heads) == 0 || rk.tries[sum] >= limit || rk.work >= rk.Abs.P.Questions()/rankShare || !rk.Abs.Unrolled(sum, true).Bounded {
		return false
	}
	return !slices.ContainsFunc(sum.Blocks, func(b explore.Block) bool {
		return slices.ContainsFunc(b.Choices, func(ch explore.Choice) bool { return ch.Origin == prog.Guess })
	})
}

// addRanking adds a ranking, and finds out whether the rankings cover the runs that unrolling knows.
func (rk *Rankings) addRanking(ctx context.Context, sum *explore.Summary, r *predabs.Ranking) error {
	if rk.Abs.Rankings == nil {
		rk.Abs.Rankings, rk.Abs.Covered = map[*explore.Summary][]*predabs.Ranking{}, map[*explore.Summary]bool{}
	}
	rk.Abs.Rankings[sum] = append(rk.Abs.Rankings[sum], r)
	rk.Found++
	left := []*term.Term{rk.Abs.Assumed, rk.Abs.Unrolled(sum, true).Cond}
	for _, r := range rk.Abs.Rankings[sum] {
		left = append(left, rk.Abs.Pool.Not(r.When))
	}
	q, err := rk.Abs.Check(ctx, left...)
	if predabs.Undecided(err) {
		return nil
	}
	rk.Abs.Covered[sum] = err == nil && q.Verdict == solve.Unsat
	return err
}

// find looks for a ranking whose condition holds in the start.
func (x *rankSearch) find(ctx context.Context, start term.Model) (*predabs.Ranking, error) {
	x.suggest(start)
	if err := x.filter(ctx); err != nil {
		return nil, err
	}
	for _, h := range x.sum.Heads {
		if ok, err := x.goesOn(ctx, h, x.inv[h]); err != nil || !ok {
			return nil, err
		}
	}
	r := &predabs.Ranking{}
	var err error
	if r.Rank, err = x.measure(ctx, x.loops(), x.sum.Heads, 0); err != nil {
		return nil, err
	}
	if r.Rank == nil && x.choices {
		r.Rank, err = x.measureChoosing(ctx)
	}
	if err != nil || r.Rank == nil {
		return nil, err
	}
	if r.Inv, err = x.needed(ctx, r.Rank); err != nil {
		return nil, err
	}
	x.inv = r.Inv
	r.When = x.condition()
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
func (x *rankSearch) good(b *explore.Block) bool {
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
			out = append(out, rankStep{Block: b, more: x.abs.Pool.True()})
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
				then := x.abs.Pool.SubstituteAll(x.inv[t.To], predabs.After(x.sum, t.Vals))
				rest, all, err := preserved(ctx, x.abs, x.inv[t.To], then, x.abs.Assumed, x.abs.Pool.And(x.inv[t.From]...), t.Cond)
				if err != nil {
					return err
				}
				if all {
					break
				}
				x.inv[t.To], changed = rest, true
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
	return x.abs.Pool.Or(any...)
}

// goesOn reports whether from each state at a head in which conditions hold a good block can be taken.
func (x *rankSearch) goesOn(ctx context.Context, h int, inv []*term.Term) (bool, error) {
	return x.abs.Must(ctx, -1, x.abs.Pool.And(append(slices.Clone(inv), x.abs.Assumed)...), x.onward(h))
}

// condition is the condition under which a run gets from the entry to an error or to a head where the invariant holds, with the choices
// that were made.
func (x *rankSearch) condition() *term.Term {
	var any []*term.Term
	sub := x.abs.Entry(x.sum)
	maps.Copy(sub, x.chosen)
	for k := range x.sum.Blocks {
		b := &x.sum.Blocks[k]
		if b.From != x.sum.Method.Entry || !x.good(b) {
			continue
		}
		t := b.Cond
		if slices.Contains(x.sum.Heads, b.To) {
			t = x.abs.Pool.And(t, x.abs.Pool.Substitute(x.abs.Pool.And(x.inv[b.To]...), predabs.After(x.sum, b.Vals)))
		}
		any = append(any, x.abs.Pool.Substitute(t, sub))
	}
	return x.abs.Pool.Or(any...)
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
		todo = append(todo, claim{h, x.abs.Pool.Not(x.onward(h))})
	}
	for _, t := range x.loops() {
		smaller := x.smaller(rank[t.From], x.abs.Pool.SubstituteAll(rank[t.To], predabs.After(x.sum, t.Vals)))
		todo = append(todo, claim{t.From, x.abs.Pool.And(t.Cond, x.abs.Pool.Not(smaller))})
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
					todo = append(todo, claim{t.From, x.abs.Pool.And(t.Cond, x.abs.Pool.Not(x.abs.Pool.Substitute(l, predabs.After(x.sum, t.Vals))))})
				}
			}
		}
	}
	return need, nil
}

// coreAt returns conjuncts of the invariant of a head that, with those that are needed already, contradict a goal.
func (x *rankSearch) coreAt(ctx context.Context, h int, goal *term.Term, have []*term.Term) ([]*term.Term, error) {
	known := append(slices.Clone(have), x.abs.Assumed, goal)
	r, err := x.abs.Check(ctx, known...)
	if err != nil || r.Verdict == solve.Unsat {
		return nil, err
	}
	if r, err = x.abs.Check(ctx, append(known, x.inv[h]...)...); err != nil {
		return nil, err
	}
	var keep []*term.Term
	for _, l := range x.inv[h] {
		if len(r.Core) == 0 || slices.Contains(r.Core, l) {
			keep = append(keep, l)
		}
	}
	return x.dropLast(keep, func(rest []*term.Term) (bool, error) {
		r, err := x.abs.Check(ctx, append(slices.Clone(known), rest...)...)
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

// Find looks for a ranking of the last call of a word within the part of the budget that rankings may take.
func (rk *Rankings) Find(ctx context.Context, w *words.Formula, r solve.Result) (bool, error) {
	if !rk.mayRank(rk.Abs.Calls[w.Steps[len(w.Steps)-1].Call].Sum) {
		return false, nil
	}
	before, found := rk.Abs.Work, false
	enough, err := rk.Abs.Within(ctx, rk.Abs.P.Questions()/rankShare-rk.work, func(ctx context.Context) (err error) {
		found, err = rk.rankRun(ctx, w, r)
		return err
	})
	found = found && enough
	if !found {
		rk.work += rk.Abs.Work - before
	}
	return found, err
}

// rankRun looks for a ranking of the last call of a word: from a run that errs, which r is a model of, or if it has none from any state
// and arguments in which the call can be made after the word. A run that stays in the loops for some rounds says most of them.
func (rk *Rankings) rankRun(ctx context.Context, w *words.Formula, r solve.Result) (bool, error) {
	n := len(w.Steps) - 1
	sum := rk.Abs.Calls[w.Steps[n].Call].Sum
	known := w.Happens()
	if r.Verdict == solve.Sat {
		known = w.Conds()
	}
	for _, k := range rk.Abs.Rankings[sum] {
		known = append(known, rk.Abs.Pool.Not(w.Within(n, k.When)))
	}
	for rounds := longRun; rounds >= 0; rounds-- {
		r, err := rk.Abs.Check(ctx, append(known, w.Within(n, staying(rk.Abs, sum, rounds)))...)
		if err != nil {
			return false, err
		}
		if r.Verdict == solve.Sat {
			return rk.rankWord(ctx, w, r.Model)
		}
	}
	return false, nil
}

// staying is the condition that a call is at a loop head after so many blocks.
func staying(m *predabs.Abstraction, sum *explore.Summary, rounds int) *term.Term {
	type run struct {
		loc  int
		cond *term.Term
		vals []*term.Term
	}
	level := []run{{sum.Method.Entry, m.Pool.True(), m.EntryValues(sum)}}
	for n := range rounds {
		var next []run
		for _, r := range level {
			sub := predabs.After(sum, r.vals)
			for _, b := range sum.Blocks {
				if b.From != r.loc || !slices.Contains(sum.Heads, b.To) {
					continue
				}
				for _, ch := range b.Choices {
					sub[ch.Term] = m.Pool.Var(predabs.ChoiceIn(ch, b.From, n), ch.Term.Sort())
				}
				if cond := m.Pool.And(r.cond, m.Pool.Substitute(b.Cond, sub)); !cond.IsFalse() && len(next) < maxStaying {
					next = append(next, run{b.To, cond, m.Pool.SubstituteAll(b.Vals, sub)})
				}
			}
		}
		level = next
	}
	any := make([]*term.Term, len(level))
	for k, r := range level {
		any[k] = r.cond
	}
	return m.Pool.Or(any...)
}
