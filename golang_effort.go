// SPDX-License-Identifier: Apache-2.0

package interlock

// This file bounds what is done for one Go type. Each program that is lowered from it
// has a budget, but there may be a hundred of them. Their effort is counted together, in
// steps that are the same on every machine: terms that were made and what solvers did. When it
// is used up, no other program is started, and the best answer so far stands. To give each
// program less was not chosen: the later ones, which keep more, would not be decided
// then, and most types need few.

import (
	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/term"
)

// An effort counts the work for one Go type.
type effort struct {
	spent int64
	limit int64
}

// Weights of what is counted, in terms that are made: they take about as long.
const (
	propagations = 64 // of solvers, that are worth one
	rewrites     = 64 // of terms that are looked at in substitutions
	lowerWork    = 12 // for an edge of a pass of lowering
	sliceWork    = 2  // for an edge, when a smaller program is made of a program

	analysisSteps = 2 // of the analysis of a lowered program, that are worth one
)

// typeEffort is the effort for one type with the default budget. coverShare is the part of it,
// one of so many, for the checks of the run time that are in one program with explicit errors.
const (
	typeEffort = 1_000_000
	coverShare = 8
)

// certificateTerms bounds the terms that the check of one certificate makes, and certificateShare is
// the part of the effort that solvers have for it.
const (
	certificateTerms = 300_000
	certificateShare = 16
)

// checksShare is the part of it, one of so many, that the checks of the run time have on their
// own.
const checksShare = 3

// leftOutShare is the part for a type of which methods are left out: it is lowered several times before.
const leftOutShare = 8

// limited is the configuration with a share of the effort, of which nothing is spent.
func (c Config) limited(share int64) Config {
	c.effort = &effort{limit: max(1, int64(float64(c.budget())/DefaultBudget*typeEffort)/share)}
	return c
}

// add counts steps.
func (e *effort) add(n int64) {
	if e != nil {
		e.spent += n
	}
}

// terms counts the terms that were made for a program, and those that were looked at.
func (e *effort) terms(p *term.Pool) { e.add(int64(p.Len() + p.Rewrites()/rewrites)) }

// solver counts what a solver has done.
func (e *effort) solver(work int64) { e.add(work / propagations) }

// lowered counts the lowering of a program, and returns what it took.
func (e *effort) lowered(r *golang.Result) int64 {
	n := int64(r.AllEdges())*lowerWork + int64(r.AnalysisSteps()/analysisSteps)
	e.add(n)
	return n
}

// sliced counts the making of a smaller program.
func (e *effort) sliced(r *golang.Result) { e.add(int64(r.Edges()) * sliceWork) }

// over reports that nothing more is started.
func (e *effort) over() bool { return e != nil && e.spent > e.limit }
