// SPDX-License-Identifier: Apache-2.0

package render

// This file writes the language of an interface as a regular expression, found
// by eliminating states (Brzozowski and McCluskey, 1963). The order of
// elimination decides the size: with few states all orders are tried, otherwise
// the state with the least weight (Delgado and Morais, CIAA 2004) goes first.
//
// The language is closed under prefixes: a client may stop at any time. If
// every state can return to the start, or to a state that can do as much, the
// expression only gives words that do, "(open read* close)*", and a comment says
// that their prefixes belong to the language too; this is how papers print it.
// Otherwise it is exact.

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

const (
	regexLimit = 1000 // letters
	tryAll     = 5    // states to eliminate in every order
)

func writeRegex(w io.Writer, i *typestate.Interface, opt Options) error {
	s, err := newSheet(i)
	if err != nil {
		return err
	}
	if len(s.starts) == 0 {
		return fmt.Errorf("regex: no constructor of %s starts it, so there is no word", s.title())
	}
	limit := opt.Limit
	if limit <= 0 {
		limit = regexLimit
	}
	alphabet := s.alphabet()
	var names []string
	for _, l := range alphabet {
		names = append(names, regexName(l.text("=")))
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s: %s\n", s.title(), strings.Join(s.guarantees(), ", "))
	if len(s.Unknown) > 0 {
		fmt.Fprintf(&b, "# %s of unknown verdict left out\n", plural(len(s.Unknown), "call"))
	}
	for _, c := range s.calls {
		if !trivial(c.Guard) {
			fmt.Fprintf(&b, "# %s: %s with %s\n", printable(c.ID), signature(c.Method, c.Params), printable(c.Guard))
		}
	}
	for _, st := range s.starts {
		m := s.matrix(st.state, alphabet)
		e, closed, err := m.eliminate(limit)
		if err != nil {
			return fmt.Errorf("regex: %s from state %d: %w", s.title(), st.state, err)
		}
		after := ""
		if len(s.starts) > 1 {
			after = " after " + strings.Join(st.names, ", ")
		}
		if closed {
			fmt.Fprintf(&b, "# all words%s\n", after)
		} else {
			fmt.Fprintf(&b, "# words%s that return to the start; all their prefixes are allowed too\n", after)
		}
		var text strings.Builder
		e.print(&text, names)
		fmt.Fprintf(&b, "%s\n", text.String())
	}
	_, err = w.Write(b.Bytes())
	return err
}

// regexName quotes a letter that is not a plain name.
func regexName(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_.=/$-", r) || r > 127
	}
	// A number sign inside a name is the call's number, at its start a comment.
	hash := func(r rune) bool { return !plain(r) && r != '#' }
	if s != "" && s[0] != '#' && strings.IndexFunc(s, hash) < 0 && s != "ε" && s != "∅" {
		return s
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// alphabet returns the letters of all allowed edges, in order of their calls.
func (s *sheet) alphabet() []letter {
	seen := map[letter]bool{}
	var list []letter
	for c := range s.calls {
		for k := range s.states {
			for _, a := range s.states[k].arrows {
				for _, e := range a.entries {
					if e.call != c {
						continue
					}
					for _, l := range s.letters(arrow{a.to, []entry{e}}) {
						if !seen[l] {
							seen[l] = true
							list = append(list, l)
						}
					}
				}
			}
		}
	}
	return list
}

// A matrix holds the expressions from state to state of an automaton whose
// states all accept; state 0 is the start. All its states are reachable.
type matrix [][]*expr

// matrix returns the part of the automaton that is reachable from a state.
func (s *sheet) matrix(start int, alphabet []letter) matrix {
	number := map[int]int{start: 0}
	reach := []int{start}
	for n := 0; n < len(reach); n++ {
		for _, a := range s.states[reach[n]].arrows {
			if _, ok := number[a.to]; !ok && len(s.letters(a)) > 0 {
				number[a.to] = len(reach)
				reach = append(reach, a.to)
			}
		}
	}
	m := make(matrix, len(reach))
	for n, k := range reach {
		m[n] = slices.Repeat([]*expr{none}, len(reach))
		for _, a := range s.states[k].arrows {
			var list []*expr
			for _, l := range s.letters(a) {
				list = append(list, newLetter(slices.Index(alphabet, l)))
			}
			if to, ok := number[a.to]; ok && list != nil {
				m[n][to] = alt(list...)
			}
		}
	}
	return m
}

// share replaces the edges that a state has in common with another one, if they
// are all edges of the other, by a step without a letter to it. Since all
// states accept, this changes no language. A component that can be initialized
// anew in every state becomes a plain loop by it.
func (m matrix) share() matrix {
	c := m.clone()
	for u := range m {
		best, most := -1, 0
		for v := range m {
			size := 0
			for t := range m {
				if m[v][t].op != '0' && m[v][t].is(common(m[u][t], m[v][t])) {
					size += m[v][t].size
				} else if m[v][t].op != '0' {
					size = 0
					break
				}
			}
			// Of two states with the same edges only the later one refers.
			if u != v && size > most && !(u < v && slices.EqualFunc(m[u], m[v], (*expr).is)) {
				best, most = v, size
			}
		}
		if best < 0 {
			continue
		}
		for t := range m {
			c[u][t] = without(m[u][t], m[best][t])
		}
		c[u][best] = alt(c[u][best], empty)
	}
	return c
}

// common returns the alternatives that a and b share.
func common(a, b *expr) *expr {
	var list []*expr
	for _, x := range alternatives(a) {
		if slices.ContainsFunc(alternatives(b), x.is) {
			list = append(list, x)
		}
	}
	return alt(list...)
}

// without returns the alternatives of a that b does not have.
func without(a, b *expr) *expr {
	return alt(slices.DeleteFunc(slices.Clone(alternatives(a)), func(x *expr) bool {
		return slices.ContainsFunc(alternatives(b), x.is)
	})...)
}

// eliminate returns the language, or, if closed is false, that of the words
// which lead back to the start, when every word has a continuation that does.
func (m matrix) eliminate(limit int) (e *expr, closed bool, err error) {
	a, closedA, errA := m.reduce(limit)
	b, closedB, errB := m.share().reduce(limit)
	if errA != nil || errB == nil && b.size < a.size {
		return b, closedB, errB
	}
	return a, closedA, nil
}

// reduce is eliminate for the matrix as it is.
func (m matrix) reduce(limit int) (e *expr, closed bool, err error) {
	n := len(m)
	if m.returns(func(e *expr) bool { return e.nullable() }) {
		// Every state is as good as the start: the loop is all there is.
		e, err := m.fold(limit, n, false)
		return e, true, err
	}
	closed = !m.returns(func(e *expr) bool { return e.op != '0' })
	if closed { // one more state accepts; every state leads to it
		big := make(matrix, n+1)
		for k := range m {
			big[k] = append(slices.Clone(m[k]), empty)
		}
		big[n] = slices.Repeat([]*expr{none}, n+1)
		m = big
	}
	e, err = m.fold(limit, n, closed)
	return e, closed, err
}

// fold removes the states 1 to n-1 and returns the expression of the words
// from state 0 to itself, or, if closed, to state n.
func (m matrix) fold(limit, n int, closed bool) (e *expr, err error) {
	result := func(m matrix) *expr {
		e := star(m[0][0])
		if closed {
			e = cat(e, m[0][n])
		}
		return e
	}

	if n-1 <= tryAll {
		order := make([]int, n-1)
		for k := range order {
			order[k] = k + 1
		}
		permute(order, 0, func() {
			c := m.clone()
			for _, k := range order {
				c.remove(k)
			}
			x := result(c)
			if e == nil || x.size < e.size || x.size == e.size && len(x.key) < len(e.key) {
				e = x
			}
		})
		if e.size > limit {
			return nil, fmt.Errorf("the expression has more than %d letters; try aut or svg", limit)
		}
		return e, nil
	}

	c := m.clone()
	alive := make([]bool, n)
	for k := 1; k < n; k++ {
		alive[k] = true
	}
	for range n - 1 {
		best, least := 0, 0
		for k := 1; k < n; k++ {
			if w := c.weight(k); alive[k] && (best == 0 || w < least) {
				best, least = k, w
			}
		}
		alive[best] = false
		c.remove(best)
		if c.size() > 4*limit {
			return nil, fmt.Errorf("the expression of %d states has more than %d letters; try aut or svg", n, limit)
		}
	}
	if e = result(c); e.size > limit {
		return nil, fmt.Errorf("the expression has more than %d letters; try aut or svg", limit)
	}
	return e, nil
}

// returns reports whether every state can reach state 0 by steps that pass.
func (m matrix) returns(pass func(*expr) bool) bool {
	seen := make([]bool, len(m))
	seen[0] = true
	count := 1
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		for k := range m {
			if !seen[k] && pass(m[k][queue[0]]) {
				seen[k] = true
				count++
				queue = append(queue, k)
			}
		}
	}
	return count == len(m)
}

func (m matrix) clone() matrix {
	c := make(matrix, len(m))
	for k := range m {
		c[k] = slices.Clone(m[k])
	}
	return c
}

// remove eliminates state k.
func (m matrix) remove(k int) {
	loop := star(m[k][k])
	for i := range m {
		if i == k || m[i][k].op == '0' {
			continue
		}
		for j := range m {
			if j != k && m[k][j].op != '0' {
				m[i][j] = alt(m[i][j], cat(m[i][k], loop, m[k][j]))
			}
		}
		m[i][k] = none
	}
	for j := range m {
		m[k][j] = none
	}
}

// weight estimates how many letters the removal of k adds.
func (m matrix) weight(k int) int {
	in, out, ins, outs := 0, 0, 0, 0
	for j := range m {
		if j != k && m[j][k].op != '0' {
			in += m[j][k].size
			ins++
		}
		if j != k && m[k][j].op != '0' {
			out += m[k][j].size
			outs++
		}
	}
	return in*(outs-1) + out*(ins-1) + m[k][k].size*(ins*outs-1)
}

func (m matrix) size() int {
	n := 0
	for _, row := range m {
		for _, e := range row {
			n += e.size
		}
	}
	return n
}

// permute calls f with every order of list[k:].
func permute(list []int, k int, f func()) {
	if k >= len(list)-1 {
		f()
		return
	}
	for i := k; i < len(list); i++ {
		list[k], list[i] = list[i], list[k]
		permute(list, k+1, f)
		list[k], list[i] = list[i], list[k]
	}
}
