// SPDX-License-Identifier: Apache-2.0

package translate

// This file makes the doors: the functions and methods through which an analysis sees a component. A door panics where
// a call ends with an exception that the client is to avoid, with a panic for each place that makes such exceptions. It tells
// other exceptions apart by class, one result of type bool for each. An argument of a class that is
// followed is a new object, made of parameters for its fields: guards can speak of them.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
)

// SitePanic begins the messages of the panics of doors; the number of a Site follows. Number 0 stands for exceptions that
// code makes which is not followed, or models.
const SitePanic = "site "

// A door is one function in the making.
type door struct {
	*unit
	call    Call
	params  []string // "name type"
	before  strings.Builder
	body    strings.Builder
	results []string
	made    int
}

// doors writes the doors of a component.
func (u *unit) doors(b *strings.Builder, t *Translation, calls []*translated) {
	for _, m := range u.makers {
		t.Constructors = append(t.Constructors, u.makerDoor(b, m))
	}
	for _, c := range calls {
		t.Calls = append(t.Calls, u.methodDoor(b, c))
	}
}

func (u *unit) newDoor() *door {
	return &door{unit: u, call: Call{Arguments: map[string]string{}, Thrown: map[string]string{}}}
}

func (u *unit) methodDoor(b *strings.Builder, t *translated) Call {
	d := u.newDoor()
	m := t.method
	d.call.Method, d.call.Go = m, u.names.unique("method", "door "+m.Name+m.Descriptor, "Call_"+m.Name)
	var types, args []string
	for k, p := range m.Type.Params {
		types = append(types, p.String())
		name := strings.TrimPrefix(parameterNames(m)[k], "p_")
		d.call.Params = append(d.call.Params, name)
		args = append(args, d.argument("p_"+name, name, p))
	}
	d.call.Java = m.Name + "(" + strings.Join(types, ", ") + ")"
	assign, value := "exc = ", ""
	if m.Type.Result != "V" {
		value = u.goType(m.Type.Result)
		d.before.WriteString("var r0 " + value + "\n_ = r0\n")
		assign = "exc, r0 = "
	}
	fmt.Fprintf(&d.body, "%sthis.%s(%s)\n", assign, t.goName, strings.Join(args, ", "))
	d.exceptions([]*translated{t}, m, false)
	switch {
	case value == "error":
		d.call.Result = true
		d.results = append(d.results, "res bool")
		d.body.WriteString("res = r0 != nil\n")
	case value == "bool" || value != "" && primitivesByGo[value] == "":
		d.call.Result = true
		d.results = append(d.results, "res "+value)
		d.body.WriteString("res = r0\n")
	}
	d.write(b, "(this *"+u.structName(u.root)+") ")
	return d.call
}

// write puts the door together.
func (d *door) write(b *strings.Builder, receiver string) {
	fmt.Fprintf(b, "func %s%s(%s) (%s) {\nvar exc error\n%s%sreturn\n}\n\n", receiver, d.call.Go, strings.Join(d.params, ", "), strings.Join(d.results, ", "), d.before.String(), d.body.String())
}

// parameter adds a parameter, and says what it is in Java.
func (d *door) parameter(name, java, goT string) string {
	name = strings.ReplaceAll(name, ".", "_")
	for taken := true; taken; {
		taken = false
		for _, p := range d.params {
			if p == name+" "+goT || strings.HasPrefix(p, name+" ") {
				name, taken = name+"_", true
				break
			}
		}
	}
	d.params = append(d.params, name+" "+goT)
	d.call.Arguments[name] = java
	return name
}

func (d *door) variable(goT string) string {
	d.made++
	name := "a" + strconv.Itoa(d.made)
	fmt.Fprintf(&d.before, "var %s %s\n", name, goT)
	return name
}

// argument is the Go expression for an argument of a type that the client chooses.
func (d *door) argument(name, java string, t classfile.Type) string {
	goT := d.goType(t)
	switch {
	case t.Array():
		elem := t.Elem()
		data := strings.TrimSuffix(strings.TrimPrefix(goT, "*Array["), "]")
		p := d.parameter(name, java, "[]"+data)
		a := d.variable(goT)
		fmt.Fprintf(&d.body, "if %s != nil {\n%s = &Array[%s]{elem: %q, data: %s}\n}\n", p, a, data, string(elem), p)
		return a
	case !t.Reference() || !strings.HasPrefix(goT, "*"):
		return d.parameter(name, java, goT)
	}
	class := t.Class()
	fields, ok := d.fieldsOf(class)
	if !ok {
		return d.parameter(name, java, goT)
	}
	p := d.parameter(name, java, goT)
	a := d.variable(goT)
	literal := d.object(class, p, java, fields)
	fmt.Fprintf(&d.body, "if %s != nil {\n%s = %s\n}\n", p, a, literal)
	return a
}

// A doorField is a field of an object that a door makes.
type doorField struct {
	goName, java string
	typ          classfile.Type
	goT          string
}

// object is the literal for a new object with fields that the client chooses.
func (d *door) object(class, name, java string, fields []doorField) string {
	var parts []string
	for _, f := range fields {
		value := ""
		of := java + "." + f.java
		if f.java == "" {
			of = java
		}
		switch {
		case f.typ != "" && f.typ.Array():
			data := strings.TrimSuffix(strings.TrimPrefix(f.goT, "*Array["), "]")
			p := d.parameter(name+"_"+f.goName, of, "[]"+data)
			value = d.variable(f.goT)
			fmt.Fprintf(&d.body, "if %s != nil {\n%s = &Array[%s]{elem: %q, data: %s}\n}\n", p, value, data, string(f.typ.Elem()), p)
		default:
			value = d.parameter(name+"_"+f.goName, of, f.goT)
		}
		parts = append(parts, f.goName+": "+value)
	}
	return "&" + d.structName(class) + "{" + strings.Join(parts, ", ") + "}"
}

// fieldsOf lists the fields of the objects of a class that a door can make.
func (d *door) fieldsOf(class string) (fields []doorField, ok bool) {
	switch class {
	case "java/lang/String":
		return []doorField{{"text", "", "", "string"}}, true
	case "java/lang/Integer", "java/lang/Long", "java/lang/Short", "java/lang/Byte", "java/lang/Character", "java/lang/Boolean", "java/lang/Float", "java/lang/Double":
		t := map[string]string{"Integer": "int32", "Long": "int64", "Short": "int16", "Byte": "int8", "Character": "uint16", "Boolean": "bool", "Float": "float32", "Double": "float64"}
		return []doorField{{"v", "", "", t[simple(class)]}}, true
	}
	if class == d.root || d.opaque(class) || d.isThrowable(class) || !d.follows(class) || !d.isLeaf(class) {
		return nil, false
	}
	for _, n := range d.world.Supertypes(class) {
		c := d.world.Class(n)
		if c == nil || c.Is(classfile.Interface) || !d.follows(n) {
			continue
		}
		for k := range c.Fields {
			if f := &c.Fields[k]; f.Flags&classfile.Static == 0 {
				fields = append(fields, doorField{d.fieldName(c, f), f.Name, f.Type, d.goType(f.Type)})
			}
		}
	}
	return fields, true
}

// exceptions writes what happens with the exception that a call ends with.
func (d *door) exceptions(of []*translated, m *classfile.Method, maker bool) {
	sites, classes := map[int]bool{}, list[string]{}
	for _, t := range of {
		for _, k := range d.sitesOf(t) {
			sites[k] = true
		}
		for _, c := range d.outcomes(t) {
			classes.add(c)
		}
	}
	line := 1
	if m.Code != nil && len(m.Code.Lines) > 0 {
		line = m.Code.Lines[0].Line
	}
	b := &d.body
	b.WriteString("if exc != nil {\n")
	if len(d.options.Errors.Classes) > 0 {
		b.WriteString("switch exc.(type) {\n")
		for k, s := range d.sites {
			if sites[k] {
				fmt.Fprintf(b, "case *%s:\n//line %s:%d\npanic(\"%s%d\")\n", d.siteTypes[k], s.File, max(1, s.Line), SitePanic, k+1)
			}
		}
		if d.options.Errors.Site == nil && d.mayBeOthers(of) {
			for _, c := range d.options.Errors.Classes {
				d.mustBeThrowable(c)
				fmt.Fprintf(b, "case %s:\n//line %s:%d\npanic(\"%s0\")\n", d.interfaceName(c), sourceFile(m.Class), line, SitePanic)
			}
		}
		b.WriteString("}\n")
	}
	if maker { // there is no object
		b.WriteString("return nil, exc\n}\n")
		return
	}
	b.WriteString("threw = true\n")
	d.results = append(d.results, "threw bool")
	d.call.Thrown["threw"] = ""
	d.call.Outcomes = []string{"ok"}
	n := 0
	text := ""
	for _, c := range classes.all {
		if d.isAsked(c) && d.options.Errors.Site == nil {
			continue
		}
		n++
		name := "thrown" + letters(n)
		d.results = append(d.results, name+" bool")
		d.call.Thrown[name] = c
		d.call.Outcomes = append(d.call.Outcomes, c)
		text += fmt.Sprintf("case %s:\n%s = true\n", d.interfaceName(c), name)
	}
	if text != "" {
		b.WriteString("switch exc.(type) {\n" + text + "}\n")
	}
	b.WriteString("return\n}\n")
}

// sitesOf are the numbers of the sites in what a copy may run.
func (u *unit) sitesOf(from *translated) []int {
	var out list[int]
	for _, t := range u.reached(from) {
		for _, k := range t.sites {
			out.add(k)
		}
	}
	return out.all
}

// makerDoor writes the function for a maker.
func (u *unit) makerDoor(b *strings.Builder, m *maker) Call {
	d := u.newDoor()
	d.call.Java, d.call.Go = m.java, u.names.unique("function", "maker "+m.java, "New_"+u.structName(u.root))
	d.call.Method = m.steps[len(m.steps)-1].method
	own := u.structName(u.root)
	// The arguments are there before anything happens.
	var args [][]string
	for _, s := range m.steps {
		var list []string
		if s.any {
			name := strings.ToLower(simpleName(s.class)[:1]) + simpleName(s.class)[1:]
			fields, _ := d.fieldsOf(s.class)
			d.call.Params = append(d.call.Params, name)
			args = append(args, []string{d.object(s.class, "p_"+identifier(name), name, fields)})
			continue
		}
		for k, p := range s.method.Type.Params {
			if s.args[k].constant != "" {
				list = append(list, s.args[k].constant)
				continue
			}
			list = append(list, d.argument("p_"+identifier(s.args[k].name), s.args[k].name, p))
			d.call.Params = append(d.call.Params, s.args[k].name)
		}
		args = append(args, list)
	}
	d.body.WriteString("exc = initialize()\n")
	var of []*translated
	last := ""
	for k, s := range m.steps {
		v := fmt.Sprintf("o%d", k)
		of = append(of, s.code...)
		d.body.WriteString("if exc == nil {\n")
		switch {
		case s.any:
			fmt.Fprintf(&d.before, "var %s *%s\n", v, u.structName(s.class))
			fmt.Fprintf(&d.body, "%s = %s\n", v, args[k][0])
		case s.method.Name == "<init>":
			fmt.Fprintf(&d.before, "var %s *%s\n", v, u.structName(s.class))
			fmt.Fprintf(&d.body, "%s = &%s{}\nexc = %s.%s(%s)\n", v, u.structName(s.class), v, s.goName, strings.Join(args[k], ", "))
		case s.method.Is(classfile.Static):
			fmt.Fprintf(&d.before, "var %s %s\n", v, u.goType(s.method.Type.Result))
			fmt.Fprintf(&d.body, "exc, %s = %s(%s)\n", v, s.goName, strings.Join(args[k], ", "))
		default:
			fmt.Fprintf(&d.before, "var %s %s\n", v, u.goType(s.method.Type.Result))
			fmt.Fprintf(&d.body, "if %s != nil {\nexc, %s = %s.%s(%s)\n}\n", last, v, last, s.goName, strings.Join(args[k], ", "))
		}
		d.body.WriteString("}\n")
		last = v
	}
	d.exceptions(of, d.call.Method, true)
	end := m.steps[len(m.steps)-1]
	if end.method.Name == "<init>" || u.goType(end.method.Type.Result) == "*"+own {
		fmt.Fprintf(&d.body, "this = %s\n", last)
	} else {
		fmt.Fprintf(&d.body, "if m, ok := any(%s).(*%s); ok {\nthis = m\n} else {\nreturn nil, newClassCast()\n}\n", last, own)
	}
	d.results = []string{"this *" + own, "failed error"}
	d.write(b, "")
	return d.call
}

// reached lists the copies that one may run, itself first.
func (u *unit) reached(from *translated) []*translated {
	seen := map[*translated]bool{from: true}
	work := []*translated{from}
	visit := func(t *translated) {
		if t != nil && !seen[t] {
			seen[t] = true
			work = append(work, t)
		}
	}
	for k := 0; k < len(work); k++ {
		for _, c := range work[k].calls {
			visit(u.copies[c])
		}
		for _, v := range work[k].sends {
			declared := u.world.Method(v.class, v.name, v.descriptor)
			if declared == nil {
				continue
			}
			for _, d := range u.objects.all {
				if u.world.Subtype(d, v.class) {
					if m := u.world.Select(d, declared); m != nil {
						visit(u.copies[copyKey{d, m}])
					}
				}
			}
		}
	}
	return slices.Clip(work)
}

// mayBeOthers reports whether a call may end with an exception that the client is to avoid and that no site makes: one of the
// environment, or of a model.
func (u *unit) mayBeOthers(of []*translated) bool {
	if slices.ContainsFunc(modelExceptions, func(e struct{ function, class string }) bool { return u.isAsked(e.class) }) {
		return true
	}
	for _, from := range of {
		for _, t := range u.reached(from) {
			if slices.ContainsFunc(t.asks, func(o outsideCall) bool {
				return slices.ContainsFunc(u.throwsOf(o), func(e outsideThrow) bool { return u.isAsked(e.class) })
			}) {
				return true
			}
		}
	}
	return false
}

// letters writes a number with letters: names of results have no digits, which the front end uses to tell names apart.
func letters(n int) string {
	text := ""
	for ; n > 0; n = (n - 1) / 26 {
		text = string(rune('A'+(n-1)%26)) + text
	}
	return text
}
