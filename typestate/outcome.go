// SPDX-License-Identifier: Apache-2.0

package typestate

// Had reports whether the results of a call belong to one of its outcomes. A zero [Value] is a result of which nothing is known.
func (c Call) Had(outcome string, results ...Value) Match {
	class := newOutcomeClass(outcome, c.Returns)
	return class.has(results)
}
