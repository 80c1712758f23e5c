// SPDX-License-Identifier: Apache-2.0

package golang

// This file loads many packages at once, for those who want the interfaces of
// many types: loading and building SSA takes much longer than lowering a type.
// The result for a type is the same as when its package is loaded alone, since
// lowering looks only at what the package depends on.

import (
	"context"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// Packages are loaded packages in SSA form.
type Packages struct {
	paths  []string // in order
	byPath map[string]*loaded
}

// Load loads the packages that the patterns of the go command match, with all
// they depend on.
func Load(ctx context.Context, patterns []string, o Options) (*Packages, error) {
	list, err := packages.Load(o.config(ctx), patterns...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %s", strings.Join(patterns, " "), oneLine(err.Error()))
	}
	if err := broken(list, o.Dir); err != nil {
		return nil, err
	}
	prog, built := ssautil.AllPackages(list, ssa.InstantiateGenerics)
	prog.Build()
	forwardStores(prog)
	reuseLoads(prog)
	functions := functionsOf(prog)
	all := &Packages{byPath: map[string]*loaded{}}
	for i, p := range list {
		if built[i] == nil {
			return nil, fmt.Errorf("%s: the package does not type-check", p.PkgPath)
		}
		all.paths = append(all.paths, p.PkgPath)
		all.byPath[p.PkgPath] = &loaded{prog: prog, pkg: built[i], from: p, fset: p.Fset, functionsOf: functions, instances: &instances{}}
	}
	slices.Sort(all.paths)
	return all, nil
}

// Types returns the exported types that have exported methods, by package and
// name. A generic type is instantiated with int, or another type that its
// constraints admit; one that no simple type fits is left out.
func (a *Packages) Types() []Subject {
	var out []Subject
	for _, path := range a.paths {
		l := a.byPath[path]
		scope := l.pkg.Pkg.Scope()
		for _, name := range scope.Names() {
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || !tn.Exported() || tn.IsAlias() {
				continue
			}
			named, ok := tn.Type().(*types.Named)
			if !ok || types.IsInterface(named) {
				continue
			}
			args, ok := simpleArguments(named.TypeParams())
			if !ok || !hasExportedMethod(named) {
				continue
			}
			out = append(out, Subject{Package: path, Type: name, Args: args})
		}
	}
	return out
}

// Compile lowers a type of one of the packages. Dir, Env and Tags are those of
// Load.
func (a *Packages) Compile(ctx context.Context, s Subject, o Options) (*Result, error) {
	l := a.byPath[s.Package]
	if l == nil {
		return nil, fmt.Errorf("%s: package %s was not loaded", s, s.Package)
	}
	k, err := parseKinds(o.Errors)
	if err != nil {
		return nil, err
	}
	return l.compile(ctx, s, o, k)
}

// Checked reports whether no check of the run time was too large to follow.
func (r *Result) Checked() bool { return r.checker == nil || !r.checker.large }

// Panics counts the panics that are written in the component's own code which a call may run, also those that
// no run comes to.
func (r *Result) Panics() int { return r.panics }

// RunTimeChecks counts the lines with checks of the run time that clients may reach.
func (r *Result) RunTimeChecks() int {
	if r.checker == nil {
		return r.Checks()
	}
	return r.checker.total
}

func hasExportedMethod(named *types.Named) bool {
	set := types.NewMethodSet(types.NewPointer(named))
	for i := range set.Len() {
		if set.At(i).Obj().Exported() {
			return true
		}
	}
	return false
}

// simpleArguments chooses a basic type for each type parameter.
func simpleArguments(params *types.TypeParamList) (string, bool) {
	var args []string
	for i := range params.Len() {
		iface, ok := params.At(i).Constraint().Underlying().(*types.Interface)
		if !ok {
			return "", false
		}
		k := slices.IndexFunc([]types.BasicKind{types.Int, types.String, types.Float64}, func(k types.BasicKind) bool {
			return types.Satisfies(types.Typ[k], iface)
		})
		if k < 0 {
			return "", false
		}
		args = append(args, []string{"int", "string", "float64"}[k])
	}
	return strings.Join(args, ","), true
}

// functionsOf sorts the functions of a program by package. It takes long for a
// large program, so it is done once, when somebody asks.
func functionsOf(prog *ssa.Program) func() map[*types.Package][]*ssa.Function {
	var byPackage map[*types.Package][]*ssa.Function
	return func() map[*types.Package][]*ssa.Function {
		if byPackage == nil {
			byPackage = map[*types.Package][]*ssa.Function{}
			for fn := range ssautil.AllFunctions(prog) {
				p := packageOf(fn)
				byPackage[p] = append(byPackage[p], fn)
			}
		}
		return byPackage
	}
}
