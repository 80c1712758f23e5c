// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/classpath"
)

// The classes that the machine itself knows.
const (
	Object    = "java/lang/Object"
	Throwable = "java/lang/Throwable"
)

// A World is the classes of a class path.
type World struct {
	source  classpath.Source
	classes map[string]*classfile.Class // nil: missing
	supers  map[string][]string
	err     error
}

// New is a world of the classes that a source has.
func New(source classpath.Source) *World {
	return &World{source: source, classes: map[string]*classfile.Class{}, supers: map[string][]string{}}
}

// Err is the first failure to read a class that exists.
func (w *World) Err() error { return w.err }

// Class loads a class. It gives nil if the class path does not have it or if it cannot be read.
func (w *World) Class(name string) *classfile.Class {
	if c, ok := w.classes[name]; ok {
		return c
	}
	w.classes[name] = nil
	if name == "" || strings.HasPrefix(name, "[") {
		return nil
	}
	c, err := classpath.Load(w.source, name)
	if err != nil {
		if w.err == nil && !classpath.IsNotFound(err) {
			w.err = err
		}
		return nil
	}
	w.classes[name] = c
	return c
}

// Define adds a class that the class path does not have.
func (w *World) Define(c *classfile.Class) { w.classes[c.Name] = c }

// Super is the superclass, or "" of java/lang/Object and of missing classes that
// the language does not define.
func (w *World) Super(name string) string {
	if c := w.Class(name); c != nil {
		return c.Super
	}
	return wellKnown[name]
}

// IsInterface reports whether a class is known to be an interface.
func (w *World) IsInterface(name string) bool {
	c := w.Class(name)
	return c != nil && c.Is(classfile.Interface)
}

// Supertypes lists a class and all its supertypes, each once: the class, its superclasses,
// then the interfaces of all of these.
func (w *World) Supertypes(name string) []string {
	if s, ok := w.supers[name]; ok {
		return s
	}
	var out []string
	seen := map[string]bool{}
	add := func(n string) bool {
		if n == "" || seen[n] {
			return false
		}
		seen[n] = true
		out = append(out, n)
		return true
	}
	for n := name; add(n); {
		n = w.Super(n)
	}
	for k := 0; k < len(out); k++ {
		if c := w.Class(out[k]); c != nil {
			for _, i := range c.Interfaces {
				add(i)
			}
		}
	}
	add(Object)
	w.supers[name] = out
	return out
}

// Subtype reports whether each object of class a is known to be one of b. Both
// may be descriptors of arrays.
func (w *World) Subtype(a, b string) bool {
	switch {
	case a == b || b == Object:
		return true
	case strings.HasPrefix(a, "["):
		if b == "java/lang/Cloneable" || b == "java/io/Serializable" {
			return true
		}
		if !strings.HasPrefix(b, "[") {
			return false
		}
		x, y := classfile.Type(a).Elem(), classfile.Type(b).Elem()
		return x.Reference() && y.Reference() && w.Subtype(x.Class(), y.Class())
	case strings.HasPrefix(b, "["):
		return false
	}
	return slices.Contains(w.Supertypes(a), b)
}

// IsThrowable reports whether a class is known to be a subclass of java/lang/Throwable.
func (w *World) IsThrowable(name string) bool {
	return !strings.HasPrefix(name, "[") && w.Subtype(name, Throwable)
}

// Join is a common supertype of two classes: the lower one if there is one, else the
// least common superclass, where all interfaces count as java/lang/Object.
func (w *World) Join(a, b string) string {
	if w.Subtype(a, b) {
		return b
	}
	if w.Subtype(b, a) {
		return a
	}
	if strings.HasPrefix(a, "[") && strings.HasPrefix(b, "[") {
		x, y := classfile.Type(a).Elem(), classfile.Type(b).Elem()
		if x.Reference() && y.Reference() {
			return "[" + string(classfile.ClassType(w.Join(x.Class(), y.Class())))
		}
	}
	if strings.HasPrefix(a, "[") || w.IsInterface(a) || w.IsInterface(b) {
		return Object
	}
	for n := w.Super(a); n != ""; n = w.Super(n) {
		if w.Subtype(b, n) {
			return n
		}
	}
	return Object
}

// Field is the field that a reference resolves to, and the class that declares it
// (JVMS 5.4.3.2), or nil.
func (w *World) Field(owner, name, descriptor string) (*classfile.Class, *classfile.Field) {
	c := w.Class(owner)
	if c == nil {
		return nil, nil
	}
	if f := c.Field(name, descriptor); f != nil {
		return c, f
	}
	for _, i := range c.Interfaces {
		if d, f := w.Field(i, name, descriptor); f != nil {
			return d, f
		}
	}
	return w.Field(c.Super, name, descriptor)
}

// Method is the method that a reference resolves to (JVMS 5.4.3.3 and 5.4.3.4), or nil.
func (w *World) Method(owner, name, descriptor string) *classfile.Method {
	for n := owner; n != ""; n = w.Super(n) {
		c := w.Class(n)
		if c == nil {
			break
		}
		if m := c.Method(name, descriptor); m != nil {
			return m
		}
	}
	if m := w.fromInterfaces(owner, name, descriptor); m != nil {
		return m
	}
	if w.IsInterface(owner) {
		if c := w.Class(Object); c != nil {
			return c.Method(name, descriptor)
		}
	}
	return nil
}

// fromInterfaces is the most specific method of the interfaces of a class, one with a
// body if there is one. Static and private ones are not inherited.
func (w *World) fromInterfaces(class, name, descriptor string) *classfile.Method {
	var best *classfile.Method
	for _, n := range w.Supertypes(class) {
		c := w.Class(n)
		if c == nil || n == class || !c.Is(classfile.Interface) {
			continue
		}
		m := c.Method(name, descriptor)
		if m == nil || m.Flags&(classfile.Static|classfile.Private) != 0 {
			continue
		}
		if best == nil || w.Subtype(n, best.Class.Name) || best.Code == nil && m.Code != nil && !w.Subtype(best.Class.Name, n) {
			best = m
		}
	}
	return best
}

// Select is the method that a virtual call of a method runs on an object of a class (JVMS 5.4.6),
// or nil. The method is the one that the call resolves to.
func (w *World) Select(class string, m *classfile.Method) *classfile.Method {
	if m.Is(classfile.Private) || m.Name == "<init>" || m.Is(classfile.Static) {
		return m
	}
	for n := class; n != ""; n = w.Super(n) {
		c := w.Class(n)
		if c == nil {
			break
		}
		if x := c.Method(m.Name, m.Descriptor); x != nil && (x == m || w.overrides(x, m)) {
			return x
		}
	}
	return w.fromInterfaces(class, m.Name, m.Descriptor)
}

// overrides reports whether x, of the same name and descriptor, overrides m if its class is
// a subclass of that of m. A method without access flags is overridden in its package only;
// transitive overriding through classes of the package is covered, since Select asks
// from the bottom and what lies between is overridden by the same rule.
func (w *World) overrides(x, m *classfile.Method) bool {
	if x.Flags&(classfile.Private|classfile.Static) != 0 {
		return false
	}
	if m.Flags&(classfile.Public|classfile.Protected) != 0 || x.Class.Package() == m.Class.Package() {
		return true
	}
	for n := w.Super(x.Class.Name); n != "" && n != m.Class.Name; n = w.Super(n) {
		if c := w.Class(n); c != nil {
			if y := c.Method(m.Name, m.Descriptor); y != nil && y.Flags&(classfile.Public|classfile.Protected) != 0 && w.overrides(y, m) {
				return true
			}
		}
	}
	return false
}

// NestHost is the class whose nest a class belongs to. Class files before version 55 do not say it;
// there it is the outermost class that encloses it.
func (w *World) NestHost(name string) string {
	for {
		c := w.Class(name)
		if c == nil {
			return name
		}
		if c.NestHost != "" {
			return c.NestHost
		}
		outer := c.Outer
		for _, i := range c.Inner {
			if i.Name == name && i.Outer != "" {
				outer = i.Outer
			}
		}
		if outer == "" || outer == name || w.Class(outer) == nil {
			return name
		}
		name = outer
	}
}

// wellKnown are superclasses that the language and the machine define, for class paths
// without the classes of a JDK.
var wellKnown = map[string]string{
	"java/lang/Throwable":                       Object,
	"java/lang/Exception":                       Throwable,
	"java/lang/Error":                           Throwable,
	"java/lang/RuntimeException":                "java/lang/Exception",
	"java/lang/CloneNotSupportedException":      "java/lang/Exception",
	"java/lang/InterruptedException":            "java/lang/Exception",
	"java/lang/ReflectiveOperationException":    "java/lang/Exception",
	"java/lang/ClassNotFoundException":          "java/lang/ReflectiveOperationException",
	"java/lang/ArithmeticException":             "java/lang/RuntimeException",
	"java/lang/ArrayStoreException":             "java/lang/RuntimeException",
	"java/lang/ClassCastException":              "java/lang/RuntimeException",
	"java/lang/IllegalArgumentException":        "java/lang/RuntimeException",
	"java/lang/NumberFormatException":           "java/lang/IllegalArgumentException",
	"java/lang/IllegalMonitorStateException":    "java/lang/RuntimeException",
	"java/lang/IllegalStateException":           "java/lang/RuntimeException",
	"java/lang/IndexOutOfBoundsException":       "java/lang/RuntimeException",
	"java/lang/ArrayIndexOutOfBoundsException":  "java/lang/IndexOutOfBoundsException",
	"java/lang/StringIndexOutOfBoundsException": "java/lang/IndexOutOfBoundsException",
	"java/lang/NegativeArraySizeException":      "java/lang/RuntimeException",
	"java/lang/NullPointerException":            "java/lang/RuntimeException",
	"java/lang/UnsupportedOperationException":   "java/lang/RuntimeException",
	"java/lang/AssertionError":                  "java/lang/Error",
	"java/lang/LinkageError":                    "java/lang/Error",
	"java/lang/ExceptionInInitializerError":     "java/lang/LinkageError",
	"java/lang/IncompatibleClassChangeError":    "java/lang/LinkageError",
	"java/lang/NoSuchFieldError":                "java/lang/IncompatibleClassChangeError",
	"java/lang/MatchException":                  "java/lang/RuntimeException",
	"java/util/NoSuchElementException":          "java/lang/RuntimeException",
	"java/util/ConcurrentModificationException": "java/lang/RuntimeException",
	"java/io/IOException":                       "java/lang/Exception",
	"java/lang/Enum":                            Object,
	"java/lang/Record":                          Object,
}
