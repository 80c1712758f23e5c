// SPDX-License-Identifier: Apache-2.0

package replay

// This file writes a type around the real one that checks each call before it runs. What it knows of the object is a
// set of states (monitor.txt): guards that cannot be evaluated, results that do not tell, calls at the same time and
// methods that are not in the interface make the set larger, and a call is reported only where all states of the
// set forbid it. So what is not known is never a report.
//
// The type embeds the real one. Methods of the interface are written out; others are, too, if their signature can be, and make
// every state possible; what is left is promoted, and a note says so.

import (
	_ "embed"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/interlock-go/interlock/typestate"
)

//go:embed monitor.txt
var monitorText string

// What a monitor does with a forbidden call.
const (
	OnPanic = "panic" // panics before the call
	OnError = "error" // returns the misuse where the last result is an error, and panics elsewhere
	OnHook  = "hook"  // calls a function, and then makes the call
)

// MonitorOptions say how a monitor is written.
type MonitorOptions struct {
	Package string // of the file
	Inside  bool   // it is the package of the type itself
	On      string // "" is OnPanic
	Name    string // of the type; "" is that of the real one with Monitor behind
}

// A Wrapper is a file with a monitor.
type Wrapper struct {
	Source  []byte
	Name    string // of the type
	Checked int    // methods
	Notes   []string
}

// monitorImports are the packages that the file always needs.
var monitorImports = []string{"strings", "sync"}

// Most bits of one word: calls of a method, and outcomes of a call.
const maxMonitorBits = 64

// A wrapper writes a monitor.
type wrapper struct {
	*generator
	on      string
	name    string // of the type
	field   string // that holds the object
	embeds  bool
	order   []string                    // methods of the interface
	calls   map[string][]typestate.Call // by method
	updates []string                    // of registers, from 1
	regs    []string                    // names of registers
	checked int
}

// Monitor writes a file with a type around the one that an interface is of.
func Monitor(s *Subject, i *typestate.Interface, opt MonitorOptions) (*Wrapper, error) {
	g := &generator{s: s, i: i, used: map[string]bool{}, registers: registers(i), imports: map[string]string{}, std: map[string]string{}}
	for _, p := range monitorImports {
		g.pkg(p)
	}
	g.reserve()
	if s.isPackage() {
		return nil, fmt.Errorf("%s: the functions of a package cannot be wrapped; expected the interface of a type", s.Name)
	}
	if opt.Inside {
		g.inside = s.pkg
	}
	if err := g.objects(); err != nil {
		return nil, err
	}
	if len(g.others) > 0 {
		return nil, fmt.Errorf("%s: its calls are made on other objects, too (%s); expected an interface of methods of one", s.Name, g.others[0].name)
	}
	w := &wrapper{generator: g, on: opt.On, calls: map[string][]typestate.Call{}}
	if w.on == "" {
		w.on = OnPanic
	}
	for _, c := range i.Calls {
		if !token.IsIdentifier(c.Method) {
			return nil, fmt.Errorf("%s: %s is no method of it; expected an interface of methods of one object", s.Name, c.Method)
		}
		if w.calls[c.Method] == nil {
			w.order = append(w.order, c.Method)
		}
		w.calls[c.Method] = append(w.calls[c.Method], c)
		if len(w.calls[c.Method]) > maxMonitorBits || len(c.Outcomes) > maxMonitorBits {
			return nil, fmt.Errorf("%s: %s has more than %d guards or outcomes", s.Name, c.Method, maxMonitorBits)
		}
	}
	for name := range g.registers {
		w.regs = append(w.regs, name)
	}
	slices.Sort(w.regs)
	if len(w.regs) > maxMonitorBits {
		return nil, fmt.Errorf("%s: its states remember more than %d values", s.Name, maxMonitorBits)
	}
	w.field = w.fieldName()
	if w.name = opt.Name; w.name == "" {
		w.name = exported(w.field) + "Monitor"
	}
	return w.assemble(opt)
}

func exported(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}

// fieldName is the name of the field that embeds the object, as the language makes it.
func (w *wrapper) fieldName() string {
	t := w.own
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	name := "Object"
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name = t.Obj().Name()
	}
	methods := types.NewMethodSet(w.own)
	w.embeds = name != "Object" && methods.Lookup(nil, name) == nil && w.calls[name] == nil
	for k := range methods.Len() {
		w.embeds = w.embeds && methods.At(k).Obj().Name() != name
	}
	return name
}

// assemble writes the file.
func (w *wrapper) assemble(opt MonitorOptions) (*Wrapper, error) {
	var methods strings.Builder
	signatures := map[string]*types.Signature{}
	set := types.NewMethodSet(w.own)
	var rest []string
	for k := range set.Len() {
		f, ok := set.At(k).Obj().(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		signatures[f.Name()] = f.Type().(*types.Signature)
		if w.calls[f.Name()] == nil {
			rest = append(rest, f.Name())
		}
	}
	for n, name := range w.order {
		sig := signatures[name]
		switch {
		case sig == nil:
			return nil, fmt.Errorf("%s: %s is no method of %s", w.s.Name, name, w.typeName(w.own))
		case !w.nameable(sig):
			return nil, fmt.Errorf("%s: the signature of %s has a type that only its package can name; expected -inside, for a file in that package", w.s.Name, name)
		}
		w.checkedMethod(&methods, n, name, sig)
		w.checked++
	}
	var passed, promoted []string
	for _, name := range rest {
		if w.nameable(signatures[name]) {
			passed = append(passed, name)
			w.unseenMethod(&methods, name, signatures[name])
		} else {
			promoted = append(promoted, name)
		}
	}
	if len(passed) > 0 {
		w.note("not in the interface, every state is possible after them: %s", strings.Join(passed, ", "))
	}
	if len(promoted) > 0 {
		w.note("not in the interface, and not seen by the monitor: %s", strings.Join(promoted, ", "))
	}
	w.constructorFunctions(&methods)
	var body strings.Builder
	w.head(&body)
	body.WriteString(methods.String())
	w.tables(&body)
	body.WriteString(monitorText)
	return w.finish(opt, body.String())
}

// finish renames, imports and formats.
func (w *wrapper) finish(opt MonitorOptions, body string) (*Wrapper, error) {
	r, size := utf8.DecodeRuneInString(w.name)
	prefix := string(unicode.ToLower(r)) + w.name[size:]
	body = regexp.MustCompile(`\bmonMisuse\b`).ReplaceAllString(body, w.misuse())
	body = regexp.MustCompile(`\bmon([A-Z]\w*)`).ReplaceAllString(body, prefix+"$1")
	pkg := opt.Package
	if w.inside != nil {
		pkg = w.inside.Name()
	}
	if pkg == "" {
		pkg = "monitored"
	}
	lines, err := w.importLines(body)
	if err != nil {
		return nil, err
	}
	head := "// Code generated by interlock monitor. DO NOT EDIT.\n\npackage " + pkg + "\n\nimport (\n" + lines + ")\n\n"
	source, err := format.Source([]byte(head + body))
	if err != nil {
		return nil, fmt.Errorf("the monitor cannot be read: %w", err)
	}
	return &Wrapper{Source: source, Name: w.name, Checked: w.checked, Notes: w.notes}, nil
}

// note says what the monitor does not do.
func (w *wrapper) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

func (w *wrapper) misuse() string { return strings.TrimSuffix(w.name, "Monitor") + "Misuse" }

// head writes the type and the function that begins to watch.
func (w *wrapper) head(b *strings.Builder) {
	does := map[string]string{
		OnPanic: "A forbidden call panics with a *" + w.misuse() + " before it runs.",
		OnError: "A forbidden call returns a *" + w.misuse() + " where the last result is an error, and panics with one elsewhere; it does not run.",
		OnHook:  "Before a forbidden call runs, On" + w.misuse() + " is called.",
	}[w.on]
	typ := w.typeName(w.own)
	fmt.Fprintf(b, "// %s is a %s whose calls are checked against its temporal interface before they run.\n// %s\n//\n", w.name, typ, does)
	fmt.Fprintf(b, "// It may be used by several goroutines if the real type may. Calls at the same time are not judged, and what they leave behind is not\n// known until later calls tell it.\n")
	for _, n := range w.notes {
		fmt.Fprintf(b, "//\n// %s.\n", strings.ToUpper(n[:1])+n[1:])
	}
	field := typ
	if !w.embeds {
		field = w.field + " " + typ
	}
	fmt.Fprintf(b, "type %s struct {\n%s\nstate monState\n}\n\n", w.name, field)
	var starts []int
	for _, c := range w.i.Constructors {
		if c.State != nil && !slices.Contains(starts, *c.State) {
			starts = append(starts, *c.State)
		}
	}
	slices.Sort(starts)
	fmt.Fprintf(b, "// Watch%s checks the calls of an object from now on. It is in one of some states of the interface; without any it has just been\n// made by a constructor.\nfunc Watch%s(object %s, states ...int) *%s {\nw := &%s{%s: object}\n", exported(w.field), exported(w.field), typ, w.name, w.name, w.field)
	fmt.Fprintf(b, "if len(states) == 0 {\nstates = []int{%s}\n}\nfor _, s := range states {\nw.state.in.add(s)\n}\nreturn w\n}\n\n", ints(starts))
	if w.on == OnHook {
		fmt.Fprintf(b, "// On%s is called before a forbidden call runs.\nvar On%s = func(*%s) {}\n\n", w.misuse(), w.misuse(), w.misuse())
	}
}

func ints(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// tables writes what the interface says.
func (w *wrapper) tables(b *strings.Builder) {
	fmt.Fprintf(b, "const (\nmonSubject = %q\nmonStates = %d\nmonRegisters = %d\n)\n\n", w.i.Component.Name, len(w.i.States), len(w.regs))
	b.WriteString("// monLabels are what the states mean.\nvar monLabels = [monStates]string{\n")
	for _, s := range w.i.States {
		label := s.Label
		if label == "true" || label == "" {
			label = fmt.Sprint(s.ID)
		}
		fmt.Fprintf(b, "%q,\n", strings.ReplaceAll(label, "`", ""))
	}
	b.WriteString("}\n\n// monKept are the registers that a state keeps, as bits.\nvar monKept = [monStates]uint64{")
	for _, s := range w.i.States {
		bits := uint64(0)
		for _, r := range s.Registers {
			bits |= 1 << slices.Index(w.regs, r.Name)
		}
		fmt.Fprintf(b, "%d, ", bits)
	}
	b.WriteString("}\n\n// monMethods is the interface: the calls of each method.\nvar monMethods = []struct {\nname string\ncalls []monCall\n}{\n")
	for _, name := range w.order {
		fmt.Fprintf(b, "{%q, []monCall{\n", name)
		for _, c := range w.calls[name] {
			b.WriteString("{[]monBan{")
			for _, f := range w.i.Forbidden {
				if f.Call == c.ID {
					fmt.Fprintf(b, "{%d, %s, %q, %q}, ", f.State, banTo(f), verdictWords(f.Verdict), sitesText(f.Errors))
				}
			}
			b.WriteString("}, []monEdge{")
			for _, e := range w.i.Edges {
				if e.Call == c.ID {
					fmt.Fprintf(b, "{%d, %d, %d, %d}, ", e.From, slices.Index(c.Outcomes, e.Outcome), e.To, w.updateNumber(c.Method, e))
				}
			}
			b.WriteString("}},\n")
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n\n")
}

// banTo is where a forbidden call that returned leaves the object.
func banTo(f typestate.Forbidden) string {
	if f.To != nil {
		return fmt.Sprint(*f.To)
	}
	panics := func(e typestate.ErrorSite) bool { return strings.HasPrefix(e.Kind, "panic") }
	if f.Verdict == typestate.VerdictFails.String() && len(f.Errors) > 0 && !slices.ContainsFunc(f.Errors, func(e typestate.ErrorSite) bool { return !panics(e) }) {
		return "monNowhere"
	}
	return "monAnywhere"
}

func verdictWords(v string) string {
	if v == typestate.VerdictMayFail.String() {
		return "may fail"
	}
	return v
}

// sitesText writes errors in one line.
func sitesText(list []typestate.ErrorSite) string {
	var parts []string
	for _, e := range list {
		text := e.Kind
		if e.Message != "" {
			text = fmt.Sprintf("%s %q", e.Kind, e.Message)
		}
		if e.At != "" {
			text += " at " + e.At
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
