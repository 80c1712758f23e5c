// SPDX-License-Identifier: Apache-2.0

package interlock

// This file reads components that use others by their interfaces. What is
// claimed of such a component cannot be more than what is claimed of the
// interfaces that it uses. Two more things cost permissiveness, because they let
// a call err in the program that cannot err in the code: an interface that is
// not tight has outcomes that cannot happen, and one that folds outcomes to "*"
// does not say which can.

import (
	"fmt"

	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/uses"
	"github.com/interlock-go/interlock/typestate"
)

// used is the list of interfaces that a component uses.
type used []use

type use struct {
	file string
	*typestate.Interface
	program *prog.Used
}

// parse reads the component.
func (c Config) parse() (*prog.Program, used, error) {
	var list used
	opt := prog.Options{Width: c.Width}
	if c.Uses != nil {
		opt.Uses = func(file string) (*prog.Used, error) {
			i, err := c.Uses(file)
			if err != nil {
				return nil, err
			}
			u, err := uses.Program(i)
			if err == nil {
				list = append(list, use{file, i, u})
			}
			return u, err
		}
	}
	p, err := prog.Parse(c.Filename, c.Source, opt)
	return p, list, err
}

// limit weakens the guarantees of an interface to those of what it uses.
func (list used) limit(i *typestate.Interface) error {
	if len(list) == 0 {
		return nil
	}
	g := &i.Guarantees
	for _, u := range list {
		g.Safe = engine.Least(g.Safe, u.Guarantees.Safe)
		g.Permissive = engine.Least(g.Permissive, u.Guarantees.Permissive)
		if u.Guarantees.Tight != "yes" || u.program.Loose {
			g.Permissive = engine.Least(g.Permissive, "unknown")
			g.Tight = "unknown"
		}
		i.Contracts = append(i.Contracts, fmt.Sprintf("%s is the interface of %s", u.file, u.Component.Name))
		i.Contracts = append(i.Contracts, u.Contracts...)
		for _, text := range u.Conventions { // they speak of another program
			i.Contracts = append(i.Contracts, fmt.Sprintf("%s assumes %s", u.file, text))
		}
		i.Approximations = append(i.Approximations, u.Approximations...)
	}
	guessed := func(sites []typestate.ErrorSite) {
		for _, s := range sites {
			if s.Kind == prog.UnknownProtocolKind {
				g.Permissive = engine.Least(g.Permissive, "unknown")
			}
		}
	}
	for _, f := range i.Forbidden {
		guessed(f.Errors)
	}
	for _, c := range i.Constructors {
		guessed(c.Errors)
	}
	g.Depth = engine.Depth(*g)
	return i.Canonicalize()
}
