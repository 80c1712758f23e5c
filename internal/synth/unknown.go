// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// Unknown is the interface of a program of which no verdict is known: it has the constructors and calls, and no
// state, because no constructor is known to return.
func Unknown(p *prog.Program, reason string) (*typestate.Interface, error) {
	i := &typestate.Interface{
		Format:     typestate.Format,
		Component:  typestate.Component{Language: "open", Name: p.Name, Program: p.Hash()},
		Guarantees: typestate.Guarantees{Safe: typestate.GuaranteeOpen, Permissive: typestate.GuaranteeOpen, Tight: typestate.GuaranteeUnknown, Reason: reason},
	}
	for _, m := range p.Constructors {
		params, types := parameters(m)
		i.Constructors = append(i.Constructors, typestate.Constructor{ID: m.Name, Method: m.Name, Params: params, Types: types, Guard: "true",
			Verdict: typestate.VerdictUnknown.String(), Reason: reason})
	}
	for _, m := range p.Methods {
		params, types := parameters(m)
		i.Calls = append(i.Calls, typestate.Call{ID: m.Name, Method: m.Name, Params: params, Types: types, Guard: "true", Outcomes: []string{"return"}})
	}
	return i, i.Canonicalize()
}

// parameters are the names and types of the parameters of a method.
func parameters(m *prog.Method) (names, types []string) {
	names, types = []string{}, []string{}
	for _, v := range m.Params {
		names, types = append(names, v.Name), append(types, v.Type.String())
	}
	return names, types
}
