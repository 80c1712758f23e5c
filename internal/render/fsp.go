// SPDX-License-Identifier: Apache-2.0

package render

// This file writes a process of FSP, the notation of the LTSA tool (Magee and
// Kramer, Concurrency, 2006). States become local processes S0, S1, ...; a call
// becomes an action; a call whose outcome matters in some state becomes one
// action "call.outcome" per outcome, in every state, since to FSP "scan" and
// "scan.true" would be unrelated actions. Calls that are allowed nowhere are
// added to the alphabet, so that composition with a client refuses them.
//
// Mangling. FSP has only identifiers: action names start with a lower-case
// letter, process names with an upper-case one. Of a name, the letters of ASCII,
// the digits and underscores are kept; what stands between them becomes one
// underscore; the first letter is changed to the case it needs. A name that
// then starts otherwise gets the prefix "a_" ("P_" for the process), a keyword
// the suffix "_". If two calls, or two outcomes of one call, get the same name,
// the later one gets the suffix "_2", "_3", ... Changed names are listed in
// comments.

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

func writeFSP(w io.Writer, i *typestate.Interface, _ Options) error {
	s, err := newSheet(i)
	if err != nil {
		return err
	}
	if len(s.starts) == 0 {
		return fmt.Errorf("fsp: no constructor of %s starts it, so there is no first state", s.title())
	}
	a := newActions(s)
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s: %s\n", s.title(), strings.Join(s.guarantees(), ", "))
	if len(s.Unknown) > 0 {
		fmt.Fprintf(&b, "// %s left out\n", plural(len(s.Unknown), "call")+" of unknown verdict")
	}
	for _, c := range a.comments {
		fmt.Fprintf(&b, "// %s\n", c)
	}
	process := "P"
	if s.Component.Name != "" {
		process = mangle(s.Component.Name, 'P')
	}
	// S0, S1, ... are the names of the states; these three have a meaning.
	if process == "STOP" || process == "END" || process == "ERROR" {
		process += "_"
	}
	if rest := strings.TrimPrefix(process, "S"); rest != process && strings.Trim(rest, "0123456789") == "" {
		process += "_"
	}

	if len(s.starts) == 1 {
		fmt.Fprintf(&b, "%s = S%d", process, s.starts[0].state)
	} else {
		var list []string
		for _, st := range s.starts {
			for _, l := range st.letters {
				list = append(list, fmt.Sprintf("%s -> S%d", a.start[l], st.state))
			}
		}
		fmt.Fprintf(&b, "%s = (%s)", process, strings.Join(list, " | "))
	}
	used := map[string]bool{}
	for k := range s.states {
		var list []string
		for _, r := range s.states[k].arrows {
			for _, l := range a.labels(s, r) {
				used[l] = true
				list = append(list, fmt.Sprintf("%s -> S%d", l, r.to))
			}
		}
		body := "STOP"
		if len(list) > 0 {
			slices.Sort(list)
			body = "(" + strings.Join(slices.Compact(list), " | ") + ")"
		}
		fmt.Fprintf(&b, ",\nS%d = %s", k, body)
	}
	var never []string
	for c := range s.calls {
		for _, l := range a.all(c) {
			if !used[l] {
				never = append(never, l)
			}
		}
	}
	if len(never) > 0 {
		fmt.Fprintf(&b, " + {%s}", strings.Join(never, ", "))
	}
	b.WriteString(".\n")
	_, err = w.Write(b.Bytes())
	return err
}

// actions names the actions of a process.
type actions struct {
	call     []string            // by call
	outcome  []map[string]string // by call: nil if its outcomes never matter
	order    [][]string          // by call: the outcomes, in order
	start    map[letter]string   // by constructor, if they are part of the process
	comments []string
}

func newActions(s *sheet) *actions {
	a := &actions{start: map[letter]string{}}
	taken := map[string]bool{}
	fresh := func(taken map[string]bool, name string) string {
		m := mangle(name, 'a')
		for n := 2; taken[m]; n++ {
			m = mangle(name, 'a') + "_" + strconv.Itoa(n)
		}
		taken[m] = true
		return m
	}
	note := func(mangled, original string) {
		if mangled != original {
			a.comments = append(a.comments, mangled+": "+original)
		}
	}
	for _, c := range s.calls {
		m := c.ID
		if isLabel(m) && s.Component.Language == "model" && !taken[m] {
			taken[m] = true // an action as it is
			m = indexed(m)
		} else {
			m = fresh(taken, c.ID)
		}
		a.call = append(a.call, m)
		a.outcome = append(a.outcome, nil)
		a.order = append(a.order, slices.Clone(c.Outcomes))
		if s.Component.Language != "model" || m != indexed(c.ID) {
			note(m, c.name)
		}
	}
	if len(s.starts) > 1 {
		for _, st := range s.starts {
			for n, l := range st.letters {
				a.start[l] = fresh(taken, l.text("_"))
				note(a.start[l], st.names[n])
			}
		}
	}
	for k := range s.states {
		for _, r := range s.states[k].arrows {
			for _, e := range r.entries {
				for _, o := range e.outcomes {
					if a.outcome[e.call] == nil {
						a.outcome[e.call] = map[string]string{}
					}
					if !slices.Contains(a.order[e.call], o) {
						a.order[e.call] = append(a.order[e.call], o)
					}
				}
			}
		}
	}
	for c, m := range a.outcome {
		if m == nil {
			continue
		}
		taken := map[string]bool{}
		for _, o := range a.order[c] {
			m[o] = fresh(taken, o)
			if m[o] != o {
				note(a.call[c]+"."+m[o], s.calls[c].name+"="+printable(o))
			}
		}
	}
	return a
}

// labels returns the actions of the allowed edges of an arrow. An edge for
// every outcome of a call that elsewhere tells outcomes apart is spelled out.
func (a *actions) labels(s *sheet, r arrow) []string {
	var list []string
	for _, e := range r.entries {
		switch {
		case e.unknown:
		case e.outcomes == nil:
			list = append(list, a.all(e.call)...)
		default:
			for _, o := range e.outcomes {
				list = append(list, a.call[e.call]+"."+a.outcome[e.call][o])
			}
		}
	}
	return list
}

// all returns the actions of a call.
func (a *actions) all(c int) []string {
	if a.outcome[c] == nil {
		return []string{a.call[c]}
	}
	var list []string
	for _, o := range a.order[c] {
		list = append(list, a.call[c]+"."+a.outcome[c][o])
	}
	return list
}

var fspKeywords = []string{
	"actions", "animation", "assert", "compose", "const", "constraint", "controls", "deterministic",
	"else", "fluent", "forall", "foreach", "if", "import", "in", "initially", "ltl_property", "menu",
	"minimal", "progress", "property", "range", "rigid", "set", "target", "then", "when",
}

// isLabel says whether a text is an action as FSP has it: names and numbers with dots between.
func isLabel(text string) bool {
	for n, part := range strings.Split(text, ".") {
		_, err := strconv.Atoi(part)
		if part != mangle(part, 'a') && (n == 0 || err != nil || part == "") {
			return false
		}
	}
	return true
}

// indexed writes the numbers of a label as FSP reads them: a.1 is a[1].
func indexed(text string) string {
	first, rest, more := strings.Cut(text, ".")
	for more {
		var part string
		part, rest, more = strings.Cut(rest, ".")
		if _, err := strconv.Atoi(part); err == nil {
			first += "[" + part + "]"
		} else {
			first += "." + part
		}
	}
	return first
}

// mangle makes an identifier of name that starts in the case of first.
func mangle(name string, first byte) string {
	var b []byte
	gap := false // characters were left out since the last one
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			if gap && len(b) > 0 {
				b = append(b, '_')
			}
			b = append(b, byte(r))
			gap = false
		} else {
			gap = true
		}
	}
	upper := first >= 'A' && first <= 'Z'
	switch {
	case len(b) == 0 || b[0] == '_' || b[0] >= '0' && b[0] <= '9':
		b = append([]byte{first, '_'}, b...)
	case upper && b[0] >= 'a':
		b[0] -= 'a' - 'A'
	case !upper && b[0] <= 'Z':
		b[0] += 'a' - 'A'
	}
	if slices.Contains(fspKeywords, string(b)) {
		b = append(b, '_')
	}
	return string(b)
}
