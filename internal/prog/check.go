// SPDX-License-Identifier: Apache-2.0

package prog

// This file checks the declarations of a syntax tree and builds the Program.
// Expressions are in expr.go, statements in lower.go. A declaration that is
// wrong still declares its name, with an invalid type that silences whatever
// uses it, so that one mistake is one error.

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// maxBits is the widest integer of a variable; conversions inside an expression
// may go up to twice that.
const maxBits = 64

// implicitName is the name of the constructor of a text that declares none.
const implicitName = "new"

type checker struct {
	opt    Options
	errs   ErrorList
	pool   *term.Pool
	prog   *Program
	enums  map[string]*term.Enum
	values map[string][]*term.Enum // enums by the names of their values
	consts map[string]*constant
	vars   map[string]*Var // visible now
	names  map[string]named
	lets   map[string]operand // values named in the expression at hand

	guards []*term.Term // conditions under which the expression at hand is evaluated
	checks []check      // error sites of the expressions of the statement at hand
}

// named says what a name was declared as, and where.
type named struct {
	what string
	pos  Pos
}

type constant struct {
	decl          *constDecl
	started, done bool
	o             operand
}

// A check is a condition under which evaluating an expression errs.
type check struct {
	cond *term.Term
	msg  string
	pos  Pos
}

func newChecker(opt Options) *checker {
	c := &checker{
		opt:    opt,
		pool:   term.NewPool(),
		enums:  make(map[string]*term.Enum),
		values: make(map[string][]*term.Enum),
		consts: make(map[string]*constant),
		vars:   make(map[string]*Var),
		names:  make(map[string]named),
		lets:   make(map[string]operand),
	}
	c.prog = &Program{Pool: c.pool}
	return c
}

// exprChecker returns a checker for expressions over vars and p's enums.
func exprChecker(p *Program, vars []*Var) *checker {
	c := newChecker(Options{})
	c.prog, c.pool = p, p.Pool
	for _, e := range p.Enums {
		c.addEnum(e)
	}
	for _, v := range vars {
		c.vars[v.Name] = v
	}
	return c
}

func (c *checker) addEnum(e *term.Enum) {
	c.enums[e.Name] = e
	for _, v := range e.Values {
		c.values[v] = append(c.values[v], e)
	}
}

func (c *checker) errorf(pos Pos, format string, args ...any) {
	c.errs = append(c.errs, &Error{pos, fmt.Sprintf(format, args...)})
}

// declare enters a name into the one space of variables, constants and enum
// values.
func (c *checker) declare(id *ident, what string) {
	if old, ok := c.names[id.name]; ok {
		c.errorf(id.pos, "%s %s: the name is already %s (declared at %v)", what, id.name, old.what, old.pos)
		return
	}
	if id.bare && (id.name == "bool" || isIntName(id.name)) {
		c.errorf(id.pos, "%s %s: the name is a type", what, id.name)
	}
	article := "a "
	if strings.ContainsRune("aeiou", rune(what[0])) {
		article = "an "
	}
	c.names[id.name] = named{article + what, id.pos}
}

// program checks a file and builds its program; it is meaningless if there were
// errors.
func (c *checker) program(f *sourceFile, start Pos) *Program {
	p := c.prog
	if f.name == nil {
		c.errorf(start, "expected a line \"component NAME\"; the component has no name")
	} else {
		p.Name, p.Pos = f.name.name, f.name.pos
	}
	c.enumDecls(f.enums)
	for _, d := range f.consts {
		c.declare(d.name, "constant")
		if c.consts[d.name.name] == nil {
			c.consts[d.name.name] = &constant{decl: d}
		}
	}
	for _, d := range f.state {
		v := c.variable(d, "state variable")
		p.State = append(p.State, v)
	}
	// Constants and initial values may use names declared later, but never
	// variables.
	state := c.vars
	c.vars = map[string]*Var{}
	for _, d := range f.consts {
		c.constant(c.consts[d.name.name])
	}
	for i, d := range f.state {
		p.State[i].Init = c.initial(d, p.State[i])
	}
	c.vars = state
	for _, x := range f.invs {
		c.invariant(x)
	}

	c.methods(f.methods)
	return p
}

// invariant adds a condition over the state.
func (c *checker) invariant(x *expr) {
	c.checks = nil
	o := c.assignable(c.expr(x, &Type{Sort: term.BoolSort}), Type{Sort: term.BoolSort}, x.pos)
	for _, k := range c.checks {
		c.errorf(k.pos, "%s is possible; an invariant has no error sites (use quo, rem or an unsigned count)", k.msg)
	}
	c.checks = nil
	if o.ok {
		c.prog.Invariants = append(c.prog.Invariants, o.t)
	}
}

func (c *checker) enumDecls(decls []*enumDecl) {
	for _, d := range decls {
		e := &term.Enum{Name: d.name.name}
		switch {
		case c.enums[e.Name] != nil:
			c.errorf(d.name.pos, "enum %s is declared twice", e.Name)
			continue
		case e.Name == "bool" || isIntName(e.Name):
			c.errorf(d.name.pos, "enum %s: the name is a type", e.Name)
			continue
		case len(d.values) == 0:
			c.errorf(d.name.pos, "enum %s has no values", e.Name)
			continue
		}
		seen := make(map[string]bool, len(d.values))
		for _, v := range d.values {
			if seen[v.name] {
				c.errorf(v.pos, "enum %s has two values %s", e.Name, v.name)
				continue
			}
			seen[v.name] = true
			// Two enums may share a name of a value; uses are then qualified.
			if len(c.values[v.name]) == 0 {
				c.declare(v, "enum value")
			}
			e.Values = append(e.Values, v.name)
		}
		c.addEnum(e)
		c.prog.Enums = append(c.prog.Enums, e)
	}
	for _, e := range c.prog.Enums {
		for _, v := range e.Values {
			q := e.Name + "." + v
			if _, ok := c.names[q]; !ok {
				c.names[q] = named{"a value of an enum", Pos{}}
			}
		}
	}
}

// variable declares a variable and makes it visible.
func (c *checker) variable(d *varDecl, what string) *Var {
	v := &Var{Name: d.name.name, Pos: d.name.pos}
	if d.typ != nil {
		v.Type, _ = c.typeNamed(d.typ, maxBits)
	}
	if v.Type.Sort.Kind != 0 {
		v.Term = c.pool.Var(v.Name, v.Type.Sort)
	}
	c.declare(d.name, what)
	if c.names[v.Name].pos == v.Pos {
		c.vars[v.Name] = v
	}
	return v
}

// initial evaluates the initial value of a state variable; nil is any value.
func (c *checker) initial(d *varDecl, v *Var) *term.Term {
	if v.Type.Sort.Kind == 0 {
		return nil
	}
	if d.init == nil {
		return c.pool.Const(v.Type.Sort, term.Value{})
	}
	if d.init.kind == havocExpr {
		switch d.init.origin {
		case Hidden:
			c.errorf(d.init.pos, "state %s = choose: write any; before the first call there is nothing to choose", v.Name)
		case Guess:
			c.errorf(d.init.pos, "state %s = guess: a constructor can guess it", v.Name)
		}
		return nil
	}
	o := c.assignable(c.expr(d.init, &v.Type), v.Type, d.init.pos)
	c.noChecks()
	if o.ok && !o.t.IsConst() {
		c.errorf(d.init.pos, "initial value of %s is not constant", v.Name)
	}
	return o.t
}

// constant evaluates a constant on first use.
func (c *checker) constant(k *constant) operand {
	if k.done {
		return k.o
	}
	if k.started {
		c.errorf(k.decl.name.pos, "constant %s depends on itself", k.decl.name.name)
		k.done = true
		return k.o
	}
	k.started = true
	vars, guards, checks := c.vars, c.guards, c.checks
	c.vars, c.guards, c.checks = map[string]*Var{}, nil, nil
	var want *Type
	valid := true
	if k.decl.typ != nil {
		t, ok := c.typeNamed(k.decl.typ, maxBits)
		want, valid = &t, ok
	}
	o := c.expr(k.decl.x, want)
	if want != nil && valid {
		o = c.assignable(o, *want, k.decl.x.pos)
	}
	c.noChecks()
	c.vars, c.guards, c.checks = vars, guards, checks
	if !k.done && valid { // otherwise it depends on itself
		k.o = o
	}
	k.done = true
	return k.o
}

// noChecks reports checks where there is no place for an error site.
func (c *checker) noChecks() {
	for _, k := range c.checks {
		c.errorf(k.pos, "%s in a constant", k.msg)
	}
	c.checks = nil
}

// typeNamed resolves a type, narrowed by Options.Width; ok is false after an
// error.
func (c *checker) typeNamed(id *ident, limit int) (t Type, ok bool) {
	if e := c.enums[id.name]; e != nil {
		return Type{Sort: term.EnumOf(e)}, true
	}
	if id.bare && id.name == "bool" {
		return Type{Sort: term.BoolSort}, true
	}
	if id.bare && isIntName(id.name) {
		digits, unsigned := strings.CutPrefix(id.name, "uint")
		if !unsigned {
			digits = strings.TrimPrefix(id.name, "int")
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > limit || digits[0] == '0' {
			c.errorf(id.pos, "unknown type %s: an integer has 1 to %d bits", id.name, limit)
			return Type{}, false
		}
		if c.opt.Width > 0 && n > c.opt.Width {
			n = c.opt.Width
		}
		return Type{Sort: term.BV(n), Signed: !unsigned}, true
	}
	hint := ""
	switch {
	case id.name == "int" || id.name == "uint":
		hint = "; integers have a width, such as " + id.name + "8"
	case len(c.prog.Enums) > 0:
		var names []string
		for _, e := range c.prog.Enums {
			names = append(names, e.Name)
		}
		hint = "; expected bool, intN, uintN or an enum (" + strings.Join(names, ", ") + ")"
	default:
		hint = "; expected bool, intN or uintN"
	}
	c.errorf(id.pos, "unknown type %s%s", id.name, hint)
	return Type{}, false
}

// isIntName reports whether name has the shape of an integer type.
func isIntName(name string) bool {
	digits := strings.TrimPrefix(strings.TrimPrefix(name, "u"), "int")
	return digits != "" && len(name)-len(digits) >= 3 && strings.Trim(digits, "0123456789") == ""
}

// String is the type's name in the text form.
func (t Type) String() string {
	switch {
	case t.Sort.Kind == term.BoolKind:
		return "bool"
	case t.Sort.Kind == term.EnumKind:
		return t.Sort.Enum.Name
	case t.Sort.Kind == term.BitVecKind && t.Signed:
		return "int" + strconv.Itoa(t.Sort.Width)
	case t.Sort.Kind == term.BitVecKind:
		return "uint" + strconv.Itoa(t.Sort.Width)
	}
	return "invalid type"
}

// Range returns the smallest and largest value of an integer type.
func (t Type) Range() (lo, hi *big.Int) {
	w := uint(t.Sort.Width)
	one := big.NewInt(1)
	if t.Signed {
		hi = new(big.Int).Lsh(one, w-1)
		lo = new(big.Int).Neg(hi)
		return lo, hi.Sub(hi, one)
	}
	hi = new(big.Int).Lsh(one, w)
	return new(big.Int), hi.Sub(hi, one)
}

// methods checks and lowers the methods and constructors.
func (c *checker) methods(decls []*methodDecl) {
	p := c.prog
	seen := make(map[string]*methodDecl)
	for _, d := range decls {
		what := "method"
		if d.constructor {
			what = "constructor"
		}
		if old := seen[d.name.name]; old != nil {
			c.errorf(d.name.pos, "%s %s: the name is already declared at %v", what, d.name.name, old.name.pos)
		} else {
			seen[d.name.name] = d
		}
		m := c.method(d)
		if d.constructor {
			p.Constructors = append(p.Constructors, m)
		} else {
			p.Methods = append(p.Methods, m)
		}
	}
	if len(p.Constructors) == 0 {
		if d := seen[implicitName]; d != nil {
			c.errorf(d.name.pos, "method %s has the name of the implicit constructor; declare a constructor with another name", implicitName)
		}
		p.Constructors = []*Method{{Name: implicitName, Locs: 1, Implicit: true, Pos: p.Pos}}
	}
}

func (c *checker) method(d *methodDecl) *Method {
	m := &Method{Name: d.name.name, Pos: d.name.pos}
	// Names of one method are forgotten after it.
	var own []string
	local := func(v *varDecl, what string) *Var {
		if _, old := c.names[v.name.name]; !old {
			own = append(own, v.name.name)
		}
		return c.variable(v, what)
	}
	for _, v := range d.params {
		m.Params = append(m.Params, local(v, "parameter"))
	}
	for _, v := range d.results {
		m.Results = append(m.Results, local(v, "result"))
	}
	l := &lowering{c: c, m: m, local: local, labels: make(map[string]*label)}
	l.run(d)
	for _, name := range own {
		delete(c.names, name)
		delete(c.vars, name)
	}
	return m
}

// Method returns the method of the given name, or nil.
func (p *Program) Method(name string) *Method { return byName(p.Methods, name) }

// Constructor returns the constructor of the given name, or nil.
func (p *Program) Constructor(name string) *Method { return byName(p.Constructors, name) }

func byName(ms []*Method, name string) *Method {
	if i := slices.IndexFunc(ms, func(m *Method) bool { return m.Name == name }); i >= 0 {
		return ms[i]
	}
	return nil
}
