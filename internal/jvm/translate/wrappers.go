// SPDX-License-Identifier: Apache-2.0

package translate

// This file makes the functions and methods for the calls of the interface.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
)

// roots are the constructors and methods of the interface. It asks for their copies.
func (u *unit) roots() (constructors, calls []*translated, err error) {
	c := u.world.Class(u.root)
	for _, m := range c.Methods {
		if m.Name == "<init>" && !m.Is(classfile.Private) && !m.Is(classfile.Synthetic) {
			constructors = append(constructors, u.copyOf(u.root, m))
		}
	}
	wanted := map[string]bool{}
	for _, name := range u.options.Calls {
		wanted[strings.ReplaceAll(name, " ", "")] = false
	}
	seen := map[string]bool{}
	for n := u.root; n != "" && !u.opaque(n); n = u.world.Super(n) {
		for _, m := range u.world.Class(n).Methods {
			key := m.Name + m.Descriptor[:strings.IndexByte(m.Descriptor, ')')]
			if !m.Is(classfile.Public) || m.Flags&(classfile.Static|classfile.Synthetic) != 0 || m.Name == "<init>" || seen[key] {
				continue
			}
			if len(wanted) > 0 && !isWanted(wanted, m) {
				continue
			}
			seen[key] = true
			calls = append(calls, u.copyOf(u.root, u.world.Select(u.root, m)))
		}
	}
	for _, name := range u.options.Calls {
		if !wanted[strings.ReplaceAll(name, " ", "")] {
			return nil, nil, fmt.Errorf("%s has no public method %s", classfile.ClassType(u.root), name)
		}
	}
	if u.options.Whole {
		for _, m := range c.Methods {
			u.copyOf(u.root, m)
		}
	}
	if u.options.Errors != nil {
		if err := u.findMakers(constructors); err != nil {
			return nil, nil, err
		}
		for _, m := range u.makers {
			for _, s := range m.steps {
				if s.any {
					continue
				}
				for _, p := range s.method.Type.Params {
					u.mayBeMade(p)
				}
			}
		}
	}
	for _, t := range slices.Concat(constructors, calls) {
		for _, p := range t.method.Type.Params {
			u.mayBeMade(p)
		}
	}
	return constructors, calls, nil
}

// mayBeMade notes that the client may have objects of a type.
func (u *unit) mayBeMade(t classfile.Type) {
	if !t.Reference() || t.Array() || !u.boundary.Follows(t.Class()) {
		return
	}
	if c := u.world.Class(t.Class()); c.Flags&(classfile.Abstract|classfile.Interface) == 0 {
		u.makeObject(c.Name)
	}
}

// isWanted reports whether a method is one of those that are named, and ticks its name off.
func isWanted(wanted map[string]bool, m *classfile.Method) bool {
	var long, short []string
	for _, p := range m.Type.Params {
		s := p.String()
		long = append(long, s)
		short = append(short, s[strings.LastIndexByte(s, '.')+1:])
	}
	found := false
	for _, name := range []string{m.Name, fmt.Sprintf("%s/%d", m.Name, len(m.Type.Params)), m.Name + "(" + strings.Join(long, ",") + ")", m.Name + "(" + strings.Join(short, ",") + ")"} {
		if _, ok := wanted[name]; ok {
			wanted[name], found = true, true
		}
	}
	return found
}

// raised are the classes of exceptions that are made in what a copy may run, sorted. Those that instructions and models make are not
// among them.
func (u *unit) raised(from *translated) []string {
	var out list[string]
	for _, t := range u.reached(from) {
		for _, c := range t.makes {
			out.add(c)
		}
	}
	slices.Sort(out.all)
	return out.all
}

// outcomes are the classes of exceptions that are outcomes of their own: those that the method declares, and those
// that its code makes. Subclasses stand before superclasses.
func (u *unit) outcomes(t *translated) []string {
	var out list[string]
	for _, c := range t.method.Throws {
		u.mustBeThrowable(c)
		out.add(c)
	}
	for _, c := range u.raised(t) {
		out.add(c)
	}
	sorted := out.all
	slices.SortStableFunc(sorted, func(a, b string) int {
		if n := len(u.world.Supertypes(b)) - len(u.world.Supertypes(a)); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	return sorted
}

// wrapper writes the function or method for a call.
func (u *unit) wrapper(b *strings.Builder, t *translated) Call {
	m := t.method
	params := parameterNames(m)
	classes := u.outcomes(t)
	call := Call{Method: m, Java: m.Name, Outcomes: append([]string{"ok"}, classes...)}
	call.Outcomes = append(call.Outcomes, "other")
	var types, names []string
	for k, p := range m.Type.Params {
		types = append(types, p.String())
		names = append(names, strings.TrimPrefix(params[k], "p_"))
	}
	call.Params = names
	signature := u.signature(m.Type, params)
	head, tail, _ := strings.Cut(signature, ") (exc error")
	own := u.structName(u.root)
	if m.Name == "<init>" {
		call.Java = "new " + classfile.ClassType(u.root).String()
		call.Go = u.names.unique("function", "wrapper "+m.Descriptor, "New_"+own)
		fmt.Fprintf(b, "func %s%s) (exc error, outcome int, this *%s) {\n", call.Go, head, own)
		fmt.Fprintf(b, "exc = initialize()\nif exc == nil {\nthis = &%s{}\nexc = this.%s(%s)\n}\n", own, t.goName, strings.Join(params, ", "))
	} else {
		call.Go = u.names.unique("method", "wrapper "+m.Name+m.Descriptor, "Call_"+m.Name)
		fmt.Fprintf(b, "func (this *%s) %s%s) (exc error, outcome int%s {\n", own, call.Go, head, tail)
		result := ""
		if m.Type.Result != "V" {
			result = ", res"
		}
		fmt.Fprintf(b, "exc%s = this.%s(%s)\n", result, t.goName, strings.Join(params, ", "))
	}
	call.Java += "(" + strings.Join(types, ", ") + ")"
	b.WriteString("outcome = outcome_" + call.Go + "(exc)\n")
	if m.Name == "<init>" {
		b.WriteString("if exc != nil {\nthis = nil\n}\n")
	}
	b.WriteString("return\n}\n\n")
	fmt.Fprintf(b, "func outcome_%s(exc error) int {\nif exc == nil {\nreturn 0\n}\n", call.Go)
	for k, c := range classes {
		fmt.Fprintf(b, "if _, ok := exc.(%s); ok {\nreturn %d\n}\n", u.interfaceName(c), k+1)
	}
	fmt.Fprintf(b, "return %d\n}\n\n", len(classes)+1)
	return call
}

// initialize writes the function that runs static initializers: each after those of the classes that its code uses.
func (u *unit) initialize(b *strings.Builder) {
	var order []string
	state := map[string]bool{}
	var visit func(class string)
	visit = func(class string) {
		if class == "" || state[class] || !u.follows(class) {
			return
		}
		state[class] = true
		visit(u.world.Super(class))
		m := u.world.Class(class).Method("<clinit>", "()V")
		if m == nil || u.copies[copyKey{"", m}] == nil {
			return
		}
		for _, used := range u.used(u.copies[copyKey{"", m}]) {
			visit(used)
		}
		order = append(order, u.copies[copyKey{"", m}].goName)
	}
	visit(u.root)
	for _, class := range u.touched.all {
		visit(class)
	}
	b.WriteString("var initialized bool\n\nfunc initialize() (exc error) {\nif initialized {\nreturn nil\n}\ninitialized = true\n")
	for _, f := range order {
		fmt.Fprintf(b, "exc = %s()\nif exc != nil {\nreturn &%s{Throwable: Throwable{cause: exc}}\n}\n", f, u.structName(initializerError))
	}
	b.WriteString("return nil\n}\n\n")
}

// used are the classes whose initialization the code that a copy may run causes, in the order in which it is met.
func (u *unit) used(from *translated) []string {
	var out list[string]
	for _, t := range u.reached(from) {
		for _, c := range t.inits {
			out.add(c)
		}
	}
	return out.all
}
