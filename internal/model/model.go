// SPDX-License-Identifier: Apache-2.0

// Package model reads models of components and finds their interfaces.
//
// A model is a file in one of the formats of the packages below this one: a labelled transition
// system, or something that means one. Read gives the system; Infer gives the interface over some
// of its actions (package synth) and has it checked (package judge). Only what the judge accepts
// is called proved.
package model

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/model/aut"
	"github.com/interlock-go/interlock/internal/model/dot"
	"github.com/interlock-go/interlock/internal/model/fsp"
	"github.com/interlock-go/interlock/internal/model/judge"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/scxml"
	"github.com/interlock-go/interlock/internal/model/synth"
	"github.com/interlock-go/interlock/typestate"
)

// DefaultBudget bounds the states of a system that is read or composed, about 200 bytes each.
const DefaultBudget = 10_000_000

// Extensions are those of files with models.
func Extensions() []string { return []string{".lts", ".fsp", ".aut", ".dot", ".scxml"} }

// IsModel tells the file of a model by its name, which may end in a definition: file.lts:NAME. Extensions
// are in small letters: x.Dot may be a Go type.
func IsModel(name string) bool {
	file, _ := SplitName(name)
	return slices.Contains(Extensions(), filepath.Ext(file))
}

// SplitName divides file.lts:NAME.
func SplitName(name string) (file, definition string) {
	for _, ext := range Extensions() {
		if k := strings.LastIndex(name, ext+":"); k >= 0 && !strings.ContainsAny(name[k+len(ext)+1:], `/\`) {
			return name[:k+len(ext)], name[k+len(ext)+1:]
		}
	}
	return name, ""
}

// A Source is the text of a model.
type Source struct {
	Name       string // as in messages; its extension tells the format
	Text       []byte
	Definition string // which of several; "" is the main one
	Budget     int
	// Errors are errors besides those of the format: state=NAME or action=NAME.
	Errors []string
	// Optional are Errors that the model need not have; Met says which it has.
	Optional bool
	// At, if there are any, are patterns of the errors that count; Others says what becomes of the
	// others: "stop" ends the run, "skip" goes on where that is possible.
	At     []string
	Others string
	// Ignore drops events of a statechart that no transition takes; by default they cannot happen.
	Ignore bool
}

// A System is a model that was read.
type System struct {
	*lts.System
	Property bool // the file says that it is one
	Warnings []string
	// Left are the errors that do not count because of At, sorted.
	Left []string
	Met  []string // of Errors, those that the model has
}

// Read reads a model.
func Read(ctx context.Context, src Source) (*System, error) {
	if src.Budget == 0 {
		src.Budget = DefaultBudget
	}
	e, err := errorsOf(src.Errors)
	if err != nil {
		return nil, err
	}
	e.optional = src.Optional
	var s *System
	switch ext := filepath.Ext(src.Name); ext {
	case ".lts", ".fsp":
		s, err = readFSP(ctx, src, e.state)
	case ".aut":
		var sys *lts.System
		sys, err = aut.ParseFailing(src.Name, src.Text, e.state)
		s = &System{System: sys}
	case ".dot":
		var sys *lts.System
		sys, err = dot.Parse(src.Name, string(src.Text), e.state)
		s = &System{System: sys}
	case ".scxml":
		s, err = readChart(ctx, src, e)
	default:
		err = fmt.Errorf("%s: no model has the extension %q; expected one of %s", src.Name, ext, strings.Join(Extensions(), ", "))
	}
	if err != nil {
		return nil, err
	}
	if src.Definition != "" && !s.defines(src) {
		return nil, fmt.Errorf("%s: it has one system and no definition %s", src.Name, src.Definition)
	}
	if s.System, err = e.apply(src.Name, s.System); err != nil {
		return nil, err
	}
	for _, text := range src.Errors {
		if _, name, _ := strings.Cut(text, "="); e.met[name] {
			s.Met = append(s.Met, text)
		}
	}
	if len(src.At) == 0 {
		return s, nil
	}
	return s.keep(src)
}

// readChart reads a statechart.
func readChart(ctx context.Context, src Source, e *errorNames) (*System, error) {
	s := &System{}
	o := scxml.Options{Budget: src.Budget, Ignore: src.Ignore, FailingState: e.state, FailingEvent: e.event}
	if len(src.At) > 0 && src.Others == "skip" {
		o.Assertion = func(site string) scxml.Treatment {
			if matchesAny(src.At, site) {
				return scxml.Fail
			}
			s.leave(site)
			return scxml.Skip
		}
	}
	var err error
	s.System, err = scxml.Parse(ctx, src.Name, src.Text, o)
	return s, err
}

func (s *System) leave(site string) {
	if at, ok := slices.BinarySearch(s.Left, site); !ok {
		s.Left = slices.Insert(s.Left, at, site)
	}
}

// keep ends the runs of errors that do not count.
func (s *System) keep(src Source) (*System, error) {
	met := false
	kept := s.System.Stop(func(state, action int32) bool {
		reason := s.Reason(state, action)
		if matchesAny(src.At, reason) {
			met = true
			return false
		}
		s.leave(reason)
		return true
	})
	if !met {
		return nil, fmt.Errorf("-error-at: no error of %s matches; there are: %s", src.Name, strings.Join(s.Left, "; "))
	}
	if ext := filepath.Ext(src.Name); src.Others == "skip" && ext != ".scxml" && len(s.Left) > 0 {
		return nil, fmt.Errorf("-others skip: after the error %q %s does not say what follows; only the assertions of statecharts can be skipped, write -others stop", s.Left[0], src.Name)
	}
	s.System = kept
	return s, nil
}

// matchesAny says whether a pattern matches a reason, with its position or without; * stands for any
// characters.
func matchesAny(patterns []string, reason string) bool {
	message, _, _ := strings.Cut(reason, " (")
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, reason) || matches(p, message) })
}

func matches(pattern, text string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	if !more {
		return text == pattern
	}
	text, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for k := 0; k <= len(text); k++ {
		if matches(rest, text[k:]) {
			return true
		}
	}
	return false
}

// defines says whether a format has definitions.
func (s *System) defines(src Source) bool {
	ext := filepath.Ext(src.Name)
	return ext == ".lts" || ext == ".fsp"
}

func readFSP(ctx context.Context, src Source, failing func(string) bool) (*System, error) {
	m, err := fsp.Parse(src.Name, src.Text)
	if err != nil {
		return nil, err
	}
	m.Failing = failing
	name := src.Definition
	if name == "" {
		name = m.Main()
	}
	r, err := m.System(ctx, name, src.Budget)
	if err != nil {
		return nil, err
	}
	s := &System{System: r.System, Warnings: r.Warnings}
	for _, d := range m.Definitions() {
		s.Property = s.Property || d.Name == name && d.Property
	}
	return s, nil
}

// errorNames are the states and actions that are errors, with those that were met.
type errorNames struct {
	states, actions []string
	met             map[string]bool
	optional        bool
}

func errorsOf(list []string) (*errorNames, error) {
	e := &errorNames{met: map[string]bool{}}
	for _, text := range list {
		kind, name, _ := strings.Cut(text, "=")
		switch {
		case name != "" && kind == "state":
			e.states = append(e.states, name)
		case name != "" && kind == "action":
			e.actions = append(e.actions, name)
		default:
			return nil, fmt.Errorf("-error %s: an error of a model is state=NAME or action=NAME; its own (ERROR, a failed assertion) count always", text)
		}
	}
	return e, nil
}

func (e *errorNames) state(name string) bool {
	if !slices.Contains(e.states, name) {
		return false
	}
	e.met[name] = true
	return true
}

// event says whether an internal event is an error.
func (e *errorNames) event(name string) bool {
	if !slices.Contains(e.actions, name) {
		return false
	}
	e.met[name] = true
	return true
}

// apply makes actions lead to the error.
func (e *errorNames) apply(file string, s *lts.System) (*lts.System, error) {
	for _, name := range e.states {
		if !e.met[name] && !e.optional {
			return nil, fmt.Errorf("-error state=%s: %s has no such state that is reached", name, file)
		}
	}
	for _, name := range e.actions {
		if _, ok := s.Action(name); ok {
			e.met[name] = true
		} else if !e.met[name] && !e.optional {
			return nil, fmt.Errorf("-error action=%s: %s has no such action; it has %s", name, file, strings.Join(s.Alphabet, ", "))
		}
	}
	if len(e.actions) == 0 {
		return s, nil
	}
	return s.FailOn(func(action string) bool { return slices.Contains(e.actions, action) }), nil
}

// Infer finds the interface of a system over the visible actions of p and has it checked.
func Infer(ctx context.Context, p synth.Problem) (*typestate.Interface, error) {
	i, err := synth.Interface(ctx, p)
	if err != nil {
		return nil, err
	}
	r, err := judge.Judge(ctx, p.System, i, 0)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		i.Guarantees.Reason = "the judge: " + err.Error()
		return i, nil
	}
	for _, f := range []struct {
		what string
		judge.Finding
	}{{"safe", r.Safe}, {"permissive", r.Full}, {"true of its cells", r.Cells}} {
		if f.Answer != judge.Yes {
			return nil, fmt.Errorf("internal error: the interface that was found is not %s: %s: %s", f.what, strings.Join(f.Word, " "), f.Why)
		}
	}
	i.Guarantees.Safe, i.Guarantees.Permissive = typestate.GuaranteeProved, typestate.GuaranteeProved
	i.Guarantees.Tight = typestate.GuaranteeNo
	if r.Tight.Answer == judge.Yes {
		i.Guarantees.Tight = typestate.TightYes
	}
	return i, i.Canonicalize()
}
