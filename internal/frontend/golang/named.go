// SPDX-License-Identifier: Apache-2.0

package golang

// This file deals with errors that are asked for by the name of a package variable. Variables that
// are initialized with one another are names of one error: os.ErrClosed is fs.ErrClosed. So a question is about the
// value of its variable. If that is not known, any error that is returned may be it.

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// withVariables finds the variables that errors under study are named by. A pattern that is the name of one is no pattern, also without the
// name of the component's package.
func (l *loaded) withVariables(k kinds) kinds {
	k.variables = map[string][]*ssa.Global{}
	k.values, k.names = slices.Clone(k.values), slices.Clone(k.names)
	k.returns = slices.DeleteFunc(slices.Clone(k.returns), func(re *regexp.Regexp) bool {
		name := re.String()
		if g, ok := l.pkg.Members[name].(*ssa.Global); ok && isErrorType(deref(g.Type())) {
			full := l.pkg.Pkg.Name() + "." + name
			for i, text := range k.names {
				if strings.Join(strings.Fields(text), " ") == "return "+name {
					k.names[i] = "return " + full
				}
			}
			name = full
		}
		if len(l.errorVariables(name)) == 0 {
			return false
		}
		k.values = append(k.values, name)
		return true
	})
	for _, v := range k.values {
		k.variables[v] = l.errorVariables(v)
	}
	return k
}

// errorVariables returns the package variables of a name such as pkg.ErrX that hold errors.
func (l *loaded) errorVariables(name string) (all []*ssa.Global) {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || !token.IsIdentifier(name[i+1:]) {
		return nil
	}
	for _, p := range l.prog.AllPackages() {
		if path := p.Pkg.Path(); path != name[:i] && !strings.HasSuffix(path, "/"+name[:i]) {
			continue
		}
		if g, ok := p.Members[name[i+1:]].(*ssa.Global); ok && isErrorType(deref(g.Type())) {
			all = append(all, g)
		}
	}
	return all
}

// isOwnValue reports whether a variable that is asked for is one of the component's packages, and so is the one that its value comes
// from.
func (c *compiler) isOwnValue(name string) bool {
	if !slices.ContainsFunc(c.l.own(), func(p *ssa.Package) bool {
		return strings.HasPrefix(name, p.Pkg.Path()+".") || strings.HasPrefix(name, p.Pkg.Name()+".")
	}) {
		return false
	}
	return !slices.ContainsFunc(c.kinds.variables[name], func(g *ssa.Global) bool {
		e := c.sentinel(g)
		return e != nil && c.l.owns(g.Pkg.Pkg) && !c.l.owns(e.pkg)
	})
}

// isNamed reports whether an error is the value of a variable that is asked for.
func (c *compiler) isNamed(e *errorValue, name string) bool {
	if e.global == "" {
		return false
	}
	if e.global == name || strings.HasSuffix(e.global, "/"+name) {
		return true
	}
	return slices.ContainsFunc(c.kinds.variables[name], func(g *ssa.Global) bool {
		same := c.sentinel(g)
		return same != nil && same.key == e.key
	})
}

// unknownValue says why the value of a variable that is asked for is not known; "" if it is.
func (c *compiler) unknownValue() string {
	for _, v := range c.kinds.values {
		list := c.kinds.variables[v]
		if len(list) == 0 {
			return fmt.Sprintf("there is no variable %s in what the package imports; its value may be that of another", v)
		}
		for _, g := range list {
			if e := c.sentinel(g); e == nil || e.vague && !e.fresh {
				return fmt.Sprintf("the value of %s is not known", v)
			}
		}
	}
	return ""
}

// mayBeAnother reports whether the error of a package variable may be that of another variable, or wrap it: what
// it is initialized with is not known.
func (c *compiler) mayBeAnother(e *errorValue) bool {
	return e.mayWrap || e.vague && !e.fresh
}

// makesErrors reports whether a function returns only errors that it makes, and that wrap none.
func makesErrors(fn *ssa.Function) bool {
	if fn == nil || len(fn.Blocks) == 0 || fn.Recover != nil {
		return false
	}
	for _, b := range fn.Blocks {
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		if len(r.Results) != 1 {
			return false
		}
		switch x := r.Results[0].(type) {
		case *ssa.MakeInterface:
			if wrapsByType(x) {
				return false
			}
		case *ssa.Call:
			if g := x.Call.StaticCallee(); g == nil || nameOf(g) != "errors.New" && (nameOf(g) != "fmt.Errorf" || mayWrapBy(x)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// wrapsByType reports whether the type of an error has a method that says what it wraps.
func wrapsByType(x *ssa.MakeInterface) bool {
	set := x.Parent().Prog.MethodSets.MethodSet(x.X.Type())
	return set.Lookup(nil, "Unwrap") != nil || set.Lookup(nil, "Is") != nil
}

// mayWrapBy reports whether a call of fmt.Errorf may wrap an error.
func mayWrapBy(call *ssa.Call) bool {
	k, ok := call.Call.Args[0].(*ssa.Const)
	return !ok || strings.Contains(constantText(k), "%w")
}
