// SPDX-License-Identifier: Apache-2.0

package replay

// This file writes the test. The automaton of the interface becomes a table, each
// call a function literal with arguments that satisfy its guard, and a driver
// (driver.txt) runs words and compares. The test imports nothing of Interlock, so
// that it can be committed where the type lives; its identifiers begin with the
// name of the type, so that it does not get into the way there.

import (
	_ "embed"
	"fmt"
	"go/format"
	"go/parser"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/interlock-go/interlock/typestate"
)

//go:embed driver.txt
var driver string

// Options say how a test drives the type. The zero value of a number is a
// default.
type Options struct {
	Package  string              // of the file; "" is replay_test
	Fixtures map[string]string   // expressions that make the object, by constructor; "" for any other
	Args     map[string]string   // expressions for arguments, by Method.param or param
	Defaults map[string][]string // like Args, with alternatives; it is no error if no call has the parameter
	Types    map[string][]string // expressions for arguments, by their types
	Imports  []string            // paths that expressions may mention
	// Hints are arguments that are worth trying, by function or method: expressions,
	// of which those are used that mention nothing but packages.
	Hints map[string][][]string
	// Only says that slices which all hints slice to a constant length are so long, and no other is tried.
	Only   bool
	Vary   bool // calls are made with more arguments
	Words  int  // short words that are run, about
	Random int  // random words
	Length int  // of random words, at most
	Seed   uint64
	Limit  time.Duration // of a call
}

// Defaults of Options.
const (
	DefaultWords  = 2000
	DefaultRandom = 300
	DefaultLength = 12
	DefaultLimit  = 5 * time.Second
)

// A Test is a generated test.
type Test struct {
	Source []byte
	Name   string   // of the test function
	Notes  []string // what is not driven, and why
	Driven int      // calls that are
}

type generator struct {
	s    *Subject
	i    *typestate.Interface
	opt  Options
	used map[string]bool // of opt.Args

	ownLibrary, library []*Settings // for this component, and for all
	comes               bool        // fixtures are those of the library
	fixtures            map[string][]string

	registers map[string]string // types by name
	verdicts  map[cellKey]string

	own    types.Type // how the object is held; nil for a package
	name   string     // of the object in the code of constructors
	others []held     // other objects that calls are made on

	stubs    map[string]string // names of types that the test declares, by interface
	stubText string

	imports map[string]string // path to name
	locals  map[string]bool   // names that no import may have, see names.go
	notes   []string
	within  bool              // see made
	inside  *types.Package    // the file is in; nil: in none that it knows
	std     map[string]string // name to path, see resolve
}

// Generate writes a test of an interface.
func Generate(s *Subject, i *typestate.Interface, std []string, opt Options) (*Test, error) {
	g, starts, calls, err := prepare(s, i, std, opt, driverImports)
	if err != nil {
		return nil, err
	}
	t := &Test{Notes: g.notes, Driven: len(calls)}
	t.Name = "Test" + g.title() + "Protocol"
	if t.Source, err = g.file(t.Name, starts, calls); err != nil {
		return nil, err
	}
	return t, nil
}

// prepare writes the ways to make the object and the calls, for a file that imports
// packages.
func prepare(s *Subject, i *typestate.Interface, std []string, opt Options, imports []string) (*generator, []startText, []callText, error) {
	g := &generator{s: s, i: i, opt: opt, used: map[string]bool{}, registers: registers(i), imports: map[string]string{}, std: map[string]string{}}
	for _, p := range imports {
		g.pkg(p)
	}
	g.reserve()
	if err := g.useLibrary(); err != nil {
		return nil, nil, nil, err
	}
	for _, p := range std {
		if name := packageName(p); g.std[name] == "" || len(p) < len(g.std[name]) {
			g.std[name] = p
		}
	}
	if err := g.checkGiven(); err != nil {
		return nil, nil, nil, err
	}
	if err := g.objects(); err != nil {
		return nil, nil, nil, err
	}
	starts, err := g.starts()
	if err != nil {
		return nil, nil, nil, err
	}
	calls := g.calls()
	if len(calls) == 0 {
		return nil, nil, nil, &FixtureError{"no call can be driven: " + strings.Join(g.notes, "; ")}
	}
	for _, name := range slices.Sorted(maps.Keys(opt.Args)) {
		if !g.used[name] {
			return nil, nil, nil, fmt.Errorf("-arg %s: no call has this parameter", name)
		}
	}
	return g, starts, calls, nil
}

// checkGiven checks that what was given are Go expressions, or statements that make objects.
func (g *generator) checkGiven() error {
	for _, m := range []struct {
		flag string
		list map[string][]string
	}{{"-fixture", single(g.opt.Fixtures)}, {"-arg", single(g.opt.Args)}, {"-arg", g.opt.Defaults}, {"type", g.opt.Types}} {
		for _, name := range slices.Sorted(maps.Keys(m.list)) {
			for _, text := range m.list[name] {
				if _, err := parser.ParseExpr(text); err == nil {
					continue
				}
				if _, ok := parseStatements(text); !ok || m.flag != "-fixture" {
					return fmt.Errorf("%s %s: not a Go expression", m.flag, text)
				}
			}
		}
	}
	return nil
}

func single(m map[string]string) map[string][]string {
	out := map[string][]string{}
	for k, v := range m {
		out[k] = []string{v}
	}
	return out
}

var driverImports = []string{"bufio", "bytes", "errors", "fmt", "io", "maps", "math/rand/v2", "os", "os/exec", "regexp", "slices", "strconv", "strings", "sync", "testing", "time"}

// title is the name of the type, capitalized.
func (g *generator) title() string {
	name := g.s.pkg.Name()
	if n, ok := g.s.typ.(*types.Named); ok {
		name = n.Obj().Name()
	} else if g.s.hidden != "" {
		_, name, _ = cutLast(g.s.hidden)
	}
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}

func (g *generator) note(format string, args ...any) {
	g.notes = append(g.notes, "not driven: "+fmt.Sprintf(format, args...))
}

// A callText is a call with arguments.
type callText struct {
	text, cell, body string

	known typestate.Known
	extra bool     // see argumentList
	ids   []string // of the calls of the interface that it may be
	pick  string   // the function that says which
	some  []string // those of ids that it may be whatever is remembered, if pick does not know
}

func (g *generator) calls() []callText {
	var out []callText
	guards := map[string][]string{}
	byMethod := map[string][]typestate.Call{}
	for _, c := range g.i.Calls {
		guards[c.Method] = append(guards[c.Method], c.Guard)
		byMethod[c.Method] = append(byMethod[c.Method], c)
	}
	for _, c := range g.i.Calls {
		if slices.ContainsFunc(guards[c.Method], g.remembers) {
			if c.ID == byMethod[c.Method][0].ID {
				out = append(out, g.compared(byMethod[c.Method])...)
			}
			continue
		}
		sig, why := g.method(c.Method)
		if why != "" {
			g.note("%s: %s", c.ID, why)
			continue
		}
		args, why := g.arguments(c.ID, sig, c.Params, c.Types, c.Guard, guards[c.Method])
		if why != "" {
			g.note("%s: %s", c.ID, why)
			continue
		}
		for _, a := range args {
			call := fill(sig.code, g.resolved(a.exprs))
			out = append(out, callText{text: fill(sig.shown, a.texts), cell: c.ID, body: g.body(c, sig, call), known: a.seen(), extra: a.extra, ids: []string{c.ID}})
		}
	}
	return out
}

// file assembles the source.
func (g *generator) file(test string, starts []startText, calls []callText) ([]byte, error) {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	object := g.objectType()
	opt := g.opt
	def := func(n, d int) int {
		if n == 0 {
			return d
		}
		return n
	}
	limit := opt.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	errs := g.errors()
	cells := map[string]bool{}
	for _, c := range calls {
		for _, id := range c.ids {
			cells[id] = true
		}
	}

	w("// rplObject is what the calls are made on.\ntype rplObject = %s\n\n", object)
	w("const (\n")
	w("rplTest = %q\n", test)
	w("rplWords = %d // short words that are run, at least\n", def(opt.Words, DefaultWords))
	w("rplRandom = %d // random words\n", def(opt.Random, DefaultRandom))
	w("rplLength = %d // calls in them, at most\n", def(opt.Length, DefaultLength))
	w("rplSeed = %d\n", opt.Seed)
	w("rplLimit = %s // for one call\n", durationText(limit))
	w("rplFresh = %t // a process for each word\n", g.s.isPackage())
	w("rplCells = %d // pairs of state and call\n", len(g.i.States)*len(cells))
	w(")\n\n")
	w("// What counts as an error: %s.\n", strings.Join(g.i.Component.Errors, ", "))
	w("var (\nrplPanics = []string{%s}\nrplErrors = []string{%s}\nrplSentinels = []error{%s}\n)\n\n", quoted(errs.panics), quoted(errs.returned), strings.Join(errs.sentinels, ", "))
	w("const (\nrplBlocks = %t\nrplOpen = %t // calls that are unknown may return others\n)\n\n", errs.blocks, errs.open)
	w("// rplStarts make objects.\nvar rplStarts = []rplStart{\n")
	made, within := false, false
	for _, s := range starts {
		made = made || strings.Contains(s.body, "rplMade(")
		within = within || strings.Contains(s.body, "rplWithin(")
		results, body := s.function()
		w("{%s, %q, %d, func() %s {\n%s\n}},\n", quoted([]string{s.text}), s.verdict, s.state, results, body)
	}
	w("}\n\n// rplCalls are the calls, with arguments that satisfy their guards.\nvar rplCalls = []rplCall{\n")
	for _, c := range calls {
		w("{%s, %q, func(x rplObject) (string, error) {\n%s\n}},\n", quoted([]string{c.text}), c.cell, c.body)
	}
	w("}\n\n// rplStates is the interface.\nvar rplStates = []map[string]rplCell{\n")
	g.table(&b, cells, calls)
	w("}\n\n")
	g.remembered(&b, starts, calls)
	w("// rplNone reports whether there is no object.\nfunc rplNone(x rplObject) bool { return %s }\n\n", g.none())
	if err := g.helpers(&b, made, within); err != nil {
		return nil, err
	}
	b.WriteString(strings.Replace(driver, "func rplTestFunc(", "func "+test+"(", 1))

	title := g.title()
	r, size := utf8.DecodeRuneInString(title)
	prefix := string(unicode.ToLower(r)) + title[size:]
	body := regexp.MustCompile(`\brpl([A-Z]\w*)`).ReplaceAllString(b.String(), prefix+"$1")

	var head strings.Builder
	pkg := opt.Package
	if pkg == "" {
		pkg = "replay_test"
	}
	fmt.Fprintf(&head, "// Code generated by interlock replay. DO NOT EDIT.\n\npackage %s\n\n", pkg)
	fmt.Fprintf(&head, "// This file drives %s through the words of its temporal interface, all short\n// ones and random ones, each on a fresh object, and compares what happens with what\n// the interface says.\n\nimport (\n", g.i.Component.Name)
	lines, err := g.importLines(body)
	if err != nil {
		return nil, err
	}
	head.WriteString(lines)
	head.WriteString(")\n\n")
	source, err := format.Source([]byte(head.String() + body))
	if err != nil {
		return nil, fmt.Errorf("an expression cannot be read: %w", err)
	}
	return source, nil
}

// helpers writes what the functions that make objects, and arguments, are made of.
func (g *generator) helpers(b *strings.Builder, made, within bool) error {
	if made {
		b.WriteString("// rplMade returns the object that an expression made, which may have failed.\nfunc rplMade(x rplObject, err ...error) (rplObject, error) {\nreturn x, errors.Join(err...)\n}\n\n")
	}
	if within {
		b.WriteString(withinText)
	}
	b.WriteString(overText + g.stubText)
	text, err := g.declarations(b.String())
	b.WriteString(text)
	return err
}

func durationText(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d * time.Second", d/time.Second)
	}
	return fmt.Sprintf("%d * time.Millisecond", max(1, d/time.Millisecond))
}

func quoted(list []string) string {
	var out []string
	for _, s := range list {
		if strings.ContainsAny(s, "\"\\") && strconv.CanBackquote(s) {
			out = append(out, "`"+s+"`")
		} else {
			out = append(out, strconv.Quote(s))
		}
	}
	return strings.Join(out, ", ")
}
