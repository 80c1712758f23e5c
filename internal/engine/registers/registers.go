// SPDX-License-Identifier: Apache-2.0

package registers

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
// then become those of the interface (cegar/build_registers.go), and obligations of its
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

// Registers is what is remembered of values.
type Registers struct {
	Abs       *predabs.Abstraction
	graph     *pairs.Graph
	Vars      []*prog.Var          // known variables that guards or updates mention, in the order of the state
	atoms     [][]*term.Term       // by method: comparisons of parameters with known variables
	banned    map[*prog.Var]string // why it is not known
	tried     []int                // by method: splits by the value of a state variable
	saved     []predabs.Savepoint  // the predicates before the first
	fewStates *bool                // see hasFewStates; nil: not known yet
	proofs    map[proofKey]bool    // of updates
	// updates of the last exploration: by pair and letter, by register.
	Updates [][][]*term.Term
}

// A proofKey is the claim that a call gives a variable the value of an expression.
type proofKey struct {
	a       int32
	class   int
	outcome int
	of, is  *term.Term
}

// New is no registers yet, of the pairs of a graph.
func New(g *pairs.Graph) *Registers { return &Registers{Abs: g.Abs, graph: g} }

// rememberable reports whether a register is for the values of a variable: it has many.
func rememberable(v *prog.Var) bool {
	return v.Type.Sort.Kind == term.BitVecKind && v.Type.Sort.Width >= fewBits
}

// StateVar is the variable of the state that a term is; nil if it is none.
func (rs *Registers) StateVar(t *term.Term) *prog.Var {
	k := slices.IndexFunc(rs.Abs.Sym.State, func(v *prog.Var) bool { return v.Term == t })
	if k < 0 {
		return nil
	}
	return rs.Abs.Sym.State[k]
}

// mayRemember reports whether a variable of the state is not known to be unknown.
func (rs *Registers) mayRemember(v *prog.Var) bool {
	_, banned := rs.banned[v]
	return v != nil && !banned && rememberable(v)
}

// Remember replaces a relation by a comparison with a register: it looks, from the
// last call of an erring word to the first after construction, for comparisons of
// its arguments with state variables that make the word err. It reports false if
// there is none that was not tried, or if the variable because of which it is asked
// has few values.
func (rs *Registers) Remember(ctx context.Context, w *words.Formula, errs term.Model, of *term.Term) (bool, error) {
	if of.Sort().Kind != term.BitVecKind || of.Sort().Width < fewBits {
		return false, nil // few values are told apart one by one
	}
	for i := len(w.Steps) - 1; i > 0; i-- {
		s := &w.Steps[i]
		call := &rs.Abs.Calls[s.Call]
		if call.Constructor || len(s.Params) == 0 {
			continue
		}
		atoms, plain, err := rs.mixed(ctx, w, i, errs)
		if err != nil {
			return false, err
		}
		if len(atoms) > 0 {
			if ok, err := rs.rememberWhole(ctx, w, i); ok || err != nil {
				return ok, err
			}
		}
		for _, atom := range atoms {
			if ok, err := rs.addRegisterAtom(ctx, call.Method, atom); ok || err != nil {
				return ok, err
			}
		}
		if i < len(w.Steps)-1 || len(atoms) == 0 {
			continue
		}
		// The comparisons with registers are those of the class already; what makes
		// it err beside them is a condition on the arguments alone.
		for _, atom := range plain {
			if done, reason, err := rs.Abs.Split(ctx, rs.Abs.ArgClass(call), atom); done && reason == "" || err != nil {
				return done, err
			}
		}
	}
	return false, nil
}

// RememberState does the same where a class is split, or a predicate is about to be
// added, by a value that a state variable has in this word only, such as that of a
// counter. It does so only after a few of them, unless at once: few values may
// suffice. A method of -1 stands for any.
func (rs *Registers) RememberState(ctx context.Context, w *words.Formula, method int, errs term.Model, atOnce bool) (bool, error) {
	for i := len(w.Steps) - 1; i > 0; i-- {
		call := &rs.Abs.Calls[w.Steps[i].Call]
		if method >= 0 && call.Method != method || call.Constructor || len(w.Steps[i].Params) == 0 {
			continue
		}
		atoms, _, err := rs.mixed(ctx, w, i, errs)
		if err != nil {
			return false, err
		}
		for _, atom := range atoms {
			if rs.has(call.Method, atom) {
				continue
			}
			if rs.tried == nil {
				rs.tried, rs.saved = make([]int, len(rs.Abs.Methods)), make([]predabs.Savepoint, len(rs.Abs.Methods))
			}
			if rs.tried[call.Method] == 0 {
				rs.saved[call.Method] = rs.Abs.Save()
			}
			if rs.tried[call.Method]++; rs.tried[call.Method] <= stateSplits && !atOnce && !rs.isRemembered(atom) {
				return false, nil
			}
			ok, err := rs.rememberWhole(ctx, w, i)
			if !ok && err == nil {
				ok, err = rs.addRegisterAtom(ctx, call.Method, atom)
			}
			if ok || err != nil {
				if ok {
					rs.Abs.Restore(rs.saved[call.Method]) // predicates about single values
					rs.tried[call.Method] = 0
				}
				return ok, err
			}
		}
	}
	return false, nil
}

// isRemembered reports whether all variables of the state in a condition are in registers anyway.
func (rs *Registers) isRemembered(cond *term.Term) bool {
	return !slices.ContainsFunc(term.FreeVars(cond), func(t *term.Term) bool {
		v := rs.StateVar(t)
		return v != nil && !slices.Contains(rs.Vars, v)
	})
}

// has reports whether a method is divided by a comparison with registers.
func (rs *Registers) has(method int, atom *term.Term) bool {
	return rs.atoms != nil && (slices.Contains(rs.atoms[method], atom) || slices.Contains(rs.atoms[method], rs.Abs.Pool.Not(atom)))
}

// WhyNot adds to the reason of a relation why no register helps.
func (rs *Registers) WhyNot(reason string) string {
	for _, v := range rs.Abs.Sym.State {
		if why, ok := rs.banned[v]; ok {
			reason += "; " + why
		}
	}
	return reason
}

// DivideAgain divides by comparisons with registers after divisions were taken back.
func (rs *Registers) DivideAgain(ctx context.Context) error {
	any := false
	for method, atoms := range rs.atoms {
		if len(atoms) > 0 {
			any = true
			if err := rs.divide(ctx, method); err != nil {
				return err
			}
		}
	}
	if any {
		rs.Abs.Alphabet()
	}
	return nil
}

// mixed returns the comparisons of arguments of step i with state variables because
// of which the word errs in a model, over the parameters of the method, and those of
// arguments alone.
func (rs *Registers) mixed(ctx context.Context, w *words.Formula, i int, errs term.Model) (out, plain []*term.Term, err error) {
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
	for k, v := range rs.Abs.Sym.State {
		m[v.Term] = term.Eval(w.States[i][k], errs)
		if !rs.mayRemember(v) {
			fixed[v.Term] = rs.Abs.Pool.Const(v.Type.Sort, m[v.Term])
		}
	}
	for _, v := range term.FreeVars(formula) {
		if _, ok := m[v]; ok {
			continue
		}
		m[v] = errs[v]
		if !slices.Contains(s.Params, v) {
			fixed[v] = rs.Abs.Pool.Const(v.Sort(), m[v])
		}
	}
	formula = rs.Abs.Pool.Substitute(formula, fixed)
	if !slices.ContainsFunc(describe.AtomsOf(formula), rs.mixes) || !term.Holds(formula, m) {
		return nil, nil, nil // nothing to ask
	}
	cube, err := rs.Abs.MinimalConditions().Prime(ctx, formula, m)
	if err != nil {
		return nil, nil, err
	}
	for _, atom := range describe.AtomsOf(cube) {
		switch {
		case rs.mixes(atom):
			out = append(out, rs.Abs.Pool.Substitute(atom, back))
		case !slices.ContainsFunc(term.FreeVars(atom), func(v *term.Term) bool { return rs.StateVar(v) != nil }):
			plain = append(plain, rs.Abs.Pool.Substitute(atom, back))
		}
	}
	return out, plain, nil
}

// mixes reports whether a comparison is one of arguments with state variables.
func (rs *Registers) mixes(atom *term.Term) bool {
	param, state := false, false
	for _, v := range term.FreeVars(atom) {
		if rs.StateVar(v) != nil {
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
func (rs *Registers) rememberWhole(ctx context.Context, w *words.Formula, i int) (bool, error) {
	if i < len(w.Steps)-1 {
		return false, nil
	}
	call := &rs.Abs.Calls[w.Steps[i].Call]
	cond, err := rs.whole(ctx, call)
	if cond == nil || err != nil {
		return false, err
	}
	if mixed := slices.DeleteFunc(describe.AtomsOf(cond), func(t *term.Term) bool { return !rs.mixes(t) }); len(mixed) < 2 {
		return false, nil
	}
	return rs.addRegisterAtom(ctx, call.Method, cond)
}

// whole is the condition under which a call errs, by cubes; nil if it hangs on choices or
// loops, or on variables that are not known, or is too large.
func (rs *Registers) whole(ctx context.Context, call *predabs.SymCall) (*term.Term, error) {
	sum := call.Sum
	if len(sum.Heads) > 0 {
		return nil, nil
	}
	whole := rs.Abs.Pool.False()
	for k := range sum.Blocks {
		if b := &sum.Blocks[k]; sum.Method.ErrorAt(b.To) != nil {
			cond, _ := rs.Abs.Block(sum, b, true)
			whole = rs.Abs.Pool.Or(whole, cond)
		}
	}
	for _, t := range term.FreeVars(whole) {
		param := slices.ContainsFunc(sum.Method.Params, func(p *prog.Var) bool { return p.Term == t })
		if !param && !rs.mayRemember(rs.StateVar(t)) {
			return nil, nil
		}
	}
	ask := func(ctx context.Context, ts ...*term.Term) (solve.Result, error) {
		return rs.Abs.Check(ctx, append(slices.Clone(ts), rs.Abs.Sym.Invariant)...)
	}
	r, err := ask(ctx, whole)
	if err != nil || r.Verdict != solve.Sat {
		return nil, unlessUndecided(err)
	}
	cond, all, err := describe.Cubes{Pool: rs.Abs.Pool, Ask: ask}.Cover(ctx, whole, nil, rs.Abs.Pool.True(), r.Model, wholeCubes)
	if err != nil || !all {
		return nil, unlessUndecided(err)
	}
	return cond, nil
}

// alone is the condition under which a call errs if it is one of the state alone, and of variables
// that may be known: a client that keeps a position, or a count, knows whether it is zero, however large it was before.
// It is nil if there is none.
func (rs *Registers) alone(ctx context.Context, call *predabs.SymCall) (*term.Term, error) {
	cond, err := rs.whole(ctx, call)
	if cond == nil || err != nil || slices.ContainsFunc(term.FreeVars(cond), func(t *term.Term) bool { return rs.StateVar(t) == nil || t.Sort().Width < manyBits }) {
		return nil, err
	}
	return cond, nil
}

// RememberAlone divides a call by the condition under which it errs if that is one of registers alone, or of
// variables that may become some where it is late (see lateTries): states are better than registers if few do.
func (rs *Registers) RememberAlone(ctx context.Context, call *predabs.SymCall, late bool) (bool, error) {
	if len(rs.Vars) == 0 && !late || call.Constructor {
		return false, nil
	}
	if len(rs.Vars) == 0 {
		if few, err := rs.hasFewStates(ctx); few || err != nil {
			return false, err
		}
	}
	cond, err := rs.alone(ctx, call)
	if err != nil || cond == nil || rs.has(call.Method, cond) || !late && !rs.isRemembered(cond) {
		return false, err
	}
	return rs.addRegisterAtom(ctx, call.Method, cond)
}

// RememberPart divides a call by a comparison of registers because of which it errs, beside others: a client that keeps a count
// knows that part of the condition, and the rest is for states to tell.
func (rs *Registers) RememberPart(ctx context.Context, pair int32, k int) (bool, error) {
	call := &rs.Abs.Calls[k]
	if len(rs.Vars) == 0 || call.Constructor {
		return false, nil
	}
	cond := rs.Abs.Pool.False()
	for k := range call.Sum.Blocks {
		if b := &call.Sum.Blocks[k]; b.From == call.Sum.Method.Entry && call.Sum.Method.ErrorAt(b.To) != nil {
			errs, _ := rs.Abs.Block(call.Sum, b, true)
			cond = rs.Abs.Pool.Or(cond, errs)
		}
	}
	for _, a := range rs.graph.Sets.Set(rs.graph.Pairs[pair].U) {
		r, err := rs.Abs.Check(ctx, rs.Abs.Region(a), call.Guard, cond)
		if err != nil || r.Verdict != solve.Sat {
			if unlessUndecided(err) != nil {
				return false, err
			}
			continue
		}
		cube, err := rs.Abs.MinimalConditions().Prime(ctx, cond, r.Model)
		if err != nil {
			return false, unlessUndecided(err)
		}
		for _, atom := range describe.AtomsOf(cube) {
			if slices.ContainsFunc(term.FreeVars(atom), func(t *term.Term) bool { return !slices.Contains(rs.Vars, rs.StateVar(t)) }) {
				continue
			}
			if done, err := rs.addRegisterAtom(ctx, call.Method, atom); done || err != nil {
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
func (rs *Registers) addRegisterAtom(ctx context.Context, method int, atom *term.Term) (bool, error) {
	if rs.atoms == nil {
		rs.atoms = make([][]*term.Term, len(rs.Abs.Methods))
	}
	have := rs.atoms[method]
	if len(have) >= maxRegisterAtoms || rs.has(method, atom) || !describe.InGo(atom) || !evaluable(prog.FormatExpr(rs.Abs.P.Program, rs.guardVars(method), atom)) {
		return false, nil
	}
	vars := slices.Clone(rs.Vars)
	for _, t := range term.FreeVars(atom) {
		if v := rs.StateVar(t); v != nil && !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	if len(vars) > maxRegisters {
		return false, nil
	}
	rs.atoms[method] = append(slices.Clone(have), atom)
	rs.setRegisters(vars)
	if err := rs.divide(ctx, method); err != nil {
		return false, err
	}
	if rs.Abs.Methods[method].Args.Classes[0].Cond.IsTrue() {
		rs.atoms[method] = have
		return false, nil
	}
	rs.Abs.Splits++
	rs.Abs.Alphabet()
	return true, nil
}

// guardVars are the variables that the guards of a method may mention.
func (rs *Registers) guardVars(method int) []*prog.Var {
	if rs.Abs.Methods[method].Constructor {
		return rs.Abs.Methods[method].Sum.Method.Params
	}
	return slices.Concat(rs.Abs.Methods[method].Sum.Method.Params, rs.Abs.Sym.State)
}

func (rs *Registers) setRegisters(vars []*prog.Var) {
	rs.Vars = nil
	for _, v := range rs.Abs.Sym.State {
		if slices.Contains(vars, v) {
			rs.Vars = append(rs.Vars, v)
		}
	}
}

// divide divides the arguments of a method by its comparisons with registers.
func (rs *Registers) divide(ctx context.Context, method int) error {
	x := &rs.Abs.Methods[method]
	x.Args = describe.NewDivision(rs.Abs.Pool, &rs.Abs.Ids, x.Sum.Method.Params, rs.Vars)
	for _, atom := range rs.atoms[method] {
		for k := len(x.Args.Classes) - 1; k >= 0; k-- {
			if _, err := x.Args.Split(ctx, rs.Abs.Pool, rs.Abs.Check, k, atom); err != nil {
				return err
			}
		}
	}
	return nil
}

// ban takes back guards that mention a variable that is not known.
func (rs *Registers) ban(ctx context.Context, v *prog.Var, reason string) error {
	if rs.banned == nil {
		rs.banned = map[*prog.Var]string{}
	}
	rs.banned[v] = reason
	var vars []*prog.Var
	for method, atoms := range rs.atoms {
		left := slices.DeleteFunc(slices.Clone(atoms), func(t *term.Term) bool { return slices.Contains(term.FreeVars(t), v.Term) })
		if len(left) < len(atoms) {
			rs.atoms[method] = left
			if err := rs.divide(ctx, method); err != nil {
				return err
			}
		}
		for _, t := range term.FreeVars(left...) {
			if s := rs.StateVar(t); s != nil {
				vars = append(vars, s)
			}
		}
	}
	rs.setRegisters(vars)
	rs.Abs.Alphabet()
	rs.Abs.Splits++
	rs.graph.Stale = true
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
