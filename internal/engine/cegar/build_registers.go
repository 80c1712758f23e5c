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
func (bd *builder) kept(pair, letter int) []*term.Term {
	to := bd.graph.Next[pair][letter]
	if len(bd.regs.Vars) == 0 || to < 0 {
		return nil
	}
	out := make([]*term.Term, len(bd.regs.Vars))
	for r := range bd.regs.Vars {
		if bd.live[to][r] {
			out[r] = bd.regs.Updates[pair][letter][r]
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
func (bd *builder) automaton() *automata.DFA {
	type mark struct {
		letter int
		update string
	}
	var marks []mark
	if len(bd.regs.Vars) > 0 {
		for x := range bd.abs.Letters {
			seen := map[string]bool{}
			for p := range bd.graph.Pairs {
				if key := updateKey(bd.kept(p, x)); bd.graph.Next[p][x] >= 0 && !seen[key] {
					seen[key] = true
					marks = append(marks, mark{x, key})
				}
			}
		}
	}
	perCall := 2
	if bd.abs.P.Apart {
		perCall = 4
	}
	d := &automata.DFA{Letters: bd.abs.Letters + perCall*len(bd.abs.Calls) + len(marks) + len(bd.regs.Vars)}
	n := int32(len(bd.graph.Pairs))
	reject, imposs, other := n, n+1, n+2
	told := func(yes bool) int32 {
		if yes {
			return reject
		}
		return other
	}
	for i := range bd.graph.Pairs {
		for _, t := range bd.graph.Next[i] {
			switch t {
			case explicit.Rejected:
				t = reject
			case explicit.Impossible:
				t = imposs
			}
			d.Next = append(d.Next, t)
		}
		for k := range bd.abs.Calls {
			if bd.abs.Calls[k].Constructor != (i == 0) {
				d.Next = append(d.Next, slices.Repeat([]int32{imposs}, perCall)...)
				continue
			}
			if bd.graph.CannotBeMade(int32(i), k) {
				d.Next = append(d.Next, slices.Repeat([]int32{imposs}, perCall)...)
				continue
			}
			v := bd.graph.Verdicts[i][k].Verdict
			d.Next = append(d.Next, told(v.Forbidden()), told(v == typestate.VerdictUnknown))
			if bd.abs.P.Apart {
				mayFail := v == typestate.VerdictMayFail
				d.Next = append(d.Next, told(mayFail), told(mayFail && bd.unsure != nil && bd.unsure(int32(i), k)))
			}
		}
		for _, m := range marks {
			if bd.graph.Next[i][m.letter] < 0 {
				d.Next = append(d.Next, imposs)
			} else {
				d.Next = append(d.Next, told(updateKey(bd.kept(i, m.letter)) == m.update))
			}
		}
		for r := range bd.regs.Vars {
			d.Next = append(d.Next, told(bd.live[i][r]))
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
func (bd *builder) findLive(everywhere bool) {
	bd.live = make([][]bool, len(bd.graph.Pairs))
	for p := range bd.live {
		bd.live[p] = slices.Repeat([]bool{everywhere && p > 0}, len(bd.regs.Vars))
	}
	if len(bd.regs.Vars) == 0 || everywhere {
		return
	}
	for {
		_, class := automata.MinimizeMap(bd.automaton())
		if !bd.moreLive(class) {
			return
		}
	}
}

// moreLive finds registers that are live given which pairs are alike.
func (bd *builder) moreLive(class []int32) (found bool) {
	set := func(p int, t *term.Term) {
		for _, x := range term.FreeVars(t) {
			if r := slices.IndexFunc(bd.regs.Vars, func(v *prog.Var) bool { return v.Term == x }); r >= 0 && !bd.live[p][r] {
				bd.live[p][r], found = true, true
			}
		}
	}
	for changed := true; changed; {
		before := found
		found = false
		for p := 1; p < len(bd.graph.Pairs); p++ {
			for x, to := range bd.graph.Next[p] {
				for _, t := range bd.kept(p, x) {
					if to >= 0 && t != nil {
						set(p, t)
					}
				}
			}
			for k := range bd.abs.Calls {
				for j := range k {
					if bd.abs.Calls[j].Method != bd.abs.Calls[k].Method || bd.abs.Calls[k].Constructor || bd.alike(p, j, k, class) {
						continue
					}
					// Both, because their difference may be what tells them apart.
					set(p, bd.abs.Calls[j].Guard)
					set(p, bd.abs.Calls[k].Guard)
				}
			}
		}
		changed = found
		found = found || before
	}
	return found
}

// alike reports whether two calls of a method do the same in a pair.
func (bd *builder) alike(p, j, k int, class []int32) bool {
	v, w := bd.graph.Verdicts[p][j].Verdict, bd.graph.Verdicts[p][k].Verdict
	if v != w && !(v.Forbidden() && w.Forbidden()) {
		return false
	}
	for o := range bd.abs.Calls[j].Outcomes {
		x, y := bd.abs.Calls[j].Letter+o, bd.abs.Calls[k].Letter+o
		a, b := bd.graph.Next[p][x], bd.graph.Next[p][y]
		switch {
		case a < 0 || b < 0:
			if a != b {
				return false
			}
		case class[a] != class[b] || updateKey(bd.kept(p, x)) != updateKey(bd.kept(p, y)):
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
		vars = slices.Concat(vars, g.builder.regs.Vars)
	}
	for r, t := range g.places[at].update {
		if t != nil {
			if out == nil {
				out = map[string]string{}
			}
			out[g.builder.regs.Vars[r].Name] = prog.FormatExprAs(g.abs.P.Program, vars, t, g.builder.regs.Vars[r].Type)
		}
	}
	return out
}

// registersOf lists the registers of a state.
func (g *merger) registersOf(state int) []typestate.Register {
	out := []typestate.Register{}
	for r, v := range g.builder.regs.Vars {
		if g.builder.live[g.members[state][0]][r] {
			out = append(out, typestate.Register{Name: v.Name, Type: v.Type.String()})
		}
	}
	return out
}

// remembersResults reports whether updates after a method mention its results.
func (bd *builder) remembersResults(method int) bool {
	results := bd.abs.Methods[method].Sum.Method.Results
	for p := range bd.graph.Pairs {
		for k := range bd.abs.Calls {
			for o := range bd.abs.Calls[k].Outcomes {
				if bd.abs.Calls[k].Method != method {
					continue
				}
				for _, t := range bd.kept(p, bd.abs.Calls[k].Letter+o) {
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
	for r := range g.builder.regs.Vars {
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
							r := slices.IndexFunc(g.builder.regs.Vars, func(v *prog.Var) bool { return v.Term == x })
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
