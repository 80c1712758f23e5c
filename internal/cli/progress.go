// SPDX-License-Identifier: Apache-2.0

package cli

// This file shows progress: one line on a terminal that changes while work takes
// over a second, and is gone when it ends. Nothing is shown elsewhere, so that
// logs and tests see only results and errors.

import (
	"fmt"
	"sync"
	"time"

	"github.com/interlock-go/interlock"
)

const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
	clearLine     = "\r\x1b[K"
)

type progress struct {
	c     *invocation
	mu    sync.Mutex
	line  string
	shown bool
	done  chan struct{}
	wait  sync.WaitGroup
}

func (c *invocation) startProgress(name string) *progress {
	p := &progress{c: c, line: "reading " + shown(name), done: make(chan struct{})}
	if !c.Terminal {
		return p
	}
	after := c.after
	if after == nil {
		after = time.After
	}
	p.wait.Go(func() {
		for pause := progressAfter; ; pause = progressEvery {
			select {
			case <-after(pause):
			case <-p.done:
				return
			}
			p.mu.Lock()
			fmt.Fprint(c.Err, clearLine+p.line)
			p.shown = true
			p.mu.Unlock()
		}
	})
	return p
}

func (p *progress) report(e interlock.Event) {
	p.mu.Lock()
	p.line = fmt.Sprintf("%s: %d", e.Phase, e.Count)
	p.mu.Unlock()
}

// say shows another line.
func (p *progress) say(line string) {
	p.mu.Lock()
	p.line = line
	p.mu.Unlock()
}

func (p *progress) stop() {
	close(p.done)
	p.wait.Wait()
	if p.shown {
		fmt.Fprint(p.c.Err, clearLine)
	}
}
