// SPDX-License-Identifier: Apache-2.0

package classfile

import "fmt"

// Flags of classes, fields and methods. Some bits mean different things for each.
const (
	Public       = 0x0001
	Private      = 0x0002
	Protected    = 0x0004
	Static       = 0x0008
	Final        = 0x0010
	Synchronized = 0x0020 // of a method
	Super        = 0x0020 // of a class
	Volatile     = 0x0040 // of a field
	Bridge       = 0x0040 // of a method
	Varargs      = 0x0080 // of a method
	Transient    = 0x0080 // of a field
	Native       = 0x0100
	Interface    = 0x0200
	Abstract     = 0x0400
	Strict       = 0x0800
	Synthetic    = 0x1000
	Annotation   = 0x2000
	Enum         = 0x4000
	Module       = 0x8000
)

// The versions of class files that are read.
const (
	MinMajor = 45
	MaxMajor = 69
)

// A Class is what a class file says.
type Class struct {
	File         string // as given to Parse
	Major, Minor uint16
	Flags        uint16
	Name         string // internal form: java/util/ArrayList$ListItr
	Super        string // "" of java/lang/Object and of modules
	Interfaces   []string
	Fields       []Field
	Methods      []*Method

	Source       string // name of the source file, or ""
	Signature    string // of generics, or ""
	Inner        []InnerClass
	Outer        string // class that encloses a local or anonymous class, or ""
	OuterMethod  Member // method that does, or zero
	NestHost     string // or "": it is its own
	NestMembers  []string
	Permitted    []string // subclasses of a sealed class
	Record       []Component
	IsRecord     bool
	Bootstraps   []Bootstrap
	Deprecated   bool
	constantPool *pool
}

// An InnerClass is one row of the table that says how classes are nested.
type InnerClass struct {
	Name       string
	Outer      string // "" of local and anonymous classes
	SimpleName string // "" of anonymous classes
	Flags      uint16 // as declared: a file has no private or static classes
}

// A Component is one of a record.
type Component struct {
	Name      string
	Type      Type
	Signature string
}

// A Bootstrap says how a dynamic call or constant is linked.
type Bootstrap struct {
	Handle Constant
	Args   []Constant
}

// A Field of a class.
type Field struct {
	Flags     uint16
	Name      string
	Type      Type
	Constant  *Constant // value of a static field that is initialized without code, or nil
	Signature string
}

// A Method of a class.
type Method struct {
	Class      *Class
	Flags      uint16
	Name       string
	Descriptor string
	Type       Descriptor
	Code       *Code // nil if abstract or native
	Throws     []string
	Signature  string
	Params     []Param // names from the table of parameters, or nil
}

// A Param is one row of the table of parameters.
type Param struct {
	Name  string // or ""
	Flags uint16
}

// Is reports whether a method has all of the flags.
func (m *Method) Is(flags uint16) bool { return m.Flags&flags == flags }

func (m *Method) String() string { return m.Class.Name + "." + m.Name + ":" + m.Descriptor }

// Is reports whether a class has all of the flags.
func (c *Class) Is(flags uint16) bool { return c.Flags&flags == flags }

// Package is the internal name of the package, or "".
func (c *Class) Package() string { return PackageOf(c.Name) }

// PackageOf is the package of a class by its internal name.
func PackageOf(class string) string {
	for k := len(class) - 1; k >= 0; k-- {
		if class[k] == '/' {
			return class[:k]
		}
	}
	return ""
}

// Method finds a method that the class itself declares.
func (c *Class) Method(name, descriptor string) *Method {
	for _, m := range c.Methods {
		if m.Name == name && m.Descriptor == descriptor {
			return m
		}
	}
	return nil
}

// Field finds a field that the class itself declares.
func (c *Class) Field(name, descriptor string) *Field {
	for k := range c.Fields {
		if f := &c.Fields[k]; f.Name == name && string(f.Type) == descriptor {
			return f
		}
	}
	return nil
}

// References calls f for each class that the constant pool names, in order, arrays
// by their descriptor.
func (c *Class) References(f func(name string)) {
	for k := range c.constantPool.constants {
		if t := &c.constantPool.constants[k]; t.Tag == TagClass {
			f(t.Text)
		}
	}
}

// Parse reads a class file; the name is for errors only.
func Parse(name string, data []byte) (*Class, error) {
	r := &reader{data: data}
	c := &Class{File: name}
	r.class0(c)
	if r.err == nil && r.rest() > 0 {
		r.fail(r.offset(), "%d bytes follow the class", r.rest())
	}
	if r.err != nil {
		r.err.File = name
		return nil, r.err
	}
	return c, nil
}

const magic = 0xcafebabe

func (r *reader) class0(c *Class) {
	if m := r.u4(); r.err == nil && m != magic {
		r.fail(0, "it begins with %08x and not with cafebabe", m)
		return
	}
	c.Minor, c.Major = r.u2(), r.u2()
	if r.err == nil && (c.Major < MinMajor || c.Major > MaxMajor) {
		r.fail(4, "version %d.%d; versions %d to %d are read", c.Major, c.Minor, MinMajor, MaxMajor)
		return
	}
	p := r.pool(c.Major)
	if r.err != nil {
		return
	}
	c.constantPool = p
	at := r.offset()
	c.Flags = r.u2()
	c.Name = r.class(p, at, r.u2(), false)
	c.Super = r.class(p, at, r.u2(), true)
	if r.err == nil && c.Super == "" && c.Name != "java/lang/Object" && c.Flags&Module == 0 {
		r.fail(at, "class %s has no superclass", c.Name)
	}
	for range r.count("interfaces", 2) {
		c.Interfaces = append(c.Interfaces, r.class(p, r.offset(), r.u2(), false))
	}
	for range r.count("fields", 8) {
		c.Fields = append(c.Fields, r.field(p))
	}
	for range r.count("methods", 8) {
		c.Methods = append(c.Methods, r.method(p, c))
	}
	r.attributes(p, "class "+c.Name, func(name string, a *reader) bool { return a.classAttribute(p, c, name) })
}

// attributes reads a table of attributes. Known reports whether it read one; the
// others are skipped.
func (r *reader) attributes(p *pool, of string, known func(name string, a *reader) bool) {
	for range r.count("attributes", 6) {
		at := r.offset()
		name := r.text(p, at, r.u2())
		n := int(r.u4())
		if r.err == nil && n > r.rest() {
			r.fail(at, "attribute %s of %s has %d bytes and %d are left", name, of, n, r.rest())
		}
		a := r.part(n)
		if r.err == nil && known(name, a) {
			r.end(a, "attribute "+name+" of "+of)
		}
	}
}

func (r *reader) field(p *pool) Field {
	at := r.offset()
	f := Field{Flags: r.u2(), Name: r.text(p, at, r.u2())}
	descriptor := r.text(p, at, r.u2())
	var ok bool
	if f.Type, ok = ParseType(descriptor); r.err == nil && (!ok || !unqualified(f.Name, false)) {
		r.fail(at, "field %q has type %q", f.Name, descriptor)
	}
	r.attributes(p, "field "+f.Name, func(name string, a *reader) bool {
		switch name {
		case "ConstantValue":
			f.Constant = a.constant(p, a.offset(), a.u2(), TagInteger, TagFloat, TagLong, TagDouble, TagString)
		case "Signature":
			f.Signature = a.text(p, a.offset(), a.u2())
		default:
			return false
		}
		return true
	})
	return f
}

func (r *reader) method(p *pool, c *Class) *Method {
	at := r.offset()
	m := &Method{Class: c, Flags: r.u2(), Name: r.text(p, at, r.u2()), Descriptor: r.text(p, at, r.u2())}
	var ok bool
	if m.Type, ok = ParseDescriptor(m.Descriptor); r.err == nil && (!ok || !unqualified(m.Name, true)) {
		r.fail(at, "method %q has type %q", m.Name, m.Descriptor)
	}
	r.attributes(p, "method "+m.Name, func(name string, a *reader) bool {
		switch name {
		case "Code":
			if m.Code != nil {
				a.fail(a.offset(), "method %s has two bodies", m.Name)
			}
			m.Code = a.code(p, m)
		case "Exceptions":
			for range a.count("exceptions", 2) {
				m.Throws = append(m.Throws, a.class(p, a.offset(), a.u2(), false))
			}
		case "Signature":
			m.Signature = a.text(p, a.offset(), a.u2())
		case "MethodParameters":
			for range int(a.u1()) {
				var q Param
				if k := a.u2(); k != 0 {
					q.Name = a.text(p, a.offset(), k)
				}
				q.Flags = a.u2()
				m.Params = append(m.Params, q)
			}
		default:
			return false
		}
		return true
	})
	if r.err == nil && (m.Code == nil) != (m.Flags&(Abstract|Native) != 0) {
		r.fail(at, "method %s: %s", m.Name, map[bool]string{true: "it has no body", false: "an abstract or native method has a body"}[m.Code == nil])
	}
	return m
}

func (r *reader) classAttribute(p *pool, c *Class, name string) bool {
	at := r.offset()
	switch name {
	case "SourceFile":
		c.Source = r.text(p, at, r.u2())
	case "Signature":
		c.Signature = r.text(p, at, r.u2())
	case "Deprecated":
		c.Deprecated = true
	case "InnerClasses":
		for range r.count("inner classes", 8) {
			at := r.offset()
			i := InnerClass{Name: r.class(p, at, r.u2(), false), Outer: r.class(p, at, r.u2(), true)}
			if k := r.u2(); k != 0 {
				i.SimpleName = r.text(p, at, k)
			}
			i.Flags = r.u2()
			c.Inner = append(c.Inner, i)
		}
	case "EnclosingMethod":
		c.Outer = r.class(p, at, r.u2(), false)
		if k := r.u2(); k != 0 {
			if m := r.constant(p, at, k, TagNameAndType); m != nil {
				c.OuterMethod = m.Member
				c.OuterMethod.Owner = c.Outer
			}
		}
	case "NestHost":
		c.NestHost = r.class(p, at, r.u2(), false)
	case "NestMembers":
		for range r.count("members", 2) {
			c.NestMembers = append(c.NestMembers, r.class(p, r.offset(), r.u2(), false))
		}
	case "PermittedSubclasses":
		for range r.count("subclasses", 2) {
			c.Permitted = append(c.Permitted, r.class(p, r.offset(), r.u2(), false))
		}
	case "Record":
		c.IsRecord = true
		for range r.count("components", 6) {
			c.Record = append(c.Record, r.component(p))
		}
	case "BootstrapMethods":
		for range r.count("bootstrap methods", 4) {
			c.Bootstraps = append(c.Bootstraps, r.bootstrap(p))
		}
	default:
		return false
	}
	return true
}

func (r *reader) component(p *pool) Component {
	at := r.offset()
	k := Component{Name: r.text(p, at, r.u2())}
	descriptor := r.text(p, at, r.u2())
	var ok bool
	if k.Type, ok = ParseType(descriptor); r.err == nil && !ok {
		r.fail(at, "component %q has type %q", k.Name, descriptor)
	}
	r.attributes(p, "component "+k.Name, func(name string, a *reader) bool {
		if name != "Signature" {
			return false
		}
		k.Signature = a.text(p, a.offset(), a.u2())
		return true
	})
	return k
}

// loadable are the tags that arguments of bootstrap methods and ldc may have.
var loadable = []Tag{TagInteger, TagFloat, TagLong, TagDouble, TagString, TagClass, TagMethodHandle, TagMethodType, TagDynamic}

func (r *reader) bootstrap(p *pool) Bootstrap {
	var b Bootstrap
	at := r.offset()
	if h := r.constant(p, at, r.u2(), TagMethodHandle); h != nil {
		b.Handle = *h
	}
	for range r.count("arguments", 2) {
		if a := r.constant(p, r.offset(), r.u2(), loadable...); a != nil {
			b.Args = append(b.Args, *a)
		}
	}
	return b
}

// BootstrapOf is the bootstrap method of a dynamic constant or call.
func (c *Class) BootstrapOf(k Constant) (Bootstrap, error) {
	if k.Bootstrap >= len(c.Bootstraps) {
		return Bootstrap{}, fmt.Errorf("%s: there is no bootstrap method %d", c.File, k.Bootstrap)
	}
	return c.Bootstraps[k.Bootstrap], nil
}
