// SPDX-License-Identifier: Apache-2.0

package translate

// This file finds static final fields whose first value is plain: a constant, a new array, or a new object of class Object. In an
// analysis these are variables with a first value, of which it is known that nothing changes them.

import (
	"strconv"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// The presets of a class are the values of its plain fields; all: its static initializer does nothing else.
type presets struct {
	values map[presetField]string
	all    bool
}

// A presetField is a static field that has its value from the start.
type presetField struct{ class, name, descriptor string }

// presetsOf gives the values, as Go expressions, of the plain static fields of a class, and whether its static initializer does nothing
// else.
func (u *unit) presetsOf(class string) (values map[presetField]string, all bool) {
	if p, ok := u.presets[class]; ok {
		return p.values, p.all
	}
	values, all = map[presetField]string{}, true
	if u.options.Errors == nil {
		return values, false
	}
	defer func() { u.presets[class] = presets{values, all} }()
	c := u.world.Class(class)
	if c == nil {
		return values, false
	}
	m := c.Method("<clinit>", "()V")
	if m == nil || m.Code == nil {
		return values, true
	}
	code, err := m.Code.Decode()
	if err != nil {
		return values, false
	}
	for k := 0; k < len(code); {
		n, text := u.plainValue(code[k:])
		if n > 0 && k+n < len(code) && code[k+n].Op == classfile.Putstatic {
			ref := code[k+n].Const.Member
			owner, f := u.world.Field(ref.Owner, ref.Name, ref.Descriptor)
			if f != nil && owner.Name == class && f.Flags&classfile.Final != 0 {
				if ref.Descriptor == "Z" {
					text = map[string]string{"0": "false", "1": "true"}[text]
				}
				if text != "" {
					values[presetField{class, ref.Name, ref.Descriptor}] = text
					k += n + 1
					continue
				}
			}
		}
		if k == len(code)-1 && code[k].Op == classfile.Return {
			break
		}
		all = false
		k++
		if code[k-1].Op >= classfile.Ifeq && code[k-1].Op <= classfile.IfAcmpne || code[k-1].Op == classfile.Goto {
			// What follows may be skipped.
			values = map[presetField]string{}
			return values, false
		}
	}
	return values, all
}

// plainValue reads instructions that put a plain value on the stack: how many, and the value.
func (u *unit) plainValue(code []classfile.Instr) (n int, text string) {
	integer := func(in *classfile.Instr) (int64, bool) {
		switch op := in.Op; {
		case op > classfile.AconstNull && op < 9, op == classfile.Bipush, op == classfile.Sipush:
			return in.Int, true
		case (op == classfile.Ldc || op == classfile.LdcW) && in.Const.Tag == classfile.TagInteger:
			return in.Const.Int, true
		}
		return 0, false
	}
	if len(code) == 0 {
		return 0, ""
	}
	if code[0].Op == classfile.AconstNull {
		return 1, "nil"
	}
	if v, ok := integer(&code[0]); ok {
		if len(code) > 1 && v >= 0 {
			switch code[1].Op {
			case classfile.Anewarray:
				return 2, "&Array[Object]{elem: " + strconv.Quote(code[1].Const.Text) + ", data: make([]Object, " + strconv.FormatInt(v, 10) + ")}"
			}
		}
		return 1, strconv.FormatInt(v, 10)
	}
	if len(code) > 2 && code[0].Op == classfile.New && code[0].Const.Text == hierarchy.Object && code[1].Op == classfile.Dup && code[2].Op == classfile.Invokespecial {
		return 3, "&plainObject{}"
	}
	// Assertions are off.
	if len(code) > 5 && (code[0].Op == classfile.Ldc || code[0].Op == classfile.LdcW) && code[1].Op == classfile.Invokevirtual && code[1].Const.Member.Name == "desiredAssertionStatus" && code[2].Op == classfile.Ifeq+1 {
		return 6, "1"
	}
	return 0, ""
}
