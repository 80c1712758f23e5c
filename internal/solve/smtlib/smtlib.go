// SPDX-License-Identifier: Apache-2.0

// Package smtlib makes solvers of other processes that read SMT-LIB 2 on standard
// input, such as z3 and cvc5.
//
// Questions are asked with check-sat-assuming, where an assumption that is not a
// literal gets one that implies it, or, if the process is better at it, in a
// scope of their own. Nothing is sent before a question needs it: a process that
// died is started again and gets the stack anew, so a crash costs time and no
// answers. A process also dies when the context of a question is cancelled, when
// a question takes too long, and when the solver is closed.
//
// A model is evaluated again before it is returned; one that does not satisfy
// what was asked is an error that names the solver. Refutations are taken on
// faith.
//
// Horn clauses, a second kind of question, are in horn.go.
package smtlib

// This file is the solver. The process is in process.go.

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/term"
)

// A Command says how to run a solver.
type Command struct {
	Name string // for messages
	Path string
	Args []string
	Env  []string // more variables of the environment, as KEY=VALUE
	// Setup is sent first, before the logic.
	Setup []string
	// Timeout is sent before the first question if questions have a time
	// limit, with %d in it replaced by milliseconds.
	Timeout string
	// Steps is sent before Horn clauses if they have a limit of steps, with %d
	// in it replaced by it.
	Steps string
	// Horn is sent before Horn clauses.
	Horn []string
}

// An AbsentError says that a solver is not installed.
type AbsentError struct{ Name string }

func (e *AbsentError) Error() string {
	return fmt.Sprintf("solver %s is not installed; install it, give its path, or use -solver embedded", e.Name)
}

// Find returns how to run a solver given by name, z3 or cvc5, or by the path of a
// program whose name starts with one of these; any other program is expected to
// read SMT-LIB 2 on standard input without arguments. The error is an
// [*AbsentError] if there is no such program.
func Find(name string) (Command, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return Command{}, &AbsentError{name}
	}
	c := Command{Name: name, Path: path}
	switch base := strings.ToLower(filepath.Base(name)); {
	case strings.HasPrefix(base, "z3"):
		c.Args = []string{"-in", "-smt2"}
		c.Timeout = "(set-option :timeout %d)"
		c.Steps = "(set-option :rlimit %d)"
		// Without predicates that were inlined, models have quantifiers, and in
		// 4.8.12 some are wrong.
		c.Horn = []string{"(set-option :fp.xform.inline_eager false)", "(set-option :fp.xform.inline_linear false)"}
	case strings.HasPrefix(base, "cvc5"):
		c.Args = []string{"--incremental", "--quiet", "--lang=smt2"}
		c.Timeout = "(set-option :tlimit-per %d)"
	}
	return c, nil
}

// Options are fixed for the life of a solver. The zero value is usable.
type Options struct {
	// Timeout bounds each question in wall-clock time; 0 is no limit. Exceeding
	// it gives Unknown.
	Timeout time.Duration
	// Scopes asks each question in a scope of its own, as assertions, instead
	// of with check-sat-assuming.
	Scopes bool
	// Cores follows asserted terms too, so that cores name them.
	Cores bool
	// Retry asks a question that was answered Unknown a second time, alone, of
	// a new process: solvers have quite different methods for that.
	Retry bool
}

// A Solver is an incremental solver; see [solve.Solver].
type Solver struct {
	cmd   Command
	opt   Options
	stack []*term.Term
	marks []int

	proc *process // nil if there is none now
	// What the process knows.
	script *solve.Script
	sent   int // assertions
	depth  int // scopes
	lits   map[*term.Term]literal
	labels map[string]*term.Term // all that were ever given
	names  int
	free   map[*term.Term][]*term.Term

	starts  int // processes started
	version string
	closed  bool
}

// A literal stands for a term in the process.
type literal struct {
	name  string
	depth int // scope of its definition
}

var _ solve.Solver = (*Solver)(nil)

// New starts a process and returns the solver in it.
func New(cmd Command, opt Options) (*Solver, error) {
	s := &Solver{cmd: cmd, opt: opt, free: make(map[*term.Term][]*term.Term)}
	if err := s.start(); err != nil {
		return nil, err
	}
	return s, nil
}

// Version is the name and version that the process reported.
func (s *Solver) Version() string { return s.version }

// Starts is the number of processes started so far.
func (s *Solver) Starts() int { return s.starts }

// Assert adds a conjunct.
func (s *Solver) Assert(t *term.Term) {
	if t.Sort() != term.BoolSort {
		panic("smtlib.Assert: want bool, have " + t.Sort().String())
	}
	s.stack = append(s.stack, t)
}

// Push opens a scope.
func (s *Solver) Push() { s.marks = append(s.marks, len(s.stack)) }

// Pop removes what was asserted since the last Push. It panics if there was none.
func (s *Solver) Pop() {
	if len(s.marks) == 0 {
		panic("smtlib.Pop: no Push")
	}
	n := len(s.marks) - 1
	s.stack = s.stack[:s.marks[n]]
	s.marks = s.marks[:n]
	for s.proc != nil && s.depth > n {
		s.pop()
	}
}

// pop closes a scope of the process.
func (s *Solver) pop() {
	s.script.Pop()
	s.depth--
	for t, l := range s.lits {
		if l.depth > s.depth {
			delete(s.lits, t)
		}
	}
	s.sent = min(s.sent, len(s.stack))
}

// Close ends the process.
func (s *Solver) Close() error {
	s.closed = true
	s.stop()
	return nil
}

func (s *Solver) stop() {
	if s.proc != nil {
		s.proc.end()
		s.proc = nil
	}
}

// startLimit is how long a process may take to say its name.
const startLimit = 10 * time.Second

// start makes a process that knows nothing.
func (s *Solver) start() error {
	p, err := startProcess(s.cmd)
	if err != nil {
		return fmt.Errorf("solver %s: %w", s.cmd.Name, err)
	}
	s.starts++
	s.proc = p
	s.script = solve.NewScript(p)
	s.sent, s.depth, s.lits, s.names = 0, 0, make(map[*term.Term]literal), 0
	s.labels = make(map[string]*term.Term)
	for _, line := range s.cmd.Setup {
		s.script.Printf("%s\n", line)
	}
	if s.opt.Timeout > 0 && s.cmd.Timeout != "" {
		s.script.Printf(s.cmd.Timeout+"\n", max(s.opt.Timeout.Milliseconds(), 1))
	}
	s.script.Printf("(set-option :print-success false)\n(set-option :produce-models true)\n")
	if s.opt.Scopes {
		s.script.Printf("(set-option :produce-unsat-cores true)\n")
	} else {
		s.script.Printf("(set-option :produce-unsat-assumptions true)\n")
	}
	s.script.Header("QF_BV")
	if s.version != "" {
		return nil
	}
	// No question, no context: a program that is no solver may just wait.
	timer := time.AfterFunc(startLimit, p.kill)
	defer timer.Stop()
	s.script.Printf("(get-info :name)\n(get-info :version)\n")
	var words []string
	for range 2 {
		x, err := p.read()
		if err != nil {
			err = s.proc.failure(err)
			s.stop()
			return fmt.Errorf("solver %s: %w", s.cmd.Name, err)
		}
		if len(x.list) == 2 && x.list[0].atom != "error" {
			words = append(words, strings.Trim(x.list[1].atom, `"`))
		}
	}
	s.version = strings.Join(words, " ")
	return nil
}

// errAnswer is an answer that is an error message or is not understood.
type errAnswer struct{ msg string }

func (e *errAnswer) Error() string { return e.msg }

// Check decides the asserted terms together with the assumptions.
func (s *Solver) Check(ctx context.Context, assumptions ...*term.Term) (solve.Result, error) {
	if s.closed {
		return solve.Result{}, errors.New("solver " + s.cmd.Name + ": closed")
	}
	var lastErr error
	for attempt := range 2 { // a crash is forgiven once
		if err := ctx.Err(); err != nil {
			return solve.Result{}, err
		}
		if s.proc == nil {
			if err := s.start(); err != nil {
				return solve.Result{}, err
			}
		}
		r, late, err := s.guarded(ctx, assumptions)
		var bad *errAnswer
		switch {
		case ctx.Err() != nil:
			s.stop()
			return solve.Result{}, ctx.Err()
		case late:
			s.stop()
			r, err = solve.Result{Reason: fmt.Sprintf("no answer within %v", s.opt.Timeout)}, nil
			fallthrough
		case err == nil:
			if r.Verdict == solve.Unknown && s.opt.Retry {
				return s.alone(ctx, assumptions, r)
			}
			return r, nil
		case errors.As(err, &bad):
			s.stop()
			return solve.Result{}, fmt.Errorf("solver %s: %w", s.cmd.Name, err)
		case attempt > 0 && s.script.Err() != nil && s.proc.alive():
			// In a new process it is not about variables of the past.
			err := s.script.Err()
			s.stop()
			return solve.Result{}, fmt.Errorf("solver %s: %w", s.cmd.Name, err)
		}
		lastErr = s.proc.failure(err)
		s.stop()
	}
	return solve.Result{}, fmt.Errorf("solver %s: %w", s.cmd.Name, lastErr)
}

// guarded asks the process, which dies if it takes too long or is not wanted any
// more.
func (s *Solver) guarded(ctx context.Context, assumptions []*term.Term) (r solve.Result, late bool, err error) {
	p := s.proc
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	if s.opt.Timeout > 0 {
		grace := s.opt.Timeout
		if s.cmd.Timeout != "" { // let it say unknown by itself
			grace += s.opt.Timeout/2 + 500*time.Millisecond
		}
		fired := make(chan struct{})
		t := time.AfterFunc(grace, func() {
			close(fired)
			p.kill()
		})
		defer func() {
			if !t.Stop() {
				<-fired
				late = err != nil
			}
		}()
	}
	r, err = s.ask(assumptions)
	return r, late, err
}

// ask sends what the process does not know yet and the question, and reads the
// answer.
func (s *Solver) ask(assumptions []*term.Term) (solve.Result, error) {
	s.sync()
	names := make(map[string]*term.Term) // what a core may mention
	if s.opt.Scopes {
		// A formula that had a label in an earlier scope may be reported by
		// that one.
		names = s.labels
		s.script.Push()
		for _, t := range assumptions {
			s.named(t)
		}
		s.script.Printf("(check-sat)\n")
	} else {
		var text strings.Builder
		take := func(t *term.Term) {
			n := s.literal(t)
			names[unquote(n)] = t
			text.WriteString(" " + n)
		}
		if s.opt.Cores {
			for _, t := range s.stack {
				take(t)
			}
		}
		for _, t := range assumptions {
			take(t)
		}
		if text.Len() == 0 {
			s.script.Printf("(check-sat)\n")
		} else {
			s.script.Printf("(check-sat-assuming (%s))\n", text.String()[1:])
		}
	}
	r, err := s.answer(assumptions, names)
	if err == nil && s.opt.Scopes {
		s.script.Pop()
	}
	return r, err
}

// sync sends the stack.
func (s *Solver) sync() {
	for i := s.sent; ; i++ {
		for s.depth < len(s.marks) && s.marks[s.depth] == i {
			s.script.Push()
			s.depth++
		}
		if i == len(s.stack) {
			break
		}
		t := s.stack[i]
		switch {
		case s.opt.Cores && s.opt.Scopes:
			s.named(t)
		case !s.opt.Cores:
			s.script.Assert(t)
		}
		s.sent = i + 1
	}
}

// label is a new symbol. No variable is written with it: see [term.SMTName].
func (s *Solver) label() string {
	s.names++
	return fmt.Sprintf("~!%d", s.names)
}

// named asserts t under a label.
func (s *Solver) named(t *term.Term) {
	label := s.label()
	s.labels[label] = t
	s.script.Declare(t)
	s.script.Printf("(assert (! ")
	s.script.Term(t)
	s.script.Printf(" :named %s))\n", label)
}

// literal is a literal that implies t.
func (s *Solver) literal(t *term.Term) string {
	switch {
	case t.IsVar():
		s.script.Declare(t)
		return term.SMTName(t.Name())
	case t.Op() == term.OpNot && t.Args()[0].IsVar():
		s.script.Declare(t)
		return "(not " + term.SMTName(t.Args()[0].Name()) + ")"
	}
	l, ok := s.lits[t]
	if !ok {
		l = literal{s.label(), s.depth}
		s.lits[t] = l
		s.script.Declare(t)
		s.script.Printf("(declare-const %s Bool)\n(assert (=> %s ", l.name, l.name)
		s.script.Term(t)
		s.script.Printf("))\n")
	}
	return l.name
}

// unquote removes the bars of quoted symbols: solvers differ in where they write
// them.
func unquote(text string) string { return strings.ReplaceAll(text, "|", "") }

// answer reads the answer to a check and asks for its evidence.
func (s *Solver) answer(assumptions []*term.Term, names map[string]*term.Term) (solve.Result, error) {
	if err := s.script.Err(); err != nil {
		return solve.Result{}, err
	}
	x, err := s.proc.read()
	if err != nil {
		return solve.Result{}, err
	}
	switch x.atom {
	case "sat":
		m, err := s.model(assumptions)
		if err != nil {
			return solve.Result{}, err
		}
		return solve.Result{Verdict: solve.Sat, Model: m}, s.satisfied(m, assumptions)
	case "unsat":
		core, err := s.core(names)
		return solve.Result{Verdict: solve.Unsat, Core: core}, err
	case "unknown", "timeout":
		reason, err := s.reason()
		return solve.Result{Reason: reason}, err
	}
	return solve.Result{}, notUnderstood(x)
}

// notUnderstood makes an error of an answer that should be something else.
func notUnderstood(x sexpr) error {
	if len(x.list) == 2 && x.list[0].atom == "error" {
		return &errAnswer{strings.Join(strings.Fields(strings.Trim(x.list[1].atom, `"`)), " ")}
	}
	return &errAnswer{"unexpected answer " + shorten(x.String())}
}

func (s *Solver) reason() (string, error) {
	s.script.Printf("(get-info :reason-unknown)\n")
	x, err := s.proc.read()
	if err != nil {
		return "", err
	}
	reason := "no reason given"
	if len(x.list) == 2 {
		reason = strings.Trim(x.list[1].String(), `"`)
	}
	return s.cmd.Name + ": " + reason, nil
}

// model asks for the values of the variables of the question.
func (s *Solver) model(assumptions []*term.Term) (term.Model, error) {
	m := make(term.Model)
	byName := make(map[string]*term.Term)
	var text strings.Builder
	add := func(t *term.Term) {
		vars, ok := s.free[t]
		if !ok {
			vars = term.FreeVars(t)
			s.free[t] = vars
		}
		for _, v := range vars {
			if _, ok := m[v]; !ok {
				m[v] = term.Value{}
				n := term.SMTName(v.Name())
				byName[unquote(n)] = v
				text.WriteString(" " + n)
			}
		}
	}
	for _, t := range s.stack {
		add(t)
	}
	for _, t := range assumptions {
		add(t)
	}
	if len(m) == 0 {
		return m, nil
	}
	s.script.Printf("(get-value (%s))\n", text.String()[1:])
	x, err := s.proc.read()
	if err != nil {
		return nil, err
	}
	n := 0
	for _, pair := range x.list {
		if len(pair.list) != 2 {
			return nil, notUnderstood(x)
		}
		v := byName[unquote(pair.list[0].String())]
		if v == nil {
			return nil, notUnderstood(pair)
		}
		val, ok := pair.list[1].value(v.Sort())
		if !ok {
			return nil, notUnderstood(pair)
		}
		m[v] = val
		n++
	}
	if n != len(m) {
		return nil, notUnderstood(x)
	}
	return m, nil
}

// satisfied evaluates what was asked under the model: a solver that is wrong, or
// means something else, is found out here.
func (s *Solver) satisfied(m term.Model, assumptions []*term.Term) error {
	for _, ts := range [][]*term.Term{s.stack, assumptions} {
		for _, t := range ts {
			if !term.Holds(t, m) {
				return &errAnswer{fmt.Sprintf("its model does not satisfy %s: %s", shorten(t.String()), shorten(m.String()))}
			}
		}
	}
	return nil
}

func shorten(text string) string {
	if len(text) > 100 {
		return text[:100] + "..."
	}
	return text
}

// core asks for the terms that suffice.
func (s *Solver) core(names map[string]*term.Term) ([]*term.Term, error) {
	if len(names) == 0 {
		return nil, nil
	}
	command := "get-unsat-assumptions"
	if s.opt.Scopes {
		command = "get-unsat-core"
	}
	s.script.Printf("(%s)\n", command)
	x, err := s.proc.read()
	if err != nil {
		return nil, err
	}
	if x.atom != "" || len(x.list) > 0 && x.list[0].atom == "error" {
		return nil, notUnderstood(x)
	}
	var core []*term.Term
	for _, y := range x.list {
		if t := names[unquote(y.String())]; t != nil && !slices.Contains(core, t) {
			core = append(core, t)
		}
	}
	return core, nil
}

// alone asks a question of a new process that knows nothing else, as plainly as
// possible. If there is no answer again, the first one stands.
func (s *Solver) alone(ctx context.Context, assumptions []*term.Term, first solve.Result) (solve.Result, error) {
	u := &Solver{cmd: s.cmd, opt: Options{Timeout: s.opt.Timeout}, version: s.version, free: s.free}
	u.stack = append(append(u.stack, s.stack...), assumptions...)
	defer u.Close()
	r, err := u.Check(ctx)
	s.starts += u.starts
	switch {
	case err != nil:
		return solve.Result{}, err
	case r.Verdict == solve.Unknown:
		return first, nil
	case r.Verdict == solve.Unsat && s.opt.Cores:
		r.Core = u.stack
	case r.Verdict == solve.Unsat:
		r.Core = slices.Clone(assumptions)
	}
	return r, nil
}
