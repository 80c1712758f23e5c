// SPDX-License-Identifier: Apache-2.0

package golang

// This file drives the lowering of one component: constructors, methods, their
// parameters and results.

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
	"github.com/interlock-go/interlock/typestate"
)

// Options say how to read a component.
type Options struct {
	Dir          string   // working directory; "" is the process's
	Env          []string // of the go command; nil is the process's
	Tags         string   // build tags
	Constructors []string // "zero", names of functions; none: the usual ones
	Factories    []string // calls that make the object; see maker.go
	Methods      []string // see alphabet.go; none: all exported ones
	Errors       []string // kinds; none: panic
	BlameAny     bool     // errors that are the environment's fault count too
	Wrap         bool     // do not assume that sums do not overflow
	Contracts    []ContractFile
	Inline       []string // patterns of functions to follow, or not: "-PATTERN"
	Progress     func(phase string, count int)
	Text         *Text // the package, if it is not one of the go command

	everything bool   // nothing is left out before lowering; for tests
	noChains   bool   // no calls on other objects make the component
	without    bool   // methods are left out already; see leftout.go
	level      *level // only what is relevant up to the level is followed
	// opaque: calls with these names, if it is their arguments alone that decide, are not
	// followed to their errors; see opaque.go.
	opaque func(name string) bool
	found  map[*ssa.Function]*opaqueCall
	// allOpaque: there is no program unless all of these calls are.
	allOpaque bool
	// bare: nothing of these calls is followed but that.
	bare bool
}

// Conventions, each listed in the result if it was used.
const (
	conventionLengths     = "lengths: lengths and capacities are below 2^47"
	conventionNoWrap      = "no-wrap: sums of lengths and positions do not overflow 64 bits"
	conventionGoroutines  = "goroutines: code that goroutines of the component run and that cannot be followed leaves the component alone"
	conventionPointer     = "pointer-error: a function that returns a pointer, or an interface, and an error returns one that is not nil with a nil error"
	conventionIterators   = "iterators: iterator functions call the loop body only while they run, and stop when it says so"
	conventionEnvironment = "environment: code of other packages that is not given an object of the component returns or blocks; it does not panic"
	conventionReceiver    = "receiver: the receiver is not nil"
	conventionLoops       = "loops: loops end in which something changes, and calls of other packages return"
	conventionFields      = "fields: the client changes the object only through calls"
	conventionConstructor = "constructor: a constructor that makes an object returns that one, not one that existed before"
	conventionItself      = "itself: an argument of an interface type, or what other code returns as one, is not the component itself"
	conventionLayers      = "layers: an object of another package is not built on itself, as a writer would be that writes to itself"
	conventionErrors      = "errors: other code returns the component's own errors that are under study only where it was given them, or what it returns is compared"
	conventionBoxes       = "boxes: interfaces that clients and code of other packages hand over hold no nil pointers"
	conventionWhole       = "whole: objects that clients and other code hand over, of other packages or of the component's, were made by functions of those packages, with arguments that are not nil"
	conventionHanded      = "handed: function literals that the component gives to other packages are not called with nil, unless with an error"
	conventionReflection  = "reflection: what package reflect reads through unsafe pointers is there"
	conventionMade        = "made: constructors return where it depends on what is not modelled whether they panic"
	conventionPackage     = "package: nothing but the calls of the alphabet changes the variables of the package after its initialization"
)

// A Result is a component as an open program.
type Result struct {
	*lower.Whole // with the explicit errors

	// coarser are programs of the same component that follow less of its code. What they
	// are sure of is true; the first that is sure of everything is enough.
	coarser *coarser

	source      *source   // nil if it is not to be lowered once more
	checker     *checker  // of the checks of the run time; nil if they are not asked for
	selected    selection // the checks that it is of
	with        []string  // which checks are in it besides the explicit errors
	level       int       // of a coarse program, from 1
	opaque      []string  // calls that are; see opaque.go
	leftOut     []string  // methods that are too large; see leftout.go
	less        bool      // less was inlined than there is
	panics      int       // that are written in the component's code
	rel         *relevance
	partial     bool // something was left out before lowering that may change what may fail
	Name        string
	Conventions []string
	Contracts   []string
	Errors      []string

	foreign map[string]string   // methods that may return an error under study all the same, and why
	beside  map[string]prog.Pos // constructors that start goroutines which may panic, and where
	made    map[string]made     // by constructor
	// returned says what the results of a call are in the code, by call and result of the program.
	returned map[string]map[string]typestate.Register
}

const receiverKey = "receiver"

type compiler struct {
	l         *loaded
	o         Options
	w         *lower.World
	named     *types.Named
	kinds     kinds
	reach     *reach
	contained *containment    // of package variables; nil: not known yet
	inside    []*ssa.Function // recursive functions that are gone into for their errors; see recursion.go
	// pointees are the types that references of a type may point to.
	pointees map[types.Type][]types.Type
	// holdings and errorTypes are what was asked before; see weak.go.
	holdings   map[holding]bool
	errorTypes map[types.Type]bool
	solid      map[resultAt]bool       // results that are never nil; see solid.go
	empty      map[*ssa.Parameter]bool // parameters that are left out; see dead.go
	unset      map[*types.Var]bool     // fields that nothing sets; see unset.go
	rel        *relevance              // nil: everything is lowered

	// Checks of the run time that cannot fail, those that the program is of, and
	// these by method; see checks_slice.go.
	certain  map[ssa.Instruction]bool
	blamed   map[ssa.Instruction]bool // those of them that are the environment's fault
	facts    *prover                  // of the code; nil: it is not asked
	checking map[ssa.Instruction]bool
	selected selection
	alone    bool         // there are no explicit errors in the program
	earlier  []*relevance // of the programs that there are
	ops      []operation
	from     calls
	readers  map[*ssa.Function]bool // foreign code that writes nothing
	fixedOf  [2]*fixedState
	shared   *reach // of another program of the same code
	sites    bool   // the component starts where code allocates it

	contracts  *contracts
	intrinsics map[string]intrinsic

	receiver    string // its name
	others      []qualifier
	alias       map[string]string
	isPart      bool                   // the component may be a part of another object (parts.go)
	numbered    []number               // addresses that code asks for as numbers
	either      map[*ssa.Function]bool // see isEither
	packageUses map[*ssa.Package]*packageUse
	frozen      map[*types.Named]bool
	deep        map[*ssa.Global]*contents // see isDeep
	// opaque are the calls of which only their arguments decide whether they err; settled:
	// the one at hand is such a call.
	opaque      map[*ssa.Function]*opaqueCall
	opaqueNames []string
	// builderCopies is whether code copies a strings.Builder, once that is known.
	builderCopies *bool
	sentOn        map[location]bool // where code sends
	sentAs        [2][]types.Type   // types of what is sent, and of what is sent it is not known where
	recoversAny   *bool             // some code recovers
	freeLocks     map[location]bool // whether mutexes are free between calls
	settled       bool
	// Of arguments_results.go.
	computed   map[*ssa.Function]bool
	plainFlows map[plainKey]*argumentFlow
	wantedAll  map[ssa.Value]bool
	// variables are the places of variables that are no structs, by key.
	variables map[string]*ssa.Alloc
	escaped   map[string]bool
	given     map[givenAt]bool           // see grown.go
	grows     map[string]string          // places with fields that others add to, and their names
	aged      map[agedAt]map[string]bool // places that older objects hold; see older.go
	theirs    theirs
	away      escaped
	sharing   sharing
	told      map[ssa.Value]bool // values that are chosen where they are made; see isTold
	metCalls  map[*ssa.Call]bool // that were lowered; see unmet.go
	unmet     bool               // errors under study are made by code that is not lowered
	compared  map[string]bool    // errors of package variables that code compares with
	vague     map[string]bool    // places that were given up
	interned  []string           // constants that texts are compared with; see interned.go
	textEnum  *term.Enum         // of the pass; nil: texts are not told apart
	// Of objects that the client gives to constructors; see entrusted.go.
	common    map[string]bool       // places that may also be behind package variables
	addresses map[types.Object]bool // whether addresses of objects of a type are compared
	layout    map[types.Type][]leaf
	distant   map[types.Type][]distant // see beyond.go
	inAny     struct {
		of    *relevance
		types map[int]bool // whose values are put into variables of type any
	}
	paths   map[types.Type]map[string]leaf // of layout
	used    map[string]bool                // conventions
	clauses map[string]bool                // contracts
	// Of goroutines (goroutines_lower.go): the starts that state variables tell, these variables, which functions of other
	// packages start some, and where channels are made, by the keys of their places.
	counted      map[*start]bool
	runningVars  map[*start]*prog.Var
	starting     map[*ssa.Function]*startedCode
	channelsMade map[string]*ssa.MakeChan
	// goroutines is set if the component starts some; handed are channels that
	// the client got.
	goroutines bool
	handed     map[string]bool

	globals    map[*ssa.Global]*globalUse
	scanned    map[*ssa.Package]bool
	first      map[*ssa.Function]bool // may run before the first call of a client
	sentinels  map[*ssa.Global]*errorValue
	recovering map[*ssa.Function]bool
	buffered   map[string]bool // keys of places of channels that may have a buffer
	panicking  map[*ssa.Function]bool
	loops      map[*ssa.Function]map[*ssa.BasicBlock]bool
	errorAt    map[string]prog.Pos
	chans      map[*types.Package]*chanClasses
	detours    map[*ssa.BasicBlock]*ssa.BasicBlock
	posts      map[*ssa.Function][]int // postdominators
	leaving    map[*ssa.Function]loopTests
	texts      map[string][][]part

	// Of the pass at hand: which questions for returned errors some value
	// answers, and which methods may return errors of which nothing is known.
	answered, foreign map[string]bool
	unmade            map[*types.Named]bool  // types of other packages of which the component's makes none
	answers           map[string]bool        // calls that are the environment's, by their keys
	cut               map[*ssa.Function]bool // functions of other packages whose calls are the environment's, though their code is there
	setElsewhere      map[*types.Var]bool    // see isSetElsewhere; nil: not looked yet
	strays            map[*ssa.Function]bool // they make errors of pointers that come from where values are not followed
	strayed           bool                   // one of these errors may be kept
	untold            map[string]bool        // methods that return errors of the component's package of which it is not known what they say
	guessed           map[string]string      // methods that wrap errors of which nothing is known, and what these may be

	// Of the method at hand.
	work    int
	maxWork int
	// stateful says of functions of other packages whether they use variables that change.
	stateful map[*ssa.Function]bool
	// forC says of functions whether they give addresses of parameters away as numbers.
	forC    map[*ssa.Function]bool
	pending []*ssa.Function
	once    bool           // the code runs only once: a constructor
	sizes   map[string]int // edges of the methods, if these are only counted; see leftout.go
	// chaining: it is a call on another object that leads to the component; chains:
	// there are such calls.
	chaining, chains bool
	value            *term.Enum
	number           *term.Enum
	resultsOf        map[string]map[string]typestate.Register // see Result.returned
}

// The classes of integers that outcomes tell apart.
const (
	zeroClass  = "0"
	otherClass = "!= 0"
)

// Compile lowers a type.
func Compile(ctx context.Context, s Subject, o Options) (*Result, error) {
	k, err := parseKinds(o.Errors)
	if err != nil {
		return nil, err
	}
	if o.Progress != nil {
		o.Progress("loading "+s.Package, 0)
	}
	l, err := load(ctx, s, o)
	if err != nil {
		return nil, err
	}
	return l.compile(ctx, s, o, k)
}

// Limits of lowering, in edges. A component that is beyond them is lowered with less
// inlining: one of the shares of maxWork after the other. The checks of the run time
// have limits of their own.
const (
	maxPassEdges = 4_000
	maxAllEdges  = 40_000
)

var workShares = []int{1, 4, 16, 80}

// compile lowers a type together with the packages that make errors which are asked for, or without them if that
// is too large.
func (l *loaded) compile(ctx context.Context, s Subject, o Options, k kinds) (*Result, error) {
	k = l.withVariables(k)
	if all := l.join(k); all != l {
		if made, err := all.compileOwn(ctx, s, o, k); !errors.Is(err, lower.ErrTooLarge) {
			return made, err
		}
	}
	return l.compileOwn(ctx, s, o, k)
}

// compileOwn lowers a type with what explicit errors depend on, and then with what the checks
// of the run time depend on; see checks_part.go.
func (l *loaded) compileOwn(ctx context.Context, s Subject, o Options, k kinds) (*Result, error) {
	known, err := readContracts(l.prog, o.Contracts)
	if err != nil {
		return nil, err
	}
	// What waits depends on nearly everything, too.
	whole := o.everything || k.block
	pass, all := maxPassEdges, maxAllEdges
	if o.everything {
		pass, all = 0, 0
	}
	o.everything = whole
	var made *Result
	reached := 0 // functions
	try := func() (chain bool) {
		for n, share := range workShares {
			if (o.without || reached > maxReached) && n > 0 && n < len(workShares)-1 {
				continue // what takes long took so before
			}
			c := l.compiler(o, k, known)
			c.maxWork = maxWork / share
			c.w.Limit(pass, all)
			made, err = c.lower(ctx, s)
			if c.reach != nil {
				reached = len(c.reach.fns)
			}
			if !errors.Is(err, lower.ErrTooLarge) {
				if made != nil {
					made.less = share > 1
				}
				return false
			}
			chain = c.chains
		}
		return chain
	}
	chain := try()
	if made != nil && !o.everything {
		made.coarser = &coarser{l: l, s: s, o: o, k: k, known: known, last: !made.less}
	}
	if errors.Is(err, lower.ErrTooLarge) && !o.everything {
		levels := &coarser{l: l, s: s, o: o, k: k, known: known}
		first, wrong := levels.at(ctx, 0)
		if first == nil && wrong == nil && chain {
			// What leads to the object is too large: it starts where it is allocated.
			o.noChains = true
			levels = &coarser{l: l, s: s, o: o, k: k, known: known}
			if first, wrong = levels.at(ctx, 0); first == nil && wrong == nil {
				try()
			}
		}
		if wrong != nil {
			return nil, wrong
		}
		if first != nil {
			if made == nil {
				made, err = first, nil
			}
			made.coarser = levels
		}
	}
	var from *source
	if (made == nil || errors.Is(err, lower.ErrTooLarge)) && !o.everything {
		// What only arguments decide need not be followed.
		from = &source{l: l, s: s, o: o, k: k, known: known}
		q, wrong := from.opaque(ctx, func(string) bool { return true }, false)
		if wrong != nil {
			return nil, wrong
		}
		if q != nil {
			made, err = q, nil
		}
	}
	if errors.Is(err, lower.ErrTooLarge) || made == nil && err == nil {
		if q, wrong := from.bare(ctx); q != nil || wrong != nil {
			made, err = q, wrong
		}
	}
	if (errors.Is(err, lower.ErrTooLarge) || made == nil && err == nil) && from != nil && !o.without && reached <= maxReached {
		if q, wrong := l.without(ctx, s, o, k, known, from.found); q != nil || wrong != nil {
			return q, wrong
		}
	}
	if err != nil {
		return nil, err
	}
	if made == nil {
		return nil, fmt.Errorf("%s: %w", s, lower.ErrTooLarge)
	}
	if !whole {
		if made.source = from; from == nil {
			made.source = &source{l: l, s: s, o: o, k: k, known: known}
		}
	}
	if whole || !k.checks() {
		return made, nil
	}
	if made.checker, err = l.newChecker(s, o, k, known, made); err != nil {
		return nil, err
	}
	if err := made.checker.coverAll(ctx); err != nil {
		return nil, err
	}
	for _, part := range made.checker.parts {
		made.assume(part)
	}
	made.Conventions = union(made.Conventions, slices.Collect(maps.Keys(made.checker.used)))
	made.Contracts = union(made.Contracts, slices.Collect(maps.Keys(made.checker.clauses)))
	return made, nil
}

func (l *loaded) compiler(o Options, k kinds, known *contracts) *compiler {
	return &compiler{l: l, o: o, holdings: map[holding]bool{}, errorTypes: map[types.Type]bool{}, intrinsics: newIntrinsics(), w: lower.NewWorld(), kinds: k, contracts: known,
		alias: map[string]string{}, variables: map[string]*ssa.Alloc{}, either: map[*ssa.Function]bool{}, escaped: map[string]bool{}, given: map[givenAt]bool{}, grows: map[string]string{}, aged: map[agedAt]map[string]bool{}, theirs: newTheirs(), compared: map[string]bool{}, told: map[ssa.Value]bool{}, solid: map[resultAt]bool{}, vague: map[string]bool{}, common: map[string]bool{}, addresses: map[types.Object]bool{}, used: map[string]bool{}, clauses: map[string]bool{},
		sentinels: map[*ssa.Global]*errorValue{}, recovering: map[*ssa.Function]bool{}, buffered: map[string]bool{}, panicking: map[*ssa.Function]bool{},
		loops: map[*ssa.Function]map[*ssa.BasicBlock]bool{}, handed: map[string]bool{}, detours: map[*ssa.BasicBlock]*ssa.BasicBlock{}, posts: map[*ssa.Function][]int{}}
}

func (c *compiler) lower(ctx context.Context, s Subject) (made *Result, err error) {
	defer lower.Stopped(&err)
	c.w.Stoppable(ctx)
	if err := c.subject(&s); err != nil {
		return nil, err
	}
	return c.compile(ctx, s)
}

// subject finds the type.
func (c *compiler) subject(s *Subject) (err error) {
	if s.Type == "" && len(c.o.Factories) > 0 {
		if s.Type, err = c.typeOf(c.o.Factories[0]); err != nil {
			return fmt.Errorf("-factory %q: %w", c.o.Factories[0], err)
		}
	}
	if s.Type != "" {
		c.named, err = c.l.named(*s)
	}
	return err
}

func (c *compiler) convention(name string) { c.used[name] = true }

func (c *compiler) compile(ctx context.Context, s Subject) (*Result, error) {
	makers, err := c.makers(s)
	if err != nil {
		return nil, err
	}
	methods, err := c.alphabet(s, makers)
	if err != nil {
		return nil, err
	}
	c.receiver = receiverName(methods, c.named)
	from := c.callsOf(methods, makers)
	c.from = from
	c.sites = slices.ContainsFunc(makers, func(m maker) bool { return m.site != nil })
	if c.reach = c.shared; c.reach == nil {
		c.reach = c.reaches(from, makers)
	} else {
		c.leaveOut(c.reach, from, makers)
		c.unset = c.reach.unset
	}
	c.refute(from, makers)
	if !c.o.everything && !c.alone && c.o.opaque != nil {
		c.findOpaque(methods, makers)
		if len(c.opaque) == 0 {
			return nil, errNotOpaque
		}
	}
	if !c.o.everything {
		if c.alone {
			c.rel = newCheckSlice(c, from)
		} else if c.o.level != nil {
			c.rel = newCoarse(c, from, *c.o.level)
			c.w.KeepTests = true
			if slices.ContainsFunc(c.earlier, c.rel.same) {
				return nil, errSame
			}
		} else {
			c.rel = newRelevance(c, from)
		}
	}
	c.goroutines = len(c.reach.starts) > 0
	c.prepareStarts(from)
	c.findTexts()
	var constructors, bodies []*lower.Method
	for {
		again, err := c.w.Pass(c.vague)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s, err)
		}
		if !again {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.layout, c.paths = nil, nil
		c.runningVars = map[*start]*prog.Var{}
		c.errorAt = map[string]prog.Pos{}
		c.metCalls = map[*ssa.Call]bool{}
		c.resultsOf = map[string]map[string]typestate.Register{}
		c.answers = map[string]bool{}
		c.strays, c.strayed = map[*ssa.Function]bool{}, false
		c.answered, c.foreign, c.untold, c.guessed, c.cut = map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]string{}, map[*ssa.Function]bool{}
		c.value = &term.Enum{Name: "value", Values: []string{"nil", "non-nil"}}
		c.newTexts()
		c.number = &term.Enum{Name: "number", Values: []string{zeroClass, otherClass}}
		if c.named != nil {
			recv := c.receiverPlace()
			c.w.Hold(recv)
			c.w.RefOf(recv)
			c.exposeLeaves(c.named, true)
		}
		c.register()
		constructors, bodies = nil, nil
		for i := range makers {
			constructors = append(constructors, c.constructor(&makers[i]))
		}
		for i := range methods {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if c.sizes != nil {
				if err := c.measure(&methods[i]); err != nil {
					return nil, err
				}
				continue
			}
			bodies = append(bodies, c.body(&methods[i]))
		}
		if c.sizes != nil {
			return nil, errMeasured
		}
		c.w.Settle(slices.Concat(constructors, bodies))
		c.unmetErrors()
		if c.o.Progress != nil {
			c.o.Progress("lowering", c.w.Edges())
		}
	}
	s.Package = c.l.pkg.Pkg.Path() // not "./store", which depends on where one is
	if c.kinds.block {
		c.endless(slices.Concat(constructors, bodies))
	}
	whole := c.w.Assemble(s.String(), constructors, bodies, c.kinds.wants)
	c.unsureWaits(whole)
	c.unsureMakers(whole, makers)
	if c.named != nil {
		c.convention(conventionReceiver)
		c.convention(conventionFields)
	} else {
		c.convention(conventionPackage)
	}
	return &Result{Whole: whole, panics: c.reach.ownPanics(), partial: c.rel != nil && (c.rel.partial || len(c.opaque) > 0), rel: c.rel, opaque: slices.Sorted(slices.Values(c.opaqueNames)), Name: s.String(), Conventions: slices.Sorted(maps.Keys(c.used)),
		Contracts: slices.Sorted(maps.Keys(c.clauses)), Errors: c.kinds.names, foreign: c.unanswered(methods, from), beside: c.makersBeside(makers), made: c.codeOf(makers), returned: c.resultsOf}, nil
}

func (c *compiler) receiverPlace() *lower.Place {
	return c.w.Place(receiverKey, func() *lower.Place { return &lower.Place{Name: c.receiver, Type: c.named} })
}

// params declares the parameters of a method: the client chooses their scalars.
func (f *frame) params(fn *ssa.Function, list []*ssa.Parameter) []value {
	var out []value
	for i, p := range list {
		name := p.Name()
		if name == "" || name == "_" {
			name = fmt.Sprintf("arg%d", i+1)
		}
		f.idle = f.c.rel != nil && !f.c.rel.values[p]
		out = append(out, f.param(name, p.Type()))
		f.idle = false
	}
	return out
}

func (f *frame) param(name string, t types.Type) value {
	leaves := f.c.leaves(t)
	f.c.exposeLeaves(t, false)
	v := value{typ: t, given: lower.From{}, t: f.scalars(name, leaves)}
	if len(leaves) == 0 {
		// Something without scalars still takes a place in the call.
		f.m.Param(name, name, boolType)
	}
	return v
}

// scalars declares parameters for scalars.
func (f *frame) scalars(name string, leaves []leaf) []*term.Term {
	c, p := f.c, f.c.w.Pool
	var ts []*term.Term
	w := c.w
	nilness := func(l leaf) *term.Term {
		x := f.m.Param(name+l.path, name+l.path, prog.Type{Sort: term.Sort{Kind: term.EnumKind, Enum: c.value}})
		return p.Ite(p.Eq(x.Term, p.EnumValue(c.value, "nil")), w.Nil(), w.Outside())
	}
	for i := 0; i < len(leaves); i++ {
		l := leaves[i]
		switch {
		case l.ref && isSlice(l.of):
			ref := nilness(l)
			n := f.lengthParam("len", name+l.path)
			k := f.lengthParam("cap", name+l.path)
			n = p.Ite(p.Eq(ref, w.Nil()), p.Int(64, 0), n)
			k = p.Ite(p.Eq(ref, w.Nil()), p.Int(64, 0), p.Ite(p.SLt(k, n), n, k))
			// Both have names: what is found out about them is said once.
			size := f.m.Local("length of "+name+l.path, "n", intType)
			room := f.m.Local("capacity of "+name+l.path, "n", intType)
			f.m.Assign([]*prog.Var{size, room}, []*term.Term{n, k})
			ts = append(ts, ref, size.Term, room.Term)
			i += 2
		case l.ref:
			ref := nilness(l)
			x := f.m.M.Params[len(f.m.M.Params)-1]
			isNil := p.Eq(x.Term, p.EnumValue(c.value, "nil"))
			if token.IsIdentifier(x.Name) {
				f.m.MayBeNil(x, isNil)
			}
			if q := f.entrust(l); q != nil {
				f.entrustAll(name+l.path, q)
				ts = append(ts, p.Ite(isNil, w.Nil(), w.RefOf(q)))
				continue
			}
			ts = append(ts, f.alias(ref, name+l.path, l))
		case l.nat:
			ts = append(ts, f.lengthParam("len", strings.TrimSuffix(name+l.path, lenPath)))
		case isTextPath(l.path):
			ts = append(ts, f.textParam(strings.TrimSuffix(name+l.path, textPath), ts[len(ts)-1]))
		default:
			ts = append(ts, f.m.Param(name+l.path, name+l.path, l.typ).Term)
		}
	}
	return ts
}

// alias lets an argument be an object that the client has from the component.
func (f *frame) alias(ref *term.Term, key string, l leaf) *term.Term {
	if f.idle || f.c.once && f.entrusted == nil {
		return ref // before a constructor there are no objects of the component
	}
	places := f.c.argumentsAs(l.of)
	switch {
	case f.c.once:
		places = f.c.before(places)
	case f.c.isCoarse():
		places = f.c.notItself(f.anywhere(l.of), l.of)
	}
	if len(places) == 0 {
		return ref
	}
	for _, q := range places {
		if !q.Const && !q.IsState() {
			f.c.w.Hold(q.Root()) // it was made by an earlier call
		}
	}
	v := f.m.Local("alias "+key, "alias", f.c.refType())
	f.m.AnyRef(v, lower.Unmodelled, lower.Holds{Outside: true, Places: places})
	p := f.c.w.Pool
	return p.Ite(p.Eq(ref, f.c.w.Nil()), ref, v.Term)
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// lengthParam is a length that the client chooses: of few bits, see natural.
func (f *frame) lengthParam(what, name string) *term.Term {
	bits := f.c.o.lengthBits()
	if bits == lengthBits {
		f.c.convention(conventionLengths)
	}
	x := f.m.Param(what+name, what+"("+name+")", prog.Type{Sort: term.BV(bits)})
	return f.c.w.Pool.ZeroExt(64-bits, x.Term)
}

// finish returns the results of a method as the client tells them apart: true
// from false, nil from not nil, zero from other integers and lengths. The integers
// themselves are results too: the slicer chooses, and drops what says nothing about
// errors.
func (f *frame) finish(sig *types.Signature, out []value) {
	c, p := f.c, f.c.w.Pool
	for _, r := range out {
		f.handOver(r)
	}
	var ts []*term.Term
	number := func(name string, typ prog.Type, t *term.Term) {
		full := f.m.Result(name, name, typ)
		if typ.Sort.Width < 64 {
			// Bytes and runes are content: that they are zero says nothing.
			f.m.Optional(full, full)
			ts = append(ts, t)
			return
		}
		class := f.m.Result(name+" class", name+"·class", prog.Type{Sort: term.Sort{Kind: term.EnumKind, Enum: c.number}})
		f.m.Optional(full, class)
		ts = append(ts, t, p.Ite(p.Eq(t, p.Int(t.Sort().Width, 0)), p.EnumValue(c.number, zeroClass), p.EnumValue(c.number, otherClass)))
	}
	for i, r := range out {
		name := sig.Results().At(i).Name()
		if name == "" || name == "_" {
			name = fmt.Sprintf("r%d", i)
		}
		c.says(f.m.M.Name, name, sig.Results().At(i))
		leaves := c.leaves(r.typ)
		if isSlice(r.typ) && len(leaves) == 3 {
			number("len("+name+")", intType, f.terms(r)[1])
			continue
		}
		if len(leaves) != 1 && !isText(r.typ) {
			continue
		}
		switch l := leaves[0]; {
		case l.nat:
			number("len("+name+")", intType, f.terms(r)[0])
		case l.typ.Sort.Kind == term.BitVecKind:
			number(name, l.typ, f.terms(r)[0])
		case l.ref:
			f.hand(r)
			f.m.Result(name, name, prog.Type{Sort: term.Sort{Kind: term.EnumKind, Enum: c.value}})
			ts = append(ts, p.Ite(p.Eq(f.ref(r), c.w.Nil()), p.EnumValue(c.value, "nil"), p.EnumValue(c.value, "non-nil")))
		case l.typ.Sort == term.BoolSort:
			f.m.Result(name, name, boolType)
			ts = append(ts, f.terms(r)[0])
		}
	}
	f.m.Return(ts)
}
