// SPDX-License-Identifier: Apache-2.0

package typestate

import (
	"bytes"
	"testing"
)

// TestOpen: what is open is counted when an interface is brought into its canonical form, and when a
// file is read; no guarantee reads "proved" above unknown cells.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		permissive, want string
	}{
		{"proved", "open"}, {"claimed", "open"}, {"open", "open"}, {"unknown", "unknown"}, {"no", "no"},
	} {
		i := read(t, "file")
		i.Guarantees.Permissive = c.permissive
		f := i.Forbidden[0]
		i.Forbidden = i.Forbidden[1:]
		i.Unknown = append(i.Unknown, Unknown{State: f.State, Call: f.Call, Reason: "budget"})
		site := ErrorSite{Kind: "bounds"}
		i.Uncovered = append(i.Uncovered, Uncovered{State: 0, Call: i.Calls[0].ID, Site: site, Reason: "one"}, Uncovered{State: 0, Call: i.Calls[0].ID, Site: site, Reason: "two"})
		if err := i.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		g := i.Guarantees
		cells := len(i.States)*len(i.Calls) + 1
		if g.Safe != "proved" || g.Permissive != c.want || g.Open == nil || *g.Open != (Open{Cells: cells, Unknown: 1, Uncovered: 1}) {
			t.Errorf("%s: %+v, %+v", c.permissive, g, g.Open)
		}
		if i.Settled() {
			t.Errorf("%s: an interface with an unknown cell is settled", c.permissive)
		}
		var file bytes.Buffer
		if err := Write(&file, i); err != nil {
			t.Fatal(err)
		}
		old := bytes.Replace(file.Bytes(), []byte(`, "open": {`), []byte(`, "was": {`), 1)
		if _, err := Read(bytes.NewReader(old)); err == nil {
			t.Fatal("the counts are not where they are expected")
		}
		start := bytes.Index(file.Bytes(), []byte(`, "open": {`))
		end := start + bytes.IndexByte(file.Bytes()[start:], '}') + 1
		without := append(bytes.Clone(file.Bytes()[:start]), file.Bytes()[end:]...)
		j, err := Read(bytes.NewReader(without))
		if err != nil || j.Guarantees.Permissive != c.want || j.Guarantees.Open == nil || *j.Guarantees.Open != *g.Open {
			t.Errorf("%s: a file without the counts reads as %+v, %v", c.permissive, j.Guarantees, err)
		}
	}
	i := read(t, "file")
	i.Guarantees.Open = &Open{Cells: 1, Unknown: 1}
	if err := i.Canonicalize(); err != nil || i.Guarantees.Open != nil || i.Guarantees.Permissive != "proved" || !i.Settled() {
		t.Errorf("nothing is open, and yet: %+v, %v", i.Guarantees, err)
	}
	for _, c := range []struct {
		safe, permissive string
		settled          bool
	}{
		{"proved", "claimed", true}, {"claimed", "claimed", true}, {"proved", "unknown", false}, {"proved", "open", false},
		{"checked to depth 3", "proved", false}, {"", "proved", false}, {"no", "proved", false},
	} {
		i.Guarantees.Safe, i.Guarantees.Permissive = c.safe, c.permissive
		if i.Settled() != c.settled {
			t.Errorf("%+v: settled is %v", i.Guarantees, !c.settled)
		}
	}
}
