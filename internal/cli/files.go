// SPDX-License-Identifier: Apache-2.0

package cli

// This file reads inputs and writes outputs, whole or not at all.

import (
	"bytes"
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

	"github.com/interlock-go/interlock/internal/prog"
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
