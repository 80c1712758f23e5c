// SPDX-License-Identifier: Apache-2.0

package replay

// This file writes a driver: a program that makes the calls of an interface when
// another process tells it to (serve.txt). It judges nothing but whether a returned error
// is one under study, which only the process that holds the error can say. Package run
// starts it and defines the protocol.

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

//go:embed serve.txt
var serve string

// A Driver is a program that makes calls, and what it can be told to do.
type Driver struct {
	Source []byte
	Starts []Letter // ways to make the object; IDs are of constructors
	Calls  []Letter
	Notes  []string // what is not driven, and why
	// Fresh says that words must not share a process: the state under study is the process's.
	Fresh  bool
	Panics []string // patterns of the panics and fatal errors under study
	Blocks bool     // a call that blocks errs

	subject *Subject
}

// A Letter is a call with arguments.
type Letter struct {
	Text string // as people write it
	ID   string // in the interface
	// State is where a constructor leads, -1 if the interface does not say; Verdict is what
	// the interface says of it.
	State   int
	Verdict string
	Known   typestate.Known // what guards see of its arguments, and texts
	Extra   bool            // it differs from another one in an argument that is worth trying
	// IDs are those of the calls that it may be: which one depends on what is remembered.
	IDs []string
}

var serveImports = []string{"bufio", "encoding/json", "errors", "fmt", "math", "os", "reflect", "regexp", "runtime", "runtime/debug", "slices", "strconv", "strings", "sync", "sync/atomic", "syscall", "time"}

// Drive writes the driver of an interface.
func Drive(s *Subject, i *typestate.Interface, std []string, opt Options) (*Driver, error) {
	opt.Vary = true
	g, starts, calls, err := prepare(s, i, std, opt, serveImports)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(calls, func(a, b callText) int { return cmp.Compare(last(a), last(b)) })
	errs := g.errors()
	d := &Driver{subject: s, Notes: g.notes, Fresh: s.isPackage(), Panics: errs.panics, Blocks: errs.blocks}
	for _, k := range starts {
		d.Starts = append(d.Starts, Letter{k.text, k.id, k.state, k.verdict, k.known, false, nil})
	}
	for _, c := range calls {
		d.Calls = append(d.Calls, Letter{c.text, c.ids[0], -1, "", c.known, c.extra, c.ids})
	}
	// Errors that only their names or texts in the package tell.
	var guessed, texts []string
	if errs.open {
		guessed = g.ownSentinels()
		texts = s.errorTexts()
	}
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	limit := opt.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	w("type rplObject = %s\n\nconst rplLimit = %s\n\n", g.objectType(), durationText(limit))
	w("var (\nrplErrors = []string{%s}\nrplSentinels = []error{%s}\nrplGuessed = []error{%s}\nrplTexts = []string{%s}\n)\n\n",
		quoted(errs.returned), strings.Join(errs.sentinels, ", "), strings.Join(guessed, ", "), quoted(texts))
	w("var rplStarts = []func() (rplObject, error){\n")
	made, within := false, false
	for _, k := range starts {
		made = made || strings.Contains(k.body, "rplMade(")
		within = within || strings.Contains(k.body, "rplWithin(")
		results, body := k.function()
		w("func() %s {\n%s\n},\n", results, body)
	}
	w("}\n\nvar rplCalls = []func(x rplObject) (string, error){\n")
	for _, c := range calls {
		w("func(x rplObject) (string, error) {\n%s\n},\n", c.body)
	}
	w("}\n\nfunc rplNone(x rplObject) bool { return %s }\n\n", g.none())
	if err := g.helpers(&b, made, within); err != nil {
		return nil, err
	}
	b.WriteString(serve)
	body := b.String()
	lines, err := g.importLines(body)
	if err != nil {
		return nil, err
	}
	d.Source, err = format.Source([]byte("package main\n\nimport (\n" + lines + ")\n\n" + body))
	if err != nil {
		return nil, fmt.Errorf("an expression cannot be read: %w", err)
	}
	return d, nil
}

// last orders calls: those with extra arguments come after all others.
func last(c callText) int {
	if c.extra {
		return 1
	}
	return 0
}

// Build compiles the driver in an empty directory. Dir is the directory from which the subject
// was loaded, extra are files with declarations.
func (d *Driver) Build(ctx context.Context, dir, tmp string, extra []File) (binary string, err error) {
	files := append([]File{{"driver.go", d.Source}}, extra...)
	for k := range files[1:] {
		f := &files[k+1]
		if f.Data, err = inPackage(*f, "main"); err != nil {
			return "", err
		}
		f.Name = fmt.Sprintf("with%d.go", k+1)
	}
	binary = filepath.Join(tmp, "driver")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	return binary, compile(ctx, dir, tmp, d.subject, files, []string{"build", "-o", binary})
}

// ownSentinels are the exported error variables of the type's package. What io has is no misuse
// where it marks the end of a stream.
func (g *generator) ownSentinels() []string {
	var list []string
	scope := g.s.pkg.Scope()
	for _, name := range scope.Names() {
		v, ok := scope.Lookup(name).(*types.Var)
		if ok && v.Exported() && qualified(v.Type()) == "error" && name != "EOF" {
			list = append(list, g.qualify(g.s.pkg)+"."+name)
		}
	}
	return append(list, g.closedSentinels()...)
}

// closedSentinels are variables of other packages that the type's package mentions and that say by their names that
// something is closed: io.ErrClosedPipe.
func (g *generator) closedSentinels() (list []string) {
	for _, m := range g.s.mentions(mentionedClosed) {
		for _, p := range g.s.pkg.Imports() {
			if p.Name() != m[1] || internalPath(p.Path()) {
				continue
			}
			loaded, err := g.s.load(p.Path())
			if err != nil {
				continue
			}
			if v, ok := loaded.Scope().Lookup(m[2]).(*types.Var); ok && qualified(v.Type()) == "error" {
				if name := g.qualify(loaded) + "." + m[2]; !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// mentionedClosed matches the variables that closedSentinels are about.
var mentionedClosed = regexp.MustCompile(`\b(\w+)\.(Err\w*Closed\w*)\b`)

// mentions are the matches of a pattern in the source of the package.
func (s *Subject) mentions(pattern *regexp.Regexp) (list [][]string) {
	names, err := filepath.Glob(filepath.Join(s.Dir, "*.go"))
	if err != nil {
		return nil
	}
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, "_test.go") {
			list = append(list, pattern.FindAllStringSubmatch(string(data), -1)...)
		}
	}
	return list
}

// constantError matches an error of constant text; a format with an argument is not one.
var constantError = regexp.MustCompile(`\b(?:errors\.New|fmt\.Errorf)\(("(?:[^"\\%\n]|\\.)*")\)`)

// errorTexts are the messages of the errors that the package builds from constants.
func (s *Subject) errorTexts() []string {
	set := map[string]bool{}
	for _, m := range s.mentions(constantError) {
		if text := unquoted(m[1]); text != "" && text != "EOF" {
			set[text] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// unquoted is the value of a string literal, "" if it is none.
func unquoted(literal string) string {
	text, err := strconv.Unquote(literal)
	if err != nil {
		return ""
	}
	return text
}
