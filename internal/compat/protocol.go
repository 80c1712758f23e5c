// SPDX-License-Identifier: Apache-2.0

// Package compat compares interfaces with what they should be: conform holds an
// interface against a protocol, the behaviour of a real type that was observed by
// running it.
package compat

// This file reads protocols (format interlock-protocol/1, doc/conform.md). A
// protocol is an observation, not a proof: what is absent in it was never seen
// and says nothing. So unknown fields are ignored, but everything that the walk
// relies on is checked when the file is read.

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Protocol is the temporal protocol of a real type, as it was observed.
type Protocol struct {
	ID           string           `json:"id"`
	Language     string           `json:"language"`
	Component    string           `json:"component"`
	Constructors []Constructor    `json:"constructors"`
	Errors       Errors           `json:"errors"`
	Calls        []Call           `json:"calls"`
	Initial      string           `json:"initial"`
	States       map[string]State `json:"states"`
	Regular      bool             `json:"regular"`
	Difficulty   string           `json:"difficulty"`
	Depth        int              `json:"verified_depth"`
}

// A Constructor makes the object; Given is the configuration of its environment.
type Constructor struct {
	Expr    string `json:"expr"`
	Given   string `json:"given"`
	Initial string `json:"initial"`
}

// Errors says what counts as an error. Misuse is a text or a list of exception
// types.
type Errors struct {
	Kind     string          `json:"kind"`
	Misuse   json.RawMessage `json:"misuse"`
	Messages []string        `json:"messages"`
}

// A Call is a call with the arguments that were used.
type Call struct {
	ID       string   `json:"id"`
	Expr     string   `json:"expr"`
	Guard    string   `json:"guard"` // in words
	Outcomes []string `json:"outcomes"`
}

// A State says what was seen in it: which calls err, and where others lead by
// outcome. A target "a|b" is the set of both.
type State struct {
	Forbidden map[string]string            `json:"forbidden"`
	Next      map[string]map[string]string `json:"next"`
}

// ReadProtocols reads a protocol file: one entry, or a list of them.
func ReadProtocols(data []byte) ([]*Protocol, error) {
	text := strings.TrimSpace(string(data))
	var list []*Protocol
	if strings.HasPrefix(text, "{") {
		var p Protocol
		if err := json.Unmarshal(data, &p); err != nil {
			return nil, wrongJSON(err)
		}
		list = append(list, &p)
	} else if err := json.Unmarshal(data, &list); err != nil {
		return nil, wrongJSON(err)
	}
	if len(list) == 0 {
		return nil, errors.New("no protocol in it")
	}
	seen := map[string]bool{}
	for k, p := range list {
		if p == nil || p.ID == "" {
			return nil, fmt.Errorf("entry %d has no id", k+1)
		}
		if seen[p.ID] {
			return nil, fmt.Errorf("two entries %q", p.ID)
		}
		seen[p.ID] = true
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.ID, err)
		}
	}
	return list, nil
}

func wrongJSON(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not a protocol file: %v at offset %d", err, syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("not a protocol file: %s is a JSON %s at offset %d", kind.Field, kind.Value, kind.Offset)
	}
	return fmt.Errorf("not a protocol file: %v", err)
}

func (p *Protocol) check() error {
	ids := map[string]bool{}
	for k, c := range p.Calls {
		switch {
		case c.ID == "" || c.Expr == "":
			return fmt.Errorf("call %d has no id or no expr", k+1)
		case ids[c.ID]:
			return fmt.Errorf("two calls %q", c.ID)
		}
		ids[c.ID] = true
	}
	if len(p.Calls) == 0 || len(p.Constructors) == 0 {
		return errors.New("no calls or no constructors")
	}
	for k, c := range p.Constructors {
		if c.Initial == "" {
			p.Constructors[k].Initial = p.Initial
		}
		if err := p.target(p.Constructors[k].Initial); err != nil {
			return fmt.Errorf("constructor %s: initial %w", c.Expr, err)
		}
	}
	if !p.Regular && p.Depth <= 0 {
		return errors.New("it is not regular and has no verified_depth")
	}
	for _, name := range slices.Sorted(maps.Keys(p.States)) {
		s := p.States[name]
		for _, call := range slices.Sorted(maps.Keys(s.Forbidden)) {
			switch v := s.Forbidden[call]; {
			case !ids[call]:
				return fmt.Errorf("state %s: no call %q", name, call)
			case v != "fails" && v != "may-fail":
				return fmt.Errorf("state %s: verdict %q of %s is not fails or may-fail", name, v, call)
			}
		}
		for _, call := range slices.Sorted(maps.Keys(s.Next)) {
			if !ids[call] {
				return fmt.Errorf("state %s: no call %q", name, call)
			}
			for _, outcome := range slices.Sorted(maps.Keys(s.Next[call])) {
				if err := p.target(s.Next[call][outcome]); err != nil {
					return fmt.Errorf("state %s, call %s: %w", name, call, err)
				}
			}
		}
	}
	return nil
}

func (p *Protocol) target(text string) error {
	for _, s := range p.members(text) {
		if _, ok := p.States[s]; !ok {
			return fmt.Errorf("no state %q", s)
		}
	}
	return nil
}

// members returns the states of a target, sorted. A target "a|b" is a set, unless
// a state has this name.
func (p *Protocol) members(text string) []string {
	if _, ok := p.States[text]; ok {
		return []string{text}
	}
	set := strings.Split(text, "|")
	slices.Sort(set)
	return slices.Compact(set)
}

// A truth is what a protocol says about a call in a set of states.
type truth struct {
	verdict  string   // "allowed", "fails", "may-fail", or "" if it was never made
	outcomes []string // seen when it returned, sorted
}

// truth returns what is known of a call after a word that leads to one of the
// states in the set: the call is forbidden if any member forbids it, and fails
// if all that know it do and none saw it return.
func (p *Protocol) truth(set []string, call string) truth {
	var t truth
	forbidden, may := false, false
	for _, name := range set {
		s := p.States[name]
		v, no := s.Forbidden[call]
		forbidden = forbidden || no
		may = may || v == "may-fail"
		for o := range s.Next[call] {
			t.outcomes = append(t.outcomes, o)
		}
	}
	slices.Sort(t.outcomes)
	t.outcomes = slices.Compact(t.outcomes)
	switch {
	case forbidden && (may || len(t.outcomes) > 0):
		t.verdict = "may-fail"
	case forbidden:
		t.verdict = "fails"
	case len(t.outcomes) > 0:
		t.verdict = "allowed"
	}
	return t
}

// next returns the states after a call with an outcome, sorted. Members that
// never had the outcome are not among those that are current.
func (p *Protocol) next(set []string, call, outcome string) []string {
	var out []string
	for _, name := range set {
		if target, ok := p.States[name].Next[call][outcome]; ok {
			out = append(out, p.members(target)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// MisuseTypes returns the exception types that Misuse lists, or nil if it is a
// text.
func (e Errors) MisuseTypes() []string {
	var list []string
	if json.Unmarshal(e.Misuse, &list) != nil {
		return nil
	}
	return list
}
