// SPDX-License-Identifier: Apache-2.0

// Package scxml reads statecharts (W3C, State Chart XML, 2015) as labelled transition systems.
//
// # What a chart means
//
// A state of the system is what is left when the chart has come to rest: its configuration, what
// history states remember, and its data. An action is an external event; its transition is
// everything that the chart does until it comes to rest again (run to completion): transitions
// chosen in document order, exits, content, entries, internal events, eventless transitions. So
// a chart is deterministic; a client that sees only some of the events sees choices.
//
// The external events are those that transitions name, without those that a raise element names,
// done.* and error.*. An event that no transition takes cannot happen there; with Ignore it is
// dropped, as the standard's algorithm does, and the state stays.
//
// Data are integers and truth values; an expression has the operators of ECMAScript on them, In('s')
// and _event.name. An <assert cond="..." message="..."/>, in any namespace, is an error
// where the condition is false.
//
// Refused by name, with what to write instead: send, cancel, invoke, script, foreach, donedata, data
// of other types or from files.
//
// # Order of facts
//
//	xml.go      the document, element by element, with lines
//	expr.go     expressions
//	machine.go  the algorithm of the standard's appendix D
//	system.go   all states that events reach
package scxml
