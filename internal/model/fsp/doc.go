// SPDX-License-Identifier: Apache-2.0

// Package fsp reads finite state processes, the notation of the LTSA tool (Magee and
// Kramer, Concurrency: State Models and Java Programs, 2006, appendix B), as LTSA
// itself reads them.
//
// Parse gives a Model, the definitions of a file; System compiles one of them into a
// labelled transition system. Compiling follows LTSA where the book leaves room:
//
//   - a[1] and a.1 are one action;
//   - all instances of all local processes count for the alphabet, also those that
//     are never reached, but no choice whose guard is false;
//   - a reference to a local process whose index lies outside of all its ranges is
//     ERROR, with a warning;
//   - relabelling and hiding act on prefixes of labels, the longest first;
//   - in a composition, labels, sharing and relabelling act on each process before
//     they are composed: (a:BUF || b:BUF)/{mid/a.out, mid/b.in} synchronizes.
//
// Refused by name, with the position and what to write instead: priorities, progress,
// assert, fluent, constraint, deterministic, import and include. Menus and animations have
// no meaning for behaviour and are skipped.
package fsp
