// SPDX-License-Identifier: Apache-2.0

package prog

import "github.com/interlock-go/interlock/internal/term"

// A Program is an open program: scalar state, constructors and methods.
//
// Names of state variables, parameters, results and locals that are visible in
// one method are distinct (no shadowing), so a term's variable is identified by
// its name and sort. All terms are built in Pool.
type Program struct {
	Name  string
	Pool  *term.Pool
	Enums []*term.Enum
	State []*Var
	// Invariants are conditions over the state that hold before every method call.
	// Whoever made the program promises them; engines and judge may use them and
	// do not check them. A program without them means the same.
	Invariants   []*term.Term
	Constructors []*Method // at least one; Implicit if the text declares none
	Methods      []*Method
	Pos          Pos
}

// A Pos is a source position. The zero value is "unknown".
type Pos struct {
	File      string
	Line, Col int
}

// A Type is bool, a signed or unsigned machine integer, or an enum.
type Type struct {
	Sort   term.Sort
	Signed bool // of a bit-vector
}

// A Var is a state variable, parameter, result or local.
type Var struct {
	Name string
	Type Type
	Term *term.Term // the variable as a term of the program's pool
	// Init is the initial value of a state variable (a constant); nil means
	// any value of the type. Parameters have none. Locals and results start
	// at zero; their declared initial values are ordinary assignments.
	Init *term.Term
	Pos  Pos
}

// A Method is a method or constructor: a control-flow automaton.
//
// Locations are 0..Locs-1. Entry is where a call starts, Exit where it returns
// with the values of Results. A location of an error site has no outgoing
// edges: a run that reaches it errs. A run stuck elsewhere (no edge enabled) or
// running for ever does not return and is ignored.
//
// A constructor starts from the declared initial state.
type Method struct {
	Name     string
	Params   []*Var
	Results  []*Var
	Locals   []*Var
	Locs     int
	Entry    int
	Exit     int
	Edges    []Edge // sorted by From; the order among equal From is the order of the text
	Errors   []*ErrorSite
	Implicit bool // the constructor of a text that declares none: returns at once
	Pos      Pos
}

// EdgeKind tells the three kinds of edges apart.
type EdgeKind uint8

const (
	AssignEdge EdgeKind = iota + 1 // Vars := Exprs, simultaneously (none: skip)
	AssumeEdge                     // enabled iff Exprs[0] holds
	HavocEdge                      // Vars[0] := any value of its type
)

// Origin says whose choice a havoc is.
type Origin uint8

const (
	Environment Origin = iota + 1 // the answer of something outside
	Hidden                        // the component's own
	// Guess is no choice of anybody: a value that the code has and the program does not know. Runs with
	// another value than the code's do not exist.
	Guess
)

// An Edge goes from one location to another.
type Edge struct {
	From, To int
	Kind     EdgeKind
	Vars     []*Var
	Exprs    []*term.Term
	Origin   Origin // of a havoc
	Pos      Pos
}

// An ErrorSite is a location that is an error.
type ErrorSite struct {
	Loc     int
	Kind    string // "error" (the default of the text form), "runtime", "panic", ...
	Message string
	// Blamed marks an error that is the environment's fault; it is not an
	// error of the client.
	Blamed bool
	Pos    Pos
}
