// SPDX-License-Identifier: Apache-2.0

package term

// This file writes terms as SMT-LIB 2 (Barrett, Fontaine, Tinelli: The SMT-LIB
// Standard, version 2.6) for any solver of QF_BV. Shared subterms are bound by
// let, so the text is linear in the number of distinct subterms. Enums become
// bit-vectors of their codes; datatypes would say it better, but few solvers of
// bit-vectors know them. Sums and products are written with more than two
// operands, which solvers accept although the theory declares them binary.

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteSMT writes t as an SMT-LIB term.
func WriteSMT(w io.Writer, t *Term) error {
	b := bufio.NewWriter(w)
	uses := make(map[*Term]int)
	taken := make(map[string]bool) // names of variables that look like ours
	postorder([]*Term{t}, func(t *Term) {
		for _, a := range t.args {
			uses[a]++
		}
		if strings.HasPrefix(t.name, "$") {
			taken[t.name] = true
		}
	})
	names := make(map[*Term]string)
	next, lets := 0, 0
	postorder([]*Term{t}, func(s *Term) {
		if s == t || len(s.args) == 0 || uses[s] < 2 {
			return
		}
		name := ""
		for name == "" || taken[name] {
			next++
			name = "$" + strconv.Itoa(next)
		}
		b.WriteString("(let ((" + name + " ")
		writeTree(b, s, names)
		b.WriteString(")) ")
		names[s] = name
		lets++
	})
	writeTree(b, t, names)
	for range lets {
		b.WriteByte(')')
	}
	return b.Flush()
}

// SMT is t as an SMT-LIB term.
func SMT(t *Term) string {
	var b strings.Builder
	WriteSMT(&b, t)
	return b.String()
}

// writeTree writes t, named subterms by name, with a stack of its own: what is
// not shared may still be deep.
func writeTree(b *bufio.Writer, t *Term, names map[*Term]string) {
	type item struct {
		t    *Term // or, if nil,
		text string
	}
	stack := []item{{t: t}}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x.t == nil {
			b.WriteString(x.text)
			continue
		}
		t := x.t
		if name, ok := names[t]; ok {
			b.WriteString(name)
			continue
		}
		switch t.op {
		case OpConst:
			b.WriteString(SMTValue(t.sort, t.val))
			continue
		case OpVar:
			b.WriteString(SMTName(t.name))
			continue
		case OpExtract:
			fmt.Fprintf(b, "((_ extract %d %d)", t.val.Hi, t.val.Lo)
		case OpZeroExt, OpSignExt:
			fmt.Fprintf(b, "((_ %s %d)", t.op, t.val.Lo)
		default:
			b.WriteString("(" + t.op.String())
		}
		stack = append(stack, item{text: ")"})
		for i := len(t.args) - 1; i >= 0; i-- {
			stack = append(stack, item{t: t.args[i]}, item{text: " "})
		}
	}
}

// SMTValue is the SMT-LIB constant for a value. Enum values are their codes.
func SMTValue(s Sort, v Value) string {
	if s.Kind == BoolKind {
		return strconv.FormatBool(v.Bool())
	}
	w := s.Bits()
	if w%4 == 0 {
		hex := strconv.FormatUint(v.Lo, 16)
		if v.Hi != 0 {
			hex = fmt.Sprintf("%x%016x", v.Hi, v.Lo)
		}
		return "#x" + strings.Repeat("0", w/4-len(hex)) + hex
	}
	out := []byte("#b")
	for i := w - 1; i >= 0; i-- {
		if v.bit(i) {
			out = append(out, '1')
		} else {
			out = append(out, '0')
		}
	}
	return string(out)
}

// SMTSort is the SMT-LIB sort that a term of sort s is written with.
func SMTSort(s Sort) string {
	if s.Kind == BoolKind {
		return "Bool"
	}
	return fmt.Sprintf("(_ BitVec %d)", s.Bits())
}

// Declare writes a declaration for each of vars, and for enums an assertion
// that keeps them in their domain. SMT-LIB does not overload constants: two
// variables with one name are an error.
func Declare(w io.Writer, vars []*Term) error {
	b := bufio.NewWriter(w)
	sorts := make(map[string]Sort)
	for _, v := range vars {
		if s, ok := sorts[v.name]; ok {
			return fmt.Errorf("variable %s has sorts %s and %s", v.name, s, v.sort)
		}
		sorts[v.name] = v.sort
		name := SMTName(v.name)
		fmt.Fprintf(b, "(declare-const %s %s)\n", name, SMTSort(v.sort))
		if n, ok := domain(v.sort); ok {
			fmt.Fprintf(b, "(assert (bvult %s %s))\n", name, SMTValue(v.sort, n))
		}
	}
	return b.Flush()
}

// domain is the number of values of an enum if not every code is one.
func domain(s Sort) (n Value, ok bool) {
	if s.Kind != EnumKind {
		return Value{}, false
	}
	c := len(s.Enum.Values)
	return Value{Lo: uint64(c)}, c != 1<<s.Bits()
}

// Encode replaces the enums of t by bit-vectors of their codes: variables by
// variables with the same name, values by numbers. It is what [WriteSMT] writes.
func (p *Pool) Encode(t *Term) *Term {
	return p.rewrite(t, p.newMemo(), nothingStays, func(t *Term) *Term {
		if t.sort.Kind != EnumKind {
			return t
		}
		s := BV(t.sort.Bits())
		if t.op == OpVar {
			return p.Var(t.name, s)
		}
		return p.Const(s, t.val)
	})
}

// Domain says that an encoded enum variable is one of its values: the code of t
// is less than their number. It is true for other sorts.
func (p *Pool) Domain(t *Term) *Term {
	n, ok := domain(t.sort)
	if !ok {
		return p.true
	}
	e := p.Encode(t)
	return p.ULt(e, p.Const(e.sort, n))
}

// SMTName is a variable's name as an SMT-LIB symbol, quoted if needed. Names
// that no symbol can have (with bars or control characters), that mean something
// to solvers, or that start with ~ get a ~ in front and have their bad
// characters written as %XX. Different names have different symbols; [NameOfSMT] goes back.
func SMTName(name string) string {
	if name == "" || name[0] == '~' || risky(name) || strings.ContainsFunc(name, func(r rune) bool {
		return r < ' ' || r > '~' || r == '|' || r == '\\'
	}) {
		var b strings.Builder
		b.WriteByte('~')
		for i := range len(name) {
			if c := name[i]; c < ' ' || c > '~' || c == '|' || c == '\\' || c == '%' {
				fmt.Fprintf(&b, "%%%02X", c)
			} else {
				b.WriteByte(c)
			}
		}
		name = b.String()
	}
	if isSimple(name) {
		return name
	}
	return "|" + name + "|"
}

// NameOfSMT is the name that [SMTName] writes as the given symbol.
func NameOfSMT(symbol string) string {
	name := symbol
	if len(name) >= 2 && name[0] == '|' && name[len(name)-1] == '|' {
		name = name[1 : len(name)-1]
	}
	if name == "" || name[0] != '~' {
		return name
	}
	var b strings.Builder
	for i := 1; i < len(name); i++ {
		if name[i] == '%' && i+2 < len(name) {
			if c, err := strconv.ParseUint(name[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// isSimple says whether a name needs no bars.
func isSimple(name string) bool {
	for i := range len(name) {
		if !symbolByte(name[i]) || i == 0 && name[0] >= '0' && name[0] <= '9' {
			return false
		}
	}
	// Symbols that start with @ or . belong to solvers.
	return name != "" && name[0] != '@' && name[0] != '.'
}

func symbolByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("~!@$%^&*_-+=<>.?/", c) >= 0
}

// reserved says whether a symbol cannot be declared in QF_BV.
func reserved(name string) bool {
	switch name {
	case "BINARY", "DECIMAL", "HEXADECIMAL", "NUMERAL", "STRING", "_", "!", "as", "let", "exists",
		"forall", "match", "par", "true", "false", "Bool", "BitVec":
		return true
	}
	_, ok := smtOperators[name]
	return ok || commandForms[name].kind != 0
}

// risky says whether some solver has a meaning of its own for a symbol, in
// another theory or as an extension.
func risky(name string) bool {
	switch name {
	case "+", "-", "*", "/", "<", "<=", ">", ">=", "div", "mod", "abs", "implies", "iff", "if",
		"Int", "Real", "String", "Array", "List", "Seq", "Set", "RoundingMode", "RegLan", "select", "store", "const", "map",
		"is", "insert", "nil", "head", "tail", "first", "second", "pair", "subset", "union", "member",
		"bvredor", "bvredand", "bvnego", "bvuaddo", "bvsaddo", "bvumulo", "bvsmulo", "bvusubo", "bvssubo", "bvsdivo",
		"bv2int", "bv2nat", "int2bv", "nat2bv", "ubv_to_int", "sbv_to_int", "int_to_bv":
		return true
	}
	for _, prefix := range []string{"fp.", "str.", "re.", "seq.", "set."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	n, isNumber := strings.CutPrefix(name, "bv")
	return reserved(name) || isNumber && digitsOnly(n)
}
