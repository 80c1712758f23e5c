// SPDX-License-Identifier: Apache-2.0

package golang

// This file deals with errors under study that the code of the package does not
// make: a message that is asked for may be that of an error which the environment
// returns. A method that may return such an error is not known to be allowed.

import (
	"fmt"
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
		if own := strings.HasPrefix(v, c.l.pkg.Pkg.Path()+".") || strings.HasPrefix(v, c.l.pkg.Pkg.Name()+"."); !own || !c.answered["return "+v] {
			why = fmt.Sprintf("the environment may return %s", v)
		}
	}
	for _, re := range c.kinds.returns {
		if !c.answered["return "+re.String()] {
			why = fmt.Sprintf("no code of the package makes an error with a message like %q; the environment may return one", re)
		}
	}
	out := map[string]string{}
	maps.Copy(out, c.disguisedErrors(methods, from))
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

// disguisedErrors returns, by method, the function of another package that is given an error under
// study and returns one: what it returns may have that in it, as that of errors.Join has, or
// errors.Wrap of many packages. fmt.Errorf is known, but for what more than one %w wraps.
func (c *compiler) disguisedErrors(methods []operation, from calls) map[string]string {
	if !c.kinds.anyReturn() || c.reach == nil {
		return nil
	}
	found := map[*ssa.Function]*ssa.Call{}
	var w *wanting
	for _, fn := range c.reach.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(*ssa.Call)
				if !ok || found[fn] != nil || packageOf(fn) != c.l.pkg.Pkg || !c.mayDisguise(call) {
					continue
				}
				if w == nil {
					r := emptyRelevance(c.reach, from)
					r.coarse = newCoarseState(0)
					w = r.wanting()
				}
				if w.givenDirectly(call) {
					found[fn] = call
				}
			}
		}
	}
	out := map[string]string{}
	for i := range methods {
		for _, fn := range c.reach.under(c.callsOf(methods[i:i+1], nil).methods) {
			if call := found[fn]; call != nil && out[methods[i].name] == "" {
				out[methods[i].name] = fmt.Sprintf("an error that %s returns may have one of the errors in it", functionName(call.Call.StaticCallee()))
			}
		}
	}
	return out
}

// mayDisguise reports whether a call is one of a function that is not followed, with errors
// among its arguments and its results, and the result is used.
func (c *compiler) mayDisguise(call *ssa.Call) bool {
	g := call.Call.StaticCallee()
	if g == nil || packageOf(g) == c.l.pkg.Pkg || len(c.reach.targets[call]) > 0 {
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
		if pkg == c.l.pkg {
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
			for _, text := range c.errorTexts(types.NewPointer(t.Type())) {
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
	if found && i.Guarantees.Permissive == "proved" {
		i.Guarantees.Permissive = "unknown"
	}
	return found
}
