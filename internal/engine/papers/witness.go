// SPDX-License-Identifier: Apache-2.0

package papers

// This file is the engine of Henzinger, Jhala, Majumdar, "Permissive
// interfaces" (FSE 2005). It keeps two sets of predicates, since what shows an
// interface safe and what shows it permissive may have nothing in common:
//
//	ReconstructMax: the largest automaton that the SAFETY abstraction shows to
//	    be safe, a call being prohibited where some state may err (reconstruct);
//	Check: does the PERMISSIVENESS abstraction show that every prohibited call
//	    errs? If not, a word that ends in a prohibited call is a
//	    counterexample (check);
//	Refine: if the component does not err on it, the safety abstraction must
//	    learn to allow it; if it does, the permissiveness abstraction must
//	    learn that (refine).
//
// A state of the automaton is prohibited from a call for all words that reach
// it, and of these the paper takes any. Here those that the component permits
// are taken first: they change the automaton, and whatever was learned about
// the permissiveness of the old one would be in vain. What a word does is asked
// of its formula and remembered, for it does not depend on predicates.
//
// The method needs VISIBLE DETERMINISM: on a word of calls and results either
// all runs err or none. A word that does both is refused by name; a component
// whose counterexamples all do one or the other is not searched for one.
// Answers are right in any case: "allowed" rests on what may happen only,
// "forbidden" on what must.

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/cegar"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/predicates"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A wordClass is what a component does on a word that ends in a prohibited call.
type wordClass int

const (
	wordErrs     wordClass = iota + 1 // no run returns from the last call
	wordReturns                       // no run errs in it
	wordNotThere                      // it does not get to the last call
)

type inference struct {
	p           *problem.Problem
	safe, perm  *cegar.Run
	classes     map[string]wordClass
	refinements int
}

// SynthesizeWitness is BuildInterface of the paper.
func SynthesizeWitness(ctx context.Context, p *problem.Problem, st problem.Stats) (*typestate.Interface, error) {
	switch {
	case p.Serial:
		return nil, &problem.Refusal{Engine: "witness", Reason: "the infinite-word reading (-serial) is for finite components"}
	case p.Solver == nil:
		return nil, &problem.Refusal{Engine: "witness", Reason: "it needs a solver"}
	}
	abstraction := func(scope predabs.MustScope) (*cegar.Run, error) {
		m := predabs.NewAsking(p, scope)
		if err := m.Give(p.Predicates); err != nil {
			m.Close()
			return nil, err
		}
		return newPairsOf(m), nil
	}
	safe, err := abstraction(predabs.MustNone)
	if err != nil {
		return nil, err
	}
	defer safe.Abs.Close()
	perm, err := abstraction(predabs.MustAll)
	if err != nil {
		return nil, err
	}
	defer perm.Abs.Close()
	f := &inference{p: p, safe: safe, perm: perm, classes: map[string]wordClass{}}
	if err := safe.Graph.Reconstruct(ctx); err != nil {
		return nil, err
	}
	for {
		cexs, err := f.check(ctx)
		if err != nil {
			return nil, err
		}
		if len(cexs) == 0 {
			break
		}
		again, err := f.refine(ctx, cexs)
		if err != nil {
			return nil, err
		}
		if again {
			if err := safe.Graph.Reconstruct(ctx); err != nil {
				return nil, err
			}
		}
	}
	st["safetyPredicates"] = int64(len(safe.Abs.Preds))
	st["permissivenessPredicates"] = int64(len(perm.Abs.Preds))
	st["abstractStates"] = int64(len(safe.Abs.Cubes) + len(perm.Abs.Cubes) - 2)
	st["refinements"] = int64(f.refinements)
	st["solverQuestions"] = int64(safe.Abs.Asked + perm.Abs.Asked)
	if p.Tight {
		return f.tighten(ctx, st)
	}
	i, err := safe.Build(ctx, st)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{problem.OmittedCertificate, problem.OmittedLarge} {
		delete(i.Stats, name)
	}
	i.Certificate, err = f.certificate(ctx, i.Core())
	if i.Certificate == nil {
		problem.Stats(i.Stats).Omitted(problem.OmittedLarge)
	}
	return i, err
}

// together is the abstraction by the predicates of both.
func (f *inference) together() *cegar.Run {
	c := newPairsOf(predabs.New(f.p))
	c.Abs.Preds = slices.Clone(f.safe.Abs.Preds)
	c.Finder.Add(f.perm.Abs.Preds)
	for _, from := range []*cegar.Run{f.safe, f.perm} {
		c.Finder.AdoptHeads(from.Abs)
	}
	c.Graph.Stale = true
	return c
}

// tighten is BuildInterface' of the paper: edges that cannot happen after all words
// that reach them give more predicates.
func (f *inference) tighten(ctx context.Context, st problem.Stats) (*typestate.Interface, error) {
	c := f.together()
	defer c.Abs.Close()
	if len(c.Abs.Preds) > predabs.MaxPreds {
		return nil, &solve.UndecidedError{Reason: fmt.Sprintf("more than %d predicates are needed", predabs.MaxPreds)}
	}
	before := len(c.Abs.Preds)
	for {
		c.Rounds++
		done, err := c.Round(ctx)
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	st["tightnessPredicates"] = int64(len(c.Abs.Preds) - before)
	st["abstractStates"] = int64(len(c.Abs.Cubes) - 1)
	st["refinements"] += int64(c.Rounds - 1)
	st["solverQuestions"] += int64(c.Abs.Asked)
	return c.Build(ctx, st)
}

// certificate returns the certificate of the interface with this core. Labels
// of the two abstractions together are the labels of the abstraction by all
// predicates, so the pairs of that one are the evidence; there is none if it
// takes too long, or if what two abstractions show one does not.
func (f *inference) certificate(ctx context.Context, core []byte) (*typestate.Certificate, error) {
	c := f.together()
	defer c.Abs.Close()
	if len(c.Abs.Preds) > predabs.MaxPreds {
		return nil, nil
	}
	conf, err := c.Explore(ctx)
	if conf != nil || problem.Undecided(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	i, err := c.Build(ctx, problem.Stats{})
	if problem.Undecided(err) {
		return nil, nil
	}
	if err != nil || !bytes.Equal(i.Core(), core) {
		return nil, err
	}
	return i.Certificate, nil
}

// A checked is a pair (state of the automaton, pair of the permissiveness abstraction) that check visits, with
// the edges into it.
type checked struct {
	s, p int32
	into []checkedEdge
}

type checkedEdge struct {
	from   int // node
	letter [2]int
}

// An openCell is a prohibited call in a node that is not shown to err.
type openCell struct{ node, call int }

// check searches the pairs (state of the automaton, pair of the permissiveness
// abstraction) for prohibited calls that are not shown to err, and returns the
// words to them, one for each way into such a pair. If there is none, the
// verdicts of the automaton are told whether a call always fails.
func (f *inference) check(ctx context.Context) ([][][2]int, error) {
	s, p := f.safe, f.perm
	p.Graph.Restart()
	nodes := []checked{{}}
	index := map[[2]int32]int{{0, 0}: 0}
	var open []openCell
	mayReturn := map[[2]int32]bool{} // (state, call)
	for at := 0; at < len(nodes); at++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if at > f.p.Budget {
			return nil, &explore.BudgetError{What: "pairs in a check of permissiveness", Limit: f.p.Budget}
		}
		n := nodes[at]
		for k := range s.Abs.Calls {
			if s.Abs.Calls[k].Constructor != (at == 0) {
				continue
			}
			if s.Graph.Verdicts[n.s][k].Verdict != typestate.VerdictAllowed {
				v, err := p.Graph.Judge(ctx, n.p, k)
				if err != nil {
					return nil, err
				}
				if !v.Verdict.Forbidden() {
					open = append(open, openCell{at, k})
				}
				if v.Verdict != typestate.VerdictFails {
					mayReturn[[2]int32{n.s, int32(k)}] = true
				}
				continue
			}
			for o := range s.Abs.Calls[k].Outcomes {
				to := s.Graph.Next[n.s][s.Abs.Calls[k].Letter+o]
				if to < 0 {
					continue
				}
				next, err := p.Graph.Successor(ctx, n.p, k, o)
				if err != nil {
					return nil, err
				}
				if next == explicit.Impossible {
					continue
				}
				id, ok := index[[2]int32{to, next}]
				if !ok {
					id = len(nodes)
					index[[2]int32{to, next}] = id
					nodes = append(nodes, checked{s: to, p: next})
				}
				nodes[id].into = append(nodes[id].into, checkedEdge{at, [2]int{k, o}})
			}
		}
	}
	words := wordsInto(nodes, open)
	if len(words) == 0 {
		for at := range s.Graph.Verdicts {
			for k := range s.Graph.Verdicts[at] {
				if v := &s.Graph.Verdicts[at][k]; v.Verdict == typestate.VerdictMayFail && !mayReturn[[2]int32{int32(at), int32(k)}] {
					v.Verdict = typestate.VerdictFails
				}
			}
		}
	}
	return words, nil
}

// wordsInto returns the words to open cells, one for each edge into their nodes.
func wordsInto(nodes []checked, open []openCell) [][][2]int {
	var out [][][2]int
	for _, c := range open {
		ways := nodes[c.node].into
		if len(ways) == 0 {
			out = append(out, [][2]int{{c.call, words.EndErrs}})
		}
		for _, e := range ways {
			word := [][2]int{{c.call, words.EndErrs}, e.letter}
			for n := e.from; n > 0; n = nodes[n].into[0].from {
				word = append(word, nodes[n].into[0].letter)
			}
			slices.Reverse(word)
			out = append(out, word)
		}
	}
	return out
}

// refine learns from one of the counterexamples. It reports whether the
// automaton must be built anew.
func (f *inference) refine(ctx context.Context, words [][][2]int) (bool, error) {
	choice := -1
	for i, w := range words {
		c, err := f.classify(ctx, w)
		if err != nil {
			return false, err
		}
		if c == wordReturns {
			choice = i
			break
		}
	}
	name, c := "safety", f.safe
	if choice < 0 {
		name, c = "permissiveness", f.perm
		choice = 0
	}
	word := words[choice]
	before, count := len(c.Abs.Preds), c.Abs.Known()
	if err := f.learn(ctx, c, word); err != nil {
		return false, err
	}
	if c.Abs.Known() == count {
		return false, &solve.UndecidedError{Reason: fmt.Sprintf("no predicate decides %s%s", f.callName(word), f.after(word))}
	}
	if len(c.Abs.Preds) > predabs.MaxPreds || c.Finder.Found() > predicates.Max {
		return false, &solve.UndecidedError{Reason: fmt.Sprintf("more than %d predicates are needed; the last were about %s", before, c.Finder.AboutLast())}
	}
	f.refinements++
	f.p.Report("predicates", len(f.safe.Abs.Preds)+len(f.perm.Abs.Preds))
	if f.p.Refined != nil {
		r := problem.Refinement{Abstraction: name, Word: f.calls(word)}
		for _, t := range c.Abs.Preds[before:] {
			r.Predicates = append(r.Predicates, prog.FormatExpr(f.p.Program, c.Abs.Sym.State, t))
		}
		f.p.Refined(r)
	}
	return name == "safety", nil
}

// learn adds predicates to an abstraction that refute its trace of the word
// that the component does not have.
func (f *inference) learn(ctx context.Context, c *cegar.Run, word [][2]int) error {
	n := len(word) - 1
	last := word[n][0]
	w := words.Compose(c.Abs, word[:n], last)
	if c == f.safe {
		trace, err := c.Graph.ErringTrace(ctx, last, word[:n])
		if err != nil || trace == nil {
			return err
		}
		_, err = c.Finder.RemoveTrace(ctx, trace, word[:n], [2]int{last, words.EndErrs})
		return err
	}
	trace, err := c.Graph.TraceOf(ctx, word[:n], func(a int32) (bool, error) {
		e, err := c.Abs.Effect(ctx, a, last)
		return err == nil && !e.MustErr && e.Returns(), err
	})
	if err != nil {
		return err
	}
	before := c.Abs.Known()
	if trace != nil {
		if _, err := c.Finder.RemoveTrace(ctx, trace, word[:n], [2]int{last, words.EndReturns}); err != nil || c.Abs.Known() > before {
			return err
		}
	}
	// No trace of the abstraction that returns is refuted by a predicate of
	// its own: make the erring run certain instead.
	r, err := c.Abs.Check(ctx, w.Conds()...)
	if err != nil || r.Verdict != solve.Sat {
		return err
	}
	return c.Finder.ProveRun(ctx, w, r.Model)
}

// classify finds out what the component does on a word, or refuses it.
func (f *inference) classify(ctx context.Context, word [][2]int) (wordClass, error) {
	key := fmt.Sprint(word)
	if c := f.classes[key]; c != 0 {
		return c, nil
	}
	n := len(word) - 1
	c := f.perm
	errs := words.Compose(c.Abs, word[:n], word[n][0])
	returns := words.ComposeEnd(c.Abs, word[:n], [2]int{word[n][0], words.EndReturns})
	ask := func(ts ...*term.Term) (bool, error) {
		r, err := c.Abs.Check(ctx, ts...)
		return r.Verdict == solve.Sat, err
	}
	there, err := ask(errs.Conds()[:n]...)
	if err != nil {
		return 0, err
	}
	mayErr, err := ask(errs.Conds()...)
	if err != nil {
		return 0, err
	}
	mayReturn, err := ask(returns.Conds()...)
	if err != nil {
		return 0, err
	}
	class := wordErrs
	switch {
	case mayErr && mayReturn:
		return 0, f.mixed(ctx, word, errs, returns)
	case !there:
		class = wordNotThere
	case !mayErr:
		class = wordReturns
	}
	f.classes[key] = class
	return class, nil
}

// mixed says why a component that both errs and returns on a word is refused.
func (f *inference) mixed(ctx context.Context, word [][2]int, errs, returns *words.Formula) error {
	c := f.perm
	name, after := f.callName(word), f.after(word)
	for _, x := range word[:len(word)-1] {
		if c.Abs.Calls[x[0]].Inexact {
			return &problem.Refusal{Engine: "witness", Reason: fmt.Sprintf("whether %s errs%s may depend on an integer result of %s", name, after, c.Abs.Calls[x[0]].Sum.Method.Name)}
		}
	}
	// The same arguments, other choices.
	params := map[*term.Term]bool{}
	who := ""
	for i := range errs.Steps {
		for _, s := range [][]*term.Term{errs.Steps[i].Params, returns.Steps[i].Params} {
			for _, v := range s {
				params[v] = true
				who = c.Abs.Calls[errs.Steps[i].Call].Sum.Method.Name
			}
		}
	}
	sub := map[*term.Term]*term.Term{}
	for _, v := range term.FreeVars(returns.Conds()...) {
		if !params[v] {
			sub[v] = c.Abs.Pool.Var(v.Name()+"'", v.Sort())
		}
	}
	r, err := c.Abs.Check(ctx, append(errs.Conds(), c.Abs.Pool.SubstituteAll(returns.Conds(), sub)...)...)
	switch {
	case err != nil:
		return err
	case r.Verdict == solve.Sat:
		return &problem.Refusal{Engine: "witness", Reason: fmt.Sprintf("not visibly deterministic: %s may err and may return%s", name, after)}
	}
	return &problem.Refusal{Engine: "witness", Reason: fmt.Sprintf("whether %s errs%s depends on the arguments of %s", name, after, who)}
}

func (f *inference) callName(word [][2]int) string {
	return f.perm.Abs.Calls[word[len(word)-1][0]].Sum.Method.Name
}

// after says for people what comes before the last call of a word.
func (f *inference) after(word [][2]int) string {
	if list := f.calls(word[:len(word)-1]); len(list) > 0 {
		return " after " + strings.Join(list, " ")
	}
	return ""
}

// calls writes the letters of a word; the constructor is left out if there is
// no other.
func (f *inference) calls(word [][2]int) []string {
	var out []string
	for _, x := range word {
		call := &f.perm.Abs.Calls[x[0]]
		if call.Constructor && len(f.p.Program.Constructors) < 2 {
			continue
		}
		name := call.Sum.Method.Name
		if x[1] >= 0 && len(call.Outcomes) > 1 {
			name += "=" + call.Outcomes[x[1]].Name
		}
		out = append(out, name)
	}
	return out
}
