// SPDX-License-Identifier: Apache-2.0

package main

// This file runs one engine on one component and counts. The counts come from
// the interface and are the same on every machine; only the three measured
// quantities (wall time, CPU time, peak memory) are not.
//
// The command measures each run in a process of its own, this program started
// again with -one, so that the peak is that of the run and no run profits from
// the heap of another. Tests call run directly.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/interlock-go/interlock/bench/internal/usage"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
)

// A job is one engine on one member of a family.
type job struct {
	Family  string
	K       int
	Engine  string
	Learner string
	Slice   bool // drop variables that cannot matter; the paper does not
	Workers int
	Budget  int // 0 is the engine's own
	Repeat  int // the fastest of so many runs counts; fewer if they are slow
	Limit   time.Duration
}

func (j job) name() string {
	if j.Learner != "" {
		return j.Engine + "/" + j.Learner
	}
	return j.Engine
}

// A result is what a job gave. Reason is empty iff there is an interface.
type result struct {
	Job    job
	Reason string // why there is none: "budget", "refused" or "time"
	Detail string // the engine's words
	Size   int    // states of the interface
	Count  map[string]int64
	// Table is until the table of the component is known, which is what the
	// paper measures; All goes on until labels and witnesses are found too.
	Table, All cost
	Peak       int64 // bytes of resident memory
}

// A cost is time by the clock, and user and system time of all threads, which
// is the one to compare on a machine that does other things too.
type cost struct{ Wall, CPU time.Duration }

// seconds is CPU time or, where the system is not asked for it, wall time.
func (c cost) seconds() float64 {
	if c.CPU > 0 {
		return c.CPU.Seconds()
	}
	return c.Wall.Seconds()
}

// automaton is the number of states that the algorithm constructed before it
// minimized: all knowledge, the conjecture, the abstraction; in each case
// without the one state of the object before construction.
func (r result) automaton() int64 {
	for _, key := range []string{"knowledgeSets", "abstractStates"} {
		if n, ok := r.Count[key]; ok {
			return n - 1
		}
	}
	return int64(r.Size)
}

func family(name string) (corpus.Family, error) {
	for _, f := range corpus.Families() {
		if f.Name == name {
			return f, nil
		}
	}
	return corpus.Family{}, fmt.Errorf("there is no family %q", name)
}

const (
	// enough is the time after which a job is not repeated.
	enough = time.Second
	// built is the phase that engines report when the table is known.
	built = "building the interface"
)

var errLimit = errors.New("time limit of the benchmark")

// run does a job in this process.
func run(ctx context.Context, j job) (result, error) {
	f, err := family(j.Family)
	if err != nil {
		return result{}, err
	}
	p, err := prog.Parse(f.Name+".open", []byte(f.Source(j.K)), prog.Options{})
	if err != nil {
		return result{}, err
	}
	best := result{}
	begin := time.Now()
	for i := range max(j.Repeat, 1) {
		if i > 0 && time.Since(begin) > enough {
			break
		}
		runtime.GC()
		limited, cancel := context.WithTimeoutCause(ctx, j.Limit, errLimit)
		r := result{Job: j}
		cpu, start := usage.CPU(), time.Now()
		face, err := engine.Synthesize(limited, problem.Problem{
			Program: p, Engine: j.Engine, Learner: j.Learner,
			KeepAll: !j.Slice, Workers: j.Workers, Budget: j.Budget,
			Progress: func(phase string, _ int) {
				if phase == built {
					r.Table = cost{time.Since(start), usage.CPU() - cpu}
				}
			},
		})
		r.All = cost{time.Since(start), usage.CPU() - cpu}
		cancel()
		if err == nil && r.Table.Wall == 0 {
			return result{}, fmt.Errorf("engine %s did not report the phase %q", j.name(), built)
		}
		var refusal *problem.Refusal
		switch {
		case errors.Is(err, errLimit), errors.Is(err, context.DeadlineExceeded):
			r.Reason = "time"
		case err == nil:
			r.Size, r.Count = len(face.States), face.Stats
		case problem.Undecided(err):
			r.Reason, r.Detail = "budget", err.Error()
		case errors.As(err, &refusal):
			r.Reason, r.Detail = "refused", err.Error()
		default:
			return result{}, fmt.Errorf("%s k=%d, engine %s: %w", j.Family, j.K, j.name(), err)
		}
		if i == 0 || r.Table.seconds() < best.Table.seconds() {
			best = r
		}
	}
	best.Peak = usage.Peak()
	return best, nil
}

// apart does a job in a process of its own.
func apart(ctx context.Context, j job) (result, error) {
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return result{}, err
	}
	cmd := exec.CommandContext(ctx, self, "-one", string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return result{}, fmt.Errorf("%s k=%d, engine %s: %w", j.Family, j.K, j.name(), err)
	}
	var r result
	if err := json.Unmarshal(out, &r); err != nil {
		return result{}, fmt.Errorf("%s k=%d, engine %s: %w", j.Family, j.K, j.name(), err)
	}
	return r, nil
}

// one is the other side of apart.
func one(ctx context.Context, text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	r, err := run(ctx, j)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}
