// SPDX-License-Identifier: Apache-2.0

package typestate

// This file compares two interfaces on the words that can happen in both, by
// breadth-first search of the pairs of states that such words reach. The words
// it finds are shortest, because they are shown to people. The automata package
// was not used: its letters are dense integers common to both sides, and here
// most of the work is to find out which calls the two sides have in common.
//
// Calls are matched by method and guard text. Where the guards of a method are
// written differently, the common refinement of the two partitions is computed
// by trying all arguments, if these are few; otherwise the comparison says that
// it cannot tell.

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A Comparison is the result of comparing two interfaces.
// The zero value is CompareUnknown.
type Comparison uint8

const (
	CompareUnknown   Comparison = iota // no difference found, but not everything could be compared
	CompareEqual                       // the same on all words that can happen in both
	CompareDifferent                   // a word is allowed by one and forbidden by the other, or a method is missing
)

func (c Comparison) String() string {
	switch c {
	case CompareEqual:
		return "equal"
	case CompareDifferent:
		return "different"
	}
	return "unknown"
}

// A Symbol is one call of a word that two interfaces have in common: a method
// with the arguments that satisfy Guard or, if Guard is empty, with Args.
type Symbol struct {
	Method  string
	Guard   string
	Args    map[string]string
	Outcome string // "*" if it does not matter, "" if the word ends here
}

// String returns the symbol as it is written on the command line, with a guard
// in brackets.
func (s Symbol) String() string {
	var b strings.Builder
	b.WriteString(s.Method)
	switch {
	case s.Guard == "" && len(s.Args) > 0:
		for k, name := range slices.Sorted(maps.Keys(s.Args)) {
			fmt.Fprintf(&b, "%s%s: %s", []string{"(", ", "}[min(k, 1)], name, s.Args[name])
		}
		b.WriteString(")")
	case s.Guard != "" && s.Guard != "true":
		fmt.Fprintf(&b, "[%s]", s.Guard)
	}
	if s.Outcome != "" && s.Outcome != "*" {
		fmt.Fprintf(&b, "=%s", s.Outcome)
	}
	return b.String()
}

// A Separation is a shortest word, beginning with a constructor, after which
// two interfaces give its last call different verdicts.
type Separation struct {
	Word []Symbol
	A, B Verdict // of the last call
}

// A Name is the name of a method or constructor.
type Name struct {
	Method      string
	Constructor bool
}

// A Difference says how two interfaces a and b differ. Words count only if
// they can happen in both, that is, if both have an edge for every call in
// them but the last. If neither is tight, a component need not have such a word. The two forbidden verdicts count as equal, and so do two
// unknown ones.
type Difference struct {
	Kind Comparison
	// OnlyA and OnlyB are the methods and constructors that the other side
	// does not have.
	OnlyA, OnlyB []Name
	// AllowedByA is a word that a allows and b forbids, AllowedByB the reverse.
	AllowedByA, AllowedByB *Separation
	// KnownByA is a word whose verdict a knows and b does not, KnownByB the
	// reverse. They are not differences: the unknown verdict may be the same.
	KnownByA, KnownByB *Separation
	// Reasons says what could not be compared.
	Reasons []string
}

// Compare compares two interfaces. Equal guards that are written differently
// are found equal only if the arguments they mention are few: bool, integers of
// at most 8 bits, and enums. Registers may have different names, and need not
// be kept by the same states.
func Compare(a, b *Interface) Difference {
	c := &comparer{reason: map[string]bool{}}
	c.compare(a, b)
	return c.Difference
}

// compare finds the difference of two interfaces.
func (c *comparer) compare(a, b *Interface) {
	for _, side := range []struct {
		name string
		i    *Interface
	}{{"first", a}, {"second", b}} {
		if err := side.i.Validate(); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			c.because("the %s interface is not valid: %s", side.name, first)
		}
	}
	if len(c.Reasons) > 0 {
		return
	}
	c.a, c.b = newIndex(a), newIndex(b)
	switch {
	case !hasRegisters(a) && !hasRegisters(b):
		ctors := c.match(constructorCalls(a), constructorCalls(b), true)
		calls := c.match(a.Calls, b.Calls, false)
		c.search(ctors, calls)
	default:
		c.compareRegisters(a, b)
	}
	switch {
	case c.AllowedByA != nil || c.AllowedByB != nil || len(c.OnlyA) > 0 || len(c.OnlyB) > 0:
		c.Kind = CompareDifferent
	case c.KnownByA == nil && c.KnownByB == nil && len(c.Reasons) == 0:
		c.Kind = CompareEqual
	}
}

func hasRegisters(i *Interface) bool {
	return slices.ContainsFunc(i.States, func(s State) bool { return len(s.Registers) > 0 })
}

// constructorCalls returns one call per constructor id.
func constructorCalls(i *Interface) []Call {
	var calls []Call
	for _, c := range i.Constructors {
		if !slices.ContainsFunc(calls, func(o Call) bool { return o.ID == c.ID }) {
			calls = append(calls, Call{ID: c.ID, Method: c.Method, Params: c.Params, Types: c.Types, Guard: c.Guard, Results: c.Results})
		}
	}
	return calls
}

type comparer struct {
	Difference
	a, b   *index
	reason map[string]bool
	tried  int        // concrete words
	cells  *cellPairs // nil: they are not listed
}

func (c *comparer) because(format string, args ...any) {
	r := fmt.Sprintf(format, args...)
	if !c.reason[r] {
		c.reason[r] = true
		c.Reasons = append(c.Reasons, r)
	}
}

// A class is a set of arguments of a method for which both sides choose the
// same call.
type class struct {
	a, b   Call
	symbol Symbol
}

// match returns the classes of all methods that both sides have, in order of
// method, then of the calls of a, then of those of b.
func (c *comparer) match(a, b []Call, constructor bool) []class {
	byMethod := func(calls []Call) map[string][]Call {
		m := map[string][]Call{}
		for _, call := range calls {
			m[call.Method] = append(m[call.Method], call)
		}
		return m
	}
	inA, inB := byMethod(a), byMethod(b)
	var classes []class
	for _, m := range slices.Sorted(maps.Keys(inA)) {
		if inB[m] == nil {
			c.OnlyA = append(c.OnlyA, Name{m, constructor})
			continue
		}
		of, why := refine(c.a, inA[m], c.b, inB[m])
		if why != "" {
			c.because("guards of %s differ: cannot compare: %s", m, why)
		}
		classes = append(classes, of...)
	}
	for _, m := range slices.Sorted(maps.Keys(inB)) {
		if inA[m] == nil {
			c.OnlyB = append(c.OnlyB, Name{m, constructor})
		}
	}
	return classes
}

// refine returns the common refinement of two partitions of the arguments of a
// method. If it is incomplete, why says what is missing.
func refine(xa *index, a []Call, xb *index, b []Call) (classes []class, why string) {
	guards := func(calls []Call) []string {
		var g []string
		for _, call := range calls {
			g = append(g, call.Guard)
		}
		slices.Sort(g)
		return g
	}
	sameParams := slices.Equal(a[0].Params, b[0].Params) && slices.Equal(a[0].Types, b[0].Types)
	switch {
	case len(a) == 1 && a[0].Guard == "true":
		for _, call := range b {
			classes = append(classes, class{a[0], call, Symbol{Method: call.Method, Guard: call.Guard}})
		}
		return classes, ""
	case len(b) == 1 && b[0].Guard == "true":
		for _, call := range a {
			classes = append(classes, class{call, b[0], Symbol{Method: call.Method, Guard: call.Guard}})
		}
		return classes, ""
	case !sameParams:
		return nil, "the parameters differ"
	case slices.Equal(guards(a), guards(b)):
		for _, call := range a {
			k := slices.IndexFunc(b, func(o Call) bool { return o.Guard == call.Guard })
			classes = append(classes, class{call, b[k], Symbol{Method: call.Method, Guard: call.Guard}})
		}
		return classes, ""
	}
	return enumerate(xa, a, xb, b)
}

// maxArguments bounds the number of arguments that enumerate tries.
const maxArguments = 1 << 16

// enumerate finds the classes by trying all values of the parameters that the
// guards mention.
func enumerate(xa *index, a []Call, xb *index, b []Call) ([]class, string) {
	var guardsA, guardsB []ast.Expr
	for _, side := range []struct {
		x      *index
		calls  []Call
		guards *[]ast.Expr
	}{{xa, a, &guardsA}, {xb, b, &guardsB}} {
		for _, call := range side.calls {
			e, err := side.x.parse(call.Guard)
			if err != nil {
				return nil, err.Error()
			}
			*side.guards = append(*side.guards, e)
		}
	}
	all := slices.Concat(guardsA, guardsB)
	params, types := a[0].Params, a[0].Types

	// The named values of an enum surely exist. Whether others exist the file
	// does not say; they are all alike, so one stands for them.
	var domains [][]string
	var mentioned []int
	total, enums := 1, 0
	for k, name := range params {
		if !slices.ContainsFunc(all, func(e ast.Expr) bool { return slices.Contains(names(e), name) }) {
			continue
		}
		domain := domain(types[k])
		if domain == nil {
			if parseType(types[k]).bits > 0 {
				return nil, fmt.Sprintf("%s has too many values", name)
			}
			domain = enumValues(all, params, types, types[k])
			if slices.Equal(domain, []string{"nil"}) {
				domain = append(domain, "non-nil")
			} else {
				domain = append(domain, otherValue)
				enums++
			}
		}
		if total *= len(domain); total > maxArguments {
			return nil, "the parameters have too many values together"
		}
		domains, mentioned = append(domains, domain), append(mentioned, k)
	}

	s := newScope()
	for k, name := range params {
		s.types[name] = types[k]
	}
	hold := func(guards []ast.Expr) (int, string) {
		chosen := -1
		for k, g := range guards {
			holds, err := s.holds(g)
			switch {
			case err != nil:
				return 0, err.Error()
			case holds && chosen >= 0:
				return 0, "two guards hold for the same arguments"
			case holds:
				chosen = k
			}
		}
		if chosen < 0 {
			return 0, "no guard holds for some arguments"
		}
		return chosen, ""
	}
	found := map[[2]int]map[string]string{}
	perhaps := map[[2]int]map[string]string{} // only with values that no guard names
	for n := range total {
		args := map[string]string{}
		unsure := false
		for k, rest := len(domains)-1, n; k >= 0; k-- {
			text := domains[k][rest%len(domains[k])]
			rest /= len(domains[k])
			v, err := parseValue(text, types[mentioned[k]])
			if err != nil {
				return nil, err.Error()
			}
			unsure = unsure || text == otherValue
			s.values[params[mentioned[k]]] = v
			args[params[mentioned[k]]] = text
		}
		ka, why := hold(guardsA)
		if why != "" {
			return nil, why
		}
		kb, why := hold(guardsB)
		if why != "" {
			return nil, why
		}
		pair := [2]int{ka, kb}
		switch {
		case unsure && perhaps[pair] == nil:
			perhaps[pair] = args
		case !unsure && found[pair] == nil:
			found[pair] = args
		}
	}
	// Guards can be satisfied. So if a guard needs an unnamed value, and only
	// one parameter can have one, then it exists.
	maps.DeleteFunc(perhaps, func(pair [2]int, _ map[string]string) bool { return found[pair] != nil })
	if enums == 1 && needs(perhaps, found) {
		maps.Copy(found, perhaps)
		clear(perhaps)
	}
	var classes []class
	for ka := range a {
		for kb := range b {
			if args := found[[2]int{ka, kb}]; args != nil {
				classes = append(classes, class{a[ka], b[kb], Symbol{Method: a[ka].Method, Args: args}})
			}
		}
	}
	if len(perhaps) > 0 {
		return classes, "an enum may have values that no guard names"
	}
	return classes, ""
}

// needs reports whether some call of either side is chosen in perhaps but not in
// found.
func needs(perhaps, found map[[2]int]map[string]string) bool {
	var chosen [2]map[int]bool
	for side := range chosen {
		chosen[side] = map[int]bool{}
		for pair := range found {
			chosen[side][pair[side]] = true
		}
		for pair := range perhaps {
			if !chosen[side][pair[side]] {
				return true
			}
		}
	}
	return false
}

// domain returns the values of a small type, or nil.
func domain(typeName string) []string {
	t := parseType(typeName)
	switch {
	case t.name == "bool":
		return []string{"false", "true"}
	case t.bits == 0 || t.bits > 8:
		return nil
	}
	var values []string
	for n := range 1 << t.bits {
		values = append(values, t.wrap(big.NewInt(int64(n))).String())
	}
	slices.SortFunc(values, func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
	return values
}

// enumValues returns the values of an enum that are compared with its
// parameters, sorted.
func enumValues(guards []ast.Expr, params, types []string, enum string) []string {
	var values []string
	add := func(param, constant ast.Expr) {
		p, ok := dotted(ast.Unparen(param))
		v, isName := dotted(ast.Unparen(constant))
		k := slices.Index(params, p)
		if ok && isName && k >= 0 && types[k] == enum && !slices.Contains(params, v) {
			values = append(values, strings.TrimPrefix(v, enum+"."))
		}
	}
	for _, g := range guards {
		ast.Inspect(g, func(n ast.Node) bool {
			if e, ok := n.(*ast.BinaryExpr); ok && (e.Op == token.EQL || e.Op == token.NEQ) {
				add(e.X, e.Y)
				add(e.Y, e.X)
			}
			return true
		})
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// search explores the pairs of states.
func (c *comparer) search(ctors, calls []class) {
	type node struct {
		a, b   int
		parent int
		symbol Symbol
	}
	nodes := []node{{a: -1, b: -1, parent: -1}}
	seen := map[[2]int]bool{}
	separate := func(at int, cl class, va, vb Verdict) *Separation {
		word := []Symbol{cl.symbol}
		for ; nodes[at].parent >= 0; at = nodes[at].parent {
			word = append(word, nodes[at].symbol)
		}
		slices.Reverse(word)
		return &Separation{word, va, vb}
	}
	for at := 0; at < len(nodes); at++ {
		n := nodes[at]
		classes := calls
		if at == 0 {
			classes = ctors
		}
		for _, cl := range classes {
			if c.a.CannotBeMade(n.a, cl.a.ID) || c.b.CannotBeMade(n.b, cl.b.ID) {
				continue
			}
			va, edgesA := c.a.look(n.a, cl.a)
			vb, edgesB := c.b.look(n.b, cl.b)
			c.note(cellsOf(n.a, n.b, cl.a, cl.b), va, vb, func() *Separation { return separate(at, cl, va, vb) })
			met := false
			for _, ea := range edgesA {
				for _, eb := range edgesB {
					outcome, ok := c.meet(cl, ea.Outcome, eb.Outcome)
					met = met || ok
					if !ok || seen[[2]int{ea.To, eb.To}] {
						continue
					}
					seen[[2]int{ea.To, eb.To}] = true
					s := cl.symbol
					s.Outcome = outcome
					nodes = append(nodes, node{ea.To, eb.To, at, s})
				}
			}
			if !met && len(edgesA) > 0 && len(edgesB) > 0 {
				// Each side proves that the outcomes of the other cannot
				// happen: more likely they are the same by other names.
				c.because("outcomes of %s differ: cannot compare what follows them", cl.symbol.Method)
			}
		}
	}
}

// meet returns the outcome of a call that takes two given edges. Outcomes are
// the same if they have the same name and the two sides split results into the
// same classes.
func (c *comparer) meet(cl class, a, b string) (string, bool) {
	switch {
	case a == "*":
		return b, true
	case b == "*":
		return a, true
	}
	split := func(call Call) []string { return slices.Sorted(slices.Values(call.Outcomes)) }
	if !slices.Equal(split(cl.a), split(cl.b)) {
		c.because("outcomes of %s differ: cannot compare what follows them", cl.symbol.Method)
		return "", false
	}
	return a, a == b
}

// look returns the verdict and the edges of a call in a state, or of a
// constructor if the state is -1.
func (x *index) look(state int, call Call) (Verdict, []Edge) {
	if state >= 0 {
		at := cell{state, x.call[call.ID]}
		return x.result(at).Verdict, x.edges[at]
	}
	var edges []Edge
	verdict := VerdictUnknown
	for _, c := range x.Constructors {
		if c.ID != call.ID {
			continue
		}
		verdict, _ = ParseVerdict(c.Verdict)
		if c.State != nil {
			edges = append(edges, Edge{From: -1, Call: c.ID, Outcome: c.Outcome, To: *c.State, Update: c.Update})
		}
	}
	return verdict, edges
}
