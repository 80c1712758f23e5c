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
	"github.com/interlock-go/interlock/internal/model/fsp"
	"github.com/interlock-go/interlock/internal/model/judge"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/synth"
	"github.com/interlock-go/interlock/typestate"
)

// DefaultBudget bounds the states of a system that is read or composed, about 200 bytes each.
const DefaultBudget = 10_000_000

// Extensions are those of files with models.
func Extensions() []string { return []string{".lts", ".fsp", ".aut"} }

// IsModel tells the file of a model by its name, which may end in a definition: file.lts:NAME.
func IsModel(name string) bool {
	file, _ := SplitName(name)
	return slices.Contains(Extensions(), strings.ToLower(filepath.Ext(file)))
}

// SplitName divides file.lts:NAME.
func SplitName(name string) (file, definition string) {
	for _, ext := range Extensions() {
		if k := strings.LastIndex(strings.ToLower(name), ext+":"); k >= 0 && !strings.ContainsAny(name[k+len(ext)+1:], `/\`) {
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
}

// A System is a model that was read.
type System struct {
	*lts.System
	Property bool // the file says that it is one
	Warnings []string
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
	var s *System
	switch ext := strings.ToLower(filepath.Ext(src.Name)); ext {
	case ".lts", ".fsp":
		s, err = readFSP(ctx, src, e.state)
	case ".aut":
		var sys *lts.System
		sys, err = aut.ParseFailing(src.Name, src.Text, e.state)
		s = &System{System: sys}
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
	return s, nil
}

// defines says whether a format has definitions.
func (s *System) defines(src Source) bool {
	ext := strings.ToLower(filepath.Ext(src.Name))
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

// apply makes actions lead to the error.
func (e *errorNames) apply(file string, s *lts.System) (*lts.System, error) {
	for _, name := range e.states {
		if !e.met[name] {
			return nil, fmt.Errorf("-error state=%s: %s has no such state that is reached", name, file)
		}
	}
	for _, name := range e.actions {
		if _, ok := s.Action(name); !ok {
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
