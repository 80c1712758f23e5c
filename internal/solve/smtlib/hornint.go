// SPDX-License-Identifier: Apache-2.0

package smtlib

// This file writes clauses over integers. A bit-vector becomes an integer in the
// range of its sort, read as signed or as unsigned: which, is inferred from the
// comparisons it takes part in, and must be the same for everything that it is
// added to, equated with or passed for.
//
// Sums are linear forms, which are exact modulo 2^w whatever multiples of 2^w they
// are off by; so a sum only has to be in range where its value matters, in a
// comparison or as an argument. Where it is not, the formula is undefined, and
// connectives are those of Kleene's strong logic: a conjunction with a false
// conjunct is false, whatever the others are. So "x < 10 && y == x+1" is defined
// for all x below 10. An equation is undefined exactly where its sides differ by
// a multiple of 2^w other than 0.
//
// A formula t is written as two, "t is true" and "t is false"; in most both are
// each other's negation. Wrap-around by case distinction would be exact instead,
// but then every sum is a case distinction, and loses what integers are good for.

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// A TheoryError says that a term cannot be written in a theory.
type TheoryError struct {
	Clause int
	Term   *term.Term
	Reason string
}

func (e *TheoryError) Error() string {
	text := e.Term.String()
	if len(text) > 80 {
		text = text[:80] + "..."
	}
	return fmt.Sprintf("unsupported over integers: clause %d: %s: %s", e.Clause, e.Reason, text)
}

// A sign is how the bits of a number are read.
type sign uint8

const (
	unsigned sign = 1 << iota
	signed
	mixed = unsigned | signed
)

// A site is something with a sign: a term of a clause, or, if t is nil, argument
// arg of predicate clause.
type site struct {
	clause int
	t      *term.Term
	arg    int
}

// integers is the translation of a system.
type integers struct {
	h      *Horn
	parent map[site]site
	signs  map[site]sign // of roots
}

func newIntegers(h *Horn) (*integers, error) {
	tr := &integers{h: h, parent: make(map[site]site), signs: make(map[site]sign)}
	for i := range h.Clauses {
		c := &h.Clauses[i]
		seen := make(map[*term.Term]bool)
		for _, t := range c.terms() {
			tr.infer(i, t, seen)
		}
		apps := c.Calls
		if c.Head != nil {
			apps = append(apps[:len(apps):len(apps)], *c.Head)
		}
		for _, a := range apps {
			for k, t := range a.Args {
				if t.Sort().Kind == term.BitVecKind && !t.IsConst() {
					tr.union(site{clause: i, t: t}, site{clause: a.Predicate, arg: k})
				}
			}
		}
	}
	for i := range h.Clauses {
		c := &h.Clauses[i]
		for _, t := range c.terms() {
			if x := tr.mixed(i, t, make(map[*term.Term]bool)); x != nil {
				return nil, &TheoryError{i, x, "compared both as signed and as unsigned"}
			}
		}
	}
	return tr, nil
}

func (tr *integers) find(s site) site {
	for {
		p, ok := tr.parent[s]
		if !ok {
			return s
		}
		if q, ok := tr.parent[p]; ok {
			tr.parent[s] = q
		}
		s = p
	}
}

func (tr *integers) union(a, b site) {
	a, b = tr.find(a), tr.find(b)
	if a != b {
		tr.parent[a] = b
		tr.signs[b] |= tr.signs[a]
	}
}

// sign is the sign of a number; one that is never compared is signed.
func (tr *integers) sign(s site) sign {
	if s := tr.signs[tr.find(s)]; s != 0 {
		return s
	}
	return signed
}

// infer unites the subterms of t that must have the same sign.
func (tr *integers) infer(clause int, t *term.Term, seen map[*term.Term]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	at := func(t *term.Term) site { return site{clause: clause, t: t} }
	// Constants have no sign of their own: they are read as what they meet.
	same := func(ts ...*term.Term) {
		var first *term.Term
		for _, t := range ts {
			if t.IsConst() || t.Sort().Kind != term.BitVecKind {
				continue
			}
			if first == nil {
				first = t
			} else {
				tr.union(at(first), at(t))
			}
		}
	}
	force := func(s sign, ts ...*term.Term) {
		for _, t := range ts {
			if !t.IsConst() {
				tr.signs[tr.find(at(t))] |= s
			}
		}
	}
	args := t.Args()
	for _, a := range args {
		tr.infer(clause, a, seen)
	}
	switch t.Op() {
	case term.OpEq:
		same(args...)
	case term.OpIte:
		same(t, args[1], args[2])
	case term.OpAdd, term.OpMul, term.OpNeg, term.OpBVNot:
		same(append([]*term.Term{t}, args...)...)
	case term.OpULt, term.OpULe:
		same(args...)
		force(unsigned, args...)
	case term.OpSLt, term.OpSLe:
		same(args...)
		force(signed, args...)
	case term.OpZeroExt:
		force(unsigned, args...)
	case term.OpSignExt:
		force(signed, t, args[0])
	}
}

// mixed is a subterm of t with two signs, or nil.
func (tr *integers) mixed(clause int, t *term.Term, seen map[*term.Term]bool) *term.Term {
	if seen[t] {
		return nil
	}
	seen[t] = true
	for _, a := range t.Args() {
		if x := tr.mixed(clause, a, seen); x != nil {
			return x
		}
	}
	if t.Sort().Kind == term.BitVecKind && !t.IsConst() && tr.sign(site{clause: clause, t: t}) == mixed {
		return t
	}
	return nil
}

// bounds is the range of a sort.
func bounds(s term.Sort, sg sign) (lo, hi *big.Int) {
	if s.Kind == term.EnumKind {
		return new(big.Int), big.NewInt(int64(len(s.Enum.Values) - 1))
	}
	lo = new(big.Int)
	hi = power(s.Width)
	if sg == signed {
		hi = power(s.Width - 1)
		lo.Neg(hi)
	}
	return lo, hi.Sub(hi, big.NewInt(1))
}

func power(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// A formula is a boolean term: texts of where it is true and where it is false.
type formula struct {
	t, f  string
	total bool // f is the negation of t
}

func totally(t string) formula { return formula{t, negated(t), true} }

// A linear form is a number: k plus atoms with coefficients.
type linear struct {
	atoms []atom
	k     *big.Int
	def   string // where it is defined
}

type atom struct {
	c      *big.Int
	name   string
	lo, hi *big.Int
}

// add adds c times y.
func (x *linear) add(c *big.Int, y linear) {
	x.k = new(big.Int).Add(x.k, new(big.Int).Mul(c, y.k))
	x.def = both("and", x.def, y.def)
next:
	for _, b := range y.atoms {
		b.c = new(big.Int).Mul(c, b.c)
		for i, a := range x.atoms {
			if a.name == b.name {
				x.atoms[i].c = new(big.Int).Add(a.c, b.c)
				continue next
			}
		}
		x.atoms = append(x.atoms, b)
	}
}

// reduce makes coefficients, and the constant if there are any, small modulo 2^w.
func (x *linear) reduce(w int) {
	var kept []atom
	for _, a := range x.atoms {
		if a.c = small(a.c, w); a.c.Sign() != 0 {
			kept = append(kept, a)
		}
	}
	x.atoms = kept
	if len(kept) > 0 {
		x.k = small(x.k, w)
	}
}

// small is the number of least magnitude that is equal to x modulo 2^w, of two
// the positive one.
func small(x *big.Int, w int) *big.Int {
	v := term.ValueOfBig(w, x).Big(w, true)
	if v.Sign() < 0 && v.CmpAbs(power(w-1)) == 0 {
		v.Neg(v)
	}
	return v
}

// interval is the range of a linear form.
func (x linear) interval() (lo, hi *big.Int) {
	lo, hi = new(big.Int).Set(x.k), new(big.Int).Set(x.k)
	for _, a := range x.atoms {
		p, q := new(big.Int).Mul(a.c, a.lo), new(big.Int).Mul(a.c, a.hi)
		if a.c.Sign() < 0 {
			p, q = q, p
		}
		lo.Add(lo, p)
		hi.Add(hi, q)
	}
	return lo, hi
}

func (x linear) String() string {
	var parts []string
	for _, a := range x.atoms {
		if a.c.IsInt64() && a.c.Int64() == 1 {
			parts = append(parts, a.name)
		} else {
			parts = append(parts, "(* "+numeral(a.c)+" "+a.name+")")
		}
	}
	if x.k.Sign() != 0 || len(parts) == 0 {
		parts = append(parts, numeral(x.k))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(+ " + strings.Join(parts, " ") + ")"
}

func numeral(x *big.Int) string {
	if x.Sign() < 0 {
		return "(- " + new(big.Int).Neg(x).String() + ")"
	}
	return x.String()
}

// A clauseWriter translates the terms of one clause.
type clauseWriter struct {
	*integers
	clause   int
	lets     []string // names and texts, in order
	formulas map[*term.Term]formula
	numbers  map[*term.Term]linear
	taken    map[string]bool
}

func (tr *integers) writer(i int) *clauseWriter {
	w := &clauseWriter{integers: tr, clause: i, formulas: make(map[*term.Term]formula),
		numbers: make(map[*term.Term]linear), taken: make(map[string]bool)}
	for _, v := range tr.h.Clauses[i].Vars {
		w.taken[v.Name()] = true
	}
	return w
}

// bind gives a name to a text that is not one.
func (w *clauseWriter) bind(text string) string {
	if !strings.HasPrefix(text, "(") {
		return text
	}
	n := len(w.lets) / 2
	name := fmt.Sprintf("$%d", n)
	for w.taken[name] {
		name += "$"
	}
	w.lets = append(w.lets, name, text)
	return name
}

// closed wraps a text in the bindings.
func (w *clauseWriter) closed(text string) string {
	var b strings.Builder
	for i := 0; i < len(w.lets); i += 2 {
		fmt.Fprintf(&b, "(let ((%s %s)) ", w.lets[i], w.lets[i+1])
	}
	b.WriteString(text)
	b.WriteString(strings.Repeat(")", len(w.lets)/2))
	return b.String()
}

func (w *clauseWriter) refuse(t *term.Term, reason string) error {
	return &TheoryError{w.clause, t, reason}
}

// bind2 names the parts of a formula.
func (w *clauseWriter) bind2(x formula) formula {
	if x.total {
		return totally(w.bind(x.t))
	}
	return formula{t: w.bind(x.t), f: w.bind(x.f)}
}

// formula translates a boolean term.
func (w *clauseWriter) formula(t *term.Term) (formula, error) {
	if x, ok := w.formulas[t]; ok {
		return x, nil
	}
	x, err := w.formula1(t)
	if err != nil {
		return x, err
	}
	x = w.bind2(x)
	w.formulas[t] = x
	return x, nil
}

func (w *clauseWriter) formula1(t *term.Term) (formula, error) {
	args := t.Args()
	switch t.Op() {
	case term.OpConst:
		return totally(fmt.Sprint(t.IsTrue())), nil
	case term.OpVar:
		return totally(term.SMTName(t.Name())), nil
	case term.OpEq:
		if args[0].Sort().Kind != term.BoolKind {
			return w.equation(args[0], args[1])
		}
	case term.OpULt, term.OpULe, term.OpSLt, term.OpSLe:
		return w.order(t)
	case term.OpNot, term.OpAnd, term.OpOr, term.OpIte:
	default:
		return formula{}, w.refuse(t, t.Op().String())
	}
	xs := make([]formula, len(args))
	ts, fs := make([]string, len(args)), make([]string, len(args))
	total := true
	for i, a := range args {
		var err error
		if xs[i], err = w.formula(a); err != nil {
			return formula{}, err
		}
		ts[i], fs[i] = xs[i].t, xs[i].f
		total = total && xs[i].total
	}
	var x formula
	switch t.Op() {
	case term.OpNot:
		return formula{xs[0].f, xs[0].t, total}, nil
	case term.OpAnd:
		x = formula{t: both("and", ts...), f: both("or", fs...)}
	case term.OpOr:
		x = formula{t: both("or", ts...), f: both("and", fs...)}
	case term.OpEq:
		if total {
			return totally("(= " + ts[0] + " " + ts[1] + ")"), nil
		}
		x = formula{
			t: both("or", both("and", ts...), both("and", fs...)),
			f: both("or", both("and", ts[0], fs[1]), both("and", fs[0], ts[1])),
		}
	case term.OpIte:
		if total {
			return totally("(ite " + strings.Join(ts, " ") + ")"), nil
		}
		x = formula{
			t: both("or", both("and", ts[0], ts[1]), both("and", fs[0], ts[2]), both("and", ts[1], ts[2])),
			f: both("or", both("and", ts[0], fs[1]), both("and", fs[0], fs[2]), both("and", fs[1], fs[2])),
		}
	}
	if total {
		return totally(x.t), nil
	}
	return x, nil
}

// where makes a formula that is a text where def holds and undefined elsewhere.
func where(def, text string) formula {
	if def == "true" {
		return totally(text)
	}
	return formula{t: both("and", def, text), f: both("and", def, negated(text))}
}

// equation translates a == b.
func (w *clauseWriter) equation(a, b *term.Term) (formula, error) {
	x, err := w.number(a, w.reading(a, b))
	if err != nil {
		return formula{}, err
	}
	y, err := w.number(b, w.reading(b, a))
	if err != nil {
		return formula{}, err
	}
	d := linear{k: new(big.Int), def: "true"}
	d.add(big.NewInt(1), x)
	d.add(big.NewInt(-1), y)
	def := d.def
	if a.Sort().Kind == term.BitVecKind {
		// Off by a multiple of 2^w other than 0, they are equal after all.
		lo, hi := d.interval()
		m := power(a.Sort().Width)
		first, last := new(big.Int).Div(lo, m), new(big.Int).Div(hi, m)
		if new(big.Int).Sub(last, first).Cmp(big.NewInt(16)) > 0 {
			return formula{}, w.refuse(a, "may overflow too many times")
		}
		for k := first; k.Cmp(last) <= 0; k.Add(k, big.NewInt(1)) {
			v := new(big.Int).Mul(k, m)
			if v.Sign() != 0 && v.Cmp(lo) >= 0 {
				def = both("and", def, negated("(= "+d.String()+" "+numeral(v)+")"))
			}
		}
	}
	if len(d.atoms) == 0 {
		return where(def, fmt.Sprint(d.k.Sign() == 0)), nil
	}
	return where(def, "(= "+x.String()+" "+y.String()+")"), nil
}

// reading is the sign of a, or, if it is a constant, of b, which it meets.
func (w *clauseWriter) reading(a, b *term.Term) sign {
	if a.IsConst() {
		a = b
	}
	return w.sign(site{clause: w.clause, t: a})
}

// order translates comparisons.
func (w *clauseWriter) order(t *term.Term) (formula, error) {
	op, sg := "<", signed
	switch t.Op() {
	case term.OpULt:
		sg = unsigned
	case term.OpULe:
		op, sg = "<=", unsigned
	case term.OpSLe:
		op = "<="
	}
	def := "true"
	var texts []string
	for _, a := range t.Args() {
		x, err := w.number(a, sg)
		if err != nil {
			return formula{}, err
		}
		def = both("and", def, x.def, inRange(x, a.Sort(), sg))
		texts = append(texts, x.String())
	}
	return where(def, "("+op+" "+texts[0]+" "+texts[1]+")"), nil
}

// inRange says where a number is in its range.
func inRange(x linear, s term.Sort, sg sign) string {
	min, max := bounds(s, sg)
	lo, hi := x.interval()
	text := x.String()
	var low, high = "true", "true"
	if lo.Cmp(min) < 0 {
		low = "(<= " + numeral(min) + " " + text + ")"
	}
	if hi.Cmp(max) > 0 {
		high = "(<= " + text + " " + numeral(max) + ")"
	}
	return both("and", low, high)
}

// number translates a bit-vector or enum that is read with a sign.
func (w *clauseWriter) number(t *term.Term, sg sign) (linear, error) {
	if v, ok := t.Const(); ok {
		return linear{k: v.Big(t.Sort().Bits(), t.Sort().Kind == term.BitVecKind && sg == signed), def: "true"}, nil
	}
	if x, ok := w.numbers[t]; ok {
		return x, nil
	}
	x, err := w.number1(t, sg)
	if err != nil {
		return x, err
	}
	if t.Sort().Kind == term.BitVecKind {
		x.reduce(t.Sort().Width)
	}
	w.numbers[t] = x
	return x, nil
}

func (w *clauseWriter) number1(t *term.Term, sg sign) (linear, error) {
	args := t.Args()
	width := t.Sort().Width
	sum := linear{k: new(big.Int), def: "true"}
	switch t.Op() {
	case term.OpVar:
		lo, hi := bounds(t.Sort(), sg)
		return single(term.SMTName(t.Name()), "true", lo, hi), nil
	case term.OpAdd:
		for _, a := range args {
			x, err := w.number(a, sg)
			if err != nil {
				return sum, err
			}
			sum.add(big.NewInt(1), x)
		}
		return sum, nil
	case term.OpNeg, term.OpBVNot:
		x, err := w.number(args[0], sg)
		if err != nil {
			return sum, err
		}
		sum.add(big.NewInt(-1), x)
		if t.Op() == term.OpBVNot {
			sum.k.Sub(sum.k, big.NewInt(1))
			if sg == unsigned { // 2^w-1 - x is in range whenever x is
				sum.k.Add(sum.k, power(width))
			}
			return w.name(sum), nil
		}
		return sum, nil
	case term.OpMul:
		c := big.NewInt(1)
		var other *term.Term
		for _, a := range args {
			if v, ok := a.Const(); ok {
				c.Mul(c, v.Big(width, true))
			} else if other != nil {
				return sum, w.refuse(t, "product of variables")
			} else {
				other = a
			}
		}
		x, err := w.number(other, sg)
		if err != nil {
			return sum, err
		}
		sum.add(small(c, width), x)
		return sum, nil
	case term.OpIte:
		c, err := w.formula(args[0])
		if err != nil {
			return sum, err
		}
		var x, y linear
		if x, err = w.number(args[1], sg); err != nil {
			return sum, err
		}
		if y, err = w.number(args[2], sg); err != nil {
			return sum, err
		}
		dx, dy := both("and", x.def, inRange(x, t.Sort(), sg)), both("and", y.def, inRange(y, t.Sort(), sg))
		def := "true"
		if !c.total || dx != "true" || dy != "true" {
			def = w.bind(both("or", both("and", c.t, dx), both("and", c.f, dy)))
		}
		lo, hi := x.interval()
		lo2, hi2 := y.interval()
		if lo2.Cmp(lo) < 0 {
			lo = lo2
		}
		if hi2.Cmp(hi) > 0 {
			hi = hi2
		}
		// Outside of def the value is arbitrary, and with it what is known of it.
		return single(w.bind("(ite "+c.t+" "+x.String()+" "+y.String()+")"), def, lo, hi), nil
	case term.OpZeroExt, term.OpSignExt:
		from := signed
		if t.Op() == term.OpZeroExt {
			from = unsigned
		}
		x, err := w.number(args[0], from)
		if err != nil {
			return sum, err
		}
		x.def = both("and", x.def, inRange(x, args[0].Sort(), from))
		return x, nil
	case term.OpExtract:
		hi, lo := t.Extract()
		if lo != 0 {
			return sum, w.refuse(t, "extract of high bits")
		}
		// Exact, since what the sum may be off by is a multiple of 2^(hi+1).
		x, err := w.number(args[0], w.sign(site{clause: w.clause, t: args[0]}))
		if err != nil {
			return sum, err
		}
		m := power(hi + 1)
		text := w.bind("(mod " + x.String() + " " + m.String() + ")")
		if sg == signed {
			half := power(hi)
			text = w.bind("(ite (< " + text + " " + half.String() + ") " + text + " (- " + text + " " + m.String() + "))")
		}
		min, max := bounds(t.Sort(), sg)
		return single(text, x.def, min, max), nil
	}
	return sum, w.refuse(t, t.Op().String())
}

func single(name, def string, lo, hi *big.Int) linear {
	return linear{atoms: []atom{{big.NewInt(1), name, lo, hi}}, k: new(big.Int), def: def}
}

// name makes an atom of a form whose constant must not be reduced.
func (w *clauseWriter) name(x linear) linear {
	lo, hi := x.interval()
	return single(w.bind(x.String()), x.def, lo, hi)
}

// app translates an application and says where its arguments are defined.
func (w *clauseWriter) app(a *App) (text, def string, err error) {
	if len(a.Args) == 0 {
		return predicateName(a.Predicate), "true", nil
	}
	text, def = "("+predicateName(a.Predicate), "true"
	for k, t := range a.Args {
		if t.Sort().Kind == term.BoolKind {
			x, err := w.formula(t)
			if err != nil {
				return "", "", err
			}
			if !x.total {
				def = both("and", def, both("or", x.t, x.f))
			}
			text += " " + x.t
			continue
		}
		sg := w.sign(site{clause: a.Predicate, arg: k})
		x, err := w.number(t, sg)
		if err != nil {
			return "", "", err
		}
		def = both("and", def, x.def, inRange(x, t.Sort(), sg))
		text += " " + x.String()
	}
	return text + ")", def, nil
}

// parts translates a clause.
// Plain are the calls whose arguments are defined everywhere.
func (tr *integers) parts(i int) (w *clauseWriter, calls, plain []string, head string, body formula, def string, err error) {
	c := &tr.h.Clauses[i]
	w = tr.writer(i)
	body = totally("true")
	if c.Body != nil {
		if body, err = w.formula(c.Body); err != nil {
			return
		}
	}
	def = "true"
	for k := range c.Calls {
		var text, d string
		if text, d, err = w.app(&c.Calls[k]); err != nil {
			return
		}
		calls = append(calls, text)
		if d == "true" {
			plain = append(plain, text)
		}
		def = both("and", def, d)
	}
	head = "false"
	if c.Head != nil {
		var d string
		if head, d, err = w.app(c.Head); err != nil {
			return
		}
		def = both("and", def, d)
	}
	return
}

// clause is clause i as assertions.
func (tr *integers) clause(i int, o Overflow) ([]string, error) {
	w, calls, plain, head, body, def, err := tr.parts(i)
	if err != nil {
		return nil, err
	}
	var vars, ranges []string
	for _, v := range tr.h.Clauses[i].Vars {
		name := term.SMTName(v.Name())
		if v.Sort().Kind == term.BoolKind {
			vars = append(vars, "("+name+" Bool)")
			continue
		}
		vars = append(vars, "("+name+" Int)")
		lo, hi := bounds(v.Sort(), tr.sign(site{clause: i, t: v}))
		ranges = append(ranges, "(<= "+numeral(lo)+" "+name+" "+numeral(hi)+")")
	}
	text := func(cond, head string) string {
		// A let may not stand above the calls, so it stands above all of it.
		all := append(append(ranges[:len(ranges):len(ranges)], calls...), cond)
		return clauseText(vars, w.closed("(=> "+both("and", all...)+" "+head+")"))
	}
	ok := both("and", def, body.t)
	out := []string{text(ok, head)}
	if o == Forbidden && (!body.total || def != "true") {
		// Where arguments of a call are undefined, the call may hold for what
		// they wrap around to, which is not what is written.
		calls = plain
		out = append(out, text(both("and", negated(body.f), negated(ok)), "false"))
	}
	return out, nil
}

// defined is where clause i is defined and its body holds, as a term.
func (tr *integers) defined(pool *term.Pool, i int) (*term.Term, error) {
	w, _, _, _, body, def, err := tr.parts(i)
	if err != nil {
		return nil, err
	}
	return tr.back(pool, i, w.closed(both("and", def, body.t)))
}

// back reads a text over the variables of clause i as a term over bit-vectors.
func (tr *integers) back(pool *term.Pool, i int, text string) (*term.Term, error) {
	x, err := parseSexpr(text)
	if err != nil {
		return nil, err
	}
	r := &intReader{pool: pool, env: make(map[string]intTerm)}
	for _, v := range tr.h.Clauses[i].Vars {
		r.env[term.SMTName(v.Name())] = r.variable(v, tr.sign(site{clause: i, t: v}))
	}
	t, err := r.read(x)
	if err != nil {
		return nil, err
	}
	if t.t.Sort() != term.BoolSort || t.number {
		return nil, fmt.Errorf("%s is not a formula", clip(x))
	}
	return t.t, nil
}
