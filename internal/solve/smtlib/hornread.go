// SPDX-License-Identifier: Apache-2.0

package smtlib

// This file reads invariants back: the functions of a model, as terms. Over
// bit-vectors the reader of package term does it. Over integers every subterm is
// read as a signed bit-vector of as many bits as its value may need, which the
// ranges of the arguments bound; so there is no overflow, and the term means the
// same. Quantifiers and whatever else is not known are an error: an invariant that
// cannot be read is not guessed at.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// A function is a define-fun of a model.
type function struct {
	name   string
	params []sexpr // (name sort)
	text   sexpr   // the whole define-fun
	body   sexpr
}

// functions are the definitions of a model, those that others use first.
func functions(model []sexpr) ([]*function, error) {
	var all []*function
	byName := make(map[string]*function)
	for _, x := range model {
		if x.atom == "model" {
			continue
		}
		if len(x.list) != 5 || x.list[0].atom != "define-fun" {
			return nil, fmt.Errorf("%s", clip(x))
		}
		f := &function{unquote(x.list[1].atom), x.list[2].list, x, x.list[4]}
		if byName[f.name] != nil {
			return nil, fmt.Errorf("%s is defined twice", f.name)
		}
		all = append(all, f)
		byName[f.name] = f
	}
	var sorted []*function
	state := make(map[*function]int)
	var visit func(f *function) error
	var uses func(x sexpr) error
	uses = func(x sexpr) error {
		if f := byName[unquote(x.atom)]; x.atom != "" && f != nil {
			return visit(f)
		}
		for _, y := range x.list {
			if err := uses(y); err != nil {
				return err
			}
		}
		return nil
	}
	visit = func(f *function) error {
		switch state[f] {
		case 1:
			return fmt.Errorf("%s is defined by itself", f.name)
		case 2:
			return nil
		}
		state[f] = 1
		if err := uses(f.body); err != nil {
			return err
		}
		state[f] = 2
		sorted = append(sorted, f)
		return nil
	}
	for _, f := range all {
		if err := visit(f); err != nil {
			return nil, err
		}
	}
	return sorted, nil
}

// readInvariants reads the model of a system.
func readInvariants(pool *term.Pool, h *Horn, opts HornOptions, model []sexpr) ([]Invariant, error) {
	funs, err := functions(model)
	if err != nil {
		return nil, err
	}
	invs := make([]Invariant, len(h.Predicates))
	for i, p := range h.Predicates {
		for k, s := range p.Sorts {
			invs[i].params = append(invs[i].params, pool.Var(fmt.Sprintf("%s.%d", predicateName(i), k), s))
		}
		name := predicateName(i)
		at := slices.IndexFunc(funs, func(f *function) bool { return f.name == name })
		switch {
		case at < 0 && h.uses(i):
			return nil, fmt.Errorf("it does not mention %s", p.Name)
		case at < 0:
			invs[i].body = pool.True()
			continue
		case len(funs[at].params) != len(p.Sorts):
			return nil, fmt.Errorf("%s has %d arguments, want %d", p.Name, len(funs[at].params), len(p.Sorts))
		}
	}
	if opts.Theory == BitVectors {
		return invs, bitVectorInvariants(pool, h, funs, invs)
	}
	tr, err := newIntegers(h)
	if err != nil {
		return nil, err
	}
	for i := range h.Predicates {
		if invs[i].body != nil {
			continue
		}
		r := &intReader{pool: pool, env: make(map[string]intTerm), funs: funs}
		var args []intTerm
		for k, v := range invs[i].params {
			args = append(args, r.variable(v, tr.sign(site{clause: i, arg: k})))
		}
		x, err := r.apply(predicateName(i), args)
		if err != nil {
			return nil, err
		}
		if x.number {
			return nil, fmt.Errorf("%s is not a formula", h.Predicates[i].Name)
		}
		invs[i].body = x.t
	}
	return invs, nil
}

// uses says whether predicate i occurs in a clause.
func (h *Horn) uses(i int) bool {
	for _, c := range h.Clauses {
		if c.Head != nil && c.Head.Predicate == i {
			return true
		}
		if slices.ContainsFunc(c.Calls, func(a App) bool { return a.Predicate == i }) {
			return true
		}
	}
	return false
}

// bitVectorInvariants has the functions read as a script that applies them.
func bitVectorInvariants(pool *term.Pool, h *Horn, funs []*function, invs []Invariant) error {
	var b bytes.Buffer
	for _, f := range funs {
		fmt.Fprintf(&b, "%s\n", f.text)
	}
	sub := make(map[*term.Term]*term.Term)
	for i := range h.Predicates {
		if invs[i].body != nil {
			continue
		}
		app := predicateName(i)
		for _, v := range invs[i].params {
			fmt.Fprintf(&b, "(declare-const %s %s)\n", v.Name(), term.SMTSort(v.Sort()))
			app += " " + v.Name()
			if v.Sort().Kind == term.EnumKind {
				sub[pool.Encode(v)] = codes(pool, v, v.Sort().Bits())
			}
		}
		if len(invs[i].params) > 0 {
			app = "(" + app + ")"
		}
		fmt.Fprintf(&b, "(assert %s)\n", app)
	}
	script, err := term.ParseScript(pool, "model", b.Bytes())
	if err != nil {
		return err
	}
	i := 0
	for _, c := range script.Commands {
		if c.Kind != term.Assert {
			continue
		}
		for invs[i].body != nil {
			i++
		}
		invs[i].body = pool.Substitute(c.Term, sub)
	}
	return nil
}

// codes is the code of an enum variable, in so many bits.
func codes(pool *term.Pool, v *term.Term, bits int) *term.Term {
	n := len(v.Sort().Enum.Values)
	t := pool.Int(bits, int64(n-1))
	for i := n - 2; i >= 0; i-- {
		t = pool.Ite(pool.Eq(v, pool.Const(v.Sort(), term.Value{Lo: uint64(i)})), pool.Int(bits, int64(i)), t)
	}
	return t
}

// An intTerm is a term over integers, read as one over bit-vectors.
type intTerm struct {
	t      *term.Term
	number bool     // t is the signed value; if not, t is a bool
	lo, hi *big.Int // bounds of a number
}

// An intReader reads terms over integers.
type intReader struct {
	pool  *term.Pool
	env   map[string]intTerm
	funs  []*function
	depth int
}

// variable is a variable with a sign as an integer.
func (r *intReader) variable(v *term.Term, sg sign) intTerm {
	if v.Sort().Kind == term.BoolKind {
		return intTerm{t: v}
	}
	lo, hi := bounds(v.Sort(), sg)
	switch {
	case v.Sort().Kind == term.EnumKind:
		return intTerm{codes(r.pool, v, v.Sort().Bits()+1), true, lo, hi}
	case sg == unsigned && v.Sort().Width < term.MaxWidth:
		return intTerm{r.pool.ZeroExt(1, v), true, lo, hi}
	case sg == unsigned: // has no place for a sign; used only in an error
		return intTerm{v, true, lo, new(big.Int).Lsh(hi, 1)}
	}
	return intTerm{v, true, lo, hi}
}

var errWide = errors.New("numbers have more than 128 bits")

// needs is the number of bits of a signed number between two bounds.
func needs(lo, hi *big.Int) int {
	n := hi.BitLen()
	if lo.Sign() < 0 {
		n = max(n, new(big.Int).Not(lo).BitLen())
	}
	return n + 1
}

// fit is x in exactly w bits, of which it needs no more.
func (r *intReader) fit(x intTerm, w int) *term.Term {
	have := x.t.Sort().Width
	switch {
	case have < w:
		return r.pool.SignExt(w-have, x.t)
	case have > w:
		return r.pool.Extract(w-1, 0, x.t)
	}
	return x.t
}

// wide is the number of bits in which all of xs, and all between lo and hi, fit.
func wide(lo, hi *big.Int, xs ...intTerm) (int, error) {
	w := needs(lo, hi)
	for _, x := range xs {
		w = max(w, needs(x.lo, x.hi))
	}
	if w > term.MaxWidth {
		return 0, errWide
	}
	return w, nil
}

func (r *intReader) constant(n *big.Int) (intTerm, error) {
	w, err := wide(n, n)
	if err != nil {
		return intTerm{}, err
	}
	return intTerm{r.pool.BigInt(w, n), true, n, n}, nil
}

// apply expands a function of the model.
func (r *intReader) apply(name string, args []intTerm) (intTerm, error) {
	at := slices.IndexFunc(r.funs, func(f *function) bool { return f.name == name })
	if at < 0 {
		return intTerm{}, fmt.Errorf("unknown function %s", name)
	}
	f := r.funs[at]
	if len(f.params) != len(args) {
		return intTerm{}, fmt.Errorf("%s has %d arguments, want %d", name, len(args), len(f.params))
	}
	env := make(map[string]intTerm)
	for i, p := range f.params {
		if len(p.list) != 2 || (p.list[1].atom != "Int" || !args[i].number) && (p.list[1].atom != "Bool" || args[i].number) {
			return intTerm{}, fmt.Errorf("parameter %s of %s", clip(p), name)
		}
		env[p.list[0].atom] = args[i]
	}
	old := r.env
	r.env = env
	x, err := r.read(f.body)
	r.env = old
	return x, err
}

// read reads a term.
func (r *intReader) read(x sexpr) (intTerm, error) {
	if r.depth++; r.depth > 100_000 {
		return intTerm{}, errors.New("it is too deep")
	}
	defer func() { r.depth-- }()
	p := r.pool
	if x.atom != "" {
		if t, ok := r.env[x.atom]; ok {
			return t, nil
		}
		switch {
		case x.atom == "true" || x.atom == "false":
			return intTerm{t: p.Bool(x.atom == "true")}, nil
		case strings.Trim(x.atom, "0123456789") == "":
			n, _ := new(big.Int).SetString(x.atom, 10)
			return r.constant(n)
		}
		return r.apply(unquote(x.atom), nil)
	}
	if len(x.list) < 2 || x.list[0].atom == "" {
		return intTerm{}, fmt.Errorf("%s", clip(x))
	}
	op, rest := x.list[0].atom, x.list[1:]
	switch op {
	case "let":
		return r.let(x)
	case "forall", "exists", "!", "_", "as", "match":
		return intTerm{}, fmt.Errorf("%s", clip(x))
	}
	args := make([]intTerm, len(rest))
	numbers, bools := true, true
	for i, y := range rest {
		var err error
		if args[i], err = r.read(y); err != nil {
			return intTerm{}, err
		}
		numbers, bools = numbers && args[i].number, bools && !args[i].number
	}
	bad := fmt.Errorf("%s", clip(x))
	switch op {
	case "and", "or", "not", "=>", "xor":
		if !bools || op == "not" && len(args) != 1 {
			return intTerm{}, bad
		}
		return intTerm{t: r.connective(op, args)}, nil
	case "=", "distinct", "<", "<=", ">", ">=":
		switch {
		case numbers && len(args) >= 2:
			return r.compare(op, args)
		case bools && len(args) == 2 && op == "=":
			return intTerm{t: p.Iff(args[0].t, args[1].t)}, nil
		case bools && len(args) == 2 && op == "distinct":
			return intTerm{t: p.Xor(args[0].t, args[1].t)}, nil
		}
		return intTerm{}, bad
	case "ite":
		if len(args) != 3 || args[0].number || args[1].number != args[2].number {
			return intTerm{}, bad
		}
		if !args[1].number {
			return intTerm{t: p.Ite(args[0].t, args[1].t, args[2].t)}, nil
		}
		lo, hi := args[1].lo, args[1].hi
		if args[2].lo.Cmp(lo) < 0 {
			lo = args[2].lo
		}
		if args[2].hi.Cmp(hi) > 0 {
			hi = args[2].hi
		}
		w, err := wide(lo, hi)
		if err != nil {
			return intTerm{}, err
		}
		return intTerm{p.Ite(args[0].t, r.fit(args[1], w), r.fit(args[2], w)), true, lo, hi}, nil
	case "+", "-", "*", "mod", "div":
		if !numbers {
			return intTerm{}, bad
		}
		return r.arithmetic(x, op, args)
	}
	return r.apply(unquote(op), args)
}

func (r *intReader) let(x sexpr) (intTerm, error) {
	if len(x.list) != 3 {
		return intTerm{}, fmt.Errorf("%s", clip(x))
	}
	type saved struct {
		name string
		t    intTerm
		had  bool
	}
	var old []saved
	vals := make([]intTerm, len(x.list[1].list))
	for i, b := range x.list[1].list {
		if len(b.list) != 2 || b.list[0].atom == "" {
			return intTerm{}, fmt.Errorf("%s", clip(x))
		}
		var err error
		if vals[i], err = r.read(b.list[1]); err != nil {
			return intTerm{}, err
		}
	}
	for i, b := range x.list[1].list {
		name := b.list[0].atom
		t, had := r.env[name]
		old = append(old, saved{name, t, had})
		r.env[name] = vals[i]
	}
	t, err := r.read(x.list[2])
	for _, s := range slices.Backward(old) {
		if s.had {
			r.env[s.name] = s.t
		} else {
			delete(r.env, s.name)
		}
	}
	return t, err
}

func (r *intReader) connective(op string, args []intTerm) *term.Term {
	p := r.pool
	ts := make([]*term.Term, len(args))
	for i, a := range args {
		ts[i] = a.t
	}
	switch op {
	case "and":
		return p.And(ts...)
	case "or":
		return p.Or(ts...)
	case "not":
		return p.Not(ts[0])
	case "xor":
		t := ts[0]
		for _, u := range ts[1:] {
			t = p.Xor(t, u)
		}
		return t
	}
	// => is right-associative: all but the last imply the last.
	for i := range ts[:len(ts)-1] {
		ts[i] = p.Not(ts[i])
	}
	return p.Or(ts...)
}

// compare reads chains of comparisons; distinct compares all pairs.
func (r *intReader) compare(op string, args []intTerm) (intTerm, error) {
	p := r.pool
	w, err := wide(args[0].lo, args[0].hi, args...)
	if err != nil {
		return intTerm{}, err
	}
	ts := make([]*term.Term, len(args))
	for i, a := range args {
		ts[i] = r.fit(a, w)
	}
	if op == "distinct" {
		return intTerm{t: p.Distinct(ts...)}, nil
	}
	var all []*term.Term
	for i := range ts[1:] {
		a, b := ts[i], ts[i+1]
		switch op {
		case "=":
			all = append(all, p.Eq(a, b))
		case "<":
			all = append(all, p.SLt(a, b))
		case "<=":
			all = append(all, p.SLe(a, b))
		case ">":
			all = append(all, p.SGt(a, b))
		case ">=":
			all = append(all, p.SGe(a, b))
		}
	}
	return intTerm{t: p.And(all...)}, nil
}

func (r *intReader) arithmetic(x sexpr, op string, args []intTerm) (intTerm, error) {
	p := r.pool
	bad := fmt.Errorf("%s", clip(x))
	switch {
	case op == "-" && len(args) == 1:
		return r.combine(op, intTerm{p.Int(1, 0), true, new(big.Int), new(big.Int)}, args[0])
	case op == "mod" || op == "div":
		if len(args) != 2 || args[1].lo.Cmp(args[1].hi) != 0 || args[1].lo.Sign() <= 0 {
			return intTerm{}, bad
		}
	case op == "*":
		variables := 0
		for _, a := range args {
			if a.lo.Cmp(a.hi) != 0 {
				variables++
			}
		}
		if variables > 1 {
			return intTerm{}, bad
		}
	}
	t := args[0]
	for _, a := range args[1:] {
		var err error
		if t, err = r.combine(op, t, a); err != nil {
			return intTerm{}, err
		}
	}
	return t, nil
}

// combine applies an operation to two numbers.
func (r *intReader) combine(op string, a, b intTerm) (intTerm, error) {
	p := r.pool
	lo, hi := new(big.Int), new(big.Int)
	switch op {
	case "+":
		lo.Add(a.lo, b.lo)
		hi.Add(a.hi, b.hi)
	case "-":
		lo.Sub(a.lo, b.hi)
		hi.Sub(a.hi, b.lo)
	case "*":
		for i, x := range []*big.Int{a.lo, a.hi} {
			for j, y := range []*big.Int{b.lo, b.hi} {
				v := new(big.Int).Mul(x, y)
				if i+j == 0 || v.Cmp(lo) < 0 {
					lo = v
				}
				if i+j == 0 || v.Cmp(hi) > 0 {
					hi = v
				}
			}
		}
	case "mod":
		hi.Sub(b.lo, big.NewInt(1))
	case "div": // by a positive number; big.Int.Div rounds down then
		lo.Div(a.lo, b.lo)
		hi.Div(a.hi, b.lo)
	}
	w, err := wide(lo, hi, a, b)
	if err != nil {
		return intTerm{}, err
	}
	x, y := r.fit(a, w), r.fit(b, w)
	var t *term.Term
	switch op {
	case "+":
		t = p.Add(x, y)
	case "-":
		t = p.Sub(x, y)
	case "*":
		t = p.Mul(x, y)
	case "mod":
		t = p.SMod(x, y) // has the sign of the divisor
	case "div":
		// What is left after the remainder is a multiple, but may be out of
		// range by less than the divisor: one bit more holds it.
		if w == term.MaxWidth {
			return intTerm{}, errWide
		}
		x, y = r.fit(a, w+1), r.fit(b, w+1)
		t = p.SDiv(p.Sub(x, p.SMod(x, y)), y)
	}
	return intTerm{t, true, lo, hi}, nil
}

// clip is the text of x for a message.
func clip(x sexpr) string {
	text := x.String()
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	return text
}

func parseSexpr(text string) (sexpr, error) {
	return readSexpr(bufio.NewReader(strings.NewReader(text)))
}
