// SPDX-License-Identifier: Apache-2.0

package golang

// This file leaves methods out of a component that is too large with them. The words
// without calls of these methods are those of the component that has only the other ones, so
// what is found of it holds. A call of a method that is left out is unknown in every state,
// and so is everything after it.

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/typestate"
)

// maxRest is how many edges the methods that are not left out may have together, and maxMethod one of
// them: in later passes they grow. leastRest is the part of the methods, one of so many, that must be left.
const (
	maxRest   = maxCoarse / 4
	maxMethod = maxCoarse / 8
	leastRest = 4
)

// maxReached is how many functions a component may reach for that, and to be lowered with the shares
// of maxWork between the largest and the smallest: with more, each takes long.
const maxReached = 500

// errMeasured ends lowering when the sizes of all methods are known.
var errMeasured = errors.New("the methods are measured")

// without lowers the component without its largest methods; nil if that is too large as well.
func (l *loaded) without(ctx context.Context, s Subject, o Options, k kinds, known *contracts, found map[*ssa.Function]*opaqueCall) (*Result, error) {
	sizes, err := l.sizes(ctx, s, o, k, known, found)
	if err != nil || len(sizes) < 2 {
		return nil, err
	}
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[a], sizes[b]), cmp.Compare(a, b))
	})
	n, sum := 0, 0
	for n < len(names) && sizes[names[n]] <= maxMethod && sum+sizes[names[n]] <= maxRest {
		sum += sizes[names[n]]
		n++
	}
	if n < (len(names)+leastRest-1)/leastRest || n == len(names) {
		return nil, nil
	}
	o.Methods, o.without = slices.Sorted(slices.Values(names[:n])), true
	r, err := l.compile(ctx, s, o, k)
	switch {
	case errors.Is(err, lower.ErrTooLarge):
		return nil, nil
	case err != nil:
		return nil, err
	}
	r.leftOut = slices.Sorted(slices.Values(names[n:]))
	return r, nil
}

// sizes returns how many edges the methods have in the first coarse program, up to
// maxMethod; none if it is the constructors that are too large.
func (l *loaded) sizes(ctx context.Context, s Subject, o Options, k kinds, known *contracts, found map[*ssa.Function]*opaqueCall) (map[string]int, error) {
	o.level = &levels[0]
	o.opaque, o.found = func(string) bool { return true }, found
	for range 2 {
		c := l.compiler(o, k, known)
		c.maxWork = maxWork
		c.sizes = map[string]int{}
		c.w.Limit(maxCoarse, maxAllCoarse)
		switch _, err := c.lower(ctx, s); {
		case errors.Is(err, errMeasured):
			return c.sizes, nil
		case errors.Is(err, errNotOpaque):
			o.opaque = nil
		case errors.Is(err, lower.ErrTooLarge):
			return nil, nil
		default:
			return nil, err
		}
	}
	return nil, nil
}

// measure counts the edges of a method. What is lowered of it is of no use: it may end
// anywhere. If all before are large together, it counts as large.
func (c *compiler) measure(o *operation) (err error) {
	before := c.w.Edges()
	if before > maxCoarse {
		c.sizes[o.name] = maxMethod + 1
		return nil
	}
	c.w.Limit(before+maxMethod, 0)
	defer func() {
		c.sizes[o.name] = c.w.Edges() - before
		if errors.Is(err, lower.ErrTooLarge) {
			err = nil
		}
	}()
	defer lower.Stopped(&err)
	c.body(o)
	return nil
}

// tooLargeMethod is why a call of a method that is left out is unknown.
const tooLargeMethod = "the code of the method, with that of the others, is too large to be followed; -methods chooses others"

// LeftOut returns the methods that are left out because they are too large.
func (r *Result) LeftOut() []string { return r.leftOut }

// LeaveOut adds the methods that were left out.
func (r *Result) LeaveOut(i *typestate.Interface) {
	if len(r.leftOut) == 0 {
		return
	}
	unknown := lost(i)
	for _, name := range r.leftOut {
		c := typestate.Call{ID: name, Method: name, Params: []string{}, Types: []string{}, Guard: "true", Outcomes: []string{"return"}}
		i.Calls = append(i.Calls, c)
		for _, s := range i.States {
			unknown(s.ID, c, tooLargeMethod)
		}
	}
}
