// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file infers interfaces of small Java classes that javac compiles, and of classes of an installed JDK. Each is a trap: what it
// once gave, or would give, is said beside it.

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/typestate"
)

// javaHome is an installed JDK. Without one tests of classes are skipped, but not where everything must run.
func javaHome(t *testing.T) string {
	t.Helper()
	program, _ := exec.LookPath("java")
	home := interlock.JavaHome(os.Getenv("JAVA_HOME"), program)
	if _, err := exec.LookPath("javac"); home == "" || err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no JDK is installed")
		}
		t.Skip("no JDK is installed")
	}
	return home
}

// A javaCase is a class with what its interface must be.
type javaCase struct {
	name, source, errors string
	states               int
	fails                []string // "word: call" for calls that fail after a word, "" for the constructor alone
	allowed              []string
}

var javaCases = []javaCase{
	{
		name: "Door", // fields and messages
		source: `public class Door {
	private boolean open;
	public void open() { if (open) throw new IllegalStateException("open already"); open = true; }
	public void close() { if (!open) throw new IllegalStateException("not open"); open = false; }
	public boolean isOpen() { return open; }
}`,
		errors: "java.lang.IllegalStateException", states: 2,
		fails: []string{": close", "open=return: open"}, allowed: []string{": open", "open=return: close", "open=return close=return: open"},
	},
	{
		name: "Entry", // an exception that a method makes for another; a state that a handler sets; JIST's ServerTableEntry
		source: `public class Entry {
	public static class NotAllowed extends RuntimeException { NotAllowed(String m) { super(m); } }
	private int state = 1;
	public void activate(boolean starts) { state = 2; try { start(starts); } catch (RuntimeException e) { state = 0; throw e; } }
	private void start(boolean starts) { if (!starts) throw new UnsupportedOperationException(); }
	public void register() { if (state != 2) throw wrong("register"); }
	public void registerPorts() { if (state == 2) state = 3; }
	public void install() { if (state != 3) throw wrong("install"); }
	public void uninstall() { if (state != 3) throw wrong("uninstall"); state = 0; }
	public void holdDown() { state = 4; }
	private static NotAllowed wrong(String what) { return new NotAllowed(what); }
}`,
		errors: "Entry$NotAllowed", states: 3,
		fails:   []string{": register", ": install", "activate=return: install", "activate=return registerPorts=return: register"},
		allowed: []string{"activate=return: register", "activate=return registerPorts=return: install", ": holdDown"},
	},
	{
		name: "Owner", // what compares the current thread was the environment's fault: allowed, and so was each unlock
		source: `public class Owner {
	private Thread owner;
	public void lock() { owner = Thread.currentThread(); }
	public void unlock() { if (owner != Thread.currentThread()) throw new IllegalMonitorStateException(); owner = null; }
}`,
		errors: "java.lang.IllegalMonitorStateException", states: 2,
		fails: []string{": unlock"}, allowed: []string{"lock=return: unlock"},
	},
	{
		name: "Caught", // an exception that is caught is no error, and one of a subclass is
		source: `public class Caught {
	static class Closed extends IllegalStateException { }
	private boolean closed;
	public boolean probe() { try { check(); return true; } catch (IllegalStateException e) { return false; } }
	public void use() { check(); }
	public void close() { closed = true; }
	private void check() { if (closed) throw new Closed(); }
}`,
		errors: "java.lang.IllegalStateException", states: 2,
		fails: []string{"close=return: use"}, allowed: []string{"close=return: probe", ": use"},
	},
	{
		name: "Super", // a call of the superclass's method is a copy of its own
		source: `public class Super {
	static class Base { int n; void up() { n++; } void check() { if (n == 0) throw new IllegalStateException(); } }
	private static class Derived extends Base { @Override void check() { if (n > 1) throw new IllegalStateException(); super.check(); } }
	private final Base b = new Derived();
	public void first() { if (b.n == 0) b.up(); }
	public void check() { b.check(); }
}`,
		errors: "java.lang.IllegalStateException", states: 2,
		fails: []string{": check"}, allowed: []string{"first=return: check"},
	},
}

// goNames are names of translations, which no interface may have.
var goNames = regexp.MustCompile(`\b(?:Call_|New_|M_|m_|p_|on_|answer_|ends_|static_|site |site_|init_|clinit_|Mark_|Is_)\w|\bnil\b|non-nil|·|\bcomponent\b\.`)

func TestJavaClasses(t *testing.T) {
	home := javaHome(t)
	for _, k := range javaCases {
		t.Run(k.name, func(t *testing.T) {
			dir := t.TempDir()
			source := filepath.Join(dir, k.name+".java")
			if err := os.WriteFile(source, []byte(k.source), 0o666); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("javac", "-g", "-d", dir, source).CombinedOutput(); err != nil {
				t.Fatalf("javac: %v\n%s", err, out)
			}
			i, err := inferJava(interlock.JavaType{Name: k.name, JDK: home, ClassPath: dir, Errors: []string{k.errors}})
			if err != nil {
				t.Fatal(err)
			}
			if len(i.States) != k.states || i.Guarantees.Safe != typestate.GuaranteeProved || i.Guarantees.Permissive != typestate.GuaranteeProved {
				t.Errorf("%d states, safe: %s, permissive: %s, want %d and proved", len(i.States), i.Guarantees.Safe, i.Guarantees.Permissive, k.states)
			}
			for _, word := range k.fails {
				if v := javaVerdict(t, i, word); v != typestate.VerdictFails {
					t.Errorf("%s: %v, want fails", word, v)
				}
			}
			for _, word := range k.allowed {
				if v := javaVerdict(t, i, word); v != typestate.VerdictAllowed {
					t.Errorf("%s: %v, want allowed", word, v)
				}
			}
			var b bytes.Buffer
			if err := typestate.Write(&b, i); err != nil {
				t.Fatal(err)
			}
			if leak := goNames.FindString(b.String()); leak != "" {
				t.Errorf("the interface has a name of the translation: %s", leak)
			}
		})
	}
}

// javaVerdict follows a word of calls with outcomes, and gives the verdict of the call after the colon.
func javaVerdict(t *testing.T, i *typestate.Interface, text string) typestate.Verdict {
	t.Helper()
	word, call, _ := strings.Cut(text, ": ")
	if strings.HasPrefix(text, ": ") {
		word, call = "", text[2:]
	}
	at := *i.Constructors[0].State
	for _, step := range strings.Fields(word) {
		name, outcome, _ := strings.Cut(step, "=")
		k := slices.IndexFunc(i.Edges, func(e typestate.Edge) bool {
			return e.From == at && e.Call == name && (e.Outcome == "*" || e.Outcome == outcome)
		})
		if k < 0 {
			t.Fatalf("%s: no edge for %s from state %d", text, step, at)
		}
		at = i.Edges[k].To
	}
	return i.Verdict(at, call)
}

// TestJavaIterators infers list iterators from the class files of the JDK: two states, told apart by the sign of lastRet.
func TestJavaIterators(t *testing.T) {
	home := javaHome(t)
	i, err := inferJava(interlock.JavaType{Name: "java.util.ArrayList.ListItr", JDK: home, Errors: []string{"java.lang.IllegalStateException"},
		Methods: []string{"next", "previous", "hasNext", "hasPrevious", "add", "set", "remove"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(i.States) != 2 || i.Guarantees.Permissive != typestate.GuaranteeProved {
		t.Errorf("%d states, permissive: %s %s", len(i.States), i.Guarantees.Permissive, i.Guarantees.Reason)
	}
	for _, f := range i.Forbidden {
		if e := f.Errors[0]; f.Verdict != "fails" || !strings.HasPrefix(e.At, "java/util/ArrayList.java:") || e.Message != "IllegalStateException" {
			t.Errorf("%+v", f)
		}
	}
}

// TestJavaWrong checks what is said about input that cannot be read: one line each.
func TestJavaWrong(t *testing.T) {
	home := javaHome(t)
	for _, k := range []struct {
		typ  interlock.JavaType
		want string
	}{
		{interlock.JavaType{Name: "java.util.ArayList", JDK: home}, "no class java.util.ArayList in the JDK"},
		{interlock.JavaType{Name: "a.b.C"}, "no class a.b.C in nothing: there is no class path and no JDK"},
		{interlock.JavaType{Name: "java.util.Iterator", JDK: home}, "java.util.Iterator is an interface: name a class that implements it"},
		{interlock.JavaType{Name: "java.util.ArrayList", JDK: home, Methods: []string{"sizes"}}, "java.util.ArrayList has no public method sizes"},
		{interlock.JavaType{Name: "java.util.ArrayList", JDK: home, Errors: []string{"java.util.NoSuch"}}, `-error "java.util.NoSuch": no class java.util.NoSuch in`},
		{interlock.JavaType{Name: "java.util.ArrayList", JDK: home, Factories: []string{"make me"}}, `-factory "make me": expected new CLASS(...)`},
	} {
		_, err := inferJava(k.typ)
		if err == nil || !strings.HasPrefix(err.Error(), k.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", k.typ.Name, err, k.want)
		}
	}
}

func inferJava(t interlock.JavaType) (*typestate.Interface, error) {
	k, err := interlock.LoadJava(context.Background(), t)
	if err != nil {
		return nil, err
	}
	r, err := interlock.Infer(context.Background(), k, nil)
	if err != nil {
		return nil, err
	}
	return r.Interface, nil
}
