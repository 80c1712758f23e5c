// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"path"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
)

// A Boundary divides the classes of a world into those whose code is followed for a
// component, and its environment.
type Boundary struct {
	world    *World
	followed map[string]bool
	order    []string
	inline   []string
	opaque   func(class string) bool
}

// A Reach says how far a boundary lies from the class of the component.
type Reach uint8

const (
	// Component follows the nest, superclasses, superinterfaces for their default methods,
	// and classes of the same package that are held in fields, with their nests.
	Component Reach = iota
	// Alone follows only the class itself, its superclasses and superinterfaces.
	Alone
)

// NewBoundary draws the boundary around a class. Inline are patterns for more classes that are followed,
// as path.Match has them, over names with dots or slashes. Opaque classes are modelled by the caller and
// never followed.
func NewBoundary(w *World, class string, reach Reach, inline []string, opaque func(string) bool) *Boundary {
	b := &Boundary{world: w, followed: map[string]bool{}, opaque: opaque}
	for _, p := range inline {
		b.inline = append(b.inline, strings.ReplaceAll(p, ".", "/"))
	}
	pkg := classfile.PackageOf(class)
	b.add(class)
	if reach == Component {
		b.nest(class)
	}
	for k := 0; k < len(b.order); k++ {
		c := w.Class(b.order[k])
		b.add(c.Super)
		for _, i := range c.Interfaces {
			b.add(i)
		}
		if reach == Alone || c.Package() != pkg {
			continue
		}
		for _, f := range c.Fields {
			t := f.Type
			for t.Array() {
				t = t.Elem()
			}
			if t.Reference() && classfile.PackageOf(t.Class()) == pkg {
				b.nest(t.Class())
			}
		}
	}
	return b
}

func (b *Boundary) nest(class string) {
	host := b.world.NestHost(class)
	b.add(class)
	b.add(host)
	c := b.world.Class(host)
	if c == nil {
		return
	}
	for _, n := range c.NestMembers {
		b.add(n)
	}
	for _, i := range c.Inner { // before version 55 there are no nests
		if strings.HasPrefix(i.Name, host+"$") {
			b.add(i.Name)
		}
	}
}

func (b *Boundary) add(class string) {
	if b.followed[class] || class == "" || b.opaque(class) || b.world.Class(class) == nil {
		return
	}
	b.followed[class] = true
	b.order = append(b.order, class)
}

// Follows reports whether the code of a class is followed.
func (b *Boundary) Follows(class string) bool {
	if b.followed[class] {
		return true
	}
	if len(b.inline) == 0 || b.opaque(class) {
		return false
	}
	matches := func(p string) bool { ok, err := path.Match(p, class); return ok && err == nil }
	if !slices.ContainsFunc(b.inline, matches) || b.world.Class(class) == nil {
		return false
	}
	b.add(class)
	for _, s := range b.world.Supertypes(class) {
		b.add(s)
	}
	return true
}

// Followed lists the classes whose code is followed, sorted.
func (b *Boundary) Followed() []string {
	return slices.Sorted(slices.Values(b.order))
}
