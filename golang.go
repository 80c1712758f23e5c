// SPDX-License-Identifier: Apache-2.0

package interlock

// This file synthesizes the interfaces of Go types. A Go type is lowered to a
// series of open programs, each of which keeps more of the code than the one
// before and replaces the rest by choices. What such a program allows is
// allowed, and what always fails in it fails; the first one whose interface says
// nothing else is enough. If none is, what may fail stands only as far as the
// program is complete and nothing unmodelled decides it.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// A GoType says which Go type to synthesize the interface of.
type GoType struct {
	// Name is the type with its package: "bufio.Scanner", "./store.Tx",
	// "cache.LRU[string,int]". With Package it is the import path of a package
	// whose functions share state; with Factories too, the type is that of the
	// object that these make.
	Name    string
	Package bool
	Dir     string   // where the go command runs; "" is the working directory
	Env     []string // environment of the go command; nil is that of the process
	Tags    string   // build tags

	// Constructors are names of functions that return the type, or "zero" for
	// the zero value; none: the exported functions that return it.
	Constructors []string
	// Factories are calls that make the object, as Go statements:
	// "zip.NewWriter(w).Create(name)".
	Factories []string
	// Methods are the calls; none: all exported methods. "zw.Create" is a call on
	// another object of a factory.
	Methods []string
	// Errors are the kinds of errors: "panic", "panic PATTERN", "misuse",
	// "return PATTERN", "return pkg.ErrX", "message TEXT", "block"; none: "misuse".
	Errors []string
	// BlameAny counts errors that are the environment's fault too.
	BlameAny bool
	// Strict makes cells unknown that checks of the run time could affect which are not
	// decided.
	Strict bool
	// Contracts are what is known of functions that are not followed, beyond what
	// is known of the standard library; see doc/contracts.md.
	Contracts []ContractFile
	// Inline are patterns of functions, with their package, that are followed, or
	// not, with "-" before the pattern. The last that matches counts.
	Inline []string
}

// A ContractFile is a text of contracts; its name is used in errors.
type ContractFile struct{ Name, Text string }

// ErrNoModule is wrapped by the error of a package that no module provides which
// the go command knows where it runs.
var ErrNoModule error = golang.ErrNoModule

// depths is the series of programs.
var depths = []golang.Depth{{Sites: 0, Results: 0}, {Sites: 1, Results: 0}, {Sites: 1, Results: 1, Plain: true}, {Sites: 2, Results: 3, Plain: true}, {Sites: 1, Results: 1}, {Sites: 2, Results: 1}, {Sites: 2, Results: 3}, {Sites: 4, Results: 4}, {Sites: -1, Results: -1}, {Sites: -1, Results: golang.Numbers}}

// depthShare is the part of the budget that each program gets: components of code
// are decided soon or not at all.
// codeRefinements and coverRefinements are how often engines try to refine the verdicts
// of one method.
const (
	depthShare       = 128
	wholeShare       = 32
	codeRefinements  = 8
	coverRefinements = 3
	// maxStuck is how many programs may be too much for the engines before only the
	// whole one is left to try, with numbers too if it is complete.
	maxStuck = 3
)

// SynthesizeGo computes the interface of a Go type. Source, Filename, Uses and
// Width of the configuration are not used.
func SynthesizeGo(ctx context.Context, t GoType, c Config) (*typestate.Interface, error) {
	r, err := compileGo(ctx, t, c)
	if err != nil {
		return nil, err
	}
	return synthesizeGo(ctx, t, r, c)
}

func synthesizeGo(ctx context.Context, t GoType, r *golang.Result, c Config) (*typestate.Interface, error) {
	if c.Certificate && len(r.LeftOut()) > 0 {
		return nil, tooLarge(t.Name, golang.ErrTooLarge) // a certificate is of the program as it is
	}
	c.NoWrap, c.Ends, c.Width = true, true, 0
	whole := int64(1)
	if len(r.LeftOut()) > 0 {
		whole = leftOutShare
	}
	c = c.remembering().limited(whole)
	// The checks of the run time are decided first. If some are part of the protocol, it
	// is looked for with them.
	checked, unchecked, err := decideChecks(ctx, r, c.limited(whole*checksShare))
	if err != nil {
		return nil, err
	}
	if checked.i != nil {
		r.Unchecked(checked.i, unchecked)
		r.Need(checked.i)
		r.LeaveOut(checked.i)
		return finishGo(t, r, checked.i)
	}
	best, from, err := settledGo(ctx, r, c)
	if err != nil {
		return nil, err
	}
	var last error
	if !best.sure {
		if best, from, last, err = programsGo(ctx, r, c); err != nil {
			return nil, err
		}
	}
	if from == nil || !best.sure {
		if best, from, err = opaqueGo(ctx, r, c, best, from); err != nil {
			return nil, err
		}
	}
	if from == nil {
		return nil, last
	}
	if !best.sure {
		best.forget()
	}
	r.Unchecked(best.i, unchecked)
	r.Need(best.i)
	r.LeaveOut(best.i)
	return finishGo(t, from, best.i)
}

// programsGo tries the programs of a component one after the other, and returns the best
// answer, if there is one, else why there is none.
func programsGo(ctx context.Context, r *golang.Result, c Config) (best answer, from *golang.Result, last, err error) {
	for q, err := range r.Programs(ctx) {
		if err != nil {
			return answer{}, nil, nil, err
		}
		lowering := c.effort.lowered(q)
		a, err := explicitGo(ctx, q, c)
		if err != nil {
			if !errors.Is(err, ErrUndecided) || ctx.Err() != nil {
				return answer{}, nil, nil, err
			}
			last = err
		} else if from == nil || a.sure || a.better(best) && (from != r || !best.better(a)) {
			best, from = a, q // of equals the one that keeps more
		}
		// The next program takes at least as much to lower.
		if a.sure || c.effort.spent+lowering > c.effort.limit {
			break
		}
	}
	return best, from, last, nil
}

// explicitGo finds the interface for explicit errors, and for what of the checks is not
// known to be the client's fault.
func explicitGo(ctx context.Context, r *golang.Result, c Config) (answer, error) {
	part, left, err := coverGo(ctx, r, c)
	if err != nil {
		return answer{}, err
	}
	if len(part) > 0 {
		a, err := climb(ctx, r, c, depths[:7], explicitSites(part), left)
		if err != nil && !errors.Is(err, ErrUndecided) {
			return answer{}, err
		}
		if err == nil && a.sure {
			return a, nil
		}
		maps.Copy(left, part)
	}
	return climb(ctx, r, c, depths, explicitSites(nil), left)
}

// explicitSites accepts the explicit sites and part of the others.
func explicitSites(part map[int]bool) func(s *golang.Site) bool {
	return func(s *golang.Site) bool { return !s.Implicit || part[s.ID] }
}

func finishGo(t GoType, r *golang.Result, i *typestate.Interface) (*typestate.Interface, error) {
	r.Made(i)
	if t.Strict {
		strict(i)
	}
	if slices.Contains(t.Errors, "block") {
		unreturned(i)
	}
	return i, i.Canonicalize()
}

// strict makes uncovered cells unknown.
func strict(i *typestate.Interface) {
	for _, u := range i.Uncovered {
		if i.Verdict(u.State, u.Call) == typestate.VerdictAllowed {
			i.Unknown = append(i.Unknown, typestate.Unknown{State: u.State, Call: u.Call, Reason: fmt.Sprintf("%q (%s): %s", u.Site.Message, u.Site.At, u.Reason)})
		}
	}
	i.Uncovered = nil
}

// ladder tries programs that keep more and more, and returns the interface of
// the first that decides everything, else of the best.
func ladder(ctx context.Context, r *golang.Result, c Config, depths []golang.Depth, keep func(s *golang.Site) bool, left map[int]bool) (best answer, err error) {
	var last error
	var seen []string
	stuck, complete := 0, false
	for _, d := range depths {
		if c.effort.over() && (best.i != nil || last != nil) {
			break
		}
		if stuck >= maxStuck && (d.Sites >= 0 || d.Results == golang.Numbers && !complete) {
			continue
		}
		c.effort.sliced(r)
		p, err := r.Component(d, keep)
		if err != nil {
			return answer{}, internal(ctx, r.Name, err)
		}
		complete = p.Complete
		text := r.Text(p)
		if slices.Contains(seen, text) && !p.Complete {
			continue
		}
		seen = append(seen, text)
		q := c
		q = q.program(max(1, c.budget()/wholeShare), codeRefinements)
		q.apart = r.Doubtful(p)
		q.plain = r.Plain(p)
		if !p.Complete {
			q.Budget = max(1, c.budget()/depthShare)
		}
		if hasFavoured(p) {
			q.Budget = max(q.Budget, favourBudget)
		}
		i, err := q.synthesize(ctx, text)
		if err != nil {
			if !errors.Is(err, ErrUndecided) || ctx.Err() != nil {
				return answer{}, err
			}
			last = err
			stuck++
			if p.Complete && !p.Numbers {
				break
			}
			continue
		}
		a := answer{i: i, partial: len(i.Unknown) > 0}
		if a.partial {
			stuck++
		}
		if err := confirmFavoured(ctx, r, q, d, p, keep); err != nil {
			return answer{}, err
		}
		a.sure, a.forget = r.Limit(p, i, left)
		i.Component.Lowering = r.Lowering(d, keep)
		if best.i == nil || a.sure || a.better(best) {
			best = a
		}
		if a.sure || p.Complete && !p.Numbers {
			break
		}
	}
	if best.i == nil {
		return answer{}, last
	}
	return best, nil
}

// An answer is the interface of a program. If it is not sure of everything, forget
// leaves only what it is sure of.
type answer struct {
	i       *typestate.Interface
	partial bool // the engine left cells undecided
	sure    bool
	forget  func()
}

// internal is the error for a program that should not have been made, or that was
// not made because the context ended.
func internal(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: internal error: %w", name, err)
}

// coverDepths, coverBudget and coverEdges bound what is done for one implicit
// site: the programs, the steps for each, and their size.
var coverDepths = []golang.Depth{{Sites: 0}, {Sites: 1}}

const (
	coverBudget = 1 << 12
	coverEdges  = 300
	coverSites  = 60 // that are looked at in a component
)

// coverGo sorts the implicit sites that simple means did not decide: those that
// are part of the protocol because one alone decides all its cells, and those that
// are left out. The others never err.
func coverGo(ctx context.Context, r *golang.Result, c Config) (part, left map[int]bool, err error) {
	n := 0
	own := c.limited(coverShare)
	part, left, err = coverSome(ctx, r, own, &n, nil)
	c.effort.add(own.effort.spent)
	return part, left, err
}

// coverSome is coverGo without some sites; n counts those that were looked at.
func coverSome(ctx context.Context, r *golang.Result, c Config, n *int, but map[int]bool) (part, left map[int]bool, err error) {
	part, left = map[int]bool{}, map[int]bool{}
	sites := r.Sites()
	for _, method := range slices.Sorted(maps.Keys(sites)) {
		for _, s := range sites[method] {
			if !s.Implicit || but[s.ID] {
				continue
			}
			if *n++; *n > coverSites || c.effort.over() {
				left[s.ID] = true
				continue
			}
			if c.Progress != nil {
				c.Progress("checks of the run time", *n)
			}
			v, err := cover(ctx, r, c, s)
			if err != nil {
				return nil, nil, err
			}
			switch {
			case v == decided && s.Why == "":
				part[s.ID] = true
			case v != never:
				left[s.ID] = true
			}
		}
	}
	return part, left, nil
}

// A coverage is what is known of one implicit site.
type coverage int

const (
	undecidedSite coverage = iota
	never                  // no run reaches it
	decided                // each cell that it affects fails or is allowed
)

func cover(ctx context.Context, r *golang.Result, c Config, site *golang.Site) (coverage, error) {
	var before string
	for _, d := range coverDepths {
		c.effort.sliced(r)
		p, err := r.Component(d, func(s *golang.Site) bool { return s.ID == site.ID })
		if err != nil {
			return undecidedSite, internal(ctx, r.Name, err)
		}
		edges := 0
		sites := false
		for _, m := range slices.Concat(p.Program.Constructors, p.Program.Methods) {
			edges += len(m.Edges)
			sites = sites || len(m.Errors) > 0
		}
		if !sites {
			return never, nil
		}
		text := r.Text(p)
		if text == before {
			continue
		}
		if edges > coverEdges {
			return undecidedSite, nil
		}
		before = text
		q := c
		q.Engine, q.Tight, q.Serial, q.Certificate = "", false, false, false
		q = q.program(coverBudget, coverRefinements)
		i, err := q.synthesize(ctx, text)
		if err != nil {
			if !errors.Is(err, ErrUndecided) || ctx.Err() != nil {
				return undecidedSite, err
			}
			return undecidedSite, nil
		}
		if i.Guarantees.Safe != "proved" {
			continue
		}
		if doubts(i) == 0 && !slices.ContainsFunc(i.Constructors, func(k typestate.Constructor) bool { return k.Verdict != "allowed" && k.Verdict != "fails" }) {
			if len(i.Forbidden) == 0 && !slices.ContainsFunc(i.Constructors, func(k typestate.Constructor) bool { return k.Verdict != "allowed" }) {
				return never, nil
			}
			return decided, nil
		}
	}
	return undecidedSite, nil
}

// cells counts the cells of an interface.
func cells(i *typestate.Interface) int { return max(1, len(i.States)*len(i.Calls)) }

// doubts counts the cells that are not decided. After a constructor that is not
// decided there are no cells at all, so it counts for more than all of a state.
func doubts(i *typestate.Interface) int {
	n := len(i.Unknown)
	for _, k := range i.Constructors {
		if k.Verdict == "may-fail" || k.Verdict == "unknown" {
			n += 1 + len(i.Calls)
		}
	}
	for _, f := range i.Forbidden {
		if f.Verdict == "may-fail" {
			n++
		}
	}
	return n
}

// program is the configuration for one of the programs of a type, with a budget of its own.
func (c Config) program(budget, refinements int) Config {
	c.Budget, c.refinements, c.conflicts, c.lowered = budget, refinements, codeConflicts, true
	return c
}

func (c Config) budget() int {
	if c.Budget == 0 {
		return DefaultBudget
	}
	return c.Budget
}

// ProgramOfGo returns the open program of a Go type in the text form, with
// nothing left out that an error can depend on.
func ProgramOfGo(ctx context.Context, t GoType, c Config) ([]byte, error) {
	r, err := compileGo(ctx, t, c)
	if err != nil {
		return nil, err
	}
	p, err := r.Component(golang.Depth{Sites: -1, Results: -1}, func(s *golang.Site) bool { return !s.Implicit })
	if err != nil {
		return nil, internal(ctx, t.Name, err)
	}
	var b bytes.Buffer
	if err := prog.Print(&b, p.Program, prog.PrintOptions{}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func compileGo(ctx context.Context, t GoType, c Config) (*golang.Result, error) {
	s := golang.Subject{Package: t.Name}
	if !t.Package {
		var err error
		if s, err = golang.ParseSubject(t.Name); err != nil {
			return nil, err
		}
	}
	r, err := golang.Compile(ctx, s, t.options(c))
	return r, tooLarge(t.Name, err)
}

// tooLarge makes an answer of the error that code is too large: undecided.
func tooLarge(name string, err error) error {
	if errors.Is(err, golang.ErrTooLarge) {
		return undecided{fmt.Errorf("%s: %w", name, err)}
	}
	return err
}

// options are those of the front end.
func (t GoType) options(c Config) golang.Options {
	var files []golang.ContractFile
	for _, f := range t.Contracts {
		files = append(files, golang.ContractFile(f))
	}
	errors := t.Errors
	if len(errors) == 0 {
		errors = []string{"misuse"}
	}
	return golang.Options{Contracts: files, Inline: t.Inline, Dir: t.Dir, Env: t.Env, Tags: t.Tags, Constructors: t.Constructors, Factories: t.Factories, Methods: t.Methods,
		Errors: errors, BlameAny: t.BlameAny, Progress: c.Progress}
}
