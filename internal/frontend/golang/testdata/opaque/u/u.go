// SPDX-License-Identifier: Apache-2.0

// Package u has texts and slices behind unsafe pointers.
package u

import (
	"fmt"
	"io"
	"unsafe"
)

// A text is made from texts only.
type text *byte

// A loose one is also made from bytes.
type loose *byte

// A cast one is also made by way of a pointer to a pointer.
type cast *byte

// An item is an element that nothing changes, a cell one that is changed.
type (
	item struct{ n int }
	cell struct{ n int }
)

// U has pointers in place of texts and slices.
type U struct {
	t     text
	l     loose
	c     cast
	n     int
	items *item
	cells *cell
	w     io.Writer
}

func New(s string, b []byte, items []item, cells []cell, w io.Writer) *U {
	u := &U{t: text(unsafe.StringData(s)), n: len(s), items: unsafe.SliceData(items), cells: unsafe.SliceData(cells), w: w}
	u.l = loose(unsafe.StringData(s))
	if len(b) > 0 {
		u.l = loose(&b[0])
	}
	u.c = cast(unsafe.StringData(s))
	*(**byte)(&u.c) = unsafe.SliceData(b)
	return u
}

// OnlyText reads a text, which never changes.
func (u *U) OnlyText(s string) {
	if unsafe.String(u.t, u.n) == s {
		panic("u: text")
	}
}

// Loose reads bytes that Fill changes.
func (u *U) Loose(s string) {
	if unsafe.String(u.l, u.n) == s {
		panic("u: loose")
	}
}

func (u *U) Cast(s string) {
	if unsafe.String(u.c, u.n) == s {
		panic("u: cast")
	}
}

// Fill changes bytes.
func (u *U) Fill(c byte) {
	b := unsafe.Slice((*byte)(u.l), u.n)
	for k := range b {
		b[k] = c
	}
}

// OnlyItems reads elements that nothing changes.
func (u *U) OnlyItems(n int) {
	for _, i := range unsafe.Slice(u.items, u.n) {
		if i.n == n {
			panic("u: item")
		}
	}
}

// Cells reads elements that Set changes.
func (u *U) Cells(n int) {
	for _, c := range unsafe.Slice(u.cells, u.n) {
		if c.n == n {
			panic("u: cell")
		}
	}
}

// Set changes the first of the cells, through the pointer.
func (u *U) Set(n int) { u.cells.n = n }

// OnlyLog prints: what is printed does not change. It returns an error whatever it is given.
func (u *U) OnlyLog(x any) error {
	fmt.Fprintf(u.w, "%v", x)
	fmt.Fprintf(u.w, "logged")
	return fmt.Errorf("logged %v", x)
}

// V has elements in an interface, which Put gives to code that may change them.
type V struct{ n []any }

type part struct{ N int }

func NewV(p *part) *V { return &V{n: []any{p}} }

func (v *V) Parts(n int) {
	for _, x := range v.n {
		if p, ok := x.(*part); ok && p.N == n {
			panic("u: part")
		}
	}
}

// A Store may change what it is given.
type Store interface{ Put(x ...any) }

func (v *V) Put(s Store) { s.Put(v.n...) }

// P is like V, and prints.
type P struct{ x *part }

func NewP(p *part) *P { return &P{x: p} }

func (p *P) OnlyPart(n int) {
	if p.x.N == n {
		panic("u: part")
	}
}

func (p *P) Print(w io.Writer) {
	fmt.Fprintf(w, "%v", p.x)
	fmt.Fprintln(w)
}
