// SPDX-License-Identifier: Apache-2.0

package translate

// This file translates dynamic calls: lambdas and method references, concatenations of strings, the methods of
// records, switches over types. Except for concatenations, classes and methods are made for them, whose
// code is given as instructions and translated as all other code.

import (
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// madeFile is the file of classes that are made here.
const madeFile = "(made)"

// A dynamicKey is the place of a dynamic call.
type dynamicKey struct {
	method *classfile.Method
	pc     int
}

func (x *method) invokeDynamic(in *classfile.Instr) error {
	call := in.Const.Member
	boot, err := x.method().Class.BootstrapOf(*in.Const)
	if err != nil {
		return err
	}
	d, _ := classfile.ParseDescriptor(call.Descriptor)
	args := x.popN(len(d.Params))
	switch factory := boot.Handle.Member; factory.Owner + "." + factory.Name {
	case "java/lang/invoke/LambdaMetafactory.metafactory", "java/lang/invoke/LambdaMetafactory.altMetafactory":
		return x.lambda(in, boot, args, d)
	case "java/lang/invoke/StringConcatFactory.makeConcatWithConstants":
		return x.concat(boot.Args[0].Text, boot.Args[1:], args, d)
	case "java/lang/invoke/StringConcatFactory.makeConcat":
		return x.concat(strings.Repeat("\x01", len(args)), nil, args, d)
	case "java/lang/runtime/ObjectMethods.bootstrap":
		return x.made(in, args, d, func(b *builder) error { return b.recordMethod(call.Name, boot.Args) })
	case "java/lang/runtime/SwitchBootstraps.typeSwitch", "java/lang/runtime/SwitchBootstraps.enumSwitch":
		return x.made(in, args, d, func(b *builder) error { return b.typeSwitch(d, boot.Args) })
	default:
		return x.unsupported("a dynamic call of %s", factory)
	}
}

// concat translates the concatenation of a recipe, where 1 stands for an argument and 2 for a constant.
func (x *method) concat(recipe string, constants []classfile.Constant, args []expr, d classfile.Descriptor) error {
	var parts []string
	literal := ""
	flush := func() {
		if literal != "" {
			parts = append(parts, fmt.Sprintf("%q", literal))
			literal = ""
		}
	}
	k := 0
	for _, r := range recipe {
		switch r {
		case 1:
			flush()
			parts = append(parts, x.textOf(args[k], d.Params[k]))
			k++
		case 2:
			if len(constants) == 0 || constants[0].Tag != classfile.TagString && constants[0].Tag != classfile.TagInteger {
				return x.unsupported("a constant of a concatenation that is no string")
			}
			if constants[0].Tag == classfile.TagInteger {
				literal += fmt.Sprint(constants[0].Int)
			}
			literal += constants[0].Text
			constants = constants[1:]
		default:
			literal += string(r)
		}
	}
	flush()
	if len(parts) == 0 {
		parts = []string{`""`}
	}
	x.result(flow.Value{Kind: flow.Ref, Class: "java/lang/String"}, "&String{text: "+strings.Join(parts, " + ")+"}").nonnull = true
	return nil
}

// textOf is the Go text of a value in a concatenation.
func (x *method) textOf(e expr, t classfile.Type) string {
	switch t {
	case "I", "S", "B":
		return "textOfInt(int64(" + x.operand(e, flow.Int) + "))"
	case "J":
		return "textOfInt(" + x.operand(e, flow.Long) + ")"
	case "C":
		return "textOfUnit(uint16(" + x.operand(e, flow.Int) + "))"
	case "Z":
		return "textOfBool(" + x.convert(e, flow.Value{Kind: flow.Bool}) + ")"
	case "F":
		return "textOfFloat(" + x.operand(e, flow.Float) + ")"
	case "D":
		return "textOfDouble(" + x.operand(e, flow.Double) + ")"
	case "Ljava/lang/String;":
		return "textOfString(" + x.convertType(e, t) + ")"
	}
	s := x.temp("string")
	x.emit("exc, %s = textOfObject(%s)", s, x.convert(e, flow.Value{Kind: flow.Ref, Class: hierarchy.Object}))
	x.emit("if exc != nil {")
	x.throw("")
	x.emit("}")
	return s
}

// made calls a static method that is made for this place.
func (x *method) made(in *classfile.Instr, args []expr, d classfile.Descriptor, code func(*builder) error) error {
	k := dynamicKey{x.method(), in.PC}
	c := x.dynamic[k]
	if c == nil {
		c = x.makeClass()
		m := x.addMethod(c, in.Const.Member.Name, in.Const.Member.Descriptor, classfile.Static)
		b := &builder{owner: x, method: m, locals: m.Type.Slots()}
		if err := code(b); err != nil {
			return err
		}
		if err := b.finish(); err != nil {
			return err
		}
		x.dynamic[k] = c
	}
	t := x.copyOf("", c.Methods[0])
	x.calls = append(x.calls, t.copyKey)
	x.call(t.goName, x.arguments(args, d), d.Result)
	return nil
}

// makeClass makes a class of no package member's name; it is final and followed.
func (x *method) makeClass() *classfile.Class {
	own := x.method().Class
	c := &classfile.Class{File: madeFile, Major: own.Major, Flags: classfile.Final | classfile.Synthetic, Super: hierarchy.Object, Source: own.Source}
	for n := 1; ; n++ {
		if c.Name = fmt.Sprintf("%s$$%d", own.Name, n); x.world.Class(c.Name) == nil {
			break
		}
	}
	x.world.Define(c)
	return c
}

func (x *method) addMethod(c *classfile.Class, name, descriptor string, flags uint16) *classfile.Method {
	d, _ := classfile.ParseDescriptor(descriptor)
	m := &classfile.Method{Class: c, Flags: flags | classfile.Synthetic, Name: name, Descriptor: descriptor, Type: d}
	m.Code = &classfile.Code{Method: m, Lines: []classfile.Line{{Start: 0, Line: x.line}}}
	c.Methods = append(c.Methods, m)
	return m
}

// lambda translates the making of an object for a functional interface.
func (x *method) lambda(in *classfile.Instr, boot classfile.Bootstrap, args []expr, d classfile.Descriptor) error {
	k := dynamicKey{x.method(), in.PC}
	c := x.dynamic[k]
	if c == nil {
		if len(boot.Args) < 3 {
			return x.unsupported("a lambda of an unknown form")
		}
		c = x.makeClass()
		c.Interfaces = []string{d.Result.Class()}
		for i, t := range d.Params {
			c.Fields = append(c.Fields, classfile.Field{Name: fmt.Sprintf("captured%d", i), Type: t})
		}
		types := []string{boot.Args[0].Text}
		if rest := boot.Args[3:]; len(rest) > 0 {
			flags := rest[0].Int
			rest = rest[1:]
			if flags&2 != 0 && len(rest) > 0 {
				for range rest[0].Int {
					rest = rest[1:]
					c.Interfaces = append(c.Interfaces, rest[0].Text)
				}
				rest = rest[1:]
			}
			if flags&4 != 0 && len(rest) > 0 {
				for range rest[0].Int {
					rest = rest[1:]
					types = append(types, rest[0].Text)
				}
			}
		}
		seen := map[string]bool{}
		for _, t := range types {
			if seen[t] {
				continue
			}
			seen[t] = true
			m := x.addMethod(c, in.Const.Member.Name, t, classfile.Public)
			b := &builder{owner: x, method: m, locals: m.Type.Slots() + 1}
			if err := b.lambda(c, boot.Args[1], boot.Args[2].Text); err != nil {
				return err
			}
			if err := b.finish(); err != nil {
				return err
			}
		}
		x.dynamic[k] = c
	}
	x.makeObject(c.Name)
	o := x.temp("*" + x.structName(c.Name))
	var fields []string
	for i := range c.Fields {
		f := &c.Fields[i]
		fields = append(fields, x.fieldName(c, f)+": "+x.convertType(args[i], f.Type))
	}
	x.emit("%s = &%s{%s}", o, x.structName(c.Name), strings.Join(fields, ", "))
	v := flow.Value{Kind: flow.Ref, Class: d.Result.Class()}
	x.push(expr{text: x.convert(expr{text: o, goT: x.types[o], value: flow.Value{Kind: flow.Ref, Class: c.Name}, nonnull: true}, v), goT: x.goValue(v, x.receiver), value: v, nonnull: true})
	return nil
}
