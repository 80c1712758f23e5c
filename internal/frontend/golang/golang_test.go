// SPDX-License-Identifier: Apache-2.0

package golang

// This file lowers small Go types and lets the reference interpreter run words
// of calls on the programs: what the real type does is written beside each word.
// A test is a txtar file: a module, and a file "words" with lines
//
//	TYPE [-error KIND] [-constructor C] [-factory F] [-methods M] : WORD => VERDICT
//
// where the verdict of the last call is allowed, fails or may-fail, _ in flags and
// words is a blank, and package:PATH is a package.

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/interlock-go/interlock/internal/frontend/internal/lower"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/term"
)

// Loaded code stays, and the collector would go through it again and again.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

func TestGoTypes(t *testing.T) {
	files, err := filepath.Glob("testdata/types/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testTypes(t, file)
		})
	}
}

// explicitly compiles a type and returns the program of its explicit errors.
func explicitly(t *testing.T, l *loaded, s Subject, o Options) *lower.Component {
	t.Helper()
	k, err := parseKinds(o.Errors)
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.compile(context.Background(), s, o, k)
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Component(Depth{Sites: -1, Results: -1}, func(s *Site) bool { return !s.Implicit })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// unpacked writes the files of an archive to a directory, but for one, and returns that one's text.
func unpacked(t *testing.T, file, but string) (dir, text string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range archive.Files {
		if f.Name == but {
			text = string(f.Data)
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, text
}

func testTypes(t *testing.T, file string) {
	dir, words := unpacked(t, file, "words")
	programs := map[string]lowering{}
	packages := map[string]*loaded{}
	n := 0
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		head, rest, ok := strings.Cut(line, " : ")
		word, want, ok2 := strings.Cut(rest, " => ")
		if !ok || !ok2 {
			t.Fatalf("%s: expected TYPE : WORD => VERDICT: %s", file, line)
		}
		p, ok := programs[head]
		if !ok {
			p = lowered(t, dir, head, packages, sampled(len(programs)))
			programs[head] = p
		}
		if got := verdict(t, p.all, blanks(strings.Fields(word))); got != want {
			t.Errorf("%s\n got %s\n%s", line, got, p.all)
		}
		// What is left out before lowering makes no difference to explicit errors.
		explicit := verdict(t, p.explicit, blanks(strings.Fields(word)))
		if got := verdict(t, p.relevant, blanks(strings.Fields(word))); got != explicit {
			t.Errorf("%s\n got %s with what is relevant, and %s with everything\n%s\n%s", line, got, explicit, p.relevant, p.explicit)
		}
		// What is coarse has all runs, and perhaps more.
		for k, q := range p.coarse {
			got, want := verdict(t, q, blanks(strings.Fields(word))), explicit
			if p.ending[k] && got == "fails" && want == "allowed" {
				continue // it may go on for ever
			}
			if got != want && got != "may-fail" && want != "cannot happen" && !strings.HasPrefix(got, "undecided") && got != "errs before" {
				t.Errorf("%s\n got %s at the level of place %d, and %s with everything\n%s\n%s", line, got, k, want, q, p.explicit)
			}
		}
		p.checks.agree(t, line, word, want)
	}
	if n == 0 {
		t.Errorf("%s has no words", file)
	}
}

// A lowering is the programs of a type: with all errors, with the explicit ones
// lowered with everything, and lowered with what is relevant.
type lowering struct {
	all, explicit, relevant *prog.Program
	coarse                  []*prog.Program
	ending                  []bool // these take for granted that loops end
	checks                  checkPrograms
}

// testCoarse checks the words of an archive in the program of the level in o, and returns what was loaded.
func testCoarse(t *testing.T, file string, s Subject, o Options) *loaded {
	t.Helper()
	dir, words := unpacked(t, file, "words")
	o.Dir = dir
	l, err := load(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	c := explicitly(t, l, s, o)
	n := 0
	for line := range strings.Lines(words) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), " : ")
		word, want, ok := strings.Cut(rest, " => ")
		if !ok {
			continue
		}
		n++
		if got := verdict(t, c.Program, blanks(strings.Fields(word))); got != want {
			t.Errorf("%s\n got %s\n%s", word, got, c.Program)
		}
	}
	if n == 0 {
		t.Errorf("%s has no words", file)
	}
	return l
}

// asked reads a type with flags.
func asked(t *testing.T, dir, head string) (Subject, Options) {
	t.Helper()
	fields := strings.Fields(head)
	o := Options{Dir: dir}
	for i := 1; i+1 < len(fields); i += 2 {
		switch value := strings.ReplaceAll(fields[i+1], "_", " "); fields[i] {
		case "-error":
			o.Errors = append(o.Errors, value)
		case "-constructor":
			o.Constructors = append(o.Constructors, value)
		case "-factory":
			o.Factories = append(o.Factories, value)
		case "-methods":
			o.Methods = strings.Split(value, ",")
		default:
			t.Fatalf("%s: what is %s?", head, fields[i])
		}
	}
	s, err := ParseSubject(fields[0])
	if path, ok := strings.CutPrefix(fields[0], "package:"); ok {
		s, err = Subject{Package: path}, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, o
}

// sampled returns the levels that are tried for the n-th type of a file: all in continuous integration, else one for
// every third type, and another one for the next of these.
func sampled(n int) []level {
	switch {
	case os.Getenv("CI") == "true":
		return levels
	case n%3 == 0:
		return levels[n/3%len(levels):][:1]
	}
	return nil
}

// lowered compiles a type with flags, also at the levels.
func lowered(t *testing.T, dir, head string, packages map[string]*loaded, at []level) lowering {
	t.Helper()
	s, o := asked(t, dir, head)
	var err error
	l := packages[s.Package]
	if l == nil {
		if l, err = load(context.Background(), s, o); err != nil {
			t.Fatal(err)
		}
		packages[s.Package] = l
	}
	k, err := parseKinds(o.Errors)
	if err != nil {
		t.Fatal(err)
	}
	compile := func() *Result {
		r, err := l.compile(context.Background(), s, o, k)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	program := func(r *Result, keep func(*Site) bool) *prog.Program {
		c, err := r.Component(Depth{Sites: -1, Results: -1}, keep)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Complete && o.level == nil {
			t.Errorf("%s: something was left out", head)
		}
		return c.Program
	}
	explicit := func(s *Site) bool { return !s.Implicit }
	o.everything = true
	everything := compile()
	o.everything = false
	made := compile()
	p := lowering{all: program(everything, func(*Site) bool { return true }), explicit: program(everything, explicit), relevant: program(made, explicit)}
	p.checks = programsOf(t, made)
	if len(at) == 0 {
		return p
	}
	if q, err := made.Opaque(context.Background(), func(string) bool { return true }); err != nil {
		t.Fatal(err)
	} else if q != nil {
		c, err := q.Component(Depth{Sites: -1, Results: -1}, explicit)
		if err != nil {
			t.Fatal(err)
		}
		p.coarse, p.ending = append(p.coarse, c.Program), append(p.ending, false)
	}
	var rels []*relevance
	var texts []string
	for k, l := range at {
		o.level = &l
		made := compile()
		q := program(made, explicit)
		for i, r := range rels {
			if r != nil && made.rel.same(r) && q.String() != texts[i] {
				t.Errorf("%s: the same is relevant at level %d, but the program is another one\n%s\n%s", head, k, q, texts[i])
			}
		}
		if !slices.Contains(texts, q.String()) {
			p.coarse, p.ending = append(p.coarse, q), append(p.ending, slices.Contains(made.Conventions, conventionLoops))
		}
		rels, texts = append(rels, made.rel), append(texts, q.String())
	}
	return p
}

func blanks(words []string) []string {
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "_", " ")
	}
	return words
}

func cutLast(args string) (before, last string, found bool) {
	if i := strings.LastIndex(args, ","); i >= 0 {
		return args[:i], args[i+1:], true
	}
	return "", args, false
}

// verdict runs a word on the reference interpreter. Where a call lacks parameters that
// say whether its arguments err ("errs at"), both are tried.
func verdict(t *testing.T, p *prog.Program, words []string) string {
	t.Helper()
	words = byNames(t, p, words)
	for k, w := range words {
		name, args, called := strings.Cut(strings.TrimSuffix(w, ")"), "(")
		i := slices.IndexFunc(slices.Concat(p.Constructors, p.Methods), func(m *prog.Method) bool { return m.Name == name })
		if i < 0 {
			continue
		}
		given := 0
		if called {
			given = 1 + strings.Count(args, ",")
		}
		params := slices.Concat(p.Constructors, p.Methods)[i].Params
		if less, last, _ := cutLast(args); given == len(params)+1 && (last == "true" || last == "false") {
			// A program that does not know it.
			fewer := slices.Clone(words)
			fewer[k] = strings.TrimSuffix(name+"("+less+")", "()")
			return verdict(t, p, fewer)
		}
		if given >= len(params) || !strings.HasPrefix(params[given].Name, "errs at ") {
			continue
		}
		with := func(value string) string {
			more := slices.Clone(words)
			more[k] = name + "(" + strings.Join(slices.DeleteFunc([]string{args, value}, func(a string) bool { return a == "" }), ",") + ")"
			return verdict(t, p, more)
		}
		no, yes := with("false"), with("true")
		if no == yes || yes == "cannot happen" || yes == "errs before" {
			return no
		}
		return "may-fail"
	}
	parsed, err := prog.ParseWord(p, words)
	if err != nil {
		t.Fatal(err)
	}
	var calls []prog.Call
	for _, w := range parsed {
		call, err := w.Call()
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, call)
	}
	k, err := prog.NewInterp(p, prog.InterpOptions{}).Word(context.Background(), calls)
	switch {
	case err != nil:
		return "undecided: " + err.Error()
	case k.Verdict == prog.Impossible:
		return "cannot happen"
	case k.Calls < len(calls):
		return "errs before"
	case k.Verdict == prog.Fails:
		return "fails"
	case k.Verdict == prog.MayFail:
		return "may-fail"
	}
	return "allowed"
}

// byNames puts arguments that are given by name, New(cfg.Limit=3), into the order of the
// parameters of a program, which may lack some. What is not named is zero.
func byNames(t *testing.T, p *prog.Program, words []string) []string {
	t.Helper()
	words = slices.Clone(words)
	for k, w := range words {
		name, args, _ := strings.Cut(w, "(")
		end := strings.LastIndex(args, ")")
		i := slices.IndexFunc(slices.Concat(p.Constructors, p.Methods), func(m *prog.Method) bool { return m.Name == name })
		if i < 0 || end < 0 || !strings.Contains(args[:end], "=") {
			continue
		}
		given := map[string]string{}
		for _, a := range strings.Split(args[:end], ",") {
			name, value, ok := strings.Cut(a, "=")
			if !ok {
				t.Fatalf("%s: arguments with names and without", w)
			}
			given[name] = value
		}
		var list []string
		for _, v := range slices.Concat(p.Constructors, p.Methods)[i].Params {
			zero := "0"
			switch v.Type.Sort.Kind {
			case term.BoolKind:
				zero = "false"
			case term.EnumKind:
				zero = "`" + v.Type.Sort.Enum.Values[0] + "`"
			}
			list = append(list, cmp.Or(given[v.Name], zero))
		}
		words[k] = strings.TrimSuffix(name+"("+strings.Join(list, ",")+")", "()") + args[end+1:]
	}
	return words
}

func TestGoSubjects(t *testing.T) {
	for text, want := range map[string]Subject{
		"bufio.Scanner":                        {Package: "bufio", Type: "Scanner"},
		"bufio.(*Scanner)":                     {Package: "bufio", Type: "Scanner"},
		"./store.Tx":                           {Package: "./store", Type: "Tx"},
		"golang.org/x/sync/semaphore.Weighted": {Package: "golang.org/x/sync/semaphore", Type: "Weighted"},
		"gopkg.in/yaml.v3.Decoder":             {Package: "gopkg.in/yaml.v3", Type: "Decoder"},
		"./cache.LRU[string,a/b.T]":            {Package: "./cache", Type: "LRU", Args: "string,a/b.T"},
	} {
		if got, err := ParseSubject(text); err != nil || got != want {
			t.Errorf("ParseSubject(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "Scanner", ".", "./x", "bufio.", "bufio.Scan-ner", "a.T[int"} {
		if got, err := ParseSubject(text); err == nil {
			t.Errorf("ParseSubject(%q) = %v", text, got)
		}
	}
}

func TestGoDeterministic(t *testing.T) {
	s, err := ParseSubject("bufio.Scanner")
	if err != nil {
		t.Fatal(err)
	}
	text := func() string {
		r, err := Compile(context.Background(), s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.Component(Depth{Sites: -1, Results: -1}, func(*Site) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		return r.Text(c)
	}
	if first, second := text(), text(); first != second {
		t.Errorf("two programs of one type:\n%s\n%s", first, second)
	}
}
