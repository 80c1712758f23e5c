// SPDX-License-Identifier: Apache-2.0

package corpus

// This file matches the guards of a table with the guards of an interface by
// what they mean: the same partition of the arguments may be written in many
// ways and in another order. Guards are evaluated on every argument where the
// parameters' types are small, and otherwise on the values next to the
// constants that occur in them, which decides guards that are combinations of
// comparisons with constants. A solver would decide all; the corpus must not
// depend on one.

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A guarded is a call id with its guard.
type guarded struct{ id, guard string }

// match pairs the ids of two partitions of the same argument space.
func match(want, have []guarded, params, types []string) (map[string]string, error) {
	if len(want) != len(have) {
		return nil, fmt.Errorf("split into %d calls, want %d", len(have), len(want))
	}
	if len(want) == 1 {
		return map[string]string{want[0].id: have[0].id}, nil
	}
	all := slices.Concat(want, have)
	exprs := make([]ast.Expr, len(all))
	for k, g := range all {
		x, err := parser.ParseExpr(g.guard)
		if err != nil {
			return nil, fmt.Errorf("guard %q of %s cannot be read: %w", g.guard, g.id, err)
		}
		exprs[k] = x
	}
	domains, err := domains(exprs, params, types)
	if err != nil {
		return nil, err
	}
	pair, back := map[string]string{}, map[string]string{}
	environments(params, domains, func(env map[string]value) bool {
		var w, h string
		if w, err = holding(want, exprs[:len(want)], env); err != nil {
			return false
		}
		if h, err = holding(have, exprs[len(want):], env); err != nil {
			return false
		}
		if p, ok := pair[w]; ok && p != h {
			err = fmt.Errorf("guards differ: arguments of %s belong to %s and to %s", w, p, h)
		} else if b, ok := back[h]; ok && b != w {
			err = fmt.Errorf("guards differ: arguments of %s and of %s belong to %s", b, w, h)
		}
		pair[w], back[h] = h, w
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	if len(pair) != len(want) {
		return nil, fmt.Errorf("guards differ: some guard holds for no argument")
	}
	return pair, nil
}

// holding returns the id of the one guard that holds.
func holding(gs []guarded, exprs []ast.Expr, env map[string]value) (string, error) {
	found := ""
	for k, g := range gs {
		v, err := eval(exprs[k], env)
		if err != nil {
			return "", fmt.Errorf("guard %q of %s: %w", g.guard, g.id, err)
		}
		b, ok := v.v.(bool)
		if !ok {
			return "", fmt.Errorf("guard %q of %s is not a condition", g.guard, g.id)
		}
		if b && found != "" {
			return "", fmt.Errorf("guards of %s and %s overlap at %s", found, g.id, show(env))
		}
		if b {
			found = g.id
		}
	}
	if found == "" {
		return "", fmt.Errorf("no guard beside %s holds at %s", gs[0].id, show(env))
	}
	return found, nil
}

func show(env map[string]value) string {
	var b strings.Builder
	for k, name := range slices.Sorted(maps.Keys(env)) {
		if k > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s = %v", name, env[name].v)
	}
	return b.String()
}

// A value is a bool, an int64 or the name of an enum value (a string), with
// the type of an integer; a constant has width 0 and takes the other's type.
type value struct {
	v      any
	width  int
	signed bool
}

func (t value) wrap(n int64) value {
	if t.width > 0 && t.width < 64 {
		n &= 1<<t.width - 1
		if t.signed && n>>(t.width-1) != 0 {
			n -= 1 << t.width
		}
	}
	return value{n, t.width, t.signed}
}

// integer reads a type name such as int8 or uint3.
func integer(name string) (value, bool) {
	digits, signed := strings.CutPrefix(name, "int")
	if !signed {
		var ok bool
		if digits, ok = strings.CutPrefix(name, "uint"); !ok {
			return value{}, false
		}
	}
	w, err := strconv.Atoi(digits)
	if err != nil || w < 1 || w > 64 {
		return value{}, false
	}
	return value{width: w, signed: signed}, true
}

// domains lists the values of each parameter that are tried.
func domains(exprs []ast.Expr, params, types []string) ([][]value, error) {
	if len(params) != len(types) {
		return nil, fmt.Errorf("%d parameters with %d types", len(params), len(types))
	}
	const limit = 1 << 18
	product := 1
	for _, name := range types {
		size := 2
		if t, ok := integer(name); ok {
			size = 1 << min(t.width, 20)
		}
		product = min(product*size, limit+1)
	}
	constants, names := mentioned(exprs, params)
	out := make([][]value, len(params))
	for k, name := range types {
		t, isInt := integer(name)
		switch {
		case name == "bool":
			out[k] = []value{{v: false}, {v: true}}
		case isInt && product <= limit:
			for n := range int64(1) << t.width {
				out[k] = append(out[k], t.wrap(n))
			}
		case isInt:
			near := map[int64]bool{}
			for _, c := range append(constants, 0, 1<<(t.width-1), -1) {
				for d := int64(-1); d <= 1; d++ {
					near[t.wrap(c+d).v.(int64)] = true
				}
			}
			for _, n := range slices.Sorted(maps.Keys(near)) {
				out[k] = append(out[k], t.wrap(n))
			}
		default: // an enum: the values mentioned, and one that is not
			for _, n := range append(names, "\x00other") {
				out[k] = append(out[k], value{v: n})
			}
		}
	}
	return out, nil
}

// mentioned collects the constants and the names that are no parameters.
func mentioned(exprs []ast.Expr, params []string) (constants []int64, names []string) {
	for _, x := range exprs {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if !slices.Contains(names, n.Sel.Name) {
					names = append(names, n.Sel.Name)
				}
				return false
			case *ast.CallExpr:
				for _, a := range n.Args {
					c, m := mentioned([]ast.Expr{a}, params)
					constants, names = append(constants, c...), append(names, m...)
				}
				return false
			case *ast.Ident:
				if n.Name != "true" && n.Name != "false" && !slices.Contains(params, n.Name) && !slices.Contains(names, n.Name) {
					names = append(names, n.Name)
				}
			case *ast.BasicLit:
				if c, ok := constant.Int64Val(constant.MakeFromLiteral(n.Value, n.Kind, 0)); ok {
					constants = append(constants, c, -c)
				}
			}
			return true
		})
	}
	slices.Sort(constants)
	slices.Sort(names)
	return slices.Compact(constants), slices.Compact(names)
}

// eval evaluates a guard in Go's expression syntax.
func eval(x ast.Expr, env map[string]value) (value, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return eval(x.X, env)
	case *ast.BasicLit:
		n, ok := constant.Int64Val(constant.MakeFromLiteral(x.Value, x.Kind, 0))
		if !ok {
			return value{}, fmt.Errorf("literal %s", x.Value)
		}
		return value{v: n}, nil
	case *ast.Ident:
		if v, ok := env[x.Name]; ok {
			return v, nil
		}
		if x.Name == "true" || x.Name == "false" {
			return value{v: x.Name == "true"}, nil
		}
		return value{v: x.Name}, nil // an enum value
	case *ast.SelectorExpr:
		return value{v: x.Sel.Name}, nil
	case *ast.CallExpr:
		f, ok := x.Fun.(*ast.Ident)
		if ok && len(x.Args) == 1 {
			if t, ok := integer(f.Name); ok {
				v, err := eval(x.Args[0], env)
				if n, ok := v.v.(int64); ok && err == nil {
					return t.wrap(n), nil
				}
			}
		}
		if ok && len(x.Args) == 2 && (f.Name == "quo" || f.Name == "rem") {
			return divide(f.Name, x.Args, env)
		}
		return value{}, fmt.Errorf("call in a guard")
	case *ast.UnaryExpr:
		v, err := eval(x.X, env)
		if err != nil {
			return value{}, err
		}
		if b, ok := v.v.(bool); ok && x.Op == token.NOT {
			return value{v: !b}, nil
		}
		if n, ok := v.v.(int64); ok {
			switch x.Op {
			case token.SUB:
				return v.wrap(-n), nil
			case token.ADD:
				return v, nil
			case token.XOR:
				return v.wrap(^n), nil
			}
		}
		return value{}, fmt.Errorf("operator %s", x.Op)
	case *ast.BinaryExpr:
		return arithmetic(x, env)
	}
	return value{}, fmt.Errorf("expression of an unexpected form")
}

// divide is the division that cannot err: by zero the remainder is the dividend
// and the quotient the number with all bits set, or 1 for a negative dividend.
func divide(name string, args []ast.Expr, env map[string]value) (value, error) {
	a, err := eval(args[0], env)
	if err != nil {
		return value{}, err
	}
	b, err := eval(args[1], env)
	if err != nil {
		return value{}, err
	}
	m, ok1 := a.v.(int64)
	n, ok2 := b.v.(int64)
	if !ok1 || !ok2 {
		return value{}, fmt.Errorf("%s of %v and %v", name, a.v, b.v)
	}
	t := a
	if t.width == 0 {
		t = b
	}
	switch {
	case name == "rem" && n == 0:
		return t.wrap(m), nil
	case name == "rem":
		return t.wrap(m % n), nil
	case n == 0 && t.signed && m < 0:
		return t.wrap(1), nil
	case n == 0:
		return t.wrap(-1), nil
	}
	return t.wrap(m / n), nil
}

func arithmetic(x *ast.BinaryExpr, env map[string]value) (value, error) {
	a, err := eval(x.X, env)
	if err != nil {
		return value{}, err
	}
	if p, ok := a.v.(bool); ok && (x.Op == token.LAND && !p || x.Op == token.LOR && p) {
		return a, nil
	}
	b, err := eval(x.Y, env)
	if err != nil {
		return value{}, err
	}
	switch x.Op {
	case token.LAND, token.LOR:
		return b, nil
	case token.EQL:
		return value{v: a.v == b.v}, nil
	case token.NEQ:
		return value{v: a.v != b.v}, nil
	}
	m, ok1 := a.v.(int64)
	n, ok2 := b.v.(int64)
	if !ok1 || !ok2 {
		return value{}, fmt.Errorf("operator %s on %v and %v", x.Op, a.v, b.v)
	}
	t := a
	if t.width == 0 && x.Op != token.SHL && x.Op != token.SHR {
		t = b
	}
	// A uint64 beyond the range of int64 is held as a negative number.
	less := m < n
	if t.width == 64 && !t.signed {
		less = uint64(m) < uint64(n)
	}
	switch x.Op {
	case token.LSS:
		return value{v: less}, nil
	case token.LEQ:
		return value{v: less || m == n}, nil
	case token.GTR:
		return value{v: !less && m != n}, nil
	case token.GEQ:
		return value{v: !less}, nil
	case token.ADD:
		return t.wrap(m + n), nil
	case token.SUB:
		return t.wrap(m - n), nil
	case token.MUL:
		return t.wrap(m * n), nil
	case token.AND:
		return t.wrap(m & n), nil
	case token.OR:
		return t.wrap(m | n), nil
	case token.XOR:
		return t.wrap(m ^ n), nil
	case token.AND_NOT:
		return t.wrap(m &^ n), nil
	case token.SHL, token.SHR:
		if n < 0 {
			return value{}, fmt.Errorf("negative shift amount")
		}
		if x.Op == token.SHL {
			return t.wrap(m << n), nil
		}
		return t.wrap(m >> n), nil
	case token.QUO, token.REM:
		if n == 0 {
			return value{}, fmt.Errorf("division by zero")
		}
		if x.Op == token.QUO {
			return t.wrap(m / n), nil
		}
		return t.wrap(m % n), nil
	}
	return value{}, fmt.Errorf("operator %s", x.Op)
}
