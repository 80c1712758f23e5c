// SPDX-License-Identifier: Apache-2.0

package program_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/internal/model/program"
	"github.com/interlock-go/interlock/internal/prog"
)

func system(t *testing.T, text string) (*lts.System, error) {
	t.Helper()
	p, err := prog.Parse("c.open", []byte(text), prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return program.System(context.Background(), p, 100)
}

func list(s *lts.System) string {
	text := strings.Join(s.Alphabet, " ") + "\n"
	for x := range int32(s.States()) {
		for _, e := range s.Edges(x) {
			text += fmt.Sprintf("%d %s %d %s\n", x, s.Label(e), e.To, s.Why(x, e.Action))
		}
	}
	return text
}

func TestSystem(t *testing.T) {
	// A lock that may refuse. The error of read follows the call; that of acq, which has outcomes, each of them.
	s, err := system(t, `component Lock
state a bool = false
method acq() (ok bool) {
	if a { error "held" }
	a = choose
	return a
}
method read() { if !a { error "not held" } }
method set(x bool) { a = x }
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `acq.false acq.true read set.false set.true
0 tau 1 
1 acq.false 1 
1 acq.true 2 
1 read -1 not held (c.open:8:25)
1 set.false 1 
1 set.true 2 
2 acq.false -1 held (c.open:4:9)
2 acq.true -1 held (c.open:4:9)
2 read 2 
2 set.false 1 
2 set.true 2 
`
	if got := list(s); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestConstructors(t *testing.T) {
	s, err := system(t, `component Box
state n bool = false
constructor Empty() { n = false }
constructor Full() { n = true }
method take() { if !n { error "empty" } n = false }
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := list(s); !strings.HasPrefix(got, "empty full take\n0 empty 1 \n0 full 2 \n") {
		t.Errorf("%s", got)
	}
}

func TestLimits(t *testing.T) {
	_, err := system(t, "component C\nmethod m(x int32) {}\n")
	var many *program.TooManyError
	if !errors.As(err, &many) || err.Error() != "c.open:2:8: m has more than 4096 arguments; narrow its types with -width, or use an interface file in its place" {
		t.Errorf("%v", err)
	}
	_, err = system(t, "component C\nstate n int16 = 0\nmethod m() { n = n + 1 }\n")
	var budget *lts.BudgetError
	if !errors.As(err, &budget) {
		t.Errorf("%v", err)
	}
}
