// SPDX-License-Identifier: Apache-2.0

package run

// This file divides calls. The letters of a call of the interface are that call with several arguments. Those that do the same
// in all states stay one call; others become calls of their own, if a simple condition on the arguments that were
// tried tells them apart: a small decision tree. What the condition says of arguments that were not tried is a guess, and
// all that is said of it is what was seen.

import (
	"cmp"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// textKind is the type of a parameter that says which text one is.
const textKind = "text"

// dotted matches names of fields: o.Level.
var dotted = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$`)

// maxConditions bounds how many tests the guard of a part has.
const maxConditions = 6

// divided returns the interface with calls and constructors divided, and what starts and calls are in it.
func (r Runs) divided(i *typestate.Interface, m *machine) (*typestate.Interface, []Ref, []Ref) {
	if m == nil || len(i.Unknown)+len(i.Uncovered) == 0 {
		return i, r.Starts, r.Calls // nothing is open
	}
	out := i.Clone()
	starts, calls := slices.Clone(r.Starts), slices.Clone(r.Calls)
	for _, c := range i.Calls {
		if slices.ContainsFunc(r.Calls, func(k Ref) bool { return len(k.IDs) > 1 && slices.Contains(k.IDs, c.ID) }) {
			continue // its guard compares with what is remembered
		}
		parts := groups(r.Calls, c.ID, func(a, b int) bool { return m.alike(r.Learned, a, b) })
		params, types := withTexts(r.Calls, parts, c.Params, c.Types)
		guards, parts := conditions(r.Calls, parts, params, types)
		for k, guard := range guards {
			id := c.ID
			if k == 0 && strings.Contains(guard, "`\"") {
				at := slices.IndexFunc(out.Calls, func(o typestate.Call) bool { return o.ID == id })
				out.Calls[at].Params, out.Calls[at].Types = params, types
			}
			if k > 0 {
				id = fmt.Sprintf("%s#part%d", c.ID, k)
				divideCall(out, c.ID, id)
			}
			at := slices.IndexFunc(out.Calls, func(o typestate.Call) bool { return o.ID == id })
			out.Calls[at].Guard = both(c.Guard, guard)
			for _, n := range parts[k] {
				calls[n].ID = id
			}
		}
	}
	done := map[string]bool{}
	for _, c := range i.Constructors {
		if c.State == nil || done[c.ID] {
			continue
		}
		done[c.ID] = true
		parts := groups(r.Starts, c.ID, func(a, b int) bool { return m.startsAlike(r.Learned, a, b) })
		guards, parts := conditions(r.Starts, parts, c.Params, c.Types)
		for k, guard := range guards {
			id := c.ID
			if k > 0 {
				id = fmt.Sprintf("%s#part%d", c.ID, k)
			}
			divideConstructor(out, c, id, both(c.Guard, guard), k > 0)
			for _, n := range parts[k] {
				starts[n].ID = id
			}
		}
	}
	return out, starts, calls
}

// startsAlike reports whether two starts make objects in the same state, as far as they make any.
func (m *machine) startsAlike(l *Learned, a, b int) bool {
	state := func(n int) int {
		if x, ok := l.tree.number[letter{true, n, "return"}]; ok {
			if s, ok := m.start[x]; ok {
				return s
			}
		}
		return -1
	}
	x, y := state(a), state(b)
	return x == y || x < 0 || y < 0
}

// groups divides the letters of a call into those that are alike.
func groups(refs []Ref, id string, alike func(a, b int) bool) (parts [][]int) {
	for k, r := range refs {
		if r.ID != id {
			continue
		}
		at := slices.IndexFunc(parts, func(part []int) bool {
			return !slices.ContainsFunc(part, func(n int) bool { return !alike(n, k) })
		})
		if at < 0 {
			parts = append(parts, []int{k})
		} else {
			parts[at] = append(parts[at], k)
		}
	}
	return parts
}

// withTexts adds parameters for the texts that the letters of a call have all been made with, beside those of
// which only the length is a parameter.
func withTexts(refs []Ref, parts [][]int, params, types []string) (p, t []string) {
	for k, name := range params {
		p, t = append(p, name), append(t, types[k])
		text, ok := strings.CutPrefix(name, "len(")
		text = strings.TrimSuffix(text, ")")
		if !ok || slices.Contains(params, text) || len(parts) < 2 {
			continue
		}
		all := true
		for _, n := range slices.Concat(parts...) {
			all = all && refs[n].Known[text] != ""
		}
		if all {
			p, t = append(p, text), append(t, textKind)
		}
	}
	return p, t
}

// An example is the arguments of a letter, and the part that it is in.
type example struct {
	known typestate.Known
	part  int
}

// conditions are guards, one for each part, which hold for the arguments of its letters and of no other; every argument
// satisfies one of them. Parts that no simple condition tells apart are one: the parts are returned as well. There are no
// guards if one part is left.
func conditions(refs []Ref, parts [][]int, params, types []string) (guards []string, _ [][]int) {
	for len(parts) > 1 {
		var examples []example
		for k, part := range parts {
			for _, n := range part {
				examples = append(examples, example{refs[n].Known, k})
			}
		}
		leaves := make([][][]condition, len(parts))
		mixed := decide(examples, nil, params, types, leaves)
		if len(mixed) == 0 {
			for _, paths := range leaves {
				guards = append(guards, disjunction(paths))
			}
			return guards, parts
		}
		var rest [][]int
		var one []int
		for k, part := range parts {
			if slices.Contains(mixed, k) {
				one = append(one, part...)
			} else {
				rest = append(rest, part)
			}
		}
		parts = append([][]int{one}, rest...)
	}
	return nil, parts
}

// decide adds the leaves of a decision tree to those of the parts, each with its path. It returns parts that it cannot tell apart, if
// there are some.
func decide(examples []example, path []condition, params, types []string, leaves [][][]condition) (mixed []int) {
	var parts []int
	for _, e := range examples {
		if !slices.Contains(parts, e.part) {
			parts = append(parts, e.part)
		}
	}
	if len(parts) == 1 {
		leaves[parts[0]] = append(leaves[parts[0]], path)
		return nil
	}
	var best condition
	worth := -1
	for k, name := range params {
		for _, c := range separating(examples, name, types[k]) {
			if w := c.worth(examples); w > worth {
				best, worth = c, w
			}
		}
	}
	if worth < 0 || len(path) == maxConditions {
		return parts
	}
	yes, no := best.sides(examples)
	negated := best
	negated.text, negated.above, negated.below = best.negated, best.below, nil
	best.above = nil
	if mixed := decide(yes, append(path[:len(path):len(path)], best), params, types, leaves); len(mixed) > 0 {
		return mixed
	}
	return decide(no, append(path[:len(path):len(path)], negated), params, types, leaves)
}

// disjunction writes the paths that lead to a part.
func disjunction(paths [][]condition) string {
	for k, path := range paths {
		paths[k] = closest(path)
	}
	// Ranges of one parameter that touch are one.
	for k := 1; k < len(paths); k++ {
		for n := range k {
			if one, ok := touching(paths[n], paths[k]); ok {
				paths[n] = one
				paths = slices.Delete(paths, k, k+1)
				k = 0
				break
			}
		}
	}
	var texts []string
	for _, path := range paths {
		texts = append(texts, strings.Join(exact(path), " && "))
	}
	return strings.Join(texts, " || ")
}

// closest leaves out bounds of a parameter if there are closer ones. The tree divides what is left, so later ones are.
func closest(path []condition) (out []condition) {
	for k, c := range path {
		if !slices.ContainsFunc(path[k+1:], func(d condition) bool {
			return c.param == d.param && (c.below != nil && d.below != nil || c.above != nil && d.above != nil)
		}) {
			out = append(out, c)
		}
	}
	return out
}

// exact writes two bounds that leave one value as that.
func exact(path []condition) (texts []string) {
	for _, c := range path {
		other := slices.IndexFunc(path, func(d condition) bool {
			return c.param == d.param && (c.above != nil && d.below != nil && *d.below == *c.above+1 || c.below != nil && d.above != nil && *c.below == *d.above+1)
		})
		switch name, _, _ := strings.Cut(c.text, " "); {
		case other < 0:
			texts = append(texts, c.text)
		case c.above != nil:
			texts = append(texts, fmt.Sprintf("%s == %d", name, *c.above))
		}
	}
	return texts
}

// touching is the union of two ranges of a parameter, if one ends where the other begins.
func touching(a, b []condition) (one []condition, ok bool) {
	split := func(path []condition) (param string, above, below *condition) {
		for k, c := range path {
			switch {
			case c.above != nil:
				above = &path[k]
			case c.below != nil:
				below = &path[k]
			default:
				return "", nil, nil
			}
			if param != "" && param != c.param {
				return "", nil, nil
			}
			param = c.param
		}
		return param, above, below
	}
	p, above, below := split(a)
	q, above2, below2 := split(b)
	if p == "" || p != q {
		return nil, false
	}
	if below2 != nil && above != nil && *below2.below == *above.above {
		above, below, above2, below2 = above2, below2, above, below
	}
	if below == nil || above2 == nil || *below.below != *above2.above {
		return nil, false
	}
	for _, c := range []*condition{above, below2} {
		if c != nil {
			one = append(one, *c)
		}
	}
	return one, len(one) > 0
}

// A condition is a test of one parameter.
type condition struct {
	param, text, negated string
	holds                func(typestate.Known) bool
	below, above         *int64 // the parameter is less than that, or not
}

func (c condition) sides(examples []example) (yes, no []example) {
	for _, e := range examples {
		if c.holds(e.known) {
			yes = append(yes, e)
		} else {
			no = append(no, e)
		}
	}
	return yes, no
}

// worth is higher the fewer parts have examples on both sides; it is negative if a side is empty.
func (c condition) worth(examples []example) int {
	yes, no := c.sides(examples)
	if len(yes) == 0 || len(no) == 0 {
		return -1
	}
	w := 4 * len(examples)
	for _, e := range yes {
		if slices.ContainsFunc(no, func(o example) bool { return o.part == e.part }) {
			w -= 2
		}
	}
	for _, side := range [][]example{yes, no} {
		if !slices.ContainsFunc(side, func(e example) bool { return e.part != side[0].part }) {
			w++
		}
	}
	return w
}

// separating are the tests of a parameter by which examples differ; none if what was passed is not known of all.
func separating(examples []example, param, kind string) (list []condition) {
	name := param
	var values []string
	for _, e := range examples {
		v, ok := e.known[param]
		if !ok {
			return nil
		}
		values = append(values, v)
	}
	if !token.IsIdentifier(name) && !dotted.MatchString(name) {
		name = "`" + name + "`"
	}
	slices.Sort(values)
	values = slices.Compact(values)
	is := func(value string) func(typestate.Known) bool {
		return func(k typestate.Known) bool { return k[param] == value }
	}
	var numbers []int64
	for _, v := range values {
		n, err := strconv.ParseInt(v, 10, 64)
		switch {
		case err == nil:
			numbers = append(numbers, n)
		case v == "true" || v == "false":
			if v == "true" {
				list = append(list, condition{param: param, text: name, negated: "!" + name, holds: is(v)})
			}
		case v == "nil":
			list = append(list, condition{param: param, text: name + " == nil", negated: name + " != nil", holds: is(v)})
		case kind == textKind:
			list = append(list, condition{param: param, text: name + " == `" + v + "`", negated: name + " != `" + v + "`", holds: is(v)})
		}
	}
	if len(numbers) != len(values) {
		return list
	}
	slices.Sort(numbers)
	for k := range numbers[1:] {
		low, high := numbers[k], numbers[k+1]
		text, negated, bound := fmt.Sprintf("%s < %d", name, high), fmt.Sprintf("%s >= %d", name, high), high
		switch {
		case low < 0 && high >= 0:
			text, negated, bound = name+" < 0", name+" >= 0", 0
		case low == 0 && strings.HasPrefix(kind, "uint"):
			text, negated, bound = name+" == 0", name+" != 0", 1
		case low == 0:
			text, negated, bound = name+" <= 0", name+" > 0", 1
		}
		list = append(list, condition{param: param, text: text, negated: negated, below: &bound, holds: func(k typestate.Known) bool {
			n, _ := strconv.ParseInt(k[param], 10, 64)
			return n < bound
		}})
	}
	return list
}

// both is the conjunction of two guards.
func both(a, b string) string {
	if a == "true" {
		return b
	}
	if strings.Contains(a, "||") {
		a = "(" + a + ")"
	}
	if strings.Contains(b, "||") {
		b = "(" + b + ")"
	}
	return a + " && " + b
}

// divideCall adds a call of which the same is known as of another one.
func divideCall(i *typestate.Interface, from, to string) {
	at := slices.IndexFunc(i.Calls, func(c typestate.Call) bool { return c.ID == from })
	c := i.Calls[at]
	c.ID = to
	i.Calls = append(i.Calls, c)
	for _, e := range i.Edges {
		if e.Call == from {
			e.Call = to
			i.Edges = append(i.Edges, e)
		}
	}
	for _, f := range i.Forbidden {
		if f.Call == from {
			f.Call, f.Witness, f.To = to, nil, nil // its arguments may be those of the other one
			i.Forbidden = append(i.Forbidden, f)
		}
	}
	for k, f := range i.Forbidden {
		if f.Call == from {
			i.Forbidden[k].Witness, i.Forbidden[k].To = nil, nil
		}
	}
	for _, u := range i.Unknown {
		if u.Call == from {
			u.Call = to
			i.Unknown = append(i.Unknown, u)
		}
	}
	for _, u := range i.Uncovered {
		if u.Call == from {
			u.Call = to
			i.Uncovered = append(i.Uncovered, u)
		}
	}
	for _, m := range i.Impossible {
		if m.Call == from {
			m.Call = to
			i.Impossible = append(i.Impossible, m)
		}
	}
	i.Certificate = nil // it is of other calls
}

// divideConstructor gives the entries of a constructor a guard, or adds entries with it.
func divideConstructor(i *typestate.Interface, c typestate.Constructor, id, guard string, add bool) {
	for k, o := range i.Constructors {
		if o.ID != c.ID {
			continue
		}
		if add {
			o.ID, o.Guard = id, guard
			i.Constructors = append(i.Constructors, o)
		} else {
			i.Constructors[k].Guard = guard
		}
	}
	i.Certificate = nil
}

// tried lists what calls and constructors were made with.
func tried(refs ...[]Ref) (list []typestate.Tried) {
	for _, part := range refs {
		for _, r := range part {
			ids := r.IDs
			if len(ids) < 2 {
				ids = []string{r.ID}
			}
			for _, id := range ids {
				if id == "" {
					continue
				}
				k := slices.IndexFunc(list, func(t typestate.Tried) bool { return t.Call == id })
				if k < 0 {
					k = len(list)
					list = append(list, typestate.Tried{Call: id})
				}
				list[k].With = append(list[k].With, cmp.Or(strings.TrimSpace(r.Text), id))
			}
		}
	}
	return list
}
