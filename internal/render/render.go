// SPDX-License-Identifier: Apache-2.0

// Package render writes a temporal interface in the formats people and other
// tools read. It is a reader: it sees a [typestate.Interface] and nothing else.
//
// Definitions.
//
// A CELL is a (state, call) pair. It is ALLOWED, FORBIDDEN ("fails" or
// "may-fail") or UNKNOWN. Allowed and unknown cells have EDGES, one per outcome
// or a single one with the outcome "*". An allowed cell without an edge is a
// call that never returns.
//
// A SHEET (sheet.go) is a checked and sorted view of an interface; every
// format but json is written from it, so the order of the lists of an interface
// never shows.
//
// A GUARD is shown inside the call's name, "push[n > 0]", while it is short; a
// longer one is shown by the call's id, "push#2", and spelled out in a LEGEND.
//
// The formats fall into two groups. Pictures and tables (text, dot, mermaid,
// svg, html) show every cell. Languages (aut, fsp, regex, scxml) hold only the words that
// are allowed: they leave forbidden and unknown cells out, and those with
// comments say so.
//
// Whatever text an interface carries (labels, guards, messages), the output is
// well-formed: unprintable characters are shown as Go escapes, the rest is
// quoted as the format requires. Same input, same bytes: layout uses integers
// only, so that no floating-point unit can tell machines apart.
package render

// This file lists the formats. They are values in a list rather than
// implementations of an interface: each is one function.

import (
	"io"

	"github.com/interlock-go/interlock/typestate"
)

// A Format is one way of writing an interface down.
type Format struct {
	Name  string // as on the command line
	Doc   string // one line
	Ext   string // of files, with the dot
	Write func(w io.Writer, i *typestate.Interface, opt Options) error
}

// Options of all formats. The zero value is useful.
type Options struct {
	Columns int // width of text; 0 means 100
	Limit   int // largest number of letters in a regular expression; 0 means 1000

	Checks      bool // text lists the run-time checks that are not covered
	Assumptions bool // text lists what is assumed and what is approximated

	// Lines are some lines of the source around a position, for html; nil, or no lines, if there are none.
	Lines func(at string) []Line
	// Index is a link of html back to a list of pages; "" for none.
	Index string
}

// A Line is a line of source.
type Line struct {
	N    int    `json:"n"`
	Text string `json:"text"`
	Hit  bool   `json:"-"` // the position is in it
}

// Formats returns all formats, the most readable first.
func Formats() []Format {
	return []Format{
		{"text", "table for a terminal", ".txt", writeText},
		{"json", "interface file, format " + typestate.Format, ".json", writeJSON},
		{"svg", "picture with its own layout, light and dark", ".svg", writeSVG},
		{"html", "page to step through it: picture, reasons, evidence; one file", ".html", writeHTML},
		{"dot", "graph for Graphviz", ".dot", writeDot},
		{"mermaid", "state diagram for Mermaid", ".mmd", writeMermaid},
		{"regex", "regular expression of the allowed words", ".regex", writeRegex},
		{"fsp", "finite state process for LTSA, allowed words only", ".lts", writeFSP},
		{"aut", "Aldebaran transition system, allowed words only", ".aut", writeAut},
		{"scxml", "statechart, allowed words only", ".scxml", writeSCXML},
	}
}

// Find returns the format of that name.
func Find(name string) (f Format, ok bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
