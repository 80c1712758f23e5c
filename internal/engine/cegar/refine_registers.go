// SPDX-License-Identifier: Apache-2.0

package cegar

import (
	"context"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/registers"
)

// byRegisters divides a call by the condition under which it errs. It applies if that is a condition of registers alone, or, after some refinements of
// the method, of variables that may become registers. It makes progress because a class of arguments is split by it.
type byRegisters struct {
	registers *registers.Registers
	attempts  attempts
}

// Refine implements Refiner.
func (r byRegisters) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	done, err := r.divide(ctx, k, r.tried(k).refinements > lateTries)
	return done, "", err
}

// tried is what was tried for the method of a conflict.
func (r byRegisters) tried(k *conflict) *attempt {
	return r.attempts.tried(r.registers.Abs.Calls[k.call].Sum.Method)
}

// divide divides the call of a conflict. If it is late, the predicates found for its method are about single values, and are taken back.
func (r byRegisters) divide(ctx context.Context, k *conflict, late bool) (bool, error) {
	done, err := r.registers.RememberAlone(ctx, &r.registers.Abs.Calls[k.call], late)
	if done && late {
		tried := r.tried(k)
		r.registers.Abs.Restore(tried.began)
		tried.refinements = 1
	}
	return done, err
}

// byPart divides a call by a comparison of registers because of which it errs, beside others. It applies where there are registers. It makes
// progress because a class of arguments is split by it.
type byPart struct{ registers *registers.Registers }

// Refine implements Refiner.
func (r byPart) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	done, err := r.registers.RememberPart(ctx, k.pair, k.call)
	return done, "", err
}

// byState divides the arguments of a call by a value that the state has in this word only, such as that of a counter, which becomes a register.
// It applies if the word errs whatever the arguments and results. It makes progress because a class of arguments is split by it.
type byState struct {
	abs       *predabs.Abstraction
	registers *registers.Registers
}

// Refine implements Refiner.
func (r byState) Refine(ctx context.Context, k *conflict) (bool, string, error) {
	run, err := k.certain(ctx, r.abs)
	if run == nil || err != nil {
		return false, "", err
	}
	done, err := r.registers.RememberState(ctx, k.formula, -1, run, false)
	return done, "", err
}
