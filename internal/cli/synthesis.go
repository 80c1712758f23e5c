// SPDX-License-Identifier: Apache-2.0

package cli

// This file is what commands have in common that synthesize interfaces: the flags that say how, and the way from the
// name of a component to its interface.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/uses"
	"github.com/interlock-go/interlock/typestate"
)

// synthesisOptions say how to synthesize.
type synthesisOptions struct {
	engine, learner      string
	superset, prover     string
	predicates, assume   []string
	serial, tight, slice bool
	budget, width        int
	workers, depth       int
	certificate          bool // a flag of infer only
}

func (o *synthesisOptions) flags(fs *flagSet) {
	engines, learners := names(interlock.Engines()), names(choices[interlock.Learner]())
	fs.choice(&o.engine, "engine", "how to synthesize: `name` is "+alternatives(engines)+" (default "+engines[0]+")", engines)
	fs.choice(&o.learner, "learner", "learner of engines learn, abstract and symbolic: `name` is "+alternatives(learners)+" (default "+learners[0]+")", learners)
	fs.list(&o.predicates, "predicate", "predicate of engine abstract, or to start engine witness with: a condition `p` over the state variables, e.g. 'n == 0' (repeatable)", "a condition", notBlank)
	supersets := names(choices[interlock.Superset]())
	fs.choice(&o.superset, "superset", "superset question of engine abstract: `name` is "+alternatives(supersets)+" (default "+supersets[0]+")", supersets)
	fs.count(&o.depth, "depth", "engine symbolic: claim no more than is checked on words of `k` calls (default: prove it for all)", upTo(1000, "calls"))
	fs.BoolVar(&o.serial, "serial", false, "infinite-word reading: forbid calls after which every continuation errs")
	fs.BoolVar(&o.tight, "tight", false, "keep apart states that differ only in which outcomes can happen")
	provers := names(choices[interlock.Prover]())
	fs.choice(&o.prover, "prover", "what finds the invariants of the proof: `name` is "+alternatives(provers)+", z3's, if z3 is installed (default "+provers[0]+")", provers)
	conventions := names(choices[interlock.Convention]())
	fs.list(&o.assume, "assume", "assume a `convention`: no-wrap (counters of 32 bits or more do not overflow) or ends (loops of which that is not known end); repeatable", "one of "+strings.Join(conventions, ", "),
		func(text string) bool { return slices.Contains(conventions, text) })
	fs.count(&o.width, "width", "narrow every integer type to `n` bits; that is another component", upTo(64, "bits"))
	fs.count(&o.budget, "budget", fmt.Sprintf("give up after `n` steps (default %d)", interlock.DefaultSteps), anyCount("steps"))
	fs.count(&o.workers, "workers", "explore with `n` goroutines (default: one per processor; the result is the same)", upTo(1024, "goroutines"))
	fs.BoolVar(&o.slice, "slice", true, "drop variables that cannot matter (default; -slice=false keeps them)")
	fs.limit()
}

// check rejects flags that do not go together.
func (o *synthesisOptions) check() error {
	name := o.engine
	if name == "" {
		name = "auto"
	}
	switch {
	case o.learner != "" && name != "auto" && name != "learn" && name != "abstract" && name != "symbolic":
		return usagef("-learner %s: engine %s does not learn; expected -engine learn with it", o.learner, name)
	case len(o.predicates) > 0 && name != "abstract" && name != "witness":
		return usagef("-predicate %q: engine %s takes no predicates; expected -engine abstract with it", o.predicates[0], name)
	case o.superset != "" && name != "abstract":
		return usagef("-superset %s: engine %s asks no superset questions; expected -engine abstract with it", o.superset, name)
	case o.depth > 0 && name != "symbolic":
		return usagef("-depth %d: engine %s does not stop at a depth; expected -engine symbolic with it", o.depth, name)
	}
	return nil
}

// load reads an interface file, or synthesizes the interface of a component.
func (o *synthesisOptions) load(ctx context.Context, c *invocation, name string) (*typestate.Interface, error) {
	var r *interlock.Report
	if isGo(name) {
		var err error
		if r, err = o.synthesizeGo(ctx, c, &goOptions{}, name); err != nil {
			return nil, err
		}
		return r.Interface, nil
	}
	data, err := c.read(name)
	if err != nil {
		return nil, err
	}
	if isInterface(data) {
		return readInterface(name, data)
	}
	if r, err = o.synthesize(ctx, c, name, data); err != nil {
		return nil, err
	}
	return r.Interface, nil
}

func (o *synthesisOptions) synthesize(ctx context.Context, c *invocation, name string, source []byte) (r *interlock.Report, err error) {
	err = o.working(ctx, c, name, source, func(p *interlock.Program, how *interlock.Options) (err error) {
		r, err = interlock.Infer(ctx, p, how)
		return err
	})
	return r, err
}

// options are what the flags mean.
func (o *synthesisOptions) options(p *progress) *interlock.Options {
	how := &interlock.Options{
		Engine:      o.engineOf(),
		Limits:      interlock.Limits{Steps: o.budget, Workers: o.workers},
		Progress:    p.report,
		Serial:      o.serial,
		Tight:       o.tight,
		Certificate: o.certificate,
		Prover:      find(choices[interlock.Prover](), o.prover),
		KeepAll:     !o.slice,
	}
	for _, name := range o.assume {
		how.Assume = append(how.Assume, find(choices[interlock.Convention](), name))
	}
	return how
}

// engineOf is the engine with its settings. One without settings needs nothing here.
func (o *synthesisOptions) engineOf() interlock.Engine {
	learner := find(choices[interlock.Learner](), o.learner)
	switch e := find(interlock.Engines(), o.engine).(type) {
	case interlock.Auto:
		return interlock.Auto{Learner: learner}
	case interlock.Learn:
		return interlock.Learn{Learner: learner}
	case interlock.Symbolic:
		return interlock.Symbolic{Learner: learner, Depth: o.depth}
	case interlock.Abstract:
		return interlock.Abstract{Learner: learner, Predicates: o.predicates, Superset: find(choices[interlock.Superset](), o.superset)}
	case interlock.Witness:
		return interlock.Witness{Predicates: o.predicates}
	default:
		return e
	}
}

// program reads the text of a component.
func (o *synthesisOptions) program(c *invocation, name string, source []byte) (*interlock.Program, error) {
	return interlock.ParseProgram(inPositions(name), source, interlock.Width(o.width),
		interlock.Uses(func(file string) (*typestate.Interface, error) { return c.used(name, file) }))
}

// undecided reports whether limits did not suffice.
func undecided(err error) bool {
	var b *interlock.BudgetError
	return errors.As(err, &b)
}

// working does something with a component, as the flags say, and explains its
// errors.
func (o *synthesisOptions) working(ctx context.Context, c *invocation, name string, source []byte, do func(*interlock.Program, *interlock.Options) error) error {
	p := c.startProgress(name)
	defer p.stop()
	program, err := o.program(c, name, source)
	if err == nil {
		err = do(program, o.options(p))
	}
	var refused *interlock.RefusedError
	var exit *exitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(prog.ErrorList)):
		return located(name, err)
	case errors.As(err, &refused) && refused.Option:
		return usagef("-%v", err)
	case undecided(err), errors.As(err, &exit), ctx.Err() != nil:
		return err
	case refused != nil:
		err = fmt.Errorf("%s: %s", refused.What, refused.Reason) // what is next is said in words of the command line
	}
	switch {
	case o.engine != "" && o.engine != "auto":
		return fmt.Errorf("%w; -engine auto chooses one that can", err)
	}
	return err
}

// programOptions says how the text of a component is read.
func (o *synthesisOptions) programOptions(c *invocation, component string) prog.Options {
	return prog.Options{Width: o.width, Uses: func(file string) (*prog.Used, error) {
		i, err := c.used(component, file)
		if err != nil {
			return nil, err
		}
		return uses.Program(i)
	}}
}
