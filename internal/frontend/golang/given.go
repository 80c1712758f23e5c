// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which unmodelled values are functions of the arguments of the call: what
// is read from the text of a string argument, the dynamic type of an argument in an
// interface, comparisons of such, arithmetic that is too hard. lower/given.go makes
// parameters of what errors depend on in this way.
//
// Only what nobody changes during the call is followed: texts of strings, dynamic types,
// numbers and what structs of such hold. Elements of slices and fields behind pointers
// are not: the component, or the environment, may write them between two reads. Those of
// configuration types that are fixed are (obvious_validated.go): which entry of a map of
// the configuration belongs to an argument is decided when the object is made, and the client
// knows it.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/term"
)

// givenBy returns what a value is computed from besides the arguments of the call; ok is
// false if it is more than them.
func (f *frame) givenBy(list ...ssa.Value) (from lower.From, ok bool) {
	from = lower.From{}
	for _, x := range list {
		v := f.val(x)
		if v.settled {
			continue
		}
		if v.given == nil || v.missing != "" {
			return nil, false
		}
		from = append(from, v.given...)
		if v.at == nil && v.fn == nil {
			from = append(from, variables(v.t)...)
		}
	}
	return from, true
}

func variables(list []*term.Term) []*term.Term {
	var out []*term.Term
	for _, t := range list {
		if !t.IsConst() {
			out = append(out, t)
		}
	}
	return out
}

// ofArguments notes that the any value with a key is a function of arguments, if the values
// that it is computed from are; more are numbers that it depends on, too.
func (f *frame) ofArguments(key string, l leaf, list []ssa.Value, more ...*term.Term) {
	if from, ok := f.givenBy(list...); ok && f.m.Reachable() {
		f.m.Given(f.m.Local(key, "any", l.typ), append(from, variables(more)...))
	}
}

// allOfArguments is ofArguments for all scalars of a value.
func (f *frame) allOfArguments(key string, t types.Type, list []ssa.Value, more ...*term.Term) {
	for _, l := range f.c.leaves(t) {
		f.ofArguments(key+"/"+l.path, l, list, more...)
	}
}

// givenValues is givenBy for arguments of a call whose results are computed from them:
// numbers are what the program knows of them, the texts of strings and what is in
// interfaces count only if they are given.
func (f *frame) givenValues(args []value) (from lower.From, ok bool) {
	from = lower.From{}
	for _, v := range args {
		b, basic := v.typ.Underlying().(*types.Basic)
		switch {
		case v.missing != "" || !basic:
			return nil, false
		case v.given == nil && b.Info()&(types.IsInteger|types.IsBoolean) == 0:
			return nil, false
		}
		from = append(append(from, v.given...), variables(f.terms(v))...)
	}
	return from, true
}

// givenScalars notes that all scalars of a value with a key are functions of arguments and of
// terms.
func (f *frame) givenScalars(key string, t types.Type, from lower.From) {
	for _, l := range f.c.leaves(t) {
		f.m.Given(f.m.Local(key+"/"+l.path, "any", l.typ), from)
	}
}

// passed gives a value what another is given by, from which it is computed.
func (f *frame) passed(v value, list []ssa.Value, more ...*term.Term) value {
	if from, ok := f.givenBy(list...); ok {
		v.given = append(from, variables(more)...)
	}
	return v
}

// merged is a value that is one of several, given if they are: which one it is, its scalars
// know, that are assigned on each way.
func (f *frame) merged(v value, p *ssa.Phi, in []arrival) value {
	var list []ssa.Value
	for _, a := range in {
		for i, q := range p.Block().Preds {
			if q == a.pred {
				list = append(list, p.Edges[i])
			}
		}
	}
	return f.passed(v, list, v.t...)
}

// allGiven is what a result is given by that is one of several: as for values that meet in
// a block (merged).
func (f *frame) allGiven(list []returning, k int, ts []*term.Term) lower.From {
	from := lower.From{}
	for _, r := range list {
		v := r.values[k]
		if v.given == nil || v.missing != "" {
			return nil
		}
		from = append(from, v.given...)
		if v.at == nil && v.fn == nil {
			from = append(from, variables(v.t)...)
		}
	}
	return append(from, variables(ts)...)
}

// configured notes what a load from a field has of the configuration: a value that is the
// same for the life of the object, if the field is read from the component, or a function of
// arguments, if it is read from something that they decide.
func (f *frame) configured(i *ssa.UnOp, v value) value {
	a, ok := i.X.(*ssa.FieldAddr)
	if !ok || f.c.facts == nil || v.missing != "" {
		return v
	}
	n, ok := namedPointer(a.X.Type())
	if !ok {
		return v
	}
	base := f.val(a.X)
	if v.fixed = f.c.facts.isFixed(fieldVar(a), n); v.fixed {
		f.c.convention(conventionEntrusted)
	}
	switch {
	case f.isSettled(base):
		v.settled = v.fixed || f.c.facts.isSteady(fieldVar(a), n)
	case v.fixed && base.given != nil && base.missing == "":
		f.allOfArguments(f.key(i)+"/any", i.Type(), []ssa.Value{a.X})
		for _, l := range f.c.leaves(i.Type()) {
			f.ofArguments(f.key(i)+"/"+l.path+"/any", l, []ssa.Value{a.X})
		}
		v = f.passed(v, []ssa.Value{a.X}, v.t...)
	}
	return v
}

// isSettled reports whether a pointer is the same in all calls.
func (f *frame) isSettled(v value) bool {
	c := f.c
	return v.settled || c.named != nil && !c.once && v.at != nil && v.at.path == "" && !v.at.element && v.at.ref == c.w.RefOf(c.receiverPlace())
}
