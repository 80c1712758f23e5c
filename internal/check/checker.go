// SPDX-License-Identifier: Apache-2.0

package check

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Checker checks the functions of one package.
type Checker struct {
	protocols *Protocols
	pkg       *types.Package
	fset      *token.FileSet
	may       bool
	imported  func(*types.Func) *Summary
	summaries map[*ssa.Function]*Summary // nil while it is computed
	runs      map[*ssa.Function]*run
	effects   map[ssa.Value]*Effect
	recovers  map[*ssa.Function]bool
	stores    map[*ssa.Alloc]*ssa.Store
	complete  map[*Protocol]bool
}

// Config is what a Checker needs to know.
type Config struct {
	Protocols *Protocols
	Fset      *token.FileSet
	// Imported returns the summary of a function of another package, nil if there is none.
	Imported func(*types.Func) *Summary
	// May also reports calls that fail in some of the possible states.
	May bool
}

// New returns a checker for the functions of a package.
func New(pkg *types.Package, conf Config) *Checker {
	return &Checker{
		protocols: conf.Protocols, pkg: pkg, fset: conf.Fset, may: conf.May, imported: conf.Imported,
		summaries: map[*ssa.Function]*Summary{}, runs: map[*ssa.Function]*run{}, effects: map[ssa.Value]*Effect{},
		recovers: map[*ssa.Function]bool{}, stores: map[*ssa.Alloc]*ssa.Store{}, complete: map[*Protocol]bool{},
	}
}

func (c *Checker) closed(p *Protocol, t types.Type) bool {
	is, ok := c.complete[p]
	if !ok {
		is = p.closedType(t)
		c.complete[p] = is
	}
	return is
}

// inTest reports whether a function is written in a test file.
func (c *Checker) inTest(fn *ssa.Function) bool {
	return strings.HasSuffix(c.fset.Position(fn.Pos()).Filename, "_test.go")
}

// A run is the analysis of one function.
type run struct {
	c      *Checker
	fn     *ssa.Function
	test   bool
	depth  int
	roots  map[ssa.Value]*root
	fields map[fieldKey]*root
	cells  map[*ssa.FreeVar]*root
	all    []*root
	starts map[ssa.Value][]*root // roots that are other objects when the value is defined
	events []event
	index  map[eventKey]int16
	in     []*flow // by block
	// stepPos is the position of the call that is followed.
	stepPos token.Pos
	exits   []leaving
	// report is where findings go; nil while the fixpoint is computed.
	report *[]Finding
	// failing are calls that failed in some configuration, for summaries.
	failing map[failureKey]*Failure
}

// leaving is a way out of the function, and what is known there.
type leaving struct {
	ret  *ssa.Return // nil: it does not return
	flow *flow
}

// analyze computes what is known in a function; nil if nothing is tracked there.
func (c *Checker) analyze(fn *ssa.Function) *run {
	if r, ok := c.runs[fn]; ok {
		return r
	}
	r := &run{c: c, fn: fn, test: c.inTest(fn), roots: map[ssa.Value]*root{}, fields: map[fieldKey]*root{}, cells: map[*ssa.FreeVar]*root{},
		starts: map[ssa.Value][]*root{}, events: []event{{}}, index: map[eventKey]int16{}, failing: map[failureKey]*Failure{}}
	c.runs[fn] = nil
	if !r.prepare() {
		return nil
	}
	r.solve()
	c.runs[fn] = r
	return r
}

// prepare finds the roots; it reports whether there are any with objects.
func (r *run) prepare() bool {
	for _, p := range r.fn.Params {
		r.rooted(p)
	}
	for _, f := range r.fn.FreeVars {
		r.rooted(f)
		if isCell(f.Type()) {
			r.cellRoot(f)
		}
	}
	for _, b := range r.fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok {
				r.rooted(v)
			}
			for _, op := range in.Operands(nil) {
				if g, ok := (*op).(*ssa.Global); ok {
					r.rooted(g)
				}
			}
		}
	}
	r.findLeaves()
	some := false
	for _, x := range r.all {
		if x.same != nil || len(x.objects) == 0 {
			continue
		}
		some = true
		at := x.value
		if x.base != nil {
			at = x.base
		}
		switch at.(type) {
		case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
			at = nil
		case *ssa.Phi:
			if x.base == nil {
				continue // on the edges
			}
		}
		r.starts[at] = append(r.starts[at], x)
	}
	return some
}
