// SPDX-License-Identifier: Apache-2.0

// Package dot reads transition systems drawn for Graphviz, in the dialects of the Automata Wiki
// (automata.cs.ru.nl) and of this project.
//
//   - A node is a state, an edge one transition for each line of its label. A label "in / out"
//     is the action in/out. An edge without a label, or labelled tau, is a hidden step.
//   - The initial state is where an edge from a start marker leads: from a node whose name begins
//     with __start, or a point with an empty label that no edge enters. Without a marker it is
//     the source of the first edge.
//   - A label in HTML has a line for each row of its tables; its tags and entities are read.
//   - The attribute comment="alphabet: a, b" of the graph adds actions that no edge has.
//   - Attributes that only concern the picture are skipped. Subgraphs group nodes.
//
// Undirected graphs are refused.
package dot
