// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command solve: a script of SMT-LIB 2 commands (Barrett,
// Fontaine, Tinelli: The SMT-LIB Standard, version 2.6) is run on a solver of the
// project, and answered as a solver would. It is for replaying questions that were
// logged, for comparing solvers, and for measuring.
//
// The solver is told of assertions and scopes when the script has them; what is
// asked about an answer afterwards (values, cores) is answered from what the
// solver returned with it. A script that declares a symbol again with another
// sort, after the scope of the first has ended, is fine: the variables differ.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/internal/solve/smtlib"
	"github.com/interlock-go/interlock/internal/term"
)

func solveCommand() command {
	return command{
		name: "solve", args: "FILE",
		short: "run an SMT-LIB script of bit-vector questions",
		long: `Solve runs an SMT-LIB 2 script in the logic QF_BV (FILE, or - for standard
input) and prints the answers as a solver would: sat, unsat or unknown, models,
values, cores. A command that is wrong is answered with (error "...") and has no
effect; the script goes on.

	interlock solve log.smt2
	interlock solve -solver z3 log.smt2
	interlock solve -timeout 10s hard.smt2

The exit status is 0 if the script was run, whatever the answers, 2 if it had
errors, 3 if a question was answered unknown.`,
		options: func() options { return &solveOptions{} },
	}
}

// solveOptions are those of solve.
type solveOptions struct {
	solver      string
	perQuestion time.Duration
}

// solverFlag says which solver answers.
func solverFlag(fs *flagSet, p *string) {
	fs.value("solver", "solver: `name` is embedded, z3, cvc5, or the path of a program that reads SMT-LIB (default embedded)", "embedded, z3, cvc5 or a path", func(text string) bool {
		*p = text
		return text != ""
	})
}

func (o *solveOptions) flags(fs *flagSet) {
	solverFlag(fs, &o.solver)
	fs.duration(&o.perQuestion, "timeout", "answer unknown when a question takes longer than this `time`, e.g. 90s (default: never)", "90s or 5m")
}

func (o *solveOptions) run(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) != 1 {
		return exitWrong, c.expected("one FILE")
	}
	return o.solve(ctx, c, c.args[0])
}

func (o *solveOptions) solve(ctx context.Context, c *invocation, name string) (int, error) {
	var src io.Reader = c.In // read as it comes: whoever writes may wait for answers
	if name != "-" {
		data, err := c.read(name)
		if err != nil {
			return exitWrong, err
		}
		src = bytes.NewReader(data)
	}
	s := &session{how: *o, input: shown(name), out: bufio.NewWriter(c.Out)}
	if err := s.reset(); err != nil {
		return exitWrong, err
	}
	defer func() { s.solver.Close() }()
	r := term.NewReader(s.pool, shown(name), src)
	for {
		cmd, err := r.Next()
		var bad *term.ReadError
		switch {
		case err == io.EOF:
			return s.status(), nil
		case errors.As(err, &bad):
			s.errorf("%v", err)
		case err != nil:
			return exitWrong, usagef("%v", err)
		case cmd.Kind == term.Exit:
			s.success()
			return s.status(), s.flush()
		default:
			if err := s.run(ctx, cmd); err != nil {
				return exitWrong, err
			}
		}
		if s.errors >= maxErrors {
			s.errorf("more than %d errors", maxErrors-1)
			return s.status(), s.flush()
		}
		if err := s.flush(); err != nil {
			return exitWrong, err
		}
	}
}

// maxErrors bounds what a file that is no script at all is answered with.
const maxErrors = 100

// A session is a script being run.
type session struct {
	how     solveOptions
	input   string // its name
	out     *bufio.Writer
	pool    *term.Pool
	solver  solve.Solver
	version string // of a process

	options    map[string]string
	logic      string
	assertions []named
	vars       []declared
	scopes     []scope

	// The answer that may be asked about; fresh says whether there is one.
	fresh       bool
	answer      solve.Result
	assumptions []*term.Term
	texts       []string // of assumptions
	reason      string   // of the last unknown

	errors, unknown int
}

type named struct {
	name string // or empty
	t    *term.Term
}

// A declared variable outlives its scope if it is global.
type declared struct {
	t      *term.Term
	global bool
}

type scope struct{ assertions, vars int }

// reset makes everything new but the pool, whose terms the reader holds.
func (s *session) reset() error {
	if s.solver != nil {
		s.solver.Close()
	}
	if s.pool == nil {
		s.pool = term.NewPool()
	}
	s.options = map[string]string{
		"print-success": "false", "global-declarations": "false",
		"produce-models": "true", "produce-unsat-cores": "true", "produce-unsat-assumptions": "true",
		"produce-assertions": "true", "produce-assignments": "true",
	}
	s.logic, s.assertions, s.vars, s.scopes, s.fresh, s.reason = "", nil, nil, nil, false, ""
	if s.embedded() {
		s.solver = bv.New(bv.Options{})
		return nil
	}
	command, err := smtlib.Find(s.how.solver)
	if err != nil {
		return usagef("-solver: %v", err)
	}
	x, err := smtlib.New(command, smtlib.Options{Timeout: s.how.perQuestion, Cores: true, Retry: true})
	if err != nil {
		return usagef("-solver: %v", err)
	}
	s.solver, s.version = x, x.Version()
	return nil
}

func (s *session) embedded() bool { return s.how.solver == "" || s.how.solver == "embedded" }

// status is the exit status so far.
func (s *session) status() int {
	switch {
	case s.errors > 0:
		return exitWrong
	case s.unknown > 0:
		return exitUndecided
	}
	return exitDone
}

func (s *session) flush() error {
	if err := s.out.Flush(); err != nil {
		return usagef("standard output: %v", reason(err))
	}
	return nil
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

func (s *session) errorf(format string, args ...any) {
	s.errors++
	s.say("(error %s)", literal(fmt.Sprintf(format, args...)))
}

func (s *session) success() {
	if s.options["print-success"] == "true" {
		s.say("success")
	}
}

// literal is a string of SMT-LIB.
func literal(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// symbol is a name of the script as a symbol.
func symbol(name string) string {
	if term.SMTName(name) == name {
		return name
	}
	return "|" + name + "|"
}

// at is the position of a command.
func (s *session) at(c term.Command) string {
	return fmt.Sprintf("%s:%d:%d", s.input, c.Line, c.Col)
}

// run runs a command. The error is for what ends the script.
func (s *session) run(ctx context.Context, c term.Command) error {
	switch c.Kind {
	case term.SetLogic:
		if c.Text != "QF_BV" && c.Text != "ALL" {
			s.errorf("%s: unsupported logic %s; expected QF_BV", s.at(c), c.Text)
			return nil
		}
		s.logic = c.Text
	case term.SetOption:
		if !s.setOption(c) {
			return nil
		}
	case term.SetInfo, term.Define:
	case term.DeclareVar:
		s.vars = append(s.vars, declared{c.Term, s.global()})
	case term.Assert:
		s.fresh = false
		s.assertions = append(s.assertions, named{c.Name, c.Term})
		s.solver.Assert(c.Term)
	case term.Push:
		s.fresh = false
		for range c.N {
			s.scopes = append(s.scopes, scope{len(s.assertions), len(s.vars)})
			s.solver.Push()
		}
	case term.Pop:
		s.pop(c.N)
	case term.CheckSat, term.CheckSatAssuming:
		return s.check(ctx, c)
	case term.Reset:
		if err := s.reset(); err != nil {
			return err
		}
	case term.ResetAssertions:
		return s.resetAssertions()
	default:
		s.get(c)
		return nil
	}
	s.success()
	return nil
}

// global says whether declarations outlive scopes.
func (s *session) global() bool { return s.options["global-declarations"] == "true" }

// setOption says whether the option is known.
func (s *session) setOption(c term.Command) bool {
	switch _, known := s.options[c.Keyword]; {
	case !known:
		s.say("unsupported")
		return false
	case c.Text != "true" && c.Text != "false":
		s.errorf("%s: option :%s is %s; expected true or false", s.at(c), c.Keyword, c.Text)
		return false
	}
	s.options[c.Keyword] = c.Text
	return true
}

func (s *session) pop(n int) {
	s.fresh = false
	for range n {
		last := len(s.scopes) - 1
		m := s.scopes[last]
		s.scopes = s.scopes[:last]
		s.assertions = s.assertions[:m.assertions]
		kept := s.vars[:m.vars]
		for _, v := range s.vars[m.vars:] {
			if v.global {
				kept = append(kept, v)
			}
		}
		s.vars = kept
		s.solver.Pop()
	}
}

// resetAssertions keeps the options, and global variables.
func (s *session) resetAssertions() error {
	s.pop(len(s.scopes))
	options, logic, vars := s.options, s.logic, s.vars
	if err := s.reset(); err != nil {
		return err
	}
	s.options, s.logic = options, logic
	if s.global() {
		s.vars = vars
	}
	s.success()
	return nil
}

// check asks the solver.
func (s *session) check(ctx context.Context, c term.Command) error {
	s.fresh = false
	asked := ctx
	if limit := s.how.perQuestion; limit > 0 && s.embedded() { // a process has a clock of its own
		var cancel context.CancelFunc
		asked, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	r, err := s.solver.Check(asked, c.Terms...)
	switch {
	case ctx.Err() != nil:
		s.out.Flush()
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		r = solve.Result{Reason: fmt.Sprintf("no answer within %v", s.how.perQuestion)}
	case err != nil:
		s.errorf("%s: %v", s.at(c), err)
		return nil
	}
	s.fresh, s.answer, s.assumptions, s.texts = true, r, c.Terms, c.Texts
	if r.Verdict == solve.Unknown {
		s.unknown++
		s.reason = r.Reason
	}
	s.say("%s", r.Verdict)
	return nil
}

// get runs the commands that only ask.
func (s *session) get(c term.Command) {
	needs := func(v solve.Verdict) bool {
		if !s.fresh || s.answer.Verdict != v {
			s.errorf("%s: %s needs a check-sat right before it that was answered %s", s.at(c), c.Kind, v)
			return false
		}
		return true
	}
	switch c.Kind {
	case term.Echo:
		s.say("%s", literal(c.Text))
	case term.GetInfo:
		s.info(c)
	case term.GetOption:
		if v, ok := s.options[c.Keyword]; ok {
			s.say("%s", v)
		} else {
			s.say("unsupported")
		}
	case term.GetAssertions:
		var texts []string
		for _, a := range s.assertions {
			texts = append(texts, term.SMT(a.t))
		}
		s.list(texts)
	case term.GetModel:
		if !needs(solve.Sat) {
			return
		}
		s.say("(")
		for _, d := range s.vars {
			v := d.t
			s.say("  (define-fun %s () %s %s)", symbol(v.Name()), term.SMTSort(v.Sort()), term.SMTValue(v.Sort(), s.answer.Model[v]))
		}
		s.say(")")
	case term.GetValue:
		if !needs(solve.Sat) {
			return
		}
		var texts []string
		for i, t := range c.Terms {
			texts = append(texts, "("+c.Texts[i]+" "+term.SMTValue(t.Sort(), term.Eval(t, s.answer.Model))+")")
		}
		s.list(texts)
	case term.GetAssignment:
		if !needs(solve.Sat) {
			return
		}
		var texts []string
		for _, a := range s.assertions {
			if a.name != "" {
				texts = append(texts, "("+symbol(a.name)+" "+strconv.FormatBool(term.Holds(a.t, s.answer.Model))+")")
			}
		}
		s.list(texts)
	case term.GetUnsatCore:
		if !needs(solve.Unsat) {
			return
		}
		var texts []string
		seen := make(map[*term.Term]bool) // one name is enough for each term
		for _, a := range s.assertions {
			if a.name != "" && !seen[a.t] && slices.Contains(s.answer.Core, a.t) {
				seen[a.t] = true
				texts = append(texts, symbol(a.name))
			}
		}
		s.list(texts)
	case term.GetUnsatAssumptions:
		if !needs(solve.Unsat) {
			return
		}
		var texts []string
		for i, t := range s.assumptions {
			if slices.Contains(s.answer.Core, t) && slices.Index(s.assumptions, t) == i {
				texts = append(texts, s.texts[i])
			}
		}
		s.list(texts)
	default:
		s.errorf("%s: unsupported: %s", s.at(c), c.Kind)
	}
}

func (s *session) list(texts []string) { s.say("(%s)", strings.Join(texts, " ")) }

func (s *session) info(c term.Command) {
	switch c.Keyword {
	case "name":
		s.say("(:name %s)", literal("interlock"))
	case "version":
		version := "(devel)"
		if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
			version = info.Main.Version
		}
		if s.version != "" {
			version += ", with " + s.version
		}
		s.say("(:version %s)", literal(version))
	case "authors":
		s.say("(:authors %s)", literal("the Interlock authors"))
	case "error-behavior":
		s.say("(:error-behavior continued-execution)")
	case "assertion-stack-levels":
		s.say("(:assertion-stack-levels %d)", len(s.scopes))
	case "reason-unknown":
		if !s.fresh || s.answer.Verdict != solve.Unknown {
			s.errorf("%s: the last answer was not unknown", s.at(c))
			return
		}
		s.say("(:reason-unknown %s)", literal(s.reason))
	default:
		s.say("unsupported")
	}
}
