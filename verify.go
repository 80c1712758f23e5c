// SPDX-License-Identifier: Apache-2.0

package interlock

import (
	"context"

	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// VerifyOptions say how to verify. The zero value, or nil, is useful.
type VerifyOptions struct {
	// Solver is "embedded" (or empty), "z3", "cvc5", or the path of a program that
	// reads SMT-LIB.
	Solver string
	// Write, if not nil, gets each obligation as an SMT-LIB file, and a note.
	Write func(name string, data []byte) error
	// Enumerate follows all runs of a finite component, instead of checking the
	// certificate, which there need not be.
	Enumerate bool
}

// A Verification says how the check of a certificate ended. Its zero value is
// that nothing is known.
type Verification struct {
	Obligations int // what has to be proved
	Proved      int
	Refuted     int
	Assumed     []string // conventions of the component under which they are derived
	// Name, What and Why are of the first obligation that is refuted, or else of
	// the first that could not be decided.
	Name, What, Why string
}

// OK reports whether the interface is proved to be safe and permissive wherever
// its verdicts are not unknown.
func (v Verification) OK() bool { return synth.Verification(v).OK() }

// Verify checks the certificate of an interface against the component, or follows all runs. It knows nothing of
// how the interface was found. A Go type must be lowered with the options that it was inferred with.
func Verify(ctx context.Context, c Component, i *typestate.Interface, o *VerifyOptions) (Verification, error) {
	if o == nil {
		o = &VerifyOptions{}
	}
	v, err := c.verify(ctx, i, synth.VerifyOptions(*o))
	return Verification(v), public(err)
}
