// SPDX-License-Identifier: Apache-2.0

package golang

// This file makes constructors opaque (opaque.go) of which no flow of information tells what
// decides whether they err, because their code is large, waits, starts goroutines, or asks
// package variables and the environment.
//
// A constructor is the first call of every word: there is no component before it, and no call
// of the alphabet has changed anything. What it finds, besides its arguments, is how the
// world is when it is called (package variables, files, other goroutines) and what the
// environment answers; neither hangs on a state of the component. Let errs be the arguments with
// which there are a world and answers so that the constructor errs. Then with these arguments the
// constructor may fail, and with others it never does, by definition. It is what
// an opaque call says whose errors hang on answers, too, and it may be true of no arguments at all,
// if all such errors are the environment's fault.
//
// That says little of the constructor, but nothing is said of what follows a constructor of
// which nothing is known; now states and calls can be decided that do not hang on what was left
// out. So it is the last resort, for a constructor only that has an error of its own code, and
// that has arguments: a property of no arguments would be a claim. Calls of a chain come after others,
// and functions that are calls of the alphabet, too, may come after others.

import "golang.org/x/tools/go/ssa"

const conventionWorld = "world: constructors that may fail with the arguments of a property errs at do so for some values of package variables and some answers of the environment, if there are such arguments"

// errsByWorld returns the errors of a constructor, or nil if there are none.
func (c *compiler) errsByWorld(fn *ssa.Function, methods []operation) *opaqueCall {
	for i := range methods {
		if methods[i].fn == fn {
			return nil
		}
	}
	returns := false
	if c.kinds.anyReturn() {
		for _, b := range fn.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				for _, v := range r.Results {
					returns = returns || isErrorType(v.Type()) && c.mayBeWanted(v)
				}
			}
		}
	}
	o := &opaqueCall{may: true, conventions: map[string]bool{conventionWorld: true}}
	for _, g := range c.reach.under([]*ssa.Function{fn}) {
		if !c.l.owns(packageOf(g)) {
			continue
		}
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				if c.isSite(c.reach, i, false) {
					o.sites = append(o.sites, c.panicAt(g, i))
				} else if e := c.errorMadeBy(g, i); e != nil && returns {
					o.sites = append(o.sites, *e)
				}
			}
		}
	}
	if len(o.sites) == 0 {
		return nil
	}
	return o
}
