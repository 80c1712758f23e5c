// SPDX-License-Identifier: Apache-2.0

package explore

// This file finds the variables that can matter. A variable matters if it
// occurs in an assumption (errors are reached through assumptions), is a
// result, or flows into a variable that matters. The others are dropped before
// exploration: no run errs, returns or diverges differently for it, and no
// client can see the difference. This is the cone of influence of model
// checking; it is computed once for the whole component, flow-insensitively.

import (
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// relevant returns the variables that matter.
func relevant(p *prog.Program) map[*prog.Var]bool {
	type flow struct {
		to   *prog.Var
		from []*prog.Var
	}
	var flows []flow
	keep := map[*prog.Var]bool{}
	state := map[*term.Term]*prog.Var{}
	for _, v := range p.State {
		state[v.Term] = v
	}
	for _, m := range bodies(p) {
		local := localVars(m)
		vars := func(t *term.Term) []*prog.Var {
			var out []*prog.Var
			for _, x := range term.FreeVars(t) {
				if v := local[x]; v != nil {
					out = append(out, v)
				} else if v := state[x]; v != nil {
					out = append(out, v)
				}
			}
			return out
		}
		for _, r := range m.Results {
			keep[r] = true
		}
		for _, e := range m.Edges {
			switch e.Kind {
			case prog.AssumeEdge:
				for _, v := range vars(e.Exprs[0]) {
					keep[v] = true
				}
			case prog.AssignEdge:
				for i, v := range e.Vars {
					flows = append(flows, flow{v, vars(e.Exprs[i])})
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range flows {
			if !keep[f.to] {
				continue
			}
			for _, v := range f.from {
				if !keep[v] {
					keep[v], changed = true, true
				}
			}
		}
	}
	return keep
}

// everything returns all variables, for exploration without slicing.
func everything(p *prog.Program) map[*prog.Var]bool {
	keep := map[*prog.Var]bool{}
	for _, v := range p.State {
		keep[v] = true
	}
	for _, m := range bodies(p) {
		for _, v := range localVars(m) {
			keep[v] = true
		}
	}
	return keep
}

func bodies(p *prog.Program) []*prog.Method {
	return append(append([]*prog.Method(nil), p.Constructors...), p.Methods...)
}

func localVars(m *prog.Method) map[*term.Term]*prog.Var {
	local := map[*term.Term]*prog.Var{}
	for _, vs := range [][]*prog.Var{m.Params, m.Results, m.Locals} {
		for _, v := range vs {
			local[v.Term] = v
		}
	}
	return local
}
