// SPDX-License-Identifier: Apache-2.0

package synth

// This file lets z3's Spacer prove interfaces: what an engine found is a
// conjecture, Spacer's invariants are its labels, and the judge decides as always.
// What an engine knows of what must be current is used only where labels alone are
// no evidence, and its own labels are never enough.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/engine/horn"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/internal/solve/smtlib"
	"github.com/interlock-go/interlock/typestate"
)

// The provers.
const (
	Embedded = "embedded" // the invariants that the engine found
	Spacer   = "spacer"   // those that z3's Spacer finds, as a system of Horn clauses
)

// A ProverError says that there is no prover of that name, or that it needs a program that is not installed.
type ProverError struct{ Name, Problem, Next string }

func (e *ProverError) Error() string { return "prover " + e.Name + ": " + e.Problem }

// prover finds the program that the prover needs; it is zero for none.
func (t *Task) prover() (smtlib.Command, error) {
	switch t.Prover {
	case "", Embedded:
		return smtlib.Command{}, nil
	case Spacer:
		command, err := smtlib.Find("z3")
		if err != nil {
			return command, &ProverError{Spacer, "needs z3, which is not installed", "install it, or use prover embedded"}
		}
		return command, nil
	}
	return smtlib.Command{}, &ProverError{t.Prover, "there is none of that name", "there are embedded and spacer"}
}

// spacer replaces the certificate of an interface by one with Spacer's invariants.
func spacer(ctx context.Context, p *prog.Program, i *typestate.Interface, command smtlib.Command) error {
	conjecture, err := horn.NewConjecture(p, i)
	if err != nil {
		return err
	}
	i.Stats["hornPredicates"] = int64(len(conjecture.Horn.Predicates))
	i.Stats["hornClauses"] = int64(len(conjecture.Horn.Clauses))
	// Over integers Spacer is much better, and bit-vectors are exact.
	var r smtlib.HornResult
	for _, theory := range []smtlib.Theory{smtlib.Integers, smtlib.BitVectors} {
		check := bv.New(bv.Options{Conflicts: solverConflicts})
		r, err = smtlib.SolveHorn(ctx, p.Pool, &conjecture.Horn, smtlib.HornOptions{Command: command, Theory: theory, Steps: hornSteps, Check: check})
		check.Close()
		var not *smtlib.TheoryError
		var wrong *smtlib.InvariantError
		if errors.As(err, &not) || errors.As(err, &wrong) {
			r.Reason = err.Error()
			continue
		}
		if err != nil {
			return err
		}
		if r.Verdict != solve.Unknown {
			break
		}
	}
	switch r.Verdict {
	case solve.Unknown:
		return &UndecidedError{fmt.Errorf("prover spacer: %s", r.Reason)}
	case solve.Unsat:
		if i.Guarantees.Safe == "proved" {
			return errors.New("internal error: prover spacer refutes what the engine proved")
		}
		return &UndecidedError{errors.New("prover spacer: the interface is not safe; it was found for short words only")}
	}
	own := i.Certificate
	i.Certificate = conjecture.Certificate(r.Invariants)
	if own != nil {
		i.Certificate.Rankings = own.Rankings // they speak of methods, not of states
	}
	report, err := cert.Check(ctx, p, i, new(Task).newSolver, cert.Options{First: true})
	if err != nil {
		return fmt.Errorf("checking the certificate: %w", err)
	}
	if !report.OK() && own != nil {
		i.Certificate = conjecture.Strengthen(own, r.Invariants)
		i.Stats["hornStrengthened"] = 1
	}
	if report.OK() { // whatever was known of it before
		i.Guarantees.Safe, i.Guarantees.Permissive, i.Guarantees.Depth = "proved", "proved", nil
	}
	maps.DeleteFunc(i.Stats, func(name string, _ int64) bool { return strings.HasPrefix(name, problem.OmittedCertificate) })
	return nil
}
