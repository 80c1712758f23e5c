// SPDX-License-Identifier: Apache-2.0

package translate

// This file keeps what a translation needs: which classes have objects, which methods are called,
// and finds their closure.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// library are classes of the JDK that are followed for every component: small ones, that have no state of
// their own or are superclasses that the language gives.
var library = []string{
	"java/lang/Enum", "java/lang/Record", "java/lang/Math", "java/util/Objects", "java/util/Arrays", "java/util/Optional", "jdk/internal/util/Preconditions", "jdk/internal/util/Preconditions$*",
}

// A copyKey is a method for one class of its receiver; of static methods it is "".
type copyKey struct {
	receiver string
	method   *classfile.Method
}

// A virtualCall is a call whose target the class of the receiver decides.
type virtualCall struct {
	class string
	member
}

// A translated is a copy with what is known about it.
type translated struct {
	copyKey
	goName string
	text   string
	makes  []string // classes of exceptions that it makes
	inits  []string // classes whose static initialization it causes
	calls  []copyKey
	sends  []virtualCall
	asks   []outsideCall // calls of the environment

	leaks  []string // Go names of what it calls and does not catch all exceptions of
	throws bool     // it throws exceptions of its own, which it does not catch
	sites  []int    // numbers of sites at which it makes exceptions that are asked for
}

// A unit is a translation in the making.
type unit struct {
	world     *hierarchy.World
	boundary  *hierarchy.Boundary
	prelude   *bindings
	names     *names
	options   Options
	root      string
	bodies    map[*classfile.Method]*flow.Body
	dynamic   map[dynamicKey]*classfile.Class // classes made for dynamic calls
	oneThread bool                            // code asks for the current thread
	presets   map[string]presets
	raised1   map[*classfile.Method]*raising
	quiet     map[string]bool              // Go names of what throws nothing, as far as the last pass knows
	handles   map[string]map[string]handle // fields that static fields give access to, by class and field

	// These grow from pass to pass; grew says that one did.
	objects  list[string] // classes that objects are made of
	assumed  list[string] // exceptions by their use only
	exported list[member]
	grew     bool

	collected
}

// A collected is what one pass over the code collects.
type collected struct {
	queue     []*translated
	copies    map[copyKey]*translated
	order     []*translated
	types     list[string] // classes whose Go interface is used
	catchable list[string] // classes of exceptions whose Go interface is used
	demanded  map[string]*list[member]
	accessors map[string]*list[*classfile.Field]
	statics   list[staticField]
	texts     list[string] // constants of type String
	classes   list[string] // constants of type Class
	outside   list[outside]
	missing   list[missing]
	bodyless  []Function
	touched   list[string]
	fields    map[*classfile.Field]*classfile.Class

	references map[string]string // Go types of references, by class
	makers     []*maker
	sites      []Site
	dispatches list[dispatch]
	handled    list[string]  // classes of exceptions that code catches
	bare       []*translated // copies without bodies
	entries    []*translated // constructors and calls
	answers    []string      // functions without bodies that the environment answers
	siteTypes  []string      // Go types of the exceptions that sites make
}

// A staticField is one of a class that is followed.
type staticField struct {
	class string
	field *classfile.Field
}

// An outside is a function of the environment.
type outside struct {
	goName, signature string
	Name
	reason string
	body   string // to run, if it is not a panic
}

// A missing is a method of a struct that has no body.
type missing struct {
	class string
	member
	reason string
}

// A list is a set that keeps the order in which elements come.
type list[T comparable] struct {
	all  []T
	seen map[T]bool
}

func (l *list[T]) add(x T) bool {
	if l.seen[x] {
		return false
	}
	if l.seen == nil {
		l.seen = map[T]bool{}
	}
	l.seen[x] = true
	l.all = append(l.all, x)
	return true
}

func newUnit(w *hierarchy.World, p *bindings, root string, options Options) *unit {
	u := &unit{world: w, prelude: p, root: root, options: options, bodies: map[*classfile.Method]*flow.Body{}, dynamic: map[dynamicKey]*classfile.Class{}, raised1: map[*classfile.Method]*raising{}, presets: map[string]presets{}, handles: map[string]map[string]handle{}}
	u.names = newNames(p.names)
	for _, methods := range p.methods {
		for m := range methods {
			u.names.taken[m] = true
		}
	}
	u.boundary = hierarchy.NewBoundary(w, root, options.Reach, append(slices.Clone(library), options.Inline...), u.opaque)
	u.objects.add(root)
	for _, class := range modelExceptions {
		u.mustBeThrowable(class.class)
		u.objects.add(class.class)
	}
	for m := range p.virtuals {
		u.exported.add(m)
	}
	return u
}

// opaque reports whether a class is modelled by the prelude.
func (u *unit) opaque(class string) bool { return u.prelude.classes[class] != "" }

func (u *unit) follows(class string) bool { return u.boundary.Follows(class) || u.isMade(class) }

func (u *unit) isMade(class string) bool {
	c := u.world.Class(class)
	return c != nil && c.File == madeFile
}

// isThrowable reports whether a class is one of exceptions, as far as is known.
func (u *unit) isThrowable(class string) bool {
	return u.world.IsThrowable(class) || u.assumed.seen[class]
}

// mustBeThrowable notes that code uses a class as an exception.
func (u *unit) mustBeThrowable(class string) {
	if !u.isThrowable(class) && u.world.Class(class) == nil && u.assumed.add(class) {
		u.grew = true
	}
}

// makeObject notes that objects of a class are made.
func (u *unit) makeObject(class string) {
	if u.objects.add(class) {
		u.grew = true
	}
}

// export notes that a method of a name is public or protected somewhere.
func (u *unit) export(m *classfile.Method) {
	if m.Flags&(classfile.Public|classfile.Protected) != 0 && !m.Is(classfile.Static) && m.Name != "<init>" && u.exported.add(member{m.Name, m.Descriptor}) {
		u.grew = true
	}
}

func (u *unit) body(m *classfile.Method) (*flow.Body, error) {
	if b := u.bodies[m]; b != nil {
		return b, nil
	}
	b, err := flow.Analyse(u.world, m)
	if err == nil {
		u.bodies[m] = b
	}
	return b, err
}

// copyOf gives the copy of a method, which is translated when its turn comes.
func (u *unit) copyOf(receiver string, m *classfile.Method) *translated {
	if m.Is(classfile.Static) {
		receiver = ""
	}
	k := copyKey{receiver, m}
	t := u.copies[k]
	if t == nil {
		u.export(m)
		t = &translated{copyKey: k, goName: u.methodName(receiver, m)}
		u.copies[k] = t
		u.order = append(u.order, t)
		u.queue = append(u.queue, t)
	}
	return t
}

// methodName is the Go name of a copy.
func (u *unit) methodName(receiver string, m *classfile.Method) string {
	key := m.Class.Name + "." + m.Name + m.Descriptor
	switch {
	case m.Name == "<clinit>":
		return u.names.unique("function", key, "clinit_"+simple(m.Class.Name))
	case m.Is(classfile.Static):
		return u.names.unique("function", key, simple(m.Class.Name)+"_"+m.Name)
	case m.Name == "<init>":
		return u.names.unique("method", key, "init_"+simple(m.Class.Name))
	case m.Is(classfile.Private):
		return u.names.unique("method", key, "m_"+simple(m.Class.Name)+"_"+m.Name)
	case u.world.Select(receiver, m) != m:
		return u.names.unique("method", key, "super_"+simple(m.Class.Name)+"_"+m.Name)
	}
	return u.virtualName(member{m.Name, m.Descriptor})
}

// virtualName is the Go name of all methods with a name and type that are not private. Methods that are not
// public anywhere have one that other packages cannot call.
func (u *unit) virtualName(m member) string {
	if s := u.prelude.virtuals[m]; s != "" {
		return s
	}
	if u.exported.seen[m] {
		return u.names.unique("exported method", m.name+m.descriptor, "M_"+m.name)
	}
	return u.names.unique("method", m.name+m.descriptor, "m_"+m.name)
}

// demand notes that a method is called through the Go interface of a class.
func (u *unit) demand(class string, m member) {
	l := u.demanded[class]
	if l == nil {
		l = &list[member]{}
		u.demanded[class] = l
	}
	l.add(m)
}

// touch notes that a class is used, so that its static initializer runs.
func (u *unit) touch(class string) {
	if !u.follows(class) {
		return
	}
	for n := class; n != ""; n = u.world.Super(n) {
		if u.opaque(n) || !u.touched.add(n) {
			break
		}
		if c := u.world.Class(n); c != nil {
			if m := c.Method("<clinit>", "()V"); m != nil {
				if _, all := u.presetsOf(n); !all {
					u.copyOf("", m)
				}
			}
		}
	}
}

// pass translates everything that is reached. It reports whether another pass is needed.
func (u *unit) pass() (again bool, err error) {
	u.grew = false
	u.collected = collected{copies: map[copyKey]*translated{}, demanded: map[string]*list[member]{}, accessors: map[string]*list[*classfile.Field]{}, fields: map[*classfile.Field]*classfile.Class{}, references: map[string]string{}}
	u.touch(u.root)
	constructors, calls, err := u.roots()
	if err != nil {
		return false, err
	}
	u.entries = append(u.entries, slices.Concat(constructors, calls)...)
	for {
		for len(u.queue) > 0 {
			t := u.queue[0]
			u.queue = u.queue[1:]
			if err := u.translate(t); err != nil {
				return false, err
			}
		}
		u.close()
		if len(u.queue) == 0 {
			break
		}
	}
	if u.options.Errors != nil {
		for _, c := range u.options.Errors.Classes {
			u.mustBeThrowable(c)
			u.interfaceName(c)
		}
		for _, t := range u.entries {
			for _, c := range u.outcomes(t) {
				u.interfaceName(c)
			}
		}
		for _, c := range u.catchable.all { // the environment may throw it
			if c != hierarchy.Object && u.isThrowable(c) && !u.opaque(c) {
				u.makeObject(c)
			}
		}
	}
	if u.options.Errors != nil && u.findQuiet() {
		u.grew = true
	}
	return u.grew, nil
}

// close asks for the methods that objects need for the interfaces that code uses, and for those that the
// environment may call: what overrides its abstract methods.
func (u *unit) close() {
	for k := 0; k < len(u.objects.all); k++ {
		d := u.objects.all[k]
		if u.isThrowable(d) {
			for _, m := range throwableMethods {
				u.need(d, hierarchy.Throwable, m)
			}
		} else {
			for _, m := range objectMethods {
				u.need(d, hierarchy.Object, m)
			}
		}
		for _, t := range u.world.Supertypes(d) {
			if l := u.demanded[t]; l != nil {
				for _, m := range l.all {
					u.need(d, t, m)
				}
			}
			c := u.world.Class(t)
			if c == nil || u.opaque(t) || !c.Is(classfile.Abstract) {
				continue
			}
			for _, m := range c.Methods {
				if m.Is(classfile.Abstract) {
					u.need(d, t, member{m.Name, m.Descriptor})
				}
			}
		}
	}
	for _, class := range u.modelled() {
		for _, t := range u.world.Supertypes(class) {
			if l := u.demanded[t]; l != nil {
				for _, m := range l.all {
					u.needModelled(class, m)
				}
			}
		}
	}
}

var objectMethods = []member{{"equals", "(Ljava/lang/Object;)Z"}, {"hashCode", "()I"}, {"toString", "()Ljava/lang/String;"}}

// throwableMethods are those that the interface throwable of the prelude has.
var throwableMethods = []member{
	{"getMessage", "()Ljava/lang/String;"}, {"getLocalizedMessage", "()Ljava/lang/String;"}, {"getCause", "()Ljava/lang/Throwable;"}, {"toString", "()Ljava/lang/String;"},
}

// modelled are the classes whose objects are structs of the prelude, sorted.
func (u *unit) modelled() []string {
	var out []string
	for c := range u.prelude.classes {
		if c != hierarchy.Object && c != hierarchy.Throwable {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

// need makes a class of objects have a method that a class of its supertypes has.
func (u *unit) need(class, of string, m member) *translated {
	declared := u.world.Method(of, m.name, m.descriptor)
	if declared == nil {
		u.lacks(class, m, "environment")
		return nil
	}
	u.export(declared)
	x := u.world.Select(class, declared)
	switch {
	case x == nil || x.Is(classfile.Abstract):
		u.lacks(class, m, "abstract")
		return nil
	case u.opaque(x.Class.Name): // models have their own
		return nil
	}
	return u.copyOf(class, x)
}

// lacks notes that objects of a class have a method without a body.
func (u *unit) lacks(class string, m member, reason string) {
	if !u.isObjectMethod(m) && !u.isThrowable(class) {
		u.missing.add(missing{class, m, reason})
	}
}

func (u *unit) isObjectMethod(m member) bool { return slices.Contains(objectMethods, m) }

func (u *unit) needModelled(class string, m member) {
	if !u.prelude.methods[u.prelude.classes[class]][u.virtualName(m)] {
		u.missing.add(missing{class, m, "environment"})
	}
}
