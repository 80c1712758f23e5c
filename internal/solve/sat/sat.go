// SPDX-License-Identifier: Apache-2.0

// Package sat decides propositional formulas in conjunctive normal form by
// conflict-driven clause learning.
//
// A variable is a number from 0; a [Lit] is a variable or its negation; a
// clause is a disjunction of literals; the formula is the conjunction of the
// clauses added so far, and only ever grows. A question ([Query]) may add
// assumptions, literals that hold for that question only. An unsatisfiable
// question has a core: a subset of its assumptions that already contradicts
// the formula.
//
// The solver assigns literals one by one on the trail. Each decision opens a
// level; level 0 holds what follows from the formula alone. A literal that was
// propagated has a reason, the clause that forced it. A conflict is analysed
// back to the first unique implication point (Marques-Silva and Sakallah 1996,
// Moskewicz et al. 2001), which yields a learnt clause; the number of distinct
// levels in it is its LBD (Audemard and Simon 2009), the measure of its worth.
//
// The cone of a question is the set of variables that it depends on. Only
// variables of the cone are decided, and the answer is Sat as soon as all of
// them are assigned without conflict, because the caller guarantees that every
// such assignment extends to the rest, as it does when the rest are Tseitin
// definitions. A cone is closed if even the clauses over its variables alone
// suffice for that, as they do when it has the operands of every gate in it;
// then nothing outside is propagated either. A question about a few variables
// of a large shared formula then costs what its cone costs: Solve does nothing
// that takes time in the size of the formula, except clean-ups paid for by
// earlier search.
//
// Everything is deterministic: the same calls give the same answers, models,
// cores and counts. Instances share nothing; one instance is not safe for
// concurrent use.
package sat

// This file has the types of the interface and the adding of variables and
// clauses. Searching is in search.go, propagation in propagate.go, learning in
// analyze.go, the clause store in arena.go, its cleaning in reduce.go.

import (
	"fmt"
	"strconv"
)

// A Lit is a literal: 2*v is variable v, 2*v+1 its negation.
type Lit int32

// Pos returns the literal that says variable v is true.
func Pos(v int) Lit { return Lit(v << 1) }

// Neg returns the literal that says variable v is false.
func Neg(v int) Lit { return Lit(v<<1 | 1) }

// Not returns the complement of l.
func (l Lit) Not() Lit { return l ^ 1 }

// Var returns the variable of l.
func (l Lit) Var() int { return int(l >> 1) }

// Sign reports whether l is a negated variable.
func (l Lit) Sign() bool { return l&1 != 0 }

// String returns l as DIMACS writes it: variables from 1, minus for negation.
func (l Lit) String() string { return strconv.Itoa(l.dimacs()) }

func (l Lit) dimacs() int {
	if l.Sign() {
		return -(l.Var() + 1)
	}
	return l.Var() + 1
}

// A Status is the answer to a question. The zero value is Unknown.
type Status uint8

const (
	Unknown Status = iota
	Sat
	Unsat
)

func (s Status) String() string {
	switch s {
	case Sat:
		return "sat"
	case Unsat:
		return "unsat"
	}
	return "unknown"
}

// Options are fixed for the life of a solver. The zero value is usable.
type Options struct {
	Proof ProofWriter // if not nil, receives every derived and deleted clause
}

// A Query is one question about the formula.
type Query struct {
	Assumptions []Lit // hold for this question; earlier ones are decided first
	// Cone lists the variables to decide; nil means all. The caller guarantees
	// that every assignment of them which propagation does not refute extends
	// to a model. Assumptions need not be in it.
	Cone []int
	// Closed is a stronger guarantee, for speed: every assignment of the cone
	// that satisfies the assumptions and the clauses over variables of the cone
	// and level 0 extends to a model. Assumptions must be in the cone.
	// The model need not have values for variables outside.
	Closed bool
	// Budgets of this question alone; 0 is no limit. The search stops at the
	// first point without a conflict after one has run out.
	Conflicts    int64
	Propagations int64
}

// Stats counts work since the solver was made.
type Stats struct {
	Solves       int64
	Conflicts    int64
	Decisions    int64
	Propagations int64 // literals whose watches were visited
	Restarts     int64
	Learnt       int64 // clauses learnt, units and binaries included
	Reductions   int64 // times that the learnt clauses were reduced
	Deleted      int64 // clauses deleted, by reduction or as satisfied for ever
}

// varInfo says how an assigned variable got its value.
type varInfo struct {
	reason uint32 // see arena.go; noReason for decisions
	level  int32
}

// A watch is an entry in the list of a literal: a clause that must be looked at
// when the literal becomes true because it contains the complement.
type watch struct {
	blocker Lit    // another literal of the clause; if true, nothing is to do
	ref     uint32 // clause, or binary: the clause is {complement, blocker}
}

// A Solver is a growing formula with what was learnt about it.
type Solver struct {
	opt   Options
	stats Stats
	ok    bool   // no conflict at level 0 yet
	last  Status // of the last Solve; Unknown once the formula has changed

	// Assignment. vals is indexed by literal: 1 true, -1 false, 0 unassigned.
	vals     []int8
	info     []varInfo
	trail    []Lit
	trailLim []int // trail length before each level's decision
	qhead    int   // trail[qhead:] is not propagated yet

	// Clauses.
	arena   []uint32
	wasted  int // words of arena in deleted clauses
	clauses []uint32
	learnts []uint32
	watches [][]watch // indexed by literal; see watch

	// Decisions.
	activity []float64
	inc      float64
	phase    []int8 // last sign of each variable, 0 positive
	heap     []heapItem
	heapPos  []int32 // position in heap, or see posNone
	heapOn   bool    // every unassigned variable of the cone is in heap or cold
	cold     []int32
	coldNext int // cold[:coldNext] is assigned or in the heap
	inCone   []uint32
	epoch    uint32 // v is in the cone iff inCone[v] == epoch
	cone     []int32
	closed   bool // the cone is; the trail may lack consequences outside

	// The question.
	assumptions []Lit
	core        []Lit
	exhausted   string // budget that ran out in the last Solve

	// Conflict analysis.
	conflict   [2]Lit // literals of a binary conflict
	seen       []int8
	learnt     []Lit
	toClear    []int32
	stack      []frame
	levelStamp []uint32 // indexed by level
	stampNow   uint32

	// Restarts and cleaning; see search.go and reduce.go.
	fast, slow    average
	nextReduce    int64 // conflicts
	reduceStep    int64 // conflicts between the last reduction and the next
	reduceGrow    int64
	simplifiedTop int   // length of the level-0 trail at the last simplification
	simplifyAt    int64 // propagations before the next one
	dirty         []Lit // literals with deleted clauses in their watch lists
	isDirty       []bool
	keys          []uint64
	buf           []Lit
}

// New returns a solver without variables and clauses.
func New(opt Options) *Solver {
	return &Solver{opt: opt, ok: true, inc: 1, nextReduce: firstReduce, reduceStep: firstReduce, reduceGrow: reduceGrow}
}

// NewVar adds a variable and returns it. Models stay readable.
func (s *Solver) NewVar() int {
	v := len(s.info)
	s.vals = append(s.vals, 0, 0)
	s.info = append(s.info, varInfo{})
	s.watches = append(s.watches, nil, nil)
	s.activity = append(s.activity, 0)
	s.phase = append(s.phase, 1)
	s.heapPos = append(s.heapPos, posNone)
	s.inCone = append(s.inCone, 0)
	s.seen = append(s.seen, 0)
	s.isDirty = append(s.isDirty, false, false)
	return v
}

// NumVars returns the number of variables.
func (s *Solver) NumVars() int { return len(s.info) }

// Stats returns the work done so far.
func (s *Solver) Stats() Stats { return s.stats }

// AddClause adds the disjunction of lits to the formula. It returns false if
// the formula is now known to be unsatisfiable without assumptions. The model
// of the last Solve is lost. It does not keep lits.
//
// It panics if a literal is of a variable that was not made.
func (s *Solver) AddClause(lits ...Lit) bool {
	for _, l := range lits {
		if l < 0 || int(l) >= len(s.vals) {
			panic(fmt.Sprintf("sat.AddClause: literal %d of %d variables", int(l), s.NumVars()))
		}
	}
	s.last = Unknown
	if !s.ok {
		return false
	}
	s.cancelUntil(0)

	// Drop what level 0 decides, duplicates and tautologies.
	out := s.buf[:0]
	redundant := false
	for _, l := range lits {
		mark := int8(1 + l&1)
		switch {
		case s.vals[l] > 0 || s.seen[l.Var()] == 3-mark:
			redundant = true
		case s.vals[l] < 0 || s.seen[l.Var()] == mark:
		default:
			s.seen[l.Var()] = mark
			out = append(out, l)
		}
		if redundant {
			break
		}
	}
	for _, l := range out {
		s.seen[l.Var()] = 0
	}
	s.buf = out
	if redundant {
		return true
	}
	if len(out) != len(lits) {
		s.proofAdd(out)
	}
	switch len(out) {
	case 0:
		s.ok = false
	case 1:
		s.assign(out[0], noReason)
		if s.propagate() != noReason {
			s.ok = false
			s.proofAdd(nil)
		}
	case 2:
		s.attachBinary(out[0], out[1])
	default:
		s.clauses = append(s.clauses, s.alloc(out, false, 0))
		s.attach(s.clauses[len(s.clauses)-1])
	}
	return s.ok
}

// Value returns the value of v in the model. A variable that the search did not
// need is false; see [Solver.Assigned].
//
// It panics unless the last call of Solve, with no AddClause or MinimizeCore
// since, returned Sat.
func (s *Solver) Value(v int) bool {
	if s.last != Sat {
		panic("sat.Value: no model")
	}
	return s.vals[Pos(v)] > 0
}

// Assigned reports whether the model gives v a value of its own. Same
// condition as for Value.
func (s *Solver) Assigned(v int) bool {
	if s.last != Sat {
		panic("sat.Assigned: no model")
	}
	return s.vals[Pos(v)] != 0
}

// Core returns the assumptions of the last Solve that contradict the formula,
// in the order of the question; empty if the formula has no model at all. The
// slice is the solver's and valid until the next call.
//
// It panics unless the last call of Solve, with no AddClause since, returned
// Unsat.
func (s *Solver) Core() []Lit {
	if s.last != Unsat {
		panic("sat.Core: no refutation")
	}
	return s.core
}

// Exhausted names the budget that ran out in the last Solve: "conflicts",
// "propagations", or "" if none did.
func (s *Solver) Exhausted() string { return s.exhausted }
