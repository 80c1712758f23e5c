// SPDX-License-Identifier: Apache-2.0

package golang

// This file says which packages count as the component's own.
//
// An error that is asked for by its message, or by its name, may be made by a package that the component's
// imports: a compressor in a file format returns what the compressor below it says. As long as that package is the
// environment, nothing is known of such errors. So it is joined to the component's package, with all packages
// between the two, those that import it and are imported. Together these are what one package could be: its
// code, its unexported fields and variables are seen by nobody else, and it imports nothing that imports it. Everything that is said
// of the component's package elsewhere then holds of all of them, except that constructors, and
// what counts as misuse, are those of the component's package alone.

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxJoined bounds the packages that are joined to the component's.
const maxJoined = 4

// own returns the packages that count as the component's own; its package first.
func (l *loaded) own() []*ssa.Package {
	return append([]*ssa.Package{l.pkg}, l.joined...)
}

// owns reports whether a package counts as the component's own.
func (l *loaded) owns(pkg *types.Package) bool {
	return pkg == l.pkg.Pkg || slices.ContainsFunc(l.joined, func(p *ssa.Package) bool { return p.Pkg == pkg })
}

// inits returns what initializes these packages.
func (l *loaded) inits() (all []*ssa.Function) {
	for _, p := range l.own() {
		if init := p.Func("init"); init != nil {
			all = append(all, init)
		}
	}
	return all
}

// ownRuns returns the functions of these packages that exist in SSA form, with function literals, wrappers and instances.
func (l *loaded) ownRuns() (all []*ssa.Function) {
	for _, p := range l.own() {
		all = append(all, l.functionsOf()[p.Pkg]...)
	}
	return all
}

// ownFunctions returns the functions of these packages as they are written.
func (c *compiler) ownFunctions() (all []*ssa.Function) {
	for _, p := range c.l.own() {
		all = append(all, c.functionsIn(p)...)
	}
	return all
}

// join returns the component's package together with those that make errors which are asked for, or as it
// is if there are none, or too many.
func (l *loaded) join(k kinds) *loaded {
	if len(l.joined) > 0 {
		return l
	}
	makers := l.makersOf(k)
	if len(makers) == 0 {
		return l
	}
	// A package is between if one that it imports is.
	between := map[*types.Package]bool{}
	seen := map[*types.Package]bool{}
	var list []*ssa.Package
	var visit func(p *types.Package) bool
	visit = func(p *types.Package) bool {
		if seen[p] {
			return between[p]
		}
		seen[p] = true
		is := makers[p]
		for _, q := range p.Imports() {
			is = visit(q) || is
		}
		if is && p != l.pkg.Pkg {
			between[p] = true
			list = append(list, l.prog.Package(p))
		}
		return is
	}
	visit(l.pkg.Pkg)
	if len(list) > maxJoined || slices.Contains(list, nil) {
		return l
	}
	slices.SortFunc(list, func(a, b *ssa.Package) int { return cmp.Compare(a.Pkg.Path(), b.Pkg.Path()) })
	return &loaded{prog: l.prog, pkg: l.pkg, from: l.from, fset: l.fset, functionsOf: l.functionsOf, instances: l.instances, joined: list}
}

// makersOf returns the packages other than the component's that may make an error which is asked for. Of a message
// that the component's package has itself, only those that keep an error with just this one count.
func (l *loaded) makersOf(k kinds) map[*types.Package]bool {
	if len(k.messages)+len(k.values) == 0 {
		return nil
	}
	makers := map[*types.Package]bool{}
	for _, v := range k.values {
		if p := l.packageOfValue(v); p != nil && p != l.pkg {
			makers[p.Pkg] = true
		}
	}
	own := map[string]bool{} // messages of the component's package
	for _, fn := range l.functionsOf()[l.pkg.Pkg] {
		for text := range messagesIn(fn) {
			for _, m := range k.messages {
				own[m] = own[m] || mayBe(text, m)
			}
		}
	}
	for _, p := range l.prog.AllPackages() {
		if p == l.pkg {
			continue
		}
		for _, fn := range l.functionsOf()[p.Pkg] {
			for text := range messagesIn(fn) {
				for _, m := range k.messages {
					if !own[m] && mayBe(text, m) || text == m && fn.Synthetic == "package initializer" {
						makers[p.Pkg] = true
					}
				}
			}
		}
	}
	return makers
}

// packageOfValue is the package with the variable of a name such as pkg.ErrX; nil if there is none, or more than one.
func (l *loaded) packageOfValue(v string) *ssa.Package {
	if all := l.errorVariables(v); len(all) == 1 {
		return all[0].Pkg
	}
	return nil
}

// messagesIn returns the messages of the errors that a function makes, as far as they are constant in it.
func messagesIn(fn *ssa.Function) map[string]bool {
	all := map[string]bool{}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Call:
				if g := i.Call.StaticCallee(); g != nil && len(i.Call.Args) > 0 && (isFunction(g, "errors", "New") || isFunction(g, "fmt", "Errorf")) {
					all[staticMessage(i)] = true
				}
			case *ssa.MakeInterface:
				if k, ok := i.X.(*ssa.Const); ok && types.Implements(k.Type(), errorInterface) {
					all[staticMessage(k)] = true
				}
			}
		}
	}
	return all
}
