// SPDX-License-Identifier: Apache-2.0

package main

// This file makes a module that requires the modules of a list.

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// moduleJobs reads a list, and downloads its modules. A line is a module, a version, a type, and flags, each after a
// tab; lines that begin with # are remarks.
func moduleJobs(ctx context.Context, list, dir string) ([]job, error) {
	data, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	var jobs []job
	var modules []string
	packages := "package p\n\nimport (\n"
	for n, line := range slices.Collect(strings.Lines(string(data))) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s:%d: expected MODULE, VERSION and TYPE with tabs between them", list, n+1)
		}
		if m := fields[0] + "@" + fields[1]; !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
		name, _, _ := strings.Cut(fields[2], "[")
		if k := strings.LastIndexByte(name, '.'); k > 0 && !strings.Contains(packages, "\""+name[:k]+"\"") {
			packages += "\t_ \"" + name[:k] + "\"\n"
		}
		jobs = append(jobs, job{fields[2], fields[3:], dir})
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"go.mod": "module example.com/running\n\ngo 1.26\n", "p.go": packages + ")\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{append([]string{"get"}, modules...), {"mod", "tidy"}} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, out)
		}
	}
	return jobs, nil
}
