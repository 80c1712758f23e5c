// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers package variables. A variable that only the initialization of
// its package assigns is the value it has there, as far as that is a constant, a
// function or an error; the others are state of the component.

import (
	"cmp"
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

// A globalUse is what the code of its package does with a package variable.
type globalUse struct {
	changed bool                 // after initialization, or its address is taken
	initial map[string]ssa.Value // by path, what initialization stores; nil value: not understood
	unknown bool                 // initialization does more to it
}

// uses scans the package of a global once.
func (c *compiler) uses(g *ssa.Global) *globalUse {
	if c.globals == nil {
		c.globals = map[*ssa.Global]*globalUse{}
		c.scanned = map[*ssa.Package]bool{}
		c.first = map[*ssa.Function]bool{}
	}
	packages := []*ssa.Package{g.Pkg}
	if c.l.owns(g.Pkg.Pkg) {
		packages = c.l.own() // each may write what others export
	}
	for _, pkg := range packages {
		if !c.scanned[pkg] {
			c.scanned[pkg] = true
			c.scan(pkg)
		}
	}
	u := c.globals[g]
	if u == nil {
		u = &globalUse{initial: map[string]ssa.Value{}}
		c.globals[g] = u
	}
	if g.Pkg == c.l.pkg && c.l.from != nil && c.l.isEmbedded(g.Name()) {
		u.unknown = true // the compiler puts it there
	}
	return u
}

func (c *compiler) scan(pkg *ssa.Package) {
	use := func(g *ssa.Global) *globalUse {
		u := c.globals[g]
		if u == nil {
			u = &globalUse{initial: map[string]ssa.Value{}}
			c.globals[g] = u
		}
		return u
	}
	fns := c.functionsIn(pkg)
	early := c.initFunctions(pkg)
	maps.Copy(c.first, early)
	// In the order in which they run, as far as that is known.
	slices.SortStableFunc(fns, func(a, b *ssa.Function) int {
		first := func(fn *ssa.Function) int {
			switch {
			case fn.Synthetic == "package initializer":
				return 0
			case strings.HasPrefix(fn.Name(), "init#"):
				return 1
			}
			return 2
		}
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(a.Pos(), b.Pos()), strings.Compare(a.Name(), b.Name()))
	})
	var ops []*ssa.Value
	for _, fn := range fns {
		initializes := fn.Synthetic == "package initializer"
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				ops = i.Operands(ops[:0])
				for _, op := range ops {
					g, ok := (*op).(*ssa.Global)
					if !ok {
						continue
					}
					if early[fn] {
						use(g).early(i, fn, b)
					}
					switch i := i.(type) {
					case *ssa.UnOp:
					case *ssa.Store:
						if i.Addr != ssa.Value(g) {
							use(g).changed = true
						} else if initializes {
							use(g).initial[""] = i.Val
						} else {
							use(g).changed = true
						}
					case *ssa.FieldAddr:
						c.scanPart(use(g), i, initializes, "")
					case *ssa.IndexAddr:
						for _, r := range *i.Referrers() {
							_, load := r.(*ssa.UnOp)
							if st, ok := r.(*ssa.Store); !load && !(initializes && ok && st.Addr == ssa.Value(i)) {
								use(g).changed = true
							}
						}
					case *ssa.DebugRef:
					default:
						use(g).changed = true
						if initializes {
							use(g).unknown = true
						}
					}
				}
			}
		}
	}
}

// initFunctions returns the functions of a package that run before the first call of a client: those
// named init, and those that these and the initial values of variables may call. Functions that are only made values of, and kept,
// run if something calls a function that is not known, or code of others that may have got them. The code of the package says which these are, and
// contracts: with these they are kept. Callers do not change what they get.
func (c *compiler) initFunctions(pkg *ssa.Package) map[*ssa.Function]bool {
	if early, ok := c.contracts.early[pkg]; ok {
		return early
	}
	early := map[*ssa.Function]bool{}
	var kept []*ssa.Function
	unknown := false
	var visit func(fn *ssa.Function)
	look := func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, isCall := i.(ssa.CallInstruction)
				unknown = unknown || isCall && c.mayCallBack(call.Common(), pkg)
				for _, op := range i.Operands(nil) {
					g, ok := (*op).(*ssa.Function)
					if !ok {
						continue
					}
					if isCall && op == &call.Common().Value {
						visit(g)
					} else {
						kept = append(kept, g)
					}
				}
			}
		}
	}
	visit = func(fn *ssa.Function) {
		if !early[fn] && packageOf(fn) == pkg.Pkg {
			early[fn] = true
			look(fn)
		}
	}
	if init := pkg.Func("init"); init != nil {
		look(init)
	}
	for k := 0; k < len(kept) && unknown; k++ {
		visit(kept[k])
	}
	if c.contracts.early == nil {
		c.contracts.early = map[*ssa.Package]map[*ssa.Function]bool{}
	}
	c.contracts.early[pkg] = early
	return early
}

// mayCallBack reports whether a call may run a function of a package that is not its static callee.
func (c *compiler) mayCallBack(call *ssa.CallCommon, pkg *ssa.Package) bool {
	if _, builtin := call.Value.(*ssa.Builtin); builtin {
		return false
	}
	g := call.StaticCallee()
	if g == nil {
		return true
	}
	if packageOf(g) == pkg.Pkg || g.Synthetic == "package initializer" || !c.effectOf(originOf(g).Object()).changes {
		return false
	}
	if onlyKeeps(g) {
		return false
	}
	for k, x := range call.Args {
		list := givenElements(call, k)
		if list == nil {
			list = []ssa.Value{x}
		}
		for _, x := range list {
			if mayCarryFunction(argumentType(x), 0) {
				return true
			}
		}
	}
	return false
}

// onlyKeeps reports whether a function calls nothing: whatever it is given, it may keep or return.
func onlyKeeps(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(ssa.CallInstruction); ok {
				if _, builtin := call.Common().Value.(*ssa.Builtin); !builtin {
					return false
				}
			}
		}
	}
	return len(fn.Blocks) > 0
}

// mayCarryFunction reports whether a value of a type may be a function, or lead to one. Errors are printed.
func mayCarryFunction(t types.Type, depth int) bool {
	if isErrorType(t) {
		return false
	}
	if depth > 6 {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Pointer:
		return mayCarryFunction(u.Elem(), depth+1)
	case *types.Slice:
		return mayCarryFunction(u.Elem(), depth+1)
	case *types.Array:
		return mayCarryFunction(u.Elem(), depth+1)
	case *types.Map:
		return mayCarryFunction(u.Key(), depth+1) || mayCarryFunction(u.Elem(), depth+1)
	case *types.Chan:
		return mayCarryFunction(u.Elem(), depth+1)
	case *types.Struct:
		for v := range u.Fields() {
			if mayCarryFunction(v.Type(), depth+1) {
				return true
			}
		}
		return false
	}
	return true
}

// early notes what a function that runs during initialization does to a variable.
// One assignment at its beginning is understood.
func (u *globalUse) early(i ssa.Instruction, fn *ssa.Function, b *ssa.BasicBlock) {
	switch i := i.(type) {
	case *ssa.UnOp, *ssa.DebugRef:
		return
	case *ssa.Store:
		if g, ok := i.Addr.(*ssa.Global); ok && fn.Parent() == nil && strings.HasPrefix(fn.Name(), "init#") && b.Index == 0 && i.Val != ssa.Value(g) {
			u.initial = map[string]ssa.Value{"": i.Val} // instead of what it was
			return
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		reads := true
		for _, r := range *i.(ssa.Value).Referrers() {
			if _, ok := r.(*ssa.UnOp); !ok {
				reads = false
			}
		}
		if reads {
			return
		}
	}
	u.unknown = true
}

func (c *compiler) scanPart(u *globalUse, i *ssa.FieldAddr, initializes bool, path string) {
	st := deref(i.X.Type()).Underlying().(*types.Struct)
	path += c.fieldPath(st, i.Field)
	for _, r := range *i.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			c.scanPart(u, r, initializes, path)
		case *ssa.Store:
			if initializes && r.Addr == ssa.Value(i) {
				u.initial[path] = r.Val
			} else {
				u.changed = true
			}
		default:
			u.changed = true
		}
	}
}

// hasState reports whether a function of another package uses variables of other packages that change:
// what it does depends on what others did with these, and is the environment's. One that may return an
// object, which may be the component's, is followed all the same.
func (c *compiler) hasState(fn *ssa.Function) bool {
	yes, ok := c.stateful[fn]
	if ok {
		return yes
	}
	if c.stateful == nil {
		c.stateful = map[*ssa.Function]bool{}
	}
	for v := range fn.Signature.Results().Variables() {
		e := deref(v.Type())
		if refers(v.Type()) && !isErrorType(v.Type()) && (e == nil || !c.l.isForeign(e)) {
			c.stateful[fn] = false
			return false
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			for _, op := range i.Operands(nil) {
				if g, ok := (*op).(*ssa.Global); ok && !c.l.owns(g.Pkg.Pkg) && c.uses(g).changed {
					yes = true
				}
			}
		}
	}
	c.stateful[fn] = yes
	return yes
}

// isNeverSet reports whether a value is that of a package variable which nothing sets: it
// is nil.
func (c *compiler) isNeverSet(v ssa.Value) bool {
	g := c.hiddenVariable(v)
	if g == nil {
		return false
	}
	u := c.uses(g)
	return !u.changed && !u.unknown && len(u.initial) == 0
}

// hiddenVariable is the package variable that a value is loaded from, if only code of the component names it; else nil.
func (c *compiler) hiddenVariable(v ssa.Value) *ssa.Global {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || !c.l.owns(g.Pkg.Pkg) || token.IsExported(g.Name()) || g.Pkg == c.l.pkg && c.l.isLinked(g.Name()) {
		return nil
	}
	return g
}

// globalPlace returns the place of a package variable.
func (c *compiler) globalPlace(g *ssa.Global) *lower.Place {
	elem := deref(g.Type())
	p := c.w.Place("global "+g.RelString(nil), func() *lower.Place {
		return &lower.Place{Name: c.globalName(g), Type: elem, Data: g}
	})
	c.w.Hold(p)
	u := c.uses(g)
	p.StartAs(func(path string, typ prog.Type) *term.Term { return c.initial(u, elem, path, typ) })
	return p
}

func (c *compiler) globalName(g *ssa.Global) string {
	if g.Pkg == c.l.pkg {
		return g.Name()
	}
	return g.Pkg.Pkg.Name() + "." + g.Name()
}

// initial is the value of a scalar of a global before the first call; nil is any.
func (c *compiler) initial(u *globalUse, elem types.Type, path string, typ prog.Type) *term.Term {
	if u.unknown {
		return nil
	}
	if v, ok := u.initial[path]; ok {
		return c.initialValue(v, "", typ)
	}
	for _, base := range []string{strings.TrimSuffix(path, lenPath), strings.TrimSuffix(path, capPath), strings.TrimSuffix(path, textPath)} {
		if v, ok := u.initial[base]; ok && base != path {
			return c.initialValue(v, path[len(base):], typ)
		}
	}
	if _, ok := u.initial[""]; ok {
		return nil
	}
	return c.w.Zero(typ)
}

func (c *compiler) initialValue(v ssa.Value, rest string, typ prog.Type) *term.Term {
	w := c.w
	switch v := v.(type) {
	case *ssa.Const:
		k := c.constant(v)
		if len(k.t) == 1 && k.t[0].Sort() == typ.Sort {
			return k.t[0]
		}
		if len(k.t) == 2 && isTextPath(rest) {
			return k.t[1]
		} else if len(k.t) == 2 {
			return k.t[0]
		}
		if len(k.t) == 3 && rest != "" {
			return w.Pool.Int(64, 0)
		}
		return nil
	case *ssa.Function:
		if typ.Sort == w.RefSort {
			return w.RefOf(c.funcPlace(nil, value{typ: v.Type(), fn: v}))
		}
	case *ssa.Global:
		if typ.Sort == w.RefSort {
			return w.RefOf(c.globalPlace(v))
		}
	case *ssa.ChangeType:
		return c.initialValue(v.X, rest, typ)
	case *ssa.ChangeInterface:
		return c.initialValue(v.X, rest, typ)
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeInterface, *ssa.MakeSlice, *ssa.Slice, *ssa.MakeClosure:
		if typ.Sort == w.RefSort {
			return w.Outside()
		}
	case *ssa.Call:
		if g := v.Call.StaticCallee(); g != nil && typ.Sort == w.RefSort {
			switch g.RelString(nil) {
			case "errors.New", "fmt.Errorf":
				return w.Outside()
			}
		}
	}
	return nil
}

// sentinel returns what is known of a package variable that holds an error.
func (c *compiler) sentinel(g *ssa.Global) *errorValue {
	if e, ok := c.sentinels[g]; ok {
		return e
	}
	c.sentinels[g] = nil
	if !isErrorType(deref(g.Type())) {
		return nil
	}
	u := c.uses(g)
	v := u.initial[""]
	if v == nil || u.changed || u.unknown {
		return nil
	}
	for {
		if x, ok := v.(*ssa.ChangeInterface); ok {
			v = x.X
			continue
		}
		break
	}
	e := &errorValue{global: g.RelString(nil), pkg: g.Pkg.Pkg, key: "error " + g.RelString(nil)}
	switch x := v.(type) {
	case *ssa.Call:
		fn := x.Call.StaticCallee()
		if fn != nil && fn.RelString(nil) == "fmt.Errorf" {
			e.formatted = true
			c.wrappedBy(e, x)
		} else if same := c.returnedSentinel(fn); same != nil {
			c.sentinels[g] = same
			return same
		} else {
			e.vague = fn == nil || fn.RelString(nil) != "errors.New"
			e.fresh = makesErrors(fn)
		}
	case *ssa.MakeInterface:
		e.typ = x.X.Type()
	case *ssa.UnOp:
		if h, ok := x.X.(*ssa.Global); ok {
			if same := c.sentinel(h); same != nil {
				c.sentinels[g] = same // another name for it
				return same
			}
		}
		e.vague = true
	default:
		e.vague = true
	}
	e.message = c.errorText(v, nil, maxText)
	c.sentinels[g] = e
	return e
}

// wrappedBy notes what a sentinel wraps.
func (c *compiler) wrappedBy(e *errorValue, call *ssa.Call) {
	verbs := verb.FindAllString(c.text(call.Call.Args[0], nil, maxText), -1)
	list := variadic(lastOf(call.Call.Args))
	for i, v := range verbs {
		if v != "%w" {
			continue
		}
		e.mayWrap = true // unless it is known
		if i < len(list) && len(verbs) == len(list) {
			if load, ok := list[i].(*ssa.UnOp); ok && load.Op == token.MUL {
				if g, ok := load.X.(*ssa.Global); ok {
					if inner := c.sentinel(g); inner != nil {
						e.inner, e.mayWrap = inner, inner.mayWrap
					}
				}
			}
		}
		return
	}
}

// returnedSentinel returns the sentinel that a function does nothing but return.
func (c *compiler) returnedSentinel(fn *ssa.Function) *errorValue {
	if fn == nil || len(fn.Params) > 0 || len(fn.Blocks) != 1 {
		return nil
	}
	b := fn.Blocks[0]
	r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
	if !ok || len(r.Results) != 1 {
		return nil
	}
	if x, ok := r.Results[0].(*ssa.UnOp); ok {
		if g, ok := x.X.(*ssa.Global); ok {
			return c.sentinel(g)
		}
	}
	return nil
}

// global returns the address of a package variable.
func (c *compiler) global(f *frame, g *ssa.Global) value {
	p := c.globalPlace(g)
	return value{typ: g.Type(), at: &address{ref: c.w.RefOf(p), elem: deref(g.Type())}}
}

// immutable reads a package variable that does not change.
func (f *frame) immutable(a *address, t types.Type, v *value) bool {
	if a.element {
		return false
	}
	h := f.c.w.Holds(a.ref)
	if len(h.Places) != 1 || h.Nil || h.Outside {
		return false
	}
	g, ok := h.Places[0].Data.(*ssa.Global)
	if !ok {
		return false
	}
	if e := f.c.sentinel(g); e != nil && a.path == "" {
		v.t = []*term.Term{f.newErrorValue(e, nil)}
		return true
	}
	u := f.c.uses(g)
	if u.changed && f.c.l.owns(g.Pkg.Pkg) {
		f.c.convention(conventionPackage)
		return false
	}
	if token.IsExported(g.Name()) && f.c.l.owns(g.Pkg.Pkg) {
		f.c.convention(conventionPackage)
	}
	elem := deref(g.Type())
	var ts []*term.Term
	if u.changed {
		// It is what the code at hand has set, or whoever else calls that package, also between the
		// calls at hand.
		key := f.path + "/theirs " + g.RelString(nil) + a.path
		mine := f.any(key+"/mine", leaf{typ: boolType}, lower.Unmodelled)
		for _, l := range f.c.leaves(t) {
			x := f.any(key+"/any"+l.path, l, lower.Unmodelled)
			if f.c.keeps(l) {
				x = f.c.w.Pool.Ite(mine, f.m.Cell(h.Places[0], a.path+l.path, l.typ).Term, x)
			}
			now := f.m.Local(key+"/now"+l.path, "now", l.typ)
			f.m.Set(now, x)
			ts = append(ts, now.Term)
		}
		v.t = ts
		f.wellFormed(*v)
		return true
	}
	for _, l := range f.c.leaves(t) {
		x := f.c.initial(u, elem, a.path+l.path, l.typ)
		if x == nil && (l.ref || !f.c.l.owns(g.Pkg.Pkg)) {
			return false
		}
		if x == nil {
			// It is one value, but which is not known: that is not the client's or anybody's choice.
			x = f.any(f.path+"/initial "+g.RelString(nil)+a.path+l.path, l, lower.Unmodelled)
			f.m.Assume(f.c.w.Pool.Eq(x, f.m.Cell(h.Places[0], a.path+l.path, l.typ).Term))
		}
		ts = append(ts, x)
	}
	v.t = ts
	return true
}
