// SPDX-License-Identifier: Apache-2.0

package typestate

// This file finds out which call a method call may be when only some of its
// arguments are known, in Kleene's three-valued logic: a conjunction with a
// false part is false whatever the other part is. Accepts asks for more (every
// value that a guard mentions) because it judges a word; this is for readers
// that compare an interface with something that does not say all arguments.

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// A Match says whether a guard holds. The zero value is MatchUnknown.
type Match uint8

const (
	MatchUnknown Match = iota // it depends on what is not known
	MatchYes
	MatchNo
)

func (m Match) String() string {
	switch m {
	case MatchYes:
		return "yes"
	case MatchNo:
		return "no"
	}
	return "unknown"
}

// Known are values by name: arguments by parameter, or registers of a state.
// The values "non-nil" and "non-null" say only what it is not.
type Known map[string]string

// Opaque reports whether a parameter of a call is none of the code, but a property of the
// arguments that only the code defines: "errs at scan.go:12" is true of those with which
// it gets to an error there.
func Opaque(param string) bool { return strings.HasPrefix(param, "errs at ") }

// GuardHolds says whether a guard holds for arguments and registers of which
// only some are known. Types are those of the names, by name; a parameter hides
// a register of the same name.
func GuardHolds(guard string, types map[string]string, known Known) Match {
	e, err := parseGuard(guard)
	if err != nil {
		return MatchUnknown
	}
	return partial(types, known).match(e)
}

// Evaluate returns the value of an expression over known arguments and
// registers, such as the update of a register of the given type; ok is false if
// it is not known.
func Evaluate(expr, typeName string, types map[string]string, known Known) (text string, ok bool) {
	e, err := parseGuard(expr)
	if err != nil {
		return "", false
	}
	v, err := partial(types, known).eval(e)
	if err != nil || v.typ.name != "" && v.typ.name != typeName || v.name == otherValue {
		return "", false
	}
	if v, err = parseValue(v.text(), typeName); err != nil {
		return "", false
	}
	return v.text(), true
}

// partial returns a scope with the values that are known and can be read.
func partial(types map[string]string, known Known) *scope {
	s := newScope()
	maps.Copy(s.types, types)
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if t, ok := types[name]; ok {
			if v, err := parseValue(known[name], t); err == nil {
				s.values[name] = v
			}
		}
	}
	return s
}

// match evaluates a condition in three-valued logic.
func (s *scope) match(e ast.Expr) Match {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.match(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			switch s.match(e.X) {
			case MatchYes:
				return MatchNo
			case MatchNo:
				return MatchYes
			}
			return MatchUnknown
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			// The value that decides alone, whatever the other side is.
			decides, other := MatchNo, MatchYes
			if e.Op == token.LOR {
				decides, other = MatchYes, MatchNo
			}
			x, y := s.match(e.X), s.match(e.Y)
			switch {
			case x == decides || y == decides:
				return decides
			case x == other && y == other:
				return other
			}
			return MatchUnknown
		}
		if s.vague(e.X, e.Y) || s.vague(e.Y, e.X) {
			return MatchUnknown
		}
	}
	holds, err := s.holds(e)
	switch {
	case err != nil:
		return MatchUnknown
	case holds:
		return MatchYes
	}
	return MatchNo
}

// vague reports whether x is only known not to be nil and y is something else
// than nil: then they may be equal or not.
func (s *scope) vague(x, y ast.Expr) bool {
	v, err := s.eval(x)
	if err != nil || v.constant || v.name != "non-nil" && v.name != "non-null" {
		return false
	}
	w, err := s.eval(y)
	return err != nil || "non-"+w.name != v.name && !aClass(w)
}
