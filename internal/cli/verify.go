// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command verify: the certificate of an interface file is
// checked against a component. Nothing of what found the interface is used.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/interlock-go/interlock"
)

func verifyCommand() command {
	return command{
		name: "verify", args: "IFACE COMPONENT",
		short: "check the certificate of an interface",
		long: `Verify reads an interface file with a certificate ('interlock infer
-certificate' writes one) and the component that it is of. It derives from the
component what has to be proved, independently of how the interface was found,
and asks a solver about each obligation.

	interlock infer -certificate -o lock.json lock.open
	interlock verify lock.json lock.open
	interlock verify -solver z3 lock.json lock.open
	interlock verify -smt2 obligations lock.json lock.open
	interlock verify scanner.json bufio.Scanner
	interlock verify -package runtime/trace trace.json

A Go type is read again from its source, with the flags that infer had; the
errors are those of the file. What reading it assumes is listed.

With -enumerate no certificate is needed: all runs of the component are
followed, if it has few enough states and arguments for that.

With -witness the automaton is given: an interface file, FSP, .aut or .dot,
and the component is a model or a program. Verify says whether the automaton is
safe, permissive (of words that can happen), full (of all words) and tight, each
with a shortest counterexample:

	interlock verify -witness mine.lts protocol.lts

With -smt2 the obligations are also written as SMT-LIB files, one each, without
quantifiers, with the answer that proves it as its :status. Exit status 0: all
are proved, 1: one is refuted, which is shown, 3: one could not be decided, or
there is no certificate.`,
		options: func() options { return &verifyOptions{} },
	}
}

// verifyOptions are those of verify.
type verifyOptions struct {
	solver    string
	code      goOptions
	enumerate bool
	smt2      string
	width     int
	witness   string
	model     modelOptions // how a model is read, with -witness
}

func (o *verifyOptions) flags(fs *flagSet) {
	solverFlag(fs, &o.solver)
	o.code.flags(fs)
	fs.BoolVar(&o.enumerate, "enumerate", false, "follow all runs of a finite component instead of checking the certificate")
	fs.StringVar(&o.smt2, "smt2", "", "write the obligations as SMT-LIB files into `directory`")
	fs.count(&o.width, "width", "narrow every integer type to `n` bits, as infer did", upTo(64, "bits"))
	fs.StringVar(&o.witness, "witness", "", "judge the automaton in `file` against a model or program, without a certificate")
	o.model.readFlags(fs)
	fs.limit()
}

func (o *verifyOptions) run(ctx context.Context, c *invocation) (int, error) {
	if o.witness != "" {
		return o.judgeWitness(ctx, c)
	}
	if o.code.pkg != "" {
		if len(c.args) != 1 {
			return exitWrong, c.expected("one IFACE with -package")
		}
		return o.verify(ctx, c, c.args[0], o.code.pkg)
	}
	if len(c.args) != 2 {
		return exitWrong, c.expected("IFACE and COMPONENT")
	}
	if name := firstGiven(o.code.given()); name != "" && !isGo(c.args[1]) {
		return exitWrong, notGo(name, c.args[1])
	}
	return o.verify(ctx, c, c.args[0], c.args[1])
}

func (o *verifyOptions) verify(ctx context.Context, c *invocation, iface, component string) (int, error) {
	data, err := c.read(iface)
	if err != nil {
		return exitWrong, err
	}
	if !isInterface(data) {
		return exitWrong, usagef("%s is not an interface file; 'interlock infer -certificate' makes one from a component", shown(iface))
	}
	i, err := readInterface(iface, data)
	if err != nil {
		return exitWrong, err
	}
	var source []byte
	code := isGo(component) || o.code.pkg != ""
	if !code {
		if source, err = c.read(component); err != nil {
			return exitWrong, err
		}
		if isInterface(source) {
			return exitWrong, usagef("%s is an interface file; expected the component", shown(component))
		}
	} else if i.Component.Lowering == nil {
		return exitWrong, usagef("%s is not the interface of a Go type; expected the component", shown(iface))
	} else if o.width > 0 {
		return exitWrong, usagef("-width: Go code has integers of their own width; expected a component in the text form with it")
	}
	if i.Certificate == nil && !o.enumerate {
		return exitUndecided, &exitError{exitUndecided, fmt.Errorf("%s has no certificate; 'interlock infer -certificate' writes one", shown(iface))}
	}
	if o.enumerate && o.smt2 != "" {
		return exitWrong, usagef("-enumerate: no obligation is a question to a solver; leave out -smt2")
	}
	if o.smt2 != "" {
		if err := os.MkdirAll(o.smt2, 0o777); err != nil {
			return exitWrong, usagef("-smt2 %s: %v", o.smt2, reason(err))
		}
	}
	how := interlock.VerifyOptions{Solver: o.solver, Enumerate: o.enumerate}
	if o.smt2 != "" {
		how.Write = func(name string, data []byte) error {
			if err := os.WriteFile(filepath.Join(o.smt2, name), data, 0o666); err != nil {
				return usagef("-smt2 %s: %v", o.smt2, reason(err))
			}
			return nil
		}
	}
	var v interlock.Verification
	if code {
		of := o.code
		if len(of.errorKinds) == 0 {
			of.errorKinds = i.Component.Errors
		}
		err = new(synthesisOptions).goWork(ctx, c, &of, component, func(g *interlock.GoComponent, _ *interlock.Options) (err error) {
			v, err = interlock.Verify(ctx, g, i, &how)
			return err
		})
	} else {
		err = (&synthesisOptions{width: o.width}).working(ctx, c, component, source, func(p *interlock.Program, _ *interlock.Options) (err error) {
			v, err = interlock.Verify(ctx, p, i, &how)
			return err
		})
	}
	if err != nil {
		return exitWrong, err
	}
	all := count(v.Obligations, "obligation")
	switch {
	case v.OK():
		fmt.Fprintf(c.Out, "verified: %s of %s proved\n", all, i.Component.Name)
		if n := len(i.Seen); n > 0 {
			fmt.Fprintf(c.Out, "not checked: %s only seen when it was run\n", isAre(n, "cell"))
		}
		for _, text := range v.Assumed {
			fmt.Fprintf(c.Out, "assuming %s\n", text)
		}
		return exitDone, nil
	case v.Refuted > 0:
		fmt.Fprintf(c.Out, "rejected: %d of %s refuted; the first is\n  %s\n  %s: %s\n", v.Refuted, all, v.Name, v.What, v.Why)
		return exitNo, nil
	default:
		fmt.Fprintf(c.Out, "undecided: %d of %s not decided; the first is\n  %s\n  %s: %s\n", v.Obligations-v.Proved, all, v.Name, v.What, v.Why)
		return exitUndecided, nil
	}
}
