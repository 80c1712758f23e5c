// SPDX-License-Identifier: Apache-2.0

// Solvers measures the embedded solver beside z3 and cvc5 on the same questions,
// and beside minisat on the same clauses, and prints one table.
//
//	go run ./solvers [-run REGEXP] [-cap 60s] [-seed 1]
//
// Cells are total time / median / 99th percentile / slowest question. A process is
// asked both with push and pop and with check-sat-assuming, and the better total
// counts. A question that takes longer than the cap, or 5 s on the easy workloads
// (paths, predicates, algebra), is cut off and counts as that.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/internal/solve/sat"
	"github.com/interlock-go/interlock/internal/solve/smtlib"
	"github.com/interlock-go/interlock/internal/solve/solvetest"
	"github.com/interlock-go/interlock/internal/term"
)

// easy is the cap of workloads that are meant to be easy.
const easy = 5 * time.Second

func main() {
	run := flag.String("run", "", "only rows that match `regexp`")
	limit := flag.Duration("cap", 60*time.Second, "longest time for one question")
	seed := flag.Uint64("seed", 1, "of the workloads")
	flag.Parse()
	re, err := regexp.Compile(*run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "solvers:", err)
		os.Exit(2)
	}
	b := &bench{limit: *limit, re: re}
	b.find()
	b.workload("paths, 2000 questions", func() *solvetest.Workload { return solvetest.Paths(*seed, 40, 25) })
	b.workload("predicates, 40 enumerations", func() *solvetest.Workload { return solvetest.Predicates(*seed, 40, 6) })
	for _, z := range solvetest.Puzzles(term.NewPool()) {
		b.puzzle(z)
	}
	b.algebra()
	b.memory(*seed)
	b.print(os.Stdout)
}

// A cell is a measurement.
type cell struct {
	times  []time.Duration
	models float64 // of enumerations
	wrong  int     // answers unlike the first solver's
	capped int
	mode   string
	err    error
	answer []solve.Verdict
	note   string
}

func (c *cell) total() time.Duration {
	var t time.Duration
	for _, d := range c.times {
		t += d
	}
	return t
}

func (c *cell) String() string {
	if c == nil {
		return "-"
	}
	if c.note != "" {
		return c.note
	}
	if c.err != nil {
		return "error: " + c.err.Error()
	}
	ts := slices.Clone(c.times)
	slices.Sort(ts)
	round := func(d time.Duration) string {
		switch {
		case d >= time.Second:
			return fmt.Sprintf("%.2fs", d.Seconds())
		case d >= time.Millisecond:
			return fmt.Sprintf("%.1fms", float64(d.Microseconds())/1000)
		}
		return fmt.Sprintf("%.1fus", float64(d.Nanoseconds())/1000)
	}
	s := round(c.total())
	if len(ts) > 1 {
		s += fmt.Sprintf(" / %s / %s / %s", round(ts[len(ts)/2]), round(ts[len(ts)*99/100]), round(ts[len(ts)-1]))
	}
	if c.models > 0 {
		s += fmt.Sprintf(" (%s a model of %.0f)", round(time.Duration(float64(c.total())/c.models)), c.models)
	}
	if c.capped > 0 {
		s += fmt.Sprintf(" [%d over the cap]", c.capped)
	}
	if c.wrong > 0 {
		s += fmt.Sprintf(" [%d DIFFER]", c.wrong)
	}
	return s
}

type bench struct {
	limit    time.Duration
	re       *regexp.Regexp
	commands map[string]smtlib.Command
	rows     [][]string
}

func (b *bench) find() {
	b.commands = make(map[string]smtlib.Command)
	for _, name := range []string{"z3", "cvc5"} {
		c, err := smtlib.Find(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "solvers:", err)
			continue
		}
		b.commands[name] = c
	}
}

func (b *bench) row(name string, cells ...*cell) {
	r := []string{name}
	for _, c := range cells {
		r = append(r, c.String())
	}
	for len(r) < 5 {
		r = append(r, "-")
	}
	b.rows = append(b.rows, r)
	fmt.Fprintln(os.Stderr, strings.Join(r, " | "))
}

func (b *bench) print(w *os.File) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "workload\tembedded\tz3\tcvc5\tminisat")
	for _, r := range b.rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	t.Flush()
}

// measure runs a workload on a solver.
func (b *bench) measure(w *solvetest.Workload, s solve.Solver, limit time.Duration) *cell {
	c := &cell{}
	var start time.Time
	err := w.Run(context.Background(), s, func() { start = time.Now() }, func(a solvetest.Answer) {
		d := time.Since(start)
		if a.Undecided != "" || a.Result.Reason != "" {
			c.capped++
			d = max(d, limit)
		}
		c.times = append(c.times, d)
		c.models += a.Models
		c.answer = append(c.answer, a.Result.Verdict)
	})
	c.err = err
	return c
}

// external measures a process in both modes and returns the better one.
func (b *bench) external(name string, limit time.Duration, make func() *solvetest.Workload) *cell {
	cmd, ok := b.commands[name]
	if !ok {
		return nil
	}
	var best *cell
	for _, scopes := range []bool{false, true} {
		s, err := smtlib.New(cmd, smtlib.Options{Timeout: limit, Scopes: scopes})
		if err != nil {
			return &cell{err: err}
		}
		c := b.measure(make(), s, limit)
		s.Close()
		fmt.Fprintf(os.Stderr, "  %s, push and pop %v: %v\n", s.Version(), scopes, c)
		if best == nil || c.err == nil && c.total() < best.total() {
			best = c
		}
	}
	return best
}

func (b *bench) workload(name string, make func() *solvetest.Workload) {
	if !b.re.MatchString(name) {
		return
	}
	own := b.measure(make(), bv.New(bv.Options{}), easy)
	fmt.Fprintf(os.Stderr, "  embedded: %v\n", own)
	cells := []*cell{own}
	for _, solver := range []string{"z3", "cvc5"} {
		c := b.external(solver, easy, make)
		if c != nil {
			for i, v := range c.answer {
				if i < len(own.answer) && v != own.answer[i] && v != solve.Unknown && own.answer[i] != solve.Unknown {
					c.wrong++
				}
			}
			if c.capped == 0 && c.models != own.models {
				c.wrong++
			}
		}
		cells = append(cells, c)
	}
	b.row(name, cells...)
}

// puzzle asks one question, and gives its clauses to minisat.
func (b *bench) puzzle(z solvetest.Puzzle) {
	if !b.re.MatchString(z.Name) {
		return
	}
	once := func() *solvetest.Workload {
		return &solvetest.Workload{Steps: []solvetest.Step{{Kind: solvetest.Assert, Terms: []*term.Term{z.Formula}}, {Kind: solvetest.Check}}}
	}
	own := b.measure(once(), bv.New(bv.Options{}), b.limit)
	b.row(z.Name, own, b.external("z3", b.limit, once), b.external("cvc5", b.limit, once), b.minisat(z))
}

func (b *bench) minisat(z solvetest.Puzzle) *cell {
	path, err := exec.LookPath("minisat")
	if err != nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "solvers")
	if err != nil {
		return &cell{err: err}
	}
	defer os.RemoveAll(dir)
	var buf bytes.Buffer
	if err := sat.WriteDIMACS(&buf, bv.CNF(z.Formula)); err != nil {
		return &cell{err: err}
	}
	file := filepath.Join(dir, "f.cnf")
	if err := os.WriteFile(file, buf.Bytes(), 0o666); err != nil {
		return &cell{err: err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), b.limit)
	defer cancel()
	start := time.Now()
	err = exec.CommandContext(ctx, path, "-verb=0", file).Run()
	c := &cell{times: []time.Duration{min(time.Since(start), b.limit)}}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		c.capped++
	case errors.As(err, &exit) && (exit.ExitCode() == 10) == (z.Want == solve.Sat) && (exit.ExitCode() == 20) == (z.Want == solve.Unsat):
	default:
		c.err = fmt.Errorf("minisat: %v", err)
	}
	return c
}

// algebra asks what rewriting decides.
func (b *bench) algebra() {
	const name = "algebra, 64 bits"
	if !b.re.MatchString(name) {
		return
	}
	mk := func() *solvetest.Workload {
		p := term.NewPool()
		x, y, z := p.Var("x", term.BV(64)), p.Var("y", term.BV(64)), p.Var("z", term.BV(64))
		w := &solvetest.Workload{Pool: p}
		for _, t := range []*term.Term{
			p.Ne(p.Mul(x, y), p.Mul(y, x)),
			p.Ne(p.Mul(p.Mul(x, y), z), p.Mul(x, p.Mul(y, z))),
			p.Ne(p.Mul(x, p.Add(y, z)), p.Add(p.Mul(x, y), p.Mul(x, z))),
			p.Ne(p.Sub(p.Add(x, y), y), x),
		} {
			w.Steps = append(w.Steps, solvetest.Step{Kind: solvetest.Check, Terms: []*term.Term{t}})
		}
		return w
	}
	own := b.measure(mk(), bv.New(bv.Options{}), easy)
	b.row(name, own, b.external("z3", easy, mk), b.external("cvc5", easy, mk))
}

// memory asks 10,000 questions of one solver and shows the heap along the way.
func (b *bench) memory(seed uint64) {
	const name = "heap, 10000 questions"
	if !b.re.MatchString(name) {
		return
	}
	w := solvetest.Paths(seed, 200, 25) // its terms are in the heap from the start
	s := bv.New(bv.Options{})
	var curve []string
	asked := 0
	err := w.Run(context.Background(), s, nil, func(solvetest.Answer) {
		if asked++; asked%1000 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			curve = append(curve, fmt.Sprint(m.HeapAlloc>>20))
		}
	})
	if err != nil {
		b.row(name, &cell{err: err})
		return
	}
	b.row(name, &cell{note: fmt.Sprintf("MB after each 1000: %s", strings.Join(curve, " "))})
}
