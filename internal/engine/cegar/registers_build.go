// SPDX-License-Identifier: Apache-2.0

package cegar

// This file writes registers into the interface of the pairs of an abstraction. A
// register is LIVE in a pair if a method is divided by it there, or if it gives a
// live register of a next pair its value; a state has the registers that are live
// in its pairs. Two pairs are one state only if the updates of live registers are
// the same too. Whether a division matters depends on which pairs are one state,
// and this on what is live, so both are computed in turn until nothing changes:
// more live registers tell more pairs apart, and the other way round.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A target is where an edge leads: a state, and the values of its live registers.
type target struct {
	to     int32
	update []*term.Term // by register; nil where it is not live
}

// kept returns the updates of an edge that matter to its target.
func (c *builder) kept(pair, letter int) []*term.Term {
	to := c.graph.Next[pair][letter]
	if len(c.regs.vars) == 0 || to < 0 {
		return nil
	}
	out := make([]*term.Term, len(c.regs.vars))
	for r := range c.regs.vars {
		if c.live[to][r] {
			out[r] = c.regs.updates[pair][letter][r]
		}
	}
	return out
}

func updateKey(update []*term.Term) string {
	var b strings.Builder
	for _, t := range update {
		if t == nil {
			b.WriteString(" -")
		} else {
			fmt.Fprintf(&b, " %d", t.ID())
		}
	}
	return b.String()
}

// automaton is the automaton of the pairs, with letters that tell verdicts and
// updates apart: two for each call that can be made, also of calls whose outcomes are all
// don't-cares, of which one leads to Reject iff the call is forbidden, and one iff
// it is unknown, and with Apart a third one, iff it may fail, and a fourth one, iff that hangs on guesses; one for each different update of a letter, and one for each
// register, which does iff it is live.
func (c *builder) automaton() *automata.DFA {
	type mark struct {
		letter int
		update string
	}
	var marks []mark
	if len(c.regs.vars) > 0 {
		for x := range c.abs.Letters {
			seen := map[string]bool{}
			for p := range c.graph.Pairs {
				if key := updateKey(c.kept(p, x)); c.graph.Next[p][x] >= 0 && !seen[key] {
					seen[key] = true
					marks = append(marks, mark{x, key})
				}
			}
		}
	}
	perCall := 2
	if c.abs.P.Apart {
		perCall = 4
	}
	d := &automata.DFA{Letters: c.abs.Letters + perCall*len(c.abs.Calls) + len(marks) + len(c.regs.vars)}
	n := int32(len(c.graph.Pairs))
	reject, imposs, other := n, n+1, n+2
	told := func(yes bool) int32 {
		if yes {
			return reject
		}
		return other
	}
	for i := range c.graph.Pairs {
		for _, t := range c.graph.Next[i] {
			switch t {
			case explicit.Rejected:
				t = reject
			case explicit.Impossible:
				t = imposs
			}
			d.Next = append(d.Next, t)
		}
		for k := range c.abs.Calls {
			if c.abs.Calls[k].Constructor != (i == 0) {
				d.Next = append(d.Next, slices.Repeat([]int32{imposs}, perCall)...)
				continue
			}
			if c.graph.CannotBeMade(int32(i), k) {
				d.Next = append(d.Next, slices.Repeat([]int32{imposs}, perCall)...)
				continue
			}
			v := c.graph.Verdicts[i][k].Verdict
			d.Next = append(d.Next, told(v.Forbidden()), told(v == typestate.VerdictUnknown))
			if c.abs.P.Apart {
				mayFail := v == typestate.VerdictMayFail
				d.Next = append(d.Next, told(mayFail), told(mayFail && c.unsure != nil && c.unsure(int32(i), k)))
			}
		}
		for _, m := range marks {
			if c.graph.Next[i][m.letter] < 0 {
				d.Next = append(d.Next, imposs)
			} else {
				d.Next = append(d.Next, told(updateKey(c.kept(i, m.letter)) == m.update))
			}
		}
		for r := range c.regs.vars {
			d.Next = append(d.Next, told(c.live[i][r]))
		}
		d.Out = append(d.Out, automata.Accept)
	}
	d.Out[0] = automata.Unknown
	for _, v := range []automata.Verdict{automata.Reject, automata.Impossible, automata.Unknown} {
		d.Out = append(d.Out, v)
		for range d.Letters {
			d.Next = append(d.Next, int32(len(d.Out)-1))
		}
	}
	return d
}

// findLive finds the live registers of all pairs; all of them after construction if
// everywhere.
func (c *builder) findLive(everywhere bool) {
	c.live = make([][]bool, len(c.graph.Pairs))
	for p := range c.live {
		c.live[p] = slices.Repeat([]bool{everywhere && p > 0}, len(c.regs.vars))
	}
	if len(c.regs.vars) == 0 || everywhere {
		return
	}
	for {
		_, class := automata.MinimizeMap(c.automaton())
		if !c.moreLive(class) {
			return
		}
	}
}

// moreLive finds registers that are live given which pairs are alike.
func (c *builder) moreLive(class []int32) (found bool) {
	set := func(p int, t *term.Term) {
		for _, x := range term.FreeVars(t) {
			if r := slices.IndexFunc(c.regs.vars, func(v *prog.Var) bool { return v.Term == x }); r >= 0 && !c.live[p][r] {
				c.live[p][r], found = true, true
			}
		}
	}
	for changed := true; changed; {
		before := found
		found = false
		for p := 1; p < len(c.graph.Pairs); p++ {
			for x, to := range c.graph.Next[p] {
				for _, t := range c.kept(p, x) {
					if to >= 0 && t != nil {
						set(p, t)
					}
				}
			}
			for k := range c.abs.Calls {
				for j := range k {
					if c.abs.Calls[j].Method != c.abs.Calls[k].Method || c.abs.Calls[k].Constructor || c.alike(p, j, k, class) {
						continue
					}
					// Both, because their difference may be what tells them apart.
					set(p, c.abs.Calls[j].Guard)
					set(p, c.abs.Calls[k].Guard)
				}
			}
		}
		changed = found
		found = found || before
	}
	return found
}

// alike reports whether two calls of a method do the same in a pair.
func (c *builder) alike(p, j, k int, class []int32) bool {
	v, w := c.graph.Verdicts[p][j].Verdict, c.graph.Verdicts[p][k].Verdict
	if v != w && !(v.Forbidden() && w.Forbidden()) {
		return false
	}
	for o := range c.abs.Calls[j].Outcomes {
		x, y := c.abs.Calls[j].Letter+o, c.abs.Calls[k].Letter+o
		a, b := c.graph.Next[p][x], c.graph.Next[p][y]
		switch {
		case a < 0 || b < 0:
			if a != b {
				return false
			}
		case class[a] != class[b] || updateKey(c.kept(p, x)) != updateKey(c.kept(p, y)):
			return false
		}
	}
	return true
}

// placeOf is the number of the target to which a letter leads from a state.
func (g *merger) placeOf(state int, letter int, to int32) int32 {
	p := target{to: to}
	for _, m := range g.members[state] {
		if g.graph.Next[m][letter] >= 0 {
			p.update = g.builder.kept(int(m), letter)
			break
		}
	}
	at := slices.IndexFunc(g.places, func(q target) bool { return q.to == to && slices.Equal(p.update, q.update) })
	if at < 0 {
		at = len(g.places)
		g.places = append(g.places, p)
	}
	return int32(at)
}

// update writes the update of a target after a call of a method.
func (g *merger) update(method int, at int32) map[string]string {
	var out map[string]string
	m := g.abs.Methods[method].Sum.Method
	vars := slices.Concat(m.Params, m.Results)
	if !g.abs.Methods[method].Constructor {
		vars = slices.Concat(vars, g.builder.regs.vars)
	}
	for r, t := range g.places[at].update {
		if t != nil {
			if out == nil {
				out = map[string]string{}
			}
			out[g.builder.regs.vars[r].Name] = prog.FormatExprAs(g.abs.P.Program, vars, t, g.builder.regs.vars[r].Type)
		}
	}
	return out
}

// registersOf lists the registers of a state.
func (g *merger) registersOf(state int) []typestate.Register {
	out := []typestate.Register{}
	for r, v := range g.builder.regs.vars {
		if g.builder.live[g.members[state][0]][r] {
			out = append(out, typestate.Register{Name: v.Name, Type: v.Type.String()})
		}
	}
	return out
}

// remembersResults reports whether updates after a method mention its results.
func (c *builder) remembersResults(method int) bool {
	results := c.abs.Methods[method].Sum.Method.Results
	for p := range c.graph.Pairs {
		for k := range c.abs.Calls {
			for o := range c.abs.Calls[k].Outcomes {
				if c.abs.Calls[k].Method != method {
					continue
				}
				for _, t := range c.kept(p, c.abs.Calls[k].Letter+o) {
					if t != nil && slices.ContainsFunc(results, func(r *prog.Var) bool { return slices.Contains(term.FreeVars(t), r.Term) }) {
						return true
					}
				}
			}
		}
	}
	return false
}

// resultsOf lists the results of a method, for updates that mention them.
func resultsOf(m *prog.Method) (out []typestate.Register) {
	for _, r := range m.Results {
		out = append(out, typestate.Register{Name: r.Name, Type: r.Type.String()})
	}
	return out
}

// confused reports whether in some state calls of a method cannot be told apart,
// because their guards mention a register that the state does not have, and yet do
// different things; or whether no state has a register, which the certificate
// needs.
func (g *merger) confused() bool {
	for r := range g.builder.regs.vars {
		if !slices.ContainsFunc(g.builder.live, func(live []bool) bool { return live[r] }) {
			return true
		}
	}
	for j, a := range g.calls {
		for _, b := range g.calls[:j] {
			if a.method != b.method || g.abs.Methods[a.method].Constructor {
				continue
			}
			for n, s := range g.states {
				if slices.Equal(a.rows[n], b.rows[n]) || !isMade(a.rows[n]) || !isMade(b.rows[n]) {
					continue
				}
				for _, c := range []*mergedCall{a, b} {
					for _, part := range c.parts {
						for _, x := range term.FreeVars(g.abs.Calls[part].Guard) {
							r := slices.IndexFunc(g.builder.regs.vars, func(v *prog.Var) bool { return v.Term == x })
							if r >= 0 && !g.builder.live[g.members[s][0]][r] {
								return true
							}
						}
					}
				}
			}
		}
	}
	return false
}
