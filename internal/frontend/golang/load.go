// SPDX-License-Identifier: Apache-2.0

package golang

// This file finds the type that a user names and loads its package, from source
// and without the network, by the go command's own rules.

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A Subject is a type, or a package, as the user names it.
type Subject struct {
	Package string
	Type    string // "" is the package itself
	Args    string // type arguments, without brackets
}

// ParseSubject reads "bufio.Scanner", "bufio.(*Scanner)", "./store.Tx",
// "cache.LRU[string,int]".
func ParseSubject(text string) (Subject, error) {
	name, args, generic := strings.Cut(text, "[")
	if generic {
		if !strings.HasSuffix(args, "]") {
			return Subject{}, fmt.Errorf("%s: expected ] after the type arguments", text)
		}
		args = strings.TrimSuffix(args, "]")
	}
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.LastIndexByte(name[slash:], '.')
	if dot < 0 || name[slash:] == ".." || name[slash:] == "." {
		return Subject{}, fmt.Errorf("%s: expected a type with its package, such as bufio.Scanner or ./store.Tx", text)
	}
	s := Subject{Package: name[:slash+dot], Type: name[slash+dot+1:], Args: args}
	if t, ok := strings.CutPrefix(s.Type, "(*"); ok {
		s.Type = strings.TrimSuffix(t, ")")
	}
	if s.Package == "" || !token.IsIdentifier(s.Type) {
		return Subject{}, fmt.Errorf("%s: expected a type with its package, such as bufio.Scanner or ./store.Tx", text)
	}
	return s, nil
}

// String is the subject as a user would write it.
func (s Subject) String() string {
	switch {
	case s.Type == "":
		return s.Package
	case s.Args != "":
		return s.Package + "." + s.Type + "[" + s.Args + "]"
	}
	return s.Package + "." + s.Type
}

// loaded is a package in SSA form with all it depends on.
type loaded struct {
	prog *ssa.Program
	pkg  *ssa.Package
	from *packages.Package
	fset *token.FileSet

	functionsOf func() map[*types.Package][]*ssa.Function

	*instances                                                  // of generic functions; see instance.go
	joined     []*ssa.Package                                   // count as the component's package; see joined.go
	fields     map[*types.Package]map[*types.Var]*functionField // see fields_functions.go
	embedded   map[string]bool                                  // variables that hold files; see dead.go
	linked     map[string]bool                                  // variables and functions that the linker may know by another name; see dead.go
}

// config is how packages are loaded.
func (o Options) config(ctx context.Context) *packages.Config {
	conf := &packages.Config{
		Context: ctx,
		Mode:    packages.LoadAllSyntax | packages.NeedModule,
		Dir:     o.Dir,
	}
	conf.Env = offline(o.Env)
	if o.Tags != "" {
		conf.BuildFlags = []string{"-tags=" + o.Tags}
	}
	return conf
}

// offline returns an environment in which the go command touches no network: a
// proxy may only be a directory.
func offline(env []string) []string {
	if env == nil {
		env = os.Environ() // as the go command would
	}
	local := false
	for _, e := range env {
		if list, ok := strings.CutPrefix(e, "GOPROXY="); ok {
			local = true
			for _, p := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '|' }) {
				local = local && (p == "off" || strings.HasPrefix(p, "file://"))
			}
		}
	}
	if !local {
		env = append(slices.Clone(env), "GOPROXY=off")
	}
	return env
}

// ErrNoModule is wrapped by the error of a package that no module provides which
// the go command knows where it runs.
var ErrNoModule = errors.New("no module provides it")

// A moduleError is an error of the go command that is ErrNoModule too.
type moduleError string

func (e moduleError) Error() string { return string(e) }

func (e moduleError) Is(target error) bool { return target == ErrNoModule }

// loadError is an error of the go command in one line. Only its text tells which
// one it is.
func loadError(text, dir string) error {
	text = withCommand(text)
	if dir == "" {
		dir, _ = os.Getwd()
	}
	if dir != "" {
		text = strings.TrimPrefix(text, strings.TrimSuffix(dir, "/")+"/")
	}
	if strings.Contains(text, "no required module provides package") || strings.Contains(text, "cannot find module providing package") || text == lookupDisabled {
		return moduleError(text)
	}
	return errors.New(text)
}

// lookupDisabled is what the go command says of a package that it would look for in the network.
const lookupDisabled = "module lookup disabled by GOPROXY=off"

var (
	toAdd      = regexp.MustCompile(`; to add(?: it)?:\n\t(go (?:get|mod download) \S+)`)
	notFetched = regexp.MustCompile(`^(?:\S+: )?(\S+@v[^\s:]+): .*` + lookupDisabled)
)

// withCommand is an error of the go command in one line, with the command that gets a module which is not
// downloaded.
func withCommand(text string) string {
	if m := toAdd.FindStringSubmatchIndex(text); m != nil {
		text = text[:m[0]] + ": '" + text[m[2]:m[3]] + "' gets it" + text[m[1]:]
	}
	text = oneLine(text)
	if m := notFetched.FindStringSubmatch(text); m != nil {
		return "module " + m[1] + " is not downloaded: 'go mod download " + m[1] + "' gets it"
	}
	return text
}

// broken returns the first error of packages and what they depend on. Those of the go command come
// first: that an import does not type-check follows from them.
func broken(list []*packages.Package, dir string) (err error) {
	listed := false
	packages.Visit(list, nil, func(q *packages.Package) {
		for _, e := range q.Errors {
			if first := e.Kind == packages.ListError && !listed; err == nil || first {
				listed = listed || first
				err = loadError(e.Error(), dir)
			}
		}
	})
	return err
}

// load returns the package of a subject, which may have been loaded before; see remember.go.
func load(ctx context.Context, s Subject, o Options) (*loaded, error) {
	if o.Text != nil {
		return loadText(o.Text)
	}
	if m, ok := ctx.Value(memoryKey{}).(*memory); ok {
		return m.load(ctx, s, o)
	}
	return loadPackage(ctx, s, o)
}

func loadPackage(ctx context.Context, s Subject, o Options) (*loaded, error) {
	list, err := packages.Load(o.config(ctx), s.Package)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %s", s.Package, oneLine(err.Error()))
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("%s: expected one package, found %d", s.Package, len(list))
	}
	p := list[0]
	if err := broken(list, o.Dir); err != nil {
		return nil, err
	}
	prog, pkgs := ssautil.AllPackages(list, ssa.InstantiateGenerics)
	if pkgs[0] == nil {
		return nil, fmt.Errorf("%s: the package does not type-check", s.Package)
	}
	prog.Build()
	forwardStores(prog)
	reuseLoads(prog)
	return &loaded{prog: prog, pkg: pkgs[0], from: p, fset: p.Fset, functionsOf: functionsOf(prog), instances: &instances{}}, nil
}

// withoutPosition removes the position in a text that is no file.
func withoutPosition(text string) string {
	if rest, ok := strings.CutPrefix(text, "eval:"); ok {
		if _, after, ok := strings.Cut(rest, ": "); ok {
			return after
		}
	}
	return text
}

func oneLine(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "-: ")
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// named finds the type of a subject and instantiates it.
func (l *loaded) named(s Subject) (*types.Named, error) {
	scope := l.pkg.Pkg.Scope()
	obj := scope.Lookup(s.Type)
	if obj == nil {
		return nil, fmt.Errorf("%s: package %s has no type %s%s", s, l.pkg.Pkg.Path(), s.Type, near(scope, s.Type))
	}
	tn, ok := obj.(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("%s is a %s, not a type", s, kindOf(obj))
	}
	named, ok := types.Unalias(tn.Type()).(*types.Named)
	if !ok {
		return nil, fmt.Errorf("%s: type %s has no methods", s, s.Type)
	}
	if types.IsInterface(named) {
		return nil, fmt.Errorf("%s is an interface type: it has no code; name a type that implements it", s)
	}
	switch params := named.TypeParams(); {
	case params.Len() == 0 && s.Args != "":
		return nil, fmt.Errorf("%s: type %s is not generic", s, s.Type)
	case params.Len() > 0 && s.Args == "":
		return nil, fmt.Errorf("%s is generic: give type arguments, such as %s[%s]", s, s, strings.TrimSuffix(strings.Repeat("int,", params.Len()), ","))
	case params.Len() > 0:
		tv, err := types.Eval(l.fset, l.pkg.Pkg, token.NoPos, s.Type+"["+s.Args+"]")
		if err != nil {
			return nil, fmt.Errorf("%s: %s", s, withoutPosition(oneLine(err.Error())))
		}
		named, ok = types.Unalias(tv.Type).(*types.Named)
		if !ok || !tv.IsType() {
			return nil, fmt.Errorf("%s: %s[%s] is not a type", s, s.Type, s.Args)
		}
	}
	if types.NewMethodSet(types.NewPointer(named)).Len() == 0 {
		return nil, fmt.Errorf("%s: type %s has no methods", s, s.Type)
	}
	return named, nil
}

func kindOf(o types.Object) string {
	switch o.(type) {
	case *types.Func:
		return "function"
	case *types.Var:
		return "variable"
	case *types.Const:
		return "constant"
	}
	return "declaration"
}

// near suggests names that differ in case only.
func near(scope *types.Scope, name string) string {
	for _, n := range scope.Names() {
		if strings.EqualFold(n, name) {
			return "; there is " + n
		}
	}
	return ""
}

// inModule makes the path of a package of the user's own module relative to it.
func (l *loaded) inModule(path string) string {
	m := l.from.Module
	if m == nil || !m.Main {
		return path
	}
	if path == m.Path {
		return ""
	}
	return strings.TrimPrefix(path, m.Path+"/")
}

// docOf returns the documentation of a type.
func (l *loaded) docOf(name string) string {
	for _, f := range l.from.Syntax {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Name == name {
					if ts.Doc != nil {
						return ts.Doc.Text()
					}
					return g.Doc.Text()
				}
			}
		}
	}
	return ""
}

// members returns the functions of the package in order of their names.
func (l *loaded) functions() []*ssa.Function {
	var all []*ssa.Function
	for _, m := range l.pkg.Members {
		if f, ok := m.(*ssa.Function); ok {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b *ssa.Function) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}
