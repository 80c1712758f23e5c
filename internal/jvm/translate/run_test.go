// SPDX-License-Identifier: Apache-2.0

package translate_test

// This file runs translations: classes of testdata are compiled by javac and run by java, their translations are
// compiled and run by the Go tool chain, with the same words. All calls must end alike.

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/classpath"
	"github.com/interlock-go/interlock/internal/jvm/internal/jdktest"
	"github.com/interlock-go/interlock/internal/jvm/translate"
)

// driver runs words on the real classes. A word is a line: a class, then calls with an argument or none.
const driver = `
import java.io.*;
import java.lang.reflect.*;
import java.nio.file.*;
import java.util.*;

public class Driver {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] word = line.split(" ");
            String[] name = word[0].split("/");
            Class<?> c = loaders.computeIfAbsent(name[0], d -> new java.net.URLClassLoader(new java.net.URL[] {url(d)})).loadClass(name[1]);
            Object o = c.getConstructor().newInstance();
            StringBuilder b = new StringBuilder(word[0]);
            for (int k = 1; k < word.length; k++) {
                String[] call = word[k].split(":");
                b.append(' ').append(word[k]).append('=');
                try {
                    Object r = call.length == 1 ? c.getMethod(call[0]).invoke(o) : c.getMethod(call[0], int.class).invoke(o, Integer.parseInt(call[1]));
                    b.append(r == null || r instanceof String || r instanceof Number || r instanceof Boolean || r instanceof Character ? String.valueOf(r) : "object");
                } catch (InvocationTargetException e) {
                    Throwable t = e.getCause();
                    b.append('!').append(t.getClass().getName());
                    if (!machine.contains(t.getClass().getSimpleName())) b.append('(').append(t.getMessage()).append(')');
                }
            }
            out.println(b);
        }
        out.flush();
    }
    static final Map<String, ClassLoader> loaders = new HashMap<>();
    static java.net.URL url(String dir) {
        try {
            return new File(dir).toURI().toURL();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
    static final Set<String> machine = Set.of("NullPointerException", "ArithmeticException", "ArrayIndexOutOfBoundsException", "ClassCastException", "NegativeArraySizeException", "StringIndexOutOfBoundsException");
}
`

// goDriver does the same in the package of a translation.
const goDriver = `package component

import (
	"fmt"
	"strings"
)

func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case int32, int64, int8, int16, bool:
		return fmt.Sprint(v)
	case uint16:
		return string(rune(v))
	case float64:
		return textOfDouble(v)
	case *String:
		return textOfString(v)
	case *Boolean:
		if v != nil {
			return fmt.Sprint(v.v)
		}
		return "null"
	case *Integer:
		if v != nil {
			return fmt.Sprint(v.v)
		}
		return "null"
	}
	return "object"
}

func showError(exc error, outcome int, outcomes []string) string {
	t := exc.(throwable)
	name := t.class().name
	if outcome == 0 || outcome < len(outcomes)-1 && strings.ReplaceAll(outcomes[outcome], "/", ".") != name {
		return fmt.Sprintf("!outcome %d of %s", outcome, name)
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "NullPointerException", "ArithmeticException", "ArrayIndexOutOfBoundsException", "ClassCastException", "NegativeArraySizeException", "StringIndexOutOfBoundsException":
		return "!" + name
	}
	_, m := messageOf(exc)
	return "!" + name + "(" + textOfString(m) + ")"
}

func Drive(word []string, argument func(string) (string, int32)) (out string) {
	at := ""
	b := CLASS
	defer func() {
		if r := recover(); r != nil {
			if strings.HasPrefix(fmt.Sprint(r), "environment:") && at != "" {
				out = b + "~" // known up to here
				return
			}
			out = fmt.Sprint(at, " panic ", r)
		}
	}()
	exc, _, o := NEW()
	if exc != nil {
		return b + " not made: " + exc.Error()
	}
	for _, call := range word {
		at = call
		name, p := argument(call)
		_ = p
		b += " " + call + "="
		switch name {
CALLS
		}
	}
	return b
}
`

// variants are the ways in which classes are compiled: as today, as for Java 8 (no nests, concatenation by builders),
// what is newer than Java 17, and with classes of the library of the JDK, whose own code is translated, too.
var variants = []struct {
	name, dir string
	release   int // of the JDK that is needed
	args      []string
	files     []string // without .java; all if nil
	inline    []string
}{
	{"now", "testdata/java", 17, nil, nil, nil},
	{"eight", "testdata/java", 17, []string{"--release", "8"}, []string{"Arith", "Arrays2", "Errors", "Lambdas", "Models", "Objects2", "Texts"}, nil},
	{"patterns", "testdata/java21", 21, nil, nil, nil},
	{"library", "testdata/library", 17, nil, nil, followedLibrary},
}

// followedLibrary are the classes of java.util that are translated for the variant "library". Others have static
// initializers that ask the environment.
var followedLibrary = strings.Fields(`java.util.Abstract* java.util.ArrayList* java.util.LinkedList* java.util.Vector* java.util.Arrays$* java.util.HashMap*
	java.util.TreeMap* java.util.LinkedHashMap* java.util.ArrayDeque* java.util.PriorityQueue* java.util.Collections java.util.Collections$* java.util.Comparator java.util.ImmutableCollections$* java.util.Optional`)

func TestRun(t *testing.T) {
	jdks := jdktest.All(t)
	jdk := jdks[len(jdks)-1]
	work := t.TempDir()
	write(t, filepath.Join(work, "go.mod"), "module translated\n\ngo 1.24\n")
	var words []string
	var imports, cases strings.Builder
	for _, v := range variants {
		if jdk.Release < v.release {
			t.Logf("%s: the JDK is %d, and %d is needed", v.name, jdk.Release, v.release)
			continue
		}
		sources := filepath.Join(work, "src", v.name)
		for _, file := range javaFiles(t, v.dir, v.files) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(sources, filepath.Base(file)), string(text))
		}
		classes := jdktest.Compile(t, sources, v.args...)
		if err := os.Rename(classes, filepath.Join(work, v.name)); err != nil {
			t.Fatal(err)
		}
		own, err := classpath.Open(filepath.Join(work, v.name), jdk.Release)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range javaFiles(t, v.dir, v.files) {
			name := strings.TrimSuffix(filepath.Base(file), ".java")
			tr, err := translate.Class(classpath.Path{own, jdk}, name, translate.Options{Runnable: true, Inline: v.inline})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			pkg, id := strings.ToLower(v.name+"_"+name), v.name+"/"+name
			for _, f := range tr.Files {
				write(t, filepath.Join(work, pkg, f.Name), string(f.Text))
			}
			write(t, filepath.Join(work, pkg, "drive.go"), driveText(id, tr))
			fmt.Fprintf(&imports, "\t%s \"translated/%s\"\n", pkg, pkg)
			fmt.Fprintf(&cases, "\t\tcase %q:\n\t\t\tout = %s.Drive(word[1:], argument)\n", id, pkg)
			words = append(words, wordsFor(id, tr)...)
		}
	}
	write(t, filepath.Join(work, "main.go"), goMain(imports.String(), cases.String()))
	list := filepath.Join(work, "words")
	write(t, list, strings.Join(words, "\n")+"\n")
	write(t, filepath.Join(work, "driver", "Driver.java"), driver)
	drivers := jdktest.Compile(t, filepath.Join(work, "driver"))
	theirs := output(t, work, filepath.Join(jdk.Home, "bin", "java"), "-cp", drivers, "Driver", list)
	ours := output(t, work, "go", "run", ".", list)
	different := map[string]int{}
	errors, library, cut := 0, 0, 0
	for k, word := range words {
		errors += strings.Count(theirs[k], "=!")
		if strings.HasPrefix(word, "library/") { // its words may reach the environment, and are compared up to there
			library++
			if known, ok := strings.CutSuffix(ours[k], "~"); ok && strings.HasPrefix(theirs[k], known) {
				cut++
				continue
			}
		}
		if class, _, _ := strings.Cut(word, " "); ours[k] != theirs[k] {
			if different[class]++; different[class] <= 3 {
				t.Errorf("java: %s\ngo:   %s", theirs[k], ours[k])
			}
		}
	}
	if errors < len(words)/20 {
		t.Errorf("only %d of %d words have exceptions", errors, len(words))
	}
	if cut > library/2 {
		t.Errorf("%d of %d words reach the environment", cut, library)
	}
	t.Logf("%d words reach the environment", cut)
	t.Logf("%d words, %d exceptions, %v different", len(words), errors, different)
}

func javaFiles(t *testing.T, dir string, names []string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.java"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Java files in %s: %v", dir, err)
	}
	return slices.DeleteFunc(files, func(f string) bool {
		return names != nil && !slices.Contains(names, strings.TrimSuffix(filepath.Base(f), ".java"))
	})
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func output(t *testing.T, dir, name string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		text := errs.String()
		t.Fatalf("%s: %v\n%s", name, err, text[:min(len(text), 4000)])
	}
	return strings.Split(out.String(), "\n")
}

func goMain(imports, cases string) string {
	return `package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
` + imports + `)

func argument(call string) (string, int32) {
	name, text, _ := strings.Cut(call, ":")
	n, _ := strconv.Atoi(text)
	return name, int32(n)
}

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	for s := bufio.NewScanner(f); s.Scan(); {
		word := strings.Split(s.Text(), " ")
		out := ""
		switch word[0] {
` + cases + `		}
		fmt.Fprintln(w, out)
	}
}
`
}

func driveText(name string, tr *translate.Translation) string {
	var calls strings.Builder
	for _, c := range tr.Calls {
		if len(c.Params) > 0 && !slices.Equal(c.Method.Type.Params, []classfile.Type{"I"}) {
			continue
		}
		fmt.Fprintf(&calls, "\t\tcase %q:\n", c.Method.Name)
		p := ""
		if len(c.Params) == 1 {
			p = "p"
		}
		if c.Method.Type.Result == "V" {
			fmt.Fprintf(&calls, "\t\t\texc, outcome := o.%s(%s)\n\t\t\ts := \"null\"\n", c.Go, p)
		} else {
			fmt.Fprintf(&calls, "\t\t\texc, outcome, res := o.%s(%s)\n\t\t\ts := show(res)\n", c.Go, p)
		}
		fmt.Fprintf(&calls, "\t\t\tif exc != nil {\n\t\t\t\ts = showError(exc, outcome, %#v)\n\t\t\t}\n\t\t\tb += s\n", c.Outcomes)
	}
	text := strings.ReplaceAll(goDriver, "CLASS", fmt.Sprintf("%q", name))
	text = strings.ReplaceAll(text, "NEW()", tr.Constructors[0].Go+"()")
	return strings.ReplaceAll(text, "CALLS\n", calls.String())
}

// wordsFor are words over the calls of a class that take one int or nothing: each call alone with each argument, then
// random ones from a fixed seed.
func wordsFor(name string, tr *translate.Translation) []string {
	var letters []string
	for _, c := range tr.Calls {
		switch {
		case len(c.Params) == 0:
			letters = append(letters, c.Method.Name)
		case slices.Equal(c.Method.Type.Params, []classfile.Type{"I"}):
			for _, n := range []int{-100000, -1, 0, 1, 2, 3, 4, 5, 100} {
				letters = append(letters, fmt.Sprintf("%s:%d", c.Method.Name, n))
			}
		}
	}
	var out []string
	for _, l := range letters {
		out = append(out, name+" "+l)
	}
	r := rand.New(rand.NewSource(1))
	for range 200 {
		word := name
		for range 8 {
			word += " " + letters[r.Intn(len(letters))]
		}
		out = append(out, word)
	}
	return out
}
