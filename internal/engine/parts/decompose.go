// SPDX-License-Identifier: Apache-2.0

package parts

// This file takes a program apart so that each part has a small interface of
// its own (Henzinger, Jhala, Majumdar, "Permissive interfaces", FSE 2005,
// section 6). There are two ways, and for both the product of the interfaces
// (product.go) forbids exactly what the interface of the whole forbids.
//
// By ERROR SITE: the part of a site is the program in which no other site is an
// error. A run that reaches another site ends there: it is stuck, and does not
// return. So every part has the runs that return of the whole, and the client
// knows the same after the same word; and a call errs after a word iff it
// reaches some site. Letting a run go on past another site was not chosen: it
// would return where the whole never does.
//
// By VALUE FLOW: two methods belong together if they mention a state variable
// in common, and so on transitively. What the client knows after a word is then
// one set of values per group, independent of each other, if the constructors
// leave the groups independent. Arguments do not make values dependent, because
// the client knows them; a choice, or an initial value that may be anything,
// does connect the variables it flows to. The test is on the text of the
// constructor, without regard to order: it may join groups that are independent
// and never parts ones that are not. Partitioning by hand, as the paper does
// for the input and the output of a socket that share "closed", was not chosen:
// there the product is only right if each part keeps the shared variable, and
// the methods that write it.
//
// The infinite-word reading does not decompose: a state may be a dead end of
// the whole and of no part, or of a part and not of the whole.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// A Part is one of the programs that a program was taken apart into.
type Part struct {
	Title     string // what it is the part of, for people
	Program   *prog.Program
	Interface *typestate.Interface
}

// A Synthesizer computes the interface of a part: Synthesize is one.
type Synthesizer func(ctx context.Context, p problem.Problem) (*typestate.Interface, error)

// SplitErrors synthesizes one interface per error site, in the order of
// constructors, methods, and sites. A program without error sites has one part.
func SplitErrors(ctx context.Context, p problem.Problem, synthesize Synthesizer) ([]Part, error) {
	return parts(ctx, p, "one interface per error site", splitErrors(p.Program), synthesize)
}

// Partition synthesizes one interface per group of methods that share state.
func Partition(ctx context.Context, p problem.Problem, synthesize Synthesizer) ([]Part, error) {
	return parts(ctx, p, "one interface per group of methods", ByMethods(p.Program), synthesize)
}

func parts(ctx context.Context, p problem.Problem, what string, list []Part, synthesize Synthesizer) ([]Part, error) {
	if p.Serial {
		return nil, &problem.Refusal{Engine: "decomposition", Reason: what + " is not possible in the infinite-word reading: dead ends of the whole are not those of its parts"}
	}
	for k := range list {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		q := p
		q.Program = list[k].Program
		i, err := synthesize(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", list[k].Title, err)
		}
		list[k].Interface = i
	}
	return list, nil
}

func splitErrors(p *prog.Program) []Part {
	var parts []Part
	for _, m := range slices.Concat(p.Constructors, p.Methods) {
		for _, e := range m.Errors {
			if e.Blamed {
				continue // the environment's fault is no error of the client
			}
			title := fmt.Sprintf("%s in %s at %v", e.Kind, m.Name, e.Pos)
			if e.Message != "" {
				title = fmt.Sprintf("%s %q in %s at %v", e.Kind, e.Message, m.Name, e.Pos)
			}
			parts = append(parts, Part{Title: title, Program: Restrict(p, e)})
		}
	}
	if len(parts) == 0 {
		parts = append(parts, Part{Title: "no error site", Program: p})
	}
	return parts
}

// Restrict returns p with the given error sites only. Runs that reach another
// one do not return. Variables and terms are shared with p.
func Restrict(p *prog.Program, sites ...*prog.ErrorSite) *prog.Program {
	q := *p
	each := func(ms []*prog.Method) []*prog.Method {
		var out []*prog.Method
		for _, m := range ms {
			n := *m
			n.Errors = nil
			for _, e := range m.Errors {
				if slices.Contains(sites, e) {
					n.Errors = append(n.Errors, e)
				}
			}
			out = append(out, &n)
		}
		return out
	}
	q.Constructors, q.Methods = each(p.Constructors), each(p.Methods)
	return &q
}

// ByMethods makes a part of each method, with what it depends on.
func ByMethods(p *prog.Program) []Part {
	f := newFlow(p)
	for _, m := range p.Methods {
		f.mention(m)
	}
	for _, m := range p.Constructors {
		f.construct(p, m)
	}
	var parts []Part
	at := map[*prog.Var]int{} // of the representative
	type group struct {
		methods []*prog.Method
		vars    []*prog.Var
	}
	var groups []group
	for _, m := range p.Methods {
		k := len(groups)
		vars := f.of(m)
		if len(vars) > 0 {
			if have, ok := at[f.find(vars[0])]; ok {
				k = have
			} else {
				at[f.find(vars[0])] = k
			}
		}
		if k == len(groups) {
			groups = append(groups, group{})
		}
		groups[k].methods = append(groups[k].methods, m)
	}
	for _, v := range p.State {
		if k, ok := at[f.find(v)]; ok {
			groups[k].vars = append(groups[k].vars, v)
		}
	}
	if len(groups) < 2 {
		return []Part{{Title: "all methods", Program: p}}
	}
	for _, g := range groups {
		var names []string
		for _, m := range g.methods {
			names = append(names, m.Name)
		}
		title := strings.Join(names, ", ")
		if len(g.vars) > 0 {
			names = nil
			for _, v := range g.vars {
				names = append(names, v.Name)
			}
			title += " (state " + strings.Join(names, ", ") + ")"
		}
		parts = append(parts, Part{Title: title, Program: Project(p, g.methods, g.vars)})
	}
	return parts
}

// Project returns p with the given methods and state variables only; methods
// must not mention others. Constructors stay whole, so that they return and err
// as in p: a state variable that is left out becomes a local variable of those
// that mention it, with its initial value.
func Project(p *prog.Program, methods []*prog.Method, vars []*prog.Var) *prog.Program {
	q := *p
	q.Methods, q.State = methods, vars
	q.Invariants = slices.DeleteFunc(slices.Clone(p.Invariants), func(t *term.Term) bool {
		return slices.ContainsFunc(term.FreeVars(t), func(x *term.Term) bool { return !predabs.IsVarOf(vars, x) })
	})
	q.Constructors = nil
	for _, m := range p.Constructors {
		q.Constructors = append(q.Constructors, demote(p, m, vars))
	}
	return prog.Canonical(&q)
}

// demote returns m with the state variables that are not in kept as locals.
func demote(p *prog.Program, m *prog.Method, kept []*prog.Var) *prog.Method {
	n := *m
	n.Locals = slices.Clone(m.Locals)
	local := map[*prog.Var]*prog.Var{}
	for _, v := range mentioned(p, m) {
		if slices.Contains(kept, v) {
			continue
		}
		w := *v
		w.Init = nil
		local[v] = &w
		n.Locals = append(n.Locals, &w)
		// A new entry gives the variable its first value.
		e := prog.Edge{From: n.Locs, To: n.Entry, Kind: prog.AssignEdge, Vars: []*prog.Var{&w}, Exprs: []*term.Term{v.Init}, Pos: v.Pos}
		if v.Init == nil {
			e.Kind, e.Exprs, e.Origin = prog.HavocEdge, nil, prog.Hidden
		}
		n.Edges = append(slices.Clone(n.Edges), e)
		n.Entry = n.Locs
		n.Locs++
	}
	if len(local) == 0 {
		return m
	}
	for k := range n.Edges {
		e := &n.Edges[k]
		e.Vars = slices.Clone(e.Vars)
		for i, v := range e.Vars {
			if w := local[v]; w != nil {
				e.Vars[i] = w
			}
		}
	}
	return &n
}

// mentioned lists the state variables that a method reads or writes, in the
// order of their declaration.
func mentioned(p *prog.Program, m *prog.Method) []*prog.Var {
	var used []*term.Term
	for _, e := range m.Edges {
		for _, v := range e.Vars {
			used = append(used, v.Term)
		}
		used = append(used, term.FreeVars(e.Exprs...)...)
	}
	var out []*prog.Var
	for _, v := range p.State {
		if slices.Contains(used, v.Term) {
			out = append(out, v)
		}
	}
	return out
}

// A flow joins variables that depend on each other (union-find).
type flow struct {
	p      *prog.Program
	parent map[*prog.Var]*prog.Var
	vars   map[*prog.Method][]*prog.Var
}

func newFlow(p *prog.Program) *flow {
	return &flow{p, map[*prog.Var]*prog.Var{}, map[*prog.Method][]*prog.Var{}}
}

func (f *flow) find(v *prog.Var) *prog.Var {
	for f.parent[v] != nil {
		v = f.parent[v]
	}
	return v
}

func (f *flow) join(vars ...*prog.Var) {
	for k := 1; k < len(vars); k++ {
		if a, b := f.find(vars[0]), f.find(vars[k]); a != b {
			f.parent[b] = a
		}
	}
}

// of returns the state variables of a method.
func (f *flow) of(m *prog.Method) []*prog.Var {
	if _, ok := f.vars[m]; !ok {
		f.vars[m] = mentioned(f.p, m)
	}
	return f.vars[m]
}

func (f *flow) mention(m *prog.Method) { f.join(f.of(m)...) }

// construct joins what a constructor makes dependent. A variable is OPEN if
// the client cannot compute it from the arguments.
func (f *flow) construct(p *prog.Program, m *prog.Method) {
	byTerm := map[*term.Term]*prog.Var{}
	for _, v := range p.Vars(m) {
		byTerm[v.Term] = v
	}
	open := map[*prog.Var]bool{}
	for _, v := range p.State {
		open[v] = v.Init == nil
	}
	// openIn lists the open variables of terms.
	openIn := func(ts ...*term.Term) []*prog.Var {
		var out []*prog.Var
		for _, t := range term.FreeVars(ts...) {
			if v := byTerm[t]; v != nil && open[v] {
				out = append(out, v)
			}
		}
		return out
	}
	var assigned []*prog.Var
	for _, e := range m.Edges {
		assigned = append(assigned, e.Vars...)
		if e.Kind == prog.HavocEdge {
			open[e.Vars[0]] = true
		}
	}
	for changed := true; changed; {
		changed = false
		mark := func(v *prog.Var) {
			changed = changed || !open[v]
			open[v] = true
		}
		for _, e := range m.Edges {
			for k, v := range e.Vars {
				if e.Kind == prog.AssignEdge && len(openIn(e.Exprs[k])) > 0 {
					mark(v)
				}
			}
		}
		if f.branches(p, m, openIn) != nil {
			for _, v := range assigned {
				mark(v)
			}
		}
	}
	for _, e := range m.Edges {
		switch e.Kind {
		case prog.AssignEdge:
			for k, v := range e.Vars {
				if from := openIn(e.Exprs[k]); len(from) > 0 {
					f.join(append(from, v)...)
				}
			}
		case prog.AssumeEdge:
			// Runs that go on have dependent values of what is tested.
			f.join(openIn(e.Exprs...)...)
		}
	}
	if by := f.branches(p, m, openIn); by != nil {
		f.join(append(by, assigned...)...)
	}
}

// branches returns nil if the arguments decide the path through m, and
// otherwise the open variables that do; the list may be empty.
func (f *flow) branches(p *prog.Program, m *prog.Method, openIn func(...*term.Term) []*prog.Var) []*prog.Var {
	var by []*prog.Var
	for loc := range m.Locs {
		out := m.Out(loc)
		if len(out) < 2 {
			continue
		}
		decided := len(out) == 2 && out[0].Kind == prog.AssumeEdge && out[1].Kind == prog.AssumeEdge &&
			p.Pool.Not(out[0].Exprs[0]) == out[1].Exprs[0]
		for _, e := range out {
			if e.Kind == prog.AssumeEdge {
				vars := openIn(e.Exprs...)
				decided = decided && len(vars) == 0
				by = append(by, vars...)
			}
		}
		if !decided && by == nil {
			by = []*prog.Var{}
		}
	}
	return by
}
