// SPDX-License-Identifier: Apache-2.0

package replay

// This file writes the parts of a test that come from the interface alone: the
// automaton, and what counts as an error.

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// A cellKey is a state and a call.
type cellKey struct {
	state int
	call  string
}

// verdict is what the interface says of a call in a state.
func (g *generator) verdict(state int, call string) string {
	if g.verdicts == nil {
		g.verdicts = map[cellKey]string{}
		for _, f := range g.i.Forbidden {
			g.verdicts[cellKey{f.State, f.Call}] = f.Verdict
		}
		for _, u := range g.i.Unknown {
			g.verdicts[cellKey{u.State, u.Call}] = "unknown"
		}
		for _, u := range g.i.Uncovered {
			k := cellKey{u.State, u.Call}
			switch v := g.verdicts[k]; {
			case v != "" && v != "uncovered":
			case u.Site.Kind == "panic" || u.Site.Kind == "runtime":
				g.verdicts[k] = "uncovered"
			default:
				g.verdicts[k] = "unknown"
			}
		}
	}
	if v := g.verdicts[cellKey{state, call}]; v != "" {
		return v
	}
	return "allowed"
}

// table writes the automaton for the calls that are driven. Several that one may be are a
// cell, too, where they are alike.
func (g *generator) table(b *strings.Builder, cells map[string]bool, calls []callText) {
	next := map[cellKey][]string{}
	for _, e := range g.i.Edges {
		k := cellKey{e.From, e.Call}
		next[k] = append(next[k], fmt.Sprintf("%q: %d", e.Outcome, e.To))
	}
	line := func(name, verdict string, next []string) {
		to := "nil"
		if len(next) > 0 {
			to = "map[string]int{" + strings.Join(next, ", ") + "}"
		}
		fmt.Fprintf(b, "%q: {%q, %s},\n", name, verdict, to)
	}
	for n, s := range g.i.States {
		label := ""
		if s.Label != "" {
			label = ": " + strings.Join(strings.Fields(s.Label), " ")
		}
		fmt.Fprintf(b, "{ // %d%s\n", n, label)
		for _, c := range slices.Sorted(maps.Keys(cells)) {
			line(c, g.verdict(n, c), next[cellKey{n, c}])
		}
		for _, ids := range severals(calls) {
			if all, ok := g.alike(n, ids); ok {
				var to []string
				for _, o := range slices.Sorted(maps.Keys(all.next)) {
					to = append(to, fmt.Sprintf("%q: %d", o, all.next[o]))
				}
				line(strings.Join(ids, "|"), all.verdict, to)
			}
		}
		b.WriteString("},\n")
	}
}

// A studied lists what counts as an error.
type studied struct {
	panics, returned, sentinels []string
	blocks                      bool
	open                        bool // an error of a site that the interface leaves out may be one
}

// errors reads the error kinds of the interface. A returned error is one under
// study if its message is that of an error site, with what a format inserts left
// open. The sites of calls that are unknown are not in the interface: where it is they
// that tell, what such a call returns may be one, too.
func (g *generator) errors() studied {
	var out studied
	add := func(list *[]string, s string) {
		if !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	sites := func(kinds ...string) {
		out.open = true
		var all []typestate.ErrorSite
		for _, f := range g.i.Forbidden {
			all = append(all, f.Errors...)
		}
		for _, c := range g.i.Constructors {
			all = append(all, c.Errors...)
		}
		for _, s := range all {
			if strings.Trim(verb.ReplaceAllString(s.Message, ""), " :") == "" {
				continue // it would be every error
			}
			if len(kinds) == 0 || slices.Contains(kinds, s.Kind) {
				add(&out.returned, sitePattern(s.Message))
			}
		}
		slices.Sort(out.returned)
	}
	for _, e := range g.i.Component.Errors {
		kind, pattern, _ := strings.Cut(strings.TrimSpace(e), " ")
		pattern = strings.Trim(strings.TrimSpace(pattern), `"`)
		switch kind {
		case "panic":
			add(&out.panics, compilable(pattern))
		case "return":
			if p, name, ok := cutLast(pattern); ok && token.IsIdentifier(name) && !strings.ContainsAny(p, " \\^$*+?()[]{}|") {
				if token.IsExported(name) {
					if s := g.sentinel(p, name); s != "" {
						add(&out.sentinels, s)
						continue
					}
				}
				out.open = true // perhaps a variable that a test cannot see
			}
			add(&out.returned, compilable(pattern))
		case "message":
			// The text is of one call; that of the site leaves open what calls insert.
			add(&out.returned, "^"+regexp.QuoteMeta(pattern)+"$")
			sites("return")
		case "block":
			out.blocks = true
		default: // misuse, and whatever else the sites say
			add(&out.panics, "")
			sites()
		}
	}
	return out
}

// sentinel returns the name of an error variable in the file, or "".
func (g *generator) sentinel(p, name string) string {
	for _, path := range []string{p, g.std[p]} {
		if path == g.s.pkg.Name() {
			path = g.s.pkg.Path()
		}
		if path == "" {
			continue
		}
		if pkg, err := g.s.load(path); err == nil {
			if _, ok := pkg.Scope().Lookup(name).(*types.Var); ok {
				return g.qualify(pkg) + "." + name
			}
		}
	}
	return ""
}

func compilable(pattern string) string {
	if _, err := regexp.Compile(pattern); err != nil {
		return regexp.QuoteMeta(pattern)
	}
	return pattern
}

// verb is what a format inserts, or what an interface writes for a part of a
// message that is not constant.
var verb = regexp.MustCompile(`%[-+# 0]*\d*(\.\d+)?[a-zA-Z]|…`)

// sitePattern matches the messages of an error site.
func sitePattern(message string) string {
	var out strings.Builder
	at := 0
	for _, m := range verb.FindAllStringIndex(message, -1) {
		out.WriteString(regexp.QuoteMeta(message[at:m[0]]) + "(?s:.*)")
		at = m[1]
	}
	return out.String() + regexp.QuoteMeta(message[at:])
}
