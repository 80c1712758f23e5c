// SPDX-License-Identifier: Apache-2.0

package main

// This file makes a module that requires those of a list, so that the go command downloads
// them and finds their packages.

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A module is one of the list.
type module struct{ path, version string }

// parseModules reads a list: a path and a version on a line, # begins a comment.
func parseModules(name, text string) ([]module, error) {
	var list []module
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) != 2 || !strings.HasPrefix(f[1], "v") {
			return nil, fmt.Errorf("%s:%d: expected a module path and a version such as v1.2.3, got %s", name, n, strings.TrimSpace(line))
		}
		list = append(list, module{f[0], f[1]})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s lists no module", name)
	}
	return list, nil
}

// moduleOf makes the module below a directory, and returns where it is and the patterns of
// the packages.
func moduleOf(ctx context.Context, tmp, name string, progress io.Writer) (dir, patterns string, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", "", err
	}
	list, err := parseModules(name, string(data))
	if err != nil {
		return "", "", err
	}
	dir = filepath.Join(tmp, "module")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module goreplay.test\n\ngo 1.26\n"), 0o666); err != nil {
		return "", "", err
	}
	// All at once: one after another would raise versions that are pinned later.
	get := []string{"get"}
	var all []string
	for _, m := range list {
		get = append(get, m.path+"/...@"+m.version)
		all = append(all, m.path+"/...")
	}
	cmd := exec.CommandContext(ctx, "go", get...)
	cmd.Dir, cmd.Stderr = dir, progress
	if err := cmd.Run(); err != nil {
		return "", "", fmt.Errorf("go get of the modules in %s: %w", name, err)
	}
	return dir, strings.Join(all, " "), nil
}
