// SPDX-License-Identifier: Apache-2.0

package translate

// This file turns switches over strings and enum constants, which compilers make from hash codes and tables, into
// comparisons again.

import (
	"unicode/utf16"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
)

// hashOf is the hash code of a string.
func hashOf(s string) int32 {
	h := int32(0)
	for _, u := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(u)
	}
	return h
}

// chooseText translates a switch over the hash code of a string if each of its cases only compares the string with
// constants of that hash code and goes on at the default when none is equal: then "the hash code is that of the case"
// may be tested as "the string is one of the constants". It reports false if it emits nothing.
func (x *method) chooseText(in *classfile.Instr, s expr) bool {
	constants := make([][]string, len(in.Cases))
	for k, c := range in.Cases {
		if c.Target == in.Target {
			continue
		}
		local := -1
		if constants[k], local = x.compared(c, in.Target); constants[k] == nil || s.local == "" || x.slot("l", local, "*String") != s.local {
			return false
		}
	}
	for k, c := range in.Cases {
		for _, text := range constants[k] {
			x.emit("if sameText(%s, %s) {", s.text, x.textConstant(text))
			x.edge(c.Target, x.stack)
			x.emit("}")
		}
	}
	x.edge(in.Target, x.stack)
	return true
}

// compared are the constants that the code of a case compares a local with, or nil if it does other things.
func (x *method) compared(c classfile.Case, otherwise int) (out []string, local int) {
	local = -1
	for pc := c.Target; pc != otherwise; {
		b := x.body.At(pc)
		code := x.body.Code[b.Start:b.End]
		if len(code) < 4 || code[0].Op.General() != classfile.Aload || local >= 0 && code[0].Local != local {
			return nil, -1
		}
		local = code[0].Local
		if code[1].Op != classfile.Ldc && code[1].Op != classfile.LdcW || code[1].Const.Tag != classfile.TagString || hashOf(code[1].Const.Text) != c.Key {
			return nil, -1
		}
		if code[2].Op != classfile.Invokevirtual || code[2].Const.Member.String() != "java/lang/String.equals:(Ljava/lang/Object;)Z" {
			return nil, -1
		}
		out = append(out, code[1].Const.Text)
		switch {
		case code[3].Op == classfile.Ifeq && len(code) == 4:
			pc = code[3].Target
		case code[3].Op == classfile.Ifeq+1 && len(code) == 4: // ifne leads to the case
			if pc = code[3].Next; pc != otherwise && x.body.Code[x.body.At(pc).Start].Op == classfile.Goto {
				pc = x.body.Code[x.body.At(pc).Start].Target
			}
		default:
			return nil, -1
		}
	}
	return out, local
}

// enumCases are the numbers that a table of a switch gives to enum constants: those of its static initializer.
type enumCases struct {
	constants []classfile.Member
	numbers   []int64
}

// enumCases reads how a static initializer fills a table that is indexed by the numbers of enum constants, or
// gives nil if that is not what the field is.
func (x *method) enumCases(c *classfile.Class, f *classfile.Field) *enumCases {
	if c.Flags&classfile.Synthetic == 0 && f.Flags&classfile.Synthetic == 0 {
		return nil
	}
	m := c.Method("<clinit>", "()V")
	if m == nil || m.Code == nil {
		return nil
	}
	code, err := m.Code.Decode()
	if err != nil {
		return nil
	}
	out := &enumCases{}
	for k := 0; k+4 < len(code); k++ {
		table, constant, ordinal, number, store := &code[k], &code[k+1], &code[k+2], &code[k+3], &code[k+4]
		if store.Op != 79 { // iastore
			continue
		}
		if table.Op != classfile.Getstatic || table.Const.Member.Name != f.Name {
			continue
		}
		if constant.Op != classfile.Getstatic || ordinal.Op != classfile.Invokevirtual || ordinal.Const.Member.Name != "ordinal" || number.Op < classfile.IconstM1 || number.Op > classfile.Sipush {
			return nil
		}
		out.constants = append(out.constants, constant.Const.Member)
		out.numbers = append(out.numbers, number.Int)
	}
	if len(out.constants) == 0 {
		return nil
	}
	return out
}

// chooseEnum translates a look-up in the table of a switch over an enum. It reports whether it is one.
func (x *method) chooseEnum(in *classfile.Instr, array, index expr) bool {
	if in.Op != classfile.Iaload || array.known == nil || array.known.cases == nil || index.known == nil || index.known.ordinal == nil {
		return false
	}
	e := *index.known.ordinal
	cases := array.known.cases
	t := x.temp("int32")
	x.emit("%s = 0", t)
	for k, ref := range cases.constants {
		c, f := x.world.Field(ref.Owner, ref.Name, ref.Descriptor)
		ft := classfile.Type(ref.Descriptor)
		v := flow.OfType(ft)
		constant := expr{goT: x.goValue(v, x.receiver), value: v}
		if f != nil && x.follows(c.Name) {
			x.touchHere(c.Name)
			x.statics.add(staticField{c.Name, f})
			constant.text = x.staticName(c.Name, f)
		} else {
			constant.text = x.accessor(ref, "get", "() "+x.goType(ft)) + "()"
		}
		x.emit("if %s {", x.same(e, constant))
		x.emit("%s = %d", t, cases.numbers[k])
		x.emit("}")
	}
	x.push(expr{text: t, goT: "int32", value: flow.Value{Kind: flow.Int}})
	return true
}
