// SPDX-License-Identifier: Apache-2.0

package replay

// This file finds the expressions that are given for parameters, by the user or by the library, and what guards
// see of them.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// given finds the expression that the user gave for a parameter: for a call, which
// is believed to satisfy its guard, for a function, or for any.
//
// If full is not empty, it is the name with which the library knows the function, and is asked, too.
func (g *generator) given(param, call, function, full string) (exprs []string, trusted, ok bool) {
	for _, list := range []map[string][]string{single(g.opt.Args), g.opt.Defaults} {
		for _, key := range []string{call + "." + param, function + "." + param, param} {
			if exprs, ok := list[key]; ok && param != "" {
				g.used[key] = true
				return exprs, key == call+"."+param && call != "", true
			}
		}
	}
	if full != "" {
		exprs = g.listed(param, call, function, full)
	}
	return exprs, false, len(exprs) > 0
}

// fullName is the name of a function with its import path and type: os.OpenRoot, net/http.Client.Do.
func fullName(f *types.Func) string {
	return strings.NewReplacer("(", "", ")", "", "*", "").Replace(f.Origin().FullName())
}

// givenCandidate is an expression that the user gave.
func givenCandidate(expr string) candidate {
	c := candidate{expr: expr, value: literalValue(expr)}
	if e, err := parser.ParseExpr(expr); err == nil {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				c.size = strconv.Itoa(len(text))
			}
		}
		if call, ok := e.(*ast.CallExpr); ok && c.value == "non-nil" && len(call.Args) > 1 { // make
			if _, slice := call.Args[0].(*ast.ArrayType); slice {
				c.size = literalValue(types.ExprString(call.Args[1]))
			}
		}
	}
	return c
}

// literalValue is what a guard sees of an expression that the user gave.
func literalValue(expr string) string {
	e, err := parser.ParseExpr(expr)
	if err != nil {
		return ""
	}
	switch e := e.(type) {
	case *ast.Ident:
		if e.Name == "nil" || e.Name == "true" || e.Name == "false" {
			return e.Name
		}
	case *ast.BasicLit:
		if e.Kind == token.INT {
			return e.Value
		}
	case *ast.UnaryExpr:
		if lit, ok := e.X.(*ast.BasicLit); ok && e.Op == token.SUB && lit.Kind == token.INT {
			return "-" + lit.Value
		}
		if e.Op == token.AND {
			return "non-nil"
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && (id.Name == "new" || id.Name == "make") {
			return "non-nil"
		}
	case *ast.FuncLit:
		return "non-nil"
	}
	return ""
}

// mayBeNil reports whether a type has nil, and little else that a guard sees.
func mayBeNil(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Chan, *types.Signature:
		return true
	}
	return false
}

// ofNil reports whether an expression converts nil.
func (g *generator) ofNil(expr string) bool {
	e, err := parser.ParseExpr(expr)
	if err != nil {
		return false
	}
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.CallExpr:
			if len(x.Args) != 1 || !g.isType(x.Fun) {
				return false
			}
			e = x.Args[0]
		case *ast.Ident:
			return x.Name == "nil"
		default:
			return false
		}
	}
}

// isType reports whether an expression is a type, of those that can be told.
func (g *generator) isType(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := types.Universe.Lookup(x.Name).(*types.TypeName)
		return ok
	case *ast.SelectorExpr:
		return newResolver(g).typ(x) != nil
	case *ast.StarExpr, *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType:
		return true
	}
	return false
}

// alternatives are the expressions that were given for a parameter, or that the library has.
func (g *generator) alternatives(p formal, call string) []string {
	if exprs, _, ok := g.given(p.name, call, p.owner, p.full); ok {
		return exprs
	}
	return nil
}

// exprCandidates are expressions that were given for a parameter.
func (g *generator) exprCandidates(exprs []string, t types.Type) (list []candidate) {
	for _, expr := range exprs {
		c := givenCandidate(expr)
		if c.value == "" && mayBeNil(t) && !g.ofNil(expr) {
			c.value = "non-nil" // the user would have said nil
		}
		list = append(list, c)
	}
	return list
}
