// SPDX-License-Identifier: Apache-2.0

package typestate

import "slices"

// This file gives the verdicts that the file format writes as strings a type
// of their own. The strings stay in the data: a verdict that this version does
// not know must be reported with its text, not lost in a conversion.

// A Verdict is what an interface says about a call in a state.
// The zero value is VerdictUnknown.
type Verdict uint8

const (
	VerdictUnknown Verdict = iota // nobody could tell
	VerdictAllowed                // no run errs
	VerdictFails                  // forbidden, and no run returns
	VerdictMayFail                // forbidden: some run errs, another may return
)

func (v Verdict) String() string {
	switch v {
	case VerdictAllowed:
		return "allowed"
	case VerdictFails:
		return "fails"
	case VerdictMayFail:
		return "may-fail"
	}
	return "unknown"
}

// Forbidden reports whether v is VerdictFails or VerdictMayFail.
func (v Verdict) Forbidden() bool { return v == VerdictFails || v == VerdictMayFail }

// ParseVerdict returns the verdict that the file format writes as s;
// ok is false if there is none.
func ParseVerdict(s string) (v Verdict, ok bool) {
	for v := VerdictUnknown; v <= VerdictMayFail; v++ {
		if v.String() == s {
			return v, true
		}
	}
	return VerdictUnknown, false
}

// CannotBeMade reports whether no arguments satisfy the guard of a call in a state,
// because of what the registers hold there.
func (i *Interface) CannotBeMade(state int, call string) bool {
	return slices.Contains(i.Impossible, Impossible{state, call})
}

// Verdict returns the verdict of the call with the given id in a state. It is
// VerdictUnknown if there is no such state or call, and VerdictAllowed, of no
// meaning, for a call that cannot be made.
func (i *Interface) Verdict(state int, call string) Verdict {
	r, _ := i.cell(state, call)
	return r.Verdict
}
