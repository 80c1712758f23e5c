// SPDX-License-Identifier: Apache-2.0

package run

// This file follows what an interface remembers, its registers, along a trace. Values that are not known, because
// a result says them, are left out: guards that need them then hold of nothing.

import (
	"maps"
	"slices"

	"github.com/interlock-go/interlock/typestate"
)

// A memory knows the guards and updates of an interface; nil of one that remembers nothing.
type memory struct {
	calls     map[string]typestate.Call
	registers []map[string]string // of each state, with their types
}

func newMemory(i *typestate.Interface) *memory {
	if !slices.ContainsFunc(i.States, func(s typestate.State) bool { return len(s.Registers) > 0 }) {
		return nil
	}
	m := &memory{calls: map[string]typestate.Call{}}
	for _, c := range i.Calls {
		m.calls[c.ID] = c
	}
	for _, s := range i.States {
		for len(m.registers) <= s.ID {
			m.registers = append(m.registers, map[string]string{})
		}
		for _, r := range s.Registers {
			m.registers[s.ID][r.Name] = r.Type
		}
	}
	return m
}

// scope are the types and values of parameters and registers. Parameters hide registers.
func (m *memory) scope(params, kinds []string, known, remembered typestate.Known) (types map[string]string, values typestate.Known) {
	types, values = map[string]string{}, maps.Clone(remembered)
	if values == nil {
		values = typestate.Known{}
	}
	for _, s := range m.registers {
		maps.Copy(types, s)
	}
	for k, p := range params {
		delete(values, p)
		types[p] = kinds[k]
		if v, ok := known[p]; ok {
			values[p] = v
		}
	}
	return types, values
}

// call is the call of the interface that a letter is.
func (m *memory) call(r Ref, remembered typestate.Known) (id string, ok bool) {
	if m == nil || len(r.IDs) < 2 {
		return r.ID, true
	}
	for _, id := range r.IDs {
		c := m.calls[id]
		types, values := m.scope(c.Params, c.Types, r.Known, remembered)
		if typestate.GuardHolds(c.Guard, types, values) == typestate.MatchYes {
			return id, true
		}
	}
	return "", false
}

// begin is what is remembered after a constructor.
func (m *memory) begin(c typestate.Constructor, r Ref) typestate.Known {
	if m == nil {
		return nil
	}
	types, values := m.scope(c.Params, c.Types, r.Known, nil)
	for _, x := range c.Results {
		delete(values, x.Name)
		types[x.Name] = x.Type
	}
	return m.values(*c.State, c.Update, types, values, nil)
}

// update is what is remembered after a call.
func (m *memory) update(e typestate.Edge, r Ref, remembered typestate.Known) typestate.Known {
	if m == nil {
		return nil
	}
	c := m.calls[e.Call]
	types, values := m.scope(c.Params, c.Types, r.Known, remembered)
	for _, x := range c.Results {
		delete(values, x.Name)
		types[x.Name] = x.Type
	}
	return m.values(e.To, e.Update, types, values, remembered)
}

// values are those of the registers of a state: updated ones, and others that keep theirs.
func (m *memory) values(state int, update, types map[string]string, values, remembered typestate.Known) typestate.Known {
	out := typestate.Known{}
	for name, kind := range m.registers[state] {
		v, ok := remembered[name]
		if text, set := update[name]; set {
			v, ok = typestate.Evaluate(text, kind, types, values)
		}
		if ok {
			out[name] = v
		}
	}
	return out
}
