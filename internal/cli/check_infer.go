// SPDX-License-Identifier: Apache-2.0

package cli

// This file infers the interfaces of a module's own types for check, and keeps them in the user's cache directory. The name of an entry is a digest of
// the sources of the package and of those that it imports, but for the standard library, of which the release counts.

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/typestate"
)

// inferLimit is the time that one type may take. Most that are decided at all are within ten seconds.
const inferLimit = time.Minute

// A listedPackage is what go list says of a package.
type listedPackage struct {
	ImportPath, Dir string
	Standard        bool
	DepOnly         bool
	GoFiles         []string
	Deps            []string
}

// inferAll returns the directories with the interfaces of the types of the packages that -infer names.
func (o *checkOptions) inferAll(ctx context.Context, c *invocation) ([]string, error) {
	out, err := o.goCommand(ctx, append(o.goFlags("list", "-deps", "-json=ImportPath,Dir,Standard,DepOnly,GoFiles,Deps"), o.infer...)...)
	if err != nil {
		return nil, err
	}
	packages := map[string]*listedPackage{}
	var named []*listedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listedPackage{}
		if err := d.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages[p.ImportPath] = p
		if !p.DepOnly && !p.Standard {
			named = append(named, p)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, usagef("-infer: %v", err)
	}
	self, err := o.toolDigest()
	if err != nil {
		return nil, err
	}
	var dirs []string
	p := c.startProgress("-infer")
	defer p.stop()
	for _, pkg := range named {
		key, err := sourceDigest(pkg, packages, self)
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(cache, "interlock", "check", key)
		if err := o.inferPackage(ctx, c, p, pkg, dir); err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// toolDigest tells this program from other versions of it.
func (o *checkOptions) toolDigest() ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(self)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	fmt.Fprintf(h, "%s %s", runtime.Version(), o.tags)
	return h.Sum(nil), nil
}

// sourceDigest is the digest of a package's sources and of those that it imports.
func sourceDigest(p *listedPackage, all map[string]*listedPackage, tool []byte) (string, error) {
	h := sha256.New()
	h.Write(tool)
	for _, name := range append([]string{p.ImportPath}, p.Deps...) {
		d := all[name]
		if d == nil || d.Standard {
			continue
		}
		for _, file := range d.GoFiles {
			data, err := os.ReadFile(filepath.Join(d.Dir, file))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%s/%s %d\n", name, file, len(data))
			h.Write(data)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16]), nil
}

// inferPackage infers what the directory does not have yet. An entry is written whole: that of a type without an interface is empty.
func (o *checkOptions) inferPackage(ctx context.Context, c *invocation, p *progress, pkg *listedPackage, dir string) error {
	types, err := typesOf(pkg)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return usagef("-infer: %v", err)
	}
	for k, name := range types {
		file := filepath.Join(dir, name+".json")
		if _, err := os.Stat(file); err == nil {
			continue
		}
		p.say(fmt.Sprintf("inferring %s.%s (%d of %d)", pkg.ImportPath, name, k+1, len(types)))
		data, err := o.inferType(ctx, pkg, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(c.Err, "interlock check: no interface of %s.%s: %v\n", pkg.ImportPath, name, err)
		}
		if err := writeFile(file, data); err != nil {
			return err
		}
	}
	return nil
}

func (o *checkOptions) inferType(ctx context.Context, pkg *listedPackage, name string) ([]byte, error) {
	limited, cancel := context.WithTimeoutCause(ctx, inferLimit, fmt.Errorf("undecided within %v", inferLimit))
	defer cancel()
	t := goType{name: pkg.ImportPath + "." + name, load: interlock.LoadConfig{Dir: cmp.Or(o.dir, pkg.Dir), Env: os.Environ(), Tags: o.tags}}
	r, err := t.infer(limited, nil)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, context.Cause(limited)
	case err != nil:
		return nil, err
	}
	r.Interface.Certificate = nil
	var buf bytes.Buffer
	if err := typestate.Write(&buf, r.Interface); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// typesOf lists the exported types of a package that have exported methods of a pointer to them.
func typesOf(pkg *listedPackage) ([]string, error) {
	structs, methods := map[string]bool{}, map[string]bool{}
	fset := token.NewFileSet()
	for _, name := range pkg.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, usagef("%v", err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if t, ok := s.(*ast.TypeSpec); ok && t.Name.IsExported() && t.TypeParams == nil {
						_, structs[t.Name.Name] = t.Type.(*ast.StructType)
					}
				}
			case *ast.FuncDecl:
				if d.Recv == nil || len(d.Recv.List) != 1 || !d.Name.IsExported() {
					continue
				}
				if star, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
					if id, ok := star.X.(*ast.Ident); ok {
						methods[id.Name] = true
					}
				}
			}
		}
	}
	var out []string
	for name := range methods {
		if structs[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}
