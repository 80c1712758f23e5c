// SPDX-License-Identifier: Apache-2.0

package typestate

// This file finds concrete arguments for guards, to show people both sides of them:
// the numbers and names that the guards mention and those next to them are tried.
// What a solver would find besides, nobody would find readable.

import (
	"math/big"
	"slices"
)

// An Example is a call with arguments that satisfy one of the guards of its method.
type Example struct {
	Step    Step // the call, without outcome
	ID      string
	Guard   string
	Verdict Verdict
}

// Examples returns a call for each guard of a method, or of a constructor if there
// is no word, made after a word that the interface accepts, in the order of the
// guards. There are none if the method has one guard, and none for guards for which
// no arguments were found.
func (i *Interface) Examples(word []Step, method string) []Example {
	var calls []Call
	if len(word) == 0 {
		calls = constructorCalls(i)
	} else {
		calls = slices.Clone(i.Calls)
	}
	calls = slices.DeleteFunc(calls, func(c Call) bool { return c.Method != method })
	if len(calls) < 2 {
		return nil
	}
	x := newIndex(i)
	var values []*big.Int
	if len(word) > 0 {
		a := x.accepts(word)
		if a.Kind != StepNext {
			return nil
		}
		for _, s := range i.States {
			for _, r := range s.Registers {
				if n, ok := new(big.Int).SetString(a.Registers[r.Name], 0); ok {
					values = append(values, n)
				}
			}
		}
	}
	found := make([]*Example, len(calls))
	for _, args := range candidates(calls[0], calls, values) {
		step := Step{Call: method, Args: args}
		a := x.accepts(append(slices.Clone(word), step))
		k := slices.IndexFunc(calls, func(c Call) bool { return c.ID == a.Call })
		if k < 0 || found[k] != nil || a.Pos < len(word) {
			continue
		}
		e := &Example{Step: step, ID: a.Call, Guard: calls[k].Guard}
		if len(word) > 0 {
			e.Verdict = i.Verdict(a.From, a.Call)
		} else {
			for _, c := range i.Constructors {
				if c.ID == a.Call {
					e.Verdict, _ = ParseVerdict(c.Verdict)
				}
			}
		}
		found[k] = e
	}
	var out []Example
	for _, e := range found {
		if e != nil {
			out = append(out, *e)
		}
	}
	return out
}
