// SPDX-License-Identifier: Apache-2.0

package classfile_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/internal/jdktest"
)

var (
	compileOnce sync.Once
	classes     map[string][]byte
)

// compiled gives the class files of testdata/java.
func compiled(t testing.TB) map[string][]byte {
	t.Helper()
	compileOnce.Do(func() { classes = compile(t) })
	if classes == nil {
		t.Skip("javac is not installed")
	}
	return classes
}

func compile(t testing.TB) map[string][]byte {
	dir := jdktest.Compile(t, filepath.Join("testdata", "java"), "-g", "--release", "17")
	files, err := filepath.Glob(filepath.Join(dir, "*.class"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d class files: %v", len(files), err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".class")] = data
	}
	return out
}

// check reads a file that may be damaged: the answer is a class all of whose code decodes or
// an error with the name of the file and an offset within it, never a panic.
func check(t *testing.T, data []byte) (ok bool) {
	t.Helper()
	fails := func(err error) bool {
		if err == nil {
			return false
		}
		var e *classfile.Error
		var s *classfile.SubroutineError
		if !errors.As(err, &e) && !errors.As(err, &s) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("not an error of this package on one line: %v", err)
		}
		if e != nil && (e.File != "x.class" || e.Offset < 0 || e.Offset > len(data) || e.Reason == "") {
			t.Fatalf("file %q, offset %d of %d: %v", e.File, e.Offset, len(data), e)
		}
		return true
	}
	c, err := classfile.Parse("x.class", data)
	if fails(err) {
		return false
	}
	for _, m := range c.Methods {
		if m.Code == nil {
			continue
		}
		code, err := m.Code.Decode()
		if fails(err) {
			return false
		}
		if _, err := m.Code.Heights(code); fails(err) {
			return false
		}
	}
	return true
}

// TestTruncated cuts every class file, in continuous integration at every length.
func TestTruncated(t *testing.T) {
	step := 17
	if os.Getenv("CI") == "true" {
		step = 1
	}
	for name, data := range compiled(t) {
		if !check(t, data) {
			t.Errorf("%s: the whole file does not pass", name)
		}
		for n := 0; n < len(data); n += step {
			if check(t, data[:n]) {
				t.Errorf("%s: its first %d bytes of %d pass", name, n, len(data))
			}
		}
		if check(t, append(data[:len(data):len(data)], 0)) {
			t.Errorf("%s: a byte behind it passes", name)
		}
	}
}

// TestMutated changes bytes at random.
func TestMutated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for _, data := range compiled(t) {
		for range 200 {
			bad := append([]byte(nil), data...)
			for range 1 + rng.IntN(3) {
				bad[rng.IntN(len(bad))] = byte(rng.IntN(256))
			}
			if !check(t, bad) {
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// TestMessages pins what is said of typical damage.
func TestMessages(t *testing.T) {
	good := compiled(t)["Shapes"]
	patch := func(at int, b ...byte) []byte {
		out := append([]byte(nil), good...)
		copy(out[at:], b)
		return out
	}
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"empty", nil, "offset 0: 4 bytes are needed and 0 are left"},
		{"a jar", []byte("PK\x03\x04 and more"), "offset 0: it begins with 504b0304 and not with cafebabe"},
		{"too new", patch(4, 0, 0, 0, 99), "offset 4: version 99.0; versions 45 to 69 are read"},
		{"too old", patch(4, 0, 0, 0, 44), "offset 4: version 44.0; versions 45 to 69 are read"},
		{"pool too large", patch(8, 0xff, 0xff), "a constant pool of 65535 entries does not fit"},
		{"unknown tag", patch(10, 2), "constant 1 has the unknown tag 2"},
		{"older version", patch(6, 0, 48), "which version 48 does not have"},
	} {
		_, err := classfile.Parse("x.class", c.data)
		if err == nil || !strings.HasPrefix(err.Error(), "x.class: not a valid class file: offset ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant: %s", c.what, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, data := range compiled(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { check(t, data) })
}
