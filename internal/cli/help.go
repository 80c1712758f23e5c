// SPDX-License-Identifier: Apache-2.0

package cli

// This file is the help: of the program, of each command, and of topics.

import (
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/render"
)

func usage(w io.Writer) {
	fmt.Fprint(w, `Interlock synthesizes the temporal interface of a component: the automaton of
exactly the call sequences that do not make it err.

usage: interlock COMMAND [flags] arguments

commands:
`)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-9s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, `  help      explain a command or topic
  version   print the version

topics:
`)
	for _, t := range topics() {
		fmt.Fprintf(w, "  %-9s %s\n", t.name, t.short)
	}
	fmt.Fprint(w, `
'interlock help NAME' explains a command or topic, 'interlock COMMAND -h' too.
A first try, on a component that comes with Interlock:

	interlock infer examples/file.open
	interlock explain examples/file.open ropen write
`)
}

func help(args []string, s Streams) int {
	if len(args) == 0 {
		usage(s.Out)
		return exitDone
	}
	if len(args) == 1 {
		for _, c := range commands() {
			if c.name == args[0] {
				commandHelp(s.Out, c)
				return exitDone
			}
		}
		for _, t := range topics() {
			if t.name == args[0] {
				fmt.Fprintln(s.Out, strings.Trim(t.text(), "\n"))
				return exitDone
			}
		}
		switch args[0] {
		case "help":
			fmt.Fprint(s.Out, "usage: interlock help [NAME]\n\nHelp explains a command or topic; without a NAME it lists them.\n")
			return exitDone
		case "version":
			fmt.Fprint(s.Out, "usage: interlock version\n\nVersion prints the version of interlock and of the Go that built it.\n")
			return exitDone
		}
	}
	fmt.Fprintf(s.Err, "interlock help: no topic %q; 'interlock help' lists them\n", strings.Join(args, " "))
	return exitWrong
}

func commandHelp(w io.Writer, c command) {
	fmt.Fprintf(w, "usage: interlock %s [flags] %s\n\n%s\n\nflags:\n", c.name, c.args, c.long)
	fs := newFlagSet(c.name, c.options())
	var rows [][2]string
	fs.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		rows = append(rows, [2]string{strings.TrimSpace("-" + f.Name + " " + value), text})
	})
	fmt.Fprint(w, columns(rows))
}

// columns writes rows of a name and a text, the texts below each other and
// wrapped so that lines stay below 80 characters.
func columns(rows [][2]string) string {
	const most = 79
	left := 0
	for _, r := range rows {
		left = max(left, len(r[0])+4)
	}
	var b strings.Builder
	for _, r := range rows {
		line := fmt.Sprintf("  %-*s", left-2, r[0])
		used := false
		for _, word := range strings.Fields(r[1]) {
			if used && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > most {
				b.WriteString(line + "\n")
				line, used = strings.Repeat(" ", left), false
			}
			if used {
				line += " "
			}
			line, used = line+word, true
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func version(args []string, s Streams) int {
	if len(args) > 0 {
		fmt.Fprintf(s.Err, "interlock version: expected no arguments, got %d\n", len(args))
		return exitWrong
	}
	v, goVersion := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v = info.Main.Version
		}
		goVersion = " " + info.GoVersion
	}
	fmt.Fprintf(s.Out, "interlock %s%s\n", v, goVersion)
	return exitDone
}

type topic struct {
	name, short string
	text        func() string
}

// described is a title and a list of what there is to choose from.
func described[T fmt.Stringer](title string, list []T) string {
	var rows [][2]string
	for _, v := range list {
		rows = append(rows, [2]string{v.String(), interlock.Describe(v)})
	}
	return title + "\n\n" + columns(rows)
}

func topics() []topic {
	return []topic{
		{"meaning", "what allowed, forbidden, safe, permissive and tight mean", func() string { return meaningText }},
		{"engines", "the engines and learners", func() string {
			return described("Engines (-engine). Each gives the same interface or refuses by name.", interlock.Engines()) +
				"\n" + described("Learners of engines learn, abstract and symbolic (-learner).", choices[interlock.Learner]()) +
				"\n" + described("Provers (-prover).", choices[interlock.Prover]())
		}},
		{"formats", "the output formats", func() string {
			var b strings.Builder
			b.WriteString("Output formats (-format, or the extension of -o).\n\n")
			for _, f := range render.Formats() {
				fmt.Fprintf(&b, "  %-8s %-7s %s\n", f.Name, f.Ext, f.Doc)
			}
			b.WriteString("\nAn interface file (json) can be turned into every other format later, with\n'interlock render'.\n")
			return b.String()
		}},
		{"words", "how words of calls are written", func() string { return wordsText }},
		{"program", "the text form of components, in short", func() string { return programText }},
		{"go", "how Go types are named and read", func() string { return goText }},
		{"undecided", "what to do when a budget or time limit ran out", func() string { return undecidedText }},
		{"exit", "exit status", func() string { return exitText }},
	}
}

const meaningText = `
A word is a sequence of calls with their arguments and the results that were
seen. A call is forbidden after a word iff some run of the component that fits
the word makes the call err; otherwise it is allowed. The client sees only
results: what the component chooses by itself counts against the call.

An interface gives each call in each state one verdict:

  allowed    no run errs
  fails      every run that ends errs
  may-fail   some run errs, some return
  unknown    could not be told, with the reason

An interface is safe if every "allowed" is true, permissive if every forbidden
call is rightly forbidden, and tight if every edge can happen after every word
that reaches its source. It is minimal: no fewer states tell the verdicts
apart. -tight keeps states apart that differ only in what can happen.

Words are finite: a client may stop. With -serial, calls after which every
continuation ends in an error are forbidden too.`

const wordsText = `
A word is written as one argument per call:

	interlock explain file.open ropen read close
	interlock explain queue.open 'New(3)' offer=true take

A call is a method name, arguments in parentheses if it has any (quote them for
the shell), and, after =, the outcome that was seen: true, false, an enum value,
an integer, a tuple such as (true,_) with _ for a result that is not said, or
return for any. Of several results one may be said by a word, if that can mean
only one: ok or err (an error is nil, or is not), the name of a boolean result
(found, !found), true, false, nil. An outcome may be left out: the client did
not look. A word may begin with a constructor; if there is only one and it needs
no arguments it may be left out.

A table names the outcomes of an arrow by what tells them apart from the others
that can happen there: Exec=err. An interface file has them in full.`

const programText = `
	component File                       // comment
	enum mode { closed, reading }
	const limit = 3
	state m mode = closed, n int8 = 0, x int8 = any   // any: every value

	constructor New(max int8) { if max <= 0 { error "bad size" } n = max }

	method read(k int8) (ok bool) {
		if m == closed { error "not open" }
		while n < k { n = n + 1 }
		x = any            // the environment's choice
		assume x >= 0      // other runs do not count
		return x > 3
	}

Types: bool, intN, uintN, enums. Expressions as in Go, with wrap-around.
"x = choose" is a choice of the component that nobody sees, "x = guess" a value
of the code that is not known. doc/format.md specifies the text form completely.`

const undecidedText = `
Undecided (exit status 3) means that there is no answer: nothing is printed, and
nothing is claimed. Or that there is an interface in which something is open:
verdicts are unknown, or hold only for words up to some depth, or nobody says
that the interface is safe and permissive. Its first line says which, and what
it says of other cells holds. What helps depends on what the message, or the
reason of the verdict, says.

  budget exhausted   The component has more states than -budget allows. Try a
                     larger -budget, or -engine hide, which looks only at the
                     variables that matter.
  too wide           A parameter, a choice or an initial value ranges over more
                     values than are enumerated. Give it a smaller type, or
                     narrow all integers with -width 8 (or less). The interface
                     is then that of the narrower component; read the guards
                     with that in mind. 'interlock help engines' says which
                     engines do not enumerate.
  time limit         -timeout is measured by the clock, so the same command may
                     succeed on a faster machine. -budget is counted in steps
                     and is the same everywhere.

The number of states grows with every variable that has an influence on some
error. Variables that have none are dropped (-slice).`

const exitText = `
  0  done, or yes
  1  no: a forbidden call, a difference
  2  the command line or an input is wrong, or an engine refuses the component
  3  undecided: a budget or time limit ran out, a verdict is unknown, or an
     interface is not known to be safe and permissive for words of any length

An interface is written with status 0 if each call has a verdict in each state
and the guarantees are "proved" (the judge has checked them) or "claimed" (the
engine says so, and the judge has not checked it), or both are "checked to
depth k" and -depth k asked for no more. Cells that a run-time check
which is left out could affect do not change the status; -strict makes them
unknown.`

const goText = `
A Go type is named with its package:

	interlock infer bufio.Scanner
	interlock infer ./store.Tx                  of the module you are in
	interlock infer 'cache.LRU[string,int]'     a generic type
	interlock infer -package runtime/trace      functions that share state
	interlock infer -dir ../app lib/queue.Ring  as seen from another module

Its calls are its exported methods (-methods A,B), its constructors the
exported functions of its package that return it (-constructor F, repeatable;
-constructor zero is the zero value, -constructor 'F(x)' leaves out variadic
arguments of F, such as options). A child object comes from a chain of
calls; what is no literal in it is a parameter, errors are assumed to be nil,
and the alphabet may have calls on the objects that the chain made on the way:

	interlock infer -factory 'zip.NewWriter(w).Create(name)' \
		-methods Write,zw.Create,zw.Close archive/zip.fileWriter
	interlock infer -factory 'a, b := net.Pipe()' \
		-methods Write,b.Close net.pipe
	interlock infer -factory 'var a, b strings.Builder' \
		-methods 'WriteString,b = a,b.WriteString' strings.Builder

With -package and -factory the type is that of the object which the calls make.
What counts as an error (-error, repeatable):

  misuse           panic, and errors that the package builds from constants or
                   keeps in its own sentinels and that state or arguments decide
                   (default)
  panic            panics of the code, also fatal errors and exits
  panic PATTERN    those whose message matches
  return PATTERN   returned errors whose message matches
  return pkg.ErrX  this returned error
  message TEXT     a returned error with this message
  block            waiting for ever, with one goroutine

An error that is decided by what the environment answers during the same call
is not the client's (-blame any counts it). Code is read from source by the
rules of the go command, without the network. Code of other packages is the
environment, unless it is short or given the object: -inline PATTERN follows
more, -inline=-PATTERN less, and -contracts FILE says what such code does
(doc/contracts.md). -program prints the open program that is analysed.

The table says how many run-time checks are not decided in each state, and how
much is assumed. -checks lists the checks, -assumptions the conventions, the
contracts and what is not modelled exactly ('interlock render' has both flags
too, for an interface file). -strict makes the calls unknown that such a check
could affect.`
