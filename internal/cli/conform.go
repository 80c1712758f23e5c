// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command conform.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/compat"
	"github.com/interlock-go/interlock/typestate"
)

func conformCommand() command {
	return command{
		name: "conform", args: "IFACE PROTOCOL | -table PROTOCOL...",
		short: "compare an interface with the protocol of a real type",
		long: `Conform compares an interface file with a protocol file: the automaton of a
real type that was obtained by running it. Every pair of states that a word of
the protocol leads to is compared, call by call:

  wrong     the protocol forbids and the interface allows, or the protocol saw
            a call return that fails in the interface, or an outcome that
            cannot happen there
  coarser   the protocol allows and the interface says may-fail
  unknown   the interface says unknown, or the cell is marked uncovered

Without such a cell, and with safe and permissive proved, it is exact. The
verdict of the whole is the worst of its cells; a call of the protocol that the
interface does not have makes it unknown at best. doc/conform.md defines the
file and the comparison.

	interlock conform scanner.json scanner-protocol.json
	interlock conform -id bufio.Scanner scanner.json protocols.json
	interlock conform -json scanner.json protocols.json
	interlock conform -table protocols.json

With -table there is no IFACE: for every entry of a Go type in the protocol
files the interface is synthesized, with the errors, constructors and methods
that the entry is about, and compared. -entry-timeout limits the time for one,
which is unknown then. -keep writes the interfaces to a directory. -replay also
runs each type whose interface is exact, as interlock replay does, with the
arguments of the protocol and what -fixtures has; a disagreement is wrong. What
is exact only if outcomes that a protocol did not look at are read in one way
is unknown if another one is seen.

	interlock conform -table -replay -fixtures fixtures protocols.json

With -run each type is also run, as interlock infer -run does, and the table
counts the cells of each protocol: those that are proved, those that are only
seen, open ones and wrong ones, and how many of the forbidden and of the allowed
ones were found.

	interlock conform -table -run -jobs 2 protocols.json

Exit status 0: exact, or with -run every cell is proved or seen; 1: wrong; 2:
the input is wrong; 3: neither refuted nor confirmed (seen, coarser, unknown).`,
		options: func() options { return &conformOptions{} },
	}
}

// conformOptions are those of conform.
type conformOptions struct {
	id               string
	json, all, table bool
	isolate          bool
	dir, keep        string
	replayed         bool
	running          runOptions // of its driving, -fixtures only
	jobs             int
	scope            scopeOptions
	java             javaOptions
	budget           int
	perEntry         time.Duration
}

func (o *conformOptions) flags(fs *flagSet) {
	fs.StringVar(&o.id, "id", "", "the `entry` of the protocol file (default: the one of the interface's component)")
	fs.BoolVar(&o.json, "json", false, "print the result as JSON, with every cell")
	fs.BoolVar(&o.all, "all", false, "print the cells that agree, too")
	fs.BoolVar(&o.table, "table", false, "synthesize and compare every Go type of the protocol files")
	fs.BoolVar(&o.isolate, "isolate", true, "with -table: a process for each entry (default; -isolate=false: none)")
	fs.StringVar(&o.dir, "dir", "", "with -table: read Go types as the go command would in `directory`, the module of which requires those of other modules")
	fs.StringVar(&o.keep, "keep", "", "with -table: write interfaces and results to this `directory`")
	fs.BoolVar(&o.replayed, "replay", false, "with -table: run the type against its interface, where that is exact")
	o.running.effortFlags(fs)
	fs.count(&o.jobs, "jobs", "with -table: work on `n` entries at a time (default 1)", upTo(64, "entries"))
	o.running.driving.fixturesFlag(fs)
	o.scope.flags(fs)
	o.java.flags(fs)
	fs.count(&o.budget, "budget", fmt.Sprintf("with -table: give up an entry after `n` steps (default %d)", interlock.DefaultSteps), anyCount("steps"))
	fs.duration(&o.perEntry, "entry-timeout", "with -table: give up an entry after this `time` (default 5m)", "90s or 5m")
}

func (o *conformOptions) run(ctx context.Context, c *invocation) (int, error) {
	if o.table {
		return o.conformTable(ctx, c)
	}
	if r := &o.running; r.mode != "" || r.extra > 0 || o.jobs > 0 || r.words != (wordOptions{}) {
		return exitWrong, usagef("-run, -words, -extra, -seed, -limit, -jobs: expected -table with them")
	}
	if len(c.args) != 2 {
		return exitWrong, c.expected("IFACE and PROTOCOL")
	}
	i, err := c.interfaceFile(c.args[0])
	if err != nil {
		return exitWrong, err
	}
	p, err := o.protocol(c, c.args[1], i.Component.Name)
	if err != nil {
		return exitWrong, err
	}
	r, err := compat.Conform(ctx, i, p)
	if err != nil {
		return exitWrong, err
	}
	code := exitUndecided
	switch r.Verdict {
	case compat.Exact:
		code = exitDone
	case compat.Wrong:
		code = exitNo
	}
	if o.json {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return exitWrong, err
		}
		return code, c.print(append(text, '\n'))
	}
	return code, c.print(conformText(r, o.all))
}

// protocols reads a protocol file.
func (c *invocation) protocols(file string) ([]*compat.Protocol, error) {
	data, err := c.read(file)
	if err != nil {
		return nil, err
	}
	list, err := compat.ReadProtocols(data)
	if err != nil {
		return nil, usagef("%s: %v", shown(file), err)
	}
	return list, nil
}

// protocol returns the entry that -id names, or the only one, or that of the
// component.
func (o *conformOptions) protocol(c *invocation, file, component string) (*compat.Protocol, error) {
	list, err := c.protocols(file)
	if err != nil {
		return nil, err
	}
	var found []*compat.Protocol
	for _, p := range list {
		if o.id == "" && (len(list) == 1 || p.Component == component) || o.id != "" && p.ID == o.id {
			found = append(found, p)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case o.id != "":
		return nil, usagef("-id %q: %s has no such entry", o.id, shown(file))
	case len(found) == 0:
		return nil, usagef("%s has %s, none of %s; choose one with -id", shown(file), entries(len(list)), component)
	}
	return nil, usagef("%s has %s of %s; choose one with -id", shown(file), entries(len(found)), component)
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// conformText prints a result for people.
func conformText(r *compat.Result, all bool) []byte {
	var w bytes.Buffer
	fmt.Fprint(&w, r.Verdict)
	if r.Depth != nil {
		fmt.Fprintf(&w, " to depth %d", *r.Depth)
	}
	fmt.Fprintf(&w, ": %s against the protocol %s\n", r.Component, r.Protocol)
	fmt.Fprintf(&w, "%s, %s: %d agree", count(r.Pairs, "pair"), count(len(r.Cells), "cell"), r.Counts.Agree)
	for _, n := range []struct {
		n    int
		what string
	}{{r.Counts.Seen, "seen"}, {r.Counts.Coarser, "coarser"}, {r.Counts.Unknown, "unknown"}, {r.Counts.Wrong, "wrong"}} {
		if n.n > 0 {
			fmt.Fprintf(&w, ", %d %s", n.n, n.what)
		}
	}
	fmt.Fprintln(&w)
	if s := r.Shortest; s != nil {
		fmt.Fprintf(&w, "after  %s\n", strings.Join(s.Word, "  "))
		fmt.Fprintf(&w, "  the protocol says %s, the interface %s", s.Protocol, s.Interface)
		if s.Reason != "" {
			fmt.Fprintf(&w, ": %s", s.Reason)
		}
		fmt.Fprintln(&w)
	}
	for _, reason := range r.Reasons {
		fmt.Fprintf(&w, "not exact: %s\n", reason)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&w, "note: %s\n", n)
	}
	rows := [][]string{{"", "state", "protocol state", "call", "protocol", "interface", "word"}}
	for _, cell := range r.Cells {
		if cell.Verdict == compat.Exact && !all {
			continue
		}
		verdict := cell.Verdict.String()
		if cell.Verdict == compat.Exact {
			verdict = "agree"
		}
		says := cell.Protocol
		if cell.Outcome != "" {
			says = "returns " + cell.Outcome
		}
		state := "-"
		if cell.State >= 0 {
			state = fmt.Sprint(cell.State)
		}
		rows = append(rows, []string{verdict, state, strings.Join(cell.States, "|"), cell.Call, says, cell.Interface, strings.Join(cell.Word, " ")})
	}
	if len(rows) > 1 {
		fmt.Fprintln(&w)
		w.Write(aligned(rows))
	}
	return w.Bytes()
}

// aligned writes rows in columns.
func aligned(rows [][]string) []byte {
	var width []int
	for _, r := range rows {
		for k, s := range r {
			if k == len(width) {
				width = append(width, 0)
			}
			width[k] = max(width[k], len([]rune(s)))
		}
	}
	var w bytes.Buffer
	for _, r := range rows {
		var line strings.Builder
		for k, s := range r {
			fmt.Fprintf(&line, "%s%s  ", s, strings.Repeat(" ", width[k]-len([]rune(s))))
		}
		fmt.Fprintln(&w, strings.TrimRight(line.String(), " "))
	}
	return w.Bytes()
}

// interfaceFile reads an interface file, and nothing else.
func (c *invocation) interfaceFile(path string) (*typestate.Interface, error) {
	data, err := c.read(path)
	if err != nil {
		return nil, err
	}
	if !isInterface(data) {
		return nil, usagef("%s is not an interface file; 'interlock infer -o FILE.json' makes one", shown(path))
	}
	return readInterface(path, data)
}
