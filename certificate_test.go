// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file checks certificates of the corpus: every one passes, with the
// embedded solver and as files with others, and none passes after a change that
// makes the interface or its evidence wrong.

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine"
	"github.com/interlock-go/interlock/internal/engine/problem"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

// A certified is a component of the corpus with its interface.
type certified struct {
	name   string
	config task
	iface  *typestate.Interface
}

// loops is the number of random inputs.
func loops(usual, ci int) int { return corpus.Loops(usual, ci) }

func embedded() (solve.Solver, error) { return bv.New(bv.Options{Conflicts: 100_000}), nil }

// certifiedCorpus returns the components of the corpus that the engine has an
// interface for; of a sample under the race detector.
func certifiedCorpus(t *testing.T, engine string) []certified {
	t.Helper()
	cases, err := corpus.Load("testdata/corpus")
	if err != nil {
		t.Fatal(err)
	}
	var out []certified
	for n, c := range cases {
		if corpus.Race && n%12 > 0 {
			continue
		}
		conf := task{Filename: c.File, Source: []byte(c.Source), Options: interlock.Options{Engine: engineNamed(engine), Certificate: true}}
		conf.Serial, conf.Tight, conf.Width = c.Has("-serial"), c.Has("-tight"), c.Width()
		i, err := conf.infer()
		if err != nil {
			if engine == "" {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		out = append(out, certified{c.Name, conf, i})
	}
	return out
}

func (c certified) check(t *testing.T, i *typestate.Interface, opt cert.Options) *cert.Report {
	t.Helper()
	p, err := prog.Parse(c.config.Filename, c.config.Source, prog.Options{Width: c.config.Width})
	if err != nil {
		t.Fatal(err)
	}
	r, err := cert.Check(context.Background(), p, i, embedded, opt)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return r
}

// TestPromisedCertificate has a certificate that rests on a promise: it does not
// pass for the component without.
func TestPromisedCertificate(t *testing.T) {
	const source = `component Window
		state off, n int64 = any, last int8 = 0
		%s
		method Read() (ok bool) {
			last = 0
			if off >= n { return false }
			var c int64 = any
			assume c >= 0 && c <= 4
			assume n - off <= 0 || c > 0
			off = off + c
			last = int8(c)
			return true
		}
		method Unread() { if last == 0 { error "nothing was read" }; off = off - int64(last); last = 0 }`
	conf := task{Filename: "window.open", Source: fmt.Appendf(nil, source, "invariant off >= 0"), Options: interlock.Options{Engine: interlock.Cegar{}, Certificate: true}}
	i, err := conf.infer()
	if err != nil {
		t.Fatal(err)
	}
	c := certified{"window", conf, i}
	if r := c.check(t, i, cert.Options{}); i.Guarantees.Safe != "proved" || !r.OK() {
		t.Errorf("safe: %s, %d obligations are not proved", i.Guarantees.Safe, r.Count(cert.Refuted)+r.Count(cert.Unknown))
	}
	c.config.Source = fmt.Appendf(nil, source, "")
	p, err := prog.Parse("window.open", c.config.Source, prog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	i.Component.Program, i.Certificate.Program = p.Hash(), p.Hash()
	if r := c.check(t, i, cert.Options{}); r.Count(cert.Refuted) == 0 {
		t.Errorf("the certificate passes without what it rests on")
	}
}

func TestCertificates(t *testing.T) {
	ci := os.Getenv("CI") == "true"
	var all []certified
	var small []certified // that are quickly checked many times
	for _, engine := range []string{"", "cegar"} {
		with := 0
		for _, c := range certifiedCorpus(t, engine) {
			if c.iface.Certificate == nil {
				if !c.config.Serial {
					t.Errorf("%s %s: no certificate: %v", engine, c.name, c.iface.Stats)
				}
				r, err := c.config.report()
				if err != nil {
					t.Fatal(err)
				}
				if why := r.NoCertificate; !strings.Contains(why, "infinite-word") {
					t.Errorf("%s %s: no certificate because %s", engine, c.name, why)
				}
				continue
			}
			with++
			all = append(all, c)
			if g := c.iface.Guarantees; g.Safe != "proved" || g.Permissive != "proved" || g.Tight == typestate.GuaranteeClaimed {
				t.Errorf("%s %s: %+v %v", engine, c.name, g, c.iface.Stats)
			}
			if large := len(c.iface.Certificate.Nodes) > 12; large && !ci {
				continue // Synthesize has checked it
			}
			r := c.check(t, c.iface, cert.Options{})
			if o := r.First(); o != nil {
				t.Errorf("%s %s: %d of %d obligations: %s: %s: %v: %s", engine, c.name, r.Count(cert.Refuted)+r.Count(cert.Unknown), len(r.Obligations), o.Name, o.What, o.Verdict, o.Detail)
			}
			if len(c.iface.Certificate.Nodes) <= 12 && (ci || with%5 == 0 || words(c.iface)) {
				small = append(small, c)
			}
		}
		if with < 100 && !corpus.Race {
			t.Errorf("engine %q: %d certificates", engine, with)
		}
	}
	if corpus.Race {
		return
	}
	wide := wideComponents(t)
	small = append(small, wide...)
	if ci { // everything
		all = append(all, wide...)
	} else {
		all = nil
		for n, c := range small {
			if n%3 == 0 {
				all = append(all, c)
			}
		}
	}
	t.Run("mutants", func(t *testing.T) { testMutants(t, small) })
	t.Run("z3", func(t *testing.T) { testFiles(t, all, "z3", "-in") })
	t.Run("cvc5", func(t *testing.T) { testFiles(t, all, "cvc5", "--lang=smt2", "--incremental", "-") })
}

// wideSources are components with integers that cannot be enumerated and with
// loops; those with a state variable n need the convention no-wrap.
var wideSources = []struct{ name, source string }{
	{"count", `component Count
		state ticks intW = 0
		method tick() { ticks++ }
		method fire() { if ticks != 5 { error "not five" }; ticks = 0 }`},
	{"iterator", `component Iterator
		state n intW = 0, last intW = -1
		method next() { last = n; n++ }
		method remove() { if last < 0 { error "no element" }
			if last < n { n-- }
			last = -1
		}
		method set() { if last < 0 { error "no element" } }
		method add() { n++; last = -1 }`},
	{"counting in a loop", `component Loop
		state n intW = 0
		method fill() { n++; var more bool = any; while more { n++; more = any } }
		method take() { if n <= 0 { error "empty" } }
		method clear() { n = 0 }`},
	{"retry", `component Retry
		state tries intW = 0, done bool = false
		method try() (ok bool) { if done || tries >= 3 { error "give up" }; ok = any; done = ok; tries++ }
		method reset() { tries = 0; done = false }`},
	{"until the environment says so", `component Wait
		state open bool = false, buf intW = 0
		method wait() (ok bool) { var k bool = any; while !k { buf = any; k = any }; open = any; return open }
		method get() { if !open { error "closed" } }
		method close() { var i intW = 0; while i < 10 { i++; open = false }; open = false }`},
	{"hidden", `component Hidden
		state a intW = 0
		method acq() { var c bool = choose; if a == 0 && c { a = choose; assume a != 0 } }
		method read() { if a == 0 { error "not held" } }
		method rel() { a = 0 }`},
	{"the same id", `component Lock
		state held bool, cur intW
		method acquire(id intW) { if held { error "held" }; held, cur = true, id }
		method release(id intW) { if !held || id != cur { error "not yours" }; held = false }`},
	{"a sequence number", `component Sequence
		state last intW
		method send(k intW) { if k <= last { error "not newer" }; last = k }
		method reset() { last = 0 }`},
	{"a negotiated length", `component Length
		state max intW, ready bool
		method negotiate(k intW) { if k <= 0 { error "bad length" }; max, ready = k, true }
		method write(len intW) { if !ready { error "not negotiated" }; if len < 0 || len > max { error "too long" } }
		method close() { ready = false }`},
	{"mixed parameters", `component Mixed
		state x intW = 10
		method init(p intW) { x = p }
		method foo(q intW) { if q > x { error "too large" } }`},
	{"two calls", `component TwoCalls
		state first bool = true, x intW
		method a(p intW) { if first { first, x = false, p } else if p != x { error "differs" } }`},
	{"tickets", `component Tickets
		state next intW, closed bool
		constructor New(first intW) { next = first }
		method use(k intW) { if closed || k != next { error "wrong ticket" }; next = next + 1 }
		method close() { closed = true }`},
	{"a handle that was returned", `component Files
		state fd intW, opened bool
		method open() (id intW) { if opened { error "twice" }; var x intW = any; fd, opened = x, true; return x }
		method close(h intW) { if !opened || h != fd { error "bad handle" }; opened = false }`},
	{"a window", `component Window
		state lo intW, hi intW
		method set(a intW, b intW) { if a > b { error "empty" }; lo, hi = a, b }
		method get(i intW) { if i < lo || i > hi { error "outside" } }`},
	{"a payment", `component Payment
		enum phase { idle, authorized, captured }
		state p phase = idle, amount intW, id intW
		method authorize(who intW, max intW) (ok bool) {
			if p != idle { error "busy" }
			if max <= 0 { error "amount" }
			ok = any
			if ok { p, amount, id = authorized, max, who }
		}
		method capture(who intW, a intW) {
			if p != authorized { error "not authorized" }
			if who != id { error "other client" }
			if a <= 0 || a > amount { error "too much" }
			p, amount = captured, a
		}
		method refund(a intW) {
			if p != captured { error "not captured" }
			if a != amount { error "not the amount" }
			p = idle
		}`},
	{"a price kept through a loop", `component Shop
		state price intW, open bool
		method offer(p intW) { if p <= 0 { error "free" }; price, open = p, true }
		method look() { var more bool = any; while more { more = any } }
		method pay(x intW) { if !open || x < price { error "too little" }; open = false }`},
}

// wideComponents certifies them at 32 and 64 bits.
func wideComponents(t *testing.T) []certified {
	t.Helper()
	var out []certified
	for _, width := range []string{"int32", "int64"} {
		for _, w := range wideSources {
			conf := task{Filename: "wide.open", Source: []byte(strings.ReplaceAll(w.source, "intW", width)), Options: interlock.Options{Engine: interlock.Cegar{}, Certificate: true, Assume: noWrap(true)}}
			c := certified{name: w.name + " " + width, config: conf}
			var err error
			if c.iface, err = conf.infer(); err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			needs := strings.Contains(w.source, "state n ")
			if g := c.iface.Guarantees; c.iface.Certificate == nil || g.Safe != "proved" || g.Permissive != "proved" || len(c.iface.Unknown) > 0 || needs != (len(c.iface.Conventions) > 0) {
				t.Errorf("%s: %+v %q %v %v", c.name, g, c.iface.Conventions, c.iface.Unknown, c.iface.Stats)
				continue
			}
			if o := c.check(t, c.iface, cert.Options{}).First(); o != nil {
				t.Errorf("%s: %s: %s: %v: %s", c.name, o.Name, o.What, o.Verdict, o.Detail)
			}
			out = append(out, c)
		}
	}
	return out
}

// words reports whether a node of a certificate tells single words apart: it has
// sets that come from others.
func words(i *typestate.Interface) bool {
	return slices.ContainsFunc(i.Certificate.Nodes, func(n typestate.Node) bool {
		return len(n.Sets) > 1 && slices.ContainsFunc(n.Sets, func(s typestate.Set) bool {
			return slices.ContainsFunc(s.From, func(f typestate.Support) bool { return f.Set >= 0 })
		})
	})
}

// A mutation changes an interface or its certificate; it reports false if there
// is nothing to change. A mutation of the interface makes it wrong.
type mutation struct {
	name  string
	wrong bool // it must be rejected, else only sometimes
	form  bool // its form is reason enough
	do    func(r *rand.Rand, i *typestate.Interface) bool
}

// pick returns a number below n, or false if there is none.
func pick(r *rand.Rand, n int) (int, bool) {
	if n == 0 {
		return 0, false
	}
	return r.Intn(n), true
}

func mutations() []mutation {
	node := func(do func(r *rand.Rand, n *typestate.Node, i *typestate.Interface) bool) func(*rand.Rand, *typestate.Interface) bool {
		return func(r *rand.Rand, i *typestate.Interface) bool {
			nodes := i.Certificate.Nodes
			for _, k := range r.Perm(len(nodes)) {
				if do(r, &nodes[k], i) {
					return true
				}
			}
			return false
		}
	}
	return []mutation{
		{"drop a forbidden call", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			k, ok := pick(r, len(i.Forbidden))
			if ok {
				i.Forbidden = slices.Delete(i.Forbidden, k, k+1)
			}
			return ok
		}},
		{"forbid an allowed call", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			k, ok := pick(r, len(i.Edges))
			if !ok {
				return false
			}
			e := i.Edges[k]
			if i.Verdict(e.From, e.Call) != typestate.VerdictAllowed {
				return false
			}
			i.Edges = slices.DeleteFunc(i.Edges, func(x typestate.Edge) bool { return x.From == e.From && x.Call == e.Call })
			i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: e.From, Call: e.Call, Verdict: "may-fail"})
			for n := range i.Certificate.Nodes {
				if x := &i.Certificate.Nodes[n]; x.State == e.From {
					for s := range x.Sets {
						x.Sets[s].Errs = append(x.Sets[s].Errs, typestate.SetError{Call: e.Call, Args: "true"})
					}
				}
			}
			return true
		}},
		{"redirect an edge", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			k, ok := pick(r, len(i.Edges))
			if !ok || len(i.States) < 2 {
				return false
			}
			i.Edges[k].To = (i.Edges[k].To + 1) % len(i.States)
			return true
		}},
		{"drop an edge", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			k, ok := pick(r, len(i.Edges))
			if ok {
				i.Edges = slices.Delete(i.Edges, k, k+1)
			}
			return ok
		}},
		{"redirect an edge and all evidence", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			k, ok := pick(r, len(i.Edges))
			if !ok || len(i.States) < 2 {
				return false
			}
			e := &i.Edges[k]
			to := (e.To + 1) % len(i.States)
			target := slices.IndexFunc(i.Certificate.Nodes, func(n typestate.Node) bool { return n.State == to })
			for n := range i.Certificate.Nodes {
				x := &i.Certificate.Nodes[n]
				for j := range x.Next {
					y := &x.Next[j]
					if x.State != e.From || y.Call != e.Call || i.Certificate.Nodes[y.Node].State != e.To {
						continue
					}
					old := &i.Certificate.Nodes[y.Node]
					for s := range old.Sets {
						old.Sets[s].From = slices.DeleteFunc(old.Sets[s].From, func(f typestate.Support) bool { return f.Node == n && f.Edge == j })
					}
					y.Node = target
					now := &i.Certificate.Nodes[target]
					for s := range now.Sets {
						now.Sets[s].From = append(now.Sets[s].From, typestate.Support{Node: n, Edge: j, Set: -1})
					}
				}
			}
			e.To = to
			return true
		}},
		{"change fails and may-fail", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			k, ok := pick(r, len(i.Forbidden))
			if ok {
				f := &i.Forbidden[k]
				f.Verdict = map[string]string{"fails": "may-fail", "may-fail": "fails"}[f.Verdict]
			}
			return ok
		}},
		{"another program", true, true, func(r *rand.Rand, i *typestate.Interface) bool {
			hash := "sha256:" + strings.Repeat("0", 64)
			i.Component.Program, i.Certificate.Program = hash, hash
			return true
		}},
		{"drop a convention", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			k, ok := pick(r, len(i.Conventions))
			if ok {
				i.Conventions = slices.Delete(i.Conventions, k, k+1)
			}
			return ok
		}},
		{"another convention", true, true, func(r *rand.Rand, i *typestate.Interface) bool {
			k, ok := pick(r, len(i.Conventions))
			if ok {
				i.Conventions[k] += " or not"
			}
			return ok
		}},
		{"another guard", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			for k := 1; k < len(i.Calls); k++ {
				if a, b := &i.Calls[k-1], &i.Calls[k]; a.Method == b.Method {
					a.Guard, b.Guard = b.Guard, a.Guard
					return true
				}
			}
			return false
		}},
		{"another update", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			for _, k := range r.Perm(len(i.Edges)) {
				for name, text := range i.Edges[k].Update {
					i.Edges[k].Update[name] = "(" + text + ") + 1"
					return true
				}
			}
			for k := range i.Constructors {
				for name, text := range i.Constructors[k].Update {
					i.Constructors[k].Update[name] = "(" + text + ") - 1"
					return true
				}
			}
			return false
		}},
		{"no update", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			for _, k := range r.Perm(len(i.Edges)) {
				e := &i.Edges[k]
				for name := range e.Update {
					if slices.ContainsFunc(i.States[e.From].Registers, func(r typestate.Register) bool { return r.Name == name }) && e.Update[name] != "p" {
						delete(e.Update, name)
						return true
					}
				}
			}
			return false
		}},
		{"a register where nothing is known", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			for s := range i.States {
				if len(i.States[s].Registers) > 0 {
					continue
				}
				for _, o := range i.States {
					if len(o.Registers) == 0 {
						continue
					}
					i.States[s].Registers = slices.Clone(o.Registers)
					value := func(update *map[string]string, to int) {
						if to == s && *update == nil {
							*update = map[string]string{}
						}
						for _, r := range o.Registers {
							if to == s {
								(*update)[r.Name] = "1"
							}
						}
					}
					for k := range i.Edges {
						value(&i.Edges[k].Update, i.Edges[k].To)
					}
					for k := range i.Constructors {
						if to := i.Constructors[k].State; to != nil {
							value(&i.Constructors[k].Update, *to)
						}
					}
					return true
				}
			}
			return false
		}},
		{"weaken a label", false, false, node(func(r *rand.Rand, n *typestate.Node, _ *typestate.Interface) bool {
			n.Label = "true"
			return true
		})},
		{"strengthen a label", true, false, node(func(r *rand.Rand, n *typestate.Node, _ *typestate.Interface) bool {
			n.Label = "false"
			return true
		})},
		{"swap the labels of nodes", false, false, func(r *rand.Rand, i *typestate.Interface) bool {
			nodes := i.Certificate.Nodes
			if len(nodes) < 3 {
				return false
			}
			a, b := &nodes[1], &nodes[2+r.Intn(len(nodes)-2)]
			a.Label, b.Label = b.Label, a.Label
			return a.Label != b.Label
		}},
		{"swap the states of nodes", true, false, func(r *rand.Rand, i *typestate.Interface) bool {
			nodes := i.Certificate.Nodes
			if len(nodes) < 3 {
				return false
			}
			a, b := &nodes[1], &nodes[2+r.Intn(len(nodes)-2)]
			a.State, b.State = b.State, a.State
			return a.State != b.State
		}},
		{"drop the sets of a node", true, false, node(func(r *rand.Rand, n *typestate.Node, i *typestate.Interface) bool {
			if !slices.ContainsFunc(n.Sets, func(s typestate.Set) bool { return len(s.Errs) > 0 }) {
				return false
			}
			n.Sets = nil
			return true
		})},
		{"empty a set", true, false, node(func(r *rand.Rand, n *typestate.Node, _ *typestate.Interface) bool {
			k, ok := pick(r, len(n.Sets))
			if ok {
				n.Sets[k].Formula = "false"
			}
			return ok
		})},
		{"widen a set", false, false, node(func(r *rand.Rand, n *typestate.Node, _ *typestate.Interface) bool {
			k, ok := pick(r, len(n.Sets))
			if ok {
				n.Sets[k].Formula = "true"
			}
			return ok
		})},
		{"drop a support", true, true, node(func(r *rand.Rand, n *typestate.Node, _ *typestate.Interface) bool {
			k, ok := pick(r, len(n.Sets))
			if !ok || len(n.Sets[k].From) == 0 {
				return false
			}
			n.Sets[k].From = n.Sets[k].From[1:]
			return true
		})},
		{"another support", false, false, node(func(r *rand.Rand, n *typestate.Node, i *typestate.Interface) bool {
			for k := range n.Sets {
				for j := range n.Sets[k].From {
					f := &n.Sets[k].From[j]
					if all := len(i.Certificate.Nodes[f.Node].Sets); all > 1 && f.Set >= 0 {
						f.Set = (f.Set + 1) % all
						return true
					}
				}
			}
			return false
		})},
		{"drop an edge of a node", true, false, node(func(r *rand.Rand, n *typestate.Node, i *typestate.Interface) bool {
			if len(n.Next) == 0 {
				return false
			}
			n.Next[len(n.Next)-1].Args = "false"
			return true
		})},
		{"narrow an invariant", false, false, node(func(r *rand.Rand, n *typestate.Node, _ *typestate.Interface) bool {
			k, ok := pick(r, len(n.Heads))
			if ok {
				n.Heads[k].Formula = "false"
			}
			return ok
		})},
	}
}

// testMutants changes certified interfaces one at a time. A mutant that claims
// something else is rejected; one that only has other evidence may pass if that is
// evidence too, but no mutation always does. Where verdicts are unknown, another
// interface may be true as well.
func testMutants(t *testing.T, list []certified) {
	for _, m := range mutations() {
		r := rand.New(rand.NewSource(1))
		tried, rejected := 0, 0
		why := map[string]int{}
		for _, c := range list {
			i := c.iface.Clone()
			if len(i.Unknown) > 0 || !m.do(r, i) {
				continue
			}
			tried++
			switch o := c.check(t, i, cert.Options{First: true}).First(); {
			case o != nil:
				rejected++
				why[o.Kind]++
			case m.wrong:
				t.Errorf("%s: %s: accepted", c.name, m.name)
			}
		}
		if form := why["form"]; rejected == 0 || rejected == form && !m.form {
			t.Errorf("%s: %d tried, %d rejected, %d for their form", m.name, tried, rejected, form)
		}
		t.Logf("%s: %d tried, %d rejected %v", m.name, tried, rejected, why)
	}
}

// testFiles gives the obligations to another solver.
func testFiles(t *testing.T, list []certified, name string, args ...string) {
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	total := 0
	for _, c := range list {
		files, err := c.check(t, c.iface, cert.Options{}).SMT2()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		// All in one process: scopes instead of resets, which take a hundred times
		// as long as the questions.
		var script, want strings.Builder
		script.WriteString("(set-logic QF_BV)\n")
		for _, f := range files {
			if strings.HasSuffix(f.Name, ".smt2") {
				text := strings.Replace(string(f.Data), "(set-logic QF_BV)\n", "", 1)
				script.WriteString("(push 1)\n" + text + "(pop 1)\n")
				_, status, _ := strings.Cut(string(f.Data), "(set-info :status ")
				status, _, _ = strings.Cut(status, ")")
				want.WriteString(status + "\n")
				total++
				continue
			}
			for line := range strings.SplitSeq(string(f.Data), "\n") {
				if strings.Contains(line, "no choices are known") {
					t.Errorf("%s: %s", c.name, line)
				}
			}
		}
		cmd := exec.Command(path, args...)
		cmd.Stdin = strings.NewReader(script.String())
		got, err := cmd.CombinedOutput()
		if err != nil || string(got) != want.String() {
			t.Errorf("%s: %v: answers differ from what is expected:\n%s", c.name, err, got)
		}
	}
	t.Logf("%d obligations", total)
}

// TestCertificatesOfRandomComponents certifies generated components, and holds
// their mutants to be rejected.
func TestCertificatesOfRandomComponents(t *testing.T) {
	seeds := loops(40, 500)
	var list []certified
	for seed := range seeds {
		source := corpus.Random(int64(seed), corpus.RandomOptions{})
		for _, engine := range []string{"direct", "cegar"} {
			conf := task{Filename: "random.open", Source: []byte(source), Options: interlock.Options{Engine: engineNamed(engine), Certificate: true}}
			i, err := conf.infer()
			if err != nil {
				if engine == "direct" {
					t.Errorf("seed %d: %v\n%s", seed, err, source)
				}
				continue
			}
			c := certified{fmt.Sprintf("%s seed %d", engine, seed), conf, i}
			if i.Certificate == nil {
				t.Errorf("%s: no certificate", c.name)
				continue
			}
			if g := i.Guarantees; g.Safe != "proved" || g.Permissive != "proved" {
				o := c.check(t, i, cert.Options{}).First()
				t.Errorf("%s: %s: %s: %v: %s\n%s", c.name, o.Name, o.What, o.Verdict, o.Detail, source)
			}
			list = append(list, c)
		}
	}
	if !corpus.Race {
		testMutants(t, append(list, wideComponents(t)...))
	}
}

// TestTightOnABudget checks certificates of interfaces that were being made tight when the budget ran out.
func TestTightOnABudget(t *testing.T) {
	checked := 0
	for seed := range int64(loops(40, 100)) {
		p, err := prog.Parse("random.open", []byte(corpus.RandomNFA(seed, corpus.NFAOptions{}).Source()), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, plain := range []bool{false, true} {
			for budget := 1 << 9; budget < 1<<14; budget *= 2 {
				i, err := engine.Synthesize(context.Background(), problem.Problem{Program: p, Engine: "cegar", Solver: newEmbedded, Plain: plain, Tight: true, Budget: budget, Certificate: true})
				if err != nil || i.Certificate == nil {
					continue
				}
				r, err := cert.Check(context.Background(), p, i, embedded, cert.Options{First: true})
				if err != nil {
					t.Fatal(err)
				}
				checked++
				if o := r.First(); o != nil && o.Verdict == cert.Refuted {
					t.Errorf("seed %d, plain %v, budget %d: %s is refuted; tight is %s", seed, plain, budget, o.Name, i.Guarantees.Tight)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no certificate was checked")
	}
}

func newEmbedded() solve.Solver { return bv.New(bv.Options{Conflicts: 100_000}) }
