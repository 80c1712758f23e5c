// SPDX-License-Identifier: Apache-2.0

package golang

// This file drives the lowering of one component: constructors, methods, their
// parameters and results.

import (
	"context"
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
)

// Options say how to read a component.
type Options struct {
	Dir          string   // working directory; "" is the process's
	Env          []string // of the go command; nil is the process's
	Tags         string   // build tags
	Constructors []string // "zero", names of functions; none: the usual ones
	Methods      []string // none: all exported ones
	Errors       []string // kinds; none: panic
	BlameAny     bool     // errors that are the environment's fault count too
	Wrap         bool     // do not assume that sums do not overflow
	Progress     func(phase string, count int)
}

// Conventions, each listed in the result if it was used.
const (
	conventionLengths     = "lengths: lengths and capacities are below 2^47"
	conventionNoWrap      = "no-wrap: sums of lengths and positions do not overflow 64 bits"
	conventionGoroutines  = "goroutines: goroutines that the component starts do nothing between two calls"
	conventionPointer     = "pointer-error: a function that returns a pointer and an error returns a pointer that is not nil with a nil error"
	conventionIterators   = "iterators: iterator functions call the loop body only while they run, and stop when it says so"
	conventionEnvironment = "environment: code of other packages that is not given an object of the component returns or blocks; it does not panic"
	conventionReceiver    = "receiver: the receiver is not nil"
	conventionFields      = "fields: the client changes the object only through calls"
)

// A Result is a component as an open program.
type Result struct {
	*lower.Whole
	Name        string
	Conventions []string
	Contracts   []string
	Errors      []string
}

const receiverKey = "receiver"

type compiler struct {
	l     *loaded
	o     Options
	w     *lower.World
	named *types.Named
	kinds kinds

	receiver string // its name
	alias    map[string]string
	escaped  map[string]bool
	vague    map[string]bool // places that were given up
	layout   map[types.Type][]leaf
	used     map[string]bool // conventions
	clauses  map[string]bool // contracts

	globals    map[*ssa.Global]*globalUse
	scanned    map[*ssa.Package]bool
	sentinels  map[*ssa.Global]*errorValue
	recovering map[*ssa.Function]bool
	panicking  map[*ssa.Function]bool
	loops      map[*ssa.Function]map[*ssa.BasicBlock]bool
	errorAt    map[string]prog.Pos
	sendTypes  map[string]bool

	// Of the method at hand.
	work    int
	pending []*ssa.Function
	once    bool // the code runs only once: a constructor
	value   *term.Enum
}

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

func (l *loaded) compile(ctx context.Context, s Subject, o Options, k kinds) (*Result, error) {
	named, err := l.named(s)
	if err != nil {
		return nil, err
	}
	c := &compiler{l: l, o: o, w: lower.NewWorld(), named: named, kinds: k,
		alias: map[string]string{}, escaped: map[string]bool{}, vague: map[string]bool{}, used: map[string]bool{}, clauses: map[string]bool{},
		sentinels: map[*ssa.Global]*errorValue{}, recovering: map[*ssa.Function]bool{}, panicking: map[*ssa.Function]bool{}, loops: map[*ssa.Function]map[*ssa.BasicBlock]bool{}}
	return c.compile(ctx, s)
}

func (c *compiler) convention(name string) { c.used[name] = true }

func (c *compiler) compile(ctx context.Context, s Subject) (*Result, error) {
	methods, err := c.methods(s)
	if err != nil {
		return nil, err
	}
	makers, err := c.makers(s)
	if err != nil {
		return nil, err
	}
	c.receiver = receiverName(methods, c.named)
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
		c.layout = nil
		c.errorAt = map[string]prog.Pos{}
		c.value = &term.Enum{Name: "value", Values: []string{"nil", "non-nil"}}
		recv := c.receiverPlace()
		c.w.Hold(recv)
		c.w.RefOf(recv)
		constructors, bodies = nil, nil
		for _, k := range makers {
			constructors = append(constructors, c.constructor(k))
		}
		for _, m := range methods {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			bodies = append(bodies, c.body(m))
		}
		c.w.Settle(slices.Concat(constructors, bodies))
	}
	whole := c.w.Assemble(s.String(), constructors, bodies, c.kinds.wants)
	c.convention(conventionReceiver)
	c.convention(conventionFields)
	return &Result{Whole: whole, Name: s.String(), Conventions: slices.Sorted(maps.Keys(c.used)),
		Contracts: slices.Sorted(maps.Keys(c.clauses)), Errors: c.kinds.names}, nil
}

func (c *compiler) receiverPlace() *lower.Place {
	return c.w.Place(receiverKey, func() *lower.Place { return &lower.Place{Name: c.receiver, Type: c.named} })
}

// methods returns the methods of the alphabet.
func (c *compiler) methods(s Subject) ([]*ssa.Function, error) {
	set := c.l.prog.MethodSets.MethodSet(types.NewPointer(c.named))
	var all []*ssa.Function
	have := map[string]bool{}
	for i := range set.Len() {
		sel := set.At(i)
		if !token.IsExported(sel.Obj().Name()) {
			continue
		}
		have[sel.Obj().Name()] = true
		if len(c.o.Methods) > 0 && !slices.Contains(c.o.Methods, sel.Obj().Name()) {
			continue
		}
		if fn := c.l.prog.MethodValue(sel); fn != nil {
			all = append(all, fn)
		}
	}
	for _, m := range c.o.Methods {
		if !have[m] {
			return nil, fmt.Errorf("%s has no exported method %s", s, m)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no exported methods", s)
	}
	return all, nil
}

func receiverName(methods []*ssa.Function, named *types.Named) string {
	for _, m := range methods {
		if m.Synthetic == "" && len(m.Params) > 0 {
			if n := m.Params[0].Name(); n != "" && n != "_" {
				return n
			}
		}
	}
	return strings.ToLower(named.Obj().Name()[:1])
}

// body lowers a method.
func (c *compiler) body(fn *ssa.Function) *lower.Method {
	c.work, c.pending, c.once = 0, []*ssa.Function{fn}, false
	m := c.w.NewMethod(fn.Name(), c.pos(fn, fn.Pos()))
	f := &frame{c: c, m: m, fn: fn, path: fn.Name()}
	recv := value{typ: types.NewPointer(c.named), at: &address{ref: c.w.RefOf(c.receiverPlace()), elem: c.named}}
	if !isPointer(fn.Params[0].Type()) {
		recv = f.load(fn.Name()+"/receiver", recv.at, fn.Params[0].Type())
	}
	args := append([]value{recv}, f.params(fn, fn.Params[1:])...)
	out := c.call(m, nil, fn.Name(), fn, args, nil)
	if m.Reachable() {
		c.returnSites(f, out)
	}
	f.finish(fn, out)
	return m
}

// params declares the parameters of a method: the client chooses their scalars.
func (f *frame) params(fn *ssa.Function, list []*ssa.Parameter) []value {
	var out []value
	for i, p := range list {
		name := p.Name()
		if name == "" || name == "_" {
			name = fmt.Sprintf("arg%d", i+1)
		}
		out = append(out, f.param(name, p.Type()))
	}
	return out
}

func (f *frame) param(name string, t types.Type) value {
	c, p := f.c, f.c.w.Pool
	v := value{typ: t}
	w := c.w
	nilness := func(l leaf) *term.Term {
		x := f.m.Param(name+l.path, name+l.path, prog.Type{Sort: term.Sort{Kind: term.EnumKind, Enum: c.value}})
		return p.Ite(p.Eq(x.Term, p.EnumValue(c.value, "nil")), w.Nil(), w.Outside())
	}
	leaves := c.leaves(t)
	for i := 0; i < len(leaves); i++ {
		l := leaves[i]
		switch {
		case l.ref && isSlice(l.of):
			ref := nilness(l)
			n := f.lengthParam("len", name+l.path)
			k := f.lengthParam("cap", name+l.path)
			n = p.Ite(p.Eq(ref, w.Nil()), p.Int(64, 0), n)
			k = p.Ite(p.Eq(ref, w.Nil()), p.Int(64, 0), p.Ite(p.SLt(k, n), n, k))
			v.t = append(v.t, ref, n, k)
			i += 2
		case l.ref:
			v.t = append(v.t, f.alias(nilness(l), name+l.path, l))
		case l.nat:
			v.t = append(v.t, f.lengthParam("len", strings.TrimSuffix(name+l.path, lenPath)))
		default:
			x := f.m.Param(name+l.path, name+l.path, l.typ)
			v.t = append(v.t, x.Term)
		}
	}
	if len(leaves) == 0 {
		// Something without scalars still takes a place in the call.
		f.m.Param(name, name, boolType)
	}
	return v
}

// alias lets an argument be an object that the component has given away before.
func (f *frame) alias(ref *term.Term, key string, l leaf) *term.Term {
	places := f.c.escapedAs(l.of)
	if len(places) == 0 {
		return ref
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

// lengthParam is a length that the client chooses: 47 bits, see natural.
func (f *frame) lengthParam(what, name string) *term.Term {
	f.c.convention(conventionLengths)
	x := f.m.Param(what+name, what+"("+name+")", prog.Type{Sort: term.BV(47)})
	return f.c.w.Pool.ZeroExt(17, x.Term)
}

// finish returns the results of a method as the client tells them apart: true
// from false, nil from not nil.
func (f *frame) finish(fn *ssa.Function, out []value) {
	c, p := f.c, f.c.w.Pool
	var ts []*term.Term
	for i, r := range out {
		name := fn.Signature.Results().At(i).Name()
		if name == "" || name == "_" {
			name = fmt.Sprintf("r%d", i)
		}
		leaves := c.leaves(r.typ)
		if len(leaves) != 1 {
			continue
		}
		switch l := leaves[0]; {
		case l.ref:
			f.m.Result(name, name, prog.Type{Sort: term.Sort{Kind: term.EnumKind, Enum: c.value}})
			ts = append(ts, p.Ite(p.Eq(f.ref(r), c.w.Nil()), p.EnumValue(c.value, "nil"), p.EnumValue(c.value, "non-nil")))
		case l.typ.Sort == term.BoolSort:
			f.m.Result(name, name, boolType)
			ts = append(ts, f.terms(r)[0])
		}
	}
	f.m.Return(ts)
}

// A maker is a constructor.
type maker struct {
	name string
	fn   *ssa.Function // nil: the zero value
}

// makers returns the constructors: what the user names, else the functions of
// the package that return the type, and the zero value if there is none or the
// documentation speaks of it.
func (c *compiler) makers(s Subject) ([]maker, error) {
	zero := maker{name: "zero"}
	var all []maker
	for _, fn := range c.l.functions() {
		if token.IsExported(fn.Name()) && fn.Signature.TypeParams().Len() == 0 && c.makes(fn) >= 0 {
			all = append(all, maker{c.l.pkg.Pkg.Name() + "." + fn.Name(), fn})
		}
	}
	if len(c.o.Constructors) > 0 {
		var chosen []maker
		for _, name := range c.o.Constructors {
			if name == "zero" {
				chosen = append(chosen, zero)
				continue
			}
			k := slices.IndexFunc(all, func(m maker) bool {
				return m.name == name || m.fn.Name() == name || strings.HasSuffix(name, "/"+m.name)
			})
			if k < 0 {
				var names []string
				for _, m := range all {
					names = append(names, m.fn.Name())
				}
				return nil, fmt.Errorf("-constructor %s: no exported function of %s returns %s with that name; there are %s", name, s.Package, s.Type, strings.Join(append(names, "zero"), ", "))
			}
			chosen = append(chosen, all[k])
		}
		return chosen, nil
	}
	doc := strings.ToLower(c.l.docOf(c.named.Obj().Name()))
	if len(all) == 0 || strings.Contains(doc, "zero value") || strings.Contains(doc, "zero "+strings.ToLower(c.named.Obj().Name())) {
		all = append(all, zero)
	}
	return all, nil
}

// makes returns which result of a function is the type, or a pointer to it; -1 if
// none is.
func (c *compiler) makes(fn *ssa.Function) int {
	res := fn.Signature.Results()
	for i := range res.Len() {
		t := res.At(i).Type()
		if e := deref(t); e != nil {
			t = e
		}
		if types.Identical(t, c.named) {
			return i
		}
	}
	return -1
}

// constructor lowers a constructor.
func (c *compiler) constructor(k maker) *lower.Method {
	pos := c.pos(nil, token.NoPos)
	if k.fn != nil {
		pos = c.pos(k.fn, k.fn.Pos())
	}
	m := c.w.NewMethod(k.name, pos)
	recv := c.receiverPlace()
	if k.fn == nil {
		m.Return(nil)
		return m
	}
	c.work, c.pending, c.once = 0, []*ssa.Function{k.fn}, true
	f := &frame{c: c, m: m, fn: k.fn, path: k.name}
	out := c.call(m, nil, k.name, k.fn, f.params(k.fn, k.fn.Params), nil)
	if !m.Reachable() {
		return m
	}
	c.returnSites(f, out)
	if !m.Reachable() {
		return m
	}
	for i, r := range out {
		if isErrorType(r.typ) && i != c.makes(k.fn) {
			// The object exists only if there was no error.
			m.Assume(c.w.Pool.Eq(f.ref(r), c.w.Nil()))
		}
	}
	r := out[c.makes(k.fn)]
	to := &address{ref: c.w.RefOf(recv), elem: c.named}
	if !isPointer(r.typ) {
		f.store(to, r)
		m.Return(nil)
		return m
	}
	ref := f.ref(r)
	h := c.w.Holds(ref)
	m.Assume(c.w.Pool.Ne(ref, c.w.Nil()))
	var made []*lower.Place
	for _, p := range h.Places {
		if suits(p, c.named) && !p.Summary {
			made = append(made, p)
		}
	}
	switch {
	case len(made) == 1 && made[0] == recv && !h.Outside:
	case len(made) == 1 && !h.Outside && made[0] != recv && c.alias[made[0].Key] == "":
		c.alias[made[0].Key] = receiverKey
		c.w.Grow()
	default:
		yes, no := m.Branch(c.w.Pool.Eq(ref, c.w.RefOf(recv)))
		m.Continue(no)
		if m.Reachable() {
			c.w.Approximate(pos, "the object that %s returns is not followed", k.name)
			for _, l := range c.leaves(c.named) {
				f.havocCell(recv, l, "unknown object")
			}
		}
		m.Join(m.Here(), yes)
	}
	m.Return(nil)
	return m
}

// sends reports whether the package sends on channels with elements of this type.
func (c *compiler) sends(t types.Type) bool {
	if c.sendTypes == nil {
		c.sendTypes = map[string]bool{}
		note := func(v ssa.Value) {
			if ch, ok := v.Type().Underlying().(*types.Chan); ok {
				c.sendTypes[types.TypeString(ch.Elem(), nil)] = true
			}
		}
		for _, fn := range c.l.functionsOf()[c.l.pkg.Pkg] {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					switch i := i.(type) {
					case *ssa.Send:
						note(i.Chan)
					case *ssa.Select:
						for _, s := range i.States {
							if s.Dir == types.SendOnly {
								note(s.Chan)
							}
						}
					}
				}
			}
		}
	}
	ch, ok := t.Underlying().(*types.Chan)
	return !ok || c.sendTypes[types.TypeString(ch.Elem(), nil)]
}
