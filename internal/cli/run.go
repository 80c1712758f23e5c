// SPDX-License-Identifier: Apache-2.0

package cli

// This file is infer with -run: a Go type is read, then run, and the interface has both
// kinds of evidence.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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

// runOptions say how a Go type is run.
type runOptions struct {
	mode    string // "", runJoin or runOnly: whether the type is run
	extra   int    // one more than the flag says; 0 is the default
	driving driveOptions
	words   wordOptions
}

// A runFlag is -run, which may stand without a value.
type runFlag struct {
	o  *runOptions
	fs *flagSet
}

func (f runFlag) String() string   { return "" }
func (f runFlag) IsBoolFlag() bool { return true }

func (f runFlag) Set(text string) error {
	switch text {
	case "true":
		f.o.mode = runJoin
	case runOnly:
		f.o.mode = runOnly
	default:
		f.fs.wrong = usagef("-run=%s: expected -run, or -run=only", text)
		return f.fs.wrong
	}
	return nil
}

func (o *runOptions) flags(fs *flagSet) {
	o.effortFlags(fs)
	o.driving.flags(fs)
}

// effortFlags say that a Go type is run, and how long.
func (o *runOptions) effortFlags(fs *flagSet) {
	fs.Var(runFlag{o, fs}, "run", "run the Go type, too, and say of what is not proved what was seen (-run=only: do not read it)")
	fs.count(&o.words.words, "words", fmt.Sprintf("with -run: run about `n` words (default %d)", run.DefaultWords), anyCount("words"))
	fs.value("extra", "with -run: test for `n` states that were not seen (default 1)", "0, 1, 2 or 3", func(text string) bool {
		_, err := fmt.Sscanf(text, "%d", &o.extra)
		o.extra++ // 0 is the default
		return err == nil && len(text) == 1 && o.extra > 0 && o.extra <= 4
	})
	o.words.flags(fs, run.DefaultLimit)
}

// checkRun refuses flags that only -run has.
func (o *inferOptions) checkRun() error {
	r := &o.running
	if r.mode != "" {
		if o.program || o.synthesis.serial {
			return usagef("-run: expected it without -program and -serial")
		}
		return nil
	}
	list := append([]given{{"words", r.words.words > 0}, {"extra", r.extra > 0}}, r.driving.given()...)
	if name := firstGiven(append(list, given{"seed", r.words.seed != 0}, given{"limit", r.words.limit != 0})); name != "" {
		return usagef("-%s: expected -run with it", name)
	}
	return nil
}

// inferRun is the command infer for a Go type that is run.
func (o *inferOptions) inferRun(ctx context.Context, c *invocation, t target) (int, error) {
	name := c.args[0]
	dir := o.code.dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return exitWrong, err
		}
	}
	d := drive{dir: dir, kinds: o.code.errorKinds, scratch: o.code.dir == ""}
	var read *interlock.Report
	var err error
	if o.running.mode == runJoin {
		read, err = o.synthesis.synthesizeGo(ctx, c, &o.code, name)
		if err != nil && !undecided(err) {
			return exitWrong, err
		}
	}
	unread := err
	if read != nil {
		d.i = read.Interface
	}
	p := c.startProgress(name)
	i, wrong, notes, err := o.running.learned(ctx, c, &d, name, func(words int) { p.report(interlock.Event{Phase: "words run", Count: words}) })
	p.stop()
	switch {
	case err != nil && ctx.Err() != nil:
		return exitWrong, ctx.Err()
	case err != nil && unread != nil:
		return exitWrong, fmt.Errorf("%w; and it cannot be run: %v", unread, err)
	case err != nil && read != nil:
		fmt.Fprintf(c.Err, "interlock infer: not run: %v\n", err)
		return o.inferred(c, t, read)
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
func (o *runOptions) learned(ctx context.Context, c *invocation, d *drive, name string, progress func(words int)) (i *typestate.Interface, wrong []run.Contradiction, notes []string, err error) {
	if d.i != nil {
		name = d.i.Component.Name
	}
	if d.subject, err = replay.Load(ctx, d.dir, name, o.driving.as); err != nil && d.scratch && ctx.Err() == nil {
		if dir, _, _ := scratchModule(ctx, packageOf(goType{name: name})); dir != "" {
			defer os.RemoveAll(dir)
			if s, again := replay.Load(ctx, dir, name, o.driving.as); again == nil {
				d.subject, d.dir, err = s, dir, nil
			}
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if d.std, err = replay.Std(ctx, d.dir); err != nil {
		return nil, nil, nil, err
	}
	if d.i == nil {
		if d.i, err = d.unread(); err != nil {
			return nil, nil, nil, err
		}
	}
	if err := o.driving.settings(c, d, o.words); err != nil {
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
	program := &run.Program{Dir: filepath.Join(tmp, "work"), Starts: len(driver.Starts), Calls: len(driver.Calls), Fresh: driver.Fresh, Panics: driver.Panics, Blocks: driver.Blocks, Limit: o.words.limit}
	for _, k := range driver.Calls {
		if k.Extra {
			program.Extra++
		}
	}
	if err := os.MkdirAll(filepath.Join(tmp, "build"), 0o777); err != nil {
		return nil, nil, nil, err
	}
	if err := os.Mkdir(program.Dir, 0o777); err != nil {
		return nil, nil, nil, err
	}
	if program.Path, err = driver.Build(ctx, d.dir, filepath.Join(tmp, "build"), d.extra); err != nil {
		return nil, nil, nil, err
	}
	i, wrong, err = o.program(ctx, d.i, driver, program, progress)
	return i, wrong, driver.Notes, err
}

// unread is the interface of a type that was not read, with the calls that are asked for.
func (d *drive) unread() (*typestate.Interface, error) {
	kinds := d.kinds
	if len(kinds) == 0 {
		kinds = []string{"misuse"}
	}
	i, err := d.subject.Skeleton(kinds)
	if err != nil || len(d.methods) == 0 {
		return i, err
	}
	other := func(call string) bool { return !slices.Contains(d.methods, call) }
	i.Calls = slices.DeleteFunc(i.Calls, func(c typestate.Call) bool { return other(c.ID) })
	i.Edges = slices.DeleteFunc(i.Edges, func(e typestate.Edge) bool { return other(e.Call) })
	i.Unknown = slices.DeleteFunc(i.Unknown, func(u typestate.Unknown) bool { return other(u.Call) })
	if len(i.Calls) == 0 {
		return nil, fmt.Errorf("%s has none of the methods %s", d.subject.Name, strings.Join(d.methods, ", "))
	}
	return i, nil
}

// program learns what a driver does, and joins that with an interface.
func (o *runOptions) program(ctx context.Context, i *typestate.Interface, driver *replay.Driver, program *run.Program, progress func(words int)) (*typestate.Interface, []run.Contradiction, error) {
	pool, err := run.NewPool(program, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, nil, err
	}
	defer pool.Close()
	extra := 1
	if o.extra > 0 {
		extra = o.extra - 1
	}
	l, err := run.Learn(ctx, pool, run.Effort{Words: o.words.words, Extra: extra, Seed: o.words.seed, Progress: progress})
	if err != nil {
		return nil, nil, err
	}
	if o.mode == runOnly {
		i = livingOnly(i, driver, l.Living)
	}
	var starts, calls []run.Ref
	tested := typestate.Tested{Depth: l.Depth, Extra: extra, Seed: o.words.seed, Stopped: l.Stopped}
	for _, s := range driver.Starts {
		starts = append(starts, run.Ref{Text: s.Text, ID: s.ID, State: s.State, Known: s.Known, Sure: s.Verdict == typestate.VerdictAllowed.String()})
	}
	for _, k := range driver.Calls {
		calls = append(calls, run.Ref{Text: k.Text, ID: k.ID, IDs: k.IDs, Known: k.Known})
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
