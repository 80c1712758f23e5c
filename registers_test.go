// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file has the judge check interfaces of random components that compare
// arguments with values of earlier calls.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/typestate"
)

func TestCertificatesOfRegisters(t *testing.T) {
	seeds := uint64(loops(30, 200))
	with := 0
	for seed := range seeds {
		source := corpus.RandomRegisters(seed)
		conf := task{Filename: "random.open", Source: []byte(source), Options: interlock.Options{Engine: interlock.Cegar{}, Certificate: true, Limits: interlock.Limits{Steps: 1 << 20}}}
		i, err := conf.infer()
		if undecided(err) && i == nil {
			continue
		}
		if err != nil && !undecided(err) {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		if slices.ContainsFunc(i.States, func(s typestate.State) bool { return len(s.Registers) > 0 }) {
			with++
		}
		if g := i.Guarantees; g.Safe != "proved" || g.Permissive != "proved" {
			c := certified{fmt.Sprintf("seed %d", seed), conf, i}
			if o := c.check(t, i, cert.Options{}).First(); o != nil {
				t.Errorf("%s: %s: %s: %v: %s\n%s", c.name, o.Name, o.What, o.Verdict, o.Detail, source)
			}
		}
	}
	if with == 0 && !corpus.Race {
		t.Error("no component has registers")
	}
}
