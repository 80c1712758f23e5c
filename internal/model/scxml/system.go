// SPDX-License-Identifier: Apache-2.0

package scxml

// This file explores a chart.

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/model/lts"
)

// A Treatment says what a failed assertion does.
type Treatment uint8

const (
	Fail Treatment = iota // it is an error
	Stop                  // the run ends there
	Skip                  // the run goes on
)

// Options say what is an error, and how events are treated that no transition takes.
type Options struct {
	Budget int  // states; 0 is DefaultBudget
	Ignore bool // such an event is dropped; by default it cannot happen
	// These may be nil. FailingState names states whose entry is an error, FailingEvent events that
	// are errors when they are raised. Assertion says what becomes of an assertion, given as
	// "message (file:line)".
	FailingState func(id string) bool
	FailingEvent func(event string) bool
	Assertion    func(site string) Treatment
}

// DefaultBudget bounds the states, of about 500 bytes each.
const DefaultBudget = 1_000_000

// Parse reads a statechart. The name is that of errors, and of a chart without one.
func Parse(ctx context.Context, name string, text []byte, o Options) (*lts.System, error) {
	c, err := readChart(name, text)
	if err != nil {
		return nil, err
	}
	if c.name == "" {
		c.name = strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".scxml")
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	x := &explorer{chart: c, options: &o, numbers: map[string]int32{}}
	return x.explore(ctx)
}

type explorer struct {
	*chart
	options *Options
	numbers map[string]int32
	rests   []*machine
}

// events are the external events, sorted.
func (c *chart) events() []string {
	set := map[string]bool{}
	for _, s := range c.all {
		for _, t := range s.transitions {
			for _, d := range t.events {
				if d != "" && d != "done" && d != "error" && !strings.HasPrefix(d, "done.") && !strings.HasPrefix(d, "error.") && !c.raised[d] {
					set[d] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func (x *explorer) explore(ctx context.Context) (*lts.System, error) {
	events := x.events()
	b := lts.NewBuilder(events...)
	first := &machine{chart: x.chart, options: x.options, config: map[*state]bool{}, memory: map[*state][]*state{}, data: map[string]value{}}
	if err := first.start(); err != nil {
		return nil, x.fail(x.root.line, "%v", err)
	}
	if x.failure(first) != "" {
		return b.System(x.name, lts.Error), nil
	}
	if first.stopped {
		return b.System(x.name, 0), nil
	}
	x.number(first)
	for at := 0; at < len(x.rests); at++ {
		if at%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(x.rests) > x.options.Budget {
			return nil, &lts.BudgetError{What: x.file, Budget: x.options.Budget}
		}
		if !x.rests[at].running {
			continue
		}
		for k, event := range events {
			m := x.rests[at].clone()
			took, err := m.take(event)
			if err != nil {
				return nil, x.fail(x.root.line, "%v", err)
			}
			switch why := x.failure(m); {
			case why != "":
				b.Fail(int32(at), int32(k), why)
			case m.stopped || !took && !x.options.Ignore:
			default:
				b.Edge(int32(at), int32(k), x.number(m))
			}
		}
	}
	return b.System(x.name, 0), nil
}

// failure says why a machine is in the error; "" if it is not.
func (x *explorer) failure(m *machine) string {
	if m.failure == "" && x.options.FailingState != nil {
		for _, s := range sorted(m.config) {
			if x.options.FailingState(s.id) {
				return "state " + s.id
			}
		}
	}
	return m.failure
}

func (x *explorer) number(m *machine) int32 {
	key := m.key()
	n, ok := x.numbers[key]
	if !ok {
		n = int32(len(x.rests))
		x.numbers[key] = n
		x.rests = append(x.rests, m)
	}
	return n
}

func (m *machine) clone() *machine {
	n := *m
	n.config, n.memory, n.data, n.queue = maps.Clone(m.config), maps.Clone(m.memory), maps.Clone(m.data), slices.Clone(m.queue)
	return &n
}

// key is what tells machines at rest apart.
func (m *machine) key() string {
	var b []byte
	if !m.running {
		return "ended"
	}
	for _, s := range sorted(m.config) {
		b = strconv.AppendInt(b, int64(s.order), 10)
		b = append(b, ' ')
	}
	for _, s := range m.all {
		if list := m.memory[s]; s.history() && list != nil {
			b = append(b, 'h')
			for _, r := range list {
				b = strconv.AppendInt(b, int64(r.order), 10)
				b = append(b, ' ')
			}
			b = append(b, ';')
		} else if s.history() {
			b = append(b, '-')
		}
	}
	for _, d := range m.chart.data {
		b = append(b, m.data[d.name].String()...)
		b = append(b, ' ')
	}
	return string(b)
}
