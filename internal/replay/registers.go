// SPDX-License-Identifier: Apache-2.0

package replay

// This file drives calls whose guards compare with what the interface remembers of
// earlier calls. Which call of the interface such a call is, is known only when it is
// made: the test keeps the registers beside the object, evaluates the guards, which
// are Go expressions but for the names, and updates the registers along the edges.
// Where a register is not known it is enough that the interface says the same of all
// the calls that it may be.
// Registers of numbers and truth values are supported; what an update takes from a result is
// not, and words end where it would be needed.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// registers are the types of all registers, by name.
func registers(i *typestate.Interface) map[string]string {
	all := map[string]string{}
	for _, s := range i.States {
		for _, r := range s.Registers {
			all[r.Name] = r.Type
		}
	}
	return all
}

// remembers reports whether a guard compares with a register.
func (g *generator) remembers(guard string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(g.registers)), func(name string) bool { return names(guard, name) })
}

// names reports whether an expression of an interface mentions a name, which may
// be any text.
func names(expr, name string) bool { return namePattern(name).MatchString(expr) }

func namePattern(name string) *regexp.Regexp {
	q := regexp.QuoteMeta(name)
	if strings.HasSuffix(name, ")") {
		return regexp.MustCompile("`" + q + "`|(^|[^\\w.])" + q)
	}
	return regexp.MustCompile("`" + q + "`|(^|[^\\w.`])" + q + "($|[^\\w.(`])")
}

// goInteger is the Go type for a number of an interface, "" if there is none.
// Numbers of odd widths, such as lengths, get the next larger type: they are only
// compared.
func goInteger(kind string) string {
	base := strings.TrimRight(kind, "0123456789")
	bits, err := strconv.Atoi(kind[len(base):])
	if err != nil || base != "int" && base != "uint" {
		return ""
	}
	for _, n := range []int{8, 16, 32, 64} {
		if bits <= n {
			return base + strconv.Itoa(n)
		}
	}
	return ""
}

// A scope translates expressions: names and their types, and where their values
// are, "m" for registers and "a" for arguments.
type scope struct {
	kind, from map[string]string
}

func (g *generator) scope(params, kinds []string) scope {
	s := scope{map[string]string{}, map[string]string{}}
	for name, kind := range g.registers {
		s.kind[name], s.from[name] = kind, "m"
	}
	for k, p := range params {
		if k < len(kinds) {
			s.kind[p], s.from[p] = kinds[k], "a"
		}
	}
	return s
}

var basicTypes = []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "true", "false"}

// expression writes an expression of the interface in Go; ok is false if that is
// not known. uses are the names in it.
func (s scope) expression(expr string) (text string, uses []string, ok bool) {
	ordered := slices.SortedFunc(maps.Keys(s.kind), func(a, b string) int { return len(b) - len(a) })
	local := map[string]bool{}
	for _, name := range slices.Sorted(slices.Values(ordered)) {
		if !names(expr, name) {
			continue
		}
		if s.kind[name] != "bool" && goInteger(s.kind[name]) == "" {
			return "", nil, false
		}
		uses = append(uses, name)
	}
	for _, name := range ordered {
		if !slices.Contains(uses, name) {
			continue
		}
		local[localName(name)] = true
		for p := namePattern(name); p.MatchString(expr); {
			at := p.FindStringIndex(expr)
			found := expr[at[0]:at[1]]
			quoted := strings.Replace(found, "`"+name+"`", name, 1)
			expr = expr[:at[0]] + strings.Replace(quoted, name, localName(name), 1) + expr[at[1]:]
			if localName(name) == name {
				break // it may stand more than once
			}
		}
	}
	e, err := parser.ParseExpr(expr)
	if err != nil {
		return "", nil, false
	}
	ok = true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			ok = ok && (local[n.Name] || slices.Contains(basicTypes, n.Name))
		case *ast.BasicLit:
			ok = ok && n.Kind == token.INT
		case *ast.SelectorExpr:
			ok = false
		}
		return true
	})
	return expr, uses, ok
}

// localName is a Go identifier for a name.
func localName(name string) string {
	return regexp.MustCompile(`\W+`).ReplaceAllString("v."+name, "_")
}

// declare writes the declarations of names, and what to return if one of them is
// not known.
func (s scope) declare(uses []string, otherwise func(name string) string) string {
	var b strings.Builder
	for _, name := range uses {
		fmt.Fprintf(&b, "if _, known := %s[%q]; !known {\n%s\n}\n", s.from[name], name, otherwise(name))
		value := fmt.Sprintf("%s[%q]", s.from[name], name)
		if s.kind[name] == "bool" {
			fmt.Fprintf(&b, "%s := %s != 0\n", localName(name), value)
		} else {
			fmt.Fprintf(&b, "%s := %s(%s)\n", localName(name), goInteger(s.kind[name]), value)
		}
	}
	return b.String()
}

// compared returns the calls of a method whose guards compare with registers, with
// arguments on all sides of the constants that the interface mentions.
func (g *generator) compared(calls []typestate.Call) []callText {
	method := calls[0].Method
	sig, why := g.method(method)
	var guards, all []string
	for _, c := range calls {
		guards = append(guards, c.Guard)
	}
	for _, c := range g.i.Calls {
		all = append(all, c.Guard)
	}
	for _, k := range g.i.Constructors {
		all = append(all, k.Guard)
	}
	var list []argumentList
	if why == "" {
		list, _, why = g.tuples(calls[0].ID, sig, calls[0].Params, calls[0].Types, strings.Join(guards, " || "), all)
	}
	if why != "" {
		g.note("%s: %s", method, why)
		return nil
	}
	pick, why := g.pick(calls)
	if why != "" {
		pick = fmt.Sprintf("func(m, a rplMemory) (string, string) { return \"\", %q }", why)
	}
	var out []callText
	anywhere := why == ""
	for n := range min(len(list), maxCompared) {
		a := list[n*len(list)/min(len(list), maxCompared)]
		c := callText{text: fill(sig.shown, a.texts), cell: method + "?", pick: pick,
			body: g.body(calls[0], sig, fill(sig.code, g.resolved(a.exprs))), known: a.known, some: g.possible(calls, a.known)}
		for _, k := range calls {
			c.ids = append(c.ids, k.ID)
		}
		for state := range g.i.States {
			_, ok := g.alike(state, c.some)
			anywhere = anywhere || ok
		}
		out = append(out, c)
	}
	if !anywhere {
		g.note("%s: %s", method, why)
		return nil
	}
	return out
}

// possible returns the calls of a method that one with these arguments may be, for some
// values of the registers.
func (g *generator) possible(calls []typestate.Call, known typestate.Known) (ids []string) {
	kinds := g.scope(calls[0].Params, calls[0].Types).kind
	for _, c := range calls {
		if typestate.GuardHolds(c.Guard, kinds, known) != typestate.MatchNo {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// A likeness is what an interface says of several calls in a state.
type likeness struct {
	verdict string
	next    map[string]int               // by outcome, and "*" if it is the same for any
	update  map[string]map[string]string // of registers by outcome; what is not known is ""
}

// alike returns what the interface says of each of some calls in a state; ok is false
// if it does not say the same of all.
func (g *generator) alike(state int, ids []string) (all likeness, ok bool) {
	for n, id := range ids {
		c := g.i.Calls[slices.IndexFunc(g.i.Calls, func(c typestate.Call) bool { return c.ID == id })]
		l := likeness{g.verdict(state, id), map[string]int{}, map[string]map[string]string{}}
		for _, e := range g.i.Edges {
			if e.From != state || e.Call != id {
				continue
			}
			for _, o := range append(slices.Clone(c.Outcomes), "*") {
				if e.Outcome == o || e.Outcome == "*" {
					l.next[o], l.update[o] = e.To, maps.Clone(e.Update)
				}
			}
		}
		if n == 0 {
			all = l
			continue
		}
		if _, any := l.next["*"]; !any {
			delete(all.next, "*")
		} else if _, any := all.next["*"]; !any {
			delete(l.next, "*")
		}
		if l.verdict != all.verdict || !maps.Equal(l.next, all.next) {
			return likeness{}, false
		}
		for o := range l.update {
			all.update[o] = common(all.update[o], l.update[o])
		}
	}
	return all, len(ids) > 0
}

// common returns updates of which each is one of two; values that differ are not known.
func common(a, b map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		for name := range m {
			if out[name] = a[name]; a[name] != b[name] {
				out[name] = ""
			}
		}
	}
	return out
}

// pick writes the function that finds which of the calls of a method one is, and why
// it does not know, or says why it cannot be written.
func (g *generator) pick(calls []typestate.Call) (string, string) {
	s := g.scope(calls[0].Params, calls[0].Types)
	var all []string
	cases := ""
	for _, c := range calls {
		text, uses, ok := s.expression(c.Guard)
		if !ok {
			return "", fmt.Sprintf("its guard %s compares what cannot be written in a test", c.Guard)
		}
		for _, u := range uses {
			if !slices.Contains(all, u) {
				all = append(all, u)
			}
		}
		cases += fmt.Sprintf("case %s:\nreturn %q, \"\"\n", text, c.ID)
	}
	slices.Sort(all)
	otherwise := func(name string) string {
		return fmt.Sprintf("return \"\", %q", "its guards compare with "+name+", which is not known there")
	}
	return "func(m, a rplMemory) (string, string) {\n" + s.declare(all, otherwise) + "switch {\n" + cases + "}\nreturn \"\", \"none of its guards holds\"\n}", ""
}

// update writes the function that gives registers their values along an edge.
// A value that cannot be written is forgotten.
func (g *generator) update(params, kinds []string, update map[string]string) string {
	s := g.scope(params, kinds)
	var b strings.Builder
	b.WriteString("func(m, a rplMemory) rplMemory {\nn := maps.Clone(m)\n")
	for _, name := range slices.Sorted(maps.Keys(update)) {
		text, uses, ok := s.expression(update[name])
		fmt.Fprintf(&b, "delete(n, %q)\n", name)
		if !ok || g.registers[name] != "bool" && goInteger(g.registers[name]) == "" {
			continue
		}
		value := "int64(" + text + ")"
		if g.registers[name] == "bool" {
			value = "rplBit(" + text + ")"
		}
		fmt.Fprintf(&b, "if v, known := func() (int64, bool) {\n%sreturn %s, true\n}(); known {\nn[%q] = v\n}\n", s.declare(uses, func(string) string { return "return 0, false" }), value, name)
	}
	b.WriteString("return n\n}")
	return b.String()
}

// memory writes known arguments.
func memory(known typestate.Known) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(known)) {
		switch v := known[name]; v {
		case "true":
			parts = append(parts, fmt.Sprintf("%q: 1", name))
		case "false":
			parts = append(parts, fmt.Sprintf("%q: 0", name))
		default:
			if _, err := strconv.ParseInt(v, 0, 64); err == nil {
				parts = append(parts, fmt.Sprintf("%q: %s", name, v))
			}
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// remembered writes the tables of what is remembered.
func (g *generator) remembered(b *strings.Builder, starts []startText, calls []callText) {
	w := func(format string, args ...any) { fmt.Fprintf(b, format, args...) }
	w("// What the interface remembers of earlier calls. rplArguments are those of calls and,\n// as -1-n, of starts; rplPicks say which call of the interface a call is, or why that\n// is not known; then rplAlike are those that it may be, one cell where they are alike.\n// rplUpdates are by state, call and outcome, or by start; rplRegisters are what a state\n// remembers.\nvar (\nrplArguments = map[int]rplMemory{")
	if len(g.registers) > 0 {
		w("\n")
		for n, s := range starts {
			w("%d: %s,\n", -1-n, memory(s.known))
		}
		for n, c := range calls {
			w("%d: %s,\n", n, memory(c.known))
		}
	}
	w("}\nrplAlike = map[int]string{")
	some := false
	for n, c := range calls {
		if len(c.some) > 0 {
			if !some {
				some = true
				w("\n")
			}
			w("%d: %q,\n", n, strings.Join(c.some, "|"))
		}
	}
	w("}\nrplPicks = map[string]func(m, a rplMemory) (string, string){")
	var done []string
	for _, c := range calls {
		if c.pick != "" && !slices.Contains(done, c.cell) {
			if done = append(done, c.cell); len(done) == 1 {
				w("\n")
			}
			w("%q: %s,\n", c.cell, c.pick)
		}
	}
	w("}\nrplUpdates = map[string]func(m, a rplMemory) rplMemory{")
	if len(g.registers) > 0 {
		w("\n")
		for n, s := range starts {
			if len(s.update) > 0 {
				w("%q: %s,\n", fmt.Sprint("start ", n), g.update(s.params, s.kinds, s.update))
			}
		}
		for _, e := range g.i.Edges {
			k := slices.IndexFunc(g.i.Calls, func(c typestate.Call) bool { return c.ID == e.Call })
			if len(e.Update) > 0 {
				w("%q: %s,\n", fmt.Sprint(e.From, " ", e.Call, " ", e.Outcome), g.update(g.i.Calls[k].Params, g.i.Calls[k].Types, e.Update))
			}
		}
		for _, ids := range severals(calls) {
			k := slices.IndexFunc(g.i.Calls, func(c typestate.Call) bool { return c.ID == ids[0] })
			for state := range g.i.States {
				all, _ := g.alike(state, ids)
				for _, o := range slices.Sorted(maps.Keys(all.update)) {
					if len(all.update[o]) > 0 {
						w("%q: %s,\n", fmt.Sprint(state, " ", strings.Join(ids, "|"), " ", o), g.update(g.i.Calls[k].Params, g.i.Calls[k].Types, all.update[o]))
					}
				}
			}
		}
	}
	w("}\nrplRegisters = [][]string{")
	if len(g.registers) > 0 {
		w("\n")
	}
	for _, s := range g.i.States {
		var names []string
		for _, r := range s.Registers {
			names = append(names, r.Name)
		}
		slices.Sort(names)
		w("{%s},", quoted(names))
		if len(g.registers) > 0 {
			w("\n")
		}
	}
	w("}\n)\n\n")
}

// severals returns the different lists of calls that one may be.
func severals(calls []callText) (lists [][]string) {
	for _, c := range calls {
		if len(c.some) > 1 && !slices.ContainsFunc(lists, func(ids []string) bool { return slices.Equal(ids, c.some) }) {
			lists = append(lists, c.some)
		}
	}
	return lists
}
