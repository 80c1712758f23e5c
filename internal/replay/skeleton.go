// SPDX-License-Identifier: Apache-2.0

package replay

// This file makes an interface of what the declarations of a type say: its constructors and
// methods, in one state of which nothing is known.

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// NothingRead is the reason of cells that nobody has looked at.
const NothingRead = "the code was not read"

// maxOutcomes bounds the outcomes of a method: if its results have more combinations, its one outcome is "return".
const maxOutcomes = 8

// Skeleton returns an interface in which every call is unknown. Its errors are of some kinds.
func (s *Subject) Skeleton(kinds []string) (*typestate.Interface, error) {
	if s.isPackage() || s.typ == nil {
		return nil, fmt.Errorf("%s: only an exported type can be run without reading it", s.Name)
	}
	i := &typestate.Interface{
		Format:      typestate.Format,
		Component:   typestate.Component{Language: "go", Name: s.Name, Errors: kinds},
		States:      []typestate.State{{Registers: []typestate.Register{}}},
		Conventions: []string{"made: constructors return: the code was not read"},
		Guarantees:  typestate.Guarantees{Safe: typestate.GuaranteeOpen, Permissive: typestate.GuaranteeOpen, Tight: typestate.GuaranteeUnknown},
	}
	initial := 0
	for _, c := range s.constructors() {
		c.State = &initial
		if !slices.ContainsFunc(i.Constructors, func(k typestate.Constructor) bool { return k.Method == c.Method }) {
			i.Constructors = append(i.Constructors, c) // embedding types have the methods of others
		}
	}
	methods := types.NewMethodSet(holds(s.typ))
	for k := range methods.Len() {
		f := methods.At(k).Obj().(*types.Func)
		if !f.Exported() {
			continue
		}
		sig := f.Type().(*types.Signature)
		params, kinds := parameters(sig)
		i.Calls = append(i.Calls, typestate.Call{ID: f.Name(), Method: f.Name(), Params: params, Types: kinds, Guard: "true", Outcomes: outcomesOf(sig.Results())})
		i.Edges = append(i.Edges, typestate.Edge{From: 0, Call: f.Name(), Outcome: "*", To: 0})
		i.Unknown = append(i.Unknown, typestate.Unknown{State: 0, Call: f.Name(), Reason: NothingRead})
	}
	if len(i.Calls) == 0 {
		return nil, fmt.Errorf("%s has no exported method", s.Name)
	}
	return i, nil
}

// constructors are the functions of the package that return the type, and methods of its other types, which
// are called on objects that its functions make. If there are none it is the zero value, or a fixture of an interface.
func (s *Subject) constructors() (list []typestate.Constructor) {
	add := func(method string, sig *types.Signature) {
		params, kinds := parameters(sig)
		list = append(list, typestate.Constructor{ID: method, Method: method, Params: params, Types: kinds, Guard: "true", Outcome: "*", Verdict: typestate.VerdictAllowed.String()})
	}
	scope := s.pkg.Scope()
	var others []*types.Func
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Func:
			if sig := obj.Type().(*types.Signature); sig.TypeParams().Len() == 0 && s.makes(sig) {
				add(s.pkg.Name()+"."+name, sig)
			}
		case *types.TypeName:
			methods := types.NewMethodSet(types.NewPointer(obj.Type()))
			for k := range methods.Len() {
				f := methods.At(k).Obj().(*types.Func)
				if f.Exported() && f.Pkg() == s.pkg && !types.Identical(obj.Type(), s.typ) && s.makes(f.Type().(*types.Signature)) {
					others = append(others, f)
				}
			}
		}
	}
	if s.held {
		list = nil // other types have the same methods
		others = nil
	}
	if len(list) > 0 {
		return list
	}
	for _, f := range others {
		sig := f.Type().(*types.Signature)
		method := types.TypeString(sig.Recv().Type(), func(*types.Package) string { return "" }) + "." + f.Name()
		if k := strings.Index(method, "."); strings.HasPrefix(method, "*") {
			method = "(" + method[:k] + ")" + method[k:]
		}
		add(method, sig)
		c := &list[len(list)-1]
		c.Code, c.Object = s.codeOf(f), "object"
		c.Params, c.Types = []string{}, []string{}
	}
	if len(list) == 0 {
		method := "zero"
		if _, isInterface := s.typ.Underlying().(*types.Interface); isInterface || s.held {
			method = "fixture" // nothing else makes one
		}
		add(method, types.NewSignatureType(nil, nil, nil, nil, nil, false))
	}
	return list
}

// codeOf is code that makes the owner of a method, and then calls it.
func (s *Subject) codeOf(f *types.Func) string {
	assign := func(name, call string, results int) string {
		if results == 2 {
			name += ", err"
		}
		return name + " := " + call + "\n"
	}
	owner := f.Type().(*types.Signature).Recv().Type()
	if p, ok := owner.(*types.Pointer); ok {
		owner = p.Elem()
	}
	named, ok := owner.(*types.Named)
	if !ok {
		return ""
	}
	code := "owner := new(" + s.pkg.Name() + "." + named.Obj().Name() + ")\n"
	o := &Subject{pkg: s.pkg, typ: owner}
	for _, name := range s.pkg.Scope().Names() {
		if maker, ok := s.pkg.Scope().Lookup(name).(*types.Func); ok && maker.Exported() {
			if sig := maker.Type().(*types.Signature); sig.TypeParams().Len() == 0 && o.makes(sig) {
				code = assign("owner", s.pkg.Name()+"."+name+"()", sig.Results().Len())
				break
			}
		}
	}
	return code + assign("object", "owner."+f.Name()+"()", f.Type().(*types.Signature).Results().Len())
}

// makes reports whether a function returns the type, alone or with an error.
func (s *Subject) makes(sig *types.Signature) bool {
	n := sig.Results().Len()
	if n == 0 || n > 2 || n == 2 && qualified(sig.Results().At(1).Type()) != "error" {
		return false
	}
	t := sig.Results().At(0).Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.Identical(t, s.typ)
}

// parameters are the names of parameters as interfaces have them, and their types.
func parameters(sig *types.Signature) (params, kinds []string) {
	params, kinds = []string{}, []string{}
	for k := range sig.Params().Len() {
		p := sig.Params().At(k)
		if sig.Variadic() && k == sig.Params().Len()-1 {
			break
		}
		name := p.Name()
		if name == "" || name == "_" {
			name = fmt.Sprintf("arg%d", k+1)
		}
		for n, base := 2, name; slices.Contains(params, name); n++ {
			name = fmt.Sprint(base, n)
		}
		names, types := guarded(name, p.Type())
		params, kinds = append(params, names...), append(kinds, types...)
	}
	return params, kinds
}

// guarded is what guards may ask of a parameter, and the types of that.
func guarded(name string, t types.Type) (names, kinds []string) {
	const length = "uint47"
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsString != 0:
			return []string{"len(" + name + ")"}, []string{length}
		case info&types.IsBoolean != 0:
			return []string{name}, []string{"bool"}
		case info&types.IsInteger != 0:
			kind := u.Name()
			if u.Kind() == types.Int || u.Kind() == types.Uint || u.Kind() == types.Uintptr {
				kind = map[types.BasicKind]string{types.Int: "int64"}[u.Kind()]
				if kind == "" {
					kind = "uint64"
				}
			}
			return []string{name}, []string{kind}
		}
	case *types.Slice:
		return []string{name, "len(" + name + ")"}, []string{"value", length}
	}
	return []string{name}, []string{"value"}
}

// outcomesOf are the classes of results: truth values, and what may be nil.
func outcomesOf(results *types.Tuple) []string {
	rows := []string{""}
	told := false
	for k := range results.Len() {
		classes := []string{"_"}
		switch u := results.At(k).Type().Underlying().(type) {
		case *types.Basic:
			if u.Info()&types.IsBoolean != 0 {
				classes = []string{"false", "true"}
			}
		case *types.Pointer, *types.Interface, *types.Map, *types.Chan, *types.Signature:
			classes = []string{"nil", "non-nil"}
		}
		told = told || len(classes) > 1
		var next []string
		for _, r := range rows {
			for _, c := range classes {
				next = append(next, strings.TrimPrefix(r+", "+c, ", "))
			}
		}
		rows = next
	}
	if !told || len(rows) > maxOutcomes {
		return []string{"return"}
	}
	if results.Len() > 1 {
		for k := range rows {
			rows[k] = "(" + rows[k] + ")"
		}
	}
	return rows
}
