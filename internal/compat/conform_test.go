// SPDX-License-Identifier: Apache-2.0

package compat

// This file holds conform against itself: an interface that is made from the
// automaton of a protocol must be exact, and every mutant of it must get the
// verdict that the mutation deserves; and the walk must agree with the definition
// on random interfaces and protocols, by plain recursion over all words.
//
//	INTERLOCK_PROTOCOLS=FILE:... go test ./internal/compat
//
// runs the former over other protocol files too.

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

func protocols(t *testing.T) []*Protocol {
	t.Helper()
	var out []*Protocol
	files := append([]string{"testdata/protocols.json"}, filepath.SplitList(os.Getenv("INTERLOCK_PROTOCOLS"))...)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list, err := ReadProtocols(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, list...)
	}
	return out
}

// mirror makes an interface from the automaton of a protocol. Where a method has
// several calls, each gets a guard: on the first argument that is a constant for
// this call alone, else one that no constant satisfies or refutes. incomplete
// says that a call is no call of a method.
func mirror(p *Protocol) (i *typestate.Interface, incomplete bool) {
	w := &walker{p: p, i: &typestate.Interface{}}
	w.matchConstructors()
	var invs []invocation
	for _, c := range p.Calls {
		invs = append(invs, parseInvocation(p.Language, c.Expr))
	}
	own := w.ownReceiver(invs)
	i = &typestate.Interface{
		Format:     typestate.Format,
		Component:  typestate.Component{Language: p.Language, Name: p.Component, Errors: []string{"panic"}},
		Guarantees: typestate.Guarantees{Safe: "proved", Permissive: "proved", Tight: "unknown"},
		Stats:      map[string]int64{},
	}
	type call struct {
		truth    string
		id       string
		outcomes map[string]string // of the protocol -> of the interface
	}
	var calls []call
	byMethod := map[string]int{}
	methods := func(inv invocation) string {
		if own != "" && inv.receiver != own {
			return inv.receiver + "." + inv.name
		}
		return inv.name
	}
	total := map[string]int{}
	for _, inv := range invs {
		total[methods(inv)]++
	}
	outcomesOf := map[string][]string{}
	for k, c := range p.Calls {
		for _, o := range c.Outcomes {
			if o != "*" && !slices.Contains(outcomesOf[methods(invs[k])], o) {
				outcomesOf[methods(invs[k])] = append(outcomesOf[methods(invs[k])], o)
			}
		}
	}
	for k, c := range p.Calls {
		inv := invs[k]
		if inv.name == "" {
			incomplete = true
			continue
		}
		m := methods(inv)
		byMethod[m]++
		id := m
		if byMethod[m] > 1 {
			id = fmt.Sprintf("%s#%d", m, byMethod[m])
		}
		ic := typestate.Call{ID: id, Method: m, Guard: "true", Params: []string{}, Types: []string{}}
		for n, a := range inv.args {
			ic.Params = append(ic.Params, fmt.Sprintf("a%d", n))
			typ := "ref"
			if a.value != "" && strings.Trim(a.value, "-0123456789") == "" {
				typ = "int64"
			}
			ic.Types = append(ic.Types, typ)
		}
		if total[m] > 1 {
			ic.Guard = fmt.Sprintf("a0 == case%d", k)
			for n, a := range inv.args {
				if a.value == "" {
					continue
				}
				alone := true
				for j, other := range invs {
					if j != k && methods(other) == m && (len(other.args) <= n || other.args[n].value == a.value) {
						alone = false
					}
				}
				if alone {
					ic.Guard = fmt.Sprintf("a%d == %s", n, a.value)
					break
				}
			}
			// The parameters of one method have one list of types.
			for n := range ic.Types {
				for j, other := range invs {
					if j != k && methods(other) == m && n < len(other.args) && (other.args[n].value == "" || strings.Trim(other.args[n].value, "-0123456789") != "") {
						ic.Types[n] = "ref"
					}
				}
			}
		}
		tr := call{truth: c.ID, id: id, outcomes: map[string]string{}}
		for _, o := range outcomesOf[m] {
			name := o
			switch {
			case p.Language == "java" && strings.HasPrefix(o, "!"):
				name = "throws some.pkg." + o[1:]
			case o == "ok" && p.Language == "go":
				name = "(_, nil)"
			case (o == "fail" || o == "eof") && p.Language == "go":
				name = "(_, non-nil)"
			}
			tr.outcomes[o] = name
			if !slices.Contains(ic.Outcomes, name) {
				ic.Outcomes = append(ic.Outcomes, name)
			}
		}
		if len(ic.Outcomes) == 0 {
			ic.Outcomes = []string{"return"}
		}
		calls = append(calls, tr)
		i.Calls = append(i.Calls, ic)
	}
	// Determinize: states of the interface are sets of states.
	at := map[string]int{}
	var sets [][]string
	state := func(set []string) int {
		key := fmt.Sprint(set)
		n, ok := at[key]
		if !ok {
			n = len(sets)
			at[key] = n
			sets = append(sets, set)
			i.States = append(i.States, typestate.State{ID: n})
		}
		return n
	}
	for _, s := range w.starts {
		name := s.invocation.name
		if name == "" {
			name = "unnamed"
		}
		to := state(p.members(s.constructor.Initial))
		if k := slices.IndexFunc(i.Constructors, func(c typestate.Constructor) bool { return c.Method == name }); k >= 0 {
			if *i.Constructors[k].State != to {
				i.Constructors = append(i.Constructors, typestate.Constructor{ID: name + "#2", Method: name, Guard: "x == y", Outcome: "*", State: &to, Verdict: "allowed"})
			}
			continue
		}
		i.Constructors = append(i.Constructors, typestate.Constructor{ID: name, Method: name, Guard: "true", Outcome: "*", State: &to, Verdict: "allowed"})
	}
	for n := 0; n < len(sets); n++ {
		for _, c := range calls {
			tr := p.truth(sets[n], c.truth)
			switch tr.verdict {
			case "fails", "may-fail":
				i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: n, Call: c.id, Verdict: tr.verdict, Errors: []typestate.ErrorSite{}})
				continue
			}
			byOutcome := map[string]int{}
			for _, o := range tr.outcomes {
				name := "*"
				if o != "*" {
					name = c.outcomes[o]
				}
				to := state(p.next(sets[n], c.truth, o))
				if prev, ok := byOutcome[name]; ok && prev != to {
					panic(fmt.Sprintf("%s: outcomes of %s in %v merge", p.ID, c.truth, sets[n]))
				}
				byOutcome[name] = to
			}
			for _, name := range slices.Sorted(maps.Keys(byOutcome)) {
				i.Edges = append(i.Edges, typestate.Edge{From: n, Call: c.id, Outcome: name, To: byOutcome[name]})
			}
		}
	}
	return i, incomplete
}

func conform(t *testing.T, i *typestate.Interface, p *Protocol) *Result {
	t.Helper()
	r, err := Conform(context.Background(), i, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func clone(i *typestate.Interface) *typestate.Interface {
	data, err := json.Marshal(i)
	if err != nil {
		panic(err)
	}
	var c typestate.Interface
	if err := json.Unmarshal(data, &c); err != nil {
		panic(err)
	}
	return &c
}

func summary(r *Result) string {
	s := fmt.Sprintf("%v %+v", r.Verdict, r.Counts)
	if r.Shortest != nil {
		s += fmt.Sprintf(" %s: protocol %s, interface %s (%s)", strings.Join(r.Shortest.Word, " "), r.Shortest.Protocol, r.Shortest.Interface, r.Shortest.Reason)
	}
	return s + " " + strings.Join(r.Reasons, "; ")
}

// TestMirror mutates the interface that a protocol itself gives, cell by cell.
func TestMirror(t *testing.T) {
	mutants, wrongs := 0, 0
	for _, p := range protocols(t) {
		i, incomplete := mirror(p)
		best := Exact
		if incomplete {
			best = Unknown
		}
		if r := conform(t, i, p); r.Verdict != best {
			t.Errorf("%s: %s, expected %v", p.ID, summary(r), best)
			continue
		}
		// What a mutation may be excused by: another choice of calls.
		choices := 1
		for _, m := range conform(t, i, p).Calls {
			choices *= max(1, len(m.To))
		}
		determined := map[string]bool{}
		w := &walker{i: i, p: p}
		w.index()
		w.matchConstructors()
		w.matchCalls()
		several := map[string]bool{}
		for _, m := range w.calls {
			if len(m.possible) > 1 {
				several[m.method] = true
			}
		}
		for _, c := range i.Calls {
			determined[c.ID] = !several[c.Method]
		}
		expect := func(what, call string, m *typestate.Interface, want ...Verdict) {
			t.Helper()
			if !determined[call] {
				return
			}
			mutants++
			r := conform(t, m, p)
			// At the end of the verified depth a cell may lie beyond it.
			if !p.Regular && r.Verdict == Exact {
				return
			}
			if incomplete && r.Verdict == Unknown {
				return
			}
			if !slices.Contains(want, r.Verdict) {
				t.Errorf("%s: %s: %s, expected %v", p.ID, what, summary(r), want)
			}
			if r.Verdict == Wrong {
				wrongs++
			}
		}
		for k, f := range i.Forbidden {
			m := clone(i)
			m.Forbidden = slices.Delete(m.Forbidden, k, k+1)
			m.Edges = append(m.Edges, typestate.Edge{From: f.State, Call: f.Call, Outcome: "*", To: f.State})
			expect(fmt.Sprintf("%s allowed in %d", f.Call, f.State), f.Call, m, Wrong)
			m.Uncovered = []typestate.Uncovered{{State: f.State, Call: f.Call, Site: typestate.ErrorSite{Kind: "bounds"}, Reason: "r"}}
			expect(fmt.Sprintf("%s uncovered in %d", f.Call, f.State), f.Call, m, Unknown, Wrong) // the edge may lead astray
			m = clone(i)
			m.Forbidden = slices.Delete(m.Forbidden, k, k+1)
			m.Unknown = []typestate.Unknown{{State: f.State, Call: f.Call, Reason: "r"}}
			expect(fmt.Sprintf("%s unknown in %d", f.Call, f.State), f.Call, m, Unknown)
			m = clone(i)
			m.Forbidden[k].Verdict = map[string]string{"fails": "may-fail", "may-fail": "fails"}[f.Verdict]
			want := map[string]Verdict{"fails": Exact, "may-fail": Wrong}[f.Verdict]
			expect(fmt.Sprintf("%s not %s in %d", f.Call, f.Verdict, f.State), f.Call, m, want)
		}
		for k, e := range i.Edges {
			m := clone(i)
			m.Edges = slices.Delete(m.Edges, k, k+1)
			expect(fmt.Sprintf("no edge %s=%s from %d", e.Call, e.Outcome, e.From), e.Call, m, Wrong)
			m = clone(i)
			m.Edges = slices.DeleteFunc(m.Edges, func(o typestate.Edge) bool { return o.From == e.From && o.Call == e.Call })
			m.Forbidden = append(m.Forbidden, typestate.Forbidden{State: e.From, Call: e.Call, Verdict: "fails"})
			expect(fmt.Sprintf("%s fails in %d", e.Call, e.From), e.Call, m, Wrong)
			m.Forbidden[len(m.Forbidden)-1].Verdict = "may-fail"
			expect(fmt.Sprintf("%s may-fail in %d", e.Call, e.From), e.Call, m, Coarser)
			m = clone(i)
			m.Unknown = []typestate.Unknown{{State: e.From, Call: e.Call, Reason: "r"}}
			expect(fmt.Sprintf("%s unknown in %d", e.Call, e.From), e.Call, m, Unknown)
		}
		m := clone(i)
		m.Guarantees.Permissive = "unknown"
		expect("not proved", i.Calls[0].ID, m, Unknown)
		gone := i.Calls[0]
		m = clone(i)
		m.Calls = slices.DeleteFunc(m.Calls, func(c typestate.Call) bool { return c.Method == gone.Method })
		expect("no "+gone.Method, gone.ID, m, Unknown)
	}
	if mutants < 500 || wrongs < 200 {
		t.Errorf("%d mutants, %d wrong: too few", mutants, wrongs)
	}
}

// TestDefinition compares the walk with the definition, by recursion over words,
// on random interfaces and protocols.
func TestDefinition(t *testing.T) {
	rounds := 800
	if os.Getenv("CI") == "true" {
		rounds = 10000
	}
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[Verdict]int{}
	narrow := 0
	for round := range rounds {
		p, i := randomPair(rng)
		free := rng.IntN(8) == 0 // no constructor of the interface has this name: it refutes nothing
		if free {
			p.Constructors[0].Expr = "x.Other()"
		}
		d := &definition{i: i, p: p, memo: map[string]bool{}}
		start, set := *i.Constructors[0].State, []string{"s0"}
		for _, depth := range []int{1, 2, 3, 5} { // not regular: to a depth
			p.Regular, p.Depth = false, depth
			if got := conform(t, i, p); (got.Verdict == Wrong) != (!free && d.refuted(start, set, depth)) {
				t.Fatalf("round %d: %s to depth %d\n%s\n%s", round, summary(got), depth, dump(p), dump(i))
			}
		}
		p.Regular = true
		want := Wrong
		if free {
			want = Unknown
		}
		for _, v := range []Verdict{Unknown, Coarser, Exact} {
			if !d.missed(start, set, deep, v) {
				want = v
			}
		}
		got := conform(t, i, p)
		seen[got.Verdict]++
		if got.Verdict != want {
			t.Fatalf("round %d: %s, by definition %v\n%s\n%s", round, summary(got), want, dump(p), dump(i))
		}
		if want != Wrong && conform(t, got.Narrow(i), p).Verdict != want {
			t.Fatalf("round %d: %s, but %s without what the reading leaves out, %v\n%s\n%s", round, summary(got), summary(conform(t, got.Narrow(i), p)), got.LeftOut, dump(p), dump(i))
		}
		if len(got.LeftOut) > 0 {
			narrow++
		}
		if n := 0; want == Wrong {
			for n = 1; !d.refuted(start, set, n); n++ {
			}
			if len(got.Shortest.Word) != n+1 {
				t.Fatalf("round %d: %s, the shortest word has %d calls\n%s\n%s", round, summary(got), n, dump(p), dump(i))
			}
		}
	}
	for _, v := range []Verdict{Exact, Coarser, Unknown, Wrong} {
		if seen[v] < rounds/100 {
			t.Errorf("only %d of %d are %v", seen[v], rounds, v)
		}
	}
	if narrow < rounds/200 {
		t.Errorf("only %d of %d leave something out", narrow, rounds)
	}
}

// deep is more than the number of pairs of a random protocol and interface.
const deep = 60

// A definition judges pairs by recursion over words.
type definition struct {
	i    *typestate.Interface
	p    *Protocol
	memo map[string]bool // of missed
}

// calls does something with each call that the protocol knows in a pair: whether
// it forbids it, and the states after each outcome.
func (d *definition) calls(set []string, do func(call string, forbids bool, next map[string][]string)) {
	for _, c := range d.p.Calls {
		forbids, next := false, map[string][]string{}
		for _, s := range set {
			if _, ok := d.p.States[s].Forbidden[c.ID]; ok {
				forbids = true
			}
			for o, to := range d.p.States[s].Next[c.ID] {
				for _, q := range strings.Split(to, "|") {
					if !slices.Contains(next[o], q) {
						next[o] = append(next[o], q)
					}
				}
			}
		}
		for o := range next {
			slices.Sort(next[o])
		}
		if forbids || len(next) > 0 {
			do(c.ID, forbids, next)
		}
	}
}

// follow returns the states of the interface after a call with an outcome of the
// protocol, and whether the call has any edge.
func (d *definition) follow(state int, call, outcome string) (to []int, any bool) {
	for _, e := range d.i.Edges {
		if e.From == state && e.Call == call {
			any = true
			if outcome == "*" || e.Outcome == "*" || e.Outcome == outcome {
				to = append(to, e.To)
			}
		}
	}
	return to, any
}

// refuted says whether a word of at most depth calls refutes the interface in a
// pair, whichever of its outcomes were those that the protocol saw.
func (d *definition) refuted(state int, set []string, depth int) bool {
	return d.missed(state, set, depth, Unknown)
}

// missed says whether a word of at most depth calls leads to a cell that is worse than a
// verdict, whichever of its outcomes were those that the protocol saw.
func (d *definition) missed(state int, set []string, depth int, than Verdict) bool {
	if depth == 0 {
		return false
	}
	key := fmt.Sprint(state, set, depth, than)
	if r, ok := d.memo[key]; ok {
		return r
	}
	r := false
	d.calls(set, func(call string, forbids bool, next map[string][]string) {
		v := d.i.Verdict(state, call)
		cell := Exact
		switch {
		case v == typestate.VerdictAllowed && forbids || v == typestate.VerdictFails && (!forbids || len(next) > 0):
			cell = Wrong
		case v == typestate.VerdictUnknown:
			cell = Unknown
		case v == typestate.VerdictMayFail && !forbids:
			cell = Coarser
		}
		r = r || cell.worse() > than.worse()
		if v.Forbidden() {
			return
		}
		for o, set := range next {
			to, any := d.follow(state, call, o)
			all := v == typestate.VerdictAllowed || any
			for _, q := range to {
				all = all && d.missed(q, set, depth-1, than)
			}
			r = r || all
		}
	})
	d.memo[key] = r
	return r
}

func dump(x any) string {
	data, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		panic(err)
	}
	return string(data)
}

// randomPair makes a protocol and an interface that often agree: the interface
// begins as a mirror of the protocol.
func randomPair(rng *rand.Rand) (*Protocol, *typestate.Interface) {
	p := &Protocol{ID: "random", Language: "go", Component: "x", Initial: "s0", States: map[string]State{},
		Constructors: []Constructor{{Expr: "x.New()", Initial: "s0"}}}
	states := []string{"s0", "s1", "s2"}
	for _, id := range []string{"A", "B"} {
		p.Calls = append(p.Calls, Call{ID: id, Expr: "x." + id + "()", Outcomes: []string{"true", "false"}})
	}
	target := func() string {
		to := states[rng.IntN(3)]
		if rng.IntN(4) == 0 {
			to += "|" + states[rng.IntN(3)]
		}
		return to
	}
	for _, s := range states {
		st := State{Forbidden: map[string]string{}, Next: map[string]map[string]string{}}
		for _, c := range p.Calls {
			switch rng.IntN(8) {
			case 0, 1:
				st.Forbidden[c.ID] = "fails"
			case 2:
				st.Forbidden[c.ID] = "may-fail"
				st.Next[c.ID] = map[string]string{"true": target()}
			case 3: // says nothing
			case 4:
				st.Next[c.ID] = map[string]string{"*": target()}
			default:
				st.Next[c.ID] = map[string]string{"true": target(), "false": target()}
			}
		}
		p.States[s] = st
	}
	i, _ := mirror(p)
	for range rng.IntN(3) {
		s := rng.IntN(len(i.States))
		id := []string{"A", "B"}[rng.IntN(2)]
		i.Forbidden = slices.DeleteFunc(i.Forbidden, func(f typestate.Forbidden) bool { return f.State == s && f.Call == id })
		i.Unknown = slices.DeleteFunc(i.Unknown, func(u typestate.Unknown) bool { return u.State == s && u.Call == id })
		i.Edges = slices.DeleteFunc(i.Edges, func(e typestate.Edge) bool { return e.From == s && e.Call == id })
		switch rng.IntN(6) {
		case 0:
			i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: s, Call: id, Verdict: "fails"})
			continue
		case 1:
			i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: s, Call: id, Verdict: "may-fail"})
			continue
		case 2, 3:
			i.Unknown = append(i.Unknown, typestate.Unknown{State: s, Call: id, Reason: "r"})
		}
		for _, o := range []string{"true", "false"} {
			if rng.IntN(8) > 0 {
				i.Edges = append(i.Edges, typestate.Edge{From: s, Call: id, Outcome: o, To: rng.IntN(len(i.States))})
			}
		}
	}
	return p, i
}

// TestCorresponds pins which outcomes of interfaces a protocol may have seen.
func TestCorresponds(t *testing.T) {
	for _, c := range []struct {
		language, seen string
		all, want      string // outcomes of the interface; those that correspond
	}{
		{"go", "*", "true|false", "true|false"},
		{"go", "true", "true|false", "true"},
		{"go", "true", "return", "return"},
		{"go", "false", "(true, nil)|(false, nil)|(false, non-nil)", "(false, nil)|(false, non-nil)"},
		{"go", "ok", "nil|non-nil", "nil"},
		{"go", "fail", "nil|non-nil", "non-nil"},
		{"go", "eof", "nil|non-nil", "non-nil"},
		{"go", "eof", "nil|io.EOF|non-nil", "io.EOF"},
		{"go", "fail", "nil|io.EOF|non-nil", "non-nil"},
		{"go", "ok", "(nil, nil)|(non-nil, nil)|(nil, non-nil)", "(nil, nil)|(non-nil, nil)"},
		{"go", "ok", "return", "return"},
		{"go", "fail", "(_, nil)|(_, non-nil)", "(_, non-nil)"},
		{"go", "nil", "nil|non-nil", "nil"},
		{"go", "val", "(nil, nil)|(non-nil, nil)|(nil, non-nil)", "(non-nil, nil)"},
		{"go", "val", "return", "return"},
		{"go", "0", "0|n > 0", "0"},
		{"go", "2", "0|n > 0", "n > 0"},
		{"go", "2", "return", "return"},
		{"go", "2", "nil|non-nil", "nil|non-nil"},
		{"go", "2", "(n < 2, nil)|(n >= 2, nil)", "(n >= 2, nil)"},
		{"java", "ok", "return|throws java.io.IOException", "return"},
		{"java", "!IOException", "return|throws java.io.IOException", "throws java.io.IOException"},
		{"java", "!E", "return|throws p.Outer$E|throws p.OtherE", "throws p.Outer$E"},
		{"java", "null", "null|non-null", "null"},
		{"java", "obj", "null|non-null|throws X", "non-null"},
		{"java", "pos", "0|n > 0", "0|n > 0"},
	} {
		all := strings.Split(c.all, "|")
		var got []string
		for _, o := range all {
			if corresponds(c.language, c.seen, o, all) {
				got = append(got, o)
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s %s of %s: %s, expected %s", c.language, c.seen, c.all, strings.Join(got, "|"), c.want)
		}
	}
}

// TestInvocations pins what is read from expressions.
func TestInvocations(t *testing.T) {
	for _, c := range []struct{ language, expr, want string }{
		{"go", `s.Buffer(make([]byte, 16), 64)`, `s Buffer [make([]byte, 16) non-nil len 16, 64 64]`},
		{"go", `len(b.Next(1))`, `b Next [1 1]`},
		{"go", `b.Read(p[:1])`, `b Read [p[:1] non-nil len 1]`},
		{"go", `f.AddLine(off) // increasing`, `f AddLine [off]`},
		{"go", `new(bytes.Buffer)`, `zero []`},
		{"go", `&http.Server{}`, `zero []`},
		{"go", `cache.New[string, int](3)`, `cache New [3 3]`},
		{"go", `var a, b strings.Builder`, `zero [] makes a b`},
		{"go", `w, _ := zw.Create("a")`, `zw Create ["a" len 1] makes w`},
		{"go", `a, b := net.Pipe(); go io.Copy(io.Discard, b)`, `net Pipe [] makes a b`},
		{"go", `reflect.ValueOf(m).MapRange()`, `reflect.ValueOf(m) MapRange []`},
		{"go", `b = a`, ``},
		{"go", `select { case c <- 1: default: }`, ``},
		{"go", `(package functions)`, ``},
		{"go", `func TestX(t *testing.T)`, ``},
		{"go", `close(c)`, `close [c]`},
		{"go", `wg.Add(-1)`, `wg Add [-1 -1]`},
		{"go", `x.F(nil, true, []byte("abc"), func() {}, &y, T{}, []int{1, 2}, 2*3)`, `x F [nil nil len 0, true true, []byte("abc") non-nil len 3, func() { } non-nil, &y non-nil, T{}, []int{1, 2} non-nil len 2, 2 * 3 6]`},
		{"java", `next()`, `next []`},
		{"java", `connect(new PipedInputStream())`, `connect [new PipedInputStream() non-null]`},
		{"java", `decode(in,out,false)`, `decode [in, out, false false]`},
		{"java", `setConnectTimeout(-1)`, `setConnectTimeout [-1 -1]`},
		{"java", `new ArrayList<>(elems).listIterator(start)`, `new ArrayList<>(elems) listIterator [start]`},
		{"java", `new AbstractProcessor(){..}`, `new []`},
		{"java", `new AbstractList<String>(){get,size}.listIterator(start)`, `new AbstractList<String>(){get,size} listIterator [start]`},
		{"java", `url.openConnection()  (trivial subclass: connect(){connected=true;})`, `url openConnection []`},
		{"java", `if(!held) lock()`, ``},
		{"java", `EnumSet.range(..).iterator()`, `EnumSet.range(..) iterator [] `},
		{"java", `putNextEntry(new ZipEntry(a, "x,y"))`, `putNextEntry [new ZipEntry(a, "x,y") non-null]`},
	} {
		inv := parseInvocation(c.language, c.expr)
		var words []string
		if inv.receiver != "" {
			words = append(words, inv.receiver)
		}
		if inv.name != "" {
			var args []string
			for _, a := range inv.args {
				text := a.text
				if a.value != "" {
					text += " " + a.value
				}
				if a.size != "" {
					text += " len " + a.size
				}
				args = append(args, text)
			}
			words = append(words, inv.name, "["+strings.Join(args, ", ")+"]")
		}
		if len(inv.objects) > 0 {
			words = append(words, "makes "+strings.Join(inv.objects, " "))
		}
		if got := strings.Join(strings.Fields(strings.Join(words, " ")), " "); got != strings.TrimSpace(c.want) {
			t.Errorf("%s: %s\n      expected %s", c.expr, got, c.want)
		}
	}
}

// TestQuestions pins what is asked for.
func TestQuestions(t *testing.T) {
	want := map[string]string{
		"bufio.Scanner":      "bufio.Scanner [panic] [NewScanner(_)] [Scan Text Bytes Err Buffer Split]",
		"archive/zip.Writer": "archive/zip.Writer [message zip: writer closed twice panic] [NewWriter(_)] [SetOffset Create SetComment Flush Close]",
		"sync.Mutex":         "sync.Mutex [block panic] [zero] [Lock Unlock TryLock]",
		"sync.WaitGroup":     "sync.WaitGroup [block panic] [zero] [Add Done Wait]",
		"reflect.MapIter":    "reflect.MapIter [panic] [zero] [Next Key Value Reset] [reflect.ValueOf().MapRange()] []",
		"database/sql.Rows":  "database/sql.Rows [message sql: Rows are closed message sql: Scan called without calling Next] [] [Next Scan Columns NextResultSet Err Close] [db.Query()] []",
		"archive/zip.fileWriter (io.Writer from Create)": "archive/zip.fileWriter [message zip: write to closed file] [] [Write] [w, _ := zw.Create()] [zw.Create zw.Close zw.Flush]",
		"crypto/x509 (package: SetFallbackRoots)":        "crypto/x509 package [panic] [] [SetFallbackRoots SystemCertPool]",
		"strings.Builder":                "strings.Builder [panic] [] [WriteString Reset] [var a, b strings.Builder] [b = a b.WriteString b.Grow b.Reset b.String]",
		"net.pipe (net.Pipe)":            "net.pipe [message io: read/write on closed pipe] [] [Write SetDeadline Close] [a, b := net.Pipe()] [b.Close]",
		"github.com/spf13/cobra.Command": "github.com/spf13/cobra.Command [message no such flag -a panic] [zero] [MarkFlagsMutuallyExclusive MarkFlagRequired] [] [Flags().Bool]",
		"testing.T":                      "testing.T [panic] [] [Parallel Setenv Chdir Log Cleanup]",
		"Optional":                       "language java",
	}
	for _, p := range protocols(t) {
		w, ok := want[p.ID]
		if !ok {
			continue
		}
		q, err := p.Question()
		name := q.Name
		if q.Package {
			name += " package"
		}
		got := fmt.Sprintf("%s %v %v %v", name, q.Errors, q.Constructors, q.Methods)
		if len(q.Factories)+len(q.Others) > 0 {
			got += fmt.Sprintf(" %v %v", q.Factories, q.Others)
		}
		if err != nil {
			got = err.Error()
		}
		if got != w {
			t.Errorf("%s: %s\n  expected %s", p.ID, got, w)
		}
	}
	e := Errors{Messages: []string{"error: accept tcp 127.0.0.1:32971: closed", "error: accept tcp 127.0.0.1:7: closed", "deadlock: no", "error: other"}}
	if got := fmt.Sprint(e.kinds()); got != "[message accept tcp 127.0.0.1:32971: closed block message other]" {
		t.Errorf("kinds: %s", got)
	}
}
