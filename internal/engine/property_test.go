// SPDX-License-Identifier: Apache-2.0

package engine

// This file holds interfaces to the definitions. A judge explores what a
// client can know, with nothing but the reference interpreter, and follows the
// interface along. Where the exploration ends, everything an interface says
// has been compared for all words: verdicts for every argument and result,
// fails against may-fail, pruning, tightness, labels, and witnesses.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A judge is the graph of what a client can know.
type judge struct {
	p     *prog.Program
	in    *prog.Interp
	calls [2][]prog.Call // before and after construction, for every argument tuple
	nodes []known
	lost  []bool // by node: no call can be made and answered for ever
}

// A known is the set of states that a client takes for possible.
type known struct {
	states []prog.State
	phase  int    // 0 before construction
	moves  []move // by call of the phase
}

type move struct {
	verdict prog.Verdict
	errors  []*prog.ErrorSite
	results [][]term.Value
	to      []int // by result; nothing if the call is not allowed
}

var errTooLarge = errors.New("too large to judge")

func newJudge(p *prog.Program, limit int) (*judge, error) {
	ctx := context.Background()
	j := &judge{p: p, in: prog.NewInterp(p, prog.InterpOptions{})}
	for phase, methods := range [][]*prog.Method{p.Constructors, p.Methods} {
		for _, m := range methods {
			for t := range prog.Tuples(m.Params) {
				j.calls[phase] = append(j.calls[phase], prog.Call{Method: m, Args: slices.Clone(t)})
				if len(j.calls[phase]) > 3000 {
					return nil, errTooLarge
				}
			}
		}
	}
	initial, err := j.in.Initial(ctx)
	if err != nil {
		return nil, err
	}
	index := map[string]int{}
	add := func(states []prog.State, phase int) int {
		key := fmt.Sprint(phase, statesKey(states))
		n, ok := index[key]
		if !ok {
			n = len(j.nodes)
			index[key] = n
			j.nodes = append(j.nodes, known{states: states, phase: phase})
		}
		return n
	}
	add(initial, 0)
	for n := 0; n < len(j.nodes); n++ {
		k := j.nodes[n]
		for _, c := range j.calls[k.phase] {
			if limit -= len(k.states); limit < 0 {
				return nil, errTooLarge
			}
			st, err := j.in.Step(ctx, k.states, c)
			if err != nil {
				return nil, err
			}
			mv := move{verdict: st.Verdict, errors: st.Errors, results: st.Results}
			if st.Verdict == prog.Allowed {
				for _, r := range st.Results {
					c.Observed = prog.Saw(r...)
					after, err := j.in.Step(ctx, k.states, c)
					if err != nil {
						return nil, err
					}
					mv.to = append(mv.to, add(after.States, 1))
				}
			}
			j.nodes[n].moves = append(j.nodes[n].moves, mv)
		}
	}
	// Rounds over all nodes until nothing changes.
	j.lost = make([]bool, len(j.nodes))
	for changed := true; changed; {
		changed = false
		for n, k := range j.nodes {
			if !j.lost[n] && !slices.ContainsFunc(k.moves, func(mv move) bool {
				return len(mv.to) > 0 && !slices.ContainsFunc(mv.to, func(t int) bool { return j.lost[t] })
			}) {
				j.lost[n], changed = true, true
			}
		}
	}
	return j, nil
}

// pruned reports whether the infinite-word reading forbids an allowed call.
func (j *judge) pruned(mv move) bool {
	return slices.ContainsFunc(mv.to, func(t int) bool { return j.lost[t] })
}

// chosen returns the entry of the interface that each call of a phase belongs
// to, by the guards as two parsers read them.
func (j *judge) chosen(o *oracle, phase int) ([]string, error) {
	var entries []typestate.Call
	if phase == 1 {
		entries = o.i.Calls
	} else {
		for _, c := range o.i.Constructors {
			if !slices.ContainsFunc(entries, func(e typestate.Call) bool { return e.ID == c.ID }) {
				entries = append(entries, typestate.Call{ID: c.ID, Method: c.Method, Params: c.Params, Types: c.Types, Guard: c.Guard})
			}
		}
	}
	zero := 0
	alone := &typestate.Interface{States: []typestate.State{{}}, Calls: entries, Constructors: []typestate.Constructor{{State: &zero}}}
	var ids []string
	for _, c := range j.calls[phase] {
		id := ""
		for _, e := range entries {
			if e.Method != c.Method.Name {
				continue
			}
			in, err := o.holds(c.Method.Params, c.Args, e.Guard)
			if err != nil {
				return nil, fmt.Errorf("guard %q of %s: %w", e.Guard, e.ID, err)
			}
			if in && id != "" {
				return nil, fmt.Errorf("guards of %s and %s overlap at %s", id, e.ID, prog.FormatArgs(c.Method.Params, c.Args))
			}
			if in {
				id = e.ID
			}
		}
		if id == "" {
			return nil, fmt.Errorf("no guard of %s covers %s", c.Method.Name, prog.FormatArgs(c.Method.Params, c.Args))
		}
		ids = append(ids, id)
		step := typestate.Step{Call: c.Method.Name, Args: map[string]string{}}
		for k, v := range c.Method.Params {
			step.Args[v.Name] = v.Type.FormatValue(c.Args[k])
		}
		if a := alone.Accepts([]typestate.Step{step}); a.Call != id {
			return nil, fmt.Errorf("%s%s is %s by its guard, the interface finds %q: %s", c.Method.Name, prog.FormatArgs(c.Method.Params, c.Args), id, a.Call, a.Reason)
		}
	}
	return ids, nil
}

// A seenCell is what all words say about a call in a state.
type seenCell struct {
	returns, sure, pruned bool
	sites                 map[typestate.ErrorSite]bool
}

type cellID struct {
	state int // -1 before construction
	call  string
}

// check compares everything that the interface says. It returns the first
// thing that is wrong.
func (j *judge) check(i *typestate.Interface, dropped func(prog.State) string) error {
	if err := i.Validate(); err != nil {
		return fmt.Errorf("invalid: %w", err)
	}
	if err := i.Canonical(); err != nil {
		return fmt.Errorf("not canonical: %w", err)
	}
	o := newOracle(j.p, i)
	var ids [2][]string
	for phase := range ids {
		var err error
		if ids[phase], err = j.chosen(o, phase); err != nil {
			return err
		}
	}
	type edge struct {
		outcome string
		to      int
	}
	edges := map[cellID][]edge{}
	said := map[cellID]string{}
	for _, k := range i.Constructors {
		said[cellID{-1, k.ID}] = k.Verdict
		if k.State != nil {
			edges[cellID{-1, k.ID}] = append(edges[cellID{-1, k.ID}], edge{k.Outcome, *k.State})
		}
	}
	for _, s := range i.States {
		for _, c := range i.Calls {
			said[cellID{s.ID, c.ID}] = "allowed"
		}
	}
	for _, f := range i.Forbidden {
		said[cellID{f.State, f.Call}] = f.Verdict
	}
	for _, e := range i.Edges {
		edges[cellID{e.From, e.Call}] = append(edges[cellID{e.From, e.Call}], edge{e.Outcome, e.To})
	}
	type pair struct{ node, at int }
	depth := map[pair]int{{0, -1}: 0}
	first := map[int]int{} // interface state -> length of a shortest word to it
	cells := map[cellID]*seenCell{}
	current := map[int]map[string]prog.State{}
	reached := map[string]prog.State{}
	for queue := []pair{{0, -1}}; len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		if _, ok := first[p.at]; !ok {
			first[p.at] = depth[p]
			current[p.at] = map[string]prog.State{}
		}
		k := j.nodes[p.node]
		for _, s := range k.states {
			if k.phase == 1 {
				current[p.at][dropped(s)] = s
				reached[dropped(s)] = s
			}
		}
		realized := map[cellID]map[int]bool{}
		for n, mv := range k.moves {
			c := j.calls[k.phase][n]
			id := cellID{p.at, ids[k.phase][n]}
			where := fmt.Sprintf("%s%s in state %d", c.Method.Name, prog.FormatArgs(c.Method.Params, c.Args), p.at)
			cell := cells[id]
			if cell == nil {
				cell = &seenCell{sites: map[typestate.ErrorSite]bool{}}
				cells[id] = cell
				realized[id] = map[int]bool{}
			}
			forbidden := said[id] == "fails" || said[id] == "may-fail"
			switch {
			case mv.verdict != prog.Allowed:
				cell.sure = true
				for _, e := range mv.errors {
					cell.sites[typestate.ErrorSite{Kind: e.Kind, Message: e.Message, At: e.Pos.String()}] = true
				}
				cell.returns = cell.returns || mv.verdict == prog.MayFail
				if !forbidden {
					return fmt.Errorf("%s is %v, the interface says %q", where, mv.verdict, said[id])
				}
				continue
			case i.Component.Serial && j.pruned(mv):
				cell.pruned = true
				if !forbidden {
					return fmt.Errorf("%s leads to a dead end, the interface says %q", where, said[id])
				}
				continue
			}
			if forbidden || said[id] != "allowed" {
				return fmt.Errorf("%s is allowed, the interface says %q", where, said[id])
			}
			for r, res := range mv.results {
				to := -1
				for x, e := range edges[id] {
					in, err := o.outcome(c.Method, res, e.outcome)
					if err != nil {
						return fmt.Errorf("%s: outcome %q: %w", where, e.outcome, err)
					}
					if in && to >= 0 {
						return fmt.Errorf("%s: two edges for %s", where, prog.FormatOutcome(c.Method, res))
					}
					if in {
						to = e.to
						if realized[id] == nil {
							realized[id] = map[int]bool{}
						}
						realized[id][x] = true
					}
				}
				if to < 0 {
					return fmt.Errorf("%s: no edge for %s", where, prog.FormatOutcome(c.Method, res))
				}
				q := pair{mv.to[r], to}
				if _, ok := depth[q]; !ok {
					depth[q] = depth[p] + 1
					queue = append(queue, q)
				}
			}
		}
		if i.Guarantees.Tight == "yes" {
			for id, list := range edges {
				if id.state == p.at && len(realized[id]) < len(list) {
					return fmt.Errorf("said to be tight, but not all of %d edges of %s can be taken from state %d", len(list), id.call, p.at)
				}
			}
		}
	}
	for _, s := range i.States {
		if _, ok := first[s.ID]; !ok {
			return fmt.Errorf("no word leads to state %d", s.ID)
		}
	}
	for id, cell := range cells {
		want := "fails"
		if cell.returns {
			want = "may-fail"
		}
		if cell.sure && !cell.pruned && said[id] != want {
			return fmt.Errorf("%s in state %d: the interface says %s, want %s", id.call, id.state, said[id], want)
		}
		if cell.sure && cell.pruned && said[id] != "may-fail" {
			return fmt.Errorf("%s in state %d: the interface says %s, but some words only lead to a dead end", id.call, id.state, said[id])
		}
	}
	if err := j.labels(o, current, reached); err != nil {
		return err
	}
	return j.witnesses(o, first, cells)
}

// labels checks that a label holds at exactly the component states that can be
// current, of those that can be current anywhere.
func (j *judge) labels(o *oracle, current map[int]map[string]prog.State, reached map[string]prog.State) error {
	for _, s := range o.i.States {
		if s.Label == "" {
			continue
		}
		for key, x := range reached {
			holds, err := o.holds(j.p.State, x, s.Label)
			if err != nil {
				return fmt.Errorf("label of state %d: %w", s.ID, err)
			}
			if _, in := current[s.ID][key]; in != holds {
				return fmt.Errorf("label %q of state %d is %v at %s, which can be current: %v", s.Label, s.ID, holds, j.p.FormatState(x), in)
			}
		}
	}
	return nil
}

// witnesses checks that each forbidden cell has a shortest word to an error,
// which the interface itself forbids at the last step and the interpreter runs
// into one of the errors listed.
func (j *judge) witnesses(o *oracle, first map[int]int, cells map[cellID]*seenCell) error {
	check := func(id cellID, witness []typestate.Step, sites []typestate.ErrorSite) error {
		where := fmt.Sprintf("witness %v of %s in state %d", witness, id.call, id.state)
		seen := cells[id]
		if seen == nil {
			return fmt.Errorf("%s: no such cell", where)
		}
		a := o.i.Accepts(witness)
		if a.Kind != typestate.StepForbidden || a.Pos != len(witness)-1 || a.From != id.state || a.Call != id.call {
			return fmt.Errorf("%s: the interface says %v at step %d in state %d of %s (%s)", where, a.Kind, a.Pos, a.From, a.Call, a.Reason)
		}
		if !seen.pruned && len(witness) != first[id.state]+1 {
			return fmt.Errorf("%s is not shortest: %d calls lead to the state", where, first[id.state])
		}
		dead := slices.ContainsFunc(sites, func(s typestate.ErrorSite) bool { return s.Kind == "dead-end" })
		if dead != seen.pruned {
			return fmt.Errorf("%s: dead end is %v, want %v", where, dead, seen.pruned)
		}
		listed := 0
		for _, e := range sites {
			if e.Kind != "dead-end" {
				listed++
				if !seen.sites[e] {
					return fmt.Errorf("%s: no word errs at %v", where, e)
				}
			}
		}
		if listed != len(seen.sites) {
			return fmt.Errorf("%s: %d error sites are listed, want %d", where, listed, len(seen.sites))
		}
		if !seen.sure {
			return nil
		}
		word, err := o.concrete(witness)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		run, ok, err := o.in.Run(context.Background(), word)
		if err != nil || !ok {
			return fmt.Errorf("%s does not err: %v", where, err)
		}
		at := run[len(run)-1].Error
		if !slices.ContainsFunc(sites, func(s typestate.ErrorSite) bool {
			return s.At == at.Pos.String() && s.Message == at.Message && s.Kind == at.Kind
		}) {
			return fmt.Errorf("%s errs at %v, which is not listed", where, at.Pos)
		}
		return nil
	}
	for _, f := range o.i.Forbidden {
		if err := check(cellID{f.State, f.Call}, f.Witness, f.Errors); err != nil {
			return err
		}
	}
	for _, c := range o.i.Constructors {
		if c.Verdict != "allowed" {
			if err := check(cellID{-1, c.ID}, c.Witness, c.Errors); err != nil {
				return err
			}
		}
	}
	return nil
}

// concrete is a witness as a word of the interpreter.
func (o *oracle) concrete(witness []typestate.Step) ([]prog.Call, error) {
	var word []prog.Call
	for k, s := range witness {
		m := o.p.Method(s.Call)
		if k == 0 {
			m = o.p.Constructor(s.Call)
		}
		if m == nil {
			return nil, fmt.Errorf("no method %s", s.Call)
		}
		call := prog.Call{Method: m}
		for _, v := range m.Params {
			n := len(call.Args)
			for x := range prog.Values(v.Type) {
				if v.Type.FormatValue(x) == s.Args[v.Name] {
					call.Args = append(call.Args, x)
				}
			}
			if len(call.Args) != n+1 {
				return nil, fmt.Errorf("argument %s is %q", v.Name, s.Args[v.Name])
			}
		}
		if s.Outcome != "" {
			call.Observed = func(r []term.Value) bool {
				in, err := o.outcome(m, r, s.Outcome)
				return err == nil && in
			}
		}
		word = append(word, call)
	}
	return word, nil
}

// judgeAll synthesizes in all readings and compares. It reports whether the
// component was small enough.
func judgeAll(t *testing.T, name, source string, limit int) bool {
	t.Helper()
	p, err := prog.Parse("x.open", []byte(source), prog.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, source)
	}
	j, err := newJudge(p, limit)
	if err != nil {
		if !errors.Is(err, errTooLarge) {
			t.Fatalf("%s: %v\n%s", name, err, source)
		}
		return false
	}
	c, err := explore.New(context.Background(), p, explore.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, source)
	}
	kept := func(s prog.State) string {
		var b strings.Builder
		for k, v := range p.State {
			if slices.Contains(c.State, v) {
				fmt.Fprintf(&b, "%d,", s[k].Lo)
			}
		}
		return b.String()
	}
	all := func(s prog.State) string { return statesKey([]prog.State{s}) }
	for mode := range 8 {
		asked := problem.Problem{Program: p, Engine: "direct", Budget: corpusBudget, Serial: mode&1 != 0, Tight: mode&2 != 0, KeepAll: mode&4 != 0}
		i, err := Synthesize(context.Background(), asked)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, source)
			return true
		}
		dropped := kept
		if asked.KeepAll {
			dropped = all
		}
		if asked.Tight && i.Guarantees.Tight != "yes" {
			t.Errorf("%s: -tight gives tight %q", name, i.Guarantees.Tight)
		}
		if err := j.check(i, dropped); err != nil {
			t.Errorf("%s, serial %v, tight %v, all %v: %v\n%s\n%s", name, asked.Serial, asked.Tight, asked.KeepAll, err, source, file(t, i))
			return true
		}
		if mode != 0 && mode != 5 {
			continue // pruning and reduction do not depend on the engine
		}
		for _, v := range variants() {
			asked.Engine, asked.Learner = v.engine, v.learner
			other, err := Synthesize(context.Background(), asked)
			if err != nil {
				var r *problem.Refusal
				if !(v.engine == "hide" && (errors.As(err, &r) || problem.Undecided(err))) {
					t.Errorf("%s by %v: %v\n%s", name, v, err, source)
				}
				continue
			}
			if !bytes.Equal(i.Core(), other.Core()) {
				t.Errorf("%s: another core by %v\n%s\nwant\n%s\n%s", name, v, other.Core(), i.Core(), source)
			}
		}
	}
	return true
}

func judged(t *testing.T, count, limit int, make func(seed int64) string) {
	t.Helper()
	count = loops(count, 2*count)
	done := 0
	for seed := range count {
		if judgeAll(t, fmt.Sprintf("seed %d", seed), make(int64(seed)), limit) {
			done++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d components judged", done, count)
	if done < count/2 {
		t.Errorf("only %d of %d components were small enough to judge", done, count)
	}
}

func TestJudgeRandom(t *testing.T) {
	t.Parallel()
	judged(t, 40, 10_000, func(seed int64) string {
		return corpus.Random(seed+5000, corpus.RandomOptions{States: 2 + int(seed%6), Methods: 1 + int(seed%4), Depth: 1 + int(seed%3)})
	})
}

func TestJudgeNondeterminism(t *testing.T) {
	t.Parallel()
	judged(t, 120, 20_000, func(seed int64) string {
		return corpus.RandomNFA(seed, corpus.NFAOptions{
			States: 2 + int(seed%4), Letters: 1 + int(seed/4%3), Results: seed%3 != 0, Stuck: float64(seed%2) * 0.3, Error: 0.1 + float64(seed%5)*0.05,
		}).Source()
	})
}

func TestJudgeData(t *testing.T) {
	t.Parallel()
	judged(t, 40, 15_000, randomData)
}

// TestJudgeCorners judges components made by hand, one for each corner of the
// definitions.
func TestJudgeCorners(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"no methods": `component C
state b bool = false`,
		"no state": `component C
method m() { error "x" }
method k() { }`,
		"arguments without state": `component C
method m(a int4) (r int4) { if a < 0 { error "x" }
return a }`,
		"constructors with arguments and results": `component C
state n int3 = 0
constructor A(k int3) (ok bool) { if k < 0 { error "neg" }
n = k
return k > 1 }
constructor B() { while { } }
constructor D(k int3) { n = k
if k == 2 { while { } }
if k == 3 { error "three" } }
method dec() { if n <= 0 { error "z" }
n-- }`,
		"cannot be constructed": `component C
constructor A() { error "x" }
method m() { }`,
		"any initial state": `component C
state n int3 = any
constructor A() (r int3) { return n }
constructor B() (r int3) { var k int3 = any
if k == n { error "x" }
return k }
method m(k int3) (r bool) { if k == n { error "x" }
return k > n }`,
		"blamed": `component C
state b bool = false
method m() (ok bool) { var x bool = any
if x { error "e" environment }
if b { error "c" }
b = any
return b }`,
		"only blamed": `component C
method m() { error "e" environment }`,
		"more than 64 bits": `component C
state a uint40 = 1099511627775, b uint40 = 5, c int64 = -1, d uint64 = 18446744073709551615
method m() { if a == b { error "x" }
a = b }
method k() (r uint64) { if c == 3 { error "y" }
c = 3
return d }
method z() { d = d >> 60 }`,
		"more than 256 results": `component C
enum e { a, b, c, d }
state n uint3 = 0
method m() (p e, q e, r e, s e, t bool) { n++
if n == 7 { error "x" }
return a, b, c, d, n > 2 }
method k() (p e, q e, r e, s e, t bool) { while { } }
method z() (p e, q e, r e, s e, t bool) { error "z" }`,
		"numbers that are never returned": `component C
state b bool = false
method m() (r int8) { while { } }
method k() (r int8, v int8) { error "x" }
method t() (r int8) { if b { error "y" }
b = true
while { } }`,
		"parameters of one name": `component C
state s uint2 = 0
method m(p uint2) { s = p }
method k(p uint2) (q uint2) { if s == p { error "x" }
return p }
method z(p bool) { if p && s == 3 { error "y" } }`,
		"parameters that do not matter": `component C
state s uint2 = 0, z uint3 = any
method m(p uint2, q int3, w int2) { z = uint3(q)
if p == s { error "x" }
s = p }`,
		"nothing goes on for ever": `component C
constructor A() (r bool) { r = any }
constructor B(k bool) { }
method m() { error "x" }`,
		"constructor results that decide": `component C
state b bool = false
constructor A() (r bool) { r = any
b = r }
constructor B(k bool) { b = k }
method m() { if b { error "x" } }`,
		"dead ends beside errors": `component C
state n uint2 = 0
method m() (r bool) { var h bool = choose
if n == 1 && h { error "x" }
if n == 2 { n = 3
return true }
if n == 3 { error "d" }
return false }
method go1() { if n == 3 { error "d" }
n = 1 }
method go2() { if n == 3 { error "d" }
n = 2 }`,
		"enums of one and two values": `component C
enum one { only }
enum two { x, y }
state o one = only, w two = x
method m(a one, b two) (r one, s two) { if b == w { error "x" }
w = b
return a, b }`,
		"signed and unsigned": `component C
state n int4 = 0
method m(a int4, b uint4) { if uint4(a) < b && a > -3 { error "x" }
n = a & int4(b) }
method k() { if n == 5 { error "y" } }`,
		"relation of arguments": `component C
state n uint3 = 0
method m(a uint3, b uint3) { if a ^ b == n { error "x" }
n = a }`,
		"several numbers": `component C
state a uint2 = 0
method get() (x uint2, y uint2, ok bool) { var v uint2 = any
a = v
return v, v + 1, v == 3 }
method use() { if a > 1 { error "x" } }`,
		"one bit": `component C
state a int1 = 0
method m(k int1, j uint1) (r int1) { if k == a { error "x" }
a = k
return -k }`,
		"far numbers": `component C
state a bool = false
method m() (r bool, v int8) { v = any
assume v == 3 || v == -100 || v == 101
a = v == 3
r = v > 0
return r, v }
method k() { if a { error "x" } }`,
		"flows against the order of the text": `component C
state x bool = false, y bool = false, z bool = false
method a() { y = x }
method c() { z = y }
method e() { x = true }
method f() { if z { error "x" } }`,
		"results that are not set": `component C
state b bool = false
method a() (r uint2, v bool) {
	if b { r, v = 3, true }
	b = !b
}
method c() (v bool, r uint2) {
	var i uint2
	if i != 0 { error "not zero" }
	i = 3
	if b { v = i == 3 }
}`,
		"long loops of one shape": `component C
state n bool = false
method a() {
	var i uint8 = 0
	while i < 250 { i++ }
	n = true
}
method c() {
	var i uint8 = 0
	while i < 250 { i++ }
	if n { error "x" }
}`,
		"never returns or errs": `component C
state b bool = false
method a() { b = true }
method c() {
	if b { error "x" }
	while { }
}`,
	} {
		t.Run(name, func(t *testing.T) {
			if !judgeAll(t, name, source, 100_000) {
				t.Error("too large to judge")
			}
		})
	}
}

// randomData makes a component with constructors, several parameters, several
// results and conditions that use every operator.
func randomData(seed int64) string {
	r := rand.New(rand.NewPCG(uint64(seed), 77))
	var b strings.Builder
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	b.WriteString("component Data\nenum color { red, green, blue }\nenum size { small, red }\n")
	fmt.Fprintf(&b, "state n int3 = %s, c color = %s, u bool = %s\n", pick("0", "any", "-4", "3"), pick("color.red", "blue", "any"), pick("false", "any"))
	var ints, bools, colors []string
	var integer func(depth int) string
	integer = func(depth int) string {
		if depth == 0 || r.IntN(3) == 0 {
			if r.IntN(3) == 0 {
				return pick("0", "1", "2", "3", "-1", "-3")
			}
			return pick(ints...)
		}
		x, y := integer(depth-1), integer(depth-1)
		switch r.IntN(7) {
		case 0:
			return fmt.Sprintf("quo(%s, %s)", pick(ints...), y)
		case 1:
			return fmt.Sprintf("rem(%s, %s)", pick(ints...), y)
		case 2:
			return fmt.Sprintf("ite(%s, %s, %s)", pick(bools...), pick(ints...), x)
		case 3:
			return fmt.Sprintf("(%s << (uint3(%s) & 3))", pick(ints...), pick(ints...))
		case 4:
			return fmt.Sprintf("int3(uint3(%s) >> 1)", pick(ints...))
		case 5:
			return fmt.Sprintf("(%s %s %s)", pick(ints...), pick("/", "%"), pick("2", "3", "-1"))
		}
		return fmt.Sprintf("(%s %s %s)", pick(ints...), pick("+", "-", "*", "&", "|", "^", "&^"), y)
	}
	condition := func() string {
		switch r.IntN(6) {
		case 0:
			return pick("", "!") + pick(bools...)
		case 1:
			return pick(colors...) + pick(" == ", " != ") + pick("color.red", "green", "blue")
		case 2:
			return fmt.Sprintf("uint3(%s) %s uint3(%s)", pick(ints...), pick("<", ">="), pick(ints...))
		}
		return fmt.Sprintf("%s %s %s", pick(ints...), pick("<", "<=", "==", "!=", ">", ">="), integer(1+r.IntN(2)))
	}
	method := func(head string, failing int) {
		ints, bools, colors = []string{"n"}, []string{"u"}, []string{"c"}
		var params, results, give []string
		switch r.IntN(5) {
		case 0:
			params = []string{"a int3"}
			ints = append(ints, "a")
		case 1:
			params = []string{"a int2", "d uint2"}
			ints = append(ints, "int3(a)", "int3(d)")
		case 2:
			params = []string{"e color", "f bool"}
			colors, bools = append(colors, "e"), append(bools, "f")
		case 3:
			params = []string{"s size", "a int2"}
			ints, bools = append(ints, "int3(a)"), append(bools, "(s == size.red)")
		}
		fmt.Fprintf(&b, "%s(%s)", head, strings.Join(params, ", "))
		switch r.IntN(6) {
		case 0:
			results = []string{"r int3"}
		case 1:
			results = []string{"r int3", "v int2"}
		case 2:
			results = []string{"g color", "r int3"}
		case 3:
			results = []string{"w bool", "r uint2", "v int3"}
		}
		if len(results) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(results, ", "))
		}
		b.WriteString(" {\n")
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, "\tvar h bool = %s\n", pick("choose", "any"))
			bools = append(bools, "h")
		}
		for range 1 + r.IntN(4) {
			fmt.Fprintf(&b, "\tif %s%s {\n", condition(), pick("", "", " && "+condition(), " || "+condition()))
			switch x := r.IntN(10); {
			case x < failing:
				fmt.Fprintf(&b, "\t\terror \"e%d\"%s\n", r.IntN(100), pick("", "", "", " environment"))
			case x < 5:
				fmt.Fprintf(&b, "\t\tn = %s\n", integer(1))
			case x < 7:
				fmt.Fprintf(&b, "\t\tc = %s\n", pick(append(colors, "color.red", "green", "blue")...))
			case x < 9:
				fmt.Fprintf(&b, "\t\tu = %s\n", condition())
			case r.IntN(3) == 0:
				b.WriteString("\t\twhile { }\n")
			default:
				b.WriteString("\t\tn = 0\n")
			}
			b.WriteString("\t}\n")
		}
		for _, res := range results {
			switch name, typ, _ := strings.Cut(res, " "); typ {
			case "bool":
				give = append(give, condition())
			case "color":
				give = append(give, pick(append(colors, "color.red", "blue")...))
			case "int3":
				give = append(give, integer(1))
			default:
				_ = name
				give = append(give, typ+"("+pick(ints...)+")")
			}
		}
		if len(give) > 0 {
			fmt.Fprintf(&b, "\treturn %s\n", strings.Join(give, ", "))
		}
		b.WriteString("}\n")
	}
	for k := range r.IntN(3) {
		method(fmt.Sprintf("constructor New%d", k), 2)
	}
	for k := range 1 + r.IntN(3) {
		method(fmt.Sprintf("method m%d", k), 4)
	}
	return b.String()
}
