// SPDX-License-Identifier: Apache-2.0

package symbolic

// This file writes the interface of a conjecture: it minimizes the automaton
// that was learned, merges guards that make no difference, and annotates the
// cells with the errors and words that symbolic execution has seen.

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/cegar"
	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A builtCall is a guarded call and its letters, one per outcome.
type builtCall struct {
	guardedCall
	parts   []*term.Term // guards that were merged into it
	merged  []int        // the calls that these are of
	letters []int
	// outcomes are the kept outcomes: for each the letters that it is made of, as
	// indices into letters.
	outcomes [][]int
}

// A builtCell is what is known of a call in a state of the automaton.
type builtCell struct {
	verdict typestate.Verdict
	reason  string
	sites   []*prog.ErrorSite
	word    []int // shortest, with the call at its end
}

// symBuilder writes a conjecture.
type symBuilder struct {
	teacher *symTeacher
	c       *conjecture
	calls   []*builtCall
	cells   map[int32][]builtCell // by state of the learned automaton and call
	kept    []*builtCall          // calls after merging
	names   []string              // outcomes by letter
	// visited are the nodes that the comparison met in each state.
	visited map[int32][]*symNode
	// targets are the rows of kept calls: the verdict, then the target of each
	// outcome, by state in which the call can be made.
	targets map[*builtCall][][]int32
}

func (t *symTeacher) build(ctx context.Context, c *conjecture, st problem.Stats) (*typestate.Interface, *symBuilder, error) {
	b := &symBuilder{teacher: t, c: c, cells: map[int32][]builtCell{}, visited: map[int32][]*symNode{}}
	for i, l := range c.letters {
		k := guardedCall{l.call, l.guard}
		n := slices.IndexFunc(b.calls, func(c *builtCall) bool { return c.guardedCall == k })
		if n < 0 {
			n = len(b.calls)
			b.calls = append(b.calls, &builtCall{guardedCall: k, parts: []*term.Term{l.guard}, merged: []int{n}})
		}
		b.calls[n].letters = append(b.calls[n].letters, i)
	}
	if err := b.collect(ctx); err != nil {
		return nil, nil, err
	}
	d, pairs := b.automaton()
	min, class := automata.MinimizeMap(d)
	r, at, minimal := automata.Cover(min)
	if !minimal {
		st["minimalityUnproved"] = 1
	}
	members := make([][]int32, r.States())
	for s, h := range pairs {
		for _, m := range at[class[s]] {
			members[m] = append(members[m], h)
		}
	}
	number := make([]int, r.States())
	count := 0
	for s := range number {
		number[s] = -1
		if s != 0 && r.Out[s] == automata.Accept {
			number[s] = count
			count++
		}
	}
	b.merge(r, number, members)
	st["states"] = int64(count)
	i := &typestate.Interface{
		Format: typestate.Format,
		Component: typestate.Component{Language: "open", Name: t.p.Program.Name, Program: t.p.Program.Hash(),
			Errors: cegar.ProgramErrorKinds(t.p.Program)},
		Guarantees:  typestate.Guarantees{Safe: depthText(c.depth), Permissive: depthText(c.depth), Tight: "unknown", Depth: &c.depth},
		Conventions: cegar.ConventionsOf(t.p),
		Stats:       st,
	}
	if err := b.write(ctx, i, r, number, members); err != nil {
		return nil, nil, err
	}
	return i, b, i.Canonicalize()
}

// collect judges all calls in all states of the automaton, after the words by
// which the comparison came to them, and at least after one.
func (b *symBuilder) collect(ctx context.Context) error {
	h := b.c.dfa
	add := func(s int32, k int, word []int, c *symCell) {
		if b.cells[s] == nil {
			b.cells[s] = make([]builtCell, len(b.calls))
		}
		cell := &b.cells[s][k]
		switch {
		case cell.word == nil:
			cell.word, cell.verdict, cell.reason = word, c.verdict, c.reason
		case cell.verdict == typestate.VerdictUnknown:
		case c.verdict == typestate.VerdictUnknown: // nothing is said after the other words that lead here either
			cell.verdict, cell.reason = c.verdict, c.reason
		case c.verdict == typestate.VerdictMayFail:
			cell.verdict = c.verdict
		}
		for _, s := range c.sites {
			if c.verdict.Forbidden() && !slices.Contains(cell.sites, s) {
				cell.sites = append(cell.sites, s)
			}
		}
	}
	first := make([]int, len(b.c.letters)) // letter -> its call if it is the first of it, else -1
	for i := range first {
		first[i] = -1
	}
	for k, c := range b.calls {
		first[c.letters[0]] = k
	}
	err := b.teacher.walk(ctx, h, b.c.depth, func(p *symPair, word func(int) []int, x int, v automata.Verdict, c *symCell) bool {
		if k := first[x]; k >= 0 && c != nil {
			add(p.h, k, word(x), c)
		}
		if x == 0 {
			b.visited[p.h] = append(b.visited[p.h], p.at.node)
		}
		return true
	})
	if err != nil {
		return err
	}
	// States that are farther away than the depth.
	type visit struct {
		h    int32
		at   wordPlace
		word []int
	}
	seen := map[int32]bool{0: true}
	for queue := []visit{{0, wordPlace{node: b.teacher.nodes[0]}, nil}}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		b.visited[v.h] = append(b.visited[v.h], v.at.node)
		for x, l := range b.c.letters {
			to := h.Step(v.h, x)
			_, c, e, err := b.teacher.judgement(ctx, v.at.node, l)
			if err != nil {
				return err
			}
			if k := first[x]; k >= 0 && c != nil && (b.cells[v.h] == nil || b.cells[v.h][k].word == nil) {
				add(v.h, k, append(slices.Clone(v.word), x), c)
			}
			if e == nil || e.to == nil || seen[to] || explicit.Absorbing(h.Out[to]) {
				continue
			}
			seen[to] = true
			queue = append(queue, visit{to, v.at.after(e, len(v.word)), append(slices.Clone(v.word), x)})
		}
	}
	return nil
}

// automaton returns the learned automaton with two letters more per call, which
// tell whether it is forbidden or unknown, and without the difference between
// Accept and Unknown states: what is unknown is a verdict of a call, not of the
// state after it. The second result is the learned state of each state.
func (b *symBuilder) automaton() (*automata.DFA, []int32) {
	h := b.c.dfa
	var states []int32
	index := make([]int32, h.States())
	for s := range index {
		index[s] = -1
		if !explicit.Absorbing(h.Out[s]) && b.cells[int32(s)] != nil {
			index[s] = int32(len(states))
			states = append(states, int32(s))
		}
	}
	n := int32(len(states))
	reject, imposs, other := n, n+1, n+2
	d := &automata.DFA{Letters: len(b.c.letters) + 2*len(b.calls)}
	for i, s := range states {
		for x := range b.c.letters {
			to := h.Step(s, x)
			switch {
			case h.Out[to] == automata.Reject:
				to = reject
			case index[to] < 0:
				to = imposs
			default:
				to = index[to]
			}
			d.Next = append(d.Next, to)
		}
		for k, c := range b.calls {
			forbidden, unknown := other, other
			if b.teacher.calls[c.call].constructor != (i == 0) {
				forbidden, unknown = imposs, imposs
			} else if v := b.cells[s][k].verdict; v.Forbidden() {
				forbidden = reject
			} else if v == typestate.VerdictUnknown {
				unknown = reject
			}
			d.Next = append(d.Next, forbidden, unknown)
		}
		d.Out = append(d.Out, automata.Accept)
	}
	d.Out[0] = automata.Unknown
	for _, v := range []automata.Verdict{automata.Reject, automata.Impossible, automata.Unknown} {
		d.Out = append(d.Out, v)
		for range d.Letters {
			d.Next = append(d.Next, int32(len(d.Out)-1))
		}
	}
	return d, states
}

// cell joins what is known of calls that were merged, in learned states that
// were.
func (b *symBuilder) cell(states []int32, calls []int) (v typestate.Verdict, reason string, sites []*prog.ErrorSite, word []int) {
	for _, s := range states {
		for _, k := range calls {
			c := b.cells[s][k]
			if c.word == nil {
				continue
			}
			if word == nil || c.verdict == typestate.VerdictMayFail {
				v = c.verdict
			}
			if reason == "" {
				reason = c.reason
			}
			if word == nil || len(c.word) < len(word) {
				word = c.word
			}
			for _, e := range c.sites {
				if !slices.Contains(sites, e) {
					sites = append(sites, e)
				}
			}
		}
	}
	return v, reason, sites, word
}

// nameLetters names the outcomes of all letters.
func (b *symBuilder) nameLetters(ctx context.Context) error {
	b.names = make([]string, len(b.c.letters))
	for _, c := range b.kept {
		outcomes, err := b.outcomeNames(ctx, c)
		if err != nil {
			return err
		}
		for _, d := range b.calls {
			if d.call != c.call {
				continue
			}
			for n, list := range c.outcomes {
				for _, o := range list {
					b.names[d.letters[o]] = outcomes[n]
				}
			}
		}
	}
	return nil
}

// entryOf is the entry of a call, the n-th of its method.
func (b *symBuilder) entryOf(c *builtCall, n int, guard string) typestate.Call {
	m := b.teacher.calls[c.call].sum.Method
	e := typestate.Call{ID: m.Name, Method: m.Name, Params: []string{}, Types: []string{}, Guard: guard}
	for _, v := range m.Params {
		e.Params, e.Types = append(e.Params, v.Name), append(e.Types, v.Type.String())
	}
	if n > 1 {
		e.ID = fmt.Sprintf("%s#%d", m.Name, n)
	}
	for _, o := range c.outcomes {
		name := "return"
		if len(o) > 0 {
			name = b.names[c.letters[o[0]]]
		}
		e.Outcomes = append(e.Outcomes, name)
	}
	return e
}

// write writes calls, cells and edges.
func (b *symBuilder) write(ctx context.Context, i *typestate.Interface, r *automata.DFA, number []int, members [][]int32) error {
	texts, err := b.guardTexts(ctx)
	if err != nil {
		return err
	}
	if err := b.nameLetters(ctx); err != nil {
		return err
	}
	count := map[int]int{}
	for _, c := range b.kept {
		count[c.call]++
		w := cellWriter{i: i, call: b.entryOf(c, count[c.call], texts[c]), number: number}
		constructor := b.teacher.calls[c.call].constructor
		if !constructor {
			i.Calls = append(i.Calls, w.call)
		}
		row := 0
		for s := range r.States() {
			if (s == 0) != constructor || s != 0 && number[s] < 0 {
				continue
			}
			targets := b.targets[c][row][1:]
			row++
			verdict, reason, sites, word := b.cell(members[s], c.merged)
			witness := []typestate.Step{}
			if verdict.Forbidden() {
				if witness, err = b.witness(ctx, word); err != nil {
					return err
				}
			}
			cell := writtenCell{verdict, reason, cegar.ErrorSites(sites), witness, targets}
			if constructor {
				w.constructor(cell)
			} else {
				w.method(number[s], cell)
			}
		}
	}
	for s := range r.States() {
		if number[s] >= 0 {
			i.States = append(i.States, typestate.State{ID: number[s], Registers: []typestate.Register{}})
		}
	}
	b.label(i, number, members)
	return nil
}

// A writtenCell is what the interface says of a call in a state, and where its outcomes lead to.
type writtenCell struct {
	verdict typestate.Verdict
	reason  string
	errors  []typestate.ErrorSite
	witness []typestate.Step
	targets []int32
}

// A cellWriter writes the cells of one call.
type cellWriter struct {
	i      *typestate.Interface
	call   typestate.Call
	number []int // of the states in the interface
}

// constructor writes the cell of a constructor, for each outcome that it can have if it is allowed.
func (w *cellWriter) constructor(c writtenCell) {
	entry := typestate.Constructor{ID: w.call.ID, Method: w.call.Method, Params: w.call.Params, Types: w.call.Types, Guard: w.call.Guard, Verdict: c.verdict.String(), Reason: c.reason}
	if c.verdict.Forbidden() {
		entry.Errors, entry.Witness = c.errors, c.witness
	}
	wrote := false
	for o, to := range c.targets {
		if c.verdict == typestate.VerdictAllowed && to >= 0 {
			e, state := entry, w.number[to]
			e.State, e.Outcome = &state, w.call.Outcomes[o]
			w.i.Constructors = append(w.i.Constructors, e)
			wrote = true
		}
	}
	if !wrote {
		w.i.Constructors = append(w.i.Constructors, entry)
	}
}

// method writes the cell of a method in a state.
func (w *cellWriter) method(state int, c writtenCell) {
	i, id := w.i, w.call.ID
	if c.verdict.Forbidden() {
		i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: state, Call: id, Verdict: c.verdict.String(), Errors: c.errors, Witness: c.witness})
		return
	}
	if c.verdict == typestate.VerdictUnknown {
		i.Unknown = append(i.Unknown, typestate.Unknown{State: state, Call: id, Reason: c.reason})
	}
	for o, to := range c.targets {
		if to >= 0 {
			i.Edges = append(i.Edges, typestate.Edge{From: state, Call: id, Outcome: w.call.Outcomes[o], To: w.number[to]})
		}
	}
}

// guardTexts writes the guards of the kept calls.
func (b *symBuilder) guardTexts(ctx context.Context) (map[*builtCall]string, error) {
	out := map[*builtCall]string{}
	for k := range b.teacher.calls {
		sum := b.teacher.calls[k].sum
		var mine []*builtCall
		var conds []*term.Term
		for _, c := range b.kept {
			if c.call == k {
				mine = append(mine, c)
				conds = append(conds, b.teacher.pool.Or(c.parts...))
			}
		}
		printer := &describe.GuardPrinter{Prog: b.teacher.p.Program, Solver: b.teacher.solver, Vars: sum.Method.Params, Code: describe.GoConditions(sum.Method),
			Keep: func(v *prog.Var) bool { return slices.Contains(sum.Vars, v) }}
		texts, err := printer.Texts(ctx, conds)
		if err != nil {
			return nil, err
		}
		for n, c := range mine {
			out[c] = texts[n]
		}
	}
	return out, nil
}

// plain gives arguments small values where a condition admits them.
func (b *symBuilder) plain(ctx context.Context, cond []*term.Term, model term.Model, word []int) (term.Model, error) {
	for i, x := range word {
		for _, v := range b.teacher.calls[b.c.letters[x].call].sum.Method.Params {
			arg := b.teacher.copy(v.Term, i, argCopy)
			if v.Type.Sort.Kind != term.BitVecKind || model[arg] == (term.Value{}) {
				continue
			}
			for _, n := range []int64{0, 1, 2, -1} {
				eq := b.teacher.pool.Eq(arg, b.teacher.pool.Int(v.Type.Sort.Width, n))
				r, err := b.teacher.sat(ctx, append(slices.Clone(cond), eq)...)
				if err != nil {
					return nil, err
				}
				if r.Model != nil {
					cond, model = append(slices.Clone(cond), eq), r.Model
					break
				}
			}
		}
	}
	return model, nil
}

// witness returns a concrete word of letters whose last call errs, by following
// its paths without forgetting anything. It is empty if loops would have to be
// followed too far.
func (b *symBuilder) witness(ctx context.Context, word []int) ([]typestate.Step, error) {
	var model term.Model
	var follow func(i int, cond, state []*term.Term) (bool, error)
	follow = func(i int, cond, state []*term.Term) (bool, error) {
		l := b.c.letters[word[i]]
		paths, err := b.teacher.run(ctx, l.call, state)
		if err != nil {
			return false, err
		}
		for _, p := range paths {
			if p.unsure || (p.site != nil) != (i == len(word)-1) {
				continue
			}
			here := []*term.Term{l.guard, p.cond}
			if p.site == nil {
				results := map[*term.Term]*term.Term{}
				for k, r := range b.teacher.calls[l.call].sum.Method.Results {
					results[r.Term] = p.results[k]
				}
				here = append(here, b.teacher.pool.Substitute(l.outcome.cond, results))
			}
			sub := b.teacher.instance(l.call, i, append(slices.Clone(here), p.state...)...)
			next := append(slices.Clone(cond), b.teacher.pool.SubstituteAll(here, sub)...)
			r, err := b.teacher.sat(ctx, next...)
			if err != nil {
				return false, err
			}
			if r.Model == nil {
				continue
			}
			if p.site != nil {
				model, err = b.plain(ctx, next, r.Model, word)
				return true, err
			}
			if ok, err := follow(i+1, next, b.teacher.pool.SubstituteAll(p.state, sub)); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	if ok, err := follow(0, nil, b.teacher.nodes[0].leaves[0].state); !ok || err != nil {
		return []typestate.Step{}, err
	}
	var out []typestate.Step
	for i, x := range word {
		l := b.c.letters[x]
		m := b.teacher.calls[l.call].sum.Method
		step := typestate.Step{Call: m.Name, Args: map[string]string{}}
		for _, v := range m.Params {
			step.Args[v.Name] = v.Type.FormatValue(model[b.teacher.copy(v.Term, i, argCopy)])
		}
		if i < len(word)-1 {
			step.Outcome = b.names[x]
		}
		out = append(out, step)
	}
	return out, nil
}

// label describes states by the component states that symbolic execution has
// seen in them, if these are constants.
func (b *symBuilder) label(i *typestate.Interface, number []int, members [][]int32) {
	index := map[string]int{}
	var points [][]uint64
	var in [][]int32
	for s, n := range number {
		if n < 0 {
			continue
		}
		for _, h := range members[s] {
			for _, node := range b.visited[h] {
				for _, l := range node.leaves {
					if slices.ContainsFunc(l.state, func(t *term.Term) bool { return !t.IsConst() }) {
						return
					}
					key := string(ids(nil, l.state))
					k, ok := index[key]
					if !ok {
						k = len(points)
						index[key] = k
						var pt []uint64
						for _, t := range l.state {
							pt = append(pt, t.Value().Lo)
						}
						points, in = append(points, pt), append(in, nil)
					}
					if !slices.Contains(in[k], int32(n)) {
						in[k] = append(in[k], int32(n))
					}
				}
			}
		}
	}
	if len(i.States) == 1 {
		i.States[0].Label = "true"
		return
	}
	if len(points)*len(b.teacher.sym.State) > explicit.MaxLabelWork {
		return
	}
	for s, text := range explicit.Labels(b.teacher.p.Program, b.teacher.sym.State, points, in, len(i.States)) {
		i.States[s].Label = text
	}
}
