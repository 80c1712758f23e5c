// SPDX-License-Identifier: Apache-2.0

package golang

// This file loads a package whose text another front end has made. It imports nothing, and the go command is not asked.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A Text is a package that is given as text.
type Text struct {
	Name  string
	Files []TextFile
	// Models are types of the package of which others have values too. They have none of its other structs behind interfaces.
	Models []string
	// LengthBits is how many bits the lengths of arrays have.
	LengthBits int
	// Environment are functions without bodies, as "f" or "T.m", that count as those of another package: what they do is
	// the environment's. Of the others nothing is known.
	Environment []string
}

// A TextFile is one file of a Text.
type TextFile struct {
	Name string
	Text []byte
}

// loadText loads a package that is given as text.
func loadText(t *Text) (*loaded, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range t.Files {
		file, err := parser.ParseFile(fset, f.Name, f.Text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("internal error: %s: %w", t.Name, err)
		}
		files = append(files, file)
	}
	pkg, info, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage(t.Name, t.Name), files, ssa.InstantiateGenerics)
	if err != nil {
		return nil, fmt.Errorf("internal error: %s: %w", t.Name, err)
	}
	leaveToOthers(pkg, t.Environment)
	forwardStores(pkg.Prog)
	reuseLoads(pkg.Prog)
	from := &packages.Package{PkgPath: t.Name, Name: t.Name, Fset: fset, Syntax: files, Types: pkg.Pkg, TypesInfo: info}
	return &loaded{prog: pkg.Prog, pkg: pkg, from: from, fset: fset, functionsOf: functionsOf(pkg.Prog), instances: &instances{}}, nil
}

// environmentPackage is the name of the package that functions of the environment count as.
const environmentPackage = "environment"

// leaveToOthers makes functions count as ones of another package, which can name types of this one.
func leaveToOthers(pkg *ssa.Package, names []string) {
	other := pkg.Prog.CreatePackage(types.NewPackage(environmentPackage, environmentPackage), nil, nil, true)
	for _, name := range names {
		recv, method, isMethod := strings.Cut(name, ".")
		if !isMethod {
			if fn := pkg.Func(name); fn != nil && len(fn.Blocks) == 0 {
				fn.Pkg = other
			}
			continue
		}
		t := pkg.Type(recv)
		if t == nil {
			continue
		}
		sel := pkg.Prog.MethodSets.MethodSet(types.NewPointer(t.Type())).Lookup(pkg.Pkg, method)
		if sel == nil {
			continue
		}
		if fn := pkg.Prog.MethodValue(sel); fn != nil && len(fn.Blocks) == 0 {
			fn.Pkg = other
		}
	}
}

// lengthBits is how many bits a length has, by convention.
const lengthBits = 47

func (o Options) lengthBits() int {
	if o.Text != nil && o.Text.LengthBits > 0 {
		return o.Text.LengthBits
	}
	return lengthBits
}

// isOnlyMadeHere reports whether values of a type that others hand over are never behind interfaces: of a package that is given as
// text, pointers to its structs, but for those that it says.
func (c *compiler) isOnlyMadeHere(t types.Type) bool {
	if c.o.Text == nil || !isPointer(t) {
		return false
	}
	n, ok := deref(t).(*types.Named)
	return ok && n.Obj().Pkg() == c.l.pkg.Pkg && isStruct(n) && !slices.Contains(c.o.Text.Models, n.Obj().Name())
}

// IsPartial reports whether a program leaves code out which another one would follow: because that is too large, only what errors
// directly depend on is in it.
func (r *Result) IsPartial() bool { return r.level > 0 || len(r.opaque) > 0 || len(r.leftOut) > 0 }
