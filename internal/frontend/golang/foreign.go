// SPDX-License-Identifier: Apache-2.0

package golang

// This file deals with errors under study that the code of the package does not
// make: a message that is asked for may be that of an error which the environment
// returns. A method that may return such an error is not known to be allowed.

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/typestate"
)

// unanswered returns the methods that may return an error under study which comes
// from elsewhere, with the reason.
func (c *compiler) unanswered(methods []operation, from calls) map[string]string {
	why := ""
	var others map[string]bool // messages of errors of other packages
	for _, m := range c.kinds.messages {
		if !c.answered["message "+m] {
			why = fmt.Sprintf("no code of the package makes an error with the message %q; the environment may return one", m)
			break
		}
		if others == nil {
			others = c.otherMessages()
		}
		for text := range others {
			if m == text {
				why = fmt.Sprintf("an error with the message %q may come from another package", m)
			}
		}
	}
	for _, v := range c.kinds.values {
		if !c.isOwnValue(v) || !c.answered["return "+v] {
			why = fmt.Sprintf("the environment may return %s", v)
		}
	}
	for _, re := range c.kinds.returns {
		if !c.answered["return "+re.String()] {
			why = fmt.Sprintf("no code of the package makes an error with a message like %q; the environment may return one", re)
		}
	}
	out := map[string]string{}
	maps.Copy(out, c.panicsAbroad(methods))
	maps.Copy(out, c.panicsBeside(methods))
	maps.Copy(out, c.disguisedErrors(methods, from))
	if unknown := c.unknownValue(); unknown != "" {
		for i := range methods {
			if slices.ContainsFunc(c.callsOf(methods[i:i+1], nil).methods, returnsError) {
				out[methods[i].name] = unknown
			}
		}
	}
	if why != "" && len(c.kinds.messages)+len(c.kinds.returns) > 0 {
		for m := range c.untold {
			out[m] = "it makes an error of which it is not known what its method Error says"
		}
	}
	for m, q := range c.guessed {
		out[m] = fmt.Sprintf("an error that wraps one of the environment may be the one of %q", q)
	}
	if why != "" {
		for m := range c.foreign {
			out[m] = why
		}
	}
	return out
}

// disguisedErrors returns, by method, why what it returns may be an error under study where
// the program has another value: a function of another package is given such an error and returns one
// that may have it in it, as errors.Join does, or errors.Wrap of many packages (fmt.Errorf is known, but for
// what more than one %w wraps); or such an error was put where values are not followed, in an
// object of others, a channel or a map, and may come from there.
func (c *compiler) disguisedErrors(methods []operation, from calls) map[string]string {
	if !c.kinds.anyReturn() || c.reach == nil {
		return nil
	}
	r := emptyRelevance(c.reach, from)
	r.coarse = newCoarseState(0)
	w := r.wanting(false)
	found := map[*ssa.Function]string{}
	starts, waits := map[*ssa.Function]bool{}, map[*ssa.Function]bool{}
	for _, fn := range c.reach.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if g, ok := i.(*ssa.Go); ok && w.makesIn(g) {
					starts[fn] = true
				}
				waits[fn] = waits[fn] || mayWaitFor(i)
			}
		}
	}
	only := w.suspects(c.reach.under(slices.Concat(from.methods, from.makers, from.chains)), found)
	whys := slices.Sorted(maps.Values(found))
	out := map[string]string{}
	mayGive := func(fn *ssa.Function) bool { return w.gives(fn) || !slices.Contains(w.all, fn) }
	// A pointer that leads to an error, and that came back from others, may be kept until another call returns
	// what it finds there. What is found is one of the errors wherever pointers of its type lead to one, whoever had them. So
	// if no call may return one by the same flow, none does that after this.
	kept := len(w.lent) > 0 && slices.ContainsFunc(from.methods, func(fn *ssa.Function) bool { return returnsError(fn) && mayGive(fn) })
	for i := range methods {
		called := c.callsOf(methods[i:i+1], nil).methods
		if !slices.ContainsFunc(called, returnsError) {
			continue
		}
		strays := c.strayed || slices.ContainsFunc(c.reach.under(called), func(fn *ssa.Function) bool { return c.strays[fn] })
		if strays && c.foreign[methods[i].name] && slices.ContainsFunc(called, mayGive) {
			out[methods[i].name] = "an error of the package that it may return comes from where values are not followed"
		}
		start, wait := false, false
		gives := kept || slices.ContainsFunc(called, mayGive)
		for _, fn := range c.reach.under(called) {
			if why := found[fn]; why != "" && gives && out[methods[i].name] == "" {
				out[methods[i].name] = why
			}
			start, wait = start || starts[fn], wait || waits[fn]
		}
		if len(whys) > 0 && out[methods[i].name] == "" && slices.ContainsFunc(called, only.gives) {
			out[methods[i].name] = whys[0]
		}
		if start && wait && out[methods[i].name] == "" {
			out[methods[i].name] = "a goroutine that the call starts, and may wait for, may make one of the errors"
		}
	}
	return out
}

// suspects finds the instructions of some functions whose values may be errors under study, or lead to one, and are others
// in the program, and notes why, by function. It returns where these values get. Functions that only
// goroutines run do nothing between calls.
//
// A suspect value counts as an error under study from then on, and is followed like the others: further instructions may be
// suspect because of it. In the end a method returns an error in disguise only if it, or what it calls, has a suspect
// value and its results may be errors under study even so (gives), or if one that another method has put somewhere
// may get to its results (what is returned, a flow from nothing but suspects). What is suspect and gets to no result stays inside, or is given to code
// that is not followed and that returns no error which the method returns.
func (w *wanting) suspects(fns []*ssa.Function, found map[*ssa.Function]string) *wanting {
	theirs := w.storedByCallbacks()
	only := w.newWanting(false)
	only.only = true
	seen := map[ssa.Instruction]bool{}
	for again := true; again; {
		again = w.keepMade(fns)
		for _, fn := range fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if seen[i] {
						continue
					}
					why := w.disguises(fn, i)
					if load, ok := i.(*ssa.UnOp); ok && why == "" && len(theirs) > 0 {
						if l := w.at(load.X); load.Op == token.MUL && w.carries(load.Type()) && l != nil && theirs[w.find(l)] {
							why = "code that is not followed may call a function that stores one of the errors"
						}
					}
					if why == "" {
						continue
					}
					seen[i], again = true, true
					if found[fn] == "" {
						found[fn] = why
					}
					for _, flow := range []*wanting{w, only} {
						if call, ok := i.(*ssa.Call); ok {
							mark(flow, flow.theirs, call)
						}
						flow.set(i.(ssa.Value), anywhere)
					}
				}
			}
		}
		w.settled()
	}
	only.settled()
	return only
}

// disguises says why the value of an instruction may be an error under study, or lead to one,
// and another in the program; "" if not.
func (w *wanting) disguises(fn *ssa.Function, i ssa.Instruction) string {
	if w.isLateError(i) {
		return "an object that comes from elsewhere may have one of the errors in it"
	}
	switch i := i.(type) {
	case *ssa.Call:
		if g := w.lateReturns(i); g != nil {
			return fmt.Sprintf("%s may run %s, which may return one of the errors", calledName(i), g.RelString(w.c.l.pkg.Pkg))
		}
		if w.c.l.owns(packageOf(fn)) && w.c.mayDisguise(i) && w.givenDirectly(i) {
			return fmt.Sprintf("an error that %s returns may have one of the errors in it", functionName(i.Call.StaticCallee()))
		}
		if t, ok := foundAs(i); ok && (t != nil && w.hasWithin(t) || t == nil && len(w.locs) > 0) {
			return "what errors.As finds may have one of the errors in it"
		}
		if w.mayReturnKept(i) || w.isCut(i) && w.mayYield(i) {
			return fmt.Sprintf("what %s returns may be one of the errors, which it may have been given", calledName(i))
		}
	case *ssa.UnOp:
		if w.mayStartAsWanted(i) {
			return "what a package variable holds at first may be one of the errors"
		}
		if i.Op == token.MUL && isErrorType(i.Type()) {
			at, field := i.X.(*ssa.FieldAddr)
			if e := elementAt(i.X); e != nil && w.inTables(deref(e.Type())) || field && w.inTables(deref(at.X.Type())) {
				return "what is found in a table of the package may be one of the errors"
			}
			if field && w.soiled[w.id(deref(at.X.Type()))] {
				return "others that run code of the package may have kept one of the errors"
			}
		}
		if i.Op == token.ARROW && w.mayArrive(i.X.Type()) {
			return "what arrives from a channel may have one of the errors in it"
		}
	case *ssa.Field:
		if isErrorType(i.Type()) && w.inTables(i.X.Type()) {
			return "what is found in a table of the package may be one of the errors"
		}
	case *ssa.Select:
		for _, s := range i.States {
			if s.Dir == types.RecvOnly && w.mayArrive(s.Chan.Type()) {
				return "what arrives from a channel may have one of the errors in it"
			}
		}
	case *ssa.Lookup:
		if w.mayBeFound(i.X.Type()) || w.inTables(i.X.Type()) {
			return "what is found in a map may have one of the errors in it"
		}
	case *ssa.Next:
		if m, ok := i.Iter.(*ssa.Range); ok && (w.mayBeFound(m.X.Type()) || w.inTables(m.X.Type())) {
			return "what is found in a map may have one of the errors in it"
		}
	}
	return ""
}

// foundAs reports whether a call looks for an error of a type, and which, if that is known.
func foundAs(call *ssa.Call) (t types.Type, ok bool) {
	g := call.Call.StaticCallee()
	if g == nil {
		return nil, false
	}
	switch nameOf(g) {
	case "errors.As":
		return deref(unboxed(call.Call.Args[1]).Type()), true
	case "errors.AsType":
		return g.Signature.Results().At(0).Type(), true
	}
	return nil, false
}

// mayStartAsWanted reports whether a value is that of a package variable for errors that changes, or is set in a way that is not
// understood, and that may be one of the errors before the first call. What the calls put there is followed.
func (w *wanting) mayStartAsWanted(load *ssa.UnOp) bool {
	g, ok := load.X.(*ssa.Global)
	if !ok || load.Op != token.MUL || !isErrorType(load.Type()) || !w.isWantedGlobal(load) || w.c.sentinel(g) != nil {
		return false
	}
	u := w.c.uses(g)
	v, ok := u.initial[""]
	return u.unknown || ok && !isNilConst(v)
}

// elementAt is the element of a slice or array that an address is in, or nil.
func elementAt(a ssa.Value) *ssa.IndexAddr {
	for {
		switch x := a.(type) {
		case *ssa.FieldAddr:
			a = x.X
		case *ssa.IndexAddr:
			return x
		default:
			return nil
		}
	}
}

// inTables reports whether the initialization of the package, which is not followed, puts errors under
// study into maps of a type, into slices and arrays with elements of it, or into fields of it.
func (w *wanting) inTables(t types.Type) bool {
	has := func(t types.Type) bool {
		return slices.ContainsFunc(w.tables, func(u types.Type) bool { return types.Identical(u, t) })
	}
	if w.tables != nil {
		return has(t)
	}
	w.tables = []types.Type{types.Typ[types.Invalid]}
	for _, fn := range w.c.l.ownRuns() {
		if fn.Synthetic != "package initializer" && !strings.HasPrefix(fn.Name(), "init#") {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.MapUpdate:
					if w.isMade(i.Value, 0) || has(i.Value.Type()) {
						w.tables = append(w.tables, i.Map.Type())
					}
				case *ssa.Store:
					if !w.isMade(i.Val, 0) {
						continue
					}
					if at := elementAt(i.Addr); at != nil {
						w.tables = append(w.tables, deref(at.Type()))
					}
					if at, ok := i.Addr.(*ssa.FieldAddr); ok {
						w.tables = append(w.tables, deref(at.X.Type()))
					}
				}
			}
		}
	}
	return has(t)
}

// mayYield reports whether a result of a call may be an error under study.
func (w *wanting) mayYield(call *ssa.Call) bool {
	if _, tuple := call.Type().(*types.Tuple); !tuple {
		return w.is(call)
	}
	for _, r := range *call.Referrers() {
		if x, ok := r.(*ssa.Extract); ok && w.is(x) {
			return true
		}
	}
	return false
}

// mayArrive reports whether what is received from channels of a type may lead to an error
// under study that the component has sent. Interfaces are followed: what is received may
// be any that was sent.
func (w *wanting) mayArrive(t types.Type) bool {
	elem := t.Underlying().(*types.Chan).Elem()
	switch elem.Underlying().(type) {
	case *types.Interface:
		return false
	case *types.Struct, *types.Array:
		return w.elements[w.element('c', elem)]
	}
	return w.sends(elem) && w.brings(elem, 0)
}

// mayBeFound reports whether the keys or values of maps of a type have errors under study
// within. References are followed: what is found may be any that was put there.
func (w *wanting) mayBeFound(t types.Type) bool {
	m, ok := t.Underlying().(*types.Map)
	if !ok {
		return false
	}
	return !refers(m.Elem()) && w.elements[w.element('v', m.Elem())] || !refers(m.Key()) && w.elements[w.element('k', m.Key())]
}

// isMade reports whether a value is an error under study that the function itself makes or takes
// from a package variable.
func (w *wanting) isMade(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		return isErrorType(v.Type()) && w.isWantedGlobal(v)
	case *ssa.Call:
		return w.isWantedCall(v)
	case *ssa.MakeInterface:
		return w.isWantedType(v, w.locs)
	case *ssa.ChangeInterface:
		return w.isMade(v.X, depth)
	case *ssa.Phi:
		return depth < 3 && slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return w.isMade(e, depth+1) })
	}
	return false
}

// storedByCallbacks returns where functions that only code which is not followed may call store
// errors under study that they make.
func (w *wanting) storedByCallbacks() map[location]bool {
	all := map[location]bool{}
	for _, fn := range w.under(w.callbacks) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				s, ok := i.(*ssa.Store)
				if !ok || !w.isMade(s.Val, 0) {
					continue
				}
				for _, l := range w.parts(s.Addr) {
					if v, ok := l.(*types.Var); !ok || w.carries(v.Type()) {
						all[w.find(l)] = true
					}
				}
			}
		}
	}
	return all
}

// makesIn reports whether a goroutine may make an error under study.
func (w *wanting) makesIn(g *ssa.Go) bool {
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function) bool
	visit = func(fn *ssa.Function) bool {
		if fn == nil || seen[fn] {
			return false
		}
		seen[fn] = true
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.UnOp:
					if isErrorType(i.Type()) && w.isWantedGlobal(i) {
						return true
					}
				case *ssa.MakeInterface:
					if w.isWantedType(i, w.locs) {
						return true
					}
				case *ssa.MakeClosure:
					if visit(i.Fn.(*ssa.Function)) {
						return true
					}
				}
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if made, ok := i.(*ssa.Call); ok && w.isWantedCall(made) {
					return true
				}
				if callee := call.Common().StaticCallee(); callee != nil && w.c.l.owns(packageOf(callee)) && visit(callee) {
					return true
				}
			}
		}
		return false
	}
	if m, ok := g.Call.Value.(*ssa.MakeClosure); ok {
		return visit(m.Fn.(*ssa.Function))
	}
	return visit(g.Call.StaticCallee())
}

// mayWaitFor reports whether an instruction may wait for what a goroutine does.
func mayWaitFor(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Select:
		return true
	case ssa.CallInstruction:
		g := i.Common().StaticCallee()
		return g != nil && g.Name() == "Wait" && packageOf(g) != nil && packageOf(g).Path() == "sync"
	}
	return false
}

// returnsError reports whether an error is among the results of a function.
func returnsError(fn *ssa.Function) bool {
	for v := range fn.Signature.Results().Variables() {
		if isErrorType(v.Type()) {
			return true
		}
	}
	return false
}

// calledName is the name of what is called.
func calledName(i ssa.CallInstruction) string {
	call := i.Common()
	switch g := call.StaticCallee(); {
	case call.IsInvoke():
		return "method " + call.Method.Name()
	case g != nil:
		return functionName(g)
	}
	return "a function"
}

// mayDisguise reports whether a call is one of a function that is not followed, with errors
// among its arguments and its results, and the result is used.
func (c *compiler) mayDisguise(call *ssa.Call) bool {
	g := call.Call.StaticCallee()
	if g == nil || c.l.owns(packageOf(g)) || len(c.reach.targets[call]) > 0 {
		return false
	}
	args := slices.Concat(call.Call.Args, variadic(lastOf(call.Call.Args)))
	switch nameOf(g) {
	case "errors.Is", "errors.As", "errors.AsType":
		return false
	case "fmt.Errorf":
		k, ok := args[0].(*ssa.Const)
		return !ok || strings.Count(constantText(k), "%w") > 1
	}
	if !slices.ContainsFunc(args, func(x ssa.Value) bool {
		if s, ok := x.Type().Underlying().(*types.Slice); ok && isErrorType(s.Elem()) {
			return true
		}
		if m, ok := x.(*ssa.MakeInterface); ok && types.Implements(m.X.Type(), errorInterface) {
			return true
		}
		return types.Implements(x.Type(), errorInterface)
	}) {
		return false
	}
	for _, r := range *call.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Extract:
			if isErrorType(r.Type()) && len(*r.Referrers()) > 0 {
				return true
			}
		default:
			if isErrorType(call.Type()) {
				return true
			}
		}
	}
	return false
}

// otherMessages returns the constant messages of errors that other packages keep
// in variables or types.
func (c *compiler) otherMessages() map[string]bool {
	out := map[string]bool{}
	for _, pkg := range c.l.prog.AllPackages() {
		if c.l.owns(pkg.Pkg) {
			continue
		}
		if fn := pkg.Func("init"); fn != nil {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					call, ok := i.(*ssa.Call)
					if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().RelString(nil) != "errors.New" {
						continue
					}
					if k, ok := call.Call.Args[0].(*ssa.Const); ok {
						out[constantText(k)] = true
					}
				}
			}
		}
		for _, m := range pkg.Members {
			t, ok := m.(*ssa.Type)
			if !ok || types.IsInterface(t.Type()) {
				continue
			}
			if n, ok := t.Type().(*types.Named); !ok || n.TypeParams().Len() > 0 {
				continue
			}
			for _, text := range c.errorTexts(types.NewPointer(t.Type()), false) {
				if len(text) == 1 && text[0].kind == constantPart {
					out[text[0].text] = true
				}
			}
		}
	}
	delete(out, "")
	return out
}

// doubtful makes the cells unknown in which an error of the environment may be one
// under study, and reports whether there are any.
func (r *Result) doubtful(i *typestate.Interface) bool {
	found := false
	for _, k := range i.Constructors {
		// A constructor has no cell in the format: it is said beside the others.
		if at, ok := r.beside[k.Method]; ok {
			i.Approximations = append(i.Approximations, typestate.Approximation{What: notCovered + k.Method + ": a goroutine that it starts may panic", At: at.String()})
			i.Guarantees.Safe = "unknown"
		}
	}
	for _, st := range i.States {
		for _, call := range i.Calls {
			why, ok := r.foreign[call.Method]
			if !ok || i.Verdict(st.ID, call.ID) != typestate.VerdictAllowed {
				continue
			}
			if !slices.ContainsFunc(i.Unknown, func(u typestate.Unknown) bool { return u.State == st.ID && u.Call == call.ID }) {
				i.Unknown = append(i.Unknown, typestate.Unknown{State: st.ID, Call: call.ID, Reason: why})
			}
			found = true
		}
	}
	return found
}
