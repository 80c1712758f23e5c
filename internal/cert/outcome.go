// SPDX-License-Identifier: Apache-2.0

package cert

// This file reads the names of outcomes as conditions on results. A name is
// "return"; a value, "_" or a condition for each result, in parentheses if there
// are several; or such a tuple "with" a condition on all results
// (doc/format.md).

import (
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

func (c *checker) outcome(m *prog.Method, name string) (*term.Term, error) {
	if name == "return" && !c.isValue(m, name) {
		return c.pool.True(), nil
	}
	if len(m.Results) == 0 {
		return nil, fmt.Errorf("there are no results")
	}
	if len(m.Results) == 1 {
		return c.part(m, m.Results[0], name)
	}
	if !strings.HasPrefix(name, "(") {
		return nil, fmt.Errorf("expected %d results in parentheses", len(m.Results))
	}
	parts, rest := tuple(name)
	if len(parts) != len(m.Results) {
		return nil, fmt.Errorf("expected %d results, found %d", len(m.Results), len(parts))
	}
	var all []*term.Term
	for k, r := range m.Results {
		t, err := c.part(m, r, parts[k])
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	if rest != "" {
		cond, ok := strings.CutPrefix(rest, " with ")
		if !ok {
			return nil, fmt.Errorf("unexpected %q after the results", rest)
		}
		t, err := c.formula(m.Results, cond)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return c.pool.And(all...), nil
}

// isValue reports whether the name is a value of the only result.
func (c *checker) isValue(m *prog.Method, name string) bool {
	if len(m.Results) != 1 {
		return false
	}
	_, err := prog.ParseExprAs(c.prog, nil, name, m.Results[0].Type)
	return err == nil
}

// part reads a value of one result, "_", or a condition on it.
func (c *checker) part(m *prog.Method, r *prog.Var, text string) (*term.Term, error) {
	if text == "_" {
		return c.pool.True(), nil
	}
	if e := r.Type.Sort.Enum; e != nil { // the name of a value needs no quoting here
		if v := c.pool.EnumValue(e, text); v != nil {
			return c.pool.Eq(r.Term, v), nil
		}
	}
	if t, err := prog.ParseExprAs(c.prog, nil, text, r.Type); err == nil && t.IsConst() {
		return c.pool.Eq(r.Term, t), nil
	}
	return c.formula(m.Results, text)
}

// tuple splits "(a, f(b, c)) rest" into its parts and the rest.
func tuple(name string) (parts []string, rest string) {
	depth, from := 0, 1
	for k, r := range name {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return append(parts, strings.TrimSpace(name[from:k])), name[k+1:]
			}
		case ',':
			if depth == 1 {
				parts = append(parts, strings.TrimSpace(name[from:k]))
				from = k + 1
			}
		}
	}
	return nil, name
}
