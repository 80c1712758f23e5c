// SPDX-License-Identifier: Apache-2.0

package lower

// This file holds the universe: places, their cells, and what references may
// hold. It lives through all passes; pools, variables and methods are made anew
// in each.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Values of the enum of references that are no places.
const (
	nilKey     = "nil"
	outsideKey = "outside"
)

// NilName is how programs call the nil reference: not "nil", which parameters
// and results have, so that words and guards need no qualified names.
const NilName = "nil·"

// A World is the universe of one component.
type World struct {
	// KeepTests keeps tests of state that are known to hold: what is known at the heads of
	// loops is not told to engines otherwise.
	KeepTests bool

	// Of the current pass.
	Pool    *term.Pool
	Ref     *term.Enum
	RefSort term.Sort
	state   []*prog.Var
	places  map[string]*Place
	order   []*Place
	names   map[string]int // of state variables
	// asked are the names that state variables were to have in this pass or an earlier one;
	// locals are those of locals in this one. State variables are declared when they are met,
	// and a local must not have the name of one that is met later.
	asked, locals map[string]bool
	vars          map[*term.Term]string
	assumed       []*term.Term // of the state between calls, by conventions

	// Of all passes.
	known   []string                   // keys of places with a value in Ref, in order of discovery
	called  []string                   // their names in Ref
	index   map[string]int             // of known
	settled int                        // how many of known have a value in Ref
	targets map[string]map[string]bool // key of a variable -> what it may hold
	held    map[string]bool            // places that state may hold: their cells are state
	grown   bool
	passes  int

	within  map[string]string // places that one method makes and forgets, and its name
	current string            // the method at hand; "": none

	untouched []Need
	steps     *int // of the analysis; nil: AllSteps

	emitted, emittedAll int // edges, of this pass and of all
	maxPass, maxAll     int // 0: no limit

	approx map[prog.Pos]map[string]bool
	ctx    context.Context // what stops lowering; nil: nothing
}

// NewWorld returns an empty universe.
func NewWorld() *World {
	return &World{index: map[string]int{}, targets: map[string]map[string]bool{}, held: map[string]bool{}, within: map[string]string{}, approx: map[prog.Pos]map[string]bool{}}
}

// maxPasses bounds the passes; each adds at least one place or target, so this
// is met only by components far beyond what engines can do.
const maxPasses = 200

// Pass starts a pass. It returns false if nothing has grown in the last one.
// Nothing is known of what the vague places hold.
func (w *World) Pass(vague map[string]bool) (again bool, err error) {
	if w.passes > 0 && !w.grown {
		return false, nil
	}
	if w.passes == maxPasses {
		return false, fmt.Errorf("the objects of the component did not settle after %d passes", maxPasses)
	}
	w.passes++
	w.grown = false
	w.emitted = 0
	if len(w.known) > w.settled {
		// In the last pass references to new places were "outside"; what
		// followed from that is forgotten.
		w.targets = map[string]map[string]bool{}
	}
	w.Pool = term.NewPool()
	w.Ref = &term.Enum{Name: "ref", Values: append([]string{NilName, outsideKey}, w.called...)}
	w.settled = len(w.known)
	w.RefSort = term.Sort{Kind: term.EnumKind, Enum: w.Ref}
	// Places of the last pass are there from the start: a method may meet what
	// a later one makes.
	before := w.order
	w.state, w.order, w.assumed = nil, nil, nil
	w.places = map[string]*Place{}
	for _, old := range before {
		p := *old
		p.cells = map[string]*Cell{}
		p.Summary = p.Summary || vague[p.Key]
		if p.parent != nil {
			p.parent = w.places[p.parent.Key]
		}
		w.places[p.Key] = &p
		w.order = append(w.order, &p)
	}
	w.rename()
	w.names, w.locals = map[string]int{}, map[string]bool{}
	w.vars = map[*term.Term]string{}
	w.approx = map[prog.Pos]map[string]bool{}
	w.hold()
	return true, nil
}

// hold computes which places state may hold, from the sets of cells that are
// state: an allocation of a method is local to a call unless state keeps it.
func (w *World) hold() {
	for changed := true; changed; {
		changed = false
		for _, key := range slices.Sorted(maps.Keys(w.targets)) {
			owner, isCell := cellOwner(key)
			if !isCell || !w.held[owner] {
				continue
			}
			for t := range w.targets[key] {
				for _, t := range append(ancestors(t), t) {
					if t != nilKey && t != outsideKey && !w.held[t] {
						w.held[t], changed = true, true
					}
				}
			}
		}
	}
}

// Hold makes the cells of a place state.
func (w *World) Hold(p *Place) {
	if !w.held[p.Key] {
		w.held[p.Key], w.grown = true, true
	}
}

const cellMark = "\x00"

func cellKey(place, path string) string { return place + cellMark + path }

func cellOwner(key string) (owner string, ok bool) {
	owner, _, ok = strings.Cut(key, cellMark)
	return owner, ok
}

const partMark = "\x01"

// ancestors returns the keys of the places that a part is of.
func ancestors(key string) (all []string) {
	for {
		i := strings.LastIndex(key, partMark)
		if i < 0 {
			return all
		}
		key = key[:i]
		all = append(all, key)
	}
}

// A Place is an abstract object.
type Place struct {
	Key  string
	Name string // for people
	made string // its name by where it was made
	Type any    // the front end's type of the object
	// Summary stands for several objects: what it holds is unknown.
	Summary bool
	// Const has cells that nobody changes and that have no variables.
	Const bool
	Data  any // of the front end

	// initial is the value of a cell before the first call; nil is zero.
	initial func(path string, typ prog.Type) *term.Term

	parent *Place
	prefix string
	cells  map[string]*Cell
	w      *World
}

// A Cell is one scalar of a place.
type Cell struct {
	Var   *prog.Var
	Place *Place
	Path  string
}

// Place returns the place with a key, made by create if there is none yet.
func (w *World) Place(key string, create func() *Place) *Place {
	if p := w.places[key]; p != nil {
		return p
	}
	p := create()
	p.Key, p.made, p.w, p.cells = key, p.Name, w, map[string]*Cell{}
	w.places[key] = p
	w.order = append(w.order, p)
	return p
}

// Find returns the place with a key, or nil.
func (w *World) Find(key string) *Place { return w.places[key] }

// Part returns the place of a part of an object: its cells are those of the
// object whose path begins with prefix.
func (w *World) Part(p *Place, prefix string, typ any) *Place {
	if prefix == "" {
		return p
	}
	return w.Place(p.Key+partMark+prefix, func() *Place {
		return &Place{Name: p.Name + prefix, Type: typ, Summary: p.Summary, parent: p, prefix: prefix}
	})
}

func (p *Place) root() (*Place, string) {
	prefix := ""
	for p.parent != nil {
		prefix = p.prefix + prefix
		p = p.parent
	}
	return p, prefix
}

// StartAs sets the values of cells before the first call; a nil term is any value.
func (p *Place) StartAs(initial func(path string, typ prog.Type) *term.Term) { p.initial = initial }

// Root returns the place that a part is of, or the place itself.
func (p *Place) Root() *Place {
	r, _ := p.root()
	return r
}

// Path returns the path of a part in the object that it is of.
func (p *Place) Path() string {
	_, prefix := p.root()
	return prefix
}

// IsPart reports whether a place is a part of another.
func (p *Place) IsPart() bool { return p.parent != nil }

// Recent returns the key of the most recent object that is made where this one was,
// and whether this one stands for the older ones.
func (p *Place) Recent() (key string, older bool) { return strings.CutSuffix(p.Key, oldSuffix) }

// Newest is the object of which a place stands for the older ones; a place of another kind
// is its own.
func (p *Place) Newest() *Place {
	if key, older := p.Recent(); older {
		if q := p.w.places[key]; q != nil {
			return q
		}
	}
	return p
}

const oldSuffix = "/old"

// IsState reports whether the cells of a place live from call to call.
func (p *Place) IsState() bool {
	r, _ := p.root()
	return p.w.held[r.Key]
}

// RefOf returns the reference to a place. In the pass that finds the place it is
// "outside"; another pass follows.
func (w *World) RefOf(p *Place) *term.Term {
	i, ok := w.index[p.Key]
	if !ok {
		i = len(w.known)
		w.index[p.Key], w.grown = i, true
		w.known = append(w.known, p.Key)
		name := "&" + strings.ReplaceAll(p.Name, "`", "'")
		for n := 2; slices.Contains(w.called, name); n++ {
			name = fmt.Sprintf("&%s·%d", p.Name, n)
		}
		w.called = append(w.called, name)
	}
	if i >= w.settled {
		return w.Outside()
	}
	return w.Pool.Const(w.RefSort, term.Value{Lo: uint64(i + 2)})
}

// Nil is the nil reference.
func (w *World) Nil() *term.Term { return w.Pool.Const(w.RefSort, term.Value{}) }

// Outside is the reference to every object that is no place.
func (w *World) Outside() *term.Term { return w.Pool.EnumValue(w.Ref, outsideKey) }

// A Holds is what a reference may hold.
type Holds struct {
	Nil, Outside bool
	Places       []*Place // in order of discovery
}

// Holds returns what a reference may hold.
func (w *World) Holds(ref *term.Term) Holds {
	keys := map[string]bool{}
	w.collect(ref, keys)
	h := Holds{Nil: keys[nilKey], Outside: keys[outsideKey]}
	var found []int
	for k := range keys {
		if i, ok := w.index[k]; ok && w.isHere(k) {
			found = append(found, i)
		}
	}
	slices.Sort(found)
	for _, i := range found {
		p := w.places[w.known[i]]
		if p == nil {
			panic("lower: a reference holds a place that was never made: " + w.known[i])
		}
		h.Places = append(h.Places, p)
	}
	return h
}

// Confine says that references to a place, and to parts of it, do not outlive the method at
// hand, which makes it: it forgets them before it returns. Other methods do not meet it.
func (w *World) Confine(p *Place) {
	if _, ok := w.within[p.Key]; !ok {
		w.within[p.Key], w.grown = w.current, true
	}
}

// isHere reports whether the method at hand may meet a place.
func (w *World) isHere(key string) bool {
	if len(w.within) == 0 || w.current == "" {
		return true
	}
	root, _, _ := strings.Cut(key, partMark)
	name, ok := w.within[root]
	return !ok || name == w.current
}

// Known is how many places references can hold.
func (w *World) Known() int { return len(w.known) }

// leaves calls do for the constants and variables that may be the value of a
// reference.
func (w *World) leaves(t *term.Term, do func(*term.Term)) {
	if t.Op() != term.OpIte {
		do(t)
		return
	}
	// Terms share parts: each is looked at once.
	seen := map[*term.Term]bool{t: true}
	for work := []*term.Term{t}; len(work) > 0; {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x.Op() != term.OpIte {
			do(x)
			continue
		}
		for _, y := range x.Args()[1:] {
			if !seen[y] {
				seen[y] = true
				work = append(work, y)
			}
		}
	}
}

// keyOf is what a constant reference holds.
func (w *World) keyOf(t *term.Term) string {
	switch v, _ := t.Const(); v.Lo {
	case 0:
		return nilKey
	case 1:
		return outsideKey
	default:
		return w.known[v.Lo-2]
	}
}

// collect adds what a reference may hold.
func (w *World) collect(t *term.Term, keys map[string]bool) {
	w.leaves(t, func(x *term.Term) {
		if x.IsConst() {
			keys[w.keyOf(x)] = true
			return
		}
		for k := range w.targets[w.vars[x]] {
			keys[k] = true
		}
	})
}

// flow records that a variable may hold what a term may hold.
func (w *World) flow(v *prog.Var, t *term.Term) {
	if v.Type.Sort != w.RefSort {
		return
	}
	key := w.vars[v.Term]
	set := w.targets[key]
	if set == nil {
		set = map[string]bool{}
		w.targets[key] = set
	}
	w.leaves(t, func(x *term.Term) {
		if x.IsConst() {
			if k := w.keyOf(x); !set[k] {
				set[k], w.grown = true, true
			}
			return
		}
		from := w.vars[x]
		if from == key {
			return // what it holds anyway
		}
		for k := range w.targets[from] {
			if !set[k] {
				set[k], w.grown = true, true
			}
		}
	})
}

func (w *World) add(v *prog.Var, keys map[string]bool) {
	key := w.vars[v.Term]
	set := w.targets[key]
	if set == nil {
		set = map[string]bool{}
		w.targets[key] = set
	}
	for k := range keys {
		if !set[k] {
			set[k], w.grown = true, true
		}
	}
}

// Approximate records that something is not modelled exactly.
func (w *World) Approximate(pos prog.Pos, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if w.approx[pos] == nil {
		w.approx[pos] = map[string]bool{}
	}
	w.approx[pos][what] = true
}

// unique returns a name that no state variable has.
func (w *World) unique(name string) string {
	base := name
	if w.asked == nil {
		w.asked = map[string]bool{}
	}
	w.asked[base] = true
	for w.names[name] > 0 || w.locals[name] {
		w.names[base]++
		name = base + "·" + strconv.Itoa(w.names[base])
	}
	w.names[name]++
	return name
}

// State declares a state variable. A nil initial value means any.
func (w *World) State(key, name string, typ prog.Type, init *term.Term, pos prog.Pos) *prog.Var {
	name = w.unique(name)
	v := &prog.Var{Name: name, Type: typ, Term: w.Pool.Var(name, typ.Sort), Init: init, Pos: pos}
	w.vars[v.Term] = key
	w.state = append(w.state, v)
	if init != nil {
		w.flow(v, init)
	}
	return v
}

// Zero is the zero value of a type.
func (w *World) Zero(t prog.Type) *term.Term { return w.Pool.Const(t.Sort, term.Value{}) }

// Grow says that something outside this package has grown: another pass is
// needed.
func (w *World) Grow() { w.grown = true }

// Unsettled reports whether the pass has found places that it takes for "outside": what
// follows from that is not so, and another pass will tell.
func (w *World) Unsettled() bool { return len(w.known) > w.settled }

// Places returns all places of the pass so far that references can hold in the method at hand.
func (w *World) Places() []*Place {
	var all []*Place
	for _, k := range w.known {
		if p := w.places[k]; p != nil && w.isHere(k) {
			all = append(all, p)
		}
	}
	return all
}

// Current is the name of the method at hand.
func (w *World) Current() string { return w.current }

// Edges is how many edges the pass has so far.
func (w *World) Edges() int { return w.emitted }

// AllEdges counts the edges of all passes.
func (w *World) AllEdges() int { return w.emittedAll }

// Steps says how many steps the analysis of the program may take; it counts them down.
func (w *World) Steps(left *int) { w.steps = left }

// Untouched says which parameters are not assumed not to be nil: errors of the code
// that are not in this program depend on them.
func (w *World) Untouched(list []Need) { w.untouched = list }
