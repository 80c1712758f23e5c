// SPDX-License-Identifier: Apache-2.0

package engine

// This file is the engine for components whose states cannot be enumerated:
// modal predicate abstraction, determinization of pairs, and refinement of the
// predicates on conflicts.
//
// A PAIR (U, L): U is the set of abstract states that may be current after a
// word; L is a family of sets, each known to contain a current one, minimal
// sets only. U itself is always a member: a word that can happen has a current
// state, and it lies in U. On a letter, U steps by what may happen; a member of L
// steps to the union of what must happen from its states, and is dropped if one
// of them has nothing certain. A call is allowed if no state of U may err, and
// forbidden if all states of some member of L must. Otherwise the pair is a
// CONFLICT, and the shortest word to it decides how to refine:
//
//   - no run of the word errs: the erring abstract trace is spurious. Follow the
//     component along it to the first step it cannot take and add the
//     conditions that refute that step.
//   - a run errs, whatever the arguments: the call is rightly forbidden after
//     this word. Add the conditions under which each step of that run is
//     certain.
//   - it depends on the arguments, or on an integer result: split the class of
//     arguments or results that decides (cegar_split.go).
//
// Both kinds of refinement make progress: the conditions added are not all
// predicates already, else the step would have been decided by them; and a class
// is split into two that have members.

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A pair is a state of the determinized abstraction.
type pair struct {
	u      int32   // number of a set
	l      []int32 // numbers of sets: an antichain, sorted
	parent int32
	letter int // by which it was first reached; -1 at the start
}

// The verdict of a call in a pair.
type pairVerdict struct {
	verdict typestate.Verdict
	reason  string // of unknown
	sites   []*prog.ErrorSite
	ends    bool // rests on the convention that loops end
}

type cegar struct {
	*modal
	sets      automata.Sets
	pairs     []pair
	index     map[string]int32
	next      [][]int32 // by pair and letter: pair, impossible, or rejected
	verdicts  [][]pairVerdict
	giveUp    map[string]string // conflict word -> reason
	rounds    int
	stale     bool                // the predicates or classes are not those of the pairs
	outOf     string              // why nothing is refined any more
	extended  map[*term.Term]bool // predicates that were added for a whole chain
	goesOn    map[*partEffect]bool
	ranks     int                             // rankings found
	rankTries map[*region.Summary]int         // looked for
	rankWork  int                             // questions of the searches that found none
	tries     map[*prog.Method]int            // refinements for the conflicts of a method
	began     map[*prog.Method]savepoint      // before the first of them
	unsure    func(pair int32, call int) bool // which calls that may fail hang on guesses; nil: none
	sureMemo  map[[2]int32]*effect
	sums      map[*prog.Var]bool // see isSum
	byOrder   bool               // traces are removed only by orders and invariants of loops
	splitting
	registers
	tightening
}

// synthesizeCegar computes the interface by predicate abstraction. If
// something is left undecided, it is tried again from what errors need, and if nothing
// could be written down, without refinement: calls that never err, or always, are known then. Of a program of which only that is
// asked, what must happen is left out (cegar_plain.go).
func synthesizeCegar(ctx context.Context, p *Problem, st stats) (*typestate.Interface, error) {
	if p.Plain && p.seeds == nil {
		if i, err := synthesizePlainly(ctx, p, st); i != nil || err != nil {
			return i, err
		}
	}
	i, err := runCegar(ctx, p, st, "")
	var budget *region.BudgetError
	if p.seeds == nil && (errors.As(err, &budget) || err == nil && !complete(i)) {
		more := stats{}
		q := *p
		q.needs = true
		j, wrong := runCegar(ctx, &q, more, "")
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if wrong == nil && proved(j) && (err != nil || len(j.Unknown) < len(i.Unknown)) {
			clear(st)
			maps.Copy(st, more)
			return j, nil
		}
	}
	if errors.As(err, &budget) {
		clear(st)
		i, err = runCegar(ctx, p, st, fmt.Sprintf("the budget of %d %s allows no predicates", p.questions(), budget.What))
	}
	return i, err
}

// errNothingNeeded is the error of an attempt to start with what errors need where nothing is found.
var errNothingNeeded = errors.New("no predicate is needed by all ways to an error")

// runCegar is one attempt; with a reason why, nothing is refined.
func runCegar(ctx context.Context, p *Problem, st stats, why string) (*typestate.Interface, error) {
	switch {
	case p.Serial:
		return nil, &Refusal{"cegar", "the infinite-word reading (-serial) is for finite components"}
	case p.Solver == nil:
		return nil, &Refusal{"cegar", "it needs a solver"}
	}
	m := newModal(p)
	defer m.close()
	if p.seeds != nil {
		m.seed(p.seeds)
	}
	if p.needs {
		if found, err := m.seedNeeded(ctx); !found || err != nil {
			return nil, cmp.Or(err, errNothingNeeded)
		}
	}
	c := &cegar{modal: m, giveUp: map[string]string{}, stale: true, extended: map[*term.Term]bool{}, goesOn: map[*partEffect]bool{}}
	c.outOf = why
	m.plain = p.plain
	// A part of the budget is kept to write down what is known by then.
	all := m.limit
	m.limit = all / refinedShare
	if why != "" {
		m.limit = all - all/4
	}
	for {
		if c.rounds++; p.Refinements > 0 && c.rounds > refinedMethods*p.Refinements {
			c.outOf = cmp.Or(c.outOf, fmt.Sprintf("%d refinements did not decide everything", refinedMethods*p.Refinements))
		}
		done, err := c.round(ctx)
		var budget *region.BudgetError
		if errors.As(err, &budget) && c.fewer() {
			c.outOf = fmt.Sprintf("the budget of %d %s allows no more predicates; the last were about %s", all, budget.What, c.aboutLast())
			m.limit = m.work + all/4 // for some few times, so that there is an answer
			err = nil
		}
		if err != nil {
			return nil, err
		}
		if done && !c.coarsen() {
			break
		}
	}
	m.limit = m.work + all/2
	st["predicates"] = int64(len(c.preds))
	st["abstractStates"] = int64(len(c.cubes) - 1)
	st["pairs"] = int64(len(c.pairs))
	st["refinements"] = int64(c.rounds - 1)
	if c.splits > 0 {
		st["splits"] = int64(c.splits)
	}
	if err := c.findSure(ctx); err != nil {
		return nil, err
	}
	st["solverQuestions"] = int64(c.asked)
	return c.build(ctx, st)
}

// round explores, and refines what it cannot decide. It reports whether nothing
// was left to do.
func (c *cegar) round(ctx context.Context) (done bool, err error) {
	conflict, err := c.explore(ctx)
	switch {
	case err != nil:
		return false, err
	case conflict == nil:
		if known, err := c.proveKnown(ctx); !known || err != nil || !c.p.Tight {
			return known, err
		}
		again, err := c.tighten(ctx)
		return err == nil && !again, err
	}
	c.p.report("predicates", len(c.preds))
	return false, c.refine(ctx, conflict)
}

// refinedShare is the part of the budget, one of so many, in which
// predicates are refined. In the rest, what the predicates found so far do not decide is unknown.
const refinedShare = 2

// fewer prepares to write down what is known after the budget ran out: with all
// predicates that were found at first, and if these are too many for what is
// left of the budget, with half as many. It reports whether there is anything to
// try.
func (c *cegar) fewer() bool {
	if c.outOf != "" {
		if c.known() == 0 {
			return false
		}
		c.preds, c.headPreds = c.preds[:len(c.preds)/2:len(c.preds)/2], map[headKey][]*term.Term{}
	}
	c.stale = true
	return true
}

// maxPartial is the number of pairs of an interface with unknown verdicts above
// which it is made again with fewer predicates: one that follows a counter for
// some thousand steps and then does not know says nothing more than one that
// follows it for ten.
const maxPartial = 256

// coarsen halves the predicates of a partial result that is too large, and
// reports whether it did.
func (c *cegar) coarsen() bool {
	if len(c.pairs) <= maxPartial || len(c.preds) < 2 {
		return false
	}
	reason := ""
	for _, row := range c.verdicts {
		for _, v := range row {
			if v.verdict == typestate.VerdictUnknown {
				reason = cmp.Or(reason, v.reason)
			}
		}
	}
	if reason == "" {
		return false
	}
	c.outOf = cmp.Or(c.outOf, reason)
	return c.fewer()
}

// A conflict is a pair and a call that it cannot decide.
type conflict struct {
	pair int32
	call int
}

// explore builds the pairs, breadth first, up to the first conflict that is
// not given up. It goes on where it stopped if the predicates are the same.
func (c *cegar) explore(ctx context.Context) (*conflict, error) {
	if c.stale {
		c.restart()
	}
	for at := int32(len(c.next)); int(at) < len(c.pairs); at++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		// Pairs of few abstract states may be many and cost no question.
		if len(c.pairs) > c.limit {
			return nil, &region.BudgetError{What: "pairs of what may and what must be current", Limit: c.limit}
		}
		row := make([]int32, c.letters)
		for i := range row {
			row[i] = impossible
		}
		verdicts := make([]pairVerdict, len(c.calls))
		for k := range c.calls {
			if c.calls[k].constructor != (at == 0) {
				continue
			}
			v, err := c.judge(ctx, at, k)
			if err != nil {
				return nil, err
			}
			if v.verdict == typestate.VerdictUnknown {
				conf := &conflict{at, k}
				reason, ok := c.giveUp[c.wordKey(conf)]
				if !ok {
					reason, ok = c.spentOn(k)
				}
				if !ok && c.outOf == "" {
					return conf, nil
				}
				v.reason = cmp.Or(reason, c.outOf)
				if v, err = c.judgeEnding(ctx, at, k, v); err != nil {
					return nil, err
				}
			}
			verdicts[k] = v
			for o := range c.calls[k].outcomes {
				x := c.calls[k].letter + o
				if v.verdict.Forbidden() {
					row[x] = rejected
					continue
				}
				to, err := c.step2(ctx, at, k, o)
				if err != nil {
					return nil, err
				}
				row[x] = to
			}
		}
		c.next = append(c.next, row)
		c.verdicts = append(c.verdicts, verdicts)
	}
	return nil, nil
}

// restart forgets all pairs but the first, and what the predicates say.
func (c *cegar) restart() {
	c.reset()
	c.stale = false
	c.sets = automata.Sets{}
	c.pairs, c.next, c.verdicts = nil, nil, nil
	c.index = map[string]int32{}
	start := c.sets.ID([]int32{0})
	c.add(pair{u: start, l: []int32{start}, parent: -1, letter: -1})
}

func (c *cegar) add(p pair) int32 {
	var key []byte
	key = binary.LittleEndian.AppendUint32(key, uint32(p.u))
	for _, s := range p.l {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	id, ok := c.index[string(key)]
	if !ok {
		id = int32(len(c.pairs))
		c.index[string(key)] = id
		c.pairs = append(c.pairs, p)
	}
	return id
}

// judge gives the verdict of a call in a pair; unknown is a conflict.
func (c *cegar) judge(ctx context.Context, at int32, call int) (pairVerdict, error) {
	var v pairVerdict
	p := c.pairs[at]
	mayReturn := false
	for _, a := range c.sets.Set(p.u) {
		e, err := c.effect(ctx, a, call)
		if err != nil {
			return v, err
		}
		mayReturn = mayReturn || e.returns()
		for _, s := range e.mayErr {
			if !slices.Contains(v.sites, s) {
				v.sites = append(v.sites, s)
			}
		}
	}
	if len(v.sites) == 0 {
		v.verdict = typestate.VerdictAllowed
		return v, nil
	}
	for _, set := range p.l {
		all := true
		for _, a := range c.sets.Set(set) {
			e, err := c.effect(ctx, a, call)
			if err != nil {
				return v, err
			}
			all = all && e.mustErr
		}
		if all {
			v.verdict = typestate.VerdictFails
			if mayReturn {
				v.verdict = typestate.VerdictMayFail
			}
			return v, nil
		}
	}
	return v, nil
}

// maxCombinations bounds the sets one member of L steps to.
const maxCombinations = 16

// step2 returns the pair after a call with an outcome.
func (c *cegar) step2(ctx context.Context, at int32, call, o int) (int32, error) {
	p := c.pairs[at]
	var u []int32
	for _, a := range c.sets.Set(p.u) {
		e, err := c.effect(ctx, a, call)
		if err != nil {
			return 0, err
		}
		u = append(u, e.may[o]...)
	}
	slices.Sort(u)
	u = slices.Compact(u)
	if len(u) == 0 {
		return impossible, nil
	}
	ids, err := c.stepFamily(ctx, u, p.l, call, o, c.effect)
	if err != nil {
		return 0, err
	}
	return c.add(pair{u: c.sets.ID(u), l: ids, parent: at, letter: c.calls[call].letter + o}), nil
}

// stepFamily returns the sets each of which has a current state after a call with an outcome, if
// those of l had before: u is what may be current after it.
func (c *cegar) stepFamily(ctx context.Context, u, l []int32, call, o int, effect func(ctx context.Context, a int32, call int) (*effect, error)) ([]int32, error) {
	family := [][]int32{u}
	for _, set := range l {
		combos := [][]int32{{}}
		for _, a := range c.sets.Set(set) {
			e, err := effect(ctx, a, call)
			if err != nil {
				return nil, err
			}
			var next [][]int32
			for _, have := range combos {
				for _, t := range e.must[o] {
					if len(next) < maxCombinations {
						next = append(next, append(slices.Clone(have), t...))
					}
				}
			}
			combos = next
		}
		for _, s := range combos {
			if len(s) == 0 {
				continue // the call is not made in any of these states
			}
			slices.Sort(s)
			family = append(family, slices.Compact(s))
		}
	}
	var ids []int32
	for i, s := range family {
		minimal := true
		for j, t := range family {
			if i != j && subset(t, s) && (len(t) < len(s) || j < i) {
				minimal = false
				break
			}
		}
		if minimal {
			ids = append(ids, c.sets.ID(s))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// word returns the letters of the shortest word to a pair, as (call, outcome).
func (c *cegar) word(at int32) [][2]int {
	var w [][2]int
	for p := c.pairs[at]; p.parent >= 0; p = c.pairs[p.parent] {
		w = append(w, c.callOf(p.letter))
	}
	slices.Reverse(w)
	return w
}

func (c *cegar) callOf(letter int) [2]int {
	for k := range c.calls {
		if letter < c.calls[k].letter+len(c.calls[k].outcomes) {
			return [2]int{k, letter - c.calls[k].letter}
		}
	}
	panic("cegar: no such letter")
}

// wordKey names a conflict by the classes of its word, which are never used again
// for others.
func (c *cegar) wordKey(conf *conflict) string {
	var ids []int
	for _, x := range c.word(conf.pair) {
		call := &c.calls[x[0]]
		ids = append(ids, call.class, call.outcomes[x[1]].id)
	}
	return fmt.Sprint(ids, c.calls[conf.call].class)
}

// A wordFormula is a word of calls as formulas over initial values, arguments
// and choices, each call with its own copies.
type wordFormula struct {
	steps  []wordStep
	states [][]*term.Term // before each step, by state variable
	bound  bool           // loops were unrolled only so far
}

type wordStep struct {
	call    int
	outcome int        // or how it ends instead
	made    *term.Term // of the call being made: its guard
	cond    *term.Term // of the step's outcome (of an error, for the last)
	params  []*term.Term
	choices []*term.Term
	results []*term.Term // values of the results, if it returns with an outcome
	// raw conditions over the method's own variables, for predicates
	rawCond *term.Term
	rawVals []*term.Term
	rename  map[*term.Term]*term.Term
}

// How the last call of a word may end, instead of with an outcome.
const (
	endErrs    = -1
	endReturns = -2 // with whatever outcome
)

// conds returns the conditions of the steps.
func (w *wordFormula) conds() []*term.Term {
	list := make([]*term.Term, len(w.steps))
	for i := range w.steps {
		list[i] = w.steps[i].cond
	}
	return list
}

// compose builds the formula of a word whose last call errs in a run that is unrolled.
func (c *cegar) compose(word [][2]int, last int) *wordFormula {
	return c.composeWith(word, [2]int{last, endErrs}, c.unrolled)
}

// composeRanked is compose, with runs that rankings know of: of these the formula has no choices.
func (c *cegar) composeRanked(word [][2]int, last int) *wordFormula {
	return c.composeWith(word, [2]int{last, endErrs}, c.unrolledOrRanked)
}

// composeEnd builds the formula of a word and a last call.
func (c *cegar) composeEnd(word [][2]int, last [2]int) *wordFormula {
	return c.composeWith(word, last, c.unrolled)
}

func (c *cegar) composeWith(word [][2]int, last [2]int, unrolled func(sum *region.Summary, errs bool) unrolling) *wordFormula {
	w := &wordFormula{}
	state := make([]*term.Term, len(c.sym.State))
	for i, v := range c.sym.State {
		state[i] = v.Term
		if v.Init != nil {
			state[i] = v.Init
		} else {
			state[i] = c.pool.Var(fmt.Sprintf("\x00init %s", v.Name), v.Type.Sort)
		}
	}
	w.states = append(w.states, state)
	for i, x := range append(slices.Clone(word), last) {
		call := &c.calls[x[0]]
		u := unrolled(call.sum, x[1] == endErrs)
		cond, vals := u.cond, u.vals
		w.bound = w.bound || u.bounded
		step := wordStep{call: x[0], outcome: x[1], rawCond: c.pool.And(call.guard, cond), rawVals: vals}
		if x[1] >= 0 {
			step.rawCond = c.pool.And(step.rawCond, c.pool.Substitute(call.outcomes[x[1]].cond, after(call.sum, vals)))
		}
		sub := map[*term.Term]*term.Term{}
		for k, v := range c.sym.State {
			sub[v.Term] = state[k]
		}
		step.rename = map[*term.Term]*term.Term{}
		for _, v := range term.FreeVars(append(slices.Clone(vals), call.guard, step.rawCond)...) {
			if sub[v] != nil {
				continue
			}
			copy := c.pool.Var(fmt.Sprintf("%s@%d", v.Name(), i), v.Sort())
			sub[v], step.rename[v] = copy, copy
			if slices.ContainsFunc(call.sum.Method.Params, func(p *prog.Var) bool { return p.Term == v }) {
				step.params = append(step.params, copy)
			} else {
				step.choices = append(step.choices, copy)
			}
		}
		step.cond, step.made = c.pool.Substitute(step.rawCond, sub), c.pool.Substitute(call.guard, sub)
		if i > 0 {
			assumed := c.pool.Substitute(c.pool.And(c.assumed, c.sym.Invariant), sub)
			step.cond, step.made = c.pool.And(step.cond, assumed), c.pool.And(step.made, assumed)
		}
		w.steps = append(w.steps, step)
		if x[1] >= 0 {
			next := make([]*term.Term, len(state))
			for k := range state {
				next[k] = c.pool.Substitute(vals[k], sub)
			}
			state = next
			w.states = append(w.states, state)
			final := after(call.sum, vals)
			for _, r := range call.sum.Method.Results {
				step.results = append(step.results, c.pool.Substitute(final[r.Term], sub))
			}
			w.steps[i].results = step.results
		}
	}
	return w
}

// refinedMethods is how many times as many refinements there are in all as one
// method gets, where these are bounded.
const refinedMethods = 3

// refineShare is the part of the budget, one of so many, that one refinement may
// take.
const refineShare = 8

// spentOn gives up the conflicts of a method for which as much has been tried as the budget allows.
func (c *cegar) spentOn(call int) (reason string, ok bool) {
	if c.p.Refinements == 0 || c.tries[c.calls[call].sum.Method] < c.p.Refinements {
		return "", false
	}
	return fmt.Sprintf("%d refinements did not decide it", c.p.Refinements), true
}

// refine adds predicates for a conflict, or gives it up.
func (c *cegar) refine(ctx context.Context, conf *conflict) error {
	if c.tries == nil {
		c.tries, c.began = map[*prog.Method]int{}, map[*prog.Method]savepoint{}
	}
	method := c.calls[conf.call].sum.Method
	if c.tries[method]++; c.tries[method] == 1 {
		c.began[method] = c.save()
	}
	word := c.word(conf.pair)
	w := c.composeRanked(word, conf.call)
	old, before, count, splits, ranks := c.save(), c.known(), len(c.preds), c.splits, c.ranks
	same := func() bool { return c.known() == before && c.splits == splits && c.ranks == ranks }
	limit := c.limit
	c.limit = min(limit, c.work+max(1, c.p.questions()/refineShare))
	reason, err := c.refineWord(ctx, conf, word, w)
	if err == nil && reason == "" && len(c.preds)-count > lateChain {
		_, err = c.rememberAlone(ctx, &c.calls[conf.call], true)
	}
	var budget *region.BudgetError
	if errors.As(err, &budget) && c.limit < limit {
		reason, err = "no predicate decides it within its part of the budget", nil
	}
	c.limit = limit
	var undecided *solve.UndecidedError
	if errors.As(err, &undecided) {
		reason, err = undecided.Reason, nil
	}
	if err != nil {
		c.restore(old)
		return err
	}
	if reason == "" && same() {
		c.addLoopAtoms(word, conf.call)
	}
	if reason == "" && same() {
		reason = "no predicate decides it"
		if w.bound {
			reason = reasonLoop
		}
	}
	if len(c.preds) > maxPreds || len(c.preds) > count && (c.found() > maxPredicates || c.chases()) {
		c.restore(old)
		reason = fmt.Sprintf("more than %d predicates are needed; the last were about %s", count, c.aboutLast())
	}
	if reason != "" {
		c.restore(old)
		c.giveUp[c.wordKey(conf)] = reason
	}
	c.stale = c.known() > before || c.splits > splits || c.ranks > ranks
	return nil
}

// aboutLast names the variables of the last predicates.
func (c *cegar) aboutLast() string {
	var names []string
	for _, p := range c.preds[max(0, len(c.preds)-4):] {
		for _, v := range term.FreeVars(p) {
			if !slices.Contains(names, v.Name()) {
				names = append(names, v.Name())
			}
		}
	}
	return join(names)
}

// maxPredicates bounds the predicates of an abstraction: there may be as many abstract states as sets of them.
const maxPredicates = 32

func (c *cegar) refineWord(ctx context.Context, conf *conflict, word [][2]int, w *wordFormula) (string, error) {
	if done, err := c.rememberAlone(ctx, &c.calls[conf.call], c.tries[c.calls[conf.call].sum.Method] > lateTries); done || err != nil {
		return "", err
	}
	if done, err := c.rememberPart(ctx, conf); done || err != nil {
		return "", err
	}
	r, err := c.check(ctx, w.conds()...)
	if err != nil {
		return "", err
	}
	if found, err := c.rankConflict(ctx, w, r); found || err != nil {
		return "", err
	}
	if r.Verdict == solve.Unsat {
		trace, err := c.erringTrace(ctx, conf, word)
		if err != nil {
			return "", err
		}
		runs, err := c.removeTrace(ctx, trace, word, [2]int{conf.call, endErrs})
		if runs {
			return reasonLoop, nil
		}
		return "", err
	}
	if w.bound && len(c.rankings[c.calls[conf.call].sum]) == 0 {
		// Runs that were not followed would be taken for quiet ones.
		switch ends, err := c.errsAtEnd(ctx, conf.pair, conf.call); {
		case err != nil:
			return "", err
		case ends && c.plain:
			return reasonLoop, nil
		case ends:
			before := c.known()
			if err := c.proveRun(ctx, w, r.Model); err != nil || c.known() > before {
				return "", err
			}
			return reasonLoop, nil
		}
	}
	before := c.known()
	done, reason, err := c.splitWord(ctx, w, r.Model)
	if done || err != nil {
		return reason, err
	}
	if found, err := c.removeByOrder(ctx, conf, word); found || err != nil {
		return reason, err
	}
	if c.plain {
		return c.removeReturning(ctx, conf, word, reason)
	}
	// The word errs whatever the arguments and results: make it certain.
	if done, err := c.rememberState(ctx, w, -1, r.Model, false); done || err != nil {
		return "", err
	}
	if err := c.proveRun(ctx, w, r.Model); err != nil || c.known() > before {
		return reason, err
	}
	done, more, err := c.splitUneven(ctx, w, r.Model)
	if done || err != nil {
		return more, err
	}
	if err := c.removeQuiet(ctx, conf, word, w); err != nil || c.known() > before {
		return reason, err
	}
	if done, more, err = c.splitForced(ctx, w, r.Model); done || err != nil {
		return more, err
	}
	return reason, nil
}

// goalOf is the condition, over the variables of step i's method, to take the
// step into an abstract state.
func (c *cegar) goalOf(w *wordFormula, i int, to int32) *term.Term {
	s := &w.steps[i]
	sum := c.calls[s.call].sum
	return c.pool.And(s.rawCond, c.cube(c.cubes[to], after(sum, s.rawVals)))
}

// literals returns the atoms of a formula as they are in a model, over some
// variables only: others, and choices, take their values of the model. Their
// conjunction implies the formula for these values.
func (c *cegar) literals(formula *term.Term, m term.Model, over []*prog.Var) []*term.Term {
	fixed := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(formula) {
		if !isVarOf(over, v) {
			fixed[v] = c.pool.Const(v.Sort(), m[v])
		}
	}
	formula = c.pool.Substitute(formula, fixed)
	var lits []*term.Term
	seen := map[*term.Term]bool{}
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Sort().Kind == term.BoolKind {
			switch t.Op() {
			case term.OpConst:
				return
			case term.OpNot, term.OpAnd, term.OpOr, term.OpIte:
				for _, a := range t.Args() {
					walk(a)
				}
				return
			case term.OpEq:
				if t.Args()[0].Sort().Kind == term.BoolKind {
					walk(t.Args()[0])
					walk(t.Args()[1])
					return
				}
			}
			// Conditions inside the atom decide its shape.
			for _, a := range t.Args() {
				walk(a)
			}
			if term.Holds(t, m) {
				lits = append(lits, t)
			} else {
				lits = append(lits, c.pool.Not(t))
			}
			return
		}
		for _, a := range t.Args() {
			walk(a)
		}
	}
	walk(formula)
	slices.SortStableFunc(lits, func(a, b *term.Term) int { return cmp.Compare(term.Size(b), term.Size(a)) })
	return lits
}

// shrink returns literals whose counterparts still contradict what is
// asserted; large ones are left out first.
func (c *cegar) shrink(ctx context.Context, lits, moved []*term.Term) ([]*term.Term, error) {
	r, err := c.check(ctx, moved...)
	if err != nil {
		return nil, err
	}
	if r.Verdict != solve.Unsat {
		return lits, nil // not a contradiction: all of them
	}
	keep := slices.Repeat([]bool{true}, len(lits))
	for i := range lits {
		keep[i] = false
		var rest []*term.Term
		for k := range moved {
			if keep[k] {
				rest = append(rest, moved[k])
			}
		}
		r, err := c.check(ctx, rest...)
		if err != nil {
			return nil, err
		}
		if r.Verdict != solve.Unsat {
			keep[i] = true
		}
	}
	var out []*term.Term
	for i, l := range lits {
		if keep[i] {
			out = append(out, l)
		}
	}
	return out, nil
}

// addPredicates adds the atoms of literals that are new.
func (c *cegar) addPredicates(lits []*term.Term) {
	var all []*term.Term
	for _, l := range lits {
		all = append(all, c.cases(l)...)
	}
	for _, l := range all {
		if l.Op() == term.OpNot {
			l = l.Args()[0]
		}
		if l.IsConst() || slices.Contains(c.preds, l) || slices.Contains(c.preds, c.pool.Not(l)) {
			continue
		}
		c.preds = append(c.preds, l)
	}
}

// erringTrace is an abstract trace of the word to a state in which the call
// may err.
func (c *cegar) erringTrace(ctx context.Context, conf *conflict, word [][2]int) ([]int32, error) {
	// The pairs along the word.
	var along []int32
	for at := conf.pair; at >= 0; at = c.pairs[at].parent {
		along = append(along, at)
	}
	slices.Reverse(along)
	n := len(along) - 1
	trace := make([]int32, n+1)
	for _, a := range c.sets.Set(c.pairs[along[n]].u) {
		e, err := c.effect(ctx, a, conf.call)
		if err != nil {
			return nil, err
		}
		if len(e.mayErr) > 0 {
			trace[n] = a
			break
		}
	}
	for i := n - 1; i >= 0; i-- {
		for _, a := range c.sets.Set(c.pairs[along[i]].u) {
			e, err := c.effect(ctx, a, word[i][0])
			if err != nil {
				return nil, err
			}
			if slices.Contains(e.may[word[i][1]], trace[i+1]) {
				trace[i] = a
				break
			}
		}
	}
	return trace, nil
}
