// SPDX-License-Identifier: Apache-2.0

package lower

// This file reads and writes objects.

import (
	"slices"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Cell returns the variable of a scalar of a place: state if state may hold the
// place, else a local of the call.
func (m *Method) Cell(p *Place, path string, typ prog.Type) *prog.Var {
	root, prefix := p.root()
	path = prefix + path
	key := cellKey(root.Key, path)
	if m.W.held[root.Key] {
		c := root.cells[path]
		if c == nil {
			init := m.W.Zero(typ)
			if root.initial != nil {
				init = root.initial(path, typ)
			}
			c = &Cell{Var: m.W.State(key, root.Name+path, typ, init, prog.Pos{}), Place: root, Path: path}
			root.cells[path] = c
		}
		return c.Var
	}
	return m.Local(key, root.Name+path, typ)
}

// Load reads a scalar through a reference that is not nil. What is outside or
// many objects at once has a value of the given class.
func (m *Method) Load(key string, ref *term.Term, path string, typ prog.Type, read func(p *Place) *term.Term, unknown func(c Class) *term.Term) *term.Term {
	h := m.W.Holds(ref)
	var out *term.Term
	vague := h.Outside
	for _, p := range h.Places {
		if p.Summary {
			vague = true
		}
	}
	if vague || len(h.Places) == 0 {
		out = unknown(Unmodelled)
	}
	for i := len(h.Places) - 1; i >= 0; i-- {
		p := h.Places[i]
		if p.Summary {
			continue
		}
		t := read(p)
		if t.Sort() != typ.Sort {
			t = unknown(Unmodelled) // an object of another type
		}
		if out == nil {
			out = t
		} else {
			out = m.W.Pool.Ite(m.W.Pool.Eq(ref, m.W.RefOf(p)), t, out)
		}
	}
	return out
}

// Store writes a scalar through a reference that is not nil.
func (m *Method) Store(ref *term.Term, path string, typ prog.Type, value *term.Term) {
	m.StoreAll(ref, []string{path}, []prog.Type{typ}, []*term.Term{value})
}

// StoreAll writes several scalars of one object at once: what relates them holds
// at every location.
func (m *Method) StoreAll(ref *term.Term, paths []string, types []prog.Type, values []*term.Term) {
	h := m.W.Holds(ref)
	var vars []*prog.Var
	var exprs []*term.Term
	seen := map[*prog.Var]int{}
	for n, value := range values {
		for _, p := range h.Places {
			if p.Summary || p.Const {
				continue
			}
			v := m.Cell(p, paths[n], types[n])
			if v.Type.Sort != value.Sort() {
				continue // not an object of this type: the reference never holds it here
			}
			t := value
			if len(h.Places) > 1 || h.Outside {
				t = m.W.Pool.Ite(m.W.Pool.Eq(ref, m.W.RefOf(p)), value, v.Term)
			}
			if i, ok := seen[v]; ok {
				exprs[i] = m.W.Pool.Ite(m.W.Pool.Eq(ref, m.W.RefOf(p)), value, exprs[i])
				continue
			}
			seen[v] = len(vars)
			vars, exprs = append(vars, v), append(exprs, t)
		}
	}
	m.Assign(vars, exprs)
}

// Renew is a repeated allocation: whoever held the most recent object of the
// place now holds an old one. Which variables these are is known when all
// methods have been lowered.
func (m *Method) Renew(p *Place) {
	if m.cur < 0 {
		return
	}
	m.W.RefOf(p)
	m.renewals = append(m.renewals, renewal{loc: m.cur, place: p})
	m.edge(prog.Edge{To: m.New(), Kind: prog.AssignEdge})
}

// Older returns the place that stands for the older objects of a place.
func (w *World) Older(p *Place) *Place {
	return w.Place(p.Key+oldSuffix, func() *Place {
		return &Place{Name: p.Name + " (older)", Type: p.Type, Summary: true}
	})
}

// Rename makes an object another one, which nobody refers to: whoever held the first
// now holds the second. What it holds is not copied here.
func (m *Method) Rename(p, to *Place) {
	if m.cur < 0 || p == to {
		return
	}
	m.W.RefOf(p)
	m.W.RefOf(to)
	m.renewals = append(m.renewals, renewal{loc: m.cur, place: p, to: to})
	m.edge(prog.Edge{To: m.New(), Kind: prog.AssignEdge})
}

// Forget makes an object one that is not known any more: whoever held it holds one outside.
func (m *Method) Forget(p *Place) {
	if m.cur < 0 {
		return
	}
	m.W.RefOf(p)
	m.renewals = append(m.renewals, renewal{loc: m.cur, place: p, lost: true})
	m.edge(prog.Edge{To: m.New(), Kind: prog.AssignEdge})
}

// Parts returns the parts of an object that references can hold, and their paths.
func (w *World) Parts(p *Place) (parts []*Place, paths []string) {
	for _, q := range w.Places() {
		if root, prefix := q.root(); q != p && root == p {
			parts, paths = append(parts, q), append(paths, prefix)
		}
	}
	return parts, paths
}

type renewal struct {
	loc   int // source of the edge
	place *Place
	to    *Place // nil: the older objects of the place
	lost  bool   // or one outside
}

// renew fills in the renewals.
func (m *Method) renew() {
	w := m.W
	if len(m.renewals) > 0 {
		// Locals of methods that came later may have the same names.
		for key, v := range m.keys {
			w.vars[v.Term] = m.M.Name + "/" + key
		}
	}
	for _, r := range m.renewals {
		now := w.RefOf(r.place)
		if now == w.Outside() {
			continue // the next pass knows the place
		}
		type change struct {
			key      string
			now, old *term.Term
		}
		var changes []change
		switch {
		case r.lost:
			changes = append(changes, change{r.place.Key, now, w.Outside()})
		case r.to != nil:
			changes = append(changes, change{r.place.Key, now, w.RefOf(r.to)})
		default:
			older := w.Older(r.place)
			changes = append(changes, change{r.place.Key, now, w.RefOf(older)})
			parts, paths := w.Parts(r.place)
			for n, q := range parts {
				changes = append(changes, change{q.Key, w.RefOf(q), w.RefOf(w.Part(older, paths[n], q.Type))})
			}
		}
		for i := range m.M.Edges {
			e := &m.M.Edges[i]
			if e.From != r.loc {
				continue
			}
			for _, v := range slices.Concat(w.state, m.M.Locals) {
				if v.Type.Sort != w.RefSort {
					continue
				}
				t := v.Term
				for _, x := range changes {
					if w.targets[w.vars[v.Term]][x.key] && x.now != w.Outside() {
						t = w.Pool.Ite(w.Pool.Eq(v.Term, x.now), x.old, t)
					}
				}
				if t != v.Term {
					w.flow(v, t)
					e.Vars, e.Exprs = append(e.Vars, v), append(e.Exprs, t)
				}
			}
		}
	}
}
