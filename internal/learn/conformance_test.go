// SPDX-License-Identifier: Apache-2.0

package learn

import (
	"math/rand/v2"
	"testing"

	"github.com/interlock-go/interlock/internal/automata"
)

func TestConformance(t *testing.T) {
	for _, l := range Learners() {
		for _, k := range kinds() {
			for seed := range uint64(40) {
				r := rand.New(rand.NewPCG(seed, 7))
				d := k.make(r, 1+r.IntN(30), 1+r.IntN(10))
				want := automata.Minimize(d)
				for _, long := range []int{0, 40} {
					for _, closed := range []bool{false, k.closed} {
						m := newMachine(d, long, closed)
						res, err := l.Run(t.Context(), d.Letters, m, Options{PrefixClosed: closed, Seed: seed / 2})
						if err != nil || m.fault != nil {
							t.Fatal(l.Name, k.name, seed, err, m.fault)
						}
						if !automata.Equal(res.DFA, want) {
							t.Fatalf("%s %s %d: got %v want %v", l.Name, k.name, seed, res.DFA, want)
						}
					}
				}
			}
		}
	}
}
