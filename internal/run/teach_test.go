// SPDX-License-Identifier: Apache-2.0

package run

// This file learns small types.

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/automata"
	"github.com/interlock-go/interlock/internal/learn"
)

const gateSource = `package gate

import "math/rand/v2"

type Gate struct {
	open, closed bool
	n            int
}

func (g *Gate) Open() {
	if g.closed {
		panic("m: closed")
	}
	g.open = true
}

func (g *Gate) Close() {
	if !g.open {
		panic("m: not open")
	}
	g.open, g.closed = false, true
}

func (g *Gate) Pass() bool {
	if !g.open {
		panic("m: not open")
	}
	g.n++
	return g.n%3 != 0
}

type Dice struct{ six bool }

func (d *Dice) Roll() bool {
	d.six = rand.IntN(2) == 0
	return d.six
}

func (d *Dice) Six() {
	if !d.six {
		panic("m: no six")
	}
}

func (d *Dice) Maybe() {
	if rand.IntN(2) == 0 {
		panic("m: bad luck")
	}
}

type Counter struct{ n int }

func (c *Counter) Up() { c.n++ }

func (c *Counter) Down() {
	if c.n == 0 {
		panic("m: down")
	}
	c.n--
}
`

var gates = map[string]driven{} // by type

func learned(t *testing.T, name string, effort Effort) (*Learned, driven) {
	t.Helper()
	d, ok := gates[name]
	if !ok {
		d = drive(t, component(t, gateSource), "example.com/gate."+name, "panic")
		gates[name] = d
	}
	pool, err := NewPool(d.program, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	l, err := Learn(context.Background(), pool, effort)
	if err != nil {
		t.Fatal(err)
	}
	return l, d
}

// trace reports whether a trace is possible in the learned automaton.
func (l *Learned) trace(d driven, t *testing.T, text string) bool {
	t.Helper()
	s := int32(0)
	for k, part := range strings.Fields(text) {
		name, class, _ := strings.Cut(part, "=")
		want := letter{k == 0, 0, class}
		if k > 0 {
			want.call = d.call(t, name)
		}
		x, ok := l.tree.number[want]
		if !ok || x >= l.DFA.Letters {
			return false
		}
		s = l.DFA.Step(s, x)
	}
	return l.DFA.Out[s] == automata.Accept
}

// differs says how what was learned differs from what is expected.
func differs(t *testing.T, l *Learned, d driven, states int, stopped, traces string) []string {
	t.Helper()
	var wrong []string
	if states > 0 && l.DFA.States() != states {
		wrong = append(wrong, fmt.Sprintf("%d states, expected %d", l.DFA.States(), states))
	}
	if stopped == "" != (l.Stopped == "") || !strings.Contains(l.Stopped, stopped) {
		wrong = append(wrong, fmt.Sprintf("stopped because %q", l.Stopped))
	}
	for line := range strings.Lines(traces) {
		line, no := strings.CutPrefix(strings.TrimSpace(line), "-")
		if l.trace(d, t, line) == no {
			wrong = append(wrong, fmt.Sprintf("%s: possible: %t", line, !no))
		}
	}
	return wrong
}

func TestLearn(t *testing.T) {
	for _, c := range []struct {
		name     string
		attempts int
		states   int // with the empty trace, the end and the impossible
		stopped  string
		traces   string // with - before it what cannot happen
	}{
		{"Gate", 1, 8, "", `new=return Open()=return Pass()=true Pass()=true Pass()=false Close()=return
			-new=return Open()=return Pass()=false
			new=return Close()=panicked!
			new=return Open()=return Close()=return Open()=panicked!
			-new=return Open()=return Close()=return Open()=return`},
		{"Dice", 4, 5, "", `new=return Roll()=true Six()=return Six()=return Roll()=false Six()=panicked!
			-new=return Roll()=true Six()=panicked!
			-new=return Six()=return
			new=return Maybe()=return
			new=return Maybe()=panicked!`},
		{"Counter", 1, 0, "", `new=return Up()=return Down()=return Down()=panicked!`},
	} {
		for _, effort := range []Effort{{Words: 5000, Random: 200}, {Words: 5000, Random: 200, Seed: 7, Learner: &learn.Learners()[1]}} {
			// A die may hide an outcome for long: then what is learned has more states than it should, and is learned again.
			var l *Learned
			var wrong []string
			for range c.attempts {
				var d driven
				l, d = learned(t, c.name, effort)
				if wrong = differs(t, l, d, c.states, c.stopped, c.traces); len(wrong) == 0 {
					break
				}
			}
			for _, w := range wrong {
				t.Errorf("%s: %s", c.name, w)
			}
			t.Logf("%s: %d states, %d words, depth %d, %+v, %d unstable, %s", c.name, l.DFA.States(), l.Words, l.Depth, l.Stats, l.Unstable, l.Stopped)
		}
	}
}
