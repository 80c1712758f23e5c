// SPDX-License-Identifier: Apache-2.0

package cli

// This file finds the lines that changed since a revision, by git.

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// changes are the changed lines by file, relative to the directory of the command; nil: everything counts.
type changes map[string][]lineRange

type lineRange struct{ from, to int }

const noLastLine = 1 << 30

// touches reports whether a finding, or a place that it is about, is on a changed line.
func (c changes) touches(f checkFinding) bool {
	if c == nil || c.has(f.checkPlace) {
		return true
	}
	for _, r := range f.Related {
		if c.has(r.checkPlace) {
			return true
		}
	}
	return false
}

func (c changes) has(p checkPlace) bool {
	for _, r := range c[p.File] {
		if r.from <= p.Line && p.Line <= r.to {
			return true
		}
	}
	return false
}

var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// changes asks git.
func (o *checkOptions) changes(ctx context.Context) (changes, error) {
	if o.diff == "" {
		return nil, nil
	}
	if strings.HasPrefix(o.diff, "-") {
		return nil, usagef("-diff %s: expected a git revision", o.diff)
	}
	out, err := o.git(ctx, "diff", "--no-color", "--no-ext-diff", "--unified=0", "--relative", "--dst-prefix=b/", o.diff, "--", "*.go")
	if err != nil {
		return nil, err
	}
	all := changes{}
	file := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
			file = filepath.ToSlash(strings.TrimRight(name, "\t"))
			continue
		}
		m := hunk.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		from, _ := strconv.Atoi(m[1])
		n := 1
		if m[2] != "" {
			n, _ = strconv.Atoi(m[2])
		}
		all[file] = append(all[file], lineRange{from, from + n - 1})
	}
	untracked, err := o.git(ctx, "ls-files", "--others", "--exclude-standard", "--", "*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Split(strings.TrimSpace(untracked), "\n") {
		all[name] = append(all[name], lineRange{1, noLastLine})
	}
	return all, nil
}

func (o *checkOptions) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = o.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", usagef("%s", fmt.Sprintf("-diff %s: git %s: %s", o.diff, args[0], firstLine(stderr.String(), err)))
	}
	return stdout.String(), nil
}
