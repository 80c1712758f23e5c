// SPDX-License-Identifier: Apache-2.0

package cegar

// This file lets guards speak of values that were given in earlier calls. A state
// variable of the component is KNOWN if after every word its value is a function of
// what the client saw: each call gives it a value that is an expression over the
// call's arguments and results and over known variables before it. A client that
// keeps the values of known variables in REGISTERS can tell whether a guard holds
// that mentions them. (Register automata: Kaminski, Francez, "Finite-memory
// automata", TCS 1994; learned from components by Cassel, Howar, Jonsson, Steffen,
// "Active learning for extended finite state machines", FAC 2016. Here the
// registers are not invented but found among the variables of the component, and
// what they hold is proved.)
//
// For the abstraction such a guard is a condition on arguments and state, joined
// to what is known before the call. That is right as long as the variables in it
// are known: all states that may be current after a word agree on them, so they
// agree on which arguments satisfy the guard, and what must happen from every state
// of a set, for all arguments that satisfy the guard there, happens from the
// current state in it.
//
// A RELATION, a split whose condition has constants of one word only, is replaced
// by comparisons of the code between parameters and state variables, taken from the
// erring run at the last call that has one. When no conflict is left, every edge of
// the pairs is asked whether it keeps the variables known; one that is not is never
// used again, and the guards that mention it are taken back. The updates proved
// then become those of the interface (registers_build.go), and obligations of its
// certificate.
//
// Code that keeps a position compares sums of it, of other variables and of arguments,
// in several ways. There the whole condition under which the call errs divides the
// arguments at once (rememberWhole). The position is often known by what calls return:
// the variable and a result differ by something that is known (expressions). And a
// variable that gets one value or another by the arguments is known in each part of them
// (splitUpdate).
//
// A call may err by the state alone: a reader cannot go back at its beginning. A client that keeps the position knows
// whether it can, so such a call is divided, too, by a condition of registers (rememberAlone), if states would be one for each
// position. What is asked of abstract states in which no state satisfies the guard holds there (isNeverMade). Where there are registers, a
// call that errs by them or by something else is divided by their part of the condition (rememberPart).
//
// Variables are known everywhere or not used. A state drops a register that
// nothing depends on; that a variable is unknown in states in which nothing depends
// on it is not made use of.

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/describe"
	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/engine/words"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// registers is what is remembered of values.
type registers struct {
	abs       *predabs.Abstraction
	graph     *pairs.Graph
	vars      []*prog.Var          // known variables that guards or updates mention, in the order of the state
	atoms     [][]*term.Term       // by method: comparisons of parameters with known variables
	banned    map[*prog.Var]string // why it is not known
	tried     []int                // by method: splits by the value of a state variable
	saved     []predabs.Savepoint  // the predicates before the first
	fewStates *bool                // see hasFewStates; nil: not known yet
	proofs    map[proofKey]bool    // of updates
	// updates of the last exploration: by pair and letter, by register.
	updates [][][]*term.Term
}

// A proofKey is the claim that a call gives a variable the value of an expression.
type proofKey struct {
	a       int32
	class   int
	outcome int
	of, is  *term.Term
}

// newRegisters is no registers yet, of the pairs of a graph.
func newRegisters(g *pairs.Graph) *registers { return &registers{abs: g.Abs, graph: g} }

// rememberable reports whether a register is for the values of a variable: it has many.
func rememberable(v *prog.Var) bool {
	return v.Type.Sort.Kind == term.BitVecKind && v.Type.Sort.Width >= fewBits
}

func (c *registers) stateVar(t *term.Term) *prog.Var {
	k := slices.IndexFunc(c.abs.Sym.State, func(v *prog.Var) bool { return v.Term == t })
	if k < 0 {
		return nil
	}
	return c.abs.Sym.State[k]
}

// mayRemember reports whether a variable of the state is not known to be unknown.
func (c *registers) mayRemember(v *prog.Var) bool {
	_, banned := c.banned[v]
	return v != nil && !banned && rememberable(v)
}

// remember replaces a relation by a comparison with a register: it looks, from the
// last call of an erring word to the first after construction, for comparisons of
// its arguments with state variables that make the word err. It reports false if
// there is none that was not tried, or if the variable because of which it is asked
// has few values.
func (c *registers) remember(ctx context.Context, w *words.Formula, errs term.Model, of *term.Term) (bool, error) {
	if of.Sort().Kind != term.BitVecKind || of.Sort().Width < fewBits {
		return false, nil // few values are told apart one by one
	}
	for i := len(w.Steps) - 1; i > 0; i-- {
		s := &w.Steps[i]
		call := &c.abs.Calls[s.Call]
		if call.Constructor || len(s.Params) == 0 {
			continue
		}
		atoms, plain, err := c.mixed(ctx, w, i, errs)
		if err != nil {
			return false, err
		}
		if len(atoms) > 0 {
			if ok, err := c.rememberWhole(ctx, w, i); ok || err != nil {
				return ok, err
			}
		}
		for _, atom := range atoms {
			if ok, err := c.addRegisterAtom(ctx, call.Method, atom); ok || err != nil {
				return ok, err
			}
		}
		if i < len(w.Steps)-1 || len(atoms) == 0 {
			continue
		}
		// The comparisons with registers are those of the class already; what makes
		// it err beside them is a condition on the arguments alone.
		for _, atom := range plain {
			if done, reason, err := c.abs.Split(ctx, c.abs.ArgClass(call), atom); done && reason == "" || err != nil {
				return done, err
			}
		}
	}
	return false, nil
}

// rememberState does the same where a class is split, or a predicate is about to be
// added, by a value that a state variable has in this word only, such as that of a
// counter. It does so only after a few of them, unless at once: few values may
// suffice. A method of -1 stands for any.
func (c *registers) rememberState(ctx context.Context, w *words.Formula, method int, errs term.Model, atOnce bool) (bool, error) {
	for i := len(w.Steps) - 1; i > 0; i-- {
		call := &c.abs.Calls[w.Steps[i].Call]
		if method >= 0 && call.Method != method || call.Constructor || len(w.Steps[i].Params) == 0 {
			continue
		}
		atoms, _, err := c.mixed(ctx, w, i, errs)
		if err != nil {
			return false, err
		}
		for _, atom := range atoms {
			if c.has(call.Method, atom) {
				continue
			}
			if c.tried == nil {
				c.tried, c.saved = make([]int, len(c.abs.Methods)), make([]predabs.Savepoint, len(c.abs.Methods))
			}
			if c.tried[call.Method] == 0 {
				c.saved[call.Method] = c.abs.Save()
			}
			if c.tried[call.Method]++; c.tried[call.Method] <= stateSplits && !atOnce && !c.isRemembered(atom) {
				return false, nil
			}
			ok, err := c.rememberWhole(ctx, w, i)
			if !ok && err == nil {
				ok, err = c.addRegisterAtom(ctx, call.Method, atom)
			}
			if ok || err != nil {
				if ok {
					c.abs.Restore(c.saved[call.Method]) // predicates about single values
					c.tried[call.Method] = 0
				}
				return ok, err
			}
		}
	}
	return false, nil
}

// isRemembered reports whether all variables of the state in a condition are in registers anyway.
func (c *registers) isRemembered(cond *term.Term) bool {
	return !slices.ContainsFunc(term.FreeVars(cond), func(t *term.Term) bool {
		v := c.stateVar(t)
		return v != nil && !slices.Contains(c.vars, v)
	})
}

// has reports whether a method is divided by a comparison with registers.
func (c *registers) has(method int, atom *term.Term) bool {
	return c.atoms != nil && (slices.Contains(c.atoms[method], atom) || slices.Contains(c.atoms[method], c.abs.Pool.Not(atom)))
}

// whyNot adds to the reason of a relation why no register helps.
func (c *registers) whyNot(reason string) string {
	for _, v := range c.abs.Sym.State {
		if why, ok := c.banned[v]; ok {
			reason += "; " + why
		}
	}
	return reason
}

// divideAgain divides by comparisons with registers after divisions were taken back.
func (c *registers) divideAgain(ctx context.Context) error {
	any := false
	for method, atoms := range c.atoms {
		if len(atoms) > 0 {
			any = true
			if err := c.divide(ctx, method); err != nil {
				return err
			}
		}
	}
	if any {
		c.abs.Alphabet()
	}
	return nil
}

// mixed returns the comparisons of arguments of step i with state variables because
// of which the word errs in a model, over the parameters of the method, and those of
// arguments alone.
func (c *registers) mixed(ctx context.Context, w *words.Formula, i int, errs term.Model) (out, plain []*term.Term, err error) {
	s := &w.Steps[i]
	formula := w.From(i)
	back := map[*term.Term]*term.Term{}
	for raw, copy := range s.Rename {
		if slices.Contains(s.Params, copy) {
			back[copy] = raw
		}
	}
	m := term.Model{}
	fixed := map[*term.Term]*term.Term{}
	for k, v := range c.abs.Sym.State {
		m[v.Term] = term.Eval(w.States[i][k], errs)
		if !c.mayRemember(v) {
			fixed[v.Term] = c.abs.Pool.Const(v.Type.Sort, m[v.Term])
		}
	}
	for _, v := range term.FreeVars(formula) {
		if _, ok := m[v]; ok {
			continue
		}
		m[v] = errs[v]
		if !slices.Contains(s.Params, v) {
			fixed[v] = c.abs.Pool.Const(v.Sort(), m[v])
		}
	}
	formula = c.abs.Pool.Substitute(formula, fixed)
	if !slices.ContainsFunc(describe.AtomsOf(formula), c.mixes) || !term.Holds(formula, m) {
		return nil, nil, nil // nothing to ask
	}
	cube, err := c.abs.MinimalConditions().Prime(ctx, formula, m)
	if err != nil {
		return nil, nil, err
	}
	for _, atom := range describe.AtomsOf(cube) {
		switch {
		case c.mixes(atom):
			out = append(out, c.abs.Pool.Substitute(atom, back))
		case !slices.ContainsFunc(term.FreeVars(atom), func(v *term.Term) bool { return c.stateVar(v) != nil }):
			plain = append(plain, c.abs.Pool.Substitute(atom, back))
		}
	}
	return out, plain, nil
}

// mixes reports whether a comparison is one of arguments with state variables.
func (c *registers) mixes(atom *term.Term) bool {
	param, state := false, false
	for _, v := range term.FreeVars(atom) {
		if c.stateVar(v) != nil {
			state = true
		} else {
			param = true
		}
	}
	return param && state
}

// rememberWhole divides the arguments of the last call of an erring word by all of
// the condition under which it errs, if that has several comparisons of arguments with
// state variables in it: one after the other they would be found as often as there are
// ways to err, and each alone leaves both parts undecided. It reports false if the
// condition hangs on choices or loops, on variables that are not known, or is too
// large. Which condition divides a class is a matter of getting there; what holds of
// the parts is proved as of all others.
func (c *registers) rememberWhole(ctx context.Context, w *words.Formula, i int) (bool, error) {
	if i < len(w.Steps)-1 {
		return false, nil
	}
	call := &c.abs.Calls[w.Steps[i].Call]
	cond, err := c.whole(ctx, call)
	if cond == nil || err != nil {
		return false, err
	}
	if mixed := slices.DeleteFunc(describe.AtomsOf(cond), func(t *term.Term) bool { return !c.mixes(t) }); len(mixed) < 2 {
		return false, nil
	}
	return c.addRegisterAtom(ctx, call.Method, cond)
}

// whole is the condition under which a call errs, by cubes; nil if it hangs on choices or
// loops, or on variables that are not known, or is too large.
func (c *registers) whole(ctx context.Context, call *predabs.SymCall) (*term.Term, error) {
	sum := call.Sum
	if len(sum.Heads) > 0 {
		return nil, nil
	}
	whole := c.abs.Pool.False()
	for k := range sum.Blocks {
		if b := &sum.Blocks[k]; sum.Method.ErrorAt(b.To) != nil {
			cond, _ := c.abs.Block(sum, b, true)
			whole = c.abs.Pool.Or(whole, cond)
		}
	}
	for _, t := range term.FreeVars(whole) {
		param := slices.ContainsFunc(sum.Method.Params, func(p *prog.Var) bool { return p.Term == t })
		if !param && !c.mayRemember(c.stateVar(t)) {
			return nil, nil
		}
	}
	ask := func(ctx context.Context, ts ...*term.Term) (solve.Result, error) {
		return c.abs.Check(ctx, append(slices.Clone(ts), c.abs.Sym.Invariant)...)
	}
	r, err := ask(ctx, whole)
	if err != nil || r.Verdict != solve.Sat {
		return nil, unlessUndecided(err)
	}
	cond, all, err := describe.Cubes{Pool: c.abs.Pool, Ask: ask}.Cover(ctx, whole, nil, c.abs.Pool.True(), r.Model, wholeCubes)
	if err != nil || !all {
		return nil, unlessUndecided(err)
	}
	return cond, nil
}

// alone is the condition under which a call errs if it is one of the state alone, and of variables
// that may be known: a client that keeps a position, or a count, knows whether it is zero, however large it was before.
// It is nil if there is none.
func (c *registers) alone(ctx context.Context, call *predabs.SymCall) (*term.Term, error) {
	cond, err := c.whole(ctx, call)
	if cond == nil || err != nil || slices.ContainsFunc(term.FreeVars(cond), func(t *term.Term) bool { return c.stateVar(t) == nil || t.Sort().Width < manyBits }) {
		return nil, err
	}
	return cond, nil
}

// rememberAlone divides a call by the condition under which it errs if that is one of registers alone, or of
// variables that may become some where it is late (see lateTries): states are better than registers if few do.
func (c *registers) rememberAlone(ctx context.Context, call *predabs.SymCall, late bool) (bool, error) {
	if len(c.vars) == 0 && !late || call.Constructor {
		return false, nil
	}
	if len(c.vars) == 0 {
		if few, err := c.hasFewStates(ctx); few || err != nil {
			return false, err
		}
	}
	cond, err := c.alone(ctx, call)
	if err != nil || cond == nil || c.has(call.Method, cond) || !late && !c.isRemembered(cond) {
		return false, err
	}
	return c.addRegisterAtom(ctx, call.Method, cond)
}

// rememberPart divides a call by a comparison of registers because of which it errs, beside others: a client that keeps a count
// knows that part of the condition, and the rest is for states to tell.
func (c *registers) rememberPart(ctx context.Context, pair int32, k int) (bool, error) {
	call := &c.abs.Calls[k]
	if len(c.vars) == 0 || call.Constructor {
		return false, nil
	}
	cond := c.abs.Pool.False()
	for k := range call.Sum.Blocks {
		if b := &call.Sum.Blocks[k]; b.From == call.Sum.Method.Entry && call.Sum.Method.ErrorAt(b.To) != nil {
			errs, _ := c.abs.Block(call.Sum, b, true)
			cond = c.abs.Pool.Or(cond, errs)
		}
	}
	for _, a := range c.graph.Sets.Set(c.graph.Pairs[pair].U) {
		r, err := c.abs.Check(ctx, c.abs.Region(a), call.Guard, cond)
		if err != nil || r.Verdict != solve.Sat {
			if unlessUndecided(err) != nil {
				return false, err
			}
			continue
		}
		cube, err := c.abs.MinimalConditions().Prime(ctx, cond, r.Model)
		if err != nil {
			return false, unlessUndecided(err)
		}
		for _, atom := range describe.AtomsOf(cube) {
			if slices.ContainsFunc(term.FreeVars(atom), func(t *term.Term) bool { return !slices.Contains(c.vars, c.stateVar(t)) }) {
				continue
			}
			if done, err := c.addRegisterAtom(ctx, call.Method, atom); done || err != nil {
				return done, err
			}
		}
	}
	return false, nil
}

// unlessUndecided drops the error of a question that the solver had no answer to.
func unlessUndecided(err error) error {
	var undecided *solve.UndecidedError
	if errors.As(err, &undecided) {
		return nil
	}
	return err
}

// addRegisterAtom divides the arguments of a method by a comparison with state
// variables, which become registers. Other divisions of its arguments are taken
// back: they may have been for single values.
func (c *registers) addRegisterAtom(ctx context.Context, method int, atom *term.Term) (bool, error) {
	if c.atoms == nil {
		c.atoms = make([][]*term.Term, len(c.abs.Methods))
	}
	have := c.atoms[method]
	if len(have) >= maxRegisterAtoms || c.has(method, atom) || !describe.InGo(atom) || !evaluable(prog.FormatExpr(c.abs.P.Program, c.guardVars(method), atom)) {
		return false, nil
	}
	vars := slices.Clone(c.vars)
	for _, t := range term.FreeVars(atom) {
		if v := c.stateVar(t); v != nil && !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	if len(vars) > maxRegisters {
		return false, nil
	}
	c.atoms[method] = append(slices.Clone(have), atom)
	c.setRegisters(vars)
	if err := c.divide(ctx, method); err != nil {
		return false, err
	}
	if c.abs.Methods[method].Args.Classes[0].Cond.IsTrue() {
		c.atoms[method] = have
		return false, nil
	}
	c.abs.Splits++
	c.abs.Alphabet()
	return true, nil
}

// guardVars are the variables that the guards of a method may mention.
func (c *registers) guardVars(method int) []*prog.Var {
	if c.abs.Methods[method].Constructor {
		return c.abs.Methods[method].Sum.Method.Params
	}
	return slices.Concat(c.abs.Methods[method].Sum.Method.Params, c.abs.Sym.State)
}

func (c *registers) setRegisters(vars []*prog.Var) {
	c.vars = nil
	for _, v := range c.abs.Sym.State {
		if slices.Contains(vars, v) {
			c.vars = append(c.vars, v)
		}
	}
}

// divide divides the arguments of a method by its comparisons with registers.
func (c *registers) divide(ctx context.Context, method int) error {
	x := &c.abs.Methods[method]
	x.Args = describe.NewDivision(c.abs.Pool, &c.abs.Ids, x.Sum.Method.Params, c.vars)
	for _, atom := range c.atoms[method] {
		for k := len(x.Args.Classes) - 1; k >= 0; k-- {
			if _, err := x.Args.Split(ctx, c.abs.Pool, c.abs.Check, k, atom); err != nil {
				return err
			}
		}
	}
	return nil
}

// ban takes back guards that mention a variable that is not known.
func (c *registers) ban(ctx context.Context, v *prog.Var, reason string) error {
	if c.banned == nil {
		c.banned = map[*prog.Var]string{}
	}
	c.banned[v] = reason
	var vars []*prog.Var
	for method, atoms := range c.atoms {
		left := slices.DeleteFunc(slices.Clone(atoms), func(t *term.Term) bool { return slices.Contains(term.FreeVars(t), v.Term) })
		if len(left) < len(atoms) {
			c.atoms[method] = left
			if err := c.divide(ctx, method); err != nil {
				return err
			}
		}
		for _, t := range term.FreeVars(left...) {
			if s := c.stateVar(t); s != nil {
				vars = append(vars, s)
			}
		}
	}
	c.setRegisters(vars)
	c.abs.Alphabet()
	c.abs.Splits++
	c.graph.Stale = true
	return nil
}

// evaluable reports whether package typestate can evaluate a text.
func evaluable(text string) bool {
	for _, f := range []string{"ite(", "quo(", "rem(", "bits(", "concat(", "let "} {
		if strings.Contains(text, f) {
			return false
		}
	}
	return true
}
