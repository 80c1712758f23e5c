// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"fmt"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/classpath"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// Options say what is translated.
type Options struct {
	// Calls are the methods of the interface, by name or by name and types of parameters ("write(int)"). None means all
	// public methods.
	Calls []string
	// Inline are patterns for classes that are followed although the boundary does not do so.
	Inline []string
	// Reach is how far the boundary lies.
	Reach hierarchy.Reach
	// Whole asks for all methods that the class declares, whether or not a call of the interface reaches them.
	Whole bool
	// Runnable asks for a package that can be run: functions of the environment get bodies, those of the prelude what Java
	// does, the others a panic.
	Runnable bool
	// Errors are the exceptions that a client is to avoid. With them the wrappers are doors, see door.go.
	Errors *Errors
	// Makers are expressions that make the object, in the way of Java: "new ArrayList(c).listIterator(i)". None
	// means the constructors that clients can call, or else methods that make the object.
	Makers []string
}

// A Translation is a component as a Go package.
type Translation struct {
	Class        string // internal name
	Package      string
	Type         string // the Go type of the component
	Files        []File
	Constructors []Call
	Calls        []Call
	Names        map[string]Name // what Go names mean, by name; of fields and methods with the type: "T.f"
	Environment  []Function      // in the order of the text
	Followed     []string        // classes whose code is followed, internal names
	Assumptions  []string
	Contracts    []string // of functions of the environment, in the format of contracts
	Models       []string // Go types of the prelude whose values the environment has, too
	Sources      []string // files of the classes whose code is followed, the component's first
	Sites        []Site   // by the numbers of the panics of doors, from 1
}

// A File is one Go file.
type File struct {
	Name string
	Text []byte
}

// A Call is a method or constructor of the interface.
type Call struct {
	Go       string // function, or method of Translation.Type
	Java     string // as a user writes it: write(int)
	Method   *classfile.Method
	Params   []string // names, as the Java source has them where that is known
	Outcomes []string // by the number that the wrapper gives as its second result: "ok", classes of exceptions, "other"

	// Of a door: what its Go parameters are in Java ("snk.connected"), and which exception a result of type bool stands for: a class, or
	// "" for any.
	Arguments map[string]string
	Thrown    map[string]string
	Result    bool // the last result says something of the value
}

// A Name says what a Go name stands for.
type Name struct {
	Class      string // internal name
	Member     string // of a class; "" for the class itself
	Descriptor string // of a field or method
}

// A Function is a function or method of the environment, which has no body in an analysis.
type Function struct {
	Go string // "f", or "T.m"
	Name
	Reason string   // why it has none: "environment", "native", "abstract"
	Throws []string // exceptions that the method declares; nil as well if its class is not on the class path
}

// An Unsupported error says that a class has a construct which cannot be translated.
type Unsupported struct {
	Method    string
	Line      int // of the source, or 0
	Construct string
}

func (e *Unsupported) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s: line %d: unsupported: %s", e.Method, e.Line, e.Construct)
	}
	return fmt.Sprintf("%s: unsupported: %s", e.Method, e.Construct)
}

// maxPasses bounds how often the text is made anew because the set of classes that have objects grew. Each pass adds
// a class, and a pass costs as much as the text; components have needed up to four.
const maxPasses = 50

// Class translates a class by its internal name. What the class path does not have is environment.
func Class(source classpath.Source, name string, options Options) (*Translation, error) {
	w := hierarchy.New(source)
	c, err := classpath.Load(source, name)
	if err != nil {
		return nil, err
	}
	if c.Is(classfile.Interface) {
		return nil, fmt.Errorf("%s is an interface: name a class that implements it", classfile.ClassType(name))
	}
	p, err := loadPrelude()
	if err != nil {
		return nil, err
	}
	if options.Errors != nil {
		p = p.forAnalysis()
	}
	u := newUnit(w, p, c.Name, options)
	if u.opaque(name) {
		return nil, &Unsupported{Method: name, Construct: "a class that is modelled and not translated"}
	}
	for n := w.Super(name); n != ""; n = w.Super(n) {
		if w.Class(n) == nil && !u.opaque(n) && w.Err() != nil {
			return nil, w.Err()
		}
		if w.Class(n) == nil && !u.opaque(n) {
			return nil, fmt.Errorf("%s: its superclass %s is not on the class path", classfile.ClassType(name), classfile.ClassType(n))
		}
	}
	for range maxPasses {
		changed, err := u.pass()
		if err == nil {
			err = w.Err()
		}
		if err != nil {
			return nil, err
		}
		if !changed {
			return u.translation()
		}
	}
	return nil, fmt.Errorf("%s: the classes of its objects were not found in %d passes", classfile.ClassType(name), maxPasses)
}
