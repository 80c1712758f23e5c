// SPDX-License-Identifier: Apache-2.0

package typestate

// This file evaluates guards and register updates for concrete arguments. The
// text is Go's expression syntax, so Go's own parser reads it; the evaluator
// works on the syntax tree with exact integers and reduces each typed result to
// its width, as Go does. Package go/constant was not chosen: it has no machine
// integers. Whatever is not understood is an error, which callers turn into
// "unknown", never into a value.

import (
	"encoding/hex"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A typ is the type of a value in a guard. The zero value is the type of
// constants without one.
type typ struct {
	name   string
	bits   int // > 0 for machine integers
	signed bool
}

// parseType returns the type with the given name. The names of Go's machine
// integers are known, with any width from 1 to 64 (int is not: its width
// depends on the language and the machine). Every other name but bool is an
// enum or a reference type, whose values can only be compared.
func parseType(name string) typ {
	digits, signed := strings.CutPrefix(name, "int")
	if !signed {
		var unsigned bool
		if digits, unsigned = strings.CutPrefix(name, "uint"); !unsigned {
			return typ{name: name}
		}
	}
	bits, err := strconv.Atoi(digits)
	if err != nil || bits < 1 || bits > 64 || strconv.Itoa(bits) != digits {
		return typ{name: name}
	}
	return typ{name: name, bits: bits, signed: signed}
}

// wrap returns n reduced to the range of t.
func (t typ) wrap(n *big.Int) *big.Int {
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(t.bits))
	m := new(big.Int).Mod(n, modulus)
	if t.signed && m.Bit(t.bits-1) == 1 {
		m.Sub(m, modulus)
	}
	return m
}

func (t typ) fits(n *big.Int) bool { return t.wrap(n).Cmp(n) == 0 }

// A value is a truth value, an integer or a name (an enum value, nil).
// Exactly one of n, name and truth is meaningful: n if not nil, else name if
// not empty, else truth.
type value struct {
	typ      typ
	n        *big.Int
	name     string
	truth    bool
	constant bool // computed from constants only
}

func (v value) isBool() bool { return v.n == nil && v.name == "" }

// text returns v as an argument value.
func (v value) text() string {
	switch {
	case v.n != nil:
		return v.n.String()
	case v.name != "":
		return v.name
	}
	return strconv.FormatBool(v.truth)
}

// otherValue stands for all values of an enum that are not named anywhere. It
// is no identifier, so that it differs from all that are.
const otherValue = "another value"

// parseValue reads an argument value of the given type.
func parseValue(text, typeName string) (value, error) {
	t := parseType(typeName)
	switch {
	case t.bits > 0:
		n, ok := new(big.Int).SetString(text, 0)
		if !ok {
			return value{}, fmt.Errorf("%q is not an integer", text)
		}
		if !t.fits(n) {
			return value{}, fmt.Errorf("%s does not fit %s", text, t.name)
		}
		return value{typ: t, n: n}, nil
	case t.name == "bool":
		if text != "true" && text != "false" {
			return value{}, fmt.Errorf("%q is not a truth value", text)
		}
		return value{typ: t, truth: text == "true"}, nil
	case text == "":
		return value{}, errors.New("empty value")
	}
	return value{typ: t, name: strings.TrimPrefix(text, t.name+".")}, nil
}

// A scope gives names their values. A name that is in types but not in values
// has a value that was not given.
type scope struct {
	types  map[string]string
	values map[string]value
}

// A notGiven is the error that an expression needs a value that was not given:
// an argument left out, or a register that the state does not have.
type notGiven struct{ name string }

func (e *notGiven) Error() string { return "the value of " + e.name + " is not given" }

func newScope() *scope { return &scope{types: map[string]string{}, values: map[string]value{}} }

// quotedName begins an identifier that stands for a name in backquotes; its
// digits are those of the name.
const quotedName = "Ξ"

// unquoted replaces names in backquotes, `len(p)`, which Go's parser would take
// for strings, by identifiers.
func unquoted(text string) string {
	if !strings.Contains(text, "`") {
		return text
	}
	var out strings.Builder
	for k, part := range strings.Split(text, "`") {
		if k%2 == 1 {
			part = quotedName + hex.EncodeToString([]byte(part))
		}
		out.WriteString(part)
	}
	return out.String()
}

// nameOf is the name that an identifier stands for.
func nameOf(identifier string) string {
	if digits, ok := strings.CutPrefix(identifier, quotedName); ok {
		if name, err := hex.DecodeString(digits); err == nil {
			return string(name)
		}
	}
	return identifier
}

// parseGuard parses a guard or an update.
func parseGuard(text string) (ast.Expr, error) {
	e, err := parser.ParseExpr(unquoted(text))
	if err != nil {
		return nil, fmt.Errorf("%q is not an expression", text)
	}
	return e, nil
}

// holds evaluates a guard.
func (s *scope) holds(guard ast.Expr) (bool, error) {
	v, err := s.eval(guard)
	if err != nil {
		return false, err
	}
	if !v.isBool() {
		return false, errors.New("it is not a truth value")
	}
	return v.truth, nil
}

func (s *scope) eval(e ast.Expr) (value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.eval(e.X)
	case *ast.BasicLit:
		return literal(e)
	case *ast.Ident, *ast.SelectorExpr:
		return s.lookup(e)
	case *ast.CallExpr:
		return s.convert(e)
	case *ast.UnaryExpr:
		return s.unary(e)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			return s.logical(e)
		case token.SHL, token.SHR:
			return s.shift(e)
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return s.compare(e)
		}
		return s.arithmetic(e)
	}
	return value{}, errors.New("it has an expression that cannot be evaluated")
}

func literal(e *ast.BasicLit) (value, error) {
	switch e.Kind {
	case token.INT:
		if n, ok := new(big.Int).SetString(e.Value, 0); ok {
			return value{n: n, constant: true}, nil
		}
	case token.CHAR:
		if r, _, _, err := strconv.UnquoteChar(strings.TrimPrefix(e.Value, "'"), '\''); err == nil {
			return value{n: big.NewInt(int64(r)), constant: true}, nil
		}
	}
	return value{}, fmt.Errorf("literal %s cannot be evaluated", e.Value)
}

// dotted returns the text of an identifier or of a selection from one.
func dotted(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return nameOf(e.Name), true
	case *ast.SelectorExpr:
		x, ok := dotted(e.X)
		return x + "." + nameOf(e.Sel.Name), ok
	}
	return "", false
}

// lookup evaluates a name: a parameter or register, or else an enum value,
// alone or qualified by its type.
func (s *scope) lookup(e ast.Expr) (value, error) {
	name, ok := dotted(e)
	if !ok {
		return value{}, errors.New("it has a selection that cannot be evaluated")
	}
	if v, ok := s.values[name]; ok {
		return v, nil
	}
	if _, ok := s.types[name]; ok {
		return value{}, &notGiven{name}
	}
	if name == "true" || name == "false" {
		return value{truth: name == "true", constant: true}, nil
	}
	if k := strings.LastIndex(name, "."); k >= 0 {
		return value{typ: typ{name: name[:k]}, name: name[k+1:], constant: true}, nil
	}
	return value{name: name, constant: true}, nil
}

// convert evaluates a conversion to a machine integer.
func (s *scope) convert(e *ast.CallExpr) (value, error) {
	name, ok := dotted(e.Fun)
	if (name == "quo" || name == "rem") && len(e.Args) == 2 {
		return s.total(name, &ast.BinaryExpr{X: e.Args[0], Op: token.QUO, Y: e.Args[1]})
	}
	t := parseType(name)
	if !ok || t.bits == 0 || len(e.Args) != 1 || e.Ellipsis.IsValid() {
		return value{}, errors.New("it has a call that cannot be evaluated")
	}
	v, err := s.eval(e.Args[0])
	if err != nil {
		return value{}, err
	}
	if v.n == nil {
		return value{}, fmt.Errorf("%s cannot be converted to %s", v.text(), t.name)
	}
	return typed(t, v.n, v.constant)
}

// total evaluates a division that is defined for all divisors, as in SMT-LIB: by
// zero the remainder is the dividend, and the quotient is -1 (which is the largest
// number of an unsigned type), or 1 for a negative dividend.
func (s *scope) total(name string, e *ast.BinaryExpr) (value, error) {
	x, y, err := s.operands(e)
	if err != nil {
		return value{}, err
	}
	if x.n == nil || y.n == nil || x.typ.bits == 0 {
		return value{}, fmt.Errorf("%s does not apply to %s and %s", name, x.text(), y.text())
	}
	n := new(big.Int)
	switch zero := y.n.Sign() == 0; {
	case name == "rem" && zero:
		n = x.n
	case name == "rem":
		n.Rem(x.n, y.n)
	case zero && x.n.Sign() < 0:
		n.SetInt64(1)
	case zero:
		n = x.typ.wrap(big.NewInt(-1))
	default:
		n = x.typ.wrap(n.Quo(x.n, y.n))
	}
	return integer(x.typ, n, x.constant && y.constant)
}

// typed returns the value n of type t. A constant must fit, as in Go.
func typed(t typ, n *big.Int, constant bool) (value, error) {
	if constant && !t.fits(n) {
		return value{}, fmt.Errorf("constant %s does not fit %s", n, t.name)
	}
	return value{typ: t, n: t.wrap(n), constant: constant}, nil
}

// integer returns n as a value of type t, which may be the type of constants.
func integer(t typ, n *big.Int, constant bool) (value, error) {
	if t.bits == 0 {
		return value{n: n, constant: constant}, nil
	}
	return typed(t, n, constant)
}

func (s *scope) unary(e *ast.UnaryExpr) (value, error) {
	v, err := s.eval(e.X)
	if err != nil {
		return value{}, err
	}
	switch {
	case e.Op == token.NOT && v.isBool():
		v.truth = !v.truth
		return v, nil
	case v.n == nil:
	case e.Op == token.ADD:
		return v, nil
	case e.Op == token.SUB:
		return integer(v.typ, new(big.Int).Neg(v.n), v.constant)
	case e.Op == token.XOR && v.typ.bits == 0:
		return integer(v.typ, new(big.Int).Not(v.n), v.constant)
	case e.Op == token.XOR:
		return integer(v.typ, v.typ.wrap(new(big.Int).Not(v.n)), v.constant)
	}
	return value{}, fmt.Errorf("operator %s does not apply to %s", e.Op, v.text())
}

// logical evaluates && and ||. A side that needs a value that was not given
// does not matter if the other one decides.
func (s *scope) logical(e *ast.BinaryExpr) (value, error) {
	x, err := s.eval(e.X)
	if err != nil {
		var missing *notGiven
		if !errors.As(err, &missing) {
			return value{}, err
		}
		y, other := s.eval(e.Y)
		if other == nil && y.isBool() && y.truth == (e.Op == token.LOR) {
			return value{truth: y.truth}, nil
		}
		if other != nil && !errors.As(other, &missing) {
			return value{}, other
		}
		return value{}, err
	}
	if !x.isBool() {
		return value{}, fmt.Errorf("operator %s does not apply to %s", e.Op, x.text())
	}
	if x.truth == (e.Op == token.LOR) {
		return value{truth: x.truth}, nil
	}
	y, err := s.eval(e.Y)
	if err != nil {
		return value{}, err
	}
	if !y.isBool() {
		return value{}, fmt.Errorf("operator %s does not apply to %s", e.Op, y.text())
	}
	return value{truth: y.truth}, nil
}

// operands evaluates both sides of an operator and gives an integer constant
// the type of the other side.
func (s *scope) operands(e *ast.BinaryExpr) (x, y value, err error) {
	if x, err = s.eval(e.X); err != nil {
		return x, y, err
	}
	if y, err = s.eval(e.Y); err != nil {
		return x, y, err
	}
	if x.n == nil || y.n == nil {
		return x, y, nil
	}
	switch {
	case x.typ == y.typ:
	case x.typ.bits == 0:
		x, err = typed(y.typ, x.n, true)
	case y.typ.bits == 0:
		y, err = typed(x.typ, y.n, true)
	default:
		err = fmt.Errorf("operator %s has operands of types %s and %s", e.Op, x.typ.name, y.typ.name)
	}
	return x, y, err
}

func (s *scope) compare(e *ast.BinaryExpr) (value, error) {
	x, y, err := s.operands(e)
	if err != nil {
		return value{}, err
	}
	var order int
	switch {
	case x.n != nil && y.n != nil:
		order = x.n.Cmp(y.n)
	case e.Op != token.EQL && e.Op != token.NEQ:
		return value{}, fmt.Errorf("operator %s does not apply to %s and %s", e.Op, x.text(), y.text())
	case x.isBool() && y.isBool():
		if x.truth != y.truth {
			order = 1
		}
	case x.name != "" && y.name != "" && (aClass(x) || aClass(y)) && !(aClass(x) && aClass(y)):
		// p == `non-nil` says that p is not nil.
		class, other := x, y
		if aClass(y) {
			class, other = y, x
		}
		if "non-"+other.name == class.name {
			order = 1
		}
	case x.name != "" && y.name != "":
		if err := nameable(x, y); err != nil {
			return value{}, err
		}
		order = strings.Compare(x.name, y.name)
	default:
		return value{}, fmt.Errorf("%s and %s cannot be compared", x.text(), y.text())
	}
	holds := map[token.Token]bool{token.EQL: order == 0, token.NEQ: order != 0, token.LSS: order < 0,
		token.LEQ: order <= 0, token.GTR: order > 0, token.GEQ: order >= 0}[e.Op]
	return value{truth: holds}, nil
}

// aClass reports whether a constant is the name of all values but nil.
func aClass(v value) bool { return v.constant && (v.name == "non-nil" || v.name == "non-null") }

// nameable returns an error unless equality of two names is equality of what
// they name.
func nameable(x, y value) error {
	switch {
	case x.typ.name == "" && y.typ.name == "":
		// Two constants, or rather a name that is misspelt.
		return fmt.Errorf("neither %s nor %s is a parameter", x.name, y.name)
	case x.typ.name != "" && y.typ.name != "" && x.typ.name != y.typ.name:
		return fmt.Errorf("%s of type %s and %s of type %s cannot be compared", x.name, x.typ.name, y.name, y.typ.name)
	case x.name == y.name && (x.name == "non-nil" || x.name == otherValue):
		return fmt.Errorf("two values of which only %q is known cannot be compared", x.name)
	}
	return nil
}

func (s *scope) arithmetic(e *ast.BinaryExpr) (value, error) {
	x, y, err := s.operands(e)
	if err != nil {
		return value{}, err
	}
	if x.n == nil || y.n == nil {
		return value{}, fmt.Errorf("operator %s does not apply to %s and %s", e.Op, x.text(), y.text())
	}
	n := new(big.Int)
	switch e.Op {
	case token.ADD:
		n.Add(x.n, y.n)
	case token.SUB:
		n.Sub(x.n, y.n)
	case token.MUL:
		n.Mul(x.n, y.n)
	case token.QUO, token.REM:
		if y.n.Sign() == 0 {
			return value{}, errors.New("division by zero")
		}
		if e.Op == token.QUO {
			n.Quo(x.n, y.n)
		} else {
			n.Rem(x.n, y.n)
		}
	case token.AND:
		n.And(x.n, y.n)
	case token.OR:
		n.Or(x.n, y.n)
	case token.XOR:
		n.Xor(x.n, y.n)
	case token.AND_NOT:
		n.AndNot(x.n, y.n)
	default:
		return value{}, fmt.Errorf("operator %s cannot be evaluated", e.Op)
	}
	return integer(x.typ, n, x.constant && y.constant)
}

// maxShift bounds shifts of constants without a type.
const maxShift = 512

func (s *scope) shift(e *ast.BinaryExpr) (value, error) {
	x, err := s.eval(e.X)
	if err != nil {
		return value{}, err
	}
	y, err := s.eval(e.Y)
	if err != nil {
		return value{}, err
	}
	switch {
	case x.n == nil || y.n == nil:
		return value{}, fmt.Errorf("operator %s does not apply to %s and %s", e.Op, x.text(), y.text())
	case y.n.Sign() < 0:
		return value{}, errors.New("negative shift amount")
	case x.typ.bits == 0 && !y.constant:
		// Go takes the type of x from what surrounds the shift.
		return value{}, fmt.Errorf("shift of constant %s by a variable cannot be evaluated", x.n)
	case x.typ.bits == 0 && (y.n.Cmp(big.NewInt(maxShift)) > 0 || x.n.BitLen() > maxShift):
		return value{}, errors.New("shift of a constant is too large")
	}
	limit := uint64(maxShift)
	if x.typ.bits > 0 {
		limit = uint64(x.typ.bits)
	}
	count := uint(limit)
	if y.n.IsUint64() && y.n.Uint64() < limit {
		count = uint(y.n.Uint64())
	}
	n := new(big.Int)
	if e.Op == token.SHL {
		n.Lsh(x.n, count)
	} else {
		n.Rsh(x.n, count) // rounds down, as an arithmetic shift does
	}
	return integer(x.typ, n, x.constant && y.constant)
}

// names returns the names that an expression mentions, in order of text,
// without those that are conversions.
func names(e ast.Expr) []string {
	var found []string
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, a := range n.Args {
				ast.Inspect(a, visit)
			}
			return false
		case *ast.Ident, *ast.SelectorExpr:
			if name, ok := dotted(n.(ast.Expr)); ok {
				found = append(found, name)
				return false
			}
		}
		return true
	}
	ast.Inspect(e, visit)
	slices.Sort(found)
	return slices.Compact(found)
}
