// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/term"
)

const solidCode = `package p

type T struct {
	size int
	buf  []byte
	err  error
}

func New() *T { return &T{size: 8} }

func (t *T) Put(n int) {
	if n > t.size {
		panic("too large")
	}
}

type i interface{ m() }

func (t *T) m() {}

func one(b bool) i {
	if b {
		return New()
	}
	return &T{}
}

func two() i { return one(true) }

func maybe(b bool) i {
	if b {
		return nil
	}
	return two()
}

func round(n int) i {
	if n == 0 {
		return two()
	}
	return round(n - 1)
}

func saved() (r i) {
	defer func() { recover() }()
	return two()
}

func given(x i) i { return x }

func slices(b []byte, n int, a *[4]byte) [][]byte {
	return [][]byte{b[:0], b[1:3], make([]byte, 2), a[1:], b[:n], b[1:], make([]byte, n)}
}
`

// solidPackage loads the code above.
func solidPackage(t *testing.T) (*loaded, Subject, Options) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\ngo 1.26\n", "p.go": solidCode} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, o := Subject{Package: "m", Type: "T"}, Options{Dir: dir, Errors: []string{"panic"}}
	l, err := load(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return l, s, o
}

func TestReturnsSolid(t *testing.T) {
	l, _, o := solidPackage(t)
	c := l.compiler(o, kinds{}, &contracts{})
	for name, want := range map[string]bool{"New": true, "one": true, "two": true, "maybe": false, "round": false, "saved": false, "given": false} {
		if got := c.returnsSolid(l.pkg.Func(name), 0); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestLengthOf(t *testing.T) {
	l, _, _ := solidPackage(t)
	var got []int
	for _, b := range l.pkg.Func("slices").Blocks {
		for _, i := range b.Instrs {
			switch v := i.(type) {
			case *ssa.Slice:
				if v.Type().String() == "[]byte" {
					got = append(got, lengthOf(v)-1)
				}
			case *ssa.MakeSlice:
				got = append(got, lengthOf(v)-1)
			}
		}
	}
	if want := []int{0, 2, 2, 3, -1, -1, -1}; !slices.Equal(got, want) {
		t.Errorf("got %v, expected %v", got, want)
	}
}

// TestSettled checks that what an object is made with is no state.
func TestSettled(t *testing.T) {
	l, s, o := solidPackage(t)
	c := explicitly(t, l, s, o)
	if len(c.Program.State) != 0 {
		t.Errorf("state is left:\n%s", c.Program)
	}
	for word, want := range map[string]string{"Put(8)": "allowed", "Put(9)": "fails"} {
		if got := verdict(t, c.Program, []string{"p.New", word}); got != want {
			t.Errorf("%s: %s\n%s", word, got, c.Program)
		}
	}
}

// TestSolve checks what conditions say that a number is.
func TestSolve(t *testing.T) {
	p := term.NewPool()
	x, y, e := p.Var("x", term.BV(64)), p.Var("y", term.BV(64)), p.Var("e", term.BoolSort)
	atMost, atLeast := p.SLe(x, y), p.Or(p.SGe(x, y), e)
	if is, unless := solve(p, x, []*term.Term{atMost, atLeast}); is != y || unless != e {
		t.Errorf("got %v unless %v", is, unless)
	}
	for _, conds := range [][]*term.Term{{atMost}, {atLeast}, {p.ULe(x, y), atLeast}, {p.SLe(y, x), atLeast}, {atMost, p.Or(p.SGe(x, y), p.Eq(x, y))}} {
		if is, _ := solve(p, x, conds); is != nil {
			t.Errorf("%v: got %v", conds, is)
		}
	}
}
