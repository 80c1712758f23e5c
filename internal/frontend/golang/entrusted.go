// SPDX-License-Identifier: Apache-2.0

package golang

// This file has the objects that the client gives to a constructor by pointer: the
// configuration of a component, what that leads to. Such an object is one of the universe,
// as if the constructor began by making it of parameters, one for each scalar that
// matters (`config.Limit`), and gave it back to the client: component and code that is
// given the object may change it, and every reference of its type from somewhere unknown
// may be to it. Guards of the constructor then tell apart what the client chose.
//
// Only objects of the component's package are followed in this way: of others it is not
// known where they can be met. Two arguments may be one object. Where another argument,
// or something that an argument leads to, may be the same object, or one that is
// inside the other, none of them is followed. Package variables from which the object
// may come are no matter for what nobody writes, as long as nobody compares addresses: then
// an object that is one of these is like one of its own. What code that is followed writes is
// not known then, and what other code may write to one it may write to the other.
//
// A parameter that says which arguments are the same object was not chosen: it doubles the
// classes of arguments, for clients that hardly exist.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

const conventionEntrusted = "entrusted: objects that the client gave to a constructor are changed by calls only, and by code that is given them during calls; they come unlocked, and no argument of type any is one"

// maxEntrusted is how many pointers deep such objects are followed.
const maxEntrusted = 3

const entrustedKey = "entrusted "

func isEntrusted(p *lower.Place) bool { return strings.HasPrefix(p.Root().Key, entrustedKey) }

// before returns the places among some that there are before a constructor.
func (c *compiler) before(places []*lower.Place) []*lower.Place {
	return slices.DeleteFunc(slices.Clone(places), func(p *lower.Place) bool { return !isEntrusted(p) && !c.isComparedVariable(p) })
}

func isAny(t types.Type) bool {
	u, ok := t.Underlying().(*types.Interface)
	return ok && u.NumMethods() == 0
}

// entrusted are the objects of the arguments of the constructor that is being lowered.
type entrusted struct {
	depth int
	met   []types.Type // what pointers of the arguments lead to, each as often as it is met
}

// entrusting prepares the first call of a maker.
func (c *compiler) entrusting(k *maker, s *step) *entrusted {
	if s.recv >= 0 || s.fn == nil || k.site != nil {
		return nil
	}
	e := &entrusted{}
	for _, o := range k.objects {
		if o.variable {
			e.met = append(e.met, o.typ)
		}
	}
	for _, a := range s.args {
		if a.object < 0 && a.value == nil {
			e.meet(a.typ, 0)
		}
	}
	return e
}

// meet collects what pointers lead to. Slices and maps are not entered: their elements
// may be anything that has escaped.
func (e *entrusted) meet(t types.Type, depth int) {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		e.met = append(e.met, u.Elem())
		if depth < maxEntrusted {
			e.meet(u.Elem(), depth+1)
		}
	case *types.Struct:
		for i := range u.NumFields() {
			e.meet(u.Field(i).Type(), depth)
		}
	}
}

// within reports whether an object of one type may be all or part of one of another.
func within(inner, outer types.Type) bool {
	if types.Identical(inner, outer) || types.IdenticalIgnoreTags(inner.Underlying(), outer.Underlying()) {
		return true
	}
	switch u := outer.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if within(inner, u.Field(i).Type()) {
				return true
			}
		}
	case *types.Array:
		return within(inner, u.Elem())
	}
	return false
}

// entrust returns the place of the object that a pointer of an argument refers to; nil if
// it is not followed.
func (f *frame) entrust(l leaf) *lower.Place {
	c := f.c
	if f.entrusted == nil || f.entrusted.depth >= maxEntrusted || f.idle {
		return nil
	}
	elem := deref(l.of)
	named, ok := elem.(*types.Named)
	if !ok || named.Obj().Pkg() != c.l.pkg.Pkg {
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok || len(c.leaves(named)) == 0 || c.named != nil && (within(c.named, named) || within(named, c.named)) {
		return nil
	}
	n := 0
	for _, t := range f.entrusted.met {
		if within(t, named) || within(named, t) {
			n++
		}
	}
	if n != 1 {
		return nil
	}
	if c.mayBeCalledAs(named) {
		return nil
	}
	key := entrustedKey + types.TypeString(named, nil)
	if may, inside := c.inVariables(named); may {
		if inside || c.comparesAddresses(named) {
			return nil
		}
		c.common[key] = true
	}
	c.convention(conventionEntrusted)
	p := c.w.Place(key, func() *lower.Place { return &lower.Place{Name: typeName(named), Type: named} })
	c.w.Hold(p)
	if !c.escaped[key] || !c.theirs.has[key] {
		c.escaped[key], c.theirs.has[key] = true, true
		c.w.Grow()
	}
	return p
}

// entrustAll declares the scalars of an object as parameters.
func (f *frame) entrustAll(name string, p *lower.Place) {
	c := f.c
	t := p.Type.(types.Type)
	f.entrusted.depth++
	defer func() { f.entrusted.depth-- }()
	locks := lockPaths(t)
	var leaves []leaf
	var vars []*prog.Var
	var exprs []*term.Term
	for _, l := range c.leaves(t) {
		switch {
		case !c.keeps(l) || c.isLost(p, l.path):
		case slices.ContainsFunc(locks, func(lock string) bool { return strings.HasPrefix(l.path, lock) }):
			vars, exprs = append(vars, f.m.Cell(p, l.path, l.typ)), append(exprs, c.w.Zero(l.typ))
		default:
			leaves = append(leaves, l)
		}
	}
	from := len(f.m.M.Params)
	ts := f.scalars(name, leaves)
	for _, v := range f.m.M.Params[from:] {
		f.m.Droppable(v)
	}
	for i, l := range leaves {
		vars, exprs = append(vars, f.m.Cell(p, l.path, l.typ)), append(exprs, ts[i])
	}
	f.m.Assign(vars, exprs)
}

// lockPaths returns the paths of locks in an object.
func lockPaths(t types.Type) []string {
	var all []string
	st, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < st.NumFields(); i++ {
		path := fieldPath(st, i)
		switch qualified := types.TypeString(st.Field(i).Type(), nil); qualified {
		case "sync.Mutex", "sync.RWMutex":
			all = append(all, path+".")
		default:
			for _, inner := range lockPaths(st.Field(i).Type()) {
				all = append(all, path+inner)
			}
		}
	}
	return all
}

// inVariables reports whether package variables may lead to objects of a type, and
// whether such an object may be inside of one.
func (c *compiler) inVariables(t types.Type) (may, inside bool) {
	for _, pkg := range c.l.own() {
		for _, m := range pkg.Members {
			if g, ok := m.(*ssa.Global); ok {
				at := deref(g.Type())
				may = may || leadsTo(at, t, 0, map[types.Type]bool{})
				inside = inside || within(t, at) && !types.Identical(t, at)
			}
		}
	}
	return may, inside
}

// maxLeads bounds the search for objects behind package variables, among types that grow
// with each step.
const maxLeads = 200

func leadsTo(from, to types.Type, depth int, seen map[types.Type]bool) bool {
	if within(to, from) {
		return true
	}
	if depth > maxLeads {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	switch u := from.Underlying().(type) {
	case *types.Pointer:
		return leadsTo(u.Elem(), to, depth+1, seen)
	case *types.Slice:
		return leadsTo(u.Elem(), to, depth+1, seen)
	case *types.Array:
		return leadsTo(u.Elem(), to, depth+1, seen)
	case *types.Chan:
		return leadsTo(u.Elem(), to, depth+1, seen)
	case *types.Map:
		return leadsTo(u.Key(), to, depth+1, seen) || leadsTo(u.Elem(), to, depth+1, seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if leadsTo(u.Field(i).Type(), to, depth, seen) {
				return true
			}
		}
	}
	return false
}

// isLost reports whether what a scalar of an object holds is not known, since the object may
// be one of a package variable, and code that is followed writes there.
func (c *compiler) isLost(p *lower.Place, path string) bool {
	root := p.Root()
	if !c.common[root.Key] || c.reach == nil {
		return false
	}
	path = p.Path() + path
	for _, l := range c.leaves(root.Type.(types.Type)) {
		if l.path == path && l.in != nil {
			return slices.ContainsFunc(c.reach.writes[c.reach.find(l.in)], func(i ssa.Instruction) bool {
				s, ok := i.(*ssa.Store)
				return !ok || !isNew(s.Addr)
			})
		}
	}
	return false
}

// sameAs adds to what a reference of a type may hold what may be the same: of an object of
// the client a package variable, and the other way round.
func (c *compiler) sameAs(h lower.Holds, of types.Type) []*lower.Place {
	all := h.Places
	if len(c.common) == 0 || c.isCoarse() {
		return all
	}
	all = slices.Clone(all)
	for _, q := range c.w.Places() {
		t, ok := q.Type.(types.Type)
		_, global := q.Data.(*ssa.Global)
		if !ok || !global && !c.common[q.Key] || slices.Contains(all, q) {
			continue
		}
		if h.Outside && !global && isPointerTo(of, t) || slices.ContainsFunc(h.Places, func(p *lower.Place) bool {
			_, isGlobal := p.Root().Data.(*ssa.Global)
			r, ok := p.Root().Type.(types.Type)
			return ok && (global && c.common[p.Root().Key] || isGlobal && c.common[q.Key]) && types.Identical(r, t)
		}) {
			all = append(all, q)
		}
	}
	return all
}

// mayBeCalledAs reports whether an object of a type may be the receiver of a call through an
// interface of which that is not known: clients may put it into one.
func (c *compiler) mayBeCalledAs(t *types.Named) bool {
	if c.reach == nil {
		return true
	}
	for _, i := range c.reach.dynamic {
		call := i.Common()
		if !call.IsInvoke() {
			continue
		}
		for _, as := range []types.Type{t, types.NewPointer(t)} {
			if u, ok := call.Value.Type().Underlying().(*types.Interface); ok && types.Implements(as, u) && !slices.ContainsFunc(c.reach.targets[i], func(fn *ssa.Function) bool { return fn == c.method(as, call.Method) }) {
				return true
			}
		}
	}
	return false
}

// comparesAddresses reports whether code compares the addresses of objects of a type.
func (c *compiler) comparesAddresses(t *types.Named) bool {
	if c.reach == nil {
		return true
	}
	found, ok := c.addresses[t.Obj()]
	if ok {
		return found
	}
	for _, fn := range c.reach.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				o, ok := i.(*ssa.BinOp)
				found = found || ok && (o.Op == token.EQL || o.Op == token.NEQ) && isPointerTo(o.X.Type(), t) && !isNilConst(o.X) && !isNilConst(o.Y)
			}
		}
	}
	c.addresses[t.Obj()] = found
	return found
}

// isComparedVariable reports whether a place is a package variable of a type of which code
// compares addresses: clients may have it from functions that are not looked at.
func (c *compiler) isComparedVariable(p *lower.Place) bool {
	_, global := p.Data.(*ssa.Global)
	named, ok := p.Type.(*types.Named)
	if !global || !ok || !c.l.owns(named.Obj().Pkg()) || c.reach == nil {
		return false
	}
	_, isStruct := named.Underlying().(*types.Struct)
	return isStruct && c.comparesAddresses(named)
}

func isPointerTo(t types.Type, to types.Type) bool {
	e := deref(t)
	return e != nil && types.Identical(e, to)
}

// isNew reports whether an address is inside a variable of the function itself.
func isNew(addr ssa.Value) bool {
	for {
		switch a := addr.(type) {
		case *ssa.Alloc:
			return true
		case *ssa.FieldAddr:
			addr = a.X
		default:
			return false
		}
	}
}
