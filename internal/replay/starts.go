// SPDX-License-Identifier: Apache-2.0

package replay

// This file writes the ways to make the object: calls of the interface's constructors, fixtures, and what clients do
// where these are code inside the package.

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// A startText is a way to make the object.
type startText struct {
	id            string // of the constructor, "" for a fixture of any
	text, verdict string
	state         int
	body          string
	named         bool

	known         typestate.Known // arguments
	params, kinds []string
	update        map[string]string // of registers
}

// function returns the results and the body of a function that makes the object.
func (s startText) function() (results, body string) {
	if s.named {
		// A block of its own: code may declare any name.
		return "(rplNo rplObject, _ error)", "{\n" + s.body + "\n}"
	}
	return "(rplObject, error)", s.body
}

func (g *generator) starts() ([]startText, error) {
	var out []startText
	entries := map[string][]typestate.Constructor{}
	var ids []string
	guards := map[string][]string{}
	for _, c := range g.i.Constructors {
		if len(entries[c.ID]) == 0 {
			ids = append(ids, c.ID)
			guards[c.Method] = append(guards[c.Method], c.Guard)
		}
		entries[c.ID] = append(entries[c.ID], c)
	}
	fixtures := map[string]bool{} // names of those that were used
	var states []int              // of constructors that an unnamed fixture may stand for
	var unmade []int              // of those that cannot be called
	var notes []string            // why
	needed := false
	for _, id := range ids {
		c := entries[id][0]
		state := -1
		several := false
		var update map[string]string
		for _, e := range entries[id] {
			if e.State != nil && makesObject(e.Outcome) {
				update = e.Update
				several = several || state >= 0 && state != *e.State
				state = *e.State
			}
		}
		name := "constructor " + id
		switch {
		case several:
			g.note("%s: its outcomes lead to different states", name)
			continue
		case c.Verdict == "allowed" && state < 0:
			g.note("%s: it never returns", name)
			continue
		}
		list, why := g.makers(c, guards[c.Method], fixtures)
		fixture := len(g.fixturesFor("")) > 0
		switch {
		case why != "" && fixture && state >= 0:
			if !needed {
				needed, states = true, nil
			}
			states = append(states, state)
		case why != "":
			if notes = append(notes, name+": "+why); state >= 0 && c.Code == "" && !strings.HasPrefix(why, givenUnfit) {
				unmade = append(unmade, state)
			}
		case !needed && state >= 0:
			states = append(states, state)
		}
		verdict := c.Verdict
		if verdict == "allowed" && g.mayErr(c) {
			verdict = "unknown"
		}
		for _, m := range list {
			out = append(out, startText{id: id, text: m.text, verdict: verdict, state: state, body: m.body, named: m.named, known: m.known, params: c.Params, kinds: c.Types, update: update})
		}
	}
	slices.Sort(states)
	states = slices.Compact(states)
	made, err := g.unnamed(states, ids)
	if err != nil {
		return nil, err
	}
	if len(made) > 0 && !needed {
		out = nil
	}
	others := g.otherwise(unmade)
	if out = append(out, made...); len(made) == 0 {
		out = append(out, others...)
	}
	if len(made) > 0 || len(others) == 0 {
		for _, n := range notes {
			g.note("%s", n)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.opt.Fixtures)) {
		if name != "" && !fixtures[name] && !g.comes {
			return nil, fmt.Errorf("-fixture %s: no such constructor; there are %s", name, strings.Join(ids, ", "))
		}
	}
	return out, g.noObject(out)
}

// unnamed are the fixtures without a name: they stand for the constructors that cannot be called without one, or
// for all of them. These lead to some states.
func (g *generator) unnamed(states []int, ids []string) (out []startText, err error) {
	for _, expr := range g.fixturesFor("") {
		if len(states) != 1 && g.comes {
			return nil, nil
		} else if len(states) != 1 {
			return nil, fmt.Errorf("-fixture %s: the constructors lead to %d states: say for which one it is, as CONSTRUCTOR=EXPRESSION with one of %s", expr, len(states), strings.Join(ids, ", "))
		}
		m := g.fixture(expr, g.name)
		out = append(out, startText{text: m.text, verdict: "allowed", state: states[0], body: m.body, named: m.named})
	}
	return out, nil
}

// otherwise makes objects as clients do where constructors cannot be called: code inside the package, or a call whose guard
// is about what a test cannot see. The constructors all lead to one state, and none of those that can be called is used.
func (g *generator) otherwise(states []int) (out []startText) {
	slices.Sort(states)
	if states = slices.Compact(states); len(states) != 1 || g.s.typ == nil || len(g.others) > 0 {
		return nil
	}
	called := func(method string) bool {
		return slices.ContainsFunc(g.i.Constructors, func(c typestate.Constructor) bool {
			return c.Method == method && c.State != nil && *c.State != states[0]
		})
	}
	for _, c := range g.s.constructors() {
		if c.Method == "zero" || c.Method == "fixture" || called(c.Method) {
			continue
		}
		list, why := g.makers(c, nil, map[string]bool{})
		if why != "" {
			continue
		}
		for _, m := range list {
			out = append(out, startText{text: m.text, verdict: "unknown", state: states[0], body: m.body, named: m.named})
		}
	}
	return out
}

// noObject says that there is no way to make an object, if there is none.
func (g *generator) noObject(starts []startText) error {
	if len(starts) > 0 {
		return nil
	}
	return &FixtureError{"no object can be made: " + strings.Join(g.notes, "; ") + "; -fixture EXPR says how"}
}

// mayErr reports whether an allowed constructor may err still: by convention it, or the
// calls that lead to it, are taken to return, or a check of the run time in it is not covered.
func (g *generator) mayErr(c typestate.Constructor) bool {
	assumes := func(name string) bool {
		return slices.ContainsFunc(g.i.Conventions, func(c string) bool { return c == name || strings.HasPrefix(c, name+":") })
	}
	return assumes("made") || c.Code != "" && assumes("chain") ||
		slices.ContainsFunc(g.i.Approximations, func(a typestate.Approximation) bool {
			return strings.HasPrefix(a.What, "not covered in "+c.Method+": ")
		})
}

// makesObject reports whether a constructor with this outcome gave an object.
func makesObject(outcome string) bool {
	if outcome == "nil" {
		return false
	}
	return !strings.HasSuffix(outcome, ", non-nil)")
}

type maker struct {
	text, body string
	known      typestate.Known
	named      bool // the body is code that declares names, and returns rplNo if there is no object
}

// makers returns the expressions that make an object by a constructor, or the
// reason why there are none.
func (g *generator) makers(c typestate.Constructor, guards []string, fixtures map[string]bool) (list []maker, why string) {
	if g.s.isPackage() {
		return []maker{{text: g.s.pkg.Name(), body: "return struct{}{}, nil"}}, ""
	}
	for _, key := range []string{c.ID, c.Method} {
		exprs := g.fixturesFor(key)
		for _, expr := range exprs {
			fixtures[key] = true
			list = append(list, g.fixture(expr, c.Object))
		}
		if len(exprs) > 0 {
			return append(list, g.hintedMakers(c, guards)...), ""
		}
	}
	switch {
	case c.Code != "":
		return g.codeCalls(c, guards)
	case len(g.others) > 0:
		return nil, "it does not say how the other objects are made"
	}
	name := c.Method
	if k := strings.LastIndexByte(name, '.'); k >= 0 {
		name = name[k+1:]
	}
	f, isFunc := g.s.pkg.Scope().Lookup(name).(*types.Func)
	isFunc = isFunc && g.s.typ != nil
	own := name == c.Method || strings.TrimSuffix(c.Method, "."+name) == g.s.pkg.Name() || strings.TrimSuffix(c.Method, "."+name) == g.s.pkg.Path()
	switch {
	case c.Method == "zero" && g.s.typ != nil:
		expr := "new(" + g.typeName(g.s.typ) + ")"
		return []maker{{text: expr, body: "return " + expr + ", nil"}}, ""
	case isFunc && f.Exported() && own:
		return g.constructorCalls(c, f, guards)
	}
	return nil, "it is no function of package " + g.s.pkg.Path()
}

// constructorCalls returns the calls of a function that returns the object.
func (g *generator) constructorCalls(c typestate.Constructor, f *types.Func, guards []string) ([]maker, string) {
	sig := f.Type().(*types.Signature)
	if sig.TypeParams().Len() > 0 {
		n, ok := g.s.typ.(*types.Named)
		if !ok || n.TypeArgs().Len() != sig.TypeParams().Len() {
			return nil, "its type arguments are not known"
		}
		inst, err := types.Instantiate(nil, sig, slices.Collect(n.TypeArgs().Types()), false)
		if err != nil {
			return nil, err.Error()
		}
		sig = inst.(*types.Signature)
	}
	call := g.signatureOf(f.Name(), fullName(f), sig)
	args, why := g.arguments(c.ID, call, c.Params, c.Types, c.Guard, guards)
	if why != "" {
		return nil, why
	}
	object := -1
	var vars []string
	failure, boxed := "nil", ""
	byValue := false
	for k := range sig.Results().Len() {
		t := sig.Results().At(k).Type()
		switch {
		case object < 0 && types.AssignableTo(t, g.own):
			object = k
			vars = append(vars, "x")
		case object < 0 && types.Identical(t, g.s.typ):
			object, byValue = k, true
			vars = append(vars, "x")
		case object < 0 && types.IsInterface(t) && qualified(t) != "error" && types.AssignableTo(g.own, t):
			object, boxed = k, ".("+g.typeName(g.own)+")"
			vars = append(vars, "x")
		case k == sig.Results().Len()-1 && qualified(t) == "error":
			failure = "err"
			vars = append(vars, "err")
		default:
			vars = append(vars, "_")
		}
	}
	if object < 0 {
		return nil, "it does not return the type"
	}
	name := g.qualify(f.Pkg()) + "." + f.Name()
	if n, ok := g.s.typ.(*types.Named); ok && f.Type().(*types.Signature).TypeParams().Len() > 0 {
		var list []string
		for t := range n.TypeArgs().Types() {
			list = append(list, g.typeName(t))
		}
		name += "[" + strings.Join(list, ", ") + "]"
	}
	var out []maker
	for _, a := range args {
		call, text := name+fill(call.code, g.resolved(a.exprs)), name+fill(call.shown, a.texts)
		switch {
		case byValue:
			out = append(out, maker{text: text, body: strings.Join(vars, ", ") + " := " + call + "\nreturn &x, " + failure, known: a.seen()})
		case boxed != "":
			// Some of these functions return other types, too, or nothing.
			out = append(out, maker{text: text, body: strings.Join(vars, ", ") + " := " + call + "\no, _ := x" + boxed + "\nreturn o, " + failure, known: a.seen()})
		case len(vars) == 1:
			out = append(out, maker{text: text, body: "return " + call + ", nil", known: a.seen()})
		case len(vars) == 2 && failure == "err" && object == 0:
			out = append(out, maker{text: text, body: "return " + call, known: a.seen()})
		default:
			out = append(out, maker{text: text, body: strings.Join(vars, ", ") + " := " + call + "\nreturn x, " + failure, known: a.seen()})
		}
	}
	return out, ""
}
