// SPDX-License-Identifier: Apache-2.0

package synth

import "github.com/interlock-go/interlock/internal/term"

// An Effort counts the work for several programs, in steps that are the same on every machine: terms that were made and
// what solvers did. A nil Effort counts nothing.
type Effort struct {
	Spent, Limit int64
}

// Add counts steps.
func (e *Effort) Add(n int64) {
	if e != nil {
		e.Spent += n
	}
}

// Over reports that nothing more is to be started.
func (e *Effort) Over() bool { return e != nil && e.Spent > e.Limit }

// terms counts the terms that were made for a program, and those that were looked at.
func (e *Effort) terms(p *term.Pool) { e.Add(int64(p.Len() + p.Rewrites()/rewrites)) }

// solver counts what a solver has done.
func (e *Effort) solver(work int64) { e.Add(work / propagations) }
