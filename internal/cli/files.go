// SPDX-License-Identifier: Apache-2.0

package cli

// This file reads inputs and writes outputs, whole or not at all.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/internal/uses"
	"github.com/interlock-go/interlock/typestate"
)

// read returns the content of a text file, or of standard input for "-".
func (c *invocation) read(name string) ([]byte, error) {
	data, err := c.bytes(name)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors put a byte order mark first
	// The parser would name every single byte of a binary file.
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == 0 || r == utf8.RuneError && size <= 1 {
			return nil, usagef("%s: not a text file: byte 0x%02x at offset %d; expected UTF-8", shown(name), data[at], at)
		}
		at += size
	}
	return data, nil
}

func (c *invocation) bytes(name string) ([]byte, error) {
	switch {
	case name == "":
		return nil, usagef("the name of a file is empty; expected a file, or - for standard input")
	case name == "-" && c.stdin:
		return nil, usagef("standard input (-) can be given only once")
	case name == "-":
		c.stdin = true
		data, err := io.ReadAll(c.In)
		if err != nil {
			return nil, usagef("standard input: %v", reason(err))
		}
		return data, nil
	}
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && almostGo.MatchString(name) && !slices.Contains(fileExtensions, filepath.Ext(name)):
		return nil, usagef("%s: no such file, and no Go type: one is named PACKAGE.Type, with its exported name, as in bufio.Scanner", name)
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("%s: no such file", name)
	case err != nil:
		return nil, usagef("%s: %v", name, reason(err))
	}
	return data, nil
}

// almostGo are names of packages, or of types that are not exported.
var almostGo = regexp.MustCompile(`^[a-z]\w*(\.[a-z]\w*)?$`)

// shown is the name of an input in messages.
func shown(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// reason is an error of the operating system without the operation and path,
// which the message says already.
func reason(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}

// isInterface tells an interface file from the text of a component: it is a
// JSON object.
func isInterface(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{"))
}

// load reads an interface file, or synthesizes the interface of a component.
func (c *invocation) load(ctx context.Context, name string) (*typestate.Interface, error) {
	if isGo(name) {
		return c.synthesizeGo(ctx, name)
	}
	data, err := c.read(name)
	if err != nil {
		return nil, err
	}
	if isInterface(data) {
		return readInterface(name, data)
	}
	return c.synthesize(ctx, name, data)
}

func readInterface(name string, data []byte) (*typestate.Interface, error) {
	i, err := typestate.Read(bytes.NewReader(data))
	if err != nil {
		// An interface file is written by a program: what follows the first
		// problem is rarely another.
		first, rest, more := strings.Cut(strings.TrimSpace(err.Error()), "\n")
		if more {
			first += fmt.Sprintf(" (and %s)", count(strings.Count(rest, "\n")+1, "more problem"))
		}
		return nil, usagef("%s: %s", shown(name), first)
	}
	return i, nil
}

// used reads an interface file that a component names: beside the component,
// unless the name is absolute.
func (c *invocation) used(component, file string) (*typestate.Interface, error) {
	if component != "-" && !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(component), file)
	}
	data, err := c.read(file)
	if err == nil && !isInterface(data) {
		err = usagef("%s is not an interface file; 'interlock infer -o FILE.json' makes one", file)
	}
	if err != nil {
		return nil, err
	}
	return readInterface(file, data)
}

// programOptions says how the text of a component is read.
func (c *invocation) programOptions(component string) prog.Options {
	return prog.Options{Width: c.width, Uses: func(file string) (*prog.Used, error) {
		i, err := c.used(component, file)
		if err != nil {
			return nil, err
		}
		return uses.Program(i)
	}}
}

// inPositions is the name of an input in positions. The directory is left out,
// because positions become part of the interface, which must not depend on
// where the command was run.
func inPositions(name string) string {
	if name == "-" {
		return shown(name)
	}
	return filepath.Base(name)
}

// located puts the name as it was given back into the positions of errors, so
// that an editor finds the place.
func located(name string, err error) error {
	var list prog.ErrorList
	if name == "-" || !errors.As(err, &list) {
		return err
	}
	var out prog.ErrorList
	for _, e := range list {
		e := *e
		if e.Pos.File == inPositions(name) {
			e.Pos.File = name
		}
		out = append(out, &e)
	}
	return out
}

func (c *invocation) synthesize(ctx context.Context, name string, source []byte) (i *typestate.Interface, err error) {
	err = c.working(ctx, name, source, func(conf interlock.Config) (err error) {
		i, err = interlock.Synthesize(ctx, conf)
		return err
	})
	return i, err
}

// working does something with a component, as the flags say, and explains its
// errors.
func (c *invocation) working(ctx context.Context, name string, source []byte, do func(interlock.Config) error) error {
	p := c.startProgress(name)
	defer p.stop()
	err := do(interlock.Config{
		Filename: inPositions(name),
		Source:   source,
		Engine:   c.engine,
		Learner:  c.learner,
		Serial:   c.serial,
		Tight:    c.tight,
		NoWrap:   slices.Contains(c.assume, "no-wrap"),
		Ends:     slices.Contains(c.assume, "ends"),
		Width:    c.width,
		Budget:   c.budget,
		Workers:  c.workers,
		KeepAll:  !c.slice,

		Certificate: c.certificate,
		Uses:        func(file string) (*typestate.Interface, error) { return c.used(name, file) },
		Progress:    p.report,

		Predicates: c.predicates,
		Superset:   c.superset,
		Depth:      c.depth,
		Prover:     c.prover,
	})
	var exit *exitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(prog.ErrorList)):
		return located(name, err)
	case errors.Is(err, interlock.ErrPredicate), errors.Is(err, interlock.ErrProver):
		return usagef("-%v", err)
	case errors.Is(err, interlock.ErrUndecided), errors.As(err, &exit), ctx.Err() != nil:
		return err
	case c.engine != "" && c.engine != "auto":
		return fmt.Errorf("%w; -engine auto chooses one that can", err)
	}
	return err
}

// A target is where an interface is written to, and how.
type target struct {
	format render.Format
	file   string // "" is standard output
}

// target finds out where to write before any work is done: a wrong name should
// not cost an answer.
func (c *invocation) target() (target, error) {
	t := target{file: c.output}
	if t.file == "-" {
		t.file = ""
	}
	if info, err := os.Stat(t.file); err == nil && info.IsDir() {
		return t, usagef("-o %s: is a directory; expected the name of a file", t.file)
	}
	name, ext := c.format, filepath.Ext(t.file)
	if name == "" && ext == "" {
		name = render.Formats()[0].Name
	}
	var known []string
	for _, f := range render.Formats() {
		if name == "" && strings.EqualFold(ext, f.Ext) {
			name = f.Name
		}
		known = append(known, f.Ext)
	}
	if name == "" {
		return t, usagef("-o %s: no format has the extension %s; expected %s, or -format", t.file, ext, alternatives(known))
	}
	var ok bool
	if t.format, ok = render.Find(name); !ok {
		return t, usagef("-format %q: expected one of %s", name, strings.Join(formatNames(), ", "))
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"checks", c.checks}, {"assumptions", c.assumptions}} {
		if f.set && t.format.Name != "text" {
			return t, usagef("-%s: expected format text with it, not %s; json has them all", f.name, t.format.Name)
		}
	}
	if t.file == "" {
		return t, nil
	}
	switch info, err := os.Stat(t.file); {
	case err != nil:
	case info.Mode().IsRegular() && info.Mode()&0o222 == 0:
		return t, usagef("-o %s: the file is there and read-only; choose another name", t.file)
	}
	switch info, err := os.Stat(filepath.Dir(t.file)); {
	case err != nil:
		return t, usagef("-o %s: directory %s: %v", t.file, filepath.Dir(t.file), reason(err))
	case !info.IsDir():
		return t, usagef("-o %s: %s is not a directory", t.file, filepath.Dir(t.file))
	}
	return t, nil
}

// write renders the interface to its target. Nothing is written if that fails.
func (c *invocation) write(t target, i *typestate.Interface) error {
	var buf bytes.Buffer
	if err := t.format.Write(&buf, i, render.Options{Checks: c.checks, Assumptions: c.assumptions}); err != nil {
		return fmt.Errorf("-format %s: %w", t.format.Name, err)
	}
	if t.file == "" {
		return c.print(buf.Bytes())
	}
	return writeFile(t.file, buf.Bytes())
}

// print writes to standard output.
func (c *invocation) print(data []byte) error {
	if _, err := c.Out.Write(data); err != nil {
		return usagef("standard output: %v", reason(err))
	}
	return nil
}

// writeFile writes a file whole or not at all: to a temporary file beside it,
// which then takes its place. The temporary file is not made by os.CreateTemp,
// whose files only the owner may read.
func writeFile(name string, data []byte) (err error) { return writeNamed("-o", name, data) }

// writeNamed is writeFile for the value of another flag than -o.
func writeNamed(flag, name string, data []byte) (err error) {
	defer func() {
		if err != nil {
			err = usagef("%s %s: cannot write: %v", flag, name, reason(err))
		}
	}()
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, data, 0o666) // a device or pipe: nothing to replace
	}
	place := name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		place = real // the file changes, not the link to it
	}
	var f *os.File
	for n := 0; ; n++ {
		f, err = os.OpenFile(filepath.Join(filepath.Dir(place), fmt.Sprintf(".%s.%d.tmp", filepath.Base(place), n)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) || n == 100 {
			return err
		}
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil && info != nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if shut := f.Close(); err == nil {
		err = shut
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), place)
}
