// SPDX-License-Identifier: Apache-2.0

package cli

// This file is infer with -run: a Go type is read, then run, and the interface has both
// kinds of evidence.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/replay"
	"github.com/interlock-go/interlock/internal/run"
	"github.com/interlock-go/interlock/typestate"
)

// The values of -run.
const (
	runJoin = "join"
	runOnly = "only"
)

// A runFlag is -run, which may stand without a value.
type runFlag struct{ o *options }

func (f runFlag) String() string   { return "" }
func (f runFlag) IsBoolFlag() bool { return true }

func (f runFlag) Set(text string) error {
	switch text {
	case "true":
		f.o.ran = runJoin
	case runOnly:
		f.o.ran = runOnly
	default:
		f.o.wrong = usagef("-run=%s: expected -run, or -run=only", text)
		return f.o.wrong
	}
	return nil
}

// runFlags say how a Go type is run.
func runFlags(fs *flag.FlagSet, o *options) {
	const any = 1<<31 - 1
	fs.Var(runFlag{o}, "run", "run the Go type, too, and say of what is not proved what was seen (-run=only: do not read it)")
	countFlag(fs, o, &o.words, "words", any, fmt.Sprintf("with -run: run about `n` words (default %d)", run.DefaultWords), "a positive number of words")
	flagValue(fs, o, "extra", "with -run: test for `n` states that were not seen (default 1)", "0, 1, 2 or 3", func(text string) bool {
		_, err := fmt.Sscanf(text, "%d", &o.extra)
		o.extra++ // 0 is the default
		return err == nil && len(text) == 1 && o.extra > 0 && o.extra <= 4
	})
	driveFlags(fs, o)
	seedFlags(fs, o, run.DefaultLimit)
}

// runOnly refuses flags that only -run has.
func (c *invocation) runOnly() error {
	if c.ran != "" {
		if c.program || c.serial {
			return usagef("-run: expected it without -program and -serial")
		}
		return nil
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"words", c.words > 0}, {"extra", c.extra > 0}, {"fixture", c.fixtures != nil}, {"arg", c.arguments != nil}, {"import", c.imports != nil}, {"with", c.with != nil}, {"fixtures", c.fixtureFiles != ""}, {"as", c.as != ""}, {"seed", c.seed != 0}, {"limit", c.limit != 0}} {
		if f.set {
			return usagef("-%s: expected -run with it", f.name)
		}
	}
	return nil
}

// inferRun is the command infer for a Go type that is run.
func (c *invocation) inferRun(ctx context.Context, t target) (int, error) {
	name := c.args[0]
	dir := c.dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return exitWrong, err
		}
	}
	d := drive{dir: dir}
	var err error
	if c.ran == runJoin {
		d.i, err = c.synthesizeGo(ctx, name)
		if err != nil && !errors.Is(err, interlock.ErrUndecided) {
			return exitWrong, err
		}
	}
	unread := err
	i, wrong, notes, err := c.learned(ctx, &d, name)
	switch {
	case err != nil && ctx.Err() != nil:
		return exitWrong, ctx.Err()
	case err != nil && unread != nil:
		return exitWrong, fmt.Errorf("%w; and it cannot be run: %v", unread, err)
	case err != nil && d.i != nil && c.ran == runJoin:
		fmt.Fprintf(c.Err, "interlock infer: not run: %v\n", err)
		return c.inferred(t, d.i)
	case err != nil:
		return exitWrong, usagef("%w", err)
	}
	if unread != nil {
		fmt.Fprintf(c.Err, "interlock infer: nothing was proved: %v\n", unread)
	}
	for _, n := range notes {
		fmt.Fprintf(c.Err, "interlock infer: %s\n", n)
	}
	if len(wrong) > 0 {
		for _, w := range wrong {
			fmt.Fprintf(c.Err, "interlock infer: a defect of Interlock: %v\n", w)
		}
		fmt.Fprintf(c.Err, "interlock infer: what was said to be proved is wrong; 'interlock replay' on the interface shows it again\n")
	}
	if err := c.write(t, i); err != nil {
		return exitWrong, err
	}
	switch n := i.Unseen(); {
	case len(wrong) > 0:
		return exitNo, nil
	case n > 0:
		fmt.Fprintf(c.Err, "interlock infer: undecided: %s unknown and not seen\n", isAre(n, "verdict"))
		return exitUndecided, nil
	}
	return exitDone, nil
}

// learned runs the type and joins what was seen with the interface, or with nothing if there
// is none.
func (c *invocation) learned(ctx context.Context, d *drive, name string) (i *typestate.Interface, wrong []run.Contradiction, notes []string, err error) {
	p := c.startProgress(name)
	defer p.stop()
	if d.i != nil {
		name = d.i.Component.Name
	}
	if d.subject, err = replay.Load(ctx, d.dir, name, c.as); err != nil {
		return nil, nil, nil, err
	}
	if d.std, err = replay.Std(ctx, d.dir); err != nil {
		return nil, nil, nil, err
	}
	if d.i == nil {
		kinds := c.errorKinds
		if len(kinds) == 0 {
			kinds = []string{"misuse"}
		}
		if d.i, err = d.subject.Skeleton(kinds); err != nil {
			return nil, nil, nil, err
		}
	}
	if err := c.driveSettings(d); err != nil {
		return nil, nil, nil, err
	}
	driver, err := replay.Drive(d.subject, d.i, d.std, d.opt)
	if err != nil {
		return nil, nil, nil, err
	}
	tmp, err := os.MkdirTemp("", "interlock-run-")
	if err != nil {
		return nil, nil, nil, err
	}
	defer os.RemoveAll(tmp)
	program := &run.Program{Dir: filepath.Join(tmp, "work"), Starts: len(driver.Starts), Calls: len(driver.Calls), Fresh: driver.Fresh, Panics: driver.Panics, Blocks: driver.Blocks, Limit: c.limit.std()}
	if err := os.MkdirAll(filepath.Join(tmp, "build"), 0o777); err != nil {
		return nil, nil, nil, err
	}
	if err := os.Mkdir(program.Dir, 0o777); err != nil {
		return nil, nil, nil, err
	}
	if program.Path, err = driver.Build(ctx, d.dir, filepath.Join(tmp, "build"), d.extra); err != nil {
		return nil, nil, nil, err
	}
	i, wrong, err = c.runProgram(ctx, d.i, driver, program, func(words int) { p.report("words run", words) })
	return i, wrong, driver.Notes, err
}

// runProgram learns what a driver does, and joins that with an interface.
func (c *invocation) runProgram(ctx context.Context, i *typestate.Interface, driver *replay.Driver, program *run.Program, progress func(words int)) (*typestate.Interface, []run.Contradiction, error) {
	pool, err := run.NewPool(program, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, nil, err
	}
	defer pool.Close()
	extra := 1
	if c.extra > 0 {
		extra = c.extra - 1
	}
	l, err := run.Learn(ctx, pool, run.Effort{Words: c.words, Extra: extra, Seed: c.seed, Progress: progress})
	if err != nil {
		return nil, nil, err
	}
	if c.ran == runOnly {
		i = livingOnly(i, driver, l.Living)
	}
	var starts, calls []run.Ref
	tested := typestate.Tested{Depth: l.Depth, Extra: extra, Seed: c.seed, Stopped: l.Stopped}
	tried := map[string]int{}
	try := func(r replay.Letter) {
		if r.ID == "" {
			return
		}
		k, ok := tried[r.ID]
		if !ok {
			k = len(tested.Tried)
			tried[r.ID] = k
			tested.Tried = append(tested.Tried, typestate.Tried{Call: r.ID})
		}
		tested.Tried[k].With = append(tested.Tried[k].With, strings.TrimSpace(r.Text))
	}
	for _, s := range driver.Starts {
		starts = append(starts, run.Ref{Text: s.Text, ID: s.ID, State: s.State, Sure: s.Verdict == typestate.VerdictAllowed.String()})
		try(s)
	}
	for _, k := range driver.Calls {
		calls = append(calls, run.Ref{Text: k.Text, ID: k.ID})
		try(k)
	}
	joined, wrong, err := run.Join(ctx, i, run.Runs{Learned: l, Starts: starts, Calls: calls, Tested: tested}, pool)
	if err != nil {
		return nil, nil, err
	}
	wrong, err = run.Confirm(ctx, program, wrong)
	return joined, wrong, err
}

// livingOnly leaves out the constructors that made no object, if others did. Nothing is known of them.
func livingOnly(i *typestate.Interface, driver *replay.Driver, living []int) *typestate.Interface {
	made := map[string]bool{}
	for _, n := range living {
		made[driver.Starts[n].ID] = true
	}
	i = i.Clone()
	kept := i.Constructors[:0]
	for _, k := range i.Constructors {
		if made[k.ID] || made[""] {
			kept = append(kept, k)
		} else {
			driver.Notes = append(driver.Notes, fmt.Sprintf("not driven: constructor %s: it made no object with the arguments that were tried: give others with -arg", k.ID))
		}
	}
	i.Constructors = kept
	return i
}
