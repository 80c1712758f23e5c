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
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

// partsOptions say whether there are several interfaces.
type partsOptions struct {
	splitErrors, partition, compare bool
}

func (o *partsOptions) flags(fs *flagSet) {
	fs.BoolVar(&o.splitErrors, "split-errors", false, "one interface per error site; -o is a directory")
	fs.BoolVar(&o.partition, "partition", false, "one interface per group of methods that share no state; -o is a directory")
	fs.BoolVar(&o.compare, "compare", false, "with -split-errors or -partition: build the undivided interface too, and compare the product of the parts with it")
}

// dividing is the name of the flag that divides, or "".
func (o *partsOptions) dividing() string {
	switch {
	case o.splitErrors:
		return "-split-errors"
	case o.partition:
		return "-partition"
	}
	return ""
}

// check rejects flags that do not go together.
func (o *partsOptions) check(serial bool) error {
	switch {
	case o.splitErrors && o.partition:
		return usagef("-split-errors and -partition: expected one of them")
	case o.compare && o.dividing() == "":
		return usagef("-compare: there are no parts to compare; expected -split-errors or -partition with it")
	case o.dividing() != "" && serial:
		return usagef("%s and -serial: the dead ends of a component are not those of its parts; expected one of them", o.dividing())
	}
	return nil
}

// directory finds out where parts are written to, before any work is done.
func (o *inferOptions) directory() (render.Format, string, error) {
	name, dir := o.output.format, o.output.output
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
			return f, dir, usagef("-format %s: %s has several interfaces to write; expected -o and a directory with it", name, o.parts.dividing())
		}
		return f, dir, nil
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return f, dir, usagef("-o %s: is a file; %s has several interfaces to write, expected a directory", dir, o.parts.dividing())
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
func (o *inferOptions) decompose(ctx context.Context, c *invocation) (int, error) {
	format, dir, err := o.directory()
	if err != nil {
		return exitWrong, err
	}
	source, err := c.component()
	if err != nil {
		return exitWrong, err
	}
	division := interlock.ByErrorSite
	if o.parts.partition {
		division = interlock.ByState
	}
	var d *interlock.Decomposition
	err = o.synthesis.working(ctx, c, c.args[0], source, func(p *interlock.Program, how *interlock.Options) (err error) {
		d, err = interlock.Decompose(ctx, p, division, o.parts.compare, how)
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
	text, code := o.compared(c, d)
	out.WriteString(text)
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

// compared says what is known of all parts together.
func (o *inferOptions) compared(c *invocation, d *interlock.Decomposition) (text string, code int) {
	for _, part := range d.Parts {
		if why := undecidedReason(part.Interface, "the interface of "+part.Title, o.synthesis.depth); why != "" && code == exitDone {
			fmt.Fprintf(c.Err, "interlock infer: undecided: %s\n", why)
			code = exitUndecided
		}
	}
	switch {
	case !o.parts.compare:
		return fmt.Sprintf("%s; a call is forbidden where one of them forbids it (-compare builds the undivided interface and checks that)\n", count(len(d.Parts), "part")), code
	case d.Comparison == typestate.CompareEqual:
		return fmt.Sprintf("product: %s, equal to the undivided interface of %s (checked)\n", count(len(d.Product.States), "state"), count(len(d.Undivided.States), "state")), code
	case d.Comparison == typestate.CompareDifferent:
		return fmt.Sprintf("product: NOT equal to the undivided interface: %s\n", d.Why), exitNo
	}
	return fmt.Sprintf("product: not compared with the undivided interface: %s\n", d.Why), exitUndecided
}
