// SPDX-License-Identifier: Apache-2.0

package compat

// This file finds the constructors and calls of an interface that a protocol
// speaks of. Names decide first, then guards, evaluated for the arguments whose
// values the text tells. Where several calls remain, every one is possible and
// the walk (conform.go) tries them one after the other, each for the whole walk.

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// A mapping is what a call of the protocol may be in the interface.
type mapping struct {
	call       Call
	invocation invocation
	method     string            // of the interface, "" if it has none
	calls      []*typestate.Call // of this method
	possible   []string          // ids of those that the arguments admit in some state
	why        string            // no method: the reason
}

// A start is what a constructor of the protocol may be in the interface.
type start struct {
	constructor Constructor
	invocation  invocation
	possible    []string // ids
	byName      bool     // false: none has the name, any may be meant
	untold      bool     // its arguments do not say which of several guards holds
}

// free reports whether the interface lacks the constructor: then what another one
// does cannot refute it. An expression that names no function, as that of a
// package, is not free: it must be one of those that there are.
func (s *start) free() bool { return s.untold || !s.byName && s.invocation.name != "" }

// matchConstructors maps the constructors of the protocol.
func (w *walker) matchConstructors() {
	var ids []string
	first := map[string]*typestate.Constructor{}
	for k := range w.i.Constructors {
		c := &w.i.Constructors[k]
		if first[c.ID] == nil {
			ids, first[c.ID] = append(ids, c.ID), c
		}
	}
	for _, c := range w.p.Constructors {
		s := start{constructor: c, invocation: parseInvocation(w.p.Language, c.Expr)}
		best := 0
		for _, id := range ids {
			n := sameConstructor(w.p, s.invocation, first[id].Method)
			if n == 0 || n < best {
				continue
			}
			if n > best {
				best, s.possible = n, nil
			}
			s.possible = append(s.possible, id)
		}
		if s.byName = best > 0; s.byName {
			s.possible = slices.DeleteFunc(s.possible, func(id string) bool {
				c := first[id]
				types, known := w.constructorValues(c, s.invocation)
				return typestate.GuardHolds(c.Guard, types, known) == typestate.MatchNo
			})
		} else {
			s.possible = ids
		}
		// An entry of a Java class says in words what the arguments were, of several configurations.
		// And one whose object is reached from another than that of the interface's constructor cannot refute it.
		s.untold = w.p.Language == "java" && (len(s.possible) > 1 || len(s.possible) == 1 && !sameOrigin(s.invocation, first[s.possible[0]].Method))
		w.starts = append(w.starts, s)
	}
}

// sameConstructor says how well the name of a constructor of the interface fits
// an expression of the protocol: 0 not at all, 2 also by its qualifier.
func sameConstructor(p *Protocol, inv invocation, method string) int {
	name, qualifier := method, ""
	if inv2 := parseInvocation(p.Language, method); inv2.name != "" {
		name, qualifier = inv2.name, inv2.receiver // zip.NewWriter(w).Create(name)
	} else if k := strings.LastIndexByte(method, '.'); k >= 0 {
		name, qualifier = method[k+1:], method[:k]
	}
	if k := strings.IndexByte(name, '['); k > 0 {
		name = name[:k]
	}
	if p.Language == "java" && (name == "<init>" || name == simpleName(strings.Fields(p.Component + " _")[0])) {
		name = "new"
	}
	if p.Language == "java" {
		if made := parseJava(method); made.name != "" && len(made.args) != len(inv.args) {
			return 0
		}
	}
	switch {
	case inv.name == "" || inv.name != name:
		return 0
	case qualifier != "" && (qualifier == inv.receiver || strings.HasSuffix(qualifier, "/"+inv.receiver) || strings.HasSuffix(inv.receiver, "."+qualifier)):
		return 2
	}
	return 1
}

// constructorValues is knownValues for a constructor: of a chain of calls only the
// last has the arguments that the protocol gives.
func (w *walker) constructorValues(c *typestate.Constructor, inv invocation) (map[string]string, typestate.Known) {
	last := parseInvocation(w.p.Language, c.Method)
	if w.p.Language == "java" {
		return w.callValues(c.Params, c.Types, c.Guard, inv.args)
	}
	if last.name == "" || last.name == zero {
		return knownValues(c.Params, c.Types, c.Guard, inv.args)
	}
	var params, types []string
	for k, p := range c.Params {
		if base := baseParameters([]string{p}); len(base) > 0 && slices.ContainsFunc(last.args, func(a argument) bool { return a.text == base[0] }) {
			params = append(params, p)
			if k < len(c.Types) {
				types = append(types, c.Types[k])
			}
		}
	}
	byName, known := knownValues(params, types, c.Guard, inv.args)
	for k, p := range c.Params {
		if k < len(c.Types) {
			byName[p] = c.Types[k]
		}
	}
	return byName, known
}

// knownValues returns the types of parameters by name and what is known of their
// values, as far as a guard can ask for it.
func knownValues(params, types []string, guard string, args []argument) (map[string]string, typestate.Known) {
	byName, known := map[string]string{}, typestate.Known{}
	for k, p := range params {
		if k < len(types) {
			byName[p] = types[k]
		}
	}
	bases := baseParameters(params)
	last := len(bases) - 1
	switch {
	case len(args) == len(bases):
	case len(args) == last: // called without its variadic arguments
		args = append(slices.Clone(args), argument{value: "nil", size: "0"})
	default:
		return byName, known // not all parameters are in the file, or several variadic arguments
	}
	for k, a := range args {
		if byName[bases[k]] == textType {
			a.value = textValue(a.text, guard)
		}
		for name, value := range map[string]string{bases[k]: a.value, "len(" + bases[k] + ")": a.size} {
			if _, ok := byName[name]; ok && value != "" {
				known[name] = value
			}
		}
	}
	return byName, known
}

// textType is the type of parameters that say which of some constants a text is, otherText
// that it is none of them; a file does not list them.
const (
	textType  = "text"
	otherText = "another text"
)

// textValue is what a guard sees of a text: the constant, if the guard knows it or does not
// ask for other ones.
func textValue(expr, guard string) string {
	text, err := strconv.Unquote(expr)
	if err != nil {
		return ""
	}
	if value := strconv.Quote(text); strings.Contains(guard, "`"+value+"`") || !strings.Contains(guard, otherText) {
		return value
	}
	return ""
}

// baseParameters returns the parameters of the code, in order: a file may give a
// parameter by its parts, such as p, len(p), o.Level.
func baseParameters(params []string) []string {
	var out []string
	for _, p := range params {
		if typestate.Opaque(p) {
			continue
		}
		for _, f := range []string{"len(", "cap("} {
			if inner, ok := strings.CutPrefix(p, f); ok {
				p = strings.TrimSuffix(inner, ")")
			}
		}
		p, _, _ = strings.Cut(p, ".")
		if len(out) == 0 || out[len(out)-1] != p {
			out = append(out, p)
		}
	}
	return out
}

// addRegisters adds the types of all registers, so that their names are not
// taken for those of constants.
func (w *walker) addRegisters(types map[string]string) {
	for _, s := range w.i.States {
		for _, reg := range s.Registers {
			if _, hidden := types[reg.Name]; !hidden {
				types[reg.Name] = reg.Type
			}
		}
	}
}

// matchCalls maps the calls of the protocol.
func (w *walker) matchCalls() {
	byMethod := map[string][]*typestate.Call{}
	for k := range w.i.Calls {
		c := &w.i.Calls[k]
		byMethod[c.Method] = append(byMethod[c.Method], c)
	}
	methods := slices.Sorted(maps.Keys(byMethod))
	var invs []invocation
	for _, c := range w.p.Calls {
		invs = append(invs, parseInvocation(w.p.Language, c.Expr))
	}
	own := w.ownReceiver(invs)
	for k, c := range w.p.Calls {
		m := mapping{call: c, invocation: invs[k]}
		switch {
		case m.invocation.name == "" && slices.Contains(methods, assignment(c.Expr)):
			m.method = assignment(c.Expr)
		case m.invocation.name == "":
			m.why = "it is no call of a method"
		case own == "" || m.invocation.receiver == own:
			m.method = findMethod(methods, "", m.invocation.name)
		default:
			m.method = findMethod(methods, m.invocation.receiver, m.invocation.name)
		}
		if m.method == "" && m.why == "" {
			m.why = "the interface has no such method"
		}
		m.calls = byMethod[m.method]
		if w.p.Language == "java" && m.invocation.name != "" && (own == "" || m.invocation.receiver == own) {
			m.method, m.calls = "", nil
			for _, name := range overloads(methods, m.invocation) {
				m.method, m.why = name, ""
				m.calls = append(m.calls, byMethod[name]...)
			}
			if m.method == "" {
				m.why = "the interface has no such method"
			}
		}
		for _, c := range m.calls {
			types, known := w.callValues(c.Params, c.Types, c.Guard, m.invocation.args)
			w.addRegisters(types)
			if typestate.GuardHolds(c.Guard, types, known) != typestate.MatchNo {
				m.possible = append(m.possible, c.ID)
			}
		}
		w.calls = append(w.calls, m)
	}
}

// ownReceiver returns the name of the object under study, or "" if all calls
// are made on one and the same thing or it cannot be told which one it is. A
// constructor that declares it says so; an object that the constructor is called
// on is another one.
func (w *walker) ownReceiver(invs []invocation) string {
	var all []string
	for _, inv := range invs {
		if inv.name != "" && !slices.Contains(all, inv.receiver) {
			all = append(all, inv.receiver)
		}
	}
	if len(all) <= 1 {
		return ""
	}
	for _, s := range w.starts {
		for _, name := range s.invocation.objects {
			if slices.Contains(all, name) {
				return name
			}
		}
	}
	var rest []string
	for _, r := range all {
		parent := slices.ContainsFunc(w.starts, func(s start) bool { return s.invocation.receiver == r })
		plain := !strings.ContainsAny(r, "().[] ")
		if !parent && plain {
			rest = append(rest, r)
		}
	}
	if len(rest) == 1 {
		return rest[0]
	}
	if slices.Contains(all, "") {
		return "" // Java: calls without an object are made on the one under study
	}
	return ""
}

// findMethod returns the method of the interface with a name. For another object
// than the one under study it has a qualifier: the name of the object, or of
// something else if only one such method exists.
func findMethod(methods []string, receiver, name string) string {
	if receiver == "" {
		if slices.Contains(methods, name) {
			return name
		}
		return ""
	}
	if q := receiver + "." + name; slices.Contains(methods, q) {
		return q
	}
	var found []string
	for _, m := range methods {
		if strings.HasSuffix(m, "."+name) {
			found = append(found, m)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return ""
}
