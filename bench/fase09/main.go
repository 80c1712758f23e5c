// SPDX-License-Identifier: Apache-2.0

// Command fase09 measures again what "Interface Generation and Compositional Verification in
// JavaPathfinder" (Giannakopoulou, Pasareanu, FASE 2009) and "Learning Assumptions for Compositional
// Verification" (Cobleigh, Giannakopoulou, Pasareanu, TACAS 2003) report on: the flight rules of the
// ESAS statechart, Input and Output with Order, the components of the errata; and, beyond the papers,
// a family of n components and a system of a million transitions.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/interlock-go/interlock/bench/internal/usage"
	"github.com/interlock-go/interlock/internal/model"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/synth"
)

func main() {
	dir := flag.String("testdata", "fase09/testdata", "read the models from this `directory`")
	quick := flag.Bool("quick", false, "leave out what takes longer than a second")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: fase09 [-quick] [-testdata directory]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := report(ctx, os.Stdout, *dir, *quick); err != nil {
		fmt.Fprintf(os.Stderr, "fase09: %v\n", err)
		os.Exit(2)
	}
}

func report(ctx context.Context, out io.Writer, dir string, quick bool) error {
	fmt.Fprintln(out, "Interfaces: states of the component, of the interface, and what they must be.")
	for _, r := range rows() {
		got, err := r.run(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		mark := "="
		if got.states != r.want {
			mark = fmt.Sprintf("but %d", r.want)
		}
		fmt.Fprintf(out, "  %-34s %5d  %3d %s  safe %s, permissive %s, tight %s\n", r.name, got.component, got.states, mark, got.safe, got.permissive, got.tight)
	}
	largest := 12
	if quick {
		largest = 6
	}
	fmt.Fprintln(out, "\nA chain of n cells, each with three phases of its own: states that are met, and how they grow.")
	fmt.Fprintln(out, "     n   by pieces         directly")
	if err := chain(ctx, out, largest); err != nil || quick {
		return err
	}
	fmt.Fprintln(out, "\nA million transitions, of which half are hidden: read, determinized over two actions, minimized.")
	return million(ctx, out)
}

// A row is an interface that is found again.
type row struct {
	name, file string
	alphabet   []string
	at         []string // patterns of errors; others are skipped
	want       int
}

type result struct {
	component, states       int
	safe, permissive, tight string
}

func rows() []row {
	lander := []string{"lasJettison", "edsSeparation", "smSeparation", "lsamAscentBurn", "lsamAscentRendezvous", "eiBurn.T.T", "eiBurn.T.F", "eiBurn.F.T", "eiBurn.F.F"}
	return []row{
		{"ESAS, lsamRendezvous", "esas.scxml", []string{"lasJettison", "lsamRendezvous"}, []string{"lsamRendezvous:*"}, 2},
		{"ESAS, tliBurn", "esas.scxml", []string{"lsamRendezvous", "tliBurn"}, []string{"tliBurn:*"}, 2},
		{"ESAS, teiBurn", "esas.scxml", []string{"lsamSeparation", "teiBurn"}, []string{"teiBurn:*"}, 2},
		{"ESAS, deOrbit", "esas.scxml", []string{"lsamRendezvous", "deOrbit"}, []string{"deOrbit:*"}, 1},
		{"ESAS, lsamRendezvous, five events", "esas.scxml", []string{"srbIgnition", "stage1Separation", "lasJettison", "stage2Separation", "lsamRendezvous"}, []string{"lsamRendezvous:*"}, 5},
		{"ESAS, eiBurn, nine events", "esas.scxml", lander, []string{"eiBurn:*"}, 12},
		{"Input and Order", "io.lts:Sys", []string{"send", "output", "acknowledge"}, nil, 4},
		{"Input and Order, all actions", "io.lts:Sys", nil, nil, 7},
		{"transmission, four events", "transmission.lts", nil, nil, 9},
		{"transmission, two events", "transmission.lts", []string{"pushUp", "pullDown"}, nil, 2},
		{"FASE-2", "errata.lts:FASE2", nil, nil, 2},
		{"FASE-2, letters swapped", "errata.lts:FASE2_SWAPPED", nil, nil, 2},
		{"JIST-2", "errata.lts:JIST2", nil, nil, 3},
		{"JIST-2, letters swapped", "errata.lts:JIST2_SWAPPED", nil, nil, 3},
	}
}

func (r row) run(ctx context.Context, dir string) (result, error) {
	file, definition := model.SplitName(r.file)
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return result{}, err
	}
	s, err := model.Read(ctx, model.Source{Name: file, Text: text, Definition: definition, At: r.at, Others: "skip"})
	if err != nil {
		return result{}, err
	}
	visible := r.alphabet
	if visible == nil {
		visible = s.Alphabet
	}
	i, err := model.Infer(ctx, synth.Problem{System: s.System, Visible: visible})
	if err != nil {
		return result{}, err
	}
	return result{s.States(), len(i.States), i.Guarantees.Safe, i.Guarantees.Permissive, i.Guarantees.Tight}, nil
}

// big makes the text of a system of levels times phases states: hidden steps go through the phases of a
// level, a and b to other levels; b in the last level is the error.
func big(levels, phases int) []byte {
	n := levels * phases
	text := make([]byte, 0, n*80)
	text = fmt.Appendf(text, "des (0, %d, %d)\n", 4*n, n)
	at := func(level, phase int) int { return level%levels*phases + phase%phases }
	for level := range levels {
		for phase := range phases {
			s := at(level, phase)
			text = fmt.Appendf(text, "(%d, tau, %d)\n(%d, \"step\", %d)\n(%d, \"a\", %d)\n", s, at(level, phase+1), s, at(level, 7*phase+3), s, at(level+1, 3*phase+1))
			if level == levels-1 {
				text = fmt.Appendf(text, "(%d, \"b\", -1)\n", s)
			} else {
				text = fmt.Appendf(text, "(%d, \"b\", %d)\n", s, at(2*level, phase))
			}
		}
	}
	return text
}

func million(ctx context.Context, out io.Writer) error {
	text := big(1000, 250)
	debug.FreeOSMemory() // what the searches before have used
	usage.ForgetPeak()
	begin := time.Now()
	s, err := model.Read(ctx, model.Source{Name: "big.aut", Text: text})
	if err != nil {
		return err
	}
	read := time.Since(begin)
	d, stats, err := synth.Problem{System: s.System, Visible: []string{"a", "b"}}.Automaton(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "  %d states, %d transitions read in %.1f s; %d sets, %d states with the error, after %.1f s; at most %d MiB\n",
		s.States(), s.Transitions(), read.Seconds(), stats["knowledgeSets"], d.States(), time.Since(begin).Seconds(), usage.Peak()>>20)
	return nil
}

// cells are a chain: cell k takes t.k and gives t.k+1, and has three phases of its own between. The property
// is that never more come out than went in, and never more than n are inside.
func cells(n int) (components []*lts.System, property *lts.System, err error) {
	for k := range n {
		b := lts.NewBuilder()
		in, out, tick := b.Action(fmt.Sprintf("t.%d", k)), b.Action(fmt.Sprintf("t.%d", k+1)), b.Action(fmt.Sprintf("tick.%d", k))
		for phase := range int32(3) {
			b.Edge(phase, tick, (phase+1)%3)
			b.Edge(3+phase, tick, 3+(phase+1)%3)
			b.Edge(phase, in, 3+phase)
			b.Edge(3+phase, out, phase)
		}
		components = append(components, b.System(fmt.Sprintf("Cell%d", k), 0))
	}
	b := lts.NewBuilder()
	in, out := b.Action("t.0"), b.Action(fmt.Sprintf("t.%d", n))
	for k := range int32(n) {
		b.Edge(k, in, k+1)
		b.Edge(k+1, out, k)
	}
	property, err = b.System("Bounded", 0).Property()
	return components, property, err
}
