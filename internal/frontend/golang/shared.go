// SPDX-License-Identifier: Apache-2.0

package golang

// This file gives objects one place that methods make by the same code. Many types make what they work with when it is
// needed first: Write makes the compressor, and Flush and Close call Write if nobody has. A place for each way there
// makes three compressors of one, and a proof has to go through all of them. So in a coarse program the place of an object
// is named after the way from the innermost function that was called on the component itself, not from the method
// of the client. A second object from there is a renewed one, as it is when a method is called twice. Where one
// method gets to the same code on two ways, its objects may be there at the same time, and each way keeps its own place.
// What constructors make is not shared either.

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A sharing says which objects have a place in common.
type sharing struct {
	ways  map[string]string // by method and common name: the way there
	apart map[string]bool   // common names that are not used
}

// sharedKey is the key of an object: that of the code that makes it if methods share it, else the one of the way there.
func (f *frame) sharedKey(i ssa.Value) string {
	key, c := f.key(i), f.c
	if !c.isCoarse() || c.once {
		return key
	}
	home := f
	for home != nil && !home.onComponent() {
		home = home.up
	}
	if home == nil {
		return key
	}
	name := "in " + home.fn.String() + strings.TrimPrefix(key, home.path)
	if c.sharing.apart[name] {
		return key
	}
	if c.sharing.ways == nil {
		c.sharing = sharing{ways: map[string]string{}, apart: map[string]bool{}}
	}
	at := f.m.M.Name + " " + name
	if way, ok := c.sharing.ways[at]; ok && way != key {
		c.sharing.apart[name] = true
		c.w.Grow()
		return key
	}
	c.sharing.ways[at] = key
	return name
}

// onComponent reports whether the function at hand is a method that was called on the component, and on nothing else.
func (f *frame) onComponent() bool {
	if f.fn == nil || f.fn.Signature.Recv() == nil || len(f.fn.Params) == 0 || f.fn.Parent() != nil {
		return false
	}
	v, ok := f.vals[f.fn.Params[0]]
	if !ok || v.missing != "" || !isPointer(v.typ) {
		return false
	}
	h := f.c.w.Holds(f.ref(v))
	return !h.Outside && len(h.Places) == 1 && h.Places[0].Key == receiverKey
}
