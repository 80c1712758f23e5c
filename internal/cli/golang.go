// SPDX-License-Identifier: Apache-2.0

package cli

// This file is the command line for Go types.

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/interlock-go/interlock"
)

// fileExtensions are those of files; "missing.open" is not a Go type, "cookiejar.Jar" and "render.JSON" are.
var fileExtensions = []string{".open", ".json", ".txt", ".md", ".svg", ".dot", ".html", ".mmd", ".aut", ".fsp", ".lts", ".scxml", ".xml", ".class", ".jar", ".go", ".txtar", ".smt2"}

// isGo tells the name of a Go type from that of a file.
func isGo(name string) bool { return goName(name, false) }

// goName tells the name of a Go type from that of a file. Where flags say that it must be a type, it may
// be one that is not exported of a package without a slash: net.pipe.
func goName(name string, must bool) bool {
	if _, err := os.Stat(name); err == nil || isModel(name) {
		return false
	}
	name, _ = splitVersion(name)
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
	return unicode.IsUpper(r) || (must || strings.Contains(name, "/")) && (unicode.IsLetter(r) || r == '_')
}

// goOptions say how a Go type is read.
type goOptions struct {
	errorKinds, constructors []string
	factories                []string
	pkg, dir                 string
	methods, tags, blame     string
	strict                   bool
	scope                    scopeOptions
}

func (o *goOptions) flags(fs *flagSet) {
	fs.list(&o.errorKinds, "error", "what counts as an error of a Go type: a `kind` of 'interlock help go' (repeatable; default misuse)", "a kind of error", notBlank)
	fs.list(&o.constructors, "constructor", "constructor of a Go type: the `name` of a function, or zero (repeatable)", "the name of a function, or zero", notBlank)
	fs.list(&o.factories, "factory", "how an object of a Go type comes to be: `calls` such as 'zip.NewWriter(w).Create(name)' (repeatable)", "calls such as 'zip.NewWriter(w).Create(name)'", notBlank)
	fs.StringVar(&o.pkg, "package", "", "the functions of the Go package `path` that share state, instead of a type")
	fs.StringVar(&o.dir, "dir", "", "read Go types as the go command would in `directory`")
	fs.StringVar(&o.methods, "methods", "", "methods of a Go type that are calls: a `list` such as Read,Close; zw.Create is one of another object of the factory (default: all exported)")
	fs.StringVar(&o.tags, "tags", "", "build tags for a Go type: a `list` such as linux,cgo")
	fs.choice(&o.blame, "blame", "whose errors of a Go type count: `who` is client (default) or any, also the environment's", []string{"client", "any"})
	fs.BoolVar(&o.strict, "strict", false, "of a Go type: cells are unknown that a run-time check could affect which is not decided, instead of marked as uncovered")
	o.scope.flags(fs)
}

// given lists the flags that only Go types have, but -package.
func (o *goOptions) given() []given {
	return []given{{"error", o.errorKinds != nil}, {"constructor", o.constructors != nil}, {"factory", o.factories != nil}, {"dir", o.dir != ""}, {"methods", o.methods != ""},
		{"tags", o.tags != ""}, {"blame", o.blame != ""}, {"strict", o.strict}, {"contracts", o.scope.contracts != nil}, {"inline", o.scope.inline != nil}}
}

// notGo is the error of a flag that only Go types have.
func notGo(flag, name string) error {
	return usagef("-%s: %s is not a Go type; expected one such as bufio.Scanner with it", flag, shown(name))
}

// scopeOptions say what is followed and what is known of the rest.
type scopeOptions struct {
	contracts, inline []string
}

func (o *scopeOptions) flags(fs *flagSet) {
	fs.list(&o.contracts, "contracts", "what is known of functions that a Go type calls: a `file` of clauses, see doc/contracts.md (repeatable)", "a file", notEmpty)
	fs.list(&o.inline, "inline", "functions that a Go type calls and that are followed: a `pattern` such as 'net/textproto.*', or with - before it those that are not (repeatable; the last that matches counts)", "a pattern of functions with their package",
		func(text string) bool { return strings.Trim(text, "-") != "" && !strings.ContainsAny(text, " \t") })
}

// files reads the files of -contracts.
func (o *scopeOptions) files(c *invocation) ([]interlock.ContractFile, error) {
	var all []interlock.ContractFile
	for _, name := range o.contracts {
		text, err := c.read(name)
		if err != nil {
			return nil, err
		}
		all = append(all, interlock.ContractFile{Name: inPositions(name), Text: string(text)})
	}
	return all, nil
}

// A goType is a Go type that is to be lowered.
type goType struct {
	name string
	load interlock.LoadConfig
	how  interlock.GoOptions
}

// lower loads the package of the type and lowers the type.
func (t goType) lower(ctx context.Context) (*interlock.GoComponent, error) {
	return interlock.LoadGoType(ctx, t.load, t.name, t.how)
}

// infer lowers the type and infers its interface.
func (t goType) infer(ctx context.Context, how *interlock.Options) (*interlock.Report, error) {
	g, err := t.lower(ctx)
	if err != nil {
		return nil, err
	}
	return interlock.Infer(ctx, g, how)
}

// goType says which Go type is meant by a name.
func (o *goOptions) goType(c *invocation, name string) (goType, error) {
	files, err := o.scope.files(c)
	if err != nil {
		return goType{}, err
	}
	t := goType{name, interlock.LoadConfig{Dir: o.dir, Env: os.Environ(), Tags: o.tags}, interlock.GoOptions{Contracts: files, Inline: o.scope.inline, Package: o.pkg != "",
		Constructors: o.constructors, Factories: o.factories, Errors: o.errorKinds, AnyBlame: o.blame == "any", Strict: o.strict}}
	if o.methods != "" {
		for _, m := range strings.Split(o.methods, ",") {
			t.how.Methods = append(t.how.Methods, strings.TrimSpace(m))
		}
	}
	return t, nil
}

// inferGo is the command infer for a Go type.
func (o *inferOptions) inferGo(ctx context.Context, c *invocation) (int, error) {
	if d := o.parts.dividing(); d != "" {
		return exitWrong, usagef("%s: expected a component in the text form, not a Go type", d)
	}
	if o.synthesis.width > 0 {
		return exitWrong, usagef("-width: Go code has integers of their own width; expected a component in the text form with it")
	}
	t, err := o.output.target()
	if err != nil {
		return exitWrong, err
	}
	if o.program {
		var text []byte
		err := o.synthesis.goWork(ctx, c, &o.code, c.args[0], func(g *interlock.GoComponent, _ *interlock.Options) (err error) {
			text, err = g.Program(ctx)
			return err
		})
		if err != nil {
			return exitWrong, err
		}
		return exitDone, c.print(text)
	}
	if err := o.checkRun(); err != nil {
		return exitWrong, err
	}
	if o.running.mode != "" {
		return o.inferRun(ctx, c, t)
	}
	r, err := o.synthesis.synthesizeGo(ctx, c, &o.code, c.args[0])
	if err != nil {
		return exitWrong, err
	}
	return o.inferred(c, t, r)
}

func (o *synthesisOptions) synthesizeGo(ctx context.Context, c *invocation, code *goOptions, name string) (r *interlock.Report, err error) {
	err = o.goWork(ctx, c, code, name, func(g *interlock.GoComponent, how *interlock.Options) (err error) {
		r, err = interlock.Infer(ctx, g, how)
		return err
	})
	return r, err
}

// goWork does something with a Go type, as the flags say.
func (o *synthesisOptions) goWork(ctx context.Context, c *invocation, code *goOptions, name string, do func(*interlock.GoComponent, *interlock.Options) error) error {
	t, err := code.goType(c, name)
	if err != nil {
		return err
	}
	p := c.startProgress(name)
	defer p.stop()
	t.load.Progress = p.report
	err = withModules(ctx, t, func(t goType) error {
		g, err := t.lower(ctx)
		if err != nil {
			return err
		}
		return do(g, o.options(p))
	})
	if err == nil || undecided(err) || ctx.Err() != nil {
		return err
	}
	var refused *interlock.RefusedError
	if errors.As(err, &refused) && refused.Option {
		return usagef("-%w", err)
	}
	return usagef("%w", err)
}
