// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

func embedded() solve.Solver { return bv.New(bv.Options{}) }

func TestCegarTry(t *testing.T) {
	for _, c := range loadCorpus(t) {
		if c.Has("-serial") || c.Has("-tight") {
			continue
		}
		p := parseCase(t, c)
		want, err := Synthesize(context.Background(), Problem{Program: p, Budget: corpusBudget})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		got, err := synthesizeCegar(ctx, &Problem{Program: p, Solver: embedded, Budget: 20000 * questionCost}, stats{})
		cancel()
		if err != nil {
			t.Logf("%-30s ERROR %v", c.Name, err)
			continue
		}
		d := typestate.Compare(got, want)
		t.Logf("%-30s %v states %d want %d unknown %d preds %d %v", c.Name, d.Kind, len(got.States), len(want.States), len(got.Unknown), got.Stats["predicates"], d.Reasons)
		if d.AllowedByA != nil {
			t.Logf("   WRONG ALLOWED %v", d.AllowedByA.Word)
		}
		if d.AllowedByB != nil {
			t.Logf("   WRONG FORBIDDEN %v", d.AllowedByB.Word)
		}
	}
}

func TestCegarRandom(t *testing.T) {
	cells, unknown, exhausted := 0, 0, 0
	reasons := map[string]int{}
	for seed := range 400 {
		source := corpus.Random(int64(seed), corpus.RandomOptions{})
		p, err := prog.Parse("random.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		i, err := synthesizeCegar(context.Background(), &Problem{Program: p, Solver: embedded, Budget: 20000 * questionCost}, stats{})
		if err != nil {
			exhausted++
			t.Logf("seed %d: %v", seed, err)
			continue
		}
		cells += len(i.States) * len(i.Calls)
		unknown += len(i.Unknown)
		for _, u := range i.Unknown {
			reasons[u.Reason]++
		}
		o := newOracle(p, i)
		if err := o.run(context.Background(), 3_000); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, source)
		}
	}
	t.Logf("%d of %d cells unknown; %d exhausted; %v", unknown, cells, exhausted, reasons)
}
