// SPDX-License-Identifier: Apache-2.0

package typestate

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

func monitorOf(t testing.TB, name string) *Monitor {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	i, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := i.Monitor()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMonitorErrors(t *testing.T) {
	m := monitorOf(t, "file")
	if r := m.Call("fly"); r.Kind != StepInvalid {
		t.Errorf("a method that does not exist: %v", r)
	}
	if r := m.Return(); r.Kind != StepInvalid {
		t.Errorf("a return without a call: %v", r)
	}
	m.Call("new")
	m.Return()
	if r := m.Call("read"); r.Kind != StepForbidden || r.Forbidden == nil || r.Verdict != VerdictFails {
		t.Errorf("read of a closed file: %v", r)
	}
	if r := m.Return(); r.Kind != StepUnknown || m.State() != -1 {
		t.Errorf("a call that fails returned: %v, state %d", r, m.State())
	}
	if r := m.Call("ropen"); r.Kind != StepUnknown || r.Reason != "read is forbidden here and returned" {
		t.Errorf("after that: %v", r)
	}
	// Where the file says how a returned error leaves the component, the monitor goes on.
	m = m.Another()
	m.Call("ropen")
	m.Return()
	m.Call("write")
	if r := m.Return(); r.Kind != StepNext || r.State != 1 {
		t.Errorf("a misuse error that was returned: %v", r)
	}
	if want := []string{"ropen", "write"}; !slices.Equal(m.Trail(), want) {
		t.Errorf("trail %v, want %v", m.Trail(), want)
	}
}

func TestMonitorCannotHappen(t *testing.T) {
	m := monitorOf(t, "listiter")
	m.Call("next")
	if r := m.Return(Named("what")); r.Kind == StepNext {
		t.Errorf("a result of another type: %v", r)
	}
	m = monitorOf(t, "scanner")
	m.Call("bufio.NewScanner")
	m.Return(Nil(false))
	m.Call("Scan")
	if r := m.Return(); r.Kind != StepNext || r.State != 1 {
		t.Errorf("all outcomes lead to one state: %v", r)
	}
}

// TestMonitorTrail checks that the trail is a ring.
func TestMonitorTrail(t *testing.T) {
	m := monitorOf(t, "file")
	for range trailLength {
		m.Call("ropen")
		m.Return()
		m.Call("close")
		m.Return()
	}
	trail := m.Trail()
	if len(trail) != trailLength || trail[trailLength-1] != "close" || trail[0] != "ropen" {
		t.Errorf("%v", trail)
	}
}

// TestMonitorAllocates checks that following calls without guards allocates nothing.
func TestMonitorAllocates(t *testing.T) {
	m := monitorOf(t, "scanner")
	m.Call("bufio.NewScanner")
	m.Return()
	if n := testing.AllocsPerRun(100, func() {
		m.Call("Scan")
		m.Return(Bool(true))
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if m.State() != 1 {
		t.Errorf("state %d", m.State())
	}
}

func TestOutcomeClasses(t *testing.T) {
	returns := []Register{{Name: "n", Type: "int"}, {Name: "m", Type: "int"}}
	for _, c := range []struct {
		outcome string
		results []Value
		want    Match
	}{
		{"return", nil, MatchYes},
		{"true", []Value{Bool(true)}, MatchYes},
		{"true", []Value{Bool(false)}, MatchNo},
		{"true", []Value{{}}, MatchUnknown},
		{"(nil, non-nil)", []Value{Nil(true), Nil(false)}, MatchYes},
		{"(nil, non-nil)", []Value{Nil(true), Nil(true)}, MatchNo},
		{"(nil, non-nil)", []Value{Nil(true), Int(3), Nil(false)}, MatchYes},
		{"(nil, non-nil)", []Value{Nil(true)}, MatchUnknown},
		{"(_, true)", []Value{Int(1), Bool(true)}, MatchYes},
		{"n > 3", []Value{Int(4)}, MatchYes},
		{"n > 3", []Value{Int(3)}, MatchNo},
		{"n > 3", []Value{Uint(1 << 63)}, MatchYes},
		{"n > 3", []Value{Bool(true)}, MatchUnknown},
		{"n+1 > 3", []Value{Int(4)}, MatchUnknown}, // it depends on the width
		{"-1", []Value{Int(-1)}, MatchYes},
		{"18446744073709551615", []Value{Int(-1)}, MatchNo},
		{"!= 0", []Value{Int(2)}, MatchYes},
		{"!= 0", []Value{Uint(0)}, MatchNo},
		{"open", []Value{Named("open")}, MatchYes},
		{"open", []Value{Named("closed")}, MatchNo},
		{"(_, _) with n < m", []Value{Int(1), Int(2)}, MatchYes},
		{"(_, _) with n < m", []Value{Int(2), Int(2)}, MatchNo},
		{"(_, _) with n < k", []Value{Int(2), Int(2)}, MatchUnknown},
		{"throws java.io.IOException", []Value{Int(2)}, MatchUnknown},
	} {
		class := newOutcomeClass(c.outcome, returns)
		if got := class.has(c.results); got != c.want {
			t.Errorf("%s of %v: %v, want %v", c.outcome, c.results, got, c.want)
		}
	}
}

func BenchmarkMonitor(b *testing.B) {
	m := monitorOf(b, "scanner")
	m.Call("bufio.NewScanner")
	m.Return()
	b.ReportAllocs()
	for b.Loop() {
		m.Call("Scan")
		m.Return(Bool(true))
	}
}
