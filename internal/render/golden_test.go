// SPDX-License-Identifier: Apache-2.0

package render

// This file compares every format with files in testdata. Each NAME.json there
// is an interface in canonical form; NAME.txt, NAME.svg, ... is what the formats
// make of it, or one line "error: ..." where a format refuses.

import (
	"bytes"
	"flag"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// samples returns the interfaces in testdata by name.
func samples(t *testing.T) map[string]*typestate.Interface {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d interfaces in testdata, error %v", len(files), err)
	}
	list := map[string]*typestate.Interface{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		i, err := typestate.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		list[strings.TrimSuffix(filepath.Base(f), ".json")] = i
	}
	return list
}

// written returns what a format makes of i, with an error as its text.
func written(f Format, i *typestate.Interface) string {
	var b bytes.Buffer
	if err := f.Write(&b, i, Options{}); err != nil {
		return "error: " + err.Error() + "\n"
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, i := range samples(t) {
		for _, f := range Formats() {
			file := filepath.Join("testdata", name+f.Ext)
			got := written(f, i)
			if f.Name == "html" { // style and script are files themselves
				got = strings.NewReplacer(pageStyle, "STYLE\n", svgStyle, "\n", pageScript, "SCRIPT\n").Replace(got)
			}
			if *update && f.Name != "json" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s as %s differs from %s (rewrite with -update):\n%s", name, f.Name, file, firstDifference(got, string(want)))
			}
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for k := range min(len(g), len(w)) {
		if g[k] != w[k] {
			return "got  " + g[k] + "\nwant " + w[k]
		}
	}
	return "one is longer"
}

// TestShuffle checks that the order of the lists of an interface does not show.
func TestShuffle(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for name, i := range samples(t) {
		for range 3 {
			j := i.Clone()
			shuffle(r, j.Constructors)
			shuffle(r, j.Calls)
			shuffle(r, j.States)
			shuffle(r, j.Edges)
			shuffle(r, j.Forbidden)
			shuffle(r, j.Unknown)
			shuffle(r, j.Uncovered)
			for k := range j.Forbidden {
				shuffle(r, j.Forbidden[k].Errors)
			}
			for _, f := range Formats() {
				if f.Name == "json" {
					continue // it is for typestate to say what is canonical
				}
				if a, b := written(f, i), written(f, j); a != b {
					t.Errorf("%s as %s depends on order:\n%s", name, f.Name, firstDifference(b, a))
				}
			}
		}
	}
}

func shuffle[T any](r *rand.Rand, list []T) {
	r.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
}

// TestReadOnly checks that no format changes the interface.
func TestReadOnly(t *testing.T) {
	for name, i := range samples(t) {
		json, _ := Find("json")
		before := written(json, i)
		for _, f := range Formats() {
			written(f, i)
			if written(json, i) != before {
				t.Fatalf("%s changed %s", f.Name, name)
			}
		}
	}
}

func TestTextWidth(t *testing.T) {
	for name, i := range samples(t) {
		for _, width := range []int{60, 80, 0} {
			var b bytes.Buffer
			if err := writeText(&b, i, Options{Columns: width}); err != nil {
				t.Fatal(err)
			}
			limit := width
			if limit == 0 {
				limit = 100
			}
			for _, l := range strings.Split(b.String(), "\n") {
				if columns(l) > limit {
					t.Errorf("%s: %d columns instead of %d: %s", name, columns(l), limit, l)
				}
				if strings.TrimRight(l, " ") != l {
					t.Errorf("%s: spaces at the end of %q", name, l)
				}
			}
		}
	}
}

// TestRefuse checks that interfaces that do not hang together are refused by
// every format, in one line.
func TestRefuse(t *testing.T) {
	good := samples(t)["file"]
	seven := 7
	for what, spoil := range map[string]func(*typestate.Interface){
		"edge to nowhere":     func(i *typestate.Interface) { i.Edges[0].To = 7 },
		"edge from nowhere":   func(i *typestate.Interface) { i.Edges[0].From = -1 },
		"edge without call":   func(i *typestate.Interface) { i.Edges[0].Call = "x" },
		"forbidden nowhere":   func(i *typestate.Interface) { i.Forbidden[0].State = 3 },
		"forbidden no call":   func(i *typestate.Interface) { i.Forbidden[0].Call = "" },
		"forbidden leads out": func(i *typestate.Interface) { i.Forbidden[0].To = &seven },
		"unknown nowhere":     func(i *typestate.Interface) { i.Unknown = []typestate.Unknown{{State: 9, Call: "read", Reason: "r"}} },
		"two calls":           func(i *typestate.Interface) { i.Calls[1].ID = i.Calls[0].ID },
		"state numbers":       func(i *typestate.Interface) { i.States[1].ID = 2 },
		"starts nowhere":      func(i *typestate.Interface) { i.Constructors[0].State = &seven },
	} {
		i := good.Clone()
		spoil(i)
		for _, f := range Formats() {
			var b bytes.Buffer
			err := f.Write(&b, i, Options{})
			switch {
			case err == nil:
				t.Errorf("%s: %s accepts it", what, f.Name)
			case b.Len() > 0:
				t.Errorf("%s: %s writes something before it refuses", what, f.Name)
			case f.Name != "json" && strings.Contains(err.Error(), "\n"):
				t.Errorf("%s: %s: more than one line: %v", what, f.Name, err)
			}
		}
	}
	for _, f := range Formats() {
		if f.Write(&bytes.Buffer{}, nil, Options{}) == nil {
			t.Errorf("%s accepts nil", f.Name)
		}
	}
}

// TestEmpty checks interfaces with nothing to show: pictures and tables show
// nothing, languages have no first state and say so.
func TestEmpty(t *testing.T) {
	lonely := &typestate.Interface{States: []typestate.State{{}}, Constructors: []typestate.Constructor{{ID: "new", Verdict: "fails"}}}
	for _, i := range []*typestate.Interface{{}, lonely} {
		for _, f := range Formats() {
			err := f.Write(&bytes.Buffer{}, i, Options{})
			switch f.Name {
			case "text", "svg", "html", "dot", "mermaid":
				if err != nil {
					t.Errorf("%s: %v", f.Name, err)
				}
			default:
				if err == nil {
					t.Errorf("%s: no error", f.Name)
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, f := range Formats() {
		if g, ok := Find(f.Name); !ok || g.Ext != f.Ext {
			t.Errorf("Find(%q) = %v, %v", f.Name, g, ok)
		}
	}
	if _, ok := Find("gif"); ok {
		t.Error("Find finds what does not exist")
	}
}
