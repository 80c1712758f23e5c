// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command compare. Words are printed as explain reads them
// wherever they are concrete, so that the next question can be asked by copying
// a line.

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

func compareCommand() command {
	return command{
		name: "compare", args: "A B",
		short: "compare two interfaces",
		long: `Compare says whether two interfaces are equal, that is, agree on every word
that can happen in both. If not, it prints a shortest word that only A allows, a
shortest word that only B allows, and the methods that only one of them has. A
and B are interface files or components (one may be -, standard input).
Words follow the edges of both: if neither is tight, a word may be one that
cannot happen.

	interlock compare old.json new.json
	interlock compare stack.open stack.json

The flags are for components; an interface file is taken as it is. Exit status
0: equal, 1: different, 3: could not tell.`,
		options: func() options { return &compareOptions{} },
	}
}

// compareOptions are those of compare.
type compareOptions struct{ synthesisOptions }

func (o *compareOptions) run(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) != 2 {
		return exitWrong, c.expected("two files A and B")
	}
	var sides [2]side
	for k, name := range c.args {
		i, err := o.load(ctx, c, name)
		if err != nil {
			return exitWrong, err
		}
		sides[k] = side{name, i}
	}
	d := typestate.Compare(sides[0].i, sides[1].i)
	code := exitUndecided
	switch d.Kind {
	case typestate.CompareEqual:
		code = exitDone
	case typestate.CompareDifferent:
		code = exitNo
	}
	return code, c.print(o.difference(sides[0], sides[1], d))
}

// A side is one of the two interfaces.
type side struct {
	name string
	i    *typestate.Interface
}

func (o *compareOptions) difference(a, b side, d typestate.Difference) []byte {
	var w bytes.Buffer
	if d.Kind == typestate.CompareUnknown {
		fmt.Fprintln(&w, "could not tell: no difference was found, but not everything could be compared")
	} else {
		fmt.Fprintln(&w, d.Kind)
	}
	only := func(s side, list []typestate.Name) {
		var kinds [2][]string
		for _, n := range list {
			k := 0
			if n.Constructor {
				k = 1
			}
			kinds[k] = append(kinds[k], n.Method)
		}
		for k, noun := range []string{"method", "constructor"} {
			if n := len(kinds[k]); n > 0 {
				fmt.Fprintf(&w, "only %s has the %s %s\n", shown(s.name), noun+strings.Repeat("s", min(n-1, 1)), strings.Join(kinds[k], ", "))
			}
		}
	}
	only(a, d.OnlyA)
	only(b, d.OnlyB)
	// word prints a separating word; yes is the side that allows it or knows
	// its verdict, other the side with the other verdict.
	word := func(verb string, yes, other side, s *typestate.Separation, v func(*typestate.Separation) typestate.Verdict) {
		if s == nil {
			return
		}
		calls, concrete := symbols(yes.i, s.Word)
		fmt.Fprintf(&w, "only %s %s: %s\n", shown(yes.name), verb, strings.Join(calls, " "))
		last := calls[len(calls)-1]
		fmt.Fprintf(&w, "  %s: %s %s\n", shown(other.name), last, sayVerdict(v(s)))
		if concrete && other.name != "-" {
			fmt.Fprintf(&w, "  why: %s\n", o.explainLine(other.name, calls))
		}
	}
	verdictA := func(s *typestate.Separation) typestate.Verdict { return s.A }
	verdictB := func(s *typestate.Separation) typestate.Verdict { return s.B }
	word("allows", a, b, d.AllowedByA, verdictB)
	word("allows", b, a, d.AllowedByB, verdictA)
	word("knows", a, b, d.KnownByA, verdictB)
	word("knows", b, a, d.KnownByB, verdictA)
	for _, r := range d.Reasons {
		fmt.Fprintf(&w, "could not compare: %s\n", r)
	}
	if a.i.Component.Serial != b.i.Component.Serial {
		s := a
		if b.i.Component.Serial {
			s = b
		}
		fmt.Fprintf(&w, "note: only %s is of the infinite-word reading (-serial)\n", shown(s.name))
	}
	return w.Bytes()
}

func sayVerdict(v typestate.Verdict) string {
	switch v {
	case typestate.VerdictMayFail:
		return "may fail"
	case typestate.VerdictUnknown:
		return "has the verdict unknown"
	case typestate.VerdictAllowed:
		return "is allowed"
	}
	return v.String()
}

// symbols writes a word call by call as explain reads it, where it can: concrete
// says whether it did. A guard that stands for many arguments is in brackets.
func symbols(i *typestate.Interface, word []typestate.Symbol) (calls []string, concrete bool) {
	concrete = true
	for _, s := range word {
		if s.Guard != "" && s.Guard != "true" {
			calls, concrete = append(calls, s.String()), false
			continue
		}
		params := paramsOf(i, s.Method)
		if s.Guard == "true" && len(params) > 0 {
			concrete = false // any arguments: which ones must be said
		}
		outcome := s.Outcome
		if outcome == "*" {
			outcome = ""
		}
		if strings.ContainsAny(outcome, "<>=!") {
			concrete = false // a class of integers: which one must be said
		}
		calls = append(calls, stepText(i, typestate.Step{Call: s.Method, Args: s.Args, Outcome: outcome}))
	}
	return calls, concrete
}

// paramsOf returns the parameters of a method or constructor.
func paramsOf(i *typestate.Interface, name string) []string {
	for _, c := range i.Calls {
		if c.Method == name {
			return c.Params
		}
	}
	for _, c := range i.Constructors {
		if c.Method == name {
			return c.Params
		}
	}
	return nil
}

// stepText writes a step as it is written on the command line. Arguments that
// do not matter are not in a step; if some are missing, those that are there
// carry their names.
func stepText(i *typestate.Interface, s typestate.Step) string {
	text := s.Call
	params := paramsOf(i, s.Call)
	var args []string
	for _, p := range params {
		if v, ok := s.Args[p]; ok {
			args = append(args, v)
		}
	}
	if len(args) < len(params) || len(args) < len(s.Args) {
		args = nil
		for _, name := range slices.Sorted(maps.Keys(s.Args)) {
			args = append(args, name+": "+s.Args[name])
		}
	}
	if len(args) > 0 {
		text += "(" + strings.Join(args, ", ") + ")"
	}
	if s.Outcome != "" {
		text += "=" + s.Outcome
	}
	return text
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./=,:+-]+$`)

// quote quotes an argument for a shell, if it needs that.
func quote(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// explainLine is a command line that explains a word, with the flags of this
// one that change the meaning.
func (o *synthesisOptions) explainLine(file string, calls []string) string {
	line := []string{"interlock", "explain"}
	if o.serial {
		line = append(line, "-serial")
	}
	if o.width > 0 {
		line = append(line, "-width", fmt.Sprint(o.width))
	}
	for _, arg := range append([]string{file}, calls...) {
		line = append(line, quote(arg))
	}
	return strings.Join(line, " ")
}
