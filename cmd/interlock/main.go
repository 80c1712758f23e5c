// SPDX-License-Identifier: Apache-2.0

// Interlock synthesizes temporal interfaces of components; see "interlock help".
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/interlock-go/interlock/internal/cli"
)

// Code that is loaded stays, and is much larger than what is done with it: with the
// usual settings the collector goes through it again and again. It goes so less often, as
// long as there is memory.
const (
	collectAt   = 400 // percent
	memoryLimit = 2 << 30
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := cli.Main(ctx, os.Args[1:], cli.Streams{
		In:       os.Stdin,
		Out:      os.Stdout,
		Err:      os.Stderr,
		Terminal: terminal(os.Stderr),
	})
	stop()
	os.Exit(code)
}

// terminal reports whether f is a character device, which progress can be
// shown on.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
