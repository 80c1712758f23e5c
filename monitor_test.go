// SPDX-License-Identifier: Apache-2.0

package interlock_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// TestMonitors lets the reference interpreter run random words of the corpus, and a monitor follow them: each call is
// allowed or forbidden as the interpreter says, and what it returned never is what cannot happen.
func TestMonitors(t *testing.T) {
	judged, forbidden, untold := 0, 0, 0
	for n, c := range certifiedCorpus(t, "") {
		if c.config.Serial {
			continue // forbids dead ends, too
		}
		p, err := prog.Parse(c.name, c.config.Source, prog.Options{Width: c.config.Width})
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.iface.Monitor()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f := &followed{t: t, name: c.name, p: p, in: prog.NewInterp(p, prog.InterpOptions{}), rng: rand.New(rand.NewPCG(uint64(n), 1))}
		for range loops(12, 60) {
			f.word(m.Another())
		}
		judged, forbidden, untold = judged+f.judged, forbidden+f.forbidden, untold+f.untold
	}
	if judged < 200 || forbidden < 50 {
		t.Errorf("judged only %d calls, %d of them forbidden", judged, forbidden)
	}
	if untold*20 > judged {
		t.Errorf("of %d calls, the results of %d did not tell the state", judged, untold)
	}
	t.Logf("%d calls, %d forbidden, %d untold", judged, forbidden, untold)
}

type followed struct {
	t                         *testing.T
	name                      string
	p                         *prog.Program
	in                        *prog.Interp
	rng                       *rand.Rand
	judged, forbidden, untold int
}

// word runs one random word.
func (f *followed) word(m *typestate.Monitor) {
	ctx := context.Background()
	states, err := f.in.Initial(ctx)
	if err != nil {
		return // too many
	}
	of := f.p.Constructors
	var word []string
	for range 8 {
		if len(of) == 0 {
			return
		}
		method := of[f.rng.IntN(len(of))]
		of = f.p.Methods
		var args []term.Value
		for _, v := range method.Params {
			args = append(args, f.value(v.Type))
		}
		step, err := f.in.Step(ctx, states, prog.Call{Method: method, Args: args})
		if err != nil {
			return // more runs than the interpreter follows
		}
		word = append(word, fmt.Sprint(method.Name, typed(method.Params, args)))
		r := m.Call(method.Name, typed(method.Params, args)...)
		if r.Kind == typestate.StepUnknown {
			return
		}
		f.judged++
		if allowed := step.Verdict == prog.Allowed; allowed != (r.Kind == typestate.StepNext) || !allowed && r.Kind != typestate.StepForbidden {
			f.t.Errorf("%s: %s: the monitor says %v (%s), the interpreter %v", f.name, strings.Join(word, " "), r.Kind, r.Reason, step.Verdict)
			return
		}
		if step.Verdict != prog.Allowed {
			f.forbidden++
			return
		}
		if len(step.Results) == 0 {
			return
		}
		results := step.Results[f.rng.IntN(len(step.Results))]
		step, err = f.in.Step(ctx, states, prog.Call{Method: method, Args: args, Observed: func(r []term.Value) bool { return slices.Equal(r, results) }})
		if err != nil {
			return
		}
		states = step.States
		word = append(word, fmt.Sprint("=", typed(method.Results, results)))
		switch r := m.Return(typed(method.Results, results)...); r.Kind {
		case typestate.StepNext:
		case typestate.StepUnknown:
			f.untold++
			return
		default:
			f.t.Errorf("%s: %s happens, the monitor says %v: %s", f.name, strings.Join(word, " "), r.Kind, r.Reason)
			return
		}
	}
}

// value is a random value of a type, mostly a small one.
func (f *followed) value(t prog.Type) term.Value {
	switch t.Sort.Kind {
	case term.BoolKind:
		return term.BoolValue(f.rng.IntN(2) == 1)
	case term.BitVecKind:
		return term.ValueOf(t.Sort.Width, int64(f.rng.IntN(6)-1))
	}
	return term.Value{Lo: uint64(f.rng.IntN(t.Size()))}
}

// typed tells values to a monitor.
func typed(vars []*prog.Var, values []term.Value) []typestate.Value {
	var out []typestate.Value
	for k, v := range vars {
		text := v.Type.FormatValue(values[k])
		switch {
		case v.Type.Sort.Kind == term.BoolKind:
			out = append(out, typestate.Bool(text == "true"))
		case v.Type.Sort.Kind == term.BitVecKind && v.Type.Signed:
			var n int64
			fmt.Sscan(text, &n)
			out = append(out, typestate.Int(n))
		case v.Type.Sort.Kind == term.BitVecKind:
			var n uint64
			fmt.Sscan(text, &n)
			out = append(out, typestate.Uint(n))
		default:
			out = append(out, typestate.Named(text[strings.LastIndexByte(text, '.')+1:]))
		}
	}
	return out
}
