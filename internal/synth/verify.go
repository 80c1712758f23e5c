// SPDX-License-Identifier: Apache-2.0

package synth

// This file checks interfaces that were found earlier, by anybody. What is
// checked is the certificate, or all runs of a finite component; the engines are
// not asked.

import (
	"context"

	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/internal/solve/smtlib"
	"github.com/interlock-go/interlock/typestate"
)

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
func (v Verification) OK() bool { return v.Obligations > 0 && v.Proved == v.Obligations }

// VerifyOptions say how to verify.
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

// NoCertificate says why an interface has no certificate whose strategy asked for one; it is empty if there is one.
func NoCertificate(i *typestate.Interface) string {
	switch {
	case i.Certificate != nil:
		return ""
	case i.Stats[problem.OmittedSerial] > 0:
		return "in the infinite-word reading (-serial) calls are forbidden that do not err, for which certificates have no evidence"
	case i.Stats[problem.OmittedLarge] > 0:
		return "it would be too large"
	case i.Stats[problem.OmittedCertificate] > 0:
		return "all words were compared, which is no evidence that can be written down"
	}
	return "none was asked for"
}

// Verify checks the certificate of an interface against a program. It knows nothing of how the interface was found.
func Verify(ctx context.Context, p *Program, i *typestate.Interface, o VerifyOptions) (Verification, error) {
	solver := func() (solve.Solver, error) { return bv.New(bv.Options{Conflicts: verifyConflicts}), nil }
	if o.Solver != "" && o.Solver != "embedded" {
		command, err := smtlib.Find(o.Solver)
		if err != nil {
			return Verification{}, err
		}
		solver = func() (solve.Solver, error) { return smtlib.New(command, smtlib.Options{Retry: true}) }
	}
	var r *cert.Report
	var err error
	if o.Enumerate {
		r, err = cert.Enumerate(ctx, p.Program, i, 0)
	} else if r, err = cert.Check(ctx, p.Program, i, solver, cert.Options{}); err == nil && o.Write == nil {
		r, err = second(ctx, p.Program, i, r)
	}
	if err != nil {
		return Verification{}, err
	}
	if o.Write != nil {
		files, err := r.SMT2()
		if err != nil {
			return Verification{}, err
		}
		for _, f := range files {
			if err := o.Write(f.Name, f.Data); err != nil {
				return Verification{}, err
			}
		}
	}
	v := Verification{Obligations: len(r.Obligations), Proved: r.Count(cert.Proved), Refuted: r.Count(cert.Refuted), Assumed: r.Assumed}
	if first := r.First(); first != nil {
		v.Name, v.What, v.Why = first.Name, first.What, first.Detail
	}
	return v, nil
}
