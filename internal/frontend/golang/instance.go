// SPDX-License-Identifier: Apache-2.0

package golang

// This file instantiates generic functions that make an object of an instance of
// a generic type. Package ssa makes the bodies of instances only where code
// mentions them, so a package is added to the program that does nothing else.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// instances are those that there are of generic functions, by what they are called, and what else is found out once and is so for all
// types of a package.
type instances struct {
	made      map[string]*ssa.Function
	fitting   typeutil.Map                                       // see fitsIn
	lateFlows *lateFlows                                         // see there
	live      map[*ssa.Package]map[*ssa.Function]bool            // see alive
	inPackage map[*ssa.Package][]*ssa.Function                   // functions; see functionsIn
	mentions  map[*ssa.Package]map[*ssa.Global][]ssa.Instruction // by variable; see there
	hidden    map[*types.TypeName]bool                           // types; see obvious_hidden.go
}

// instance returns a function as it is, or if it is generic its instance whose
// result is the given type; nil if there is none.
func (c *compiler) instance(fn *ssa.Function, want *types.Named) *ssa.Function {
	params := fn.Signature.TypeParams()
	if params.Len() == 0 {
		return fn
	}
	if want == nil || want.TypeArgs().Len() == 0 {
		return nil
	}
	args := make([]types.Type, params.Len())
	res := fn.Signature.Results()
	for i := range res.Len() {
		t := res.At(i).Type()
		if e := deref(t); e != nil {
			t = e
		}
		n, ok := t.(*types.Named)
		if !ok || n.Origin() != want.Origin() {
			continue
		}
		for k := range n.TypeArgs().Len() {
			if p, ok := n.TypeArgs().At(k).(*types.TypeParam); ok && p.Index() < len(args) && params.At(p.Index()) == p {
				args[p.Index()] = want.TypeArgs().At(k)
			}
		}
	}
	for _, a := range args {
		if a == nil {
			return nil
		}
	}
	inst, err := types.Instantiate(nil, fn.Signature, args, true)
	if err != nil || inst == nil {
		return nil
	}
	return c.l.instantiate(fn, args)
}

// instantiate returns the instance of a generic function; nil if its type
// arguments cannot be written in another package.
func (l *loaded) instantiate(fn *ssa.Function, args []types.Type) *ssa.Function {
	imports := map[string]*types.Package{}
	var order []string
	name := func(p *types.Package) string {
		for i, path := range order {
			if path == p.Path() {
				return fmt.Sprintf("p%d", i)
			}
		}
		imports[p.Path()] = p
		order = append(order, p.Path())
		return fmt.Sprintf("p%d", len(order)-1)
	}
	call := name(fn.Pkg.Pkg) + "." + fn.Name()
	var list []string
	for _, a := range args {
		list = append(list, types.TypeString(a, name))
	}
	key := call + "[" + strings.Join(list, ", ") + "]"
	if f, ok := l.made[key]; ok {
		return f
	}
	if l.made == nil {
		l.made = map[string]*ssa.Function{}
	}
	l.made[key] = nil
	var text strings.Builder
	text.WriteString("package instance\n")
	for i, path := range order {
		fmt.Fprintf(&text, "import p%d %q\n", i, path)
	}
	fmt.Fprintf(&text, "func instance() any { return %s }\n", key)
	file, err := parser.ParseFile(l.fset, "instance.go", text.String(), parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{}}
	conf := types.Config{Importer: importing(imports)}
	pkg, err := conf.Check(fmt.Sprintf("interlock/instance%d", len(l.made)), l.fset, []*ast.File{file}, info)
	if err != nil {
		return nil // an unexported type, for instance
	}
	sp := l.prog.CreatePackage(pkg, []*ast.File{file}, info, false)
	sp.Build()
	for _, b := range sp.Func("instance").Blocks {
		for _, i := range b.Instrs {
			for _, op := range i.Operands(nil) {
				if g, ok := (*op).(*ssa.Function); ok && g.Origin() == fn {
					l.made[key] = g
				}
			}
		}
	}
	return l.made[key]
}

type importing map[string]*types.Package

func (m importing) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}
