// SPDX-License-Identifier: Apache-2.0

package engine

// This file finds the calls that fail for sure, whatever the values are that the program
// only guesses (prog.Guess).
//
// A guess is no choice: the code has one value there, which is a function of what went before,
// and the program does not know it. So a run that errs with some guess may not exist. It does
// exist if it errs with every guess. Let the choices of the environment be made first, without regard
// to guesses: a call that must do something surely is one for which
//
//	for all states and arguments there are choices such that for all guesses it does so.
//
// Whatever the code's values are, they are among the guesses, and with these choices it does so. (To let
// choices depend on guesses would be wrong, since the values of the code may depend on the
// choices: "some choice differs from each guess" does not say that one differs from itself.) Guesses
// range over what the program says of them alone, right where they are made, one after another: that is known of the
// code's values. Other conditions on guesses have to hold as all others on the way. Initial values that are left
// open count as guesses: in programs made from code they are those of variables that nothing changes.
//
// What surely must happen gives a family L of its own (see cegar.go) along the words of the
// interface: each of its sets has a state that the code may be in, as far as the environment alone
// decides. A call may surely fail in a pair if this is so with each family with which words reach it.
// A call of which no run returns with any guess errs surely, as one that fails does.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// maxSure bounds the families per pair, on average, and sureShare is the part of the budget, one
// of so many, that it may take to find out.
const (
	maxSure   = 4
	sureShare = 4
)

// guesses reports whether a method makes guesses.
func guesses(m *prog.Method) bool {
	return slices.ContainsFunc(m.Edges, func(e prog.Edge) bool { return e.Kind == prog.HavocEdge && e.Origin == prog.Guess })
}

// isOpen reports whether some initial value is left open.
func (c *cegar) isOpen() bool {
	return slices.ContainsFunc(c.sym.State, func(v *prog.Var) bool { return v.Init == nil })
}

// findSure notes which calls may surely fail in which pairs; all of them if nothing is guessed.
func (c *cegar) findSure(ctx context.Context) error {
	c.unsure = nil
	guessed := c.isOpen() || slices.ContainsFunc(c.calls, func(k symCall) bool { return guesses(k.sum.Method) })
	doubtful := slices.ContainsFunc(c.verdicts, func(row []pairVerdict) bool {
		return slices.ContainsFunc(row, func(v pairVerdict) bool { return v.verdict == typestate.VerdictMayFail })
	})
	if !guessed || !doubtful {
		return nil
	}
	limit := c.limit
	c.limit = c.work + max(1, c.p.questions()/sureShare)
	defer func() { c.limit = limit }()
	unsure, err := c.walkSure(ctx)
	var budget *region.BudgetError
	if errors.As(err, &budget) {
		unsure, err = func(int32, int) bool { return true }, nil
	}
	c.unsure = unsure
	return err
}

// walkSure goes along the words of the interface with what surely must be current.
func (c *cegar) walkSure(ctx context.Context) (unsure func(pair int32, call int) bool, err error) {
	type node struct {
		pair int32
		l    []int32
	}
	bad := map[[2]int32]bool{}
	seen := map[string]bool{}
	var work []node
	add := func(n node) {
		key := binary.LittleEndian.AppendUint32(nil, uint32(n.pair))
		for _, s := range n.l {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			work = append(work, n)
		}
	}
	c.sureMemo = map[[2]int32]*effect{}
	add(node{0, c.pairs[0].l})
	for len(work) > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if len(seen) > maxSure*len(c.pairs)+16 {
			return nil, &region.BudgetError{What: "pairs of what may and what surely must be current", Limit: maxSure * len(c.pairs)}
		}
		n := work[0]
		work = work[1:]
		for k := range c.calls {
			if c.calls[k].constructor != (n.pair == 0) {
				continue
			}
			v := c.verdicts[n.pair][k]
			if v.verdict.Forbidden() {
				if v.verdict == typestate.VerdictMayFail && !bad[[2]int32{n.pair, int32(k)}] {
					sure, err := c.surelyFails(ctx, n.l, k)
					if err != nil {
						return nil, err
					}
					bad[[2]int32{n.pair, int32(k)}] = !sure
				}
				continue
			}
			for o := range c.calls[k].outcomes {
				to := c.next[n.pair][c.calls[k].letter+o]
				if to < 0 {
					continue
				}
				family, err := c.stepFamily(ctx, c.sets.Set(c.pairs[to].u), n.l, k, o, c.sureEffect)
				if err != nil {
					return nil, err
				}
				add(node{to, family})
			}
		}
	}
	return func(pair int32, call int) bool { return bad[[2]int32{pair, int32(call)}] }, nil
}

// surelyFails reports whether a call surely errs in all states of some set of a family.
func (c *cegar) surelyFails(ctx context.Context, l []int32, call int) (bool, error) {
	for _, set := range l {
		all := true
		for _, a := range c.sets.Set(set) {
			e, err := c.sureEffect(ctx, a, call)
			if err != nil {
				return false, err
			}
			if all = e.mustErr; !all {
				break
			}
		}
		if all {
			return true, nil
		}
	}
	return false, nil
}

// sureEffect is the effect of a call with what it surely must do.
func (c *cegar) sureEffect(ctx context.Context, a int32, call int) (*effect, error) {
	key := [2]int32{a, int32(call)}
	if e := c.sureMemo[key]; e != nil {
		return e, nil
	}
	e, err := c.effect(ctx, a, call)
	if err != nil {
		return nil, err
	}
	if a == 0 && c.isOpen() || guesses(c.calls[call].sum.Method) {
		part := *e.part
		part.must, part.mustErr = make([][][]int, len(part.may)), false
		c.surely = true
		err := c.mustEffect(ctx, a, call, &part)
		c.surely = false
		if err != nil {
			return nil, err
		}
		part.mustErr = part.mustErr || len(part.errs) > 0 && !e.returns()
		e = c.lift(a, call, &part)
	}
	c.sureMemo[key] = e
	return e, nil
}

// domain is what a method says of the guess of an edge, and of those that are made right after it, alone: guesses
// has the choices by edge. Guesses that are made after other ways have joined, or in the next round of a loop, are
// made also where the first one is not, and are not among them.
func (m *modal) domain(method *prog.Method, edge int, guesses map[int]*term.Term) *term.Term {
	values := map[*term.Term]*term.Term{method.Edges[edge].Vars[0].Term: guesses[edge]}
	all, joined := m.pool.True(), false
	for at, n := method.Edges[edge].To, 0; n < method.Locs; n++ {
		next, ways := -1, 0
		for i := range method.Edges {
			if method.Edges[i].To == at {
				ways++
			}
			if method.Edges[i].From == at {
				if next >= 0 {
					return all
				}
				next = i
			}
		}
		joined = joined || ways > 1
		if next < 0 {
			return all
		}
		e := &method.Edges[next]
		switch {
		case e.Kind == prog.HavocEdge && guesses[next] != nil && !joined:
			values[e.Vars[0].Term] = guesses[next]
		case e.Kind == prog.AssumeEdge && !slices.ContainsFunc(term.FreeVars(e.Exprs[0]), func(v *term.Term) bool { return values[v] == nil }):
			all = m.pool.And(all, m.pool.Substitute(e.Exprs[0], values))
		default:
			return all
		}
		at = e.To
	}
	return all
}

// guessedWith returns guesses, with others that what is known of them speaks of, and what is known of all.
func (m *modal) guessedWith(guesses []*term.Term) ([]*term.Term, *term.Term) {
	guesses, domain := slices.Clone(guesses), m.pool.True()
	for k := 0; k < len(guesses); k++ {
		known := m.guessed[guesses[k]]
		domain = m.pool.And(domain, known)
		for _, v := range term.FreeVars(known) {
			if !slices.Contains(guesses, v) {
				guesses = append(guesses, v)
			}
		}
	}
	return guesses, domain
}

// mustSurely reports whether for all values of others, of which before is known, there are
// choices such that for all guesses in the domain goal holds. It proposes values of others, looks for choices
// that do for them, and asks for others for which these do not.
func (m *modal) mustSurely(ctx context.Context, others, choices, guesses []*term.Term, domain, before, goal *term.Term, rounds int) (solve.Result, error) {
	if m.inner == nil {
		m.inner = m.p.Solver()
		m.meter.solvers = append(m.meter.solvers, m.inner)
		m.inner = metered{m.inner, m.charge}
	}
	copies := 0
	// fails says that with some choices the goal is missed, with guesses of its own.
	fails := func(choices map[*term.Term]*term.Term) *term.Term {
		copies++
		sub := map[*term.Term]*term.Term{}
		for _, g := range guesses {
			sub[g] = m.pool.Var(fmt.Sprintf("%s again %d", g.Name(), copies), g.Sort())
		}
		missed := m.pool.And(domain, m.pool.Not(m.pool.Substitute(goal, choices)))
		return m.pool.Substitute(missed, sub)
	}
	m.propose.Push()
	defer m.propose.Pop()
	m.propose.Assert(before)
	for round := 0; ; round++ {
		r, err := m.propose.Check(ctx)
		if err != nil || r.Verdict != solve.Sat {
			return r, err
		}
		if round >= rounds {
			return solve.Result{Reason: "no answer within the rounds allowed"}, nil
		}
		here, values := map[*term.Term]*term.Term{}, term.Model{}
		for _, v := range others {
			values[v] = r.Model[v]
			here[v] = m.pool.Const(v.Sort(), r.Model[v])
		}
		does := m.pool.Or(m.pool.Not(domain), m.pool.Substitute(goal, here))
		r, err = solve.ExistsForall(ctx, m.pool, m.inner, m.refute, choices, guesses, does, rounds)
		if err != nil {
			return solve.Result{}, err
		}
		switch r.Verdict {
		case solve.Unsat:
			return solve.Result{Verdict: solve.Sat, Model: values}, nil
		case solve.Unknown:
			return r, nil
		}
		found := map[*term.Term]*term.Term{}
		for _, v := range choices {
			found[v] = m.pool.Const(v.Sort(), r.Model[v])
		}
		m.propose.Assert(fails(found))
		if solve.Generalize(m.pool, found, others, values) {
			m.propose.Assert(fails(found))
		}
	}
}
