// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves invariants of types of other packages: of the bufio.Writer that a component writes to, say. Clients may
// have made the object, and may have done anything with it that the package lets them. So the proof is
// about the package by itself, as if the type were the component and clients called all that is exported.

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// maxElsewhere bounds the functions of a package that is looked at for an invariant of one of its types, maxProofAbroad the
// steps of the proof, which is about all that the package does with such objects.
const (
	maxElsewhere   = 400
	maxProofAbroad = 10 * maxProof
)

// keepsAbroad reports whether all objects of a type of another package have an invariant.
func (p *prover) keepsAbroad(n *types.Named, v invariant) bool {
	return p.once(fact{kind: invariantFact, v: v}, func() bool {
		q := p.abroadOf(n)
		if q == nil {
			return false
		}
		ok := q.prove(func() bool { return q.keeps(n, v) })
		maps.Copy(p.used, q.used)
		maps.Copy(p.clauses, q.clauses)
		return ok
	})
}

// abroadOf returns what proves facts about a type in its package; nil: nothing does.
func (p *prover) abroadOf(n *types.Named) *prover {
	if q, ok := p.elsewhere[n.Obj()]; ok {
		return q
	}
	if p.elsewhere == nil {
		p.elsewhere = map[*types.TypeName]*prover{}
	}
	p.elsewhere[n.Obj()] = nil
	x := p.another(n)
	if x == nil {
		return nil
	}
	q := newProver(x.c, calls{methods: x.entries}, nil)
	q.zero, q.away, q.limit = true, true, maxProofAbroad
	p.elsewhere[n.Obj()] = q
	return q
}

// An another is a type of another package as if it were the component: what its clients call, and the code that they reach.
type another struct {
	c       *compiler
	entries []*ssa.Function
}

// another returns a type as if it were the component, the same one for all provers of what is reached; nil if it cannot be one.
func (r *reach) another(n *types.Named) *another {
	if x, ok := r.others[n]; ok {
		return x
	}
	if r.others == nil {
		r.others = map[*types.Named]*another{}
	}
	r.others[n] = nil
	l := r.c.l.elsewhere(n.Obj().Pkg())
	if l == nil {
		return nil
	}
	o := r.c.o
	o.Methods, o.Constructors, o.Factories = nil, nil, nil
	c := l.compiler(o, r.c.kinds, r.c.contracts)
	if c.genericUses(n) {
		return nil
	}
	c.named = n
	var entries []*ssa.Function
	for _, fn := range c.functionsIn(l.pkg) {
		if fn.Parent() == nil && token.IsExported(fn.Name()) && len(fn.Blocks) > 0 && fn.TypeParams().Len() == 0 && fn.Synthetic == "" {
			entries = append(entries, fn)
		}
	}
	c.reach = newReach(c, entries)
	x := &another{c, entries}
	r.others[n] = x
	return x
}

// genericUses reports whether generic code of a package does something with objects of a type, or calls what clients cannot: it is not among
// what is looked at.
func (c *compiler) genericUses(n *types.Named) bool {
	for _, fn := range slices.Concat(c.l.functionsOf()[n.Obj().Pkg()], c.functionsIn(c.l.pkg)) {
		if fn.TypeParams().Len() == 0 && fn.Origin() == nil && len(fn.TypeArgs()) == 0 {
			continue
		}
		if len(fn.Blocks) == 0 {
			return true
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if a, ok := i.(*ssa.FieldAddr); ok {
					if x, ok := namedPointer(a.X.Type()); !ok || x.Obj() == n.Obj() {
						return true
					}
				}
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok && packageOf(g) == n.Obj().Pkg() && !token.IsExported(g.Name()) {
						return true
					}
				}
			}
		}
	}
	return false
}

// onAnother reports whether a call of a method of an interface, by an object of the type at hand that has it in a field or was given it, runs a
// method of the same type: on another object, by convention, so that it does not write the fields of this one.
func (p *prover) onAnother(call *ssa.Call, g *ssa.Function) bool {
	if !p.away || !call.Call.IsInvoke() || g.Signature.Recv() == nil {
		return false
	}
	is := func(t types.Type) bool {
		n, ok := namedPointer(t)
		return ok && n.Obj() == p.c.named.Obj()
	}
	if !is(g.Signature.Recv().Type()) {
		return false
	}
	if x, ok := call.Call.Value.(*ssa.Parameter); ok && p.entries[x.Parent()] && p.receivers[x.Parent()] {
		p.used[conventionItself] = true // an argument of a method is not its receiver
		return true
	}
	if _, f := fieldLoad(call.Call.Value); f == nil || !is(f.X.Type()) {
		return false
	}
	p.used[conventionLayers] = true
	return true
}

// elsewhere is another package of the same program, as if it were the component's; nil if it is too large.
func (l *loaded) elsewhere(pkg *types.Package) *loaded {
	in := l.prog.Package(pkg)
	if in == nil || l.owns(pkg) || len(l.functionsOf()[pkg]) > maxElsewhere {
		return nil
	}
	var from *packages.Package
	packages.Visit([]*packages.Package{l.from}, func(x *packages.Package) bool {
		if x.Types == pkg {
			from = x
		}
		return from == nil
	}, nil)
	if from == nil {
		return nil
	}
	return &loaded{prog: l.prog, pkg: in, from: from, fset: l.fset, functionsOf: l.functionsOf, instances: l.instances}
}
