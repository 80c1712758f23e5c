// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// readBack reads t as the assertion or definition of a script.
func readBack(t *testing.T, p *Pool, x *Term) *Term {
	t.Helper()
	var b bytes.Buffer
	if err := Declare(&b, FreeVars(x)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "(define-const result %s ", SMTSort(x.sort))
	if err := WriteSMT(&b, x); err != nil {
		t.Fatal(err)
	}
	b.WriteString(")\n")
	s, err := ParseScript(p, "text", b.Bytes())
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.Bytes())
	}
	return s.Commands[len(s.Commands)-1].Term
}

func TestWriteRead(t *testing.T) {
	g := newSource(4, 1, 2, 3, 4, 8, 64, 128)
	for range 5000 {
		p := NewPool()
		x := p.Encode(g.expr(g.sort(), 1+g.pick(5)).term(p))
		if got := readBack(t, p, x); got != x {
			t.Fatalf("wrote %s, read %s", x, got)
		}
	}
}

// TestEncode compares enums with their codes under all models.
func TestEncode(t *testing.T) {
	g := newSource(5, 1, 2)
	for range 3000 {
		p := NewPool()
		x := g.expr(BoolSort, 3).term(p)
		y := p.Encode(x)
		vars := FreeVars(x)
		for range 20 {
			m, _ := g.randomModel(vars)
			n := Model{}
			for v, val := range m {
				e := p.Encode(v)
				n[e] = val
				if !Holds(p.Domain(v), n) {
					t.Fatalf("%s is outside its domain", v)
				}
			}
			if Eval(x, m) != Eval(y, n) {
				t.Fatalf("%s is encoded as %s", x, y)
			}
		}
	}
	p := NewPool()
	for n := 1; n <= 5; n++ {
		v := p.Var("x", testEnum(n))
		e := p.Encode(v)
		for c := range 1 << v.sort.Bits() {
			if got, want := Holds(p.Domain(v), Model{e: {Lo: uint64(c)}}), c < n; got != want {
				t.Errorf("code %d of %d values: %v", c, n, got)
			}
		}
	}
}

func TestSMTNames(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"x", "s.scanCalled", "a b", "and", "~and", "bvadd", "let", "", "1x", "a|b", "a\\b",
		"héllo", "\x00", "@x", ".x", "a%7Cb", "~a%7Cb", "x'", "true", "select", "Bool", "|", "%", "~"} {
		s := SMTName(name)
		if back := NameOfSMT(s); back != name {
			t.Errorf("%q is written %s and read %q", name, s, back)
		}
		if seen[s] != "" {
			t.Errorf("%q and %q are both %s", seen[s], name, s)
		}
		seen[s] = name
		p := NewPool()
		src := fmt.Sprintf("(declare-const %s Bool)", s)
		if _, err := ParseScript(p, "text", []byte(src)); err != nil {
			t.Error(err)
		}
	}
}

// TestDeep checks that nothing depends on the depth of terms.
func TestDeep(t *testing.T) {
	p := NewPool()
	const depth = 20000
	x, y := p.Var("x", BV(8)), p.Var("y", BV(8))
	a := x
	for range depth {
		a = p.SDiv(a, y) // not shared
	}
	b := x
	for range depth {
		b = p.BVAnd(p.SDiv(b, y), p.SDiv(y, b)) // shared: a tree of 2^depth nodes
	}
	if v := Eval(a, Model{x: {Lo: 7}, y: {Lo: 1}}); v.Lo != 7 {
		t.Errorf("value %v", v)
	}
	if v := Eval(b, Model{x: {Lo: 1}, y: {Lo: 1}}); v.Lo != 1 {
		t.Errorf("value %v", v)
	}
	for _, z := range []*Term{a, b} {
		if got := readBack(t, p, z); got != z {
			t.Error("read another term")
		}
		if n := len(z.String()); n > 40*Size(z) {
			t.Errorf("%d bytes for %d nodes", n, Size(z))
		}
		to := p.Substitute(z, map[*Term]*Term{x: y, y: x})
		if back := p.Substitute(to, map[*Term]*Term{x: y, y: x}); back != z || to == z {
			t.Error("swapping twice is not the identity")
		}
		q := NewPool()
		if got := q.Import(z); Size(got) != Size(z) {
			t.Error("imported another term")
		}
	}
	src := strings.Repeat("(bvnot ", depth) + "x" + strings.Repeat(")", depth)
	s, err := ParseScript(p, "deep", []byte("(declare-const x (_ BitVec 8))(assert (= x "+src+"))"))
	if err != nil || !s.Commands[1].Term.IsTrue() {
		t.Errorf("%v", err)
	}
	_, err = ParseScript(p, "open", []byte(strings.Repeat("(", depth)))
	if err == nil || !strings.HasPrefix(err.Error(), "open:1:") {
		t.Errorf("error %v", err)
	}
}

// describe writes what a reader delivers.
func describe(c Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d %s", c.Line, c.Col, c.Kind)
	if c.Name != "" {
		fmt.Fprintf(&b, " name=%s", c.Name)
	}
	if c.Keyword != "" {
		fmt.Fprintf(&b, " :%s", c.Keyword)
	}
	if c.Text != "" {
		fmt.Fprintf(&b, " %q", c.Text)
	}
	if c.N != 0 {
		fmt.Fprintf(&b, " %d", c.N)
	}
	if c.Term != nil {
		fmt.Fprintf(&b, " %s", c.Term)
	}
	for i, t := range c.Terms {
		fmt.Fprintf(&b, " [%s: %s]", c.Texts[i], t)
	}
	return b.String()
}

// TestScripts reads testdata/*.smt2 and compares commands and errors with the
// file beside it. Reading goes on after an error.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.smt2")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		r := NewReader(NewPool(), filepath.Base(file), bytes.NewReader(src))
		for {
			c, err := r.Next()
			if err == io.EOF {
				break
			}
			var re *ReadError
			switch {
			case err == nil:
				fmt.Fprintln(&out, describe(c))
			case errors.As(err, &re):
				fmt.Fprintln(&out, err)
			default:
				t.Fatal(err)
			}
			if re != nil && strings.Contains(re.Msg, "does not end") {
				break
			}
		}
		golden := strings.TrimSuffix(file, ".smt2") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if out.String() != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", file, out.String(), want)
		}
	}
}

// FuzzRead checks that the reader neither panics nor delivers what it cannot
// read back.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.smt2")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		p := NewPool()
		s, err := ParseScript(p, "fuzz", src)
		if err != nil {
			return
		}
		for _, c := range s.Commands {
			if c.Kind != Assert {
				continue
			}
			vars := FreeVars(c.Term)
			if slices.ContainsFunc(vars, func(v *Term) bool { return NameOfSMT(SMTName(v.name)) != v.name }) {
				t.Fatal("name is lost")
			}
			if slices.ContainsFunc(vars, func(v *Term) bool { return strings.HasPrefix(v.name, paramPrefix) }) {
				t.Fatalf("parameter in %s", c.Term)
			}
			if slices.ContainsFunc(vars, func(v *Term) bool { return strings.HasPrefix(strings.Trim(SMTName(v.name), "|"), "~") }) {
				continue
			}
			if Declare(io.Discard, vars) != nil {
				continue // redeclared with another sort
			}
			if got := readBack(t, p, c.Term); got != c.Term {
				t.Fatalf("wrote %s, read %s", c.Term, got)
			}
		}
	})
}

// smt writes a raw term without simplifying anything.
func (r *raw) smt(b *strings.Builder) {
	switch {
	case r.val != nil:
		b.WriteString(SMTValue(r.sort, ValueOfBig(r.sort.Bits(), r.val)))
		return
	case r.con == nil:
		b.WriteString(SMTName(r.name))
		return
	}
	if r.con.name == "Comp" {
		b.WriteString("(bvcomp")
	} else if op := map[string]string{"Not": "not", "And": "and", "Or": "or", "Implies": "=>", "Iff": "=", "Xor": "xor",
		"Eq": "=", "Ne": "distinct", "Distinct": "distinct", "Ite": "ite", "Concat": "concat", "BVNot": "bvnot", "BVAnd": "bvand",
		"BVOr": "bvor", "BVXor": "bvxor"}[r.con.name]; op != "" {
		b.WriteString("(" + op)
	} else if op := map[string]string{"Extract": "extract", "ZeroExt": "zero_extend", "SignExt": "sign_extend",
		"RotateLeft": "rotate_left", "RotateRight": "rotate_right", "Repeat": "repeat"}[r.con.name]; op != "" {
		fmt.Fprintf(b, "((_ %s %d", op, r.i)
		if op == "extract" {
			fmt.Fprintf(b, " %d", r.j)
		}
		b.WriteString(")")
	} else {
		b.WriteString("(bv" + strings.ToLower(r.con.name))
	}
	for _, a := range r.args {
		b.WriteByte(' ')
		a.smt(b)
	}
	b.WriteByte(')')
}

// TestAgainstZ3 asks z3 to prove simplified terms equal to what they were
// built from. The naive oracle samples models at large widths; this does not.
func TestAgainstZ3(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("z3 is not installed")
	}
	n := rounds(120, 500)
	g := newSource(6, 8)
	g.cons = slices.DeleteFunc(g.cons, func(c *constructor) bool { return c.name == "Mul" && c.shape == "vvv:v" })
	plain := *g // without enums
	plain.cons = slices.DeleteFunc(slices.Clone(g.cons), func(c *constructor) bool { return strings.Contains(c.shape, "e") })
	var in strings.Builder
	in.WriteString("(set-option :rlimit 1000000)\n")
	var want []string
	for i := range n {
		from := g
		if i%2 == 0 {
			from = &plain
		}
		from.widths = [][]int{{4}, {6}, {3, 5, 8}, {16}}[i/2%4]
		r := from.expr(BoolSort, 4)
		p := NewPool()
		x := p.Encode(r.term(p))
		var b bytes.Buffer
		if err := Declare(&b, r.rawVars(p)); err != nil {
			t.Fatal(err)
		}
		b.WriteString("(assert (not (= ")
		if err := WriteSMT(&b, x); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		text.WriteByte(' ')
		r.smt(&text)
		b.WriteString(text.String())
		b.WriteString(")))\n")
		in.WriteString("(push)\n" + b.String() + "(check-sat)\n(pop)\n")
		want = append(want, b.String())
		// Reading the unsimplified text gives the simplified term, so that
		// the difference is none. (With enums it may not: the text has lost
		// that some codes do not exist.)
		s, err := ParseScript(p, "raw", b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Commands[len(s.Commands)-1].Term; i%2 == 0 && !got.IsFalse() {
			t.Errorf("read %s from\n%s", got, b.String())
		}
	}
	cmd := exec.CommandContext(t.Context(), z3, "-in", "-smt2")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d answers to %d questions:\n%s", len(lines), len(want), out)
	}
	unsat := 0
	for i, l := range lines {
		switch l {
		case "unsat":
			unsat++
		case "unknown":
		default:
			t.Errorf("%s for\n%s", l, want[i])
		}
	}
	if unsat < n*8/10 {
		t.Errorf("only %d of %d decided", unsat, n)
	}
}
