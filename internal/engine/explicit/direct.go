// SPDX-License-Identifier: Apache-2.0

package explicit

import (
	"context"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/problem"
)

// Direct explores everything.
func Direct(ctx context.Context, p *problem.Problem, st problem.Stats) (*Table, error) {
	c, err := p.Explore(ctx)
	if err != nil {
		return nil, err
	}
	k := newKnowledge(c, p.Budget)
	d, err := k.determinize(ctx)
	if err != nil {
		return nil, err
	}
	st["componentStates"] = int64(c.Visited())
	st["knowledgeSets"] = int64(k.sets.Len())
	p.Report("minimizing", d.States())
	return &Table{c, automata.Minimize(d)}, nil
}
