// SPDX-License-Identifier: Apache-2.0

package synth

// This file runs a method and makes an interface of the automaton.

import (
	"context"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/learn"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/typestate"
)

// Names that every interface of a model has.
const (
	Language    = "model"
	Constructor = "new"    // the start of the system
	Outcome     = "return" // an action has no results
	ErrorKind   = "error"
)

// The methods.
const (
	BySets     = "sets"
	ByLearning = "learn"
)

// Limits.
const (
	// DefaultBudget bounds the sets that are followed: about 100 bytes each, and their members.
	DefaultBudget = 4_000_000
	// learnFrom is from how many sets on the interface is learned, which may need far fewer.
	learnFrom = 200_000
)

// A Problem is a system and what its interface is asked for.
type Problem struct {
	System  *lts.System
	Visible []string // actions of the interface; others are hidden
	Tight   bool     // words that no trace has are impossible, and not legal
	Budget  int      // sets of states; 0 is DefaultBudget
	Method  string   // BySets, ByLearning, or "": sets, and learning where these are many
	Learner learn.Learner
	Seed    uint64 // the order in which a learner tries letters
}

// Interface finds the minimal safe and permissive interface. What it says is claimed.
func Interface(ctx context.Context, p Problem) (*typestate.Interface, error) {
	d, stats, err := p.Automaton(ctx)
	if err != nil {
		return nil, err
	}
	b := &builder{Problem: p, d: d, visible: slices.Sorted(slices.Values(p.Visible))}
	i := b.write()
	i.Stats = stats
	i.Stats["states"] = int64(len(i.States))
	if err := b.annotate(ctx, i); err != nil {
		return nil, err
	}
	if err := i.Canonicalize(); err != nil {
		return nil, err
	}
	return i, i.Validate()
}

// Automaton is the minimal automaton of the interface over the sorted visible actions: Accept
// for legal words, Reject for illegal ones, and if Tight is set Impossible.
func (p Problem) Automaton(ctx context.Context) (*automata.DFA, map[string]int64, error) {
	letters := slices.Sorted(slices.Values(p.Visible))
	visible := make([]int32, len(p.System.Alphabet))
	for a, name := range p.System.Alphabet {
		visible[a] = -1
		if x, ok := slices.BinarySearch(letters, name); ok {
			visible[a] = int32(x)
		}
	}
	if p.Budget == 0 {
		p.Budget = DefaultBudget
	}
	v := newView(p.System, visible, len(letters), p.Tight)
	stats := map[string]int64{"componentStates": int64(p.System.States())}
	d, k, err := p.decide(ctx, v, stats)
	if err != nil {
		return nil, nil, err
	}
	stats["knowledgeSets"] = int64(k.sets.Len())
	return automata.Minimize(d), stats, nil
}

// decide chooses a method.
func (p Problem) decide(ctx context.Context, v *view, stats map[string]int64) (*automata.DFA, *knowledge, error) {
	if p.Method != ByLearning {
		budget := p.Budget
		if p.Method == "" {
			budget = min(budget, learnFrom)
		}
		k := newKnowledge(v, p.Tight, budget)
		d, err := k.determinize(ctx)
		if err == nil || p.Method == BySets || ctx.Err() != nil {
			return d, k, err
		}
	}
	l := p.Learner
	if l.Run == nil {
		l = learn.Learners()[1]
	}
	k := newKnowledge(v, p.Tight, p.Budget)
	d, s, err := learning{l, p.Seed}.run(ctx, k)
	stats["membershipQueries"], stats["equivalenceQueries"] = int64(s.Queries), int64(s.Equivalences)
	return d, k, err
}

// Plain is the interface of an automaton over sorted actions, without witnesses and guarantees.
func Plain(name string, visible []string, d *automata.DFA) *typestate.Interface {
	b := &builder{Problem: Problem{System: &lts.System{Name: name}}, d: d, visible: visible}
	i := b.write()
	i.Guarantees = typestate.Guarantees{Safe: typestate.GuaranteeUnknown, Permissive: typestate.GuaranteeUnknown, Tight: typestate.GuaranteeUnknown}
	return i
}

type builder struct {
	Problem
	d       *automata.DFA
	visible []string
	number  []int   // by state of d: that of the interface, or -1
	states  []int32 // by state of the interface: that of d
}

func (b *builder) write() *typestate.Interface {
	i := &typestate.Interface{
		Format:    typestate.Format,
		Component: typestate.Component{Language: Language, Name: b.System.Name, Errors: []string{ErrorKind}},
	}
	b.number = make([]int, b.d.States())
	for s, v := range b.d.Out {
		b.number[s] = -1
		if v == automata.Accept {
			b.number[s] = len(b.states)
			b.states = append(b.states, int32(s))
			i.States = append(i.States, typestate.State{ID: b.number[s]})
		}
	}
	start := typestate.Constructor{ID: Constructor, Method: Constructor, Guard: "true"}
	if b.d.Out[0] == automata.Accept {
		start.Verdict, start.Outcome, start.State = typestate.VerdictAllowed.String(), "*", new(int)
	} else {
		start.Verdict = typestate.VerdictFails.String()
	}
	i.Constructors = []typestate.Constructor{start}
	for _, name := range b.visible {
		i.Calls = append(i.Calls, typestate.Call{ID: callName(name), Method: callName(name), Guard: "true", Outcomes: []string{Outcome}})
	}
	for n, s := range b.states {
		for x := range b.visible {
			to := b.d.Step(s, x)
			switch b.d.Out[to] {
			case automata.Accept:
				i.Edges = append(i.Edges, typestate.Edge{From: n, Call: i.Calls[x].ID, Outcome: "*", To: b.number[to]})
			case automata.Reject:
				i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: n, Call: i.Calls[x].ID, Verdict: typestate.VerdictMayFail.String()})
			}
		}
	}
	i.Guarantees = typestate.Guarantees{Safe: typestate.GuaranteeClaimed, Permissive: typestate.GuaranteeClaimed, Tight: typestate.GuaranteeUnknown}
	if b.Tight {
		i.Guarantees.Tight = typestate.GuaranteeClaimed
	}
	return i
}

// callName is the name of an action as a call: "#" separates the calls of one method.
func callName(action string) string { return strings.ReplaceAll(action, "#", "%23") }
