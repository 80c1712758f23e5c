// SPDX-License-Identifier: Apache-2.0

package replay

// This file checks generated tests: what they look like, that the real types pass
// them, and that wrong interfaces do not. Interfaces in testdata are written by
// hand.

import (
	"bytes"
	"context"
	"flag"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

var update = flag.Bool("update", false, "rewrite golden files")

func read(t *testing.T, name string) *typestate.Interface {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	i, err := typestate.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func generate(t *testing.T, i *typestate.Interface, opt Options) (*Subject, *Test) {
	t.Helper()
	s, err := Load(context.Background(), ".", i.Component.Name, "")
	if err != nil {
		t.Fatal(err)
	}
	test, err := Generate(s, i, []string{"bytes", "io", "strings"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s, test
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"scanner", "zip"} {
		_, test := generate(t, read(t, name), Options{Package: "p_test"})
		head, _, _ := bytes.Cut(test.Source, []byte("\n// A "+map[string]string{"scanner": "scanner", "zip": "writer"}[name]+"Start "))
		if formatted, err := format.Source(test.Source); err != nil || !bytes.Equal(formatted, test.Source) {
			t.Errorf("%s: not formatted (%v)", name, err)
		}
		if again, err := format.Source(bytes.ReplaceAll(test.Source, []byte("\r"), nil)); err != nil || !bytes.Equal(again, test.Source) {
			t.Errorf("%s: carriage returns (%v)", name, err)
		}
		file := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(file, append(head, '\n'), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(head) + "\n"; got != string(want) {
			t.Errorf("%s: the test differs from %s; -update rewrites it:\n%s", name, file, got)
		}
		if _, twice := generate(t, read(t, name), Options{Package: "p_test"}); !bytes.Equal(test.Source, twice.Source) {
			t.Errorf("%s: two runs differ", name)
		}
	}
}

// TestRun runs the real types. The mutants of an interface are wrong in one cell
// each, and the shortest word to that cell must be found.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	type mutation struct {
		name, word string
		mutate     func(*typestate.Interface)
	}
	allow := func(state int, call string, to int) func(*typestate.Interface) {
		return func(i *typestate.Interface) {
			i.Forbidden = slices.DeleteFunc(i.Forbidden, func(f typestate.Forbidden) bool { return f.State == state && f.Call == call })
			i.Edges = append(i.Edges, typestate.Edge{From: state, Call: call, Outcome: "*", To: to})
		}
	}
	forbid := func(state int, call string) func(*typestate.Interface) {
		return func(i *typestate.Interface) {
			i.Edges = slices.DeleteFunc(i.Edges, func(e typestate.Edge) bool { return e.From == state && e.Call == call })
			i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: state, Call: call, Verdict: "fails"})
		}
	}
	none := func(*typestate.Interface) {}
	for _, m := range []mutation{
		{"zip", "", none},
		{"mutex", "", none},
		{"mutex", "new(sync.Mutex); Unlock(): the interface says allowed, but it was fatal: sync: unlock of unlocked mutex", allow(0, "Unlock", 0)},
		{"mutex", "new(sync.Mutex); Lock(); Lock(): the interface says allowed, but it blocked", allow(1, "Lock", 1)},
		{"scanner", `Scan() (returned true); Split(func): the interface says allowed, but it panicked Split called after Scan`, allow(1, "Split", 1)},
		{"scanner", `Text(): the interface says fails, but it returned`, forbid(0, "Text")},
		{"buffer", "ReadByte(): the interface says that it cannot happen that it returned (_, nil)", func(i *typestate.Interface) {
			i.Edges = slices.DeleteFunc(i.Edges, func(e typestate.Edge) bool { return e.From == 0 && e.Call == "ReadByte" && e.Outcome == "(_, nil)" })
		}},
		{"buffer", `UnreadRune(): the interface says allowed, but it returned the error "bytes.Buffer: UnreadRune`, allow(0, "UnreadRune", 0)},
	} {
		i := read(t, m.name)
		m.mutate(i)
		s, test := generate(t, i, Options{Words: 150, Random: 20, Limit: 2e9})
		r, err := Run(context.Background(), ".", s, test, nil)
		if err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		got := strings.Join(r.Disagreements, "\n")
		if m.word == "" != (got == "") || !strings.Contains(strings.SplitN(got, "\n", 2)[0], m.word) {
			t.Errorf("%s: %q\nexpected %q", m.name, got, m.word)
		}
		if len(r.Disagreements) > 1 {
			t.Errorf("%s: more than the one that there is:\n%s", m.name, got)
		}
	}
}

// TestUnsureConstructors: a constructor that is only taken to return, or has a check that is not
// covered, is no disagreement if it errs.
func TestUnsureConstructors(t *testing.T) {
	start := func(change func(*typestate.Interface)) string {
		i := read(t, "scanner")
		change(i)
		_, test := generate(t, i, Options{})
		_, text, _ := bytes.Cut(test.Source, []byte("bufio.NewScanner(strings.NewReader(\"alpha beta\\ngamma\\n\"))`, "))
		text, _, _ = bytes.Cut(text, []byte(","))
		return string(text)
	}
	for _, c := range []struct {
		name, want string
		change     func(*typestate.Interface)
	}{
		{"as it is", `"allowed"`, func(*typestate.Interface) {}},
		{"made", `"unknown"`, func(i *typestate.Interface) { i.Conventions = append(i.Conventions, "made: it returns") }},
		{"another convention", `"allowed"`, func(i *typestate.Interface) { i.Conventions = append(i.Conventions, "maderas: not") }},
		{"not covered", `"unknown"`, func(i *typestate.Interface) {
			i.Approximations = append(i.Approximations, typestate.Approximation{What: `not covered in bufio.NewScanner: "index"`})
		}},
		{"another not covered", `"allowed"`, func(i *typestate.Interface) {
			i.Approximations = append(i.Approximations, typestate.Approximation{What: `not covered in bufio.NewScannerSize: "index"`})
		}},
	} {
		if got := start(c.change); got != c.want {
			t.Errorf("%s: %s, expected %s", c.name, got, c.want)
		}
	}
}

// TestOpen: which errors that unknown calls return may be under study.
func TestOpen(t *testing.T) {
	for kind, want := range map[string]bool{
		"panic":                   false,
		"block":                   false,
		"misuse":                  true,
		"message bufio: bad":      true,
		"return bufio.ErrTooLong": false,
		"return bufio.errNone":    true,
		"return too (long|short)": false,
	} {
		i := read(t, "scanner")
		i.Component.Errors = []string{"panic", kind}
		s, err := Load(context.Background(), ".", i.Component.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		g := &generator{s: s, i: i, imports: map[string]string{}}
		if got := g.errors().open; got != want {
			t.Errorf("%s: %t, expected %t", kind, got, want)
		}
	}
}

// TestVerdict: what is left out of a cell that is not covered.
func TestVerdict(t *testing.T) {
	for kinds, want := range map[string]string{
		"":               "allowed",
		"runtime":        "uncovered",
		"panic runtime":  "uncovered",
		"return runtime": "unknown",
		"runtime return": "unknown",
	} {
		i := read(t, "scanner")
		for _, kind := range strings.Fields(kinds) {
			i.Uncovered = append(i.Uncovered, typestate.Uncovered{Call: "Text", Site: typestate.ErrorSite{Kind: kind}})
		}
		g := &generator{i: i}
		if got := g.verdict(0, "Text"); got != want {
			t.Errorf("%s: %s, expected %s", kinds, got, want)
		}
		if got := g.verdict(1, "Split"); got != "fails" {
			t.Errorf("Split: %s", got)
		}
	}
}

func TestSitePattern(t *testing.T) {
	for message, want := range map[string]string{
		"zip: closed":           `zip: closed`,
		"a.b (c)":               `a\.b \(c\)`,
		"bad %s at %5.2f, %%":   `bad (?s:.*) at (?s:.*), %%`,
		"invalid line %d (%+v)": `invalid line (?s:.*) \((?s:.*)\)`,
	} {
		if got := sitePattern(message); got != want {
			t.Errorf("%s: %s, expected %s", message, got, want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, as, want string }{
		{"bufio.Nothing", "", "package bufio has no type Nothing"},
		{"no/such/pkg.T", "", "no/such/pkg: package no/such/pkg is not in std"},
		{"sync/atomic.Pointer", "", "sync/atomic.Pointer has type parameters"},
		{"sync/atomic.Pointer[chan int]", "", "type argument chan int is not a basic type"},
		{"archive/zip.fileWriter", "Writer", `-as "Writer": expected PACKAGE.TYPE`},
	} {
		_, err := Load(context.Background(), ".", c.name, c.as)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, expected %s", c.name, err, c.want)
		}
	}
}

// TestOutcomes pins the conditions of outcomes on results.
func TestOutcomes(t *testing.T) {
	failure := types.Universe.Lookup("error").Type()
	tuple := func(list ...types.Type) *types.Tuple {
		var vars []*types.Var
		for _, t := range list {
			vars = append(vars, types.NewVar(0, nil, "", t))
		}
		return types.NewTuple(vars...)
	}
	slice := types.NewSlice(types.Typ[types.Byte])
	number, truth := types.Typ[types.Int], types.Typ[types.Bool]
	pointer := types.NewPointer(number)
	for _, c := range []struct {
		outcome string
		results *types.Tuple
		want    string
	}{
		{"true", tuple(truth), "a"},
		{"false", tuple(number, truth), "!b"},
		{"nil", tuple(failure), "a == nil"},
		{"non-nil", tuple(slice, failure), "b != nil"},
		{"(nil, non-nil)", tuple(pointer, failure), "a == nil && b != nil"},
		{"(nil, non-nil)", tuple(pointer, slice, failure), "a == nil && c != nil"},
		{"(_, nil)", tuple(slice, failure), "b == nil"},
		{"0", tuple(number), "a == 0"},
		{"(!= 0, nil)", tuple(number, failure), "a != 0 && b == nil"},
		{"(0, non-nil)", tuple(slice, failure), "len(a) == 0 && b != nil"},
		{"!= 0", tuple(types.Typ[types.String]), "len(a) != 0"},
		{"!= 0", tuple(failure), "cannot tell"},
		{"a > 3", tuple(number), "a > 3"},
		{"return", tuple(slice), ""},
		{"open", tuple(number), "cannot tell"},
		{"(nil, nil)", tuple(slice, number, failure), "cannot tell"},
		{"nil", tuple(number), "cannot tell"},
	} {
		got, _, ok := outcomeCondition(c.outcome, c.results, []string{"a", "b", "c"})
		if !ok {
			got = "cannot tell"
		}
		if got != c.want {
			t.Errorf("%s of %v: %s, expected %s", c.outcome, c.results, got, c.want)
		}
	}
}

// TestGiven: what guards see of arguments that the user gave.
func TestGiven(t *testing.T) {
	for _, c := range []struct {
		typ, expr string // of the parameter
		want      bool   // it satisfies x != nil
	}{
		{"io.ReadWriter", "new(bytes.Buffer)", true},
		{"io.ReadWriter", "&bytes.Buffer{}", true},
		{"io.ReadWriter", "bytes.NewBuffer(nil)", true},
		{"io.Reader", "io.NopCloser(nil)", true},
		{"io.Reader", "os.Stdin", true},
		{"io.Reader", "nil", false},
		{"io.Reader", "io.Reader(nil)", false},
		{"io.Reader", "(*bytes.Buffer)(nil)", false},
		{"error", "error(nil)", false},
		{"chan int", "make(chan int)", true},
		{"map[int]int", "make(map[int]int)", true},
		{"func()", "func() {}", true},
		{"[]int", "make([]int, 3)", true},
		{"[]int", "some()", false},
	} {
		i := read(t, "scanner")
		s, err := Load(context.Background(), ".", i.Component.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		pkg := types.NewPackage("p", "p")
		for _, path := range []string{"io", "bytes"} {
			p, err := s.load(path)
			if err != nil {
				t.Fatal(err)
			}
			pkg.Scope().Insert(types.NewPkgName(0, pkg, path, p))
		}
		tv, err := types.Eval(token.NewFileSet(), pkg, 0, c.typ)
		if err != nil {
			t.Fatal(err)
		}
		g := &generator{s: s, i: i, opt: Options{Args: map[string]string{"x": c.expr}}, used: map[string]bool{}, imports: map[string]string{}, std: map[string]string{"io": "io", "bytes": "bytes"}}
		sig := g.signatureOf("f", "", types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewVar(0, nil, "x", tv.Type)), nil, false))
		for guard, want := range map[string]bool{"x != nil": c.want, "x == nil": c.expr == "nil"} {
			list, why := g.arguments("f", sig, []string{"x"}, []string{"value"}, guard, []string{guard})
			if got := len(list) > 0; got != want {
				t.Errorf("%s of type %s, %s: %t, expected %t (%s)", c.expr, c.typ, guard, got, want, why)
			}
		}
	}
}

// TestSliced: slices are as long as all hints say, if no others are to be tried.
func TestSliced(t *testing.T) {
	buffer := formal{owner: "Buffer", name: "buf", typ: types.NewSlice(types.Typ[types.Byte])}
	for _, c := range []struct {
		hints [][]string
		only  bool
		want  string // "" if the usual ones are tried
	}{
		{[][]string{{"p[:3]"}}, true, "make([]uint8, 3)"},
		{[][]string{{"p[:3]"}, {"p[:0]"}}, true, "make([]uint8, 3) make([]uint8, 0)"},
		{[][]string{{"p[:3]"}}, false, ""},
		{[][]string{{"p[:3]"}, {"p"}}, true, ""},
		{[][]string{{"p[1:3]"}}, true, ""},
		{[][]string{{"p[:n]"}}, true, ""},
		{nil, true, ""},
	} {
		i := read(t, "scanner")
		s, err := Load(context.Background(), ".", i.Component.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		g := &generator{s: s, i: i, imports: map[string]string{}, opt: Options{Hints: map[string][][]string{"Buffer": c.hints}, Only: c.only}}
		usual := g.candidates(buffer.typ, nil)
		var got []string
		list, _ := g.hinted(buffer, 0, nil)
		for _, x := range list {
			if !slices.ContainsFunc(usual, func(u candidate) bool { return u.expr == x.expr }) {
				got = append(got, x.expr)
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v, only: %t: %q, expected %q", c.hints, c.only, text, c.want)
		}
	}
}

// TestSized: slices and interfaces that guards ask for can be given.
func TestSized(t *testing.T) {
	i := read(t, "zip")
	s, err := Load(context.Background(), ".", i.Component.Name, "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.load("io/fs")
	if err != nil {
		t.Fatal(err)
	}
	g := &generator{s: s, i: i, imports: map[string]string{}}
	for _, c := range []struct {
		name, guard, want string
		typ               types.Type
	}{
		{"key", "key == `non-nil` && `len(key)` == 32", "make([]uint8, 32)", types.NewSlice(types.Typ[types.Byte])},
		{"key", "`len(key)` > 70000", "", types.NewSlice(types.Typ[types.Byte])},
		{"list", "`len(list)` == 7", "make([]int, 7)", types.NewSlice(types.Typ[types.Int])},
		{"info", "info != nil", "rplStub1{}", files.Scope().Lookup("FileInfo").Type()},
	} {
		sig := g.signatureOf("f", "", types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewVar(0, nil, c.name, c.typ)), nil, false))
		list, _ := g.arguments("f", sig, []string{c.name, "len(" + c.name + ")"}, []string{"value", "uint47"}, c.guard, []string{c.guard})
		got := ""
		if len(list) > 0 {
			got = list[0].exprs[0]
		}
		if got != c.want {
			t.Errorf("%s of type %s, %s: %q, expected %q", c.name, c.typ, c.guard, got, c.want)
		}
	}
	if !strings.Contains(g.stubText, "func (rplStub1) Mode() fs.FileMode { return 0 }") {
		t.Errorf("%s", g.stubText)
	}
}
