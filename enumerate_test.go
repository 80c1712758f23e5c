// SPDX-License-Identifier: Apache-2.0

package interlock_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// An oracle decides what an interface claims by the definitions, with the reference
// interpreter: word by word, each distinct knowledge of a client once.
type oracle struct {
	p                       *prog.Program
	in                      *prog.Interp
	calls                   map[string]prog.Outcome
	form                    bool // the interface cannot be read
	safe, permissive, tight bool
}

// truth reports what is true of an interface.
func truth(t *testing.T, p *prog.Program, i *typestate.Interface) *oracle {
	t.Helper()
	o := &oracle{p: p, in: prog.NewInterp(p, prog.InterpOptions{}), calls: map[string]prog.Outcome{}, safe: true, permissive: true, tight: true}
	start, err := o.in.Initial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		state int
		set   []prog.State
	}
	seen := map[string]bool{}
	returned := map[string]bool{} // forbidden cells that return somewhere
	visited := map[string]bool{}
	var queue []node
	add := func(s int, set []prog.State) {
		if key := fmt.Sprint(s, set); !seen[key] {
			seen[key] = true
			queue = append(queue, node{s, set})
		}
	}
	add(-1, start)
	for k := 0; k < len(queue) && !o.form; k++ {
		at := queue[k]
		methods := p.Methods
		if at.state < 0 {
			methods = p.Constructors
		}
		for _, m := range methods {
			taken := map[string]bool{}
			for _, args := range tuples(m.Params) {
				id, verdict, ways := o.says(t, i, at.state, m, args)
				if o.form {
					return o
				}
				var errs bool
				after := map[string][]prog.State{}
				results := map[string][]term.Value{}
				for _, s := range at.set {
					r := o.call(t, s, m, args)
					errs = errs || slices.ContainsFunc(r.Errors, func(e *prog.ErrorSite) bool { return !e.Blamed })
					for _, x := range r.Returns {
						key := fmt.Sprint(x.Results)
						after[key], results[key] = append(after[key], x.State), x.Results
					}
				}
				cell := fmt.Sprint(at.state, id)
				switch verdict {
				case "allowed":
					o.safe = o.safe && !errs
				case "fails":
					o.permissive = o.permissive && errs && len(after) == 0
				case "may-fail":
					o.permissive = o.permissive && errs
					visited[cell] = true
					returned[cell] = returned[cell] || len(after) > 0
				}
				if verdict == "fails" || verdict == "may-fail" || verdict == "unknown" && at.state < 0 {
					continue
				}
				for _, key := range slices.Sorted(maps.Keys(after)) {
					n := 0
					for name, to := range ways {
						if o.matches(m, name, results[key]) {
							n++
							taken[cell+name] = true
							list := slices.Clone(after[key])
							slices.SortFunc(list, func(a, b prog.State) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
							add(to, slices.CompactFunc(list, func(a, b prog.State) bool { return fmt.Sprint(a) == fmt.Sprint(b) }))
						}
					}
					o.safe = o.safe && n == 1
				}
			}
			for _, args := range tuples(m.Params) {
				id, verdict, ways := o.says(t, i, at.state, m, args)
				for name := range ways {
					o.tight = o.tight && (taken[fmt.Sprint(at.state, id)+name] || verdict == "unknown" && at.state < 0)
				}
			}
		}
	}
	for cell := range visited {
		o.permissive = o.permissive && returned[cell]
	}
	return o
}

// call is a call by the interpreter.
func (o *oracle) call(t *testing.T, s prog.State, m *prog.Method, args []term.Value) prog.Outcome {
	t.Helper()
	key := fmt.Sprint(m.Name, s, args)
	r, ok := o.calls[key]
	if !ok {
		var err error
		if r, err = o.in.Call(context.Background(), s, m, args); err != nil {
			t.Fatal(err)
		}
		o.calls[key] = r
	}
	return r
}

func tuples(params []*prog.Var) [][]term.Value {
	all := [][]term.Value{{}}
	for _, v := range params {
		var next [][]term.Value
		for _, t := range all {
			for x := range prog.Values(v.Type) {
				next = append(next, append(slices.Clone(t), x))
			}
		}
		all = next
	}
	return all
}

// says returns what an interface says of a call with arguments; its form is wrong unless exactly
// one guard holds.
func (o *oracle) says(t *testing.T, i *typestate.Interface, state int, m *prog.Method, args []term.Value) (id, verdict string, ways map[string]int) {
	t.Helper()
	found := 0
	holds := func(guard string) bool {
		g, err := prog.ParseExprAs(o.p, m.Params, guard, prog.Type{Sort: term.BoolSort})
		if err != nil {
			t.Fatal(err)
		}
		model := term.Model{}
		for k, v := range m.Params {
			model[v.Term] = args[k]
		}
		return term.Holds(g, model)
	}
	ways = map[string]int{}
	if state < 0 {
		for _, c := range i.Constructors {
			if c.Method == m.Name && holds(c.Guard) {
				if c.ID != id {
					found++
				}
				id, verdict = c.ID, c.Verdict
				if c.State != nil {
					ways[c.Outcome] = *c.State
				}
			}
		}
	} else {
		for _, c := range i.Calls {
			if c.Method == m.Name && holds(c.Guard) {
				found++
				id, verdict = c.ID, i.Verdict(state, c.ID).String()
			}
		}
		for _, e := range i.Edges {
			if e.From == state && e.Call == id {
				ways[e.Outcome] = e.To
			}
		}
	}
	o.form = o.form || found != 1
	return id, verdict, ways
}

// matches reports whether results belong to an outcome, of which random components have
// values and conditions without "with".
func (o *oracle) matches(m *prog.Method, name string, results []term.Value) bool {
	if name == "*" || name == "return" {
		return true
	}
	parts := []string{name}
	if len(m.Results) > 1 {
		inner, rest, _ := strings.Cut(name, ") with ")
		parts = strings.Split(strings.TrimSuffix(strings.TrimPrefix(inner, "("), ")"), ", ")
		if rest != "" {
			parts = append(parts, rest)
		}
	}
	model := term.Model{}
	for k, v := range m.Results {
		model[v.Term] = results[k]
	}
	for k, part := range parts {
		if part == "_" || k < len(results) && m.Results[k].Type.FormatValue(results[k]) == part {
			continue
		}
		t, err := prog.ParseExprAs(o.p, m.Results, part, prog.Type{Sort: term.BoolSort})
		if err != nil || t.IsConst() || !term.Holds(t, model) {
			return false
		}
	}
	return true
}

// A forgery changes an interface; it reports false if there is nothing to change.
type forgery struct {
	name string
	do   func(r *rand.Rand, i *typestate.Interface) bool
}

func forgeries() []forgery {
	allowed := func(i *typestate.Interface, e typestate.Edge) bool {
		return i.Verdict(e.From, e.Call) == typestate.VerdictAllowed
	}
	without := func(i *typestate.Interface, state int, call string) {
		i.Edges = slices.DeleteFunc(i.Edges, func(e typestate.Edge) bool { return e.From == state && e.Call == call })
	}
	// edge changes an edge; forbidden a forbidden cell.
	edge := func(do func(r *rand.Rand, i *typestate.Interface, k int) bool) func(*rand.Rand, *typestate.Interface) bool {
		return func(r *rand.Rand, i *typestate.Interface) bool {
			for _, k := range r.Perm(len(i.Edges)) {
				if do(r, i, k) {
					return true
				}
			}
			return false
		}
	}
	forbidden := func(do func(r *rand.Rand, i *typestate.Interface, k int) bool) func(*rand.Rand, *typestate.Interface) bool {
		return func(r *rand.Rand, i *typestate.Interface) bool {
			for _, k := range r.Perm(len(i.Forbidden)) {
				if do(r, i, k) {
					return true
				}
			}
			return false
		}
	}
	forbid := func(verdict string) func(r *rand.Rand, i *typestate.Interface, k int) bool {
		return func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			e := i.Edges[k]
			if !allowed(i, e) {
				return false
			}
			without(i, e.From, e.Call)
			i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: e.From, Call: e.Call, Verdict: verdict})
			return true
		}
	}
	// silent forbids a call that is allowed and never returns.
	silent := func(verdict string) func(r *rand.Rand, i *typestate.Interface) bool {
		return func(r *rand.Rand, i *typestate.Interface) bool {
			for _, s := range i.States {
				for _, c := range i.Calls {
					returns := slices.ContainsFunc(i.Edges, func(e typestate.Edge) bool { return e.From == s.ID && e.Call == c.ID })
					if !returns && i.Verdict(s.ID, c.ID) == typestate.VerdictAllowed {
						i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: s.ID, Call: c.ID, Verdict: verdict})
						return true
					}
				}
			}
			return false
		}
	}
	permit := func(i *typestate.Interface, f typestate.Forbidden, to int) {
		i.Forbidden = slices.DeleteFunc(i.Forbidden, func(x typestate.Forbidden) bool { return x.State == f.State && x.Call == f.Call })
		if to >= 0 {
			i.Edges = append(i.Edges, typestate.Edge{From: f.State, Call: f.Call, Outcome: "*", To: to})
		}
	}
	outcomes := func(i *typestate.Interface, call string) []string {
		return i.Calls[slices.IndexFunc(i.Calls, func(c typestate.Call) bool { return c.ID == call })].Outcomes
	}
	guards := func(do func(a, b *typestate.Call)) func(*rand.Rand, *typestate.Interface) bool {
		return func(r *rand.Rand, i *typestate.Interface) bool {
			for _, k := range r.Perm(len(i.Calls)) {
				for n := range i.Calls {
					if a, b := &i.Calls[k], &i.Calls[n]; k != n && a.Method == b.Method {
						do(a, b)
						return true
					}
				}
			}
			return false
		}
	}
	constructor := func(do func(r *rand.Rand, i *typestate.Interface, k *typestate.Constructor) bool) func(*rand.Rand, *typestate.Interface) bool {
		return func(r *rand.Rand, i *typestate.Interface) bool {
			for _, k := range r.Perm(len(i.Constructors)) {
				if do(r, i, &i.Constructors[k]) {
					return true
				}
			}
			return false
		}
	}
	verdict := func(from, to string) func(*rand.Rand, *typestate.Interface) bool {
		return forbidden(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			was := i.Forbidden[k].Verdict
			i.Forbidden[k].Verdict = to
			if was != from {
				i.Forbidden[k].Verdict = was
			}
			return was == from
		})
	}
	return []forgery{
		{"drop a forbidden call", forbidden(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			permit(i, i.Forbidden[k], -1)
			return true
		})},
		{"allow a forbidden call, which changes nothing", forbidden(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			permit(i, i.Forbidden[k], i.Forbidden[k].State)
			return true
		})},
		{"allow a call that fails", forbidden(func(r *rand.Rand, i *typestate.Interface, k int) bool {
			f := i.Forbidden[k]
			if f.Verdict != "fails" {
				return false
			}
			permit(i, f, r.Intn(len(i.States)))
			return true
		})},
		{"allow a call that may fail", forbidden(func(r *rand.Rand, i *typestate.Interface, k int) bool {
			f := i.Forbidden[k]
			if f.Verdict != "may-fail" {
				return false
			}
			permit(i, f, r.Intn(len(i.States)))
			return true
		})},
		{"allow all of a state", forbidden(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			for _, f := range slices.Clone(i.Forbidden) {
				if f.State == i.Forbidden[min(k, len(i.Forbidden)-1)].State {
					permit(i, f, f.State)
				}
				if len(i.Forbidden) == 0 {
					break
				}
			}
			return true
		})},
		{"forbid an allowed call", edge(forbid("may-fail"))},
		{"an allowed call fails", edge(forbid("fails"))},
		{"a call that never returns fails", silent("fails")},
		{"a call that never returns may fail", silent("may-fail")},
		{"fails is may-fail", verdict("fails", "may-fail")},
		{"may-fail is fails", verdict("may-fail", "fails")},
		{"redirect an edge", edge(func(r *rand.Rand, i *typestate.Interface, k int) bool {
			i.Edges[k].To = (i.Edges[k].To + 1) % len(i.States)
			return len(i.States) > 1
		})},
		{"redirect an edge to its source", edge(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			changed := i.Edges[k].To != i.Edges[k].From
			i.Edges[k].To = i.Edges[k].From
			return changed
		})},
		{"redirect all edges of a state", edge(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			at := i.Edges[k]
			for n := range i.Edges {
				if i.Edges[n].From == at.From {
					i.Edges[n].To = (at.To + 1) % len(i.States)
				}
			}
			return len(i.States) > 1
		})},
		{"drop an edge", edge(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			i.Edges = slices.Delete(i.Edges, k, k+1)
			return true
		})},
		{"a call never returns", edge(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			without(i, i.Edges[k].From, i.Edges[k].Call)
			return true
		})},
		{"unknown without edges", edge(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			e := i.Edges[k]
			if !allowed(i, e) {
				return false
			}
			without(i, e.From, e.Call)
			i.Unknown = append(i.Unknown, typestate.Unknown{State: e.From, Call: e.Call, Reason: "forged"})
			return true
		})},
		{"only one outcome", edge(func(r *rand.Rand, i *typestate.Interface, k int) bool {
			names := outcomes(i, i.Edges[k].Call)
			if i.Edges[k].Outcome != "*" || len(names) < 2 {
				return false
			}
			i.Edges[k].Outcome = names[r.Intn(len(names))]
			return true
		})},
		{"another outcome", edge(func(r *rand.Rand, i *typestate.Interface, k int) bool {
			e := &i.Edges[k]
			var free []string
			for _, name := range outcomes(i, e.Call) {
				if e.Outcome != "*" && !slices.ContainsFunc(i.Edges, func(x typestate.Edge) bool { return x.From == e.From && x.Call == e.Call && x.Outcome == name }) {
					free = append(free, name)
				}
			}
			if len(free) > 0 {
				e.Outcome = free[r.Intn(len(free))]
			}
			return len(free) > 0
		})},
		{"exchange outcomes", edge(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			for n := range i.Edges {
				if a, b := &i.Edges[k], &i.Edges[n]; n != k && a.From == b.From && a.Call == b.Call && a.To != b.To {
					a.To, b.To = b.To, a.To
					return true
				}
			}
			return false
		})},
		{"all outcomes lead to one state", edge(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			e := i.Edges[k]
			if e.Outcome == "*" {
				return false
			}
			without(i, e.From, e.Call)
			e.Outcome = "*"
			i.Edges = append(i.Edges, e)
			return true
		})},
		{"an edge and one for all outcomes", edge(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			e := i.Edges[k]
			if e.Outcome == "*" {
				return false
			}
			e.Outcome = "*"
			i.Edges = append(i.Edges, e)
			return true
		})},
		{"an outcome more", edge(func(r *rand.Rand, i *typestate.Interface, k int) bool {
			e := i.Edges[k]
			for _, name := range outcomes(i, e.Call) {
				if e.Outcome != "*" && !slices.ContainsFunc(i.Edges, func(x typestate.Edge) bool { return x.From == e.From && x.Call == e.Call && x.Outcome == name }) {
					e.Outcome = name
					i.Edges = append(i.Edges, e)
					i.Guarantees.Tight = "yes"
					return true
				}
			}
			return false
		})},
		{"exchange guards", guards(func(a, b *typestate.Call) { a.Guard, b.Guard = b.Guard, a.Guard })},
		{"a guard that always holds", guards(func(a, _ *typestate.Call) { a.Guard = "true" })},
		{"a guard that never holds", guards(func(a, _ *typestate.Call) { a.Guard = "false" })},
		{"the contrary of a guard", guards(func(a, _ *typestate.Call) { a.Guard = "!(" + a.Guard + ")" })},
		{"a guard that holds for less", guards(func(a, b *typestate.Call) { a.Guard = "(" + a.Guard + ") && (" + b.Guard + ")" })},
		{"a guard that holds for more", guards(func(a, b *typestate.Call) { a.Guard = "(" + a.Guard + ") || (" + b.Guard + ")" })},
		{"begin in another state", constructor(func(_ *rand.Rand, i *typestate.Interface, k *typestate.Constructor) bool {
			if k.State == nil || len(i.States) < 2 {
				return false
			}
			to := (*k.State + 1) % len(i.States)
			k.State = &to
			return true
		})},
		{"a constructor fails", constructor(func(_ *rand.Rand, i *typestate.Interface, k *typestate.Constructor) bool {
			if k.Verdict != "allowed" {
				return false
			}
			id := k.ID
			i.Constructors = slices.DeleteFunc(i.Constructors, func(o typestate.Constructor) bool { return o.ID == id && o.Outcome != i.Constructors[0].Outcome })
			for n := range i.Constructors {
				if c := &i.Constructors[n]; c.ID == id {
					c.Verdict, c.State, c.Outcome = "fails", nil, ""
				}
			}
			return true
		})},
		{"allow a constructor that fails", constructor(func(_ *rand.Rand, i *typestate.Interface, k *typestate.Constructor) bool {
			if k.Verdict != "fails" && k.Verdict != "may-fail" {
				return false
			}
			zero := 0
			k.Verdict, k.State, k.Outcome = "allowed", &zero, "*"
			return true
		})},
		{"a constructor never returns", constructor(func(_ *rand.Rand, i *typestate.Interface, k *typestate.Constructor) bool {
			if k.State == nil {
				return false
			}
			k.State, k.Outcome = nil, ""
			return true
		})},
		{"a loose interface is tight", func(_ *rand.Rand, i *typestate.Interface) bool {
			loose := i.Guarantees.Tight != "yes"
			i.Guarantees.Tight = "yes"
			return loose
		}},
		{"two states are one", edge(func(_ *rand.Rand, i *typestate.Interface, k int) bool {
			a, b := i.Edges[k].From, i.Edges[k].To
			for n := range i.Edges {
				if i.Edges[n].To == b {
					i.Edges[n].To = a
				}
			}
			return a != b
		})},
		{"of another program", func(_ *rand.Rand, i *typestate.Interface) bool {
			i.Component.Program = "sha256:" + strings.Repeat("0", 64)
			return true
		}},
	}
}

// wellFormed reports whether no cell has two verdicts, or edges although it is forbidden: what readers of
// files refuse is not for the judge.
func wellFormed(i *typestate.Interface) bool {
	for _, f := range i.Forbidden {
		n := 0
		for _, g := range i.Forbidden {
			if f.State == g.State && f.Call == g.Call {
				n++
			}
		}
		if n != 1 || slices.ContainsFunc(i.Edges, func(e typestate.Edge) bool { return e.From == f.State && e.Call == f.Call }) {
			return false
		}
	}
	return true
}

// leastForgeries is how often each kind must have been wrong and refuted.
const leastForgeries = 2

// TestForgeries: the judge that enumerates agrees with the definitions on interfaces of random
// components, right ones and forged ones of many kinds. Those that are wrong are refuted, each
// kind; those that are right after all are accepted.
func TestForgeries(t *testing.T) {
	wrong, right := map[string]int{}, map[string]int{}
	for seed := range int64(loops(120, 1500)) {
		source := corpus.Random(seed, corpus.RandomOptions{States: 3})
		conf := task{Source: []byte(source), Options: interlock.Options{Engine: interlock.Direct{}, Tight: seed%3 == 0}}
		i, err := conf.infer()
		if err != nil {
			continue
		}
		p, err := prog.Parse("", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if g := i.Guarantees; g.Safe != "proved" || g.Permissive != "proved" || g.Tight == "claimed" {
			t.Errorf("seed %d: %+v\n%s", seed, g, source)
		}
		o := truth(t, p, i)
		if !o.safe || !o.permissive || i.Guarantees.Tight == "yes" && !o.tight {
			t.Fatalf("seed %d: the definitions say safe %v, permissive %v, tight %v of %+v\n%s", seed, o.safe, o.permissive, o.tight, i.Guarantees, source)
		}
		r := rand.New(rand.NewSource(seed))
		for _, f := range forgeries() {
			j := i.Clone()
			if !f.do(r, j) || !wellFormed(j) {
				continue
			}
			report, err := cert.Enumerate(context.Background(), p, j, 0)
			if err != nil {
				t.Fatal(err)
			}
			o := truth(t, p, j)
			fine := !o.form && o.safe && o.permissive && j.Component.Program == p.Hash()
			if refuted := report.Count(cert.Refuted) > 0; fine != report.Claims() || fine && (j.Guarantees.Tight == "yes") && o.tight != (report.Tight() != cert.Refuted) || !fine && !refuted {
				var b bytes.Buffer
				typestate.Write(&b, i)
				t.Fatalf("seed %d: %s: claims %v, tight %v, first %+v; the definitions say safe %v, permissive %v, tight %v\n%s\n%s\nforged: %+v\n%+v", seed, f.name, report.Claims(), report.Tight(), report.First(), o.safe, o.permissive, o.tight, source, b.Bytes(), j.Edges, j.Forbidden)
			}
			if !fine || j.Guarantees.Tight == "yes" && !o.tight {
				wrong[f.name]++
			} else {
				right[f.name]++
			}
		}
	}
	kinds := 0
	for _, f := range forgeries() {
		if wrong[f.name] >= leastForgeries {
			kinds++
		} else if !corpus.Race {
			t.Errorf("%s: wrong %d times, right %d times", f.name, wrong[f.name], right[f.name])
		}
	}
	t.Logf("%d kinds of forgeries; wrong and refuted: %v; right after all and accepted: %v", kinds, wrong, right)
}
