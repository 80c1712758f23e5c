// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds which values may be errors under study: a forward flow of values through
// registers, locations, results and closures of all code that is reached, from where such
// errors are made.
//
// Locations are one for each field and variable, as everywhere in relevance, and the
// elements of all containers of a type are one. Only values of types that can hold an error
// carry one: interfaces that errors implement, error types, and structs and arrays of these;
// what pointers lead to is found by its location. Code of others makes none, but may return, and clients may give,
// one that is an exported package variable; that counts where code compares with such values, but of what
// calls of other code return only where that is compared (asked.go). What a function does with its own
// parameters is told apart from the rest: one that returns the error it is given returns one
// under study only where it is given one (a summary of each function, as in interprocedural
// data-flow analysis: Sharir and Pnueli 1981).

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An origins says where an error under study may come from that a value may be: bit 0 is
// from anywhere, bit k+1 from parameter k of the function.
type origins uint64

const anywhere origins = 1

// A wanting is the state of the flow.
type wanting struct {
	*relevance
	all      []*ssa.Function // that are reached, and the initialization of the package
	only     bool            // what is made does not count, only what is marked (suspects)
	values   map[ssa.Value]origins
	params   map[*ssa.Parameter]bool // some call gives it an error under study
	locs     map[location]bool
	elements map[elementOf]bool
	results  map[resultAt]origins
	theirs   map[*ssa.Call]bool      // the environment may return one
	keepers  map[int]bool            // types of objects of others that were given one
	houses   map[*types.Package]bool // of such types that are no interfaces
	lent     map[int]bool            // types of what leads to one and was given to others
	taken    map[int]bool            // types of elements whose addresses are used as pointers
	carriers map[int]bool
	soiled   map[int]bool // types of objects of others whose fields may have one because of that
	tables   []types.Type // of what the initialization of the package puts errors under study into
	named    bool         // others can name one
	// lateAt and lateOf are the locations, and the types of elements of containers, of lateErrors.
	lateAt map[location]bool
	lateOf map[elementOf]bool
	here   *hereSearch
	// asked is set if code compares others with values that may be errors under study: then what comes from
	// elsewhere may be one that others can name, as in programs that follow everything (compares).
	asked   bool
	changed bool
}

// wantedValues returns the values that may be errors under study: those that are
// made as such, and where they flow to.
func (r *relevance) wantedValues() map[ssa.Value]bool {
	all := map[ssa.Value]bool{}
	if !r.c.kinds.anyReturn() {
		return all
	}
	w := r.wanting(r.hasNamed())
	r.coarse.carries = w.locs
	for v := range w.values {
		if w.is(v) {
			all[v] = true
		}
	}
	return all
}

// wanting follows errors under study. With named, other code can name one of them, and what comes from
// it may be that one if code compares with it.
func (r *relevance) wanting(named bool) *wanting {
	w := r.newWanting(named)
	w.settled()
	return w
}

func (r *relevance) newWanting(named bool) *wanting {
	w := &wanting{relevance: r, values: map[ssa.Value]origins{}, params: map[*ssa.Parameter]bool{}, locs: map[location]bool{}, elements: map[elementOf]bool{},
		results: map[resultAt]origins{}, theirs: map[*ssa.Call]bool{}, keepers: map[int]bool{}, soiled: map[int]bool{}, houses: map[*types.Package]bool{}, lent: map[int]bool{}, taken: map[int]bool{}, carriers: map[int]bool{}, named: named}
	fns := r.fns
	fns = append(r.c.l.inits(), fns...) // what they make is there from the beginning
	for _, fn := range fns {
		w.takenIn(fn)
		for k, p := range fn.Params {
			if k < 62 && w.carries(p.Type()) {
				w.values[p] = 1 << (k + 1)
			}
		}
	}
	w.all = fns
	w.lateErrors()
	w.changed = true
	return w
}

// settled follows what has changed as far as it goes.
func (w *wanting) settled() {
	for w.changed {
		w.changed = false
		for _, fn := range w.all {
			w.function(fn)
		}
	}
}

// takenIn notes of which elements addresses are used otherwise than to read and write.
func (w *wanting) takenIn(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			a, ok := i.(*ssa.IndexAddr)
			if !ok || a.Referrers() == nil {
				continue
			}
			for _, u := range *a.Referrers() {
				switch u := u.(type) {
				case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr:
				case *ssa.Store:
					if u.Val == a {
						w.taken[w.id(deref(a.Type()))] = true
					}
				default:
					w.taken[w.id(deref(a.Type()))] = true
				}
			}
		}
	}
}

// carries reports whether values of a type may be errors, or have them within.
func (w *wanting) carries(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			if w.carries(v.Type()) {
				return true
			}
		}
		return false
	}
	id := w.id(t)
	yes, ok := w.carriers[id]
	if !ok {
		yes = w.canHold(t)
		w.carriers[id] = yes
	}
	return yes
}

func (w *wanting) canHold(t types.Type) bool {
	if i, ok := t.Underlying().(*types.Interface); ok {
		if i.NumMethods() == 0 || types.Implements(t, errorInterface) {
			return true
		}
		for m := range i.Methods() {
			if m.Name() != "Unwrap" {
				return w.boxedErrors(i)
			}
		}
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Struct:
		for v := range u.Fields() {
			if w.carries(v.Type()) {
				return true
			}
		}
	case *types.Array:
		if w.carries(u.Elem()) {
			return true
		}
	}
	return types.Implements(t, errorInterface)
}

// boxedErrors reports whether the code puts errors into an interface type, or could.
func (w *wanting) boxedErrors(i *types.Interface) bool {
	for _, b := range w.boxes {
		if types.Implements(b, errorInterface) && types.Implements(b, i) {
			return true
		}
	}
	return false
}

// of says where an error under study may come from that a value may be.
func (w *wanting) of(v ssa.Value) origins {
	if v == nil {
		return 0
	}
	if !w.only && w.isWantedGlobal(v) {
		return anywhere
	}
	return w.values[v]
}

// is reports whether a value may be an error under study.
func (w *wanting) is(v ssa.Value) bool {
	o := w.of(v)
	if o&anywhere != 0 {
		return true
	}
	for k := 0; o>>(k+1) != 0; k++ {
		if o>>(k+1)&1 != 0 && w.params[v.Parent().Params[k]] {
			return true
		}
	}
	return false
}

// any reports whether one of some values may be an error under study.
func (w *wanting) any(list []ssa.Value) bool {
	for _, v := range list {
		if v != nil && w.is(v) {
			return true
		}
	}
	return false
}

func (w *wanting) set(v ssa.Value, o origins) {
	if o&^w.values[v] != 0 && w.carries(v.Type()) {
		w.values[v] |= o
		w.changed = true
	}
}

// mark sets what is not set yet.
func mark[K comparable](w *wanting, m map[K]bool, key K) {
	if !m[key] {
		m[key], w.changed = true, true
	}
}

// returned says where an error under study may come from that a call may return from a
// function.
func (w *wanting) returned(call ssa.CallInstruction, fn *ssa.Function, k int) origins {
	o := w.results[resultAt{fn, k}]
	here := o & anywhere
	for k := range fn.Params {
		if k < 62 && o>>(k+1)&1 != 0 {
			here |= w.of(argumentOf(call.Common(), fn, k))
		}
	}
	return here
}

// ask notes that code compares others with values that may be errors under study.
func (w *wanting) ask() {
	if w.named && !w.asked {
		w.asked, w.changed = true, true
	}
}

// hasNamed reports whether an error under study is a package variable that other code can name.
func (r *relevance) hasNamed() bool {
	for _, pkg := range r.c.l.own() {
		for name, m := range pkg.Members {
			if g, ok := m.(*ssa.Global); ok && token.IsExported(name) {
				if e := r.c.sentinel(g); e != nil && r.isWantedSentinel(e) {
					return true
				}
			}
		}
	}
	return false
}

func (w *wanting) function(fn *ssa.Function) {
	for k, p := range fn.Params {
		if w.asked && w.entries[fn] && w.carries(p.Type()) {
			mark(w, w.params, p)
			if k >= 62 {
				w.set(p, anywhere)
			}
		}
		for _, call := range w.callers[fn] {
			if x := argumentOf(call.Common(), fn, k); x != nil && w.is(x) && w.carries(p.Type()) {
				mark(w, w.params, p)
				if k >= 62 {
					w.set(p, anywhere)
				}
			}
		}
	}
	for n, v := range fn.FreeVars {
		for _, m := range w.closures[fn] {
			if w.is(m.Bindings[n]) {
				w.set(v, anywhere)
			}
		}
	}
	for _, b := range fn.Blocks {
		if w.isUnrun(b) {
			continue
		}
		for _, i := range b.Instrs {
			w.instruction(i)
		}
	}
}

func (w *wanting) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Store:
		if w.is(i.Val) {
			w.store(i)
		}
	case *ssa.MapUpdate:
		if w.is(i.Key) {
			mark(w, w.elements, w.element('k', i.Key.Type()))
		}
		if w.is(i.Value) {
			mark(w, w.elements, w.element('v', i.Value.Type()))
		}
	case *ssa.Send:
		if w.is(i.X) {
			mark(w, w.elements, w.element('c', i.X.Type()))
		}
	case *ssa.Return:
		for k, x := range i.Results {
			at := resultAt{i.Parent(), k}
			if o := w.of(x); o&^w.results[at] != 0 && !w.unreached(i.Block()) {
				w.results[at] |= o
				w.changed = true
			}
		}
	case *ssa.UnOp:
		w.load(i)
	case *ssa.Lookup:
		if m, ok := i.X.Type().Underlying().(*types.Map); ok && w.elements[w.element('v', m.Elem())] {
			w.set(i, anywhere)
		}
	case *ssa.Next:
		if m, ok := i.Iter.(*ssa.Range); ok {
			if m, ok := m.X.Type().Underlying().(*types.Map); ok && (w.elements[w.element('k', m.Key())] || w.elements[w.element('v', m.Elem())]) {
				w.set(i, anywhere)
			}
		}
	case *ssa.Select:
		for _, s := range i.States {
			elem := s.Chan.Type().Underlying().(*types.Chan).Elem()
			if s.Send != nil && w.is(s.Send) {
				mark(w, w.elements, w.element('c', elem))
			}
			if s.Send == nil && w.elements[w.element('c', elem)] {
				w.set(i, anywhere)
			}
		}
	case *ssa.Index:
		if w.elements[w.element('s', i.Type())] || w.is(i.X) {
			w.set(i, anywhere)
		}
	case *ssa.Field:
		if w.is(i.X) || w.locs[w.find(fieldAt(i.X.Type().Underlying().(*types.Struct), i.Field))] {
			w.set(i, anywhere)
		}
	case *ssa.Extract:
		call, ok := i.Tuple.(*ssa.Call)
		if !ok {
			w.set(i, w.of(i.Tuple))
			return
		}
		for _, g := range w.targets[call] {
			w.set(i, w.returned(call, g, i.Index))
		}
		if w.theirs[call] {
			w.set(i, anywhere)
		}
	case *ssa.BinOp:
		if (i.Op == token.EQL || i.Op == token.NEQ) && types.IsInterface(i.X.Type()) && !isNilConst(i.X) && !isNilConst(i.Y) && (w.is(i.X) || w.is(i.Y)) {
			w.ask()
		}
	case *ssa.Call:
		if fn := i.Call.StaticCallee(); fn != nil && nameOf(fn) == "errors.Is" && (w.is(i.Call.Args[1]) || w.isWantedGlobal(i.Call.Args[0])) {
			w.ask()
		}
		w.call(i)
	case *ssa.Defer:
		w.keep(i)
	case *ssa.MakeInterface:
		w.box(i)
	case *ssa.Phi, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.TypeAssert, *ssa.Convert, *ssa.MultiConvert, *ssa.SliceToArrayPointer:
		v := i.(ssa.Value)
		for _, op := range i.Operands(nil) {
			w.set(v, w.of(*op))
		}
	}
}

// element is where the elements of containers are.
func (w *wanting) element(kind rune, t types.Type) elementOf { return elementOf{kind, w.id(t)} }

// store puts an error under study, or what has one within, somewhere.
func (w *wanting) store(i *ssa.Store) {
	t := i.Val.Type()
	if a, ok := t.Underlying().(*types.Array); ok {
		mark(w, w.elements, w.element('s', a.Elem()))
	}
	if _, ok := t.Underlying().(*types.Struct); ok {
		if load, ok := i.Val.(*ssa.UnOp); ok && load.Op == token.MUL {
			return // it is there already: fields are one in all objects
		}
	}
	parts := w.parts(i.Addr)
	if len(parts) == 0 && !w.printed(i.Addr) {
		mark(w, w.elements, w.element('s', t))
		if w.taken[w.id(t)] {
			mark(w, w.locs, w.find(w.pointed(t)))
		}
	}
	for _, l := range parts {
		if v, ok := l.(*types.Var); !ok || w.carries(v.Type()) || w.find(l) != l {
			mark(w, w.locs, w.find(l))
		}
	}
}

func (w *wanting) load(i *ssa.UnOp) {
	switch i.Op {
	case token.ARROW:
		if w.elements[w.element('c', i.X.Type().Underlying().(*types.Chan).Elem())] {
			w.set(i, anywhere)
		}
		return
	case token.MUL:
	default:
		return
	}
	t := i.Type()
	if !w.carries(t) {
		return
	}
	l := w.at(i.X)
	yes := w.is(i.X) || !w.only && w.isWantedGlobal(i) || l != nil && w.locs[w.find(l)]
	if l == nil || w.taken[w.id(t)] && w.find(l) == w.find(w.pointed(t)) {
		yes = yes || w.elements[w.element('s', t)] || w.taken[w.id(t)] && w.locs[w.find(w.pointed(t))]
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		yes = yes || w.elements[w.element('s', a.Elem())]
	}
	for _, l := range fieldsOf(t, nil) {
		yes = yes || w.locs[w.find(l)]
	}
	if yes {
		w.set(i, anywhere)
	}
}

// box is that a value is put into an interface.
func (w *wanting) box(i *ssa.MakeInterface) {
	w.set(i, w.of(i.X))
	if !types.Implements(i.X.Type(), errorInterface) {
		return
	}
	r := w.relevance
	id := r.id(i.X.Type())
	known := false
	for _, m := range r.coarse.made[id] {
		known = known || m == i
	}
	if !known {
		r.coarse.made[id] = append(r.coarse.made[id], i)
	}
	if w.values[i]&anywhere == 0 && (w.only && w.hasWithin(i.X.Type()) || !w.only && r.isWantedType(i, w.locs)) {
		w.set(i, anywhere)
	}
}

// hasWithin reports whether fields of a struct, or of the one that a pointer is to, may be errors under study.
func (w *wanting) hasWithin(t types.Type) bool {
	if e := deref(t); e != nil {
		t = e
	}
	return slices.ContainsFunc(fieldsOf(t, nil), func(l location) bool { return w.locs[w.find(l)] })
}

func (w *wanting) call(i *ssa.Call) {
	tuple, isTuple := i.Type().(*types.Tuple)
	for _, g := range w.targets[i] {
		switch {
		case !isTuple && g.Signature.Results().Len() == 1:
			w.set(i, w.returned(i, g, 0))
		case isTuple:
			for k := range tuple.Len() {
				w.set(i, w.returned(i, g, k))
			}
		}
	}
	if len(w.targets[i]) > 0 && w.effects[i] == nil {
		return // only what these return
	}
	w.keep(i)
	if w.asked && !isAnyBuiltin(i) {
		w.soilBy(i)
	}
	if w.theirs[i] || noError(i.Type()) {
		return
	}
	b, builtin := i.Call.Value.(*ssa.Builtin)
	if !w.only && w.isWantedCall(i) || builtin && b.Name() == "recover" || w.given(i) || w.asked && w.mayName(i) || w.effects[i] != nil && w.mayGet(i) {
		mark(w, w.theirs, i)
		w.set(i, anywhere)
	}
}
