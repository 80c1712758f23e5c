// SPDX-License-Identifier: Apache-2.0

package term

import (
	"strconv"
	"testing"
)

// path is the formula of n steps of a counter, as unrolled loops make them.
func path(p *Pool, n int) *Term {
	i, k := p.Var("i", BV(32)), p.Var("k", BV(32))
	x := i
	var cs []*Term
	for s := range n {
		e := p.Var("e"+strconv.Itoa(s), BV(32))
		cs = append(cs, p.SLt(x, k), p.Ne(e, x))
		x = p.Ite(p.ULt(e, p.Int(32, 10)), p.Add(x, p.Int(32, 1)), p.Sub(x, e))
	}
	return p.And(append(cs, p.Eq(x, k))...)
}

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		path(NewPool(), 1000)
	}
}

func BenchmarkRebuild(b *testing.B) { // everything is found
	p := NewPool()
	path(p, 1000)
	for b.Loop() {
		path(p, 1000)
	}
}

func BenchmarkEvalSmall(b *testing.B) {
	p := NewPool()
	t := path(p, 5)
	m := Model{p.Var("k", BV(32)): {Lo: 5}}
	for b.Loop() {
		Eval(t, m)
	}
}

func BenchmarkEvalLarge(b *testing.B) {
	p := NewPool()
	t := path(p, 1000)
	m := Model{p.Var("k", BV(32)): {Lo: 5}}
	for b.Loop() {
		Eval(t, m)
	}
}

func BenchmarkSubstitute(b *testing.B) {
	p := NewPool()
	t := path(p, 1000)
	m := map[*Term]*Term{p.Var("k", BV(32)): p.Int(32, 5)}
	for b.Loop() {
		p.Substitute(t, m)
	}
}
