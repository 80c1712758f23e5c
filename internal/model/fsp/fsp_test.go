// SPDX-License-Identifier: Apache-2.0

package fsp_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/model/fsp"
)

func TestModels(t *testing.T) {
	data, err := os.ReadFile("testdata/models.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\n== ")
	for _, m := range strings.Split(text, "\n== ") {
		head, rest, _ := strings.Cut(m, "\n")
		source, after, ok := strings.Cut(rest, "\n-- ")
		fields := strings.Fields(head)
		if !ok || len(fields) < 4 {
			t.Fatalf("model %q", head)
		}
		labels, _, _ := strings.Cut(after, "\n")
		t.Run(fields[0], func(t *testing.T) {
			model, err := fsp.Parse(fields[0]+".lts", []byte(source))
			if err != nil {
				t.Fatal(err)
			}
			name := model.Main()
			if len(fields) > 4 {
				name = fields[4]
			}
			r, err := model.System(context.Background(), name, 10000)
			if err != nil {
				t.Fatal(err)
			}
			s := r.System
			got := fmt.Sprintf("%d %d %s", s.States(), s.Transitions(), map[bool]string{true: "errs", false: "safe"}[s.CanErr()])
			if want := strings.Join(fields[1:4], " "); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
				for k := range s.States() {
					for _, e := range s.Edges(int32(k)) {
						t.Logf("%d %s %d", k, s.Label(e), e.To)
					}
				}
			}
			want := strings.Fields(labels)
			slices.Sort(want)
			if !slices.Equal(s.Alphabet, want) {
				t.Errorf("alphabet %v, want %v", s.Alphabet, want)
			}
		})
	}
}

// TestWrong pins what is said of texts that are refused.
func TestWrong(t *testing.T) {
	data, err := os.ReadFile("testdata/wrong.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\n== ")
	for _, m := range strings.Split(text, "\n== ") {
		head, source, _ := strings.Cut(m, "\n")
		name, want, _ := strings.Cut(head, " ")
		model, err := fsp.Parse("wrong.lts", []byte(strings.TrimSuffix(source, "\n")))
		if name == "no-dot" {
			model, err = fsp.Parse("wrong.lts", []byte(source))
		}
		if err == nil {
			_, err = model.System(context.Background(), model.Main(), 10000)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant: %s", name, err, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	model, err := fsp.Parse("w.lts", []byte("P = Q[0], Q[i:0..1] = (step -> Q[i+1])."))
	if err != nil {
		t.Fatal(err)
	}
	r, err := model.System(context.Background(), "P", 100)
	if err != nil || !slices.Equal(r.Warnings, []string{"w.lts:1:32: Q[2] is not defined: it is ERROR"}) {
		t.Errorf("warnings %q, %v", r.Warnings, err)
	}
	if _, err := model.System(context.Background(), "Q", 100); err == nil || err.Error() != "w.lts: it defines no process Q; it defines P" {
		t.Errorf("a local process: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/models.txt", "testdata/wrong.txt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, m := range strings.Split(string(data), "\n== ") {
			_, source, _ := strings.Cut(m, "\n")
			f.Add(source)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		model, err := fsp.Parse("x.lts", []byte(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "x.lts:") {
				t.Fatalf("not one line with a position: %q", err)
			}
			return
		}
		for _, d := range model.Definitions() {
			if r, err := model.System(context.Background(), d.Name, 200); err == nil && r.System.States() > 200 {
				t.Fatalf("%d states", r.System.States())
			}
		}
	})
}
