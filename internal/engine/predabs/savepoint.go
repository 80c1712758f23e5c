// SPDX-License-Identifier: Apache-2.0

package predabs

import (
	"slices"

	"github.com/interlock-go/interlock/internal/term"
)

// This file counts predicates, and goes back to those of some time.

// Known counts the predicates of all kinds.
func (m *Abstraction) Known() int {
	n := len(m.Preds)
	for _, list := range m.HeadPreds {
		n += len(list)
	}
	return n
}

// A Savepoint is the predicates at some time.
type Savepoint struct {
	preds []*term.Term
	heads map[HeadKey][]*term.Term
}

// Save is the predicates as they are.
func (m *Abstraction) Save() Savepoint {
	s := Savepoint{slices.Clip(m.Preds), map[HeadKey][]*term.Term{}}
	for h, list := range m.HeadPreds {
		s.heads[h] = list
	}
	return s
}

// Restore goes back to the predicates of a savepoint.
func (m *Abstraction) Restore(s Savepoint) { m.Preds, m.HeadPreds = s.preds, s.heads }
