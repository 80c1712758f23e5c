// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds decompositions to their promise: the product of the
// interfaces of the parts is, word by word, the interface of the whole. The
// reference interpreter of the whole program judges the product.

import (
	"context"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

type decomposition struct {
	name string
	run  func(context.Context, Problem) ([]Part, error)
}

func decompositions() []decomposition {
	return []decomposition{{"split-errors", SplitErrors}, {"partition", Partition}}
}

// decompose checks one decomposition of a program, and returns its parts.
func decompose(t *testing.T, d decomposition, p Problem, limit int) []Part {
	t.Helper()
	ctx := context.Background()
	p.Solver = embedded
	parts, err := d.run(ctx, p)
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	var list []*typestate.Interface
	for _, part := range parts {
		if err := part.Program.Check(); err != nil {
			t.Fatalf("%s: %s: %v", d.name, part.Title, err)
		}
		if err := part.Interface.Validate(); err != nil {
			t.Fatalf("%s: %s: %v", d.name, part.Title, err)
		}
		list = append(list, part.Interface)
	}
	product, err := Product(ctx, p, list)
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	if err := product.Validate(); err != nil {
		t.Fatalf("%s: product: %v", d.name, err)
	}
	if err := product.Canonical(); err != nil {
		t.Fatalf("%s: product: %v", d.name, err)
	}
	o := newOracle(p.Program, product)
	if err := o.run(ctx, limit); err != nil {
		t.Fatalf("%s: product: %v\n%s", d.name, err, p.Program)
	}
	if o.unknown > 0 {
		t.Fatalf("%s: %d unknown cells", d.name, o.unknown)
	}
	o.witnesses(t)
	whole, err := Synthesize(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := Agree(ctx, p, product, whole); err != nil || a.Kind != typestate.CompareEqual {
		t.Errorf("%s: the product and the whole: %v %v %s\n%s", d.name, err, a.Kind, a.Why, p.Program)
	}
	return parts
}

func TestDecomposeCorpus(t *testing.T) {
	for _, c := range loadCorpus(t) {
		if c.Has("-serial") {
			continue // refused: TestDecomposeRefuses
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			p, err := prog.Parse(c.File, []byte(c.Source), prog.Options{Width: c.OracleWidth()})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range decompositions() {
				decompose(t, d, Problem{Program: p, Tight: c.Has("-tight")}, oracleLimit()/4)
			}
		})
	}
}
