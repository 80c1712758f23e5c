// SPDX-License-Identifier: Apache-2.0

package interlock

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

// ErrProver is wrapped by errors about Config.Prover: there is none of that name,
// or it needs a program that is not installed.
var ErrProver = errors.New("no such prover")

type noProver struct{ error }

func (n noProver) Is(target error) bool { return target == ErrProver }
func (n noProver) Unwrap() error        { return n.error }

// Provers lists the provers, the default first.
func Provers() []Choice {
	return []Choice{
		{"embedded", "the invariants that the engine found"},
		{"spacer", "invariants that z3's Spacer finds for the interface, as a system of Horn clauses; z3 must be installed"},
	}
}

// hornSteps bounds a question to Spacer in z3's own steps, of which there are some
// millions in a second.
const hornSteps = 6_000_000

// prover finds the program that the prover needs; it is zero for none.
func (c Config) prover() (smtlib.Command, error) {
	switch c.Prover {
	case "", "embedded":
		return smtlib.Command{}, nil
	case "spacer":
		command, err := smtlib.Find("z3")
		if err != nil {
			return command, noProver{errors.New("prover spacer needs z3, which is not installed; install it, or use -prover embedded")}
		}
		return command, nil
	}
	return smtlib.Command{}, noProver{fmt.Errorf("no prover %q: there are embedded and spacer", c.Prover)}
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
		return undecided{fmt.Errorf("prover spacer: %s", r.Reason)}
	case solve.Unsat:
		if i.Guarantees.Safe == "proved" {
			return errors.New("internal error: prover spacer refutes what the engine proved")
		}
		return undecided{errors.New("prover spacer: the interface is not safe; it was found for short words only")}
	}
	own := i.Certificate
	i.Certificate = conjecture.Certificate(r.Invariants)
	if own != nil {
		i.Certificate.Rankings = own.Rankings // they speak of methods, not of states
	}
	report, err := cert.Check(ctx, p, i, Config{}.newSolver, cert.Options{First: true})
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
