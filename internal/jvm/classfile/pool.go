// SPDX-License-Identifier: Apache-2.0

package classfile

// This file reads the constant pool. Entries may refer to later ones, so all are
// read first and resolved afterwards; an entry that is never used is resolved, too,
// which is what a virtual machine does.

import (
	"fmt"
	"math"
)

// A Tag is the kind of a constant.
type Tag uint8

const (
	TagUtf8            Tag = 1
	TagInteger         Tag = 3
	TagFloat           Tag = 4
	TagLong            Tag = 5
	TagDouble          Tag = 6
	TagClass           Tag = 7
	TagString          Tag = 8
	TagField           Tag = 9
	TagMethod          Tag = 10
	TagInterfaceMethod Tag = 11
	TagNameAndType     Tag = 12
	TagMethodHandle    Tag = 15
	TagMethodType      Tag = 16
	TagDynamic         Tag = 17
	TagInvokeDynamic   Tag = 18
	TagModule          Tag = 19
	TagPackage         Tag = 20
	tagSecondSlot      Tag = 255 // of a long or double
)

var tagNames = map[Tag]string{
	TagUtf8: "text", TagInteger: "int", TagFloat: "float", TagLong: "long", TagDouble: "double", TagClass: "class", TagString: "string",
	TagField: "field", TagMethod: "method", TagInterfaceMethod: "interface method", TagNameAndType: "name and type",
	TagMethodHandle: "method handle", TagMethodType: "method type", TagDynamic: "dynamic constant", TagInvokeDynamic: "dynamic call",
	TagModule: "module", TagPackage: "package", tagSecondSlot: "second half of a wide constant",
}

func (t Tag) String() string {
	if s := tagNames[t]; s != "" {
		return s
	}
	return fmt.Sprintf("tag %d", uint8(t))
}

// A Constant is one entry of the constant pool, resolved.
type Constant struct {
	Tag Tag
	// Text is the value of a text or string, and the name of a class (internal form), module, package
	// or method type (a descriptor).
	Text string
	// Int is the value of an int or long.
	Int int64
	// Float is the value of a float or double.
	Float float64
	// Member is what a field, method, name and type, dynamic constant or call refers to.
	Member Member
	// Bootstrap is the index of the bootstrap method of a dynamic constant or call.
	Bootstrap int
	// Handle is the kind of a method handle (see Handle*).
	Handle uint8
}

// A Member is a field or method as code refers to it: by the class that the
// reference names, which need not be the one that declares it.
type Member struct {
	Owner      string // internal name of a class, or descriptor of an array; "" of a name and type
	Name       string
	Descriptor string
	Interface  bool // the reference says that Owner is an interface
}

func (m Member) String() string {
	if m.Owner == "" {
		return m.Name + ":" + m.Descriptor
	}
	return m.Owner + "." + m.Name + ":" + m.Descriptor
}

// Kinds of method handles.
const (
	HandleGetField         = 1
	HandleGetStatic        = 2
	HandlePutField         = 3
	HandlePutStatic        = 4
	HandleInvokeVirtual    = 5
	HandleInvokeStatic     = 6
	HandleInvokeSpecial    = 7
	HandleNewInvokeSpecial = 8
	HandleInvokeInterface  = 9
)

// raw is an entry before it is resolved.
type raw struct {
	at   int // offset in the file
	a, b uint16
	done bool
}

type pool struct {
	constants []Constant
	raw       []raw
	major     uint16
}

func (r *reader) pool(major uint16) *pool {
	at := r.offset()
	n := int(r.u2())
	if r.err != nil {
		return nil
	}
	if n == 0 || (n-1)*3 > r.rest() { // an entry has at least three bytes, and one that counts twice has nine
		r.fail(at, "a constant pool of %d entries does not fit into the %d bytes that are left", n, r.rest())
		return nil
	}
	p := &pool{make([]Constant, n), make([]raw, n), major}
	for k := 1; k < n && r.err == nil; k++ {
		p.raw[k].at = r.offset()
		r.entry(p, k)
		if t := p.constants[k].Tag; r.err == nil && (t == TagLong || t == TagDouble) {
			if k++; k == n {
				r.fail(p.raw[k-1].at, "the second half of constant %d lies behind the constant pool", k-1)
				break
			}
			p.constants[k].Tag, p.raw[k] = tagSecondSlot, raw{at: p.raw[k-1].at, done: true}
		}
	}
	for k := 1; k < n && r.err == nil; k++ {
		r.resolve(p, k)
	}
	return p
}

// since is the first version that has a tag, where that is not the first of all.
var since = map[Tag]uint16{
	TagMethodHandle: 51, TagMethodType: 51, TagInvokeDynamic: 51, TagModule: 53, TagPackage: 53, TagDynamic: 55,
}

// entry reads one entry without resolving it.
func (r *reader) entry(p *pool, k int) {
	c, w := &p.constants[k], &p.raw[k]
	c.Tag = Tag(r.u1())
	if v := since[c.Tag]; v > p.major {
		r.fail(w.at, "constant %d is a %v, which version %d does not have", k, c.Tag, p.major)
		return
	}
	switch c.Tag {
	case TagUtf8:
		text, ok := decodeText(r.take(int(r.u2())))
		if !ok {
			r.fail(w.at, "constant %d is no text in modified UTF-8", k)
		}
		c.Text, w.done = text, true
	case TagInteger:
		c.Int, w.done = int64(int32(r.u4())), true
	case TagFloat:
		c.Float, w.done = float64(math.Float32frombits(r.u4())), true
	case TagLong:
		c.Int, w.done = int64(uint64(r.u4())<<32|uint64(r.u4())), true
	case TagDouble:
		c.Float, w.done = math.Float64frombits(uint64(r.u4())<<32|uint64(r.u4())), true
	case TagClass, TagString, TagMethodType, TagModule, TagPackage:
		w.a = r.u2()
	case TagField, TagMethod, TagInterfaceMethod, TagNameAndType, TagDynamic, TagInvokeDynamic:
		w.a, w.b = r.u2(), r.u2()
	case TagMethodHandle:
		w.a, w.b = uint16(r.u1()), r.u2()
	default:
		r.fail(w.at, "constant %d has the unknown %v", k, c.Tag)
	}
}

// resolve fills in what an entry refers to. The references of tags have no cycles:
// handles refer to members, members to classes and names, these to texts.
func (r *reader) resolve(p *pool, k int) {
	c, w := &p.constants[k], &p.raw[k]
	if w.done || r.err != nil {
		return
	}
	w.done = true
	switch c.Tag {
	case TagClass:
		c.Text = r.text(p, w.at, w.a)
		if t, ok := ParseType(c.Text); r.err == nil && !(ok && t.Array()) && !className(c.Text) {
			r.fail(w.at, "constant %d: %q is no name of a class", k, c.Text)
		}
	case TagString, TagModule, TagPackage:
		c.Text = r.text(p, w.at, w.a)
	case TagMethodType:
		c.Text = r.text(p, w.at, w.a)
		if _, ok := ParseDescriptor(c.Text); r.err == nil && !ok {
			r.fail(w.at, "constant %d: %q is no type of a method", k, c.Text)
		}
	case TagNameAndType:
		c.Member = Member{Name: r.text(p, w.at, w.a), Descriptor: r.text(p, w.at, w.b)}
	case TagField, TagMethod, TagInterfaceMethod:
		if class := r.constant(p, w.at, w.a, TagClass); class != nil {
			if nt := r.constant(p, w.at, w.b, TagNameAndType); nt != nil {
				c.Member = nt.Member
				c.Member.Owner, c.Member.Interface = class.Text, c.Tag == TagInterfaceMethod
				r.member(k, w.at, c.Member, c.Tag != TagField)
			}
		}
	case TagDynamic, TagInvokeDynamic:
		c.Bootstrap = int(w.a)
		if nt := r.constant(p, w.at, w.b, TagNameAndType); nt != nil {
			c.Member = nt.Member
			r.member(k, w.at, c.Member, c.Tag == TagInvokeDynamic)
		}
	case TagMethodHandle:
		c.Handle = uint8(w.a)
		if c.Handle < HandleGetField || c.Handle > HandleInvokeInterface {
			r.fail(w.at, "constant %d: no method handle is of kind %d", k, c.Handle)
			return
		}
		want := []Tag{TagMethod, TagInterfaceMethod}
		if c.Handle <= HandlePutStatic {
			want = []Tag{TagField}
		}
		if m := r.constant(p, w.at, w.b, want...); m != nil {
			c.Member = m.Member
		}
	}
}

// member checks the name and type of a member.
func (r *reader) member(k, at int, m Member, method bool) {
	ok := false
	if method {
		_, ok = ParseDescriptor(m.Descriptor)
	} else {
		_, ok = ParseType(m.Descriptor)
	}
	if r.err == nil && (!ok || !unqualified(m.Name, method)) {
		r.fail(at, "constant %d: %q is no name, or %q no type", k, m.Name, m.Descriptor)
	}
}

// constant is entry k of the pool, which must have one of the tags.
func (r *reader) constant(p *pool, at int, k uint16, tags ...Tag) *Constant {
	if r.err != nil {
		return nil
	}
	if k == 0 || int(k) >= len(p.constants) {
		r.fail(at, "there is no constant %d", k)
		return nil
	}
	c := &p.constants[k]
	for _, t := range tags {
		if c.Tag == t {
			if r.resolve(p, int(k)); r.err != nil {
				return nil
			}
			return c
		}
	}
	r.fail(at, "constant %d is a %v and must be a %v", k, c.Tag, tags[0])
	return nil
}

func (r *reader) text(p *pool, at int, k uint16) string {
	if c := r.constant(p, at, k, TagUtf8); c != nil {
		return c.Text
	}
	return ""
}

// class is the name of a class, or "" for index 0 where that is allowed.
func (r *reader) class(p *pool, at int, k uint16, optional bool) string {
	if k == 0 && optional {
		return ""
	}
	if c := r.constant(p, at, k, TagClass); c != nil {
		return c.Text
	}
	return ""
}
