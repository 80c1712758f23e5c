// SPDX-License-Identifier: Apache-2.0

package interlock

// This file checks interfaces that were found earlier, by anybody. What is
// checked is the certificate, or all runs of a finite component; the engines are
// not asked.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
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

// verifyConflicts bounds the search for one answer of the embedded solver.
const verifyConflicts = 1_000_000

// NoCertificate says why Synthesize found no certificate for an interface whose
// Config asked for one; it is empty if there is one.
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

// Verify checks the certificate of an interface against the component of a
// Config, of which Filename, Source, Width and Uses matter. It knows nothing of
// how the interface was found.
func Verify(ctx context.Context, c Config, i *typestate.Interface, o VerifyOptions) (Verification, error) {
	return c.verify(ctx, i, o)
}

// VerifyGo is Verify for a Go type. The front end makes the program again from the
// source; of it the certificate is checked, so what the front end assumes is
// assumed here too. Without Errors the type has those of the interface.
func VerifyGo(ctx context.Context, t GoType, i *typestate.Interface, o VerifyOptions) (Verification, error) {
	if i.Component.Language != "go" || i.Component.Lowering == nil {
		return Verification{}, fmt.Errorf("the interface of %s is not one of a Go type", i.Component.Name)
	}
	if len(t.Errors) == 0 {
		t.Errors = i.Component.Errors
	}
	r, err := compileGo(ctx, t, Config{})
	if err != nil {
		return Verification{}, err
	}
	p, from, err := r.Lowered(ctx, i.Component.Lowering)
	if err != nil {
		return Verification{}, fmt.Errorf("%s: internal error: %w", t.Name, err)
	}
	// The conventions of the language are no business of the judge, who would not
	// know what they mean.
	j := i.Clone()
	needs := r.Unneed(j)
	assumed := slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Conventions, from.Conventions))))
	j.Conventions = slices.DeleteFunc(j.Conventions, func(text string) bool { return slices.Contains(assumed, text) })
	v, err := Config{Source: []byte(r.Text(p))}.verify(ctx, j, o)
	v.Assumed = slices.Concat(v.Assumed, needs, assumed, r.Contracts)
	return v, err
}

// secondSteps bounds the enumeration where a certificate did not decide: well below a second.
const secondSteps = 1 << 20

// second is the report on a certificate, or if it leaves something undecided that of
// the enumeration if that decides everything.
func second(ctx context.Context, p *prog.Program, i *typestate.Interface, r *cert.Report) (*cert.Report, error) {
	if r.OK() || r.Count(cert.Refuted) > 0 {
		return r, nil
	}
	e, err := cert.Enumerate(ctx, p, i, secondSteps)
	if err != nil || e.Count(cert.Unknown) > 0 {
		return r, err
	}
	return e, nil
}

func (c Config) verify(ctx context.Context, i *typestate.Interface, o VerifyOptions) (Verification, error) {
	p, _, err := c.parse()
	if err != nil {
		return Verification{}, err
	}
	solver := func() (solve.Solver, error) { return bv.New(bv.Options{Conflicts: verifyConflicts}), nil }
	if o.Solver != "" && o.Solver != "embedded" {
		command, err := smtlib.Find(o.Solver)
		if err != nil {
			return Verification{}, err
		}
		solver = func() (solve.Solver, error) { return smtlib.New(command, smtlib.Options{Retry: true}) }
	}
	var r *cert.Report
	if o.Enumerate {
		r, err = cert.Enumerate(ctx, p, i, 0)
	} else if r, err = cert.Check(ctx, p, i, solver, cert.Options{}); err == nil && o.Write == nil {
		r, err = second(ctx, p, i, r)
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
