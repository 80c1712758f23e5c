// SPDX-License-Identifier: Apache-2.0

package fsp

// This file has the syntax trees.

// expr is an expression over integers (and labels, in comparisons).
type expr struct {
	Pos
	op   string // "int", "name", "label", "count", "select", or an operator
	n    int64
	name string
	args []*expr
	set  *labels // of "label", "count" and "select"
}

// A labels is one element of a set of labels, or the action of a choice: parts that are
// concatenated, each of which may stand for several texts and bind a variable.
type labels struct {
	Pos
	parts []labelPart
}

type labelPart struct {
	Pos
	kind   partKind
	name   string // of a plain name; variable that is bound, or ""
	lo, hi *expr  // of a range; lo alone of an index
	set    *labelSet
}

type partKind uint8

const (
	plainName partKind = iota
	index              // [e]
	ranged             // [lo..hi] or [v:lo..hi]
	oneOf              // {...}, a set, [S] or [v:S]
)

// labelSet is {a, b, ...}, the name of a set, or left \ right.
type labelSet struct {
	Pos
	name     string
	elements []*labels
	minus    *labelSet
}

// body is what a process does next.
type body struct {
	Pos
	// One of these: choices; a condition with two branches; a reference.
	choices []*choice
	cond    *expr
	then    *body
	other   *body
	seq     []*reference // processes that run before the reference
	name    string
	indices []*expr
	// free are the variables that the choices mention and do not bind, sorted.
	free []string
}

type choice struct {
	Pos
	guard  *expr
	action *labels
	next   *body
}

// reference is a process with arguments.
type reference struct {
	Pos
	name string
	args []*expr
}

// local is one definition of a process; the first has no indices.
type local struct {
	Pos
	name    string
	indices *labels // only parts that are indices or ranges
	body    *body
}

type relabel struct {
	Pos
	forall *labels // ranges that bind variables, or nil
	inner  []*relabel
	to     *labels
	from   *labels
}

type param struct {
	Pos
	name  string
	value *expr
}

// process is a definition of a sequential process.
type process struct {
	Pos
	name     string
	params   []param
	locals   []*local
	extend   *labelSet
	relabels []*relabel
	hidden   *labelSet
	expose   bool // hidden is what stays visible
	property bool
	minimal  bool
}

// composite is a definition of a parallel composition.
type composite struct {
	Pos
	name     string
	params   []param
	body     *parallel
	hidden   *labelSet
	expose   bool
	property bool
	minimal  bool
}

// parallel is a part of a composition.
type parallel struct {
	Pos
	share    *labels // label::
	prefix   *labels // label:
	single   *reference
	parts    []*parallel
	cond     *expr
	then     *parallel
	other    *parallel
	forall   *labels
	relabels []*relabel
}
