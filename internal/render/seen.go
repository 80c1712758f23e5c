// SPDX-License-Identifier: Apache-2.0

package render

// This file shows what was seen when a component was run. People see no edges for outcomes that no run
// showed, nor the states of which nothing is known that only those lead to.

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/typestate"
)

// seenMark stands behind a call that is seen and not proved, as the question mark does behind one that is
// unknown.
const seenMark = "~"

// withoutUnseen leaves out the edges of outcomes that no run showed, and says which states
// only they lead to.
func withoutUnseen(i *typestate.Interface) (_ *typestate.Interface, unreached map[int]bool) {
	if i.Tested == nil {
		return i, nil
	}
	unknown, seen := map[int]int{}, map[int]map[string]bool{}
	for _, u := range i.Unknown {
		unknown[u.State]++
	}
	for _, s := range i.Seen {
		if seen[s.State] == nil {
			seen[s.State] = map[string]bool{}
		}
		seen[s.State][s.Call] = true
	}
	unreached = map[int]bool{}
	for _, s := range i.States {
		if seen[s.ID] == nil && unknown[s.ID] == len(i.Calls) {
			unreached[s.ID] = true
		}
	}
	i = i.Clone()
	i.Edges = slices.DeleteFunc(i.Edges, func(e typestate.Edge) bool { return seen[e.From][e.Call] && unreached[e.To] })
	for _, e := range i.Edges {
		if e.From != e.To {
			delete(unreached, e.To)
		}
	}
	for _, c := range i.Constructors {
		if c.State != nil {
			delete(unreached, *c.State)
		}
	}
	i.Unknown = slices.DeleteFunc(i.Unknown, func(u typestate.Unknown) bool { return unreached[u.State] })
	i.Edges = slices.DeleteFunc(i.Edges, func(e typestate.Edge) bool { return unreached[e.From] })
	return i, unreached
}

// seenErrors are rows of the calls that erred in runs, with what they did.
func (s *sheet) seenErrors(st *state) (rows []row) {
	g := newGroups()
	for _, c := range s.calls {
		e, ok := st.seen[c.ID]
		if !ok || e.Erred == 0 {
			continue
		}
		text := "seen to fail"
		if e.Erred < e.Words {
			text = fmt.Sprintf("seen to fail in %d of %s", e.Erred, plural(e.Words, "word"))
		}
		text += ": " + e.Did
		g.add(printable(text), c.name+seenMark)
	}
	for _, k := range g.keys {
		rows = append(rows, row{g.names[k], k})
	}
	return rows
}

// seenLast are the calls that never erred in runs, and after which nothing was seen.
func (s *sheet) seenLast(st *state) (names []string) {
	for _, c := range s.calls {
		e, ok := st.seen[c.ID]
		arrow := slices.ContainsFunc(st.arrows, func(a arrow) bool {
			return slices.ContainsFunc(a.entries, func(e entry) bool { return s.calls[e.call].ID == c.ID })
		})
		if ok && e.Erred == 0 && !arrow {
			names = append(names, c.name+seenMark)
		}
	}
	return names
}

// tested says how the component was run; "" if it was not.
func (s *sheet) tested() string {
	t := s.Tested
	if t == nil {
		return ""
	}
	text := fmt.Sprintf("run: %s, all to length %d, ", plural(t.Words, "word"), t.Depth)
	if t.Stopped == "" {
		text += fmt.Sprintf("every state with %s (W-method)", plural(t.Extra, "extra state"))
	} else {
		text += "stopped because " + printable(t.Stopped)
	}
	unseen := s.Unseen()
	if len(s.Seen)+unseen == 0 {
		return text + "; nothing else was seen"
	}
	return text + fmt.Sprintf("; of the cells that are not proved %d are seen (%s), %d are not", len(s.Seen), seenMark, unseen)
}

// allSeen reports whether all calls of an arrow are seen, and not proved.
func allSeen(list []entry) bool {
	return !slices.ContainsFunc(list, func(e entry) bool { return !e.run })
}

// lineLegend says what the lines of a picture mean; nil if the component was not run.
func (s *sheet) lineLegend() []string {
	if s.Tested == nil {
		return nil
	}
	list := []string{seenMark + ", dotted: seen when the type was run, not proved"}
	if s.Unseen() > 0 {
		list = append(list, "?, dashed: unknown, and not seen")
	}
	return list
}
