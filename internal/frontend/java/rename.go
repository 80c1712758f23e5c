// SPDX-License-Identifier: Apache-2.0

package java

// This file turns the interface of a translation into one of the class.

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/translate"
	"github.com/interlock-go/interlock/typestate"
)

// exceptionKind is the kind of the error sites of classes.
const exceptionKind = "exception"

// Rename gives an interface Java's names.
func (c *Component) Rename(i *typestate.Interface) error {
	n := c.names
	i.Component.Language, i.Component.Name = "java", n.component
	i.Component.Errors = slices.Clone(n.errors)
	ids := map[string]string{}
	outcomes := map[string]map[string]string{} // by call, in the interface as it was
	for k := range i.Calls {
		call := &i.Calls[k]
		m := n.methods[call.Method]
		if m == nil {
			return fmt.Errorf("internal error: %s: a call of no method: %s", n.component, call.Method)
		}
		ids[call.ID] = m.name + strings.TrimPrefix(call.ID, call.Method)
		outcomes[call.ID] = m.outcomes(call.Outcomes, call.Returns)
		for j, o := range call.Outcomes {
			call.Outcomes[j] = outcomes[call.ID][o]
		}
		call.ID, call.Method, call.Returns = ids[call.ID], m.name, nil
		call.Guard = n.guard(call.Guard, m.call)
		call.Params, call.Types = n.params(m.call, call.Params, call.Types, call.Guard)
	}
	for k := range i.Constructors {
		n.constructor(&i.Constructors[k])
	}
	for k := range i.States {
		i.States[k].Label = n.formula(i.States[k].Label, nil)
	}
	for k := range i.Edges {
		e := &i.Edges[k]
		if o, ok := outcomes[e.Call][e.Outcome]; ok {
			e.Outcome = o
		}
		e.Call = ids[e.Call]
	}
	for k := range i.Forbidden {
		f := &i.Forbidden[k]
		f.Call, f.Errors, f.Witness = ids[f.Call], n.sites(f.Errors), n.witness(f.Witness)
	}
	for k := range i.Unknown {
		i.Unknown[k].Call, i.Unknown[k].Reason = ids[i.Unknown[k].Call], n.text(i.Unknown[k].Reason)
	}
	for k := range i.Uncovered {
		u := &i.Uncovered[k]
		u.Call, u.Site, u.Reason = ids[u.Call], n.sites([]typestate.ErrorSite{u.Site})[0], n.text(u.Reason)
	}
	for k := range i.Impossible {
		i.Impossible[k].Call = ids[i.Impossible[k].Call]
	}
	i.Guarantees.Reason = n.text(i.Guarantees.Reason)
	i.Conventions = n.conventions(i.Conventions)
	i.Contracts = n.contracts(i.Contracts)
	i.Approximations = n.approximations(i.Approximations)
	i.Component.Lowering = nil // of a program that is not stored
	return i.Canonicalize()
}

// params are the parameters of a call of which the file speaks, with their types.
func (n *names) params(m *translate.Call, params, types []string, guard string) (names, of []string) {
	names, of = []string{}, []string{}
	for k, p := range params {
		name := n.param(p, m)
		if strings.HasPrefix(p, "cap(") || slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		if k < len(types) {
			of = append(of, types[k])
		}
	}
	return names, of
}

var inBrackets = regexp.MustCompile(`^(len|cap)\((.*)\)$`)

// param is a parameter in Java.
func (n *names) param(p string, m *translate.Call) string {
	if b := inBrackets.FindStringSubmatch(p); b != nil {
		return n.param(b[2], m) + map[string]string{"len": ".length", "cap": ".capacity"}[b[1]]
	}
	if q, ok := m.Arguments[p]; ok {
		return q
	}
	return n.formula(p, m.Arguments)
}

var (
	quotedOrWord = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|[\\pL_][\\pL\\d_]*")
	plainWord    = regexp.MustCompile(`^[\pL_][\pL\d_]*$`)
)

// guard is a condition of the file over parameters in Java. A name that is no identifier of Go is quoted, as in the text form.
func (n *names) guard(text string, m *translate.Call) string {
	return quotedOrWord.ReplaceAllStringFunc(text, func(word string) string {
		inner := strings.Trim(word, "`")
		switch {
		case strings.HasPrefix(word, `"`):
			return word
		case inner == "non-nil":
			return "`non-null`"
		case inner == "nil":
			return "null"
		}
		_, is := m.Arguments[inner]
		if !is && !inBrackets.MatchString(inner) {
			return word
		}
		name := n.param(inner, m)
		if plainWord.MatchString(name) {
			return name
		}
		return "`" + name + "`"
	})
}

// outcomes are the outcomes of a call in Java, one name for each that differs.
func (m *method) outcomes(list []string, returns []typestate.Register) map[string]string {
	out := map[string]string{}
	used := map[string]string{}
	// Ends that contradict themselves come last: no run has them.
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b string) int { return m.contradicts(a, returns) - m.contradicts(b, returns) })
	for _, o := range list {
		name := o
		if o != "*" {
			parts := partsOf(o, returns)
			if name = m.outcome(parts); name == "*" {
				name = "return"
			}
		}
		for first, k := name, 2; used[name] != ""; k++ {
			name = fmt.Sprintf("%s (%d)", first, k)
		}
		used[name] = o
		out[o] = name
	}
	return out
}

// partsOf are the values of the results of an outcome, by name.
func partsOf(o string, returns []typestate.Register) map[string]string {
	parts := map[string]string{}
	values := []string{o}
	if strings.HasPrefix(o, "(") && strings.HasSuffix(o, ")") {
		values = strings.Split(o[1:len(o)-1], ", ")
	}
	for k, r := range returns {
		if k < len(values) {
			parts[r.Name] = values[k]
		}
	}
	return parts
}

// contradicts counts what is wrong with an outcome: it is of two exceptions, of one and none, or of one and a value.
func (m *method) contradicts(o string, returns []typestate.Register) (n int) {
	thrown := 0
	parts := partsOf(o, returns)
	for name := range m.call.Thrown {
		if name != "threw" && parts[name] == "true" {
			thrown++
		}
	}
	if thrown > 1 {
		n += thrown
	}
	if threw, ok := parts["threw"]; ok && thrown > 0 && threw == "false" {
		n += 10
	}
	if parts["threw"] == "true" && (parts["res"] == "true" || parts["res"] == "non-nil") {
		n++
	}
	return n
}

// constructor gives a constructor Java's names.
func (n *names) constructor(k *typestate.Constructor) {
	m := n.methods[k.Method]
	if m == nil {
		return
	}
	k.ID, k.Method = m.name+strings.TrimPrefix(k.ID, k.Method), m.name
	k.Guard = n.guard(k.Guard, m.call)
	k.Params, k.Types = n.params(m.call, k.Params, k.Types, k.Guard)
	switch k.Outcome {
	case "", "*":
	default:
		if k.Outcome = "return"; k.State == nil {
			k.Outcome = "throws"
		}
	}
	k.Errors, k.Witness, k.Reason = n.sites(k.Errors), n.witness(k.Witness), n.text(k.Reason)
	k.Code, k.Object = "", ""
}

// sites are places that throw in Java.
func (n *names) sites(list []typestate.ErrorSite) []typestate.ErrorSite {
	out := slices.Clone(list)
	for k, s := range out {
		if number, ok := strings.CutPrefix(s.Message, translate.SitePanic); ok {
			out[k].Message, out[k].At = n.site(number, s.At)
			out[k].Kind = exceptionKind
			continue
		}
		out[k].Message, out[k].At = n.text(s.Message), n.position(s.At)
	}
	return out
}

// witness is a word in Java.
func (n *names) witness(list []typestate.Step) []typestate.Step {
	out := slices.Clone(list)
	for k := range out {
		s := &out[k]
		m := n.methods[s.Call]
		if m == nil {
			continue
		}
		s.Call = m.name
		args := map[string]string{}
		for p, v := range s.Args {
			if !strings.HasPrefix(p, "cap(") {
				args[n.param(p, m.call)] = map[string]string{"nil": "null", "non-nil": "non-null", "`non-nil`": "non-null"}[v]
				if args[n.param(p, m.call)] == "" {
					args[n.param(p, m.call)] = v
				}
			}
		}
		s.Args = args
		if s.Outcome != "" && s.Outcome != "*" {
			s.Outcome = m.stepOutcome(s.Outcome)
		}
	}
	return out
}

// stepOutcome is the outcome of a step of a word. Which results it has is not said there: if there are as many as the door has,
// they are those.
func (m *method) stepOutcome(o string) string {
	if m.made {
		return "return"
	}
	values := []string{o}
	if strings.HasPrefix(o, "(") && strings.HasSuffix(o, ")") {
		values = strings.Split(o[1:len(o)-1], ", ")
	}
	var all []string
	all = append(all, sortedKeys(m.call.Thrown)...)
	// threw comes first in doors.
	all = slices.DeleteFunc(all, func(s string) bool { return s == "threw" })
	all = append([]string{"threw"}, all...)
	if m.call.Result {
		all = append(all, "res")
	}
	if len(values) != len(all) {
		return "*"
	}
	parts := map[string]string{}
	for k, name := range all {
		parts[name] = values[k]
	}
	return m.outcome(parts)
}

// approximations are the constructs that are not modelled exactly, those of which can be told in Java.
func (n *names) approximations(list []typestate.Approximation) []typestate.Approximation {
	var out []typestate.Approximation
	seen := map[typestate.Approximation]bool{}
	for _, a := range list {
		b := typestate.Approximation{What: n.text(a.What), At: n.position(a.At)}
		if n.leaks(b.What) {
			b.What = "code that is not followed exactly"
		}
		if n.leaks(b.At) || !seen[b] {
			seen[b] = true
			out = append(out, b)
		}
	}
	return out
}

// goWords are words that no text in Java has.
var goWords = regexp.MustCompile(`\b(?:Call_|New_|M_|m_|p_|on_|answer_|static_|site_|init_|get_|set_|clinit_|Mark_|Is_)\w|\bArray\[|\(\*|\bcomponent\b|Go body|environment\.go|prelude\.go`)

// leaks reports whether a text has a name of the translation.
func (n *names) leaks(text string) bool { return goWords.MatchString(text) }

// contracts are those that were used, in Java.
func (n *names) contracts(list []string) []string {
	out := map[string]bool{}
	for _, text := range list {
		name, _, _ := strings.Cut(text, "(")
		name = strings.TrimPrefix(name, n.t.Package+".")
		for _, f := range n.t.Environment {
			if f.Go == name {
				out[sourceName(f.Class)+"."+f.Member+": not null"] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(out))
}
