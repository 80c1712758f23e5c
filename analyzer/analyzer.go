// SPDX-License-Identifier: Apache-2.0

// Package analyzer checks Go clients against temporal interfaces: it reports calls that fail in every state that their object
// may be in, such as Buffer of a bufio.Scanner after Scan, or Exec of a sql.Tx after Commit.
//
// The analyzer runs wherever go/analysis does: in go vet (command interlock-vet), in golangci-lint, in nogo, in gopls. It needs facts and nothing
// else. The states of an object are followed through branches on results, loops, deferred calls, closures and functions, also those of other packages.
// What other code may do to an object is taken into account, so that a finding is a call that fails if it is made. doc/limits.md says what is not seen.
//
// A comment //interlock:ignore with a reason, on the line of a finding or the line before, leaves the finding out.
package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/check"
	"github.com/interlock-go/interlock/internal/library"
	"github.com/interlock-go/interlock/typestate"
)

// Categories of diagnostics.
const (
	CategoryFails   = "fails"    // the call fails in every state that is possible: proved
	CategorySeen    = "seen"     // the same, but only seen when the type was run
	CategoryMayFail = "may-fail" // the call fails in some of the states that are possible
)

// Analyzer checks clients of the standard library, and of the types of the interface files that the flag -interfaces names.
var Analyzer = New(nil)

const doc = `report calls that fail whatever state their object is in

Every type has an order in which its methods must be called. The analyzer knows
this protocol from the type's temporal interface, which 'interlock infer' proves
of its source. It follows each object through the code and reports a call that
must fail: Buffer of a bufio.Scanner after Scan, Write of a zip.Writer after Close.`

// New returns an analyzer that knows the given interfaces besides those of the standard library and those of its flags.
func New(interfaces []*typestate.Interface) *analysis.Analyzer {
	c := &config{given: interfaces, sets: map[string]func() (*check.Protocols, error){}}
	a := &analysis.Analyzer{
		Name:      "interlock",
		Doc:       doc,
		Run:       c.run,
		Requires:  []*analysis.Analyzer{buildssa.Analyzer},
		FactTypes: []analysis.Fact{new(summaryFact)},
	}
	a.Flags.StringVar(&c.dirs, "interfaces", "", "read interface files of these `directories`, separated as in PATH")
	a.Flags.BoolVar(&c.may, "may", false, "also report calls that fail in some of the states that are possible")
	a.Flags.BoolVar(&c.noStandard, "nostd", false, "leave out the interfaces of the standard library")
	a.Flags.StringVar(&c.digest, "digest", "", "a `digest` of the interface files, for drivers that keep results by their flags")
	return a
}

// A config is the values of the flags, and what was read because of them.
type config struct {
	given      []*typestate.Interface
	dirs       string
	may        bool
	noStandard bool
	digest     string

	mu   sync.Mutex
	sets map[string]func() (*check.Protocols, error) // by release and flags: read once
}

// protocols returns the protocols for code of a release of Go.
func (c *config) protocols(release string) (*check.Protocols, error) {
	key := fmt.Sprintf("%s %t %s", release, c.noStandard, c.dirs)
	c.mu.Lock()
	read := c.sets[key]
	if read == nil {
		read = sync.OnceValues(func() (*check.Protocols, error) { return c.read(release) })
		c.sets[key] = read
	}
	c.mu.Unlock()
	return read()
}

func (c *config) read(release string) (*check.Protocols, error) {
	all := c.given
	for _, dir := range filepath.SplitList(c.dirs) {
		more, err := library.Dir(dir)
		if err != nil {
			return nil, fmt.Errorf("-interfaces: %w", err)
		}
		all = append(all, more...)
	}
	if !c.noStandard {
		std, err := library.Standard(release)
		if err != nil {
			return nil, err
		}
		told := map[string]bool{}
		for _, i := range all {
			told[i.Component.Name] = true
		}
		for _, i := range std {
			if !told[i.Component.Name] { // the user's own count
				all = append(all, i)
			}
		}
	}
	return check.Compile(all)
}

// A summaryFact is what callers may know of a function.
type summaryFact struct{ Summary check.Summary }

func (*summaryFact) AFact() {}

func (f *summaryFact) String() string { return f.Summary.String() }

func (c *config) run(pass *analysis.Pass) (any, error) {
	protocols, err := c.protocols(pass.Pkg.GoVersion())
	if err != nil {
		return nil, err
	}
	built := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	checker := check.New(pass.Pkg, check.Config{
		Protocols: protocols, Fset: pass.Fset, May: c.may,
		Imported: func(fn *types.Func) *check.Summary {
			var fact summaryFact
			if pass.ImportObjectFact(fn, &fact) {
				return &fact.Summary
			}
			return nil
		},
	})
	for _, fn := range built.SrcFuncs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || fn.Parent() != nil || obj.Pkg() != pass.Pkg {
			continue
		}
		if s := checker.Summary(fn); s != nil {
			pass.ExportObjectFact(obj, &summaryFact{*s})
		}
	}
	report(pass, checker.Findings(written(pass, built.SrcFuncs)))
	return nil, nil
}

// written leaves out functions of generated files.
func written(pass *analysis.Pass, fns []*ssa.Function) (out []*ssa.Function) {
	generated := map[*token.File]bool{}
	for _, f := range pass.Files {
		if ast.IsGenerated(f) {
			generated[pass.Fset.File(f.FileStart)] = true
		}
	}
	for _, fn := range fns {
		if f := pass.Fset.File(fn.Pos()); f == nil || !generated[f] {
			out = append(out, fn)
		}
	}
	return out
}

func report(pass *analysis.Pass, findings []check.Finding) {
	if len(findings) == 0 {
		return
	}
	calls := callsOf(pass)
	ignored := ignores(pass)
	for _, f := range findings {
		pos, end := calls.at(f.Pos)
		if reason, ok := ignored.at(pass.Fset, pos); ok {
			if reason == "" {
				pass.Report(analysis.Diagnostic{Pos: pos, End: end, Category: CategoryFails, Message: "//interlock:ignore needs a reason"})
			}
			continue
		}
		d := analysis.Diagnostic{Pos: pos, End: end, Category: CategoryFails, Message: f.Message}
		switch {
		case f.May:
			d.Category = CategoryMayFail
		case f.Seen:
			d.Category = CategorySeen
		}
		for _, r := range f.Related {
			p, e := calls.at(r.Pos)
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: p, End: e, Message: r.Message})
		}
		pass.Report(d)
	}
}

// A callMap finds calls by the position that go/ssa gives them, that of the parenthesis.
type callMap map[token.Pos]*ast.CallExpr

func callsOf(pass *analysis.Pass) callMap {
	calls := callMap{}
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				calls[c.Lparen] = c
			}
			return true
		})
	}
	return calls
}

// at is the name of the function that is called, up to the end of the call.
func (m callMap) at(pos token.Pos) (from, to token.Pos) {
	c := m[pos]
	if c == nil {
		return pos, pos
	}
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		return s.Sel.Pos(), c.End()
	}
	return c.Pos(), c.End()
}

// An ignoreMap has the reasons of ignore comments, by file and line.
type ignoreMap map[string]map[int]string

const ignoreDirective = "//interlock:ignore"

func ignores(pass *analysis.Pass) ignoreMap {
	out := ignoreMap{}
	for _, f := range pass.Files {
		for _, g := range f.Comments {
			for _, c := range g.List {
				rest, ok := strings.CutPrefix(c.Text, ignoreDirective)
				if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
					continue
				}
				p := pass.Fset.Position(c.Pos())
				if out[p.Filename] == nil {
					out[p.Filename] = map[int]string{}
				}
				reason, _, _ := strings.Cut(rest, "// want")
				out[p.Filename][p.Line] = strings.TrimSpace(reason)
			}
		}
	}
	return out
}

func (m ignoreMap) at(fset *token.FileSet, pos token.Pos) (reason string, ok bool) {
	p := fset.Position(pos)
	lines := m[p.Filename]
	if reason, ok = lines[p.Line]; ok {
		return reason, true
	}
	reason, ok = lines[p.Line-1]
	return reason, ok
}
