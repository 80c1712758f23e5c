// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the commands infer and render.

import (
	"cmp"
	"context"
	"fmt"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/typestate"
)

func inferCommand() command {
	return command{
		name: "infer", args: "FILE|TYPE",
		short: "synthesize the interface of a component",
		long: `Infer reads a component in the text form of open programs (FILE, or - for
standard input) and prints its minimal safe and permissive interface: the
automaton of exactly the call sequences that do not make it err.

	interlock infer lock.open                    a table for people
	interlock infer -o lock.json lock.open       the interface file
	interlock infer -o lock.svg lock.open        a picture
	interlock infer -engine learn -learner ttt lock.open
	interlock infer -width 4 lock.open           integers of four bits
	interlock infer -split-errors lock.open      one for each error site
	interlock infer -partition -o DIR lock.open  one for each group
	interlock infer bufio.Scanner                a Go type, from its source
	interlock infer -error misuse bytes.Buffer   returned misuse errors too
	interlock infer -package runtime/trace       functions that share state
	interlock infer -factory 'sql.OpenDB(c).Begin()' database/sql.Tx
	interlock infer -run -fixture 'open()' -with db.go database/sql.Tx

A model (.lts or .fsp, .aut, .dot, .scxml) has an interface over some of its
actions; the others are hidden and happen any number of times:

	interlock infer -alphabet send,ack protocol.lts
	interlock infer -alphabet arm,fire -error state=broken valve.scxml
	interlock infer -property Order.lts Input.lts

All engines give the same verdicts, or refuse by name what they cannot do
('interlock help engines'). 'interlock help program' shows how a component is
written, 'interlock help go' how Go types are read, 'interlock help meaning'
what the interface says.

With -run a Go type is also run, in processes of its own, with the arguments
that 'interlock replay' would choose and objects of -fixture. Of the cells that
are not proved the interface then says what was seen; doc/running.md tells how.
Only types that may be run should be: they can do what any program can.

Exit status 0: done, 1: a run contradicts what is proved, 2: the input is wrong
or refused, 3: undecided: nothing is written, or an interface in which something
is open, with the reason (see 'interlock help exit').`,
		options: func() options { return &inferOptions{} },
	}
}

// inferOptions are those of infer.
type inferOptions struct {
	synthesis synthesisOptions
	output    outputOptions
	parts     partsOptions
	code      goOptions
	java      javaOptions
	program   bool // print the program of a Go type
	running   runOptions
	model     modelOptions
}

func (o *inferOptions) flags(fs *flagSet) {
	o.synthesis.flags(fs)
	fs.BoolVar(&o.synthesis.certificate, "certificate", false, "keep the evidence in the interface file, for 'interlock verify'")
	o.output.flags(fs)
	o.parts.flags(fs)
	o.code.flags(fs)
	o.java.flags(fs)
	fs.BoolVar(&o.program, "program", false, "print the open program of a Go type instead of its interface")
	o.running.flags(fs)
	o.model.flags(fs)
}

func (o *inferOptions) check() error {
	if err := o.synthesis.check(); err != nil {
		return err
	}
	return o.parts.check(o.synthesis.serial)
}

func (o *inferOptions) run(ctx context.Context, c *invocation) (int, error) {
	if pkg := o.code.pkg; pkg != "" && len(c.args) == 0 {
		c.args = []string{pkg}
		return o.inferGo(ctx, c)
	} else if pkg != "" {
		return exitWrong, usagef("-package %s: expected it instead of %s, not with it", pkg, shown(c.args[0]))
	}
	if len(c.args) != 1 {
		return exitWrong, c.expected("one FILE or TYPE")
	}
	if o.java.isJava(c.args[0]) {
		return o.inferJava(ctx, c)
	}
	if name := firstGiven(o.java.given()); name != "" {
		return exitWrong, usagef("-%s: %s is not a Java class; expected one such as java.util.ArrayList with it", name, shown(c.args[0]))
	}
	if goName(c.args[0], o.running.mode != "") {
		return o.inferGo(ctx, c)
	}
	if isModel(c.args[0]) {
		return o.inferModel(ctx, c)
	}
	if name := firstGiven(o.model.given()); name != "" {
		return exitWrong, notModel(name, c.args[0])
	}
	if name := firstGiven(append(o.code.given(), given{"program", o.program}, given{"run", o.running.mode != ""})); name != "" {
		return exitWrong, notGo(name, c.args[0])
	}
	if o.parts.dividing() != "" {
		return o.decompose(ctx, c)
	}
	t, err := o.output.target()
	if err != nil {
		return exitWrong, err
	}
	data, err := c.component()
	if err != nil {
		return exitWrong, err
	}
	r, err := o.synthesis.synthesize(ctx, c, c.args[0], data)
	if err != nil {
		return exitWrong, err
	}
	return o.inferred(c, t, r)
}

// inferred writes an interface that was found. Verdicts that are unknown are part
// of it, and yet something was not decided, which the exit status says.
func (o *inferOptions) inferred(c *invocation, t target, r *interlock.Report) (int, error) {
	i := r.Interface
	if err := c.write(t, i); err != nil {
		return exitWrong, err
	}
	if o.synthesis.certificate && i.Certificate == nil {
		rest := "the guarantees rest on the engine alone"
		if i.Guarantees.Safe == typestate.GuaranteeProved {
			rest = "the judge has followed all runs instead ('interlock verify -enumerate' does it again)"
		}
		fmt.Fprintf(c.Err, "interlock infer: no certificate: %s; %s\n", r.NoCertificate, rest)
	}
	why := undecidedReason(i, "the interface", o.synthesis.depth)
	if why == "" {
		return exitDone, nil
	}
	fmt.Fprintf(c.Err, "interlock infer: undecided: %s\n", why)
	if i.Component.Language == "go" && i.OpenCells().Unknown > 0 && o.running.mode == "" {
		fmt.Fprintf(c.Err, "interlock infer: -run runs the type, too, and says of what is unknown what it was seen to do\n")
	}
	return exitUndecided, nil
}

// undecidedReason says what is open in an interface, "" if nothing is: if each call has
// a verdict in each state that is proved or claimed for words of any length, or of the
// length that was asked for (-depth, or 0). What names it.
func undecidedReason(i *typestate.Interface, what string, depth int) string {
	if n := i.OpenCells().Unknown; n > 0 {
		first := ""
		for _, u := range i.Unknown {
			first = fmt.Sprintf("%s in state %d: %s", u.Call, u.State, u.Reason)
			break
		}
		for _, k := range i.Constructors {
			if k.Verdict == typestate.VerdictUnknown.String() {
				first = cmp.Or(first, k.ID+": "+k.Reason)
			}
		}
		return fmt.Sprintf("%s unknown in %s; the first is of %s", isAre(n, "verdict"), what, first)
	}
	if i.Settled() {
		return ""
	}
	g := i.Guarantees
	if g.Depth != nil && *g.Depth == depth {
		return ""
	}
	if g.Depth != nil {
		return fmt.Sprintf("the verdicts hold for words of up to %s after the constructor; what longer words do is not known", count(*g.Depth, "call"))
	}
	text := "whether the interface is permissive is not known"
	if g.Safe != typestate.GuaranteeProved && g.Safe != typestate.GuaranteeClaimed {
		text = "whether the interface is safe is not known"
	}
	if g.Reason != "" {
		text += ": " + g.Reason
	}
	return text
}

func isAre(n int, noun string) string {
	if n == 1 {
		return count(n, noun) + " is"
	}
	return count(n, noun) + " are"
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
		options: func() options { return &renderOptions{} },
	}
}

// renderOptions are those of render.
type renderOptions struct{ outputOptions }

func (o *renderOptions) run(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) != 1 {
		return exitWrong, c.expected("one IFACE")
	}
	t, err := o.target()
	if err != nil {
		return exitWrong, err
	}
	data, err := c.read(c.args[0])
	if err != nil {
		return exitWrong, err
	}
	if !isInterface(data) {
		return exitWrong, usagef("%s is not an interface file; 'interlock infer' makes one from a component", shown(c.args[0]))
	}
	i, err := readInterface(c.args[0], data)
	if err != nil {
		return exitWrong, err
	}
	return exitDone, c.write(t, i)
}

// component reads the text of the component that is the argument.
func (c *invocation) component() ([]byte, error) {
	data, err := c.read(c.args[0])
	if err == nil && isInterface(data) {
		err = usagef("%s is an interface file already; 'interlock render' shows it", shown(c.args[0]))
	}
	return data, err
}

// expected is the error of a command with the wrong number of arguments.
func (c *invocation) expected(what string) error {
	got := "none"
	if n := len(c.args); n > 0 {
		got = count(n, "argument")
	}
	return usagef("expected %s, got %s; 'interlock help %s' shows examples", what, got, c.name)
}
