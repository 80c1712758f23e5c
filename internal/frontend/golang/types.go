// SPDX-License-Identifier: Apache-2.0

package golang

// This file lays out Go types as scalars. A slice is its nilness, length and
// capacity; a string its length; a map, channel, function, interface or pointer
// is a reference; an array and a float have no scalars, and reading them gives
// any value.

import (
	"go/types"
	"strconv"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A leaf is one scalar of a type.
type leaf struct {
	path string
	typ  prog.Type
	ref  bool
	of   types.Type // the Go type of a reference
	nat  bool       // a length or capacity
	in   location   // the field that it is of; nil if there is none
}

const (
	lenPath    = "#len"
	capPath    = "#cap"
	closedPath = "#closed"
)

var (
	boolType = prog.Type{Sort: term.BoolSort}
	intType  = prog.Type{Sort: term.BV(64), Signed: true}
)

// maxLeaves bounds the scalars of one type; a larger struct is not followed.
const maxLeaves = 400

func (c *compiler) leaves(t types.Type) []leaf {
	if c.layout == nil {
		c.layout = map[types.Type][]leaf{}
	}
	if l, ok := c.layout[t]; ok {
		return l
	}
	l := c.lay(t)
	if len(l) > maxLeaves {
		l = l[:0]
	}
	c.layout[t] = l
	return l
}

func (c *compiler) lay(t types.Type) []leaf {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return []leaf{{typ: boolType}}
		case u.Info()&types.IsInteger != 0:
			return []leaf{{typ: prog.Type{Sort: term.BV(width(u)), Signed: u.Info()&types.IsUnsigned == 0}}}
		case u.Info()&types.IsString != 0:
			all := []leaf{{path: lenPath, typ: intType, nat: true}}
			if c.textEnum != nil {
				all = append(all, leaf{path: textPath, typ: c.textType()}) // see interned.go
			}
			return all
		case u.Kind() == types.UnsafePointer || u.Kind() == types.UntypedNil:
			return []leaf{{typ: c.refType(), ref: true, of: t}}
		}
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return []leaf{{typ: c.refType(), ref: true, of: t}}
	case *types.Slice:
		return []leaf{{typ: c.refType(), ref: true, of: t}, {path: lenPath, typ: intType, nat: true}, {path: capPath, typ: intType, nat: true}}
	case *types.Struct:
		var all []leaf
		for i := range u.NumFields() {
			for _, l := range c.leaves(u.Field(i).Type()) {
				l.path = c.fieldPath(u, i) + l.path
				if l.in == nil {
					l.in = fieldAt(u, i)
				}
				all = append(all, l)
			}
		}
		return all
	case *types.Tuple:
		var all []leaf
		for i := range u.Len() {
			for _, l := range c.leaves(u.At(i).Type()) {
				l.path = "#" + strconv.Itoa(i) + l.path
				all = append(all, l)
			}
		}
		return all
	}
	return nil
}

// fieldPath is the path of a field in an object. Structs that unsafe.Pointer makes of
// each other have the same paths if they have the same layout, else different ones.
func (c *compiler) fieldPath(s *types.Struct, i int) string {
	if c.reach == nil {
		return fieldPath(s, i)
	}
	if t := c.reach.twins[s]; t != nil {
		s = t
	}
	if as := c.reach.strange[s]; as != "" {
		return fieldPath(s, i) + " as " + as
	}
	return fieldPath(s, i)
}

func fieldPath(s *types.Struct, i int) string {
	f := s.Field(i)
	if f.Name() == "_" {
		return "._" + strconv.Itoa(i)
	}
	return "." + f.Name()
}

func width(b *types.Basic) int {
	switch b.Kind() {
	case types.Int8, types.Uint8:
		return 8
	case types.Int16, types.Uint16:
		return 16
	case types.Int32, types.Uint32, types.UntypedRune:
		return 32
	}
	return 64
}

func (c *compiler) refType() prog.Type { return prog.Type{Sort: c.w.RefSort} }

// deref returns what a pointer type points to.
func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}

func isPointer(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}
