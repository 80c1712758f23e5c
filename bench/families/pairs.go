// SPDX-License-Identifier: Apache-2.0

package main

// This file measures the same component as text and as Go. Go code is assumed not to wrap its counters, so
// that is assumed of the text too.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/bench/internal/text"
	"github.com/interlock-go/interlock/typestate"
)

// A twin is a component as text and as Go, each with the parts of a file that matter.
type twin struct{ name, text, code string }

func twins() []twin {
	return []twin{
		{"Iter", `constructor NewIter(k int64) { n = k }
state i int64 = 0, n int64 = 0
method HasNext() (ok bool) { return i < n }
method Next() { if i >= n { error "exhausted" }; i = i + 1 }`, `type Iter struct{ i, n int }
func NewIter(k int) *Iter { return &Iter{n: k} }
func (t *Iter) HasNext() bool { return t.i < t.n }
func (t *Iter) Next() { if t.i >= t.n { panic("exhausted") }; t.i++ }`},
		{"Buf", `constructor NewBuf(k uint32) { size = k }
state used uint32 = 0, size uint32 = 0
method Put() { if used == size { error "full" }; used = used + 1 }
method Get() { if used == 0 { error "empty" }; used = used - 1 }`, `type Buf struct{ used, size uint32 }
func NewBuf(k uint32) *Buf { return &Buf{size: k} }
func (t *Buf) Put() { if t.used == t.size { panic("full") }; t.used++ }
func (t *Buf) Get() { if t.used == 0 { panic("empty") }; t.used-- }`},
		{"Cnt", `constructor NewCnt() { }
state n uint64 = 0
method Inc() { if n == 4294967296 { error "limit" }; n = n + 1 }
method Dec() { if n == 0 { error "zero" }; n = n - 1 }`, `type Cnt struct{ n uint64 }
func NewCnt() *Cnt { return &Cnt{} }
func (t *Cnt) Inc() { if t.n == 1<<32 { panic("limit") }; t.n++ }
func (t *Cnt) Dec() { if t.n == 0 { panic("zero") }; t.n-- }`},
		{"Few", `constructor NewFew() { }
state n int64 = 0
method Inc() { if n == 16 { error "limit" }; n = n + 1 }
method Dec() { if n == 0 { error "zero" }; n = n - 1 }`, `type Few struct{ n int }
func NewFew() *Few { return &Few{} }
func (t *Few) Inc() { if t.n == 16 { panic("limit") }; t.n++ }
func (t *Few) Dec() { if t.n == 0 { panic("zero") }; t.n-- }`},
		{"Lock", `constructor NewLock() { }
state held bool = false
method Lock() { if held { error "twice" }; held = true }
method Unlock() { if !held { error "not held" }; held = false }`, `type Lock struct{ held bool }
func NewLock() *Lock { return &Lock{} }
func (t *Lock) Lock() { if t.held { panic("twice") }; t.held = true }
func (t *Lock) Unlock() { if !t.held { panic("not held") }; t.held = false }`},
		{"File", `constructor NewFile() { }
state open bool = false, writing bool = false
method Open(w bool) { if open { error "open" }; open, writing = true, w }
method Read() { if !open { error "closed" } }
method Write() { if !open || !writing { error "not for writing" } }
method Close() { if !open { error "closed" }; open = false }`, `type File struct{ open, writing bool }
func NewFile() *File { return &File{} }
func (t *File) Open(w bool) { if t.open { panic("open") }; t.open, t.writing = true, w }
func (t *File) Read() { if !t.open { panic("closed") } }
func (t *File) Write() { if !t.open || !t.writing { panic("not for writing") } }
func (t *File) Close() { if !t.open { panic("closed") }; t.open = false }`},
		{"Phase", `constructor NewPhase() { }
state phase int64 = 0
method Start() { if phase != 0 { error "started" }; phase = 7 }
method Work() { if phase != 7 { error "not started" } }
method Stop() { if phase != 7 { error "not started" }; phase = 9 }`, `type Phase struct{ phase int }
func NewPhase() *Phase { return &Phase{} }
func (t *Phase) Start() { if t.phase != 0 { panic("started") }; t.phase = 7 }
func (t *Phase) Work() { if t.phase != 7 { panic("not started") } }
func (t *Phase) Stop() { if t.phase != 7 { panic("not started") }; t.phase = 9 }`},
		{"Sem", `constructor NewSem() { }
state n int64 = 0
method Release() { n = n + 1 }
method Acquire() { if n == 0 { error "would block" }; n = n - 1 }`, `type Sem struct{ n int }
func NewSem() *Sem { return &Sem{} }
func (t *Sem) Release() { t.n++ }
func (t *Sem) Acquire() { if t.n == 0 { panic("would block") }; t.n-- }`},
		{"Cursor", `constructor NewCursor(k int64) { n = k }
state at int64 = 0, n int64 = 0
method Seek(k int64) { if k < 0 || k >= n { error "range" }; at = k }
method Back() { if at == 0 { error "beginning" }; at = at - 1 }`, `type Cursor struct{ at, n int }
func NewCursor(k int) *Cursor { return &Cursor{n: k} }
func (t *Cursor) Seek(k int) { if k < 0 || k >= t.n { panic("range") }; t.at = k }
func (t *Cursor) Back() { if t.at == 0 { panic("beginning") }; t.at-- }`},
		{"Flags", `constructor NewFlags() { }
state a int64 = 0, b int64 = 0, c int64 = 0
method A() { if a != 0 { error "a" }; a = 1 }
method B() { if a == 0 || b != 0 { error "b" }; b = 1 }
method C() { if b == 0 || c != 0 { error "c" }; c = 1 }
method Reset() { a, b, c = 0, 0, 0 }`, `type Flags struct{ a, b, c int }
func NewFlags() *Flags { return &Flags{} }
func (t *Flags) A() { if t.a != 0 { panic("a") }; t.a = 1 }
func (t *Flags) B() { if t.a == 0 || t.b != 0 { panic("b") }; t.b = 1 }
func (t *Flags) C() { if t.b == 0 || t.c != 0 { panic("c") }; t.c = 1 }
func (t *Flags) Reset() { t.a, t.b, t.c = 0, 0, 0 }`},
	}
}

// pairTable measures each component both ways. The time of Go includes loading and lowering the package.
func (b *bench) pairTable(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "families")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	code := "package twins\n"
	for _, p := range twins() {
		code += p.code + "\n"
	}
	for name, data := range map[string]string{"go.mod": "module twins\n\ngo 1.26\n", "twins.go": code} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			return err
		}
	}
	fmt.Fprintln(b.out)
	w := tabwriter.NewWriter(b.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "component\ttext ms\tGo ms\tstates: text\tGo\tregisters: text\tGo\tunknown: text\tGo")
	for _, p := range twins() {
		open, err := b.measure(ctx, func(ctx context.Context) ([]*typestate.Interface, error) {
			i, err := text.Infer(ctx, "c.open", "component "+p.name+"\n"+p.text+"\n", &interlock.Options{Assume: []interlock.Convention{interlock.NoWrap}})
			return []*typestate.Interface{i}, err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		golang, err := b.measure(ctx, func(ctx context.Context) ([]*typestate.Interface, error) {
			c, err := interlock.LoadGoType(ctx, interlock.LoadConfig{Dir: dir}, "twins."+p.name, interlock.GoOptions{Constructors: []string{"New" + p.name}, Errors: []string{"panic"}})
			if err != nil {
				return nil, err
			}
			r, err := interlock.Infer(ctx, c, nil)
			if err != nil {
				return nil, err
			}
			return []*typestate.Interface{r.Interface}, nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", p.name, open.time.Milliseconds(), golang.time.Milliseconds(), open.states, golang.states, open.registers, golang.registers, open.unknown, golang.unknown)
	}
	return w.Flush()
}
