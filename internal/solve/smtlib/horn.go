// SPDX-License-Identifier: Apache-2.0

package smtlib

// This file asks for invariants: constrained Horn clauses over unknown
// predicates, as solved by property-directed reachability (Hoder and Bjørner,
// SAT 2012; Komuravelli, Gurfinkel and Chaki, CAV 2014: z3's Spacer). A system is
// satisfiable iff there are predicates that make every clause valid; they are the
// invariants. It is unsatisfiable iff false can be derived, that is, a run exists.
//
// Clauses are written over bit-vectors, which is exact, or over integers
// (hornint.go), at which Spacer is much better. Each system gets a process of its
// own: Spacer keeps nothing from one to the next.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A Predicate is an unknown relation.
type Predicate struct {
	Name  string // for messages; need not be unique
	Sorts []term.Sort
}

// An App is a predicate, by its index, applied to terms.
type App struct {
	Predicate int
	Args      []*term.Term
}

// A Clause says: for all values of Vars, if Body and all Calls hold, so does Head,
// or, if Head is nil, that is impossible. A nil Body is true.
type Clause struct {
	Vars  []*term.Term
	Body  *term.Term
	Calls []App
	Head  *App
}

// Horn is a system of clauses.
type Horn struct {
	Predicates []Predicate
	Clauses    []Clause
}

// A Theory is what clauses are written over.
type Theory uint8

const (
	// BitVectors is exact.
	BitVectors Theory = iota
	// Integers has numbers with explicit ranges and no-overflow conditions. It
	// knows sums, products with constants, comparisons, if-then-else, extensions
	// and low bits, and gives each number one sign; anything else is refused
	// with a [*TheoryError].
	Integers
)

// An Overflow says what integers make of sums that leave their range.
type Overflow uint8

const (
	// Forbidden overflows must be impossible: what was proved holds of
	// bit-vectors as well, and what was refuted was refuted without any. A
	// system that depends on one is Unknown.
	Forbidden Overflow = iota
	// Ignored overflows are cut: invariants hold for runs without any.
	Ignored
)

// HornOptions are the options of [SolveHorn]. The zero value is usable.
type HornOptions struct {
	Command  Command // the zero value is z3
	Theory   Theory
	Overflow Overflow
	Timeout  time.Duration // of each query; 0 is no limit
	// Steps bounds each query in steps of the process, the same on every
	// machine; 0 is no limit. Processes without such a limit ignore it.
	Steps int
	// Check, if not nil, is asked whether the invariants make each clause valid.
	// If one does not, that is an error that names the process.
	Check solve.Solver
}

// An Invariant is the meaning of a predicate.
type Invariant struct {
	params []*term.Term
	body   *term.Term
}

// At is the invariant for given arguments, terms of the sorts of the predicate.
func (v Invariant) At(p *term.Pool, args ...*term.Term) *term.Term {
	if len(args) != len(v.params) {
		panic(fmt.Sprintf("smtlib.Invariant.At: %d arguments, want %d", len(args), len(v.params)))
	}
	m := make(map[*term.Term]*term.Term, len(args))
	for i, a := range args {
		m[v.params[i]] = a
	}
	return p.Substitute(v.body, m)
}

// A HornResult is an answer. The zero value is Unknown.
type HornResult struct {
	Verdict    solve.Verdict
	Invariants []Invariant // if Sat: by predicate
	Reason     string      // if Unknown: why
}

// An InvariantError says that invariants of a process are not: a mistake of the
// process, which Check found.
type InvariantError struct{ Name, Why string }

func (e *InvariantError) Error() string { return fmt.Sprintf("solver %s: %s", e.Name, e.Why) }

// valid says what is wrong with the system, if anything.
func (h *Horn) valid() error {
	app := func(i int, a *App) error {
		if a.Predicate < 0 || a.Predicate >= len(h.Predicates) {
			return fmt.Errorf("clause %d: there is no predicate %d", i, a.Predicate)
		}
		p := h.Predicates[a.Predicate]
		if len(a.Args) != len(p.Sorts) {
			return fmt.Errorf("clause %d: %s has %d arguments, want %d", i, p.Name, len(a.Args), len(p.Sorts))
		}
		for k, t := range a.Args {
			if t.Sort() != p.Sorts[k] {
				return fmt.Errorf("clause %d: argument %d of %s is %s, want %s", i, k, p.Name, t.Sort(), p.Sorts[k])
			}
		}
		return nil
	}
	for i := range h.Clauses {
		c := &h.Clauses[i]
		vars := make(map[*term.Term]bool)
		names := make(map[string]bool)
		for _, v := range c.Vars {
			if !v.IsVar() || names[v.Name()] {
				return fmt.Errorf("clause %d: %s is not a variable, or one of two with its name", i, v)
			}
			vars[v], names[v.Name()] = true, true
		}
		if c.Body != nil && c.Body.Sort() != term.BoolSort {
			return fmt.Errorf("clause %d: body is %s, want bool", i, c.Body.Sort())
		}
		for k := range c.Calls {
			if err := app(i, &c.Calls[k]); err != nil {
				return err
			}
		}
		if c.Head != nil {
			if err := app(i, c.Head); err != nil {
				return err
			}
		}
		for _, v := range term.FreeVars(c.terms()...) {
			if !vars[v] {
				return fmt.Errorf("clause %d: variable %s is free", i, v.Name())
			}
		}
	}
	return nil
}

// terms are all terms of a clause.
func (c *Clause) terms() []*term.Term {
	var ts []*term.Term
	if c.Body != nil {
		ts = append(ts, c.Body)
	}
	for _, a := range c.Calls {
		ts = append(ts, a.Args...)
	}
	if c.Head != nil {
		ts = append(ts, c.Head.Args...)
	}
	return ts
}

func (c *Clause) body(p *term.Pool) *term.Term {
	if c.Body == nil {
		return p.True()
	}
	return c.Body
}

// predicateName is the symbol of a predicate. No variable has it: see
// [term.SMTName].
func predicateName(i int) string { return fmt.Sprintf("~p!%d", i) }

// WriteHorn writes the system as an SMT-LIB script that ends with check-sat. In
// integers, overflows are those of opts. The pool is that of the terms.
func WriteHorn(w io.Writer, pool *term.Pool, h *Horn, opts HornOptions) error {
	if err := h.valid(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	b.WriteString("(set-logic HORN)\n")
	for i, p := range h.Predicates {
		fmt.Fprintf(b, "; %s\n", strings.Join(strings.Fields(p.Name), " "))
		fmt.Fprintf(b, "(declare-fun %s (", predicateName(i))
		for k, s := range p.Sorts {
			if k > 0 {
				b.WriteByte(' ')
			}
			if opts.Theory == Integers && s.Kind != term.BoolKind {
				b.WriteString("Int")
			} else {
				b.WriteString(term.SMTSort(s))
			}
		}
		b.WriteString(") Bool)\n")
	}
	switch opts.Theory {
	case BitVectors:
		for i := range h.Clauses {
			h.Clauses[i].write(b, pool)
		}
	case Integers:
		tr, err := newIntegers(h)
		if err != nil {
			return err
		}
		for i := range h.Clauses {
			texts, err := tr.clause(i, opts.Overflow)
			if err != nil {
				return err
			}
			for _, text := range texts {
				b.WriteString(text)
			}
		}
	}
	b.WriteString("(check-sat)\n")
	return b.Flush()
}

// write writes a clause over bit-vectors.
func (c *Clause) write(b *bufio.Writer, pool *term.Pool) {
	app := func(a *App) string {
		if len(a.Args) == 0 {
			return predicateName(a.Predicate)
		}
		text := "(" + predicateName(a.Predicate)
		for _, t := range a.Args {
			text += " " + term.SMT(t)
		}
		return text + ")"
	}
	var vars, body []string
	for _, v := range c.Vars {
		vars = append(vars, fmt.Sprintf("(%s %s)", term.SMTName(v.Name()), term.SMTSort(v.Sort())))
		if d := pool.Domain(v); !d.IsTrue() {
			body = append(body, term.SMT(d))
		}
	}
	for i := range c.Calls {
		body = append(body, app(&c.Calls[i]))
	}
	body = append(body, term.SMT(c.body(pool)))
	head := "false"
	if c.Head != nil {
		head = app(c.Head)
	}
	b.WriteString(clauseText(vars, "(=> "+both("and", body...)+" "+head+")"))
}

// clauseText is a clause as an assertion.
func clauseText(vars []string, text string) string {
	if len(vars) > 0 {
		text = "(forall (" + strings.Join(vars, " ") + ") " + text + ")"
	}
	return "(assert " + text + ")\n"
}

// SolveHorn solves a system of clauses. The pool is that of its terms, and gets
// the invariants. The error is for failures of the machinery, a [*TheoryError] for
// terms that the theory does not have, an [*AbsentError] if the process cannot be
// started.
func SolveHorn(ctx context.Context, pool *term.Pool, h *Horn, opts HornOptions) (HornResult, error) {
	if opts.Command.Path == "" {
		var err error
		if opts.Command, err = Find("z3"); err != nil {
			return HornResult{}, err
		}
	}
	verdict, model, reason, err := ask(ctx, pool, h, opts)
	switch {
	case err != nil:
		return HornResult{}, err
	case verdict == solve.Unknown:
		return HornResult{Reason: reason}, nil
	case verdict == solve.Unsat && opts.Theory == Integers && opts.Overflow == Forbidden:
		// Was it an overflow that is to blame?
		without := opts
		without.Overflow = Ignored
		verdict, _, reason, err = ask(ctx, pool, h, without)
		switch {
		case err != nil:
			return HornResult{}, err
		case verdict == solve.Unsat:
			return HornResult{Verdict: solve.Unsat}, nil
		case verdict == solve.Sat:
			return HornResult{Reason: "refuted only by overflows, which integers do not follow"}, nil
		}
		return HornResult{Reason: "refuted with overflows; without: " + reason}, nil
	case verdict == solve.Unsat:
		return HornResult{Verdict: solve.Unsat}, nil
	}
	invs, err := readInvariants(pool, h, opts, model)
	if err != nil {
		return HornResult{Reason: fmt.Sprintf("%s: model not readable: %v", opts.Command.Name, err)}, nil
	}
	if opts.Check != nil {
		bad, err := checkInvariants(ctx, pool, h, opts, invs)
		if err != nil {
			return HornResult{}, err
		}
		if bad != "" {
			return HornResult{}, &InvariantError{opts.Command.Name, bad}
		}
	}
	return HornResult{Verdict: solve.Sat, Invariants: invs}, nil
}

// ask runs a process on the system.
func ask(ctx context.Context, pool *term.Pool, h *Horn, opts HornOptions) (v solve.Verdict, model []sexpr, reason string, err error) {
	fail := func(err error) (solve.Verdict, []sexpr, string, error) {
		return solve.Unknown, nil, "", fmt.Errorf("solver %s: %w", opts.Command.Name, err)
	}
	if err := ctx.Err(); err != nil {
		return solve.Unknown, nil, "", err
	}
	var script bytes.Buffer
	if err := WriteHorn(&script, pool, h, opts); err != nil {
		return solve.Unknown, nil, "", err
	}
	p, err := startProcess(opts.Command)
	if err != nil {
		return fail(err)
	}
	defer p.end()
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	var late <-chan struct{}
	if opts.Timeout > 0 {
		timed, cancel := context.WithTimeout(context.Background(), grace(opts))
		defer cancel()
		stop := context.AfterFunc(timed, p.kill)
		defer stop()
		late = timed.Done()
		if opts.Command.Timeout != "" {
			fmt.Fprintf(p, opts.Command.Timeout+"\n", max(opts.Timeout.Milliseconds(), 1))
		}
	}
	if opts.Steps > 0 && opts.Command.Steps != "" {
		fmt.Fprintf(p, opts.Command.Steps+"\n", opts.Steps)
	}
	for _, line := range opts.Command.Horn {
		fmt.Fprintln(p, line)
	}
	p.Write(script.Bytes())
	read := func() (sexpr, error) {
		x, err := p.read()
		switch {
		case err == nil:
			return x, nil
		case ctx.Err() != nil:
			return x, ctx.Err()
		case late != nil && closed(late):
			return x, errLate
		}
		var bad *errAnswer
		if errors.As(err, &bad) {
			return x, fmt.Errorf("solver %s: %w", opts.Command.Name, err)
		}
		return x, fmt.Errorf("solver %s: %w", opts.Command.Name, p.failure(err))
	}
	answer := func(command string) (sexpr, error) {
		fmt.Fprintf(p, "%s\n", command)
		return read()
	}
	x, err := read()
	if err == nil && x.atom == "sat" {
		x, err = answer("(get-model)")
		if err == nil {
			if isError(x) {
				return fail(notUnderstood(x))
			}
			return solve.Sat, x.list, "", nil
		}
	}
	switch {
	case errors.Is(err, errLate):
		return solve.Unknown, nil, fmt.Sprintf("%s: no answer within %v", opts.Command.Name, opts.Timeout), nil
	case err != nil:
		return solve.Unknown, nil, "", err
	case x.atom == "unsat":
		return solve.Unsat, nil, "", nil
	case x.atom != "unknown" && x.atom != "timeout":
		return fail(notUnderstood(x))
	}
	reason = "no reason given"
	if x, err := answer("(get-info :reason-unknown)"); err == nil && len(x.list) == 2 && x.list[1].atom != `""` {
		reason = strings.Trim(x.list[1].String(), `"`)
	} else if ctx.Err() != nil {
		return solve.Unknown, nil, "", ctx.Err()
	}
	return solve.Unknown, nil, opts.Command.Name + ": " + reason, nil
}

var errLate = errors.New("no answer in time")

// grace is when a process that did not stop by itself is killed.
func grace(opts HornOptions) time.Duration {
	if opts.Command.Timeout == "" {
		return opts.Timeout
	}
	return opts.Timeout + opts.Timeout/2 + 500*time.Millisecond
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func isError(x sexpr) bool { return len(x.list) > 0 && x.list[0].atom == "error" }

// checkInvariants asks whether each clause is valid for the invariants, and says
// which is not.
func checkInvariants(ctx context.Context, pool *term.Pool, h *Horn, opts HornOptions, invs []Invariant) (string, error) {
	var tr *integers
	if opts.Theory == Integers && opts.Overflow == Ignored {
		var err error
		if tr, err = newIntegers(h); err != nil {
			return "", err
		}
	}
	for i := range h.Clauses {
		c := &h.Clauses[i]
		all := []*term.Term{c.body(pool)}
		if tr != nil {
			// Only the runs without overflows were asked about.
			t, err := tr.defined(pool, i)
			if err != nil {
				return "", err
			}
			all = append(all, t)
		}
		for _, a := range c.Calls {
			all = append(all, invs[a.Predicate].At(pool, a.Args...))
		}
		if c.Head != nil {
			all = append(all, pool.Not(invs[c.Head.Predicate].At(pool, c.Head.Args...)))
		}
		r, err := opts.Check.Check(ctx, all...)
		if err != nil {
			return "", err
		}
		switch r.Verdict {
		case solve.Sat:
			return fmt.Sprintf("the invariants do not make clause %d valid: %s", i, r.Model), nil
		case solve.Unknown:
			return "", fmt.Errorf("clause %d of the invariants could not be checked: %s", i, r.Reason)
		}
	}
	return "", nil
}

// both is an application of and or or without what is superfluous.
func both(op string, args ...string) string {
	unit, zero := "true", "false"
	if op == "or" {
		unit, zero = zero, unit
	}
	var kept []string
	for _, a := range args {
		if a == zero {
			return zero
		}
		if a != unit && !slices.Contains(kept, a) {
			kept = append(kept, a)
		}
	}
	switch len(kept) {
	case 0:
		return unit
	case 1:
		return kept[0]
	}
	return "(" + op + " " + strings.Join(kept, " ") + ")"
}

func negated(a string) string {
	switch a {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return "(not " + a + ")"
}
