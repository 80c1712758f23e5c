// SPDX-License-Identifier: Apache-2.0

package prog

// This file writes terms as expressions of the text form. A term's bit-vectors
// have no sign and the text form's integers do, so each operator states the
// sign it needs and conversions are put where an operand has the other one.
// Division by something that may be zero is written quo and rem, which have no
// error site, and shift counts are unsigned. Arguments of commutative operators
// are ordered by their first variable, in the order of declaration, and then as
// text, so the result does not depend on the order in which terms were built.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// Precedences of the text form; higher binds tighter.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precAdd
	precMul
	precUnary
	precPrimary
)

// FormatExpr writes t, a term over vars, so that ParseExpr reads it back. An
// integer gets the sign of its variables. A variable that is not among vars is
// written by its name and counts as signed.
func FormatExpr(p *Program, vars []*Var, t *term.Term) string {
	f := newFormatter(p, vars)
	if t.Sort().Kind == term.BitVecKind {
		return f.whole(t, func(f *formatter) *expression { return f.any(t) })
	}
	return f.top(t, false)
}

// FormatExprAs writes t so that ParseExprAs reads it back with type typ.
func FormatExprAs(p *Program, vars []*Var, t *term.Term, typ Type) string {
	return newFormatter(p, vars).top(t, typ.Signed)
}

// FormatValue writes a value of a type: true, a decimal number, an enum value.
func (t Type) FormatValue(v term.Value) string { return term.FormatValue(t.Sort, v, t.Signed) }

// quoteName writes a name as the text form has it: plain if it can be, else in
// backquotes.
func quoteName(name string) string {
	if reserved[name] || name == "bool" || isIntName(name) {
		return "`" + name + "`"
	}
	for seg := range strings.SplitSeq(name, ".") {
		if seg == "" || identLen(seg) != len(seg) {
			return "`" + name + "`"
		}
	}
	return name
}

// quoteSegment is quoteName for a name that must stay one segment.
func quoteSegment(name string) string {
	if strings.Contains(name, ".") {
		return "`" + name + "`"
	}
	return quoteName(name)
}

// maxTree is the number of nodes, counted with repetition, up to which a term
// is written as one expression; maxDepth bounds its nesting. Beyond that, let
// names what occurs twice or deep.
const (
	maxTree  = 500
	maxDepth = 200
)

// top writes a whole expression.
func (f *formatter) top(t *term.Term, signed bool) string {
	return f.whole(t, func(f *formatter) *expression { return f.expr(t, signed) })
}

func (f *formatter) whole(t *term.Term, write func(*formatter) *expression) string {
	n := 0
	for stack := []*term.Term{t}; len(stack) > 0 && n <= maxTree; n++ {
		x := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], x.Args()...)
	}
	if n <= maxTree {
		return write(f).text
	}
	g := &formatter{
		vars: f.vars, order: f.order, enums: f.enums, first: f.first,
		signs: make(map[*term.Term]int8),
		texts: make(map[*term.Term][2]*expression),
		lets:  make(map[*term.Term]binding),
	}
	lets := g.bind(t)
	if len(lets) == 0 { // large, but nothing is there twice
		return write(g).text
	}
	return "let " + strings.Join(lets, ", ") + " in " + at(write(g), precOr)
}

// A binding is a name that let gave to a term.
type binding struct {
	name   string
	signed bool
}

// bind names the terms below t that occur more than once, or deep, each after
// what it is made of.
func (f *formatter) bind(t *term.Term) (lets []string) {
	uses := make(map[*term.Term]int)
	var order []*term.Term // arguments first
	type frame struct {
		t    *term.Term
		next int
	}
	seen := map[*term.Term]bool{t: true}
	for stack := []frame{{t, 0}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next == len(top.t.Args()) {
			order = append(order, top.t)
			stack = stack[:len(stack)-1]
			continue
		}
		a := top.t.Args()[top.next]
		top.next++
		uses[a]++
		if !seen[a] {
			seen[a] = true
			stack = append(stack, frame{a, 0})
		}
	}
	depth := make(map[*term.Term]int)
	next := 1
	for _, x := range order {
		for _, a := range x.Args() {
			depth[x] = max(depth[x], depth[a]+1)
		}
		if x == t || len(x.Args()) == 0 || uses[x] < 2 && depth[x] < maxDepth {
			continue
		}
		b := binding{}
		for ; b.name == "" || f.enums[b.name] > 0; next++ {
			b.name = fmt.Sprint("t", next)
		}
		signed, known := f.sign(x)
		b.signed = signed || !known
		lets = append(lets, b.name+" = "+f.expr(x, b.signed).text)
		f.lets[x] = b // nothing above x was written yet
		depth[x] = 0
	}
	return lets
}

type formatter struct {
	vars  map[*term.Term]*Var
	order map[*term.Term]int            // of variables, as declared
	enums map[string]int                // number of enums with a value of this name
	first map[*term.Term]int            // memo of firstVar
	signs map[*term.Term]int8           // memo of sign: 1 signed, -1 unsigned, 2 unknown
	texts map[*term.Term][2]*expression // memo of expr, unsigned and signed
	lets  map[*term.Term]binding        // named terms, of an expression with let
}

type expression struct {
	text string
	prec int
}

func newFormatter(p *Program, vars []*Var) *formatter {
	f := &formatter{
		vars:  make(map[*term.Term]*Var),
		order: make(map[*term.Term]int),
		enums: make(map[string]int),
		first: make(map[*term.Term]int),
		signs: make(map[*term.Term]int8),
		texts: make(map[*term.Term][2]*expression),
	}
	for i, v := range vars {
		f.vars[v.Term] = v
		f.order[v.Term] = i
		f.enums[v.Name]++ // a variable hides a value of its name
	}
	for _, e := range p.Enums {
		for _, v := range e.Values {
			f.enums[v]++
		}
	}
	return f
}

// firstVar is the smallest index of a variable of t.
func (f *formatter) firstVar(t *term.Term) int {
	if n, ok := f.first[t]; ok {
		return n
	}
	n := math.MaxInt
	if t.Op() == term.OpVar {
		n = math.MaxInt - 1
		if i, ok := f.order[t]; ok {
			n = i
		}
	}
	for _, a := range t.Args() {
		n = min(n, f.firstVar(a))
	}
	f.first[t] = n
	return n
}

// sorted orders the arguments of a commutative operator; constants come last.
func (f *formatter) sorted(args []*term.Term, signed bool) []*term.Term {
	args = slices.Clone(args)
	slices.SortStableFunc(args, func(a, b *term.Term) int {
		if x, y := f.firstVar(a), f.firstVar(b); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return strings.Compare(f.expr(a, signed).text, f.expr(b, signed).text)
	})
	return args
}

// sign is the sign that t has without any conversion around it, if it has one.
func (f *formatter) sign(t *term.Term) (signed, known bool) {
	if n, ok := f.signs[t]; ok {
		return n == 1, n != 2
	}
	if b, ok := f.lets[t]; ok {
		return b.signed, true
	}
	switch t.Op() {
	case term.OpVar:
		signed, known = true, true
		if v := f.vars[t]; v != nil {
			signed = v.Type.Signed
		}
	case term.OpConst:
	case term.OpSDiv, term.OpSRem, term.OpAShr, term.OpSignExt:
		signed, known = true, true
	case term.OpUDiv, term.OpURem, term.OpLShr, term.OpConcat, term.OpExtract, term.OpZeroExt:
		known = true
	case term.OpIte:
		if signed, known = f.sign(t.Args()[1]); !known {
			signed, known = f.sign(t.Args()[2])
		}
	case term.OpShl:
		signed, known = f.sign(t.Args()[0])
	default:
		// The first variable decides, not the first argument: the order of
		// arguments depends on the pool.
		best := math.MaxInt
		for _, a := range t.Args() {
			if s, k := f.sign(a); k && (!known || f.firstVar(a) < best || f.firstVar(a) == best && s && !signed) {
				signed, known, best = s, true, f.firstVar(a)
			}
		}
	}
	n := int8(2)
	if known {
		n = -1
		if signed {
			n = 1
		}
	}
	f.signs[t] = n
	return signed, known
}

// expr writes t. An integer gets the sign asked for; a constant is untyped.
func (f *formatter) expr(t *term.Term, signed bool) *expression {
	i := 0
	if signed {
		i = 1
	}
	if b, ok := f.lets[t]; ok {
		e := &expression{b.name, precPrimary}
		if t.Sort().Kind == term.BitVecKind && b.signed != signed {
			return f.convert(e, t.Sort().Width, signed)
		}
		return e
	}
	memo := f.texts[t]
	if memo[i] == nil {
		if t.Sort().Kind == term.BitVecKind {
			memo[i] = f.integer(t, signed)
		} else {
			memo[i] = f.boolean(t)
		}
		done := f.texts[t]
		done[i] = memo[i]
		f.texts[t] = done
	}
	return memo[i]
}

// typed is expr with a conversion around a constant.
func (f *formatter) typed(t *term.Term, signed bool) *expression {
	e := f.expr(t, signed)
	if t.IsConst() && t.Sort().Kind == term.BitVecKind {
		return f.convert(e, t.Sort().Width, signed)
	}
	return e
}

// any is typed with whatever sign t has.
func (f *formatter) any(t *term.Term) *expression {
	signed, known := f.sign(t)
	return f.typed(t, signed || !known)
}

func (f *formatter) convert(e *expression, width int, signed bool) *expression {
	return &expression{fmt.Sprintf("%v(%s)", Type{Sort: term.BV(width), Signed: signed}, e.text), precPrimary}
}

// at writes an operand, in parentheses if it binds less than prec.
func at(e *expression, prec int) string {
	if e.prec < prec {
		return "(" + e.text + ")"
	}
	return e.text
}

// prefix writes a unary operator; two minus signs must not meet.
func prefix(op string, e *expression) *expression {
	text := at(e, precUnary)
	if strings.HasPrefix(text, op) {
		text = "(" + text + ")"
	}
	return &expression{op + text, precUnary}
}

// boolean writes a term of sort bool or of an enum.
func (f *formatter) boolean(t *term.Term) *expression {
	args := t.Args()
	switch t.Op() {
	case term.OpConst:
		return f.constant(t)
	case term.OpVar:
		return &expression{quoteName(t.Name()), precPrimary}
	case term.OpNot:
		return f.negation(args[0])
	case term.OpAnd, term.OpOr:
		op, prec := " && ", precAnd
		if t.Op() == term.OpOr {
			op, prec = " || ", precOr
		}
		var parts []string
		for _, a := range f.sorted(args, false) {
			parts = append(parts, at(f.expr(a, false), prec+1))
		}
		return &expression{strings.Join(parts, op), prec}
	case term.OpIte:
		return f.ite(t, false)
	case term.OpEq, term.OpSLt, term.OpULt, term.OpSLe, term.OpULe:
		return f.comparison(t, false)
	case term.OpExtract:
		hi, lo := t.Extract()
		return &expression{fmt.Sprintf("bits(%s, %d, %d)", f.any(args[0]).text, hi, lo), precPrimary}
	}
	return &expression{t.String(), 0} // no other operator has these sorts
}

func (f *formatter) constant(t *term.Term) *expression {
	v, _ := t.Const()
	s := t.Sort()
	if s.Kind != term.EnumKind {
		return &expression{term.FormatValue(s, v, false), precPrimary}
	}
	return &expression{f.enumValue(s.Enum, int(v.Lo)), precPrimary}
}

// enumValue writes a value of an enum, qualified if its name is not enough.
func (f *formatter) enumValue(e *term.Enum, i int) string {
	name := e.Values[i]
	if f.enums[name] > 1 {
		return quoteName(e.Name) + "." + quoteSegment(name)
	}
	return quoteSegment(name)
}

func (f *formatter) negation(t *term.Term) *expression {
	if _, named := f.lets[t]; named {
		return prefix("!", f.expr(t, false))
	}
	switch t.Op() {
	case term.OpEq, term.OpSLt, term.OpULt, term.OpSLe, term.OpULe:
		return f.comparison(t, true)
	}
	return prefix("!", f.expr(t, false))
}

func (f *formatter) comparison(t *term.Term, negated bool) *expression {
	a, b := t.Args()[0], t.Args()[1]
	signed := t.Op() == term.OpSLt || t.Op() == term.OpSLe
	op := "<"
	switch t.Op() {
	case term.OpSLe, term.OpULe:
		op = "<="
	case term.OpEq:
		op = "=="
		s, known := f.sign(a)
		if u, k := f.sign(b); !known || k && f.firstVar(b) < f.firstVar(a) {
			s = u
		}
		signed = s
		sorted := f.sorted([]*term.Term{a, b}, signed)
		a, b = sorted[0], sorted[1]
	}
	if e := a.Sort().Enum; e != nil && len(e.Values) == 2 && negated && b.IsConst() {
		// Of two values, say which it is rather than which it is not.
		other := &expression{f.enumValue(e, 1-int(b.Value().Lo)), precPrimary}
		return &expression{at(f.expr(a, false), precCompare+1) + " == " + other.text, precCompare}
	}
	if negated {
		op = map[string]string{"<": ">=", "<=": ">", "==": "!="}[op]
	}
	if a.IsConst() && t.Op() != term.OpEq {
		a, b = b, a
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	}
	return &expression{at(f.expr(a, signed), precCompare+1) + " " + op + " " + at(f.expr(b, signed), precCompare+1), precCompare}
}

func (f *formatter) ite(t *term.Term, signed bool) *expression {
	c, a, b := t.Args()[0], t.Args()[1], t.Args()[2]
	x, y := f.expr(a, signed), f.expr(b, signed)
	if a.IsConst() && b.IsConst() {
		x, y = f.typed(a, signed), f.typed(b, signed)
	}
	return &expression{fmt.Sprintf("ite(%s, %s, %s)", f.expr(c, false).text, x.text, y.text), precPrimary}
}

// integer writes a bit-vector with the sign asked for.
func (f *formatter) integer(t *term.Term, signed bool) *expression {
	w := t.Sort().Width
	if v, ok := t.Const(); ok {
		n := v.Big(w, signed)
		prec := precPrimary
		if n.Sign() < 0 {
			prec = precUnary
		}
		return &expression{n.String(), prec}
	}
	natural, known := f.sign(t)
	if !known {
		natural = signed
	}
	// An extension takes the sign of its argument and gives either.
	switch args := t.Args(); t.Op() {
	case term.OpZeroExt:
		return f.convert(f.typed(args[0], false), w, signed)
	case term.OpSignExt:
		return f.convert(f.typed(args[0], true), w, signed)
	case term.OpExtract:
		if _, lo := t.Extract(); lo == 0 {
			return f.convert(f.any(args[0]), w, signed)
		} else if !isShift(args[0]) { // of which one would be made with this
			return f.convert(&expression{fmt.Sprintf("%s >> %d", at(f.any(args[0]), precMul), lo), precMul}, w, signed)
		}
	}
	e := f.natural(t, natural)
	if natural != signed {
		return f.convert(e, w, signed)
	}
	return e
}

func isShift(t *term.Term) bool { return t.Op() == term.OpLShr || t.Op() == term.OpAShr }

// natural writes a bit-vector with its natural sign.
func (f *formatter) natural(t *term.Term, signed bool) *expression {
	args := t.Args()
	chain := func(op string, prec int) *expression {
		var parts []string
		for _, a := range f.sorted(args, signed) {
			parts = append(parts, at(f.expr(a, signed), prec+1))
		}
		return &expression{strings.Join(parts, op), prec}
	}
	divide := func(op, total string) *expression {
		a, b := f.expr(args[0], signed), f.expr(args[1], signed)
		if v, ok := args[1].Const(); ok && v != (term.Value{}) {
			return &expression{at(a, precMul) + op + at(b, precMul+1), precMul}
		}
		return &expression{fmt.Sprintf("%s(%s, %s)", total, a.text, b.text), precPrimary}
	}
	switch t.Op() {
	case term.OpVar:
		return &expression{quoteName(t.Name()), precPrimary}
	case term.OpIte:
		return f.ite(t, signed)
	case term.OpNeg:
		return prefix("-", f.expr(args[0], signed))
	case term.OpBVNot:
		return prefix("^", f.expr(args[0], signed))
	case term.OpAdd:
		return f.sum(t, signed)
	case term.OpMul:
		return f.product(args, signed)
	case term.OpBVAnd:
		return chain(" & ", precMul)
	case term.OpBVOr:
		return chain(" | ", precAdd)
	case term.OpBVXor:
		return chain(" ^ ", precAdd)
	case term.OpSDiv, term.OpUDiv:
		return divide(" / ", "quo")
	case term.OpSRem, term.OpURem:
		return divide(" % ", "rem")
	case term.OpShl, term.OpLShr, term.OpAShr:
		op := " >> "
		if t.Op() == term.OpShl {
			op = " << "
		}
		return &expression{at(f.typed(args[0], signed), precMul) + op + at(f.expr(args[1], false), precMul+1), precMul}
	case term.OpConcat:
		// The constructor may have joined more than two.
		e := f.any(args[0])
		for _, a := range args[1:] {
			e = &expression{fmt.Sprintf("concat(%s, %s)", e.text, f.any(a).text), precPrimary}
		}
		return e
	case term.OpExtract:
		hi, lo := t.Extract()
		return &expression{fmt.Sprintf("bits(%s, %d, %d)", f.any(args[0]).text, hi, lo), precPrimary}
	}
	return &expression{t.String(), 0} // no other operator gives a bit-vector
}

// product writes a product with its constant first, as in 3 * x.
func (f *formatter) product(args []*term.Term, signed bool) *expression {
	var parts []string
	for _, a := range f.sorted(args, signed) {
		if text := at(f.expr(a, signed), precMul+1); a.IsConst() {
			parts = slices.Insert(parts, 0, text)
		} else {
			parts = append(parts, text)
		}
	}
	return &expression{strings.Join(parts, " * "), precMul}
}

// sum writes summands with negative coefficients as subtractions, after one
// that is not, and the constant last.
func (f *formatter) sum(t *term.Term, signed bool) *expression {
	type summand struct {
		minus bool
		e     *expression
	}
	var parts []summand
	for _, a := range f.sorted(t.Args(), signed) {
		s := summand{e: f.expr(a, signed)}
		_, named := f.lets[a]
		switch {
		case named:
		case a.Op() == term.OpNeg:
			s = summand{true, f.expr(a.Args()[0], signed)}
		case a.IsConst():
			if n := negative(a); n != nil {
				s = summand{true, &expression{n.String(), precPrimary}}
			}
		case a.Op() == term.OpMul && a.Args()[0].IsConst():
			if n := negative(a.Args()[0]); n != nil {
				rest := f.product(a.Args()[1:], signed)
				s = summand{true, &expression{n.String() + " * " + at(rest, precMul), precMul}}
			}
		}
		parts = append(parts, s)
	}
	if i := slices.IndexFunc(parts, func(s summand) bool { return !s.minus }); i > 0 {
		s := parts[i]
		parts = slices.Insert(slices.Delete(parts, i, i+1), 0, s)
	}
	var b strings.Builder
	for i, s := range parts {
		switch {
		case i == 0 && s.minus:
			b.WriteString(prefix("-", s.e).text)
			continue
		case s.minus:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		}
		b.WriteString(at(s.e, precMul))
	}
	return &expression{b.String(), precAdd}
}

// negative returns -n for a constant that reads as the negative number n and
// whose negation is another number; nil otherwise.
func negative(t *term.Term) *big.Int {
	v, _ := t.Const()
	n := v.Big(t.Sort().Width, true)
	if n.Sign() >= 0 || n.BitLen() == t.Sort().Width && n.TrailingZeroBits() == uint(t.Sort().Width-1) {
		return nil
	}
	return n.Neg(n)
}
