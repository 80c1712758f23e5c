// SPDX-License-Identifier: Apache-2.0

package cli

// This file is the command line for Go types.

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/typestate"
)

// fileExtensions are those of files; "missing.open" is not a Go type, "cookiejar.Jar" and "render.JSON" are.
var fileExtensions = []string{".open", ".json", ".txt", ".md", ".svg", ".dot", ".html", ".mmd", ".aut", ".fsp", ".lts", ".scxml", ".xml", ".class", ".jar", ".go", ".txtar", ".smt2"}

// isGo tells the name of a Go type from that of a file.
func isGo(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
		base = name[strings.LastIndexByte(name, '/')+1:]
	}
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 || slices.Contains(fileExtensions, filepath.Ext(name)) {
		return false
	}
	if _, err := os.Stat(name); err == nil {
		return false
	}
	typ := strings.TrimPrefix(base[dot+1:], "(*")
	r, _ := utf8.DecodeRuneInString(typ)
	return unicode.IsUpper(r) || strings.Contains(name, "/") && (unicode.IsLetter(r) || r == '_')
}

func goFlags(fs *flag.FlagSet, o *options) {
	goSourceFlags(fs, o)
	fs.BoolVar(&o.program, "program", false, "print the open program of a Go type instead of its interface")
}

// goSourceFlags say how a Go type is read.
func goSourceFlags(fs *flag.FlagSet, o *options) {
	flagValue(fs, o, "error", "what counts as an error of a Go type: a `kind` of 'interlock help go' (repeatable; default misuse)", "a kind of error", func(text string) bool {
		o.errorKinds = append(o.errorKinds, text)
		return strings.TrimSpace(text) != ""
	})
	flagValue(fs, o, "constructor", "constructor of a Go type: the `name` of a function, or zero (repeatable)", "the name of a function, or zero", func(text string) bool {
		o.constructors = append(o.constructors, text)
		return strings.TrimSpace(text) != ""
	})
	flagValue(fs, o, "factory", "how an object of a Go type comes to be: `calls` such as 'zip.NewWriter(w).Create(name)' (repeatable)", "calls such as 'zip.NewWriter(w).Create(name)'", func(text string) bool {
		o.factories = append(o.factories, text)
		return strings.TrimSpace(text) != ""
	})
	fs.StringVar(&o.pkg, "package", "", "the functions of the Go package `path` that share state, instead of a type")
	fs.StringVar(&o.dir, "dir", "", "read Go types as the go command would in `directory`")
	fs.StringVar(&o.methods, "methods", "", "methods of a Go type that are calls: a `list` such as Read,Close; zw.Create is one of another object of the factory (default: all exported)")
	fs.StringVar(&o.tags, "tags", "", "build tags for a Go type: a `list` such as linux,cgo")
	choiceFlag(fs, o, &o.blame, "blame", []string{"client", "any"}, "whose errors of a Go type count: `who` is client (default) or any, also the environment's")
	fs.BoolVar(&o.strict, "strict", false, "of a Go type: cells are unknown that a run-time check could affect which is not decided, instead of marked as uncovered")
	scopeFlags(fs, o)
}

// scopeFlags are the flags that say what is followed and what is known of the rest.
func scopeFlags(fs *flag.FlagSet, o *options) {
	flagValue(fs, o, "contracts", "what is known of functions that a Go type calls: a `file` of clauses, see doc/contracts.md (repeatable)", "a file", func(text string) bool {
		o.contracts = append(o.contracts, text)
		return text != ""
	})
	flagValue(fs, o, "inline", "functions that a Go type calls and that are followed: a `pattern` such as 'net/textproto.*', or with - before it those that are not (repeatable; the last that matches counts)", "a pattern of functions with their package", func(text string) bool {
		o.inline = append(o.inline, text)
		return strings.Trim(text, "-") != "" && !strings.ContainsAny(text, " \t")
	})
}

// contractFiles reads the files of -contracts.
func (c *invocation) contractFiles() ([]interlock.ContractFile, error) {
	var all []interlock.ContractFile
	for _, name := range c.contracts {
		text, err := c.read(name)
		if err != nil {
			return nil, err
		}
		all = append(all, interlock.ContractFile{Name: inPositions(name), Text: string(text)})
	}
	return all, nil
}

// goOnly refuses flags that only Go types have.
func (c *invocation) goOnly(name string) error {
	for _, f := range []struct {
		name string
		set  bool
	}{{"error", c.errorKinds != nil}, {"constructor", c.constructors != nil}, {"factory", c.factories != nil}, {"dir", c.dir != ""}, {"methods", c.methods != ""}, {"tags", c.tags != ""}, {"blame", c.blame != ""}, {"strict", c.strict}, {"contracts", c.contracts != nil}, {"inline", c.inline != nil}, {"program", c.program}, {"run", c.ran != ""}} {
		if f.set {
			return usagef("-%s: %s is not a Go type; expected one such as bufio.Scanner with it", f.name, shown(name))
		}
	}
	return nil
}

func (c *invocation) goType(name string) (interlock.GoType, error) {
	files, err := c.contractFiles()
	if err != nil {
		return interlock.GoType{}, err
	}
	t := interlock.GoType{Contracts: files, Inline: c.inline, Name: name, Package: c.pkg != "", Dir: c.dir, Env: os.Environ(), Tags: c.tags, Constructors: c.constructors, Factories: c.factories, Errors: c.errorKinds, BlameAny: c.blame == "any", Strict: c.strict}
	if c.methods != "" {
		for _, m := range strings.Split(c.methods, ",") {
			t.Methods = append(t.Methods, strings.TrimSpace(m))
		}
	}
	return t, nil
}

// inferGo is the command infer for a Go type.
func (c *invocation) inferGo(ctx context.Context) (int, error) {
	if d := c.dividing(); d != "" {
		return exitWrong, usagef("%s: expected a component in the text form, not a Go type", d)
	}
	if c.width > 0 {
		return exitWrong, usagef("-width: Go code has integers of their own width; expected a component in the text form with it")
	}
	t, err := c.target()
	if err != nil {
		return exitWrong, err
	}
	if c.program {
		var text []byte
		err := c.goWork(ctx, c.args[0], func(g interlock.GoType, conf interlock.Config) (err error) {
			text, err = interlock.ProgramOfGo(ctx, g, conf)
			return err
		})
		if err != nil {
			return exitWrong, err
		}
		return exitDone, c.print(text)
	}
	if err := c.runOnly(); err != nil {
		return exitWrong, err
	}
	if c.ran != "" {
		return c.inferRun(ctx, t)
	}
	i, err := c.synthesizeGo(ctx, c.args[0])
	if err != nil {
		return exitWrong, err
	}
	return c.inferred(t, i)
}

func (c *invocation) synthesizeGo(ctx context.Context, name string) (i *typestate.Interface, err error) {
	err = c.goWork(ctx, name, func(g interlock.GoType, conf interlock.Config) (err error) {
		i, err = interlock.SynthesizeGo(ctx, g, conf)
		return err
	})
	return i, err
}

func (c *invocation) goWork(ctx context.Context, name string, do func(interlock.GoType, interlock.Config) error) error {
	t, err := c.goType(name)
	if err != nil {
		return err
	}
	p := c.startProgress(name)
	defer p.stop()
	conf := interlock.Config{
		Engine:      c.engine,
		Learner:     c.learner,
		Serial:      c.serial,
		Tight:       c.tight,
		Budget:      c.budget,
		Workers:     c.workers,
		KeepAll:     !c.slice,
		Certificate: c.certificate,
		Progress:    p.report,
		Predicates:  c.predicates,
		Superset:    c.superset,
		Prover:      c.prover,
	}
	err = c.withModules(ctx, t, func(t interlock.GoType) error { return do(t, conf) })
	if err == nil || errors.Is(err, interlock.ErrUndecided) || ctx.Err() != nil {
		return err
	}
	return usagef("%w", err)
}
