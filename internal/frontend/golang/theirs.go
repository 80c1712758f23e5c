// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which objects of the component clients have: only these can be
// arguments of calls. An object is the client's once a method returns it, once it
// is given to code that is not followed, or put where such code can read it: into
// an object or an exported field that the client has, or into a container of a kind
// that clients see. What the component keeps in containers of its own may come back
// wherever it reads them (escapedAs), but never as an argument.
//
// Containers are told apart by the types of their elements only: which slice an
// element is of is not followed.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// theirs are the objects that clients have, by the keys of places.
type theirs struct {
	has    map[string]bool
	inside map[string]map[string]bool // in containers of which kinds an object was put
	open   map[string]bool            // kinds of containers that clients see
}

func newTheirs() theirs {
	return theirs{has: map[string]bool{}, inside: map[string]map[string]bool{}, open: map[string]bool{}}
}

// containerKind names containers that are not told apart; "" is none.
func containerKind(t types.Type) string {
	if t == nil {
		return ""
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if a, ok := u.Elem().Underlying().(*types.Array); ok {
			return "[]" + types.TypeString(a.Elem(), nil)
		}
	case *types.Array:
		return "[]" + types.TypeString(u.Elem(), nil)
	case *types.Slice:
		return "[]" + types.TypeString(u.Elem(), nil)
	case *types.Map:
		return types.TypeString(u, nil)
	case *types.Chan:
		return "chan " + types.TypeString(u.Elem(), nil)
	}
	return ""
}

// expose notes that clients see containers of a type.
func (c *compiler) expose(t types.Type) {
	if kind := containerKind(t); kind != "" && !c.theirs.open[kind] {
		c.theirs.open[kind] = true
		c.w.Grow()
	}
}

// exposeLeaves notes the containers among the scalars of a type: those of exported
// fields, or all.
func (c *compiler) exposeLeaves(t types.Type, exported bool) {
	for _, l := range c.leaves(t) {
		if l.ref && (!exported || exportedPath(l.path)) {
			c.expose(l.of)
		}
	}
}

// contain records that the objects of a reference are put into a container. While
// only code of the component sees such containers, objects of other packages in
// them, such as variables whose addresses are taken, can still be followed.
func (c *compiler) contain(t *term.Term, in types.Type) {
	if c.w.Unsettled() {
		return
	}
	c.gives(t)
	kind := containerKind(in)
	if kind == "" || c.theirs.open[kind] {
		c.escape(t)
	}
	for _, p := range c.w.Holds(t).Places {
		c.insideToo(p.Key, kind)
		if !p.Summary && !c.escaped[p.Key] && !c.vague[p.Key] {
			c.escaped[p.Key] = true
			c.w.Grow()
		}
	}
}

// containValue records that a value is put into a container.
func (f *frame) containValue(v value, in types.Type) {
	if v.missing != "" {
		return
	}
	ts := f.terms(v)
	for k, l := range f.c.leaves(v.typ) {
		if l.ref && k < len(ts) {
			f.c.contain(ts[k], in)
		}
	}
}

// give records that somebody outside has the objects of a reference of a type, with
// what they lead to. Only exported fields of the component itself can be read: its
// methods are the calls.
func (f *frame) give(t *term.Term, of types.Type) { f.giveUnless(t, of, "") }

// handOver records that the client gets a value that a call returns. That it has the
// component is known.
func (f *frame) handOver(v value) {
	f.c.exposeLeaves(v.typ, false)
	if v.missing != "" {
		return
	}
	ts := f.terms(v)
	for k, l := range f.c.leaves(v.typ) {
		if l.ref && k < len(ts) {
			f.giveUnless(ts[k], l.of, receiverKey)
		}
	}
}

func (f *frame) giveUnless(t *term.Term, of types.Type, except string) {
	c := f.c
	if c.w.Unsettled() {
		return
	}
	seen := map[string]bool{}
	var visit func(t *term.Term, of types.Type)
	visit = func(t *term.Term, of types.Type) {
		c.expose(of)
		for _, p := range c.w.Holds(t).Places {
			if seen[p.Key] || p.Key == except {
				continue
			}
			seen[p.Key] = true
			if !c.theirs.has[p.Key] {
				c.theirs.has[p.Key] = true
				c.w.Grow()
			}
			typ, ok := p.Type.(types.Type)
			if d, isFunc := p.Data.(closure); isFunc || !ok || p.Const || p.Summary {
				if isFunc {
					for _, b := range d.binds {
						c.exposeLeaves(b, false)
					}
				}
				if p.Summary && ok {
					c.exposeLeaves(typ, false)
				}
				continue
			}
			for _, l := range c.leaves(typ) {
				switch {
				case !l.ref || p.Root().Key == receiverKey && !exportedPath(l.path):
				case c.keeps(l):
					visit(f.m.Cell(p, l.path, l.typ).Term, l.of)
				default:
					c.expose(l.of)
				}
			}
		}
	}
	visit(t, of)
}

// storedWhere records that a reference is stored at an address: where others read it
// they have it too.
func (f *frame) storedWhere(a *address, h lower.Holds, path string, t *term.Term, of types.Type) {
	c := f.c
	switch {
	case a.element:
		c.contain(t, a.in)
		return
	case h.Outside:
		c.escape(t)
		f.give(t, of)
		return
	}
	for _, p := range h.Places {
		g, global := p.Root().Data.(*ssa.Global)
		if root := p.Root(); global || p.Summary || c.escaped[p.Key] || c.escaped[root.Key] || !c.follows(p) || root.Key == receiverKey && exportedPath(path) || root.Key != receiverKey && c.isTheirs(root.Key) {
			c.gives(t)
		}
		switch root := p.Root(); {
		case global && token.IsExported(g.Name()):
			f.give(t, of)
		case p.Summary:
			// Whoever has the object has what is in it.
			c.escape(t)
			if c.isTheirs(p.Key) {
				f.give(t, of)
			}
			for kind := range c.theirs.inside[p.Key] {
				for _, q := range c.w.Holds(t).Places {
					c.insideToo(q.Key, kind)
				}
			}
		case root.Key == receiverKey && exportedPath(path), root.Key != receiverKey && c.isTheirs(root.Key):
			f.give(t, of)
		}
	}
}

func (c *compiler) insideToo(key, kind string) {
	set := c.theirs.inside[key]
	if set == nil {
		set = map[string]bool{}
		c.theirs.inside[key] = set
	}
	if !set[kind] {
		set[kind] = true
		c.w.Grow()
	}
}

// exportedPath reports whether all fields of a path are exported.
func exportedPath(path string) bool {
	path, _, _ = strings.Cut(strings.TrimPrefix(path, "."), "#")
	if path == "" {
		return true
	}
	for _, name := range strings.Split(path, ".") {
		if !token.IsExported(name) {
			return false
		}
	}
	return true
}

// isTheirs reports whether a client may have the object at a place.
func (c *compiler) isTheirs(key string) bool {
	if c.theirs.has[key] {
		return true
	}
	for kind := range c.theirs.inside[key] {
		if kind == "" || c.theirs.open[kind] {
			return true
		}
	}
	return false
}

// argumentsAs returns the places that an argument of a type may be. By convention an
// argument of an interface type is the component itself only if that was given away.
func (c *compiler) argumentsAs(t types.Type) []*lower.Place {
	if t == nil {
		return nil
	}
	var all []*lower.Place
	for _, p := range c.w.Places() {
		recent, _ := p.Recent()
		if !canHold(t, p) {
			continue
		}
		own := recent == receiverKey && c.named != nil
		if own && !c.isTheirs(recent) && types.IsInterface(t) {
			c.convention(conventionItself)
			continue
		}
		if isEntrusted(p) && isAny(t) {
			continue // a convention
		}
		if own || c.isTheirs(recent) || c.compared[p.Key] || c.isComparedVariable(p) {
			all = append(all, p)
		}
	}
	return all
}

// notItself leaves out the component of what an argument may be in a coarse program, by the same
// convention. Whether it was given away is known from the flow of values there.
func (c *compiler) notItself(places []*lower.Place, t types.Type) []*lower.Place {
	if t == nil || !types.IsInterface(t) || c.named == nil || c.reach == nil || c.reach.flows.has(types.NewPointer(c.named)) || c.reach.flows.has(c.named) {
		return places
	}
	return slices.DeleteFunc(places, func(p *lower.Place) bool {
		if p.Key == receiverKey {
			c.convention(conventionItself)
		}
		return p.Key == receiverKey
	})
}

// handedBack makes the results of methods relevant that a client may give back as
// a relevant argument.
func (r *relevance) handedBack() (more bool) {
	var arguments []types.Type
	for _, fn := range r.fns {
		if !r.entries[fn] {
			continue
		}
		for k, p := range fn.Params {
			if r.values[p] && refers(p.Type()) && !(k == 0 && fn.Signature.Recv() != nil) {
				arguments = append(arguments, p.Type())
			}
		}
	}
	for _, fn := range r.fns {
		if !r.entries[fn] {
			continue
		}
		for k := range min(fn.Signature.Results().Len(), 64) {
			t := fn.Signature.Results().At(k).Type()
			if r.results[fn]&(1<<k) != 0 || !refers(t) {
				continue
			}
			for _, a := range arguments {
				if mayHold(a, t) {
					r.returned(fn, k)
					more = true
					break
				}
			}
		}
	}
	return more
}
