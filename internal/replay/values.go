// SPDX-License-Identifier: Apache-2.0

package replay

// This file finds argument values: expressions of a parameter's type that
// satisfy the guard of a call. A value is chosen by type; guards choose among a
// few candidates, which are tried in order. A solver was not chosen: guards of
// interfaces compare arguments with constants, and the candidates hold those.

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// A candidate is an expression and what a guard sees of it: its value, "nil" or
// "non-nil", its length, and the values of its fields that are not zero.
type candidate struct {
	expr, value string
	size        string
	fields      map[string]string
	trusted     bool // the user says that it satisfies the guard
}

// base is the parameter that a parameter of the file is a part of: p of len(p), o
// of o.Level.
func base(name string) string {
	for _, f := range []string{"len(", "cap("} {
		if inner, ok := strings.CutPrefix(name, f); ok {
			name = strings.TrimSuffix(inner, ")")
		}
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

// part is what a guard sees of a part of the candidate, "" if it is not known.
// A field that is not given is zero.
func (c candidate) part(name string) string {
	inner, sized := strings.CutPrefix(name, "len(")
	inner = strings.TrimSuffix(inner, ")")
	_, field, isField := strings.Cut(inner, ".")
	switch {
	case strings.HasPrefix(name, "cap("):
		return ""
	case sized && isField:
		return c.fields["len "+field]
	case isField && !strings.HasSuffix(c.expr, "}"):
		return ""
	case sized:
		return c.size
	case isField && c.fields[field] != "":
		return c.fields[field]
	case isField && strings.Contains(field, "."):
		return ""
	case isField:
		return "0"
	}
	return c.value
}

// text is the expression as it is shown in words.
func (c candidate) text() string {
	if strings.HasPrefix(c.expr, "func(") {
		return "func"
	}
	return c.expr
}

// candidates returns expressions of a type, the usual one first, with values for
// guards. Nil is the last: a client passes it only if a guard asks for it.
func (g *generator) candidates(t types.Type, guards []string) []candidate {
	name := func() string { return g.typeName(t) }
	if list := g.fromLibrary(t, guards); len(list) > 0 {
		return list
	}
	if expr := g.stream(qualified(t)); expr != "" {
		return []candidate{{expr: expr, value: "non-nil"}, {expr: "nil", value: "nil", size: "0"}}
	}
	switch qualified(t) {
	case "error":
		return []candidate{{expr: g.pkg("errors") + `.New("an error")`, value: "non-nil"}, {expr: "nil", value: "nil", size: "0"}}
	case "time.Duration":
		return []candidate{{expr: g.pkg("time") + ".Millisecond", value: "1000000"}, {expr: "0", value: "0"}, {expr: "-1", value: "-1"}}
	}
	if !g.nameable(t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return []candidate{{expr: "true", value: "true"}, {expr: "false", value: "false"}}
		case u.Info()&types.IsInteger != 0:
			var list []candidate
			for _, n := range integers(guards) {
				v := constant.MakeFromLiteral(strings.TrimPrefix(n, "-"), token.INT, 0)
				if strings.HasPrefix(n, "-") {
					if u.Info()&types.IsUnsigned != 0 {
						continue
					}
					v = constant.UnaryOp(token.SUB, v, 0)
				}
				if inRange(v, u) {
					list = append(list, candidate{expr: n, value: n})
				}
			}
			return list
		case u.Info()&types.IsString != 0:
			list := g.texts(guards)
			for _, k := range lengths(guards) {
				expr := strconv.Quote(strings.Repeat("a", k))
				if k > longestText {
					expr = fmt.Sprintf(`%s.Repeat("a", %d)`, g.pkg("strings"), k)
				}
				list = append(list, candidate{expr: expr, size: strconv.Itoa(k)})
			}
			return list
		case u.Info()&types.IsFloat != 0:
			return []candidate{{expr: "1", value: ""}, {expr: "0", value: ""}}
		case u.Info()&types.IsComplex != 0:
			return []candidate{{expr: "1", value: ""}}
		case u.Kind() == types.UnsafePointer, u.Kind() == types.UntypedNil:
			return []candidate{{expr: "nil", value: "nil", size: "0"}}
		}
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
			list := []candidate{{expr: name() + `("abc")`, value: "non-nil", size: "3"}, {expr: name() + "{}", value: "non-nil", size: "0"}}
			return append(append(list, g.sized(t, guards)...), candidate{expr: "nil", value: "nil", size: "0"})
		}
		list := []candidate{{expr: "make(" + name() + ", 1)", value: "non-nil", size: "1"}, {expr: name() + "{}", value: "non-nil", size: "0"}}
		return append(append(list, g.sized(t, guards)...), candidate{expr: "nil", value: "nil", size: "0"})
	case *types.Map:
		return []candidate{{expr: name() + "{}", value: "non-nil", size: "0"}, {expr: "nil", value: "nil", size: "0"}}
	case *types.Chan:
		return []candidate{{expr: "make(" + name() + ", 1)", value: "non-nil", size: "1"}, {expr: "nil", value: "nil", size: "0"}}
	case *types.Pointer:
		if list := g.literals(u.Elem(), guards, 0); len(list) > 0 {
			return append(addresses(list), candidate{expr: "nil", value: "nil", size: "0"})
		}
		return []candidate{{expr: "new(" + g.typeName(u.Elem()) + ")", value: "non-nil"}, {expr: "nil", value: "nil", size: "0"}}
	case *types.Signature:
		if f, ok := g.function(u); ok {
			return []candidate{{expr: f, value: "non-nil"}, {expr: "nil", value: "nil", size: "0"}}
		}
		return []candidate{{expr: "nil", value: "nil", size: "0"}}
	case *types.Interface:
		if u.NumMethods() == 0 && !u.IsComparable() && len(u.String()) < 20 {
			return []candidate{{expr: "1", value: "non-nil"}, {expr: "nil", value: "nil", size: "0"}}
		}
		if expr, ok := g.made(t); ok {
			return []candidate{{expr: expr, value: "non-nil"}, {expr: "nil", value: "nil", size: "0"}}
		}
		if expr, ok := g.stub(t); ok {
			return []candidate{{expr: expr, value: "non-nil"}, {expr: "nil", value: "nil", size: "0"}}
		}
		return []candidate{{expr: "nil", value: "nil", size: "0"}}
	case *types.Struct:
		list := []candidate{{expr: name() + "{}"}}
		// Fields that guards are about, one at a time.
		for k := range u.NumFields() {
			f := u.Field(k)
			if b, ok := f.Type().Underlying().(*types.Basic); ok && f.Exported() && b.Info()&(types.IsInteger|types.IsBoolean) != 0 &&
				slices.ContainsFunc(guards, func(guard string) bool { return strings.Contains(guard, "."+f.Name()) }) {
				for _, c := range g.candidates(f.Type(), guards) {
					list = append(list, candidate{expr: name() + "{" + f.Name() + ": " + c.expr + "}", fields: map[string]string{f.Name(): c.value}})
				}
			}
		}
		return list
	case *types.Array:
		return []candidate{{expr: name() + "{}"}}
	}
	return nil
}

// Texts that are not longer are written out; others, and slices, are made, and cost memory alone.
const (
	longestText  = 100
	longestSlice = 1 << 16
)

// lengths returns the lengths that guards may ask for, besides the usual ones.
func lengths(guards []string) (list []int) {
	for _, n := range integers(guards) {
		if k, err := strconv.Atoi(n); err == nil && k > 1 && k <= longestSlice {
			list = append(list, k)
		}
	}
	return list
}

// sized returns slices of the lengths that guards ask for.
func (g *generator) sized(t types.Type, guards []string) (list []candidate) {
	if !slices.ContainsFunc(guards, func(guard string) bool { return strings.Contains(guard, "len(") }) {
		return nil
	}
	for _, k := range lengths(guards) {
		list = append(list, candidate{expr: fmt.Sprintf("make(%s, %d)", g.typeName(t), k), value: "non-nil", size: strconv.Itoa(k)})
	}
	return list
}

// hinted returns the candidates for a parameter, the k-th of its function if it
// has no others before it, with those that hints name first.
//
// Hints is how many those are.
func (g *generator) hinted(p formal, k int, guards []string) (list []candidate, hints int) {
	if list := g.sliced(p, k); len(list) > 0 && g.opt.Only {
		return list, 0
	}
	usual := g.candidates(p.typ, guards)
	for _, args := range g.opt.Hints[p.owner] {
		at := k - p.first
		if at < 0 || at >= len(args) || !g.fits(args[at], p.typ) || slices.ContainsFunc(list, func(c candidate) bool { return c.expr == args[at] }) {
			continue
		}
		c := givenCandidate(args[at])
		if c.value == "" {
			c.value = g.constantValue(args[at])
		}
		list = append(list, c)
	}
	hints = len(list)
	return append(list, slices.DeleteFunc(usual, func(c candidate) bool {
		return slices.ContainsFunc(list, func(d candidate) bool { return c.expr == d.expr })
	})...), hints
}

// sliced returns the candidates for a slice if hints say how long it is, and all of them do: p[:1].
func (g *generator) sliced(p formal, k int) (list []candidate) {
	if _, ok := p.typ.Underlying().(*types.Slice); !ok {
		return nil
	}
	for _, args := range g.opt.Hints[p.owner] {
		at := k - p.first
		if at < 0 || at >= len(args) {
			return nil
		}
		e, err := parser.ParseExpr(args[at])
		s, ok := e.(*ast.SliceExpr)
		if err != nil || !ok || s.Low != nil || s.Slice3 {
			return nil
		}
		n, ok := s.High.(*ast.BasicLit)
		if !ok || n.Kind != token.INT {
			return nil
		}
		list = append(list, givenCandidate(fmt.Sprintf("make(%s, %s)", g.typeName(p.typ), n.Value)))
	}
	return list
}

// constantValue is the value of an integer constant, "" if the expression is none.
func (g *generator) constantValue(expr string) string {
	if tv, err := g.evaluated(expr); err == nil && tv.Value != nil && tv.Value.Kind() == constant.Int {
		return tv.Value.ExactString()
	}
	return ""
}

// fits reports whether an expression that mentions nothing but packages has a
// type.
func (g *generator) fits(expr string, t types.Type) bool {
	tv, err := g.evaluated(expr)
	if err != nil || !tv.IsValue() && !tv.IsNil() || !types.AssignableTo(tv.Type, t) {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return !ok || tv.Value == nil || tv.Value.Kind() != constant.Int || inRange(tv.Value, b)
}

// evaluated is what the type checker says of an expression that mentions nothing but packages.
func (g *generator) evaluated(expr string) (types.TypeAndValue, error) {
	e, err := parser.ParseExpr(expr)
	if err != nil {
		return types.TypeAndValue{}, err
	}
	pkg := types.NewPackage("p", "p")
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && pkg.Scope().Lookup(id.Name) == nil {
				if p := newResolver(g).pkg(id.Name); p != nil {
					pkg.Scope().Insert(types.NewPkgName(token.NoPos, pkg, id.Name, p))
				}
			}
		}
		return true
	})
	return types.Eval(token.NewFileSet(), pkg, token.NoPos, expr)
}

func qualified(t types.Type) string {
	if n, ok := t.(*types.Named); ok && n.TypeArgs().Len() == 0 {
		if n.Obj().Pkg() == nil {
			return n.Obj().Name()
		}
		return n.Obj().Pkg().Path() + "." + n.Obj().Name()
	}
	return ""
}

func inRange(v constant.Value, b *types.Basic) bool {
	size := map[types.BasicKind]int{types.Int8: 8, types.Uint8: 8, types.Int16: 16, types.Uint16: 16, types.Int32: 32, types.Uint32: 32}[b.Kind()]
	if size == 0 {
		size = 63
	}
	return constant.BitLen(v) < size
}

// integers returns values to try for an integer: a few usual ones, and those that
// guards mention, with their neighbours.
func integers(guards []string) []string {
	out := []string{"1", "0", "5", "64", "-1"}
	add := func(v constant.Value) {
		if s := v.ExactString(); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	one := constant.MakeInt64(1)
	for _, guard := range guards {
		e, err := parser.ParseExpr(guard)
		if err != nil {
			continue
		}
		ast.Inspect(e, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.INT {
				return true
			}
			v := constant.MakeFromLiteral(lit.Value, token.INT, 0)
			for _, w := range []constant.Value{v, constant.UnaryOp(token.SUB, v, 0)} {
				add(w)
				add(constant.BinaryOp(w, token.ADD, one))
				add(constant.BinaryOp(w, token.SUB, one))
			}
			return true
		})
	}
	return out
}

// signatureOf is the signature of a function that is called as it is.
func (g *generator) signatureOf(name, full string, s *types.Signature) signature {
	out := signature{results: s.Results()}
	var marks, shown []string
	for k := range s.Params().Len() {
		p := s.Params().At(k)
		if s.Variadic() && k == s.Params().Len()-1 {
			if list, _, ok := g.given(p.Name(), "", name, full); ok {
				marks = append(marks, inlined(g.resolve(list[0])))
				shown = append(shown, list[0])
			}
			out.rest = append(out.rest, p.Name())
			break
		}
		marks, shown = append(marks, mark(k)), append(shown, mark(k))
		out.formals = append(out.formals, formal{p.Name(), name, full, 0, p.Type()})
	}
	out.code = "(" + strings.Join(marks, ", ") + ")"
	out.shown = "(" + strings.Join(shown, ", ") + ")"
	return out
}

// An argumentList is the arguments of a call, as code and as they are shown.
type argumentList struct {
	exprs, texts []string
	known        typestate.Known // what guards see of them
	literals     typestate.Known // texts by parameter, of which guards see less
	extra        bool            // it differs from a usual one in one argument, which is worth trying
}

// maxArguments is how many tuples of arguments a call is made with; maxListed is for those of which alternatives
// are listed, and maxCompared for those that are compared with what is remembered. Each is a call of its own: words
// grow with the square of their number.
const (
	maxArguments = 2
	maxListed    = 4
	maxCompared  = 8
)

// givenUnfit begins the reason why a call is not made with the arguments that a user gave for it.
const givenUnfit = "the arguments that were given are not known to satisfy its guard "

// arguments returns lists of argument expressions that satisfy a guard, or the
// reason why there are none. id is that of the call; params and kinds are those of
// the interface file; guards are all guards of the method.
func (g *generator) arguments(id string, s signature, params, kinds []string, guard string, guards []string) ([]argumentList, string) {
	out, c, why := g.tuples(id, s, params, kinds, guard, guards)
	if len(out) == 0 && why == "" {
		why = fmt.Sprintf("no arguments are known that satisfy its guard %s: give them with -arg", guard)
		if slices.ContainsFunc(s.formals, func(p formal) bool { _, _, ok := g.given(p.name, id, p.owner, ""); return ok }) {
			why = givenUnfit + guard
		}
	}
	limit := maxArguments
	for _, p := range s.formals {
		limit = max(limit, min(maxListed, len(g.alternatives(p, id))))
	}
	if g.opt.Vary && c != nil && len(out) > 0 {
		return g.varied(out, c, guard, limit), why
	}
	if len(out) <= limit {
		return out, why
	}
	// The usual one, the one that differs most from it, and some between.
	chosen := make([]argumentList, limit)
	for k := range chosen {
		chosen[k] = out[k*(len(out)-1)/(limit-1)]
	}
	return chosen, why
}

// choices are candidates for the parameters of a call.
type choices struct {
	lists [][]candidate // that are combined
	more  [][]candidate // other ones, which are worth trying
	hints []int         // how many of each list are those of hints
	names [][]string    // of the parts of each parameter in the file
	kinds map[string]string
	vary  bool // see Options
}

// pick is the n-th combination.
func (c *choices) pick(n int) (argumentList, bool) {
	var list []candidate
	for k := range c.lists {
		list = append(list, c.lists[k][n%len(c.lists[k])])
		n /= len(c.lists[k])
	}
	return c.tuple(list)
}

// tuple makes a list of arguments; trusted says that the user gave one of them for the guard.
func (c *choices) tuple(list []candidate) (a argumentList, trusted bool) {
	a.known = typestate.Known{}
	for k, v := range list {
		a.exprs, a.texts = append(a.exprs, v.expr), append(a.texts, v.text())
		trusted = trusted || v.trusted
		for _, name := range c.names[k] {
			if part := v.part(name); part != "" {
				a.known[name] = part
			}
		}
		if _, err := strconv.Unquote(v.expr); err == nil && c.vary && len(c.names[k]) > 0 && !slices.Contains(c.names[k], base(c.names[k][0])) {
			if a.literals == nil {
				a.literals = typestate.Known{}
			}
			a.literals[base(c.names[k][0])] = v.expr
		}
	}
	return a, trusted
}

// tuples returns all lists of argument expressions that satisfy a guard, or that
// differ in what it is about if it compares with what is remembered.
func (g *generator) tuples(id string, s signature, params, kinds []string, guard string, guards []string) ([]argumentList, *choices, string) {
	c, why := g.choices(id, s, params, kinds, guard, guards)
	if why != "" {
		return nil, nil, why
	}
	total := 1
	for _, list := range c.lists {
		if total *= len(list); total > 1<<14 {
			return nil, nil, "its guard has too many arguments"
		}
	}
	var out []argumentList
	compared := g.remembers(guard)
	for n := range total {
		args, trusted := c.pick(n)
		if m := typestate.GuardHolds(guard, c.kinds, args.known); compared || m == typestate.MatchYes || trusted && m != typestate.MatchNo {
			out = append(out, args)
		}
	}
	return out, c, ""
}

// choices finds candidates for the parameters of a call, or says why there are none.
func (g *generator) choices(id string, s signature, params, kinds []string, guard string, guards []string) (*choices, string) {
	out := &choices{kinds: map[string]string{}, vary: g.opt.Vary}
	for k, p := range params {
		if k < len(kinds) {
			out.kinds[p] = kinds[k]
		}
	}
	for _, name := range s.rest { // called without them, unless the guard asks
		if name != "" && slices.ContainsFunc(params, func(p string) bool { return base(p) == name && mentions(guard, p) }) {
			return nil, "its guard is about a variadic parameter"
		}
	}
	var bases []string
	for _, p := range params {
		if b := base(p); !typestate.Opaque(p) && !slices.Contains(bases, b) {
			bases = append(bases, b)
		}
	}
	for k, p := range s.formals {
		name := p.name
		if name == "" || name == "_" {
			name = fmt.Sprintf("arg%d", k+1)
		}
		if len(bases) == len(s.formals)+len(s.rest) && !slices.Contains(bases, name) {
			name = bases[k]
		}
		names := slices.DeleteFunc(slices.Clone(params), func(p string) bool { return base(p) != name || typestate.Opaque(p) })
		asked := slices.ContainsFunc(names, func(name string) bool { return mentions(guard, name) })
		list, hints := g.hinted(p, k, guards)
		if exprs, trusted, ok := g.given(p.name, id, p.owner, ""); ok {
			list, hints = g.exprCandidates(exprs, p.typ), 0
			for n := range list {
				list[n].trusted = trusted
			}
		} else if exprs := g.listed(p.name, id, p.owner, p.full); len(exprs) > 0 {
			mine := append(slices.Clone(list[:hints]), g.exprCandidates(exprs, p.typ)...)
			if asked {
				mine = append(mine, list[hints:]...)
			}
			list = mine
		}
		if len(list) == 0 {
			return nil, fmt.Sprintf("no value of type %s is known for its parameter %s: give one with -arg", types.TypeString(p.typ, nil), p.name)
		}
		all := list
		if !asked {
			// Values that no guard asks for: never nil, if there is another.
			most := max(maxArguments, min(maxListed, len(g.alternatives(p, id))), hints)
			if list = slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return c.expr == "nil" && len(list) > 1 }); len(list) > most {
				list = list[:most]
			}
		}
		out.lists, out.names, out.hints = append(out.lists, list), append(out.names, names), append(out.hints, hints)
		out.more = append(out.more, slices.DeleteFunc(slices.Clone(all), func(c candidate) bool {
			return slices.ContainsFunc(list, func(d candidate) bool { return c.expr == d.expr })
		}))
	}
	return out, ""
}

// mentions reports whether an expression mentions a name.
func mentions(expr, name string) bool {
	if !token.IsIdentifier(name) {
		return strings.Contains(expr, name)
	}
	e, err := parser.ParseExpr(expr)
	if err != nil {
		return true
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return true
	})
	return found
}
