// SPDX-License-Identifier: Apache-2.0

package interlock

// This file synthesizes the interfaces of many Go types whose packages are loaded
// once.

import (
	"context"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/typestate"
)

// GoPackages are Go packages, loaded from source with all they depend on. Their types are to be lowered one after the
// other: generic functions are instantiated in what was loaded.
type GoPackages struct {
	loaded *golang.Packages
}

// LoadGo loads the packages that patterns of the go command match, such as "std"
// or "./...". Of the type only Dir, Env and Tags are used.
func LoadGo(ctx context.Context, t GoType, patterns ...string) (*GoPackages, error) {
	l, err := golang.Load(ctx, patterns, golang.Options{Dir: t.Dir, Env: t.Env, Tags: t.Tags})
	if err != nil {
		return nil, err
	}
	return &GoPackages{l}, nil
}

// Types returns the names of the exported types that have exported methods, in
// order. A generic type has simple type arguments.
func (p *GoPackages) Types() []string {
	var names []string
	for _, s := range p.loaded.Types() {
		names = append(names, s.String())
	}
	return names
}

// A GoComponent is a Go type that was lowered to open programs.
type GoComponent struct {
	t GoType
	r *golang.Result
}

// Component lowers a type of one of the packages; its Dir, Env and Tags are not
// used.
func (p *GoPackages) Component(ctx context.Context, t GoType, c Config) (*GoComponent, error) {
	s, err := golang.ParseSubject(t.Name)
	if err != nil {
		return nil, err
	}
	r, err := p.loaded.Compile(ctx, s, t.options(c))
	if err != nil {
		return nil, tooLarge(s.String(), err)
	}
	return &GoComponent{t, r}, nil
}

// ExplicitSites counts the positions at which code of the component errs by
// itself, and for which not only the environment is to blame. It is -1 if methods are left out
// because they are too large: what they have is not known.
func (g *GoComponent) ExplicitSites() int {
	if len(g.r.LeftOut()) > 0 {
		return -1
	}
	return len(g.r.Explicit())
}

// Panics counts the panics that are written in the code of the component which a call may run. Some of them
// may be out of reach, and no error sites then.
func (g *GoComponent) Panics() int { return g.r.Panics() }

// ImplicitChecks counts the lines with run-time checks that clients may reach.
func (g *GoComponent) ImplicitChecks() int { return g.r.RunTimeChecks() }

// Checked reports whether all run-time checks were looked at; the code may be too large
// for some.
func (g *GoComponent) Checked() bool { return g.r.Checked() }

// Synthesize computes the interface, as [SynthesizeGo] does.
func (g *GoComponent) Synthesize(ctx context.Context, c Config) (*typestate.Interface, error) {
	return synthesizeGo(ctx, g.t, g.r, c)
}

// LeftOut returns how many of the run-time checks are not covered by an
// interface of the component.
func (g *GoComponent) LeftOut(i *typestate.Interface) int {
	var at []string
	add := func(where string) {
		if !slices.Contains(at, where) {
			at = append(at, where)
		}
	}
	for _, u := range i.Uncovered {
		add(u.Site.At)
	}
	for _, a := range i.Approximations {
		if golang.NotCovered(a) { // of constructors
			add(a.At)
		}
	}
	return len(at)
}
