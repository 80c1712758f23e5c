// SPDX-License-Identifier: Apache-2.0

package cert

// This file checks rankings: that a call errs in some run if a condition holds, however many rounds its loops take. A list of
// unsigned integers cannot decrease for ever, so it is enough that from the entry some piece of the method leads to an error or to a loop
// head of the ranking, and from each head some piece leads to an error, or to a head with a smaller list. Both are derived from the
// method; of the ranking only the invariants and the lists are taken.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// rankWidth is the width of the integers in the lists of rankings.
const rankWidth = 64

// A ranking is one of the certificate.
type ranking struct {
	code  *code
	when  *term.Term // over the state and the parameters
	heads []rankHead
}

type rankHead struct {
	loc  int
	inv  *term.Term
	rank []*term.Term
}

// at returns the head at a location; nil if the ranking has none.
func (r *ranking) at(loc int) *rankHead {
	for k := range r.heads {
		if r.heads[k].loc == loc {
			return &r.heads[k]
		}
	}
	return nil
}

// readRankings reads the rankings of the certificate.
func (c *checker) readRankings() error {
	all := slices.Concat(c.prog.Constructors, c.prog.Methods)
	unsigned := prog.Type{Sort: term.BV(rankWidth)}
	for n, t := range c.iface.Certificate.Rankings {
		where := fmt.Sprintf("ranking %d of %s", n, t.Method)
		at := slices.IndexFunc(all, func(m *prog.Method) bool { return m.Name == t.Method })
		if at < 0 {
			return fmt.Errorf("%s: no such method", where)
		}
		r := ranking{code: c.code(all[at])}
		var err error
		if r.when, err = c.formula(slices.Concat(c.prog.State, all[at].Params), t.When); err != nil {
			return fmt.Errorf("%s: when: %w", where, err)
		}
		for _, th := range t.Heads {
			h := rankHead{loc: th.Loc}
			switch {
			case !r.code.head[th.Loc]:
				return fmt.Errorf("%s: no loop head %d", where, th.Loc)
			case r.at(th.Loc) != nil:
				return fmt.Errorf("%s: head %d is there twice", where, th.Loc)
			case len(th.Rank) != len(t.Heads[0].Rank):
				return fmt.Errorf("%s: head %d has %d expressions instead of %d", where, th.Loc, len(th.Rank), len(t.Heads[0].Rank))
			}
			if h.inv, err = c.formula(r.code.vars, th.Formula); err != nil {
				return fmt.Errorf("%s: head %d: %w", where, th.Loc, err)
			}
			for _, text := range th.Rank {
				e, err := prog.ParseExprAs(c.prog, r.code.vars, text, unsigned)
				if err != nil {
					return fmt.Errorf("%s: head %d: rank: %w", where, th.Loc, err)
				}
				h.rank = append(h.rank, e)
			}
			r.heads = append(r.heads, h)
		}
		c.rankings = append(c.rankings, r)
	}
	return nil
}

// rankingsHold adds the obligations of all rankings.
func (c *checker) rankingsHold(ctx context.Context) error {
	for n := range c.rankings {
		r := &c.rankings[n]
		add := func(name, what string, from int, vals []*term.Term, known *term.Term, here *rankHead) error {
			goal, choices := c.onward(r, from, vals, here)
			return c.add(ctx, Obligation{Kind: "ranking", Name: fmt.Sprintf("ranking %d %s", n, name), What: fmt.Sprintf("ranking %d of %s: %s", n, r.code.method.Name, what),
				Assume: []*term.Term{known}, Goal: goal, Choices: choices})
		}
		known := r.when
		if slices.Contains(c.prog.Methods, r.code.method) {
			known = c.pool.And(known, c.assumed, c.promised)
		}
		known = c.pool.Substitute(known, r.code.arguments())
		if err := add("entry", "the entry leads to an error or to a head", r.code.method.Entry, c.entry(r.code), known, nil); err != nil {
			return err
		}
		for k := range r.heads {
			h := &r.heads[k]
			what := fmt.Sprintf("head %d leads to an error, or to a head with a smaller list", h.loc)
			if err := add(fmt.Sprintf("head %d", h.loc), what, h.loc, r.code.identity(), c.pool.And(c.assumed, h.inv), h); err != nil {
				return err
			}
		}
	}
	return nil
}

// onward is the condition that a piece from a location, with given values there, leads to an error that counts or to a head where the
// invariant holds; from a head, the list must be smaller there.
func (c *checker) onward(r *ranking, from int, vals []*term.Term, here *rankHead) (*term.Term, []*term.Term) {
	sub := r.code.under(vals)
	var any, choices []*term.Term
	for _, s := range r.code.pieces[from] {
		choices = s.choices
		holds := c.pool.False()
		if site := r.code.method.ErrorAt(s.to); site != nil {
			holds = c.pool.Bool(!site.Blamed)
		} else if to := r.at(s.to); to != nil {
			then := r.code.under(s.vals)
			holds = c.pool.Substitute(to.inv, then)
			if here != nil {
				holds = c.pool.And(holds, c.smaller(c.pool.SubstituteAll(to.rank, then), here.rank))
			}
		}
		any = append(any, c.pool.And(s.cond, holds))
	}
	return c.pool.Substitute(c.pool.Or(any...), sub), choices
}

// smaller is the condition that a list is smaller than another, lexicographically.
func (c *checker) smaller(list, than []*term.Term) *term.Term {
	less := c.pool.False()
	for k := len(list) - 1; k >= 0; k-- {
		less = c.pool.Or(c.pool.ULt(list[k], than[k]), c.pool.And(c.pool.Eq(list[k], than[k]), less))
	}
	return less
}

// ranked is the condition, over the state and the arguments, under which a ranking says that a call errs in some run; nil if there is none.
func (c *checker) ranked(k *callee) *term.Term {
	var any []*term.Term
	for n := range c.rankings {
		if r := &c.rankings[n]; r.code == k.code {
			any = append(any, c.pool.Substitute(r.when, r.code.arguments()))
		}
	}
	if any == nil {
		return nil
	}
	return c.pool.Or(any...)
}
