// SPDX-License-Identifier: Apache-2.0

package main

// This file runs the quick subset and asserts what does not depend on time:
// sizes, and the claims of the paper that are about counts.

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/interlock-go/interlock/internal/corpus"
)

// quickJobs are the runs of the quick subset, by component.
func quickJobs() [][]job {
	var list [][]job
	for _, s := range append(partA(true), partB(true)...) {
		for _, k := range s.ks {
			var group []job
			for _, j := range engines() {
				j.Family, j.K, j.Workers, j.Limit = s.family, k, 2, time.Hour
				group = append(group, j)
			}
			list = append(list, group)
		}
	}
	return list
}

func TestQuick(t *testing.T) {
	bits := map[string]func(int) int{}
	for _, c := range claims() {
		bits[c.family] = c.visible
	}
	for _, group := range quickJobs() {
		f, err := family(group[0].Family)
		if err != nil {
			t.Fatal(err)
		}
		k := group[0].K
		t.Run(fmt.Sprintf("%s-%d", f.Name, k), func(t *testing.T) {
			got := map[string]result{}
			for _, j := range group {
				r, err := run(t.Context(), j)
				if err != nil {
					t.Fatal(err)
				}
				if r.Reason != "" {
					t.Fatalf("%s: %s: %s", j.name(), r.Reason, r.Detail)
				}
				if want := f.States(k); r.Size != want {
					t.Errorf("%s: %d states, the formula says %d", j.name(), r.Size, want)
				}
				got[j.name()] = r
			}
			direct, hide := got["direct"], got["hide"]
			for name, r := range got {
				// No engine can be right about a state that it has not seen.
				if n, want := r.Count["componentStates"], direct.Count["componentStates"]; n != want {
					t.Errorf("%s visits %d states, direct %d", name, n, want)
				}
				if r.automaton() > direct.automaton() {
					t.Errorf("%s builds %d states, direct %d", name, r.automaton(), direct.automaton())
				}
			}
			// Without the object before construction: direct builds the whole
			// component, hide where few bits matter no more than the interface.
			if n, want := direct.automaton(), direct.Count["componentStates"]-1; n != want {
				t.Errorf("direct builds %d states of %d", n, want)
			}
			if f.Name == "PipedOutputStream" || f.Name == "ServerTableEntry" || f.Name == "SeparationC" {
				if hide.automaton() != int64(hide.Size) {
					t.Errorf("hide builds %d states for an interface of %d", hide.automaton(), hide.Size)
				}
			}
			if n, want := hide.Count["visibleBits"], int64(bits[f.Name](k)); n != want {
				t.Errorf("hide needs %d bits, want %d", n, want)
			}
			table := got["learn/lstar"].Count["membershipQueries"]
			for _, l := range []string{"ttt", "lsharp"} {
				if n := got["learn/"+l].Count["membershipQueries"]; n > table {
					t.Errorf("%s asks %d queries, lstar %d", l, n, table)
				}
			}
		})
	}
}

// TestWorkers checks that counts do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	for _, j := range engines() {
		j.Family, j.K, j.Limit = "ServerTableEntry", 10, time.Hour // wide levels: workers do share
		var counts []map[string]int64
		for _, j.Workers = range []int{1, 2, 5} {
			r, err := run(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Count) == 0 {
				t.Fatalf("%s: no counts", j.name())
			}
			counts = append(counts, r.Count)
		}
		if !maps.Equal(counts[0], counts[1]) || !maps.Equal(counts[0], counts[2]) {
			t.Errorf("%s: counts with 1, 2 and 5 workers: %v", j.name(), counts)
		}
	}
}

// TestSlicing checks that what slicing removes costs nothing: the states
// visited do not grow with the bits that cannot matter.
func TestSlicing(t *testing.T) {
	for _, name := range []string{"PipedOutputStream", "ServerTableEntry"} {
		var visited []int64
		for _, k := range []int{4, 12, 60} {
			r, err := run(t.Context(), job{Family: name, K: k, Engine: "auto", Slice: true, Limit: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			if f, _ := family(name); r.Size != f.States(k) {
				t.Errorf("%s k=%d: %d states", name, k, r.Size)
			}
			visited = append(visited, r.Count["componentStates"])
		}
		if visited[0] != visited[1] || visited[1] != visited[2] {
			t.Errorf("%s visits %v states for k = 4, 12, 60", name, visited)
		}
	}
}

func TestBudget(t *testing.T) {
	j := job{Family: "PipedOutputStream", K: 12, Engine: "direct", Budget: 100, Limit: time.Hour}
	r, err := run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if r.Reason != "budget" || !strings.Contains(strings.Join(r.cells(), " "), "budget") {
		t.Errorf("got %+v", r)
	}
	j.Budget, j.Limit = 0, 1
	if r, err = run(t.Context(), j); err != nil || r.Reason != "time" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestReport runs the command with made-up results: every job is shown, and a
// wrong size is called wrong.
func TestReport(t *testing.T) {
	for _, quick := range []bool{true, false} {
		var jobs int
		var out bytes.Buffer
		random := rand.New(rand.NewPCG(1, 1))
		b := &bench{out: &out, quick: quick, limit: time.Second, run: func(_ context.Context, j job) (result, error) {
			jobs++
			f, err := family(j.Family)
			if err != nil {
				return result{}, err
			}
			if j.K < f.Min || j.K > f.Max {
				t.Errorf("%s has no member %d", j.Family, j.K)
			}
			r := result{Job: j, Size: f.States(j.K) + jobs%2, Count: map[string]int64{"componentStates": 1}}
			r.Table.Wall = time.Duration(random.IntN(1e9))
			return r, nil
		}}
		if err := b.all(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), " WRONG "); n != (jobs+1)/2 {
			t.Errorf("%d jobs, %d called wrong", jobs, n)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		direct, learn, hide float64 // 0: did not finish
		claim               string
		want                ordering
	}{
		{1, 2, 3, "direct", same},
		{1, 1.1, 3, "direct", unclear},
		{1.1, 1, 3, "direct", unclear},
		{2, 1, 3, "direct", other},
		{2, 3, 1, "direct", other},
		{1, 2, 3, "learn hide", same},
		{1, 3, 2, "learn hide", other},
		{1, 2, 2.1, "learn hide", unclear},
		{1, 2, 3, "direct learn hide", same},
		{1, 2, 1.9, "direct learn hide", unclear},
		{1, 3, 1, "direct learn hide", other},
		{1, 0, 2, "direct hide learn", same},
		{1, 0, 2, "learn hide", other},
	} {
		times := map[string]float64{}
		for e, x := range map[string]float64{"direct": c.direct, "learn": c.learn, "hide": c.hide} {
			if x > 0 {
				times[e] = x
			}
		}
		if got := compare(times, strings.Fields(c.claim)); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}

// TestTargets checks that a target is met by what meets it and nothing else.
func TestTargets(t *testing.T) {
	target := target{"ListIterator", 10, "direct", 5, 500 << 20}
	good := result{Job: job{Family: "ListIterator", K: 10, Engine: "direct"}, All: cost{4 * time.Second, 4 * time.Second}, Peak: 400 << 20}
	if v := target.verdict([]result{good}); !strings.Contains(v, ": yes:") {
		t.Error(v)
	}
	for name, change := range map[string]func(*result){
		"family": func(r *result) { r.Job.Family = "Stack" },
		"k":      func(r *result) { r.Job.K = 9 },
		"engine": func(r *result) { r.Job.Engine = "learn" },
		"slice":  func(r *result) { r.Job.Slice = true },
		"memory": func(r *result) { r.Peak = 501 << 20 },
		"budget": func(r *result) { r.Reason = "budget" },
		"time":   func(r *result) { r.All = cost{6 * time.Second, 6 * time.Second} },
	} {
		r := good
		change(&r)
		if v := target.verdict([]result{r}); !strings.Contains(v, ": NO") {
			t.Errorf("%s: %s", name, v)
		}
	}
	busy := good
	busy.All.Wall = 6 * time.Second
	if v := target.verdict([]result{busy}); !strings.Contains(v, "in CPU time only") {
		t.Error(v)
	}
}

// TestClaims checks that every family measured has a claim and the claims name
// families.
func TestClaims(t *testing.T) {
	have := map[string]bool{}
	for _, c := range claims() {
		have[c.family] = true
		if _, err := family(c.family); err != nil {
			t.Error(err)
		}
	}
	for _, s := range append(partA(false), partB(false)...) {
		if !have[s.family] {
			t.Errorf("no claim for %s", s.family)
		}
	}
	for _, f := range corpus.Families() {
		if !have[f.Name] && f.Name != "StackSaturating" {
			t.Errorf("family %s is not measured", f.Name)
		}
	}
}
