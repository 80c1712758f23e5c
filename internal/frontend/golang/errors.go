// SPDX-License-Identifier: Apache-2.0

package golang

// This file has errors as values: what is known of an error value, and which
// returned values are errors of the client.

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

type (
	fposition = prog.Pos
	errorSite = prog.ErrorSite
)

// An errorValue is what is known of an error that the code builds.
type errorValue struct {
	message string // with anyText for what is not constant
	global  string // "pkg.Name" of a sentinel
	pkg     *types.Package
	pos     prog.Pos
	key     string
	// An error that wraps another has its message between two texts.
	wraps         bool
	before, after string
	inner         *errorValue // what it is known to wrap
	guess         bool        // what it wraps is not known
	mayWrap       bool        // of a sentinel: it wraps one that is not known
	several       bool        // it wraps more than one
	older         bool        // it is one of several that were made at one place: what it wraps is not followed

	typ       types.Type // of a sentinel that neither errors.New nor fmt.Errorf made, if it is known
	vague     bool       // or if it is not
	fresh     bool       // a vague one is of a function that makes what it returns
	formatted bool       // fmt.Errorf made it
	fixed     bool       // of a type of its own: it is made of constants, whatever is known of its message
	untold    bool       // of a type of its own: how its message begins is not known, though it may be constant
	unmet     bool       // it stands for all that code makes which is not lowered; see unmet.go
}

// isOf says whether an error is of a type, or perhaps is.
func (c *compiler) isOf(e *errorValue, to types.Type) (is, perhaps bool) {
	if e.vague {
		return false, true
	}
	t := e.typ
	if t == nil {
		t = types.NewPointer(c.errorString())
	}
	iface, ok := to.Underlying().(*types.Interface)
	if !ok {
		return types.Identical(t, to), false
	}
	if types.Implements(t, iface) {
		return true, false
	}
	return false, e.formatted && onlyUnwraps(iface)
}

// onlyUnwraps reports whether errors that fmt.Errorf makes may have the methods of an interface.
func onlyUnwraps(iface *types.Interface) bool {
	for m := range iface.Methods() {
		if m.Name() != "Error" && m.Name() != "Unwrap" {
			return false
		}
	}
	return true
}

// ofOwnType reports whether an error is of a type with methods that are not looked at.
func (e *errorValue) ofOwnType() bool { return e.vague || e.typ != nil }

const wrapPath = "#wrap"

// kinds are the error kinds under study.
type kinds struct {
	panics   bool
	patterns []*regexp.Regexp // of panics; none: all
	misuse   bool
	block    bool
	returns  []*regexp.Regexp
	messages []string // of returned errors
	values   []string // "pkg.ErrX"
	// variables are those that the values name. Of a name with none, the value is not known.
	variables map[string][]*ssa.Global
	names     []string
}

// parseKinds reads the values of -error.
func parseKinds(list []string) (kinds, error) {
	if len(list) == 0 {
		list = []string{"panic"}
	}
	k := kinds{names: list}
	for _, text := range list {
		word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		rest = strings.TrimSpace(rest)
		switch {
		case word == "panic" && rest == "":
			k.panics = true
			k.patterns = nil
		case word == "misuse" && rest == "":
			k.misuse, k.panics = true, true
		case word == "block" && rest == "":
			k.block = true
		case word == "panic":
			re, err := regexp.Compile(rest)
			if err != nil {
				return k, fmt.Errorf("-error %q: %v", text, err)
			}
			if !k.panics {
				k.patterns = append(k.patterns, re)
			}
		case word == "message" && rest != "":
			k.messages = append(k.messages, rest)
		case word == "return" && rest != "":
			if i := strings.LastIndexByte(rest, '.'); i > 0 && token.IsIdentifier(rest[i+1:]) && strings.HasPrefix(strings.ToLower(rest[i+1:]), "err") && !strings.ContainsAny(rest, " *+?()[]|^$\\") {
				k.values = append(k.values, rest)
				continue
			}
			re, err := regexp.Compile(rest)
			if err != nil {
				return k, fmt.Errorf("-error %q: %v", text, err)
			}
			k.returns = append(k.returns, re)
		default:
			return k, fmt.Errorf("-error %q: expected panic, panic PATTERN, misuse, return PATTERN, return pkg.ErrX, message TEXT or block", text)
		}
	}
	return k, nil
}

// anyReturn reports whether returned errors are under study.
func (k kinds) anyReturn() bool {
	return k.misuse || len(k.returns)+len(k.messages)+len(k.values) > 0
}

// wants reports whether a site is an error under study.
func (k kinds) wants(s *lower.Site) bool {
	switch s.Kind {
	case "return", "block":
		return true // made only where they are asked for
	}
	if k.panics && len(k.patterns) == 0 {
		return true
	}
	for _, re := range k.patterns {
		if re.MatchString(s.Message) {
			return true
		}
	}
	return false
}

// mayPanicWith reports whether a panic with a message may be an error under study. Verbs
// of a format and what is not constant stand for anything.
func (k kinds) mayPanicWith(message string) bool {
	if k.panics && len(k.patterns) == 0 {
		return true
	}
	if strings.Contains(message, anyText) || strings.Contains(message, "%") {
		return len(k.patterns) > 0
	}
	for _, re := range k.patterns {
		if re.MatchString(message) {
			return true
		}
	}
	return false
}

// checks reports whether some check of the run time is an error under study.
func (k kinds) checks() bool {
	for _, text := range []string{"invalid memory address or nil pointer dereference", "index out of range", "slice bounds out of range",
		"integer divide by zero", "interface conversion", "assignment to entry in nil map", "close of closed channel", "close of nil channel",
		"send on closed channel", "makeslice: len out of range", "negative shift amount", "slice to array: length too small", "call of … may panic"} {
		if k.wants(&lower.Site{ErrorSite: &prog.ErrorSite{Kind: "runtime", Message: "runtime error: " + text}}) {
			return true
		}
	}
	for _, text := range []string{"sync: unlock of unlocked mutex", "sync: Unlock of unlocked RWMutex", "sync: RUnlock of unlocked RWMutex"} {
		if k.wants(&lower.Site{ErrorSite: &prog.ErrorSite{Kind: "fatal", Message: text}}) {
			return true
		}
	}
	for _, text := range []string{"sync: negative WaitGroup counter", storesNil, storesOther} {
		if k.wants(&lower.Site{ErrorSite: &prog.ErrorSite{Kind: "panic", Message: text}}) {
			return true
		}
	}
	return false
}

// wantsReturn reports whether returning a value is an error under study.
func (c *compiler) wantsReturn(e *errorValue) bool {
	return e.unmet || len(c.questions(e)) > 0 || c.mayBeMisuse(e)
}

// questions returns which of the errors that are asked for a value may be.
func (c *compiler) questions(e *errorValue) (all []string) {
	for _, v := range c.kinds.values {
		// As errors.Is: the value itself, or one that it wraps.
		for x := e; x != nil; x = x.inner {
			if c.isNamed(x, v) {
				all = append(all, "return "+v)
				break
			}
		}
	}
	for _, re := range c.kinds.returns {
		if re.MatchString(e.message) {
			all = append(all, "return "+re.String())
		}
	}
	for _, m := range c.kinds.messages {
		if mayBe(e.message, m) {
			all = append(all, "message "+m)
		}
	}
	return all
}

// isMisuse: the component's own package built it from constants, or keeps it in a
// sentinel of its own; and it wraps nothing of others. io.EOF is never one, also not
// of a type of package io.
func (c *compiler) isMisuse(e *errorValue) bool {
	if !c.mayBuild(e) {
		return false
	}
	return e.global != "" || e.fixed || !strings.HasPrefix(e.message, anyText)
}

// mayBeMisuse: it may be one, as how its message begins is not known.
func (c *compiler) mayBeMisuse(e *errorValue) bool {
	return c.isMisuse(e) || e.untold && c.mayBuild(e)
}

// isPerhaps reports whether an error is one under study only perhaps, as its message is not known, or that of what it wraps.
func (c *compiler) isPerhaps(e *errorValue) bool {
	if !e.untold || e.unmet || c.isMisuse(e) {
		return false
	}
	asked := c.questions(e)
	if len(asked) == 0 {
		return true
	}
	if slices.ContainsFunc(c.kinds.values, func(v string) bool { return slices.Contains(asked, "return "+v) }) {
		return false // whatever it says
	}
	return e.inner != nil && strings.Trim(e.inner.message, anyText+" :") == ""
}

// mayBuild reports whether an error is misuse if it is made of constants.
func (c *compiler) mayBuild(e *errorValue) bool {
	if !c.kinds.misuse || e.guess || e.global == "io.EOF" || e.pkg != c.l.pkg.Pkg {
		return false
	}
	return e.global != "" || e.inner == nil || e.inner.pkg == c.l.pkg.Pkg
}

// mayBe reports whether a message, with anyText for what is not constant, may be
// a text. One that is nothing but that says nothing.
func mayBe(message, text string) bool {
	return strings.Trim(message, anyText+" :") != "" && fits(message, text)
}

// fits reports whether a text is one that a message with anyText stands for.
func fits(message, text string) bool {
	parts := strings.Split(message, anyText)
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return message == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return strings.HasSuffix(text, last)
}

// newErrorValue returns the reference to an error that is built here.
func (f *frame) newErrorValue(e *errorValue, wrapped *term.Term) *term.Term {
	w := f.c.w
	if f.c.isCoarse() && e.global == "" && !e.wraps && !f.c.wantsReturn(e) {
		return w.Outside() // nobody asks for it
	}
	if p := w.Find(e.key); wrapped != nil && p != nil && p.IsState() && !f.c.isCoarse() {
		// Which of them an object keeps matters: those of other calls are others.
		is := *e
		is.key += " in " + f.m.M.Name
		e = &is
	}
	p := w.Place(e.key, func() *lower.Place { return f.errorPlace(e, wrapped == nil) })
	if wrapped != nil {
		if p.IsState() || f.again {
			f.m.Renew(p) // it may wrap one that was made here before
		}
		f.m.Set(f.m.Cell(p, wrapPath, f.c.refType()), wrapped)
	}
	f.m.Mark(e.key, "environment's")
	if _, ok := f.c.errorAt[f.m.M.Name+" "+e.key]; !ok {
		f.c.errorAt[f.m.M.Name+" "+e.key] = f.m.Pos()
	}
	return w.RefOf(p)
}

// errorPlace is the place of an error; one that wraps none is constant.
func (f *frame) errorPlace(e *errorValue, constant bool) *lower.Place {
	name := e.global
	if name == "" {
		name = fmt.Sprintf("%q", e.message)
	}
	return &lower.Place{Name: name, Type: f.c.errorString(), Const: constant, Data: e}
}

// errorString is the type of errors made by errors.New.
func (c *compiler) errorString() types.Type {
	if pkg := c.l.prog.ImportedPackage("errors"); pkg != nil {
		if t := pkg.Type("errorString"); t != nil {
			return t.Type()
		}
	}
	return types.NewStruct(nil, nil)
}

func newError(f *frame, fn *ssa.Function, args []value, from []ssa.Value, key string, at token.Pos) []value {
	e, _ := f.errorOf(fn, from, at)
	return []value{{typ: fn.Signature.Results().At(0).Type(), t: []*term.Term{f.newErrorValue(e, nil)}}}
}

var verb = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z]`)

func formatError(f *frame, fn *ssa.Function, args []value, from []ssa.Value, key string, at token.Pos) []value {
	e, wraps := f.errorOf(fn, from, at)
	var wrapped *term.Term
	if wraps {
		verbs := verb.FindAllString(f.c.text(from[0], f.textContext(), maxText), -1)
		list := variadic(lastOf(from))
		wrapped = f.c.w.Outside()
		for i, v := range verbs {
			if strings.HasSuffix(v, "w") && i < len(list) {
				if x, ok := f.vals[list[i]]; ok {
					wrapped = f.ref(x)
				} else {
					wrapped = f.ref(f.val(list[i]))
				}
				break
			}
		}
	}
	return []value{{typ: fn.Signature.Results().At(0).Type(), t: []*term.Term{f.newErrorValue(e, wrapped)}}}
}

// errorOf is the error that a call of errors.New or fmt.Errorf makes, and whether it wraps
// another.
func (f *frame) errorOf(fn *ssa.Function, from []ssa.Value, at token.Pos) (e *errorValue, wraps bool) {
	return f.errorIn(fn, from, at, f.textContext())
}

// errorIn is that error in a context.
func (f *frame) errorIn(fn *ssa.Function, from []ssa.Value, at token.Pos, in *callContext) (e *errorValue, wraps bool) {
	pos := f.pos(at)
	e = &errorValue{message: anyText, pkg: packageOf(f.fn), pos: pos}
	switch {
	case len(from) == 0:
	case nameOf(fn) != "fmt.Errorf":
		e.message = f.c.text(from[0], in, maxText)
	default:
		e.formatted = true
		pieces := f.c.formatted(from, in, maxText)
		e.message = wrapText(pieces)
		if k := slices.Index(pieces, "%w"); k >= 0 {
			e.wraps, e.before, e.after = true, wrapText(pieces[:k]), wrapText(pieces[k+1:])
			e.several = slices.Contains(pieces[k+1:], "%w")
		}
	}
	e.key = "error " + pos.String() + e.message
	return e, e.wraps
}

// formatText is what is known of a formatted text.
func formatText(format string) string {
	return strings.ReplaceAll(verb.ReplaceAllString(format, anyText), "%%", "%")
}

// variadic returns the values of a variadic argument, if the slice was built for
// the call.
func variadic(v ssa.Value) []ssa.Value {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	a, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	arr, ok := deref(a.Type()).Underlying().(*types.Array)
	if !ok || arr.Len() > 100 {
		return nil
	}
	out := make([]ssa.Value, arr.Len())
	for _, r := range *a.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		k, ok := ia.Index.(*ssa.Const)
		if !ok {
			continue
		}
		for _, u := range *ia.Referrers() {
			if st, ok := u.(*ssa.Store); ok && int(k.Int64()) < len(out) {
				x := st.Val
				if mi, ok := x.(*ssa.ChangeInterface); ok {
					x = mi.X
				}
				out[k.Int64()] = x
			}
		}
	}
	for _, x := range out {
		if x == nil {
			return nil
		}
	}
	return out
}

// isError is errors.Is, along what is wrapped.
func isError(f *frame, fn *ssa.Function, args []value, _ []ssa.Value, key string, _ token.Pos) []value {
	w := f.c.w
	p := w.Pool
	target := f.ref(args[1])
	f.c.compares(target)
	if w.Holds(target).Outside {
		f.c.compares(f.ref(args[0]))
	}
	var is func(t *term.Term, depth int) *term.Term
	is = func(t *term.Term, depth int) *term.Term {
		h := w.Holds(t)
		parts := []*term.Term{p.And(p.Eq(t, target), p.Ne(t, w.Outside()))}
		switch {
		case f.c.isOwnWanted(w.Holds(target)) && f.c.reach.isNeverTheirs():
			f.c.convention(conventionErrors)
		case h.Outside || anySummary(h):
			guess := f.any(key+"/is"+string(rune('0'+depth)), leaf{typ: boolType}, lower.Unmodelled)
			parts = append(parts, p.And(p.Ne(t, w.Nil()), p.Ne(target, w.Nil()), guess, p.Eq(t, w.Outside())))
		}
		for _, q := range h.Places {
			if e, ok := q.Data.(*errorValue); ok {
				if !q.Const {
					inner := f.m.Cell(q, wrapPath, f.c.refType()).Term
					if f.wrapsMany(q, inner) {
						inner = w.Outside() // which one is not known
					}
					within := p.And(p.Eq(inner, w.Outside()), f.any(key+"/within"+string(rune('0'+depth))+q.Key, leaf{typ: boolType}, lower.Unmodelled))
					if depth < 3 && inner != w.Outside() {
						within = is(inner, depth+1)
					} else if depth >= 3 {
						within = p.And(p.Ne(inner, w.Nil()), f.any(key+"/deep"+q.Key, leaf{typ: boolType}, lower.Unmodelled))
					}
					parts = append(parts, p.And(p.Eq(t, w.RefOf(q)), within))
					if e.several {
						parts = append(parts, p.And(p.Eq(t, w.RefOf(q)), f.any(key+"/several"+q.Key, leaf{typ: boolType}, lower.Unmodelled)))
					}
				}
				for x := e.inner; q.Const && x != nil; x = x.inner {
					inner := w.Place(x.key, func() *lower.Place { return f.errorPlace(x, true) })
					parts = append(parts, p.And(p.Eq(t, w.RefOf(q)), p.Eq(target, w.RefOf(inner))))
				}
				if q.Const && (e.mayWrap || e.ofOwnType() && !f.c.isOnlyItself(q, w.Holds(target))) {
					guess := f.any(key+"/wraps"+q.Key, leaf{typ: boolType}, lower.Unmodelled)
					parts = append(parts, p.And(p.Eq(t, w.RefOf(q)), guess))
				}
				continue
			}
			if f.c.isOnlyItself(q, w.Holds(target)) {
				continue
			}
			// An error type of its own may have a method Is or Unwrap.
			guess := f.any(key+"/of"+q.Key, leaf{typ: boolType}, lower.Unmodelled)
			parts = append(parts, p.And(p.Eq(t, w.RefOf(q)), guess))
		}
		return p.Or(parts...)
	}
	local := f.m.Local(key+"/result", "is", boolType)
	f.m.Set(local, is(f.ref(args[0]), 0))
	return []value{{typ: types.Typ[types.Bool], t: []*term.Term{local.Term}}}
}

// wrapsMany reports whether the place of an error that wraps others stands for several, made one after
// another at one place of the code, which may wrap different ones: a reference to it may then be to one
// that was made earlier.
func (f *frame) wrapsMany(q *lower.Place, inner *term.Term) bool {
	h := f.c.w.Holds(inner)
	return q.IsState() && (len(h.Places) > 1 || h.Outside && len(h.Places) > 0 || slices.Contains(h.Places, q))
}

// unwrapError lowers errors.Unwrap. What is in an error that fmt.Errorf made is known; of others it is any, and
// an answer if the error is one.
func unwrapError(f *frame, fn *ssa.Function, args []value, _ []ssa.Value, key string, _ token.Pos) []value {
	w := f.c.w
	p := w.Pool
	t := fn.Signature.Results().At(0).Type()
	ref := f.ref(args[0])
	h := w.Holds(ref)
	out := w.Nil()
	var any *term.Term
	unknown := func() *term.Term {
		if any == nil {
			v := f.m.Local(key+"/inner", "any", f.c.refType())
			f.m.AnyRef(v, lower.Unmodelled, lower.Holds{Nil: true, Outside: true, Places: f.c.placesOf(t)})
			f.m.Computed(v, lower.From{ref})
			any = v.Term
		}
		return any
	}
	for _, q := range h.Places {
		inner := w.Nil()
		if e, ok := q.Data.(*errorValue); !ok || q.Summary || e.mayWrap || e.inner != nil || e.ofOwnType() {
			inner = unknown()
		} else if !q.Const && e.several {
			inner = w.Nil()
		} else if !q.Const {
			if inner = f.m.Cell(q, wrapPath, f.c.refType()).Term; f.wrapsMany(q, inner) {
				inner = unknown()
			}
		}
		out = p.Ite(p.Eq(ref, w.RefOf(q)), inner, out)
	}
	if h.Outside {
		out = p.Ite(p.Eq(ref, w.Outside()), unknown(), out)
	}
	local := f.m.Local(key+"/unwrapped", "unwrapped", f.c.refType())
	f.m.Set(local, out)
	return []value{{typ: t, t: []*term.Term{local.Term}}}
}

// isOnlyItself reports whether errors.Is says of an error that it is one of others only if it
// is the same: its type has no methods that say more, and the others have other types, as
// values of one type may be equal.
func (c *compiler) isOnlyItself(p *lower.Place, others lower.Holds) bool {
	t := dynamicType(p)
	if e, ok := p.Data.(*errorValue); ok && e.vague {
		return false
	}
	set := c.l.prog.MethodSets.MethodSet(t)
	if p.Summary || set.Lookup(nil, "Is") != nil || set.Lookup(nil, "Unwrap") != nil {
		return false
	}
	return !others.Outside && !slices.ContainsFunc(others.Places, func(q *lower.Place) bool { return q.Summary || types.Identical(dynamicType(q), t) })
}

// asError lowers errors.As and errors.AsType: an error that errors.New or fmt.Errorf
// made is of no type that a caller can name, unless it wraps one that is. The others
// may be.
func asError(f *frame, fn *ssa.Function, args []value, from []ssa.Value, key string, _ token.Pos) []value {
	w := f.c.w
	p := w.Pool
	var wanted types.Type // nil: not known
	assigns := fn.Signature.Results().Len() == 1
	if !assigns {
		wanted = fn.Signature.Results().At(0).Type()
	} else if len(from) == 2 {
		if i, ok := from[1].(*ssa.MakeInterface); ok {
			wanted = deref(i.X.Type())
		}
	}
	var may func(t *term.Term, depth int) *term.Term
	may = func(t *term.Term, depth int) *term.Term {
		h := w.Holds(t)
		var parts []*term.Term
		if h.Outside {
			parts = append(parts, p.Eq(t, w.Outside()))
		}
		for _, q := range h.Places {
			here := p.Eq(t, w.RefOf(q))
			e, ok := q.Data.(*errorValue)
			if ok && q.Const {
				if e.ofOwnType() || e.mayWrap || e.inner != nil {
					parts = append(parts, here)
				}
				continue
			} else if ok && depth < 3 && !e.several && !f.wrapsMany(q, f.m.Cell(q, wrapPath, f.c.refType()).Term) {
				here = p.And(here, may(f.m.Cell(q, wrapPath, f.c.refType()).Term, depth+1))
			}
			parts = append(parts, here)
		}
		return p.Or(parts...)
	}
	can := p.Ne(f.ref(args[0]), w.Nil())
	if wanted != nil && !types.IsInterface(wanted) {
		can = may(f.ref(args[0]), 0)
	}
	if can.IsFalse() {
		if assigns {
			return []value{{typ: types.Typ[types.Bool], t: []*term.Term{p.False()}}}
		}
		return []value{f.c.zero(wanted), {typ: types.Typ[types.Bool], t: []*term.Term{p.False()}}}
	}
	// It is an answer if the error is one.
	of := lower.From{f.ref(args[0])}
	var out []value
	if assigns {
		f.environment(nameOf(fn), fn.Object(), fn.Signature, args, key, lower.Answer)
		f.assignsTarget(args[1], key)
	} else {
		out = append(out, f.computed(key+"/value", wanted, of))
	}
	boolean := types.Typ[types.Bool]
	guess := f.computed(key+"/guess", boolean, of)
	ok := f.m.Local(key+"/as", "as", boolType)
	f.m.Set(ok, p.And(f.terms(guess)[0], can))
	return append(out, value{typ: boolean, t: []*term.Term{ok.Term}})
}

// assignsTarget gives all fields of what the target of errors.As leads to other values: unlike other code of other packages, it assigns an
// object as a whole, also with fields that are not exported.
func (f *frame) assignsTarget(target value, key string) {
	for _, p := range f.c.w.Holds(f.ref(target)).Places {
		typ, ok := p.Type.(types.Type)
		if !ok || p.Data != nil || p.Const || p.Summary || !f.c.follows(p) {
			continue
		}
		for _, l := range f.c.leaves(typ) {
			if f.c.keeps(l) {
				f.havocCell(p, l, key+"/assigned")
			}
		}
	}
}

// returnSites errs where a returned error is one under study.
func (c *compiler) returnSites(f *frame, results []value) {
	if !c.kinds.anyReturn() || c.alone || c.settled {
		return
	}
	w := c.w
	name := f.m.M.Name
	here := map[string]bool{} // questions that this method answers
	var guesses []string
	for _, r := range results {
		if !isErrorType(r.typ) {
			continue
		}
		ref := f.ref(r)
		h := w.Holds(ref)
		if h.Outside {
			c.foreign[name] = true
		}
		for _, p := range h.Places {
			list := f.errorsAt(p)
			if len(list) == 0 {
				c.foreign[name] = true
			}
			for n, k := range list {
				e := k.is
				if strings.Trim(e.message, anyText+" :") == "" {
					c.foreign[name] = true
				}
				if e.older && c.mayAsk(e) && f.m.Reachable() {
					guess := f.any("returned/"+p.Key+"/older"+strconv.Itoa(n), leaf{typ: boolType}, lower.Unmodelled)
					f.m.Fail(w.Pool.And(w.Pool.Eq(ref, w.RefOf(p)), k.when, guess), &lower.Site{ErrorSite: &prog.ErrorSite{Kind: "return", Message: e.message, Pos: e.pos}})
				}
				if e.guess || e.older {
					guesses = append(guesses, c.questions(e)...)
					continue
				}
				if e.global != "" && c.l.owns(e.pkg) && e.message == anyText {
					for _, m := range c.kinds.messages {
						guesses = append(guesses, "message "+m)
					}
				}
				if len(c.kinds.values) > 0 && c.mayBeAnother(e) && len(c.questions(e)) == 0 {
					c.guessed[name] = "return " + c.kinds.values[0]
				}
				if e.untold && strings.Trim(e.message, anyText+" :") == "" && f.m.Reachable() {
					c.untold[name] = true
				}
				for _, q := range c.questions(e) {
					c.answered[q], here[q] = true, true
				}
				if !c.wantsReturn(e) || !f.m.Reachable() {
					continue
				}
				cond := w.Pool.And(w.Pool.Eq(ref, w.RefOf(p)), k.when)
				if c.saysOther(n, list) {
					cond = w.Pool.And(cond, f.any("returned/"+p.Key+"/says"+strconv.Itoa(n), leaf{typ: boolType}, lower.Unmodelled))
				}
				if c.isPerhaps(e) {
					cond = w.Pool.And(cond, f.any("returned/"+p.Key+"/untold"+strconv.Itoa(n), leaf{typ: boolType}, lower.Unmodelled))
				}
				if mark := f.m.Marked(e.key); mark != nil && !c.o.BlameAny {
					cond = w.Pool.And(cond, w.Pool.Not(mark.Term))
				}
				pos := e.pos
				if at, ok := c.errorAt[f.m.M.Name+" "+e.key]; ok && e.global != "" {
					pos = at
				}
				if pos.Line == 0 && f.fn != nil {
					pos = f.pos(f.fn.Pos())
				}
				message := e.message
				if len(c.questions(e)) == 0 && !e.unmet {
					message = c.commonMessage(e, list)
				}
				f.m.Fail(cond, &lower.Site{ErrorSite: &prog.ErrorSite{Kind: "return", Message: message, Pos: pos}})
			}
		}
	}
	// What wraps an error of the environment is the environment's, unless only
	// such an error can be the one that is asked for.
	for _, q := range guesses {
		if !here[q] {
			c.guessed[name] = q
		}
	}
}

// mayAsk reports whether an error may be one under study by what it wraps.
func (c *compiler) mayAsk(e *errorValue) bool {
	return c.kinds.misuse || len(c.kinds.values) > 0 || len(c.kinds.returns) > 0 || slices.ContainsFunc(c.kinds.messages, func(m string) bool { return mayBe(e.message, m) })
}

// saysOther reports whether an error that is under study by one of its cases may be none by
// another one: its type has a method Error that says several things, of which it is not followed
// when it says which.
func (c *compiler) saysOther(n int, list []errorCase) bool {
	when := list[n].when
	for m, k := range list {
		if m != n && (!c.wantsReturn(k.is) || c.isPerhaps(k.is)) && (k.when == when || k.when.IsTrue() || when.IsTrue()) {
			return true
		}
	}
	return false
}

// commonMessage is what is known of a message if it may also be that of other cases in which
// the same error is wrapped: which one it is, its fields say.
func (c *compiler) commonMessage(e *errorValue, list []errorCase) string {
	text := e.message
	for _, k := range list {
		if same := k.is.inner == e.inner || k.is.inner != nil && e.inner != nil && k.is.inner.key == e.inner.key; same && c.isMisuse(k.is) {
			text = common(text, k.is.message)
		}
	}
	return text
}

func isErrorType(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}
