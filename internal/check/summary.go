// SPDX-License-Identifier: Apache-2.0

package check

// This file computes summaries: what callers of a function may know of it.

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
	"golang.org/x/tools/go/ssa"
)

// A Summary says what a function does to the objects that it is handed, and where those that it returns come from.
// It is plain data: packages hand it on as a fact.
type Summary struct {
	Effects []Effect // of the receiver, the parameters and the captured variables; one that is missing escapes
	Results []Result
	// Recovers says that a panic of what it calls may end in it; CallsRecover that it stops a panic if it is deferred.
	Recovers, CallsRecover bool
}

// An Effect is what a function does to an input.
type Effect struct {
	Escapes   bool
	Lost      bool     // it is changed in other ways than by calls
	Calls     []string // methods that may be called on it by way of an interface, any number of times and in any order; sorted
	Relations []Relation
	Recovered bool // a function that is called where a panic is recovered
}

// A Relation is an effect on an object of a protocol.
type Relation struct {
	Protocol, Program string
	// Moves are by state at the entry; the first is of an object in any state that other code may change, too.
	Moves []Move
}

// A Move is how the function is left.
type Move struct {
	Exits []Exit
	Fails *Failure // not nil: in every run a call fails
}

// An Exit is a set of states, and what is then known of results.
type Exit struct {
	States  uint64
	Results []Known
	Failed  bool // a call failed on the way
}

// Known is what is known of a result.
type Known uint8

const (
	KnownNothing Known = iota
	KnownNil           // or false
	KnownValue         // not nil, or true
)

// A Failure is a call that fails in a function that is called.
type Failure struct {
	Protocol string
	State    int
	Call     string // "Buffer"
	At       string // where it is: "file.go:12"
	Why      string // what it does
	Panics   bool
	Seen     bool
	pos      token.Pos // of this package
}

// A Result is where a result of a function comes from. The zero value is unknown.
type Result struct {
	Input  int // 1 + the number of the input that it is
	Shared bool
	States []Made
}

// Made are the states of a new object under a protocol.
type Made struct {
	Protocol, Program string
	States            uint64
}

// program identifies the interface that a summary was computed with.
func (p *Protocol) program() string { return p.iface.Component.Program }

func (s *Summary) effect(k int) *Effect {
	if s == nil || k >= len(s.Effects) {
		return nil
	}
	return &s.Effects[k]
}

func (e *Effect) relation(p *Protocol) *Relation {
	for k := range e.Relations {
		if r := &e.Relations[k]; r.Protocol == p.Name && r.Program == p.program() && len(r.Moves) == 1+len(p.iface.States) {
			return r
		}
	}
	return nil
}

// contradicts reports whether a result that has the value is impossible at the exit.
func (e *Exit) contradicts(index int, is typestate.Value) bool {
	if index >= len(e.Results) {
		return false
	}
	switch e.Results[index] {
	case KnownNil:
		return is == typestate.Nil(false) || is == typestate.Bool(true)
	case KnownValue:
		return is == typestate.Nil(true) || is == typestate.Bool(false)
	}
	return false
}

// summary returns the summary of a function, nil if there is none.
func (c *Checker) summary(fn *ssa.Function) *Summary {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if s, ok := c.summaries[fn]; ok {
		return s // nil for a recursive call
	}
	if fn.Blocks == nil || fn.Pkg == nil || fn.Pkg.Pkg != c.pkg {
		obj, ok := fn.Object().(*types.Func)
		if !ok || obj.Pkg() == nil || obj.Pkg() == c.pkg || c.imported == nil {
			return nil
		}
		s := c.imported(obj.Origin())
		c.summaries[fn] = s
		return s
	}
	c.summaries[fn] = nil
	s := c.summarize(fn)
	c.summaries[fn] = s
	return s
}

func (c *Checker) summarize(fn *ssa.Function) *Summary {
	s := &Summary{Recovers: c.recovering(fn), CallsRecover: callsRecover(fn)}
	inputs := make([]ssa.Value, 0, len(fn.Params)+len(fn.FreeVars))
	for _, p := range fn.Params {
		inputs = append(inputs, p)
	}
	for _, v := range fn.FreeVars {
		inputs = append(inputs, v)
	}
	s.Effects = make([]Effect, len(inputs))
	r := c.analyze(fn)
	if r != nil {
		var none []Finding
		r.finish(&none)
	}
	for k, in := range inputs {
		if r != nil {
			if x := r.object(in); x != nil && len(x.objects) > 0 {
				s.Effects[k] = r.effectOn(x)
				continue
			}
		}
		s.Effects[k] = *c.effectOf(in)
	}
	results := fn.Signature.Results()
	s.Results = make([]Result, results.Len())
	for k := range s.Results {
		if r != nil {
			s.Results[k] = r.result(k)
		}
	}
	return s
}

// effectOn is the effect on an input with objects.
func (r *run) effectOn(x *root) Effect {
	var e Effect
	for _, o := range x.objects {
		rel := Relation{Protocol: o.protocol.Name, Program: o.protocol.program(), Moves: make([]Move, 1+len(o.protocol.iface.States))}
		known := true
		for _, l := range r.exits {
			t := l.flow.tracks[o]
			if t == nil {
				continue
			}
			if t.lost {
				known = false
			}
			if t.shared {
				e.Escapes = true
			}
		}
		if !known {
			e.Escapes = true
			return Effect{Escapes: true, Lost: true}
		}
		for entry := range rel.Moves {
			rel.Moves[entry] = r.moveOf(o, int8(entry)-1)
		}
		if !o.closed {
			rel.Moves[0] = Move{Exits: []Exit{{States: uint64(o.protocol.all)}}}
		}
		e.Relations = append(e.Relations, rel)
	}
	return e
}

// moveOf is how the function is left if it is entered with an object in a state.
func (r *run) moveOf(o *object, entry int8) Move {
	var m Move
	fails := r.failed(o, entry)
	add := func(e Exit) {
		for k := range m.Exits {
			if x := &m.Exits[k]; slices.Equal(x.Results, e.Results) && x.Failed == e.Failed {
				x.States |= e.States
				return
			}
		}
		m.Exits = append(m.Exits, e)
	}
	for _, l := range r.exits {
		t := l.flow.tracks[o]
		if t == nil {
			continue
		}
		for c := range t.at {
			if c.entry != entry {
				continue
			}
			if !c.failed {
				fails = nil
			}
			if l.ret != nil {
				add(Exit{States: 1 << c.state, Results: r.knownResults(l.ret, c), Failed: c.failed})
			}
		}
	}
	if r.fn.Recover != nil && r.c.recovering(r.fn) {
		fails = nil
		states := o.protocol.all
		if entry >= 0 {
			states = o.protocol.reach[entry]
		}
		add(Exit{States: uint64(states), Results: make([]Known, r.fn.Signature.Results().Len())})
	}
	slices.SortFunc(m.Exits, func(a, b Exit) int {
		if n := slices.Compare(a.Results, b.Results); n != 0 {
			return n
		}
		if a.Failed != b.Failed {
			if b.Failed {
				return -1
			}
			return 1
		}
		return 0
	})
	m.Fails = fails
	return m
}

// knownResults is what is known of the results at a return.
func (r *run) knownResults(ret *ssa.Return, c config) []Known {
	out := make([]Known, len(ret.Results))
	for k, v := range ret.Results {
		if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
			if w := r.stored(u); w != nil {
				v = w
			}
		}
		switch v := v.(type) {
		case *ssa.Const:
			switch {
			case v.IsNil():
				out[k] = KnownNil
			case v.Value != nil && v.Value.String() == "true":
				out[k] = KnownValue
			case v.Value != nil && v.Value.String() == "false":
				out[k] = KnownNil
			}
		case *ssa.MakeInterface, *ssa.Alloc:
			out[k] = KnownValue
		case *ssa.Call, *ssa.Extract:
			out[k] = r.knownOf(v, c)
		}
	}
	return out
}

// knownOf is what the outcome of a call says of one of its results.
func (r *run) knownOf(v ssa.Value, c config) Known {
	e := r.events[c.event]
	if e.in == nil {
		return KnownNothing
	}
	index := 0
	if x, ok := v.(*ssa.Extract); ok {
		if x.Tuple != e.in.Value() {
			return KnownNothing
		}
		index = x.Index
	} else if v != e.in.Value() {
		return KnownNothing
	}
	if e.exit != nil {
		if index < len(e.exit.Results) {
			return e.exit.Results[index]
		}
		return KnownNothing
	}
	n := e.in.Common().Signature().Results().Len()
	has := func(is typestate.Value) bool { return !e.contradicts(index, n, is) }
	no, yes := typestate.Nil(true), typestate.Nil(false)
	if b, ok := v.Type().Underlying().(*types.Basic); ok {
		if b.Info()&types.IsBoolean == 0 {
			return KnownNothing
		}
		no, yes = typestate.Bool(false), typestate.Bool(true)
	}
	switch {
	case !has(yes):
		return KnownNil
	case !has(no):
		return KnownValue
	}
	return KnownNothing
}

// result is where a result comes from, in all returns.
func (r *run) result(k int) Result {
	var out Result
	first := true
	states := map[*Protocol]set{}
	for _, l := range r.exits {
		if l.ret == nil {
			continue
		}
		v := l.ret.Results[k]
		if c, ok := v.(*ssa.Const); ok && c.IsNil() {
			continue
		}
		x := r.object(v)
		if x == nil || len(x.objects) == 0 {
			return Result{}
		}
		switch x.origin {
		case inputOrigin:
			if !first && out.Input != x.input+1 {
				return Result{}
			}
			out.Input = x.input + 1
		case freshOrigin:
			if out.Input != 0 {
				return Result{}
			}
			for _, o := range x.objects {
				t := l.flow.tracks[o]
				if t == nil || t.lost {
					return Result{}
				}
				out.Shared = out.Shared || t.shared
				states[o.protocol] |= t.states(anyEntry)
			}
		default:
			return Result{}
		}
		first = false
	}
	if r.fn.Recover != nil && r.c.recovering(r.fn) && !first {
		return Result{}
	}
	for _, x := range r.all {
		for _, o := range x.objects {
			if s := states[o.protocol]; s != 0 {
				out.States = append(out.States, Made{o.protocol.Name, o.protocol.program(), uint64(s)})
				delete(states, o.protocol)
			}
		}
	}
	return out
}

// String is the summary in one line: what is kept of each input, and what is returned.
func (s *Summary) String() string {
	var parts []string
	for k, e := range s.Effects {
		switch {
		case e.Escapes:
			parts = append(parts, fmt.Sprintf("%d escapes", k))
		case len(e.Relations) > 0:
			parts = append(parts, fmt.Sprintf("%d moves", k))
		case len(e.Calls) > 0:
			parts = append(parts, fmt.Sprintf("%d %s", k, strings.Join(e.Calls, "|")))
		}
	}
	for k, r := range s.Results {
		switch {
		case r.Input > 0:
			parts = append(parts, fmt.Sprintf("result %d is %d", k, r.Input-1))
		case len(r.States) > 0:
			parts = append(parts, fmt.Sprintf("result %d is new", k))
		}
	}
	return strings.Join(parts, ", ")
}
