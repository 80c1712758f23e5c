// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds tables, and other package variables, of which nothing ever changes, however deep it is: what is in them leads to
// slices and objects that nobody writes either.
//
//	var first = []int{1, 2}
//	var table = []struct{ kind Kind; path []int }{{First, first}, {Second, []int{3}}}
//
//	func pathOf(k Kind) []int { ... return table[i].path }
//
// The contents of a variable are what it holds, and all memory that this leads to. They are literals of
// the declaration, and what other variables hold that the declaration mentions, which are such literals in turn. So all
// of it exists once the package is initialized, and the only ways to it are these variables, and what the initialization
// has at hand. From there all values are followed that lead to contents, through the code of the package and of what it calls:
//
//   - What is read there is contents again, if it leads anywhere. So are parts of it, and what meets.
//   - A parameter that is given contents is such a value, in every call.
//   - Results that may be contents are followed to the calls of the function, if all of these are known: only the code
//     of the package can name it, and no code makes a value of it.
//   - Variables and slices that a function makes and puts such values into are holders. They may be written, what is read there
//     may be contents, and their addresses are followed, too. They must not be put anywhere.
//
// A write by way of such a value is one of the initialization, which puts the literals together. Everything else ends the search:
// appending to contents, giving them to code that is not known, or to functions that are found at run time, putting them into other memory, into
// function literals or channels, looking at them as objects of other types. A contract that says that a function only
// reads what an argument leads to is believed, and listed. Since the search looks at all code that can get at
// contents, and not only at that which calls of the alphabet run, nobody writes them: not other
// objects of the package either, nor clients, who never get them.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxContents bounds the values that are followed.
const maxContents = 2000

// A contents is the search for what may write the contents of a variable.
type contents struct {
	c       *compiler
	p       *prover
	leads   map[ssa.Value]bool // values that lead to contents
	holders map[ssa.Value]bool // values that lead to memory that such values are in
	vars    map[*ssa.Global]bool
	work    []ssa.Value
	lost    bool            // somebody may write them
	clauses map[string]bool // contracts
}

// isDeep reports whether the contents of a variable of the component's package never change, and by which contracts.
func (c *compiler) isDeep(g *ssa.Global) (clauses map[string]bool, yes bool) {
	s, known := c.deep[g]
	if !known {
		s = &contents{c: c, p: &prover{reach: c.reach}, leads: map[ssa.Value]bool{}, holders: map[ssa.Value]bool{}, vars: map[*ssa.Global]bool{}, clauses: map[string]bool{}}
		s.variable(g)
		for len(s.work) > 0 && !s.lost {
			v := s.work[len(s.work)-1]
			s.work = s.work[:len(s.work)-1]
			for _, i := range *v.Referrers() {
				if s.leads[v] && !s.use(v, i, false) || s.holders[v] && !s.use(v, i, true) {
					s.lost = true
				}
			}
		}
		if c.deep == nil {
			c.deep = map[*ssa.Global]*contents{}
		}
		c.deep[g] = s
	}
	return s.clauses, !s.lost
}

// follow follows a value; holds: it leads to memory that contents are in. Numbers, texts and structs of these lead nowhere.
func (s *contents) follow(v ssa.Value, holds bool) {
	to := s.leads
	if holds {
		to = s.holders
	}
	if to[v] || isPlain(v.Type(), 0) {
		return
	}
	to[v] = true
	s.work = append(s.work, v)
	if v.Referrers() == nil || len(s.leads)+len(s.holders) > maxContents {
		s.lost, s.work = true, nil
	}
}

// variable follows what a package variable holds. Only the code of the package may name it, and only its declaration sets it.
func (s *contents) variable(g *ssa.Global) {
	l := s.c.l
	if s.vars[g] {
		return
	}
	s.vars[g] = true
	if g.Pkg != l.pkg || l.from == nil || g.Object() == nil || g.Object().Exported() || l.isLinked(g.Name()) {
		s.lost = true
		return
	}
	for _, i := range s.c.mentions(g) {
		if !s.names(g, i) {
			s.lost = true
		}
	}
}

// mentions returns the instructions that name an unexported variable: all are of its package.
func (c *compiler) mentions(g *ssa.Global) []ssa.Instruction {
	all, known := c.l.mentions[g.Pkg]
	if !known {
		all = map[*ssa.Global][]ssa.Instruction{}
		for _, fn := range c.functionsIn(g.Pkg) {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					for _, op := range i.Operands(nil) {
						if v, ok := (*op).(*ssa.Global); ok {
							all[v] = append(all[v], i)
						}
					}
				}
			}
		}
		if c.l.mentions == nil {
			c.l.mentions = map[*ssa.Package]map[*ssa.Global][]ssa.Instruction{}
		}
		c.l.mentions[g.Pkg] = all
	}
	return all[g]
}

// names follows what an instruction makes of a variable that it mentions.
func (s *contents) names(g *ssa.Global, i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.DebugRef:
	case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice:
		s.follow(i.(ssa.Value), false)
	case *ssa.Store:
		return i.Addr == ssa.Value(g) && s.isInitial(i) && s.literal(i.Val)
	default:
		return false
	}
	return true
}

// isInitial reports whether an instruction is part of a declaration of a variable of the package.
func (s *contents) isInitial(i ssa.Instruction) bool {
	return i.Parent().Pkg == s.c.l.pkg && i.Parent().Synthetic == "package initializer"
}

// literal follows what an initial value leads to. It reports whether that is all known.
func (s *contents) literal(v ssa.Value) bool {
	if isPlain(v.Type(), 0) {
		return true
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true // nil
	case *ssa.Alloc:
		s.follow(v, false)
		return true
	case *ssa.ChangeType:
		return s.literal(v.X)
	case *ssa.Slice:
		if g, ok := v.X.(*ssa.Global); ok {
			s.variable(g)
			return true
		}
		a, ok := v.X.(*ssa.Alloc)
		return ok && s.literal(a)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return false
		}
		if g, ok := v.X.(*ssa.Global); ok {
			s.variable(g)
			return true
		}
		a, ok := v.X.(*ssa.Alloc)
		return ok && s.literal(a)
	}
	return false
}

// use follows what an instruction does with a value. It reports whether that is known, and no write of contents.
func (s *contents) use(v ssa.Value, i ssa.Instruction, holds bool) bool {
	switch i := i.(type) {
	case *ssa.DebugRef, *ssa.BinOp:
		return true
	case *ssa.UnOp:
		s.follow(i, false)
		return i.Op == token.MUL
	case *ssa.Field, *ssa.Index:
		s.follow(i.(ssa.Value), false)
		return true
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.Phi, *ssa.ChangeType, *ssa.MakeInterface:
		s.follow(i.(ssa.Value), holds)
		return true
	case *ssa.Convert:
		b, ok := i.Type().Underlying().(*types.Basic)
		return ok && b.Info()&types.IsString != 0
	case *ssa.Store:
		if i.Addr == v && !holds && (!s.isInitial(i) || !s.literal(i.Val)) {
			return false
		}
		return i.Val != v || !holds && s.isHeld(i)
	case *ssa.Return:
		return !holds && s.returned(v, i)
	case *ssa.Call:
		return s.call(v, i, holds)
	}
	return false
}

// isHeld reports whether contents are stored into something that the function has made itself, which holds them from then on, or, by
// a declaration, into another variable, which leads to them from then on.
func (s *contents) isHeld(i *ssa.Store) bool {
	for at := i.Addr; ; {
		switch a := at.(type) {
		case *ssa.FieldAddr:
			at = a.X
		case *ssa.IndexAddr:
			at = a.X
		case *ssa.Slice:
			at = a.X
		case *ssa.Alloc, *ssa.MakeSlice:
			s.follow(a.(ssa.Value), !s.isInitial(i)) // what declarations put together is contents itself
			return true
		case *ssa.Global:
			s.variable(a)
			return s.isInitial(i)
		default:
			return false
		}
	}
}

// returned follows a result to all calls of a function.
func (s *contents) returned(v ssa.Value, i *ssa.Return) bool {
	calls := s.p.onlyCalls(i.Parent())
	for _, call := range calls {
		result := call.Value()
		if result == nil {
			continue // nobody has it
		}
		if len(i.Results) == 1 {
			s.follow(result, false)
			continue
		}
		for _, u := range *result.Referrers() {
			e, ok := u.(*ssa.Extract)
			if !ok {
				if _, debug := u.(*ssa.DebugRef); !debug {
					return false
				}
				continue
			}
			if i.Results[e.Index] == v {
				s.follow(e, false)
			}
		}
	}
	return len(calls) > 0
}

// call follows a value that is given to a function.
func (s *contents) call(v ssa.Value, i *ssa.Call, holds bool) bool {
	common := i.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap":
			return true
		case "copy":
			return (common.Args[0] != v || holds) && (common.Args[1] != v || plainElements(v.Type()))
		case "append":
			return common.Args[0] != v && plainElements(v.Type())
		}
		return false
	}
	g := common.StaticCallee()
	if g == nil || common.Value == v {
		return false
	}
	if !s.c.l.owns(packageOf(g)) && s.onlyReads(v, common, g) {
		return true
	}
	if len(g.Blocks) == 0 || len(g.Params) != len(common.Args) {
		return false
	}
	for k, x := range common.Args {
		if x == v {
			s.follow(g.Params[k], holds)
		}
	}
	return true
}

// onlyReads reports whether a contract says of a function that it only reads what a value leads to.
func (s *contents) onlyReads(v ssa.Value, common *ssa.CallCommon, g *ssa.Function) bool {
	e := s.c.effectOf(originOf(g).Object())
	receivers := len(common.Args) - common.Signature().Params().Len()
	for k, x := range common.Args {
		if x == v && !e.read[k-receivers] {
			return false
		}
	}
	for _, r := range s.c.rules(originOf(g).Object()) {
		s.clauses[r.text] = true
	}
	return true
}
