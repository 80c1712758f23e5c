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

func TestReadRejects(t *testing.T) {
	text := string(golden(t)["file"])
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1: not an interface file"},
		{"not JSON", "digraph {\n}", "line 1: not an interface file"},
		{"list", "[]", "not an interface file"},
		{"null", "null", `no field "format"`},
		{"no format", "{}", `no field "format"`},
		{"newer", strings.Replace(text, "interlock/1", "interlock/2", 1), `has format "interlock/2", but this version reads only "interlock/1"`},
		{"newer with other fields", `{"format": "interlock/2", "automaton": []}`, `this version reads only "interlock/1"`},
		{"format is a number", `{"format": 1}`, "has format 1"},
		{"cut off", text[:len(text)/2], "unexpected end of JSON input"},
		{"more text", text + "{}", "after top-level value"},
		{"unknown field", strings.Replace(text, `"calls": [`, `"call": [], "calls": [`, 1), `unknown field "call"`},
		{"unknown inner field", strings.Replace(text, `"verdict": "fails",`, `"verdict": "fails", "why": "",`, 1), `forbidden[0]: unknown field "why"`},
		{"twice", strings.Replace(text, `"state": 0, "call"`, `"state": 1, "state": 0, "call"`, 1), `forbidden[0]: field "state" is given twice`},
		{"other case", strings.Replace(text, `"state": 0, "call"`, `"State": 0, "call"`, 1), `forbidden[0]: unknown field "State"`},
		{"missing", strings.Replace(text, `"from": 0, `, "", 1), `line 20: edges[0]: missing field "from"`},
		{"null list", strings.Replace(text, `"unknown": []`, `"unknown": null`, 1), "unknown: want a list"},
		{"fraction", strings.Replace(text, `"from": 0, `, `"from": 0.5, `, 1), "cannot unmarshal number 0.5"},
		{"not valid", strings.Replace(text, `"from": 0, `, `"from": 7, `, 1), "edges[0]: no state 7"},
	} {
		i, err := Read(strings.NewReader(c.text))
		if err == nil || i != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}

func TestWriteRejects(t *testing.T) {
	for _, change := range []func(*Interface){
		func(i *Interface) { i.Edges[0].To = 7 },
		func(i *Interface) { i.Guarantees.Safe = "" },
	} {
		i := read(t, "file")
		change(i)
		var b bytes.Buffer
		if err := Write(&b, i); err == nil || b.Len() > 0 {
			t.Errorf("got %v and %d bytes", err, b.Len())
		}
	}
}

// TestWriteText checks that any text survives, on one line.
func TestWriteText(t *testing.T) {
	i := read(t, "file")
	i.States[0].Label = "a \"b\", {c: [d]} \\ <&> \n\t\u2028 é \x01"
	text := write(t, i)
	j, err := Read(bytes.NewReader(text))
	if err != nil || j.States[0].Label != i.States[0].Label {
		t.Errorf("got %q, %v", j.States[0].Label, err)
	}
	if got, want := bytes.Count(text, []byte("\n")), bytes.Count(golden(t)["file"], []byte("\n")); got != want {
		t.Errorf("%d lines instead of %d", got, want)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range golden(f) {
		f.Add(text)
	}
	f.Add([]byte(`{"format": "interlock/1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		i, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		once := write(t, i)
		j, err := Read(bytes.NewReader(once))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		if twice := write(t, j); !bytes.Equal(once, twice) {
			t.Fatalf("not stable:\n%s\n%s", once, twice)
		}
		if !bytes.Equal(i.Core(), j.Core()) {
			t.Fatal("cores differ")
		}
		for s := range j.States {
			for _, c := range j.Calls {
				j.Step(s, c.ID, "")
			}
		}
		if Compare(i, j).Kind == CompareDifferent {
			t.Fatal("an interface differs from its canonical form")
		}
	})
}
