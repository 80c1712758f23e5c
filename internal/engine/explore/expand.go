// SPDX-License-Identifier: Apache-2.0

package explore

// This file expands states. Workers run all calls from some states at a time; one merges what they found, in the order
// of the states.

import (
	"context"
	"slices"
	"sync"
)

// raw is what a worker found for one state: records of fixed form
// (probe index, site or -1, results, packed successor).
type raw struct {
	rec   []uint64
	steps int
}

// noSite stands for the site in the record of a run that returns.
const noSite = ^uint64(0)

// steps bounds the steps of all runs of one call from one state.
func (c *Component) steps() int {
	if c.opt.Steps > 0 {
		return min(c.opt.Steps, maxSteps)
	}
	return maxSteps
}

// runProbes runs all probes from the state and appends records to out.
func (c *Component) runProbes(ctx context.Context, r *runner, values []uint64, id int32, probes []probe, out *raw) error {
	c.table.unpack(c.table.at(id), values)
	for i := range probes {
		p := &probes[i]
		err := r.run(ctx, p.code, values, p.args,
			func(f frame) {
				out.rec = append(out.rec, uint64(i), noSite)
				for _, s := range p.code.results {
					out.rec = append(out.rec, f[s])
				}
				out.rec = c.table.pack(out.rec, f[:len(values)], true)
			},
			func(site int32) { out.rec = append(out.rec, uint64(i), uint64(site)) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Component) phase(id int32) int {
	return int(c.table.at(id)[0] & constructedBit)
}

// batch runs probes from all ids with the workers and hands each state's
// records to merge, in order.
func (c *Component) batch(ctx context.Context, ids []int32, probes *[2][]probe, merge func(id int32, rec []uint64) error) error {
	wave := min(64*maxChunk, max(1, waveCalls/max(1, len(probes[0]), len(probes[1]))))
	chunk := min(maxChunk, max(1, wave/64))
	for len(ids) > 0 {
		now := ids[:min(len(ids), wave)]
		ids = ids[len(now):]
		nchunk := (len(now) + chunk - 1) / chunk
		type result struct {
			out  raw
			ends []int
			err  error
		}
		res := make([]result, nchunk)
		work := func(r *runner, values []uint64, k int) {
			part := now[k*chunk : min(len(now), (k+1)*chunk)]
			before := r.steps
			defer func() { res[k].out.steps = r.steps - before }()
			for _, id := range part {
				if err := c.runProbes(ctx, r, values, id, probes[c.phase(id)], &res[k].out); err != nil {
					res[k].err = err
					return
				}
				res[k].ends = append(res[k].ends, len(res[k].out.rec))
			}
		}
		if c.opt.Workers == 1 || nchunk == 1 {
			r, values := &runner{limit: c.steps()}, make([]uint64, len(c.State))
			for k := range nchunk {
				work(r, values, k)
			}
		} else {
			var wg sync.WaitGroup
			next := make(chan int, nchunk)
			for k := range nchunk {
				next <- k
			}
			close(next)
			for range min(c.opt.Workers, nchunk) {
				wg.Add(1)
				go func() {
					defer wg.Done()
					r, values := &runner{limit: c.steps()}, make([]uint64, len(c.State))
					for k := range next {
						work(r, values, k)
					}
				}()
			}
			wg.Wait()
		}
		for k := range res {
			c.ran += res[k].out.steps
			if c.opt.Budget > 0 && c.ran/stepsPerState > c.opt.Budget {
				return &BudgetError{"steps of calls from component states", stepsPerState * c.opt.Budget}
			}
			if res[k].err != nil {
				return res[k].err
			}
			from := 0
			for i, end := range res[k].ends {
				if err := merge(now[k*chunk+i], res[k].out.rec[from:end]); err != nil {
					return err
				}
				from = end
			}
			res[k].out.rec = nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if c.opt.Progress != nil {
			c.opt.Progress(c.table.n)
		}
	}
	return nil
}

// Expand computes the edges of the given states.
func (c *Component) Expand(ctx context.Context, ids []int32) error {
	var todo []int32
	for _, id := range ids {
		if c.spans[id].n == unexpanded {
			c.spans[id].n = unexpanded - 1 // listed
			todo = append(todo, id)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	err := c.batch(ctx, todo, &c.probes, c.merge)
	if err != nil {
		for _, id := range todo {
			if c.spans[id].n == unexpanded-1 {
				c.spans[id].n = unexpanded
			}
		}
	}
	return err
}

// merge stores the edges of one state.
func (c *Component) merge(id int32, rec []uint64) error {
	probes := c.probes[c.phase(id)]
	start := len(c.edges)
	for len(rec) > 0 {
		p := &probes[rec[0]]
		if rec[1] != noSite {
			c.edges = append(c.edges, Edge{int32(^p.id), int32(rec[1])})
			rec = rec[2:]
			continue
		}
		nres := len(p.code.results)
		letter := c.Calls[p.id].Letters[c.number[p.body].of(rec[2:2+nres])]
		to := c.table.intern(rec[2+nres : 2+nres+c.table.width])
		c.edges = append(c.edges, Edge{int32(letter), to})
		rec = rec[2+nres+c.table.width:]
	}
	mine := c.edges[start:]
	if len(mine) > 1 {
		slices.SortFunc(mine, func(a, b Edge) int {
			if a.Letter != b.Letter {
				return int(a.Letter) - int(b.Letter)
			}
			return int(a.To) - int(b.To)
		})
		mine = slices.Compact(mine)
		c.edges = c.edges[:start+len(mine)]
	}
	c.spans[id] = span{uint32(start), uint32(len(mine))}
	c.done++
	c.nondet = c.nondet || c.branches(mine)
	if uint64(len(c.edges)) > maxEdges {
		return &BudgetError{"component edges", maxEdges}
	}
	return c.addSpans()
}

// branches reports whether two edges of a state have the same letter, or an
// erring and a returning run belong to the same call. Errors come first, by
// falling call; letters follow, by rising call.
func (c *Component) branches(edges []Edge) bool {
	errs := 0
	for errs < len(edges) && edges[errs].Letter < 0 {
		errs++
	}
	next := errs - 1 // the error of the lowest call not yet passed
	for i, e := range edges[errs:] {
		if i > 0 && e.Letter == edges[errs+i-1].Letter {
			return true
		}
		call := int32(c.Letters[e.Letter].Call)
		for next >= 0 && ^edges[next].Letter < call {
			next--
		}
		if next >= 0 && ^edges[next].Letter == call {
			return true
		}
	}
	return false
}

// Explore expands every reachable state.
func (c *Component) Explore(ctx context.Context) error {
	if err := c.Expand(ctx, c.Initial); err != nil {
		return err
	}
	for from := 0; from < c.table.n; {
		ids := make([]int32, 0, c.table.n-from)
		for ; from < c.table.n; from++ {
			ids = append(ids, int32(from))
		}
		if err := c.Expand(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}
