// SPDX-License-Identifier: Apache-2.0

package lower

// This file threads jumps through tests (Mueller and Whalley,
// PLDI 1995): where a value was just assigned and the next tests are decided by
// it, control goes on behind them. A constructor ends with tests of what its calls
// returned, no error and an object that is not nil, and these are decided where a
// call returns. Left where they are, they would be dropped as tests on which no
// error depends, and with them the fact that a failed constructor makes no object.
// A method ends with tests which error it returns. Where they are threaded, the site of an
// error depends on what led to it and not on all that leads to some error (given.go);
// whose fault it is has been found out before, of the code as it is.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// maxThreaded bounds the jumps that one edge is led through.
const maxThreaded = 64

// thread leads assignments past the tests that they decide, and removes those
// after which every test fails.
func (m *Method) thread() {
	out := make([][]int, m.M.Locs)
	for i, e := range m.M.Edges {
		out[e.From] = append(out[e.From], i)
	}
	dead := map[int]bool{}
	for i := range m.M.Edges {
		e := &m.M.Edges[i]
		if e.Kind != prog.AssignEdge {
			continue
		}
		sub := map[*term.Term]*term.Term{}
		for k, v := range e.Vars {
			sub[v.Term] = e.Exprs[k]
		}
		// A variable that the assignment reads may be another one afterwards.
		for _, v := range e.Vars {
			for k, t := range e.Exprs {
				if slices.Contains(term.FreeVars(t), v.Term) {
					delete(sub, e.Vars[k].Term)
				}
			}
		}
		for n := 0; n < maxThreaded; n++ {
			next := out[e.To]
			if len(next) == 0 || e.To == m.M.Exit {
				break
			}
			to, decided := -1, true
			for _, k := range next {
				f := &m.M.Edges[k]
				switch {
				case f.Kind == prog.AssignEdge && len(f.Vars) == 0 && !m.filledLater(f.From):
					to = f.To
					decided = len(next) == 1
				case f.Kind != prog.AssumeEdge || len(f.Exprs) != 1:
					decided = false
				default:
					switch t := m.W.Pool.Substitute(f.Exprs[0], sub); {
					case t.IsTrue():
						to = f.To
					case !t.IsFalse():
						decided = false
					}
				}
			}
			if !decided {
				break
			}
			if to < 0 {
				dead[i] = true
				break
			}
			e.To = to
		}
	}
	if len(dead) > 0 {
		var edges []prog.Edge
		for i, e := range m.M.Edges {
			if !dead[i] {
				edges = append(edges, e)
			}
		}
		m.M.Edges = edges
	}
}

// filledLater reports whether the edge from a location gets its assignments when
// all methods are known.
func (m *Method) filledLater(loc int) bool {
	return slices.ContainsFunc(m.marks, func(k mark) bool { return k.loc == loc }) ||
		slices.ContainsFunc(m.renewals, func(r renewal) bool { return r.loc == loc })
}
