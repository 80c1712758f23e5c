// SPDX-License-Identifier: Apache-2.0

package cli

// This file writes interfaces: where to, and in which format.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

// outputOptions say where an interface is written to, and how.
type outputOptions struct {
	format, output      string
	checks, assumptions bool
}

func (o *outputOptions) flags(fs *flagSet) {
	formats := formatNames()
	fs.choice(&o.format, "format", "output format: `name` is "+alternatives(formats)+" (default: by the extension of -o, else "+formats[0]+")", formats)
	fs.BoolVar(&o.checks, "checks", false, "list the run-time checks that are not covered (format text)")
	fs.BoolVar(&o.assumptions, "assumptions", false, "list what is assumed (conventions, contracts) and what is approximated (format text)")
	fs.StringVar(&o.output, "o", "", "write to `file` instead of standard output; it is written whole or not at all")
}

// A target is where an interface is written to, and how.
type target struct {
	format render.Format
	show   render.Options
	file   string // "" is standard output
}

// target finds out where to write before any work is done: a wrong name should
// not cost an answer.
func (o *outputOptions) target() (target, error) {
	t := target{file: o.output, show: render.Options{Checks: o.checks, Assumptions: o.assumptions}}
	if t.file == "-" {
		t.file = ""
	}
	if info, err := os.Stat(t.file); err == nil && info.IsDir() {
		return t, usagef("-o %s: is a directory; expected the name of a file", t.file)
	}
	name, ext := o.format, filepath.Ext(t.file)
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
	if name := firstGiven([]given{{"checks", o.checks}, {"assumptions", o.assumptions}}); name != "" && t.format.Name != "text" {
		return t, usagef("-%s: expected format text with it, not %s; json has them all", name, t.format.Name)
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
	if t.format.Name == "html" {
		t.show.Lines = c.sourceLines(i)
	}
	if err := t.format.Write(&buf, i, t.show); err != nil {
		return fmt.Errorf("-format %s: %w", t.format.Name, err)
	}
	if t.file == "" {
		return c.print(buf.Bytes())
	}
	return writeFile(t.file, buf.Bytes())
}
