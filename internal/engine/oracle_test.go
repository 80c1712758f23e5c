// SPDX-License-Identifier: Apache-2.0

package engine

// This file compares interfaces with the reference interpreter on words. Words
// with the same knowledge and the same interface state have the same future,
// so pairs of these are searched level by level; a search that ends before its
// limit has covered all words of any length.

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// An oracle compares one interface with one program.
type oracle struct {
	p       *prog.Program
	i       *typestate.Interface
	in      *prog.Interp
	guards  map[string]*term.Term
	memo    map[string]prog.Step
	calls   int // of the interpreter
	depth   int // words up to this length were compared
	all     bool
	unknown int  // cells met
	missing int  // witnesses
	most    int  // words of at most so many calls are compared, constructor included; 0: of any length
	ends    bool // the interface assumes that loops end
}

func newOracle(p *prog.Program, i *typestate.Interface) *oracle {
	ends := slices.ContainsFunc(i.Conventions, func(s string) bool { return strings.HasPrefix(s, "ends:") })
	return &oracle{p: p, i: i, in: prog.NewInterp(p, prog.InterpOptions{}), guards: map[string]*term.Term{}, memo: map[string]prog.Step{}, ends: ends}
}

func (o *oracle) holds(vars []*prog.Var, values []term.Value, text string) (bool, error) {
	key := fmt.Sprintf("%p %s", vars, text)
	t := o.guards[key]
	if t == nil {
		var err error
		if t, err = prog.ParseExpr(o.p, vars, text); err != nil {
			return false, err
		}
		o.guards[key] = t
	}
	m := term.Model{}
	for k, v := range vars {
		m[v.Term] = values[k]
	}
	return term.Eval(t, m).Bool(), nil
}

// outcome reports whether the results belong to the outcome of that name.
func (o *oracle) outcome(m *prog.Method, results []term.Value, name string) (bool, error) {
	if name == "*" || name == "return" {
		return true, nil
	}
	if text, cond, ok := strings.Cut(name, " with "); ok {
		in, err := o.holds(m.Results, results, cond)
		if err != nil || !in {
			return false, err
		}
		name = text
	}
	parts := []string{name}
	if len(m.Results) > 1 {
		parts = strings.Split(strings.TrimSuffix(strings.TrimPrefix(name, "("), ")"), ", ")
		if len(parts) != len(m.Results) {
			return false, fmt.Errorf("outcome %q of %s has %d parts", name, m.Name, len(parts))
		}
	}
	for k, r := range m.Results {
		if parts[k] == "_" || parts[k] == r.Type.FormatValue(results[k]) {
			continue
		}
		if r.Type.Sort.Kind != term.BitVecKind {
			return false, nil
		}
		in, err := o.holds(m.Results, results, strings.TrimSpace(parts[k]))
		if err != nil {
			if !strings.ContainsAny(parts[k], "<>=!") {
				return false, nil // another value
			}
			return false, err
		}
		if !in {
			return false, nil
		}
	}
	return true, nil
}

// tuples returns the argument tuples to try: all if few, else a sample that
// holds both ends of every range.
func tuplesToTry(m *prog.Method) [][]term.Value {
	var all [][]term.Value
	for t := range prog.Tuples(m.Params) {
		all = append(all, append([]term.Value(nil), t...))
		if len(all) > 1<<16 {
			break
		}
	}
	if len(all) <= 256 {
		return all
	}
	var out [][]term.Value
	for k := 0; k < len(all); k += len(all)/200 + 1 {
		out = append(out, all[k])
	}
	return append(out, all[len(all)-1])
}

func statesKey(states []prog.State) string {
	var b []byte
	for _, s := range states {
		for _, v := range s {
			b = binary.LittleEndian.AppendUint64(b, v.Lo)
		}
	}
	return string(b)
}

// run searches up to limit calls of the interpreter.
func (o *oracle) run(ctx context.Context, limit int) error {
	type node struct {
		states []prog.State
		at     int // interface state; -1 before construction
		word   string
	}
	initial, err := o.in.Initial(ctx)
	if err != nil {
		return err
	}
	level := []node{{initial, -1, ""}}
	seen := map[string]bool{}
	for ; len(level) > 0; o.depth++ {
		if o.most > 0 && o.depth == o.most {
			return nil
		}
		var next []node
		for _, n := range level {
			methods := o.p.Methods
			if n.at < 0 {
				methods = o.p.Constructors
			}
			for _, m := range methods {
				for _, args := range tuplesToTry(m) {
					if o.calls++; o.calls > limit {
						return nil
					}
					word := n.word + " " + m.Name + prog.FormatArgs(m.Params, args)
					st, err := o.in.Step(ctx, n.states, prog.Call{Method: m, Args: args})
					if err != nil {
						return err
					}
					targets, err := o.compare(n.at, m, args, st)
					if err != nil {
						return fmt.Errorf("after%s: %w", word, err)
					}
					for k, to := range targets {
						after, err := o.in.Step(ctx, n.states, prog.Call{Method: m, Args: args, Observed: prog.Saw(st.Results[k]...)})
						if err != nil {
							return err
						}
						key := fmt.Sprintf("%d %s", to, statesKey(after.States))
						if !seen[key] {
							seen[key] = true
							next = append(next, node{after.States, to, word + "=" + prog.FormatOutcome(m, st.Results[k])})
						}
					}
				}
			}
		}
		level = next
	}
	o.all = true
	return nil
}

// compare compares one call; it returns the interface state after each result.
func (o *oracle) compare(at int, m *prog.Method, args []term.Value, st prog.Step) ([]int, error) {
	type edge struct {
		outcome string
		to      int
	}
	id, verdict := "", ""
	var edges []edge
	if at < 0 {
		for _, k := range o.i.Constructors {
			if k.Method != m.Name {
				continue
			}
			in, err := o.holds(m.Params, args, k.Guard)
			if err != nil {
				return nil, err
			}
			if in {
				if id != "" && id != k.ID {
					return nil, fmt.Errorf("guards of %s and %s overlap", id, k.ID)
				}
				id, verdict = k.ID, k.Verdict
				if k.State != nil {
					edges = append(edges, edge{k.Outcome, *k.State})
				}
			}
		}
	} else {
		for _, k := range o.i.Calls {
			if k.Method != m.Name {
				continue
			}
			in, err := o.holds(m.Params, args, k.Guard)
			if err != nil {
				return nil, err
			}
			if in {
				if id != "" {
					return nil, fmt.Errorf("guards of %s and %s overlap", id, k.ID)
				}
				id = k.ID
			}
		}
		verdict = o.i.Verdict(at, id).String()
		for _, e := range o.i.Edges {
			if e.From == at && e.Call == id {
				edges = append(edges, edge{e.Outcome, e.To})
			}
		}
	}
	if id == "" {
		return nil, fmt.Errorf("no guard of %s covers %s", m.Name, prog.FormatArgs(m.Params, args))
	}
	switch {
	case verdict == "unknown":
		o.unknown++
		if st.Verdict != prog.Allowed || at < 0 {
			return nil, nil
		}
	case st.Verdict == prog.Allowed && verdict == "allowed":
	case st.Verdict == prog.Fails && (verdict == "fails" || verdict == "may-fail"):
		// A merged state shows "fails" only if every word reaching it fails.
		return nil, nil
	case st.Verdict == prog.MayFail && verdict == "may-fail":
		return nil, nil
	case o.ends && verdict == "fails" && st.Verdict == prog.Allowed && len(st.Results) == 0:
		return nil, nil // it stays in a loop, which the interface assumes it does not
	default:
		return nil, fmt.Errorf("%s is %v, the interface says %s in state %d", m.Name, st.Verdict, verdict, at)
	}
	targets := make([]int, len(st.Results))
	for k, r := range st.Results {
		found := 0
		for _, e := range edges {
			in, err := o.outcome(m, r, e.outcome)
			if err != nil {
				return nil, err
			}
			if in {
				targets[k] = e.to
				found++
			}
		}
		if found != 1 {
			return nil, fmt.Errorf("outcome %s fits %d edges of state %d", prog.FormatOutcome(m, r), found, at)
		}
	}
	return targets, nil
}

// oracleLimit is the number of calls of the interpreter per component.
func oracleLimit() int {
	if os.Getenv("CI") == "true" {
		return 200_000
	}
	return 20_000
}

func TestOracle(t *testing.T) {
	t.Parallel()
	for _, c := range loadCorpus(t) {
		if c.Has("-serial") {
			continue // calls are forbidden there that do not err themselves
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			p, err := prog.Parse(c.File, []byte(c.Source), prog.Options{Width: c.OracleWidth()})
			if err != nil {
				t.Fatal(err)
			}
			i, err := Synthesize(context.Background(), problem.Problem{Program: p, Tight: c.Has("-tight")})
			if err != nil {
				t.Fatal(err)
			}
			o := newOracle(p, i)
			if err := o.run(context.Background(), oracleLimit()); err != nil {
				t.Error(err)
			}
			if !o.all && o.depth < 2 {
				t.Errorf("only words up to length %d were compared", o.depth)
			}
			o.witnesses(t)
			if o.missing > 0 {
				t.Errorf("%d witnesses are missing", o.missing)
			}
		})
	}
}

// witnesses replays the witness of every forbidden call.
func (o *oracle) witnesses(t *testing.T) {
	for _, f := range o.i.Forbidden {
		if len(f.Witness) == 0 {
			o.missing++
			continue
		}
		var word []prog.Call
		for k, s := range f.Witness {
			m := o.p.Method(s.Call)
			if k == 0 {
				m = o.p.Constructor(s.Call)
			}
			if m == nil {
				t.Fatalf("witness of %s in state %d: no method %s", f.Call, f.State, s.Call)
			}
			var args []term.Value
			for _, v := range m.Params {
				text := s.Args[v.Name]
				if e := v.Type.Sort.Enum; e != nil { // its values may be those of others too
					text = e.Name + "." + text
				}
				x, err := prog.ParseExprAs(o.p, nil, text, v.Type)
				if err != nil {
					t.Fatalf("witness of %s in state %d: %v", f.Call, f.State, err)
				}
				args = append(args, x.Value())
			}
			call := prog.Call{Method: m, Args: args}
			if s.Outcome != "" {
				call.Observed = func(r []term.Value) bool {
					in, err := o.outcome(m, r, s.Outcome)
					return err == nil && in
				}
			}
			word = append(word, call)
		}
		run, ok, err := o.in.Run(context.Background(), word)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			t.Errorf("witness of %s in state %d does not err", f.Call, f.State)
			continue
		}
		site := run[len(run)-1].Error
		found := false
		for _, e := range f.Errors {
			found = found || e.At == site.Pos.String() && e.Message == site.Message
		}
		if !found {
			t.Errorf("witness of %s in state %d errs at %v, which is not listed", f.Call, f.State, site.Pos)
		}
	}
}
