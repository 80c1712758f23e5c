// SPDX-License-Identifier: Apache-2.0

package engine

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
// position. What is asked of abstract states in which no state satisfies the guard holds there (isNeverMade).
//
// Variables are known everywhere or not used. A state drops a register that
// nothing depends on; that a variable is unknown in states in which nothing depends
// on it is not made use of.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/engine/internal/region"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

const (
	// maxRegisterAtoms bounds the comparisons with registers in the guards of one
	// method, maxRegisters the registers.
	maxRegisterAtoms = 4
	maxRegisters     = 6
	// stateSplits is how often the arguments of a method are split by the value
	// that a state variable has in one word, before it becomes a register.
	stateSplits = 4
	// wholeCubes bounds the cubes of a condition under which a call errs that divides its
	// arguments as a whole.
	wholeCubes = 12
	// updateClasses is from how many classes of arguments on a method is not divided because
	// of what registers are given.
	updateClasses = 8
	// samePaths bounds the ways on which two terms are found to be equal.
	samePaths = 8
	// fewBits is the width from which values are too many to be told apart, manyBits that from which they are where
	// no argument is compared with them.
	fewBits  = 5
	manyBits = 32
)

// registers is what is remembered of values.
type registers struct {
	vars   []*prog.Var          // known variables that guards or updates mention, in the order of the state
	atoms  [][]*term.Term       // by method: comparisons of parameters with known variables
	banned map[*prog.Var]string // why it is not known
	tried  []int                // by method: splits by the value of a state variable
	saved  []savepoint          // the predicates before the first
	proofs map[proofKey]bool    // of updates
	// updates of the last exploration: by pair and letter, by register.
	updates [][][]*term.Term
	live    [][]bool // by pair and register, see registers_build.go
}

// A proofKey is the claim that a call gives a variable the value of an expression.
type proofKey struct {
	a       int32
	class   int
	outcome int
	of, is  *term.Term
}

// rememberable reports whether a register can hold the values of a variable: it
// has many, and a name that guards can mention.
func rememberable(v *prog.Var) bool {
	if v.Type.Sort.Kind != term.BitVecKind || v.Type.Sort.Width < fewBits {
		return false
	}
	return true
}

func (c *cegar) stateVar(t *term.Term) *prog.Var {
	k := slices.IndexFunc(c.sym.State, func(v *prog.Var) bool { return v.Term == t })
	if k < 0 {
		return nil
	}
	return c.sym.State[k]
}

// mayRemember reports whether a variable of the state is not known to be unknown.
func (c *cegar) mayRemember(v *prog.Var) bool {
	_, banned := c.banned[v]
	return v != nil && !banned && rememberable(v)
}

// from is the condition of a word from step i on, over the state variables before
// it and the word's copies of arguments and choices.
func (c *cegar) from(w *wordFormula, i int) *term.Term {
	state := make([]*term.Term, len(c.sym.State))
	for k, v := range c.sym.State {
		state[k] = v.Term
	}
	all := c.pool.True()
	for j := i; j < len(w.steps); j++ {
		s := &w.steps[j]
		sub := map[*term.Term]*term.Term{}
		for raw, copy := range s.rename {
			sub[raw] = copy
		}
		for k, v := range c.sym.State {
			sub[v.Term] = state[k]
		}
		all = c.pool.And(all, c.pool.Substitute(s.rawCond, sub))
		if j+1 < len(w.steps) {
			next := make([]*term.Term, len(state))
			for k := range state {
				next[k] = c.pool.Substitute(s.rawVals[k], sub)
			}
			state = next
		}
	}
	return all
}

// remember replaces a relation by a comparison with a register: it looks, from the
// last call of an erring word to the first after construction, for comparisons of
// its arguments with state variables that make the word err. It reports false if
// there is none that was not tried, or if the variable because of which it is asked
// has few values.
func (c *cegar) remember(ctx context.Context, w *wordFormula, errs term.Model, of *term.Term) (bool, error) {
	if of.Sort().Kind != term.BitVecKind || of.Sort().Width < fewBits {
		return false, nil // few values are told apart one by one
	}
	for i := len(w.steps) - 1; i > 0; i-- {
		s := &w.steps[i]
		call := &c.calls[s.call]
		if call.constructor || len(s.params) == 0 {
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
			if ok, err := c.addRegisterAtom(ctx, call.method, atom); ok || err != nil {
				return ok, err
			}
		}
		if i < len(w.steps)-1 || len(atoms) == 0 {
			continue
		}
		// The comparisons with registers are those of the class already; what makes
		// it err beside them is a condition on the arguments alone.
		d := c.methods[call.method].args
		k := slices.IndexFunc(d.classes, func(x class) bool { return x.id == call.class })
		for _, atom := range plain {
			if done, reason, err := c.split(ctx, call.method, d, k, atom); done && reason == "" || err != nil {
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
func (c *cegar) rememberState(ctx context.Context, w *wordFormula, method int, errs term.Model, atOnce bool) (bool, error) {
	for i := len(w.steps) - 1; i > 0; i-- {
		call := &c.calls[w.steps[i].call]
		if method >= 0 && call.method != method || call.constructor || len(w.steps[i].params) == 0 {
			continue
		}
		atoms, _, err := c.mixed(ctx, w, i, errs)
		if err != nil {
			return false, err
		}
		for _, atom := range atoms {
			if c.has(call.method, atom) {
				continue
			}
			if c.tried == nil {
				c.tried, c.saved = make([]int, len(c.methods)), make([]savepoint, len(c.methods))
			}
			if c.tried[call.method] == 0 {
				c.saved[call.method] = c.save()
			}
			if c.tried[call.method]++; c.tried[call.method] <= stateSplits && !atOnce && !c.isRemembered(atom) {
				return false, nil
			}
			ok, err := c.rememberWhole(ctx, w, i)
			if !ok && err == nil {
				ok, err = c.addRegisterAtom(ctx, call.method, atom)
			}
			if ok || err != nil {
				if ok {
					c.restore(c.saved[call.method]) // predicates about single values
					c.tried[call.method] = 0
				}
				return ok, err
			}
		}
	}
	return false, nil
}

// isRemembered reports whether all variables of the state in a condition are in registers anyway.
func (c *cegar) isRemembered(cond *term.Term) bool {
	return !slices.ContainsFunc(term.FreeVars(cond), func(t *term.Term) bool {
		v := c.stateVar(t)
		return v != nil && !slices.Contains(c.vars, v)
	})
}

// has reports whether a method is divided by a comparison with registers.
func (c *cegar) has(method int, atom *term.Term) bool {
	return c.atoms != nil && (slices.Contains(c.atoms[method], atom) || slices.Contains(c.atoms[method], c.pool.Not(atom)))
}

// whyNot adds to the reason of a relation why no register helps.
func (c *cegar) whyNot(reason string) string {
	for _, v := range c.sym.State {
		if why, ok := c.banned[v]; ok {
			reason += "; " + why
		}
	}
	return reason
}

// divideAgain divides by comparisons with registers after divisions were taken back.
func (c *cegar) divideAgain(ctx context.Context) error {
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
		c.alphabet()
	}
	return nil
}

// mixed returns the comparisons of arguments of step i with state variables because
// of which the word errs in a model, over the parameters of the method, and those of
// arguments alone.
func (c *cegar) mixed(ctx context.Context, w *wordFormula, i int, errs term.Model) (out, plain []*term.Term, err error) {
	s := &w.steps[i]
	formula := c.from(w, i)
	back := map[*term.Term]*term.Term{}
	for raw, copy := range s.rename {
		if slices.Contains(s.params, copy) {
			back[copy] = raw
		}
	}
	m := term.Model{}
	fixed := map[*term.Term]*term.Term{}
	for k, v := range c.sym.State {
		m[v.Term] = term.Eval(w.states[i][k], errs)
		if !c.mayRemember(v) {
			fixed[v.Term] = c.pool.Const(v.Type.Sort, m[v.Term])
		}
	}
	for _, v := range term.FreeVars(formula) {
		if _, ok := m[v]; ok {
			continue
		}
		m[v] = errs[v]
		if !slices.Contains(s.params, v) {
			fixed[v] = c.pool.Const(v.Sort(), m[v])
		}
	}
	formula = c.pool.Substitute(formula, fixed)
	if !slices.ContainsFunc(atomsOf(formula), c.mixes) || !term.Holds(formula, m) {
		return nil, nil, nil // nothing to ask
	}
	cube, err := primeCube(ctx, c.pool, c.check, formula, m)
	if err != nil {
		return nil, nil, err
	}
	for _, atom := range atomsOf(cube) {
		switch {
		case c.mixes(atom):
			out = append(out, c.pool.Substitute(atom, back))
		case !slices.ContainsFunc(term.FreeVars(atom), func(v *term.Term) bool { return c.stateVar(v) != nil }):
			plain = append(plain, c.pool.Substitute(atom, back))
		}
	}
	return out, plain, nil
}

// mixes reports whether a comparison is one of arguments with state variables.
func (c *cegar) mixes(atom *term.Term) bool {
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
func (c *cegar) rememberWhole(ctx context.Context, w *wordFormula, i int) (bool, error) {
	if i < len(w.steps)-1 {
		return false, nil
	}
	call := &c.calls[w.steps[i].call]
	cond, err := c.whole(ctx, call)
	if cond == nil || err != nil {
		return false, err
	}
	if mixed := slices.DeleteFunc(atomsOf(cond), func(t *term.Term) bool { return !c.mixes(t) }); len(mixed) < 2 {
		return false, nil
	}
	return c.addRegisterAtom(ctx, call.method, cond)
}

// whole is the condition under which a call errs, by cubes; nil if it hangs on choices or
// loops, or on variables that are not known, or is too large.
func (c *cegar) whole(ctx context.Context, call *symCall) (*term.Term, error) {
	sum := call.sum
	if len(sum.Heads) > 0 {
		return nil, nil
	}
	whole := c.pool.False()
	for k := range sum.Blocks {
		if b := &sum.Blocks[k]; sum.Method.ErrorAt(b.To) != nil {
			cond, _ := c.block(sum, b, true)
			whole = c.pool.Or(whole, cond)
		}
	}
	for _, t := range term.FreeVars(whole) {
		param := slices.ContainsFunc(sum.Method.Params, func(p *prog.Var) bool { return p.Term == t })
		if !param && !c.mayRemember(c.stateVar(t)) {
			return nil, nil
		}
	}
	ask := func(ctx context.Context, ts ...*term.Term) (solve.Result, error) {
		return c.check(ctx, append(slices.Clone(ts), c.sym.Invariant)...)
	}
	r, err := ask(ctx, whole)
	if err != nil || r.Verdict != solve.Sat {
		return nil, unlessUndecided(err)
	}
	cond, all, err := cubesOf(ctx, c.pool, ask, whole, nil, c.pool.True(), r.Model, wholeCubes)
	if err != nil || !all {
		return nil, unlessUndecided(err)
	}
	return cond, nil
}

// alone is the condition under which a call errs if it is one of the state alone, and of variables
// that may be known: a client that keeps a position, or a count, knows whether it is zero, however large it was before.
func (c *cegar) alone(ctx context.Context, call *symCall) ([]*term.Term, error) {
	cond, err := c.whole(ctx, call)
	if cond == nil || err != nil || slices.ContainsFunc(term.FreeVars(cond), func(t *term.Term) bool { return c.stateVar(t) == nil || t.Sort().Width < manyBits }) {
		return nil, err
	}
	return []*term.Term{cond}, nil
}

// rememberAlone divides a call by the condition under which it errs if that is one of registers alone, or of
// variables that may become some when half of the patience is spent: states are better than registers if they do.
func (c *cegar) rememberAlone(ctx context.Context, call *symCall) (bool, error) {
	method := call.sum.Method
	late := c.p.Patience > 0 && c.tries[method] > c.p.Patience/2
	if len(c.vars) == 0 && !late || call.constructor {
		return false, nil
	}
	atoms, err := c.alone(ctx, call)
	if err != nil || len(atoms) == 0 || c.has(call.method, atoms[0]) || !late && !c.isRemembered(atoms[0]) {
		return false, err
	}
	done, err := c.addRegisterAtom(ctx, call.method, atoms[0])
	if done && late {
		c.restore(c.began[method]) // predicates about single values
		c.tries[method] = 1
	}
	return done, err
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
func (c *cegar) addRegisterAtom(ctx context.Context, method int, atom *term.Term) (bool, error) {
	if c.atoms == nil {
		c.atoms = make([][]*term.Term, len(c.methods))
	}
	have := c.atoms[method]
	if len(have) >= maxRegisterAtoms || c.has(method, atom) || !inGo(atom) || !evaluable(prog.FormatExpr(c.p.Program, c.guardVars(method), atom)) {
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
	if c.methods[method].args.classes[0].cond.IsTrue() {
		c.atoms[method] = have
		return false, nil
	}
	c.splits++
	c.alphabet()
	return true, nil
}

// guardVars are the variables that the guards of a method may mention.
func (c *cegar) guardVars(method int) []*prog.Var {
	if c.methods[method].constructor {
		return c.methods[method].sum.Method.Params
	}
	return slices.Concat(c.methods[method].sum.Method.Params, c.sym.State)
}

func (c *cegar) setRegisters(vars []*prog.Var) {
	c.vars = nil
	for _, v := range c.sym.State {
		if slices.Contains(vars, v) {
			c.vars = append(c.vars, v)
		}
	}
}

// divide divides the arguments of a method by its comparisons with registers.
func (c *cegar) divide(ctx context.Context, method int) error {
	x := &c.methods[method]
	x.args = newDivision(c.pool, &c.ids, x.sum.Method.Params, c.vars)
	for _, atom := range c.atoms[method] {
		for k := len(x.args.classes) - 1; k >= 0; k-- {
			if _, err := x.args.split(ctx, c.pool, c.check, k, atom); err != nil {
				return err
			}
		}
	}
	return nil
}

// ban takes back guards that mention a variable that is not known.
func (c *cegar) ban(ctx context.Context, v *prog.Var, reason string) error {
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
	c.alphabet()
	c.splits++
	c.stale = true
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

// proveKnown asks of all edges of the pairs whether the registers stay known, and
// keeps the updates. It returns false after a variable was found unknown, or one
// more was found to be needed: then the pairs are other ones, or there is more to
// ask.
func (c *cegar) proveKnown(ctx context.Context) (bool, error) {
	c.proofs = map[proofKey]bool{} // abstract states are other ones each time
	for {
		again, v, after, err := c.findUpdates(ctx)
		if err != nil {
			return false, err
		}
		if v != nil {
			if done, err := c.splitUpdate(ctx, after, v); done || err != nil {
				return false, err
			}
			return false, c.ban(ctx, v, fmt.Sprintf("a client does not know %s after %s", v.Name, c.calls[after].sum.Method.Name))
		}
		if !again {
			return true, nil
		}
	}
}

// findUpdates finds the updates of all edges. It returns a variable that is not
// known after a call, or that it has to be asked again because there is a register
// more.
func (c *cegar) findUpdates(ctx context.Context) (again bool, unknown *prog.Var, after int, err error) {
	valid := make([][][][]*term.Term, len(c.pairs)) // by pair, letter, register
	c.updates = make([][][]*term.Term, len(c.pairs))
	for p := range c.pairs {
		valid[p] = make([][][]*term.Term, c.letters)
		c.updates[p] = make([][]*term.Term, c.letters)
	}
	type edge struct{ pair, letter int }
	for method := range c.methods {
		var calls []int
		for k := range c.calls {
			if c.calls[k].method == method {
				calls = append(calls, k)
			}
		}
		call := &c.calls[calls[0]]
		for o := range call.outcomes {
			for r, v := range c.vars {
				list, err := c.expressions(ctx, call, o, v)
				if err != nil {
					return false, nil, 0, err
				}
				var edges []edge
				for _, k := range calls {
					x := c.calls[k].letter + o
					for p := range c.pairs {
						if c.next[p][x] < 0 {
							continue
						}
						var holds []*term.Term
						for _, e := range list {
							ok, err := c.gives(ctx, int32(p), k, o, v, e)
							if err != nil {
								return false, nil, 0, err
							}
							if ok {
								holds = append(holds, e)
							}
						}
						if len(holds) == 0 {
							return false, v, k, nil
						}
						if valid[p][x] == nil {
							valid[p][x] = make([][]*term.Term, len(c.vars))
							c.updates[p][x] = make([]*term.Term, len(c.vars))
						}
						valid[p][x][r] = holds
						edges = append(edges, edge{p, x})
					}
				}
				// As few different updates as possible, so that classes and states
				// can be one.
				for len(edges) > 0 {
					best, most := list[0], 0
					for _, e := range list {
						n := 0
						for _, at := range edges {
							if slices.Contains(valid[at.pair][at.letter][r], e) {
								n++
							}
						}
						if n > most {
							best, most = e, n
						}
					}
					edges = slices.DeleteFunc(edges, func(at edge) bool {
						if slices.Contains(valid[at.pair][at.letter][r], best) {
							c.updates[at.pair][at.letter][r] = best
							return true
						}
						return false
					})
					for _, t := range term.FreeVars(best) {
						if s := c.stateVar(t); s != nil && !slices.Contains(c.vars, s) {
							if len(c.vars) >= maxRegisters {
								return false, v, calls[0], nil
							}
							c.setRegisters(append(slices.Clone(c.vars), s))
							return true, nil, 0, nil
						}
					}
				}
			}
		}
	}
	return false, nil, 0, nil
}

// splitUpdate divides the arguments of a call after which a variable is not known, if it
// gets one value or another there by a condition on the arguments: in each part it may be
// known.
func (c *cegar) splitUpdate(ctx context.Context, k int, v *prog.Var) (bool, error) {
	call := &c.calls[k]
	sum, m := call.sum, call.sum.Method
	at := slices.Index(sum.Vars, v)
	if at < 0 {
		return false, nil
	}
	for n := range sum.Blocks {
		b := &sum.Blocks[n]
		if b.To != m.Exit || b.From != m.Entry || slices.Contains(sum.Heads, b.From) {
			continue
		}
		_, vals := c.block(sum, b, true)
		for t := vals[at]; t.Op() == term.OpIte; t = t.Args()[2] {
			cond := t.Args()[0]
			if slices.ContainsFunc(term.FreeVars(cond), func(x *term.Term) bool {
				return !slices.ContainsFunc(m.Params, func(p *prog.Var) bool { return p.Term == x })
			}) || !inGo(cond) || !evaluable(prog.FormatExpr(c.p.Program, m.Params, cond)) {
				continue
			}
			d := c.methods[call.method].args
			if len(d.classes) > updateClasses {
				return false, nil
			}
			at := slices.IndexFunc(d.classes, func(x class) bool { return x.id == call.class })
			if done, reason, err := c.split(ctx, call.method, d, at, cond); done || err != nil {
				c.stale = true
				return done && reason == "", err
			}
		}
	}
	return false, nil
}

// expressions lists those that may be the value of a variable after a
// call: a parameter or result, the variable itself, or what the code computes from
// parameters and variables that may be known, itself or together with a result.
func (c *cegar) expressions(ctx context.Context, call *symCall, outcome int, v *prog.Var) ([]*term.Term, error) {
	var out []*term.Term
	add := func(t *term.Term) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	m := call.sum.Method
	for _, p := range slices.Concat(m.Params, m.Results) {
		if p.Type == v.Type {
			add(p.Term)
		}
	}
	vars := m.Params
	if !call.constructor {
		add(v.Term)
		vars = slices.Concat(vars, c.sym.State)
	}
	at := slices.Index(call.sum.Vars, v)
	// plain reports whether a term is over parameters and variables that may be known.
	plain := func(t *term.Term) bool {
		return !slices.ContainsFunc(term.FreeVars(t), func(x *term.Term) bool {
			param := slices.ContainsFunc(m.Params, func(p *prog.Var) bool { return p.Term == x })
			return !param && (call.constructor || !c.mayRemember(c.stateVar(x)))
		})
	}
	var leaves func(t *term.Term)
	seen := map[*term.Term]bool{}
	leaves = func(t *term.Term) {
		if seen[t] || len(out) > 12 {
			return
		}
		seen[t] = true
		if t.Op() == term.OpIte {
			leaves(t.Args()[1])
			leaves(t.Args()[2])
			return
		}
		if plain(t) && inGo(t) && evaluable(prog.FormatExprAs(c.p.Program, vars, t, v.Type)) {
			add(t)
		}
	}
	if at >= 0 {
		for k := range call.sum.Blocks {
			if b := &call.sum.Blocks[k]; b.To == m.Exit {
				_, vals := c.block(call.sum, b, b.From == m.Entry)
				leaves(vals[at])
			}
		}
	}
	if call.constructor && v.Init != nil {
		add(v.Init)
	}
	if at < 0 {
		return out, nil
	}
	// A variable that differs from a result by what is known is known. By what it does
	// is seen in one run.
	for k := range call.sum.Blocks {
		b := &call.sum.Blocks[k]
		if b.To != m.Exit || m.ErrorAt(b.To) != nil || slices.Contains(call.sum.Heads, b.From) {
			continue
		}
		cond, vals := c.block(call.sum, b, true)
		var run term.Model
		var path []*term.Term
		for _, r := range m.Results {
			k := slices.Index(call.sum.Vars, r)
			if k < 0 || r.Type != v.Type {
				continue
			}
			if run == nil {
				x, err := c.check(ctx, c.sym.Invariant, cond, c.pool.Substitute(call.outcomes[outcome].cond, after(call.sum, vals)))
				if unlessUndecided(err) != nil {
					return nil, err
				}
				if x.Verdict != solve.Sat {
					break
				}
				run = x.Model
			}
			by := c.pool.Sub(inRun(c.pool, vals[at], run, &path), inRun(c.pool, vals[k], run, &path))
			if e := c.pool.Add(by, r.Term); plain(by) && inGo(e) && evaluable(prog.FormatExprAs(c.p.Program, slices.Concat(vars, m.Results), e, v.Type)) {
				add(e)
			}
		}
	}
	return out, nil
}

// inRun is a term with the conditions in it decided as they are in a model, which are
// added to path.
func inRun(pool *term.Pool, t *term.Term, m term.Model, path *[]*term.Term) *term.Term {
	made := map[*term.Term]*term.Term{}
	var walk func(t *term.Term) *term.Term
	walk = func(t *term.Term) *term.Term {
		if len(t.Args()) == 0 {
			return t
		}
		if r := made[t]; r != nil {
			return r
		}
		var r *term.Term
		if t.Op() == term.OpIte {
			if cond := t.Args()[0]; term.Holds(cond, m) {
				*path = append(*path, cond)
				r = walk(t.Args()[1])
			} else {
				*path = append(*path, pool.Not(cond))
				r = walk(t.Args()[2])
			}
		} else {
			args := make([]*term.Term, len(t.Args()))
			for i, a := range t.Args() {
				args[i] = walk(a)
			}
			r = pool.Apply(t, args)
		}
		made[t] = r
		return r
	}
	return walk(t)
}

// same reports whether two terms are surely equal if a condition holds. That sums are
// equal is much work for a solver, and easy to see where they are not in conditions: if
// it has no answer, it is asked for runs, and equal terms are found one way at a time.
func (c *cegar) same(ctx context.Context, cond, a, b *term.Term) (bool, error) {
	r, err := c.check(ctx, cond, c.pool.Ne(a, b))
	if err == nil || unlessUndecided(err) != nil {
		return err == nil && r.Verdict == solve.Unsat, err
	}
	for range samePaths {
		r, err := c.check(ctx, cond)
		if err != nil {
			return false, unlessUndecided(err)
		}
		if r.Verdict == solve.Unsat {
			return true, nil // on all paths
		}
		var path []*term.Term
		if r.Verdict != solve.Sat || inRun(c.pool, a, r.Model, &path) != inRun(c.pool, b, r.Model, &path) {
			return false, nil
		}
		cond = c.pool.And(cond, c.pool.Not(c.pool.And(path...)))
	}
	return false, nil
}

// gives reports whether a call from a pair, with an outcome, surely gives a variable
// the value of an expression over parameters, results and state variables before the
// call.
func (c *cegar) gives(ctx context.Context, pair int32, call, outcome int, v *prog.Var, e *term.Term) (bool, error) {
	for _, a := range c.sets.Set(c.pairs[pair].u) {
		key := proofKey{a, c.calls[call].class, c.calls[call].outcomes[outcome].id, v.Term, e}
		ok, known := c.proofs[key]
		if !known {
			var err error
			if ok, err = c.givesFrom(ctx, a, call, outcome, v, e); err != nil {
				return false, err
			}
			c.proofs[key] = ok
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

func (c *cegar) givesFrom(ctx context.Context, a int32, k, outcome int, v *prog.Var, e *term.Term) (bool, error) {
	call := &c.calls[k]
	m := call.sum.Method
	at := slices.Index(call.sum.Vars, v)
	base := c.pool.And(c.region(a), call.guard)
	results := map[*term.Term]bool{}
	for _, r := range m.Results {
		results[r.Term] = true
	}
	before := slices.DeleteFunc(term.FreeVars(e), func(t *term.Term) bool { return results[t] })
	for n := range call.sum.Blocks {
		b := &call.sum.Blocks[n]
		if b.To != m.Exit || m.ErrorAt(b.To) != nil {
			continue
		}
		entry := b.From == m.Entry
		assume := base
		if slices.Contains(call.sum.Heads, b.From) {
			// The entry may be a loop head too.
			entry, assume = false, c.guardAt(k)
			if slices.ContainsFunc(before, func(t *term.Term) bool { return !loopsKeep(call.sum, t) }) {
				// Values before the call are forgotten in loops.
				return false, nil
			}
		}
		cond, vals := c.block(call.sum, b, entry)
		final := after(call.sum, vals)
		now := v.Term // a variable that the method does not have
		if at >= 0 {
			now = vals[at]
		}
		sub := map[*term.Term]*term.Term{}
		for r := range results {
			if final[r] == nil && slices.Contains(term.FreeVars(e), r) {
				return false, nil // a result that nothing depends on is not followed
			}
			sub[r] = final[r]
		}
		same, err := c.same(ctx, c.pool.And(assume, cond, c.pool.Substitute(call.outcomes[outcome].cond, final)), now, c.pool.Substitute(e, sub))
		if !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// loopsKeep reports whether the loops of a method leave a variable alone.
func loopsKeep(sum *region.Summary, t *term.Term) bool {
	i := slices.IndexFunc(sum.Vars, func(v *prog.Var) bool { return v.Term == t })
	return i < 0 || !slices.ContainsFunc(sum.Blocks, func(b region.Block) bool {
		return b.To != sum.Method.Exit && sum.Method.ErrorAt(b.To) == nil && b.Vals[i] != t
	})
}
