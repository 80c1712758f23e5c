// SPDX-License-Identifier: Apache-2.0

package main

// This file is a worker: it loads the packages, then reads names of types, one
// on a line, and writes a result for each, as JSON on a line. The first line that it
// writes is the list of types.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/bench/internal/text"
	"github.com/interlock-go/interlock/bench/internal/usage"
	"github.com/interlock-go/interlock/bench/internal/workers"
	"github.com/interlock-go/interlock/typestate"
)

// A result is what came of one type.
type result struct {
	Type    string `json:"type"`
	Status  string `json:"status"` // see below
	Message string `json:"message,omitempty"`
	SHA256  string `json:"sha256,omitempty"` // of the interface, or of the message

	Explicit int `json:"explicit"` // error sites of the code that are not proved out of reach at once; -1: not known
	Panics   int `json:"panics"`   // that are written in the code, also those that no run comes to
	Checks   int `json:"checks"`   // of the run time
	Left     int `json:"left"`     // of these, not covered

	Unchecked bool `json:"unchecked,omitempty"` // too large for run-time checks

	States    int            `json:"states"`
	Calls     int            `json:"calls"`
	Forbidden int            `json:"forbidden"`
	Unknown   int            `json:"unknown"` // cells
	Safe      string         `json:"safe,omitempty"`
	Perm      string         `json:"permissive,omitempty"`
	Reasons   map[string]int `json:"reasons,omitempty"` // why cells are unknown

	Lowering  float64 `json:"loweringSeconds"`
	Synthesis float64 `json:"synthesisSeconds"`
	CPU       float64 `json:"cpuSeconds"`
	Peak      int64   `json:"peakBytes"` // of the process, with the loaded packages
}

// What may come of a type.
const (
	decided   = "decided"   // safe and permissive are proved, no cell is unknown
	partly    = "partly"    // an interface with something open
	undecided = "undecided" // no interface
	refused   = "refused"   // an error message, such as: nothing to call
	internal  = "internal"  // an error message that should not be
	crash     = "crash"
	slow      = "over time" // stopped when it was asked to
	hang      = "hang"      // did not stop when it was asked to
)

func (r *result) seconds() float64 { return r.Lowering + r.Synthesis }

func work(ctx context.Context, in io.Reader, out io.Writer, s sweep, keep string) error {
	packages, err := interlock.LoadGo(ctx, interlock.LoadConfig{}, strings.Fields(s.patterns)...)
	if err != nil {
		return err
	}
	// All packages stay loaded: to look at them for garbage each time that as much
	// was allocated would take half of the time.
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(3 << 30)
	debug.FreeOSMemory()
	base := memory("VmRSS:")
	return workers.Serve(in, out, packages.Types(), func(name string) any { return one(ctx, packages, name, s, base, keep) })
}

// one does one type. A panic is not recovered: the crash of the process is
// reported with its stack.
func one(ctx context.Context, packages *interlock.GoPackages, name string, s sweep, base int64, keep string) (r *result) {
	r = &result{Type: name}
	if memory("VmRSS:") > base+garbage {
		debug.FreeOSMemory() // of the types before; it takes long
	}
	usage.ForgetPeak()
	cpu, start := usage.CPU(), time.Now()
	ctx, cancel := workers.Limited(ctx, s.limit)
	defer cancel()
	var lowered time.Time
	defer func() {
		if lowered.IsZero() {
			lowered = time.Now()
		}
		r.Lowering, r.Synthesis = lowered.Sub(start).Seconds(), time.Since(lowered).Seconds()
		r.CPU = (usage.CPU() - cpu).Seconds()
		r.Peak = memory("VmHWM:")
	}()
	c, err := packages.Type(ctx, name, interlock.GoOptions{Errors: []string{s.kind}})
	lowered = time.Now()
	if err != nil {
		if r.fail(ctx, err, refused); r.Status != refused {
			r.Explicit = -1
		}
		return r
	}
	n := c.Counts(nil)
	r.Explicit, r.Panics, r.Checks, r.Unchecked = n.ExplicitSites, n.Panics, n.Checks, !n.AllChecks
	report, err := interlock.Infer(ctx, c, nil)
	if err != nil {
		return r.fail(ctx, err, undecided)
	}
	i := report.Interface
	var b bytes.Buffer
	if err := typestate.Write(&b, i); err != nil {
		return r.fail(ctx, err, internal)
	}
	if keep != "" {
		if err := os.WriteFile(filepath.Join(keep, strings.ReplaceAll(name, "/", "_")+".json"), b.Bytes(), 0o666); err != nil {
			return r.fail(ctx, err, internal)
		}
	}
	r.SHA256 = fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
	r.Left = c.Counts(report).Uncovered
	r.States, r.Calls, r.Forbidden, r.Unknown = len(i.States), len(i.Calls), len(i.Forbidden), len(i.Unknown)
	r.Safe, r.Perm = i.Guarantees.Safe, i.Guarantees.Permissive
	r.Reasons = map[string]int{}
	for _, u := range i.Unknown {
		r.Reasons[workers.General(u.Reason)]++
	}
	for _, k := range i.Constructors {
		if k.Verdict == "unknown" {
			r.Unknown++
			r.Reasons["constructor: "+workers.General(k.Reason)]++
		}
	}
	r.Status = decided
	if r.Unknown > 0 || r.Safe != "proved" || r.Perm != "proved" {
		r.Status = partly
	}
	return r
}

func (r *result) fail(ctx context.Context, err error, status string) *result {
	r.Status, r.Message = status, err.Error()
	switch {
	case ctx.Err() != nil:
		r.Status = slow
	case text.Undecided(err):
		r.Status = undecided
	case strings.Contains(r.Message, "internal error"):
		r.Status = internal
	case status == undecided:
		r.Status = internal
	}
	if r.Status != slow {
		r.SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte(r.Message)))
	}
	return r
}

// garbage is how much memory of earlier types may be counted with one.
const garbage = 256 << 20

// memory is the resident size now (VmRSS) or the largest since usage.ForgetPeak (VmHWM),
// in bytes; 0 if the system does not say.
func memory(field string) int64 {
	if runtime.GOOS != "linux" {
		return 0
	}
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == field {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return kb * 1024
			}
		}
	}
	return 0
}
