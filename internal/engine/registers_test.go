// SPDX-License-Identifier: Apache-2.0

package engine

// This file compares interfaces with registers with the interpreter, on random
// concrete words: calls with arguments and observed results. Arguments are chosen
// near to values that occurred before, which is where verdicts change.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// maxCurrent bounds the states that may be current when a word goes on.
const maxCurrent = 40

// A wordMaker makes random words.
type wordMaker struct {
	*oracle
	*rand.Rand
	seen              []term.Value // values that occurred
	judged, undecided int
}

// arg is a value of a type, often one that occurred, or next to one.
func (w *wordMaker) arg(t prog.Type) term.Value {
	v := term.Value{Lo: w.Uint64()}
	if len(w.seen) > 0 && w.IntN(5) > 0 {
		v = w.seen[w.IntN(len(w.seen))]
		v.Lo += []uint64{0, 0, 0, 1, ^uint64(0)}[w.IntN(5)]
	} else if w.IntN(2) == 0 {
		v.Lo %= 4
	}
	if t.Size() < 1<<62 {
		v.Lo %= uint64(t.Size())
	}
	return v
}

// word makes one random word and compares every step.
func (w *wordMaker) word(ctx context.Context, length int) error {
	states, err := w.in.Initial(ctx)
	if err != nil {
		return err
	}
	w.seen = []term.Value{{}, {Lo: 3}, {Lo: 7}}
	var word []typestate.Step
	for n := range length {
		if len(states) > maxCurrent {
			return nil // the interpreter takes long
		}
		list := w.p.Methods
		if n == 0 {
			list = w.p.Constructors
		}
		m := list[w.IntN(len(list))]
		step := typestate.Step{Call: m.Name, Args: map[string]string{}}
		var args []term.Value
		for _, v := range m.Params {
			x := w.arg(v.Type)
			args = append(args, x)
			w.seen = append(w.seen, x)
			step.Args[v.Name] = v.Type.FormatValue(x)
		}
		st, err := w.in.Step(ctx, states, prog.Call{Method: m, Args: args})
		if err != nil {
			return err
		}
		a := w.i.Accepts(append(slices.Clone(word), step))
		w.judged++
		if a.Kind == typestate.StepUnknown || a.Kind == typestate.StepAmbiguous {
			w.undecided++
			if a.Kind == typestate.StepAmbiguous {
				return fmt.Errorf("%v then %v: %v: %s", word, step, a.Kind, a.Reason)
			}
			if a.Pos < len(word) {
				return nil // an unknown call before it
			}
		} else if want := st.Verdict == prog.Allowed; (a.Kind == typestate.StepNext) != want || (a.Kind == typestate.StepForbidden) == want {
			return fmt.Errorf("%v then %v: interface says %v (%s), interpreter %v", word, step, a.Kind, a.Reason, st.Verdict)
		}
		if st.Verdict != prog.Allowed || len(st.Results) == 0 {
			return nil
		}
		results := st.Results[w.IntN(len(st.Results))]
		if step.Outcome, err = w.outcomeOf(m, results); err != nil {
			return err
		}
		if a.Call != "" {
			for k, r := range w.listed(m.Name) {
				if step.Results == nil {
					step.Results = map[string]string{}
				}
				step.Results[r.Name] = m.Results[k].Type.FormatValue(results[k])
			}
		}
		w.seen = append(w.seen, results...)
		word = append(word, step)
		next, err := w.in.Step(ctx, states, prog.Call{Method: m, Args: args, Observed: prog.Saw(results...)})
		if err != nil {
			return err
		}
		if b := w.i.Accepts(word); b.Kind != typestate.StepNext && b.Kind != typestate.StepUnknown {
			return fmt.Errorf("%v happened, but the interface says %v: %s", word, b.Kind, b.Reason)
		}
		states = next.States
	}
	return nil
}

// listed returns the results of a method that the interface lists.
func (w *wordMaker) listed(method string) []typestate.Register {
	for _, c := range w.i.Calls {
		if c.Method == method {
			return c.Results
		}
	}
	for _, c := range w.i.Constructors {
		if c.Method == method {
			return c.Results
		}
	}
	return nil
}

// outcomeOf names the outcome of results.
func (w *wordMaker) outcomeOf(m *prog.Method, results []term.Value) (string, error) {
	var names []string
	for _, c := range w.i.Calls {
		if c.Method == m.Name {
			names = c.Outcomes
		}
	}
	for _, c := range w.i.Constructors {
		if c.Method == m.Name && c.Outcome != "" {
			names = append(names, c.Outcome)
		}
	}
	for _, name := range names {
		in, err := w.outcome(m, results, name)
		if err != nil || in {
			if name == "*" {
				name = ""
			}
			return name, err
		}
	}
	return "", fmt.Errorf("no outcome of %s for %v", m.Name, results)
}

// synthesizeRegisters synthesizes by cegar; nil if the budget is not enough.
func synthesizeRegisters(t *testing.T, name, source string) (*prog.Program, *typestate.Interface) {
	t.Helper()
	p, err := prog.Parse(name, []byte(source), prog.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, source)
	}
	i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: embedded, Budget: 1 << 20, Certificate: true})
	if problem.Undecided(err) {
		return p, nil
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, source)
	}
	if err := i.Validate(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, source)
	}
	return p, i
}

func TestRegistersRandom(t *testing.T) {
	t.Parallel()
	count, words := uint64(loops(60, 200)), loops(60, 100)
	with, undecided, judged, left := 0, 0, 0, 0
	for seed := range count {
		source := corpus.RandomRegisters(seed)
		p, i := synthesizeRegisters(t, fmt.Sprintf("r%d.open", seed), source)
		if i == nil {
			left++
			continue
		}
		if slices.ContainsFunc(i.States, func(s typestate.State) bool { return len(s.Registers) > 0 }) {
			with++
		}
		w := &wordMaker{oracle: newOracle(p, i), Rand: rand.New(rand.NewPCG(seed, 5))}
		for range words {
			if err := w.word(context.Background(), 6); err != nil {
				t.Fatalf("seed %d: %v\n%s\n%s", seed, err, source, i.Core())
			}
		}
		undecided, judged = undecided+w.undecided, judged+w.judged
	}
	t.Logf("%d of %d components have registers, %d are left undecided; %d of %d verdicts unknown", with, count, left, undecided, judged)
	if with == 0 && !corpus.Race {
		t.Error("no component has registers")
	}
}
