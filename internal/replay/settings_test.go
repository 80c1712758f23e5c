// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	s, err := ParseSettings([]byte("# a remark\ncomponent a.B\ncomponent a.C\narg x=f(1)\nfixture New=open(); y\nlimit 2s\nwords 7\n-- a.go --\npackage a\n"))
	if err != nil || strings.Join(s.Components, " ") != "a.B a.C" || s.Args["x"][0] != "f(1)" || s.Fixtures[0] != "New=open(); y" || s.Limit != 2e9 || s.Words != 7 || len(s.Files) != 1 {
		t.Errorf("%+v %v", s, err)
	}
	for text, want := range map[string]string{
		"":                             "it does not say which component it is for",
		"component":                    "line 1: expected a setting and its value, got component",
		"component a.B\ncolor red":     "line 2: unknown setting color",
		"component a.B\narg x":         "line 2: expected arg NAME=EXPRESSION",
		"component a.B\ntype x":        "line 2: expected type TYPE=EXPRESSION",
		"component a.B\nwords many":    "line 2: many is no value of words",
		"component a.B\nlimit -1s":     "line 2: -1s is no value of limit",
		"component a.B\n-- x.txt --\n": "x.txt is no Go file",
	} {
		if _, err := ParseSettings([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", text, err, want)
		}
	}
}

// TestGivenSettings reads the fixture files that are given, each for components of
// its own.
func TestGivenSettings(t *testing.T) {
	files, err := filepath.Glob("../../testdata/replay/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	seen := map[string]string{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ParseSettings(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, c := range s.Components {
			if seen[c] != "" {
				t.Errorf("%s: %s has one for %s, too", name, seen[c], c)
			}
			seen[c] = name
		}
	}
}
