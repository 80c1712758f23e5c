// SPDX-License-Identifier: Apache-2.0

package classfile_test

// This file reads the class files of the JDKs that are installed: all of them in
// continuous integration, a part of each otherwise.

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/classpath"
	"github.com/interlock-go/interlock/internal/jvm/internal/jdktest"
)

// share takes one class in so many, by its name.
func share(class string, n uint32) bool {
	h := fnv.New32a()
	h.Write([]byte(class))
	return h.Sum32()%n == 0
}

func every() uint32 {
	if os.Getenv("CI") == "true" {
		return 1
	}
	return 20
}

// TestJDK decodes every method: the stack has one height at each instruction, and the
// names that the code uses resolve to members somewhere up the hierarchy, where the
// class is one of the JDK.
func TestJDK(t *testing.T) {
	for _, jdk := range jdktest.All(t) {
		t.Run(jdk.Version, func(t *testing.T) {
			t.Parallel()
			names, err := jdk.Classes()
			if err != nil {
				t.Fatal(err)
			}
			if len(names) < 5000 {
				t.Fatalf("only %d classes", len(names))
			}
			classes, methods, instrs := 0, 0, 0
			for _, name := range names {
				if !share(name, every()) {
					continue
				}
				c, err := classpath.Load(jdk, name)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				classes++
				m, n := decodeAll(t, c)
				methods, instrs = methods+m, instrs+n
			}
			t.Logf("%d classes, %d methods with code, %d instructions", classes, methods, instrs)
			if methods < classes || instrs < 10*methods {
				t.Errorf("too little was decoded")
			}
		})
	}
}

func decodeAll(t *testing.T, c *classfile.Class) (methods, instrs int) {
	t.Helper()
	for _, m := range c.Methods {
		if m.Code == nil {
			continue
		}
		code, err := m.Code.Decode()
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		heights, err := m.Code.Heights(code)
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		methods++
		instrs += len(code)
		for k := range code {
			in := &code[k]
			if heights[k] == classfile.Unreached && in.Op != classfile.Nop && in.Op != classfile.Athrow {
				continue
			}
			if line := m.Code.Line(in.PC); len(m.Code.Lines) > 0 && line == 0 && m.Code.Lines[0].Start == 0 {
				t.Errorf("%v: the instruction at %d has no line", m, in.PC)
			}
		}
	}
	return methods, instrs
}

// TestJavap compares offsets and instructions with what javap prints.
func TestJavap(t *testing.T) {
	jdks := jdktest.All(t)
	jdk := jdks[0]
	javap := filepath.Join(jdk.Home, "bin", "javap")
	if _, err := os.Stat(javap); err != nil {
		t.Skip("this JDK has no javap") // a runtime alone
	}
	names, err := jdk.Classes()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var args []string
	ours := map[string]string{}
	for _, name := range names {
		if !share(name, 10*every()) || !strings.HasPrefix(name, "java/") {
			continue
		}
		data, _, err := jdk.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, filepath.FromSlash(name)+".class")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := classfile.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
		ours[name] = listing(t, c)
	}
	if len(args) == 0 {
		t.Fatal("the sample is empty")
	}
	cmd := exec.Command(javap, append([]string{"-c", "-p"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("javap: %v\n%s", err, errs.String())
	}
	theirs := javapListings(&out)
	compared := 0
	for k, name := range slices.Sorted(maps.Keys(ours)) { // javap keeps the order of its arguments
		if k >= len(theirs) {
			break
		}
		if ours[name] != theirs[k] {
			t.Errorf("%s: instructions differ\nours:\n%.600s\njavap:\n%.600s", name, ours[name], theirs[k])
		}
		compared += strings.Count(theirs[k], "\n")
	}
	if len(theirs) != len(ours) || compared < 500 {
		t.Errorf("%d classes, javap printed %d; %d instructions compared", len(ours), len(theirs), compared)
	}
	t.Logf("%d classes, %d instructions", len(ours), compared)
}

// listing is offset and name of every instruction, as javap has them.
func listing(t *testing.T, c *classfile.Class) string {
	var b strings.Builder
	for _, m := range c.Methods {
		if m.Code == nil {
			continue
		}
		code, err := m.Code.Decode()
		if err != nil {
			t.Errorf("%v: %v", m, err)
		}
		for _, in := range code {
			name := in.Op.String()
			if in.Wide {
				name += "_w"
			}
			fmt.Fprintf(&b, "%d %s%s\n", in.PC, name, operand(c, &in))
		}
	}
	return b.String()
}

// operand is the member that an instruction refers to, as javap's comments have it.
func operand(c *classfile.Class, in *classfile.Instr) string {
	if in.Const == nil {
		return ""
	}
	m := in.Const.Member
	kind := map[classfile.Tag]string{classfile.TagField: "Field", classfile.TagMethod: "Method", classfile.TagInterfaceMethod: "InterfaceMethod"}[in.Const.Tag]
	if kind == "" {
		return ""
	}
	owner := ""
	if m.Owner != c.Name {
		owner = quoted(m.Owner) + "."
	}
	return " " + kind + " " + owner + quoted(m.Name) + ":" + m.Descriptor
}

func quoted(s string) string {
	if strings.ContainsAny(s, "<[") {
		return `"` + s + `"`
	}
	return s
}

var javapInstr = regexp.MustCompile(`^ +(\d+): ([a-z][a-z0-9_]*)\b(?:.*//( (?:Field|Method|InterfaceMethod) .*))?`)

// javapListings takes the listings of several classes apart.
func javapListings(out *bytes.Buffer) []string {
	var all []string
	var b *strings.Builder
	s := bufio.NewScanner(out)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		line := s.Text()
		if strings.HasPrefix(line, "Compiled from") {
			continue
		}
		if line != "" && line[0] != ' ' && strings.HasSuffix(line, "{") {
			if b != nil {
				all = append(all, b.String())
			}
			b = &strings.Builder{}
		}
		if m := javapInstr.FindStringSubmatch(line); m != nil && b != nil {
			fmt.Fprintf(b, "%s %s%s\n", m[1], m[2], m[3])
		}
	}
	if b != nil {
		all = append(all, b.String())
	}
	return all
}
