// SPDX-License-Identifier: Apache-2.0

package explore

// This file compiles the operators of terms of at most 64 bits.

import (
	"fmt"

	"github.com/interlock-go/interlock/internal/term"
)

func (c *compiler) narrow(t *term.Term) (evalFunc, error) {
	switch t.Op() {
	case term.OpConst:
		v := t.Value().Lo
		return func(frame) uint64 { return v }, nil
	case term.OpVar:
		s, ok := c.slot[t]
		if !ok {
			return nil, fmt.Errorf("variable %s is not declared", t.Name())
		}
		return func(f frame) uint64 { return f[s] }, nil
	}
	args := make([]evalFunc, len(t.Args()))
	for i, a := range t.Args() {
		f, err := c.narrow(a)
		if err != nil {
			return nil, err
		}
		args[i] = f
	}
	if len(args) > 0 {
		o := newOperation(t, args)
		for _, compiled := range []func() evalFunc{o.logical, o.comparison, o.arithmetic, o.bitwise} {
			if f := compiled(); f != nil {
				return f, nil
			}
		}
	}
	return nil, fmt.Errorf("operator of %s is not supported", t)
}

// An operation is an operator with compiled arguments. Each of its methods compiles the operators of
// one group, and returns nil for those of the others.
type operation struct {
	term *term.Term
	args []evalFunc
	a, b evalFunc // the first two; b is nil if there is only one

	width, argWidth int    // bits of the result and of the first argument
	mask            uint64 // of the result
}

func newOperation(t *term.Term, args []evalFunc) *operation {
	o := &operation{term: t, args: args, a: args[0], width: t.Sort().Bits(), argWidth: t.Args()[0].Sort().Bits()}
	if len(args) > 1 {
		o.b = args[1]
	}
	o.mask = mask(o.width)
	return o
}

// fold applies an associative operator to all arguments.
func (o *operation) fold(unit uint64, op func(x, y uint64) uint64) evalFunc {
	args, a, b, m := o.args, o.a, o.b, o.mask
	if len(args) == 2 {
		return func(f frame) uint64 { return op(a(f), b(f)) & m }
	}
	return func(f frame) uint64 {
		acc := unit
		for _, g := range args {
			acc = op(acc, g(f))
		}
		return acc & m
	}
}

func (o *operation) logical() evalFunc {
	args, a, b := o.args, o.a, o.b
	switch o.term.Op() {
	case term.OpNot:
		return func(f frame) uint64 { return a(f) ^ 1 }
	case term.OpAnd:
		return func(f frame) uint64 {
			for _, g := range args {
				if g(f) == 0 {
					return 0
				}
			}
			return 1
		}
	case term.OpOr:
		return func(f frame) uint64 {
			for _, g := range args {
				if g(f) != 0 {
					return 1
				}
			}
			return 0
		}
	case term.OpIte:
		d := args[2]
		return func(f frame) uint64 {
			if a(f) != 0 {
				return b(f)
			}
			return d(f)
		}
	}
	return nil
}

func (o *operation) comparison() evalFunc {
	t, a, b, aw := o.term, o.a, o.b, o.argWidth
	switch o.term.Op() {
	case term.OpEq:
		if k := t.Args()[1]; k.IsConst() {
			v := k.Value().Lo
			return func(f frame) uint64 { return b2u(a(f) == v) }
		}
		return func(f frame) uint64 { return b2u(a(f) == b(f)) }
	case term.OpULt:
		return func(f frame) uint64 { return b2u(a(f) < b(f)) }
	case term.OpULe:
		return func(f frame) uint64 { return b2u(a(f) <= b(f)) }
	case term.OpSLt:
		return func(f frame) uint64 { return b2u(signExtend(a(f), aw) < signExtend(b(f), aw)) }
	case term.OpSLe:
		return func(f frame) uint64 { return b2u(signExtend(a(f), aw) <= signExtend(b(f), aw)) }
	}
	return nil
}

func (o *operation) arithmetic() evalFunc {
	a, b, width, m := o.a, o.b, o.width, o.mask
	switch o.term.Op() {
	case term.OpNeg:
		return func(f frame) uint64 { return -a(f) & m }
	case term.OpAdd:
		return o.fold(0, func(x, y uint64) uint64 { return x + y })
	case term.OpMul:
		return o.fold(1, func(x, y uint64) uint64 { return x * y })
	case term.OpUDiv:
		return func(f frame) uint64 {
			y := b(f)
			if y == 0 {
				return m
			}
			return a(f) / y
		}
	case term.OpURem:
		return func(f frame) uint64 {
			x, y := a(f), b(f)
			if y == 0 {
				return x
			}
			return x % y
		}
	case term.OpSDiv:
		return func(f frame) uint64 {
			x, y := signExtend(a(f), width), signExtend(b(f), width)
			switch {
			case y == 0 && x < 0:
				return 1
			case y == 0:
				return m
			case y == -1:
				return uint64(-x) & m
			}
			return uint64(x/y) & m
		}
	case term.OpSRem:
		return func(f frame) uint64 {
			x, y := signExtend(a(f), width), signExtend(b(f), width)
			switch y {
			case 0:
				return uint64(x) & m
			case -1:
				return 0
			}
			return uint64(x%y) & m
		}
	}
	return nil
}

func (o *operation) bitwise() evalFunc {
	t, a, b, width, aw, m := o.term, o.a, o.b, o.width, o.argWidth, o.mask
	switch o.term.Op() {
	case term.OpBVNot:
		return func(f frame) uint64 { return ^a(f) & m }
	case term.OpBVAnd:
		return o.fold(^uint64(0), func(x, y uint64) uint64 { return x & y })
	case term.OpBVOr:
		return o.fold(0, func(x, y uint64) uint64 { return x | y })
	case term.OpBVXor:
		return o.fold(0, func(x, y uint64) uint64 { return x ^ y })
	case term.OpShl:
		return func(f frame) uint64 { return shift(a(f)<<(b(f)&63), b(f), width) & m }
	case term.OpLShr:
		return func(f frame) uint64 { return shift(a(f)>>(b(f)&63), b(f), width) & m }
	case term.OpAShr:
		return func(f frame) uint64 {
			return uint64(signExtend(a(f), width)>>min(b(f), 63)) & m
		}
	case term.OpConcat:
		low := t.Args()[1].Sort().Bits()
		return func(f frame) uint64 { return a(f)<<low | b(f) }
	case term.OpExtract:
		_, lo := t.Extract()
		return func(f frame) uint64 { return a(f) >> lo & m }
	case term.OpZeroExt:
		return a
	case term.OpSignExt:
		return func(f frame) uint64 { return uint64(signExtend(a(f), aw)) & m }
	}
	return nil
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func shift(shifted, by uint64, width int) uint64 {
	if by >= uint64(width) {
		return 0
	}
	return shifted
}
