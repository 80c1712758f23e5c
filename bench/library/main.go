// SPDX-License-Identifier: Apache-2.0

// Library makes the interfaces of the standard library that come with the project: it runs 'interlock infer' on each type of a list,
// strips what clients are not checked against, and writes one set, named after the release of Go whose sources were read.
//
//	go run ./library -interlock interlock -o ../internal/library/std
//
// A line of the list (types.txt) is a type and flags of 'interlock infer'. With -keep DIR the interface files are kept there, and a type whose file is
// there is not inferred again. An interface in which no call is known to fail is of no use and left out. The table on standard output says what
// became of each type.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/interlock-go/interlock/internal/library"
	"github.com/interlock-go/interlock/typestate"
)

func main() {
	list := flag.String("list", "library/types.txt", "the list of types")
	out := flag.String("o", "../internal/library/std", "the `directory` for the set")
	keep := flag.String("keep", "", "keep the interface files in a `directory`, and take those that it has")
	tool := flag.String("interlock", "interlock", "the interlock command")
	timeout := flag.Duration("timeout", time.Minute, "give up a type after this `time`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *list, *out, maker{*tool, *keep, *timeout}); err != nil {
		fmt.Fprintln(os.Stderr, "library:", err)
		os.Exit(2)
	}
}

type maker struct {
	tool, keep string
	timeout    time.Duration
}

var version = regexp.MustCompile(`go1\.\d+`)

func run(ctx context.Context, list, out string, m maker) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	v, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return err
	}
	release := version.FindString(string(v))
	if release == "" {
		return fmt.Errorf("no release of Go: %s", v)
	}
	var set []*typestate.Interface
	fmt.Printf("%-32s %6s %6s %6s %8s\n", "type", "calls", "states", "fails", "unknown")
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		args := strings.Fields(line)
		if len(args) == 0 {
			continue
		}
		i, err := m.infer(ctx, args[0], args[1:])
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Printf("%-32s %v\n", args[0], err)
			continue
		}
		if err := strip(i); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		fails := 0
		for _, f := range i.Forbidden {
			if f.Verdict == "fails" {
				fails++
			}
		}
		note := ""
		if fails == 0 {
			note = " left out"
		} else {
			set = append(set, i)
		}
		fmt.Printf("%-32s %6d %6d %6d %8d%s\n", args[0], len(i.Calls), len(i.States), fails, len(i.Unknown), note)
	}
	data, err := library.WriteSet(set)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	name := filepath.Join(out, release+".json.gz")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return err
	}
	fmt.Printf("%s: %d interfaces, %d bytes\n", name, len(set), len(data))
	return nil
}

// infer runs the command, or reads what it wrote before.
func (m maker) infer(ctx context.Context, name string, flags []string) (*typestate.Interface, error) {
	file := ""
	if m.keep != "" {
		file = filepath.Join(m.keep, strings.ReplaceAll(strings.Join(append([]string{name}, flags...), "_"), "/", "_")+".json")
		if data, err := os.ReadFile(file); err == nil {
			return typestate.Read(bytes.NewReader(data))
		}
	}
	args := append([]string{"infer", "-format", "json", "-timeout", m.timeout.String()}, flags...)
	cmd := exec.CommandContext(ctx, m.tool, append(args, name)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 && stdout.Len() > 0 {
		err = nil // something is open
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("%w: %s", err, first)
	}
	if file != "" {
		if err := os.WriteFile(file, stdout.Bytes(), 0o666); err != nil {
			return nil, err
		}
	}
	return typestate.Read(&stdout)
}

// strip removes what clients are not checked against.
func strip(i *typestate.Interface) error {
	i.Certificate = nil
	i.Approximations = nil
	i.Stats = nil
	i.Uncovered = nil
	for k := range i.Forbidden {
		i.Forbidden[k].Witness = nil
		kinds := map[string]bool{} // one of each kind is enough
		i.Forbidden[k].Errors = slices.DeleteFunc(i.Forbidden[k].Errors, func(e typestate.ErrorSite) bool {
			again := kinds[e.Kind]
			kinds[e.Kind] = true
			return again
		})
	}
	for k := range i.Constructors {
		i.Constructors[k].Witness = nil
	}
	for k := range i.Unknown {
		i.Unknown[k].Reason = "not decided"
	}
	var seen []typestate.Seen
	for _, s := range i.Seen {
		if s.Verdict == "fails" {
			seen = append(seen, s)
		}
	}
	i.Seen = seen
	if seen == nil {
		i.Tested = nil
	}
	return i.Canonicalize()
}
