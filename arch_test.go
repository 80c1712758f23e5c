// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file checks the architecture: which package may import which, which
// modules the project depends on, and that every file starts with its licence.
// It reads the sources with go/parser; a test that asked the go command would
// pass from the test cache after a violation was added, since files that a test
// opens itself are part of its cache key and those of a subprocess are not.

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/interlock-go/interlock"

// imports is the complete table: each package, relative to the module, and
// what it may import of the project. Each line names only packages above it,
// so the table is also a proof that there are no cycles.
var imports = []struct {
	pkg  string
	may  []string
	note string
}{
	{"internal/automata", nil, "words and automata, nothing else"},
	{"internal/term", nil, "the one expression language"},
	{"internal/solve", []string{"internal/term"}, "terms outlive solvers"},
	{"internal/solve/sat", nil, "integers in, integers out"},
	{"internal/solve/bv", []string{"internal/solve", "internal/solve/sat", "internal/term"}, ""},
	{"internal/solve/smtlib", []string{"internal/solve", "internal/term"}, ""},
	{"internal/solve/solvetest", []string{"internal/solve", "internal/term"}, "test support: one suite for all solvers"},
	{"internal/prog", []string{"internal/term"}, ""},
	{"typestate", []string{"internal/automata", "internal/term"}, "public"},
	{"internal/learn", []string{"internal/automata"}, "knows words, not programs"},
	{"internal/engine/explore", []string{"internal/prog", "internal/term"}, "states of a component for the engines"},
	{"internal/engine/problem", []string{"internal/engine/explore", "internal/learn", "internal/prog", "internal/solve", "internal/term", "typestate"}, "what engines are asked; a leaf"},
	{"internal/engine/describe", []string{"internal/prog", "internal/solve", "internal/term"}, "labels and guards; knows no Problem"},
	{"internal/engine/explicit", []string{"internal/automata", "internal/engine/describe", "internal/engine/explore", "internal/engine/problem", "internal/learn", "internal/prog", "internal/term", "typestate"}, "engines that explore states, and the table"},
	{"internal/engine/predabs", []string{"internal/engine/describe", "internal/engine/explore", "internal/engine/problem", "internal/prog", "internal/solve", "internal/term"}, "what calls may and must do in abstract states"},
	{"internal/engine/words", []string{"internal/engine/explore", "internal/engine/predabs", "internal/prog", "internal/term"}, "words of calls as formulas, and their runs"},
	{"internal/engine/pairs", []string{"internal/automata", "internal/engine/explicit", "internal/engine/predabs", "internal/engine/words", "internal/prog", "typestate"}, "predicate abstractions made deterministic"},
	{"internal/engine/loops", []string{"internal/engine/describe", "internal/engine/explore", "internal/engine/predabs", "internal/engine/words", "internal/prog", "internal/solve", "internal/term"}, "invariants and rankings of loops"},
	{"internal/engine/predicates", []string{"internal/engine/describe", "internal/engine/explore", "internal/engine/loops", "internal/engine/predabs", "internal/engine/problem", "internal/engine/words", "internal/prog", "internal/solve", "internal/term"}, "predicates that refute traces and prove runs"},
	{"internal/engine/registers", []string{"internal/engine/describe", "internal/engine/explore", "internal/engine/pairs", "internal/engine/predabs", "internal/engine/problem", "internal/engine/words", "internal/prog", "internal/solve", "internal/term"}, "what clients know of values"},
	{"internal/engine/cegar", []string{"internal/automata", "internal/engine/describe", "internal/engine/explicit", "internal/engine/explore", "internal/engine/loops", "internal/engine/pairs", "internal/engine/predabs", "internal/engine/predicates", "internal/engine/problem", "internal/engine/registers", "internal/engine/words", "internal/prog", "internal/solve", "internal/term", "typestate"}, "predicate abstraction with refinement"},
	{"internal/engine/papers", []string{"internal/automata", "internal/engine/cegar", "internal/engine/explicit", "internal/engine/explore", "internal/engine/pairs", "internal/engine/predabs", "internal/engine/predicates", "internal/engine/problem", "internal/engine/words", "internal/learn", "internal/prog", "internal/solve", "internal/term", "typestate"}, "JIST and Permissive Interfaces"},
	{"internal/engine/symbolic", []string{"internal/automata", "internal/engine/cegar", "internal/engine/describe", "internal/engine/explicit", "internal/engine/explore", "internal/engine/predabs", "internal/engine/problem", "internal/learn", "internal/prog", "internal/solve", "internal/term", "typestate"}, "learning by symbolic execution"},
	{"internal/engine/parts", []string{"internal/engine/describe", "internal/engine/explicit", "internal/engine/explore", "internal/engine/predabs", "internal/engine/problem", "internal/prog", "internal/solve", "internal/term", "typestate"}, "decomposition and product"},
	{"internal/engine/horn", []string{"internal/engine/explicit", "internal/engine/explore", "internal/engine/parts", "internal/engine/predabs", "internal/engine/problem", "internal/prog", "internal/solve/smtlib", "internal/term", "typestate"}, "clauses for other provers"},
	{"internal/engine", []string{"internal/engine/cegar", "internal/engine/explicit", "internal/engine/explore", "internal/engine/papers", "internal/engine/problem", "internal/engine/registers", "internal/engine/symbolic", "typestate"}, "registry and schedule; sees no source language"},
	{"internal/cert", []string{"internal/prog", "internal/solve", "internal/term", "typestate"}, "the judge knows no engine"},
	{"internal/uses", []string{"internal/prog", "typestate"}, "interfaces in place of code"},
	{"internal/frontend/internal/lower", []string{"internal/prog", "internal/term"}, "code with objects to open programs; knows no language"},
	{"internal/frontend/golang", []string{"internal/frontend/internal/lower", "internal/prog", "internal/term", "typestate"}, "sees no engine"},
	{"internal/jvm/classfile", nil, "bytes to classes; finds no files"},
	{"internal/jvm/classpath", []string{"internal/jvm/classfile"}, "where class files are"},
	{"internal/jvm/hierarchy", []string{"internal/jvm/classfile", "internal/jvm/classpath"}, "how classes are related; knows no code"},
	{"internal/jvm/flow", []string{"internal/jvm/classfile", "internal/jvm/hierarchy"}, "blocks and types of one method"},
	{"internal/jvm/translate/prelude", nil, "Go text in front of translations; nothing imports it"},
	{"internal/jvm/translate", []string{"internal/jvm/classfile", "internal/jvm/classpath", "internal/jvm/flow", "internal/jvm/hierarchy"}, "classes to Go text; sees no front end"},
	{"internal/jvm/internal/jdktest", []string{"internal/jvm/classpath"}, "test support: installed JDKs"},
	{"internal/frontend/java", []string{"internal/frontend/golang", "internal/jvm/classfile", "internal/jvm/classpath", "internal/jvm/translate", "typestate"}, "Java classes as Go packages, and back"},
	{"internal/model/lts", nil, "labelled transition systems and their composition"},
	{"internal/model/aut", []string{"internal/model/lts"}, "reads Aldebaran's format"},
	{"internal/model/fsp", []string{"internal/model/lts"}, "reads finite state processes"},
	{"internal/model/dot", []string{"internal/model/lts"}, "reads graphs"},
	{"internal/model/scxml", []string{"internal/model/lts"}, "reads statecharts"},
	{"internal/model/program", []string{"internal/model/lts", "internal/prog", "internal/term"}, "open programs as systems, by the interpreter"},
	{"internal/model/synth", []string{"internal/automata", "internal/learn", "internal/model/lts", "typestate"}, "interfaces of systems, by sets of states"},
	{"internal/model/judge", []string{"internal/model/lts", "typestate"}, "the judge of models; knows no construction"},
	{"internal/model", []string{"internal/model/aut", "internal/model/dot", "internal/model/fsp", "internal/model/judge", "internal/model/lts", "internal/model/scxml", "internal/model/synth", "typestate"}, "reads models and asks for their interfaces"},
	{"internal/model/compose", []string{"internal/automata", "internal/learn", "internal/model", "internal/model/judge", "internal/model/lts", "internal/model/synth", "typestate"}, "systems of components, piece by piece"},
	{"internal/render", []string{"internal/automata", "typestate"}, "sees only interfaces"},
	{"internal/diff", []string{"internal/render", "typestate"}, "two versions of an interface"},
	{"internal/compat", []string{"typestate"}, "interfaces against protocols"},
	{"internal/replay", []string{"typestate"}, "interfaces against the type itself"},
	{"internal/run", []string{"internal/automata", "internal/learn", "typestate"}, "components as they run; knows no language"},
	{"internal/library", []string{"typestate"}, "interfaces that come with the project"},
	{"internal/check", []string{"typestate"}, "clients against interfaces, in SSA form"},
	{"analyzer", []string{"internal/check", "internal/library", "typestate"}, "public; go/analysis"},
	{"internal/synth", []string{"internal/cert", "internal/engine", "internal/engine/horn", "internal/engine/parts", "internal/engine/problem", "internal/prog", "internal/solve", "internal/solve/bv", "internal/solve/smtlib", "internal/term", "internal/uses", "typestate"}, "one open program: engine, then judge"},
	{"internal/ladder", []string{"internal/engine/problem", "internal/frontend/golang", "internal/prog", "internal/synth", "typestate"}, "code: which programs, in which order"},
	{".", []string{"internal/engine", "internal/engine/explicit", "internal/engine/papers", "internal/engine/predabs", "internal/engine/problem", "internal/frontend/golang", "internal/frontend/java", "internal/ladder", "internal/render", "internal/synth", "typestate"}, "public"},
	{"internal/corpus", []string{"typestate"}, "test support; tests and bench only"},
	{"internal/cli", []string{".", "analyzer", "internal/compat", "internal/diff", "internal/learn", "internal/library", "internal/model", "internal/model/compose", "internal/model/judge", "internal/model/lts", "internal/model/program", "internal/model/synth", "internal/prog", "internal/render", "internal/replay", "internal/run", "internal/solve", "internal/solve/bv", "internal/solve/smtlib", "internal/term", "internal/uses", "typestate"}, "streams, clock, environment"},
	{"cmd/interlock", []string{"internal/cli"}, ""},
	{"cmd/interlock-vet", []string{"analyzer"}, "a tool of go vet"},
}

// testImports are what test files may import beyond the table. Tests in
// internal/corpus explore programs; engines are tested on the corpus, with the
// embedded solver; all solvers are compared with each other.
var testImports = map[string][]string{
	"internal/corpus":          {"internal/prog", "internal/term"},
	"internal/engine":          {"internal/automata", "internal/corpus", "internal/engine/describe", "internal/engine/parts", "internal/engine/predabs", "internal/learn", "internal/prog", "internal/solve", "internal/solve/bv", "internal/term"},
	"internal/engine/describe": {"internal/corpus", "internal/solve/bv"},
	"internal/solve":           {"internal/solve/bv", "internal/solve/smtlib", "internal/solve/solvetest"},
	"internal/solve/bv":        {"internal/solve/solvetest"},
	"internal/solve/smtlib":    {"internal/solve/bv", "internal/solve/solvetest"},
	"internal/cert":            {"internal/corpus", "internal/solve/bv"},
	"internal/jvm/classfile":   {"internal/jvm/classpath", "internal/jvm/internal/jdktest"},
	"internal/jvm/classpath":   {"internal/jvm/internal/jdktest"},
	"internal/jvm/flow":        {"internal/jvm/internal/jdktest"},
	"internal/jvm/translate":   {"internal/jvm/internal/jdktest"},
	"internal/cli":             {"internal/corpus"},
	"internal/model":           {"internal/render"},
	"internal/model/compose":   {"internal/model/fsp"},
	"internal/model/synth":     {"internal/model/judge"},
	"internal/run":             {"internal/replay"},
	".":                        {"internal/cert", "internal/cli", "internal/corpus", "internal/engine/horn", "internal/prog", "internal/solve", "internal/solve/bv", "internal/solve/smtlib", "internal/term", "internal/uses"},
}

// thirdParty is the budget of other modules, with the packages that may use
// them; doc/rationale.md says why each exists.
var thirdParty = map[string][]string{
	"golang.org/x/tools/txtar":                       {"internal/corpus", "internal/replay", "test"},
	"github.com/rogpeppe/go-internal/testscript":     {"test"},
	"golang.org/x/tools/go/analysis":                 {"analyzer"},
	"golang.org/x/tools/go/analysis/analysistest":    {"test"},
	"golang.org/x/tools/go/analysis/unitchecker":     {"cmd/interlock-vet", "internal/cli"},
	"golang.org/x/tools/go/analysis/passes/buildssa": {"analyzer"},
	"golang.org/x/tools/go/packages":                 {"internal/frontend/golang"},
	"golang.org/x/tools/go/types/typeutil":           {"internal/frontend/golang"},
	"golang.org/x/tools/go/ssa":                      {"analyzer", "internal/check", "internal/frontend/golang"},
	"golang.org/x/tools/go/ssa/ssautil":              {"internal/frontend/golang"},
}

type source struct {
	pkg, file string
	imports   []string
	test      bool
	text      string
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == "bench" || name == "contrib" || name != "." && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, file, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{pkg: filepath.ToSlash(filepath.Dir(file)), file: file, test: strings.HasSuffix(file, "_test.go"), text: string(text)}
		for _, i := range f.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, p)
		}
		out = append(out, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestImports(t *testing.T) {
	allowed := map[string][]string{}
	var above []string
	for _, row := range imports {
		for _, p := range row.may {
			if !slices.Contains(above, p) {
				t.Errorf("table: %s may import %s, which does not stand above it", row.pkg, p)
			}
		}
		allowed[row.pkg] = row.may
		above = append(above, row.pkg)
	}
	have := map[string]bool{}
	for _, s := range sources(t) {
		have[s.pkg] = true
		may, ok := allowed[s.pkg]
		if !ok {
			t.Errorf("%s: package %s is not in the table", s.file, s.pkg)
			continue
		}
		for _, p := range s.imports {
			if rel, ok := strings.CutPrefix(p, module); ok {
				rel = strings.TrimPrefix(rel, "/")
				if rel == "" {
					rel = "."
				}
				if rel == s.pkg && s.test || slices.Contains(may, rel) || s.test && slices.Contains(testImports[s.pkg], rel) {
					continue
				}
				t.Errorf("%s: %s must not import %s", s.file, s.pkg, rel)
				continue
			}
			if p == "C" {
				t.Errorf("%s: cgo is not used in this project", s.file)
			}
			if first, _, _ := strings.Cut(p, "/"); !strings.Contains(first, ".") {
				continue // standard library
			}
			who := thirdParty[p]
			if !slices.Contains(who, s.pkg) && !(s.test && slices.Contains(who, "test")) {
				t.Errorf("%s: %s is not in the dependency budget of %s", s.file, p, s.pkg)
			}
		}
	}
	for _, row := range imports {
		if !have[row.pkg] {
			t.Errorf("table: there is no package %s", row.pkg)
		}
	}
}

// TestModules pins the modules that go.mod requires directly.
func TestModules(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"github.com/rogpeppe/go-internal", "golang.org/x/tools"}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^(?:require)?\s+(\S+) v\S+$`).FindAllStringSubmatch(string(text), -1) {
		got = append(got, m[1])
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("go.mod requires %v directly, the budget is %v", got, want)
	}
}

func TestHeaders(t *testing.T) {
	const header = "// SPDX-License-Identifier: Apache-2.0\n"
	for _, s := range sources(t) {
		if !strings.HasPrefix(s.text, header) {
			t.Errorf("%s: does not start with %q", s.file, strings.TrimSpace(header))
		}
	}
}

// TestStreams checks that only the command line touches the process: no other
// package uses its streams, arguments, environment or clock. (A front end may
// know "os.Exit" by name.)
func TestStreams(t *testing.T) {
	banned := regexp.MustCompile(`(^|[^"\w])os\.(Stdin|Stdout|Stderr|Args|Getenv|Exit)\b|\btime\.Now\(|\bfmt\.Print(f|ln)?\(`)
	free := []string{"internal/cli", "cmd/interlock", "internal/corpus", "internal/jvm/internal/jdktest"} // the last two are for tests only
	for _, s := range sources(t) {
		if s.test || slices.Contains(free, s.pkg) {
			continue
		}
		for n, line := range strings.Split(s.text, "\n") {
			code, _, _ := strings.Cut(line, "//")
			if !strings.Contains(code, "os.") && !strings.Contains(code, "time.Now") && !strings.Contains(code, "fmt.Print") {
				continue // the expression is slow, and there are many lines
			}
			if m := banned.FindString(code); m != "" {
				t.Errorf("%s:%d: %s belongs to the command line", s.file, n+1, m)
			}
		}
	}
}

// TestExported checks that exported identifiers of public packages do not
// mention internal types in their signatures, by the cheapest means that works:
// a public package must not name an internal import in an exported declaration
// line.
func TestExported(t *testing.T) {
	decl := regexp.MustCompile(`^(func (\([^)]*\) )?[A-Z]|type [A-Z]|\t[A-Z]\w*\s+[\[\]*\w]*\.)`)
	for _, s := range sources(t) {
		if s.test || s.pkg != "." && s.pkg != "typestate" {
			continue
		}
		var internal []string
		for _, p := range s.imports {
			if strings.Contains(p, "/internal/") {
				internal = append(internal, path.Base(p))
			}
		}
		for n, line := range strings.Split(s.text, "\n") {
			if !decl.MatchString(line) {
				continue
			}
			for _, p := range internal {
				if regexp.MustCompile(`\b` + p + `\.[A-Z]`).MatchString(strings.SplitN(line, "{", 2)[0]) {
					t.Errorf("%s:%d: exported declaration mentions %s", s.file, n+1, p)
				}
			}
		}
	}
}
