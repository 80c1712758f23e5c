// SPDX-License-Identifier: Apache-2.0

package cert

// This file reads registers. A register has the name and type of a state
// variable, and the claim is that after every word that reaches the state the
// variable has the register's value in every current component state. So a client
// that keeps the registers knows whether a guard holds that mentions them.
//
// A register is a variable of its own, which before a call is the state variable if
// the interface state has the register. If it has not, nothing is
// known of it: then a guard that mentions it holds for every argument for which
// some value makes it hold, and what is claimed of the call is claimed of all
// these. That a register may have been overwritten when the call is at a loop head
// or returns needs no care therefore: it is the value before the call.

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A memory is what an interface remembers.
type memory struct {
	vars    []*prog.Var              // registers of any state: their names, but variables of their own
	of      map[string]*prog.Var     // by name: the state variable it is equal to
	inState map[int][]*prog.Var      // by interface state: its registers
	updates map[updateKey]*term.Term // over arguments, results and registers
}

// An updateKey is a register and the text that gives it its value after a call.
type updateKey struct {
	call, register, text string
	constructor          bool
}

// readRegisters finds the state variables for which the registers stand.
func (c *checker) readRegisters() error {
	c.memory = memory{of: map[string]*prog.Var{}, inState: map[int][]*prog.Var{}, updates: map[updateKey]*term.Term{}}
	for s, st := range c.iface.States {
		for _, r := range st.Registers {
			at := slices.IndexFunc(c.prog.State, func(v *prog.Var) bool { return v.Name == r.Name })
			if at < 0 {
				return fmt.Errorf("state %d: no state variable %s", s, r.Name)
			}
			v := c.prog.State[at]
			if v.Type.String() != r.Type {
				return fmt.Errorf("state %d: register %s is %s, but the state variable %v", s, r.Name, r.Type, v.Type)
			}
			if c.memory.of[r.Name] == nil {
				c.memory.of[r.Name] = v
				c.memory.vars = append(c.memory.vars, &prog.Var{Name: r.Name, Type: v.Type, Term: c.pool.Var(hidden+"register "+r.Name, v.Type.Sort)})
			}
			k := slices.IndexFunc(c.memory.vars, func(o *prog.Var) bool { return o.Name == r.Name })
			c.memory.inState[s] = append(c.memory.inState[s], c.memory.vars[k])
		}
	}
	return nil
}

// readUpdates parses all updates.
func (c *checker) readUpdates() error {
	read := func(k *callee, constructor bool, update map[string]string) error {
		for _, name := range slices.Sorted(maps.Keys(update)) {
			text, v := update[name], c.memory.of[name]
			if v == nil {
				return fmt.Errorf("%s: update of %s, which is no register", k.id, name)
			}
			vars := slices.Concat(k.method.Params, k.method.Results)
			if !constructor {
				vars = append(vars, c.memory.vars...)
			}
			t, err := prog.ParseExprAs(c.prog, vars, text, v.Type)
			if err != nil {
				return fmt.Errorf("%s: update of %s: %w", k.id, name, err)
			}
			c.memory.updates[updateKey{k.id, name, text, constructor}] = c.pool.Substitute(t, k.code.arguments())
		}
		return nil
	}
	for _, k := range c.calls[1] {
		for _, e := range k.entries {
			if err := read(k, true, e.Update); err != nil {
				return err
			}
		}
	}
	for _, e := range c.iface.Edges {
		at := slices.IndexFunc(c.calls[0], func(k *callee) bool { return k.id == e.Call })
		if err := read(c.calls[0][at], false, e.Update); err != nil {
			return err
		}
	}
	return nil
}

// arguments is the substitution of parameters by arguments.
func (k *code) arguments() map[*term.Term]*term.Term {
	sub := map[*term.Term]*term.Term{}
	for j, v := range k.method.Params {
		sub[v.Term] = k.args[j]
	}
	return sub
}

// remembered gives the registers of a node's state the values of their state
// variables before a call. It is a substitution, because a solver by bit-blasting
// is slow to make use of equations between wide variables.
func (c *checker) remembered(n int) map[*term.Term]*term.Term {
	if n == 0 || len(c.memory.inState[c.nodes[n].State]) == 0 {
		return nil
	}
	sub := map[*term.Term]*term.Term{}
	for _, r := range c.memory.inState[c.nodes[n].State] {
		sub[r.Term] = c.memory.of[r.Name].Term
	}
	return sub
}

// recall replaces registers by values.
func (c *checker) recall(t *term.Term, memory map[*term.Term]*term.Term) *term.Term {
	if memory == nil {
		return t
	}
	return c.pool.Substitute(t, memory)
}

// before returns the registers as variables of loop invariants: their values
// before the call.
func (c *checker) before(k *callee) []*prog.Var {
	var out []*prog.Var
	for _, r := range c.memory.vars {
		name := typestate.EntryPrefix + r.Name
		if !slices.ContainsFunc(slices.Concat(k.code.vars, k.code.old), func(o *prog.Var) bool { return o.Name == name }) {
			out = append(out, &prog.Var{Name: name, Type: r.Type, Term: r.Term})
		}
	}
	return out
}

// registers adds the obligation that the state after a call remembers what it
// claims to.
func (c *checker) registers(ctx context.Context, n int, k *callee, segs []segment, ways []way) error {
	for _, w := range ways {
		for _, r := range c.memory.inState[w.to] {
			value := r.Term
			if text, ok := w.update[r.Name]; ok {
				value = c.memory.updates[updateKey{k.id, r.Name, text, n == 0}]
			}
			wrong := c.some(k, segs, k.returns, func(sub map[*term.Term]*term.Term) *term.Term {
				plain := c.withoutArguments(k, sub)
				now := c.pool.Substitute(c.memory.of[r.Name].Term, sub)
				return c.pool.And(c.pool.Substitute(w.cond, plain), c.pool.Not(c.pool.Eq(now, c.pool.Substitute(value, plain))))
			})
			if err := c.add(ctx, Obligation{Kind: "register", Name: fmt.Sprintf("register %d %s %s %s", n, k.id, w.outcome, r.Name),
				What: fmt.Sprintf("node %d, %s with outcome %s: register %s has the value of the state variable", n, k.id, w.outcome, r.Name), Assume: []*term.Term{wrong}}); err != nil {
				return err
			}
		}
	}
	return nil
}
