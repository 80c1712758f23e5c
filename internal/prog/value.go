// SPDX-License-Identifier: Apache-2.0

package prog

// This file enumerates, orders and writes values of types, and keys of tuples
// of them for maps.

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math/bits"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// A State gives values to the state variables, by index of Program.State.
type State []term.Value

// Values yields every value of t: false, true; the enum's values in order;
// integers from the smallest to the largest. Ask Size first.
func Values(t Type) iter.Seq[term.Value] {
	return func(yield func(term.Value) bool) {
		switch t.Sort.Kind {
		case term.BoolKind:
			_ = yield(term.BoolValue(false)) && yield(term.BoolValue(true))
		case term.EnumKind:
			for i := range t.Sort.Enum.Values {
				if !yield(term.Value{Lo: uint64(i)}) {
					return
				}
			}
		case term.BitVecKind:
			w := t.Sort.Width
			mask := ^uint64(0) >> (64 - w)
			first := uint64(0)
			if t.Signed {
				first = 1 << (w - 1)
			}
			for x := first; ; {
				if !yield(term.Value{Lo: x}) {
					return
				}
				if x = (x + 1) & mask; x == first {
					return
				}
			}
		}
	}
}

// Size is the number of values of t, or the largest int if there are more.
func (t Type) Size() int {
	switch t.Sort.Kind {
	case term.BoolKind:
		return 2
	case term.EnumKind:
		return len(t.Sort.Enum.Values)
	case term.BitVecKind:
		if t.Sort.Width < bits.UintSize-1 {
			return 1 << t.Sort.Width
		}
		return 1<<(bits.UintSize-1) - 1
	}
	return 0
}

// compareValues orders values as Values yields them.
func compareValues(t Type, a, b term.Value) int {
	if t.Signed {
		return cmp.Compare(a.Int64(t.Sort.Width), b.Int64(t.Sort.Width))
	}
	return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo))
}

// compareTuples orders values of the given variables, the first first.
func compareTuples(vars []*Var, a, b []term.Value) int {
	for i, v := range vars {
		if c := compareValues(v.Type, a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// appendKey appends bytes that determine values, given how many there are.
func appendKey(b []byte, values []term.Value) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v.Lo)
	}
	return b
}

// Tuples yields every tuple of values of the given variables, the last one
// changing fastest. The slice is reused.
func Tuples(vars []*Var) iter.Seq[[]term.Value] {
	return func(yield func([]term.Value) bool) {
		tuple := make([]term.Value, len(vars))
		var rec func(i int) bool
		rec = func(i int) bool {
			if i == len(vars) {
				return yield(tuple)
			}
			for v := range Values(vars[i].Type) {
				tuple[i] = v
				if !rec(i + 1) {
					return false
				}
			}
			return true
		}
		rec(0)
	}
}

// FormatArgs writes values as an argument list: (3, true).
func FormatArgs(vars []*Var, values []term.Value) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = vars[i].Type.FormatValue(v)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// FormatOutcome writes the results of a call as an outcome: return if there are
// none, true, (true, 3).
func FormatOutcome(m *Method, results []term.Value) string {
	switch len(m.Results) {
	case 0:
		return "return"
	case 1:
		return m.Results[0].Type.FormatValue(results[0])
	}
	return FormatArgs(m.Results, results)
}

// FormatState writes a state as assignments: rd=true n=3.
func (p *Program) FormatState(s State) string {
	parts := make([]string, len(s))
	for i, v := range s {
		parts[i] = p.State[i].Name + "=" + p.State[i].Type.FormatValue(v)
	}
	return strings.Join(parts, " ")
}
