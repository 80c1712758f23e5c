// SPDX-License-Identifier: Apache-2.0

package explicit

// This file turns a table into an interface: prune dead ends (-serial), reduce
// with don't-cares (unless -tight), merge integer results that make no difference
// into outcomes, merge argument classes that make no difference into calls, and
// write it all down. It is shared by all engines and depends on
// nothing but the table, so engines that compute the same table give the same
// bytes.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// A call is a method or constructor with the argument classes that one guard
// covers.
type call struct {
	method      *prog.Method
	constructor bool
	parts       []int // calls of the component
	id, guard   string
	outcomes    []outcome
	// target[state][outcome] is the next state, or rejected or impossible;
	// the row is all rejected iff the call is forbidden.
	target [][]int32
}

// An outcome is a class of result tuples.
type outcome struct {
	name    string
	results []int // indices of result tuples
}

// A builder collects the interface.
type builder struct {
	p       *problem.Problem
	c       *explore.Component
	dfa     *automata.DFA
	calls   []*call
	state   []int32           // dfa state -> state of the interface, or -1
	states  []int32           // state of the interface -> dfa state
	deadEnd map[letterAt]bool // cut by pruning
	// outcomeOf[letter] is the name of its outcome
	outcomeOf []string
}

// A letterAt is a letter of the component in a dfa state.
type letterAt struct{ letter, state int32 }

// Build writes the interface of a table.
func Build(ctx context.Context, p *problem.Problem, t *Table, st problem.Stats) (*typestate.Interface, error) {
	b := &builder{p: p, c: t.component, dfa: t.DFA, deadEnd: map[letterAt]bool{}}
	if p.Serial {
		b.prune()
	}
	tight := "yes"
	if !p.Tight {
		states := b.dfa.States()
		if !b.reduce() {
			st["minimalityUnproved"] = 1
		}
		if b.dfa.States() != states {
			tight = "no"
		}
	}
	b.number()
	b.merge()
	if err := b.nameCalls(ctx); err != nil {
		return nil, err
	}
	i := b.write()
	i.Guarantees = typestate.Guarantees{Safe: "proved", Permissive: "proved", Tight: tight}
	if err := b.annotate(ctx, i); err != nil {
		return nil, err
	}
	st["states"] = int64(len(i.States))
	var err error
	if i.Certificate, err = b.certify(ctx); err != nil && !problem.Undecided(err) {
		return nil, err
	}
	i.Stats = st
	if err := i.Canonicalize(); err != nil {
		return nil, fmt.Errorf("internal error: the interface is broken: %w", err)
	}
	return i, nil
}

// prune forbids calls that may lead to states from which the client cannot go
// on for ever: every continuation errs or does not return.
func (b *builder) prune() {
	group := make([]int, len(b.c.Letters))
	for x, l := range b.c.Letters {
		group[x] = l.Call
	}
	d := b.dfa
	losing := automata.Prune(&automata.Game{DFA: d, Calls: len(b.c.Calls), Group: group}).Losing
	pruned := &automata.DFA{Letters: d.Letters, Next: slices.Clone(d.Next), Out: slices.Clone(d.Out)}
	reject := int32(slices.Index(d.Out, automata.Reject))
	if reject < 0 { // nothing errs, but calls may never return
		reject = int32(d.States())
		pruned.Out = append(pruned.Out, automata.Reject)
		for range d.Letters {
			pruned.Next = append(pruned.Next, reject)
		}
	}
	var cut []letterAt
	for s := range int32(d.States()) {
		if Absorbing(d.Out[s]) || losing[s] && s != 0 {
			continue // losing states are not reached any more
		}
		for _, call := range b.c.Calls {
			dead := false
			for _, x := range call.Letters {
				if to := d.Step(s, x); d.Out[to] == automata.Accept && losing[to] {
					cut = append(cut, letterAt{int32(x), s})
					dead = true
				}
			}
			if dead {
				for _, x := range call.Letters {
					pruned.Next[int(s)*d.Letters+x] = reject
				}
			}
		}
	}
	m, class := automata.MinimizeMap(pruned)
	for _, c := range cut {
		if class[c.state] >= 0 {
			b.deadEnd[letterAt{c.letter, class[c.state]}] = true
		}
	}
	b.dfa = m
}

// reduce merges states that no word that can happen tells apart, and reports
// whether it is proved that fewer states do not suffice.
//
// A call that never returns in a state leaves no letter there that can happen,
// so letters alone would let the state merge with one in which the call is
// forbidden. Such calls get a letter more, for the question whether they may be
// made at all.
func (b *builder) reduce() (minimal bool) {
	d := b.dfa
	asked := b.asked()
	if len(asked) > 0 {
		d = b.withQuestions(asked)
	}
	r, at, minimal := automata.Cover(d)
	if len(asked) > 0 {
		next := make([]int32, 0, r.States()*b.dfa.Letters)
		for s := range r.States() {
			next = append(next, r.Next[s*r.Letters:s*r.Letters+b.dfa.Letters]...)
		}
		plain, class := automata.MinimizeMap(&automata.DFA{Letters: b.dfa.Letters, Next: next, Out: r.Out})
		for _, list := range at {
			for k, s := range list {
				list[k] = class[s]
			}
		}
		r = plain
	}
	dead := map[letterAt]bool{}
	for k := range b.deadEnd {
		for _, s := range at[k.state] {
			dead[letterAt{k.letter, s}] = true
		}
	}
	b.dfa, b.deadEnd = r, dead
	return minimal
}

// status is the verdict of a call in a dfa state in which it can be made:
// Reject, Accept, or Impossible if it is allowed and never returns.
func (b *builder) status(s int32, call *explore.Call) automata.Verdict {
	v := automata.Impossible
	for _, x := range call.Letters {
		if out := b.dfa.Out[b.dfa.Step(s, x)]; out != automata.Impossible {
			v = out
		}
	}
	return v
}

// asked lists the calls that never return in some state and are forbidden in
// another.
func (b *builder) asked() []int {
	var asked []int
	for k := range b.c.Calls {
		call := &b.c.Calls[k]
		never, forbidden := false, false
		for s, out := range b.dfa.Out {
			if !Absorbing(out) && (s == 0) == call.Constructor {
				v := b.status(int32(s), call)
				never = never || v == automata.Impossible
				forbidden = forbidden || v == automata.Reject
			}
		}
		if never && forbidden {
			asked = append(asked, k)
		}
	}
	return asked
}

// withQuestions is the dfa with a letter for each of the calls: Reject if the
// call is forbidden, Accept (and nothing after it) if it is allowed.
func (b *builder) withQuestions(asked []int) *automata.DFA {
	told := int32(b.dfa.States())
	reject := int32(slices.Index(b.dfa.Out, automata.Reject))
	never := int32(slices.Index(b.dfa.Out, automata.Impossible))
	d := &automata.DFA{Letters: b.dfa.Letters + len(asked), Out: append(slices.Clone(b.dfa.Out), automata.Accept)}
	for s := range told {
		d.Next = append(d.Next, b.dfa.Next[int(s)*b.dfa.Letters:(int(s)+1)*b.dfa.Letters]...)
		for _, k := range asked {
			to := told
			switch call := &b.c.Calls[k]; {
			case Absorbing(b.dfa.Out[s]):
				to = s
			case (s == 0) != call.Constructor:
				to = never
			case b.status(s, call) == automata.Reject:
				to = reject
			}
			d.Next = append(d.Next, to)
		}
	}
	for range d.Letters {
		d.Next = append(d.Next, never)
	}
	return d
}

// number gives the states of the interface their preliminary numbers.
func (b *builder) number() {
	b.state = make([]int32, b.dfa.States())
	for s := range b.state {
		b.state[s] = -1
		if b.dfa.Out[s] == automata.Accept {
			b.state[s] = int32(len(b.states))
			b.states = append(b.states, int32(s))
		}
	}
}

// sources are the dfa states in which calls of the kind can be made.
func (b *builder) sources(constructor bool) []int32 {
	if constructor {
		return []int32{0}
	}
	return b.states
}

func (b *builder) result(s int32, letter int) int32 {
	to := b.dfa.Step(s, letter)
	switch b.dfa.Out[to] {
	case automata.Reject:
		return Rejected
	case automata.Impossible:
		return Impossible
	}
	return b.state[to]
}

// maxGuardWork bounds the argument tuples that guards are made of, counted for
// each guard again.
const maxGuardWork = 1 << 24

// nameCalls gives calls their ids and guards.
func (b *builder) nameCalls(ctx context.Context) error {
	work := 0
	count := map[*prog.Method]int{}
	total := map[*prog.Method]int{}
	for _, k := range b.calls {
		total[k.method]++
	}
	for _, k := range b.calls {
		count[k.method]++
		k.id, k.guard = k.method.Name, "true"
		if n := count[k.method]; n > 1 {
			k.id = fmt.Sprintf("%s#%d", k.method.Name, n)
		}
		if total[k.method] == 1 {
			continue
		}
		var points [][]uint64
		var member []bool
		for _, other := range b.calls {
			if other.method != k.method {
				continue
			}
			for _, part := range other.parts {
				for _, args := range b.c.Calls[part].Args {
					points = append(points, args)
					member = append(member, other == k)
				}
			}
		}
		if work += len(points); work > maxGuardWork {
			return &explore.BudgetError{What: "argument tuples in guards", Limit: maxGuardWork}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// Which arguments were found to be alike must not show in the text.
		order := make([]int, len(points))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(x, y int) int { return slices.Compare(points[x], points[y]) })
		sorted, in := make([][]uint64, len(points)), make([]bool, len(points))
		for i, n := range order {
			sorted[i], in[i] = points[n], member[n]
		}
		k.guard = describe.Describe(b.c.Prog, k.method.Params, describe.GoConditions(k.method), sorted, in)
	}
	return nil
}

// write makes the core of the interface.
func (b *builder) write() *typestate.Interface {
	i := &typestate.Interface{
		Format: typestate.Format,
		Component: typestate.Component{
			Language: "open",
			Name:     b.c.Prog.Name,
			Errors:   ErrorKinds(b.c.Sites),
			Program:  b.c.Prog.Hash(),
			Serial:   b.p.Serial,
		},
	}
	for _, k := range b.calls {
		params, types := []string{}, []string{}
		for _, v := range k.method.Params {
			params, types = append(params, v.Name), append(types, v.Type.String())
		}
		if k.constructor {
			b.writeConstructor(i, k, params, types)
			continue
		}
		c := typestate.Call{ID: k.id, Method: k.method.Name, Params: params, Types: types, Guard: k.guard}
		for _, o := range k.outcomes {
			c.Outcomes = append(c.Outcomes, o.name)
		}
		i.Calls = append(i.Calls, c)
		for s, row := range k.target {
			if row[0] == Rejected {
				i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: s, Call: k.id, Verdict: "fails"})
				continue
			}
			for o, to := range row {
				if to >= 0 {
					i.Edges = append(i.Edges, typestate.Edge{From: s, Call: k.id, Outcome: k.outcomes[o].name, To: int(to)})
				}
			}
		}
	}
	for s := range b.states {
		i.States = append(i.States, typestate.State{ID: s, Registers: []typestate.Register{}})
	}
	return i
}

func (b *builder) writeConstructor(i *typestate.Interface, k *call, params, types []string) {
	entry := typestate.Constructor{ID: k.id, Method: k.method.Name, Params: params, Types: types, Guard: k.guard, Verdict: "allowed"}
	row := k.target[0]
	if row[0] == Rejected {
		entry.Verdict = "fails"
		i.Constructors = append(i.Constructors, entry)
		return
	}
	var feasible []int
	for o, to := range row {
		if to >= 0 {
			feasible = append(feasible, o)
		}
	}
	if len(feasible) == 0 { // it never returns
		i.Constructors = append(i.Constructors, entry)
		return
	}
	same := true
	for _, o := range feasible {
		same = same && row[o] == row[feasible[0]]
	}
	for n, o := range feasible {
		e := entry
		to := int(row[o])
		e.State, e.Outcome = &to, k.outcomes[o].name
		if same {
			e.Outcome = "*"
		}
		if n == 0 || !same {
			i.Constructors = append(i.Constructors, e)
		}
	}
}

// ErrorKinds lists the kinds of some error sites, sorted.
func ErrorKinds(sites []*prog.ErrorSite) []string {
	kinds := []string{}
	for _, s := range sites {
		if !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// LetterText is a letter as people write it in a word.
func LetterText(c *explore.Component, x int) string {
	l := c.Letters[x]
	k := c.Calls[l.Call]
	s := k.Method.Name
	if len(k.Args) > 0 && len(k.Method.Params) > 0 {
		var args []string
		for i, v := range k.Method.Params {
			args = append(args, describe.FormatValue(v.Type, k.Args[0][i]))
		}
		s += "(" + strings.Join(args, ", ") + ")"
	}
	if len(l.Results) > 0 {
		var res []string
		for i, v := range k.Method.Results {
			res = append(res, describe.FormatValue(v.Type, l.Results[i]))
		}
		if len(res) == 1 {
			s += "=" + res[0]
		} else {
			s += "=(" + strings.Join(res, ", ") + ")"
		}
	}
	return s
}
