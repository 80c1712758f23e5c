// SPDX-License-Identifier: Apache-2.0

package explicit

import (
	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/engine/explore"
)

// A Table is the result of an engine: see the package comment.
type Table struct {
	component *explore.Component
	DFA       *automata.DFA
}
