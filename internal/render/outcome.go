// SPDX-License-Identifier: Apache-2.0

package render

// This file names outcomes for people. An interface file has each outcome in full,
// "(nil, non-nil)". A reader wants what the outcomes along an arrow have in common
// and those along the other arrows have not: that there is an error, "err". The
// types and names of the results, where the file has them, give the words.
//
// An outcome is a tuple of PARTS, one for each result. Of a set of outcomes among
// those that are possible, a part MATTERS if the set cannot be told from the others
// without it.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// The words for a result of type error: it is nil, or not.
const (
	wordOK  = "ok"
	wordErr = "err"
)

// anyPart stands in a tuple for a result that is not said.
const anyPart = "_"

// OutcomeText names a set of outcomes of a call so that the name differs from those of the
// others that are possible. It is "" if the set is all that are possible.
func OutcomeText(c typestate.Call, set, possible []string) string {
	n := len(tuple(set[0]))
	for _, o := range possible {
		if len(tuple(o)) != n {
			return exactOutcomes(set)
		}
	}
	if len(c.Returns) != n {
		if len(set) == 1 && len(possible) > 1 {
			return printable(set[0]) // its parts have no names
		}
		c.Returns = make([]typestate.Register, n)
	}
	choices := projections(set, n)
	if !selects(choices, set, possible) {
		var list []string
		for _, o := range set {
			list = append(list, OutcomeText(c, []string{o}, possible))
		}
		return strings.Join(list, "|")
	}
	for _, k := range leastTelling(c.Returns) {
		kept := choices[k]
		choices[k] = nil
		if !selects(choices, set, possible) {
			choices[k] = kept
		}
	}
	return choicesText(c, choices)
}

// exactOutcomes are outcomes as the file has them.
func exactOutcomes(set []string) string {
	var list []string
	for _, o := range set {
		list = append(list, printable(o))
	}
	return strings.Join(list, "|")
}

// projections returns, for each of n parts, the values that it has in some outcome.
func projections(set []string, n int) [][]string {
	choices := make([][]string, n)
	for _, o := range set {
		for k, v := range tuple(o) {
			if !slices.Contains(choices[k], v) {
				choices[k] = append(choices[k], v)
			}
		}
	}
	return choices
}

// selects reports whether the possible outcomes whose parts are among the choices are those of the
// set. Without choices a part may have any value.
func selects(choices [][]string, set, possible []string) bool {
	for _, o := range possible {
		fits := true
		for k, v := range tuple(o) {
			fits = fits && (choices[k] == nil || slices.Contains(choices[k], v))
		}
		if fits != slices.Contains(set, o) {
			return false
		}
	}
	return true
}

// leastTelling orders the parts: errors come last, because whether a call failed is what readers look for
// first, and booleans before them.
func leastTelling(returns []typestate.Register) []int {
	weight := func(k int) int {
		switch returns[k].Type {
		case "error":
			return 2
		case "bool":
			return 1
		}
		return 0
	}
	order := make([]int, len(returns))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return weight(a) - weight(b) })
	return order
}

// choicesText names the outcomes whose parts are among the choices.
func choicesText(call typestate.Call, choices [][]string) string {
	var matter []int
	for k, c := range choices {
		if c != nil {
			matter = append(matter, k)
		}
	}
	if len(matter) == 0 {
		return ""
	}
	if len(matter) == 1 {
		k := matter[0]
		var words []string
		for _, v := range choices[k] {
			if w, ok := shortWord(call, k, v); ok {
				words = append(words, w)
			}
		}
		if len(words) == len(choices[k]) {
			return strings.Join(words, "|")
		}
	}
	var list []string
	var expand func(parts []string)
	expand = func(parts []string) {
		k := len(parts)
		if k == len(choices) {
			list = append(list, "("+strings.Join(parts, ", ")+")")
			return
		}
		if choices[k] == nil {
			expand(append(slices.Clone(parts), anyPart))
		}
		for _, v := range choices[k] {
			expand(append(slices.Clone(parts), partWord(call.Returns[k].Type, v)))
		}
	}
	expand(nil)
	return strings.Join(list, "|")
}

// partWord is the value of a part inside a tuple.
func partWord(typ, value string) string {
	if typ == "error" {
		switch value {
		case "nil":
			return wordOK
		case "non-nil":
			return wordErr
		}
	}
	return printable(value)
}

// shortWord says without a tuple that a part has a value, if one word can mean nothing else.
func shortWord(c typestate.Call, k int, value string) (string, bool) {
	returns := c.Returns
	if len(returns) == 1 {
		return partWord(returns[k].Type, value), true
	}
	var word string
	switch {
	case returns[k].Type == "error":
		word = partWord("error", value)
	case returns[k].Type == "bool" && isWord(returns[k].Name) && value == "true":
		word = returns[k].Name
	case returns[k].Type == "bool" && isWord(returns[k].Name) && value == "false":
		word = "!" + returns[k].Name
	}
	return word, word != "" && len(meanings(returns, c.Outcomes, word)) == 1
}

// isWord reports whether the name of a result can stand for its value.
func isWord(name string) bool {
	return !slices.Contains([]string{"", anyPart, "true", "false", "nil", "non-nil", "return", "*"}, name) && !strings.ContainsAny(name, "(),|=! ")
}

// A meaning is what a word says: that a part of an outcome has a value.
type meaning struct {
	part  int
	value string
}

// meanings returns what a word may say of the results of a call.
func meanings(returns []typestate.Register, outcomes []string, word string) []meaning {
	var all []meaning
	for k, r := range returns {
		switch {
		case r.Type == "error" && word == wordOK, r.Type == "error" && word == "nil":
			all = append(all, meaning{k, "nil"})
		case r.Type == "error" && word == wordErr, r.Type == "error" && word == "non-nil":
			all = append(all, meaning{k, "non-nil"})
		case r.Type == "bool" && (isWord(r.Name) && word == r.Name || word == "true"):
			all = append(all, meaning{k, "true"})
		case r.Type == "bool" && (isWord(r.Name) && word == "!"+r.Name || word == "false"):
			all = append(all, meaning{k, "false"})
		case r.Type != "error" && r.Type != "bool" && slices.ContainsFunc(outcomes, func(o string) bool { return partIs(o, k, word) }):
			all = append(all, meaning{k, word})
		}
	}
	return all
}

func partIs(outcome string, k int, value string) bool {
	parts := tuple(outcome)
	return k < len(parts) && parts[k] == value
}

// ReadOutcome writes an outcome that a person wrote as the file would have it, with "_" for
// the results that were not said. What it does not know it leaves. The error says what an ambiguous word
// may mean.
func ReadOutcome(c typestate.Call, written string) (string, error) {
	returns, outcomes := c.Returns, c.Outcomes
	if slices.Contains(outcomes, written) || slices.ContainsFunc(outcomes, func(o string) bool { return len(tuple(o)) != len(returns) }) {
		return written, nil
	}
	parts := tuple(written)
	if len(parts) == len(returns) {
		for k, r := range returns {
			for _, m := range meanings([]typestate.Register{r}, nil, parts[k]) {
				parts[k] = m.value
			}
		}
		return untuple(parts), nil
	}
	all := meanings(returns, outcomes, written)
	if len(parts) != 1 || len(all) == 0 {
		return written, nil
	}
	var list []string
	for _, m := range all {
		exact := slices.Repeat([]string{anyPart}, len(returns))
		exact[m.part] = m.value
		list = append(list, untuple(exact))
	}
	if len(list) > 1 {
		return "", fmt.Errorf("the outcome %s may mean %s; write which", written, strings.Join(list, " or "))
	}
	return list[0], nil
}

// OutcomeWords returns the words that say something of the results of a call without a tuple.
func OutcomeWords(c typestate.Call) []string {
	var words []string
	if slices.ContainsFunc(c.Outcomes, func(o string) bool { return len(tuple(o)) != len(c.Returns) }) {
		return nil
	}
	for k, values := range projections(c.Outcomes, len(c.Returns)) {
		for _, v := range values {
			if w, ok := shortWord(c, k, v); ok && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// tuple splits an outcome of several results; any other is its only part.
func tuple(outcome string) []string {
	if !strings.HasPrefix(outcome, "(") || !strings.HasSuffix(outcome, ")") {
		return []string{outcome}
	}
	var parts []string
	depth, from := 0, 1
	for k, r := range outcome {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && k < len(outcome)-1 {
			return []string{outcome} // the parentheses are not one pair
		}
		if depth == 0 || depth == 1 && r == ',' {
			parts = append(parts, strings.TrimSpace(outcome[from:k]))
			from = k + 1
		}
	}
	return parts
}

// untuple is the outcome of some parts.
func untuple(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
