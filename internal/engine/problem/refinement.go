// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"fmt"
	"strings"
)

// A Refinement is one round of engine witness: what a word taught.
type Refinement struct {
	Abstraction string   // "safety" or "permissiveness"
	Word        []string // the counterexample, calls with outcomes
	Predicates  []string // that were added
}

// String writes the word and the predicates.
func (r Refinement) String() string {
	return fmt.Sprintf("%s: %s: %s", strings.Join(r.Word, " "), r.Abstraction, strings.Join(r.Predicates, ", "))
}
