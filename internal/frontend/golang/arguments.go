// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds calls of which nothing but the arguments decides whether they err:
// neither the state of the component, nor that of packages, nor an answer of the
// environment. A parser that returns an error for a bad text is one. Such a call errs for
// some arguments and for others never, in every state: see opaque.go for what is made of
// that.
//
// It is a flow of information (Denning and Denning, CACM 1977), from what is not an
// argument, through the code that the call reaches, to its error sites; by values and by
// branches, over all of the code and not only what lowering would inline. A call with no
// such flow computes a function of its arguments and of the memory that they lead to when
// it is called, whoever changes that memory while it runs. Memory is told apart by fields
// and types. The analysis of [lower.Method.Given] sees single tests in code that is
// lowered; here the code need not be lowered at all, and may have loops and buffers.
//
// What it does not follow counts as state: unsafe pointers, code without a body, calls of
// unknown functions, orders of maps. A call that may block or start
// goroutines is not looked at: in some states it may not come to err. In one that recovers,
// nothing at all may depend on state: any instruction may panic.
//
// If that is too strict, a second analysis lets answers of the environment decide, too, and
// tells them from state. An answer is what code of other packages returns, or code of the
// client, that is given no object of the component and nothing that depends on its state:
// by convention (environment) such code may answer anything, whatever the state is. The
// arguments with which some answers make the call err are then the same in every state:
// with them the call may fail, with others it never does. So are answers orders of
// maps, and package variables of others that their own code reads, also if these never change: what they lead to
// may, as long as no call of the alphabet writes it. Answers that are given
// something of the state stay state: what a file says that was closed is no choice.
//
// Of a returned error only counts whether it is one under study: which other error it is may
// depend on anything.

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"
)

// A dependence is what a value depends on besides the arguments.
type dependence uint8

const (
	onState    dependence = 1 << iota // it depends on state or, in the strict analysis, on answers
	intoState                         // it leads to memory that outlives the call
	onAnswer                          // it depends on answers
	intoTheirs                        // it leads to memory of the environment
	shared                            // it leads to memory of package variables

	onAny = onState | onAnswer
)

// Limits of the code that is looked at for one call.
const (
	maxArgumentFunctions = 1500
	maxArgumentInstrs    = 60_000
)

// An argumentFlow is the analysis of one call.
type argumentFlow struct {
	c         *compiler
	r         *reach
	entry     *ssa.Function
	vals      map[ssa.Value]dependence
	mem       map[any]dependence
	control   map[*ssa.Function]dependence
	results   map[*ssa.Function][]dependence
	blocks    map[*ssa.Function][]dependence
	deps      map[*ssa.Function][][]*ssa.BasicBlock
	fns       []*ssa.Function
	passed    map[*ssa.Parameter][]ssa.Value
	instrs    int
	open      bool                               // an argument is an interface of another package
	wild      dependence                         // code that is not known writes memory
	asks      bool                               // code that is not known writes what it is given, or returns something
	lenient   bool                               // answers are told from state
	first     bool                               // there is no component before the call: it is a constructor
	most      int                                // instructions that are looked at
	live      map[*ssa.Function][]bool           // blocks that are reached; see arguments_live.go
	mayPanic  map[ssa.CallInstruction]dependence // calls of package reflect
	multi     map[ssa.Value][]dependence         // by result of a call
	within    map[*argumentFlow]dependence       // functions that were analysed by themselves, and what their calls depend on
	hidden    bool                               // the unknown code at hand writes fields that are not exported, too
	refused   string
	changed   bool
	usesFixed bool            // state that never changes may decide
	assumes   map[string]bool // conventions
	clauses   map[string]bool // contracts, of what does not say them where it is lowered
	// recovers: some code goes on after panics, also those of the run time.
	recovers bool
	// entered are all functions that a call may be of, if the flow goes into all of them, and apart
	// the flows of functions that were analysed by themselves, by call.
	entered map[ssa.CallInstruction][]*ssa.Function
	apart   map[ssa.CallInstruction]*argumentFlow
}

// Keys of memory; the others are fields, allocations and package variables.
type (
	elementsOf struct{ typ int } // of slices and arrays
	behind     struct{ typ int } // written through pointers of unknown origin
	anywhereOf struct{ typ int } // all memory of a type
	mapsOf     struct{ typ int }
	builders   struct{}
)

// A callKind says what a call is of.
type callKind int

const (
	otherCall  callKind = iota // of a function
	methodCall                 // of a method of the component
	firstCall                  // of a constructor: objects that it is given are not the component
)

// newArgumentFlow analyses a call of a function; the receiver of a method is the component.
func newArgumentFlow(c *compiler, entry *ssa.Function, kind callKind, lenient bool, most int) *argumentFlow {
	a := &argumentFlow{c: c, r: c.reach, entry: entry, lenient: lenient, first: kind == firstCall, most: most, assumes: map[string]bool{}, clauses: map[string]bool{}, multi: map[ssa.Value][]dependence{}, within: map[*argumentFlow]dependence{}, entered: map[ssa.CallInstruction][]*ssa.Function{}, apart: map[ssa.CallInstruction]*argumentFlow{}, live: map[*ssa.Function][]bool{}, mayPanic: map[ssa.CallInstruction]dependence{}, vals: map[ssa.Value]dependence{}, mem: map[any]dependence{}, control: map[*ssa.Function]dependence{},
		results: map[*ssa.Function][]dependence{}, blocks: map[*ssa.Function][]dependence{}, deps: map[*ssa.Function][][]*ssa.BasicBlock{}, passed: map[*ssa.Parameter][]ssa.Value{}}
	a.enter(entry)
	for k, p := range entry.Params {
		switch {
		case k == 0 && kind == methodCall && isPointer(p.Type()):
			a.flow(p, intoState)
		case k == 0 && kind == methodCall && a.fixed(0, func(s *fixedState) bool { return s.isReceiver(p.Type()) }):
			a.flow(p, intoState)
		case k == 0 && kind == methodCall:
			a.flow(p, onState|intoState)
		case a.mayLeadToOwn(p.Type(), 0):
			a.flow(p, intoState)
		}
	}
	for a.changed = true; a.changed && a.refused == ""; {
		a.changed = false
		for k := 0; k < len(a.fns) && a.refused == ""; k++ {
			a.c.w.Check()
			a.function(a.fns[k])
		}
	}
	return a
}

// onlyArguments reports whether nothing in the code depends on state.
func (a *argumentFlow) onlyArguments() bool {
	for _, d := range a.vals {
		if d&onState != 0 {
			return false
		}
	}
	for _, d := range a.mem {
		if d&onState != 0 {
			return false
		}
	}
	for q, d := range a.within {
		if d&onState != 0 || !q.onlyArguments() {
			return false
		}
	}
	return a.wild&onState == 0
}

// mayLeadToOwn reports whether an argument may lead to an object of the component's
// package.
func (a *argumentFlow) mayLeadToOwn(t types.Type, depth int) bool {
	if a.first {
		a.open = false
		return false
	}
	own := false
	if n, ok := types.Unalias(t).(*types.Named); ok {
		own = a.c.l.owns(n.Obj().Pkg())
	}
	if depth > 5 {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Interface:
		a.open = true
		return own
	case *types.Pointer:
		return own || a.mayLeadToOwn(u.Elem(), depth+1)
	case *types.Slice:
		return own || a.mayLeadToOwn(u.Elem(), depth+1)
	case *types.Array:
		return a.mayLeadToOwn(u.Elem(), depth+1)
	case *types.Map:
		return own || a.mayLeadToOwn(u.Key(), depth+1) || a.mayLeadToOwn(u.Elem(), depth+1)
	case *types.Struct:
		if own {
			return true
		}
		for k := range u.NumFields() {
			if a.mayLeadToOwn(u.Field(k).Type(), depth+1) {
				return true
			}
		}
		return false
	case *types.Signature:
		return false // calls of it are the environment's
	}
	return true
}

func (a *argumentFlow) refuse(why string) {
	if a.refused == "" {
		a.refused = why
	}
}

func (a *argumentFlow) enter(fn *ssa.Function) {
	if a.blocks[fn] != nil {
		return
	}
	n := 0
	for _, b := range fn.Blocks {
		n += len(b.Instrs)
	}
	a.instrs += n
	if len(a.fns) >= maxArgumentFunctions || a.instrs > a.most {
		a.refuse("too much code")
		return
	}
	if a.most <= maxComputed && isSystem(fn) {
		a.refuse("it asks the system")
		return
	}
	a.recovers = a.recovers || a.c.mayRecover(fn)
	a.fns = append(a.fns, fn)
	a.blocks[fn] = make([]dependence, len(fn.Blocks)+1)
	a.results[fn] = make([]dependence, fn.Signature.Results().Len())
	a.changed = true
}

// of is what a value depends on.
func (a *argumentFlow) of(v ssa.Value) dependence {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin:
		return 0
	case *ssa.Global:
		if !a.isDeep(v) && !a.c.isConstant(v) {
			return intoState | shared
		}
		return 0 // an address of what never changes
	}
	return a.vals[v]
}

func (a *argumentFlow) flow(v ssa.Value, d dependence) {
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Kind() != types.UnsafePointer {
		d &= onAny // it leads nowhere
	}
	if old := a.vals[v]; old|d != old {
		a.vals[v] = old | d
		a.changed = true
	}
}

func (a *argumentFlow) put(at any, d dependence) {
	if old := a.mem[at]; old|d != old {
		a.mem[at] = old | d
		a.changed = true
	}
}

// stored notes that a value is written at an address.
func (a *argumentFlow) stored(addr ssa.Value, d dependence) {
	t := deref(addr.Type())
	if al, ok := addr.(*ssa.Alloc); ok && isSimple(al) {
		a.put(al, d)
		return
	}
	if g, ok := addr.(*ssa.Global); ok {
		a.put(g, d)
	}
	if f, ok := addr.(*ssa.FieldAddr); ok {
		a.put(fieldVar(f), d)
	} else if _, ok := addr.(*ssa.IndexAddr); ok {
		a.put(elementsOf{a.r.id(t.Underlying())}, d)
	} else {
		a.put(behind{a.r.id(t.Underlying())}, d)
	}
	a.putWithin(t, d)
}

// putWithin notes that a value of a type is written somewhere, with all that is in it.
func (a *argumentFlow) putWithin(t types.Type, d dependence) {
	a.put(anywhereOf{a.r.id(t.Underlying())}, d)
	a.parts(t, 0, func(f *types.Var, t types.Type) {
		at := any(elementsOf{a.r.id(t.Underlying())})
		if f != nil {
			at = f.Origin()
		}
		a.put(at, d)
		a.put(anywhereOf{a.r.id(t.Underlying())}, d)
	})
}

// parts visits the fields and elements that are stored in a value.
func (a *argumentFlow) parts(t types.Type, depth int, do func(f *types.Var, t types.Type)) {
	if depth > 6 {
		a.refuse("deep types")
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for k := range u.NumFields() {
			do(u.Field(k), u.Field(k).Type())
			a.parts(u.Field(k).Type(), depth+1, do)
		}
	case *types.Array:
		do(nil, u.Elem())
		a.parts(u.Elem(), depth+1, do)
	}
}

// loaded is what an instruction reads at an address.
func (a *argumentFlow) loaded(i ssa.Instruction, addr ssa.Value) (d dependence) {
	t := deref(addr.Type())
	if al, ok := addr.(*ssa.Alloc); ok && isSimple(al) {
		return a.mem[al]
	}
	if g, ok := addr.(*ssa.Global); ok {
		if a.isDeep(g) {
			return 0
		}
		if !a.c.isConstant(g) {
			if a.lenient && !a.c.l.owns(g.Pkg.Pkg) && !a.c.l.owns(packageOf(i.Parent())) && !a.mayLeadToOwn(t, 0) {
				return onAnswer | intoTheirs
			}
			return onState | intoState | shared
		}
		d |= a.mem[g]
		switch {
		case a.c.isTable(g):
		case a.lenient && !a.c.l.owns(g.Pkg.Pkg) && !a.c.l.owns(packageOf(i.Parent())) && !g.Object().Exported() && !a.mayLeadToOwn(t, 0) && a.notWritten(t, 0):
			d |= intoTheirs // as above, but for the variable itself
		default:
			d |= intoState | shared
		}
		return d // nobody writes it
	}
	if g := a.c.tableAt(addr); g != nil {
		if a.isDeep(g) {
			return a.of(addr) & onAny // nor anything there
		}
		return a.of(addr)&onAny | intoState | shared // nor the elements of the slice there
	}
	d |= a.wild
	switch base := a.of(addr); {
	case base&intoState != 0 && !a.fixed(base, func(s *fixedState) bool { return s.isAt(addr) }):
		return onState | intoState | base&shared
	case base&intoState != 0:
		d |= base & (onAny | intoState | shared)
	case base&intoTheirs != 0:
		d |= base&onAny | onAnswer | intoTheirs
		if a.mayLeadToOwn(t, 0) {
			d |= intoState
		}
	default:
		d |= base & onAny
	}
	read := func(direct any, t types.Type) {
		d |= a.mem[direct] | a.mem[behind{a.r.id(t.Underlying())}]
	}
	if f, ok := addr.(*ssa.FieldAddr); ok {
		read(fieldVar(f), t)
	} else if _, ok := addr.(*ssa.IndexAddr); ok {
		read(elementsOf{a.r.id(t.Underlying())}, t)
	} else {
		d |= a.mem[anywhereOf{a.r.id(t.Underlying())}]
	}
	a.parts(t, 0, func(f *types.Var, t types.Type) {
		if f != nil {
			read(f.Origin(), t)
		} else {
			read(elementsOf{a.r.id(t.Underlying())}, t)
		}
	})
	return d
}

// isDeep reports whether nothing that a package variable leads to ever changes.
func (a *argumentFlow) isDeep(g *ssa.Global) bool {
	switch deref(g.Type()).Underlying().(type) {
	case *types.Slice, *types.Array, *types.Struct, *types.Pointer:
	default:
		return false
	}
	clauses, deep := a.c.isDeep(g)
	if deep {
		maps.Copy(a.clauses, clauses)
	}
	return deep
}

// notWritten reports whether calls of the alphabet write nothing that a value of a type leads to by pointers,
// slices and fields, by their types.
func (a *argumentFlow) notWritten(t types.Type, depth int) bool {
	if a.first {
		return true
	}
	s := a.c.fixed(false)
	if s.all || depth > 5 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return !s.behind[s.id(u.Elem())] && a.notWritten(u.Elem(), depth+1)
	case *types.Slice:
		return !s.elems[s.id(u.Elem())] && a.notWritten(u.Elem(), depth+1)
	case *types.Array:
		return !s.elems[s.id(u.Elem())] && a.notWritten(u.Elem(), depth+1)
	case *types.Map:
		return !s.maps[s.id(t)] && a.notWritten(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if s.fields[f.Origin()] || !a.notWritten(f.Type(), depth+1) {
				return false
			}
		}
	}
	return true
}

// isSimple reports whether a variable is only read and written as a whole.
func isSimple(v *ssa.Alloc) bool {
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if i.Val == ssa.Value(v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// function does one round over a function.
func (a *argumentFlow) function(fn *ssa.Function) {
	if a.deps[fn] == nil {
		a.deps[fn] = controlDependence(fn)
	}
	a.markLive(fn)
	in, live := a.blocks[fn], a.live[fn]
	for again := true; again; {
		again = false
		for _, b := range fn.Blocks {
			if !live[b.Index] {
				continue
			}
			d := in[b.Index] | a.control[fn]
			for _, c := range a.deps[fn][b.Index] {
				d |= in[c.Index] | a.branch(c)
			}
			if d &= onAny; d != in[b.Index] {
				in[b.Index] = d
				again, a.changed = true, true
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if live[b.Index] {
				a.instruction(i, in[b.Index])
			}
		}
	}
}

// branch is what decides where a block goes on.
func (a *argumentFlow) branch(b *ssa.BasicBlock) dependence {
	if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		return a.of(i.Cond) & onAny
	}
	return 0
}

// operands is what all operands of an instruction depend on.
func (a *argumentFlow) operands(i ssa.Instruction) (d dependence) {
	for _, op := range i.Operands(nil) {
		if *op != nil {
			d |= a.of(*op)
		}
	}
	return d
}

func (a *argumentFlow) instruction(i ssa.Instruction, here dependence) {
	switch i := i.(type) {
	case *ssa.Phi:
		var d dependence
		for k, p := range i.Block().Preds {
			if a.live[i.Parent()][p.Index] {
				d |= a.of(i.Edges[k]) | a.blocks[i.Parent()][p.Index] | a.branch(p)
			}
		}
		a.flow(i, d)
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			a.flow(i, a.loaded(i, i.X))
		case token.ARROW:
			a.refuse("it waits")
		default:
			a.flow(i, a.operands(i))
		}
	case *ssa.Store:
		d := a.of(i.Val) | here | a.of(i.Addr)&onAny
		a.stored(i.Addr, d)
	case *ssa.Convert:
		d := a.operands(i)
		switch {
		case isUnsafe(i.Type()) && isPointer(i.X.Type()):
		case isUnsafe(i.X.Type()) && !isPointer(i.Type()) && d == 0 && a.isInArgument(i.X, map[ssa.Value]bool{}):
			// Where an argument is in memory, its owner says.
		case isUnsafe(i.Type()) || isUnsafe(i.X.Type()):
			d |= onState | intoState
		}
		// A text is made of elements, and elements of a text.
		if s, ok := i.X.Type().Underlying().(*types.Slice); ok {
			d |= a.elements(i.X, s.Elem())
		} else if s, ok := i.Type().Underlying().(*types.Slice); ok {
			a.put(elementsOf{a.r.id(s.Elem().Underlying())}, d)
			a.put(anywhereOf{a.r.id(s.Elem().Underlying())}, d)
		}
		a.flow(i, d)
	case *ssa.ChangeType:
		d := a.operands(i)
		if p, ok := i.Type().Underlying().(*types.Pointer); ok && !types.Identical(p.Elem().Underlying(), deref(i.X.Type()).Underlying()) {
			d |= onState
		}
		a.flow(i, d)
	case *ssa.TypeAssert:
		d := a.operands(i)
		if !types.IsInterface(i.AssertedType) && a.mayLeadToOwn(i.AssertedType, 0) {
			d |= intoState
		}
		a.flow(i, d)
	case *ssa.Lookup:
		d := a.operands(i)
		if m, ok := i.X.Type().Underlying().(*types.Map); ok {
			d |= a.inMap(i.X, m)
		}
		a.flow(i, d)
	case *ssa.MapUpdate:
		d := a.of(i.Key) | a.of(i.Value) | here | a.of(i.Map)&onAny
		a.put(mapsOf{a.r.id(i.Map.Type().Underlying())}, d)
	case *ssa.Range:
		d := a.operands(i)
		if m, ok := i.X.Type().Underlying().(*types.Map); ok {
			d |= a.chosen() | a.inMap(i.X, m)
		}
		a.flow(i, d)
	case *ssa.Extract:
		if list := a.multi[i.Tuple]; list != nil {
			a.flow(i, list[i.Index])
			return
		}
		a.flow(i, a.operands(i))
	case *ssa.MakeClosure:
		fn := i.Fn.(*ssa.Function)
		for k, b := range i.Bindings {
			a.flow(fn.FreeVars[k], a.of(b))
		}
		a.flow(i, a.operands(i))
	case *ssa.Return:
		for k, v := range i.Results {
			out := a.results[i.Parent()]
			if d := out[k] | a.of(v) | here; d != out[k] {
				out[k] = d
				a.changed = true
			}
		}
	case *ssa.Go, *ssa.Send, *ssa.Select, *ssa.MakeChan:
		a.refuse("it waits, or starts goroutines")
	case ssa.CallInstruction:
		a.call(i, here)
	default:
		if v, ok := i.(ssa.Value); ok {
			a.flow(v, a.operands(i))
		}
	}
}

// isInArgument reports whether an address is one within an argument of the call: not of a
// variable of its own, whose place is anywhere.
func (a *argumentFlow) isInArgument(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Convert:
		return a.isInArgument(v.X, seen)
	case *ssa.IndexAddr:
		return a.isInArgument(v.X, seen)
	case *ssa.Slice:
		return a.isInArgument(v.X, seen)
	case *ssa.Parameter:
		if v.Parent() == a.entry {
			return true
		}
		for _, x := range a.passed[v] {
			if !a.isInArgument(x, seen) {
				return false
			}
		}
		return len(a.passed[v]) > 0
	}
	return false
}

// elements is what the elements of a slice depend on.
func (a *argumentFlow) elements(s ssa.Value, elem types.Type) (d dependence) {
	if a.of(s)&intoState != 0 && !a.fixed(a.of(s), func(f *fixedState) bool { return f.areElements(elem) }) {
		return onState | intoState | a.of(s)&shared
	}
	d |= a.wild | a.of(s)
	if d&intoTheirs != 0 {
		d |= onAnswer
	}
	d |= a.mem[elementsOf{a.r.id(elem.Underlying())}] | a.mem[behind{a.r.id(elem.Underlying())}]
	a.parts(elem, 0, func(f *types.Var, t types.Type) {
		if f != nil {
			d |= a.mem[f.Origin()]
		}
		d |= a.mem[elementsOf{a.r.id(t.Underlying())}] | a.mem[behind{a.r.id(t.Underlying())}]
	})
	return d
}

// inMap is what the entries of a map depend on.
func (a *argumentFlow) inMap(x ssa.Value, m *types.Map) (d dependence) {
	if a.of(x)&intoState != 0 && !a.fixed(a.of(x), func(s *fixedState) bool { return s.isMap(m) }) {
		return onState | intoState | a.of(x)&shared
	}
	d = a.wild | a.of(x)&(onAny|intoState|shared)
	if a.of(x)&intoTheirs != 0 {
		d |= onAnswer | intoTheirs
	}
	return d | a.mem[mapsOf{a.r.id(m)}]
}

// chosen is what something depends on that nobody decides but chance.
func (a *argumentFlow) chosen() dependence {
	if a.lenient {
		return onAnswer
	}
	return onState
}
