// SPDX-License-Identifier: Apache-2.0

package synth

// This file has the judge check what an engine found.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/engine/parts"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// certify has the judge check an interface, and says "proved" only of what it has
// checked. It looks at the certificate, or if there is none follows all runs of the
// component. What it has not checked is claimed, with the reason.
func (t *Task) certify(ctx context.Context, p *prog.Program, i *typestate.Interface) error {
	if command, err := t.prover(); err != nil {
		return err
	} else if command.Path != "" {
		t.Report("asking Spacer", len(i.States))
		if err := spacer(ctx, p, i, command); err != nil {
			return err
		}
	}
	t.Report("judging the interface", len(i.States))
	if i.Guarantees.Depth != nil {
		return t.extend(ctx, p, i)
	}
	r, err := t.judge(ctx, p, i)
	if err != nil {
		return fmt.Errorf("judging the interface: %w", err)
	}
	if !r.Claims() {
		notProved(i, r, i.Certificate != nil)
	} else if i.Certificate != nil {
		if err := t.unassume(ctx, p, i); err != nil {
			return err
		}
	}
	if i.Guarantees.Tight == typestate.TightYes {
		i.Guarantees.Tight = tightness(r)
	}
	if !t.Certificate {
		i.Certificate = nil
	}
	return i.Canonicalize()
}

// judge asks the judge about an interface.
func (t *Task) judge(ctx context.Context, p *prog.Program, i *typestate.Interface) (*cert.Report, error) {
	if i.Certificate == nil {
		steps := int64(0)
		if t.Code != nil {
			steps = codeEnumeration
		}
		return cert.Enumerate(ctx, p, i, steps)
	}
	r, err := cert.Check(ctx, p, i, t.newSolver, t.checking(false))
	if err != nil || t.Code != nil {
		return r, err
	}
	return second(ctx, p, i, r)
}

// extend has the judge look at an interface that an engine has checked to some depth
// only, because it could not prove more: perhaps it holds for all words.
func (t *Task) extend(ctx context.Context, p *prog.Program, i *typestate.Interface) error {
	if t.Depth > 0 || t.Code != nil {
		return nil
	}
	r, err := cert.Enumerate(ctx, p, i, 0)
	if err != nil {
		return fmt.Errorf("judging the interface: %w", err)
	}
	if r.Claims() {
		i.Guarantees.Safe, i.Guarantees.Permissive, i.Guarantees.Depth = typestate.GuaranteeProved, typestate.GuaranteeProved, nil
	}
	return i.Canonicalize()
}

// tightness is what is known of an interface that an engine says is tight.
func tightness(r *cert.Report) string {
	switch {
	case r.Tight() == cert.Proved:
		return typestate.TightYes
	case r.Tight() == cert.Refuted:
		return typestate.GuaranteeNo
	}
	return typestate.GuaranteeClaimed
}

// notProved weakens what is claimed of an interface that the judge did not find proved. What is
// not decided is what the engine claims. A certificate that is refuted is no evidence at
// all. Enumeration refutes the interface itself.
func notProved(i *typestate.Interface, r *cert.Report, certificate bool) {
	g := &i.Guarantees
	first, unknown, refuted := r.First(), r.Count(cert.Unknown), r.Count(cert.Refuted)
	claim := typestate.GuaranteeClaimed
	switch {
	case refuted > 0 && certificate:
		claim = typestate.GuaranteeUnknown
		g.Reason = fmt.Sprintf("the judge refuted %d of the %d obligations of the certificate", refuted, len(r.Obligations))
	case refuted > 0:
		claim = typestate.GuaranteeNo
		g.Reason = fmt.Sprintf("the judge refutes it: %s: %s", first.What, first.Detail)
	case certificate:
		g.Reason = fmt.Sprintf("the judge did not decide %d of the %d obligations of the certificate", unknown, len(r.Obligations))
	case first != nil:
		g.Reason = "there is no certificate, and " + first.Detail
	}
	for _, s := range []*string{&g.Safe, &g.Permissive} {
		if *s != typestate.GuaranteeOpen || claim != typestate.GuaranteeClaimed {
			*s = parts.Least(*s, claim)
		}
	}
	if certificate {
		i.Stats["obligationsRefuted"], i.Stats["obligationsUnknown"] = int64(refuted), int64(unknown)
	}
}

// checking says how a certificate is checked, up to the first obligation that is not proved if only that
// matters. That of a program of Go code may take only so long.
func (t *Task) checking(first bool) cert.Options {
	opt := cert.Options{First: first}
	if t.Code != nil {
		opt.Terms, opt.Work = certificateTerms, t.effort().Limit/certificateShare*propagations
	}
	return opt
}

// unassume drops the conventions without which the certificate passes too: an
// engine assumes them from the start and does not know which it needed.
func (t *Task) unassume(ctx context.Context, p *prog.Program, i *typestate.Interface) error {
	all := i.Conventions
	for k := 0; k < len(all); {
		fewer := slices.Delete(slices.Clone(all), k, k+1)
		i.Conventions = fewer
		r, err := cert.Check(ctx, p, i, t.newSolver, t.checking(true))
		if err != nil {
			return fmt.Errorf("checking the certificate: %w", err)
		}
		if r.Claims() {
			all = fewer
		} else {
			k++
		}
	}
	i.Conventions = all
	return nil
}

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
