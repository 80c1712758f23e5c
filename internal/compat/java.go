// SPDX-License-Identifier: Apache-2.0

package compat

// This file has what is particular about protocols of Java classes: what to ask for, and overloads.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// A JavaQuestion says which interface a protocol of a Java class is about.
type JavaQuestion struct {
	Name      string   // of the class
	Errors    []string // classes of exceptions
	Factories []string // expressions that make the object
	Methods   []string // with the number of arguments: "write/1"
	Left      []string // calls that are none of methods of the object
}

// JavaQuestion returns what to ask for, or an error if the protocol is of something that has no interface.
func (p *Protocol) JavaQuestion() (JavaQuestion, error) {
	q := JavaQuestion{}
	if p.Language != "java" {
		return q, fmt.Errorf("language %s", p.Language)
	}
	q.Name, _, _ = strings.Cut(p.Component, " (")
	q.Name = strings.TrimSpace(q.Name)
	if q.Name == "" || strings.Contains(q.Name, " ") {
		return q, fmt.Errorf("%s is no class", p.Component)
	}
	q.Errors = p.misuseTypes()
	if len(q.Errors) == 0 {
		return q, fmt.Errorf("the protocol names no exceptions")
	}
	for _, c := range p.Constructors {
		if text := javaChain(c.Expr); text != "" && !slices.Contains(q.Factories, text) {
			q.Factories = append(q.Factories, text)
		}
	}
	var invs []invocation
	for _, c := range p.Calls {
		invs = append(invs, parseJava(c.Expr))
	}
	var w walker
	w.p = p
	own := w.ownReceiver(invs)
	for k, inv := range invs {
		if inv.name == "" || own != "" && inv.receiver != own || own == "" && strings.ContainsAny(inv.receiver, "()") {
			q.Left = append(q.Left, p.Calls[k].ID)
			continue
		}
		if m := inv.name + "/" + strconv.Itoa(len(inv.args)); !slices.Contains(q.Methods, m) {
			q.Methods = append(q.Methods, m)
		}
	}
	if len(q.Methods) == 0 {
		return q, fmt.Errorf("the protocol calls no method of the object")
	}
	return q, nil
}

// callValues is knownValues for a call of a protocol. A method of Java has as many arguments as parameters.
func (w *walker) callValues(params, types []string, guard string, args []argument) (map[string]string, typestate.Known) {
	if w.p.Language == "java" && len(baseParameters(params)) != len(args) {
		args = nil
		for range baseParameters(params) {
			args = append(args, argument{})
		}
	}
	return knownValues(params, types, guard, args)
}

// misuseTypes are the exceptions that a protocol of a Java class is about.
func (p *Protocol) misuseTypes() []string {
	var list []string
	if json.Unmarshal(p.Errors.Misuse, &list) != nil {
		var one string
		if json.Unmarshal(p.Errors.Misuse, &one) == nil && !strings.Contains(one, " ") && one != "" {
			list = []string{one}
		}
	}
	return list
}

// overloads are the methods of an interface that a call of a protocol of a Java class may mean.
func overloads(methods []string, inv invocation) []string {
	var found []string
	best := 0
	for _, m := range methods {
		name, list, listed := strings.Cut(m, "(")
		if name != inv.name {
			continue
		}
		score := 1
		if listed {
			types := []string{}
			if list = strings.TrimSuffix(list, ")"); list != "" {
				types = strings.Split(list, ",")
			}
			if len(types) != len(inv.args) {
				continue
			}
			for k, t := range types {
				s := fitsType(inv.args[k].text, strings.TrimSpace(t))
				if s == 0 {
					score = 0
					break
				}
				score += s
			}
		}
		switch {
		case score == 0 || score < best:
		case score > best:
			best, found = score, []string{m}
		default:
			found = append(found, m)
		}
	}
	return found
}

var primitiveTypes = []string{"boolean", "byte", "short", "char", "int", "long", "float", "double"}

// fitsType says how well the text of an argument fits a type: 0 not at all, 2 for sure.
func fitsType(text, t string) int {
	primitive := slices.Contains(primitiveTypes, t)
	is := func(ok bool) int {
		if ok {
			return 2
		}
		return 0
	}
	if strings.HasPrefix(text, "(") {
		if to, _, ok := strings.Cut(text[1:], ")"); ok && !strings.ContainsAny(to, " ,(") {
			return is(to == t)
		}
	}
	if _, err := strconv.Atoi(text); err == nil {
		switch {
		case t == "int":
			return 2
		case primitive && t != "boolean":
			return 1
		}
		return 0
	}
	switch {
	case text == "true" || text == "false":
		return is(t == "boolean")
	case text == "null":
		if primitive {
			return 0
		}
		return 1
	case strings.HasPrefix(text, `"`):
		switch t {
		case "String":
			return 2
		case "CharSequence", "Object", "Comparable":
			return 1
		}
		return 0
	}
	if rest, ok := strings.CutPrefix(text, "new "); ok {
		if primitive {
			return 0
		}
		k := strings.IndexAny(rest, "(<[{")
		if k < 0 {
			return 1
		}
		name := strings.TrimSpace(rest[:k])
		if rest[k] == '[' {
			return is(t == simpleName(name)+"[]")
		}
		if strings.HasSuffix(t, "[]") {
			return 0
		}
		if simpleName(name) == t {
			return 2
		}
	}
	return 1
}

// sameOrigin reports whether a maker of an interface begins with an object of the same class as an expression of a protocol.
// A bare name says nothing else.
func sameOrigin(inv invocation, method string) bool {
	origin := func(text string) string {
		text = strings.TrimPrefix(strings.TrimSpace(text), "new ")
		if k := strings.IndexAny(text, "(<"); k >= 0 {
			text = text[:k]
		}
		return text[strings.LastIndexAny(text, "./")+1:]
	}
	made := parseJava(method)
	if made.name == "" && !strings.ContainsAny(method, ".(") {
		return true
	}
	return made.receiver == "" && inv.receiver == "" || origin(made.receiver) == origin(inv.receiver)
}
