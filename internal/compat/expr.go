// SPDX-License-Identifier: Apache-2.0

package compat

// This file reads the expressions of protocols: which method of which object
// with which arguments. Go's own parser reads Go; of Java only the shape of a
// call is needed, which a scanner of brackets finds. Nothing is loaded: an
// argument counts as known only if its text alone says its value.

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// An invocation is a call in the text of a protocol.
type invocation struct {
	receiver string // the object or package it is made on, "" if there is none
	name     string // of the method or function; "zero", "new"; "" if it is no call
	args     []argument
	objects  []string // names that the expression declares
	fields   bool     // of a composite literal: it sets fields
}

// An argument is what the text says about an argument.
type argument struct {
	text  string
	value string // the value of a constant, "nil", "non-nil", or ""
	size  string // the length of a slice, string or map, or ""
}

// zero is the name of the constructor that only declares an object.
const zero = "zero"

// parseInvocation reads an expression of a protocol in a language.
func parseInvocation(language, expr string) invocation {
	if language == "java" {
		return parseJava(expr)
	}
	return parseGo(expr)
}

func parseGo(text string) invocation {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+text+"\n}", parser.SkipObjectResolution)
	if err != nil || len(f.Decls) != 1 {
		return invocation{}
	}
	body := f.Decls[0].(*ast.FuncDecl).Body
	if body == nil {
		return invocation{}
	}
	list := slices.DeleteFunc(body.List, func(s ast.Stmt) bool {
		_, ok := s.(*ast.GoStmt) // somebody else does that
		return ok
	})
	if len(list) == 0 {
		return invocation{}
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ExprStmt:
		return goCall(s.X)
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE || len(s.Rhs) != 1 {
			return invocation{}
		}
		inv := goCall(s.Rhs[0])
		for _, x := range s.Lhs {
			if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
				inv.objects = append(inv.objects, id.Name)
			}
		}
		return inv
	case *ast.DeclStmt:
		d, ok := s.Decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR || len(d.Specs) != 1 {
			return invocation{}
		}
		spec := d.Specs[0].(*ast.ValueSpec)
		inv := invocation{name: zero}
		if len(spec.Values) == 1 {
			inv = goCall(spec.Values[0])
		}
		for _, id := range spec.Names {
			inv.objects = append(inv.objects, id.Name)
		}
		return inv
	}
	return invocation{}
}

func goCall(e ast.Expr) invocation {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return goCall(e.X)
	case *ast.UnaryExpr:
		if x, ok := e.X.(*ast.CompositeLit); ok && e.Op == token.AND {
			return goCall(x)
		}
	case *ast.CompositeLit:
		return invocation{name: zero, fields: len(e.Elts) > 0}
	case *ast.CallExpr:
		inv := invocation{}
		fun := e.Fun
		switch f := fun.(type) { // an instance of a generic function
		case *ast.IndexExpr:
			fun = f.X
		case *ast.IndexListExpr:
			fun = f.X
		}
		switch f := fun.(type) {
		case *ast.Ident:
			if (f.Name == "len" || f.Name == "cap") && len(e.Args) == 1 {
				if inner, ok := e.Args[0].(*ast.CallExpr); ok {
					return goCall(inner) // the outcome is about the length of the result
				}
			}
			inv.name = f.Name
			if f.Name == "new" {
				inv.name = zero
				return inv
			}
		case *ast.SelectorExpr:
			inv.receiver, inv.name = goText(f.X), f.Sel.Name
		default:
			return invocation{}
		}
		for _, a := range e.Args {
			inv.args = append(inv.args, goArgument(a))
		}
		return inv
	}
	return invocation{}
}

func goText(e ast.Expr) string {
	var b strings.Builder
	if printer.Fprint(&b, token.NewFileSet(), e) != nil {
		return ""
	}
	return b.String()
}

// statements returns the Go statements of a constructor without the arguments of
// calls, which a constructor of the interface has as parameters; "" if it is no Go
// code.
func statements(text string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+text+"\n}", parser.SkipObjectResolution)
	if err != nil || len(f.Decls) != 1 || f.Decls[0].(*ast.FuncDecl).Body == nil {
		return ""
	}
	var list []string
	for _, s := range f.Decls[0].(*ast.FuncDecl).Body.List {
		if _, ok := s.(*ast.GoStmt); ok {
			continue // somebody else does that
		}
		withoutArguments(s)
		var b strings.Builder
		if printer.Fprint(&b, token.NewFileSet(), s) != nil {
			return ""
		}
		list = append(list, strings.Join(strings.Fields(b.String()), " "))
	}
	return strings.Join(list, "; ")
}

func withoutArguments(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); !ok || id.Name != "new" {
				n.Args = nil
			}
		case *ast.KeyValueExpr:
			n.Value = ast.NewIdent("_")
		}
		return true
	})
}

// chainText returns a call on another object without arguments, and without the
// name of the object under study if it begins with that.
func chainText(text, own string) (string, bool) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return "", false
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	withoutArguments(sel)
	out := goText(sel)
	if base, rest, ok := strings.Cut(out, "."); ok && strings.Contains(rest, ".") && (own == "" || base == own) {
		out = rest // c.Flags().Bool
	}
	return out, true
}

// assignment returns an assignment of one name to another, "" if a text is none.
func assignment(text string) string {
	x, y, ok := strings.Cut(text, "=")
	x, y = strings.TrimSpace(x), strings.TrimSpace(y)
	if !ok || !token.IsIdentifier(x) || !token.IsIdentifier(y) {
		return ""
	}
	return x + " = " + y
}

// goArgument finds out what the text of an argument says about its value.
func goArgument(e ast.Expr) argument {
	a := argument{text: goText(e)}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		switch e.Name {
		case "nil", "true", "false":
			a.value = e.Name
		}
		if e.Name == "nil" {
			a.size = "0"
		}
	case *ast.BasicLit, *ast.UnaryExpr, *ast.BinaryExpr:
		if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
			a.value = "non-nil"
			break
		}
		switch v := constantOf(e); v.Kind() {
		case constant.Int, constant.Bool:
			a.value = v.ExactString()
		case constant.String:
			a.size = strconv.Itoa(len(constant.StringVal(v)))
		}
	case *ast.FuncLit:
		a.value = "non-nil"
	case *ast.CompositeLit:
		a.literal(e)
	case *ast.SliceExpr:
		// A slice of something that is not nil; of an array or not, the bounds
		// tell the length.
		low := int64(0)
		if e.Low != nil {
			v := constantOf(e.Low)
			if v.Kind() != constant.Int {
				break
			}
			low, _ = constant.Int64Val(v)
		}
		if e.High == nil {
			break
		}
		if v := constantOf(e.High); v.Kind() == constant.Int {
			high, _ := constant.Int64Val(v)
			a.size = strconv.FormatInt(high-low, 10)
			if high > 0 {
				a.value = "non-nil"
			}
		}
	case *ast.CallExpr:
		a.conversion(e)
	}
	return a
}

// literal says what is known of a composite literal.
func (a *argument) literal(e *ast.CompositeLit) {
	switch t := e.Type.(type) {
	case *ast.ArrayType:
		if t.Len == nil {
			a.value = "non-nil"
			keyed := false
			for _, x := range e.Elts {
				_, k := x.(*ast.KeyValueExpr)
				keyed = keyed || k
			}
			if !keyed {
				a.size = strconv.Itoa(len(e.Elts))
			}
		}
	case *ast.MapType:
		a.value, a.size = "non-nil", strconv.Itoa(len(e.Elts))
	}
}

// conversion says what is known of a conversion or of a call of make or new.
func (a *argument) conversion(e *ast.CallExpr) {
	switch f := e.Fun.(type) {
	case *ast.ArrayType: // []byte("abc")
		if len(e.Args) == 1 {
			if v := constantOf(e.Args[0]); v.Kind() == constant.String {
				a.value, a.size = "non-nil", strconv.Itoa(len(constant.StringVal(v)))
			}
		}
	case *ast.Ident:
		switch {
		case f.Name == "new":
			a.value = "non-nil"
		case f.Name == "make":
			a.value = "non-nil"
			if len(e.Args) >= 2 {
				if v := constantOf(e.Args[1]); v.Kind() == constant.Int {
					a.size = v.ExactString()
				}
			} else {
				a.size = "0"
			}
		case len(e.Args) == 1: // int64(3)
			if _, basic := basicTypes[f.Name]; basic {
				if v := constantOf(e.Args[0]); v.Kind() == constant.Int {
					a.value = v.ExactString()
				}
			}
		}
	}
}

var basicTypes = map[string]bool{"int": true, "int8": true, "int16": true, "int32": true, "int64": true, "uint": true,
	"uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true, "byte": true, "rune": true}

// constantOf evaluates literals and operators on them; everything else is
// unknown.
func constantOf(e ast.Expr) constant.Value {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		v := constant.MakeFromLiteral(e.Value, e.Kind, 0)
		return v
	case *ast.UnaryExpr:
		if v := constantOf(e.X); v.Kind() == constant.Int && (e.Op == token.SUB || e.Op == token.ADD) {
			return constant.UnaryOp(e.Op, v, 0)
		}
	case *ast.BinaryExpr:
		x, y := constantOf(e.X), constantOf(e.Y)
		if x.Kind() == constant.Int && y.Kind() == constant.Int {
			switch e.Op {
			case token.ADD, token.SUB, token.MUL:
				return constant.BinaryOp(x, e.Op, y)
			case token.SHL:
				if n, ok := constant.Uint64Val(y); ok && n < 64 {
					return constant.Shift(x, e.Op, uint(n))
				}
			}
		}
		if x.Kind() == constant.String && y.Kind() == constant.String && e.Op == token.ADD {
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return constant.MakeUnknown()
}

// parseJava finds the last call of an expression like
// new ArrayList<>(elems).listIterator(start).
func parseJava(text string) invocation {
	text = javaChain(strings.TrimSpace(text))
	open := opening(text)
	if open < 0 {
		return invocation{}
	}
	head := strings.TrimSpace(text[:open])
	inv := invocation{}
	dot := lastDot(head)
	inv.name = strings.TrimSpace(head[dot+1:])
	if dot >= 0 {
		inv.receiver = strings.TrimSpace(head[:dot])
	}
	if strings.HasPrefix(head, "new ") && !strings.ContainsAny(head, "()") {
		inv.receiver, inv.name = "", "new"
	}
	if k := strings.IndexByte(inv.name, '<'); k > 0 {
		inv.name = inv.name[:k]
	}
	if inv.name == "if" || strings.ContainsAny(inv.name, " !") {
		return invocation{} // if(!held) lock()
	}
	for _, a := range javaArguments(text[open+1 : len(text)-1]) {
		arg := argument{text: a}
		switch {
		case a == "null":
			arg.value = "null"
		case a == "true" || a == "false":
			arg.value = a
		case strings.HasPrefix(a, "new ") || strings.HasPrefix(a, `"`):
			arg.value = "non-null"
		default:
			if e, err := parser.ParseExpr(a); err == nil {
				if v := constantOf(e); v.Kind() == constant.Int {
					arg.value = v.ExactString()
				}
			}
		}
		inv.args = append(inv.args, arg)
	}
	return inv
}

// javaChain returns the chain of calls that a text begins with, up to the last
// closing parenthesis. A remark after it is no part of it, nor is a class body,
// unless something is called on it: new AbstractList<String>(){..}.iterator().
func javaChain(text string) string {
	depth, end := 0, 0
	for k := 0; k < len(text); k++ {
		switch text[k] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth > 0 {
				continue
			}
			if text[k] == ')' {
				end = k + 1
			}
			if rest := text[k+1:]; rest == "" || !strings.ContainsRune(".{[", rune(rest[0])) {
				return text[:end]
			}
		}
	}
	return text[:end]
}

// opening returns the index of the bracket that the last one closes, or -1.
func opening(text string) int {
	depth := 0
	for k := len(text) - 1; k >= 0; k-- {
		switch text[k] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return -1
}

// lastDot returns the index of the last dot outside brackets, or -1.
func lastDot(text string) int {
	depth := 0
	for k := len(text) - 1; k >= 0; k-- {
		switch text[k] {
		case ')', ']', '}', '>':
			depth++
		case '(', '[', '{', '<':
			depth--
		case '.':
			if depth == 0 {
				return k
			}
		}
	}
	return -1
}

// javaArguments splits a list of arguments at the commas outside brackets.
func javaArguments(text string) []string {
	var out []string
	depth, start := 0, 0
	quoted := false
	for k := 0; k < len(text); k++ {
		switch c := text[k]; {
		case c == '\\' && quoted:
			k++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("([{<", c) >= 0:
			depth++
		case strings.IndexByte(")]}>", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			out, start = append(out, strings.TrimSpace(text[start:k])), k+1
		}
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" || len(out) > 0 {
		out = append(out, rest)
	}
	return out
}
