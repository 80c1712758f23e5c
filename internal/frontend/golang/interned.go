// SPDX-License-Identifier: Apache-2.0

package golang

// This file tells texts apart that code compares with constants: a state that is a
// string, a mode that the client gave to a constructor. A string has a second scalar
// then, which constant it is, or that it is another text. That is a function of the
// text, so two strings of which one is a constant are equal exactly if it says so; of
// two other texts it is not known.
//
// Only constants are interned with which relevant code compares fields and variables that
// it also writes, or that clients set, and only if they are few; a component without such
// comparisons has the programs that it would have anyway. What a call does with the text
// of an argument alone is left to given.go. Comparisons with the empty string need
// lengths only.

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// maxInterned is how many constants are told apart.
const maxInterned = 12

const (
	textPath  = "#text"
	otherText = "another text"
)

// findTexts finds the constants with which kept texts are compared.
func (c *compiler) findTexts() {
	found := map[string]bool{}
	for _, fn := range c.reach.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				o, ok := i.(*ssa.BinOp)
				if !ok || o.Op != token.EQL && o.Op != token.NEQ || !isText(o.X.Type()) || !c.emits(o) {
					continue
				}
				switch {
				case c.isKeptText(o.X):
					c.comparedWith(o.Y, found)
				case c.isKeptText(o.Y):
					c.comparedWith(o.X, found)
				}
			}
		}
	}
	delete(found, "")
	if len(found) <= maxInterned {
		c.interned = slices.Sorted(maps.Keys(found))
	}
}

func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isKeptText reports whether a text is read from a place that code which is looked at
// writes, or clients.
func (c *compiler) isKeptText(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	switch a := load.X.(type) {
	case *ssa.FieldAddr:
		at := fieldAt(deref(a.X.Type()).Underlying().(*types.Struct), a.Field)
		named, ok := deref(a.X.Type()).(*types.Named)
		return len(c.reach.writes[c.reach.find(at)]) > 0 || ok && c.l.owns(named.Obj().Pkg())
	case *ssa.Global:
		return c.l.owns(a.Pkg.Pkg)
	}
	return false
}

// comparedWith collects the constants that a value may be, also those that callers give.
func (c *compiler) comparedWith(v ssa.Value, found map[string]bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.String {
			found[constant.StringVal(v.Value)] = true
		}
	case *ssa.Parameter:
		n := slices.Index(v.Parent().Params, v)
		for _, call := range c.reach.callers[v.Parent()] {
			if k, ok := argumentOf(call.Common(), v.Parent(), n).(*ssa.Const); ok {
				c.comparedWith(k, found)
			}
		}
	}
}

// newTexts declares the texts of a pass.
func (c *compiler) newTexts() {
	c.textEnum = nil
	if len(c.interned) == 0 {
		return
	}
	c.textEnum = &term.Enum{Name: "text", Values: []string{otherText}}
	for _, s := range c.interned {
		c.textEnum.Values = append(c.textEnum.Values, strings.ReplaceAll(strconv.Quote(s), "`", "'"))
	}
}

func (c *compiler) textType() prog.Type {
	return prog.Type{Sort: term.Sort{Kind: term.EnumKind, Enum: c.textEnum}}
}

// textAt is the n-th text; 0 is another one.
func (c *compiler) textAt(n int) *term.Term {
	return c.w.Pool.Const(c.textType().Sort, term.Value{Lo: uint64(n)})
}

// textOf is which text a constant is.
func (c *compiler) textOf(s string) *term.Term { return c.textAt(slices.Index(c.interned, s) + 1) }

// ofLength says that a text has a length.
func (c *compiler) ofLength(text, n *term.Term) *term.Term {
	p := c.w.Pool
	var all []*term.Term
	for k, s := range c.interned {
		all = append(all, p.Or(p.Ne(text, c.textAt(k+1)), p.Eq(n, p.Int(64, int64(len(s))))))
	}
	return p.And(all...)
}

// text is a string of which only the length is known.
func (f *frame) text(key string, t types.Type, n *term.Term) value {
	v := value{typ: t, t: []*term.Term{n}}
	if f.c.textEnum != nil {
		id := f.any(key+"/text", leaf{path: textPath, typ: f.c.textType()}, lower.Unmodelled)
		f.m.Assume(f.c.ofLength(id, n))
		v.t = append(v.t, id)
	}
	return v
}

// textParam is a text that the client chooses. What does not have its length is another one,
// so that every choice is a text.
func (f *frame) textParam(name string, n *term.Term) *term.Term {
	c, p := f.c, f.c.w.Pool
	x := f.m.Param(name, name, c.textType())
	f.m.Droppable(x)
	out := c.textAt(0)
	for k, s := range c.interned {
		out = p.Ite(p.And(p.Eq(x.Term, c.textAt(k+1)), p.Eq(n, p.Int(64, int64(len(s))))), c.textAt(k+1), out)
	}
	return out
}

func isTextPath(path string) bool { return strings.HasSuffix(path, textPath) }
