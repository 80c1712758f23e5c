// SPDX-License-Identifier: Apache-2.0

// Package jdktest is test support: the JDKs that are installed, and javac.
package jdktest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/jvm/classpath"
)

// places are where systems install JDKs.
var places = []string{"/usr/lib/jvm/*", "/opt/java/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home"}

// All opens every JDK that is installed, the oldest first, each once. Without any the test
// is skipped, in continuous integration it fails.
func All(t testing.TB) []*classpath.JDK {
	t.Helper()
	candidates := []string{os.Getenv("JAVA_HOME")}
	if java, err := exec.LookPath("java"); err == nil {
		if home, err := classpath.HomeOf(java); err == nil {
			candidates = append(candidates, home)
		}
	}
	for _, pattern := range places {
		found, _ := filepath.Glob(pattern)
		candidates = append(candidates, found...)
	}
	seen := map[string]bool{}
	var out []*classpath.JDK
	for _, c := range candidates {
		home, err := filepath.EvalSymlinks(c)
		if c == "" || err != nil || seen[home] {
			continue
		}
		seen[home] = true
		j, err := classpath.OpenJDK(home)
		if err != nil {
			continue // directories beside the JDKs
		}
		t.Cleanup(func() { j.Close() })
		out = append(out, j)
	}
	if len(out) == 0 {
		missing(t, "a JDK")
	}
	slices.SortStableFunc(out, func(a, b *classpath.JDK) int { return a.Release - b.Release })
	return out
}

// Tool is the path of a program of the newest JDK that has it.
func Tool(t testing.TB, name string) string {
	t.Helper()
	all := All(t)
	for _, j := range slices.Backward(all) {
		if tool := filepath.Join(j.Home, "bin", name); exec.Command(tool, "-version").Run() == nil {
			return tool
		}
	}
	missing(t, name)
	return ""
}

// Compile runs javac on files of a directory and returns the directory of the class files.
func Compile(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out := t.TempDir()
	sources, err := filepath.Glob(filepath.Join(dir, "*.java"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no Java files in %s", dir)
	}
	args = append(slices.Clone(args), "-proc:none", "-nowarn", "-d", out)
	cmd := exec.Command(Tool(t, "javac"), append(args, sources...)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, text)
	}
	return out
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed", what)
	}
	t.Skipf("%s is not installed", what)
}
