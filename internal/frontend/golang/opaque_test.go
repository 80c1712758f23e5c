// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/prog"
)

// TestOpaque checks of which calls only the arguments decide whether they err: those whose
// names begin with Only, or with New; with May if the environment decides, too, and with World
// if it is a constructor of which anything may decide; and which never err although there are errors in
// their code: those that begin with Never.
func TestOpaque(t *testing.T) {
	testOpaque(t, "./p.T", 60)
	testOpaque(t, "./f.F", 40)
	testOpaque(t, "./f.V", 2)
	testOpaque(t, "./f.G", 10)
	testOpaque(t, "./n.N", 40)
	testOpaque(t, "./n.B", 4)
	testOpaque(t, "./n.K", 10)
	testOpaque(t, "./e.E", 8)
	testOpaque(t, "./b.B", 15)
	testOpaque(t, "./u.U", 8)
	for _, name := range []string{"V", "P"} {
		testOpaque(t, "./u."+name, 3)
	}
	testOpaque(t, "./w.W", 20)
	testOpaque(t, "./t.T", 55)
	testOpaque(t, "./s.S", 25)
	for _, name := range []string{"V", "P", "I"} {
		testOpaque(t, "./s."+name, 3)
	}
	for _, name := range []string{"D", "P", "Q", "R"} {
		testOpaque(t, "./e."+name, 2)
	}
	for _, name := range []string{"L", "H", "E", "X", "G", "T", "R", "D", "C", "S", "W"} {
		testOpaque(t, "./l."+name, 2)
	}
}

// opaqueLoads are the packages that were loaded, each of which has several types.
var opaqueLoads = map[string]*loaded{}

func loads(s Subject, o Options) (*loaded, error) {
	if l := opaqueLoads[s.Package]; l != nil {
		return l, nil
	}
	l, err := load(context.Background(), s, o)
	opaqueLoads[s.Package] = l
	return l, err
}

// withOpaque finds the calls of a type that are opaque.
func withOpaque(t *testing.T, l *loaded, s Subject, o Options) (*compiler, []operation, []maker) {
	t.Helper()
	k, err := parseKinds(o.Errors)
	if err != nil {
		t.Fatal(err)
	}
	known, err := readContracts(l.prog, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := l.compiler(o, k, known)
	if err := c.subject(&s); err != nil {
		t.Fatal(err)
	}
	makers, err := c.makers(s)
	if err != nil {
		t.Fatal(err)
	}
	methods, err := c.alphabet(s, makers)
	if err != nil {
		t.Fatal(err)
	}
	from := c.callsOf(methods, makers)
	c.reach = newReach(c, slices.Concat(from.methods, from.makers, from.chains))
	c.findOpaque(methods, makers)
	return c, methods, makers
}

// opaqueOf finds those of a type in testdata.
func opaqueOf(t *testing.T, subject string) (*compiler, []operation, []maker) {
	t.Helper()
	s, err := ParseSubject(subject)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: "testdata/opaque", Errors: []string{"misuse"}, opaque: func(string) bool { return true }}
	l, err := loads(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return withOpaque(t, l, s, o)
}

func testOpaque(t *testing.T, subject string, least int) {
	t.Helper()
	c, methods, makers := opaqueOf(t, subject)
	from := c.callsOf(methods, makers)
	entries := slices.Concat(from.methods, from.makers, from.chains)
	if len(entries) < least {
		t.Errorf("only %d calls", len(entries))
	}
	for _, fn := range entries {
		name := fn.Name()
		world := strings.HasPrefix(name, "World")
		may := strings.HasPrefix(name, "May") || world
		want := may || strings.HasPrefix(name, "Only") || strings.HasPrefix(name, "New")
		call := c.opaque[fn]
		if never := strings.HasPrefix(name, "Never"); never || call != nil && call.never() {
			errs := c.hasErrors(fn)
			switch {
			case never && (call == nil || !call.never()):
				t.Errorf("%s, %s: it is not known that it never errs", subject, name)
			case never && !errs:
				t.Errorf("%s, %s: it has no errors at all", subject, name)
			case !never && errs && packageOf(fn) == c.l.pkg.Pkg:
				t.Errorf("%s, %s: it never errs", subject, name)
			}
			continue
		}
		if got := call != nil; got != want {
			t.Errorf("%s, %s: opaque %t", subject, name, got)
		}
		if call != nil && call.may != may {
			t.Errorf("%s: the environment decides: %t", name, call.may)
		}
		if world && c.mayBeOpaque(fn, firstCall) != nil {
			t.Errorf("%s: arguments and answers decide", name)
		}
		if world && c.errsByWorld(fn, append(methods, operation{fn: fn})) != nil {
			t.Errorf("%s: it is opaque, although it may come after other calls", name)
		}
	}
	// It is no reason to leave out programs that follow the code.
	c.o.allOpaque = true
	c.findOpaque(nil, makers)
	maps.DeleteFunc(c.opaque, func(_ *ssa.Function, o *opaqueCall) bool { return o.never() })
	if len(c.opaque) > 0 {
		t.Errorf("%d constructors are opaque, although some only for want of something better", len(c.opaque))
	}
}

// TestDeepTables checks of which tables nothing ever changes.
func TestDeepTables(t *testing.T) {
	c, _, _ := opaqueOf(t, "./t.T")
	want := []string{"encoded", "found", "given", "grid", "held", "named", "nested", "origin", "others", "parts", "plain", "pointers", "setting"}
	contract := map[string]bool{"encoded": true}
	n := 0
	for _, name := range slices.Sorted(maps.Keys(c.l.pkg.Members)) {
		g, ok := c.l.pkg.Members[name].(*ssa.Global)
		if !ok {
			continue
		}
		switch u := deref(g.Type()).Underlying().(type) {
		case *types.Slice:
			if isPlain(u.Elem(), 0) {
				continue
			}
		case *types.Array, *types.Struct, *types.Pointer:
			if isPlain(u, 0) {
				continue
			}
		default:
			continue
		}
		n++
		clauses, deep := c.isDeep(g)
		if deep != slices.Contains(want, name) {
			t.Errorf("%s: deep %t", name, deep)
		}
		if deep && (len(clauses) > 0) != contract[name] {
			t.Errorf("%s: contracts %v", name, clauses)
		}
	}
	if n < 52 {
		t.Errorf("only %d tables", n)
	}
}

// hasErrors reports whether code that a function reaches has panics, or makes errors under study.
func (c *compiler) hasErrors(fn *ssa.Function) bool {
	for _, g := range c.reach.under([]*ssa.Function{fn}) {
		for _, b := range g.Blocks {
			for _, i := range b.Instrs {
				if c.isSite(c.reach, i, false) || returnsError(fn) && c.errorMadeBy(g, i) != nil {
					return true
				}
			}
		}
	}
	return false
}

// TestOpaquePrograms lowers a type with opaque calls.
func TestOpaquePrograms(t *testing.T) {
	s, err := ParseSubject("./p.U")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compile(context.Background(), s, Options{Dir: "testdata/opaque", Errors: []string{"misuse"}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := r.Opaque(context.Background(), func(string) bool { return true })
	if err != nil || !slices.Equal(q.opaque, []string{"May", "Only", "Set"}) {
		t.Fatalf("all calls: %v, %v", q, err)
	}
	p, err := q.Component(Depth{Sites: -1, Results: -1}, func(s *Site) bool { return !s.Implicit })
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range p.Program.Methods {
		if got := slices.ContainsFunc(m.Locals, func(v *prog.Var) bool { return v.Name == "answers" }); got != (m.Name == "May") {
			t.Errorf("%s: the environment decides: %t", m.Name, got)
		}
	}
	if len(q.Sites()["Within"]) == 0 {
		t.Error("Within: its errors are those of a call that is opaque for clients only")
	}
	if settled, err := r.Settled(context.Background()); settled != nil || err != nil {
		t.Errorf("settled, although it is small and errs by state: %v, %v", settled, err)
	}
	again, err := r.Opaque(context.Background(), func(name string) bool { return name == "Only" })
	if err != nil || !slices.Equal(again.opaque, []string{"Only"}) {
		t.Errorf("one call: %v, %v", again, err)
	}
	if none, err := r.Opaque(context.Background(), func(string) bool { return false }); none != nil || err != nil {
		t.Errorf("no call: %v, %v", none, err)
	}
}

// TestOpaqueConventions checks that programs list what an answer rests on that was found for an
// earlier one.
func TestOpaqueConventions(t *testing.T) {
	s, err := ParseSubject("./f.V")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compile(context.Background(), s, Options{Dir: "testdata/opaque", Errors: []string{"misuse"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"found", "remembered"} {
		q, err := r.Opaque(context.Background(), func(string) bool { return true })
		if err != nil || q == nil {
			t.Fatalf("%s: %v, %v", what, q, err)
		}
		if !slices.Contains(q.Conventions, conventionFixed) {
			t.Errorf("%s: conventions %q", what, q.Conventions)
		}
	}
}
