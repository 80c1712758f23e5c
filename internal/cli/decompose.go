// SPDX-License-Identifier: Apache-2.0

package cli

// This file is infer with -split-errors and -partition: several interfaces
// instead of one. As text they are printed one after the other. Other formats
// are files with one interface each, so they need a directory: an array of
// interfaces would be a second file format that no other command reads.

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

func decomposeFlags(fs *flag.FlagSet, o *options) {
	fs.BoolVar(&o.splitErrors, "split-errors", false, "one interface per error site, and whether their product is the undivided one; -o is a directory")
	fs.BoolVar(&o.partition, "partition", false, "one interface per group of methods that share no state, and whether their product is the undivided one; -o is a directory")
}

// dividing is the name of the flag that divides, or "".
func (o *options) dividing() string {
	switch {
	case o.splitErrors:
		return "-split-errors"
	case o.partition:
		return "-partition"
	}
	return ""
}

// checkDecompose rejects flags that do not go together.
func (o *options) checkDecompose() error {
	switch {
	case o.splitErrors && o.partition:
		return usagef("-split-errors and -partition: expected one of them")
	case o.dividing() != "" && o.serial:
		return usagef("%s and -serial: the dead ends of a component are not those of its parts; expected one of them", o.dividing())
	}
	return nil
}

// directory finds out where parts are written to, before any work is done.
func (c *invocation) directory() (render.Format, string, error) {
	name, dir := c.format, c.output
	if dir == "-" {
		dir = ""
	}
	if name == "" {
		name = "json"
		if dir == "" {
			name = "text"
		}
	}
	f, ok := render.Find(name)
	if !ok {
		return f, dir, usagef("-format %q: expected one of %s", name, strings.Join(formatNames(), ", "))
	}
	if dir == "" {
		if name != "text" {
			return f, dir, usagef("-format %s: %s has several interfaces to write; expected -o and a directory with it", name, c.dividing())
		}
		return f, dir, nil
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return f, dir, usagef("-o %s: is a file; %s has several interfaces to write, expected a directory", dir, c.dividing())
	case errors.Is(err, fs.ErrNotExist):
		if up, err := os.Stat(filepath.Dir(dir)); err != nil || !up.IsDir() {
			return f, dir, usagef("-o %s: %s is not a directory", dir, filepath.Dir(dir))
		}
	case err != nil:
		return f, dir, usagef("-o %s: %v", dir, reason(err))
	}
	return f, dir, nil
}

// decompose is infer for several interfaces.
func (c *invocation) decompose(ctx context.Context) (int, error) {
	format, dir, err := c.directory()
	if err != nil {
		return exitWrong, err
	}
	source, err := c.component()
	if err != nil {
		return exitWrong, err
	}
	apart := interlock.SplitErrors
	if c.partition {
		apart = interlock.Partition
	}
	var d *interlock.Decomposition
	err = c.working(ctx, c.args[0], source, func(conf interlock.Config) (err error) {
		d, err = apart(ctx, conf)
		return err
	})
	if err != nil {
		return exitWrong, err
	}
	var out bytes.Buffer
	type file struct {
		name string
		data []byte
	}
	var files []file
	show := func(name, title string, i *typestate.Interface) error {
		var b bytes.Buffer
		if err := format.Write(&b, i, render.Options{}); err != nil {
			return fmt.Errorf("-format %s: %w", format.Name, err)
		}
		if dir == "" {
			fmt.Fprintf(&out, "== %s\n%s\n", title, b.Bytes())
			return nil
		}
		files = append(files, file{filepath.Join(dir, name+format.Ext), b.Bytes()})
		fmt.Fprintf(&out, "%s  %s\n", name+format.Ext, title)
		return nil
	}
	for k, part := range d.Parts {
		title := part.Title
		if dir == "" {
			title = fmt.Sprintf("%d of %d: %s", k+1, len(d.Parts), title)
		}
		if err := show(fmt.Sprint(k+1), title, part.Interface); err != nil {
			return exitWrong, err
		}
	}
	if d.Product != nil && dir != "" {
		if err := show("product", "the product", d.Product); err != nil {
			return exitWrong, err
		}
	}
	code := exitDone
	switch d.Comparison {
	case typestate.CompareEqual:
		fmt.Fprintf(&out, "product: %s, equal to the undivided interface of %s (checked)\n", count(len(d.Product.States), "state"), count(len(d.Whole.States), "state"))
	case typestate.CompareDifferent:
		fmt.Fprintf(&out, "product: NOT equal to the undivided interface: %s\n", d.Why)
		code = exitNo
	default:
		fmt.Fprintf(&out, "product: not compared with the undivided interface: %s\n", d.Why)
		code = exitUndecided
	}
	if len(files) > 0 {
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return exitWrong, usagef("-o %s: cannot make the directory: %v", dir, reason(err))
		}
	}
	for _, f := range files {
		if err := writeFile(f.name, f.data); err != nil {
			return exitWrong, err
		}
	}
	return code, c.print(out.Bytes())
}
