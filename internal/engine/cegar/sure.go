// SPDX-License-Identifier: Apache-2.0

package cegar

// This file finds the calls that fail for sure, whatever the values are that the program
// only guesses (prog.Guess).
//
// A guess is no choice: the code has one value there, which is a function of what went before,
// and the program does not know it. So a run that errs with some guess may not exist. It does
// exist if it errs with every guess. Let the choices of the environment be made first, without regard
// to guesses: a call that must do something surely is one for which
//
//	for all states and arguments there are choices such that for all guesses it does so.
//
// Whatever the code's values are, they are among the guesses, and with these choices it does so. (To let
// choices depend on guesses would be wrong, since the values of the code may depend on the
// choices: "some choice differs from each guess" does not say that one differs from itself.) Guesses
// range over what the program says of them alone, right where they are made, one after another: that is known of the
// code's values. Other conditions on guesses have to hold as all others on the way. Initial values that are left
// open count as guesses: in programs made from code they are those of variables that nothing changes.
//
// What surely must happen gives a family L of its own (see package pairs) along the words of the
// interface: each of its sets has a state that the code may be in, as far as the environment alone
// decides. A call may surely fail in a pair if this is so with each family with which words reach it.
// A call of which no run returns with any guess errs surely, as one that fails does.

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/engine/pairs"
	"github.com/interlock-go/interlock/internal/engine/predabs"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// guesses reports whether a method makes guesses.
func guesses(m *prog.Method) bool {
	return slices.ContainsFunc(m.Edges, func(e prog.Edge) bool { return e.Kind == prog.HavocEdge && e.Origin == prog.Guess })
}

// isOpen reports whether some initial value is left open.
func isOpen(c *predabs.Abstraction) bool {
	return slices.ContainsFunc(c.Sym.State, func(v *prog.Var) bool { return v.Init == nil })
}

// surely knows what surely must happen.
type surely struct {
	abs   *predabs.Abstraction
	graph *pairs.Graph
	memo  map[[2]int32]*predabs.Effect // of sureEffect
}

// findUnsure finds which calls that may fail may not surely do in which pairs; nil if nothing is guessed.
func findUnsure(ctx context.Context, c *pairs.Graph) (unsure func(pair int32, call int) bool, err error) {
	guessed := isOpen(c.Abs) || slices.ContainsFunc(c.Abs.Calls, func(k predabs.SymCall) bool { return guesses(k.Sum.Method) })
	doubtful := slices.ContainsFunc(c.Verdicts, func(row []pairs.Verdict) bool {
		return slices.ContainsFunc(row, func(v pairs.Verdict) bool { return v.Verdict == typestate.VerdictMayFail })
	})
	if !guessed || !doubtful {
		return nil, nil
	}
	x := &surely{abs: c.Abs, graph: c, memo: map[[2]int32]*predabs.Effect{}}
	_, err = c.Abs.Within(ctx, max(1, c.Abs.P.Questions()/sureShare), func(ctx context.Context) (err error) {
		unsure, err = x.walkSure(ctx)
		var budget *explore.BudgetError
		if errors.As(err, &budget) {
			unsure, err = func(int32, int) bool { return true }, nil
		}
		return err
	})
	return unsure, err
}

// walkSure goes along the words of the interface with what surely must be current.
func (su *surely) walkSure(ctx context.Context) (unsure func(pair int32, call int) bool, err error) {
	type node struct {
		pair int32
		l    []int32
	}
	bad := map[[2]int32]bool{}
	seen := map[string]bool{}
	var work []node
	add := func(n node) {
		key := binary.LittleEndian.AppendUint32(nil, uint32(n.pair))
		for _, s := range n.l {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			work = append(work, n)
		}
	}
	add(node{0, su.graph.Pairs[0].L})
	for len(work) > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if len(seen) > maxSure*len(su.graph.Pairs)+sureFamilies {
			return nil, &explore.BudgetError{What: "pairs of what may and what surely must be current", Limit: maxSure * len(su.graph.Pairs)}
		}
		n := work[0]
		work = work[1:]
		for k := range su.abs.Calls {
			if su.abs.Calls[k].Constructor != (n.pair == 0) {
				continue
			}
			v := su.graph.Verdicts[n.pair][k]
			if v.Verdict.Forbidden() {
				if v.Verdict == typestate.VerdictMayFail && !bad[[2]int32{n.pair, int32(k)}] {
					sure, err := su.surelyFails(ctx, n.l, k)
					if err != nil {
						return nil, err
					}
					bad[[2]int32{n.pair, int32(k)}] = !sure
				}
				continue
			}
			for o := range su.abs.Calls[k].Outcomes {
				to := su.graph.Next[n.pair][su.abs.Calls[k].Letter+o]
				if to < 0 {
					continue
				}
				family, err := su.graph.Family(ctx, su.graph.Sets.Set(su.graph.Pairs[to].U), n.l, k, o, su.sureEffect)
				if err != nil {
					return nil, err
				}
				add(node{to, family})
			}
		}
	}
	return func(pair int32, call int) bool { return bad[[2]int32{pair, int32(call)}] }, nil
}

// surelyFails reports whether a call surely errs in all states of some set of a family.
func (su *surely) surelyFails(ctx context.Context, l []int32, call int) (bool, error) {
	for _, set := range l {
		all := true
		for _, a := range su.graph.Sets.Set(set) {
			e, err := su.sureEffect(ctx, a, call)
			if err != nil {
				return false, err
			}
			if all = e.MustErr; !all {
				break
			}
		}
		if all {
			return true, nil
		}
	}
	return false, nil
}

// sureEffect is the effect of a call with what it surely must do.
func (su *surely) sureEffect(ctx context.Context, a int32, call int) (*predabs.Effect, error) {
	key := [2]int32{a, int32(call)}
	if e := su.memo[key]; e != nil {
		return e, nil
	}
	e, err := su.abs.Effect(ctx, a, call)
	if err != nil {
		return nil, err
	}
	if a == 0 && isOpen(su.abs) || guesses(su.abs.Calls[call].Sum.Method) {
		part, err := su.abs.SureEffect(ctx, a, call, e.Part)
		if err != nil {
			return nil, err
		}
		part.MustErr = part.MustErr || len(part.Errs) > 0 && !e.Returns()
		e = su.abs.Lift(a, call, part)
	}
	su.memo[key] = e
	return e, nil
}
