// SPDX-License-Identifier: Apache-2.0

package ladder

import (
	"context"
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// Verify checks an interface of a component. The front end makes the program again that the interface says it is of, and
// against that it is checked; so what the front end assumes is assumed here too.
func Verify(ctx context.Context, c Component, i *typestate.Interface, o synth.VerifyOptions) (synth.Verification, error) {
	if i.Component.Lowering == nil {
		return synth.Verification{}, fmt.Errorf("the interface of %s is not one of code", i.Component.Name)
	}
	p, from, err := c.Lowered(ctx, i.Component.Lowering)
	if err != nil {
		return synth.Verification{}, fmt.Errorf("%s: internal error: %w", c.Name, err)
	}
	// The conventions of the language are no business of the judge, who would not
	// know what they mean.
	j := i.Clone()
	needs := c.Unneed(j)
	assumed := slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.Conventions, from.Conventions))))
	j.Conventions = slices.DeleteFunc(j.Conventions, func(text string) bool { return slices.Contains(assumed, text) })
	program, err := synth.Parse(synth.Source{Text: []byte(c.Text(p))})
	if err != nil {
		return synth.Verification{}, err
	}
	v, err := synth.Verify(ctx, program, j, o)
	v.Assumed = slices.Concat(v.Assumed, needs, assumed, c.Contracts)
	return v, err
}
