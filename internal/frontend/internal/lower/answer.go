// SPDX-License-Identifier: Apache-2.0

package lower

// This file finds out which values are answers that the environment gave during
// the same call, and lets a run say so itself where that differs from way to way:
// a flag beside the variable is set where an answer is assigned to it, cleared
// where something else is, and copied with it. Copies of the code for each way were
// not chosen: there are too many ways. The flags are locals: they end with the call.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// answers is which values are answers.
type answers struct {
	g      *graph
	at     []map[*prog.Var]share // by location
	region []int                 // by edge: the innermost branch that tests an answer
	inner  []int                 // by edge: the innermost branch; nil while there are no regions
	meets  map[[2]int]bool       // branch, location
	split  []uint8               // by branch: its level when it was met
	source func(edge int) bool
	from   func(edge int) []*prog.Var
	reply  func(v *prog.Var) bool
}

// level is the share of the variable that is an answer on most ways.
func (x *answers) level(loc int, vars []*prog.Var) (sh share, any bool) {
	sh = share{0, -1}
	for _, v := range vars {
		if s := x.at[loc][v]; s.level > sh.level {
			sh, any = s, true
		}
	}
	return sh, any
}

// reads returns the variables of a term.
func (x *answers) reads(t *term.Term) []*prog.Var {
	var out []*prog.Var
	for _, t := range term.FreeVars(t) {
		out = append(out, x.g.vars[t])
	}
	return out
}

// after returns the shares after an edge, and the variables that stop being
// answers there because the ways of a branch meet.
func (x *answers) after(i int) (next map[*prog.Var]share, gone []*prog.Var) {
	e := &x.g.m.Edges[i]
	next = map[*prog.Var]share{}
	for v, s := range x.at[e.From] {
		if !slices.Contains(e.Vars, v) {
			next[v] = s
		}
	}
	for k, v := range e.Vars {
		if sh, any := x.gives(i, k); any {
			next[v] = sh
		}
	}
	for v, s := range next {
		if x.ends(i, s) {
			if x.reply != nil && x.reply(v) {
				next[v] = share{s.level, -1}
				continue
			}
			gone = append(gone, v)
		}
	}
	return next, gone
}

// gives returns the share of the k-th variable that an edge changes.
func (x *answers) gives(i, k int) (sh share, any bool) {
	e := &x.g.m.Edges[i]
	switch {
	case e.Kind == prog.HavocEdge && k == 0:
		if x.source(i) {
			return share{2, -1}, true
		}
		return x.level(e.From, x.from(i))
	case e.Kind == prog.AssignEdge:
		if sh, any := x.level(e.From, x.reads(e.Exprs[k])); any {
			return sh, true
		}
		if r := x.decides(i); r >= 0 && !e.Exprs[k].IsVar() {
			return share{max(1, x.split[r]), r}, true
		}
	}
	return share{}, false
}

// ends reports whether the ways meet after an edge that made a share.
func (x *answers) ends(i int, s share) bool {
	return s.region >= 0 && x.meets[[2]int{s.region, x.g.m.Edges[i].To}]
}

// stops reports whether a variable stops being an answer after an edge: it is one of
// those that are gone in after.
func (x *answers) stops(i int, v *prog.Var) bool {
	e := &x.g.m.Edges[i]
	s, any := x.at[e.From][v]
	if k := slices.Index(e.Vars, v); k >= 0 {
		s, any = x.gives(i, k)
	}
	return any && x.ends(i, s) && (x.reply == nil || !x.reply(v))
}

// decides returns the branch that tests an answer and by it decides what an edge
// assigns, or -1: a branch within one of its ways that tests something else decides
// it then, and both outcomes of that are there on the same way.
func (x *answers) decides(i int) int {
	r := x.region[i]
	if r < 0 {
		return r
	}
	if x.inner == nil {
		x.inner = x.g.innermost()
	}
	if b := x.inner[i]; b >= 0 && b != r && x.split[b] == 0 {
		return -1
	}
	return r
}

// innermost returns for each edge the branch with the fewest edges of which it is on
// one way only, among those whose ways meet again.
func (g *graph) innermost() []int {
	inner, size := make([]int, len(g.m.Edges)), make([]int, len(g.m.Edges))
	for i := range inner {
		inner[i] = -1
	}
	for l := range g.m.Locs {
		if !g.branch(l) {
			continue
		}
		g.check()
		apart, meet := g.arms(l)
		if !slices.ContainsFunc(meet, func(j int) bool { return !g.ends(j) }) {
			continue
		}
		for _, i := range apart {
			if inner[i] < 0 || len(apart) < size[i] {
				inner[i], size[i] = l, len(apart)
			}
		}
	}
	return inner
}

// ends reports whether the call ends from a location without another test: code after an
// early return is not set apart by it.
func (g *graph) ends(l int) bool {
	for n := 0; l != g.m.Exit; n++ {
		if len(g.out[l]) != 1 || n > len(g.out) {
			return false
		}
		l = g.m.Edges[g.out[l][0]].To
	}
	return true
}

// A share says on which ways to a location a value is an answer.
type share struct {
	level  uint8 // 0: on none, 1: on some, 2: on all
	region int   // the branch whose way made it one, -1 if it is one by itself
}

func (s share) join(t share) share {
	out := share{1, -1}
	if s.level == t.level {
		out.level = s.level
	}
	if s.region == t.region {
		out.region = s.region
	}
	return out
}

// answers computes for each location which values depend on a source: values
// computed from one, and values that were set on one way of a branch that tests
// one, up to where its ways meet again. After that they are state like any other.
// That is less than what flows from sources; it is what an error can be blamed on.
// What code of others returns (reply) is an answer also after that.
// from says what the value of a choice was computed from, outside of the program.
func (g *graph) answers(source func(edge int) bool, from func(edge int) []*prog.Var, reply func(v *prog.Var) bool) *answers {
	at := make([]map[*prog.Var]share, g.m.Locs)
	at[g.m.Entry] = map[*prog.Var]share{}
	region := make([]int, len(g.m.Edges)) // the innermost branch that tests an answer
	size := make([]int, len(g.m.Edges))
	for i := range region {
		region[i] = -1
	}
	meets := map[[2]int]bool{} // (branch, location)
	split := make([]uint8, g.m.Locs)
	queued := make([]bool, g.m.Locs)
	work := []int{g.m.Entry}
	push := func(l int) {
		if !queued[l] && at[l] != nil {
			queued[l] = true
			work = append(work, l)
		}
	}
	x := &answers{g: g, at: at, region: region, meets: meets, split: split, source: source, from: from, reply: reply}
	for len(work) > 0 {
		g.check()
		l := work[0]
		work = work[1:]
		queued[l] = false
		if sh, any := x.level(l, g.tests(l)); g.branch(l) && any && split[l] == 0 {
			split[l] = sh.level
			apart, meet := g.arms(l)
			within := false
			for _, j := range meet {
				within = within || !g.ends(j)
				meets[[2]int{l, j}] = true
			}
			if within {
				for _, i := range apart {
					if region[i] < 0 || len(apart) < size[i] {
						region[i], size[i] = l, len(apart)
						push(g.m.Edges[i].From)
					}
				}
			}
		}
		for _, i := range g.out[l] {
			e := &g.m.Edges[i]
			next, gone := x.after(i)
			for _, v := range gone {
				delete(next, v)
			}
			if at[e.To] == nil {
				at[e.To] = next
				push(e.To)
				continue
			}
			changed := false
			for v, s := range at[e.To] {
				if j := s.join(next[v].orNone()); j != s {
					at[e.To][v], changed = j, true
				}
			}
			for v, s := range next {
				if _, ok := at[e.To][v]; !ok {
					at[e.To][v], changed = s.join(share{0, -1}), true
				}
			}
			if changed {
				push(e.To)
			}
		}
	}
	return x
}

// orNone gives the zero value of a missing entry its meaning.
func (s share) orNone() share {
	if s.level == 0 {
		return share{0, -1}
	}
	return s
}

// flags are the variables that say of others whether they are answers.
type answerFlags struct {
	x        *answers
	m        *Method
	vars     map[*prog.Var]*prog.Var
	branches map[int]*prog.Var // whether a branch tested an answer
	todo     []func()
	updates  map[int][]update // by edge
	added    bool
}

type update struct {
	flag *prog.Var
	to   *term.Term
}

func newAnswerFlags(x *answers, m *Method) *answerFlags {
	return &answerFlags{x: x, m: m, vars: map[*prog.Var]*prog.Var{}, branches: map[int]*prog.Var{}, updates: map[int][]update{}}
}

// any says whether some of the variables is an answer at a location.
func (f *answerFlags) any(loc int, vars []*prog.Var) *term.Term {
	p := f.m.W.Pool
	var parts []*term.Term
	for _, v := range vars {
		switch f.x.at[loc][v].level {
		case 2:
			return p.True()
		case 1:
			parts = append(parts, f.of(v).Term)
		}
	}
	return p.Or(parts...)
}

// of is the flag of a variable.
func (f *answerFlags) of(v *prog.Var) *prog.Var {
	if g := f.vars[v]; g != nil {
		return g
	}
	g := f.m.Local("answer "+v.Name, "answered", prog.Type{Sort: term.BoolSort})
	f.vars[v] = g
	f.todo = append(f.todo, func() {
		for i := range f.x.g.m.Edges {
			if t := f.update(i, v); t != nil {
				f.updates[i] = append(f.updates[i], update{g, t})
			}
		}
	})
	return g
}

// update is the new value of the flag of v on an edge; nil: the old one.
func (f *answerFlags) update(i int, v *prog.Var) *term.Term {
	x, p := f.x, f.m.W.Pool
	e := &x.g.m.Edges[i]
	if x.at[e.From] == nil {
		return nil
	}
	if x.stops(i, v) {
		return p.False()
	}
	k := slices.Index(e.Vars, v)
	switch {
	case k < 0:
		return nil
	case e.Kind == prog.HavocEdge && x.source(i):
		return p.True()
	case e.Kind == prog.HavocEdge:
		return f.any(e.From, x.from(i))
	}
	reads := x.reads(e.Exprs[k])
	if _, any := x.level(e.From, reads); any {
		return f.any(e.From, reads)
	}
	if r := x.decides(i); r >= 0 && !e.Exprs[k].IsVar() {
		return f.branch(r)
	}
	return p.False()
}

// branch says whether a branch tested an answer when it was last passed.
func (f *answerFlags) branch(r int) *term.Term {
	p := f.m.W.Pool
	tests := f.x.g.tests(r)
	switch sh, _ := f.x.level(r, tests); sh.level {
	case 0:
		return p.False()
	case 2:
		return p.True()
	}
	if g := f.branches[r]; g != nil {
		return g.Term
	}
	g := f.m.Local("answers "+itoa(r), "answered", prog.Type{Sort: term.BoolSort})
	f.branches[r] = g
	f.todo = append(f.todo, func() {
		t := f.any(r, tests)
		for _, i := range f.x.g.out[r] {
			f.updates[i] = append(f.updates[i], update{g, t})
		}
	})
	return g.Term
}

// emit writes the updates of all flags into the code.
func (f *answerFlags) emit() {
	for len(f.todo) > 0 {
		do := f.todo[0]
		f.todo = f.todo[1:]
		do()
	}
	m := f.m
	for i := range f.x.g.m.Edges {
		list := f.updates[i]
		if len(list) == 0 {
			continue
		}
		f.added = true
		e := &m.M.Edges[i]
		if e.Kind != prog.AssignEdge {
			// They follow the edge; what is known of a choice by its target moves.
			to := m.New()
			after := prog.Edge{From: to, To: e.To, Kind: prog.AssignEdge, Pos: e.Pos}
			if c, ok := m.class[e.To]; ok && e.Kind == prog.HavocEdge {
				m.class[to] = c
			}
			if c, ok := m.from[e.To]; ok && e.Kind == prog.HavocEdge {
				m.from[to] = c
			}
			if c, ok := m.given[e.To]; ok && e.Kind == prog.HavocEdge {
				m.given[to] = c
			}
			e.To = to
			m.M.Edges = append(m.M.Edges, after)
			e = &m.M.Edges[len(m.M.Edges)-1]
		}
		e.Vars, e.Exprs = slices.Clone(e.Vars), slices.Clone(e.Exprs)
		for _, u := range list {
			e.Vars, e.Exprs = append(e.Vars, u.flag), append(e.Exprs, u.to)
		}
	}
}
