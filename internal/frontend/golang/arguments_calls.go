// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the calls of arguments.go: code with a body is entered, as deep as it
// goes; of some functions of the standard library it is known what their results depend on.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const conventionFormatted = "formatted: what the client gives in an interface, and a call makes a text of, is not the component"

const conventionSettings = "settings: what GODEBUG says does not change while the program runs"

// call is a call, or a deferred one.
func (a *argumentFlow) call(i ssa.CallInstruction, here dependence) {
	common := i.Common()
	delete(a.entered, i)
	delete(a.apart, i)
	result := func(d dependence) {
		if v := i.Value(); v != nil {
			a.flow(v, d)
		}
	}
	if b, ok := common.Value.(*ssa.Builtin); ok {
		result(a.builtin(b, common.Args, here))
		return
	}
	var given dependence
	for _, x := range common.Args {
		given |= a.of(x)
	}
	results := func(list []dependence) { a.returned(i, list) }
	g := common.StaticCallee()
	if isReflectType(common) {
		d := (given | a.of(common.Value)) & onAny
		a.mayPanic[i] = d
		result(d)
		return
	}
	if g == nil {
		targets, open := a.targets(i)
		result(a.of(common.Value))
		for _, t := range targets {
			if len(t.Blocks) == 0 || a.lenient && a.isTheirs(i, t, given|a.of(common.Value)) {
				open = true
				continue
			}
			results(a.into(t, common, here|a.of(common.Value)&onAny, true))
		}
		if open {
			d := a.answer(i, nil, given|a.of(common.Value))
			a.unknown(i, d)
			result(d)
		} else {
			a.entered[i] = targets
		}
		return
	}
	name := nameOf(originOf(g))
	switch {
	case name == "errors.New":
		result(0)
	case packageOf(g) != nil && packageOf(g).Path() == "reflect" && a.c.l.owns(packageOf(i.Parent())):
		result(a.reflected(i, g, given, here))
	case a.lenient && (name == "errors.Is" || name == "errors.Unwrap") && (!a.c.unwraps() || a.isTheirError(common.Args[0], map[ssa.Value]bool{})):
		// Which errors the environment put into others, it says.
		result(given&onState | onAnswer)
	case name == "fmt.Errorf":
		d := a.of(common.Args[0])
		if f := staticMessage(common.Args[0]); strings.Contains(f, "%w") || f == anyText {
			for _, x := range variadic(lastOf(common.Args)) {
				d |= a.of(x)
			}
			d |= a.of(lastOf(common.Args))
			if variadic(lastOf(common.Args)) == nil {
				d |= onState
			}
		}
		result(d & onAny)
	case strings.HasPrefix(name, "fmt.Sprint"):
		d := dependence(0)
		for _, x := range variadic(lastOf(common.Args)) {
			d |= a.formatted(x)
		}
		if variadic(lastOf(common.Args)) == nil {
			d = onState
		}
		for _, x := range common.Args[:len(common.Args)-1] {
			d |= a.of(x)
		}
		result(d)
	case strings.HasPrefix(name, "(*strings.Builder).") || strings.HasPrefix(name, "(*bytes.Buffer)."):
		// A buffer of text; which one it is, is not told apart.
		d := given&onAny | here
		for _, x := range common.Args[1:] {
			if s, ok := x.Type().Underlying().(*types.Slice); ok {
				d |= a.elements(x, s.Elem())
			}
			if types.IsInterface(x.Type()) {
				d |= onState
			}
		}
		if a.of(common.Args[0])&intoState != 0 {
			d |= onState
		}
		a.put(builders{}, d)
		if a.bufferMayPanic(i, name, common.Args) {
			a.mayPanic[i] = a.mem[builders{}] & onAny
		}
		result(a.mem[builders{}])
	case strings.HasPrefix(name, "(*internal/godebug.Setting)."):
		a.assumes[conventionSettings] = true
		result(0)
	case packageOf(g) != nil && packageOf(g).Path() == "unicode":
		result(given & onAny) // its tables are for everybody to read
	case name == "unique.Make", name == "(unique.Handle[T]).Value":
		result(given & onAny) // the same for the same value
	case name == "(*sync.Once).Do":
		// What it runs once writes package variables, or the component.
		if f, ok := common.Args[1].(*ssa.Function); !ok || len(f.Params) > 0 || a.of(common.Args[0])&intoState == 0 || a.c.hasPanics(f) {
			a.refuse("it does something once")
		}
	case name == "(*sync.Pool).Get", name == "(*sync.Pool).Put":
		result(onState | intoState)
	case strings.HasPrefix(name, "sync/atomic.") || strings.HasPrefix(name, "(*sync/atomic."):
		if len(common.Args) == 0 || a.of(common.Args[0])&intoState == 0 {
			a.refuse("it has atomic variables of its own")
		}
		if name == "(*sync/atomic.Value).Store" || name == "(*sync/atomic.Value).Swap" || name == "(*sync/atomic.Value).CompareAndSwap" {
			a.mayPanic[i] = onState // what is in there has another type
		}
		result(onState | intoState)
	case strings.HasPrefix(name, "(*sync.Map).") && name != "(*sync.Map).Range":
		if a.of(common.Args[0])&(intoState|intoTheirs) == 0 {
			a.refuse("it has a map of its own")
		}
		if strings.HasPrefix(name, "(*sync.Map).Compare") {
			a.mayPanic[i] = onState // what is in there cannot be compared
		}
		result(onState | intoState)
	case a.first && isLock[name] && a.of(common.Args[0])&(intoState|intoTheirs) == 0:
		// Nobody else has it, or it is for the client to say that it is not held.
	case a.c.isFree(i):
		// It does not wait, and gives the mutex back.
	case strings.HasPrefix(name, "(*sync."):
		a.refuse("it locks")
	case a.lenient && a.isTheirs(i, g, given):
		d := a.answer(i, g, given)
		a.unknown(i, d)
		result(d)
	case len(g.Blocks) > 0:
		if q := a.plainFlow(g); q != nil {
			results(a.plain(q, i, here))
			a.apart[i] = q
			return
		}
		results(a.into(g, common, here, false))
		a.entered[i] = []*ssa.Function{g}
	case isPureAssembly(g):
		d := given
		for _, x := range common.Args {
			if s, ok := x.Type().Underlying().(*types.Slice); ok {
				d |= a.elements(x, s.Elem())
			}
		}
		result(d &^ intoState)
	default:
		d := a.answer(i, g, given)
		a.unknown(i, d)
		result(d)
	}
}

// bufferMayPanic reports whether a method of strings.Builder or bytes.Buffer may panic: where
// something is cut off or made larger by a number that may be wrong, or a Builder may be a copy of
// another.
func (a *argumentFlow) bufferMayPanic(i ssa.CallInstruction, name string, args []ssa.Value) bool {
	switch {
	case name == "(*bytes.Buffer).Truncate":
		k, ok := args[1].(*ssa.Const)
		return !ok || k.Int64() != 0
	case strings.HasSuffix(name, ").Grow") && !notNegative(args[1], map[ssa.Value]bool{}):
		return !a.r.growsRight(i)
	}
	return strings.HasPrefix(name, "(*strings.Builder).") && a.c.copiesBuilders()
}

// notNegative reports whether a number is seen not to be negative: by the convention on
// lengths, sums of these are not. seen are the numbers at hand: one that is computed from itself, in a
// loop, is not negative if what is added to it is not.
func notNegative(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value != nil && v.Int64() >= 0
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		return ok && (b.Name() == "len" || b.Name() == "cap")
	case *ssa.BinOp:
		switch v.Op {
		case token.ADD:
			return notNegative(v.X, seen) && notNegative(v.Y, seen)
		case token.MUL:
			return isFew(v.X) && notNegative(v.Y, seen) || isFew(v.Y) && notNegative(v.X, seen)
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !notNegative(e, seen) {
				return false
			}
		}
		return true
	}
	return false
}

// isFew reports whether a number is a small constant: a multiple by it is a sum of a few.
func isFew(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value != nil && k.Int64() >= 0 && k.Int64() <= 16
}

// copiesBuilders reports whether code copies a value that has a strings.Builder inside.
func (c *compiler) copiesBuilders() bool {
	if c.builderCopies == nil {
		found := false
		for _, fn := range c.reach.fns {
			if pkg := packageOf(fn); pkg != nil && pkg.Path() == "strings" {
				continue
			}
			for _, p := range fn.Params {
				found = found || hasBuilder(p.Type(), 0)
			}
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if v, ok := i.(ssa.Value); ok && hasBuilder(v.Type(), 0) {
						found = true
					}
				}
			}
		}
		c.builderCopies = &found
	}
	return *c.builderCopies
}

// hasBuilder reports whether a value of a type has a strings.Builder inside, not behind a pointer.
func hasBuilder(t types.Type, depth int) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "strings" && n.Obj().Name() == "Builder" {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if depth > 5 || hasBuilder(f.Type(), depth+1) {
				return true
			}
		}
	case *types.Array:
		return hasBuilder(u.Elem(), depth+1)
	case *types.Tuple:
		for v := range u.Variables() {
			if hasBuilder(v.Type(), depth) {
				return true
			}
		}
	}
	return false
}

// hasPanics reports whether code that a function reaches may panic by itself.
func (c *compiler) hasPanics(fn *ssa.Function) bool {
	for _, g := range c.reach.under([]*ssa.Function{fn}) {
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				if c.isSite(c.reach, i, false) {
					return true
				}
			}
		}
	}
	return false
}

// isTheirError reports whether an error is one that code of other packages returned which was
// given none of the component's.
func (a *argumentFlow) isTheirError(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
	case *ssa.ChangeInterface:
		return a.isTheirError(v.X, seen)
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !a.isTheirError(e, seen) })
	case *ssa.Parameter:
		list, known := a.handed(v)
		return known && !slices.ContainsFunc(list, func(x ssa.Value) bool { return !a.isTheirError(x, seen) })
	case *ssa.Extract:
		return a.isTheirError(v.Tuple, seen)
	case *ssa.Call:
		g := v.Call.StaticCallee()
		if g == nil || len(g.Blocks) == 0 {
			return false
		}
		given := dependence(0)
		for _, x := range v.Call.Args {
			given |= a.of(x)
		}
		return given&intoState == 0 && a.isTheirs(v, g, given)
	}
	return false
}

// unwraps reports whether errors of the component's package that the code makes say themselves
// what they are.
func (c *compiler) unwraps() bool {
	for _, t := range c.reach.boxes {
		if !types.Implements(t, errorInterface) {
			continue
		}
		for _, name := range []string{"Is", "As", "Unwrap"} {
			if sel := c.l.prog.MethodSets.MethodSet(t).Lookup(nil, name); sel != nil && (c.l.owns(sel.Obj().Pkg()) || c.l.owns(houseOf(t))) {
				return true
			}
		}
	}
	return false
}

// formatted is what the text depends on that package fmt makes of a value. Methods of the
// client may make it.
func (a *argumentFlow) formatted(x ssa.Value) dependence {
	m, ok := x.(*ssa.MakeInterface)
	if ok {
		if _, basic := m.X.Type().(*types.Basic); basic {
			return a.of(m.X)
		}
	}
	if !a.lenient || ok || a.of(x)&(onState|intoState) != 0 {
		return onState
	}
	a.assumes[conventionFormatted] = true
	return a.of(x) | onAnswer
}

// returned notes what the results of a call depend on.
func (a *argumentFlow) returned(i ssa.CallInstruction, list []dependence) {
	v := i.Value()
	if v == nil {
		return
	}
	if len(list) == 1 {
		a.flow(v, list[0])
	}
	if len(list) < 2 {
		return
	}
	old := a.multi[v]
	if old == nil {
		old = make([]dependence, len(list))
		a.multi[v] = old
	}
	for k, d := range list {
		if old[k]|d != old[k] {
			old[k] |= d
			a.changed = true
		}
	}
}

// isTheirs reports whether a call of a function with a body is the environment's: it is of
// another package, lowering does not follow it, and it is given neither an object that the component
// may have, nor code of its package, nor an error under study. What computes its results from
// its arguments alone is followed instead.
func (a *argumentFlow) isTheirs(i ssa.CallInstruction, g *ssa.Function, given dependence) bool {
	pkg := packageOf(g)
	if pkg == nil || a.c.l.owns(pkg) || len(g.Blocks) == 0 || given&intoState != 0 && a.givesOwn(i) || a.givesCode(i, g) || a.mayGiveWanted(i) {
		return false
	}
	if _, followed := a.r.abroad[g]; followed && a.r.mayBeGiven(i, g) {
		return false
	}
	return !a.c.computes(g)
}

// givesCode reports whether a call may be given code of the component's package: functions,
// or objects with methods.
func (a *argumentFlow) givesCode(i ssa.CallInstruction, g *ssa.Function) bool {
	for _, v := range g.FreeVars {
		if a.r.mayBeOwn(v.Type(), 0) {
			return true
		}
	}
	for _, x := range i.Common().Args {
		t := x.Type()
		if types.IsInterface(t) {
			made, known := a.origins(x, map[ssa.Value]bool{})
			for _, v := range made {
				m, ok := v.(*ssa.MakeInterface)
				known = known && ok && !a.hasOwnMethods(m.X.Type())
			}
			if known {
				continue
			}
		}
		if p, ok := t.Underlying().(*types.Pointer); ok && !a.hasOwnMethods(p) {
			continue
		}
		if a.r.mayBeOwn(t, 0) {
			return true
		}
	}
	return false
}

// hasOwnMethods reports whether objects of a type have methods of the component's package, or
// may lead to some that have. All flows through what is reached have the same answer.
func (a *argumentFlow) hasOwnMethods(t types.Type) bool {
	if known, ok := a.r.ownMethods[t]; ok {
		return known
	}
	seen := map[types.Type]bool{}
	var has func(t types.Type) bool
	has = func(t types.Type) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		for _, u := range []types.Type{t, types.NewPointer(t)} {
			for m := range types.NewMethodSet(u).Methods() {
				if a.c.l.owns(m.Obj().Pkg()) {
					return true
				}
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			return has(u.Elem())
		case *types.Slice:
			return has(u.Elem())
		case *types.Array:
			return has(u.Elem())
		case *types.Struct:
			for f := range u.Fields() {
				if has(f.Type()) {
					return true
				}
			}
			return false
		case *types.Map:
			return has(u.Key()) || has(u.Elem())
		case *types.Basic:
			return u.Kind() == types.UnsafePointer
		}
		return a.r.mayBeOwn(t, 0)
	}
	if a.r.ownMethods == nil {
		a.r.ownMethods = map[types.Type]bool{}
	}
	a.r.ownMethods[t] = has(t)
	return a.r.ownMethods[t]
}

// answer is what the results of a call depend on that is not followed: they are state, or an
// answer if the call is given nothing of it. g is nil if what is called is not known.
func (a *argumentFlow) answer(i ssa.CallInstruction, g *ssa.Function, given dependence) dependence {
	if e := a.r.effects[i]; e != nil && e.stored {
		return onState | intoState
	}
	if !a.lenient || given&intoState != 0 && a.givesOwn(i) || a.mayGiveWanted(i) {
		return onState | intoState
	}
	if g == nil && given&onState != 0 || g != nil && a.c.l.owns(packageOf(g)) {
		return onState | intoState
	}
	d := onAnswer | intoTheirs | given&onState
	for v := range i.Common().Signature().Results().Variables() {
		if a.mayLeadToOwn(v.Type(), 0) {
			d |= intoState
		}
	}
	return d
}

// givesOwn reports whether a call may be given an object of the component's package that the
// component has. Other objects that it has are the environment's, and so is what they answer.
func (a *argumentFlow) givesOwn(i ssa.CallInstruction) bool {
	open := a.open
	defer func() { a.open = open }() // of what the client gives
	common := i.Common()
	list := common.Args
	if common.StaticCallee() == nil {
		list = append([]ssa.Value{common.Value}, list...)
	}
	for k, x := range list {
		if k == 0 && common.IsInvoke() && a.isClients(common) {
			continue
		}
		if a.of(x)&intoState != 0 && (a.of(x)&shared != 0 || a.r.mayBeOwn(x.Type(), 0) || a.mayLeadToOwn(x.Type(), 0) || a.hasOwnMethods(x.Type())) {
			return true
		}
	}
	return false
}

// isClients reports whether the object whose method a call is of is none of the component's package, although one of its types
// may have the method: no object flows there but what clients gave.
func (a *argumentFlow) isClients(call *ssa.CallCommon) bool {
	known, ok := a.r.resolved(call)
	if !ok {
		return false
	}
	for _, fn := range slices.Concat(known.fns, known.late) {
		if a.c.l.owns(packageOf(fn)) {
			return false
		}
	}
	return true
}

// mayGiveWanted reports whether an argument or a result of a call may be an error under study.
func (a *argumentFlow) mayGiveWanted(i ssa.CallInstruction) bool {
	if v := i.Value(); v != nil {
		if a.c.mayBeWanted(v) {
			return true
		}
		if _, tuple := v.Type().(*types.Tuple); tuple {
			for _, u := range *v.Referrers() {
				if e, ok := u.(*ssa.Extract); ok && a.c.mayBeWanted(e) {
					return true
				}
			}
		}
	}
	for _, x := range i.Common().Args {
		if a.c.mayBeWanted(x) {
			return true
		}
	}
	return false
}

// isLock are the calls on locks that return nothing.
var isLock = map[string]bool{"(*sync.Mutex).Lock": true, "(*sync.Mutex).Unlock": true, "(*sync.RWMutex).Lock": true, "(*sync.RWMutex).Unlock": true, "(*sync.RWMutex).RLock": true, "(*sync.RWMutex).RUnlock": true}

// isPureAssembly reports whether a function without a body computes its results from its
// arguments and writes nothing.
func isPureAssembly(g *ssa.Function) bool {
	pkg := packageOf(g)
	if pkg == nil || pkg.Path() != "internal/bytealg" && pkg.Path() != "math" && pkg.Path() != "math/bits" {
		return false
	}
	return g.Signature.Results().Len() > 0
}

// unknown is a call of code that is not known: it may write what it is given.
func (a *argumentFlow) unknown(i ssa.CallInstruction, d dependence) {
	for _, x := range i.Common().Args {
		if _, ok := x.Type().Underlying().(*types.Signature); ok && a.r.mayBeOwn(x.Type(), 0) {
			a.refuse("it gives code away")
			return
		}
	}
	if e := a.r.effects[i]; e != nil && !e.changes && !e.pure {
		// Elements are not what contracts speak of.
		for _, x := range i.Common().Args {
			if u, ok := x.Type().Underlying().(*types.Slice); ok {
				a.put(elementsOf{a.r.id(u.Elem().Underlying())}, d&onAny)
				a.putWithin(u.Elem(), d&onAny)
			}
		}
		return
	}
	if e := a.r.effects[i]; e != nil && !e.changes || i.Common().StaticCallee() != nil && onlyPlain(i.Common().Args) {
		return
	}
	if d &= onAny; a.onlyWritesGiven(i) && a.writesGiven(i, d) {
		a.asks = a.asks || d&onState != 0
		return
	}
	if a.wild|d != a.wild {
		a.wild |= d
		a.changed = true
	}
}

// onlyPlain reports whether values lead to no memory that can be written.
func onlyPlain(list []ssa.Value) bool {
	for _, x := range list {
		if b, ok := x.Type().Underlying().(*types.Basic); !ok || b.Kind() == types.UnsafePointer {
			return false
		}
	}
	return true
}

// targets are the functions that a dynamic call may call; open: others, too.
func (a *argumentFlow) targets(i ssa.CallInstruction) (fns []*ssa.Function, open bool) {
	seen := map[ssa.Value]bool{}
	if made, ok := a.origins(i.Common().Value, seen); ok {
		for n := 0; n < len(made); n++ {
			var fn *ssa.Function
			v := made[n]
			if m, ok := v.(*ssa.MakeInterface); ok && !i.Common().IsInvoke() {
				// A function that was in an interface.
				in, ok := a.origins(m.X, seen)
				if !ok {
					return nil, true
				}
				made = append(made, in...)
				continue
			}
			switch v := v.(type) {
			case *ssa.Function:
				fn = v
			case *ssa.MakeClosure:
				fn = v.Fn.(*ssa.Function)
			case *ssa.MakeInterface:
				fn = a.c.method(v.X.Type(), i.Common().Method)
			}
			if fn == nil || len(fn.Blocks) == 0 {
				return nil, true
			}
			if !slices.Contains(fns, fn) {
				fns = append(fns, fn)
			}
		}
		return fns, false
	}
	known, ok := a.r.resolved(i.Common())
	if !ok {
		return nil, true
	}
	for _, fn := range known.fns {
		if len(fn.Blocks) > 0 {
			fns = append(fns, fn)
		}
	}
	return fns, !known.closed || len(fns) < len(known.fns)
}

// origins are the functions, closures and interfaces that a value may be, if all of them
// are made in the code that is looked at and handed on as arguments.
func (a *argumentFlow) origins(v ssa.Value, seen map[ssa.Value]bool) (all []ssa.Value, ok bool) {
	if seen[v] {
		return nil, true
	}
	seen[v] = true
	from := func(list []ssa.Value) ([]ssa.Value, bool) { return gather(list, seen, a.origins) }
	switch v := v.(type) {
	case *ssa.Function, *ssa.MakeClosure, *ssa.MakeInterface:
		return []ssa.Value{v}, true
	case *ssa.Const:
		return nil, true // a call of nil panics
	case *ssa.ChangeType:
		return from([]ssa.Value{v.X})
	case *ssa.ChangeInterface:
		return from([]ssa.Value{v.X})
	case *ssa.Phi:
		return from(v.Edges)
	case *ssa.Parameter:
		if v.Parent() == a.entry || len(a.passed[v]) == 0 {
			return nil, false
		}
		return from(a.passed[v])
	}
	return nil, false
}

// gather puts together what each of some values may be, if that is known of all.
func gather(list []ssa.Value, seen map[ssa.Value]bool, of func(v ssa.Value, seen map[ssa.Value]bool) ([]ssa.Value, bool)) (all []ssa.Value, ok bool) {
	for _, x := range list {
		more, ok := of(x, seen)
		if !ok {
			return nil, false
		}
		all = append(all, more...)
	}
	return all, true
}

// into is a call of a function with a body; it returns what the results depend on.
func (a *argumentFlow) into(g *ssa.Function, common *ssa.CallCommon, here dependence, dynamic bool) []dependence {
	a.enter(g)
	if a.refused != "" {
		return nil
	}
	for k, p := range g.Params {
		x := argumentOf(common, g, k)
		if k == 0 && dynamic && common.IsInvoke() {
			x = common.Value
		}
		if x == nil {
			a.flow(p, onState|intoState)
		}
		if !slices.Contains(a.passed[p], x) {
			a.passed[p] = append(a.passed[p], x)
			a.changed = true
		}
		if x == nil {
			continue // it may be anything
		}
		d := a.of(x)
		if k == 0 && dynamic && common.IsInvoke() && a.open {
			d |= intoState // it may be an object of the component that an argument holds
		}
		a.flow(p, d)
	}
	if here&^a.control[g] != 0 {
		a.control[g] |= here
		a.changed = true
	}
	list := slices.Clone(a.results[g])
	if dynamic {
		d := a.of(common.Value)
		if _, here := a.origins(common.Value, map[ssa.Value]bool{}); !here {
			for _, v := range g.FreeVars {
				a.flow(v, closed(d))
			}
		}
		for k := range list {
			list[k] |= d & onAny
		}
	}
	return list
}

// closed is what a variable of a function literal depends on that was made somewhere else.
func closed(d dependence) dependence {
	if d != 0 {
		return onState | intoState
	}
	return 0
}

func (a *argumentFlow) builtin(b *ssa.Builtin, args []ssa.Value, here dependence) (d dependence) {
	for _, x := range args {
		d |= a.of(x)
	}
	write := func(elem types.Type, d dependence) {
		a.put(elementsOf{a.r.id(elem.Underlying())}, d)
		a.putWithin(elem, d)
	}
	switch b.Name() {
	case "len", "cap":
		if _, ok := args[0].Type().Underlying().(*types.Chan); ok {
			return d | onState // others may send and receive
		}
		if m, ok := args[0].Type().Underlying().(*types.Map); ok {
			d |= a.inMap(args[0], m)
		}
		if p := deref(args[0].Type()); p != nil {
			d &^= intoState
		}
		return d
	case "append", "copy":
		to, ok := args[0].Type().Underlying().(*types.Slice)
		if !ok || len(args) < 2 {
			return d
		}
		from := a.of(args[1])
		if s, ok := args[1].Type().Underlying().(*types.Slice); ok {
			from = a.elements(args[1], s.Elem())
		}
		write(to.Elem(), from|here|a.of(args[0])&onAny)
		return d
	case "delete":
		m := args[0].Type().Underlying()
		a.put(mapsOf{a.r.id(m)}, d&onAny|here)
	case "clear":
		switch u := args[0].Type().Underlying().(type) {
		case *types.Map:
			a.put(mapsOf{a.r.id(u)}, d&onAny|here)
		case *types.Slice:
			write(u.Elem(), d&onAny|here)
		}
	case "recover":
		return 0 // see onlyArguments
	case "min", "max", "real", "imag", "complex", "print", "println", "ssa:wrapnilchk":
	case "String", "StringData", "SliceData", "Slice":
		if s, ok := args[0].Type().Underlying().(*types.Pointer); ok {
			if b.Name() == "String" && a.c.isOfText(args[0]) {
				return d & onAny // texts do not change
			}
			if b.Name() == "Slice" && d&intoState != 0 && a.fixed(d, func(f *fixedState) bool { return f.isBehind(s.Elem()) && f.areElements(s.Elem()) }) {
				return d // what its elements are is asked where they are read; see elements
			}
			if d&intoState != 0 {
				return onState | intoState
			}
			d |= a.mem[anywhereOf{a.r.id(s.Elem().Underlying())}]
			d |= a.wild
		}
	default:
		return d | onState | intoState
	}
	return d
}

// isOfText reports whether a pointer is to the bytes of a text, or nil: its type has a name that only its own package
// knows, which makes pointers of that type from nothing but what unsafe.StringData returns. Nobody may write
// such bytes.
func (c *compiler) isOfText(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.ChangeType:
			if c.isTextPointer(x.X.Type()) {
				return true
			}
			v = x.X
			continue
		case *ssa.Call:
			b, ok := x.Call.Value.(*ssa.Builtin)
			return ok && b.Name() == "StringData"
		}
		return c.isTextPointer(v.Type())
	}
}

// isTextPointer reports whether pointers of a type are made only from what unsafe.StringData returns.
func (c *compiler) isTextPointer(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !isPointer(t) || n.Obj().Exported() || n.Obj().Pkg() == nil || n.TypeArgs().Len() > 0 {
		return false
	}
	pkg := c.l.prog.Package(n.Obj().Pkg())
	if pkg == nil {
		return false
	}
	use := c.after(pkg)
	if yes, known := use.texts[n.Obj()]; known {
		return yes
	}
	yes := true
	for _, fn := range c.functionsIn(pkg) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				yes = yes && !makesOtherText(i, n)
			}
		}
	}
	use.texts[n.Obj()] = yes
	return yes
}

// makesOtherText reports whether an instruction may make a pointer of a type from something else than unsafe.StringData
// returns: by a conversion to it, by one to or from a pointer to such pointers, or in generic code.
func makesOtherText(i ssa.Instruction, n *types.Named) bool {
	for _, op := range i.Operands(nil) {
		if fn, ok := (*op).(*ssa.Function); ok && slices.ContainsFunc(fn.TypeArgs(), func(t types.Type) bool {
			return strings.Contains(types.TypeString(t, nil), types.TypeString(n, nil))
		}) {
			return true
		}
	}
	switch i.(type) {
	case *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert:
	default:
		return false
	}
	t := i.(ssa.Value).Type()
	if types.Identical(t, n) {
		c, ok := i.(*ssa.ChangeType)
		if !ok {
			return true
		}
		call, ok := c.X.(*ssa.Call)
		if !ok {
			return true
		}
		b, ok := call.Call.Value.(*ssa.Builtin)
		return !ok || b.Name() != "StringData"
	}
	// Through a pointer of another type to a variable of the type, anything is stored there.
	for _, p := range []types.Type{t, (*i.Operands(nil)[0]).Type()} {
		if e := deref(p); e != nil && types.Identical(e, n) {
			return true
		}
	}
	return false
}
