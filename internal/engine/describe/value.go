// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// StateConditions lists the conditions of the code that speak of state
// variables only.
func StateConditions(p *prog.Program) []*term.Term {
	var out []*term.Term
	for _, t := range Conditions(append(slices.Clone(p.Constructors), p.Methods...)...) {
		if OverVars(t, p.State) {
			out = append(out, t)
		}
	}
	return out
}

// FormatValue writes a value of a type as it is written in the text form.
func FormatValue(t prog.Type, v uint64) string {
	return term.FormatValue(t.Sort, term.Value{Lo: v}, t.Signed)
}

// PredicateFormula is describe for predicates instead of variables.
func PredicateFormula(p *prog.Program, state, vars []*prog.Var, points [][]uint64, in []bool) string {
	lists := make([][]int32, len(points))
	for i, m := range in {
		if m {
			lists[i] = []int32{1}
		}
	}
	d := newDescriber(p, vars, nil, points, lists)
	d.rename(func(l literal) string {
		pred := d.vars[l.of].Term
		if l.text[0] == '!' {
			pred = p.Pool.Not(pred)
		}
		return formatLiteral(p, state, pred)
	})
	return d.formula(in)
}

// Integers lists the integer results of a method.
func Integers(m *prog.Method) []*prog.Var {
	return slices.DeleteFunc(slices.Clone(m.Results), func(v *prog.Var) bool { return v.Type.Sort.Kind != term.BitVecKind })
}

// OutcomeText is the name of an outcome with a condition on the integers: base is its name without.
func OutcomeText(base string, m *prog.Method, text string) string {
	if len(m.Results) == 1 {
		return text
	}
	parts := slices.Repeat([]string{"_"}, len(m.Results))
	if base != "return" {
		parts = strings.Split(strings.Trim(base, "()"), ", ")
	}
	if len(Integers(m)) > 1 {
		return "(" + strings.Join(parts, ", ") + ") with " + text
	}
	for k, r := range m.Results {
		if r.Type.Sort.Kind == term.BitVecKind {
			parts[k] = text
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
