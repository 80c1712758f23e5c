// SPDX-License-Identifier: Apache-2.0

package typestate

// This file is the short way of a Monitor: a call whose method has one guard that always holds, between states without
// registers, with results that are truth values, or of which only nil-ness counts. All it takes is a look
// into two tables. What does not fit takes the long way, from the same state.

// A quickCall says to which outcome of a call truth values and nil-ness belong.
type quickCall struct {
	kinds    []valueKind // of the results that outcomes tell apart; notTold: any
	outcomes []int8      // by the bits of the results; noOutcome: take the long way. Nil: always
}

const (
	maxQuickParts = 6 // results in a table of outcomes: 64 entries
	noOutcome     = -1
)

// newQuickCall makes the table of a call.
func newQuickCall(classes []outcomeClass) quickCall {
	if len(classes) == 0 || len(classes) > 100 {
		return quickCall{}
	}
	n := len(classes[0].parts)
	for _, c := range classes {
		if c.odd || c.with != nil || len(c.parts) != n || n > maxQuickParts {
			return quickCall{}
		}
	}
	q := quickCall{kinds: make([]valueKind, n), outcomes: make([]int8, 1<<n)}
	for _, c := range classes {
		for k, p := range c.parts {
			if p.kind != notTold && q.kinds[k] != notTold && q.kinds[k] != p.kind {
				return quickCall{}
			}
			q.kinds[k] = max(q.kinds[k], p.kind)
		}
	}
	for bits := range q.outcomes {
		q.outcomes[bits] = noOutcome
		for k := range classes {
			if !classes[k].hasBits(bits) {
				continue
			}
			if q.outcomes[bits] != noOutcome {
				return quickCall{} // a result belongs to two outcomes, or is no truth value
			}
			q.outcomes[bits] = int8(k)
		}
	}
	return q
}

// hasBits reports whether results of which bit k says that result k is true, or nil, surely belong to the outcome.
func (c *outcomeClass) hasBits(bits int) bool {
	for k, p := range c.parts {
		bit := bits>>k&1 == 1
		switch {
		case p.cond != nil:
			return false
		case p.kind == notTold:
		case p.kind == truthValue:
			if (p.n == 1) == bit == p.not {
				return false
			}
		case p.kind == nameValue && p.name == "nil":
			if bit == p.not {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// outcome is the outcome that the results belong to; noOutcome: take the long way. Integers that no outcome tells apart
// are skipped, as in outcomeClass.has.
func (q *quickCall) outcome(results []Value) int {
	if q.outcomes == nil {
		return noOutcome
	}
	if len(q.kinds) == 0 {
		return int(q.outcomes[0])
	}
	bits, n := 0, 0
	for k := range results {
		v := &results[k]
		bit := 0
		switch v.kind {
		case truthValue:
			bit = int(v.n)
		case nameValue:
			if v.n == notNamed {
				return noOutcome
			}
			bit = int(v.n & 1)
		case notTold:
			return noOutcome
		default:
			continue
		}
		if n == len(q.kinds) || q.kinds[n] != notTold && q.kinds[n] != v.kind {
			return noOutcome
		}
		bits |= bit << n
		n++
	}
	if n != len(q.kinds) {
		return noOutcome
	}
	return int(q.outcomes[bits])
}

// quickly announces a call that takes the short way; nil if it does not.
func (m *Monitor) quickly(method *monitoredMethod) *Result {
	if method == nil || !method.plain || !m.begun || m.lost != "" {
		return nil
	}
	k := m.cellOf(method.calls[0])
	if m.t.moves[k] {
		return nil
	}
	m.note(method)
	m.quick, m.cell = method, k
	return &m.t.results[k]
}

// returnQuickly follows it. Where the results do not tell the outcome at once, the call is announced again, the long way.
func (m *Monitor) returnQuickly(results []Value) (Result, bool) {
	method, said := m.quick, &m.t.results[m.cell]
	m.quick = nil
	if !said.Verdict.Forbidden() {
		if o := m.t.quick[method.calls[0]].outcome(results); o != noOutcome {
			if to := m.t.next[m.cell][o]; to != cannotHappen {
				m.at.state, m.at.registers = int(to), nil
				kind := StepNext
				if said.Verdict != VerdictAllowed {
					kind = StepUnknown
				}
				return Result{Kind: kind, State: int(to), Verdict: said.Verdict, Reason: said.Reason}, true
			}
		}
	}
	m.call = announced{method: method, calls: method.calls, result: *said}
	m.during = &m.call
	return Result{}, false
}
