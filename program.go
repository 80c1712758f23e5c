// SPDX-License-Identifier: Apache-2.0

package interlock

import (
	"context"

	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// A Program is a component in the text form of open programs, which doc/format.md specifies.
type Program struct{ p *synth.Program }

// A ProgramOption says how the text of a program is read.
type ProgramOption struct{ set func(*synth.Source) }

// Width narrows every integer type to so many bits.
func Width(bits int) ProgramOption {
	return ProgramOption{func(s *synth.Source) { s.Width = bits }}
}

// Uses reads the interface files that a program names in "uses" lines. Without it a program must not have any.
func Uses(read func(file string) (*typestate.Interface, error)) ProgramOption {
	return ProgramOption{func(s *synth.Source) { s.Uses = read }}
}

// ParseProgram reads a program. The file name is used in positions only. The error has a line for each mistake.
func ParseProgram(filename string, src []byte, opts ...ProgramOption) (*Program, error) {
	s := synth.Source{Filename: filename, Text: src}
	for _, o := range opts {
		o.set(&s)
	}
	p, err := synth.Parse(s)
	if err != nil {
		return nil, err
	}
	return &Program{p}, nil
}

func (p *Program) infer(ctx context.Context, o *Options) (*typestate.Interface, error) {
	t := synth.Task{Strategy: o.strategy(), Budget: o.Limits.Steps}
	return t.Synthesize(ctx, p.p)
}

func (p *Program) unknown(_ context.Context, reason string) (*typestate.Interface, error) {
	return synth.Unknown(p.p.Program, reason)
}

func (p *Program) verify(ctx context.Context, i *typestate.Interface, o synth.VerifyOptions) (synth.Verification, error) {
	return synth.Verify(ctx, p.p, i, o)
}

// A Division says which interfaces a program is taken apart into. A call is forbidden by the program iff one of
// them forbids it.
type Division uint8

const (
	ByErrorSite Division = iota // one for each error site; where it would reach another one, a part does not return
	ByState                     // one for each group of methods that share no state with other groups
)

// A Part is the interface of a part of a component.
type Part struct {
	Title     string // which part
	Interface *typestate.Interface
}

// A Decomposition is a component taken apart.
type Decomposition struct {
	Parts []Part
	// Product is the product of the parts, not minimized, and Undivided the
	// interface of the component as it is. They are made only if a comparison is asked for;
	// each is nil if the limits did not suffice for it.
	Product, Undivided *typestate.Interface
	// Comparison says whether Product and Undivided were found equal on the words
	// that can happen; if not, Why is a word, or the reason why it is not known.
	// Without a comparison it is unknown, and Why is empty.
	Comparison typestate.Comparison
	Why        string
}

// Decompose infers several small interfaces instead of one; compare builds the product of the parts and the undivided
// interface too, which may be exponentially larger. Options.Serial is refused: dead ends of a component are not those of
// its parts.
func Decompose(ctx context.Context, p *Program, d Division, compare bool, o *Options) (*Decomposition, error) {
	if o == nil {
		o = &Options{}
	}
	divide := synth.SplitErrors
	if d == ByState {
		divide = synth.Partition
	}
	t := synth.Task{Strategy: o.strategy(), Budget: o.Limits.Steps}
	made, err := t.Decompose(ctx, p.p, divide, compare)
	if err != nil {
		return nil, refused(err, o.Engine)
	}
	out := &Decomposition{Product: made.Product, Undivided: made.Undivided, Comparison: made.Comparison, Why: made.Why}
	for _, part := range made.Parts {
		out.Parts = append(out.Parts, Part(part))
	}
	return out, nil
}
