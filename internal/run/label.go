// SPDX-License-Identifier: Apache-2.0

package run

// This file labels states by what the fields of objects had in common there: a small decision tree
// whose tests each put all samples of a state on one side.

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// samplesEach is how many objects are looked at for each point, after short traces and long ones. Each costs a word.
const samplesEach = 8

// maxTests is how many tests a label has at most.
const maxTests = 3

// seenLabel begins a label that was seen and not proved.
const seenLabel = "seen: "

// A sample is an object in a state.
type sample struct {
	state  int
	fields map[string]string
}

// A fieldTest is a field with a value: a truth value, nil or zero.
type fieldTest struct{ field, value string }

// holds reports whether an object has the value.
func (t fieldTest) holds(s sample) bool { return s.fields[t.field] == t.value }

// text is the test, or its negation, in Go.
func (t fieldTest) text(holds bool) string {
	switch {
	case t.value == "true" && holds:
		return t.field
	case t.value == "true":
		return "!" + t.field
	case holds:
		return t.field + " == " + t.value
	}
	return t.field + " != " + t.value
}

// label gives states without a label one. State is the state of the result for each point.
func (j *joiner) label(ctx context.Context, pool *Pool, out *typestate.Interface, state []int) error {
	var words []Word
	var nodes []*Node
	var states []int
	for p := range j.points {
		for _, n := range j.samples[p] {
			words, nodes, states = append(words, n.Word()), append(nodes, n), append(states, state[p])
		}
	}
	answers, err := pool.Snapshots(ctx, words)
	if err != nil {
		return err
	}
	var samples []sample
	for k, a := range answers {
		if len(a.Fields) > 0 && nodes[k].shows(a) {
			samples = append(samples, sample{states[k], a.Fields})
		}
	}
	labels := map[int][]string{}
	divide(samples, nil, labels)
	for k := range out.States {
		s := &out.States[k]
		if text := labels[s.ID]; len(text) > 0 && (s.Label == "" || s.Label == "true") {
			s.Label = seenLabel + strings.Join(text, " && ")
		}
	}
	return nil
}

// shows reports whether an answer is of the trace, and not of another one of the same word.
func (n *Node) shows(a Answer) bool {
	if len(a.Steps) != n.depth+1 {
		return false
	}
	for ; n.depth >= 0; n = n.parent {
		if a.Steps[n.depth].Did != Returned || a.Steps[n.depth].Text != n.Class {
			return false
		}
	}
	return true
}

// divide divides samples by the best test, again and again, and gives each state what is true of its samples.
func divide(samples []sample, path []string, labels map[int][]string) {
	states := map[int]bool{}
	for _, s := range samples {
		states[s.state] = true
	}
	best, most := fieldTest{}, 0
	for _, t := range tests(samples) {
		sides := map[int]int{} // 1: the test holds, 2: it does not
		for _, s := range samples {
			if t.holds(s) {
				sides[s.state] |= 1
			} else {
				sides[s.state] |= 2
			}
		}
		yes, no := 0, 0
		for _, side := range sides {
			yes += side & 1
			no += side >> 1
		}
		// A state with samples on both sides is counted on both: the test says nothing of it.
		if worth := min(yes, no); yes+no == len(states) && worth > most {
			best, most = t, worth
		}
	}
	if most == 0 || len(path) == maxTests {
		for s := range states {
			labels[s] = path
		}
		return
	}
	for _, holds := range []bool{true, false} {
		var part []sample
		for _, s := range samples {
			if best.holds(s) == holds {
				part = append(part, s)
			}
		}
		divide(part, append(path[:len(path):len(path)], best.text(holds)), labels)
	}
}

// tests are the tests that samples suggest: fields of objects themselves first, truth values before others. All
// samples have the field.
func tests(samples []sample) []fieldTest {
	set := map[fieldTest]bool{}
	for _, s := range samples {
		for field, value := range s.fields {
			switch value {
			case "true", "false":
				set[fieldTest{field, "true"}] = true
			case "nil", "non-nil":
				set[fieldTest{field, "nil"}] = true
			case "0":
				set[fieldTest{field, "0"}] = true
			}
		}
	}
	maps.DeleteFunc(set, func(t fieldTest, _ bool) bool {
		return slices.ContainsFunc(samples, func(s sample) bool { _, ok := s.fields[t.field]; return !ok })
	})
	order := map[string]int{"true": 0, "nil": 1, "0": 2}
	return slices.SortedFunc(maps.Keys(set), func(a, b fieldTest) int {
		return cmp.Or(strings.Count(a.field, ".")-strings.Count(b.field, "."), order[a.value]-order[b.value], cmp.Compare(a.field, b.field))
	})
}
