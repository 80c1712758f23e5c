// SPDX-License-Identifier: Apache-2.0

package golang

// This file remembers packages that were loaded, for processes that are asked about several
// types of the same code one after the other. To load a package that imports fmt takes a second, most
// types are lowered in less.

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// maxRemembered is how many loads are remembered. Each takes about 200 MB.
const maxRemembered = 2

// A memory holds the last loads.
type memory struct {
	mu    sync.Mutex
	loads []remembered // the last one last
}

// remembered is a load: what was loaded, and what it was read from.
type remembered struct {
	key   string
	files []string // names of directories and files that are not of fixed versions
	state string   // of the files
	l     *loaded
}

type memoryKey struct{}

// Remember returns a context in which a package that is loaded again is not read again, unless a file
// of its module or of another one without a version changed. The standard library, modules in the module cache
// and overlays do not change while a process runs. Only one type may be compiled at a time.
func Remember(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryKey{}, &memory{})
}

// load returns what loading the package of a subject returns. Errors are not remembered.
func (m *memory) load(ctx context.Context, s Subject, o Options) (*loaded, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%q", append([]string{dir, s.Package, o.Tags}, offline(o.Env)...))
	if k := slices.IndexFunc(m.loads, func(r remembered) bool { return r.key == key }); k >= 0 {
		r := m.loads[k]
		m.loads = slices.Delete(m.loads, k, k+1)
		if state, err := stateOf(r.files); err == nil && state == r.state {
			m.loads = append(m.loads, r)
			return r.l, nil
		}
	}
	if len(m.loads) >= maxRemembered {
		m.loads = slices.Delete(m.loads, 0, 1)
	}
	l, err := loadPackage(ctx, s, o)
	if err != nil {
		return nil, err
	}
	files := watched(dir, l.from)
	if state, err := stateOf(files); err == nil {
		m.loads = append(m.loads, remembered{key, files, state, l})
	}
	return l, nil
}

// watched returns the directories of packages that have no version, and the files that say where
// packages are.
func watched(dir string, p *packages.Package) []string {
	var files []string
	add := func(name string) {
		if !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	packages.Visit([]*packages.Package{p}, nil, func(p *packages.Package) {
		m := p.Module
		if m == nil { // of the standard library
			return
		}
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Version != "" {
			return
		}
		add(m.GoMod)
		for _, file := range p.GoFiles {
			add(filepath.Dir(file))
		}
	})
	for d := dir; ; d = filepath.Dir(d) {
		for _, name := range []string{"go.mod", "go.sum", "go.work", "go.work.sum", "vendor/modules.txt"} {
			add(filepath.Join(d, name))
		}
		if d == filepath.Dir(d) {
			return files
		}
	}
}

// stateOf sums up the contents of files, and of the files in directories but not below them. A file may be missing.
func stateOf(names []string) (string, error) {
	sum := sha256.New()
	add := func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(sum, "%q\n", name)
		_, err = io.Copy(sum, f)
		return err
	}
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case os.IsNotExist(err):
			fmt.Fprintf(sum, "%q is missing\n", name)
			continue
		case err != nil:
			return "", err
		case !info.IsDir():
			if err := add(name); err != nil {
				return "", err
			}
			continue
		}
		entries, err := os.ReadDir(name)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") {
				fmt.Fprintf(sum, "%q\n", e.Name())
				continue
			}
			if err := add(filepath.Join(name, e.Name())); err != nil {
				return "", err
			}
		}
	}
	return string(sum.Sum(nil)), nil
}
