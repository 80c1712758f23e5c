// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the commands infer, render and compare.

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

func inferCommand() command {
	return command{
		name: "infer", args: "FILE",
		short: "synthesize the interface of a component",
		long: `Infer reads a component in the text form of open programs (FILE, or - for
standard input) and prints its minimal safe and permissive interface: the
automaton of exactly the call sequences that do not make it err.

	interlock infer lock.open                    a table for people
	interlock infer -o lock.json lock.open       the interface file
	interlock infer -o lock.svg lock.open        a picture
	interlock infer -engine learn -learner ttt lock.open

All engines give the same interface, or refuse by name what they cannot do
('interlock help engines').`,
		flags: func(fs *flag.FlagSet, o *options) {
			synthesisFlags(fs, o)
			outputFlags(fs, o)
		},
		run: func(ctx context.Context, c *invocation) (int, error) {
			if len(c.args) != 1 {
				return exitWrong, usagef("expected one FILE, got %d arguments; 'interlock help infer' shows examples", len(c.args))
			}
			data, err := c.read(c.args[0])
			if err != nil {
				return exitWrong, err
			}
			if isInterface(data) {
				return exitWrong, usagef("%s is an interface file already; 'interlock render' shows it", c.args[0])
			}
			i, err := c.synthesize(ctx, c.args[0], data)
			if err != nil {
				return exitWrong, err
			}
			return exitDone, c.write(i)
		},
	}
}

func renderCommand() command {
	return command{
		name: "render", args: "IFACE",
		short: "show an interface file in another format",
		long: `Render reads an interface file (IFACE, or - for standard input) and writes it
in another format: a table, a picture, the input of another tool.

	interlock render lock.json
	interlock render -format mermaid lock.json
	interlock render -o lock.svg lock.json`,
		flags: outputFlags,
		run: func(ctx context.Context, c *invocation) (int, error) {
			if len(c.args) != 1 {
				return exitWrong, usagef("expected one interface file, got %d arguments", len(c.args))
			}
			data, err := c.read(c.args[0])
			if err != nil {
				return exitWrong, err
			}
			if !isInterface(data) {
				return exitWrong, usagef("%s is not an interface file; 'interlock infer' makes one from a component", c.args[0])
			}
			i, err := c.load(ctx, c.args[0])
			if err != nil {
				return exitWrong, err
			}
			return exitDone, c.write(i)
		},
	}
}

func compareCommand() command {
	return command{
		name: "compare", args: "A B",
		short: "compare two interfaces",
		long: `Compare says whether two interfaces are equal, that is, agree on every word
that can happen in both; if not it prints a shortest word that only A allows
and a shortest that only B allows. A and B are interface files or components.

	interlock compare old.json new.json

Exit status 0: equal, 1: different, 3: could not tell.`,
		flags: synthesisFlags,
		run: func(ctx context.Context, c *invocation) (int, error) {
			if len(c.args) != 2 {
				return exitWrong, usagef("expected two files, got %d arguments", len(c.args))
			}
			a, err := c.load(ctx, c.args[0])
			if err != nil {
				return exitWrong, err
			}
			b, err := c.load(ctx, c.args[1])
			if err != nil {
				return exitWrong, err
			}
			d := typestate.Compare(a, b)
			printDifference(c.Out, c.args[0], c.args[1], d)
			switch d.Kind {
			case typestate.CompareEqual:
				return exitDone, nil
			case typestate.CompareDifferent:
				return exitNo, nil
			}
			return exitUndecided, nil
		},
	}
}

func printDifference(w io.Writer, a, b string, d typestate.Difference) {
	fmt.Fprintln(w, d.Kind)
	only := func(name string, list []typestate.Name) {
		for _, n := range list {
			kind := "method"
			if n.Constructor {
				kind = "constructor"
			}
			fmt.Fprintf(w, "%s %s: only in %s\n", kind, n.Method, name)
		}
	}
	only(a, d.OnlyA)
	only(b, d.OnlyB)
	word := func(text, name string, s *typestate.Separation) {
		if s == nil {
			return
		}
		var parts []string
		for _, x := range s.Word {
			parts = append(parts, x.String())
		}
		fmt.Fprintf(w, "%s %s: %s\n", text, name, strings.Join(parts, " "))
	}
	word("allowed only by", a, d.AllowedByA)
	word("allowed only by", b, d.AllowedByB)
	word("known only by", a, d.KnownByA)
	word("known only by", b, d.KnownByB)
	for _, r := range d.Reasons {
		fmt.Fprintf(w, "could not compare: %s\n", r)
	}
}
