// SPDX-License-Identifier: Apache-2.0

package golang

// This file proves bounds of what functions return: what holds of it at each return, or
// what contracts say. A goal is that a result is at most another number, or at least; the other
// one is zero, an argument or the length of one, or anything if a contract leads there.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// leByResult is about a bound that is a result, and another one: a <= b + c.
func (p *prover) leByResult(a, b bound, c int64, at point) bool {
	if call, k := resultAtCall(a.v); call != nil {
		if p.eachResult(call, k, a.len, func(n bound, j int64, rule *rule, to point) bool {
			if rule != nil {
				return p.byContract(call, *rule, k, a.len, func(y bound, m int64, above bool) bool { return above && p.le(y, b, c-m, at) })
			}
			x, i, ok := p.inside(call, to, b)
			return ok && p.le(n, x, c+i-j, to)
		}) {
			return true
		}
	}
	if call, k := resultAtCall(b.v); call != nil {
		return p.eachResult(call, k, b.len, func(n bound, j int64, rule *rule, to point) bool {
			if rule != nil {
				return p.byContract(call, *rule, k, b.len, func(y bound, m int64, above bool) bool { return !above && p.le(a, y, c+m, at) })
			}
			x, i, ok := p.inside(call, to, a)
			return ok && p.le(x, n, c+j-i, to)
		})
	}
	return false
}

// resultAtCall is the call that a value is a result of, and which one.
func resultAtCall(v ssa.Value) (*ssa.Call, int) {
	k := 0
	if e, ok := v.(*ssa.Extract); ok {
		v, k = e.Tuple, e.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil, 0
	}
	if _, builtin := call.Call.Value.(*ssa.Builtin); builtin {
		return nil, 0
	}
	return call, k
}

// eachResult reports whether something holds of a result, or of its length, at each return
// of all that a call may call; for code that is not followed, by one of its contracts.
func (p *prover) eachResult(call *ssa.Call, k int, len1 bool, holds func(n bound, j int64, r *rule, at point) bool) bool {
	p.round++
	defer func() { p.round-- }()
	returns := func(g *ssa.Function) bool {
		return len(g.Blocks) > 0 && (g.Recover == nil || neverRecovers(g)) && p.eachReturn(g, func(r *ssa.Return, at point) bool {
			if k >= len(r.Results) {
				return false
			}
			n, j := p.normal(returned(r, k))
			if len1 {
				n, j = p.length(returned(r, k))
			}
			return holds(n, j, nil, at)
		})
	}
	contract := func(rules []rule) bool {
		for i := range rules {
			if holds(bound{}, 0, &rules[i], point{}) {
				p.clauses[rules[i].text] = true
				return true
			}
		}
		return false
	}
	g := call.Call.StaticCallee()
	switch {
	case call.Call.IsInvoke():
		for _, h := range p.targets[call] {
			if !returns(h) {
				return false
			}
		}
		return contract(p.c.rules(call.Call.Method))
	case g == nil:
		return false
	case p.c.replaced(g) || len(g.Blocks) == 0:
		return contract(p.c.rules(originOf(g).Object()))
	}
	return returns(g)
}

// inside is a bound at a call as one of the function that is called: zero, or an
// argument. The argument is the number plus a constant.
func (p *prover) inside(call *ssa.Call, at point, b bound) (bound, int64, bool) {
	if b.v == nil {
		return b, 0, true
	}
	fn := at.b.Parent()
	for k, q := range fn.Params {
		x := argumentOf(&call.Call, fn, k)
		if x == nil || call.Call.IsInvoke() && k == 0 {
			continue
		}
		if hasLength(x.Type()) && hasLength(q.Type()) {
			if n, j := p.length(x); p.sameNumber(n, b) {
				return bound{v: q, len: true}, -j, true
			}
			continue
		}
		if n, j := p.normal(x); !b.len && p.sameNumber(n, b) {
			return bound{v: q}, -j, true
		}
	}
	return bound{}, 0, false
}

// byContract reports whether a contract says something of a result, or of its length, that
// is enough: that it is at most y + m (above), or at least y - m.
func (p *prover) byContract(call *ssa.Call, r rule, k int, len1 bool, enough func(y bound, m int64, above bool) bool) bool {
	if k >= len(r.results) || r.results[k] == "_" {
		return false
	}
	args := call.Call.Args
	if !call.Call.IsInvoke() && call.Call.Signature().Recv() != nil && len(args) > 0 {
		args = args[1:]
	}
	// number is what an expression stands for; result: the one that is asked for.
	var number func(e ast.Expr) (n bound, j int64, result, ok bool)
	number = func(e ast.Expr) (n bound, j int64, result, ok bool) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return number(e.X)
		case *ast.BasicLit:
			v := constant.MakeFromLiteral(e.Value, e.Kind, 0)
			i, exact := constant.Int64Val(constant.ToInt(v))
			return bound{}, i, false, exact && v.Kind() == constant.Int
		case *ast.UnaryExpr:
			n, j, result, ok := number(e.X)
			return n, -j, result, ok && e.Op == token.SUB && n.v == nil && !result
		case *ast.BinaryExpr:
			x, i, res1, ok1 := number(e.X)
			y, j, res2, ok2 := number(e.Y)
			if !ok1 || !ok2 || y.v != nil || res2 || e.Op != token.ADD && e.Op != token.SUB {
				return bound{}, 0, false, false
			}
			if e.Op == token.SUB {
				j = -j
			}
			return x, i + j, res1, true
		case *ast.CallExpr:
			f, isIdent := e.Fun.(*ast.Ident)
			if !isIdent || f.Name != "len" || len(e.Args) != 1 {
				return bound{}, 0, false, false
			}
			x, isIdent := e.Args[0].(*ast.Ident)
			if !isIdent {
				return bound{}, 0, false, false
			}
			if x.Name == r.results[k] {
				return bound{}, 0, true, len1
			}
			for i, name := range r.params {
				if name == x.Name && i < len(args) && hasLength(args[i].Type()) {
					n, j := p.length(args[i])
					return n, j, false, true
				}
			}
		case *ast.Ident:
			if e.Name == r.results[k] {
				return bound{}, 0, true, !len1
			}
			for i, name := range r.params {
				if name == e.Name && i < len(args) && isInteger(args[i].Type()) && !isUnsigned(args[i].Type()) {
					n, j := p.normal(args[i])
					return n, j, false, true
				}
			}
		}
		return bound{}, 0, false, false
	}
	var says func(e ast.Expr) bool
	says = func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return says(e.X)
		case *ast.BinaryExpr:
			switch e.Op {
			case token.LAND:
				return says(e.X) || says(e.Y)
			case token.LOR:
				return says(e.X) && says(e.Y)
			}
			_, i, res1, ok1 := number(e.X)
			y, j, res2, ok2 := number(e.Y)
			if !ok1 || !ok2 || res1 == res2 {
				return false
			}
			op := e.Op
			if res2 {
				// The result stands on the left from here on.
				y, _, _, _ = number(e.X)
				i, j = j, i
				op = mirrored(op)
			}
			m := j - i // result op y + m
			switch op {
			case token.LSS:
				return enough(y, m-1, true)
			case token.LEQ:
				return enough(y, m, true)
			case token.GTR:
				return enough(y, m+1, false)
			case token.GEQ:
				return enough(y, m, false)
			case token.EQL:
				return enough(y, m, true) || enough(y, m, false)
			}
		}
		return false
	}
	for _, q := range r.properties {
		if q.kind == holds && len(q.chain) == 1 && says(q.chain[0]) {
			return true
		}
	}
	return false
}

// hasLength reports whether values of a type have a length that is followed.
func hasLength(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Basic:
		return u.Info()&types.IsString != 0
	}
	return false
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
