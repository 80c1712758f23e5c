// SPDX-License-Identifier: Apache-2.0

package interlock

import (
	"context"
	"slices"
	"strconv"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/ladder"
	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// A LoadConfig says how Go packages are loaded.
type LoadConfig struct {
	Dir      string   // where the go command runs; "" is the working directory
	Env      []string // environment of the go command; nil is that of the process
	Tags     string   // build tags
	Progress func(Event)
}

// GoPackages are Go packages, loaded from source with all they depend on. Their types are to be lowered one after the
// other: generic functions are instantiated in what was loaded.
type GoPackages struct {
	loaded *golang.Packages
	config LoadConfig
}

// GoOptions say what of a Go type is its interface about.
type GoOptions struct {
	// Package: the name is the import path of a package whose functions share state. With Factories
	// it is that of the package of the object that these make.
	Package bool
	// Constructors are names of functions that return the type, or "zero" for
	// the zero value; none: the exported functions that return it.
	Constructors []string
	// Factories are calls that make the object, as Go statements:
	// "zip.NewWriter(w).Create(name)".
	Factories []string
	// Methods are the calls; none: all exported methods. "zw.Create" is a call on
	// another object of a factory.
	Methods []string
	// Errors are the kinds of errors, as in 'interlock help go'; none: "misuse".
	Errors []string
	// AnyBlame counts errors that are the environment's fault too.
	AnyBlame bool
	// Strict makes cells unknown that checks of the run time could affect which are not
	// decided.
	Strict bool
	// Contracts are what is known of functions that are not followed, beyond what
	// is known of the standard library; see doc/contracts.md.
	Contracts []ContractFile
	// Inline are patterns of functions, with their package, that are followed, or
	// not, with "-" before the pattern. The last that matches counts.
	Inline []string
}

// A ContractFile is a text of contracts; its name is used in errors.
type ContractFile struct{ Name, Text string }

// A GoComponent is a Go type that was lowered to open programs. It may be inferred several times, but not at once.
type GoComponent struct{ c ladder.Component }

// LoadGo loads the packages that patterns of the go command match, such as "std"
// or "./...".
func LoadGo(ctx context.Context, c LoadConfig, patterns ...string) (*GoPackages, error) {
	l, err := golang.Load(ctx, patterns, new(GoOptions).frontend(c))
	if err != nil {
		return nil, public(err)
	}
	return &GoPackages{l, c}, nil
}

// LoadGoType loads the package of a type and lowers the type: "bufio.Scanner", "./store.Tx", "cache.LRU[string,int]".
func LoadGoType(ctx context.Context, c LoadConfig, name string, o GoOptions) (*GoComponent, error) {
	return o.lower(name, func(s golang.Subject) (*golang.Result, error) { return golang.Compile(ctx, s, o.frontend(c)) })
}

// Types returns the names of the exported types that have exported methods, in
// order. A generic type has simple type arguments.
func (p *GoPackages) Types() []string {
	var names []string
	for _, s := range p.loaded.Types() {
		names = append(names, s.String())
	}
	return names
}

// Type lowers a type of one of the packages, which is named by its import path: "encoding/json.Decoder".
func (p *GoPackages) Type(ctx context.Context, name string, o GoOptions) (*GoComponent, error) {
	return o.lower(name, func(s golang.Subject) (*golang.Result, error) { return p.loaded.Compile(ctx, s, o.frontend(p.config)) })
}

// lower makes a component of the type of that name.
func (o *GoOptions) lower(name string, compile func(golang.Subject) (*golang.Result, error)) (*GoComponent, error) {
	s := golang.Subject{Package: name}
	if !o.Package {
		var err error
		if s, err = golang.ParseSubject(name); err != nil {
			return nil, err
		}
	}
	r, err := compile(s)
	if err != nil {
		return nil, public(ladder.TooLarge(name, err))
	}
	return &GoComponent{ladder.Component{Result: r, Name: name, Strict: o.Strict, Blocks: slices.Contains(o.Errors, "block")}}, nil
}

// frontend are the options of the front end.
func (o *GoOptions) frontend(c LoadConfig) golang.Options {
	var files []golang.ContractFile
	for _, f := range o.Contracts {
		files = append(files, golang.ContractFile(f))
	}
	errors := o.Errors
	if len(errors) == 0 {
		errors = []string{"misuse"}
	}
	return golang.Options{Contracts: files, Inline: o.Inline, Dir: c.Dir, Env: c.Env, Tags: c.Tags, Constructors: o.Constructors, Factories: o.Factories, Methods: o.Methods,
		Errors: errors, BlameAny: o.AnyBlame, Progress: phases(c.Progress)}
}

func (c *GoComponent) infer(ctx context.Context, o *Options) (*typestate.Interface, error) {
	if s, ok := o.Engine.(Symbolic); ok && s.Depth > 0 {
		return nil, &RefusedError{What: "depth " + strconv.Itoa(s.Depth), Reason: "code is several programs, which are proved for all words", Next: "leave the depth out", Option: true}
	}
	return ladder.Synthesize(ctx, c.c, o.strategy(), o.Limits.Steps)
}

func (c *GoComponent) unknown(ctx context.Context, reason string) (*typestate.Interface, error) {
	return ladder.Unknown(ctx, c.c, reason)
}

func (c *GoComponent) verify(ctx context.Context, i *typestate.Interface, o synth.VerifyOptions) (synth.Verification, error) {
	return ladder.Verify(ctx, c.c, i, o)
}

// Program returns the open program of the type in the text form, with
// nothing left out that an explicit error can depend on.
func (c *GoComponent) Program(ctx context.Context) ([]byte, error) { return ladder.Text(ctx, c.c) }

// GoCounts are counts of a Go type, for those who measure.
type GoCounts struct {
	// ExplicitSites are the positions at which code of the component errs by
	// itself, and for which not only the environment is to blame. It is -1 if methods are left out
	// because they are too large: what they have is not known.
	ExplicitSites int
	// Panics are those written in the code of the component which a call may run. Some of them
	// may be unreachable, and no error sites then.
	Panics int
	// Checks are the lines with run-time checks that clients may reach; AllChecks says that all were looked at:
	// the code may be too large for some.
	Checks    int
	AllChecks bool
	// Uncovered are those of Checks that the interface of a report does not cover.
	Uncovered int
}

// Counts counts; the report is of the component, or nil.
func (c *GoComponent) Counts(r *Report) GoCounts {
	n := GoCounts{ExplicitSites: len(c.c.Explicit()), Panics: c.c.Panics(), Checks: c.c.RunTimeChecks(), AllChecks: c.c.Checked()}
	if len(c.c.LeftOut()) > 0 {
		n.ExplicitSites = -1
	}
	if r != nil {
		n.Uncovered = ladder.Uncovered(r.Interface)
	}
	return n
}
