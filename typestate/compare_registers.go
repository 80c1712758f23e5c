// SPDX-License-Identifier: Apache-2.0

package typestate

// This file compares interfaces with registers. The product then has, beside the
// two states, what the registers hold. There are two ways, tried in turn:
//
//   - If arguments and registers have few values, all configurations are
//     explored. That is exact, and the words found are concrete.
//   - Otherwise values are symbols: registers of both sides that were given their
//     values by the same expression hold the same symbol, constants are
//     themselves. Guards are compared after registers are replaced by symbols. A
//     difference found that way counts only if a concrete word shows it, because
//     the guards along a word need not be satisfiable together.
//
// What neither can decide is unknown. A solver is not used: this package has none.

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// compareRegisters explores the product of two interfaces of which one has
// registers.
func (c *comparer) compareRegisters(a, b *Interface) {
	if c.cells == nil && bytes.Equal(a.Core(), b.Core()) {
		return
	}
	for _, constructors := range []bool{true, false} {
		both := c.methodsOf(constructors)
		only := func(calls []Call) (out []Name) {
			for _, k := range calls {
				if n := (Name{k.Method, constructors}); !slices.Contains(both, k.Method) && !slices.Contains(out, n) {
					out = append(out, n)
				}
			}
			return out
		}
		inA, inB := a.Calls, b.Calls
		if constructors {
			inA, inB = constructorCalls(a), constructorCalls(b)
		}
		c.OnlyA, c.OnlyB = append(c.OnlyA, only(inA)...), append(c.OnlyB, only(inB)...)
	}
	if !c.explicit() {
		c.symbolic()
	}
}

// maxProduct bounds the steps of an explicit product.
const maxProduct = 1 << 15

// methodsOf lists the methods that both sides have, of calls or of constructors.
func (c *comparer) methodsOf(constructors bool) []string {
	names := func(i *Interface) map[string]bool {
		m := map[string]bool{}
		if constructors {
			for _, k := range i.Constructors {
				m[k.Method] = true
			}
			return m
		}
		for _, k := range i.Calls {
			m[k.Method] = true
		}
		return m
	}
	inA, inB := names(c.a.Interface), names(c.b.Interface)
	maps.DeleteFunc(inA, func(name string, _ bool) bool { return !inB[name] })
	return slices.Sorted(maps.Keys(inA))
}

func (c *comparer) callsOf(x *index, method string, constructors bool) []Call {
	list := x.Calls
	if constructors {
		list = constructorCalls(x.Interface)
	}
	return slices.DeleteFunc(slices.Clone(list), func(k Call) bool { return k.Method != method })
}

// updatesOf lists the texts of the updates of a method.
func (x *index) updatesOf(method string) []string {
	var out []string
	add := func(update map[string]string) { out = append(out, slices.Sorted(maps.Values(update))...) }
	for _, k := range x.Constructors {
		if k.Method == method {
			add(k.Update)
		}
	}
	for _, e := range x.Edges {
		if x.Calls[x.call[e.Call]].Method == method {
			add(e.Update)
		}
	}
	return out
}

// arguments lists the values of the arguments of a method that either side
// mentions; ok is false if they are too many or results matter.
func (c *comparer) arguments(method string, constructors bool) (list []map[string]string, ok bool) {
	a, b := c.callsOf(c.a, method, constructors), c.callsOf(c.b, method, constructors)
	if !slices.Equal(a[0].Params, b[0].Params) || !slices.Equal(a[0].Types, b[0].Types) || len(a[0].Results)+len(b[0].Results) > 0 {
		return nil, false
	}
	var mentioned []string
	texts := slices.Concat(c.a.updatesOf(method), c.b.updatesOf(method))
	for _, k := range slices.Concat(a, b) {
		texts = append(texts, k.Guard)
	}
	for _, t := range texts {
		e, err := parseGuard(t)
		if err != nil {
			return nil, false
		}
		mentioned = append(mentioned, names(e)...)
	}
	list = []map[string]string{{}}
	for k, p := range a[0].Params {
		if !slices.Contains(mentioned, p) {
			continue
		}
		values := domain(a[0].Types[k])
		if values == nil || len(list)*len(values) > maxArguments {
			return nil, false
		}
		var next []map[string]string
		for _, m := range list {
			for _, v := range values {
				n := maps.Clone(m)
				n[p] = v
				next = append(next, n)
			}
		}
		list = next
	}
	return list, true
}

// A configNode is a pair of configurations.
type configNode struct {
	a, b   config
	parent int
	symbol Symbol
}

func (c config) key() string {
	var b strings.Builder
	fmt.Fprint(&b, c.state)
	for _, name := range slices.Sorted(maps.Keys(c.registers)) {
		fmt.Fprintf(&b, " %s=%s", name, c.registers[name].text())
	}
	return b.String()
}

// explicit explores all pairs of configurations. It reports false, with nothing
// found, if there are too many.
func (c *comparer) explicit() bool {
	args := map[string][]map[string]string{} // no constructor has the name of a method
	for _, constructors := range []bool{false, true} {
		for _, m := range c.methodsOf(constructors) {
			list, ok := c.arguments(m, constructors)
			if !ok {
				return false
			}
			args[m] = list
		}
	}
	before, reasons := c.Difference, maps.Clone(c.reason)
	giveUp := func() bool {
		if c.cells == nil && (c.AllowedByA != nil || c.AllowedByB != nil) {
			return true // a concrete word is enough
		}
		c.Difference, c.reason = before, reasons
		c.cells.forget()
		return false
	}
	nodes := []configNode{{a: config{state: -1}, b: config{state: -1}, parent: -1}}
	seen := map[string]bool{}
	steps := 0
	for at := 0; at < len(nodes); at++ {
		n := nodes[at]
		for _, m := range c.methodsOf(at == 0) {
			for _, arg := range args[m] {
				if steps++; steps > maxProduct {
					return giveUp()
				}
				step := Step{Call: m, Args: arg}
				ra, okA := c.a.outcomes(n.a, step, at == 0)
				rb, okB := c.b.outcomes(n.b, step, at == 0)
				if !okA || !okB {
					return giveUp()
				}
				va, vb := ra.verdict, rb.verdict
				if va == verdictNever || vb == verdictNever {
					continue
				}
				symbol := Symbol{Method: m, Args: arg}
				c.note(cellsOf(n.a.state, n.b.state, ra.call, rb.call), va, vb, func() *Separation { return &Separation{wordTo(nodes, at, symbol), va, vb} })
				ca, cb := c.callsOf(c.a, m, at == 0)[0], c.callsOf(c.b, m, at == 0)[0]
				for _, ea := range ra.edges {
					for _, eb := range rb.edges {
						outcome, ok := c.meet(class{ca, cb, symbol}, ea.Outcome, eb.Outcome)
						if !ok {
							continue
						}
						next := configNode{
							a:      c.a.move(n.a, Result{State: ea.To, Update: ea.Update}, ra.scope),
							b:      c.b.move(n.b, Result{State: eb.To, Update: eb.Update}, rb.scope),
							parent: at, symbol: symbol}
						next.symbol.Outcome = outcome
						if key := next.a.key() + "|" + next.b.key(); !seen[key] {
							seen[key] = true
							nodes = append(nodes, next)
						}
					}
				}
			}
		}
	}
	return true
}

// note records a difference in verdicts, the first of each kind, and all pairs of cells if they are listed.
func (c *comparer) note(at cellPair, va, vb Verdict, word func() *Separation) {
	var found **Separation
	switch {
	case va == VerdictAllowed && vb.Forbidden():
		found = &c.AllowedByA
	case va.Forbidden() && vb == VerdictAllowed:
		found = &c.AllowedByB
	case va != VerdictUnknown && vb == VerdictUnknown:
		found = &c.KnownByA
	case va == VerdictUnknown && vb != VerdictUnknown:
		found = &c.KnownByB
	}
	if found != nil && *found == nil {
		*found = word()
		c.cells.add(at, va, vb, func() *Separation { return *found })
		return
	}
	c.cells.add(at, va, vb, word)
}

func wordTo(nodes []configNode, at int, last Symbol) []Symbol {
	word := []Symbol{last}
	for ; nodes[at].parent >= 0; at = nodes[at].parent {
		word = append(word, nodes[at].symbol)
	}
	slices.Reverse(word)
	return word
}

// verdictNever stands for the verdict of a step that cannot be made.
const verdictNever Verdict = 255

// A chosenCell is a step from a configuration.
type chosenCell struct {
	verdict Verdict
	edges   []Edge
	scope   *scope
	call    Call // the first of those that it may be
}

// outcomes returns what a step from a configuration does; ok is false if the call
// cannot be chosen.
func (x *index) outcomes(at config, step Step, constructor bool) (r chosenCell, ok bool) {
	var choices []Call
	kind := "call"
	if constructor {
		kind = "call of a constructor"
		for _, k := range constructorCalls(x.Interface) {
			if k.Method == step.Call {
				choices = append(choices, k)
			}
		}
	} else {
		for _, k := range x.calls[step.Call] {
			choices = append(choices, x.Calls[k])
		}
	}
	ks, s, chosen := x.chooseAmong(kind, choices, at, step)
	if chosen.Kind != StepNext {
		return r, false
	}
	r.scope = s
	if !constructor {
		ks = slices.DeleteFunc(ks, func(k int) bool { return x.CannotBeMade(at.state, choices[k].ID) })
		if len(ks) == 0 {
			r.verdict = verdictNever
			return r, true
		}
	}
	r.call = choices[ks[0]]
	r.verdict, r.edges = x.look(at.state, r.call)
	for _, k := range ks[1:] {
		w, others := x.look(at.state, choices[k])
		if !sameCell(r.verdict, r.edges, w, others) {
			return r, false
		}
	}
	return r, true
}

// sameCell reports whether two cells say the same.
func sameCell(v Verdict, edges []Edge, w Verdict, others []Edge) bool {
	same := (v == w || v.Forbidden() && w.Forbidden()) && len(edges) == len(others)
	for k := 0; same && k < len(edges); k++ {
		same = edges[k].Outcome == others[k].Outcome && sameTarget(&edges[k], &others[k])
	}
	return same
}

// A symbolicNode is a pair of states and the symbols that their registers hold.
type symbolicNode struct {
	a, b   int
	holds  [2]map[string]string
	parent int
	symbol Symbol
}

// symbolPrefix begins the names of symbols; Go does not mind it, programs do not
// use it.
const symbolPrefix = "ᵥ"

// symbolic explores pairs of states with symbols for values.
func (c *comparer) symbolic() {
	sides := [2]*index{c.a, c.b}
	nodes := []symbolicNode{{a: -1, b: -1, parent: -1}}
	seen := map[string]bool{}
	for at := 0; at < len(nodes); at++ {
		n := nodes[at]
		types := map[string]string{}
		for side, x := range sides {
			for r, symbol := range n.holds[side] {
				if strings.HasPrefix(symbol, symbolPrefix) {
					types[symbol] = x.registers[r]
				}
			}
		}
		symbols := slices.Sorted(maps.Keys(types))
		for _, m := range c.methodsOf(at == 0) {
			var calls [2][]Call
			for side, x := range sides {
				of, ok := x.renamed(c.callsOf(x, m, at == 0), [2]int{n.a, n.b}[side], n.holds[side])
				if !ok {
					c.because("guards of %s depend on a register that a state does not have: cannot compare", m)
					return
				}
				for k := range of {
					for _, s := range symbols {
						of[k].Params = append(of[k].Params[:len(of[k].Params):len(of[k].Params)], s)
						of[k].Types = append(of[k].Types[:len(of[k].Types):len(of[k].Types)], types[s])
					}
				}
				calls[side] = of
			}
			classes, why := refine(c.a, calls[0], c.b, calls[1])
			if why != "" {
				// Any two calls may be made together: enough to find a difference.
				c.because("guards of %s differ: cannot compare: %s", m, why)
				classes = nil
				for _, ca := range calls[0] {
					for _, cb := range calls[1] {
						classes = append(classes, class{a: ca, b: cb})
					}
				}
			}
			for _, cl := range classes {
				if c.a.CannotBeMade(n.a, cl.a.ID) || c.b.CannotBeMade(n.b, cl.b.ID) {
					continue
				}
				va, edgesA := c.a.look(n.a, cl.a)
				vb, edgesB := c.b.look(n.b, cl.b)
				cl.symbol = Symbol{Method: m, Guard: c.a.guardOf(cl.a, at == 0)}
				pair := cellsOf(n.a, n.b, cl.a, cl.b)
				pair.loose = why != ""
				c.note(pair, va, vb, func() *Separation {
					word := []Symbol{cl.symbol}
					for k := at; nodes[k].parent >= 0; k = nodes[k].parent {
						word = append(word, nodes[k].symbol)
					}
					slices.Reverse(word)
					if (va == VerdictAllowed) == (vb == VerdictAllowed) || va == VerdictUnknown || vb == VerdictUnknown {
						return &Separation{word, va, vb}
					}
					if concrete := c.concretize(word, va, vb); concrete != nil {
						return &Separation{concrete, va, vb}
					}
					c.because("%s may differ after some values of registers: no word was found that shows it", m)
					return nil
				})
				for _, ea := range edgesA {
					for _, eb := range edgesB {
						outcome, ok := c.meet(cl, ea.Outcome, eb.Outcome)
						if !ok {
							continue
						}
						next := symbolicNode{a: ea.To, b: eb.To, parent: at, symbol: cl.symbol}
						next.symbol.Outcome = outcome
						if next.holds, ok = c.assign(n, ea, eb); !ok {
							c.because("an update after %s cannot be read: cannot compare", m)
							continue
						}
						if key := fmt.Sprint(next.a, next.b, next.holds); !seen[key] {
							seen[key] = true
							nodes = append(nodes, next)
						}
					}
				}
			}
		}
	}
}

// guardOf is the guard of a call whose guard was renamed.
func (x *index) guardOf(call Call, constructor bool) string {
	if constructor {
		k := slices.IndexFunc(x.Constructors, func(c Constructor) bool { return c.ID == call.ID })
		return x.Constructors[k].Guard
	}
	return x.Calls[x.call[call.ID]].Guard
}

// renamed returns the calls of a method with symbols in place of registers in
// their guards. Calls whose guards mention a register that the state does not have
// become one, if they say the same there.
func (x *index) renamed(calls []Call, state int, holds map[string]string) ([]Call, bool) {
	var out []Call
	var open *Call
	var others []string
	for _, call := range calls {
		e, err := parseGuard(call.Guard)
		if err != nil {
			return nil, false
		}
		missing := false
		for _, name := range names(e) {
			_, register := x.registers[name]
			missing = missing || register && holds[name] == "" && !slices.Contains(call.Params, name)
		}
		if missing && x.CannotBeMade(state, call.ID) {
			continue
		}
		if missing {
			if open != nil {
				v, edges := x.look(state, *open)
				w, more := x.look(state, call)
				if !sameCell(v, edges, w, more) {
					return nil, false
				}
				continue
			}
			open = &call
			continue
		}
		call.Guard = printExpr(substitute(e, holds, call.Params))
		others = append(others, "("+call.Guard+")")
		out = append(out, call)
	}
	if open != nil {
		open.Guard = "true"
		if len(others) > 0 {
			open.Guard = "!(" + strings.Join(others, " || ") + ")"
		}
		out = append(out, *open)
	}
	return out, true
}

// assign gives the registers of two target states their symbols.
func (c *comparer) assign(n symbolicNode, ea, eb Edge) ([2]map[string]string, bool) {
	var out [2]map[string]string
	number := map[string]int{} // of values that are expressions
	for side, x := range []*index{c.a, c.b} {
		e := []Edge{ea, eb}[side]
		out[side] = map[string]string{}
		for _, r := range slices.SortedFunc(slices.Values(x.States[e.To].Registers), func(a, b Register) int { return strings.Compare(a.Name, b.Name) }) {
			text, ok := e.Update[r.Name]
			if !ok {
				text = r.Name
			}
			expr, err := parseGuard(text)
			if err != nil {
				return out, false
			}
			expr = ast.Unparen(substitute(expr, n.holds[side], nil))
			value := printExpr(expr)
			if !constantText(value, r.Type) {
				value = r.Type + " " + value // equal texts of different types are not equal values
				if number[value] == 0 {
					number[value] = len(number) + 1
				}
				value = fmt.Sprintf("%s%d", symbolPrefix, number[value])
			}
			out[side][r.Name] = value
		}
	}
	return out, true
}

// constantText reports whether a text is a constant of a type that is written in
// one way only.
func constantText(text, typeName string) bool {
	t := parseType(typeName)
	switch {
	case t.name == "bool":
		return text == "true" || text == "false"
	case t.bits > 0:
		n, ok := new(big.Int).SetString(text, 10)
		return ok && n.String() == text && t.fits(n)
	}
	return false
}

// substitute replaces registers by what they hold. Parameters hide registers.
func substitute(e ast.Expr, holds map[string]string, params []string) ast.Expr {
	if name, ok := dotted(e); ok {
		if to := holds[name]; to != "" && !slices.Contains(params, name) {
			if strings.HasPrefix(to, "-") {
				to = "(" + to + ")"
			}
			return &ast.Ident{Name: to}
		}
		return e
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return &ast.ParenExpr{X: substitute(e.X, holds, params)}
	case *ast.UnaryExpr:
		return &ast.UnaryExpr{Op: e.Op, X: substitute(e.X, holds, params)}
	case *ast.BinaryExpr:
		return &ast.BinaryExpr{Op: e.Op, X: substitute(e.X, holds, params), Y: substitute(e.Y, holds, params)}
	case *ast.CallExpr:
		args := make([]ast.Expr, len(e.Args))
		for k := range args {
			args[k] = substitute(e.Args[k], holds, params)
		}
		return &ast.CallExpr{Fun: e.Fun, Args: args}
	}
	return e
}

func printExpr(e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), e); err != nil {
		return "?"
	}
	return b.String()
}

// maxConcrete bounds the words that concretize tries in one comparison.
const maxConcrete = 1 << 13

// concretize looks for values with which a word of guards shows that its last call
// is allowed by one side and forbidden by the other. The values tried are small
// ones, those in the guards, those of the arguments before, and their neighbours.
func (c *comparer) concretize(word []Symbol, va, vb Verdict) []Symbol {
	var walk func(k int, steps []Step, values []*big.Int) []Step
	walk = func(k int, steps []Step, values []*big.Int) []Step {
		method := word[k].Method
		calls := c.callsOf(c.a, method, k == 0)
		if len(calls) == 0 {
			return nil
		}
		for _, args := range candidates(calls[0], calls, values) {
			if c.tried++; c.tried > maxConcrete {
				return nil
			}
			outcome := word[k].Outcome
			if outcome == "*" {
				outcome = ""
			}
			next := append(steps[:len(steps):len(steps)], Step{Call: method, Args: args, Outcome: outcome})
			a, b := c.a.accepts(next), c.b.accepts(next)
			if k == len(word)-1 {
				if a.Pos >= k && b.Pos >= k && a.Verdict == va && b.Verdict == vb && (a.Kind == StepForbidden) == va.Forbidden() && (b.Kind == StepForbidden) == vb.Forbidden() &&
					a.Kind != StepUnknown && b.Kind != StepUnknown && a.Kind != StepImpossible && b.Kind != StepImpossible {
					return next
				}
				continue
			}
			if a.Kind != StepNext || b.Kind != StepNext {
				continue
			}
			more := values
			for _, name := range slices.Sorted(maps.Keys(args)) {
				if n, ok := new(big.Int).SetString(args[name], 0); ok {
					more = append(more[:len(more):len(more)], n)
				}
			}
			if found := walk(k+1, next, more); found != nil {
				return found
			}
		}
		return nil
	}
	steps := walk(0, nil, nil)
	if steps == nil {
		return nil
	}
	var out []Symbol
	for k, s := range steps {
		out = append(out, Symbol{Method: s.Call, Args: s.Args, Outcome: word[k].Outcome})
	}
	return out
}

// maxCandidates bounds the arguments tried for one call.
const maxCandidates = 64

// candidates lists arguments to try.
func candidates(call Call, calls []Call, values []*big.Int) []map[string]string {
	numbers := append([]*big.Int{big.NewInt(0), big.NewInt(1), big.NewInt(2), big.NewInt(-1)}, values...)
	for _, k := range calls {
		e, err := parseGuard(k.Guard)
		if err != nil {
			continue
		}
		ast.Inspect(e, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				if v, err := literal(lit); err == nil && v.n != nil {
					numbers = append(numbers, v.n)
				}
			}
			return true
		})
	}
	list := []map[string]string{{}}
	for k, p := range call.Params {
		t := parseType(call.Types[k])
		var texts []string
		add := func(text string) {
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		switch {
		case t.name == "bool":
			texts = []string{"false", "true"}
		case t.bits > 0:
			for _, n := range numbers {
				for _, d := range []int64{0, 1, -1} {
					if m := new(big.Int).Add(n, big.NewInt(d)); t.fits(m) {
						add(m.String())
					}
				}
			}
		default:
			for _, k := range calls {
				if e, err := parseGuard(k.Guard); err == nil {
					for _, v := range enumValues([]ast.Expr{e}, call.Params, call.Types, t.name) {
						add(v)
					}
				}
			}
		}
		var next []map[string]string
		for _, m := range list {
			for _, v := range texts {
				if len(next) < maxCandidates {
					n := maps.Clone(m)
					n[p] = v
					next = append(next, n)
				}
			}
		}
		if len(next) > 0 {
			list = next
		}
	}
	return list
}
