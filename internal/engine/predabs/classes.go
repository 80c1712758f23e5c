// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/term"
)

// This file splits classes of arguments and results.

// A ClassOf is a class of the arguments or results of a method.
type ClassOf struct {
	*describe.Division
	Method, Number int
}

// ArgClass is the class of the arguments of a call.
func (m *Abstraction) ArgClass(call *SymCall) ClassOf {
	return numbered(m.Methods[call.Method].Args, call.Method, call.Class)
}

// ResultClass is the class of the results of an outcome of a call.
func (m *Abstraction) ResultClass(call *SymCall, outcome int) ClassOf {
	return numbered(m.Methods[call.Method].Results, call.Method, call.Outcomes[outcome].Id)
}

func numbered(d *describe.Division, method, id int) ClassOf {
	return ClassOf{d, method, slices.IndexFunc(d.Classes, func(x describe.Class) bool { return x.Id == id })}
}

// Split splits a class by a condition. It is done, but has a reason, if there are too many classes; it is not done if one part would have no members.
func (m *Abstraction) Split(ctx context.Context, class ClassOf, cond *term.Term) (done bool, reason string, err error) {
	if len(class.Classes) >= MaxClasses || m.Splits >= maxSplits {
		return true, fmt.Sprintf("too many classes of arguments or results of %s", m.Methods[class.Method].Sum.Method.Name), nil
	}
	ok, err := class.Division.Split(ctx, m.Pool, m.Check, class.Number, cond)
	if err != nil || !ok {
		return false, "", err
	}
	m.Splits++
	if x := &m.Methods[class.Method]; class.Division == x.Results {
		// What calls do is told by outcome.
		for i := range x.Args.Classes {
			m.Ids++
			x.Args.Classes[i].Id = m.Ids
		}
	}
	m.Alphabet()
	return true, "", nil
}

// MinimalConditions finds conditions with the solver of the abstraction.
func (m *Abstraction) MinimalConditions() describe.Cubes {
	return describe.Cubes{Pool: m.Pool, Ask: m.Check}
}
