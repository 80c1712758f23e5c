// SPDX-License-Identifier: Apache-2.0

// Package cli is the command line of interlock: a table of subcommands, their
// flags, their exit status, and what they print. Results go to standard output,
// everything meant for a person watching goes to standard error.
//
// Exit status, the same for every output format:
//
//	0  done, or yes
//	1  no: a forbidden call, a difference
//	2  the command line or an input is wrong, or an engine refuses the component
//	3  undecided: a budget or time limit ran out
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/prog"
)

// Streams are the streams of the process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // Err is a terminal: progress is shown
}

// Exit statuses.
const (
	exitDone      = 0
	exitNo        = 1
	exitWrong     = 2
	exitUndecided = 3
)

// A command is a subcommand.
type command struct {
	name  string
	args  string // after the flags
	short string
	long  string
	run   func(ctx context.Context, cmd *invocation) (int, error)
	flags func(fs *flag.FlagSet, o *options)
}

func commands() []command {
	return []command{inferCommand(), renderCommand(), explainCommand(), compareCommand()}
}

// options are the values of all flags; a command uses those it defines.
type options struct {
	engine, learner, format, output string
	serial, tight, slice            bool
	budget, width, workers          int
	timeout                         duration
}

// An invocation is a command with its arguments.
type invocation struct {
	Streams
	options
	name string
	args []string
}

// An exitError is an error with its own exit status.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &exitError{exitWrong, fmt.Errorf(format, args...)}
}

// Main runs the command line and returns the exit status.
func Main(ctx context.Context, args []string, s Streams) int {
	if len(args) == 0 {
		usage(s.Err)
		return exitWrong
	}
	switch name := args[0]; name {
	case "help", "-h", "-help", "--help":
		return help(args[1:], s)
	case "version", "-version", "--version":
		return version(args[1:], s)
	default:
		for _, c := range commands() {
			if c.name == name {
				return run(ctx, c, args[1:], s)
			}
		}
		fmt.Fprintf(s.Err, "interlock: no command %q; 'interlock help' lists them\n", name)
		return exitWrong
	}
}

func flagSet(c command, o *options) *flag.FlagSet {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	c.flags(fs, o)
	return fs
}

func run(ctx context.Context, c command, args []string, s Streams) int {
	var o options
	fs := flagSet(c, &o)
	fail := func(err error) int {
		fmt.Fprintf(s.Err, "interlock %s: %v\n", c.name, err)
		return exitWrong
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			commandHelp(s.Out, c)
			return exitDone
		}
		return fail(fmt.Errorf("%v; 'interlock help %s' lists the flags", err, c.name))
	}
	inv := &invocation{Streams: s, options: o, name: c.name, args: fs.Args()}
	if err := o.check(); err != nil {
		return fail(err)
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.timeout.std(), &exitError{exitUndecided, fmt.Errorf("undecided: no answer within %v (-timeout)", o.timeout.std())})
		defer cancel()
	}
	code, err := c.run(ctx, inv)
	if err == nil {
		return code
	}
	var list prog.ErrorList
	var exit *exitError
	switch {
	case errors.As(err, &list):
		fmt.Fprint(s.Err, list.Lines())
		return exitWrong
	case errors.Is(err, interlock.ErrUndecided):
		fmt.Fprintf(s.Err, "interlock %s: undecided: %v; a larger -budget or a smaller -width may decide it\n", c.name, err)
		return exitUndecided
	case errors.As(err, &exit):
		fmt.Fprintf(s.Err, "interlock %s: %v\n", c.name, exit.err)
		return exit.code
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(s.Err, "interlock %s: interrupted\n", c.name)
		return exitUndecided
	}
	return fail(err)
}

// check rejects values of flags that no command accepts.
func (o *options) check() error {
	for _, v := range []struct {
		flag, value string
		choices     []interlock.Choice
	}{{"-engine", o.engine, interlock.Engines()}, {"-learner", o.learner, interlock.Learners()}} {
		if v.value == "" {
			continue
		}
		var names []string
		for _, c := range v.choices {
			names = append(names, c.Name)
		}
		if !contains(names, v.value) {
			return usagef("%s %q: expected one of %s", v.flag, v.value, strings.Join(names, ", "))
		}
	}
	switch {
	case o.budget < 0:
		return usagef("-budget %d: expected a positive number of steps", o.budget)
	case o.width < 0 || o.width > 64:
		return usagef("-width %d: expected a number of bits from 1 to 64", o.width)
	case o.workers < 0:
		return usagef("-workers %d: expected a positive number", o.workers)
	case o.timeout < 0:
		return usagef("-timeout %v: expected a positive duration", o.timeout.std())
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
