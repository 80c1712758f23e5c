// SPDX-License-Identifier: Apache-2.0

package golang

// This file says what calls of the environment may answer.

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/interlock-go/interlock/internal/term"
)

// contract assumes what is known of the results of a call.
func (f *frame) contract(name string, obj types.Object, sig *types.Signature, args, out []value) {
	c, w := f.c, f.c.w
	p := w.Pool
	n := len(out)
	if n >= 2 && isErrorType(out[n-1].typ) {
		noError := p.Eq(f.ref(out[n-1]), w.Nil())
		for _, r := range out[:n-1] {
			if isPointer(r.typ) || types.IsInterface(r.typ) {
				c.convention(conventionPointer)
				f.m.Assume(p.Or(p.Not(noError), p.Ne(f.ref(r), w.Nil())))
			}
		}
	}
	// A method Read or Write of bytes.
	if obj == nil || n != 2 || !isErrorType(out[1].typ) || len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	if !isByte(last.typ) || sig.Params().Len() != 1 {
		return
	}
	count := f.terms(out[0])
	size := f.terms(last)
	if len(count) != 1 || count[0].Sort() != term.BV(64) || len(size) != 3 {
		return
	}
	switch obj.Name() {
	case "Read":
		c.clauses["io.Reader.Read(p) (n, err): 0 <= n && n <= len(p)"] = true
		f.m.Assume(p.And(p.SLe(p.Int(64, 0), count[0]), p.SLe(count[0], size[1])))
	case "Write":
		c.clauses["io.Writer.Write(p) (n, err): 0 <= n && n <= len(p) && (n == len(p) || err != nil)"] = true
		f.m.Assume(p.And(p.SLe(p.Int(64, 0), count[0]), p.SLe(count[0], size[1]), p.Or(p.Eq(count[0], size[1]), p.Ne(f.ref(out[1]), w.Nil()))))
	}
}

func constantText(k *ssa.Const) string {
	if k.Value != nil && k.Value.Kind() == constant.String {
		return constant.StringVal(k.Value)
	}
	return anyText
}
