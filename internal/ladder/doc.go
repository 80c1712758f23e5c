// SPDX-License-Identifier: Apache-2.0

// Package ladder synthesizes the interface of a type that a front end has lowered from code.
//
// Such a type is a series of open programs. Each keeps more of the code than the one before and replaces the rest by
// choices. What such a program allows is allowed, and what always fails in it fails. The ladder decides which programs are
// made, in which order, with which budgets, and which of the answers stands.
//
// # The order
//
//  1. Checks of the run time that the front end does not know to be fine are looked at one by one (cover.go), or with calls
//     that do their part (favour.go). Those that are part of the protocol are then looked at together with the explicit
//     errors (checks.go). If that decides everything, it is the answer.
//  2. A large component that its arguments alone seem to decide is tried as that first (opaque.go).
//  3. The programs of the front end follow, from the coarsest (ladder.go). Of each, a CLIMB tries slices of growing depth
//     (climb.go), again without waits that only some runs get to (block.go).
//  4. If something is left open, the calls that leave it open are not followed to their errors (opaque.go).
//
// An ANSWER is the interface of a program. It is SURE if nothing it says had to be weakened. The first sure answer stands;
// else the one that decides most along words (answer.go), of which only what it is sure of is kept. At last finish.go applies
// the options of the component.
//
// # The effort
//
// Each program has a budget, but there may be a hundred of them. Their effort is counted together, in steps that are the
// same on every machine. When it is used up, no other program is started, and the best answer so far stands. To give each
// program less was not chosen: the later ones, which keep more, would not be decided then, and most types need few.
// Programs are compared as texts, and none is asked twice (memory.go). All limits are in limits.go.
package ladder
