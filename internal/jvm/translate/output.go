// SPDX-License-Identifier: Apache-2.0

package translate

// This file writes the declarations and puts a translation together.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

const initializerError = "java/lang/ExceptionInInitializerError"

// modelExceptions are the classes of exceptions that the prelude makes, with its functions.
var modelExceptions = []struct{ function, class string }{
	{"newNullPointer", nullPointer},
	{"newNegativeArraySize", negativeSize},
	{"newClassCast", classCast},
	{"newArrayStore", "java/lang/ArrayStoreException"},
	{"newArrayIndexOutOfBounds", arrayIndex},
	{"newIndexOutOfBounds", "java/lang/IndexOutOfBoundsException"},
	{"newStringIndexOutOfBounds", "java/lang/StringIndexOutOfBoundsException"},
	{"", initializerError},
}

// packageName is the name of the Go package of every translation.
const packageName = "component"

func (u *unit) translation() (*Translation, error) {
	t := &Translation{Class: u.root, Package: packageName, Type: u.structName(u.root), Names: map[string]Name{}, Followed: u.boundary.Followed()}
	constructors, calls, err := u.roots()
	if err != nil {
		return nil, err
	}
	text := ""
	if u.oneThread {
		u.interfaceName(threadClass)
	}
	for known := -1; known != len(u.types.all)+len(u.catchable.all)+len(u.classes.all); {
		// What is written may mention types for the first time, which other declarations must know.
		known = len(u.types.all) + len(u.catchable.all) + len(u.classes.all)
		text = u.component(t, constructors, calls)
	}
	if u.grew {
		return nil, fmt.Errorf("%s: the classes of its objects grew while they were written", classfile.ClassType(u.root))
	}
	modelled := u.prelude.modelled
	if u.options.Errors != nil {
		modelled = u.prelude.analysed
	}
	prelude := "package " + packageName + "\n" + strings.Join(modelled, "\n")
	environment := "package " + packageName + "\n\n" + u.prelude.declared
	if u.options.Runnable {
		environment = "package " + packageName + "\n" + u.prelude.runnable
	}
	t.Files = []File{{"prelude.go", []byte(prelude)}, {"environment.go", []byte(environment)}, {"component.go", []byte(text)}}
	if u.options.Errors == nil {
		t.Environment = append(t.Environment, u.bodyless...)
	}
	t.Models = []string{"Array", "thrown", "plainObject"}
	for _, c := range u.modelled() {
		t.Models = append(t.Models, u.prelude.classes[c])
	}
	if u.options.Errors != nil {
		for _, name := range preludeAnswers {
			t.Environment = append(t.Environment, Function{Go: name, Reason: "environment"})
		}
		t.Contracts = append(t.Contracts, preludeContracts)
	}
	t.Assumptions = u.assumptions()
	for _, c := range append([]string{u.root}, t.Followed...) {
		if f := u.world.Class(c); f != nil {
			t.Sources = append(t.Sources, sourceFile(f))
		}
	}
	return t, nil
}

// component writes the file with everything but the prelude.
func (u *unit) component(t *Translation, constructors, calls []*translated) string {
	t.Constructors, t.Calls, t.Environment, t.Contracts = nil, nil, nil, nil
	var b strings.Builder
	b.WriteString("package " + packageName + "\n\n")
	if u.options.Errors != nil {
		u.doors(&b, t, calls)
		constructors, calls = nil, nil
	}
	for _, c := range constructors {
		t.Constructors = append(t.Constructors, u.wrapper(&b, c))
	}
	for _, c := range calls {
		t.Calls = append(t.Calls, u.wrapper(&b, c))
	}
	u.initialize(&b)
	u.objectTypes(&b)
	u.modelTypes(&b)
	for k, name := range u.siteTypes {
		fmt.Fprintf(&b, "type %s struct { %s }\n\n", name, u.structName(u.sites[k].Class))
	}
	t.Sites = u.sites
	u.interfaces(&b)
	u.variables(&b)
	if u.options.Errors != nil {
		u.answers = nil
		u.writeDispatches(&b, t)
		u.writeOutside(&b, t)
	} else {
		u.functions(&b, t)
	}
	u.nameTypes(t)
	for _, c := range u.order {
		b.WriteString(c.text)
		b.WriteString("\n")
		key := c.goName
		if c.receiver != "" {
			key = u.structName(c.receiver) + "." + key
		}
		t.Names[key] = Name{c.method.Class.Name, c.method.Name, c.method.Descriptor}
	}
	return b.String()
}

// nameTypes says what the names of types, fields and variables stand for.
func (u *unit) nameTypes(t *Translation) {
	for _, class := range u.objects.all {
		name := u.structName(class)
		t.Names[name] = Name{Class: class}
		for _, s := range u.world.Supertypes(class) {
			c := u.world.Class(s)
			if c == nil || c.Is(classfile.Interface) || !u.follows(s) {
				continue
			}
			for k := range c.Fields {
				if f := &c.Fields[k]; f.Flags&classfile.Static == 0 {
					t.Names[name+"."+u.fieldName(c, f)] = Name{s, f.Name, string(f.Type)}
				}
			}
		}
	}
	for _, class := range slices.Concat(u.types.all, u.catchable.all) {
		if _, ok := t.Names[u.interfaceIdent(class)]; !ok {
			t.Names[u.interfaceIdent(class)] = Name{Class: class}
		}
	}
	for class, name := range u.prelude.classes {
		t.Names[name] = Name{Class: class}
	}
	for _, s := range u.statics.all {
		t.Names[u.staticName(s.class, s.field)] = Name{s.class, s.field.Name, string(s.field.Type)}
	}
	for _, o := range u.outside.all {
		t.Names[o.goName] = o.Name
	}
}

// objectTypes writes the structs of objects with what they need besides their copies.
func (u *unit) objectTypes(b *strings.Builder) {
	for _, class := range u.objects.all {
		name := u.structName(class)
		fmt.Fprintf(b, "type %s struct {\n", name)
		exception := u.isThrowable(class)
		if exception {
			b.WriteString("Throwable\n")
		}
		chain := u.world.Supertypes(class)
		for _, n := range slices.Backward(chain) {
			c := u.world.Class(n)
			if c == nil || c.Is(classfile.Interface) || !u.follows(n) {
				continue
			}
			for k := range c.Fields {
				if f := &c.Fields[k]; f.Flags&classfile.Static == 0 {
					fmt.Fprintf(b, "%s %s\n", u.fieldName(c, f), u.goType(f.Type))
				}
			}
		}
		b.WriteString("}\n\n")
		fmt.Fprintf(b, "func (this *%s) class() *Class { return %s }\n", name, u.classConstant(class))
		if exception {
			text := fmt.Sprintf("%q", strings.ReplaceAll(class, "/", "."))
			if u.options.Runnable {
				text = "describe(" + text + ", this.message)"
			}
			fmt.Fprintf(b, "func (this *%s) Error() string { return %s }\n", name, text)
			if !u.hasCopy(class, objectMethods[2]) {
				fmt.Fprintf(b, "func (this *%s) M_toString() (exc error, res *String) { return plainText(this) }\n", name)
			}
			if u.hasCopy(class, throwableMethods[0]) && !u.hasCopy(class, throwableMethods[1]) {
				fmt.Fprintf(b, "func (this *%s) M_getLocalizedMessage() (exc error, res *String) { return this.M_getMessage() }\n", name)
			}
			u.needsForThrowable(b, class, chain)
			continue
		}
		if !u.hasCopy(class, objectMethods[0]) {
			fmt.Fprintf(b, "func (this *%s) M_equals(o Object) (exc error, res bool) { return nil, Object(this) == o }\n", name)
		}
		if !u.hasCopy(class, objectMethods[1]) {
			fmt.Fprintf(b, "func (this *%s) M_hashCode() (exc error, res int32) { return nil, identityHash(this) }\n", name)
		}
		if !u.hasCopy(class, objectMethods[2]) {
			fmt.Fprintf(b, "func (this *%s) M_toString() (exc error, res *String) { return nil, unknownText(this) }\n", name)
		}
		for _, s := range chain {
			if u.types.seen[s] {
				fmt.Fprintf(b, "func (this *%s) %s() {}\n", name, u.marker(s))
			}
		}
		u.accessorsOf(b, class, chain)
		b.WriteString("\n")
	}
}

func (u *unit) needsForThrowable(b *strings.Builder, class string, chain []string) {
	for _, s := range chain {
		if u.catchable.seen[s] && u.isThrowable(s) {
			fmt.Fprintf(b, "func (this *%s) %s() {}\n", u.structName(class), u.marker(s))
		}
	}
	u.accessorsOf(b, class, chain)
	b.WriteString("\n")
}

// hasCopy reports whether a class of objects has its own code for a method.
func (u *unit) hasCopy(class string, m member) bool {
	for _, n := range u.world.Supertypes(class) {
		c := u.world.Class(n)
		if c == nil || u.opaque(n) {
			continue
		}
		if d := c.Method(m.name, m.descriptor); d != nil && u.copies[copyKey{class, d}] != nil && u.world.Select(class, d) == d {
			return true
		}
	}
	return false
}

func (u *unit) accessorsOf(b *strings.Builder, class string, chain []string) {
	for _, s := range chain {
		l := u.accessors[s]
		if l == nil {
			continue
		}
		for _, f := range l.all {
			n, t := u.fieldName(u.fields[f], f), u.goType(f.Type)
			fmt.Fprintf(b, "func (this *%s) get_%s() %s { return this.%s }\n", u.structName(class), n, t, n)
			fmt.Fprintf(b, "func (this *%s) set_%s(v %s) { this.%s = v }\n", u.structName(class), n, t, n)
		}
	}
}

// modelTypes writes what the structs of the prelude need for the interfaces that are used.
func (u *unit) modelTypes(b *strings.Builder) {
	for _, class := range u.modelled() {
		for _, s := range u.world.Supertypes(class) {
			if s != class && u.types.seen[s] {
				fmt.Fprintf(b, "func (this *%s) %s() {}\n", u.structName(class), u.marker(s))
			}
		}
	}
	for _, s := range []string{"java/lang/Cloneable", "java/io/Serializable"} {
		if u.types.seen[s] {
			fmt.Fprintf(b, "func (a *Array[T]) %s() {}\n", u.marker(s))
		}
	}
	if s := "java/io/Serializable"; u.types.seen[s] {
		fmt.Fprintf(b, "func (t *thrown) %s() {}\n", u.marker(s))
	}
	for _, e := range modelExceptions {
		if e.function != "" {
			fmt.Fprintf(b, "func %s() error { return &%s{} }\n", e.function, u.structName(e.class))
		}
	}
	b.WriteString("\n")
}

func (u *unit) interfaces(b *strings.Builder) {
	for k := 0; k < len(u.types.all); k++ {
		class := u.types.all[k]
		if u.opaque(class) || u.isThrowable(class) {
			continue
		}
		fmt.Fprintf(b, "type %s interface {\n", u.interfaceIdent(class))
		b.WriteString("Object\n")
		if s := u.world.Super(class); s != "" && !u.opaque(s) && !u.world.IsInterface(class) {
			fmt.Fprintf(b, "%s\n", u.interfaceIdent(s))
		}
		if c := u.world.Class(class); c != nil {
			for _, s := range c.Interfaces {
				fmt.Fprintf(b, "%s\n", u.interfaceIdent(s))
			}
		}
		u.interfaceMethods(b, class)
	}
	for k := 0; k < len(u.catchable.all); k++ {
		class := u.catchable.all[k]
		if class == hierarchy.Object {
			continue
		}
		fmt.Fprintf(b, "type %s interface {\nerror\n", u.interfaceIdent(class))
		u.interfaceMethods(b, class)
	}
}

func (u *unit) interfaceMethods(b *strings.Builder, class string) {
	fmt.Fprintf(b, "%s()\n", u.marker(class))
	if l := u.demanded[class]; l != nil {
		for _, m := range l.all {
			d, _ := classfile.ParseDescriptor(m.descriptor)
			fmt.Fprintf(b, "%s%s\n", u.selected(class, class, m), u.signature(d, arguments(d)))
		}
	}
	if l := u.accessors[class]; l != nil {
		for _, f := range l.all {
			n, t := u.fieldName(u.fields[f], f), u.goType(f.Type)
			fmt.Fprintf(b, "get_%s() %s\nset_%s(v %s)\n", n, t, n, t)
		}
	}
	b.WriteString("}\n\n")
}

func (u *unit) variables(b *strings.Builder) {
	for _, s := range u.statics.all {
		fmt.Fprintf(b, "var %s %s", u.staticName(s.class, s.field), u.goType(s.field.Type))
		if c := s.field.Constant; c != nil {
			b.WriteString(" = " + u.constantText(c, s.field.Type))
		} else if values, _ := u.presetsOf(s.class); values[presetField{s.class, s.field.Name, string(s.field.Type)}] != "" {
			b.WriteString(" = " + values[presetField{s.class, s.field.Name, string(s.field.Type)}])
		}
		b.WriteString("\n")
	}
	for _, s := range u.texts.all {
		fmt.Fprintf(b, "var %s = &String{text: %q}\n", u.textConstant(s), s)
	}
	for _, c := range u.classes.all {
		fmt.Fprintf(b, "var %s = &Class{%q}\n", u.classConstant(c), classfile.ClassType(c).String())
	}
	b.WriteString("\n")
}

func (u *unit) constantText(c *classfile.Constant, t classfile.Type) string {
	switch {
	case c.Tag == classfile.TagString:
		return u.textConstant(c.Text)
	case t == "Z":
		return fmt.Sprint(c.Int != 0)
	case c.Tag == classfile.TagFloat:
		return "float32(" + real(c.Float) + ")"
	case c.Tag == classfile.TagDouble:
		return real(c.Float)
	}
	return fmt.Sprint(c.Int)
}

// functions writes what the environment has: without bodies, or with ones that say so when they run.
func (u *unit) functions(b *strings.Builder, t *Translation) {
	body := func(what, text string) string {
		if u.options.Runnable && text != "" {
			return " { " + text + " }"
		}
		if u.options.Runnable {
			return fmt.Sprintf(" { panic(%q) }", "environment: "+what)
		}
		return ""
	}
	for _, o := range u.outside.all {
		fmt.Fprintf(b, "func %s%s%s\n\n", o.goName, o.signature, body(o.Class+"."+o.Member, o.body))
		t.Environment = append(t.Environment, Function{o.goName, o.Name, o.reason, u.declaredThrows(o.Name)})
	}
	have := map[[2]string]bool{}
	for _, c := range u.order {
		have[[2]string{c.receiver, c.goName}] = true
	}
	for _, m := range u.missing.all {
		d, _ := classfile.ParseDescriptor(m.descriptor)
		name := u.structName(m.class)
		goName := u.selected(m.class, m.class, m.member)
		if have[[2]string{m.class, goName}] {
			continue
		}
		have[[2]string{m.class, goName}] = true
		fmt.Fprintf(b, "func (this *%s) %s%s%s\n\n", name, goName, u.signature(d, arguments(d)), body(m.class+"."+m.name, ""))
		t.Environment = append(t.Environment, Function{name + "." + goName, Name{m.class, m.name, m.descriptor}, m.reason, u.declaredThrows(Name{m.class, m.name, m.descriptor})})
	}
}

// declaredThrows are the exceptions that a method declares.
func (u *unit) declaredThrows(n Name) []string {
	if m := u.world.Method(n.Class, n.Member, n.Descriptor); m != nil {
		return m.Throws
	}
	return nil
}

// declareBodyless gives a copy no body.
func (u *unit) declareBodyless(t *translated, reason string) {
	m := t.method
	params := parameterNames(m)
	if u.options.Errors != nil {
		u.bare = append(u.bare, t)
		t.asks = append(t.asks, outsideCall{of: Name{m.Class.Name, m.Name, m.Descriptor}, reason: bareReason(m)})
		return
	}
	receiver, name := "", t.goName
	if t.receiver != "" {
		receiver = "(this *" + u.structName(t.receiver) + ") "
		name = u.structName(t.receiver) + "." + name
	}
	t.text = "func " + receiver + t.goName + u.signature(m.Type, params)
	if u.options.Runnable {
		t.text += fmt.Sprintf(" { panic(%q) }", "environment: "+m.String())
	}
	t.text += "\n"
	u.bodyless = append(u.bodyless, Function{name, Name{m.Class.Name, m.Name, m.Descriptor}, reason, m.Throws})
}

// assumptions say what a translation takes for granted, for people.
func (u *unit) assumptions() []string {
	var followed []string
	for _, c := range u.boundary.Followed() {
		if !strings.HasPrefix(c, "java/lang/") || c == u.root {
			followed = append(followed, classfile.ClassType(c).String())
		}
	}
	return []string{
		"The code of these classes is followed: " + strings.Join(followed, ", ") + ". All other classes are environment.",
		"The environment makes no objects of other subclasses of these classes, writes none of their fields, and calls their objects only by methods of interfaces and abstract classes.",
		"The component is used by one thread: monitors, wait and notify change nothing.",
		"Arrays of references are only given elements of their type.",
		"Assertions are disabled.",
		"The static initializers of the classes run before the first constructor.",
		"The message of an exception of another class is the first string that its constructor takes.",
		"The memory does not run out and the stack does not overflow.",
	}
}
