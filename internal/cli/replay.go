// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command replay.

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/interlock-go/interlock/internal/replay"
	"github.com/interlock-go/interlock/typestate"
)

func replayCommand() command {
	return command{
		name: "replay", args: "IFACE",
		short: "run the real Go type against its interface",
		long: `Replay drives the Go type that an interface file is of through words of the
interface, all short ones and random ones, each on a fresh object in another
process, and compares what happens with the verdicts: an allowed call must not
err, a call that fails must, and an outcome must be one that can happen.

	interlock replay scanner.json
	interlock replay -write protocol_test.go scanner.json
	interlock replay -fixture 'sha256.New()' -as hash.Hash digest.json
	interlock replay -with fakedb.go -fixture 'openRows()' rows.json
	interlock replay -arg Buffer.max=64 scanner.json
	interlock replay -fixtures testdata/replay tx.json

It writes a Go test, which -write keeps: it imports nothing of Interlock, so
that it can be committed beside the type. Arguments are chosen by type and
guard; -arg gives others. A type that needs a file, a server or a database
needs a -fixture: an expression for the object, or for the object and an error,
that is evaluated for each word. Package names in expressions are those of the
standard library and of the type's package; -import adds others, -with adds a
file with declarations. -fixtures names a file or directory in which all that is
written down for the type; doc/conform.md has the format.

Exit status 0: all agree, 1: a disagreement, the shortest is printed first, 2:
could not run.`,
		options: func() options { return &replayOptions{} },
	}
}

// replayOptions are those of replay.
type replayOptions struct {
	writeTest string
	driving   driveOptions
	words     wordOptions
}

func (o *replayOptions) flags(fs *flagSet) {
	fs.StringVar(&o.writeTest, "write", "", "keep the test in `FILE_test.go`")
	o.driving.flags(fs)
	fs.count(&o.words.words, "words", fmt.Sprintf("run about `n` short words (default %d)", replay.DefaultWords), anyCount("words"))
	fs.count(&o.words.random, "random", fmt.Sprintf("run `n` random words (default %d)", replay.DefaultRandom), anyCount("words"))
	fs.count(&o.words.length, "length", fmt.Sprintf("random words have at most `n` calls or so (default %d)", replay.DefaultLength), anyCount("calls"))
	o.words.flags(fs, replay.DefaultLimit)
	fs.limit()
}

func (o *replayOptions) run(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) != 1 {
		return exitWrong, c.expected("one IFACE")
	}
	i, err := c.interfaceFile(c.args[0])
	if err != nil {
		return exitWrong, err
	}
	return o.replay(ctx, c, i)
}

func (o *replayOptions) replay(ctx context.Context, c *invocation, i *typestate.Interface) (int, error) {
	if i.Component.Language != "go" {
		return exitWrong, usagef("%s is of a component in the language %s; replay drives Go types", shown(c.args[0]), i.Component.Language)
	}
	if o.writeTest != "" && !strings.HasSuffix(o.writeTest, "_test.go") {
		return exitWrong, usagef("-write %s: expected a name that ends in _test.go", o.writeTest)
	}
	dir, err := os.Getwd()
	if err != nil {
		return exitWrong, err
	}
	d := drive{i: i, dir: dir}
	if err := o.driving.settings(c, &d, o.words); err != nil {
		return exitWrong, err
	}
	r, err := d.run(ctx)
	if err != nil {
		return exitWrong, err
	}
	if o.writeTest != "" {
		d.opt.Package = replay.PackageFor(filepath.Dir(o.writeTest))
		kept, err := replay.Generate(d.subject, i, d.std, d.opt)
		if err != nil {
			return exitWrong, err
		}
		if err := writeNamed("-write", o.writeTest, kept.Source); err != nil {
			return exitWrong, err
		}
	}
	var w bytes.Buffer
	code := exitDone
	if len(r.Disagreements) == 0 {
		fmt.Fprintf(&w, "agrees: %s with its interface\n", i.Component.Name)
	} else {
		code = exitNo
		fmt.Fprintf(&w, "disagrees: %s with its interface\n", i.Component.Name)
		for _, d := range r.Disagreements {
			fmt.Fprintf(&w, "after %s\n", d)
		}
	}
	if r.Summary != "" {
		fmt.Fprintln(&w, r.Summary)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(&w, n)
	}
	return code, c.print(w.Bytes())
}

// driveOptions say how objects and arguments of a Go type are made.
type driveOptions struct {
	fixtures, imports, with []string
	arguments               map[string]string
	fixtureFiles            string
	as                      string
}

func (o *driveOptions) flags(fs *flagSet) {
	fs.list(&o.fixtures, "fixture", "make the object by an `expression`; CONSTRUCTOR=EXPRESSION for one of several constructors (repeatable)", "an expression", notBlank)
	fs.value("arg", "use an expression as argument: `name=expression`, the name being METHOD.PARAMETER or PARAMETER (repeatable)", "name=expression", func(text string) bool {
		name, expr, ok := strings.Cut(text, "=")
		if o.arguments == nil {
			o.arguments = map[string]string{}
		}
		o.arguments[name] = expr
		return ok && name != "" && strings.TrimSpace(expr) != ""
	})
	fs.list(&o.imports, "import", "a package that expressions mention, by `path` (repeatable)", "an import path", notEmpty)
	fs.list(&o.with, "with", "a Go `file` with declarations that expressions mention (repeatable)", "a file", notEmpty)
	o.fixturesFlag(fs)
	fs.StringVar(&o.as, "as", "", "the `type` by which clients hold an object whose own type is not exported, e.g. io.Writer")
}

func (o *driveOptions) fixturesFlag(fs *flagSet) {
	fs.StringVar(&o.fixtureFiles, "fixtures", "", "a `file` or directory of .txtar files with what types need to be driven")
}

// given lists the flags.
func (o *driveOptions) given() []given {
	return []given{{"fixture", o.fixtures != nil}, {"arg", o.arguments != nil}, {"import", o.imports != nil}, {"with", o.with != nil}, {"fixtures", o.fixtureFiles != ""}, {"as", o.as != ""}}
}

// wordOptions are about words by chance and calls that block.
type wordOptions struct {
	words, random, length int
	seed                  uint64
	limit                 time.Duration
}

// flags declares those that all commands have which run a type.
func (o *wordOptions) flags(fs *flagSet, limit time.Duration) {
	fs.value("seed", "choose other random words: `n` is any number (default 0)", "a number", func(text string) bool {
		n, err := strconv.ParseUint(text, 10, 64)
		o.seed = n
		return err == nil
	})
	fs.duration(&o.limit, "limit", fmt.Sprintf("a call that takes longer than this `time` blocks (default %v)", limit), "2s")
}

// A drive is a replay with its settings, and what it made.
type drive struct {
	i     *typestate.Interface
	dir   string
	opt   replay.Options
	as    string
	extra []replay.File

	kinds, methods []string // of an interface that is not read; nil are the usual ones
	scratch        bool     // a module is made for a package that dir does not have

	subject *replay.Subject
	std     []string
	test    *replay.Test
}

// run writes a test and runs it.
func (d *drive) run(ctx context.Context) (*replay.Report, error) {
	var err error
	if d.subject, err = replay.Load(ctx, d.dir, d.i.Component.Name, d.as); err != nil {
		return nil, err
	}
	if d.std, err = replay.Std(ctx, d.dir); err != nil {
		return nil, err
	}
	if d.test, err = replay.Generate(d.subject, d.i, d.std, d.opt); err != nil {
		return nil, err
	}
	return replay.Run(ctx, d.dir, d.subject, d.test, d.extra)
}

// settings sets what the flags say, and what fixture files say where they
// do not.
func (o *driveOptions) settings(c *invocation, d *drive, w wordOptions) error {
	d.opt = replay.Options{Fixtures: map[string]string{}, Args: map[string]string{}, Imports: o.imports, Words: w.words, Random: w.random, Length: w.length, Seed: w.seed,
		Limit: w.limit, Hints: d.opt.Hints, Only: d.opt.Only}
	d.as = o.as
	s, err := o.fixturesFor(c, d.i.Component.Name)
	if err != nil {
		return err
	}
	list := o.fixtures
	if s != nil {
		if len(list) == 0 {
			list = s.Fixtures
		}
		d.opt.Defaults, d.opt.Types = s.Args, s.Types
		d.opt.Imports = slices.Concat(d.opt.Imports, s.Imports)
		d.as = cmp.Or(d.as, s.As)
		d.opt.Words, d.opt.Random, d.opt.Length = cmp.Or(d.opt.Words, s.Words), cmp.Or(d.opt.Random, s.Random), cmp.Or(d.opt.Length, s.Length)
		d.opt.Limit = cmp.Or(d.opt.Limit, s.Limit)
		d.extra = s.Files
	}
	maps.Copy(d.opt.Args, o.arguments)
	for _, text := range list {
		key, text := replay.SplitFixture(d.i, text)
		if _, twice := d.opt.Fixtures[key]; twice {
			return usagef("-fixture %q: there is another one already; CONSTRUCTOR=EXPRESSION says for which constructor", text)
		}
		d.opt.Fixtures[key] = text
	}
	for _, name := range o.with {
		data, err := c.read(name)
		if err != nil {
			return err
		}
		d.extra = append(d.extra, replay.File{Name: filepath.Base(name), Data: data})
	}
	return nil
}

// fixturesFor finds the fixture file of a component; nil if there is none.
func (o *driveOptions) fixturesFor(c *invocation, component string) (*replay.Settings, error) {
	if o.fixtureFiles == "" {
		return nil, nil
	}
	files := []string{o.fixtureFiles}
	if info, err := os.Stat(o.fixtureFiles); err == nil && info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(o.fixtureFiles, "*.txtar")); err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	for _, name := range files {
		data, err := c.read(name)
		if err != nil {
			return nil, err
		}
		s, err := replay.ParseSettings(data)
		if err != nil {
			return nil, usagef("-fixtures: %s: %v", name, err)
		}
		if slices.Contains(s.Components, component) {
			return s, nil
		}
	}
	return nil, nil
}
