// SPDX-License-Identifier: Apache-2.0

// Package run learns what a component does by running it.
//
// Definitions.
//
// A DRIVER is a program that makes calls of a component. It is a process of its own: what a
// call does to it, be it a fatal error, an exit or an endless loop, is an answer.
//
// A WORD is a start, which makes an object, and calls on it. Each word has a fresh object. An
// ANSWER has a step for each call that was made. A call that does not return ends the word, and
// so does one that returns an error under study.
//
// A CLASS is what two steps have in common that this package does not tell apart: the
// outcome of a call that returned, or how it ended. A TRACE is a word with the classes of
// its steps.
//
// What is learned here is SEEN, not proved: it is true of the runs that were made.
//
// # Protocol
//
// A driver knows no language of components. It reads orders from file descriptor 3 and writes
// answers to 4, a JSON object a line; its standard streams belong to the component.
//
//	order   {"start": 0, "calls": [3, 1], "limit": 2000, "patient": false, "fields": false}
//	step    {"did": "returned", "text": "true", "error": "...", "studied": "yes"}
//	end     {"end": true, "none": false, "fields": {"closed": "true"}, "last": false}
//
// For each order there is a step for the start and for each call that was made, as soon as it
// ended, and an end. did is "returned", "panicked", "exited" (the thread ended), "blocked" or "memory"
// (the process needs too much); text is the outcome or the message; error is the text of a returned error,
// and studied says "yes" if it is one under study, "guess" if only its text or its name in the package says so.
// limit is in milliseconds, for each call. A driver may say before the limit that a call blocks, if it sees that nothing
// can wake it, unless it is to be patient. none: the start made no object. fields
// are the scalar fields of the object in the end. last: the driver ends, and another
// one is to be started. A driver ends when its orders end.
package run

import "time"

// A Program is a driver and what it can be told to do.
type Program struct {
	Path   string
	Args   []string
	Dir    string   // an empty directory, below which processes have theirs
	Starts int      // how many there are
	Calls  int      // how many there are
	Extra  int      // the last of them, which are tried in each state but are not part of all words
	Fresh  bool     // each word needs a process of its own
	Panics []string // patterns of the messages that are errors under study
	Blocks bool     // a call that blocks errs
	Limit  time.Duration
}

// DefaultLimit is how long a call may take. It is what each word that spins costs.
const DefaultLimit = 2 * time.Second

// A Word is a start and calls, by number.
type Word struct {
	Start int
	Calls []int
}

// The ways in which a call ends.
const (
	Returned = "returned"
	Panicked = "panicked"
	Exited   = "exited"  // its thread, or the process
	Fatal    = "fatal"   // the process died
	Blocked  = "blocked" // it did not end
	Memory   = "memory"  // it needed too much
)

// A Step is what a call did.
type Step struct {
	Did     string `json:"did"`
	Text    string `json:"text"`    // the outcome, or the message
	Error   string `json:"error"`   // that was returned
	Studied string `json:"studied"` // "yes" or "guess" if that is an error under study
}

// An Answer is what became of a word.
type Answer struct {
	Steps  []Step // of the start and the calls that were made
	None   bool   // there was no object
	Fields map[string]string
}
