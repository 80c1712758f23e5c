// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the constants that a text or a number can be, for explicit panics that stand where all cases
// are exhausted:
//
//	switch network {
//	case "tcp", "udp":
//	default:
//		return errUnknown
//	}
//	dial := func() Conn {
//		switch network {
//		case "tcp": ...
//		case "udp": ...
//		default:
//			panic("unexpected network")
//		}
//	}
//
// A subject is what is asked about: an SSA register, which is one value from the instruction that defines it to the next
// time that this runs, or, in a function literal, a variable around it that is set once. Such a variable has one store, in the block that allocates
// it, so that both run equally often, and besides that it is only read, also by the function literals that see it: nobody else has its
// address. What is read there after the store is the register that was stored: whoever comes by the definition of the register again comes by
// the store, too, before a place that the store dominates.
//
// Where a subject begins it is anything, or what meets there. From there sets of constants flow forward through the
// function: the branch on which it is equal to a constant leaves that one, the other branch leaves the rest. The smallest solution of
// these equations has the values of all runs, by induction over the steps of a run since the subject began. Blocks that the
// subject does not dominate are part of it, but nobody asks there. What is known of a variable where a function literal comes to be, is known
// whenever that runs, however it is called and by whom, since it has that variable and nobody sets it any more.
//
// A parameter begins as what is given for it: if its function can only be called by name, one of the arguments of all these calls. They are looked for in all
// code of the package, whether a call of the alphabet leads there or not.
//
// Floats are left out, since not a number is equal to nothing. So are type parameters, and interfaces, whose comparison
// is one of types, too.

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Limits of such sets: of constants in one, and of values that meet and function literals in each other.
const (
	maxCaseSet   = 64
	maxCaseDepth = 4
)

// A caseSet is the set of constants that a subject may be, by their exact texts; any: it may be others, too.
type caseSet struct {
	any bool
	of  map[string]bool
}

// add adds another set, and reports whether that changed anything.
func (s *caseSet) add(t caseSet) bool {
	if s.any {
		return false
	}
	if t.any || len(s.of)+len(t.of) > maxCaseSet {
		*s = caseSet{any: true}
		return true
	}
	changed := false
	for k := range t.of {
		if !s.of[k] {
			if s.of == nil {
				s.of = map[string]bool{}
			}
			s.of[k], changed = true, true
		}
	}
	return changed
}

// is is the part of a set that is equal to a constant, or the part that is not.
func (s caseSet) is(k string, equal bool) caseSet {
	if s.any {
		if equal {
			return caseSet{of: map[string]bool{k: true}}
		}
		return s
	}
	out := caseSet{of: map[string]bool{}}
	for x := range s.of {
		if (x == k) == equal {
			out.of[x] = true
		}
	}
	return out
}

// caseText is the text of a constant; "" if it is not one of texts or integers.
func caseText(v ssa.Value) string {
	k, ok := v.(*ssa.Const)
	if !ok || k.Value == nil || !hasCases(k.Type()) {
		return ""
	}
	switch k.Value.Kind() {
	case constant.String, constant.Int:
		return k.Value.ExactString()
	}
	return ""
}

func hasCases(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsString|types.IsInteger) != 0
}

// caseTest returns the subject and the constant that a condition compares, and whether they are equal where it holds.
func caseTest(cond ssa.Value) (subject ssa.Value, k string, equal bool) {
	switch x := cond.(type) {
	case *ssa.UnOp:
		if x.Op == token.NOT {
			subject, k, equal = caseTest(x.X)
			return subject, k, !equal
		}
	case *ssa.BinOp:
		if x.Op != token.EQL && x.Op != token.NEQ {
			break
		}
		if k = caseText(x.Y); k != "" {
			return subjectOf(x.X), k, x.Op == token.EQL
		}
		if k = caseText(x.X); k != "" {
			return subjectOf(x.Y), k, x.Op == token.EQL
		}
	}
	return nil, "", false
}

// subjectOf is what a value is, wherever it can be used: of what is read in a variable that is set once, the value that was stored there, or
// the variable of a function around this one; else the value itself.
func subjectOf(v ssa.Value) ssa.Value {
	for range maxCaseDepth {
		switch x := v.(type) {
		case *ssa.ChangeType:
			if !hasCases(x.X.Type()) {
				return v
			}
			v = x.X
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v
			}
			switch a := x.X.(type) {
			case *ssa.Alloc:
				st := onlyStore(a)
				if st == nil || !precedes(st, pointAt(x)) {
					return v
				}
				v = st.Val
			case *ssa.FreeVar:
				if isSettled(a) {
					return a
				}
				return v
			default:
				return v
			}
		default:
			return v
		}
	}
	return v
}

// onlyStore returns the store by which a variable is set, if it is set once whenever it is allocated, and is only read besides; else nil.
func onlyStore(a *ssa.Alloc) (set *ssa.Store) {
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok {
			if st.Addr != ssa.Value(a) || st.Val == ssa.Value(a) || set != nil {
				return nil
			}
			set = st
		}
	}
	if set == nil || set.Block() != a.Block() || !isOnlySeen(a, 0) {
		return nil
	}
	return set
}

// isOnlySeen reports whether a variable is only read, besides stores by the function that allocates it, also by function literals.
func isOnlySeen(v ssa.Value, depth int) bool {
	if depth > maxCaseDepth {
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.Store:
			if depth > 0 || r.Addr != v {
				return false
			}
		case *ssa.MakeClosure:
			for n, x := range r.Bindings {
				if x == v && !isOnlySeen(r.Fn.(*ssa.Function).FreeVars[n], depth+1) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// isSettled reports whether a variable that a function literal sees was set before the literal came to be, and never again.
func isSettled(v *ssa.FreeVar) bool {
	made := bindings(v)
	for _, b := range made {
		switch a := b.at.Bindings[b.n].(type) {
		case *ssa.Alloc:
			if st := onlyStore(a); st == nil || !precedes(st, pointAt(b.at)) {
				return false
			}
		case *ssa.FreeVar:
			if !isSettled(a) {
				return false
			}
		default:
			return false
		}
	}
	return len(made) > 0
}

// A binding is a place where a function literal comes to be, and which of what it sees is meant.
type binding struct {
	at *ssa.MakeClosure
	n  int
}

// bindings returns the places where the function literal of a variable comes to be: all are in the function around it.
func bindings(v *ssa.FreeVar) (list []binding) {
	fn := v.Parent()
	if fn.Parent() == nil {
		return nil // it is bound to something else
	}
	for n, x := range fn.FreeVars {
		if x != v {
			continue
		}
		for _, b := range fn.Parent().Blocks {
			for _, i := range b.Instrs {
				if m, ok := i.(*ssa.MakeClosure); ok && m.Fn == ssa.Value(fn) {
					list = append(list, binding{m, n})
				}
			}
		}
	}
	return list
}

// isNotCase reports whether a condition that compares with a constant does not have a value at the end of a block.
func (p *prover) isNotCase(cond ssa.Value, value bool, b *ssa.BasicBlock) bool {
	v, k, equal := caseTest(cond)
	if v == nil {
		return false
	}
	s := p.casesAt(v, b, 0)
	return !s.any && len(s.is(k, equal == value).of) == 0
}

// casesAt returns what a subject may be at the end of a block that it dominates, before control leaves it.
func (p *prover) casesAt(v ssa.Value, at *ssa.BasicBlock, depth int) caseSet {
	any := caseSet{any: true}
	fn := at.Parent()
	var first *ssa.BasicBlock // where it begins
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		first = fn.Blocks[0]
	case ssa.Instruction:
		first = v.Block()
	default:
		return any
	}
	if first == nil || first.Parent() != fn || !first.Dominates(at) {
		return any
	}
	begin := p.casesFirst(v, first, depth)
	if first == at {
		return begin
	}
	in := make([]caseSet, len(fn.Blocks))
	for changed := true; changed; {
		changed = false
		for _, b := range fn.Blocks {
			if p.steps++; p.steps > p.limit {
				return any
			}
			now := in[b.Index]
			switch b {
			case first:
				now = begin
			case fn.Recover:
				now = any // control comes from anywhere
			}
			for n, to := range b.Succs {
				out := now
				if branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && b.Succs[0] != b.Succs[1] {
					if x, k, equal := caseTest(branch.Cond); x == v {
						out = now.is(k, equal == (n == 0))
					}
				}
				changed = in[to.Index].add(out) || changed
			}
		}
	}
	return in[at.Index]
}

// casesFirst returns what a subject may be where it begins.
func (p *prover) casesFirst(v ssa.Value, b *ssa.BasicBlock, depth int) caseSet {
	any := caseSet{any: true}
	if depth > maxCaseDepth {
		return any
	}
	var all caseSet
	switch v := v.(type) {
	case *ssa.FreeVar:
		if !isSettled(v) {
			return any
		}
		for _, m := range bindings(v) {
			outer := m.at.Bindings[m.n]
			if a, ok := outer.(*ssa.Alloc); ok {
				outer = onlyStore(a).Val
			}
			all.add(p.casesOf(outer, m.at.Block(), depth+1))
		}
		return all
	case *ssa.Parameter:
		calls := p.onlyCalls(v.Parent())
		if len(calls) == 0 {
			return any
		}
		for _, i := range calls {
			all.add(p.casesOf(argumentFor(i, v.Parent(), v), i.Block(), depth+1))
		}
		return all
	case *ssa.Phi:
		for n, x := range v.Edges {
			all.add(p.casesOf(x, b.Preds[n], depth+1))
		}
		return all
	}
	return any
}

// casesOf returns what a value may be at the end of a block.
func (p *prover) casesOf(v ssa.Value, b *ssa.BasicBlock, depth int) caseSet {
	if k := caseText(v); k != "" {
		return caseSet{of: map[string]bool{k: true}}
	}
	return p.casesAt(subjectOf(v), b, depth)
}

// onlyCalls returns all calls of a function, if it is one of the component's package that nothing but its name leads to: it is not exported, no method,
// not generic, and no code makes a value of it. All code that can name it is in the package, with its function literals and generic functions; not if that
// has functions in assembly, or directives give the function another name. Else it returns nil.
func (p *prover) onlyCalls(fn *ssa.Function) []ssa.CallInstruction {
	l := p.c.l
	if l.from == nil || fn.Pkg != l.pkg || fn.Parent() != nil || fn.Synthetic != "" || fn.Signature.Recv() != nil || fn.Signature.TypeParams().Len() > 0 || fn.Origin() != nil ||
		token.IsExported(fn.Name()) || fn.Object() == nil || p.entries[fn] || l.isLinked(fn.Name()) {
		return nil
	}
	if p.byName == nil {
		p.byName = map[*ssa.Function][]ssa.CallInstruction{}
		values := map[*ssa.Function]bool{}
		for _, in := range p.c.functionsIn(l.pkg) {
			for _, b := range in.Blocks {
				for _, i := range b.Instrs {
					call, isCall := i.(ssa.CallInstruction)
					for _, op := range i.Operands(nil) {
						if g, ok := (*op).(*ssa.Function); ok && isCall && op == &call.Common().Value {
							p.byName[g] = append(p.byName[g], call)
						} else if ok {
							values[g] = true
						}
					}
				}
			}
		}
		for g := range values {
			delete(p.byName, g)
		}
	}
	return p.byName[fn]
}
