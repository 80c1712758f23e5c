// SPDX-License-Identifier: Apache-2.0

package parts

// This file compares two interfaces of one program on the words that can happen,
// and on no others. Two interfaces say nothing reliable about words that cannot
// happen, and need not tell which they are, so comparing automata
// (typestate.Compare) may find a difference that is none, or classes of results
// that it cannot match. Here the program itself decides: a search over one state
// of each interface and one of the component follows the runs of the component.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// An Agreement is the answer to whether two interfaces of a program are equal.
type Agreement struct {
	Kind typestate.Comparison
	Why  string // if not equal: a word that separates them, or why it is not known
}

// Agree compares two interfaces of p.Program on the words that can happen.
// Comparing them as automata comes first, because that needs no exploration; if
// they are not equal as automata and the states of the component are too many,
// the answer is unknown.
func Agree(ctx context.Context, p problem.Problem, x, y *typestate.Interface) (Agreement, error) {
	if p.Budget == 0 {
		p.Budget = problem.DefaultBudget
	}
	if p.Workers == 0 {
		p.Workers = 1
	}
	if typestate.Compare(x, y).Kind == typestate.CompareEqual {
		return Agreement{Kind: typestate.CompareEqual}, nil
	}
	c, err := p.Explore(ctx)
	if err == nil {
		a := &agreement{ctx: ctx, p: &p, c: c, sides: [2]*side{newSide(p.Program, x), newSide(p.Program, y)}}
		if err = a.search(); err == nil {
			return a.found, nil
		}
	}
	if problem.Undecided(err) {
		return Agreement{Why: "they differ as automata, and the component is too large to tell whether the words that differ can happen: " + err.Error()}, nil
	}
	return Agreement{}, err
}

// A side is an interface that concrete calls are looked up in.
type side struct {
	*factor
	terms    *Multiplier                  // reads guards and outcomes
	outcomes map[*prog.Method][]condition // of edges and constructors
	ctors    map[string][]typestate.Constructor
}

// A condition is a text with its meaning.
type condition struct {
	text string
	term *term.Term
}

func newSide(p *prog.Program, i *typestate.Interface) *side {
	s := &side{newFactor(i), &Multiplier{P: p}, map[*prog.Method][]condition{}, map[string][]typestate.Constructor{}}
	for _, c := range i.Constructors {
		s.ctors[c.ID] = append(s.ctors[c.ID], c)
	}
	return s
}

// call returns the id of the call that arguments choose.
func (s *side) call(k *explore.Call, args []uint64) (string, error) {
	type choice struct{ id, guard string }
	var choices []choice
	if k.Constructor {
		for _, c := range s.Constructors {
			if c.Method == k.Method.Name {
				choices = append(choices, choice{c.ID, c.Guard})
			}
		}
	} else {
		for _, c := range s.Calls {
			if c.Method == k.Method.Name {
				choices = append(choices, choice{c.ID, c.Guard})
			}
		}
	}
	for _, c := range choices {
		if c.guard == "true" {
			return c.id, nil
		}
		t, err := s.terms.Expr(k.Method, k.Method.Params, c.guard)
		if err != nil {
			return "", err
		}
		if evaluate(t, k.Method.Params, args) {
			return c.id, nil
		}
	}
	return "", fmt.Errorf("no guard of %s holds for some arguments", k.Method.Name)
}

func evaluate(t *term.Term, vars []*prog.Var, values []uint64) bool {
	m := term.Model{}
	for k, v := range vars {
		m[v.Term] = term.Value{Lo: values[k]}
	}
	return term.Eval(t, m).Bool()
}

// look returns the verdict of a call, and its edges. The state is -1 for
// constructors.
func (s *side) look(state int, id string) (typestate.Verdict, []typestate.Edge) {
	if state >= 0 {
		here := at{state, id}
		if f := s.forbidden[here]; f != nil {
			v, _ := typestate.ParseVerdict(f.Verdict)
			return v, nil
		}
		if _, ok := s.unknown[here]; ok {
			return typestate.VerdictUnknown, s.edges[here]
		}
		return typestate.VerdictAllowed, s.edges[here]
	}
	var edges []typestate.Edge
	v, _ := typestate.ParseVerdict(s.ctors[id][0].Verdict)
	for _, c := range s.ctors[id] {
		if c.State != nil {
			edges = append(edges, typestate.Edge{Outcome: c.Outcome, To: *c.State})
		}
	}
	return v, edges
}

// follow returns where results lead, -1 if nowhere.
func (s *side) follow(m *prog.Method, edges []typestate.Edge, results []uint64) (int, error) {
	for _, e := range edges {
		if e.Outcome == "*" {
			return e.To, nil
		}
		known := s.outcomes[m]
		n := slices.IndexFunc(known, func(c condition) bool { return c.text == e.Outcome })
		if n < 0 {
			t, err := s.terms.Outcome(m, e.Outcome)
			if err != nil {
				return -1, err
			}
			n = len(known)
			s.outcomes[m] = append(known, condition{e.Outcome, t})
		}
		if evaluate(s.outcomes[m][n].term, m.Results, results) {
			return e.To, nil
		}
	}
	return -1, nil
}

// An agreement is a search for a difference on words that can happen.
type agreement struct {
	ctx     context.Context
	p       *problem.Problem
	c       *explore.Component
	sides   [2]*side
	pairs   [][][2]string // by call of the component: the calls its arguments choose
	queue   []agreementStep
	seen    map[meeting]bool
	unknown string // the first call that is unknown on one side only
	found   Agreement
}

// A meeting is a state of each interface (-1 before construction) and of the
// component.
type meeting struct {
	at [2]int
	x  int32
}

// An agreementStep is a meeting, and how it was first reached.
type agreementStep struct {
	meeting
	parent int
	letter int32
}

// choosePairs finds the calls that arguments choose.
func (a *agreement) choosePairs() error {
	for k := range a.c.Calls {
		call := &a.c.Calls[k]
		var pairs [][2]string
		for _, args := range call.Args {
			var pair [2]string
			for n, s := range a.sides {
				id, err := s.call(call, args)
				if err != nil {
					return err
				}
				pair[n] = id
			}
			if !slices.Contains(pairs, pair) {
				pairs = append(pairs, pair)
			}
		}
		a.pairs = append(a.pairs, pairs)
	}
	return nil
}

// reach adds a meeting that was not seen before.
func (a *agreement) reach(m meeting, parent int, letter int32) {
	if !a.seen[m] {
		a.seen[m] = true
		a.queue = append(a.queue, agreementStep{m, parent, letter})
	}
}

// word writes the shortest word to the n-th meeting, and a call after it.
func (a *agreement) word(n, part int) string {
	k := a.c.Calls[part]
	last := k.Method.Name
	if len(k.Method.Params) > 0 {
		var args []string
		for i, v := range k.Method.Params {
			args = append(args, describe.FormatValue(v.Type, k.Args[0][i]))
		}
		last += "(" + strings.Join(args, ", ") + ")"
	}
	steps := []string{last}
	for ; a.queue[n].parent >= 0; n = a.queue[n].parent {
		steps = append(steps, explicit.LetterText(a.c, int(a.queue[n].letter)))
	}
	slices.Reverse(steps)
	return strings.Join(steps, " ")
}

// search looks for a difference on words that can happen.
func (a *agreement) search() error {
	if err := a.choosePairs(); err != nil {
		return err
	}
	a.seen = map[meeting]bool{}
	for _, x := range a.c.Initial {
		a.reach(meeting{[2]int{-1, -1}, x}, -1, -1)
	}
	for n := 0; n < len(a.queue); n++ {
		if n&0xff == 0 && a.ctx.Err() != nil {
			return context.Cause(a.ctx)
		}
		if len(a.queue) > a.p.Budget {
			return &explore.BudgetError{What: "states of two interfaces and the component", Limit: a.p.Budget}
		}
		here := a.queue[n]
		if !a.c.Expanded(here.x) {
			if err := a.c.Expand(a.ctx, []int32{here.x}); err != nil {
				return err
			}
		}
		for part := range a.c.Calls {
			if a.c.Calls[part].Constructor != (here.at[0] < 0) {
				continue
			}
			for _, pair := range a.pairs[part] {
				if differ, err := a.compare(n, part, pair); differ || err != nil {
					return err
				}
			}
		}
	}
	a.found = Agreement{Kind: typestate.CompareEqual}
	if a.unknown != "" {
		a.found = Agreement{Why: a.unknown}
	}
	return nil
}

// compare compares a call of the component, which is a call of each interface, in the n-th meeting, and reaches the meetings after it. It reports
// whether the interfaces differ.
func (a *agreement) compare(n, part int, pair [2]string) (differ bool, err error) {
	here := a.queue[n]
	var verdict [2]typestate.Verdict
	var edges [2][]typestate.Edge
	for k, s := range a.sides {
		verdict[k], edges[k] = s.look(here.at[k], pair[k])
	}
	switch v, w := verdict[0], verdict[1]; {
	case v == typestate.VerdictAllowed && w.Forbidden(), v.Forbidden() && w == typestate.VerdictAllowed:
		a.found = Agreement{typestate.CompareDifferent, fmt.Sprintf("%s is %v and %v", a.word(n, part), v, w)}
		return true, nil
	case (v == typestate.VerdictUnknown) != (w == typestate.VerdictUnknown) && a.unknown == "":
		a.unknown = fmt.Sprintf("%s is %v and %v", a.word(n, part), v, w)
	case v.Forbidden():
		return false, nil
	}
	for _, e := range a.c.Edges(here.x) {
		if e.Letter < 0 || a.c.Letters[e.Letter].Call != part {
			continue
		}
		to := meeting{x: e.To}
		stays := false
		for k, s := range a.sides {
			if to.at[k], err = s.follow(a.c.Calls[part].Method, edges[k], a.c.Letters[e.Letter].Results); err != nil {
				return false, err
			}
			stays = stays || to.at[k] < 0
		}
		if stays && verdict[0] == typestate.VerdictAllowed && verdict[1] == typestate.VerdictAllowed {
			a.found = Agreement{typestate.CompareDifferent, fmt.Sprintf("%s: one has no edge for what can happen", a.word(n, part))}
			return true, nil
		}
		if !stays {
			a.reach(to, n, e.Letter)
		}
	}
	return false, nil
}
