// SPDX-License-Identifier: Apache-2.0

package corpus

// This file decides by exhaustive exploration that the tables are right: it
// runs the control-flow automata of a component on concrete values, follows
// sets of states that are consistent with what a client saw (design: a call is
// forbidden iff some state of the set has an erring run), and compares every
// set with the table state that the same word reaches. Nothing is abstracted,
// minimized or learned, so it shares no idea with an engine. That the table is
// minimal is shown by one word per state, pairwise told apart by some
// continuation that can happen after both.

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// A concrete runs calls of a program and remembers their results.
type concrete struct {
	p    *prog.Program
	memo map[string]runs
}

// A runs is what the runs of a call can do.
type runs struct {
	returns map[string]string // result+state as key, see split
	errs    bool
}

type vals []uint64

func (v vals) key() string {
	var b []byte
	for _, x := range v {
		b = binary.BigEndian.AppendUint64(b, x)
	}
	return string(b)
}

func unkey(s string) vals {
	var v vals
	for ; len(s) > 0; s = s[8:] {
		v = append(v, binary.BigEndian.Uint64([]byte(s[:8])))
	}
	return v
}

// domain lists all values of a type.
func domain(t prog.Type) vals {
	n := uint64(2)
	switch t.Sort.Kind {
	case term.EnumKind:
		n = uint64(len(t.Sort.Enum.Values))
	case term.BitVecKind:
		n = 1 << t.Sort.Width
	}
	var v vals
	for x := range n {
		v = append(v, x)
	}
	return v
}

// tuples lists all values of a list of variables.
func tuples(vars []*prog.Var) []vals {
	out := []vals{nil}
	for _, v := range vars {
		var next []vals
		for _, t := range out {
			for _, x := range domain(v.Type) {
				next = append(next, append(slices.Clone(t), x))
			}
		}
		out = next
	}
	return out
}

// initial lists the declared initial states.
func (c *concrete) initial() []string {
	out := []vals{nil}
	for _, v := range c.p.State {
		var choices vals
		if v.Init != nil {
			choices = vals{term.Eval(v.Init, nil).Lo}
		} else {
			choices = domain(v.Type)
		}
		var next []vals
		for _, t := range out {
			for _, x := range choices {
				next = append(next, append(slices.Clone(t), x))
			}
		}
		out = next
	}
	var keys []string
	for _, t := range out {
		keys = append(keys, t.key())
	}
	return keys
}

// call explores all runs of a call from one state.
func (c *concrete) call(m *prog.Method, state string, args vals) runs {
	id := m.Name + "\x00" + state + args.key()
	if r, ok := c.memo[id]; ok {
		return r
	}
	vars := c.p.Vars(m)
	at := map[*prog.Var]int{}
	for k, v := range vars {
		at[v] = k
	}
	start := append(unkey(state), make(vals, len(vars)-len(c.p.State))...)
	for k, v := range m.Params {
		start[at[v]] = args[k]
	}
	type config struct {
		loc  int
		vals string
	}
	first := config{m.Entry, start.key()}
	seen := map[config]bool{first: true}
	r := runs{returns: map[string]string{}}
	for todo := []config{first}; len(todo) > 0; {
		at0 := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		v := unkey(at0.vals)
		if at0.loc == m.Exit {
			var res vals
			for _, x := range m.Results {
				res = append(res, v[at[x]])
			}
			post := v[:len(c.p.State)].key()
			r.returns[res.key()+post] = post
			continue
		}
		if e := m.ErrorAt(at0.loc); e != nil {
			r.errs = r.errs || !e.Blamed
			continue
		}
		model := term.Model{}
		for k, x := range vars {
			model[x.Term] = term.Value{Lo: v[k]}
		}
		push := func(to int, w vals) {
			n := config{to, w.key()}
			if !seen[n] {
				seen[n] = true
				todo = append(todo, n)
			}
		}
		for _, e := range m.Out(at0.loc) {
			switch e.Kind {
			case prog.AssumeEdge:
				if term.Holds(e.Exprs[0], model) {
					push(e.To, v)
				}
			case prog.AssignEdge:
				w := slices.Clone(v)
				for k, x := range e.Vars {
					w[at[x]] = term.Eval(e.Exprs[k], model).Lo
				}
				push(e.To, w)
			case prog.HavocEdge:
				for _, x := range domain(e.Vars[0].Type) {
					w := slices.Clone(v)
					w[at[e.Vars[0]]] = x
					push(e.To, w)
				}
			}
		}
	}
	c.memo[id] = r
	return r
}

// A node is a set of states consistent with a word, and the table state that
// the word reaches (0 throughout if the table has no rows).
type node struct {
	know  string // the sorted states, joined
	state int
}

// An explored is what exploration found at a node, by call id.
type explored struct {
	forbidden map[string]bool
	returns   map[string]bool
	next      map[string]map[string][]int // by call id and outcome: nodes
}

type explorer struct {
	t      *testing.T
	c      *concrete
	e      *Expect
	names  map[string][]string // outcomes that the table mentions, by method
	index  map[node]int
	ids    map[string]string // call id by method and arguments
	parsed map[string]ast.Expr
	nodes  []node
	at     []explored
}

// text writes a value as the text form does.
func text(v *prog.Var, x uint64) string {
	return term.FormatValue(v.Type.Sort, term.Value{Lo: x}, v.Type.Signed)
}

func guardValue(v *prog.Var, x uint64) value {
	switch v.Type.Sort.Kind {
	case term.BoolKind:
		return value{v: x == 1}
	case term.EnumKind:
		return value{v: text(v, x)}
	}
	return value{width: v.Type.Sort.Width, signed: v.Type.Signed}.wrap(int64(x))
}

// holds evaluates a condition of the table over some variables.
func (x *explorer) holds(cond string, vars []*prog.Var, v vals) bool {
	expr, ok := x.parsed[cond]
	if !ok {
		var err error
		if expr, err = parser.ParseExpr(cond); err != nil {
			x.t.Fatalf("%q: %v", cond, err)
		}
		x.parsed[cond] = expr
	}
	env := map[string]value{}
	for k, p := range vars {
		env[p.Name] = guardValue(p, v[k])
	}
	r, err := eval(expr, env)
	if err != nil {
		x.t.Fatalf("%q: %v", cond, err)
	}
	return r.v.(bool)
}

// id finds the call of a method whose guard holds.
func (x *explorer) id(row map[string]Cell, m *prog.Method, args vals) string {
	known := m.Name + "\x00" + args.key()
	if id, ok := x.ids[known]; ok {
		return id
	}
	found := ""
	for _, id := range slices.Sorted(maps.Keys(row)) {
		if name, _, _ := strings.Cut(id, "#"); name != m.Name {
			continue
		}
		if g, ok := x.e.Guards[id]; ok && !x.holds(g, m.Params, args) {
			continue
		}
		if found != "" {
			x.t.Fatalf("guards of %s and %s overlap", found, id)
		}
		found = id
	}
	if found == "" {
		x.t.Fatalf("no guard of %s holds for %v", m.Name, args)
	}
	x.ids[known] = found
	return found
}

// outcome names the class of a result: bools and enums by value, numbers not
// split unless the table has a condition on them.
func (x *explorer) outcome(m *prog.Method, res vals) string {
	if len(m.Results) == 0 {
		return "return"
	}
	for _, n := range x.names[m.Name] {
		if strings.ContainsAny(n, "=<>") && x.holds(n, m.Results, res) {
			return n
		}
	}
	var parts []string
	for k, r := range m.Results {
		if r.Type.Sort.Kind == term.BitVecKind {
			parts = append(parts, "_")
		} else {
			parts = append(parts, text(r, res[k]))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// visit explores one row of cells from a set of states.
func (x *explorer) visit(where string, ms []*prog.Method, row map[string]Cell, states []string) explored {
	out := explored{map[string]bool{}, map[string]bool{}, map[string]map[string][]int{}}
	for _, m := range ms {
		for _, args := range tuples(m.Params) {
			id := m.Name
			if row != nil {
				id = x.id(row, m, args)
			}
			errs := false
			post := map[string]map[string]bool{} // states by result
			for _, s := range states {
				r := x.c.call(m, s, args)
				errs = errs || r.errs
				for key, to := range r.returns {
					res := key[:len(key)-len(to)]
					if post[res] == nil {
						post[res] = map[string]bool{}
					}
					post[res][to] = true
				}
			}
			want := row[id]
			if row != nil {
				allowed := want.Kind == Allowed || want.Kind == NoReturn || want.Kind == Pruned
				if errs == allowed {
					x.t.Errorf("%s: %s%v: some run errs: %v, table: %s", where, m.Name, args, errs, want.Kind)
					continue
				}
			}
			out.returns[id] = out.returns[id] || len(post) > 0
			if errs || want.Kind == Pruned {
				out.forbidden[id] = true
				continue
			}
			for _, res := range slices.Sorted(maps.Keys(post)) {
				o := x.outcome(m, unkey(res))
				to := 0
				if row != nil {
					var ok bool
					if to, ok = want.To["*"]; !ok {
						if to, ok = want.To[o]; !ok {
							x.t.Errorf("%s: %s%v can return %s, table has no edge", where, m.Name, args, o)
							continue
						}
					}
					if slices.Contains(want.Impossible, o) {
						x.t.Errorf("%s: %s%v can return %s, table says impossible", where, m.Name, args, o)
					}
				}
				n := node{strings.Join(slices.Sorted(maps.Keys(post[res])), ""), to}
				k, ok := x.index[n]
				if !ok {
					k = len(x.nodes)
					x.index[n] = k
					x.nodes = append(x.nodes, n)
				}
				if out.next[id] == nil {
					out.next[id] = map[string][]int{}
				}
				if !slices.Contains(out.next[id][o], k) {
					out.next[id][o] = append(out.next[id][o], k)
				}
			}
		}
	}
	return out
}

// split cuts a set of states into its members.
func (x *explorer) split(know string) []string {
	size := 8 * len(x.c.p.State)
	if size == 0 {
		return []string{""}
	}
	var out []string
	for ; len(know) > 0; know = know[size:] {
		out = append(out, know[:size])
	}
	return out
}

// exploreTable walks all words, and reports where the table is wrong.
func exploreTable(t *testing.T, c Case, p *prog.Program) *explorer {
	x := &explorer{t: t, c: &concrete{p, map[string]runs{}}, e: c.Expect, index: map[node]int{}, names: map[string][]string{}, ids: map[string]string{}, parsed: map[string]ast.Expr{}}
	for _, row := range append(slices.Clone(c.Expect.Rows), c.Expect.Start) {
		for id, cell := range row {
			m, _, _ := strings.Cut(id, "#")
			x.names[m] = append(x.names[m], slices.Sorted(maps.Keys(cell.To))...)
		}
	}
	row := func(s int) map[string]Cell {
		if len(x.e.Rows) == 0 {
			return nil
		}
		return x.e.Rows[s]
	}
	start := x.visit("start", p.Constructors, x.e.Start, x.c.initial())
	for k := 0; k < len(x.nodes) && !t.Failed(); k++ {
		if k > 20000 {
			t.Fatal("too many sets of states")
		}
		s := x.nodes[k].state
		x.at = append(x.at, x.visit(fmt.Sprintf("state %d", s), p.Methods, row(s), x.split(x.nodes[k].know)))
	}
	if t.Failed() {
		return x
	}
	// Every claim of a cell must be witnessed by some node of its state.
	x.claims("start", x.e.Start, []explored{start})
	for s, r := range x.e.Rows {
		var at []explored
		for k, n := range x.nodes {
			if n.state == s {
				at = append(at, x.at[k])
			}
		}
		x.claims(fmt.Sprintf("state %d", s), r, at)
	}
	return x
}

func (x *explorer) claims(where string, row map[string]Cell, at []explored) {
	for id, cell := range row {
		returns := false
		feasible := map[string]bool{}
		for _, a := range at {
			returns = returns || a.returns[id]
			for o := range a.next[id] {
				feasible[o] = true
			}
		}
		var ok bool
		switch cell.Kind {
		case Fails, NoReturn:
			ok = !returns
		case MayFail, Pruned:
			ok = returns
		case Allowed:
			_, star := cell.To["*"]
			ok = len(feasible) > 0
			for o := range cell.To {
				ok = ok && (star || feasible[o])
			}
		}
		if !ok {
			x.t.Errorf("%s: %s: table says %s %v, exploration: returns %v, outcomes %v", where, id, cell.Kind, cell.To, returns, slices.Sorted(maps.Keys(feasible)))
		}
	}
}

// apart computes which pairs of nodes no interface may merge.
func (x *explorer) apart(tight bool) func(a, b int) bool {
	apart := make([][]bool, len(x.nodes))
	for k := range apart {
		apart[k] = make([]bool, len(x.nodes))
	}
	differ := func(a, b *explored) bool {
		for _, id := range slices.Sorted(maps.Keys(a.returns)) {
			if a.forbidden[id] != b.forbidden[id] {
				return true
			}
			for o, as := range a.next[id] {
				if tight && b.next[id][o] == nil {
					return true
				}
				for _, m := range as {
					for _, n := range b.next[id][o] {
						if apart[m][n] {
							return true
						}
					}
				}
			}
			for o := range b.next[id] {
				if tight && a.next[id][o] == nil {
					return true
				}
			}
		}
		return false
	}
	for changed := true; changed; {
		changed = false
		for a := range x.nodes {
			for b := range a {
				if !apart[a][b] && differ(&x.at[a], &x.at[b]) {
					apart[a][b], apart[b][a], changed = true, true, true
				}
			}
		}
	}
	return func(a, b int) bool { return apart[a][b] }
}

// TestTables explores every component and compares it with its table.
func TestTables(t *testing.T) {
	for _, c := range load(t) {
		t.Run(c.Name, func(t *testing.T) {
			p := program(t, c, c.OracleWidth())
			x := exploreTable(t, c, p)
			if t.Failed() || len(x.nodes) > 200 && os.Getenv("CI") != "true" {
				return
			}
			apart := x.apart(c.Has("-tight"))
			// One node per state, greedily: in these components it does not
			// matter which one is taken.
			var chosen []int
			for k := range x.nodes {
				if !slices.ContainsFunc(chosen, func(j int) bool { return !apart(j, k) }) {
					chosen = append(chosen, k)
				}
			}
			if len(chosen) != c.Expect.States {
				t.Errorf("%d states of the table, %d words are pairwise told apart", c.Expect.States, len(chosen))
			}
		})
	}
}

// TestTablesWrong changes tables in one place and expects exploration to
// object: otherwise TestTables could not fail.
func TestTablesWrong(t *testing.T) {
	text := `component C
state n uint2 = 0
method up() (more bool) {
	if n == 2 { error "full" }
	n++
	return n < 2
}
method reset() { n = 0 }
`
	table := "states 3\nstart new -> 0\n0: up -> 1; reset -> 0\n1: up -> 2; reset -> 0\n2: reset -> 0; forbidden up\n"
	p, err := prog.Parse("c.open", []byte(text), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	try := func(table string) bool {
		e, err := ParseExpect(table)
		if err != nil {
			t.Fatal(err)
		}
		scratch := &testing.T{}
		exploreTable(scratch, Case{Expect: e}, p)
		return !scratch.Failed()
	}
	if !try(table) {
		t.Error("the right table is refused")
	}
	for old, new := range map[string]string{
		"2: reset -> 0":               "2: reset -> 2",
		"forbidden up":                "may-fail up",
		"2: reset -> 0; forbidden up": "2: reset up -> 0",
		"1: up -> 2":                  "1: up=true -> 1; up=false -> 2",
		"1: up -> 2; reset -> 0":      "1: up -> 2; forbidden reset",
		"0: up -> 1; ":                "0: up=true -> 1; up=false -> 2; ",
	} {
		if wrong := strings.Replace(table, old, new, 1); wrong == table || try(wrong) {
			t.Errorf("table with %q instead of %q is accepted", new, old)
		}
	}
}

// TestFamilies explores the families for small k and counts states.
func TestFamilies(t *testing.T) {
	for _, f := range Families() {
		for k := f.Min; k <= 5; k++ {
			t.Run(fmt.Sprintf("%s/%d", f.Name, k), func(t *testing.T) {
				p, err := prog.Parse(f.Name, []byte(f.Source(k)), prog.Options{})
				if err != nil {
					t.Fatal(err)
				}
				start := map[string]Cell{"new": {Kind: Allowed, To: map[string]int{"*": 0}}}
				x := exploreTable(t, Case{Expect: &Expect{States: f.States(k), Start: start}}, p)
				apart := x.apart(false)
				var classes [][]int
				for n := range x.nodes {
					at := slices.IndexFunc(classes, func(c []int) bool { return !apart(c[0], n) })
					if at < 0 {
						classes = append(classes, nil)
						at = len(classes) - 1
					}
					classes[at] = append(classes[at], n)
				}
				// Equivalence, not only compatibility: then the count is exact.
				for i, c := range classes {
					for j, d := range classes {
						for _, a := range c {
							for _, b := range d {
								if apart(a, b) != (i != j) {
									t.Fatalf("sets %d and %d: compatibility is not transitive", a, b)
								}
							}
						}
					}
				}
				if len(classes) != f.States(k) {
					t.Errorf("%d states, want %d", len(classes), f.States(k))
				}
			})
		}
		for _, k := range []int{f.Max - 1, f.Max} {
			if _, err := prog.Parse(f.Name, []byte(f.Source(k)), prog.Options{}); err != nil {
				t.Errorf("%s(%d): %v", f.Name, k, err)
			}
		}
	}
}
