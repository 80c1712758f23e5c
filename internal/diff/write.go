// SPDX-License-Identifier: Apache-2.0

package diff

// This file writes reports: for a terminal, for a release note, and for programs.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Formats are the names of the formats, the default first.
func Formats() []string { return []string{"text", "json", "markdown"} }

// Write writes a report in a format.
func (r Report) Write(format string) ([]byte, error) {
	switch format {
	case "", "text":
		return r.text(), nil
	case "markdown":
		return r.markdown(), nil
	case "json":
		return r.json()
	}
	return nil, fmt.Errorf("no format %q", format)
}

func (r Report) json() ([]byte, error) {
	for _, list := range []*[]Change{&r.Lost, &r.Gained, &r.Errs, &r.Undecided} {
		*list = append([]Change{}, *list...)
	}
	r.Removed, r.Added = append([]Member{}, r.Removed...), append([]Member{}, r.Added...)
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	err := e.Encode(r)
	return w.Bytes(), err
}

// maxPlaces is how many places of a change are written for people; json has all.
const maxPlaces = 3

// A part is a list of changes under a title.
type part struct {
	title   string
	changes []Change
	say     func(c Change, mark func(string) string) string
}

func (r Report) parts() []part {
	return []part{
		{"No longer allowed", r.Lost, func(c Change, _ func(string) string) string {
			return "now " + does(c.New, c.NewErrors) + "; it was allowed"
		}},
		{"Newly allowed", r.Gained, func(c Change, _ func(string) string) string {
			return "is allowed now; " + was(c.Old, c.OldErrors)
		}},
		{"Errs differently", r.Errs, func(c Change, _ func(string) string) string {
			return "now " + does(c.New, c.NewErrors) + "; " + was(c.Old, c.OldErrors)
		}},
		{"Unknown in one version (not counted)", r.Undecided, func(c Change, _ func(string) string) string {
			text := "was " + does(c.Old, c.OldErrors) + ", is " + does(c.New, c.NewErrors)
			if c.Reason != "" {
				text += " (" + c.Reason + ")"
			}
			return text
		}},
	}
}

// does says what a call with a verdict does, in the present.
func does(verdict, errors string) string {
	if errors != "" {
		return verdict + ": " + errors
	}
	return verdict
}

// was says the same of the old version.
func was(verdict, errors string) string {
	word := map[string]string{"fails": "it failed", "may fail": "it might fail", "allowed": "it was allowed"}[verdict]
	if errors != "" {
		return word + ": " + errors
	}
	return word
}

// headline is the answer in one line.
func (r Report) headline() string {
	switch r.Answer {
	case AnswerLost:
		return "incompatible: something that was allowed is not"
	case AnswerKept:
		if len(r.Gained)+len(r.Errs)+len(r.Removed)+len(r.Added)+len(r.Undecided) == 0 {
			return "compatible: no difference"
		}
		return "compatible: what was allowed still is"
	}
	return "undecided: nothing that was allowed is known to be forbidden, but not everything is known"
}

func (r Report) text() []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "%s → %s\n%s\n", r.Old, r.New, r.headline())
	for _, m := range []struct {
		title string
		list  []Member
	}{{"Removed", r.Removed}, {"Added", r.Added}} {
		if len(m.list) > 0 {
			fmt.Fprintf(&w, "\n%s\n", m.title)
			for _, x := range m.list {
				fmt.Fprintf(&w, "  %s\n", memberText(x, m.title, same))
			}
		}
	}
	for _, p := range r.parts() {
		if len(p.changes) == 0 {
			continue
		}
		fmt.Fprintf(&w, "\n%s\n", p.title)
		for _, c := range p.changes {
			fmt.Fprintf(&w, "  %s %s\n", c.Call, p.say(c, same))
			for k, place := range c.Places {
				if k == maxPlaces {
					fmt.Fprintf(&w, "    and in %d more\n", len(c.Places)-k)
					break
				}
				if text := place.text(same); text != "" {
					fmt.Fprintf(&w, "    %s\n", text)
				}
			}
		}
	}
	if tail := r.tail(); len(tail) > 0 {
		fmt.Fprintf(&w, "\nNot compared\n")
		for _, line := range tail {
			fmt.Fprintf(&w, "  %s\n", line)
		}
	}
	return w.Bytes()
}

func same(s string) string { return s }

// tail lists what was not compared.
func (r Report) tail() []string {
	out := append([]string{}, r.Reasons...)
	if r.Both == 1 {
		out = append(out, "1 pair of cells is unknown in both versions")
	} else if r.Both > 1 {
		out = append(out, fmt.Sprintf("%d pairs of cells are unknown in both versions", r.Both))
	}
	return out
}

func memberText(m Member, title string, mark func(string) string) string {
	text := "method " + mark(m.Name)
	if m.Constructor {
		text = "constructor " + mark(m.Name)
	}
	if title == "Removed" && !m.Allowed {
		text += ", which was never allowed"
	}
	return text
}

// text says how one gets to a place, and what it means.
func (p Place) text(mark func(string) string) string {
	if p.Old == "" && p.New == "" {
		return ""
	}
	var calls []string
	for _, c := range p.Word {
		calls = append(calls, mark(c))
	}
	text := "after " + strings.Join(calls, ", ")
	if p.Old == p.New {
		return text + " (" + mark(p.New) + ")"
	}
	return text + " (" + mark(p.New) + "; before: " + mark(p.Old) + ")"
}

func (r Report) markdown() []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "## %s → %s\n\n%s.\n", plain(r.Old), plain(r.New), sentence(r.headline()))
	for _, m := range []struct {
		title string
		list  []Member
	}{{"Removed", r.Removed}, {"Added", r.Added}} {
		if len(m.list) > 0 {
			fmt.Fprintf(&w, "\n### %s\n\n", m.title)
			for _, x := range m.list {
				fmt.Fprintf(&w, "- %s\n", sentence(memberText(x, m.title, code)))
			}
		}
	}
	for _, p := range r.parts() {
		if len(p.changes) == 0 {
			continue
		}
		fmt.Fprintf(&w, "\n### %s\n\n", p.title)
		for _, c := range p.changes {
			fmt.Fprintf(&w, "- %s %s.\n", code(c.Call), plain(p.say(c, code)))
			for k, place := range c.Places {
				if k == maxPlaces {
					fmt.Fprintf(&w, "  - and in %d more\n", len(c.Places)-k)
					break
				}
				if text := place.text(code); text != "" {
					fmt.Fprintf(&w, "  - %s\n", text)
				}
			}
		}
	}
	if tail := r.tail(); len(tail) > 0 {
		fmt.Fprintf(&w, "\n### Not compared\n\n")
		for _, line := range tail {
			fmt.Fprintf(&w, "- %s\n", plain(line))
		}
	}
	return w.Bytes()
}

// code puts a text between as many backquotes as it needs.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// plain keeps Markdown from reading a text as anything else.
func plain(s string) string {
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "<", "\\<", "`", "\\`", "[", "\\[", "\n", " ").Replace(s)
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
