// SPDX-License-Identifier: Apache-2.0

// Package replay holds an interface of a Go type against the type itself: it
// writes a Go test that drives the real type through words of the interface and
// compares what happens with the verdicts, and runs it.
//
// It knows nothing of how the interface came about. The type is loaded from the
// export data of the compiler, not by the front end, so that a mistake of the
// analysis does not hide in it.
package replay

// This file loads the type: its package, its methods and their parameters. The
// go command says where export data is; package go/types reads it. Package
// golang.org/x/tools/go/packages was not chosen: the two steps are all that is
// needed of it.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// A Subject is the type, or the package, that an interface is of.
type Subject struct {
	Name     string // as the interface names it
	Path     string // import path
	Standard bool
	Module   string // directory of the module that the package is in, "" for none
	Main     bool   // it is the module of the working directory
	Dir      string // of the package

	pkg    *types.Package
	held   bool       // typ is the type by which clients hold an object of another one
	typ    types.Type // of the object; nil for a package, or if it is not exported
	hidden string     // the name of a type that is not exported
	load   func(path string) (*types.Package, error)
}

type listed struct {
	ImportPath, Name, Dir, Export string
	Standard, DepOnly             bool
	Module                        *struct {
		Dir  string
		Main bool
	}
	Error *struct{ Err string }
}

// Load finds the type that an interface names, as seen from a directory. If as is
// not empty, it is the type by which clients hold the object, such as io.Writer.
func Load(ctx context.Context, dir, name, as string) (*Subject, error) {
	s := &Subject{Name: name}
	full, args, _ := strings.Cut(name, "[")
	full, _, _ = strings.Cut(full, " ")
	full = strings.NewReplacer("(*", "", ")", "").Replace(full)
	path, typ := full, ""
	if k := strings.LastIndexByte(full, '.'); k > strings.LastIndexByte(full, '/') && full[k+1:] != "" {
		path, typ = full[:k], full[k+1:]
	}
	if as == "" {
		as = heldAs(full)
	}
	if as != "" {
		var ok bool
		if path, typ, ok = cutLast(as); !ok {
			return nil, fmt.Errorf("-as %q: expected PACKAGE.TYPE, such as io.Writer", as)
		}
		args, s.held = "", true
	}
	list, err := list(ctx, dir, path)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range list {
		exports[p.ImportPath] = p.Export
		if p.DepOnly {
			continue
		}
		if p.Error != nil {
			first, _, _ := strings.Cut(strings.TrimSpace(p.Error.Err), "\n")
			return nil, fmt.Errorf("%s: %s", path, first)
		}
		s.Path, s.Standard, s.Dir = p.ImportPath, p.Standard, p.Dir
		if p.Module != nil {
			s.Module, s.Main = p.Module.Dir, p.Module.Main
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file := exports[path]
		if file == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(file)
	})
	s.load = imp.Import
	if s.pkg, err = imp.Import(s.Path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if typ == "" {
		return s, nil
	}
	obj, ok := s.pkg.Scope().Lookup(typ).(*types.TypeName)
	switch {
	case !token.IsExported(typ):
		s.hidden = path + "." + typ
		return s, nil
	case !ok:
		return nil, fmt.Errorf("package %s has no type %s", path, typ)
	}
	s.typ = obj.Type()
	if args != "" {
		if s.typ, err = s.instantiate(obj, strings.TrimSuffix(args, "]")); err != nil {
			return nil, err
		}
	} else if n, ok := s.typ.(*types.Named); ok && n.TypeParams().Len() > 0 {
		return nil, fmt.Errorf("%s.%s has type parameters: the interface must name their types, as in %s[int]", path, typ, typ)
	}
	return s, nil
}

// isPackage reports whether the subject is a package.
func (s *Subject) isPackage() bool { return s.typ == nil && s.hidden == "" }

func (s *Subject) notExported() error {
	return &FixtureError{s.hidden + " is not exported: say with -as by which type clients hold it, and with -fixture how they get it"}
}

func cutLast(name string) (before, after string, ok bool) {
	k := strings.LastIndexByte(name, '.')
	if k <= 0 || k < strings.LastIndexByte(name, '/') || k == len(name)-1 {
		return "", "", false
	}
	return name[:k], name[k+1:], true
}

// instantiate applies a generic type to type arguments, which are basic types.
func (s *Subject) instantiate(obj *types.TypeName, args string) (types.Type, error) {
	var list []types.Type
	for _, a := range strings.Split(args, ",") {
		t, ok := types.Universe.Lookup(strings.TrimSpace(a)).(*types.TypeName)
		if !ok {
			return nil, fmt.Errorf("%s: type argument %s is not a basic type", s.Name, strings.TrimSpace(a))
		}
		list = append(list, t.Type())
	}
	t, err := types.Instantiate(nil, obj.Type(), list, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return t, nil
}

// list asks the go command about a package and what it imports.
func list(ctx context.Context, dir, path string) ([]listed, error) {
	cmd := goCommand(ctx, dir, "list", "-e", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,Standard,DepOnly,Module,Error", "--", path)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("go list %s: %s", path, lastLine(stderr.Bytes(), err))
	}
	var out []listed
	for dec := json.NewDecoder(&stdout); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("go list %s: %w", path, err)
		}
		out = append(out, p)
	}
	if !slices.ContainsFunc(out, func(p listed) bool { return !p.DepOnly }) {
		return nil, fmt.Errorf("go list %s: no such package", path)
	}
	return out, nil
}

// goCommand returns a command of the go tool that touches no network.
func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local", "GOSUMDB=off")
	return cmd
}

func lastLine(output []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			return l
		}
	}
	return err.Error()
}
