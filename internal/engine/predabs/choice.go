// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/engine/explore"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// IsVarOf reports whether a term is one of some variables.
func IsVarOf(vars []*prog.Var, t *term.Term) bool {
	return slices.ContainsFunc(vars, func(v *prog.Var) bool { return v.Term == t })
}

// ChoiceIn names the copy of a choice in the n-th block of an unrolled run.
func ChoiceIn(ch explore.Choice, from, n int) string {
	if n == 0 {
		return ch.Term.Name()
	}
	return fmt.Sprintf("%s/%d.%d", ch.Term.Name(), from, n)
}
