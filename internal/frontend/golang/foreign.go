// SPDX-License-Identifier: Apache-2.0

package golang

// This file deals with errors under study that the code of the package does not
// make: a message that is asked for may be that of an error which the environment
// returns. A method that may return such an error is not known to be allowed.

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/typestate"
)

// unanswered returns the methods that may return an error under study which comes
// from elsewhere, with the reason.
func (c *compiler) unanswered() map[string]string {
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
