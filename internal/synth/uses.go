// SPDX-License-Identifier: Apache-2.0

package synth

// This file reads components that use others by their interfaces. What is
// claimed of such a component cannot be more than what is claimed of the
// interfaces that it uses. Two more things cost permissiveness, because they let
// a call err in the program that cannot err in the code: an interface that is
// not tight has outcomes that cannot happen, and one that folds outcomes to "*"
// does not say which can.

import (
	"fmt"

	"github.com/interlock-go/interlock/internal/engine/parts"
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

// A Program is an open program with the interfaces that it uses.
type Program struct {
	*prog.Program
	used used
}

// A Source is the text of an open program.
type Source struct {
	Filename string // in positions
	Text     []byte
	Width    int // if positive, of every integer type
	// Uses reads the interface files that the program names; nil: it must not have any.
	Uses func(file string) (*typestate.Interface, error)
}

// Parse reads a program.
func Parse(s Source) (*Program, error) {
	p := &Program{}
	opt := prog.Options{Width: s.Width}
	if s.Uses != nil {
		opt.Uses = func(file string) (*prog.Used, error) {
			i, err := s.Uses(file)
			if err != nil {
				return nil, err
			}
			u, err := uses.Program(i)
			if err == nil {
				p.used = append(p.used, use{file, i, u})
			}
			return u, err
		}
	}
	var err error
	p.Program, err = prog.Parse(s.Filename, s.Text, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// because adds a reason why not more is proved.
func because(g *typestate.Guarantees, why string) {
	if g.Reason != "" {
		why = g.Reason + "; " + why
	}
	g.Reason = why
}

// limit weakens the guarantees of an interface to those of what it uses.
func (list used) limit(i *typestate.Interface) error {
	if len(list) == 0 {
		return nil
	}
	g := &i.Guarantees
	for _, u := range list {
		weaken := func(guarantee *string, to, why string) {
			if weaker := parts.Least(*guarantee, to); weaker != *guarantee {
				*guarantee = weaker
				because(g, u.file+" "+why)
			}
		}
		weaken(&g.Safe, u.Guarantees.Safe, "is safe: "+u.Guarantees.Safe)
		weaken(&g.Permissive, u.Guarantees.Permissive, "is permissive: "+u.Guarantees.Permissive)
		switch {
		case u.Guarantees.Tight != typestate.TightYes:
			weaken(&g.Permissive, typestate.GuaranteeUnknown, "is not known to be tight")
		case u.program.Loose:
			weaken(&g.Permissive, typestate.GuaranteeUnknown, "does not say which results can happen")
		}
		if u.Guarantees.Tight != typestate.TightYes || u.program.Loose {
			g.Tight = typestate.GuaranteeUnknown
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
			if s.Kind == prog.UnknownProtocolKind && g.Permissive != parts.Least(g.Permissive, typestate.GuaranteeUnknown) {
				g.Permissive = typestate.GuaranteeUnknown
				because(g, "a call fails because a used interface leaves a call unknown")
			}
		}
	}
	for _, f := range i.Forbidden {
		guessed(f.Errors)
	}
	for _, c := range i.Constructors {
		guessed(c.Errors)
	}
	return i.Canonicalize()
}
