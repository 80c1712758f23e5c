// SPDX-License-Identifier: Apache-2.0

package run

// This file runs words in several processes.

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

// A Pool runs words in processes of a driver, which it starts when they are needed and
// replaces when they end. It is not safe for concurrent use.
type Pool struct {
	program *Program
	panics  []*regexp.Regexp
	idle    []*process  // one for each worker; nil if it is not running
	Words   int         // that were run
	Started int         // processes
	fresh   atomic.Bool // an object could be made in a new process, and not after other words
}

// NewPool returns a pool of so many processes. No process runs until there is a word.
func NewPool(p *Program, workers int) (*Pool, error) {
	pool := &Pool{program: p, idle: make([]*process, max(1, workers))}
	for _, text := range p.Panics {
		r, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("the pattern %q of a panic: %w", text, err)
		}
		pool.panics = append(pool.panics, r)
	}
	return pool, nil
}

// Close ends all processes.
func (p *Pool) Close() {
	for k, q := range p.idle {
		if q != nil {
			q.stop()
			p.idle[k] = nil
		}
	}
}

// options say how words are run.
type options struct {
	patient bool // a call blocks only if it takes all of its time
	fields  bool
}

// Run runs words and returns their answers, in order.
func (p *Pool) Run(ctx context.Context, words []Word) ([]Answer, error) {
	return p.run(ctx, words, options{})
}

// Snapshots runs words and returns answers with the fields of the objects.
func (p *Pool) Snapshots(ctx context.Context, words []Word) ([]Answer, error) {
	return p.run(ctx, words, options{fields: true})
}

func (p *Pool) run(ctx context.Context, words []Word, opt options) ([]Answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make([]Answer, len(words))
	failures := make([]error, len(p.idle))
	started := make([]int, len(p.idle))
	var next atomic.Int64
	var wait sync.WaitGroup
	for w := range min(len(p.idle), len(words)) {
		wait.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(words) {
					return
				}
				var n int
				if answers[k], n, failures[w] = p.one(ctx, &p.idle[w], words[k], opt); failures[w] != nil {
					cancel()
					return
				}
				started[w] += n
			}
		})
	}
	wait.Wait()
	for w := range failures {
		p.Started += started[w]
	}
	var first error
	for _, err := range failures {
		if err != nil && (first == nil || first == context.Canceled) {
			first = err
		}
	}
	if first != nil {
		return nil, first
	}
	p.Words += len(words)
	return answers, nil
}

// one runs a word in a worker's process. If the process ends during a word that is not its first, the
// reason may be what an earlier word left behind: the word is run again in a new process.
func (p *Pool) one(ctx context.Context, at **process, w Word, opt options) (a Answer, started int, err error) {
	limit := p.program.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	o := order{Start: w.Start, Calls: w.Calls, Limit: int(limit / time.Millisecond), Patient: opt.patient, Fields: opt.fields}
	if o.Calls == nil {
		o.Calls = []int{}
	}
	for noObject := false; ; {
		if err := ctx.Err(); err != nil {
			return a, started, err
		}
		if *at == nil {
			started++
			if *at, err = start(p.program); err != nil {
				return a, started, fmt.Errorf("the driver cannot be started: %w", err)
			}
		}
		q := *at
		a, gone, err := q.run(ctx, o)
		if gone {
			*at = nil
		}
		if err != nil {
			return a, started, err
		}
		if len(a.Steps) == 0 {
			return a, started, errors.New("the driver answered nothing")
		}
		if first := a.Steps[0]; a.None || first.Did != Returned || first.Error != "" {
			if noObject = q.ran > 1; noObject {
				// Perhaps because of what earlier words did.
				if !gone {
					q.stop()
					*at = nil
				}
				continue
			}
		} else if noObject {
			p.fresh.Store(true) // they do not go together
		}
		last := a.Steps[len(a.Steps)-1]
		if gone && q.ran > 1 && (last.Did == Fatal || last.Did == Exited || last.Did == Memory) {
			continue
		}
		// A process that ends after the last call returned does so by what is left of it.
		a.Steps = a.Steps[:min(len(a.Steps), len(o.Calls)+1)]
		if (p.program.Fresh || p.fresh.Load()) && !gone {
			q.stop()
			*at = nil
		}
		return a, started, nil
	}
}

// Errs reports whether a step is an error under study. A guess is one of which only the name or
// the text says that it is.
func (p *Pool) Errs(s Step) (errs, guess bool) {
	switch s.Did {
	case Returned:
		return s.Studied != "", s.Studied == "guess"
	case Blocked:
		return p.program.Blocks, false
	case Memory:
		return false, false
	}
	for _, r := range p.panics {
		if r.MatchString(s.Text) {
			return true, false
		}
	}
	return false, false
}
