// SPDX-License-Identifier: Apache-2.0

package golang

// This file reads contracts: what is known of functions that are not followed.
// A clause is a line
//
//	NAME(PARAMETERS) (RESULTS): PROPERTY; PROPERTY...
//
// and doc/contracts.md has the language. Conditions are Go expressions, checked
// by go/types in a scope of the parameters and results, so a clause that does
// not fit its function is an error with a position. A language of its own for
// types or for contents was not made: what a contract cannot say is any value.

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

//go:embed std.contracts
var standard string

// standardFile is how the embedded set is called in positions.
const standardFile = "std.contracts"

// A clause is a line of contracts.
type clause struct {
	text            string
	pos             token.Position
	name            string
	params, results []string
	listed          bool // parameters and results are named
	properties      []property
}

type propertyKind uint8

const (
	holds    propertyKind = iota + 1 // a condition of every return
	pure                             // the results are a function of the arguments; nothing is changed or kept
	passive                          // nothing is changed or kept
	fresh                            // a result is a new object
	keeps                            // some arguments are kept, nothing is changed
	panicsIf                         // the call panics where a condition holds
	onlyIf                           // the call returns only where a condition holds
	blocked                          // the call waits for somebody else
	instead                          // it stands in place of the body in its own package, too
	reads                            // what some arguments lead to is not changed or kept
	stored                           // the results are what earlier calls put into the receiver: state, and no answers
)

type property struct {
	kind    propertyKind
	names   []string   // of fresh, keeps and reads
	message string     // of panicsIf
	chain   []ast.Expr // of conditions: a => b => c
	pos     token.Position
}

var clauseHead = regexp.MustCompile(`^([^\s(:]*(?:\(\*?\w+\)\.\w+)?)(?:\(([^()]*)\))?\s*(?:\(([^()]*)\))?\s*:`)

// parseClauses reads a file of contracts.
func parseClauses(file, text string) ([]*clause, error) {
	var all []*clause
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "//") {
			continue
		}
		c, err := parseClause(token.Position{Filename: file, Line: n}, line)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func parseClause(at token.Position, line string) (*clause, error) {
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	m := clauseHead.FindStringSubmatchIndex(line[indent:])
	column := func(offset int) token.Position {
		p := at
		p.Column = offset + 1
		return p
	}
	if m == nil || m[2] == m[3] {
		return nil, fmt.Errorf("%v: expected a function and a colon, such as io.Reader.Read(p) (n, err): 0 <= n && n <= len(p)", column(indent))
	}
	part := func(k int) (string, bool) {
		if m[2*k] < 0 {
			return "", false
		}
		return line[indent+m[2*k] : indent+m[2*k+1]], true
	}
	c := &clause{pos: column(indent)}
	c.name, _ = part(1)
	list, named := part(2)
	c.listed = named
	var err error
	if c.params, err = nameList(list); err != nil {
		return nil, fmt.Errorf("%v: %v", column(indent+m[4]), err)
	}
	if list, named = part(3); named {
		if !c.listed {
			return nil, fmt.Errorf("%v: expected the parameters before the results", c.pos)
		}
		if c.results, err = nameList(list); err != nil {
			return nil, fmt.Errorf("%v: %v", column(indent+m[6]), err)
		}
	}
	start := indent + m[1]
	pieces, end := splitProperties(line, start)
	c.text = strings.TrimSpace(line[:end])
	for _, s := range pieces {
		p, err := parseProperty(column, line, s[0], s[1])
		if err != nil {
			return nil, err
		}
		c.properties = append(c.properties, p)
	}
	return c, nil
}

func nameList(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var all []string
	for _, n := range strings.Split(text, ",") {
		n = strings.TrimSpace(n)
		if !token.IsIdentifier(n) {
			return nil, fmt.Errorf("%q is not a name; expected names of parameters or results", n)
		}
		if n != "_" && (slices.Contains(all, n) || n == receiverKey) {
			return nil, fmt.Errorf("the name %s is taken", n)
		}
		all = append(all, n)
	}
	return all, nil
}

// splitProperties returns where the properties of a line begin and end, and where
// the text ends and a comment begins.
func splitProperties(line string, start int) (pieces [][2]int, end int) {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(line)-start)
	var s scanner.Scanner
	s.Init(f, []byte(line[start:]), func(token.Position, string) {}, scanner.ScanComments)
	depth, from := 0, start
	end = len(line)
	for {
		pos, tok, lit := s.Scan()
		at := start + f.Offset(pos)
		switch {
		case tok == token.COMMENT:
			end = at
			return append(pieces, [2]int{from, at}), end
		case tok == token.EOF:
			return append(pieces, [2]int{from, end}), end
		case tok == token.LPAREN || tok == token.LBRACK:
			depth++
		case tok == token.RPAREN || tok == token.RBRACK:
			depth--
		case tok == token.SEMICOLON && lit == ";" && depth == 0:
			pieces = append(pieces, [2]int{from, at})
			from = at + 1
		}
	}
}

func parseProperty(column func(int) token.Position, line string, from, to int) (property, error) {
	text := strings.TrimSpace(line[from:to])
	from += strings.Index(line[from:to], text)
	p := property{pos: column(from)}
	word, rest, _ := strings.Cut(text, " ")
	offset := from + len(text) - len(strings.TrimSpace(rest))
	rest = strings.TrimSpace(rest)
	condition := func(k propertyKind, text string, at int) (property, error) {
		p.kind = k
		var err error
		p.chain, err = parseCondition(column, text, at)
		return p, err
	}
	switch {
	case text == "":
		return p, fmt.Errorf("%v: expected a property", p.pos)
	case text == "pure":
		p.kind = pure
		return p, nil
	case text == "passive":
		p.kind = passive
		return p, nil
	case text == "stored":
		p.kind = stored
		return p, nil
	case text == "instead":
		p.kind = instead
		return p, nil
	case text == "blocks":
		p.kind = blocked
		return p, nil
	case (word == "fresh" || word == "keeps" || word == "reads") && rest != "" && (token.IsIdentifier(rest) || strings.Contains(rest, ",")):
		names, err := nameList(rest)
		if err != nil {
			return p, fmt.Errorf("%v: %v", column(offset), err)
		}
		p.kind, p.names = map[string]propertyKind{"fresh": fresh, "keeps": keeps, "reads": reads}[word], names
		return p, nil
	case word == "panics" && rest != "":
		if strings.HasPrefix(rest, `"`) {
			end := strings.Index(rest[1:], `"`) + 2
			if end < 2 {
				return p, fmt.Errorf("%v: expected the end of the message", column(offset))
			}
			p.message = rest[1 : end-1]
			offset += end
			rest = rest[end:]
			trimmed := strings.TrimLeft(rest, " ")
			offset += len(rest) - len(trimmed)
			rest = trimmed
		}
		cond, ok := strings.CutPrefix(rest, "if ")
		if !ok {
			return p, fmt.Errorf("%v: expected panics \"message\" if CONDITION", column(offset))
		}
		return condition(panicsIf, cond, offset+len("if "))
	case strings.HasPrefix(text, "returns only if "):
		k := len("returns only if ")
		return condition(onlyIf, text[k:], from+k)
	}
	return condition(holds, text, from)
}

// parseCondition parses expressions between arrows. at is the offset of the text
// in its line.
func parseCondition(column func(int) token.Position, text string, at int) ([]ast.Expr, error) {
	var chain []ast.Expr
	for from := 0; ; {
		end, arrow := len(text), false
		if k := arrowAt(text[from:]); k >= 0 {
			end, arrow = from+k, true
		}
		piece := text[from:end]
		if strings.TrimSpace(piece) == "" {
			return nil, fmt.Errorf("%v: expected a condition", column(at+from))
		}
		e, err := parser.ParseExpr(piece)
		if err != nil {
			pos := column(at + from)
			message := err.Error()
			if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
				pos = column(at + from + max(0, min(list[0].Pos.Offset, len(piece))))
				message = list[0].Msg
			}
			return nil, fmt.Errorf("%v: %s", pos, message)
		}
		chain = append(chain, e)
		if !arrow {
			return chain, nil
		}
		from = end + len("=>")
	}
}

// arrowAt finds => outside of parentheses.
func arrowAt(text string) int {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(f, []byte(text), func(token.Position, string) {}, 0)
	depth, last := 0, -2
	for {
		pos, tok, _ := s.Scan()
		at := f.Offset(pos)
		switch tok {
		case token.EOF:
			return -1
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK:
			depth--
		case token.ASSIGN:
			if depth == 0 {
				last = at
			}
		case token.GTR:
			if last == at-1 && depth == 0 {
				return last
			}
		}
	}
}

// A contract is all that is known of one function.
type contract struct {
	fn    *types.Func
	rules []rule
}

// A rule is a clause that fits its function.
type rule struct {
	*clause
	info *types.Info
}

func (k *contract) has(kind propertyKind) bool {
	return slices.ContainsFunc(k.rules, func(r rule) bool {
		return slices.ContainsFunc(r.properties, func(p property) bool { return p.kind == kind })
	})
}

// A ContractFile is a file of contracts.
type ContractFile struct{ Name, Text string }

// contracts are those of a program: of functions, and of methods of interfaces by
// name.
type contracts struct {
	of      map[*types.Func]*contract
	methods map[string][]*contract
	early   map[*ssa.Package]map[*ssa.Function]bool // see initFunctions
}

// readContracts reads the embedded set and the user's files, and fits them to the
// packages of a program. A clause of a package that is not there is of no use; a
// clause that does not fit is an error, unless it is of the embedded set, which
// knows the functions of more than one release.
func readContracts(prog *ssa.Program, files []ContractFile) (*contracts, error) {
	packages := map[string]*types.Package{}
	for _, p := range prog.AllPackages() {
		packages[p.Pkg.Path()] = p.Pkg
	}
	out := &contracts{of: map[*types.Func]*contract{}, methods: map[string][]*contract{}}
	add := func(list []*clause, strict bool) error {
		for _, c := range list {
			fn, err := findFunction(packages, c.name)
			if err == nil && fn == nil {
				continue
			}
			var r rule
			if err == nil {
				r, err = fit(c, fn)
			} else {
				err = fmt.Errorf("%v: %v", c.pos, err)
			}
			if err != nil {
				if strict {
					return err
				}
				continue
			}
			k := out.of[fn]
			if k == nil {
				k = &contract{fn: fn}
				out.of[fn] = k
				if interfaceOf(fn) != nil {
					out.methods[fn.Name()] = append(out.methods[fn.Name()], k)
				}
			}
			k.rules = append(k.rules, r)
		}
		return nil
	}
	list, err := parseClauses(standardFile, standard)
	if err != nil {
		return nil, fmt.Errorf("internal error: %w", err)
	}
	if err := add(list, false); err != nil {
		return nil, err
	}
	for _, f := range files {
		list, err := parseClauses(f.Name, f.Text)
		if err != nil {
			return nil, err
		}
		if err := add(list, true); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// findFunction finds a function or method by name: nil if its package is not
// there.
func findFunction(packages map[string]*types.Package, name string) (*types.Func, error) {
	if name == "error.Error" {
		fn, _, _ := types.LookupFieldOrMethod(types.Universe.Lookup("error").Type(), false, nil, "Error")
		return fn.(*types.Func), nil
	}
	slash := strings.LastIndexByte(name, '/') + 1
	for i, r := range name[slash:] {
		if r != '.' {
			continue
		}
		pkg := packages[name[:slash+i]]
		if pkg == nil {
			continue
		}
		return member(pkg, name[slash+i+1:])
	}
	if !strings.Contains(name[slash:], ".") {
		return nil, fmt.Errorf("%s: expected a function with its package", name)
	}
	return nil, nil
}

func member(pkg *types.Package, name string) (*types.Func, error) {
	typ, method, isMethod := strings.Cut(name, ".")
	if rest, ok := strings.CutPrefix(name, "(*"); ok {
		typ, method, isMethod = strings.Cut(rest, ").")
	}
	obj := pkg.Scope().Lookup(typ)
	if obj == nil {
		return nil, fmt.Errorf("package %s has no %s", pkg.Path(), typ)
	}
	if !isMethod {
		if fn, ok := obj.(*types.Func); ok {
			return fn, nil
		}
		return nil, fmt.Errorf("%s.%s is not a function", pkg.Path(), typ)
	}
	tn, ok := obj.(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("%s.%s is not a type", pkg.Path(), typ)
	}
	m, _, _ := types.LookupFieldOrMethod(tn.Type(), true, pkg, method)
	if fn, ok := m.(*types.Func); ok {
		return fn, nil
	}
	return nil, fmt.Errorf("type %s.%s has no method %s", pkg.Path(), typ, method)
}

// interfaceOf returns the interface that a method is of, nil if it has code.
func interfaceOf(fn *types.Func) *types.Interface {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	i, _ := recv.Type().Underlying().(*types.Interface)
	return i
}

// fit checks a clause against the signature of its function.
func fit(c *clause, fn *types.Func) (rule, error) {
	sig := fn.Signature()
	if c.listed && len(c.params) != sig.Params().Len() {
		return rule{}, fmt.Errorf("%v: %s has %d parameters, not %d", c.pos, c.name, sig.Params().Len(), len(c.params))
	}
	if c.results != nil && len(c.results) != sig.Results().Len() {
		return rule{}, fmt.Errorf("%v: %s has %d results, not %d", c.pos, c.name, sig.Results().Len(), len(c.results))
	}
	// The names are those of a package of the same path, so that unexported
	// fields can be named.
	scope := types.NewPackage("error", "error")
	if pkg := fn.Pkg(); pkg != nil {
		scope = types.NewPackage(pkg.Path(), pkg.Name())
	}
	declare := func(name string, t types.Type) {
		if name != "_" {
			scope.Scope().Insert(types.NewVar(token.NoPos, scope, name, t))
		}
	}
	for i, n := range c.params {
		declare(n, sig.Params().At(i).Type())
	}
	for i, n := range c.results {
		declare(n, sig.Results().At(i).Type())
	}
	if sig.Recv() != nil {
		declare(receiverKey, sig.Recv().Type())
	}
	if pkg := fn.Pkg(); pkg != nil {
		// A parameter hides a package of its name: the first is kept.
		for _, p := range append([]*types.Package{pkg}, pkg.Imports()...) {
			scope.Scope().Insert(types.NewPkgName(token.NoPos, scope, p.Name(), p))
		}
	}
	r := rule{c, &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	for _, p := range c.properties {
		for _, n := range p.names {
			list, what := c.params, "parameter"
			if p.kind == fresh {
				list, what = c.results, "result"
			}
			k := slices.Index(list, n)
			if k < 0 {
				return rule{}, fmt.Errorf("%v: %s is no %s", p.pos, n, what)
			}
			if p.kind == fresh {
				if t := sig.Results().At(k).Type(); !isReference(t) {
					return rule{}, fmt.Errorf("%v: %s is no reference, so it cannot be fresh", p.pos, n)
				}
			}
		}
		for _, e := range p.chain {
			if err := types.CheckExpr(token.NewFileSet(), scope, token.NoPos, e, r.info); err != nil {
				message := err.Error()
				if te, ok := err.(types.Error); ok {
					message = te.Msg
				}
				return rule{}, fmt.Errorf("%v: %s", p.pos, message)
			}
			if t := r.info.Types[e].Type; t == nil || !types.Identical(types.Default(t).Underlying(), types.Typ[types.Bool]) {
				return rule{}, fmt.Errorf("%v: expected a condition", p.pos)
			}
			if what := r.unsupported(e); what != "" {
				return rule{}, fmt.Errorf("%v: contracts know conditions of integers, truth values, len, cap, nil and fields; not %s", p.pos, what)
			}
			if p.kind == panicsIf || p.kind == onlyIf {
				if slices.ContainsFunc(c.results, func(n string) bool { return mentions(e, n) }) {
					return rule{}, fmt.Errorf("%v: expected a condition of the parameters only", p.pos)
				}
			}
		}
	}
	return r, nil
}

func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface, *types.Slice:
		return true
	}
	return false
}

func mentions(e ast.Expr, name string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// unsupported returns what of a condition is not a scalar; "" if nothing.
func (r rule) unsupported(e ast.Expr) string {
	tv := r.info.Types[e]
	if tv.Value != nil {
		if k := tv.Value.Kind(); k == constant.Bool || k == constant.Int {
			return ""
		}
		return types.ExprString(e)
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.unsupported(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT || e.Op == token.SUB {
			return r.unsupported(e.X)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.ADD, token.SUB, token.MUL, token.QUO, token.REM:
			for _, x := range []ast.Expr{e.X, e.Y} {
				if r.info.Types[x].IsNil() {
					continue
				}
				if what := r.unsupported(x); what != "" {
					return what
				}
				if e.Op == token.EQL || e.Op == token.NEQ {
					switch u := r.info.Types[x].Type.Underlying().(type) {
					case *types.Basic:
						if u.Info()&(types.IsBoolean|types.IsInteger) == 0 && u.Kind() != types.UnsafePointer {
							return types.ExprString(e)
						}
					case *types.Struct, *types.Array:
						return types.ExprString(e)
					}
				} else if b, ok := r.info.Types[x].Type.Underlying().(*types.Basic); !ok || b.Info()&(types.IsBoolean|types.IsInteger) == 0 {
					return types.ExprString(e)
				}
			}
			return ""
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap") && len(e.Args) == 1 && r.info.Types[e.Fun].IsBuiltin() {
			t := r.info.Types[e.Args[0]].Type
			if _, ok := types.Unalias(t).(*types.TypeParam); ok {
				return r.unsupported(e.Args[0]) // go/types has checked that it has a length
			}
			switch t.Underlying().(type) {
			case *types.Slice, *types.Map, *types.Basic:
				return r.unsupported(e.Args[0])
			}
		}
	case *ast.Ident:
		if _, ok := r.info.Uses[e].(*types.Var); ok {
			return ""
		}
	case *ast.SelectorExpr:
		if r.variable(e) != nil {
			return ""
		}
		if s := r.info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
			return r.unsupported(e.X)
		}
	}
	return types.ExprString(e)
}

// variable returns the package variable that an expression is, if it is one.
func (r rule) variable(e *ast.SelectorExpr) *types.Var {
	id, ok := e.X.(*ast.Ident)
	if !ok {
		return nil
	}
	if _, ok := r.info.Uses[id].(*types.PkgName); !ok {
		return nil
	}
	v, _ := r.info.Uses[e.Sel].(*types.Var)
	return v
}
