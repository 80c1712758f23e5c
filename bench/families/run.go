// SPDX-License-Identifier: Apache-2.0

package main

// This file runs the engines and prints what they cost.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"text/tabwriter"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/bench/internal/text"
	"github.com/interlock-go/interlock/bench/internal/usage"
	"github.com/interlock-go/interlock/typestate"
)

type bench struct {
	out   io.Writer
	quick bool
	limit time.Duration
}

// errLimit is why a run that took too long was stopped.
var errLimit = errors.New("time limit")

// A cost is what one run took; of parts, all together.
type cost struct {
	time      time.Duration
	peak      int64
	states    int
	registers int64
	unknown   int
	questions int64
	engine    string
	failed    string
}

// add counts an interface.
func (c *cost) add(i *typestate.Interface) {
	c.states += len(i.States)
	c.registers += i.Stats["registers"]
	c.unknown += len(i.Unknown)
	c.questions += i.Stats["solverQuestions"] + i.Stats["membershipQueries"]
	c.engine = engineOf(i)
}

// engineOf tells the engine that answered by what it counts.
func engineOf(i *typestate.Interface) string {
	for _, e := range []struct{ count, name string }{{"membershipQueries", "learn"}, {"abstractStates", "cegar"}, {"knowledgeSets", "direct"}} {
		if _, ok := i.Stats[e.count]; ok {
			return e.name
		}
	}
	return "another"
}

// measure runs something once.
func (b *bench) measure(ctx context.Context, run func(ctx context.Context) ([]*typestate.Interface, error)) (cost, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, b.limit, errLimit)
	defer cancel()
	debug.FreeOSMemory()
	usage.ForgetPeak()
	start := usage.CPU()
	list, err := run(ctx)
	c := cost{time: usage.CPU() - start, peak: usage.Peak()}
	switch {
	case errors.Is(context.Cause(ctx), errLimit):
		c.failed = fmt.Sprintf("stopped after %v", b.limit)
	case text.Undecided(err):
		c.failed = err.Error()
	case err != nil:
		return cost{}, err
	default:
		for _, i := range list {
			c.add(i)
		}
	}
	return c, nil
}

// text measures a component in the text form.
func (b *bench) text(ctx context.Context, f family, n int) (cost, error) {
	return b.measure(ctx, func(ctx context.Context) ([]*typestate.Interface, error) {
		if !f.partition {
			i, err := text.Infer(ctx, "c.open", f.source(n), nil)
			return []*typestate.Interface{i}, err
		}
		p, err := interlock.ParseProgram("c.open", []byte(f.source(n)))
		if err != nil {
			return nil, err
		}
		d, err := interlock.Decompose(ctx, p, interlock.ByState, false, nil)
		if err != nil {
			return nil, err
		}
		var list []*typestate.Interface
		for _, p := range d.Parts {
			list = append(list, p.Interface)
		}
		return list, nil
	})
}

func (b *bench) all(ctx context.Context) error {
	if err := b.familyTable(ctx); err != nil {
		return err
	}
	return b.pairTable(ctx)
}

func (b *bench) familyTable(ctx context.Context) error {
	w := tabwriter.NewWriter(b.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "family\tgrows\tn\tcpu ms\tstates\tregisters\tunknown\tqueries\tpeak MB\tengine\tlimited by")
	for _, f := range families() {
		for k, n := range f.sizes {
			if b.quick && k >= f.quick {
				break
			}
			c, err := b.text(ctx, f, n)
			if err != nil {
				return fmt.Errorf("%s %d: %w", f.name, n, err)
			}
			if c.failed != "" {
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t-\t-\t-\t-\t%d\t-\t%s\n", f.name, f.grows, n, c.time.Milliseconds(), c.peak>>20, c.failed)
				break
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", f.name, f.grows, n, c.time.Milliseconds(), c.states, c.registers, c.unknown, c.questions, c.peak>>20, c.engine, f.limits)
		}
	}
	return w.Flush()
}
