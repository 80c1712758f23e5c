// SPDX-License-Identifier: Apache-2.0

package replay

// This file writes the methods of a monitor: which call of the interface one is, from guards on its arguments and on what was
// remembered, and which outcomes its results may be. A guard that cannot be written in Go may hold, and an
// outcome that cannot be may be the one.

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// monitorLocals are the names that methods of a monitor declare themselves.
var monitorLocals = []string{"w", "may", "bits", "bad", "n", "holds", "known", "object", "states", "s"}

// A wrapped is a function that is written: its parameters and results by name.
type wrapped struct {
	sig     *types.Signature
	params  []string // in the file
	results []string
	reads   map[string]reading // by the name in the interface
}

// A reading is how Go code reads what a guard mentions.
type reading struct {
	code string
	kind string // of the interface; nilKind: only its nil-ness
}

const nilKind = "nil or not"

// wrapped names parameters and results, so that none hides what the code needs.
func (w *wrapper) wrapped(sig *types.Signature) wrapped {
	f := wrapped{sig: sig, reads: map[string]reading{}}
	free := func(name string) bool {
		return w.free(name) && !slices.Contains(monitorLocals, name) && !slices.Contains(f.params, name) && !slices.Contains(f.results, name) && !strings.HasPrefix(name, "mon") && name != "len" && name != "cap"
	}
	for k := range sig.Params().Len() {
		p := sig.Params().At(k)
		name := p.Name()
		if !free(name) {
			name = fmt.Sprintf("arg%d", k+1)
		}
		f.params = append(f.params, name)
		if given := p.Name(); given != "" && given != "_" {
			f.read(given, name, p.Type())
		} else {
			f.read(fmt.Sprintf("arg%d", k+1), name, p.Type())
		}
	}
	for k := range sig.Results().Len() {
		name := sig.Results().At(k).Name()
		if !free(name) {
			name = fmt.Sprintf("r%d", k)
		}
		f.results = append(f.results, name)
	}
	return f
}

// read says how guards read a parameter, its length and its capacity.
func (f *wrapped) read(given, name string, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0, info&types.IsInteger != 0:
			f.reads[given] = reading{name, ""}
		case info&types.IsString != 0:
			f.reads["len("+given+")"] = reading{"len(" + name + ")", ""}
		}
	case *types.Slice:
		f.reads[given] = reading{name, nilKind}
		f.reads["len("+given+")"] = reading{"len(" + name + ")", ""}
		f.reads["cap("+given+")"] = reading{"cap(" + name + ")", ""}
	case *types.Map:
		f.reads[given] = reading{name, nilKind}
		f.reads["len("+given+")"] = reading{"len(" + name + ")", ""}
	case *types.Pointer, *types.Interface, *types.Signature, *types.Chan:
		f.reads[given] = reading{name, nilKind}
	}
}

// signature writes the parameters and results of a declaration.
func (w *wrapper) signature(f wrapped) string {
	var params, results []string
	for k, name := range f.params {
		text := w.typeName(f.sig.Params().At(k).Type())
		if f.sig.Variadic() && k == len(f.params)-1 {
			text = "..." + strings.TrimPrefix(text, "[]")
		}
		params = append(params, name+" "+text)
	}
	for k := range f.results {
		results = append(results, w.typeName(f.sig.Results().At(k).Type()))
	}
	return "(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
}

// arguments are those of the real call.
func (f wrapped) arguments() string {
	text := strings.Join(f.params, ", ")
	if f.sig.Variadic() {
		text += "..."
	}
	return "(" + text + ")"
}

// checkedMethod writes a method of the interface.
func (w *wrapper) checkedMethod(b *strings.Builder, n int, name string, sig *types.Signature) {
	f := w.wrapped(sig)
	calls := w.calls[name]
	fmt.Fprintf(b, "// %s checks and makes the call.\nfunc (w *%s) %s%s {\n", name, w.name, name, w.signature(f))
	fmt.Fprintf(b, "may := func() uint64 {\n%s}\n", w.candidates(f, calls))
	fmt.Fprintf(b, "if bad := w.state.before(%d, may); bad != nil {\n%s}\n", n, w.forbidden(f))
	call := "w." + w.field + "." + name + f.arguments()
	outcomes := w.outcomeBits(f, calls)
	if len(f.results) > 0 {
		call = strings.Join(f.results, ", ") + " := " + call
	}
	update := "nil"
	if cases := w.updateCases(f, name); cases != "" {
		update = "func(n int) {\nswitch n {\n" + cases + "}\n}"
	}
	fmt.Fprintf(b, "%s\n%sw.state.after(%d, may, bits, %s)\n", call, outcomes, n, update)
	if len(f.results) > 0 {
		fmt.Fprintf(b, "return %s\n", strings.Join(f.results, ", "))
	}
	b.WriteString("}\n\n")
}

// forbidden writes what happens before a forbidden call.
func (w *wrapper) forbidden(f wrapped) string {
	n := len(f.results)
	switch {
	case w.on == OnHook:
		return "On" + w.misuse() + "(bad)\n"
	case w.on == OnError && n > 0 && qualified(f.sig.Results().At(n-1).Type()) == "error":
		text := "w.state.refused()\n"
		var results []string
		for k := range n - 1 {
			text += fmt.Sprintf("var %s %s\n", f.results[k], w.typeName(f.sig.Results().At(k).Type()))
			results = append(results, f.results[k])
		}
		return text + "return " + strings.Join(append(results, "bad"), ", ") + "\n"
	}
	return "w.state.refused()\npanic(bad)\n"
}

// unseenMethod writes a method that the interface does not know.
func (w *wrapper) unseenMethod(b *strings.Builder, name string, sig *types.Signature) {
	f := w.wrapped(sig)
	fmt.Fprintf(b, "// %s makes the call. The interface does not know it: every state is possible afterwards.\nfunc (w *%s) %s%s {\n", name, w.name, name, w.signature(f))
	ret := ""
	if len(f.results) > 0 {
		ret = "return "
	}
	fmt.Fprintf(b, "defer w.state.unseen()\n%sw.%s.%s%s\n}\n\n", ret, w.field, name, f.arguments())
}

// candidates writes the body of the function that finds which of the calls of a method one may be.
func (w *wrapper) candidates(f wrapped, calls []typestate.Call) string {
	if len(calls) == 1 {
		return "return 1\n"
	}
	b := "bits := uint64(0)\n"
	for k, c := range calls {
		text, ok := w.condition(f, c.Params, c.Types, c.Guard)
		if !ok {
			b += fmt.Sprintf("bits |= 1 << %d // %s: this may hold\n", k, strings.Join(strings.Fields(c.Guard), " "))
			continue
		}
		b += fmt.Sprintf("if holds, known := func() (bool, bool) {\n%s}(); holds && known {\nreturn 1 << %d\n} else if !known {\nbits |= 1 << %d\n}\n", text, k, k)
	}
	return b + "return bits\n"
}

// condition writes the body of a function that evaluates a guard; ok is false if it cannot be written.
func (w *wrapper) condition(f wrapped, params, kinds []string, guard string) (text string, ok bool) {
	expr, before, ok := w.expression(f, params, kinds, guard, "false, false")
	return before + "return " + expr + ", true\n", ok
}

// nilTexts write a nil-ness that the interface has as a value.
var nilTexts = strings.NewReplacer("== `non-nil`", "!= nil", "!= `non-nil`", "== nil")

// expression writes an expression of the interface in Go, with the declarations before it; these return otherwise if a
// register has no value.
func (w *wrapper) expression(f wrapped, params, kinds []string, expr, otherwise string) (text, before string, ok bool) {
	expr = nilTexts.Replace(expr)
	at := map[string]reading{}
	for k, name := range w.regs {
		kind := w.registers[name]
		value := fmt.Sprintf("w.state.register[%d]", k)
		at[name] = reading{value, kind}
	}
	for k, name := range params {
		r, known := f.reads[name]
		if !known || k >= len(kinds) {
			r = reading{} // it cannot be read
		} else if r.kind == "" {
			r.kind = kinds[k]
		}
		at[name] = r
	}
	locals := map[string]string{} // local name to kind
	for _, name := range slices.SortedFunc(maps.Keys(at), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) {
		if !names(expr, name) {
			continue
		}
		r := at[name]
		local := localName(name)
		switch {
		case r.code == "":
			return "", "", false
		case r.kind == nilKind:
			before += fmt.Sprintf("%s := %s\n", local, r.code)
		case slices.Contains(w.regs, name) && !slices.Contains(params, name):
			before += fmt.Sprintf("if w.state.known>>%d&1 == 0 {\nreturn %s\n}\n", slices.Index(w.regs, name), otherwise)
			if r.kind == "bool" {
				before += fmt.Sprintf("%s := %s != 0\n", local, r.code)
			} else if goInteger(r.kind) != "" {
				before += fmt.Sprintf("%s := %s(%s)\n", local, goInteger(r.kind), r.code)
			} else {
				return "", "", false
			}
		case r.kind == "bool":
			before += fmt.Sprintf("%s := bool(%s)\n", local, r.code)
		case goInteger(r.kind) != "":
			before += fmt.Sprintf("%s := %s(%s)\n", local, goInteger(r.kind), r.code)
		default:
			return "", "", false
		}
		locals[local] = r.kind
		expr = replaceName(expr, name, local)
	}
	e, err := parser.ParseExpr(expr)
	if err != nil || !monitorExpression(e, locals) {
		return "", "", false
	}
	return expr, before, true
}

// replaceName replaces a name in an expression everywhere.
func replaceName(expr, name, local string) string {
	out := ""
	for p := namePattern(name); ; {
		at := p.FindStringIndex(expr)
		if at == nil {
			return out + expr
		}
		found := expr[at[0]:at[1]]
		quoted := strings.Replace(found, "`"+name+"`", name, 1)
		k := strings.Index(quoted, name)
		out += expr[:at[0]] + quoted[:k] + local
		expr = quoted[k+len(name):] + expr[at[1]:]
	}
}

// monitorExpression reports whether an expression is one of numbers, truth values and nil-ness.
func monitorExpression(e ast.Expr, locals map[string]string) bool {
	isNil := func(x ast.Expr) bool { id, ok := ast.Unparen(x).(*ast.Ident); return ok && id.Name == "nil" }
	reference := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && locals[id.Name] == nilKind
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return monitorExpression(e.X, locals)
	case *ast.Ident:
		kind, ok := locals[e.Name]
		return ok && kind != nilKind || e.Name == "true" || e.Name == "false"
	case *ast.BasicLit:
		return e.Kind == token.INT
	case *ast.UnaryExpr:
		return (e.Op == token.NOT || e.Op == token.SUB || e.Op == token.XOR) && monitorExpression(e.X, locals)
	case *ast.BinaryExpr:
		if e.Op == token.EQL || e.Op == token.NEQ {
			if reference(e.X) && isNil(e.Y) || reference(e.Y) && isNil(e.X) {
				return true
			}
		}
		if e.Op == token.QUO || e.Op == token.REM || e.Op == token.SHL || e.Op == token.SHR {
			return false // they may panic, or mean something else
		}
		return monitorExpression(e.X, locals) && monitorExpression(e.Y, locals)
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && slices.Contains(basicTypes, id.Name) && len(e.Args) == 1 && monitorExpression(e.Args[0], locals)
	}
	return false
}

// outcomeBits writes which outcomes the results may be: any, if the calls of the method have different ones.
func (w *wrapper) outcomeBits(f wrapped, calls []typestate.Call) string {
	all := calls[0].Outcomes
	for _, c := range calls {
		if !slices.Equal(c.Outcomes, all) {
			return "bits := ^uint64(0)\n"
		}
	}
	if len(all) == 1 {
		return "bits := ^uint64(0)\n"
	}
	text := "bits := uint64(0)\n"
	for k, o := range all {
		cond, _, ok := outcomeCondition(o, f.sig.Results(), f.results)
		if !ok || cond == "" {
			text += fmt.Sprintf("bits |= 1 << %d\n", k)
			continue
		}
		text += fmt.Sprintf("if %s {\nbits |= 1 << %d\n}\n", cond, k)
	}
	return text + "if bits == 0 {\nbits = ^bits\n}\n"
}

// updateText is the update of an edge as one text, "" if it gives no register a value.
func updateText(update map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(update)) {
		parts = append(parts, name+" := "+update[name])
	}
	return strings.Join(parts, "\n")
}

// updateNumber is the number of the update of an edge: updates of one method that say the same have one. 0 is none.
func (w *wrapper) updateNumber(method string, e typestate.Edge) int {
	if len(e.Update) == 0 {
		return 0
	}
	text := method + "\n" + updateText(e.Update)
	k := slices.Index(w.updates, text)
	if k < 0 {
		k = len(w.updates)
		w.updates = append(w.updates, text)
	}
	return k + 1
}

// updateCases writes what the updates of a method do.
func (w *wrapper) updateCases(f wrapped, method string) string {
	var b strings.Builder
	done := map[int]bool{}
	for _, c := range w.calls[method] {
		for _, e := range w.i.Edges {
			if e.Call != c.ID {
				continue
			}
			n := w.updateNumber(method, e)
			if n == 0 || done[n] {
				continue
			}
			done[n] = true
			fmt.Fprintf(&b, "case %d:\n%s", n, w.assignments(f, c.Params, c.Types, c.Results, e.Update))
		}
	}
	return b.String()
}

// assignments give registers their values, all from those that they had. A value that cannot be written is forgotten.
func (w *wrapper) assignments(f wrapped, params, kinds []string, results []typestate.Register, update map[string]string) string {
	f.reads = maps.Clone(f.reads)
	for _, r := range results {
		for k, name := range f.results {
			if v := f.sig.Results().At(k); v.Name() == r.Name || v.Name() == "" && r.Name == "r"+strconv.Itoa(k) || len(f.results) == 1 {
				f.read(r.Name, name, v.Type())
			}
		}
		params, kinds = append(slices.Clone(params), r.Name), append(slices.Clone(kinds), r.Type)
	}
	values, sets, forgets := "", "", uint64(0)
	for _, name := range slices.Sorted(maps.Keys(update)) {
		k := slices.Index(w.regs, name)
		if k < 0 {
			continue
		}
		forgets |= 1 << k
		expr, declared, ok := w.expression(f, params, kinds, update[name], "0, false")
		if !ok || w.registers[name] != "bool" && goInteger(w.registers[name]) == "" {
			continue
		}
		value := "int64(" + expr + ")"
		if w.registers[name] == "bool" {
			value = "monBit(" + expr + ")"
		}
		values += fmt.Sprintf("value%d, known%d := func() (int64, bool) {\n%sreturn %s, true\n}()\n", k, k, declared, value)
		sets += fmt.Sprintf("if known%d {\nw.state.set(%d, value%d)\n}\n", k, k, k)
	}
	return values + fmt.Sprintf("w.state.known &^= %d\n", forgets) + sets
}

// constructorFunctions writes the functions of the package that make the object, with the monitor around it.
func (w *wrapper) constructorFunctions(b *strings.Builder) {
	if w.s.hidden != "" || w.s.pkg == nil {
		return
	}
	byMethod := map[string][]typestate.Constructor{}
	var order []string
	for _, c := range w.i.Constructors {
		if byMethod[c.Method] == nil {
			order = append(order, c.Method)
		}
		byMethod[c.Method] = append(byMethod[c.Method], c)
	}
	for _, method := range order {
		w.constructor(b, method, byMethod[method])
	}
}

var functionName = regexp.MustCompile(`^\w+\.([A-Z]\w*)$`)

func (w *wrapper) constructor(b *strings.Builder, method string, entries []typestate.Constructor) {
	m := functionName.FindStringSubmatch(method)
	if m == nil || entries[0].Code != "" {
		return
	}
	fn, _ := w.s.pkg.Scope().Lookup(m[1]).(*types.Func)
	if fn == nil {
		return
	}
	sig := fn.Type().(*types.Signature)
	n := sig.Results().Len()
	if sig.TypeParams().Len() > 0 || !w.nameable(sig) || n == 0 || n > 2 || !types.Identical(sig.Results().At(0).Type(), w.own) || n == 2 && qualified(sig.Results().At(1).Type()) != "error" {
		w.note("%s: the monitor has no function for it; Watch%s takes what it makes", method, exported(w.field))
		return
	}
	f := w.wrapped(sig)
	name, real := "New"+w.name, ""
	if w.inside == nil {
		name, real = m[1], w.qualify(w.s.pkg)+"."
	} else if name = m[1] + "Monitor"; name == w.name {
		name = "New" + w.name
	}
	results := strings.Replace(w.signature(f), ") ("+w.typeName(w.own), ") (*"+w.name, 1)
	fmt.Fprintf(b, "// %s calls %s%s and checks the calls of what it makes.\nfunc %s%s {\n", name, real, m[1], name, results)
	fmt.Fprintf(b, "%s := %s%s%s\n", strings.Join(f.results, ", "), real, m[1], f.arguments())
	none := "nil"
	if n == 2 {
		none = "nil, " + f.results[1]
	}
	fmt.Fprintf(b, "if %s == nil {\nreturn %s\n}\n", f.results[0], none)
	w.startStates(b, f, entries)
	fmt.Fprintf(b, "w := Watch%s(%s, states...)\n", exported(w.field), f.results[0])
	w.startUpdate(b, f, entries)
	if n == 2 {
		fmt.Fprintf(b, "return w, %s\n}\n\n", f.results[1])
	} else {
		b.WriteString("return w\n}\n\n")
	}
}

// startStates writes in which states a constructor may leave the object.
func (w *wrapper) startStates(b *strings.Builder, f wrapped, entries []typestate.Constructor) {
	b.WriteString("var states []int\n")
	done := map[int]bool{}
	for _, c := range entries {
		if c.State == nil || done[*c.State] {
			continue
		}
		text, ok := w.condition(f, c.Params, c.Types, c.Guard)
		if !ok || c.Guard == "true" || strings.Contains(text, "w.state") {
			done[*c.State] = true
			fmt.Fprintf(b, "states = append(states, %d)\n", *c.State)
			continue
		}
		fmt.Fprintf(b, "if holds, _ := func() (bool, bool) {\n%s}(); holds {\nstates = append(states, %d)\n}\n", text, *c.State)
	}
}

// startUpdate gives registers their values where there is one constructor call, which says so.
func (w *wrapper) startUpdate(b *strings.Builder, f wrapped, entries []typestate.Constructor) {
	var only *typestate.Constructor
	for k, c := range entries {
		if c.State == nil {
			continue
		}
		if only != nil && updateText(only.Update) != updateText(c.Update) {
			return
		}
		only = &entries[k]
	}
	if only != nil && len(only.Update) > 0 {
		b.WriteString(w.assignments(f, only.Params, only.Types, only.Results, only.Update))
	}
}
