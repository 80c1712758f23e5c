// SPDX-License-Identifier: Apache-2.0

package workers

import (
	"context"
	"os"
	"runtime"
	"time"

	"github.com/interlock-go/interlock/bench/internal/usage"
)

// Limited ends a context when the process has used so much processor time: other
// programs on the machine then do not matter. If that does not help, it ends the
// process.
func Limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	start, clock := usage.CPU(), time.Now()
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				used := usage.CPU() - start
				if usage.CPU() == 0 { // the system does not say
					used = time.Since(clock)
				}
				if used > limit {
					stop()
				}
				if used > limit+UsualGrace {
					stacks := make([]byte, tailSize)
					os.Stderr.Write(stacks[:runtime.Stack(stacks, true)])
					os.Exit(hung)
				}
			}
		}
	}()
	return ctx, func() { stop(); close(done) }
}
