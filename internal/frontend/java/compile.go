// SPDX-License-Identifier: Apache-2.0

package java

// This file translates a class and lowers the translation.

import (
	"context"
	"errors"
	"fmt"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/translate"
)

// Options say how to read a class.
type Options struct {
	Place
	Class     string   // as a user writes it
	Calls     []string // none: all public methods
	Factories []string // how objects come to be; none: constructors, or methods that make objects
	Errors    []string // kinds; none: misuse
	Inline    []string // patterns of classes that are followed
	BlameAny  bool
	Progress  func(phase string, count int)
}

// lengthBits is how many bits the lengths of Java's arrays have.
const lengthBits = 31

// A Component is a class as an open program.
type Component struct {
	*golang.Result
	Name  string // of the class, as in source
	names *names
}

// Compile reads a class.
func Compile(ctx context.Context, o Options) (c *Component, err error) {
	if o.Progress != nil {
		o.Progress("loading "+o.Class, 0)
	}
	s, err := OpenSource(o.Place)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	class, err := s.Class(o.Class)
	if err != nil {
		return nil, err
	}
	wanted, err := readErrors(s, class, o.Errors)
	if err != nil {
		return nil, err
	}
	t, err := translate.Class(s, class, translate.Options{Calls: o.Calls, Inline: o.Inline, Errors: wanted, Makers: o.Factories})
	if err != nil {
		return nil, err
	}
	if len(t.Calls) == 0 {
		return nil, fmt.Errorf("%s has no public methods", classfile.ClassType(class))
	}
	text := &golang.Text{Name: t.Package, LengthBits: lengthBits, Models: t.Models}
	for _, f := range t.Files {
		text.Files = append(text.Files, golang.TextFile{Name: f.Name, Text: f.Text})
	}
	for _, f := range t.Environment {
		if f.Reason != "native" && f.Reason != translate.Unfollowed {
			text.Environment = append(text.Environment, f.Go)
		}
	}
	g := golang.Options{Text: text, Errors: []string{"panic ^" + translate.SitePanic}, BlameAny: o.BlameAny, Progress: o.Progress}
	for _, k := range t.Constructors {
		g.Constructors = append(g.Constructors, k.Go)
	}
	for _, k := range t.Calls {
		g.Methods = append(g.Methods, k.Go)
	}
	contracts := golang.ContractFile{Name: "jdk.contracts"}
	for _, line := range t.Contracts {
		contracts.Text += line + "\n"
	}
	g.Contracts = append(g.Contracts, contracts)
	r, err := golang.Compile(ctx, golang.Subject{Package: t.Package, Type: t.Type}, g)
	if err != nil {
		return nil, err
	}
	n := newNames(t, o)
	return &Component{Result: r, Name: n.component, names: n}, nil
}
