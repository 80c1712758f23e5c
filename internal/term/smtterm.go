// SPDX-License-Identifier: Apache-2.0

package term

// This file turns S-expressions into terms: the operators of QF_BV, let,
// annotations and applications of defined functions. Sorts are checked here,
// with positions, before a constructor could panic.

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// An smtOperator is a theory symbol.
type smtOperator struct {
	indices  int
	min, max int // number of arguments; max 0: any
	// args says what arguments must be: b bools, v bit-vectors of one width,
	// w bit-vectors, s of one sort, i a condition and two of one sort.
	args  byte
	build func(p *Pool, i []int, a []*Term) *Term
}

// smtOperators are the theory symbols of QF_BV.
var smtOperators = operators()

func operators() map[string]smtOperator {
	m := make(map[string]smtOperator)
	nary := func(name string, kind byte, min int, f func(p *Pool, ts ...*Term) *Term) {
		m[name] = smtOperator{args: kind, min: min, build: func(p *Pool, _ []int, a []*Term) *Term { return f(p, a...) }}
	}
	unary := func(name string, kind byte, f func(p *Pool, t *Term) *Term) {
		m[name] = smtOperator{args: kind, min: 1, max: 1, build: func(p *Pool, _ []int, a []*Term) *Term { return f(p, a[0]) }}
	}
	binary := func(name string, kind byte, f func(p *Pool, a, b *Term) *Term) {
		m[name] = smtOperator{args: kind, min: 2, max: 2, build: func(p *Pool, _ []int, a []*Term) *Term { return f(p, a[0], a[1]) }}
	}
	left := func(name string, kind byte, f func(p *Pool, a, b *Term) *Term) {
		m[name] = smtOperator{args: kind, min: 2, build: func(p *Pool, _ []int, a []*Term) *Term {
			t := a[0]
			for _, b := range a[1:] {
				t = f(p, t, b)
			}
			return t
		}}
	}
	indexed := func(name string, n int, f func(p *Pool, i []int, t *Term) *Term) {
		m[name] = smtOperator{indices: n, args: 'w', min: 1, max: 1, build: func(p *Pool, i []int, a []*Term) *Term { return f(p, i, a[0]) }}
	}
	unary("not", 'b', (*Pool).Not)
	nary("and", 'b', 1, (*Pool).And)
	nary("or", 'b', 1, (*Pool).Or)
	left("xor", 'b', (*Pool).Xor)
	m["=>"] = smtOperator{args: 'b', min: 2, build: func(p *Pool, _ []int, a []*Term) *Term {
		t := a[len(a)-1]
		for i := len(a) - 2; i >= 0; i-- {
			t = p.Implies(a[i], t)
		}
		return t
	}}
	m["="] = smtOperator{args: 's', min: 2, build: func(p *Pool, _ []int, a []*Term) *Term {
		if len(a) == 2 {
			return p.Eq(a[0], a[1])
		}
		var eqs []*Term
		for i := range a[1:] {
			eqs = append(eqs, p.Eq(a[i], a[i+1]))
		}
		return p.And(eqs...)
	}}
	nary("distinct", 's', 2, (*Pool).Distinct)
	m["ite"] = smtOperator{args: 'i', min: 3, max: 3, build: func(p *Pool, _ []int, a []*Term) *Term {
		return p.Ite(a[0], a[1], a[2])
	}}
	nary("concat", 'w', 2, (*Pool).Concat)
	unary("bvnot", 'v', (*Pool).BVNot)
	unary("bvneg", 'v', (*Pool).Neg)
	nary("bvand", 'v', 2, (*Pool).BVAnd)
	nary("bvor", 'v', 2, (*Pool).BVOr)
	nary("bvxor", 'v', 2, (*Pool).BVXor)
	left("bvxnor", 'v', (*Pool).Xnor)
	binary("bvnand", 'v', (*Pool).Nand)
	binary("bvnor", 'v', (*Pool).Nor)
	binary("bvcomp", 'v', (*Pool).Comp)
	nary("bvadd", 'v', 2, (*Pool).Add)
	nary("bvmul", 'v', 2, (*Pool).Mul)
	left("bvsub", 'v', (*Pool).Sub)
	binary("bvudiv", 'v', (*Pool).UDiv)
	binary("bvurem", 'v', (*Pool).URem)
	binary("bvsdiv", 'v', (*Pool).SDiv)
	binary("bvsrem", 'v', (*Pool).SRem)
	binary("bvsmod", 'v', (*Pool).SMod)
	binary("bvshl", 'v', (*Pool).Shl)
	binary("bvlshr", 'v', (*Pool).LShr)
	binary("bvashr", 'v', (*Pool).AShr)
	binary("bvult", 'v', (*Pool).ULt)
	binary("bvule", 'v', (*Pool).ULe)
	binary("bvugt", 'v', (*Pool).UGt)
	binary("bvuge", 'v', (*Pool).UGe)
	binary("bvslt", 'v', (*Pool).SLt)
	binary("bvsle", 'v', (*Pool).SLe)
	binary("bvsgt", 'v', (*Pool).SGt)
	binary("bvsge", 'v', (*Pool).SGe)
	indexed("extract", 2, func(p *Pool, i []int, t *Term) *Term { return p.Extract(i[0], i[1], t) })
	indexed("zero_extend", 1, func(p *Pool, i []int, t *Term) *Term { return p.ZeroExt(i[0], t) })
	indexed("sign_extend", 1, func(p *Pool, i []int, t *Term) *Term { return p.SignExt(i[0], t) })
	indexed("rotate_left", 1, func(p *Pool, i []int, t *Term) *Term { return p.RotateLeft(i[0], t) })
	indexed("rotate_right", 1, func(p *Pool, i []int, t *Term) *Term { return p.RotateRight(i[0], t) })
	indexed("repeat", 1, func(p *Pool, i []int, t *Term) *Term { return p.Repeat(i[0], t) })
	return m
}

func (r *Reader) errorf(n *node, format string, args ...any) error {
	return r.scan.errorf(n.line, n.col, format, args...)
}

func (r *Reader) unsupported(n *node, format string, args ...any) error {
	return &ReadError{Name: r.scan.name, Line: n.line, Col: n.col, Msg: fmt.Sprintf(format, args...), Unsupported: true}
}

// isList says whether n is a list that starts with the given symbol.
func (n *node) isList(head string) bool {
	return n.kind == tokOpen && len(n.kids) > 0 && n.kids[0].isSymbol(head)
}

func (n *node) isSymbol(s string) bool { return n.kind == tokSymbol && !n.quoted && n.text == s }

// numeral reads a small number.
func (r *Reader) numeral(n *node) (int, error) {
	if n.kind != tokNumeral {
		return 0, r.errorf(n, "want a numeral, have %s", clip(n))
	}
	x, err := strconv.Atoi(n.text)
	if err != nil || x > 1<<30 {
		return 0, r.unsupported(n, "number %s is too large", clip(n))
	}
	return x, nil
}

// clip is the text of n for a message.
func clip(n *node) string {
	if s := n.String(); len(s) <= 60 {
		return s
	}
	return n.String()[:57] + "..."
}

// sort reads a sort.
func (r *Reader) sort(n *node) (Sort, error) {
	if n.kind == tokSymbol {
		if n.text == "Bool" {
			return BoolSort, nil
		}
		if d := r.lookup(n.text); d != nil && d.term == nil {
			return d.sort, nil
		}
	}
	if n.isList("_") && len(n.kids) == 3 && n.kids[1].isSymbol("BitVec") {
		w, err := r.numeral(n.kids[2])
		if err != nil {
			return Sort{}, err
		}
		if w < 1 {
			return Sort{}, r.errorf(n, "a bit-vector has at least 1 bit")
		}
		if w > MaxWidth {
			return Sort{}, r.unsupported(n, "bit-vectors of %d bits are wider than %d", w, MaxWidth)
		}
		return BV(w), nil
	}
	return Sort{}, r.unsupported(n, "sort %s", clip(n))
}

// A frame is a list whose subterms are being read.
type frame struct {
	n        *node
	let      bool
	annotate bool
	op       smtOperator
	fun      *definition
	name     string // of the operator or function
	indices  []int
	args     []*Term
	bound    bool // the bindings of a let are in force
}

// term reads a term. Let-bound names and parameters are in r.locals.
func (r *Reader) term(root *node) (*Term, error) {
	var stack []*frame
	n := root
	for {
		// n is to be read: an atom gives a term at once, a list a frame.
		var t *Term
		var err error
		if n.kind != tokOpen || n.isList("_") {
			t, err = r.atom(n)
		} else {
			var f *frame
			if f, err = r.open(n); err == nil {
				stack = append(stack, f)
			}
		}
		if err != nil {
			return nil, err
		}
		// Give finished terms to their frames until one wants another subterm.
		for n = nil; n == nil; {
			if len(stack) == 0 {
				return t, nil
			}
			f := stack[len(stack)-1]
			if t != nil {
				f.args = append(f.args, t)
			}
			if n = r.wants(f); n != nil {
				break
			}
			if t, err = r.close(f); err != nil {
				return nil, err
			}
			stack = stack[:len(stack)-1]
		}
	}
}

// wants is the next subterm that f needs, or nil.
func (r *Reader) wants(f *frame) *node {
	i := len(f.args)
	switch {
	case f.let:
		bindings := f.n.kids[1].kids
		if i < len(bindings) {
			return bindings[i].kids[1]
		}
		if !f.bound {
			f.bound = true
			for k, b := range bindings {
				name := b.kids[0].text
				r.locals[name] = append(r.locals[name], f.args[k])
			}
			return f.n.kids[2]
		}
		return nil
	case f.annotate:
		if i == 0 {
			return f.n.kids[1]
		}
		return nil
	}
	if i+1 < len(f.n.kids) {
		return f.n.kids[i+1]
	}
	return nil
}

// open starts reading a list.
func (r *Reader) open(n *node) (*frame, error) {
	f := &frame{n: n}
	if len(n.kids) == 0 {
		return nil, r.errorf(n, "want a term, have ()")
	}
	head := n.kids[0]
	switch {
	case head.isSymbol("let"):
		if len(n.kids) != 3 || n.kids[1].kind != tokOpen || len(n.kids[1].kids) == 0 {
			return nil, r.errorf(n, "let wants a list of bindings and a term")
		}
		seen := make(map[string]bool)
		for _, b := range n.kids[1].kids {
			if b.kind != tokOpen || len(b.kids) != 2 || b.kids[0].kind != tokSymbol {
				return nil, r.errorf(b, "let wants bindings (symbol term), have %s", clip(b))
			}
			if seen[b.kids[0].text] {
				return nil, r.errorf(b, "let binds %s twice", b.kids[0].text)
			}
			seen[b.kids[0].text] = true
		}
		f.let = true
		return f, nil
	case head.isSymbol("!"):
		if len(n.kids) < 3 {
			return nil, r.errorf(n, "! wants a term and attributes")
		}
		f.annotate = true
		return f, nil
	case head.isSymbol("forall") || head.isSymbol("exists") || head.isSymbol("match") || head.isSymbol("as"):
		return nil, r.unsupported(head, "%s", head.text)
	}
	name := head
	if head.isList("_") {
		if len(head.kids) < 3 {
			return nil, r.errorf(head, "_ wants a symbol and indices")
		}
		name = head.kids[1]
		for _, k := range head.kids[2:] {
			i, err := r.numeral(k)
			if err != nil {
				return nil, err
			}
			f.indices = append(f.indices, i)
		}
	}
	if name.kind != tokSymbol {
		return nil, r.errorf(name, "want an operator, have %s", clip(name))
	}
	f.name = name.text
	if d := r.lookup(f.name); d != nil && d.term != nil && len(f.indices) == 0 {
		f.fun = d
		if len(d.params) == 0 {
			return nil, r.errorf(name, "%s is not a function", f.name)
		}
		if len(n.kids)-1 != len(d.params) {
			return nil, r.errorf(n, "%s wants %d arguments, has %d", f.name, len(d.params), len(n.kids)-1)
		}
		return f, nil
	}
	op, ok := smtOperators[f.name]
	if !ok {
		return nil, r.errorf(name, "unknown operator %s", clip(name))
	}
	if op.indices != len(f.indices) {
		return nil, r.errorf(head, "%s wants %d indices, has %d", f.name, op.indices, len(f.indices))
	}
	if k := len(n.kids) - 1; k < op.min || op.max > 0 && k > op.max {
		return nil, r.errorf(n, "%s has %d arguments", f.name, k)
	}
	f.op = op
	return f, nil
}

// close builds the term of a frame that has all its subterms.
func (r *Reader) close(f *frame) (*Term, error) {
	switch {
	case f.let:
		for _, b := range f.n.kids[1].kids {
			name := b.kids[0].text
			r.locals[name] = r.locals[name][:len(r.locals[name])-1]
		}
		return f.args[len(f.args)-1], nil
	case f.annotate:
		return f.args[0], r.annotations(f.n, f.args[0])
	case r.pool.Len() > maxTerms:
		return nil, r.unsupported(f.n, "more than %d terms", maxTerms)
	case f.fun != nil:
		m := make(map[*Term]*Term)
		for i, q := range f.fun.params {
			if q.sort != f.args[i].sort {
				return nil, r.errorf(f.n.kids[i+1], "%s wants %s, has %s", f.name, SMTSort(q.sort), SMTSort(f.args[i].sort))
			}
			m[q] = f.args[i]
		}
		return r.pool.Substitute(f.fun.term, m), nil
	}
	if err := r.check(f); err != nil {
		return nil, err
	}
	return f.op.build(r.pool, f.indices, f.args), nil
}

// maxTerms bounds what a script may expand to: nested definitions grow
// exponentially.
const maxTerms = 1 << 23

// check checks the sorts of arguments and the indices.
func (r *Reader) check(f *frame) error {
	bad := func(i int, want string) error {
		return r.errorf(f.n.kids[i+1], "%s wants %s, has %s", f.name, want, SMTSort(f.args[i].sort))
	}
	for i, a := range f.args {
		switch f.op.args {
		case 'b':
			if a.sort.Kind != BoolKind {
				return bad(i, "Bool")
			}
		case 'v', 'w':
			if a.sort.Kind != BitVecKind {
				return bad(i, "a bit-vector")
			}
			if f.op.args == 'v' && a.sort != f.args[0].sort {
				return bad(i, SMTSort(f.args[0].sort))
			}
		case 's':
			if a.sort != f.args[0].sort {
				return bad(i, SMTSort(f.args[0].sort))
			}
		case 'i':
			if i == 0 && a.sort.Kind != BoolKind {
				return bad(i, "Bool")
			}
			if i == 2 && a.sort != f.args[1].sort {
				return bad(i, SMTSort(f.args[1].sort))
			}
		}
	}
	w := 0
	switch f.name {
	case "concat":
		for _, a := range f.args {
			w += a.sort.Width
		}
	case "extract":
		if hi, lo := f.indices[0], f.indices[1]; hi < lo || hi >= f.args[0].sort.Width {
			return r.errorf(f.n, "extract %d %d of %d bits", hi, lo, f.args[0].sort.Width)
		}
	case "zero_extend", "sign_extend":
		w = f.args[0].sort.Width + f.indices[0]
	case "repeat":
		if f.indices[0] == 0 {
			return r.errorf(f.n, "repeat 0")
		}
		w = f.args[0].sort.Width * f.indices[0]
	}
	if w > MaxWidth {
		return r.unsupported(f.n, "bit-vectors of %d bits are wider than %d", w, MaxWidth)
	}
	return nil
}

// atom reads a symbol, a constant, or (_ bvN n).
func (r *Reader) atom(n *node) (*Term, error) {
	switch n.kind {
	case tokSymbol:
		if l := r.locals[n.text]; len(l) > 0 {
			return l[len(l)-1], nil
		}
		if d := r.lookup(n.text); d != nil && d.term != nil {
			if len(d.params) > 0 {
				return nil, r.errorf(n, "%s wants %d arguments", n.text, len(d.params))
			}
			return d.term, nil
		}
		switch n.text {
		case "true":
			return r.pool.true, nil
		case "false":
			return r.pool.false, nil
		}
		return nil, r.errorf(n, "unknown symbol %s", clip(n))
	case tokBinary, tokHex:
		base, w := 2, len(n.text)
		if n.kind == tokHex {
			base, w = 16, 4*len(n.text)
		}
		return r.number(n, n.text, base, w)
	case tokOpen: // (_ bvN n)
		if len(n.kids) == 3 && n.kids[1].kind == tokSymbol && strings.HasPrefix(n.kids[1].text, "bv") {
			digits := n.kids[1].text[2:]
			w, err := r.numeral(n.kids[2])
			if err != nil {
				return nil, err
			}
			if digits != "" && digitsOnly(digits) && len(digits) <= 1000 && w > 0 {
				return r.number(n, digits, 10, w)
			}
		}
	}
	return nil, r.errorf(n, "want a term, have %s", clip(n))
}

// number is a constant of w bits.
func (r *Reader) number(n *node, digits string, base, w int) (*Term, error) {
	if w > MaxWidth {
		return nil, r.unsupported(n, "bit-vectors of %d bits are wider than %d", w, MaxWidth)
	}
	x, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return nil, r.errorf(n, "%s is not a number", clip(n))
	}
	if x.BitLen() > w {
		return nil, r.errorf(n, "%s does not fit %d bits", digits, w)
	}
	return r.pool.BigInt(w, x), nil
}

// annotations reads the attributes of (! t :attribute value ...). A :named
// attribute defines a symbol; others are ignored.
func (r *Reader) annotations(n *node, t *Term) error {
	for i := 2; i < len(n.kids); i++ {
		k := n.kids[i]
		if k.kind != tokKeyword {
			return r.errorf(k, "want an attribute, have %s", clip(k))
		}
		if i+1 >= len(n.kids) || n.kids[i+1].kind == tokKeyword {
			if k.text == "named" {
				return r.errorf(k, ":named wants a symbol")
			}
			continue // an attribute without a value
		}
		i++
		if k.text != "named" {
			continue
		}
		v := n.kids[i]
		if v.kind != tokSymbol {
			return r.errorf(v, ":named wants a symbol, have %s", clip(v))
		}
		if slices.ContainsFunc(FreeVars(t), func(x *Term) bool { return strings.HasPrefix(x.name, paramPrefix) }) {
			return r.errorf(v, ":named term %s has parameters", v.text)
		}
		if err := r.define(v, &definition{term: t}); err != nil {
			return err
		}
	}
	return nil
}
