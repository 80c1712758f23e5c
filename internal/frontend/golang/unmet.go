// SPDX-License-Identifier: Apache-2.0

package golang

// This file deals with errors under study that code makes which a coarse program does not lower although
// something in it is relevant: a function literal that is given to code which is not followed, such as the
// body of a loop over an iterator. What such code writes is any value, and an error that nobody has met is none
// of those that a program knows. So if there is one, there is an error that stands for all of
// them, and a value that may be an error under study may be this one.

import (
	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
)

const unmetKey = "#unmet error"

// unmetErrors looks for such errors after a pass; if there are some, there is another pass with them.
func (c *compiler) unmetErrors() {
	if !c.isCoarse() || c.unmet || !c.kinds.anyReturn() {
		return
	}
	for _, fn := range c.reach.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(*ssa.Call); ok && !c.metCalls[call] && c.rel.isWantedCall(call) {
					c.unmet = true
					c.w.Grow()
					return
				}
			}
		}
	}
}

// unmetError is the error that stands for all of them.
func (c *compiler) unmetError() *lower.Place {
	p := c.w.Place(unmetKey, func() *lower.Place {
		e := &errorValue{message: "one of the errors", pkg: c.l.pkg.Pkg, key: unmetKey, vague: true, mayWrap: true, unmet: true}
		return &lower.Place{Name: "one of the errors", Type: c.errorString(), Const: true, Data: e}
	})
	c.w.RefOf(p)
	return p
}
