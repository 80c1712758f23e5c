// SPDX-License-Identifier: Apache-2.0

package typestate

// This file lists what two interfaces say cell by cell. Compare stops at the first word of each kind; who tells
// the users of a library what has changed needs all of them.

import (
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
)

// A CellPair is a cell of one interface and a cell of another that some word gets to in both.
type CellPair struct {
	// Separation has a shortest word; the call is its last.
	Separation
	StateA, StateB int    // in which the call is made; -1 for a constructor
	CallA, CallB   string // the ids of the call
}

// CompareCells compares two interfaces as [Compare] does, and lists all pairs of cells that a word gets to in both, in
// the order of the lengths of the words. A parameter that has another name on the other side is taken for the
// same one, so that the words are written with the names of a.
//
// Verdicts of pairs that differ are shown by the word. Pairs are left out where the calls could not be compared; the
// reasons say so.
func CompareCells(a, b *Interface) ([]CellPair, Difference) {
	c := &comparer{reason: map[string]bool{}, cells: &cellPairs{}}
	if a.Validate() == nil && b.Validate() == nil {
		b = sameParameters(a, b)
	}
	c.compare(a, b)
	slices.SortStableFunc(c.cells.list, func(x, y CellPair) int { return len(x.Word) - len(y.Word) })
	return c.cells.list, c.Difference
}

// A cellPair names two cells.
type cellPair struct {
	a, b         int
	callA, callB string
	loose        bool // the guards may exclude each other
}

func cellsOf(a, b int, callA, callB Call) cellPair {
	return cellPair{a: a, b: b, callA: callA.ID, callB: callB.ID}
}

// cellPairs collects pairs of cells, each with the first word.
type cellPairs struct {
	list []CellPair
	have map[cellPair]bool
}

func (p *cellPairs) forget() {
	if p != nil {
		p.list, p.have = nil, nil
	}
}

// add records a pair. Of a loose pair only a difference that a word shows counts.
func (p *cellPairs) add(at cellPair, va, vb Verdict, word func() *Separation) {
	if p == nil {
		return
	}
	differs := va == VerdictAllowed && vb.Forbidden() || va.Forbidden() && vb == VerdictAllowed
	if at.loose && !differs {
		return
	}
	at.loose = false
	if p.have[at] {
		return
	}
	s := word()
	if s == nil {
		return
	}
	if p.have == nil {
		p.have = map[cellPair]bool{}
	}
	p.have[at] = true
	p.list = append(p.list, CellPair{Separation: *s, StateA: at.a, StateB: at.b, CallA: at.callA, CallB: at.callB})
}

// sameParameters gives the parameters of b the names that those of a have, method by method, where that changes no
// meaning. It returns b itself if all are the same.
func sameParameters(a, b *Interface) *Interface {
	out := b.Clone()
	changed := false
	for k := range out.Calls {
		c := &out.Calls[k]
		m := slices.IndexFunc(a.Calls, func(o Call) bool { return o.Method == c.Method })
		if m < 0 {
			continue
		}
		texts := []string{c.Guard}
		for _, e := range out.Edges {
			if e.Call == c.ID {
				texts = append(texts, slices.Collect(maps.Values(e.Update))...)
			}
		}
		to, ok := renaming(a.Calls[m].Params, c.Params, a.Calls[m].Types, c.Types)
		if !ok || !unused(texts, to) {
			continue
		}
		changed = true
		c.Params, c.Guard = slices.Clone(a.Calls[m].Params), renameText(c.Guard, to)
		for e := range out.Edges {
			if out.Edges[e].Call == c.ID {
				out.Edges[e].Update = renameUpdate(out.Edges[e].Update, to)
			}
		}
	}
	for k := range out.Constructors {
		c := &out.Constructors[k]
		m := slices.IndexFunc(a.Constructors, func(o Constructor) bool { return o.Method == c.Method })
		if m < 0 {
			continue
		}
		to, ok := renaming(a.Constructors[m].Params, c.Params, a.Constructors[m].Types, c.Types)
		if !ok || !unused(append(slices.Collect(maps.Values(c.Update)), c.Guard), to) {
			continue
		}
		changed = true
		c.Params, c.Guard, c.Update = slices.Clone(a.Constructors[m].Params), renameText(c.Guard, to), renameUpdate(c.Update, to)
	}
	// What is not compared may speak of the old names.
	out.Certificate = nil
	for k := range out.Forbidden {
		out.Forbidden[k].Witness = []Step{}
	}
	for k := range out.Constructors {
		out.Constructors[k].Witness = nil
	}
	if !changed || out.Validate() != nil {
		return b
	}
	return out
}

// renaming maps the parameters of one side to those of the other; ok is false if there is nothing to rename, or
// it cannot be.
func renaming(want, have, wantTypes, haveTypes []string) (to map[string]string, ok bool) {
	if len(want) != len(have) || !slices.Equal(wantTypes, haveTypes) || slices.Equal(want, have) {
		return nil, false
	}
	to = map[string]string{}
	for k := range want {
		if !token.IsIdentifier(want[k]) || !token.IsIdentifier(have[k]) || want[k] == "_" || have[k] == "_" {
			return nil, false
		}
		to[have[k]] = want[k]
	}
	return to, true
}

// unused reports that no expression speaks of something else by a new name.
func unused(texts []string, to map[string]string) bool {
	taken := slices.Collect(maps.Values(to))
	for _, text := range texts {
		e, err := parseGuard(text)
		if err != nil {
			return false
		}
		for _, name := range names(e) {
			if _, renamed := to[name]; !renamed && slices.Contains(taken, name) {
				return false
			}
		}
	}
	return true
}

// renameText renames the names in an expression, all at once.
func renameText(text string, to map[string]string) string {
	e, err := parseGuard(text)
	if err != nil {
		return text
	}
	mentions := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && to[id.Name] != "" {
			id.Name, mentions = to[id.Name], true
		}
		_, selector := n.(*ast.SelectorExpr)
		return !selector
	})
	if !mentions {
		return text
	}
	return quotedIdentifier.ReplaceAllStringFunc(printExpr(e), func(id string) string { return "`" + nameOf(id) + "`" })
}

// quotedIdentifier is a name in backquotes as it stands in an expression that was read.
var quotedIdentifier = regexp.MustCompile(quotedName + "[0-9a-f]*")

func renameUpdate(update map[string]string, to map[string]string) map[string]string {
	if update == nil {
		return nil
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(update)) {
		out[name] = renameText(update[name], to)
	}
	return out
}
