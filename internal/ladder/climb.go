// SPDX-License-Identifier: Apache-2.0

package ladder

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/synth"
)

// climb tries programs that keep more and more, and returns the interface of
// the first that decides everything, else of the best.
func (s *search) climb(ctx context.Context, r *golang.Result, depths []golang.Depth, keep func(s *golang.Site) bool, left map[int]bool) (best answer, err error) {
	var last error
	var seen []string
	stuck, complete := 0, false
	for _, d := range depths {
		if s.effort.Over() && (best.i != nil || last != nil) {
			break
		}
		if stuck >= maxStuck && (d.Sites >= 0 || d.Results == golang.Numbers && !complete) {
			continue
		}
		s.sliced(r)
		p, err := r.Component(d, keep)
		if err != nil {
			return answer{}, internal(ctx, r.Name, err)
		}
		complete = p.Complete
		text := r.Text(p)
		if slices.Contains(seen, text) && !p.Complete {
			continue
		}
		seen = append(seen, text)
		q := s.rung(r, p)
		i, err := s.memory.ask(ctx, q, text)
		if err != nil {
			if !isUndecided(err) || ctx.Err() != nil {
				return answer{}, err
			}
			last = err
			stuck++
			if p.Complete && !p.Numbers {
				break
			}
			continue
		}
		a := answer{i: i, partial: len(i.Unknown) > 0}
		if a.partial {
			stuck++
		}
		if err := s.confirmFavoured(ctx, r, q, slice{d, keep}, p); err != nil {
			return answer{}, err
		}
		a.sure, a.forget = r.Limit(p, i, left)
		i.Component.Lowering = r.Lowering(d, keep)
		if best.i == nil || a.sure || a.better(best) {
			best = a
		}
		if a.sure || p.Complete && !p.Numbers {
			break
		}
	}
	if best.i == nil {
		return answer{}, last
	}
	return best, nil
}

// rung is the task for one program of a climb: its budget, and how code is read.
func (s *search) rung(r *golang.Result, p *golang.Component) synth.Task {
	q := s.task(max(1, s.budget/completeShare), codeRefinements)
	q.Code.Apart, q.Code.Plain = r.Doubtful(p), r.Plain(p)
	if !p.Complete {
		q.Budget = max(1, s.budget/depthShare)
	}
	if hasFavoured(p) {
		q.Budget = max(q.Budget, favourBudget)
	}
	return q
}
