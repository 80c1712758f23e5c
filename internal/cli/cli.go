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
//	3  undecided: a budget or time limit ran out, or a verdict is unknown
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/interlock-go/interlock/internal/prog"
)

// Streams are the streams of the process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // Err is a terminal: progress is shown

	// after is the clock of the progress line; nil is time.After.
	after func(time.Duration) <-chan time.Time
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
	// options makes the values of its flags, which are its own.
	options func() options
}

// options are the values of the flags of one command.
type options interface {
	flags(fs *flagSet)
	run(ctx context.Context, c *invocation) (int, error)
}

// A checker is options of which some do not go together.
type checker interface{ check() error }

func commands() []command {
	return []command{inferCommand(), renderCommand(), explainCommand(), compareCommand(), diffCommand(), monitorCommand(), docCommand(), verifyCommand(), composeCommand(), conformCommand(), replayCommand(), checkCommand(), solveCommand()}
}

// An invocation is a command with its arguments.
type invocation struct {
	Streams
	name  string
	args  []string
	stdin bool // standard input has been read
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
	vetTool(args)
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
				return runCommand(ctx, c, args[1:], s)
			}
		}
		fmt.Fprintf(s.Err, "interlock: no command %q; 'interlock help' lists them\n", name)
		return exitWrong
	}
}

// parse reads flags and arguments in any order; after -- everything is an
// argument.
func parse(fs *flagSet, args []string) (rest []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		left := fs.Args()
		if k := len(args) - len(left); len(left) == 0 || k > 0 && args[k-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

func runCommand(ctx context.Context, c command, args []string, s Streams) int {
	o := c.options()
	fs := newFlagSet(c.name, o)
	fail := func(code int, err error) int {
		fmt.Fprintf(s.Err, "interlock %s: %v\n", c.name, err)
		return code
	}
	rest, err := parse(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		commandHelp(s.Out, c)
		return exitDone
	case fs.wrong != nil:
		return fail(exitWrong, fs.wrong)
	case err != nil:
		return fail(exitWrong, fmt.Errorf("%v; 'interlock help %s' lists the flags", err, c.name))
	}
	if o, ok := o.(checker); ok {
		if err := o.check(); err != nil {
			return fail(exitWrong, err)
		}
	}
	if limit := fs.timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, &exitError{exitUndecided, fmt.Errorf("undecided: no answer within %v (-timeout)", limit)})
		defer cancel()
	}
	code, err := o.run(ctx, &invocation{Streams: s, name: c.name, args: rest})
	if err == nil {
		return code
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = context.Cause(ctx) // says which limit it was
	}
	var list prog.ErrorList
	var exit *exitError
	switch {
	case errors.As(err, &list):
		fmt.Fprint(s.Err, list.Lines())
		return exitWrong
	case undecided(err):
		return fail(exitUndecided, fmt.Errorf("undecided: %w; 'interlock help undecided' says what helps", err))
	case errors.As(err, &exit):
		return fail(exit.code, exit.err)
	case errors.Is(err, context.DeadlineExceeded):
		return fail(exitUndecided, errors.New("undecided: the time limit ran out"))
	case errors.Is(err, context.Canceled):
		return fail(exitUndecided, errors.New("undecided: interrupted before there was an answer"))
	}
	return fail(exitWrong, err)
}

// count returns "1 argument", "2 arguments".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
