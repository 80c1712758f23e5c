// SPDX-License-Identifier: Apache-2.0

package prog

// This file lowers the statements of a method to its control-flow automaton.
// Lowering joins locations by implicit skip edges wherever that is simplest
// (joins, loops, labels, jumps); finish contracts each one whose source has no
// other way out, which changes no run. A skip statement of the text is an edge
// of its own and stays, so that every automaton has a text.

import "github.com/interlock-go/interlock/internal/term"

type lowering struct {
	c      *checker
	m      *Method
	local  func(*varDecl, string) *Var
	locs   int
	cur    int // where the next statement starts
	exit   int
	edges  []Edge
	skips  map[int]bool // indices of implicit edges
	errors []*ErrorSite
	labels map[string]*label
	jumps  []*ident // goto statements, checked at the end
	loops  []loop
}

type label struct {
	loc      int
	pos      Pos
	declared bool
}

type loop struct{ head, after int }

func (l *lowering) run(d *methodDecl) {
	l.skips = make(map[int]bool)
	l.m.Entry = l.newLoc()
	l.exit = l.newLoc()
	l.cur = l.m.Entry
	l.block(d.body)
	l.skip(l.exit, d.end)
	for _, id := range l.jumps {
		if !l.labels[id.name].declared {
			l.c.errorf(id.pos, "goto %s: the method has no such label", id.name)
			l.labels[id.name].declared = true // once
		}
	}
	if len(l.c.errs) == 0 { // a wrong statement may be the way to a label
		l.deadLabels()
	}
	l.finish()
}

func (l *lowering) newLoc() int {
	l.locs++
	return l.locs - 1
}

// edge adds e from the current location; the current location becomes e.To.
func (l *lowering) edge(e Edge) {
	e.From = l.cur
	l.edges = append(l.edges, e)
	l.cur = e.To
}

// skip joins the current location to loc.
func (l *lowering) skip(loc int, pos Pos) {
	l.skips[len(l.edges)] = true
	l.edge(Edge{To: loc, Kind: AssignEdge, Pos: pos})
}

// fresh starts a new location reached only from the current one, so that jumps
// to it do not reach what else starts at the current one.
func (l *lowering) fresh(pos Pos) int {
	l.skip(l.newLoc(), pos)
	return l.cur
}

// jump goes to loc; what follows is unreachable unless labelled.
func (l *lowering) jump(loc int, pos Pos) {
	l.skip(loc, pos)
	l.cur = l.newLoc()
}

func (l *lowering) assume(from int, cond *term.Term, to int, pos Pos) {
	l.cur = from
	l.edge(Edge{To: to, Kind: AssumeEdge, Exprs: []*term.Term{cond}, Pos: pos})
}

// flush turns the checks of the expressions just evaluated into error sites.
func (l *lowering) flush() {
	for _, k := range l.c.checks {
		from, bad, good := l.cur, l.newLoc(), l.newLoc()
		l.assume(from, k.cond, bad, k.pos)
		l.assume(from, l.c.pool.Not(k.cond), good, k.pos)
		l.errors = append(l.errors, &ErrorSite{Loc: bad, Kind: "runtime", Message: k.msg, Pos: k.pos})
	}
	l.c.checks = nil
}

// cond evaluates a condition; it is true after an error.
func (l *lowering) cond(x *expr, what string) *term.Term {
	o := l.c.expr(x, nil)
	defer l.flush()
	if !o.ok {
		return l.c.pool.True()
	}
	if o.t == nil || o.typ.Sort.Kind != term.BoolKind {
		l.c.errorf(x.pos, "condition of %s is %v, expected bool", what, o)
		return l.c.pool.True()
	}
	return o.t
}

func (l *lowering) block(list []*stmt) {
	var hidden []string
	for _, s := range list {
		l.stmt(s)
		if s.kind == varStmt {
			for _, v := range s.vars {
				if w := l.c.vars[v.name.name]; w != nil && w.Pos == v.name.pos {
					hidden = append(hidden, v.name.name)
				}
			}
		}
	}
	// A local is visible to the end of its block; its name stays taken.
	for _, name := range hidden {
		delete(l.c.vars, name)
	}
}

func (l *lowering) stmt(s *stmt) {
	switch s.kind {
	case varStmt:
		l.varStmt(s)
	case assignStmt:
		l.assign(s)
	case assumeStmt:
		t := l.cond(s.x, "assume")
		l.assume(l.cur, t, l.newLoc(), s.pos)
	case ifStmt:
		t := l.cond(s.x, "if")
		from, join := l.cur, l.newLoc()
		l.assume(from, t, l.newLoc(), s.pos)
		l.block(s.body)
		l.skip(join, s.pos)
		l.assume(from, l.c.pool.Not(t), l.newLoc(), s.pos)
		l.block(s.els)
		l.skip(join, s.pos)
	case whileStmt:
		lp := loop{head: l.fresh(s.pos), after: l.newLoc()}
		if s.x != nil {
			t := l.cond(s.x, "while")
			from := l.cur
			body := l.newLoc()
			l.assume(from, t, body, s.pos)
			l.assume(from, l.c.pool.Not(t), lp.after, s.pos)
			l.cur = body
		}
		l.loops = append(l.loops, lp)
		l.block(s.body)
		l.skip(lp.head, s.pos)
		l.loops = l.loops[:len(l.loops)-1]
		l.cur = lp.after
	case breakStmt, continueStmt:
		if len(l.loops) == 0 {
			l.c.errorf(s.pos, "%s outside while", map[stmtKind]string{breakStmt: "break", continueStmt: "continue"}[s.kind])
			return
		}
		lp := l.loops[len(l.loops)-1]
		if s.kind == breakStmt {
			l.jump(lp.after, s.pos)
		} else {
			l.jump(lp.head, s.pos)
		}
	case returnStmt:
		l.returnStmt(s)
	case errorStmt:
		site := &ErrorSite{Loc: l.newLoc(), Kind: s.kindName, Message: s.msg, Blamed: s.blamed, Pos: s.pos}
		l.errors = append(l.errors, site)
		l.jump(site.Loc, s.pos)
	case labelStmt:
		lb := l.label(s.id.name)
		if lb.declared {
			l.c.errorf(s.pos, "label %s is already declared at %v", s.id.name, lb.pos)
			return
		}
		lb.declared, lb.pos = true, s.pos
		l.skip(lb.loc, s.pos)
	case gotoStmt:
		l.jumps = append(l.jumps, s.id)
		l.jump(l.label(s.id.name).loc, s.pos)
	case choiceStmt:
		from, join := l.cur, l.newLoc()
		for _, alt := range s.alts {
			l.cur = from
			l.block(alt)
			l.skip(join, s.pos)
		}
	case stopStmt:
		l.cur = l.newLoc()
	case skipStmt:
		l.edge(Edge{To: l.newLoc(), Kind: AssignEdge, Pos: s.pos})
	}
}

func (l *lowering) label(name string) *label {
	lb := l.labels[name]
	if lb == nil {
		lb = &label{loc: l.newLoc()}
		l.labels[name] = lb
	}
	return lb
}

// varStmt declares locals. Without a value a local is zero: that needs an edge
// only where the declaration may be executed again, which takes a loop around
// it or a label before it.
func (l *lowering) varStmt(s *stmt) {
	for i := 0; i < len(s.vars); {
		// A group of names shares type and value; its variables are not
		// visible in the value.
		j := i + 1
		for j < len(s.vars) && s.vars[j].typ == s.vars[i].typ {
			j++
		}
		group := s.vars[i:j]
		i = j
		d := group[0]
		var o operand
		if d.init != nil && d.init.kind != havocExpr {
			o = l.c.expr(d.init, l.c.quietType(d.typ))
		}
		var vars []*Var
		for _, v := range group {
			w := l.local(v, "local variable")
			vars = append(vars, w)
			l.m.Locals = append(l.m.Locals, w)
		}
		t := vars[0].Type
		switch {
		case t.Sort.Kind == 0:
			l.c.checks = nil
		case d.init == nil:
			if len(l.loops) > 0 || l.anyLabel() {
				l.assignTo(vars, l.c.pool.Const(t.Sort, term.Value{}), s.pos)
			}
		case d.init.kind == havocExpr:
			for _, v := range vars {
				l.havoc(v, d.init.origin, s.pos)
			}
		default:
			o = l.c.assignable(o, t, d.init.pos)
			l.flush()
			if o.ok {
				l.assignTo(vars, o.t, s.pos)
			}
		}
	}
}

func (l *lowering) anyLabel() bool {
	for _, lb := range l.labels {
		if lb.declared {
			return true
		}
	}
	return false
}

func (l *lowering) assignTo(vars []*Var, t *term.Term, pos Pos) {
	exprs := make([]*term.Term, len(vars))
	for i := range exprs {
		exprs[i] = t
	}
	l.edge(Edge{To: l.newLoc(), Kind: AssignEdge, Vars: vars, Exprs: exprs, Pos: pos})
}

func (l *lowering) havoc(v *Var, origin Origin, pos Pos) {
	l.edge(Edge{To: l.newLoc(), Kind: HavocEdge, Vars: []*Var{v}, Origin: origin, Pos: pos})
}

func (l *lowering) assign(s *stmt) {
	c := l.c
	vars := make([]*Var, len(s.lhs))
	good := true
	for i, id := range s.lhs {
		vars[i] = c.lookupVar(id)
		if vars[i] == nil || vars[i].Type.Sort.Kind == 0 {
			good = false
			continue
		}
		for _, w := range vars[:i] {
			if w == vars[i] {
				c.errorf(id.pos, "%s is assigned twice", id.name)
				good = false
			}
		}
	}
	if len(s.lhs) != len(s.rhs) {
		c.errorf(s.pos, "%d variables but %d values", len(s.lhs), len(s.rhs))
		good = false
	}
	if len(s.rhs) == 1 && len(s.lhs) == 1 && s.rhs[0].kind == havocExpr {
		if s.op != "" {
			c.errorf(s.rhs[0].pos, "any, choose and guess need a plain assignment")
		} else if good {
			l.havoc(vars[0], s.rhs[0].origin, s.pos)
		}
		return
	}
	exprs := make([]*term.Term, len(s.lhs))
	for i, x := range s.rhs {
		if i >= len(vars) || vars[i] == nil || vars[i].Type.Sort.Kind == 0 {
			c.expr(x, nil) // for its errors
			continue
		}
		typ := vars[i].Type
		if s.op != "" {
			left := &expr{kind: nameExpr, id: s.lhs[i], pos: s.lhs[i].pos}
			x = &expr{kind: binaryExpr, op: s.op, x: left, y: x, pos: s.pos}
		}
		o := c.assignable(c.expr(x, &typ), typ, x.pos)
		good = good && o.ok
		exprs[i] = o.t
	}
	l.flush()
	if good {
		l.edge(Edge{To: l.newLoc(), Kind: AssignEdge, Vars: vars, Exprs: exprs, Pos: s.pos})
	}
}

func (l *lowering) returnStmt(s *stmt) {
	c, results := l.c, l.m.Results
	if len(s.rhs) == 0 {
		l.jump(l.exit, s.pos)
		return
	}
	good := true
	if len(s.rhs) != len(results) {
		c.errorf(s.pos, "return has %d values, expected %d", len(s.rhs), len(results))
		good = false
	}
	exprs := make([]*term.Term, len(results))
	for i, x := range s.rhs {
		if i >= len(results) || results[i].Type.Sort.Kind == 0 {
			c.expr(x, nil)
			good = false
			continue
		}
		o := c.assignable(c.expr(x, &results[i].Type), results[i].Type, x.pos)
		good = good && o.ok
		exprs[i] = o.t
	}
	l.flush()
	if good {
		l.edge(Edge{To: l.exit, Kind: AssignEdge, Vars: results, Exprs: exprs, Pos: s.pos})
	}
	l.cur = l.newLoc()
}

// finish contracts implicit skips, drops what cannot be reached and numbers the
// locations.
func (l *lowering) finish() {
	out := make([]int, l.locs) // number of edges out of each location
	for _, e := range l.edges {
		out[e.From]++
	}
	// next[a] = b: a's only edge is an implicit skip to b; -1: it is not.
	next := make([]int, l.locs)
	for a := range next {
		next[a] = -1
	}
	for i, e := range l.edges {
		if l.skips[i] && out[e.From] == 1 {
			next[e.From] = e.To
		}
	}
	// A chain of skips ends in a location that does something or in a cycle,
	// whose smallest member stands for it and keeps one skip edge to itself:
	// it runs for ever.
	rep := make([]int, l.locs)
	for a := range rep {
		rep[a] = -1
	}
	loops := make(map[int]bool)
	for a := range next {
		var path []int
		b := a
		onPath := make(map[int]bool)
		for rep[b] < 0 && next[b] >= 0 && !onPath[b] {
			onPath[b] = true
			path = append(path, b)
			b = next[b]
		}
		r := b
		if rep[b] >= 0 {
			r = rep[b]
		} else if onPath[b] {
			for x := next[b]; x != b; x = next[x] {
				r = min(r, x)
			}
			loops[r] = true
		}
		for _, x := range path {
			rep[x] = r
		}
		rep[b] = r
	}
	m := l.m
	m.Locs, m.Entry, m.Exit = l.locs, rep[m.Entry], rep[l.exit]
	for i, e := range l.edges {
		if l.skips[i] && out[e.From] == 1 {
			if !loops[e.From] {
				continue
			}
			e.To = e.From
		}
		e.From, e.To = rep[e.From], rep[e.To]
		m.Edges = append(m.Edges, e)
	}
	m.Errors = l.errors
	for _, site := range m.Errors {
		site.Loc = rep[site.Loc]
	}
	m.canonical()
}

// deadLabels reports labels that no path reaches. It looks at the edges before
// contraction, which may join a dead location with a live one.
func (l *lowering) deadLabels() {
	succ := make([][]int, l.locs)
	for _, e := range l.edges {
		succ[e.From] = append(succ[e.From], e.To)
	}
	reached := make([]bool, l.locs)
	for stack := []int{l.m.Entry}; len(stack) > 0; {
		loc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !reached[loc] {
			reached[loc] = true
			stack = append(stack, succ[loc]...)
		}
	}
	for _, name := range sortedKeys(l.labels) {
		if lb := l.labels[name]; lb.declared && lb.pos != (Pos{}) && !reached[lb.loc] {
			l.c.errorf(lb.pos, "label %s cannot be reached", name)
		}
	}
}
