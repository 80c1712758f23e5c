// SPDX-License-Identifier: Apache-2.0

package translate

// This file says, for an analysis, how calls of the environment end: with which exceptions, each of a class that code of
// the component can tell from others. What the environment computes, and which exception it throws, are answers of functions
// without bodies.
//
// An exception of the environment stands for all of the classes between its own and those that code asks for. Of checked
// exceptions only declared ones are thrown. Of unchecked ones those are left out that no code of the component catches and the client
// need not avoid: a call that they end is one in which the environment fails.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// A dispatch is a call of a method of an interface or of a class with subclasses.
type dispatch struct {
	goName string
	class  string
	member
}

// Unfollowed is the reason of a Function whose code is there and is not followed: what it computes is unknown, and no answer of the
// environment.
const Unfollowed = "not followed"

// guess is the function that says whether something happens of which nothing is known.
const guess = "isGuessed"

// dispatched is the Go function that calls a method on an object by its class.
func (u *unit) dispatched(class string, m member) string {
	name := u.names.unique("function", "on "+class+"."+m.name+m.descriptor, "on_"+simple(class)+"_"+m.name)
	u.dispatches.add(dispatch{name, class, m})
	return name
}

// writeDispatches writes the functions for calls of methods of interfaces.
func (u *unit) writeDispatches(b *strings.Builder, t *Translation) {
	for k := 0; k < len(u.dispatches.all); k++ {
		v := u.dispatches.all[k]
		d, _ := classfile.ParseDescriptor(v.descriptor)
		params := arguments(d)
		goName := u.selected(v.class, v.class, v.member)
		signature := u.signature(d, params)
		owner := u.goValueOf(v.class)
		fmt.Fprintf(b, "func %s(o %s%s%s {\n", v.goName, owner, comma(d), signature[1:])
		call := "(" + strings.Join(params, ", ") + ")"
		b.WriteString("switch v := o.(type) {\n")
		for _, class := range u.objects.all {
			if u.isThrowable(class) || !u.world.Subtype(class, v.class) {
				continue
			}
			fmt.Fprintf(b, "case *%s:\nreturn v.%s%s\n", u.structName(class), goName, call)
		}
		for _, class := range u.modelled() {
			if u.world.Subtype(class, v.class) && u.prelude.methods[u.prelude.classes[class]][goName] {
				fmt.Fprintf(b, "case *%s:\nreturn v.%s%s\n", u.prelude.classes[class], goName, call)
			}
		}
		b.WriteString("default:\n_ = v\n}\n")
		reason := "environment"
		u.endOutside(b, t, outsideCall{name: v.goName, of: Name{v.class, v.name, v.descriptor}, reason: reason, params: append([]string{"o " + owner}, typed(u, d, params)...), result: d.Result, virtual: true})
		b.WriteString("}\n\n")
	}
}

func (u *unit) goValueOf(class string) string { return u.reference(class) }

func comma(d classfile.Descriptor) string {
	if len(d.Params) > 0 {
		return ", "
	}
	return ""
}

func typed(u *unit, d classfile.Descriptor, params []string) []string {
	var out []string
	for k, p := range d.Params {
		out = append(out, params[k]+" "+u.goType(p))
	}
	return out
}

// An outsideCall is a function of the environment.
type outsideCall struct {
	name    string
	of      Name
	reason  string
	params  []string // "name type"
	result  classfile.Type
	goT     string // of the result, if it is not that of the type
	virtual bool   // it is called on an object of a class that is not known
}

// endOutside writes the end of a function: what the environment does. The names of its results are exc and res.
func (u *unit) endOutside(b *strings.Builder, t *Translation, o outsideCall) {
	goName := u.names.unique("function", "answer of "+o.name, "answer_"+o.name)
	var names []string
	for _, p := range o.params {
		n, _, _ := strings.Cut(p, " ")
		names = append(names, n)
	}
	result := o.goT
	if result == "" && o.result != "V" {
		result = u.goType(o.result)
	}
	throws := u.throwsOf(o)
	var results, assign []string
	if len(throws) > 0 {
		results, assign = append(results, "ends int32"), append(assign, "ends")
		b.WriteString("var ends int32\n")
	}
	if result != "" {
		results, assign = append(results, "value "+result), append(assign, "res")
	}
	list, call := strings.Join(o.params, ", "), "("+strings.Join(names, ", ")+")\n"
	reason := o.reason
	if m := u.world.Method(o.of.Class, o.of.Member, o.of.Descriptor); m != nil && !o.virtual && o.of.Member != "<init>" && !m.Is(classfile.Abstract) && reason == "environment" {
		reason = Unfollowed
	}
	if len(throws) > 0 && reason != "environment" && result != "" {
		// That it throws is its own fault, but of what it computes nothing is known.
		ends := u.names.unique("function", "end of "+o.name, "ends_"+o.name)
		fmt.Fprintf(b, "ends = %s%s", ends, call)
		u.answers = append(u.answers, fmt.Sprintf("func %s(%s) (ends int32)\n", ends, list))
		if reason != "native" {
			t.Environment = append(t.Environment, Function{ends, o.of, "environment", nil})
		}
		results, assign = results[1:], assign[1:]
	} else if result == "" && reason == Unfollowed {
		reason = "environment"
	}
	text := goName + call
	if len(assign) > 0 {
		text = strings.Join(assign, ", ") + " = " + text
	}
	b.WriteString(text)
	if len(throws) > 0 {
		b.WriteString("switch ends {\n")
		for k, e := range throws {
			fmt.Fprintf(b, "case %d:\n", k+1)
			literal := "&" + u.structName(e.class) + "{}"
			if e.guess {
				fmt.Fprintf(b, "if %s() {\nexc = %s\n}\n", guess, literal)
			} else {
				fmt.Fprintf(b, "exc = %s\n", literal)
			}
		}
		b.WriteString("}\n")
	}
	b.WriteString("return\n")
	u.answers = append(u.answers, fmt.Sprintf("func %s(%s) (%s)\n", goName, list, strings.Join(results, ", ")))
	t.Environment = append(t.Environment, Function{goName, o.of, reason, u.declaredThrows(o.of)})
	if result != "" && (strings.HasPrefix(result, "*") || primitivesByGo[result] == "") && isNeverNull(o.of) {
		var list []string
		for range o.params {
			list = append(list, "_")
		}
		values := "value"
		if len(results) > 1 {
			values = "ends, value"
		}
		t.Contracts = append(t.Contracts, fmt.Sprintf("%s.%s(%s) (%s): value != nil", packageName, goName, strings.Join(list, ", "), values))
	}
}

// An outsideThrow is an exception that the environment may throw.
type outsideThrow struct {
	class string
	guess bool // whether it does may depend on what the component did: nothing is known of it
}

// throwsOf are the exceptions with which a call of the environment may end, as far as code of the component or the client cares.
func (u *unit) throwsOf(o outsideCall) (out []outsideThrow) {
	if o.of.Member == "" {
		return nil
	}
	declared := u.declaredThrows(o.of)
	m := u.world.Method(o.of.Class, o.of.Member, o.of.Descriptor)
	for _, k := range u.catchable.all {
		if k == hierarchy.Object || !u.isThrowable(k) || u.opaque(k) {
			continue
		}
		says := slices.ContainsFunc(declared, func(d string) bool { return u.world.Subtype(k, d) || u.world.Subtype(d, k) })
		asked := u.isAsked(k)
		switch {
		case says:
			out = append(out, outsideThrow{k, asked && u.keepsState(m, o)})
		case u.isUnchecked(k) && (asked || u.handled.seen[k]) && u.mayRaise(m, o, k, asked):
			out = append(out, outsideThrow{k, asked})
		}
	}
	return out
}

// isUnchecked reports whether methods need not declare exceptions of a class.
func (u *unit) isUnchecked(class string) bool {
	return u.world.Subtype(class, "java/lang/RuntimeException") || u.world.Subtype(class, "java/lang/Error") || u.world.Class(class) == nil
}

// keepsState reports whether what a method of the environment throws may depend on earlier calls of the component: it is a method of
// an object whose code is known, which the component may have changed.
func (u *unit) keepsState(m *classfile.Method, o outsideCall) bool {
	switch {
	case o.reason == "native":
		return true
	case m == nil, m.Is(classfile.Abstract), m.Is(classfile.Static), m.Name == "<init>":
		return false
	}
	return !o.virtual || isExact(u.world.Class(o.of.Class), m) // else it is a method of an object of the environment
}

// writeOutside writes the functions of the environment that were met.
func (u *unit) writeOutside(b *strings.Builder, t *Translation) {
	for _, o := range u.outside.all {
		params, _, _ := strings.Cut(o.signature[1:], ")")
		fmt.Fprintf(b, "func %s%s {\n", o.goName, o.signature)
		var list []string
		if params != "" {
			list = strings.Split(params, ", ")
		}
		k := strings.LastIndex(o.signature, "(")
		results := strings.TrimSuffix(o.signature[k+1:], ")")
		_, goT, _ := strings.Cut(results, "res ")
		name := o.Name
		if !strings.Contains(results, "exc error") {
			if k := strings.IndexByte(o.signature, ')'); !strings.Contains(results, "res ") {
				goT = strings.TrimSpace(o.signature[k+1:])
			}
			name = Name{} // a field
		}
		if goT == "" || strings.Contains(results, "res ") {
			u.endOutside(b, t, outsideCall{name: o.goName, of: name, reason: o.reason, params: list, result: "V", goT: goT})
		} else {
			answer := u.names.unique("function", "answer of "+o.goName, "answer_"+o.goName)
			var names []string
			for _, p := range list {
				n, _, _ := strings.Cut(p, " ")
				names = append(names, n)
			}
			fmt.Fprintf(b, "return %s(%s)\n", answer, strings.Join(names, ", "))
			u.answers = append(u.answers, fmt.Sprintf("func %s(%s) (value %s)\n", answer, strings.Join(list, ", "), goT))
			t.Environment = append(t.Environment, Function{answer, o.Name, o.reason, nil})
		}
		b.WriteString("}\n\n")
		if len(t.Environment) > 0 {
			t.Environment[len(t.Environment)-1].Name = o.Name
		}
	}
	have := map[[2]string]bool{}
	for _, c := range u.order {
		have[[2]string{c.receiver, c.goName}] = true
	}
	for _, m := range u.missing.all {
		goName := u.selected(m.class, m.class, m.member)
		if have[[2]string{m.class, goName}] {
			continue
		}
		have[[2]string{m.class, goName}] = true
		u.methodOutside(b, t, m.class, goName, Name{m.class, m.name, m.descriptor}, m.reason, nil)
	}
	for _, c := range u.bare {
		m := c.method
		u.methodOutside(b, t, c.receiver, c.goName, Name{m.Class.Name, m.Name, m.Descriptor}, bareReason(m), parameterNames(m))
	}
	for _, a := range u.answers {
		b.WriteString(a + "\n")
	}
	fmt.Fprintf(b, "func %s() bool\n", guess)
	if u.oneThread {
		u.writeThread(b)
	}
}

func bareReason(m *classfile.Method) string {
	if m.Is(classfile.Abstract) {
		return "abstract"
	}
	return "native"
}

// methodOutside writes a method, or a function if there is no receiver, whose code is not known.
func (u *unit) methodOutside(b *strings.Builder, t *Translation, receiver, goName string, of Name, reason string, params []string) {
	d, _ := classfile.ParseDescriptor(of.Descriptor)
	if params == nil {
		params = arguments(d)
	}
	before := len(t.Environment)
	name := goName
	list := typed(u, d, params)
	if receiver != "" {
		fmt.Fprintf(b, "func (this *%s) %s%s {\n", u.structName(receiver), goName, u.signature(d, params))
		list = append([]string{"this *" + u.structName(receiver)}, list...)
		name = u.structName(receiver) + "_" + goName
	} else {
		fmt.Fprintf(b, "func %s%s {\n", goName, u.signature(d, params))
	}
	u.endOutside(b, t, outsideCall{name: name, of: of, reason: reason, params: list, result: d.Result})
	if receiver != "" && reason != "native" { // a method of a subclass: it leaves the rest of the object alone
		for _, f := range t.Environment[before:] {
			var blank []string
			for range list {
				blank = append(blank, "_")
			}
			t.Contracts = append(t.Contracts, fmt.Sprintf("%s.%s(%s): passive", packageName, f.Go, strings.Join(blank, ", ")))
		}
	}
	b.WriteString("}\n\n")
}

// writeThread writes the one thread that uses the component: an object of its own, so that it is known to be the same always.
func (u *unit) writeThread(b *strings.Builder) {
	b.WriteString("type onlyThread struct{ _ byte }\n")
	b.WriteString("var threadObject onlyThread\n")
	b.WriteString("func (t *onlyThread) class() *Class { return classOf(t) }\n")
	b.WriteString("func (t *onlyThread) M_equals(o Object) (exc error, res bool) { return nil, Object(t) == o }\n")
	b.WriteString("func (t *onlyThread) M_hashCode() (exc error, res int32) { return nil, identityHash(t) }\n")
	b.WriteString("func (t *onlyThread) M_toString() (exc error, res *String) { return nil, unknownText(t) }\n")
	have := map[string]bool{}
	for _, s := range u.world.Supertypes(threadClass) {
		if u.types.seen[s] {
			fmt.Fprintf(b, "func (t *onlyThread) %s() {}\n", u.marker(s))
		}
		l := u.demanded[s]
		if l == nil {
			continue
		}
		for _, m := range l.all {
			name := u.selected(s, s, m)
			if d, ok := classfile.ParseDescriptor(m.descriptor); ok && !have[name] && !u.isObjectMethod(m) {
				have[name] = true
				fmt.Fprintf(b, "func (t *onlyThread) %s%s\n", name, u.signature(d, arguments(d)))
			}
		}
	}
}
