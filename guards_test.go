// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file checks certificates of interfaces whose guards and outcomes are classes
// of integers that cannot be enumerated.

import (
	"context"
	"strings"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
)

func TestCertificatesOfGuards(t *testing.T) {
	for _, c := range []struct{ name, source string }{
		{"guards of two calls", `component Xor2
			state b int32 = 2
			method set(p int32) { if p > 0 { b = 1 } else { b = 0 } }
			method chk(q int32) { if b != 2 && (q > 0) != (b == 1) { error "differs" } }`},
		{"a guard that a loop forgets", `component Sum
			state open bool = true
			method add(k int32) {
				if k < 0 || k > 100 { error "range" }
				if !open { error "closed" }
				while k > 0 { k = k - 1 }
			}
			method close() { open = false }`},
		{"classes of results", `component Draw
			state won int32 = 0
			method draw() (n int32) { n = any; assume n >= 0; won = n }
			method pay() { if won == 0 { error "nothing won" }; won = 0 }`},
		{"a choice hidden beside results", `component Hid
			state f bool = false, x int32 = 0
			method get() (n int32) { n = any; f = choose; x = n }
			method use() { if f { error "x" } }
			method pos(k int16) { if x > 0 && f && k < 5 { error "p" } }`},
		{"results that depend on arguments", `component Range
			state bad bool = false
			method get(k int32) (n int32) { if k < 0 { error "negative" }; n = any; assume 0 <= n && n <= k; bad = choose }
			method use() { if bad { error "bad" } }`},
		{"guards of a constructor", `component Buf
			state max int64 = 0, off int64 = 0
			constructor New(size int64) { if size <= 0 { error "bad size" }; max = size }
			constructor Copy(other bool, n uint16) (ok bool) { ok = n > 3 || other; max = 1; if !ok { max = 0 } }
			method use() { if max == 0 { error "empty" } }`},
	} {
		conf := task{Filename: "x.open", Source: []byte(c.source), Options: interlock.Options{Engine: interlock.Cegar{}, Certificate: true}}
		i, err := conf.infer()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		certified{c.name, conf, i}.passes(t)
		if i.Guarantees.Safe != "proved" || i.Guarantees.Permissive != "proved" || len(i.Unknown) > 0 {
			t.Errorf("%s: %+v, unknown %v", c.name, i.Guarantees, i.Unknown)
		}
	}
}

// TestJudgeOfResults gives the judge certificates of another component, of which
// what is certain does not hold for every result that a client can see.
func TestJudgeOfResults(t *testing.T) {
	const right = `component Range
		state bad bool = false
		method get(k int32) (n int32) { if k < 0 { error "negative" }; n = any; assume 0 <= n && n <= k; bad = choose }
		method use() { if bad { error "bad" } }`
	i, err := task{Filename: "x.open", Source: []byte(right), Options: interlock.Options{Engine: interlock.Cegar{}, Certificate: true}}.infer()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, old, new string
		ok             bool
	}{
		{"the same", "bad = choose", "bad = choose", true},
		{"what else happens is the same", "bad = choose", "bad = any", true},
		{"a result tells", "bad = choose", "bad = n > 3", false},
		{"a result tells, and an argument", "bad = choose", "bad = n < k", false},
		{"one result is quiet", "bad = choose", "bad = choose; assume !bad || n != 7", false},
		{"another state returns it", "bad = choose", "bad = choose; assume !bad || n < 5", false},
		{"a result that cannot be", "bad = choose", "bad = choose; assume !bad || n != 0 - 1", true},
	} {
		source := strings.Replace(right, c.old, c.new, 1)
		p, err := prog.Parse("x.open", []byte(source), prog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		j := *i
		j.Component.Program = p.Hash()
		proof := *i.Certificate
		proof.Program = p.Hash()
		j.Certificate = &proof
		r, err := cert.Check(context.Background(), p, &j, func() (solve.Solver, error) { return bv.New(bv.Options{}), nil }, cert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.OK() != c.ok {
			t.Errorf("%s: accepted: %v", c.name, r.OK())
		}
	}
}
