// SPDX-License-Identifier: Apache-2.0

package cli

// This file is what commands have in common that synthesize interfaces: the flags that say how, and the way from the
// name of a component to its interface.

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	engines, learners := names(interlock.Engines()), names(interlock.Learners())
	fs.choice(&o.engine, "engine", "how to synthesize: `name` is "+alternatives(engines)+" (default "+engines[0]+")", engines)
	fs.choice(&o.learner, "learner", "learner of engines learn, abstract and symbolic: `name` is "+alternatives(learners)+" (default "+learners[0]+")", learners)
	fs.list(&o.predicates, "predicate", "predicate of engine abstract, or to start engine witness with: a condition `p` over the state variables, e.g. 'n == 0' (repeatable)", "a condition", notBlank)
	supersets := interlock.Supersets()
	fs.choice(&o.superset, "superset", "superset question of engine abstract: `name` is "+alternatives(supersets)+" (default "+supersets[0]+")", supersets)
	fs.count(&o.depth, "depth", "engine symbolic: claim no more than is checked on words of `k` calls (default: prove it for all)", upTo(1000, "calls"))
	fs.BoolVar(&o.serial, "serial", false, "infinite-word reading: forbid calls after which every continuation errs")
	fs.BoolVar(&o.tight, "tight", false, "keep apart states that differ only in which outcomes can happen")
	provers := names(interlock.Provers())
	fs.choice(&o.prover, "prover", "what finds the invariants of the proof: `name` is "+alternatives(provers)+", z3's, if z3 is installed (default "+provers[0]+")", provers)
	conventions := []string{"no-wrap", "ends"}
	fs.list(&o.assume, "assume", "assume a `convention`: no-wrap (counters of 32 bits or more do not overflow) or ends (loops of which that is not known end); repeatable", "one of no-wrap, ends",
		func(text string) bool { return slices.Contains(conventions, text) })
	fs.count(&o.width, "width", "narrow every integer type to `n` bits; that is another component", upTo(64, "bits"))
	fs.count(&o.budget, "budget", fmt.Sprintf("give up after `n` steps (default %d)", interlock.DefaultBudget), anyCount("steps"))
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
	if isGo(name) {
		return o.synthesizeGo(ctx, c, &goOptions{}, name)
	}
	data, err := c.read(name)
	if err != nil {
		return nil, err
	}
	if isInterface(data) {
		return readInterface(name, data)
	}
	return o.synthesize(ctx, c, name, data)
}

func (o *synthesisOptions) synthesize(ctx context.Context, c *invocation, name string, source []byte) (i *typestate.Interface, err error) {
	err = o.working(ctx, c, name, source, func(conf interlock.Config) (err error) {
		i, err = interlock.Synthesize(ctx, conf)
		return err
	})
	return i, err
}

// working does something with a component, as the flags say, and explains its
// errors.
func (o *synthesisOptions) working(ctx context.Context, c *invocation, name string, source []byte, do func(interlock.Config) error) error {
	p := c.startProgress(name)
	defer p.stop()
	err := do(interlock.Config{
		Filename: inPositions(name),
		Source:   source,
		Engine:   o.engine,
		Learner:  o.learner,
		Serial:   o.serial,
		Tight:    o.tight,
		NoWrap:   slices.Contains(o.assume, "no-wrap"),
		Ends:     slices.Contains(o.assume, "ends"),
		Width:    o.width,
		Budget:   o.budget,
		Workers:  o.workers,
		KeepAll:  !o.slice,

		Certificate: o.certificate,
		Uses:        func(file string) (*typestate.Interface, error) { return c.used(name, file) },
		Progress:    p.report,

		Predicates: o.predicates,
		Superset:   o.superset,
		Depth:      o.depth,
		Prover:     o.prover,
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
