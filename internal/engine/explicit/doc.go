// SPDX-License-Identifier: Apache-2.0

// Package explicit holds the engines that explore states, and what all engines that compute a table share.
//
// The facts come in this order: knowledge sets of a component (knowledge), the table of an engine (Direct, Learn, Hide), the
// reduced and merged interface (Build), its labels and witnesses (annotate), and its certificate, one node for
// each state where that does (certify_coarse) or one for each knowledge set (certify).
package explicit
