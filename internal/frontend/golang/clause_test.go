// SPDX-License-Identifier: Apache-2.0

package golang

// This file tests the language of contracts, that every clause of the embedded
// set fits the standard library, and that conditions hold when the functions run.

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"io"
	"math/bits"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"
)

func TestContractSyntax(t *testing.T) {
	const file = `// a comment
io.Reader.Read(p) (n, err): 0 <= n && n <= len(p) // to the end

	strings.Repeat(s, count) (t): pure; panics "strings: negative; \ no" if count < 0; len(s) == 0 => count == 1 => len(t) == 0
sync.(*Mutex).Lock: pure
time.newTimer(a, b, c, d, e) (t): fresh t; keeps c, d; returns only if a > (b + 1)
`
	list, err := parseClauses("f", file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, c := range list {
		fmt.Fprintf(&got, "%v %s %v %v:", c.pos, c.name, c.params, c.results)
		for _, p := range c.properties {
			fmt.Fprintf(&got, " %v/%d%v%q", p.pos, p.kind, p.names, p.message)
			for _, e := range p.chain {
				fmt.Fprintf(&got, " [%s]", types.ExprString(e))
			}
		}
		fmt.Fprintf(&got, " | %s\n", c.text)
	}
	const want = `f:2:1 io.Reader.Read [p] [n err]: f:2:29/1[]"" [0 <= n && n <= len(p)] | io.Reader.Read(p) (n, err): 0 <= n && n <= len(p)
f:4:2 strings.Repeat [s count] [t]: f:4:32/2[]"" f:4:38/6[]"strings: negative; \\ no" [count < 0] f:4:85/1[]"" [len(s) == 0] [count == 1] [len(t) == 0] | strings.Repeat(s, count) (t): pure; panics "strings: negative; \ no" if count < 0; len(s) == 0 => count == 1 => len(t) == 0
f:5:1 sync.(*Mutex).Lock [] []: f:5:21/2[]"" | sync.(*Mutex).Lock: pure
f:6:1 time.newTimer [a b c d e] [t]: f:6:35/4[t]"" f:6:44/5[c d]"" f:6:56/7[]"" [a > (b + 1)] | time.newTimer(a, b, c, d, e) (t): fresh t; keeps c, d; returns only if a > (b + 1)
`
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}

func TestContractErrors(t *testing.T) {
	known := checked(t, "io", "time")
	for line, want := range map[string]string{
		"io.Reader.Read":                                  `f:1:1: expected a function and a colon, such as io.Reader.Read(p) (n, err): 0 <= n && n <= len(p)`,
		": pure":                                          `f:1:1: expected a function and a colon, such as io.Reader.Read(p) (n, err): 0 <= n && n <= len(p)`,
		"io.Reader.Read(p) (n, err):":                     `f:1:28: expected a property`,
		"io.Reader.Read(p) (n, err): pure;":               `f:1:34: expected a property`,
		"io.Reader.Read(p) (n, n): pure":                  `f:1:20: the name n is taken`,
		"io.Reader.Read(p q): pure":                       `f:1:16: "p q" is not a name; expected names of parameters or results`,
		"io.Reader.Read(p) (n, err): 0 <= n &&":           `f:1:38: expected operand, found 'EOF'`,
		"io.Reader.Read(p) (n, err): n > 0 =>":            `f:1:37: expected a condition`,
		"io.Reader.Read(p) (n, err): panics n":            `f:1:36: expected panics "message" if CONDITION`,
		"io.Reader.Read(p) (n, err): panics \"n":          `f:1:36: expected the end of the message`,
		"io.Reader.Read(p) (n): pure":                     `f:1:1: io.Reader.Read has 2 results, not 1`,
		"io.Reader.Read() (n, err): pure":                 `f:1:1: io.Reader.Read has 1 parameters, not 0`,
		"io.Reader.Reed(p) (n, err): pure":                `f:1:1: type io.Reader has no method Reed`,
		"io.Nothing(p): pure":                             `f:1:1: package io has no Nothing`,
		"io.EOF(p): pure":                                 `f:1:1: io.EOF is not a function`,
		"Read: pure":                                      `f:1:1: Read: expected a function with its package`,
		"io.Reader.Read(p) (n, err): m > 0":               `f:1:29: undefined: m`,
		"io.Reader.Read(p) (n, err): n":                   `f:1:29: expected a condition`,
		"io.Reader.Read(p) (n, err): n > err":             `f:1:29: invalid operation: n > err (mismatched types int and error)`,
		"io.Reader.Read(p) (n, err): p[0] == 1":           `f:1:29: contracts know conditions of integers, truth values, len, cap, nil and fields; not p[0]`,
		"io.Reader.Read(p) (n, err): fresh n":             `f:1:29: n is no reference, so it cannot be fresh`,
		"io.Reader.Read(p) (n, err): fresh p":             `f:1:29: p is no result`,
		"io.Reader.Read(p) (n, err): keeps n":             `f:1:29: n is no parameter`,
		"io.Reader.Read(p) (n, e): panics if n<0":         `f:1:27: expected a condition of the parameters only`,
		"io.ReadAll(r) (b, err): err == io.EOF":           ``,
		"time.Timer.Stop() (ok): receiver.C == nil || ok": ``,
		"nowhere/at.All: pure":                            ``,
	} {
		err := func() error {
			list, err := parseClauses("f", line)
			if err != nil {
				return err
			}
			for _, c := range list {
				fn, err := findFunction(known, c.name)
				if err != nil {
					return fmt.Errorf("%v: %v", c.pos, err)
				}
				if fn != nil {
					if _, err := fit(c, fn); err != nil {
						return err
					}
				}
			}
			return nil
		}()
		if got := fmt.Sprint(err); got != want && !(want == "" && err == nil) {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

// checked type-checks packages from source.
func checked(t *testing.T, paths ...string) map[string]*types.Package {
	t.Helper()
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*types.Package{}
	for _, p := range list {
		out[p.PkgPath] = p.Types
	}
	return out
}

// standardRules fits the embedded set to the standard library.
func standardRules(t *testing.T) []rule {
	list, err := parseClauses(standardFile, standard)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range list {
		slash := strings.LastIndexByte(c.name, '/') + 1
		base, _, _ := strings.Cut(c.name[slash:], ".")
		if p := c.name[:slash] + base; p != "error" {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	known := checked(t, slices.Compact(paths)...)
	var all []rule
	seen := map[string]bool{}
	for _, c := range list {
		if seen[c.name] {
			t.Errorf("%v: %s has two clauses", c.pos, c.name)
		}
		seen[c.name] = true
		fn, err := findFunction(known, c.name)
		if err != nil || fn == nil {
			t.Errorf("%v: %s: not found: %v", c.pos, c.name, err)
			continue
		}
		r, err := fit(c, fn)
		if err != nil {
			t.Error(err)
			continue
		}
		all = append(all, r)
	}
	return all
}

// TestContractsHold fits every clause of the embedded set to the function it
// names, and calls those that are easy to call with many small arguments: each
// condition must hold, and each panic must come.
func TestContractsHold(t *testing.T) {
	functions := map[string]any{
		"strings.Index": strings.Index, "strings.LastIndex": strings.LastIndex, "strings.IndexByte": strings.IndexByte,
		"strings.LastIndexByte": strings.LastIndexByte, "strings.IndexRune": strings.IndexRune, "strings.IndexAny": strings.IndexAny,
		"strings.LastIndexAny": strings.LastIndexAny, "strings.Count": strings.Count, "strings.Contains": strings.Contains,
		"strings.TrimSpace": strings.TrimSpace, "strings.Trim": strings.Trim, "strings.TrimLeft": strings.TrimLeft, "strings.TrimRight": strings.TrimRight,
		"strings.Repeat": strings.Repeat,
		"bytes.Index":    bytes.Index, "bytes.LastIndex": bytes.LastIndex, "bytes.IndexByte": bytes.IndexByte, "bytes.LastIndexByte": bytes.LastIndexByte,
		"bytes.IndexAny": bytes.IndexAny, "bytes.IndexRune": bytes.IndexRune, "bytes.Equal": bytes.Equal, "bytes.TrimSpace": bytes.TrimSpace,
		"bytes.TrimRight": bytes.TrimRight, "bytes.Count": bytes.Count, "bytes.Contains": bytes.Contains, "bytes.Repeat": bytes.Repeat,
		"strconv.Itoa": strconv.Itoa, "strconv.Quote": strconv.Quote, "strconv.AppendQuote": strconv.AppendQuote,
		"unicode/utf8.DecodeRune": utf8.DecodeRune, "unicode/utf8.DecodeRuneInString": utf8.DecodeRuneInString,
		"unicode/utf8.DecodeLastRune": utf8.DecodeLastRune, "unicode/utf8.DecodeLastRuneInString": utf8.DecodeLastRuneInString,
		"unicode/utf8.RuneCount": utf8.RuneCount, "unicode/utf8.RuneCountInString": utf8.RuneCountInString, "unicode/utf8.RuneLen": utf8.RuneLen,
		"unicode/utf8.FullRune": utf8.FullRune, "unicode/utf8.FullRuneInString": utf8.FullRuneInString, "unicode/utf8.AppendRune": utf8.AppendRune,
		"strconv.FormatInt":  func(i int64, base int) string { return strconv.FormatInt(i, 2+(base&31)) },
		"strconv.FormatUint": func(i uint64, base int) string { return strconv.FormatUint(i, 2+(base&31)) },
		"strconv.AppendInt":  func(dst []byte, i int64, base int) []byte { return strconv.AppendInt(dst, i, 2+(base&31)) },
		"strconv.AppendUint": func(dst []byte, i uint64, base int) []byte { return strconv.AppendUint(dst, i, 2+(base&31)) },
		"fmt.Appendf":        fmt.Appendf, "fmt.Fprintf": fmt.Fprintf, "fmt.Fprint": fmt.Fprint, "fmt.Fprintln": fmt.Fprintln,
		"io.Reader.Read": func(r io.Reader) any { return r.Read }, "io.Writer.Write": func(w io.Writer) any { return w.Write },
		"io.ReaderAt.ReadAt": func(s string) any { return strings.NewReader(s).ReadAt }, "io.Seeker.Seek": func(s string) any { return strings.NewReader(s).Seek },
		"io.RuneReader.ReadRune":      func(s string) any { return strings.NewReader(s).ReadRune },
		"io.StringWriter.WriteString": func(s string) any { return bytes.NewBufferString(s).WriteString },
		"io.ReadFull":                 io.ReadFull, "io.ReadAtLeast": io.ReadAtLeast, "io.ReadAll": io.ReadAll, "io.Copy": io.Copy, "io.CopyN": io.CopyN,
		"io.CopyBuffer": func(w io.Writer, r io.Reader, buf []byte) (int64, error) { return io.CopyBuffer(w, r, buf) },
		"sort.Search":   func(n int, _ func(int) bool) int { return sort.Search(n, func(i int) bool { return i >= 1 }) },
		"sort.SearchInts": func(a []int, x int) int {
			slices.Sort(a)
			return sort.SearchInts(a, x)
		},
		"math/bits.Len": bits.Len, "math/bits.Len64": bits.Len64, "math/bits.Len32": bits.Len32, "math/bits.LeadingZeros": bits.LeadingZeros,
		"math/bits.LeadingZeros64": bits.LeadingZeros64, "math/bits.TrailingZeros": bits.TrailingZeros, "math/bits.TrailingZeros64": bits.TrailingZeros64,
		"math/bits.OnesCount": bits.OnesCount, "math/bits.OnesCount64": bits.OnesCount64,
		"slices.Grow":   func(s []int, n int) []int { return slices.Grow(s, n) },
		"runtime.Stack": runtime.Stack, "runtime.Callers": runtime.Callers, "runtime.NumCPU": runtime.NumCPU, "runtime.NumGoroutine": runtime.NumGoroutine,
	}
	called := 0
	for _, r := range standardRules(t) {
		fn := functions[r.name]
		if fn == nil {
			continue
		}
		delete(functions, r.name)
		n := 0
		each(reflect.TypeOf(fn), func(args []reflect.Value) {
			f := reflect.ValueOf(fn)
			if f.Type().NumOut() == 1 && f.Type().Out(0) == reflect.TypeFor[any]() {
				// The method of a receiver that the first argument is, or makes.
				m := f.Call(args[:1])[0].Elem()
				each(m.Type(), func(args []reflect.Value) { r.try(t, m, args) })
				n++
				return
			}
			r.try(t, f, args)
			n++
		})
		called += n
	}
	for name := range functions {
		t.Errorf("no clause of %s", name)
	}
	if called < 2000 {
		t.Errorf("only %d calls", called)
	}
}

// try calls a function and evaluates the conditions of its clause.
func (r rule) try(t *testing.T, f reflect.Value, args []reflect.Value) {
	t.Helper()
	names := map[string]reflect.Value{}
	for i, n := range r.params {
		names[n] = args[i]
	}
	want := ""
	for _, p := range r.properties {
		if p.kind == panicsIf && r.eval(p.chain[0], names).Bool() {
			want = p.message
		}
	}
	var out []reflect.Value
	got := func() (message string) {
		defer func() {
			if e := recover(); e != nil {
				message = fmt.Sprint(e)
			}
		}()
		call := f.Call
		if f.Type().IsVariadic() {
			call = f.CallSlice
		}
		out = call(args)
		return ""
	}()
	if got != want {
		t.Fatalf("%s: panic %q, want %q; %s", r.text, got, want, show(args))
	}
	if got != "" {
		return
	}
	for i, n := range r.results {
		names[n] = out[i]
	}
	for _, p := range r.properties {
		if p.kind != holds && p.kind != onlyIf {
			continue
		}
		applies := true
		for _, e := range p.chain[:len(p.chain)-1] {
			applies = applies && r.eval(e, names).Bool()
		}
		if applies && !r.eval(p.chain[len(p.chain)-1], names).Bool() {
			t.Fatalf("%s does not hold of %s and %s", r.text, show(args), show(out))
		}
	}
}

func show(list []reflect.Value) string {
	var all []string
	for _, v := range list {
		all = append(all, fmt.Sprintf("%#v", v))
	}
	return strings.Join(all, ", ")
}

// eval evaluates a condition with the values of a call: a second reading of the
// language, by reflection.
func (r rule) eval(e ast.Expr, names map[string]reflect.Value) reflect.Value {
	if v := r.info.Types[e].Value; v != nil {
		if v.Kind() == constant.Bool {
			return reflect.ValueOf(constant.BoolVal(v))
		}
		n, _ := constant.Int64Val(v)
		return reflect.ValueOf(n)
	}
	number := func(v reflect.Value) int64 {
		if v.CanUint() {
			return int64(v.Uint())
		}
		return v.Int()
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.eval(e.X, names)
	case *ast.Ident:
		return names[e.Name]
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return reflect.ValueOf(!r.eval(e.X, names).Bool())
		}
		return reflect.ValueOf(-number(r.eval(e.X, names)))
	case *ast.CallExpr:
		if e.Fun.(*ast.Ident).Name == "cap" {
			return reflect.ValueOf(r.eval(e.Args[0], names).Cap())
		}
		return reflect.ValueOf(r.eval(e.Args[0], names).Len())
	case *ast.BinaryExpr:
		if r.info.Types[e.Y].IsNil() {
			return reflect.ValueOf(r.eval(e.X, names).IsNil() == (e.Op == token.EQL))
		}
		switch e.Op {
		case token.LAND:
			return reflect.ValueOf(r.eval(e.X, names).Bool() && r.eval(e.Y, names).Bool())
		case token.LOR:
			return reflect.ValueOf(r.eval(e.X, names).Bool() || r.eval(e.Y, names).Bool())
		}
		a, b := number(r.eval(e.X, names)), number(r.eval(e.Y, names))
		switch e.Op {
		case token.EQL:
			return reflect.ValueOf(a == b)
		case token.NEQ:
			return reflect.ValueOf(a != b)
		case token.LSS:
			return reflect.ValueOf(a < b)
		case token.LEQ:
			return reflect.ValueOf(a <= b)
		case token.GTR:
			return reflect.ValueOf(a > b)
		case token.GEQ:
			return reflect.ValueOf(a >= b)
		case token.ADD:
			return reflect.ValueOf(a + b)
		case token.SUB:
			return reflect.ValueOf(a - b)
		}
	}
	panic("what is " + types.ExprString(e))
}

// each calls do with all combinations of small arguments.
func each(t reflect.Type, do func(args []reflect.Value)) {
	texts := []string{"", "a", "ab", " a ", "aa\x80", "日本", "aba,ba"}
	args := make([]reflect.Value, t.NumIn())
	var rec func(k int)
	rec = func(k int) {
		if k == len(args) {
			do(slices.Clone(args))
			return
		}
		in := t.In(k)
		try := func(x any) {
			args[k] = reflect.ValueOf(x).Convert(in)
			rec(k + 1)
		}
		switch in.Kind() {
		case reflect.String:
			for _, s := range texts {
				try(s)
			}
		case reflect.Slice:
			args[k] = reflect.Zero(in)
			rec(k + 1)
			switch in.Elem().Kind() {
			case reflect.Uint8:
				for _, s := range texts {
					try([]byte(s))
				}
			case reflect.Int:
				try([]int{3, 1, 2})
			case reflect.Uintptr:
				try(make([]uintptr, 2))
			case reflect.Interface:
				try([]any{1, "x"})
			}
		case reflect.Bool:
			try(false)
			try(true)
		case reflect.Func:
			args[k] = reflect.Zero(in)
			rec(k + 1)
		case reflect.Interface:
			switch in {
			case reflect.TypeFor[io.Reader]():
				for _, s := range []string{"", "abc"} {
					for _, r := range []io.Reader{strings.NewReader(s), bytes.NewBufferString(s), iotest.OneByteReader(strings.NewReader(s)),
						iotest.ErrReader(errors.New("no")), io.LimitReader(strings.NewReader(s), 2)} {
						try(r)
					}
				}
			case reflect.TypeFor[io.Writer]():
				try(new(bytes.Buffer))
				try(io.Discard)
				try(iotest.TruncateWriter(new(bytes.Buffer), 1))
			}
		default:
			for _, n := range []int64{-1, 0, 1, 2, 5, 'a', 0x65e5} {
				try(n)
			}
		}
	}
	rec(0)
}
