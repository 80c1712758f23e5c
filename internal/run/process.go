// SPDX-License-Identifier: Apache-2.0

package run

// This file runs one process of a driver.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// An order is a word for a driver.
type order struct {
	Start   int   `json:"start"`
	Calls   []int `json:"calls"`
	Limit   int   `json:"limit"`
	Patient bool  `json:"patient"`
	Fields  bool  `json:"fields"`
}

// A line is a step or an end.
type line struct {
	Step
	End    bool              `json:"end"`
	None   bool              `json:"none"`
	Fields map[string]string `json:"fields"`
	Last   bool              `json:"last"`
}

// A process is a driver that is running.
type process struct {
	cmd    *exec.Cmd
	dir    string
	orders *os.File
	lines  chan []byte
	output *tail // what it wrote to its standard streams
	ran    int   // words
}

// outputKept is how much is kept of what a component writes: enough for the message and the
// trace of a fatal error.
const outputKept = 32 << 10

// A tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*outputKept {
		t.text = append([]byte{}, t.text[len(t.text)-outputKept:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// afterExit is how long children of a driver may hold its streams when it has ended.
const afterExit = time.Second

// start starts a driver in a directory of its own.
func start(p *Program) (*process, error) {
	dir, err := os.MkdirTemp(p.Dir, "work-")
	if err != nil {
		return nil, err
	}
	q := &process{dir: dir, lines: make(chan []byte, 16), output: &tail{}}
	ordersIn, orders, err := os.Pipe()
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	answers, answersOut, err := os.Pipe()
	if err != nil {
		os.RemoveAll(dir)
		return nil, errors.Join(err, ordersIn.Close(), orders.Close())
	}
	q.orders = orders
	q.cmd = exec.Command(p.Path, p.Args...)
	q.cmd.Dir = dir
	q.cmd.Env = append(q.cmd.Environ(), q.mark(), "HOME="+dir)
	q.cmd.Stdout, q.cmd.Stderr = q.output, q.output
	q.cmd.ExtraFiles = []*os.File{ordersIn, answersOut}
	q.cmd.WaitDelay = afterExit
	alone(q.cmd)
	err = q.cmd.Start()
	ordersIn.Close()
	answersOut.Close()
	if err != nil {
		orders.Close()
		answers.Close()
		os.RemoveAll(dir)
		return nil, err
	}
	go func() {
		defer close(q.lines)
		defer answers.Close()
		for r := bufio.NewReader(answers); ; {
			text, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			q.lines <- text
		}
	}()
	return q, nil
}

// mark is what only the environment of the driver has, and of what it starts.
func (q *process) mark() string { return "TMPDIR=" + q.dir }

// stop ends the process and those that it started, and removes its directory. It returns how it
// ended.
func (q *process) stop() error {
	q.orders.Close()
	killAll(q.cmd)
	for range q.lines {
	}
	err := q.cmd.Wait()
	killAll(q.cmd) // children that it started meanwhile
	killMarked(q.mark())
	os.RemoveAll(q.dir)
	return err
}

// end waits for a process that ends by itself, and then does as stop.
func (q *process) end() error {
	q.orders.Close()
	err := q.cmd.Wait()
	killAll(q.cmd)
	for range q.lines {
	}
	killMarked(q.mark())
	os.RemoveAll(q.dir)
	return err
}

// grace is how much longer than its limit a call may take until the driver is taken to be stuck.
const grace = 2 * time.Second

// run runs a word. Gone says that the process has ended; an answer then has a last step that
// says how.
func (q *process) run(ctx context.Context, o order) (a Answer, gone bool, err error) {
	q.ran++
	text, err := json.Marshal(o)
	if err != nil {
		return a, false, err
	}
	if _, err := q.orders.Write(append(text, '\n')); err != nil {
		a.Steps = append(a.Steps, death(q.end(), q.output.String()))
		return a, true, nil
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(time.Duration(o.Limit)*time.Millisecond + grace)
		select {
		case <-ctx.Done():
			q.stop()
			return a, true, ctx.Err()
		case <-timer.C:
			q.stop()
			a.Steps = append(a.Steps, Step{Did: Blocked, Text: "until the limit"})
			return a, true, nil
		case text, ok := <-q.lines:
			if !ok {
				a.Steps = append(a.Steps, death(q.end(), q.output.String()))
				return a, true, nil
			}
			var l line
			if err := json.Unmarshal(text, &l); err != nil {
				q.stop()
				return a, true, fmt.Errorf("the driver answered %q: %w", bytes.TrimSpace(text), err)
			}
			switch {
			case l.End:
				a.None, a.Fields = l.None, l.Fields
				if l.Last {
					q.stop()
				}
				return a, l.Last, nil
			case l.Did == Memory:
				q.stop()
				a.Steps = append(a.Steps, l.Step)
				return a, true, nil
			}
			a.Steps = append(a.Steps, l.Step)
		}
	}
}

// death says how a process ended that was not told to.
func death(err error, output string) Step {
	for _, begin := range []string{"fatal error: ", "panic: "} { // a panic: of a goroutine of its own
		if k := strings.LastIndex("\n"+output, "\n"+begin); k >= 0 && err != nil {
			text, _, _ := strings.Cut(output[k+len(begin):], "\n")
			return Step{Did: Fatal, Text: text}
		}
	}
	text := "exit status 0"
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		text = err.Error()
	}
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if last := lines[len(lines)-1]; last != "" {
		text += ": " + last // what log.Fatal says
	}
	return Step{Did: Exited, Text: text}
}
