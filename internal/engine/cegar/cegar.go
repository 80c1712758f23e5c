// SPDX-License-Identifier: Apache-2.0

package cegar

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
//     arguments or results that decides (split.go).
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
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A Pair is a state of the determinized abstraction.
type Pair struct {
	U      int32   // number of a set
	L      []int32 // numbers of sets: an antichain, sorted
	Parent int32
	Letter int // by which it was first reached; -1 at the start
}

// The verdict of a call in a pair.
type PairVerdict struct {
	Verdict typestate.Verdict
	Reason  string // of unknown
	sites   []*prog.ErrorSite
	ends    bool // rests on the convention that loops end
}

type Run struct {
	*predabs.Abstraction
	Sets      automata.Sets
	Pairs     []Pair
	index     map[string]int32
	Next      [][]int32 // by pair and letter: pair, impossible, or rejected
	Verdicts  [][]PairVerdict
	GiveUp    map[string]string // conflict word -> reason
	Rounds    int
	Stale     bool                // the predicates or classes are not those of the pairs
	outOf     string              // why nothing is refined any more
	Extended  map[*term.Term]bool // predicates that were added for a whole chain
	GoesOn    map[*predabs.PartEffect]bool
	ranks     int                             // rankings found
	rankTries map[*explore.Summary]int        // looked for
	rankWork  int                             // questions of the searches that found none
	tries     map[*prog.Method]int            // refinements for the conflicts of a method
	began     map[*prog.Method]savepoint      // before the first of them
	unsure    func(pair int32, call int) bool // which calls that may fail hang on guesses; nil: none
	sureMemo  map[[2]int32]*predabs.Effect
	sums      map[*prog.Var]bool // see isSum
	byOrder   bool               // traces are removed only by orders and invariants of loops
	splitting
	registers
	tightening
}

// Synthesize computes the interface by predicate abstraction. If
// something is left undecided, it is tried again from what errors need, and if nothing
// could be written down, without refinement: calls that never err, or always, are known then. Of a program of which only that is
// asked, what must happen is left out (plain.go).
func Synthesize(ctx context.Context, p *problem.Problem, st problem.Stats) (*typestate.Interface, error) {
	if p.Plain && p.Seeds == nil {
		if i, err := synthesizePlainly(ctx, p, st); i != nil || err != nil {
			return i, err
		}
	}
	i, err := runCegar(ctx, p, st, "")
	var budget *explore.BudgetError
	if p.Seeds == nil && (errors.As(err, &budget) || err == nil && !problem.Complete(i)) {
		more := problem.Stats{}
		q := *p
		q.Needs = true
		j, wrong := runCegar(ctx, &q, more, "")
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if wrong == nil && problem.Proved(j) && (err != nil || len(j.Unknown) < len(i.Unknown)) {
			clear(st)
			maps.Copy(st, more)
			return j, nil
		}
	}
	if errors.As(err, &budget) {
		clear(st)
		i, err = runCegar(ctx, p, st, fmt.Sprintf("the budget of %d %s allows no predicates", p.Questions(), budget.What))
	}
	return i, err
}

// errNothingNeeded is the error of an attempt to start with what errors need where nothing is found.
var errNothingNeeded = errors.New("no predicate is needed by all ways to an error")

// runCegar is one attempt; with a reason why, nothing is refined.
func runCegar(ctx context.Context, p *problem.Problem, st problem.Stats, why string) (*typestate.Interface, error) {
	switch {
	case p.Serial:
		return nil, &problem.Refusal{Engine: "cegar", Reason: "the infinite-word reading (-serial) is for finite components"}
	case p.Solver == nil:
		return nil, &problem.Refusal{Engine: "cegar", Reason: "it needs a solver"}
	}
	m := predabs.New(p)
	defer m.Close()
	if p.Seeds != nil {
		m.Start(p.Seeds)
	}
	if p.Needs {
		if found, err := m.SeedNeeded(ctx); !found || err != nil {
			return nil, cmp.Or(err, errNothingNeeded)
		}
	}
	c := &Run{Abstraction: m, GiveUp: map[string]string{}, Stale: true, Extended: map[*term.Term]bool{}, GoesOn: map[*predabs.PartEffect]bool{}}
	c.outOf = why
	m.Plain = p.MayOnly
	// A part of the budget is kept to write down what is known by then.
	all := m.Limit
	m.Limit = all / refinedShare
	if why != "" {
		m.Limit = all - all/4
	}
	for {
		if c.Rounds++; p.Refinements > 0 && c.Rounds > refinedMethods*p.Refinements {
			c.outOf = cmp.Or(c.outOf, fmt.Sprintf("%d refinements did not decide everything", refinedMethods*p.Refinements))
		}
		done, err := c.Round(ctx)
		var budget *explore.BudgetError
		if errors.As(err, &budget) && c.fewer() {
			c.outOf = fmt.Sprintf("the budget of %d %s allows no more predicates; the last were about %s", all, budget.What, c.AboutLast())
			m.Limit = m.Work + all/4 // for some few times, so that there is an answer
			err = nil
		}
		if err != nil {
			return nil, err
		}
		if done && !c.coarsen() {
			break
		}
	}
	m.Limit = m.Work + all/2
	st["predicates"] = int64(len(c.Preds))
	st["abstractStates"] = int64(len(c.Cubes) - 1)
	st["pairs"] = int64(len(c.Pairs))
	st["refinements"] = int64(c.Rounds - 1)
	if c.splits > 0 {
		st["splits"] = int64(c.splits)
	}
	if err := c.findSure(ctx); err != nil {
		return nil, err
	}
	st["solverQuestions"] = int64(c.Asked)
	return c.Build(ctx, st)
}

// Round explores, and refines what it cannot decide. It reports whether nothing
// was left to do.
func (c *Run) Round(ctx context.Context) (done bool, err error) {
	conflict, err := c.Explore(ctx)
	switch {
	case err != nil:
		return false, err
	case conflict == nil:
		if known, err := c.proveKnown(ctx); !known || err != nil || !c.P.Tight {
			return known, err
		}
		again, err := c.tighten(ctx)
		return err == nil && !again, err
	}
	c.P.Report("predicates", len(c.Preds))
	return false, c.refine(ctx, conflict)
}

// refinedShare is the part of the budget, one of so many, in which
// predicates are refined. In the rest, what the predicates found so far do not decide is unknown.
const refinedShare = 2

// fewer prepares to write down what is known after the budget ran out: with all
// predicates that were found at first, and if these are too many for what is
// left of the budget, with half as many. It reports whether there is anything to
// try.
func (c *Run) fewer() bool {
	if c.outOf != "" {
		if c.Known() == 0 {
			return false
		}
		c.Preds, c.HeadPreds = c.Preds[:len(c.Preds)/2:len(c.Preds)/2], map[predabs.HeadKey][]*term.Term{}
	}
	c.Stale = true
	return true
}

// maxPartial is the number of pairs of an interface with unknown verdicts above
// which it is made again with fewer predicates: one that follows a counter for
// some thousand steps and then does not know says nothing more than one that
// follows it for ten.
const maxPartial = 256

// coarsen halves the predicates of a partial result that is too large, and
// reports whether it did.
func (c *Run) coarsen() bool {
	if len(c.Pairs) <= maxPartial || len(c.Preds) < 2 {
		return false
	}
	reason := ""
	for _, row := range c.Verdicts {
		for _, v := range row {
			if v.Verdict == typestate.VerdictUnknown {
				reason = cmp.Or(reason, v.Reason)
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

// Explore builds the pairs, breadth first, up to the first conflict that is
// not given up. It goes on where it stopped if the predicates are the same.
func (c *Run) Explore(ctx context.Context) (*conflict, error) {
	if c.Stale {
		c.Restart()
	}
	for at := int32(len(c.Next)); int(at) < len(c.Pairs); at++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		// Pairs of few abstract states may be many and cost no question.
		if len(c.Pairs) > c.Limit {
			return nil, &explore.BudgetError{What: "pairs of what may and what must be current", Limit: c.Limit}
		}
		row := make([]int32, c.Letters)
		for i := range row {
			row[i] = explicit.Impossible
		}
		verdicts := make([]PairVerdict, len(c.Calls))
		for k := range c.Calls {
			if c.Calls[k].Constructor != (at == 0) {
				continue
			}
			v, err := c.Judge(ctx, at, k)
			if err != nil {
				return nil, err
			}
			if v.Verdict == typestate.VerdictUnknown {
				conf := &conflict{at, k}
				reason, ok := c.GiveUp[c.wordKey(conf)]
				if !ok {
					reason, ok = c.spentOn(k)
				}
				if !ok && c.outOf == "" {
					return conf, nil
				}
				v.Reason = cmp.Or(reason, c.outOf)
				if v, err = c.judgeEnding(ctx, at, k, v); err != nil {
					return nil, err
				}
			}
			verdicts[k] = v
			for o := range c.Calls[k].Outcomes {
				x := c.Calls[k].Letter + o
				if v.Verdict.Forbidden() {
					row[x] = explicit.Rejected
					continue
				}
				to, err := c.Step2(ctx, at, k, o)
				if err != nil {
					return nil, err
				}
				row[x] = to
			}
		}
		c.Next = append(c.Next, row)
		c.Verdicts = append(c.Verdicts, verdicts)
	}
	return nil, nil
}

// Restart forgets all pairs but the first, and what the predicates say.
func (c *Run) Restart() {
	c.Reset()
	c.Stale = false
	c.Sets = automata.Sets{}
	c.Pairs, c.Next, c.Verdicts = nil, nil, nil
	c.index = map[string]int32{}
	start := c.Sets.ID([]int32{0})
	c.add(Pair{U: start, L: []int32{start}, Parent: -1, Letter: -1})
}

func (c *Run) add(p Pair) int32 {
	var key []byte
	key = binary.LittleEndian.AppendUint32(key, uint32(p.U))
	for _, s := range p.L {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	id, ok := c.index[string(key)]
	if !ok {
		id = int32(len(c.Pairs))
		c.index[string(key)] = id
		c.Pairs = append(c.Pairs, p)
	}
	return id
}

// Judge gives the verdict of a call in a pair; unknown is a conflict.
func (c *Run) Judge(ctx context.Context, at int32, call int) (PairVerdict, error) {
	var v PairVerdict
	p := c.Pairs[at]
	mayReturn := false
	for _, a := range c.Sets.Set(p.U) {
		e, err := c.Effect(ctx, a, call)
		if err != nil {
			return v, err
		}
		mayReturn = mayReturn || e.Returns()
		for _, s := range e.MayErr {
			if !slices.Contains(v.sites, s) {
				v.sites = append(v.sites, s)
			}
		}
	}
	if len(v.sites) == 0 {
		v.Verdict = typestate.VerdictAllowed
		return v, nil
	}
	for _, set := range p.L {
		all := true
		for _, a := range c.Sets.Set(set) {
			e, err := c.Effect(ctx, a, call)
			if err != nil {
				return v, err
			}
			all = all && e.MustErr
		}
		if all {
			v.Verdict = typestate.VerdictFails
			if mayReturn {
				v.Verdict = typestate.VerdictMayFail
			}
			return v, nil
		}
	}
	return v, nil
}

// maxCombinations bounds the sets one member of L steps to.
const maxCombinations = 16

// Step2 returns the pair after a call with an outcome.
func (c *Run) Step2(ctx context.Context, at int32, call, o int) (int32, error) {
	p := c.Pairs[at]
	var u []int32
	for _, a := range c.Sets.Set(p.U) {
		e, err := c.Effect(ctx, a, call)
		if err != nil {
			return 0, err
		}
		u = append(u, e.May[o]...)
	}
	slices.Sort(u)
	u = slices.Compact(u)
	if len(u) == 0 {
		return explicit.Impossible, nil
	}
	ids, err := c.stepFamily(ctx, u, p.L, call, o, c.Effect)
	if err != nil {
		return 0, err
	}
	return c.add(Pair{U: c.Sets.ID(u), L: ids, Parent: at, Letter: c.Calls[call].Letter + o}), nil
}

// stepFamily returns the sets each of which has a current state after a call with an outcome, if
// those of l had before: u is what may be current after it.
func (c *Run) stepFamily(ctx context.Context, u, l []int32, call, o int, effect func(ctx context.Context, a int32, call int) (*predabs.Effect, error)) ([]int32, error) {
	family := [][]int32{u}
	for _, set := range l {
		combos := [][]int32{{}}
		for _, a := range c.Sets.Set(set) {
			e, err := effect(ctx, a, call)
			if err != nil {
				return nil, err
			}
			var next [][]int32
			for _, have := range combos {
				for _, t := range e.Must[o] {
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
			if i != j && explicit.Subset(t, s) && (len(t) < len(s) || j < i) {
				minimal = false
				break
			}
		}
		if minimal {
			ids = append(ids, c.Sets.ID(s))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// word returns the letters of the shortest word to a pair, as (call, outcome).
func (c *Run) word(at int32) [][2]int {
	var w [][2]int
	for p := c.Pairs[at]; p.Parent >= 0; p = c.Pairs[p.Parent] {
		w = append(w, c.CallOf(p.Letter))
	}
	slices.Reverse(w)
	return w
}

func (c *Run) CallOf(letter int) [2]int {
	for k := range c.Calls {
		if letter < c.Calls[k].Letter+len(c.Calls[k].Outcomes) {
			return [2]int{k, letter - c.Calls[k].Letter}
		}
	}
	panic("cegar: no such letter")
}

// wordKey names a conflict by the classes of its word, which are never used again
// for others.
func (c *Run) wordKey(conf *conflict) string {
	var ids []int
	for _, x := range c.word(conf.pair) {
		call := &c.Calls[x[0]]
		ids = append(ids, call.Class, call.Outcomes[x[1]].Id)
	}
	return fmt.Sprint(ids, c.Calls[conf.call].Class)
}

// A WordFormula is a word of calls as formulas over initial values, arguments
// and choices, each call with its own copies.
type WordFormula struct {
	Steps  []wordStep
	states [][]*term.Term // before each step, by state variable
	bound  bool           // loops were unrolled only so far
}

type wordStep struct {
	Call    int
	outcome int        // or how it ends instead
	made    *term.Term // of the call being made: its guard
	cond    *term.Term // of the step's outcome (of an error, for the last)
	Params  []*term.Term
	choices []*term.Term
	results []*term.Term // values of the results, if it returns with an outcome
	// raw conditions over the method's own variables, for predicates
	rawCond *term.Term
	rawVals []*term.Term
	rename  map[*term.Term]*term.Term
}

// How the last call of a word may end, instead of with an outcome.
const (
	EndErrs    = -1
	EndReturns = -2 // with whatever outcome
)

// Conds returns the conditions of the steps.
func (w *WordFormula) Conds() []*term.Term {
	list := make([]*term.Term, len(w.Steps))
	for i := range w.Steps {
		list[i] = w.Steps[i].cond
	}
	return list
}

// Compose builds the formula of a word whose last call errs in a run that is unrolled.
func (c *Run) Compose(word [][2]int, last int) *WordFormula {
	return c.composeWith(word, [2]int{last, EndErrs}, c.Unrolled)
}

// composeRanked is compose, with runs that rankings know of: of these the formula has no choices.
func (c *Run) composeRanked(word [][2]int, last int) *WordFormula {
	return c.composeWith(word, [2]int{last, EndErrs}, c.UnrolledOrRanked)
}

// ComposeEnd builds the formula of a word and a last call.
func (c *Run) ComposeEnd(word [][2]int, last [2]int) *WordFormula {
	return c.composeWith(word, last, c.Unrolled)
}

func (c *Run) composeWith(word [][2]int, last [2]int, unrolled func(sum *explore.Summary, errs bool) predabs.Unrolling) *WordFormula {
	w := &WordFormula{}
	state := make([]*term.Term, len(c.Sym.State))
	for i, v := range c.Sym.State {
		state[i] = v.Term
		if v.Init != nil {
			state[i] = v.Init
		} else {
			state[i] = c.Pool.Var(fmt.Sprintf("\x00init %s", v.Name), v.Type.Sort)
		}
	}
	w.states = append(w.states, state)
	for i, x := range append(slices.Clone(word), last) {
		call := &c.Calls[x[0]]
		u := unrolled(call.Sum, x[1] == EndErrs)
		cond, vals := u.Cond, u.Vals
		w.bound = w.bound || u.Bounded
		step := wordStep{Call: x[0], outcome: x[1], rawCond: c.Pool.And(call.Guard, cond), rawVals: vals}
		if x[1] >= 0 {
			step.rawCond = c.Pool.And(step.rawCond, c.Pool.Substitute(call.Outcomes[x[1]].Cond, predabs.After(call.Sum, vals)))
		}
		sub := map[*term.Term]*term.Term{}
		for k, v := range c.Sym.State {
			sub[v.Term] = state[k]
		}
		step.rename = map[*term.Term]*term.Term{}
		for _, v := range term.FreeVars(append(slices.Clone(vals), call.Guard, step.rawCond)...) {
			if sub[v] != nil {
				continue
			}
			copy := c.Pool.Var(fmt.Sprintf("%s@%d", v.Name(), i), v.Sort())
			sub[v], step.rename[v] = copy, copy
			if slices.ContainsFunc(call.Sum.Method.Params, func(p *prog.Var) bool { return p.Term == v }) {
				step.Params = append(step.Params, copy)
			} else {
				step.choices = append(step.choices, copy)
			}
		}
		step.cond, step.made = c.Pool.Substitute(step.rawCond, sub), c.Pool.Substitute(call.Guard, sub)
		if i > 0 {
			assumed := c.Pool.Substitute(c.Pool.And(c.Assumed, c.Sym.Invariant), sub)
			step.cond, step.made = c.Pool.And(step.cond, assumed), c.Pool.And(step.made, assumed)
		}
		w.Steps = append(w.Steps, step)
		if x[1] >= 0 {
			next := make([]*term.Term, len(state))
			for k := range state {
				next[k] = c.Pool.Substitute(vals[k], sub)
			}
			state = next
			w.states = append(w.states, state)
			final := predabs.After(call.Sum, vals)
			for _, r := range call.Sum.Method.Results {
				step.results = append(step.results, c.Pool.Substitute(final[r.Term], sub))
			}
			w.Steps[i].results = step.results
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
func (c *Run) spentOn(call int) (reason string, ok bool) {
	if c.P.Refinements == 0 || c.tries[c.Calls[call].Sum.Method] < c.P.Refinements {
		return "", false
	}
	return fmt.Sprintf("%d refinements did not decide it", c.P.Refinements), true
}

// refine adds predicates for a conflict, or gives it up.
func (c *Run) refine(ctx context.Context, conf *conflict) error {
	if c.tries == nil {
		c.tries, c.began = map[*prog.Method]int{}, map[*prog.Method]savepoint{}
	}
	method := c.Calls[conf.call].Sum.Method
	if c.tries[method]++; c.tries[method] == 1 {
		c.began[method] = c.save()
	}
	word := c.word(conf.pair)
	w := c.composeRanked(word, conf.call)
	old, before, count, splits, ranks := c.save(), c.Known(), len(c.Preds), c.splits, c.ranks
	same := func() bool { return c.Known() == before && c.splits == splits && c.ranks == ranks }
	limit := c.Limit
	c.Limit = min(limit, c.Work+max(1, c.P.Questions()/refineShare))
	reason, err := c.refineWord(ctx, conf, word, w)
	if err == nil && reason == "" && len(c.Preds)-count > lateChain {
		_, err = c.rememberAlone(ctx, &c.Calls[conf.call], true)
	}
	var budget *explore.BudgetError
	if errors.As(err, &budget) && c.Limit < limit {
		reason, err = "no predicate decides it within its part of the budget", nil
	}
	c.Limit = limit
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
	if len(c.Preds) > predabs.MaxPreds || len(c.Preds) > count && (c.Found() > MaxPredicates || c.chases()) {
		c.restore(old)
		reason = fmt.Sprintf("more than %d predicates are needed; the last were about %s", count, c.AboutLast())
	}
	if reason != "" {
		c.restore(old)
		c.GiveUp[c.wordKey(conf)] = reason
	}
	c.Stale = c.Known() > before || c.splits > splits || c.ranks > ranks
	return nil
}

// AboutLast names the variables of the last predicates.
func (c *Run) AboutLast() string {
	var names []string
	for _, p := range c.Preds[max(0, len(c.Preds)-4):] {
		for _, v := range term.FreeVars(p) {
			if !slices.Contains(names, v.Name()) {
				names = append(names, v.Name())
			}
		}
	}
	return problem.Join(names)
}

// MaxPredicates bounds the predicates of an abstraction: there may be as many abstract states as sets of them.
const MaxPredicates = 32

func (c *Run) refineWord(ctx context.Context, conf *conflict, word [][2]int, w *WordFormula) (string, error) {
	if done, err := c.rememberAlone(ctx, &c.Calls[conf.call], c.tries[c.Calls[conf.call].Sum.Method] > lateTries); done || err != nil {
		return "", err
	}
	if done, err := c.rememberPart(ctx, conf); done || err != nil {
		return "", err
	}
	r, err := c.Check(ctx, w.Conds()...)
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
		runs, err := c.RemoveTrace(ctx, trace, word, [2]int{conf.call, EndErrs})
		if runs {
			return reasonLoop, nil
		}
		return "", err
	}
	if w.bound && len(c.Rankings[c.Calls[conf.call].Sum]) == 0 {
		// Runs that were not followed would be taken for quiet ones.
		switch ends, err := c.errsAtEnd(ctx, conf.pair, conf.call); {
		case err != nil:
			return "", err
		case ends && c.Plain:
			return reasonLoop, nil
		case ends:
			before := c.Known()
			if err := c.ProveRun(ctx, w, r.Model); err != nil || c.Known() > before {
				return "", err
			}
			return reasonLoop, nil
		}
	}
	before := c.Known()
	done, reason, err := c.splitWord(ctx, w, r.Model)
	if done || err != nil {
		return reason, err
	}
	if found, err := c.removeByOrder(ctx, conf, word); found || err != nil {
		return reason, err
	}
	if c.Plain {
		return c.removeReturning(ctx, conf, word, reason)
	}
	// The word errs whatever the arguments and results: make it certain.
	if done, err := c.rememberState(ctx, w, -1, r.Model, false); done || err != nil {
		return "", err
	}
	if err := c.ProveRun(ctx, w, r.Model); err != nil || c.Known() > before {
		return reason, err
	}
	done, more, err := c.splitUneven(ctx, w, r.Model)
	if done || err != nil {
		return more, err
	}
	if err := c.removeQuiet(ctx, conf, word, w); err != nil || c.Known() > before {
		return reason, err
	}
	if done, more, err = c.splitForced(ctx, w, r.Model); done || err != nil {
		return more, err
	}
	return reason, nil
}

// goalOf is the condition, over the variables of step i's method, to take the
// step into an abstract state.
func (c *Run) goalOf(w *WordFormula, i int, to int32) *term.Term {
	s := &w.Steps[i]
	sum := c.Calls[s.Call].Sum
	return c.Pool.And(s.rawCond, c.Cube(c.Cubes[to], predabs.After(sum, s.rawVals)))
}

// literals returns the atoms of a formula as they are in a model, over some
// variables only: others, and choices, take their values of the model. Their
// conjunction implies the formula for these values.
func (c *Run) literals(formula *term.Term, m term.Model, over []*prog.Var) []*term.Term {
	fixed := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(formula) {
		if !predabs.IsVarOf(over, v) {
			fixed[v] = c.Pool.Const(v.Sort(), m[v])
		}
	}
	formula = c.Pool.Substitute(formula, fixed)
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
				lits = append(lits, c.Pool.Not(t))
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
func (c *Run) shrink(ctx context.Context, lits, moved []*term.Term) ([]*term.Term, error) {
	r, err := c.Check(ctx, moved...)
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
		r, err := c.Check(ctx, rest...)
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

// AddPredicates adds the atoms of literals that are new.
func (c *Run) AddPredicates(lits []*term.Term) {
	var all []*term.Term
	for _, l := range lits {
		all = append(all, c.cases(l)...)
	}
	for _, l := range all {
		if l.Op() == term.OpNot {
			l = l.Args()[0]
		}
		if l.IsConst() || slices.Contains(c.Preds, l) || slices.Contains(c.Preds, c.Pool.Not(l)) {
			continue
		}
		c.Preds = append(c.Preds, l)
	}
}

// erringTrace is an abstract trace of the word to a state in which the call
// may err.
func (c *Run) erringTrace(ctx context.Context, conf *conflict, word [][2]int) ([]int32, error) {
	// The pairs along the word.
	var along []int32
	for at := conf.pair; at >= 0; at = c.Pairs[at].Parent {
		along = append(along, at)
	}
	slices.Reverse(along)
	n := len(along) - 1
	trace := make([]int32, n+1)
	for _, a := range c.Sets.Set(c.Pairs[along[n]].U) {
		e, err := c.Effect(ctx, a, conf.call)
		if err != nil {
			return nil, err
		}
		if len(e.MayErr) > 0 {
			trace[n] = a
			break
		}
	}
	for i := n - 1; i >= 0; i-- {
		for _, a := range c.Sets.Set(c.Pairs[along[i]].U) {
			e, err := c.Effect(ctx, a, word[i][0])
			if err != nil {
				return nil, err
			}
			if slices.Contains(e.May[word[i][1]], trace[i+1]) {
				trace[i] = a
				break
			}
		}
	}
	return trace, nil
}
