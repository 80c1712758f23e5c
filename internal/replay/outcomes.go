// SPDX-License-Identifier: Apache-2.0

package replay

// This file writes the function literal of a call: it makes the call, and finds out which
// outcome of the interface the results are.

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// numbered are the names of results that have none.
var numbered = regexp.MustCompile(`^r\d+$`)

// body writes the function literal of a call: it makes the call and finds out the
// outcome.
func (g *generator) body(c typestate.Call, s signature, call string) string {
	n := s.results.Len()
	if n == 0 {
		return call + "\nreturn " + strconv.Quote(c.Outcomes[0]) + ", nil"
	}
	vars, failure := make([]string, n), "nil"
	for k := range n {
		vars[k] = fmt.Sprintf("r%d", k)
		if name := s.results.At(k).Name(); name != "x" && name != "err" && !numbered.MatchString(name) && g.free(name) && !slices.Contains(vars[:k], name) {
			vars[k] = name
		}
		if k == n-1 && qualified(s.results.At(k).Type()) == "error" {
			vars[k], failure = "err", "err"
		}
	}
	needed := map[string]bool{failure: true}
	var cases []string
	told := true
	for _, o := range c.Outcomes {
		cond, names, ok := outcomeCondition(o, s.results, vars)
		if !ok {
			told = false
			break
		}
		for _, v := range names {
			needed[v] = true
		}
		if cond == "" {
			cond = "true"
		}
		cases = append(cases, fmt.Sprintf("case %s:\nreturn %s, %s\n", cond, strconv.Quote(o), failure))
	}
	last := `""`
	if len(c.Outcomes) == 1 {
		told, last = false, strconv.Quote(c.Outcomes[0])
	}
	if !told {
		needed = map[string]bool{failure: true}
	}
	lhs := slices.Clone(vars)
	some := false
	for k, v := range lhs {
		if !needed[v] {
			lhs[k] = "_"
		} else {
			some = true
		}
	}
	assign := " := "
	if !some {
		assign = " = "
	}
	text := strings.Join(lhs, ", ") + assign + call + "\n"
	if !some {
		text = call + "\n"
	}
	if told {
		text += "switch {\n" + strings.Join(cases, "") + "}\n"
	}
	return text + "return " + last + ", " + failure
}

// outcomeCondition writes the condition of an outcome on the results, and which of
// them it mentions; ok is false if it cannot.
func outcomeCondition(outcome string, results *types.Tuple, vars []string) (cond string, names []string, ok bool) {
	text, with, _ := strings.Cut(outcome, " with ")
	parts := []string{text}
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		parts = strings.Split(text[1:len(text)-1], ",")
	}
	if text == "return" {
		return "", nil, true
	}
	at := partsOf(results, len(parts))
	if at == nil || with != "" {
		return "", nil, false
	}
	var conds []string
	for k, p := range parts {
		p, v := strings.TrimSpace(p), vars[at[k]]
		t := results.At(at[k]).Type().Underlying()
		basic, _ := t.(*types.Basic)
		_, slice := t.(*types.Slice)
		length := slice || basic != nil && basic.Info()&types.IsString != 0
		switch {
		case length && (p == "0" || p == "!= 0"): // classes of lengths
			conds = append(conds, "len("+v+") "+map[string]string{"0": "== 0", "!= 0": "!= 0"}[p])
		case p == "!= 0" && basic != nil && basic.Info()&types.IsInteger != 0:
			conds = append(conds, v+" != 0")
		case p == "_" || p == "*":
			continue
		case p == "true" && basic != nil && basic.Info()&types.IsBoolean != 0:
			conds = append(conds, v)
		case p == "false" && basic != nil && basic.Info()&types.IsBoolean != 0:
			conds = append(conds, "!"+v)
		case (p == "nil" || p == "non-nil") && basic == nil:
			switch t.(type) {
			case *types.Struct, *types.Array:
				return "", nil, false
			}
			conds = append(conds, v+map[string]string{"nil": " == nil", "non-nil": " != nil"}[p])
		case basic != nil && basic.Info()&types.IsInteger != 0 && p != "" && strings.Trim(p, "-0123456789") == "":
			conds = append(conds, v+" == "+p)
		case basic != nil && basic.Info()&types.IsInteger != 0 && mentions(p, v) && strings.ContainsAny(p, "<>=!"):
			conds = append(conds, p)
		default:
			return "", nil, false
		}
		names = append(names, v)
	}
	return strings.Join(conds, " && "), names, true
}

// partsOf returns the results that n parts of an outcome are about: all of them,
// or those that outcomes tell apart, truth values and what may be nil. It is nil
// if neither fits.
func partsOf(results *types.Tuple, n int) []int {
	var all, told []int
	for k := range results.Len() {
		all = append(all, k)
		switch u := results.At(k).Type().Underlying().(type) {
		case *types.Basic:
			if u.Info()&types.IsBoolean != 0 {
				told = append(told, k)
			}
		case *types.Pointer, *types.Interface, *types.Map, *types.Chan, *types.Signature:
			told = append(told, k)
		}
	}
	switch n {
	case len(all):
		return all
	case len(told):
		return told
	}
	return nil
}
