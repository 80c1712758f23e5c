// SPDX-License-Identifier: Apache-2.0

package main

// This file makes the jobs of each part and writes the tables. Part a is
// Table 1 of the paper, part b the classes and families that it describes in
// prose, part c what is beyond it.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/interlock-go/interlock/internal/learn"
)

// A bench runs jobs and writes what came out.
type bench struct {
	out     io.Writer
	run     func(context.Context, job) (result, error)
	quick   bool
	workers int
	limit   time.Duration
}

// engines are the contestants, with slicing off as in the paper.
func engines() []job {
	list := []job{{Engine: "direct"}}
	for _, l := range learn.Learners() {
		list = append(list, job{Engine: "learn", Learner: l.Name})
	}
	return append(list, job{Engine: "hide"})
}

// A series is a family with the parameters to measure.
type series struct {
	family string
	ks     []int
}

func partA(quick bool) []series {
	if quick {
		return []series{{"ListIterator", []int{5}}, {"PipedOutputStream", []int{12}}}
	}
	return []series{{"ListIterator", []int{5, 6, 7, 8}}, {"PipedOutputStream", []int{12, 13, 14, 15}}}
}

// partB has 16 beyond the even numbers to 10 where interfaces stay small:
// below that a run is over before the clock has moved.
func partB(quick bool) []series {
	if quick {
		return []series{
			{"Stack", []int{4}}, {"ServerTableEntry", []int{4}},
			{"SeparationA", []int{4, 6}}, {"SeparationB", []int{4, 6}}, {"SeparationC", []int{4, 6}},
		}
	}
	small, large := []int{4, 6, 8, 10}, []int{4, 6, 8, 10, 16}
	return []series{
		{"Stack", small}, {"ServerTableEntry", large},
		{"SeparationA", small}, {"SeparationB", large}, {"SeparationC", large},
	}
}

func (b *bench) all(ctx context.Context) error {
	fmt.Fprintf(b.out, `How to read the tables: slicing is off unless said otherwise, as in the paper.
  size     states of the interface, = if that is the number the family must have
  visited  component states whose calls were run, the object before construction included
  built    states of the automaton before minimization (knowledge, conjecture, abstraction), that object not included
  bits     visible bits / all bits of state (hide)
  queries  membership queries, symbols the letters in them (learn)
  algo s   seconds until the automaton is known, algo cpu: user+system; all: with labels and witnesses;
           of 5 runs that with the least algo cpu, fewer if they take over a second;
           >30s: stopped at the limit, or not started because a smaller k was; (in brackets): until it gave up
  paper s  the paper's seconds, 3.0 GHz Pentium 4
`)
	for _, part := range []struct {
		title  string
		series []series
	}{
		{"(a) CAV'07 Table 1", partA(b.quick)},
		{"(b) CAV'07 sections 4 and 5, prose", partB(b.quick)},
	} {
		fmt.Fprintf(b.out, "\n%s\n", part.title)
		for _, s := range part.series {
			if err := b.series(ctx, s); err != nil {
				return err
			}
		}
	}
	return b.large(ctx)
}

// series measures all engines on a family, and compares with the claim.
func (b *bench) series(ctx context.Context, s series) error {
	fmt.Fprintf(b.out, "\n")
	w := b.table("paper s")
	hopeless := map[string]bool{} // engines that ran into the limit at a smaller k
	var last []result
	for _, k := range s.ks {
		last = nil
		for _, j := range engines() {
			j.Family, j.K, j.Workers, j.Repeat, j.Limit = s.family, k, b.workers, 5, b.limit
			r := result{Job: j, Reason: "time"}
			if !hopeless[j.name()] {
				var err error
				if r, err = b.run(ctx, j); err != nil {
					return err
				}
			}
			hopeless[j.name()] = r.Reason == "time"
			paper := "-"
			if t, ok := table1()[s.family][k]; ok {
				switch j.Engine {
				case "learn":
					paper = fmt.Sprintf("%.2f", t.learn)
				case "hide":
					paper = fmt.Sprintf("%.2f", t.hide)
				}
			}
			cells := append(r.cells(), paper)
			fmt.Fprintln(w, strings.Join(cells, "\t")+"\t")
			last = append(last, r)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, line := range verdicts(last) {
		fmt.Fprintf(b.out, "  %s\n", line)
	}
	return nil
}

func (b *bench) table(more ...string) *tabwriter.Writer {
	w := tabwriter.NewWriter(b.out, 0, 8, 2, ' ', tabwriter.AlignRight)
	head := append([]string{"component", "k", "engine", "size", "visited", "built", "bits", "queries", "symbols", "algo s", "algo cpu", "all s", "all cpu"}, more...)
	fmt.Fprintln(w, strings.Join(head, "\t")+"\t")
	return w
}

// cells are the columns that all tables share.
func (r result) cells() []string {
	j := r.Job
	cells := []string{j.Family, fmt.Sprint(j.K), j.name()}
	if r.Reason != "" {
		word := r.Reason
		if word == "time" {
			word = "-"
		}
		return append(cells, word, "-", "-", "-", "-", "-", "-", "-", span(r, r.All.Wall), span(r, r.All.CPU))
	}
	size := fmt.Sprint(r.Size)
	if f, err := family(j.Family); err == nil && f.States(j.K) == r.Size {
		size = "=" + size
	} else {
		size = "WRONG " + size
	}
	count := func(key string) string {
		if n, ok := r.Count[key]; ok {
			return fmt.Sprint(n)
		}
		return "-"
	}
	bits := "-"
	if hidden, ok := r.Count["hiddenBits"]; ok {
		bits = fmt.Sprintf("%d/%d", r.Count["visibleBits"], r.Count["visibleBits"]+hidden)
	}
	return append(cells, size, count("componentStates"), fmt.Sprint(r.automaton()), bits,
		count("membershipQueries"), count("membershipSymbols"),
		span(r, r.Table.Wall), span(r, r.Table.CPU), span(r, r.All.Wall), span(r, r.All.CPU))
}

// span writes seconds to a tenth of a millisecond.
func span(r result, d time.Duration) string {
	switch r.Reason {
	case "time":
		return ">" + r.Job.Limit.String()
	case "":
		return fmt.Sprintf("%.4f", d.Seconds())
	}
	return fmt.Sprintf("(%.4f)", d.Seconds()) // until it gave up
}

// verdicts says who did least on one component, and whether the order of times
// is the paper's.
func verdicts(rs []result) []string {
	rs = slices.DeleteFunc(slices.Clone(rs), func(r result) bool { return r.Reason != "" })
	if len(rs) == 0 {
		return []string{"no engine finished"}
	}
	j := rs[0].Job
	lines := []string{
		fmt.Sprintf("k=%d: fewest states visited: %s; smallest automaton built: %s", j.K,
			least(rs, func(r result) (int64, bool) { return r.Count["componentStates"], true }),
			least(rs, func(r result) (int64, bool) { return r.automaton(), true })),
		fmt.Sprintf("k=%d: fewest queries: %s; fewest symbols: %s", j.K,
			least(rs, count("membershipQueries")), least(rs, count("membershipSymbols"))),
	}
	// The fastest learner stands for learning.
	slices.SortStableFunc(rs, func(a, b result) int { return cmp.Compare(a.Table.seconds(), b.Table.seconds()) })
	time := map[string]float64{}
	var times []string
	for _, r := range rs {
		if _, ok := time[r.Job.Engine]; !ok {
			time[r.Job.Engine] = r.Table.seconds()
			times = append(times, fmt.Sprintf("%s %.4f", r.Job.name(), r.Table.seconds()))
		}
	}
	for _, c := range claims() {
		if c.family != j.Family {
			continue
		}
		lines = append(lines, fmt.Sprintf("k=%d: least algo cpu first: %s; the paper (%s): %s", j.K, strings.Join(times, ", "), c.source, strings.Join(c.order, ", ")))
		switch compare(time, c.order) {
		case same:
			lines = append(lines, "      the same order")
		case unclear:
			lines = append(lines, "      no clear difference (within a fifth): "+c.why)
		default:
			lines = append(lines, "      ANOTHER ORDER: "+c.why)
		}
	}
	return lines
}

type ordering int

const (
	other ordering = iota
	unclear
	same
)

// compare tells whether times are ordered as claimed. A claim of one engine
// says that it is the fastest; a longer one orders those it names. An engine
// without a time did not finish. Times within a fifth of each other are no
// order.
func compare(time map[string]float64, claim []string) ordering {
	verdict := same
	pair := func(a, b string) {
		x, okx := time[a]
		y, oky := time[b]
		switch {
		case !okx && oky, okx && oky && x > y*1.2:
			verdict = other
		case okx && oky && x*1.2 > y:
			verdict = min(verdict, unclear)
		}
	}
	for i, a := range claim {
		if i > 0 {
			pair(claim[i-1], a)
		}
		if len(claim) == 1 {
			for _, b := range []string{"direct", "learn", "hide"} {
				if b != a {
					pair(a, b)
				}
			}
		}
	}
	return verdict
}

func count(key string) func(result) (int64, bool) {
	return func(r result) (int64, bool) { n, ok := r.Count[key]; return n, ok }
}

// least names the engines with the smallest value, "all" if they do not differ.
func least(rs []result, value func(result) (int64, bool)) string {
	var names []string
	best, have := int64(0), 0
	for _, r := range rs {
		n, ok := value(r)
		if !ok {
			continue
		}
		if have == 0 || n < best {
			best, names = n, nil
		}
		have++
		if n == best {
			names = append(names, r.Job.name())
		}
	}
	switch {
	case have == 0:
		return "none"
	case have == len(names) && have > 1:
		return fmt.Sprintf("all the same (%d)", best)
	}
	return fmt.Sprintf("%s (%d)", strings.Join(names, ", "), best)
}

// A target is a promise about part c: one of the engines finishes within the
// time and the memory.
type target struct {
	family  string
	k       int
	engine  string // "" is any with slicing off
	seconds float64
	memory  int64 // bytes; 0 is any
}

func targets(quick bool) []target {
	if quick {
		return nil
	}
	return []target{
		{"PipedOutputStream", 20, "", 5, 500 << 20},
		{"ListIterator", 10, "", 5, 500 << 20},
		{"PipedOutputStream", 22, "direct", 15, 0},
		{"SeparationB", 23, "direct", 15, 0},
	}
}

func partC(quick bool) []job {
	if quick {
		return []job{
			{Family: "PipedOutputStream", K: 12, Engine: "direct"},
			{Family: "PipedOutputStream", K: 12, Engine: "auto", Slice: true},
		}
	}
	var list []job
	for _, s := range []series{{"PipedOutputStream", []int{20}}, {"ListIterator", []int{10}}} {
		for _, j := range engines() {
			j.Family, j.K = s.family, s.ks[0]
			list = append(list, j)
			if j.Engine == "hide" {
				j.Budget = 1 << 30 // the usual one is not enough
				list = append(list, j)
			}
		}
		list = append(list, job{Family: s.family, K: s.ks[0], Engine: "auto", Slice: true})
	}
	for _, s := range []series{{"PipedOutputStream", []int{22}}, {"SeparationB", []int{23}}} {
		for _, j := range []job{{Engine: "direct"}, {Engine: "auto", Slice: true}} {
			j.Family, j.K = s.family, s.ks[0]
			list = append(list, j)
		}
	}
	return list
}

func (b *bench) large(ctx context.Context) error {
	fmt.Fprintf(b.out, "\n(c) large components; peak is resident memory of the process in MB (2^20 bytes)\n\n")
	w := b.table("peak", "slicing", "budget")
	var rs []result
	for _, j := range partC(b.quick) {
		j.Workers, j.Limit = b.workers, 4*b.limit
		r, err := b.run(ctx, j)
		if err != nil {
			return err
		}
		slicing, budget := "off", "usual"
		if j.Slice {
			slicing = "on"
		}
		if j.Budget != 0 {
			budget = fmt.Sprintf("2^%d", log2(j.Budget))
		}
		cells := append(r.cells(), fmt.Sprint(r.Peak>>20), slicing, budget)
		fmt.Fprintln(w, strings.Join(cells, "\t")+"\t")
		rs = append(rs, r)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, t := range targets(b.quick) {
		fmt.Fprintf(b.out, "  %s\n", t.verdict(rs))
	}
	return nil
}

// verdict says whether some run met the target: in wall time, which is what a
// person waits for, or, on a machine that did other things too, in CPU time only.
func (t target) verdict(rs []result) string {
	what := fmt.Sprintf("%s k=%d in %g s", t.family, t.k, t.seconds)
	if t.memory > 0 {
		what += fmt.Sprintf(" and %d MB", t.memory>>20)
	}
	if t.engine != "" {
		what += " with " + t.engine
	}
	var best *result
	for i, r := range rs {
		if r.Job.Family != t.family || r.Job.K != t.k || r.Job.Slice || r.Reason != "" ||
			t.engine != "" && r.Job.Engine != t.engine || t.memory > 0 && r.Peak > t.memory {
			continue
		}
		if best == nil || r.All.Wall < best.All.Wall {
			best = &rs[i]
		}
	}
	if best == nil {
		return what + ": NO, no engine did it"
	}
	answer := "NO"
	switch {
	case best.All.Wall.Seconds() <= t.seconds:
		answer = "yes"
	case best.All.CPU.Seconds() <= t.seconds:
		answer = "in CPU time only"
	}
	return fmt.Sprintf("%s: %s: %s, %.2f s (cpu %.2f s), %d MB", what, answer, best.Job.name(), best.All.Wall.Seconds(), best.All.CPU.Seconds(), best.Peak>>20)
}
