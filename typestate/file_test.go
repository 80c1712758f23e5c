// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tests reading and writing: golden files, strictness, stability.

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files in canonical form")

// golden returns the interface files of testdata by name.
func golden(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.json")
	if err != nil || len(names) < 5 {
		t.Fatalf("golden files: %v, %v", names, err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(name), ".json")] = text
	}
	return files
}

// read reads a golden file.
func read(t testing.TB, name string) *Interface {
	t.Helper()
	i, err := Read(bytes.NewReader(golden(t)[name]))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return i
}

func write(t testing.TB, i *Interface) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, i); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, text := range golden(t) {
		i, err := Read(bytes.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		before := i.Clone()
		again := write(t, i)
		if !reflect.DeepEqual(i.Clone(), before) {
			t.Errorf("%s: Write changed its argument", name)
		}
		if *update {
			if err := os.WriteFile(filepath.Join("testdata", name+".json"), again, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !bytes.Equal(again, text) {
			t.Errorf("%s: written as\n%s", name, again)
		}
		if err := i.Canonical(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		j, err := Read(bytes.NewReader(again))
		if err != nil || !reflect.DeepEqual(i, j) {
			t.Errorf("%s: reading what was written gives another interface (%v)", name, err)
		}
		if i.Certificate == nil && bytes.Contains(text, []byte("certificate")) {
			t.Errorf("%s: certificate lost", name)
		}
	}
}
