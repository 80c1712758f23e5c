// SPDX-License-Identifier: Apache-2.0

package parts

// This file refines the classes of arguments and results of several interfaces, and reads and writes their texts.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A notation is how classes are written: as guards, or as names of outcomes.
type notation struct {
	condition func(text string) (*term.Term, error) // what a text means
	and       func(x, y string) string              // the text of a conjunction
}

func (b *Multiplier) guards(m *prog.Method) notation {
	return notation{
		func(text string) (*term.Term, error) { return b.Expr(m, m.Params, text) },
		func(x, y string) string { return conjunction([]string{x, y}) },
	}
}

func (b *Multiplier) outcomes(m *prog.Method) notation {
	return notation{
		func(text string) (*term.Term, error) { return b.Outcome(m, text) },
		func(x, y string) string { return andOutcomes(m, x, y) },
	}
}

// refine returns the common refinement of the classes of the factors.
func (b *Multiplier) refine(m *prog.Method, l notation, lists [][]joint) ([]joint, error) {
	all := lists[0]
	for _, list := range lists[1:] {
		var next []joint
		same := len(all) == len(list)
		for k := range list {
			same = same && all[k].text == list[k].text
		}
		for k, x := range all {
			for n, y := range list {
				text := x.text
				switch {
				case same && k != n:
					continue // classes of one partition
				case same || y.text == "*" || y.text == "true" && len(list) == 1:
				case x.text == "*" || x.text == "true" && len(all) == 1:
					text = y.text
				default:
					var err error
					if text, err = b.meet(m, l, x.text, y.text); err != nil {
						return nil, err
					}
					if text == "" {
						continue
					}
				}
				next = append(next, joint{text, append(slices.Clone(x.of), y.of...)})
			}
		}
		all = next
	}
	return all, nil
}

// meet returns the text of what two classes have in common, "" if nothing.
func (b *Multiplier) meet(m *prog.Method, l notation, x, y string) (string, error) {
	if x == y {
		return x, nil
	}
	cx, err := l.condition(x)
	if err != nil {
		return "", err
	}
	cy, err := l.condition(y)
	if err != nil {
		return "", err
	}
	pool := b.P.Pool
	switch some, err := b.satisfiable(m, pool.And(cx, cy)); {
	case err != nil || !some:
		return "", err
	}
	switch some, err := b.satisfiable(m, pool.And(cx, pool.Not(cy))); {
	case err != nil:
		return "", err
	case !some:
		return x, nil
	}
	switch some, err := b.satisfiable(m, pool.And(cy, pool.Not(cx))); {
	case err != nil:
		return "", err
	case !some:
		return y, nil
	}
	return l.and(x, y), nil
}

func (b *Multiplier) satisfiable(m *prog.Method, t *term.Term) (bool, error) {
	if t.IsConst() {
		return t.IsTrue(), nil
	}
	if b.solver == nil {
		return false, fmt.Errorf("%s: the factors split arguments or results differently, and there is no solver to compare them", m.Name)
	}
	s := b.solver()
	defer s.Close()
	r, err := s.Check(b.ctx, t)
	if err != nil {
		return false, err
	}
	if r.Verdict == solve.Unknown {
		return false, fmt.Errorf("%s: the classes of arguments or results cannot be compared: %s", m.Name, r.Reason)
	}
	return r.Verdict == solve.Sat, nil
}

// Expr is the condition over the variables that a text is.
func (b *Multiplier) Expr(m *prog.Method, vars []*prog.Var, text string) (*term.Term, error) {
	t, err := prog.ParseExpr(b.P, vars, text)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read %q: %w", m.Name, text, err)
	}
	return t, nil
}

// Outcome is the condition on the results that the name of an outcome is.
func (b *Multiplier) Outcome(m *prog.Method, name string) (*term.Term, error) {
	parts, with := cutOutcome(m, name)
	all := []*term.Term{}
	if with != "" {
		t, err := b.Expr(m, m.Results, with)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	for k, r := range m.Results {
		if parts == nil || parts[k] == "_" {
			continue
		}
		if !isCondition(r, parts[k]) {
			v, err := prog.ParseExprAs(b.P, nil, parts[k], r.Type)
			if err != nil {
				return nil, fmt.Errorf("%s: cannot read outcome %q: %w", m.Name, name, err)
			}
			all = append(all, b.P.Pool.Eq(r.Term, v))
			continue
		}
		t, err := b.Expr(m, m.Results, parts[k])
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return b.P.Pool.And(all...), nil
}

// isCondition tells a condition on an integer from a value.
func isCondition(r *prog.Var, text string) bool {
	return r.Type.Sort.Kind == term.BitVecKind && strings.ContainsAny(text, "<>=!&|")
}

// cutOutcome cuts the name of an outcome into one part per result (nil if it
// says nothing) and the condition on several of them.
func cutOutcome(m *prog.Method, name string) (parts []string, with string) {
	name, with, _ = strings.Cut(name, " with ")
	single := len(m.Results) == 1 && m.Results[0].Type.Sort.Kind == term.EnumKind
	if name == "*" || name == "return" && !single {
		return nil, with
	}
	if len(m.Results) == 1 {
		return []string{name}, with
	}
	parts = strings.Split(strings.TrimSuffix(strings.TrimPrefix(name, "("), ")"), ", ")
	if len(parts) != len(m.Results) {
		return nil, with
	}
	return parts, with
}

// andOutcomes names the conjunction of two outcomes, in the form that cutOutcome
// reads.
func andOutcomes(m *prog.Method, x, y string) string {
	px, wx := cutOutcome(m, x)
	py, wy := cutOutcome(m, y)
	switch {
	case px == nil:
		px = py
	case py == nil:
		py = px
	}
	for k, r := range m.Results {
		switch {
		case px == nil || py[k] == "_" || py[k] == px[k]:
		case px[k] == "_":
			px[k] = py[k]
		default:
			both := []string{px[k], py[k]}
			for n, t := range both {
				if !isCondition(r, t) {
					both[n] = r.Name + " == " + t
				}
			}
			px[k] = conjunction(both)
		}
	}
	name := "return"
	switch len(px) {
	case 0:
	case 1:
		name = px[0]
	default:
		name = "(" + strings.Join(px, ", ") + ")"
	}
	if with := slices.DeleteFunc([]string{wx, wy}, func(w string) bool { return w == "" }); len(with) > 0 {
		name += " with " + conjunction(with)
	}
	return name
}
