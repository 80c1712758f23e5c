// SPDX-License-Identifier: Apache-2.0

package typestate

// This file declares what is claimed of an interface as a whole, and counts what
// is open in it. The counts follow from the cells: the canonical form computes
// them, so that no producer of interfaces can forget one, and a guarantee above
// unknown cells never reads "proved".

import (
	"fmt"
	"strconv"
	"strings"
)

// The values of Guarantees.Safe and Guarantees.Permissive, beside DepthText. The
// zero value is none of them; a reader takes it for GuaranteeUnknown.
const (
	GuaranteeProved  = "proved"  // the judge has checked it
	GuaranteeClaimed = "claimed" // an engine says so, and the judge has not checked it
	GuaranteeOpen    = "open"    // true of the cells that are not unknown, but some are
	GuaranteeUnknown = "unknown" // nobody says so
	GuaranteeNo      = "no"      // it does not hold
)

// The values of Guarantees.Tight, beside GuaranteeClaimed, GuaranteeUnknown and
// GuaranteeNo.
const TightYes = "yes"

// An Assurance says how it is known that an interface has a property. The zero value is
// AssuranceUnknown.
type Assurance uint8

const (
	AssuranceUnknown Assurance = iota // nobody says so
	AssuranceProved                   // the judge has checked it
	AssuranceClaimed                  // an engine says so, and the judge has not checked it
	AssuranceBounded                  // it is checked for words up to Guarantees.Depth calls
	AssuranceOpen                     // true of the cells that are not unknown, but some are
	AssuranceNo                       // it does not hold
)

func (a Assurance) String() string {
	switch a {
	case AssuranceProved:
		return GuaranteeProved
	case AssuranceClaimed:
		return GuaranteeClaimed
	case AssuranceBounded:
		return "checked to a depth"
	case AssuranceOpen:
		return GuaranteeOpen
	case AssuranceNo:
		return GuaranteeNo
	}
	return GuaranteeUnknown
}

// ParseAssurance returns what the file format writes as a guarantee; it is AssuranceUnknown for any other text.
func ParseAssurance(guarantee string) Assurance {
	if _, ok := ParseDepth(guarantee); ok {
		return AssuranceBounded
	}
	if guarantee == TightYes {
		return AssuranceProved
	}
	for a := AssuranceUnknown; a <= AssuranceNo; a++ {
		if a != AssuranceBounded && a.String() == guarantee {
			return a
		}
	}
	return AssuranceUnknown
}

const depthPrefix = "checked to depth "

// DepthText is the guarantee that something holds for words of up to depth calls
// after the constructor.
func DepthText(depth int) string { return depthPrefix + strconv.Itoa(depth) }

// ParseDepth returns the depth of a guarantee that is written by [DepthText].
func ParseDepth(guarantee string) (depth int, ok bool) {
	digits, ok := strings.CutPrefix(guarantee, depthPrefix)
	depth, err := strconv.Atoi(digits)
	if !ok || err != nil || depth < 0 || strconv.Itoa(depth) != digits {
		return 0, false
	}
	return depth, true
}

// Guarantees says what is known of the interface.
type Guarantees struct {
	// Safe and Permissive are "proved", "claimed", "checked to depth k", "open",
	// "no" or "unknown".
	Safe       string `json:"safe"`
	Permissive string `json:"permissive"`
	Tight      string `json:"tight"` // "yes", "claimed", "no" or "unknown"
	Depth      *int   `json:"depth"` // the smallest depth mentioned
	// Open counts the cells that are open; nil if there are none.
	Open *Open `json:"open,omitempty"`
	// Reason says why what is claimed is not proved.
	Reason string `json:"reason,omitempty"`
}

// Open counts the cells of an interface, and those that are open.
type Open struct {
	Cells     int `json:"cells"`     // states times calls that can be made there, and constructors
	Unknown   int `json:"unknown"`   // those whose verdict is unknown
	Uncovered int `json:"uncovered"` // those that a site which was left out could affect
}

// OpenCells counts the cells of i, and those that are open.
func (i *Interface) OpenCells() Open {
	constructors := map[string]bool{} // id -> unknown
	for _, c := range i.Constructors {
		constructors[c.ID] = constructors[c.ID] || c.Verdict == VerdictUnknown.String()
	}
	n := Open{Cells: len(i.States)*len(i.Calls) - len(i.Impossible) + len(constructors), Unknown: len(i.Unknown)}
	for _, unknown := range constructors {
		if unknown {
			n.Unknown++
		}
	}
	type cell struct {
		state int
		call  string
	}
	uncovered := map[cell]bool{}
	for _, u := range i.Uncovered {
		uncovered[cell{u.State, u.Call}] = true
	}
	n.Uncovered = len(uncovered)
	return n
}

// countOpen writes the counts into the guarantees. An interface with unknown cells
// is not permissive on all of them, whatever was said.
func (i *Interface) countOpen() {
	g := &i.Guarantees
	n := i.OpenCells()
	g.Open = nil
	if n.Unknown > 0 || n.Uncovered > 0 {
		g.Open = &n
	}
	if n.Unknown > 0 && g.Permissive != GuaranteeNo && g.Permissive != GuaranteeUnknown {
		g.Permissive = GuaranteeOpen
	}
	g.Depth = g.depth()
}

// depth returns the smallest depth to which something is checked, nil if nothing is.
func (g Guarantees) depth() *int {
	var least *int
	for _, s := range []string{g.Safe, g.Permissive} {
		if depth, ok := ParseDepth(s); ok && (least == nil || depth < *least) {
			least = &depth
		}
	}
	return least
}

// Settled reports that nothing is open: each cell has a verdict, for words of any
// length, that is proved or at least claimed.
func (i *Interface) Settled() bool {
	settled := func(s string) bool { return s == GuaranteeProved || s == GuaranteeClaimed }
	return i.OpenCells().Unknown == 0 && settled(i.Guarantees.Safe) && settled(i.Guarantees.Permissive)
}

// guarantees checks the values, and the counts if they are given.
func (p *problems) guarantees() {
	g := p.Guarantees
	for _, c := range []struct{ name, value string }{{"safe", g.Safe}, {"permissive", g.Permissive}} {
		switch c.value {
		case GuaranteeProved, GuaranteeClaimed, GuaranteeOpen, GuaranteeNo, GuaranteeUnknown:
			continue
		}
		if _, ok := ParseDepth(c.value); !ok {
			p.add(`guarantees.%s: %q is not "proved", "claimed", "checked to depth k", "open", "no" or "unknown"`, c.name, c.value)
		}
	}
	switch g.Tight {
	case TightYes, GuaranteeClaimed, GuaranteeNo, GuaranteeUnknown:
	default:
		p.add(`guarantees.tight: %q is not "yes", "claimed", "no" or "unknown"`, g.Tight)
	}
	switch depth := g.depth(); {
	case depth == nil && g.Depth != nil:
		p.add("guarantees.depth: %d, but nothing is checked to a depth", *g.Depth)
	case depth != nil && (g.Depth == nil || *g.Depth != *depth):
		p.add("guarantees.depth: should be %d, the smallest depth to which something is checked", *depth)
	}
	if n := p.OpenCells(); g.Open != nil && *g.Open != n {
		p.add("guarantees.open: of %d cells %d are unknown and %d uncovered, not %s", n.Cells, n.Unknown, n.Uncovered,
			fmt.Sprintf("%d of %d and %d", g.Open.Unknown, g.Open.Cells, g.Open.Uncovered))
	}
}
