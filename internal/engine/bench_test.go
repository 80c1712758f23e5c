// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
)

// BenchmarkDirect explores 2^20 states of a component with a small interface.
func BenchmarkDirect(b *testing.B) {
	p, err := prog.Parse("x.open", []byte(corpus.PipedOutputStream(20)), prog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		i, err := Synthesize(context.Background(), problem.Problem{Program: p, Engine: "direct", Workers: 2, KeepAll: true})
		if err != nil {
			b.Fatal(err)
		}
		if len(i.States) != 2 {
			b.Fatalf("%d states", len(i.States))
		}
	}
}
