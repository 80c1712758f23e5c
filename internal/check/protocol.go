// SPDX-License-Identifier: Apache-2.0

package check

// This file compiles interfaces. States are bits of a word, so an interface with more than maxStates states is refused; no
// interface of a library that was looked at has a quarter as many.

import (
	"fmt"
	"go/types"
	"math/bits"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

const maxStates = 64

// A set is a set of states.
type set uint64

func (s set) has(state int) bool { return s>>state&1 == 1 }

func (s set) each(do func(state int)) {
	for ; s != 0; s &= s - 1 {
		do(bits.TrailingZeros64(uint64(s)))
	}
}

// A Protocol is an interface compiled for checking.
type Protocol struct {
	// Name is the full name of the type: "database/sql.Tx".
	Name    string
	pkg     string
	iface   *typestate.Interface
	methods map[string][]*call
	makers  map[string]set // entry states by constructor
	zero    set            // entry states of the zero value
	all     set
	reach   []set // by state: those that calls may lead to
}

// A call is a call of the interface, with what it does in each state.
type call struct {
	typestate.Call
	types map[string]string
	cells []cell
}

// A cell is a call in a state.
type cell struct {
	verdict    typestate.Verdict
	impossible bool
	exits      []exit
	forbidden  *typestate.Forbidden
	panics     bool // forbidden, and no run that errs returns
	seen       bool // fails, but only seen
}

// An exit is where a call leads with an outcome, "" for any.
type exit struct {
	outcome string
	to      set
	erred   bool // a misuse error is returned
}

// Protocols are the protocols by full name of the type. A type may have several, of different calls.
type Protocols struct {
	byType map[string][]*Protocol
}

// Compile makes protocols of interfaces of Go types. Interfaces of other components are left out.
func Compile(interfaces []*typestate.Interface) (*Protocols, error) {
	all := &Protocols{byType: map[string][]*Protocol{}}
	for _, i := range interfaces {
		if i.Component.Language != "go" || strings.ContainsAny(i.Component.Name, "[]() ") {
			continue
		}
		if err := i.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", i.Component.Name, err)
		}
		dot := strings.LastIndexByte(i.Component.Name, '.')
		if dot < 0 || len(i.States) == 0 || len(i.States) > maxStates {
			continue
		}
		p := &Protocol{Name: i.Component.Name, pkg: i.Component.Name[:dot], iface: i, methods: map[string][]*call{}, makers: map[string]set{}}
		p.fill()
		if p.forbids() {
			all.byType[p.Name] = append(all.byType[p.Name], p)
		}
	}
	return all, nil
}

// forbids reports whether anything can be found with the protocol.
func (p *Protocol) forbids() bool {
	for _, calls := range p.methods {
		for _, c := range calls {
			for _, at := range c.cells {
				if at.verdict.Forbidden() || at.seen {
					return true
				}
			}
		}
	}
	return false
}

func (p *Protocol) fill() {
	p.all = ^set(0) >> (64 - len(p.iface.States))
	for _, c := range p.iface.Constructors {
		if c.State == nil {
			continue
		}
		if c.Method == "zero" {
			p.zero |= 1 << *c.State
		}
		p.makers[c.Method] |= 1 << *c.State
	}
	for _, c := range p.iface.Calls {
		x := &call{Call: c, types: map[string]string{}, cells: make([]cell, len(p.iface.States))}
		for k, name := range c.Params {
			x.types[name] = c.Types[k]
		}
		p.methods[c.Method] = append(p.methods[c.Method], x)
	}
	for st, cells := range p.iface.Walk() {
		for c := range cells {
			for _, x := range p.methods[c.Call.Method] {
				if x.ID == c.Call.ID {
					x.cells[st.ID] = p.cell(st.ID, c)
				}
			}
		}
	}
	p.close()
	for _, calls := range p.methods {
		for _, c := range calls {
			for st := range c.cells {
				c.cells[st].complete(p, st)
			}
		}
	}
}

// cell takes over a cell of the interface.
func (p *Protocol) cell(state int, c typestate.Cell) cell {
	out := cell{verdict: c.Verdict, impossible: c.Impossible, forbidden: c.Forbidden}
	for _, e := range c.Edges {
		outcome := e.Outcome
		if outcome == "*" {
			outcome = ""
		}
		out.exits = append(out.exits, exit{outcome: outcome, to: 1 << e.To})
	}
	if f := c.Forbidden; f != nil {
		out.panics = len(f.Errors) > 0 && !slices.ContainsFunc(f.Errors, func(s typestate.ErrorSite) bool { return !ends(s.Kind) })
	}
	if s, ok := p.iface.SeenIn(state, c.Call.ID); ok && c.Verdict == typestate.VerdictUnknown {
		out.seen = s.Verdict == typestate.VerdictFails.String()
	}
	return out
}

// ends reports whether an error of a kind ends the call: it does not return.
func ends(kind string) bool {
	return kind == "panic" || kind == "fatal" || kind == "runtime" || kind == "block" || kind == "bounds"
}

// close computes what other code may do to a shared object.
func (p *Protocol) close() {
	n := len(p.iface.States)
	p.reach = make([]set, n)
	for st := range n {
		p.reach[st] = p.closure(1<<st, nil)
	}
}

// closure is where calls of the methods may lead, those of all methods if methods is nil.
func (p *Protocol) closure(from set, methods []string) set {
	for {
		next := from
		for name, calls := range p.methods {
			if methods != nil && !slices.Contains(methods, name) {
				continue
			}
			for _, c := range calls {
				from.each(func(st int) {
					for _, e := range c.cells[st].exits {
						next |= e.to
					}
				})
			}
		}
		if next == from {
			return from
		}
		from = next
	}
}

// complete adds where a call may lead besides the edges. A returned misuse error, which an unknown call may return, too, leaves the object in a state that
// the interface need not name: it is taken to be one that calls could have brought it to.
func (c *cell) complete(p *Protocol, state int) {
	switch {
	case c.verdict == typestate.VerdictUnknown && !c.impossible:
		c.exits = append(slices.Clone(c.exits), exit{to: p.reach[state]})
	case c.verdict == typestate.VerdictFails && !c.panics:
		to := p.reach[state]
		if f := c.forbidden; f.To != nil {
			to = 1 << *f.To
		}
		c.exits = []exit{{to: to, erred: true}}
	case c.verdict == typestate.VerdictMayFail:
		c.exits = append(slices.Clone(c.exits), exit{to: p.reach[state]})
	}
}

// of returns the protocols of a type, which may be a pointer.
func (all *Protocols) of(t types.Type) []*Protocol {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() == nil {
		return nil
	}
	return all.byType[named.Obj().Pkg().Path()+"."+named.Obj().Name()]
}

// isPointer reports whether t is a pointer to a type with protocols.
func (all *Protocols) isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok && len(all.of(t)) > 0
}

// closedType reports whether calls of the protocol are all that clients can do to an object of type t.
func (p *Protocol) closedType(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Exported() {
				return false
			}
		}
	} else {
		return false // clients can assign parts of other types
	}
	methods := types.NewMethodSet(types.NewPointer(t))
	for m := range methods.Methods() {
		if m.Obj().Exported() && p.methods[m.Obj().Name()] == nil {
			return false
		}
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && p.makesAll(named)
}

// makesAll reports whether clients get objects of the type only from the constructors of the interface, as far as the
// package of the type shows: no other function, method, field or variable has them.
func (p *Protocol) makesAll(named *types.Named) bool {
	for name := range p.makers {
		if strings.Contains(name, " in ") {
			return true // the interface begins wherever the package allocates one
		}
	}
	gives := func(t types.Type) bool {
		if s, ok := t.Underlying().(*types.Slice); ok {
			t = s.Elem()
		}
		if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
			t = ptr.Elem()
		}
		return types.Identical(t, named)
	}
	returns := func(fn *types.Func) bool {
		for v := range fn.Signature().Results().Variables() {
			if gives(v.Type()) {
				return !p.maker(fn)
			}
		}
		return false
	}
	scope := named.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Func:
			if returns(obj) {
				return false
			}
		case *types.Var:
			if gives(obj.Type()) {
				return false
			}
		case *types.TypeName:
			if s, ok := obj.Type().Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					if f.Exported() && gives(f.Type()) {
						return false
					}
				}
			}
			if n, ok := obj.Type().(*types.Named); ok {
				for m := range n.Methods() {
					if m.Exported() && returns(m) {
						return false
					}
				}
			}
		}
	}
	return true
}

// maker reports whether a function, or a method at the end of a factory, is a constructor of the interface.
func (p *Protocol) maker(fn *types.Func) bool {
	for name := range p.makers {
		name, _, _ = strings.Cut(name, "[")
		if i := strings.LastIndexByte(name, '('); i > 0 && fn.Signature().Recv() != nil {
			name = name[:i]
		}
		if name == fn.Pkg().Name()+"."+fn.Name() || fn.Signature().Recv() != nil && strings.HasSuffix(name, "."+fn.Name()) {
			return true
		}
	}
	return false
}

// candidates are the calls of a method that may be meant, given what is known of its arguments.
func (p *Protocol) candidates(method string, known typestate.Known) []*call {
	var out []*call
	for _, c := range p.methods[method] {
		if c.Guard == "true" || typestate.GuardHolds(c.Guard, c.types, known) != typestate.MatchNo {
			out = append(out, c)
		}
	}
	return out
}

// label is what a state means.
func (p *Protocol) label(state int) string { return p.iface.States[state].Label }
