// SPDX-License-Identifier: Apache-2.0

package typestate

// This file declares the content of an interface file as plain data. The JSON
// tags are the file format: every field without omitempty is written always
// and must be present when read (file.go). No field is computed; what is
// derived from the data (verdicts, successors, canonical form) is a function
// in another file, so that a value built by hand is as good as one that was
// read.

// Format is the version string of the file format.
const Format = "interlock/1"

// An Interface is the temporal interface of a component: the content of an
// interface file. Calls, Constructors, States (without labels), Edges,
// Forbidden (state, call, verdict), Unknown (state, call) and Impossible are its core; the
// rest is annotation. Lists are never nil in a canonical interface.
type Interface struct {
	Format         string           `json:"format"`
	Component      Component        `json:"component"`
	Constructors   []Constructor    `json:"constructors"`
	Calls          []Call           `json:"calls"`
	States         []State          `json:"states"`
	Edges          []Edge           `json:"edges"`
	Forbidden      []Forbidden      `json:"forbidden"`
	Unknown        []Unknown        `json:"unknown"`
	Impossible     []Impossible     `json:"impossible,omitempty"`
	Uncovered      []Uncovered      `json:"uncovered"`
	Seen           []Seen           `json:"seen,omitempty"`
	Tested         *Tested          `json:"tested,omitempty"`
	Guarantees     Guarantees       `json:"guarantees"`
	Conventions    []string         `json:"conventions"`
	Contracts      []string         `json:"contracts"`
	Approximations []Approximation  `json:"approximations"`
	Stats          map[string]int64 `json:"stats"` // counts, never times
	Certificate    *Certificate     `json:"certificate,omitempty"`
}

// A Component says what the interface is of.
type Component struct {
	Language string   `json:"language"`
	Name     string   `json:"name"`
	Errors   []string `json:"errors"`           // the error kinds under study
	Program  string   `json:"program"`          // "sha256:..." of the printed program
	Serial   bool     `json:"serial,omitempty"` // the infinite-word reading
	// Lowering says which of the programs of a component in code this is of.
	Lowering *Lowering `json:"lowering,omitempty"`
}

// A Lowering says what of a component's code is in its program. Everything else
// is replaced by choices, or left out. Error sites are numbered in the order in
// which the front end meets them.
type Lowering struct {
	Level   int   `json:"level,omitempty"`  // how little of the code was looked at; 0: all of it
	Sites   int   `json:"sites"`            // in how many steps what error sites depend on is kept; -1: all
	Results int   `json:"results"`          // the same for results
	Plain   bool  `json:"plain,omitempty"`  // results that are numbers are not kept
	Checks  []int `json:"checks,omitempty"` // checks of the run time that are part of it
	Left    []int `json:"left,omitempty"`   // error sites of the code that are not
	// With are the checks of the run time that the code was lowered for besides its
	// explicit errors.
	With []string `json:"with,omitempty"`
	// Opaque are the calls that are not followed to their errors, because their
	// arguments alone decide whether they err.
	Opaque []string `json:"opaque,omitempty"`
	// Favoured are those of Checks of which it was found that a call errs there for sure if the
	// environment and its arguments have it so.
	Favoured []int `json:"favoured,omitempty"`
}

// A Constructor is one (constructor call, outcome) pair and where it leads, or
// a constructor call that is forbidden or unknown.
type Constructor struct {
	ID      string   `json:"id"` // "New", "New#2", ... in guard order
	Method  string   `json:"method"`
	Params  []string `json:"params"`
	Types   []string `json:"types"`
	Guard   string   `json:"guard"`
	Outcome string   `json:"outcome,omitempty"` // "*" iff every feasible outcome leads to the same state
	State   *int     `json:"state"`             // null iff forbidden or unknown, or it never returns
	// Verdict is "allowed", "fails", "may-fail" or "unknown".
	Verdict string      `json:"verdict"`
	Errors  []ErrorSite `json:"errors,omitempty"`
	Witness []Step      `json:"witness,omitempty"`
	Sure    bool        `json:"-"`                // as of Forbidden
	Reason  string      `json:"reason,omitempty"` // why the verdict is unknown
	// Results are the results of the method, if its updates mention one.
	Results []Register `json:"results,omitempty"`
	// Update gives the registers of State their first values.
	Update map[string]string `json:"update,omitempty"`
	// Code makes the object where the name of the method does not say how:
	// statements in which parameters stand by name. Object is its name in them;
	// calls on other objects, such as zw.Close, mention theirs.
	Code   string `json:"code,omitempty"`
	Object string `json:"object,omitempty"`
}

// A Call is a method with a constraint on its arguments.
type Call struct {
	ID       string   `json:"id"` // "m", "m#2", ... in guard order
	Method   string   `json:"method"`
	Params   []string `json:"params"`
	Types    []string `json:"types"` // of the parameters: "bool", "int8", "mode", ...
	Guard    string   `json:"guard"` // over Params and registers, in Go's expression syntax; "true" if unconstrained
	Outcomes []string `json:"outcomes"`
	// Results are the results of the method, if its updates mention one.
	Results []Register `json:"results,omitempty"`
	// Returns says what the parts of an outcome are, for people: the results in the code with
	// their types there. The name is "_" if the code gives none. It is annotation.
	Returns []Register `json:"returns,omitempty"`
}

// A State is a state of the automaton; its index is its id.
type State struct {
	ID        int        `json:"id"`
	Label     string     `json:"label"` // what it means inside the component
	Registers []Register `json:"registers"`
}

// A Register is a value that a state remembers from an earlier call. A name has
// the same type in all states.
type Register struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// An Edge says where an allowed (or unknown) call with an outcome leads.
// Outcome is "*" iff every feasible outcome of the call in that state leads to
// the same state with the same update. Update gives registers of the target
// their values, as expressions over the parameters and results of the call and
// the registers of the source; a register that it does not name keeps its
// value.
type Edge struct {
	From    int               `json:"from"`
	Call    string            `json:"call"`
	Outcome string            `json:"outcome"`
	To      int               `json:"to"`
	Update  map[string]string `json:"update,omitempty"`
}

// A Forbidden cell is a call that errs in a state.
type Forbidden struct {
	State   int         `json:"state"`
	Call    string      `json:"call"`
	Verdict string      `json:"verdict"`      // "fails" or "may-fail"
	To      *int        `json:"to,omitempty"` // where a returned misuse error leaves the component
	Errors  []ErrorSite `json:"errors"`
	Witness []Step      `json:"witness"` // a concrete word from a constructor to the error
	// Sure is set by engines that were asked: the call fails whatever the values are that the program only
	// guesses. It is not stored.
	Sure bool `json:"-"`
}

// An ErrorSite is a place in the component that errs.
type ErrorSite struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	At      string `json:"at"`
}

// A Step is one call of a concrete word.
type Step struct {
	Call    string            `json:"call"` // the method's or constructor's name
	Args    map[string]string `json:"args"`
	Outcome string            `json:"outcome,omitempty"`
	// Results are values that were returned, those that registers remember.
	Results map[string]string `json:"results,omitempty"`
	// Hidden are actions of a model that nobody sees and that happen after the call and before the next.
	Hidden []string `json:"hidden,omitempty"`
}

// An Unknown cell is a call whose verdict is not known; it still has edges.
type Unknown struct {
	State  int    `json:"state"`
	Call   string `json:"call"`
	Reason string `json:"reason"`
}

// An Impossible cell is a call whose guard no arguments satisfy in a state, whatever the
// registers hold there: it cannot be made. It is no verdict, and it has no edges.
type Impossible struct {
	State int    `json:"state"`
	Call  string `json:"call"`
}

// An Uncovered cell names an error site that was left out of the analysis and
// could affect the call in the state.
type Uncovered struct {
	State  int       `json:"state"`
	Call   string    `json:"call"`
	Site   ErrorSite `json:"site"`
	Reason string    `json:"reason"`
}

// An Approximation is a construct of the source that is not modelled exactly.
type Approximation struct {
	What string `json:"what"`
	At   string `json:"at"`
}
