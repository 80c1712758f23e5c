// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tests that the canonical form does not depend on how an interface
// was written down.

import (
	"bytes"
	"math/rand"
	"reflect"
	"testing"
)

// samples returns the golden interfaces and n random ones.
func samples(t testing.TB, r *rand.Rand, n int) []*Interface {
	var all []*Interface
	for _, name := range []string{"file", "scanner", "listiter", "pool", "ticket"} {
		all = append(all, read(t, name))
	}
	for range n {
		s := shape{states: 1 + r.Intn(7), methods: r.Intn(4), outcomes: 1 + r.Intn(3), constructors: 1 + r.Intn(3)}
		if r.Intn(2) == 0 {
			s.paramType, s.guards = "int8", []string{"x < 0", "x == 0", "x > 0"}
		}
		all = append(all, random(r, s))
	}
	return all
}

func TestCanonicalize(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n, i := range samples(t, r, 400) {
		if err := i.Canonical(); err != nil {
			t.Fatalf("sample %d: %v", n, err)
		}
		if err := i.Validate(); err != nil {
			t.Fatalf("sample %d: %v", n, err)
		}
		text, core := write(t, i), i.Core()
		for range 3 {
			j := disguise(r, i)
			if !bytes.Equal(j.Core(), core) {
				t.Fatalf("sample %d: cores differ:\n%s\n%s", n, core, j.Core())
			}
			if !bytes.Equal(write(t, j), text) {
				t.Fatalf("sample %d: files differ:\n%s\n%s", n, text, write(t, j))
			}
			if len(i.States) > 0 && j.Canonical() == nil {
				t.Fatalf("sample %d: a disguise is canonical", n)
			}
			if err := j.Canonicalize(); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(i, j) {
				t.Fatalf("sample %d: not the same after Canonicalize", n)
			}
		}
	}
}

// TestCore changes one thing at a time in the core, and nothing of it.
func TestCore(t *testing.T) {
	base := read(t, "pool").Core()
	for name, change := range map[string]func(*Interface){
		"edge":     func(i *Interface) { i.Edges[0].To = 0 },
		"verdict":  func(i *Interface) { i.Forbidden[0].Verdict = "fails" },
		"unknown":  func(i *Interface) { i.Unknown = nil },
		"forbid":   func(i *Interface) { i.Forbidden = i.Forbidden[1:] },
		"start":    func(i *Interface) { *i.Constructors[4].State = 0 },
		"guard":    func(i *Interface) { i.Calls[0].Guard = "closed == m" },
		"register": func(i *Interface) { i.States[0].Registers = []Register{{"r", "int8"}} },
		"outcome":  func(i *Interface) { i.Calls[3].Outcomes = []string{"void"} },
	} {
		i := read(t, "pool")
		change(i)
		if bytes.Equal(i.Core(), base) {
			t.Errorf("%s: the core does not show it", name)
		}
	}
	i := read(t, "pool")
	i.Component = Component{}
	i.States[0].Label = "other"
	i.Forbidden[0].Errors = nil
	i.Forbidden[0].Witness = nil
	i.Unknown[0].Reason = "other"
	i.Constructors[0].Errors = nil
	i.Uncovered = []Uncovered{{State: 0, Call: "Put"}}
	i.Guarantees = Guarantees{}
	if !bytes.Equal(i.Core(), base) {
		t.Errorf("the core shows annotations:\n%s", i.Core())
	}
}

func TestCanonicalizeDropsUnreachable(t *testing.T) {
	i := read(t, "file")
	want := write(t, i)
	i.States = append(i.States, State{ID: 3, Label: "nowhere"})
	i.Edges = append(i.Edges, Edge{From: 3, Call: "read", Outcome: "*", To: 0})
	to := 3
	i.Forbidden = append(i.Forbidden, Forbidden{State: 3, Call: "write", Verdict: "fails"})
	i.Forbidden[0].To = &to
	if err := i.Validate(); err == nil {
		t.Error("an unreachable state is valid")
	}
	if got := write(t, i); !bytes.Equal(got, want) {
		t.Errorf("got\n%s", got)
	}
}

func TestCanonicalizeRefuses(t *testing.T) {
	i := read(t, "file")
	i.Edges[0].To = 17
	before := i.Clone()
	if err := i.Canonicalize(); err == nil {
		t.Error("an edge to nowhere is accepted")
	}
	if !reflect.DeepEqual(i, before) {
		t.Error("changed although refused")
	}
}
