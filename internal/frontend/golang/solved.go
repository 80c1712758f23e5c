// SPDX-License-Identifier: Apache-2.0

package golang

// This file writes what contracts say of results so that as little as possible is left to choose. Of
//
//	Write(p) (n, err): 0 <= n && n <= len(p); n < len(p) => err != nil
//
// the second part says that n is len(p) if err is nil. To choose n and to assume that would be right as well. But where
// the length of p is not followed it is a value that only the code knows, and whoever asks whether something
// happens for sure would have to choose n without knowing it (sure.go of engine cegar): nothing would.

import (
	"go/ast"
	"slices"
	"strconv"

	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// mentions reports whether a property mentions a name.
func (q *property) mentions(name string) bool {
	found := false
	for _, e := range q.chain {
		ast.Inspect(e, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == name
			return !found
		})
	}
	return found
}

// assumeSolved assumes conditions on results. A number that they say is another one unless something holds becomes
// that one then.
func (f *frame) assumeSolved(out []value, conds []*term.Term, key string) {
	p := f.c.w.Pool
	var parts []*term.Term
	for _, c := range conds {
		if c.Op() == term.OpAnd {
			parts = append(parts, c.Args()...)
		} else {
			parts = append(parts, c)
		}
	}
	for i := range out {
		if len(out[i].t) != 1 || out[i].missing != "" || !out[i].t[0].IsVar() || out[i].t[0].Sort().Kind != term.BitVecKind {
			continue
		}
		x := out[i].t[0]
		is, unless := solve(p, x, parts)
		if is == nil {
			continue
		}
		leaf := f.c.leaves(out[i].typ)[0]
		y := f.m.Local(key+"/solved"+strconv.Itoa(i), "is", prog.Type{Sort: x.Sort(), Signed: leaf.typ.Signed})
		f.m.Set(y, p.Ite(unless, x, is))
		out[i].t = []*term.Term{y.Term}
		parts = p.SubstituteAll(parts, map[*term.Term]*term.Term{x: y.Term})
	}
	for _, c := range parts {
		f.m.Assume(c)
	}
}

// solve finds that conditions say x <= e and x >= e || unless; nil: they do not.
func solve(p *term.Pool, x *term.Term, conds []*term.Term) (e, unless *term.Term) {
	// less returns what is compared if t is !(a < b).
	less := func(t *term.Term) (op term.Op, a, b *term.Term) {
		if t.Op() == term.OpNot {
			if l := t.Args()[0]; l.Op() == term.OpSLt || l.Op() == term.OpULt {
				return l.Op(), l.Args()[0], l.Args()[1]
			}
		}
		return 0, nil, nil
	}
	for _, c := range conds {
		if c.Op() != term.OpOr {
			continue
		}
		for k, at := range c.Args() {
			op, a, b := less(at)
			if a != x || slices.Contains(term.FreeVars(b), x) {
				continue
			}
			unless := p.Or(slices.Delete(slices.Clone(c.Args()), k, k+1)...)
			if slices.Contains(term.FreeVars(unless), x) {
				continue
			}
			for _, d := range conds {
				if also, least, most := less(d); also == op && least == b && most == x {
					return b, unless
				}
			}
		}
	}
	return nil, nil
}
