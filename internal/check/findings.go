// SPDX-License-Identifier: Apache-2.0

package check

// This file reports calls that fail in every state that their object may be in.

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Finding is a call that fails.
type Finding struct {
	Pos, End token.Pos
	Type     string // of the object
	Call     string
	Message  string
	May      bool // it fails in some of the states that are possible
	Seen     bool // the interface says so because it was seen when the type was run
	Related  []Related
}

// A Related is a place that has to do with a finding.
type Related struct {
	Pos     token.Pos
	Message string
}

// judge reports a call, in the last pass; the result says whether its failures are excused.
func (r *run) judge(o *object, t *track, in ssa.CallInstruction, weak bool, do func(c config, shared bool) move) bool {
	if t.lost || len(t.at) == 0 {
		return false
	}
	fails, some, all, again := true, false, 0, true
	var why *reason
	var where []token.Pos
	panics := true
	for _, c := range sorted(t.at) {
		m := do(c, t.isShared(o, c.entry))
		if m.may && (m.fails || !why.definite()) && (why == nil || c.entry == anyEntry) {
			w := m.why
			if why == nil || c.entry == anyEntry {
				why = &w
			}
		}
		if m.may && !m.why.panics {
			panics = false
		}
		if m.fails {
			r.noteFailure(o, in, c.entry, m.why)
		}
		if c.entry != anyEntry {
			continue
		}
		all++
		if m.may {
			some = true
			if !c.failed {
				again = false
			}
			if pos := t.at[c]; pos.IsValid() && !slices.Contains(where, pos) {
				where = append(where, pos)
			}
		}
		fails = fails && m.fails
	}
	if why == nil {
		return false
	}
	if r.excused(in, panics) {
		return true
	}
	if all == 0 || !some || again || weak || r.report == nil {
		return false
	}
	if fails || r.c.may {
		*r.report = append(*r.report, r.finding(o, in, *why, where, !fails))
	}
	return false
}

func (w *reason) definite() bool { return w != nil && !w.seen }

// sorted lists configurations in a fixed order.
func sorted(at map[config]token.Pos) []config {
	var out []config
	for c := range at {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b config) int {
		if n := cmp.Or(cmp.Compare(a.entry, b.entry), cmp.Compare(a.state, b.state), cmp.Compare(a.event, b.event)); n != 0 || a.failed == b.failed {
			return n
		}
		if b.failed {
			return -1
		}
		return 1
	})
	return out
}

// noteFailure remembers a failing call for the summary.
func (r *run) noteFailure(o *object, in ssa.CallInstruction, entry int8, why reason) {
	if r.report == nil {
		return
	}
	k := failureKey{o, entry}
	if old := r.failing[k]; old != nil && old.pos <= in.Pos() {
		return
	}
	f := &Failure{Protocol: o.protocol.Name, State: why.state, Call: why.method, At: r.c.position(in.Pos()), Why: why.says(), Panics: why.panics, Seen: why.seen, pos: in.Pos()}
	if why.inner != nil {
		f.Call, f.At, f.State, f.pos = why.inner.Call, why.inner.At, why.inner.State, in.Pos()
	}
	r.failing[k] = f
}

type failureKey struct {
	o     *object
	entry int8
}

// failed is the first call that fails if the function is entered with an object in a state.
func (r *run) failed(o *object, entry int8) *Failure { return r.failing[failureKey{o, entry}] }

func (c *Checker) position(pos token.Pos) string {
	p := c.fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// says is what the call does.
func (w *reason) says() string {
	switch {
	case w.inner != nil:
		return w.inner.Why
	case w.seen:
		return "it did whenever the type was run"
	case w.forbidden == nil || len(w.forbidden.Errors) == 0:
		return "it fails"
	}
	e := w.forbidden.Errors[0]
	does := "returns the error"
	switch e.Kind {
	case "block":
		return "never returns"
	case "fatal":
		does = "ends the process:"
	case "return", "error":
	default:
		does = "panics:"
	}
	if e.Message == "" {
		return strings.TrimSuffix(does, ":")
	}
	return fmt.Sprintf("%s %q", does, e.Message)
}

// finding words what was found.
func (r *run) finding(o *object, in ssa.CallInstruction, why reason, where []token.Pos, may bool) Finding {
	p := o.protocol
	f := Finding{Pos: in.Pos(), End: in.Pos(), Type: p.Name, Call: why.method, May: may, Seen: why.seen}
	short := p.Name[strings.LastIndexByte(p.Name, '/')+1:]
	verb := "fails"
	if may {
		verb = "may fail"
	}
	label := p.label(why.state)
	state := fmt.Sprintf("where %s", label)
	if label == "true" || label == "" || len(label) > maxLabel {
		state = fmt.Sprintf("in state %d of its protocol", why.state)
	}
	if why.inner != nil {
		f.Call = why.inner.Call
		if fn := calleeOf(in).fn; fn != nil && fn.Parent() != nil && why.inner.pos.IsValid() { // a closure is part of the function
			f.Pos, f.End = why.inner.pos, why.inner.pos
			f.Message = fmt.Sprintf("%s: %s %s here, %s: it %s", short, why.inner.Call, verb, state, why.says())
			if pos := in.Pos(); pos.IsValid() {
				f.Related = append(f.Related, Related{pos, "as it is called here"})
			}
			return f.with(o.root, where)
		}
		f.Message = fmt.Sprintf("%s: %s %s here (%s), %s: it %s", short, why.inner.Call, verb, why.inner.At, state, why.says())
	} else {
		f.Message = fmt.Sprintf("%s: %s %s here, %s: it %s", short, why.method, verb, state, why.says())
	}
	if why.seen {
		f.Message += " (seen, not proved)"
	}
	f = f.with(o.root, where)
	if why.inner != nil && why.inner.pos.IsValid() && why.inner.pos != in.Pos() {
		f.Related = append(f.Related, Related{why.inner.pos, "the call that fails"})
	}
	return f
}

// with adds the places where the object got into its state.
func (f Finding) with(x *root, where []token.Pos) Finding {
	made := map[token.Pos]bool{}
	for leaf := range x.leaves {
		made[leaf.value.Pos()] = true
	}
	slices.Sort(where)
	for _, pos := range where {
		if pos != f.Pos {
			message := "this call brought it there"
			if made[pos] {
				message = "it is made here"
			}
			f.Related = append(f.Related, Related{pos, message})
		}
	}
	return f
}

// maxLabel bounds the length of labels in messages.
const maxLabel = 100

// Findings checks functions of the package.
func (c *Checker) Findings(fns []*ssa.Function) []Finding {
	var out []Finding
	for _, fn := range fns {
		if fn.Blocks == nil {
			continue
		}
		c.summary(fn)
		if r := c.analyze(fn); r != nil {
			r.finish(&out)
		}
	}
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(out, func(a, b Finding) bool { return a.Pos == b.Pos && a.Call == b.Call && a.Type == b.Type })
}

// Summary returns the summary of a function, for other packages; nil if it says nothing.
func (c *Checker) Summary(fn *ssa.Function) *Summary {
	s := c.summary(fn)
	if s == nil || !s.useful() {
		return nil
	}
	return s
}

// useful reports whether callers learn anything from the summary.
func (s *Summary) useful() bool {
	if s.Recovers || s.CallsRecover {
		return true
	}
	for _, e := range s.Effects {
		if !e.Escapes || len(e.Relations) > 0 || e.Recovered {
			return true
		}
	}
	for _, r := range s.Results {
		if r.Input > 0 || len(r.States) > 0 {
			return true
		}
	}
	return false
}
