// SPDX-License-Identifier: Apache-2.0

package interlock

import (
	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/engine/explicit"
	"github.com/interlock-go/interlock/internal/engine/papers"
	"github.com/interlock-go/interlock/internal/synth"
)

// An Engine is a way to find an interface. All engines give the same verdicts, or refuse what they cannot do.
// The settings of an engine are the fields of its type.
type Engine interface {
	String() string // its name
	choose(*synth.Strategy)
}

// The engines. 'interlock help engines' says what they do.
type (
	Auto     struct{ Learner Learner } // a fixed schedule of the others
	Direct   struct{}                  // explores all states
	Learn    struct{ Learner Learner } // asks membership and equivalence questions
	Hide     struct{}                  // hides variables until a trace needs them
	Cegar    struct{}                  // predicate abstraction with refinement
	Symbolic struct {                  // learns by symbolic execution
		Learner Learner
		// Depth, if positive, is how long the words are that the conjecture is compared with, and no more is claimed.
		Depth int
	}
	Abstract struct { // learns the interface of the abstraction by given predicates
		Learner Learner
		// Predicates are conditions over the state variables, in the text form.
		Predicates []string
		Superset   Superset
	}
	Witness struct { // refines two abstractions
		Predicates []string // that both start with
	}
)

func (Auto) String() string     { return "auto" }
func (Direct) String() string   { return "direct" }
func (Learn) String() string    { return "learn" }
func (Hide) String() string     { return "hide" }
func (Cegar) String() string    { return "cegar" }
func (Symbolic) String() string { return "symbolic" }
func (Abstract) String() string { return "abstract" }
func (Witness) String() string  { return "witness" }

func (e Auto) choose(s *synth.Strategy)   { s.Engine, s.Learner = e.String(), e.Learner.String() }
func (e Direct) choose(s *synth.Strategy) { s.Engine = e.String() }
func (e Learn) choose(s *synth.Strategy)  { s.Engine, s.Learner = e.String(), e.Learner.String() }
func (e Hide) choose(s *synth.Strategy)   { s.Engine = e.String() }
func (e Cegar) choose(s *synth.Strategy)  { s.Engine = e.String() }
func (e Symbolic) choose(s *synth.Strategy) {
	s.Engine, s.Learner, s.Depth = e.String(), e.Learner.String(), e.Depth
}
func (e Abstract) choose(s *synth.Strategy) {
	s.Engine, s.Learner, s.Predicates, s.Superset = e.String(), e.Learner.String(), e.Predicates, e.Superset.String()
}
func (e Witness) choose(s *synth.Strategy) { s.Engine, s.Predicates = e.String(), e.Predicates }

// Engines lists the engines without settings, the default first.
func Engines() []Engine {
	return []Engine{Auto{}, Direct{}, Learn{}, Hide{}, Cegar{}, Symbolic{}, Abstract{}, Witness{}}
}

// Describe says what an engine, learner or prover does, in a line.
func Describe(what interface{ String() string }) string {
	name := what.String()
	switch what.(type) {
	case Engine:
		for _, e := range engine.Engines() {
			if e.Name == name {
				return e.Doc
			}
		}
	case Learner:
		for _, l := range explicit.Learners() {
			if l.Name == name {
				return l.Doc
			}
		}
	case Prover:
		return map[string]string{
			synth.Embedded: "the invariants that the engine found",
			synth.Spacer:   "invariants that z3's Spacer finds for the interface, as a system of Horn clauses; z3 must be installed",
		}[name]
	}
	return ""
}

// A Learner is an algorithm of the engines that learn.
type Learner uint8

// The learners, as [Describe] describes them.
const (
	LStar Learner = iota
	TTT
	LSharp
)

func (l Learner) String() string { return named(int(l), learnerNames()) }

func learnerNames() (names []string) {
	for _, l := range explicit.Learners() {
		names = append(names, l.Name)
	}
	return names
}

// A Superset is how engine [Abstract] asks whether a hypothesis allows enough.
type Superset uint8

const (
	ExactSuperset   Superset = iota // by matching sets of states
	OneStepSuperset                 // by the next step, as JIST does
)

func (s Superset) String() string { return named(int(s), papers.Supersets()) }

// A Prover finds the invariants of certificates.
type Prover uint8

const (
	EngineInvariants Prover = iota // those that the engine found
	SpacerInvariants               // those that z3's Spacer finds; z3 must be installed
)

func (p Prover) String() string { return named(int(p), []string{synth.Embedded, synth.Spacer}) }

// A Convention is something that is assumed of components. An interface lists those that were needed.
type Convention uint8

const (
	// NoWrap: a counter of 32 bits or more, set only to constants and changed only by constant steps, does
	// not come near the ends of its range.
	NoWrap Convention = iota
	// LoopsEnd: where no ranking function shows that the loops of a method end, they end, if
	// a call then errs that some run shows to err.
	LoopsEnd
)

func (c Convention) String() string { return named(int(c), []string{"no-wrap", "ends"}) }

// named is the name of a number in a list; "unknown" if there is none.
func named(n int, names []string) string {
	if n < len(names) {
		return names[n]
	}
	return "unknown"
}
