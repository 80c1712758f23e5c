// SPDX-License-Identifier: Apache-2.0

package corpus

// This file reads and compares what tables say of registers. Registers of a table have the names of the state
// variables for which they stand, as in an interface. Updates are compared by what they mean, as guards are.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// register reads "NAME".
func (e *Expect) register(name string) error {
	if name = strings.TrimSpace(name); name == "" || slices.Contains(e.registers, name) {
		return fmt.Errorf("want \"register NAME\" once for each")
	}
	e.registers = append(e.registers, name)
	return nil
}

// typesOf lists the types that the registers of the table have in an interface.
func (e *Expect) typesOf(i *typestate.Interface) ([]string, error) {
	types := make([]string, len(e.registers))
	for _, s := range i.States {
		for _, r := range s.Registers {
			if k := slices.Index(e.registers, r.Name); k >= 0 {
				types[k] = r.Type
			}
		}
	}
	if k := slices.Index(types, ""); k >= 0 {
		return nil, fmt.Errorf("no state has the register %s", e.registers[k])
	}
	return types, nil
}

// update reads "CALL: NAME = TEXT".
func (e *Expect) update(text string) error {
	id, rest, _ := strings.Cut(text, ":")
	name, value, ok := strings.Cut(rest, "=")
	id, name, value = strings.TrimSpace(id), strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || id == "" || value == "" {
		return fmt.Errorf("want \"update CALL: NAME = TEXT\"")
	}
	if !slices.Contains(e.registers, name) {
		return fmt.Errorf("%q is not a register", name)
	}
	if _, dup := e.updates[id][name]; dup {
		return fmt.Errorf("second update of %s by %s", name, id)
	}
	if e.updates == nil {
		e.updates = map[string]map[string]string{}
	}
	if e.updates[id] == nil {
		e.updates[id] = map[string]string{}
	}
	e.updates[id][name] = value
	return nil
}

// checkRegisters compares the registers of an interface, and what its calls give them. The maps have its call ids by
// those of the table; registers are their types.
func (e *Expect) checkRegisters(i *typestate.Interface, starts, calls map[string]string, registers []string) []string {
	var diffs []string
	live := map[int]map[string]bool{}
	for _, s := range i.States {
		live[s.ID] = map[string]bool{}
		for _, r := range s.Registers {
			live[s.ID][r.Name] = true
			if !slices.Contains(e.registers, r.Name) {
				diffs = append(diffs, fmt.Sprintf("state %d has a register %s, which the table has not", s.ID, r.Name))
			}
		}
	}
	if len(diffs) > 0 {
		return diffs
	}
	check := func(id string, params, types []string, guard string, to int, have map[string]string, first bool) {
		for _, name := range e.registers {
			if !live[to][name] {
				continue
			}
			want, ok := e.updates[id][name]
			if !ok && !first {
				want = name
			}
			text, ok := have[name]
			if !ok && !first {
				text = name
			}
			if d := sameValue(want, text, guard, params, types); d != "" {
				diffs = append(diffs, fmt.Sprintf("%s gives %s the value %q, want %q: %s", id, name, text, want, d))
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(starts)) {
		for _, c := range i.Constructors {
			if c.ID == starts[id] && c.State != nil {
				check(id, c.Params, c.Types, c.Guard, *c.State, c.Update, true)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(calls)) {
		for _, c := range i.Calls {
			for _, edge := range i.Edges {
				if c.ID == calls[id] && edge.Call == c.ID {
					check(id, slices.Concat(c.Params, e.registers), slices.Concat(c.Types, registers), c.Guard, edge.To, edge.Update, false)
				}
			}
		}
	}
	return diffs
}

// sameValue says where two texts have different values, where a guard holds; "" if nowhere.
func sameValue(want, have, guard string, params, types []string) string {
	var exprs []ast.Expr
	for _, text := range []string{guard, want, have} {
		x, err := parser.ParseExpr(text)
		if err != nil {
			return fmt.Sprintf("%q cannot be read: %v", text, err)
		}
		exprs = append(exprs, x)
	}
	domains, err := domains(exprs, params, types)
	if err != nil {
		return err.Error()
	}
	diff := ""
	environments(params, domains, func(env map[string]value) bool {
		var got []value
		for _, x := range exprs {
			v, err := eval(x, env)
			if err != nil {
				diff = err.Error()
				return false
			}
			if got = append(got, v); got[0].v != true {
				return true
			}
		}
		if got[1].v != got[2].v {
			diff = "they differ at " + show(env)
		}
		return diff == ""
	})
	return diff
}

// environments calls f with each combination of values, as long as it returns true.
func environments(params []string, domains [][]value, f func(env map[string]value) bool) {
	env := map[string]value{}
	for k, p := range params {
		env[p] = domains[k][0]
	}
	pick := make([]int, len(params))
	for f(env) {
		k := 0
		for ; k < len(pick); k++ {
			if pick[k]++; pick[k] < len(domains[k]) {
				env[params[k]] = domains[k][pick[k]]
				break
			}
			pick[k] = 0
			env[params[k]] = domains[k][0]
		}
		if k == len(pick) {
			return
		}
	}
}
