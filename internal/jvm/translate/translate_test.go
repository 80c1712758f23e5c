// SPDX-License-Identifier: Apache-2.0

package translate_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/jvm/classpath"
	"github.com/interlock-go/interlock/internal/jvm/internal/jdktest"
	"github.com/interlock-go/interlock/internal/jvm/translate"
)

// TestRefused checks what is said about classes that cannot be translated.
func TestRefused(t *testing.T) {
	jdk := jdktest.All(t)[0]
	cases := []struct {
		class   string
		options translate.Options
		want    string
	}{
		{"no/such/Class", translate.Options{}, "no class no.such.Class in"},
		{"java/util/Iterator", translate.Options{}, "java.util.Iterator is an interface: name a class that implements it"},
		{"java/util/ArrayList", translate.Options{Calls: []string{"size", "sizes(int)"}}, "java.util.ArrayList has no public method sizes(int)"},
		{"java/lang/String", translate.Options{}, "java/lang/String: unsupported: a class that is modelled and not translated"},
	}
	for _, c := range cases {
		_, err := translate.Class(jdk, c.class, c.options)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.class, err, c.want)
		}
	}
	var no *translate.Unsupported
	if _, err := translate.Class(jdk, "java/util/concurrent/ConcurrentHashMap", translate.Options{}); !errors.As(err, &no) || no.Line == 0 {
		t.Errorf("a class that computes offsets of elements: %v, want a construct with its line", err)
	}
}

// TestWithoutJDK translates a class whose superclass is known and one whose is not, with no JDK on the class path.
func TestWithoutJDK(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Plain.java"), "public class Plain { private int n; public void up() { if (++n > 2) throw new IllegalStateException(\"full\"); } }")
	write(t, filepath.Join(dir, "Sub.java"), "public class Sub extends java.util.ArrayList<String> { public void f() {} }")
	source, err := classpath.Open(jdktest.Compile(t, dir), 17)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := translate.Class(source, "Plain", translate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range typeCheck(tr) {
		t.Error(e)
	}
	if len(tr.Calls) != 1 || tr.Calls[0].Java != "up()" || !slices.Equal(tr.Calls[0].Outcomes, []string{"ok", "java/lang/IllegalStateException", "other"}) {
		t.Errorf("the calls are %+v", tr.Calls)
	}
	_, err = translate.Class(source, "Sub", translate.Options{})
	if err == nil || err.Error() != "Sub: its superclass java.util.ArrayList is not on the class path" {
		t.Errorf("Sub: %v", err)
	}
}

// TestTranslation checks what a translation says besides its text.
func TestTranslation(t *testing.T) {
	jdk := jdktest.All(t)[0]
	tr, err := translate.Class(jdk, "java/io/PipedOutputStream", translate.Options{Calls: []string{"connect", "write(int)"}})
	if err != nil {
		t.Fatal(err)
	}
	again, err := translate.Class(jdk, "java/io/PipedOutputStream", translate.Options{Calls: []string{"connect", "write(int)"}})
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range tr.Files {
		if string(f.Text) != string(again.Files[k].Text) {
			t.Errorf("%s differs the second time", f.Name)
		}
	}
	if !slices.Contains(tr.Followed, "java/io/PipedInputStream") || slices.Contains(tr.Followed, "java/lang/Thread") {
		t.Errorf("followed: %v", tr.Followed)
	}
	var calls []string
	for _, c := range tr.Calls {
		calls = append(calls, c.Java+" "+strings.Join(c.Params, ","))
		if !slices.Contains(c.Outcomes, "java/io/IOException") {
			t.Errorf("%s: outcomes %v", c.Java, c.Outcomes)
		}
	}
	if want := []string{"connect(java.io.PipedInputStream) snk", "write(int) b"}; !slices.Equal(calls, want) {
		t.Errorf("calls %v, want %v", calls, want)
	}
	if n := tr.Names["PipedInputStream.connected"]; n != (translate.Name{Class: "java/io/PipedInputStream", Member: "connected", Descriptor: "Z"}) {
		t.Errorf("PipedInputStream.connected stands for %v", n)
	}
	text := string(tr.Files[len(tr.Files)-1].Text)
	if !strings.Contains(text, "//line java/io/PipedOutputStream.java:") {
		t.Error("the text has no lines of the source")
	}
	lines := strings.Split(text, "\n")
	for k, l := range lines {
		if strings.Contains(l, "goto ") && (k == 0 || !strings.HasPrefix(lines[k-1], "//line ")) {
			t.Errorf("line %d has no position: %s", k+1, l)
		}
	}
}

// TestCorrupt reads a class path with a file that is no class file.
func TestCorrupt(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "A.java"), "public class A extends B { public void f() {} } class B {}")
	classes := jdktest.Compile(t, dir)
	if err := os.WriteFile(filepath.Join(classes, "B.class"), []byte{0xca, 0xfe, 0xba, 0xbe, 0}, 0o666); err != nil {
		t.Fatal(err)
	}
	source, err := classpath.Open(classes, 17)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := translate.Class(source, "A", translate.Options{}); err == nil || !strings.Contains(err.Error(), "B.class: not a valid class file: offset") {
		t.Errorf("%v", err)
	}
}
