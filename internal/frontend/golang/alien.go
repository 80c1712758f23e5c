// SPDX-License-Identifier: Apache-2.0

package golang

// This file tells code of other packages that the component only uses from code that
// is a part of it. By convention (environment) code that is not given an object of
// the component does not panic. Short functions are followed all the same; what they
// panic about, such as a type that reflection does not like, is a check like those of
// the run time: part of the protocol if that can be decided, else uncovered, and never
// the reason why a verdict is unknown. A wrapper of an object with a protocol is
// different: the panics of that object are errors of the component.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// isAlien reports whether a function that is called here is code of another package
// that is given nothing of the component: no object that lowering knows, and no
// code of the component's package.
func (f *frame) isAlien(fn *ssa.Function, args, binds []value) bool {
	pkg := packageOf(fn)
	if pkg == nil || f.c.l.owns(pkg) {
		return f.alien && pkg == nil
	}
	if f.alien {
		return true
	}
	if f.fn != nil && !f.c.l.owns(packageOf(f.fn)) {
		return false // what it calls is a part of it
	}
	return !f.hands(args) && !f.hands(binds)
}

// hands reports whether some of the values leads to an object that lowering knows, or
// is code of the component's package.
func (f *frame) hands(list []value) bool {
	for _, v := range list {
		if f.c.isCoarse() && refers(v.typ) {
			return true // what it refers to may not be followed
		}
		switch {
		case v.fn != nil:
			if f.c.l.owns(packageOf(v.fn)) || f.hands(v.binds) {
				return true
			}
			continue
		case v.missing != "" || v.at != nil && v.at.element:
			continue
		}
		ts := f.terms(v)
		for k, l := range f.c.leaves(v.typ) {
			if !l.ref || k >= len(ts) {
				continue
			}
			for _, p := range f.c.w.Holds(ts[k]).Places {
				if _, boxed := p.Data.(boxed); boxed || p.Summary || p.Const {
					continue
				}
				if t, ok := p.Type.(types.Type); ok && t != nil {
					return true
				}
			}
		}
	}
	return false
}
