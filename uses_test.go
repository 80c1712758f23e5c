// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file tests components that use others by their interfaces. The oracle is
// a component that does nothing but call: its interface is the one it uses.

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/typestate"
)

// forward writes a component that calls each method of p by its interface.
func forward(p *prog.Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "component Forward\nuses sub from \"sub.json\"\n")
	for _, e := range p.Enums {
		fmt.Fprintf(&b, "enum %s { %s }\n", e.Name, strings.Join(e.Values, ", "))
	}
	method := func(what string, m *prog.Method) {
		list := func(vars []*prog.Var) (names, decls string) {
			var n, d []string
			for _, v := range vars {
				n, d = append(n, v.Name), append(d, v.Name+" "+v.Type.String())
			}
			return strings.Join(n, ", "), strings.Join(d, ", ")
		}
		params, declared := list(m.Params)
		results, returned := list(m.Results)
		if results != "" {
			results += " = "
		}
		fmt.Fprintf(&b, "%s %s(%s) (%s) { %ssub.%s(%s) }\n", what, m.Name, declared, returned, results, m.Name, params)
	}
	for _, m := range p.Constructors {
		if !m.Implicit {
			method("constructor", m)
		}
	}
	for _, m := range p.Methods {
		method("method", m)
	}
	return b.String()
}

func infer(t *testing.T, source string, tight bool, used *typestate.Interface) *typestate.Interface {
	t.Helper()
	i, err := task{Filename: "x.open", Source: []byte(source), Uses: func(string) (*typestate.Interface, error) { return used, nil }, Options: interlock.Options{Tight: tight, Limits: interlock.Limits{Workers: 1, Steps: 1 << 18}}}.infer()
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	if err := i.Validate(); err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return i
}

func TestUsesForward(t *testing.T) {
	count := int64(loops(60, 600))
	for seed := range count {
		source := corpus.Random(seed, corpus.RandomOptions{})
		p, err := prog.Parse("sub.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sub := infer(t, source, seed%2 == 0, nil)
		text := forward(p)
		i := infer(t, text, false, sub)
		if d := typestate.Compare(i, sub); d.Kind != typestate.CompareEqual {
			t.Errorf("seed %d: %v %v %v %v\n%s\n%s", seed, d.Kind, d.Reasons, d.AllowedByA, d.AllowedByB, source, text)
		}
		if i.Guarantees.Safe != "proved" {
			t.Errorf("seed %d: %+v", seed, i.Guarantees)
		}
		if sub.Guarantees.Tight != "yes" && i.Guarantees.Permissive != "unknown" {
			t.Errorf("seed %d: permissive %s of an interface that is not tight", seed, i.Guarantees.Permissive)
		}
	}
}

const lockText = `component Lock
state held bool = false
method acquire() { if held { error "held" }; held = true }
method release() { if !held { error "free" }; held = false }
`

// TestUsesGuarantees: what is claimed is the least of what is claimed of the
// parts.
func TestUsesGuarantees(t *testing.T) {
	const user = `component User
uses l from "lock.json"
method enter() { l.acquire() }
method leave() { l.release() }
`
	sub := infer(t, lockText, true, nil)
	five := 5
	for _, c := range []struct {
		name   string
		change func(*typestate.Interface)
		want   typestate.Guarantees
	}{
		{"proved", func(*typestate.Interface) {}, typestate.Guarantees{Safe: "proved", Permissive: "proved", Tight: "yes"}},
		{"not tight", func(i *typestate.Interface) { i.Guarantees.Tight = "no" }, typestate.Guarantees{Safe: "proved", Permissive: "unknown", Tight: "unknown"}},
		{"not safe", func(i *typestate.Interface) { i.Guarantees.Safe = "no" }, typestate.Guarantees{Safe: "no", Permissive: "proved", Tight: "yes"}},
		{"bounded", func(i *typestate.Interface) {
			i.Guarantees.Permissive, i.Guarantees.Depth = "checked to depth 5", &five
		}, typestate.Guarantees{Safe: "proved", Permissive: "checked to depth 5", Tight: "yes", Depth: &five}},
		{"a verdict that is not known", func(i *typestate.Interface) {
			f := i.Forbidden[0]
			i.Forbidden = i.Forbidden[1:]
			i.Unknown = append(i.Unknown, typestate.Unknown{State: f.State, Call: f.Call, Reason: "budget"})
		}, typestate.Guarantees{Safe: "proved", Permissive: "unknown", Tight: "yes"}},
	} {
		u := sub.Clone()
		c.change(u)
		i := infer(t, user, true, u)
		g := i.Guarantees
		if g.Safe != c.want.Safe || g.Permissive != c.want.Permissive || g.Tight != c.want.Tight || (g.Depth == nil) != (c.want.Depth == nil) {
			t.Errorf("%s: %+v, want %+v", c.name, g, c.want)
		}
		if len(i.States) != 2 || len(i.Forbidden) != 2 {
			t.Errorf("%s: %d states, %d forbidden cells", c.name, len(i.States), len(i.Forbidden))
		}
		if len(i.Contracts) != 1 || i.Contracts[0] != "lock.json is the interface of Lock" {
			t.Errorf("%s: contracts %q", c.name, i.Contracts)
		}
	}
}

func TestUsesErrors(t *testing.T) {
	sub := infer(t, lockText, true, nil)
	serial := sub.Clone()
	serial.Component.Serial = true
	registers := sub.Clone()
	registers.States[0].Registers = []typestate.Register{{Name: "r", Type: "int8"}}
	registers.Constructors[0].Update = map[string]string{"r": "0"}
	for k := range registers.Edges {
		if registers.Edges[k].To == 0 {
			registers.Edges[k].Update = map[string]string{"r": "1"}
		}
	}
	broken := sub.Clone()
	broken.Format = "interlock/0"
	for _, c := range []struct {
		source, want string
		used         *typestate.Interface
	}{
		{"uses l from \"x.json\"\nmethod m() { l.open() }", "x.open:3:14: the interface of l has no method open", sub},
		{"uses l from \"x.json\"\nmethod m() { l.acquire(1) }", "x.open:3:14: l.acquire has 0 parameters, and 1 arguments are given", sub},
		{"method m() { l.acquire() }", "x.open:2:14: l.acquire: there is no line \"uses l from ...\"", sub},
		{"uses l from \"x.json\"\nuses l from \"y.json\"\nmethod m() { l.acquire() }", "x.open:3:1: uses l is declared twice", sub},
		{"uses l from x\nmethod m() { }", "x.open:2:13: expected the name of an interface file in double quotes", sub},
		{"uses l of \"x.json\"\nmethod m() { }", "x.open:2:8: expected \"from\"", sub},
		{"uses l from \"x.json\"\nstate l bool\nmethod m() { }", "already", sub},
		{"uses l from \"x.json\"\nmethod m() (r bool) { r, r = l.acquire() }", "twice", sub},
		{"uses l from \"x.json\"\nmethod m() (r bool) { return l.acquire() }", "expected", sub},
		{"uses l from \"x.json\"\nmethod m() { }", "uses l from \"x.json\": it has the infinite-word reading", serial},
		{"uses l from \"x.json\"\nmethod m() { }", "uses l from \"x.json\": it has registers", registers},
		{"uses l from \"x.json\"\nmethod m() { }", "uses l from \"x.json\": format: \"interlock/0\" is not", broken},
		{"uses l from \"x.json\"\nmethod m() { }", "uses l from \"x.json\": no such file", nil},
	} {
		_, err := task{Filename: "x.open", Source: []byte("component X\n" + c.source), Uses: func(string) (*typestate.Interface, error) {
			if c.used == nil {
				return nil, errors.New("no such file")
			}
			return c.used, nil
		}}.infer()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n\tgot  %v\n\twant %s", c.source, err, c.want)
		}
	}
	_, err := task{Filename: "x.open", Source: []byte("component X\nuses l from \"x.json\"\nmethod m() { }")}.infer()
	if want := "interface files cannot be read here"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("without a reader: %v, want %s", err, want)
	}
}
