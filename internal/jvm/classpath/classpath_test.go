// SPDX-License-Identifier: Apache-2.0

package classpath_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/jvm/classpath"
	"github.com/interlock-go/interlock/internal/jvm/internal/jdktest"
)

// archive writes a zip with the files, given by name and content in turn.
func archive(t *testing.T, name, before string, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(before)
	z := zip.NewWriter(&b)
	z.SetOffset(int64(len(before)))
	for k := 0; k < len(files); k += 2 {
		w, err := z.Create(files[k])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[k+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, name, b.Bytes())
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func open(t *testing.T, name string, release int) classpath.Source {
	t.Helper()
	s, err := classpath.Open(name, release)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestMultiRelease reads one jar for several releases.
func TestMultiRelease(t *testing.T) {
	files := []string{
		"META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nMulti-Release: TRUE\r\n\r\nName: x\r\n",
		"META-INF/versions/11/a/B.class", "eleven", "a/B.class", "base", "META-INF/versions/9/a/B.class", "nine",
		"META-INF/versions/17/a/New.class", "seventeen", "META-INF/versions/8/a/B.class", "eight", "META-INF/versions/x/a/B.class", "?",
		"module-info.class", "", "a/readme.txt", "",
	}
	jar := archive(t, "m.jar", "", files...)
	for release, want := range map[int]string{0: "base", 8: "base", 9: "nine", 10: "nine", 11: "eleven", 25: "eleven"} {
		s := open(t, jar, release)
		got, where, err := s.Find("a/B")
		if err != nil || string(got) != want {
			t.Errorf("release %d: %q from %s, want %q: %v", release, got, where, want, err)
		}
		all, _ := s.Classes()
		if classes := []string{"a/B", "a/New"}; release < 17 && !slices.Equal(all, classes[:1]) || release >= 17 && !slices.Equal(all, classes) {
			t.Errorf("release %d: classes %v", release, all)
		}
	}
	plain := archive(t, "p.jar", "", append([]string{"META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n\nMulti-Release: true\n"}, files[2:]...)...)
	if got, _, _ := open(t, plain, 25).Find("a/B"); string(got) != "base" {
		t.Errorf("a jar that is not multi-release gives %q", got)
	}
	if jmod := archive(t, "x.jmod", "JM\x01\x00", "classes/a/B.class", "in a module", "lib/a/B.class", "?"); true {
		s := open(t, jmod, 0)
		if got, _, err := s.Find("a/B"); err != nil || string(got) != "in a module" {
			t.Errorf("the jmod gives %q: %v", got, err)
		}
		if all, _ := s.Classes(); len(all) != 1 {
			t.Errorf("the jmod has %v", all)
		}
	}
}

func TestPath(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "B.class"), []byte("directory"), 0o666); err != nil {
		t.Fatal(err)
	}
	one, two := archive(t, "one.jar", "", "a/B.class", "one", "a/C.class", "one"), archive(t, "two.jar", "", "a/C.class", "two", "D.class", "two")
	p, err := classpath.OpenPath(strings.Join([]string{dir, "", one, two}, string(filepath.ListSeparator)), 17)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for class, want := range map[string]string{"a/B": "directory", "a/C": "one", "D": "two"} {
		if got, _, err := p.Find(class); err != nil || string(got) != want {
			t.Errorf("%s is from %q, want %q: %v", class, got, want, err)
		}
	}
	if all, err := p.Classes(); err != nil || !slices.Equal(all, []string{"D", "a/B", "a/C"}) {
		t.Errorf("classes %v: %v", all, err)
	}
	for _, class := range []string{"E", "../a/B", "a", ""} {
		if _, _, err := p.Find(class); !classpath.IsNotFound(err) {
			t.Errorf("%q: %v", class, err)
		}
	}
	jars, err := classpath.OpenPath(filepath.Join(filepath.Dir(one), "*"), 17)
	if err != nil || len(jars) != 1 {
		t.Errorf("all jars of a directory: %d, %v", len(jars), err)
	}
	jars.Close()
}

// TestBad pins what is said of what cannot be opened.
func TestBad(t *testing.T) {
	whole := archive(t, "w.jar", "", "a/B.class", strings.Repeat("text ", 1000))
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	image := binary.LittleEndian.AppendUint32(nil, 0xcafedada)
	version := func(major uint32, more ...uint32) []byte {
		b := binary.LittleEndian.AppendUint32(slices.Clone(image), major<<16)
		for _, x := range more {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"short", "it has less than 4 bytes", []byte("PK")},
		{"text", "it begins with 68 65 6c 6c", []byte("hello world")},
		{"cut.jar", "not a valid zip file", data[:len(data)/2]},
		{"cut.class", "offset 4: 2 bytes are needed and 0 are left", []byte("\xca\xfe\xba\xbe")},
		{"modules", "not a valid runtime image: its header", image},
		{"modules2", "version 2; version 1 is read", version(2, 0, 0, 0, 0, 0)},
		{"modules3", "its index has 4294967323 bytes and the file has 28", version(1, 0, 0, 0, 0, 1<<32-1)},
		{"modules4", "location 0 lies outside of its table", append(version(1, 0, 1, 1, 0, 0), 0, 0, 0, 0, 9, 0, 0, 0)},
		{"modules5", "location 0: an attribute of kind 7 and 1 bytes", append(version(1, 0, 1, 1, 1, 0), 0, 0, 0, 0, 0, 0, 0, 0, 7<<3)},
		{"modules6", "location 0: its attributes do not end", append(version(1, 0, 1, 1, 2, 0), 0, 0, 0, 0, 0, 0, 0, 0, 7<<3, 0)},
		{"modules7", "location 0: a text lies outside of its table", append(version(1, 0, 1, 1, 1, 0), 0, 0, 0, 0, 0, 0, 0, 0, 0)},
	} {
		name := write(t, c.name, c.data)
		s, err := classpath.Open(name, 17)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), name+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v\nwant: %s", c.name, err, c.want)
		}
	}
	if _, err := classpath.Open("does-not-exist.jar", 17); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
	flipped := slices.Clone(data)
	flipped[60] ^= 0xff
	if s, err := classpath.Open(write(t, "flipped.jar", flipped), 17); err == nil {
		if _, where, err := s.Find("a/B"); err == nil || !strings.Contains(err.Error(), "flipped.jar!a/B.class: ") {
			t.Errorf("a damaged entry: %s, %v", where, err)
		}
		s.Close()
	}
}

// TestSame compares a class of the image with that of the jmod, where a JDK has both.
func TestSame(t *testing.T) {
	for _, jdk := range jdktest.All(t) {
		jmod := filepath.Join(jdk.Home, "jmods", "java.base.jmod")
		if _, err := os.Stat(jmod); err != nil {
			continue
		}
		s := open(t, jmod, jdk.Release)
		for _, class := range []string{"java/util/ArrayList$ListItr", "java/net/Socket"} {
			a, _, err := s.Find(class)
			if err != nil {
				t.Fatal(err)
			}
			b, where, err := jdk.Find(class)
			if err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s: %d bytes in the jmod, %d in %s: %v", class, len(a), len(b), where, err)
			}
		}
	}
}

func TestJDKErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ release, want string }{
		{"", "it has no file release"},
		{"A=1\n", "does not say JAVA_VERSION"},
		{"JAVA_VERSION=\"1.8.0_292\"\n", "Java 1.8.0_292; versions from 9 on are read"},
		{"JAVA_VERSION=\"21-ea\"\n", "it has neither lib/modules nor jmods"},
	} {
		if c.release != "" {
			if err := os.WriteFile(filepath.Join(dir, "release"), []byte(c.release), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := classpath.OpenJDK(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.release, err)
		}
	}
}
