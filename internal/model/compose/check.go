// SPDX-License-Identifier: Apache-2.0

package compose

// This file searches compositions, breadth-first and on the fly.

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/model/judge"
	"github.com/interlock-go/interlock/internal/model/lts"
)

// DefaultBudget bounds the states of one search, about 200 bytes each.
const DefaultBudget = 5_000_000

// A Violation is a run to the error.
type Violation struct {
	Trace []string // labels; "tau" is a hidden step
	Why   string
	// Shortest says that no run to the error has fewer steps.
	Shortest bool
}

// A Search says what was found and how many states were met.
type Search struct {
	Violation *Violation // nil: there is none
	States    int
}

// Check decides <A> M <P>: parts are the components; assumptions are systems whose traces
// are the runs; properties are completed.
func Check(ctx context.Context, components, assumptions, properties []*lts.System, budget int) (Search, error) {
	parts := slices.Clone(components)
	for _, a := range assumptions {
		parts = append(parts, a.Stop(func(_, _ int32) bool { return true }))
	}
	parts = append(parts, properties...)
	s, err := shortest(ctx, parts, budget)
	if err != nil || s.Violation == nil {
		return s, err
	}
	return s, replayed(parts, s.Violation)
}

// replayed checks a violation with the interpreter.
func replayed(parts []*lts.System, v *Violation) error {
	if !judge.Replay(parts, v.Trace) {
		return fmt.Errorf("internal error: the counterexample %v is not a run of the system", v.Trace)
	}
	return nil
}

// A node is a state of a search tree.
type node struct {
	state []int32
	from  int32
	label int32
}

func stateKey(v []int32) string {
	b := make([]byte, 0, 4*len(v))
	for _, s := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(s))
	}
	return string(b)
}

// shortest finds a shortest run to the error.
func shortest(ctx context.Context, parts []*lts.System, budget int) (Search, error) {
	if budget == 0 {
		budget = DefaultBudget
	}
	c := lts.NewComposition(parts...)
	start, errs := c.Start()
	if errs {
		return Search{&Violation{Trace: []string{}, Why: "the system starts in the error", Shortest: true}, 1}, nil
	}
	nodes := []node{{start, -1, 0}}
	met := map[string]bool{stateKey(start): true}
	for at := int32(0); at < int32(len(nodes)); at++ {
		if at%1024 == 0 && ctx.Err() != nil {
			return Search{}, ctx.Err()
		}
		if len(nodes) > budget {
			return Search{States: len(nodes)}, &lts.BudgetError{What: "the search of the composition", Budget: budget}
		}
		var found *Violation
		from := nodes[at].state
		c.Successors(from, func(action int32, to []int32) {
			switch {
			case found != nil:
			case to == nil:
				found = &Violation{Trace: labels(c, nodes, at, action), Why: c.Why(from, action), Shortest: true}
			default:
				if key := stateKey(to); !met[key] {
					met[key] = true
					nodes = append(nodes, node{slices.Clone(to), at, action})
				}
			}
		})
		if found != nil {
			return Search{found, len(nodes)}, nil
		}
	}
	return Search{nil, len(nodes)}, nil
}

// labels is the trace to a node and one more action.
func labels(c *lts.Composition, nodes []node, at, last int32) []string {
	name := func(a int32) string {
		if a == lts.Hidden {
			return "tau"
		}
		return c.Alphabet()[a]
	}
	out := []string{name(last)}
	for ; at > 0; at = nodes[at].from {
		out = append(out, name(nodes[at].label))
	}
	slices.Reverse(out)
	return out
}
