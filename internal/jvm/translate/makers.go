// SPDX-License-Identifier: Apache-2.0

package translate

// This file finds out how objects of a component come to be: by expressions that the user gives, by the constructors that
// clients can call, or by methods of other classes of the component that make the object.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
)

// maxMakers bounds the makers of one expression, which are as many as there are ways to choose overloads.
const maxMakers = 12

// A maker is a chain of calls that gives the object.
type maker struct {
	java  string
	steps []makerStep
}

// A makerStep is one call of a maker, on the object of the step before.
type makerStep struct {
	class  string // whose object it is called on or makes
	method *classfile.Method
	goName string
	args   []makerArg
	code   []*translated // what it runs
	any    bool          // there is no call: the object has any fields
}

// A makerArg is a parameter with a name, or a constant in Go.
type makerArg struct{ name, constant string }

// An expression of Java is a chain of calls as text.
type chain struct {
	class string // as written
	calls []chainCall
}

type chainCall struct {
	name string // "new" makes an object of the class
	args []string
}

// findMakers sets the makers of the component.
func (u *unit) findMakers(constructors []*translated) error {
	u.makers = nil
	defer func() {
		for _, m := range u.makers {
			for _, s := range m.steps {
				u.entries = append(u.entries, s.code...)
			}
		}
	}()
	for _, text := range u.options.Makers {
		list, err := u.readMaker(text)
		if err != nil {
			return fmt.Errorf("-factory %q: %w", text, err)
		}
		u.makers = append(u.makers, list...)
	}
	if len(u.makers) > 0 {
		return nil
	}
	c := u.world.Class(u.root)
	if !c.Is(classfile.Public) || !slices.ContainsFunc(constructors, func(t *translated) bool { return t.method.Flags&(classfile.Public|classfile.Protected) != 0 }) {
		u.makers = u.foundMakers()
	}
	if len(u.makers) > 0 {
		return nil
	}
	open := slices.DeleteFunc(slices.Clone(constructors), func(t *translated) bool { return t.method.Flags&(classfile.Public|classfile.Protected) == 0 })
	if len(open) == 0 {
		open = constructors
	}
	for _, t := range open {
		u.makers = append(u.makers, u.named(&maker{steps: []makerStep{u.step(u.root, t.method, nil)}}))
	}
	if len(u.makers) == 0 {
		return fmt.Errorf("%s has no constructor that clients can call: say how an object is made with -factory", classfile.ClassType(u.root))
	}
	return nil
}

// step is a call of a method on an object of a class.
func (u *unit) step(class string, m *classfile.Method, args []makerArg) makerStep {
	if args == nil {
		for _, p := range parameterNames(m) {
			args = append(args, makerArg{name: strings.TrimPrefix(p, "p_")})
		}
	}
	s := makerStep{class: class, method: m, args: args}
	if m.Name == "<init>" {
		u.makeObject(class)
	}
	if c := u.world.Class(class); m.Name == "<init>" || m.Is(classfile.Static) || u.isLeaf(class) || c == nil {
		if !m.Is(classfile.Static) {
			if x := u.world.Select(class, m); x != nil && m.Name != "<init>" {
				m = x
				s.method = x
			}
		}
		t := u.copyOf(class, m)
		s.goName, s.code = t.goName, []*translated{t}
		u.touch(m.Class.Name)
		return s
	}
	// Which method it is the class of the object says.
	k := member{m.Name, m.Descriptor}
	u.interfaceName(class)
	u.demand(class, k)
	s.goName = u.selected(class, class, k)
	for _, d := range u.objects.all {
		if u.world.Subtype(d, class) {
			if x := u.world.Select(d, m); x != nil && u.copies[copyKey{d, x}] != nil {
				s.code = append(s.code, u.copies[copyKey{d, x}])
			}
		}
	}
	return s
}

// named gives a maker its name: the expression with the types of parameters.
func (u *unit) named(m *maker) *maker {
	// A name of a parameter occurs once.
	used := map[string]bool{}
	for k := range m.steps {
		if m.steps[k].any {
			continue
		}
		for j := range m.steps[k].args {
			a := &m.steps[k].args[j]
			for i := 2; a.constant == "" && used[a.name]; i++ {
				a.name = strings.TrimRight(a.name, "0123456789") + strconv.Itoa(i)
			}
			used[a.name] = true
		}
	}
	var b strings.Builder
	for k, s := range m.steps {
		owner := simpleName(s.class)
		switch {
		case s.any:
			b.WriteString(strings.ToLower(owner[:1]) + owner[1:])
			continue
		case s.method.Name == "<init>":
			b.WriteString("new " + owner)
		case s.method.Is(classfile.Static):
			b.WriteString(owner + "." + s.method.Name)
		default:
			b.WriteString("." + s.method.Name)
		}
		var types []string
		for j, p := range s.method.Type.Params {
			if c := m.steps[k].args[j].constant; c != "" {
				types = append(types, m.steps[k].args[j].name)
				continue
			}
			types = append(types, simpleType(p))
		}
		b.WriteString("(" + strings.Join(types, ", ") + ")")
	}
	m.java = b.String()
	return m
}

// simpleName is the name of a class without package, nested ones with dots.
func simpleName(class string) string { return strings.ReplaceAll(simple(class), "$", ".") }

func simpleType(t classfile.Type) string {
	s := t.String()
	for k := 0; k < len(s); k++ {
		if s[k] == '.' && k+1 < len(s) {
			if rest := s[k+1:]; !strings.Contains(rest, ".") || unicode.IsUpper(rune(rest[0])) {
				return strings.ReplaceAll(rest, "$", ".")
			}
		}
	}
	return strings.ReplaceAll(s, "$", ".")
}

// foundMakers are the calls of public methods of other classes of the component whose code makes the object.
func (u *unit) foundMakers() (out []*maker) {
	for _, name := range u.boundary.Followed() {
		c := u.world.Class(name)
		if c == nil || name == u.root || c.Is(classfile.Interface) || c.Package() != u.world.Class(u.root).Package() {
			continue
		}
		for k := range c.Methods {
			m := c.Methods[k]
			if !m.Is(classfile.Public) || m.Is(classfile.Synthetic) || m.Name == "<init>" || !u.makesRoot(c, m, 2) {
				continue
			}
			if m.Is(classfile.Static) {
				out = append(out, u.named(&maker{steps: []makerStep{u.step(name, m, nil)}}))
				continue
			}
			if c.Is(classfile.Abstract) {
				continue
			}
			u.makeObject(name)
			if u.isPlain(name) {
				out = append(out, u.named(&maker{steps: []makerStep{{class: name, any: true}, u.step(name, m, nil)}}))
				continue
			}
			for j := range c.Methods {
				if init := c.Methods[j]; init.Name == "<init>" && init.Flags&classfile.Private == 0 && !init.Is(classfile.Synthetic) && (init.Is(classfile.Public) || !c.Is(classfile.Public)) {
					out = append(out, u.named(&maker{steps: []makerStep{u.step(name, init, nil), u.step(name, m, nil)}}))
				}
			}
		}
	}
	// Overloads with fewer parameters are as a rule shorter ways to write calls of the others.
	most := map[string]int{}
	size := func(m *maker) (n int) {
		for _, s := range m.steps {
			n += len(s.args)
		}
		return n
	}
	name := func(m *maker) string {
		end := m.steps[len(m.steps)-1]
		return end.class + "." + end.method.Name
	}
	// Of several ways to make the object on which the last call is, the one with most parameters and references among them: objects
	// of several would be told apart in all states.
	out = slices.DeleteFunc(out, func(m *maker) bool {
		return slices.ContainsFunc(out, func(o *maker) bool {
			return o != m && len(o.steps) > 1 && len(m.steps) > 1 && !o.steps[0].any && !m.steps[0].any && o.steps[1].method == m.steps[1].method && generality(o.steps[0].method) > generality(m.steps[0].method)
		})
	})
	for _, m := range out {
		most[name(m)] = max(most[name(m)], size(m))
	}
	out = slices.DeleteFunc(out, func(m *maker) bool { return size(m) < most[name(m)] })
	if len(out) > maxMakers {
		return out[:maxMakers]
	}
	return out
}

// generality orders constructors: by how many parameters they have, and how many of these are references.
func generality(m *classfile.Method) (n int) {
	for _, p := range m.Type.Params {
		if n += 100; p.Reference() {
			n++
		}
	}
	return n
}

// isPlain reports whether the fields of the objects of a class are numbers, arrays, and objects of the environment.
func (u *unit) isPlain(class string) bool {
	for _, n := range u.world.Supertypes(class) {
		c := u.world.Class(n)
		if c == nil || c.Is(classfile.Interface) || !u.follows(n) {
			continue
		}
		for k := range c.Fields {
			if f := &c.Fields[k]; f.Flags&classfile.Static == 0 && f.Type.Reference() && !f.Type.Array() && u.follows(f.Type.Class()) {
				return false
			}
		}
	}
	return u.isLeaf(class)
}

// makesRoot reports whether a method makes an object of the component's class and returns it as far as its type says, itself or by
// another method of its class.
func (u *unit) makesRoot(c *classfile.Class, m *classfile.Method, depth int) bool {
	r := m.Type.Result
	if m.Code == nil || !r.Reference() || r.Array() || !u.world.Subtype(u.root, r.Class()) || r.Class() == "java/lang/Object" {
		return false
	}
	code, err := m.Code.Decode()
	if err != nil {
		return false
	}
	for k := range code {
		in := &code[k]
		switch {
		case in.Op == classfile.New && in.Const.Text == u.root:
			return true
		case depth > 1 && (in.Op == classfile.Invokevirtual || in.Op == classfile.Invokestatic || in.Op == classfile.Invokespecial) && in.Const.Member.Owner == c.Name:
			if n := c.Method(in.Const.Member.Name, in.Const.Member.Descriptor); n != nil && n != m && u.makesRoot(c, n, depth-1) {
				return true
			}
		}
	}
	return false
}

// readMaker reads an expression, and finds the methods that it may mean.
func (u *unit) readMaker(text string) ([]*maker, error) {
	e, err := parseChain(text)
	if err != nil {
		return nil, err
	}
	class := ""
	calls := e.calls
	if calls[0].name != "new" { // the last part of the name is the method
		k := strings.LastIndexByte(e.class, '.')
		if k < 0 {
			return nil, fmt.Errorf("expected new CLASS(...) or CLASS.method(...)")
		}
		calls[0].name = e.class[k+1:]
		e.class = e.class[:k]
	}
	if class = u.classNamed(e.class); class == "" {
		return nil, fmt.Errorf("no class %s on the class path", e.class)
	}
	partial := []*maker{{}}
	at := []string{class}
	for n, call := range calls {
		var next []*maker
		var then []string
		for k, m := range partial {
			list := u.overloads(at[k], call, n == 0)
			if n < len(calls)-1 || n > 0 {
				list = mostGeneral(list)
			}
			for _, f := range list {
				if c := u.world.Class(f.Class.Name); n == len(calls)-1 && f.Name != "<init>" && !f.Is(classfile.Abstract) && !u.makesRoot(c, f, 3) {
					continue
				}
				var args []makerArg
				for j, a := range call.args {
					args = append(args, argumentOf(a, f.Type.Params[j], len(args)))
				}
				if slices.ContainsFunc(args, func(a makerArg) bool { return a.name == "" }) {
					continue
				}
				s := append(slices.Clone(m.steps), u.step(at[k], f, slices.Clip(args)))
				next = append(next, &maker{steps: s})
				result := at[k]
				if f.Name != "<init>" {
					if r := f.Type.Result; r.Reference() && !r.Array() {
						result = r.Class()
					} else {
						result = ""
					}
				}
				then = append(then, result)
			}
		}
		if len(next) == 0 {
			return nil, fmt.Errorf("%s has no %s with %d arguments whose code is followed", classfile.ClassType(at[0]), call.name, len(call.args))
		}
		partial, at = next, then
	}
	if len(partial) > maxMakers {
		partial = partial[:maxMakers]
	}
	for _, m := range partial {
		u.named(m)
	}
	return partial, nil
}

// mostGeneral keeps the overloads with most references among their parameters.
func mostGeneral(list []*classfile.Method) []*classfile.Method {
	best := 0
	for _, m := range list {
		best = max(best, generality(m))
	}
	return slices.DeleteFunc(list, func(m *classfile.Method) bool { return generality(m) < best })
}

// overloads are the methods of a class that a call may mean. The first call of a chain is a constructor or a static method.
func (u *unit) overloads(class string, call chainCall, first bool) (out []*classfile.Method) {
	name := call.name
	if name == "new" {
		name = "<init>"
	}
	seen := map[string]bool{}
	for _, n := range u.world.Supertypes(class) {
		c := u.world.Class(n)
		if c == nil || name == "<init>" && n != class || !u.follows(n) {
			continue
		}
		for k := range c.Methods {
			m := c.Methods[k]
			if m.Name != name || len(m.Type.Params) != len(call.args) || m.Flags&(classfile.Private|classfile.Synthetic) != 0 || seen[m.Descriptor] {
				continue
			}
			if first && name != "<init>" && !m.Is(classfile.Static) || !first && m.Is(classfile.Static) {
				continue
			}
			seen[m.Descriptor] = true
			out = append(out, m)
		}
	}
	return out
}

// argumentOf reads an argument: a constant, or anything else, which is a parameter. The name is empty if the type does not fit.
func argumentOf(text string, t classfile.Type, k int) makerArg {
	switch {
	case text == "null":
		if t.Reference() {
			return makerArg{text, "nil"}
		}
		return makerArg{}
	case text == "true", text == "false":
		if t == "Z" {
			return makerArg{text, text}
		}
		return makerArg{}
	}
	if _, err := strconv.Atoi(text); err == nil {
		if strings.Contains("IJSBDFC", string(t)) {
			return makerArg{text, text}
		}
		return makerArg{}
	}
	name := strings.TrimSuffix(identifier(text), "_x")
	if text == "" || strings.IndexFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) >= 0 {
		name = "arg" + strconv.Itoa(k)
	}
	return makerArg{name: name}
}

// classNamed finds a class by a name as in source: in full, of the component's package or nest, or of a package whose classes
// everybody knows.
func (u *unit) classNamed(name string) string {
	var try []string
	root := u.world.Class(u.root)
	path := strings.ReplaceAll(name, ".", "/")
	for p := path; ; {
		try = append(try, p, root.Package()+"/"+p, "java/lang/"+p, "java/util/"+p, "java/io/"+p)
		k := strings.LastIndexByte(p, '/')
		if k < 0 {
			break
		}
		p = p[:k] + "$" + p[k+1:]
	}
	try = append(try, u.world.NestHost(u.root)+"$"+strings.ReplaceAll(name, ".", "$"))
	for _, c := range try {
		if c = strings.TrimPrefix(c, "/"); u.world.Class(c) != nil || u.opaque(c) {
			return c
		}
	}
	return ""
}

// parseChain reads "new C(a, b).m(c)" and "C.m(a).n()". Type arguments are left out.
func parseChain(text string) (*chain, error) {
	wrong := fmt.Errorf("expected new CLASS(...) or CLASS.method(...), with calls of methods after it")
	rest := strings.TrimSpace(withoutTypeArguments(text))
	e := &chain{}
	first := ""
	if after, ok := strings.CutPrefix(rest, "new "); ok {
		first, rest = "new", after
	}
	for {
		k := strings.IndexByte(rest, '(')
		if k < 0 {
			return nil, wrong
		}
		name := strings.TrimSpace(rest[:k])
		end, args := bracket(rest[k:])
		if end < 0 || name == "" || strings.IndexFunc(name, func(r rune) bool {
			return r != '.' && r != '$' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) >= 0 {
			return nil, wrong
		}
		if len(e.calls) == 0 {
			e.class = name
			name = first
		}
		e.calls = append(e.calls, chainCall{name, args})
		rest = strings.TrimSpace(rest[k+end:])
		if rest == "" {
			return e, nil
		}
		if !strings.HasPrefix(rest, ".") {
			return nil, wrong
		}
		rest = rest[1:]
	}
}

// withoutTypeArguments removes what is between < and >.
func withoutTypeArguments(text string) string {
	var b strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == '<':
			depth++
		case r == '>' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// bracket finds where the bracket ends that a text begins with, and the arguments in it.
func bracket(text string) (end int, args []string) {
	depth, from := 0, 1
	quoted := rune(0)
	for k, r := range text {
		switch {
		case quoted != 0:
			if r == quoted && text[k-1] != '\\' {
				quoted = 0
			}
		case r == '"' || r == '\'':
			quoted = r
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			if depth--; depth == 0 {
				if last := strings.TrimSpace(text[from:k]); last != "" || len(args) > 0 {
					args = append(args, last)
				}
				return k + 1, args
			}
		case r == ',' && depth == 1:
			args = append(args, strings.TrimSpace(text[from:k]))
			from = k + 1
		}
	}
	return -1, nil
}
