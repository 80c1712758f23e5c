// SPDX-License-Identifier: Apache-2.0

package model_test

// This file reads back what render writes: of interfaces of random systems in every format that is one of
// models, and of the interfaces of programs up to the names of actions.

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/interlock-go/interlock/internal/model"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/synth"
	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

func list(s *lts.System) string {
	text := fmt.Sprint(s.Initial, s.Alphabet)
	for x := range int32(s.States()) {
		for _, e := range s.Edges(x) {
			text += fmt.Sprintf(" %d-%s-%d", x, s.Label(e), e.To)
		}
	}
	return text
}

// readBack writes an interface in a format and reads it.
func readBack(t *testing.T, i *typestate.Interface, format string) *lts.System {
	t.Helper()
	f, _ := render.Find(format)
	var b bytes.Buffer
	if err := f.Write(&b, i, render.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := model.Read(context.Background(), model.Source{Name: "x" + f.Ext, Text: b.Bytes()})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	return s.System
}

var formats = []string{"fsp", "aut", "dot", "scxml"}

// TestRoundTrip compares all: the same actions, states and edges.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 4))
	never := 0
	for range 300 {
		names := []string{"a", "a.b", "send.1", "in", "x_y", "when"}[:1+rng.IntN(5)]
		b := lts.NewBuilder(names...)
		n := int32(1 + rng.IntN(5))
		for range 1 + rng.IntN(12) {
			to := rng.Int32N(n)
			if rng.IntN(5) == 0 {
				to = lts.Error
			}
			b.Edge(rng.Int32N(n), b.Action(names[rng.IntN(len(names))]), to)
		}
		s := b.System("random", 0)
		for _, tight := range []bool{false, true} {
			i, err := model.Infer(context.Background(), synth.Problem{System: s, Visible: s.Alphabet, Tight: tight})
			if err != nil {
				t.Fatal(err)
			}
			want, err := model.FromInterface(i)
			if err != nil {
				t.Fatal(err)
			}
			used := map[string]bool{}
			for x := range int32(want.States()) {
				for _, e := range want.Edges(x) {
					used[want.Label(e)] = true
				}
			}
			if len(used) < len(want.Alphabet) {
				never++
			}
			for _, f := range formats {
				if f == "fsp" && hasKeyword(names) {
					continue // the name is changed, and said
				}
				if got := readBack(t, i, f); list(got) != list(want) {
					t.Fatalf("%s: %s\nwant %s", f, list(got), list(want))
				}
			}
		}
	}
	if never == 0 {
		t.Error("no interface has an action that it allows nowhere")
	}
}

func hasKeyword(names []string) bool {
	for _, n := range names {
		if n == "when" || n == "in" {
			return true
		}
	}
	return false
}

// TestRoundTripPrograms reads interfaces of the tests of render, whose calls have guards and outcomes.
func TestRoundTripPrograms(t *testing.T) {
	files, err := filepath.Glob("../render/testdata/*.json")
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	compared := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		i, err := typestate.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(i.Unknown) > 0 || hasRegisters(i) {
			continue
		}
		if _, err := model.FromInterface(i); err != nil {
			t.Logf("%s: %v", file, err)
			continue
		}
		var shape string
		for _, f := range []string{"fsp", "aut", "scxml"} {
			s := readBack(t, i, f)
			m := s.Minimize()
			if got := fmt.Sprint(m.States(), m.CanErr()); shape == "" {
				shape = got
				compared++
			} else if got != shape {
				t.Errorf("%s as %s: %s, and as fsp %s", file, f, got, shape)
			}
		}
	}
	if compared < 3 {
		t.Errorf("only %d interfaces were compared", compared)
	}
}

func hasRegisters(i *typestate.Interface) bool {
	for _, s := range i.States {
		if len(s.Registers) > 0 {
			return true
		}
	}
	return false
}
