// SPDX-License-Identifier: Apache-2.0

package run

// This file keeps all answers in a tree, in which words share their prefixes. It is
// what the learner asks, and what the counts of an interface come from.

// noObject is the class of a start that made no object.
const noObject = "no object"

// failing ends the class of an error under study.
const failing = "!"

// A Node is a trace. The root is the empty one.
type Node struct {
	parent *Node
	call   int // the start, if the parent is the root
	Class  string
	Step   Step // of the run that showed it first
	Ended  bool // nothing follows: the call did not return, or returned an error under study
	Errs   bool // it is an error under study
	Guess  bool // only the name or the text of the error says so
	depth  int  // calls after the start; -1 for the root
	edges  map[int]*edge
}

// An edge is what was seen of one call after a trace.
type edge struct {
	runs int
	next []*Node // one for each class, in the order in which they were seen
	tell bool    // somebody was told that a class is not among them
}

// A letter is a call with a class of results.
type letter struct {
	start bool
	call  int
	class string
}

// A tree holds the answers.
type tree struct {
	root     *Node
	letters  []letter // all that were seen
	number   map[letter]int
	traces   int
	unstable int // edges with several classes
	revised  int // how often a class was seen of which somebody was told that it is not
}

func newTree() *tree {
	return &tree{root: &Node{depth: -1, edges: map[int]*edge{}}, number: map[letter]int{}}
}

// record adds an answer.
func (t *tree) record(w Word, a Answer, errs func(Step) (errs, guess bool)) {
	n := t.root
	for k, s := range a.Steps {
		call := w.Start
		if k > 0 {
			call = w.Calls[k-1]
		}
		e := n.edge(call)
		e.runs++
		is, guess := errs(s)
		class := s.Text
		switch {
		case k == 0 && s.Did == Returned && (a.None || s.Error != ""):
			class = noObject
		case s.Did != Returned:
			class = s.Did
		}
		ended := s.Did != Returned || is || class == noObject
		if is {
			class += failing
		}
		next := e.class(class)
		if next == nil {
			if len(e.next) > 0 {
				t.unstable++
			}
			if e.tell {
				t.revised++
			}
			next = &Node{parent: n, call: call, Class: class, Step: s, Ended: ended, Errs: is, Guess: guess, depth: n.depth + 1, edges: map[int]*edge{}}
			e.next = append(e.next, next)
			t.traces++
			l := letter{k == 0, call, class}
			if _, ok := t.number[l]; !ok {
				t.number[l] = len(t.letters)
				t.letters = append(t.letters, l)
			}
		}
		if n = next; ended {
			return
		}
	}
}

func (n *Node) edge(call int) *edge {
	e := n.edges[call]
	if e == nil {
		e = &edge{}
		n.edges[call] = e
	}
	return e
}

func (e *edge) class(class string) *Node {
	for _, n := range e.next {
		if n.Class == class {
			return n
		}
	}
	return nil
}

// settled reports whether enough was seen of a call after a trace to say that no other class can happen there.
// Unstable says that a call of the trace, or this one, has shown several.
func (e *edge) settled(unstable bool) bool { return e.runs >= repeats || e.runs > 0 && !unstable }

// Word is the word of the trace.
func (n *Node) Word() Word {
	calls := make([]int, max(0, n.depth))
	for ; n.depth > 0; n = n.parent {
		calls[n.depth-1] = n.call
	}
	return Word{n.call, calls}
}

// known reports whether a word would show nothing new: all of its calls were made in all the ways in
// which the tree goes, those with several classes so many times.
func (n *Node) known(calls []int, repeats int) bool {
	if n.Ended || len(calls) == 0 {
		return true
	}
	e := n.edges[calls[0]]
	if e == nil || e.runs == 0 || len(e.next) > 1 && e.runs < repeats {
		return false
	}
	for _, next := range e.next {
		if !next.known(calls[1:], repeats) {
			return false
		}
	}
	return true
}

// ordered are the calls that were made after a trace, in order.
func (n *Node) ordered(calls int) (list []int) {
	for c := range calls {
		if e := n.edges[c]; e != nil && len(e.next) > 0 {
			list = append(list, c)
		}
	}
	return list
}
