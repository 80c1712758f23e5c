// SPDX-License-Identifier: Apache-2.0

package smtlib

// This file runs the process and reads its answers, which are S-expressions.
// Nothing is read ahead of what is asked for, and nothing is asked without being
// read; a process that does neither is killed by a timer of the caller, which
// ends a read or write that hangs.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/interlock-go/interlock/internal/term"
)

// A process is a running solver. It is a writer of commands, which are sent when
// an answer is read.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	w    *bufio.Writer
	r    *bufio.Reader
	errs *tail

	mu   sync.Mutex
	done bool // killed, or waited for
}

// A tail keeps the first bytes of standard error, for messages.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 4096 - t.buf.Len(); room > 0 {
		t.buf.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}

func startProcess(c Command) (*process, error) {
	cmd := exec.Command(c.Path, c.Args...)
	if len(c.Env) > 0 {
		cmd.Env = append(os.Environ(), c.Env...)
	}
	cmd.SysProcAttr = dieWithParent()
	cmd.WaitDelay = time.Second // for children of its own that keep the pipes open
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in, w: bufio.NewWriterSize(in, 1<<16), r: bufio.NewReaderSize(out, 1<<16), errs: &tail{}}
	cmd.Stderr = p.errs
	if err := cmd.Start(); err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return nil, &AbsentError{c.Name}
		}
		return nil, err
	}
	return p, nil
}

func (p *process) Write(b []byte) (int, error) { return p.w.Write(b) }

// kill ends the process at once. It may be called at any time from any
// goroutine.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.done {
		p.done = true
		p.cmd.Process.Kill()
	}
}

func (p *process) alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.done
}

// end kills the process and waits for it.
func (p *process) end() {
	p.kill()
	p.in.Close()
	p.cmd.Wait()
}

// failure describes why the process does not answer any more.
func (p *process) failure(err error) error {
	p.end()
	msg := strings.TrimSpace(p.errs.String())
	if i := strings.IndexByte(msg, '\n'); i >= 0 {
		msg = msg[:i]
	}
	switch {
	case msg != "":
		return fmt.Errorf("died: %s", msg)
	case errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || p.cmd.ProcessState != nil:
		return fmt.Errorf("died: %v", p.cmd.ProcessState)
	}
	return err
}

// An sexpr is an atom or a list.
type sexpr struct {
	atom string // with quotes; empty for lists
	list []sexpr
}

func (x sexpr) String() string {
	if x.atom != "" {
		return x.atom
	}
	var b strings.Builder
	b.WriteByte('(')
	for i, y := range x.list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(y.String())
	}
	b.WriteByte(')')
	return b.String()
}

// read sends what was written and reads one answer.
func (p *process) read() (sexpr, error) {
	if err := p.w.Flush(); err != nil {
		return sexpr{}, err
	}
	for {
		x, err := readSexpr(p.r)
		if err != nil || x.atom != "success" { // :print-success may be on at first
			return x, err
		}
	}
}

// readSexpr reads one S-expression, and nothing behind it.
func readSexpr(r *bufio.Reader) (sexpr, error) {
	var stack []sexpr
	for {
		c, err := r.ReadByte()
		if err != nil {
			return sexpr{}, err
		}
		var x sexpr
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			continue
		case c == ';':
			if _, err := r.ReadString('\n'); err != nil {
				return sexpr{}, err
			}
			continue
		case c == '(':
			stack = append(stack, sexpr{})
			continue
		case c == ')':
			if len(stack) == 0 {
				return sexpr{}, &errAnswer{"unexpected )"}
			}
			x = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
		case c == '"' || c == '|':
			text := []byte{c}
			for {
				d, err := r.ReadByte()
				if err != nil {
					return sexpr{}, err
				}
				text = append(text, d)
				if d != c {
					continue
				}
				if c == '"' { // a doubled quote is one
					if next, err := r.Peek(1); err == nil && next[0] == '"' {
						r.ReadByte()
						continue
					}
				}
				break
			}
			x.atom = string(text)
		default:
			text := []byte{c}
			for {
				d, err := r.ReadByte()
				if err != nil {
					if err == io.EOF && len(stack) == 0 {
						break
					}
					return sexpr{}, err
				}
				if strings.IndexByte(" \n\t\r()\"|;", d) >= 0 {
					r.UnreadByte()
					break
				}
				text = append(text, d)
			}
			x.atom = string(text)
		}
		if len(stack) == 0 {
			return x, nil
		}
		top := &stack[len(stack)-1]
		top.list = append(top.list, x)
	}
}

// value reads a constant of a sort.
func (x sexpr) value(s term.Sort) (term.Value, bool) {
	if s.Kind == term.BoolKind {
		return term.BoolValue(x.atom == "true"), x.atom == "true" || x.atom == "false"
	}
	w := s.Bits()
	n, ok := new(big.Int), false
	switch {
	case strings.HasPrefix(x.atom, "#x"):
		n, ok = n.SetString(x.atom[2:], 16)
	case strings.HasPrefix(x.atom, "#b"):
		n, ok = n.SetString(x.atom[2:], 2)
	case len(x.list) == 3 && x.list[0].atom == "_" && strings.HasPrefix(x.list[1].atom, "bv"):
		n, ok = n.SetString(x.list[1].atom[2:], 10)
	}
	if !ok || n.Sign() < 0 || n.BitLen() > w {
		return term.Value{}, false
	}
	v := term.ValueOfBig(w, n)
	return v, s.Valid(v)
}
