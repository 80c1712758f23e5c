// SPDX-License-Identifier: Apache-2.0

package library

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// TestStandard checks that each interface that comes with the project is canonical, has a call that fails, and is stripped.
func TestStandard(t *testing.T) {
	releases := Releases()
	if len(releases) == 0 {
		t.Fatal("no releases")
	}
	for _, release := range releases {
		all, err := Standard(release)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, i := range all {
			names = append(names, i.Component.Name)
			if err := i.Canonical(); err != nil {
				t.Errorf("%s: %v", i.Component.Name, err)
			}
			if i.Certificate != nil {
				t.Errorf("%s has a certificate", i.Component.Name)
			}
			if !slices.ContainsFunc(i.Forbidden, func(f typestate.Forbidden) bool { return f.Verdict == "fails" }) {
				t.Errorf("%s has no call that fails", i.Component.Name)
			}
			if s := i.Guarantees.Permissive; s != typestate.GuaranteeProved && s != typestate.GuaranteeOpen {
				t.Errorf("%s: permissive is %s, not proved", i.Component.Name, s)
			}
		}
		if !slices.Contains(names, "bufio.Scanner") || !slices.Contains(names, "bytes.Buffer") {
			t.Errorf("%s: only %v", release, names)
		}
	}
}

func TestRelease(t *testing.T) {
	for text, want := range map[string]int{"go1.26.8": 26, "go1.9": 9, "": 0, "devel": 0} {
		if got := minor(text); got != want {
			t.Errorf("minor(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestSet(t *testing.T) {
	all, err := Standard("")
	if err != nil {
		t.Fatal(err)
	}
	data, err := WriteSet(all)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadSet(data)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := WriteSet(again)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, twice) {
		t.Error("a set that is read and written again has other bytes")
	}
	if _, err := ReadSet([]byte("no gzip")); err == nil {
		t.Error("a file that is no set was read")
	}
}

func TestDir(t *testing.T) {
	dir := t.TempDir()
	all, err := Standard("")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := typestate.Write(&text, all[0]); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"a.json": text.Bytes(), "b.json": []byte(`{"format": "other"}`), "c.json": []byte("["), "d.txt": text.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Dir(dir)
	if err != nil || len(got) != 1 || got[0].Component.Name != all[0].Component.Name {
		t.Errorf("%d interfaces, %v", len(got), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad.json"), []byte(`{"format": "interlock/1"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Dir(dir); err == nil {
		t.Error("a broken interface file was read")
	}
}
