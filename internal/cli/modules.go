// SPDX-License-Identifier: Apache-2.0

package cli

// This file finds packages of modules that the module at hand does not require,
// if they have been downloaded: a scratch module is made in a temporary directory,
// and the go command takes what it lacks from its own cache, which is laid out
// like a proxy. The network is not touched. A search of the directories of the
// cache was not chosen: which versions fit together is for the go command to say.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/interlock-go/interlock"
)

// withModules calls do, and once more in a scratch module if no module provides
// the package and it may be in the module cache.
func withModules(ctx context.Context, t goType, do func(goType) error) error {
	if t.load.Dir != "" {
		if info, err := os.Stat(t.load.Dir); err != nil || !info.IsDir() {
			return fmt.Errorf("-dir %s: no such directory", t.load.Dir)
		}
	}
	if name, version := splitVersion(t.name); version != "" {
		t.name = name
		return withVersion(ctx, t, version, do)
	}
	err := do(t)
	if !noModule(err) || t.load.Dir != "" || strings.HasPrefix(t.name, ".") || ctx.Err() != nil {
		return err
	}
	dir, env, _ := scratchModule(ctx, packageOf(t))
	if dir == "" {
		return err
	}
	defer os.RemoveAll(dir)
	t.load.Dir, t.load.Env = dir, env
	if again := do(t); !noModule(again) {
		return again
	}
	pkg := packageOf(t)
	return fmt.Errorf("no required module provides package %s, and the module cache does not have it: 'go get %s@latest' gets it, in a module (-dir names another one)", pkg, pkg)
}

// splitVersion cuts the version of the module off the name of a Go type: store.Tx@v1.2.0.
func splitVersion(name string) (string, string) {
	if at := strings.LastIndexByte(name, '@'); at > 0 && !strings.ContainsAny(name[at:], "/]") {
		return name[:at], name[at+1:]
	}
	return name, ""
}

// withVersion calls do in a scratch module that requires a version of the module that the package is of.
func withVersion(ctx context.Context, t goType, version string, do func(goType) error) error {
	if t.load.Dir != "" || strings.HasPrefix(t.name, ".") {
		return fmt.Errorf("%s@%s: a version is of a module in the module cache; expected its full path, and no -dir", t.name, version)
	}
	wanted := packageOf(t) + "@" + version
	dir, env, problem := scratchModule(ctx, wanted)
	defer os.RemoveAll(dir)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case problem != "":
		return fmt.Errorf("the module cache does not have %s (%s): 'go get %s' gets it, in any module", wanted, problem, wanted)
	}
	t.load.Dir, t.load.Env = dir, env
	return do(t)
}

// scratchModule makes a module that requires the one of a package, perhaps in a version, if that has been
// downloaded. The directory is to be removed; without one the problem says why.
func scratchModule(ctx context.Context, pkg string) (dir string, env []string, problem string) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
	cache := strings.TrimSpace(string(out))
	if err != nil || cache == "" {
		return "", nil, "the go command has no module cache"
	}
	if dir, err = os.MkdirTemp("", "interlock"); err != nil {
		return "", nil, err.Error()
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module scratch\n"), 0o666); err != nil {
		os.RemoveAll(dir)
		return "", nil, err.Error()
	}
	proxy := filepath.ToSlash(filepath.Join(cache, "cache", "download"))
	if !strings.HasPrefix(proxy, "/") {
		proxy = "/" + proxy
	}
	env = append(os.Environ(), "GOPROXY=file://"+proxy, "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local")
	return dir, env, getModules(ctx, dir, env, pkg)
}

// noModule reports whether no module provides a package.
func noModule(err error) bool {
	var no *interlock.NoModuleError
	return errors.As(err, &no)
}

// packageOf is the import path of the package of a type.
func packageOf(t goType) string {
	pkg := t.name
	if t.how.Package {
		return pkg
	}
	pkg, _, _ = strings.Cut(pkg, "[")
	slash := strings.LastIndexByte(pkg, '/') + 1
	if dot := strings.LastIndexByte(pkg[slash:], '.'); dot > 0 {
		pkg = pkg[:slash+dot]
	}
	return pkg
}

// notCached is what the go command says of a version that the cache does not have.
var notCached = regexp.MustCompile(`(\S+)@v\S+: reading file:`)

// maxModules bounds the modules that are taken in another version.
const maxModules = 20

// getModules adds the module of a package to the scratch module. Where the cache has
// another version of a module that is required besides, the latest that it has is
// taken. What the go command says of a failure is returned.
func getModules(ctx context.Context, dir string, env []string, pkg string) (problem string) {
	wanted := []string{pkg}
	for range maxModules {
		cmd := exec.CommandContext(ctx, "go", append([]string{"get", "--"}, wanted...)...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err == nil {
			return ""
		}
		problem = lastLine(out)
		m := notCached.FindSubmatch(out)
		if m == nil || slices.Contains(wanted, string(m[1])+"@latest") || strings.HasPrefix(pkg, string(m[1])+"@") {
			return problem // what is still missing is said when the package is loaded
		}
		wanted = append(wanted, string(m[1])+"@latest")
	}
	return problem
}

// lastLine is the last line of what a command wrote.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "go: ")
}
